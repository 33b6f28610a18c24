"""Checkpointing: which loops of a generation have checkpoints, and their two halves, which call `runtime.checkpoints`."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.checkpoints import outline_loops
from sourcegrad.analysis.activity import Activity
from sourcegrad.analysis.types import Infer
from sourcegrad.compiler.emit import finish, publish
from sourcegrad.compiler.linking import Budget, Half
from sourcegrad.compiler.passes import Work
from sourcegrad.errors import Origin, UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Function, Names, Unit


@dataclass(eq=False)
class Checkpointing:
    """The loops of one generation. loops: among how many of them the bytes are parted; idle: loops that save nothing, by place.

    Only the outermost loops of a program have checkpoints: what a turn of them calls or repeats is computed again with it."""

    budget: Budget
    loops: int = 1
    wanted: bool = True                                                         # whether the caller reads the value of the function
    idle: frozenset[Origin | None] = frozenset()
    kept: dict[Origin | None, tuple[str, str]] = field(default_factory=dict)    # loops that stay on the tape, and why
    found: dict[Origin | None, bool] = field(default_factory=dict)              # loops, and whether they save anything
    pairs: dict[Any, Any] = field(default_factory=dict)                         # halves of what is called inside of loops
    depth: int = 0                                                              # loops around what is generated now
    counts: list[int] = field(default_factory=lambda: [0])                      # loops of the functions that are generated now
    weights: dict[Any, int] = field(default_factory=dict)                       # pair -> loops of it, with all that it calls

    @property
    def share(self) -> int:
        """Bytes for one loop."""
        return max(self.budget.memory // self.loops, 1)

    def outline(self, unit: Unit, facts: Infer, activity: Activity, effects: Callable, top: bool) -> bool:
        """Make functions of the loops of a function, in place; whether there were any. top: it is the outermost one."""
        wanted = self.wanted or not top
        return not self.depth and outline_loops(unit, facts, activity, effects, self.idle, self.kept, wanted) > 0

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Around what a turn of a loop calls."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    @contextmanager
    def counted(self, pair: Any) -> Iterator[None]:
        """Around the generation of the halves of a function."""
        self.counts.append(0)
        try:
            yield
        finally:
            self.weights[pair] = self.counts.pop()

    def asked(self, reverse: Any, pair: Callable) -> Callable:
        """How the sweeps of a function ask for the halves of a callee: loops are counted for each of its calls."""
        def made(function: Function, kinds: dict[str, Any], active: Any, dropped: int = 0) -> Any:
            if reverse.depth:
                with self.inside():
                    return pair(function, kinds, active, dropped)
            found = pair(function, kinds, active, dropped)
            self.counts[-1] += 0 if self.depth else self.weights.get(found, 0)
            return found

        return made

    def generate(self, compiler: Any, pair: Any, function: Function, kinds: dict[str, k.Kind], dropped: int) -> None:
        """The halves of a loop, and the functions of its turns that they call."""
        loop = function.loop
        given = {name: kinds.get(name, k.INT) for name in loop.turns.parameters}
        with self.inside():
            turns = compiler.pair(loop.turns, given, pair.active, dropped)
            run = plain_turns(compiler, loop.turns, given, turns.forward.__name__.removesuffix("_forward"))
        self.found[function.origin] = self.found.get(function.origin, False) or taped(turns.forward)
        pair.forward.result_kind = k.Tup((compiler.solve(function, kinds) or k.ANY, k.ANY))
        pair.reverse.result_kind = turns.reverse.result_kind
        emit_halves(pair, function, (run, turns.forward, turns.reverse), Budget(self.share, self.budget.spill))
        self.weights[pair] = 1

    def again(self) -> Checkpointing:
        """The same for another compiler."""
        return Checkpointing(self.budget, self.loops, self.wanted, self.idle)

    def settled(self) -> Checkpointing | None:
        """What to generate with instead, knowing what was found; None: it is right as it is."""
        total, idle = self.counts[0], {origin for origin, saves in self.found.items() if not saves}
        if idle or total not in (0, self.loops):
            return Checkpointing(self.budget, max(total, 1), self.wanted, self.idle | idle)
        return None

    def check(self, function: Function, waiting: bool) -> None:
        """Refuse a function none of whose loops has checkpoints. waiting: other refusals wait in its code, and tell more."""
        if self.counts[0] or waiting and not self.kept:
            return
        for origin, (reason, remedy) in self.kept.items():
            raise UnsupportedError(f"memory= of a loop that cannot be computed again: {reason}", origin, remedy)
        what = "its loops save nothing" if self.idle else "there is no loop"
        raise UnsupportedError(f"memory= of {function.name}(): {what}", function.origin, "Leave memory= out.")


def plain_turns(compiler: Any, function: Function, kinds: dict[str, k.Kind], name: str) -> Half:
    """Some turns of a loop as a function without a tape, which changes in place what its own turns have made."""
    unit, facts, _, forward, _, _, (_, kept) = compiler.combined(function, kinds, (), "none")
    tree = t.function(name, t.arguments(function.parameters), [*forward, t.return_(t.load(kept), function.origin)], function.origin)
    unit.tree = tree
    facts = compiler.passes.run("optimize", Work(unit, None, tree, kinds, {}, compiler, sweeps=1)).facts
    half = Half(name, result_kind=facts.result or k.ANY)
    finish([half], Work(unit, facts, trees=[tree], sweeps=1), function, compiler.passes)
    return half


def taped(forward: Half) -> bool:
    """Whether a forward half puts anything on a tape."""
    found = (t.list_method(s) for s in t.statements(forward.__sourcegrad__.tree.body))
    return any(method is not None and method[0] in forward.unit.tapes for method in found)


def emit_halves(pair: Any, function: Function, turns: tuple[Any, Any, Any], budget: Budget) -> None:
    """Emit the halves of a loop. turns: some of its turns without a tape, with one, and in reverse."""
    loop, parameters = function.loop, function.parameters
    run, record, back = turns
    unit = Unit(function, function.tree, names=Names(parameters))
    helper = runtime.checkpointed_until if loop.ends else runtime.checkpointed
    options = {"memory": t.const(budget.memory)}
    if budget.spill is not None:
        options["spill"] = t.const(budget.spill)
    if loop.outputs:
        options["outputs"] = t.const(len(loop.outputs))
    count = t.load(parameters[0]) if loop.counted else t.const(None)
    constants = parameters[loop.counted + len(loop.carried):]
    call = t.call(unit.use(helper, helper.__name__), *(t.load(unit.use(half, half.__name__)) for half in (run, record)), count,
                  t.pack([*map(t.load, loop.carried)]), t.pack([*map(t.load, constants)]), **options)
    emit(pair.forward, unit, parameters, call, function)
    given = ["saved", "value_bar"]
    unit = Unit(function, function.tree, names=Names(given))
    positions = [t.const(j) for j, name in enumerate(loop.carried) if name in pair.active]
    few: dict[str, Any] = {} if len(positions) == len(loop.carried) else {"active": t.pack(positions)}
    if len(pair.active) == 1:
        few["several"] = t.const(False)
    call = t.call(unit.use(runtime.rewind, "rewind"), t.load("saved"), t.load(unit.use(back, back.__name__)), t.load("value_bar"),
                  **few)
    emit(pair.reverse, unit, given, call, function)


def emit(half: Half, unit: Unit, parameters: list[str], value: Any, function: Function) -> None:
    """A function that returns one value."""
    tree = t.function(half.__name__, t.arguments(parameters), [t.return_(value, function.origin)], function.origin)
    publish(half, unit, tree, t.clone(tree), function, True)
    half.__sourcegrad__.refused = "memory= of what is differentiated again", "Leave memory= out of gradients of gradients."
