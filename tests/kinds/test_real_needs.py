"""What real code needs besides: strides, parts of unknown rank, lists times arrays, roots, stars, inner gradients."""
from __future__ import annotations

import dataclasses
import inspect
from typing import Protocol, runtime_checkable

import numpy as np

import sourcegrad as sg
from tests.kinds.places import programs_of, suite_of

X = np.array([0.7, -1.3, 2.1, 0.4])
V = np.array([0.3, 1.0, -0.5, 2.0])


def strided_windows(x):
    w = np.lib.stride_tricks.as_strided(x, shape=(3, 2), strides=(x.strides[0], x.strides[0]))
    return np.sum(w[:, 0] * w[:, 1] ** 2)


def strided_itemsize(x):
    w = np.lib.stride_tricks.as_strided(x * 2.0, (2, 3), (8, 8))
    return np.sum(np.sin(w) * w)


def strided_from_import(x):
    from numpy.lib.stride_tricks import as_strided
    y = x ** 2
    n = y.strides[0]
    s = 0.0
    for k in range(1, 3):
        s = s + np.sum(as_strided(y, shape=(len(y) - k, k + 1), strides=(n, n)) ** 2) * x[k]
    return s


def strided_2d(x):
    a = np.outer(x, x)
    w = np.lib.stride_tricks.as_strided(a, shape=(3, 3, 2, 2), strides=a.strides + a.strides)
    return np.sum(np.prod(w, axis=(2, 3)))


def strided_2d_s(x):
    a = np.outer(x, x)
    s0, s1 = a.strides
    w = np.lib.stride_tricks.as_strided(a, shape=(3, 3, 2, 2), strides=(s0, s1, s0, s1), writeable=False)
    return np.einsum("ijkl,kl->", w, np.ones((2, 2))) * x[0]


def strided_neg(x):
    y = x * x
    w = np.lib.stride_tricks.as_strided(y[::-1], shape=(4,), strides=(-8,))
    return np.sum(w[1:] * y[:-1])


def strided_zero(x):
    w = np.lib.stride_tricks.as_strided(x, shape=(3, 4), strides=(0, 8))
    return np.sum(w * np.arange(12.0).reshape(3, 4) * w)


def strided_hankel(x):
    y = np.concatenate([x, x[:-1]])
    h = np.lib.stride_tricks.as_strided(y, (4, 4), (y.itemsize, y.itemsize))
    return np.linalg.det(h + 3.0 * np.eye(4))


def strided_diag(x):
    a = np.outer(x, x).copy()
    d = np.lib.stride_tricks.as_strided(a, (4,), ((4 + 1) * a.itemsize,))
    return np.sum(d ** 3)


def atleast_1d_two(x):
    a, b = np.atleast_1d(x[0], x)
    return np.sum(a * b ** 2)


def atleast_2d_two(x):
    a, b = np.atleast_2d(x, np.outer(x, x))
    return np.sum(a @ b)


def atleast_3d_two(x):
    a, b = np.atleast_3d(x, x * 2.0)
    return np.sum(a * b)


def atleast_many_index(x):
    r = np.atleast_1d(x[1] * 2.0, x, 3.0)
    return np.sum(r[0] * r[1] * r[2])


def atleast_star(x):
    args = [x[0], x[1] * x[2], x]
    s = 0.0
    for a in np.atleast_1d(*args):
        s = s + np.sum(a ** 2)
    return s


def atleast_map(x):
    a, b, c = map(np.atleast_1d, (x[0], x, 2.0))
    return np.sum(a * b * c * b)


def atleast_store(x):
    a, b = np.atleast_1d(x[0] * 2.0, x * 1.0)
    b[0] = a[0] ** 2
    return np.sum(b * x)


def c_columns(x):
    return np.sum(np.c_[x, x ** 2] @ np.array([1.0, 2.0]))


def c_unknown_rank(x):
    parts = {"a": x, "b": np.outer(x, x)}
    s = 0.0
    for k in parts:
        s = s + np.sum(np.c_[parts[k], x] ** 2)
    return s


def r_unknown_rank(x):
    parts = [x[0] * 2.0, x]
    s = 0.0
    for q in parts:
        s = s + np.sum(np.r_[q, x, 1.0] ** 2)
    return s


def r_unknown_in_dict(x):
    parts = {"a": x, "b": x[:2] * 2.0}
    return np.sum(np.r_[0.0, parts["a"], parts["b"]] ** 2)


