"""Traps: a refusal of code that stands under a condition waits until that code is reached.

    if plotted:                     if plotted:
        plt.plot(x)                     raise refused('...plt.plot...', 'Write ...')

A function is generated; what is refused of it names a place. The innermost statement around that place that need not run (in a
branch, a loop, a handler, behind an early `return`, or in a callee that is called from such a place) becomes an exception in the
tree of its function, and the function is generated again: no pass knows about traps. What certainly runs is refused at once."""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import gast

from sourcegrad.errors import (
    MissingRuleError,
    Origin,
    SourceError,
    SourcegradError,
    UnsupportedError,
    as_python,
    full_traceback,
    is_library,
)
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.effort import Effort, learned_now
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.unit import Function, Names, local_names
from sourcegrad.parse.binding_times import Key, blocks, candidates
from sourcegrad.parse.executed import Executed, Replaced, executed, is_plain
from sourcegrad.parse.resolve import described_now
from sourcegrad.primitives.core import of_user
from sourcegrad.runtime.sharing import refused

Place = tuple[str, int, int]            # file, line and column where a statement starts
Traps = dict[Place, SourcegradError]
Made = TypeVar("Made")

MOST = 16                               # so many statements of one program become traps
DEEP = 1                                # so many of them in libraries that one call of the user's gets to
REFUSALS = (UnsupportedError, MissingRuleError, SourceError)



class Waiting:
    """What has become of refused places: traps, and expressions that run as they stand; those that were tried in vain.

    before: the same of the derivative when it was generated last in this call of the user's. described: the functions that were
    looked at, when it was generated."""

    def __init__(self, function: Function, inputs: tuple[str, ...], before: Waiting | None) -> None:
        self.function, self.inputs = function, frozenset(inputs)
        self.traps: Traps = {} if before is None else dict(before.traps)
        self.executed: dict[Key, Executed] = {} if before is None else dict(before.executed)
        self.tried: set[Key] = set() if before is None else set(before.tried)
        self.described: list[Function] | None = None if before is None else before.described
        self.effort = Effort()

    @property
    def functions(self) -> list[Function]:
        return [self.function, *described_now()]

    @property
    def state(self) -> frozenset:
        """What the trees of the functions depend on."""
        return frozenset((*self.traps, *self.executed))


_waiting: ContextVar[Waiting | None] = ContextVar("waiting", default=None)


class WrongArguments(UnsupportedError, TypeError):
    """A call of a function with arguments that it does not take: Python raises it where the call is reached."""

    python = TypeError


class Again(Exception):
    """A refused expression runs as it stands from now on: nothing else is tried before the function is generated with that."""


def until_certain(make: Callable[[], Made], function: Function, inputs: tuple[str, ...], kinds: dict[str, Any]) -> Made:
    """What `make` gives, with as many traps as it takes, and with expressions that run as they stand; its error where that is
    certainly reached. inputs: parameters by which is differentiated. kinds: of all parameters."""
    if _waiting.get() is not None:                                  # part of what is tried already
        return make()
    learned, key = learned_now(), ("waiting", function.object or function, inputs, tuple(kinds.items()))
    waiting = Waiting(function, inputs, learned.known.get(key))
    inside: dict[Place, list[Place]] = {}                           # what lies in libraries, by the user's call that gets there
    reached = source.REACHED.get()
    while True:
        with _trapping(waiting):
            try:
                if waiting.described is None or reached is None:
                    made = make()
                    waiting.described = described_now()
                if reached is None:
                    learned.known[key] = waiting
                    return made
                problem, reached = reached, None
                if as_it_stands(problem, waiting):
                    continue
                raise problem
            except Again:
                continue
            except REFUSALS as problem:
                if isinstance(problem, WrongArguments):
                    problem = as_python(TypeError, problem.message, _calling(problem))
                problem.__traceback__ = problem.__context__ = None      # (frames would hold all that is generated)
                found: SourcegradError = problem
        if waiting.effort.tried or not as_it_stands(found, waiting) and not _waits(found, waiting, inside):
            raise found


