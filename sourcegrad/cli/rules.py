"""`sourcegrad rules`: the functions that have derivatives, and their rules."""
from __future__ import annotations

import argparse
import difflib
from collections import defaultdict
from typing import Any

import numpy as np

from sourcegrad.api import dynamic as _dynamic  # noqa: F401  (which registers what only calls show)
from sourcegrad.cli.targets import FAILED, GOOD, complain, show_text
from sourcegrad.ir import source
from sourcegrad.primitives.core import RULES, ZERO_DERIVATIVE, ArraySpec, Rule, Sample


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


def rule_of(function: Any) -> str | None:
    """The text of the rule that a function has, or None."""
    try:
        if function in RULES:
            return rule_text(RULES[function])
        return f"# {primitive_name(function)}: derivative zero\n" if function in ZERO_DERIVATIVE else None
    except TypeError:                           # it has no hash
        return None


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
