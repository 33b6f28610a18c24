"""Jacobians, Hessians and operators in the solvers of SciPy, one line each."""
import numpy as np
import pytest

import sourcegrad as sg

scipy = pytest.importorskip("scipy")
from scipy.integrate import solve_bvp, solve_ivp  # noqa: E402
from scipy.optimize import NonlinearConstraint, curve_fit, least_squares, minimize, root  # noqa: E402

T = np.linspace(0.0, 2.0, 12)
DATA = 2.0 * np.exp(-1.3 * T) + 0.4


def residuals(p):
    return p[0] * np.exp(-p[1] * T) + p[2] - DATA


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def bratu(u):
    v = np.zeros(u.size + 2)
    v[1:-1] = u
    return (2.0 * u - v[:-2] - v[2:]) * (u.size + 1) ** 2 - 0.5 * np.exp(u)


def pendulum(t, y):
    return np.array([y[1], -np.sin(y[0]) - 0.1 * y[1] * np.cos(t)])


@pytest.mark.parametrize("jac", [sg.jacobian(residuals), sg.jacobian(residuals, sparse=True),
                                 lambda p: sg.jacobian_operator(residuals, p)], ids=["dense", "sparse", "operator"])
def test_least_squares(jac) -> None:
    options = {} if isinstance(jac, sg.api.jacobian.Jacobian) and type(jac).__name__ == "Jacobian" else {"tr_solver": "lsmr"}
    fit = least_squares(residuals, [1.0, 1.0, 0.0], jac=jac, **options)
    np.testing.assert_allclose(fit.x, [2.0, 1.3, 0.4], rtol=1e-4)


def test_least_squares_with_a_pattern() -> None:
    u = np.zeros(30)
    fit = least_squares(bratu, u, jac_sparsity=sg.sparsity(bratu, u), tr_solver="lsmr", xtol=1e-14)
    exact = least_squares(bratu, u, jac=sg.jacobian(bratu, sparse=True), tr_solver="lsmr", xtol=1e-14)
    np.testing.assert_allclose(fit.x, exact.x, atol=1e-6)


@pytest.mark.parametrize(("method", "options"), [
    ("trust-constr", {"hess": sg.hessian(rosenbrock)}), ("trust-constr", {"hess": sg.hessian(rosenbrock, sparse=True)}),
    ("trust-constr", {"hessp": sg.hvp(rosenbrock)}), ("trust-exact", {"hess": sg.hessian(rosenbrock)}),
    ("trust-ncg", {"hessp": sg.hvp(rosenbrock)}), ("Newton-CG", {"hessp": sg.hvp(rosenbrock)})])
def test_minimize(method, options) -> None:
    fit = minimize(rosenbrock, np.full(6, 0.5), jac=sg.grad(rosenbrock), method=method, **options)
    np.testing.assert_allclose(fit.x, 1.0, atol=1e-3)


def test_minimize_with_constraints() -> None:
    def circle(x):
        return np.array([x[0] ** 2 + x[1] ** 2])

    def lagrangian(x, v):
        return np.sum(v * circle(x))

    constraint = NonlinearConstraint(circle, 1.0, 1.0, jac=sg.jacobian(circle), hess=sg.hessian(lagrangian))
    fit = minimize(lambda x: x[0] + x[1], [-0.5, -0.6], jac=sg.grad(lambda x: x[0] + x[1]), hess=lambda x: np.zeros((2, 2)),
                   method="trust-constr", constraints=[constraint])
    np.testing.assert_allclose(fit.x, -np.sqrt(0.5), atol=1e-5)


def test_root() -> None:
    solution = root(bratu, np.zeros(20), jac=sg.jacobian(bratu))
    assert solution.success and np.allclose(bratu(solution.x), 0.0, atol=1e-8)


@pytest.mark.parametrize("jac", [sg.jacobian(pendulum, "y"), sg.jacobian(pendulum, "y", sparse=True)], ids=["dense", "sparse"])
def test_solve_ivp(jac) -> None:
    found = solve_ivp(pendulum, (0.0, 5.0), [1.0, 0.0], method="Radau", jac=jac, rtol=1e-8)
    expected = solve_ivp(pendulum, (0.0, 5.0), [1.0, 0.0], method="Radau", rtol=1e-8)
    np.testing.assert_allclose(found.y[:, -1], expected.y[:, -1], rtol=1e-5)


def test_solve_bvp() -> None:
    def right(x, y):
        return np.vstack([y[1], -np.exp(y[0])])

    def ends(a, b):
        return np.array([a[0], b[0]])

    def at_one(y):
        return np.array([y[1], -np.exp(y[0])])

    def of_columns(x, y):
        return np.stack([sg.jacobian(at_one)(column) for column in y.T], axis=-1)

    grid = np.linspace(0.0, 1.0, 6)
    found = solve_bvp(right, ends, grid, np.zeros((2, 6)), fun_jac=of_columns, bc_jac=sg.jacobian(ends, ("a", "b")))
    expected = solve_bvp(right, ends, grid, np.zeros((2, 6)))
    np.testing.assert_allclose(found.sol(grid), expected.sol(grid), atol=1e-6)


def test_curve_fit() -> None:
    def model(t, a, rate, c):
        return a * np.exp(-rate * t) + c

    by_parameters = sg.jacobian(model, ("a", "rate", "c"))
    found, _ = curve_fit(model, T, DATA, p0=[1.0, 1.0, 0.0], jac=lambda t, *p: np.stack(by_parameters(t, *p), axis=-1))
    np.testing.assert_allclose(found, [2.0, 1.3, 0.4], rtol=1e-6)


def test_operator() -> None:
    def f(x, w, scale=2.0):
        return {"a": scale * np.outer(x, w), "b": np.sum(x)}

    rng = np.random.default_rng(0)
    x, w = rng.normal(size=4), rng.normal(size=(3,))
    for inputs in ("x", ("w", "x")):
        A = sg.jacobian_operator(f, x, w, inputs=inputs, scale=3.0)
        found = sg.jacobian(f, inputs)(x, w, scale=3.0)
        rows = [np.concatenate([np.reshape(block, (size, -1)) for block in (part if isinstance(part, tuple) else (part,))], axis=1)
                for part, size in ((found["a"], 12), (found["b"], 1))]
        dense = np.concatenate(rows)
        assert A.shape == dense.shape
        V, u = rng.normal(size=(A.shape[1], 5)), rng.normal(size=A.shape[0])
        np.testing.assert_allclose(A @ V, dense @ V, atol=1e-12)
        np.testing.assert_allclose(A @ V[:, 0], dense @ V[:, 0], atol=1e-12)
        np.testing.assert_allclose(A.T @ u, dense.T @ u, atol=1e-12)
    kept = x.copy()
    A = sg.jacobian_operator(f, x, w)
    before = A @ np.ones(4)
    x[:] = 7.0
    np.testing.assert_array_equal(A @ np.ones(4), before)
    np.testing.assert_allclose(before, sg.jacobian_operator(f, kept, w) @ np.ones(4))
