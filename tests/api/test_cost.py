"""Cost by line: which variables are saved, how many bytes they keep, and to which of the user's lines time goes."""
from __future__ import annotations

import ast
import types

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api import cost
from sourcegrad.cli import main
from sourcegrad.errors import Origin
from sourcegrad.ir import source
from tests.errors.modules import load

LOSS = '''\
import numpy as np
def layer(x, w):
    return np.tanh(x @ w)

def loss(w, x, n=3):
    s = 0.0
    h = x
    for i in range(n):
        h = layer(h, w)
        if h[0, 0] > 0:
            s = s + np.sum(h * h)
        else:
            s = s + np.sum(h)
    return s
'''
CALLS = '''\
import numpy as np
def step(state, k, n):
    if n == 0:
        return state
    if np.sum(state) > 3:
        state = state * k
    return step(state + np.sin(state), k, n - 1)

def relax(y, k):
    out = y
    while np.sum(out * out) > 1.0:
        out = out * 0.5
        if out[0] > 3:
            out = out - k
    return out

def loss(k, x, n=3):
    a = relax(x, k)
    b = relax(a + 2.0, k * 2)
    try:
        c = step(b, k, n)
    except ValueError:
        c = b
    return np.sum(c * a)
'''
SCALARS = '''\
def loss(x, n=5):
    y = x
    for i in range(n):
        if y > 10.0:
            break
        y = y * y * 0.9 + x
    return y
'''
ARRAYS = np.full((3, 3), 0.1), np.ones((4, 3))


def made(folder, text, args, order=1):
    """The module, the gradient, and the program with the arguments of a call."""
    module = load(folder, text)
    gradient = module.loss
    for _ in range(order):
        gradient = sg.grad(gradient)
    watched, bound, _, _ = gradient._prepared(*gradient._whole(args, {}))
    bound.apply_defaults()
    return module, gradient, cost.Program(watched.derived, gradient._user), bound


PROGRAMS = [(LOSS, ARRAYS, 1), (CALLS, (1.5, np.full(4, 2.0)), 1), (SCALARS, (1.3,), 1), (SCALARS, (1.3,), 2)]


@pytest.mark.quick
@pytest.mark.parametrize("text, args, order", PROGRAMS)
def test_metered_code_computes_the_same_and_leaves_the_arguments_alone(tmp_path, text, args, order):
    _, gradient, program, bound = made(tmp_path, text, args, order)
    before = [np.array(x) for x in args]
    meter = cost.Meter(program, set())
    meter.memory = True
    found = cost.instrumented(program, meter)(*bound.args, **bound.kwargs)
    np.testing.assert_array_equal(found, gradient(*args))
    assert not meter.frames
    for x, old in zip(args, before):
        np.testing.assert_array_equal(x, old)


@pytest.mark.quick
def test_saved_variables_and_their_bytes(tmp_path):
    module, _, program, bound = made(tmp_path, LOSS, ARRAYS)
    found = cost.measured(program, bound)
    by_name = {name: n for (_, name), n in found.bytes.items()}
    array = 4 * 3 * 8
    assert program.root.saved == ["h", "h_tape", "cond_tape"]
    assert by_name == {"h": array, "h_tape": 3 * 8 + 2 * array, "cond_tape": 3 * 8}      # the first h is the argument x
    assert found.saved == sum(by_name.values())
    assert found.line((module.__file__, 9), True)[2] == by_name["h"] + by_name["h_tape"]
    assert found.line((module.__file__, 10), True)[2] == by_name["cond_tape"]
    assert found.line((module.__file__, 3), False)[2] == by_name["h"] + by_name["h_tape"]        # written out: by its own line too


def test_bytes_grow_with_the_arguments(tmp_path):
    _, _, program, bound = made(tmp_path, LOSS, (ARRAYS[0], np.ones((400, 3))))
    found = {name: n for (_, name), n in cost.measured(program, bound).bytes.items()}
    assert found["h"] == 400 * 3 * 8 and found["h_tape"] == 3 * 8 + 2 * 400 * 3 * 8


