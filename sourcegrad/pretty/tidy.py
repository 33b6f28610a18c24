"""Forward substitution on the final text: what the next statement reads once is written there.

    part = parts.pop()                                      x_bar = f_reverse(saved, parts.pop())
    x_bar = f_reverse(saved, part)

The names of the user stay, lines stay short, and a line of the user keeps its comment in the reverse sweep. Last touches: no
name that only hands a value on, one statement for all names that start alike.
"""
from __future__ import annotations

import collections
import itertools
from collections.abc import Iterator
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.purity import pure
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import Maker, Unit
from sourcegrad.optimize.fold_expressions import width
from sourcegrad.parse import statements as try_
from sourcegrad.parse.statements import Attempt
from sourcegrad.pretty.dense_entries import dense_entries
from sourcegrad.pretty.entries import entries
from sourcegrad.pretty.raise_statements import choices, displays, items, taken_last, tested, unpacked
from sourcegrad.primitives.core import primitive_of

WIDTH = 96
TAKEN = (gast.Name, gast.Constant, gast.Subscript, gast.Attribute, gast.Tuple, gast.List)
LATER = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def adjacent(tree: Any, unit: Unit, half: bool) -> None:
    """Fold in place. half: one half of the function of a call, whose results need no names of their own."""
    _Adjacent(tree, unit, half).run()


def forward_sweep(tree: Any, half: bool) -> set[int]:
    """The statements of the forward sweep, which has no comments."""
    if half and (tree.name.endswith("_reverse") or "_reverse_" in tree.name):
        return set()
    return {id(s) for s in t.statements(t.sweeps(tree).forward)}


class _Adjacent:
    def __init__(self, tree: Any, unit: Unit, half: bool) -> None:
        self.tree, self.unit, self.half = tree, unit, half
        self.own = unit.function.local
        self.liveness = Liveness()
        self.forward = forward_sweep(tree, half)

    def run(self) -> None:
        self.liveness.block(self.tree.body, frozenset())
        self.block(self.tree.body)

    def block(self, block: list) -> None:
        for s in block:
            if not is_stop(s):
                for inner in t.inner_blocks(s):
                    self.block(inner)
        for position in range(len(block) - 2, -1, -1):
            s, following = block[position:position + 2]
            if self.foldable(s, following) and self.fold(s, following):
                del block[position]

    # --- any value

    def foldable(self, s: Any, following: Any) -> bool:
        if not _names(s) or t.is_comment(following):
            return False
        name = s.targets[0].id
        if name in self.own or name in self.unit.unset and t.same(s.value, t.const(None)):
            return False
        if isinstance(s.value, gast.Call) and primitive_of(self.unit.lookup(s.value.func)).state == "changes":
            return False
        return not any(try_.is_context(x) or self.attempt(x) for x in (s, following))

    def attempt(self, s: Any) -> bool:
        value = getattr(s, "value", None)                           # becomes a `try`
        return isinstance(value, gast.Call) and isinstance(self.unit.lookup(value.func), Attempt)

    def fold(self, s: Any, following: Any) -> bool:
        name, value = s.targets[0].id, s.value
        field = self.field(following)
        if field is None or isinstance(following, gast.AugAssign) and name in t.target_names(following.target):
            return False
        mentions = [n for n in t.walk(following) if t.is_name(n, name) and not isinstance(n.ctx, gast.Store)]
        header = getattr(following, field)
        bound = isinstance(following, gast.Assign) and name in t.writes(following)
        if len(mentions) != 1 or header is None or not (bound or name not in self.liveness.after[id(following)]):
            return False
        before = _before(header, mentions[0])
        if before is None or not self.in_order(value, before, following):
            return False
        if not self.short(s, following, header) or not self.commented(s, following, value):
            return False
        setattr(following, field, t.Substitute({name: value}).visit(header))
        if isinstance(following, gast.Return) and not isinstance(value, (gast.Name, gast.Tuple)):
            following.origin, following.computes = t.origin_of(s), True
        return True

    def field(self, s: Any) -> str | None:
        """The part of a statement that is evaluated once, before anything else happens."""
        if isinstance(s, (gast.Assign, gast.AugAssign, gast.Expr)) or isinstance(s, gast.Return) and self.half:
            return "value"
        if isinstance(s, gast.If) and not is_stop(s):
            return "test"
        return "iter" if isinstance(s, gast.For) else None

    def in_order(self, value: Any, before: list, following: Any) -> bool:
        """Whether it makes no difference that the value is computed after what stands before it."""
        if isinstance(following, gast.AugAssign) and not isinstance(following.target, gast.Name):
            before = [*before, following.target]
        if all(map(self.inert, before)) or self.inert(value):
            return True
        return self.computes(value) and all(map(self.computes, before))

    def inert(self, node: Any) -> bool:
        """Whether nothing is computed: a name, a constant, a function."""
        if isinstance(node, (gast.Tuple, gast.List)):
            return all(map(self.inert, node.elts))
        if isinstance(node, gast.Attribute):
            return self.unit.lookup(node) is not MISSING or isinstance(node.value, gast.Name) and node.attr == "append"
        return isinstance(node, (gast.Name, gast.Constant, gast.operator, gast.cmpop, gast.expr_context))

    def computes(self, node: Any) -> bool:
        """Whether an expression changes nothing: no array in place, no list, nothing in a function that was generated."""
        if not pure(node, self.unit):
            return False
        for call in t.walk(node):
            if isinstance(call, gast.Call):
                function = self.unit.lookup(call.func)
                if primitive_of(function).state == "changes":
                    return False
                method = call.func.attr if isinstance(call.func, gast.Attribute) and function is MISSING else ""
                made = getattr(function, "__sourcegrad_callable__", False)
                if method in ("pop", "append", "sort") or made or any(keyword.arg == "out" for keyword in call.keywords):
                    return False
        return True

    def short(self, s: Any, following: Any, header: Any) -> bool:
        """Whether the line stays short. What a forward half keeps stands on the line of its result, at any length."""
        value = s.value
        if isinstance(following, gast.Return) and id(s) in self.forward and isinstance(header, gast.Tuple):
            return isinstance(value, gast.Tuple) or width(header) + width(value) <= WIDTH
        own = following if isinstance(following, (gast.Assign, gast.AugAssign)) else header
        return width(own) + width(value) - len(t.writes(s)[0]) <= WIDTH

    def commented(self, s: Any, following: Any, value: Any) -> bool:
        """Whether each line of the user still has its comment; what is only taken from somewhere needs none."""
        if id(s) in self.forward or isinstance(following, gast.Return) and not getattr(following, "computes", False):
            return True
        one, other = t.origin_of(s), t.origin_of(following)
        if one is None or other is None or one[:2] == other[:2]:
            return True
        taken = isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute) and value.func.attr == "pop"
        return taken or isinstance(value, TAKEN) or (isinstance(value, gast.Call) and self.unit.lookup(value.func) in (
            runtime.entry_of, runtime.zeros_like, runtime.item_at))


