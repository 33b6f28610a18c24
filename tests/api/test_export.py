"""Exported modules: they need NumPy only, give the same numbers, are formatted and typed; and drift is found."""
import ast
import copy
import importlib.util
import pickle
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sourcegrad as sg
from benchmarks import pairs
from sourcegrad.api.export import backwards, exported, formatted
from sourcegrad.cli import main
from sourcegrad.errors import InputError, SourcegradError, UnsupportedError
from sourcegrad.ir.printing import WIDTH
from tests.conftest import RUN
from tests.programs.corpus import BY_NAME

ROOT = Path(__file__).parents[2]
PROGRAMS = 15

RUNNER = """
import importlib.util, pickle, sys, warnings
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"sourcegrad", "gast", "astor"}:
            raise ImportError(f"{name} is not installed here")
sys.meta_path.insert(0, Blocked())
import numpy as np
warnings.simplefilter("ignore")
found = {}
for name, function, args, options in pickle.load(open(sys.argv[1], "rb")):
    spec = importlib.util.spec_from_file_location(name, f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with np.errstate(all="ignore"):
        found[name] = getattr(module, function)(*args, **options)
pickle.dump(found, open(sys.argv[2], "wb"))
"""


def same(found, wanted):
    if isinstance(wanted, (tuple, list)):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(same(found[key], wanted[key]) for key in wanted)
    found, wanted = np.asarray(found), np.asarray(wanted)
    return found.dtype == wanted.dtype and np.array_equal(found, wanted, equal_nan=True)