def test_what_callees_save_is_told_at_the_call_and_by_itself(tmp_path):
    module, _, program, bound = made(tmp_path, CALLS, (1.5, np.full(4, 2.0)))
    found = cost.measured(program, bound)
    own = {part.half.__name__: part for part in program.parts}
    numbers = {s.number for s in own["step_forward"].statements}
    step = sum(n for (number, _), n in found.bytes.items() if number in numbers)
    call = found.line((module.__file__, 21), True)[2]
    assert step and call > step - 1 and found.saved >= call
    assert found.line((module.__file__, 2), False)[2] == 3 * 4 * 8      # state, in three calls that go on


@pytest.mark.parametrize("make, wanted", [
    (lambda a: a, 80), (lambda a: a[:2], 80), (lambda a: (a, a), 16 + 80), (lambda a: [a[1:], a[:1]], 16 + 80),
    (lambda a: (True, None, 3, "text"), 32), (lambda a: {"k": a}, 16 + 80), (lambda a: types.SimpleNamespace(w=a), 80)])
def test_size(make, wanted):
    assert cost.size(make(np.zeros(10)), set()) == wanted


def test_size_of_what_the_caller_holds_is_nothing():
    a = np.zeros(10)
    assert cost.size(a[2:], {id(a)}) == 0


@pytest.mark.parametrize("text, wanted", [
    ("a = b", {"b"}), ("a = 1\nc = a", set()), ("for i in x:\n    a = t.pop()\n    y += a", {"x", "t", "y"}),
    ("if p:\n    a = 1\nelse:\n    q = 2\nc = a", {"p", "a"}), ("while w:\n    w = v\n    u = s\n    s = u", {"w", "v", "s"}),
    ("try:\n    a = b\nexcept ValueError:\n    a = c\nd = a", {"b", "c", "a"})])
def test_names_read_before_they_are_written(text, wanted):
    assert cost.exposed(ast.parse(text).body, set()) == wanted


