"""Names that do not exist, which are mostly typed wrongly: said so, with those that are like them."""
from __future__ import annotations

import difflib
import types
from typing import Any

import numpy as np

from sourcegrad import kinds as k
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.resolve import MISSING


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
