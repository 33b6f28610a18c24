"""One operation per statement: operands become names or constants (A-normal form)."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import source, tree as t
from sourcegrad.errors import Origin, UnsupportedError
from sourcegrad.frontend.loops import indexed
from sourcegrad.frontend.resolve import MISSING, Unit
from sourcegrad.rules.core import ZERO_DERIVATIVE

OPERATORS = {gast.Add: "sum", gast.Sub: "diff", gast.Mult: "product", gast.Div: "ratio", gast.MatMult: "matmul",
             gast.Pow: "power", gast.FloorDiv: "quotient", gast.Mod: "remainder"}


class Flatten:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.out: list = []
        self.origin: Origin | None = None

    # --- statements

    def block(self, block: list) -> list:
        outer, self.out = self.out, []
        for s in block:
            self.statement(s)
        done, self.out = self.out, outer
        return done

    def statement(self, s: Any) -> None:
        self.origin = origin = t.origin_of(s)
        if isinstance(s, gast.Assign):
            self.assign(s.targets[0], s.value)
        elif isinstance(s, gast.Return):
            value = s.value if s.value is not None else t.const(None)
            if not isinstance(value, (gast.Name, gast.Constant)):
                name = self.unit.names.fresh("value")
                self.assign(t.store(name), value)
                value = t.load(name)
            self.out.append(t.return_(value, origin))
        elif isinstance(s, gast.If):
            if isinstance(s.body[0] if s.body else None, gast.Break):
                self.out.append(s)
                return
            test = self.test(s.test)
            body, orelse = self.block(s.body), self.block(s.orelse)
            if isinstance(test, gast.Name) and any(test.id in t.writes(x) for x in t.statements(body + orelse)):
                name = self.unit.names.fresh("cond")           # the reverse sweep needs it as it was tested
                self.out.append(t.assign(name, test, origin))
                test = t.load(name)
            self.out.append(t.if_(test, body, orelse, origin))
        elif isinstance(s, gast.For):
            for new in indexed(s, self.unit):
                if isinstance(new, gast.For):
                    self.loop(new)
                else:
                    self.statement(new)
        elif isinstance(s, gast.While):
            self.while_(s)
        elif isinstance(s, gast.Expr):
            self.expression_statement(s)
        elif isinstance(s, (gast.Assert, gast.Raise)):
            self.out.append(s)
        elif isinstance(s, gast.FunctionDef):
            raise UnsupportedError("this nested function", origin)
        else:
            self.out.append(s)

    def loop(self, s: gast.For) -> None:
        iterable = s.iter
        changed = {n for x in t.statements(s.body) for n in t.writes(x)} & set(t.reads(iterable))
        if not changed and isinstance(iterable, gast.Call) and all(
                isinstance(a, (gast.Name, gast.Constant)) for a in iterable.args):
            pass                                            # range(n): short enough to stand in the header
        else:
            iterable = self.atom(iterable, "steps")
        origin = self.origin
        body = self.block(s.body)
        self.out.append(t.for_(s.target.id, iterable, body, origin))

    def while_(self, s: gast.While) -> None:
        origin = self.origin
        body = s.body
        if isinstance(s.test, gast.Constant) or self.inert(s.test):
            self.out.append(t.while_(s.test, self.block(body), origin))
            return
        name = self.unit.names.fresh("going")
        again = t.assign(name, t.clone(s.test), origin)
        self.statement(t.assign(name, s.test, origin))
        if body and isinstance(body[-1], gast.If) and isinstance((body[-1].body or [None])[0], gast.Break):
            last = body[-1]
            body = [*body[:-1], t.if_(t.clone(last.test), [], [again], origin), last]
        else:
            body = [*body, again]
        self.out.append(t.while_(t.load(name), self.block(body), origin))

    def expression_statement(self, s: gast.Expr) -> None:
        value = s.value
        if isinstance(value, gast.Constant):
            return
        if isinstance(value, gast.Call):
            found = t.list_method(s)
            if found is not None:
                value.args = [self.atom(a, found[0].rstrip("s") or "item") for a in value.args]
                self.out.append(s)
                return
            function = self.unit.lookup(value.func)
            if self.inert(value) and hashable(function) and function in ZERO_DERIVATIVE:
                self.out.append(s)
                return
        name = self.unit.names.fresh("unused")
        self.assign(t.store(name), value)

    # --- assignments

    def assign(self, target: Any, value: Any) -> None:
        if isinstance(target, gast.Name):
            self.out.append(t.assign(t.store(target.id), self.operation(value, target.id), self.origin))
            return
        targets = target.elts
        star = next((k for k, item in enumerate(targets) if isinstance(item, gast.Starred)), None)
        if star is None and isinstance(value, (gast.Tuple, gast.List)) and len(value.elts) == len(targets):
            self.parallel(targets, value.elts)
            return
        base = self.atom(value, "items")
        if star is not None:
            self.starred(targets, star, base)
            return
        names = [item.id if isinstance(item, gast.Name) else self.unit.names.fresh("item") for item in targets]
        self.out.append(t.unpack(names, base, self.origin))
        for name, item in zip(names, targets):
            if not isinstance(item, gast.Name):
                self.assign(item, t.load(name))

    def parallel(self, targets: list, values: list) -> None:
        """a, b = b, a: every value is taken before any name is bound."""
        needed = [set(t.reads(v)) for v in values]
        stored = [set(t.target_names(x)) for x in targets]
        safe = all(not (stored[k] & needed[j]) for k in range(len(values)) for j in range(k + 1, len(values)))
        if safe:
            for target, value in zip(targets, values):
                self.assign(target, value)
            return
        atoms = []
        for value in values:
            atom = self.atom(value, "new")
            if isinstance(atom, gast.Name) and any(atom.id in names for names in stored):
                name = self.unit.names.fresh(atom.id + "_old")
                self.out.append(t.assign(name, atom, self.origin))
                atom = t.load(name)
            atoms.append(atom)
        for target, atom in zip(targets, atoms):
            self.assign(target, atom)

    def starred(self, targets: list, star: int, base: Any) -> None:
        after = len(targets) - star - 1
        for k, item in enumerate(targets):
            if k == star:
                upper = t.const(-after) if after else None
                part = t.subscript(t.clone(base), gast.Slice(lower=t.const(star), upper=upper, step=None))
                self.assign(item.value, t.call("list", part))
            else:
                self.assign(item, t.subscript(t.clone(base), t.const(k if k < star else k - len(targets))))

    # --- expressions

    def atom(self, node: Any, base: str | None = None) -> Any:
        """A name or constant holding the value of an expression; emits what is needed before."""
        if isinstance(node, gast.Constant) or (isinstance(node, gast.Name)):
            return node
        if self.unit.lookup(node) is not MISSING or _negative(node):
            return node
        name = self.unit.names.fresh(self.name_for(node, base))
        value = self.operation(node, name)
        self.out.append(t.assign(name, value, self.origin))
        return t.load(name)

    def name_for(self, node: Any, base: str | None) -> str:
        if isinstance(node, gast.Call):
            function = node.func.attr if isinstance(node.func, gast.Attribute) else getattr(node.func, "id", "value")
            method = isinstance(node.func, gast.Attribute) and self.unit.lookup(node.func) is MISSING
            subject = node.func.value if method else (node.args[0] if node.args else None)
            if isinstance(subject, gast.Name) and len(subject.id) + len(function) < 16:
                return f"{function}_{subject.id}"
            return str(function)
        if isinstance(node, gast.BinOp):
            return OPERATORS.get(type(node.op), base or "value")
        if isinstance(node, gast.UnaryOp):
            return "minus_" + node.operand.id if isinstance(node.operand, gast.Name) else "minus"
        if isinstance(node, gast.Attribute):
            return f"{node.value.id}_{node.attr}" if isinstance(node.value, gast.Name) else node.attr
        if isinstance(node, gast.Subscript):
            return f"{node.value.id}_i" if isinstance(node.value, gast.Name) else "item"
        if isinstance(node, (gast.Compare, gast.BoolOp)):
            return "cond"
        return base or "value"

    def operation(self, node: Any, target: str) -> Any:
        """The expression with atoms for operands: what may stand on the right of an assignment to `target`."""
        if isinstance(node, (gast.Constant, gast.Name)) or self.unit.lookup(node) is not MISSING or _negative(node):
            return node
        handler = getattr(self, "op_" + type(node).__name__, None)
        if handler is None:
            raise UnsupportedError(f"this expression ({type(node).__name__}) cannot be differentiated",
                                   source.locate(node, self.origin), "Write it with simpler statements.")
        return handler(node, target)

    def op_BinOp(self, node: gast.BinOp, target: str) -> Any:
        left = self.atom(node.left)
        left = self.pin(left, node.right)
        return gast.copy_location(t.binop(left, node.op, self.atom(node.right)), node)

    def pin(self, atom: Any, later: Any) -> Any:
        """Copy a name that a walrus in a later operand rebinds."""
        if isinstance(atom, gast.Name) and any(
                isinstance(n, gast.NamedExpr) and n.target.id == atom.id for n in t.walk(later)):
            name = self.unit.names.fresh(atom.id + "_old")
            self.out.append(t.assign(name, atom, self.origin))
            return t.load(name)
        return atom

    def op_UnaryOp(self, node: gast.UnaryOp, target: str) -> Any:
        return gast.copy_location(gast.UnaryOp(op=node.op, operand=self.atom(node.operand)), node)

    def op_Attribute(self, node: gast.Attribute, target: str) -> Any:
        return gast.copy_location(t.attribute(self.atom(node.value), node.attr), node)

    def op_Subscript(self, node: gast.Subscript, target: str) -> Any:
        return gast.copy_location(t.subscript(self.atom(node.value), self.index(node.slice)), node)

    def index(self, node: Any) -> Any:
        if isinstance(node, gast.Slice):
            parts = {f: None if getattr(node, f) is None else self.atom(getattr(node, f))
                     for f in ("lower", "upper", "step")}
            return gast.Slice(**parts)
        if isinstance(node, gast.Tuple):
            return t.pack([self.index(item) for item in node.elts])
        return self.atom(node, "index")

    def op_Tuple(self, node: gast.Tuple, target: str) -> Any:
        return t.pack([self.atom(item) for item in node.elts])

    def op_List(self, node: gast.List, target: str) -> Any:
        return gast.List(elts=[self.atom(item) for item in node.elts], ctx=t.LOAD)

    def op_Dict(self, node: gast.Dict, target: str) -> Any:
        return gast.Dict(keys=node.keys, values=[self.atom(item) for item in node.values])

    def op_Slice(self, node: gast.Slice, target: str) -> Any:
        return self.index(node)

    def op_Starred(self, node: gast.Starred, target: str) -> Any:
        return gast.Starred(value=self.atom(node.value), ctx=t.LOAD)

    def op_JoinedStr(self, node: gast.JoinedStr, target: str) -> Any:
        return node

    def op_Compare(self, node: gast.Compare, target: str) -> Any:
        if self.inert(node):
            return node
        values = [self.atom(node.left)]
        if len(node.ops) == 1:
            return gast.Compare(left=values[0], ops=node.ops, comparators=[self.atom(node.comparators[0])])
        parts: list = []
        left = node.left
        for op, right in zip(node.ops, node.comparators):    # a < f(b) < c: later operands only if still true
            kept = self.unit.names.fresh("side")
            parts.append(gast.Compare(left=left, ops=[op], comparators=[
                gast.NamedExpr(target=t.store(kept), value=right)]))
            left = t.load(kept)
        return self.op_BoolOp(gast.BoolOp(op=gast.And(), values=parts), target)

    def op_BoolOp(self, node: gast.BoolOp, target: str) -> Any:
        if self.inert(node) and all(_boolean(v) for v in node.values):
            return node
        name = self.unit.names.fresh("either" if isinstance(node.op, gast.Or) else "both")
        self.assign(t.store(name), node.values[0])
        self._short_circuit(node, 1, name)
        return t.load(name)

    def _short_circuit(self, node: gast.BoolOp, k: int, name: str) -> None:
        if k == len(node.values):
            return
        outer, self.out = self.out, []
        self.assign(t.store(name), node.values[k])
        self._short_circuit(node, k + 1, name)
        inner, self.out = self.out, outer
        body, orelse = (inner, []) if isinstance(node.op, gast.And) else ([], inner)
        test = self.unit.names.fresh("cond")            # the tested name itself is rebound inside the branch
        self.out.append(t.assign(test, t.call("bool", t.load(name)), self.origin))
        self.out.append(t.if_(t.load(test), body, orelse, self.origin))

    def op_IfExp(self, node: gast.IfExp, target: str) -> Any:
        test = self.test(node.test)
        name = self.unit.names.fresh(target)
        branches = []
        for value in (node.body, node.orelse):
            outer, self.out = self.out, []
            self.assign(t.store(name), value)
            branches.append(self.out)
            self.out = outer
        self.out.append(t.if_(test, branches[0], branches[1], self.origin))
        return t.load(name)

    def op_NamedExpr(self, node: gast.NamedExpr, target: str) -> Any:
        self.assign(t.store(node.target.id), node.value)
        return t.load(node.target.id)

    def op_ListComp(self, node: Any, target: str) -> Any:
        name = self.unit.names.fresh(target if target not in self.unit.parameters else "items")
        origin = self.origin
        body: list = [t.effect(t.method(name, "append", node.elt), origin)]
        scope = {n for g in node.generators for n in t.target_names(g.target)}
        for generator in reversed(node.generators):
            for test in reversed(generator.ifs):
                body = [t.if_(test, body, [], origin)]
            body = [t.at(gast.For(target=generator.target, iter=generator.iter, body=body, orelse=[],
                                  type_comment=None), origin)]
        first = self.atom(node.generators[0].iter) if not isinstance(
            node.generators[0].iter, gast.Call) else node.generators[0].iter
        body[0].iter = t.const(None)                       # the first iterable is evaluated outside the scope
        fresh = {n: self.unit.names.fresh(n) for n in sorted(scope)}
        t.rename(body[0], lambda n: fresh.get(n, n))
        body[0].iter = first
        self.out.append(t.assign(name, gast.List(elts=[], ctx=t.LOAD), origin))
        self.statement(body[0])
        self.origin = origin
        return t.load(name)

    op_GeneratorExp = op_ListComp

    def op_Call(self, node: gast.Call, target: str) -> Any:
        function = node.func
        if isinstance(function, gast.Attribute) and self.unit.lookup(function) is MISSING:
            function = t.attribute(self.atom(function.value), function.attr)
        elif not isinstance(function, gast.Name) and self.unit.lookup(function) is MISSING:
            function = self.atom(function, "function")
        args, keywords = [], []
        for k, item in enumerate(node.args):
            atom = self.op_Starred(item, target) if isinstance(item, gast.Starred) else self.argument(item)
            for later in (*node.args[k + 1:], *(kw.value for kw in node.keywords)):
                atom = self.pin(atom, later)
            args.append(atom)
        for item in node.keywords:
            keywords.append(gast.keyword(arg=item.arg, value=self.argument(item.value)))
        return gast.copy_location(gast.Call(func=function, args=args, keywords=keywords), node)

    def argument(self, node: Any) -> Any:
        """Arguments are atoms; constant tuples such as axis=(0, 1) stay as they are."""
        if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Attribute) and node.value.attr == "s_":
            return t.subscript(node.value, self.index(node.slice))      # np.s_[i:j] is an index, not a value
        return node if _constant_tuple(node) else self.atom(node)

    # --- tests

    def test(self, node: Any) -> Any:
        """A name (or constant) for the condition of an `if`, because the reverse sweep branches on it again."""
        negated = isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not)
        if negated and isinstance(node.operand, gast.Name):
            return self._named_test(node)
        if isinstance(node, (gast.Name, gast.Constant)):
            return node
        return self._named_test(node)

    def _named_test(self, node: Any) -> Any:
        name = self.unit.names.fresh("cond")
        if self.inert(node):
            self.out.append(t.assign(name, node, self.origin))
        else:
            self.assign(t.store(name), node)
        return t.load(name)

    def inert(self, node: Any) -> bool:
        """Whether a test or statement expression can stay whole: nothing in it binds or needs flattening."""
        for item in t.walk(node):
            if isinstance(item, (gast.NamedExpr, gast.ListComp, gast.GeneratorExp, gast.Lambda, gast.Await)):
                return False
            if isinstance(item, gast.Call) and getattr(self.unit.lookup(item.func), "object", 0) is None:
                return False                                # a lifted nested function has no object to call
        return True


def hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _boolean(node: Any) -> bool:
    return isinstance(node, gast.Compare) or (isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not)) or (
        isinstance(node, gast.BoolOp) and all(map(_boolean, node.values)))


def _negative(node: Any) -> bool:
    return (isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) and isinstance(node.operand, gast.Constant)
            and isinstance(node.operand.value, (int, float)))


def _constant_tuple(node: Any) -> bool:
    return isinstance(node, gast.Tuple) and all(
        isinstance(item, gast.Constant) or _negative(item) or _constant_tuple(item) for item in node.elts)


def flatten(unit: Unit) -> Unit:
    """Put the body into A-normal form."""
    unit.tree.body = Flatten(unit).block(unit.tree.body)
    return unit
