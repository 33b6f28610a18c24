"""Attributes that are None at first: what is computed with is not None.

`d = (e - self.last) / dt` raises an error where `self.last` is None. So the name that stands for `self.last` there has the
kind of what it holds at all other times.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, tree as t
from sourcegrad.analysis.object_kinds import class_of, static_member

TAKE_ANYTHING = {np.equal, np.not_equal, np.logical_and, np.logical_or, np.logical_not, np.logical_xor}
ORDERED = (gast.Lt, gast.LtE, gast.Gt, gast.GtE)


def held(owner: Any, name: str) -> Any:
    """The kind of an attribute that may be None, where it is not; else None."""
    if not isinstance(owner, k.Obj) or owner.items is None or class_of(owner) is None:
        return None
    kind = owner.unless_none(name)
    default = name in owner.maybe and static_member(owner.cls, name) is None                # (a default of the class)
    return k.as_num(kind) if isinstance(kind, (k.Num, k.Const)) and (default or owner.get(name) is k.ANY) else None


def asked(test: Any, block: list, place: int) -> tuple[str, str, bool] | None:
    """What a test asks of the statement at a place: (object, attribute, whether it is not None where the test is true)."""
    for s in reversed(block[max(place - 4, 0):place]) if t.is_name(test) else ():
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0], test.id):
            found = asked(s.value, block, place) if not t.is_name(s.value) else None
            between = block[block.index(s) + 1:place]
            return found if found is not None and _stays(found[0], between) else None
    if isinstance(test, gast.Compare) and isinstance(test.ops[0], (gast.Is, gast.IsNot)) and isinstance(
            test.left, gast.Attribute) and t.is_name(test.left.value) and t.same(test.comparators[0], t.const(None)):
        return test.left.value.id, test.left.attr, isinstance(test.ops[0], gast.IsNot)
    return None


def is_tested(value: gast.Attribute, block: list, place: int, test: tuple[str, str] | None) -> bool:
    """Whether an attribute is read in a branch that runs where it is not None, and the object is the same by then."""
    return test is not None and t.is_name(value.value, test[0]) and value.attr == test[1] and _stays(test[0], block[:place])


def _stays(owner: str, between: list) -> bool:
    """Whether an object is the same after some statements: no call may have changed it, by whatever name."""
    return not any(owner in t.writes(x) or any(isinstance(n, gast.Call) for n in t.walk(x)) for x in t.statements(between))


def is_computed_with(name: str, following: list, of: Callable, lookup: Callable) -> bool:
    """Whether the statements behind that of a name, before anything else can happen, fail if its value is None.

    (An operand of which no kind is known yet may be a number: that is asked again when it is.)"""
    for s in following:
        if not isinstance(s, gast.Assign) or not t.is_name(s.targets[0]):
            return False
        if _fails(s.value, name, of, lookup):
            return True
        if name in t.writes(s):
            return False
    return False


def is_only_computed_with(name: str, body: list, of: Callable, lookup: Callable) -> bool:
    """Whether nothing is done with the value of a name but what fails if it is None: wherever it is used, it is not.

    (Elsewhere generated code may still hold None under that name, of which it must not want a shape: this is for numbers.)"""
    for s in t.statements(body):
        if name in t.header_reads(s) and not (isinstance(s, gast.Assign) and _fails(s.value, name, of, lookup)):
            return False
    return True


def _fails(value: Any, name: str, of: Callable, lookup: Callable) -> bool:
    if isinstance(value, gast.BinOp):
        sides = value.left, value.right
        return any(t.is_name(x, name) for x in sides) and all(
            t.is_name(x, name) or (kind := of(x)) is None or isinstance(k.as_num(kind), k.Num) for x in sides)
    if isinstance(value, gast.Compare) and isinstance(value.ops[0], ORDERED):
        return _fails(t.binop(value.left, gast.Add(), value.comparators[0]), name, of, lookup)
    if isinstance(value, gast.UnaryOp):
        return isinstance(value.op, gast.USub) and t.is_name(value.operand, name)
    if isinstance(value, gast.Subscript):
        return t.is_name(value.value, name)
    if isinstance(value, gast.Call):
        function = lookup(value.func)
        return isinstance(function, np.ufunc) and function not in TAKE_ANYTHING and any(
            t.is_name(a, name) for a in value.args[:function.nin])
    return False
