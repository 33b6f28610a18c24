"""Functions of scipy.sparse, ndimage, interpolate and signal at sizes of real work, with what they are differentiated by.

What is differentiated by a few values, too (an angle, a matrix, a width), has a line of its own, beside that by the image alone:
its adjoint also needs the slopes of the image.
"""
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import interpolate, ndimage, signal, sparse
from scipy.sparse import linalg

SIZES = {"full": {"side": 512, "samples": 200_000, "knots": 20_000, "points": 200_000, "rows": 100_000, "few": 300, "mesh": 150},
         "tiny": {"side": 24, "samples": 480, "knots": 16, "points": 40, "rows": 30, "few": 12, "mesh": 6}}


@dataclass
class Adjoint:
    """A function, the arguments that it is differentiated by, and the functions of SciPy that it stands for."""
    name: str
    function: Callable
    args: tuple
    covers: tuple = ()


def cases(size: str = "full") -> Iterator[Adjoint]:
    """All cases of a size, family by family."""
    for family, made in (("ndimage", images), ("signal", signals), ("interpolate", interpolators), ("sparse", matrices)):
        for name, function, args, *covers in made(SIZES[size], np.random.default_rng(7)):
            yield Adjoint(f"{family}.{name}", function, args, tuple(covers) or (name.split()[0],))


def images(n, rng):
    side = n["side"]
    image, line, kernel = rng.normal(size=(side, side)), rng.normal(size=5), rng.normal(size=(5, 5))
    places = rng.uniform(1.0, side - 2.0, size=(2, side, side))
    turn, moved = np.array([[0.9, 0.2], [-0.15, 1.1]]), np.array([3.3, -2.1])
    yield "correlate1d", lambda x: ndimage.correlate1d(x, line), (image,)
    yield "correlate1d by weights", lambda x, w: ndimage.correlate1d(x, w), (image, line)
    yield "convolve1d", lambda x: ndimage.convolve1d(x, line, 0), (image,)
    yield "correlate", lambda x: ndimage.correlate(x, kernel), (image,)
    yield "convolve", lambda x: ndimage.convolve(x, kernel, mode="constant"), (image,)
    yield "convolve by weights", lambda x, w: ndimage.convolve(x, w), (image, kernel)
    yield "gaussian_filter1d", lambda x: ndimage.gaussian_filter1d(x, 2.0), (image,)
    yield "gaussian_filter", lambda x: ndimage.gaussian_filter(x, 2.0), (image,)
    yield "gaussian_filter by width", lambda x, s: ndimage.gaussian_filter(x, s), (image, 2.0)
    yield "uniform_filter1d", lambda x: ndimage.uniform_filter1d(x, 5), (image,)
    yield "uniform_filter", lambda x: ndimage.uniform_filter(x, 5), (image,)
    yield "sobel", lambda x: ndimage.sobel(x), (image,)
    yield "prewitt", lambda x: ndimage.prewitt(x), (image,)
    yield "laplace", lambda x: ndimage.laplace(x), (image,)
    yield "gaussian_laplace", lambda x: ndimage.gaussian_laplace(x, 2.0), (image,)
    yield "gaussian_gradient_magnitude", lambda x: ndimage.gaussian_gradient_magnitude(x, 2.0), (image,)
    yield "fourier_shift", lambda x: np.real(ndimage.fourier_shift(x, moved)), (image,)
    yield "spline_filter1d", lambda x: ndimage.spline_filter1d(x), (image,)
    yield "spline_filter", lambda x: ndimage.spline_filter(x), (image,)
    for order in (1, 3):
        yield (f"map_coordinates order {order}", lambda x, order=order: ndimage.map_coordinates(x, places, order=order), (image,))
    yield "map_coordinates nearest", lambda x: ndimage.map_coordinates(x, places, mode="nearest"), (image,)
    yield "map_coordinates by points", lambda x, p: ndimage.map_coordinates(x, p), (image, places)
    yield "shift", lambda x: ndimage.shift(x, moved), (image,)
    yield "shift by steps", lambda x, s: ndimage.shift(x, s), (image, moved)
    yield "zoom larger", lambda x: ndimage.zoom(x, 1.5), (image,)
    yield "zoom smaller", lambda x: ndimage.zoom(x, 0.6, mode="reflect"), (image,)
    for order in (1, 3):
        yield (f"affine_transform order {order}", lambda x, order=order: ndimage.affine_transform(x, turn, moved, order=order),
               (image,))
    yield "affine_transform mirror", lambda x: ndimage.affine_transform(x, turn, moved, mode="mirror"), (image,)
    yield "affine_transform by matrix", lambda x, m, b: ndimage.affine_transform(x, m, b, mode="mirror"), (image, turn, moved)
    yield "rotate", lambda x: ndimage.rotate(x, 33.0), (image,)
    yield "rotate wrap", lambda x: ndimage.rotate(x, 33.0, mode="grid-wrap", reshape=False), (image,)
    yield "rotate by angle", lambda x, a: ndimage.rotate(x, a, mode="mirror", reshape=False), (image, 33.0)


