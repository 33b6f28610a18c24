"""Small programs for rules that have no samples: attributes, methods, decompositions, helpers of high order.

Decompositions appear in losses that do not depend on the signs and phases of their factors.
"""

import types

import numpy as np
from scipy import linalg

from sourcegrad import runtime
from sourcegrad.runtime.tangents import attribute_tangent, dict_of_tangents

RNG = np.random.default_rng(11)
MATRIX = RNG.normal(size=(3, 3))
WIDE = RNG.normal(size=(2, 3))
VECTOR = RNG.normal(size=3)
STACK = RNG.normal(size=(2, 3, 4))
COMPLEX = RNG.normal(size=3) + 1j * RNG.normal(size=3)
CHAIN = (RNG.normal(size=(2, 3)), RNG.normal(size=(3, 2)), RNG.normal(size=(2, 2)), RNG.normal(size=(2, 3)))

# helpers that appear in second derivatives only and refuse to be differentiated twice themselves
REFUSED_AT_ORDER_2 = {"contractions.einsum_adjoints_rule", "integrals.elliprf", "integrals.agm"}
REFUSED_OF_COMPLEX = {"bessel.ive", "bessel.jve", "bessel.yve", "gamma.gamma", "gamma.loggamma", "gamma.psi",
                      "gamma.rgamma"}               # at order 2, too


def symmetric(a):
    return a + a.T + np.diag(np.array([2.0, 5.0, 9.0]))


def attribute_T(x):
    return np.sum(x.T[0] * x[:, 1] ** 2) if x.shape[0] == 3 else np.sum(np.sin(x.T) ** 2)


def attribute_mT(x):
    return np.sum(np.sin(x) @ x.mT)


def attributes_of_complex(z):
    return np.sum(z.real ** 2 * z.imag)


def attributes_of_real(x):
    return np.sum(x.real ** 3 + x.imag)


def method_astype(x):
    return np.sum(x.astype(float) ** 3)


def method_flatten(x):
    return np.sum(x.flatten() ** 3 * x.flatten(order="F"))


def method_item(x):
    return x.item(1) ** 3 * x[1:2].item()


def method_view(x):
    return np.sin(x.view()) * x


def method_compress(x):
    return np.sin(x.compress([True, False, True])) @ x[:2]


def method_tolist(x):
    values = x.tolist()
    return values[0] ** 2 * values[2] + values[1]


def cholesky(a):
    return np.sum(np.linalg.cholesky(symmetric(a @ a.T)) ** 3)


def eigh(a):
    values, vectors = np.linalg.eigh(symmetric(a))
    return np.sum((vectors * np.sin(values)) @ vectors.T * a)


def eigvalsh(a):
    return np.sum(np.linalg.eigvalsh(symmetric(a)) ** 3)


def one_triangle(a):
    """What lies in the other one is not looked at."""
    values, vectors = np.linalg.eigh(a)
    others, turned = np.linalg.eigh(a, UPLO="U")
    lower = np.linalg.cholesky(a @ a.T + np.triu(a, 1))
    both = np.sum((vectors * np.sin(values)) @ vectors.T * a) + np.sum((turned * others ** 2) @ turned.T * a.T)
    return both + np.sum(lower ** 3) + np.sum(np.linalg.eigvalsh(a) ** 3) - np.sum(np.linalg.eigvalsh(a, "U") ** 2 * 0.3)


def eig(a):
    values, vectors = np.linalg.eig(symmetric(a) + 0.1 * a)
    return np.real(np.sum(vectors * values @ np.linalg.inv(vectors) * a ** 2))


def eigvals(a):
    return np.sum(np.real(np.linalg.eigvals(symmetric(a) + 0.1 * a)) ** 3)