def r_axis(x):
    return np.sum(np.r_["0,2", x, x ** 2] ** 2)


def r_slice(x):
    return np.sum(np.r_[0:4] * np.r_[x] * np.r_[1:2:4j])


def c_many(x):
    a = np.outer(x, x)
    return np.sum(np.c_[np.ones(4), a, x][:, 1:] ** 2)


def roots_real(x):
    r = np.roots(np.array([1.0, -6.0 + 0.1 * x[0], 11.0 + 0.1 * x[1], -6.0 + 0.1 * x[2]]))
    return np.sum(np.sort(r.real) * np.arange(3.0))


def roots_complex(x):
    r = np.roots([1.0, x[0], 2.0 + x[1] ** 2, 3.0])
    return np.sum(np.abs(r) ** 2)


def roots_zeros(x):
    r = np.roots(np.concatenate([[0.0], x, [0.0]]))
    return np.sum(np.abs(r) ** 2)


def poly_roots(x):
    return np.sum(np.poly(x) ** 2)


def poly_matrix(x):
    return np.sum(np.poly(np.outer(x, x[::-1]) + np.diag(x)) ** 2)


def poly_of_roots(x):
    c = np.poly(x)
    return np.sum(np.roots(c) ** 3).real


def polynomial_fit(x):
    q = np.polynomial.Polynomial.fit(np.arange(4.0), x, 2)
    return q(1.5) ** 2 + q(0.2)


def polynomial_fit_conv(x):
    q = np.polynomial.Polynomial.fit(np.arange(4.0), x * x, 1).convert()
    return q.coef[0] * q.coef[1]


def polynomial_fit_x(x):
    from numpy.polynomial import Polynomial
    q = Polynomial.fit(x, np.array([1.0, 2.0, 0.0, 1.0]), deg=1)
    return q(2.0) + q.deriv()(1.0)


def polynomial_fit_w(x):
    from numpy.polynomial import Polynomial
    q = Polynomial.fit(np.arange(4.0), x, 1, w=np.array([1.0, 2.0, 1.0, 0.5]), domain=[0.0, 3.0])
    return np.sum(q(x) ** 2)


def chebyshev_fit(x):
    q = np.polynomial.Chebyshev.fit(np.arange(4.0), x, 2)
    return q(1.5) ** 2


def polynomial_fromroots(x):
    q = np.polynomial.Polynomial.fromroots(x)
    return q(0.3) * q.deriv()(0.1)


def median_overwrite(x):
    return np.median(x * 2.0, overwrite_input=True) ** 2


def median_overwrite_axis(x):
    y = np.outer(x, x)
    return np.sum(np.median(y, axis=0, overwrite_input=False) ** 2)


def median_overwrite_kept(x):
    return np.sum(np.median(np.outer(x, x) + np.diag(x), axis=1, overwrite_input=True, keepdims=True) ** 2)


def percentile_overwrite(x):
    return np.percentile(x * 3.0, 30, overwrite_input=True) + np.quantile(x ** 2, 0.4, overwrite_input=True)


def list_times_array(x):
    return np.sum([0.2, 0.8] * x[:2] ** 2)


def array_times_list(x):
    return np.sum(x[:2] * [0.2, 0.8] + (1.0, 2.0))


def list_plus_minus(x):
    return np.sum([1.0, 2.0, 3.0, 4.0] - x) + np.sum(([1.0, 2.0, 3.0, 4.0] / x) ** 2) + np.sum((1, 2, 3, 4) * x * x)


def list_of_active(x):
    return np.sum([x[0], x[1] * 2.0] * x[2:])


W = [0.2, 0.8, 1.0, 3.0]


def global_list_times(x):
    return np.sum(W * x * x)


def list_arg_matmul(x):
    return [[1.0, 2.0], [3.0, 4.0]] @ x[:2] @ x[2:]


def list_power(x):
    return np.sum([2.0, 3.0] ** x[:2])


def list_aug(x):
    y = x * 1.0
    y *= [1.0, 2.0, 3.0, 4.0]
    y += (1.0, 1.0, 0.0, 0.0)
    return np.sum(y ** 2)


def list_of_rows(x):
    return np.sum([x, x * 2.0] * x)


def list_compare(x):
    return np.sum(np.where([0.0, 0.0, 1.0, 1.0] < x, x * x, x))


class Weighted:
    weights = [0.2, 0.8]

    def __init__(self, w):
        self.w = w

    def f(self, x):
        return np.sum(self.w * x[:2] + self.weights * x[2:] ** 2)


