"""The table of passes: the order in which a function becomes its gradient, and why each pass stands where it does.

`PHASES` is what `Manager` runs. Each phase ensures a language (`ir.verify`), which is checked when it ends. A pass works on
a `Work`, and says whether it changed anything. `optional` passes only make the code shorter or faster: each can be switched off by
its name (`SOURCEGRAD_DISABLE=cse,tapes`), and the gradients stay the same.
`sourcegrad passes` prints the table, `sourcegrad show --stage NAME` the text after a stage.
"""
from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import gast

from sourcegrad.ad.adjoint import check_refused
from sourcegrad.analysis.types import Infer
from sourcegrad.compiler.linking import Options
from sourcegrad.errors import InputError
from sourcegrad.ir import source, tree as t, verify as check
from sourcegrad.ir.unit import Function, Unit
from sourcegrad.ir.verify import CORE, FUNCTIONAL, IN_PLACE, SWEEPS, TEXT, TYPED, Language, statements_of
from sourcegrad.lowering.attribute_stores import hoist_loads, unroll
from sourcegrad.lowering.calls import specialise
from sourcegrad.lowering.containers import containers
from sourcegrad.lowering.out_arguments import out_arguments
from sourcegrad.memory.functionalize import functionalize, materialize_conditions
from sourcegrad.optimize.algebra import simplify
from sourcegrad.optimize.array_literals import array_literals
from sourcegrad.optimize.code_motion import view_cse, view_hoisting
from sourcegrad.optimize.copy_elision import conversion_elision, copy_elision, own_seeds, results
from sourcegrad.optimize.dead_places import dead_places
from sourcegrad.optimize.equal_shares import equal_shares
from sourcegrad.optimize.fold_expressions import forward_substitution
from sourcegrad.optimize.in_place import accumulate, coalesce, reuse
from sourcegrad.optimize.inline import escape, inline
from sourcegrad.optimize.place_names import place_names
from sourcegrad.optimize.redundancy import cse, dce
from sourcegrad.optimize.scalar_replacement import aggregates, scalar_replacement
from sourcegrad.optimize.store_forwarding import restores, scatter_fusion, store_forwarding
from sourcegrad.optimize.sums import sums
from sourcegrad.optimize.tapes import borrow, lengths, shape_tapes, tapes
from sourcegrad.pretty.blocks import annotate, blocks
from sourcegrad.pretty.names import elements, numbers, variables
from sourcegrad.pretty.object_state import object_state
from sourcegrad.pretty.parallel import parallel
from sourcegrad.pretty.raise_statements import pop_forwarding
from sourcegrad.pretty.shadow_updates import shadow_updates
from sourcegrad.pretty.small_arrays import small_arrays
from sourcegrad.pretty.tidy import forward_sweep, tidy, unmarked
from sourcegrad.syntax.anf import anf, single_steps
from sourcegrad.syntax.desugar import desugar
from sourcegrad.syntax.devirtualize import devirtualize
from sourcegrad.syntax.iterators import iterators
from sourcegrad.syntax.lambda_lifting import decorators, dispatch_tables, lambda_lifting
from sourcegrad.syntax.loops import trip_counts
from sourcegrad.syntax.outline import context_managers, outline
from sourcegrad.syntax.single_exit import single_exit
from sourcegrad.syntax.split_webs import split_again, split_webs

LONG = 600                               # statements of both sweeps, before they are simplified


@dataclass(eq=False)
class Work:
    """What the passes work on: one function, later the tree of its sweeps, at last the trees of one or two halves.

    compiler: what passes ask of callees. argument: what a pass of the driver needs besides (`Manager.one`)."""

    unit: Unit
    facts: Any = None
    tree: Any = None
    kinds: dict = field(default_factory=dict)
    outputs: dict = field(default_factory=dict)
    compiler: Any = None
    argument: tuple = ()
    trees: list = field(default_factory=list)
    place: int = 0                  # of the tree among the trees
    called: bool = False            # the trees are halves of a callee: their results have no names of their own
    sweeps: int = 2                 # how many sweeps the tree has: one in forward mode
    language: Language | None = None            # what every pass keeps to from here on

    @property
    def parameters(self) -> list[str]:
        names = (p for p in t.walk(self.tree.args) if isinstance(p, gast.Name) and isinstance(p.ctx, gast.Param))
        return list(self.kinds) or [p.id for p in names]


