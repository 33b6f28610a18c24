"""Effects of calls whose result is not used, of calls inside expressions, and through every way of holding a container."""
import functools

import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])


def each(callback, x):
    callback(x)
    return 0.0


def callback_appends(x):
    seen = []
    each(lambda v: seen.append(v ** 2), x)
    return seen[0] * x


case("effects of a callback", callback_appends, 0.7)


def visit(f, callback):
    total = 0.0
    for k in range(3):
        value = f(k)
        total += value
        callback(value)
    return total


def callback_in_loop(x):
    seen = []
    result = visit(lambda t: np.sin(x * t), lambda v: seen.append(v))
    return result * sum(seen)


case("effects of a callback", callback_in_loop, 0.7)


def bound_append_as_callback(x):
    seen = []
    result = visit(lambda t: np.sin(x * t), seen.append)
    return result * sum(seen)


case("effects of a callback", bound_append_as_callback, 0.7)


def nested_def_appends(x):
    seen = []

    def remember(v):
        seen.append(v)
        return v

    remember(x)
    y = remember(x ** 2) * remember(2.0)
    return sum(seen) * y


case("effects of a nested function", nested_def_appends, 0.7)


def nested_def_stores(v):
    work = np.zeros(3)

    def put(k, value):
        work[k] = value

    for k in range(3):
        put(k, v[k] ** 2)
    put(0, v[1])
    return np.sum(work * v)


case("effects of a nested function", nested_def_stores, V)


def nested_def_updates_dict(x):
    state = {"x": x, "n": 0}

    def advance(by):
        state["x"] = state["x"] * by
        state["n"] += 1

    advance(x)
    advance(2.0)
    return state["x"] * state["n"]


case("effects of a nested function", nested_def_updates_dict, 0.7)


def add_to(items, x):
    items.append(x)
    items[0] = items[0] * x


def callee_appends(x):
    items = [x]
    add_to(items, x ** 2)
    add_to(items, 2.0)
    return sum(items) * items[0]


case("effects of a callee", callee_appends, 0.7)


def update(table, name, x):
    table[name] = x
    table["total"] = table.get("total", 0.0) + x


def callee_updates_dict(x):
    table = {}
    update(table, "a", x ** 2)
    update(table, "b", x)
    return table["total"] * table["a"]


case("effects of a callee", callee_updates_dict, 0.7)


def comprehension_appends(v):
    seen = []
    [seen.append(x ** 2) for x in v]
    doubled = [seen.append(x) or x * 2.0 for x in v]
    return sum(seen) * doubled[0]


case("effects in comprehensions", comprehension_appends, V)


def map_appends(v):
    seen = []
    total = sum(map(lambda x: seen.append(x ** 2) or x, v))
    return total * sum(seen)


case("effects in map", map_appends, V)


def sort_key_appends(v):
    seen = []

    def key(x):
        seen.append(x ** 2)
        return -x

    ordered = sorted(v, key=key)
    return ordered[0] * seen[0] + sum(seen)


case("effects in a sort key", sort_key_appends, V)


def condition_appends(x):
    seen = []

    def test(v):
        seen.append(v)
        return v > 0.5

    if test(x) and not test(x ** 2) or test(2.0 * x):
        return sum(seen) * x
    return x


case("effects in a condition", condition_appends, 0.7)


def default_appends(x):
    seen = []

    def pick(v, into=seen):
        into.append(v)
        return len(into)

    pick(x)
    count = pick(x ** 2) + pick(x, [])
    return sum(seen) * count


case("effects through a default", default_appends, 0.7)


def partial_appends(x):
    items = [x]
    push = functools.partial(add_to, items)
    push(x ** 2)
    push(3.0)
    return sum(items)


case("effects through a partial", partial_appends, 0.7)


def functions_in_list_append(x):
    seen = []
    steps = [seen.append, lambda v: seen.append(v ** 2), functools.partial(add_to, seen)]
    for step in steps:
        step(x)
    return sum(seen) * seen[0]


case("effects of functions in a list", functions_in_list_append, 0.7, refused="call it by its name")


class Recorder:
    def __init__(self):
        self.values = []
        self.last = None

    def __call__(self, x):
        self.values.append(x)
        self.last = x

    def also(self, x):
        self(x ** 2)
        return self

    @property
    def total(self):
        self.values.append(1.0)
        return sum(self.values)


def object_records(x):
    recorder = Recorder()
    recorder(x)
    recorder.also(x).also(2.0)
    each(recorder, x ** 3)
    return recorder.last * sum(recorder.values)


case("effects on an object", object_records, 0.7)


def property_with_effect(x):
    recorder = Recorder()
    recorder(x)
    first = recorder.total
    return first * recorder.total


case("effects on an object", property_with_effect, 0.7)


def dict_of_lists(x):
    groups = {"a": [], "b": [x]}
    chosen = groups["a"]
    chosen.append(x ** 2)
    groups["b"].append(chosen[0])
    for items in groups.values():
        items.append(x)
    return sum(groups["a"]) * sum(groups["b"])


case("effects through an element", dict_of_lists, 0.7)


def tuple_of_arrays(v):
    pair = (v * 1.0, v ** 2)
    pair[0][1] = pair[1][0]
    first, _ = pair
    first[2] *= 2.0
    return np.sum(pair[0] * pair[1])


case("effects through an element", tuple_of_arrays, V)


def loop_variable_is_a_view(v):
    rows = [v * k for k in range(1, 3)]
    for row in rows:
        row[0] = row[1] ** 2
        row *= 0.5
    return np.sum(rows[0] * rows[1])


