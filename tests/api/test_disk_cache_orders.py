"""The disk cache, derivatives of derivatives: the next process does not generate them, and gets nothing that is out of date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.api.test_disk_cache import process

LIBRARY = """\
import enum
import numpy as np
WEIGHT = 2.0
MODE = "square"
TABLE = {"a": 1.5}
class Kind(enum.Enum):
    A = 1.0
    B = 2.0
class Model:
    power = 3
    def __init__(self, w):
        self.w = w
    def scaled(self, x):
        return self.w * x ** self.power
def deeper(x):
    return np.sin(x) * x
def helper(x, k=3.0):
    return deeper(x) * k
def maker(c):
    def made(x):
        return np.sum(x ** 4 * c)
    return made
"""
PROGRAM = """\
import functools
import numpy as np
import library
from library import Kind, Model
kind = Kind.A
def f(x, n=2, *, s=1.5):
    total = np.sum(library.helper(x)) ** n * s
    for i in range(2):
        total = total + np.sum(x[i:] ** 3)
    if library.MODE == "square":
        total = total * library.WEIGHT
    if kind is Kind.A:
        total = total + np.sum(Model(2.0).scaled(x))
    return total
def h(x):
    return library.helper(x) ** 2
closed = library.maker(2.0)
later = functools.partial(f, s=0.5)
X, V = np.array([0.3, 0.4, 0.5]), np.array([1.0, -2.0, 0.5])
"""
ASK = """\
import json
import numpy as np, sourcegrad as sg
from sourcegrad.api import gradient as api
{program}
{patch}
made, before = [], api._generate
api._generate = lambda *args: made.append(1) or before(*args)
def slopes(g, x):
    steps = np.eye(len(x)) * 1e-4
    return np.array([(g(x + step) - g(x - step)) / 2e-4 for step in steps])
WAYS = {{
    "grad of grad": lambda: (sg.grad(sg.grad(f), grad_outputs=V)(X), second(f) @ V),
    "grad of grad at the call": lambda: (sg.grad(sg.grad(f))(X, grad_outputs=V), second(f) @ V),
    "of a number": lambda: (sg.grad(sg.grad(h))(0.5), second(lambda x: h(x[0]), X[2:])[0, 0]),
    "order 3": lambda: (sg.grad(sg.grad(sg.grad(h)))(0.5), slopes(lambda x: sg.grad(sg.grad(h))(x[0]), X[2:])[0]),
    "hessian": lambda: (sg.hessian(f)(X), second(f)),
    "hessian by keyword": lambda: (sg.hessian(f)(X, s=2.5), second(lambda x: f(x, s=2.5))),
    "hvp": lambda: (sg.hvp(f)(X, V), second(f) @ V),
    "value_and_grad of grad": lambda: (sg.value_and_grad(sg.grad(f))(X, grad_outputs=V)[1], second(f) @ V),
    "grad of value_and_grad": lambda: (sg.grad(sg.value_and_grad(f), grad_outputs=(0.0, V))(X), second(f) @ V),
    "vjp of grad": lambda: (sg.vjp(sg.grad(f), X)[1](V)[0], second(f) @ V),
    "a closure": lambda: (sg.hessian(closed)(X), second(closed)),
    "a lambda": lambda: (sg.grad(sg.grad(lambda x: np.sum(library.helper(x))), grad_outputs=V)(X),
                         second(lambda x: np.sum(library.helper(x))) @ V),
    "a partial": lambda: (sg.hessian(later)(X), second(later)),
    "a gradient inside": lambda: (sg.grad(lambda x: np.sum(sg.grad(f)(x) ** 2))(X),
                                  slopes(lambda x: np.sum(sg.grad(f)(x) ** 2), X)),
    "compiled": lambda: (sg.grad(sg.grad(f), grad_outputs=V).compiled(X)(X, grad_outputs=V), second(f) @ V),
    "inputs by name": lambda: (sg.grad(sg.grad(f, "x"), "x", grad_outputs=V)(X), second(f) @ V),
}}
def second(g, x=X):
    return slopes(lambda y: slopes(g, y), x)
