"""Filters of scipy.signal in plain Python: recursive filters in both directions, smoothing, resampling, trends, responses."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import ndimage, signal

from sourcegrad.kinds import DISCRETE, Const, Kind, Num, Tup
from sourcegrad.primitives.core import declare, nondifferentiable
from sourcegrad.primitives.scipy.convolutions import begun, filtered, folded
from sourcegrad.primitives.scipy.piecewise import beside
from sourcegrad.runtime import no_formula

# --- recursive filters (A. V. Oppenheim and R. W. Schafer 2010, section 6.3: the transposed direct form II)


def started(b: Any, a: Any, x: Any, zi: Any) -> Any:
    """The filter along the last axis that starts in the state zi"""
    taps = max(len(a), len(b)) - 1
    if zi.shape != (*x.shape[:-1], taps):
        zi = np.broadcast_to(zi, (*x.shape[:-1], taps))
    return begun(b, a, x, zi)


def left(b: Any, a: Any, x: Any, y: Any, zi: Any) -> Any:
    """The state at the end: what past input and output have still to add"""
    size, taps = x.shape[-1], zi.shape[-1]
    weights = np.concatenate([b / a[0], np.zeros(2 * taps + 1 - len(b))])
    decay = np.concatenate([a / a[0], np.zeros(2 * taps + 1 - len(a))])
    state = np.concatenate([zi[..., size:], np.zeros((*zi.shape[:-1], min(size, taps)))], axis=-1)
    for k in range(1, min(size, taps) + 1):
        state = state + x[..., size - k, np.newaxis] * weights[k:k + taps] - y[..., size - k, np.newaxis] * decay[k:k + taps]
    return state


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """a * y = b * x (convolutions)"""
    if zi is None:
        return filtered(b, a, x, axis)
    b, a = np.atleast_1d(b) + 0.0, np.atleast_1d(a) + 0.0
    x, zi = np.moveaxis(np.asarray(x), axis, -1), np.moveaxis(np.asarray(zi), axis, -1)
    y = started(b, a, x, zi)
    return np.moveaxis(y, -1, axis), np.moveaxis(left(b, a, x, y, zi), -1, axis)


def lfilter_zi(b: Any, a: Any) -> Any:
    """The state z = A z + B in which a filter stays under a constant input 1, with A the transposed companion matrix"""
    b, a = np.atleast_1d(b) + 0.0, np.atleast_1d(a) + 0.0
    if np.abs(a[0]) < 1e-300:
        no_formula(a, "scipy.signal.lfilter_zi with a leading zero in a")
    taps = max(len(a), len(b)) - 1
    b = np.concatenate([b / a[0], np.zeros(taps + 1 - len(b))])
    a = np.concatenate([a / a[0], np.zeros(taps + 1 - len(a))])
    rest = np.eye(taps) - np.eye(taps, k=1) + a[1:, np.newaxis] * np.eye(1, taps)
    return np.linalg.solve(rest, b[1:] - a[1:] * b[0])


def extended(x: Any, edge: int, padtype: Any) -> Any:
    """A signal that goes on at both ends, along the last axis"""
    if x.shape[-1] <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    if padtype is None or edge == 0:
        return x
    size = x.shape[-1]
    first, last = x[..., :1], x[..., size - 1:]
    if padtype == "constant":
        return np.concatenate([np.repeat(first, edge, axis=-1), x, np.repeat(last, edge, axis=-1)], axis=-1)
    before, after = x[..., 1:edge + 1][..., ::-1], x[..., size - edge - 1:size - 1][..., ::-1]
    if padtype == "odd":
        return np.concatenate([2.0 * first - before, x, 2.0 * last - after], axis=-1)
    if padtype == "even":
        return np.concatenate([before, x, after], axis=-1)
    raise ValueError(f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', 'constant', or None.")


def filtfilt(b: Any, a: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None, method: str = "pad",
             irlen: Any = None) -> Any:
    """A filter forward and then backward (F. Gustafsson 1996)"""
    if method != "pad":
        no_formula(x, "scipy.signal.filtfilt with method='gust'")
    b, a = np.atleast_1d(b) + 0.0, np.atleast_1d(a) + 0.0
    edge = 0 if padtype is None else 3 * max(len(a), len(b)) if padlen is None else padlen
    x = extended(np.moveaxis(np.asarray(x), axis, -1), edge, padtype)
    zi = lfilter_zi(b, a)
    y = started(b, a, x, zi * x[..., :1])[..., ::-1]
    y = started(b, a, y, zi * y[..., :1])[..., ::-1]
    return np.moveaxis(y[..., edge:y.shape[-1] - edge], -1, axis)


def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Filters of second order, one after the other"""
    sos = np.asarray(sos)
    if zi is None:
        y = np.asarray(x)
        for k in range(sos.shape[0]):
            y = filtered(sos[k, :3], sos[k, 3:], y, axis)
        return y
    y, zi = np.moveaxis(np.asarray(x), axis, -1), np.moveaxis(np.asarray(zi), axis if axis < 0 else axis + 1, -1)
    states = []
    for k in range(sos.shape[0]):
        given = y
        y = started(sos[k, :3], sos[k, 3:], given, zi[k])
        states.append(left(sos[k, :3], sos[k, 3:], given, y, zi[k]))
    return np.moveaxis(y, -1, axis), np.moveaxis(np.stack(states), -1, axis if axis < 0 else axis + 1)


