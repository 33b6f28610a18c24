"""Fit lifetimes of which some are not over yet: maximum likelihood with the distributions of SciPy.
====================================================================================================

    python examples/lifetimes.py [--show]

A test of 400 parts ends after 3000 hours. For a part that failed, the likelihood is the density at its lifetime; for one that
still runs, the probability to live longer (the survival function). `scipy.stats` says both, for each of two models:

    -sum(log f(failed)) - sum(log S(running))

`sg.value_and_grad` differentiates through `stats.weibull_min(...).logpdf` and `.logsf`; the standard errors come from
`sg.hessian`, the second derivative of the same function. The parts are drawn from a Weibull distribution.
"""

import argparse
import sys
import time

try:
    import numpy as np
    from scipy import stats
    from scipy.optimize import minimize

    import sourcegrad as sg
except ImportError as missing:
    sys.exit(f'This example needs {missing.name}: pip install "sourcegrad[examples]"')

END = 3000.0  # hours
SHAPE, SCALE = 1.8, 2400.0  # of the parts that are drawn


def weibull(theta, failed, running):
    """Minus the log-likelihood; theta: the logarithms of shape and scale."""
    life = stats.weibull_min(np.exp(theta[0]), scale=np.exp(theta[1]))
    return -np.sum(life.logpdf(failed)) - np.sum(life.logsf(running))


def lognormal(theta, failed, running):
    life = stats.lognorm(np.exp(theta[0]), scale=np.exp(theta[1]))
    return -np.sum(life.logpdf(failed)) - np.sum(life.logsf(running))


def fit(model, failed, running):
    """The parameters of greatest likelihood, and Akaike's criterion."""
    start = np.array([0.0, np.log(np.mean(failed))])
    found = minimize(sg.value_and_grad(model), start, args=(failed, running), jac=True, method="BFGS")
    return found.x, 2.0 * (found.fun + start.size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--show", action="store_true", help="print the generated code")
    options = parser.parse_args()
    lifetimes = stats.weibull_min.rvs(SHAPE, scale=SCALE, size=400, random_state=np.random.default_rng(7))
    failed, running = lifetimes[lifetimes < END], np.full(np.sum(lifetimes >= END), END)
    print(f"{failed.size} parts failed within {END:.0f} hours, {running.size} still run")
    if options.show:
        gradient = sg.grad(weibull)
        gradient(np.array([0.5, 7.0]), failed, running)
        print(gradient.source)

    start = time.perf_counter()
    print(f"{'model':12s}{'shape':>8s}{'scale (hours)':>16s}{'criterion':>12s}")
    for model in (lognormal, weibull):
        theta, criterion = fit(model, failed, running)
        print(f"{model.__name__:12s}{np.exp(theta[0]):8.3f}{np.exp(theta[1]):16.1f}{criterion:12.1f}")
    print(f"{'drawn from':12s}{SHAPE:8.3f}{SCALE:16.1f}")
    errors = np.exp(theta) * np.sqrt(np.diag(np.linalg.inv(sg.hessian(weibull)(theta, failed, running))))
    print(f"standard errors of the Weibull fit: {errors[0]:.3f} and {errors[1]:.1f} hours ({time.perf_counter() - start:.1f} s)")


if __name__ == "__main__":
    main()
