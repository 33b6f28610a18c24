"""unmarked: calls that only tell the analyses something are not in the text that runs."""
import numpy as np

from sourcegrad.runtime import as_class
from tests.passes.becomes import Alone

CASES = Alone("unmarked")


class Dense:
    def __init__(self, w):
        self.w = w


@CASES.becomes("""
    dense = layer
    return dense.w * x
""", layer=Dense(2.0), x=3.0)
def the_class_of_an_object(layer, x):
    dense = as_class(layer, Dense)
    return as_class(dense, Dense).w * x


@CASES.stays(layer=Dense(2.0), x=3.0)
def what_a_program_calls_itself(layer, x):
    return np.sin(x) * isinstance(layer, Dense)


test_unmarked = CASES.check()
