"""`sourcegrad show` and `sourcegrad passes`: derived code, its stages, and the passes that made it.

With `--watch` each text is made by a process of its own, as nothing of an edited module may be left.
"""
from __future__ import annotations

import argparse
import difflib
import importlib.util
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from sourcegrad import kinds
from sourcegrad.api import gradient as api
from sourcegrad.api.inputs import input_value
from sourcegrad.cli import rules
from sourcegrad.cli.targets import GOOD, UsageError, chosen, evaluated, load, show_text
from sourcegrad.compiler.passes import PHASES, listed
from sourcegrad.compiler.print_module import Trace
from sourcegrad.ir import source


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


def generated(options: argparse.Namespace, trace: Trace | None, function: Any = None) -> str:
    """The text of the derivative that is asked for. function: the one that is named, where it is loaded."""
    function = load(options.function) if function is None else function
    inputs = chosen(options.inputs)
    for _ in range(options.order - 1):
        function = api.grad(function, inputs[0] if isinstance(inputs, tuple) else inputs)
    gradient: Any = (api.value_and_grad if options.value else api.grad)(function, inputs)
    arguments = evaluated(options.at, gradient._user, gradient._signature())
    active, _ = gradient._active()
    known = {name: kinds.kind_of(input_value(name, value, lambda: None) if name in active else value, name)
             for name, value in arguments.items()}
    text: str = gradient._specialise(known, False, trace).text
    return text


def show(options: argparse.Namespace) -> int:
    if options.watch:
        return watch(options)
    staged = options.all or options.diff or options.stage is not None
    trace = Trace() if staged else None
    function = load(options.function)
    rule = None if staged or options.value or options.order > 1 else rules.rule_of(function)
    text = generated(options, trace, function) if rule is None else (
        f"# {options.function} has a derivative rule, which is used for it wherever it is called:\n{rule}")
    if trace is None:
        show_text(text, file=options.output)
        if rule is None:
            hint(text, function, options.at)
    elif options.stage is not None:
        show_text(stage_text(trace, options.stage), file=options.output)
    else:
        stages = [*trace.stages, ("result", text)]
        if options.all:
            show_text("\n".join(f"# {f' {name} ':=^98}\n{body}" for name, body in stages), file=options.output)
        else:
            show_text(differences(stages), "diff", options.output)
    return GOOD


ANY_SHAPE = ("unbroadcast", "unbroadcast_to", "operand_part", "ones_like_output", "as_gradient", "broadcast_like", "zeros_like",
             "call_forward", "index_add", "add")


def hint(text: str, function: Any, at: list[str]) -> None:
    """Say that --at would make the text simpler, where that is so: what it asks of its arguments at run time is known then."""
    parameters = source.signature(function).parameters.values()
    given = {assignment.partition("=")[0].strip() for assignment in at}
    open_ = [p.name for p in parameters if p.name not in given and p.default is p.empty and p.kind <= p.KEYWORD_ONLY
             and p.kind is not p.VAR_POSITIONAL]
    helpers = [name for name in ANY_SHAPE if re.search(rf"(?<![\w.]){name}\(", text)]
    if open_ and helpers:
        print(f"sourcegrad: this text is for arguments of any shape ({', '.join(helpers)}): it becomes simpler with "
              + " ".join(f'--at "{name}=..."' for name in open_), file=sys.stderr)


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


# --- again and again

SECONDS = 0.3               # between two looks at the files
SKIPPED = {"__pycache__", "site-packages", "node_modules"}


def watch(options: argparse.Namespace) -> int:
    """Show the text, then what changes in it, until Ctrl-C."""
    command = [sys.executable, "-m", "sourcegrad", *(argument for argument in options.arguments if argument != "--watch")]
    folder = folder_of(options.function)
    text: str | None = None
    try:
        while True:
            seen = times(folder)
            run = subprocess.run(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
            if run.returncode == GOOD and run.stdout != text:
                changed = text is not None and options.output is None
                show_text(difference(text or "", run.stdout) if changed else run.stdout, "diff" if changed else "python")
                text = run.stdout
            elif run.returncode == GOOD and options.output is None:
                print("sourcegrad: the text is the same", file=sys.stderr, flush=True)
            while times(folder) == seen:
                time.sleep(SECONDS)
    except KeyboardInterrupt:
        return GOOD


def folder_of(target: str) -> Path:
    """The folder whose files are watched: that of the file, or of the outermost package."""
    place = target.rpartition(":")[0]
    if place.endswith(".py"):
        path = Path(place)
    else:
        sys.path.insert(0, "")
        spec = importlib.util.find_spec(place.partition(".")[0])
        if spec is None or spec.origin is None:
            raise UsageError(f"there is no module {place!r} with a file to watch\nWrite FILE.py:FUNC or pkg.mod:FUNC.")
        path = Path(spec.origin)
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    return path.resolve().parent


def times(folder: Path) -> dict[Path, tuple[int, int]]:
    """When the Python files in a folder and below were written, and their sizes."""
    found: dict[Path, tuple[int, int]] = {}
    todo = [folder]
    while todo:
        try:
            for path in todo.pop().iterdir():
                if path.is_dir() and not path.is_symlink():
                    todo += [] if path.name in SKIPPED or path.name.startswith(".") or (path / "pyvenv.cfg").exists() else [path]
                elif path.suffix == ".py":
                    found[path] = path.stat().st_mtime_ns, path.stat().st_size
        except OSError:                         # it has just gone
            continue
    return found


def difference(old: str, new: str) -> str:
    """A unified diff of two texts, with the time."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "before", time.strftime("%H:%M:%S"), lineterm="")
    return "\n".join(lines) + "\n"
