"""Fit a differential equation to measured atmospheric CO2, then forecast 22 years it has not seen.
================================================================================================

    python examples/ode_fit.py [--show] [--figure ode_fit.png]

The model: what exceeds the pre-industrial 280 ppm grows in proportion to itself (D. J. Hofmann, J. H. Butler,
P. P. Tans, Atmospheric Environment 43, 2009, found a doubling time near 30 years), and plants breathe in
and out with the seasons, the more so the more CO2 there is:

    dC/dt = ln 2 / doubling * (C - 280) + (1 + response * (C / 315 - 1)) * season(t)

Its nine parameters are fitted by L-BFGS to the months before 1980, differentiating through the
Runge-Kutta loop. The data (Mauna Loa, 1958-2001, C. D. Keeling and T. P. Whorf) come with statsmodels.
"""

import argparse
import sys
import time

try:
    import numpy as np
    from scipy.optimize import minimize
    from statsmodels.datasets import co2

    import sourcegrad as sg
except ImportError as missing:
    sys.exit(f'This example needs {missing.name}: pip install "sourcegrad[examples]"')

PREINDUSTRIAL = 280.0  # ppm
DT = 1 / 12  # years: one step of the solver is one month
FIRST_YEAR = 1958 + 2 / 12  # month 0 of the record is March 1958
HARMONICS = np.array([1.0, 2.0, 3.0])  # per year

# doubling time (yr), CO2 at the start (ppm), response, then 3 cosine and 3 sine amplitudes (ppm/yr)
GUESS = np.array([20.0, 310.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
SCALE = 10.0  # of every parameter, so that L-BFGS sees numbers near 1


def simulate(theta, months):
    """CO2 (ppm) at the first `months` months, by the classical Runge-Kutta method."""
    rate = np.log(2) / theta[0]
    response = theta[2]
    season = theta[3:].reshape(2, 3)

    def slope(t, c):
        phase = 2 * np.pi * HARMONICS * t
        breath = season[0] @ np.cos(phase) + season[1] @ np.sin(phase)
        return rate * (c - PREINDUSTRIAL) + (1 + response * (c / 315 - 1)) * breath

    c = theta[1]
    history = [c]
    for month in range(months - 1):
        t = month * DT
        k1 = slope(t, c)
        k2 = slope(t + DT / 2, c + DT / 2 * k1)
        k3 = slope(t + DT / 2, c + DT / 2 * k2)
        k4 = slope(t + DT, c + DT * k3)
        c = c + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        history.append(c)
    return np.array(history)


def loss(scaled, month, measured):
    """Mean squared misfit (ppm^2) at the measured months."""
    model = simulate(GUESS + SCALE * scaled, month[-1] + 1)
    return np.mean((model[month] - measured) ** 2)


def monthly_means():
    """Index of each month that has measurements, and its mean CO2 (ppm)."""
    series = co2.load_pandas().data["co2"].resample("MS").mean().dropna()
    index = 12 * (series.index.year - 1958) + series.index.month - 3
    return index.to_numpy(), series.to_numpy()


def polynomial_forecast(degree, month, measured, train):
    """The usual alternative: least squares of a polynomial trend plus the same seasonal harmonics."""
    t = month * DT
    phase = 2 * np.pi * np.outer(t, HARMONICS)
    columns = np.hstack([t[:, None] ** np.arange(degree + 1), np.cos(phase), np.sin(phase)])
    coefficients = np.linalg.lstsq(columns[train], measured[train], rcond=None)[0]
    return columns @ coefficients


def rms(residual):
    return np.sqrt(np.mean(residual**2))


def save_figure(path, year, measured, train, forecasts):
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('matplotlib is not installed, so no figure: pip install "sourcegrad[examples]"')
        return
    figure = Figure(figsize=(10, 6), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    top.plot(year, measured, "k.", markersize=3, label="measured")
    for name, forecast in forecasts.items():
        top.plot(year, forecast, linewidth=1, label=name)
        bottom.plot(year, forecast - measured, linewidth=1)
    for axes in (top, bottom):
        axes.axvspan(year[0], year[train][-1], color="0.93", zorder=0)
    top.set(ylabel="CO2 (ppm)", title="Mauna Loa: fitted on the shaded years, forecast beyond")
    top.legend()
    bottom.set(ylabel="model - measured (ppm)", xlabel="year")
    figure.savefig(path, dpi=120)
    print(f"figure written to {path}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print the generated gradient code and stop")
    parser.add_argument("--figure", default="ode_fit.png", metavar="PATH", help="where to save the figure")
    options = parser.parse_args()
    if options.show:
        print(sg.source(loss, inputs="scaled"))
        return

    month, measured = monthly_means()
    year = FIRST_YEAR + month * DT
    train = year < 1980
    print(f"{train.sum()} months to fit (1958-1979), {(~train).sum()} to forecast (1980-2001)")

    iterations = 0

    def report(intermediate_result):
        nonlocal iterations
        iterations += 1
        if iterations % 10 == 0:
            misfit = np.sqrt(intermediate_result.fun)
            print(f"  iteration {iterations:4d}   misfit {misfit:.4f} ppm", flush=True)

    start = time.perf_counter()
    fit = minimize(
        sg.value_and_grad(loss),
        np.zeros(len(GUESS)),
        args=(month[train], measured[train]),
        jac=True,
        method="L-BFGS-B",
        callback=report,
        options={"maxiter": 200, "ftol": 1e-12, "gtol": 1e-7},
    )
    seconds = time.perf_counter() - start
    theta = GUESS + SCALE * fit.x

    print(f"{fit.nfev} gradients through {month[train][-1]} Runge-Kutta steps in {seconds:.1f} s")
    print(f"doubling time of the excess over {PREINDUSTRIAL:.0f} ppm: {theta[0]:.1f} years (published: 30)")
    print(f"CO2 in March 1958: {theta[1]:.1f} ppm; seasonal swing grows {theta[2]:.2f} % per % of CO2")

    forecasts = {
        "differential equation": simulate(theta, month[-1] + 1)[month],
        "straight line + seasons": polynomial_forecast(1, month, measured, train),
        "parabola + seasons": polynomial_forecast(2, month, measured, train),
    }
    print(f"{'RMS error in ppm':26s}{'fitted years':>14s}{'forecast years':>16s}")
    for name, forecast in forecasts.items():
        residual = forecast - measured
        print(f"{name:26s}{rms(residual[train]):14.2f}{rms(residual[~train]):16.2f}")
    save_figure(options.figure, year, measured, train, forecasts)


if __name__ == "__main__":
    main()
