"""`sourcegrad show` and `sourcegrad passes`: derived code, its stages, and the passes that made it."""
from __future__ import annotations

import argparse
import difflib

from sourcegrad import kinds
from sourcegrad.api import gradient as api
from sourcegrad.api.inputs import input_value
from sourcegrad.cli.targets import GOOD, UsageError, chosen, evaluated, load, show_text
from sourcegrad.compiler.passes import PHASES, listed
from sourcegrad.compiler.print_module import Trace


def passes(options: argparse.Namespace) -> int:
    trace = Trace()
    if options.function:
        generated(options, trace)
    for phase, steps in PHASES.items():
        print(phase)
        for found in dict.fromkeys(listed(steps)):
            calls, seconds = trace.times.get(found.name, (0, 0.0))
            time = f"{calls:5d} x {1e3 * seconds:8.1f} ms  " if options.function else ""
            print(f"  {time}{found.name + ' *' * found.optional:<24} {found.why}")
    if options.function:
        calls, seconds = trace.times["types"]
        print(f"between the passes\n  {calls:5d} x {1e3 * seconds:8.1f} ms  types")
    return GOOD


def generated(options: argparse.Namespace, trace: Trace | None) -> str:
    """The text of the derivative that is asked for."""
    function = load(options.function)
    inputs = chosen(options.inputs)
    for _ in range(options.order - 1):
        function = api.grad(function, inputs[0] if isinstance(inputs, tuple) else inputs)
    gradient = (api.value_and_grad if options.value else api.grad)(function, inputs)
    arguments = evaluated(options.at, gradient._user, gradient._signature())
    active, _ = gradient._active()
    known = {name: kinds.kind_of(input_value(name, value, lambda: None) if name in active else value, name)
             for name, value in arguments.items()}
    text: str = gradient._specialise(known, False, trace).text
    return text


def show(options: argparse.Namespace) -> int:
    staged = options.all or options.diff or options.stage is not None
    trace = Trace() if staged else None
    text = generated(options, trace)
    if trace is None:
        show_text(text)
    elif options.stage is not None:
        show_text(stage_text(trace, options.stage))
    else:
        stages = [*trace.stages, ("result", text)]
        if options.all:
            show_text("\n".join(f"# {f' {name} ':=^98}\n{body}" for name, body in stages))
        else:
            show_text(differences(stages), "diff")
    return GOOD


def stage_text(trace: Trace, wanted: str) -> str:
    for name, text in trace.stages:
        if name == wanted:
            return text
    raise UsageError(f"there is no stage {wanted!r}\nStages: {', '.join(name for name, _ in trace.stages)}.")


def differences(stages: list[tuple[str, str]]) -> str:
    """Unified diffs between consecutive stages; a stage that changes nothing has none."""
    parts: list[str] = []
    for (before, old), (after, new) in zip(stages, stages[1:]):
        parts += difflib.unified_diff(old.splitlines(), new.splitlines(), before, after, lineterm="")
    return "\n".join(parts) + "\n"
