"""The order of all passes: the only place where it lives. Every stage is a Python program and can be shown."""
from __future__ import annotations

import gc
import random
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, TypeVar

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.call_pairs import primal_call
from sourcegrad.ad.reverse import Reverse
from sourcegrad.ad.sweeps import made_real, real_part
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import Activity, Flow, Unforeseen, attributes_reached
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.purity import STATES, STREAM
from sourcegrad.analysis.python_types import check_functions, check_streams
from sourcegrad.analysis.result_types import without_own_sizes
from sourcegrad.analysis.tbr import Record
from sourcegrad.analysis.types import Infer
from sourcegrad.analysis.zero_guards import Guards, LeftOut, Traits
from sourcegrad.compiler import linking
from sourcegrad.compiler.checkpointing import Checkpointing
from sourcegrad.compiler.emit import finish, guarded, home, standing
from sourcegrad.compiler.linking import Budget, Derived, Half, Trial, keep_freed_memory
from sourcegrad.compiler.passes import Trace, Work
from sourcegrad.compiler.specialize import Endless, Failed, Growing, Preparation, Prepared, Twins, joined, settled
from sourcegrad.compiler.ways import chosen
from sourcegrad.errors import MissingRuleError, OutputError, SourcegradError
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import assigned_after
from sourcegrad.ir.paths import base_of, follow
from sourcegrad.ir.scopes import MISSING, Scope
from sourcegrad.ir.unit import Function, Unit
from sourcegrad.kinds.arguments import changes_in, holds_objects
from sourcegrad.lowering.held_arrays import parameter
from sourcegrad.lowering.optional_numbers import optional_numbers
from sourcegrad.lowering.places import check_written
from sourcegrad.memory.heap import LOOKS, OUTSIDE, followed, reached
from sourcegrad.optimize.copy_elision import own_arrays, own_lists
from sourcegrad.optimize.inline import Room
from sourcegrad.parse.resolve import fence, keeping_described
from sourcegrad.parse.traps import trapped, until_certain
from sourcegrad.primitives import with_scipy
from sourcegrad.primitives.adjoint_kinds import adjoint_kind, known_adjoints, loosened, maybe_none, type_name, widened
from sourcegrad.primitives.core import primitive_of

__all__ = ["Compiler", "Derived", "Half", "Pair", "Prepared", "derive", "derive_halves"]


@dataclass(eq=False)
class Pair:
    """Forward and reverse half of a callee, which returns the adjoints of `active`; given: saved is just these parameters."""

    forward: Half
    reverse: Half
    active: tuple[str, ...]
    given: tuple[str, ...] | None = None