@dataclass(frozen=True)
class Pass:
    """One pass. after: passes that must have run (verified when this module is imported). again: a change asks for another
    round of the fixpoint that the pass is in."""

    name: str
    run: Callable[[Work], Any]
    why: str
    optional: bool = False
    after: tuple[str, ...] = ()
    again: bool = False


@dataclass(frozen=True)
class Stage:
    """A text that `sourcegrad show --stage NAME` prints. always: whether the invariants of trees are verified here, always."""

    name: str
    always: bool = False


@dataclass(frozen=True)
class Ensures:
    """Trees are in a language from here on: each pass keeps to it (verified in the tests), and the phase as a whole (always).
    name: what brings them into it."""

    language: Language
    name: str


@dataclass(frozen=True)
class Facts:
    """The kinds of all names are inferred again."""

    name: str = "types"


@dataclass(frozen=True)
class Fixpoint:
    """Passes that run until none of them asks for another round, and so many rounds at most."""

    passes: tuple[Any, ...]
    rounds: Callable[[Work], int]


@dataclass(frozen=True)
class IfChanged:
    """Passes, and what follows if one of them changed anything."""

    passes: tuple[Pass, ...]
    then: tuple[Any, ...]


@dataclass(frozen=True)
class Each:
    """Passes on one tree after the other."""

    passes: tuple[Any, ...]


def _syntax(step: Callable[[Unit], Unit], why: str, *after: str) -> Pass:
    """A pass that gives a unit."""
    def run(w: Work) -> None:
        w.unit = step(w.unit)

    return Pass(step.__name__, run, why, after=after)


def _text(step: Callable[[Work], Any]) -> Callable[[Work], None]:
    """A pass that gives a tree."""
    def run(w: Work) -> None:
        w.tree = step(w)

    return run


def _shapes_of(count: int) -> Callable[[Work], None]:
    def run(w: Work) -> None:
        if len(w.trees) == count:
            shape_tapes(w.unit, w.trees, w.facts)

    return run


def staged(*passes: Pass | Ensures) -> tuple[Any, ...]:
    """Passes with a stage after each: `split_webs` ensures that everything is defined before its use."""
    return tuple(step for found in passes for step in (
        (found, Stage(found.name, found.name == "split_webs")) if isinstance(found, Pass) else (found,)))


DCE = Pass("dce", lambda w: dce(w.unit, w.tree), "dead code elimination: what the passes before have left without readers")
COPY_PROPAGATION = Pass("copy_propagation", lambda w: forward_substitution(w.unit, w.tree, w.facts, fold=False),
                        "copies and constants are propagated, for `simplify`", True, again=True)
