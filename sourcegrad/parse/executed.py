"""Binding times: an expression that depends on no input, and that cannot be followed, runs as it stands.

    rate = FACTORS["metre"]             rate = factors()                    # factors: lambda: FACTORS["metre"]
    rows = table(n)                     rows = table_2(n)                   # table_2: lambda n: table(n)

A function is generated; what is refused of it names a place. Where an expression of the user's around that place reads nothing that
depends on the inputs, and changes nothing that its names hold, it becomes a call of a function with derivative zero, of which no
pass sees more: the user's own expression. The first arguments tell of what kind its value is: the function runs once on copies of
them, beside the generator (`api.observation`). Each time the value is asked for its kind, and where that is another one, other
code is generated. Whether it does depend on inputs, activity analysis says: then the expression is left as it was."""
from __future__ import annotations

import ast
import builtins
import itertools
import keyword
import operator
import textwrap
import types
import weakref
from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k
from sourcegrad.errors import Origin, UnsupportedError, is_library
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING, VERSION, Scope
from sourcegrad.ir.unit import Function, Names
from sourcegrad.parse.binding_times import (
    EXPRESSIONS,
    Key,
    bases,
    blocks,
    bound_around,
    bound_by,
    changed_by,
    heads,
    key_of,
    parameters_of,
    reads,
    spelled,
    statements,
)
from sourcegrad.primitives.core import nondifferentiable, of_user
from sourcegrad.runtime.structure import attributes_of, is_user_class, is_user_object

LOCALS = {"eval", "exec", "locals", "vars", "dir", "super", "globals"}      # they see local variables that they do not name
COMPILED = (types.MethodDescriptorType, types.WrapperDescriptorType)
TRUTHS = (bool, np.bool_, type(None))
MOST = 8                                # kinds of values that are told apart
CALLED = 500                            # functions and values whose memory is looked at
_count = itertools.count(1)
_widened: dict[Any, k.Kind] = {}         # kinds of values that were of several kinds, by text and place


class OtherKind(UnsupportedError):
    """The value of an executed expression is not of the kind that the code was generated for: there is other code by now."""

    other_kind = True


class Executed:
    """A part of a function that runs as it stands: an expression, or statements in a row. names: of the local variables that it
    reads; results: that it assigns (none: an expression); count: of statements.

    value: the part as a function of these; text: of that; kind: that of all values so far; call: what stands in generated code.
    varied: the names that depend on inputs: then only a truth comes of it, or one of them as it was given (`given_back`)."""

    def __init__(self, part: Any, origin: Origin | None, names: list[str], results: list[str], scope: Any,
                 varied: set[str]) -> None:
        self.names, self.origin, self.results, self.varied = names, origin, results, varied
        self.given_back: str | None = None
        self.count = len(part) if results else 0
        name = name_of(part, results)
        lines = "".join(map(spelled, part)) if results else f"return {spelled(part)}"
        lines += f"return {', '.join(results)}" if results else ""
        self.text = f"def {name}({', '.join(names)}):\n{textwrap.indent(lines, '    ')}\n"
        file = f"<expression {next(_count)}>"
        source.keep(file, self.text)
        self.value = source.compile_function(self.text, name, file, scope.globals, {})
        self.value.__qualname__ = name
        self.kind: k.Kind | None = None
        self.widened = 0
        self.given: tuple[type, ...] = ()                    # the classes of what it reads

        def call(*values: Any) -> Any:
            if tuple(map(type, values)) != self.given:
                raise UnsupportedError("what an expression that depends on no input reads is of another class here", self.origin,
                                       "Pass its value as an argument.")
            if not self.varied:
                found = self.value(*values)
                self.check(found)
                return found
            shown, before = self.shown(values), held_by(values)
            try:
                found = self.value(*shown)
            except ValueError as error:
                if "read-only" in str(error):
                    raise self.does_more() from None
                raise
            if self.given_back is not None:
                found = None if found is shown[self.names.index(self.given_back)] else found
            after = held_by(values)
            if not isinstance(found, TRUTHS) or len(before) != len(after) or any(map(operator.is_not, before, after)):
                raise self.does_more()
            self.check(found)
            return found

        call.__name__ = call.__qualname__ = name
        call.__sourcegrad_executed__ = self                                                             # type: ignore[attr-defined]
        self.call = call

    def does_more(self) -> UnsupportedError:
        return UnsupportedError(f"what {self.value.__name__} is given depends on the inputs, and it does more than check it",
                                self.origin, "Call it outside of the function that is differentiated.")

    def shown(self, values: tuple) -> tuple:
        """The values of its names as it gets them: what depends on inputs can only be read."""
        return tuple(map(locked, values)) if self.varied else values

    def declare(self, fresh: bool) -> None:
        """Make it known to the analyses. fresh: whether the value is new memory each time."""
        memory: dict[str, Any] = {"result": "new"} if fresh else {"result": "may view", "read_only": True}
        nondifferentiable(self.call, kind=self.kind_for, but=() if self.varied else ("*",), **memory)
        self.call.__module__ = self.value.__module__

    def kind_for(self, *given: k.Kind) -> k.Kind:
        """The kind of the value. Text tells what it was made from, and activity analysis does not see it."""
        if any(map(k.tells, given)):
            raise UnsupportedError("what is read from text depends on the inputs", self.origin, "Keep the number itself.")
        return self.kind or k.ANY

    def check(self, value: Any) -> None:
        """Widen the kind to that of a value, and raise OtherKind where it was another one."""
        kind = kind_of(value)
        if self.kind is not kind and (found := k.join(self.kind, kind)) is not self.kind:
            self.widened += 1
            self.kind = _widened[self.text, self.origin] = found if self.widened < MOST else k.ANY
            VERSION[0] += 1                                 # what was generated for the other kind is out of date
            raise OtherKind("an expression that depends on no input has a value of another kind than before", self.origin,
                            "Call the gradient again: other code is generated.")


