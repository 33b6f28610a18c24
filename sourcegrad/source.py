"""Function <-> gast <-> text <-> callable. The only user of astor, inspect and linecache."""
from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import gast

from sourcegrad.errors import Origin, SourceError

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import astor

_modules: dict[str, tuple[list[str], ast.Module]] = {}


def signature(function: Any) -> inspect.Signature:
    """The signature of any callable (ValueError or TypeError if it has none)."""
    return inspect.signature(function)


def unwrap(function: Any) -> Any:
    return inspect.unwrap(function)


def _lines(filename: str, module_globals: dict) -> list[str]:
    lines = linecache.getlines(filename, module_globals)
    if not lines and filename == "<string>":
        argv = getattr(sys, "orig_argv", [])
        if "-c" in argv[:-1]:
            lines = argv[argv.index("-c") + 1].splitlines(keepends=True)
    return lines


def _module(filename: str, module_globals: dict) -> tuple[list[str], ast.Module] | None:
    lines = _lines(filename, module_globals)
    if not lines:
        return None
    cached = _modules.get(filename)
    if cached is None or cached[0] != lines:
        try:
            cached = (lines, ast.parse(_without_magics("".join(lines))))
        except SyntaxError:
            return None
        _modules[filename] = cached
    return cached


def _without_magics(text: str) -> str:
    """IPython cells may hold %magics and !commands: blank those lines, keep the numbering."""
    return re.sub(r"^[ \t]*[%!?][^\n]*$", "", text, flags=re.M)


def parse(function: Any) -> tuple[gast.AST, str]:
    """The gast FunctionDef or Lambda of a Python function, and its file name. Every statement has its origin.

    Raises SourceError when the text cannot be had (REPL `exec`, C extension, edited file).
    """
    code = getattr(function, "__code__", None)
    name = getattr(function, "__qualname__", repr(function))
    if code is None:
        raise SourceError(f"{name} is not a Python function, so it has no source to differentiate",
                          remedy=_rule_advice(function))
    module = _module(code.co_filename, function.__globals__)
    node = _find(module[1], code) if module else None
    if node is None or module is None:
        raise SourceError(
            f"the source of {name} (from {code.co_filename!r}, line {code.co_firstlineno}) cannot be found, or has "
            "changed since it was imported",
            remedy="Define the function in a file or a notebook cell instead of exec/eval or the plain REPL; "
                   f"reload the module after an edit; or give it a derivative rule:\n{_rule_advice(function)}")
    tree = gast.ast_to_gast(node)
    set_origins(tree, code.co_filename, module[0])
    return tree, code.co_filename


def rule_text(name: str, parameters: str) -> str:
    """What to write to give a function a rule."""
    return (f"@sg.rule({name})\ndef {name.split('.')[-1]}_rule(ct, out{', ' + parameters if parameters else ''}):\n"
            "    return ...      # one adjoint contribution per argument")


def _rule_advice(function: Any) -> str:
    try:
        parameters = ", ".join(signature(function).parameters)
    except (TypeError, ValueError):
        parameters = "x"
    name = getattr(function, "__qualname__", None) or type(function).__name__
    return "Write\n" + rule_text(name.replace("<lambda>", "f").split(".<locals>.")[-1], parameters)


def set_origins(tree: Any, filename: str, lines: list[str]) -> None:
    """Give every statement (and lambda) of a freshly parsed tree its origin."""
    for node in gast.walk(tree):
        if hasattr(node, "lineno") and isinstance(node, (gast.stmt, gast.Lambda)):
            node.origin = place(node, filename, lines)


def place(node: Any, filename: str, lines: list[str]) -> Origin:
    text = lines[node.lineno - 1] if node.lineno <= len(lines) else ""
    column = len(text.encode()[: node.col_offset].decode(errors="replace"))
    return Origin(filename, node.lineno, column + 1, text.rstrip("\n"))


def locate(node: Any, origin: Origin | None) -> Origin | None:
    """The origin of an expression inside a statement: the statement's file, the expression's line and column."""
    if origin is None or not hasattr(node, "lineno"):
        return origin
    lines = linecache.getlines(origin.file) or _lines(origin.file, {})
    if node.lineno == origin.line:
        return place(node, origin.file, [""] * (origin.line - 1) + [origin.text])
    return place(node, origin.file, lines) if node.lineno <= len(lines) else origin


