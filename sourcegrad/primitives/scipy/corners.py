"""Rules for multilinear interpolation: the sum of the values at the corners of a cell, each with a product of shares as its weight.

Along an axis the weights of both ends are 1 - share and share, and their derivatives -1 and 1; a second one is zero.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sourcegrad.kinds import Kind, Num
from sourcegrad.kinds.results import Unknown, leaf, shape_of
from sourcegrad.primitives.core import COMPLEX, REAL, conj, rule, sample
from sourcegrad.primitives.scipy.resampling import raised

AT_ONCE = 1 << 14                               # points in a part of the work, which bounds its memory


def weighed(sizes: tuple, places: tuple, nu: tuple, shares: tuple) -> Iterator[tuple]:
    """Of a part of the points after the other: which, and for each corner the position in the flat values and the weight"""
    if any(n > 1 for n in nu):
        return
    for start in range(0, len(shares[0]), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        corners: list[tuple] = [(0, 1.0)]
        for size, place, share, n in zip(sizes, places, shares, nu):
            low, up = place[part], share[part]
            corners = [(flat * size + low + end, weight * ((up if end else 1.0 - up) if n == 0 else 2.0 * end - 1.0))
                       for flat, weight in corners for end in (0, 1)]
        yield part, corners


def corner_values(values: Any, places: tuple, nu: tuple, s: Any, t: Any, u: Any) -> Any:
    """The interpolant, or a derivative by shares; values: at a grid, with a column each in the last axis; places: cells along each
    axis; s, t, u: shares along the axes, None for those that are not there"""
    table = values.reshape(-1, values.shape[-1])
    found = np.zeros((len(s), table.shape[1]), np.result_type(values, s))
    for part, corners in weighed(values.shape, places, nu, (s, t, u)):
        for flat, weight in corners:
            found[part] += np.reshape(weight, (-1, 1)) * table[flat]
    return found


def corner_sums(weights: Any, places: tuple, sizes: tuple, nu: tuple, s: Any, t: Any, u: Any) -> Any:
    """The adjoint of `corner_values` in the values"""
    count, columns = int(np.prod(sizes)), weights.shape[1]
    found = np.zeros((count, columns), weights.dtype)
    for part, corners in weighed(sizes, places, nu, (s, t, u)):
        for flat, weight in corners:
            np.add.at(found, flat, np.reshape(weight, (-1, 1)) * weights[part])
    return found.reshape(*sizes, columns)


def rows_kind(values: Kind, places: Kind, nu: Kind, s: Kind, t: Kind, u: Kind) -> Kind:
    return Num("float64" if leaf(values).dtype == leaf(s).dtype == "float64" else None, (None, None), True)


def table_kind(weights: Kind, places: Kind, sizes: Kind, nu: Kind, s: Kind, t: Kind, u: Kind) -> Kind:
    try:
        dims: Any = (None,) * (len(shape_of(sizes)) + 1)
    except Unknown:
        dims = None
    return Num("float64" if leaf(weights).dtype == leaf(s).dtype == "float64" else None, dims, True)


CELLS = (np.array([0, 2, 1]), np.array([1, 0, 1]), np.array([0, 1, 1]))


@rule(corner_values, kind=rows_kind, order="other", samples=[
    sample(REAL(4, 2), CELLS[:1], (0,), REAL(3), None, None), sample(REAL(4, 3, 1), CELLS[:2], (0, 0), REAL(3), REAL(3), None),
    sample(REAL(4, 3, 3, 1), CELLS, (0, 1, 0), REAL(3), REAL(3), REAL(3)),
    sample(COMPLEX(4, 3, 2), CELLS[:2], (1, 0), REAL(3), REAL(3), None)])
def corner_values_rule(ct, out, values, places, nu, s, t, u):
    """out = the sum over corners of their weights times the values there"""
    table = corner_sums(ct, places, np.shape(values)[:-1], nu, s, t, u)
    by_s = np.real(np.sum(ct * conj(corner_values(values, places, raised(nu, 0), s, t, u)), axis=1))
    if t is None:
        return table, None, None, by_s
    by_t = np.real(np.sum(ct * conj(corner_values(values, places, raised(nu, 1), s, t, u)), axis=1))
    if u is None:
        return table, None, None, by_s, by_t
    by_u = np.real(np.sum(ct * conj(corner_values(values, places, raised(nu, 2), s, t, u)), axis=1))
    return table, None, None, by_s, by_t, by_u


@rule(corner_sums, kind=table_kind, order="other", samples=[
    sample(REAL(3, 2), CELLS[:1], (4,), (0,), REAL(3), None, None),
    sample(REAL(3, 1), CELLS[:2], (4, 3), (0, 1), REAL(3), REAL(3), None),
    sample(COMPLEX(3, 1), CELLS, (4, 3, 3), (0, 0, 0), REAL(3), REAL(3), REAL(3))])
def corner_sums_rule(ct, out, weights, places, sizes, nu, s, t, u):
    """out = the sums over points of the weights of a corner"""
    rows = corner_values(ct, places, nu, s, t, u)
    by_s = np.real(np.sum(conj(weights) * corner_values(ct, places, raised(nu, 0), s, t, u), axis=1))
    if t is None:
        return rows, None, None, None, by_s
    by_t = np.real(np.sum(conj(weights) * corner_values(ct, places, raised(nu, 1), s, t, u), axis=1))
    if u is None:
        return rows, None, None, None, by_s, by_t
    by_u = np.real(np.sum(conj(weights) * corner_values(ct, places, raised(nu, 2), s, t, u), axis=1))
    return rows, None, None, None, by_s, by_t, by_u
