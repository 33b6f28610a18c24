"""docs/passes.md: the table of passes, with what each does to the first program of its tests. `tests.passes.refresh` writes it."""
from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator
from pathlib import Path

from sourcegrad.compiler import passes
from tests.passes.becomes import Cases

PAGE = Path(__file__).parents[2] / "docs" / "passes.md"
START = """# The passes

What each pass of the table `compiler/passes.py` does to a small program, in the order in which they run. Those with a star only
make the code shorter or faster, and can be switched off by name (`SOURCEGRAD_DISABLE=cse,tapes`). Lines with `-` are there before
the pass, lines with `+` after it. [How it works](how-it-works.md) follows one function through all of them, and `sourcegrad show
FILE.py:FUNC --diff` shows what they do to yours. The programs are those of `tests/passes/test_NAME.py`."""
WHOLE = 99                                  # lines of context: all of a program


def example(name: str) -> tuple[str, str] | None:
    """A program before and after a pass: the first one of its tests that it changes."""
    module = importlib.import_module(f"tests.passes.test_{name.split()[0]}")
    for cases in vars(module).values():
        if isinstance(cases, Cases) and cases.stage == name:
            for case in cases:
                if case.text is not None and (type(cases) is not Cases or not case.at):
                    before, after = cases.before(case), cases.after(case)
                    if before != after:
                        return before, after
    return None


def section(found: passes.Pass) -> Iterator[str]:
    yield f"\n### {found.name}{' *' * found.optional}\n"
    yield f"{found.why[0].upper()}{found.why[1:]}."
    texts = example(found.name)
    if texts is not None:
        difference = list(difflib.unified_diff(*(text.splitlines() for text in texts), lineterm="", n=WHOLE))[3:]
        yield "\n".join(["\n```diff", *difference, "```"])


def page() -> str:
    lines = [START]
    for phase, steps in passes.PHASES.items():
        lines.append(f"\n## {phase[0].upper()}{phase[1:]}")
        for found in dict.fromkeys(passes.listed(steps)):
            lines += section(found)
    return "\n".join(lines) + "\n"
