"""Multinomial logistic regression on handwritten digits, trained by L-BFGS with a generated gradient.
===================================================================================================

    python examples/digits.py [--show] [--figure digits.png]

The loss is ordinary NumPy; `sg.value_and_grad(loss)` is what `scipy.optimize.minimize(jac=True)` expects.
The data (1797 images of 8 x 8 pixels) come with scikit-learn.
"""

import argparse
import sys
import time

try:
    import numpy as np
    from scipy.optimize import minimize
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    import sourcegrad as sg
except ImportError as missing:
    sys.exit(f'This example needs {missing.name}: pip install "sourcegrad[examples]"')

PIXELS, CLASSES = 64, 10


def scores(theta, images):
    """Unnormalised log-probability of each class for each image, shape (images, CLASSES)."""
    weights = theta[: PIXELS * CLASSES].reshape(PIXELS, CLASSES)
    bias = theta[PIXELS * CLASSES :]
    return images @ weights + bias


def loss(theta, images, labels, decay):
    """Mean softmax cross-entropy plus an L2 penalty on the weights."""
    z = scores(theta, images)
    z = z - z.max(axis=1, keepdims=True)
    log_probability = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    cross_entropy = -np.mean(log_probability[np.arange(len(labels)), labels])
    return cross_entropy + decay * np.sum(theta[: PIXELS * CLASSES] ** 2)


def accuracy(theta, images, labels):
    return np.mean(scores(theta, images).argmax(axis=1) == labels)


def save_figure(path, theta, losses):
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print('matplotlib is not installed, so no figure: pip install "sourcegrad[examples]"')
        return
    figure = Figure(figsize=(10, 5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[2, 3])
    curve = left.subplots()
    curve.semilogy(losses)
    curve.set(xlabel="L-BFGS iteration", ylabel="training loss")
    right.suptitle("weights: red speaks for the digit, blue against it")
    weights = theta[: PIXELS * CLASSES].reshape(8, 8, CLASSES)
    limit = np.abs(weights).max()
    for digit, axes in enumerate(right.subplots(2, 5).flat):
        axes.imshow(weights[..., digit], cmap="RdBu_r", vmin=-limit, vmax=limit)
        axes.set_title(digit)
        axes.set_axis_off()
    figure.savefig(path, dpi=120)
    print(f"figure written to {path}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print the generated gradient code and stop")
    parser.add_argument("--figure", default="digits.png", metavar="PATH", help="where to save the figure")
    options = parser.parse_args()
    if options.show:
        print(sg.source(loss, inputs="theta"))
        return

    images, labels = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(
        images / 16, labels, test_size=0.25, stratify=labels, random_state=0
    )
    print(f"{len(train_y)} training and {len(test_y)} test images, {PIXELS * CLASSES + CLASSES} parameters")

    losses = []

    def report(intermediate_result):
        losses.append(intermediate_result.fun)
        if len(losses) % 10 == 0:
            print(f"  iteration {len(losses):4d}   loss {losses[-1]:.6f}", flush=True)

    start = time.perf_counter()
    fit = minimize(
        sg.value_and_grad(loss),
        np.zeros(PIXELS * CLASSES + CLASSES),
        args=(train_x, train_y, 3e-4),
        jac=True,
        method="L-BFGS-B",
        callback=report,
        options={"maxiter": 200},
    )
    seconds = time.perf_counter() - start

    print(f"loss {fit.fun:.6f} after {fit.nit} iterations, {fit.nfev} gradients, {seconds:.1f} s")
    print(f"training accuracy {accuracy(fit.x, train_x, train_y):.4f}")
    print(f"test accuracy     {accuracy(fit.x, test_x, test_y):.4f}")
    save_figure(options.figure, fit.x, losses)


if __name__ == "__main__":
    main()
