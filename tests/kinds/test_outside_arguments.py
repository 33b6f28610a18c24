"""Arguments that are also reached as a global, closure cell, default, class attribute or other argument: one place, two paths.

Right where neither path changes it (what lives outside is a constant, also where it is the argument); else refused with a place.
The caller's memory is as it was."""
import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from sourcegrad.ir.source import register

COMMON = '''
import collections
import dataclasses
import numpy as np

class Holder:
    def __init__(self, w):
        self.w, self.b, self.k = w, np.array([0.3, -0.2, 0.9]), 2.0

    def times(self, x):
        return np.sum(self.w * x)

class Slotted:
    __slots__ = ("w", "b", "k")

    def __init__(self, w):
        self.w, self.b, self.k = w, np.array([0.3, -0.2, 0.9]), 2.0

@dataclasses.dataclass
class Data:
    w: np.ndarray
    k: float = 2.0

Named = collections.namedtuple("Named", "w k")
G = np.array([1.0, 2.0, 3.0])

def fill(z):
    z[0] = 5.0 * z[1]
'''
# way of reaching -> (what stands around, what reads it, the argument that is reached so)
WAYS = {
    "a global": ("", "np.sum(G * x)", "G"),
    "a global, the argument a part of it": ("", "np.sum(G[:2] * x[:2])", "G[:2]"),
    "a global, the argument reversed": ("", "np.sum(G * x)", "G[::-1]"),
    "a part as a global": ("V = G[1:]", "np.sum(V * x[1:])", "G"),
    "the transposed global": ("M = np.array([[1.0, 2.0], [0.5, -1.0]])", "np.sum(M @ x)", "M.T"),
    "a global of two names": ("H = G", "np.sum(H * x)", "G"),
    "an object": ("o = Holder(G)", "np.sum(o.w * x)", "o.w"),
    "an object in an object": ("o = Holder(Holder(G))", "np.sum(o.w.w * x)", "G"),
    "slots": ("o = Slotted(G)", "np.sum(o.w * x) * o.k", "o.w"),
    "a dataclass": ("o = Data(G)", "np.sum(o.w * x) * o.k", "G"),
    "a namedtuple": ("o = Named(G, 2.0)", "np.sum(o.w * x) * o.k", "G"),
    "a list": ("L = [G, np.ones(3)]", "np.sum(L[0] * x)", "G"),
    "a loop over a list": ("L = [np.ones(3), G]", "sum(np.sum(w * x) for w in L)", "L[1]"),
    "a tuple": ("T = (G, 2.0)", "np.sum(T[0] * x) * T[1]", "G"),
    "a dict": ("P = {'w': G, 'lr': 0.5}", "np.sum(P['w'] * x) * P['lr']", "P['w']"),
    "a dict in a list": ("P = [{'w': G}]", "np.sum(P[0]['w'] * x)", "G"),
    "a dict of objects": ("P = {'o': Holder(G)}", "np.sum(P['o'].w * x)", "P['o'].w"),
    "a method of a global": ("o = Holder(G)", "o.times(x)", "o.w"),
    "a callee": ("def other(z):\n    return np.sum(G * z)", "other(x)", "G"),
    "a callee of a callee": ("def one(z):\n    return np.sum(G * z)\ndef other(z):\n    return one(z) * 2.0", "other(x)", "G"),
    "a default of a callee": ("def other(z, g=G):\n    return np.sum(g * z)", "other(x)", "G"),
    "a keyword default": ("def other(z, *, g=G):\n    return np.sum(g * z)", "other(x)", "G"),
    "a default in a list": ("def other(z, g=[G]):\n    return np.sum(g[0] * z)", "other(x)", "G"),
    "a class attribute": ("class K:\n    w = G", "np.sum(K.w * x)", "K.w"),
    "an inherited class attribute": ("class K:\n    w = G\nclass J(K):\n    pass\nj = J()", "np.sum(j.w * x)", "G"),
}
CHANGES = {"unchanged": "", "a store": "x[0] = 5.0 * x[1]", "in place": "x *= 2.0", "by a callee": "fill(x)"}
numbers = iter(range(10**9))


def program(text: str) -> dict[str, Any]:
    file = f"<outside {next(numbers)}>"
    register(file, text)
    module: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, file, "exec"), module)
    return module


