"""Every rule x primitive x sample with many tangents at once: beside one tangent after the other."""
import numpy as np
import pytest

from sourcegrad.ad.leading_axis import HANDLERS, Alone
from sourcegrad.api.pushforward import Pushforwards
from sourcegrad.errors import UnsupportedError
from sourcegrad.primitives.contractions import THIRD
from sourcegrad.primitives.core import RULES
from sourcegrad.runtime.tangents import direction, stacked_directions
from tests.oracle.rules import leaves, random_like
from tests.primitives.cases import case_of
from tests.primitives.test_registry import BY_RULE, report, samples_of
from tests.primitives.test_tangents import pushforward_of

pytestmark = pytest.mark.filterwarnings("ignore")
COUNT = 3
REFUSED: list = []


@BY_RULE
def test_batched(name):
    def check(rule, primitive, spec):
        case = case_of(rule, primitive, spec)
        if case is None:
            return
        rng = np.random.default_rng(5)
        single = [{f"{n}_dot": random_like(case.args[int(n[1:])], rng) for n in case.inputs} for _ in range(COUNT)]
        together = {dot: stacked_directions([one[dot] for one in single]) for dot in single[0]}
        try:
            value, tangents = Pushforwards(case.call, case.inputs)(*case.args, **together)
        except Alone:
            REFUSED.append((name, spec))
            return
        except UnsupportedError as error:
            assert THIRD in error.message
            return
        for j, one in enumerate(single):
            expected_value, expected = pushforward_of(case)(*case.args, **one)
            for (_, x), (_, y) in zip(leaves(direction(tangents, j)), leaves(expected), strict=True):
                assert np.shape(x) == np.shape(y), f"direction {j}: {x} is not {y}"
                loose = 1e-5 if np.asarray(y).dtype in (np.float32, np.complex64) else 1e-10
                assert np.allclose(x, y, loose, loose, equal_nan=True), f"direction {j}: {x} is not {y}"
            for (_, x), (_, y) in zip(leaves(value), leaves(expected_value), strict=True):
                assert np.array_equal(x, y, equal_nan=np.asarray(y).dtype.kind in "fc"), f"{x} is not {y}"

    report(check, samples_of(name))


def test_what_is_written_with_a_leading_axis_has_a_rule() -> None:
    from sourcegrad.runtime import own
    assert all(function in RULES for function in HANDLERS if function is not own)
