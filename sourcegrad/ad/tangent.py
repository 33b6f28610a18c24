"""The tangent of one assignment: what its right-hand side gives for the tangents of what it reads."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.adjoint import Division, counted
from sourcegrad.ad.call_pairs import changed_by
from sourcegrad.ad.kept_outside import check_kept
from sourcegrad.ad.substitute import Substitution
from sourcegrad.ad.sweeps import fit
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import differentiable, is_text, missing_rule, text
from sourcegrad.analysis.objects import class_of, find, held_name
from sourcegrad.errors import UnsupportedError, called_at
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.tree import OPERATORS
from sourcegrad.ir.unit import Function, Maker
from sourcegrad.parse.classes import Plain
from sourcegrad.parse.statements import Attempt
from sourcegrad.primitives.adjoint_kinds import type_name
from sourcegrad.primitives.core import JVPS, RULES, Rule, primitive_of

if TYPE_CHECKING:
    from sourcegrad.ad.forward import Forward

OUT = "out "                            # stands for the new value until it is known whether it needs a name of its own
BACK = "Use reverse mode (sg.grad, sg.vjp), or write it with other functions."


class Tangent:
    """The tangent of one assignment `name = value`.

    terms: their sum is the tangent. statements: come before it. instead: what takes the place of the assignment."""

    def __init__(self, forward: Forward, s: gast.Assign) -> None:
        self.f, self.s, self.name = forward, s, s.targets[0].id
        self.unit, self.origin = forward.unit, t.origin_of(s)
        self.kind = forward.facts.of(s.value)
        self.statements: list = []
        self.terms: list[gast.expr] = []
        self.instead: list = []
        forward.note(OUT, self.kind)
        self.covered = False                                 # whether the terms certainly have the shape of the value

    def kind_of(self, node: Any) -> k.Kind | None:
        return self.kind if t.is_name(node, OUT) else self.f.facts.of(node)

    @property
    def place(self) -> Any:
        return source.locate(self.s.value, self.origin)

    def finish(self) -> list:
        """The assignment and its tangent, in the order in which both read the right values."""
        if self.instead:
            return self.instead
        dot = self.f.dot(self.name)
        total = self.total() if self.terms else self.f.zero(t.load(self.name))
        new = [*self.statements, t.assign(dot, total, self.origin)]
        read = {n for s in t.statements(new) for n in t.header_reads(s)}
        if OUT not in read:
            if not self.terms:
                return [self.s, *new]
            changes = self.name in read or self.name not in self.f.assigned_once       # it may read what changes
            return [*new, self.s] if changes else [self.s, *new]
        if self.name not in read:
            return [self.s, *(t.rename(s, {OUT: self.name}) for s in new)]
        out = self.unit.names.fresh(f"{self.name}_new")
        return [t.assign(out, self.s.value, self.origin), *(t.rename(s, {OUT: out}) for s in new),
                t.assign(self.name, t.load(out), self.origin)]

    def total(self) -> gast.expr:
        total = self.terms[0]
        if self.f.propagate is not None:
            return total
        called = not isinstance(self.s.value, gast.BinOp)
        several = called and not isinstance(k.as_num(self.kind or k.ANY), k.Num)            # lists, perhaps
        for term in self.terms[1:]:
            if several:
                total = t.call(self.f.helper(runtime.add), total, term)
                continue
            positive = without_sign(term)
            total = t.binop(total, gast.Add(), term) if positive is None else t.binop(total, gast.Sub(), positive)
        have, want = self.f.facts.of(total), k.as_num(self.kind or k.ANY)
        if not isinstance(want, k.Num):
            return total
        have = k.as_num(have) if have is not None else k.ANY
        if not self.covered and not (want.is_scalar and isinstance(have, k.Num) and have.is_scalar) and not alike(have, want):
            total = t.call(self.f.helper(runtime.broadcast_like), total, t.load(OUT))
        if want.is_complex and not (isinstance(have, k.Num) and have.is_complex):
            total = t.binop(total, gast.Add(), t.const(0j))
        return total


def without_sign(term: Any) -> Any:
    """The term without the minus that it begins with; None if it begins with none."""
    if isinstance(term, gast.UnaryOp) and isinstance(term.op, gast.USub):
        return term.operand
    if isinstance(term, gast.BinOp) and isinstance(term.op, (gast.Mult, gast.Div)):
        left = without_sign(term.left)
        return None if left is None else t.binop(left, term.op, term.right)
    return None


def alike(have: Any, want: k.Num) -> bool:
    """Whether two arrays certainly have one shape."""
    return isinstance(have, k.Num) and have.dims is not None and want.dims is not None and len(have.dims) == len(want.dims) and all(
        a == b and a is not None for a, b in zip(have.dims, want.dims))


# --- right-hand sides

def push_forward(tangent: Tangent) -> None:
    """Collect the terms of the tangent of the right-hand side."""
    value, f = tangent.s.value, tangent.f
    tangent.covered = True
    if isinstance(value, gast.Name):
        tangent.terms.append(t.load(f.dot(value.id)))
    elif isinstance(value, (gast.Tuple, gast.List, gast.Dict)):
        tangent.terms.append(f.tangent_of(value))
    elif isinstance(value, gast.BinOp):
        operator_of(tangent, value)
    elif isinstance(value, gast.UnaryOp):
        primitive(tangent, OPERATORS[type(value.op)], [value.operand], {})
    elif isinstance(value, gast.Subscript):
        tangent.terms.append(t.subscript(f.tangent_of(value.value), t.clone(value.slice)))
    elif isinstance(value, gast.Attribute):
        attribute(tangent, value)
    elif isinstance(value, gast.Call):
        call(tangent, value)
    else:
        raise UnsupportedError("this expression, in forward mode", tangent.place, BACK)


def operator_of(tangent: Tangent, value: gast.BinOp) -> None:
    """x + y of numbers, or of lists."""
    kinds = [tangent.f.facts.of(x) for x in (value.left, value.right)]
    if not any(isinstance(kind, (k.Lst, k.Tup)) for kind in kinds):
        primitive(tangent, OPERATORS[type(value.op)], [value.left, value.right], {})
        return
    lists = [isinstance(kind, (k.Lst, k.Tup, k.Rest)) for kind in kinds]
    f = tangent.f
    if isinstance(value.op, gast.Add) and all(lists):
        tangent.terms.append(t.binop(f.tangent_of(value.left), gast.Add(), f.tangent_of(value.right)))
    elif isinstance(value.op, gast.Mult) and k.is_discrete((kinds[lists.index(False)] if False in lists else None) or k.ANY):
        parts = [f.tangent_of(x) if listed else t.clone(x) for x, listed in zip((value.left, value.right), lists)]
        tangent.terms.append(t.binop(parts[0], gast.Mult(), parts[1]))
    else:
        raise UnsupportedError("an operation between a list and what may be an array", tangent.place,
                               "Make an array of the list first: np.array(xs).")


def attribute(tangent: Tangent, value: gast.Attribute) -> None:
    """x.T of an array, or model.w of an object, whose tangent is an object with the same attributes."""
    owner: Any = tangent.f.facts.of(value.value)
    if isinstance(owner, k.Named) or class_of(owner) is not None and not isinstance(owner, k.OneOf) and k.of_attribute(
            owner, value.attr) is not None and not hasattr(owner.cls, value.attr):
        tangent.terms.append(t.attribute(tangent.f.tangent_of(value.value), value.attr))
    elif class_of(owner) is not None or isinstance(owner, k.OneOf):
        of_class(tangent, value, owner)
    elif owner is k.ANY and isinstance(value.value, gast.Name):
        at_run_time(tangent, t.call(tangent.f.helper(runtime.attribute), t.const(value.attr)), [value.value], {})
    elif f"attribute {value.attr}" in RULES and isinstance(k.as_num(owner or k.ANY), k.Num):
        tangent.terms.append(t.attribute(tangent.f.tangent_of(value.value), value.attr))      # each of them is linear
    else:
        raise UnsupportedError(f"the attribute '.{value.attr}' of a value that depends on the inputs, in forward mode",
                               tangent.place, "Pass the array itself as an argument.")


def of_class(tangent: Tangent, value: gast.Attribute, owner: Any) -> None:
    """An attribute that an object may have from its class, where it is constant."""
    if k.of_attribute(owner, value.attr) is None and find(owner, value.attr, tangent.unit).sort in ("unknown", "property"):
        raise UnsupportedError(f"the attribute '.{value.attr}' of a value that depends on the inputs", tangent.place,
                               f"A {type_name(owner)} is not known to have it: set it in __init__.")
    if k.of_attribute(owner, value.attr) is not None:
        tangent.terms.append(t.call(tangent.f.helper(runtime.attribute_tangent), tangent.f.tangent_of(value.value),
                                    t.const(value.attr), t.load(OUT)))


def call(tangent: Tangent, value: gast.Call) -> None:
    f, unit = tangent.f, tangent.unit
    target = call_targets.target_of(value, unit, f.facts.of)
    if target.plain is not None:
        constructed(tangent, value, target.plain, target.plain.bind(target.args, target.keywords))
    elif target.object is runtime.make_object or isinstance(target.object, Maker):
        kept = target.object is runtime.make_object                         # the class comes first
        args = [t.clone(a) if kept else f.tangent_of(a) for a in value.args]
        options = {kw.arg: f.tangent_of(kw.value) for kw in value.keywords}
        tangent.terms.append(t.call(t.clone(value.func), *args, **options))
    elif target.custom is not None:
        raise UnsupportedError(f"{target.custom.__name__}(), a custom_vjp, in forward mode", tangent.place, BACK)
    elif target.object in RULES:
        primitive(tangent, target.object, target.args, target.keywords, value)
    elif target.function is not None:
        user_call(tangent, value, target.function, target)
    elif target.object is runtime.call_unchanging:
        at_run_time(tangent, target.args[0], target.args[1:], target.keywords)
    elif target.object is None and isinstance(value.func, gast.Attribute):
        at_run_time(tangent, t.call(f.helper(runtime.method), t.const(value.func.attr)), [value.func.value, *target.args],
                    target.keywords)
    elif target.object is None:
        at_run_time(tangent, value.func, target.args, target.keywords)
    else:
        raise UnsupportedError(f"`{source.expression_text(value.func)}(...)`, in forward mode", tangent.place, BACK)


def constructed(tangent: Tangent, value: gast.Call, plain: Plain, bound: dict[str, Any]) -> None:
    """An object that holds its arguments as they are: so does its tangent, and zeros in the place of defaults."""
    f = tangent.f
    if any(not k.is_discrete(kind) for kind in plain.fixed.values()):                # numbers that are no arguments
        whole = t.call(f.helper(runtime.zero_tangent), t.load(OUT))
        for name, node in bound.items():
            if active_in(tangent, node):
                place = t.attribute(t.load(f.helper(runtime.at)), name)
                whole = t.call(f.helper(runtime.index_set), whole, place, f.tangent_of(node))
        tangent.terms.append(whole)
        return
    options = {kw.arg: f.tangent_of(kw.value) for kw in value.keywords}
    for name, kind in plain.parameters.items():
        if name not in bound:
            number = isinstance(k.as_num(kind or k.ANY), k.Num) and is_scalar(kind)
            options[name] = t.const(0.0) if number else t.call(f.helper(runtime.zero_tangent), t.attribute(t.load(OUT), name))
    tangent.terms.append(t.call(t.clone(value.func), *map(f.tangent_of, value.args), **options))


def at_run_time(tangent: Tangent, function: Any, arguments: list, keywords: dict[str, Any]) -> None:
    """A call of what is only known then: its forward variant is found, or made, when the code runs."""
    f, unit = tangent.f, tangent.unit
    every = [(0, function), *enumerate(arguments, start=1), *keywords.items()]
    moving = [(where, node) for where, node in every if any(n in f.varied for n in t.reads(node)) and not k.is_discrete(
        f.facts.of(node) or k.ANY)]
    dots = [f.tangent_of(node) for _, node in moving]
    if moving[0][0] == 0:
        dots[0] = t.call(f.helper(runtime.callee), dots[0])
    new = t.call(f.helper(runtime.call_jvp), t.pack([t.const(where) for where, _ in moving]), t.pack([*map(t.const, keywords)]),
                 *map(t.clone, (function, *arguments, *keywords.values())), *dots)
    tangent.instead = [t.unpack([tangent.name, f.dot(tangent.name)], gast.copy_location(new, tangent.s.value), tangent.origin)]
    unit.unset.discard(f.dot(tangent.name))


def user_call(tangent: Tangent, value: gast.Call, function: Function, target: call_targets.Target) -> None:
    """A call of a user's function becomes a call of its forward variant, which also gives the tangent."""
    f = tangent.f
    try:
        bound = call_targets.bind(function, target, tangent.unit)
    except TypeError as problem:
        raise UnsupportedError(str(problem), tangent.place) from None
    kinds = {name: f.facts.of(node) for name, node in bound.items()}
    active = tuple(name for name, node in bound.items()
                   if any(n in f.varied for n in t.reads(node)) and not k.is_discrete(kinds[name] or k.ANY))
    if active and not tangent.unit.function.pure:
        check_kept(tangent.unit.function, value, function, tangent.origin)
    with called_at(tangent.place):
        variant = f.variant(function, kinds, active)
    arguments = [*(t.clone(node) for node in bound.values()), *(f.tangent_of(bound[name]) for name in active)]
    if isinstance(target.object, Attempt):
        if any(isinstance(kind, k.State) for kind in kinds.values()):
            raise UnsupportedError("objects that others hold, in a `try` in forward mode", tangent.place, BACK)
        attempt(tangent, target.object.of(variant, 1), arguments)
        return
    new = t.call(tangent.unit.use(variant, variant.__name__), *arguments)
    tangent.instead = [t.unpack([tangent.name, f.dot(tangent.name)], gast.copy_location(new, value), tangent.origin)]


