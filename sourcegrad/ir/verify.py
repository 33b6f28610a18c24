"""Verification: what every pass must leave (a proper tree, origins, no use before definition), and every phase (a language).

`compiler.passes` has the language of each phase checked when it ends: its statements always, its expressions, too, and the
invariants of trees after every pass when `OPTIONS.verify` is set, as the tests do.

>>> from types import SimpleNamespace
>>> made = gast.parse('''
... def f(x):
...     y = x * x + x
...     return y
... ''').body[0]
>>> CORE.check(SimpleNamespace(tree=made, lookup=lambda node: MISSING), "a pass")
Traceback (most recent call last):
    ...
sourcegrad.errors.InternalError: after a pass: BinOp where core Python has none
y = x * x + x
"""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import BuiltinFunctionType
from typing import Any, Protocol

import gast
import numpy as np

from sourcegrad import runtime
from sourcegrad.errors import InternalError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING


class Program(Protocol):
    """What a pass works on: its tree, and the function that it was made from."""

    tree: gast.FunctionDef
    function: Any

    @property
    def parameters(self) -> list[str]: ...

    def lookup(self, node: Any) -> Any: ...


def check(unit: Program, stage: str, parameters: list[str] | None = None) -> None:
    """Raise InternalError if a pass left something that is not a sound program."""
    tree = unit.tree
    proper(tree, unit.function.nodes if tree is not unit.function.tree else frozenset(), stage)
    origins(tree, stage)
    if stage == "split_webs":
        parameters = unit.parameters
    if parameters is not None:
        definitions(tree, parameters, stage)


def proper(tree: Any, primal: frozenset[int], stage: str) -> None:
    """No node has two parents, and none is shared with the user's tree (whose nodes have these ids)."""
    nodes = list(t.walk(tree))
    ids = {id(node) for node in nodes}
    if len(ids) != len(nodes):
        seen: set[int] = set()
        node = next(node for node in nodes if id(node) in seen or seen.add(id(node)))    # type: ignore[func-returns-value]
        raise InternalError(f"after {stage}: a {type(node).__name__} node stands in two places of the tree",
                            remedy=source.to_text(node) if isinstance(node, gast.expr) else "")
    if not ids.isdisjoint(primal):
        node = next(node for node in nodes if id(node) in primal)
        raise InternalError(f"after {stage}: a {type(node).__name__} node is shared with the original tree")


def origins(tree: Any, stage: str) -> None:
    for s in t.statements(tree.body):
        if getattr(s, "origin", None) is None:
            raise InternalError(f"after {stage}: a statement has no origin: {source.to_text(s)}")


LEAVING = (gast.Raise, gast.Return, gast.Break, gast.Continue)


def executed(tree: Any, made_from: Any) -> None:
    """The text that runs is sound, too."""
    definitions(tree, [p.id for p in t.walk(tree.args) if isinstance(p, gast.Name) and isinstance(p.ctx, gast.Param)],
                "the last pass", made_from)


