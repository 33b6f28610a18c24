"""The commands: `show` and `passes` print derived code and what made it; `check` tries it; `export` writes it; drift is found.

With `--watch` each text is made by a process of its own, as nothing of an edited module may be left.
"""
from __future__ import annotations

import argparse
import copy
import difflib
import importlib.util
import itertools
import os
import re
import shlex
import subprocess
import sys
import time
import types
from collections import OrderedDict, defaultdict
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np

from sourcegrad import kinds
from sourcegrad.analysis import call_targets
from sourcegrad.api import check_grad, cost, gradient as api, html_view
from sourcegrad.api.error_estimate import error_estimate
from sourcegrad.api.explain_nan import explain_nan, quiet
from sourcegrad.api.export import LAID_OUT, TITLE, VERSIONS, exported, formatter, save
from sourcegrad.api.inputs import input_value, resolve_inputs
from sourcegrad.api.pushforward import pushforward
from sourcegrad.cli.targets import FAILED, GOOD, UsageError, chosen, complain, evaluated, load, raised, show_text
from sourcegrad.compiler.passes import LANGUAGES, PHASES, Trace, listed
from sourcegrad.errors import SourcegradError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.paths import bases
from sourcegrad.ir.scopes import is_distribution
from sourcegrad.primitives import OF_SCIPY, with_scipy
from sourcegrad.primitives.core import PRIMITIVES, RULES, ZERO_DERIVATIVE, ArraySpec, Rule, Sample
from sourcegrad.runtime import library


def passes(options: argparse.Namespace) -> int:
    trace = Trace()
    if options.function:
        generated(options, trace)
    for phase, steps in PHASES.items():
        print(f"{phase} -> {LANGUAGES[phase].name}: {LANGUAGES[phase].adds}")
        for found in dict.fromkeys(listed(steps)):
            calls, seconds = trace.times.get(found.name, (0, 0.0))
            time = f"{calls:5d} x {1e3 * seconds:8.1f} ms  " if options.function else ""
            print(f"  {time}{found.name + ' *' * found.optional:<27} {found.why}")
    if options.function:
        print("between the passes")
        for name in ("types", "verify"):
            calls, seconds = trace.times[name]
            print(f"  {calls:5d} x {1e3 * seconds:8.1f} ms  {name}")
    return GOOD


def generated(options: argparse.Namespace, trace: Trace | None, function: Any = None) -> str:
    """The text of the derivative that is asked for. function: the one that is named, where it is loaded."""
    return derivation(options, trace, function)[1].text


def derivation(options: argparse.Namespace, trace: Trace | None, function: Any = None) -> tuple[Any, Any, dict[str, Any]]:
    """The gradient that is asked for, what was generated for it, and the values of --at."""
    function = load(options.function) if function is None else function
    inputs = chosen(options.inputs)
    forward = getattr(options, "forward", False)
    room = {name: value for name in ("memory", "spill") if (value := getattr(options, name, None)) is not None}
    if room and forward:
        raise UsageError("--memory is of gradients: forward mode keeps nothing\nLeave out --forward.")
    if "memory" in room and room["memory"].isdigit():
        room["memory"] = int(room["memory"])
    for _ in range(options.order - 1):
        once = inputs[0] if isinstance(inputs, tuple) else inputs
        function = pushforward(function, once, False) if forward else api.grad(function, once)
    make: Any = pushforward if forward else api.value_and_grad if options.value else api.grad
    gradient = make(function, inputs, **room)
    gradient = gradient.guarded if getattr(options, "guarded", False) else gradient
    arguments = evaluated(options.at, gradient._user, gradient._signature())
    active = bases(gradient._active()[0])
    arguments = {name: input_value(name, value, lambda: None) if name in active else value for name, value in arguments.items()}
    sizes: dict[int, str] = {}
    known = {name: kinds.kind_of(value, name, sizes) for name, value in arguments.items()}
    return gradient, gradient._specialise(known, getattr(options, "grad_outputs", False), trace), arguments


# --- views