def attempt(tangent: Tangent, tried: Attempt, arguments: list) -> None:
    """What the body of a `try` gives is (path, error, value), and here its tangent, which comes last: None after an exception."""
    unit, dot = tangent.unit, tangent.f.dot(tangent.name)
    whole = unit.names.fresh("outcome")
    parts = [unit.names.fresh(n) for n in ("path", "error", "given", *["given_saved"] * (tried.depth - 1), "given_dot")]
    unit.unset.update(parts[2:])
    call = t.call(unit.use(tried, unit.names.fresh("attempt")), *arguments)
    moved: list[gast.expr] = []                              # tangents of what is given, and of what each half saves besides
    inner: gast.expr = t.load(parts[-1])
    for _ in range(tried.depth - 1):
        moved.insert(0, t.subscript(t.clone(inner), t.const(1)))
        inner = t.subscript(inner, t.const(0))
    values = [t.load(n) for n in parts[:-1]]
    new = [t.assign(dot, t.pack([t.const(0.0), t.load(parts[1]), inner, *moved]), tangent.origin)]
    if moved:
        test = gast.Compare(left=t.load(parts[0]), ops=[gast.Eq()], comparators=[t.const(0)])
        none = t.pack([t.const(0.0), t.load(parts[1]), *(t.const(None) for _ in parts[2:-1])])
        new = [t.if_(test, new, [t.assign(dot, none, tangent.origin)], tangent.origin)]
    tangent.instead = [t.assign(whole, call, tangent.origin), t.unpack(parts, t.load(whole), tangent.origin),
                       t.assign(tangent.name, t.pack(values), tangent.origin), *new]


