"""The operations of Tensors as plain NumPy programs. There is no derivative here: the pipeline generates them.

What stands before the `*` are operands, what stands after it are options.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sourcegrad.ir.source import keep

Programs = dict[str, tuple[str, str, str]]      # name -> node of the operation of this name (if any), parameters, expression


def define(programs: Programs, module: dict[str, Any], filename: str) -> None:
    """The functions of a table, made in a module: each returns one expression."""
    text = "\n\n".join(f"def {name}({parameters}):\n    return {value}\n" for name, (_, parameters, value) in programs.items())
    keep(filename, text)
    exec(compile(text, filename, "exec"), module)


PROGRAMS: Programs = {
    "add": ("Add", "x, y", "x + y"),
    "sub": ("Sub", "x, y", "x - y"),
    "rsub": ("Rsub", "x, y", "y - x"),
    "mul": ("Mul", "x, y", "x * y"),
    "div": ("Div", "x, y", "x / y"),
    "neg": ("Neg", "x", "-x"),
    "power": ("", "x, y", "x**y"),
    "matmul": ("Mm", "x, y", "x @ y"),
    "remainder": ("Remainder", "x, y", "x % y"),
    "fmod": ("Fmod", "x, y", "np.fmod(x, y)"),
    "absolute": ("", "x", "np.abs(x)"),
    "sign": ("Sign", "x", "np.sign(x)"),
    "sin": ("Sin", "x", "np.sin(x)"),
    "cos": ("Cos", "x", "np.cos(x)"),
    "tan": ("Tan", "x", "np.tan(x)"),
    "asin": ("Asin", "x", "np.arcsin(x)"),
    "acos": ("Acos", "x", "np.arccos(x)"),
    "atan": ("Atan", "x", "np.arctan(x)"),
    "atan2": ("Atan2", "x, y", "np.arctan2(x, y)"),
    "sinh": ("Sinh", "x", "np.sinh(x)"),
    "cosh": ("Cosh", "x", "np.cosh(x)"),
    "tanh": ("Tanh", "x", "np.tanh(x)"),
    "asinh": ("Asinh", "x", "np.arcsinh(x)"),
    "acosh": ("Acosh", "x", "np.arccosh(x)"),
    "atanh": ("Atanh", "x", "np.arctanh(x)"),
    "exp": ("Exp", "x", "np.exp(x)"),
    "exp2": ("Exp2", "x", "np.exp2(x)"),
    "expm1": ("Expm1", "x", "np.expm1(x)"),
    "log": ("Log", "x", "np.log(x)"),
    "log2": ("Log2", "x", "np.log2(x)"),
    "log10": ("Log10", "x", "np.log10(x)"),
    "log1p": ("Log1P", "x", "np.log1p(x)"),
    "sqrt": ("Sqrt", "x", "np.sqrt(x)"),
    "rsqrt": ("Rsqrt", "x", "1.0 / np.sqrt(x)"),
    "square": ("Pow", "x", "x**2"),
    "reciprocal": ("Reciprocal", "x", "1.0 / x"),
    "sigmoid": ("Sigmoid", "x", "0.5 + 0.5 * np.tanh(0.5 * x)"),
    "logsigmoid": ("LogSigmoid", "x", "-np.logaddexp(0.0, -x)"),
    "relu": ("Relu", "x", "np.where(x <= 0, np.zeros_like(x), x)"),
    "floor": ("Floor", "x", "np.floor(x)"),
    "ceil": ("Ceil", "x", "np.ceil(x)"),
    "trunc": ("Trunc", "x", "np.trunc(x)"),
    "round_": ("", "x, *, decimals", "np.round(x, decimals)"),
    "frac": ("Frac", "x", "x - np.trunc(x)"),
    "hypot": ("Hypot", "x, y", "np.hypot(x, y)"),
    "logaddexp": ("Logaddexp", "x, y", "np.logaddexp(x, y)"),
    "maximum": ("Maximum", "x, y", "np.maximum(x, y)"),
    "minimum": ("Minimum", "x, y", "np.minimum(x, y)"),
    "fmax": ("Fmax", "x, y", "np.fmax(x, y)"),
    "fmin": ("Fmin", "x, y", "np.fmin(x, y)"),
    "clamp": ("Clamp", "x, low, high", "np.where(x >= high, high, np.where(x <= low, low, x))"),
    "clamp_min": ("ClampMin", "x, low", "np.where(x <= low, low, x)"),
    "clamp_max": ("ClampMax", "x, high", "np.where(x >= high, high, x)"),
    "clamp_by": ("Clamp", "x, low, high", "np.where(low == high, np.where(x < low, low, np.where(x > high, high, x)), "
                                          "np.minimum(np.maximum(x, low), high))"),
    "where": ("Where", "condition, x, y", "np.where(condition, x, y)"),
    "masked_fill": ("MaskedFill", "x, mask, value", "np.where(mask, value, x)"),
    "lerp": ("Lerp", "x, y, weight", "x + weight * (y - x)"),
    "addcmul": ("Addcmul", "x, y, z, value", "x + value * (y * z)"),
    "addcdiv": ("Addcdiv", "x, y, z, value", "x + value * (y / z)"),
    # reductions
    "total": ("", "x, *, dim, keepdim", "np.sum(x, axis=dim, keepdims=keepdim)"),
    "mean": ("Mean", "x, *, dim, keepdim", "np.mean(x, axis=dim, keepdims=keepdim)"),
    "prod": ("Prod", "x, *, dim, keepdim", "np.prod(x, axis=dim, keepdims=keepdim)"),
    "amax": ("Amax", "x, *, dim, keepdim", "np.max(x, axis=dim, keepdims=keepdim)"),
    "amin": ("Amin", "x, *, dim, keepdim", "np.min(x, axis=dim, keepdims=keepdim)"),
    "var": ("Var", "x, *, dim, correction, keepdim", "np.var(x, axis=dim, ddof=correction, keepdims=keepdim)"),
    "std": ("Std", "x, *, dim, correction, keepdim", "np.std(x, axis=dim, ddof=correction, keepdims=keepdim)"),
    "euclidean": ("LinalgVectorNorm", "x, *, dim, keepdim", "np.sqrt(np.sum(x * x, axis=dim, keepdims=keepdim))"),
    "power_norm": ("LinalgVectorNorm", "x, *, p, dim, keepdim", "np.sum(np.abs(x) ** p, axis=dim, keepdims=keepdim) ** (1.0 / p)"),
    "cumsum": ("Cumsum", "x, *, dim", "np.cumsum(x, axis=dim)"),
    "cumprod": ("Cumprod", "x, *, dim", "np.cumprod(x, axis=dim)"),
    "diff": ("Diff", "x, *, n, dim", "np.diff(x, n=n, axis=dim)"),
    # shapes
    "reshape": ("View", "x, *, shape", "np.reshape(x, shape)"),
    "permute": ("Permute", "x, *, dims", "np.transpose(x, dims)"),
    "swapaxes": ("", "x, *, dim0, dim1", "np.swapaxes(x, dim0, dim1)"),
    "squeeze": ("Squeeze", "x, *, dim", "np.squeeze(x, axis=dim)"),
    "unsqueeze": ("Unsqueeze", "x, *, dim", "np.expand_dims(x, dim)"),
    "expand": ("Expand", "x, *, shape", "np.broadcast_to(x, shape)"),
    "repeat": ("Repeat", "x, *, sizes", "np.tile(x, sizes)"),
    "repeat_interleave": ("RepeatInterleave", "x, repeats, *, dim", "np.repeat(x, repeats, axis=dim)"),
    "flip": ("Flip", "x, *, dims", "np.flip(x, axis=dims)"),
    "roll": ("Roll", "x, *, shifts, dims", "np.roll(x, shifts, axis=dims)"),
    "rot90": ("Rot90", "x, *, k, dims", "np.rot90(x, k, dims)"),
    "diagonal": ("Diagonal", "x, *, offset, dim1, dim2", "np.diagonal(x, offset, dim1, dim2)"),
    "diag_embed": ("", "x, *, offset", "np.diag(x, offset)"),
    "tril": ("Tril", "x, *, diagonal", "np.tril(x, diagonal)"),
    "triu": ("Triu", "x, *, diagonal", "np.triu(x, diagonal)"),
    "trace": ("Trace", "x", "np.trace(x)"),
    "clone": ("Clone", "x", "x.copy()"),
    "to_copy": ("", "x, *, dtype", "x.astype(dtype)"),
    "split": ("Split", "x, *, points, dim", "tuple(np.split(x, points, axis=dim))"),
    "pad_constant": ("ConstantPadNd", "x, value, *, widths", "np.pad(x, widths, constant_values=value)"),
    "pad_mode": ("Pad", "x, *, widths, mode", "np.pad(x, widths, mode=mode)"),
    # indexing
    "index": ("Index", "x, key", "x[key]"),
    "index_select": ("IndexSelect", "x, index, *, dim", "np.take(x, index, axis=dim)"),
    "gather": ("Gather", "x, index, *, dim", "np.take_along_axis(x, index, axis=dim)"),
    # products and linear algebra
    "dot": ("Dot", "x, y", "np.dot(x, y)"),
    "outer": ("Outer", "x, y", "np.outer(x, y)"),
    "inner": ("Inner", "x, y", "np.inner(x, y)"),
    "kron": ("Kron", "x, y", "np.kron(x, y)"),
    "cross": ("LinalgCross", "x, y, *, dim", "np.cross(x, y, axis=dim)"),
    "tensordot": ("Tensordot", "x, y, *, dims", "np.tensordot(x, y, axes=dims)"),
    "addmm": ("Addmm", "x, a, b, beta, alpha", "beta * x + alpha * (a @ b)"),
    "linear": ("Addmm", "x, weight, bias", "x @ weight.T + bias"),
    "linear_without_bias": ("Linear", "x, weight", "x @ weight.T"),
    "inverse": ("LinalgInvEx", "x", "np.linalg.inv(x)"),
    "pinv": ("LinalgPinv", "x", "np.linalg.pinv(x)"),
    "det": ("LinalgDet", "x", "np.linalg.det(x)"),
    "logabsdet": ("LinalgSlogdet", "x", "np.linalg.slogdet(x)[1]"),
    "solve": ("LinalgSolveEx", "a, b", "np.linalg.solve(a, b)"),
    "cholesky": ("LinalgCholeskyEx", "x", "np.linalg.cholesky((x + np.conj(np.swapaxes(x, -1, -2))) / 2)"),
    "eigvalsh": ("LinalgEigh", "x", "np.linalg.eigvalsh((x + np.conj(np.swapaxes(x, -1, -2))) / 2)"),
    "svdvals": ("LinalgSvd", "x", "np.linalg.svd(x, compute_uv=False)"),
    "matrix_power": ("MatrixPower", "x, *, n", "np.linalg.matrix_power(x, n)"),
    # complex numbers
    "real": ("Real", "x", "np.real(x)"),
    "imag": ("Imag", "x", "np.imag(x)"),
    "conj": ("Conj", "x", "np.conj(x)"),
    "angle": ("Angle", "x", "np.angle(x)"),
    "complex_": ("", "x, y", "x + 1j * y"),
    "polar": ("Polar", "x, y", "x * np.exp(1j * y)"),
    "sgn": ("Sgn", "x", "x / np.where(np.abs(x) == 0, 1.0, np.abs(x))"),
}
define(PROGRAMS, globals(), "<sourcegrad programs>")


def logsumexp(x, *, dim, keepdim):
    top = np.max(np.real(x), axis=dim, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    return np.log(np.sum(np.exp(x - top), axis=dim, keepdims=keepdim)) + (top if keepdim else np.squeeze(top, axis=dim))


def softmax(x, *, dim):
    e = np.exp(x - np.max(x, axis=dim, keepdims=True))
    return e / np.sum(e, axis=dim, keepdims=True)


def log_softmax(x, *, dim):
    shifted = x - np.max(x, axis=dim, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=dim, keepdims=True))


def put(x, value, key):
    out = x.copy()
    out[key] = value
    return out


def put_add(x, value, key):
    out = x.copy()
    np.add.at(out, key, value)
    return out


def scatter(x, index, src, *, dim):
    out = x.copy()
    np.put_along_axis(out, index, src, axis=dim)
    return out


def picked(x, index, *, dim, keepdim):
    found = np.take_along_axis(x, index, axis=dim)
    return found if keepdim else np.squeeze(found, axis=dim)


def eigh(x):
    values, vectors = np.linalg.eigh((x + np.conj(np.swapaxes(x, -1, -2))) / 2)
    return values, vectors


def svd(x, *, full_matrices):
    u, s, vh = np.linalg.svd(x, full_matrices=full_matrices)
    return u, s, vh


def qr(x):
    q, r = np.linalg.qr(x)
    return q, r
