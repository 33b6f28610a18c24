"""Function <-> gast <-> text <-> callable. The only user of astor, inspect and linecache."""
from __future__ import annotations
import __future__

import ast
import builtins
import collections
import contextlib
import copy
import dis
import functools
import inspect
import io
import linecache
import operator
import os
import re
import stat
import sys
import threading
import tokenize
import traceback
import types
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from inspect import BoundArguments, Parameter, Signature
from typing import TYPE_CHECKING, Any

from sourcegrad.errors import Origin, SourceError, SourcegradError, UnsupportedError, deep, full_traceback
from sourcegrad.ir.bytecode import text_of

if TYPE_CHECKING:
    import gast  # where it is used, so that code that was generated before runs without it; so is astor

LOCK = threading.RLock()         # one thread generates at a time; on Python 3.11, two that parse disturb each other (gh-106905)
IN_TURN = threading.RLock()            # around reverse sweeps that empty lists which stay what they are: one thread after the other
_modules: dict[str, Module] = {}
_shown: dict[str, str] = {}                     # names in messages -> files, where they differ


@dataclass(eq=False)
class Definition:
    """A function or lambda of a parsed file, the class around it (which mangles private names), the file's imports."""

    node: Any
    class_name: str | None
    imports: list[str]


class Module:
    """The text of a file, and the definitions in it."""

    def __init__(self, lines: list[str], tree: ast.Module) -> None:
        self.lines = lines
        self.tree = tree

    @functools.cached_property
    def functions(self) -> list[Definition]:
        return list(_definitions(self.tree, _blocks_of))

    @functools.cached_property
    def lambdas(self) -> list[Definition]:
        return [d for d in _definitions(self.tree, ast.iter_child_nodes) if isinstance(d.node, ast.Lambda)]


@functools.cache
def rule_signature(function: Any) -> inspect.Signature:
    """The signature of a rule without its first two parameters (ct, out); a rule is used many times."""
    return inspect.Signature(list(inspect.signature(function).parameters.values())[2:])


@functools.cache
def defaults(function: Callable) -> dict[str, Any]:
    """The defaults of the parameters of a function; {} where they cannot be known."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    return {name: p.default for name, p in parameters.items() if p.default is not p.empty}


def signature(function: Any) -> inspect.Signature:
    """The signature of any callable (ValueError or TypeError if it has none)."""
    return inspect.signature(function)


def static_attribute(owner: Any, name: str, default: Any) -> Any:
    """An attribute as it stands in the class, without calling descriptors."""
    return inspect.getattr_static(owner, name, default)


def definition_text(function: Any) -> str:
    """The text of a function, decorators included (OSError if there is none)."""
    return inspect.getsource(function)


def unwrap(function: Any) -> Any:
    return inspect.unwrap(function)


def lines_of(code: types.CodeType, module_globals: dict) -> list[str]:
    """The text that code was compiled from, wherever Python or a notebook keeps it."""
    filename = code.co_filename
    lines = linecache.getlines(filename, module_globals)
    if not lines and hasattr(linecache, "_getlines_from_code"):         # typed at the prompt
        lines = linecache._getlines_from_code(code)
    if not lines and filename in _kept:                      # somebody has cleared linecache
        register(filename, _kept[filename])
        lines = linecache.getlines(filename)
    if not lines and filename in ("<string>", "<stdin>"):
        lines = (_command() if filename == "<string>" else _standard_input()).splitlines(keepends=True)
    return lines


def _command() -> str:
    """The TEXT of `python -c TEXT`, or ""."""
    arguments = iter(getattr(sys, "orig_argv", [])[1:])
    for argument in arguments:
        found = re.match(r"-[^-WXm]*?c(.*)", argument, re.S)
        if found:
            return found[1] or next(arguments, "")
        if argument in ("-W", "-X", "--check-hash-based-pycs"):
            next(arguments, None)
        elif not argument.startswith("-"):
            break
    return ""


def _standard_input() -> str:
    """The text of `python < FILE`, or "": what came through a pipe or was typed is gone."""
    try:
        size = os.fstat(0).st_size if stat.S_ISREG(os.fstat(0).st_mode) else 0
        text = os.pread(0, size, 0) if size else b""
        encoding, _ = tokenize.detect_encoding(io.BytesIO(text).readline)
        return text.decode(encoding)
    except (OSError, AttributeError, SyntaxError, UnicodeDecodeError):
        return ""


def cell_of(filename: str) -> tuple[str, str] | None:
    """What a notebook calls the cell that a file stands for, ("Cell", "In[3]"); None for other files."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    name_of = getattr(getattr(shell, "compile", None), "format_code_name", None)
    return None if name_of is None else name_of(filename)


