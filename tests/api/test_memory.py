"""`memory=`: loops are computed again from checkpoints, with the gradients that they have on a tape, in fewer bytes."""
import copy
import os
import pickle
import random
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.runtime import checkpoints
from sourcegrad.runtime.structure import is_user_object
from tests.api import memory_programs as programs
from tests.api.memory_programs import CASES


def leaves(value):
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in leaves(item)]
    if isinstance(value, dict):
        return leaves(list(value.values()))
    return leaves(list(vars(value).values())) if is_user_object(value) else [np.asarray(value)]


def assert_equal(found, wanted, rtol=1e-11):
    found, wanted = leaves(found), leaves(wanted)
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-12)


@pytest.fixture
def loops(monkeypatch):
    """The loops that are reversed."""
    seen = []
    made = checkpoints.Checkpoints.__init__

    def noted(self, *args):
        made(self, *args)
        seen.append(self)

    monkeypatch.setattr(checkpoints.Checkpoints, "__init__", noted)
    return seen


@pytest.mark.parametrize("function, inputs, calls, memory", CASES, ids=[case[0].__name__ for case in CASES])
def test_gradients_are_those_of_the_tape(function, inputs, calls, memory, loops):
    plain, less = sg.value_and_grad(function, inputs), sg.value_and_grad(function, inputs, memory=memory)
    for args in calls:
        del loops[:]
        assert_equal(less(*copy.deepcopy(args)), plain(*copy.deepcopy(args)))
        if args is calls[0]:
            assert loops and (max(loop.parts for loop in loops) > 1 or function is programs.newton)
    assert_equal(sg.grad(function, inputs, memory=memory)(*copy.deepcopy(calls[0])), plain(*copy.deepcopy(calls[0]))[1])


def test_against_differences():
    u, kappa = np.linspace(0.0, 1.0, 9) ** 2, 0.3
    found, by_kappa = sg.grad(programs.heat, ("u0", "kappa"), memory=4000)(u, kappa, 50, 0.1)
    step = 1e-6
    wanted = [(programs.heat(u + e, kappa, 50, 0.1) - programs.heat(u - e, kappa, 50, 0.1)) / (2 * step) for e in step * np.eye(9)]
    np.testing.assert_allclose(found, wanted, rtol=1e-7)
    slope = (programs.heat(u, kappa + step, 50, 0.1) - programs.heat(u, kappa - step, 50, 0.1)) / (2 * step)
    np.testing.assert_allclose(by_kappa, slope, rtol=1e-7)


def test_single_precision():
    x = np.array([0.3, 0.5, 0.9], np.float32)
    found = sg.grad(single, memory=2000)(x, 50)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, sg.grad(single)(x, 50), rtol=1e-6)


def single(x, n):
    for _ in range(n):
        x = x - np.float32(0.1) * np.sin(x)
    return np.sum(x)


def test_weights_and_aux(loops):
    x, weights = np.linspace(0.1, 0.9, 5), np.arange(5.0)
    assert_equal(sg.grad(states, memory=3000)(x, 50, grad_outputs=weights), sg.grad(states)(x, 50, grad_outputs=weights))
    assert_equal(sg.grad(with_aux, memory=3000, has_aux=True)(x, 50)[0], sg.grad(with_aux, has_aux=True)(x, 50)[0])
    assert sg.value_and_grad(with_aux, memory=3000, has_aux=True)(x, 50)[0][1] == "done"
    assert all(loop.parts > 1 for loop in loops)


def states(x, n):
    for _ in range(n):
        x = np.sin(x)
    return x


def with_aux(x, n):
    for _ in range(n):
        x = np.sin(x)
    return np.sum(x), "done"


def test_several_outputs():
    x, y = np.linspace(0.1, 0.9, 5), np.linspace(0.2, 0.3, 5)
    weights = (np.arange(5.0), 2.0)
    plain, less = sg.grad(two_results, ("x", "y")), sg.grad(two_results, ("x", "y"), memory=4000)
    assert_equal(less(x, y, 50, grad_outputs=weights), plain(x, y, 50, grad_outputs=weights))


def two_results(x, y, n):
    total = 0.0
    for _ in range(n):
        x, y = np.sin(x + y), 0.9 * y
        total += np.sum(x * y)
    return x, total