class Compiler(Preparation):
    """One generation: memo tables for callees and the guards that everything generated depends on."""

    apart = False                            # whether the user calls the halves of the outermost function
    guarding = True                          # whether derivatives that may be infinite are guarded (see `ad.sweeps.Reverse`)
    activity: type[Activity] = Activity      # what is active
    sweeps: type[Reverse] = Reverse          # how the two sweeps are made
    everything = False                       # whether all that is overwritten is saved

    def __init__(self, trace: Trace | None = None, growing: Iterable = (), alike: Twins | None = None) -> None:
        super().__init__(growing, trace)
        self.alike = alike or {}
        self.pairs: dict[Any, Pair] = {}
        self.making: list[Function] = []                    # functions whose pairs are being made
        self.primals: dict[Any, Half] = {}
        self.traits = Traits(self.prepare)
        self.names: dict[str, int] = {}
        self.alone: dict[Any, Any] = {}          # functions that are called in one place, and the function of that place
        self.singular = False                    # whether guards have been left out
        self.lost: set[Any] = set()              # functions whose closures end up where their kind is not known
        self.lifted: dict[Function, Half] = {}
        self.checkpointing: Checkpointing | None = None
        self.attributes: frozenset[str] | None = None       # of objects: those that may hold what depends on the inputs; None: any
        self.flows: list[Flow] = []              # of functions that store in objects

    @property
    def relies(self) -> list[tuple[Any, str, Any]]:
        """All that anything was made from which was looked at, as (scope, name, object or kind)."""
        return list({key: item for unit in self.normal.values() for key, item in unit.relies.items()}.values())

    # --- derivatives

    def primal_of(self, function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...],
                  top: bool = False) -> tuple[Unit, Infer, Activity]:
        """A function as it is differentiated, in either mode: in functional form, small callees in place. active: its inputs."""
        prepared = self.prepare(function, kinds, top)
        unit = prepared.unit.copy()
        facts = prepared.facts.on(unit)
        inputs = {n for n in active if not k.is_discrete(kinds[n])}
        activity = self.active(facts, inputs)
        room = Room(unit, self.alone)
        while self.passes.one("inline", Work(unit, facts), activity.varied, self.prepare, room):
            facts = Infer(unit, facts.given, self.solve).run()
            activity = self.active(facts, inputs)
            self.passes.verify(unit, "inline", unit.parameters)
        if self.passes.one("place_names", Work(unit, facts)):
            facts = Infer(unit, facts.given, self.solve).run()
            if optional_numbers(unit, facts):
                facts = Infer(unit, facts.given, self.solve).run()
            activity = self.active(facts, inputs)
            self.passes.verify(unit, "place_names", unit.parameters)
        for name in ("hoist_loads again", "aggregates", "cse"):
            if self.passes.one(name, Work(unit, facts)):
                facts = Infer(unit, facts.given, self.solve).run()
                activity = self.active(facts, inputs)
                self.passes.verify(unit, name, unit.parameters)
        if self.checkpointing is not None and self.checkpointing.outline(
                unit, facts, activity, self.effects, top):
            facts = Infer(unit, facts.given, self.solve).run()
            activity = self.active(facts, inputs)
            self.passes.verify(unit, "checkpoints", unit.parameters)
        if any(primitive_of(value).state for value in unit.env.values()):
            self.note(activity.flow())
        self.passes.done("derivative", unit)
        self.passes.show("inline", unit)
        return unit, facts, activity

    def active(self, facts: Infer, inputs: set[str]) -> Activity:
        """What depends on the inputs of a function."""
        return self.activity(facts, inputs, self.attributes).run()

    def note(self, flow: Flow) -> None:
        """Note what a function stores in objects; if that was foreseen once, see that it is so."""
        if self.attributes is None:
            self.flows.append(flow)
        elif not flow.attributes(self.attributes) <= self.attributes:
            raise Unforeseen

    def narrowed(self) -> frozenset[str] | None:
        """The attributes that may hold what depends on the inputs, once all code is generated as if any did; None: as it is.

        Where few names depend on them, the sweeps are not worth writing again; where objects turned out to hold more, all is."""
        loaded = {attribute for flow in self.flows for *_, attribute in flow.names if attribute is not None}
        if not loaded or self.attributes is not None or self.checkpointing is not None or self.world != self.begun:
            return None
        found = attributes_reached(self.flows)
        if found is None or loaded <= found:
            return None
        all_names, needed = (sum(len(flow.varied(known)) for flow in self.flows) for known in (None, found))
        return found if all_names - needed >= WORTH * all_names else None

    def combined(self, function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...], seed: str,
                 top: bool = False, dropped: int = 0) -> tuple[Unit, Infer, Reverse, list, list, set[str], tuple[str, str]]:
        """Forward and reverse sweeps of a function. seed: how the adjoint of the result starts. dropped: the caller may
        drop parts of the result."""
        unit, facts, activity = self.primal_of(function, kinds, active, top)
        if function.memory and not function.pure:
            check_written(unit, facts)
        everything = self.everything or linking.OPTIONS.save_everything
        plan = Record(facts, unit.counters, everything, activity.varied).run()
        guards: Any = Guards(facts, activity, dropped or -(seed == "given"), self.traits)
        guards = guards if self.guarding else LeftOut(guards, self)
        reverse = self.sweeps(facts, activity, plan, guards, self.pair, self.prepare, everything)
        if self.checkpointing is not None:
            reverse.pair = self.checkpointing.asked(reverse, self.pair)
        last = unit.tree.body[-1]
        value = last.value
        origin = t.origin_of(last)
        if isinstance(value, gast.Name) and value.id in activity.varied:
            result, live = value.id, {value.id}
        else:
            result, live = unit.names.fresh("value"), set()
        body = unit.tree.body[:-1]
        forward, back = reverse.block(body, live)
        forward = reverse.unset((0, "body"), origin) + forward
        kept = unit.names.fresh("value") if result in facts.local else result
        returned = read_parts(value, body, function.unread)
        forward.append(t.assign(kept, returned, origin))     # the reverse sweep may restore an earlier value
        first = seed_of(reverse, result, seed, origin) if result in activity.varied else []
        return unit, facts, reverse, forward, first + back, live, (result, kept)

    def gradient(self, function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...], single: bool,
                 with_value: bool, given: bool) -> Half:
        """The gradient function of a function for arguments of the given kinds."""
        fence(trapped(function)[0])
        bases = tuple(dict.fromkeys(base_of(path) for path in active))
        unit, facts, reverse, forward, back, live, (result, kept) = self.combined(
            function, kinds, bases, "given" if given else "one", top=True)
        check_output(facts, given, unit)
        origin = t.origin_of(unit.tree.body[-1])
        parts = []
        starts: dict[str, str] = {}
        for path in active:
            name = base_of(path)
            part = t.load(reverse.bar(name)) if name in live else reverse.zero(name)
            if name not in starts:
                starts[name] = unit.names.fresh(f"{name}_start")       # the name itself may be rebound
                forward.insert(0, t.assign(starts[name], t.load(name), origin))
            part, value = follow(path, part, t.load(starts[name]), kinds[name], reverse.helper)
            parts.append(t.call(reverse.helper(runtime.as_gradient), part, value))
        gradients = parts[0] if single else t.pack(parts)
        answer = t.pack([t.load(kept), gradients]) if with_value else (
            t.pack([gradients, t.subscript(t.load(kept), t.const(1))]) if function.aux else gradients)
        suffix = "value_and_grad" if with_value else "grad"
        name = self.name(f"{function.name}_{suffix}")
        parameters = parameters_of(function, unit)
        if given:
            parameters.kwonlyargs = [*parameters.kwonlyargs, t.parameter("grad_outputs")]
            parameters.kw_defaults = [*parameters.kw_defaults, None]
        body = [*forward, t.comment("--- reverse sweep", origin), *back, t.return_(answer, origin)]
        tree = t.function(name, parameters, body, t.origin_of(function.tree))
        all_kinds = dict(kinds)
        if given:
            all_kinds["grad_outputs"] = k.ANY                  # `check_cotangent` gives it the structure of the result
        value_kind = facts.result.items[0] if function.aux and isinstance(facts.result, k.Tup) else facts.result
        vector = not given and isinstance(value_kind, k.Num) and any(map(k.many, value_kind.dims or ()))
        half = Half(name, made_for=kinds, vector=vector)
        outputs = {name: reverse.bars.get(name) for name in bases}
        facts = self.optimise(unit, tree, all_kinds, outputs)
        half.result_kind = without_own_sizes(facts.result) or k.ANY
        self.emit([half], unit, [tree], function, facts)
        return half

    def pair(self, function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...] | None, dropped: int = 0) -> Any:
        """Generated halves of a callee (or, with active None, its generated primal). dropped: as in `combined`."""
        kinds = self.recursive(function, {n: kind if kind is not None else k.ANY for n, kind in kinds.items()})
        pairs = self.pairs if self.checkpointing is None or not self.checkpointing.depth else self.checkpointing.pairs
        deep = self.making.count(function)
        if deep > 2 or sum(1 for known, *_ in pairs if known is function) > 8:
            kinds = {n: loosened(kind) if deep == 3 else widened(kind) for n, kind in kinds.items()}
        kinds, dropped = joined(self.alike, (function.name, function.origin, active), kinds, dropped)
        key = (function, tuple(kinds.items()), active, dropped)
        if active is None:
            return self.primal(key, function, kinds)
        for known in ((*key[:-1], level) for level in range(dropped, 3)):     # one that is guarded already is right for all
            if known in pairs:
                return pairs[known]
        base = self.name(function.label)
        pair = Pair(Half(f"{base}_forward"), Half(f"{base}_reverse"), active)
        pairs[key] = pair
        self.making.append(function)
        try:
            if self.checkpointing is None:
                self.generate(pair, function, kinds, dropped, base)
            elif function.loop is not None:
                self.checkpointing.generate(self, pair, function, kinds, dropped)
            else:
                with self.checkpointing.counted(pair):
                    self.generate(pair, function, kinds, dropped, base)
        except MissingRuleError:
            del pairs[key]                              # the caller may do without
            raise
        finally:
            self.making.pop()
        return pair

    def generate(self, pair: Pair, function: Function, kinds: dict[str, k.Kind], dropped: int, base: str) -> None:
        active = pair.active
        value_kind = self.solve(function, kinds) or k.ANY
        pair.forward.result_kind = k.Tup((value_kind, k.ANY))
        unit, facts, reverse, forward, back, live, (result, kept) = self.combined(function, kinds, active, "none",
                                                                                       dropped=dropped)
        origin = t.origin_of(unit.tree.body[-1])
        bar = reverse.bar(result)
        parts = [real_part(t.load(reverse.bar(n)), facts.kinds.get(n), kinds[n], unit) if n in live else reverse.zero(n)
                 for n in active]
        answer = t.pack([t.load(kept), parts[0] if len(parts) == 1 else t.pack(parts)])
        body = [*forward, t.comment("--- reverse sweep", origin), *back, t.return_(answer, origin)]
        parameters = function.parameters
        tree = t.function(base, t.arguments([*parameters, bar]), body, t.origin_of(function.tree))
        outputs = {name: reverse.bars.get(name) for name in active}
        after = self.optimise(unit, tree, {**kinds, bar: adjoint_kind(value_kind)}, outputs, called=True)
        self.emit([pair.forward, pair.reverse], unit, halve(
            pair, unit, tree, after, kinds, bar, parameters, self.apart), function, after)

    def primal(self, key: Any, function: Function, kinds: dict[str, k.Kind], top: bool = False) -> Half:
        """A lifted function as a plain function of its own."""
        if key not in self.primals:
            half = self.primals[key] = Half(self.name(function.plain_label))
            half.result_kind = k.ANY if top else self.solve(function, kinds) or k.ANY
            unit = self.prepare(function, kinds, top).unit.copy()
            tree = t.function(half.__name__, t.arguments(function.parameters), unit.tree.body, function.origin)
            facts = Infer(unit, kinds, self.solve).run()
            reverse = Reverse(facts, Activity(facts, set()).run(), Record(facts, unit.counters).run(), None,
                              self.pair, self.prepare)
            for s in t.statements(tree.body):
                if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call):
                    s.value = primal_call(reverse, s)[0].value
            unset = Liveness().block(tree.body, frozenset()) & facts.local - set(function.parameters)
            tree.body[:0] = [t.assign(name, t.const(None), function.origin) for name in sorted(unset)]
            unit.tree = tree
            work = Work(unit, facts, tree, compiler=self)
            self.passes.one("escape", work)
            self.passes.one("forward_substitution", work)
            self.emit([half], unit, [tree], function, facts)
        return self.primals[key]

    def compared(self, function: Function, kinds: dict[str, k.Kind]) -> Trial | None:
        """The form without mutation, where an analysis of sharing stands behind it: see `api.shadow_run`. None: it may not run."""
        known = {key: found for key, found in self.prepared.final.items() if isinstance(found, Prepared)}
        trees = [looked.tree for looked in self.normal]
        if not linking.OPTIONS.validate or outward({key: (x.unit, x.facts, x.effects) for key, x in known.items()}):
            return None
        if all(map(plain, trees)) and not any(x.effects.mutates or x.effects.drawn or holds(x.facts) for x in known.values()):
            return Trial(None, 1)
        try:
            half = self.primal((function, "compared"), function, kinds, True)
            return Trial(half.function, half=half)
        except (SourcegradError, RecursionError, Growing, Endless):
            return None

    def changes(self, function: Function, kinds: dict[str, k.Kind]) -> list[tuple[str, list, bool]]:
        """What the outermost function changes in its arguments, see `Derived`."""
        effects = self.prepare(function, kinds, True).effects
        found: list[tuple[str, list, bool]] = [(name, [], False) for name in effects.changed if name in effects.compared]
        found += [(name, [], False) for name in function.parameters if parameter(function, name) in self.arrays]
        if function.memory == "entered":
            for name in [name for name in function.parameters if holds_objects(kinds.get(name))]:
                found += [(name, [], False)] if self.lists or self.dicts or self.arrays else [
                    (name, *item) for item in changes_in(kinds[name], self.stored())]
        for name, path, rebinding, whole, _ in sorted(effects.changes, key=repr):
            steps = [x.node.attr if x.sort == "attribute" else t.constant_of(x.node.slice) if x.sort == "index" and isinstance(
                x.node.slice, gast.Constant) else ... for x in path]
            known = next((j for j, step in enumerate(steps) if type(step) not in (str, int)), len(steps))
            item = name, steps[:known], bool(rebinding and whole and known == len(steps) > 0)
            found += [item] if item not in found else []
        return found

    def stored(self) -> set[tuple[type, str]]:
        """The attributes of objects that are stored, by their classes."""
        found: set[tuple[type, str]] = set()
        for looked in [x for x in self.prepared.final.values() if isinstance(x, Prepared) and x.unit.function.memory]:
            for s in t.statements(looked.unit.tree.body):
                call: Any = getattr(s, "value", None)
                if isinstance(call, gast.Call) and looked.unit.lookup(call.func) in (runtime.place_store, runtime.place_init):
                    owner: Any = looked.facts.of(call.args[1])
                    found |= {(one.cls, call.args[2].value) for one in (owner.items if isinstance(owner, k.OneOf) else [owner])}
        return found

    def reads(self) -> dict[str, list]:
        """Which parts are read of what lives outside, see `Derived`. (What is asked of the form of an array does not count.)"""
        found: dict[str, list] = {}
        for unit in self.normal.values():
            kinds = {name: seen for scope, name, seen in unit.relies.values()
                     if isinstance(scope, Scope) and isinstance(seen, k.Kind)}
            names = kinds.keys() - unit.function.local
            nodes, parts = list(t.walk(unit.tree)) if names else [], dict[int, Any]()
            for node in nodes:
                if isinstance(node, gast.Attribute) or isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Constant):
                    parts[id(node.value)] = node.attr if isinstance(node, gast.Attribute) else node.slice.value
                elif isinstance(node, gast.Call) and (shaped := shaped_of(unit.lookup(node.func))) is not None:
                    parts.update((id(x), "shape") for x in node.args[shaped:shaped + 1])
            for node in nodes:
                if isinstance(node, gast.Name) and node.id in names:
                    step, steps = parts.get(id(node)), found.setdefault(node.id, [])
                    if isinstance(kinds[node.id], k.Num):
                        steps += [None] if step not in FORM and None not in steps else []
                    elif (step := step if type(step) in (str, int) else None) not in steps:
                        steps.append(step)
        return found

    def close(self) -> None:
        """Let go of everything, once all is generated: facts hold the compiler that holds them, and such cycles are left to the
        garbage collector, which then looks at all trees."""
        for result in (*self.prepared.final.values(), *(kept for kept, _ in self.prepared.tentative.values())):
            if isinstance(result, Failed):                       # (raised again, its frames hold what is generated)
                result.problem.__traceback__ = result.problem.__context__ = result.problem.__cause__ = None
        vars(self).clear()

    def standing(self, function: Function) -> Half:
        """A lifted function as an object that closures can hold."""
        if function not in self.lifted:
            self.lifted[function] = standing(function, self.name(function.label))
        return self.lifted[function]

    def name(self, base: str) -> str:
        """Unique names for the functions of one generated module."""
        self.names[base] = self.names.get(base, 0) + 1
        return base if self.names[base] == 1 else f"{base}_{self.names[base]}"

    # --- back end

    def optimise(self, unit: Unit, tree: Any, kinds: dict[str, k.Kind], outputs: dict[str, str | None],
                 called: bool = False) -> Infer:
        """From the naive sweeps to what a person would write. called: they become the halves of a callee."""
        unit.tree = tree
        return self.passes.run("optimize", Work(unit, None, tree, kinds, outputs, self, called=called)).facts

    def emit(self, halves: list[Half], unit: Unit, trees: list, function: Function, facts: Infer) -> None:
        """Print, compile and register a generated function, or the two halves of one."""
        finish(halves, Work(unit, facts, trees=trees, sweeps=1 if unit.tangents else 2), function, self.passes)