def view(options: argparse.Namespace) -> int:
    """`--html` and `--cost`: the user's lines beside what came from them, with what it costs where --at says all arguments."""
    if options.forward:
        raise UsageError("--html and --cost are of gradients\nLeave out --forward.")
    if options.html and options.output:
        raise UsageError("--html and -o are two files for one text\nWrite one of them.")
    gradient, derived, values = derivation(options, None)
    signature = gradient._signature()
    values = {**gradient._fixed(gradient._whole((), {})[2]), **values}
    missing = [p.name for p in signature.parameters.values() if p.name not in values and p.default is p.empty
               and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    program = cost.Program(gradient._with_trees(derived), gradient._user)
    found = None
    if missing and options.cost:
        raise UsageError("--cost runs the function: it needs all its arguments\nWrite "
                         + " ".join(f'--at "{name}=..."' for name in missing) + " too.")
    if missing:
        print("sourcegrad: times and bytes are measured if all arguments are known: write "
              + " ".join(f'--at "{name}=..."' for name in missing), file=sys.stderr)
    else:
        ordered = {name: values[name] for name in signature.parameters if name in values}
        bound = source.BoundArguments(signature, OrderedDict(ordered))      # type: ignore[arg-type]
        bound.apply_defaults()
        with redirect_stdout(sys.stderr):           # what the function prints is no part of the result
            try:
                found = cost.measured(program, bound)
            except SourcegradError:
                raise
            except Exception as error:
                raise UsageError(raised(error, f"{options.function} fails for these arguments")) from None
    if options.cost:
        assert found is not None
        show_text(cost.table(found), "text", options.output)
    else:
        show_text(html_view.page(program, found), "html", options.html)
    return GOOD


def show(options: argparse.Namespace) -> int:
    if options.watch:
        return watch(options)
    if options.html or options.cost:
        return view(options)
    if options.rounding:
        return rounding(options)
    staged = options.all or options.diff or options.stage is not None
    trace = Trace() if staged else None
    function = load(options.function)
    rule = None if staged or options.value or options.memory or options.forward or options.order > 1 else rule_of(function)
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


def rounding(options: argparse.Namespace) -> int:
    """`--rounding`: bounds of rounding errors, by line of the function."""
    function = load(options.function)
    signature = source.signature(function)
    given = evaluated(options.at, function, signature)
    parameters = [p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    missing = [p.name for p in parameters if p.name not in given and p.default is p.empty]
    if missing:
        raise UsageError("--rounding runs the function: it needs all its arguments\nWrite "
                         + " ".join(f'--at "{name}=..."' for name in missing) + " too.")
    named = {p.name: given[p.name] for p in parameters if p.kind is p.KEYWORD_ONLY and p.name in given}
    values = [given.get(p.name, p.default) for p in parameters if p.kind is not p.KEYWORD_ONLY]
    with redirect_stdout(sys.stderr):           # what the function prints is no part of the result
        try:
            found = error_estimate(function, *values, inputs=chosen(options.inputs), **named)
        except SourcegradError:
            raise
        except Exception as error:
            raise UsageError(raised(error, f"{options.function} fails for these arguments")) from None
    show_text(str(found), "text", options.output)
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


# --- sourcegrad rules

def rules(options: argparse.Namespace) -> int:
    with suppress(ImportError):                             # SciPy may be missing
        for part in OF_SCIPY:
            importlib.import_module(part)
    with_scipy()
    python = in_python()
    covered = {primitive_name(p): p for p in (*RULES, *ZERO_DERIVATIVE) if primitive_name(p) not in python} | python
    if options.name is not None:
        return show_rules(options.name, covered, python)
    for title, registry in (("with a derivative rule", map(primitive_name, RULES)),
                            ("that are differentiated as plain Python", python),
                            ("with derivative zero", map(primitive_name, ZERO_DERIVATIVE))):
        groups: dict[str, set[str]] = defaultdict(set)
        for full in registry:
            if full in covered and (full in python) == (registry is python):
                groups[grouped(full)[0]].add(grouped(full)[1])
        helpers = groups.pop(HELPERS, set())
        print(f"{sum(map(len, groups.values()))} functions {title}")
        for group, names in sorted(groups.items()):
            print(f"\n  {group} ({len(names)})")
            print(wrapped(sorted(names), "    "))
        print(f"\n  and {len(helpers)} helpers of generated code in {HELPERS}\n" if helpers else "")
    print("Other functions with Python source, those of SciPy included, are followed into it.")
    return GOOD


def in_python() -> dict[str, Any]:
    """Functions that are differentiated as plain Python that stands in their place, by name, and that Python."""
    found = {primitive_name(f): known.instead for f, known in PRIMITIVES.items() if known.instead is not None}
    found |= {f"statistics.{name}": function for name, function in call_targets.STATISTICS.items()}
    if importlib.util.find_spec("scipy"):
        found |= {f"scipy.linalg.{name}": function for name, function in {**library.LINALG, "norm": library.norm}.items()}
    two = [t.const(2)] * 2
    for function in (filter, *(v for v in vars(itertools).values() if isinstance(v, type))):
        made = call_targets.instead(function, two)
        if made is not None:
            found[primitive_name(function)] = made
    return found


HELPERS = "sourcegrad.runtime"
GROUPS = ("numpy.linalg", "numpy.fft", "numpy.random", "numpy", HELPERS)


def grouped(full: str) -> tuple[str, str]:
    """The heading under which a primitive is listed, and its name there."""
    if full.startswith("sourcegrad.primitives."):
        return HELPERS, full
    for group in GROUPS:
        if full.startswith(f"{group}."):
            return group, full[len(group) + 1:]
    group, _, name = full.rpartition(".")
    return group or "methods and attributes of arrays", name


def show_rules(wanted: str, covered: dict[str, Any], python: dict[str, Any]) -> int:
    name = "numpy." + wanted[3:] if wanted.startswith("np.") else wanted
    found = [full for full in sorted(covered) if full == name or full.endswith("." + name)]
    if not found:
        close = difflib.get_close_matches(name, [*covered, *(full.rpartition(".")[2] for full in covered)])
        hint = f"\nDid you mean {', '.join(dict.fromkeys(close))}?" if close else ""
        return complain(f"{wanted} has no derivative rule{hint}", FAILED)
    texts = []
    for full in found:
        if full in python:
            texts.append(f"# {full} is differentiated as\n{python_text(covered[full])}")
            continue
        rule = RULES.get(covered[full])
        texts.append(f"# {full}: derivative zero\n" if rule is None else rule_text(rule))
    show_text("\n".join(dict.fromkeys(texts)))
    return GOOD


def python_text(function: Any) -> str:
    tree = getattr(function, "tree", None)
    return source.definition_text(function) if tree is None else source.to_text(tree)


def rule_of(function: Any) -> str | None:
    """The text of the rule that a function has, or None."""
    function = call_targets.of_scipy(function)
    try:
        if function in RULES:
            return rule_text(RULES[function])
        found = next((f for f in in_python().values() if f is function), None) or call_targets.instead(function)
        if found is not None:
            return f"# {primitive_name(function)} is differentiated as\n{python_text(found)}"
        return f"# {primitive_name(function)}: derivative zero\n" if function in ZERO_DERIVATIVE else None
    except TypeError:                           # it has no hash
        return None


def rule_text(rule: Rule) -> str:
    names = ", ".join(map(primitive_name, rule.primitives))
    module = rule.function.__globals__.get("np", np)         # of a rule of `math` that is the one of NumPy
    stands = [f"# np stands for {module.__name__}"] if module is not np else []
    lines = [f"# primitives: {names}", *stands, source.definition_text(rule.function).rstrip(), "# samples:"]
    lines += [f"#   {sample_text(sample)}" for sample in rule.samples] or ["#   none"]
    return "\n".join(lines) + "\n"


def sample_text(sample: Any) -> str:
    if not isinstance(sample, Sample):
        return f"({', '.join(map(repr, sample))})"
    parts = [value_text(value) for value in sample.args]
    return ", ".join(parts + [f"{name}={value_text(value)}" for name, value in sample.options.items()])


def value_text(value: Any) -> str:
    if isinstance(value, ArraySpec):
        return f"{value.domain}({', '.join(map(str, value.shape))})"
    if isinstance(value, list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(value_text, value))}{',' * (len(value) == 1)})"
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()})"
    return getattr(value, "__name__", None) or repr(value)