def test_the_same_array_twice():
    x = np.linspace(0.1, 0.9, 5)
    assert_equal(sg.grad(mixed, ("x", "y"), memory=4000)(x, x, 50), sg.grad(mixed, ("x", "y"))(x, x, 50))


def mixed(x, y, n):
    for _ in range(n):
        x, y = y, 0.9 * x + np.sin(y)
    return np.sum(x * y)


def test_arguments_stay_as_they_are():
    u = np.linspace(0.1, 0.9, 9)
    before = u.copy()
    first = sg.grad(changes_its_argument, memory=3000)(u, 40)
    assert_equal(u, before)
    assert_equal(sg.grad(changes_its_argument)(u, 40), first)


def changes_its_argument(u, n):
    for _ in range(n):
        u[1:] += 0.1 * np.sin(u[:-1])
    return np.sum(u)


# --- what stays on the tape, and what is refused

def draws(x, n):
    for _ in range(n):
        x = np.sin(x) + np.random.normal()
    return x


def draws_from(x, n, rng):
    for _ in range(n):
        x = np.sin(x) + rng.normal()
    return x


def draws_from_a_pair(x, n, rng):
    pair = (1.0, rng)
    for _ in range(n):
        x = np.sin(x) + pair[1].normal()
    return x


def drawn(x, rng):
    return x + rng.normal()


def draws_in_a_callee(x, n, rng):
    for _ in range(n):
        x = np.sin(drawn(x, rng))
    return x


class Noisy:
    def __init__(self, rng):
        self.rng = rng

    def next(self, x):
        return np.sin(x) + self.rng.normal()


def draws_from_an_object(x, n, rng):
    noisy = Noisy(rng)
    for _ in range(n):
        x = noisy.next(x)
    return x


def draws_in_python(x, n):
    for _ in range(n):
        x = np.sin(x) * random.random()
    return x


def prints(x, n):
    for i in range(n):
        x = np.sin(x)
        print(i)
    return x


@sg.custom_vjp
def told(x):
    return x * x


def told_forward(x):
    print("told")
    return x * x, x


told.defvjp(told_forward, lambda x, ct: (2.0 * x * ct,))


def tells(x, n):
    for _ in range(n):
        x = 0.5 * told(x)
    return x


def takes_from_a_list(x, n):
    todo = [x] * n
    total = 0.0
    while todo:
        total = np.sin(total + todo.pop())
    return total


def no_value_before(x, n):
    i = 0
    while i < n:
        y = np.sin(x * np.ones(3))
        x = x + 0.1 * np.sum(y)
        i += 1
    return np.sum(y)


class Particle:
    def __init__(self, x):
        self.x, self.v = x, 0.0

    def move(self):
        self.v = self.v - 0.1 * np.sin(self.x)
        self.x = self.x + 0.1 * self.v


def moves(x, n):
    particle = Particle(x)
    both = [particle, particle]
    for i in range(n):
        both[i % 2].move()
    return particle.x


def no_loop(x, n):
    return x * n


def saves_nothing(x, n):
    total = 0.0
    for i in range(n):
        total += x * i
    return total


RNG = np.random.default_rng(1)


@pytest.mark.parametrize("function, args, words", [
    (draws, (0.5, 9), "normal() in it may do more than compute"), (draws_from, (0.5, 9, RNG), "normal() in it"),
    (draws_from_a_pair, (0.5, 9, RNG), "'pair' is a random generator"), (draws_in_a_callee, (0.5, 9, RNG), "in it"),
    (draws_from_an_object, (0.5, 9, RNG), "normal() in it"), (draws_in_python, (0.5, 9), "random() in it"),
    (prints, (0.5, 9), "print() in it"), (tells, (0.5, 9), "told() in it"),
    (takes_from_a_list, (0.5, 9), "the list 'todo' changes"),
    (no_value_before, (0.5, 9), "'y' may have no value before it"), (moves, (0.5, 9), "no number, array or tuple"),
    (no_loop, (0.5, 9), "there is no loop"), (saves_nothing, (0.5, 9), "its loops save nothing"),
], ids=lambda value: getattr(value, "__name__", None))
def test_refused(function, args, words):
    with pytest.raises(sg.UnsupportedError) as found:
        sg.grad(function, memory=1000)(*args)
    assert words in str(found.value) and f"{os.path.basename(__file__)}:" in str(found.value)
    sg.grad(function)(*args)                                 # (on the tape)


