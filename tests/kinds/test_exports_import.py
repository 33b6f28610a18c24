"""An exported module imports where sourcegrad is not, and gives the same: whatever the functions that it copies are made of."""

from __future__ import annotations

import builtins
import importlib
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.export import undefined
from sourcegrad.cli import main
from sourcegrad.errors import SourcegradError, UnsupportedError

HEAD = "import functools\nimport math\nimport numpy as np\nimport sourcegrad as sg\n"
HEAD += "from numpy import cos, sin as sine\nRATE = 0.5\nTABLE = {'a': 2.0}\n"
CALLED = "\n\ndef f(x):\n    return np.sum(g(x) * x)\n"
OPAQUE = "@sg.nondifferentiable\n"
PAIR = "\ndef forward(x):\n    return x * x, x\n\ndef reverse(saved, ct):\n    return (2.0 * saved * ct,)\n"

MODULES = {  # what stands between the imports and f
    "nondifferentiable": OPAQUE + "def g(x):\n    return float(np.sum(x > 1))",
    "nondifferentiable under another name": "name = sg.nondifferentiable\n@name\ndef g(x):\n    return float(np.sum(x > 1))",
    "nondifferentiable by a call": "def h(x):\n    return np.round(x) * RATE\ng = sg.nondifferentiable(h)",
    "imported from sourcegrad": "from sourcegrad import nondifferentiable\n@nondifferentiable\ndef g(x):\n    return np.floor(x)",
    "two decorators": "@sg.differentiable\n@sg.nondifferentiable\ndef g(x):\n    return np.floor(x) + RATE",
    "differentiable": "@sg.differentiable\ndef g(x):\n    return np.sin(x)",
    "checkpoint": "@sg.checkpoint\ndef g(x):\n    return np.sin(x) * x",
    "checkpoint of another": "@sg.checkpoint\ndef h(x):\n    return np.sin(x) * RATE\ndef g(x):\n    return h(h(x))",
    "checkpoint inside": "def h(x):\n    return np.sin(x) * x\ndef g(x):\n    return sg.checkpoint(h)(x)",
    "stop_gradient": "def g(x):\n    return sg.stop_gradient(x) * np.cos(x)",
    "stop_gradient in what is copied": OPAQUE + "def g(x):\n    return sg.stop_gradient(np.floor(x)) + 1.0",
    "checkpoint in what is copied": "def h(x):\n    return x * RATE\n"
    + OPAQUE
    + "def g(x):\n    return sg.checkpoint(h)(np.floor(x))",
    "a marked function in what is copied": "@sg.checkpoint\ndef h(x):\n    return x * RATE\n"
    + OPAQUE
    + "def g(x):\n    return h(np.floor(x))",
    "a marked lambda in what is copied": "h = sg.differentiable(lambda x: x * RATE)\n"
    + OPAQUE
    + "def g(x):\n    return h(np.floor(x))",
    "annotations of sourcegrad": OPAQUE
    + "def g(x: 'sg.Tensor | np.ndarray', *, k: sg.Tensor = None) -> sg.Tensor:\n    return np.floor(x)",
    "annotations of nobody": "from __future__ import annotations\n"
    + OPAQUE
    + "def g(x: Nowhere) -> Nothing:\n    return np.floor(x)",
    "rule": "def g(x):\n    return np.exp(x) - 1\n@sg.rule(g)\ndef g_rule(ct, out, x):\n    return ct * (out + 1.0)",
    "rule with a helper": (
        "def g(x):\n    return np.exp(x) - RATE\ndef slope(x):\n    return np.exp(x)\n"
        "@sg.rule(g)\ndef g_rule(ct, out, x):\n    return ct * slope(x)"
    ),
    "lambdas in defvjp": "@sg.custom_vjp\ndef g(x): return x * x\ng.defvjp(lambda x: (x * x, x), lambda s, ct: (2 * s * ct,))",
    "lambdas over lines": (
        "@sg.custom_vjp\ndef g(x): return x * x\ng.defvjp(\n    lambda x: (\n        x * x,\n        x,\n    ),\n"
        "    lambda s, ct: (2 * s  # twice\n                   * ct,),\n)"
    ),
    "a pair of functions": "@sg.custom_vjp\ndef g(x):\n    return x * x\n" + PAIR + "g.defvjp(forward, reverse)",
    "a pair that calls the function": (
        "@sg.custom_vjp\ndef g(x):\n    return np.log1p(np.exp(x))\n"
        "g.defvjp(lambda x: (g(x), x), lambda x, ct: (ct / (1.0 + np.exp(-x)),))"
    ),
    "a pair of keywords": "@sg.custom_vjp\ndef g(x):\n    return x * x\n" + PAIR + "g.defvjp(reverse=reverse, forward=forward)",
    "a pair in a class": (
        "class Pair:\n    @staticmethod\n    def forward(x):\n        return x * x, x\n    @staticmethod\n"
        "    def reverse(saved, ct):\n        return (2.0 * saved * ct,)\n"
        "g = sg.custom_vjp(lambda x: x * x)\ng.defvjp(Pair.forward, Pair.reverse)"
    ),
    "a pair from a factory": (
        "def pair(factor):\n    def forward(x):\n        return factor * x * x, x\n    return forward, "
        "lambda s, ct: (2 * factor * s * ct,)\n@sg.custom_vjp\ndef g(x):\n    return 3.0 * x * x\n"
        "g.defvjp(*pair(3.0))"
    ),
    "pairs from one factory": (
        "def pair(factor):\n    return lambda x: (factor * x * x, x), lambda s, ct: (2 * factor * s * ct,)\n"
        "first, second = sg.custom_vjp(lambda x: 3 * x * x), sg.custom_vjp(lambda x: 5 * x * x)\n"
        "first.defvjp(*pair(3.0))\nsecond.defvjp(*pair(5.0))\ndef g(x):\n    return first(x) * second(x)"
    ),
    "a lambda": "g = sg.nondifferentiable(lambda x: np.floor(x) * RATE)",
    "lambdas on a line": "h, g, k = (sg.nondifferentiable(each) for each in (lambda x: x, lambda x: np.floor(x), lambda x: 2 * x))",
    "a lambda in a dict": "D = {'a': lambda x: x, 'b': lambda x: np.floor(x) * sine(x)}\ng = sg.nondifferentiable(D['b'])",
    "a lambda in a call": "def kept(function, n):\n    return sg.nondifferentiable(function)\ng = kept((lambda x: np.floor(x)), 3)",
    "a lambda of several lines": "g = sg.nondifferentiable(\n    lambda x: (\n        np.floor(x)\n        + RATE\n    )\n)",
    "a lambda as a default": OPAQUE + "def g(x, h=lambda x: np.floor(x)):\n    return h(x)",
    "defaults of lambdas": "g = sg.nondifferentiable(lambda x, h=np.floor, *, n=2: h(x) * n)",
    "a default from a loop": "made = [sg.nondifferentiable(lambda x, i=i: np.floor(x) * i) for i in range(4)]\ng = made[3]",
    "a default that was assigned": OPAQUE + "def g(x, k=RATE):\n    return np.floor(x) * k\nRATE = 7.0",
    "a default that is a table": OPAQUE
    + "def g(x, table=TABLE, names=('a',), far=math.inf):\n    return np.fmin(np.floor(x), far) * table[names[0]]",
    "a captured number": (
        "def made(k):\n    def inner(x):\n        return np.floor(x) * k\n    return inner\n"
        "g = sg.nondifferentiable(made(3.0))"
    ),
    "a captured function": (
        "def made(h):\n    return sg.nondifferentiable(lambda x: h(np.floor(x)))\ng = made(lambda x: x * RATE)"
    ),
    "a decorator of the user": (
        "def twice(h):\n    @functools.wraps(h)\n    def inner(*args):\n        return 2.0 * h(*args)\n    return inner\n"
        + OPAQUE
        + "@twice\ndef g(x):\n    return np.floor(x)"
    ),
    "a decorator by a call": (
        "def twice(h):\n    @functools.wraps(h)\n    def inner(*args):\n        return 2.0 * h(*args)\n    return inner\n"
        "def h(x):\n    return np.floor(x)\ng = sg.nondifferentiable(twice(h))"
    ),
    "a cached function": "@functools.cache\ndef count(n):\n    return n if n < 2 else count(n - 1) + count(n - 2)\n"
    + OPAQUE
    + "def g(x):\n    return np.floor(x) * count(7)",
    "recursion": OPAQUE + "def g(x, n=2):\n    return np.floor(x) if n == 0 else g(x, n - 1) * 2.0",
    "two that call each other": (
        "def even(n):\n    return n == 0 or odd(n - 1)\ndef odd(n):\n    return n > 0 and even(n - 1)\n"
        + OPAQUE
        + "def g(x):\n    return np.floor(x) * even(4)"
    ),
    "globals, constants, imports": OPAQUE
    + "def g(x):\n    return math.floor(RATE + 2) * sine(np.floor(x)) + TABLE['a'] * cos(0.0)",
    "a module under another name": "import numpy.linalg as la\n" + OPAQUE + "def g(x):\n    return la.norm(np.floor(x)) * x",
    "names that are taken": "def f_grad(x):\n    return x * RATE\nx = 3.0\n"
    + OPAQUE
    + "def g(y):\n    return f_grad(np.floor(y)) * x",
    "a comprehension": OPAQUE + "def g(x):\n    return np.array([math.floor(v) * RATE for v in x])",
    "a text with braces": OPAQUE + "def g(x):\n    assert len(x) < 9, f'{RATE!r}: \"{len(x)}\"'\n    return np.floor(x)",
    "a method": (
        "class Steps:\n    k = 2.0\n    def up(x):\n        return np.floor(x) * RATE\ng = sg.nondifferentiable(Steps.up)"
    ),
    "an import inside": OPAQUE + "def g(x):\n    import math as m\n    return np.floor(x) * m.pi",
}
REFUSED = {
    "a changed global": "COUNT = 0\n" + OPAQUE + "def g(x):\n    global COUNT\n    COUNT += 1\n    return np.floor(x)",
    "a changed variable": (
        "def made():\n    count = 0\n    @sg.nondifferentiable\n    def inner(x):\n        nonlocal count\n        count += 1\n"
        "        return np.floor(x)\n    return inner\ng = made()"
    ),
    "sourcegrad inside": OPAQUE + "def g(x):\n    import sourcegrad\n    return np.floor(x)",
    "a gradient inside": OPAQUE + "def g(x):\n    return sg.grad(lambda y: y * y)(2.0) * np.floor(x)",
    "a name of nobody": OPAQUE + "def g(x):\n    return np.floor(x) if len(x) < 9 else nowhere",
    "a class of the module": "class Other:\n    pass\n"
    + OPAQUE
    + "def g(x):\n    return np.floor(x) if not isinstance(x, Other) else x",
}


