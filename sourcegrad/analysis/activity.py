"""Activity: which names depend on the inputs (varied), and through which names a derivative flows.

The text of a rule says for which of its parameters it has contributions; it is parsed once.
"""

from __future__ import annotations

import types
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.objects import check_implicit, class_of
from sourcegrad.analysis.python_types import of_shape, only_sizes
from sourcegrad.analysis.shift_invariance import shifts
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import MissingRuleError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.dataflow import closure
from sourcegrad.ir.tree import OPERATORS
from sourcegrad.ir.unit import Unit
from sourcegrad.parse.resolve import describe, resolve
from sourcegrad.primitives import core
from sourcegrad.primitives.core import DEPENDS, RULES, ZERO_DERIVATIVE, primitive_of

_parsed: dict[Any, Unit] = {}
_differentiable: dict[Any, frozenset[str]] = {}


def parsed(rule: core.Rule) -> Unit:
    """The rule's own tree with its free names resolved and its parts written out."""
    if rule.function not in _parsed:
        unit = _parsed[rule.function] = resolve(describe(rule.function))
        unit.tree.body = _with_parts(unit.tree.body, unit)
    return _parsed[rule.function]


def _with_parts(block: list, unit: Unit) -> list:
    """`return part(a, b)` as the last statements of the rule."""
    result: list = []
    for s in block:
        if isinstance(s, gast.If):
            s.body, s.orelse = _with_parts(s.body, unit), _with_parts(s.orelse, unit)
        part = unit.lookup(s.value.func) if isinstance(s, gast.Return) and isinstance(s.value, gast.Call) else None
        if part is None or not isinstance(part, types.FunctionType) or part not in core.PARTS:
            result.append(s)
            continue
        text = resolve(describe(part))
        if [getattr(a, "id", None) for a in s.value.args] != text.parameters:
            raise TypeError(f"{part.__name__} is called with other names than its parameters in {unit.function.name}")
        unit.env.update(text.env)
        result += [item for item in text.tree.body if not t.is_comment(item)]
    return result


def differentiable(rule: core.Rule) -> frozenset[str]:
    """Parameters for which the rule returns a contribution in some branch."""
    if rule.function not in _differentiable:
        _differentiable[rule.function] = frozenset(
            name for parts in returned(rule) for name, part in zip(rule.parameters, parts)
            if not (isinstance(part, gast.Constant) and part.value is None) and not (isinstance(part, gast.List) and not part.elts))
    return _differentiable[rule.function]


def left_out(rule: core.Rule) -> tuple[str, ...]:
    """Parameters of which the rule says nothing: they may not depend on the inputs."""
    return rule.parameters[max(len(parts) for parts in returned(rule)):]


def is_text(rule: core.Rule) -> bool:
    """Whether the text of a rule can be put into generated code: assignments of new names, `if` and `return`."""
    statements = list(t.statements(parsed(rule).tree.body))
    made = [name for s in statements for name in t.writes(s)]
    return len({*made, "ct", "out", *rule.parameters}) == len(made) + 2 + len(rule.parameters) and all(
        isinstance(s, (gast.If, gast.Return)) or t.is_comment(s) or isinstance(s, gast.Expr) and isinstance(s.value, gast.Constant)
        or isinstance(s, gast.Assign) and len(s.targets) == 1 and all(isinstance(x, (gast.Name, gast.Tuple)) for x in (
            s.targets[0], *getattr(s.targets[0], "elts", []))) for s in statements)


def returned(rule: core.Rule) -> list[list]:
    values = [s.value for s in t.statements(parsed(rule).tree.body) if isinstance(s, gast.Return)]
    return [value.elts if isinstance(value, gast.Tuple) else [value] for value in values]


NUMPY_2 = int(np.__version__.partition(".")[0]) >= 2


@dataclass
class Flow:
    """What depends on what in a function: names on its inputs and on other names, attributes of objects with identity on names.

    names: the names on which others depend, these others, and the attribute that is loaded, if one is. stores: names, and the
    attribute in which they are stored; None: that is not known."""
    inputs: set[str]
    names: list[tuple[frozenset[str], list[str], str | None]]
    stores: list[tuple[frozenset[str], str | None]]

    def varied(self, known: AbstractSet[str] | None) -> set[str]:
        """The names that depend on the inputs, if the attributes that are known hold such; None: any attribute."""
        found = set(self.inputs)
        while True:
            before = len(found)
            for sources, names, attribute in self.names:
                if not found.isdisjoint(sources) and (attribute is None or known is None or attribute in known):
                    found.update(names)
            if len(found) == before:
                return found

    def attributes(self, known: AbstractSet[str]) -> set[str | None]:
        """The attributes in which something is stored that depends on the inputs, if those that are known hold such."""
        varied = self.varied(known)
        return {attribute for sources, attribute in self.stores if not varied.isdisjoint(sources)}


