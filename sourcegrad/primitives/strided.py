"""np.lib.stride_tricks.as_strided: an element of the array may be seen at many places, and sums what is said of it there."""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import Const, Kind
from sourcegrad.kinds.results import array_or_scalar, dims_of, leaf, lenient, shape_of
from sourcegrad.primitives.core import REAL, jvp, rule, sample
from sourcegrad.primitives.shapes import shaped_as
from sourcegrad.runtime import strided_sum, strided_take


@lenient
def strided_kind(x: Kind, shape: Kind | None = None, strides: Kind | None = None, subok: Kind | None = None,
                 writeable: Kind | None = None) -> Kind:
    model = leaf(x)
    return array_or_scalar(model.dtype, dims_of(model) if shape in (None, Const(None)) else shape_of(shape))


@rule(np.lib.stride_tricks.as_strided, result="view", read_only=True, order="other", kind=strided_kind, samples=[
    sample(REAL(2, 3)), sample(REAL(3, 3), (2, 2)), sample(REAL(4), (3,)), sample(REAL(3), (4,), (0,)),
    sample(REAL(3), shape=(2, 4), strides=(0, 0)), sample(REAL(3), (0, 2), (8, 8)), sample(REAL(1), (1, 1), (8, 8))])
def as_strided(ct, out, x, shape=None, strides=None, subok=False, writeable=True):
    """out[i, j, ...] is what lies i strides[0] + j strides[1] + ... bytes behind the first element of x"""
    return strided_sum(ct, x, shape, strides)


@jvp(np.lib.stride_tricks.as_strided)
def as_strided_tangent(dot, out, x, shape=None, strides=None, subok=False, writeable=True):
    """The tangent lies in memory in its own way: its elements are taken as those of x are"""
    return strided_take(dot, x, shape, strides)


@rule(strided_sum, tangent="linear", kind=shaped_as(1), samples=[
    sample(REAL(2, 2), np.zeros(3), (2, 2), (8, 8)), sample(REAL(2, 3), np.zeros((3, 3))[::2, ::-1])])
def strided_sum_rule(ct, out, y, x, shape=None, strides=None):
    """Linear: the adjoint takes what was summed"""
    return strided_take(ct, x, shape, strides)


@rule(strided_take, tangent="linear", kind=lambda values, x, shape=None, strides=None: strided_kind(values, shape), samples=[
    sample(REAL(3), np.zeros(3), (2, 2), (8, 8)), sample(REAL(2, 3), np.zeros((2, 3)))])
def strided_take_rule(ct, out, values, x, shape=None, strides=None):
    return strided_sum(ct, x, shape, strides)
