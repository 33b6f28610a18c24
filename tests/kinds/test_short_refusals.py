"""What a user sees of a refusal: the own frames and the message; and what is a fault of the package says so, with a place."""
import dataclasses
import os
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import errors
from sourcegrad.compiler import passes, pipeline, specialize

PACKAGE = os.path.dirname(os.path.abspath(sg.__file__))


@pytest.fixture(autouse=True)
def without_debug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(errors.DEBUG, raising=False)
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)


def evaluates(x: Any) -> Any:
    return eval("x") * x


def calls_it(x: Any) -> Any:
    return evaluates(x) + 1.0


def found_late(x: Any, h: Any) -> Any:
    return h[0](x) * 2.0


class Model:
    def __init__(self) -> None:
        self.w = 2.0

    def __call__(self, x: Any) -> Any:
        return eval("x") * self.w


def changes(x: Any) -> Any:
    for value in (v for v in iter(lambda: x, 2.0)):
        x = x + value
    return x


def vector(x: Any) -> Any:
    return x * 2.0


def twice(x: Any) -> Any:
    return sg.grad(evaluates)(x) * x


REFUSED: dict[str, Callable[[], Any]] = {
    "call": lambda: sg.grad(evaluates)(1.0),
    "call of a caller": lambda: sg.grad(calls_it)(1.0),
    "by keyword": lambda: sg.grad(calls_it)(x=1.0),
    "value and gradient": lambda: sg.value_and_grad(calls_it)(1.0),
    "second order": lambda: sg.grad(sg.grad(calls_it))(1.0),
    "gradient inside": lambda: sg.grad(twice)(1.0),
    "vjp": lambda: sg.vjp(calls_it, 1.0),
    "pullback": lambda: sg.vjp(vector, np.ones(3))[1](np.ones(4)),
    "source": lambda: sg.source(calls_it),
    "source of a gradient": lambda: sg.grad(calls_it).source,
    "compiled": lambda: sg.grad(calls_it).compiled(1.0),
    "check": lambda: sg.check_grad(calls_it, 1.0),
    "decorator": lambda: sg.differentiable(evaluates),
    "callable object": lambda: sg.grad(Model())(1.0),
    "known at run time": lambda: sg.grad(found_late)(1.0, [evaluates]),
    "no function": lambda: sg.grad(3.0),
    "no source": lambda: sg.grad(len),
    "no such input": lambda: sg.grad(vector, "y"),
    "no such position": lambda: sg.grad(vector, 4)(1.0),
    "integers": lambda: sg.grad(vector)(np.arange(3)),
    "text": lambda: sg.grad(vector)("x"),
    "not enough arguments": lambda: sg.grad(vector)(),
    "no weights": lambda: sg.grad(vector)(np.ones(3)),
    "weights of another shape": lambda: sg.grad(vector)(np.ones(3), grad_outputs=np.ones(4)),
    "iterator": lambda: sg.grad(changes)(1.0),
    "stage": lambda: sg.source(vector, stage="none"),
    "order": lambda: sg.source(vector, order=0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_traceback_has_the_frames_of_the_user(name: str) -> None:
    for _ in range(3):                                  # from the general way, and from the quick ones
        try:
            try:
                raise KeyError("the user's own")
            except KeyError:
                REFUSED[name]()
        except errors.SourcegradError as error:
            raw = [frame.filename for frame in traceback.extract_tb(errors.full_traceback(error))]
            seen = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
            printed = traceback.format_exc()
        else:
            pytest.fail("not refused")
        assert set(seen) == {__file__}
        assert sum(file.startswith(PACKAGE) for file in raw) <= (4 if name == "source of a gradient" else 5), raw
        assert PACKAGE not in printed
        assert printed.count("Traceback") <= 2              # the KeyError that was handled, and the refusal


def test_a_quick_call_is_short_as_well() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.linalg.lstsq(x, x, rcond=None)[3]) if x[0, 0] > 100.0 else np.sum(x * x)

    gradient = sg.grad(f)
    for _ in range(5):
        gradient(np.eye(3))
    with pytest.raises(errors.UnsupportedError) as found:
        gradient(np.eye(3) * 999.0)
    assert {frame.filename for frame in traceback.extract_tb(found.value.__traceback__)} == {__file__}


SCRIPT = textwrap.dedent("""
    import sourcegrad as sg


    def f(x):
        return eval("x") * x


    def main():
        return sg.grad(f)(1.0)


    main()
""")


def run(tmp_path: Any, **variables: str) -> str:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    environment = {n: v for n, v in os.environ.items() if n != errors.DEBUG}
    environment |= {"PYTHONPATH": os.path.dirname(PACKAGE), **variables}
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 1
    return done.stderr


def test_of_a_script(tmp_path: Any) -> None:
    text = run(tmp_path)
    assert PACKAGE not in text
    assert [line.split("in ")[-1] for line in text.splitlines() if line.startswith("  File")] == ["<module>", "main"]
    assert text.splitlines()[-4].startswith(f"sourcegrad.errors.UnsupportedError: {tmp_path / 'script.py'}:6:12: ")
    full = run(tmp_path, **{errors.DEBUG: "1"})
    assert PACKAGE in full and len(full.splitlines()) > len(text.splitlines()) + 8


def test_of_a_shell() -> None:
    """In IPython, which shows the frames of `sys.exc_info()`."""
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance()
    with capture_output() as shown:
        shell.run_cell(SCRIPT.replace("\nmain()", "\n\nmain()"))
    assert "UnsupportedError" in shown.stdout
    assert PACKAGE not in shown.stdout and "skipping hidden" not in shown.stdout


# --- faults of the package

def everything(x: Any, n: int = 2) -> Any:
    a = np.zeros(3)
    values = [x, x * 2.0]
    table = {"a": x}
    scale = lambda t: t * x
    for i in range(n):
        a[i] = scale(x) * values[i] + table["a"]
        if x > 0.5:
            a[i] += helper(x, i)
    return np.sum(a)


def helper(x: Any, i: int) -> Any:
    y = x
    while y < 1.0:
        y = y * 2.0
    return y + i


STEPS = [found.name for found in passes.listed(passes.PHASES["syntax"])]
PASSES = """fence resolve spell dispatch_tables context_managers containers unroll out_arguments specialise functionalize
    single_steps materialize_conditions hoist_loads check_unseen inline cse Infer Activity Record Guards Reverse dce
    forward_substitution simplify scalar_replacement store_forwarding borrow sums
    restores copy_elision conversion_elision results finish escape""".split()
FAULTS = [KeyError("w"), AttributeError("'NoneType' object has no attribute 'id'"), TypeError("unhashable type: 'list'"),
          IndexError("list index out of range"), ValueError("too many values"), AssertionError(), StopIteration(),
          NotImplementedError("not yet"), UnboundLocalError("s"), ZeroDivisionError("division by zero"), OSError("no file"),
          UnicodeDecodeError("utf-8", b"", 0, 1, "no"), OverflowError("int too large")]
ASKED = [lambda: sg.grad(everything)(0.7), lambda: sg.vjp(everything, 0.7), lambda: sg.source(everything),
         lambda: sg.grad(sg.grad(everything))(0.7), lambda: sg.check_grad(everything, 0.7)]


@pytest.mark.parametrize("name", STEPS + PASSES)
def test_faults_are_told_as_such(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS[(STEPS + PASSES).index(name) % len(FAULTS)]

    def broken(*_args: Any, **_options: Any) -> Any:
        raise fault

    if name in STEPS:
        monkeypatch.setitem(passes.PHASES, "syntax", tuple(
            dataclasses.replace(step, run=broken) if step.name == name and isinstance(step, passes.Pass) else step
            for step in passes.PHASES["syntax"]))
    for module in (pipeline, passes, specialize):
        if name not in STEPS and hasattr(module, name):
            monkeypatch.setattr(module, name, broken)
    for ask in (ASKED[0], ASKED[1 + (STEPS + PASSES).index(name) % 4]):
        with pytest.raises(errors.InternalError) as found:
            ask()
        assert found.value.origin is not None and found.value.origin.file == __file__
        assert type(fault).__name__ in str(found.value) and "please report" in str(found.value)
        assert {frame.filename for frame in traceback.extract_tb(found.value.__traceback__)} == {__file__}


def test_the_line_nearest_to_the_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    from sourcegrad.analysis.types import Infer

    whole = Infer.of

    def broken(self: Any, node: Any, *rest: Any) -> Any:
        if getattr(node, "value", None) == 2.0:
            raise KeyError("two")
        return whole(self, node, *rest)

    monkeypatch.setattr(Infer, "of", broken)
    with pytest.raises(errors.InternalError) as found:
        sg.grad(everything)(0.7)
    assert found.value.origin is not None and found.value.origin.text.strip() in ("values = [x, x * 2.0]", "y = y * 2.0")
