"""A-normal form: one operation a statement, operands are names or constants."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import runtime
from sourcegrad.analysis.purity import harmless, pure
from sourcegrad.errors import Origin, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import boolean, constant_key, constant_tuple, hashable, is_late, negative
from sourcegrad.ir.unit import Unit
from sourcegrad.parse import statements as try_
from sourcegrad.primitives.core import ZERO_DERIVATIVE, primitive_of
from sourcegrad.syntax.heaps import heaps
from sourcegrad.syntax.loops import indexed

# --- One operation per statement again, after `functionalize` has written whole places such as v[1:].T[0] where it reads them.

def single_steps(unit: Unit) -> None:
    """Split chains of reads, and what is stored by `index_set`, into statements of their own."""
    unit.tree.body = _block(unit.tree.body, unit)


def _block(block: list, unit: Unit) -> list:
    result: list = []
    for s in block:
        t.map_blocks(s, _block, unit)
        if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name):
            value = s.value
            if isinstance(value, gast.Call) and unit.lookup(value.func) is runtime.index_set and len(value.args) == 3:
                value.args[2] = _atom(value.args[2], unit, result, t.origin_of(s))
            elif isinstance(value, (gast.Attribute, gast.Subscript)) and unit.lookup(value) is MISSING:
                _base(value, unit, result, t.origin_of(s))
            elif isinstance(value, gast.Call):               # y[1:].ravel()
                _base(value, unit, result, t.origin_of(s))
        result.append(s)
    return result


def _atom(node: Any, unit: Unit, before: list, origin: Any) -> Any:
    """A name for what a chain of attributes, indices and views reads."""
    if not isinstance(node, (gast.Attribute, gast.Subscript, gast.Call)) or unit.lookup(node) is not MISSING:
        return node
    _base(node, unit, before, origin)
    if isinstance(node, gast.Call):                          # str(x.dtype).startswith("complex")
        node.args = [_atom(a, unit, before, origin) if isinstance(a, gast.Attribute) and isinstance(a.value, gast.Name)
                     and unit.lookup(a.value) is MISSING else a for a in node.args]
    name = unit.names.fresh("part")
    before.append(t.assign(name, node, origin))
    return t.load(name)


def _base(node: Any, unit: Unit, before: list, origin: Any) -> None:
    if isinstance(node, gast.Call):
        if isinstance(node.func, gast.Attribute) and unit.lookup(node.func) is MISSING:
            node.func.value = _atom(node.func.value, unit, before, origin)
    else:
        node.value = _atom(node.value, unit, before, origin)


OPERATORS = {gast.Add: "sum", gast.Sub: "diff", gast.Mult: "product", gast.Div: "ratio", gast.MatMult: "matmul",
             gast.Pow: "power", gast.FloorDiv: "quotient", gast.Mod: "remainder"}


class Flatten:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.out: list = []
        self.origin: Origin | None = None
        self.rebound = {n.target.id for s in unit.tree.body for n in t.walk(s) if isinstance(n, gast.NamedExpr)}

    def block(self, block: list) -> list:
        outer, self.out = self.out, []
        for s in block:
            self.statement(s)
        done, self.out = self.out, outer
        return done

    def statement(self, s: Any) -> None:
        self.origin = t.origin_of(s)
        handler = STATEMENTS.get(type(s))
        if handler is None:
            self.out.append(s)
        else:
            handler(self, s)

    # --- assignments

    def assign(self, target: Any, value: Any) -> None:
        if isinstance(target, gast.Name):
            if isinstance(value, gast.Call) and primitive_of(self.unit.lookup(value.func)).mutates in ("place", "attribute"):
                _store(self, value)
                return
            self.out.append(t.assign(t.store(target.id), self.operation(value, target.id), self.origin))
            return
        targets = target.elts
        star = next((k for k, item in enumerate(targets) if isinstance(item, gast.Starred)), None)
        if star is None and isinstance(value, (gast.Tuple, gast.List)) and len(value.elts) == len(targets):
            _parallel(self, targets, value.elts)
            return
        base = self.atom(value, "items")
        if star is not None:
            _unpacked(self, targets, star, base)
            return
        bound = [name for item in targets for name in t.target_names(item)]
        names = [item.id if isinstance(item, gast.Name) and bound.count(item.id) == 1 else self.unit.names.fresh("item")
                 for item in targets]
        self.out.append(t.unpack(names, base, self.origin))
        for name, item in zip(names, targets):
            if not t.is_name(item, name):
                self.assign(item, t.load(name))                    # a name that is there twice is the last one

    # --- expressions

    def atom(self, node: Any, base: str | None = None) -> Any:
        """A name or constant holding the value of an expression; emits what is needed before."""
        if isinstance(node, gast.Constant) or (isinstance(node, gast.Name)):
            return node
        if self.unit.lookup(node) is not MISSING or negative(node):
            return node
        name = self.unit.names.fresh(_name_for(self, node, base))
        value = self.operation(node, name)
        self.out.append(t.assign(name, value, self.origin))
        return t.load(name)

    def operation(self, node: Any, target: str) -> Any:
        """The expression with atoms for operands: what may stand on the right of an assignment to `target`."""
        if isinstance(node, (gast.Constant, gast.Name)) or self.unit.lookup(node) is not MISSING or negative(node):
            return node
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            raise UnsupportedError(f"this expression ({type(node).__name__}) cannot be differentiated",
                                   source.locate(node, self.origin), "Write it with simpler statements.")
        return handler(self, node, target)

    def operands(self, nodes: list) -> list:
        """Atoms of several expressions, evaluated one after the other."""
        return [self.pin(self.atom(node), nodes[position + 1:]) for position, node in enumerate(nodes)]

    def pin(self, atom: Any, later: list) -> Any:
        """Copy a name that what is evaluated later rebinds. (What a call captures is read when it is called.)"""
        if not isinstance(atom, gast.Name) or atom.id not in self.rebound or is_late(atom) or not any(
                isinstance(n, gast.NamedExpr) and n.target.id == atom.id for node in later for n in t.walk(node)):
            return atom
        name = self.unit.names.fresh(atom.id + "_old")
        self.out.append(t.assign(name, atom, self.origin))
        return t.load(name)

    def index(self, node: Any, later: list | None = None) -> Any:
        later = later or []
        if isinstance(node, gast.Slice):
            parts = [getattr(node, f) for f in ("lower", "upper", "step")]
            return gast.Slice(*(None if part is None else self.index(part, [x for x in parts[k + 1:] if x is not None] + later)
                                for k, part in enumerate(parts)))
        if isinstance(node, gast.Tuple) and not any(isinstance(item, gast.Starred) for item in node.elts):
            return t.pack([self.index(item, node.elts[k + 1:] + later) for k, item in enumerate(node.elts)])
        return self.pin(self.atom(node, "index"), later)

    def argument(self, node: Any, later: list) -> Any:
        """Arguments are atoms; constant tuples such as axis=(0, 1) stay as they are."""
        if isinstance(node, gast.Starred):
            value = node.value
            if not all(pure(x, self.unit) for x in later):                   # it is read before they do something
                value = t.call(self.unit.use(list, "list"), value)
            return gast.Starred(value=self.pin(self.atom(value), later), ctx=t.LOAD)
        if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Attribute) and node.value.attr == "s_":
            return t.subscript(node.value, self.index(node.slice, later))      # np.s_[i:j] is an index, not a value
        if self.is_path(node):
            return self.path(node, later)
        return node if constant_tuple(node) else self.pin(self.atom(node), later)

    def is_path(self, node: Any) -> bool:
        """at.w[i]: a place that is written down, not a value."""
        while isinstance(node, (gast.Attribute, gast.Subscript, gast.Call)):
            node = node.func if isinstance(node, gast.Call) else node.value
        return isinstance(node, gast.Name) and self.unit.lookup(node) is runtime.at

    def path(self, node: Any, later: list) -> Any:
        if isinstance(node, gast.Name):
            return node
        if isinstance(node, gast.Attribute):
            return t.attribute(self.path(node.value, later), node.attr)
        if isinstance(node, gast.Subscript):
            return t.subscript(self.path(node.value, [node.slice, *later]), self.index(node.slice, later))
        args = [*node.args, *node.keywords]
        return gast.Call(self.path(node.func, [*args, *later]), *self.arguments(node, later))

    def arguments(self, node: gast.Call, later: list) -> tuple[list, list]:
        """What a call is given, in the order in which it is evaluated: by position, then by name."""
        rest = [*node.args, *(item.value for item in node.keywords), *later]
        taken = [self.argument(item, rest[k + 1:]) for k, item in enumerate(rest[:len(rest) - len(later)])]
        count = len(node.args)
        return taken[:count], [gast.keyword(arg=item.arg, value=value) for item, value in zip(node.keywords, taken[count:])]

    # --- tests

    def test(self, node: Any) -> Any:
        """A name (or constant) for the condition of an `if`, because the reverse sweep branches on it again."""
        if isinstance(node, (gast.Name, gast.Constant)):
            return node
        name = self.unit.names.fresh("cond")
        if self.inert(node):
            self.out.append(t.assign(name, node, self.origin))
        else:
            self.assign(t.store(name), node)
        return t.load(name)

    def inert(self, node: Any) -> bool:
        """Whether a test or statement expression can stay whole: nothing in it binds or needs flattening."""
        for item in t.walk(node):
            if isinstance(item, (gast.NamedExpr, gast.ListComp, gast.GeneratorExp, gast.SetComp, gast.DictComp, gast.Lambda,
                                 gast.Await)):
                return False
            if isinstance(item, gast.Call) and not harmless(item, self.unit):
                return False
        return True


# --- statements


def _return(flat: Flatten, s: gast.Return) -> None:
    value = s.value if s.value is not None else t.const(None)
    if not isinstance(value, (gast.Name, gast.Constant)):
        name = flat.unit.names.fresh("value")
        flat.assign(t.store(name), value)
        value = t.load(name)
    flat.out.append(t.return_(value, t.origin_of(s)))


def _if(flat: Flatten, s: gast.If) -> None:
    origin = flat.origin
    if s.body and isinstance(s.body[0], gast.Break):
        flat.out.append(s)
        return
    test = s.test if try_.is_attempt(s) else flat.test(s.test)
    body, orelse = flat.block(s.body), flat.block(s.orelse)
    if isinstance(test, gast.Name) and any(test.id in t.writes(x) for x in t.statements(body + orelse)):
        name = flat.unit.names.fresh("cond")               # the reverse sweep needs it as it was tested
        flat.out.append(t.assign(name, test, origin))
        test = t.load(name)
    flat.out.append(t.if_(test, body, orelse, origin))


def _for(flat: Flatten, s: gast.For) -> None:
    for new in indexed(s, flat.unit):
        if isinstance(new, gast.For):
            _loop(flat, new)
        else:
            flat.statement(new)


def _check(flat: Flatten, s: Any) -> None:
    if isinstance(s, gast.Assert) and not flat.inert(s.test):
        s.test = flat.test(s.test)
    flat.out.append(s)


def _nested(flat: Flatten, s: gast.FunctionDef) -> None:
    raise UnsupportedError("this nested function", flat.origin)


def _loop(flat: Flatten, s: gast.For) -> None:
    iterable = s.iter
    changed = {n for x in t.statements(s.body) for n in t.writes(x)} & set(t.reads(iterable))
    short = isinstance(iterable, gast.Call) and all(isinstance(a, (gast.Name, gast.Constant)) for a in iterable.args)
    if changed or not short:                            # range(n) can stand in the header
        iterable = flat.atom(iterable, "steps")
    origin = flat.origin
    body = flat.block(s.body)
    flat.out.append(t.for_(s.target.id, iterable, body, origin))


def _while(flat: Flatten, s: gast.While) -> None:
    origin = flat.origin
    body = s.body
    reads_arrays = any(isinstance(n, gast.Subscript) for n in t.walk(s.test))       # which may have changed
    if isinstance(s.test, gast.Constant) or (flat.inert(s.test) and not reads_arrays):
        flat.out.append(t.while_(s.test, flat.block(body), origin))
        return
    name = flat.unit.names.fresh("going")
    again = t.assign(name, t.clone(s.test), origin)
    flat.statement(t.assign(name, s.test, origin))
    if body and isinstance(body[-1], gast.If) and isinstance((body[-1].body or [None])[0], gast.Break):
        last = body[-1]
        body = [*body[:-1], t.if_(t.clone(last.test), [], [again], origin), last]
    else:
        body = [*body, again]
    flat.out.append(t.while_(t.load(name), flat.block(body), origin))


def _expression(flat: Flatten, s: gast.Expr) -> None:
    value = s.value
    if isinstance(value, gast.Constant):
        return
    if try_.is_context(s):
        if try_.is_enter(value):
            value.args = [flat.atom(a, "context") for a in value.args]
        flat.out.append(s)
        return
    if isinstance(value, gast.Call):
        found = t.list_method(s)
        if found is not None:
            value.func.value = flat.pin(value.func.value, value.args)
            value.args = [flat.atom(a, found[0].rstrip("s") or "item") for a in value.args]
            flat.out.append(s)
            return
        function = flat.unit.lookup(value.func)
        if flat.inert(value) and hashable(function) and function in ZERO_DERIVATIVE:
            flat.out.append(s)
            return
    name = flat.unit.names.fresh("unused")
    flat.assign(t.store(name), value)


def _parallel(flat: Flatten, targets: list, values: list) -> None:
    """a, b = b, a: every value is taken before any name is bound."""
    needed = [{*t.reads(v), *(n.target.id for n in t.walk(v) if isinstance(n, gast.NamedExpr))} for v in values]
    stored = [set(t.target_names(x)) for x in targets]
    safe = all(not (stored[k] & needed[j]) for k in range(len(values)) for j in range(k + 1, len(values)))
    if safe:
        for target, value in zip(targets, values):
            flat.assign(target, value)
        return
    atoms = []
    for position, value in enumerate(values):
        atom = flat.pin(flat.atom(value, "new"), values[position + 1:])
        if isinstance(atom, gast.Name) and any(atom.id in names for names in stored):
            name = flat.unit.names.fresh(atom.id + "_old")
            flat.out.append(t.assign(name, atom, flat.origin))
            atom = t.load(name)
        atoms.append(atom)
    for target, atom in zip(targets, atoms):
        flat.assign(target, atom)


def _store(flat: Flatten, call: gast.Call) -> None:
    """`x[i] = v` takes v, x and i, in this order, `x[i] += v` x, i, x[i] and v, `setattr(x, i, v)` x, i and v: the object that x
    was then gets it."""
    base, place, *values = call.args
    function = flat.unit.lookup(call.func)
    in_turn = function is not runtime.index_store
    if not in_turn:
        values = [flat.argument(values[0], [place])]
    base = flat.pin(base, [place, *values])
    if function is runtime.index_update and isinstance(values[0], gast.BinOp) and isinstance(
            values[0].left, (gast.Subscript, gast.Attribute)):
        values[0].left.value = t.load(base.id)
    place = flat.argument(place, values)
    if in_turn:
        values = [flat.argument(value, values[k + 1:]) for k, value in enumerate(values)]
    new = gast.copy_location(gast.Call(func=call.func, args=[base, place, *values], keywords=[]), call)
    flat.out.append(t.assign(t.store(base.id), new, flat.origin))


def _unpacked(flat: Flatten, targets: list, star: int, base: Any) -> None:
    base = flat.atom(t.call(flat.unit.use(runtime.sequence, "sequence"), base), "items")
    least = len(targets) - 1
    if least:
        size = flat.atom(t.call(flat.unit.use(len, "len"), t.clone(base)), "count")
        problem = t.call(flat.unit.use(ValueError, "ValueError"),
                         t.const(f"not enough values to unpack (expected at least {least})"))
        few = gast.Compare(left=size, ops=[gast.Lt()], comparators=[t.const(least)])
        flat.out.append(t.if_(few, [t.at(gast.Raise(exc=problem, cause=None), flat.origin)], [], flat.origin))
    for k, item in enumerate(targets):
        if k == star:
            upper = t.const(star + 1 - len(targets)) if star + 1 < len(targets) else None
            part = t.subscript(t.clone(base), gast.Slice(lower=t.const(star), upper=upper, step=None))
            flat.assign(item.value, t.call("list", part))
        else:
            flat.assign(item, t.subscript(t.clone(base), t.const(k if k < star else k - len(targets))))


# --- expressions: each gives what may stand on the right of an assignment to `target`


def _binary(flat: Flatten, node: gast.BinOp, target: str) -> Any:
    left, right = flat.operands([node.left, node.right])
    return gast.copy_location(t.binop(left, node.op, right, t.is_in_place(node)), node)


def _unary(flat: Flatten, node: gast.UnaryOp, target: str) -> Any:
    return gast.copy_location(gast.UnaryOp(op=node.op, operand=flat.atom(node.operand)), node)


def _attribute(flat: Flatten, node: gast.Attribute, target: str) -> Any:
    return gast.copy_location(t.attribute(flat.atom(node.value), node.attr), node)


def _subscript(flat: Flatten, node: gast.Subscript, target: str) -> Any:
    if getattr(node, "rebinding", False):
        return _rebinding(flat, node.value.elts, target)
    return gast.copy_location(t.subscript(flat.pin(flat.atom(node.value), [node.slice]), flat.index(node.slice)), node)


def _tuple(flat: Flatten, node: gast.Tuple, target: str) -> Any:
    if any(isinstance(item, gast.Starred) for item in node.elts):
        return _joined(flat, node, tuple, target)
    return t.pack(flat.operands(node.elts))


def _list(flat: Flatten, node: gast.List, target: str) -> Any:
    if any(isinstance(item, gast.Starred) for item in node.elts):
        return _joined(flat, node, list, target)
    return gast.List(elts=flat.operands(node.elts), ctx=t.LOAD)


def _dict(flat: Flatten, node: gast.Dict, target: str) -> Any:
    known = 0
    while known < len(node.keys) and constant_key(node.keys[known]):
        known += 1
    first = gast.Dict(keys=node.keys[:known], values=flat.operands(node.values[:known]))
    if known == len(node.keys):
        return first
    name = flat.unit.names.fresh(target if target not in flat.unit.parameters else "entries")
    rest = list(zip(node.keys, node.values))[known:]
    if rest[0][0] is None and known == 0:                # {**a, ...}
        flat.out.append(t.assign(name, t.call(flat.unit.use(dict, "dict"), flat.atom(rest[0][1])), flat.origin))
        rest = rest[1:]
    else:
        flat.out.append(t.assign(name, first, flat.origin))
    for key, value in rest:
        if key is None:
            new = t.call(flat.unit.use(runtime.dict_merge, "dict_merge"), t.load(name), _as_dict(flat, value))
        else:
            at = flat.pin(flat.atom(key, "key"), [value])
            new = _stored(flat, name, at, flat.atom(value))
        flat.out.append(t.assign(name, new, flat.origin))
    return t.load(name)


def _slice(flat: Flatten, node: gast.Slice, target: str) -> Any:
    return flat.index(node)


def _text(flat: Flatten, node: gast.JoinedStr, target: str) -> Any:
    parts = [part for part in t.walk(node) if isinstance(part, gast.FormattedValue)]         # (a format may have some, too)
    values = [part.value for part in parts]
    last = max((k for k, value in enumerate(values) if not flat.inert(value)), default=-1)
    for k, part in enumerate(parts[:last + 1]):
        part.value = flat.pin(flat.atom(part.value), values[k + 1:])
    return node


def _comparison(flat: Flatten, node: gast.Compare, target: str) -> Any:
    if flat.inert(node):
        return node
    if len(node.ops) == 1:
        left, right = flat.operands([node.left, node.comparators[0]])
        return gast.Compare(left=left, ops=node.ops, comparators=[right])
    parts: list = []
    left = node.left
    for op, right in zip(node.ops, node.comparators):    # a < f(b) < c: later operands only if still true
        kept = flat.unit.names.fresh("side")
        parts.append(gast.Compare(left=left, ops=[op], comparators=[
            gast.NamedExpr(target=t.store(kept), value=right)]))
        left = t.load(kept)
    return _boolean(flat, gast.BoolOp(op=gast.And(), values=parts), target)


def _boolean(flat: Flatten, node: gast.BoolOp, target: str) -> Any:
    if flat.inert(node) and all(boolean(v) for v in node.values):
        return node
    name = flat.unit.names.fresh("either" if isinstance(node.op, gast.Or) else "both")
    flat.assign(t.store(name), node.values[0])
    _short_circuit(flat, node, 1, name)
    return t.load(name)


def _conditional(flat: Flatten, node: gast.IfExp, target: str) -> Any:
    name = flat.unit.names.fresh(target)
    _chosen(flat, node, name)
    return t.load(name)


def _chosen(flat: Flatten, node: gast.IfExp, name: str) -> None:
    """Branches that assign a name; `a if p else b if q else c` is a chain of them."""
    test = flat.test(node.test)
    branches = []
    for value in (node.body, node.orelse):
        outer, flat.out = flat.out, []
        if isinstance(value, gast.IfExp):
            _chosen(flat, value, name)
        else:
            flat.assign(t.store(name), value)
        branches.append(flat.out)
        flat.out = outer
    flat.out.append(t.if_(test, branches[0], branches[1], flat.origin))


def _named(flat: Flatten, node: gast.NamedExpr, target: str) -> Any:
    flat.assign(t.store(node.target.id), node.value)
    return t.load(node.target.id)


def _list_comprehension(flat: Flatten, node: Any, target: str) -> Any:
    name = flat.unit.names.fresh(target if target not in flat.unit.parameters else "items")
    flat.out.append(t.assign(name, gast.List(elts=[], ctx=t.LOAD), flat.origin))
    _loops(flat, node.generators, [t.effect(t.method(name, "append", node.elt), flat.origin)])
    return t.load(name)


def _dict_comprehension(flat: Flatten, node: Any, target: str) -> Any:
    name = flat.unit.names.fresh(target if target not in flat.unit.parameters else "entries")
    flat.out.append(t.assign(name, gast.Dict(keys=[], values=[]), flat.origin))
    body = [t.assign(name, _stored(flat, name, node.key, node.value), flat.origin)]
    if not isinstance(node.key, (gast.Name, gast.Constant)):          # the key comes first
        key = flat.unit.names.fresh("key")
        body = [t.assign(key, node.key, flat.origin), t.assign(name, _stored(flat, name, t.load(key), node.value), flat.origin)]
    _loops(flat, node.generators, body)
    return t.load(name)


def _set_comprehension(flat: Flatten, node: Any, target: str) -> Any:
    return _call(flat, t.call(flat.unit.use(set, "set"), gast.ListComp(elt=node.elt, generators=node.generators)), target)


def _set(flat: Flatten, node: Any, target: str) -> Any:
    return _call(flat, t.call(flat.unit.use(set, "set"), gast.List(elts=node.elts, ctx=t.LOAD)), target)


def _call(flat: Flatten, node: gast.Call, target: str) -> Any:
    function = node.func
    if node.args and isinstance(node.args[0], gast.GeneratorExp) and hashable(flat.unit.lookup(function)):
        known = flat.unit.lookup(function)
        if known in (any, all):
            return _quantified(flat, node.args[0], known is all)
        if known is functools.reduce:
            return _folded(flat, node)
    given = [*node.args, *(item.value for item in node.keywords)]
    if isinstance(function, gast.Attribute) and flat.unit.lookup(function) is MISSING:
        function = t.attribute(flat.pin(flat.atom(function.value), given), function.attr)
    elif flat.unit.lookup(function) is MISSING:
        function = flat.pin(flat.atom(function, "function"), given)
    args, keywords = flat.arguments(node, [])
    return gast.copy_location(gast.Call(func=function, args=args, keywords=keywords), node)


def _rebinding(flat: Flatten, parts: list, target: str) -> Any:
    """`(results := f(count, x), count := results[1], results[0])[-1]`: value, count = f(count, x)"""
    first, *names = [part.target.id for part in parts if isinstance(part, gast.NamedExpr)]
    if isinstance(parts[-1], gast.Constant):
        targets = [t.store(n) for n in names or [first]]
        flat.assign(targets[0] if len(targets) == 1 and not names else gast.Tuple(elts=targets, ctx=t.STORE), parts[0].value)
        return parts[-1]
    value = flat.unit.names.fresh(target)
    flat.assign(gast.Tuple(elts=[t.store(value), *map(t.store, names)], ctx=t.STORE), parts[0].value)
    return t.load(value)


def _joined(flat: Flatten, node: Any, kind: type, target: str) -> Any:
    """[*a, b, *c] is list(a) + [b] + list(c)."""
    parts: list = []
    plain: list = []
    for item in node.elts:
        if isinstance(item, gast.Starred):
            if plain:
                parts.append(type(node)(elts=plain, ctx=t.LOAD))
                plain = []
            parts.append(t.call(flat.unit.use(kind, kind.__name__), item.value))
        else:
            plain.append(item)
    if plain:
        parts.append(type(node)(elts=plain, ctx=t.LOAD))
    total = parts[0]
    for part in parts[1:]:
        total = t.binop(total, gast.Add(), part)
    return flat.operation(total, target)


def _stored(flat: Flatten, name: str, key: gast.expr, value: gast.expr) -> gast.expr:
    place = t.subscript(t.dotted(f"{flat.unit.use(np, 'np')}.s_"), key)
    return t.call(flat.unit.use(runtime.index_store, "index_store"), t.load(name), place, value)


def _as_dict(flat: Flatten, value: Any) -> Any:
    return flat.atom(value if isinstance(value, gast.Dict) else t.call(flat.unit.use(dict, "dict"), value), "entries")


def _short_circuit(flat: Flatten, node: gast.BoolOp, k: int, name: str) -> None:
    if k == len(node.values):
        return
    outer, flat.out = flat.out, []
    flat.assign(t.store(name), node.values[k])
    _short_circuit(flat, node, k + 1, name)
    inner, flat.out = flat.out, outer
    body, orelse = (inner, []) if isinstance(node.op, gast.And) else ([], inner)
    test = flat.unit.names.fresh("cond")            # the tested name itself is rebound inside the branch
    flat.out.append(t.assign(test, t.call("bool", t.load(name)), flat.origin))
    flat.out.append(t.if_(t.load(test), body, orelse, flat.origin))


def _quantified(flat: Flatten, node: Any, every: bool) -> Any:
    """any(...) and all(...) of a generator stop at the first element that decides."""
    found = flat.unit.names.fresh("failed" if every else "found")
    flat.out.append(t.assign(found, t.const(False), flat.origin))
    test = gast.UnaryOp(op=gast.Not(), operand=node.elt) if every else node.elt
    _loops(flat, node.generators, [t.if_(test, [t.assign(found, t.const(True), flat.origin)], [], flat.origin)], found)
    return gast.UnaryOp(op=gast.Not(), operand=t.load(found)) if every else t.load(found)


def _folded(flat: Flatten, node: gast.Call) -> Any:
    """reduce, see `syntax.iterators`."""
    steps, so_far, start = node.args
    flat.assign(t.store(so_far.id), start)
    _loops(flat, steps.generators, [t.assign(so_far.id, steps.elt, flat.origin)])
    return t.load(so_far.id)


def _loops(flat: Flatten, generators: list, body: list, stop: str | None = None) -> None:
    """The loops of a comprehension around the statements for one element; its targets are names of its own."""
    origin = flat.origin
    scope = {n for g in generators for n in t.target_names(g.target)}
    for generator in reversed(generators):
        for test in reversed(generator.ifs):
            body = [t.if_(test, body, [], origin)]
        if stop is not None:
            body = [*body, t.if_(t.load(stop), [t.at(gast.Break(), origin)], [], origin)]
        body = [t.at(gast.For(target=generator.target, iter=generator.iter, body=body, orelse=[],
                              type_comment=None), origin)]
    first = generators[0].iter
    first = first if isinstance(first, gast.Call) else flat.atom(first)
    body[0].iter = t.const(None)                       # the first iterable is evaluated outside the scope
    fresh = {n: flat.unit.names.fresh(n) for n in sorted(scope)}
    t.rename(body[0], fresh)
    body[0].iter = first
    flat.statement(body[0])
    flat.origin = origin


def _name_for(flat: Flatten, node: Any, base: str | None) -> str:
    if isinstance(node, gast.Call):
        function = node.func.attr if isinstance(node.func, gast.Attribute) else getattr(node.func, "id", "value")
        function = function.split(".")[-1]                      # super.C.run
        method = isinstance(node.func, gast.Attribute) and flat.unit.lookup(node.func) is MISSING
        subject = node.func.value if method else (node.args[0] if node.args else None)
        if isinstance(subject, gast.Name) and len(subject.id) + len(function) < 16:
            return f"{function}_{subject.id}"
        return str(function)
    if isinstance(node, gast.BinOp):
        return OPERATORS.get(type(node.op), base or "value")
    if isinstance(node, gast.UnaryOp):
        return "minus_" + node.operand.id if isinstance(node.operand, gast.Name) else "minus"
    if isinstance(node, gast.Attribute):
        attr = node.attr.split(".")[-1]
        return f"{node.value.id}_{attr}" if isinstance(node.value, gast.Name) else attr
    if isinstance(node, gast.Subscript):
        return f"{node.value.id}_i" if isinstance(node.value, gast.Name) else "item"
    if isinstance(node, (gast.Compare, gast.BoolOp)):
        return "cond"
    return base or "value"


STATEMENTS: dict[type, Callable] = {
    gast.Assign: lambda flat, s: flat.assign(s.targets[0], s.value), gast.Return: _return, gast.If: _if, gast.For: _for,
    gast.While: _while, gast.Expr: _expression, gast.Assert: _check, gast.Raise: _check, gast.FunctionDef: _nested}
EXPRESSIONS: dict[type, Callable] = {
    gast.BinOp: _binary, gast.UnaryOp: _unary, gast.Attribute: _attribute, gast.Subscript: _subscript, gast.Tuple: _tuple,
    gast.List: _list, gast.Dict: _dict, gast.Slice: lambda flat, node, target: flat.index(node),
    gast.Starred: lambda flat, node, target: flat.argument(node, []),
    gast.JoinedStr: _text, gast.Compare: _comparison, gast.BoolOp: _boolean, gast.IfExp: _conditional, gast.NamedExpr: _named,
    gast.ListComp: _list_comprehension, gast.GeneratorExp: _list_comprehension, gast.DictComp: _dict_comprehension,
    gast.SetComp: _set_comprehension, gast.Set: _set, gast.Call: _call}


def anf(unit: Unit) -> Unit:
    """Put the body into A-normal form."""
    unit.tree.body = Flatten(unit).block(unit.tree.body)
    heaps(unit)
    return unit
