"""A pass is tested by programs next to the text that they become.

`Cases(STAGE)`: functions, and their gradients after a stage (of the front end: the functions themselves). `Alone(PASS)`: programs
in the language that the pass reads, and what the pass alone makes of them; both are run, and must give the same. `Within(PASS)`:
functions whose gradient is generated, and what the pass makes of them on the way, at the first time that it changes anything
(comments are without the numbers of lines). `Forward(STAGE)`: functions, and what they are with tangents after a stage.
"""
from __future__ import annotations

import copy
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest import mock

import gast
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.analysis.types import Infer
from sourcegrad.compiler import passes
from sourcegrad.ir import tree as t
from sourcegrad.ir.source import to_text
from sourcegrad.parse.resolve import describe, resolve
from sourcegrad.runtime import index_set
from tests.golden.documents import Stages


@dataclass(frozen=True)
class Case:
    function: Callable
    text: str | None                # None: the pass must leave it alone
    inputs: Any
    at: dict[str, Any]
    own: str = ""                   # of `Alone`: names that are the user's, besides the parameters
    others: tuple = ()              # of `Alone`: other arguments that the programs are tried with


class Cases(list):
    """The cases of one pass. What is compared is the body of the function after it, without the `def` line."""

    def __init__(self, stage: str) -> None:
        super().__init__()
        self.stage = stage

    def becomes(self, text: str | None, inputs: Any = None, own: str = "", others: tuple = (),
                **at: Any) -> Callable[[Callable], Callable]:
        """Note what a function becomes; `at`: example arguments, which passes after the front end need."""

        def note(function: Callable) -> Callable:
            self.append(Case(function, text, inputs, at, own, others))
            return function

        return note

    def stays(self, inputs: Any = None, **options: Any) -> Callable[[Callable], Callable]:
        """Note what must stay as it is."""
        return self.becomes(None, inputs, **options)

    def before(self, case: Case) -> str:
        return body(front(case, self.stage)[0])

    def after(self, case: Case) -> str:
        return body(front(case, self.stage)[1] if not case.at else back(case, self.stage))

    def check(self) -> Callable:
        """A test of all cases."""

        @pytest.mark.parametrize("case", [pytest.param(case, id=case.function.__name__) for case in self])
        def test(case: Case) -> None:
            if case.text is None:
                assert self.after(case) == self.before(case)
            else:
                assert self.after(case) == textwrap.dedent(case.text).strip()
                assert type(self) is Cases or self.after(case) != self.before(case)
            if isinstance(self, Within):
                sg.check_grad(case.function, *case.at.values(), inputs=case.inputs)

        return test


class Within(Cases):
    """Cases of a pass on its way through the pipeline."""

    def texts(self, case: Case) -> tuple[str, str]:
        """Before and after the first time that the pass changes the function, or the last time that it does not."""
        found: list[tuple[str, str]] = []
        plain = passes.Manager._pass

        def noting(manager: passes.Manager, step: passes.Pass, work: passes.Work) -> Any:
            noted = step.name == self.stage and work.unit.function.name == case.function.__name__
            before = shown(work) if noted else ""
            result = plain(manager, step, work)
            if noted:
                found.append((before, shown(work)))
            return result

        with mock.patch.object(passes.Manager, "_pass", noting):
            sg.grad(case.function, case.inputs)._specialise(kinds_of(case), False, passes.Trace())
        before, after = next(((one, other) for one, other in found if one != other), found[-1])
        return tuple(re.sub(r"(\.py):\d+", r"\1", body(text)) for text in (before, after))         # type: ignore[return-value]

    def before(self, case: Case) -> str:
        return self.texts(case)[0]

    def after(self, case: Case) -> str:
        return self.texts(case)[1]


class Forward(Cases):
    """Cases of forward mode: functions, and what they are with tangents after a stage. made: what makes them."""

    made: Callable = staticmethod(sg.pushforward)

    def of(self, made: Callable) -> Forward:
        """The same of many tangents at once, or of index sets."""
        self.made = made                                     # type: ignore[method-assign]
        return self

    def before(self, case: Case) -> str:
        return body(to_text(resolve(describe(case.function)).tree))

    def after(self, case: Case) -> str:
        trace = Stages(case.function.__name__)
        made = self.made(case.function, case.inputs)
        made._specialise(kinds_of(case), False, trace)
        return body(trace.found[self.stage])


