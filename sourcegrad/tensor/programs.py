"""The operations of Tensors as plain NumPy functions. There is no derivative here: the pipeline generates them.

What stands before the `*` are operands, what stands after it are options.
"""

from __future__ import annotations

import numpy as np


def add(x, y):
    return x + y


def sub(x, y):
    return x - y


def rsub(x, y):
    return y - x


def mul(x, y):
    return x * y


def div(x, y):
    return x / y


def neg(x):
    return -x


def power(x, y):
    return x**y


def positive(x):
    return x * 1


def matmul(x, y):
    return x @ y


def floor_divide(x, y):
    return x // y


def remainder(x, y):
    return x % y


def fmod(x, y):
    return np.fmod(x, y)


def absolute(x):
    return np.abs(x)


def sign(x):
    return np.sign(x)


def sin(x):
    return np.sin(x)


def cos(x):
    return np.cos(x)


def tan(x):
    return np.tan(x)


def asin(x):
    return np.arcsin(x)


def acos(x):
    return np.arccos(x)


def atan(x):
    return np.arctan(x)


def atan2(x, y):
    return np.arctan2(x, y)


def sinh(x):
    return np.sinh(x)


def cosh(x):
    return np.cosh(x)


def tanh(x):
    return np.tanh(x)


def asinh(x):
    return np.arcsinh(x)


def acosh(x):
    return np.arccosh(x)


def atanh(x):
    return np.arctanh(x)


def exp(x):
    return np.exp(x)


def exp2(x):
    return np.exp2(x)


def expm1(x):
    return np.expm1(x)


def log(x):
    return np.log(x)


def log2(x):
    return np.log2(x)


def log10(x):
    return np.log10(x)


def log1p(x):
    return np.log1p(x)


def sqrt(x):
    return np.sqrt(x)


def rsqrt(x):
    return 1.0 / np.sqrt(x)


def square(x):
    return x**2


def reciprocal(x):
    return 1.0 / x


def sigmoid(x):
    return 0.5 + 0.5 * np.tanh(0.5 * x)


def logsigmoid(x):
    return -np.logaddexp(0.0, -x)


def softplus(x, *, beta, threshold):
    return np.where(beta * x > threshold, x, np.logaddexp(0.0, beta * x) / beta)


def relu(x):
    return np.where(x <= 0, 0 * x, x)


def floor(x):
    return np.floor(x)


def ceil(x):
    return np.ceil(x)


def trunc(x):
    return np.trunc(x)


def round_(x, *, decimals):
    return np.round(x, decimals)


def frac(x):
    return x - np.trunc(x)


def hypot(x, y):
    return np.hypot(x, y)


def logaddexp(x, y):
    return np.logaddexp(x, y)


def maximum(x, y):
    return np.maximum(x, y)


def minimum(x, y):
    return np.minimum(x, y)


def clamp(x, low, high):
    return np.clip(x, low, high)


def where(condition, x, y):
    return np.where(condition, x, y)


def masked_fill(x, mask, value):
    return np.where(mask, value, x)


def lerp(x, y, weight):
    return x + weight * (y - x)


def addcmul(x, y, z, value):
    return x + value * (y * z)


def addcdiv(x, y, z, value):
    return x + value * (y / z)


# --- reductions

def total(x, *, dim, keepdim):
    return np.sum(x, axis=dim, keepdims=keepdim)


def mean(x, *, dim, keepdim):
    return np.mean(x, axis=dim, keepdims=keepdim)


def prod(x, *, dim, keepdim):
    return np.prod(x, axis=dim, keepdims=keepdim)


def amax(x, *, dim, keepdim):
    return np.max(x, axis=dim, keepdims=keepdim)


def amin(x, *, dim, keepdim):
    return np.min(x, axis=dim, keepdims=keepdim)


def var(x, *, dim, correction, keepdim):
    return np.var(x, axis=dim, ddof=correction, keepdims=keepdim)


def std(x, *, dim, correction, keepdim):
    return np.std(x, axis=dim, ddof=correction, keepdims=keepdim)


def logsumexp(x, *, dim, keepdim):
    top = np.max(x, axis=dim, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    return np.log(np.sum(np.exp(x - top), axis=dim, keepdims=keepdim)) + (top if keepdim else np.squeeze(top, axis=dim))


def softmax(x, *, dim):
    e = np.exp(x - np.max(x, axis=dim, keepdims=True))
    return e / np.sum(e, axis=dim, keepdims=True)


def log_softmax(x, *, dim):
    shifted = x - np.max(x, axis=dim, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=dim, keepdims=True))


def euclidean(x, *, dim, keepdim):
    return np.sqrt(np.sum(x * x, axis=dim, keepdims=keepdim))