def primitive_name(primitive: Any) -> str:
    """`numpy.sin`, `numpy.add.reduce`, `math.exp`, `operator.mul`; methods have no module: `astype()`, `T`."""
    if isinstance(primitive, str):
        kind, _, name = primitive.rpartition(" ")
        return f"{name}()" if kind == "method" else name
    if isinstance(primitive, (np.ufunc, types.MethodDescriptorType)):
        return re.sub("^np[.]", "numpy.", shown_in(source.path_of(primitive)))
    if is_distribution(primitive):
        return next(f"scipy.stats.{name}" for name, value in vars(sys.modules["scipy.stats"]).items() if value is primitive)
    owner = getattr(primitive, "__self__", None)
    name = getattr(primitive, "__name__", repr(primitive))
    if isinstance(owner, np.ufunc):
        return f"numpy.{owner.__name__}.{name}"
    if isinstance(owner, np.random.RandomState):
        return f"numpy.random.{name}"
    if isinstance(owner, type):
        return shown_in(f"{owner.__module__}.{owner.__name__}.{name}")
    parts = (getattr(primitive, "__module__", None) or "builtins").lstrip("_").split(".")
    module = ".".join(part for part in parts if not part.startswith("_"))
    qualified = getattr(primitive, "__qualname__", name).split(".")
    named = [f"{part.strip('_')}()" if part.endswith("__") else part for part in qualified]
    inside = ".".join(part for part in named if not part.startswith("_"))
    return f"{module}.{inside or name}"                 # (a method of a class of SciPy that nobody names, an operator)


