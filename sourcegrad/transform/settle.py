"""The last word on what is returned: `as_gradient(g, x)` goes where g certainly is a fit and new array."""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.analysis.infer import Infer
from sourcegrad.analysis.ownership import Ownership
from sourcegrad.frontend.resolve import Unit
from sourcegrad.rules.adjoint_kinds import NARROW
from sourcegrad.transform.single import single_values


def settle(unit: Unit, tree: Any, parameters: list[str], facts: Infer) -> None:
    """Drop conversions of gradients that change nothing."""
    last = tree.body[-1]
    if isinstance(last, gast.Return):
        ownership = Ownership(unit, facts.kinds).run(tree.body, parameters)
        seen: set[str] = set()
        ownership.owned |= _sole_views(tree, ownership)
        last.value = _finished(last.value, unit, facts, ownership, seen)


def _sole_views(tree: Any, ownership: Ownership) -> set[str]:
    """Names of views of new arrays that nothing else reads."""
    reads = [n for s in t.statements(tree.body) for n in t.header_reads(s)]
    found = set()
    for name, value in single_values(tree).items():
        if isinstance(value, (gast.Subscript, gast.Attribute)) and isinstance(value.value, gast.Name):
            base = value.value.id
            if reads.count(base) == 1 and ownership.defined.get(base):
                found.add(name)
    return found


def _finished(value: Any, unit: Unit, facts: Infer, ownership: Ownership, seen: set[str]) -> Any:
    if isinstance(value, gast.Tuple):
        value.elts = [_finished(item, unit, facts, ownership, seen) for item in value.elts]
        return value
    if not (isinstance(value, gast.Call) and unit.lookup(value.func) is runtime.as_gradient):
        seen.update(t.reads(value))
        return value
    gradient, x = value.args
    filled = _filled(gradient, x, unit, facts)
    if filled is not None:
        return filled
    have, want = (k.as_num(facts.of(n) or k.ANY) for n in (gradient, x))
    if not isinstance(have, k.Num) or not isinstance(want, k.Num):
        return value
    if want.is_scalar:
        return gradient if have.is_scalar and _same_number(have, want) else value
    sized = have.dims is not None and want.dims is not None and len(have.dims) == len(want.dims)
    alone = gradient.id in ownership.owned - seen if isinstance(gradient, gast.Name) else ownership.fresh(gradient)
    if have.boxed and have.dtype == want.dtype is not None and sized and alone and _covered(have, want):
        seen.update(t.reads(gradient))
        return gradient
    return value


def _filled(gradient: Any, x: Any, unit: Unit, facts: Infer) -> Any:
    """np.full(x.shape, c) for a number that is spread over all of x."""
    want = k.as_num(facts.of(x) or k.ANY)
    if not (isinstance(gradient, gast.Call) and unit.lookup(gradient.func) is runtime.broadcast_like and isinstance(want, k.Num)):
        return None
    fill, like = gradient.args
    number, have = k.as_num(facts.of(fill) or k.ANY), k.as_num(facts.of(like) or k.ANY)
    if not (want.boxed and want.dtype == "float64" and want.dims and isinstance(have, k.Num) and have.dims == want.dims
            and None not in want.dims and isinstance(number, k.Num) and number.is_scalar
            and number.dtype in ("float64", "pyfloat")):
        return None
    shape, numpy = t.attribute(like, "shape"), unit.use(np, "np")
    if isinstance(fill, gast.Constant) and fill.value == 1.0:
        return t.call(f"{numpy}.ones", shape)
    return t.call(f"{numpy}.full", shape, fill)


def _same_number(have: k.Num, want: k.Num) -> bool:
    real = have.dtype is not None and bool(have.is_complex) == bool(want.is_complex)
    return real and (have.dtype == want.dtype or want.dtype in ("pyfloat", "pycomplex") and have.dtype not in NARROW)


def _covered(have: k.Num, want: k.Num) -> bool:
    """A contribution never has more elements than its argument; it has fewer only where it is 1."""
    return all(a == b or a is None or k.many(a) for a, b in zip(have.dims or (), want.dims or ()))
