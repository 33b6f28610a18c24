"""Deterministic names: a base, then base_2, base_3 ... in the order of asking."""
from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable

RESERVED = set(dir(builtins)) | set(keyword.kwlist)


class Names:
    """The supply of names of one generated function: no name is handed out twice."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)
        self.last: dict[str, int] = {}                      # the number of the name that was made from a base last

    def fresh(self, base: str) -> str:
        """An unused name made from `base`."""
        count = self.last.get(base, 1)
        name = base if count == 1 else f"{base}_{count}"
        while name in self.taken or name in RESERVED:
            count += 1
            name = f"{base}_{count}"
        self.taken.add(name)
        self.last[base] = count
        return name

    def copy(self) -> Names:
        names = Names(self.taken)
        names.last = dict(self.last)
        return names


def stem(name: str) -> str:
    """A name without its version number: x_2 -> x."""
    return re.sub(r"_\d+$", "", name) or name
