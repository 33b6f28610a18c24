"""The option `memory=`: bytes, as a number or in words."""
from __future__ import annotations

import os
import re
from typing import Any

from sourcegrad.compiler.linking import Budget
from sourcegrad.errors import InputError, SourcegradError, UnsupportedError

UNITS = {"": 1, "b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3, "tb": 1000**4,
         "kib": 1024, "mib": 1024**2, "gib": 1024**3, "tib": 1024**4}


def budget(memory: Any, spill: Any) -> Budget | None:
    """What `memory=` and `spill=` ask for; None without them.

    >>> budget("1.5 GB", None).memory
    1500000000
    """
    if memory is None:
        if spill is not None:
            raise InputError("spill= without memory=", remedy='Say how much may stay in memory: memory="200 MB".')
        return None
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([a-z]*)\s*", memory.lower()) if isinstance(memory, str) else None
    if isinstance(memory, str) and found is not None and found[2] in UNITS:
        count = int(float(found[1]) * UNITS[found[2]])
    elif isinstance(memory, int) and not isinstance(memory, bool):
        count = memory
    else:
        raise InputError(f"memory={memory!r} is no number of bytes", remedy='Write memory="200 MB", or a whole number of bytes.')
    if count < 1:
        raise InputError(f"memory={memory!r} leaves no room", remedy='Write memory="200 MB", or a whole number of bytes.')
    if spill is not None and not (isinstance(spill, (str, os.PathLike)) and os.path.isdir(spill)):
        raise InputError(f"spill={spill!r} is no folder", remedy="Make it first: os.makedirs(...).")
    return Budget(count, None if spill is None else os.path.abspath(os.fspath(spill)))


def without_memory(gradient: Any) -> SourcegradError:
    """The refusal of the option in a gradient of a gradient."""
    return UnsupportedError(f"memory= of {gradient.__name__} and of what is differentiated again", gradient._origin(),
                            "Leave memory= out of gradients of gradients.")
