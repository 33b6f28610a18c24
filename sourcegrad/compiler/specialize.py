"""Specialisation: how a function gets its form without mutation: looked at again, knowing more, until nothing is left open.

To know what a recursive function gives, something is assumed of its inner calls, and the function is looked at again
until the assumption agrees with what is found. What is computed meanwhile may rest on an assumption that changes.
"""
from __future__ import annotations

import copy
import functools
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.activity import Unforeseen
from sourcegrad.analysis.result_types import without_own_sizes
from sourcegrad.analysis.types import Infer
from sourcegrad.compiler import linking
from sourcegrad.compiler.emit import equal, reachable
from sourcegrad.compiler.passes import Manager, Trace, Work
from sourcegrad.errors import InternalError, SourcegradError, UnsupportedError, is_library
from sourcegrad.ir import tree as t, verify as check
from sourcegrad.ir.effort import Account
from sourcegrad.ir.unit import MEMORY, Function, Unit
from sourcegrad.lowering import array_views, held_arrays, held_lists, places
from sourcegrad.lowering.arguments import enter
from sourcegrad.lowering.attribute_stores import split
from sourcegrad.lowering.branches import vacant
from sourcegrad.lowering.methods import pending
from sourcegrad.lowering.place_kinds import Wider
from sourcegrad.memory.heap import NO_EFFECTS, Effects, changing, check_unseen
from sourcegrad.optimize.inline import unfold
from sourcegrad.parse.resolve import fence, resolve
from sourcegrad.parse.traps import calls_above, calls_around, effort_now, stands_now, trapped
from sourcegrad.primitives.adjoint_kinds import loosened, widened
from sourcegrad.primitives.core import of_user
from sourcegrad.syntax.desugar import spell

Record = dict[tuple, int]                 # assumption -> the version of it that was used


@dataclass
class Failed:
    """The result of looking at a function that is refused."""

    problem: SourcegradError


def given_or_raised(result: Any) -> Any:
    if isinstance(result, Failed):
        raise result.problem
    return result


class Memo:
    """Results, each with the assumptions that it rests on."""

    def __init__(self) -> None:
        self.final: dict[Hashable, Any] = {}
        self.tentative: dict[Hashable, tuple[Any, Record]] = {}
        self.assumed: dict[tuple, Any] = {}
        self.versions: dict[Hashable, int] = {}
        self.settled: set[int] = set()                  # versions that turned out to be right
        self.count = 0
        self.frames: list[Record] = [{}]

    def get(self, key: Hashable) -> Any:
        """A result that holds as things are assumed now, or None; what was refused is refused again."""
        if key in self.final:
            return given_or_raised(self.final[key])
        if key not in self.tentative:
            return None
        result, record = self.tentative[key]
        if not all(v in self.settled or self.versions.get(a) == v for a, v in record.items()):
            del self.tentative[key]
            return None
        self.frames[-1].update(record)
        return given_or_raised(result)

    def put(self, key: Hashable, result: Any, record: Record) -> None:
        if all(v in self.settled for v in record.values()):
            self.final[key] = result
        else:
            self.tentative[key] = result, record

    @contextmanager
    def frame(self) -> Iterator[Record]:
        """Collects the assumptions that are used within."""
        record: Record = {}
        self.frames.append(record)
        try:
            yield record
        finally:
            self.frames.pop()
            self.frames[-1].update({a: v for a, v in record.items() if v not in self.settled})

    def use(self, key: tuple) -> Any:
        """What is assumed."""
        self.frames[-1][key] = self.versions[key]
        return self.assumed[key]

    def assume(self, key: tuple, value: Any) -> None:
        self.count += 1
        self.assumed[key], self.versions[key] = value, self.count

    def solve(self, key: tuple, start: Any, look: Callable[[], Any], widen: Callable[[Any, Any, int], Any],
              rounds: int) -> tuple[bool, Any]:
        """Look until what is found is what was assumed; whether that came to an end, and what was found."""
        self.assume(key, start)
        try:
            for attempt in range(rounds):
                self.frames.append({})
                try:
                    found = look()
                finally:
                    record = self.frames.pop()
                found = widen(self.assumed[key], found, attempt)
                if key not in record or found == self.assumed[key]:
                    self.settled.add(self.versions[key])
                    self.frames[-1].update({a: v for a, v in record.items() if v not in self.settled})
                    return True, found
                self.assume(key, found)
            return False, None
        finally:
            del self.assumed[key], self.versions[key]


