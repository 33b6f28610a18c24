"""How high will the sea rise in Venice once in a hundred years, and which years say so?
=====================================================================================

    python examples/flood_levels.py [--show] [--figure flood_levels.png]

The highest sea level of each year from 1931 to 1981 (R. L. Smith, Journal of Hydrology 86, 1986) follows a generalized
extreme-value distribution whose location rises with time, as the town sinks. Its four parameters are fitted by maximum
likelihood: `scipy.stats.genextreme.logpdf` inside `scipy.optimize.minimize`.

The fit is differentiated twice: the Hessian of the log-likelihood gives standard errors, and the derivative of the whole
fit by the measurements, through `minimize`, says how much each year moves the level that is exceeded once in 100 years.
"""

import argparse
import sys

try:
    import numpy as np
    from scipy import optimize, stats

    import sourcegrad as sg
except ImportError as missing:
    sys.exit(f'This example needs {missing.name}: pip install "sourcegrad[examples]"')

# cm above the datum of 1897
LEVELS = np.array([
    103, 78, 121, 116, 115, 147, 119, 114, 89, 102, 99, 91, 97, 106, 105, 136, 126, 132, 104, 117, 151, 116, 107, 112, 97, 95, 119,
    124, 118, 145, 122, 114, 118, 107, 110, 194, 138, 144, 138, 123, 122, 120, 114, 96, 125, 124, 120, 132, 166, 134, 138,
], dtype=float)  # fmt: skip
YEARS = np.arange(1931, 1982)
TIME = (YEARS - 1956) / 25
START = np.array([1.1, 0.1, -2.0, 0.0])  # m, m in 25 years, log m, shape


def loss(theta, levels):
    """Minus the logarithm of the likelihood. theta: location in 1956, its rise in 25 years, log of the scale, shape."""
    location = theta[0] + theta[1] * TIME
    return -np.sum(stats.genextreme.logpdf(levels, theta[3], location, np.exp(theta[2])))


def fit(levels):
    return optimize.minimize(loss, START, args=(levels,), method="BFGS").x


def rare_level(theta, time):
    """The level that is exceeded with a chance of 1 %."""
    return stats.genextreme.isf(0.01, theta[3], theta[0] + theta[1] * time, np.exp(theta[2]))


def rare_level_of(levels):
    """The level of 1981 as a function of the measurements: through the minimization."""
    return rare_level(fit(levels), 1.0)


def save_figure(path, theta, error, influence):
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('matplotlib is not installed, so no figure: pip install "sourcegrad[examples]"')
        return
    figure = Figure(figsize=(10, 6), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    top.plot(YEARS, LEVELS, "k.", label="highest level of the year")
    top.plot(YEARS, 100 * (theta[0] + theta[1] * TIME), label="location of the distribution")
    rare = 100 * np.array([rare_level(theta, t) for t in TIME])
    top.plot(YEARS, rare, label="exceeded once in 100 years")
    top.fill_between(YEARS, rare - 200 * error, rare + 200 * error, alpha=0.2, label="two standard errors")
    top.set(ylabel="cm", title="Highest sea levels in Venice, fitted by maximum likelihood")
    top.legend()
    bottom.bar(YEARS, influence)
    bottom.set(ylabel="cm per cm", xlabel="year", title="How much the rare level of 1981 moves with the level of one year")
    figure.savefig(path, dpi=120)
    print(f"figure written to {path}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print the generated gradient code and stop")
    parser.add_argument("--figure", default="flood_levels.png", metavar="PATH", help="where to save the figure")
    options = parser.parse_args()
    if options.show:
        print(sg.source(loss, at={"theta": START, "levels": LEVELS / 100}))
        return

    levels = LEVELS / 100
    theta = fit(levels)
    covariance = np.linalg.inv(hessian(theta, levels))
    errors = np.sqrt(np.diag(covariance))
    for name, value, error in zip(("location in 1956 (m)", "rise in 25 years (m)", "log of the scale", "shape"), theta, errors):
        print(f"{name:22s} {value:8.4f} +- {error:.4f}")
    slope = sg.grad(rare_level)(theta, 1.0)
    error = np.sqrt(slope @ covariance @ slope)
    print(f"exceeded once in 100 years: {100 * rare_level(theta, 1.0):.0f} +- {100 * error:.0f} cm (in 1981)")

    influence = sg.grad(rare_level_of)(levels)
    step = np.where(YEARS == 1966, 1e-2, 0.0)
    moved = (rare_level_of(levels + step) - rare_level_of(levels - step)) / 2e-2
    print(f"one cm more in 1966 moves it by {influence[YEARS == 1966][0]:.3f} cm; fitted again: {moved:.3f} cm")
    print("the years that count most:", ", ".join(str(YEARS[k]) for k in np.argsort(-np.abs(influence))[:4]))
    save_figure(options.figure, theta, error, influence)


def hessian(theta, levels):
    """The Hessian of the loss, column by column: forward mode over reverse mode."""
    product = sg.pushforward(sg.grad(loss), with_value=False)
    return np.stack([product(theta, levels, theta_dot=unit) for unit in np.eye(len(theta))], axis=1)


if __name__ == "__main__":
    main()