def parameters_of(function: Function, unit: Unit) -> gast.arguments:
    """The parameters of an outermost function, with their defaults, for what is generated of it."""
    parameters = t.clone(function.tree.args)
    bound = function.scope.bound
    for defaults in (parameters.defaults, parameters.kw_defaults):       # functions: the object itself is put there
        for j, value in enumerate(bound.get(getattr(d, "id", "")) for d in defaults):
            if value is not None:
                defaults[j] = t.load(unit.use(value, value.__name__)) if home(value) else t.const(...)
    for node in t.walk(parameters):
        if isinstance(node, gast.Name):
            node.annotation = None
    return parameters


def read_parts(value: Any, body: list, unread: frozenset[int]) -> Any:
    """The result of a function, with zeros in the place of numbers that nobody reads, so that they need not be computed."""
    if not unread:
        return t.clone(value)
    made = next((s.value for s in reversed(body) if t.is_name(value) and value.id in t.writes(s)), None)
    if not isinstance(made, gast.Tuple):
        return t.const(0.0) if unread == {0} else t.clone(value)
    return t.pack([t.const(0.0) if j in unread else t.clone(x) for j, x in enumerate(made.elts)])


def seed_of(reverse: Reverse, result: str, seed: str, origin: Any) -> list:
    """The statement that starts the adjoint of the result. seed: as in `Compiler.combined`."""
    bar = reverse.bar(result)
    kind: Any = reverse.kind(result)
    output: Any = t.load(result)
    aux = reverse.unit.function.aux and seed != "none"
    if aux:                                             # (value, aux)
        kind, output = kind.items[0] if isinstance(kind, k.Tup) else k.ANY, t.subscript(output, t.const(0))
    if seed == "one":
        scalar = isinstance(kind, k.Num) and kind.dims == () and kind.is_complex is False
        if isinstance(reverse.facts.kinds.get(result), k.Optional):       # it is not None, or that is refused when it runs
            scalar, output = False, t.call(reverse.helper(runtime.as_class), output, t.load(reverse.unit.use(float, "float")))
        value = t.const(1.0) if scalar else t.call(reverse.helper(runtime.ones_like_output), output)
    elif seed == "given":
        value = t.call(reverse.helper(runtime.check_cotangent), t.load("grad_outputs"), output)
    else:
        return []
    return [t.assign(bar, t.pack([value, t.const(0.0)]) if aux else value, origin)]


