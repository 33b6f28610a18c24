"""copy.copy and copy.deepcopy of containers and objects, as far as their classes leave that to Python."""
from __future__ import annotations

import copy
import types
from typing import Any

import gast

from sourcegrad import kinds as k, runtime, source, tree as t
from sourcegrad.analysis import object_kinds as objects
from sourcegrad.analysis.tags import reached
from sourcegrad.errors import UnsupportedError

OWN = ("copy", "deepcopy", "reduce", "reduce_ex", "getstate", "setstate", "getnewargs", "getnewargs_ex")


def copied(spec: Any, s: gast.Assign, node: gast.Call, function: Any, first: k.Kind) -> list | None:
    """The statements that a copy stands for; None: it is one of all attributes as they are, or of all parts."""
    place = t.origin_of(s)
    own = _own_way(function, first, spec.unit)
    if function is copy.copy and isinstance(first, k.Obj) and own == "copy":
        name = spec.unit.use(objects.special(first, own, spec.unit), "copy")
        s.value = gast.copy_location(t.call(name, *node.args), node)
        return list(spec.statement(s))
    if own is not None:
        raise UnsupportedError("a copy of an object whose class says how it is copied", source.locate(node, place),
                               f"(`__{own}__`.) Call a method or function that makes the copy.")
    if function is copy.deepcopy:
        return None
    if isinstance(first, (k.Lst, k.Tup, k.Dct, k.Map)):
        s.value = node.args[0]
        if not isinstance(first, k.Tup):
            make = list if isinstance(first, k.Lst) else runtime.dict_copy
            s.value = gast.copy_location(t.call(spec.unit.use(make, make.__name__), node.args[0]), node)
        return [s]
    if not isinstance(first, (k.Obj, k.Num, k.Const)):
        raise UnsupportedError("`copy.copy` of a container", source.locate(node, place),
                               "Write list(x) or dict(x), or copy.deepcopy(x).")
    if isinstance(first, k.Obj) and any(isinstance(item, k.Own) for _, item in first.items or ()):
        raise UnsupportedError("`copy.copy` of an object that keeps one of its methods in an attribute", source.locate(node, place),
                               "The copy would call the method of the original: use copy.deepcopy(x).")
    return None


def _own_way(function: Any, kind: k.Kind, unit: Any) -> str | None:
    """The method by which a class says how its instances are copied: that of the object, or of any that a deep copy finds."""
    tags = reached(kind) if function is copy.deepcopy else {objects.class_of(kind)}
    for cls in sorted((c for c in tags or () if isinstance(c, type)), key=lambda c: c.__qualname__):
        for name in OWN:
            unit.watch(cls, f"__{name}__")
            relevant = name not in ("copy", "deepcopy") or name == function.__name__
            if relevant and isinstance(objects.static_member(cls, f"__{name}__"), types.FunctionType):
                return name
    return None