def noisy_start(x, n):
    for _ in range(2):
        x = x + np.random.normal()
        x = x * x
    for _ in range(n):
        x = np.sin(x)
    return x


def test_a_loop_that_draws_stays_on_the_tape_beside_others(loops):
    np.random.seed(3)
    found = sg.grad(noisy_start, memory=1500)(0.5, 50)
    np.random.seed(3)
    assert_equal(found, sg.grad(noisy_start)(0.5, 50))
    assert loops and all(loop.parts > 1 for loop in loops)


def test_gradients_of_gradients():
    inner = sg.grad(single, memory=2000)
    for make in (lambda: sg.grad(inner), lambda: sg.grad(sg.grad(single), memory=2000), lambda: sg.grad(uses_memory)(0.5)):
        with pytest.raises(sg.UnsupportedError, match="memory="):
            make()(0.5, 3)
    with pytest.raises(sg.UnsupportedError, match="memory= of what is differentiated again"):
        sg.grad(LESS.compiled(1.5, 0.7, 5))(1.5, 0.7, 5)
    with pytest.raises(sg.SourcegradError, match="memory="):
        sg.jvp(inner, (np.ones(3), 4), (np.ones(3), None))


LESS = sg.grad(programs.decay, memory=2000)


def uses_memory(x):
    return LESS(x, 0.7, 5) * x


def test_options():
    for memory, spill, words in (("many", None, "no number of bytes"), (-1, None, "no room"), (True, None, "no number of bytes"),
                                 ("1 XB", None, "no number of bytes"), (None, "/tmp", "spill= without memory="),
                                 ("1 MB", "/no/such/folder", "is no folder")):
        with pytest.raises(sg.InputError, match=words):
            sg.grad(single, memory=memory, spill=spill)
    assert "memory=2000000" in repr(sg.grad(single, memory="2 MB"))
    assert_equal(pickle.loads(pickle.dumps(LESS))(1.5, 0.7, 50), LESS(1.5, 0.7, 50))


def test_too_little():
    with pytest.raises(sg.InputError, match="needs .* for one checkpoint and the tape of one turn"):
        sg.grad(programs.decay_of_array, memory=300)(np.ones(100), 0.7, 50)
    with pytest.raises(sg.InputError, match="needs .* for one checkpoint"):
        sg.grad(programs.relaxation, memory=300)(np.ones(100), np.zeros(100), 0.1)


# --- schedules

def optimum(most_parts, most_snapshots):
    """By dynamic programming: parts that are computed without a tape."""
    table = {}
    for parts in range(1, most_parts + 1):
        for snapshots in range(1, most_snapshots + 1):
            table[parts, snapshots] = 0 if parts == 1 else parts * (parts - 1) // 2 if snapshots == 1 else min(
                first + table[parts - first, snapshots - 1] + table[first, snapshots] for first in range(1, parts))
    return table


class Turns:
    """A loop that counts what is computed, and how often."""

    def __init__(self, turns):
        self.turns, self.plain, self.taped, self.reversed, self.most = turns, 0, 0, [], [0] * (turns + 1)

    def run(self, start, stop, x):
        assert x == start
        self.plain += stop - start
        for i in range(start, stop):
            self.most[i] += 1
        return stop

    def record(self, start, stop, x):
        assert x == start
        self.taped += stop - start
        return stop, (start, stop)

    def until(self, count, x):
        stop = min(x + count, self.turns)
        return stop < x + count, self.run(x, stop, x)

    def record_until(self, count, x):
        stop = min(x + count, self.turns)
        return (stop < x + count, stop), (x, stop)

    def reverse(self, tape, bar):
        self.reversed.append(tape)
        return bar[1] if isinstance(bar, tuple) else bar


def test_binomial_schedule_is_optimal():
    table = optimum(70, 9)
    for (parts, snapshots), fewest in table.items():
        assert checkpoints.advances(parts, snapshots) == fewest
        turns = Turns(parts)
        loop = checkpoints.Checkpoints(turns.run, turns.record, parts, (0,), (), False, None, 0)
        loop.parts, loop.snapshots = parts, snapshots
        value, loop.last = loop.tape(parts - 1)
        held = len(loop.held)
        assert value == parts and held <= snapshots
        assert checkpoints.rewind(loop, turns.reverse, 2.0, (0,), False) == 2.0
        assert (turns.plain, turns.taped, loop.again) == (fewest, parts, fewest)
        assert turns.reversed == [(i, i + 1) for i in reversed(range(parts))] and not loop.held


