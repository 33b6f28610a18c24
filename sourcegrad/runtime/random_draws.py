"""Draws from distributions as functions of their parameters, in plain Python, for generated code to look into.

Location, scale and shapes that are powers stand in formulas of standard draws. What is drawn by rejection moves along its own
quantile: the distribution function stays as it is, F(z, a) = const, so that dz/da = -F_a / f (M. Figurnov, S. Mohamed,
A. Mnih, Implicit Reparameterization Gradients, 2018). F_a is an integral of a smooth function that decays exponentially.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime.numpy_library import drawn_shape

__all__ = ["as_drawn", "gamma_drawn", "gamma_slope", "beta_drawn", "beta_slope", "student_drawn", "student_slope", "f_slopes"]

# --- what draws depend on

def as_drawn(x: Any) -> Any:
    """A parameter as the generator takes it: a constant."""
    return x


def gamma_drawn(z: Any, shape: Any) -> Any:
    """What was drawn of the standard gamma distribution of a shape."""
    return z


def beta_drawn(x: Any, a: Any, b: Any) -> Any:
    """What was drawn of the beta distribution."""
    return x


def student_drawn(t: Any, df: Any) -> Any:
    """What was drawn of Student's t distribution."""
    return t


# --- integrals from 0 to infinity: s = exp(t - exp(-t)) makes them decay at both ends (H. Takahasi, M. Mori, 1974)

_PLACES = np.linspace(-3.6, 6.0, 320)
NODES = np.exp(_PLACES - np.exp(-_PLACES))
WEIGHTS = NODES * (1.0 + np.exp(-_PLACES)) * (_PLACES[1] - _PLACES[0])


def digamma(x: Any) -> Any:
    """psi(x) for x > 0: recurrence up to x + 10, then the asymptotic series (DLMF 5.11.2)"""
    far = x + 10.0
    square = 1.0 / (far * far)
    series = square * (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square * (1.0 / 240.0 - square / 132.0))))
    below = sum([1.0 / (x + k) for k in range(10)])
    return np.log(far) - 0.5 / far - series - below


def gamma_slope(z: Any, a: Any) -> Any:
    """dz/da = -z times the integral of (log t - psi(a)) (t / z)^a e^(z - t) by log t, up to z; or minus that from there on"""
    z, a = np.broadcast_arrays(np.asarray(z) + 0.0, np.asarray(a) + 0.0)
    within = (z > 0.0) & (z < np.inf)
    inside = np.where(within, z, 1.0)
    side, width = gamma_quadrature(inside, a)
    s = width[..., np.newaxis] * NODES
    turned = -side[..., np.newaxis] * s
    wide, shape = inside[..., np.newaxis], a[..., np.newaxis]
    weight = np.exp(np.maximum(shape * turned - wide * np.expm1(np.minimum(turned, 700.0)), -745.0))
    moment = np.sum((np.log(wide) + turned - digamma(shape)) * weight * WEIGHTS, axis=-1) * width
    return np.where(within, -side * inside * moment, 0.0)[()]


def gamma_quadrature(z: Any, a: Any) -> tuple:
    """Which end is nearer (1: 0, -1: infinity), and over what length the integrand decays."""
    low = z <= a
    curved = np.sqrt(0.5 * z)
    width_low = np.where(a <= 1.0, 1.0 / a, 1.0 / (np.abs(a - z) + curved))
    width_high = np.where(z < 1.0, 1.0 - np.log(np.minimum(z, 1.0)), 1.0 / (np.abs(z - a) + curved))
    return np.where(low, 1.0, -1.0), np.where(low, width_low, width_high)


