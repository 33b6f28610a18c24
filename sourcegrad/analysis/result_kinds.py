"""Kinds of the results of primitives, by the kind functions of their rules."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from sourcegrad import kind_functions, kinds as k
from sourcegrad.analysis import layouts, reals
from sourcegrad.analysis.python_kinds import SPECIAL
from sourcegrad.kinds import Kind
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE


def result_kind(function: Any, parts: list[Kind], options: dict[str, Kind]) -> Kind:
    """Kind of the result, from the kinds of the arguments and options."""
    rule = RULES.get(function)
    kind = rule.kind if rule is not None else ZERO_DERIVATIVE.get(function)
    of_numbers = all(part.__class__ is k.Num or part.__class__ is k.Const for part in (*parts, *options.values()))
    find = _remembered if of_numbers else _found       # the other kinds may hold objects, which nobody shall keep alive
    return find(function, kind, rule is not None, tuple(parts), tuple(options.items()))


def _found(function: Any, kind: Callable | None, has_rule: bool, parts: tuple, options: tuple) -> Kind:
    named = dict(options)
    return layouts.result(function, parts, named, _by_rule(function, kind, has_rule, parts, named))


_remembered = functools.lru_cache(maxsize=4096)(_found)        # the same few are asked for by the ten thousand


def _by_rule(function: Any, kind: Callable | None, has_rule: bool, parts: tuple, options: dict[str, Any]) -> Kind:
    special = SPECIAL.get(function)
    if special is not None:
        found = special(*parts, **options)
        if found is not None:
            return found
    if kind is None:
        return reals.result(function, parts, options, k.NUMERIC) if has_rule and all(map(k.is_numeric, parts)) else k.ANY
    try:
        return reals.result(function, parts, options, kind(*parts, **options) or k.ANY)
    except (kind_functions.Unknown, TypeError, ValueError, AttributeError, IndexError):
        return k.ANY
