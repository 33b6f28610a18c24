"""What writers of random programs share: the text, line by line, and how many statements are left to write."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


class Lines:
    """A writer's own are `statement(scope)` and `return_(scope, thorough)`."""

    lines: list[str]
    level = 0
    budget = 9
    statement: Any
    return_: Any

    def line(self, text: str) -> None:
        self.lines.append("    " * self.level + text)

    @contextlib.contextmanager
    def indented(self, header: str) -> Iterator[None]:
        """A header line and the block below it."""
        self.line(header)
        self.level += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.level -= 1

    def function(self, name: str, parameters: list[str], scope: Any, statements: int) -> None:
        self.lines += ["", ""]
        with self.indented(f"def {name}({', '.join(parameters)}):"):
            self.statements(scope, statements)
            self.return_(scope, thorough=True)

    def statements(self, scope: Any, count: int) -> None:
        for _ in range(count):
            if self.budget <= 0:
                return
            self.budget -= 1
            self.statement(scope)
