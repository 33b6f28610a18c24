"""Rules of the helpers for calls whose adjoint is written by hand or found at run time."""
from __future__ import annotations

try:
    from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
except ImportError:                                        # NumPy 1.26
    from numpy.core.multiarray import normalize_axis_index  # type: ignore[no-redef, attr-defined]
    from numpy.core.numeric import normalize_axis_tuple  # type: ignore[no-redef, attr-defined]

import numpy as np

from sourcegrad.kinds import ANY, INT, Const, Kind, Tup, as_num
from sourcegrad.rules.core import REAL, nondifferentiable, rule, sample
from sourcegrad.runtime import (
    attribute,
    call_unchanging,
    callee,
    check_results,
    closed,
    in_ufunc_order,
    method,
    own_adjoints,
    own_copy,
    pair_of,
)


def adjoint_kinds(name: Kind, adjoints: Kind, *arguments: Kind) -> Kind:
    if not isinstance(adjoints, Tup) or len(adjoints.items) != len(arguments):
        return ANY
    return Tup(tuple(as_num(x) if a == Const(None) else as_num(a) for a, x in zip(adjoints.items, arguments)))


@rule(own_adjoints, kind=adjoint_kinds, samples=[sample("f", (REAL(3), REAL()), REAL(3), REAL())])
def checked(ct, out, name, adjoints, *arguments):
    """out = adjoints"""
    return None, ct, []


@rule(own_copy, kind=as_num, samples=[sample(REAL(3))])
def copied(ct, out, value):
    """out = value, in other memory"""
    return ct


@rule(callee, kind=lambda f: f, samples=[sample(REAL(3))])
def called(ct, out, f):
    """out = f"""
    return ct


@rule(closed, kind=lambda function, values, keywords=None: ANY)
def closure(ct, out, function, values, keywords=None):
    """out = values, with the function that takes them"""
    return None, ct


@rule(in_ufunc_order, kind=lambda values, *operands: as_num(values), samples=[sample(REAL(2, 3), np.zeros((3, 2)).T)])
def in_order(ct, out, values, *operands):
    """out = values, in another order in memory"""
    return ct, []


nondifferentiable(check_results, kind=lambda values: Const(None))
nondifferentiable(normalize_axis_index, kind=lambda *args: INT)
nondifferentiable(normalize_axis_tuple, kind=lambda *args, **options: ANY)
nondifferentiable(pair_of, kind=lambda *args: Tup((ANY, ANY)))
nondifferentiable(method, attribute, call_unchanging, kind=lambda *args, **options: ANY)
