"""Handwritten digits with `sg.nn` and `sg.optim`: a small network, a progress bar, a plot of the loss.
====================================================================================================

Where PyTorch is installed (pages of the documentation are made without it), the same model is trained there with the same initial
weights in the same order, and both are compared.

    pip install ".[examples]"
    python examples/digits_nn.py [--epochs 20] [--plot digits_nn.png]
"""
import argparse

import numpy as np
from sklearn.datasets import load_digits

import sourcegrad as sg

try:
    from tqdm import tqdm
except ImportError:                     # the bar is all that is missing

    def tqdm(items, **_options):
        return items


def data():
    digits = load_digits()
    images, labels = digits.data / 16.0, digits.target
    order = np.random.default_rng(0).permutation(len(labels))
    train, test = order[:1400], order[1400:]
    return images[train], labels[train], images[test], labels[test]


def network(nn):
    return nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10))


def train(library, model, images, labels, epochs, title):
    """Losses of all steps. library: sourcegrad or torch, which have the same names."""
    optimizer = library.optim.Adam(model.parameters(), lr=3e-3)
    schedule = library.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    x, y = library.tensor(images), library.tensor(labels)
    rng, losses = np.random.default_rng(1), []
    for _ in tqdm(range(epochs), desc=title, disable=None):
        order = rng.permutation(len(labels))
        for start in range(0, len(labels), 50):
            batch = library.tensor(order[start:start + 50])
            optimizer.zero_grad()
            loss = library.nn.functional.cross_entropy(model(x[batch]), y[batch])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        schedule.step()
    return losses


def accuracy(library, model, images, labels):
    with library.no_grad():
        return float((model(library.tensor(images)).argmax(1) == library.tensor(labels)).double().mean())


def main(epochs=20, plot=None):
    images, labels, test_images, test_labels = data()
    sg.manual_seed(0)
    model = network(sg.nn)
    start = {name: value.numpy().copy() for name, value in model.state_dict().items()}
    losses = train(sg, model, images, labels, epochs, "sourcegrad")
    found = {"sourcegrad": (losses, accuracy(sg, model, test_images, test_labels))}
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed here, so the comparison is left out: pip install torch")
    else:
        torch.set_default_dtype(torch.float64)
        other = network(torch.nn)
        other.load_state_dict({name: torch.tensor(value) for name, value in start.items()})
        losses = train(torch, other, images, labels, epochs, "PyTorch")
        found["PyTorch"] = losses, accuracy(torch, other, test_images, test_labels)
        difference = np.max(np.abs(np.array(found["PyTorch"][0]) - found["sourcegrad"][0]))
        print(f"largest difference of the losses: {difference:.1e}")
    for name, (losses, right) in found.items():
        print(f"{name}: last loss {losses[-1]:.4f}, accuracy {right:.4f}")
    if plot:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        for number, (name, (losses, _)) in enumerate(found.items()):
            plt.semilogy(losses, label=name, linestyle=("-", "--")[number], linewidth=2 - number)
        plt.xlabel("step")
        plt.ylabel("cross entropy")
        plt.legend()
        plt.tight_layout()
        plt.savefig(plot, dpi=120)
        print(f"written: {plot}")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--plot", metavar="FILE")
    main(**vars(parser.parse_args()))