def list_attribute_times(x):
    return Weighted([1.0, 3.0]).f(x)


def spread_unknown(x):
    def stats(v):
        return np.mean(v), np.var(v)
    d = {"m": stats(x)}
    return np.hypot(*d["m"])


def spread_rows(x):
    rows = np.outer(x, x)
    def three(a, b, c, d):
        return np.sum(a * b) + np.sum(c * d)
    return three(*rows)


def spread_unknown_rank(x):
    parts = {"a": x, "b": np.outer(x, x)}
    s = 0.0
    for k in parts:
        a, *rest = parts[k]
        s = s + np.sum(a) * np.sum(rest[0])
    return s


def four(a, b, c, d):
    return np.sum(a * b + c * d)


def spread_unknown_call(x):
    parts = {"a": x, "b": np.outer(x, x)}
    s = 0.0
    for k in parts:
        s = s + four(*parts[k])
    return s


def keep(f, **kw):
    return {k: v for k, v in kw.items() if k in f.__code__.co_varnames}


def target(a, b=1.0, c=2.0):
    return np.sum(a * b ** 2 + c)


def double_star_keep(x):
    return target(x, **keep(target, b=x[0], d=3.0))


def keep_sig(f, **kw):
    names = inspect.signature(f).parameters
    return {k: v for k, v in kw.items() if k in names}


def double_star_keep_sig(x):
    return target(x, **keep_sig(target, b=x[0], c=x[1] ** 2, d=3.0))


def double_star_dict(x):
    opts = dict(b=x[0], c=x[1])
    return target(x, **opts)


def double_star_comp(x):
    opts = {k: v for k, v in {"b": x[0], "z": 3.0}.items() if k != "z"}
    return target(x, **opts)


def double_star_merged(x):
    def call(f, **kw):
        base = {"b": 2.0}
        base.update(kw)
        return f(x, **base)
    return call(target, c=x[0] * x[1])


def energy(a, b):
    return np.sum(a ** 2 * b)


def grad_inside_star(x):
    args = (x, x * 2.0)
    g = sg.grad(energy)
    return np.sum(g(*args) ** 2)


def grad_inside_method(x):
    class_ = Solver(energy)
    return class_.step(x)


class Solver:
    def __init__(self, f):
        self.g = sg.grad(f)

    def step(self, *args):
        return np.sum(self.g(*args, 2.0))


def grad_inside_var(x):
    def run(f, *args):
        g = sg.grad(f)
        return np.sum(g(*args))
    return run(energy, x, x ** 2)


def grad_inside_kw(x):
    g = sg.grad(energy, inputs=("a", "b"))
    kw = {"a": x, "b": x * 3.0}
    ga, gb = g(**kw)
    return np.sum(ga * gb)


def value_and_grad_inside_star(x):
    vg = sg.value_and_grad(energy)
    v, g = vg(*[x, x])
    return v * np.sum(g)


def eigh_equal_sum(x):
    w, v = np.linalg.eigh(np.eye(4) * x[0])
    return np.sum(w ** 2)


def eigh_equal_function(x):
    a = np.outer(x[:2], x[:2]) * 0.0 + np.eye(2)
    w, v = np.linalg.eigh(a)
    return np.sum(v @ np.diag(np.exp(w)) @ v.T * np.outer(x[:2], x[2:]))


def eigh_equal_function_active(x):
    a = np.eye(3) + np.outer(x[:3], x[:3])
    w, v = np.linalg.eigh(a)
    return np.sum((v * np.sqrt(w)) @ v.T)


def eigh_equal_log(x):
    a = np.eye(4) * x[0] ** 2 + np.diag(x) * 0.0
    w, v = np.linalg.eigh(a)
    return np.sum((v * np.log(w)) @ v.T)


def eigh_equal_projector(x):
    a = np.diag([1.0, 1.0, 3.0, 4.0]) + np.outer(x, x) * 0.0
    w, v = np.linalg.eigh(a)
    q = v[:, :2]
    return np.sum(q @ q.T * np.outer(x, x))


def eigvalsh_equal(x):
    return np.sum(np.linalg.eigvalsh(np.eye(4) * x[0] + np.outer(x, x) * 0.0) ** 2)


def svd_equal(x):
    u, s, vt = np.linalg.svd(np.eye(3) * x[0])
    return np.sum(s)


