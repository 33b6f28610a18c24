"""Solvers of scipy.optimize and scipy.integrate: against differences, in both modes, at orders 1 and 2, and what is refused."""
import functools

import numpy as np
import pytest

import sourcegrad as sg

optimize = pytest.importorskip("scipy.optimize")
integrate = pytest.importorskip("scipy.integrate")

XS = np.linspace(0.0, 2.0, 15)
MATRIX = np.array([[1.0, 0.3, -0.4], [0.2, -1.1, 0.5], [0.7, 0.6, 0.9], [-0.3, 0.8, 0.1], [0.4, -0.2, 1.3], [1.2, 0.1, 0.2]])
TARGET = np.array([0.5, -0.2, 1.0, 0.3, 0.8, 0.4])
TIGHT = {"rtol": 1e-8, "atol": 1e-10}


def cubic(x, a, b):
    return x ** 3 + b * x - a


def system(x, a, b):
    return [x[0] ** 2 * x[1] - a, x[0] + x[1] ** 3 - b]


def valley(x, a, b):
    return (a - x[0]) ** 2 + b * (x[1] - x[0] ** 2) ** 2 + 0.1 * np.sum(x ** 4)


def decay(x, u, v):
    return u * np.exp(-v * x)


def hunters(t, z, a, b):
    return [a * z[0] - b * z[0] * z[1], -z[1] + 0.5 * z[0] * z[1]]


def slopes(z, t, a, b):
    return hunters(t, z, a, b)


def heron(a, b):
    x = 1.0 + a
    for _ in range(60):
        x = x - (x ** 3 + b * x - a) / (3.0 * x ** 2 + b)
    return x


def by_solve(a, b):
    return np.linalg.solve(MATRIX[:3] + a * np.eye(3), np.array([1.0, b, 2.0]))


ROOT = sg.implicit(heron, cubic)
PAIR = sg.implicit(lambda b: np.ones(2), lambda x, b: x[0] - b)
LINEAR = sg.implicit(by_solve, lambda x, a, b: (MATRIX[:3] + a * np.eye(3)) @ x - np.array([1.0, b, 2.0]))


def total(xs):
    return np.sum(np.sin(xs))


