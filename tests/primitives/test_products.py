"""einsum (whose operands are variadic) and the cases of products that samples do not reach."""
import numpy as np
import pytest

from sourcegrad.errors import UnsupportedError
from sourcegrad.primitives import contractions, products, statistics
from sourcegrad.primitives.core import COMPLEX, REAL
from sourcegrad.runtime import einsum_is_plain, einsum_swapped
from tests.oracle.rules import draw, numeric_vjp, random_like, same


@pytest.mark.parametrize("domain", [REAL, COMPLEX])
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("spec", contractions.EINSUMS, ids=lambda spec: spec[0])
def test_einsum(spec, optimize, domain):
    rng = np.random.default_rng(0)
    subscripts, operands = spec[0], draw(tuple(domain(*shape) for shape in spec[1:]), rng)
    out = np.einsum(subscripts, *operands)
    ct = random_like(out, rng)
    nothing, adjoints = contractions.einsum(ct, out, subscripts, *operands, optimize=optimize)
    assert nothing is None and len(adjoints) == len(operands)
    for k, adjoint in enumerate(adjoints):
        expected = numeric_vjp(lambda *xs: np.einsum(subscripts, *xs), operands, k, ct, 1e-6)
        assert same(adjoint, expected, 1e-6, 1e-6)


def test_einsum_subscripts():
    assert einsum_swapped("ij,jk", 1) == "ij,ik->jk"
    assert einsum_is_plain("ij,jk->ik")
    assert not einsum_is_plain("ii,i->i") and not einsum_is_plain("...i,i") and not einsum_is_plain("ij,k->k")


def test_einsum_with_lists_of_axes_is_refused():
    a, b = np.ones((2, 3)), np.ones((3, 2))
    with pytest.raises(UnsupportedError, match="np.einsum"):
        contractions.einsum(np.ones((2, 2)), None, a, [0, 1], b, [1, 2])


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
@pytest.mark.parametrize("a_shape, b_shape", [((2,), (2,)), ((4, 2), (2,)), ((2, 2), (2, 2)), ((2,), (3,)),
                                              ((3,), (2,)),
                                              ((4, 3), (4, 2)), ((2,), (2, 3))])
def test_cross_of_plane_vectors(a_shape, b_shape):
    rng = np.random.default_rng(0)
    args = rng.normal(size=a_shape), rng.normal(size=b_shape)
    try:
        out = np.cross(*args)
    except ValueError:
        pytest.skip("this NumPy has no cross product of vectors in the plane")
    ct = random_like(out, rng)
    for k, adjoint in enumerate(products.cross(ct, out, *args)):
        assert same(adjoint, numeric_vjp(np.cross, args, k, ct, 1e-6), 1e-6, 1e-6)


def test_cov_of_two_arrays_is_refused():
    with pytest.raises(UnsupportedError, match="np.cov"):
        statistics.cov(np.ones((2, 2)), None, np.ones(3), np.ones(3))
