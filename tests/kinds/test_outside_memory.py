"""Memory from outside (globals, defaults, what they hold): a change of it is refused, whatever holds it; nothing else is."""
import copy
import functools

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.kinds.outcomes import outcome

BUF = np.zeros(3)


class Workspace:
    def __init__(self, v):
        self.v = v


class Model:
    def __init__(self):
        self.w = np.array([1.0, 2.0, 3.0])


MODEL = Model()
STATE = {"v": np.zeros(3)}
LST = [np.zeros(3)]


def in_an_object(t):
    w = Workspace(BUF)
    w.v[0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def in_a_list(t):
    w = [BUF]
    w[0][0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def in_a_dict(t):
    w = {"v": BUF}
    w["v"][0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def in_a_tuple(t):
    w = (BUF,)
    w[0][0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def by_another_name(t):
    w = BUF
    w[0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def reshaped(t):
    w = BUF.reshape(3)
    w[0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def in_a_shallow_copy(t):
    w = copy.copy(MODEL)
    w.w[0] = t[0] ** 2
    return np.sum(MODEL.w) * t[1]


def taken_out_of_a_dict(t):
    w = STATE["v"]
    w[0] = t[0] ** 2
    return np.sum(STATE["v"]) * t[1]


def in_a_loop(t):
    for w in LST:
        w[0] = t[0] ** 2
    return np.sum(LST[0]) * t[1]


def by_an_inner_function(t):
    def inner(z):
        z[0] = t[0] ** 2
    inner(BUF)
    return np.sum(BUF) * t[1]


def by_its_own_name(t):
    MODEL.w[0] = t[0] ** 2
    return np.sum(MODEL.w) * t[1]


def as_a_default(t, buf=BUF):
    buf[0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def as_an_array(t):
    w = np.asarray(BUF)
    w[0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def in_a_copied_list(t):
    w = list(LST)
    w[0][0] = t[0] ** 2
    return np.sum(LST[0]) * t[1]


def unpacked(t):
    w, = LST
    w[0] = t[0] ** 2
    return np.sum(LST[0]) * t[1]


def in_a_copied_dict(t):
    w = dict(STATE)
    w["v"][0] = t[0] ** 2
    return np.sum(STATE["v"]) * t[1]


def in_an_object_that_holds_a_dict(t):
    w = Workspace(v=STATE)
    w.v["v"][0] = t[0] ** 2
    return np.sum(STATE["v"]) * t[1]


def in_a_sum_of_lists(t):
    w = LST + [t]
    w[0][0] = t[0] ** 2
    return np.sum(LST[0]) * t[1]


def in_a_slice_of_a_list(t):
    w = LST[:]
    w[0][0] = t[0] ** 2
    return np.sum(LST[0]) * t[1]


def in_a_starred_list(t):
    w = [*LST, t]
    w[0][0] = t[0] ** 2
    return np.sum(LST[0]) * t[1]


def in_a_merged_dict(t):
    w = {**STATE}
    w["v"][0] = t[0] ** 2
    return np.sum(STATE["v"]) * t[1]


def in_a_comprehension(t):
    w = [z for z in LST]
    w[0][0] = t[0] ** 2
    return np.sum(LST[0]) * t[1]


def appended(t):
    w = []
    w.append(BUF)
    w[0][0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def as_an_attribute(t):
    w = Workspace(t)
    w.v = BUF
    w.v[0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def as_an_entry(t):
    w = {}
    w["a"] = BUF
    w["a"][0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def fill(o, t):
    o.v[0] = t[0] ** 2


def by_a_callee(t):
    w = Workspace(BUF)
    fill(w, t)
    return np.sum(BUF) * t[1]


def make():
    return Workspace(BUF)


def made_by_a_callee(t):
    w = make()
    w.v[0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def in_objects_of_a_list(t):
    ws = [Workspace(BUF) for _ in range(2)]
    for w in ws:
        w.v[0] = w.v[0] + t[0] ** 2
    return np.sum(BUF) * t[1]


def a_part(t):
    w = Workspace(BUF[1:])
    w.v[0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def where_another_was_put(t):
    ok = [BUF, t]
    ok[0] = t * 2.0
    ok[0][1] = 3.0 * t[0]
    return np.sum(ok[0]) * t[1]


def of_a_copy(t):
    w = Workspace(np.copy(BUF))
    w.v[0] = t[0] ** 2
    return np.sum(w.v) * t[1]


def beside_it(t):
    w = Workspace(BUF)
    w.k = t * 1.0
    w.k[0] = 2.0 * t[1]
    return np.sum(w.v) + np.sum(w.k) * t[1]


def on_one_path(t):
    w = (BUF if t[0] > 0 else t * 1.0,)
    w[0][0] = t[0] ** 2
    return np.sum(BUF) * t[1]


def in_objects_beside_it(t):
    objs = [Workspace(BUF), Workspace(t * 1.0)]
    objs[0].k = objs[1].k = None
    for o in objs:
        o.k = t * 2.0
    for o in objs:
        o.k[1] = t[0]
    return sum(np.sum(o.k) for o in objs) + np.sum(objs[1].v) * t[0]


def reset():
    BUF[:] = 0.0
    MODEL.w[:] = [1.0, 2.0, 3.0]
    STATE["v"][:] = 0.0
    LST[0][:] = 0.0


CHANGING = [in_an_object, in_a_list, in_a_dict, in_a_tuple, by_another_name, reshaped, in_a_shallow_copy,
            taken_out_of_a_dict, in_a_loop, by_an_inner_function, by_its_own_name, as_a_default, as_an_array,
            in_a_copied_list, unpacked, in_a_copied_dict, in_an_object_that_holds_a_dict, in_a_sum_of_lists,
            in_a_slice_of_a_list, in_a_starred_list, in_a_merged_dict, in_a_comprehension, appended, as_an_attribute,
            as_an_entry, by_a_callee, made_by_a_callee, in_objects_of_a_list, a_part, on_one_path]
T = np.array([1.0, 2.0])


@pytest.mark.parametrize("f", CHANGING, ids=lambda f: f.__name__)
def test_changes_are_refused(f):
    """With a place, and before anything has changed."""
    for _ in range(2):
        reset()
        with pytest.raises(SourcegradError) as found:
            sg.grad(f)(T)
        assert found.value.origin is not None and type(found.value).__name__ != "InternalError"
        assert not BUF.any() and not STATE["v"].any() and not LST[0].any() and MODEL.w.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("f", [where_another_was_put, of_a_copy, beside_it, in_objects_beside_it], ids=lambda f: f.__name__)
def test_what_is_not_outside_may_change(f):
    reset()
    assert outcome(f, T) == "right"


class Wrapper:
    """As wrappers of compiled libraries: what they say that they hold is no dict."""

    __slots__ = ()
    __dict__ = property(lambda self: self)

    def __getattr__(self, name):
        if name != "values":
            raise AttributeError(name)
        return self


ODD = {"wrapper": Wrapper(), "part": functools.partial(np.add, BUF), "method": LST[0].sum}


def test_what_libraries_wrap_is_not_looked_into():
    reset()
    assert outcome(lambda x: np.sum(x * x) * len(ODD), T) == "right"
