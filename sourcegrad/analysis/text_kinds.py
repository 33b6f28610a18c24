"""Kinds of what methods of text, numbers, regular expressions and random generators give: no derivative flows through any of it."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k
from sourcegrad.analysis.random_kinds import GENERATORS, draw_kind

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