def redefined(function: Any, original: Any) -> Any:
    """The function of a notebook that has the name of another one by now, as its cell was run again or changed; else itself.

    function: what the user knows under that name; original: the plain function in it."""
    code = getattr(original, "__code__", None)
    if code is None or original.__qualname__ != original.__name__ or cell_of(code.co_filename) is None:
        return function
    now = original.__globals__.get(original.__name__)
    again = getattr(unwrap(now), "__code__", None) if isinstance(now, types.FunctionType) else None
    return now if again is not None and again.co_name == code.co_name and cell_of(again.co_filename) is not None else function


def shown(filename: str) -> str:
    """The name of a file in messages and comments: cells of a notebook go by their number.

    The files that their code is said to be in have other names on every run.
    """
    found = cell_of(filename)
    if found is None:
        return filename
    name = " ".join(found)
    other = _shown.get(name, filename)
    if other != filename and cell_of(other) == found:       # cells that run silently share a number
        return filename
    _shown[name] = filename
    return name


def _module(code: types.CodeType, module_globals: dict) -> Module | None:
    filename = code.co_filename
    lines = lines_of(code, module_globals)
    if not lines:
        return None
    cached = _modules.get(filename)
    if cached is None or cached.lines != lines:
        tree = _parsed("".join(lines))
        if tree is None:
            return None
        cached = _modules[filename] = Module(lines, tree)
    return cached


def _parsed(text: str) -> ast.Module | None:
    for variant in (text, _without_magics(text)):
        try:
            with LOCK:
                return ast.parse(variant)
        except SyntaxError:
            pass
    return None


def _blocks_of(node: Any) -> Iterator[Any]:
    """The statements, handlers and cases inside a statement."""
    for field in ("body", "orelse", "handlers", "cases", "finalbody"):
        inside = getattr(node, field, None)
        if isinstance(inside, list):
            yield from inside


def _definitions(module: ast.Module, inside: Callable[[Any], Iterator[Any]]) -> Iterator[Definition]:
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
        todo += [(child, class_name, top) for child in inside(node)]


def _without_magics(text: str) -> str:
    """IPython cells may hold %magics and !commands: blank those lines, keep the numbering."""
    return re.sub(r"^[ \t]*[%!?][^\n]*$", "", text, flags=re.M)


def parse(function: Any) -> tuple[gast.AST, str]:
    """The gast FunctionDef or Lambda of a Python function, and its file name. Every statement has its origin.

    Raises SourceError when the text cannot be had (REPL `exec`, C extension, edited file).
    """
    try:
        with deep():
            return _tree_of(function, getattr(function, "__qualname__", repr(function)))
    except RecursionError:
        file, line = function.__code__.co_filename, function.__code__.co_firstlineno
        where = Origin(shown(file), line, 1, linecache.getline(file, line).rstrip())
        raise SourceError("an expression that is nested too deeply", where, "Split it over several statements.") from None


