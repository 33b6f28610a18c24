"""Names that are one array on some paths of a program and others on other paths, and stores that overlap with what they read.

Random programs found most of these: the gradient was wrong."""
import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

V = np.array([1.1, 0.5, -0.4])
A = np.array([[0.6, 1.2, 0.3], [0.8, -0.4, 0.7], [0.2, 0.9, -0.5]])
FACTORS = np.array([0.82, 1.0, 0.75])


def three_names_until_one_leaves(a):
    u = a
    v = u
    for _ in range(2):
        v[0] = 2 * u[1] + a[2] + v[0]
        a = 0.4 * u                                      # u and v stay one array
    return a


def part_of_three_names(a):
    first = a
    second = first
    third = first
    for _ in range(3):
        third[:] = second[2] * third + first
        a = 0.4 * first
        a[0] += third[1]
    return a * second


def turned_on_one_path(a, level):
    other = a.swapaxes(0, 1)
    if a[1, 0] > level:
        a, other = other, a
        chosen = a.T
    else:
        chosen = a
    chosen += 0.3 * chosen * chosen
    return other * other + a


def one_of_three(a, b, level):
    if a[0] > level:
        u, v, w = a, a, b
    else:
        u, v, w = b, a, a
    w[0] *= u[1]
    v[1] += 2.0 * w[2]
    u[2] = u[0] * v[1]
    return np.sum(a * b) + u[2] * w[0]


def two_choices(a, b, level):
    u = a if level > 0 else a.copy()
    v = u if b[0] > 0 else b
    v[0] = 3.0 * u[1]
    u[1] *= v[0]
    a = a * 1.5
    v[2] = a[0] + u[2]
    return u * v + a


def seen_again(a):
    for row in a.T:
        column = row.reshape(3, 1)
        column.ravel()[:1] /= 1.7                        # a copy: rows of a.T do not lie in one piece
    return a.sum()


def equal_distances(a):
    a[1:] = a[:-1]
    a[:] = a[::-1]
    a[0, 1:] = a[1, :2]
    for i in range(2):
        a[i] = a[i + 1] * 1.0
        a[i + 1] = a[i]
    return a * a


def the_element_itself(a):
    for i in range(3):
        a[i, i:] = a[i:, i]                              # they have one element in common, which keeps its value
    return a * a


def other_distance(a):
    a[::2] = a[:2] * 1.0
    a[:2] = a[::2]                                       # NumPy reads each element before it is written
    return a * a


def single_and_double(a, b):
    def scale(u):
        b[1] *= np.tanh(a.mean())
        u[0] += a[0, 1]
    scale(b)
    return (FACTORS * b).sum()


case(three_names_until_one_leaves, V)
case(part_of_three_names, V)
for bound in (0.5, 0.9):
    case(turned_on_one_path, A, bound)
    case(one_of_three, V, 0.3 * V + 0.2, bound + 0.4, inputs=("a", "b"))
for bound in (-1.0, 1.0):
    case(two_choices, V, V * V - 0.2, bound, inputs=("a", "b"))
    case(two_choices, V, V * V - 1.5, bound, inputs=("a", "b"))
case(seen_again, A, may_refuse=True)
case(equal_distances, A)
case(the_element_itself, A)
case(other_distance, V)
case(single_and_double, A, V.astype(np.float32), inputs=("a", "b"), step=1e-3)


# --- reshapes that are views or copies, depending on how the array lies

def in_a_tuple(a):
    pair = (a.copy(), np.zeros((2, 3)))
    for item in pair:
        pass
    pair[1].reshape(3, 2).reshape(-1)[2] = np.sum(a * a)
    return pair[1][0] * a[0] + item[0] * a[1]


def flat_of_one(a):
    flat = np.ravel(a)
    pair = (a, a)
    flat[4] = 0.7 * flat[1]
    return (pair[1] * pair[0]).sum()


def helper_flattens(a, b):
    def flat(x):
        return x.ravel()
    last = flat(b[1])
    last[...] -= a * last
    return b * b


def helper_stores(a):
    def store(x):
        x[1::-1] = -0.3 * x[0] / (1.4 + np.sin(0.7 * x[:-1]))
        x.ravel()[-2] = 0.7
    for row in a:
        store(row[::-1])
    return np.sin(a)


def turned_and_multiplied(a):
    turned = a.T
    a *= turned
    return a[-1] + np.sum(turned)


