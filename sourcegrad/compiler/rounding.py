"""The generation of code that estimates rounding errors: the value and gradients, and beside each adjoint a note of its error."""
from __future__ import annotations

from sourcegrad import kinds as k
from sourcegrad.ad.rounding import Computed, Rounding
from sourcegrad.compiler.emit import guarded
from sourcegrad.compiler.linking import Derived
from sourcegrad.compiler.passes import Trace
from sourcegrad.compiler.pipeline import Compiler, deriving, generated, with_room
from sourcegrad.compiler.ways import chosen
from sourcegrad.ir.unit import Function


class Estimating(Compiler):
    """A compiler of reverse mode that notes rounding errors; all that is overwritten is saved, as the notes read it."""

    activity, sweeps = Computed, Rounding
    everything = True


@with_room
def derive_rounding(function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...], trace: Trace | None = None) -> Derived:
    """Generate the value and gradients of a function, with notes of its rounding errors."""
    with deriving(function):
        function, compiler, half = chosen(
            function, lambda f, c: c.gradient(f, kinds, active, False, True, False), trace,
            lambda begun, shown: generated(begun, shown, Estimating), kinds)
        derived = Derived(half, compiler.relies, compiler.compared(function, kinds), guarded(half, set()),
                          changes=compiler.changes(function, kinds), reads=compiler.reads())
        compiler.close()
        return derived
