"""The stiffest bracket of a third of the material: sparse finite elements, differentiated by the density of each.
================================================================================================================

    python examples/bracket.py [--show] [--figure bracket.png]

A plate is held on its left and pulled down at the lower right. Where should its material be? The plate is divided into square
elements; the density of each decides how stiff it is (to the power of 3, which makes half a density a bad bargain; M. P. Bendsoe
and O. Sigmund, Topology Optimization, 2003). `scipy.sparse` assembles the stiffness, `spsolve` gives the displacements, and what
is made small is the work of the load, which a generated gradient differentiates by all densities at once. Each step moves them by
the optimality criterion; a filter keeps bars thicker than a few elements.

The gradient is compared with what the textbook derives by hand.
"""

import argparse
import sys
import time

try:
    import numpy as np
    from scipy import ndimage, sparse
    from scipy.sparse.linalg import spsolve

    import sourcegrad as sg
except ImportError as missing:
    sys.exit(f'This example needs {missing.name}: pip install "sourcegrad[examples]"')

WIDE, HIGH = 96, 40  # elements
SHARE = 0.35  # of the plate that is material
POISSON, POWER, VOID = 0.3, 3.0, 1e-6
STEPS = 40


def stiffness_of_element():
    """The stiffness of a square element in plane stress, by 2 x 2 points of Gauss; corners counterclockwise, x and y of each."""
    elastic = np.array([[1.0, POISSON, 0.0], [POISSON, 1.0, 0.0], [0.0, 0.0, (1.0 - POISSON) / 2.0]]) / (1.0 - POISSON**2)
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    found = np.zeros((8, 8))
    for at in corners / np.sqrt(3.0):
        slopes = corners * (1.0 + corners * at)[:, ::-1] / 2.0  # of the four shape functions, in the units of the element
        strain = np.zeros((3, 8))
        strain[0, 0::2], strain[1, 1::2] = slopes[:, 0], slopes[:, 1]
        strain[2, 0::2], strain[2, 1::2] = slopes[:, 1], slopes[:, 0]
        found += strain.T @ elastic @ strain / 4.0
    return found


# the numbers of the nodes at the corners of each element, and of the displacements there
NODES = np.arange((WIDE + 1) * (HIGH + 1)).reshape(WIDE + 1, HIGH + 1)
CORNERS = np.stack([NODES[:-1, :-1], NODES[1:, :-1], NODES[1:, 1:], NODES[:-1, 1:]], axis=-1).reshape(-1, 4)
DEGREES = np.stack([2 * CORNERS, 2 * CORNERS + 1], axis=-1).reshape(-1, 8)
ELEMENT = stiffness_of_element()

# those on the left are held: the others have equations, at these places of the matrix
FREE = np.setdiff1d(np.arange(2 * NODES.size), np.concatenate([2 * NODES[0], 2 * NODES[0] + 1]))
EQUATION = np.full(2 * NODES.size, -1)
EQUATION[FREE] = np.arange(len(FREE))
ROWS, COLUMNS = (EQUATION[places] for places in (np.repeat(DEGREES, 8, axis=1).ravel(), np.tile(DEGREES, 8).ravel()))
KEPT = np.flatnonzero((ROWS >= 0) & (COLUMNS >= 0))
PLACES = ROWS[KEPT], COLUMNS[KEPT]
LOAD = np.zeros(len(FREE))
LOAD[EQUATION[2 * NODES[-1, 0] + 1]] = -1.0


def displacements(density):
    """Of the free nodes under the load; density: of each element, (WIDE, HIGH)."""
    stiffness = VOID + (1.0 - VOID) * density**POWER
    entries = stiffness.reshape(-1, 1, 1) * ELEMENT
    matrix = sparse.csc_array((entries.ravel()[KEPT], PLACES), shape=(len(FREE), len(FREE)))
    return spsolve(matrix, LOAD)


def filtered(design):
    """The densities that a design means: averages over a few elements around each."""
    return ndimage.gaussian_filter(design, 1.2, mode="nearest")


def work(design):
    """The work of the load: the smaller, the stiffer."""
    return LOAD @ displacements(filtered(design))


def work_by_density(density):
    """The derivative of the work by the densities, as the textbook has it."""
    moved = np.zeros(2 * NODES.size)
    moved[FREE] = displacements(density)
    of_elements = moved[DEGREES]
    energy = np.einsum("ei,ij,ej->e", of_elements, ELEMENT, of_elements).reshape(WIDE, HIGH)
    return -POWER * (1.0 - VOID) * density ** (POWER - 1.0) * energy


def improved(design, slope):
    """The next design: more where a little more helps much, as much in all as before."""
    low, high = 0.0, 1e9
    while high - low > 1e-6 * (high + low):
        price = 0.5 * (low + high)
        found = design * np.sqrt(np.maximum(-slope, 0.0) / price)
        found = np.clip(found, np.maximum(design - 0.2, 0.0), np.minimum(design + 0.2, 1.0))
        low, high = (price, high) if found.mean() > SHARE else (low, price)
    return found


def save_figure(path, density, history):
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('matplotlib is not installed, so no figure: pip install "sourcegrad[examples]"')
        return
    moved = np.zeros(2 * NODES.size)
    moved[FREE] = displacements(density)
    across, up = (0.06 * WIDE / np.abs(moved).max() * moved[k::2].reshape(NODES.shape) for k in (0, 1))
    x, y = np.meshgrid(np.arange(WIDE + 1.0), np.arange(HIGH + 1.0), indexing="ij")
    figure = Figure(figsize=(10, 7), layout="constrained")
    top, bottom = figure.subplots(2, 1, height_ratios=[3, 1])
    top.pcolormesh(x + across, y + up, density, cmap="Greys", vmin=0.0, vmax=1.0)
    top.annotate("", (x[-1, 0] + across[-1, 0], y[-1, 0] + up[-1, 0] - 8.0), (x[-1, 0] + across[-1, 0], y[-1, 0] + up[-1, 0]),
                 arrowprops={"arrowstyle": "->", "color": "tab:red", "linewidth": 2})
    top.axvline(0.0, color="tab:blue", linewidth=4)
    top.set(aspect="equal", title=f"The stiffest bracket of {100 * SHARE:.0f} % of the plate, bent by its load (not to scale)")
    top.set_axis_off()
    bottom.semilogy(history)
    bottom.set(xlabel="step", ylabel="work of the load")
    figure.savefig(path, dpi=120)
    print(f"figure written to {path}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print the generated gradient code and stop")
    parser.add_argument("--figure", default="bracket.png", metavar="PATH", help="where to save the figure")
    options = parser.parse_args()
    design = np.full((WIDE, HIGH), SHARE)
    if options.show:
        print(sg.source(work, at={"design": design}))
        return

    density = np.random.default_rng(0).uniform(0.2, 0.9, size=design.shape)
    by_hand = work_by_density(density)
    generated = sg.grad(lambda density: LOAD @ displacements(density))(density)
    error = np.abs(generated - by_hand).max() / np.abs(by_hand).max()
    print(f"{density.size} densities, {len(FREE)} displacements; the gradient differs from the textbook's by {error:.0e}")

    gradient, history = sg.value_and_grad(work), []
    began = time.perf_counter()
    for step in range(STEPS):
        value, slope = gradient(design)
        history.append(value)
        if step % 10 == 0:
            print(f"step {step:2d}   work of the load {value:8.2f}")
        design = improved(design, slope)
    print(f"step {STEPS}   work of the load {work(design):8.2f}, after {time.perf_counter() - began:.1f} s")
    save_figure(options.figure, filtered(design), history)


if __name__ == "__main__":
    main()
