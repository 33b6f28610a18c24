"""Array code: methods, attributes, indexing, broadcasting, reductions, dtypes, odd shapes."""
import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])
MATRIX = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7]])
CUBE = np.arange(24.0).reshape(2, 3, 4) / 17 - 0.6


def array_methods(m):
    a = m.sum(axis=0) * m.mean()
    b = m.T.reshape(-1) * m.ravel()
    c = m.reshape(3, 2).dot(np.array([1.0, 2.0]))
    return (a * c).sum() + b.max() * m.min() + m.flatten()[2]


case(array_methods, MATRIX)


def array_attributes(m):
    rows, columns = m.shape
    total = m.sum() / m.size
    for i in range(rows):
        total = total + m[i, columns - 1] * m.ndim
    return total * m.shape[0] + np.sum(m.T @ m)


case(array_attributes, MATRIX, order=3)


def bound_array_method(v):
    total = v.sum
    transposed = v.reshape
    return total() * transposed(3, 1).sum()


case(bound_array_method, VECTOR)


def chained_methods(m):
    return (m * 2).T.sum(axis=1).reshape((3, 1)).mean() * m.copy().sum()


case(chained_methods, MATRIX)


def axis_options(m, axis):
    centred = m - m.mean(axis=axis, keepdims=True)
    scale = np.sqrt((centred ** 2).sum(axis=axis) + 0.1)
    return (centred.sum(axis=1) ** 2).sum() + np.sum(1 / scale)


case(axis_options, MATRIX, 1)
PROGRAMS.add(axis_options, MATRIX, 0)


def broadcasting(x, v, m, column):
    return (x * v + m * column - v / (1 + x * x) + m[:, :1] * v).sum() + (column * column.T).sum()


case(broadcasting, 0.7, VECTOR, MATRIX, np.array([[0.5], [1.5]]), inputs=("x", "v", "m", "column"))


def size_one_dimensions(a, b):
    return (a * b).sum() + (a + np.ones((2, 3))).sum() * b[0, 0] + np.squeeze(a * a).sum()


case(size_one_dimensions, np.array([[0.3, 0.5, -0.2]]), np.array([[0.7], [0.4]]), inputs=("a", "b"))


def length_one_vector(v, m):
    return (v * m).sum() + (v ** 2 + m[0]).sum() + v[0]


case(length_one_vector, np.array([0.7]), MATRIX, inputs=("v", "m"))


def empty_array(v, x):
    total = (v * x).sum() + x * x
    for item in v:
        total = total + item
    return total + np.concatenate([v, np.array([1.0, x])]).sum()


case(empty_array, np.zeros(0), 0.7, inputs=("v", "x"))


def zero_dimensional(a, v):
    return a * a * v.sum() + np.sin(a)


case(zero_dimensional, np.array(0.7), VECTOR, inputs=("a", "v"))


def numpy_scalar(x, n):
    y = np.float64(2.5) * x
    return y * y + n * x


case(numpy_scalar, np.float64(0.7), np.int64(3))


def single_precision(v, w):
    y = np.tanh(v * w) + 0.5
    return (y * y).sum()


case(single_precision, VECTOR.astype(np.float32), np.float32([0.5, 0.25, 2.0]), inputs=("v", "w"))


def mixed_precision(v, w):
    total = (v * w).sum()
    for x in v:
        total = total + x * w[0]
    return total


case(mixed_precision, VECTOR.astype(np.float32), np.array([0.5, 0.25, 2.0]), inputs=("v", "w"))


def integer_arrays(v, index, counts):
    picked = v[index] * counts
    return (picked ** 2).sum() + (v * np.arange(3)).sum()


case(integer_arrays, VECTOR, np.array([0, 2, 2, 1]), np.array([1, 2, 3, 4]))


def indexing(m):
    a = m[0, 1] * m[-1, -1]
    b = m[1] * m[0, ::-1]
    c = m[:, 1:] * m[:, :-1]
    d = m[..., 0] * m[:, None, 2][:, 0]
    return a + (b * b).sum() + c.sum() + np.sum(d * m.T[1])


case(indexing, MATRIX, order=3)


def masks(m):
    mask = m > 0
    return (m[mask] ** 3).sum() + m[~mask].sum() * m[0, 0] + (m * mask).sum()


case(masks, MATRIX)


def repeated_index(v):
    rows = np.array([0, 0, 2])
    return (v[rows] * v[[2, 2, 1]]).sum()


case(repeated_index, VECTOR)


def slices_with_variables(v, n):
    total = 0.0
    for i in range(n):
        total = total + (v[i:] * v[:len(v) - i]).sum()
    half = slice(0, 2)
    return total + (v[half] ** 3).sum()


case(slices_with_variables, VECTOR, 3)


def matrix_products(m, v):
    a = m @ v
    b = np.dot(m.T, a)
    c = np.outer(a, b)
    return (c @ v).sum() + v @ v * np.trace(m @ m.T) + np.einsum("ij,j->i", m, v)[0]


