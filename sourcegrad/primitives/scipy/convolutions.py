"""Rules of scipy.signal: convolutions, correlations and recursive filters.

All are sums of shifted products, so each adjoint is another of them: the convolution with the one factor is the adjoint of the
correlation with it (A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal Processing, 2010, section 2.3).
"""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from sourcegrad.kinds import ANY, DISCRETE, Kind, Num, as_num
from sourcegrad.kinds.results import Unknown, leaf, together
from sourcegrad.primitives.core import COMPLEX, REAL, conj, jvp, nondifferentiable, rule, sample
from sourcegrad.runtime import unbroadcast


def inexact(*kinds: Num) -> str | None:
    """The dtype of numbers in double precision (what others become depends on the way of computing)."""
    found = together(*kinds)
    return found if found in ("float64", "complex128") else None


def product_kind(in1: Kind, in2: Kind, *_: Kind, **__: Kind) -> Kind:
    """An array of the rank of both."""
    a, b = leaf(in1), leaf(in2)
    if a.dims is None or b.dims is None:
        raise Unknown
    return Num(inexact(a, b), (None,) * len(a.dims), True)


def fft_kind(in1: Kind, in2: Kind, *_: Kind, **__: Kind) -> Kind:
    """An array of the rank of both (real, and of rank 1, where it is empty)."""
    found: Any = product_kind(in1, in2)
    return Num("float64" if found.dtype == "float64" else None, found.dims if len(found.dims) == 1 else None, True)


def filtered_kind(b: Kind, a: Kind, x: Kind, *_: Kind, **__: Kind) -> Kind:
    """An array of the shape of the signal."""
    model = leaf(x)
    return Num(inexact(leaf(b), leaf(a), model), model.dims, True)


def lags_kind(v: Kind, x: Kind, like: Kind, axis: Kind) -> Kind:
    """An array of the shape of the coefficients."""
    model = as_num(like)
    return Num(inexact(leaf(v), leaf(x)), model.dims, model.boxed) if isinstance(model, Num) else ANY


def part_kind(x: Kind, *_: Kind) -> Kind:
    model = leaf(x)
    return Num(model.dtype, model.dims and (None,) * len(model.dims), True)


# --- convolution ----------------------------------------------------------------------------------------

def place_in_full(shape1: Any, shape2: Any, mode: str, axes: Any = None) -> tuple:
    """The shape of a full convolution, and where what `mode` gives of it begins."""
    chosen = {axis % len(shape1) for axis in ([axes] if isinstance(axes, int) else range(len(shape1)) if axes is None else axes)}
    whole, start = [], []
    for axis, (n, m) in enumerate(zip(shape1, shape2)):
        whole.append(n + m - 1 if axis in chosen else max(n, m))
        kept = 0 if mode == "full" or axis not in chosen else (m - 1) // 2 if mode == "same" else min(n, m) - 1
        start.append(kept)
    return tuple(whole), tuple(start)


def placed(x: Any, place: Any) -> Any:
    """Zeros of a shape with x where it begins."""
    shape, start = place
    if shape == x.shape:
        return x
    whole = np.zeros(shape, x.dtype)
    whole[tuple(slice(at, at + size) for at, size in zip(start, x.shape))] = x
    return whole


def taken(x: Any, place: Any, shape: Any) -> Any:
    """The part of x, of a shape, that begins at a place."""
    return x[tuple(slice(at, at + size) for at, size in zip(place[1], shape))]


nondifferentiable(place_in_full, kind=lambda *args: DISCRETE)


@rule(placed, tangent="linear", result="may view", kind=part_kind, samples=[
    sample(REAL(3), ((5,), (1,))), sample(COMPLEX(2, 2), ((3, 2), (1, 0)))])
def placed_rule(ct, out, x, place):
    """out = x, and zeros around it"""
    return taken(ct, place, np.shape(x))


@rule(taken, tangent="linear", result="view", kind=part_kind, samples=[sample(REAL(5), ((5,), (1,)), (3,))])
def taken_rule(ct, out, x, place, shape):
    """out = a part of x"""
    return placed(ct, (np.shape(x), place[1]))


PAIRS = [sample(REAL(5), REAL(3)), sample(REAL(3), REAL(4), "same"), sample(REAL(6), REAL(3), "valid"),
         sample(REAL(4), REAL(4), "same"), sample(REAL(3), REAL(5), "valid"), sample(COMPLEX(4), COMPLEX(3)), sample(REAL(1),
             REAL(3)),
         sample(REAL(3, 4), REAL(2, 3), "same"), sample(REAL(3, 4), REAL(2, 2), mode="valid")]