PHASES: dict[str, tuple[Any, ...]] = {
    "syntax": staged(
        _syntax(decorators, "decorated inner functions become calls, which `lambda_lifting` lifts"),
        _syntax(devirtualize, "devirtualisation: a function that is chosen becomes a number and a branch", "decorators"),
        _syntax(iterators, "loop fusion, while iterators are still expressions"),
        _syntax(desugar, "one form for statements with one meaning: fewer for all that follows"),
        _syntax(lambda_lifting, "lambda lifting, before exits of inner functions are looked for", "decorators"),
        _syntax(single_exit, "structured exits: flags in the place of jumps", "lambda_lifting"),
        _syntax(anf, "A-normal form: one operation a statement", "single_exit", "desugar"),
        _syntax(outline, "outlining: the body of a `try` is a call that reports what happened", "anf"),
        Ensures(CORE, "outline"),
        _syntax(split_webs, "web splitting: each name has one meaning", "anf"),
        _syntax(trip_counts, "trip counters of loops whose length is not known, for the reverse sweep",
                "single_exit", "split_webs"),
    ),
    "lowering": (               # `Preparation.specialised` runs these until nothing changes: each may tell the types more
        Pass("dispatch_tables", lambda w: dispatch_tables(w.unit),
             "lists of functions are tuples, whose items have kinds of their own"),
        Pass("context_managers", lambda w: context_managers(w.unit, w.facts), "`with` of an object calls its methods"),
        Pass("containers", lambda w: containers(w.unit, w.facts, *w.argument), "methods of lists, dicts and sets as functions"),
        Pass("unroll", lambda w: unroll(w.unit, w.facts), "loops over names that are known"),
        Pass("out_arguments", lambda w: out_arguments(w.unit, w.facts, *w.argument),
             "functions that write into an argument become stores"),
        Pass("specialise", lambda w: specialise(w.unit, w.facts, *w.argument), "calls, branches and operators by their kinds"),
        Pass("split_webs again", lambda w: split_again(w.unit), "branches that are gone part webs", after=("split_webs",)),
        Ensures(TYPED, "lowering"),
    ),
    "memory": (
        Pass("functionalize", lambda w: functionalize(w.unit, w.facts, *w.argument),
             "functionalisation: needs all calls written out", after=("specialise",)),
        Pass("single_steps", lambda w: single_steps(w.unit), "one operation a statement again", after=("functionalize",)),
        Pass("materialize_conditions", lambda w: materialize_conditions(w.unit),
             "the truth of what a branch changes, for the reverse sweep", after=("functionalize",)),
        Pass("hoist_loads", lambda w: hoist_loads(w.unit, w.facts), "attributes that are read often get a name",
             after=("functionalize",)),
        Ensures(FUNCTIONAL, "functionalize"),
    ),
    "derivative": (             # between these `Compiler.combined` makes the sweeps: activity, to-be-recorded, `ad.reverse`
        Pass("inline", lambda w: inline(w.unit, w.facts, *w.argument), "small callees, while their derivative is not written",
             True, after=("functionalize",)),
        Pass("place_names", lambda w: place_names(w.unit, w.facts), "scalar replacement: objects that nothing else refers to", True,
             after=("inline",)),
        Pass("hoist_loads again", lambda w: hoist_loads(w.unit, w.facts), "what callees read that stand here now", True,
             after=("inline",)),
        Pass("aggregates", lambda w: aggregates(w.unit, w.facts), "scalar replacement: local objects and dicts become names", True,
             after=("functionalize",)),
        Pass("cse", lambda w: cse(w.unit, w.facts), "common subexpressions of the primal: one tape for both", True,
             after=("functionalize",)),
        Ensures(FUNCTIONAL, "cse"),
    ),
    "optimize": (
        Ensures(SWEEPS, "reverse"),
        Pass("escape", lambda w: escape(w.unit, w.compiler.lost, w.compiler.standing), "closures of unknown kind carry a function"),
        Stage("reverse"),
        DCE,
        Stage("dce"),
        Facts(),
        Fixpoint((
            COPY_PROPAGATION,
            Pass("dead_places", lambda w: dead_places(w.unit, w.tree, w.facts), "adjoints of places that are zero", True),
            Pass("simplify", lambda w: simplify(w.unit, w.tree, w.facts), "algebra, where copies are gone", True),
            Pass("scalar_replacement", lambda w: scalar_replacement(w.unit, w.tree), "scalar replacement of sparse adjoints", True),
            Pass("array_literals", lambda w: array_literals(w.unit, w.tree, w.facts), "adjoints of literals of NumPy arrays", True),
            Pass("equal_shares", lambda w: equal_shares(w.unit, w.tree, w.facts), "adjoints of sums over lists are numbers", True),
            Pass("scatter_fusion", lambda w: scatter_fusion(w.unit, w.tree, w.facts), "sums into parts go to their place", True,
                 again=True),
            Pass("store_forwarding", lambda w: store_forwarding(w.unit, w.tree, w.facts), "dead stores into adjoints", True,
                 again=True),
            Pass("borrow", lambda w: borrow(w.unit, w.tree, w.facts), "shapes from where they cost nothing", True, again=True),
            DCE,
            Facts(),
        ), lambda w: 3 if sum(1 for _ in t.statements(w.tree.body)) < LONG else 2),        # the third finds little, if anything
        IfChanged((
            Pass("sums", lambda w: sums(w.unit, w.tree, w.facts), "sums before products, once terms are together", True,
                 after=("simplify",)),
            Pass("restores", lambda w: restores(w.unit, w.tree, w.facts), "restores that no later read sees", True),
        ), (DCE, Facts())),
        Stage("simplify"),
        Pass("own_seeds", lambda w: own_seeds(w.unit, w.tree, w.facts), "adjoints that loops update are arrays at once", True),
        Pass("copy_elision", lambda w: copy_elision(w.unit, w.tree, w.parameters, w.facts, w.compiler.by_identity),
             "copy elision, before expressions grow over what is copied", True),
        Pass("conversion_elision", lambda w: conversion_elision(w.unit, w.tree, w.parameters, w.facts),
             "results that are fit and new stay", True),
        DCE,
        Pass("forward_substitution", lambda w: forward_substitution(w.unit, w.tree, w.facts, halves=w.called),
             "forward substitution: temporaries into expressions", True, after=("copy_elision",)),
        Pass("simplify again", lambda w: simplify(w.unit, w.tree, w.facts, last=True), "algebra of the larger expressions", True,
             after=("forward_substitution",)),
        Pass("conversion_elision again", lambda w: conversion_elision(w.unit, w.tree, w.parameters, w.facts),
             "what `forward_substitution` brought to the result", True),
        DCE,
        Pass("results", lambda w: results(w.tree, w.parameters, w.outputs), "adjoints of inputs under their names", True),
        Facts(),
        Stage("forward_substitution", always=True),
    ),
    "in place": (
        Ensures(IN_PLACE, "forward_substitution"),
        Pass("shape_tapes", _shapes_of(1),
             "tapes of shapes: what is not saved itself may change in place", True),
        Each((
            Pass("refused", lambda w: check_refused(w.tree, w.unit), "what a derivative must not call is told with its place"),
            Pass("unmarked", lambda w: unmarked(w.tree, w.unit), "what only tells the analyses something goes"),
            Pass("scatter_fusion again", lambda w: scatter_fusion(w.unit, w.tree, w.facts, last=True),
                 "several sums into one part", True),
            Pass("accumulate", _text(lambda w: accumulate(w.unit, w.tree, w.parameters, w.facts, w.called and w.place == 1)),
                 "destructive update where nobody else holds the array", after=("unmarked",)),
            Pass("coalesce", lambda w: coalesce(w.tree, w.parameters), "one name for one object", after=("accumulate",)),
            Stage("accumulate"),
            Pass("reuse", _text(lambda w: reuse(w.unit, w.tree, w.parameters, w.facts) if w.sweeps == 2 else w.tree),
                 "buffers that are dead", True, after=("accumulate",)),
            Pass("pop_forwarding", _text(lambda w: pop_forwarding(w.tree)), "what a tape gives goes to its place at once", True),
            Stage("reuse"),
        )),
    ),
    "text": (
        Ensures(TEXT, "reuse"),
        Pass("shape_tapes of halves", _shapes_of(2),
             "both halves must agree", True, after=("accumulate",)),
        Pass("tapes", lambda w: tapes(w.unit, w.trees), "tapes side by side are one", True, after=("accumulate",)),
        Pass("lengths", lambda w: lengths(w.unit, w.trees, w.facts), "ranges that need no name", True, after=("accumulate",)),
        Each((
            Pass("view_hoisting", lambda w: view_hoisting(w.tree, w.unit, w.facts, forward_sweep(w.tree, w.called)),
                 "rows that are taken again and again, once all is in place", True, after=("accumulate",)),
            Pass("view_cse", lambda w: view_cse(w.tree, w.unit, w.facts), "parts that have a name", True,
                 after=("view_hoisting",)),
        )),
        Each((
            Pass("small_arrays", lambda w: small_arrays(w.tree, w.unit, w.facts), "arrays of known sizes, written out", True,
                 after=("view_cse", "tapes")),
            Pass("tidy", _text(lambda w: tidy(w.tree, w.unit, w.facts, half=w.called)), "statements as a person writes them", True,
                 after=("view_cse", "tapes")),
        )),
        Each((
            Pass("parallel", _text(lambda w: parallel(w.tree, w.unit) if w.sweeps == 1 else w.tree),
                 "forward mode: a name and its tangent start and change places at once", True, after=("tidy",)),
        )),
        Pass("elements", lambda w: elements(w.trees, w.unit), "elements are named by their places", True, after=("tidy",)),
        Each((
            Pass("object_state", _text(lambda w: shadow_updates(object_state(w.tree, w.unit, w.facts), w.unit)),
                 "objects change as Python writes it: no statement moves any more", after=("elements",)),
            Pass("variables", lambda w: variables(w.tree, w.unit), "the values of one variable have its name", True,
                 after=("object_state",)),
            Pass("annotate", _text(lambda w: annotate(w.tree)), "the user's lines as comments", after=("tidy",)),
            Pass("blocks", _text(lambda w: blocks(w.tree, w.unit)), "`try`, `with` and `break` again", after=("annotate",)),
        )),
        Pass("numbers", lambda w: numbers(w.trees, w.unit), "numbers only for names that several values have", True,
             after=("variables",)),
    ),
}


