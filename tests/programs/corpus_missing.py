"""Data with missing values: where the program leaves NaN out, the gradient does, too."""

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

OBSERVED = np.array([1.0, np.nan, 3.0])
VECTOR = np.array([0.5, 0.6, 0.7])


def sum_of_the_rest(x):
    return np.nansum((x - OBSERVED) ** 2)


def mean_of_the_rest(x):
    return np.nanmean((x - OBSERVED) ** 2)


def zero_for_missing(x):
    r = x - OBSERVED
    return np.sum(np.where(np.isnan(r), 0.0, r) ** 2)


def zero_for_missing_squares(x):
    r = x - OBSERVED
    return np.sum(np.where(np.isnan(OBSERVED), 0.0, r ** 2))


def those_that_are_there(x):
    r = (x - OBSERVED) ** 2
    return np.sum(r[~np.isnan(r)])


def put_zero(x):
    r = (x - OBSERVED) ** 2
    r[np.isnan(r)] = 0
    return r.sum()


def numbers_for_missing(x):
    return np.sum(np.nan_to_num((x - OBSERVED) ** 2))


def sum_where_known(x):
    return np.sum((x - OBSERVED) ** 2, where=~np.isnan(OBSERVED))


def missing_factors(x):
    return np.nansum(x * OBSERVED) + np.nansum(np.exp(x * OBSERVED) * x)


def skipped_in_a_loop(x):
    s = 0.0
    for k in range(3):
        r = x[k] - OBSERVED[k]
        if np.isnan(r):
            continue
        s += r ** 2
    return s


def known_in_a_loop(x):
    s = 0.0
    for k in range(3):
        if not np.isnan(OBSERVED[k]):
            s += (x[k] - OBSERVED[k]) ** 2 * np.cos(x[k])
    return s


class Fit:
    def __init__(self, t, y):
        self.t, self.y = t, y

    def residuals(self, p):
        return p[0] * np.exp(-p[1] * self.t) - self.y

    def chi2(self, p, sigma=0.1):
        r = self.residuals(p)
        return np.nansum((r / sigma) ** 2)


FIT = Fit(np.arange(3.0), OBSERVED)


def decay_fit(p):
    return FIT.chi2(p)


for program in (sum_of_the_rest, mean_of_the_rest, zero_for_missing, zero_for_missing_squares, those_that_are_there, put_zero,
                numbers_for_missing, sum_where_known, missing_factors, skipped_in_a_loop, known_in_a_loop, decay_fit):
    case(program, VECTOR, oracle=False)


def sinc(q, r):
    qr = q * r
    return np.divide(np.sin(qr), qr, out=np.ones_like(qr), where=qr != 0)


def scattering(r, q):
    return np.sum(sinc(q, r[0]) ** 2)


case(scattering, np.array([0.5, 0.3]), np.array([0.0, 0.5, 1.0]), oracle=False)
