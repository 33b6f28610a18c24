"""Kinds of what methods of text and of regular expressions give: no derivative flows through any of it."""
from __future__ import annotations

import re
from typing import Any

from sourcegrad import kinds as k

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
FOUND: dict[Any, k.Kind] = {re.match: MATCH, re.search: MATCH, re.fullmatch: MATCH, re.sub: TEXT, re.compile: k.Obj(re.Pattern)}
OF_PATTERN: dict[str, k.Kind] = {"match": MATCH, "search": MATCH, "fullmatch": MATCH, "sub": TEXT}
OF_MATCH: dict[str, k.Kind] = {"group": k.DISCRETE, "groups": k.DISCRETE, "start": k.INT, "end": k.INT}


def method_kind(owner: k.Kind, name: str) -> k.Kind | None:
    """The kind of the result of a method; None where nothing is known."""
    if owner == TEXT or owner is k.DISCRETE or isinstance(owner, k.Const) and isinstance(owner.value, str):
        return METHODS.get(name)
    if isinstance(owner, k.Obj) and owner.cls is re.Match:
        return OF_MATCH.get(name)
    if isinstance(owner, k.Obj) and owner.cls is re.Pattern:
        return OF_PATTERN.get(name)
    return None