def standalone(function: Any, name: str, default: Callable[[str, Any], str]) -> str:
    """A function as a definition of its own, under a name: without decorators and annotations (what is called is the function
    itself), a lambda cut out of its statement. default: the text of the present default of a parameter."""
    module, found = definition(function.__code__, function.__globals__)
    if found is None:
        raise _not_found(function, function.__qualname__, shown(function.__code__.co_filename), module is None)
    node = copy.deepcopy(found.node)
    if isinstance(node, ast.Lambda):
        node = ast.FunctionDef(name, node.args, [ast.Return(node.body)], [])                       # type: ignore[call-arg]
    node.name, node.decorator_list, node.returns = name, [], None
    for inner in ast.walk(node):
        if isinstance(inner, ast.arg):
            inner.annotation = None
        elif isinstance(inner, (ast.Global, ast.Nonlocal)) or isinstance(inner, (ast.Import, ast.ImportFrom)) and (
                "sourcegrad" in ast.unparse(inner)):
            raise UnsupportedError(f"{function.__name__} has '{ast.unparse(inner)}', so it cannot stand in a module of its own",
                                   place(inner, shown(function.__code__.co_filename), module.lines),     # type: ignore[union-attr]
                                   "Pass what changes as an argument, and import at the top of the module.")
    arguments, values, keywords = node.args, function.__defaults__ or (), function.__kwdefaults__ or {}
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    arguments.defaults = [ast.Name(default(*pair)) for pair in zip(names[len(names) - len(values):], values)]
    arguments.kw_defaults = [ast.Name(default(a.arg, keywords[a.arg])) if a.arg in keywords else None for a in arguments.kwonlyargs]
    return ast.unparse(ast.fix_missing_locations(node))


def _tree_of(function: Any, name: str) -> tuple[gast.AST, str]:
    code = getattr(function, "__code__", None)
    if code is None:
        raise SourceError(f"{name} is not a Python function, so it has no source to differentiate", remedy=_rule_advice(function))
    module, found = definition(code, function.__globals__)
    if found is None:                                       # perhaps the file was edited, and loaded again
        linecache.checkcache(code.co_filename)
        module, found = definition(code, function.__globals__)
    file = shown(code.co_filename)
    if found is None or module is None:
        special = name.rpartition(".")[2].startswith("__") and code.co_name.endswith("__")
        text = text_of(code) if special and (module is None or file.startswith("<")) else None    # made by `exec`, for a class
        if text is None:
            raise _not_found(function, name, file, module is None or file.startswith("<"))
        tree = parse_text(text)
        set_origins(tree, file, text.splitlines())
        return tree, file
    import gast
    tree = gast.ast_to_gast(found.node)
    set_origins(tree, file, module.lines)
    return tree, file


def _not_found(function: Any, name: str, file: str, lost: bool) -> SourceError:
    """The error for a function without a text. (Whoever raises it must not name it: its frame would hold it, and it the frame.)"""
    error = SourceError(
        f"the source of {name} (from {file!r}, line {function.__code__.co_firstlineno}) "
        + ("cannot be found" if lost else "has changed since it was imported"),
        remedy=f"{_source_advice(file) if lost else 'After an edit, reload the module'}; "
               f"or give the function a derivative rule:\n{_rule_advice(function)}")
    error.changed = not lost
    return error


def definition(code: types.CodeType, module_globals: dict) -> tuple[Module | None, Definition | None]:
    """The text of a code object's module, and the definition there that compiles to it."""
    module = _module(code, module_globals)
    found = _find(module, code) if module else None
    return module, found if found is not None and _compiles_to(found, code) else None


def _source_advice(file: str) -> str:
    """What to do about a text that nobody has kept."""
    if file in ("<timed exec>", "<timed eval>") or file.startswith("<magic-timeit"):
        return "Define the function in a cell without %time or %timeit: IPython does not keep the text of those"
    if file == "<stdin>":
        return ("Define the function in a file or a notebook cell: Python keeps no text of what comes through a pipe, nor, "
                "before 3.13, of what is typed at the prompt")
    return "Define the function in a file or a notebook cell instead of exec/eval"


def rule_text(name: str, parameters: str) -> str:
    """What to write to give a function a rule."""
    return (f"@sg.rule({name})\ndef {name.split('.')[-1]}_rule(ct, out{', ' + parameters if parameters else ''}):\n"
            "    return ...      # one adjoint contribution per argument")


def _rule_advice(function: Any) -> str:
    return "Write\n" + rule_text(path_of(function), ", ".join(parameters_of(function, True)))