def beta_slope(x: Any, a: Any, b: Any) -> Any:
    """dx/da, likewise, by log(t / (1 - t)): of (log t - psi(a) + psi(a + b)) (t / x)^a ((1 - t) / (1 - x))^b, times x (1 - x)"""
    x, a, b = np.broadcast_arrays(np.asarray(x) + 0.0, np.asarray(a) + 0.0, np.asarray(b) + 0.0)
    within = (x > 0.0) & (x < 1.0)
    inside = np.where(within, x, 0.5)
    side, width = beta_quadrature(inside, a, b)
    s = width[..., np.newaxis] * NODES
    low = side[..., np.newaxis] > 0.0
    near = np.where(low, inside[..., np.newaxis], 1.0 - inside[..., np.newaxis])
    first, second = a[..., np.newaxis], b[..., np.newaxis]
    spread = np.log1p(near * np.expm1(-s))
    weight = np.exp(np.maximum(-np.where(low, first, second) * s - (first + second) * spread, -745.0))
    logarithm = np.log(inside[..., np.newaxis]) - spread - np.where(low, s, 0.0)
    moment = np.sum((logarithm - digamma(first) + digamma(first + second)) * weight * WEIGHTS, axis=-1) * width
    return np.where(within, -side * inside * (1.0 - inside) * moment, 0.0)[()]


def beta_quadrature(x: Any, a: Any, b: Any) -> tuple:
    """Which end is nearer (1: 0, -1: 1), and over what length the integrand decays."""
    low = x * (a + b) <= a
    shape = np.where(low, a, b)
    width = 1.0 / (np.abs(a - (a + b) * x) + np.sqrt(0.5 * (a + b) * x * (1.0 - x)))
    return np.where(low, 1.0, -1.0), np.where(shape <= 1.0, 1.0 / shape, width)


def student_slope(t: Any, df: Any) -> Any:
    """dt/d(df): w = df / (df + t^2) has the beta distribution of the shapes df / 2 and 1 / 2"""
    t, df = np.broadcast_arrays(np.asarray(t) + 0.0, np.asarray(df) + 0.0)
    moves = (t != 0.0) & (np.abs(t) < np.inf)
    away = np.where(moves, t, 1.0)
    w = df / (df + away * away)
    slope = 0.5 * away / df - 0.25 * df / (w * w * away) * beta_slope(w, 0.5 * df, 0.5)
    return np.where(moves, slope, 0.0)[()]


def f_slopes(x: Any, dfn: Any, dfd: Any) -> Any:
    """dx/d(dfn) and dx/d(dfd): w = dfn x / (dfd + dfn x) has the beta distribution of the shapes dfn / 2 and dfd / 2"""
    x, dfn, dfd = np.broadcast_arrays(np.asarray(x) + 0.0, np.asarray(dfn) + 0.0, np.asarray(dfd) + 0.0)
    within = (x > 0.0) & (x < np.inf)
    inside = np.where(within, x, 1.0)
    w, rest = dfn * inside / (dfd + dfn * inside), dfd / (dfd + dfn * inside)
    by_first = 0.5 * beta_slope(w, 0.5 * dfn, 0.5 * dfd) / (w * rest) - 1.0 / dfn
    by_second = 1.0 / dfd - 0.5 * beta_slope(rest, 0.5 * dfd, 0.5 * dfn) / (w * rest)
    return np.where(within, inside * by_first, 0.0)[()], np.where(within, inside * by_second, 0.0)[()]


# --- formulas of draws, for the module and for a generator

