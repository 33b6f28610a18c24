"""Guards hold from the first call on: after 1, 2, 3 or 70 calls, what a gradient was made from changes, and it is right."""
from __future__ import annotations

from collections import Counter

import pytest

import sourcegrad as sg
from sourcegrad.errors import SourcegradError
from tests.errors.modules import load
from tests.kinds.stale_programs import HEADER, STALE

AT = 1.7
FOUND: Counter = Counter()


def slope(f) -> float:
    return (f(AT + 1e-6) - f(AT - 1e-6)) / 2e-6


def edit(module, path, change: str) -> None:
    path.write_text(change + "\n", encoding="utf-8")
    exec(compile(change + "\n", str(path), "exec"), vars(module))


def vjp(f):
    return lambda x: sg.vjp(f, x)[1](1.0)[0]


OTHERS = ((sg.grad, 2), (sg.grad, 3), (sg.grad, 70), (vjp, 1), (vjp, 3))


@pytest.mark.parametrize("name", STALE)
def test_gradient_is_that_of_the_function_as_it_is_now(tmp_path, name: str) -> None:
    text, change = STALE[name]
    for make, calls in ((sg.grad, 1), OTHERS[list(STALE).index(name) % len(OTHERS)]):
        module = load(tmp_path, HEADER + text + "\n")
        gradient = make(module.f)
        try:
            before = [gradient(AT) for _ in range(calls)]
            assert before == pytest.approx([slope(module.f)] * calls, rel=1e-5)
            edit(module, tmp_path / f"{module.__name__}_change.py", change)
            FOUND["right"] += 1
            for _ in range(3):
                assert gradient(AT) == pytest.approx(slope(module.f), rel=1e-5), (make.__name__, calls)
        except SourcegradError as error:
            assert error.origin is not None, error
            FOUND["refused"] += 1
            FOUND[name] += 1
            continue


def test_nearly_all_are_right() -> None:
    names = FOUND.keys() - {"right", "refused"}              # two edits are, which a run draws or not
    assert len(names) <= max(FOUND["right"] / 40, 2), FOUND
