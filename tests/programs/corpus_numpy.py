"""Less usual functions of NumPy and forms of common ones, in the programs that found them wrong or refused without need."""
import cmath

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
RANDOM = np.random.default_rng(10)
V4 = np.array([0.7, -0.4, 1.3, 0.9])
V6 = RANDOM.normal(size=6)
POSITIVE = np.abs(V6) + 0.3
M = RANDOM.normal(size=(5, 3))
SQUARE = np.array([[2.0, 0.4, -0.3], [0.4, 1.5, 0.2], [-0.3, 0.2, 1.1]])

NOT_DUAL = {                            # what dual numbers do not know
    "centres_of_bins", "distinct_values", "drawdown", "drawn_by_a_generator", "drawn_by_the_module",
    "extreme_with_start", "fast_convolution", "fields_of_results", "fitted_line", "lists_as_arguments",
    "numerical_slopes", "polar_and_back", "running_columns", "slopes_over_places", "slopes_over_steps",
    "sums_by_label", "table_as_lists", "table_with_ends", "transforms_of_two_axes"}


def case(function, *args, **options):
    PROGRAMS.add(function, *args, **{"oracle": function.__name__ not in NOT_DUAL, **options})


# --- np.r_ and np.c_: an index that computes --------------------------------------------------------

def joined_by_an_index(x):
    ends = np.r_[x[:1], np.linspace(0.0, 1.0, 3), x[-1], 0:1:3j]
    return ends @ np.arange(8.0) + np.r_[0:3, x[0]].sum() + np.r_[x, 1.0, x[:2] ** 2] @ np.arange(7.0)


case(joined_by_an_index, V4)


def columns_by_an_index(m, v):
    return np.sum(np.c_[m, v, np.ones(4)] ** 2) + np.sum(np.c_[0.5, v[0]] ** 2) + np.c_[m][1, 1]


case(columns_by_an_index, V4[:, None] * V4, V4, inputs=("m", "v"))


def delay_line(x):
    line = np.r_[0.0, np.cumsum(x)]
    total = 0.0
    for i in range(3):
        line = np.r_[line[1:], x[i] * line[0]]
        total += line @ line
    return total


case(delay_line, V4)


def design_matrix(beta, x, y):
    columns = np.c_[np.ones(x.shape[0]), x, x ** 2]
    return ((y - columns @ beta) ** 2).sum()


case(design_matrix, V4[:3], V4, V4 ** 3, inputs=("beta", "x"))


def grids(x):
    rows, columns = np.mgrid[0:3, -1:1:4j]
    i, j = np.ogrid[:3, :4]
    return (x * columns * rows).sum() + (i * j * x).sum()


case(grids, 1.3)


# --- tables -----------------------------------------------------------------------------------------

def table_with_ends(q, table):
    grid = np.linspace(0, 1, len(table))
    values = np.interp(q, grid, table, left=0.0, right=table[-1])
    return np.sum(values ** 2) + np.interp(q, grid, table, left=table[1] ** 2).sum() + np.interp(
        q, grid, table, right=q[0], left=0.1 * q[1]).sum()


case(table_with_ends, np.array([-0.1, 0.05, 0.13, 0.55, 1.2]), V6, inputs=("q", "table"))


def table_as_lists(x, y):
    return np.interp([x, y], [0.0, 1.0], [x, y ** 2]).sum() + np.interp(x, [0.0, 1.0], [y, 2.0])


case(table_as_lists, 0.3, 0.7, inputs=("x", "y"))


# --- order statistics -------------------------------------------------------------------------------

def quantile_in_its_place(x, q):
    return np.quantile(x, q) ** 2 + np.percentile(x, 50 * q) * x[0]


case(quantile_in_its_place, V4, 0.45, inputs=("x", "q"))


def several_quantiles(x):
    low, high = np.percentile(x, [20, 70])
    three = np.quantile(x, (0.25, 0.5, 0.8), axis=0)
    two = np.quantile(x, np.array([0.1, 0.9]), axis=1, keepdims=True)
    return (high - low) ** 2 + np.sum(three ** 3) + np.sum(two * x ** 2)


case(several_quantiles, M)


def several_places(x, q):
    return np.sum(np.quantile(x, q) ** 2 * np.array([1.0, 2.0]))


case(several_places, V6, np.array([0.33, 0.71]), inputs=("x", "q"))


def robust_scale(x):
    low, middle, high = np.percentile(x, [25, 50, 75], axis=0)
    return np.sum(np.tanh((x - middle) / (high - low)) ** 2)


