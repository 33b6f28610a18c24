"""Jacobians and Hessians beside single sweeps of the same functions: `python -m benchmarks.jacobians`.

Each line: the time of a matrix of k directions, that of one gradient or one product with a tangent, their ratio, and the bound
0.5 k + 3. (Of a product with a Hessian, the single sweep is the gradient.) Where JAX is installed, its time for the matrix (jit,
float64, one CPU thread) is in the last columns, with ours over it.
`--sparse`: sparse matrices of growing size: colours, by the plain greedy algorithm and as they are, the time of a matrix by
nonzero, and beside as many single sweeps as there are colours.
"""
from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import argparse  # noqa: E402
import time  # noqa: E402
import types  # noqa: E402
from collections.abc import Callable  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

import sourcegrad as sg  # noqa: E402
from sourcegrad.api.colouring import colour, greedy, star  # noqa: E402

try:
    import jax
    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None

RNG, RUNS = np.random.default_rng(0), 15
WIDE, TALL, SQUARE = (RNG.normal(size=shape) for shape in ((4, 60), (60, 4), (100, 100)))


def layers(x: Any, A: Any) -> Any:
    return np.tanh(A @ x) * np.exp(-0.1 * (A @ x))


def rosenbrock(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def logistic(w: Any, X: Any, y: Any) -> Any:
    return np.mean(np.log(1.0 + np.exp(-y * (X @ w)))) + 0.1 * np.sum(w * w)


def on_jax(function: Any) -> Any:
    """The same function of JAX's arrays."""
    return types.FunctionType(function.__code__, {"np": jax.numpy})


def projected(camera: Any, point: Any, seen: Any) -> Any:
    """The residual of an observation in bundle adjustment: rotation by a vector, translation, focal length, radial distortion."""
    axis, angle = camera[:3], np.sqrt(np.sum(camera[:3] ** 2))
    unit = axis / angle
    turned = point * np.cos(angle) + np.cross(unit, point) * np.sin(angle) + unit * np.sum(unit * point) * (1.0 - np.cos(angle))
    moved = turned + camera[3:6]
    flat = moved[:2] / moved[2]
    square = np.sum(flat ** 2)
    return camera[6] * (1.0 + camera[7] * square + camera[8] * square ** 2) * flat - seen


def all_projected(cameras: Any, points: Any, seen: Any) -> Any:
    """The same of many observations, each of a camera and a point of its own."""
    axis = cameras[:, :3]
    angle = np.sqrt(np.sum(axis ** 2, axis=1, keepdims=True))
    unit = axis / angle
    turned = points * np.cos(angle) + np.cross(unit, points) * np.sin(angle) + (
        unit * np.sum(unit * points, axis=1, keepdims=True) * (1.0 - np.cos(angle)))
    moved = turned + cameras[:, 3:6]
    flat = moved[:, :2] / moved[:, 2:]
    square = np.sum(flat ** 2, axis=1, keepdims=True)
    return cameras[:, 6:7] * (1.0 + cameras[:, 7:8] * square + cameras[:, 8:9] * square ** 2) * flat - seen


Case = tuple[Callable, Callable, Callable, int, Any]


def block(count: int) -> Case:
    """The two blocks of one observation (count=0), or those of many: sparse, and in JAX by `vmap`."""
    shape = (count,) if count else ()
    args = RNG.normal(size=(*shape, 9)), 5.0 + RNG.normal(size=(*shape, 3)), RNG.normal(size=(*shape, 2))
    of_one = lambda: jax.jacfwd(on_jax(projected), argnums=(0, 1))                                       # noqa: E731
    function = all_projected if count else projected
    made = sg.jacobian(function, ("camera" + "s" * bool(count), "point" + "s" * bool(count)), sparse=bool(count))
    forward = sg.pushforward(function, made._inputs)
    dots = [n for n in forward.__signature__.parameters if n.endswith("_dot")]
    single = lambda c, p, s: forward(c, p, s, **{dots[0]: c, dots[1]: p})                                # noqa: E731
    return made, single, lambda: jax.jit(jax.vmap(of_one()) if count else of_one()), 12, args


def jacobian(A: np.ndarray) -> Case:
    def of_jax() -> Callable:
        return jax.jit((jax.jacfwd if A.shape[1] <= A.shape[0] else jax.jacrev)(on_jax(layers)))

    x, forward, back = RNG.normal(size=A.shape[1]), sg.pushforward(layers), sg.grad(layers, grad_outputs=np.ones(A.shape[0]))
    single = (lambda x, A: forward(x, A, x_dot=x)) if A.shape[1] <= A.shape[0] else back
    return sg.jacobian(layers), single, of_jax, min(A.shape), (x, A)


def hessian(function: Callable, args: tuple) -> Case:
    product = sg.hvp(function)
    return (sg.hessian(function), lambda x, *rest: product(x, x, *rest), lambda: jax.jit(jax.hessian(on_jax(function))),
            args[0].size, args)


def hessian_product(function: Callable, args: tuple) -> Case:
    def of_jax() -> Callable:
        gradient = jax.grad(on_jax(function))
        return jax.jit(lambda x, *rest: jax.jvp(lambda x: gradient(x, *rest), (x,), (x,))[1])            # type: ignore[no-any-return]

    product, gradient = sg.hvp(function), sg.grad(function)
    return lambda x, *rest: product(x, x, *rest), gradient, of_jax, 1, args


def times(functions: list[Callable], args: tuple) -> list[float]:
    """The fastest call of each function, in seconds. They take turns: what else the machine does then hits all of them."""
    counts, best = [], [float("inf")] * len(functions)
    for function in functions:
        for _ in range(3):
            function(*args)
        start = time.perf_counter()
        function(*args)
        counts.append(max(1, int(0.02 / (time.perf_counter() - start + 1e-9))))
    for _ in range(RUNS):
        for j, (function, count) in enumerate(zip(functions, counts)):
            for _ in range(count):
                start = time.perf_counter()
                function(*args)
                best[j] = min(best[j], time.perf_counter() - start)
    return best


# --- sparse systems

def bratu(u: Any, n: int) -> Any:
    wide = np.zeros((n + 2, n + 2))
    wide[1:-1, 1:-1] = u.reshape(n, n)
    inner = wide[1:-1, 1:-1]
    laplace = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:] - 4.0 * inner
    return (laplace + 0.1 * np.exp(inner)).ravel()


