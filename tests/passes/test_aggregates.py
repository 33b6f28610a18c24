"""aggregates: a local object or dict of which only parts are read becomes a name for each part."""
from types import SimpleNamespace

import numpy as np

from sourcegrad.runtime import at, index_set, new_object
from tests.passes.becomes import Alone, Within

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("aggregates")
WITHIN = Within("aggregates")


class Momentum:
    def __init__(self, beta):
        self.beta = beta
        self.v = 0.0


class Point:
    x = 1.0


@CASES.becomes("""
    x_i = x[0]
    d_sum = x_i
    for k in range(n):
        total = d_sum * 2.0
        d_sum = total
    return d_sum
""", x=X, n=2, others=({"n": 0},))
def a_dict_that_a_loop_changes(x, n):
    x_i = x[0]
    d = {"sum": x_i, "unread": n}
    for k in range(n):
        before = d["sum"]
        total = before * 2.0
        d = index_set(d, np.s_["sum"], total)
    value = d["sum"]
    return value


@CASES.becomes("""
    p_x = x
    p_y = 2.0
    value = p_x * p_y
    return value
""", x=3.0)
def an_object_that_is_filled_at_once(x):
    self = new_object(Point)
    self_2 = index_set(self, at.x, x)
    p = index_set(self_2, at.y, 2.0)
    value = p.x * p.y
    return value


@CASES.becomes("""
    if flag:
        p_x = x
    else:
        p_x = 2.0
    value = p_x * x
    return value
""", x=3.0, flag=True, others=({"flag": False},))
def one_on_each_path(x, flag):
    if flag:
        p = {"x": x}
    else:
        p = {"x": 2.0}
    value = p["x"] * x
    return value


@CASES.becomes("""
    new = x * 1.0
    p_x = new
    p_x = index_set(p_x, np.s_[0], 3.0)
    value = p_x * 2.0
    return value
""", x=X)
def a_store_into_a_part(x):
    new = x * 1.0
    self = new_object(Point)
    p = index_set(self, at.x, new)
    q = index_set(p, at.x[0], 3.0)
    value = q.x * 2.0
    return value


@CASES.becomes("""
    p_x = x
    old = p_x
    p_x = 2.0
    value = old * p_x
    return value
""", x=3.0)
def what_a_part_was_before(x):
    p = SimpleNamespace(x=x)
    old = p.x
    q = index_set(p, at.x, 2.0)
    value = old * q.x
    return value


@CASES.stays(x=3.0)
def somebody_else_has_it(x):
    p = {"x": x}
    q = [p]
    value = p["x"] * len(q)
    return value


@CASES.stays(x=3.0)
def it_is_returned(x):
    p = {"x": x}
    value = p["x"] * x
    return value, p


@CASES.stays(x=3.0, n=2)
def a_part_that_is_perhaps_not_there(x, n):
    p = new_object(Point)
    for k in range(n):
        p = index_set(p, at.x, x)
    value = p.x * 2.0
    return value


@CASES.stays(x=3.0)
def the_object_before_is_read_later(x):
    p = {"x": x}
    q = index_set(p, np.s_["x"], 2.0)
    value = p["x"] * q["x"]
    return value


@CASES.stays(x=3.0, n=2)
def two_that_change_places(x, n):
    p = {"x": x}
    q = {"x": 2.0}
    for k in range(n):
        other = p
        p = q
        q = other
    value = p["x"] * x
    return value


@CASES.stays(x=3.0, given={"x": 1.0})
def an_argument(x, given):
    value = given["x"] * x
    return value


@CASES.stays(x=3.0, key="x")
def a_key_that_is_not_known(x, key):
    p = {"x": x}
    value = p[key] * x
    return value


test_aggregates = CASES.check()


@WITHIN.becomes("""
    opt = Momentum(0.9)
    opt_beta = opt.beta
    opt_v = opt.v
    for _ in range(n):
        product = opt_beta * opt_v
        sum_2 = product + x
        opt_v = sum_2
    value = np.sum(opt_v)
    return value
""", x=X, n=2)
def an_object_that_its_class_makes(x, n):
    opt = Momentum(0.9)
    for _ in range(n):
        opt.v = opt.beta * opt.v + x
    return np.sum(opt.v)


test_within = WITHIN.check()
