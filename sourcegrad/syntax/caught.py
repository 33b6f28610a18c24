"""Exceptions as results: a function that is tried gives `(path, error, value)`, and no exception passes through it.

    def withdraw(account, v):                   def withdraw(account, v):
        if account["balance"] < v:                  if account["balance"] < v:
            raise Overdrawn                             return 1, raised(Overdrawn), None
        account["balance"] -= v                     account["balance"] -= v
                                                    return 0, None, None

So what was changed before the exception stays changed, and the reverse sweep takes the same path back. path: 0, or the number of
the handler that catches it (`Function.caught`). This is for bodies of `try` that change what others hold; others stay `try`.
A tried call of a function gives such a tuple, too, and ends this one where it raised. What an operation raises by itself
(a missing key, a position that is none, a division by 0) is asked for before; any other that may be caught is refused."""
from __future__ import annotations

import builtins
import operator
import types
from collections.abc import Iterable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.objects import CAUGHT, class_of
from sourcegrad.errors import SourceError, UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import INPLACE_OF, hashable
from sourcegrad.ir.unit import MEMORY, Function, Unit
from sourcegrad.parse.resolve import describe
from sourcegrad.parse.statements import Attempt
from sourcegrad.primitives.core import of_user, primitive_of
from sourcegrad.syntax.anf import Flatten
from sourcegrad.syntax.single_exit import Exits

BUILT_IN = frozenset(name for cls in (np.ndarray, list, dict, set, str, float, int, tuple) for name in dir(cls))
MISSING_ITEMS, NO_NUMBER = (KeyError, IndexError), (ZeroDivisionError,)


def caught(unit: Unit) -> Unit:
    """The unit of a function whose exceptions are results; any other as it is."""
    if unit.function.caught:
        state = _Caught(unit)
        body = state.block(unit.tree.body)
        exits = Exits(unit)
        new, _ = exits.block(body, None)
        origin = t.origin_of(unit.tree)
        result = exits.result or unit.names.fresh("result")
        flags = [t.assign(exits.returned, t.const(False), origin)] if exits.returned else []
        unit.tree.body = t.rewritten([*flags, *new, t.return_(t.load(result), t.origin_of(unit.tree.body[-1]))], state.named_test)
    return unit


def handler_of(raised: Any, exceptions: tuple) -> int:
    """The number of the handler that catches an exception of a class, 0 if none does."""
    return next((number for number, classes in enumerate(exceptions, 1) if issubclass(raised, classes)), 0)


def results_of(function: Function, tree: Any = None) -> list[str]:
    """The names whose values the block of a `try` gives. tree: the function as it is by now."""
    body = (tree or function.tree).body
    last = body[-1].value
    if not function.flat or not isinstance(last, gast.Name):
        return []
    made = body[-2].value if len(body) > 1 and last.id in t.writes(body[-2]) else None
    return [x.id for x in made.elts if isinstance(x, gast.Name)] if isinstance(made, gast.Tuple) else [last.id]


def may_raise(function: Function, exceptions: tuple, seen: set | None = None) -> bool:
    """Whether a function may end with one of some exceptions, as far as its text tells; so may what is not known."""
    seen = set() if seen is None else seen
    if function in seen or function.pure:
        return False
    seen.add(function)
    for node in t.walk(function.tree):
        if isinstance(node, gast.Raise):
            cls = class_raised(node.exc, function.scope.lookup) if node.exc is not None else None
            if cls is None or handler_of(cls, exceptions):
                return True
        elif isinstance(node, gast.Assert) and handler_of(AssertionError, exceptions):
            return True
        elif isinstance(node, (gast.BinOp, gast.Subscript)) and any(handler_of(cls, exceptions) for cls in implicit(node)):
            return True
        elif isinstance(node, gast.Call):
            if isinstance(node.func, gast.Attribute) and root_of(node.func) not in function.local:
                continue                                    # of a module: `np.sum`
            if isinstance(node.func, gast.Attribute) and node.func.attr in BUILT_IN - methods_of(function.scope.globals.values()):
                if node.func.attr in ("pop", "remove", "index") and any(handler_of(cls, exceptions) for cls in MISSING_ITEMS):
                    return True
                continue
            value = function.scope.lookup(node.func.id) if t.is_name(node.func) else MISSING
            value = getattr(builtins, node.func.id, MISSING) if value is MISSING and t.is_name(node.func) else value
            other = value.function if isinstance(value, Attempt) else user_function(value)
            if may_raise(other, exceptions, seen) if other is not None else value is MISSING or isinstance(value, type) and of_user(
                    value):
                return True
    return False


