"""Programs whose arrays are written into by functions and methods of NumPy."""
import operator

import numpy as np

from tests.programs.kernels.kernel import Kernel

WRITERS: list[Kernel] = []

V3 = np.array([0.3, -0.8, 1.1])
W3 = np.array([1.5, 0.4, -0.6])
V4 = np.array([0.7, -0.4, 1.3, 0.9])
M23 = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7]])
M33 = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7], [0.1, 0.8, 0.6]])
C3 = np.array([0.3 + 0.2j, -0.8 + 1.0j, 1.1 - 0.4j])


def add(*args, inputs=("x",), outputs=("return",), order=2):
    def register(function):
        WRITERS.append(Kernel(function, args, inputs, order, outputs=outputs))
        return function
    return register


# --- out=

@add(V3, W3, inputs=("x", "y"))
@add(V3.astype(np.float32), W3.astype(np.float32), inputs=("x", "y"))
@add(np.zeros(0), np.zeros(0), inputs=("x", "y"))
@add(C3, W3, inputs=("x", "y"))
def out_everywhere(x, y):
    w = np.zeros_like(x)
    np.multiply(x, y, w)
    np.add(w, x, out=(w,))
    z = np.sin(w, out=None)
    r = np.subtract(z, w, out=w)
    r *= 2
    return w * x + r


@add(V3)
def out_of_smaller_rank(x):
    w = np.zeros((2, 3))
    np.multiply(x, 2.0, out=w)
    np.add(x[0], 1.0, out=w[1])
    np.exp(0.5, out=w[0])
    np.add(w, x, out=w[:])
    return w * x


@add(V3)
def out_in_views(x):
    w = np.zeros((3, 4))
    v = w.T[1:, ::-1]
    np.multiply(x, 2.0, out=v[0])
    np.sin(w[:, 1], out=w[:, 3])
    np.cos(v[1], out=v[-1])
    d = w.reshape(-1)
    np.add(d[3:6], x, out=d[3:6])
    return w * w


@add(V4)
def out_overlapping(x):
    y = x * x
    np.add(y[:-1], y[1:], out=y[1:])
    np.subtract(y[::-1], x, out=y)
    np.multiply(y[2:], y[:2], y[1:3])
    return y


@add(V3, M33, inputs=("x", "m"))
def out_of_products(x, m):
    w = np.empty(3)
    np.dot(m, x, out=w)
    np.dot(m, w, w)
    a = np.empty((3, 3))
    np.matmul(m, m.T, out=a)
    np.outer(x, w, a[:, :])
    np.einsum("ij,jk->ik", a, m, out=a)
    m.dot(w, out=x)
    return a @ x


@add(M23)
def out_of_reductions(x):
    s, t = np.zeros(3), np.zeros((2, 1))
    x.sum(axis=0, out=s)
    np.mean(x, 1, None, t, True)
    np.max(x, axis=0, out=s[:])
    np.prod(x, axis=0, out=x[0])
    np.sum(x, axis=1, keepdims=True, out=t)
    total = np.zeros(())
    np.sum(x, out=total)
    return s * t + total


@add(M23)
def out_of_cumulations(x):
    y = x * x
    np.cumsum(y, axis=1, out=y)
    y.cumprod(axis=0, out=y)
    z = np.cumsum(x, 0, None, y)
    return z * y * x


@add(M23)
def out_of_shapes(x):
    y = np.zeros((2, 3))
    np.clip(x, -0.4, 1.0, out=y)
    np.take(x, [1, 0, 1], axis=1, out=y)
    z = np.zeros((4, 3))
    np.concatenate([x, y], axis=0, out=z)
    np.stack([x, y], out=z.reshape(2, 2, 3))
    np.compress([True, False], x * x, axis=0, out=y[:1])
    return z.sum() * y * x


@add(V3)
def out_of_two_results(x):
    q, r = np.zeros(3), np.zeros(3)
    np.divmod(x, 0.37, q, r)
    fraction, whole = np.modf(x * 3, out=(r, None))
    np.modf(r * 0.6 + 1.2, out=(None, q))
    return r * x + fraction + whole * x + q * x


@add(V3)
def out_as_a_value(x):
    w = np.zeros(3)
    y = np.multiply(x, 3, out=w)
    y[0] = 5.0
    return w * np.add(y, 1, out=np.empty(3)) * x


