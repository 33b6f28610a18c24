"""`python -m tests.golden.refresh` rewrites the golden texts and the generated blocks of the documents."""
from __future__ import annotations

from pathlib import Path

from tests.golden.cases import CASES, FORWARD
from tests.golden.documents import DOCUMENTS, refreshed

TEXTS = Path(__file__).parent / "texts"
FORWARD_TEXTS = Path(__file__).parent / "texts_forward"


def write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        print(f"rewritten: {path.name}")


def main() -> None:
    TEXTS.mkdir(exist_ok=True)
    for case in CASES:
        write(TEXTS / f"{case.name}.txt", case.text())
    FORWARD_TEXTS.mkdir(exist_ok=True)
    for forward in FORWARD:
        write(FORWARD_TEXTS / f"{forward.name}.txt", forward.text())
    for path in DOCUMENTS:
        write(path, refreshed(path.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
