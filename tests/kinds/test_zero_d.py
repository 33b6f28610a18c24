"""Arrays without axes: as arrays and as the numbers that NumPy makes of them, at orders 1 and 2."""

from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.kinds.outcomes import module
from tests.kinds.programs import attempt
from tests.oracle.rules import same

pytestmark = pytest.mark.filterwarnings("ignore")


# --- reported --------------------------------------------------------------------------------------------


def f4(v, r):
    a, b = np.broadcast_arrays(v, r)
    out = np.full_like(a, np.nan, dtype=np.float64)
    p = 0.0 < b
    if np.any(p):
        out[p] = a[p] ** 3 * b[p]
    return out.item()


def f5(v, r):
    scalar = all(map(np.isscalar, (v, r)))
    a, b = np.broadcast_arrays(v, r)
    out = np.full_like(a, np.nan, dtype=np.float64)
    p = 0.0 < b
    z = 0.0 == b
    if np.any(z):
        out[z] = a[z] * np.expm1(a[z] / b[z])
    if np.any(p):
        out[p] = a[p] ** 3 * b[p]
    if scalar:
        return out.item()
    else:
        return out


def outer(v):
    return f5(v, 0.5)


def outer4(v):
    return f4(v, 0.5)


def masked_sum(v):
    return np.sum(v[v > 0] ** 2)


def empty_index(v):
    return v[()] ** 3


def ellipsis(v):
    return np.sum(v[...] ** 3)


def stored_by_ellipsis(v):
    o = np.zeros_like(v)
    o[...] = v * v
    return o


def stored_by_nothing(v):
    o = np.zeros_like(v)
    o[()] = v * v
    return o * 1.0


def reshaped(v):
    return np.reshape(v, 1)[0] ** 3


def copied(v):
    return v.copy() ** 3 + v.ndim + v.size


def in_place(v):
    v = np.array(v)
    v += v * v
    return v


def at_least(v):
    return np.atleast_1d(v)[0] ** 3


def new_axes(v):
    return v[None][0] ** 2 + v[np.newaxis, ...].sum() ** 2


def conversions(v):
    return float(v) ** 2 + v.item() ** 3 + v.tolist()


# --- siblings --------------------------------------------------------------------------------------------


def mask_false(v):
    return np.sum(v[v < 0] ** 2) + v**2


def mask_store(v):
    o = np.ones_like(v)
    o[v > 0] = v * v
    return o * v


def mask_store_false(v):
    o = v * v
    o = np.array(o)
    o[v < 0] = 7.0
    return o * v


def full_like(v):
    o = np.full_like(v, 2.0)
    o[...] = o * v
    return o * v


def full_of_value(v):
    return np.full_like(v, v) * v**2


def zeros_of_shape(v):
    o = np.zeros(np.shape(v))
    o[()] = v**3
    return o


def empty_like(v):
    o = np.empty_like(v)
    o[...] = v**2
    o *= v
    return o


def broadcast_two(v):
    a, b = np.broadcast_arrays(v, 2.0)
    return a * a * b


def broadcast_with_row(v):
    a, b = np.broadcast_arrays(v, np.ones(3))
    return np.sum(a**2 * b)


def is_scalar(v):
    return v**2 if np.isscalar(v) else v**3


def reduction_stored(v):
    o = np.zeros(())
    o[...] = np.sum(v**2)
    return o * v


def reduction_in_row(v):
    row = np.zeros(3)
    row[1] = np.mean(v**2)
    row[2] = v
    return np.sum(row**2)


def maximum_of_row(v):
    return np.max(np.array([v, 2.0 * v, 1.0])) ** 2


def indexed_twice(v):
    return v[()][()] ** 2 * v[...][()]


def augmented(v):
    o = np.array(v)
    o[...] += v**2
    o[()] *= v
    return o


def out_argument(v):
    o = np.zeros(np.shape(v))
    np.multiply(v, v, out=o)
    return o * v


def squeezed(v):
    return np.squeeze(np.expand_dims(v, 0)) ** 3


def raveled(v):
    return np.sum(np.ravel(v) ** 3) + np.asarray(v).ravel()[0]


def transposed(v):
    return np.transpose(v) ** 2 * v


def where(v):
    return np.where(v > 0, v**3, v)


def chosen(v):
    o = np.where(v > 0, v, 0.0)
    return o[()] ** 2 * v


def taken(v):
    return np.take(np.atleast_1d(v), 0) ** 3


def in_loop(v):
    o = np.array(v)
    for _ in range(3):
        o[...] = o * v
    return o


def in_list(v):
    parts = [v, v * v]
    return parts[1][()] * parts[0]


def in_dict(v):
    d = {"a": np.asarray(v)}
    d["b"] = d["a"][...] ** 2
    return d["a"] * d["b"]


def callee_of_store(v):
    def put(o, w):
        o[...] = w * w
        return o

    return put(np.zeros(()), v) * v


def filled(v):
    o = np.zeros(())
    o.fill(3.0)
    return o * v**2


def copyto(v):
    o = np.zeros(())
    np.copyto(o, v**2)
    return o * v


def item_of_row(v):
    return np.array([v, v**2]).item(1) * v


def dotted(v):
    return np.dot(v, v) * v


def stacked(v):
    return np.sum(np.stack([v, v**2, v]) ** 2)


def meshed(v):
    a, b = np.meshgrid(v, [1.0, 2.0])
    return np.sum(a**2 * b)


def vectorized(v):
    return np.vectorize(lambda t: t * t * t)(v)


def flat_item(v):
    return np.asarray(v).reshape(-1)[-1] ** 2 * v


def clipped(v):
    return np.clip(v, 0.5, 9.0) ** 3


def two_inputs(v, r=0.5):
    o = np.zeros(np.broadcast(v, r).shape)
    o[...] = v * r
    return o * v


