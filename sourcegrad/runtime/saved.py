"""What a forward half saved, for a reverse half that may run more than once."""
from __future__ import annotations

from typing import Any

import numpy as np


def unspent(saved: Any, held: list | tuple = ()) -> Any:
    """What was saved, with lists of its own (the reverse half pops its tapes) and no memory of the arrays `held`."""
    if type(saved) is list:
        return [unspent(item, held) for item in saved]
    if type(saved) is tuple:
        return tuple([unspent(item, held) for item in saved])
    if held and isinstance(saved, np.ndarray) and any(np.may_share_memory(saved, x) for x in held):
        return saved.copy()
    return saved


def leaves(value: Any) -> list:
    """Everything in nested lists, tuples and dicts."""
    if isinstance(value, (list, tuple, dict)):
        return [leaf for item in (value.values() if isinstance(value, dict) else value) for leaf in leaves(item)]
    return [value]
