"""Statement forms with one meaning become one form: augmented, annotated and chained assignments, asserts."""
from __future__ import annotations

import operator
from typing import Any

import gast
import numpy as np

from sourcegrad import runtime
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.unit import Unit, local_names

INPLACE = {gast.Add: operator.iadd, gast.Sub: operator.isub, gast.Mult: operator.imul, gast.Div: operator.itruediv,
           gast.Pow: operator.ipow, gast.MatMult: operator.imatmul, gast.FloorDiv: operator.ifloordiv,
           gast.Mod: operator.imod, gast.BitAnd: operator.iand, gast.BitOr: operator.ior, gast.BitXor: operator.ixor,
           gast.LShift: operator.ilshift, gast.RShift: operator.irshift}
BINARY = {operation: kind for kind, operation in INPLACE.items()}


def desugar(unit: Unit) -> Unit:
    """`x += e` becomes `x = iadd(x, e)`, `x[i] = v` becomes `x = index_store(x, np.s_[i], v)`: `memory` decides what they do."""
    local = local_names(unit.tree)
    unit.tree.body = _block(unit.tree.body, unit, local)
    unit.tree.returns = None
    for parameter in t.walk(unit.tree.args):
        if isinstance(parameter, gast.Name):
            parameter.annotation = None
    return unit


def _store(target: Any, value: Any, unit: Unit, local: set[str], function: Any, origin: Any) -> list:
    """`x[i] = v` and `x.a = v`, on a name for the container."""
    before: list = []
    base = target.value
    if not isinstance(base, gast.Name):
        if not isinstance(value, (gast.Name, gast.Constant)):        # the value comes first
            kept = unit.names.fresh("value")
            before.append(t.assign(kept, value, origin))
            value = t.load(kept)
        name = unit.names.fresh("part")
        before.append(t.assign(name, base, origin))
    else:
        name = base.id
        if name not in local and not name.startswith("part"):
            raise UnsupportedError(f"a store into '{name}', which is not a local variable", source.locate(target, origin),
                                   "Pass the array as an argument and return the new one.")
    helper = unit.use(function, function.__name__)
    if isinstance(target, gast.Attribute):
        place: gast.expr = t.attribute(t.load(unit.use(runtime.at, "at")), target.attr)
    else:
        place = t.subscript(t.dotted(f"{unit.use(np, 'np')}.s_"), target.slice)
    return [*before, t.assign(name, t.call(helper, t.load(name), place, value), origin)]


def _block(block: list, unit: Unit, local: set[str]) -> list:
    result: list = []
    for statement in block:
        result += _statement(statement, unit, local)
    return result


def _update(s: gast.AugAssign, unit: Unit, local: set[str], origin: Any) -> list:
    """`x[i] op= v`: the container and the index are evaluated once."""
    before: list = []

    def settled(node: Any) -> Any:
        if isinstance(node, (gast.Name, gast.Constant)):
            return node
        if isinstance(node, gast.Slice):
            return gast.Slice(**{f: getattr(node, f) and settled(getattr(node, f)) for f in ("lower", "upper", "step")})
        if isinstance(node, gast.Tuple) and not any(isinstance(item, gast.Starred) for item in node.elts):
            return t.pack([settled(item) for item in node.elts])
        if isinstance(node, gast.UnaryOp) and isinstance(node.operand, gast.Constant):
            return node
        name = unit.names.fresh("index")
        before.append(t.assign(name, node, origin))
        return t.load(name)

    base = s.target.value
    if not isinstance(base, gast.Name):
        name = unit.names.fresh("part")
        before.append(t.assign(name, base, origin))
        s.target.value = base = t.load(name)
        local.add(name)
    if isinstance(s.target, gast.Attribute):
        old: gast.expr = t.attribute(t.load(base.id), s.target.attr)
    else:
        s.target.slice = settled(s.target.slice)
        old = t.subscript(t.load(base.id), t.clone(s.target.slice))
    value = gast.copy_location(t.binop(gast.copy_location(old, s.target), s.op, s.value, in_place=True), s.target)
    return [*before, *_store(s.target, value, unit, local, runtime.index_update, origin)]


