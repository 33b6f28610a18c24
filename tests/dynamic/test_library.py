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
    }


ARRAY_API = {"optimize.rosen", "integrate.trapezoid"}      # written for the array API, which NumPy has since 2.0
NAMES = ["optimize.rosen", "optimize.newton", "special.softmax", "special.logsumexp", "special.logsumexp with b",
         "special.log_softmax", "integrate.trapezoid", "integrate.newton_cotes", "integrate.fixed_quad", "linalg.companion",
         "distance.cosine", "distance.correlation", "distance.sqeuclidean", "distance.cityblock", "distance.braycurtis",
         "distance.minkowski", "distance.mahalanobis"]


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


def test_the_refusal_names_the_first_thing_that_does_not_resolve_and_the_call():
    from scipy import stats

    with pytest.raises(SourcegradError) as caught:
        sg.grad(lambda x: stats.gmean(x * x))(V)
    error = caught.value
    assert "scipy" in error.origin.file and any(c.file.endswith("test_library.py") for c in error.callers)