# --- functions with a rule

def primitive(tangent: Tangent, function: Any, args: list, keywords: dict, node: Any = None) -> None:
    """Add the terms of a call of a function that has a rule."""
    node = node or tangent.s.value
    if primitive_of(function).state:
        of_state(tangent, function, args)
        return
    if tangent.f.propagate is not None:
        tangent.f.propagate(tangent, function, args, keywords)
        return
    if function in (operator.mul, np.multiply) and len(args) == 2 and t.is_name(args[0]) and t.same(args[0], args[1]):
        function, args = np.square, args[:1]               # one term instead of two equal ones
    rule = RULES.get(function)
    if rule is None:
        raise missing_rule(f"`{source.expression_text(node)}`", "x, y", tangent.place)
    try:
        bound = call_targets.bind_rule(rule, call_targets.Target(function, args, keywords))
    except TypeError as problem:
        name = source.expression_text(node.func) if isinstance(node, gast.Call) else rule.name
        raise UnsupportedError(f"this form of {name} has no derivative rule: {problem}", tangent.place,
                               f"The rule takes ({', '.join(rule.parameters)}).") from None
    if primitive_of(function).again is not None:
        tangent.s = counted(tangent.s, function, tangent.unit)
    way = primitive_of(function).tangent
    if rule.by_user:
        check_own_rule(tangent, rule, bound)
    unknown = function in (max, min) and len(args) == 1 and tangent.f.facts.of(args[0]) in (None, k.ANY)     # which has no items
    if function in (operator.truediv, np.divide, np.linalg.solve) and not tangent.f.guarding and (
            divided(tangent, function, args, keywords)):
        return
    if function in JVPS and not unknown and by_rule(tangent, JVPS[function], bound):
        return
    if way is not None and not by_layout(function, bound):
        by_linearity(tangent, rule, function, bound, node, way == "multilinear")
    elif rule.elementwise and not isinstance(tangent.kind, k.Tup) and (
            not rule.by_user or all(map(is_real, map(tangent.f.facts.of, bound.values())))):
        by_rule(tangent, rule, bound)
    else:
        by_transposition(tangent, rule, function, bound)


