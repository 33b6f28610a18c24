"""Complex transforms: reshape views, butterflies in place, contour integrals, iteration under masks."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def complex_normal(rng, *shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def stockham_fft(N, R, K, x, y):
    """Radix R, N = R**K; the state is seen through reshaped views."""
    i_coord, j_coord = np.mgrid[0:R, 0:R]
    dft_mat = np.exp(-2.0j * np.pi * i_coord * j_coord / R)
    y[:] = x[:]
    ii_coord, jj_coord = np.mgrid[0:R, 0:R ** K]
    for i in range(K):
        yv = np.reshape(y, (R ** i, R, R ** (K - i - 1)))
        tmp_perm = np.transpose(yv, axes=(1, 0, 2))
        D = np.empty((R, R ** i, R ** (K - i - 1)), dtype=np.complex128)
        tmp = np.exp(-2.0j * np.pi * ii_coord[:, :R ** i] * jj_coord[:, :R ** i] / R ** (i + 1))
        D[:] = np.repeat(np.reshape(tmp, (R, R ** i, 1)), R ** (K - i - 1), axis=2)
        tmp_twid = np.reshape(tmp_perm, (N,)) * np.reshape(D, (N,))
        y[:] = np.reshape(dft_mat @ np.reshape(tmp_twid, (R, R ** (K - 1))), (N,))


case(stockham_fft, lambda rng: (4, 2, 2, complex_normal(rng, 4), np.zeros(4, complex)), ("x",), ("y",))


def cooley_tukey(x):
    """In place, radix 2: bit-reversed order by swaps, then butterflies on slices."""
    n = x.size
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            x[i], x[j] = x[j], x[i]
    length = 2
    while length <= n:
        w = np.exp(-2j * np.pi * np.arange(length // 2) / length)
        for start in range(0, n, length):
            even = x[start:start + length // 2].copy()
            odd = w * x[start + length // 2:start + length]
            x[start:start + length // 2] = even + odd
            x[start + length // 2:start + length] = even - odd
        length *= 2


case(cooley_tukey, lambda rng: (complex_normal(rng, 4),), ("x",), ("x",))


def butterflies_real(re, im):
    """The same on separate real and imaginary parts, element by element."""
    n = len(re)
    size = n
    while size > 1:
        half = size // 2
        for k in range(half):
            c, s = np.cos(2 * np.pi * k / size), -np.sin(2 * np.pi * k / size)
            for i in range(k, n, size):
                j = i + half
                tr = re[i] - re[j]
                ti = im[i] - im[j]
                re[i] += re[j]
                im[i] += im[j]
                re[j] = tr * c - ti * s
                im[j] = tr * s + ti * c
        size = half


case(butterflies_real, lambda rng: (rng.standard_normal(8), rng.standard_normal(8)), ("re", "im"), ("re", "im"))


def walsh_hadamard(a):
    """Butterflies on a reshaped view of the argument."""
    h = 1
    while h < a.size:
        b = a.reshape(-1, 2, h)
        top = b[:, 0] + b[:, 1]
        b[:, 1] = b[:, 0] - b[:, 1]
        b[:, 0] = top
        h *= 2
    a /= np.sqrt(a.size)


case(walsh_hadamard, lambda rng: (rng.standard_normal(8),), ("a",), ("a",))


def haar_wavelet(x):
    """Averages and differences of pairs, in a prefix that halves."""
    n = x.size
    work = np.empty_like(x)
    while n > 1:
        half = n // 2
        work[:half] = (x[0:n:2] + x[1:n:2]) / np.sqrt(2.0)
        work[half:n] = (x[0:n:2] - x[1:n:2]) / np.sqrt(2.0)
        x[:n] = work[:n]
        n = half
    return x


case(haar_wavelet, lambda rng: (rng.standard_normal(8),), ("x",))


def mandelbrot_count(c, steps):
    """Iteration under a mask: escaped points keep their last value."""
    z = np.zeros_like(c)
    alive = np.ones(c.shape, dtype=bool)
    escape = np.zeros(c.shape)
    for n in range(steps):
        z[alive] = z[alive] ** 2 + c[alive]
        out = alive & (np.abs(z) > 2.0)
        escape[out] = n + 1 - np.log2(np.log(np.abs(z[out])))
        alive &= ~out
    return np.sum(np.abs(z) ** 2) + np.sum(escape)


case(mandelbrot_count, lambda rng: (np.array([0.3 + 0.2j, -1.1 + 0.4j, 0.9 - 1.3j, -0.2 + 0.7j]), 5), ("c",))


def contour_integral(NR, NM, slab_per_bc, Ham, int_pts, Y):
    """Moments of a resolvent along a contour of points."""
    P0 = np.zeros((NR, NM), dtype=np.complex128)
    P1 = np.zeros((NR, NM), dtype=np.complex128)
    for idx in range(int_pts.shape[0]):
        z = int_pts[idx]
        Tz = np.zeros((NR, NR), dtype=np.complex128)
        for n in range(slab_per_bc + 1):
            zz = np.power(z, slab_per_bc / 2 - n)
            Tz += zz * Ham[n]
        if NR == NM:
            X = np.linalg.inv(Tz)
        else:
            X = np.linalg.solve(Tz, Y)
        if abs(z) < 1.0:
            X = -X
        P0 += X
        P1 += z * X
    return P0, P1


case(contour_integral, lambda rng: (2, 1, 2, complex_normal(rng, 3, 2, 2), np.array([0.8 + 0.5j, 1.2 - 0.7j]),
                                    complex_normal(rng, 2, 1)), ("Ham", "Y"))


def split_step(psi, V, k2, dt, steps):
    """Schroedinger's equation by multiplications in place, between transforms."""
    for _ in range(steps):
        psi *= np.exp(-0.5j * dt * V)
        spectrum = np.fft.fft(psi)
        spectrum *= np.exp(-0.5j * dt * k2)
        psi[:] = np.fft.ifft(spectrum)
        psi *= np.exp(-0.5j * dt * V)
    return np.abs(psi) ** 2


case(split_step, lambda rng: (complex_normal(rng, 4), rng.standard_normal(4), np.array([0.0, 1.0, 4.0, 1.0]), 0.1, 2),
     ("psi", "V"))


def scattering_self_energies(neigh_idx, dH, G, D, Sigma):
    """Nested loops over energies and neighbours that gather blocks and accumulate products."""
    for E in range(G.shape[0]):
        for w in range(D.shape[0]):
            for a in range(neigh_idx.shape[0]):
                for b in range(neigh_idx.shape[1]):
                    if E - w >= 0:
                        dHG = G[E - w, neigh_idx[a, b]] @ dH[a, b]
                        dHD = dH[a, b] * D[w, a, b]
                        Sigma[E, a] += dHG @ dHD


case(scattering_self_energies,
     lambda rng: (np.array([[1, 1], [0, 1]]), complex_normal(rng, 2, 2, 2, 2), complex_normal(rng, 2, 2, 2, 2),
                  complex_normal(rng, 1, 2, 2), np.zeros((2, 2, 2, 2), complex)), ("dH", "G", "D"), ("Sigma",))
