"""Gradient functions that several tests of one program need: generated once in a process.

`tests.conftest` runs the tests of one program one after the other, in one process, so that only the last ones are kept.
"""
from __future__ import annotations

import dataclasses
import pickle
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import sourcegrad as sg
from sourcegrad.compiler import linking

KEPT = 128
_kept: OrderedDict[Hashable, tuple[Any, Any]] = OrderedDict()


def shared(make: Callable[[], Any], *key: Any, values: Any = ()) -> Any:
    """What `make` gave for a key: objects by identity, and `values` by what they are.

    Tests put other functions in the place of `sg.grad` and switch options: each has gradients of its own.
    """
    try:
        whole = (id(sg.grad), dataclasses.astuple(linking.OPTIONS), *map(id, key), pickle.dumps(values))
    except (pickle.PicklingError, AttributeError, TypeError):
        return make()
    if whole not in _kept:
        _kept[whole] = make(), (sg.grad, key)                   # the objects stay, so that ids mean what they meant
        if len(_kept) > KEPT:
            _kept.popitem(last=False)
    _kept.move_to_end(whole)
    return _kept[whole][0]


def text_for(gradient: Any, *args: Any, **options: Any) -> str:
    """The generated text for these arguments, whatever else the gradient was called with."""
    gradient.compiled(*args, **options)
    return gradient.source() if callable(gradient.source) else gradient.source
