"""How a function gets its form without mutation: looked at again, knowing more, until nothing is left open."""
from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from sourcegrad import kinds as k
from sourcegrad.analysis.sizes import without_own_sizes
from sourcegrad.analysis.types import Infer
from sourcegrad.compiler.recursion import Failed, Recursion, given_or_raised
from sourcegrad.errors import InternalError, SourcegradError, UnsupportedError
from sourcegrad.ir.unit import Function, Unit
from sourcegrad.lowering.attribute_stores import split
from sourcegrad.lowering.branches import vacant
from sourcegrad.memory.heap import Effects
from sourcegrad.memory.unseen import changing

SURPRISES = 6                               # so often something turns out to hold more than was thought
UNFOLDED = 3                                # so many levels of callees are put in place of their calls where that may help


@dataclass(eq=False)
class Prepared:
    unit: Unit
    facts: Infer
    effects: Effects


class Preparation(Recursion):
    """The functions of one generation without mutation, with their kinds and effects."""

    def __init__(self, growing: Iterable) -> None:
        super().__init__(growing)

    @abstractmethod
    def functional(self, function: Function, kinds: dict[str, k.Kind], top: bool, assumed: dict[str, k.Kind],
                   unfolded: int = 0, lenient: bool = False) -> tuple[Unit, Infer, Effects]:
        """Specialised code without mutation: `Compiler.functional`."""

    def prepare(self, function: Function, kinds: dict[str, k.Kind], top: bool = False) -> Prepared:
        """Core Python specialised on the kinds of the arguments, with the kinds of all names."""
        kinds = {name: without_own_sizes(kind) if kind is not None else k.ANY for name, kind in kinds.items()}
        key = (function, tuple(kinds.items()), top)
        result = self.prepared.get(key)
        if result is None:
            with self.prepared.frame() as record:
                try:
                    result = self.newly_prepared(function, kinds, top)
                except SourcegradError as problem:
                    result = Failed(problem)
            self.prepared.put(key, result, record)
        return given_or_raised(result)

    def newly_prepared(self, function: Function, kinds: dict[str, k.Kind], top: bool) -> Prepared:
        assumed: dict[str, k.Kind] = {}
        refused: list[UnsupportedError] = []                # with ever more callees in place of their calls
        for _ in range(SURPRISES + UNFOLDED):
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
                    refused.append(problem)
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
