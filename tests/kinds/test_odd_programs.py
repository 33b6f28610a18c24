"""Odd arguments and functions: a right gradient, an error with a place, or what the function itself raises; nothing else."""
import abc
import copy
import enum
import functools
import types
import typing
import warnings
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.shadow_run import memory_in
from sourcegrad.errors import SourcegradError


class Meta(type):
    def __eq__(cls, other: object) -> bool:
        return cls is other

    __hash__ = None                                         # type: ignore[assignment]


class Unhashable(metaclass=Meta):
    w = 2.0


def raising(method: str) -> Any:
    """An object one of whose special methods raises."""
    def broken(*_args: Any) -> Any:
        raise ValueError(method)

    return type("Broken", (), {method: broken, "w": 2.0})()


class Getting:
    @property
    def v(self) -> float:
        raise ValueError("v")

    w = 2.0


class Descriptor:
    def __get__(self, owner: Any, cls: Any = None) -> Any:
        raise RuntimeError("no value")


class Described:
    v = Descriptor()

    def __init__(self) -> None:
        self.w = 2.0


class Slots:
    __slots__ = ("w", "other")

    def __init__(self) -> None:
        self.w = 2.0


class Abstract(abc.ABC):
    @abc.abstractmethod
    def m(self) -> float: ...


class Flag(enum.Flag):
    A = 1
    B = 2


def nested(depth: int, wrap: Any) -> Any:
    value: Any = 1.0
    for _ in range(depth):
        value = wrap(value)
    return value


class Upper:
    def m(self, x: Any) -> Any:
        return x * 2.0


class Kept(Upper):
    def m(self, x: Any) -> Any:
        s = super()
        return s.m(x) + x


class Named(Upper):
    def m(self, x: Any) -> Any:
        return getattr(super(), "m")(x) + x


class Handed(Upper):
    def m(self, x: Any) -> Any:
        return self.up(super(), x)

    def up(self, s: Any, x: Any) -> Any:
        return s.m(x)


held: list = []
held.append(held)
keyed: dict = {}
keyed["d"] = keyed


@functools.singledispatch
def by_class(x: Any) -> Any:
    return x * 2.0


@by_class.register(float)
def _(x: float) -> float:
    return x * 3.0


@functools.lru_cache
def cached(x: Any) -> Any:
    return x * 2.0


def scaled(x: Any, o: Any) -> Any:
    return np.sum(x) * o.w


def total(x: Any, o: Any) -> Any:
    return np.sum(x) * 2.0


def sized(x: Any, o: Any) -> Any:
    return np.sum(x) * len(o)


X = np.array([1.0, 2.0])
SPECIAL = """__repr__ __eq__ __bool__ __len__ __getattribute__ __class_getitem__ __iter__ __float__ __array__ __copy__
    __deepcopy__ __reduce__"""
ODD: dict[str, tuple] = {
    "class that cannot be hashed": (scaled, X, Unhashable()),
    **{f"{name} raises": (scaled, X, raising(name)) for name in [*SPECIAL.split(), "__hash__", "__getattr__"]},
    **{f"{name} raises, not used": (total, X, raising(name)) for name in [*SPECIAL.split(), "__hash__", "__getattr__"]},
    "property that raises": (scaled, X, Getting()),
    "property that raises, read": (lambda x, o: np.sum(x) * o.v, X, Getting()),
    "descriptor that raises": (scaled, X, Described()),
    "descriptor that raises, read": (lambda x, o: np.sum(x) * o.v, X, Described()),
    "slot without a value": (scaled, X, Slots()),
    "slot without a value, read": (lambda x, o: np.sum(x) * o.other, X, Slots()),
    "truth that raises": (lambda x, o: np.sum(x) if o else x[0], X, raising("__bool__")),
    "list in itself": (sized, X, held), "dict in itself": (sized, X, keyed),
    "global list in itself": (lambda x: np.sum(x) * len(held), X),
    "deep tuple": (sized, X, nested(3000, lambda v: (v,))), "deep dict": (sized, X, nested(3000, lambda v: {"a": v})),
    "deep list": (sized, X, nested(3000, lambda v: [v])),
    "key that is a float": (lambda x, d: np.sum(x) * d[1.5], X, {1.5: 2.0}),
    "key that is a set": (lambda x, d: np.sum(x) * d[frozenset([1])], X, {frozenset([1]): 2.0}),
    "array of objects": (sized, X, np.array([None, "a"], dtype=object)),
    "array of records": (lambda x, o: np.sum(x * o["a"]), X, np.ones(2, dtype=[("a", float)])),
    "array of dates": (sized, X, np.array(["2020-01-01"], dtype="datetime64[D]")),
    "memory": (lambda x, o: np.sum(x) * o[0], X, memoryview(b"abc")),
    "masked array": (np.sum, np.ma.array([1.0, 2.0])),
    "huge int": (lambda x: x * 10 ** 400, 2.0),
    "walrus": (lambda x: (y := x * 2) + y, 2.0), "stars": (lambda x, *a: x * a[0], 2.0, 3.0),
    "position only": (lambda x, /, y=2.0: x * y, 3.0),
    "default that cannot be shown": (lambda x, o=raising("__repr__"): x * o.w, 2.0),
    "dispatch by class": (lambda x: by_class(x), 2.0), "cached": (lambda x: cached(x), 2.0),
    "cast": (lambda x: typing.cast(float, x) * 2.0, 2.0), "abstract class": (lambda x, c: c().m() * x, 2.0, Abstract),
    "flags": (lambda x, f: x * (2.0 if f & Flag.A else 3.0), 2.0, Flag.A | Flag.B), "module": (lambda x, m: m.sin(x), 2.0, np),
    "class": (lambda x, c: c(x) * 2.0, 2.0, float),
    "namespace": (lambda x, o: o.f(x), 2.0, types.SimpleNamespace(f=lambda t: t * 2.0)),
    "text without source": (eval("lambda x: x * 2.0"), 2.0),
    "super() as a value": (lambda x: np.sum(Kept().m(x)), X), "super() by getattr": (lambda x: np.sum(Named().m(x)), X),
    "super() handed on": (lambda x: np.sum(Handed().m(x)), X),
}


def slope(f: Any, x: Any, *rest: Any) -> Any:
    h = 1e-6
    if isinstance(x, float):
        return (f(x + h, *rest) - f(x - h, *rest)) / (2.0 * h)
    return np.array([(f(x + h * e, *rest) - f(x - h * e, *rest)) / (2.0 * h) for e in np.eye(len(x))])


@pytest.mark.parametrize("ask", ["grad", "vjp"])
@pytest.mark.parametrize("name", ODD)
def test_nothing_raw(name: str, ask: str) -> None:
    f, *args = ODD[name]
    try:
        if ask == "grad":
            found = sg.grad(f)(*args)
        else:
            found = sg.vjp(f, *args, inputs=0)[1](1.0)
    except SourcegradError as error:
        assert error.origin is not None or "no source" in str(error) or "cannot be found" in str(error)
    except Exception as error:
        with pytest.raises(type(error)), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            f(*copy.copy(args))
    else:
        assert np.allclose(found, slope(f, *args), rtol=1e-4, atol=1e-6)


def test_objects_that_raise_whatever_they_are_asked_are_passed_over() -> None:
    """Also where only their class would be asked for."""
    broken, held = raising("__getattribute__"), [2.0]
    found = list(memory_in([broken, held, [broken].append, functools.partial(raising, broken)], set()))
    assert any(x is held for x in found) and not any(x is broken for x in found)