OUTLINING = PHASES["syntax"][[step.name for step in PHASES["syntax"]].index("outline"):]        # of parts of functions


def listed(steps: tuple[Any, ...]) -> Iterator[Pass]:
    """The passes among some steps, in order."""
    for step in steps:
        if isinstance(step, Pass):
            yield step
        elif isinstance(step, (Fixpoint, IfChanged, Each)):
            yield from listed((*step.passes, *getattr(step, "then", ())))


PASSES: dict[str, Pass] = {}
for _phase in PHASES.values():
    for _pass in listed(_phase):
        assert set(_pass.after) <= PASSES.keys(), f"{_pass.name} must come after {_pass.after}"
        PASSES.setdefault(_pass.name, _pass)
LANGUAGES = {phase: step.language for phase, steps in PHASES.items() for step in steps if isinstance(step, Ensures)}
STATEMENTS = {phase: statements_of(language) for phase, language in LANGUAGES.items()}
OPTIONAL = tuple(name for name, found in PASSES.items() if found.optional)


class Manager:
    """Runs the table: leaves out what is switched off, infers types, verifies, shows stages and takes the time."""

    def __init__(self, options: Options, trace: Trace | None = None) -> None:
        unknown = options.disabled.difference(OPTIONAL)
        if unknown:
            raise InputError(f"SOURCEGRAD_DISABLE names {', '.join(map(repr, sorted(unknown)))}, which is no optional pass",
                             remedy=f"The optional passes are {', '.join(OPTIONAL)}.")
        self.options, self.trace = options, trace

    def run(self, phase: str, work: Work) -> Work:
        """One phase. (A part of a function that was lifted out of it on its way is in core Python, but for attempts.)"""
        self._run(OUTLINING if phase == "syntax" and work.unit.function.flat else PHASES[phase], work)
        self.done(phase, work.unit, work.trees or [work.tree or work.unit.tree], work.sweeps)
        work.language = None
        return work

    def done(self, phase: str, unit: Unit, trees: list | None = None, sweeps: int = 2) -> None:
        """Check what a phase has left, whose passes `run`, or a driver one by one, has run."""
        with self.timed("verify"):
            for tree in trees or [unit.tree]:
                language = (LANGUAGES if self.options.verify else STATEMENTS)[phase]
                (language.single if sweeps == 1 else language).check(unit, f"the phase '{phase}'", tree)

    def ensure(self, work: Work, stage: str) -> None:
        """Check that a pass has kept to the language of its phase: where the tests verify."""
        if work.language is not None and self.options.verify:
            for tree in [*work.trees, work.tree] if work.tree is not None else work.trees or [work.unit.tree]:
                work.language.check(work.unit, stage, tree)

    def one(self, name: str, work: Work, *argument: Any) -> Any:
        """One pass, for a driver that decides what comes next; what it gives."""
        work.argument = argument
        return self._pass(PASSES[name], work)

    def _run(self, steps: tuple[Any, ...], work: Work) -> bool:
        """Whether any pass has changed anything that asks for another round."""
        again = False
        for step in steps:
            if isinstance(step, Pass):
                again |= bool(self._pass(step, work)) and step.again
            elif isinstance(step, Facts):
                self.types(work)
            elif isinstance(step, Stage):
                self.stage(step, work)
            elif isinstance(step, Ensures):
                work.language = step.language.single if work.sweeps == 1 else step.language
                self.ensure(work, step.name)
            elif isinstance(step, IfChanged):
                if any([self._pass(inner, work) for inner in step.passes]):
                    self._run(step.then, work)
            elif isinstance(step, Each):
                for position, tree in enumerate(work.trees):
                    work.tree, work.place = tree, position
                    self._run(step.passes, work)
                    work.trees[position] = work.tree
            elif self.options.simplify:
                for _ in range(step.rounds(work)):
                    if not self._run(step.passes, work):
                        break
        return again

    def stage(self, stage: Stage, work: Work) -> None:
        """Show the text, and verify what the pass before has left (not the trees that run: `ir.verify.executed` does)."""
        name = "forward" if stage.name == "reverse" and work.sweeps == 1 else stage.name
        self.show(name, Unit(work.unit.function, work.tree) if work.trees else work.unit)
        if not work.trees and (stage.always or self.options.verify):
            check.check(work.unit, stage.name, list(work.kinds) or None)

    def types(self, work: Work) -> None:
        with self.timed("types"):
            work.facts = Infer(work.unit, work.kinds, work.compiler.solve).run()

    def _pass(self, step: Pass, work: Work) -> Any:
        if step.optional and (not self.options.simplify or step.name in self.options.disabled):
            return False
        if self.trace is None:                               # (as in `timed`, without the generator: it is run 10,000 times)
            changed = step.run(work)
        else:
            with self.timed(step.name):
                changed = step.run(work)
        self.ensure(work, step.name)
        return changed

    def show(self, stage: str, unit: Unit, tree: Any = None) -> None:
        if self.trace is not None:
            self.trace.add(stage, unit, tree)

    def verify(self, unit: Unit, stage: str, parameters: list[str] | None = None) -> None:
        if self.options.verify:
            check.check(unit, stage, parameters)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """The time of a pass itself, without the passes that it asks for (of callees)."""
        if self.trace is None:
            yield
            return
        start, before = time.perf_counter(), self.trace.spent
        try:
            yield
        finally:
            whole = time.perf_counter() - start
            calls, seconds = self.trace.times.get(name, (0, 0.0))
            self.trace.times[name] = calls + 1, seconds + whole - (self.trace.spent - before)
            self.trace.spent = before + whole