class Recursive(Exception):
    """A recursion does not come to an end. refusal: what it becomes where nothing else helps."""

    def __init__(self, function: Function, calls: list[dict[str, k.Kind]]) -> None:
        super().__init__(function.name)
        differing = [name for name in calls[0] if len({call.get(name) for call in calls}) > 1] if calls else []
        self.refusal = UnsupportedError(
            f"{function.name}() calls itself in a way that cannot be followed", function.origin,
            (f"What it gets for {', '.join(differing)} changes from one level to the next (None and an array, an int and a "
             "float, other dtypes): pass " if differing else "Pass ") + "values of the same kind at every level, or write a loop.")


class Endless(Recursive):
    """What is assumed of inner calls never agrees with what is found."""


class Growing(Recursive):
    """Functions call themselves, or one another, with other kinds of arguments again and again. keys: which."""

    keys: frozenset = frozenset()


PATIENCE = 60                               # inner calls of one function that are looked at


class Recursion(ABC):
    """What calls give and change.

    growing: functions that are looked at with as little knowledge as their recursion needs to come to an end."""

    def __init__(self, growing: Iterable) -> None:
        self.growing = frozenset(growing)
        self.world: k.Kind = k.State(())       # what the objects of all functions hold, as far as it is known
        self.begun: k.Kind | None = None        # what was known at the start
        self.mixed: set[Any] = set()            # what turned out to be one value with others of another kind
        self.arrays: frozenset = frozenset()    # where arrays are held that change in place: `Unit.arrays`
        self.dicts = False                      # and so do dicts
        self.containers = False                 # all lists and dicts are places from the start
        self.lists = False                      # lists that others hold change: they are told apart by their identity, too
        self.prepared = Memo()
        self.looks: Counter[Any] = Counter()

    @property
    def by_identity(self) -> bool:
        """Whether any function looks for objects by their identity."""
        found = [*self.prepared.final.values(), *(result for result, _ in self.prepared.tentative.values())]
        return any(runtime.places_of in result.unit.env.values() for result in found if hasattr(result, "unit"))

    @abstractmethod
    def prepare(self, function: Function, kinds: dict[str, k.Kind], top: bool = False) -> Any:
        """The function without mutation, with its kinds and effects: `Compiler.prepare`."""

    def recursive(self, function: Function, kinds: dict[str, k.Kind]) -> dict[str, k.Kind]:
        """The kinds with which a function is looked at: with less knowledge where its recursion would not come to an end."""
        kinds = self.in_world(function, {n: without_own_sizes(kind) for n, kind in kinds.items()})
        if (function.name, function.origin) not in self.growing:
            return kinds
        return {n: loosened(kind) for n, kind in kinds.items()}

    def in_world(self, function: Function, kinds: dict[str, k.Kind]) -> dict[str, k.Kind]:
        """The same for each state of objects that a function is given: it is looked at once, and again if there is more."""
        memory = kinds.get(MEMORY) if function.memory == "given" else None
        if not isinstance(memory, k.State):
            return kinds
        self.world = k.join(self.world, memory)
        return {**kinds, MEMORY: self.world}

    def depth(self, function: Function) -> int:
        """With how many kinds of arguments a function is being looked at now."""
        key = (function.name, function.origin)
        calls: dict[tuple, set] = {}
        for _, f, given in self.prepared.assumed:
            calls.setdefault((f.name, f.origin), set()).add(given)
        depth = len(calls.get(key, ()))
        if depth > 2 and key not in self.growing:
            found = Growing(function, list(map(dict, calls[key])))
            found.keys = frozenset({key, *(other for other, given in calls.items() if len(given) > 1)})
            raise found
        self.looks[key] += depth > 0
        if self.looks[key] > PATIENCE:
            raise Endless(function, list(map(dict, calls.get(key, ()))))
        return depth

    def unreached(self, unit: Unit, facts: Infer) -> bool:
        """Whether nothing is known yet of an inner call that comes before something else: it is looked at again."""
        assumed = self.prepared.assumed
        waiting = any(key[0] == "kind" and key in assumed and assumed[key] is None for key in self.prepared.frames[-1])
        return waiting and any(name not in facts.kinds for s in t.statements(unit.tree.body) for name in t.writes(s))

    def solve(self, function: Function, kinds: dict[str, k.Kind]) -> k.Kind | None:
        """Kind of the result of a call; recursion is solved by iteration from nothing known."""
        kinds = self.recursive(function, kinds)
        given = tuple(kinds.items())
        key = ("kind", function, given)
        if key in self.prepared.assumed:
            return self.prepared.use(key)
        known = self.prepared.get((function, given, False))
        if known is not None:
            return without_own_sizes(known.facts.result)
        if self.depth(function) > 4 or len(self.prepared.assumed) > 80:
            return k.ANY                                    # kinds that grow without end

        def join(before: k.Kind | None, found: k.Kind | None, attempt: int) -> k.Kind | None:
            return k.join(before, found) if attempt and before is not None and before != found else found

        def look() -> k.Kind | None:
            return without_own_sizes(self.prepare(function, kinds).facts.result)

        ended, found = self.prepared.solve(key, None, look, join, 8 if function.memory else 4)
        return found if ended else k.ANY

    def changed(self, function: Function, kinds: dict[str, k.Kind]) -> dict[str, k.Kind]:
        """The kinds that arguments have after a call that changes them in place, as far as it can be followed."""
        if function.pure or any((f.name, f.origin) == (function.name, function.origin) for _, f, _ in self.prepared.assumed):
            return {}                                       # (of a recursive call it is found out where it is called first)
        names = [n for n in self.effects(function, kinds).changed if isinstance(kinds[n], (k.Obj, k.Dct, k.Map, k.Lst))]
        found = self.solve(function.returning("return", *names), kinds) if names else None
        return dict(zip(names, found.items[1:])) if isinstance(found, k.Tup) else {}

    def effects(self, function: Function, kinds: dict[str, k.Kind]) -> Effects:
        """What a callee changes; recursion is solved by iteration from nothing."""
        kinds = self.recursive(function, kinds)
        given = tuple(kinds.items())
        key = ("effects", function, given)
        if key in self.prepared.assumed:
            return self.prepared.use(key)
        known = self.prepared.get((function, given, False))
        if known is not None:
            return known.effects
        if self.depth(function) > 4:                        # kinds that grow without end
            kinds = {n: widened(kind) for n, kind in kinds.items()}
            key = ("effects", function, tuple(kinds.items()))
            if key in self.prepared.assumed:
                return self.prepared.use(key)

        def widen(before: Effects, found: Effects, attempt: int) -> Effects:
            return (found | before).coarse() if attempt > 1 else found          # places inside places without end

        ended, found = self.prepared.solve(key, NO_EFFECTS, lambda: self.prepare(function, kinds).effects, widen, 8)
        if not ended:
            raise UnsupportedError(f"what {function.name}() changes in place cannot be known", function.origin,
                                   "Return new arrays instead.")
        return found