def definitions(tree: Any, parameters: list[str], stage: str, made_from: Any = None) -> None:
    """No local name is read before it has a value: on every path, in the first iteration of a loop, too.

    What is assigned under a condition may be read under one; loops run at least once, as what reads of a loop has its count. The
    names of the user (of the tree made_from; None: all) may have no value on some path: then Python says so."""
    local = {n for s in t.as_printed(tree.body) for n in t.writes(s)} - set(parameters)
    users = local if made_from is None else {n.id for n in t.walk(made_from) if isinstance(n, gast.Name)}
    own = {name for name in local if name in users or name.rstrip("0123456789").rstrip("_") in users}

    def read(s: Any, node: Any, sure: set[str], perhaps: set[str]) -> None:
        unknown = [n for n in t.header_reads(node) if n in local and n not in (perhaps if n in own else sure)]
        if unknown:
            inner = {n.id for x in t.walk(node) if isinstance(x, (gast.comprehension, gast.Lambda))
                     for n in t.walk(x.target if isinstance(x, gast.comprehension) else x.args) if isinstance(n, gast.Name)}
            unknown = [n for n in unknown if n not in inner]
        for name in unknown:
            if stage == "split_webs":
                raise UnsupportedError(f"'{name}' is used before it is assigned", t.origin_of(s), f"Give '{name}' a value first.")
            raise InternalError(f"after {stage}: '{name}' is used before it is defined", t.origin_of(s), source.to_text(s))

    def block(items: list, sure: set[str], perhaps: set[str], branch: bool) -> tuple[set[str], set[str]]:
        """The names that have a value after a block on every path, and on some. branch: whether it is one of a branch."""
        for s in items:
            known = perhaps if branch else sure
            if isinstance(s, gast.If):
                read(s, s.test, known, perhaps)
                ways = [block(part, set(sure), set(perhaps), True) for part in (s.body, s.orelse)]
                left = [way for way, part in zip(ways, (s.body, s.orelse)) if not (part and isinstance(part[-1], LEAVING))]
                sure = set.intersection(*(way[0] for way in left)) if left else sure
                perhaps = ways[0][1] | ways[1][1]
            elif isinstance(s, (gast.For, gast.While)):
                read(s, s.iter if isinstance(s, gast.For) else s.test, known, perhaps)
                again = {n for x in t.as_printed(s.body) for n in t.writes(x)}          # an earlier iteration may have, in a branch
                first = known.union(t.writes(s))
                sure = sure | block(s.body, set(first), perhaps.union(first, again), False)[0] - first | set(t.writes(s))
                perhaps = perhaps | again | first
            elif isinstance(s, gast.Try):
                sure_before, (sure, perhaps) = sure, block(s.body, set(sure), set(perhaps), branch)
                for handler in s.handlers:
                    names = {handler.name.id if isinstance(handler.name, gast.Name) else handler.name} - {None}
                    ends = block(handler.body, sure_before | names, perhaps | names, branch)
                    if not isinstance(handler.body[-1], LEAVING):
                        sure = sure & ends[0]
                    perhaps = perhaps | ends[1]
                for part in (s.orelse, s.finalbody):
                    sure, perhaps = block(part, sure, perhaps, branch)
            elif isinstance(s, gast.With):
                for item in s.items:
                    read(s, item.context_expr, known, perhaps)
                entered = {n for item in s.items if item.optional_vars is not None for n in t.target_names(item.optional_vars)}
                sure, perhaps = block(s.body, sure | entered, perhaps | entered, branch)
            elif not t.is_comment(s):
                read(s, s, perhaps if any(isinstance(n, (gast.IfExp, gast.BoolOp)) for n in t.walk(s)) else known, perhaps)
                sure, perhaps = sure.union(t.writes(s)), perhaps.union(t.writes(s))
        return sure, perhaps

    block(tree.body, set(parameters), set(parameters), False)


# --- The languages between the phases: regular tree grammars

class Refused(Exception):
    """A node that stands where its language has no place for it."""

    def __init__(self, node: Any) -> None:
        super().__init__(node)
        self.node = node


@dataclass(frozen=True)
class When:
    """A production with a condition on the node (and the unit): another one, or None, applies where it does not hold."""

    holds: Callable[[Any, Any], bool]
    then: Production
    otherwise: Production = None


@dataclass(frozen=True)
class Else:
    """A production, and another one for nodes that it refuses, if a condition holds of them."""

    then: str
    holds: Callable[[Any, Any], bool]
    otherwise: Production


Production = str | When | Else | None
Rules = dict[str, dict[type, Any]]                  # nonterminal -> class of a node -> production
Check = Callable[[Any, Any], None]                  # of a node, and its unit


class Alternatives(dict[type, Any]):
    """Class of a node -> what checks such a node; None: nothing in it is to be checked."""

    def __missing__(self, cls: type) -> Check:
        return refuse


def refuse(node: Any, unit: Any) -> None:
    raise Refused(node)


