"""Log-likelihood of a Gaussian mixture with inverse covariance factors and a Wishart prior.

Component k has the factor Q_k = diag(exp(q_k)) + strictly_lower(l_k), where
icf[k] holds q_k (d numbers) and then l_k column by column.
"""
import math

import numpy as np


def lower_columns(d):
    """Rows and columns of a strictly lower triangle, column by column."""
    cols, rows = np.triu_indices(d, 1)
    return rows, cols


def log_prior_constant(d, k, gamma, m):
    n = d + m + 1
    log_gamma_d = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        log_gamma_d += math.lgamma(0.5 * n - 0.5 * j)
    return -k * (n * d * math.log(gamma / math.sqrt(2.0)) - log_gamma_d)


def primal(alphas, means, icf, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    rows, cols = lower_columns(d)
    diag = np.arange(d)

    q = icf[:, :d]
    exp_q = np.exp(q)
    sum_q = np.sum(q, axis=1)
    factor = np.zeros((k, d, d))
    factor[:, rows, cols] = icf[:, d:]
    factor[:, diag, diag] = exp_q

    centered = x - means[:, None, :]                        # (k, n, d)
    whitened = centered @ factor.transpose(0, 2, 1)         # (k, n, d)
    score = (alphas + sum_q)[:, None] - 0.5 * np.sum(whitened * whitened, axis=2)

    top = np.max(score, axis=0)
    likelihood = np.sum(np.log(np.sum(np.exp(score - top), axis=0)) + top)
    alpha_top = np.max(alphas)
    normaliser = np.log(np.sum(np.exp(alphas - alpha_top))) + alpha_top
    prior = (0.5 * gamma * gamma * (np.sum(exp_q * exp_q) + np.sum(icf[:, d:] ** 2))
             - m * np.sum(sum_q))
    return (-0.5 * n * d * math.log(2.0 * math.pi) + likelihood - n * normaliser
            + prior + log_prior_constant(d, k, gamma, m))


def adjoint(alphas, means, icf, x, gamma, m):
    """Gradient with respect to (alphas, means, icf)."""
    n, d = x.shape
    k = alphas.shape[0]
    rows, cols = lower_columns(d)
    diag = np.arange(d)

    q = icf[:, :d]
    lower = icf[:, d:]
    exp_q = np.exp(q)
    sum_q = np.sum(q, axis=1)
    factor = np.zeros((k, d, d))
    factor[:, rows, cols] = lower
    factor[:, diag, diag] = exp_q

    centered = x - means[:, None, :]
    whitened = centered @ factor.transpose(0, 2, 1)
    score = np.einsum('knd,knd->kn', whitened, whitened)
    score *= -0.5
    score += (alphas + sum_q)[:, None]

    top = np.max(score, axis=0)
    score -= top
    weight = np.exp(score, out=score)
    total = np.sum(weight, axis=0)
    likelihood = np.sum(np.log(total)) + np.sum(top)
    alpha_top = np.max(alphas)
    alpha_weight = np.exp(alphas - alpha_top)
    alpha_total = np.sum(alpha_weight)
    normaliser = np.log(alpha_total) + alpha_top
    prior = (0.5 * gamma * gamma * (np.sum(exp_q * exp_q) + np.sum(lower * lower))
             - m * np.sum(sum_q))
    value = (-0.5 * n * d * math.log(2.0 * math.pi) + likelihood - n * normaliser
             + prior + log_prior_constant(d, k, gamma, m))

    # prior
    exp_q_bar = gamma * gamma * exp_q
    lower_bar = gamma * gamma * lower
    # normaliser = logsumexp(alphas)
    alphas_bar = alpha_weight * (-n / alpha_total)
    # likelihood = sum(logsumexp(score, axis=0))
    score_bar = weight
    score_bar /= total
    sum_score_bar = np.sum(score_bar, axis=1)
    # score = (alphas + sum_q)[:, None] - 0.5 * sum(whitened**2, axis=2)
    alphas_bar += sum_score_bar
    sum_q_bar = sum_score_bar - m
    whitened_bar = whitened
    whitened_bar *= score_bar[:, :, None]
    np.negative(whitened_bar, out=whitened_bar)
    # whitened = centered @ factor.T
    factor_bar = whitened_bar.transpose(0, 2, 1) @ centered
    # centered = x - means[:, None, :];  sum over points before the product
    means_bar = -(np.sum(whitened_bar, axis=1)[:, None, :] @ factor)[:, 0, :]
    # factor from icf
    lower_bar += factor_bar[:, rows, cols]
    exp_q_bar += factor_bar[:, diag, diag]
    icf_bar = np.empty_like(icf)
    icf_bar[:, :d] = exp_q_bar * exp_q + sum_q_bar[:, None]
    icf_bar[:, d:] = lower_bar
    return value, (alphas_bar, means_bar, icf_bar)


INPUTS = ("alphas", "means", "icf")


def make(size, rng):
    n, d, k = {"tiny": (6, 3, 2), "full": (1000, 10, 5)}[size]
    icf = 0.3 * rng.standard_normal((k, d * (d + 1) // 2))
    return rng.standard_normal(k), rng.standard_normal((k, d)), icf, rng.standard_normal((n, d)), 1.0, 0


def primal_in(xp, alphas, means, icf, x, gamma, m):
    """The factor is gathered from (exp_q, l, 0) by a table of positions: no writes."""
    n, d = x.shape
    k = alphas.shape[0]
    rows, cols = lower_columns(d)
    position = np.full((d, d), icf.shape[1])
    position[rows, cols] = np.arange(d, icf.shape[1])
    position[np.arange(d), np.arange(d)] = np.arange(d)

    exp_q = xp.exp(icf[:, :d])
    sum_q = xp.sum(icf[:, :d], axis=1)
    factor = xp.concatenate([exp_q, icf[:, d:], xp.zeros((k, 1))], axis=1)[:, position]
    whitened = xp.einsum("knd,ked->kne", x - means[:, None, :], factor)
    score = (alphas + sum_q)[:, None] - 0.5 * xp.sum(whitened * whitened, axis=2)

    top = xp.max(score, axis=0)
    likelihood = xp.sum(xp.log(xp.sum(xp.exp(score - top), axis=0)) + top)
    alpha_top = xp.max(alphas)
    normaliser = xp.log(xp.sum(xp.exp(alphas - alpha_top))) + alpha_top
    prior = 0.5 * gamma * gamma * (xp.sum(exp_q * exp_q) + xp.sum(icf[:, d:] ** 2)) - m * xp.sum(sum_q)
    return (-0.5 * n * d * math.log(2.0 * math.pi) + likelihood - n * normaliser
            + prior + log_prior_constant(d, k, gamma, m))
