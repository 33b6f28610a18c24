"""Functions of libraries that are plain Python are differentiated through their source."""
import numpy as np
import numpy.polynomial as poly
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError

V = np.array([0.3, -0.7, 1.2, 0.5])
U = np.array([1.0, -0.5, 0.25, 0.6])
T = np.array([0.0, 0.3, 0.7, 1.5])
M = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.1, 0.2, 1.8]])

NUMPY = {
    "polynomial.polyval": (lambda c: poly.polynomial.polyval(0.3, c) ** 2, V),
    "chebyshev.chebval": (lambda c: poly.chebyshev.chebval(0.3, c) ** 2, V),
    "chebyshev.chebval of x": (lambda x: np.sum(poly.chebyshev.chebval(x, [1.0, 2.0, 0.5]) ** 2), V),
    "legendre.legval": (lambda c: poly.legendre.legval(0.3, c) ** 2, V),
    "hermite.hermval": (lambda c: poly.hermite.hermval(0.3, c) ** 2, V),
    "laguerre.lagval": (lambda c: poly.laguerre.lagval(0.3, c) ** 2, V),
}


@pytest.mark.parametrize("name", NUMPY)
@pytest.mark.parametrize("order", [1, 2])
def test_numpy(name, order):
    function, x = NUMPY[name]
    sg.check_grad(function, x, order=order)


def scipy_functions():
    import scipy.integrate
    import scipy.linalg
    import scipy.optimize
    import scipy.spatial.distance as distance
    import scipy.special

    return {
        "optimize.rosen": (lambda x: scipy.optimize.rosen(x), V),
        "optimize.newton": (lambda a: scipy.optimize.newton(lambda t: t * t - a, 1.0, lambda t: 2.0 * t), 2.0),
        "special.softmax": (lambda x: np.sum(scipy.special.softmax(x) ** 2), V),
        "special.logsumexp": (lambda x: scipy.special.logsumexp(x) + np.sum(scipy.special.logsumexp(M * x[:3], axis=1)), V),
        "special.logsumexp with b": (lambda x: scipy.special.logsumexp(x, b=x * x), V),
        "special.log_softmax": (lambda x: np.sum(scipy.special.log_softmax(x) ** 2), V),
        "integrate.trapezoid": (lambda x: scipy.integrate.trapezoid(x * x, T), V),
        "integrate.newton_cotes": (lambda x: np.sum(scipy.integrate.newton_cotes(3)[0] * x ** 2), V),
        "integrate.fixed_quad": (lambda a: scipy.integrate.fixed_quad(lambda t: np.sin(a * t), 0.0, 1.0)[0], 0.7),
        "linalg.companion": (lambda x: np.sum(scipy.linalg.companion(x) ** 2), V),
        "distance.cosine": (lambda x: distance.cosine(x, U), V),
        "distance.correlation": (lambda x: distance.correlation(x, U), V),
        "distance.sqeuclidean": (lambda x: distance.sqeuclidean(x, U), V),
        "distance.cityblock": (lambda x: distance.cityblock(x, U), V),
        "distance.braycurtis": (lambda x: distance.braycurtis(x, U), V),
        "distance.minkowski": (lambda x: distance.minkowski(x, U, 3), V),
        "distance.mahalanobis": (lambda x: distance.mahalanobis(x, U, np.eye(4)), V),
        **linalg_functions(scipy.linalg),
        "special.expit": (lambda x: np.sum(scipy.special.expit(x * x)) + scipy.special.expit(x[0]), V),
        "special.logit": (lambda x: np.sum(scipy.special.logit(0.3 + 0.2 * x)), V),
        "special.xlogy": (lambda x: np.sum(scipy.special.xlogy(x, x * x) + scipy.special.xlog1py(x, x * x)), V),
        "special.entr": (lambda x: np.sum(scipy.special.entr(x * x) + scipy.special.rel_entr(x * x, x * x + 1.0)), V),
    }


