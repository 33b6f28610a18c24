"""Slices that are objects, and parts of arrays that a loop takes: each turn knows their sizes, and forgets them."""
import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.with_arguments(np.arange(1.0, 9.0) * 0.25)


@case
def rows_in_a_variable(x):
    rows = slice(1, 4)
    y = x * x
    y[rows] += 2.0 * x[rows]
    return y.sum()


@case
def parts_of_a_vector_by_name(x):
    layout = {'a': slice(0, 3), 'b': slice(3, 8)}
    return np.sum(x[layout['a']] ** 2) + np.prod(x[layout['b']])


@case
def slice_of_a_list(x):
    xs = [x[0], x[1] * 2, x[2]]
    s = slice(0, 2)
    ys = xs[s]
    return ys[0] * ys[1]


@case
def rows_and_columns(x):
    A = x.reshape(2, 4) * 1.0
    r, c = slice(0, 2), slice(None, None, 2)
    A[r, c] = A[r, c] ** 2
    B = A[r, c].T
    return np.sum(np.sin(B) * B)


@case
def overlapping_slices(x):
    y = x * 1.0
    a, b = slice(0, 6), slice(2, 8)
    y[a] = y[b] * 2
    return np.sum(y ** 2)


@case
def overlapping_slices_with_a_step(x):
    y = x * 1.0
    a, b = slice(0, 6, 2), slice(1, 4)
    y[a] = y[b]
    return np.sum(y ** 2)


@case
def columns_made_flat(x):
    A = x.reshape(2, 4) * 1.0
    c = slice(0, 2)
    v = A[:, c].ravel()
    v[0] = 5.0 * x[0]
    return np.sum(A ** 2) + v.sum()


@case
def rows_made_flat(x):
    A = x.reshape(2, 4) * 1.0
    c = slice(0, 1)
    v = A[c].ravel()
    v[0] = 5.0 * x[0]
    return np.sum(A ** 2) + v.sum()


@case
def blocks_of_a_loop(x):
    out = np.zeros(8)
    for k in range(4):
        s = slice(2 * k, 2 * k + 2)
        out[s] = x[s] * x[2 * k]
    return np.sum(out ** 2)


@case
def recorded_index(x):
    i = np.s_[1:3]
    j = np.s_[0, ::2]
    A = x.reshape(2, 4)
    return np.sum(x[i] ** 2) + np.sum(A[j] ** 3)


@case
def index_in_a_variable(x):
    A = x.reshape(2, 4)
    idx = (slice(None), 1)
    B = A * 1.0
    B[idx] *= 3
    return np.sum(A[idx] ** 3) + np.sum(B ** 2)


@case
def slice_or_number(x):
    s = slice(0, 3) if x[0] > 0 else 2
    return np.sum(x[s] ** 2)


@case
def view_by_a_slice(x):
    y = x * 1.0
    s = slice(2, 5)
    v = y[s]
    v *= 3
    return np.sum(y ** 2)


@case
def slice_as_an_argument(x):
    def part(a, s):
        a[s] = a[s] * 2
        return a[s].sum() ** 2
    y = x * 1.0
    return part(y, slice(0, 3)) + part(y, slice(2, 5)) + np.sum(y ** 2)


@case
def slice_of_a_list_replaced(x):
    xs = [x[0], x[1], x[2], x[3]]
    s = slice(0, 2)
    xs[s] = [x[4]]
    return xs[0] * xs[1] * len(xs)


@case
def slice_of_a_list_deleted(x):
    xs = [x[0], x[1], x[2], x[3]]
    s = slice(0, 2)
    del xs[s]
    return xs[0] * xs[1] * len(xs)


@case
def slice_of_a_tuple(x):
    ts = (x[0], x[1], x[2])
    s = slice(1, 3)
    return ts[s][0] * ts[s][1]


@case
def slices_beside_an_ellipsis(x):
    A = x.reshape(2, 2, 2)
    s = slice(0, 1)
    return np.sum(A[..., s] ** 2) + np.sum(A[None, s, 1] ** 3)


@case
def slice_beside_an_array(x):
    A = x.reshape(2, 4)
    s = slice(0, 2)
    return np.sum(A[s, [0, 0, 2]] ** 3) + np.sum(A[[1, 0], s] ** 2)


class Window:
    """Its index may be a number, a slice or a pair."""

    def __init__(self, v):
        self.v = v

    def __getitem__(self, i):
        if isinstance(i, slice):
            return Window(self.v[i])
        if isinstance(i, tuple):
            return self.v[i[0]] * self.v[i[1]]
        return self.v[i]


