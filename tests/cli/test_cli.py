"""The command line: what it prints, where, and its exit codes."""
from __future__ import annotations

import importlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sourcegrad as sg
from sourcegrad import cli
from sourcegrad.cli import main

ROOT = Path(__file__).parents[2]
MODEL = '''\
import numpy as np, zlib

def loss(w, x, scale=2.0):
    error = np.tanh(x @ w)
    return scale * np.sum(error * error)

def power(x):
    return x * x * x

def rounded(x):
    return np.round(x) + 0.1 * x

def guarded(x):
    try:
        return x * x
    except ValueError:
        return x

def uncovered(x):
    return np.unheard_of(x)

def checksum(x):
    return zlib.crc32(x)

def keyword(x, *, gain):
    return gain * x

constant = 3.0

class Spring:
    def energy(k, x):
        return 0.5 * k * x * x

def evaluated(x):
    y = x * x
    return eval("x * y")
'''
AT = ["--at", "w=np.ones(3)", "--at", "x=np.ones((4, 3))"]


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    importlib.invalidate_caches()
    (tmp_path / "model.py").write_text(MODEL)
    yield "model.py"
    for name in ("model", "broken", "broken_file"):
        sys.modules.pop(name, None)


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(list(argv))
    out, err = capsys.readouterr()
    assert "Traceback" not in err + out
    return code, out, err


# --- show

def test_show_prints_the_code_for_the_example_arguments(model, capsys):
    code, out, err = run(capsys, "show", f"{model}:power")
    assert code == 0 and "    # model.py:8  return x * x * x\n" in out
    assert err == ("sourcegrad: this text is for arguments of any shape (unbroadcast, ones_like_output, as_gradient): it becomes "
                   'simpler with --at "x=..."\n')
    assert run(capsys, "show", f"{model}:power", "--at", "x=2.0")[2] == ""
    code, out, err = run(capsys, "show", f"{model}:loss", *AT)
    assert (code, err) == (0, "")
    assert "def loss_grad(w, x, scale=2.0):" in out
    assert "# --- reverse sweep" in out
    assert "unbroadcast" not in out
    compile(out, "shown", "exec")


def test_show_without_arguments(model, capsys):
    code, out, _ = run(capsys, "show", f"{model}:power")
    assert code == 0 and "def power_grad(x):" in out


def test_show_several_inputs_and_the_value(model, capsys):
    code, out, _ = run(capsys, "show", f"{model}:loss", "--inputs", "w, scale", "--value", *AT)
    assert code == 0 and "def loss_value_and_grad(" in out
    last = out.rstrip().splitlines()[-1]
    assert last.startswith("    return") and "(" in last


def test_show_second_order(model, capsys):
    code, out, _ = run(capsys, "show", f"{model}:power", "--order", "2", "--at", "x=2.0")
    assert code == 0 and "def power_grad_grad(x):" in out
    namespace: dict = {}
    exec(out, namespace)
    assert namespace["power_grad_grad"](2.0) == 12.0


def test_show_a_stage(model, capsys):
    code, out, err = run(capsys, "show", f"{model}:loss", "--stage", "anf", *AT)
    assert (code, err) == (0, "")
    assert out.startswith("def loss(") and "x @ w\n" in out


def test_show_an_unknown_stage_lists_them(model, capsys):
    code, out, err = run(capsys, "show", f"{model}:loss", "--stage", "flat", *AT)
    assert (code, out) == (2, "")
    assert "anf" in err and "reverse" in err


def test_show_all_stages_under_their_names(model, capsys):
    code, out, _ = run(capsys, "show", f"{model}:loss", "--all", *AT)
    assert code == 0
    headings = [line.strip("# =") for line in out.splitlines() if line.startswith("# ==")]
    assert headings[0] == "parse" and headings[-1] == "result"
    assert headings.index("anf") < headings.index("reverse") < headings.index("forward_substitution")
    assert all(len(line) == 100 for line in out.splitlines() if line.startswith("# =="))
    compile(out, "shown", "exec")


def test_show_differences_between_stages(model, capsys):
    code, out, _ = run(capsys, "show", f"{model}:loss", "--diff", *AT)
    assert code == 0
    assert "+++ anf" in out and "+++ reverse" in out and "\n+def loss_grad(" in out
    assert "+++ parse" not in out


def test_show_a_function_of_a_module_and_of_a_class(model, capsys):
    by_file = run(capsys, "show", f"{model}:power")[1]
    assert run(capsys, "show", "model:power")[:2] == (0, by_file)
    code, out, _ = run(capsys, "show", f"{model}:Spring.energy")
    assert code == 0 and "def energy_grad(k, x):" in out