def _waits(found: SourcegradError, waiting: Waiting, inside: dict[Place, list[Place]]) -> bool:
    """Whether a refused place becomes a trap. inside: what has become one within libraries, by the user's call that gets there."""
    traps, places = waiting.traps, _places(found, waiting.functions)
    if not places or places[0][0] in traps or len(traps) == MOST:
        return False
    calls = dict(reversed(places))                                  # how many lie between
    place, user = places[0][0], next((place for place, _ in places if not is_library(place[0])), None)
    if user is not None and user != place:
        inside.setdefault(user, []).append(place)
        if len(inside[user]) > DEEP:                                # that call becomes the trap
            for one in inside[user]:
                traps.pop(one, None)
            place = user
    found.callers = found.callers[:calls[place]]
    traps[place] = found
    return True


def as_it_stands(problem: SourcegradError, waiting: Waiting) -> bool:
    """Whether an expression around a refused place is executed from now on, or no longer, as it depends on inputs after all."""
    exhausted, problem = problem.exhausted, problem.first or problem
    origin, functions = problem.origin, [waiting.function, *(described_now() or waiting.described or ())]
    if problem.lost == "anyway" or exhausted and waiting.effort.anew:
        return False
    for place, one in list(waiting.executed.items()):
        if origin is not None and one.origin is not None and origin[:3] == place[:3]:
            del waiting.executed[place]
            return True
    if len(waiting.executed) == MOST:
        return False
    objects: list[tuple[Key, Executed]] = []
    for key, function, node, s, varied in candidates(problem, functions, waiting.inputs, _around, _statement):
        if key is None or key in waiting.tried:
            continue
        waiting.tried.add(key)
        found = executed(function, node, s, functions, varied)
        found = None if found is not None and problem.lost and found.names else found
        if found is not None and found.kind is not None and is_plain(found.kind):
            waiting.executed[key] = found
            if exhausted:
                waiting.effort.forget()
            return True
        objects += [(key, found)] if found is not None else []
    waiting.executed.update(objects[-1:])                           # the largest
    if objects and exhausted:
        waiting.effort.forget()
    return bool(objects)


def stands_now(problem: SourcegradError) -> None:
    """Raise Again where an expression around a refused place is executed from now on: that comes before all else that is tried."""
    waiting = _waiting.get()
    if waiting is not None and as_it_stands(problem, waiting):
        raise Again


def state_now() -> frozenset:
    """What the trees of functions depend on besides their text: their traps, and what runs as it stands."""
    waiting = _waiting.get()
    return frozenset() if waiting is None else waiting.state


def effort_now() -> Effort:
    """How much is done for the derivative that is generated."""
    waiting = _waiting.get()
    return Effort() if waiting is None else waiting.effort


def calls_around(error: BaseException) -> tuple[Origin, ...]:
    """The places that passes looked at when an error was raised, one of each function, the innermost first."""
    found: dict[int, Origin] = {}
    traceback = full_traceback(error)
    while traceback is not None:
        _note_place(traceback.tb_frame.f_locals, found)
        traceback = traceback.tb_next
    return tuple(reversed(found.values()))


def calls_above() -> tuple[Origin, ...]:
    """The places that passes are looking at, one of each function, the innermost first."""
    frames: list[Any] = []
    frame: Any = sys._getframe(1)
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    found: dict[int, Origin] = {}
    for frame in reversed(frames):
        _note_place(frame.f_locals, found)
    return tuple(reversed(found.values()))


def _note_place(local: dict[str, Any], found: dict[int, Origin]) -> None:
    """Note the place of the statement that a frame of a pass looks at, by the pass."""
    s: Any = local.get("s")
    origin = t.origin_of(s) if isinstance(s, gast.AST) else None
    if origin is not None and "self" in local:
        place = source.locate(s.value, origin) if isinstance(getattr(s, "value", None), gast.AST) else origin
        found[id(local["self"])] = (place or origin)._replace(callers=())


def _calling(problem: WrongArguments) -> Origin | None:
    """The call that is wrong: the last statement that a pass looked at."""
    found, traceback = problem.origin, full_traceback(problem)
    while traceback is not None and problem.origin is None:
        s = traceback.tb_frame.f_locals.get("s")
        found = t.origin_of(s) if isinstance(s, gast.AST) and t.origin_of(s) is not None else found
        traceback = traceback.tb_next
    return found


