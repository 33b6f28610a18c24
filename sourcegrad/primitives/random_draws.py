"""Draws of NumPy's generators: formulas of standard draws, and implicit reparameterisation of what is drawn by rejection.

M. Figurnov, S. Mohamed, A. Mnih, Implicit Reparameterization Gradients, 2018: the draw z moves with a parameter so that its
distribution function stays as it is. What is drawn of whole numbers, or selected, has no such derivative.
"""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import BOOL, Const, Kind, Num, Tup
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import declare, describe, nondifferentiable, rule
from sourcegrad.runtime import (
    as_drawn,
    beta_drawn,
    beta_slope,
    gamma_drawn,
    gamma_slope,
    numpy_library,
    random_draws as draws,
    student_drawn,
    student_slope,
)


@rule(gamma_drawn, elementwise=True)
def gamma_drawn_rule(ct, out, z, shape):
    """dz/da = -(dF/da) / f"""
    return None, ct * gamma_slope(out, shape)


@rule(beta_drawn, elementwise=True)
def beta_drawn_rule(ct, out, x, a, b):
    """dx/da = -(dF/da) / f; 1 - x has the distribution with a and b exchanged"""
    return None, ct * beta_slope(out, a, b), -ct * beta_slope(1.0 - out, b, a)


@rule(student_drawn, elementwise=True)
def student_drawn_rule(ct, out, t, df):
    """dt/d(df) = -(dF/d(df)) / f"""
    return None, ct * student_slope(out, df)


def quadrature_kind(x: Kind, *_: Kind) -> Kind:
    place = Num("float64", leaf(x).dims, True)
    return Tup((place, place))


nondifferentiable(as_drawn, kind=lambda x: x)
nondifferentiable(draws.gamma_quadrature, draws.beta_quadrature, kind=quadrature_kind)
nondifferentiable(draws.check_plain, effect="checks", kind=lambda *_: Const(None))
nondifferentiable(draws.rows_of_shapes)
nondifferentiable(draws.rows_of_normals)
nondifferentiable(draws.alike, kind=lambda cov: BOOL)
nondifferentiable(draws.turn_of, kind=lambda cov, method: Num("float64", leaf(cov).dims, True))

DRAWN = {name: getattr(draws, f"{name}_from") for name in (
    "gamma", "standard_gamma", "chisquare", "f", "beta", "standard_t", "dirichlet", "laplace", "logistic", "gumbel", "rayleigh",
    "weibull", "pareto", "power", "triangular", "multivariate_normal", "choice", "permutation")}
declare("instead", {getattr(cls, name): function for cls in (np.random.Generator, np.random.RandomState)
                    for name, function in DRAWN.items()})
declare("instead", {getattr(np.random, name): getattr(draws, name) for name in DRAWN})

# --- they use up what the generator gives next: nobody leaves out a call, or moves it behind another
describe(*DRAWN.values(), *(getattr(draws, name) for name in DRAWN), effect="draws")
describe(numpy_library.normal_from, numpy_library.uniform_from, numpy_library.exponential_from, numpy_library.lognormal_from,
         numpy_library.normal, numpy_library.uniform, numpy_library.exponential, numpy_library.lognormal, effect="draws")