def of_state(tangent: Tangent, function: Any, args: list) -> None:
    """What reads or changes the state of objects: the tangent of the state is a table of those of what objects hold, by their
    identity, from which what is missing is zero."""
    f, known = tangent.f, primitive_of(function)
    moving = differentiable(RULES[function]) if function in RULES else frozenset()
    dots = None if isinstance(args[0], gast.Starred) else f.tangent_of(args[0])
    if dots is None or function is runtime.enter_places or not moving:
        raise UnsupportedError("an object that others hold, in forward mode", tangent.place, BACK)
    if known.tangent == "linear":                            # of a table of adjoints or tangents, and of what is put there
        call = of_table(tangent, function, dots, args, len(moving) > 1)
    elif function is runtime.place_move:
        call = t.call(f.helper(runtime.bars_move), dots, *map(t.clone, args[1:]))
    elif function is runtime.array_fill:
        part = f.tangent_of(args[2]) if f.is_active(args[2]) else t.const(0.0)
        call = t.call(f.helper(runtime.place_begin), dots, t.clone(args[1]), part)
    elif function is runtime.view_fill and isinstance(args[3], gast.Constant) and args[3].value in runtime.ORDERED:
        call = t.call(f.helper(runtime.view_begin), dots, *map(t.clone, args[1:3]))
    elif known.state == "changes" and known.puts:
        call = of_table(tangent, runtime.place_put, dots, args, not still(tangent, *args[:3]) or f.is_active(args[3]))
    elif known.state == "changes" and moving == {"memory"}:
        call = dots
    elif known.state == "reads" and moving == {"memory"}:
        like = t.const(0.0) if is_float(tangent.kind) else t.load(OUT)
        call = t.call(f.helper(runtime.place_dot), dots, *map(t.clone, args[1:3]), like)
    else:
        raise UnsupportedError("an object that others hold, in forward mode", tangent.place, BACK)
    tangent.terms.append(call)