def reaction_diffusion(y: Any) -> Any:
    u, v = y[::2], y[1::2]
    wide = np.pad(u, 1, mode="edge")
    out = np.zeros(y.size)
    out[::2] = 0.5 * (wide[2:] - 2.0 * u + wide[:-2]) + u * u * v - u
    out[1::2] = 1.0 - u * u * v
    return out


def observations(p: Any, poses: Any, points: Any, count: int) -> Any:
    """Bundle adjustment in the plane: each pair of rows sees a pose (of three numbers) and a point."""
    pose, point = p[:3 * count].reshape(-1, 3)[poses], p[3 * count:].reshape(-1, 2)[points]
    moved, angle = point - pose[:, :2], pose[:, 2]
    turned = np.stack([np.cos(angle) * moved[:, 0] + np.sin(angle) * moved[:, 1],
                       np.cos(angle) * moved[:, 1] - np.sin(angle) * moved[:, 0]], axis=1)
    return (turned / (1.0 + np.sum(turned ** 2, axis=1, keepdims=True))).ravel()


def transcription(z: Any, steps: int) -> Any:
    """Optimal control of a pendulum by collocation: the defects of the trapezoidal rule."""
    x, v, u = z[:steps], z[steps:2 * steps], z[2 * steps:]
    a = u - np.sin(x)
    return np.concatenate([x[1:] - x[:-1] - 0.05 * (v[1:] + v[:-1]), v[1:] - v[:-1] - 0.05 * (a[1:] + a[:-1])])


def with_a_full_row(x: Any) -> Any:
    return rosenbrock(x) + x[0] * np.sum(x ** 2)


