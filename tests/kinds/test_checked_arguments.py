"""What a library only checks: a call that cannot be followed, and that gives a truth, nothing, or its argument as it was."""
from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import sourcegrad as sg

LIBRARY = """
import numpy as np

SEEN = set()


def checked(x, least=0.0):
    names = eval("np.array(['x', 3], dtype=object)")
    if not eval("np.all(np.isfinite(x))"):
        raise ValueError("not finite")
    return x if eval("np.min(x) >= least") else np.maximum(x, least)


def complain(x):
    if eval("len(x) > 3"):
        raise ValueError("three are wanted")


def is_short(x):
    return bool(eval("len(x) < 4"))


def is_positive(x):
    return eval("np.all(x > 0.0)")


def doubled(x):
    return eval("x * 2.0")


def at_least(x):
    eval("np.maximum(x, 0.5, out=x)")
    return x


def at_least_rarely(x):
    if eval("x[0] < 0.0"):
        eval("np.maximum(x, 0.0, out=x)")
    return x


def run(x):
    x = checked(x)
    return np.sum(x * x)


def run_with(x, least):
    return np.sum(np.sin(checked(x, least=least)) * x)


def run_complaining(x):
    complain(x)
    return np.sum(x ** 3)


def run_branch(x):
    if is_short(x) and not is_positive(-x):
        return np.sum(x * x)
    return np.sum(np.exp(x))


def run_positive(x):
    y = 3.0 * x
    return np.sum(y * y) if is_positive(y) else np.sum(y)


def run_in_loop(x):
    total = 0.0
    for k in range(3):
        y = x * (k + 1.0)
        y = checked(y)
        total = total + np.sum(y * x)
    return total


def run_linear(x):
    return 3.0 * np.sum(checked(x))


def run_doubled(x):
    return np.sum(doubled(x) * x)


def run_changed(x):
    y = x * 1.0
    return np.sum(at_least(y) * x)


def run_rarely_changed(x):
    y = x * 1.0
    return np.sum(at_least_rarely(y) * x)


HISTORY = {}


class Tracker:
    def __init__(self):
        self.last = None

    def note(self, x):
        self.last = x


TRACKER = Tracker()


def run_noted(x):
    TRACKER.note(x)
    return np.sum(TRACKER.last * x)


def run_stored(x):
    HISTORY["x"] = x
    is_short(x)
    return np.sum(HISTORY["x"] * x)


class Model:
    def __init__(self, w):
        self.w, self.rows = w, 0

    def validated(self, x, reset):
        if eval("reset"):
            self.rows = len(x)
        return checked(x)

    def predict(self, x):
        x = self.validated(x, False)
        return np.sum(x * self.w) * np.sum(x)

    def counted(self, x):
        x = self.validated(x, True)
        return np.sum(x * self.w) * np.sum(x) + self.rows


MODEL = Model(np.array([1.0, 2.0, 3.0]))
"""
X, OTHER, NEGATIVE = np.array([0.3, 0.9, 1.7]), np.array([2.0, 0.1, 0.4]), np.array([-0.5, 1.0, 2.0])


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder: Path = tmp_path_factory.mktemp("checks") / "site-packages"
    folder.mkdir()
    (folder / "checkinglib.py").write_text(LIBRARY)
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("checkinglib")
    finally:
        sys.path.remove(str(folder))
        del sys.modules["checkinglib"]


def differences(f, x: np.ndarray) -> np.ndarray:
    return np.array([(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(x.size)])


CHECKED = ("run", "run_complaining", "run_branch", "run_positive", "run_in_loop", "run_linear")


@pytest.mark.parametrize("name", CHECKED)
def test_what_is_only_checked_is_not_followed(lib: ModuleType, name: str) -> None:
    run = getattr(lib, name)

    def f(x):
        return run(2.0 * x)

    gradient = sg.grad(f)
    for x in (X, OTHER, X):
        assert np.allclose(gradient(x), differences(f, x), atol=1e-6)
    assert np.allclose(sg.hessian(f)(X), [differences(lambda x, k=k: gradient(x)[k], X) for k in range(3)], atol=1e-5)
    assert np.allclose(sg.jvp(f, (X,), (OTHER,))[1], gradient(X) @ OTHER)


@pytest.mark.parametrize("name", ("run_with", "predict"))
def test_options_and_methods(lib: ModuleType, name: str) -> None:
    def run_with(x):
        return lib.run_with(x, 0.05)

    def predict(x):
        return lib.MODEL.predict(x * 1.5)

    f = run_with if name == "run_with" else predict
    gradient = sg.grad(f)
    for x in (X, OTHER):
        assert np.allclose(gradient(x), differences(f, x), atol=1e-6)


@pytest.mark.parametrize("name", ("run", "run_linear", "run_in_loop", "run_rarely_changed"))
def test_another_value_than_was_given_is_refused(lib: ModuleType, name: str) -> None:
    run = getattr(lib, name)

    def f(x):
        return run(x * 1.0)

    gradient = sg.grad(f)
    assert np.allclose(gradient(X), differences(f, X), atol=1e-6)
    with pytest.raises(sg.SourcegradError):
        gradient(NEGATIVE)


def test_a_truth_that_changes_is_followed_to_the_other_branch(lib: ModuleType) -> None:
    def f(x):
        return lib.run_positive(x)

    gradient = sg.grad(f)
    for x in (X, NEGATIVE, X):
        assert np.allclose(gradient(x), differences(f, x), atol=1e-5)


@pytest.mark.parametrize("name", ("run_noted", "run_stored"))
def test_what_a_library_keeps_is_more_than_a_check(lib: ModuleType, name: str) -> None:
    def noted(x):
        return lib.run_noted(x * 1.0)

    def stored(x):
        return lib.run_stored(x * 1.0)

    with pytest.raises(sg.SourcegradError):
        sg.grad(noted if name == "run_noted" else stored)(X)
    assert not lib.HISTORY and lib.TRACKER.last is None


@pytest.mark.parametrize("name", ("run_doubled", "run_changed", "counted"))
def test_what_does_more_than_check_is_refused(lib: ModuleType, name: str) -> None:
    def f(x):
        return lib.MODEL.counted(x) if name == "counted" else getattr(lib, name)(x)

    with pytest.raises(sg.SourcegradError):
        sg.grad(f)(X)
    assert lib.MODEL.rows == 0


@pytest.mark.parametrize("name", CHECKED[:2])
def test_what_a_check_raises_is_raised(lib: ModuleType, name: str) -> None:
    run = getattr(lib, name)

    def f(x):
        return run(x * 1.0)

    gradient = sg.grad(f)
    assert np.allclose(gradient(X), differences(f, X), atol=1e-6)
    with pytest.raises(ValueError, match="not finite" if name == "run" else "three are wanted"):
        gradient(np.array([1.0, np.nan]) if name == "run" else np.ones(4))


def test_an_export_does_not_lose_the_check(lib: ModuleType, tmp_path: Path) -> None:
    def f(x):
        return lib.run(x * 1.0)

    gradient = sg.grad(f)
    assert np.allclose(gradient(X), differences(f, X), atol=1e-6)
    with pytest.raises(sg.SourcegradError):
        gradient.export(tmp_path / "exported.py")
