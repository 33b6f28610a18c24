"""Modules and classes reached by value, objects that say that they have any attribute, partials of objects."""
from __future__ import annotations

import enum
import functools
import math
import operator
import types

import numpy as np
import pytest
import scipy
import scipy.special

from tests.kinds import helper_mod
from tests.kinds.outcomes import outcome


class Tagged:
    def __init__(self, v): self.v = v
    @property
    def name(self): return "t"


TY = {"a": Tagged}


LT = [Tagged, Tagged]


class Perm:
    __slots__ = ("lib",)
    def __getattr__(self, name): return lambda *a: 1.0


class Perm2:
    def __getattr__(self, name): return 3.0


class Perm3:
    def __getattr__(self, name): raise KeyError(name)


class Holder:
    def __init__(self, p): self.p, self.k = p, 2.0


class Scale:
    def __init__(self, s=1.0): self.s = s
    def __call__(self, x, k): return self.s * x * x * k


class Options(dict):
    __getattr__ = dict.__getitem__


def m1(x, xp=np): return np.sum(xp.sin(x))


def m2(x, xp=np): return xp.sum(xp.linalg.norm(x * xp.ones(2)))


def m3(x, mod=math): return mod.exp(x) * x


def m4(x):
    xp = np
    return xp.sin(x)


def m5(x, flag=True):
    xp = np if flag else math
    return xp.sin(x)


def m6(x, mod=helper_mod): return mod.square(x) * mod.CONSTANT


def m7(x): return (lambda xp: xp.cos(x))(np)


class WithModule:
    def __init__(self, xp): self.xp = xp
    def f(self, x): return self.xp.tanh(x)


def m8(x): return WithModule(np).f(x)


W = WithModule(np)


def m9(x): return W.f(x)


def m10(x): return {"np": np}["np"].sin(x)


def m11(x, cls=Tagged): return cls(x).v ** 2


def m12(x): return TY["a"](x).v ** 2


def m13(x): return LT[1](x).v ** 2


def m14(x, o=Holder(Perm())): return x * o.k


def m15(x, o=Holder(Perm2())): return x * o.k * o.p.foo


def m16(x, o=Holder(Perm3())): return x * o.k


def m17(x): return options.k * x


def m18(x): return functools.partial(Scale(), k=3.0)(x)


P = functools.partial(Scale(2.0), k=3.0)


def m19(x): return P(x)


def m20(x): return helper_mod.sub.cube(x)


def m21(x, f=scipy.special): return f.expit(x)


def m22(x):
    import math as mm
    return mm.sin(x)


def m23(x, mods=(np, math)): return mods[0].sin(x) + mods[1].cos(x)


def pick(kind): return np if kind == "n" else math


def m24(x): return pick("n").sin(x)


def m25(x): return getattr(np, "sin")(x)


def m26(x): return getattr(helper_mod, "square")(x)


def m27(x, ns=types.SimpleNamespace(sin=np.sin, k=2.0)): return ns.sin(x) * ns.k


class Meta(type):
    def __getattr__(cls, name): return 5.0


class M1(metaclass=Meta):
    def __init__(self, x): self.x = x


def m28(x): return M1(x).x ** 2


def m29(x, cls=M1): return cls(x).x ** 2 * cls.foo


class K:
    name = "k"
    kind = 3
    @classmethod
    def make(cls, x):
        o = cls(); o.v = x
        return o


def m30(x, cls=K): return cls.make(x).v ** 2


class WithName:
    name = property(lambda self: self.v)
    def __init__(self, v): self.v = v
    def __call__(self, x): return self.v * x


def m31(x): return WithName(x)(x)


def m32(x, f=WithName(2.0)): return f(x) * x


def m33(x): return list(map(WithName(2.0), [x, x]))[0] * x


def m34(x, op=operator): return op.mul(x, x)


class Color(enum.Enum):
    R = 2.0


def m35(x, c=Color): return c.R.value * x * x


class SlotsPerm:
    __slots__ = ("a", "b")
    def __init__(self, a): self.a = a
    def __getattr__(self, n): return 7.0


def m36(x): return SlotsPerm(x).a * SlotsPerm(x).b


def m37(x, o=SlotsPerm(2.0)): return o.a * x * o.b


partial_of_method = functools.partial(Scale(2.0).__call__, k=2.0)


def m38(x): return partial_of_method(x)


def m39(x, cls=float): return cls(x) * x


def m40(x): return [np.sin, math.cos][0](x) + {"f": Scale()}["f"](x, 2.0)


SIBLINGS = [f for name, f in list(globals().items()) if name[0] in "m" and name[1:].isdigit()]
REFUSED = set("""m28 m29 m33 m36""".split())

@pytest.mark.parametrize("f", SIBLINGS, ids=lambda f: f.__name__)
def test_siblings(f, monkeypatch):
    monkeypatch.setitem(globals(), "options", Options(k=3.0))            # (doctest asks every global of a module for `__wrapped__`)
    assert outcome(f, 1.3) == ("refused" if f.__name__ in REFUSED else "right")