class Unforeseen(Exception):
    """An attribute holds what depends on the inputs, other than `attributes_reached` has said."""


def attributes_reached(flows: list[Flow]) -> frozenset[str] | None:
    """The attributes of objects that may hold what depends on the inputs of functions that call each other; None: any.

    The inputs of each may be more than those of which derivatives are wanted: nothing is stored in other attributes than these."""
    known: set[Any] = set()
    while True:
        before = len(known)
        for flow in flows:
            known |= flow.attributes(known)
        if None in known:
            return None
        if len(known) == before:
            return frozenset(known)


class Activity:
    """`varied`: names that depend on the inputs through differentiable operations.

    attributes: those of objects with identity that may hold such; None: any."""

    def __init__(self, facts: Infer, inputs: set[str], attributes: frozenset[str] | None = None) -> None:
        self.facts = facts
        self.attributes = attributes
        self.unit = facts.unit
        self.varied = set(inputs)
        self.first = set(inputs)                        # what varies without reading what does
        self.still = shifts(facts)                     # extrema without influence
        check_implicit(facts.kinds)

    def run(self) -> Activity:
        self.first = set(self.varied)
        reads = [(s, t.reads(s.value)) for s in t.statements(self.unit.tree.body) if isinstance(s, (gast.Assign, gast.Expr))]
        closure(self.varied, reads, lambda read: None if self.varied.isdisjoint(read[1]) else self._forward(read[0]))
        return self

    def _refuse_lost(self, s: Any) -> None:
        """An operator without derivative on what is not a number (a | b of dicts) would lose the derivative silently."""
        value = s.value
        self._refuse_keys(s, value)
        self._refuse_grids(s, value)
        self._refuse_options(s, value)
        self._refuse_signs(s, value)
        if isinstance(value, gast.BinOp) and OPERATORS[type(value.op)] in ZERO_DERIVATIVE and not self.unit.function.pure:
            for operand in (value.left, value.right):
                if any(n in self.varied for n in t.reads(operand)) and not k.is_numeric(self.facts.of(operand) or k.ANY):
                    raise UnsupportedError("this operator on a value that depends on the inputs and is not a number",
                                           t.origin_of(s), "Build the value in another way.")

    def _refuse_keys(self, s: Any, value: Any) -> None:
        """What a dict or set finds under a number that depends on the inputs changes with it in jumps.

        To read under a key of unknown kind is fine: what is found has its own derivative."""
        keys: list = []
        if isinstance(value, gast.Subscript) and isinstance(self.facts.of(value.value), (k.Dct, k.Map)):
            keys = [] if self.facts.of(value.slice) is k.ANY else [value.slice]
        elif isinstance(value, gast.Call):
            function = self.unit.lookup(value.func)
            if primitive_of(function).keyed:
                keys = [value.args[1]]
            elif function is runtime.index_set and isinstance(self.facts.of(value.args[0]), (k.Dct, k.Map)):
                keys = [value.args[1]]
        for n in (n for key in keys for n in t.reads(key)):
            if n in self.varied and not self.unit.function.pure:
                raise UnsupportedError("a key that depends on the inputs", t.origin_of(s),
                                       "Use keys that are constants, such as text.")

    def _refuse_grids(self, s: Any, value: Any) -> None:
        """An object that computes with its index (np.mgrid, np.ogrid) would lose the derivative silently."""
        kind = self.facts.of(value.value) if isinstance(value, gast.Subscript) else None
        if not isinstance(kind, k.Obj) or kind.cls in (str, range) or self.unit.function.pure:
            return
        if any(n in self.varied for n in t.reads(value.slice)):
            raise UnsupportedError(f"an index of {source.expression_text(value.value)} that depends on the inputs",
                                   source.locate(value, t.origin_of(s)),
                                   "Write what it gives with np.linspace, np.arange or np.concatenate.")

    def _refuse_signs(self, s: Any, value: Any) -> None:
        """The sign of a complex number turns with it; it was that of its real part before NumPy 2."""
        if NUMPY_2 and isinstance(value, gast.Call) and value.args and self.unit.lookup(value.func) is np.sign:
            kind = k.as_num(self.facts.of(value.args[0]) or k.ANY)
            if isinstance(kind, k.Num) and kind.is_complex and not self.unit.function.pure:
                raise UnsupportedError("np.sign of complex numbers that depend on the inputs", source.locate(value, t.origin_of(s)),
                                       "Write z / np.abs(z).")

    def _refuse_options(self, s: Any, value: Any) -> None:
        """A float that depends on the inputs, where the rule has no contribution (a norm of order p): lost silently."""
        target = call_targets.target_of(value, self.unit, self.facts.of) if isinstance(value, gast.Call) else None
        if target is None or target.object is None or not target.known or is_helper(target.object):
            return
        if target.object in RULES:
            options = left_out(RULES[target.object])
            try:
                bound = call_targets.bind_rule(RULES[target.object], target) if options else {}
            except TypeError:
                return
        else:
            options = () if self.unit.function.pure else DEPENDS.get(target.object, ())
            bound = {**dict(zip(options, target.args)), **target.keywords}
            if options == ("*",):
                bound = {"*": t.pack(target.operands)}
        for name in options:
            for part in t.reads(bound[name]) if isinstance(bound.get(name), gast.AST) else []:
                kind = k.as_num(self.facts.kinds.get(part, k.ANY))
                if part in self.varied and (target.object in DEPENDS or isinstance(
                        kind, k.Num) and kind.dtype is not None and not kind.is_discrete):
                    called = source.expression_text(value.func)
                    raise UnsupportedError(
                        f"'{name}' of {called} depends on the inputs, and its rule has no derivative for it"
                        if name != "*" else f"what {called} is given depends on the inputs: it has no derivative rule",
                        source.locate(value, t.origin_of(s)),
                        f"Keep it constant (sg.stop_gradient({part})), or write the formula out.")

    def _forward(self, s: Any) -> list[str] | None:
        """What varies by a statement that reads what does; None if that is not what its value depends on."""
        if isinstance(s, gast.Assign):
            self._refuse_lost(s)
        found = self._reached(s)
        if found is None:
            return []
        return None if self.varied.isdisjoint(found[0]) else found[1]

    def _reached(self, s: Any) -> tuple[frozenset[str], list[str]] | None:
        """The names on which a statement's value depends, and those that get it and may carry a derivative."""
        method = t.list_method(s)
        if method is not None and method[1] == "append":
            return frozenset(t.reads(s.value.args[0])), self._carrying([method[0]])
        return (frozenset(self.sources(s.value)), self._carrying(t.writes(s))) if isinstance(s, gast.Assign) else None

    def _carrying(self, names: list[str]) -> list[str]:
        """Those of some names that may carry a derivative."""
        return [n for n in names if n not in self.still and not k.is_discrete(self.facts.kinds.get(n, k.ANY))]

    def active_sources(self, value: Any) -> list[str]:
        return [n for n in self.sources(value) if n in self.varied]

    def sources(self, value: Any) -> list[str]:
        """Names in an expression whose derivative flows into its value."""
        if isinstance(value, gast.Name):
            return [value.id]
        if isinstance(value, (gast.BinOp, gast.UnaryOp)):
            if isinstance(value.op, gast.Not) or OPERATORS[type(value.op)] in ZERO_DERIVATIVE:
                return []
            return t.reads(value)
        if isinstance(value, gast.Attribute):
            owner = self.facts.of(value.value)
            if isinstance(owner, k.Named):
                return t.reads(value.value)
            if isinstance(owner, k.OneOf) or isinstance(owner, k.Obj) and class_of(owner) is not None:
                return t.reads(value.value) if owner.flows(value.attr) else []
            return [] if of_shape(value, self.facts.of(value.value)) else t.reads(value.value)
        if isinstance(value, gast.Subscript):
            return t.reads(value.value)
        if isinstance(value, (gast.Tuple, gast.List, gast.Dict)):
            return t.reads(value)
        if isinstance(value, gast.Call):
            return self._call_sources(value)
        return []

    def _call_sources(self, value: gast.Call) -> list[str]:
        found = t.list_method(gast.Expr(value=value))
        if found is not None and found[1] == "pop":
            return [found[0]]
        target = call_targets.target_of(value, self.unit, self.facts.of)
        if target.object is not None and target.object is not runtime.call_unchanging and (
                target.object in ZERO_DERIVATIVE or target.inert or only_sizes(target.object)):       # (that one carries none)
            return []
        if target.plain is not None or target.object is runtime.make_object:
            return [n for a in target.operands for n in t.reads(a)]
        if self.attributes is not None and (name := self.loaded(value)) is not None and name not in self.attributes:
            return []
        if target.object is not None and target.object in RULES:
            rule = RULES[target.object]
            try:
                bound = call_targets.bind_rule(rule, target)
            except TypeError:
                return t.reads(value)
            wanted = differentiable(rule)
            return [n for name, node in bound.items() if name in wanted for n in _names(node)]
        callee = [] if target.object is not None else t.reads(value.func)
        return callee + [n for a in target.operands for n in t.reads(a)]


    # --- attributes of objects with identity

    def loaded(self, value: Any) -> str | None:
        """The name of the attribute that a call loads, if that is data: a function may look at what depends on the inputs."""
        if not isinstance(value, gast.Call) or self.unit.lookup(value.func) is not runtime.place_load:
            return None
        owner = self.facts.of(value.args[1])
        return text(value.args[2]) if owner is not None and k.holds_attributes(owner) and is_data(self.facts.of(value)) else None

    def flow(self) -> Flow:
        """What depends on what in the function, as it stands now."""
        found = Flow(self.first, [], [])
        for s in t.statements(self.unit.tree.body):
            if isinstance(s, (gast.Assign, gast.Expr)):
                names = self._reached(s)
                if names is not None and names[1]:
                    found.names.append((*names, self.loaded(s.value)))
                if isinstance(s.value, gast.Call):
                    found.stores += self._stored(s.value)
        return found

    def _stored(self, value: gast.Call) -> list[tuple[frozenset[str], str | None]]:
        """The names that a call stores in attributes, and in which; None: that is not known."""
        primitive = primitive_of(self.unit.lookup(value.func))
        names = frozenset(n for x in value.args[1:] for n in t.reads(x))
        if primitive.objects in ("moves", "copies", "values"):
            return [(names, None)]
        if primitive.state != "changes" or not primitive.puts:
            return []
        owner, name = self.facts.of(value.args[1]) or k.ANY, text(value.args[2])
        contained = k.is_held_list(owner) or k.is_held_dict(owner) or k.is_held_array(owner)
        return [(names, name)] if name is not None else [] if contained else [(names, None)]