def memory(module: dict[str, Any]) -> str:
    """All that the module holds, as text."""
    def shown(value: Any, depth: int = 0) -> Any:
        if isinstance(value, np.ndarray):
            return value.tolist()
        if isinstance(value, dict):
            return [(key, shown(item, depth + 1)) for key, item in value.items()]
        if isinstance(value, (list, tuple)):
            return [shown(item, depth + 1) for item in value]
        if isinstance(value, type(len)) or callable(value) and not isinstance(value, type):
            return shown([getattr(value, "__defaults__", None), getattr(value, "__kwdefaults__", None)]) if depth < 2 else ""
        held = {name: item for name, item in vars(value).items() if name[0] != "_"} if hasattr(value, "__dict__") else {
            name: getattr(value, name) for name in getattr(value, "__slots__", ())}
        return shown(held, depth + 1) if held and depth < 4 else repr(value) if isinstance(value, float) else ""

    return repr([(name, shown(value)) for name, value in module.items() if name not in ("np", "collections", "dataclasses")
                 and name[0] != "_"])


def refused(call: Callable, *args: Any) -> None:
    with pytest.raises(SourcegradError) as found:
        call(*args)
    assert found.value.origin is not None and type(found.value).__name__ != "InternalError", found.value
    assert "copy" in str(found.value)


def differences(f: Callable, *args: Any, place: int = 0) -> Any:
    x = args[place]
    found = np.zeros(np.shape(x))
    for at in np.ndindex(np.shape(x)):
        moved = [np.array(x) for _ in range(2)]
        moved[0][at] += 1e-6
        moved[1][at] -= 1e-6
        high, low = (f(*[m if j == place else copy.deepcopy(a) for j, a in enumerate(args)]) for m in moved)
        found[at] = (high - low) / 2e-6
    return found


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("way", WAYS)
def test_an_input_that_is_reached_from_outside(way, change):
    """Where it changes it is refused at every call; a copy is right, before it and after it."""
    setup, read, argument = WAYS[way]
    module = program(f"{COMMON}\n{setup}\ndef f(x):\n    {CHANGES[change] or 'pass'}\n    return {read}\n")
    f, gradient = module["f"], sg.value_and_grad(module["f"])
    x = eval(argument, module)
    before = memory(module)
    for _ in range(3):
        value, found = gradient(x.copy())
        np.testing.assert_allclose(value, f(x.copy()))
        np.testing.assert_allclose(found, differences(f, x.copy()), rtol=1e-5, atol=1e-6)
        if change == "unchanged":                                # what is outside is a constant
            np.testing.assert_allclose(gradient(x)[1], found)
        else:
            refused(gradient, x)
        assert memory(module) == before
    if change != "unchanged":
        refused(sg.vjp, f, x)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("way", WAYS)
def test_a_constant_argument_that_is_reached_from_outside(way, change):
    """Refused where it changes; else nothing can differ."""
    setup, read, argument = WAYS[way]
    text = f"def f(t, x):\n    {CHANGES[change] or 'pass'}\n    return {read} * t * t\n"
    module = program(f"{COMMON}\n{setup}\n{text}")
    f, gradient = module["f"], sg.value_and_grad(module["f"])
    x = eval(argument, module)
    before = memory(module)
    for t in (0.5, 0.7, 1.1, 1.3):
        for given in (x.copy(), x):
            if given is x and change != "unchanged":
                refused(gradient, t, given)
            else:
                want = f(t, given.copy())
                np.testing.assert_allclose(gradient(t, given), (want, 2.0 * want / t))
            assert memory(module) == before


# --- Closure cells, containers as arguments, other arguments, and what changes between calls

def closed(w, change):
    def f(x):
        if change:
            x[0] = 5.0 * x[1]
        return np.sum(w * x)
    return f


def closed_twice(w, change):
    def inner(z):
        return np.sum(w * z)

    def f(x):
        if change:
            x[0] = 5.0 * x[1]
        return inner(x)
    return f


@pytest.mark.parametrize("change", [False, True])
@pytest.mark.parametrize("make", [closed, closed_twice])
def test_closure_cells(make, change):
    w = np.array([1.0, 2.0, 3.0])
    f = make(w, change)
    gradient = sg.grad(f)
    for _ in range(3):
        np.testing.assert_allclose(gradient(w.copy()), differences(f, w.copy()), rtol=1e-5, atol=1e-6)
        refused(gradient, w)
        refused(gradient, w[::-1])
        assert w.tolist() == [1.0, 2.0, 3.0]


