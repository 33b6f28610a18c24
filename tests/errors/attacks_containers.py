"""Attacks on lists that change, and on names of one list."""

import copy

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
VECTOR = np.array([0.3, -0.8, 1.1])
attack = ATTACKS.add



def two_names_of_a_list(x):
    xs = [x]
    ys = xs
    xs.append(x * x)
    return sum(ys)


attack(two_names_of_a_list, 0.7)


def list_in_a_tuple(x):
    xs = [x]
    pair = (xs, 2.0)
    xs.append(x * x)
    return sum(pair[0]) * pair[1]


attack(list_in_a_tuple, 0.7)


def list_of_lists(x):
    rows = [[x], [2.0 * x]]
    rows[0].append(x * x)
    return sum(rows[0]) * sum(rows[1])


attack(list_of_lists, 0.7)


def append_to_each_row(x):
    rows = [[x], [2.0 * x]]
    for row in rows:
        row.append(x * x)
    return sum(rows[0]) * sum(rows[1])


attack(append_to_each_row, 0.7)


def repeated_row(x):
    rows = [[x]] * 2
    rows[0].append(x * x)
    return sum(rows[1])


attack(repeated_row, 0.7)


def append_by_callee(x):
    xs = [x]
    _push(xs, x * x)
    return sum(xs)


def _push(xs, value):
    xs.append(value)


attack(append_by_callee, 0.7)


def append_constant_by_callee(x):
    xs = [1.0]
    _push(xs, 2.0)
    return sum(xs) * x


attack(append_constant_by_callee, 0.7)


def append_by_closure(x):
    xs = [x]

    def push(value):
        xs.append(value)

    push(x * x)
    return sum(xs)


attack(append_by_closure, 0.7)


def append_by_bound_method(x):
    xs = [x]
    push = xs.append
    push(x * x)
    return sum(xs)


attack(append_by_bound_method, 0.7)


def append_by_class_method(x):
    xs = [x]
    list.append(xs, x * x)
    return sum(xs)


attack(append_by_class_method, 0.7)


def append_to_default(x, seen=[]):
    seen.append(x)
    total = sum(seen)
    seen.pop()
    return total * x


attack(append_to_default, 0.7)

HISTORY = [1.0]


def append_to_global(x):
    HISTORY.append(x)
    return HISTORY.pop() * x


attack(append_to_global, 0.7)


def append_to_argument(x, xs):
    xs.append(2.0)
    return sum(xs) * x


attack(append_to_argument, 0.7, [1.0])


def append_in_expression(x):
    xs = [x]
    done = xs.append(x * x) or 2.0
    return sum(xs) * done


attack(append_in_expression, 0.7)


def extend(x):
    xs = [x]
    xs.extend([x * x, 1.0])
    return sum(xs) * xs[1]


attack(extend, 0.7)


def extend_constants(x):
    xs = [1.0]
    xs.extend([2.0, 3.0])
    return sum(xs) * x


attack(extend_constants, 0.7)


def insert(x):
    xs = [x]
    xs.insert(0, x * x)
    return xs[0] * 3.0 + xs[1]


attack(insert, 0.7)


def insert_constant(x):
    xs = [1.0]
    xs.insert(0, 2.0)
    return xs[0] * x


attack(insert_constant, 0.7)


def sort_in_place(x):
    xs = [x * x, x, 2.0 * x]
    xs.sort()
    return xs[0] + 2.0 * xs[1] + 3.0 * xs[2]


attack(sort_in_place, 0.7)


def reverse_in_place(x):
    xs = [x * x, x]
    xs.reverse()
    return xs[0] + 2.0 * xs[1]


attack(reverse_in_place, 0.7)


def reverse_constants(x):
    xs = [1.0, 2.0]
    xs.reverse()
    return xs[0] * x


attack(reverse_constants, 0.7)


def clear_constants(x):
    xs = [1.0, 2.0]
    xs.clear()
    xs.append(x)
    return sum(xs)


attack(clear_constants, 0.7)


def remove(x):
    xs = [x, x * x]
    xs.remove(x)
    return xs[0]


attack(remove, 0.7)


def pop_first(x):
    xs = [x, x * x, 1.0]
    return xs.pop(0) * xs[0]


attack(pop_first, 0.7)


def pop_unused(x):
    xs = [x, x * x]
    xs.pop()
    return xs[-1]


attack(pop_unused, 0.7)


def pop_then_append(x):
    xs = [x, x * x]
    last = xs.pop()
    xs.append(last * x)
    return sum(xs)


attack(pop_then_append, 0.7)