@contextmanager
def _trapping(waiting: Waiting) -> Iterator[None]:
    token = _waiting.set(waiting)
    try:
        yield
    finally:
        _waiting.reset(token)


def trapped(function: Function) -> tuple[gast.FunctionDef, dict[str, Any]]:
    """A copy of the tree of a function with its traps and with what is executed, and what the names in these mean."""
    tree, bound = t.clone(function.tree), dict[str, Any]()
    waiting = _waiting.get()
    if waiting is None or function.object is None or not function.tree.body:    # (what is made of a function has its traps)
        return tree, bound
    file = (_start(function.tree.body[0]) or ("",))[0]
    if any(key[0] == file for key in waiting.executed):
        names = Names(n.id for n in t.walk(tree) if isinstance(n, gast.Name))
        Replaced(waiting.executed, names, bound).within(tree)
    if any(place[0] == file for place in waiting.traps):
        Trapped(waiting.traps, function, tree, bound)
    return tree, bound


class Trapped:
    """A tree gets its traps. bound: what the names in them mean."""

    def __init__(self, traps: Traps, function: Function, tree: Any, bound: dict[str, Any]) -> None:
        self.traps, self.function, self.bound = traps, function, bound
        self.names, self.local = Names(n.id for n in t.walk(tree) if isinstance(n, gast.Name)), local_names(tree)
        tree.body = self.block(tree.body)
        lost = self.local - local_names(tree)                       # they would be names of the module from now on
        for block in blocks(tree) if lost else ():
            block[:] = [x for s in block for x in (*[t.assign(name, t.const(None), t.origin_of(s)) for name in sorted(
                lost & getattr(s, "bound", set()))], s)]

    def block(self, block: list) -> list:
        """A block in which statements, at any depth, have become traps."""
        found = []
        for s in block:
            problem = self.traps.get(_start(s))                             # type: ignore[arg-type]
            if problem is not None:
                found.append(self.raising(problem))
                found[-1].bound = local_names(t.function("part", t.arguments([]), [s], None))
                continue
            for inner, _ in _parts(s):
                inner[:] = self.block(inner)
            for handler in getattr(s, "handlers", ()):
                problem = self.traps.get(_place_of(handler.type, s))        # type: ignore[arg-type]
                if problem is not None:             # whether it is the one that catches cannot be known
                    handler.type, handler.body = t.load("Exception"), [self.raising(problem)]
            found.append(s)
        return found

    def raising(self, problem: SourcegradError) -> Any:
        """The statement that raises what a place is refused with, or what Python raises there."""
        python = getattr(problem, "python", None)
        value = python or refused
        name = value.__name__
        if value is refused or name in self.local or self.function.scope.lookup(name) not in (MISSING, value):
            name = next((name for name, known in self.bound.items() if known is value), None) or self.names.fresh(name)
            self.bound[name] = value
        said = [t.const(problem.message)]
        if value is refused:
            said += [t.const(problem.remedy)] + [t.const(type(problem).__name__)] * (type(problem) is not UnsupportedError)
        origin = problem.origin and problem.origin._replace(callers=problem.callers)
        return t.at(gast.Raise(exc=t.call(name, *said), cause=None), origin)


# --- Where a trap may stand

def _places(problem: SourcegradError, functions: list[Function]) -> list[tuple[Place, int]]:
    """The statements around a refused place that need not run, one of each function on the way to it, the innermost first, and how
    many calls lie between; none where it certainly runs."""
    found: list[tuple[Place, int]] = []
    caught = getattr(problem, "python", None) is not None           # (a handler may get it)
    for calls, origin in enumerate((problem.origin, *problem.callers)):
        if origin is None:
            return []
        within = [f for f in functions if _around(origin, f)]
        function = max(within, key=lambda f: _start(f.tree.body[0]) or ("",), default=None)             # type: ignore[arg-type, return-value]
        if function is None or function.object is not None and not of_user(function.object):
            continue                                                # of NumPy, say: who called it
        s, conditional = _statement(function.tree.body, (origin.line, origin.column), False, caught)
        handler = next((h for h in getattr(s, "handlers", ()) if _place_of(h.type, s) == origin[:3]), None)
        if handler is not None:
            found.append((origin[:3], calls))
        elif s is not None and conditional and not isinstance(s, gast.FunctionDef):
            found.append((_start(s), calls))                                                                    # type: ignore[arg-type]
    return [] if any(map(_catches_all, functions)) else found


