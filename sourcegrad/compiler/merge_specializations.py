"""Callees that were generated several times with nearly the same text, because only sizes differ: once is enough.

    pose - other        with positions of two elements, and with positions of which only the number of axes is known
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from sourcegrad import kinds as k
from sourcegrad.compiler.print_module import equal, reachable
from sourcegrad.compiler.specialize import Endless, Growing
from sourcegrad.errors import SourcegradError

Twins = dict[tuple, list[tuple[dict[str, k.Kind], int]]]


def twins(pairs: dict[Any, Any], made: Any) -> Twins:
    """(name, place, active arguments) of a callee -> for each of its forms what its variants have in common: the kinds of the
    arguments, and whether the caller may drop parts of the result. made: the gradient function, or a pair, that
    all these pairs were generated for."""
    forms: dict[tuple, list] = {}
    for (function, kinds, active, dropped), pair in pairs.items():
        form = tuple((name, _without_sizes(kind)) for name, kind in kinds)
        forms.setdefault((function.name, function.origin, active, form), []).append((dict(kinds), dropped, pair))
    found: Twins = {}
    if all(len(variants) == 1 for variants in forms.values()):
        return found
    same = equal(reachable(*([made.forward, made.reverse] if hasattr(made, "forward") else [made])))
    for (*key, _), variants in forms.items():
        variants = [variant for variant in variants if variant[2].forward in same]
        if len({(same[pair.forward], same.get(pair.reverse)) for *_, pair in variants}) > 1:
            common = {name: functools.reduce(k.join, (kinds[name] for kinds, *_ in variants)) for name in variants[0][0]}
            found.setdefault(tuple(key), []).append((common, max(dropped for _, dropped, _ in variants)))
    return found


def settled(compiler_for: Callable[[Iterable, Twins], Any], make: Callable[[Any], Any], trace: Any, once: bool) -> tuple[Any, Any]:
    """A compiler and what is made with it; again from the start when a recursion turns out to have no end, and once more when
    there are twins. once: whether twins are looked for."""
    growing: set[Any] = set()
    alike: Twins = {}
    first: tuple[Any, Any] | None = None
    while True:
        compiler = compiler_for(growing, alike)
        if first is not None and trace is None:              # what its functions do has not changed
            for name in ("normal", "prepared", "lost"):
                setattr(compiler, name, getattr(first[0], name))
        try:
            with k.losing(compiler.lost):
                made = make(compiler)
        except Growing as found:
            growing |= found.keys
            alike, first = {}, None
        except Endless as found:
            raise found.refusal from None
        except SourcegradError:
            if first is None:
                raise
            return first                                     # what they have in common is not enough
        else:
            alike = twins(compiler.pairs, made) if once and first is None else {}
            if not alike:
                return compiler, made
            first = compiler, made
        if trace is not None:
            trace.texts.clear()


def joined(found: Twins, key: tuple, kinds: dict[str, k.Kind], dropped: int) -> tuple[dict[str, k.Kind], int]:
    """The arguments of a callee as its twin has them."""
    for common, guarded in found.get(key, ()):
        if all(k.join(common[name], kind) == common[name] for name, kind in kinds.items()):
            return common, max(dropped, guarded)
    return kinds, dropped


@k.once
def _without_sizes(kind: Any) -> Any:
    """The kind with the numbers of axes only."""
    if isinstance(kind, k.Num):
        return replace(kind, dims=kind.dims and (None,) * len(kind.dims), size=kind.order)
    return k.mapped(_without_sizes, kind)