def delete_item(x):
    xs = [x, x * x]
    del xs[0]
    return xs[0]


attack(delete_item, 0.7)


def delete_slice(x):
    xs = [x, x * x, 1.0]
    del xs[1:]
    return xs[-1]


attack(delete_slice, 0.7)


def delete_name(x):
    y = x * 2.0
    del y
    y = x * x
    return y


attack(delete_name, 0.7)


def delete_and_read(x):
    y = x * 2.0
    del y
    return y * x


attack(delete_and_read, 0.7)


def augmented_list(x):
    xs = [x]
    ys = xs
    xs += [x * x]
    return sum(ys)


attack(augmented_list, 0.7)


def augmented_list_repeat(x):
    xs = [x]
    xs *= 3
    return sum(xs)


attack(augmented_list_repeat, 0.7)


def augmented_tuple(x):
    xs = (x,)
    xs += (x * x,)
    return sum(xs)


attack(augmented_tuple, 0.7)


def repeat_list(x):
    xs = [x, x * x] * 2
    return xs[0] * xs[3]


attack(repeat_list, 0.7)


def repeat_tuple(x):
    xs = 3 * (x,)
    return xs[0] * xs[2]


attack(repeat_tuple, 0.7)


def list_changed_in_loop(x):
    xs = [x]
    for value in xs:
        if len(xs) < 4:
            xs.append(value * x)
    return sum(xs)


attack(list_changed_in_loop, 0.7)


def alias_changed_in_loop(x):
    xs = [x]
    ys = xs
    for value in xs:
        if len(ys) < 4:
            ys.append(value * x)
    return sum(xs)


attack(alias_changed_in_loop, 0.7)


def list_popped_in_loop(x):
    xs = [x, 2.0 * x, x * x]
    total = 0.0
    while xs:
        total = total * x + xs.pop()
    return total


attack(list_popped_in_loop, 0.7)


def list_held_by_an_appended_list(v):
    x=[v[0]]
    r=[x]
    rows=[]
    rows.append(r)
    x.append(v[1])
    return rows[0][0][1]*v[2]


attack(list_held_by_an_appended_list, VECTOR)


def append_to_a_repeated_row(v):
    rows=[[v[0]]]*2
    rows[0].append(v[1])
    return rows[1][1]*v[2]


attack(append_to_a_repeated_row, VECTOR)


def row_before_an_insert(v):
    rows=[[v[0]],[v[1]]]
    r=rows[0]
    rows.insert(0,[v[2]])
    r.append(v[2])
    return rows[1][1]*v[2]


attack(row_before_an_insert, VECTOR)


def list_in_a_copied_dict(v):
    d={"a":[v[0]]}
    e=d
    f=d.copy()
    e["b"]=[v[1]]
    f["a"].append(v[2]*v[1])
    return d["a"][1]*d["b"][0]+len(f)


attack(list_in_a_copied_dict, VECTOR)


def list_in_a_default(v, d={"k": [1.0]}):
    d["k"].append(v[0])
    s=d["k"][-1]
    return s*v[1]


attack(list_in_a_default, VECTOR)


def row_of_a_sorted_list(v):
    xs=[[v[0]],[v[1]]]
    ys=sorted(xs, key=lambda r: r[0])
    ys[0].append(v[2])
    return xs[1][1]*v[0]


attack(row_of_a_sorted_list, VECTOR)


def row_of_a_comprehension(v):
    xs=[[v[0]],[v[1]]]
    ys=list(reversed(xs))
    zs=[r for r in xs]
    zs[0].append(v[2])
    return xs[0][1]*v[0]+ys[1][1]


attack(row_of_a_comprehension, VECTOR)


def list_among_items(v):
    d={"a":[v[0]]}
    for k,r in d.items():
        r.append(v[1])
    return d["a"][1]*v[2]


attack(list_among_items, VECTOR)


# --- what shows, or reads, later what a container holds then


def keys_that_show_what_comes(x):
    d = {"a": x[0], "b": x[1]}
    ks = d.keys()
    d["c"] = x[2]
    return len(ks) * sum(d[k] for k in ks)


attack(keys_that_show_what_comes, VECTOR)


def keys_of_what_stays(x):
    d = {"a": x[0], "b": x[1]}
    d["c"] = x[2]
    ks = d.keys()
    vs = d.values()
    return sum(vs) * sum(d[k] ** 2 for k in ks)


attack(keys_of_what_stays, VECTOR)


def values_that_show_what_comes(x):
    d = {"a": x[0], "b": x[1]}
    vs = d.values()
    d["a"] = x[2] * 5
    return sum(vs)


