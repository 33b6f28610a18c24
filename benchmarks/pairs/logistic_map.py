"""Iterates of the logistic map on Python floats: mean squared distance to what was seen."""


def primal(r, x, seen):
    loss = 0.0
    for s in seen:
        x = r * x * (1.0 - x)
        loss += (x - s) ** 2
    return loss / len(seen)


def adjoint(r, x, seen):
    """Gradient with respect to (r, x)."""
    n = len(seen)
    loss = 0.0
    tape = []
    for s in seen:
        tape.append(x)
        x = r * x * (1.0 - x)
        err = x - s
        loss += err * err

    scale = 2.0 / n
    r_bar = x_bar = 0.0
    for s in reversed(seen):
        x_bar += scale * (x - s)
        x = tape.pop()
        r_bar += x_bar * x * (1.0 - x)
        x_bar *= r * (1.0 - 2.0 * x)
    return loss / n, (r_bar, x_bar)


INPUTS = ("r", "x")


def make(size, rng):
    n = {"tiny": 4, "full": 2000}[size]
    return 2.8, 0.3, rng.uniform(0.2, 0.8, n).tolist()
