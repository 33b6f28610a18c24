"""Programs give equal gradients without the simplifier, and when everything is saved."""
from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from tests.oracle import vector
from tests.programs.checks import agree, draw_weights, gradient_function, is_single
from tests.programs.corpus import BY_NAME

BY_IDENTITY = {                     # programs that are refused where objects are values
    "hands_out_one_of_two", "hands_out_in_a_list", "function_hands_out_what_it_appends_twice", "last_item_replaced_after_a_change",
    "row_put_in_its_own_place", "shallow_and_deep_copies", "keepers_in_a_list", "keeper_chosen_by_value", "keeper_by_index",
    "keepers_by_index_of_their_own", "keepers_made_in_a_loop", "keepers_by_key", "part_put_in_its_own_place_on_one_path",
    "row_of_what_was_replaced", "row_that_changes_twice", "row_of_what_a_method_turns", "product_of_new_arrays"}
NAMES = [name for name, program in BY_NAME.items() if not program.may_refuse and name not in BY_IDENTITY][::7]
SWITCHED = [{"simplify": False}, {"save_everything": True}, {"simplify": False, "save_everything": True}]


def gradient(name: str, order: int):
    program = BY_NAME[name]
    function = gradient_function(program, draw_weights(program, order))
    return vector(function(*program.fresh(), **program.options))


@contextlib.contextmanager
def switched(options: dict) -> Iterator[None]:
    """The pipeline with other options than usual."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linking, "OPTIONS", dataclasses.replace(linking.OPTIONS, **options))
        yield


# An attribute is real where it is stored and complex in another object of its class: what its adjoint gives back is made real by
# the simplifying passes only.
KNOWN = {"put_by_a_holder": pytest.mark.xfail(raises=np.exceptions.ComplexWarning, strict=True, reason="to be mended")}


@pytest.mark.parametrize("name", [pytest.param(name, marks=KNOWN.get(name, ())) for name in NAMES])
def test_same_gradient(name: str) -> None:
    expected = gradient(name, 1)
    for options in SWITCHED:
        with switched(options):
            agree(gradient(name, 1), expected, 1e-5 if is_single(BY_NAME[name]) else 1e-12, f"{name} with {options}")


@pytest.mark.parametrize("name", [name for name in NAMES if BY_NAME[name].order >= 2][::6])
def test_same_second_derivative(name: str) -> None:
    expected = gradient(name, 2)
    for options in SWITCHED:
        with switched(options):
            agree(gradient(name, 2), expected, 1e-4 if is_single(BY_NAME[name]) else 1e-11, f"{name} with {options}")


def powers(x, n):
    for k in range(n):
        exponent = k + 1
        x = x * np.sin(x) ** exponent
    return x


def test_switches_matter() -> None:
    assert 50 <= len(NAMES)
    texts = []
    for options in ({}, *SWITCHED):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(linking, "OPTIONS", dataclasses.replace(linking.OPTIONS, **options))
            texts.append(sg.source(powers, at={"x": 0.5, "n": 3}))
    usual, unsimplified, saved, both = texts
    assert "exponent, " not in usual and "exponent_tape" not in usual and "x_start = x" not in usual
    assert "exponent_tape" not in unsimplified and "x_start = x" in unsimplified
    assert "exponent" in saved.split("tape.append((")[1].split("))")[0] and "x_start = x" not in saved
    assert "exponent_tape" in both and "x_start = x" in both