class Clock:
    """A clock that goes on by one microsecond whenever somebody looks."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        self.now += 1e-6
        return self.now


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(cost, "time", Clock())
    monkeypatch.setattr(cost, "SECONDS", 0.0)
    monkeypatch.setattr(cost.Meter, "calibrate", lambda meter: (meter.own.clear(), meter.whole.clear()))


def test_time_goes_to_the_line_whose_code_runs(tmp_path, clock):
    module, _, program, bound = made(tmp_path, LOSS, ARRAYS)
    found = cost.measured(program, bound)
    ticks = {number: found.line((module.__file__, number), True)[:2] for number in range(5, 15)}
    unit = ticks[7][0]                                              # `h = x`: one statement, once
    counts = {number: tuple(round(t / unit) for t in times) for number, times in ticks.items()}
    # line 8: tapes and loop forward (2 + 3 turns + 1), two zeros and the loop back; line 9: three statements in three turns;
    # line 10: `if`; line 11: one of both branches
    assert counts == {5: (0, 0), 6: (0, 0), 7: (1, 0), 8: (5, 6), 9: (9, 12), 10: (3, 3), 11: (0, 3), 12: (0, 0), 13: (0, 0),
                      14: (0, 1)}
    assert sum(found.seconds[s.number] for s in program.root.statements if s.number in found.seconds) == pytest.approx(found.total)


def test_time_of_callees_belongs_to_the_call(tmp_path, clock):
    module, _, program, bound = made(tmp_path, CALLS, (1.5, np.full(4, 2.0)))
    found = cost.measured(program, bound)
    whole = sum(sum(found.line((module.__file__, number), True)[:2]) for number in range(17, 25))
    assert whole == pytest.approx(found.total)
    call = sum(found.line((module.__file__, 21), True)[:2])
    callee = sum(sum(found.line((module.__file__, number), False)[:2]) for number in range(2, 8))
    assert 0 < callee < call


def test_the_table(tmp_path, clock):
    module, _, program, bound = made(tmp_path, LOSS, ARRAYS)
    lines = cost.table(cost.measured(program, bound)).replace(module.__file__, "FILE").splitlines()
    assert lines[0].startswith("loss_grad: 1.00 µs, 1.0 times loss (1.00 µs); 336 B saved")
    assert lines[2:4] == ["FILE:5 (with all that it calls)", "  line   forward   reverse  share     saved  code"]
    code = LOSS.splitlines()
    assert [line[45:] for line in lines[4:14]] == code[4:14]
    assert lines[8][:43] == "     9   0.21 µs   0.28 µs   49 %     312 B"
    assert lines[15].startswith("FILE:2 (called: its own time")
    assert [line[45:] for line in lines[17:]] == code[1:3]


@pytest.mark.parametrize("seconds, text", [(2e-8, "0.02 µs"), (9.994e-6, "9.99 µs"), (9.996e-6, "10.0 µs"), (1.234e-4, "123 µs"),
                                           (9.996e-4, "1.00 ms"), (0.05, "50.0 ms"), (2.5, "2.50 s"), (1234.0, "1234 s")])
def test_seconds(seconds, text):
    assert cost.seconds_text(seconds) == text


@pytest.mark.parametrize("count, text", [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_951, "1.0 MB"),
                                         (3_000_000_000, "3.0 GB")])
def test_bytes(count, text):
    assert cost.bytes_text(count) == text


# --- the user's text

def test_excerpts_are_functions_with_the_line_of_each_statement(tmp_path):
    module = load(tmp_path, "import numpy as np\n\ndef f(x):\n    y = (x\n         + 1)\n    if (y >\n        2):\n        y = y\n"
                            "    else:\n        y = 2 * y\n    return y\n")
    found = source.excerpt(Origin(module.__file__, 5, 1, ""))
    assert (found.first, found.start, len(found.lines)) == (3, 3, 9)
    assert found.statements == {3: 3, 4: 4, 5: 4, 6: 6, 7: 6, 8: 8, 9: 0, 10: 10, 11: 11}


def test_excerpt_of_a_file_that_is_gone():
    found = source.excerpt(Origin("nowhere.py", 7, 1, "    y = x"))
    assert (found.first, found.lines, found.start) == (7, ["    y = x"], 7)


# --- the command line

@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "costly.py").write_text(LOSS + "\ndef noisy(x):\n    print('hello')\n    return x * x\n"
                                               "\ndef failing(x):\n    return x * [1.0][int(x)]\n")
    return "costly.py"


AT = ["--at", "w=np.full((3, 3), 0.1)", "--at", "x=np.ones((4, 3))"]


def test_show_cost(model, capsys):
    assert main(["show", f"{model}:loss", *AT, "--cost"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and "336 B saved for the reverse sweep" in out
    assert [line[45:] for line in out.splitlines()[4:14]] == LOSS.splitlines()[4:14]


def test_show_cost_into_a_file_keeps_what_the_function_prints_out_of_it(model, capsys, tmp_path):
    assert main(["show", f"{model}:noisy", "--at", "x=2.0", "--cost", "-o", "cost.txt"]) == 0
    out, _ = capsys.readouterr()
    assert out == "" and "noisy_grad: " in (tmp_path / "cost.txt").read_text(encoding="utf-8")


def test_show_cost_needs_all_arguments(model, capsys):
    assert main(["show", f"{model}:loss", "--at", "x=np.ones((4, 3))", "--cost"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and 'Write --at "w=..." too.' in err


def test_show_cost_of_a_function_that_fails(model, capsys):
    assert main(["show", f"{model}:failing", "--at", "x=3.0", "--cost"]) == 2
    assert "IndexError" in capsys.readouterr().err