def _names(s: Any) -> bool:
    """Whether a statement gives one name a value."""
    return isinstance(s, gast.Assign) and len(s.targets) == 1 and t.is_name(s.targets[0])


def _before(node: Any, name: Any) -> list | None:
    """What is evaluated before a name of an expression; None if that may not be evaluated exactly once."""
    if node is name:
        return []
    if isinstance(node, LATER):
        return None
    before: list = []
    for part in _parts(node):
        if any(inner is name for inner in t.walk(part)):
            first = not before
            if isinstance(node, (gast.IfExp, gast.BoolOp)) and not first or isinstance(node, gast.Compare) and len(node.ops) > 1:
                return None
            inside = _before(part, name)
            return None if inside is None else before + inside
        before.append(part)
    return None


def _parts(node: Any) -> Iterator[Any]:
    """The parts of an expression in the order of evaluation."""
    if isinstance(node, gast.Dict):
        return (part for part in itertools.chain.from_iterable(zip(node.keys, node.values)) if part is not None)
    if isinstance(node, gast.IfExp):
        return iter((node.test, node.body, node.orelse))
    return (part for part in gast.iter_child_nodes(node)
            if not isinstance(part, (gast.operator, gast.unaryop, gast.boolop, gast.cmpop, gast.expr_context)))


# --- What only tells the analyses something is left out of the final text.
#
# `as_class(x, C)` and `nothing(x)` are x, and the maker of a closure value is a tuple of what is captured.

def unmarked(tree: Any, unit: Unit) -> None:
    """Leave out the marks."""
    names = {name for name, value in unit.env.items() if value is runtime.as_class or value is runtime.nothing}
    makers = {name for name, value in unit.env.items() if isinstance(value, Maker)}
    if names or makers:
        _Unmark(names, makers).visit(tree)


