"""Objects and dicts that live in one function: scalar replacement makes names of their parts, or leaves them alone."""

import dataclasses
import types

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.with_arguments(np.array([0.7, -1.2, 0.4]))


class Pair:
    scale = 3.0

    def __init__(self, a, b=2.0):
        self.a = a
        self.b = b

    def bump(self, d):
        self.a = self.a + d
        return self.a * self.b

    @property
    def prod(self):
        return self.a * self.b

    def inplace(self, i, v):
        self.a[i] += v


class Slots:
    __slots__ = ("v", "w")

    def __init__(self, v):
        self.v = v
        self.w = v * v


@dataclasses.dataclass
class Data:
    m: object
    n: float = 1.5

    def __post_init__(self):
        self.q = self.m * self.n


class Child(Pair):
    def __init__(self, a):
        super().__init__(a, 4.0)
        self.c = a * a


@case
def one_array_in_two_objects(x):
    y = x * 2.0
    p = Pair(y)
    q = Pair(y, 3.0)
    p.a[0] += 5.0 * x[1]
    return np.sum(p.a * q.a * q.b)


@case
def a_new_object_each_turn(x):
    p = Pair(x)
    for k in range(3):
        q = Pair(p.a * 0.5, k)
        p = q
    return np.sum(p.a) * p.b


@case
def an_array_in_an_object_changes_in_place(x):
    p = Pair(x * 1.0)
    for k in range(3):
        p.inplace(k, x[0])
    return np.sum(p.a**2)


@case
def an_attribute_that_branches_make(x):
    p = Pair(x)
    if x[0] > 0:
        p.c = x * x
    else:
        p.c = x
    return np.sum(p.c * p.a)


@case
def two_names_of_one_object(x):
    p = Pair(x)
    q = p
    q.a = q.a * 2
    return np.sum(p.a) * q.b


@case
def an_old_part_beside_the_new_one(x):
    p = Pair(x)
    old = p.a
    p.a = p.a * x
    return np.sum(old * p.a) * Pair.scale * p.scale


@case
def a_while_loop_over_a_part(x):
    d = {}
    d["s"] = x[0]
    i = 0
    while d["s"] < 20.0 and i < 10:
        d["s"] = d["s"] * 2 + x[1] ** 2
        i += 1
    return d["s"]


@case
def items_that_change_places(x):
    d = {0: x[0], 1: x[1]}
    for i in range(4):
        d[0], d[1] = d[1] * 0.5, d[0] + x[2]
    return d[0] * d[1]


@case
def an_item_that_has_another_name(x):
    d = {"a": x * 1.0, "b": x * 2.0}
    v = d["a"]
    v[0] = 3.0 * x[2]
    d["b"] += d["a"]
    return np.sum(d["b"] * d["a"])


@case
def parts_in_slots(x):
    s = Slots(x)
    s.v = s.v * s.w
    return np.sum(s.v)


@case
def a_dataclass_with_a_post_init(x):
    d = Data(x)
    d.m = d.q * d.m
    return np.sum(d.m) * d.n


@case
def a_subclass_with_a_property(x):
    c = Child(x)
    t = c.bump(x[0])
    return np.sum(t * c.c) + np.sum(c.prod)


@case
def a_loop_with_continue_and_break(x):
    p = Pair(x)
    for k in range(3):
        if k == 1:
            continue
        p.a = p.a * x
        if np.sum(p.a) > 100:
            break
    return np.sum(p.a)


@case
def an_accumulator_in_a_namespace(x):
    acc = types.SimpleNamespace(t=0.0, n=0)
    for v in x:
        acc.t = acc.t + v * v
        acc.n += 1
    return acc.t / acc.n


@case
def a_function_in_a_dict(x):
    d = {"x": x, "f": lambda t: t * 2}
    return np.sum(d["f"](d["x"]))


@case
def a_closure_over_a_dict(x):
    d = {"x": x}

    def g(t):
        return t * d["x"]

    d["x"] = d["x"] * 3
    return np.sum(g(x))


