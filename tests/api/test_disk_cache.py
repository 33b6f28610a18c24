"""The disk cache: fresh processes get what was generated before, and never what is out of date."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import sourcegrad as sg
from sourcegrad.api import disk_cache
from sourcegrad.cli import main

ROOT = Path(__file__).parents[2]
LIBRARY = """\
import enum, math
import numpy as np
WEIGHT = 2.0
MODE = "square"
class Kind(enum.Enum):
    A = 1.0
    B = 2.0
class Base:
    def scale(self, x):
        return 1.0 * x
class Model(Base):
    power = 2
    def __init__(self, w):
        self.w = w
    def __call__(self, x):
        return self.scale(x * self.w) ** self.power
def deeper(x):
    return x * x
def helper(x, k=3.0):
    return deeper(x) * k
table = {"f": deeper}
def maker(c):
    def made(x):
        return np.sum(np.sin(x) * c)
    return made
"""
PROGRAM = """\
import numpy as np
import library
from library import Kind, Model
kind = Kind.A
def f(w, x):
    total = 0.0
    for i in range(3):
        w = w * 0.9 + library.helper(w * x)
    y = np.zeros(3)
    y[1:] = w[:2]
    if library.MODE == "square":
        total = np.sum(y ** 2) * library.WEIGHT
    else:
        total = np.sum(np.exp(-y))
    if kind is Kind.A:
        total = total + np.sum(Model(2.0)(x) * w)
    return total + np.sum(np.cbrt(w))
W, X = np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6])
"""
PLAIN = "import numpy as np\nW = np.array([0.1, 0.2, 0.3])"
ASK = """\
import sys, json
import numpy as np, sourcegrad as sg
{program}
{patch}
gradient = sg.value_and_grad({function}, {inputs})
found = [gradient(*{args}) for _ in range(3)]
slope = []
for j in range(3):
    step = np.zeros(3); step[j] = 1e-6
    slope.append(({function}(*[{args}[0] + step, *{args}[1:]]) - {function}(*[{args}[0] - step, *{args}[1:]])) / 2e-6)
