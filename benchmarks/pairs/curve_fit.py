"""Robust fit of a cubic to lists of Python floats: Horner's scheme, Huber loss, a branch per point."""


def primal(a, b, c, d, xs, ys):
    loss = 0.0
    for x, y in zip(xs, ys):
        r = ((a * x + b) * x + c) * x + d - y
        if abs(r) < 1.0:
            loss += 0.5 * r * r
        else:
            loss += abs(r) - 0.5
    return loss / len(xs)


def adjoint(a, b, c, d, xs, ys):
    loss = 0.0
    r_bar_tape = []
    for x, y in zip(xs, ys):
        r = ((a * x + b) * x + c) * x + d - y
        if abs(r) < 1.0:
            loss += 0.5 * r * r
            r_bar_tape.append(r)
        else:
            loss += abs(r) - 0.5
            r_bar_tape.append(1.0 if r > 0.0 else -1.0)
    value = loss / len(xs)

    # every parameter is only ever added to: the order of the points does not matter
    a_bar = b_bar = c_bar = d_bar = 0.0
    for x, r_bar in zip(xs, r_bar_tape):
        # r = ((a * x + b) * x + c) * x + d - y
        d_bar += r_bar
        c_bar += r_bar * x
        xx = x * x
        b_bar += r_bar * xx
        a_bar += r_bar * xx * x
    n = len(xs)
    return value, (a_bar / n, b_bar / n, c_bar / n, d_bar / n)


INPUTS = ("a", "b", "c", "d")


def make(size, rng):
    xs = rng.uniform(-2.0, 2.0, {"tiny": 6, "full": 2000}[size])
    ys = 0.5 * xs ** 3 - xs + 0.3 + rng.standard_normal(xs.size)
    return 0.4, 0.1, -0.8, 0.2, xs.tolist(), ys.tolist()


def jax_primal(jax, a, b, c, d, xs, ys):
    np = jax.numpy
    x, y = np.array(xs), np.array(ys)
    r = ((a * x + b) * x + c) * x + d - y
    return np.mean(np.where(abs(r) < 1.0, 0.5 * r * r, abs(r) - 0.5))