# --- the form without mutation

SURPRISES = 6                               # so often something turns out to hold more than was thought
UNFOLDED = 3                                # so many levels of callees are put in place of their calls where that may help


TURNS = 20                                  # so often are methods of containers written out in a function with objects
SEEN = 30                                   # functions that are looked at before all begins again, knowing more of objects


@dataclass(eq=False)
class Prepared:
    unit: Unit
    facts: Infer
    effects: Effects


class Preparation(Recursion):
    """The functions of one generation without mutation, with their kinds and effects."""

    def __init__(self, growing: Iterable, trace: Trace | None = None) -> None:
        super().__init__(growing)
        self.normal: dict[Function, Unit] = {}
        self.passes = Manager(linking.OPTIONS, trace)
        self.within: Account | None = None                  # of the function of a library that is followed
        self.effort = effort_now()
        self.seen = 0                                       # functions with a state of objects that were looked at

    def normalize(self, function: Function) -> Unit:
        """Core Python of a function, which nobody changes."""
        if function not in self.normal and function.plain is not function:
            self.normal[function] = replace(self.normalize(function.plain), function=function)
        if function not in self.normal:
            traps = trapped(function)
            fence(traps[0], outermost=False)
            unit = spell(resolve(function, traps))
            self.passes.show("parse", unit, function.tree)
            self.passes.show("resolve", unit)
            unit = self.passes.run("syntax", Work(unit)).unit
            if function.memory:
                places.thread(unit)
            self.normal[function] = unit
        return self.normal[function]

    def specialised(self, unit: Unit, kinds: dict[str, k.Kind], top: bool, assumed: dict[str, k.Kind]) -> Infer:
        """Specialise the core Python of a function on the kinds of its arguments."""
        work = Work(unit)
        run = self.passes.one

        def infer(halting: bool = False) -> Infer:
            work.facts = Infer(unit, kinds, self.solve, assumed, self.changed)
            work.facts.halting = halting
            world = self.world
            work.facts.run()
            reached[:] = [self.world]
            if work.facts.guessing or k.unknown(self.world) - k.unknown(world):
                self.world = world                          # what objects seem to hold on the way they need not hold
            found[:] = [set(work.facts.kinds)]
            return work.facts

        def spelled() -> Any:
            return run("context_managers", work) or run("containers", work) or run("unroll", work) or run("out_arguments", work)

        found: list[set[str]] = []                          # the names that were found: passes may add to the facts
        reached: list[k.Kind] = []                          # the world with the last facts
        run("dispatch_tables", work)
        places.begin(unit)
        unit.doubting, unit.doubted = True, False
        facts = infer(halting=True)
        while facts.halted:                                 # callees of which more is known then are not looked at before
            marks = t.mark(unit.tree)
            if not spelled():
                run("specialise", work, top)
            facts = infer(halting=marks != t.mark(unit.tree))
        for _ in range(24 if unit.lists or unit.dicts or unit.arrays else 8):
            turns = 0
            unit.listed = False
            while spelled():
                facts, turns = infer(), turns + 1
                if unit.function.memory and turns > TURNS:
                    places.give_up(unit)
            if places.make_more(unit, facts):
                facts = infer()
            if unit.arrays and held_arrays.make_places(unit, facts):
                facts, unit.listed = infer(), True
            known, before = facts.kinds, (t.mark(unit.tree), dict(facts.kinds), unit.doubting, unit.doubted)
            branches = sum(isinstance(s, gast.If) for s in t.statements(unit.tree.body))
            waiting = run("specialise", work, top)
            parted = branches > sum(isinstance(s, gast.If) for s in t.statements(unit.tree.body)) and run("split_webs again", work)
            if before != (t.mark(unit.tree), facts.kinds, unit.doubting, unit.doubted) or [facts.kinds.keys()] != found:
                facts = infer()
            else:
                self.verify_kept(facts)
            if facts.kinds == known and unit.doubting:      # all calls are written out by now
                unit.doubting = False
                if unit.doubted:
                    facts = infer()
                    continue
            if waiting is not None and facts.kinds == known:
                if places.unreached(unit, facts):
                    facts = infer()
                    continue
                raise waiting.settled()
            if waiting is None and not parted and not unit.listed and not pending(unit, facts) and not (
                    unit.function.memory and places.pending(unit, facts)) and not (unit.doubting and unit.doubted):
                if not (unit.arrays and held_arrays.make_places(unit, facts)) and not places.unreached(unit, facts):
                    break
                facts = infer()
        unit.doubting = False
        if run("out_arguments", work, True) | run("containers", work, True):
            facts = infer()
        self.world = reached[0]
        return facts

    def lowered(self, function: Function, kinds: dict[str, k.Kind], top: bool, assumed: dict[str, k.Kind]) -> tuple[Unit, Infer]:
        """Core Python specialised on the kinds of the arguments, with its types: once for all variants of a function.

        What a function returns besides its value, and which parts of its arguments are one object, is nothing that lowering asks
        for; what it asks for is in the key, or (what is assumed of recursive calls) seen to by the memo."""
        key = ("lowered", function.plain, tuple(kinds.items()), top, tuple(assumed.items()))
        known = self.prepared.get(key)
        if known is None:
            with self.prepared.frame() as record:
                unit = self.normalize(function).copy()
                unit.lists = self.lists and bool(function.memory)
                unit.dicts = self.dicts and bool(function.memory)
                unit.arrays = self.arrays if function.memory else frozenset()
                if function.memory in ("made", "entered"):
                    enter(unit, kinds, self.containers)
                with k.losing(set()) as lost:               # (on the way a place may seem to be a value)
                    facts = self.specialised(unit, kinds, top, assumed)
                k.lost(item for item in lost if not isinstance(item, type))
            kept = unit.copy()
            self.prepared.put(key, (kept, facts.on(kept)), record)
            return unit, facts
        unit = known[0].copy()
        unit.function = function
        facts = known[1].on(unit)
        self.verify_kept(facts)
        return unit, facts

    def verify_kept(self, facts: Infer) -> None:
        """Where the tests verify: facts that were kept are found again (which counts as no look at a recursion), and the kinds of
        all expressions with them."""
        if self.passes.options.verify:
            looks, self.looks = self.looks, Counter()
            known, facts.unit.expressions = facts.unit.expressions, {}
            try:
                facts.same(Infer(facts.unit, facts.given, self.solve, facts.assumed, self.changed).run())
            finally:
                self.looks, facts.unit.expressions = looks, known

    def functional(self, function: Function, kinds: dict[str, k.Kind], top: bool, assumed: dict[str, k.Kind],
                   unfolded: int = 0, lenient: bool = False) -> tuple[Unit, Infer, Effects]:
        """Specialised code without mutation. assumed: kinds that names have, too, because of changes by other names.

        unfolded: how many levels of callees are put in place of their calls. lenient: only the kinds are wanted, nobody runs
        the code."""
        unit, facts = self.lowered(function, kinds, top, assumed)
        while unfolded and unfold(unit, facts, self.normalize, self.effects):
            facts = self.specialised(unit, kinds, top, assumed)
            unfolded -= 1
        if unfolded:                                        # what was refused before is what the user gets to see
            raise UnsupportedError("no call is left to unfold", function.origin)
        unit.check_defined()
        self.passes.verify(unit, "specialise")
        self.passes.done("lowering", unit)
        self.passes.show("specialise", unit)
        effects = NO_EFFECTS
        work, run = Work(unit, facts), self.passes.one
        before = dict(facts.kinds)
        unreached = not function.pure and self.unreached(unit, facts)          # it stays as it is
        if unit.lists or unit.dicts:
            held_lists.settle(unit, facts)
        if function.memory and not unreached:
            places.check(unit, facts, self.effects)
        if not function.pure and not unreached:
            views = array_views.summary(unit, facts, self.effects) if unit.arrays else {}
            effects = run("functionalize", work, self.effects, function.outputs, top, lenient)
            if views:
                effects = replace(effects, **views)
            run("single_steps", work)
            before |= {name: facts.kinds[name] for name in unit.reread if name in facts.kinds}
        if not function.pure:
            run("materialize_conditions", work)
        run("hoist_loads", work)
        with k.losing(self.mixed):
            facts = Infer(unit, kinds, self.solve).run()
        k.lost(self.mixed)
        if not function.pure and not lenient:
            check_unseen(unit, facts, self.effects)
        facts.before = before
        check.check(unit, "functionalize", unit.parameters)
        if not unreached:
            self.passes.done("memory", unit)
        self.passes.show("functionalize", unit)
        return unit, facts, effects

    def prepare(self, function: Function, kinds: dict[str, k.Kind], top: bool = False) -> Prepared:
        """Core Python specialised on the kinds of the arguments, with the kinds of all names."""
        kinds = self.in_world(function, {
            name: without_own_sizes(kind) if kind is not None else k.ANY for name, kind in kinds.items()})
        key = (function, tuple(kinds.items()), top)
        result = self.prepared.get(key)
        if result is None:
            self.seen += bool(function.memory)
            if self.seen > SEEN and self.begun is not None and (known := k.told(self.world, self.begun)) != self.begun:
                self.world = known
                raise Wider
            with self.prepared.frame() as record, self.counted(function):
                try:
                    result = self.newly_prepared(function, kinds, top)
                except SourcegradError as problem:
                    result = Failed(problem.with_traceback(None))          # (frames would hold all that is generated)
                    self.effort.note(problem, calls_above)
            self.prepared.put(key, result, record)
        return given_or_raised(result)

    @contextmanager
    def counted(self, function: Function) -> Iterator[None]:
        """Around the look at a function: what a function of a library calls is looked at in so far only."""
        around = self.within
        library = not of_user(function.object) or function.origin is not None and is_library(function.origin.file)
        if library:
            self.within = self.effort.account(function, around)
        try:
            with self.effort.on(self.within if library else None):
                yield
        finally:
            self.within = around

    def newly_prepared(self, function: Function, kinds: dict[str, k.Kind], top: bool) -> Prepared:
        if function.refused:
            raise UnsupportedError(function.refused[0], function.origin, function.refused[1])
        told = ("assumed", function.plain, tuple(kinds.items()), top)
        assumed: dict[str, k.Kind] = self.prepared.get(told) or {}      # what surprised in a variant surprises in this one, too
        refused: list[UnsupportedError] = []                # with ever more callees in place of their calls
        for _ in range(SURPRISES + UNFOLDED):
            self.effort.check()
            try:
                unit, facts, effects = self.functional(function, kinds, top, assumed, len(refused))
            except InternalError:
                raise
            except SourcegradError as problem:
                if not isinstance(problem, UnsupportedError):            # of callees in place of their calls, for example
                    raise (refused[0] if refused else problem) from None
                shared = problem.shared
                more = self.surprised(problem, function, kinds, top, assumed)
                if more:
                    assumed = more
                elif shared and len(refused) < UNFOLDED:
                    refused.append(problem.with_traceback(None))
                else:
                    raise (refused[0] if refused else problem) from None
                continue
            more = facts.surprises(assumed)
            if not more:
                if effects.seeks_itself and len(refused) < UNFOLDED:
                    unit, facts, effects = self.clearer(function, kinds, top, assumed, len(refused) + 1) or (unit, facts, effects)
                break
            assumed = more                                  # what changes through other names: once more, knowing it
        else:
            if not more:
                raise refused[0]
            raise changing(min(more), function.origin)
        if assumed:
            self.prepared.put(told, assumed, self.prepared.frames[-1])
        for step in (vacant,) if function.pure else (split, vacant):
            if step(unit, facts):
                facts = Infer(unit, kinds, self.solve).run()
        return Prepared(unit, facts, effects)

    def clearer(self, function: Function, kinds: dict[str, k.Kind], top: bool, assumed: dict[str, k.Kind],
                unfolded: int) -> tuple[Unit, Infer, Effects] | None:
        """The function with callees in place of calls, if it looks for no array by its identity then."""
        try:
            found = self.functional(function, kinds, top, assumed, unfolded)
        except InternalError:
            raise
        except SourcegradError:
            return None
        return None if found[1].surprises(assumed) or found[2].seeks_itself else found

    def surprised(self, problem: UnsupportedError, function: Function, kinds: dict[str, k.Kind], top: bool,
                  assumed: dict[str, k.Kind]) -> dict[str, k.Kind]:
        """What changes by other names put into lists that were thought to be empty, where a change was refused: the items
        of an empty list may be anything."""
        if not problem.shared:
            return {}                                       # another problem, or one of a callee, which has seen to it
        problem.shared = False
        try:
            more = self.functional(function, kinds, top, assumed, lenient=True)[1].surprises(assumed)
        except (SourcegradError, LookupError, AttributeError):
            return {}
        return more if more != assumed else {}