case("effects through a loop variable", loop_variable_is_a_view, V)


def unpacked_rows(v):
    table = np.outer(v, v)
    for k, (row, x) in enumerate(zip(table, v)):
        row[k] = x ** 3
    a, b, c = table
    b[:] = a * c
    return np.sum(table ** 2)


case("effects through a loop variable", unpacked_rows, V)


def swap_in_list(xs):
    items = [x ** 2 for x in xs]
    items[0], items[-1] = items[-1], items[0]
    items[:2] = reversed(items[:2])
    return sum((k + 1) * item for k, item in enumerate(items))


case("effects through an element", swap_in_list, [0.7, 1.2, -0.4])


def appended_while_iterated(x):
    items = [x]
    for item in items:
        if len(items) < 4:
            items.append(item * x + 1.0)
    return sum(items)


case("a list that grows while it is iterated", appended_while_iterated, 0.7, refused="Iterate over a copy")


def result_and_effect(items):
    items.append(items[-1] ** 2)
    return items


def one_list_two_roles(x):
    items = [x]
    same = result_and_effect(items)
    same.append(2.0 * x)
    return sum(items) * len(result_and_effect(same))


case("effects of a callee", one_list_two_roles, 0.7)


def frozen_copy(x):
    items = [x, x ** 2]
    before = tuple(items)
    snapshot = list(items)
    items[0] = 3.0 * x
    snapshot[1] = 5.0
    return sum(before) * sum(items) + sum(snapshot)


case("copies of containers", frozen_copy, 0.7)


def arrays_of_lists(x):
    items = [x, x ** 2]
    a = np.array(items)
    items[0] = 0.0
    a[1] *= 3.0
    b = np.asarray(a)
    b[0] = a[1]
    return np.sum(a) * items[1]


case("copies of containers", arrays_of_lists, 0.7)


def flat_views(v):
    table = np.outer(v, v)
    flat = table.ravel()
    flat[0] = v[1]
    again = table.reshape(9)
    again[4:] *= v[0]
    table.flat[2] = v[2] ** 2
    return np.sum(table ** 2)


case("effects through a view", flat_views, V)


def view_scaled(v):
    work = v ** 2
    head = work[:2]
    head *= 2.0
    return np.sum(work ** 2)


case("effects through a view", view_scaled, V)


def store_into_result(v):
    holder = [np.zeros(3)]

    def values():
        return holder[0]

    values()[1] = v[0] ** 2
    return np.sum(holder[0] ** 2) * v[1]


case("effects through a view", store_into_result, V)


def transposed_view(v):
    table = np.outer(v, v ** 2)
    table.T[0] = v
    np.swapaxes(table, 0, 1)[1, 2] = v[0] ** 3
    return np.sum(table ** 2)


case("effects through a view", transposed_view, V)


def view_of_the_diagonal(v):
    table = np.outer(v, v ** 2)
    diagonal = np.einsum("ii->i", table)
    diagonal += 1.0
    return np.sum(table ** 2)


case("effects through a view", view_of_the_diagonal, V, refused="Work on a copy")


def buffers_reused(v):
    buffer = np.empty(3)
    rows = []
    for k in range(3):
        buffer[:] = v * k + v[k]
        rows.append(buffer.copy())
    rows.append(buffer)
    buffer[0] = 0.0
    return sum(np.sum(row ** 2) for row in rows)


case("a buffer that is reused", buffers_reused, V)


def buffer_kept_without_copy(v):
    buffer = np.zeros(3)
    rows = []
    for k in range(2):
        buffer += v * (k + 1)
        rows.append(buffer)
    return np.sum(rows[0] * rows[1])


case("a buffer that is reused", buffer_kept_without_copy, V, refused="Work on a copy")


def saved_before_change(v):
    work = v.copy()
    total = 0.0
    for k in range(3):
        total += np.sum(np.sin(work))
        work[k] = work[k] ** 2
        work[(k + 1) % 3] += total
    return total * work[0]


case("values read before they are overwritten", saved_before_change, V)


class Item:
    def __init__(self, value):
        self.value = value


class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)
        return self


def items_of_a_dict_change(x, w):
    parameters = {"a": w * 1.0, "b": w ** 2}
    for name, p in parameters.items():
        p -= x * len(name)
        p[0] = x
    total = 0.0
    for p in parameters.values():
        p *= 2.0
        total += np.sum(p)
    return total * np.sum(parameters["a"])


case("effects through a loop variable", items_of_a_dict_change, 0.7, V, inputs=("x", "w"))


def changed_after_append(x):
    stack, first = Stack(), Item(x)
    stack.push(first)
    first.value *= x
    rows = [np.ones(2) * x]
    for k in range(3):
        row = np.ones(2) * k
        rows.append(row)
        row += x
        if k > 0:
            rows[k][0] = row[1] * x
    stack.push(Item(2.0)).push(Item(x))
    first.value += 1.0
    for item in stack.items:
        item.value *= x
    stack.items[-1].value += x
    return first.value * sum(item.value for item in stack.items) * sum(np.sum(row) for row in rows)


case("an object that changes after it was appended", changed_after_append, 0.7)


def sorted_objects_change(x):
    items = [Item(x), Item(2.0 * x)]
    ordered = sorted(items, key=lambda item: item.value)
    items[0].value = 3.0 * x
    return ordered[0].value * x


case("an object that changes in two lists", sorted_objects_change, 0.7)


def hold_each_other(x):
    one, other = Item(x), Item(x ** 2)
    one.partner, other.partner = other, one
    one.value *= x
    return other.partner.value * one.partner.value


case("objects that refer to each other", hold_each_other, 0.7)