assert all(np.allclose(g, slope, rtol=1e-5, atol=1e-7) for _, g in found), (found, slope)
generated = sorted({{"gast", "astor", "sourcegrad.parse", "sourcegrad.primitives", "sourcegrad.ir.tree"}} & set(sys.modules))
print(json.dumps([[float(v) for v, _ in found], [g.tolist() for _, g in found], gradient.source, generated]))
"""


def process(folder: Path, text: str, **environment: str) -> list:
    """What a fresh process prints."""
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "SOURCEGRAD_CACHE": "",
                "SOURCEGRAD_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    new = folder / f"program-{threading.get_ident()}"
    new.write_text(text)
    new.replace(folder / "program.py")                      # others that start at the same time never see half of it
    done = subprocess.run([sys.executable, str(folder / "program.py")], env=settings, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)                           # type: ignore[no-any-return]


def ask(folder: Path, program: str = PROGRAM, patch: str = "", function: str = "f", args: str = "(W, X)", library: str = LIBRARY,
        inputs: str = "0", **environment: str) -> list:
    (folder / "library.py").write_text(library)
    return process(folder, ASK.format(program=program, patch=patch, function=function, args=args, inputs=inputs), **environment)


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "cache").glob("*.json"))


def test_the_second_process_does_not_generate(tmp_path: Path) -> None:
    first, second, off = ask(tmp_path), ask(tmp_path), ask(tmp_path, SOURCEGRAD_CACHE="0")
    assert first[3] and second[3] == []
    assert first[:3] == second[:3] == off[:3] and off[3]
    assert len(entries(tmp_path)) == 1
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


EDITS = {
    "a callee of a callee": (LIBRARY.replace("return x * x", "return x * x * x"), ""),
    "a default": (LIBRARY.replace("k=3.0", "k=4.0"), ""),
    "a constant of another kind": (LIBRARY.replace("WEIGHT = 2.0", "WEIGHT = np.ones(())"), ""),
    "a string": (LIBRARY.replace('"square"', '"exp"'), ""),
    "an attribute of a class": (LIBRARY.replace("power = 2", "power = 3.0"), ""),
    "a method": (LIBRARY.replace("return self.scale(x * self.w)", "return self.scale(x + self.w)"), ""),
    "an inherited method": (LIBRARY.replace("return 1.0 * x", "return np.cos(x)"), ""),
    "a base class": (LIBRARY.replace("class Model(Base)", "class Other(Base):\n    def scale(self, x):\n        return x * x\n"
                                     "class Model(Other)"), ""),
    "the value of an enum": (LIBRARY, "kind = Kind.B"),
    "a callee that is put in its place": (LIBRARY, "library.deeper = lambda x: np.exp(x)"),
    "a method that is put in its place": (LIBRARY, "Model.scale = lambda self, x: np.exp(x)"),
    "a function of numpy that is put in its place": (LIBRARY, "np.cbrt = lambda x: np.cos(x) * x"),
    "one function of numpy for another": (LIBRARY, "np.cbrt = np.exp"),
    "defaults that are assigned to": (LIBRARY, "library.helper.__defaults__ = (5.0,)"),
    "code that is assigned to": (LIBRARY, "library.deeper.__code__ = (lambda x: 2.0 * x).__code__"),
}


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("warm")
    ask(folder)
    return folder


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_seen(edit: str, warm: Path) -> None:
    library, patch = EDITS[edit]
    new = ask(warm, library=library, patch=patch)            # (compared with differences there)
    assert new[3], "code of the program before the edit was taken"
    again = ask(warm, library=library, patch=patch)
    assert again[:3] == new[:3]
    back = ask(warm)
    assert back[3] == [] and back[2] != new[2] or back[1] != new[1]


def test_a_value_that_is_read_when_it_runs_is_no_part_of_the_code(warm: Path) -> None:
    before, after = ask(warm), ask(warm, library=LIBRARY.replace("WEIGHT = 2.0", "WEIGHT = 7.0"))
    assert after[3] == [] and after[1] != before[1] and after[2] == before[2]


def test_a_line_that_moves_or_has_another_comment(warm: Path) -> None:
    moved = ask(warm, program="\n\n" + PROGRAM)
    assert moved[3] and moved[2] == ask(warm, program="\n\n" + PROGRAM, SOURCEGRAD_CACHE="off")[2]
    noted = ask(warm, program=PROGRAM.replace("y[1:] = w[:2]", "y[1:] = w[:2]  # note"))
    assert noted[3] and "# note" in noted[2]


def test_other_arguments_and_inputs(warm: Path) -> None:
    assert ask(warm, inputs='("w",)[0]')[3] == []
    for args in ("(W, 0.5)", "(W, X.astype(np.float32))"):
        first, second = ask(warm, args=args), ask(warm, args=args)
        assert first[3] and second[3] == [] and first[:3] == second[:3]


def test_closures_have_variables_of_their_own(warm: Path) -> None:
    for c in ("2.0", "3.0"):
        found = ask(warm, patch=f"made = library.maker({c})", function="made", args="(W,)")
        assert (found[3] == []) == (c == "3.0")
    array = ask(warm, patch="made = library.maker(X)", function="made", args="(W,)")
    assert array[3]


def test_functions_of_one_name_in_two_files(tmp_path: Path) -> None:
    text = "import numpy as np\ndef g(x):\n    return np.sum(x {} x)\n"
    patch = "import one, two\nassert np.allclose(sg.grad(one.g)(W), 2 * W) and np.allclose(sg.grad(two.g)(W), 2.0)"
    (tmp_path / "one.py").write_text(text.format("*"))
    (tmp_path / "two.py").write_text(text.format("+"))
    for generated in (True, False):
        assert bool(ask(tmp_path, patch=patch)[3]) == generated


def test_a_module_that_is_called_like_one_of_python(tmp_path: Path) -> None:
    for k, operator in enumerate("*+"):
        (tmp_path / "colorsys.py").write_text(f"def g(x):\n    return x {operator} x\n")
        patch = "import colorsys\ndef h(w):\n    return np.sum(colorsys.g(w))"
        assert ask(tmp_path, patch=patch, function="h", args="(W,)")[3], k


@pytest.mark.parametrize("above, registered", [("K", "K"), ("K", "L"), ("collections.abc.Sequence", "collections.abc.Sequence"),
                                               ("collections.abc.Sized", "collections.abc.MutableSequence")])
def test_what_an_abstract_class_counts_as_its_own(above: str, registered: str, tmp_path: Path) -> None:
    library = "import abc\nclass K(abc.ABC):\n    pass\nclass L(K):\n    pass\nclass A:\n    pass\n"
    patch = ("import collections.abc\nfrom library import K, L, A\na = A()\n"
             f"def h(w):\n    return np.sum(w * w) if isinstance(a, {above}) else np.sum(np.exp(w))\n")
    ask(tmp_path, patch=patch, program=PLAIN, function="h", args="(W,)", library=library)
    for generated in (True, False):
        new = ask(tmp_path, patch=f"{patch}{registered}.register(A)", program=PLAIN, function="h", args="(W,)", library=library)
        assert bool(new[3]) == generated                     # (compared with differences there)


SPOILED = {
    "cut": lambda data: data[:-100], "empty": lambda data: b"", "half of a line": lambda data: data[:30],
    "another byte": lambda data: data[:200] + b"!" + data[201:], "no text": lambda data: bytes(range(256)) * 9,
    "a list": lambda data: b"[]", "pickled": lambda data: b"\x80\x04N.",
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_spoiled_entry_is_generated_again(how: str, tmp_path: Path) -> None:
    first = ask(tmp_path)
    path, = entries(tmp_path)
    good = path.read_bytes()
    path.write_bytes(SPOILED[how](good))
    assert ask(tmp_path)[:3] == first[:3]
    assert path.read_bytes() == good and ask(tmp_path)[3] == []


def test_an_entry_under_another_name_counts_as_nothing(tmp_path: Path) -> None:
    first = ask(tmp_path)
    path, = entries(tmp_path)
    data = path.read_bytes()
    other = ask(tmp_path, library=LIBRARY.replace("return x * x", "return x * x * x"))
    for found in entries(tmp_path):
        found.write_bytes(data)
    assert ask(tmp_path, library=LIBRARY.replace("return x * x", "return x * x * x"))[:3] == other[:3] != first[:3]


@pytest.mark.parametrize("content", ['{"halves": []}', "null", '{"halves": [{"name": "f"}], "relies": 3}', "{"])
def test_an_entry_of_another_shape_counts_as_nothing(content: str, tmp_path: Path) -> None:
    first = ask(tmp_path)
    path, = entries(tmp_path)
    path.write_bytes(disk_cache._seal(content.encode(), str(path)) + b"\n" + content.encode())
    assert ask(tmp_path)[:3] == first[:3]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no owner here")
def test_a_folder_that_others_may_use_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(0o700)
    folder.chmod(0o777)
    assert ask(tmp_path)[3] and ask(tmp_path)[3] and not entries(tmp_path)
    folder.rmdir()
    (tmp_path / "real").mkdir(0o700)
    folder.symlink_to(tmp_path / "real")
    assert ask(tmp_path)[3] and ask(tmp_path)[3] and not list((tmp_path / "real").iterdir())


def test_no_home_no_folder_nothing_to_write_to(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    assert ask(tmp_path)[3] and ask(tmp_path)[3]
    for place in ("/dev/null/cache", str(tmp_path / "cache" / "below")):
        assert ask(tmp_path, SOURCEGRAD_CACHE_DIR=place)[3]
    assert ask(tmp_path, SOURCEGRAD_CACHE_DIR="", HOME="/nonexistent", XDG_CACHE_HOME="")[3]


def test_processes_at_once(tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(LIBRARY)
    text = ASK.format(program=PROGRAM, patch="", function="f", args="(W, X)", inputs="0")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: process(tmp_path, text), range(4)))
    assert all(one[:3] == found[0][:3] for one in found)
    assert len(entries(tmp_path)) == 1 and not list((tmp_path / "cache").glob("*.tmp"))
    assert ask(tmp_path)[3] == []


def test_the_size_is_limited(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    os.environ["SOURCEGRAD_CACHE_SIZE"] = "0.01"
    try:
        for j in range(9):
            path = tmp_path / f"{j}.json"
            disk_cache.write(str(path), {"text": "x" * 2000})
            os.utime(path, (1000 + j, 1000 + j))
            os.utime(tmp_path / "0.json", (5000, 5000))     # used again and again
    finally:
        del os.environ["SOURCEGRAD_CACHE_SIZE"]
    left = sorted(path.name for path in tmp_path.iterdir())
    assert "0.json" in left and "8.json" in left and "1.json" not in left
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 0.01 * 2**20


ERRORS = """\
import sys, json
import numpy as np, sourcegrad as sg
from sourcegrad.errors import SourcegradError
class Odd:
    pass
