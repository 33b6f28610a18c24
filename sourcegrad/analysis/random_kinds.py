"""Kinds of random numbers: floats or integers of the size that is asked for. What they are is only known when they are drawn."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np

from sourcegrad import kinds as k
from sourcegrad.kind_functions import Unknown
from sourcegrad.kinds import Kind
from sourcegrad.rules.array_kinds import shape_of

PARAMETERS = {                          # beside `size`
    "float": {**dict.fromkeys(("standard_normal", "random", "random_sample", "ranf", "sample", "standard_exponential",
                               "standard_cauchy"), ()),
              **dict.fromkeys(("exponential", "rayleigh"), ("scale",)), **dict.fromkeys(("chisquare", "standard_t"), ("df",)),
              **dict.fromkeys(("normal", "laplace", "logistic", "gumbel"), ("loc", "scale")),
              "uniform": ("low", "high"), "lognormal": ("mean", "sigma"), "gamma": ("shape", "scale"), "beta": ("a", "b"),
              "standard_gamma": ("shape",)},
    "int": {"poisson": ("lam",), "geometric": ("p",), "binomial": ("n", "p")}}
GENERATORS = (np.random.Generator, np.random.RandomState)


def only_sizes(function: Any) -> bool:
    """Whether it is np.random.rand or the like: what it is given says how many numbers it draws."""
    name = getattr(function, "__name__", "")
    return isinstance(getattr(function, "__self__", None), np.random.RandomState) and (
        name in ("rand", "randn", "bytes") or PARAMETERS["float"].get(name) == ())


def draw_kind(name: str, args: tuple, options: dict[str, Kind]) -> Kind | None:
    """The kind of what `rng.name(*args, **options)` gives; None where it is not known."""
    if name in ("rand", "randn") and not options:
        return _drawn("float", k.Tup(args) if args else k.Const(None), ())
    if "dtype" in options and options["dtype"] != k.Const(None):
        return None
    for sort, table in PARAMETERS.items():
        if name in table:
            names = (*table[name], "size")
            given = {**dict(zip(names, args)), **options}
            return _drawn(sort, given.pop("size", k.Const(None)), tuple(given.values()))
    return None


def _drawn(sort: str, size: Kind, parameters: tuple) -> Kind | None:
    if size == k.Const(None):
        numbers = [k.as_num(p) for p in parameters]
        if any(not isinstance(n, k.Num) or n.boxed is not False for n in numbers):
            return None
        return k.Num(f"py{sort}", (), False)
    try:
        dims = shape_of(size)
    except Unknown:
        return None
    return k.Num(f"{sort}64", dims, True)


def module_draws() -> dict[Any, Any]:
    """Kind functions of the functions of np.random."""
    names = ["rand", "randn", *(name for table in PARAMETERS.values() for name in table)]
    return {getattr(np.random, name): functools.partial(_module_draw, name) for name in names if hasattr(np.random, name)}


def _module_draw(name: str, *args: Kind, **options: Kind) -> Kind:
    return draw_kind(name, args, options) or k.ANY
