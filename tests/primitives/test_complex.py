"""Every rule where some operands are complex and others real: the gradient of a real one is real, and no conjugate is missing."""
import copy

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.oracle.rules import leaves, numeric_vjp, random_like, same
from tests.primitives.cases import case_of
from tests.primitives.programs import REFUSED_AT_ORDER_2, REFUSED_OF_COMPLEX
from tests.primitives.test_registry import SAMPLED, samples_of

pytestmark = pytest.mark.filterwarnings("ignore")
REAL_ONLY = {                                      # helpers of generated code, with operands that are never complex
    "linalg.power_or_zero_rule": "the base is a magnitude",
    "decompositions.singular_quotient_rule": "it divides by singular values",
    "adjoints.written": "base has the dtype of the cotangent",
    "shapes.padding_sum_rule": "base has the dtype of what was padded",
    "fourier.rfft_adjoint_rule": "x is the real signal", "scalar.dist": "math.dist is given real numbers",
    "reductions.var": "a single complex number of Python has no size", "reductions.nanmean": "nor a dtype",
}
REFUSED = "refused"
NAMES = [name for name in SAMPLED if name not in REAL_ONLY]


def is_real(x):
    return isinstance(x, float) or isinstance(x, np.ndarray) and x.dtype == np.float64


def made_complex(args):
    """The arguments with imaginary parts in one of the real ones, and in all of them."""
    places = [j for j, x in enumerate(args) if is_real(x)]
    rng = np.random.default_rng(3)
    for group in [*([j] for j in places), *([places] if len(places) > 1 else [])]:
        yield tuple(with_imaginary_part(x, rng) if j in group else copy.deepcopy(x) for j, x in enumerate(args))


def with_imaginary_part(x, rng):
    made = x + 0.3j * rng.standard_normal(np.shape(x))
    return made if np.ndim(x) else complex(made)


def finite(out):
    return all(np.all(np.isfinite(leaf)) for _, leaf in leaves(out) if np.asarray(leaf).dtype.kind in "fc")


def wrong(case, args, order):
    """The inputs whose gradients are wrong, with what they should be."""
    try:
        out = case.call(*copy.deepcopy(args))
    except (TypeError, ValueError, AttributeError, np.linalg.LinAlgError):             # not for complex numbers
        return
    if not finite(out):
        return
    function, weights = case.call, random_like(out, np.random.default_rng(4))
    try:
        for _ in range(order - 1):
            function = sg.grad(function, case.inputs, grad_outputs=weights)
            weights = random_like(function(*args), np.random.default_rng(5))
        found = sg.grad(function, case.inputs)(*args, grad_outputs=weights)
    except SourcegradError as error:
        yield f"{REFUSED}: {error.message}"
        return
    for name, actual in zip(case.inputs, found, strict=True):
        expected = numeric_vjp(function, args, int(name[1:]), weights, 1e-6)
        if not same(actual, expected, 10.0 ** (order - 7), 10.0 ** (order - 7)):
            yield f"{name}: {actual} is not {expected}"


def check(name, order):
    failures = []
    for rule, primitive, spec in samples_of(name, one_shape=True):
        case = case_of(rule, primitive, spec)
        if case is not None and case.smooth:
            with np.errstate(all="ignore"):
                failures += [f"{primitive} {spec} of {args}: {problem}" for args in made_complex(case.args)
                             for problem in wrong(case, args, order)]
    refused = [x for x in failures if f": {REFUSED}: " in x]
    assert not refused or order == 2 and name in REFUSED_AT_ORDER_2 or name in REFUSED_OF_COMPLEX, "\n".join(refused[:2])
    failures = [x for x in failures if x not in refused]
    if failures:
        pytest.fail(f"{len(failures)} gradients are wrong\n" + "\n".join(failures[:5]), pytrace=False)


@pytest.mark.parametrize("name", NAMES)
def test_gradient(name):
    check(name, 1)


@pytest.mark.parametrize("name", NAMES)
def test_second_gradient(name):
    check(name, 2)
