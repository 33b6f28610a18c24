"""Transforms of scipy.fft: those of Fourier by NumPy, cosine and sine transforms by rules."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft as scipy_fft, fftpack

from sourcegrad.kinds import DISCRETE, Kind, Num
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import COMPLEX, REAL, declare, nondifferentiable, rule, sample
from sourcegrad.runtime import no_formula


def fft(x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.fft"""
    return np.fft.fft(x, n, axis, norm)


def ifft(x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.ifft"""
    return np.fft.ifft(x, n, axis, norm)


def rfft(x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.rfft"""
    return np.fft.rfft(x, n, axis, norm)


def irfft(x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.irfft"""
    return np.fft.irfft(x, n, axis, norm)


def fft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.fft2"""
    return np.fft.fft2(x, s, axes, norm)


def ifft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.ifft2"""
    return np.fft.ifft2(x, s, axes, norm)


def fftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.fftn"""
    return np.fft.fftn(x, s, axes, norm)


def ifftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.ifftn"""
    return np.fft.ifftn(x, s, axes, norm)


def rfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.rfft2"""
    return np.fft.rfft2(x, s, axes, norm)


def irfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.irfft2"""
    return np.fft.irfft2(x, s, axes, norm)


def rfftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.rfftn"""
    return np.fft.rfftn(x, s, axes, norm)


def irfftn(x: Any, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.irfftn"""
    return np.fft.irfftn(x, s, axes, norm)


def hfft(x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.hfft"""
    return np.fft.hfft(x, n, axis, norm)


def ihfft(x: Any, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False, workers: Any = None) -> Any:
    """numpy.fft.ihfft"""
    return np.fft.ihfft(x, n, axis, norm)


def fftshift(x: Any, axes: Any = None) -> Any:
    """numpy.fft.fftshift"""
    return np.fft.fftshift(x, axes)


def ifftshift(x: Any, axes: Any = None) -> Any:
    """numpy.fft.ifftshift"""
    return np.fft.ifftshift(x, axes)


# --- cosine and sine transforms (V. Britanak, P. C. Yip and K. R. Rao 2007) -----------------------------------

def cosine(x: Any, type: int, axis: int, norm: Any) -> Any:
    """A cosine transform"""
    return scipy_fft.dct(x, type, None, axis, norm)


def sine(x: Any, type: int, axis: int, norm: Any) -> Any:
    """A sine transform"""
    return scipy_fft.dst(x, type, None, axis, norm)


def ends(x: Any, axis: int, first: float, inner: float, last: float) -> Any:
    """x times the weights of the first, the inner and the last places along an axis"""
    weights = np.full(x.shape[axis], inner)
    weights[-1], weights[0] = last, first
    return x * weights.reshape([-1 if k == axis % x.ndim else 1 for k in range(x.ndim)]).astype(x.real.dtype)


def cosine_adjoint(ct: Any, type: int, axis: int, norm: Any) -> Any:
    """The transposed transform. An orthonormal one is its inverse; otherwise types 2 and 3 are each other's, but for the weight of
    the first place, and type 1 has weights 1 at both ends and 2 between"""
    if norm == "ortho":
        return cosine(ct, {2: 3, 3: 2}.get(type, type), axis, norm)
    if type == 1:
        return ends(cosine(ends(ct, axis, 1.0, 0.5, 1.0), 1, axis, norm), axis, 1.0, 2.0, 1.0)
    if type == 2:
        return cosine(ends(ct, axis, 2.0, 1.0, 1.0 if ct.shape[axis] > 1 else 2.0), 3, axis, norm)
    if type == 3:
        return ends(cosine(ct, 2, axis, norm), axis, 0.5, 1.0, 1.0 if ct.shape[axis] > 1 else 0.5)
    return cosine(ct, 4, axis, norm)


def sine_adjoint(ct: Any, type: int, axis: int, norm: Any) -> Any:
    """The transposed transform: as that of a cosine transform, with the last place; type 1 is symmetric"""
    if norm == "ortho":
        return sine(ct, {2: 3, 3: 2}.get(type, type), axis, norm)
    if type == 2:
        return sine(ends(ct, axis, 1.0 if ct.shape[axis] > 1 else 2.0, 1.0, 2.0), 3, axis, norm)
    if type == 3:
        return ends(sine(ct, 2, axis, norm), axis, 1.0 if ct.shape[axis] > 1 else 0.5, 1.0, 0.5)
    return sine(ct, type, axis, norm)


def wave_kind(x: Kind, *_: Kind) -> Kind:
    """Numbers of double precision, of the same shape."""
    model = leaf(x)
    return Num(model.dtype if model.dtype in ("float64", "complex128") else None, model.dims, True)


WAVES = [sample(REAL(5), kind, 0, norm) for kind in (1, 2, 3, 4) for norm in (None, "ortho", "forward")] + [
    sample(COMPLEX(2, 3), 2, 0, None), sample(REAL(2, 4), 3, -1, None), sample(REAL(1), 2, 0, None), sample(REAL(1), 3, 0,
        "forward")]


@rule(cosine, tangent="linear", order="other", kind=wave_kind, samples=WAVES)
def cosine_rule(ct, out, x, type, axis, norm):
    """out = M x"""
    return cosine_adjoint(ct, type, axis, norm)


@rule(cosine_adjoint, tangent="linear", order="other", kind=wave_kind, samples=WAVES)
def cosine_adjoint_rule(ct, out, x, type, axis, norm):
    """out = M^T x"""
    return cosine(ct, type, axis, norm)


@rule(sine, tangent="linear", order="other", kind=wave_kind, samples=WAVES)
def sine_rule(ct, out, x, type, axis, norm):
    """out = M x"""
    return sine_adjoint(ct, type, axis, norm)


@rule(sine_adjoint, tangent="linear", order="other", kind=wave_kind, samples=WAVES)
def sine_adjoint_rule(ct, out, x, type, axis, norm):
    """out = M^T x"""
    return sine(ct, type, axis, norm)


def sized(x: Any, n: Any, axis: int, orthogonalize: Any) -> Any:
    """Values, cut or filled with zeros to a size"""
    if orthogonalize is not None:
        no_formula(x, "a cosine or sine transform of scipy.fft with orthogonalize")
    x = np.asarray(x)
    if n is None or n == x.shape[axis]:
        return x
    front = np.moveaxis(x, axis, -1)
    filled = front[..., :n] if n < front.shape[-1] else np.concatenate([front, np.zeros((*front.shape[:-1],
                                                                                         n - front.shape[-1]))], axis=-1)
    return np.moveaxis(filled, -1, axis)


def opposite(type: int, norm: Any) -> tuple:
    """Type and norm of the inverse transform"""
    return {2: 3, 3: 2}.get(type, type), {"ortho": "ortho", "forward": "backward"}.get(norm, "forward")


nondifferentiable(opposite, kind=lambda type, norm: DISCRETE)


def dct(x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False, workers: Any = None,
        orthogonalize: Any = None) -> Any:
    """The cosine transform of a type"""
    return cosine(sized(x, n, axis, orthogonalize), type, axis, norm)


def idct(x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False, workers: Any = None,
         orthogonalize: Any = None) -> Any:
    """The inverse of `dct`"""
    kind, scale = opposite(type, norm)
    return cosine(sized(x, n, axis, orthogonalize), kind, axis, scale)


def dst(x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False, workers: Any = None,
        orthogonalize: Any = None) -> Any:
    """The sine transform of a type"""
    return sine(sized(x, n, axis, orthogonalize), type, axis, norm)


def idst(x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, overwrite_x: bool = False, workers: Any = None,
         orthogonalize: Any = None) -> Any:
    """The inverse of `dst`"""
    kind, scale = opposite(type, norm)
    return sine(sized(x, n, axis, orthogonalize), kind, axis, scale)


def sizes(x: Any, s: Any, axes: Any) -> tuple:
    """Axes and sizes of a transform along several"""
    if axes is None:
        axes = range(np.ndim(x)) if s is None else range(np.ndim(x) - len(s), np.ndim(x))
    axes = [axes] if isinstance(axes, int) else list(axes)
    return axes, [None] * len(axes) if s is None else [s] if isinstance(s, int) else list(s)


nondifferentiable(sizes, kind=lambda x, s, axes: DISCRETE)


def dctn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False, workers: Any = None,
         *,
         orthogonalize: Any = None) -> Any:
    """`dct` along one axis after the other"""
    chosen, lengths = sizes(x, s, axes)
    y = np.asarray(x)
    for k in range(len(chosen)):
        y = cosine(sized(y, lengths[k], chosen[k], orthogonalize), type, chosen[k], norm)
    return y


def idctn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False, workers: Any = None,
          orthogonalize: Any = None) -> Any:
    """The inverse of `dctn`"""
    kind, scale = opposite(type, norm)
    return dctn(x, kind, s, axes, scale, orthogonalize=orthogonalize)


def dstn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False, workers: Any = None,
         orthogonalize: Any = None) -> Any:
    """`dst` along one axis after the other"""
    chosen, lengths = sizes(x, s, axes)
    y = np.asarray(x)
    for k in range(len(chosen)):
        y = sine(sized(y, lengths[k], chosen[k], orthogonalize), type, chosen[k], norm)
    return y


