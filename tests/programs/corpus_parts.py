"""Names that are a part of an array on some paths and all of it on others, and what holds the array meanwhile."""
import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

V = np.array([1.1, 0.5, -0.4])
A = np.array([[0.6, 1.2, 0.3], [0.8, -0.4, 0.7], [0.2, 0.9, -0.5]])
FACTORS = np.array([0.82, 1.0, 0.75])


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
