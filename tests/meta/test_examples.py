"""The titles in the docstrings of examples: Sphinx wants an underline as long as the title, and it makes pages of them."""
import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(ROOT.glob("*.py"))
MARKS = set("=-~^")


def short_underlines(text: str) -> list[str]:
    """Titles whose underline is shorter than they are."""
    lines = text.splitlines()
    return [title for title, line in zip(lines, lines[1:])
            if title.strip() and len(line) > 3 and len(set(line)) == 1 and line[0] in MARKS and len(line) < len(title)]


def test_a_short_underline_is_found():
    assert short_underlines("A title\n======\n\nText.\n") == ["A title"]
    assert short_underlines("A title\n=======\n\nText.\n") == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_title(path):
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")), clean=False) or ""
    title, underline = said.splitlines()[:2]
    assert set(underline) == {"="} and len(underline) >= len(title), title
    assert not short_underlines(said)


def test_headers():
    for path in ROOT.glob("*.rst"):
        assert not short_underlines(path.read_text(encoding="utf-8")), path.name
