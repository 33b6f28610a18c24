"""Contributions to adjoints in the shape and realness of the argument they belong to; names that do not exist."""
from __future__ import annotations

import difflib
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.result_types import may_be_complex
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import MISSING, Unit
from sourcegrad.rules.adjoint_kinds import realness


def fit(value: gast.expr, argument: gast.expr, kind: k.Kind, out: k.Kind, elementwise: bool, unit: Unit) -> gast.expr:
    """`value` has the shape of `out`; sum it over what was broadcast, and take the real part where needed."""
    kind, out = k.as_num(kind), k.as_num(out)
    if elementwise:
        plan = reduction(kind, out)
        if plan is None:
            helper = runtime.unbroadcast if isinstance(kind, (k.Num, k.Lst, k.Tup)) else runtime.operand_part
            return t.call(unit.use(helper, helper.__name__), value, t.clone(argument))
        axes, keepdims = plan
        if axes == "all":
            value = t.call(f"{unit.use(np, 'np')}.sum", value)
        elif axes:
            options: dict[str, Any] = {"axis": t.const(axes[0] if len(axes) == 1 else axes)}
            if keepdims:
                options["keepdims"] = t.const(True)
            value = t.call(f"{unit.use(np, 'np')}.sum", value, **options)
    return real_part(value, out, kind, unit)


def real_part(value: gast.expr, have: k.Kind | None, want: k.Kind | None, unit: Unit) -> gast.expr:
    """The real part of an adjoint, where it belongs to a real number and may be complex.

    have, want: of what it is (a part of) the adjoint so far, and of what it becomes the adjoint."""
    want = k.as_num(want or k.ANY)
    if isinstance(want, k.Num) and want.is_complex is False and may_be_complex(have):
        return t.call(f"{unit.use(np, 'np')}.real", value)
    keys = real_keys(have, want)
    if keys is None:
        return value
    return t.call(unit.use(runtime.real_parts, "real_parts"), value, *([t.pack([*map(t.const, keys)])] if keys else []))


def made_real(gradients: Any, unit: Unit, of: Callable, values: list[k.Kind]) -> Any:
    """Adjoints of real numbers, of which nothing is known, are real where a reverse half returns them. of: gives kinds."""
    if not values:
        return gradients
    parts = gradients.elts if len(values) > 1 else [gradients]
    made = [t.call(f"{unit.use(np, 'np')}.real", part) if of(part) in (None, k.ANY) and realness(value) is not k.ANY else part
            for part, value in zip(parts, values)]
    return t.pack(made) if len(values) > 1 else made[0]


def real_keys(have: k.Kind | None, want: k.Kind | None) -> list | None:
    """Of a container or object: the keys of what is real, and may have been complex; [] for all of it, None for nothing."""
    if isinstance(want, (k.Lst, k.Map)):
        return [] if isinstance(have, type(want)) and may_be_complex(have) and not may_be_complex(want) else None
    if isinstance(want, (k.Tup, k.Closure)) and isinstance(have, type(want)) and len(have.items) == len(want.items):
        pairs: list[tuple[Any, tuple]] = list(enumerate(zip(have.items, want.items)))
    elif isinstance(want, k.Dct) and isinstance(have, k.Dct):
        pairs = [(key, (have.get(key), item)) for key, item in want.items]
    elif isinstance(want, k.Obj) and want.items is not None and isinstance(have, (k.Obj, k.OneOf)) and k.is_object(have):
        pairs = [(name, (k.of_attribute(have, name), item)) for name, item in want.items]
    else:
        return None
    keys = [key for key, (one, other) in pairs if not k.is_discrete(other) and not isinstance(other, (k.Const, k.Fn))
            and not may_be_complex(other) and may_be_complex(one)]
    return keys or None


def reduction(kind: k.Kind, out: k.Kind) -> tuple[Any, bool] | None:
    """(axes to sum, keepdims) that take the shape of `out` to that of an argument; None if not known."""
    if isinstance(out, k.Tup):                      # divmod: both parts have one shape
        out = k.as_num(out.items[0])
    if not isinstance(kind, k.Num) or not isinstance(out, k.Num):
        return None
    if out.is_scalar and kind.is_scalar:
        return (), False
    if kind.dims is None or out.dims is None or len(kind.dims) > len(out.dims):
        return None
    if kind.dims == () and out.dims != ():
        return ("all", False) if kind.is_scalar else None
    extra = len(out.dims) - len(kind.dims)
    squeezed: list[int] = []
    for axis, (small, large) in enumerate(zip(kind.dims, out.dims[extra:])):
        if small == large and small is not None:
            continue
        if isinstance(small, int) and small == 1:
            if not k.many(large):
                return None
            squeezed.append(axis + extra)
        elif not k.many(small):
            return None
    if extra and squeezed:
        return None
    return (tuple(range(extra)), False) if extra else (tuple(squeezed), bool(squeezed))


# --- Names that do not exist, which are mostly typed wrongly: said so, with those that are like them.

def missing_attribute(function: Any, owner: Any, kind: Any, origin: Any) -> UnsupportedError | None:
    """What is to be said of a call of an attribute that its module, class or array does not have, if that is so. owner: the
    known object, or MISSING."""
    name, array = getattr(function, "attr", None), k.as_num(kind)
    if isinstance(owner, (types.ModuleType, type)):
        holder: Any = owner
        what = f"the {'module' if isinstance(owner, types.ModuleType) else 'class'} {owner.__name__}"
    elif owner in (None, MISSING) and isinstance(array, k.Num) and array.boxed is True:
        holder, what = np.ndarray, "an array"
    else:
        return None
    if name is None or hasattr(holder, name):
        return None
    like = difflib.get_close_matches(name, [n for n in dir(holder) if not n.startswith("_")], 3)
    return UnsupportedError(f"{what} has no attribute '{name}'", origin,
                            f"Did you mean {' or '.join(like)}?" if like else "Python raises an AttributeError here.")
