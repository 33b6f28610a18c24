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


# --- one name is a part of an array, or all of it, and the array is a part of one that nobody looks at any more

def part_or_whole_of_a_part(b):
    right = b[0, 0] > 0
    whole = np.concatenate([b, b[:1] * 2.0])
    rows = whole[:-1]
    if right:
        part = rows[:, -2:]
    else:
        part = rows
    part += np.sum(rows)
    return rows * rows


def part_or_whole_and_another_part(b):
    right = b[0, 0] > 0
    whole = np.concatenate([b, b[:1] * 2.0])
    rows = whole[:-1]
    if right:
        part = rows[:, 1:]
        rows = whole[1:]
    else:
        part = rows[1:]
    part *= 2.0
    return np.sum(rows ** 2) + np.sum(part ** 3)


def part_or_whole_by_two_ways(b):
    right = b[0, 0] > 0
    whole = np.concatenate([b, b[:1] * 2.0])
    rows = whole[:-1]
    part = rows[:, 1:] if right else rows
    other = rows if right else part
    part *= 2.0
    other *= 3.0
    return np.sum(other ** 2) + np.sum(part ** 3)


for program in (part_or_whole_of_a_part, part_or_whole_and_another_part, part_or_whole_by_two_ways):
    case(program, A)
    case(program, -A)


def reshape_of_what_a_callee_changes(a):
    flat = np.ravel(a)
    square = flat.reshape(3, 3)

    def grow(u):
        for _ in range(len(u)):
            rows = u
            rows *= square

    grow(a)
    return square.T[-2]


case(reshape_of_what_a_callee_changes, A)


# --- parts of parts in loops, and the array itself leaves

def part_of_a_name_until_the_array_leaves(a):
    first = a
    turned = first.T
    for _ in range(2):
        a = np.sin(a)
    part = turned[1:]
    part /= 1.7
    return np.sum(first * first * FACTORS) + np.sum(a)


def turned_in_a_loop(b):
    back = b[::-1]
    same = b
    for _ in range(1):
        back = back[::-1]
    same[2] *= 0.9
    return np.sum(back ** 2 * FACTORS) + np.sum(same ** 3)


def turned_in_a_loop_after_a_reshape(b):
    back = b[::-1]
    square = back.reshape(3, 3)
    for _ in range(1):
        back = back[::-1]
    square[2] *= 0.9
    return np.sum(back[0] ** 2) + np.sum(square ** 3)


for array in (A, A.T):
    case(part_of_a_name_until_the_array_leaves, array)
    case(turned_in_a_loop, array, may_refuse=True)
    case(turned_in_a_loop_after_a_reshape, array, may_refuse=True)


# --- a reshape of a name that is one of two rows: whether it is a view depends on how the rows lie

def reshape_of_swapped_rows(a):
    columns = np.transpose(a)
    first, second = columns[:1], columns[1:]
    for _ in range(3):
        first, second = second, first
    second.ravel()[:3] = np.square(columns.ravel()[:3])
    return a * a


for array in (A[:, :2].copy(), np.asfortranarray(A[:, :2]), A[:, 1:]):
    case(reshape_of_swapped_rows, array)


# --- a name and parts of it, and the array that both were leaves in a loop

def parts_of_a_name_when_the_array_leaves(a, b):
    same = a
    low, high = same[:1], same[1:]
    for _ in range(2):
        again = same
        a = b
        again[1:] -= low
        again[:-1] *= 0.5
    return high * high + low + np.sum(a)


case(parts_of_a_name_when_the_array_leaves, V, V * V + 1.0, inputs=("a", "b"))


# --- what an iteration has kept is not what the next one keeps

def turned_again_while_the_other_changes(a, c):
    other = a * 0.9
    b = other.T
    if c > 0:
        for _ in range(2):
            other = b[:, ::-1]
            b[:, 1] += 0.3
    return np.sum(A * other ** 2) + np.sum(b ** 2)


case(turned_again_while_the_other_changes, A, 1.5, may_refuse=True)


# --- a name that is a part of what it was, on one of two paths or again and again, and changes

def lower(x):
    x *= 0.8
    x[0] += 1.0
    return x


def turned_and_scaled_on_one_path(a, c):
    q = a.copy()
    if c > 0:
        q = q[:, ::-1]
        q *= 0.8
    return A * q


def turned_and_changed_by_a_function(a, c):
    q = a.copy()
    if c > 0:
        q = q[:, ::-1]
        q = lower(q)
    return A * q


def part_changed_by_a_function(a, c):
    q = a.copy()
    if c > 0:
        q = q[1:, ::-1]
        lower(q)
        q[0] *= 3.0
    return A[:1] * q


def turned_again_and_again(a, c):
    q = a.copy()
    while c < 3:
        q = q[::-1].T
        q -= 0.1 * q * c
        c += 1
    return A * q


def turned_while_another_sees_it(a, c):
    q = a.copy()
    r = q
    if c > 0:
        q = q.T
        q *= 2.0
        r[0] += 3.0 * q[1]
    return A * q + r