def test_a_file_does_not_replace_a_module_of_the_same_name(model, capsys):
    import json
    Path("json.py").write_text("def f(x):\n    return x * x\n")
    assert run(capsys, "show", "json.py:f")[0] == 0
    assert sys.modules["json"] is json
    del sys.modules["json_file"]


def test_show_writes_a_file(model, capsys):
    code, out, err = run(capsys, "show", f"{model}:loss", *AT, "-o", "loss_grad.py")
    assert (code, out, err) == (0, "", "")
    assert Path("loss_grad.py").read_text() == run(capsys, "show", f"{model}:loss", *AT)[1]
    assert run(capsys, "show", f"{model}:loss", "--diff", *AT, "--output", "loss.diff")[:2] == (0, "")
    assert "+++ reverse" in Path("loss.diff").read_text()
    code, _, err = run(capsys, "show", f"{model}:loss", *AT, "-o", "no/such/folder.py")
    assert code == 2 and "no/such/folder.py cannot be written" in err


def test_inputs_by_position(model, capsys):
    by_name = run(capsys, "show", f"{model}:loss", "--inputs", "w,scale", *AT)[1]
    assert run(capsys, "show", f"{model}:loss", "--inputs", "0, 2", *AT)[1] == by_name
    assert run(capsys, "show", f"{model}:loss", "--inputs", "0,-1", *AT)[1] == by_name
    assert run(capsys, "check", f"{model}:loss", "--inputs", "0,2", *AT)[:2] == (0, "order 1: ok\n")
    code, _, err = run(capsys, "show", f"{model}:loss", "--inputs", "7", *AT)
    assert code == 2 and "no parameter at position 7" in err


OBJECTS = '''
import sys
print("loading")
print("loudly", file=sys.stderr)
from math import sqrt
import sourcegrad as sg

class Spring:
    def __init__(self, k):
        self.k = k
    def energy(self, x):
        return 0.5 * self.k * x * x
    @classmethod
    def stiff(cls, x):
        return cls(100.0).energy(x)
    @staticmethod
    def plain(x):
        return x * x
    def __call__(self, x):
        return self.energy(x)
    @property
    def broken(self):
        raise KeyError("gone")

spring = Spring(3.0)
springs = [spring]

def squared(x):
    return x * x

@sg.rule(squared)
def squared_rule(ct, out, x):
    return 2.0 * ct * x
'''


def test_methods_of_classes_and_objects(model, capsys):
    Path("broken.py").write_text(OBJECTS)
    for name in ("spring.energy", "Spring.stiff", "Spring.plain", "spring"):
        assert run(capsys, "check", f"broken.py:{name}", "--at", "x=2.0", "--order", "2")[:2] == (
            0, "order 1: ok\norder 2: ok\n"), name
        assert run(capsys, "show", f"broken.py:{name}", "--at", "x=2.0")[0] == 0
    code, out, err = run(capsys, "check", "broken.py:Spring.energy", "--inputs", "x", "--at", "self=spring", "--at", "x=2.0")
    assert (code, out) == (0, "order 1: ok\n")
    assert "0.5 * self.k" in run(capsys, "show", "broken.py:spring.energy", "--at", "x=2.0")[1]
    code, _, err = run(capsys, "show", "broken.py:spring.enrgy")
    assert code == 2 and "broken.py has no function 'spring.enrgy'\nIt has spring.energy, spring.plain." in err
    code, _, err = run(capsys, "show", "broken.py:spring.broken")
    assert code == 2 and "spring.broken cannot be read: KeyError: 'gone'" in err


def test_what_a_file_prints_is_no_part_of_the_result(model, capsys):
    Path("broken.py").write_text(OBJECTS)
    code, out, err = run(capsys, "show", "broken.py:Spring.plain", "--at", "x=print('now') or 2.0")
    assert code == 0 and err == "loading\nloudly\nnow\n"
    assert out.startswith("from sourcegrad.runtime import made_for\n\n\ndef plain_grad(x):")


def test_show_a_function_that_has_a_rule(model, capsys):
    Path("broken.py").write_text(OBJECTS)
    code, out, err = run(capsys, "show", "broken.py:squared")
    assert code == 0 and "sourcegrad:" not in err
    assert out.startswith("# broken.py:squared has a derivative rule, which is used for it wherever it is called:\n")
    assert "@sg.rule(squared)\ndef squared_rule(ct, out, x):" in out
    assert "    return ct * np.cos(" in run(capsys, "show", "numpy:sin")[1]
    assert "# numpy.argmax: derivative zero" in run(capsys, "show", "numpy:argmax")[1]


