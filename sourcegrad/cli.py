"""The command line: argument handling and printing, nothing else."""
from __future__ import annotations

import argparse
import copy
import difflib
import importlib
import importlib.util
import math
import os
import sys
import traceback
import types
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sourcegrad import __version__, kinds
from sourcegrad.api import check_grad, gradient as api
from sourcegrad.api.inputs import input_value, resolve_inputs
from sourcegrad.compiler.passes import PHASES, listed
from sourcegrad.compiler.print_module import Trace
from sourcegrad.errors import InputError, SourcegradError
from sourcegrad.ir import source
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE, ArraySpec, Rule, Sample

GOOD, FAILED, USAGE = 0, 1, 2


class UsageError(Exception):
    """A mistake on the command line, or a file that cannot be loaded."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 good, 1 failed, 2 bad usage."""
    try:
        options = parser().parse_args(argv)
    except SystemExit as stop:                  # argparse has printed why
        return stop.code if isinstance(stop.code, int) else USAGE
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except UsageError as error:
        return complain(str(error), USAGE)
    except InputError as error:
        return complain(str(error), USAGE)
    except SourcegradError as error:
        return complain(str(error), FAILED)
    except BrokenPipeError:                     # `sourcegrad rules | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return GOOD
    return code


def complain(message: str, code: int) -> int:
    print(f"sourcegrad: {message}", file=sys.stderr)
    return code


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="sourcegrad", description="Gradients of NumPy functions as NumPy source.")
    top.add_argument("--version", action="version", version=f"sourcegrad {__version__}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)

    target = argparse.ArgumentParser(add_help=False)
    target.add_argument("function", metavar="FILE.py:FUNC|pkg.mod:FUNC", help="the function to differentiate")
    target.add_argument("--inputs", metavar="w,b", help="parameters to differentiate by (default: the first)")
    target.add_argument("--order", type=order, default=1, metavar="N", help="2: the gradient of the gradient")
    target.add_argument("--at", action="append", default=[], metavar="NAME=EXPR",
                        help="an example argument; np and math are in scope; may be repeated")

    shown = commands.add_parser("show", parents=[target], help="print derived code")
    what = shown.add_mutually_exclusive_group()
    what.add_argument("--stage", metavar="NAME", help="the program at one stage of the pipeline")
    what.add_argument("--all", action="store_true", help="the program at every stage")
    what.add_argument("--diff", action="store_true", help="what each stage changes")
    shown.add_argument("--value", action="store_true", help="a function that also returns the value")
    shown.set_defaults(run=show)

    checked = commands.add_parser("check", parents=[target], help="compare with finite differences")
    checked.set_defaults(run=check)

    ordered = commands.add_parser("passes", help="list the passes in their order: optional ones (*) can be switched off by "
                                  "SOURCEGRAD_DISABLE=NAME,NAME")
    ordered.add_argument("--time", dest="function", metavar="FILE.py:FUNC|pkg.mod:FUNC", help="with the time that each takes")
    ordered.add_argument("--inputs", metavar="w,b", help=argparse.SUPPRESS)
    ordered.add_argument("--at", action="append", default=[], metavar="NAME=EXPR", help="an example argument, as for show")
    ordered.set_defaults(run=passes, order=1, value=False)

    named = commands.add_parser("rules", help="list the functions that have derivatives")
    named.add_argument("name", nargs="?", metavar="NAME", help="print this function's rule and its samples")
    named.set_defaults(run=rules)
    return top


def order(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("the order is 1 or more")
    return value


# --- passes

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


# --- show

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


# --- check

def check(options: argparse.Namespace) -> int:
    function = load(options.function)
    inputs = chosen(options.inputs)
    signature = source.signature(function)
    given = evaluated(options.at, function, signature)
    names, _ = resolve_inputs(inputs, signature, 0, (), "check", lambda: None)
    arguments = positional(signature, given, names)
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


# --- rules

def rules(options: argparse.Namespace) -> int:
    covered = {primitive_name(p): p for p in (*RULES, *ZERO_DERIVATIVE)}
    if options.name is not None:
        return show_rules(options.name, covered)
    for title, registry in (("with a derivative rule", RULES), ("with derivative zero", ZERO_DERIVATIVE)):
        groups: dict[str, list[str]] = defaultdict(list)
        for primitive in registry:
            group, name = grouped(primitive_name(primitive))
            groups[group].append(name)
        helpers = groups.pop(HELPERS, [])
        print(f"{len(registry) - len(helpers)} functions {title}")
        for group, names in sorted(groups.items()):
            print(f"\n  {group} ({len(names)})")
            print(wrapped(sorted(names), "    "))
        print(f"\n  and {len(helpers)} helpers of generated code in {HELPERS}\n")
    return GOOD


HELPERS = "sourcegrad.runtime"
GROUPS = ("numpy.linalg", "numpy.fft", "numpy.random", "numpy", HELPERS)


def grouped(full: str) -> tuple[str, str]:
    """The heading under which a primitive is listed, and its name there."""
    for group in GROUPS:
        if full.startswith(f"{group}."):
            return group, full[len(group) + 1:]
    group, _, name = full.rpartition(".")
    return group or "methods and attributes of arrays", name


def show_rules(wanted: str, covered: dict[str, Any]) -> int:
    name = "numpy." + wanted[3:] if wanted.startswith("np.") else wanted
    found = [full for full in sorted(covered) if full == name or full.endswith("." + name)]
    if not found:
        close = difflib.get_close_matches(name, [*covered, *(full.rpartition(".")[2] for full in covered)])
        hint = f"\nDid you mean {', '.join(dict.fromkeys(close))}?" if close else ""
        return complain(f"{wanted} has no derivative rule{hint}", FAILED)
    texts = []
    for full in found:
        rule = RULES.get(covered[full])
        texts.append(f"# {full}: derivative zero\n" if rule is None else rule_text(rule))
    show_text("\n".join(dict.fromkeys(texts)))
    return GOOD


def rule_text(rule: Rule) -> str:
    names = ", ".join(map(primitive_name, rule.primitives))
    lines = [f"# primitives: {names}", source.definition_text(rule.function).rstrip(), "# samples:"]
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
    if isinstance(primitive, np.ufunc):
        return f"numpy.{primitive.__name__}"
    owner = getattr(primitive, "__self__", None)
    name = getattr(primitive, "__name__", repr(primitive))
    if isinstance(owner, np.ufunc):
        return f"numpy.{owner.__name__}.{name}"
    if isinstance(owner, np.random.RandomState):
        return f"numpy.random.{name}"
    if isinstance(owner, type):
        return f"{owner.__module__}.{owner.__name__}.{name}"
    module = (getattr(primitive, "__module__", None) or "builtins").lstrip("_")
    return f"{module}.{getattr(primitive, '__qualname__', name)}"


def wrapped(words: list[str], indent: str, width: int = 100) -> str:
    lines = [indent]
    for word in words:
        if len(lines[-1]) + len(word) > width:
            lines.append(indent)
        lines[-1] += word + "  "
    return "\n".join(line.rstrip() for line in lines)


# --- what the user names

def load(target: str) -> Callable:
    """The function that FILE.py:FUNC or pkg.mod:FUNC names."""
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        raise UsageError(f"{target!r} does not name a function\nWrite FILE.py:FUNC or pkg.mod:FUNC.")
    module = imported_file(Path(place)) if place.endswith(".py") else imported_module(place)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            functions = [n for n, value in vars(module).items() if isinstance(value, types.FunctionType)]
            close = difflib.get_close_matches(part, functions) or functions[:8]
            raise UsageError(f"{place} has no function {name!r}" + (f"\nIt has {', '.join(close)}." if close else ""))
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(f"{target} is not a function but a {type(found).__name__}")
    return found


def imported_file(path: Path) -> types.ModuleType:
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = path.stem
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) != str(path):
        name = f"{name}_file"                   # json.py must not replace the json that others imported
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    execute = spec.loader.exec_module
    run_import(lambda: execute(module), str(path))
    return module


def imported_module(name: str) -> types.ModuleType:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    module: types.ModuleType = run_import(lambda: importlib.import_module(name), name)
    return module


def run_import(load_module: Callable[[], Any], what: str) -> Any:
    """Import the user's code; whatever it raises becomes a message with its place."""
    try:
        return load_module()
    except SourcegradError:
        raise
    except ModuleNotFoundError as error:
        if error.name is not None and (what == error.name or what.startswith(f"{error.name}.")):
            raise UsageError(f"there is no module {error.name!r}\nWrite FILE.py:FUNC or pkg.mod:FUNC.") from None
        raise UsageError(raised(error, f"importing {what} fails")) from None
    except SyntaxError as error:
        raise UsageError(syntax_error(error)) from None
    except (Exception, SystemExit) as error:
        raise UsageError(raised(error, f"importing {what} fails")) from None


def syntax_error(error: SyntaxError) -> str:
    line = (error.text or "").rstrip()
    indent = len(line) - len(line.lstrip())
    column = error.offset or 1
    caret = f"\n    {line.lstrip()}\n    {' ' * max(column - 1 - indent, 0)}^" if line else ""
    return f"{error.filename}:{error.lineno}:{column}: {type(error).__name__}: {error.msg}{caret}"


def raised(error: BaseException, what: str) -> str:
    """One line for an exception in the user's code: the place where it left that code, and what it says."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<frozen")]
    users = [f for f in frames if Path(f.filename).is_relative_to(Path.cwd()) or not installed(f.filename)]
    place = f"{users[-1].filename}:{users[-1].lineno}: " if users else ""
    return f"{place}{what}: {type(error).__name__}: {error}"


def installed(filename: str) -> bool:
    return "site-packages" in filename or Path(filename).is_relative_to(Path(__file__).parent) or (
        Path(filename).is_relative_to(Path(os.__file__).parent))


def chosen(inputs: str | None) -> str | tuple[str, ...] | None:
    """`w` asks for one gradient, `w,b` for a tuple."""
    if inputs is None:
        return None
    names = tuple(name.strip() for name in inputs.split(","))
    return names[0] if len(names) == 1 else names


def evaluated(assignments: list[str], function: Any, signature: source.Signature) -> dict[str, Any]:
    """The values of --at "NAME=EXPR"; the expressions are the user's own command line, and see the names of the function's file."""
    names = getattr(source.unwrap(function), "__globals__", {})
    values = {}
    for text in assignments:
        name, equals, expression = (part.strip() for part in text.partition("="))
        if not equals or not name.isidentifier():
            raise UsageError(f"--at {text!r}: write NAME=EXPRESSION, for example --at \"x=np.ones(3)\"")
        if name not in signature.parameters:
            raise UsageError(f"--at {text!r}: there is no parameter {name!r}\n"
                             f"The parameters are {', '.join(signature.parameters)}.")
        try:
            values[name] = eval(expression, {"np": np, "math": math, **names})
        except Exception as error:
            raise UsageError(f"--at {text!r}: {type(error).__name__}: {error}") from None
    return values


# --- printing

def show_text(text: str, language: str = "python") -> None:
    print(coloured(text, language) if colour_wanted() else text, end="" if text.endswith("\n") else "\n")


def colour_wanted() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def coloured(text: str, language: str) -> str:
    """Text with terminal colours, or as it is where pygments is not installed."""
    try:
        from pygments import formatters, highlight, lexers
    except ImportError:
        return text
    return str(highlight(text, lexers.get_lexer_by_name(language), formatters.TerminalFormatter()))