# each a function of p, two numbers: a lambda that captures them, or args=
ROOTS = {
    "brentq, lambda": lambda p: optimize.brentq(lambda x: x ** 3 + p[1] * x - p[0], 0.0, 9.0),
    "brentq, args": lambda p: optimize.brentq(cubic, 0.0, 9.0, args=(p[0], p[1])),
    "brentq, full_output": lambda p: optimize.brentq(cubic, 0.0, 9.0, args=(p[0], p[1]), full_output=True)[1].root,
    "brenth": lambda p: optimize.brenth(lambda x: cubic(x, p[0], p[1]), 0.0, 9.0, xtol=1e-13),
    "bisect": lambda p: optimize.bisect(cubic, 0.0, 9.0, args=(p[0], p[1])),
    "ridder": lambda p: optimize.ridder(cubic, 0.0, 9.0, args=(p[0], p[1])),
    "toms748": lambda p: optimize.toms748(cubic, 0.0, 9.0, args=(p[0], p[1])),
    "newton, secant": lambda p: optimize.newton(lambda x: cubic(x, p[0], p[1]), 1.0, tol=1e-12),
    "newton, fprime": lambda p: optimize.newton(cubic, 1.0, lambda x, a, b: 3.0 * x ** 2 + b, args=(p[0], p[1]), tol=1e-12),
    "newton, array": lambda p: total(optimize.newton(lambda x: x ** 3 + p[1] * x - p[0] * np.arange(1.0, 4.0), np.ones(3),
                                                     tol=1e-12)),
    "root_scalar": lambda p: optimize.root_scalar(cubic, (p[0], p[1]), bracket=(0.0, 9.0)).root,
    "root_scalar, fprime=True": lambda p: optimize.root_scalar(
        lambda x: (cubic(x, p[0], p[1]), 3.0 * x ** 2 + p[1]), fprime=True, x0=1.0, method="newton").root,
    "fsolve, lambda": lambda p: total(optimize.fsolve(lambda x: system(x, p[0], p[1] + 2.0), [1.0, 1.0], xtol=1e-12)),
    "fsolve, args": lambda p: total(optimize.fsolve(system, np.array([1.0, 1.0]), (p[0], p[1] + 2.0), xtol=1e-12)),
    "fsolve, number": lambda p: optimize.fsolve(cubic, 1.0, args=(p[0], p[1]), xtol=1e-12)[0],
    "root, hybr": lambda p: total(optimize.root(system, [1.0, 1.0], args=(p[0], p[1] + 2.0), tol=1e-12).x),
    "root, lm": lambda p: total(optimize.root(lambda x: np.array(system(x, p[0], p[1] + 2.0)), [1.0, 1.0], method="lm",
                                              tol=1e-12).x),
    "root, krylov": lambda p: total(optimize.root(lambda x: np.array(system(x, p[0], p[1] + 2.0)), [1.0, 1.0], method="krylov",
                                                  tol=1e-12)["x"]),
    "root, jac=True": lambda p: total(optimize.root(lambda x: (x ** 3 + p[1] * x - p[0], np.diag(x ** 2 * 3.0) + p[1] * np.eye(2)),
                                                    [1.0, 2.0], jac=True, tol=1e-12).x),
    "fixed_point, number": lambda p: optimize.fixed_point(lambda x: np.cos(0.5 * p[0] * x) + 0.1 * p[1], 0.5, xtol=1e-12),
    "fixed_point, array": lambda p: total(optimize.fixed_point(lambda x, a: np.cos(a * x[::-1]) * 0.5 + p[1], np.array([0.5, 0.2]),
                                                               args=(0.3 * p[0],), xtol=1e-12)),
    "implicit, number": lambda p: ROOT(p[0], p[1]) ** 2 * p[0],
    "implicit, by name": lambda p: ROOT(b=p[1], a=p[0]),
    "implicit, array": lambda p: total(LINEAR(p[0], p[1])),
    "root in a root": lambda p: optimize.brentq(lambda x: x - 0.1 * optimize.brentq(lambda y: y ** 3 + p[1] * y - p[0] - 0.3 * x,
                                                                                    0.0, 9.0), 0.0, 9.0),
}
QUIET = {"gtol": 1e-12, "xtol": 1e-14, "ftol": 1e-14}
MINIMA = {
    "minimize, lambda": lambda p: total(optimize.minimize(lambda x: valley(x, p[0], p[1]), np.zeros(2), tol=1e-10).x),
    "minimize, args": lambda p: total(optimize.minimize(valley, np.zeros(2), args=(p[0], p[1]), tol=1e-10)["x"]),
    "minimize, fun": lambda p: optimize.minimize(valley, np.zeros(2), args=(p[0], p[1]), tol=1e-10).fun,
    "minimize, L-BFGS-B": lambda p: total(optimize.minimize(valley, np.zeros(2), args=(p[0], p[1]), method="L-BFGS-B",
                                                            bounds=[(None, 0.6), (0.0, None)], tol=1e-14).x),
    "minimize, Nelder-Mead": lambda p: total(optimize.minimize(valley, np.ones(2), args=(p[0], p[1]), method="Nelder-Mead",
                                                               options={"xatol": 1e-10, "fatol": 1e-14}).x),
    "minimize, jac=True": lambda p: total(optimize.minimize(lambda x: (np.sum((x - p[0]) ** 2) + p[1] * np.sum(x ** 4), 2.0 * (
        x - p[0]) + 4.0 * p[1] * x ** 3), np.zeros(2), jac=True, tol=1e-10).x),
    "minimize_scalar, brent": lambda p: optimize.minimize_scalar(lambda x: (x - p[0]) ** 2 + p[1] * x ** 4, tol=1e-12).x,
    "minimize_scalar, bounded": lambda p: optimize.minimize_scalar(
        lambda x, a: (x - a) ** 2 + p[1] * x ** 4, args=(p[0],), bounds=(0.0, 3.0), method="bounded", options={"xatol": 1e-11}).x,
    "fmin": lambda p: total(optimize.fmin(lambda x: valley(x, p[0], p[1]), np.ones(2), xtol=1e-10, ftol=1e-14, disp=False)),
    "fmin_bfgs": lambda p: total(optimize.fmin_bfgs(valley, np.ones(2), args=(p[0], p[1]), gtol=1e-9, disp=False)),
    "least_squares": lambda p: total(optimize.least_squares(lambda q: decay(XS, q[0], q[1]) - np.cos(p[0] * XS) * p[1], [1.0, 1.0],
                                                            **QUIET).x),
    "least_squares, cost": lambda p: optimize.least_squares(lambda q, a: decay(XS, q[0], q[1]) - np.cos(a * XS) * p[1], [1.0, 1.0],
                                                            args=(p[0],), **QUIET).cost,
    "least_squares, loss": lambda p: total(optimize.least_squares(lambda q: decay(XS, q[0], q[1]) - np.cos(p[0] * XS) * p[1],
                                                                  [1.0, 1.0], loss="soft_l1", f_scale=0.1, **QUIET).x),
    "least_squares, bounds": lambda p: total(optimize.least_squares(lambda q: decay(XS, q[0], q[1]) - np.cos(p[0] * XS) * p[1],
                                                                    [0.2, 1.0], bounds=([0.0, 0.0], [0.4, 9.0]), **QUIET).x),
    "leastsq": lambda p: total(optimize.leastsq(lambda q: decay(XS, q[0], q[1]) - np.cos(p[0] * XS) * p[1], [1.0, 1.0], xtol=1e-13,
                                                ftol=1e-13)[0]),
    "curve_fit, data": lambda p: total(optimize.curve_fit(decay, XS, np.cos(p[0] * XS) * p[1], xtol=1e-13, ftol=1e-13)[0]),
    "curve_fit, lambda, sigma": lambda p: total(optimize.curve_fit(lambda x, u, v: u * np.exp(-v * p[0] * x), XS, np.cos(XS) * p[1],
                                                                   p0=[1.0, 1.0], sigma=0.1 + XS, xtol=1e-13, ftol=1e-13)[0]),
    "curve_fit, covariance": lambda p: np.sum(optimize.curve_fit(decay, XS, np.cos(p[0] * XS) * p[1], xtol=1e-13, ftol=1e-13)[1]),
    "nnls": lambda p: total(optimize.nnls(MATRIX * p[0], TARGET + p[1])[0]),
    "lsq_linear": lambda p: total(optimize.lsq_linear(MATRIX * p[0], TARGET + p[1]).x),
    "lsq_linear, bounds": lambda p: total(optimize.lsq_linear(MATRIX * p[0], TARGET + p[1], bounds=(-0.1, 1.0), tol=1e-13)["x"]),
}
INTEGRALS = {
    "quad": lambda p: integrate.quad(lambda x: np.sin(p[0] * x) * np.exp(p[1] * x), 0.0, 2.0)[0],
    "quad, args and limits": lambda p: integrate.quad(lambda x, a, b: np.sin(a * x) + b, p[0], 2.0 * p[1], args=(p[0], p[1]))[0],
    "quad, turned limits": lambda p: integrate.quad(lambda x: np.sin(p[0] * x), 2.0, p[1])[0],
    "quad, to infinity": lambda p: integrate.quad(lambda x: np.exp(-p[0] * x * x), p[1], np.inf)[0],
    "quad, from infinity": lambda p: integrate.quad(lambda x: np.exp(p[0] * x), -np.inf, p[1])[0],
    "quad, all numbers": lambda p: integrate.quad(lambda x: np.exp(-p[0] * (x - p[1]) ** 2), -np.inf, np.inf)[0],
    "quad, points": lambda p: integrate.quad(lambda x: np.abs(x - 1.0) ** p[0] * p[1], 0.0, 2.0, points=[1.0])[0],
    "quad_vec": lambda p: total(integrate.quad_vec(lambda x: np.exp(-p[0] * x * np.arange(1.0, 4.0)), 0.0, p[1])[0]),
    "quad_vec, to infinity": lambda p: total(integrate.quad_vec(lambda x: np.exp(-p[0] * x * np.arange(1.0, 4.0)), p[1],
                                                                np.inf)[0]),
    "quad_vec, all numbers": lambda p: total(integrate.quad_vec(lambda x: np.exp(-p[0] * (x - p[1] * np.arange(2.0)) ** 2), -np.inf,
                                                                np.inf)[0]),
    "dblquad": lambda p: integrate.dblquad(lambda y, x: np.sin(p[0] * x * y), 0.0, 1.0, lambda x: 0.0, lambda x: x * p[1])[0],
    "fixed_quad": lambda p: integrate.fixed_quad(lambda x: np.sin(p[0] * x), 0.0, p[1], n=4)[0],
    "simpson": lambda p: integrate.simpson(np.sin(p[0] * XS), x=XS * p[1]),
    "simpson, an even number": lambda p: integrate.simpson(np.sin(p[0] * XS[:-1]), x=XS[:-1] * p[1]) + total(integrate.simpson(
        np.outer(np.sin(p[0] * XS[:6]), p), dx=p[1], axis=0)),
    "trapezoid": lambda p: integrate.trapezoid(np.sin(p[0] * XS), XS * p[1]),
    "cumulative_trapezoid": lambda p: total(integrate.cumulative_trapezoid(np.sin(p[0] * XS), XS * p[1])),
    "romb": lambda p: integrate.romb(np.sin(p[0] * np.arange(9.0)) * p[1]),
}
EQUATIONS = {
    **{f"solve_ivp, {method}": functools.partial(lambda p, method: total(integrate.solve_ivp(
        lambda t, z: hunters(t, z, p[0], p[1]), (0.0, 2.0), [1.0, p[0]], method, XS[::7], **TIGHT).y), method=method)
        for method in ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")},
    "solve_ivp, args": lambda p: total(integrate.solve_ivp(hunters, (0.0, 2.0), np.array([1.0, 2.0]), args=(p[0], p[1]), **TIGHT)
                                       .y[:, -1]),
    "solve_ivp, backwards": lambda p: total(integrate.solve_ivp(hunters, (2.0, 0.5), [1.0, p[0]], args=(1.0, p[1]),
                                                                **TIGHT)["y"][:, -1]),
    "odeint": lambda p: total(integrate.odeint(lambda z, t: hunters(t, z, p[0], p[1]), [1.0, p[0]], np.linspace(0.0, 2.0, 4))),
    "odeint, args": lambda p: total(integrate.odeint(slopes, [1.0, 2.0], np.linspace(0.0, 2.0, 4), args=(p[0], p[1]))),
    "odeint, number, tfirst": lambda p: total(integrate.odeint(lambda t, y: -p[0] * y + p[1] * t, 1.0, np.array([0.0, 0.5, 2.0]),
                                                               tfirst=True)),
}
ALL = {**ROOTS, **MINIMA, **INTEGRALS, **EQUATIONS}
SLACK = {name: 3e-4 for name in EQUATIONS} | {name: 3e-5 for name in MINIMA} | dict.fromkeys((
    "minimize, Nelder-Mead", "fmin", "least_squares, bounds", "leastsq", "curve_fit, data", "curve_fit, covariance"), 1e-3)
FIRST, OTHER = np.array([1.5, 0.7]), np.array([1.7, 0.9])


def differences(f, p, step=1e-3):
    """Derivatives by central differences of fourth order."""
    found = []
    for unit in np.eye(len(p)):
        near, far = (np.asarray(f(p + k * step * unit)) - f(p - k * step * unit) for k in (1.0, 2.0))
        found.append((8.0 * near - far) / (12.0 * step))
    return np.array(found)


@pytest.mark.parametrize("name", ALL)
def test_solution_and_its_gradient(name):
    f, slack = ALL[name], SLACK.get(name, 1e-6)
    gradient = sg.grad(f)
    for p in (FIRST, OTHER):                                                # the second call with other values
        value, found = sg.value_and_grad(f)(p)
        assert value == pytest.approx(f(p), rel=1e-6 if "covariance" in name else 1e-9, abs=1e-12)     # that of the solver
        np.testing.assert_allclose(gradient(p), differences(f, p), rtol=slack, atol=slack)
        np.testing.assert_array_equal(found, gradient(p))
    along = sg.jvp(f, (FIRST,), (np.array([0.3, -0.8]),))
    np.testing.assert_allclose(along[1], gradient(FIRST) @ [0.3, -0.8], rtol=1e-8, atol=1e-10)


TWICE = [name for position, name in enumerate(ALL) if position % 2 or name in ROOTS and "full" not in name]


@pytest.mark.parametrize("name", TWICE)
def test_second_derivative(name):
    gradient, weights = sg.grad(ALL[name]), np.array([0.6, -1.1])
    expected = differences(lambda p: gradient(p) @ weights, FIRST)
    slack = 1e-3 if name in SLACK else 1e-5
    np.testing.assert_allclose(sg.grad(gradient, grad_outputs=weights)(FIRST), expected, rtol=slack, atol=slack)
    if name in ROOTS:
        moved = sg.pushforward(gradient, with_value=False)(FIRST, p_dot=weights)
        np.testing.assert_allclose(moved, expected, rtol=slack, atol=slack)


# --- what is refused

REFUSED = {
    "fsolve did not converge": lambda a: optimize.fsolve(lambda x: x ** 2 + a, 1.0)[0],
    "minimize did not converge": lambda a: optimize.minimize(lambda x: valley(x, a, 9.0), np.zeros(2), options={"maxiter": 1}).x[0],
    "the Jacobian of the equation is singular": lambda a: optimize.root(lambda x: (x - a) ** 2, [1.0]).x[0],
    "singular there": lambda a: optimize.newton(lambda x: (x - a) ** 4, 1.0, maxiter=500),
    "root with 3 equations for 1 unknowns": lambda a: optimize.root(lambda x: np.array([x[0] - a, x[0] - a, 0.0]), [1.0],
                                                                    method="lm").x[0],
    "a minimum at a constraint that has no influence": lambda a: optimize.minimize(
        lambda x: np.sum((x - 1.0) ** 2) * a, np.zeros(2), constraints={"type": "ineq", "fun": lambda x: x[0] - 1.0}).fun,
    "a derivative by the bounds of a minimum": lambda a: optimize.minimize(lambda x: np.sum((x - 4.0) ** 2), np.ones(2),
                                                                          bounds=[(0.0, a)] * 2).x[0],
    "a minimum at a bound that has no influence": lambda a: optimize.minimize(lambda x: np.sum((x - a) ** 2), np.ones(2), bounds=[
        (1.5, None)] * 2).x[0],
    "a derivative by the times": lambda a: integrate.solve_ivp(lambda t, y: -y, (0.0, a), [1.0]).y[0, -1],
    "by the times of a differential equation": lambda a: integrate.odeint(lambda y, t: -y, [1.0], np.array([0.0, 1.0]) * a)[-1, 0],
    "solve_ivp with dense_output or events": lambda a: integrate.solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0],
                                                                           events=lambda t, y: y[0] - 0.5).y[0, -1],
    "the differential equation was not solved": lambda a: integrate.solve_ivp(lambda t, y: a * y ** 2, (0.0, 5.0), [1.0]).y[0, -1],
    "quad with a weight": lambda a: integrate.quad(lambda x: np.exp(-a * x), 0.0, 1.0, weight="cos", wvar=2.0)[0],
    "quad: what is differentiated differs": lambda a: integrate.quad(lambda x: np.abs(x - 0.3 * a) ** -0.9, 0.0, 1.0, limit=200)[0],
    "solve_bvp": lambda a: integrate.solve_bvp(lambda x, y: np.vstack([y[1], -a * y[0]]), lambda u, v: np.array([u[0], v[0] - 1.0]),
                                               np.linspace(0.0, 1.0, 5), np.zeros((2, 5))).sol(0.5)[0],
    "for 2 unknowns": lambda a: PAIR(a)[0],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("message", REFUSED)
