"""Ties, zeros, gaps and other points at which finite differences do not help."""
import numpy as np
import pytest

from sourcegrad.primitives import accumulations, reductions, statistics
from sourcegrad.runtime import route_to_extremum
from tests.oracle.rules import numeric_vjp, same

TIED = np.array([[2.0, 5.0, 5.0], [1.0, 0.0, 0.5]])


def test_ties_share():
    assert same(reductions.greatest(1.0, 5.0, TIED), [[0.0, 0.5, 0.5], [0.0, 0.0, 0.0]], 0, 0)
    assert same(reductions.greatest(np.array([1.0, 4.0]), TIED.max(1), TIED, axis=1),
                [[0.0, 0.5, 0.5], [4.0, 0.0, 0.0]], 0, 0)
    assert same(reductions.least(1.0, 3.0, np.full(4, 3.0)), np.full(4, 0.25), 0, 0)


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (0, 2), (1, 2), (0, 1, 2), None])
@pytest.mark.parametrize("keepdims", [False, True])
def test_ties_share_along_every_axis(axis, keepdims):
    a = np.random.default_rng(0).integers(0, 3, (3, 4, 5)).astype(float)
    out = np.max(a, axis=axis, keepdims=keepdims)
    ct = np.random.default_rng(1).normal(size=out.shape)
    is_top = a == np.max(a, axis=axis, keepdims=True)
    full = ct if axis is None or keepdims else np.expand_dims(ct, axis)
    assert same(reductions.greatest(ct, out, a, axis, keepdims), full * is_top / is_top.sum(axis=axis, keepdims=True),
                1e-12, 0)


def test_extrema_of_empty_batches():
    a = np.zeros((0, 3))
    assert reductions.greatest(np.zeros(0), a.max(axis=1), a, axis=1).shape == (0, 3)


def test_float32_stays():
    a = TIED.astype(np.float32)
    assert route_to_extremum(np.ones((2, 1), np.float32), a.max(1, keepdims=True), a).dtype == np.float32


def test_std_of_constants_has_gradient_zero():
    assert not np.any(reductions.std(1.0, np.float64(0.0), np.full(4, 2.0)))


def test_nan_reductions_skip_gaps():
    a = reductions.GAPPY
    present = ~np.isnan(a)
    assert same(reductions.nansum(2.0, None, a), 2.0 * present, 0, 0)
    assert same(reductions.nanmean(np.array([1.0, 2.0]), None, a, axis=1), np.array([[0.5], [1.0]]) * present, 0,
                0)
    assert same(reductions.greatest(1.0, np.nanmax(a), a), [[0, 0, 0], [0, 1, 0]], 0, 0)
    for rule in (reductions.nanvar, reductions.nanstd, accumulations.nanprod):
        function = getattr(np, rule.__name__)
        expected = numeric_vjp(lambda x: function(np.where(present, x, np.nan), axis=1), (np.nan_to_num(a),),
                               0,
                               np.array([1.0, 2.0]), 1e-6)
        assert same(rule(np.array([1.0, 2.0]), function(a, axis=1), a, axis=1), expected, 1e-6, 1e-6)


@pytest.mark.parametrize("prepend, append", [(None, 3.0), (2.0, 3.0), (2.0, None),
                                             (None, np.array([1.0, 2.0]))])
def test_diff_with_ends(prepend, append):
    a, ends = np.array([1.0, 4.0, 2.0]), {}
    if prepend is not None:
        ends["prepend"] = prepend
    if append is not None:
        ends["append"] = append
    out = np.diff(a, **ends)
    ct = np.arange(1.0, 1.0 + out.size)
    adjoints = statistics.diff(ct, out, a, **ends)
    assert same(adjoints[0], numeric_vjp(lambda x: np.diff(x, **ends), (a,), 0, ct, 1e-6), 1e-6, 1e-6)
    for position, name in ((3, "prepend"), (4, "append")):
        if name in ends:
            expected = numeric_vjp(lambda x: np.diff(a, **{**ends, name: x}), (ends[name],), 0, ct, 1e-6)
            assert same(adjoints[position], expected, 1e-6, 1e-6)


@pytest.mark.skipif(not hasattr(np, "trapezoid"), reason="NumPy 1 has no `correction`")
def test_correction_is_ddof():
    a = TIED
    assert same(reductions.var(1.0, None, a, correction=1), reductions.var(1.0, None, a, ddof=1), 0, 0)
