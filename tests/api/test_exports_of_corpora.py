"""Exports, printed and compiled functions of all corpora: they stand alone, give the same, and refuse what they were not made for.

A sample in every run (SOURCEGRAD_RUN); `python -m tests.api.test_exports_of_corpora [PROGRAMS [SEED]]` takes more of them.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import enum
import inspect
import io
import random
import sys
import tempfile
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
import sourcegrad.api.export
from sourcegrad.api.gradient import bound_arguments
from sourcegrad.compiler.emit import Stated
from sourcegrad.errors import Refusal, SourcegradError, UnsupportedError
from tests.conftest import RUN

PROGRAMS = 8
Case = tuple[str, Callable[[], Any], Callable[[], tuple], dict[str, Any]]


def cases() -> Iterator[Case]:
    """Name, what makes the gradient, fresh arguments, options."""
    from benchmarks import pairs
    from tests.language.corpus import CASES
    from tests.programs import checks as of_programs
    from tests.programs.corpus import BY_NAME
    from tests.programs.kernels import KERNELS, checks as of_kernels
    from tests.programs.real import load
    from tests.programs.real.checks import new_gradient_function

    for name, program in BY_NAME.items():
        yield (
            f"programs/{name}",
            lambda program=program: of_programs.gradient_function(  # type: ignore[misc]
                program, of_programs.draw_weights(program, 1)
            ),
            program.fresh,
            program.options,
        )
    for name, case in [*load().items(), *((f"language/{case.name}", case) for case in CASES)]:
        yield f"real/{name}", lambda case=case: new_gradient_function(case)[0], case.fresh, case.options  # type: ignore[misc]
    for kernel in KERNELS:
        yield (
            f"kernels/{kernel.name}",
            lambda kernel=kernel: of_kernels.gradient_function(  # type: ignore[misc]
                kernel, of_kernels.draw_weights(kernel, 1)
            ),
            kernel.fresh,
            kernel.options,
        )
    for name in pairs.NAMES:
        pair = pairs.load(name)
        yield (
            f"pairs/{name}",
            lambda pair=pair: sg.value_and_grad(pair.primal, inputs=pair.INPUTS),  # type: ignore[misc]
            lambda pair=pair: pair.make("tiny", np.random.default_rng(0)),
            {},
        )  # type: ignore[misc]


def same(found: Any, wanted: Any) -> bool:
    if type(wanted) in (tuple, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(same(found[key], wanted[key]) for key in wanted)
    if hasattr(wanted, "__dict__") and not isinstance(wanted, np.ndarray):
        return same(vars(found), vars(wanted))
    found, wanted = np.asarray(found), np.asarray(wanted)
    if wanted.dtype == object:
        return found.shape == wanted.shape and repr(found) == repr(wanted)
    return found.dtype == wanted.dtype and np.array_equal(found, wanted, equal_nan=wanted.dtype.kind in "fc")


def others(value: Any) -> list[Any]:
    """Other values than one that code was specialised on, or of another kind."""
    if isinstance(value, np.ndarray):
        return [
            value[None],
            value.astype("f4" if value.dtype != "f4" else "f8") if value.dtype.kind in "fiub" else value.real,
            value.tolist(),
        ]
    if isinstance(value, enum.Enum):
        return [value.value, *[member for member in type(value) if member is not value][:1]]
    if isinstance(value, bool) or value is None:
        return [not value, 7, "x"]
    if isinstance(value, (int, float, complex, np.generic)):
        return [str(value), [value], float(value) if isinstance(value, (int, np.integer)) else 3]
    if isinstance(value, str):
        return [f"{value}, b", None, value.encode()]
    if isinstance(value, (tuple, list)):
        return [[*value] if isinstance(value, tuple) else (*value,), (*value, 1.0), None, {"a": value}]
    if isinstance(value, dict):
        return [{**value, "one more, ": 1.0}, [*value]]
    if callable(value) or isinstance(value, types.ModuleType):
        return [np.cos if value is not np.cos else np.sin, lambda *args: value(*args), np]
    return [object(), None, types.SimpleNamespace(a=1.0)]


def plain_import(name: str, *rest: Any) -> Any:
    assert name.partition(".")[0] != "sourcegrad", name
    return __import__(name, *rest)


def executed(text: str, place: Path, **more: Any) -> Any:
    """The last function of a module."""
    space: dict[str, Any] = {"__name__": "alone", **more}
    place.write_text(text)
    exec(compile(text, str(place), "exec"), space)
    return space[[node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)][-1].name]


def refuses(function: Callable, bound: inspect.BoundArguments, name: str, value: Any) -> bool:
    changed = inspect.BoundArguments(bound.signature, copy.copy(bound.arguments))
    changed.arguments[name] = value
    try:
        function(*changed.args, **changed.kwargs)
    except TypeError as error:
        return "generated for" in str(error)
    except Exception:
        return False
    return False


def tried(case: Case, place: Path, number: int) -> tuple[str, int]:
    """What became of a program, and how many other values were refused."""
    name, make, fresh, options = case
    try:
        gradient = make()
        result, again = gradient(*fresh(), **options), gradient(*fresh(), **options)
        if not same(again, result):
            return "draws random numbers, or counts", 0
        if gradient._last[0].singular:
            gradient = gradient.guarded             # the plain text need not give the same
            gradient(*fresh(), **options)
        derived = gradient._with_trees(gradient._last[0])
    except (SourcegradError, ArithmeticError, AttributeError, TypeError, ValueError) as error:
        return f"refused: {type(error).__name__}", 0

    def arguments() -> inspect.BoundArguments:
        whole, given, held = gradient._whole(fresh(), options)
        bound, _ = bound_arguments(gradient, whole, {key: value for key, value in given.items() if key != "grad_outputs"}, held)
        bound.apply_defaults()
        return bound

    weights = {} if gradient._grad_outputs is None else {"grad_outputs": gradient._grad_outputs}
    try:
        made = Stated(derived.half.made_for)
        forms = {"compiled": derived.plain(sg.api.inline_cache.only_for(derived.half.made_for))}
        if not made.unnamed:
            forms["printed"] = executed(gradient.source, place.with_name(f"printed_{number}.py"))
        gradient.export(place)
        forms["exported"] = executed(place.read_text(), place, __builtins__={**vars(builtins), "__import__": plain_import})
    except UnsupportedError as error:
        if not error.remedy or "exported" in forms:
            return f"WRONG: refused without advice: {error}", 0
    count = 0
    for form, function in forms.items():
        bound = arguments()
        keywords = {**bound.kwargs, **weights}
        try:
            found = function(*bound.args, **keywords)
        except (Exception, Refusal) as error:
            if form == "printed" and isinstance(error, NameError) and gradient._user.__closure__:
                continue  # (variables of functions around are those of the user)
            return f"WRONG: {form} raises {type(error).__name__}: {error}", count
        if not same(found, result):
            return f"WRONG: {form} gives {found}, not {result}", count
        for parameter in made.parts:
            value = bound.arguments[parameter]
            starred = bound.signature.parameters[parameter].kind in (2, 4)
            for other in [other for other in others(value) if not starred or type(other) is type(value)]:
                if not refuses(lambda *a, **k: function(*a, **k, **weights), arguments(), parameter, other):
                    return f"WRONG: {form} takes {parameter}={other!r}, but was made for {made.parts[parameter]}", count
                count += 1
    return "exported" if "exported" in forms else "export refused", count


def trials(number: int, seed: str) -> tuple[Counter, list[str], int]:
    """How often what happened, what went wrong, and how many values were refused."""
    found = list(cases())
    random.Random(seed).shuffle(found)
    counted: Counter = Counter()
    wrong, count = [], 0
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for case in found:
            with contextlib.redirect_stdout(io.StringIO()):
                what, refused = tried(case, Path(folder) / f"made_{counted.total()}.py", counted.total())
            counted[what.partition(":")[0]] += 1
            count += refused
            if what.startswith("WRONG"):
                wrong.append(f"{case[0]}: {what}")
            if counted["exported"] + counted["export refused"] + counted["WRONG"] >= number:
                break
    return counted, wrong, count


def test_they_stand_alone_and_refuse_what_they_were_not_made_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sourcegrad.api.export.formatter", lambda: False)  # three processes less for each
    counted, wrong, refused = trials(PROGRAMS, RUN)
    assert not wrong, "\n".join(wrong)
    assert counted["exported"] > PROGRAMS // 2 and refused > PROGRAMS, counted


if __name__ == "__main__":
    sg.api.export.formatter = lambda: False  # type: ignore[attr-defined]
    counts, faults, values = trials(int((sys.argv + ["200"])[1]), (sys.argv + ["", "1"])[2 if len(sys.argv) > 2 else 3])
    print(*faults, dict(counts), f"{values} other values refused", sep="\n")