def svd_equal_polar(x):
    u, s, vt = np.linalg.svd(np.eye(3) + 0.0 * np.outer(x[:3], x[:3]))
    return np.sum((u @ vt) * np.outer(x[:3], x[:3]))


def strided_stored(x):
    y = x * 2.0
    w = np.lib.stride_tricks.as_strided(y, (2, 2), (8, 8))
    w[0, 1] = 3.0 * x[0]
    return np.sum(y ** 2)


def strided_base_stored(x):
    y = x * 2.0
    w = np.lib.stride_tricks.as_strided(y, (2, 2), (8, 8))
    y[1] = 3.0 * x[0]
    return np.sum(w ** 2)


def strided_augmented(x):
    y = x * 2.0
    w = np.lib.stride_tricks.as_strided(y, (2, 2), (8, 16))
    w *= 2.0
    return np.sum(y ** 2)


def strided_column(x):
    a = np.outer(x, x)
    w = np.lib.stride_tricks.as_strided(a[:, 1], (2, 3), (a.strides[0], a.strides[0]))
    return np.sum(w ** 2)


def strided_out(x):
    a = np.outer(x, x)
    w = np.lib.stride_tricks.as_strided(a[0, :2], (4, 2), (a.strides[0], a.strides[1]))
    return np.sum(w ** 2)


def three(a, b, c=2.0):
    return np.sum(a ** 2 * b) * c


def grad_inside_list(x):
    args = []
    for k in range(2):
        args.append(x * (k + 1.0))
    return np.sum(sg.grad(three)(*args) ** 2)


def grad_inside_loop(x):
    g = sg.grad(energy, inputs=("a", "b"))
    s = 0.0
    for k in range(3):
        args = [x, x * k]
        ga, gb = g(*args)
        s = s + np.sum(ga * gb)
    return s


def grad_inside_rest(x):
    return np.sum(sg.grad(three)(x, *[x], **{"c": x[0]}))


def c_unknown_mixed(x):
    parts = [x[0] * np.ones((4, 2)), x, np.outer(x, x)]
    s = 0.0
    for q in parts:
        s = s + np.sum(np.c_[np.ones(4), q, x] ** 2 * x[1])
    return s


def c_unknown_three(x):
    parts = [np.ones((2, 2, 3)) * x[0], np.ones((2, 2, 2)) * x[1]]
    s = 0.0
    for q in parts:
        s = s + np.sum(np.c_[q, np.ones((2, 2, 1))] ** 2)
    return s


def r_unknown_directive(x):
    parts = [x, np.outer(x, x)]
    s = 0.0
    for q in parts:
        s = s + np.sum(np.r_["0,2", q, x] ** 2)
    return s

REFUSED = {
    "strided_stored": "a write into 'w'", "strided_augmented": "a write into 'w'", "strided_base_stored": "whether 'w' changes",
    "strided_out": "beyond the elements", "c_unknown_three": "arrays of rank 3", "atleast_star": "whose length is not known",
    "grad_inside_list": "whose length is not known", "eigh_equal_function": "eigenvectors of equal eigenvalues",
    "eigh_equal_function_active": "eigenvectors of equal eigenvalues", "eigh_equal_log": "eigenvectors of equal eigenvalues",
    "eigh_equal_projector": "eigenvectors of equal eigenvalues", "svd_equal_polar": "eigenvectors of equal eigenvalues"}
SLOW = {"polynomial_fit", "polynomial_fit_conv", "polynomial_fit_x", "polynomial_fit_w", "chebyshev_fit", "polynomial_fromroots"}
test_gradients, test_second_order_and_forward_mode, test_pullbacks, test_refusals = suite_of(
    programs_of(globals()), REFUSED, X, V, SLOW)


@runtime_checkable
class WithWeights(Protocol):
    w: float


@dataclasses.dataclass
class Scale:
    w: float


class Nothing:
    pass


def test_a_protocol_with_data():
    """Whether an object is of its kind can be asked of instances only."""
    def f(x, o):
        return np.sum(x * o.w) if isinstance(o, WithWeights) else np.sum(x * x)

    gradient, grows = sg.grad(f), Nothing()
    assert np.allclose(gradient(X, Scale(3.0)), 3.0) and np.allclose(gradient(X, grows), 2.0 * X)
    grows.w = 5.0
    assert np.allclose(gradient(X, grows), 5.0)
    assert np.allclose(gradient(X, Scale(4.0)), 4.0)