def check_output(facts: Infer, given: bool, unit: Unit) -> None:
    """Refuse to differentiate a function whose result has no derivative, or needs to be told one."""
    kind = facts.result or k.ANY
    origin = t.origin_of(unit.tree.body[-1])
    if unit.function.aux:
        places = {t.origin_of(s) for s in t.walk(unit.function.tree) if isinstance(s, gast.Return)}
        parted = [s for s in t.statements(unit.tree.body) if isinstance(s, gast.Assign)
                  and isinstance(s.targets[0], gast.Tuple) and t.origin_of(s) in places]
        returned = [(t.origin_of(s), facts.of(s.value)) for s in parted] + [(origin, kind)]
        for place, found in returned:
            if isinstance(found, k.Num) and found.is_scalar or isinstance(found, k.Const) or (
                    isinstance(found, k.Tup) and len(found.items) != 2):
                raise OutputError(f"has_aux=True, and {unit.function.name}() returns a {type_name(found)}, not (value, aux)",
                                  place, "Return two things: the value, and what else is wanted.")
        kind = kind.items[0] if isinstance(kind, k.Tup) else k.ANY
    if isinstance(kind, k.Const) and kind.value is None and not any(isinstance(s, gast.Raise) for s in unit.tree.body):
        raise OutputError(f"{unit.function.name}() returns nothing, so there is nothing to differentiate", origin,
                          "Return the value; or, if arguments change in place, name them: f.output(\"A\").")
    if k.no_number(kind):
        raise OutputError(f"{unit.function.name}() returns a {type_name(kind)}, which has no derivative", origin,
                          "Return a number.")
    if isinstance(kind, (k.Tup, k.Lst, k.Dct, k.Obj)) and not given and not (
            isinstance(kind, k.Obj) and kind.items is None):
        raise OutputError(f"{unit.function.name}() returns a {type_name(kind)}: the gradient needs grad_outputs",
                          origin, "Pass grad_outputs with one array per output, or return a scalar.")