case(robust_scale, M)


def drawdown(returns):
    wealth = np.cumprod(1 + 0.1 * returns)
    peak = np.maximum.accumulate(wealth)
    return np.max((peak - wealth) / peak) + np.minimum.accumulate(returns[::-1]).sum()


case(drawdown, V4)


def running_columns(x):
    return np.sum(np.maximum.accumulate(x, axis=1) ** 2) + np.minimum.accumulate(x) @ np.ones(3) @ np.arange(5)


case(running_columns, M)


def distinct_values(x):
    values, where = np.unique(x, return_inverse=True)
    u, first, where_2, counts = np.unique(np.round(x), return_index=True, return_inverse=True, return_counts=True)
    return (values[where] ** 2).sum() + np.unique(x)[0] + np.sum(x[first] ** 2 * counts) + len(np.unique([1, 2, 2]))


case(distinct_values, V6)


def tied_values(x):
    u, where, counts = np.unique(x, return_inverse=True, return_counts=True)
    return np.sum(u ** 2 * counts) + np.sum(u[where] ** 3)


case(tied_values, np.array([2.0, 1.0, 2.0, 0.5, 1.0, 2.0]), oracle=False, order=1)      # (which takes the first of equals)


def extreme_with_start(x):
    low = np.min(x, where=x > 0, initial=9.0)
    return np.max(x, initial=0.1) ** 2 + low ** 2 + x.max(axis=0, initial=0.5) + np.sum(x, initial=2.0)


case(extreme_with_start, V4)


def extreme_of_nothing(x):
    return np.sum(x[x > 5.0].max(initial=0.0) + x ** 2)


case(extreme_of_nothing, V4)


# --- counting ---------------------------------------------------------------------------------------

def weighted_histograms(w, x):
    counts, edges = np.histogram(x, bins=3, range=(-2, 2), weights=w)
    others, limits = np.histogram(x, bins=[-1.0, 0.0, 1.0, 1.3], weights=w ** 2)
    return np.sum(counts ** 2) + others @ limits[1:]


case(weighted_histograms, V4, V4[::-1].copy())


def centres_of_bins(x):
    counts, edges = np.histogram(x, bins=3)
    density, _ = np.histogram(x, bins=3, density=True)
    centres = 0.5 * (edges[1:] + edges[:-1])
    return np.sum(counts * centres ** 2) + np.sum(density ** 2 * np.diff(edges))


case(centres_of_bins, V4)


def sums_by_label(w, labels):
    return np.sum(np.bincount(labels, weights=w, minlength=6) ** 2) + np.bincount(labels)[2] * w[0]


case(sums_by_label, V4, np.array([0, 2, 2, 1]))


# --- differences and polynomials --------------------------------------------------------------------

def numerical_slopes(x):
    by_row, by_column = np.gradient(np.outer(x, x), 0.1, 0.5)
    along = np.gradient(np.outer(x, x ** 2), axis=0, edge_order=2)
    return (np.gradient(x ** 2) ** 2).sum() + (by_row * by_column).sum() + (along ** 3).sum()


case(numerical_slopes, V4)


def slopes_over_places(y, t):
    return np.sum(np.gradient(y, t) ** 2) + np.sum(np.gradient(y, t, edge_order=2) * y)


case(slopes_over_places, V4, np.array([0.0, 0.5, 0.8, 1.5]), inputs=("y", "t"))


def slopes_over_steps(y, h):
    return np.sum(np.gradient(y, h) ** 2)


case(slopes_over_steps, V4, 0.3, inputs=("y", "h"))


def differences_with_ends(x):
    return (np.ediff1d(x.reshape(2, 2), to_end=x[0], to_begin=[1.0, 2.0]) ** 2).sum() + np.ediff1d(x).prod()


case(differences_with_ends, V4)


def correlations(x):
    short = x[:3]
    return (np.sum(np.correlate(x, short, "full") ** 2) + np.sum(np.correlate(x, short, "same") * np.arange(4))
            + np.sum(np.correlate(short, x, "same") * np.arange(4)) + np.correlate(x, x)[0]
            + np.sum(np.correlate(x[:2], x) * np.arange(3)))


case(correlations, V4)


def fitted_line(y, t):
    c = np.polyfit(t, y, 2)
    return np.polyval(c, 0.3) ** 2 + np.polyval(np.polyder(c), 1.0) + np.polyfit(t, y, 1, w=[1.0, 2.0, 1.0, 1.0])[0]


case(fitted_line, V4, np.array([0.0, 0.5, 0.8, 1.5]), inputs=("y", "t"))