def plain_import(name: str, *rest: Any) -> Any:
    assert name.partition(".")[0] != "sourcegrad", name
    return __import__(name, *rest)


def exported(folder: Path, name: str, body: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Path]:
    """The gradient of f, and the module that it is exported to."""
    module = "of_" + re.sub(r"\W", "_", name)
    future = "from __future__ import annotations\n"
    text = future * (future in body) + HEAD + body.replace(future, "") + CALLED
    (folder / f"{module}.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    gradient = sg.grad(importlib.import_module(module).f)
    gradient(np.array([0.5, 1.5, 2.5]))
    return gradient, folder / f"{module}_grad.py"


@pytest.mark.parametrize("name", MODULES)
def test_what_is_copied_stands_alone(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, place = exported(tmp_path, name, MODULES[name], monkeypatch)
    gradient.export(place)
    space = {"__name__": "alone", "__builtins__": {**vars(builtins), "__import__": plain_import}}
    exec(place.read_text(), space)
    for x in (np.array([0.5, 1.5, 2.5]), np.array([0.2, 3.4, 1.1, 0.9])):
        np.testing.assert_array_equal(space["f_grad"](x), gradient(x))
    assert "F821" not in place.read_text() and not undefined(place.read_text())


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_stand_alone_is_refused_before_there_is_a_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        gradient, place = exported(tmp_path, name, REFUSED[name], monkeypatch)
    except SourcegradError:
        pytest.skip("the gradient is refused already")
    with pytest.raises(UnsupportedError) as error:
        gradient.export(place)
    assert error.value.remedy and [path.name for path in tmp_path.iterdir() if path.name.startswith((place.stem, "."))] == []


def test_an_earlier_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, place = exported(tmp_path, "an earlier file", MODULES["nondifferentiable"], monkeypatch)
    gradient.export(place)
    before = place.read_text()
    gradient, _ = exported(tmp_path, "a later one", REFUSED["a class of the module"], monkeypatch)
    with pytest.raises(UnsupportedError, match="cannot be imported without sourcegrad"):
        gradient.export(place)
    assert place.read_text() == before and not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    "body, options, asks",
    [
        ("np.sum(x ** 3)", ["--order", "2"], True),
        ("np.sum(x ** 3)", ["--order", "2", "--grad-outputs"], False),
        ("x ** 3", [], True),
        ("x ** 3", ["--grad-outputs"], False),
        ("x[0] ** 3", ["--order", "2"], True),
        ("np.sum(x ** 3)", ["--order", "1"], False),
        ("x.T @ x", ["--order", "3"], True),
        ("np.outer(x, x)", ["--value"], True),
    ],
)
def test_weights_are_asked_for_when_it_is_made(
    body: str, options: list[str], asks: bool, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vector.py").write_text(f"import numpy as np\ndef f(x):\n    return {body}\n")
    code = main(["export", "vector.py:f", "--at", "x=np.ones(3)", *options, "-o", "made.py"])
    sys.modules.pop("vector", None)
    assert (code != 0) == asks == (not (tmp_path / "made.py").exists())
    assert not asks or "--grad-outputs" in capsys.readouterr().err


def test_of_a_number_order_two_needs_no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "number.py").write_text("def f(x):\n    return x ** 3\n")
    assert main(["export", "number.py:f", "--at", "x=2.0", "--order", "2", "-o", "made.py"]) == 0
    sys.modules.pop("number", None)


@pytest.mark.parametrize(
    "text, names",
    [
        ("def f(x):\n    return x + y", {"y"}),
        ("y = 1\ndef f(x):\n    return x + y", set()),
        ("import a.b\ndef f():\n    return a.b", set()),
        ("def f():\n    def g():\n        return here\n    here = 1\n    return g", set()),
        ("f = [k for k in range(n)]", {"n"}),
        ("def f(x=z):\n    return x", {"z"}),
        ("class A:\n    b = 1\n    c = b", set()),
        ("def f():\n    return f()", set()),
    ],
)
def test_names_that_nothing_defines(text: str, names: set[str]) -> None:
    assert undefined(text) == names