def path_of(function: Any) -> str:
    """What a program calls an object: the shortest public path, such as np.linalg.norm, scipy.special.gamma, np.add.reduce."""
    name = getattr(function, "__name__", None) or type(function).__name__
    of_class = isinstance(function, type)                    # (the class of methods has a `__self__`: a descriptor)
    owner = None if of_class else getattr(function, "__self__", getattr(function, "__objclass__", None))
    if owner is not None and not isinstance(owner, types.ModuleType):
        return f"{path_of(owner if isinstance(owner, type) or hasattr(owner, 'reduce') else type(owner))}.{name}"
    parts = (getattr(function, "__module__", None) or "").lstrip("_").split(".")
    own = isinstance(function, types.FunctionType) or isinstance(function, type) and "__module__" in vars(function)
    modules = [*(".".join(parts[:j + 1]) for j in range(len(parts))), "numpy", "scipy.special"]
    for module in modules if not own or parts[0] in ("numpy", "scipy") else ():
        if vars(sys.modules.get(module, types)).get(name) is function and module not in ("builtins", "__main__"):
            return f"{re.sub('^numpy', 'np', module)}.{name}"
    return getattr(function, "__qualname__", name).replace("<lambda>", "f").split(".<locals>.")[-1]


def parameters_of(function: Any, optional: bool = False) -> list[str]:
    """The parameters of a function by position; optional: with those that have a default, which is written."""
    try:
        found = [p for p in signature(function).parameters.values() if p.kind <= p.POSITIONAL_OR_KEYWORD]
    except (TypeError, ValueError):
        found = []
    if hasattr(function, "nin"):                            # a ufunc
        return ["x", "y"][:function.nin] if function.nin < 3 else [f"x{j}" for j in range(function.nin)]
    names = {"ct": "ct_given", "out": "out_given"}          # (a rule has these of its own)
    texts = [names.get(p.name, p.name) + ("" if p.default is p.empty else f"={p.default!r}") for p in found
             if optional or p.default is p.empty]
    return texts or ["x"]


def set_origins(tree: Any, filename: str, lines: list[str]) -> None:
    """Give every statement (and lambda) of a freshly parsed tree its origin."""
    import gast
    for node in gast.walk(tree):
        if hasattr(node, "lineno") and isinstance(node, (gast.stmt, gast.Lambda)):
            node.origin = place(node, filename, lines)


def place(node: Any, filename: str, lines: list[str]) -> Origin:
    text = lines[node.lineno - 1] if node.lineno <= len(lines) else ""
    column = len(text.encode()[: node.col_offset].decode(errors="replace"))
    return Origin(filename, node.lineno, column + 1, text.rstrip("\n"))


# What runs the function that is differentiated on its first arguments, and looks at an expression: see `parse.executed`
OBSERVING: ContextVar[Callable[[Any, Origin, list[Any]], str | None] | None] = ContextVar("observing", default=None)
REACHED: ContextVar[SourcegradError | None] = ContextVar("reached", default=None)          # what generated code refused when it ran


def locate(node: Any, origin: Origin | None) -> Origin | None:
    """The origin of an expression inside a statement: the statement's file, the expression's line and column."""
    if origin is None or not hasattr(node, "lineno"):
        return origin
    filename = _shown.get(origin.file, origin.file)
    lines = _modules[filename].lines if filename in _modules else linecache.getlines(filename)
    if node.lineno == origin.line:
        lines = [""] * (origin.line - 1) + [origin.text]
    return place(node, origin.file, lines)._replace(callers=origin.callers) if node.lineno <= len(lines) else origin


