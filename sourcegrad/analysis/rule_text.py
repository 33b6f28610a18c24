"""The text of rules: parsed once, and which parameters it has contributions for."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import tree as t
from sourcegrad.frontend.resolve import Unit, describe, resolve
from sourcegrad.rules import core

_parsed: dict[Any, Unit] = {}


def parsed(rule: core.Rule) -> Unit:
    """The rule's own tree with its free names resolved."""
    if rule.function not in _parsed:
        _parsed[rule.function] = resolve(describe(rule.function))
    return _parsed[rule.function]


def differentiable(rule: core.Rule) -> set[str]:
    """Parameters for which the rule returns a contribution in some branch."""
    found: set[str] = set()
    for s in t.statements(parsed(rule).tree.body):
        if isinstance(s, gast.Return):
            parts = s.value.elts if isinstance(s.value, gast.Tuple) else [s.value]
            for name, part in zip(rule.parameters, parts):
                if not (isinstance(part, gast.Constant) and part.value is None):
                    found.add(name)
    return found
