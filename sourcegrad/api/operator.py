"""The Jacobian of a function at a point as a linear operator, which is never formed."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.api.directions import Columns, Rows, arguments
from sourcegrad.api.gradient import check_function
from sourcegrad.api.inputs import input_value
from sourcegrad.api.jacobian import check_names
from sourcegrad.api.parts import check_result, common, cut, flat, mapped, parts
from sourcegrad.api.pullback import Pullback
from sourcegrad.api.shadow_run import duplicate
from sourcegrad.errors import InputError, public


@public
def jacobian_operator(function: Callable, *args: Any, inputs: Any = None, **options: Any) -> Any:
    """The Jacobian of a function at some arguments as a `scipy.sparse.linalg.LinearOperator`: products, and no matrix.

    inputs: as in `grad`; options: keyword arguments of the function. Arrays count as flattened, several outputs and inputs as
    joined. `A @ v` is a sweep of forward mode, `A.T @ w` one of reverse mode; products with matrices carry their columns through
    one sweep.
    Raises located errors.

    >>> import numpy as np, sourcegrad as sg
    >>> A = sg.jacobian_operator(lambda x: x[1:] * x[:-1], np.array([1.0, 2.0, 3.0]))
    >>> A.shape, A @ np.array([1.0, 0.0, 0.0]), A.T @ np.array([1.0, 1.0])
    ((2, 3), array([2., 0.]), array([2., 4., 2.]))
    """
    try:
        from scipy.sparse.linalg import LinearOperator
    except ImportError:
        raise InputError("a linear operator needs SciPy", remedy="Install it: pip install scipy.") from None
    check_function(function, "jacobian_operator")
    check_names("jacobian_operator", inputs)
    rows, columns = Rows(function, inputs, False), Columns(function, inputs, False)
    gradient = rows.gradient
    own, given_options = duplicate((args, options))          # they stay what they are, whatever becomes of those of the caller
    values, defaults = arguments(gradient, own, given_options)
    given = [(name, input_value(name, values[name], gradient._origin)) for name in gradient._active()[0]]
    keywords = {**given_options, **defaults}
    value, pullback = Pullback.of(gradient, own, given_options)
    check_result(value)
    places = [part for name, x in given for part in parts(x, (name,))]
    results = list(parts(value, kinds="fciub"))

    def ahead(vectors: np.ndarray) -> np.ndarray:
        """Of several vectors, one a column."""
        found = columns.products(own, keywords, given, vectors.shape[1], lambda start, stop: cut(places, vectors.T[start:stop]))
        return found[2].T

    def back(vector: np.ndarray) -> np.ndarray:
        weights = cut(results, np.reshape(vector, (1, -1)))
        moved = mapped(lambda path, part: weights[path][0] if isinstance(part, np.ndarray) else weights[path][0][()], value,
                       kinds="fciub", others=True)
        found = pullback(moved)
        return flat(list(parts((found,))), 1)[0]

    shape = tuple(sum(int(np.size(part)) for _, part in items) for items in (results, places))
    return LinearOperator(shape, matvec=lambda v: ahead(np.reshape(v, (-1, 1)))[:, 0], rmatvec=back, matmat=ahead,
                          dtype=common(*(part for _, part in (*results, *places))))