@add(V3, 3)
def out_in_a_loop(x, n):
    a, b = x * 1.0, np.empty_like(x)
    for _ in range(n):
        np.multiply(a, x, out=b)
        np.sin(b, out=b)
        a, b = b, a
    return a + b


@add(V3, W3, inputs=("x", "y"), outputs=("y",))
@add(V3, W3, inputs=("x", "y"), outputs=("return", "y"))
def out_in_an_argument(x, y):
    np.multiply(x, y, out=y)
    np.add.at(y, [0, 0], x[:2])
    return np.exp(y, out=y)


def _normalise(row, total):
    np.divide(row, total, out=row)
    row.sort()


@add(M23)
def out_in_a_callee(x):
    y = x * x
    for row in y:
        _normalise(row, row.sum())
    return y * x


@add(V3)
def out_in_a_list(x):
    work = [x * 1.0, np.empty(3)]
    np.multiply(work[0], x, out=work[1])
    np.sin(work[1], out=work[0])
    buffers = {"a": np.zeros(3)}
    np.add(work[0], work[1], out=buffers["a"])
    buffers["a"].sort()
    return buffers["a"] * x * work[0]


class Buffers:
    def __init__(self, n):
        self.a = np.zeros(n)
        self.b = np.ones(n)

    def step(self, x):
        np.multiply(x, self.b, out=self.a)
        np.add(self.a, x, out=self.b)
        self.a.fill(x[0])


@add(V3)
def out_in_an_object(x):
    buffers = Buffers(3)
    for _ in range(2):
        buffers.step(x)
    return buffers.a * buffers.b


@add(V3)
def out_of_lower_precision(x):
    w = np.zeros(3, dtype=np.complex128)
    np.multiply(x, x, out=w)
    w.imag = x
    np.add(w.real, x, out=w.real)
    w.real[1:] = x[0]
    w.imag[...] *= 2
    return np.abs(w) ** 2


@add(V3)
def counters(x):
    n = np.zeros(3, dtype=int)
    np.add.at(n, [0, 2, 2], 1)
    np.add(n, 1, out=n)
    n[1:] *= 2
    n.sort()
    m = np.zeros(4, dtype=bool)
    np.less(x, 0.5, out=m[1:])
    np.logical_not(m, out=m)
    return x * n + m[1:] * x


# --- where=

@add(V4)
def where_with_out(x):
    y = x * 2
    m = x > 0
    np.log(x, out=y, where=m)
    np.sqrt(-x, out=y, where=~m)
    np.divide(1.0, y, y, where=y > 0.3)
    return y


@add(V4, np.array([0.5, 0.0, -2.0, 0.7]))
def where_not_singular(x, c):
    y = np.zeros_like(x)
    np.divide(x, c, out=y, where=c != 0)
    z = np.ones_like(x)
    np.sqrt(x * c, out=z, where=x * c > 0)
    np.log(x * x * c, out=z, where=x * c > 0.3)
    return y * z * x


@add(M23)
def where_of_another_shape(x):
    y = x * x
    np.multiply(x, 3.0, out=y, where=np.array([True, False, True]))
    np.add(y, 1.0, out=y, where=[[True], [False]])
    np.negative(y, out=y, where=True)
    return y


@add(M23)
def where_in_reductions(x):
    m = x > 0.1
    s = np.sum(x, where=m) * np.mean(x * x, axis=0, where=x < 2)
    return s * x.sum(axis=0, where=m) + np.prod(x, where=m)


# --- methods of ufuncs

@add(V3, np.array([1, 3, 1]))
def at_repeated(x, idx):
    y = np.ones(4)
    np.add.at(y, idx, x * x)
    np.subtract.at(y, [0, 0, 1], x)
    np.multiply.at(y, idx, x)
    np.divide.at(y, [2, 2, -1], x + 3)
    np.multiply.at(y, 1, 2.0)
    np.multiply.at(y, [0, 0], x[0])
    return y


@add(M23)
def at_in_two_dimensions(x):
    y = x * x
    np.add.at(y, ([0, 0, 1], [1, 1, 2]), x[0])
    np.add.at(y, (slice(None), [0, 0]), x[:, :2])
    np.add.at(y[1], [2, 2], 1.0)
    np.subtract.at(y.T, 0, x[:, 0])
    np.multiply.at(y, (slice(None), [0, 0]), x[:, :2])
    return y * x


