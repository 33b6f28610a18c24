"""Libraries are followed so far only, in steps that are counted: what is told then, and where."""
from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.inline_cache import generated_code
from sourcegrad.errors import called_in
from sourcegrad.ir import effort

# A library: `good_k` call one another in a long chain, `bad` refuses first and calls a chain of its own, and so on
CHAIN = "\n\n".join(f"def {{name}}_{k}(x):\n    y = x * 1.0{k:02d}\n    return {{name}}_{k + 1}(y) * 0.9" for k in range(30))
LIBRARY = f"""
import collections
import numpy as np
{CHAIN.format(name="good")}


def good_30(x):
    return np.sin(x) * SCALE


def _inner(x):
    return x * eval("x")


def bad(x):
    return _inner(x) + good_0(x)


class Model:
    def __init__(self, w):
        self.w = w

    def run(self, x):
        return good_0(x) * self.w

    def fail(self, x):
        return _inner(x) * self.w

    @property
    def failing(self):
        return _inner(self.w)


def called_back(function, x):
    return function(x) + good_29(x)


MODEL = Model(2.0)


class Settings(collections.UserDict):
    def __missing__(self, key):
        renamed = self.renamed(key)
        if self.__contains__(renamed):
            return self[renamed]
        raise KeyError(key)

    def renamed(self, key):
        if self.__contains__("renamed." + key):
            return self["renamed." + key]
        return key


SETTINGS = Settings(dict(rate=0.5, shift=2.0))


def by_settings(x):
    return x * x * SETTINGS["rate"] + SETTINGS["shift"] * x


class Tank:
    def __init__(self, w):
        self.w = w
        self.rows = [w, 2.0 * w]

    def level(self, x):
        if x > 3.0:
            self.w = eval("x")
        self.w = self.w * x
        return np.sqrt(self.w) * good_20(x)
"""
USER = """
import fakelib
import numpy as np
from fakelib import Model, Tank, bad, by_settings, called_back, good_0


def chain(x):
    return good_0(x)


def refused(x):
    return 2.0 * bad(x)


def by_module(x):
    return np.sum(fakelib.bad(x))


def assigned(x):
    y = bad(x) + 1.0
    return y * y


def method(x):
    model = Model(x)
    return model.fail(x)


def of_a_global(x):
    return fakelib.MODEL.fail(x)


def run(x):
    model = Model(x)
    return model.run(x)


def read(x):
    model = Model(x)
    return model.failing


def own(x):
    for k in range(3):
        x = own_2(own_1(x))
    return x


def own_1(x):
    return x * 0.5 + np.sin(x) * 0.1


def own_2(x):
    y = own_1(x)
    return own_1(y) * 0.5 + y


def back(x):
    return called_back(own, x)


def settings(x):
    return by_settings(x)


def tank(x):
    model = Tank(x)
    return model.level(x)


def perhaps(x, y):
    if y > 1.0:
        return bad(x)
    return good_0(x)
"""


counter = itertools.count(1)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], ModuleType]]:
    """Makes a module of a user, which calls an installed package: each time another one, for which nothing was generated."""
    def module() -> ModuleType:
        number = next(counter)
        installed = tmp_path / str(number) / "site-packages"
        installed.mkdir(parents=True)
        (installed / "fakelib.py").write_text(LIBRARY.replace("SCALE", str(1.0 + number / 1024)))
        (installed.parent / "user_of_fakelib.py").write_text(USER)
        for path in (installed, installed.parent):
            monkeypatch.syspath_prepend(str(path))
        for name in ("fakelib", "user_of_fakelib"):
            sys.modules.pop(name, None)
        return importlib.import_module("user_of_fakelib")

    yield module
    for name in ("fakelib", "user_of_fakelib"):
        sys.modules.pop(name, None)


@pytest.fixture
def user(made: Callable[[], ModuleType]) -> ModuleType:
    return made()


def refusal(function: Any, *args: Any) -> sg.SourcegradError:
    with pytest.raises(sg.SourcegradError) as found:
        sg.grad(function)(*args)
    return found.value


def line_of(text: str) -> int:
    return USER.split("\n").index(text) + 1


@pytest.mark.parametrize("name,line,called,rule", [
    ("refused", "    return 2.0 * bad(x)", "bad", "@sg.rule(bad)"),
    ("by_module", "    return np.sum(fakelib.bad(x))", "fakelib.bad", "@sg.rule(fakelib.bad)"),
    ("assigned", "    y = bad(x) + 1.0", "bad", "@sg.rule(bad)"),
    ("method", "    return model.fail(x)", "model.fail", "as an attribute of its class"),
    ("of_a_global", "    return fakelib.MODEL.fail(x)", "fakelib.MODEL.fail", "@sg.rule(fakelib.MODEL.fail)"),
    ("read", "    return model.failing", "model.failing", "as an attribute of its class"),
])
def test_the_public_function_at_the_users_line(user: ModuleType, name: str, line: str, called: str, rule: str) -> None:
    found = refusal(getattr(user, name), 0.7)
    assert found.origin is not None and found.origin.file == user.__file__ and found.origin.line == line_of(line)
    assert found.message.startswith(f"{called} of a library cannot be differentiated: `eval` cannot be differentiated (fakelib.py:")
    assert rule in found.remedy and "_inner" not in str(found)