def methods_of(values: Iterable) -> frozenset[str]:
    """The names in the classes of the user's among some values."""
    bases = {base for cls in values if isinstance(cls, type) and of_user(cls) for base in cls.__mro__} - {object}
    return frozenset(name for base in bases for name in vars(base))


def root_of(node: Any) -> str:
    while isinstance(node, gast.Attribute):
        node = node.value
    return node.id if isinstance(node, gast.Name) else ""


def implicit(node: Any) -> tuple:
    """The exceptions that an operation raises by itself, where its operands have the right types."""
    if isinstance(node, gast.Subscript):
        return () if isinstance(node.slice, gast.Slice) else MISSING_ITEMS
    return NO_NUMBER if isinstance(getattr(node, "op", None), (gast.Div, gast.FloorDiv, gast.Mod, gast.Pow)) else ()


def user_function(value: Any) -> Function | None:
    """A function of the user's that a name means, and that can be read."""
    if isinstance(value, Function):
        return value
    if not isinstance(value, types.FunctionType) or not of_user(value):
        return None
    try:
        return describe(value)
    except SourceError:
        return None


def class_raised(node: Any, lookup: Any) -> Any:
    """The class of the exception that a `raise` names; None: it is not known."""
    node = node.func if isinstance(node, gast.Call) else node
    if not isinstance(node, gast.Name):
        return None
    value = lookup(node.id)
    value = getattr(builtins, node.id, MISSING) if value is MISSING else value
    return value if isinstance(value, type) and issubclass(value, BaseException) else None


def enumerable(exceptions: tuple) -> bool:
    """Whether all operations are known that raise one of some exceptions: those of the user's, and what is asked for before."""
    return all(issubclass(cls, (*MISSING_ITEMS, *NO_NUMBER)) or cls is LookupError or of_user(cls) and not issubclass(cls, COMMON)
               for classes in exceptions if not isinstance(classes, Always) for cls in classes)


class Replaced(t.Transformer):
    """A name in the place of an expression."""

    def __init__(self, node: Any, name: str) -> None:
        self.node, self.name = node, name

    def visit_Subscript(self, node: Any) -> Any:
        return t.load(self.name) if node is self.node else self.generic_visit(node)

    def visit_BinOp(self, node: Any) -> Any:
        return t.load(self.name) if node is self.node else self.generic_visit(node)


class Always(tuple):
    """The exceptions of a `finally`: what it catches goes on."""