def of_table(tangent: Tangent, function: Any, dots: Any, args: list, puts: bool) -> Any:
    """What becomes of a table of tangents. puts: whether something is put there or added, the last argument."""
    f = tangent.f
    if not puts:
        return t.call(f.helper(function), dots, *map(t.clone, args[1:])) if function is not runtime.place_put else dots
    if f.is_active(args[-1]):
        return t.call(f.helper(function), dots, *map(t.clone, args[1:-1]), f.tangent_of(args[-1]))
    if function is runtime.place_begin:
        return t.call(f.helper(function), dots, t.clone(args[1]), t.const(0.0))
    return t.call(f.helper(runtime.place_drop), dots, *map(t.clone, args[1:3])) if function is runtime.place_put else dots


def still(tangent: Tangent, memory: Any, place: Any, name: Any) -> bool:
    """Whether what an attribute or the items of a list hold never depends on the inputs."""
    facts, varying = tangent.f.facts, tangent.f.activity.attributes
    owner = facts.of(place) or k.ANY
    of_memory = facts.of(memory)
    held = k.held_unless_none(of_memory, owner, held_name(owner, name)) if isinstance(of_memory, k.State) else None
    return held is not None and k.is_discrete(held) or varying is not None and k.holds_attributes(owner) and (
        text(name) not in {*varying, None})


def is_float(kind: Any) -> bool:
    """Whether a value is certainly a real number that zero may stand for."""
    return isinstance(kind, k.Num) and kind.is_scalar and kind.is_complex is False and kind.dtype in ("pyfloat", "float64")


def divided(tangent: Tangent, function: Any, args: list, keywords: dict) -> bool:
    """The quotient rule, where both operands depend on the inputs: (x_dot - out * y_dot) / y, and solve(A, b_dot - A_dot @ out)"""
    f = tangent.f
    if keywords or not all(map(f.is_active, args)) or t.same(*args) or not all(
            isinstance(k.as_num(f.facts.of(x) or k.ANY), k.Num) for x in args):
        return False
    if function is np.linalg.solve:
        ranks = [number.ndim for x in args if isinstance(number := k.as_num(f.facts.of(x) or k.ANY), k.Num)]
        if ranks[0] != 2 or ranks[1] not in (1, 2):
            return False
        less = t.binop(f.tangent_of(args[0]), gast.MatMult(), t.load(OUT))
        right = t.binop(f.tangent_of(args[1]), gast.Sub(), less)
        tangent.terms.append(t.call(t.clone(tangent.s.value.func), t.clone(args[0]), right))
        return True
    less = t.binop(t.load(OUT), gast.Mult(), f.tangent_of(args[1]))
    tangent.terms.append(t.binop(t.binop(f.tangent_of(args[0]), gast.Sub(), less), gast.Div(), t.clone(args[1])))
    return True


