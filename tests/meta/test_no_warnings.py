"""Nothing of the package warns (`python -W error`), and nothing of it needs what Python 3.14 has left out of `ast`."""
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import numpy as np
import sourcegrad as sg

def f(x, n=2, name="f"):
    assert n > 0, f"{name}: {n!r:>{n}} {{}} \\n"
    label = f"{name}{n}"
    try:
        with np.errstate(all="ignore"):
            y = x ** n if label else -x
    except ValueError as error:
        raise RuntimeError(f"{label} of {error}") from error
    ends = {"a": 1.5, **{"b": -np.inf}}
    take = lambda z, /, *, k=1.0, **rest: k * z
    return np.sum(take(y, k=ends["a"])) + (2j * 1j).real * np.sum([z * z for z in x])

def g(x):
    return np.sum(np.sin(x) ** 3)
"""
USES = {
    "first gradient": "print(sg.grad(f)(np.ones(3)))",
    "value": "print(sg.value_and_grad(f)(np.ones(3), 3, name='g'))",
    "order 2": "print(sg.grad(sg.grad(g), grad_outputs=np.ones(3))(np.ones(3)))",
    "source": "print(sg.source(f, at={'x': np.ones(3)}))",
    "check_grad": "sg.check_grad(g, np.ones(3), order=2)",
    "jacobian": "print(sg.jacobian(g)(np.ones(3)), sg.hessian(g)(np.ones(3)))",
    "Tensors": "t = sg.tensor([1.0, 2.0], requires_grad=True); (sg.sin(t) * t).sum().backward(); print(t.grad)",
    "functions of Tensors": "t = sg.tensor([1.0, 2.0], requires_grad=True); f2 = sg.differentiable(f); print(sg.grad(f2(t), t))",
    "nn": "m = sg.nn.Linear(2, 3); m(sg.ones(1, 2)).sum().backward(); sg.optim.SGD(m.parameters(), lr=0.1).step()",
    "html": "sg.grad(f); h = sg.grad(f); h(np.ones(3)); assert '<' in h._repr_html_()",
    "export": "h = sg.grad(f); h(np.ones(3)); h.export(FOLDER + '/out.py')",
    "cli": "from sourcegrad.cli import main\nfor a in (['show', F], ['show', F, '--all'], ['show', F, '--diff'], ['show', F, "
           "'--order', '2'], ['show', F, '--cost', '--at', 'x=np.ones(3)'],\n          ['check', F, '--at', 'x=np.ones(3)'], "
           "['export', F, '--at', 'x=np.ones(3)'], ['rules'], ['rules', 'sin'], ['passes']):\n    assert main(a) == 0, a",
    "refusals": "try:\n    sg.grad(lambda x: eval('x'))(1.0)\nexcept sg.SourcegradError as e:\n    print(e)",
}
GONE = "import ast\nfor name in ('Num', 'Str', 'NameConstant', 'Bytes', 'Ellipsis'):\n    vars(ast).pop(name, None)\n" \
       "ast.__dict__.pop('__getattr__', None)\n"


EACH = """
for what, use in USES.items():
    try:
        exec(use, dict(globals()))
    except BaseException:
        print("FAILED", what)
        traceback.print_exc()
"""


def run(folder, uses, before=""):
    """What of the uses fails in a process of its own where warnings are errors."""
    (folder / "program.py").write_text(PROGRAM)
    text = f"{before}import sys, traceback\nsys.path[:0] = [{str(ROOT)!r}]\nFOLDER, F = {str(folder)!r}, 'program.py:g'\n" \
           f"from program import *\nUSES = {uses!r}\n{EACH}"
    (folder / "main.py").write_text(text)
    done = subprocess.run([sys.executable, "-W", "error", "main.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith("FAILED")], done.stderr


@pytest.mark.parametrize("before", ["", GONE], ids=["as it is", "without what 3.14 has not"])
def test_nothing_warns(tmp_path, before):
    failed, errors = run(tmp_path, USES, before)
    assert not failed, errors


def test_it_can_fail(tmp_path):
    assert run(tmp_path, {"a": "import warnings; warnings.warn('x', DeprecationWarning)", "b": "1"})[0] == ["FAILED a"]
    assert run(tmp_path, {"a": "import ast; ast.Num", "b": "1"}, GONE)[0] == ["FAILED a"]
