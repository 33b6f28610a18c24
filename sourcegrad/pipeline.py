"""The order of all passes: the only place where it lives. Every stage is a Python program and can be shown."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from sourcegrad import check, kinds as k, runtime, source, tree as t
from sourcegrad.analysis.activity import Activity
from sourcegrad.analysis.cfg import assigned_after
from sourcegrad.analysis.guards import guarded
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.record import Record
from sourcegrad.emit import Half, cell_for, imports, module_text, used_environment
from sourcegrad.errors import OutputError, UnsupportedError
from sourcegrad.frontend.closures import closures
from sourcegrad.frontend.count import count
from sourcegrad.frontend.desugar import desugar
from sourcegrad.frontend.exits import exits
from sourcegrad.frontend.fence import fence
from sourcegrad.frontend.flatten import flatten
from sourcegrad.frontend.rename import rename
from sourcegrad.frontend.resolve import Function, Scope, Unit, resolve
from sourcegrad.frontend.specialise import specialise
from sourcegrad.transform.accumulate import accumulate, make_owned
from sourcegrad.transform.annotate import annotate
from sourcegrad.transform.nest import nest
from sourcegrad.transform.prune import prune
from sourcegrad.transform.reuse import reuse
from sourcegrad.transform.reverse import Reverse
from sourcegrad.transform.settle import settle
from sourcegrad.transform.simplify import simplify

NORMALIZE: list[Callable[[Unit], Unit]] = [desugar, closures, exits, flatten, rename, count]
MARK = "# --- reverse sweep"


@dataclass
class Options:
    """Switches for tests: every program must give the same gradients whatever they are."""

    simplify: bool = True
    save_everything: bool = False


OPTIONS = Options()


@dataclass(eq=False)
class Pair:
    """Forward and reverse half of a callee; `active`: parameters whose adjoints the reverse half returns."""

    forward: Half
    reverse: Half
    active: tuple[str, ...]


@dataclass(eq=False)
class Derived:
    """A generated gradient function with all that is needed to call, print, guard and differentiate it."""

    half: Half
    function: types.FunctionType
    bindings: list[tuple[Any, str, Any]]
    live: list[tuple[Any, str, k.Kind]]

    @property
    def text(self) -> str:
        return module_text(self.half).rstrip("\n")


@dataclass(eq=False)
class Prepared:
    unit: Unit
    facts: Infer


class Trace:
    """Collects the text of every stage for `show --all`."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, str]] = []

    def add(self, name: str, unit: Unit, tree: Any = None) -> None:
        self.stages.append((name, source.to_text(tree if tree is not None else unit.tree)))


