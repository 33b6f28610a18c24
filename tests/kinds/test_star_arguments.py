"""Calls with stars, `f(*a, k=v, *b, **c)`: values, gradients and order of effects are those of Python, or an error says why not."""
import functools
from typing import NamedTuple

import numpy as np
import pytest

import sourcegrad as sg


def g(a, b, c, d=4.0, *, k=5.0):
    return a + 2.0 * b + 3.0 * c * a + 7.0 * d + 11.0 * k * b


def h(*args, **named):
    return sum((i + 1) * a for i, a in enumerate(args)) + sum(10.0 * v * v for v in named.values())


def mixed(a, b=2.0, *rest, c=3.0, **named):
    return a + 2.0 * b * a + sum(3.0 * r for r in rest) + 5.0 * c + sum(7.0 * v for v in named.values())


def only(a, /, b, *, c):
    return a * b + c


class Thing:
    def __init__(self, a, b, c=1.0, **named):
        self.value = a + 2.0 * b + 3.0 * c * a + sum(named.values())

    def method(self, a, b, c=1.0):
        return self.value * a + 2.0 * b + 3.0 * c

    def __call__(self, a, *, b):
        return self.value * a * b

    @staticmethod
    def static(a, b, c):
        return a * b * c

    @classmethod
    def of(cls, a, b, c):
        return cls(a, b, c=c).value


class Pair(NamedTuple):
    a: float
    b: float
    c: float = 1.0


fixed = functools.partial(g, 1.5)
named = functools.partial(g, c=2.0)

CALLS = """
g(*[x[0], x[1]], **{"c": x[2]})
g(x[0], *[x[1]], **{"c": x[2]})
g(*[x[0]], *[x[1]], **{"c": x[2]})
g(*[x[0]], c=x[1], *[x[2]])
g(*x, **{})
g(*x, **{"k": x[0]})
g(*x[:2], **{"c": x[2]})
g(*list(x[:2]), **{"c": x[2], "k": x[0]})
g(*tuple(x), **dict(d=x[1]))
g(c=x[2], *(x[0], x[1]), **{"k": x[0]})
g(*[x[0]], **{"c": x[2]}, b=x[1])
g(*[x[0]], **{"c": x[2]}, **{"b": x[1]})
g(*[], **{"a": x[0], "b": x[1], "c": x[2]})
g(*(x[0], x[1]), **({"c": x[2]} if x[0] > 0 else {"c": x[1]}))
g(*[v for v in x], **{n: v for n, v in zip("k", x)})
g(*map(lambda v: 2.0 * v, x[:2]), **{"c": x[2]})
g(*(v * v for v in x), k=x[0])
h(*x, **{"a": x[0]})
h(x[0], *x, x[1], *[x[2]], **{"a": x[0]}, **{"b": x[1]})
h(*[a for a in x], **{n: v for n, v in zip("abc", x)})
h(*x[:0], **{"a": x[0]})
mixed(*x, **{"c": x[0]})
mixed(*[x[0]], **{"b": x[1]})
mixed(*[x[0]], **{"b": x[1], "e": x[2]})
mixed(*x, *x, **{"e": x[2]}, c=x[0])
mixed(x[0], *x, **{"c": x[1]})
only(*[x[0], x[1]], **{"c": x[2]})
only(*[x[0]], **{"b": x[1], "c": x[2]})
only(x[0], **{"b": x[1]}, **{"c": x[2]})
Thing(*[x[0], x[1]], **{"c": x[2], "z": x[0]}).value
Thing(*x).value
Thing(1.0, 2.0).method(*[x[0], x[1]], **{"c": x[2]})
Thing(*[1.0], **{"b": 2.0}).method(x[0], *[x[1]])
Thing(1.0, 2.0)(*[x[0]], **{"b": x[1]})
Thing.static(*[x[0], x[1]], **{"c": x[2]})
Thing.of(*[x[0], x[1]], **{"c": x[2]})
Thing.method(Thing(1.0, 2.0), *[x[0]], **{"b": x[1]})
fixed(*[x[1]], **{"c": x[2]})
fixed(*x[:1], c=x[1])
named(*[x[0], x[1]], **{"d": x[2]})
functools.partial(g, x[0], **{"c": x[1]})(*[x[2]])
functools.partial(g, *[x[0], x[1]])(**{"c": x[2]})
Pair(*[x[0], x[1]], **{"c": x[2]}).c * x[1]
Pair(*x).b * x[0]
(lambda a, b, c=1.0: a * b * c)(*[x[0], x[1]], **{"c": x[2]})
(lambda *a, **k: sum(a) * k["c"])(*[x[0], x[1]], **{"c": x[2]})
(lambda a, *, c: a * c)(*[x[0]], **{"c": x[2]})
np.sum(np.add(*[x[:2], x[1:]]))
np.sum(np.clip(x, *[0.0], **{"a_max": 3.0}))
np.sum(np.stack(*[[x, x]], **{"axis": 1})[0])
np.sum(x.reshape(*[3, 1], **{"order": "C"}) * x)
max(*[x[0], x[1]], *x)
g(*[x[0], x[1]], **{"a": x[2]})
g(*[x[0], x[1]], **{"b": x[2], "c": x[1]})
g(*x, **{"c": x[2]})
g(*[x[0], x[1]], **{"e": x[2]})
only(*[x[0]], **{"a": x[1], "b": x[2], "c": x[2]})
""".strip().split("\n")
X = np.array([0.5, 2.0, 1.5])
REFUSED = {                                     # a list has no known length, and that decides what the call means
    "functools.partial(g, *[x[0], x[1]])(**{\"c\": x[2]})", "Pair(*x).b * x[0]", "max(*[x[0], x[1]], *x)",
    "np.sum(x.reshape(*[3, 1], **{\"order\": \"C\"}) * x)", "np.sum(np.stack(*[[x, x]], **{\"axis\": 1})[0])",
    "np.sum(np.clip(x, *[0.0], **{\"a_max\": 3.0}))"}