class Language:
    """What a tree may consist of: `rules` say for each nonterminal which nodes may stand there, and what their fields hold.

    "left=atom right=atom": these fields hold atoms, and the others nothing. "elts*=atom": any number; "!": one; "?": one or
    none. "body*=statement..return": the last item is a `return`. "exc=*": anything. What `rules` do not name
    stays as in `base`. adds: what there is more, or no more, than in the language before."""

    def __init__(self, name: str, adds: str, rules: Rules, base: Language | None = None) -> None:
        self.name, self.adds, self.single = name, adds, self         # single: the same for code with one sweep
        self.rules: Rules = {**base.rules, **rules} if base else rules
        self.alternatives = {nonterminal: Alternatives() for nonterminal in self.rules}
        for nonterminal, productions in self.rules.items():
            for cls, production in productions.items():
                self.alternatives[nonterminal][cls] = self.checker(cls, production)

    def check(self, unit: Program, stage: str, tree: Any = None) -> None:
        """Raise InternalError where the tree of a unit, or another tree for it, is not in the language."""
        tree = unit.tree if tree is None else tree
        try:
            self.alternatives["function"][tree.__class__](tree, unit)
        except Refused as refused:
            node: Any = refused.node
            raise InternalError(f"after {stage}: {type(node).__name__} where {self.name} has none", *around(node, tree)) from None

    def checker(self, cls: type, production: Production) -> Any:
        if production is None:
            return refuse
        if not isinstance(production, str):
            first, second = (self.checker(cls, x) or accept for x in (production.then, production.otherwise))
            return (either if isinstance(production, When) else on_refusal)(production.holds, first, second)
        single, several, rest = [], [], set(t.child_fields(cls))
        for field, many, nonterminal, last in FIELD.findall(production):
            rest.remove(field)
            if many:
                several.append((field, many, self.alternatives[nonterminal], self.alternatives[last or nonterminal]))
            elif nonterminal != "*":
                single.append((field, self.alternatives[nonterminal]))
        return fields(single, several, rest) if single or several or rest else None


def around(node: Any, tree: Any) -> tuple[Any, str]:
    """The origin and the text of the innermost statement with a node."""
    try:
        s = next((s for s in reversed([*t.as_printed(tree.body)]) if any(x is node for x in t.walk(s))), tree)
        return t.origin_of(s), source.to_text(s).strip()
    except (AttributeError, AssertionError, TypeError, ValueError):            # (the tree is no Python)
        return t.origin_of(tree), ""


FIELD = re.compile(r"(\w+)([*?!]*)=([\w*]+)(?:\.\.(\w+))?")


def fields(single: list, several: list, rest: set[str]) -> Check:
    """The check of a node by its fields. rest: those that must be empty."""
    def check(node: Any, unit: Any) -> None:
        for field, alternatives in single:
            value = getattr(node, field)
            found = alternatives[value.__class__]
            if found is not None:
                found(value, unit)
        for field, many, alternatives, end in several:
            value = getattr(node, field)
            if value.__class__ is not list:
                value = [value]
            elif many == "!" and len(value) != 1:
                raise Refused(node)
            for item in value:
                if item is None and "?" in many:
                    continue
                found = (end if item is value[-1] else alternatives)[item.__class__]
                if found is not None:
                    found(item, unit)
        for field in rest:
            if getattr(node, field, None):
                raise Refused(node)

    return check


def accept(node: Any, unit: Any) -> None:
    """Nothing in the node is to be checked."""


def either(holds: Callable, then: Check, otherwise: Check) -> Check:
    return lambda node, unit: (then if holds(node, unit) else otherwise)(node, unit)


def on_refusal(holds: Callable, first: Check, second: Check) -> Check:
    def check(node: Any, unit: Any) -> None:
        try:
            first(node, unit)
        except Refused:
            if not holds(node, unit):
                raise
            second(node, unit)

    return check


# --- What productions ask of a node

def known(node: Any, unit: Any) -> bool:
    """f or np.newaxis: what names an object."""
    return unit.lookup(node) is not MISSING


