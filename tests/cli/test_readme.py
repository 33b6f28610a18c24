"""What the README shows is what really happens.

`python -m tests.cli.test_readme` puts what the first example prints now into the README.
"""
from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.M | re.S)


def printed(folder: Path) -> str:
    """What the first example prints, run as the file that the README names."""
    (folder / "heat.py").write_text(blocks("python")[0])
    run = subprocess.run([sys.executable, "heat.py"], cwd=folder, capture_output=True, text=True, timeout=120,
                         env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert run.returncode == 0, run.stderr
    return run.stdout.strip() + "\n"


def test_first_example_prints_what_is_shown(tmp_path: Path) -> None:
    assert printed(tmp_path) == blocks("text")[0]


def test_refusal_is_the_one_shown(tmp_path: Path) -> None:
    text = "\n\ndef f(x):\n    y = eval(\"x * x\")\n    return y\n"
    (tmp_path / "model.py").write_text(text)
    call, _, shown = next(block for block in blocks("text") if block.startswith(">>>")).partition("\n")
    program = f"import sourcegrad as sg\nfrom model import f\n{call.removeprefix('>>> ')}\n"
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                         env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert run.returncode == 1
    first, frames, error = shown.partition("  ...\n")
    assert frames and run.stderr.startswith(first) and run.stderr.replace(f"{tmp_path}{os.sep}", "").endswith("\n" + error)


def test_links_and_named_examples_exist() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / link).exists(), link


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) < 170


def test_benchmarks_name_commit_and_date() -> None:
    from benchmarks import report
    assert re.search(r"commit [0-9a-f]{7} on \d{4}-\d\d-\d\d", TEXT)
    assert re.match(r"commit ([0-9a-f]{7}\+?|unknown) on \d{4}-\d\d-\d\d, Python 3", report.measured())
    assert report.environment()["commit"] == report.commit()


def test_public_names_are_described() -> None:
    import sourcegrad as sg
    for name in sg.__all__:
        assert f"sg.{name}" in TEXT, name


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        README.write_text(TEXT.replace(blocks("text")[0], printed(Path(scratch)), 1), encoding="utf-8")
