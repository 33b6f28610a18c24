"""Attacks on stores `a[i] = v` into aliases, views, arguments, lists, and through callees and closures."""
import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])
M = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7], [0.1, 0.8, 0.6]])
TABLE = np.ones(3)


def store(x):
    y = x * 2.0
    y[0] = x[1] * x[2]
    return (y * y).sum()


attack(store, V)


def store_into_alias(x):
    y = x * 2.0
    z = y
    y[0] = x[1] * x[2]
    return (z * y).sum()


attack(store_into_alias, V)


def store_into_view(x):
    y = x * 2.0
    z = y[1:]
    z[0] = x[0] * x[2]
    return (y * y).sum()


attack(store_into_view, V)


def store_into_base_of_view(x):
    y = x * 2.0
    z = y[1:]
    y[1] = x[0] * x[2]
    return (z * z).sum()


attack(store_into_base_of_view, V)


def store_into_row(x):
    y = x * 2.0
    row = y[1]
    row[2] = x[0, 0]
    return (y * y).sum()


attack(store_into_row, M)


def store_into_iterated_rows(x):
    y = x * 2.0
    for row in y:
        row[0] = row[1] * row[2]
    return (y * y).sum()


attack(store_into_iterated_rows, M)


def store_into_iterated_array(x):
    y = x * 2.0
    total = 0.0
    for i, v in enumerate(y):
        total = total + v * x[i]
        y[2] = total
    return total


attack(store_into_iterated_array, V)


def store_into_argument(x):
    x[0] = x[1] * x[2]
    return (x * x).sum()


attack(store_into_argument, V)


def store_into_other_argument(x, y):
    y[0] = x[1] * x[2]
    return (y * x).sum()


attack(store_into_other_argument, V, V[::-1].copy(), inputs=("x", "y"))
attack(store_into_other_argument, V, np.ones(3))
attack(store_into_other_argument, V, V)


def store_into_global(x):
    TABLE[0] = x[1]
    return (TABLE * x).sum()


attack(store_into_global, V)


def store_into_alias_of_global(x):
    y = TABLE
    y[0] = x[1]
    return (y * x).sum()


attack(store_into_alias_of_global, V)


def store_into_default(x, y=np.ones(3)):
    y[0] = x[1]
    return (y * x).sum()


attack(store_into_default, V)


def store_into_transpose(x):
    y = x * 2.0
    z = y.T
    z[0, 1] = x[2, 2]
    return (y * y).sum()


attack(store_into_transpose, M)


def store_into_reshape(x):
    y = x * 2.0
    z = y.reshape(-1)
    z[1] = x[2, 2]
    return (y * y).sum()


attack(store_into_reshape, M)


def store_into_reshaped_transpose(x):
    y = x * 2.0
    z = y.T.reshape(-1)
    z[1] = x[2, 2]
    return (y * y).sum()


attack(store_into_reshaped_transpose, M)


def store_into_ravel(x):
    y = x * 2.0
    np.ravel(y)[1] = x[2, 2]
    return (y * y).sum()


attack(store_into_ravel, M)


def store_into_asarray(x):
    y = np.asarray(x)
    y[0] = x[1] * x[2]
    return (y * x).sum()


attack(store_into_asarray, V)


def store_into_conj(x):
    y = x.conj()
    y[0] = x[1] * x[2]
    return (y * x).sum()


attack(store_into_conj, V)


def store_into_real(x):
    y = x * 2.0
    z = np.real(y)
    z[0] = x[1]
    return (y * y).sum()


attack(store_into_real, V)


def store_into_identity(x):
    y = x * 2.0
    z = _same(y)
    z[0] = x[1]
    return (y * y).sum()


def _same(a):
    return a


attack(store_into_identity, V)


def store_into_list_element(x):
    rows = [x * 1.0, x * 2.0]
    row = rows[0]
    row[0] = x[1]
    return (rows[0] * rows[1]).sum()


attack(store_into_list_element, V)


def store_after_append(x):
    y = x * 1.0
    seen = []
    for i in range(3):
        y[i] = x[i] * x[0]
        seen.append(y)
    return (seen[0] * x).sum()


attack(store_after_append, V)


def store_after_append_of_copy(x):
    y = x * 1.0
    seen = []
    for i in range(3):
        y[i] = x[i] * x[0]
        seen.append(y.copy())
    return sum((s * x).sum() for s in seen)


attack(store_after_append_of_copy, V)


def store_list(x):
    xs = [0.0, 0.0]
    xs[0] = x
    xs[1] = xs[0] * x
    return xs[0] * xs[1]


attack(store_list, 0.7)


def store_list_alias(x):
    xs = [0.0, 0.0]
    ys = xs
    xs[0] = x
    return ys[0] * x


attack(store_list_alias, 0.7)


def store_list_of_lists(x):
    rows = [[0.0] * 2 for _ in range(2)]
    rows[0][1] = x
    return rows[0][1] * x


attack(store_list_of_lists, 0.7)


def store_list_slice(x):
    xs = [1.0, 2.0, 3.0]
    xs[:2] = [x]
    return xs[0] * xs[1] * len(xs)


attack(store_list_slice, 0.7)


def store_list_argument(x, xs):
    xs[0] = x
    return xs[0] * xs[1]


attack(store_list_argument, 0.7, [1.0, 2.0])


def store_list_input(xs):
    xs[0] = xs[1] * 2.0
    return xs[0] * xs[1]


attack(store_list_input, [1.0, 2.0])


def store_in_callee(x):
    y = x * 2.0
    _put(y, 0, x[1])
    return (y * y).sum()


def _put(a, i, v):
    a[i] = v


attack(store_in_callee, V)


def store_in_callee_returned(x):
    y = x * 2.0
    z = _put_and_return(y, x[1])
    return (y * z).sum()


def _put_and_return(a, v):
    a[0] = v
    return a


attack(store_in_callee_returned, V)


def store_in_callee_on_temporary(x):
    return (_put_and_return(x * 2.0, x[1]) * x).sum()


attack(store_in_callee_on_temporary, V)


def store_in_callee_on_argument(x):
    return (_put_and_return(x, x[1]) * x).sum()


attack(store_in_callee_on_argument, V)


def store_in_closure(x):
    y = x * 2.0

    def put(i, v):
        y[i] = v

    put(0, x[1])
    return (y * y).sum()


attack(store_in_closure, V)


def store_seen_by_closure(x):
    y = x * 2.0

    def get():
        return y[0] * y[1]

    first = get()
    y[0] = x[2]
    return first * get()


attack(store_seen_by_closure, V)


def store_seen_by_lambda_value(x):
    y = x * 2.0
    fs = [lambda: y[0] * y[1]]
    y[0] = x[2]
    return fs[0]()


attack(store_seen_by_lambda_value, V)