def sosfilt_zi(sos: Any) -> Any:
    """The states of sections under a constant input 1: the input of each is the gain of those before it"""
    sos = np.asarray(sos) + 0.0
    gain, states = 1.0, []
    for k in range(sos.shape[0]):
        states.append(gain * lfilter_zi(sos[k, :3], sos[k, 3:]))
        gain = gain * np.sum(sos[k, :3]) / np.sum(sos[k, 3:])
    return np.stack(states)


def unused_taps(sos: Any) -> int:
    return int(min((sos[:, 2] == 0).sum(), (sos[:, 5] == 0).sum()))


nondifferentiable(unused_taps, kind=lambda sos: DISCRETE)


def sosfiltfilt(sos: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    """`filtfilt` with sections of second order"""
    sos = np.asarray(sos) + 0.0
    taps = 2 * sos.shape[0] + 1 - unused_taps(sos)
    edge = 0 if padtype is None else 3 * taps if padlen is None else padlen
    y = extended(np.moveaxis(np.asarray(x), axis, -1), edge, padtype)
    states = sosfilt_zi(sos)
    given = y[..., :1]
    for k in range(sos.shape[0]):
        y = started(sos[k, :3], sos[k, 3:], y, states[k] * given)
    y = y[..., ::-1]
    given = y[..., :1]
    for k in range(sos.shape[0]):
        y = started(sos[k, :3], sos[k, 3:], y, states[k] * given)
    return np.moveaxis(y[..., ::-1][..., edge:y.shape[-1] - edge], -1, axis)


# --- smoothing and trends

def fitted_edges(window_length: int, polyorder: int, deriv: int, delta: float) -> Any:
    """The matrices that give the first and last values of the polynomial through a window."""
    half = window_length // 2
    center = np.arange(window_length) - 0.5 * (window_length - 1)
    powers = np.arange(polyorder + 1)
    scale = max(0.5 * (window_length - 1), 1.0)
    fit = np.linalg.pinv((center[:, np.newaxis] / scale) ** powers)
    factor = np.array([math.perm(k, deriv) for k in powers], dtype=float)
    basis = factor * (center[:, np.newaxis] / scale) ** np.maximum(powers - deriv, 0) / (delta * scale) ** deriv
    values = basis @ fit
    return values[:half], values[window_length - half:]


nondifferentiable(fitted_edges, kind=lambda *args: DISCRETE)
nondifferentiable(signal.savgol_coeffs, kind=lambda *args, **options: Num("float64", (None,), True),
                  but=("window_length", "polyorder", "deriv", "delta"))


def savgol_filter(x: Any, window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0, axis: int = -1,
                  mode: str = "interp", cval: float = 0.0) -> Any:
    """Polynomials through windows (A. Savitzky and M. J. E. Golay 1964); near the ends those of the first and last window"""
    x = beside(np.asarray(x), delta)
    coefficients = signal.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta)
    if mode != "interp":
        return ndimage.convolve1d(x, coefficients, axis=axis, mode=mode, cval=cval)
    size, half = x.shape[axis], window_length // 2
    if window_length > size:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    x = np.moveaxis(x, axis, -1)
    first, last = fitted_edges(window_length, polyorder, deriv, delta)
    inner = ndimage.convolve1d(x, coefficients, axis=-1, mode="constant")
    y = np.concatenate([x[..., :window_length] @ first.T, inner[..., half:size - half], x[..., size - window_length:] @ last.T],
                       axis=-1)
    return np.moveaxis(y, -1, axis)