def test_refused_at_the_line_of_the_user(message):
    with pytest.raises(sg.SourcegradError) as caught:
        sg.grad(REFUSED[message])(1.5)
    assert caught.value.origin.file == __file__ and caught.value.remedy


def test_errors_of_the_solver_are_raised():
    with pytest.raises(ValueError, match="different signs"):
        sg.grad(lambda a: optimize.brentq(lambda x: x * x + a, 0.0, 1.0))(1.0)


@pytest.mark.parametrize("derive", [sg.grad, functools.partial(sg.pushforward, with_value=False)])
def test_third_derivatives_are_refused(derive):
    def third(a):
        return optimize.brentq(cubic, 0.0, 9.0, args=(a, 0.7))

    with pytest.raises(sg.UnsupportedError, match="the third derivative of a solution"):
        made = derive(derive(derive(third)))
        made(1.5, **({} if derive is sg.grad else dict.fromkeys(made._tangents.values(), 1.0) | {"a_dot": 1.0, "a_dot_2": 1.0}))


def test_constants_may_take_forms_without_derivative():
    def scaled(a):
        best = optimize.linprog([-1.0, 2.0], bounds=[(0.0, 1.0), (0.0, 1.0)])
        under = optimize.minimize(lambda x: np.sum((x - 1.0) ** 2), np.ones(2), constraints={"type": "eq", "fun": lambda x: x[0]})
        return a * best.fun + a ** 2 * under.fun

    assert sg.grad(scaled)(3.0) == pytest.approx(-1.0 + 6.0, abs=1e-6)


