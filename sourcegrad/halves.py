"""The forward and reverse half of an outermost function: what `vjp` calls, and what code that asks for gradients inside gets."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sourcegrad import kinds as k
from sourcegrad.frontend.outward import Trial
from sourcegrad.frontend.resolve import Function
from sourcegrad.pipeline import Compiler, Derived, Pair, Prepared


@dataclass(eq=False)
class DerivedPair:
    """Both halves with all that is needed to guard and to validate them."""

    pair: Pair
    relies: list
    trial: Trial | None = None
    below: list[Derived] = field(default_factory=list)


class _Halves(Compiler):
    """A compiler that treats one function as the outermost: arrays that it changes in place are copied first."""

    outermost: Any = None

    def prepare(self, function: Function, kinds: dict[str, k.Kind], top: bool = False) -> Prepared:
        return super().prepare(function, kinds, top or function is self.outermost)


def derive_halves(described: Function, below: list[Derived], kinds: dict[str, k.Kind], active: tuple[str, ...]) -> DerivedPair:
    """Generate the halves of a function. below: the gradients that it is the code of."""
    # a copy, so that a recursive call is a call of another function, one that shares its arguments
    outermost = Function(described.name, described.tree, described.scope, described.object, described.pure)
    compiler = _Halves()
    compiler.outermost = outermost
    with k.losing(compiler.lost):
        pair = compiler.pair(outermost, kinds, active)
        trial = compiler.compared(outermost, kinds)
    return DerivedPair(pair, [*compiler.relies, *(item for d in below for item in d.relies)], trial, below)