def _find(module: Module, code: types.CodeType) -> Definition | None:
    line = code.co_firstlineno
    if code.co_name == "<lambda>":
        found = [d for d in module.lambdas if _parameters(d) == _code_parameters(code)
                 and d.node.lineno <= line <= (d.node.end_lineno or line)]
        exact = [d for d in found if d.node.lineno == line]
        return _choose_lambda(exact or found, code)
    for definition in module.functions:
        node = definition.node
        if code.co_name in (node.name, _mangled(node.name, definition.class_name)):
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
    """Whether a definition is the source of a code object: it compiles to the same operations in the same order.

    Other instructions are not compared: they depend on the place of the definition and on the tools around it. (Mostly all
    are the same, which is seen sooner.)
    """
    if any(name.startswith("@py") for name in code.co_varnames):
        return True                                     # pytest has rewritten the assert statements
    compiled = _compiled(definition, code, definition.imports)
    return compiled is None or _fingerprint(compiled) == _fingerprint(code) or _gist(compiled) == _gist(code)


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
        body = ast.copy_location(ast.ClassDef(                               # type: ignore[call-arg]
            name=definition.class_name, bases=[], keywords=[], body=[body], decorator_list=[], type_params=[]), body)
    around = [ast.copy_location(ast.arg(arg=name), body) for name in code.co_freevars if name != "__class__"]
    own = {name for name in (getattr(node, "name", None), definition.class_name) if name} - {*code.co_freevars}
    outside = [ast.copy_location(ast.Global(names=sorted(own)), body)] if own else []       # they are no local names
    factory = ast.copy_location(ast.FunctionDef(                             # type: ignore[call-arg]
        name="_factory", args=ast.arguments(posonlyargs=[], args=around, kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=[*outside, body], decorator_list=[], returns=None, type_params=[]), body)
    header = [ast.copy_location(ast.Import(names=[ast.copy_location(ast.alias(name=name), body) for name in imports]), body)]
    try:
        module = ast.Module(body=[*header[:len(imports)], factory], type_ignores=[])
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


def _gist(code: types.CodeType) -> list[str]:
    """What a code object and the functions inside it load, store and compute, in order."""
    found = []
    for i in dis.get_instructions(code):
        action = i.opname.split("_")[0]
        if isinstance(i.argval, types.CodeType):
            found += ["(", *_gist(i.argval), ")"]
        elif action in _OPERATIONS:
            found.append(f"{i.opname if action in ('BINARY', 'INPLACE', 'UNARY') else action} {i.argrepr}")   # 3.10: BINARY_ADD
        elif action == "CALL":
            found.append(f"{action} {i.arg}")
        elif "_IF_" in i.opname:
            found.append(i.opname)
        elif "CONST" in i.opname or i.opname in ("LOAD_SMALL_INT", "KW_NAMES"):
            value = code.co_consts[i.arg or 0] if i.opname == "KW_NAMES" else i.argval
            if not (isinstance(value, str) and "<locals>" in value):        # the qualified name depends on the place
                found.append(repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value))
        elif action in ("LOAD", "STORE", "DELETE") and i.argval is not None:
            names = i.argval if isinstance(i.argval, tuple) else (i.argval,)
            found += [name for name in names if isinstance(name, str) and name != "__class__"]
    return found


_OPERATIONS = {"BINARY", "INPLACE", "UNARY", "COMPARE", "CONTAINS", "IS", "DICT", "LIST", "SET", "BUILD"}


def _fingerprint(code: types.CodeType) -> tuple:
    """Instructions, names and constants, those of functions inside included (qualified names depend on the place)."""
    constants = [_fingerprint(c) if isinstance(c, types.CodeType) else
                 tuple(sorted(map(repr, c))) if isinstance(c, frozenset) else repr(c)
                 for c in code.co_consts if not (isinstance(c, str) and "<locals>" in c)]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, tuple(constants)


@dataclass(eq=False)
class Excerpt:
    """A definition in a file: its lines, and for each line number that of the statement that it belongs to, or 0."""

    file: str                       # as in origins
    first: int
    lines: list[str]
    statements: dict[int, int]

    @property
    def start(self) -> int:
        """The line of `def`, below the decorators."""
        return self.statements.get(self.first, self.first)

    @property
    def span(self) -> range:
        return range(self.first, self.first + len(self.lines))


def text_at(file: str, line: int) -> str:
    """The text of a line of a file, or of what was typed."""
    filename = _shown.get(file, file)
    lines = _modules[filename].lines if filename in _modules else linecache.getlines(filename)
    return lines[line - 1].rstrip("\n") if 0 < line <= len(lines) else ""


