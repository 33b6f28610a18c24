"""Function <-> gast <-> text <-> callable. The only user of astor, inspect and linecache."""
from __future__ import annotations
import __future__

import ast
import collections
import copy
import dis
import functools
import inspect
import linecache
import operator
import re
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gast

from sourcegrad.errors import Origin, SourceError

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import astor

_modules: dict[str, tuple[list[str], list[Definition]]] = {}


@dataclass(eq=False)
class Definition:
    """A function or lambda of a parsed file, the class around it (which mangles private names), the file's imports."""

    node: Any
    class_name: str | None
    imports: list[str]


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


def _module(filename: str, module_globals: dict) -> tuple[list[str], list[Definition]] | None:
    lines = _lines(filename, module_globals)
    if not lines:
        return None
    cached = _modules.get(filename)
    if cached is None or cached[0] != lines:
        tree = _parsed("".join(lines))
        if tree is None:
            return None
        cached = _modules[filename] = (lines, list(_definitions(tree)))
    return cached


def _parsed(text: str) -> ast.Module | None:
    for variant in (text, _without_magics(text)):
        try:
            return ast.parse(variant)
        except SyntaxError:
            pass
    return None


def _definitions(module: ast.Module) -> Iterator[Definition]:
    imports: list[str] = []
    todo: collections.deque = collections.deque([(module, None, True)])
    while todo:
        node, class_name, top = todo.popleft()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield Definition(node, class_name, imports)
            top = False
        elif isinstance(node, ast.ClassDef):
            class_name, top = node.name, False
        elif isinstance(node, (ast.Import, ast.ImportFrom)) and top:
            imports += [(alias.asname or alias.name).split(".")[0] for alias in node.names if alias.name != "*"]
        todo += [(child, class_name, top) for child in ast.iter_child_nodes(node)]


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
    found = _find(module[1], code) if module else None
    if found is None or module is None or not _compiles_to(found, code):
        raise SourceError(
            f"the source of {name} (from {code.co_filename!r}, line {code.co_firstlineno}) cannot be found, or has "
            "changed since it was imported",
            remedy="Define the function in a file or a notebook cell instead of exec/eval or the plain REPL; "
                   f"reload the module after an edit; or give it a derivative rule:\n{_rule_advice(function)}")
    try:
        tree = gast.ast_to_gast(found.node)
    except RecursionError:
        raise SourceError(f"{name} has an expression that is nested too deeply",
                          place(found.node, code.co_filename, module[0]),
                          "Split the expression over several statements.") from None
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


def _find(definitions: list[Definition], code: types.CodeType) -> Definition | None:
    line = code.co_firstlineno
    if code.co_name == "<lambda>":
        found = [d for d in definitions if isinstance(d.node, ast.Lambda) and _parameters(d) == _code_parameters(code)
                 and d.node.lineno <= line <= (d.node.end_lineno or line)]
        exact = [d for d in found if d.node.lineno == line]
        return _choose_lambda(exact or found, code)
    for definition in definitions:
        node = definition.node
        if not isinstance(node, ast.Lambda) and code.co_name in (node.name, _mangled(node.name, definition.class_name)):
            first = min([node.lineno] + [d.lineno for d in node.decorator_list])
            if first <= line <= node.lineno and _parameters(definition) == _code_parameters(code):
                return definition
    return None


def _parameters(definition: Definition) -> list[str]:
    a = definition.node.args
    parameters = [*a.posonlyargs, *a.args, *a.kwonlyargs, *(p for p in (a.vararg, a.kwarg) if p)]
    return [_mangled(p.arg, definition.class_name) for p in parameters]


def _mangled(name: str, class_name: str | None) -> str:
    """A private name as it is compiled inside a class: __x -> _Class__x."""
    if class_name is None or not class_name.strip("_") or not name.startswith("__") or name.endswith("__"):
        return name
    return f"_{class_name.lstrip('_')}{name}"


def _code_parameters(code: types.CodeType) -> list[str]:
    flags = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + flags])