found = {{}}
for name, way in WAYS.items():
    if {only!r} and name not in {only!r}:
        continue
    made.clear()
    got, wanted = way()
    count = len(made)
    assert np.allclose(way()[0], got) and len(made) == count or "lambda" in str(way), name
    assert np.allclose(got, wanted, rtol=1e-3, atol=1e-3), (name, got, wanted)
    found[name] = [np.asarray(got).tolist(), count]
print(json.dumps(found))
"""


def ask(folder: Path, library: str = LIBRARY, program: str = PROGRAM, patch: str = "", only: Any = (), **environment: str) -> Any:
    (folder / "library.py").write_text(library)
    return process(folder, ASK.format(program=program, patch=patch, only=tuple(only)), **environment)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("orders")
    ask(folder)
    return folder


def test_the_next_process_generates_nothing(warm: Path) -> None:
    off, again = ask(warm, SOURCEGRAD_CACHE="0"), ask(warm)
    assert len(again) == 16 and {name: value for name, (value, _) in again.items()} == {
        name: value for name, (value, _) in off.items()
    }
    assert sum(count > 0 for _, count in off.values()) > 9  # (the others ask for what there is already)
    assert {name for name, (_, count) in again.items() if count} == set()


EDITS = {  # library, program, patch: each makes another Hessian
    "a callee of a callee": (LIBRARY.replace("np.sin(x) * x", "np.cos(x) * x"), PROGRAM, ""),
    "a callee": (LIBRARY.replace("deeper(x) * k", "deeper(x) * k * x"), PROGRAM, ""),
    "a default of a callee": (LIBRARY.replace("k=3.0", "k=4.0"), PROGRAM, ""),
    "a default of a callee that is assigned to": (LIBRARY, PROGRAM, "library.helper.__defaults__ = (5.0,)"),
    "a string": (LIBRARY.replace('"square"', '"cube"'), PROGRAM, ""),
    "a string at run time": (LIBRARY, PROGRAM, "library.MODE = 'other'"),
    "an attribute of a class": (LIBRARY.replace("power = 3", "power = 4"), PROGRAM, ""),
    "an attribute at run time": (LIBRARY, PROGRAM, "Model.power = 5"),
    "a method": (LIBRARY.replace("self.w * x **", "np.exp(self.w) * x **"), PROGRAM, ""),
    "a method at run time": (LIBRARY, PROGRAM, "Model.scaled = lambda self, x: np.exp(x)"),
    "the function": (LIBRARY, PROGRAM.replace("x[i:] ** 3", "x[i:] ** 4"), ""),
    "a number of turns": (LIBRARY, PROGRAM.replace("range(2)", "range(3)"), ""),
    "an int default": (LIBRARY, PROGRAM.replace("n=2", "n=3"), ""),
    "an int default at run time": (LIBRARY, PROGRAM, "f.__defaults__ = (3,)"),
    "a keyword default": (LIBRARY, PROGRAM.replace("s=1.5", "s=2"), ""),
    "a keyword default at run time": (LIBRARY, PROGRAM, "f.__kwdefaults__['s'] = 2"),
    "an enum member": (LIBRARY, PROGRAM.replace("kind = Kind.A", "kind = Kind.B"), ""),
    "a callee in its place": (LIBRARY, PROGRAM, "library.deeper = lambda x: np.exp(x)"),
    "code that is assigned to": (LIBRARY, PROGRAM, "library.deeper.__code__ = (lambda x: x * x * x).__code__"),
    "a constant of another kind": (LIBRARY.replace("WEIGHT = 2.0", "WEIGHT = np.array([2.0, 1.0, 0.5])[1]"), PROGRAM, ""),
    "an engine of another state": (LIBRARY, PROGRAM, "import sourcegrad.api.disk_cache as d; d.AT_IMPORT = d.AT_IMPORT[1:]"),
    "another version of NumPy": (LIBRARY, PROGRAM, "np.__version__ = '2.0.1'"),
    "an option": (LIBRARY, PROGRAM, "from sourcegrad.compiler import linking; linking.OPTIONS.simplify = False"),
    "a registration": (LIBRARY, PROGRAM, "@sg.nondifferentiable\ndef label(x):\n    return 1.0"),
}
SHORT = ["grad of grad", "hessian", "value_and_grad of grad"]


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_seen(edit: str, warm: Path) -> None:
    library, program, patch = EDITS[edit]
    new = ask(warm, library, program, patch, SHORT)  # (compared with differences there)
    assert all(count for _, count in new.values()), f"code of before was taken: {new}"
    assert not sum(count for _, count in ask(warm, only=SHORT).values())


def test_a_value_that_is_read_at_run_time_is_no_part_of_the_code(warm: Path) -> None:
    new, old = ask(warm, LIBRARY.replace("WEIGHT = 2.0", "WEIGHT = 7.0"), only=SHORT), ask(warm, only=SHORT)
    assert all(new[name][0] != old[name][0] and new[name][1] == 0 for name in SHORT)


@pytest.mark.parametrize(
    "first, other",
    [
        ("sg.grad(sg.grad(f), grad_outputs=V)(X)", "sg.grad(sg.grad(f), grad_outputs=V)(X.astype('f4'))"),
        ("sg.grad(sg.grad(f), grad_outputs=V)(X)", "sg.grad(sg.grad(f), grad_outputs=V[:1])(X[:1])"),
        ("sg.grad(sg.grad(p), grad_outputs=V)(X, V)", "sg.grad(sg.grad(p, 'y'), 'x', grad_outputs=V)(X, V)"),
        ("sg.grad(sg.grad(p), grad_outputs=V)(X, V)", "sg.grad(sg.grad(p), 'y', grad_outputs=V)(X, V)"),
        ("sg.grad(sg.grad(p), grad_outputs=V)(X, V)", "sg.grad(sg.grad(p, ('x', 'y')), grad_outputs=(V, V))(X, V)"),
        ("sg.grad(sg.grad(p), grad_outputs=V)(X, V)", "sg.grad(sg.value_and_grad(p), grad_outputs=(1.0, V))(X, V)"),
        ("sg.grad(sg.grad(sg.grad(q)))(0.5)", "sg.grad(sg.grad(q))(0.5)"),
        ("sg.grad(sg.grad(q, grad_outputs=2.0))(0.5)", "sg.grad(sg.grad(q, grad_outputs=3.0))(0.5)"),
        ("sg.grad(sg.grad(q))(0.5)", "sg.grad(sg.grad(q, grad_outputs=3.0))(0.5)"),
        ("sg.grad(sg.grad(a, has_aux=True), grad_outputs=(V, None))(X)", "sg.grad(sg.grad(lambda x: a(x)[0]), grad_outputs=V)(X)"),
        ("sg.hessian(library.maker(2.0))(X)", "sg.hessian(library.maker(V))(X)"),
    ],
)
def test_what_is_asked_for_is_told_apart(first: str, other: str, tmp_path: Path) -> None:
    """The entry of one is not taken for the other, in either order."""
    text = (
        "import json\nimport numpy as np, sourcegrad as sg\n" + PROGRAM + "def p(x, y):\n    return np.sum(np.sin(x) * y ** 3)\n"
        "def q(x):\n    return x ** 5\ndef a(x):\n    return np.sum(x ** 3), np.sum(x)\n"
        "def told(make):\n    try:\n        found = make()\n    except sg.SourcegradError as error:\n        return str(error)\n"
        "    return [np.asarray(part).tolist() for part in (found if isinstance(found, tuple) else (found,))]\n"
    )
    (tmp_path / "library.py").write_text(LIBRARY)
    for one in (first, other, first):
        print_it = f"{text}print(json.dumps(told(lambda: {one})))\n"
        assert process(tmp_path, print_it) == process(tmp_path, print_it, SOURCEGRAD_CACHE="0")
