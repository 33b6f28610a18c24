"""Loads from and stores into arrays and containers, with every kind of index."""
import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3, 0.2, 0.7])
M = np.array([[0.5, -0.2, 0.8], [1.1, 0.7, -0.6], [0.3, 0.9, 1.4]])


def slices(v):
    return np.sum(v[1:] * v[:-1]) + np.sum(v[1:4] ** 2)


case("slice load", slices, V)


def named_view(v, A):
    head = v[:3]
    column = A[:, 1]
    return head @ column + head[0] * column[2]


case("named view v=a[slice]", named_view, V, M, inputs=("v", "A"))


def written_view(v):
    work = v ** 2
    head = work[:3]
    head *= 2.0
    head[1] = work[4] * head[0]
    return np.sum(work ** 2)


case("named view v=a[slice]", written_view, V)


def negative_steps(v):
    backwards = v[::-1]
    return np.sum(v * backwards) + np.sum(v[3:0:-1] ** 3)


case("negative-step slice load", negative_steps, V)


def stepped(v):
    return np.sum(v[::2] ** 2) * np.sum(v[1::2])


case("stepped slice load", stepped, V)


def new_axes(v):
    return np.sum(np.sin(v[:, None] * v[np.newaxis, :]))


case("None/newaxis index load", new_axes, V)


def ellipses(A):
    return np.sum(A[..., 0] * A[..., -1]) + A[..., 1, 2]


case("ellipsis load", ellipses, M)


def fancy(v, A):
    rows = [0, 2, 2]
    return np.sum(v[[0, 0, 3]] ** 2) + np.sum(A[rows] ** 2) + np.sum(A[[0, 1], [2, 1]])


case("list (fancy) index load", fancy, V, M, inputs=("v", "A"))


def indexed_by_lookup(v, order):
    total = 0.0
    for i in range(3):
        total += (i + 1) * v[order[i]] ** 2
    return total


case("nested-subscript index a[b[i]] load", indexed_by_lookup, V, np.array([4, 0, 0]))


def stores_by_lookup(v, order):
    out = np.zeros(5)
    for i in range(5):
        out[order[i]] = v[i] ** 2 * out[order[i] - 1] + v[i]
    return np.sum(out ** 2)


case("nested-subscript index a[b[i]] store", stores_by_lookup, V, [4, 0, 1, 3, 2])


def index_from_call(v):
    return v[np.argmax(v)] ** 2 + v[len(v) - 1] * v[int(1.7)]


case("call-expression index load", index_from_call, V)


def store_at_call(v):
    out = v * 1.0
    out[np.argmin(v)] = v[0] * v[1]
    out[len(v) - 2] = np.sin(v[2])
    return np.sum(out ** 2)


case("call-expression index store", store_at_call, V)


def augmented_at_call(A):
    out = A @ A
    out[np.diag_indices_from(out)] += A[0, 0]
    out[np.argmax(A[:, 0])] *= 2.0
    return np.sum(out ** 2)


case("call-expression index augstore", augmented_at_call, M)


def mask_load(v):
    return np.sum(v[v > 0.3] ** 3) + np.sum(v[np.abs(v) < 0.5])


case("boolean-mask expr index load", mask_load, V)


def mask_store(v):
    out = v ** 2
    out[v > 0.5] = 0.0
    out[v < 0] = np.exp(v[v < 0])
    out[(v > 0) & (v < 0.3)] *= v[0]
    return np.sum(out ** 2)


case("boolean-mask expr index store", mask_store, V)


def element_stores(v):
    out = np.zeros(3)
    out[0] = v[0] * v[1]
    for i in range(1, 3):
        out[i] = out[i - 1] ** 2 + v[i]
    return out[2] * out[0]


case("subscript store", element_stores, V)


def slice_stores(v):
    out = np.empty(5)
    out[:2] = v[:2] ** 2
    out[2:] = v[0]
    out[1:] = out[:-1] * v[1:]
    return np.sum(out ** 2)


case("slice store", slice_stores, V)


def slice_augmented(v):
    out = v.copy()
    out[1:] += out[:-1] ** 2
    out[::2] *= v[0]
    return np.sum(out ** 2)


case("slice augstore", slice_augmented, V)


def element_augmented(v):
    out = np.zeros(3)
    for i in range(5):
        out[i % 3] += v[i] ** 2
    out[0] *= out[1]
    return np.sum(out ** 2)


case("augassign subscript", element_augmented, V)


def chained_stores(A):
    grid = [[0.0, 0.0], [0.0, 0.0]]
    out = np.zeros((2, 3))
    for i in range(2):
        for j in range(2):
            grid[i][j] = A[i, j] ** 2
        out[i][1:] = A[i, :2] * grid[i][0]
    return grid[0][1] * grid[1][0] + np.sum(out ** 2)