def test_watch(model, tmp_path):
    """Changes of the file itself, of a module beside it, a syntax error in between; Ctrl-C ends it with 0."""
    Path("helping.py").write_text("def act(x):\n    return x * x\n")
    Path("watched.py").write_text("from helping import act\ndef f(x):\n    return 3.0 * act(x)\n")
    with subprocess.Popen([sys.executable, "-u", "-m", "sourcegrad", "show", "watched.py:f", "--at", "x=2.0", "--watch"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(ROOT)},
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as watching:   # (background ignores it)
        def until(text: str, stream=watching.stdout) -> str:
            lines = ""
            while text not in lines:
                line = stream.readline()
                assert line, lines
                lines += line
            return lines

        assert "def f_grad(x):" in until("return 6.0 * x")
        Path("helping.py").write_text("def act(x):\n    return x * x * x\n")
        changed = until("\n+    return ")
        assert "-    return 6.0 * x\n" in changed and "+++" in changed
        Path("watched.py").write_text("def f(x)\n    return x\n")
        until("watched.py:1:", watching.stderr)
        Path("watched.py").write_text("def f(x):\n    return 7.0 * x\n")
        until("+    return 7.0")
        watching.send_signal(signal.SIGINT)
        try:
            assert watching.wait(timeout=60) == 0
        finally:
            watching.kill()
        assert "Traceback" not in watching.stderr.read()


def test_completion(model, tmp_path, capsys):
    for shell in ("zsh", "fish"):
        code, out, _ = run(capsys, "completion", shell)
        assert code == 0 and f"for {shell}" in out and "show" in out and "--inputs" in out
    (tmp_path / "complete.bash").write_text(run(capsys, "completion", "bash")[1])

    def completed(*words: str) -> list[str]:
        text = (f"source ./complete.bash; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _sourcegrad; "
                "echo ${COMPREPLY[@]}")
        run = subprocess.run(["bash", "-c", text], capture_output=True, text=True, cwd=tmp_path, check=True)
        return run.stdout.split()

    assert completed("sourcegrad", "sh") == ["show"] and "check" in completed("sourcegrad", '""')
    assert completed("sourcegrad", "show", "--st") == ["--stage"] and completed("sourcegrad", "check", "--st") == []
    assert completed("sourcegrad", "completion", "f") == ["fish"]
    assert completed("sourcegrad", "show", "model.py", ":", "po") == ["power"]
    assert "uncovered" in completed("sourcegrad", "show", "model.py", ":")


# --- check

def test_check_good(model, capsys):
    code, out, err = run(capsys, "check", f"{model}:loss", "--order", "2", *AT)
    assert (code, err) == (0, "")
    assert out.splitlines() == ["order 1: ok", "order 2: ok"]
    assert run(capsys, "check", f"{model}:guarded", "--order", "2", "--at", "x=2.0")[:2] == (0, "order 1: ok\norder 2: ok\n")


def test_check_inputs_that_were_not_given(model, capsys):
    assert run(capsys, "check", f"{model}:loss", "--inputs", "w,scale", *AT)[:2] == (0, "order 1: ok\n")


def test_check_failed(model, capsys, monkeypatch):
    from sourcegrad.api import check_grad as checking
    honest = checking._inner
    monkeypatch.setattr(checking, "_inner", lambda *args: 1.001 * honest(*args))
    code, out, err = run(capsys, "check", f"{model}:power", "--at", "x=2.0", "--order", "2")
    assert (code, out) == (1, "order 1: failed\n")
    assert "input x: the gradient is 12.0" in err


def test_check_nan(model, capsys):
    code, out, err = run(capsys, "check", f"{model}:power", "--at", "x=2.0", "--nan")
    assert (code, out, err) == (0, "value and gradient are finite\n", "")
    Path("broken.py").write_text("import numpy as np\ndef f(x):\n    y = np.sqrt(x)\n    return y * 2.0\n")
    code, out, err = run(capsys, "check", "broken.py:f", "--at", "x=np.array([4.0, 0.0])", "--nan")
    assert (code, out) == (1, "")
    assert "broken.py:3:9: infinite derivative: the derivative of sqrt" in err and "    y = np.sqrt(x)\n        ^\n" in err
    code, out, err = run(capsys, "check", "broken.py:f", "--at", "x=np.array([4.0, -1.0])", "--nan", "--order", "2")
    assert code == 1 and "domain error: the square root of -1" in err


def test_check_does_not_hide_a_bug(model, monkeypatch):
    def broken(*args, **options):
        raise AssertionError
    monkeypatch.setattr("sourcegrad.api.check_grad.check_grad", broken)
    with pytest.raises(AssertionError):
        main(["check", f"{model}:power", "--at", "x=2.0"])


@pytest.mark.parametrize("argv, message", [
    (["loss", "--at", "w=np.ones(3)"], 'check needs a value for x: --at "x=..."'),
    (["keyword", "--at", "x=1.0", "--at", "gain=2.0"], "keyword-only parameter gain"),
    (["loss", "--at", "w=np.ones(2)", "--at", "x=np.ones((4, 3))"], "model.py:4: model.py:loss fails at these"),
    (["loss", "--at", "v=1.0"], "there is no parameter 'v'\nThe parameters are w, x, scale."),
    (["loss", "--at", "w"], "write NAME=EXPRESSION"),
    (["loss", "--at", "w=nope"], "NameError: name 'nope' is not defined"),
    (["loss", "--at", "w=1 +"], "SyntaxError"),
    (["loss", "--inputs", "v", *AT], "no parameter 'v'"),
    (["power", "--at", "x=np.arange(3)"], "dtype int64: derivatives need floats"),
])
def test_check_bad_usage(model, capsys, argv, message):
    code, out, err = run(capsys, "check", f"{model}:{argv[0]}", *argv[1:])
    assert (code, out) == (2, "")
    assert message in err


# --- errors

def test_what_cannot_be_differentiated_is_located(model, capsys):
    code, out, err = run(capsys, "show", f"{model}:evaluated")
    assert (code, out) == (1, "")
    assert "model.py:36:12: `eval` cannot be differentiated\n    return eval(\"x * y\")\n           ^\n" in err
    code, out, err = run(capsys, "show", f"{model}:checksum")
    assert (code, out) == (1, "")
    assert "model.py:23:12: zlib.crc32 has no derivative rule" in err and "@sg.rule(zlib.crc32)" in err


def test_a_refusal_at_import_is_located(model, capsys):
    text = "import sourcegrad as sg\n\n@sg.differentiable\ndef f(x):\n    global a\n    a = x\n    return x\n"
    Path("broken.py").write_text(text)
    code, out, err = run(capsys, "show", "broken.py:f")
    assert (code, out) == (1, "")
    assert "broken.py:6:5: a store into the global 'a' cannot be differentiated" in err


@pytest.mark.parametrize("target, message", [
    ("missing.py:f", "missing.py: no such file"),
    ("no_such_package.mod:f", "there is no module 'no_such_package'"),
    ("model.py", "'model.py' does not name a function"),
    ("model.py:", "'model.py:' does not name a function"),
    ("model.py:pwer", "model.py has no function 'pwer'\nIt has power."),
    ("model.py:constant", "model.py:constant is not a function but a float"),
])
def test_bad_targets(model, capsys, target, message):
    for command in ("show", "check"):
        code, out, err = run(capsys, command, target)
        assert (code, out) == (2, "")
        assert message in err


@pytest.mark.parametrize("text, message", [
    ("x = 1\n\ndef f(x)\n    return x\n", "broken.py:3:9: SyntaxError: "),
    ("if 1:\nx = 2\n", "broken.py:2:1: IndentationError: "),
    ("x = 1\ny = x / 0\n", "broken.py:2: importing broken.py fails: ZeroDivisionError: division by zero\n"),
    ("import sys\nsys.exit('enough')\n", "broken.py:2: importing broken.py fails: SystemExit: enough\n"),
    ("import not_installed\n", "broken.py:1: importing broken.py fails: ModuleNotFoundError: No module named"),
    ("import numpy as np\nnp.reshape([1, 2], 3)\n", "broken.py:2: importing broken.py fails: ValueError: "),
])
def test_a_file_that_cannot_be_imported(model, capsys, text, message):
    Path("broken.py").write_text(text)
    code, out, err = run(capsys, "show", "broken.py:f")
    assert (code, out) == (2, "")
    assert message in err


def test_the_line_of_a_syntax_error_is_quoted(model, capsys):
    Path("broken.py").write_text("if True:\n    x = (1 +* 2)\n")
    err = run(capsys, "show", "broken.py:f")[2]
    quoted, caret = err.splitlines()[1:3]
    assert quoted == "    x = (1 +* 2)" and quoted[caret.index("^")] in "*1"


@pytest.mark.parametrize("argv", [
    [], ["nonsense"], ["show"],
    ["show", "model.py:power", "--order", "0"], ["show", "model.py:power", "--order", "two"],
    ["show", "model.py:power", "--all", "--diff"], ["check", "model.py:power", "--all"], ["rules", "a", "b"],
])
def test_bad_usage(model, capsys, argv):
    code, out, err = run(capsys, *argv)
    assert (code, out) == (2, "")
    assert "usage: sourcegrad" in err


def test_help(capsys):
    code, out, err = run(capsys, "show", "--help")
    assert (code, err) == (0, "") and "--stage NAME" in out


# --- rules

def test_rules_are_listed_and_counted(capsys):
    code, out, err = run(capsys, "rules")
    assert (code, err) == (0, "")
    assert "functions with a derivative rule" in out and "functions with derivative zero" in out
    listed = out.split()
    assert {"arctan2", "linalg.inv"} & set(listed) and "argmax" in listed and "atan2" in listed
    assert "add.reduce" in listed and max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("name", ["sin", "np.sin", "numpy.sin"])
def test_one_rule_with_its_text_and_samples(capsys, name):
    code, out, _ = run(capsys, "rules", name)
    assert code == 0
    assert "# primitives: numpy.sin" in out and "def sin(ct, out, x):" in out and "ct * np.cos(" in out
    assert "# samples:" in out and "#   (REAL)" in out
    assert ("math.sin" in out) == (name == "sin")


def test_the_rule_of_math_is_that_of_numpy(capsys):
    code, out, _ = run(capsys, "rules", "math.sin")
    assert code == 0 and "# primitives: math.sin\n# np stands for math\n" in out
    assert "stands for" not in run(capsys, "rules", "np.sin")[1]


def test_a_function_with_derivative_zero(capsys):
    assert run(capsys, "rules", "argmax")[:2] == (0, "# numpy.argmax: derivative zero\n")


def test_every_rule_can_be_printed(capsys):
    from sourcegrad.primitives.core import RULES
    for rule in RULES.values():
        assert "# samples:" in cli.commands.rule_text(rule)


def test_a_function_without_rule(capsys):
    code, out, err = run(capsys, "rules", "np.sinn")
    assert (code, out) == (1, "")
    assert "np.sinn has no derivative rule\nDid you mean" in err and "numpy.sin" in err


# --- printing

class Terminal:
    def isatty(self) -> bool:
        return True


def test_colour_only_on_a_terminal_that_wants_it(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert cli.targets.colour_wanted(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not cli.targets.colour_wanted(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not cli.targets.colour_wanted(Terminal())


def test_messages_are_coloured_on_a_terminal(model, capsys, monkeypatch):
    plain = run(capsys, "show", f"{model}:evaluated")[2]
    monkeypatch.setattr(cli.targets, "colour_wanted", lambda stream: stream is sys.stderr)
    code, out, err = run(capsys, "show", f"{model}:evaluated")
    assert (code, out) == (1, "")
    assert re.sub(r"\x1b\[[0-9;]*m", "", err) == plain
    first, quoted, caret, *_ = err.split("\n")
    assert first.startswith("\x1b[1m\x1b[31msourcegrad:") and "\x1b" not in quoted
    assert caret.strip("\x1b[0123m ") == "^" and caret.startswith("\x1b[1m\x1b[32m")


def test_colour_is_optional(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygments", None)
    assert cli.targets.coloured("x = 1\n", "python") == "x = 1\n"


def test_coloured_text_is_the_same_text():
    pytest.importorskip("pygments")
    text = "def f(x):\n    return 'a' + x  # note\n"
    painted = cli.targets.coloured(text, "python")
    assert painted != text and re.sub(r"\x1b\[[0-9;]*m", "", painted) == text


# --- as a process

def process(*argv: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    return subprocess.run([sys.executable, "-m", "sourcegrad", *argv], cwd=cwd, env=environment, capture_output=True,
                          text=True, timeout=120)


def test_output_in_a_pipe_is_plain_and_repeatable(model, tmp_path):
    first, second = (process("show", "model.py:loss", *AT, cwd=tmp_path) for _ in range(2))
    assert (first.returncode, first.stderr) == (0, "")
    assert "\x1b" not in first.stdout and "def loss_grad(" in first.stdout
    assert first.stdout == second.stdout


def test_a_mistake_in_a_process(model, tmp_path):
    run = process("show", "model.py:evaluated", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (1, "")
    assert "model.py:36:12:" in run.stderr and "Traceback" not in run.stderr


def test_a_closed_pipe_is_no_error(tmp_path):
    with subprocess.Popen([sys.executable, "-m", "sourcegrad", "rules"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True) as run:
        run.stdout.close()
        assert run.stderr.read() == ""
    assert run.returncode == 0


def test_version(capsys):
    assert run(capsys, "--version") == (0, f"sourcegrad {sg.__version__}\n", "")