def locked(value: Any) -> Any:
    """A view of an array that cannot be written to."""
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def held_by(values: tuple) -> list[Any]:
    """The names and values of the attributes of objects, in their order."""
    return [part for x in values if is_user_object(x) for item in attributes_of(x).items() for part in item]


def kind_of(value: Any) -> k.Kind:
    return lasting(k.forget_sizes(k.kind_of(value, "value")))


def lasting(kind: k.Kind) -> k.Kind:
    """A kind without weak references, which are others each time, and without objects of which generated code does not see all:
    those with a part that is not made of Python."""
    if isinstance(kind, k.Fn) and isinstance(kind.value, weakref.ref) or isinstance(kind, k.Obj) and is_user_class(kind.cls) and (
            not seen_through(kind)):
        return k.ANY
    return k.mapped(lasting, kind)                                                                      # type: ignore[no-any-return]


def seen_through(kind: k.Kind) -> bool:
    if isinstance(kind, k.Obj) and is_user_class(kind.cls):
        return all(map(is_written, kind.cls.__mro__)) and all(map(seen_through, k.parts(kind)))
    return all(map(seen_through, k.parts(kind)))


def is_written(cls: type) -> bool:
    """Whether a class is written in Python, or one of Python's own."""
    return cls.__module__ == "builtins" or not any(
        isinstance(value, COMPILED) or type(value).__name__.startswith("cython") for value in vars(cls).values())


def is_plain(kind: k.Kind) -> bool:
    """Whether values are numbers, arrays, text, functions and containers of such."""
    return not isinstance(kind, (k.Obj, k.Fn)) and kind is not k.ANY and all(map(is_plain, k.parts(kind)))


def name_of(part: Any, results: list[str]) -> str:
    """What a part is called in generated code: after what it calls or reads, or assigns."""
    called = part
    while isinstance(called, (gast.Call, gast.Subscript)):
        called = called.func if isinstance(called, gast.Call) else called.value
    name = results[-1] if results else called.attr if isinstance(called, gast.Attribute) else getattr(called, "id", "constant")
    name = name.lower().strip("_")
    taken = results or name in reads(part) or keyword.iskeyword(name) or hasattr(builtins, name)
    return "constant" if not name.isidentifier() else f"{name}_value" if taken else name


