"""Tests of dtype, rank and version that guard other code: decided when the code is generated, or a branch that is not taken.

What stands in a branch that is not taken needs no rule, no attribute and no name that exists.
"""
from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
import scipy
from numpy.lib import NumpyVersion

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.kinds.outcomes import outcome

T = np.linspace(0,1,4)


def i0(x): return np.union1d(x, x)
HAS, SUMS = hasattr(np, "trapezoid"), hasattr(np, "sum")
NEW = int(np.__version__.split(".")[0]) >= 2
V = tuple(int(p) for p in np.__version__.split(".")[:2])
try:
    trapz = np.trapezoid
except AttributeError:
    trapz = np.trapz


def s1(x):
    if np.iscomplexobj(x): return i0(x)
    return np.sum(x ** 2)


def s2(x):
    y = x if x.dtype in (np.float32, np.float64) else i0(x)
    return np.sum(y ** 2)


def s3(x):
    if issubclass(x.dtype.type, np.floating): return np.sum(x ** 2)
    return i0(x)


def s4(x):
    if x.dtype.name != "float64": return i0(x)
    return np.sum(x ** 2)


def s5(x):
    x = np.asarray(x)
    if x.dtype.char in "FDG": return i0(x)
    return np.sum(x ** 2)


def s6(x):
    dt = np.result_type(x, np.float32)
    if np.issubdtype(dt, np.integer): return i0(x)
    return np.sum(x ** 2)


def s7(x):
    if type(x) is not np.ndarray: return i0(x)
    return np.sum(x ** 2)


def s8(x):
    if not hasattr(x, "shape"): return i0(x)
    return np.sum(x ** 2)


def s9(x):
    f = getattr(x, "to_numpy", None)
    if f is not None: return i0(f())
    return np.sum(x ** 2)


def s10(x):
    if x.ndim > 1: return i0(x)
    return np.sum(x ** 2)


def s11(x):
    if x.shape[0] > 1000: return i0(x)
    return np.sum(x ** 2)


def s12(x):
    if np.any(np.isnan(x)): return i0(x)
    return np.sum(x ** 2)


def s13(x):
    if not np.all(np.isfinite(x)): raise ValueError("bad")
    return np.sum(x ** 2)


def s14(x):
    assert x.dtype == np.float64 and x.ndim == 1
    return np.sum(x ** 2)


def s15(x):
    kind = x.dtype.kind
    if kind in "iu": x = x.astype(float)
    elif kind == "c": return i0(x)
    return np.sum(x ** 2)


def s16(x):
    return {"f": lambda v: np.sum(v ** 2), "c": lambda v: i0(v)}[x.dtype.kind](x)


def s17(x):
    buf = np.zeros(4, dtype=x.dtype)
    buf[:] = x
    return np.sum(buf ** 2)


def s18(x):
    buf = np.empty_like(x, dtype=np.result_type(x.dtype, float))
    buf[:] = x ** 2
    return buf.sum()


def s19(x):
    eps = np.finfo(x.dtype).eps
    return np.sum(x ** 2) + 0 * eps


def s20(x):
    if np.can_cast(x.dtype, np.float64): return np.sum(x ** 2)
    return i0(x)


def s21(x):
    if isinstance(x, np.ma.MaskedArray): return i0(x)
    return np.sum(x ** 2)


def s22(x):
    if x.dtype == object: x = x.astype(float)
    return np.sum(x ** 2)


def s23(x):
    if x.dtype is np.dtype("complex128"): return i0(x)
    return np.sum(x ** 2)


def s24(x):
    t = np.promote_types(x.dtype, np.float32)
    return np.sum(x.astype(t) ** 2)


def s25(x):
    if np.isrealobj(x): return np.sum(x ** 2)
    return i0(x)


def s26(x):
    if len(x) == 0: return i0(x)
    if len(x) > 1 and x.size < 3: return i0(x)
    return np.sum(x ** 2)


def s27(x):
    if str(x.dtype).startswith("complex"): return i0(x)
    return np.sum(x ** 2)


def s28(x):
    return np.sum(x ** 2) if np.dtype(x.dtype).itemsize == 8 else i0(x)