def stated(node: Any, unit: Any) -> bool:
    """np.s_[1:], an index as a value; f.__defaults__[0] or f.keywords["a"], of a function that is known."""
    return node.value.__class__ is gast.Attribute and (known(node.value, unit) or known(node.value.value, unit))


def place(node: Any, unit: Any) -> bool:
    """at, with which a place is written down: at.w[i]."""
    return unit.lookup(node) is runtime.at


def tested(s: Any, unit: Any) -> bool:
    """A condition: a name is assigned that nothing reads but tests of branches and loops."""
    name = s.targets[0].id if t.is_name(s.targets[0]) else None
    return name is not None and not any(name in t.header_reads(other) for other in t.statements(unit.tree.body)
                                        if not isinstance(other, (gast.If, gast.While)))


def of_helper(node: Any, unit: Any) -> bool:
    """A call of a helper of generated code, or of what it asks of memory and sizes."""
    function = unit.lookup(node.func)
    return function is np.may_share_memory or function is np.size or compares(node, unit) or (
        getattr(function, "__module__", None) or "").startswith("sourcegrad.runtime")


def compares(node: Any, unit: Any) -> bool:
    """eq(x, {"a": y}), of a method __eq__: a comparison of objects, which is as whole as any."""
    function = unit.lookup(node.func)
    return str(getattr(function, "__name__", None) or getattr(function, "name", "")).startswith("__")


def keeps(node: Any, unit: Any) -> bool:
    """No call that stands for a change of its first argument, as iadd(x, y) and index_store(x, np.s_[0], y) do."""
    function = unit.lookup(node.func)
    if function.__class__ is BuiltinFunctionType:
        return function not in t.INPLACE_OF
    return function is not runtime.index_store and function is not runtime.index_update and function is not runtime.attribute_store


def on_list(node: Any, unit: Any) -> bool:
    """xs.append(v) and xs.pop() of a list that has a name, such as a tape."""
    return t.list_method(gast.Expr(value=node)) is not None


def computes(node: Any, unit: Any) -> bool:
    """A call of a function by its name (print), or a mark where a context begins or ends: no method."""
    return node.func.__class__ is not gast.Attribute or known(node.func, unit)


def comment(s: Any, unit: Any) -> bool:
    return t.is_comment(s)


def mark(s: Any, unit: Any) -> bool:
    return t.is_mark(s)


def stop(s: Any, unit: Any) -> bool:
    return t.is_stop(s)


def two_sweeps(tree: Any, unit: Any) -> bool:
    return sum(map(t.is_mark, tree.body)) == 1


def one_sweep(tree: Any, unit: Any) -> bool:
    return not any(map(t.is_mark, tree.body))


def sweeps_or_half(tree: Any, unit: Any) -> bool:
    return sum(map(t.is_mark, tree.body)) <= 1


# --- The grammars. An `atom` is what an operation is applied to, a `value` is one operation, what is `whole` may nest.

LEAVES = {gast.Name: "", gast.Constant: ""}
PLACE = {gast.Attribute: "value=place", gast.Subscript: "value=place slice=index",
         gast.Call: "func=place args*=argument keywords*=keyword"}
ATOM: dict[type, Any] = {
    **LEAVES, gast.UnaryOp: "operand=literal", gast.Attribute: When(known, "value=*", PLACE[gast.Attribute]),
    gast.Subscript: When(stated, "value=* slice=index", PLACE[gast.Subscript]), gast.Call: PLACE[gast.Call]}
WHOLE: dict[type, Any] = {
    **LEAVES, gast.BinOp: "left=whole right=whole", gast.UnaryOp: "operand=whole", gast.Compare: "left=whole comparators*=whole",
    gast.BoolOp: "values*=whole", gast.IfExp: "test=whole body=whole orelse=whole", gast.Attribute: "value=whole",
    gast.Subscript: "value=whole slice=whole", gast.Slice: "lower?=whole upper?=whole step?=whole", gast.Tuple: "elts*=whole",
    gast.List: "elts*=whole", gast.Set: "elts*=whole", gast.Dict: "keys*?=whole values*=whole", gast.Starred: "value=whole",
    gast.Call: "func=whole args*=whole keywords*=option", gast.JoinedStr: "values*=whole",
    gast.FormattedValue: "value=whole format_spec?=whole"}
