"""The texts of all stages, for `show --all`."""
from __future__ import annotations

from typing import Any

from sourcegrad import source
from sourcegrad.frontend.resolve import Function, Unit


class Trace:
    """Collects the text of every stage for `show --all`: of the function and of all that it calls."""

    def __init__(self) -> None:
        self.texts: dict[str, list[tuple[Function, str]]] = {}

    def add(self, name: str, unit: Unit, tree: Any = None) -> None:
        self.texts.setdefault(name, []).append((unit.function, source.to_text(tree if tree is not None else unit.tree)))

    @property
    def stages(self) -> list[tuple[str, str]]:
        """The program at every stage, callees first as in the emitted module."""
        stages = []
        for name, texts in self.texts.items():
            callees = [text for function, text in texts if function is not self.function]
            own = [text for function, text in texts if function is self.function]
            stages.append((name, "\n\n".join([*callees, *own])))
        return stages

    @property
    def function(self) -> Function:
        """The function that is differentiated: it is parsed before what it calls."""
        return next(iter(self.texts.values()))[0][0]
