"""`sourcegrad check`: derivatives beside finite differences, and why they are not finite."""
from __future__ import annotations

import argparse
import copy
import difflib
import os
import shlex
from pathlib import Path
from typing import Any

import numpy as np

from sourcegrad import kinds
from sourcegrad.api import check_grad, gradient as api
from sourcegrad.api.explain_nan import explain_nan, quiet
from sourcegrad.api.export import LAID_OUT, TITLE, VERSIONS, exported, formatter
from sourcegrad.api.inputs import input_value, resolve_inputs
from sourcegrad.cli.targets import FAILED, GOOD, UsageError, chosen, complain, evaluated, load, raised, show_text
from sourcegrad.errors import SourcegradError
from sourcegrad.ir import source


def check(options: argparse.Namespace) -> int:
    function = load(options.function)
    inputs = chosen(options.inputs)
    signature = source.signature(function)
    given = evaluated(options.at, function, signature)
    names, _ = resolve_inputs(inputs, signature, 0, (), "check", lambda: None)
    arguments = positional(signature, given, names)
    if options.nan:
        return nan(function, arguments, names, options.order, options.function)
    try:
        function(*copy.deepcopy(arguments))
    except Exception as error:
        raise UsageError(raised(error, f"{options.function} fails at these arguments")) from None
    for level in range(1, options.order + 1):
        try:
            check_grad.check_grad(function, *arguments, inputs=names, order=level)
        except AssertionError as error:
            if not str(error).startswith("order "):     # not a finding of check_grad: a bug, to be seen in full
                raise
            print(f"order {level}: failed", flush=True)
            return complain(str(error), FAILED)
        print(f"order {level}: ok")
    return GOOD


def positional(signature: source.Signature, given: dict[str, Any], inputs: tuple[str, ...]) -> list[Any]:
    """The arguments of a call, up to the last one that was given or is an input."""
    parameters = [p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    missing = [p.name for p in parameters if p.name not in given and p.default is p.empty]
    if missing:
        raise UsageError("check needs a value for " + " and ".join(f"{name}: --at \"{name}=...\"" for name in missing))
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name in given]
    if named:
        raise UsageError(f"check cannot pass the keyword-only parameter {named[0]}")
    last = max(j for j, p in enumerate(parameters) if p.name in given or p.name in inputs)
    return [given.get(p.name, p.default) for p in parameters[:last + 1]]


def nan(function: Any, arguments: list[Any], inputs: tuple[str, ...], order: int, name: str) -> int:
    """Say why a value or derivative is not finite."""
    for _ in range(order):
        try:
            with quiet():
                value = function(*copy.deepcopy(arguments))
        except Exception:                                   # which is explained
            value = 1.0
        scalar = not isinstance(value, (list, tuple, dict)) and np.ndim(value) == 0
        weights = None if scalar else check_grad.weights(value, np.random.default_rng(7))
        try:
            found = explain_nan(function, *arguments, inputs=inputs, grad_outputs=weights)
        except SourcegradError:
            raise
        except Exception as error:
            raise UsageError(raised(error, f"{name} fails at these arguments")) from None
        if not found.finite:
            return complain(str(found), FAILED)
        function, inputs = api.grad(function, inputs[0], weights), inputs[:1]
    print(found)
    return GOOD


# --- sourcegrad export, and whether exported modules are up to date

def export(options: argparse.Namespace) -> int:
    place = Path(options.output) if options.output else None
    text = module(options, place)
    if place is None:
        show_text(text)
        return GOOD
    if place.exists() and not place.read_text(encoding="utf-8").startswith(TITLE):
        raise UsageError(f"{place} exists and was not exported by sourcegrad\nGive another name with -o, or remove it.")
    place.write_text(text, encoding="utf-8")
    if formatter() is None:
        complain("the text is not wrapped, as ruff is not installed: pip install \"sourcegrad[export]\"", GOOD)
    return GOOD