def test_start_has_no_influence():
    assert sg.grad(lambda a: optimize.fsolve(cubic, a, args=(1.5, 0.7))[0])(1.0) == 0.0


def test_text_shows_the_equation():
    text = sg.source(lambda a: optimize.brentq(lambda x: x ** 3 - a, 0.0, 9.0), at={"a": 2.0})
    assert "solved(" in text and "optimize.brentq" in text and "3 * " in text


def test_implicit_as_a_function():
    assert sg.grad(ROOT, inputs=("a", "b"))(1.5, 0.7) == pytest.approx(
        tuple(differences(lambda p: heron(p[0], p[1]), FIRST)), rel=1e-8)
    assert ROOT(1.5, 0.7) == heron(1.5, 0.7) and "heron" in repr(ROOT)
    with pytest.raises(sg.InputError):
        sg.implicit(heron, None)


TIMES = np.linspace(0.0, 1.0, 8)


def by_lambda(p):
    return optimize.curve_fit(lambda t, a, b: a * np.exp(-b * t), TIMES, p[0] * np.exp(-0.7 * TIMES) + p[1])[0][1]


def by_closure(p):
    def model(t, a, b):
        return a * np.exp(-b * t) * p[0]

    return optimize.curve_fit(model, TIMES, np.exp(-0.7 * TIMES) + p[1])[0][1]


@pytest.mark.parametrize("function", [by_lambda, by_closure])
def test_the_solver_counts_the_parameters(function) -> None:
    """Without a start it asks for the signature of the model."""
    x = np.array([1.0, 0.1])
    ends = [(function(x + h), function(x - h)) for h in 1e-4 * np.eye(2)]
    assert np.allclose(sg.grad(function)(x), [(a - b) / 2e-4 for a, b in ends], rtol=1e-3, atol=1e-4)