@case
def an_object_in_a_try(x):
    p = Pair(x)
    try:
        p.a = p.a * 2
        if np.sum(p.a) > 1e9:
            raise ValueError
    except ValueError:
        p.a = x
    return np.sum(p.a**2)


@case
def a_dict_in_a_dict(x):
    d = {"k": {"z": x}}
    d["k"]["z"] = d["k"]["z"] * x
    return np.sum(d["k"]["z"])


@case
def the_best_of_several_objects(x):
    best = None
    for v in x:
        cand = Pair(v)
        if best is None or cand.a > best.a:
            best = cand
    return best.a * best.a


@case
def objects_that_change_places(x):
    a, b = Pair(x), Pair(x * x)
    for k in range(3):
        a, b = b, a
        a.a = a.a * 0.5
    return np.sum(a.a) + 2 * np.sum(b.a)


@case
def a_dict_with_a_buffer_and_a_counter(x):
    d = {"n": 0, "v": np.zeros(3)}
    for k in range(3):
        d["v"][k] = x[k] * d["n"]
        d["n"] += 1
    return np.sum(d["v"])


@case
def a_dict_of_keywords(x):
    d = dict(a=x, b=2.0)
    d["a"] = d["a"] * d["b"]
    d["b"] = 5.0
    return np.sum(d["a"]) * d["b"]


@case
def the_object_of_the_last_turn(x):
    for k in range(3):
        p = Pair(x * k)
        p.a = p.a + 1
    return np.sum(p.a * x)


@case
def a_part_that_is_none_at_first(x):
    p = Pair(x)
    p.b = None
    if p.b is None:
        p.b = x
    return np.sum(p.b * p.a)


@case
def a_loop_without_turns_over_a_part(x):
    d = {"a": x}
    d["a"][0]
    for k in range(0):
        d["a"] = d["a"] * 2
    return np.sum(d["a"] ** 2)


@case
def parts_that_a_list_keeps(x):
    p = Pair(x)
    r = []
    for k in range(3):
        p.a = p.a * x
        r.append(p.a)
    return np.sum(r[0] * r[2])


@case
def an_object_that_a_list_keeps(x):
    p = Pair(x)
    r = []
    for k in range(3):
        p.a = p.a * x
        r.append(p)
    return np.sum(r[0].a)


@case
def a_list_in_a_dict(x):
    d = {"h": []}
    for v in x:
        d["h"].append(v * v)
    return sum(d["h"]) * d["h"][0]


@case
def a_constant_object_that_becomes_active(x):
    p = Pair(np.array([1.0, 2.0, 3.0]))
    c = p.a
    for k in range(2):
        p.a = p.a * p.b + x
        p.b = p.b * 1.1
    return np.sum(p.a * c)


@case
def a_copy_of_a_dict(x):
    d = {"a": x}
    e = d.copy()
    e["a"] = e["a"] * 2
    return np.sum(d["a"] * e["a"])


@case
def a_dict_that_is_updated(x):
    d = {"a": x}
    d.update(a=x * x, b=2.0)
    return np.sum(d["a"]) * d["b"]


@case
def getattr_and_setattr(x):
    p = Pair(x)
    p.a = p.a * p.a
    return np.sum(p.a)


@case
def keys_of_a_dict(x):
    d = {"a": x[0], "b": x[1]}
    t = 0.0
    for k in d:
        t = t + d[k] * d["a"]
    return t


@case
def a_closure_over_an_object(x):
    w = Pair(x)

    def loss():
        return np.sum(w.a**2)

    for _ in range(2):
        w.a = w.a - 0.1 * w.a
    return loss()


@case
def another_dict_on_one_path(x):
    d = {"a": x}
    if x[0] > 5:
        d = {"a": x * x}
    d["a"] = d["a"] * d["a"]
    return np.sum(d["a"])


@case
def one_array_under_two_keys(x):
    d = {"a": x, "b": x}
    d["a"] = d["a"] * 1.0
    d["a"][1] = x[0] * 7
    return np.sum(d["a"] * d["b"])
