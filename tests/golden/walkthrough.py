"""The function that docs/how-it-works.md follows through all stages."""
import numpy as np


def settle(x, rate, steps):
    def pull(x):
        return rate * np.sin(x)

    cost = 0.0
    for _ in range(steps):
        x = x - pull(x)
        size = np.sum(x ** 2)
        if size < 0.01:
            break
        cost += size
    return cost
