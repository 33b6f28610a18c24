"""Gaussian process on 309 years of sunspots: learn the solar cycle, fill in decades it has not seen.
==================================================================================================

    python examples/gaussian_process.py [--show] [--figure gaussian_process.png]

The kernel is a periodic one that slowly forgets (C. E. Rasmussen, C. K. I. Williams, "Gaussian Processes
for Machine Learning", 2006, section 5.4.3), and its five hyper-parameters maximise the marginal likelihood
(their algorithm 2.1), by L-BFGS with the generated gradient through `np.linalg.cholesky`.
Every fourth decade is hidden. The data (yearly sunspot number, 1700-2008) come with statsmodels.
"""

import argparse
import sys
import time

try:
    import numpy as np
    from scipy.optimize import minimize
    from statsmodels.datasets import sunspots

    import sourcegrad as sg
except ImportError as missing:
    sys.exit(f'This example needs {missing.name}: pip install "sourcegrad[examples]"')

NAMES = ("variance", "memory (years)", "period (years)", "roughness", "noise variance")
GUESS = np.array([3.0, 30.0, 10.0, 1.0, 1.0])


def kernel(log_theta, a, b):
    """Covariance of the signal between the years a and b, shape (len(a), len(b))."""
    variance, memory, period, roughness = np.exp(log_theta[:4])
    lag = a[:, None] - b[None, :]
    forget = 0.5 * (lag / memory) ** 2
    cycle = 2 * np.sin(np.pi * lag / period) ** 2 / roughness**2
    return variance * np.exp(-forget - cycle)


def negative_log_likelihood(log_theta, t, y):
    """-log p(y), y having mean zero, for the logarithms of the five hyper-parameters."""
    n = len(t)
    covariance = kernel(log_theta, t, t) + np.exp(log_theta[4]) * np.eye(n)
    factor = np.linalg.cholesky(covariance)
    whitened = np.linalg.solve(factor, y)
    return 0.5 * whitened @ whitened + np.sum(np.log(np.diag(factor))) + 0.5 * n * np.log(2 * np.pi)


def predict(log_theta, t, y, wanted):
    """Mean and variance of a measurement in the `wanted` years, given y in the years t."""
    noise = np.exp(log_theta[4])
    factor = np.linalg.cholesky(kernel(log_theta, t, t) + noise * np.eye(len(t)))
    cross = np.linalg.solve(factor, kernel(log_theta, t, wanted))
    mean = cross.T @ np.linalg.solve(factor, y)
    return mean, np.exp(log_theta[0]) + noise - np.sum(cross**2, axis=0)


def score(y, mean, variance):
    """RMSE in sunspots (the models work on square roots), and negative log density per held-out year."""
    rmse = np.sqrt(np.mean((np.maximum(mean, 0) ** 2 - y**2) ** 2))
    return rmse, np.mean(0.5 * np.log(2 * np.pi * variance) + 0.5 * (y - mean) ** 2 / variance)


def save_figure(path, year, root, hidden, grid, mean, deviation):
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('matplotlib is not installed, so no figure: pip install "sourcegrad[examples]"')
        return
    figure = Figure(figsize=(12, 4.5), layout="constrained")
    axes = figure.subplots()
    low, high = (np.maximum(mean + z * deviation, 0) ** 2 for z in (-1.96, 1.96))
    axes.fill_between(grid, low, high, color="tab:orange", alpha=0.3, linewidth=0, label="95 % interval")
    axes.plot(grid, np.maximum(mean, 0) ** 2, color="tab:orange", label="Gaussian process")
    axes.plot(year[~hidden], root[~hidden] ** 2, "k.", markersize=4, label="measured")
    axes.plot(year[hidden], root[hidden] ** 2, "r.", markersize=5, label="measured, hidden from the model")
    axes.set(xlabel="year", ylabel="sunspot number", ylim=(0, 260), xlim=(grid[0], grid[-1]))
    axes.legend(ncols=4, loc="upper center")
    figure.savefig(path, dpi=120)
    print(f"figure written to {path}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print the generated gradient code and stop")
    parser.add_argument(
        "--figure", default="gaussian_process.png", metavar="PATH", help="where to save the figure"
    )
    options = parser.parse_args()
    if options.show:
        print(sg.source(negative_log_likelihood, inputs="log_theta"))
        return

    data = sunspots.load_pandas().data
    year = data["YEAR"].to_numpy()
    root = np.sqrt(data["SUNACTIVITY"].to_numpy())  # counts scatter with their size, their roots evenly
    hidden = (year - 1700) % 40 >= 30
    t, average = year[~hidden], root[~hidden].mean()
    y = root[~hidden] - average
    print(f"{len(t)} years to learn from, {hidden.sum()} hidden")

    iterations = 0

    def report(intermediate_result):
        nonlocal iterations
        iterations += 1
        if iterations % 5 == 0:
            print(f"  iteration {iterations:3d}   log likelihood {-intermediate_result.fun:.3f}", flush=True)

    objective = sg.value_and_grad(negative_log_likelihood)
    before, _ = objective(np.log(GUESS), t, y)
    start = time.perf_counter()
    fit = minimize(objective, np.log(GUESS), args=(t, y), jac=True, method="L-BFGS-B", callback=report)
    seconds = time.perf_counter() - start

    print(f"log marginal likelihood {-before:.2f} -> {-fit.fun:.2f}, {fit.nfev} gradients, {seconds:.1f} s")
    for name, old, new in zip(NAMES, GUESS, np.exp(fit.x)):
        print(f"  {name:16s}{old:8.2f} -> {new:6.2f}")

    grid = np.arange(1700.0, 2031.0)
    mean, variance = predict(fit.x, t, y, grid)
    mean = mean + average
    asked = np.isin(grid, year[hidden])
    one_cycle_off = 0.5 * (np.interp(year - 11, t, y + average) + np.interp(year + 11, t, y + average))
    spread = np.mean((one_cycle_off - root)[~hidden] ** 2)
    rows = {
        "Gaussian process": (mean[asked], variance[asked]),
        "mean of 11 years before and after": (one_cycle_off[hidden], spread),
        "overall mean": (np.full(hidden.sum(), average), y.var()),
    }
    print(f"{'hidden years':36s}{'RMSE (sunspots)':>16s}{'neg. log density':>18s}")
    for name, (centre, width) in rows.items():
        rmse, density = score(root[hidden], centre, width)
        print(f"{name:36s}{rmse:16.1f}{density:18.3f}")
    save_figure(options.figure, year, root, hidden, grid, mean, np.sqrt(variance))


if __name__ == "__main__":
    main()
