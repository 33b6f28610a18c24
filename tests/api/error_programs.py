"""Programs whose rounding errors are known: each runs in double precision and in the extended precision of `np.longdouble`.

`python -m tests.api.error_programs` prints the bounds beside the errors.
"""
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import sourcegrad as sg

LONG = np.longdouble


def quadratic(b, c):
    d = b * b - 4.0 * c
    return (d ** 0.5 - b) / 2.0


def triangle(a, b, c):
    s = (a + b + c) / 2.0
    return np.sqrt(s * (s - a) * (s - b) * (s - c))


def horner(x, coefficients):
    value = 0.0 * x
    for c in coefficients:
        value = value * x + c
    return value


def powers(x):
    return x ** 7 - 7.0 * x ** 6 + 21.0 * x ** 5 - 35.0 * x ** 4 + 35.0 * x ** 3 - 21.0 * x ** 2 + 7.0 * x - 1.0


def dot(x, y):
    return x @ y


def summed(x):
    return np.sum(x)


def summed_by_rows(x):
    return np.sum(np.sum(x.reshape(20, -1), axis=0) ** 2)


def running(x):
    return np.sum(np.cumsum(x) * np.linspace(0.0, 1.0, 16).repeat(x.size // 16))


def mean_square(x):
    return np.mean(x * x) - np.mean(x) ** 2


def centred(x):
    return np.var(x)


def log_sum_exp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def softplus(x):
    return np.sum(np.log(1.0 + np.exp(x)))


def cancelled(x):
    return np.sum((np.exp(x) - 1.0) / x)


def sines(x):
    return np.sum(np.sin(x) * np.cos(2.0 * x) + np.tan(x) / (1.0 + x ** 2))


def logistic_map(x):
    for _ in range(12):
        x = 3.9 * x * (1.0 - x)
    return x


def newton(a):
    x = 0.5 * a + 0.5
    for _ in range(5):
        x = 0.5 * (x + a / x)
    return x


def euler(y, steps):
    h = 2.0 / steps
    for _ in range(steps):
        y = y + h * (np.sin(y) - 0.3 * y * y)
    return y


def oscillator(x, v):
    for _ in range(50):
        v = v - 0.05 * np.sin(x)
        x = x + 0.05 * v
    return 0.5 * v * v + 1.0 - np.cos(x)


def layers(w, x):
    h = np.tanh(w @ x)
    return np.sum(np.tanh(w @ h) ** 2)


def quadratic_form(a, x):
    return x @ (a @ x) - np.sum(a * np.outer(x, x))


def contracted(a, x):
    return np.einsum("ij,j,i->", a, x, np.sin(x))


def heat(u):
    u = u.copy()
    for _ in range(20):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def stores(x):
    out = np.zeros(x.size, dtype=x.dtype)
    for i in range(1, x.size):
        out[i] = out[i - 1] * 0.9 + x[i] / 3.0
    return out[-1] - out[-2]


def scattered(x):
    out = np.zeros(4, dtype=x.dtype)
    for i in range(x.size):
        out[i % 4] += x[i] * x[i]
    return np.sum(out / 7.0)


def masked(x):
    return np.sum(np.where(x > 0.0, np.sqrt(np.abs(x)), x / 3.0)) - np.sum(x[x > 0.0] ** 2)


def smooth(x, a):
    return x * a + np.exp(-a)


def called(x):
    total = 0.0
    for i in range(3):
        total = total + np.sum(smooth(x, 0.1 * i))
    return total


def weights(n):
    total = 0.0
    for k in range(1, n):
        total += 1.0 / k
    return total


def of_ints(x):
    return x * weights(30)


def branches(x):
    total = 0.0
    for value in x:
        if value > 0.0:
            total = total + value / 3.0
        else:
            total = total - value * value / 7.0
    return total


def eliminated(a, b):
    a, b, n = a.copy(), b.copy(), len(b)
    for k in range(n):
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i] -= factor * a[k]
            b[i] -= factor * b[k]
    x = np.zeros(n, dtype=b.dtype)
    for k in range(n - 1, -1, -1):
        x[k] = (b[k] - a[k] @ x) / a[k, k]
    return np.sum(x)


def solved(a, b):
    return np.sum(np.linalg.solve(a, b))


def determinant(a):
    return np.linalg.det(a)


def eliminated_determinant(a):
    a, value = a.copy(), 1.0
    for k in range(len(a)):
        value = value * a[k, k]
        for i in range(k + 1, len(a)):
            a[i] -= a[i, k] / a[k, k] * a[k]
    return value


def products(x):
    return np.prod(x) - 1.0


def distance(x):
    return np.linalg.norm(x[1:] - x[:-1])


def transported(x):
    rows = [x[i:i + 3] * 0.7 for i in range(5)]
    table = np.stack(rows).T
    return np.sum(np.concatenate([table[0], np.sort(table[1])[::-1]]) / 3.0)


def positive(rng):
    return rng.uniform(0.1, 2.0)


@dataclass
class Case:
    function: Any
    arguments: Any                          # of a random generator
    reference: Any = None                   # the same function without what has no extended precision


def either(*shape):
    return lambda rng: rng.normal(size=shape)


def well(n):
    return lambda rng: rng.normal(size=(n, n)) + 2.0 * n * np.eye(n)


def of(*makers):
    return lambda rng: tuple(make(rng) if callable(make) else make for make in makers)


CASES = [
    Case(quadratic, of(lambda rng: rng.uniform(10.0, 1e5), positive)),
    Case(triangle, of(1.0, 1.0, lambda rng: rng.uniform(1e-6, 1.0))),
    Case(horner, of(positive, either(12))), Case(powers, of(lambda rng: rng.uniform(0.9, 1.1))),
    Case(dot, of(either(200), either(200))), Case(summed, of(either(5000))), Case(summed_by_rows, of(either(400))),
    Case(running, of(either(160))), Case(mean_square, of(lambda rng: 100.0 + rng.normal(size=64))),
    Case(centred, of(lambda rng: 100.0 + rng.normal(size=64))), Case(log_sum_exp, of(either(50))), Case(softplus, of(either(50))),
    Case(cancelled, of(lambda rng: rng.uniform(1e-6, 1e-2, 20))), Case(sines, of(either(30))),
    Case(logistic_map, of(lambda rng: rng.uniform(0.1, 0.9))), Case(newton, of(positive)),
    Case(euler, of(positive, 60)), Case(oscillator, of(positive, positive)), Case(layers, of(either(8, 8), either(8))),
    Case(quadratic_form, of(either(9, 9), either(9))), Case(contracted, of(either(7, 7), either(7))), Case(heat, of(either(20))),
    Case(stores, of(either(30))), Case(scattered, of(either(30))), Case(masked, of(either(30))), Case(called, of(either(10))),
    Case(of_ints, of(positive)), Case(branches, of(either(15))), Case(eliminated, of(well(6), either(6))),
    Case(solved, of(well(6), either(6)), eliminated), Case(determinant, of(well(5)), eliminated_determinant),
    Case(products, of(lambda rng: rng.uniform(0.9, 1.1, 40))), Case(distance, of(either(40))), Case(transported, of(either(8))),
]


def extended(x: Any) -> Any:
    """Floats in extended precision."""
    return x.astype(LONG) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else LONG(x) if isinstance(x, float) else x


def measured(case: Case, seed: int) -> tuple[Any, float]:
    """The estimate, and the error of the value."""
    args = case.arguments(np.random.default_rng(seed))
    found = sg.error_estimate(case.function, *args)
    exact = (case.reference or case.function)(*map(extended, args))
    return found, abs(float(LONG(found.value) - exact))


def main() -> None:
    ratios = []
    for case in CASES:
        seen = [measured(case, seed) for seed in range(10)]
        worst = max(error / found.bound for found, error in seen)
        typical = math.exp(np.mean([math.log(found.bound / max(error, 1e-3 * found.bound)) for found, error in seen]))
        units = np.median([found.relative / 2.0 ** -53 for found, _ in seen])
        ratios.append(typical)
        print(f"{case.function.__name__:24} error / bound at most {worst:7.3f}   bound / error {typical:7.1f}   "
              f"bound {units:9.3g} units")
    print(f"{len(CASES)} programs, bound / error {math.exp(np.mean(np.log(ratios))):.1f} (mean), {max(ratios):.0f} at most")


if __name__ == "__main__":
    main()