def vector_norm(x, *, ord, dim, keepdim):
    return np.linalg.norm(x, ord=ord, axis=dim, keepdims=keepdim)


def power_norm(x, *, p, dim, keepdim):
    return np.sum(np.abs(x) ** p, axis=dim, keepdims=keepdim) ** (1.0 / p)


def cumsum(x, *, dim):
    return np.cumsum(x, axis=dim)


def cumprod(x, *, dim):
    return np.cumprod(x, axis=dim)


def diff(x, *, n, dim):
    return np.diff(x, n=n, axis=dim)


# --- shapes

def reshape(x, *, shape):
    return np.reshape(x, shape)


def permute(x, *, dims):
    return np.transpose(x, dims)


def swapaxes(x, *, dim0, dim1):
    return np.swapaxes(x, dim0, dim1)


def squeeze(x, *, dim):
    return np.squeeze(x, axis=dim)


def unsqueeze(x, *, dim):
    return np.expand_dims(x, dim)


def expand(x, *, shape):
    return np.broadcast_to(x, shape)


def repeat(x, *, sizes):
    return np.tile(x, sizes)


def repeat_interleave(x, repeats, *, dim):
    return np.repeat(x, repeats, axis=dim)


def flip(x, *, dims):
    return np.flip(x, axis=dims)


def roll(x, *, shifts, dims):
    return np.roll(x, shifts, axis=dims)


def rot90(x, *, k, dims):
    return np.rot90(x, k, dims)


def diagonal(x, *, offset, dim1, dim2):
    return np.diagonal(x, offset, dim1, dim2)


def diag_embed(x, *, offset):
    return np.diag(x, offset)


def tril(x, *, diagonal):
    return np.tril(x, diagonal)


def triu(x, *, diagonal):
    return np.triu(x, diagonal)


def trace(x):
    return np.trace(x)


def clone(x):
    return x.copy()


def to_copy(x, *, dtype):
    return x.astype(dtype)


def split(x, *, points, dim):
    return tuple(np.split(x, points, axis=dim))


def pad_constant(x, value, *, widths):
    return np.pad(x, widths, constant_values=value)


def pad_mode(x, *, widths, mode):
    return np.pad(x, widths, mode=mode)


# --- indexing

def index(x, key):
    return x[key]


def put(x, value, key):
    out = x.copy()
    out[key] = value
    return out


def put_add(x, value, key):
    out = x.copy()
    np.add.at(out, key, value)
    return out


def index_select(x, index, *, dim):
    return np.take(x, index, axis=dim)


def gather(x, index, *, dim):
    return np.take_along_axis(x, index, axis=dim)


def scatter(x, index, src, *, dim):
    out = x.copy()
    np.put_along_axis(out, index, src, axis=dim)
    return out


def picked(x, index, *, dim, keepdim):
    found = np.take_along_axis(x, index, axis=dim)
    return found if keepdim else np.squeeze(found, axis=dim)


# --- products and linear algebra

def dot(x, y):
    return np.dot(x, y)


def outer(x, y):
    return np.outer(x, y)


def inner(x, y):
    return np.inner(x, y)


def kron(x, y):
    return np.kron(x, y)


def cross(x, y, *, dim):
    return np.cross(x, y, axis=dim)


def tensordot(x, y, *, dims):
    return np.tensordot(x, y, axes=dims)


def addmm(x, a, b, beta, alpha):
    return beta * x + alpha * (a @ b)


def linear(x, weight, bias):
    return x @ weight.T + bias


def linear_without_bias(x, weight):
    return x @ weight.T


def inverse(x):
    return np.linalg.inv(x)


def pinv(x):
    return np.linalg.pinv(x)


def det(x):
    return np.linalg.det(x)


def logabsdet(x):
    return np.linalg.slogdet(x)[1]


def solve(a, b):
    return np.linalg.solve(a, b)


def cholesky(x):
    return np.linalg.cholesky((x + np.swapaxes(x, -1, -2)) / 2)


def eigh(x):
    values, vectors = np.linalg.eigh((x + np.swapaxes(x, -1, -2)) / 2)
    return values, vectors


def eigvalsh(x):
    return np.linalg.eigvalsh((x + np.swapaxes(x, -1, -2)) / 2)


def svd(x, *, full_matrices):
    u, s, vh = np.linalg.svd(x, full_matrices=full_matrices)
    return u, s, vh


def svdvals(x):
    return np.linalg.svd(x, compute_uv=False)


def qr(x):
    q, r = np.linalg.qr(x)
    return q, r


def matrix_power(x, *, n):
    return np.linalg.matrix_power(x, n)


# --- complex numbers

def real(x):
    return np.real(x)


def imag(x):
    return np.imag(x)


def conj(x):
    return np.conj(x)


def angle(x):
    return np.angle(x)


def complex_(x, y):
    return x + 1j * y