WAYS = [sample(REAL(5), REAL(3), "full", "fft"), sample(REAL(5), REAL(2), "same", "direct")]
ALONG = [sample(REAL(2, 5), REAL(2, 3), axes=1), sample(REAL(2, 5), REAL(1, 3), "same", axes=-1),
         sample(REAL(5, 2), REAL(3, 2), "valid", axes=(0,)), sample(REAL(1, 4), REAL(3, 2), "full", 1)]


@rule(signal.convolve, order="other", tangent="multilinear", kind=product_kind, samples=[*PAIRS, *WAYS])
def convolve(ct, out, in1, in2, mode="full", method="auto"):
    """out_k = sum of in1_j in2_(k - j)"""
    if mode == "full":
        return signal.correlate(ct, in2, "valid", method), signal.correlate(ct, in1, "valid", method)
    whole = placed(ct, place_in_full(np.shape(in1), np.shape(in2), mode))
    return signal.correlate(whole, in2, "valid", method), signal.correlate(whole, in1, "valid", method)


@rule(signal.correlate, order="other", kind=product_kind, samples=[*PAIRS, *WAYS])
def correlate(ct, out, in1, in2, mode="full", method="auto"):
    """out_k = sum of in1_(j + k) conj(in2_j)"""
    if mode == "full":
        return signal.convolve(ct, in2, "valid", method), conj(np.flip(signal.correlate(ct, in1, "valid", method)))
    whole = placed(ct, place_in_full(np.shape(in1), np.shape(in2), mode))
    return signal.convolve(whole, in2, "valid", method), conj(np.flip(signal.correlate(whole, in1, "valid", method)))


@jvp(signal.correlate)
def correlate_tangent(dot, out, in1, in2, mode="full", method="auto"):
    return signal.correlate(dot, in2, mode, method), signal.correlate(in1, dot, mode, method)


@rule(signal.fftconvolve, order="other", tangent="multilinear", kind=fft_kind, samples=[*PAIRS, *ALONG])
def fftconvolve(ct, out, in1, in2, mode="full", axes=None):
    """out_k = sum of in1_j in2_(k - j), along the axes"""
    if axes is None:
        whole = placed(ct, place_in_full(np.shape(in1), np.shape(in2), mode))
        return signal.correlate(whole, in2, "valid", "fft"), signal.correlate(whole, in1, "valid", "fft")
    along = placed(ct, place_in_full(np.shape(in1), np.shape(in2), mode, axes))
    return (unbroadcast(signal.fftconvolve(along, conj(np.flip(in2, axes)), "valid", axes), in1),
            unbroadcast(signal.fftconvolve(along, conj(np.flip(in1, axes)), "valid", axes), in2))


@rule(signal.oaconvolve, order="other", tangent="multilinear", kind=fft_kind, samples=[*PAIRS, *ALONG])
def oaconvolve(ct, out, in1, in2, mode="full", axes=None):
    """out_k = sum of in1_j in2_(k - j), along the axes"""
    if axes is None:
        whole = placed(ct, place_in_full(np.shape(in1), np.shape(in2), mode))
        return signal.oaconvolve(whole, conj(np.flip(in2)), "valid"), signal.oaconvolve(whole, conj(np.flip(in1)), "valid")
    along = placed(ct, place_in_full(np.shape(in1), np.shape(in2), mode, axes))
    return (unbroadcast(signal.oaconvolve(along, conj(np.flip(in2, axes)), "valid", axes), in1),
            unbroadcast(signal.oaconvolve(along, conj(np.flip(in1, axes)), "valid", axes), in2))


def folded(in1: Any, in2: Any, mode: str) -> Any:
    """scipy.signal.convolve2d with zeros outside"""
    return signal.convolve2d(in1, in2, mode)


@rule(folded, order="other", tangent="multilinear", kind=product_kind, samples=[
    sample(REAL(3, 4), REAL(2, 3), "full"), sample(REAL(3, 4), REAL(2, 2), "valid"), sample(COMPLEX(2, 2), COMPLEX(3, 4), "valid")])
def folded_rule(ct, out, in1, in2, mode):
    """out_k = sum of in1_j in2_(k - j)"""
    whole = placed(ct, place_in_full(np.shape(in1), np.shape(in2), mode))
    return folded(whole, conj(np.flip(in2)), "valid"), folded(whole, conj(np.flip(in1)), "valid")


# --- recursive filters ----------------------------------------------------------------------------------

def filtered(b: Any, a: Any, x: Any, axis: int = -1) -> Any:
    """scipy.signal.lfilter that starts at rest"""
    return signal.lfilter(b, a, x, axis)