@pytest.mark.parametrize("name", ["chain", "run", "own", "back"])
def test_right_within_the_limits(user: ModuleType, name: str) -> None:
    function = getattr(user, name)
    exact = (function(0.3 + 1e-6) - function(0.3 - 1e-6)) / 2e-6
    assert sg.grad(function)(0.3) == pytest.approx(exact, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("name,called", [("chain", "good_0"), ("run", "model.run")])
def test_followed_so_far_only(made: Callable[[], ModuleType], monkeypatch: pytest.MonkeyPatch, name: str, called: str) -> None:
    monkeypatch.setattr(effort, "FOLLOWED", 10 * effort.FUNCTION)
    for _ in range(2):                                  # the same each time
        user, before = made(), effort.WORK.steps
        found = refusal(getattr(user, name), 0.3)
        assert effort.WORK.steps - before < 60 * effort.FUNCTION
        assert found.message.startswith(f"{called} of a library cannot be differentiated: ")
        assert "calls too much to be followed" in found.message
        assert found.origin is not None and found.origin.file == user.__file__


def test_less_is_followed_after_a_refusal(user: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told then is what was refused first, and not that too much is called."""
    monkeypatch.setattr(effort, "AFTER_REFUSAL", 0)
    found = refusal(user.refused, 0.3)
    assert "`eval` cannot be differentiated" in found.message and found.message.startswith("bad of a library")


def test_all_libraries_together(user: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "IN_ALL", (10 * effort.FUNCTION, 0))
    found = refusal(user.chain, 0.3)
    assert "calls too much to be followed" in found.message and found.message.startswith("good_0 of a library")


def test_code_of_the_user_has_no_limit(user: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "FOLLOWED", 6 * effort.FUNCTION)
    for name in ("own", "back"):                        # not where a library calls it, either
        function = getattr(user, name)
        exact = (function(0.3 + 1e-6) - function(0.3 - 1e-6)) / 2e-6
        assert sg.grad(function)(0.3) == pytest.approx(exact, rel=1e-5)


def test_a_branch_that_is_not_reached(user: ModuleType) -> None:
    assert sg.grad(user.perhaps)(0.3, 0.0) == pytest.approx(sg.grad(user.chain)(0.3))
    found = refusal(user.perhaps, 0.3, 2.0)
    assert found.message.startswith("bad of a library cannot be differentiated: `eval` cannot be differentiated (fakelib.py:")
    assert found.origin is not None and found.origin.line == line_of("        return bad(x)")


def test_a_recursion_without_an_end_that_depends_on_no_input(user: ModuleType) -> None:
    """A table that asks itself is asked as it stands, before its recursion is followed."""
    before = effort.WORK.steps
    gradient = sg.grad(user.settings)
    assert gradient(0.3) == pytest.approx(2.3)
    assert effort.WORK.steps - before < 10_000 and 'SETTINGS["rate"]' in gradient.source.replace("'", '"')
    user.fakelib.SETTINGS["rate"] = 1.5
    assert gradient(0.3) == pytest.approx(2.9)


def test_what_a_call_has_learned(user: ModuleType) -> None:
    """A second generation in one call of the user's begins with the traps, the way and the world of the first; the next call of
    the user's does not."""
    def steps() -> int:
        generated_code(user.tank).clear()
        before = effort.WORK.steps
        assert sg.grad(user.tank)(0.3) == pytest.approx(exact, rel=1e-6)
        return effort.WORK.steps - before

    exact = (user.tank(0.3 + 1e-6) - user.tank(0.3 - 1e-6)) / 2e-6
    with effort.learning():
        first, second = steps(), steps()
    assert second < 0.7 * first and steps() == first


def test_a_call_within_a_call_learns_the_same() -> None:
    with effort.learning():
        one = effort.learned_now()
        with effort.learning():
            assert effort.learned_now() is one
        one.begun -= effort.TRIED + 1
        assert one.tried and effort.Effort().tried
    assert effort.learned_now() is not one and not effort.Effort().tried


def test_steps_are_the_same_each_time(made: Callable[[], ModuleType]) -> None:
    taken = []
    for _ in range(3):
        user, before = made(), effort.WORK.steps
        sg.grad(user.chain)(0.3)
        taken.append(effort.WORK.steps - before)
    assert taken[0] >= 30 * effort.FUNCTION and len(set(taken)) == 1


@pytest.mark.parametrize("text,name", [
    ("bad(x) + 1.0", "bad"), ("lib.bad(x)", "lib.bad"), ("model.state[0]", "model.state"), ("return lib.bad(x)", "lib.bad"),
    ("y = lib.bad(x)", "lib.bad"), ("y.part = bad(x)", "bad"), ("y += bad(x)", "bad"), ("return np.sum(bad(abs(x)))", "bad"),
    ("return bad(x) + worse(x)", ""), ("def f(x):", ""), ("return x", ""), ("x == bad(x)", "bad"), ("if bad(x):", "bad"),
])
def test_what_a_line_calls(text: str, name: str) -> None:
    assert called_in(text) == name


def test_arrays(user: ModuleType) -> None:
    x = np.linspace(0.1, 0.4, 3)
    found = refusal(lambda x: np.sum(user.refused(x)), x)
    assert found.message.startswith("bad of a library")