# what holds, how its array and its number are written, how the function writes another one: (setup, array, number, new)
HOLDERS = {
    "an object": ("h = Holder(G)", "{}.w", "{}.k"),
    "slots": ("h = Slotted(G)", "{}.w", "{}.k"),
    "a dataclass": ("h = Data(G)", "{}.w", "{}.k"),
    "a dict": ("h = {'w': G, 'k': 2.0}", "{}['w']", "{}['k']"),
    "a dict in an object": ("h = Holder({'w': G})", "{}.w['w']", "{}.k"),
    "a list": ("h = [G, 2.0]", "{}[0]", "{}[1]"),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("what", ["array", "number"])
@pytest.mark.parametrize("read", ["array", "number"])
def test_containers_as_arguments(holder, what, read):
    """What changes in the argument must not be what is read outside; another part of it may be."""
    setup, *parts = HOLDERS[holder]
    places = dict(zip(("array", "number"), parts))
    store = f"{places['array'].format('m')}[0] = t * 3.0" if what == "array" else f"{places['number'].format('m')} = t * 3.0"
    sums = f"np.sum({places['array'].format('m')}) * {places['number'].format('m')} + np.sum({places[read].format('h')} * t)"
    module = program(f"{COMMON}\n{setup}\ndef f(t, m):\n    {store}\n    return {sums}\ndef g(m, t):\n    return {sums}\n")
    f, g, h = module["f"], module["g"], module["h"]
    before = memory(module)
    gradient = sg.value_and_grad(f)
    for t in (0.5, 0.7, 1.1):
        other = copy.deepcopy(h)
        found = gradient(t, other)
        np.testing.assert_allclose(found, (f(t, copy.deepcopy(h)), differences(f, np.array(t), copy.deepcopy(h))), rtol=1e-5)
        try:
            found = gradient(t, h)
        except SourcegradError as problem:
            assert problem.origin is not None and "copy" in str(problem)
        else:
            assert what != read
            np.testing.assert_allclose(found, (f(t, copy.deepcopy(h)), differences(f, np.array(t), copy.deepcopy(h))), rtol=1e-5)
        assert memory(module) == before
    path = places[what].format("m")
    active = sg.grad(g, inputs=path)
    for t in (0.5, 0.7, 1.1):
        wanted = active(copy.deepcopy(h), t)
        np.testing.assert_allclose(active(h, t), wanted)
        assert memory(module) == before


def both(x, y):
    x[0] = 5.0 * x[1]
    return np.sum(x * y)


def neither(x, y):
    return np.sum(x * y * y)


def test_other_arguments():
    """A derivative by a parameter is that by this parameter alone; what changes must not be two parameters."""
    a = np.array([1.0, 2.0, 3.0])
    for gradient in (sg.grad(both), sg.grad(both, inputs="y"), sg.grad(both, inputs=("x", "y"))):
        for _ in range(3):
            gradient(a, a.copy())
            refused(gradient, a, a)
            refused(gradient, a, a[::-1])
            assert a.tolist() == [1.0, 2.0, 3.0]
    for _ in range(3):
        np.testing.assert_allclose(sg.grad(neither)(a, a), a * a)
        np.testing.assert_allclose(sg.grad(neither, inputs="y")(a, a), 2.0 * a * a)


def test_what_is_bound_again_between_calls():
    """Whether it is reached from outside is asked at every call."""
    module = program(f"{COMMON}\no = Holder(G)\ndef f(x):\n    x[0] = 5.0 * x[1]\n    return np.sum(o.w * x)\n")
    f, o = module["f"], module["o"]
    gradient = sg.grad(f)
    a, b = np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 0.5])
    for _ in range(3):
        np.testing.assert_allclose(gradient(a), differences(f, a), rtol=1e-5)
    o.w = a
    refused(gradient, a)
    np.testing.assert_allclose(gradient(b), differences(f, b), rtol=1e-5)
    o.w = b[::-1]
    refused(gradient, b)
    np.testing.assert_allclose(gradient(a), differences(f, a), rtol=1e-5)
    assert a.tolist() == [1.0, 2.0, 3.0] and b.tolist() == [2.0, 1.0, 0.5]


ANCHOR = np.array([1.0, 2.0, 3.0])


def of_its_form(x):
    return np.sum(x * x) / len(ANCHOR) + ANCHOR.shape[0]


def test_what_is_not_read_there():
    """The form of an array does not depend on what it holds."""
    for _ in range(3):
        np.testing.assert_allclose(sg.grad(of_its_form)(ANCHOR), 2.0 * ANCHOR / 3.0)


def test_gradients_of_gradients():
    inner = sg.grad(lambda x: np.sum(ANCHOR * x ** 3))
    outer = sg.grad(inner)
    weights = np.ones(3)
    for _ in range(3):
        np.testing.assert_allclose(outer(ANCHOR.copy(), grad_outputs=weights), 6.0 * ANCHOR * ANCHOR)
        np.testing.assert_allclose(outer(ANCHOR, grad_outputs=weights), 6.0 * ANCHOR * ANCHOR)
