"""Every program of the corpus in forward mode: right, against central differences, or refused with its place."""
from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from tests.oracle import from_vector, leaves, random_like, vector
from tests.programs.checks import agree, is_single, seeded
from tests.programs.corpus import BY_NAME
from tests.programs.program import Program

REFUSED = {"shallow_and_deep_copies", "list_and_array"}     # arrays and objects that reverse mode tells apart by their identity


def as_floats(x: Any) -> Any:
    """Inputs as they are differentiated: whole numbers count as floats."""
    if type(x) in (list, tuple):
        return type(x)(map(as_floats, x))
    return float(x) if type(x) is int else x


def value_and_tangent(program: Program) -> tuple[Any, Any, np.ndarray]:
    """What forward mode gives, and the difference along the same tangents."""
    made = sg.pushforward(program.function, program.inputs)
    rng = seeded(program.name)
    args = program.fresh()
    inputs = {position: as_floats(args[position]) for position in program.positions}
    dots = {position: random_like(x, rng) for position, x in inputs.items()}
    names = dict(zip(program.positions, made._tangents.values()))
    value, tangent = made(*args, **copy.deepcopy(program.options), **{names[j]: copy.deepcopy(dot) for j, dot in dots.items()})
    step = max(1e-3 if is_single(program) else 1e-6, program.step / 10)

    def at(factor: float) -> np.ndarray:
        moved = list(program.fresh())
        for position, x in inputs.items():
            moved[position] = from_vector(x, vector(x) + factor * step * vector(dots[position]))
        return vector(program.run(*moved))

    return value, tangent, (at(1.0) - at(-1.0)) / (2.0 * step)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BY_NAME)
def test_tangent(name: str) -> None:
    program = BY_NAME[name]
    try:
        value, tangent, expected = value_and_tangent(program)
    except SourcegradError as error:
        if isinstance(error, InternalError) or error.origin is None or not (program.may_refuse or name in REFUSED):
            raise
        return
    assert name not in REFUSED, "no longer refused: take it out of the list"
    result = program.run(*program.fresh())
    assert [np.shape(leaf) for leaf in leaves(value)] == [np.shape(leaf) for leaf in leaves(result)]
    assert [np.shape(leaf) for leaf in leaves(tangent)] == [np.shape(leaf) for leaf in leaves(result)]
    agree(vector(value), vector(result), 1e-5 if is_single(program) else 1e-12, "the value")
    agree(vector(tangent), expected, 2e-2 if is_single(program) else 1e-5, "the tangent")