def halve(pair: Pair, unit: Unit, tree: Any, facts: Infer, kinds: dict[str, k.Kind], bar: str,
          parameters: list[str], apart: bool) -> list:
    """Cut the combined sweeps in two; what the reverse half reads of the forward half is `saved`. apart: the user calls one and
    later the other: variables of the module may have other values by then."""
    forward, back = t.sweeps(tree)
    origin = t.origin_of(tree.body[-1])
    value, gradients = back[-1].value.elts
    recursive = any(value is pair.reverse for value in unit.env.values())
    known = [] if recursive else [kinds[name] for name in pair.active]
    back[-1] = t.return_(made_real(gradients, unit, facts.of, known), origin)
    defined = set(parameters) | {n for s in t.statements(forward) for n in t.writes(s)}
    needed = Liveness().block(back, frozenset())
    scope = unit.function.scope
    outside = {n for n in needed - defined - {bar} - unit.env.keys() if apart and (n in scope.globals or n in scope.cells)}
    saved = [n for n in sorted(needed & defined | outside) if n != bar]
    if set(saved) <= set(parameters) and not any(n in saved for s in t.statements(forward) for n in t.writes(s)):
        pair.given = tuple(saved)
    sure = assigned_after(forward, frozenset(parameters)) | outside
    start = [t.assign(n, t.const(None), origin) for n in saved if n not in sure]
    unit.unset.update(n for n in saved if n not in sure)
    forward = start + forward
    last = forward[-1] if forward else None             # the reverse sweep restores names; this half needs no copy of one
    if isinstance(last, gast.Assign) and t.is_name(value) and t.is_name(last.targets[0], value.id) and t.is_name(
            last.value) and value.id not in saved:
        value = forward.pop().value
    keep = unit.names.fresh("saved")
    forward.append(t.return_(t.pack([value, t.pack([t.load(n) for n in saved])]), origin))
    if saved:
        names: gast.expr = gast.Tuple(elts=[t.store(n) for n in saved], ctx=t.STORE)
        back[:0] = [t.assign(names, t.load(keep), origin), *own_lists(unit, forward, back, saved),
                    *own_arrays(unit, facts, back, saved)]
    saved_kinds = k.Tup(tuple(maybe_none(facts.kinds.get(n, k.ANY)) if n in unit.unset else facts.kinds.get(n, k.ANY)
                              for n in saved))
    value_kind = pair.forward.result_kind
    pair.forward.result_kind = k.Tup((value_kind.items[0], without_own_sizes(saved_kinds)))   # type: ignore[attr-defined]
    result = facts.result
    pair.reverse.result_kind = known_adjoints(without_own_sizes(result.items[1]) if isinstance(result, k.Tup) else k.ANY, known)
    forward_tree = t.function(pair.forward.__name__, t.arguments(parameters), forward, tree.origin)
    reverse_tree = t.function(pair.reverse.__name__, t.arguments([keep, bar]), back, tree.origin)
    return [forward_tree, reverse_tree]