class Compiler:
    """One generation: memo tables for callees and the guards that everything generated depends on."""

    def __init__(self, trace: Trace | None = None) -> None:
        self.normal: dict[Function, Unit] = {}
        self.prepared: dict[Any, Prepared] = {}
        self.assumed: dict[Any, k.Kind | None] = {}
        self.used: set[Any] = set()
        self.pairs: dict[Any, Pair] = {}
        self.primals: dict[Any, Half] = {}
        self.names: dict[str, int] = {}
        self.trace = trace
        self.bindings: dict[tuple[int, str], tuple] = {}
        self.live: dict[tuple[int, str], tuple] = {}

    # --- front end

    def normalize(self, function: Function) -> Unit:
        if function not in self.normal:
            fence(function.tree)
            unit = resolve(function)
            show = self.trace if self.trace is not None and not self.trace.stages else None
            if show:
                show.add("parse", unit, function.tree)
                show.add("resolve", unit)
            for step in NORMALIZE:
                unit = step(unit)
                check.check(unit, step.__name__)
                if show:
                    show.add(step.__name__, unit)
            self.normal[function] = unit
        return self.normal[function]

    def prepare(self, function: Function, kinds: dict[str, k.Kind], top: bool = False) -> Prepared:
        """Core Python specialised on the kinds of the arguments, with the kinds of all names."""
        kinds = {name: kind if kind is not None else k.ANY for name, kind in kinds.items()}
        key = (function, tuple(kinds.items()), top)
        if key in self.prepared:
            return self.prepared[key]
        unit = self.normalize(function).copy()
        facts = Infer(unit, kinds, self.solve).run()
        specialise(unit, facts, top)
        facts = Infer(unit, kinds, self.solve).run()
        check.check(unit, "specialise")
        for scope, name, value in unit.bindings:
            self.bindings[(id(scope), name)] = (scope, name, value)
        for name, kind in facts.live.items():
            self.live[(id(function.scope), name)] = (function.scope, name, kind)
        result = Prepared(unit, facts)
        if key not in self.assumed:
            self.prepared[key] = result
        return result

    def solve(self, function: Function, kinds: dict[str, k.Kind]) -> k.Kind | None:
        """Kind of the result of a call; recursion is solved by iteration from nothing known."""
        key = (function, tuple(kinds.items()), False)
        if key in self.prepared:
            return self.prepared[key].facts.result
        if key in self.assumed:
            self.used.add(key)
            return self.assumed[key]
        if len(self.assumed) > 60 or sum(1 for f, _, _ in self.assumed if f is function) > 3:
            return k.ANY                                    # kinds that grow without end
        self.assumed[key] = None
        try:
            for _ in range(4):
                self.used.discard(key)
                result = self.prepare(function, kinds)
                found = result.facts.result
                if key not in self.used or found == self.assumed[key]:
                    break
                before = self.assumed[key]
                self.assumed[key] = k.join(before, found) if before is not None else found
            else:
                return k.ANY
        finally:
            del self.assumed[key]
        if not self.assumed:
            self.prepared[key] = result
        return found

    # --- derivatives

    def combined(self, function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...], seed: str,
                 top: bool = False) -> tuple[Unit, Infer, Reverse, list, list, set[str], tuple[str, str]]:
        """Forward and reverse sweeps of a function. seed: how the adjoint of the result starts."""
        prepared = self.prepare(function, kinds, top)
        unit = prepared.unit.copy()
        facts = Infer(unit, kinds, self.solve).run()
        inputs = {n for n in active if not k.is_discrete(kinds[n])}
        activity = Activity(facts, inputs).run()
        plan = Record(facts, unit.counters, OPTIONS.save_everything).run()
        reverse = Reverse(facts, activity, plan, guarded(facts, activity), self.pair, self.prepare)
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
        forward.append(t.assign(kept, t.clone(value), origin))    # the reverse sweep may restore an earlier value
        first = self.seed(reverse, result, seed, facts, origin) if result in activity.varied else []
        return unit, facts, reverse, forward, first + back, live, (result, kept)

    def seed(self, reverse: Reverse, result: str, seed: str, facts: Infer, origin: Any) -> list:
        bar = reverse.bar(result)
        kind = reverse.kind(result)
        if seed == "one":
            scalar = isinstance(kind, k.Num) and kind.dims == () and kind.is_complex is False
            helper = runtime.ones_like_output
            value = t.const(1.0) if scalar else t.call(reverse.helper(helper), t.load(result))
        elif seed == "given":
            value = t.call(reverse.helper(runtime.check_cotangent), t.load("grad_outputs"), t.load(result))
        else:
            return []
        return [t.assign(bar, value, origin)]

    def gradient(self, function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...], single: bool,
                 with_value: bool, given: bool) -> Half:
        """The gradient function of a function for arguments of the given kinds."""
        unit, facts, reverse, forward, back, live, (result, kept) = self.combined(
            function, kinds, active, "given" if given else "one", top=True)
        self.check_output(facts, result, given, unit)
        origin = t.origin_of(unit.tree.body[-1])
        parts = []
        for name in active:
            part = t.load(reverse.bar(name)) if name in live else reverse.zero(name)
            start = unit.names.fresh(f"{name}_start")       # the name itself may be rebound
            forward.insert(0, t.assign(start, t.load(name), origin))
            parts.append(t.call(reverse.helper(runtime.as_gradient), part, t.load(start)))
        gradients = parts[0] if single else t.pack(parts)
        answer = t.pack([t.load(kept), gradients]) if with_value else gradients
        suffix = "value_and_grad" if with_value else "grad"
        name = self.name(f"{function.name}_{suffix}")
        parameters = t.clone(function.tree.args)
        for parameter in gast.walk(parameters):
            if isinstance(parameter, gast.Name):
                parameter.annotation = None
        if given:
            parameters.kwonlyargs = [*parameters.kwonlyargs, t.parameter("grad_outputs")]
            parameters.kw_defaults = [*parameters.kw_defaults, None]
        body = [*forward, t.comment("--- reverse sweep", origin), *back, t.return_(answer, origin)]
        tree = t.function(name, parameters, body, t.origin_of(function.tree))
        all_kinds = dict(kinds)
        if given:
            all_kinds["grad_outputs"] = facts.kinds.get(result, k.ANY)
        half = Half(name)
        outputs = {name: reverse.bars.get(name) for name in active}
        facts = self.optimise(unit, tree, all_kinds, outputs, function)
        half.result_kind = facts.result or k.ANY
        self.emit(half, unit, tree, function, facts)
        return half

    def check_output(self, facts: Infer, result: str, given: bool, unit: Unit) -> None:
        kind = facts.result
        origin = t.origin_of(unit.tree.body[-1])
        if isinstance(kind, k.Const) and kind.value is None:
            raise OutputError(f"{unit.function.name}() returns nothing, so there is nothing to differentiate", origin,
                              "Return the value.")
        if isinstance(kind, (k.Tup, k.Lst, k.Dct)) and not given:
            raise OutputError(f"{unit.function.name}() returns a {type_name(kind)}: the gradient needs grad_outputs",
                              origin, "Pass grad_outputs with one array per output, or return a scalar.")

    def pair(self, function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...] | None) -> Any:
        """Generated halves of a callee (or, with active None, its generated primal)."""
        kinds = {n: kind if kind is not None else k.ANY for n, kind in kinds.items()}
        if sum(1 for known, _, _ in self.pairs if known is function) > 8:
            kinds = {n: widened(kind) for n, kind in kinds.items()}
        key = (function, tuple(kinds.items()), active)
        if active is None:
            return self.primal(key, function, kinds)
        if key in self.pairs:
            return self.pairs[key]
        base = self.name(function.name)
        pair = Pair(Half(f"{base}_forward"), Half(f"{base}_reverse"), active)
        self.pairs[key] = pair
        value_kind = self.solve(function, kinds) or k.ANY
        pair.forward.result_kind = k.Tup((value_kind, k.ANY))
        unit, facts, reverse, forward, back, live, (result, kept) = self.combined(function, kinds, active, "none")
        origin = t.origin_of(unit.tree.body[-1])
        bar = reverse.bar(result)
        parts = [t.load(reverse.bar(n)) if n in live else reverse.zero(n) for n in active]
        answer = t.pack([t.load(kept), parts[0] if len(parts) == 1 else t.pack(parts)])
        body = [*forward, t.comment("--- reverse sweep", origin), *back, t.return_(answer, origin)]
        parameters = function.parameters
        tree = t.function(base, t.arguments([*parameters, bar]), body, t.origin_of(function.tree))
        outputs = {name: reverse.bars.get(name) for name in active}
        after = self.optimise(unit, tree, {**kinds, bar: value_kind}, outputs, function, keep=bar)
        self.split(pair, unit, tree, after, parameters, bar, function)
        return pair

    def split(self, pair: Pair, unit: Unit, tree: Any, facts: Infer, parameters: list[str], bar: str,
              function: Function) -> None:
        """Cut the combined sweeps in two; what the reverse half reads of the forward half is `saved`."""
        body = tree.body
        position = next(i for i, s in enumerate(body) if t.is_comment(s))
        forward, back = body[:position], body[position + 1:]
        origin = t.origin_of(body[-1])
        value, gradients = back[-1].value.elts
        back[-1] = t.return_(gradients, origin)
        defined = set(parameters) | {n for s in t.statements(forward) for n in t.writes(s)}
        written: set[str] = set()
        from sourcegrad.analysis.liveness import Liveness
        needed = Liveness().block(back, frozenset())
        saved = [n for n in sorted(needed & defined) if n != bar and n not in written]
        sure = assigned_after(forward, frozenset(parameters))
        start = [t.assign(n, t.const(None), origin) for n in saved if n not in sure]
        unit.unset.update(n for n in saved if n not in sure)
        forward = start + forward
        keep = unit.names.fresh("saved")
        forward.append(t.return_(t.pack([value, t.pack([t.load(n) for n in saved])]), origin))
        if saved:
            names: gast.expr = gast.Tuple(elts=[t.store(n) for n in saved], ctx=t.STORE)
            back.insert(0, t.assign(names, t.load(keep), origin))
        saved_kinds = k.Tup(tuple(maybe_none(facts.kinds.get(n, k.ANY)) if n in unit.unset else facts.kinds.get(n, k.ANY)
                                  for n in saved))
        value_kind = pair.forward.result_kind
        pair.forward.result_kind = k.Tup((value_kind.items[0], saved_kinds))   # type: ignore[attr-defined]
        result = facts.result
        pair.reverse.result_kind = result.items[1] if isinstance(result, k.Tup) else k.ANY
        forward_tree = t.function(pair.forward.__name__, t.arguments(parameters), forward, tree.origin)
        reverse_tree = t.function(pair.reverse.__name__, t.arguments([keep, bar]), back, tree.origin)
        self.emit(pair.forward, unit, forward_tree, function, facts)
        self.emit(pair.reverse, unit, reverse_tree, function, facts)

    def primal(self, key: Any, function: Function, kinds: dict[str, k.Kind]) -> Half:
        """A lifted function as a plain function of its own."""
        if key not in self.primals:
            half = self.primals[key] = Half(self.name(function.name))
            half.result_kind = self.solve(function, kinds) or k.ANY
            unit = self.prepare(function, kinds).unit.copy()
            tree = t.function(half.__name__, t.arguments(function.parameters), unit.tree.body, function.origin)
            facts = Infer(unit, kinds, self.solve).run()
            for s in t.statements(tree.body):
                if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call):
                    reverse = Reverse(facts, Activity(facts, set()).run(), Record(facts, unit.counters).run(), set(),
                                      self.pair, self.prepare)
                    new = reverse.primal_call(s)[0]
                    s.value = new.value
            unit.tree = tree
            nest(unit, tree, facts)
            self.emit(half, unit, tree, function, facts)
        return self.primals[key]

    def name(self, base: str) -> str:
        """Unique names for the functions of one generated module."""
        self.names[base] = self.names.get(base, 0) + 1
        return base if self.names[base] == 1 else f"{base}_{self.names[base]}"

    # --- back end

    def optimise(self, unit: Unit, tree: Any, kinds: dict[str, k.Kind], outputs: dict[str, str | None],
                 function: Function, keep: str | None = None) -> Infer:
        """From the naive sweeps to what a person would write."""
        unit.tree = tree
        parameters = list(kinds)
        self.show("reverse", unit)
        check.check(unit, "reverse", parameters)
        prune(unit, tree)
        self.show("prune", unit)
        facts = Infer(unit, kinds, self.solve).run()
        if OPTIONS.simplify:
            changed = True
            rounds = 0
            while changed and rounds < 3:
                changed = nest(unit, tree, facts, fold=False)
                simplify(unit, tree, facts)
                prune(unit, tree)
                facts = Infer(unit, kinds, self.solve).run()
                rounds += 1
            self.show("simplify", unit)
            check.check(unit, "simplify", parameters)
            make_owned(unit, tree, facts)
            settle(unit, tree, parameters, facts)
            prune(unit, tree)
            nest(unit, tree, facts)
            simplify(unit, tree, facts)
            settle(unit, tree, parameters, facts)
            prune(unit, tree)
            facts = Infer(unit, kinds, self.solve).run()
            self.show("nest", unit)
            check.check(unit, "nest", parameters)
        return facts

    def show(self, name: str, unit: Unit) -> None:
        if self.trace is not None and name not in [stage for stage, _ in self.trace.stages]:
            self.trace.add(name, unit)

    def emit(self, half: Half, unit: Unit, tree: Any, function: Function, facts: Infer) -> None:
        """Print, compile and register a generated function."""
        plain = t.clone(tree)
        scope = function.scope
        parameters = [p.id for p in gast.walk(tree.args) if isinstance(p, gast.Name) and isinstance(p.ctx, gast.Param)]
        final = accumulate(unit, tree, parameters, facts)
        self.show("accumulate", Unit(function, final))
        if OPTIONS.simplify:
            final = reuse(unit, final, parameters, facts)
            self.show("reuse", Unit(function, final))
        final = annotate(final)
        env = used_environment(final, unit)
        half.callees = [v for v in env.values() if isinstance(v, Half) and v is not half]
        half.tree, half.unit = final, unit
        body = source.to_text(final)
        half.text = body
        filename = f"<sourcegrad {half.__name__} {next_number()}>"
        header = imports(env)
        text = header + body
        source.register(filename, text)
        cells = {}
        for name, value in env.items():
            cells[name] = cell_for(value)
        for name, cell in scope.cells.items():
            cells.setdefault(name, cell)
        for name, value in scope.bound.items():
            if name not in cells and not isinstance(value, Function):
                cells[name] = cell_for(value)
        try:
            compiled = source.compile_function(text, half.__name__, filename, scope.globals, cells)
        except (SyntaxError, RecursionError) as error:
            raise UnsupportedError(f"{function.name}() is nested too deeply: {error}", function.origin,
                                   "Use a loop or a table instead of a long chain of branches.") from None
        compiled.__doc__ = f"Generated by sourcegrad from {function.name}."
        if tree.args.defaults or tree.args.kwonlyargs:
            compiled.__defaults__ = getattr(function.object, "__defaults__", None)
            compiled.__kwdefaults__ = getattr(function.object, "__kwdefaults__", None)
        bound = {**scope.bound, **unit.env}
        derived = Function(half.__name__, plain, Scope(scope.globals, scope.cells, bound), compiled, pure=True)
        half.__sourcegrad__ = derived
        compiled.__sourcegrad__ = derived                                # type: ignore[attr-defined]
        half.finish(compiled)