def executed(function: Function, part: Any, s: Any, functions: list[Function], varied: set[str]) -> Executed | None:
    """An expression, or statements in a row, as what is executed, if that can be. functions: of the program."""
    observe = source.OBSERVING.get()
    local = function.local | parameters_of(function.tree) | set(function.scope.cells)
    whole = part if isinstance(part, list) else [part]
    if observe is None or not all(stands_alone(n, local) for x in whole for n in gast.walk(x)):
        return None
    results: list[str] = []
    if isinstance(part, list):
        bound: set[str] = set()
        names, assigned = read_first(part, bound), bound_by(*part)
        within = {id(node) for x in part for node in gast.walk(x)}
        later = {n.id for n in gast.walk(function.tree) if isinstance(n, gast.Name) and id(n) not in within}
        results = sorted(assigned & later)
        if not results:
            return None
    else:
        inner = {name for n in gast.walk(part) if isinstance(n, gast.comprehension) for name in bases(n.target)}
        names = reads(part) - inner
    made = {n.name for n in gast.walk(function.tree) if isinstance(n, gast.FunctionDef)}
    made |= bound_around(function.tree, whole[0])
    free = names - local
    if made & names or any(name not in function.scope.globals and function.scope.lookup(name) is MISSING for name in free):
        return None                                         # of a function around it
    origin = source.locate(part, t.origin_of(s)) if not results else t.origin_of(s)
    try:
        found = Executed(part, origin, sorted(names & local), results, function.scope, varied)
    except (SyntaxError, TypeError, ValueError):
        return None
    seen = observe(found, t.origin_of(s), list(held_outside(function, part, functions, bool(varied))))  # type: ignore[arg-type]
    if seen is None or seen == "shared" and changed_later(function.tree, part if results else [s]):
        return None
    found.declare(seen == "fresh")
    found.kind = k.join(_widened[key], found.kind) if (key := (found.text, found.origin)) in _widened else found.kind
    return found


def read_first(row: list, bound: set[str]) -> set[str]:
    """The names that statements read before they assign them, in the order of the text. bound: those that are assigned: they
    grow."""
    found: set[str] = set()
    for s in row:
        targets = [x for x in (*getattr(s, "targets", ()), getattr(s, "target", None)) if x is not None]
        inner = [block for block in (getattr(s, "body", None), getattr(s, "orelse", None), getattr(s, "finalbody", None)) if block]
        heads_read = [node for head in heads(s) for node in gast.walk(head)]
        local = {name for node in heads_read if isinstance(node, gast.comprehension) for name in bases(node.target)}
        found |= {n.id for n in heads_read if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Store)} - bound - local
        found |= set(bases(s.target)) - bound if isinstance(s, gast.AugAssign) else set()
        bound |= {name for x in targets for name in (n.id for n in gast.walk(x) if isinstance(n, gast.Name) and isinstance(
            n.ctx, gast.Store))}
        bound |= {name for x in getattr(s, "items", ()) if x.optional_vars is not None for name in bases(x.optional_vars)}
        for block in inner:
            found |= read_first(block, bound)
        for handler in getattr(s, "handlers", ()):
            bound |= {handler.name.id} if isinstance(handler.name, gast.Name) else set()
            found |= read_first(handler.body, bound)
    return found


def changed_later(tree: Any, row: list) -> bool:
    """Whether what statements assign seems to be changed in place by others."""
    names, inside = bound_by(*row), {id(x) for x in statements(row)}
    return len(row) == 1 and isinstance(row[0], gast.Expr) or any(
        names & changed_by(x) for x in statements(tree.body) if id(x) not in inside and not getattr(x, "body", None))