case(matrix_products, MATRIX, VECTOR, inputs=("m", "v"), order=3)


def batched_matmul(a, v):
    b = np.matmul(a, v)
    return (b * b).sum() + (a.transpose(0, 2, 1) @ a).sum()


case(batched_matmul, CUBE, np.array([0.5, -0.5, 1.0, 0.2]), inputs=("a", "v"))


def joining(v, m):
    a = np.stack([v, v * v, m[0]], axis=1)
    b = np.concatenate((m, a.T[:1]), axis=0)
    c = np.vstack([m, v]) * np.hstack([v[:1], v[1:]])
    return (a @ v).sum() + (b * b).sum() + (c ** 3).sum()


case(joining, VECTOR, MATRIX, inputs=("v", "m"))


def split_softmax(m):
    shifted = m - m.max(axis=1, keepdims=True)
    p = np.exp(shifted)
    p = p / p.sum(axis=1, keepdims=True)
    return -np.sum(np.log(p[np.arange(2), np.array([2, 0])]))


case(split_softmax, MATRIX, order=3)


def creation(v, x):
    a = np.zeros_like(v) + x
    b = np.ones(3) * v + np.full(3, x)
    c = np.arange(3) * x + np.linspace(0.0, 1.0, 3)
    return (a * b * c).sum() + np.eye(3)[1] @ v


case(creation, VECTOR, 0.7, inputs=("v", "x"))


def elementary_functions(v):
    a = np.exp(v) + np.log(v ** 2 + 1) + np.sqrt(np.abs(v))
    b = np.sin(v) * np.cos(v) - np.tanh(v) + np.arctan(v) + np.expm1(v) * np.log1p(v * v)
    return (a * b).sum() + np.maximum(v, 0.5).sum() + np.minimum(v, -v * 2).sum() + np.clip(v, -0.5, 0.5).sum()


case(elementary_functions, VECTOR)


def statistics(m):
    return np.var(m) + np.std(m[0]) * np.mean(m, axis=0)[1] + np.linalg.norm(m[1]) + np.prod(m[0]) + np.max(m)


case(statistics, MATRIX)


def cumulative(v):
    return (np.cumsum(v) * np.cumsum(v[::-1])).sum() + (np.diff(v) ** 2).sum()


case(cumulative, VECTOR)


def shapes_in_arithmetic(m, v):
    """Sizes are constants, whatever is done with them."""
    n = m.shape[0] * len(v)
    weight = 1.0 / n if n > 3 else float(n)
    return (m * v).sum() * weight + v.reshape(len(v), -1).sum() * np.shape(m)[1]


case(shapes_in_arithmetic, MATRIX, VECTOR, inputs=("m", "v"))


def rows_and_views(m):
    """Views and aliases that are only read."""
    first = m[0]
    same = m
    flipped = m.T
    columns = flipped.reshape(-1)
    return (first * same[1]).sum() + (columns * m.reshape(-1)).sum() + (flipped @ same)[0, 1]


case(rows_and_views, MATRIX)


def fresh_array_in_loop(v, n):
    """An array made afresh in each iteration and added to there."""
    total = 0.0
    for i in range(n):
        work = v * (i + 1.0)
        work += v * v
        total = total + np.sin(work).sum()
    return total


case(fresh_array_in_loop, VECTOR, 3, order=3)


def accumulate_fresh_array(m, v):
    acc = np.zeros(3)
    for row in m:
        acc += row * v
        acc *= 0.5
    return (acc * acc).sum()


case(accumulate_fresh_array, MATRIX, VECTOR, inputs=("m", "v"), order=3)


def same_array_twice(a, b):
    return (a * np.sin(b)).sum() + a[0] * b[1]


case(same_array_twice, VECTOR, VECTOR, inputs=("a", "b"))


def stop_at_nan_free_branch(v):
    """The branch not taken must not leak a NaN."""
    return np.where(v > 0, np.sqrt(np.where(v > 0, v, 1.0)), v * v).sum()


case(stop_at_nan_free_branch, VECTOR)


def unselected_singularity(v):
    with_nan = np.where(v > 0.0, np.log(np.maximum(v, 0.0) + (v <= 0)), 0.0)
    return with_nan.sum() + np.abs(v).sum()


case(unselected_singularity, VECTOR)


def gaussian_process(x, length, noise):
    d = x[:, None] - x[None, :]
    k = np.exp(-0.5 * d ** 2 / length ** 2) + noise * np.eye(len(x))
    y = np.sin(x)
    z = y
    for _ in range(5):
        z = z - 0.2 * (k @ z - y)
    return y @ z


case(gaussian_process, VECTOR, 0.8, 0.1, inputs=("x", "length", "noise"), order=3)


def another_array_of_the_same_memory(a):
    b = a.view()
    b[0] = 2.0
    c = (3.0 * a).view()
    c *= a
    d = c.view()[1:]
    d += 1.0
    return a * a + c


case(another_array_of_the_same_memory, np.array([1.1, 0.5, -0.4]), oracle=False)