def _statement(s: Any, unit: Unit, local: set[str]) -> list:
    origin = t.origin_of(s)
    if isinstance(s, gast.AugAssign) and isinstance(s.target, (gast.Subscript, gast.Attribute)):
        return _update(s, unit, local, origin)
    if isinstance(s, gast.Assign) and any(_stores(target) for target in s.targets):
        return _stored_assign(s, unit, local, origin)
    if isinstance(s, gast.AugAssign):
        operation = INPLACE[type(s.op)]
        function = unit.use(operation, operation.__name__)
        return [t.assign(s.target, t.call(function, t.load(s.target.id), s.value), origin)]
    if isinstance(s, gast.Assign) and len(s.targets) > 1:
        if isinstance(s.value, (gast.Constant, gast.Name)):
            return [t.assign(target, t.clone(s.value), origin) for target in s.targets]
        name = unit.names.fresh("value")
        return [t.assign(name, s.value, origin)] + [t.assign(x, t.load(name), origin) for x in s.targets]
    if isinstance(s, (gast.Pass, gast.Delete, gast.Global, gast.AnnAssign)) or t.is_comment(s):
        return []
    if isinstance(s, (gast.If, gast.For, gast.While)):
        s.body, s.orelse = _block(s.body, unit, local), _block(s.orelse, unit, local)
    return [s]


def _stores(target: Any) -> bool:
    return any(isinstance(n, (gast.Subscript, gast.Attribute)) and not isinstance(n.ctx, gast.Load) for n in t.walk(target))


def _stored_assign(s: gast.Assign, unit: Unit, local: set[str], origin: Any) -> list:
    """Stores in chained assignments and in tuple targets: a[0], b = f()."""
    if len(s.targets) == 1 and isinstance(s.targets[0], (gast.Subscript, gast.Attribute)):
        return _store(s.targets[0], s.value, unit, local, runtime.index_store, origin)
    if len(s.targets) == 1 and _alike(s.targets[0], s.value):
        return _parallel(s.targets[0], s.value, unit, local, origin)
    name = unit.names.fresh("value")
    result: list = [t.assign(name, s.value, origin)]
    for target in s.targets:
        result += _spread(target, t.load(name), unit, local, origin)
    return result


def _alike(target: Any, value: Any) -> bool:
    """Whether both are displays with as many items: `self.a, self.b = a, b`."""
    both = target, value
    return all(isinstance(x, (gast.Tuple, gast.List)) for x in both) and len(target.elts) == len(value.elts) and not any(
        isinstance(item, gast.Starred) for x in both for item in x.elts)


def _parallel(target: Any, value: Any, unit: Unit, local: set[str], origin: Any) -> list:
    """All values are taken before anything is stored."""
    bound = set(t.target_names(target))
    result: list = []
    values = []
    for item in value.elts:
        if not isinstance(item, gast.Constant) and not (isinstance(item, gast.Name) and item.id not in bound):
            name = unit.names.fresh("item")
            result.append(t.assign(name, item, origin))
            item = t.load(name)
        values.append(item)
    for place, item in zip(target.elts, values):
        result += _spread(place, item, unit, local, origin)
    return result


def _spread(target: Any, value: Any, unit: Unit, local: set[str], origin: Any) -> list:
    if isinstance(target, (gast.Subscript, gast.Attribute)):
        return _store(target, value, unit, local, runtime.index_store, origin)
    if isinstance(target, (gast.Tuple, gast.List)) and _stores(target):
        if any(isinstance(item, gast.Starred) for item in target.elts):
            raise UnsupportedError("a starred target together with stores", origin, "Unpack into names first.")
        names = [unit.names.fresh("item") for _ in target.elts]
        result = [t.unpack(names, value, origin)]
        for name, item in zip(names, target.elts):
            result += _spread(item, t.load(name), unit, local, origin)
        return result
    return [t.assign(target, value, origin)]