def systems(size: int) -> dict[str, tuple[bool, Callable, tuple]]:
    """About so many nonzeros: whether it is a Hessian, the function, its arguments."""
    n, steps, seen, many = int((size / 5) ** 0.5), size // 10, size // 10, size // 3
    poses, points = max(seen // 50, 1), max(seen // 5, 1)
    return {"Bratu, 2-D": (False, bratu, (RNG.normal(size=n * n), n)),
            "reaction-diffusion, 1-D": (False, reaction_diffusion, (RNG.normal(size=many // 2 * 2),)),
            "bundle adjustment": (False, observations, (RNG.normal(size=3 * poses + 2 * points), RNG.integers(0, poses, seen),
                                                        RNG.integers(0, points, seen), poses)),
            "optimal control": (False, transcription, (RNG.normal(size=3 * steps), steps)),
            "Rosenbrock, Hessian": (True, rosenbrock, (RNG.normal(size=many),)),
            "the same with a full row": (True, with_a_full_row, (RNG.normal(size=size // 5),))}


def sparse(size: int) -> None:
    for name, (symmetric, function, args) in systems(size).items():
        made = (sg.hessian if symmetric else sg.jacobian)(function, sparse=True)
        start = time.perf_counter()
        found = made(*args)
        first = time.perf_counter() - start
        plan = found.plan
        indices, rows = found.indices, np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
        start = time.perf_counter()
        star(found.indptr, indices) if plan.symmetric else colour(rows, indices, found.shape)
        colouring = time.perf_counter() - start
        once, one = times([made, single_sweep(symmetric, function)], args)
        print(f"{name:26}{found.nnz:>9}{plain(rows, indices, found.shape):>9}{plan.colours:>9}{1e3 * first:>9.0f}ms"
              f"{1e3 * colouring:>9.0f}ms{1e3 * once:>9.2f}ms{1e9 * once / found.nnz:>8.0f}ns{once / one / plan.colours:>8.2f}",
              flush=True)


def single_sweep(symmetric: bool, function: Callable) -> Callable:
    """One product of the matrix with a vector, beside the value."""
    if symmetric:
        product = sg.hvp(function)
        return lambda x, *rest: product(x, x, *rest)
    forward = sg.pushforward(function)
    dot = next(n for n in forward.__signature__.parameters if n.endswith("_dot"))
    return lambda x, *rest: forward(x, *rest, **{dot: x})


def plain(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> int:
    """How many colours the greedy algorithm takes by itself."""
    order, sizes = np.argsort(columns, kind="stable"), np.bincount(columns, minlength=shape[1])
    starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    return int(greedy(starts, rows[order].tolist(), shape, np.argsort(-sizes, kind="stable").tolist()).max()) + 1


X, Y = RNG.normal(size=(1000, 50)), np.sign(RNG.normal(size=1000))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sparse", type=int, nargs="*", metavar="NONZEROS", help="sparse matrices of about these sizes")
    given = options.parse_args()
    if given.sparse is not None:
        print(f"{'':26}{'nonzeros':>9}{'greedy':>9}{'colours':>9}{'first':>11}{'colouring':>11}{'matrix':>11}{'each':>10}"
              f"{'of sweeps':>11}")
        for size in given.sparse or (1000, 10_000, 100_000):
            sparse(size)
        return
    few, many = (RNG.normal(size=100),), (RNG.normal(size=50), X, Y)
    cases = {"Jacobian 4 x 60": jacobian(WIDE), "Jacobian 60 x 4": jacobian(TALL), "Jacobian 100 x 100": jacobian(SQUARE),
             "Hessian of rosenbrock(100)": hessian(rosenbrock, few), "Hessian of logistic(50, 1000)": hessian(logistic, many),
             "product: rosenbrock(100)": hessian_product(rosenbrock, few),
             "product: logistic(50, 1000)": hessian_product(logistic, many),
             "bundle adjustment, a block": block(0), "bundle adjustment, 1,000 blocks": block(1000)}
    print(f"{'':34}{'matrix':>10}{'single':>10}{'ratio':>8}{'bound':>8}{'JAX':>10}{'over it':>8}")
    for name, case in cases.items():
        line(name, *case)


def line(name: str, matrix: Callable, single: Callable, of_jax: Callable, count: int, args: tuple) -> None:
    functions = [matrix, single]
    if jax is not None:
        made = of_jax()
        functions.append(lambda *a: jax.block_until_ready(made(*a)))
    whole, one, *peer = times(functions, args)
    of_peer = f"{peer[0] * 1e6:>8.0f}us{whole / peer[0]:>8.2f}" if peer else f"{'-':>10}"
    print(f"{name:34}{whole * 1e6:>8.0f}us{one * 1e6:>8.0f}us{whole / one:>8.2f}{0.5 * count + 3:>8.1f}{of_peer}")


if __name__ == "__main__":
    main()