def f(x, g):
    y = x * 2.0
    return np.sum(g(y) * y)
def changes(y):
    y[0] = 3.0
    return y
found = []
gradient = sg.grad(f)
for call in (lambda: gradient(np.ones(3), changes), lambda: gradient(np.ones(3), np.sin, grad_outputs=np.ones(7)),
             lambda: gradient(np.ones(3, int), np.sin), lambda: sg.grad(lambda x: x * x)(np.ones(3), 4),
             lambda: sg.grad(lambda x: x * x)(np.ones(3), grad_outputs=np.ones(5)), lambda: sg.grad(lambda x: x * x)(np.ones(3)),
             lambda: sg.grad(lambda x: np.linalg.inv(x) @ x, grad_outputs=1.0)(np.ones((2, 2)))):
    try:
        call()
        found.append("none")
    except Exception as error:
        found.append(f"{type(error).__name__}: {error}")
print(json.dumps(found))
"""


def test_errors_are_the_same(tmp_path: Path) -> None:
    first, second, off = process(tmp_path, ERRORS), process(tmp_path, ERRORS), process(tmp_path, ERRORS, SOURCEGRAD_CACHE="0")
    assert first == second == off
    assert sum("program.py:" in text for text in first) >= 4 and entries(tmp_path)


OTHER_WAYS = """\
import sys, json
import numpy as np, sourcegrad as sg
@sg.differentiable
def f(x):
    y = x * 2.0
    y[0] *= 3.0
    return np.sum(np.sqrt(np.where(y > 0.0, y, 0.0)) + y ** 3)
