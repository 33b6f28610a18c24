"""Statistics and data processing in place."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def correlation(M, float_n, data):
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(float_n) * stddev
    corr = np.eye(M, dtype=data.dtype)
    for i in range(M - 1):
        corr[i + 1:M, i] = corr[i, i + 1:M] = data[:, i] @ data[:, i + 1:M]
    return corr


case(correlation, lambda rng: (3, 5.0, rng.standard_normal((5, 3))), ("data",))


def covariance(M, float_n, data):
    mean = np.mean(data, axis=0)
    data -= mean
    cov = np.zeros((M, M), dtype=data.dtype)
    for i in range(M):
        cov[i:M, i] = data[:, i] @ data[:, i:M]
        cov[i:M, i] /= float_n - 1.0
        cov[i, i:M] = cov[i:M, i]
    return cov


case(covariance, lambda rng: (3, 4.0, rng.standard_normal((4, 3))), ("data",))


def softmax_rows(A):
    for row in A:
        row -= row.max()
        np.exp(row, out=row)
        row /= row.sum()


case(softmax_rows, lambda rng: (rng.standard_normal((3, 4)),), ("A",), ("A",))


def normalise_rows_and_columns(A, sweeps):
    """Rows by iteration, columns by iteration over the transpose."""
    for _ in range(sweeps):
        for row in A:
            row /= row.sum()
        for column in A.T:
            column /= column.sum()
    return A


case(normalise_rows_and_columns, lambda rng: (rng.uniform(0.5, 1.5, (2, 3)), 2), ("A",))


def running_statistics(x):
    """Welford's recurrences, with the history of mean and variance."""
    n = len(x)
    mean = np.zeros(n)
    var = np.zeros(n)
    m, s = x[0], 0.0
    mean[0] = m
    for k in range(1, n):
        delta = x[k] - m
        m += delta / (k + 1)
        s += delta * (x[k] - m)
        mean[k] = m
        var[k] = s / k
    return mean, var


case(running_statistics, lambda rng: (rng.standard_normal(5),), ("x",))


def azimuthal_average(data, radius, nbins, rmax):
    """Every bin selects its pixels with a mask."""
    centres = np.zeros(nbins)
    for i in range(nbins):
        lower = rmax * i / nbins
        upper = rmax * (i + 1) / nbins
        mask = (radius >= lower) & (radius < upper)
        if mask.any():
            centres[i] = data[mask].mean()
    return centres


case(azimuthal_average, lambda rng: (rng.standard_normal(8), rng.uniform(0, 3, 8), 3, 3.0), ("data",))


def soft_histogram(x, weights, n):
    """Linear deposit into two neighbouring bins, then a cumulative distribution in place."""
    position = (x - x.min()) / (x.max() - x.min()) * (n - 1) * 0.999
    left = position.astype(int)
    frac = position - left
    hist = np.zeros(n + 1)
    np.add.at(hist, left, weights * (1 - frac))
    np.add.at(hist, left + 1, weights * frac)
    hist /= hist.sum()
    for i in range(1, n + 1):
        hist[i] += hist[i - 1]
    return hist


case(soft_histogram, lambda rng: (rng.standard_normal(7), rng.uniform(0.5, 1.5, 7), 4), ("x", "weights"))


def exponential_smoothing(x, alpha, beta):
    """Holt's method: level and trend overwrite their work arrays."""
    n = len(x)
    level = np.empty(n)
    trend = np.empty(n)
    level[0], trend[0] = x[0], x[1] - x[0]
    for t in range(1, n):
        level[t] = alpha * x[t] + (1 - alpha) * (level[t - 1] + trend[t - 1])
        trend[t] = beta * (level[t] - level[t - 1]) + (1 - beta) * trend[t - 1]
    return np.mean((x[1:] - level[:-1] - trend[:-1]) ** 2)


case(exponential_smoothing, lambda rng: (rng.standard_normal(6), 0.4, 0.3), ("x", "alpha", "beta"), order=3)


def garch(returns, omega, alpha, beta):
    sigma2 = np.empty_like(returns)
    sigma2[0] = returns.var()
    for t in range(1, returns.size):
        sigma2[t] = omega + alpha * returns[t - 1] ** 2 + beta * sigma2[t - 1]
    return 0.5 * np.sum(np.log(sigma2) + returns ** 2 / sigma2)


case(garch, lambda rng: (rng.standard_normal(6), 0.1, 0.2, 0.6), ("returns", "omega", "alpha", "beta"), order=3)


def kmeans_step(points, centres, assignment, iterations):
    """Centres are accumulated by scattered addition; the assignment is a table of integers, overwritten."""
    k = centres.shape[0]
    for _ in range(iterations):
        for i in range(points.shape[0]):
            assignment[i] = np.argmin(np.sum((centres - points[i]) ** 2, axis=1))
        counts = np.bincount(assignment, minlength=k)
        centres[:] = 0.0
        np.add.at(centres, assignment, points)
        centres /= np.maximum(counts, 1)[:, None]
    return np.sum((points - centres[assignment]) ** 2)


case(kmeans_step, lambda rng: (np.array([[0.1, 0.2], [2.1, 1.8], [0.3, -0.1], [1.9, 2.2]]) + 0.1 * rng.random((4, 2)),
                               np.array([[0.0, 0.0], [2.0, 2.0]]), np.zeros(4, int), 2), ("points",),
     ("return", "centres"))


def impute_and_scale(X, missing):
    """Missing entries take their column's mean before columns are standardised, column by column."""
    for j in range(X.shape[1]):
        column = X[:, j]
        hole = missing[:, j]
        column[hole] = column[~hole].mean()
        column -= column.mean()
        column /= column.std() + 1e-6
    return X


case(impute_and_scale, lambda rng: (rng.standard_normal((4, 2)), np.array([[True, False], [False, False], [False, True],
                                                                           [False, False]])), ("X",))


def one_work_buffer(x, y):
    """The same scratch array holds three things, one after another."""
    work = np.empty_like(x)
    np.multiply(x, y, out=work)
    total = np.sum(np.sin(work))
    np.subtract(x, y, out=work)
    work *= work
    total += np.sqrt(np.sum(work))
    work[:] = total
    work[1:] += x[:-1]
    return work


case(one_work_buffer, lambda rng: rng.standard_normal((2, 4)), ("x", "y"))


def single_precision(x, w, steps):
    """float32 state that receives float64 values."""
    y = np.zeros(4, dtype=np.float32)
    for _ in range(steps):
        y[:] = np.tanh(x * w + 0.5 * y)
        y[1:] += 0.25 * y[:-1] * w[1:]
    return y


case(single_precision, lambda rng: (rng.standard_normal(4).astype(np.float32), rng.standard_normal(4).astype(np.float32),
                                    2), ("x", "w"))
