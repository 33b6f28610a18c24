"""Rules of np.fft: a transform is a linear map F, so x receives conj(F).T @ ct, which is the other transform.

What is written for complex x holds for real x, too: the adjoint is real then. Axes that were cut are filled with zeros,
and those that were filled are cut.
"""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import ANY, Const, Kind, Num, as_num
from sourcegrad.rules.core import COMPLEX, REAL, nondifferentiable, rule, sample
from sourcegrad.rules.shape_kinds import same, shaped_like
from sourcegrad.runtime import fft_adjoint, fft_like, irfft_adjoint, rfft_adjoint

nondifferentiable(np.fft.fftfreq, np.fft.rfftfreq)


def transformed(a: Kind, n: Kind = Const(None), *rest: Kind, **options: Kind) -> Kind:
    """A complex array of the same shape, unless another size is asked for."""
    kind = as_num(a)
    if not isinstance(kind, Num):
        return ANY
    known = n == Const(None) and options.get("s", n) == Const(None)
    dtype = "complex128" if kind.dtype in ("float64", "complex128") else None
    dims = kind.dims if known else kind.dims and (None,) * len(kind.dims)
    return Num(dtype, dims, True)


def real_or_half(dtype: str) -> object:
    def kind(a: Kind, *rest: Kind, **options: Kind) -> Kind:
        found = as_num(a)
        if not isinstance(found, Num):
            return ANY
        known = found.dtype in ("float64", "complex128")
        return Num(dtype if known else None, found.dims and (None,) * len(found.dims), True)
    return kind


ONE = [sample(REAL(4)), sample(COMPLEX(5)), sample(COMPLEX(2, 3), axis=0), sample(COMPLEX(4), 3), sample(REAL(3), 5),
       sample(COMPLEX(2, 4), 3, 1, "ortho"), sample(REAL(3, 2), axis=-2, norm="forward"), sample(COMPLEX(1))]
TWO = [sample(REAL(3, 2)), sample(COMPLEX(2, 2, 3)), sample(COMPLEX(3, 2), (2, 3)), sample(REAL(2, 3, 2), axes=(0, 1)),
       sample(COMPLEX(2, 3), norm="ortho")]
ANY_AXES = [*TWO, sample(COMPLEX(2, 3, 2)), sample(REAL(4)), sample(COMPLEX(3, 4), axes=(1,)), sample(COMPLEX(3, 4), (2,), (0,))]


# --- complex transforms ---------------------------------------------------------------------------------

@rule(np.fft.fft, kind=transformed, samples=ONE)
def fft(ct, out, a, n=None, axis=-1, norm=None):
    return fft_adjoint(ct, a, "fft", (axis,), norm)


@rule(np.fft.ifft, kind=transformed, samples=ONE)
def ifft(ct, out, a, n=None, axis=-1, norm=None):
    return fft_adjoint(ct, a, "ifft", (axis,), norm)


@rule(np.fft.fft2, kind=transformed, samples=TWO)
def fft2(ct, out, a, s=None, axes=(-2, -1), norm=None):
    return fft_adjoint(ct, a, "fft", axes, norm)


@rule(np.fft.ifft2, kind=transformed, samples=TWO)
def ifft2(ct, out, a, s=None, axes=(-2, -1), norm=None):
    return fft_adjoint(ct, a, "ifft", axes, norm)


@rule(np.fft.fftn, kind=transformed, samples=ANY_AXES)
def fftn(ct, out, a, s=None, axes=None, norm=None):
    return fft_adjoint(ct, a, "fft", axes, norm)


@rule(np.fft.ifftn, kind=transformed, samples=ANY_AXES)
def ifftn(ct, out, a, s=None, axes=None, norm=None):
    return fft_adjoint(ct, a, "ifft", axes, norm)


# --- of real values -------------------------------------------------------------------------------------

@rule(np.fft.rfft, kind=real_or_half("complex128"), samples=[
    sample(REAL(4)), sample(REAL(5)), sample(REAL(2, 3), axis=0), sample(REAL(4), 3), sample(REAL(3), 6),
    sample(REAL(2, 4), 5, 1, "ortho"), sample(REAL(3, 2), axis=-2, norm="forward"), sample(REAL(1))])
def rfft(ct, out, a, n=None, axis=-1, norm=None):
    return rfft_adjoint(ct, a, n, axis, norm)


@rule(np.fft.irfft, kind=real_or_half("float64"), samples=[
    sample(COMPLEX(3)), sample(COMPLEX(3), 5), sample(COMPLEX(2, 3), axis=0), sample(COMPLEX(4), 4), sample(COMPLEX(2), 6),
    sample(COMPLEX(2, 4), 5, 1, "ortho"), sample(COMPLEX(3, 2), axis=-2, norm="forward"), sample(REAL(3))])
def irfft(ct, out, a, n=None, axis=-1, norm=None):
    return irfft_adjoint(ct, a, n, axis, norm)


# --- shifts ---------------------------------------------------------------------------------------------

SHIFTS = [sample(REAL(4)), sample(REAL(5)), sample(COMPLEX(2, 3)), sample(REAL(3, 4), axes=1), sample(REAL(3, 4), (0,))]


@rule(np.fft.fftshift, kind=same, samples=SHIFTS)
def fftshift(ct, out, x, axes=None):
    return np.fft.ifftshift(ct, axes)


@rule(np.fft.ifftshift, kind=same, samples=SHIFTS)
def ifftshift(ct, out, x, axes=None):
    return np.fft.fftshift(ct, axes)


# --- the helpers themselves -----------------------------------------------------------------------------

@rule(fft_adjoint, kind=shaped_like(1), samples=[
    sample(COMPLEX(4), REAL(3), "fft", (-1,), None), sample(COMPLEX(2, 3), COMPLEX(2, 4), "ifft", (1,), "ortho"),
    sample(COMPLEX(2, 3), COMPLEX(2, 3), "fft", None, "forward")])
def fft_adjoint_rule(ct, out, y, x, name, axes, norm):
    return fft_like(ct, y, name, axes, norm)


@rule(fft_like, samples=[
    sample(REAL(3), COMPLEX(4), "fft", (-1,), None), sample(COMPLEX(2, 4), COMPLEX(2, 3), "ifft", (1,), "ortho"),
    sample(COMPLEX(2, 3), COMPLEX(2, 3), "fft", None, "forward")])
def fft_like_rule(ct, out, x, like, name, axes, norm):
    return fft_adjoint(ct, x, name, axes, norm)


@rule(rfft_adjoint, kind=shaped_like(1), samples=[
    sample(COMPLEX(3), REAL(4), None, -1, None), sample(COMPLEX(2, 3), REAL(2, 4), 5, 1, "ortho")])
def rfft_adjoint_rule(ct, out, y, x, n, axis, norm):
    if n is None:
        return np.fft.rfft(ct, axis=axis, norm=norm)
    return np.fft.rfft(ct, n, axis, norm)


@rule(irfft_adjoint, kind=shaped_like(1), samples=[
    sample(REAL(4), COMPLEX(3), None, -1, None), sample(REAL(2, 5), COMPLEX(2, 3), 5, 1, "ortho")])
def irfft_adjoint_rule(ct, out, y, x, n, axis, norm):
    return np.fft.irfft(ct, np.shape(y)[axis], axis, norm)
