"""Where a function may be defined: notebook cells, `python -c`, standard input, the prompt, `exec`; and what is said if not."""
from __future__ import annotations

import linecache
import subprocess
import sys
import types
from pathlib import Path

import pytest

import sourcegrad as sg
from sourcegrad.errors import MissingRuleError, SourceError, UnsupportedError
from sourcegrad.ir.source import parse
from tests.errors.modules import load

ROOT = Path(__file__).parents[2]


class Notebook:
    """Compiles cells as IPython does: files with a hash for a name, texts in linecache, a map from name to number."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: dict[str, int] = {}
        self.scope: dict = {"sg": sg}
        shell = types.SimpleNamespace(compile=types.SimpleNamespace(format_code_name=self.format_code_name))
        monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))

    def format_code_name(self, name: str) -> tuple[str, str] | None:
        return ("Cell", f"In[{self.names[name]}]") if name in self.names else None

    def run(self, text: str) -> None:
        number = len(self.names) + 1
        name = f"<ipython-input-{number}-{id(self):x}>"         # the hash of the real one differs from run to run as well
        self.names[name] = number
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec"), self.scope)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    return Notebook(monkeypatch)


def test_cell(notebook: Notebook) -> None:
    notebook.run("def f(x):\n    return x * x\n")
    notebook.run("df = sg.grad(f)\nd = df(3.0)\nl = sg.grad(lambda x: x ** 3)(2.0)\n")
    assert (notebook.scope["d"], notebook.scope["l"]) == (6.0, 12.0)
    assert "# Cell In[1]:2  return x * x" in notebook.scope["df"].source


def test_cell_runs_again_with_another_function(notebook: Notebook) -> None:
    notebook.run("def g(x):\n    return x * x\n")
    notebook.run("def f(x):\n    return 10.0 * g(x)\n")
    gradient = sg.grad(notebook.scope["f"])
    assert gradient(3.0) == 60.0
    notebook.run("def g(x):\n    return x * x * x\n")
    assert gradient(3.0) == 270.0
    assert "20.0 * x * x" in gradient.source


def test_cell_of_the_function_itself_runs_again(notebook: Notebook) -> None:
    """A gradient goes by the name of its function in a notebook: at order 2, with other parameters, marked or not."""
    notebook.run("def f(x):\n    return x * x\n")
    notebook.run("first = sg.grad(f)\nsecond = sg.grad(first)\n")
    first, second = notebook.scope["first"], notebook.scope["second"]
    for _ in range(3):                                          # by then the inline cache has an entry
        assert (first(3.0), second(3.0)) == (6.0, 2.0)
    notebook.run("def f(x):\n    return x * x * x\n")
    assert "Cell In[3]:2" in first.source
    for _ in range(3):
        assert (first(3.0), second(3.0)) == (27.0, 18.0)
    notebook.run("@sg.differentiable\ndef f(x, y=2.0):\n    return x * x * y\n")
    assert (first(3.0), first(3.0, 5.0), second(3.0)) == (12.0, 30.0, 4.0)
    notebook.run("other = f\nf = 3.0\n")                        # no function: the gradient stays what it was
    assert first(3.0) == 12.0


def test_a_function_of_a_file_stays_what_it_was(notebook: Notebook) -> None:
    scope: dict = {}
    linecache.cache["file.py"] = (1, None, ["def f(x):\n", "    return x * x\n"], "file.py")
    exec(compile("def f(x):\n    return x * x\n", "file.py", "exec"), scope)
    gradient = sg.grad(scope["f"])
    scope["f"] = lambda x: x
    assert gradient(3.0) == 6.0
    local = {}
    notebook.run("def make():\n    def f(x):\n        return x * x\n    return f\nf = make()\n")
    local = sg.grad(notebook.scope["f"])
    notebook.run("f = make\n")
    assert local(3.0) == 6.0


def test_errors_name_cell_and_line(notebook: Notebook) -> None:
    notebook.run("import zlib\ndef g(x):\n    return 2.0 * (\n        zlib.crc32(x))\n")
    notebook.run("\ndef f(x):\n    exec('y = x')\n    return x\n")
    with pytest.raises(UnsupportedError, match=r"^Cell In\[2\]:3:5: `exec`"):
        sg.grad(notebook.scope["f"])(2.0)
    with pytest.raises(MissingRuleError, match=r"^Cell In\[1\]:4:9: zlib.crc32 has no.*\n    zlib.crc32\(x\)\)\n    \^"):
        sg.grad(notebook.scope["g"])(2.0)


def test_two_cells_of_one_number_keep_their_own_lines(notebook: Notebook) -> None:
    """Cells that are run silently all count as the same number: their files tell them apart."""
    for text in ("import zlib\ndef f(x):\n    return (\n        zlib.crc32(x))\n", "\n\n\n\ndef g(x):\n    return x * x\n"):
        notebook.run(text)
        notebook.names.update(dict.fromkeys(notebook.names, 7))
    assert sg.grad(notebook.scope["g"])(3.0) == 6.0
    with pytest.raises(MissingRuleError) as caught:
        sg.grad(notebook.scope["f"])(2.0)
    assert caught.value.origin.text == "        zlib.crc32(x))" and caught.value.origin.file.startswith("<ipython-input-1-")


@pytest.mark.parametrize("file", ["<timed exec>", "<timed eval>", "<magic-timeit>"])
def test_cells_that_ipython_forgets(file: str) -> None:
    scope: dict = {}
    exec(compile("def f(x):\n    return x * x\n", file, "exec"), scope)
    with pytest.raises(SourceError, match="in a cell without %time or %timeit"):
        sg.grad(scope["f"])(2.0)


# --- whole interpreters

SCRIPT = """import sourcegrad as sg
def f(x):
    return x * x
