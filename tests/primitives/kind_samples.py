"""Calls at which kind functions are tested: the samples of the rules at other sizes, dtypes and states of knowledge."""
from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from sourcegrad import kinds as k
from sourcegrad.analysis import result_types
from sourcegrad.primitives.core import ArraySpec, Rule, Sample
from tests.oracle.rules import draw, expand, leaves, seeded

DTYPES = [("float64",), ("float32",), ("complex128",), ("complex64",), ("int64",), ("float32", "float64"), ("float64", "float32"),
          ("float64", "complex64"), ("int64", "float32"), ("float32", "int64")]
LITERAL = (int, float, complex, bool, str, type(None), type(Ellipsis))


def resized(spec: Any, sizes: dict[int, int]) -> Any:
    """A specification with other sizes of its arrays."""
    if isinstance(spec, ArraySpec):
        return ArraySpec(spec.domain, tuple(sizes.get(n, n) for n in spec.shape))
    if type(spec) in (list, tuple):
        return type(spec)(resized(item, sizes) for item in spec)
    return spec


def of_other_sizes(spec: Sample) -> list[Sample]:
    """The sample as it is, and with each of its sizes replaced by 1 and by 0 (not all of them can be called)."""
    found = sorted({n for _, leaf in leaves(list(spec.args)) if isinstance(leaf, ArraySpec) for n in leaf.shape})
    changes = [{}, *({n: other} for n in found for other in (0, 1) if n != other)]
    return [Sample(resized(spec.args, change), spec.options) for change in changes]


def drawn(spec: Any, rng: np.random.Generator, dtypes: Iterator[str]) -> Any:
    """As `sourcegrad.testing.draw`, but of several dtypes in turn."""
    if isinstance(spec, ArraySpec):
        wanted = np.dtype(next(dtypes))
        value = np.asarray(draw(spec, rng))
        if wanted.kind == "c" and value.dtype.kind != "c":
            value = value + 0.25j * value
        value = (np.real(value) if wanted.kind in "fi" else value).astype(wanted)
        return value if spec.shape else value[()]
    if type(spec) in (list, tuple):
        return type(spec)(drawn(item, rng, dtypes) for item in spec)
    return spec


def python_numbers(value: Any) -> Any:
    """NumPy's scalars as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    return type(value)(map(python_numbers, value)) if type(value) in (list, tuple) else value


def without_axes(value: Any) -> Any:
    """Scalars as arrays without axes."""
    if isinstance(value, np.generic):
        return np.asarray(value)
    return type(value)(map(without_axes, value)) if type(value) in (list, tuple) else value


def by_columns(value: Any) -> Any:
    """Arrays whose elements lie column by column; the same object where there is none of several rows and columns."""
    if isinstance(value, np.ndarray):
        return np.asfortranarray(value) if value.ndim > 1 else value
    if type(value) not in (list, tuple):
        return value
    items = [by_columns(item) for item in value]
    return value if all(one is other for one, other in zip(items, value)) else type(value)(items)


def calls(rule: Rule, spec: Any) -> Iterator[tuple[tuple, dict]]:
    """Arguments and options of calls made from a sample."""
    helper = (getattr(rule.primitives[0], "__module__", None) or "").startswith("sourcegrad")
    for concrete in itertools.chain.from_iterable([one] if helper else of_other_sizes(one) for one in expand(rule, spec)):
        several = sum(isinstance(leaf, ArraySpec) for _, leaf in leaves(list(concrete.args))) > 1
        for dtypes in DTYPES if several else DTYPES[:5]:
            if helper and "int64" in dtypes:                     # adjoints are never integers
                continue
            try:
                args = drawn(concrete.args, seeded(rule, concrete), itertools.cycle(dtypes))
            except (ValueError, IndexError):                     # a domain that has no such shape
                continue
            yield args, concrete.options
            if dtypes == DTYPES[0] and (turned := by_columns(args)) is not args:
                yield turned, concrete.options
            scalars = [leaf for _, leaf in leaves(list(args)) if isinstance(leaf, np.generic)]
            if scalars:
                yield python_numbers(args), concrete.options
                yield without_axes(args), concrete.options


# --- what may be known of the arguments -------------------------------------------------------------

def written(value: Any) -> k.Kind:
    """The kind of an argument that is written in the source."""
    if type(value) in LITERAL:
        return k.Const(value)
    if type(value) is tuple:
        return k.Tup(tuple(map(written, value)))
    if type(value) is list:
        return k.Lst(k.common(k.as_num(written(item)) for item in value))
    return k.Fn(value) if callable(value) else k.kind_of(value)


def computed(value: Any, name: str, sizes: dict | None) -> k.Kind:
    """The kind of an argument that the program computes."""
    if type(value) in (int, float, complex, bool):
        return k.as_num(k.Const(value))
    if type(value) is tuple:
        return k.Tup(tuple(computed(item, f"{name}.{j}", sizes) for j, item in enumerate(value)))
    return k.kind_of(value, name, sizes)


def mapped(function: Any, kind: k.Kind) -> k.Kind:
    """A kind in which all numbers and arrays have been replaced, but not their layout."""
    if isinstance(kind, k.Num):
        return result_types.laid_out(function(kind), result_types.unordered(kind))
    if isinstance(kind, k.Tup):
        return k.Tup(tuple(mapped(function, item) for item in kind.items))
    return k.Lst(mapped(function, kind.item)) if isinstance(kind, k.Lst) and kind.item is not None else kind


WEAKER = {
    "all is known": lambda num: num,
    "sizes unknown": lambda num: k.Num(num.dtype, num.dims and (None,) * len(num.dims), num.boxed),
    "shape unknown": lambda num: k.Num(num.dtype, None, None) if num.dims else num,
    "dtype unknown": lambda num: k.Num(None, num.dims, num.boxed),
    "a number": lambda num: k.Num(),
}


def states(args: tuple, options: dict) -> Iterator[tuple[str, list, dict, dict]]:
    """(what is known, kinds of the arguments, kinds of the options, sizes) in all states of knowledge."""
    for literal, common in itertools.product((True, False), (True, False)):
        symbols: dict[int, str] | None = {} if common else None
        sizes: dict[str, int] = {}
        kinds = []
        for position, value in enumerate(args):
            array = any(isinstance(leaf, (np.ndarray, np.generic)) for _, leaf in leaves(value))
            kind = written(value) if literal and not array else computed(value, f"x{position}", symbols)
            enter(kind, value, sizes)
            kinds.append(kind)
        named = {name: written(value) for name, value in options.items()}
        for name, weaken in WEAKER.items():
            yield name, [mapped(weaken, kind) for kind in kinds], named, sizes
        if len(kinds) > 1:                                     # one argument of which less is known than of the others
            for position in range(len(kinds)):
                less = [mapped(WEAKER["shape unknown"], kind) if j == position else kind for j, kind in enumerate(kinds)]
                yield f"shape of argument {position} unknown", less, named, sizes


def enter(kind: k.Kind, value: Any, sizes: dict[str, int]) -> None:
    """The sizes that the symbols of an argument stand for."""
    if isinstance(kind, k.Num) and kind.dims:
        sizes.update({dim: n for dim, n in zip(kind.dims, np.shape(value)) if isinstance(dim, str)})
    elif isinstance(kind, k.Tup):
        for item, part in zip(kind.items, value):
            enter(item, part, sizes)


@functools.cache
def accepted() -> tuple[type[Exception], ...]:
    """What the inference takes for "nothing is known" when a kind function raises it."""
    from sourcegrad.kinds import results
    return (results.Unknown, TypeError, ValueError, AttributeError, IndexError)