# --- The texts of all stages, for `show --all`.

class Trace:
    """Collects the text of every stage for `show --all`: of the function and of all that it calls."""

    def __init__(self) -> None:
        self.texts: dict[str, list[tuple[Function, str]]] = {}
        self.times: dict[str, tuple[int, float]] = {}           # pass -> how often it has run, its own seconds
        self.spent = 0.0                                        # seconds in all passes so far

    def add(self, name: str, unit: Unit, tree: Any = None) -> None:
        self.texts.setdefault(name, []).append((unit.function, source.to_text(tree if tree is not None else unit.tree)))

    def again(self) -> None:
        """All begins again, but for the way to core Python."""
        kept = {"parse", "resolve", *(step.name for step in PHASES["syntax"])}
        self.texts = {name: texts for name, texts in self.texts.items() if name in kept}

    @property
    def stages(self) -> list[tuple[str, str]]:
        """The program at every stage, callees first as in the emitted module."""
        stages = []
        for name, texts in self.texts.items():
            callees = [text for function, text in texts if function is not self.function]
            own = [text for function, text in texts if function is self.function]
            stages.append((name, "\n\n".join([*callees, *own])))
        return stages

    @property
    def function(self) -> Function:
        """The function that is differentiated: it is parsed before what it calls."""
        return next(iter(self.texts.values()))[0][0]