def v1(x):
    if V >= (2, 0): return np.trapezoid(x ** 2, T)
    return np.trapz(x ** 2, T)


def v2(x): return np.trapezoid(x ** 2, T) if NEW else np.trapz(x ** 2, T)


def v3(x): return trapz(x ** 2, T)


def v4(x):
    if sys.version_info >= (3, 8): return np.sum(x ** 2)
    return i0(x)


def v5(x):
    if sys.version_info[0] == 2: return i0(x)
    return np.sum(x ** 2)


def v6(x):
    if sys.platform == "nope": return i0(x)
    return np.sum(x ** 2)


def v7(x):
    try: return np.trapz(x ** 2, T)
    except AttributeError: pass
    return np.trapezoid(x ** 2, T)


def v8(x):
    try: f = np.trapz
    except AttributeError: f = np.trapezoid
    return f(x ** 2, T)


def v9(x):
    try:
        import cupy as xp
    except ImportError:
        xp = np
    return xp.sum(x ** 2)


def v10(x):
    if tuple(map(int, np.__version__.split(".")[:2])) >= (2, 0): return np.trapezoid(x ** 2, T)
    return np.trapz(x ** 2, T)


def v11(x):
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0": return np.trapezoid(x ** 2, T)
    return np.trapz(x ** 2, T)


def v12(x):
    if np.__version__.startswith("1."): return np.trapz(x ** 2, T)
    return np.trapezoid(x ** 2, T)


def v13(x):
    if np.__version__ < "2": return np.trapz(x ** 2, T)
    return np.trapezoid(x ** 2, T)


def v14(x):
    try: xp = torch
    except NameError: xp = np
    return xp.sum(x ** 2)


def v15(x):
    try: profile
    except NameError: return np.sum(x ** 2)
    return i0(x)


def v16(x):
    major, minor = [int(s) for s in scipy.__version__.split(".")[:2]]
    if (major, minor) < (1, 0): return i0(x)
    return np.sum(x ** 2)


def v17(x):
    if "torch" in sys.modules and isinstance(x, sys.modules["torch"].Tensor): return i0(x)
    return np.sum(x ** 2)


def v18(x):
    if os.name == "nt": return i0(x)
    return np.sum(x ** 2)


def v19(x):
    if globals().get("USE_GPU", False): return i0(x)
    return np.sum(x ** 2)


def v20(x):
    if HAS: return np.trapezoid(x ** 2, T)
    return np.trapz(x ** 2, T)


def v21(x):
    if not SUMS:
        return undefined_function(x)
    return np.sum(x ** 2)


def v22(x):
    f = getattr(np, "trapezoid", None) or np.trapz
    return f(x ** 2, T)


def v23(x):
    if hasattr(np, "trapz"): f = np.trapz
    else: f = np.trapezoid
    return f(x ** 2, T)


def v24(x):
    return np.trapezoid(x**2, T) if NumpyVersion(np.__version__) >= NumpyVersion("2.0.0") else np.trapz(x**2, T)


def v25(x):
    import platform
    if platform.python_implementation() == "PyPy": return i0(x)
    return np.sum(x ** 2)


def v26(x):
    if __debug__: return np.sum(x ** 2)
    return i0(x)


def v27(x):
    if TYPE_CHECKING: return i0(x)
    return np.sum(x ** 2)


def s31(x):
    if np.iscomplexobj(x): return i0(x)
    return np.sum(x * 2.0)


def s32(x):
    if x.dtype.kind == "c": return i0(x)
    return np.sum(x * 2.0)


def s33(x):
    if np.issubdtype(x.dtype, np.complexfloating): return i0(x)
    return np.sum(x * 2.0)


def s34(x):
    if not isinstance(x, np.ndarray): return i0(x)
    return np.sum(x * 2.0)


def s35(x):
    if np.isscalar(x): return i0(x)
    return np.sum(x * 2.0)


def s36(x):
    if hasattr(x, "iloc"): return i0(x)
    return np.sum(x * 2.0)


def s37(x):
    if x.ndim == 0 or x.size == 0: return i0(x)
    return np.sum(x * 2.0)


def s38(x):
    if np.iterable(x): return np.sum(x * 2.0)
    return i0(x)


