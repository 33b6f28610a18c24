"""Distances of scipy.spatial: between two vectors, all rows of one or two matrices, by their formulas (along the last axis).

Each has derivatives in both points and in its parameters: the power p, weights w, variances V, the inverse covariance VI. A
distance of 0 that is a root has gradient 0, as a norm has; equal greatest differences share that of Chebyshev's distance.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import spatial, special
from scipy.spatial import distance

from sourcegrad.primitives.core import declare
from sourcegrad.runtime import no_formula

METRIC = "this metric of scipy.spatial.distance, or one of its options"


def weighted(x: Any, w: Any) -> Any:
    return x if w is None else w * x


def euclidean(u: Any, v: Any, w: Any = None) -> Any:
    """The root of the sum of w (u - v)^2"""
    if w is None:
        return np.linalg.norm(u - v, axis=-1)
    return np.sqrt(np.sum(w * np.square(u - v), axis=-1))


def sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    """The sum of w (u - v)^2"""
    return np.sum(weighted(np.square(u - v), w), axis=-1)


def cityblock(u: Any, v: Any, w: Any = None) -> Any:
    """The sum of w |u - v|"""
    return np.sum(weighted(np.abs(u - v), w), axis=-1)


def chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    """The greatest |u - v| whose weight is not 0"""
    return np.max(np.abs(u - v) if w is None else np.where(w > 0, np.abs(u - v), 0.0), axis=-1)


def minkowski(u: Any, v: Any, p: Any = 2.0, w: Any = None) -> Any:
    """(sum of w |u - v|^p)^(1 / p)"""
    if p <= 0:
        raise ValueError("p must be greater than 0")
    if np.isinf(p):
        return np.max(np.abs(u - v) if w is None else np.where(w != 0, np.abs(u - v), 0.0), axis=-1)
    return np.sum(weighted(np.abs(u - v) ** p, w), axis=-1) ** (1.0 / p)


def correlation(u: Any, v: Any, w: Any = None, centered: bool = True) -> Any:
    """1 - <u, v> / (|u| |v|), less their means"""
    if w is not None:
        w = w / np.sum(w)
    if centered:
        u = u - np.sum(weighted(u, w), axis=-1, keepdims=True) / (u.shape[-1] if w is None else 1.0)
        v = v - np.sum(weighted(v, w), axis=-1, keepdims=True) / (v.shape[-1] if w is None else 1.0)
    scale = np.sqrt(np.sum(weighted(u * u, w), axis=-1) * np.sum(weighted(v * v, w), axis=-1))
    return 1.0 - np.sum(weighted(u * v, w), axis=-1) / scale


def cosine(u: Any, v: Any, w: Any = None) -> Any:
    """1 - <u, v> / (|u| |v|)"""
    return correlation(u, v, w, False)


def braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    """The sum of w |u - v|, divided by that of w |u + v|"""
    return np.sum(weighted(np.abs(u - v), w), axis=-1) / np.sum(weighted(np.abs(u + v), w), axis=-1)


def canberra(u: Any, v: Any, w: Any = None) -> Any:
    """The sum of w |u - v| / (|u| + |v|), without what is 0 / 0"""
    size = np.abs(u) + np.abs(v)
    return np.sum(weighted(np.where(size > 0, np.abs(u - v) / np.where(size > 0, size, 1.0), 0.0), w), axis=-1)


def seuclidean(u: Any, v: Any, V: Any) -> Any:
    """The root of the sum of (u - v)^2 / V"""
    return euclidean(u, v, 1.0 / np.asarray(V))


def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    """The root of (u - v) VI (u - v)"""
    return np.sqrt(np.sum(np.matmul(u - v, np.atleast_2d(VI)) * (u - v), axis=-1))


def jensenshannon(p: Any, q: Any, base: Any = None, *, axis: int = 0, keepdims: bool = False) -> Any:
    """The root of half the relative entropies of p and q to their mean (B. Fuglede, F. Topsoe 2004)"""
    p, q = np.asarray(p) + 0.0, np.asarray(q) + 0.0
    p, q = p / np.sum(p, axis=axis, keepdims=True), q / np.sum(q, axis=axis, keepdims=True)
    middle = 0.5 * (p + q)
    both = np.sum(special.rel_entr(p, middle) + special.rel_entr(q, middle), axis=axis, keepdims=keepdims)
    root = np.where(both == 0, 0.0, np.sqrt(np.where(both == 0, 1.0, 0.5 * both)))[()]         # of equal ones, where it has a kink
    return root if base is None else root / np.sqrt(np.log(base))


def hamming(u: Any, v: Any, w: Any = None) -> Any:
    """The share of different elements"""
    if w is None:
        return np.mean(u != v, axis=-1)
    return np.sum(np.where(u != v, w, 0.0), axis=-1) / np.sum(w)


# --- of two vectors

def vector(x: Any) -> Any:
    """A list or array as an array of floats."""
    return np.asarray(x) + 0.0


def euclidean_of(u: Any, v: Any, w: Any = None) -> Any:
    return euclidean(vector(u), vector(v), w if w is None else vector(w))


def sqeuclidean_of(u: Any, v: Any, w: Any = None) -> Any:
    return sqeuclidean(vector(u), vector(v), w if w is None else vector(w))


def cityblock_of(u: Any, v: Any, w: Any = None) -> Any:
    return cityblock(vector(u), vector(v), w if w is None else vector(w))


def chebyshev_of(u: Any, v: Any, w: Any = None) -> Any:
    return chebyshev(vector(u), vector(v), w if w is None else vector(w))


def minkowski_of(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    return minkowski(vector(u), vector(v), p, w if w is None else vector(w))


def correlation_of(u: Any, v: Any, w: Any = None, centered: bool = True) -> Any:
    return correlation(vector(u), vector(v), w if w is None else vector(w), centered)


def cosine_of(u: Any, v: Any, w: Any = None) -> Any:
    return cosine(vector(u), vector(v), w if w is None else vector(w))


def braycurtis_of(u: Any, v: Any, w: Any = None) -> Any:
    return braycurtis(vector(u), vector(v), w if w is None else vector(w))


def canberra_of(u: Any, v: Any, w: Any = None) -> Any:
    return canberra(vector(u), vector(v), w if w is None else vector(w))


def seuclidean_of(u: Any, v: Any, V: Any) -> Any:
    return seuclidean(vector(u), vector(v), V)


def mahalanobis_of(u: Any, v: Any, VI: Any) -> Any:
    return mahalanobis(vector(u), vector(v), VI)


def hamming_of(u: Any, v: Any, w: Any = None) -> Any:
    return hamming(vector(u), vector(v), w if w is None else vector(w))


# --- of rows

def between(u: Any, v: Any, metric: Any, p: Any, w: Any, V: Any, VI: Any) -> Any:
    """Distances along the last axis, by the name of the metric"""
    if metric in ("euclidean", "euclid", "eu", "e"):
        return euclidean(u, v, w)
    if metric in ("sqeuclidean", "sqeuclid", "sqe"):
        return sqeuclidean(u, v, w)
    if metric in ("cityblock", "cblock", "cb", "c", "manhattan"):
        return cityblock(u, v, w)
    if metric in ("minkowski", "mi", "m", "pnorm"):
        return minkowski(u, v, p, w)
    if metric in ("chebyshev", "chebychev", "cheby", "cheb", "ch"):
        return chebyshev(u, v, w)
    if metric in ("cosine", "cos"):
        return cosine(u, v, w)
    if metric in ("correlation", "co"):
        return correlation(u, v, w)
    if metric == "braycurtis":
        return braycurtis(u, v, w)
    if metric == "canberra":
        return canberra(u, v, w)
    if metric in ("hamming", "hamm", "ha", "h", "matching"):
        return hamming(u, v, w)
    if w is not None:
        no_formula(u, METRIC)
    if metric in ("seuclidean", "se", "s"):
        return seuclidean(u, v, V)
    if metric in ("mahalanobis", "mahal", "mah"):
        return mahalanobis(u, v, VI)
    if metric not in ("jensenshannon", "js"):
        no_formula(u, METRIC)
    return jensenshannon(u, v, axis=-1)


def spread(x: Any, metric: Any, V: Any) -> Any:
    """The variances of the columns, where they are not given"""
    return np.var(x, axis=0, ddof=1) if V is None and metric in ("seuclidean", "se", "s") else V


def inverse(x: Any, metric: Any, VI: Any) -> Any:
    """The inverse of the covariance of the columns, where it is not given"""
    if VI is not None or metric not in ("mahalanobis", "mahal", "mah"):
        return VI
    if x.shape[0] <= x.shape[1]:
        raise ValueError("The number of observations is too small; the covariance matrix is singular.")
    return np.linalg.inv(np.atleast_2d(np.cov(x.T))).T


def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, p: Any = 2.0, w: Any = None, V: Any = None, VI: Any = None) -> Any:
    """The distances of all rows of one matrix from all rows of another"""
    a, b = np.asarray(XA) + 0.0, np.asarray(XB) + 0.0
    if callable(metric):
        return np.array([[metric(u, v) for v in b] for u in a])
    both = np.concatenate((a, b))
    return between(a[:, np.newaxis, :], b[np.newaxis, :, :], metric, p, w, spread(both, metric, V), inverse(both, metric, VI))


def pdist(X: Any, metric: Any = "euclidean", *, p: Any = 2.0, w: Any = None, V: Any = None, VI: Any = None) -> Any:
    """The distances of all pairs of rows of a matrix, the first with all others first"""
    x = np.asarray(X) + 0.0
    first, second = np.triu_indices(len(x), 1)
    if callable(metric):
        return np.array([metric(x[i], x[j]) for i, j in zip(first, second)])
    return between(x[first], x[second], metric, p, w, spread(x, metric, V), inverse(x, metric, VI))


def squareform(X: Any, force: str = "no", checks: bool = True) -> Any:
    """The symmetric matrix of the distances of all pairs, or of a matrix these"""
    if np.ndim(X) == 2 and force != "tomatrix":
        first, second = np.triu_indices(len(X), 1)
        return np.asarray(X)[first, second]
    count = int(np.ceil(np.sqrt(2.0 * len(X))))
    first, second = np.triu_indices(count, 1)
    matrix = np.zeros((count, count), dtype=np.asarray(X).dtype)
    matrix[first, second] = X
    matrix[second, first] = X
    return matrix


NEAREST = "Ask the tree outside for the indices, and compute the distances: np.linalg.norm(x - points[index], axis=-1)."
GEOMETRY = "Ask it outside for the indices of the points, and compute areas, lengths and centres of points[index]."
declare("remedy", {spatial.KDTree: NEAREST, spatial.cKDTree: NEAREST, spatial.ConvexHull: GEOMETRY, spatial.Voronoi: GEOMETRY,
                   spatial.Delaunay: GEOMETRY})
declare("instead", {distance.cdist: cdist, distance.pdist: pdist, distance.squareform: squareform})
declare("instead", {
    distance.euclidean: euclidean_of, distance.sqeuclidean: sqeuclidean_of, distance.cityblock: cityblock_of,
    distance.chebyshev: chebyshev_of, distance.minkowski: minkowski_of, distance.correlation: correlation_of,
    distance.cosine: cosine_of, distance.braycurtis: braycurtis_of, distance.canberra: canberra_of,
    distance.seuclidean: seuclidean_of, distance.mahalanobis: mahalanobis_of, distance.jensenshannon: jensenshannon,
    distance.hamming: hamming_of})