def test_known_numbers():
    assert [checkpoints.advances(n, s) for n, s in ((1, 1), (10, 3), (100, 5), (57, 4), (30, 30))] == [0, 15, 316, 172, 29]
    assert checkpoints.repetitions(10_000, 100) == 3 and checkpoints.repetitions(5151, 100) == 2


def test_against_checkpoint_schedules():
    schedules = pytest.importorskip("checkpoint_schedules")
    for parts, snapshots in ((10, 3), (100, 5), (57, 4), (30, 29), (200, 7)):
        schedule, steps = schedules.Revolve(parts, snapshots), 0
        for action in schedule:
            steps += min(action.n1, parts) - action.n0 if isinstance(action, schedules.Forward) else 0
            if isinstance(action, schedules.EndReverse):
                break
        assert steps == parts + checkpoints.advances(parts, snapshots)


@pytest.mark.parametrize("turns,snapshots", [
    (turns, snapshots) for turns in (1, 2, 10, 57, 300, 1000) for snapshots in (1, 2, 3, 5, 10)
    if snapshots > 1 or turns <= 300])                      # (with one snapshot the turns are squared)
def test_online_schedule(turns, snapshots):
    counted = Turns(turns)
    loop = checkpoints.Checkpoints(counted.until, counted.record_until, None, (0,), (), True, None, 0)
    loop.length, loop.snapshots = 1, snapshots
    assert loop.until_over() == (turns,) and loop.parts == turns + 1 and len(loop.held) <= snapshots
    assert checkpoints.rewind(loop, counted.reverse, 2.0, (0,), False) == 2.0
    assert counted.reversed == [(i, min(i + 1, turns)) for i in reversed(range(turns + 1))]
    fewest = checkpoints.advances(turns + 1, snapshots)
    assert counted.plain <= 1.25 * fewest + 2
    assert max(counted.most) <= checkpoints.repetitions(turns + 1, snapshots) + 1