def generated(make: Callable[[Compiler], Any], trace: Trace | None = None, sort: Any = None) -> tuple[Compiler, Any]:
    """A compiler and what is made with it."""
    compiler, made = settled(
        lambda growing, alike: (sort or Compiler)(trace, growing, alike), make, trace, linking.OPTIONS.simplify)
    known = [(x.unit, x.facts) for x in compiler.prepared.final.values() if isinstance(x, Prepared)]
    check_streams(known)
    check_functions(known, compiler.lost)
    return compiler, made


@contextmanager
def deriving(function: Function) -> Iterator[None]:
    """Around the generation of code for a function."""
    keep_freed_memory()
    collecting = gc.isenabled()
    with_scipy()
    gc.disable()                             # trees are many small objects that all live until the end
    try:
        with keeping_described():
            yield
    except SourcegradError as found:
        problem = found.instead or found
        places = [problem.origin, *problem.callers]
        if function.origin and None not in places and function.origin.file not in {place.file for place in places if place}:
            problem.locate(None, (function.origin,))         # of a library: at least the function that was asked for is named
        problem.tell_of_library(lambda name: name not in function.local and function.scope.lookup(name) is not MISSING)
        if problem is found:
            raise
        raise problem from None
    finally:
        if collecting:
            collect_again()