def linalg_functions(linalg):
    """None of them looks at the other triangle of a symmetric matrix."""
    def rebuilt(a):
        values, vectors = linalg.eigh(a)
        return np.sum((vectors * np.sin(values)) @ vectors.T * a)

    def decomposed(a):
        u, s, vh = linalg.svd(a)
        return np.sum((u * s ** 2) @ vh * a) + np.sum(linalg.svdvals(a) ** 3) + np.sum(linalg.svd(a[:2], full_matrices=False)[1])

    return {f"linalg.{name}": (function, M) for name, function in {
        "inv": lambda a: np.sum(linalg.inv(a) ** 2),
        "det": lambda a: linalg.det(a),
        "solve": lambda a: np.sum(linalg.solve(a, a[0] ** 2) ** 2),
        "solve transposed": lambda a: np.sum(linalg.solve(a, V[:3], transposed=True) ** 2),
        "solve of one triangle": lambda a: np.sum(linalg.solve(a, a[0] ** 2, assume_a="pos") ** 2),
        "solve of the lower triangle": lambda a: np.sum(linalg.solve(a, V[:3], assume_a="sym", lower=True) ** 2),
        "cholesky": lambda a: np.sum(linalg.cholesky(a) ** 3),
        "cholesky of the lower triangle": lambda a: np.sum(linalg.cholesky(a, lower=True) ** 3),
        "cho_solve": lambda a: np.sum(linalg.cho_solve(linalg.cho_factor(a), a[1]) ** 2),
        "cho_solve of the lower triangle": lambda a: np.sum(linalg.cho_solve(linalg.cho_factor(a, lower=True), V[:3]) ** 2),
        "solve_triangular": lambda a: np.sum(linalg.solve_triangular(a, a, lower=True, trans="T") ** 2),
        "solve_triangular with ones": lambda a: np.sum(linalg.solve_triangular(a, V[:3], unit_diagonal=True, trans=1) ** 2),
        "eigh": rebuilt,
        "eigvalsh": lambda a: np.sum(linalg.eigh(a, lower=False, eigvals_only=True) ** 3) + np.sum(linalg.eigvalsh(a) ** 2),
        "svd": decomposed,
        "pinv": lambda a: np.sum(linalg.pinv(a[:2]) ** 2),
        "expm": lambda a: np.sum(linalg.expm(a) ** 2) + 1e-6 * np.sum(linalg.expm(5.0 * a)),
        "block_diag": lambda a: np.sum(linalg.block_diag(a, a[0], *[a[1:2, :2] ** 2] * 2) ** 3),
        "toeplitz": lambda a: np.sum(linalg.toeplitz(a[0]) * a) + np.sum(linalg.toeplitz(a[0], a[1, :2]) ** 2),
    }.items()}


ARRAY_API = {"optimize.rosen", "integrate.trapezoid"}      # written for the array API, which NumPy has since 2.0
NAMES = ["optimize.rosen", "optimize.newton", "special.softmax", "special.logsumexp", "special.logsumexp with b",
         "special.log_softmax", "integrate.trapezoid", "integrate.newton_cotes", "integrate.fixed_quad", "linalg.companion",
         "distance.cosine", "distance.correlation", "distance.sqeuclidean", "distance.cityblock", "distance.braycurtis",
         "distance.minkowski", "distance.mahalanobis", "special.expit", "special.logit", "special.xlogy", "special.entr",
         *linalg_functions(None)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("order", [1, 2])
def test_scipy(name, order):
    function, x = scipy_functions()[name]
    if name in ARRAY_API and not hasattr(np, "isdtype"):
        with pytest.raises(SourcegradError):            # SciPy brings its own isdtype and astype for older NumPy
            sg.grad(function)(x)
        return
    sg.check_grad(function, x, order=order)


def test_values_are_those_of_scipy():
    from scipy import special

    for f in (lambda x: np.sum(special.logsumexp(x, axis=0) ** 2), lambda x: np.sum(special.logsumexp(x, axis=1, keepdims=True)),
              lambda x: special.logsumexp(x, b=x ** 2), lambda x: np.sum(special.log_softmax(x, axis=1) ** 2)):
        assert np.isclose(sg.value_and_grad(f)(M)[0], f(M), rtol=1e-14)
    assert isinstance(sg.value_and_grad(lambda x: special.logsumexp(x))(V)[0], float)


@pytest.mark.parametrize("name", [*linalg_functions(None), "special.expit", "special.logit", "special.xlogy", "special.entr"])
def test_values_of_what_stands_for_scipy(name):
    function, x = scipy_functions()[name]
    assert sg.value_and_grad(function)(x)[0] == pytest.approx(function(x), rel=1e-12)


def test_what_scipy_offers_beyond_that_is_refused():
    from scipy import special

    for function in (lambda a: np.sum(special.pbdv(a, 2.0)[0]), lambda a: np.sum(special.mathieu_sem(2, a, V)[0])):
        with pytest.raises(SourcegradError) as caught:
            sg.grad(function)(V)
        assert caught.value.origin is not None


def test_the_refusal_names_the_first_thing_that_does_not_resolve_and_the_call():
    from scipy import stats

    with pytest.raises(SourcegradError) as caught:
        sg.grad(lambda x: stats.theilslopes(x * x)[0])(V)
    error = caught.value
    assert error.origin.file.endswith("test_library.py")
    assert str(error).count("theilslopes")
