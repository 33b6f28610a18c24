"""Kernels in several functions: helpers that mutate their arguments, closures that store outside themselves."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def axpy(a, x, y):
    for i in range(len(y)):
        y[i] += a * x[i]


def scale_row(A, i, factor):
    A[i, :] *= factor


def eliminate(A, b, k):
    """Callee of a callee: both arguments change."""
    scale = 1.0 / A[k, k]
    b[k] *= scale
    scale_row(A, k, scale)
    for i in range(A.shape[0]):
        if i != k:
            b[i] -= A[i, k] * b[k]
            axpy(-A[i, k], A[k].copy(), A[i])


def gauss_jordan(A, b):
    for k in range(A.shape[0]):
        eliminate(A, b, k)


case(gauss_jordan, lambda rng: (rng.standard_normal((3, 3)) + 3 * np.eye(3), rng.standard_normal(3)), ("A", "b"), ("b",))


def relax(u, f):
    u[1:-1] = 0.5 * (u[:-2] + u[2:] - f[1:-1])


def boundary(u, left, right):
    u[0] = left
    u[-1] = right


def advance(u, f, left, right):
    boundary(u, left, right)
    relax(u, f)
    return np.max(np.abs(u))


def relaxation(u, f, left, right, steps):
    """A helper that both mutates and returns."""
    peak = 0.0
    for _ in range(steps):
        peak += advance(u, f, left, right) ** 2
    return peak


case(relaxation, lambda rng: (*rng.standard_normal((2, 5)), 1.5, -2.0, 3), ("u", "f", "left", "right"), ("u", "return"))


def linear_relaxation(u, f, left, right, steps):
    for _ in range(steps):
        boundary(u, left, right)
        relax(u, f)


case(linear_relaxation, lambda rng: (*rng.standard_normal((2, 5)), 1.5, -2.0, 3), ("u", "f", "left", "right"), ("u",),
     linear=True)


def closure_stores(x, n):
    """Inner functions store into arrays of the function around them."""
    table = np.zeros((n, x.size))
    total = np.zeros(1)

    def record(i, row):
        table[i] = row
        total[0] += row.sum()

    y = x
    for i in range(n):
        y = np.sin(y) + 0.1 * y * y
        record(i, y)
    return total[0] * table


case(closure_stores, lambda rng: (rng.standard_normal(3), 3), ("x",))


def view_helper(A, i):
    """Returns a view of its argument."""
    return A[i, 1:]


def writes_through_returned_view(A, w):
    for i in range(A.shape[0]):
        v = view_helper(A, i)
        v *= w[i]
        v += A[i, :-1]
    return A


case(writes_through_returned_view, lambda rng: (rng.standard_normal((2, 3)), rng.standard_normal(2)), ("A", "w"))


def ensure(A):
    A += 1.0
    return A


def returns_its_argument(A, x):
    """The result of the helper is its argument."""
    B = ensure(A)
    B[0] *= x
    return np.sum(A * A)


case(returns_its_argument, lambda rng: (rng.standard_normal(3), 0.7), ("A", "x"), order=3)


def merge(a, b, out):
    """Merge step of a sort: data-dependent paths, stores by running positions."""
    i = j = 0
    for k in range(len(out)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1


def merge_sort(x):
    """Recursion on slices; what comes back is written into the argument."""
    if len(x) > 1:
        middle = len(x) // 2
        merge_sort(x[:middle])
        merge_sort(x[middle:])
        merge(x[:middle].copy(), x[middle:].copy(), x)


def weighted_sort(x, w):
    merge_sort(x)
    return np.dot(x * x, w)


case(weighted_sort, lambda rng: (rng.standard_normal(5), rng.standard_normal(5)), ("x", "w"))


def fft_recursive(re, im, n, stride, out_re, out_im):
    """Decimation in time: the halves are written into halves of the output."""
    if n == 1:
        out_re[0] = re[0]
        out_im[0] = im[0]
        return
    h = n // 2
    fft_recursive(re, im, h, 2 * stride, out_re[:h], out_im[:h])
    fft_recursive(re[stride:], im[stride:], h, 2 * stride, out_re[h:], out_im[h:])
    for k in range(h):
        c, s = np.cos(2 * np.pi * k / n), -np.sin(2 * np.pi * k / n)
        tr = c * out_re[h + k] - s * out_im[h + k]
        ti = s * out_re[h + k] + c * out_im[h + k]
        out_re[h + k] = out_re[k] - tr
        out_im[h + k] = out_im[k] - ti
        out_re[k] += tr
        out_im[k] += ti


def power_spectrum(re, im):
    n = len(re)
    out_re = np.empty(n)
    out_im = np.empty(n)
    fft_recursive(re, im, n, 1, out_re, out_im)
    return out_re ** 2 + out_im ** 2


case(power_spectrum, lambda rng: rng.standard_normal((2, 4)), ("re", "im"))


def workspace(x, steps):
    """Buffers in a dictionary, handed to a helper."""
    work = {"state": x.copy(), "flux": np.zeros(x.size + 1)}

    def fluxes(w):
        w["flux"][1:-1] = 0.3 * (w["state"][:-1] - w["state"][1:]) * w["state"][1:]

    for _ in range(steps):
        fluxes(work)
        work["state"] -= work["flux"][1:] - work["flux"][:-1]
    return work["state"]


case(workspace, lambda rng: (rng.standard_normal(4), 3), ("x",))


def same_array_twice(A):
    """A helper gets one array in two roles."""
    def combine(target, source):
        target[1:] += 0.5 * source[:-1] * source[1:]

    combine(A, A)
    combine(A, A)
    return A


case(same_array_twice, lambda rng: (rng.standard_normal(4),), ("A",))
