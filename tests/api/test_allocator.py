"""Memory that a gradient frees is kept by the C library for the next call."""
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import resource
import numpy as np
import sourcegrad as sg

def slices(x, steps):
    y = x * 1.0
    for _ in range(steps):
        y[1:-1] += 0.1 * y[1:-1] * (y[2:] - y[:-2])
    return np.sum(y)

gradient = sg.grad(slices)
x = np.linspace(0.1, 0.9, 10_000)
for _ in range(3):
    gradient(x, 50)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
gradient(x, 50)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the limits of glibc")
@pytest.mark.parametrize("limits", [{}, {"MALLOC_TRIM_THRESHOLD_": "131072"}], ids=["ours", "the user's"])
def test_pages_are_there_when_it_is_called_again(tmp_path: Path, limits: dict[str, str]) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    done = subprocess.run([sys.executable, str(path)], env={**environment, **limits}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    tape = 2 * 50 * 80_000 // 4096                           # pages: two arrays are kept of each step
    if limits:
        assert int(done.stdout) > tape // 4                 # what the user has set stays
    else:
        assert int(done.stdout) < tape // 20