def excerpt(origin: Origin) -> Excerpt:
    """The innermost function around a place (the statement, if there is none; its first line, if the file is gone)."""
    filename = _shown.get(origin.file, origin.file)
    lines = _modules[filename].lines if filename in _modules else linecache.getlines(filename)
    tree = _modules[filename].tree if filename in _modules else _parsed("".join(lines))
    around = [n for n in ast.walk(tree or ast.Module([], [])) if isinstance(n, ast.stmt) and origin.line in _span(n)]
    functions = [n for n in around if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    if not around:
        return Excerpt(origin.file, origin.line, [origin.text], {origin.line: origin.line})
    found = min(functions or around, key=lambda n: len(_span(n)))
    statements: dict[int, int] = {}
    for node in sorted((n for n in ast.walk(found) if isinstance(n, ast.stmt)), key=lambda n: n.lineno):
        body = getattr(node, "body", None) or getattr(node, "cases", None)
        after = getattr(body[0], "pattern", body[0]).lineno if body else _span(node).stop          # `else` belongs to no statement
        statements.update(dict.fromkeys(_span(node), 0))
        statements.update(dict.fromkeys(range(_span(node)[0], max(after, node.lineno + 1)), node.lineno))
    return Excerpt(origin.file, _span(found)[0], [lines[n - 1].rstrip("\n") for n in _span(found)], statements)


def _span(node: Any) -> range:
    """The lines of a statement, decorators included."""
    return range(min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]), (node.end_lineno or node.lineno) + 1)


# --- text ---------------------------------------------------------------------------------------------

def to_text(tree: Any) -> str:
    """Text of a function or block, long lines broken. String statements that start with '# ' become comments."""
    from sourcegrad.ir.printing import wrapped
    return wrapped(_unbroken(tree)) + "\n"


def _unbroken(tree: Any) -> str:
    import gast

    from sourcegrad.ir.printing import Printer
    lines: list[str] = []
    printer = Printer(_by_others)
    if isinstance(tree, gast.expr):
        return printer.of(tree)
    printer.block(tree if isinstance(tree, list) else tree.body if isinstance(tree, gast.Module) else [tree], "", lines)
    return "\n".join(lines)


def _by_others(tree: Any, place: int) -> str:
    """The text of what `ir.printing` does not print: f-strings by `ast.unparse`, as astor asks for classes that Python 3.14 does
    not have; all else by astor. place: how tightly an expression must bind to need no parentheses."""
    import gast
    node = gast.gast_to_ast(tree)
    if isinstance(node, (ast.JoinedStr, ast.FormattedValue)):
        return ast.unparse(node)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import astor
        node._pp = place
        return str(astor.to_source(node, pretty_source="".join)).rstrip()


def expression_text(node: Any) -> str:
    return _unbroken(node).strip()


def parse_text(text: str) -> gast.FunctionDef:
    """The one function of a text, comments dropped."""
    import gast
    return next(node for node in gast.parse(text).body if isinstance(node, gast.FunctionDef))


_generated: dict[str, tuple[str, list[Origin | None]]] = {}      # file -> text, and the origin of each statement in it
_kept: dict[str, str] = {}                               # file -> text of functions that are there as long as the process is
_forgotten: list[str] = []                               # files whose texts nobody holds any more


def register(filename: str, text: str, origins: list[Origin | None] | None = None) -> None:
    """Make a generated text visible to tracebacks, pdb and inspect. origins: of its statements, in order, without comments."""
    _drop_forgotten()
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    if origins is not None:
        _generated[filename] = text, origins


def keep(filename: str, text: str) -> None:
    """Make a text visible for good: of functions that a module makes of a table."""
    _kept[filename] = text
    register(filename, text)


class Text:
    """Keeps a generated text visible, as long as somebody holds this object."""

    def __init__(self, filename: str, text: str, origins: list[Origin | None] | None = None) -> None:
        register(filename, text, origins)
        weakref.finalize(self, _forget, filename).atexit = False


def _forget(filename: str) -> None:
    """Whenever the garbage collector likes: where `linecache` is just going through its files, it keeps this one for now."""
    _forgotten.append(filename)
    _generated.pop(filename, None)
    _modules.pop(filename, None)
    running = (frame for innermost in sys._current_frames().values() for frame, _ in traceback.walk_stack(innermost))
    if not any(frame.f_globals is vars(linecache) for frame in running):
        _drop_forgotten()