@case
def slice_for_an_own_getitem(x):
    v = Window(x * x)
    s = slice(1, 3)
    return v[s].v.sum() + v[1:3].v.sum() ** 2 + v[0, 1] + v[4]


class Weighted:

    def __getitem__(self, i):
        a, b = i
        return np.sum(np.arange(8.0)[a]) * b


@case
def number_in_an_index(x):
    return Weighted()[1:3, x[0]] ** 2


class Grid:

    def __init__(self, v):
        self.v, self.log = v, 0.0

    def __setitem__(self, i, val):
        a, b = i
        self.v[a] = val * b
        self.log = self.log + b


@case
def number_in_the_index_of_a_store(x):
    g = Grid(x * 1.0)
    g[1:3, x[0]] = 2 * x[4]
    g[0:1, 2.0] = x[3]
    return np.sum(g.v ** 2) + g.log ** 2


@case
def number_in_a_recorded_index(x):
    i = np.s_[1:3, x[0]]
    return i[1] ** 2


@case
def numbers_in_a_recorded_index(x):
    i = np.s_[x[1], x[0]]
    return i[1] ** 2


@case
def blocks_added_to(x):
    y = np.zeros(8)
    for k in range(4):
        s = 2 * k
        y[s:s + 2] += x[s:s+2] * x[s]
    return np.sum(y ** 2)


@case
def blocks_of_one_vector_added_to(x):
    w = x[:2] * 3
    y = np.zeros(8)
    for k in range(4):
        s = 2 * k
        y[s:s + 2] += w * x[s]
    return np.sum(y ** 2)


@case
def assembled_matrix(x):
    K = np.zeros((8, 8))
    for k in range(4):
        ke = np.outer(x[:2], x[2:4]) * x[k]
        dofs = slice(2 * k, 2 * k + 2)
        K[dofs, dofs] += ke @ ke.T
    return np.sum(K ** 2)


@case
def blocks_of_other_sizes(x):
    y, last = np.zeros(8), np.zeros(1)
    for k in range(1, 4):
        part = x[:k] * x[k]
        y[:k] += part
        y[k] += np.sum(last)                  # of the turn before: it has another size
        last = part
    return np.sum(y ** 2)


@case
def parts_of_all_turns(x):
    parts, y = [], np.zeros(8)
    for k in range(1, 4):
        part = x[:k] * 2.0
        parts.append(part)
        y[:k] += parts[0][0] * part
    return np.sum(y ** 2) + np.sum(parts[0]) * np.sum(parts[2])


@case
def broadcast_in_one_turn(x):
    y = np.zeros((4, 2))
    for k in range(4):
        row = x[k:k + 1]
        y[k:k + 1] += row * 3.0
        y[:, k // 2:k // 2 + 1] *= x[k]
    return np.sum(y ** 2)


@case
def inner_and_outer_blocks(x):
    y = np.zeros((4, 8))
    for i in range(2):
        row = slice(2 * i, 2 * i + 2)
        for j in range(3):
            col = slice(j, j + 2)
            block = np.outer(x[row], x[col])
            y[row, col] += block * x[j]
        y[row] -= np.mean(block)
    return np.sum(y ** 2)


@case
def kept_from_the_turn_before(x):
    y, before = np.zeros(8), x[:2]
    for k in range(3):
        here = x[k:2 * k + 1]
        if k == 2:
            before = here
        y[:len(before)] += before * x[k]
    return np.sum(y ** 2)


@case
def while_blocks(x):
    y, k = np.zeros(8), 0
    while k < 6:
        n = 1 + k % 3
        y[k:k + n] += x[:n] * x[k]
        k += n
    return np.sum(y ** 2)


@case
def starred_index(x):
    m, at = x.reshape(2, 4), (1, 2)
    return m[(*at,)] * m[(*(0, 1),)] * m[(*at[:1], 3)]


@case
def starred_index_beside_slices(x):
    m, at = x.reshape(2, 4), (1,)
    return np.sum(m[(*at, slice(1, 3))] ** 2) + np.prod(m[(..., *at)])


@case
def starred_index_of_a_store(x):
    y, at = np.zeros((2, 4)), (1, 2)
    y[(*at,)] = x[0] * x[1]
    y[(*at,)] *= x[2]
    y[(0, *at[1:])] += x[3] * x[3]
    return np.sum(y * x[:4])