def shown_in(path: str) -> str:
    """A dotted name without private modules."""
    *modules, name = path.split(".")
    return ".".join([*(part for part in modules if not part.startswith("_")), name])


def wrapped(words: list[str], indent: str, width: int = 100) -> str:
    lines = [indent]
    for word in words:
        if len(lines[-1]) + len(word) > width:
            lines.append(indent)
        lines[-1] += word + "  "
    return "\n".join(line.rstrip() for line in lines)


# --- `sourcegrad check`: derivatives beside finite differences, why they are not finite, exports and their drift

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
        save(text, None)
        show_text(text)
        return GOOD
    if place.exists() and not place.read_text(encoding="utf-8").startswith(TITLE):
        raise UsageError(f"{place} exists and was not exported by sourcegrad\nGive another name with -o, or remove it.")
    save(text, place)
    if not formatter():
        complain("the text is not wrapped, as ruff is not installed: pip install \"sourcegrad[export]\"", GOOD)
    return GOOD


def module(options: argparse.Namespace, place: Path | None) -> str:
    """The text that is asked for, with the command that makes it again beside the file."""
    gradient, derived, _ = derivation(options, None)
    if options.memory is not None and options.numba:
        raise UsageError("--memory and --numba exclude each other\nLeave out one of them.")
    return exported(gradient._complete(derived), command(options, place), gradient._active()[0], options.numba)


def command(options: argparse.Namespace, place: Path | None) -> list[str]:
    """The arguments of `sourcegrad` that make a module again, from the folder that it is in."""
    path, colon, name = options.function.rpartition(":")
    if path.endswith(".py"):
        folder = place.resolve().parent if place is not None else Path.cwd()
        path = Path(os.path.relpath(Path(path).resolve(), folder)).as_posix()
    given = ["export", f"{path}{colon}{name}"]
    given += ["--inputs", options.inputs] if options.inputs else []
    given += ["--order", str(options.order)] if options.order != 1 else []
    for name in ("memory", "spill"):
        given += [f"--{name}", getattr(options, name)] if getattr(options, name) is not None else []
    flags = {"--value": options.value, "--forward": options.forward, "--grad-outputs": options.grad_outputs,
             "--numba": options.numba}
    given += [flag for flag, wanted in flags.items() if wanted]
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