def by_layout(function: Any, bound: dict) -> bool:
    """Whether a call reads elements in the order of memory, in which a tangent may lie otherwise than its value."""
    order = bound.get("order")
    return order is not None and function in (np.ravel, np.reshape, "method flatten") and not (
        isinstance(order, gast.Constant) and order.value in ("C", "F"))


def check_own_rule(tangent: Tangent, rule: Rule, bound: dict) -> None:
    """Refuse a rule of the user's whose text cannot be put in place."""
    kinds = {"ct": tangent.kind or k.ANY, "out": tangent.kind or k.ANY}
    kinds.update({name: tangent.f.facts.of(node) or k.ANY for name, node in bound.items() if not isinstance(node, tuple)})
    if not is_text(rule) or len(kinds) < len(bound) + 2 or changed_by(rule.function, kinds, tangent.f.prepare) != []:
        raise UnsupportedError(f"{source.expression_text(tangent.s.value)}, whose rule {rule.name}() is called, in forward mode",
                               tangent.place, BACK)


def is_real(kind: Any) -> bool:
    number = k.as_num(kind or k.ANY)
    return isinstance(number, k.Num) and number.is_complex is False


def active_in(tangent: Tangent, node: Any) -> bool:
    items = node if isinstance(node, tuple) else node.elts if isinstance(node, (gast.Tuple, gast.List)) else [node]
    return any(tangent.f.is_active(item) if not isinstance(item, (gast.Tuple, gast.List)) else active_in(tangent, item)
               for item in items)


def by_rule(tangent: Tangent, rule: Rule, bound: dict) -> bool:
    """The text of a rule with the tangent of one argument after the other in the place of the cotangent; False if it says nothing.

    The Jacobian of an elementwise function is diagonal, so what its rule says of the cotangent holds of the tangent; only the
    conjugations, by which the cotangent of complex numbers differs, are left out."""
    f, found, itself = tangent.f, [], rule not in JVPS.values()
    for name, position, node in leading(tangent, rule, bound):
        given = f.tangent_of(node)
        if sequence(tangent, rule, node):
            given = t.call(f.numpy("asarray"), given)        # as NumPy takes it: a list times 2 would be another thing
        if not isinstance(given, gast.Name):
            part = tangent.unit.names.fresh("part_dot")
            tangent.statements.append(t.assign(part, given, tangent.origin))
            given = t.load(part)
        substitution = Substitution(rule, tangent.unit, bound, given.id, OUT, tangent.kind_of, tangent.origin, itself)
        statements, terms = substitution.run()
        if any(t.is_name(node, "NotImplemented") for x in (*statements, *filter(None, terms)) for node in t.walk(x)):
            return False
        term = item_of(dict(zip(rule.parameters, terms)).get(name), position)
        if term is not None and f.guarding and rule.singular:
            if any(primitive_of(primitive).branch_points for primitive in rule.primitives):     # (it is finite there itself)
                division = Division(f.helper(runtime.quotient))
                statements, term = [division.visit(s) for s in statements], division.visit(term)
            zero = t.clone(given) if rule.elementwise else t.call(f.numpy("sum"), t.call(f.numpy("abs"), t.clone(given)))
            term = t.call(f.helper(runtime.guard), zero, term)       # (what sums up has another shape than its tangent)
        if term is not None:
            found.append((statements, term))
    for statements, term in found:
        check_refused(tangent, term)
        for s in needed(statements, term):
            tangent.statements.append(s)
            if isinstance(s, gast.Assign) and t.is_name(s.targets[0]):
                f.note(s.targets[0].id, f.facts.of(s.value))
                tangent.unit.tangents[s.targets[0].id] = tangent.name
        tangent.terms.append(term)
    if rule.elementwise:
        read = {n for term in tangent.terms for n in t.reads(term)}
        for s in reversed(tangent.statements):
            read |= {n for x in t.statements([s]) for n in t.header_reads(x)} if set(t.writes(s)) & read else set()
        operands = [node for node in bound.values() if isinstance(node, gast.Name)]
        tangent.covered = OUT in read or all(
            node.id in read or node.id in f.dots and f.dots[node.id] in read or is_scalar(f.facts.of(node)) for node in operands)
    return True


