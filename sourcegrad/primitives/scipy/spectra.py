"""Spectra of scipy.signal in plain Python: segments of a signal, their windows and transforms (P. D. Welch 1967)."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal, special
from scipy.signal import windows

from sourcegrad.kinds import DISCRETE, Kind, Num
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import COMPLEX, REAL, available, declare, nondifferentiable, rule, sample
from sourcegrad.primitives.scipy.piecewise import beside
from sourcegrad.primitives.scipy.signals import detrend as without_trend
from sourcegrad.runtime import no_formula

# --- segments


def one_more(x: Kind, *_: Kind) -> Kind:
    model = leaf(x)
    return Num(model.dtype, model.dims and (None,) * (len(model.dims) + 1), True)


def one_less(x: Kind, *_: Kind) -> Kind:
    model = leaf(x)
    return Num(model.dtype, model.dims and (None,) * (len(model.dims) - 1), True)


def segments(x: Any, size: int, step: int) -> Any:
    """The parts of a signal, along its last axis, of which each begins a step after the one before it"""
    return np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(x, size, axis=-1)[..., ::step, :])


def overlapped(parts: Any, size: int, step: int) -> Any:
    """A signal of a size that is the sum of parts, each a step after the one before it"""
    whole = np.zeros((*parts.shape[:-2], size), parts.dtype)
    for k in range(parts.shape[-2]):
        whole[..., k * step:k * step + parts.shape[-1]] += parts[..., k, :]
    return whole


@rule(segments, tangent="linear", kind=one_more, samples=[sample(REAL(7), 3, 2), sample(COMPLEX(2, 5), 4, 1), sample(REAL(6), 2,
    3)])
def segments_rule(ct, out, x, size, step):
    """out_(k, j) = x_(k step + j)"""
    return overlapped(ct, np.shape(x)[-1], step)


@rule(overlapped, tangent="linear", kind=one_less, samples=[sample(REAL(3, 3), 7, 2), sample(COMPLEX(2, 2, 4), 5, 1)])
def overlapped_rule(ct, out, parts, size, step):
    """out = the sum of parts_k, from k step on"""
    return segments(ct, np.shape(parts)[-1], step)


def line_kind(*args: Kind, **options: Kind) -> Kind:
    """Real numbers along one axis."""
    return Num("float64", (None,), True)


nondifferentiable(signal.get_window, kind=line_kind, but=("window",))


def shape_of_window(window: Any, nperseg: Any, size: int) -> Any:
    """The window, of at most the size of the signal"""
    if isinstance(window, (str, tuple, float)):
        return beside(signal.get_window(window, min(256 if nperseg is None else nperseg, size)), window)
    return np.asarray(window)


def plain(part: Any, detrend: Any) -> Any:
    """A segment without its trend"""
    if isinstance(detrend, str):
        return without_trend(part, -1, detrend)
    return part if detrend is False else detrend(part)


def transformed(x: Any, win: Any, step: int, nfft: int, detrend: Any, onesided: bool) -> Any:
    """The transforms of the segments"""
    parts = plain(segments(x, len(win), step), detrend) * win
    return np.fft.rfft(parts, nfft, axis=-1) if onesided else np.fft.fft(parts, nfft, axis=-1)


def doubled(power: Any, nfft: int) -> Any:
    """Power of which the negative frequencies are left out"""
    k = np.arange(power.shape[-1])
    return power * np.where((k == 0) | (2 * k == nfft), 1.0, 2.0)


def frequencies(nfft: int, fs: Any, onesided: bool) -> Any:
    return np.fft.rfftfreq(nfft, 1.0 / fs) if onesided else np.fft.fftfreq(nfft, 1.0 / fs)


def middles(size: int, length: int, step: int, fs: Any) -> Any:
    """The times at which segments have their middle"""
    return np.arange(0.5 * length, size - 0.5 * length + 1.0, step) / fs


def scale_of(win: Any, fs: Any, scaling: str) -> Any:
    if scaling == "density":
        return 1.0 / (fs * np.sum(win * win))
    if scaling == "spectrum":
        return 1.0 / np.sum(win) ** 2
    raise ValueError(f"Unknown scaling: {scaling!r}")


def equally_long(x: Any, size: int) -> Any:
    """A signal that ends in zeros"""
    return x if x.shape[-1] == size else np.concatenate([x, np.zeros((*x.shape[:-1], size - x.shape[-1]))], axis=-1)


def cross(x: Any, y: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any, return_onesided: bool,
          scaling: str, axis: int) -> Any:
    """Frequencies, and the products of the transforms of two signals by segment; power has no imaginary part"""
    same = y is x
    first, second = np.moveaxis(np.asarray(x), axis, -1), np.moveaxis(np.asarray(y), axis, -1)
    onesided = return_onesided and not np.iscomplexobj(first) and not np.iscomplexobj(second)
    size = max(first.shape[-1], second.shape[-1])
    win = shape_of_window(window, nperseg, size)
    step = len(win) - (len(win) // 2 if noverlap is None else noverlap)
    count = len(win) if nfft is None else nfft
    one = transformed(equally_long(first, size), win, step, count, detrend, onesided)
    if same:
        product = np.real(one) ** 2 + np.imag(one) ** 2
    else:
        product = np.conj(one) * transformed(equally_long(second, size), win, step, count, detrend, onesided)
    product = product * scale_of(win, fs, scaling)
    return frequencies(count, fs, onesided), doubled(product, count) if onesided else product, middles(size, len(win), step, fs)


def csd(x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
        detrend: Any = "constant", return_onesided: bool = True, scaling: str = "density", axis: int = -1,
        average: str = "mean") -> Any:
    """The mean over the segments"""
    f, product, _ = cross(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis)
    if average == "mean":
        return f, np.moveaxis(np.mean(product, axis=-2), -1, axis)
    if average != "median":
        raise ValueError(f"average must be 'median' or 'mean', got {average}")
    odd = np.arange(2, product.shape[-2], 2)
    bias = 1.0 + np.sum(1.0 / (odd + 1) - 1.0 / odd)
    middle = np.median(np.real(product), axis=-2)
    if np.iscomplexobj(product):
        middle = middle + 1j * np.median(np.imag(product), axis=-2)
    return f, np.moveaxis(middle / bias, -1, axis)


def welch(x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
          detrend: Any = "constant", return_onesided: bool = True, scaling: str = "density", axis: int = -1,
          average: str = "mean") -> Any:
    """The mean power of the segments"""
    return csd(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


def periodogram(x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, detrend: Any = "constant",
                return_onesided: bool = True, scaling: str = "density", axis: int = -1) -> Any:
    """The power of a signal"""
    x = np.moveaxis(np.asarray(x), axis, -1)
    size = x.shape[-1] if nfft is None else min(nfft, x.shape[-1])
    x = x[..., :size]
    given = "boxcar" if window is None else window
    f, power = csd(x, x, fs, given, size, 0, nfft, detrend, return_onesided, scaling, -1, "mean")
    return f, np.moveaxis(power, -1, axis)


def coherence(x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
              detrend: Any = "constant", axis: int = -1) -> Any:
    """|P_xy|^2 / (P_xx P_yy)"""
    f, power_x = welch(x, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    _, power_y = welch(y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    _, both = csd(x, y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    return f, np.abs(both) ** 2 / power_x / power_y


def bounded(x: Any, edge: int, boundary: Any) -> Any:
    """A signal that goes on at both ends"""
    if boundary is None:
        return x
    if boundary != "zeros":
        no_formula(x, "scipy.signal.stft with a boundary other than 'zeros' and None")
    zeros = np.zeros((*x.shape[:-1], edge))
    return np.concatenate([zeros, x, zeros], axis=-1)


def stft(x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = 256, noverlap: Any = None, nfft: Any = None,
         detrend: Any = False,
         return_onesided: bool = True, boundary: Any = "zeros", padded: bool = True, axis: int = -1,
         scaling: str = "spectrum") -> Any:
    """The transforms of segments"""
    x = np.moveaxis(np.asarray(x), axis, -1)
    win = shape_of_window(window, nperseg if isinstance(window, (str, tuple)) else None, x.shape[-1])
    length = len(win)
    step = length - (length // 2 if noverlap is None else noverlap)
    count = length if nfft is None else nfft
    x = bounded(x, length // 2, boundary)
    if padded:
        missing = (-(x.shape[-1] - length) % step) % length
        x = np.concatenate([x, np.zeros((*x.shape[:-1], missing))], axis=-1)
    onesided = return_onesided and not np.iscomplexobj(x)
    spectrum = transformed(x, win, step, count, detrend, onesided) * np.sqrt(scale_of(win, fs,
                                                                                      "density" if scaling == "psd" else scaling))
    times = middles(x.shape[-1], length, step, fs) - (0.0 if boundary is None else 0.5 * length / fs)
    turned = np.swapaxes(spectrum, -1, -2)
    return frequencies(count, fs, onesided), times, np.moveaxis(turned, -2, axis - 1 if axis < 0 else axis)


def spectrogram(x: Any, fs: Any = 1.0, window: Any = ("tukey", 0.25), nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
                detrend: Any = "constant", return_onesided: bool = True, scaling: str = "density", axis: int = -1,
                mode: str = "psd") -> Any:
    """Power by segment"""
    if mode not in ("psd", "complex", "magnitude"):
        no_formula(x, "scipy.signal.spectrogram with mode='angle' or 'phase'")
    size = np.shape(x)[axis]
    win = shape_of_window(window, nperseg, size)
    overlap = len(win) // 8 if noverlap is None else noverlap
    place = axis - 1 if axis < 0 else axis
    if mode == "psd":
        f, power, times = cross(x, x, fs, win, None, overlap, nfft, detrend, return_onesided, scaling, axis)
        return f, times, np.moveaxis(np.swapaxes(power, -1, -2), -2, place)
    f, times, spectrum = stft(x, fs, win, None, overlap, nfft, detrend, return_onesided, None, False, axis,
                              "psd" if scaling == "density" else scaling)
    return f, times, np.abs(spectrum) if mode == "magnitude" else spectrum


def istft(Zxx: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
          input_onesided: bool = True, boundary: bool = True, time_axis: int = -1, freq_axis: int = -2,
          scaling: str = "spectrum") -> Any:
    """The segments under their window, overlapped, over the sum of the squares of the windows (D. W. Griffin and J. S. Lim 1984)"""
    spectrum = np.moveaxis(np.asarray(Zxx), (time_axis, freq_axis), (-2, -1))
    usual = 2 * (spectrum.shape[-1] - 1) if input_onesided else spectrum.shape[-1]
    length = usual if nperseg is None else nperseg
    count = (length if input_onesided and length == usual + 1 else usual) if nfft is None else nfft
    step = length - (length // 2 if noverlap is None else noverlap)
    win = beside(signal.get_window(window, length), window) if isinstance(window, (str, tuple)) else np.asarray(window)
    parts = (np.fft.irfft(spectrum, count, axis=-1) if input_onesided else np.fft.ifft(spectrum, count, axis=-1))[..., :length]
    parts = parts * win * (np.sum(win) if scaling == "spectrum" else np.sqrt(fs * np.sum(win * win)))
    segment_count = spectrum.shape[-2]
    size = length + (segment_count - 1) * step
    x = overlapped(parts, size, step)
    weight = overlapped(np.ones((segment_count, 1)) * (win * win), size, step)
    x = x / np.where(weight > 1e-10, weight, 1.0)
    edge = length // 2 if boundary else 0
    x = x[..., edge:size - edge]
    place = np.ndim(Zxx) + time_axis if time_axis < 0 else time_axis
    before = np.ndim(Zxx) + freq_axis if freq_axis < 0 else freq_axis
    x = np.moveaxis(x, -1, place - 1 if before < place else place)
    return np.arange(x.shape[0]) / fs, x


declare("instead", {
    signal.csd: csd, signal.welch: welch, signal.periodogram: periodogram, signal.coherence: coherence, signal.stft: stft,
    signal.istft: istft, signal.spectrogram: spectrogram})

# --- windows, in their parameters (F. J. Harris 1978)


def places(M: int, sym: bool) -> Any:
    """Whole numbers, and their middle: that of a period where the window is not symmetric"""
    return np.arange(M), 0.5 * (M - 1 if sym or M <= 1 else M)


def gaussian(M: int, std: Any, sym: bool = True) -> Any:
    """e^(-n^2 / (2 std^2))"""
    n, middle = places(M, sym)
    return np.exp(-0.5 * ((n - middle) / std) ** 2)


def general_gaussian(M: int, p: Any, sig: Any, sym: bool = True) -> Any:
    """e^(-|n / sig|^(2 p) / 2)"""
    n, middle = places(M, sym)
    return np.exp(-0.5 * np.abs((n - middle) / sig) ** (2.0 * p))


def general_cosine(M: int, a: Any, sym: bool = True) -> Any:
    """sum of a_k cos(k n), n from -pi to pi"""
    n, middle = places(M, sym)
    total = np.zeros(M)
    for k in range(len(a)):
        total = total + a[k] * np.cos(k * (n - middle) * (np.pi / max(middle, 0.5)))
    return total if M > 1 else np.ones(M)


def general_hamming(M: int, alpha: Any, sym: bool = True) -> Any:
    """alpha - (1 - alpha) cos n"""
    return general_cosine(M, [alpha, 1.0 - alpha], sym)


def kaiser(M: int, beta: Any, sym: bool = True) -> Any:
    """I_0(beta sqrt(1 - n^2)) / I_0(beta), n from -1 to 1"""
    n, middle = places(M, sym)
    if M <= 1:
        return np.ones(M)
    return special.i0(beta * np.sqrt(np.maximum(1.0 - ((n - middle) / middle) ** 2, 0.0))) / special.i0(beta)


def exponential(M: int, center: Any = None, tau: Any = 1.0, sym: bool = True) -> Any:
    """e^(-|n - center| / tau)"""
    n, middle = places(M, sym)
    if M <= 1:
        return np.ones(M)
    return np.exp(-np.abs(n - (middle if center is None else center)) / tau)


def tukey(M: int, alpha: Any = 0.5, sym: bool = True) -> Any:
    """1 in the middle, and a cosine at the ends"""
    n, middle = places(M, sym)
    if M <= 1 or alpha <= 0:
        return np.ones(M)
    far = np.minimum(n, 2.0 * middle - n) / middle
    width = np.minimum(alpha, 1.0)
    return np.where(far < width, 0.5 - 0.5 * np.cos(np.pi * np.minimum(far / width, 1.0)), 1.0)


declare("instead", {
    windows.gaussian: gaussian, windows.general_gaussian: general_gaussian, windows.general_cosine: general_cosine,
    windows.kaiser: kaiser,
    windows.general_hamming: general_hamming, windows.exponential: exponential, windows.tukey: tukey})
nondifferentiable(*available(windows, "boxcar", "triang", "parzen", "bohman", "blackman", "nuttall", "blackmanharris", "flattop",
                             "bartlett", "barthann", "hamming", "hann", "cosine", "lanczos"), kind=line_kind)
nondifferentiable(*available(windows, "chebwin", "taylor", "kaiser_bessel_derived"), kind=line_kind,
                  but=("M", "at", "sll", "norm", "*"))
nondifferentiable(*available(windows, "dpss"), kind=lambda *args, **options: DISCRETE, but=("M", "*"))
