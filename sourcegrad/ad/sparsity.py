"""Sparsity: below each active statement the one that computes on which inputs each element may depend.

It is the forward transformation with index sets in the place of tangents (`runtime.index_sets`): loops, branches and calls stay
what they are, so the pattern is that of the branches taken. Operations that are not known unite all that goes in.
"""
from __future__ import annotations

from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.forward import Forward
from sourcegrad.ad.tangent import OUT, Tangent, active_in
from sourcegrad.analysis import call_targets
from sourcegrad.ir import tree as t
from sourcegrad.primitives.core import RULES
from sourcegrad.primitives.dependence import ALIKE, ARRANGED, LAST_AXIS, MOVING, PRODUCTS, REDUCING


class Sets(Forward):
    """Forward mode with sets of indices."""

    def zero(self, node: Any) -> gast.expr:
        if isinstance(node, gast.Tuple):
            return t.pack([self.tangent_of(item) for item in node.elts])
        if isinstance(node, gast.Constant) and (node.value is None or isinstance(node.value, (str, bool))):
            return t.clone(node)
        return t.call(self.helper(runtime.no_indices), t.clone(node))

    def propagate(self, tangent: Tangent, function: Any, args: list, keywords: dict) -> None:
        """Add the sets of a call of a function that has a rule."""
        tangent.covered = True
        rule = RULES.get(function)
        try:
            bound = call_targets.bind_rule(rule, call_targets.Target(function, args, keywords)) if rule else {}
        except TypeError:
            bound = {}
        active = [x for x in (*args, *keywords.values()) if active_in(tangent, x)]
        dots = [self.tangent_of(x) for x in active]
        out = t.load(OUT)
        if function in (runtime.index_set, runtime.index_add):
            base, index, value = (bound[n] for n in ("base", "index", "value"))
            adds = [t.const(True)] if function is runtime.index_add else []
            tangent.terms.append(self.named(runtime.sets_stored, self.tangent_of(base), t.clone(index), self.tangent_of(value),
                                            *adds))
        elif function in ARRANGED and rule is not None and self.arranged(tangent, ARRANGED[function], bound):
            return
        elif function is np.diff and len(args) == 1 and not keywords:
            behind, before = (t.subscript(t.clone(dots[0]), t.pack([t.const(...), gast.Slice(lower=low, upper=high, step=None)]))
                              for low, high in ((t.const(1), None), (None, t.const(-1))))
            tangent.terms.append(self.named(runtime.sets_alike, out, behind, before))
        elif rule is not None and rule.elementwise or function in ALIKE and isinstance(k.as_num(tangent.kind or k.ANY), k.Num):
            tangent.terms.append(self.named(runtime.sets_alike, out, *dots))
        elif function in MOVING and rule is not None and self.moves(tangent, function, rule, args, keywords, dots):
            return
        elif function in REDUCING and len(active) == 1 and active[0] is next(iter(bound.values()), None):
            axis = bound.get("axis") or t.const(LAST_AXIS.get(function))
            tangent.terms.append(self.named(runtime.sets_reduced, out, dots[0], t.clone(axis)))
        elif function in PRODUCTS or function in (np.einsum, np.outer, np.inner, np.tensordot):
            self.contracts(tangent, function, args, keywords, dots)
        else:
            tangent.terms.append(self.named(runtime.sets_everywhere, out, *dots))

    def named(self, function: Any, *args: Any, **options: Any) -> Any:
        return t.call(self.helper(function), *args, **options)

    def moves(self, tangent: Tangent, function: Any, rule: Any, args: list, keywords: dict, dots: list) -> bool:
        """Elements that only change their places; False: it is not known which arguments they are."""
        moved = [j for j, x in enumerate(args) if active_in(tangent, x)]
        if len(moved) != len(dots) or any(isinstance(x, gast.Starred) for x in args):
            return False
        name = t.const(function) if isinstance(function, str) else t.load(self.unit.use(function, function.__name__))
        sets = t.pack([self.tangent_of(args[j]) for j in moved])
        tangent.terms.append(self.named(runtime.sets_moved, name, t.load(OUT), sets, t.pack([t.const(j) for j in moved]),
                                        *map(t.clone, args), **{n: t.clone(x) for n, x in keywords.items()}))
        return True

    def arranged(self, tangent: Tangent, helper: Any, bound: dict) -> bool:
        """A function whose pattern a helper knows from its arguments; False: it is given some of them as a list of its own."""
        if any(isinstance(x, tuple) for x in bound.values()) or not bound:
            return False
        active = {name: x for name, x in bound.items() if active_in(tangent, x)}
        if helper is runtime.sets_differences and not {"n", "axis", "prepend", "append"}.intersection(bound):
            return False                                      # two slices say it
        tangent.terms.append(self.named(helper, t.load(OUT), t.pack([self.tangent_of(x) for x in active.values()]),
                                        t.pack([t.const(name) for name in active]), **{n: t.clone(x) for n, x in bound.items()}))
        return True

    def contracts(self, tangent: Tangent, function: Any, args: list, keywords: dict, dots: list) -> None:
        """A product whose subscripts are known; else all of it."""
        operands = args[1:] if function is np.einsum else args
        ranks = [self.rank(x) for x in operands]
        text = self.subscripts(function, args, ranks) if not keywords else None
        if function is np.tensordot:
            axes = keywords.get("axes") or (args[2] if len(args) > 2 else t.const(2))
            text, operands = summed_over(axes, *ranks[:2]) if keywords.keys() <= {"axes"} else None, args[:2]
        if text is None:
            tangent.terms.append(self.named(runtime.sets_everywhere, t.load(OUT), *dots))
            return
        sets = [self.tangent_of(x) if active_in(tangent, x) else t.clone(x) for x in operands]
        tangent.terms.append(self.named(runtime.sets_contracted, t.load(OUT), t.const(text), *sets))

    def rank(self, node: Any) -> int | None:
        number = k.as_num(self.facts.of(node) or k.ANY)
        return number.ndim if isinstance(number, k.Num) else None

    def subscripts(self, function: Any, args: list, ranks: list) -> str | None:
        """A product as `np.einsum` writes it, or None."""
        if function is np.einsum:
            text = args[0].value if isinstance(args[0], gast.Constant) else None
            return text.replace(" ", "") if isinstance(text, str) and "->" in text and "..." not in text else None
        if function is np.outer:
            return "i,j->ij" if ranks == [1, 1] else None
        left, right = ranks[:2]
        if function is np.inner and left and right:
            return f"{'abcdefgh'[:left - 1]}z,{'ijklmnop'[:right - 1]}z->{'abcdefgh'[:left - 1]}{'ijklmnop'[:right - 1]}"
        if function in (np.inner, np.tensordot):
            return None
        if left in (1, 2) and right in (1, 2):
            return f"{'ij'[2 - left:]},{'jk'[:right]}->{'i' * (left - 1)}{'k' * (right - 1)}"
        if function is not np.dot and left == right == 3:
            return "aij,ajk->aik"
        return None


def summed_over(axes: Any, left: int | None, right: int | None) -> str | None:
    """`np.tensordot` over a known number of axes, as `np.einsum` writes it. left, right: how many axes the operands have."""
    count = axes.value if isinstance(axes, gast.Constant) and type(axes.value) is int else None
    if count is None or left is None or right is None or not 0 <= count <= min(left, right) or max(left, right) > 8:
        return None
    one, shared, other = "abcdefgh"[:left - count], "stuvwxyz"[:count], "ijklmnop"[:right - count]
    return f"{one}{shared},{shared}{other}->{one}{other}"