class _Unmark(t.Transformer):
    def __init__(self, names: set[str], makers: set[str]) -> None:
        self.names, self.makers = names, makers

    def visit_Call(self, node: gast.Call) -> Any:
        self.generic_visit(node)
        if not isinstance(node.func, gast.Name):
            return node
        if node.func.id in self.makers:
            return t.pack(node.args)
        return node.args[0] if node.func.id in self.names else node


def tidy(tree: Any, unit: Unit, facts: Infer, half: bool) -> Any:
    """Tidy a final tree, in place: each statement stands for itself, nothing is derived from it any more.

    half: it is one half of the function of a call."""
    counts: collections.Counter[str] = collections.Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name))
    _block(tree.body, counts, unit)
    tree.body = taken_last(_telling(tree.body), unit)
    counts = collections.Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name))
    tree.body = tested(tree.body, counts, unit.function.local)
    dense_entries(tree, unit, facts)
    entries(tree, unit, facts)
    own, forward = unit.function.local, forward_sweep(tree, half)
    tree.body = choices(unpacked(tree.body, facts, own, unit.names), unit, forward)
    items(tree, unit, facts, forward_sweep(tree, half))
    adjacent(tree, unit, half)
    displays(tree, unit, facts)
    queues(tree, unit, facts)
    tree.body = _together(tree.body, own)
    return tree


# --- A list that a loop makes longer or shorter at its start is a deque: of a list, all items are moved each time.
#
#     q = []                          q = deque()
#     while ...:                      while ...:
#         q.pop(0)                        q.popleft()
#         q.insert(0, v)                  q.appendleft(v)

def queues(tree: Any, unit: Unit, facts: Infer) -> None:
    """Write lists as deques where nothing is asked of them that takes longer of a deque, in place."""
    found = _Queues(unit, facts)
    for s in tree.body:
        found.look(s, False, [])
    for name in sorted(found.wanted - found.others):
        for s in found.made[name]:
            value = s.value.args[0] if found.calls(s.value, list) else s.value
            empty = isinstance(value, gast.List) and not value.elts
            s.value = t.call(unit.use(collections.deque, "deque"), *([] if empty else [value]))
        for call in found.starts[name]:
            call.func.attr, call.args = ("popleft", []) if call.func.attr == "pop" else ("appendleft", call.args[1:])
        for call in found.whole[name]:
            call.args = [t.call("list", x) if t.is_name(x, name) else x for x in call.args]


class _Queues:
    """made: where names are new lists; starts: calls that change the first item; whole: other calls that read a name, outside of
    loops; wanted: names with such changes in a loop; others: those of which more is asked."""

    def __init__(self, unit: Unit, facts: Infer) -> None:
        self.unit, self.facts = unit, facts
        self.made, self.starts, self.whole = (collections.defaultdict[str, list](list) for _ in range(3))
        self.wanted: set[str] = set()
        self.others: set[str] = set()

    def calls(self, node: Any, *functions: Any) -> bool:
        found = self.unit.lookup(node.func) if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) else None
        return any(found is x or found is MISSING and node.func.id == getattr(x, "__name__", "") for x in functions)

    def look(self, node: Any, loop: bool, tested: list) -> None:
        loop = loop or isinstance(node, (gast.For, gast.While, *LATER))
        known = tested if isinstance(node, gast.BoolOp) else []          # names of which no more is asked than a deque gives
        if isinstance(node, gast.Assign) and len(node.targets) == 1 and t.is_name(node.targets[0]) and isinstance(
                self.facts.kinds.get(node.targets[0].id), k.Lst) and (
                isinstance(node.value, (gast.List, gast.ListComp)) or self.calls(node.value, list, runtime.zeros_like)):
            self.made[node.targets[0].id].append(node)
            known = node.targets
        elif isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and t.is_name(node.func.value):
            name, method, args = node.func.value.id, node.func.attr, node.args
            start = bool(args) and t.same(args[0], t.const(0)) and (method, len(args)) in (("pop", 1), ("insert", 2))
            if start:
                self.starts[name].append(node)
                self.wanted |= {name} if loop else set()
            known = [node.func] if start or (method, len(args)) in (("append", 1), ("pop", 0)) else []
        elif isinstance(node, gast.Subscript) and t.is_name(node.value) and any(
                t.same(node.slice, end) for end in (t.const(0), t.const(-1))):
            known = [node.value]
        elif self.calls(node, len, bool, sum):
            known = list(filter(t.is_name, node.args))
        elif isinstance(node, (gast.If, gast.While)):
            known = list(filter(t.is_name, [node.test, *(node.test.values if isinstance(node.test, gast.BoolOp) else ())]))
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            known = [node.operand] if t.is_name(node.operand) else []
        elif not loop and self.calls(node, runtime.zeros_like, runtime.regroup):
            known = list(filter(t.is_name, node.args))
            for x in known:
                self.whole[x.id].append(node)
        if isinstance(node, gast.Name):
            self.others.add(node.id)
        for child in t.children(node):
            if not any(child is x for x in known):
                self.look(child, loop, known)


