"""What type checkers know: mypy reads a sample outside of the source tree, as the code of a user."""
from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sourcegrad as sg

SAMPLE = '''\
import numpy as np
import sourcegrad as sg

def f(w: np.ndarray, n: int = 2) -> float:
    return float(np.sum(w * n))

def g(w: float, x: float) -> tuple[float, str]:
    return w * x, "aux"

@sg.differentiable
def h(x: float) -> float:
    return x * x

class Model:
    @sg.differentiable
    def energy(self, x: float) -> float:
        return x

d, w = sg.grad(f), np.ones(3)
t = sg.grad(f, ("w", "n"))
reveal_type(d.source)                                           # str
reveal_type(d.compiled(w))                                      # def (*Any, **Any) -> Any
reveal_type(t.compiled(w))                                      # def (*Any, **Any) -> tuple[Any, ...]
reveal_type(d(w, n=3))                                          # Any
reveal_type(d(w, grad_outputs=1.0))                             # Any
reveal_type(t(w))                                               # tuple[Any, ...]
reveal_type(t(w, 2, grad_outputs=1.0))                          # tuple[Any, ...]
reveal_type(d.value_and_grad(w))                                # tuple[float, Any]
reveal_type(t.value_and_grad(w))                                # tuple[float, tuple[Any, ...]]
reveal_type(sg.value_and_grad(f)(w))                            # tuple[float, Any]
reveal_type(sg.value_and_grad(f, (0, 1))(w))                    # tuple[float, tuple[Any, ...]]
reveal_type(sg.grad(g, has_aux=True)(1.0, 2.0))                 # tuple[Any, str]
reveal_type(sg.grad(g, (0, 1), has_aux=True)(1.0, 2.0))         # tuple[tuple[Any, ...], str]
reveal_type(sg.value_and_grad(g, has_aux=True)(1.0, 2.0))       # tuple[tuple[float, str], Any]
reveal_type(sg.value_and_grad(g, (0,), has_aux=True)(1.0, 2.0)) # tuple[tuple[float, str], tuple[Any, ...]]
reveal_type(sg.grad(sg.grad(f), ("w",))(w))                     # tuple[Any, ...]
reveal_type(sg.vjp(f, w)[0])                                    # float
reveal_type(sg.vjp(g, 1.0, 2.0, has_aux=True)[2])               # str
reveal_type(h(2.0))                                             # float
reveal_type(h.source(order=2))                                  # str
reveal_type(Model().energy(2.0))                                # float
reveal_type(sg.grad(sg.tensor(1.0), sg.tensor(1.0)))            # Any
try:
    d(w)
except sg.UnsupportedError as error:
    reveal_type(error.remedy)                                   # str
d("text")                                                       # error: No overload variant of "__call__"
h("text")                                                       # error: Argument 1 to "__call__"
sg.grad(f, retain_graph=True)                                   # error: No overload variant of "grad"
sg.grad(3.0)                                                    # error: No overload variant of "grad"
'''


def checked(text: str, folder: Path) -> dict[int, str]:
    """What mypy says of each line of a file."""
    (folder / "sample.py").write_text(text)
    run = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(folder / "cache"), "sample.py"], cwd=folder,
                         capture_output=True, text=True, timeout=400)
    found: dict[int, str] = {}
    for line in run.stdout.splitlines():
        place = re.match(r"sample\.py:(\d+): (?:note: Revealed type is \"(.*)\"|(error: .*))", line)
        if place:
            found.setdefault(int(place[1]), place[2] or place[3])
    assert found, run.stdout + run.stderr
    return found


def test_what_mypy_knows(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is in the extra dev")
    wanted = {number: line.split("# ")[1] for number, line in enumerate(SAMPLE.splitlines(), 1) if "# " in line}
    found = checked(SAMPLE, tmp_path)
    assert found.keys() == wanted.keys()
    wrong = {number: (found[number], text) for number, text in wanted.items() if not (
        found[number].startswith(text) if text.startswith("error") else found[number].replace("builtins.", "") == text)}
    assert not wrong


def test_the_parameters_are_known(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is in the extra dev")
    text = "import sourcegrad as sg\ndef f(w: float, n: int = 2) -> float:\n    return w * n\nreveal_type(sg.grad(f))\n"
    assert checked(text, tmp_path)[4].startswith("sourcegrad.api.gradient.Gradient[[w: float, n: int =], float, Any, Any]")


def test_an_editable_install_is_a_path() -> None:
    """Type checkers follow paths, and do not see what an import hook finds. (Setuptools decides by `package-dir`.)"""
    found = importlib.metadata.distribution("sourcegrad")
    files = [Path(str(found.locate_file(name))) for name in found.files or ()]
    assert not [path for path in files if path.name.endswith("_finder.py")], "installed before: run pip install -e again"
    paths = [path.read_text().strip() for path in files if path.suffix == ".pth"]
    package = Path(sg.__file__).parent
    assert paths == [str(package.parent)] or not paths and package / "py.typed" in files
    assert (package / "py.typed").exists()