_numbers = [0]


def next_number() -> int:
    _numbers[0] += 1
    return _numbers[0]


def widened(kind: k.Kind) -> k.Kind:
    """A kind with as little knowledge as possible, for recursion whose kinds would never repeat."""
    kind = k.as_num(kind)
    if isinstance(kind, k.Num):
        return kind if kind.is_scalar else k.Num(kind.dtype)
    return kind if isinstance(kind, (k.Const, k.Fn)) else k.ANY


def maybe_none(kind: k.Kind) -> k.Kind:
    """The kind of a saved value that may not have been assigned: no longer certainly an array."""
    if isinstance(kind, k.Num) and kind.boxed:
        return k.Num(kind.dtype, kind.dims, None)
    return kind


def type_name(kind: k.Kind) -> str:
    return {k.Tup: "tuple", k.Lst: "list", k.Dct: "dict"}.get(type(kind), "value")


def quiet(function: types.FunctionType) -> types.FunctionType:
    """Guarded derivatives divide by zero before they are dropped: without a warning."""

    @functools.wraps(function)
    def silent(*args: Any, **options: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            return function(*args, **options)

    return silent                                                     # type: ignore[return-value]


def derive(function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...], single: bool, with_value: bool,
           given: bool, trace: Trace | None = None) -> Derived:
    """Generate a gradient function."""
    compiler = Compiler(trace)
    try:
        half = compiler.gradient(function, kinds, active, single, with_value, given)
    except RecursionError:
        raise UnsupportedError(f"{function.name}() has an expression or recursion that is too deep", function.origin,
                               "Split the expression over several statements.") from None
    assert half.function is not None
    function_ = quiet(half.function) if half.unit and runtime.guard in half.unit.env.values() else half.function
    return Derived(half, function_, list(compiler.bindings.values()), list(compiler.live.values()))


__all__ = ["Compiler", "Derived", "Half", "Options", "OPTIONS", "Pair", "Trace", "UnsupportedError", "derive", "module_text"]
