"""The ways memory is written: objects are values, which become names where that is possible, or told apart by their identity."""
from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.types import Infer
from sourcegrad.compiler import linking
from sourcegrad.compiler.emit import reachable
from sourcegrad.compiler.passes import Trace
from sourcegrad.compiler.specialize import Prepared
from sourcegrad.errors import SourcegradError, UnsupportedError, is_library
from sourcegrad.ir import tree as t
from sourcegrad.ir.effort import WORK, learned_now
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.unit import Function
from sourcegrad.kinds.arguments import holds_objects
from sourcegrad.lowering.place_kinds import ArraysChange, DictsChange, ListsChange, Wider
from sourcegrad.lowering.places import holds_place
from sourcegrad.parse.resolve import describe
from sourcegrad.parse.traps import state_now
from sourcegrad.primitives.core import of_user, primitive_of
from sourcegrad.runtime.structure import is_user_class

Generated = Callable[[Callable[[Any], Any], Trace | None], tuple[Any, Any]]     # a compiler and what was made with it
MUCH = 200                              # functions that were looked at, of one that is refused
LONG = 10_000                           # steps until something is refused because the function changes what it does not own
WORLDS = 32                             # so often all begins again, knowing more of what objects hold


def chosen(function: Function, make: Callable[[Function, Any], Any], trace: Trace | None, generated: Generated,
           kinds: Any = None) -> tuple[Function, Any, Any]:
    """The function as it was looked at, a compiler and what is made with it.

    Objects that others hold (a list, another object) have their state looked after (`lowering.places`), and so have those that
    would be left as values that change. All others are values, which become names. What was chosen before in this call of the
    user's is taken at once."""
    known = learned_now().known
    key = ("way", function.object or function, function.outputs, tuple((kinds or {}).items()))
    mode = linking.OPTIONS.places
    state = function if mode == "off" or function.outputs or function.pure or not makes_objects(function, set()) else (
        function.with_memory("made"))

    contained = any(isinstance(part, (k.Lst, k.Dct, k.Map)) for kind in (kinds or {}).values() for part in (kind, *k.parts(kind)))
    begun: list[Any] = []

    def noted(of: Function) -> Callable[[Any], Any]:
        def making(compiler: Any) -> Any:
            begun.append(compiler)
            return make(of, compiler)
        return making

    def generation(of: Function, shown: Trace | None = None,
                   containers: bool = state is function) -> tuple[Function, Any, Any]:
        if not of.memory:
            return of, *generated(noted(of), shown)
        worlds = known.setdefault((*key, of.memory, containers, state_now()), [])
        compiler, made = in_a_world(noted(of), shown, generated, of.origin, containers, worlds)
        if mixed(compiler) and not (compiler.lists and compiler.dicts):        # perhaps it is in a list or dict that is a value
            compiler, made = in_a_world(noted(of), shown, generated, of.origin, True)
        if mixed(compiler):
            raise UnsupportedError("an object that is told apart by its identity, among other values", of.origin,
                                   "Keep objects by themselves.")
        return of, compiler, made

    def first(of: Function, shown: Trace | None) -> tuple[Function, Any, Any]:
        if state is function:
            plain = mode == "off" or of.outputs or of.pure
            return generation(of, shown) if plain else otherwise(generation, of, shown, contained, lambda: sum(
                len(compiler.prepared.final) for compiler in begun) > MUCH)
        if mode == "only":
            return generation(state, shown)
        return best(generation, of, state, shown)

    given = mode != "off" and not function.outputs and not function.pure and any(map(holds_objects, (kinds or {}).values()))
    found = again(generation, function, known[key], trace) if key in known else None
    if found is None:
        found = with_arguments(first, generation, function, trace) if given else first(function, trace)
    known[key] = found[0].memory
    for compiler in begun:
        if compiler is not found[1]:
            compiler.close()
    return found


def again(generation: Callable[..., tuple[Function, Any, Any]], function: Function, memory: str,
          trace: Trace | None) -> tuple[Function, Any, Any] | None:
    """What is made of a function in the way that was chosen for it before; None where that is refused now."""
    try:
        return generation(function.with_memory(memory) if memory else function, trace)
    except (UnsupportedError, RecursionError) as problem:
        problem.__traceback__ = problem.__context__ = None
        if trace is not None:
            trace.texts.clear()
        return None


def mixed(compiler: Any) -> bool:
    """Whether objects that are told apart by their identity are where their kind is not known."""
    return any(isinstance(item, type) for item in (*compiler.lost, *compiler.mixed))