def _around(origin: Origin, function: Function) -> bool:
    """Whether a place is in a function."""
    starts = [_start(s) for s in function.tree.body]
    if not starts or None in starts or starts[0][0] != origin.file:             # type: ignore[index]
        return False
    last = function.tree.body[-1]
    node = last if hasattr(last, "lineno") else last.value                      # (the `return` of a lambda is not written)
    end = getattr(node, "end_lineno", None) or starts[-1][1]                    # type: ignore[index]
    return starts[0][1:] <= (origin.line, origin.column) and origin.line <= end             # type: ignore[index]


def _start(s: Any) -> Place | None:
    origin = t.origin_of(s)
    return None if origin is None else (origin.file, origin.line, origin.column)


def _place_of(node: Any, s: Any) -> Place | None:
    """Where a part of a statement is."""
    origin = t.origin_of(s)
    return None if origin is None or node is None else source.locate(node, origin)[:3]              # type: ignore[index, return-value]


def _statement(block: list, place: tuple[int, int], conditional: bool, caught: bool) -> tuple[Any, bool]:
    """The innermost statement of a block in which a place is, and whether it need not run. caught: or whether a `try` is around."""
    for j, s in enumerate(block):
        following = _start(block[j + 1]) if j + 1 < len(block) else None
        if following is not None and following[1:] <= place:
            conditional = conditional or _leaves(s)
            continue
        start = _start(s)
        if start is None or start[1:] > place or (getattr(s, "end_lineno", None) or place[0]) < place[0]:
            return None, False
        for inner, condition in _parts(s):
            may = condition or caught and isinstance(s, gast.Try) and inner is s.body
            found, whether = _statement(inner, place, may or conditional and not isinstance(s, gast.FunctionDef), caught)
            if found is not None:
                return found, whether
        return s, conditional
    return None, False


def _parts(s: Any) -> list[tuple[list, bool]]:
    """The blocks of a statement, from the last on, and whether each may be left out."""
    plain = isinstance(s, (gast.With, gast.FunctionDef))
    blocks = [(s.body, not plain and not isinstance(s, gast.Try))] if getattr(s, "body", None) else []
    blocks += [(handler.body, True) for handler in getattr(s, "handlers", ())]
    blocks += [(case.body, True) for case in getattr(s, "cases", ())]
    blocks += [(s.orelse, True)] if getattr(s, "orelse", None) else []
    blocks += [(s.finalbody, False)] if getattr(s, "finalbody", None) else []
    return [(block, whether) for block, whether in reversed(blocks) if block]


def _leaves(s: Any) -> bool:
    """Whether a statement may leave the block that it stands in."""
    if isinstance(s, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
        return True
    return not isinstance(s, gast.FunctionDef) and any(_leaves(x) for block, _ in _parts(s) for x in block)


def _catches_all(function: Function) -> bool:
    """Whether a function has a handler for all exceptions that is seen in its text; `check_caught` knows the others. (That of a
    generator around a `yield` is no handler of an outlined body.)"""
    def everything(node: Any) -> bool:
        if isinstance(node, gast.Tuple):
            return any(map(everything, node.elts))
        return node is None or t.is_name(node) and (node.id == "BaseException" or function.scope.lookup(node.id) is BaseException)

    return any(isinstance(h, gast.ExceptHandler) and everything(h.type) for h in t.walk(function.tree))


def check_caught(exceptions: tuple) -> None:
    """Refuse at once what waits, where handlers would take a trap: exceptions by handler, of which none is raised again."""
    waiting = _waiting.get()
    traps = waiting.traps if waiting is not None else {}
    if traps and any(issubclass(refused, cls) for classes in exceptions for cls in classes):
        raise next(iter(traps.values()))