class _Caught:
    def __init__(self, unit: Unit) -> None:
        self.unit, self.exceptions = unit, unit.function.caught
        self.results = results_of(unit.function, unit.tree)
        inside = list(t.statements(unit.tree.body))
        self.looped = {n for s in inside if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call)
                       and unit.lookup(s.value.func) is runtime.sequence for n in t.writes(s)}
        self.counters = {s.target.id for s in inside if isinstance(s, gast.For)}
        self.methods = methods_of((*unit.function.scope.globals.values(), *unit.env.values()))

    def block(self, block: list) -> list:
        result: list = []
        for s in block:
            t.map_blocks(s, self.block)
            result += self.statement(s)
        return result

    def statement(self, s: Any) -> list:
        origin = t.origin_of(s)
        value: Any = getattr(s, "value", None)
        if isinstance(s, gast.Return):
            return [t.return_(t.pack([t.const(0), t.const(None), value or t.const(None)]), origin)]
        if isinstance(s, gast.Raise):
            return self.raised(s)
        if isinstance(s, gast.Assert) and handler_of(AssertionError, self.exceptions):
            raise self.refused("an `assert`", s)
        inner = self.inside(value)
        if inner:
            return self.parted(s, inner)
        if isinstance(value, gast.Call):
            return self.call(s, value)
        found = [cls for cls in implicit(value) if self.catches(cls)]
        if not found:
            return [s]
        if isinstance(value, gast.BinOp) and isinstance(value.op, gast.Pow):
            return self.power(s, value.right)
        if isinstance(value, gast.Subscript) and t.is_name(value.value) and value.value.id in self.looped and t.is_name(
                value.slice) and value.slice.id in self.counters:
            return [s]                                      # what a loop takes is there
        if isinstance(value, gast.Subscript):
            return [*self.asked(runtime.has_item, [value.value, value.slice], found, s), s]
        return [*self.asked(runtime.is_divided, [value.left, value.right], found, s), s]

    def inside(self, value: Any) -> list:
        """The operations inside an expression (a test, say) that may raise what is caught."""
        place = value.args[1] if isinstance(value, gast.Call) and self.unit.lookup(value.func) in (
            runtime.index_store, runtime.index_update) else None
        return [node for node in t.walk(value) if node is not value and node is not place and any(
            map(self.catches, implicit(node)))] if isinstance(value, gast.AST) else []

    def parted(self, s: Any, inner: list) -> list:
        """A statement whose operations that may raise something stand before it."""
        if any(isinstance(node, (gast.BoolOp, gast.IfExp)) for node in t.walk(s.value)):
            raise self.refused("what is computed only sometimes, and may raise an exception that is caught,", s)
        new: list = []
        for node in reversed(inner):                        # what is inside others comes first
            name = self.unit.names.fresh("part")
            new += self.statement(t.assign(name, t.clone(node), t.origin_of(s)))
            Replaced(node, name).visit(s)
        return [*new, *self.statement(s)]

    def power(self, s: Any, exponent: Any) -> list:
        """`x ** n`, which raises something only if n is negative."""
        if not isinstance(exponent, gast.Constant) or not isinstance(exponent.value, (int, float)) or exponent.value < 0:
            raise self.refused("a power, of which it is not known whether it divides by 0,", s)
        return [s]

    def catches(self, cls: type) -> bool:
        """Whether somebody sees that such an exception was raised: a `finally` hands it on."""
        return any(issubclass(cls, classes) for classes in self.exceptions if not isinstance(classes, Always))

    def asked(self, question: Any, operands: list, found: list, s: Any) -> list:
        """Leave with an exception where something is not there."""
        origin, numbers = t.origin_of(s), {handler_of(cls, self.exceptions) for cls in found}
        if any(not isinstance(x, (gast.Name, gast.Constant, gast.UnaryOp)) for x in operands):
            raise self.refused("this operation", s)
        there = self.unit.names.fresh("there")
        ask = t.call(self.unit.use(question, question.__name__), *map(t.clone, operands))
        error, path = self.unit.names.fresh("error"), self.unit.names.fresh("path")
        if len(numbers) > 1:                                # whether it is a dict or a list is not known yet
            made = t.call(self.unit.use(runtime.lookup_error, "lookup_error"), t.clone(operands[0]))
            new = [t.assign(error, made, origin), t.assign(path, self.handler(error), origin),
                   *self.returned(t.load(path), t.load(error), origin)]
        else:
            made = t.call(self.unit.use(runtime.raised, "raised"), t.load(self.unit.use(found[0], found[0].__name__)))
            new = [t.assign(error, made, origin), *self.returned(t.const(numbers.pop()), t.load(error), origin)]
        return [t.assign(there, ask, origin), t.if_(t.load(there), [], new, origin)]

    def handler(self, error: str) -> gast.Call:
        """The number of the handler of an exception of which the class is known when it runs."""
        classes = [x for number, several in enumerate(self.exceptions, 1) for cls in several
                   for x in (t.const(number), t.load(self.unit.use(cls, cls.__name__)))]
        return t.call(self.unit.use(runtime.handler_number, "handler_number"), t.load(error), *classes)

    def returned(self, path: Any, error: Any, origin: Any) -> list:
        """Leave with an exception, and no value, or (the block of a `try`) what the names have by then that somebody sees."""
        fresh, parameters = self.unit.names.fresh, self.unit.parameters
        value = fresh("value")
        nothing = t.call(self.unit.use(runtime.nothing, "nothing"), t.const(None))
        if not any(name in parameters for name in self.results):
            return [t.assign(value, nothing, origin), t.return_(t.pack([path, error, t.load(value)]), origin)]
        items = [name if name in parameters else fresh("value") for name in self.results]
        new: list = [t.assign(item, t.clone(nothing), origin) for item, name in zip(items, self.results) if item != name]
        found: gast.expr = t.load(items[0]) if len(items) == 1 else t.pack(list(map(t.load, items)))
        return [*new, t.assign(value, found, origin), t.return_(t.pack([path, error, t.load(value)]), origin)]

    def raised(self, s: gast.Raise) -> list:
        """`raise E`, where the class is known, is a result or stays."""
        origin = t.origin_of(s)
        cls = class_raised(s.exc, lambda name: self.unit.env.get(name, self.unit.function.scope.lookup(name)))
        if cls is None and isinstance(s.exc, gast.Name):
            return self.raised_again(s)
        if cls is None:
            raise self.refused("raising an exception of which the class is not known", s)
        number = handler_of(cls, self.exceptions)
        if not number:
            return [s]
        arguments = s.exc.args if isinstance(s.exc, gast.Call) else []
        if isinstance(s.exc, gast.Call) and s.exc.keywords:
            raise self.refused("keywords of an exception", s)
        error = self.unit.names.fresh("error")
        name = self.unit.use(cls, cls.__name__)
        flat = Flatten(self.unit)
        flat.origin = origin
        atoms = [flat.atom(argument, "carried") for argument in arguments]
        made = t.call(self.unit.use(runtime.raised, "raised"), t.load(name), *atoms)
        return [*flat.out, t.assign(error, made, origin), *self.returned(t.const(number), t.load(error), origin)]

    def raised_again(self, s: gast.Raise) -> list:
        """`raise error`, of which the class is known when it runs."""
        origin, fresh = t.origin_of(s), self.unit.names.fresh
        path, ends = fresh("path"), fresh("caught")
        test = gast.Compare(left=t.load(path), ops=[gast.NotEq()], comparators=[t.const(0)])
        return [t.assign(path, self.handler(s.exc.id), origin), t.assign(ends, test, origin),
                t.if_(t.load(ends), self.returned(t.load(path), t.load(s.exc.id), origin), [s], origin)]

    def call(self, s: Any, node: gast.Call) -> list:
        """A call that is tried, if what it calls may raise."""
        static = self.unit.lookup(node.func)
        if static is runtime.evaluated:
            return []                                       # what may raise is asked for
        if isinstance(static, Attempt):
            return self.attempt(s, node, static)
        function = user_function(static)
        if function is not None:
            if not may_raise(function, self.exceptions):
                return [s]
            node.func = t.load(self.unit.use(function.catching(self.exceptions), function.name))
            return self.tried(s)
        if static is MISSING and isinstance(node.func, gast.Attribute) and node.func.attr not in ("popleft", "popitem") and (
                node.func.attr not in BUILT_IN or node.func.attr in self.methods) and t.list_method(s) is None:
            node.func.attr = CAUGHT + node.func.attr
            return self.tried(s)
        divides = [cls for cls in NO_NUMBER if self.catches(cls)]
        operation = INPLACE_OF.get(static) if hashable(static) else None
        if divides and operation is operator.pow:
            return self.power(s, node.args[1])
        if divides and operation in (operator.truediv, operator.floordiv, operator.mod):
            return [*self.asked(runtime.is_divided, node.args[:2], divides, s), s]
        found = [cls for cls in MISSING_ITEMS if self.catches(cls)]
        method = node.func.attr if isinstance(node.func, gast.Attribute) else ""
        if found and (method == "popitem" or getattr(static, "__module__", "") in ("heapq", "_heapq")):
            raise self.refused("what takes an item of what may have none", s)
        if found and method in ("pop", "popleft") and len(node.args) < 2:
            first = t.const(0 if method == "popleft" else -1)
            return [*self.asked(runtime.has_item, [node.func.value, *(node.args or [first])], found, s), s]
        if found and method == "__delitem__" and not isinstance(node.args[0], gast.Slice):
            return [*self.asked(runtime.has_item, [node.func.value, node.args[0]], found, s), s]
        if found and static in (runtime.index_store, runtime.index_update) and isinstance(node.args[1], gast.Subscript):
            return [*self.asked(runtime.takes_item, [node.args[0], node.args[1].slice], found, s), s]
        return [s]

    def tried(self, s: Any) -> list:
        """What follows a call that gives (path, error, value)."""
        origin, fresh = t.origin_of(s), self.unit.names.fresh
        outcome, path, error, raised = fresh("outcome"), fresh("path"), fresh("error"), fresh("failed")
        target = s.targets[0] if isinstance(s, gast.Assign) else t.store(fresh("unused"))
        given = target.id if isinstance(target, gast.Name) else fresh("given")
        test = gast.Compare(left=t.load(path), ops=[gast.NotEq()], comparators=[t.const(0)])
        new = [t.assign(outcome, s.value, origin), t.unpack([path, error, given], t.load(outcome), origin),
               t.assign(raised, test, origin),
               t.if_(t.load(raised), self.returned(t.load(path), t.load(error), origin), [], origin)]
        if not isinstance(target, gast.Name):
            new.append(t.at(gast.Assign(targets=[target], value=t.load(given), type_comment=None), origin))
        return new

    def attempt(self, s: Any, node: gast.Call, inner: Attempt) -> list:
        """A `try` inside: what none of its handlers catches goes on."""
        origin, fresh, own = t.origin_of(s), self.unit.names.fresh, len(inner.exceptions)
        if not may_raise(inner.function, self.exceptions):
            return [s]
        name = fresh("attempt")
        self.unit.env[name] = Attempt(inner.function, (*inner.exceptions, *self.exceptions))
        node.func = t.load(name)
        over, path, error, value, beyond = fresh("over"), fresh("path"), fresh("error"), fresh("value"), fresh("path")
        test = gast.Compare(left=t.load(path), ops=[gast.Gt()], comparators=[t.const(own)])
        names = results_of(inner.function)
        changed = [t.assign(n, t.load(value) if len(names) == 1 else t.subscript(t.load(value), t.const(j)), origin)
                   for j, n in enumerate(names) if n in self.results and n in self.unit.parameters]
        left = [*changed, t.assign(beyond, t.binop(t.load(path), gast.Sub(), t.const(own)), origin),
                *self.returned(t.load(beyond), t.load(error), origin)]
        return [s, t.unpack([path, error, value], t.load(s.targets[0].id), origin), t.assign(over, test, origin),
                t.if_(t.load(over), left, [], origin)]

    def refused(self, what: str, s: Any) -> UnsupportedError:
        return UnsupportedError(f"{what} in a `try` that changes what others hold", t.origin_of(s),
                                "Compute the new values inside, and store them after the `try`.")

    def named_test(self, s: Any) -> list:
        """A branch by several flags asks a name."""
        if isinstance(s, gast.If) and isinstance(s.test, gast.BoolOp):
            name = self.unit.names.fresh("left")
            test, s.test = s.test, t.load(name)
            return [t.assign(name, test, t.origin_of(s)), s]
        return [s]


