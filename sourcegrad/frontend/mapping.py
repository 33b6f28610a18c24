"""Functions that call another for every element, `np.vectorize(f)`, and NumPy's own in plain Python."""
from __future__ import annotations

import cmath
import functools
import heapq
import itertools
from typing import Any

import numpy as np

from sourcegrad import runtime, source, tree as t
from sourcegrad.errors import Origin, SourceError, SourcegradError
from sourcegrad.frontend.resolve import Function, Scope, describe
from sourcegrad.runtime import library, numpy_library, random_library

INSTEAD: dict[Any, Any] = {
    itertools.groupby: library.groupby, itertools.takewhile: library.takewhile, itertools.dropwhile: library.dropwhile,
    heapq.heappush: library.heappush, heapq.heappop: library.heappop, heapq.heapify: library.heapify,
    heapq.heappushpop: library.heappushpop, heapq.heapreplace: library.heapreplace, heapq.nsmallest: library.nsmallest,
    heapq.nlargest: library.nlargest, np.corrcoef: library.corrcoef, np.polyval: library.polyval,
    np.apply_along_axis: runtime.apply_along_axis, np.fromfunction: runtime.fromfunction,
           np.apply_over_axes: runtime.apply_over_axes,
    **{getattr(np, name): getattr(numpy_library, name) for name in (
        "gradient", "ediff1d", "correlate", "polyfit", "polyder", "polyint", "polyadd", "polysub", "polymul", "histogram",
        "unique")},
    **{getattr(np.fft, name): getattr(numpy_library, name) for name in ("rfftn", "rfft2", "irfft2", "irfftn")},
    cmath.polar: numpy_library.polar, cmath.rect: numpy_library.rect}

DRAWN = ("normal", "uniform", "exponential", "lognormal")
INSTEAD |= {getattr(np.random, name): getattr(random_library, name) for name in DRAWN}
METHODS_INSTEAD = {getattr(cls, name): getattr(random_library, f"{name}_from")
                   for cls in (np.random.Generator, np.random.RandomState) for name in DRAWN}

STATISTICS = {name: getattr(library, name) for name in ("mean", "fmean", "variance", "pvariance", "stdev", "pstdev")}


def instead(value: Any) -> Any:
    """The plain Python that is differentiated instead of a function; None for most."""
    if getattr(value, "__module__", None) == "statistics":           # imported by those who use it
        return STATISTICS.get(getattr(value, "__name__", ""))
    return INSTEAD.get(value)


class Vectorized:
    """`np.vectorize(function)`, where the first `captured` arguments belong to the function itself."""

    __sourcegrad_callable__ = True

    def __init__(self, function: Any, captured: int = 0, floats: bool = False) -> None:
        self.function, self.captured, self.floats = function, captured, floats
        self.__name__ = f"vectorized_{_name(function)}"

    def __call__(self, *args: Any) -> Any:
        return np.vectorize(functools.partial(self.function, *args[:self.captured]))(*args[self.captured:])

    @functools.lru_cache(maxsize=64)                                         # noqa: B019
    def of(self, count: int) -> Function:
        """The function of so many arguments."""
        name = _name(self.function)
        fixed = [f"c{j}" for j in range(self.captured)]
        names = [f"x{j}" for j in range(count - self.captured)]
        flat = "\n    ".join(f"{x}_flat = np.ravel(np.broadcast_to({x}, shape))" for x in names)
        items = ", ".join([*fixed, *(f"{x}_flat.item(j)" for x in names)])
        shapes = ", ".join(f"np.shape({x})" for x in names)
        text = (f"def {self.__name__}({', '.join([*fixed, *names])}):\n"
                f"    shape = np.broadcast_shapes({shapes})\n"
                f"    {flat}\n"
                f"    values = [{name}({items}) for j in range({names[0]}_flat.size)]\n"
                + ("    found = np.reshape(np.array(values, dtype=float), shape)\n" if self.floats else
                   "    check_results(values)\n    found = np.reshape(np.array(values), shape)\n")
                + f"    return in_ufunc_order(found, {', '.join(names)})\n")
        tree = source.parse_text(text)
        origin = self.function.origin if isinstance(self.function, Function) else _origin(self.function)
        for node in t.walk(tree):
            node.origin = origin
        tree.origin = origin
        known = {"np": np, name: self.function, "check_results": runtime.check_results,
                 "in_ufunc_order": runtime.in_ufunc_order}
        return Function(self.__name__, tree, Scope({}, {}, known))


def _name(function: Any) -> str:
    name = getattr(function, "__name__", getattr(function, "name", "function"))
    return name if name.isidentifier() else "function"


def _origin(function: Any) -> Any:
    try:
        return describe(function).origin
    except SourcegradError:
        return Origin(f"<np.vectorize({_name(function)})>", 1, 1, "")            # of a compiled function


def of_vectorize(f: np.vectorize) -> Vectorized:
    """A vectorized function of NumPy."""
    floats = f.otypes is not None and [np.dtype(d) for d in f.otypes] == [np.dtype(float)]
    for name in ("otypes", "signature", "excluded"):
        if getattr(f, name, None) and not (name == "otypes" and floats):
            raise SourceError(f"np.vectorize with {name}", remedy="Write the loop over the elements.")
    if f not in _vectorized:
        _vectorized[f] = Vectorized(f.pyfunc, floats=floats)
    return _vectorized[f]


_vectorized: dict[Any, Vectorized] = {}