@add(V3)
def at_with_masks_and_lists(x):
    y = x * x
    np.add.at(y, x > 0, [1.0, 2.0])
    np.add.at(y, slice(1, None), [x[0], x[1]])
    np.add.at(y, (np.array([0, 0]),), x[2])
    return y * x


@add(V3, np.array([0, 1, 1]), 3)
def at_in_a_loop(x, idx, n):
    y = np.zeros(3)
    for i in range(n):
        np.add.at(y, (idx + i) % 3, np.sin(y) + x)
    return y


@add(M23)
def reduced(x):
    a = np.add.reduce(x) * np.multiply.reduce(x, axis=0)
    b = np.maximum.reduce(x, axis=1, keepdims=True) - np.minimum.reduce(x, axis=None)
    c = np.add.reduce([x[0], x[1]])
    w = np.zeros(3)
    np.add.reduce(x, 0, None, w)
    return (a * b + c) * w


@add(M23)
def accumulated(x):
    y = np.add.accumulate(x) * np.multiply.accumulate(x, axis=1)
    np.add.accumulate(y, axis=1, out=y)
    return y


@add(V3, W3, inputs=("x", "y"))
def outer_products(x, y):
    a = np.multiply.outer(x, y) + np.subtract.outer(x, y)
    b = np.maximum.outer(x, y) * np.divide.outer(x, y + 3) + np.power.outer(x * x + 1, y)
    np.add.outer(x, y, out=a[:2, :].T.T[:0].reshape(0, 3)) if len(x) > 5 else None
    return a * b


# --- functions that store

@add(V3)
def copied(x):
    y = np.ones((2, 3))
    np.copyto(y, x)
    np.copyto(y, x * 2, where=x > 0.5)
    np.copyto(y, 0.5, where=y > 2.0)
    np.copyto(y[0], x[0] * x)
    np.copyto(dst=y[1, 1:], src=[x[0], x[1]])
    np.copyto(y[1:, :2], y[:1, 1:])
    np.copyto(y, x[1], where=[False, True, False])
    return y * x


@add(V3)
def put_everywhere(x):
    y = np.outer(x, x)
    np.put(y, [0, 5], x[:2])
    np.put(y, [[1, 2], [-1, 3]], x)
    np.put(y, [12, 4], x[2], mode="wrap")
    np.put(y, [-3, 40], [x[0], 2.0], mode="clip")
    y.put([6, 6], x[1:])
    y[1].put(0, x[0] * x[1])
    z = x * x
    np.put(z, [1, 1, 2], x)
    return y * z


@add(V4)
def placed(x):
    y = x * x
    np.place(y, y > 0.5, x[:1])
    np.place(y, [True, True, False, True], x[2:])
    z = np.outer(x, x)
    np.place(z, z > 0.2, [1.0, x[1]])
    np.putmask(y, y < 0.2, x)
    np.putmask(y, y > 0.3, x[:3])
    np.putmask(z, z < -0.3, x)
    np.putmask(z, x > 0.8, 7.0) if len(x) > 5 else None
    np.putmask(y, [True, False, False, False], x[3])
    return z * y


@add(M23)
def put_along(x):
    y = x * x
    order = np.argsort(x, axis=1)[:, :2]
    np.put_along_axis(y, order, x[:, :2], axis=1)
    np.put_along_axis(y, np.array([[1, 0, 1]]), 0.5 * x[:1], axis=0)
    np.put_along_axis(y, np.array([[0], [2]]), x[0, 0], axis=-1)
    np.put_along_axis(y, np.array([0, 4]), x[1, :2], axis=None)
    v = x[0] * 2
    np.put_along_axis(v, np.array([1, 1]), x[1, :2], 0)
    return y * v


@add(V3)
def diagonals(x):
    y = np.outer(x, x)
    np.fill_diagonal(y, x[0])
    np.fill_diagonal(y[:, :2], x[1:])
    np.fill_diagonal(y[:2].T, [x[2], 3.0])
    z = np.multiply.outer(x, np.outer(x, x))
    np.fill_diagonal(z, x)
    np.fill_diagonal(z[0], 0.0)
    return y @ z


# --- methods

@add(M23)
def methods(x):
    y = x * x
    y.fill(x[0, 0])
    y[1].fill(2)
    y *= x
    y.sort(axis=0)
    y.T.sort()
    y[0, ::-1].sort()
    np.ndarray.sort(y, 1)
    y[:, 1:].partition(1)
    np.ndarray.fill(y[:, 0], x[1, 1])
    return y * x