case("chained subscript store a[i][j]=", chained_stores, M)


def ellipsis_store(A):
    out = np.empty((3, 2))
    out[..., 0] = A[..., 1] ** 2
    out[..., 1] = A[0, 0]
    out[...] *= A[1, 1]
    return np.sum(out ** 2)


case("ellipsis store", ellipsis_store, M)


def stores_in_tuple(v):
    out = np.zeros(4)
    out[0], out[1] = v[1], v[0] ** 2
    out[2:4] = v[2] * out[:2]
    out[0], out[3] = out[3], out[0]
    return out[0] * out[1] + out[2] * out[3] ** 2


case("subscript target inside tuple", stores_in_tuple, V)


def scale_in_place(values, factor):
    values[0] = values[1] * factor
    values *= factor


def mutates_argument(v, x):
    work = v.copy()
    scale_in_place(work, x)
    return np.sum(work ** 2)


case(("in-place write to argument", "procedure: no return, mutates args"), mutates_argument, V, 0.8, inputs=("v", "x"))


def writes_its_own_input(v):
    v[0] = v[1] * v[2]
    v[1:] *= v[0]
    return np.sum(v ** 2)


case("in-place write to argument", writes_its_own_input, V)


def shifted(values, by):
    values += by
    values /= 2.0
    return values


def augments_argument(v, x):
    work = v * 2.0
    other = shifted(work, x)
    return np.sum(work * other)


case("augassign on argument name (mutates caller if ndarray)", augments_argument, V, 0.8, inputs=("v", "x"))


class Table:
    def __init__(self, n):
        self._values = np.zeros(n)

    def values(self):
        return self._values


def stores_into_call(v):
    table = Table(5)
    table.values()[1] = v[0] ** 2
    table.values()[2:4] += v[1:3] * v[0]
    np.asarray(table.values())[4] = v[4]
    return np.sum(table.values() ** 2)


case("store into call result f()[...]=", stores_into_call, V)


def string_keys(p):
    return p["scale"] * np.sum(p["w"] ** 2) + p["inner"]["a"] * p["scale"]


case("string key load", string_keys, {"scale": 0.7, "w": V, "inner": {"a": 0.5}})


def string_key_stores(x, y):
    cache = {}
    cache["x"] = x ** 2
    cache["y"] = cache["x"] * y
    cache["x"] = np.sin(y)
    cache["y"] += cache["x"]
    return cache["x"] * cache["y"]


case("string key store", string_key_stores, 0.7, 1.3, inputs=("x", "y"))


def slice_objects(v):
    window = slice(1, 4)
    rest = slice(None, None, 2)
    out = np.zeros(5)
    out[window] = v[window] ** 2
    out[rest] += v[rest]
    return np.sum(out ** 2)


case("builtin slice()", slice_objects, V)


def axes(A):
    return np.sum(np.sum(A, axis=0) ** 2) + np.sum(np.max(A, axis=1) * A.mean(axis=-1))


case("axis= keyword", axes, M)


def kept_dimensions(A):
    shifted = A - A.mean(axis=1, keepdims=True)
    return np.sum(shifted / np.sum(A ** 2, axis=0, keepdims=True))


case("keepdims= keyword", kept_dimensions, M)


def dtypes(v):
    out = np.zeros(5, dtype=float)
    out[:] = np.asarray(v, dtype=np.float64)
    ones = np.ones(5, dtype=v.dtype)
    index = np.arange(5, dtype=int)
    return np.sum(out[index] ** 2 * ones)


case("dtype= keyword", dtypes, V)


def orders(A):
    flat = A.ravel(order="F")
    again = np.reshape(flat ** 2, (3, 3), order="C")
    out = np.zeros((3, 3), order="F")
    out[0] = again[1]
    return np.sum(out * A)


case("order= keyword", orders, M)


def out_argument(v):
    buffer = np.empty(5)
    np.multiply(v, v, out=buffer)
    np.sin(buffer, out=buffer)
    return np.sum(buffer * v)


case("out= keyword", out_argument, V)


def where_argument(v):
    out = np.zeros(5)
    np.divide(1.0, v, out=out, where=v > 0.3)
    return np.sum(out ** 2) + np.sum(v ** 2, where=v < 0.3)


case("where= keyword", where_argument, V)


def lists_of_lists(rows):
    return rows[0][1] * rows[1][0] + rows[-1][-1] ** 2


case("list (fancy) index load", lists_of_lists, [[0.5, 0.9], [1.2, -0.4]])
