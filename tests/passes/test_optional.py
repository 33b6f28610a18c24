"""Attributes that are None first: the text shows that their kind is known where they are computed with."""
import numpy as np
import pytest

import sourcegrad as sg
from tests.programs import corpus_optional as programs

UNKNOWN = ("operand_part", "ones_like_output", "places_of", "put_all", "take_all", "np.conj")


@pytest.mark.parametrize("function", [programs.controller, programs.controller_with_branches, programs.optimizer_in_the_function,
                                      programs.exponential_smoothing])
def test_what_is_computed_with_is_a_number(function) -> None:
    text = sg.source(function, None, at={"x": np.array([0.3, 0.7, 0.4, 1.1, 0.9])})
    assert not [name for name in UNKNOWN if name in text], text


def test_none_may_be_compared_and_passed_on() -> None:
    """Nothing there fails on None: the kind stays open, and both answers are right."""
    sg.check_grad(programs.reset_to_none, np.array([0.3, 0.7, 0.4, 1.1, 0.9]))