@add(V3)
def set_by_methods(x):
    y = x * x
    y.__setitem__(0, x[1])
    operator.setitem(y, slice(1, None), x[0])
    np.ndarray.__setitem__(y, (Ellipsis, 2), 3.0)
    return y * x


@add(M23)
def flat_stores(x):
    y = x * x
    y.flat[4] = x[0, 1]
    y.flat[1:3] = x[0, :2]
    y.flat[[0, 0]] = x[1, :2]
    y[:, 1:].flat[1:] = x[0, 0]
    y.T.flat[1] *= x[1, 2]
    z = np.ones((3, 2))
    z.flat = x
    z.flat[:2] += x[0, :2]
    return y * z.T * y.flat[2] + sum(z.flat)


@add(V3)
def nan_replaced(x):
    y = np.log(x)
    np.nan_to_num(y, copy=False, nan=0.5)
    return y * x


@add(V3)
def zero_dimensional(x):
    y = np.zeros(())
    np.sum(x * x, out=y)
    np.sin(y, out=y)
    y.fill(y * x[0])
    y[()] += x[1]
    z = np.array(2.0)
    np.copyto(z, x[2])
    np.add.at(z, (), x[0])
    return y * z


@add(np.zeros((0, 3)))
def without_elements(x):
    y = x * 2
    y.sort()
    np.multiply(x, 2, out=y)
    np.put(y, np.array([], int), 1.0)
    np.add.at(y, np.array([], int), 1.0)
    np.putmask(y, y > 0, x)
    return y


@add(C3)
def complex_writes(x):
    y = np.zeros(3, complex)
    np.multiply(x, x, out=y)
    np.conjugate(y, out=y, where=np.array([True, False, True]))
    np.add.at(y, [0, 0], 1j * x[:2])
    np.multiply.at(y, [1, 1], x[:2])
    np.put(y, [2], x[0])
    y.real[0] = x[1].imag
    np.add(y.imag, x.real, out=y.imag)
    y[1:].fill(x[0] * y[1])
    return y * x


# --- parts

@add(V4)
def parts_written(x):
    y = x * x
    first, second = np.split(y, 2)
    first *= second
    parts = np.array_split(y, 3)
    parts[0][:] = parts[1][0] * x[0]
    np.sin(parts[2], out=parts[2])
    m = np.outer(y, x)
    left, right = np.hsplit(m, [1])
    left[...] = right[:, :1] * 2
    top, bottom = np.vsplit(m, 2)
    bottom.sort()
    return y * m


@add(M23)
def rows_written(x):
    y = x * x
    rows = list(y)
    rows[0] *= rows[1]
    np.sin(rows[1], out=rows[1])
    a, b = tuple(y)
    a += b
    return y


@add(M23, np.array([2.0, 1.0, 4.0]))
def not_an_input(x, c):
    np.subtract.at(c, [0, 0], 1.0)
    c.sort()
    np.multiply(c, 2.0, out=c)
    np.put(c, [1], 9.0)
    return x * c


@add(V3)
def shape_set(x):
    y = np.outer(x, x)
    y.shape = (9,)
    y[0] = x[1]
    y.shape = 3, 3
    return y @ x


@add(M33, [M33, "the list holds more than arrays"])
def not_known_to_be_an_array(x, things):
    y = things[0] * 1.0
    np.putmask(y, y > 0.5, x)
    y[0] = y[0] * x[1]
    return y


# --- a buffer that is None at first

@add(V3, None)
def buffer_of_the_caller(x, out):
    for k in range(3):
        out = np.multiply(x, 1.0 + k, out=out)
        out[0] = x[1] * out[2]
    return out


@add(V3)
def buffer_made_by_its_first_use(x):
    buffer = None
    total = 0.0
    for k in range(3):
        buffer = np.add(x, k, buffer)
        np.sin(buffer, out=buffer)
        total += buffer[1] * x[0]
    return total + np.sum(buffer ** 2)


@add(V3, inputs=("x",))
def buffer_made_when_it_is_needed(x):
    buffer = None
    total = 0.0
    for k in range(3):
        if buffer is None:
            buffer = np.empty_like(x)
        np.multiply(x, k + x[0], out=buffer)
        total += np.sum(buffer ** 2)
    return total