print(sg.grad(f)(3.0), sg.grad(lambda x: x * x * x)(3.0))
def g(x):
    exec("y = x")
    return x
try:
    sg.grad(g)(2.0)
except sg.errors.SourcegradError as error:
    print(error)
"""
PRINTED = "6.0 27.0\n{file}:6:5: `exec` cannot be differentiated\n    exec(\"y = x\")\n    ^\n"


def python(*arguments: str, **stdin) -> str:
    done = subprocess.run([sys.executable, *arguments], **stdin, cwd=ROOT, capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


@pytest.mark.parametrize("options", [["-c"], ["-W", "default", "-Bc"]], ids=" ".join)
def test_command(options: list[str]) -> None:
    assert python(*options, SCRIPT).startswith(PRINTED.format(file="<string>"))


def test_command_in_the_same_word() -> None:
    assert python(f"-Bc{SCRIPT}").startswith(PRINTED.format(file="<string>"))


def test_script_from_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    for arguments in ([], ["-"]):
        with path.open() as file:
            assert python(*arguments, stdin=file).startswith(PRINTED.format(file="<stdin>"))


def test_script_from_a_pipe() -> None:
    found = python("-", input=SCRIPT)
    assert "the source of f (from '<stdin>', line 2) cannot be found" in found
    assert "Define the function in a file or a notebook cell: Python keeps no text of what comes through a pipe" in found


def test_prompt() -> None:
    """From Python 3.13 on what is typed is kept; before, it is refused."""
    found = python("-i", "-q", input="import sourcegrad as sg\ndef f(x):\n    return x * x\n\nsg.grad(f)(3.0)\n"
                                     "def f(x):\n    return x * x * x\n\nsg.grad(f)(3.0)\n")
    if sys.version_info >= (3, 13):
        assert "6.0" in found and "27.0" in found
    else:
        assert found.count("(from '<stdin>', line 1) cannot be found") == 2 and "typed at the prompt" in found


# --- texts that are not what runs

def test_exec_under_command_does_not_take_the_text_of_the_command() -> None:
    text = ("import sourcegrad as sg\ndef f(x, y):\n    return x - y\nexec('\\ndef f(x, y):\\n    return y - x')\n"
            "try:\n    print(sg.grad(f)(1.0, 2.0))\nexcept sg.errors.SourceError as error:\n    print(error.message)")
    assert python("-c", text).startswith("the source of f (from '<string>', line 2) cannot be found")


EDITS = [("x - y", "y - x"), ("g(x, y)", "g(y, x)"), ("g(x)(y)", "g(x, y)"), ("g(a=x, b=y)", "g(b=x, a=y)"),
         ("x if x > y else y", "y if x > y else x"), ("x and y", "x or y"), ("x - 2.0 * 3.5", "x * 3.5 - 2.0"),
         ("x * 1", "x * 1.0"), ("x[0, :]", "x[:, 0]"), ("lambda a: a - x", "lambda a: x - a"), ("x", "y")]


@pytest.mark.parametrize("before, after", EDITS + [(after, before) for before, after in EDITS])
def test_edited_file_is_noticed(tmp_path: Path, before: str, after: str) -> None:
    """Every edit that keeps the names, constants and operators but not their order."""
    module = load(tmp_path, f"def f(x, y):\n    return {before}\n")
    assert parse(module.f)
    Path(module.__file__).write_text(f"def f(x, y):\n    return {after}\n", encoding="utf-8")
    linecache.checkcache(module.__file__)
    with pytest.raises(SourceError, match="has changed since it was imported"):
        parse(module.f)
    with pytest.raises(sg.MissingRuleError, match="module.f has no derivative rule, and the source of f .* has changed"):
        sg.grad(lambda x: module.f(x, x), "x")(2.0)