def function_of(text, tmp_path, before=""):
    names = dict(globals())
    file = tmp_path / "called.py"
    file.write_text(f"def f(x):\n{before}    return {text}\n")
    exec(compile(file.read_text(), str(file), "exec"), names)
    return names["f"]


@pytest.mark.parametrize("text", CALLS)
def test_as_python(text, tmp_path):
    f = function_of(text, tmp_path)
    try:
        f(X)
    except TypeError:
        with pytest.raises((TypeError, sg.SourcegradError)) as found:
            sg.grad(f)(X)
        assert not isinstance(found.value, sg.InternalError)
        return
    try:
        sg.check_grad(f, X)
    except sg.UnsupportedError as error:
        assert text in REFUSED and error.origin is not None, error
    else:
        assert text not in REFUSED


ORDER = ["g(*[t(0)], *[t(1)], **{'c': t(2)})", "g(*[t(0)], k=t(1), *[t(2), t(3)])", "g(k=t(0), *(t(1), t(2)), c=t(3))",
         "g(t(0), *[t(1)], k=t(2), **{'c': t(3)})", "g(c=t(0), *[t(1), t(2)])", "g(c=t(0), *(t(1), t(2)), **{'k': t(3)})",
         "g(k=t(0), a=t(1), **{'b': t(2)}, c=t(3))", "h(*[t(0)], t(1), *(t(2),), a=t(3), **{'b': t(4)}, c=t(5))",
         "h(b=t(1), *[t(2)], **{'a': t(0)})", "Thing(t(0), **{'c': t(1)}, b=t(2)).value",
         "mixed(t(0), c=t(1), *[t(2)], **{'z': t(3)})",
         "g(*[t(0), *[t(1)]], **{'c': t(2), **{'k': t(3)}})"]


@pytest.mark.parametrize("text", ORDER)
def test_order_of_evaluation(text, tmp_path):
    """t(n): what is next in a list: the order of evaluation decides who gets which value."""
    before = "    rest = [x[0] * 2.0, x[1] * 3.0, x[2] * 4.0, x[0] * 5.0, x[1] * 6.0, x[2] * 7.0]\n    seen = []\n" \
             "    def t(n):\n        seen.append(n)\n        return rest.pop(0) * (1.0 + len(seen))\n"
    sg.check_grad(function_of(text, tmp_path, before), X)
    before = "    rest = [x[0] * 2.0, x[1] * 3.0, x[2] * 4.0, x[0] * 5.0, x[1] * 6.0, x[2] * 7.0]\n"
    for n in range(6):
        text = text.replace(f"t({n})", "rest.pop()")
    sg.check_grad(function_of(text, tmp_path, before), X)