def otherwise(generation: Callable[..., tuple[Function, Any, Any]], function: Function, trace: Trace | None,
              holds_containers: bool, much: Callable[[], bool]) -> tuple[Function, Any, Any]:
    """What is made of a function without objects: where it is refused, or copies containers along paths, its lists and dicts are
    told apart by their identity.

    holds_containers: whether it is given any. much: whether it calls so much that nothing is tried again."""
    made = refused = None
    begun = WORK.steps
    try:
        made = generation(function, trace)
    except UnsupportedError as problem:
        problem.__traceback__ = problem.__context__ = None
        refused = problem
    if made is not None and not walks(made[2]):
        return made
    if refused is not None and refused.outside and WORK.steps - begun > LONG:
        raise refused
    own = refused is None or None not in (refused.origin, function.origin) and (
        refused.origin.file == function.origin.file)                                       # type: ignore[union-attr]
    if not own or much():
        if made is not None:
            return made
        raise refused                                                                               # type: ignore[misc]
    texts = None if trace is None else dict(trace.texts)
    for memory in ("made", "entered") if holds_containers and made is None else ("made",):
        if trace is not None:
            trace.texts.clear()
        try:
            found = generation(function.with_memory(memory), trace)
        except (SourcegradError, RecursionError, TypeError):
            continue
        if made is None or not walks(found[2]):
            return found
    if made is None:
        raise refused from None                                                                     # type: ignore[misc]
    if trace is not None:
        trace.texts.clear()
        trace.texts.update(texts or {})
    return made


def best(generation: Callable[..., tuple[Function, Any, Any]], function: Function, state: Function,
         trace: Trace | None) -> tuple[Function, Any, Any]:
    """What is made with the state of objects, or without it."""
    places = values = cause = None
    try:
        places = generation(state)
    except (SourcegradError, RecursionError) as problem:
        if isinstance(problem, SourcegradError) and problem.exhausted:      # either way
            raise
        problem.__traceback__ = problem.__context__ = None           # (frames would hold all that is generated)
        cause = problem if isinstance(problem, SourcegradError) and problem.origin and is_library(problem.origin.file) else None
    if places is None:
        try:
            return generation(function, trace)
        except UnsupportedError as problem:
            if problem.instead is None and not (problem.origin and is_library(problem.origin.file)):
                problem.instead = cause                     # what follows from it shows at the user's own line
            raise
    unwanted = not linking.ASKS.get() and asks(places[2]) or hands_on_methods(*places[1:])
    if unwanted or not any(held_by_others(x.facts) for x in places[1].prepared.final.values() if isinstance(x, Prepared)):
        try:
            values = generation(function, trace)
        except UnsupportedError as problem:
            problem.__traceback__ = problem.__context__ = None
        if values is not None and (unwanted or not (uses(values[2], "values") and uses(places[2], "state"))):
            return values
    if trace is not None:
        trace.texts.clear()
        return generation(state, trace)
    return places


def with_arguments(first: Callable[..., tuple[Function, Any, Any]], generation: Callable[..., tuple[Function, Any, Any]],
                   function: Function, trace: Trace | None) -> tuple[Function, Any, Any]:
    """What is made of a function that is given objects: if it changes them, their copies are places, where that is possible."""
    values = refused = None
    try:
        values = first(function, trace)
    except UnsupportedError as problem:
        problem.__traceback__ = problem.__context__ = None
        refused = problem
    if values is not None and (values[0].memory or not changes_arguments(values[2]) and not walks(values[2])):
        return values
    if trace is not None:
        trace.texts.clear()
    try:
        entered = generation(function.with_memory("entered"), trace, False)
        if values is None or linking.ASKS.get() or not asks(entered[2]):
            return entered
    except (SourcegradError, RecursionError) as problem:
        if refused is not None:
            raise refused from None
        if linking.OPTIONS.places == "only":
            raise
        problem.__traceback__ = problem.__context__ = None
    if trace is not None:
        trace.texts.clear()
        return first(function, trace)
    return values                                                                                   # type: ignore[return-value]


def changes_arguments(made: Any) -> bool:
    """Whether generated code copies arguments, which it changes."""
    return any(value is runtime.own for value in named(made))


