"""Functions of scipy.signal: the values of all options, and derivatives in programs."""
from __future__ import annotations

import importlib
import itertools

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import primitives
from sourcegrad.errors import SourcegradError, UnsupportedError
from sourcegrad.primitives.core import primitive_of
from tests.primitives.scipy_checks import check, weighted

signal = pytest.importorskip("scipy.signal")
windows = pytest.importorskip("scipy.signal.windows")
primitives.with_scipy()
rules = importlib.import_module("sourcegrad.primitives.scipy.signals")
RNG = np.random.default_rng(3)
X, ROWS, Y = RNG.normal(size=24), RNG.normal(size=(2, 20)), RNG.normal(size=24)
B, A, SOS = np.array([0.2, 0.3, 0.1]), np.array([1.5, -0.4, 0.1]), signal.butter(4, 0.3, output="sos")
IMAGE, KERNEL = RNG.normal(size=(3, 4)), RNG.normal(size=(2, 3))
pytestmark = pytest.mark.filterwarnings("ignore:nperseg", "ignore:Input data is complex")


def same(found, expected):
    if isinstance(expected, tuple):
        return isinstance(found, tuple) and len(found) == len(expected) and all(map(same, found, expected))
    return np.shape(found) == np.shape(expected) and np.allclose(found, expected, rtol=1e-9, atol=1e-10)


def total(result):
    """A number of a result, which may be complex."""
    return np.sum(np.real(result) * weighted(result)) + np.sum(np.imag(result) ** 2)


def grid(**options):
    return [dict(zip(options, values)) for values in itertools.product(*options.values())]


EDGES = grid(padtype=["odd", "even", "constant", None], padlen=[None, 0, 5])
SPECTRA = [*grid(nperseg=[None, 7], noverlap=[None, 3], detrend=["constant", "linear", False], return_onesided=[True, False]),
           *grid(nperseg=[8], nfft=[11, 12], scaling=["density", "spectrum"], window=["hann", ("kaiser", 3.0), np.ones(8)])]
