"""The forward and reverse half of an outermost function: what `vjp` calls."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from sourcegrad import kinds as k
from sourcegrad.compiler.emit import Derived, silenced
from sourcegrad.compiler.pipeline import Compiler, deriving, generated
from sourcegrad.compiler.specialize import Prepared
from sourcegrad.ir.unit import Function


class _Halves(Compiler):
    """A compiler that treats one function as the outermost: arrays that it changes in place are copied first."""

    outermost: Any = None

    def prepare(self, function: Function, kinds: dict[str, k.Kind], top: bool = False) -> Prepared:
        return super().prepare(function, kinds, top or function is self.outermost)


def derive_halves(described: Function, kinds: dict[str, k.Kind], active: tuple[str, ...]) -> Derived:
    """Generate the halves of a function."""
    # a copy, so that a recursive call is a call of another function, one that shares its arguments
    outermost = replace(described, variants={})

    def make(compiler: Any) -> Any:
        compiler.outermost = outermost
        return compiler.pair(outermost, kinds, active)

    with deriving(described):
        compiler, pair = generated(make, sort=_Halves)
        return Derived(pair.forward, pair.forward.function, compiler.relies, compiler.compared(outermost, kinds),
                       reverse=silenced(pair.reverse, pair.reverse.function))