def polynomials(a, b):
    area = np.polyint(a)
    return (np.polyval(np.polymul(a, b), 0.3) + np.polyval(np.polyadd(a, b[:2]), 0.4) ** 2 + np.polyval(np.polysub(a, b), 2.0)
            + np.polyval(area, 1.5) - np.polyval(area, 0.5) + np.polyval(np.polyder(a, 2), 0.2))


case(polynomials, V4, V4[::-1] + 0.1, inputs=("a", "b"))


def quadrature(a, b, n=5):
    x, w = np.polynomial.legendre.leggauss(n)
    t = 0.5 * (b - a) * x + 0.5 * (b + a)
    return 0.5 * (b - a) * np.sum(w * np.exp(-t ** 2) * np.cos(a * t))


case(quadrature, 0.2, 1.4, inputs=("a", "b"))


# --- random numbers whose distribution depends on the inputs ----------------------------------------

def drawn_by_a_generator(mean, scale):
    rng = np.random.default_rng(1)
    normal = rng.normal(mean, scale, size=5)
    uniform = rng.uniform(mean, 2.0, (2, 3))
    return (normal ** 2).sum() + (uniform ** 2).sum() + rng.exponential(scale, 4).sum() + rng.lognormal(mean, 0.1)


case(drawn_by_a_generator, 0.3, 1.2, inputs=("mean", "scale"))


def drawn_by_the_module(mean, scale):
    np.random.seed(1)
    old = np.random.RandomState(2).normal(mean, 1.0, 3)
    return (np.random.normal(loc=mean, scale=scale, size=5) ** 2).sum() * np.random.uniform(mean, 2.0) + old.sum()


case(drawn_by_the_module, 0.3, 1.2, inputs=("mean", "scale"))


def noise_and_dropout(w, n=6):
    np.random.seed(3)
    noise = np.random.normal(0.0, 0.1, size=(n, len(w)))
    kept = np.random.rand(n, len(w)) < 0.8
    return np.sum(np.tanh((w + noise) * kept / 0.8) ** 2)


case(noise_and_dropout, V4)


def permuted(x):
    rng = np.random.default_rng(1)
    order, chosen = rng.permutation(len(x)), rng.choice(len(x), size=2, replace=False)
    return x[order] @ np.arange(4.0) + x[chosen].sum() * x[rng.integers(0, 3)] + rng.random(4) @ x


case(permuted, V4)


# --- transforms and complex numbers -----------------------------------------------------------------

def transforms_of_two_axes(x):
    half = np.fft.rfft2(x)
    return (np.sum(np.abs(half) ** 2 * np.arange(2)) + np.sum(np.fft.irfft2(half * 2, s=x.shape) ** 2)
            + np.sum(np.abs(np.fft.rfftn(x)) ** 2))


case(transforms_of_two_axes, M)


def fast_convolution(a, b):
    n = len(a) + len(b) - 1
    size = 1 << (n - 1).bit_length()
    return np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)[:n]


case(fast_convolution, V6, V4, inputs=("a", "b"))


def polar_and_back(x):
    r, phi = cmath.polar(complex(x, 0.3))
    z = cmath.rect(r * x, phi)
    return z.real + r * phi + z.imag ** 2


case(polar_and_back, 0.6)


# --- lists where NumPy takes arrays, ranks that decide, fields of results ---------------------------

def unknown_array(x):
    return np.where([True, False], [x[0], x[1]], [x[1], x[0] ** 2])


def lists_in_arithmetic(x):
    y = unknown_array(x)
    return (y - [2.0, 3.0]) @ [1.0, x[1]] + ([2.0, 3.0] / y).sum() + (y ** [2.0, 3.0]).sum()


case(lists_in_arithmetic, V4[2:])


def lists_as_arguments(x, y):
    return (np.maximum([x, y], [0.1, 0.5]).sum() + np.clip([x, y, 0.2], 0.25, 0.6).sum() + np.fft.fft([x, y, 0.0]).real[1]
            + np.histogram([0.1, 0.5], bins=2, weights=[x, y])[0] @ [1.0, x] + np.gradient([x, y, x ** 2])[1])


case(lists_as_arguments, 0.3, 0.7, inputs=("x", "y"))


def by_rank(x):
    if np.ndim(x) == 0:
        return x ** 2
    if np.ndim(x) == 1 and len(x) > 2:
        return np.sum(x ** 3)
    return np.sum(x)


def ranks_decide(x):
    return by_rank(x[0]) + by_rank(x) * by_rank(np.outer(x, x))