def signals(n, rng):
    side, count = n["side"], n["samples"]
    x, image, taps, kernel = rng.normal(size=count), rng.normal(size=(side, side)), rng.normal(size=33), rng.normal(size=(7, 7))
    b, a = signal.butter(4, 0.2)
    sos, tracks = signal.butter(6, 0.2, output="sos"), rng.normal(size=(16, count // 16))
    for way in ("direct", "fft"):
        yield f"convolve {way}", lambda x, h, way=way: signal.convolve(x, h, "same", way), (x, taps)
    yield "correlate", lambda x, h: signal.correlate(x, h, "valid", "direct"), (x, taps)
    yield "fftconvolve", lambda x, h: signal.fftconvolve(x, h), (x, taps)
    yield "oaconvolve", lambda x, h: signal.oaconvolve(x, h), (x, taps)
    yield "convolve2d", lambda x: signal.convolve2d(x, kernel, "same", "symm"), (image,)
    yield "correlate2d", lambda x: signal.correlate2d(x, kernel, "same"), (image,)
    yield "lfilter", lambda x: signal.lfilter(b, a, x), (x,)
    yield "lfilter by coefficients", lambda x, b, a: signal.lfilter(b, a, x), (x, b, a)
    yield "filtfilt", lambda x: signal.filtfilt(b, a, x), (x,)
    yield "filtfilt of rows", lambda x: signal.filtfilt(b, a, x, padtype="even"), (tracks,)
    yield "filtfilt by coefficients", lambda x, b, a: signal.filtfilt(b, a, x), (x, b, a)
    yield "sosfilt", lambda x: signal.sosfilt(sos, x), (x,)
    yield "sosfiltfilt", lambda x: signal.sosfiltfilt(sos, x), (x,)
    yield "savgol_filter", lambda x: signal.savgol_filter(x, 11, 3), (x,)
    yield "detrend", lambda x: signal.detrend(x), (x,)
    yield "hilbert", lambda x: np.abs(signal.hilbert(x)), (x,)
    yield "resample", lambda x: signal.resample(x, count // 2), (x,)
    yield "cspline1d_eval", lambda c: signal.cspline1d_eval(c, np.linspace(0.3, 0.9 * count, count)), (x,)
    yield "welch", lambda x: signal.welch(x, nperseg=min(256, count // 3))[1], (x,)
    long, y = min(256, count // 3), rng.normal(size=count)
    yield "periodogram", lambda x: signal.periodogram(x)[1], (x,)
    yield "spectrogram", lambda x: signal.spectrogram(x, nperseg=long)[2], (x,)
    yield "csd", lambda x, y: np.real(signal.csd(x, y, nperseg=long)[1]), (x, y)
    yield "coherence", lambda x, y: signal.coherence(x, y, nperseg=long)[1], (x, y)
    yield "stft", lambda x: np.abs(signal.stft(x, nperseg=long)[2]), (x,)
    frames = rng.normal(size=(65, 4 * count // 64))
    yield "istft", lambda z: signal.istft(z + 0j, nperseg=128)[1], (frames,)


def interpolators(n, rng):
    x = np.cumsum(rng.uniform(0.5, 1.5, size=n["knots"]))
    y, p = rng.normal(size=n["knots"]), rng.uniform(x[0], x[-1], size=n["points"])
    side, few = n["side"], n["few"]
    axis, values = np.arange(float(side)), rng.normal(size=(side, side))
    at = rng.uniform(0.1, side - 1.1, size=(n["points"], 2))
    nodes, weights = rng.uniform(size=(few, 2)), rng.normal(size=few)
    inside = rng.uniform(0.3, 0.7, size=(10 * few, 2))
    spline = interpolate.make_interp_spline(x, y)
    for kind in ("linear", "cubic"):
        yield f"interp1d {kind}", lambda y, p, kind=kind: interpolate.interp1d(x, y, kind)(p), (y, p)
    for cls in (interpolate.CubicSpline, interpolate.PchipInterpolator, interpolate.Akima1DInterpolator):
        yield cls.__name__, lambda y, cls=cls: cls(x, y)(p), (y,), cls.__name__, "pchip"
        yield f"{cls.__name__} by points", lambda y, p, cls=cls: cls(x, y)(p), (y, p)
    yield "CubicHermiteSpline", lambda y, d: interpolate.CubicHermiteSpline(x, y, d)(p), (y, rng.normal(size=n["knots"]))
    yield "PPoly", lambda c: interpolate.PPoly(c, x)(p), (rng.normal(size=(4, n["knots"] - 1)),)
    yield "make_interp_spline", lambda y: interpolate.make_interp_spline(x, y)(p), (y,), "make_interp_spline", "BSpline"
    yield "BSpline by points", lambda c, p: interpolate.BSpline(spline.t, c, 3)(p), (spline.c, p)
    yield "splrep", lambda y: interpolate.splev(p, interpolate.splrep(x, y)), (y,), "splrep", "splev"
    yield "UnivariateSpline", lambda y: interpolate.UnivariateSpline(x, y, s=0)(p), (y,), "UnivariateSpline"
    yield ("InterpolatedUnivariateSpline", lambda y: interpolate.InterpolatedUnivariateSpline(x, y)(p), (y,))
    yield "RectBivariateSpline", lambda z: interpolate.RectBivariateSpline(axis, axis, z)(axis + 0.3, axis + 0.6), (values,)
    yield "RectBivariateSpline.ev", lambda z: interpolate.RectBivariateSpline(axis, axis, z).ev(at[:, 0], at[:, 1]), (values,)
    yield "RegularGridInterpolator", lambda z: interpolate.RegularGridInterpolator((axis, axis), z)(at), (values,)
    yield "RegularGridInterpolator by points", lambda z, p: interpolate.RegularGridInterpolator((axis, axis), z)(p), (values, at)
    yield "interpn", lambda z: interpolate.interpn((axis, axis), z, at), (values,)
    yield "griddata", lambda v: interpolate.griddata(nodes, v, inside, fill_value=0.0), (weights,)
    yield "LinearNDInterpolator", lambda v: interpolate.LinearNDInterpolator(nodes, v, 0.0)(inside), (weights,)
    yield "RBFInterpolator", lambda v: interpolate.RBFInterpolator(nodes, v)(inside), (weights,)
    yield "RBFInterpolator by points", lambda v, p: interpolate.RBFInterpolator(nodes, v)(p), (weights, inside)


def matrices(n, rng):
    rows = n["rows"]
    pattern = sparse.random_array((rows, rows), density=min(10.0 / rows, 0.4), rng=rng, format="csr")
    pattern.sort_indices()
    place, ends, full = pattern.indices, pattern.indptr, pattern.shape
    coordinates, values, x = pattern.tocoo().coords, pattern.data, rng.normal(size=rows)
    several, other = rng.normal(size=(rows, 8)), rng.normal(size=len(values))
    mesh = n["mesh"]
    line = sparse.diags_array([np.full(mesh - 1, -1.0), np.full(mesh, 2.05), np.full(mesh - 1, -1.0)], offsets=[-1, 0, 1])
    heat = sparse.csr_array(sparse.kron(line, sparse.eye_array(mesh)) + sparse.kron(sparse.eye_array(mesh), line))
    heat.sort_indices()
    h_place, h_ends, side = heat.indices, heat.indptr, rng.normal(size=mesh * mesh)

    csr = sparse.csr_array
    yield "csr_array @ x", lambda v, x: csr((v, place, ends), full) @ x, (values, x), "csr_array", "csr_array.__matmul__"
    yield "csr_array @ X", lambda v, x: csr((v, place, ends), full) @ x, (values, several)
    yield "csr_array.T @ x", lambda v, x: csr((v, place, ends), full).T @ x, (values, x), "csr_array.transpose"
    yield "csr_array outside @ x", lambda x: pattern @ x, (x,)
    yield "csr_array * number", lambda v, s: (csr((v, place, ends), full) * s) @ x, (values, 1.3)
    yield "csr_array multiply", lambda v, w: (csr((v, place, ends), full) * csr((w, place, ends), full)) @ x, (values, other)
    yield "csr_array + csr_array", lambda v, w: (csr((v, place, ends), full) + csr((w, place, ends), full).T) @ x, (values, other)
    yield "csr_array sum", lambda v: csr((v, place, ends), full).sum(axis=0), (values,)
    yield "csr_array rows", lambda v: csr((v, place, ends), full)[: rows // 2] @ x, (values,)
    yield "csr_array @ csr_array", lambda v, w: (csr((v, h_place, h_ends)) @ csr((w, h_place, h_ends))) @ side, (
        heat.data, heat.data)
    yield "csr_matrix", lambda v, x: sparse.csr_matrix((v, place, ends), full) @ x, (values, x)
    for cls in (sparse.coo_array, sparse.coo_matrix, sparse.csc_array, sparse.csc_matrix):
        yield cls.__name__, lambda v, x, cls=cls: cls((v, coordinates), shape=full) @ x, (values, x)
    for cls in (sparse.dia_array, sparse.dia_matrix):
        yield cls.__name__, lambda d, x, cls=cls: cls((d, [-1, 0, 2]), shape=full) @ x, (rng.normal(size=(3, rows)), x)
    blocks = sparse.bsr_array(sparse.kron(sparse.eye_array(rows // 3), np.ones((3, 3))), blocksize=(3, 3))
    for cls in (sparse.bsr_array, sparse.bsr_matrix):
        yield (cls.__name__, lambda d, x, cls=cls: cls((d, blocks.indices, blocks.indptr)) @ x,
               (rng.normal(size=blocks.data.shape), x[:blocks.shape[1]]))
    yield "diags", lambda d, e: sparse.diags([d, e], [0, 1]) @ x, (x, other[:rows - 1])
    yield "diags_array", lambda d, e: sparse.diags_array([d, e], offsets=[0, 1]) @ x, (x, other[:rows - 1])
    yield "kron", lambda v: sparse.kron(sparse.csr_array(v), line) @ np.ones(mesh * 40), (rng.normal(size=(40, 40)),)
    for join in (sparse.hstack, sparse.vstack, sparse.block_diag):
        width = 1 if join is sparse.vstack else 2
        yield (join.__name__, lambda v, w, join=join, width=width: join(
            [csr((v, place, ends), full), csr((w, place, ends), full)]) @ np.ones(width * rows), (values, other))
    for join in (sparse.bmat, sparse.block_array):
        yield (join.__name__, lambda v, w, join=join: join(
            [[csr((v, place, ends), full), None], [csr((w, place, ends), full), csr((v, place, ends), full)]]) @ np.ones(2 * rows),
               (values, other))
    for half in (sparse.tril, sparse.triu):
        yield half.__name__, lambda v, half=half: half(csr((v, place, ends), full)) @ x, (values,)
    for diagonal in (sparse.eye, sparse.eye_array, sparse.identity):
        yield diagonal.__name__, lambda s, diagonal=diagonal: (diagonal(rows) * s) @ x, (1.3,)
    yield "linalg.spsolve", lambda v, b: linalg.spsolve(csr((v, h_place, h_ends)), b), (heat.data, side)
    yield "linalg.splu", lambda v, b: linalg.splu(csr((v, h_place, h_ends))).solve(b), (heat.data, side)
    yield "linalg.factorized", lambda v, b: linalg.factorized(csr((v, h_place, h_ends)))(b), (heat.data, side)
    lower = sparse.csr_array(sparse.tril(heat))
    lower.sort_indices()
    yield ("linalg.spsolve_triangular", lambda v, b: linalg.spsolve_triangular(
        sparse.csr_array((v, lower.indices, lower.indptr), shape=heat.shape), b), (lower.data, side))
    for solver in (linalg.cg, linalg.bicg, linalg.cgs, linalg.bicgstab, linalg.gmres, linalg.lgmres, linalg.tfqmr, linalg.minres):
        yield (f"linalg.{solver.__name__}", lambda v, b, solver=solver: solver(csr((v, h_place, h_ends)), b, rtol=1e-12)[0],
               (heat.data, side))
    for fit in (linalg.lsqr, linalg.lsmr):
        yield (f"linalg.{fit.__name__}", lambda v, b, fit=fit: fit(csr((v, h_place, h_ends)), b, 0.1, 1e-12, 1e-12)[0],
               (heat.data, side))
    yield "linalg.expm_multiply", lambda v, b: linalg.expm_multiply(csr((v, h_place, h_ends)) * -0.5, b), (heat.data, side)
    uneven = heat.data * rng.uniform(0.5, 1.0, size=heat.data.shape)
    uneven = sparse.csr_array((uneven, h_place, h_ends))
    uneven = sparse.csr_array(uneven + uneven.T)
    uneven.sort_indices()
    for name in ("eigsh", "svds"):
        yield f"linalg.{name}", lambda v, name=name: spectrum(name, csr((v, h_place, h_ends))), (uneven.data,)


def spectrum(name, matrix):
    """The three largest eigenvalues or singular values."""
    if name == "eigsh":
        return linalg.eigsh(matrix + matrix.T, 3, return_eigenvectors=False)       # (it takes a symmetric one)
    return linalg.svds(matrix, 3, return_singular_vectors=False)