# --- callees that were generated several times with nearly the same text, because only sizes differ, or attributes that one of the
# objects lacks: once is enough
#         pose - other        with positions of two elements, and with positions of which only the number of axes is known
#         model.score(x)      before and after `fit` has given the model more attributes

Twins = dict[tuple, list[tuple[dict[str, k.Kind], int]]]


def twins(pairs: dict[Any, Any], made: Any) -> Twins:
    """(name, place, active arguments) of a callee -> for each of its forms what its variants have in common: the kinds of the
    arguments, and whether the caller may drop parts of the result. made: the gradient function, or a pair, that
    all these pairs were generated for."""
    groups: dict[tuple, list[list]] = {}
    for (function, kinds, active, dropped), pair in pairs.items():
        names, form = [name for name, _ in kinds], [_without_sizes(kind) for _, kind in kinds]
        near = groups.setdefault((function.name, function.origin, active, *names), [])
        group = next((group for group in near if all(map(_alike, group[0][0], form))), None)
        if group is None:
            near.append(group := [])
        group.append((form, dict(kinds), dropped, pair))
    found: Twins = {}
    if all(len(variants) == 1 for near in groups.values() for variants in near):
        return found
    same = _distinct(made)
    for key, near in groups.items():
        for variants in near:
            variants = [variant for variant in variants if variant[3].forward in same]
            if len({(same[pair.forward], same.get(pair.reverse)) for *_, pair in variants}) > 1:
                common = {name: functools.reduce(k.join, (kinds[name] for _, kinds, *_ in variants)) for name in variants[0][1]}
                found.setdefault(key[:3], []).append((common, max(dropped for *_, dropped, _ in variants)))
    return found