def minus_itself(a):
    a -= 0.5 * a.reshape(3, 3)
    total = np.sum(a)
    return total * a


def shared_in_a_dict(b):
    flat = b.reshape(9)
    parts = {"p": b, "q": b, "r": flat.reshape(3, 3)}
    for _ in range(2):
        parts["r"][:, 1:] = parts["r"][:, :-1] * parts["q"][1, 1]
    return np.sum(np.sin(flat)) + np.sum(b * parts["p"])


case(shared_in_a_dict, A)
case(in_a_tuple, A)
case(flat_of_one, A)
case(helper_flattens, V, A, inputs=("a", "b"))
case(helper_flattens, V, np.asfortranarray(A), inputs=("a", "b"), may_refuse=True)
case(helper_stores, A, may_refuse=True)
case(turned_and_multiplied, V)
case(minus_itself, A)


def known_again(a, b):
    held = {"p": a, "q": b}
    a *= b[[0, 0, 0]]
    held["p"][-1] = a[-2]
    c = a
    return c


def copied_in_no_trip(a, b):
    u = b
    if np.sum(u) <= 5.0:
        if b[-2] > -5.0:
            k = 0
            while k < a.size - 3:
                k += 1
                u = b.copy()
        v = u
    v *= u[...]
    return b


def flat_but_for_the_last(b):
    for i in range(3):
        flat = b.copy() if i == 2 else b.ravel()
        flat *= 0.7 * flat[0]
    return b


case(known_again, V, V * V, inputs=("a", "b"))
case(copied_in_no_trip, V, V * V, inputs=("a", "b"))
case(copied_in_no_trip, np.ones(4), V * V, inputs=("a", "b"))
case(flat_but_for_the_last, V)
case(flat_but_for_the_last, A[:, 1])


# --- names that get the array that they have

def asarray_in_a_loop(x, y):
    def step(x):
        for _ in range(2):
            x = np.asarray(x)
            x[0] -= y[0] * x[1]
            x[1:] *= y[1:]
    step(x)
    return x


def itself_in_a_loop(x, y):
    part = x[1:]
    for _ in range(3):
        part = part
        x[...] = x[::-1] * y
        x, y = y, x
    return part * x[:2]


case(asarray_in_a_loop, V, V * V, inputs=("x", "y"), oracle=False)
case(itself_in_a_loop, V, V * V, inputs=("x", "y"))


# --- stores that overlap on one way only: NumPy itself gives something else there

def column_or_copy_into_a_row(a, b):
    v = a[:, -1] if b[0] > 0 else 2.0 * a[0]
    a[1] = v
    return a * a


def column_by_way_of_two_branches(a, b):
    w = b
    if b[0] > 0:
        if b[1] > -10.0:
            w = a[:, 0]
    else:
        w = b * b
    a[1] = w * 1.0
    a[2] = w
    return a * a


for sign in (1.0, -1.0):
    case(column_or_copy_into_a_row, A, sign * V[:3] ** 2, inputs=("a", "b"), may_refuse=sign > 0)
    case(column_by_way_of_two_branches, A, sign * V[:3] ** 2, inputs=("a", "b"))


# --- a.flat[...] is a copy

def flat_into_itself(a):
    a.flat[::2] = a.flat[:5]
    return a * a


def taken_from_flat_before_it_changes(a):
    s = a.flat[1:4]
    f = a.flat
    a[0] = 7.0 * a[1]
    return s * s + f[1:4] + a.flat[-1] ** 2


def flat_shows_what_is_there_now(a):
    f = a.flat
    a[0, 0] = a[1, 1] * 2.0
    f[1:3] = f[0:2]
    return a * a + f[0]


for matrix in (A, A.T):
    case(flat_shows_what_is_there_now, matrix)
case(flat_into_itself, A)
case(taken_from_flat_before_it_changes, A)


# --- an array at two places of a dict changes, then is looked for by its identity

def found_by_identity_after_a_change(a, b):
    held = {"p": b, "q": a.copy(), "r": b}

    def add_first(u):
        b[0] += 0.6

    def add_rest(u):
        held["r"][1:] += held["q"][::2]

    add_first(b)
    add_rest(b)
    return b * b


case(found_by_identity_after_a_change, V, V * V, inputs=("a", "b"))


# --- arrays that do not lie row by row: `op=` leaves them as they lie, so ravel() of them stays a copy

