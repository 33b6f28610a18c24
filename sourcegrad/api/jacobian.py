"""Matrices of derivatives and their products with vectors, as functions of a function's arguments.

A Jacobian comes from sweeps of forward mode (one direction for each number of the inputs) or of reverse mode (one for each
number of the result), whichever are fewer; `api.directions` carries several of them through one sweep.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.api.directions import Columns, Rows, arguments, backwards
from sourcegrad.api.gradient import _make, check_function, with_source
from sourcegrad.api.inputs import input_value
from sourcegrad.api.parts import Part, blocks, mapped, parts
from sourcegrad.api.prepared import prepared
from sourcegrad.errors import InputError, MissingRuleError, UnsupportedError, public
from sourcegrad.ir.paths import base_of, value_at
from sourcegrad.runtime.core import as_gradient

MODES = ("auto", "forward", "reverse")
FEW = 8                                 # so many inputs go through forward mode whatever the number of results


class Matrix:
    """A function of the arguments of another one. Pickles by reference to that."""

    __sourcegrad_callable__ = True
    tool = "jacobian"

    def __init__(self, function: Callable, inputs: Any = None, mode: str = "auto", has_aux: bool = False) -> None:
        check_function(function, self.tool)
        check_names(self.tool, inputs)
        if mode not in MODES:
            raise InputError(f"{self.tool}: mode is {mode!r}", remedy="It is 'auto', 'forward' or 'reverse'.")
        self._function, self._inputs, self._mode, self._has_aux = function, inputs, mode, bool(has_aux)
        self._known: dict[tuple, int] = {}                   # how many numbers the results have, by the shapes of the inputs
        self.__name__ = f"{getattr(function, '__name__', 'function')}_{self.tool}"
        self.__doc__ = f"The {self.tool} of {getattr(function, '__qualname__', function)}, by sourcegrad."
        self._reverse.gradient._active()

    @property
    def _subject(self) -> Any:
        """What is differentiated by the sweeps."""
        return with_source(self._function)

    @functools.cached_property
    def _reverse(self) -> Rows:
        return Rows(self._subject, self._inputs, self._has_aux)

    @functools.cached_property
    def _forward(self) -> Columns:
        return Columns(self._subject, self._inputs, self._has_aux)

    @property
    def __signature__(self) -> Any:
        return self._reverse.gradient._signature()

    def __reduce__(self) -> tuple:
        return type(self), (self._function, self._inputs, self._mode, self._has_aux)

    def __repr__(self) -> str:
        inputs = "" if self._inputs is None else f", inputs={self._inputs!r}"
        return f"<sourcegrad.{self.tool}({getattr(self._function, '__qualname__', self._function)}{inputs})>"

    def _given(self, args: tuple, options: dict) -> tuple[list[tuple[str, Any]], dict]:
        """The inputs of a call, as they are differentiated, by their names; the options with those inputs that are defaults."""
        gradient = self._reverse.gradient
        if not options and not gradient._layers:             # as nearly always: the inputs stand at their positions
            parameters = list(gradient._signature().parameters.values())[:len(args)]
            places = {p.name: x for p, x in zip(parameters, args) if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)}
            names = gradient._active()[0]
            if len(places) == len(args) and all(name in places for name in names):
                return [(name, input_value(name, places[name], gradient._origin)) for name in names], options
        values, defaults = arguments(gradient, args, options)
        found = [(path, values[path] if base_of(path) == path else value_at(path, values[base_of(path)], gradient._origin()))
                 for path in gradient._active()[0]]
        return [(path, input_value(path, x, gradient._origin)) for path, x in found], {**options, **defaults}


class Jacobian(Matrix):
    """The Jacobian of a function: `jacobian(f)(*args)` has the shape of the result + the shape of the input."""

    _prepared: Any = None                                    # calls like the last one

    @public
    def __call__(self, /, *args: Any, **options: Any) -> Any:
        ready = self._prepared                               # (another thread may change it)
        if ready is not None and not options:
            found = ready(args)
            if found is not None:
                return found
        value, aux, matrix, given = self._matrix(args, options)
        found = self._structured(value, matrix, given)
        return (found, aux) if self._has_aux else found

    @functools.cached_property
    def as_function(self) -> Any:
        """The same as a function with source, which can be differentiated again."""
        from sourcegrad.api.inside import function_around
        return function_around(self)

    def generated_for(self, args: list, keywords: dict) -> Any:
        """The function that stands for a call of this inside a function that is differentiated."""
        from sourcegrad.api.inside import jacobian_of
        return jacobian_of(self, args, keywords)

    def _matrix(self, args: tuple, options: dict) -> tuple[Any, Any, np.ndarray, list[tuple[str, Any]]]:
        """The value, what is returned beside it, one matrix for all numbers of results and inputs, and the inputs."""
        given, options = self._given(args, options)
        columns = [part for path, x in given for part in parts(x, (path,))]
        mode, key = self._mode, tuple(np.shape(x) for _, x in columns)
        count = sum(int(np.size(x)) for _, x in columns)
        if mode == "auto":
            known = self._known.get(key)
            few = count <= FEW if known is None else count <= known
            mode = "forward" if few and not self._only_reverse(columns) else "reverse" if known else "first"
        if mode == "forward":
            try:
                value, aux, matrix = self._forward.matrix(args, options, given, columns)
            except (UnsupportedError, MissingRuleError):
                if self._mode == "forward":
                    raise
                mode = "reverse"
        if mode != "forward":
            value, aux, matrix = self._reverse.matrix(args, options, given, columns, self._other if mode == "first" else None)
        self._known[key] = matrix.shape[0]
        self._prepared = prepared(self, mode, args, options, given, value)
        return value, aux, self._finished(matrix), given

    def _finished(self, matrix: np.ndarray) -> np.ndarray:
        """The matrix as it is given."""
        return matrix

    def _only_reverse(self, columns: list[Part]) -> bool:
        return backwards(self._reverse.gradient) or any(np.iscomplexobj(x) for _, x in columns)

    def _other(self, rows: int, args: tuple, options: dict, given: Any, columns: list[Part]) -> Any:
        """The result of forward mode, where it takes fewer sweeps than there are rows, or None."""
        if sum(int(np.size(x)) for _, x in columns) > rows or self._only_reverse(columns):
            return None
        try:
            return self._forward.matrix(args, options, given, columns)
        except (UnsupportedError, MissingRuleError):
            return None

    def _structured(self, value: Any, matrix: np.ndarray, given: list[tuple[str, Any]]) -> Any:
        """The matrix in blocks: in the structure of the result, in each part of it that of the inputs."""
        columns = [part for path, x in given for part in parts(x, (path,))]
        rows = list(parts(value, kinds="fciub"))
        cut = blocks(matrix, rows, columns)

        def of_result(path: tuple, part: Any) -> Any:
            found = tuple(self._of_input(name, x, cut[path]) for name, x in given)
            return found[0] if self._reverse.gradient._active()[1] else found

        return mapped(of_result, value, kinds="fciub")

    def _of_input(self, name: str, x: Any, found: dict[tuple, Any]) -> Any:
        """The blocks of one part of the result in the structure of the gradient of an input."""
        places = iter([place for place, _ in parts(x, (name,))])
        return mapped(lambda path, part: found[next(places)], as_gradient(0.0, x))


class Hessian(Jacobian):
    """The Hessian of a function that gives a number: `hessian(f)(*args)` has the shape of the input twice."""

    tool = "hessian"

    @functools.cached_property
    def _subject(self) -> Any:                               # type: ignore[override]
        return _make(self._function, self._inputs, None, False, self._has_aux)

    def _finished(self, matrix: np.ndarray) -> np.ndarray:
        if matrix.shape[0] == matrix.shape[1] and not np.iscomplexobj(matrix):
            matrix = 0.5 * (matrix + matrix.T)               # rounding differs in the two halves
        return matrix


class HVP(Matrix):
    """The product of a Hessian with a vector: `hvp(f)(x, v, *rest)`; v has the structure of the inputs."""

    tool = "hvp"

    @functools.cached_property
    def _subject(self) -> Any:                               # type: ignore[override]
        return _make(self._function, self._inputs, None, False, self._has_aux)

    @functools.cached_property
    def _product(self) -> Any:
        """The tangent of the gradient alone."""
        from sourcegrad.api.pushforward import Pushforward
        return Pushforward(self._subject, self._inputs, with_value=False)

    _way: tuple = (None, False, ())                          # whether forward mode comes first, the names of tangents; of what

    def _forwards(self, described: Any) -> tuple[bool, tuple]:
        if self._way[0] is not described:
            first = self._mode != "reverse" and not (self._mode == "auto" and backwards(self._reverse.gradient))
            self._way = described, first, tuple(self._product._tangents.values()) if first else ()
        return self._way[1:]                                 # type: ignore[return-value]

    @public
    def __call__(self, x: Any, v: Any, /, *rest: Any, **options: Any) -> Any:
        described = self._reverse.gradient._described()
        names, single = described[2]
        vectors = (v,) if single else v
        if not isinstance(vectors, (tuple, list)) or len(vectors) != len(names):
            raise InputError(f"{self.tool}: the vector is not a tuple of {len(names)} parts", self._reverse.gradient._origin(),
                             "Give one for each input.")
        found, (first, dots) = None, self._forwards(described)
        if first:
            try:
                found = self._forward.along((x, *rest), options, vectors) if self._has_aux else (
                    self._product(x, *rest, **options, **dict(zip(dots, vectors))), None)
            except (UnsupportedError, MissingRuleError):
                if self._mode == "forward":
                    raise
        if found is None:
            found = self._reverse.along((x, *rest), options, v)          # the Hessian is symmetric
        product, aux = found
        return (product, aux) if self._has_aux else product

    def generated_for(self, args: list, keywords: dict) -> Any:
        """The function that stands for a call of this inside a function that is differentiated."""
        from sourcegrad.api.inside import product_of
        return product_of(self, args, keywords)


class VHP(HVP):
    """The product of a vector with a Hessian, which is symmetric."""

    tool = "vhp"


def check_names(tool: str, inputs: Any) -> None:
    """Refuse values in the place of the names of inputs."""
    items = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    if not all(item is None or isinstance(item, (str, int, np.integer)) and not isinstance(item, bool) for item in items):
        values = f"sg.autograd.functional.{tool} takes values, as in PyTorch." if tool in (
            "jacobian", "hessian", "hvp", "vhp") else "The values are the arguments of what it returns."
        raise InputError(f"{tool}: inputs are names or positions of parameters, not values",
                         remedy=f"Write sg.{tool}(f, inputs=...)(x). {values}")


@public
def jacobian(function: Callable, inputs: Any = None, mode: str = "auto", has_aux: bool = False, *, sparse: bool = False,
             sparsity: Any = None) -> Jacobian:
    """The Jacobian of a function, as a function of its arguments.

    inputs: as in `grad`. mode: "forward" takes a direction for each number of the inputs, "reverse" one for each number of the
    result, "auto" what is less, by the sizes seen. has_aux: the function returns (value, aux), and a call (Jacobian, aux). The
    matrix has the shape of the output + the shape of the input; dicts, lists, tuples and objects of outputs hold one for each part,
    and in it one for each part of the inputs. sparse: the result is a CSR matrix of `scipy.sparse` of all numbers of output and
    input, from as many directions as its pattern has colours; its `plan` says so. sparsity: the pattern, where it is known (else it
    is found, as by `sparsity`). Raises located errors.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.jacobian(lambda x: x ** 2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    >>> sg.jacobian(lambda t, y: t * y ** 2, "y")(2.0, np.array([1.0, 3.0]))
    array([[ 4.,  0.],
           [ 0., 12.]])
    """
    if not sparse and sparsity is None:
        return Jacobian(function, inputs, mode, has_aux)
    from sourcegrad.api.sparse import Sparse
    return Sparse(function, inputs, mode, has_aux, sparsity)


@public
def jacfwd(function: Callable, inputs: Any = None, has_aux: bool = False) -> Jacobian:
    """The Jacobian of a function by forward mode: `jacobian(function, inputs, mode="forward")`.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.jacfwd(lambda t: np.array([t, t * t, t ** 3]))(2.0)
    array([ 1.,  4., 12.])
    """
    return Jacobian(function, inputs, "forward", has_aux)


@public
def jacrev(function: Callable, inputs: Any = None, has_aux: bool = False) -> Jacobian:
    """The Jacobian of a function by reverse mode: `jacobian(function, inputs, mode="reverse")`.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.jacrev(lambda x: np.sum(x ** 2))(np.array([1.0, 3.0]))
    array([2., 6.])
    """
    return Jacobian(function, inputs, "reverse", has_aux)


@public
def hessian(function: Callable, inputs: Any = None, mode: str = "auto", has_aux: bool = False, *, sparse: bool = False,
            sparsity: Any = None) -> Hessian:
    """The Hessian of a function that gives a number, as a function of its arguments; symmetric to the last bit.

    inputs, has_aux: as in `jacobian`. mode: that of the sweeps over the gradient: "forward" (also what "auto" takes) or "reverse".
    For several inputs the result is a tuple of rows, each a tuple. sparse, sparsity: as in `jacobian`. Raises located errors.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.hessian(lambda x: (x ** 3).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    if not sparse and sparsity is None:
        return Hessian(function, inputs, mode, has_aux)
    from sourcegrad.api.sparse import SparseHessian
    return SparseHessian(function, inputs, mode, has_aux, sparsity)


@public
def hvp(function: Callable, inputs: Any = None, mode: str = "auto", has_aux: bool = False) -> HVP:
    """The product of a Hessian with a vector, as a function `(x, v, *rest)` of the arguments and the vector, which comes second.

    inputs: as in `grad`; v is like the input, or a tuple for several. mode: "forward" (also "auto") goes forward over the gradient,
    "reverse" back. has_aux: the function returns (value, aux), and a call (product, aux). Raises located errors.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.hvp(lambda x, a: a * (x ** 3).sum())(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 0.5)      # as SciPy's `hessp`
    array([3., 6.])
    """
    return HVP(function, inputs, mode, has_aux)


@public
def vhp(function: Callable, inputs: Any = None, mode: str = "auto", has_aux: bool = False) -> VHP:
    """The product of a vector with a Hessian: as `hvp`, as Hessians are symmetric.

    >>> import numpy as np, sourcegrad as sg
    >>> sg.vhp(lambda x: (x ** 3).sum())(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    return VHP(function, inputs, mode, has_aux)


for _static in (jacobian, jacfwd, jacrev, hessian, hvp, vhp):      # calls of these inside a function are evaluated at generation
    _static.__sourcegrad_static__ = True            # type: ignore[attr-defined, union-attr]
    _static.__sourcegrad_callable__ = True          # type: ignore[attr-defined, union-attr]