def test_parts_share_the_bytes():
    parts, snapshots = checkpoints.chosen(10_000, 100.0, 100.0, 10_000.0, False)
    assert parts / 10_000 < 0.1 and 100 * -(-10_000 // parts) + 100 * snapshots <= 10_000
    assert checkpoints.advances(parts, snapshots) / parts < checkpoints.advances(10_000, 99) / 10_000
    assert checkpoints.chosen(50, 100.0, 100.0, 5000.0, False) == (1, 1)


# --- bytes

def peak(function, *args):
    function(*args)
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("function, inputs, args", [
    (programs.heat, ("u0", "kappa"), (np.linspace(0.0, 1.0, 400), 0.3, 1000, 0.1)),
    (programs.decay_of_array, ("x", "rate"), (np.linspace(0.0, 1.0, 400), 0.3, 1000)),
    (programs.relaxation, ("x", "target"), (np.linspace(0.0, 1.0, 400), np.linspace(0.5, 2.0, 400), 0.03)),
    (programs.in_callee, ("u", "kappa"), (np.linspace(0.0, 1.0, 400), 0.01, 1000)),
], ids=lambda value: getattr(value, "__name__", None))
def test_peak(function, inputs, args):
    whole = peak(sg.grad(function, inputs), *args)
    for part in (10, 25):
        assert peak(sg.grad(function, inputs, memory=whole // part), *args) < 1.25 * whole / part + 40_000


def test_two_loops_share():
    x = np.linspace(0.1, 0.9, 400)
    whole = peak(sg.grad(programs.two_loops), x, 600)
    assert peak(sg.grad(programs.two_loops, memory=whole // 10), x, 600) < 1.25 * whole / 10 + 40_000
    text = sg.grad(programs.two_loops, memory=80_000)
    text(x, 5)
    assert text.source.count("memory=40000") == 2


def test_a_callee_that_is_called_twice_counts_twice():
    gradient = sg.grad(programs.twice_in_callee, ("u", "kappa"), memory=80_000)
    gradient(np.ones(4), 0.1, 5)
    assert gradient.source.count("memory=40000") == gradient.source.count("checkpointed(") == 1


@pytest.mark.parametrize("function, inputs, args", [
    (programs.heat, ("u0", "kappa"), (np.linspace(0.0, 1.0, 40), 0.3, 300, 0.1)),
    (programs.relaxation, ("x", "target"), (np.linspace(0.0, 1.0, 40), np.linspace(0.5, 2.0, 40), 0.03)),
], ids=lambda value: getattr(value, "__name__", None))
def test_spill(function, inputs, args, tmp_path, loops, monkeypatch):
    written = []
    dump = pickle.dump
    monkeypatch.setattr(checkpoints.pickle, "dump", lambda *given: (written.append(1), dump(*given))[1])
    found = sg.grad(function, inputs, memory=8000, spill=tmp_path)(*args)
    assert_equal(found, sg.grad(function, inputs)(*args))
    assert len(written) > 10 and loops[-1].again <= loops[-1].parts                # each once
    del loops[:]
    assert not os.listdir(tmp_path)


# --- text

def test_export(tmp_path):
    gradient = sg.grad(programs.relaxation, ("x", "target"), memory=8000)
    args = np.linspace(0.0, 1.0, 40), np.linspace(0.5, 2.0, 40), 0.03
    wanted = gradient(*args)
    gradient.export(tmp_path / "less.py")
    text = (tmp_path / "less.py").read_text()
    assert "--memory 8000" in text and "import sourcegrad" not in text
    space = {}
    exec(compile(text, "less.py", "exec"), space)
    assert_equal(space["relaxation_grad"](*args), wanted)
    with pytest.raises(sg.InputError, match="numba=True with memory="):
        gradient.export(tmp_path / "numba.py", numba=True)


def command(*words):
    done = subprocess.run([sys.executable, "-m", "sourcegrad", *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


FUNCTION = f"{programs.__file__}:heat"
AT = ["--inputs", "u0,kappa", "--at", "u0=np.ones(50)", "--at", "kappa=0.1", "--at", "n=200", "--at", "dt=0.1"]


def test_command_line(tmp_path):
    code, text, _ = command("show", FUNCTION, *AT, "--memory", "20 kB")
    assert code == 0 and "memory=20000" in text
    code, text, _ = command("show", FUNCTION, *AT, "--memory", "20 kB", "--cost")
    assert code == 0 and "200 turns in" in text and "are computed again for each" in text
    code, _, said = command("show", FUNCTION, *AT, "--memory", "20 kB", "--forward")
    assert code == 2 and "--memory is of gradients" in said
    code, _, said = command("show", FUNCTION, *AT, "--memory", "much")
    assert code == 2 and "no number of bytes" in said
    file = tmp_path / "heat_grad.py"
    assert command("export", FUNCTION, *AT, "--memory", "20 kB", "-o", str(file))[0] == 0
    assert command("check", "--drift", str(file))[0] == 0


def test_what_cost_says():
    from sourcegrad.api import cost
    from sourcegrad.ir import source
    gradient = sg.grad(noisy_start, memory=1500)
    gradient(0.5, 50)
    program = cost.Program(gradient._with_trees(gradient._last[0]), noisy_start)
    bound = source.signature(noisy_start).bind(0.5, 50)
    lines = cost.table(cost.measured(program, bound)).splitlines()
    assert any("50 turns in" in line and "computed again" in line for line in lines[:4])
    assert any("on the tape, as normal() in it may do more than compute" in line for line in lines[:4])


def test_what_is_restored_is_copied_once_for_each_part():
    gradient = sg.grad(programs.restored, ("u", "kappa"), memory=6000)
    gradient(np.linspace(0.1, 0.9, 9), 0.3, 60)
    back = gradient.source.partition("def restored_turns_reverse")[2].partition("\ndef ")[0]
    assert "index_set" not in gradient.source and "    u = np.copy(u)\n" in back and "        u[1:-1] = " in back


def mean_energy(x, y, n):
    total, state = 0.0, x
    for _ in range(n):
        state = state - 0.1 * np.sin(state) * y
        total = total + np.sum(state ** 2)
    return -(total / n) * 3.0


def two_sums(x, y, n):
    total = 0.0
    for _ in range(n):
        x = x - 0.1 * np.sin(x)
        total += np.sum(x)
    for _ in range(n):
        y = y - 0.1 * np.sin(y * x)
        if np.sum(y) > 0.0:
            total -= np.sum(y ** 2)
    return total


def sum_until(x, y, n):
    total = 0.0
    for _ in range(n):
        x = x - 0.1 * np.sin(x) * y
        total += np.sum(x ** 2)
        if np.max(np.abs(x)) < 0.05:
            break
    return total


def times_an_input(x, y, n):
    total = 0.0
    for _ in range(n):
        x = x - 0.1 * np.sin(x)
        total += np.sum(x)
    return total * y


def discounted(x, y, n):
    total = 0.0
    for _ in range(n):
        x = x - 0.1 * np.sin(x)
        total = total * y + np.sum(x)
    return total


def compared(x, y, n):
    total = 0.0
    for _ in range(n):
        x = x - 0.1 * np.sin(x) * y
        if total < 1.0:
            total += np.sum(x ** 2)
    return total


def fed_back(x, y, n):
    total = 0.0
    for _ in range(n):
        x = x - 0.1 * np.sin(x) * y
        total += np.sum(x) * 0.01
        x = x + total
    return total


def squared(x, y, n):
    total = 0.0
    for _ in range(n):
        x = x - 0.1 * np.sin(x) * y
        total += np.sum(x)
    return total ** 2


SUMS = {mean_energy: False, two_sums: False, sum_until: False, times_an_input: False, discounted: False, compared: True,
        fed_back: True, squared: True}


@pytest.mark.parametrize("function", SUMS, ids=lambda f: f.__name__)
def test_what_is_only_summed_up_is_computed_where_it_is_read(function, loops):
    """A gradient without the value needs no sum that goes into the value alone; every other sum is there."""
    x, memory = RNG.normal(size=4), 4000 if function is two_sums else 1500
    by_all = ("x",) if function is times_an_input else ("x", "y", ("x", "y"))      # (by y alone, no loop saves anything)
    for y in (0.7, np.full(4, 0.3)) if function not in (times_an_input, discounted) else (0.7,):
        for inputs in by_all:
            gradient, plain = sg.grad(function, inputs, memory=memory), sg.value_and_grad(function, inputs)
            for n in (60, 1, 200):
                value, expected = plain(x.copy(), y, n)
                assert_equal(gradient(x.copy(), y, n), expected)
                assert value == function(x, y, n)
            again = sg.value_and_grad(function, inputs, memory=memory)
            assert_equal(again(x.copy(), y, 60), plain(x.copy(), y, 60))
            weighted = sg.grad(function, inputs, memory=memory)(x.copy(), y, 60, grad_outputs=2.0)
            assert_equal(weighted, sg.grad(function, inputs, grad_outputs=2.0)(x.copy(), y, 60))
    gradient = sg.grad(function, memory=memory)
    gradient(x, 0.7, 200)
    assert any(loop.parts > 1 for loop in loops)
    turns = gradient.source[:gradient.source.index("_loop_reverse")]
    assert any(sign in turns for sign in ("total +", "total -", "total *")) == SUMS[function]


def along_heat(u, v, kappa, n):
    return sg.jvp(programs.heat_2d, (u, kappa, n), (v, None, None))[1]


def along_decay(x, v, rate, n):
    return sg.jvp(programs.decay_of_array, (x, rate, n), (v, None, None))[1]


@pytest.mark.parametrize("function, along, args, shape", [
    (programs.heat_2d, along_heat, (np.full((7, 8), 0.1), 300), (7, 8)), (programs.decay_of_array, along_decay, (0.7, 300), (40,))])
def test_products_with_hessians_go_forward_first(function, along, args, shape, loops):
    """The gradient of a directional derivative, which is a loop as any other."""
    x, v = RNG.random(size=shape), RNG.normal(size=shape)
    product = sg.grad(along, memory=30_000)
    np.testing.assert_allclose(product(x, v, *args), sg.hvp(function)(x, v, *args), rtol=1e-9, atol=1e-11)
    assert loops and all(loop.parts > 1 for loop in loops)
    assert peak(product, x, v, *args) < 0.5 * peak(sg.hvp(function), x, v, *args)
