"""What the README shows is what really happens."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.M | re.S)


def test_first_example_prints_what_is_shown(tmp_path: Path) -> None:
    (tmp_path / "heat.py").write_text(blocks("python")[0])
    run = subprocess.run([sys.executable, "heat.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                         env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == blocks("text")[0].strip()


def test_refusal_is_the_one_shown(tmp_path: Path) -> None:
    text = "\n\ndef f(x):\n    try:\n        return x\n    except ValueError:\n        return 0.0\n"
    (tmp_path / "model.py").write_text(text)
    run = subprocess.run([sys.executable, "-m", "sourcegrad", "show", "model.py:f"], cwd=tmp_path, capture_output=True,
                         text=True, timeout=120, env={**os.environ, "PYTHONPATH": str(ROOT)})
    shown = next(block for block in blocks("text") if block.startswith(">>>")).split("\n", 1)[1]
    assert run.returncode == 1
    assert run.stderr.replace(f"{tmp_path}{os.sep}", "").removeprefix("sourcegrad: ") == shown


def test_links_and_named_examples_exist() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / link).exists(), link


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) < 200


def test_public_names_are_described() -> None:
    import sourcegrad as sg
    for name in sg.__all__:
        assert f"sg.{name}" in TEXT, name
