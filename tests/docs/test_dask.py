"""Dask: exported modules with Dask arrays, and more data than the memory of a cluster allows."""
import importlib.util
import itertools
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.export import ALIKE
from sourcegrad.primitives.core import RULES, ArraySpec, Sample
from tests.oracle.rules import draw, seeded

from .pages import DOCS

missing = [name for name in ("dask", "distributed") if importlib.util.find_spec(name) is None]
if missing and not os.environ.get("SOURCEGRAD_DOCS"):
    pytest.skip(f"needs {', '.join(missing)}: pip install 'sourcegrad[examples]'", allow_module_level=True)

import dask  # noqa: E402
import dask.array as da  # noqa: E402


def chunked(x, size):
    if isinstance(x, np.ndarray) and x.ndim:
        return da.from_array(x, chunks=size)
    return type(x)(chunked(item, size) for item in x) if type(x) in (list, tuple) else x


SAMPLED = [getattr(module, name) for module, names in ((np, ALIKE["numpy"]), (np.linalg, ALIKE["numpy.linalg"]))
           for name in sorted(names) if getattr(module, name) in RULES]


@pytest.mark.parametrize("function", SAMPLED, ids=lambda function: function.__name__)
def test_functions_that_are_alike_give_the_same_or_refuse(function):
    equal = 0
    for spec, size in itertools.product(RULES[function].samples, (2, -1)):
        if not isinstance(spec, Sample):
            spec = Sample(tuple(ArraySpec(domain, (3, 4)) for domain in spec), {})
        values = draw(spec.args, seeded(RULES[function], spec), "float64")
        wanted = function(*values, **spec.options)
        try:
            with warnings.catch_warnings(), dask.config.set(scheduler="synchronous"):
                warnings.simplefilter("ignore")         # what Dask does not know it gives to NumPy, and says so
                found = np.asarray(function(*(chunked(value, size) for value in values), **spec.options))
        except (NotImplementedError, TypeError, ValueError, IndexError):
            continue
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
        equal += 1
    assert equal


def regression(w, X, y):
    residual = np.tanh(X @ w) - y
    return np.mean(residual ** 2) + 0.1 * np.sum(w * w)


@pytest.mark.parametrize("inputs", ["w", ("w", "X")])
@pytest.mark.parametrize("chunks", [(100, 5), (30, 5), (30, 2)])
def test_a_module_with_dask_arrays(tmp_path, inputs, chunks):
    rng = np.random.default_rng(1)
    w, X, y = rng.normal(size=5), rng.normal(size=(100, 5)), rng.normal(size=100)
    gradient = sg.grad(regression, inputs)
    wanted = gradient(w, X, y)
    gradient.export(tmp_path / "made.py")
    space = {}
    exec((tmp_path / "made.py").read_text(), space)
    lazy = space["regression_grad"](w, da.from_array(X, chunks), da.from_array(y, chunks[0]))
    assert all(isinstance(part, da.Array) for part in (lazy if isinstance(lazy, tuple) else [lazy]))
    with dask.config.set(scheduler="synchronous"):
        found, = dask.compute(lazy)
    for a, b in zip(*((x if isinstance(x, tuple) else (x,)) for x in (found, wanted))):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-14)


def test_more_data_than_memory():
    """640 MB on two workers of 256 MB each, sums of gradients as of one machine."""
    done = subprocess.run([sys.executable, str(DOCS.parent / "examples" / "larger_than_memory.py")], capture_output=True, text=True,
                          timeout=500, env={**os.environ, "PYTHONPATH": str(DOCS.parent)})
    assert done.returncode == 0, done.stderr
    assert "data: 640 MB; memory: two workers of 256 MB" in done.stdout and done.stdout.count("equal, ") == 2