def held_outside(function: Function, part: Any, functions: list[Function], of_libraries: bool) -> Iterator[Any]:
    """What functions, and those that they call, read that is not their own, also in what they evaluate. of_libraries: also what
    functions of libraries read that are called on the way."""
    whole = part if isinstance(part, list) else [part]
    texts = [node.value for x in whole for node in gast.walk(x) if isinstance(node, gast.Constant) and isinstance(node.value, str)]
    waiting = [f.object for f in functions]
    waiting += [function.scope.lookup(name) for text in texts for name in names_in(text)]
    if of_libraries:
        waiting += [function.scope.lookup(name) for x in whole for name in reads(x)]
    seen: set[int] = set()
    while waiting and len(seen) < CALLED:
        value = waiting.pop(0)
        if id(value) in seen or value is MISSING:
            continue
        seen.add(id(value))
        value = source.unwrap(value) if callable(value) else value
        code = getattr(value, "__code__", None)
        if not isinstance(value, types.FunctionType) or code is None:
            yield value
        elif of_user(value) and (of_libraries or not is_library(code.co_filename)):
            scope = Scope(value.__globals__, dict(zip(code.co_freevars, value.__closure__ or ())))
            read = [scope.lookup(name) for name in (*code.co_names, *code.co_freevars)]
            waiting += read
            waiting += [held for module in read if isinstance(module, types.ModuleType) for name in code.co_names       # `m.MODEL`
                        if is_user_object(held := vars(module).get(name)) or isinstance(held, (dict, list, set, np.ndarray))]


def stands_alone(node: Any, local: set[str]) -> bool:
    """Whether a node means the same outside its function: it binds nothing, has no private name, sees no variable that it does not
    name."""
    if isinstance(node, gast.Attribute):
        return not node.attr.startswith("__") or node.attr.endswith("__")
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in LOCALS:
        text = node.args[0].value if node.args and isinstance(node.args[0], gast.Constant) else None
        return isinstance(text, str) and node.func.id == "eval" and not names_in(text) & local or (
            node.func.id in ("vars", "dir") and len(node.args) == 1)
    return not isinstance(node, (gast.Lambda, gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom, gast.Starred)) and not (
        isinstance(node, gast.Name) and node.id in LOCALS - {"eval", "vars", "dir"})


def names_in(text: str) -> set[str]:
    try:
        return {n.id for n in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(n, ast.Name)}
    except SyntaxError:
        return set()


# --- In the tree of its function

class Replaced(t.Transformer):
    """A tree with calls in place of the expressions that are executed. bound: what the new names mean."""

    def __init__(self, found: dict[Key, Executed], names: Names, bound: dict[str, Any]) -> None:
        self.found, self.names, self.bound = found, names, bound
        self.statement: Any = None

    def within(self, tree: Any) -> None:
        rows = {key: one for key, one in self.found.items() if one.count}
        for block in blocks(tree) if rows else ():
            for j, s in enumerate(block):
                origin = t.origin_of(s)
                one = next((one for key, one in rows.items() if origin is not None and key[:3] == origin[:3] and key == key_of(
                    block[j:j + one.count], s)), None)
                if one is not None:
                    names = [gast.Name(id=name, ctx=gast.Store(), annotation=None, type_comment=None) for name in one.results]
                    target = names[0] if len(names) == 1 else gast.Tuple(elts=names, ctx=gast.Store())
                    new = gast.Assign(targets=[target], value=self.call(one), type_comment=None)
                    for part in gast.walk(new):
                        gast.copy_location(part, s)
                    block[j:j + one.count] = [t.at(new, origin)]
        for s in statements(tree.body):
            self.statement = s
            for field, value in gast.iter_fields(s):
                if isinstance(value, gast.expr):
                    setattr(s, field, self.visit(value))
                elif isinstance(value, list) and field not in ("body", "orelse", "finalbody", "handlers", "cases"):
                    value[:] = [self.visit(item) if isinstance(item, (gast.expr, gast.withitem)) else item for item in value]

    def call(self, one: Executed) -> Any:
        call = self.called(one)
        if one.given_back is None:
            return call
        return gast.Subscript(value=gast.Tuple(elts=[call, t.load(one.given_back)], ctx=gast.Load()), slice=t.const(1),
                              ctx=gast.Load())

    def called(self, one: Executed) -> Any:
        name = next((name for name, known in self.bound.items() if known is one.call), None)
        if name is None:
            name = self.names.fresh(one.call.__name__)
            self.bound[name] = one.call
        return t.call(name, *map(t.load, one.names))

    def visit(self, node: Any) -> Any:
        if isinstance(node, EXPRESSIONS) and hasattr(node, "lineno"):
            key = key_of(node, self.statement)
            found = self.found.get(key) if key is not None else None
            if found is not None:
                call = self.call(found)
                for part in gast.walk(call):
                    if isinstance(part, gast.expr):
                        gast.copy_location(part, node)
                return call
        return super().visit(node)