def _telling(block: list) -> list:
    """Without what says nothing, `x = x` (where an object has changed in place), but for a block of nothing else."""
    for s in block:
        t.map_blocks(s, _telling)
    return [s for s in block if not t.says_nothing(s)] or block


def _block(block: list, counts: collections.Counter[str], unit: Unit) -> None:
    position = 0
    while position < len(block):
        s = block[position]
        for field in t.BLOCKS:
            inner = getattr(s, field, None)
            if isinstance(inner, list):
                _block(inner, counts, unit)
        if isinstance(s, gast.Assign) and t.is_name(s.value) and _hand_over(block, position, counts, unit):
            del block[position]
        else:
            position += 1


def _hand_over(block: list, position: int, counts: collections.Counter[str], unit: Unit) -> bool:
    """`pair = f(); x, y = pair` is `x, y = f()`, if nothing else reads pair or needs an old x or y until then."""
    old, target = block[position].value.id, block[position].targets[0]
    new = set(t.target_names(target))
    plain = isinstance(target, gast.Name) or isinstance(target, gast.Tuple) and all(map(t.is_name, target.elts))
    if counts[old] != 2 or not plain or old in new:                     # its assignment and this
        return False
    for s in reversed(block[:position]):
        if isinstance(s, gast.Assign) and old in t.writes(s):
            attempt = isinstance(s.value, gast.Call) and isinstance(unit.lookup(s.value.func), Attempt)     # becomes a `try`
            if new & set(t.writes(s)) or attempt:
                return False
            s.targets = [_Replaced(old, target).visit(s.targets[0])]
            return True
        if any(isinstance(n, gast.Name) and n.id in {old, *new} for n in t.walk(s)):
            return False
    return False


class _Replaced(t.Transformer):
    def __init__(self, name: str, target: Any) -> None:
        self.name, self.target = name, target

    def visit_Name(self, node: gast.Name) -> Any:
        return self.target if node.id == self.name else node


def _together(block: list, own: set[str]) -> list:
    """`a = None`, `b = None` ... are `a = b = None`, and `a = []`, `b = []` ... are `a, b = [], []`, for names that are
    not the user's."""
    result: list = []
    for s in block:
        if not is_stop(s):
            t.map_blocks(s, _together, own)
        kind = _start(s, own)
        last: Any = result[-1] if result else None
        if kind is None or kind != _start(last, own):
            result.append(s)
        elif sum(len(name) + (6 if kind == "list" else 3) for name in [*t.writes(last), *t.writes(s)]) > WIDTH:
            result.append(s)
        elif kind != "list":
            last.targets += s.targets
        else:
            names = [t.store(name) for name in [*t.writes(last), *t.writes(s)]]
            last.targets = [gast.Tuple(elts=names, ctx=t.STORE)]
            last.value = t.pack([gast.List(elts=[], ctx=gast.Load()) for _ in names])
    return result


def _start(s: Any, own: set[str]) -> Any:
    """What a statement starts names with: a constant, or new lists."""
    if not isinstance(s, gast.Assign):
        return None
    value = s.value
    lists = value.elts if isinstance(value, gast.Tuple) and len(value.elts) > 1 else [value]
    if all(isinstance(x, gast.List) and not x.elts for x in lists):
        return "list" if all(map(t.is_name, _targets(s))) and own.isdisjoint(t.writes(s)) else None
    if not isinstance(value, gast.Constant) or isinstance(value.value, str) or not all(map(t.is_name, s.targets)):
        return None
    return repr(value.value) if value.value is None or own.isdisjoint(t.writes(s)) else None


def _targets(s: gast.Assign) -> list:
    return s.targets[0].elts if isinstance(s.targets[0], gast.Tuple) else s.targets