def s39(x):
    if isinstance(x, (list, tuple)): return i0(x)
    return np.sum(x * 2.0)


def s40(x):
    try: x.iloc
    except AttributeError: return np.sum(x * 2.0)
    return i0(x)


def s41(x):
    y = np.array(x, copy=True) if x.dtype != np.float64 else x
    return np.sum(y * 2.0)


def s42(x):
    if x.dtype == np.complex128: return i0(x)
    return np.sum(x * 2.0)


def s43(x):
    if np.iscomplex(x).any(): return i0(x)
    return np.sum(x * 2.0)


def s44(x):
    if len(x) > 100: return i0(x)
    return np.sum(x * 2.0)


def v41(x): return np.trapezoid(x ** 2, T) if hasattr(np, "trapezoid") else np.trapz(x ** 2, T)


def v42(x):
    f = np.trapezoid if hasattr(np, "trapezoid") else np.trapz
    return f(x ** 2, T)


def v43(x):
    if hasattr(np, "trapz"): return np.trapz(x ** 2, T)
    return np.trapezoid(x ** 2, T)


def v44(x):
    try: return np.trapz(x ** 2, T)
    except AttributeError: return np.trapezoid(x ** 2, T)


def v45(x): return getattr(np, "trapz", None)(x ** 2, T) if getattr(np, "trapz", None) else np.trapezoid(x ** 2, T)


def v46(x):
    if int(np.__version__.split(".")[0]) < 2: return np.trapz(x ** 2, T)
    return np.trapezoid(x ** 2, T)


def v47(x): return np.sum(x.astype(np.float_ if hasattr(np, "float_") else np.float64) ** 2)


def v48(x):
    try: n = len(NEVER_DEFINED)
    except NameError: n = len(x)
    return np.sum(x ** 2) / n


SIBLINGS = [f for name, f in list(globals().items()) if name[0] in "sv" and name[1:].isdigit()]
REFUSED = {"v14", "v19"}


@pytest.mark.parametrize("f", SIBLINGS, ids=lambda f: f.__name__)
def test_siblings(f):
    assert outcome(f, np.array([0.3, 1.2, 2.0, 0.9])) == ("refused" if f.__name__ in REFUSED else "right")


def test_a_branch_that_is_taken_is_refused_where_it_stands():
    def f(x):
        if x[0] > 0:
            return i0(x)
        return np.sum(x)

    gradient = sg.grad(f)
    assert gradient(-np.ones(2)).tolist() == [1.0, 1.0]
    with pytest.raises(SourcegradError, match=r"test_guards.py:23:19: np.union1d has no(.|\n)*called at .*return i0\(x\)"):
        gradient(np.ones(2))


def test_no_handler_of_the_users_takes_the_refusal():
    def f(x):
        try:
            y = i0(x) if x[0] > 0 else x
        except Exception:
            y = 2.0 * x
        return np.sum(y)

    assert sg.grad(f)(-np.ones(2)).tolist() == [1.0, 1.0]
    with pytest.raises(SourcegradError, match="np.union1d has no derivative rule"):
        sg.grad(f)(np.ones(2))


def test_a_name_that_is_defined_later():
    def f(x):
        try:
            n = len(DEFINED_LATER)
        except NameError:
            n = 1
        return np.sum(x ** 2) / n

    gradient = sg.grad(f)
    assert gradient(np.ones(2)).tolist() == [2.0, 2.0]
    globals()["DEFINED_LATER"] = [1, 2, 3, 4]
    try:
        assert gradient(np.ones(2)).tolist() == [0.5, 0.5]
    finally:
        del globals()["DEFINED_LATER"]
    assert gradient(np.ones(2)).tolist() == [2.0, 2.0]


def test_a_dtype_decides_when_the_code_is_generated():
    assert "dtype" not in sg.source(s15, at={"x": np.ones(4)})
    assert "trap" not in sg.source(s42, at={"x": np.ones(4)})


def test_second_derivatives():
    def f(x):
        return np.sum(sg.grad(s39)(x) * x) + np.sum(sg.grad(v46)(x[:4]))

    x = np.array([0.3, 1.2, 2.0, 0.9])
    assert outcome(f, x) == "right"