def svd(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum((u * np.sin(s)) @ vh * a)


def lstsq(a, b):
    solution, residuals, rank, singular = np.linalg.lstsq(a.T, b, rcond=None)
    return np.sum(solution ** 3)


def einsum_of_four(a, b, c, d):
    return np.sum(np.einsum("ij,jk,kl,lm->im", a, b, c, d) ** 2)


def dicts(x):
    d = {"a": x[0], "b": x[1] * x[2]}
    names = [name for name in d]
    pairs = [(name, d[name] * x[0]) for name in names]
    e = dict(pairs)
    e.update({**d.copy(), "c": x[1]})
    e.setdefault("a", x[0])
    e.setdefault("z", x[2] ** 2)
    total = e.get("q", x[0]) * e.get(names[0], x[1]) + e.pop(names[1]) * e.pop("q", x[2])
    for name, y in e.items():
        total = total * y + len(name)
    for y in (e | {"a": x[1]}).values():
        total = total + y ** 2
    return total


def array_output(x):
    return np.sin(x) * x


def chosen_closure(v):
    def scaled(factor):
        return lambda x: factor * x * x
    steps = [scaled(2.0 * v[0]), np.sin] if v[1] > 0 else [np.cos, scaled(v[2])]
    total = 0.0
    for step in steps:
        total = total + np.sum(step(v))
    return total


def attributes_of_tangents(x):
    return np.sum(attribute_tangent(types.SimpleNamespace(a=x * x, b=x), "a", 1.0)) * x[0]


def pairs_of_tangents(x):
    items = [("a", x[0]), ("b", x[1])]
    return np.sum(x) * sum(value ** 2 for value in dict_of_tangents(items, [(key, 2.0) for key, _ in items]).values())


def pairs_of_numbers(x):
    return np.sum((x * (1.0 + 2.0j)).view(np.float64) ** 3)


def triangles(a):
    factors, order = linalg.lu_factor(a)
    return np.sum(factors ** 2 * np.arange(1.0, 10.0).reshape(3, 3)) + order[0]


def riccati(a):
    weights, costs = np.arange(1.0, 10.0).reshape(3, 3), a @ a.T + np.eye(3)
    steady = linalg.solve_continuous_are(a, np.eye(3)[:, :2], costs, np.eye(2))
    return np.sum(weights * (steady + linalg.solve_discrete_are(0.3 * a, np.eye(3)[:, :2], costs, np.eye(2))))


PROGRAMS = [
    (riccati, (MATRIX,), [linalg.solve_continuous_are, linalg.solve_discrete_are]),
    (triangles, (MATRIX,), [linalg.lu_factor]),
    (pairs_of_numbers, (VECTOR,), [runtime.view_as]),
    (pairs_of_tangents, (VECTOR,), [dict_of_tangents]), (attributes_of_tangents, (VECTOR,), [attribute_tangent]),
    (chosen_closure, (VECTOR,), [runtime.closed]),
    (attribute_T, (MATRIX,), ["attribute T"]),
    (attribute_mT, (STACK,), ["attribute mT"]),
    (attributes_of_complex, (COMPLEX,), ["attribute real", "attribute imag"]),
    (attributes_of_real, (VECTOR,), ["attribute real", "attribute imag"]),
    (method_astype, (VECTOR,), ["method astype"]),
    (method_compress, (VECTOR,), ["method compress"]),
    (method_flatten, (WIDE,), ["method flatten"]),
    (method_item, (VECTOR,), ["method item"]),
    (method_tolist, (VECTOR,), ["method tolist"]),
    (method_view, (VECTOR,), ["method view"]),
    (array_output, (VECTOR,), [runtime.check_cotangent]),
    (dicts, (VECTOR,), [runtime.dict_get, runtime.dict_values, runtime.dict_items, runtime.dict_from_items, runtime.dict_copy,
                        runtime.dict_delete, runtime.dict_discard, runtime.dict_merge, runtime.entry_of,
                        runtime.dict_union,
                        runtime.entry_if, runtime.keyed, runtime.entries_in, runtime.entries_without, runtime.values_back,
                        runtime.items_back, runtime.values_of, runtime.items_of, runtime.pairs_back, runtime.pairs_forth,
                        runtime.passed_if]),
    (cholesky, (MATRIX,), [np.linalg.cholesky]),
    (eigh, (MATRIX,), [np.linalg.eigh]),
    (eigvalsh, (MATRIX,), [np.linalg.eigvalsh]),
    (one_triangle, (MATRIX,), [np.linalg.eigh, np.linalg.eigvalsh, np.linalg.cholesky]),
    (eig, (MATRIX,), [np.linalg.eig]),
    (eigvals, (MATRIX,), [np.linalg.eigvals]),
    (svd, (WIDE,), [np.linalg.svd]),
    (lstsq, (WIDE, VECTOR), [np.linalg.lstsq, runtime.refuse_used]),
    (einsum_of_four, CHAIN, [np.einsum, runtime.einsum_variation, runtime.einsum_adjoint_operands,
                             runtime.einsum_adjoints_operands]),
]
if not hasattr(np.ndarray, "mT"):
    PROGRAMS = [program for program in PROGRAMS if program[0] is not attribute_mT]