def gamma_from(rng: Any, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """rng.gamma"""
    drawn = rng.standard_gamma(as_drawn(shape), drawn_shape(size, shape, scale, "scale"))
    return scale * gamma_drawn(drawn, shape)


def gamma(shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """np.random.gamma"""
    drawn = np.random.standard_gamma(as_drawn(shape), drawn_shape(size, shape, scale, "scale"))
    return scale * gamma_drawn(drawn, shape)


def standard_gamma_from(rng: Any, shape: Any, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """rng.standard_gamma"""
    check_plain(dtype, out)
    return gamma_drawn(rng.standard_gamma(as_drawn(shape), size), shape)


def standard_gamma(shape: Any, size: Any = None) -> Any:
    """np.random.standard_gamma"""
    return gamma_drawn(np.random.standard_gamma(as_drawn(shape), size), shape)


def check_plain(dtype: Any, out: Any) -> None:
    """Raise for draws of single precision, and for those that are written into an array."""
    if out is not None or dtype is not None and np.dtype(dtype) != np.float64:
        raise UnsupportedError("a draw of single precision, or into an array", remedy="Draw float64, and convert or assign it.")


def chisquare_from(rng: Any, df: Any, size: Any = None) -> Any:
    """rng.chisquare: twice a gamma variable of the shape df / 2"""
    return 2.0 * gamma_drawn(rng.standard_gamma(as_drawn(0.5 * np.asarray(df)), size), 0.5 * df)


def chisquare(df: Any, size: Any = None) -> Any:
    """np.random.chisquare"""
    return 2.0 * gamma_drawn(np.random.standard_gamma(as_drawn(0.5 * np.asarray(df)), size), 0.5 * df)


def f_from(rng: Any, dfnum: Any, dfden: Any, size: Any = None) -> Any:
    """rng.f: the quotient of two means of squares, which are drawn in turn"""
    pairs = half_pairs(dfnum, dfden, size)
    drawn = gamma_drawn(rng.standard_gamma(as_drawn(pairs)), pairs)
    return drawn[..., 0] * dfden / (drawn[..., 1] * dfnum)


def f(dfnum: Any, dfden: Any, size: Any = None) -> Any:
    """np.random.f"""
    pairs = half_pairs(dfnum, dfden, size)
    drawn = gamma_drawn(np.random.standard_gamma(as_drawn(pairs)), pairs)
    return drawn[..., 0] * dfden / (drawn[..., 1] * dfnum)


def half_pairs(dfnum: Any, dfden: Any, size: Any) -> Any:
    """The shapes of the two gamma variables of each draw."""
    whole = np.zeros(drawn_shape(size, dfnum, dfden, "dfden"))
    return 0.5 * np.stack((whole + dfnum, whole + dfden), axis=-1)


def beta_from(rng: Any, a: Any, b: Any, size: Any = None) -> Any:
    """rng.beta"""
    return beta_drawn(rng.beta(as_drawn(a), as_drawn(b), size), a, b)


def beta(a: Any, b: Any, size: Any = None) -> Any:
    """np.random.beta"""
    return beta_drawn(np.random.beta(as_drawn(a), as_drawn(b), size), a, b)


def standard_t_from(rng: Any, df: Any, size: Any = None) -> Any:
    """rng.standard_t"""
    return student_drawn(rng.standard_t(as_drawn(df), size), df)


def standard_t(df: Any, size: Any = None) -> Any:
    """np.random.standard_t"""
    return student_drawn(np.random.standard_t(as_drawn(df), size), df)


def dirichlet_from(rng: Any, alpha: Any, size: Any = None) -> Any:
    """rng.dirichlet: gamma variables divided by their sum"""
    shapes = rows_of_shapes(alpha, size) * np.asarray(alpha)
    drawn = gamma_drawn(rng.standard_gamma(as_drawn(shapes)), shapes)
    return drawn / np.sum(drawn, axis=-1, keepdims=True)


def dirichlet(alpha: Any, size: Any = None) -> Any:
    """np.random.dirichlet"""
    shapes = rows_of_shapes(alpha, size) * np.asarray(alpha)
    drawn = gamma_drawn(np.random.standard_gamma(as_drawn(shapes)), shapes)
    return drawn / np.sum(drawn, axis=-1, keepdims=True)


def rows_of_shapes(alpha: Any, size: Any) -> Any:
    """Ones in the shape of what is drawn; small shapes are drawn in another way."""
    if np.max(alpha) < 0.1:
        raise UnsupportedError("draws of a dirichlet distribution whose parameters are all below 0.1",
                               remedy="Draw gamma variables, and divide them by their sum.")
    return np.ones((*(() if size is None else tuple(np.atleast_1d(size))), np.size(alpha)))


def laplace_from(rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """rng.laplace"""
    return loc + scale * rng.laplace(0.0, 1.0, drawn_shape(size, loc, scale, "scale"))


def laplace(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """np.random.laplace"""
    return loc + scale * np.random.laplace(0.0, 1.0, drawn_shape(size, loc, scale, "scale"))


def logistic_from(rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """rng.logistic"""
    return loc + scale * rng.logistic(0.0, 1.0, drawn_shape(size, loc, scale, "scale"))


def logistic(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """np.random.logistic"""
    return loc + scale * np.random.logistic(0.0, 1.0, drawn_shape(size, loc, scale, "scale"))


def gumbel_from(rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """rng.gumbel"""
    return loc + scale * rng.gumbel(0.0, 1.0, drawn_shape(size, loc, scale, "scale"))


def gumbel(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """np.random.gumbel"""
    return loc + scale * np.random.gumbel(0.0, 1.0, drawn_shape(size, loc, scale, "scale"))


def rayleigh_from(rng: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """rng.rayleigh"""
    return scale * rng.rayleigh(1.0, drawn_shape(size, 0.0, scale, "scale"))


def rayleigh(scale: Any = 1.0, size: Any = None) -> Any:
    """np.random.rayleigh"""
    return scale * np.random.rayleigh(1.0, drawn_shape(size, 0.0, scale, "scale"))


def weibull_from(rng: Any, a: Any, size: Any = None) -> Any:
    """rng.weibull: e^(1 / a) of exponential e"""
    return rng.standard_exponential(drawn_shape(size, 0.0, a, "a")) ** (1.0 / np.asarray(a))


def weibull(a: Any, size: Any = None) -> Any:
    """np.random.weibull"""
    return np.random.standard_exponential(drawn_shape(size, 0.0, a, "a")) ** (1.0 / np.asarray(a))


def pareto_from(rng: Any, a: Any, size: Any = None) -> Any:
    """rng.pareto: exp(e / a) - 1 of exponential e"""
    return np.expm1(rng.standard_exponential(drawn_shape(size, 0.0, a, "a")) / a)


def pareto(a: Any, size: Any = None) -> Any:
    """np.random.pareto"""
    return np.expm1(np.random.standard_exponential(drawn_shape(size, 0.0, a, "a")) / a)


def power_from(rng: Any, a: Any, size: Any = None) -> Any:
    """rng.power: (1 - exp(-e))^(1 / a) of exponential e"""
    return (-np.expm1(-rng.standard_exponential(drawn_shape(size, 0.0, a, "a")))) ** (1.0 / np.asarray(a))


def power(a: Any, size: Any = None) -> Any:
    """np.random.power"""
    return (-np.expm1(-np.random.standard_exponential(drawn_shape(size, 0.0, a, "a")))) ** (1.0 / np.asarray(a))


def triangular_from(rng: Any, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
    """rng.triangular: its quantile at a uniform number"""
    shape = drawn_shape(size, np.add(left, mode), np.subtract(right, left), "right - left")
    if isinstance(rng, np.random.Generator):
        return triangle_quantile(left, mode, right, rng.random(shape))
    return triangle_quantile(left, mode, right, rng.random_sample(shape))


def triangular(left: Any, mode: Any, right: Any, size: Any = None) -> Any:
    """np.random.triangular"""
    shape = drawn_shape(size, np.add(left, mode), np.subtract(right, left), "right - left")
    return triangle_quantile(left, mode, right, np.random.random_sample(shape))


def triangle_quantile(left: Any, mode: Any, right: Any, u: Any) -> Any:
    """The quantile of the triangular distribution: roots of areas left and right of the mode."""
    base = np.subtract(right, left)
    low = u <= np.subtract(mode, left) / base
    rising = left + np.sqrt(u * base * np.subtract(mode, left))
    return np.where(low, rising, right - np.sqrt((1.0 - u) * base * np.subtract(right, mode)))[()]


def choice_from(rng: Any, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0,
                shuffle: bool = True) -> Any:
    """rng.choice: the elements at drawn places"""
    if np.ndim(a) == 0:
        return rng.choice(as_drawn(a), size, replace, p)
    if isinstance(rng, np.random.Generator):
        return np.take(a, rng.choice(as_drawn(np.shape(a)[axis]), size, replace, p, 0, shuffle), axis=axis)
    return np.take(a, rng.choice(as_drawn(np.shape(a)[0]), size, replace, p), axis=0)


def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    """np.random.choice"""
    if np.ndim(a) == 0:
        return np.random.choice(as_drawn(a), size, replace, p)
    return np.take(a, np.random.choice(as_drawn(np.shape(a)[0]), size, replace, p), axis=0)


def permutation_from(rng: Any, x: Any, axis: int = 0) -> Any:
    """rng.permutation: the parts in a drawn order"""
    return np.take(x, rng.permutation(as_drawn(np.shape(x)[axis])), axis=axis)


def permutation(x: Any) -> Any:
    """np.random.permutation"""
    return np.take(x, np.random.permutation(as_drawn(np.shape(x)[0])), axis=0)


def multivariate_normal_from(rng: Any, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8, *,
                             method: str = "svd") -> Any:
    """rng.multivariate_normal: mean + A z with A A^T = cov"""
    mean, cov = np.asarray(mean) + 0.0, np.asarray(cov) + 0.0
    drawn = rng.standard_normal(rows_of_normals(size, mean))
    if isinstance(rng, np.random.Generator):
        return mean + drawn @ factor_of(cov, method).T
    return mean + drawn @ factor_of(cov, "svd of the other side").T


def multivariate_normal(mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8) -> Any:
    """np.random.multivariate_normal"""
    mean, cov = np.asarray(mean) + 0.0, np.asarray(cov) + 0.0
    return mean + np.random.standard_normal(rows_of_normals(size, mean)) @ factor_of(cov, "svd of the other side").T


def rows_of_normals(size: Any, mean: Any) -> tuple:
    """The shape of what is drawn: one vector, or as many as are asked for."""
    return (*(() if size is None else tuple(np.atleast_1d(size).tolist())), len(mean))


def factor_of(cov: Any, method: str) -> Any:
    """A with A A^T = cov as NumPy has it: by eigenvectors; where eigenvalues are equal L Q, L of Cholesky and a constant Q"""
    if method == "cholesky":
        return np.linalg.cholesky(cov)
    if alike(cov):
        return np.linalg.cholesky(cov) @ turn_of(cov, method)
    if method == "eigh":
        values, vectors = np.linalg.eigh(cov)
        return vectors * np.sqrt(np.abs(values))
    u, s, vh = np.linalg.svd(cov)
    return u * np.sqrt(s) if method == "svd" else vh.T * np.sqrt(s)


def alike(cov: Any) -> bool:
    """Whether eigenvalues are equal, or nearly so: the eigenvectors then have no derivative."""
    values = np.sort(np.linalg.eigvalsh(cov))
    return bool(np.any(np.diff(values) <= 1e-6 * np.max(np.abs(values), initial=0.0)))


def turn_of(cov: Any, method: str) -> Any:
    """L^-1 A of the factor A that NumPy takes, and the Cholesky factor L."""
    if method == "eigh":
        values, vectors = np.linalg.eigh(cov)
        factor = vectors * np.sqrt(np.abs(values))
    else:
        u, s, vh = np.linalg.svd(cov)
        factor = u * np.sqrt(s) if method == "svd" else vh.T * np.sqrt(s)
    return np.linalg.solve(np.linalg.cholesky(cov), factor)