def detrend(data: Any, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: bool = False) -> Any:
    """Data less their mean, or less the lines through them by least squares between the points bp"""
    data = np.asarray(data) + 0.0
    if type in ("constant", "c"):
        return data - np.mean(data, axis, keepdims=True)
    if type not in ("linear", "l"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    x = np.moveaxis(data, axis, -1)
    bounds = np.unique(np.concatenate([np.atleast_1d(bp), np.array([0, x.shape[-1]])]))
    parts = []
    for k in range(len(bounds) - 1):
        part = x[..., bounds[k]:bounds[k + 1]]
        slope = np.arange(part.shape[-1]) - 0.5 * (part.shape[-1] - 1)
        steepness = (part @ slope) / (np.sum(slope * slope) if part.shape[-1] > 1 else 1.0)
        parts.append(part - np.mean(part, axis=-1, keepdims=True) - steepness[..., np.newaxis] * slope)
    return np.moveaxis(np.concatenate(parts, axis=-1), -1, axis)


# --- Fourier methods

def hilbert(x: Any, N: Any = None, axis: int = -1) -> Any:
    """The analytic signal: twice the positive frequencies (S. L. Marple 1999)"""
    if np.iscomplexobj(x):
        raise ValueError("x must be real.")
    size = np.shape(x)[axis] if N is None else N
    spectrum = np.moveaxis(np.fft.fft(x, size, axis=axis), axis, -1)
    k = np.arange(size)
    weights = np.where((k == 0) | (2 * k == size), 1.0, np.where(2 * k < size, 2.0, 0.0))
    return np.moveaxis(np.fft.ifft(spectrum * weights, axis=-1), -1, axis)


def window_of(window: Any, size: int) -> Any:
    """The window of spectra for a resampling, lowest frequency first"""
    if isinstance(window, (str, tuple, float)):
        return beside(np.fft.ifftshift(signal.get_window(window, size)), window)
    return window(np.fft.fftfreq(size)) if callable(window) else np.asarray(window)


SPECTRA = bool(np.isclose(signal.resample([0.0, 4.0, 0.0, 0.0], 4, domain="freq")[1], 1.0j))     # whether real ones are whole
JOINS_TWO = bool(np.any(signal.resample(np.fft.ifft([0.0, 0.0, 0.0, 1.0]), 2)))         # whether two frequencies that are left, too


def resample(x: Any, num: int, t: Any = None, axis: int = 0, window: Any = None, domain: str = "time") -> Any:
    """The spectrum is cut or filled with zeros; a frequency that is its own mirror image is halved or united"""
    x = np.moveaxis(np.asarray(x), axis, -1)
    size, is_real = x.shape[-1], domain == "time" and not np.iscomplexobj(x)
    if domain == "freq" and not (SPECTRA or np.iscomplexobj(x)) or not (JOINS_TWO or is_real) and min(num, size) == 2:
        no_formula(x, "scipy.signal.resample of a real spectrum, or of complex numbers to two of them, before SciPy 1.16,")
    spectrum = np.fft.fft(x, axis=-1) if domain == "time" else x
    if window is not None:
        spectrum = spectrum * window_of(window, size)
    kept = min(num, size)
    half = (kept + 1) // 2
    parts = [spectrum[..., :half]]
    if kept % 2 == 0:
        middle = spectrum[..., kept // 2:kept // 2 + 1]
        opposite = spectrum[..., size - kept // 2:size - kept // 2 + 1]
        if num < size:
            parts += [middle + opposite]
        elif num > size:
            parts += [0.5 * middle, np.zeros((*x.shape[:-1], num - kept - 1)), 0.5 * middle]
        else:
            parts += [middle]
    else:
        parts += [np.zeros((*x.shape[:-1], num - kept))]
    parts += [spectrum[..., size - kept // 2 + 1 - kept % 2:]] if kept > 1 else []
    y = np.moveaxis(np.fft.ifft(np.concatenate(parts, axis=-1) * (num / size), axis=-1), -1, axis)
    y = np.real(y) if is_real else y
    return y if t is None else (y, t[0] + np.arange(num) * ((t[1] - t[0]) * size / num))


def freqz(b: Any, a: Any = 1, worN: Any = 512, whole: bool = False, plot: Any = None, fs: float = 2.0 * math.pi,
          include_nyquist: bool = False) -> Any:
    """sum of b_k e^(-i k w) / sum of a_k e^(-i k w)"""
    if plot is not None:
        no_formula(b, "scipy.signal.freqz with plot")
    if worN is None or isinstance(worN, int):
        w = np.linspace(0.0, fs if whole else 0.5 * fs, 512 if worN is None else worN, endpoint=include_nyquist and not whole)
    else:
        w = np.atleast_1d(worN) + 0.0
    angle = w * (2.0 * math.pi / fs)
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    upper = np.exp(-1j * angle[:, np.newaxis] * np.arange(len(b))) @ b
    return w, upper / (np.exp(-1j * angle[:, np.newaxis] * np.arange(len(a))) @ a)


# --- convolutions with edges

def edged(in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any, start: tuple) -> Any:
    """A convolution of matrices of which the first goes on outside; start: where its part of the size of that begins"""
    if mode == "valid":
        return folded(in1, in2, mode)
    (n, m), (rows, columns) = np.shape(in1), np.shape(in2)
    width = ((rows - 1, rows - 1), (columns - 1, columns - 1))
    if boundary in ("fill", "pad") and fillvalue == 0:
        full = folded(in1, in2, "full")
    elif boundary in ("fill", "pad"):
        full = folded(np.pad(in1, width, constant_values=fillvalue), in2, "valid")
    else:
        whole = np.pad(in1, width, mode="wrap" if boundary in ("wrap", "circular") else "symmetric")
        full = folded(whole, in2, "valid")
    return full if mode == "full" else full[start[0]:start[0] + n, start[1]:start[1] + m]


def convolve2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    """scipy.signal.convolve of matrices"""
    rows, columns = np.shape(in2)
    return edged(np.asarray(in1), np.asarray(in2), mode, boundary, fillvalue, ((rows - 1) // 2, (columns - 1) // 2))


def correlate2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    """scipy.signal.correlate of matrices"""
    if mode == "valid":
        return signal.correlate(in1, in2, mode, "direct")
    rows, columns = np.shape(in2)
    turned = np.conj(np.asarray(in2)[::-1, ::-1])
    return edged(np.asarray(in1), turned, mode, boundary, fillvalue, (rows // 2, columns // 2))


# --- splines on a regular grid

def cspline1d_eval(cj: Any, newx: Any, dx: Any = 1.0, x0: Any = 0) -> Any:
    """The sum of c_j B(t - j), with B the cubic B-spline; at the edges it is mirrored"""
    cj, given = np.asarray(cj), (np.asarray(newx) - x0) / dx
    period = 2.0 * (len(cj) - 1)
    turned = np.mod(given, period)
    t = np.where(turned > 0.5 * period, period - turned, turned)
    first = np.floor(t).astype(int) - 1
    total = np.zeros(np.shape(t))
    for k in range(4):
        distance = np.abs(t - (first + k))
        near, far = 2.0 / 3.0 - distance ** 2 + 0.5 * distance ** 3, (2.0 - distance) ** 3 / 6.0
        weight = np.where(distance < 1.0, near, np.where(distance < 2.0, far, 0.0))
        total = total + cj[np.clip(first + k, 0, len(cj) - 1)] * weight
    return total


# --- the design of filters: constants

def design_kind(output: Kind) -> Kind:
    """What a design gives: b and a, or zeros, poles and gain, or sections."""
    line = Num("float64", (None,), True)
    if output == Const("ba"):
        return Tup((line, line))
    return Num("float64", (None, None), True) if output == Const("sos") else DISCRETE


BUILT = "Call it outside, and give the coefficients as an argument."
nondifferentiable(signal.butter, but=("*",), remedy=BUILT, kind=lambda N, Wn, btype=None, analog=None, output=Const("ba"), fs=None:
                  design_kind(output))
nondifferentiable(signal.cheby1, signal.cheby2, but=("*",), remedy=BUILT,
                  kind=lambda N, r, Wn, btype=None, analog=None, output=Const("ba"), fs=None, **others: design_kind(output))
nondifferentiable(signal.ellip, but=("*",), remedy=BUILT,
                  kind=lambda N, rp, rs, Wn, btype=None, analog=None, output=Const("ba"), fs=None: design_kind(output))
nondifferentiable(signal.bessel, but=("*",), remedy=BUILT,
                  kind=lambda N, Wn, btype=None, analog=None, output=Const("ba"), norm=None, fs=None: design_kind(output))


declare("instead", {
    signal.cspline1d_eval: cspline1d_eval,
    signal.lfilter: lfilter, signal.lfilter_zi: lfilter_zi, signal.filtfilt: filtfilt, signal.sosfilt: sosfilt,
    signal.resample: resample,
    signal.sosfilt_zi: sosfilt_zi, signal.sosfiltfilt: sosfiltfilt, signal.savgol_filter: savgol_filter, signal.detrend: detrend,
    signal.hilbert: hilbert, signal.freqz: freqz, signal.convolve2d: convolve2d, signal.correlate2d: correlate2d})