COMMON = (ValueError, TypeError, ArithmeticError)


def check(unit: Unit, facts: Any) -> None:
    """Refuse operations that may raise a built-in exception that is caught, and that nobody asks for before."""
    caught = [cls for classes in unit.function.caught if not isinstance(classes, Always) for cls in classes
              if not issubclass(cls, (*MISSING_ITEMS, *NO_NUMBER)) and cls is not LookupError]
    if all(of_user(cls) and not issubclass(cls, COMMON) for cls in caught):
        return
    memory: Any = facts.kinds.get(MEMORY)
    perhaps_none = {name for (_, name), kind in getattr(memory, "items", ()) if isinstance(kind, k.Optional)}
    for s in t.statements(unit.tree.body):
        value: Any = getattr(s, "value", None)
        found = raised_by(s, value, unit, facts, perhaps_none)
        if isinstance(value, gast.Call) and unit.lookup(value.func) is runtime.place_load and any(
                issubclass(cls, AttributeError) for cls in caught):
            found = (AttributeError,)                       # who catches that thinks of attributes that are not there
        if any(issubclass(one, cls) or issubclass(cls, one) for one in found for cls in caught):
            raise UnsupportedError("what may raise an exception that is caught, in a `try` that changes what others hold",
                                   t.origin_of(s), "Catch an exception of your own, or change it after the `try`.")