def one_of_a_list(a, c):
    q = [a * 1.0, a * 2.0]
    if c > 0:
        q = q[0]
        q *= 3.0
    return A * np.sum(np.array(q), axis=0)


def row_scaled(a, c):
    q = a * 2.0
    if c > 0:
        q = q[1]
        q *= a[0]
    return A * q


def flat_and_scaled(a, c):
    q = a * 2.0
    if c > 0:
        q = q.reshape(-1)
        q *= 2.0
        q[0] = 5.0 * q[1]
    return np.sum(q ** 2)


for array in (A, A.T):
    for level in (1.0, -1.0):
        for program in (turned_and_scaled_on_one_path, turned_and_changed_by_a_function, part_changed_by_a_function,
                        turned_again_and_again, turned_while_another_sees_it, one_of_a_list, row_scaled, flat_and_scaled):
            case(program, array, level)


# --- names that are linked through an array that leaves under a condition

def linked_through_what_leaves(a):
    b = a.T
    p = a
    for _ in range(2):
        if np.sum(a) > 0:
            a = a * 0.9
            b[0, 1] = p[2, 0] ** 2
    return A * p + b


def never_reshaped_and_returned(a, steps):
    for _ in range(steps):
        a = a.reshape(3, 3)
        a[:, 1] += 0.3
    a = same(a)
    return A * a ** 2


def same(x):
    return x


for array in (A, A.T):
    case(linked_through_what_leaves, array)
    case(linked_through_what_leaves, -array)
    for count in (0, 1):
        case(never_reshaped_and_returned, array, count)


# --- names that get roots of their own where a loop meets itself: what the next iteration finds is not what the first found

def exchanged_and_bound_again(a, b):
    p = a
    q = b.copy()
    b = q.reshape(3, 3)
    for _ in range(2):
        q, p = p, q
        q += 0.1 * a
        q = a
    return A * b ** 2 + p


case(exchanged_and_bound_again, A, A * A, inputs=("a", "b"), may_refuse=True)


# --- so many names may be one array that nobody would want to read what follows of a change

def each_perhaps_the_one_before(a, c):
    p = a if c > 0 else a.copy()
    q = p if c > 1 else a
    r = q[::-1] if c > 2 else p
    s = r.T if c > 3 else q
    u = s[:, ::-1] if c > 4 else r
    v = u if c > 5 else s
    s[0] += 1.0
    v *= 0.9
    return A * p + q * r + s * u + v


case(each_perhaps_the_one_before, A, 2.5, may_refuse=True)


# --- an array that is (a part of) another one under a condition gets another value: its own parts stay parts of that other one

def reshaped_twice_and_taken_back(m, b, level):
    a = m.T
    q = a
    a = q.reshape(3, 3)
    b = a.reshape(3, 3)
    if not level > 5:
        a = q
    q[2] *= 0.9
    return a * b


def reshaped_by_two_names(m, b, level):
    p = m.T.copy(order="K")
    a = b
    if level > 0:
        a = p.reshape(3, 3)
        p = p.reshape(3, 3)
    if level > 0:
        p[:, 1] += 0.3
    return a * p


for function in (reshaped_twice_and_taken_back, reshaped_by_two_names):
    case(function, A, A + 1.0, 1.5, inputs=("m", "b"), oracle=False, may_refuse=True)


# --- a name that is one of several parts changes, and then those parts

def chosen_and_its_rows(b, c):
    p = b[::-1]
    q = (p, b)[int(c > 2)]
    q *= 0.8
    for row in p:
        row *= 0.5 + row[1]
    return q


case(chosen_and_its_rows, A, 1.5, oracle=False)
case(chosen_and_its_rows, A, 2.5, oracle=False)


# --- what a loop of no turns would have kept has no shape

def exchanged_in_a_loop_of_no_turns(a, n):
    row = np.zeros(4)
    held = {"p": row, "q": row}
    turned = held["p"][::-1]
    for _ in range(2):
        for k in range(n):
            held["p"][1] = 0.9 * np.cos(row[3] + a[k])
            turned, row = row, turned
    return turned + a[0]


case(exchanged_in_a_loop_of_no_turns, np.array([0.4, 0.7]), 0, oracle=False)
case(exchanged_in_a_loop_of_no_turns, np.array([0.4, 0.7]), 2, oracle=False, may_refuse=True)


# --- two names that may be one on one path, and are not on the other, where a third meets both

def exchanged_on_one_path(a, b, c):
    swapped = a
    if np.sum(c) > 0.419:
        if np.sum(a) > -0.211:
            b, swapped = swapped, b
        flat = a.ravel()
    elif np.sum(swapped) > -0.211:
        flat = a
    else:
        flat = b.ravel()
    flat[:] -= 0.5 * swapped[[1, 0, 0]]
    return np.sin(b) * FACTORS + np.sum(FACTORS * a)


for level, sign in ((1.0, 1.0), (1.0, -1.0), (0.0, 1.0), (0.0, -1.0)):
    case(exchanged_on_one_path, sign * V, V + 1.0, np.full(3, level), inputs=("a", "b"), oracle=False)