def _distinct(made: Any) -> dict[Any, Any]:
    """For each function of what was made, the first that does the same."""
    return equal(reachable(*([made.forward, made.reverse] if hasattr(made, "forward") else [made])))


def _length(made: Any) -> int:
    """How many statements the functions of what was made have."""
    return sum(1 for half in set(_distinct(made).values()) for _ in t.statements(half.tree.body))


def settled(compiler_for: Callable[[Iterable, Twins], Any], make: Callable[[Any], Any], trace: Any, once: bool) -> tuple[Any, Any]:
    """A compiler and what is made with it; again from the start when a recursion turns out to have no end, and once more when
    attributes of objects turn out not to depend on the inputs, and when there are twins. once: whether twins are looked for."""
    growing: set[Any] = set()
    alike: Twins = {}
    attributes: frozenset[str] | None = None
    wider: tuple[Any, Any] | None = None                     # what was made as if any attribute depended on the inputs
    first: tuple[Any, Any] | None = None                     # what was made before twins were known
    shown: Any = None                                        # the stages of the first
    while True:
        compiler = compiler_for(growing, alike)
        compiler.attributes = attributes
        if (before := first or wider) is not None and trace is None:              # what its functions do has not changed
            for name in ("normal", "prepared", "lost"):
                setattr(compiler, name, getattr(before[0], name))
        try:
            with k.losing(compiler.lost):
                made = make(compiler)
        except Growing as found:
            if found.refusal.origin is not None and is_library(found.refusal.origin.file):
                problem = copy.copy(found.refusal)
                problem.locate(None, calls_around(found))
                stands_now(problem)
            growing |= found.keys
            alike, first, attributes, wider = {}, None, None, None
        except Endless as found:
            raise found.refusal from None
        except Unforeseen:
            return wider                                     # type: ignore[return-value]
        except SourcegradError:
            if first is None:
                raise
            break                                            # what they have in common is not enough
        else:
            if wider is None and (attributes := compiler.narrowed()) is not None:
                wider = compiler, made
                if trace is not None:
                    trace.again()
                continue
            if first is not None and _length(first[1]) <= _length(made):
                break                                        # what they have in common tells too little
            alike = twins(compiler.pairs, made) if once and first is None else {}
            if not alike:
                return compiler, made
            first = compiler, made
        if trace is not None:
            shown, trace.texts = trace.texts, {}
    if trace is not None:
        trace.texts = shown
    return first