def raised_by(s: Any, value: Any, unit: Unit, facts: Any, perhaps_none: set[str]) -> tuple:
    """Built-in exceptions that a statement may raise, but for those that are asked for before; `Exception`: any."""
    if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Tuple):
        kind = facts.of(value)
        return () if isinstance(kind, k.Tup) and len(kind.items) == len(s.targets[0].elts) else (ValueError, TypeError)
    if isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Compare)):
        operands = [value.left, value.right] if isinstance(value, gast.BinOp) else [value.operand] if isinstance(
            value, gast.UnaryOp) else [value.left, *value.comparators]
        if isinstance(value, gast.Compare) and isinstance(value.ops[0], (gast.Is, gast.IsNot, gast.In, gast.NotIn)):
            return ()
        arrays = number_of_arrays(operands, facts)
        op = getattr(value, "op", None)
        if arrays is None:
            return (Exception,)
        shapes = (ValueError,) if arrays > 1 or isinstance(op, gast.MatMult) else ()
        return (*shapes, OverflowError) if isinstance(op, gast.Pow) else shapes
    if not isinstance(value, gast.Call):
        return ()
    function = unit.lookup(value.func)
    if function is runtime.place_load and getattr(value.args[2], "value", None) in perhaps_none:
        return (TypeError, AttributeError)
    if isinstance(function, Function):
        return ()
    asked = function in (runtime.raised, runtime.nothing, runtime.handler_number, runtime.is_position, runtime.is_divided)
    part = len(value.args) > 2 and isinstance(value.args[2], gast.Subscript)                          # of an array
    if asked or primitive_of(function).state is not None and not part:
        return ()
    arrays = number_of_arrays([*value.args, *(w.value for w in value.keywords)], facts)
    if arrays is None or arrays > 1:
        return (Exception,)
    if getattr(function, "__module__", None) == "math":
        return (ValueError, OverflowError)
    return () if isinstance(function, np.ufunc) or function in (range, float, abs, max, min) else (Exception,)