def in_a_world(make: Callable[[Any], Any], trace: Trace | None, generated: Generated, origin: Any,
               change: bool = False, known: list | None = None) -> tuple[Any, Any]:
    """A compiler and what is made with it, again from the start while objects turn out to hold more than was thought.

    change: whether lists and dicts are places from the start. known: the last world of the same function, if there is one, and
    which lists, dicts and arrays are places; what is found now is put there."""
    worlds: list[k.Kind] = [k.State(())]
    lists, dicts, arrays = change, change, frozenset()      # type: bool, bool, frozenset
    if known:
        worlds, lists, dicts, arrays = [known[0]], *known[1:]
    normal: dict[Function, Any] = {}                        # core Python does not know the world; closures stay the same functions

    def begun(compiler: Any) -> Any:
        compiler.world = compiler.begun = worlds[0]
        compiler.normal = {f: replace(unit, expressions={}) for f, unit in normal.items()}          # (kinds are found anew)
        compiler.lists, compiler.dicts, compiler.arrays, compiler.containers = lists, dicts, arrays, change
        try:
            return make(compiler)
        finally:
            worlds[1:] = [compiler.world]
            normal.update(compiler.normal)

    for _ in range(WORLDS):
        try:
            found = generated(begun, trace)
        except ListsChange:
            lists, worlds = True, [k.State(())] * 2
        except DictsChange:
            dicts, worlds = True, [k.State(())] * 2
        except ArraysChange as found_more:
            arrays, worlds = arrays | found_more.keys, [k.State(())] * 2
        except Wider:
            pass
        else:
            if worlds[0] == worlds[-1]:
                if known is not None:
                    known[:] = worlds[0], lists, dicts, arrays
                return found
        if trace is not None:
            trace.again()
        worlds = worlds[-1:]
    raise UnsupportedError("objects that hold ever more", origin, "Give them all their attributes in __init__.")


def held_by_others(facts: Infer) -> bool:
    """Whether lists, tuples, dicts or other objects hold objects of a function."""
    return any(holds_place(part) for kind in facts.kinds.values() if not isinstance(kind, k.Tup) or not any(
        isinstance(item, k.State) for item in kind.items) for part in k.parts(kind))


def makes_objects(function: Function, seen: set) -> bool:
    """Whether a function, or one that it names, names a class of the user's."""
    seen.add(function)
    for node in t.walk(function.tree):
        value = function.scope.lookup(node.id) if isinstance(node, gast.Name) else MISSING
        if isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name):
            owner = function.scope.lookup(node.value.id)
            value = getattr(owner, node.attr, MISSING) if isinstance(owner, types.ModuleType) else MISSING
        if isinstance(value, type) and is_user_class(value) and not issubclass(value, BaseException):
            return True
        if isinstance(value, FunctionType) and of_user(value):
            try:
                other = describe(value)
            except SourcegradError:
                continue
            if other not in seen and makes_objects(other, seen):
                return True
    return False


def named(made: Any) -> list:
    """What generated code names."""
    halves = reachable(*([made.forward, made.reverse] if hasattr(made, "forward") else [made]))
    return [value for half in halves for value in half.unit.env.values()]


def uses(made: Any, what: str) -> bool:
    """Whether generated code changes objects as "values", or their "state"."""
    return any(one.objects == "values" if what == "values" else one.state for one in map(primitive_of, named(made)))


def hands_on_methods(compiler: Any, made: Any) -> bool:
    """Whether generated code calls what is not known before it runs, and what lists and dicts hand on are methods or inner
    functions of objects that are told apart by their identity: their state could not be looked after there. (Not of objects that
    hold them: those hold themselves.)"""
    if not any(value is runtime.call_forward or value is runtime.call_forward_for for value in named(made)):
        return False
    looked = [x for x in compiler.prepared.final.values() if isinstance(x, Prepared)]
    return any(loses_method(x.unit, x.facts) for x in looked) and not any(
        holds_method(kind) for x in looked for kind in x.facts.kinds.values() if isinstance(kind, k.State))


def loses_method(unit: Any, facts: Infer) -> bool:
    """Whether an item is taken of what holds methods, of which it is not known whether it is one of them."""
    return any(isinstance(s, gast.Assign) and isinstance(s.value, gast.Subscript) and facts.of(s.targets[0]) is k.ANY
               and holds_method(facts.of(s.value.value) or k.ANY) for s in t.statements(unit.tree.body))


def holds_method(kind: k.Kind) -> bool:
    """Whether a value holds a method, or an inner function, of an object that is told apart by its identity."""
    return any(isinstance(part, k.Closure) and any(isinstance(item, k.Place) for item in part.items) or holds_method(part)
               for part in k.parts(kind))


def walks(made: Any) -> bool:
    """Whether generated code walks through containers to copy them along a path."""
    return any(value in (runtime.own_parts, runtime.places_of, runtime.put_all) for value in named(made) if callable(value))


def asks(made: Any) -> bool:
    """Whether generated code asks when it runs if an attribute holds a number, and refuses all else."""
    return any(value is runtime.same_number for value in named(made))