def both_masks(v):
    o = np.zeros_like(v)
    small, big = v <= 1.0, v > 1.0
    o[small] = v[small] ** 2
    o[big] = v[big] ** 3
    return o


def mask_count(v):
    p = v > 0
    if p.any():
        return np.sum(v[p]) ** 2 * np.count_nonzero(p)
    return v


PROGRAMS = [
    f4,
    f5,
    outer,
    outer4,
    masked_sum,
    empty_index,
    ellipsis,
    stored_by_ellipsis,
    stored_by_nothing,
    reshaped,
    copied,
    in_place,
    at_least,
    new_axes,
    conversions,
    mask_false,
    mask_store,
    mask_store_false,
    full_like,
    full_of_value,
    zeros_of_shape,
    empty_like,
    broadcast_two,
    broadcast_with_row,
    is_scalar,
    reduction_stored,
    reduction_in_row,
    maximum_of_row,
    indexed_twice,
    augmented,
    out_argument,
    squeezed,
    raveled,
    transposed,
    where,
    chosen,
    taken,
    in_loop,
    in_list,
    in_dict,
    callee_of_store,
    filled,
    copyto,
    item_of_row,
    dotted,
    stacked,
    meshed,
    vectorized,
    flat_item,
    clipped,
    two_inputs,
    both_masks,
    mask_count,
]
VALUES = {"0-d": np.array(2.0), "number": np.float64(2.0), "float": 2.0, "0-d float32": np.array(2.0, np.float32)}


def slope(function, x, *rest):
    """Central difference, at values of the kind of x: an array without axes stays one."""
    high, low = ((np.array(x + h) if isinstance(x, np.ndarray) else type(x)(x + h)) for h in (1e-5, -1e-5))
    return (np.asarray(function(high, *rest)) - np.asarray(function(low, *rest))) / 2e-5


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_orders_1_and_2(program, kind):
    x = VALUES[kind]
    args = (x, 0.5) if program in (f4, f5) else (x,)
    value, problem = attempt(program, *args)
    if problem is not None:  # not for numbers of this kind
        assert attempt(sg.grad(program), *args)[1] is not None
        return
    digits = 1e-3 if "32" in kind else 1e-6
    wide = (np.float64(2.0) if np.ndim(x) == 0 and not isinstance(x, np.ndarray) else np.array(2.0), *args[1:])
    wide = (2.0, *args[1:]) if type(x) is float else wide
    gradient, function = sg.grad(program), program
    for order in (1, 2):
        found, error = attempt(gradient, *args)
        if isinstance(error, SourcegradError):
            assert error.origin is not None and error.origin.line > 0, f"order {order}: no place: {error}"
            return
        assert error is None, f"order {order}: {type(error).__name__}: {error}"
        assert np.shape(found) == () and (type(x) is float or np.asarray(found).dtype == np.asarray(x).dtype)
        expected = slope(function, *wide)
        assert same(np.asarray(found), expected, digits, digits), f"order {order}: {found} is not {expected}"
        gradient, function = sg.grad(gradient), gradient


def level(x, y, n=1):
    for _ in range(n + 1):
        y = np.sin(1.5)
        x = np.tanh(y)
    return x


def number_beside_an_array_that_changes(x, y, n=3):
    x = level(x, y, 2)
    for _ in range(n + 1):
        y[0] = y[1] * y[2]
    x += y + 0.1                                            # of a number: it becomes an array
    return 1.5 * y[[0, 2, 1]] + 0.1 * x * y


def test_a_number_that_may_be_an_array_stays_a_number():
    x, y = np.array([0.37, 0.2, 0.55]), np.array([0.61, -0.3, 0.42])
    first, second = sg.grad(number_beside_an_array_that_changes, inputs=("x", "y"), grad_outputs=np.ones(3))(x, y)
    inside = np.array([y[1] * y[2], y[1], y[2]])
    rate = 1.5 + 0.1 * (np.tanh(np.sin(1.5)) + 0.1 + 2.0 * inside)
    assert np.array_equal(first, np.zeros(3))
    assert np.allclose(second, [0.0, rate[1] + rate[0] * y[2], rate[2] + rate[0] * y[1]], rtol=1e-12)


# --- an array without axes that is replaced by what is not known to be of its dtype

STORED = {
    "out and where": "return np.divide(np.mean(y * y), v, out=np.zeros_like(v), where=v > np.finfo(float).eps)",
    "a condition with a name": "c = v > np.finfo(float).eps\n"
        "    return np.divide(np.mean(y * y), v, out=np.zeros_like(v), where=c)",
    "an array with a name": "z = np.zeros_like(v)\n    np.sqrt(v, out=z, where=v > np.finfo(y.dtype).tiny)\n    return z * y[0]",
    "what a branch chooses": "z = np.zeros(())\n    z[...] = chosen(y[0], v)\n    return z * v",
    "of another dtype": "z = np.zeros((), np.float32)\n    z[...] = chosen(y[0], v)\n    return z * 2.0",
}


@pytest.mark.parametrize("name", STORED)
def test_stored_whole(name: str) -> None:
    names = module("def chosen(x, v):\n    return [x * v, [x]][0 if x else 1]\n\n\n"
                   f"def f(y):\n    v = np.var(y)\n    {STORED[name]}\n")
    y = np.array([0.5, 1.0, 3.0])
    steps = 1e-3 if "dtype" in name else 1e-6
    wanted = [(names["f"](y + steps * e) - names["f"](y - steps * e)) / (2.0 * steps) for e in np.eye(3)]
    np.testing.assert_allclose(sg.grad(names["f"])(y), wanted, rtol=1e-2 if "dtype" in name else 1e-5, atol=1e-8)
