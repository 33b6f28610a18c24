"""Kinds of what methods of text, numbers, regular expressions and random generators give: no derivative flows through any of it.

A number that depends on the inputs may be told (printed, logged, written), but never be read again from what was told: `k.Told`
follows text through names, containers and objects. Files and streams hold it out of sight: a program that writes such numbers
to one reads none (`check_streams`).
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, source, tree as t
from sourcegrad.analysis.object_kinds import class_of
from sourcegrad.analysis.random_kinds import GENERATORS, draw_kind
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.resolve import MISSING, Function

TEXT = k.Obj(str)
LINES = k.Lst(TEXT)
METHODS: dict[str, k.Kind] = {
    **dict.fromkeys(("capitalize", "casefold", "center", "expandtabs", "format", "format_map", "join", "ljust", "lower", "lstrip",
                     "removeprefix", "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title", "translate",
                     "upper", "zfill"), TEXT),
    **dict.fromkeys(("split", "rsplit", "splitlines"), LINES),
    **dict.fromkeys(("partition", "rpartition"), k.Tup((TEXT, TEXT, TEXT))),
    **dict.fromkeys(("count", "find", "index", "rfind", "rindex"), k.INT),
    **dict.fromkeys(("endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower",
                     "isnumeric", "isprintable", "isspace", "istitle", "isupper", "startswith"), k.BOOL)}
MATCH = k.Obj(re.Match, optional=True)
FOUND: dict[Any, k.Kind] = {re.match: MATCH, re.search: MATCH, re.fullmatch: MATCH, re.sub: TEXT, re.compile: k.Obj(re.Pattern),
                            np.random.default_rng: k.Obj(np.random.Generator), np.random.RandomState: k.Obj(np.random.RandomState)}
OF_PATTERN: dict[str, k.Kind] = {"match": MATCH, "search": MATCH, "fullmatch": MATCH, "sub": TEXT}
OF_MATCH: dict[str, k.Kind] = {"group": k.DISCRETE, "groups": k.DISCRETE, "start": k.INT, "end": k.INT}
OF_NUMBERS: dict[str, k.Kind] = {**dict.fromkeys(("bit_length", "bit_count"), k.INT), "is_integer": k.BOOL, "hex": TEXT,
                                "as_integer_ratio": k.Tup((k.INT, k.INT))}


WRITES = {"dump", "put", "putenv", "save", "savetxt", "savez", "savez_compressed", "tofile", "write", "write_bytes", "write_text",
          "writelines", "writerow", "writerows"}
SHOWS = {"critical", "debug", "error", "exception", "info", "log", "print", "warn", "warning"}
READS = {"fromfile", "genfromtxt", "getbuffer", "getenv", "getvalue", "load", "loadtxt", "open", "read", "read_bytes", "read_text",
         "readinto", "readline", "readlines"}
CAPTURES = {"StreamHandler", "catch_warnings", "redirect_stderr", "redirect_stdout"}       # what is shown can be read then
STREAMS = {"builtins", "contextlib", "csv", "io", "json", "logging", "numpy", "os", "pathlib", "pickle", "posix", "tempfile",
           "warnings"}


def check_streams(known: Iterable[tuple[Any, Any]]) -> None:
    """Refuse a program that reads a file or stream, and writes numbers to one that depend on the inputs: units and their kinds."""
    found: dict[str, Any] = {}
    for unit, facts in known:
        for s in t.statements(unit.tree.body):
            for node in t.walk(getattr(s, "value", None) or getattr(s, "iter", None) or t.const(None)):
                for sort in _streaming(node, s, unit, facts.of):
                    found.setdefault(sort, source.locate(node, t.origin_of(s)))
    if "read" in found and ("write" in found or {"show", "capture"} <= found.keys()):
        raise UnsupportedError("something is read here, and numbers that depend on the inputs are written to a file or stream",
                               found["read"], "Keep the number itself; read files outside of the function.")
    if "ask" in found:
        raise UnsupportedError("print into an object of a class: Python calls its `write`", found["ask"],
                               "Call the method: log.write(str(x)).")


def _streaming(node: Any, s: Any, unit: Any, of: Callable[[Any], k.Kind | None]) -> list[str]:
    """What an expression in a statement does with streams: it may "write", "show", "read" or "capture" what is shown."""
    if isinstance(node, gast.Attribute) and node.attr in WRITES and unit.lookup(node) is MISSING and _hides(of(node.value)):
        return ["write"] if node is getattr(s, "value", None) else []                        # w = stream.write
    if not isinstance(node, gast.Call):
        return []
    function = unit.lookup(node.func)
    name = getattr(function, "__name__", None) or getattr(node.func, "attr", None) or getattr(node.func, "id", "")
    method = function is MISSING and isinstance(node.func, gast.Attribute)
    if isinstance(function, Function) or function is MISSING and not method or method and not _hides(of(node.func.value)):
        return []
    if function in (runtime.sequence, list, next, tuple):
        return ["read"] if node.args and of(node.args[0]) is k.ANY else []
    module = (getattr(function, "__module__", None) or "").lstrip("_").split(".")[0]
    if not method and (module not in STREAMS or isinstance(function, np.ufunc)):
        return []
    options = {kw.arg: kw.value for kw in node.keywords}
    values = (*node.args, *(value for key, value in options.items() if key != "file"))
    given = [of(a.value if isinstance(a, gast.Starred) else a) or k.ANY for a in values]
    tells = any(k.tells(kind) or not k.is_discrete(kind) for kind in given)
    if name == "open":
        mode = of(options.get("mode") or (node.args[1] if len(node.args) > 1 else t.const("r")))
        return ["read"] if not isinstance(mode, k.Const) or {"r", "+"} & set(str(mode.value)) else []
    if name == "print" and options.get("file") is not None:
        return ["ask"] if class_of(of(options["file"])) is not None else ["write"] if tells else []
    sorts = ["capture"] if name in CAPTURES else []
    sorts += ["read"] if name in READS or name == "catch_warnings" and options else []
    tells = tells and (name in WRITES | SHOWS or module == "io")
    return sorts + ["show" if name in SHOWS else "write"] if tells else sorts


def _hides(owner: k.Kind | None) -> bool:
    """Whether a value may hold text out of sight: nothing is known of it, or it is of a class of the library."""
    return owner is k.ANY or isinstance(owner, k.Obj) and owner.items is None and class_of(owner) is None


def told(kind: k.Kind) -> k.Kind:
    """The kind of a result where the text was made from numbers."""
    if isinstance(kind, k.Tup):
        return k.Tup(tuple(map(told, kind.items)))
    return k.Lst(told(k.Obj(str))) if kind == LINES else k.Told() if kind == TEXT else kind


def method_kind(node: Any, of: Callable[[Any], k.Kind | None]) -> k.Kind | None:
    """The kind of the result of a call of a method of text, patterns and random generators, and of a copy of a container;
    None where nothing is known."""
    owner, name = of(node.func.value) or k.ANY, node.func.attr
    if name == "copy" and isinstance(owner, (k.Lst, k.Dct, k.Map)):
        return owner
    if isinstance(owner, k.Obj) and owner.cls in GENERATORS and not any(isinstance(a, gast.Starred) for a in node.args):
        options = {str(kw.arg): of(kw.value) or k.ANY for kw in node.keywords}
        return draw_kind(name, tuple(of(a) or k.ANY for a in node.args), options)
    if isinstance(owner, k.Told) and name in ("encode", "decode"):
        return k.Told(bytes if name == "encode" else str)
    if k.is_text(owner) or owner is k.DISCRETE:
        given = [of(a) or k.ANY for a in (*node.args, *(kw.value for kw in node.keywords))]
        return told(METHODS[name]) if name in METHODS and k.tells(k.text_from(owner, *given)) else METHODS.get(name)
    if isinstance(owner, k.Num) and owner.is_scalar:
        return k.text_from(owner) if name == "hex" else OF_NUMBERS.get(name)
    if isinstance(owner, k.Obj) and owner.cls is re.Match:
        return OF_MATCH.get(name)
    if isinstance(owner, k.Obj) and owner.cls is re.Pattern:
        return OF_PATTERN.get(name)
    return None
