"""Programs of the corpus with many tangents at once, and with index sets: beside one tangent after the other."""
from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.parts import mapped, parts
from sourcegrad.api.pushforward import Pattern, Pushforwards
from sourcegrad.errors import InternalError, SourcegradError, UnsupportedError
from sourcegrad.runtime.index_sets import IndexSets, flat_sets
from sourcegrad.runtime.tangents import direction, stacked_directions
from tests.oracle import leaves, random_like, vector
from tests.programs.checks import agree, is_single, seeded
from tests.programs.corpus import BY_NAME
from tests.programs.program import Program
from tests.programs.test_forward_programs import as_floats

COUNT = 3


def inputs_of(program: Program) -> tuple[Any, dict[int, Any]]:
    args = program.fresh()
    return args, {position: as_floats(args[position]) for position in program.positions}


def singles(program: Program) -> tuple[list, list]:
    """The values and tangents of several directions, one after the other, and the directions."""
    made, rng = sg.pushforward(program.function, program.inputs), seeded(program.name)
    args, inputs = inputs_of(program)
    names = dict(zip(program.positions, made._tangents.values()))
    dots = [{names[j]: random_like(x, rng) for j, x in inputs.items()} for _ in range(COUNT)]
    return [made(*program.fresh(), **copy.deepcopy(program.options), **copy.deepcopy(one)) for one in dots], dots


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BY_NAME)
def test_many_at_once(name: str) -> None:
    program = BY_NAME[name]
    try:
        found, dots = singles(program)
    except SourcegradError:
        return                                               # see `test_forward_programs`
    together = {dot: stacked_directions([one[dot] for one in dots]) for dot in dots[0]}
    try:
        made = Pushforwards(program.function, program.inputs)
        value, tangents = made(*program.fresh(), **copy.deepcopy(program.options), **together)
    except UnsupportedError:                                 # they go one by one
        return
    tolerance = 1e-4 if is_single(program) else 1e-10
    for j, (expected, tangent) in enumerate(found):
        one = direction(tangents, j)
        assert [np.shape(x) for x in leaves(one)] == [np.shape(x) for x in leaves(tangent)]
        agree(vector(one), vector(tangent), tolerance, f"direction {j}")
        agree(vector(value), vector(expected), tolerance, "the value")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BY_NAME)
def test_nothing_is_missing_in_the_pattern(name: str) -> None:
    """What a tangent moves depends on what moves; where sets are not known, the program is refused."""
    program = BY_NAME[name]
    made, traced = sg.pushforward(program.function, program.inputs), Pattern(program.function, program.inputs)
    args, inputs = inputs_of(program)
    units: dict[str, Any] = {}
    first = 0
    for (j, x), dot in zip(inputs.items(), made._tangents.values()):
        places = {}
        for path, part in parts(x):
            places[path], first = IndexSets.unit(np.shape(part), first), first + int(np.size(part))
        units[dot] = mapped(lambda path, part, places=places: places[path], x)
    try:
        _, sets = traced(*program.fresh(), **copy.deepcopy(program.options), **units)
    except SourcegradError as error:
        if isinstance(error, InternalError):
            raise
        return
    rows = [set(row) for item in flat_sets(sets) for row in np.split(item.columns, item.starts[1:-1])[:len(item.starts) - 1]]
    for j in range(min(first, 6)):
        step, dots = j * max(first // 6, 1), {}
        position = 0
        for x, dot in zip(inputs.values(), made._tangents.values()):
            moved = {}
            for path, part in parts(x):
                unit = np.zeros(np.size(part))
                if position <= step < position + unit.size:
                    unit[step - position] = 1.0
                moved[path], position = unit.reshape(np.shape(part)), position + unit.size
            dots[dot] = mapped(lambda path, part, moved=moved: moved[path] if isinstance(part, np.ndarray) else moved[path][()], x,
                               others=True)
        _, tangent = made(*program.fresh(), **copy.deepcopy(program.options), **dots)
        moves = np.concatenate([np.ravel(x) for _, x in parts(tangent, kinds="fciu")] or [np.zeros(0)])
        assert len(moves) == len(rows)
        missing = [i for i, (moved, row) in enumerate(zip(moves, rows)) if moved != 0 and step not in row]
        assert not missing, f"{missing} depend on {step}"