def sequence(tangent: Tangent, rule: Rule, node: Any) -> bool:
    """Whether a function of NumPy takes a list or tuple as an array, or what may be one."""
    kind = tangent.f.facts.of(node)
    called = not isinstance(tangent.s.value, (gast.BinOp, gast.UnaryOp))
    listed = isinstance(kind, (k.Lst, k.Tup)) or kind in (None, k.ANY) and called
    return listed and rule.function.__module__.rpartition(".")[2] not in {"scalar", "contractions", *OF_CONTAINERS}


def leading(tangent: Tangent, rule: Rule, bound: dict) -> list[tuple[str, int | None, Any]]:
    """The active operands of a rule: parameter, position where it takes any number of them, and expression."""
    found = [(name, None if node is bound[name] else j, node) for name in rule.parameters if name in bound
             for j, node in enumerate(parts(bound[name]))]
    return [item for item in found if active_in(tangent, item[2])]


def item_of(contribution: Any, position: int | None) -> Any:
    """What a rule gives for one of the operands that it takes any number of."""
    if contribution is None or position is None:
        return contribution
    if isinstance(contribution, gast.List):
        return contribution.elts[position] if contribution.elts else None
    return t.subscript(t.clone(contribution), t.const(position))


def check_refused(tangent: Tangent, term: Any) -> None:
    """Raise what a rule says it refuses; what it says by names is raised where it is computed."""
    if isinstance(term, gast.Call) and tangent.unit.lookup(term.func) is runtime.refuse and all(
            isinstance(part, gast.Constant) for part in term.args):
        message, remedy = (part.value for part in term.args)
        raise UnsupportedError(message, tangent.place, remedy)


def needed(statements: list, term: Any) -> list:
    """The statements that a term needs."""
    read, kept = set(t.reads(term)), list[Any]()
    for s in reversed(statements):
        written = {n for x in t.statements([s]) for n in t.writes(x)}
        if written & read:
            read |= {n for x in t.statements([s]) for n in t.header_reads(x)}
            kept.insert(0, s)
    return kept


def is_scalar(kind: Any) -> bool:
    number = k.as_num(kind or k.ANY)
    return isinstance(kind, k.Const) or isinstance(number, k.Num) and number.is_scalar


def by_linearity(tangent: Tangent, rule: Rule, function: Any, bound: dict, node: Any, several: bool) -> None:
    """A function that is linear in its arguments, of their tangents; several: in each of them by itself."""
    f = tangent.f
    moving = [name for name, value in bound.items() if name in differentiable(rule)]
    active = [name for name in moving if active_in(tangent, bound[name])]
    if not several:
        tangent.covered = function is not np.where or len(active) == len(moving)
        tangent.terms.append(applied(tangent, function, node, {id(x): f.tangent_of(x) if active_in(tangent, x) else zero_operand(
            tangent, function, x, bound) for name in moving for x in parts(bound[name])}))
        return
    for name in active:
        for x in parts(bound[name]):
            if active_in(tangent, x):
                tangent.terms.append(applied(tangent, function, node, {id(x): f.tangent_of(x)}))


def parts(value: Any) -> tuple:
    return value if isinstance(value, tuple) else (value,)


def zero_operand(tangent: Tangent, function: Any, node: Any, bound: dict) -> gast.expr:
    """What stands for an operand without tangent in a linear function: a number, where that is as good as an array."""
    kinds = [tangent.f.facts.of(x) for value in bound.values() for x in parts(value) if active_in(tangent, x)]
    wide = function in (np.where, runtime.index_set, runtime.index_add) and isinstance(
        k.as_num(tangent.f.facts.of(node) or k.ANY), k.Num) and all(isinstance(k.as_num(x or k.ANY), k.Num) for x in kinds)
    first = next(iter(bound.values()))
    return t.const(0.0) if wide and (function is np.where or node is not first) else tangent.f.zero(node)


