"""Which names may hold the same memory: flow-insensitive groups over copies, views, containers and calls."""
from __future__ import annotations

import copy
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.calls import target_of
from sourcegrad.analysis.infer import INPLACE_OF
from sourcegrad.analysis.value_kinds import of_shape
from sourcegrad.frontend.resolve import Unit
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE, foreign

VIEWS: set[Any] = {
    np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze,
    np.broadcast_to, np.broadcast_arrays, np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.atleast_1d,
    np.atleast_2d, np.atleast_3d, np.asarray, np.ascontiguousarray, np.asanyarray, np.asfortranarray, np.diagonal,
    np.diag, np.real, np.imag, np.flip, np.fliplr, np.flipud, np.rot90, np.conj,
    np.linalg.matrix_power, np.lib.stride_tricks.sliding_window_view, np.real_if_close, max, min, list, tuple, sum, reversed,
    sorted,
    *(getattr(np, name) for name in ("matrix_transpose", "permute_dims", "unstack") if hasattr(np, name)),
    *(getattr(np, name) for name in ("round", "around", "round_") if np.lib.NumpyVersion(np.__version__) < "2.0.0"),
    *(getattr(np.linalg, name) for name in ("matrix_transpose", "diagonal") if hasattr(np.linalg, name)),
    np.einsum, np.ix_, np.asarray_chkfinite, runtime.changeable, copy.copy,
    "method view", "attribute T", "attribute mT", "attribute real",
    "attribute imag"}
NEW = {runtime.new_object, runtime.zeros_like, runtime.zero_of_item, runtime.zeros_if_given, runtime.index_set,
       runtime.own, runtime.own_parts, runtime.index_add, runtime.laid_out_as, runtime.in_ufunc_order, runtime.contract,
       runtime.as_gradient, runtime.route_to_extremum, runtime.selected, runtime.greater_part, runtime.tie_part, runtime.quotient,
       runtime.divide_or_zero, runtime.dict_keys, runtime.position_of, runtime.count_of, runtime.same_item,
       runtime.diagonal_index, runtime.guarded_inside}


OFTEN_NEW: dict[Any, tuple[str, int]] = {          # functions whose result is new, unless that argument is given
    np.diff: ("n", 1), np.meshgrid: ("copy", 99), np.array: ("copy", 99), np.nan_to_num: ("copy", 1),
    "method astype": ("copy", 4), **({np.astype: ("copy", 99)} if hasattr(np, "astype") else {})}


def may_share(function: Any, call: Any = None) -> bool:
    """Whether the result of a known function may share memory with its arguments (helpers: unless listed).

    call: the call, where it is known (a node, or its target)."""
    if function is np.einsum and call is not None and len(call.args) > 2:
        return False                                         # a sum of products; only of one array it may be a view
    if function in OFTEN_NEW:
        name, position = OFTEN_NEW[function]
        names = [kw if isinstance(kw, str) else kw.arg for kw in call.keywords] if call is not None else [None]
        return None in names or name in names or len(call.args) > position
    if getattr(function, "__name__", "") == "stop_gradient" or isinstance(function, type) and issubclass(function, np.generic):
        return True                                          # np.float64(x) of an array
    if function in NEW:
        return False
    return function in VIEWS or foreign(function) or (getattr(function, "__module__", None) or "").startswith("sourcegrad.runtime")


# Functions whose result is a new container, which holds what an argument holds.
CONTAINERS = (list, sorted, runtime.another, runtime.dict_copy, runtime.dict_values,
              runtime.dict_items, runtime.dict_merge, runtime.dict_union,
              runtime.dict_from_items, runtime.values_back, runtime.values_of, runtime.list_extend, runtime.list_insert,
              runtime.list_repeat, runtime.list_splice, runtime.list_restore, runtime.reorder, runtime.entries_in,
              runtime.entries_without, runtime.keyed)
ELSEWHERE = "elsewhere"            # stands for memory that the caller or someone else holds


def shares(value: Any, unit: Unit, kinds: dict[str, k.Kind]) -> list[str]:
    """Names whose memory the value of an expression may share; ELSEWHERE when it may belong to others."""
    if isinstance(value, gast.Name):
        return [value.id]
    if isinstance(value, (gast.Subscript, gast.Attribute)):
        if isinstance(value, gast.Attribute) and of_shape(value, kinds.get(t.reads(value)[0]) if t.is_name(value.value) else None):
            return []
        return t.reads(value.value) or [ELSEWHERE]
    if isinstance(value, (gast.Tuple, gast.List, gast.Dict, gast.IfExp)):
        return t.reads(value)
    if isinstance(value, gast.BinOp):                   # of lists: the elements are the same objects
        return [n for n in t.reads(value) if not isinstance(k.as_num(kinds.get(n, k.ANY)), k.Num)]
    if isinstance(value, gast.Call):
        found = t.list_method(gast.Expr(value=value))
        if found and found[1] == "pop":
            return [found[0]]
        target = target_of(value, unit, lambda node: kinds.get(node.id, k.ANY) if isinstance(node, gast.Name) else k.ANY)
        if target.object in INPLACE_OF or target.object in (runtime.index_set, runtime.index_store, runtime.index_update):
            holds = isinstance(kinds.get(t.reads(target.args[0])[0] if t.reads(target.args[0]) else "", k.ANY), k.Num)
            return t.reads(target.args[0]) + ([] if holds else t.reads(target.args[-1]))   # the same object as before
        if target.object in RULES or target.object in ZERO_DERIVATIVE:
            return [n for a in target.args for n in t.reads(a)] if may_share(target.object, target) else []
        return [ELSEWHERE, *(n for a in target.args for n in t.reads(a))]
    return []


def groups(body: list, parameters: list[str], unit: Unit, kinds: dict[str, k.Kind]) -> dict[str, frozenset[str]]:
    """Name -> all names that may share memory with it (itself included); scalars share with nobody."""
    parent: dict[str, str] = {}

    def find(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    def immutable(name: str) -> bool:
        kind = k.as_num(kinds.get(name, k.ANY))
        return isinstance(kind, k.Const) or (isinstance(kind, k.Num) and kind.is_scalar)

    def link(a: str, b: str) -> None:
        if not immutable(a) and not immutable(b):
            parent[find(b)] = find(a)

    local = set(parameters) | {n for s in t.statements(body) for n in t.writes(s)}
    copied = {s.targets[0].id for s in body if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
              and unit.lookup(s.value.func) is runtime.own}          # parameters that are copied first of all
    for name in parameters:
        if name not in copied:
            link(ELSEWHERE, name)
    for s in t.statements(body):
        found = t.list_method(s)
        if found and found[1] == "append":
            for name in t.reads(s.value.args[0]):
                link(found[0], name)
        if isinstance(s, gast.Assign):
            for other in shares(s.value, unit, kinds):
                for name in t.writes(s):
                    link(other if other in local else ELSEWHERE, name)
    result: dict[str, set[str]] = {}
    for name in [*local, ELSEWHERE]:
        result.setdefault(find(name), set()).add(name)
    return {name: frozenset(result[find(name)]) for name in [*local, ELSEWHERE]}