def run_alone(cases, folder):
    """Whether exported modules give the same where sourcegrad cannot be imported. cases: name, gradient, args, options."""
    jobs, wanted = [], {}
    for name, gradient, args, options in cases:
        args = pickle.loads(pickle.dumps(args))             # in memory as they are there: sums go the same way
        with np.errstate(all="ignore"):
            wanted[name] = gradient(*copy.deepcopy(args), **options)
        gradient.export(folder / f"{name}.py")
        jobs.append((name, gradient._last[0].half.__name__, args, options))
    (folder / "jobs").write_bytes(pickle.dumps(jobs))
    (folder / "runner.py").write_text(RUNNER)
    done = subprocess.run([sys.executable, "runner.py", "jobs", "results"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = pickle.loads((folder / "results").read_bytes())
    return {name: same(found[name], wanted[name]) for name in wanted}


def test_all_benchmark_pairs_run_with_numpy_only(tmp_path):
    cases = []
    for name in pairs.NAMES:
        pair = pairs.load(name)
        cases.append((name, sg.value_and_grad(pair.primal, inputs=pair.INPUTS), pair.make("tiny", np.random.default_rng(0)), {}))
    found = run_alone(cases, tmp_path)
    assert len(found) == len(pairs.NAMES) and all(found.values()), [name for name, good in found.items() if not good]
    ruff = [sys.executable, "-m", "ruff"]
    done = subprocess.run([*ruff, "check", "--isolated", *map(str, tmp_path.glob("*.py"))], capture_output=True, text=True)
    assert done.returncode == 0 or "runner.py" in done.stdout and all(
        "runner.py" in line for line in done.stdout.splitlines() if "-->" in line), done.stdout
    done = subprocess.run([*ruff, "format", "--check", "--isolated", *(str(tmp_path / f"{name}.py") for name in pairs.NAMES)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    if importlib.util.find_spec("mypy"):
        done = subprocess.run([sys.executable, "-m", "mypy", *(f"{name}.py" for name in pairs.NAMES)], cwd=tmp_path,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def pickled(x):
    try:
        pickle.dumps(x)
    except Exception:
        return False
    return True


def test_programs_run_with_numpy_only(tmp_path):
    """Others in every run: 40 that can be exported, of all that are differentiated."""
    names = sorted(BY_NAME)
    random.Random(RUN).shuffle(names)
    cases, refused = [], []
    for name in names:
        program = BY_NAME[name]
        args, gradient = program.fresh(), sg.grad(program.function, program.inputs)
        try:
            with np.errstate(all="ignore"):
                result = gradient(*program.fresh(), **program.options)
        except SourcegradError:
            continue
        if not pickled((args, program.options, result)) or not of_arrays((args, program.options, result)):
            continue
        if gradient._layers or any(type(item) is int for item in args):       # a receiver; whole numbers count as floats in a call
            continue
        with np.errstate(all="ignore"):
            if not same(gradient(*program.fresh(), **program.options), result):         # it draws random numbers, or counts
                continue
        try:
            text = exported(gradient._last[0], ["export", name], gradient._active()[0])
        except UnsupportedError as error:
            assert error.remedy
            refused.append(name)
            continue
        assert "from sourcegrad" not in text and "import sourcegrad" not in text
        if "from tests." in text:                               # a class of the user's module
            continue
        cases.append((f"program_{re.sub(r'[^A-Za-z0-9]', '_', name)}", gradient, args, program.options))
        if len(cases) == PROGRAMS:
            break
    found = run_alone(cases, tmp_path)
    assert all(found.values()), [name for name, good in found.items() if not good]
    assert len(refused) < len(cases), refused


def of_arrays(x):
    """Whether it holds numbers and arrays only: classes live in modules that need sourcegrad."""
    if isinstance(x, dict):
        return all(map(of_arrays, x.values()))
    if type(x) in (tuple, list):
        return all(map(of_arrays, x))
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype.kind in "biufc"
    return x is None or type(x) in (int, float, complex, bool, str)


# --- one module in full

MODEL = '''
import numpy as np

RATE = 0.3
WEIGHTS = np.array([1.0, 2.0])


def slope(x):
    total = 0.0
    for w in WEIGHTS:
        total = total + w * np.sin(x) * RATE
    return total


def loss(w, X, scale=2.0):
    return scale * np.sum(slope(X @ w) ** 2)
'''


@pytest.fixture
def model(tmp_path, monkeypatch):
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)      # (Python's byte code takes two edits in one second for one)
    forget()                                                   # (what another test has left would give this one another name)
    yield tmp_path
    sys.modules.pop("model", None)


def forget():
    """As a new process: nothing of the module is left."""
    for name in [name for name in sys.modules if name.startswith("model")]:
        del sys.modules[name]


AT = ["--at", "w=np.ones(3)", "--at", "X=np.ones((4, 3))"]


def export(*more):
    code = main(["export", "model.py:loss", *AT, *more])
    forget()
    return code


def test_the_module_is_what_a_person_would_write(model, capsys):
    assert export("-o", "loss_grad.py") == 0
    text = (model / "loss_grad.py").read_text()
    assert "sourcegrad export model.py:loss --at w=np.ones" in text.splitlines()[1].replace("'", "")
    assert "# Kinds: w: float64[n], X: float64[m,n], scale: float" in text
    assert "# Source: model.loss " in text and "# Source: model.slope " in text
    assert "RATE = 0.3" in text and "WEIGHTS = np.array([1.0, 2.0], dtype=np.float64)" in text
    assert 'def loss_grad(\n    w: NDArray[np.float64], X: NDArray[np.float64], scale: float = 2.0\n) -> NDArray[' in text
    assert "Gradient of `loss` by w." in text and "Parameters\n    ----------\n    w : float64 array of rank 1" in text
    assert '    made_for("w: float64[n], X: float64[m,n], scale: float", w, X, scale)\n' in text
    assert "sourcegrad.runtime" not in text and "from sourcegrad" not in text
    export("-o", "again.py")
    assert (model / "again.py").read_text() == text.replace("loss_grad.py", "again.py")


def test_it_refuses_other_arguments(model):
    export("-o", "loss_grad.py")
    space = {}
    exec((model / "loss_grad.py").read_text(), space)
    with pytest.raises(TypeError, match="generated for"):
        space["loss_grad"](np.ones((3, 3)), np.ones((4, 3)))


SIZES = '''
import numpy as np


def loss(w, X):
    d = w * X - 1.0
    return np.sum(d * d)
'''


def test_it_refuses_sizes_that_the_text_takes_for_granted(model):
    """Without a check the gradient by an array that broadcasts would have the wrong shape, and one of complex numbers be wrong."""
    (model / "model.py").write_text(SIZES)
    assert main(["export", "model.py:loss", "--at", "w=np.ones(3)", "--at", "X=np.ones(3)", "-o", "loss_grad.py"]) == 0
    space = {}
    exec((model / "loss_grad.py").read_text(), space)
    np.testing.assert_array_equal(space["loss_grad"](np.ones(4), np.full(4, 2.0)), np.full(4, 4.0))
    for wrong in [(np.ones(1), np.ones(3)), (np.ones(3), np.ones(1)), (np.ones(1), np.ones(1)), (np.ones(3), np.ones(3) + 1j)]:
        with pytest.raises(TypeError, match=r"generated for w: float64\[n\], X: float64\[n\]"):
            space["loss_grad"](*wrong)


class Elsewhere:
    """An array of another library."""

    ndim, shape, dtype = 1, (3,), np.dtype(float)

    def __array_function__(self, function, types, args, kwargs):
        return getattr(self, function.__name__)

    def __array_ufunc__(self, function, method, *args, **kwargs):
        return self

    __mul__ = __rmul__ = __sub__ = __getitem__ = lambda self, other: self
    sum, iscomplexobj = 7.0, False


def writes_into_a_view(x):
    y = np.sin(x)
    y[:2][0] = 5.0
    return np.sum(y * x)


def writes_under_two_names(x):
    y = np.sin(x)
    z = y[1:]
    z *= 2.0
    return np.sum(y * x)


def writes_into_a_part(x, n):
    y = x.copy()
    for i in range(n):
        y[i] *= x[i]
    return np.sum(y)


def calls_another_function(x):
    return np.sum(np.linalg.cholesky(np.outer(x, x) + np.eye(3)))


def with_a_helper(x):
    return np.sum(np.sort(x) * x)


@pytest.mark.parametrize("function, more, why", [
    (writes_into_a_view, (), "it writes into "), (writes_under_two_names, (), "it "), (writes_into_a_part, (2,), "it "),
    (calls_another_function, (), "it calls "), (with_a_helper, (), "it calls ")], ids=lambda value: getattr(value, "__name__", ""))
def test_arrays_of_other_libraries_are_refused_where_they_may_differ(tmp_path, function, more, why):
    gradient = sg.grad(function)
    x = np.array([0.5, 1.5, 2.5])
    wanted = gradient(x, *more)
    gradient.export(tmp_path / "made.py")
    space = {}
    exec((tmp_path / "made.py").read_text(), space)
    made = space[f"{function.__name__}_grad"]
    np.testing.assert_array_equal(made(x, *more), wanted)
    with pytest.raises(TypeError, match=f"^this is for arrays of NumPy only: {why}"):
        made(Elsewhere(), *more)


def test_arrays_of_other_libraries_inside_of_containers_are_refused(tmp_path):
    def total(parts):
        return np.sum(np.sort(parts["a"][0]) * parts["b"])

    x = np.ones(3)
    gradient = sg.grad(total)
    gradient({"a": [x], "b": x})
    gradient.export(tmp_path / "made.py")
    space = {}
    exec((tmp_path / "made.py").read_text(), space)
    with pytest.raises(TypeError, match="arrays of NumPy only"):
        space["total_grad"]({"a": [Elsewhere()], "b": x})


@pytest.mark.parametrize("more, call", [
    (["--value"], lambda f: sg.value_and_grad(f)), (["--order", "2", "--grad-outputs"], None),
    (["--inputs", "w,X"], lambda f: sg.grad(f, ("w", "X"))), (["--inputs", "X"], lambda f: sg.grad(f, "X"))])
def test_options_of_the_command(model, more, call):
    assert export("-o", "made.py", *more) == 0
    space = {}
    exec((model / "made.py").read_text(), space)
    function = next(value for name, value in reversed(space.items()) if callable(value) and "grad" in name)
    sys.path.insert(0, str(model))
    try:
        import model as user
        args = np.array([0.1, -0.2, 0.3]), np.linspace(0, 1, 12).reshape(4, 3)
        if "--order" in more:
            np.testing.assert_allclose(function(*args, grad_outputs=np.ones(3)), sg.hessian(user.loss)(*args).sum(0))
        else:
            assert same(function(*args), call(user.loss)(*args))
    finally:
        sys.path.remove(str(model))


def test_weights_of_outputs(model):
    (model / "model.py").write_text(MODEL.replace("np.sum(slope(X @ w) ** 2)", "slope(X @ w) ** 2"))
    assert export("-o", "made.py", "--grad-outputs") == 0
    assert "grad_outputs" in (model / "made.py").read_text()


@pytest.mark.parametrize("change, says", [
    (("w * np.sin(x)", "w * np.cos(x)"), "np.cos"),                         # a callee
    (("scale * np.sum", "3.0 * scale * np.sum"), "3.0"),                    # the function
    (("RATE = 0.3", "RATE = 0.4"), "RATE = 0.4"),                           # data
    (("scale=2.0", "scale=2"), "scale: int"),                               # a kind
])
def test_drift_is_found(model, capsys, change, says):
    export("-o", "loss_grad.py")
    assert main(["check", "--drift", "."]) == 0
    assert capsys.readouterr().out.strip() == "loss_grad.py: ok"
    forget()
    (model / "model.py").write_text(MODEL.replace(*change))
    assert main(["check", "--drift", "loss_grad.py"]) == 1
    out = capsys.readouterr().out
    assert says in out and "differs: export it again" in out and "+++" in out


def test_a_changed_rule_and_an_edited_module_are_drift(model, capsys):
    rules = '''
import sourcegrad as sg
import math


def cube(x):
    return math.pow(x, 3)


@sg.rule(cube)
def cube_rule(ct, out, x):
    return 3.0 * ct * x * x


def loss(x):
    return cube(x) * 2.0
'''
    (model / "model.py").write_text(rules)
    assert main(["export", "model.py:loss", "--at", "x=2.0", "-o", "made.py"]) == 0
    forget()
    assert main(["check", "--drift", "made.py"]) == 0
    forget()
    (model / "model.py").write_text(rules.replace("3.0 * ct * x * x", "3.0 * ct * x ** 2"))
    assert main(["check", "--drift", "made.py"]) == 1
    forget()
    (model / "model.py").write_text(rules)
    (model / "made.py").write_text((model / "made.py").read_text().replace("return", "return 1.0 *"))
    capsys.readouterr()
    assert main(["check", "--drift", "made.py"]) == 1
    assert "1.0 *" in capsys.readouterr().out


def test_drift_from_another_folder_and_without_the_source(model, capsys, monkeypatch):
    (model / "made").mkdir()
    export("-o", "made/loss_grad.py")
    assert "export ../model.py:loss" in (model / "made" / "loss_grad.py").read_text()
    monkeypatch.chdir(model.parent)
    assert main(["check", "--drift", str(model)]) == 0
    forget()
    (model / "model.py").unlink()
    assert main(["check", "--drift", str(model)]) == 2
    assert "which is not there any more" in capsys.readouterr().err
    assert main(["check", "--drift", str(model / "nowhere")]) == 2


def test_a_file_of_the_user_is_not_overwritten(model, capsys):
    assert export("-o", "model.py") == 2
    assert (model / "model.py").read_text() == MODEL
    gradient = sg.grad(lambda x: x * x)
    gradient(2.0)
    with pytest.raises(InputError, match="was not exported"):
        gradient.export(model / "model.py")


def test_a_gradient_that_was_not_called_says_so(tmp_path):
    with pytest.raises(InputError, match="has not been called"):
        sg.grad(np_square).export(tmp_path / "x.py")


def np_square(x):
    return np.sum(x * x)


def closure(log):
    def f(x):
        log.info("called")
        return x * x
    return f


def test_what_cannot_stand_alone_is_refused_with_its_place(tmp_path):
    import logging
    gradient = sg.grad(closure(logging.getLogger("a")))
    gradient(2.0)
    with pytest.raises(UnsupportedError, match="cannot be imported by a name"):
        gradient.export(tmp_path / "x.py")
    assert not (tmp_path / "x.py").exists()


def test_the_hook_runs_what_is_documented():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    entry = next(line.partition(": ")[2] for line in text.splitlines() if line.strip().startswith("entry:"))
    assert entry == "sourcegrad check --drift" and entry in (ROOT / "docs" / "howto" / "export.md").read_text()


def test_drift_of_a_formatted_module_needs_the_formatter(monkeypatch, model, capsys):
    export("-o", "loss_grad.py")
    monkeypatch.setattr("sourcegrad.cli.commands.formatter", lambda: False)
    assert main(["check", "--drift", "loss_grad.py"]) == 2
    assert "pip install" in capsys.readouterr().err


def test_text_without_ruff_is_still_a_module(monkeypatch, model):
    monkeypatch.setattr("sourcegrad.api.export.formatter", lambda: False)
    assert formatted("x  =  1\n") == "x  =  1\n"
    export("-o", "loss_grad.py")
    text = (model / "loss_grad.py").read_text()
    compile(text, "loss_grad.py", "exec")
    assert max(map(len, text.partition("def loss_grad(")[2].splitlines())) <= WIDTH


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs numba: pip install 'sourcegrad[numba]'")
def test_numba_compiles_loops(tmp_path):
    def path(x, n):
        total = 0.0
        for i in range(1, n):
            total += np.sin(x[i] * total) * x[i - 1]
        return total

    gradient = sg.grad(path)
    x = np.linspace(0.1, 0.9, 7)
    wanted = gradient(x, 7)
    gradient.export(tmp_path / "made.py", numba=True)
    space = {}
    exec((tmp_path / "made.py").read_text(), space)
    np.testing.assert_allclose(space["path_grad"](x, 7), wanted, rtol=1e-14)
    assert "range(n - 1, 0, -1)" in (tmp_path / "made.py").read_text()


@pytest.mark.parametrize("text, wanted", [
    ("reversed(range(n))", "range(n - 1, -1, -1)"), ("reversed(range(2, n + 1))", "range(n + 1 - 1, 1, -1)"),
    ("reversed(range(n - 2, -1, -1))", "range(0, n - 2 + 1)"), ("reversed(range(0, n, 3))", None), ("sorted(n)", None),
    ("reversed(steps)", "range(steps.start + (len(steps) - 1) * steps.step, steps.start - steps.step, -steps.step)"),
    ("reversed(values)", "values[::-1]")])
def test_backwards(text, wanted):
    found = backwards(ast.parse(text, mode="eval").body, {"steps"})
    assert found == wanted
    for n in range(5):
        for steps in (range(n), range(2, n), range(n - 2, -1, -1), range(n, 9, 3)):
            space = {"n": n, "steps": steps, "values": [1, 2, 3]}
            assert wanted is None or list(eval(wanted, space)) == list(eval(text, space))


def test_with_numba_a_plain_function_checks_and_a_compiled_one_computes(tmp_path):
    def total(x, y):
        y[0] = 2.0
        for i in range(1, len(y)):
            y[i] *= y[i - 1] * x[i]
        return np.sum(y)

    gradient = sg.grad(total)
    x, y = np.linspace(0.5, 1.5, 4), np.linspace(0.3, 0.9, 4)
    wanted = gradient(x, y.copy())
    gradient.export(tmp_path / "made.py", numba=True)
    text = (tmp_path / "made.py").read_text()
    space = {}
    exec(text.replace("from numba import njit", "njit = lambda function: function"), space)
    np.testing.assert_array_equal(space["total_grad"](x, y), wanted)
    assert y[0] == 0.3 and "@njit\ndef compiled_total_grad(x, y):" in text
    with pytest.raises(TypeError, match="generated for"):
        space["total_grad"](x[None], y)