def _choose_lambda(found: list[Definition], code: types.CodeType) -> Definition | None:
    if len(found) < 2:
        return found[0] if found else None
    positions = getattr(code, "co_positions", None)
    if positions is not None:
        spans = [(line, column) for line, _, column, _ in positions() if line and column]
        inside = [d for d in found if all((d.node.lineno, d.node.col_offset) <= span
                                          <= (d.node.end_lineno, d.node.end_col_offset) for span in spans)]
        if spans and inside:
            return max(inside, key=lambda d: (d.node.lineno, d.node.col_offset))
    compiled = [(d, _compiled(d, code, d.imports)) for d in found]
    same = [d for d, other in compiled if other is not None and _fingerprint(other) == _fingerprint(code)]
    return same[0] if len({ast.dump(d.node) for d in same}) == 1 else None


# --- is the text what runs? ---------------------------------------------------------------------------

def _compiles_to(definition: Definition, code: types.CodeType) -> bool:
    """Whether a definition is the source of a code object: it compiles to the same names, constants and operators.

    Other instructions are not compared: they depend on the place of the definition and on the tools around it.
    """
    if any(name.startswith("@py") for name in code.co_varnames):
        return True                                     # pytest has rewritten the assert statements
    compiled = _compiled(definition, code, definition.imports)
    return compiled is None or _gist(compiled) == _gist(code)


def _compiled(definition: Definition, code: types.CodeType, imports: list[str]) -> types.CodeType | None:
    """The code of a definition alone, compiled with the free names, class and imports that it has in its place."""
    node = copy.copy(definition.node)
    node.args = copy.copy(node.args)
    node.args.defaults, node.args.kw_defaults = [], [None] * len(node.args.kwonlyargs)
    if isinstance(node, ast.Lambda):
        body: ast.stmt = ast.copy_location(ast.Expr(value=node), node)
    else:
        node.decorator_list, node.returns = [], None
        body = node
    if definition.class_name is not None:
        body = ast.copy_location(ast.ClassDef(name=definition.class_name, bases=[], keywords=[], body=[body],
                                              decorator_list=[], type_params=[]), body)
    around = [ast.arg(arg=name) for name in code.co_freevars if name != "__class__"]
    own = {getattr(node, "name", None), definition.class_name} - {None, *code.co_freevars}
    outside = [ast.copy_location(ast.Global(names=sorted(own)), body)] if own else []       # they are no local names
    factory = ast.copy_location(ast.FunctionDef(
        name="_factory", args=ast.arguments(posonlyargs=[], args=around, kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=[*outside, body], decorator_list=[], returns=None, type_params=[]), body)
    header = [ast.Import(names=[ast.alias(name=name) for name in imports])] if imports else []
    module = ast.fix_missing_locations(ast.Module(body=[*header, factory], type_ignores=[]))
    try:
        outer = compile(module, code.co_filename, "exec", flags=code.co_flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return _inner(outer, code.co_name)


_FUTURE = functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))


def _inner(code: types.CodeType, name: str) -> types.CodeType | None:
    """The first function of a name inside a code object, outer ones first."""
    inside = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return next((c for c in inside if c.co_name == name), None) or next(
        (found for c in inside if (found := _inner(c, name)) is not None), None)


def _gist(code: types.CodeType) -> tuple[set[str], set[str], list]:
    """Names, constants and operators of a code object and of the functions inside it."""
    names = {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars} - {"__class__"}
    constants: set[str] = set()
    operators = [(i.opname, i.argrepr) for i in dis.get_instructions(code)
                 if i.opname.startswith(("BINARY_", "COMPARE_", "UNARY_", "INPLACE_", "CONTAINS_", "IS_"))]
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            inner = _gist(c)
            names |= inner[0]
            constants |= inner[1]
            operators += inner[2]
            operators += inner[2]
        elif isinstance(c, (tuple, frozenset)):
            constants |= {repr(item) for item in c if item is not None}
        elif c is not None and not (isinstance(c, str) and "<locals>" in c):
            constants.add(repr(c))
    return names, constants, operators


def _fingerprint(code: types.CodeType) -> tuple:
    """Instructions, names and constants, those of functions inside included (qualified names depend on the place)."""
    constants = [_fingerprint(c) if isinstance(c, types.CodeType) else
                 tuple(sorted(map(repr, c))) if isinstance(c, frozenset) else repr(c)
                 for c in code.co_consts if not (isinstance(c, str) and "<locals>" in c)]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, tuple(constants)


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