def _find(module: ast.Module, code: types.CodeType) -> ast.AST | None:
    line = code.co_firstlineno
    if code.co_name == "<lambda>":
        found = [n for n in ast.walk(module) if isinstance(n, ast.Lambda) and _parameters(n) == _code_parameters(code)
                 and n.lineno <= line <= (n.end_lineno or line)]
        exact = [n for n in found if n.lineno == line]
        return _choose_lambda(exact or found, code)
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno] + [d.lineno for d in node.decorator_list])
            if first <= line <= node.lineno and _parameters(node) == _code_parameters(code):
                return node
    return None


def _parameters(node: Any) -> list[str]:
    a = node.args
    names = [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    return names + [p.arg for p in (a.vararg, a.kwarg) if p]


def _code_parameters(code: types.CodeType) -> list[str]:
    flags = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + flags])
    return [n[1:] + "" if False else n for n in names]


def _choose_lambda(found: list, code: types.CodeType) -> ast.AST | None:
    if len(found) < 2:
        return found[0] if found else None
    positions = getattr(code, "co_positions", None)
    if positions is not None:
        spans = [(line, column) for line, _, column, _ in positions() if line and column]
        inside = [n for n in found if all(
            (n.lineno, n.col_offset) <= span <= (n.end_lineno, n.end_col_offset) for span in spans)]
        if inside:
            return max(inside, key=lambda n: (n.lineno, n.col_offset))
    same = [n for n in found if _fingerprint(_compiled(n)) == _fingerprint(code)]
    return same[0] if len({ast.dump(n) for n in same}) == 1 else None


def _compiled(node: ast.AST) -> types.CodeType:
    text = ast.unparse(node)
    return next(c for c in compile(text, "<lambda>", "eval").co_consts if isinstance(c, types.CodeType))


def _fingerprint(code: types.CodeType) -> tuple:
    return (code.co_code, code.co_names, tuple(c for c in code.co_consts if not isinstance(c, types.CodeType)))


# --- text ---------------------------------------------------------------------------------------------

_COMMENT = re.compile(r"^(\s*)(?:\"\"\"|'|\")(# .*?)(?:\"\"\"|'|\")$")


def to_text(tree: Any) -> str:
    """Text of a function or block. String statements that start with '# ' become comments."""
    node = gast.gast_to_ast(tree if not isinstance(tree, list) else gast.Module(body=tree, type_ignores=[]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        text = astor.to_source(node, pretty_source="".join, pretty_string=_one_line_string)
    return "\n".join(_comment(line) for line in text.rstrip().split("\n") if line.strip()) + "\n"


def expression_text(node: Any) -> str:
    return to_text(node).strip()


def _one_line_string(text: str, *_args: Any, **_options: Any) -> str:
    return repr(text)


def _comment(line: str) -> str:
    stripped = line.lstrip()
    if stripped[:3] in ("'# ", '"# '):
        return line[: len(line) - len(stripped)] + ast.literal_eval(stripped)
    return line


def parse_text(text: str) -> gast.FunctionDef:
    """The one function of a text, comments dropped."""
    return next(node for node in gast.parse(text).body if isinstance(node, gast.FunctionDef))


def register(filename: str, text: str) -> None:
    """Make a generated text visible to tracebacks, pdb and inspect."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)


def compile_function(text: str, name: str, filename: str, module_globals: dict,
                     cells: dict[str, types.CellType]) -> types.FunctionType:
    """Compile the function `name` of a text; names in `cells` become its closure, the rest are globals."""
    module = ast.parse(text, filename)
    definition = next(n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == name)
    factory = ast.FunctionDef(
        name="factory", args=ast.arguments(posonlyargs=[], args=[ast.arg(arg=cell) for cell in cells],
                                           kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=[definition], decorator_list=[], returns=None, type_params=[])
    ast.copy_location(factory, definition)
    wrapper = ast.fix_missing_locations(ast.Module(body=[factory], type_ignores=[]))
    outer = next(c for c in compile(wrapper, filename, "exec").co_consts if isinstance(c, types.CodeType))
    code = next(c for c in outer.co_consts if isinstance(c, types.CodeType) and c.co_name == name)
    closure = tuple(cells[free] for free in code.co_freevars)
    return types.FunctionType(code, module_globals, name, None, closure)


def cells_of(function: Callable) -> dict[str, types.CellType]:
    """The closure cells of a function by name."""
    code = getattr(function, "__code__", None)
    return dict(zip(code.co_freevars, getattr(function, "__closure__", None) or ())) if code else {}