attack(values_that_show_what_comes, VECTOR)


def list_of_items(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    its = list(d.items())
    d["c"] = x[0] * 3
    return sum(v for k, v in its) * d["c"]


attack(list_of_items, VECTOR)


def values_changed_by_key(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    for k in d.keys():
        d[k] = d[k] * 2
    return sum(d.values()) ** 2


attack(values_changed_by_key, VECTOR)


class Kept:
    def __init__(self, x):
        self.d = {"a": x}

    def add(self, k, v):
        self.d[k] = v


def doubled(xs):
    for v in xs:
        yield v * 2


def generator_of_a_list_that_changes(x):
    a = [x[0], x[1]]
    g = doubled(a)
    a[0] = x[2] * 3
    return sum(v ** 2 for v in g)


attack(generator_of_a_list_that_changes, VECTOR)


def list_changes_while_it_is_read(x):
    a = [x[0], x[1]]
    for v in doubled(a):
        a[0] = v * 3
    return a[0] * a[1]


attack(list_changes_while_it_is_read, VECTOR)


def list_changes_afterwards(x):
    a = [x[0], x[1]]
    s = 0.0
    for v in doubled(a):
        s += v
    a[0] = s
    return a[0] * a[1]


attack(list_changes_afterwards, VECTOR)


def generator_of_a_dict_that_changes(x):
    def gen(d):
        for k in d:
            yield d[k] * 2

    d = {"a": x[0], "b": x[1]}
    g = gen(d)
    d["a"] = x[2]
    return sum(g)


attack(generator_of_a_dict_that_changes, VECTOR)


def keys_while_a_function_adds_one(x):
    d = {"a": x[0]}
    ks = d.keys()
    def put(d):
        d["b"] = x[1]

    put(d)
    return len(ks) * x[0] + sum(d[k] for k in ks)


attack(keys_while_a_function_adds_one, VECTOR)


def values_while_a_method_adds_one(x):
    o = Kept(x[0])
    vs = o.d.values()
    o.add("b", x[1])
    return sum(vs)


attack(values_while_a_method_adds_one, VECTOR)


# --- whether it is a list or an object that has methods of that name is only seen when the code runs


class Accumulated:
    def __init__(self, x):
        self.x = x

    def append(self, v):
        self.x = self.x + v ** 2

    def pop(self):
        x = self.x
        self.x = x * 0.5
        return x

    def __getitem__(self, i):
        return self.x * 2


def object_or_list_appended(x):
    a = Accumulated(x[2])
    q = a if x[0] < 1000 else []
    q.append(x[1])
    return a.x


attack(object_or_list_appended, VECTOR)


def object_or_list_popped(x):
    a = Accumulated(x[2])
    if x[0] < 1000:
        q = a
    else:
        q = [x[1]]
    r = q.pop()
    return a.x * r


attack(object_or_list_popped, VECTOR)


# --- classes that say how their instances are copied


class Copied:

    def __init__(self, v):
        self.v = v
        self.n = v * 3
        self.w = [v]

    def __copy__(self):
        t = Copied(self.v * 2)
        t.n = 0.0
        return t

    def __getstate__(self):
        return {"v": self.v}

    def bump(self, d):
        if d > 0:
            self.v = self.v + d
        self.w[0] = self.w[0] * d
        return self.n


class DeepCopied(Copied):

    def __deepcopy__(self, memo):
        return DeepCopied(self.v * 5)


class Holding:

    def __init__(self, t):
        self.t = t


class Stated:

    def __init__(self, v):
        self.v = v
        self.c = v * 2

    def __getstate__(self):
        return {"v": self.v}

    def __setstate__(self, d):
        self.v = d["v"]
        self.c = 0.0


def deep_copy_in_its_own_way(x):
    t = DeepCopied(x[0])
    u = copy.deepcopy(t)
    return u.v * t.v


attack(deep_copy_in_its_own_way, VECTOR)


def deep_copy_of_what_it_holds(x):
    t = Holding(DeepCopied(x[0]))
    u = copy.deepcopy(t)
    return u.t.v * t.t.v


attack(deep_copy_of_what_it_holds, VECTOR)


def copy_by_its_state(x):
    t = Stated(x[0])
    u = copy.copy(t)
    return u.v * t.v + u.c


attack(copy_by_its_state, VECTOR)


def deep_copy_by_its_state(x):
    t = Stated(x[0])
    u = copy.deepcopy([t])
    return u[0].v * t.v + u[0].c


attack(deep_copy_by_its_state, VECTOR)
