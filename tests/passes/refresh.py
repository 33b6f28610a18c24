"""`python -m tests.passes.refresh [PASS ...]` rewrites the expected texts in tests/passes/test_*.py, and docs/passes.md: read the
difference."""
from __future__ import annotations

import importlib
import re
import sys
import textwrap
from pathlib import Path

from sourcegrad.compiler import linking
from tests.passes.becomes import Case, Cases
from tests.passes.page import PAGE, page

STATEFUL = ("test_place_names", "test_dead_places")
EXPECTATION = re.compile(r'^@(\w+?)(\.becomes)?\("""\n.*?"""', re.M | re.S)


def main(names: list[str]) -> None:
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        linking.OPTIONS.places = "" if path.stem in STATEFUL else "off"             # as in conftest.py
        if names and path.stem.removeprefix("test_") not in names:
            continue
        module = importlib.import_module(f"tests.passes.{path.stem}")
        known: dict[tuple[str, str], tuple[Cases, Case]] = {
            (name, case.function.__name__): (cases, case)
            for name, cases in vars(module).items() if isinstance(cases, Cases) for case in cases}
        text = path.read_text(encoding="utf-8")

        def expected(match: re.Match, text: str = text, known: dict = known) -> str:
            function = re.search(r"^def (\w+)", text[match.end():], re.M)[1]
            cases, case = known[match[1] if match[2] else "CASES", function]
            return f'@{match[1]}{match[2] or ""}("""\n{textwrap.indent(cases.after(case), "    ")}\n"""'

        new = EXPECTATION.sub(expected, text)
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(f"rewritten: {path.name}")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