def module(options: argparse.Namespace, place: Path | None) -> str:
    """The text that is asked for, with the command that makes it again beside the file."""
    function = load(options.function)
    inputs: Any = chosen(options.inputs)
    for _ in range(options.order - 1):
        function = api.grad(function, inputs[0] if isinstance(inputs, tuple) else inputs)
    gradient: Any = (api.value_and_grad if options.value else api.grad)(function, inputs)
    arguments = evaluated(options.at, gradient._user, gradient._signature())
    active, _ = gradient._active()
    sizes: dict[int, str] = {}
    known = {name: kinds.kind_of(input_value(name, value, lambda: None) if name in active else value, name, sizes)
             for name, value in arguments.items()}
    derived = gradient._with_trees(gradient._specialise(known, options.grad_outputs))
    return exported(derived, command(options, place), active, options.numba)


def command(options: argparse.Namespace, place: Path | None) -> list[str]:
    """The arguments of `sourcegrad` that make a module again, from the folder that it is in."""
    path, colon, name = options.function.rpartition(":")
    if path.endswith(".py"):
        folder = place.resolve().parent if place is not None else Path.cwd()
        path = Path(os.path.relpath(Path(path).resolve(), folder)).as_posix()
    given = ["export", f"{path}{colon}{name}"]
    given += ["--inputs", options.inputs] if options.inputs else []
    given += ["--order", str(options.order)] if options.order != 1 else []
    given += [flag for flag, wanted in (("--value", options.value), ("--grad-outputs", options.grad_outputs),
                                        ("--numba", options.numba)) if wanted]
    for text in options.at:
        given += ["--at", text]
    return [*given, "-o", place.name] if place is not None else given


# --- drift

def drift(paths: list[str], parser: argparse.ArgumentParser) -> int:
    """Compare exported modules with what would be exported now."""
    files = [file for path in paths for file in found(Path(path))]
    if not files:
        raise UsageError(f"no exported module in {' '.join(paths)}")
    code = GOOD
    for file in files:
        text = file.read_text(encoding="utf-8")
        now = again(file, text, parser)
        difference = list(difflib.unified_diff(stable(text), stable(now), str(file), f"{file} (exported now)", lineterm=""))
        if difference:
            code = FAILED
            show_text("\n".join(difference), "diff")
        print(f"{file}: {'differs: export it again' if difference else 'ok'}")
    return code


def found(path: Path) -> list[Path]:
    """The exported modules at a path."""
    if path.is_dir():
        return [file for file in sorted(path.rglob("*.py")) if is_exported(file)]
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    return [path] if is_exported(path) else []


def is_exported(file: Path) -> bool:
    with open(file, encoding="utf-8", errors="replace") as opened:
        return opened.readline().rstrip() == TITLE


def stable(text: str) -> list[str]:
    """The lines that must not differ: all but the versions."""
    return [line for line in text.splitlines() if not line.startswith(VERSIONS)]


def again(file: Path, text: str, parser: argparse.ArgumentParser) -> str:
    """What the command in the header of a module makes now."""
    if f"{LAID_OUT}\n" in text and not formatter():
        raise UsageError(f"{file} was formatted by ruff, which is not installed\nInstall it: pip install \"sourcegrad[export]\".")
    line = next((line for line in text.splitlines() if line.startswith("#     sourcegrad export ")), None)
    if line is None:
        raise UsageError(f"{file} does not say how it was made\nExport it with the command line.")
    try:
        options = parser.parse_args(shlex.split(line.removeprefix("#     sourcegrad ")))
    except (SystemExit, ValueError):
        raise UsageError(f"the command in {file} is none: {line}") from None
    path, colon, name = options.function.rpartition(":")
    if path.endswith(".py"):
        source = file.parent / path
        if not source.is_file():
            raise UsageError(f"{file} was made from {path}, which is not there any more")
        options.function = f"{source}{colon}{name}"
    return module(options, file)