def idstn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: bool = False, workers: Any = None,
          orthogonalize: Any = None) -> Any:
    """The inverse of `dstn`"""
    kind, scale = opposite(type, norm)
    return dstn(x, kind, s, axes, scale, orthogonalize=orthogonalize)


def diff(x: Any, order: int = 1, period: Any = None, _cache: Any = None) -> Any:
    """scipy.fftpack.diff: the derivative (or integral) of a periodic sequence, wave by wave"""
    y = np.asarray(x) + 0.0
    if order == 0:
        return y
    found = np.fft.ifft(np.fft.fft(y) * multipliers(y.shape[-1], order))
    scaled = found if period is None else found * (2.0 * np.pi / period) ** order
    return scaled if np.iscomplexobj(y) else np.real(scaled)


def multipliers(size: int, order: int) -> Any:
    """(i k)^order; the constant has no integral, and the fastest wave of an even number of points no odd derivative"""
    k = np.fft.fftfreq(size, 1.0 / size)
    if order % 2 and size % 2 == 0:
        k[size // 2] = 0.0
    return np.where(k == 0.0, 0.0, (1j * np.where(k == 0.0, 1.0, k)) ** order)


nondifferentiable(multipliers, kind=lambda size, order: Num("complex128", (None,), True))
declare("instead", {
    fftpack.diff: diff,
    scipy_fft.fft: fft, scipy_fft.ifft: ifft, scipy_fft.rfft: rfft, scipy_fft.irfft: irfft, scipy_fft.fft2: fft2,
    scipy_fft.ifft2: ifft2, scipy_fft.fftn: fftn, scipy_fft.ifftn: ifftn, scipy_fft.rfft2: rfft2, scipy_fft.irfft2: irfft2,
    scipy_fft.rfftn: rfftn, scipy_fft.irfftn: irfftn, scipy_fft.hfft: hfft, scipy_fft.ihfft: ihfft, scipy_fft.fftshift: fftshift,
    scipy_fft.ifftshift: ifftshift, scipy_fft.dct: dct, scipy_fft.idct: idct, scipy_fft.dst: dst, scipy_fft.idst: idst,
    scipy_fft.dctn: dctn, scipy_fft.idctn: idctn, scipy_fft.dstn: dstn, scipy_fft.idstn: idstn})
