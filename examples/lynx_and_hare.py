"""Fit a differential equation to measured furs of lynx and hare, through scipy.integrate.solve_ivp.
=================================================================================================

    python examples/lynx_and_hare.py [--show] [--figure lynx_and_hare.png]

The Hudson's Bay Company counted the furs that trappers brought in (thousands a year, 1900-1920; C. G. Hewitt, The Conservation
of the Wild Life of Canada, 1921). The model is that of A. J. Lotka (1925) and V. Volterra (1926):

    hares' = birth * hares - hunt * hares * lynxes
    lynxes' = feed * hares * lynxes - death * lynxes

Four rates and two initial numbers are fitted to the logarithms of the counts by L-BFGS. The derivative goes through `solve_ivp`:
the solver chooses its steps, and the generated code is what these steps compute.
"""

import argparse
import sys
import time

try:
    import numpy as np
    from scipy.integrate import solve_ivp
    from scipy.optimize import minimize

    import sourcegrad as sg
except ImportError as missing:
    sys.exit(f'This example needs {missing.name}: pip install "sourcegrad[examples]"')

YEARS = np.arange(1900.0, 1921.0)
HARES = np.array([30, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22, 25.4, 27.1, 40.3, 57, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6, 16.2,
                  24.7])
LYNXES = np.array([4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4, 8, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6])
MEASURED = np.log(np.stack([HARES, LYNXES]))

# logarithms of: birth, hunt, feed, death (per year), hares, lynxes in 1900 (thousands)
GUESS = np.log(np.array([0.6, 0.03, 0.03, 0.9, 30.0, 4.0]))


def simulate(theta, years):
    """Hares and lynxes (thousands) in some years, a row each."""
    birth, hunt, feed, death = np.exp(theta[:4])

    def change(t, z):
        hares, lynxes = z
        return np.array([birth * hares - hunt * hares * lynxes, feed * hares * lynxes - death * lynxes])

    return solve_ivp(change, (1900.0, 1920.0), np.exp(theta[4:]), t_eval=years, rtol=1e-7, atol=1e-7).y


def loss(theta, years, measured):
    """Mean squared misfit of the logarithms."""
    return np.mean((np.log(simulate(theta, years)) - measured) ** 2)


def save_figure(path, theta):
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('matplotlib is not installed, so no figure: pip install "sourcegrad[examples]"')
        return
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[2, 1])
    fine = np.linspace(1900.0, 1920.0, 400)
    for row, (name, counts, color) in enumerate((("hares", HARES, "C0"), ("lynxes", LYNXES, "C3"))):
        left.plot(YEARS, counts, "o", color=color, markersize=4, label=f"{name}, counted")
        left.plot(fine, simulate(GUESS, fine)[row], ":", color=color, label=f"{name}, first guess")
        left.plot(fine, simulate(theta, fine)[row], color=color, label=f"{name}, fitted")
    left.set(xlabel="year", ylabel="furs (thousands)", title="Hudson's Bay Company, 1900-1920")
    left.legend(fontsize="small")
    right.plot(HARES, LYNXES, "k.")
    right.plot(*simulate(theta, fine))
    right.set(xlabel="hares", ylabel="lynxes", title="one cycle")
    figure.savefig(path, dpi=120)
    print(f"figure written to {path}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print the generated gradient code and stop")
    parser.add_argument("--figure", default="lynx_and_hare.png", metavar="PATH", help="where to save the figure")
    options = parser.parse_args()
    if options.show:
        print(sg.source(loss, at={"theta": GUESS, "years": YEARS, "measured": MEASURED}))
        return

    start = time.perf_counter()
    fit = minimize(sg.value_and_grad(loss), GUESS, args=(YEARS, MEASURED), jac=True, method="L-BFGS-B", options={"gtol": 1e-6})
    seconds = time.perf_counter() - start
    print(f"{fit.nfev} gradients through solve_ivp in {seconds:.1f} s")
    print(f"misfit of the logarithms: {np.sqrt(loss(GUESS, YEARS, MEASURED)):.3f} at the guess, {np.sqrt(fit.fun):.3f} fitted")
    for name, value in zip(("birth", "hunt", "feed", "death", "hares in 1900", "lynxes in 1900"), np.exp(fit.x)):
        print(f"{name:15s} {value:8.4f}")

    unit = np.eye(6)[0]
    slope = (loss(fit.x + 1e-4 * unit, YEARS, MEASURED) - loss(fit.x - 1e-4 * unit, YEARS, MEASURED)) / 2e-4
    print(f"derivative by log(birth) there: {sg.grad(loss)(fit.x, YEARS, MEASURED)[0]:.1e}, by differences {slope:.1e}")
    save_figure(options.figure, fit.x)


if __name__ == "__main__":
    main()
