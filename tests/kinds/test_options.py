"""Rules know every option of their functions: right, or refused; never wrong, never an error that the function does not raise.

Every run tries other calls of the grid (`option_grid.py`); SOURCEGRAD_GRID=all tries all of them at all ranks.
"""

from __future__ import annotations

import collections
import os
import random
import time
import zlib

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.kinds.option_grid import GRID
from tests.kinds.option_values import SHAPES, values
from tests.kinds.programs import attempt, finite, floating, judged, written
from tests.oracle.rules import numeric_vjp, random_like, same

ALL = os.environ.get("SOURCEGRAD_GRID") == "all"
SEED = int(os.environ.get("SOURCEGRAD_GRID_SEED", time.time_ns() // 10**9))
CALLS = 4  # of each function, in one run
NAMES = [name for name, texts in GRID.items() if texts]
pytestmark = pytest.mark.filterwarnings("ignore")


def tried(name: str) -> list[tuple[str, str]]:
    """(call, shape): all, or some that change from run to run."""
    whole = [(text, shape) for text in GRID[name] for shape in SHAPES]
    return whole if ALL else random.Random(SEED ^ zlib.crc32(name.encode())).sample(whole, min(CALLS, len(whole)))


@pytest.mark.parametrize("name", NAMES)
def test_order_1(name):
    counts = collections.Counter()
    wrong = []
    for text, shape in tried(name):
        with np.errstate(all="ignore"):
            verdict, told = judged(written(text, {}), values(shape))
        counts[verdict] += 1
        if verdict in ("wrong", "raw"):
            wrong.append(f"{text} at {shape}: {told}".replace("\n", " "))
    print(name, dict(counts))
    if wrong:
        pytest.fail(f"SOURCEGRAD_GRID_SEED={SEED}: {len(wrong)} of {sum(counts.values())}\n" + "\n".join(wrong), pytrace=False)


@pytest.mark.parametrize("name", random.Random(zlib.crc32(b"order 2")).sample(NAMES, 40) if not ALL else NAMES)
def test_order_2(name):
    """The gradient of the weighted gradient, by differences of the gradient."""
    tested, rng = 0, random.Random(SEED)
    for text, shape in rng.sample(tried(name), 2):
        program, x = written(text, {}), values(shape)
        expected, problem = attempt(program, x)
        if problem is not None or not floating(expected) or not finite(expected) or not isinstance(expected, np.ndarray):
            continue
        weights = random_like(expected, np.random.default_rng(1))
        gradient = sg.grad(program, grad_outputs=weights)
        first, error = attempt(gradient, x)
        if error is not None or not finite(first):
            continue
        more = random_like(np.asarray(first), np.random.default_rng(2))
        second, error = attempt(sg.grad(gradient, grad_outputs=more), x)
        if isinstance(error, SourcegradError):
            continue
        assert error is None, f"SOURCEGRAD_GRID_SEED={SEED}: {text} at {shape}: {type(error).__name__}: {error}"
        numeric = numeric_vjp(gradient, (x,), 0, more, 1e-5)
        if finite(second) and finite(numeric):
            assert same(second, numeric, 1e-3, 1e-3), f"SOURCEGRAD_GRID_SEED={SEED}: {text} at {shape}: {second} is not {numeric}"
        tested += 1
    print(name, tested)


# --- the cases that were reported ------------------------------------------------------------------------

W = np.random.default_rng(0).standard_normal((4, 8))


@pytest.mark.parametrize(
    "text",
    [
        "np.sum(np.fft.fftn(x, (8,)).real * W)",
        "np.sum(np.fft.ifftn(x, (8,)).real * W)",
        "x.item((0, 1)) ** 2",
        "np.sum(np.fft.fftn(x, s=(3, 8)).real * W[:3])",
        "np.sum(np.fft.fft2(x, (8,), axes=None).imag * W)",
        "np.sum(np.fft.rfftn(x, (14,)).real * W)",
        "np.sum(np.fft.irfftn(x + 0j, (8,)) * W)",
        "x.item(-1, -2) * x.item(3)",
        "np.sum(np.cov(x[:1]))",
        "np.sum(np.corrcoef(x[:1])) + x[0, 0]",
        "np.sum(np.cov(x[:, :1], rowvar=False))",
        "np.sum(np.apply_along_axis(np.sum, -1, x[:, :0])) + np.sum(x)",
        "np.sum(np.polyadd(x[0], 1.0))",
        "np.polymul(x[0] * 0.0 + x[1], [2.0, 1.0])[0]",
        "np.sum(np.take(x, [], axis=0)) + x[0, 0]",
        "np.sum(np.diff(x, n=9)) + x[0, 0]",
        *(["np.sum(np.cross(x[:2, :2], x[2:, :2]))"] if np.lib.NumpyVersion(np.__version__) < "2.5.0" else []),    # in a plane
    ],
)
def test_reported(text):
    x = np.random.default_rng(1).standard_normal((4, 5))
    verdict, told = judged(written(text, {"W": W}), x)
    assert verdict == "right", told


def test_one_element_has_no_gradient():
    with pytest.raises(ValueError, match="too small"):
        sg.value_and_grad(lambda x: np.sum(np.gradient(x * x)))(np.array([3.0]))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (0, 1)])
def test_along_an_axis_without_elements(shape):
    x = np.zeros(shape)

    def total(x):
        return np.sum(np.apply_along_axis(np.sum, 0, x))

    assert sg.grad(total)(x).shape == shape
