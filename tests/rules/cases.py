"""Programs made from the samples of the registry: functions that call the primitive, with source text of their own."""
from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sourcegrad.rules.core import ArraySpec, Rule, Sample
from sourcegrad.source import register
from sourcegrad.testing import contributions, draw, leaves, random_like, seeded

LITERALS = (int, float, complex, str, bool, type(None))
numbers = itertools.count(1)


@dataclass(frozen=True)
class Case:
    """A sample as a program: `call` returns what the primitive returns, `weigh` the weighted sum of its parts.

    Both take the arrays of the sample as x0, x1, ...; `inputs` names those to differentiate with respect to.
    """

    call: Any
    weigh: Any
    args: tuple
    inputs: tuple[str, ...]
    ct: Any
    text: str


@dataclass
class Arguments:
    """Sample arguments turned into text: arrays become parameters, what has no literal becomes a global."""

    names: list[str] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)

    def text(self, spec: Any) -> str:
        if isinstance(spec, ArraySpec):
            self.names.append(f"x{len(self.names)}")
            return self.names[-1]
        if type(spec) in (list, tuple) and any(isinstance(leaf, ArraySpec) for _, leaf in leaves(spec)):
            items = ", ".join(map(self.text, spec))
            return f"[{items}]" if type(spec) is list else f"({items},)"
        if isinstance(spec, LITERALS) and repr(spec) not in ("nan", "inf", "-inf"):
            return repr(spec)
        if type(spec) in (list, tuple) and all(type(item) in LITERALS for item in spec):
            return repr(spec)
        self.constants[f"constant_{len(self.constants)}"] = spec
        return f"constant_{len(self.constants) - 1}"


def case_of(rule: Rule, primitive: Any, spec: Sample, dtype: str = "float64") -> Case | None:
    """The program of a sample; None where it has nothing to differentiate."""
    rng = seeded(rule, spec)
    values = draw(spec.args, rng, dtype)
    out = primitive(*values, **spec.options)
    ct = random_like(out, rng)
    result = contributions(rule, ct, out, values, spec.options)
    arguments, parts, inputs = Arguments(), [], []
    for position, item in enumerate(spec.args):
        before = len(arguments.names)
        parts.append(arguments.text(item))
        if position < len(result) and result[position] is not None:
            inputs += arguments.names[before:]
    parts += [f"{name}={arguments.text(item)}" for name, item in spec.options.items()]
    if not inputs:
        return None
    args = tuple(value for (_, item), (_, value) in zip(leaves(spec.args), picked(spec.args, values))
                 if isinstance(item, ArraySpec))
    name = primitive_name(primitive)
    weights = {f"weight_{k}": value for k, (_, value) in enumerate(leaves(ct))}
    terms = [term(weight, value, path) for (weight, value), (path, _) in zip(weights.items(), leaves(out))]
    header = f"({', '.join(arguments.names)}):\n"
    call = f"{name}({', '.join(parts)})"
    text = (f"def call{header}    return {call}\n\n\n"
            f"def weigh{header}    out = {call}\n    return {' + '.join(terms)}\n")
    filename = f"<sample {next(numbers)} of {rule.name}>"
    module = {"np": np, name: primitive, "__name__": __name__, **arguments.constants, **weights}
    register(filename, text)
    exec(compile(text, filename, "exec"), module)           # register makes the text visible to inspect
    return Case(module["call"], module["weigh"], args, tuple(inputs), ct, text)


def picked(specs: Any, values: Any) -> list:
    """The values at the leaves of the sample arguments."""
    if type(specs) in (list, tuple):
        return [pair for spec, value in zip(specs, values) for pair in picked(spec, value)]
    return [((), values)]


def primitive_name(primitive: Any) -> str:
    name = getattr(primitive, "__name__", "")
    return name if name.isidentifier() and name not in ("call", "weigh", "np", "out") else "primitive"


def term(weight: str, value: Any, path: tuple) -> str:
    """The text of one part of the output, weighted and summed to a real number."""
    part = "out" + "".join(f"[{step}]" for step in path)
    if np.iscomplexobj(value):
        return f"np.sum(np.real(np.conj({weight}) * {part}))"
    return f"np.sum({weight} * {part})" if np.ndim(value) else f"{weight} * {part}"
