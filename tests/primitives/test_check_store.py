"""A store that is tried first raises what Python raises, and stores nothing."""
import copy
import itertools
import warnings

import numpy as np
import pytest

from sourcegrad.runtime import check_store

BASES = [np.zeros(3), np.zeros((2, 3)), np.zeros(3, int), np.zeros(()), np.zeros(3, "float32"), [1.0, 2.0], [np.zeros(2)],
         {"a": 1.0}, 1.5, np.float64(2.0), (1.0, 2.0), "text"]
INDICES = [0, 5, -1, slice(0, 2), (0, 1), np.array([True, False, True]), [0, 0], [9], "a", "z", Ellipsis, None, (),
           np.array([0, 1]), 1.5, True, (slice(None), 0)]
VALUES = [1.0, 2, np.ones(2), np.ones(3), np.ones((1, 3)), [1.0, 2.0], 1j, "x", np.ones(1), None]


def raised(function, *args):
    try:
        function(*args)
    except Exception as error:
        return type(error)
    return None


@pytest.mark.parametrize("base", BASES, ids=repr)
def test_as_python(base):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for index, value in itertools.product(INDICES, VALUES):
            tried = copy.deepcopy(base)
            expected = raised(lambda index=index, value=value: copy.deepcopy(base).__setitem__(index, value)
                              if hasattr(base, "__setitem__") else exec("base[0] = 1", {"base": base}))
            assert raised(check_store, tried, index, value) is expected, (index, value)
            assert repr(tried) == repr(base)