def is_data(kind: Any) -> bool:
    """Whether a value certainly consists of numbers and texts: it is no function, and holds none."""
    if isinstance(kind, (k.Tup, k.Lst, k.Dct, k.Map)):
        return all(map(is_data, k.parts(kind)))
    return isinstance(kind, (k.Num, k.Const, k.Discrete)) or k.is_text(kind)


def text(node: Any) -> str | None:
    """The text that an expression is."""
    return node.value if isinstance(node, gast.Constant) and isinstance(node.value, str) else None


def _names(node: Any) -> list[str]:
    if isinstance(node, tuple):
        return [n for item in node for n in t.reads(item)]
    return t.reads(node)


def is_helper(function: Any) -> bool:
    """Whether it belongs to generated code: its arguments may be there for their shape only."""
    module = getattr(function, "__module__", None) or ""
    return module.startswith("sourcegrad.")


def missing_rule(name: str, parameters: str, origin: Any, target: Any = None) -> MissingRuleError:
    from sourcegrad.ir.source import parameters_of, path_of, rule_text
    function = getattr(target, "object", None)
    if callable(function) and not getattr(function, "__sourcegrad_callable__", False):
        given, parameters = parameters, ", ".join(parameters_of(function, True))
        parameters = given if parameters.count(",") < given.count(",") else parameters
        path = path_of(function)
    else:
        path = name
    lost = getattr(target, "problem", None)
    lost = lost if lost is not None and lost.changed else None
    return MissingRuleError(
        f"{name} has no derivative rule and no Python source" if lost is None else
        f"{name} has no derivative rule, and {lost.message}", origin,
        ("After an edit, reload the module. " if lost is not None else "") + "Give it a rule:\n" + rule_text(path, parameters)
        + f"\nor say that its derivative is zero: sg.nondifferentiable({path})")