X = np.array([0.5, 1.5, -2.5])
found = [sg.grad(f)(X), sg.vjp(f, X)[1](1.0)[0], sg.grad(f).compiled(X)(X)]
generated = "gast" in sys.modules
more = [sg.grad(sg.grad(f), grad_outputs=np.ones(3))(X), sg.grad(lambda x: np.sum(sg.grad(f)(x) ** 2))(X)]
print(json.dumps([[g.tolist() for g in found + more], sg.source(f, at={"x": X}), sg.source(f, at={"x": X}, inputs="x"), generated]))
"""


def test_decorated_vjp_compiled_and_second_derivatives(tmp_path: Path) -> None:
    first, second = process(tmp_path, OTHER_WAYS), process(tmp_path, OTHER_WAYS)
    assert first[:3] == second[:3] == process(tmp_path, OTHER_WAYS, SOURCEGRAD_CACHE="0")[:3]
    assert first[3] and not second[3]


PLACES = """\
import numpy as np
class Rod:
    def __init__(self, n):
        self.T = np.zeros(n)
        self.log = []
    def step(self, v):
        self.T[1:] += 0.5 * v
        self.T[0] = v[0] * np.sum(self.T)
        self.log.append(self.T[-1])
        self.T *= -1.0
"""


def test_lists_and_arrays_that_objects_hold(tmp_path: Path) -> None:
    program = """from library import *
