"""object_types: kinds of attributes, operators and instances; what is not None where it is computed with."""
import numpy as np
import pytest

import sourcegrad as sg
from tests.passes.facts import prepared, spelled
from tests.programs import corpus_optional as programs

X = np.array([0.3, 0.7, 0.4, 1.1, 0.9])


class Model:
    unit = 2.0

    def __init__(self, w):
        self.w = w
        self.last = None

    @property
    def double(self):
        return 2.0 * self.w

    def __add__(self, other):
        return Model(self.w + other.w)


def built(x):
    model = Model(x)
    attribute = model.w
    constant = model.unit
    nothing = model.last
    double = model.double
    both = model + model
    reflected = getattr(model, "w")  # noqa: B009 (it is what is tested)
    has_it = hasattr(model, "w")
    cls = type(model) is Model
    return np.sum(attribute * double) * constant


def changed(x):
    model = Model(x)
    model.w = np.sum(x)
    model.last = 1.0
    scalar = model.w
    last = model.last
    return scalar * last


def in_a_loop(x):
    model = Model(x[0])
    total = 0.0
    for k in range(3):
        if model.last is not None:
            total = total + model.last
        model.last = x[k]
    return total


def kinds(function) -> dict[str, str]:
    facts = prepared(function, x=X).facts
    return {name: spelled(kind) for name, kind in facts.kinds.items()}


def test_what_objects_hold() -> None:
    found = kinds(built)
    assert found["model"] == "Model(last: None, w: float64[x.0])"
    assert found["attribute"] == found["double"] == found["reflected"] == "float64[x.0]"
    assert found["constant"] == "pyfloat" and found["nothing"] == "None" and found["has_it"] == found["cls"] == "True"
    assert found["both"] == "Model(last: None, w: float64[x.0])"


def test_what_is_stored_has_its_own_kind() -> None:
    found = kinds(changed)
    assert found["scalar"] == "float64" and found["last"] == "pyfloat"


def test_none_at_first() -> None:
    """The attribute is None or a number; where the test has told that it is not None, it is a number."""
    found = kinds(in_a_loop)
    assert found["model_last"] == "float64 or None" or found["total"] == "float64", found


# --- Attributes that are None first: the text shows that their kind is known where they are computed with.

UNKNOWN = ("operand_part", "ones_like_output", "places_of", "put_all", "take_all", "np.conj")


@pytest.mark.parametrize("function", [programs.controller, programs.controller_with_branches, programs.optimizer_in_the_function,
                                      programs.exponential_smoothing])
def test_what_is_computed_with_is_a_number(function) -> None:
    text = sg.source(function, None, at={"x": np.array([0.3, 0.7, 0.4, 1.1, 0.9])})
    assert not [name for name in UNKNOWN if name in text], text


def test_none_may_be_compared_and_passed_on() -> None:
    """Nothing there fails on None: the kind stays open, and both answers are right."""
    sg.check_grad(programs.reset_to_none, np.array([0.3, 0.7, 0.4, 1.1, 0.9]))