def lags(v: Any, x: Any, like: Any, axis: int) -> Any:
    """w_k = sum of v_n conj(x_(n - k)), as many as `like` has coefficients"""
    v, x = np.moveaxis(v, axis, -1), np.moveaxis(x, axis, -1)
    size = x.shape[-1]
    found = np.zeros(np.size(like), np.result_type(v, x))
    for k in range(min(found.size, size)):
        found[k] = np.vdot(x[..., :size - k], v[..., k:])
    return found.reshape(np.shape(like))[()]


FILTERS = [sample(REAL(3), np.array([1.0, 0.3, -0.2]), REAL(6)), sample(REAL(2), np.array([2.0, 0.3, -0.2]), REAL(2, 5)),
           sample(REAL(4), np.array([1.5]), REAL(3, 2), 0), sample(COMPLEX(2), np.array([1.0, 0.4j]), COMPLEX(4)),
           sample(REAL(5), np.array([1.0, 0.2, 0.1, 0.1, 0.1]), REAL(2))]


@rule(filtered, order="other", kind=filtered_kind, samples=FILTERS)
def filtered_rule(ct, out, b, a, x, axis=-1):
    """a * out = b * x (convolutions), so a * dout = db * x + b * dx - da * out"""
    back = np.flip(filtered(np.ones_like(a)[:1], conj(a), np.flip(ct, axis), axis), axis)
    return (lags(back, x, b, axis), -lags(back, out, a, axis),
            np.flip(filtered(conj(b), conj(a), np.flip(ct, axis), axis), axis))


@jvp(filtered)
def filtered_tangent(dot, out, b, a, x, axis=-1):
    return filtered(dot, a, x, axis), -filtered(dot, a, out, axis), filtered(b, a, dot, axis)


@rule(lags, kind=lags_kind, samples=[
    sample(REAL(5), REAL(5), np.ones(3), -1), sample(COMPLEX(2, 4), COMPLEX(2, 4), np.ones(2), 1), sample(REAL(2), REAL(2),
        np.ones(4), 0)])
def lags_rule(ct, out, v, x, like, axis):
    """out_k = sum of v_n conj(x_(n - k))"""
    one = np.ones_like(ct)[:1]
    return filtered(ct, one, x, axis), np.flip(filtered(conj(ct), one, np.flip(v, axis), axis), axis)


@jvp(lags)
def lags_tangent(dot, out, v, x, like, axis):
    return lags(dot, x, like, axis), lags(v, dot, like, axis)


# --- with a state at the start

def begun(b: Any, a: Any, x: Any, zi: Any) -> Any:
    """scipy.signal.lfilter along the last axis that starts in the state zi"""
    return signal.lfilter(b, a, x, -1, zi)[0]


def begun_kind(b: Kind, a: Kind, x: Kind, zi: Kind) -> Kind:
    model = leaf(x)
    return Num(inexact(leaf(b), leaf(a), model, leaf(zi)), model.dims, True)


@rule(begun, order="other", kind=begun_kind, samples=[
    sample(REAL(3), np.array([1.0, 0.3, -0.2]), REAL(6), REAL(2)),
    sample(REAL(2), np.array([2.0, 0.3, -0.2]), REAL(2, 5), REAL(2, 2)),
    sample(REAL(3), np.array([1.5]), REAL(2, 1), REAL(2, 2)), sample(COMPLEX(2), np.array([1.0, 0.4j]), COMPLEX(4), COMPLEX(1))])
def begun_rule(ct, out, b, a, x, zi):
    """a * out = b * x + a_0 zi (convolutions), so a * dout = db * x + b * dx - da * out + da_0 zi + a_0 dzi"""
    one = np.ones_like(a)[:1]
    back = np.flip(filtered(one, conj(a), np.flip(ct, -1), -1), -1)
    size, taps = np.shape(x)[-1], np.shape(zi)[-1]
    first = back[..., :taps]
    early = np.reshape(np.sum(first * conj(zi[..., :size])), (1,))
    entering = np.concatenate([first, np.zeros((*np.shape(zi)[:-1], max(taps - size, 0)))], axis=-1)
    return (lags(back, x, b, -1), np.concatenate([early, np.zeros(np.size(a) - 1)]) - lags(back, out, a, -1),
            np.flip(filtered(conj(b), one, np.flip(back, -1), -1), -1), conj(a[0]) * entering)


@jvp(begun)
def begun_tangent(dot, out, b, a, x, zi):
    size, taps = np.shape(x)[-1], np.shape(zi)[-1]
    state = np.concatenate([zi, np.zeros((*np.shape(zi)[:-1], max(size - taps, 0)))], axis=-1)[..., :size]
    return (filtered(dot, a, x, -1), filtered(dot[:1], a, state, -1) - filtered(dot, a, out, -1), filtered(b, a, dot, -1),
            begun(b, a, np.zeros_like(x), dot))
