"""Whether there is anything at a place before something is stored there."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kind_functions, kinds as k, tree as t
from sourcegrad.analysis.infer import Infer


def has_place(facts: Infer, base: Any, place: Any) -> bool:
    """Whether something lies there before the store: an entry of a dict may be new."""
    steps: list = []
    viewed = False                                   # the steps end at an array, of which a view is taken
    while isinstance(place, (gast.Attribute, gast.Subscript, gast.Call)) and not (
            isinstance(place, gast.Attribute) and place.attr == "s_"):
        if isinstance(place, gast.Call):
            steps, viewed, place = [], True, place.func
        else:
            steps.insert(0, place)
        place = place.value
    kind = facts.of(base)
    if not steps and viewed:
        return True
    if not steps:                                    # a plain index
        steps = [t.subscript(t.clone(base), t.clone(place))]
    for step in steps:
        if kind is None or kind is k.ANY:
            return False
        if isinstance(kind, (k.Dct, k.Map)):
            try:
                key = kind_functions.constant(facts.of(step.slice)) if isinstance(step, gast.Subscript) else step.attr
            except kind_functions.Unknown:
                return False
            if not isinstance(kind, k.Dct) or kind.partial or kind.get(key) is None:
                return False
            kind = kind.get(key)
        elif isinstance(kind, k.Lst):
            kind = kind.item
        elif isinstance(kind, k.Tup) and isinstance(step, gast.Subscript):
            index = facts.of(step.slice)
            kind = kind.items[index.value] if isinstance(index, k.Const) and isinstance(index.value, int) else k.ANY
        elif isinstance(kind, k.Obj) and isinstance(step, gast.Attribute):
            kind = kind.get(step.attr)
            if kind is None:
                return True
        else:
            return True
    return True