def f(w, x):
    rods = [Rod(4), Rod(4)]
    for rod in rods:
        rod.step(w * x)
        rods[0].step(x[0] * w)
    return sum(np.sum(rod.T ** 3) + np.sin(rod.log[0]) for rod in rods)
W, X = np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6])
"""
    first, second = ask(tmp_path, program, library=PLACES), ask(tmp_path, program, library=PLACES)
    assert first[3] and second[3] == [] and first[:3] == second[:3]
    other = ask(tmp_path, program, library=PLACES.replace("*= -1.0", "*= -2.0"))
    assert other[3] and other[2] != second[2]


def test_code_is_tried_in_every_process(tmp_path: Path) -> None:
    patch = """def pair(w, x):
    h = [w * x, x]
    h[0] = h[0] * 2.0
    return np.sum(h[0] ** 2)
from sourcegrad.api import shadow_run
tried, before = [], shadow_run._reference
shadow_run._reference = lambda *args: tried.append(1) or before(*args)
import atexit, os
atexit.register(lambda: tried or os._exit(7))"""
    assert ask(tmp_path, patch=patch, function="pair")[3]
    assert ask(tmp_path, patch=patch, function="pair")[3] == []


def test_what_the_user_registers_is_not_cached(tmp_path: Path) -> None:
    patch = "@sg.nondifferentiable\ndef label(x):\n    return 1.0"
    assert ask(tmp_path, patch=patch)[3] and ask(tmp_path, patch=patch)[3] and not entries(tmp_path)


def test_another_version_is_another_entry(tmp_path: Path) -> None:
    ask(tmp_path)
    assert ask(tmp_path, program=f"np.__version__ = '2.0.1'\n{PROGRAM}")[3]
    text = ASK.format(program=PROGRAM, patch="", function="f", args="(W, X)", inputs="0")
    changed = "as sg\nimport sourcegrad.api.disk_cache as d; d.AT_IMPORT = d.AT_IMPORT[1:]\n"
    assert process(tmp_path, text.replace("as sg\n", changed, 1))[3]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    ask(tmp_path)
    monkeypatch.setenv("SOURCEGRAD_CACHE", "1")
    monkeypatch.setenv("SOURCEGRAD_CACHE_DIR", str(tmp_path / "cache"))
    assert main(["cache"]) == 0
    out = capsys.readouterr().out
    assert str(tmp_path / "cache") in out and "entries  1" in out
    assert main(["cache", "--clear"]) == 0 and not entries(tmp_path)
    assert "1 entries removed" in capsys.readouterr().out
    monkeypatch.setenv("SOURCEGRAD_CACHE", "0")
    assert main(["cache"]) == 1 and "switched off" in capsys.readouterr().err


def test_the_usual_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCEGRAD_CACHE", raising=False)
    monkeypatch.delenv("SOURCEGRAD_CACHE_DIR", raising=False)
    for platform, variable, value, wanted in (("linux", "XDG_CACHE_HOME", "/c", "/c/sourcegrad"),
                                              ("linux", "XDG_CACHE_HOME", "", "/home/ann/.cache/sourcegrad"),
                                              ("darwin", "XDG_CACHE_HOME", "/c", "/home/ann/Library/Caches/sourcegrad"),
                                              ("win32", "LOCALAPPDATA", "/local", "/local/sourcegrad")):
        monkeypatch.setattr(sys, "platform", platform)
        monkeypatch.setenv("HOME", "/home/ann")
        monkeypatch.setenv(variable, value)
        assert disk_cache.folder() == wanted


def test_the_tests_run_without() -> None:
    assert disk_cache.folder() is None and sg.grad(lambda x: x * x)(3.0) == 6.0
