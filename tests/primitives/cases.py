"""Programs made from the samples of the registry: functions that call the primitive, with source text of their own."""
from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import sourcegrad as sg
from sourcegrad.ir.source import register
from sourcegrad.primitives.core import ArraySpec, Rule, Sample
from tests.oracle.rules import contributions, draw, leaves, random_like, seeded
from tests.shared import shared

LITERALS = (int, float, complex, str, bool, type(None))
numbers = itertools.count(1)


@dataclass(frozen=True)
class Case:
    """A sample as a program: `call` returns what the primitive returns, `weigh` the weighted sum of its parts.

    Both take the arrays of the sample as x0, x1, ...; `inputs` names those to differentiate with respect to.
    `smooth` is false where a sample has ties or numbers of its own: it then stands for a singular point.
    """

    call: Any
    weigh: Any
    args: tuple
    inputs: tuple[str, ...]
    ct: Any
    smooth: bool


@dataclass
class Arguments:
    """Sample arguments turned into text: arrays become parameters, what has no literal becomes a global."""

    values: list = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    smooth: bool = True

    @property
    def names(self) -> list[str]:
        return [f"x{k}" for k in range(len(self.values))]

    def text(self, spec: Any, value: Any, differentiated: bool) -> str:
        if isinstance(spec, ArraySpec) or differentiated and is_float(spec):
            self.smooth &= isinstance(spec, ArraySpec) and spec.domain.name != "TIES"
            self.values.append(value)
            return self.names[-1]
        if type(spec) in (list, tuple) and (differentiated or any(isinstance(x, ArraySpec) for _, x in leaves(spec))):
            items = ", ".join(self.text(s, v, differentiated) for s, v in zip(spec, value))
            return f"[{items}]" if type(spec) is list else f"({items},)"
        if all(type(leaf) in LITERALS and repr(leaf) not in ("nan", "inf", "-inf") for _, leaf in leaves(spec)):
            return repr(spec)
        self.constants[f"constant_{len(self.constants)}"] = spec
        return f"constant_{len(self.constants) - 1}"


def is_float(value: Any) -> bool:
    return isinstance(value, (float, complex, np.ndarray, np.generic)) and np.asarray(value).dtype.kind in "fc"


def case_of(rule: Rule, primitive: Any, spec: Sample, dtype: str = "float64") -> Case | None:
    """The program of a sample; None where it has nothing to differentiate."""
    return shared(lambda: _case_of(rule, primitive, spec, dtype), rule, primitive, values=("case", repr(spec), dtype))


def gradient_of(case: Case) -> Any:
    """The gradient of what the primitive returns, generated once for the tests of a rule."""
    return shared(lambda: sg.grad(case.call, case.inputs), case.call, values="gradient")


def _case_of(rule: Rule, primitive: Any, spec: Sample, dtype: str) -> Case | None:
    rng = seeded(rule, spec)
    values = draw(spec.args, rng, dtype)
    out = primitive(*values, **spec.options)
    ct = random_like(out, rng)
    result = contributions(rule, ct, out, values, spec.options)
    arguments, parts, inputs = Arguments(), [], []
    for position, (item, value) in enumerate(zip(spec.args, values)):
        before = len(arguments.values)
        differentiated = position < len(result) and result[position] is not None
        parts.append(arguments.text(item, value, differentiated))
        inputs += arguments.names[before:] if differentiated else []
    parts += [f"{name}={arguments.text(item, item, False)}" for name, item in spec.options.items()]
    if not inputs:
        return None
    name = primitive_name(primitive)
    weights = {f"weight_{k}": value for k, (_, value) in enumerate(leaves(ct))}
    terms = [term(weight, value, path) for (weight, value), (path, _) in zip(weights.items(), leaves(out))]
    header = f"({', '.join(arguments.names)}):\n"
    call = f"{name}({', '.join(parts)})"
    text = (f"def call{header}    return {call}\n\n\n"
            f"def weigh{header}    out = {call}\n    return {' + '.join(terms) or '0.0'}\n")
    filename = f"<sample {next(numbers)} of {rule.name}>"
    module = {"np": np, name: primitive, "__name__": __name__, **arguments.constants, **weights}
    register(filename, text)                                # the text becomes visible to inspect
    exec(compile(text, filename, "exec"), module)
    return Case(module["call"], module["weigh"], tuple(arguments.values), tuple(inputs), ct, arguments.smooth)


def primitive_name(primitive: Any) -> str:
    name = getattr(primitive, "__name__", "")
    return name if name.isidentifier() and name not in ("call", "weigh", "np", "out") else "primitive"


def term(weight: str, value: Any, path: tuple) -> str:
    """The text of one part of the output, weighted and summed to a real number."""
    part = "out" + "".join(f"[{step}]" for step in path)
    if np.iscomplexobj(value):
        return f"np.sum(np.real(np.conj({weight}) * {part}))"
    return f"np.sum({weight} * {part})" if np.ndim(value) else f"{weight} * {part}"