_MOST = 4_000_000                        # objects that one collection looks at (a fifth of them is garbage, the rest stays)
_unseen = [0]                            # how many there are that none has looked at


def collect_again() -> None:
    """Let garbage be collected again, but not at once: most of what a generation leaves stays, and to look at it takes a tenth of
    the time of the generation. It goes among the old objects, which are looked at when there are many more of them."""
    _unseen[0] += gc.get_count()[0]
    if _unseen[0] > _MOST:
        gc.collect()
        _unseen[0] = 0
    elif not gc.get_freeze_count():      # (what the user has frozen stays frozen)
        gc.freeze()
        gc.unfreeze()
    gc.enable()


WORTH = 0.04                    # of the names that depend on the inputs: as many must turn out not to, or sweeps stay as they are
ROOM = 140_000                           # words of one frame: of a chunk of two megabytes, nearly one is left
Called = TypeVar("Called", bound=Callable)


def with_room(function: Called) -> Called:
    """A function whose frame claims a large stack, so that the frames of all that it calls lie behind it in one chunk.

    CPython keeps frames in chunks of 16 kB, and maps and unmaps one whenever a call crosses its end: where that is a call in a hot
    loop, generating takes twice as long. A frame that needs more than half of a larger chunk leaves the rest to its callees."""
    assert isinstance(function, FunctionType)
    function.__code__ = function.__code__.replace(co_stacksize=ROOM)
    return function


@with_room
def derive(function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...], single: bool, with_value: bool,
           given: bool, trace: Trace | None = None, guarding: bool = True, budget: Budget | None = None) -> Derived:
    """Generate a gradient function. guarding: whether it is the guarded twin of another one (see `api.twin`). budget: bytes for
    loops, which have checkpoints then."""
    checkpointing = None if budget is None else Checkpointing(budget, wanted=with_value or given or function.aux)

    def sort(*args: Any) -> Compiler:
        compiler = (Compiler if guarding else Plain)(*args)
        compiler.checkpointing = None if checkpointing is None else checkpointing.again()
        return compiler

    with deriving(function):
        while True:
            if trace is not None:
                trace.texts.clear()
            seen, compiler, half = until_certain(lambda: chosen(
                function, lambda f, c: c.gradient(f, kinds, active, single, with_value, given), trace,
                lambda begun, shown: generated(begun, shown, sort), kinds), function, tuple(map(base_of, active)), kinds)
            if compiler.checkpointing is None or (checkpointing := compiler.checkpointing.settled()) is None:
                break
            compiler.close()
        if compiler.checkpointing is not None:
            compiler.checkpointing.check(seen, bool(trapped(seen)[1]))
        if compiler.singular and not repeatable(compiler.prepare(seen, kinds, True).effects):
            compiler.close()
            return derive(function, kinds, active, single, with_value, given, trace, budget=budget)
        derived = Derived(half, compiler.relies, compiler.compared(seen, kinds), compiler.singular or guarded(half, set()),
                          changes=compiler.changes(seen, kinds), reads=compiler.reads(), singular=compiler.singular)
        if compiler.checkpointing is not None:
            derived.kept = [(origin, reason) for origin, (reason, _) in compiler.checkpointing.kept.items()]
        compiler.close()
        return derived