STATEMENT: dict[type, Any] = {
    gast.Assign: Else("targets!=target value=value", tested, "targets!=name value=whole"), gast.Expr: "value=effect",
    gast.If: "test=test body*=statement orelse*=statement", gast.For: "target=name iter=iterable body*=statement..last",
    gast.While: "test=whole body*=statement..last", gast.Raise: "exc=* cause=*", gast.Assert: "test=whole msg=*"}


def blocks(**changed: Any) -> Rules:
    """The rules of blocks. changed: other statements than those of core Python."""
    rules = {**STATEMENT, **{getattr(gast, name): production for name, production in changed.items()}}
    return {"statement": rules, "step": {**rules, gast.Expr: When(mark, "value=*", rules[gast.Expr])},
            "last": {**rules, gast.If: When(stop, "test=exit body*=break", rules[gast.If])}}


CORE = Language("core Python", "one operation a statement; no jump but `if stop: break` that ends a loop; `return` ends it", {
    "function": {gast.FunctionDef: "name=* args=* decorator_list=* body*=statement..return"},
    **blocks(),
    "return": {gast.Return: "value=result"},
    "break": {gast.Break: ""},
    "exit": {gast.Name: ""},
    "name": {gast.Name: ""},
    "target": {gast.Name: "", gast.Tuple: "elts*=name"},
    "result": LEAVES,
    "test": {**LEAVES, gast.Compare: "left=name comparators*=literal"},
    "iterable": {gast.Name: "", gast.Call: "func=callee args*=atom"},
    "effect": {gast.Call: "func=callee args*=whole keywords*=option"},
    "value": {**ATOM, gast.BinOp: "left=atom right=atom", gast.UnaryOp: "operand=atom", gast.Attribute: "value=atom",
              gast.Subscript: When(stated, "value=* slice=index", "value=atom slice=index"), gast.Tuple: "elts*=element",
              gast.List: "elts*=element", gast.Dict: "keys*=literal values*=atom",
              gast.Call: "func=callee args*=argument keywords*=keyword", gast.Compare: WHOLE[gast.Compare],
              gast.BoolOp: WHOLE[gast.BoolOp], gast.JoinedStr: WHOLE[gast.JoinedStr]},
    "atom": ATOM,
    "element": {**ATOM, gast.Tuple: "elts*=literal"},
    "argument": {**ATOM, gast.Tuple: "elts*=literal", gast.Starred: "value=atom"},
    "keyword": {gast.keyword: "value=element"},
    "callee": {**LEAVES, gast.Attribute: "value=atom"},
    "place": {gast.Name: When(place, ""), **PLACE},
    "index": {**ATOM, gast.Slice: "lower?=atom upper?=atom step?=atom", gast.Tuple: "elts*=index"},
    "literal": {gast.Constant: "", gast.UnaryOp: "operand=literal", gast.Tuple: "elts*=literal"},
    "whole": WHOLE,
    "option": {gast.keyword: "value=whole"},
})
READ = {gast.Attribute: "value=read", gast.Subscript: "value=read slice=index", gast.Tuple: "elts*=element",
        gast.Call: "func=read args*=argument keywords*=keyword"}
CALL = Else("func=callee args*=argument keywords*=keyword", of_helper, When(
    compares, "func=callee args*=whole", "func=callee args*=read keywords*=keyword"))
