"""`show --forward` and `export --forward`: the text of forward mode, and what cannot be asked of it."""
from __future__ import annotations

from pathlib import Path

import pytest

from sourcegrad.cli import main

PROGRAM = """import numpy as np


def f(x, t):
    h = np.sin(x) * t
    h[0] = 2.0 * h[1]
    return h
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    return f"{tmp_path}/program.py:f"


AT = ["--at", "x=np.ones(3)", "--at", "t=2.0"]


def test_show_forward(program: str, capsys: pytest.CaptureFixture) -> None:
    assert main(["show", program, "--forward", "--inputs", "x,t", *AT]) == 0
    text = capsys.readouterr().out
    assert "def f_jvp(x, t, *, x_dot, t_dot):" in text and "h_dot[0] = 2.0 * h_dot[1]" in text
    assert main(["show", program, "--forward", "--order", "2", *AT]) == 0
    assert "def f_jvp_jvp(x, t, *, x_dot, x_dot_2):" in capsys.readouterr().out
    assert main(["show", program, "--forward", "--stage", "forward", *AT]) == 0
    assert "h_dot = index_set(h_dot, np.s_[0]," in capsys.readouterr().out


def test_what_is_of_gradients_only(program: str, capsys: pytest.CaptureFixture) -> None:
    assert main(["show", program, "--forward", "--cost", *AT]) == 2
    assert "are of gradients" in capsys.readouterr().err


def test_export_forward_and_drift(program: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    out = tmp_path / "moved.py"
    assert main(["export", program, "--forward", *AT, "-o", str(out)]) == 0
    assert "def f_jvp(" in out.read_text(encoding="utf-8")
    assert main(["check", "--drift", str(out)]) == 0
    assert capsys.readouterr().out.endswith("ok\n")
