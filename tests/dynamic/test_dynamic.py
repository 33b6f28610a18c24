"""The run-time entry: what it refuses, staleness, threads, the emitted code."""
import functools
import math
import threading

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError, MissingRuleError, SourcegradError, UnsupportedError

V = np.array([0.3, -0.7, 1.2])


def refused(function, *args, error=UnsupportedError, match=".", **options):
    with pytest.raises(error, match=match) as caught:
        sg.grad(function, **options)(*args)
    assert caught.value.origin.file.endswith("test_dynamic.py"), caught.value
    return caught.value


def change_first(v):
    v[0] += 1.0
    return v


CHANGING = [change_first, np.sin]


def test_a_callee_that_changes_its_argument_is_refused():
    def f(x, n):
        y = 2.0 * x
        for i in range(n):
            y = CHANGING[i](y)
        return np.sum(y * y)

    assert "CHANGING[i](y)" in refused(f, V, 2, match="changes its argument in place").origin.text


def doubled(v):
    return np.sum(2.0 * v)


def squared(v):
    return np.sum(v * v)


def scaled_in_place(v):
    v *= 2.0
    return np.sum(v)


STEPS = [doubled, squared, doubled]
MIXED = [scaled_in_place, squared]


def test_another_function_in_another_turn():
    """What a list holds under a counter is asked in each turn: the first one says nothing of the others."""
    def f(x, n):
        total = 0.0
        for i in range(n):
            total = total + STEPS[i](x * (i + 1.0))
        return total

    assert np.allclose(sg.grad(f)(V, 3), 2.0 + 8.0 * V + 6.0) and np.allclose(sg.grad(f)(V, 1), 2.0)


def test_another_function_that_changes_its_argument():
    def f(x, n):
        total = 0.0
        for i in range(n):
            y = x * 1.0
            total = total + MIXED[i](y)
        return total

    assert "MIXED[i](y)" in refused(f, V, 2, match="changes its argument in place").origin.text


def set_first(b):
    b[0] = 1.0


def test_also_where_no_derivative_flows_through_the_call():
    setters = [set_first, set_first, len]

    def f(x, n):
        b = np.zeros(3)
        for i in range(n):
            setters[i](b)
        return np.sum(b * x)

    refused(f, V, 2, match="changes its argument in place")

    def harmless(x, n):
        b = np.ones(3)
        s = 1.0
        for i in range(n):
            s = s * setters[i + 2](b)
        return np.sum(b * x) * s

    assert np.array_equal(sg.grad(harmless)(V, 1), np.full(3, 3.0))


def test_a_captured_list_that_changes_is_refused():
    def f(x, n):
        seen = []
        fs = [lambda v: seen.append(v), lambda v: seen.append(2.0 * v)]
        for i in range(n):
            fs[i](x * x)
        return sum(seen)

    refused(f, 0.3, 2, match="changes its argument in place")


NO_RULE = [np.sin, math.remainder, np.interp, np.unwrap]


def test_a_callee_with_neither_rule_nor_source():
    table = [np.sin, str.upper]

    def f(x, n):
        return table[n](x)

    error = refused(f, 0.3, 1, error=SourcegradError)
    assert "upper" in str(error)
    try:
        import scipy.special
    except ImportError:
        return
    functions = [np.sin, scipy.special.pbdv]

    def g(x, n):
        return functions[n](x)

    error = refused(g, 0.3, 1, error=MissingRuleError)
    assert "@sg.rule(scipy.special.pbdv)" in str(error)


class Model:
    def __init__(self, w):
        self.w = w
        self.activation = self.linear

    def linear(self, x):
        return self.w * x

    def odd(self, x):
        return np.sin(self.w * x)

    def run(self, x):
        return np.sum(self.activation(x))

    def later(self, x):
        self.w = self.w * 2.0
        f = self.activation
        return np.sum(f(x) * self.activation(x))

    def listed(self, x):
        for i in range(2):
            x = self.functions[i](x)
        return np.sum(x)


def test_an_own_bound_method_kept_as_an_attribute():
    model = Model(2.0 * V)
    assert np.allclose(sg.grad(model.run, "self.w")(V), V)
    assert np.allclose(sg.grad(model.later, "self.w")(V), 8.0 * model.w * V ** 2)


def test_a_list_of_own_bound_methods_is_refused_where_the_object_is_an_input():
    model = Model(2.0)
    model.functions = [model.linear, model.odd]
    refused(model.listed, V, error=InputError, match="bound to a part of it", inputs="self.w")
    assert np.allclose(sg.grad(model.listed)(V), np.cos(4.0 * V) * 4.0)
    model.functions = [functools.partial(Model.linear, model), np.sin]
    refused(model.listed, V, error=InputError, match="bound to a part of it", inputs="self.w")