def number_of_arrays(operands: list, facts: Any) -> int | None:
    """How many of some operands are arrays; None: some may be no number at all."""
    kinds: list[Any] = [k.as_num(kind) if isinstance(kind := facts.of(x), k.Const) else kind for x in operands]
    if not all(isinstance(kind, k.Num) and kind.boxed is not None for kind in kinds):
        return None
    return sum(kind.boxed for kind in kinds)


def is_tried_method(node: Any) -> bool:
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr.startswith(CAUGHT)


def rewritten(spec: Any, s: Any) -> list | None:
    """The question whether something has an item, as what it is asks it, and a tried call of what is no method of the user's;
    None: it is another statement, or that is not known."""
    value: Any = getattr(s, "value", None)
    if isinstance(s, gast.Assign) and is_tried_method(value):
        owner = spec.facts.of(value.func.value)
        if owner is None or owner is k.ANY or class_of(owner) is not None or isinstance(owner, k.OneOf):
            return None
        given = spec.unit.names.fresh("given")
        value.func.attr = value.func.attr.removeprefix(CAUGHT)
        return [t.assign(given, value, t.origin_of(s)),
                t.assign(s.targets[0], t.pack([t.const(0), t.const(None), t.load(given)]), t.origin_of(s))]
    function = spec.unit.lookup(value.func) if isinstance(s, gast.Assign) and isinstance(value, gast.Call) else None
    if function not in (runtime.has_item, runtime.takes_item):
        return None
    owner, index = value.args
    kind, origin = spec.facts.of(owner), t.origin_of(s)
    several = kind.items if isinstance(kind, k.OneOf) else [kind]
    if all(isinstance(one, (k.Dct, k.Map)) or k.is_held_dict(one) for one in several):
        there = gast.Compare(left=index, ops=[gast.In()], comparators=[owner])
        s.value = t.const(True) if function is runtime.takes_item else there
        return [s]
    number = k.as_num(spec.facts.of(index) or k.ANY)
    counted = isinstance(number, k.Num) and number.is_scalar and number.is_discrete
    if all(isinstance(one, (k.Lst, k.Tup)) or k.is_held_list(one) or k.is_held_deque(one) or counted and (
            k.is_held_array(one) or isinstance(one, k.Num) and one.boxed is True) for one in several):
        size = spec.unit.names.fresh("size")
        s.value = t.call(spec.unit.use(runtime.is_position, "is_position"), index, t.load(size))
        return [t.assign(size, t.call("len", owner), origin), s]
    return None