def repeatable(effects: Any) -> bool:
    """Whether a function can run twice as if it had run once: what it changes is its own, or copied for each run."""
    return not (effects.drawn or effects.reaches - {LOOKS} or effects.dynamic)


# --- the halves of an outermost function: what `vjp` calls

class Plain(Compiler):
    """A compiler for text without guards: see `api.twin`."""

    guarding = False


class _Halves(Compiler):
    """A compiler that treats one function as the outermost: arrays that it changes in place are copied first."""

    outermost: Any = None
    apart = True

    def prepare(self, function: Function, kinds: dict[str, k.Kind], top: bool = False) -> Prepared:
        return super().prepare(function, kinds, top or function is self.outermost)


@with_room
def derive_halves(described: Function, kinds: dict[str, k.Kind], active: tuple[str, ...]) -> Derived:
    """Generate the halves of a function."""
    # a copy, so that a recursive call is a call of another function, one that shares its arguments
    outermost = replace(described, variants={}, of=None)

    def make(function: Function, compiler: Any) -> Any:
        compiler.outermost = function
        return compiler.pair(function, kinds, active)

    with deriving(described):
        outermost, compiler, pair = until_certain(lambda: chosen(
            outermost, make, None, lambda begun, trace: generated(begun, trace, _Halves)), outermost, active, kinds)
        derived = Derived(pair.forward, compiler.relies, compiler.compared(outermost, kinds), backward=pair.reverse,
                          silent_backward=guarded(pair.reverse, set()), changes=compiler.changes(outermost, kinds),
                          reads=compiler.reads())
        compiler.close()
        return derived


# --- Observable effects: which programs are tried before their gradients are trusted, see `api.shadow_run`

FORM = {"shape", "size", "ndim", "dtype"}
UNCHANGING = {range, slice, str, bytes, complex, type, types.ModuleType, np.dtype}



def shaped_of(function: Any) -> int | None:
    """The position of the argument of which a function asks for the form only."""
    return 0 if function is len else primitive_of(function).shaped


TURNS = (gast.Try, gast.With, gast.While, gast.Break, gast.Continue, gast.FunctionDef, gast.Lambda, gast.Match)


def plain(tree: Any) -> bool:
    """Whether a function runs straight through its statements, but for `if` and `for`."""
    inside = list(t.walk(tree))[1:]
    return not any(isinstance(node, TURNS) for node in inside) and sum(isinstance(node, gast.Return) for node in inside) <= 1


def holds(facts: Infer) -> bool:
    """Whether names of the user have containers or objects that change as values."""
    own = facts.unit.function.local.union(facts.unit.parameters)
    return any(isinstance(kind, (k.Lst, k.Dct, k.Map)) or isinstance(kind, k.Obj) and kind.cls not in UNCHANGING
               for name, kind in facts.kinds.items() if name in own)


def outward(known: dict[Any, tuple[Unit, Infer, Any]]) -> bool:
    """Whether any of some functions (by what their code was made from), or what they call, may do more than compute with its
    arguments and with random numbers of NumPy's and Python's module: print, read a clock, use up what is not its own, change what
    others hold, call what is not known."""
    looked = {function: bool(effects.drawn) for (function, *_), (_, _, effects) in known.items()}
    return any(
        OUTSIDE in effects.drawn or any(not quiet(unit, x, facts, looked) for x in t.walk(unit.tree) if isinstance(x, gast.Call))
        for unit, facts, effects in known.values() if unit.function.scope.globals is not vars(random))       # (it only draws)


def quiet(unit: Unit, call: gast.Call, facts: Infer, looked: dict[Any, bool]) -> bool:
    """Whether a call is known to do no more than compute with its arguments, or draw from what the trial sets back, or its code is
    looked at, too: then it may use up what is its own. (Of generated code it is not known what is.)"""
    target = call_targets.target_of(call, unit, facts.of)
    if followed(target):
        return target.function in looked and not (looked[target.function] and unit.function.pure)
    return reached(unit, call, facts, looked) <= {*STATES, STREAM}