def _drop_forgotten() -> None:
    with contextlib.suppress(IndexError):                    # (threads)
        while True:
            linecache.cache.pop(_forgotten.pop(), None)


def passed_through(error: BaseException) -> list[Origin]:
    """The user's lines whose generated code an exception passed through, innermost first."""
    found = [_origin_in(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(full_traceback(error))
             if frame.f_code.co_filename in _generated]
    lines = [part for origin in reversed(found) if origin is not None for part in (origin._replace(callers=()), *origin.callers)]
    return [part for part, before in zip(lines, [None, *lines]) if before is None or part[:2] != before[:2]]   # (a recursion)


def in_reverse_sweep(error: BaseException) -> bool:
    """Whether an exception comes from a line of a reverse sweep itself, not from a function that it calls."""
    *_, (frame, line) = traceback.walk_tb(full_traceback(error))
    code = frame.f_code
    if code.co_filename not in _generated:
        return False
    text = _generated[code.co_filename][0].splitlines()
    return code.co_name.endswith("_reverse") or any("# --- reverse sweep" in above for above in text[code.co_firstlineno:line])


def _origin_in(filename: str, line: int) -> Origin | None:
    """The origin of a line of generated code."""
    _, origins, _ = generated_tree(filename)
    return next((origin for start, origin in reversed(list(origins.items())) if start <= line), None)


def generated_tree(filename: str) -> tuple[ast.FunctionDef, dict[int, Origin | None], int]:
    """The function of a generated text, the origin of the statement on each line, and the line where the reverse sweep begins."""
    text, origins = _generated[filename]
    with LOCK:
        function = next(node for node in reversed(ast.parse(text).body) if isinstance(node, ast.FunctionDef))
    lines = sorted(node.lineno for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function)
    split = next((j for j, line in enumerate(text.splitlines(), 1) if line.strip() == "# --- reverse sweep"), len(text))
    return function, dict(zip(lines, origins)) if len(lines) == len(origins) else {}, split


def compile_function(text: str, name: str, filename: str, module_globals: dict,
                     cells: dict[str, types.CellType], start: int = 0) -> types.FunctionType:
    """Compile the function `name` of a text, from a statement on; names in `cells` become its closure, the rest are globals."""
    with LOCK:
        module = ast.parse(text, filename)
    definition = next(n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == name)
    del definition.body[:start]
    return compile_tree(definition, filename, module_globals, cells)


def compile_tree(definition: ast.FunctionDef, filename: str, module_globals: dict,
                 cells: dict[str, types.CellType]) -> types.FunctionType:
    """Compile a function definition; names in `cells` become its closure, the rest are globals."""
    name = definition.name
    around = [ast.copy_location(ast.arg(arg=cell), definition) for cell in cells]
    factory = ast.FunctionDef(                                               # type: ignore[call-arg]
        name="factory", args=ast.arguments(posonlyargs=[], args=around, kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=[definition], decorator_list=[], returns=None, type_params=[])
    wrapper = ast.Module(body=[ast.copy_location(factory, definition)], type_ignores=[])
    with LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)                      # of a part that never runs: `None[0]`
        outer = next(c for c in compile(wrapper, filename, "exec").co_consts if isinstance(c, types.CodeType))
    code = next(c for c in outer.co_consts if isinstance(c, types.CodeType) and c.co_name == name)
    closure = tuple(cells[free] for free in code.co_freevars)
    module_globals = module_globals or {"__builtins__": builtins}           # what it calls may import
    return types.FunctionType(code, module_globals, name, None, closure)


def cells_of(function: Callable) -> dict[str, types.CellType]:
    """The closure cells of a function by name."""
    code = getattr(function, "__code__", None)
    return dict(zip(code.co_freevars, getattr(function, "__closure__", None) or ())) if code else {}


__all__ = ["LOCK", "BoundArguments", "Definition", "Parameter", "Signature", "cells_of", "compile_function", "definition_text",
           "excerpt", "expression_text", "lines_of", "locate", "parse", "parse_text", "passed_through", "place", "register",
           "rule_text", "set_origins", "shown", "signature", "standalone", "static_attribute", "to_text", "unwrap"]