def joined(found: Twins, key: tuple, kinds: dict[str, k.Kind], dropped: int) -> tuple[dict[str, k.Kind], int]:
    """The arguments of a callee as its twin has them."""
    for common, guarded in found.get(key, ()):
        if common.keys() == kinds.keys() and all(k.join(common[name], kind) == common[name] for name, kind in kinds.items()):
            return common, max(dropped, guarded)
    return kinds, dropped


def _alike(one: Any, other: Any) -> bool:
    """Whether two kinds are the same but for attributes that one of their objects lacks."""
    if one == other or type(one) is not type(other):
        return bool(one == other)
    if isinstance(one, k.Obj) and one.items and other.items and one.cls is other.cls and one.optional == other.optional:
        known = dict(other.items)
        return all(_alike(kind, known[name]) for name, kind in one.items if name in known)
    shells = [k.mapped(lambda _: k.ANY, kind) for kind in (one, other)]
    return shells[0] == shells[1] and all(map(_alike, k.parts(one), k.parts(other)))


@k.once
def _without_sizes(kind: Any) -> Any:
    """The kind with the numbers of axes only."""
    if isinstance(kind, k.Num):
        return replace(kind, dims=kind.dims and (None,) * len(kind.dims), size=kind.order)
    return k.mapped(_without_sizes, kind)