VALUES = {
    "lfilter": [(signal.lfilter, (B, A, x), {"axis": axis}) for x, axis in [(X, -1), (ROWS, 1), (ROWS.T, 0)]]
    + [(signal.lfilter, (b, a, X), {}) for b, a in [(B, [2.0]), ([0.5], A), (1.0, 2.0), ([1.0, 2.0, 3.0, 4.0], [1.0, 0.5])]]
    + [(signal.lfilter, (b, a, X[:n]), {"zi": np.array([0.3, -0.5])}) for b, a in [(B, A), (B, [2.0]), ([0.5], A)] for n in (1, 2,
        24)]
    + [(signal.lfilter, (B, A, ROWS), {"zi": np.ones((2, 2))}), (signal.lfilter, (B, A, ROWS.T), {"zi": np.ones((2, 2)),
        "axis": 0})],
    "filtfilt": [(signal.filtfilt, (B, A, x), {"axis": axis, **edge}) for x, axis in [(X, -1), (ROWS.T, 0)] for edge in EDGES],
    "sosfiltfilt": [(signal.sosfiltfilt, (SOS, X), edge) for edge in EDGES if edge["padlen"] != 0],
    "sosfilt": [(signal.sosfilt, (SOS, ROWS.T), {"axis": 0}), (signal.sosfilt, (SOS, X), {"zi": np.ones((2, 2))}),
                (signal.sosfilt, (SOS, ROWS), {"zi": np.ones((2, 2, 2))}), (signal.sosfilt, (SOS, ROWS.T), {"zi": np.ones((2, 2,
                    2)), "axis": 0})],
    "zi": [(signal.lfilter_zi, (B, A), {}), (signal.lfilter_zi, ([1.0], [1.0, 0.5]), {}), (signal.sosfilt_zi, (SOS,), {})],
    "savgol_filter": [(signal.savgol_filter, (ROWS.T, size, 3), {"deriv": deriv, "mode": mode, "delta": 0.5, "cval": 1.5,
                                                                 "axis": 0})
                      for size in (5, 6, 7) for deriv in (0, 1, 2) for mode in ("interp", "mirror", "constant", "nearest", "wrap")],
    "detrend": [(signal.detrend, (ROWS,), options) for options in [{}, {"type": "constant"}, {"bp": [5, 9]}, {"bp": [19]},
                                                                   {"axis": 0}]],
    "hilbert": [(signal.hilbert, (ROWS,), options) for options in grid(N=[None, 17, 26], axis=[-1, 0])],
    "resample": [(signal.resample, (x, num), {"window": window}) for x in (X, X[:23], X + 1j * Y, ROWS.T)
                 for num in (1, 2, 12, 13, 23, 24, 25, 48, 49) for window in (None, "hann", np.fft.fft)[:2]]
    + [(signal.resample, (X, num), {"domain": "freq"}) for num in (12, 13, 48)] + [(signal.resample, (X, 12),
                                                                                    {"t": np.arange(24) * 0.1})],
    "freqz": [(signal.freqz, (B, A), options) for options in grid(worN=[512, None, 7, [0.1, 0.2]], whole=[True, False],
                                                                 include_nyquist=[True, False], fs=[3.0])] + [(signal.freqz, (B,),
                                                                     {})],
    "welch": [(signal.welch, (X,), options) for options in SPECTRA] + [(signal.welch, (X, 2.0), {"average": "median",
        "nperseg": 6})],
    "csd": [(signal.csd, (X, y), options) for options in SPECTRA for y in (Y, Y[:20])]
    + [(signal.csd, (X, Y), {"average": "median", "nperseg": 6}), (signal.csd, (X + 1j * Y, Y), {"nperseg": 8})],
    "periodogram": [(signal.periodogram, (ROWS,), options) for options in grid(nfft=[None, 15, 30], window=["boxcar", "hann"],
                                                                               axis=[-1, 0])],
    "coherence": [(signal.coherence, (X, Y), {"nperseg": 8})],
    "spectrogram": [(signal.spectrogram, (x,), {"nperseg": 8, "mode": mode, "axis": axis, "scaling": scaling}) for x, axis in [(X,
        -1), (ROWS.T, 0)]
                    for mode in ("psd", "complex", "magnitude") for scaling in ("density", "spectrum")],
    "stft": [(signal.stft, (x,), {"nperseg": 7, "axis": axis, **options}) for x, axis in [(X, -1), (ROWS.T, 0)]
             for options in grid(boundary=["zeros", None], padded=[True, False], scaling=["psd", "spectrum"], noverlap=[None, 5])],
    "istft": [(signal.istft, (signal.stft(x, **given, return_onesided=not only)[2],), {**given, **only})
              for x in (X, ROWS) for given, only in [({"nperseg": 8}, {}), ({"nperseg": 7, "noverlap": 5}, {}), ({"nperseg": 8},
                  {"input_onesided": False})]],
    "convolve2d": [(f, (IMAGE, kernel, mode, edge, value), {}) for f in (signal.convolve2d, signal.correlate2d)
                   for kernel in (KERNEL, KERNEL[:, :2], IMAGE[::-1], KERNEL * 1j) for mode in ("full", "same", "valid")
                   for edge in ("fill", "wrap", "symm") for value in (0, 1.5)],
    "windows": [(f, (size, *given), {"sym": sym}) for size in (0, 1, 2, 7, 8) for sym in (True, False) for f, given in [
        (windows.gaussian, (2.0,)), (windows.general_gaussian, (1.5, 2.0)), (windows.general_cosine, ([0.5, 0.3, 0.2],)),
        (windows.general_hamming, (0.6,)), (windows.kaiser, (3.0,)), (windows.exponential, (None, 2.0)), (windows.tukey, (0.5,)),
        (windows.tukey, (0.0,)), (windows.tukey, (1.5,))]],
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    wrong = []
    for function, args, options in VALUES[name]:
        try:
            expected = function(*args, **options)
        except ValueError:
            continue
        try:
            found = primitive_of(function).instead(*args, **options)
        except UnsupportedError as refused:                 # what SciPy computes in another way
            assert "before SciPy" in str(refused) and not (rules.SPECTRA and rules.JOINS_TWO)
            continue
        if not same(found, expected):
            wrong.append((function.__name__, [np.shape(x) for x in args], options))
    assert not wrong


PROGRAMS = {
    "convolve": (lambda x, y: total(signal.convolve(x, y[:5], "same") ** 2), (X, Y)),
    "convolve of complex numbers": (lambda x, y: total(signal.convolve(x, y[:5] * 1j + y[1:6]) ** 2), (X, Y)),
    "convolve with itself": (lambda x: total(signal.fftconvolve(x, x, "same")), (X,)),
    "correlate": (lambda x, y: total(signal.correlate(x, y[:5] ** 2, "valid", "fft")), (X, Y)),
    "oaconvolve": (lambda x: total(signal.oaconvolve(x, x[:, :3], "full", axes=1)), (ROWS,)),
    "convolve2d": (lambda x, k: total(signal.convolve2d(x, k, "same", "wrap")), (IMAGE, KERNEL)),
    "correlate2d": (lambda x, k: total(signal.correlate2d(x, k * k, "full", "symm")), (IMAGE, KERNEL)),
    "lfilter": (lambda b, a, x: total(signal.lfilter(b, a, x)), (B, A, X[:9])),
    "lfilter with a state": (lambda b, a, x, z: total(signal.lfilter(b, a, x, zi=z)[0]) + total(signal.lfilter(b, a, x,
        zi=z)[1] ** 2),
                             (B, A, X[:5], np.array([0.3, -0.5]))),
    "filtfilt": (lambda x: total(signal.filtfilt(B, A, x, axis=0)), (ROWS.T,)),
    "filtfilt in coefficients": (lambda b, a: total(signal.filtfilt(b, a, X, padtype="even")), (B, A)),
    "sosfilt": (lambda b, x: total(signal.sosfilt(np.concatenate([b, SOS[:, 3:]], axis=1), x)), (SOS[:, :3], X[:9])),
    "sosfiltfilt": (lambda x: total(signal.sosfiltfilt(SOS, x)), (X,)),
    "savgol_filter": (lambda x: total(signal.savgol_filter(x, 7, 3, 1) ** 2), (X,)),
    "savgol_filter, mirrored": (lambda x: total(signal.savgol_filter(x, 5, 2, axis=0, mode="mirror") ** 2), (ROWS.T,)),
    "detrend": (lambda x: total(signal.detrend(x, bp=[5]) ** 2), (ROWS,)),
    "resample": (lambda x: total(signal.resample(x, 11, axis=1) ** 2) + total(signal.resample(x, 31, axis=1)), (ROWS,)),
    "hilbert": (lambda x: total(np.abs(signal.hilbert(x))), (X,)),
    "freqz": (lambda b, a: total(np.abs(signal.freqz(b, a, 8)[1])), (B, A)),
    "welch": (lambda x: total(np.log(signal.welch(x, nperseg=8)[1])), (X,)),
    "csd": (lambda x, y: total(signal.csd(x, y, nperseg=8, window=np.ones(8))[1]), (X, Y)),
    "coherence": (lambda x: total(signal.coherence(x, Y, nperseg=8)[1]), (X,)),
    "periodogram": (lambda x: total(signal.periodogram(x, window="hann", scaling="spectrum")[1]), (ROWS,)),
    "stft and istft": (lambda x: total(signal.istft(signal.stft(x, nperseg=8)[2] ** 2, nperseg=8)[1]), (X,)),
    "spectrogram": (lambda x: total(signal.spectrogram(x, nperseg=8)[2]), (X,)),
    "windows": (lambda p: total(windows.kaiser(7, p) + windows.gaussian(7, p) + windows.exponential(7, tau=p) * windows.tukey(7,
        0.3 * p)
                                + windows.general_gaussian(7, p, 1.5 * p) + windows.general_hamming(7, p, sym=False)), (1.3,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    function, args = PROGRAMS[name]
    check(function, *args)


REFUSED = {
    "gust": lambda x: np.sum(signal.filtfilt(B, A, x, method="gust")),
    "a window": lambda x: np.sum(signal.get_window(("kaiser", x[0]), 5)),
    "a boundary": lambda x: np.sum(np.abs(signal.stft(x, nperseg=8, boundary="even")[2])),
    "phases": lambda x: np.sum(signal.spectrogram(x, nperseg=8, mode="phase")[2]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(SourcegradError) as caught:
        sg.grad(REFUSED[name])(X)
    assert "test_scipy_signal.py:" in str(caught.value)