def copy_after_a_product(a, b):
    a *= 2.0 * b
    np.ravel(a)[-3] *= a[0, 0]
    return a * a


def copy_in_a_callee(a, b):
    a *= 0.8 + 0.3 * np.sin(b)

    def change():
        np.ravel(a)[-3] *= a[0, 0]

    change()
    a[:-1] *= a[1:]
    change()
    return a * a


def scaled_by_a_callee(a, b):
    def scale(x, factor):
        x *= factor

    scale(a, b)
    np.ravel(a)[1] = a[2, 2] ** 2
    return a * a


for program in (copy_after_a_product, copy_in_a_callee, scaled_by_a_callee):
    case(program, A, A + 1.0, inputs=("a", "b"))
    case(program, A.T, A + 1.0, inputs=("a", "b"))


# --- names of a loop that perhaps is never entered, and that a return may leave first

def returned_before_there_was_a_view(a, b, n):
    for i in range(n):
        if a[1, 1] < 0.137:
            g = b.ravel()
        else:
            if i > 0:
                pass
            else:
                return b * 2.0
            g = b
        g[...] += a[1, :]
    return b * b


for trips in (0, 1, 3):
    case(returned_before_there_was_a_view, A, V * V, trips, inputs=("a", "b"))
    case(returned_before_there_was_a_view, -A, V * V, trips, inputs=("a", "b"))


# --- an array and a view of it in one list: which of them changes is not known, nor whether the view is one

def list_of_an_array_and_a_view(a):
    a = a.copy()
    view = a.reshape(3, 3)
    both = [a, view]
    for x in both:
        x[0] *= 0.9
    return view * view


case(list_of_an_array_and_a_view, A)
case(list_of_an_array_and_a_view, A.T, may_refuse=True)


# --- a reshape of an array that a list holds

def reshaped_item(c):
    held = [np.zeros((3, 3))]
    held.append(c)
    view = held[1].reshape(3, 3)
    view[0] = 2.0
    return c * c


def reshaped_item_for_a_function(c):
    def change(x):
        x[[1, 0]] = 2

    held = [np.zeros((3, 3))]
    held.append(c)
    change(held[1].reshape(3, 3))
    return c * c


for program in (reshaped_item, reshaped_item_for_a_function):
    case(program, A)
    case(program, A.T)


# --- stores by numbers of elements: NumPy 1 does not copy what overlaps with them, and the store is refused

def turned_by_numbers(a):
    a[[2, 0, 1]] = a
    return a * a


def column_by_numbers(a):
    a[:, [1, 1]] = a[:, 1:]
    return a * a


REFUSED = np.lib.NumpyVersion(np.__version__) < "2.0.0"
case(turned_by_numbers, V, may_refuse=REFUSED)
case(column_by_numbers, A, may_refuse=REFUSED)


# --- a name that has no value on the first trip of a loop, and is found by its identity

def swapped_while_a_list_holds_them(a):
    held = [np.zeros((2, 2)), a]
    for item in held:
        item[:] *= 0.9
        for _ in range(3):
            a, item = item, a
    return held[1][1, 1]


case(swapped_while_a_list_holds_them, A[:2, :2], may_refuse=True)


# --- a view or a copy, of which nobody else knows

def sum_of_one_array(c):
    y = np.einsum("ij->ji", 2.0 * c)
    y += 1.0
    y[1, 2] = 0.0
    return y * c


def sum_of_two_arrays(v):
    y = np.einsum("i,j->ij", v, v)
    y += np.eye(3)
    y[1, 2] = 0.0
    return y


def taken_by_a_grid(c, v):
    part = c[np.ix_([0, 2], [1, 2])]
    part *= v[:2]
    c[np.ix_([0, 1], [0, 1])] += part
    return c * c


def taken_where(v):
    i = np.where(v > 0.0)
    part = v[i]
    part *= 2.0
    v[i] = part * part
    return v * part[0]


def taken_by_tuples(c):
    top, low, column = np.unravel_index(np.argmax(c), c.shape), np.tril_indices(3), (slice(None), 1)
    view, part = c[column], c[low]
    part += c[top]
    view *= 2.0
    c[column] += part[:3]
    c[top] = 0.0
    return np.sum(c * c) + np.sum(part)


case(sum_of_one_array, A)
case(sum_of_two_arrays, V)
case(taken_by_a_grid, A, V)
case(taken_where, V)
case(taken_by_tuples, A)