def test_what_is_bound_to_something_else_is_constant():
    model, other = Model(2.0), Model(3.0)
    model.functions = [other.linear, np.sin]
    assert sg.grad(model.listed, "self.w")(V) == 0.0


STALE = {"f": lambda t: t * t}


def helper(t):
    return t * t


def through_helper(t):
    return helper(t)


def test_a_new_function_under_the_same_key_is_noticed():
    def f(x, key):
        return STALE[key](x)

    gradient = sg.grad(lambda x: f(x, "f") + sum(STALE[k](x) for k in STALE))
    assert gradient(3.0) == 12.0
    STALE["f"] = lambda t: t * t * t
    assert gradient(2.0) == 24.0
    STALE["f"] = lambda t: t * t


def test_a_function_called_by_the_callee_is_watched(monkeypatch):
    table = [through_helper, np.sin]

    def f(x, n):
        s = 0.0
        for i in range(n):
            s = s + table[i](x)
        return s

    gradient = sg.grad(f)
    assert gradient(3.0, 1) == 6.0
    monkeypatch.setitem(globals(), "helper", lambda t: 5.0 * t)
    assert gradient(3.0, 1) == 5.0


def test_a_rule_that_is_registered_later_is_used():
    def opaque(t):
        return np.sin(t)

    table = [opaque, np.cos]

    def f(x, n):
        return table[n](x)

    gradient = sg.grad(f)
    assert np.isclose(gradient(0.3, 0), np.cos(0.3))

    @sg.rule(opaque, elementwise=True)
    def rule(ct, out, x):
        return 7.0 * ct

    assert gradient(0.3, 0) == 7.0


def test_bound_methods_are_generated_once():
    from sourcegrad.api import dynamic

    class Model:
        def __init__(self):
            self.w = 2.0

        def a(self, x):
            return self.w * x

        def b(self, x):
            return np.sin(x)

    model = Model()

    def f(x, n):
        s = x
        for i in range(n):
            fs = model_functions(model)
            s = fs[i % 2](s)
        return s

    sg.grad(f)(0.3, 4)
    before = len(dynamic._pairs)
    for _ in range(3):
        sg.grad(f)(0.3, 6)
    assert len(dynamic._pairs) <= before + 1


def model_functions(model):
    return [model.a, model.b]


def test_no_dispatch_where_the_callee_is_known():
    def f(x, a):
        fs = [lambda t: t * a, np.sin]
        table = {"cos": np.cos, "scale": lambda t: t * a}
        g = np.exp if a is not None else np.sin
        pair = (np.tanh, lambda t: t + a)
        same = [lambda t, k=k: t * a + k for k in range(3)]
        s = x
        for i in range(3):
            s = same[i](s)
        return np.sum(fs[0](x) * fs[1](x) * table["cos"](x) * table["scale"](s) * g(x) * pair[0](x) * pair[1](x))

    assert "call_forward" not in sg.source(f, at={"x": V, "a": 2.0})
    for order in (1, 2):
        sg.check_grad(f, V, 2.0, inputs=("x", "a"), order=order)


def test_emitted_code():
    def f(x, n):
        for i in range(n):
            x = NO_RULE[i](x)
        return np.sum(x)

    text = sg.source(f, at={"x": V, "n": 1})
    assert "x, x_pull = call_forward(NO_RULE[i], x)" in text
    assert "call_reverse(x_pull_tape.pop(), x_bar)" in text


def test_an_unsupported_call_inside_try_is_not_swallowed():
    def f(x, n):
        y = 2.0 * x
        for i in range(n):
            try:
                y = CHANGING[i](y)
            except Exception:
                y = y * 3.0
        return np.sum(y * y)

    with pytest.raises(SourcegradError):
        sg.grad(f)(V, 1)


# --- threads

def work(x, fs, n):
    s = x
    for i in range(n):
        s = fs[i % len(fs)](s)
    return np.sum(s * s)


def test_threads():
    """Eight threads generate and run the same and different gradients."""
    shared = [np.sin, lambda t: t * t, functools.partial(np.multiply, 2.0)]
    expected = sg.grad(work)(V, shared, 5)
    barrier = threading.Barrier(8)
    problems: list = []

    def run(number):
        try:
            own = [lambda t: t * number, np.cos, shared[1]]
            barrier.wait()
            for round in range(4):
                assert np.array_equal(sg.grad(work)(V, shared, 5), expected)
                sg.check_grad(work, V, own, 3 + round)
                second = sg.grad(lambda x: np.sum(sg.grad(work)(x, own, 3)))(V[:2 + number % 2])
                assert np.all(np.isfinite(second))
                assert np.allclose(sg.vjp(lambda x: work(x, own, 2), V)[1](1.0)[0], sg.grad(work)(V, own, 2))
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not problems, problems[0]
    assert not any(thread.is_alive() for thread in threads)