class Alone(Cases):
    """Cases of a pass by itself: programs in the language that it reads, which are run."""

    def before(self, case: Case) -> str:
        return body(to_text(resolve(describe(case.function)).tree))

    def after(self, case: Case) -> str:
        unit = resolve(describe(case.function))
        unit.function.local = {*unit.parameters, *case.own.split()}         # type: ignore[misc]
        kinds = kinds_of(case)
        program, names = to_text(unit.tree), {n for s in t.statements(unit.tree.body) for n in t.writes(s)}
        unit.tapes |= {name for name in names if name.endswith("_tape")}
        unit.tangents = {name: name.removesuffix("_dot") for name in names if name.endswith("_dot")}
        unit.adjoints = {name: name.removesuffix("_bar") for name in names if name.endswith("_bar")}
        known = unit.copy()
        known.tree.body = t.rewritten(known.tree.body, lambda s: functional(s, known))
        facts = Infer(known, kinds, None).run().on(unit)
        work = passes.Work(unit, facts, unit.tree, kinds, {n: f"{n}_bar" for n in kinds},
                           SimpleNamespace(by_identity=False), trees=[unit.tree], sweeps=1 if unit.tangents else 2)
        passes.PASSES[self.stage].run(work)
        text = to_text(work.tree)
        for other in ({}, *case.others):
            arguments = [case.at | other, copy.deepcopy(case.at | other)]
            one, two = (called(source, unit.env, given) for source, given in zip((program, text), arguments))
            same(one, two)
            same(*arguments)                    # what they do to their arguments
        return body(text)


def functional(s: Any, unit: Any) -> list:
    """A change in place as a new value, for the types."""
    if isinstance(s, gast.AugAssign):
        s = t.assign(s.target, t.binop(t.clone(s.target), s.op, s.value), None)
    target = s.targets[0] if isinstance(s, gast.Assign) else None
    if isinstance(target, gast.Subscript):
        value = t.call(unit.use(index_set, "index_set"), t.load(target.value.id), target.slice, s.value)
        return [t.assign(target.value.id, value, None)]
    return [s]


def called(text: str, env: dict[str, Any], arguments: dict[str, Any]) -> Any:
    names = dict(env)
    exec(text, names)
    with np.errstate(all="ignore"):
        return names[text[4:text.index("(")]](**arguments)


def same(one: Any, other: Any) -> None:
    """Values are equal up to rounding, and of one type and dtype."""
    assert type(one) is type(other), (one, other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        one, other = list(one.values()), list(other.values())
    if isinstance(one, (tuple, list)):
        assert len(one) == len(other)
        for a, b in zip(one, other):
            same(a, b)
    elif isinstance(one, (np.ndarray, np.generic, float)):
        assert np.shape(one) == np.shape(other) and np.asarray(one).dtype == np.asarray(other).dtype, (one, other)
        tolerance = 1e-5 if np.asarray(one).dtype == np.float32 else 1e-12
        assert np.allclose(one, other, tolerance, tolerance, equal_nan=True), (one, other)
    else:
        assert vars(one) == vars(other) if hasattr(one, "__dict__") else one == other, (one, other)


def emitted(function: Callable, *args: Any, inputs: Any = None) -> str:
    """The text of the gradient, which is checked."""
    gradient = sg.grad(function, inputs)
    sg.check_grad(function, *args, inputs=inputs)
    gradient(*args)
    return str(gradient.source)


def shown(work: passes.Work) -> str:
    return to_text(work.unit.tree if work.tree is None else work.tree)


def kinds_of(case: Case) -> dict[str, Any]:
    sizes: dict[int, str] = {}
    return {name: sg.kinds.kind_of(value, name, sizes) for name, value in case.at.items()}


def body(text: str) -> str:
    """Without the line of the `def`, and dedented."""
    return textwrap.dedent(text.split("\n", 1)[1]).strip()


def front(case: Case, stage: str) -> tuple[str, str]:
    """Before and after a pass of the front end, which needs no kinds."""
    work = passes.Work(resolve(describe(case.function)))
    for step in passes.listed(passes.PHASES["syntax"]):
        before = to_text(work.unit.tree)
        step.run(work)
        if step.name == stage:
            return before, to_text(work.unit.tree)
    raise ValueError(f"{stage} is not a pass of the front end")


def back(case: Case, stage: str) -> str:
    """After a stage of the gradient, for arguments like those in `at`."""
    trace = Stages(case.function.__name__)
    sg.grad(case.function, case.inputs)._specialise(kinds_of(case), False, trace)
    return trace.found[stage]