TYPED = Language("typed core Python", "no method of a class, property, operator or closure is implicit; helpers take operations", {
    "value": {**CORE.rules["value"], gast.Call: CALL},
    "read": {**CORE.rules["value"], **READ},
}, CORE)
FUNCTIONAL = Language("functional Python", "no statement changes an object; only lists with a name get longer and shorter", {
    "value": {**CORE.rules["value"], gast.Call: When(keeps, CALL), gast.Dict: "keys*=literal values*=element"},
    "read": {**ATOM, **READ, gast.List: "", gast.Dict: ""},
    "argument": {**ATOM, gast.Tuple: "elts*=element", gast.Starred: "value=atom"},
    "keyword": {gast.keyword: "value=argument"},
    "effect": {gast.Call: When(on_list, "func=whole args*=whole", When(computes, WHOLE[gast.Call]))},
}, TYPED)
NESTED = {**WHOLE, gast.Call: When(keeps, WHOLE[gast.Call])}
NESTING = {"If": "test=whole body*=statement orelse*=statement", "Assign": "targets!=target value=value"}
SWEEPS = Language("sweeps", "a forward sweep, a mark, a reverse sweep; operations nest, as rules are put in as text", {
    "function": {gast.FunctionDef: When(two_sweeps, "name=* args=* decorator_list=* body*=step..return")},
    **blocks(**NESTING), **dict.fromkeys(("value", "whole", "iterable", "result"), NESTED), "exit": LEAVES,
}, FUNCTIONAL)
SWEEPS.single = Language("one sweep", "operations nest; the statements of tangents stand among those of the function", {
    "function": {gast.FunctionDef: When(one_sweep, CORE.rules["function"][gast.FunctionDef])},
}, SWEEPS)
CHANGING = {**NESTING, "AugAssign": "target=target value=whole"}
IN_PLACE = Language("sweeps in place", "stores, `op=` and calls that change an array that nobody else holds; halves have no mark", {
    "function": {gast.FunctionDef: When(sweeps_or_half, "name=* args=* decorator_list=* body*=step..return")},
    **blocks(**CHANGING),
    "target": {gast.Name: "", gast.Tuple: "elts*=target", gast.Subscript: "value=whole slice=whole", gast.Attribute: "value=whole"},
    "effect": {gast.Call: WHOLE[gast.Call]},
}, SWEEPS)
TEXT = Language("text", "comprehensions, `x if c else y`, `with`, `try`, `break`, comments; nothing is derived from it", {
    "function": CORE.rules["function"],
    **blocks(**{
        **CHANGING, "Expr": When(comment, "value=*", "value=effect"), "Assign": "targets*=target value=value",
        "For": "target=target iter=whole body*=statement",
        "While": "test=whole body*=statement", "Try": "body*=statement handlers*=handler", "With": "items*=context body*=statement",
        "Break": "", "Pass": ""}),
    "handler": {gast.ExceptHandler: "type=whole name?=name body*=statement"},
    "context": {gast.withitem: "context_expr=whole optional_vars?=target"},
    "for": {gast.comprehension: "target=target iter=whole ifs*=whole"},
    **dict.fromkeys(("value", "whole", "result"), {
        **NESTED, gast.ListComp: "elt=whole generators*=for", gast.DictComp: "key=whole value=whole generators*=for"}),
}, IN_PLACE)


def statements_of(language: Language) -> Language:
    """The statements of a language, with any expressions in them: what is checked where the tests do not verify."""
    function = language.rules["value"][gast.Call]
    whole = {**WHOLE, gast.Lambda: "args=* body=*", gast.DictComp: "key=* value=* generators=*",
             **dict.fromkeys((gast.ListComp, gast.SetComp, gast.GeneratorExp), "elt=* generators=*"),
             gast.Call: When(keeps, WHOLE[gast.Call]) if isinstance(function, When) else WHOLE[gast.Call]}
    expressions = EXPRESSIONS & language.rules.keys()
    found = Language(language.name, language.adds, {**language.rules, **dict.fromkeys(expressions, whole)})
    found.single = statements_of(language.single) if language.single is not language else found
    return found


EXPRESSIONS = {"value", "whole", "atom", "element", "argument", "index", "literal", "read", "callee", "place", "iterable", "test",
               "result"}