def applied(tangent: Tangent, function: Any, node: Any, new: dict[int, gast.expr]) -> gast.expr:
    """The operation with other operands in the place of some; without what it only adds."""
    dropped = primitive_of(function).adds

    def visit(x: Any) -> Any:
        return new[id(x)] if id(x) in new else t.clone(x)

    if isinstance(node, gast.BinOp):
        return t.binop(visit(node.left), node.op, visit(node.right))
    if isinstance(node, gast.UnaryOp):
        return gast.UnaryOp(op=node.op, operand=visit(node.operand))
    made = gast.Call(func=t.clone(node.func), args=[starred(a, visit) for a in node.args],
                     keywords=[t.keyword(kw.arg, visit(kw.value)) for kw in node.keywords if kw.arg not in dropped])
    if isinstance(node.func, gast.Attribute) and id(node.func.value) in new:                        # x.reshape(...)
        made.func = t.attribute(new[id(node.func.value)], node.func.attr)
    return made


def starred(node: Any, visit: Any) -> Any:
    return t.starred(visit(node.value)) if isinstance(node, gast.Starred) else visit(node)


def by_transposition(tangent: Tangent, rule: Rule, function: Any, bound: dict) -> None:
    """The Jacobian is the transpose of what the rule computes, which is linear in the cotangent: the reverse half of its text.

    It holds of any rule whose values are numbers and arrays, or lists and tuples of them."""
    f, unit = tangent.f, tangent.unit
    name = source.expression_text(tangent.s.value)
    flat = [x for value in bound.values() for x in parts(value) if active_in(tangent, x)]
    numbers = rule.function.__module__.rpartition(".")[2] not in OF_CONTAINERS
    if not numbers and not all(map(numeric, [tangent.kind, *map(f.facts.of, flat)])):
        raise UnsupportedError(f"`{name}`, which has no rule for tangents", tangent.place, BACK)
    inner = unit.copy()
    inner.names = unit.names
    ct = unit.names.fresh("ct")
    substitution = Substitution(rule, inner, bound, ct, OUT, tangent.kind_of, tangent.origin)
    body, found = substitution.run()
    by_name = dict(zip(rule.parameters, found))
    wanted = [(node, item_of(by_name.get(name), position)) for name, position, node in leading(tangent, rule, bound)]
    wanted = [(node, part) for node, part in wanted if part is not None]
    for _, part in wanted:
        check_refused(tangent, part)
    results = [fit(part, node, f.facts.of(node) or k.ANY, tangent.kind or k.ANY, rule.elementwise, inner) for node, part in wanted]
    body.append(t.return_(results[0] if len(results) == 1 else t.pack(results), tangent.origin))
    if not wanted:
        return
    local = {n for s in t.statements(body) for n in t.writes(s)}
    free = [n for n in dict.fromkeys(n for s in t.statements(body) for n in t.header_reads(s))
            if n not in local and n not in inner.env and n != ct and (n == OUT or n in f.facts.kinds)]
    out = unit.names.fresh("out")
    body = [t.rename(s, {OUT: out}) for s in body]
    names = [ct, *(out if n == OUT else n for n in free)]
    transposed = f.transpose(f"{rule.name}_rule", names, body, {
        ct: k.as_num(tangent.kind or k.ANY), **{out if n == OUT else n: tangent.kind_of(t.load(n)) or k.ANY for n in free}}, inner)
    saved = unit.names.fresh("saved")
    zero = t.call(f.helper(runtime.zeros_like), t.load(OUT))
    forward = t.call(unit.use(transposed.forward, transposed.forward.__name__), zero, *(t.load(n) for n in free))
    tangent.statements.append(t.assign(saved, t.subscript(forward, t.const(1)), tangent.origin))
    seeds = [f.tangent_of(node) for node, _ in wanted]
    tangent.terms.append(t.call(unit.use(transposed.reverse, transposed.reverse.__name__), t.load(saved),
                                seeds[0] if len(seeds) == 1 else t.pack(seeds)))


OF_CONTAINERS = {"adjoints", "containers", "dicts", "lists", "objects", "places"}   # rules whose adjoints have a structure


def numeric(kind: Any) -> bool:
    """Whether values of a kind are numbers and arrays, or lists and tuples of them."""
    if isinstance(kind, (k.Tup, k.Lst)):
        inner = kind.items if isinstance(kind, k.Tup) else [kind.item]
        return type(kind) in (k.Tup, k.Lst) and all(map(numeric, inner))
    return isinstance(k.as_num(kind or k.ANY), k.Num)
