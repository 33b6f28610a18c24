"""Helpers for the rules of the Fourier transforms: their adjoints, and the transforms of the shape of an example."""
from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sourcegrad.errors import UnsupportedError

__all__ = ["fft_adjoint", "fft_like", "irfft_adjoint", "last_axes", "rfft_adjoint"]

OTHER_NORM: dict[str | None, Literal["backward", "ortho", "forward"]] = {
    None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
TRANSFORMS = {"fft": np.fft.fftn, "ifft": np.fft.ifftn}
INVERSE = {"fft": "ifft", "ifft": "fft"}


def fft_adjoint(ct: Any, x: Any, name: str, axes: Any, norm: Any) -> Any:
    """The adjoint of a transform of x (cut or filled with zeros to the shape of ct), real where x is real."""
    if axes is not None and len({axis % np.ndim(x) for axis in axes}) < len(axes):
        raise UnsupportedError("np.fft over an axis twice", remedy="Write one transform after the other.")
    back = TRANSFORMS[INVERSE[name]](ct, axes=axes, norm=OTHER_NORM[norm])
    return _fitted(back, x)


def last_axes(s: Any) -> tuple:
    """The axes of a transform to the shape s: the last ones."""
    return tuple(range(-len(s), 0))


def fft_like(x: Any, like: Any, name: str, axes: Any, norm: Any) -> Any:
    """The transform of x, cut or filled with zeros to the shape of an example."""
    axes = range(np.ndim(like)) if axes is None else axes
    return TRANSFORMS[name](x, s=[like.shape[axis] for axis in axes], axes=axes, norm=norm)


def rfft_adjoint(ct: Any, x: Any, n: Any, axis: int, norm: Any) -> Any:
    """The adjoint of np.fft.rfft(x, n, axis, norm)."""
    size = x.shape[axis] if n is None else n
    parts = np.moveaxis(ct.copy(), axis, 0)
    parts[1:(size + 1) // 2] *= 0.5                           # those that stand for two frequencies of a real signal
    return _fitted(np.fft.irfft(np.moveaxis(parts, 0, axis), size, axis, OTHER_NORM[norm]), x)


def irfft_adjoint(ct: Any, x: Any, n: Any, axis: int, norm: Any) -> Any:
    """The adjoint of np.fft.irfft(x, n, axis, norm): frequencies that stand for two count twice."""
    back = np.moveaxis(np.fft.rfft(np.real(ct), axis=axis, norm=OTHER_NORM[norm]), axis, 0)
    back[1:(ct.shape[axis] + 1) // 2] *= 2.0
    return _fitted(np.moveaxis(back, 0, axis), x)


def _resized(x: Any, size: int, axis: int) -> Any:
    parts = np.moveaxis(x, axis, 0)
    result = np.zeros((size, *parts.shape[1:]), x.dtype)
    count = min(size, len(parts))
    result[:count] = parts[:count]
    return np.moveaxis(result, 0, axis)


def _fitted(back: Any, x: Any) -> Any:
    """Cut or filled with zeros to the shape of x, and real where x is real."""
    for axis, size in enumerate(x.shape):
        if back.shape[axis] != size:
            back = _resized(back, size, axis)
    return back if np.iscomplexobj(x) or not np.iscomplexobj(back) else np.real(back).copy()