case(ranks_decide, V4)


def fields_of_results(a):
    s = a @ a.T + np.eye(3)
    return (np.linalg.eigh(s).eigenvalues[0] + np.linalg.svd(a).S.sum() + np.linalg.slogdet(s).logabsdet
            + np.abs(np.linalg.qr(a).R).sum())


case(fields_of_results, SQUARE)


# --- what may be a number, an axis of a number

def power_of_both(x, n):
    return np.sum(x ** n * (1.0 + x))


def heights_at_a_step(x, y):
    return np.sum(np.heaviside(x, y) * y)


def widths_of_steps(y, h):
    return np.trapezoid(y, dx=h) if hasattr(np, "trapezoid") else np.trapz(y, dx=h)


def moments_of_what_may_be_a_number(z, n):
    for _ in range(n):
        z = z * np.array([1.0, 0.4, 0.7])
    return np.mean(z ** 2) + np.var(z) + np.std(2.0 * z + np.arange(3.0)) + np.average(z)


def moments_of_a_number(x):
    return np.average(x * x) + np.var(x) + np.std(x) + np.nanmean(x ** 3) + np.nanvar(x)


def axes_of_a_number(x):
    total = np.sum(x * x, axis=0) + np.prod(x, axis=-1) ** 2 + np.max(x, axis=0) * x
    return total + np.sum(np.cumsum(x, axis=0) ** 2) + np.sum(np.cumprod(x, axis=0)) + np.sum(np.repeat(x, 2, axis=0)) * x


def a_number_from_a_product(x):
    c = np.prod(x @ x, axis=-1)
    y = np.expand_dims(c, 0)
    c **= 2
    return np.sum(y) + c + np.sum(x @ x, axis=-1) ** 2


def summed_until_it_is_a_number(x):
    while np.ndim(x):
        x = np.sum(x * x, axis=0)
    return np.sum(x, axis=0) + np.sum(np.pad(x, 0)) * x


def determinants(a):
    return np.linalg.det(a) * a[0, 1] + np.linalg.det(a[:2, :2])


def mean_of_some(x):
    return np.mean(x, where=x > -0.9, axis=0) * x


case(power_of_both, 2.0, 0.0, inputs=("x", "n"), oracle=False)
case(power_of_both, np.array([0.5, 2.0, 1.5]), np.array([0.0, 0.0, 2.0]), inputs=("x", "n"), oracle=False)
case(heights_at_a_step, np.array([0.0, 1.0, -1.0]), np.array([0.5, 0.2, 0.3]), inputs="y", oracle=False)
case(widths_of_steps, np.array([0.3, 1.0, 2.0]), np.array([0.4, 1.0]), inputs=("y", "h"), oracle=False)
for number in (0, 1):
    case(moments_of_what_may_be_a_number, 1.5, number, oracle=False)
case(moments_of_a_number, 1.5, oracle=False)
case(axes_of_a_number, 1.5, oracle=False)
case(axes_of_a_number, np.array(1.5), oracle=False)
case(a_number_from_a_product, np.array([0.7, -1.2]), oracle=False)
case(summed_until_it_is_a_number, np.array([[0.5, 0.6], [0.7, 0.8]]), oracle=False)
case(determinants, np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.5, -1.0]]), oracle=False)
case(determinants, np.zeros((3, 3)), oracle=False)
case(determinants, SQUARE, oracle=False)
case(mean_of_some, M, oracle=False)
case(mean_of_some, M.astype(np.float32), oracle=False, step=1e-3)


# --- transposes of numbers, fits at whole numbers, negative numbers to complex powers, lists to which an array is added

def transposed_numbers(v):
    a = np.eye(2)
    return 0.5 * (v.T @ a @ v).T + v.sum().T * 2.0 + v[1].T * 3.0


def line_through(y):
    return np.polyfit(np.arange(4), y, 1)[0] ** 2 + np.polyfit([0, 1, 2, 3], y, 1, w=[1, 2, 1, 1])[1]


def turned_by_powers(p, v):
    return np.sum(np.abs(v ** (1j * p))) + ((-2.0) ** (p + 1j)).real


def list_and_array(x):
    items = [x[0], x[1]]
    same = items
    if x[0] > 1.0:
        items += x
    return sum(same) * len(same)


case(transposed_numbers, np.array([0.7, -0.4]), oracle=False)
case(line_through, V4, oracle=False)
case(turned_by_powers, 0.5, np.array([-2.0, 3.0]), oracle=False)
case(list_and_array, np.array([1.5, 2.0]), oracle=False)
