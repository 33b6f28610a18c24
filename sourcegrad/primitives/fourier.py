"""Rules of np.fft: a transform is a linear map F, so x receives conj(F).T @ ct, which is the other transform.

What is written for complex x holds for real x, too: the adjoint is real then. Axes that were cut are filled with zeros,
and those that were filled are cut.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.kinds import ANY, INT, Const, Kind, Num, Tup, as_num
from sourcegrad.kinds.results import constant, dtype_of, leaf, normalized, real_like
from sourcegrad.primitives.core import COMPLEX, NONZERO, POSITIVE, REAL, conj, describe, nondifferentiable, rule, sample
from sourcegrad.primitives.shapes import same_kind
from sourcegrad.runtime import fft_adjoint, fft_like, irfft_adjoint, last_axes, rfft_adjoint


def transformed(a: Kind, n: Kind = Const(None), *rest: Kind, **options: Kind) -> Kind:
    """A complex array of the same shape, unless another size is asked for."""
    kind = leaf(a)
    known = n == Const(None) and options.get("s", n) == Const(None)
    dims = kind.dims if known else kind.dims and (None,) * len(kind.dims)
    return Num(dtype_of(np.fft.fft, Num(kind.dtype, (1,), True)), dims, True)


def real_or_half(function: Callable, size: Callable) -> Callable:
    """Kind function of `rfft(a, n=None, axis=-1)` and its like, from the size that takes the place of another."""
    def kind(a: Kind, n: Kind = Const(None), axis: Kind = Const(-1), *rest: Kind, **options: Kind) -> Kind:
        found = leaf(a)
        dtype = dtype_of(function, Num(found.dtype, (1,), True))
        if found.dims is None:
            return Num(dtype, None, True)
        (place,) = normalized(constant(axis), len(found.dims))
        asked = n.value if isinstance(n, Const) else ANY
        return Num(dtype, found.dims[:place] + (size(found.dims[place], asked),) + found.dims[place + 1:], True)
    return kind


def half(size: Any, asked: Any) -> Any:
    size = size if asked is None else asked
    return size // 2 + 1 if isinstance(size, int) else None


def whole(size: Any, asked: Any) -> Any:
    if isinstance(asked, int):
        return asked
    return 2 * (size - 1) if asked is None and isinstance(size, int) else None


def _two(x: Any) -> Any:
    return np.fft.irfft(x, 2)


def adjoint_kind(ct: Kind, x: Kind, *_: Kind) -> Kind:
    """In the shape of x, and real where that is."""
    given, model = leaf(ct), leaf(x)
    return Num(real_like(dtype_of(np.fft.fft, Num(given.dtype, (1,), True)), model), model.dims, True)


def real_adjoint_kind(ct: Kind, x: Kind, *_: Kind) -> Kind:
    """In the shape of x, and real in any case."""
    kind = adjoint_kind(ct, x)
    return kind if isinstance(kind, Num) and kind.is_complex is False else Num(None, leaf(x).dims, True, real=True)


def like_example(x: Kind, like: Kind, name: Kind, axes: Kind, norm: Kind) -> Kind:
    given, model = leaf(x), leaf(like)
    dtype = dtype_of(np.fft.fft, Num(given.dtype, (1,), True))
    if given.dims is None or model.dims is None:
        return Num(dtype, None, True)
    chosen = normalized(constant(axes), len(model.dims))
    return Num(dtype, tuple(new if k in chosen else old for k, (old, new) in enumerate(zip(given.dims, model.dims))), True)


def frequencies(count: Callable) -> Callable:
    def kind(n: Kind, d: Kind = Const(1.0), **_: Kind) -> Kind:
        spacing = as_num(d)
        plain = isinstance(spacing, Num) and spacing.is_scalar and spacing.dtype in ("pyfloat", "float64", "pyint")
        return Num("float64" if plain else None, (count(n),), True)
    return kind


def _asked(n: Kind) -> Any:
    return n.value if isinstance(n, Const) else getattr(as_num(n), "size", None)


nondifferentiable(last_axes, kind=lambda s: Tup((INT,) * len(s.items)) if isinstance(s, Tup) else (
    Const(tuple(range(-len(s.value), 0))) if isinstance(s, Const) and isinstance(s.value, tuple) else ANY))


@rule(np.fft.fftfreq, order="other", kind=frequencies(_asked), samples=[sample(4, NONZERO()), sample(5, POSITIVE())])
def fftfreq(ct, out, n, d=1.0, device=None):
    """out = k / (n d)"""
    return None, -np.sum(ct * conj(out)) / conj(d)


@rule(np.fft.rfftfreq, order="other",
      kind=frequencies(lambda n: half(_asked(n), None)), samples=[sample(4, NONZERO()), sample(5, POSITIVE())])
def rfftfreq(ct, out, n, d=1.0, device=None):
    """out = k / (n d)"""
    return None, -np.sum(ct * conj(out)) / conj(d)


ONE = [sample(REAL(4)), sample(COMPLEX(5)), sample(COMPLEX(2, 3), axis=0), sample(COMPLEX(4), 3), sample(REAL(3), 5),
       sample(COMPLEX(2, 4), 3, 1, "ortho"), sample(REAL(3, 2), axis=-2, norm="forward"), sample(COMPLEX(1))]
TWO = [sample(REAL(3, 2)), sample(COMPLEX(2, 2, 3)), sample(COMPLEX(3, 2), (2, 3)), sample(REAL(2, 3, 2), axes=(0, 1)),
       sample(COMPLEX(2, 3), norm="ortho")]
ANY_AXES = [*TWO, sample(COMPLEX(2, 3, 2)), sample(REAL(4)), sample(COMPLEX(3, 4), axes=(1,)), sample(COMPLEX(3, 4), (2,), (0,)),
            sample(REAL(3, 4), (5,)), sample(COMPLEX(2, 3, 2), (4, 1))]


# --- complex transforms ---------------------------------------------------------------------------------

@rule(np.fft.fft, tangent="linear", order="other", kind=transformed, samples=ONE)
def fft(ct, out, a, n=None, axis=-1, norm=None):
    return fft_adjoint(ct, a, "fft", (axis,), norm)


@rule(np.fft.ifft, tangent="linear", order="other", kind=transformed, samples=ONE)
def ifft(ct, out, a, n=None, axis=-1, norm=None):
    return fft_adjoint(ct, a, "ifft", (axis,), norm)


@rule(np.fft.fft2, tangent="linear", order="other", kind=transformed, samples=TWO)
def fft2(ct, out, a, s=None, axes=(-2, -1), norm=None):
    if axes is None and s is not None:
        return fft_adjoint(ct, a, "fft", last_axes(s), norm)
    return fft_adjoint(ct, a, "fft", axes, norm)


@rule(np.fft.ifft2, tangent="linear", order="other", kind=transformed, samples=TWO)
def ifft2(ct, out, a, s=None, axes=(-2, -1), norm=None):
    if axes is None and s is not None:
        return fft_adjoint(ct, a, "ifft", last_axes(s), norm)
    return fft_adjoint(ct, a, "ifft", axes, norm)


@rule(np.fft.fftn, tangent="linear", order="other", kind=transformed, samples=ANY_AXES)
def fftn(ct, out, a, s=None, axes=None, norm=None):
    if axes is None and s is not None:
        return fft_adjoint(ct, a, "fft", last_axes(s), norm)
    return fft_adjoint(ct, a, "fft", axes, norm)


@rule(np.fft.ifftn, tangent="linear", order="other", kind=transformed, samples=ANY_AXES)
def ifftn(ct, out, a, s=None, axes=None, norm=None):
    if axes is None and s is not None:
        return fft_adjoint(ct, a, "ifft", last_axes(s), norm)
    return fft_adjoint(ct, a, "ifft", axes, norm)


# --- of real values -------------------------------------------------------------------------------------

@rule(np.fft.rfft, tangent="linear", order="other", kind=real_or_half(np.fft.rfft, half), samples=[
    sample(REAL(4)), sample(REAL(5)), sample(REAL(2, 3), axis=0), sample(REAL(4), 3), sample(REAL(3), 6),
    sample(REAL(2, 4), 5, 1, "ortho"), sample(REAL(3, 2), axis=-2, norm="forward"), sample(REAL(1))])
def rfft(ct, out, a, n=None, axis=-1, norm=None):
    return rfft_adjoint(ct, a, n, axis, norm)


@rule(np.fft.irfft, tangent="linear", real="always", order="other", kind=real_or_half(_two, whole), samples=[
    sample(COMPLEX(3)), sample(COMPLEX(3), 5), sample(COMPLEX(2, 3), axis=0), sample(COMPLEX(4), 4), sample(COMPLEX(2), 6),
    sample(COMPLEX(2, 4), 5, 1, "ortho"), sample(COMPLEX(3, 2), axis=-2, norm="forward"), sample(REAL(3))])
def irfft(ct, out, a, n=None, axis=-1, norm=None):
    return irfft_adjoint(ct, a, n, axis, norm)


# --- shifts ---------------------------------------------------------------------------------------------

SHIFTS = [sample(REAL(4)), sample(REAL(5)), sample(COMPLEX(2, 3)), sample(REAL(3, 4), axes=1), sample(REAL(3, 4), (0,))]


@rule(np.fft.fftshift, tangent="linear", order="other", kind=same_kind, samples=SHIFTS)
def fftshift(ct, out, x, axes=None):
    return np.fft.ifftshift(ct, axes)


@rule(np.fft.ifftshift, tangent="linear", order="other", kind=same_kind, samples=SHIFTS)
def ifftshift(ct, out, x, axes=None):
    return np.fft.fftshift(ct, axes)


# --- the helpers themselves -----------------------------------------------------------------------------

@rule(fft_adjoint, tangent="linear", order="other", kind=adjoint_kind, samples=[
    sample(COMPLEX(4), REAL(3), "fft", (-1,), None), sample(COMPLEX(2, 3), COMPLEX(2, 4), "ifft", (1,), "ortho"),
    sample(COMPLEX(2, 3), COMPLEX(2, 3), "fft", None, "forward")])
def fft_adjoint_rule(ct, out, y, x, name, axes, norm):
    return fft_like(ct, y, name, axes, norm)


@rule(fft_like, tangent="linear", order="other", kind=like_example, samples=[
    sample(REAL(3), COMPLEX(4), "fft", (-1,), None), sample(COMPLEX(2, 4), COMPLEX(2, 3), "ifft", (1,), "ortho"),
    sample(COMPLEX(2, 3), COMPLEX(2, 3), "fft", None, "forward")])
def fft_like_rule(ct, out, x, like, name, axes, norm):
    return fft_adjoint(ct, x, name, axes, norm)


@rule(rfft_adjoint, tangent="linear", order="other", kind=real_adjoint_kind, samples=[
    sample(COMPLEX(3), REAL(4), None, -1, None), sample(COMPLEX(2, 3), REAL(2, 4), 5, 1, "ortho")])
def rfft_adjoint_rule(ct, out, y, x, n, axis, norm):
    if n is None:
        return np.fft.rfft(ct, axis=axis, norm=norm)
    return np.fft.rfft(ct, n, axis, norm)


@rule(irfft_adjoint, tangent="linear", kind=adjoint_kind, samples=[
    sample(REAL(4), COMPLEX(3), None, -1, None), sample(REAL(2, 5), COMPLEX(2, 3), 5, 1, "ortho")])
def irfft_adjoint_rule(ct, out, y, x, n, axis, norm):
    return np.fft.irfft(ct, np.shape(y)[axis], axis, norm)

# what is rewritten by others of these
describe(np.fft.rfftn, np.fft.rfft2, np.fft.ihfft, order="other")
describe(np.fft.irfftn, np.fft.irfft2, np.fft.hfft, real="always", order="other")
