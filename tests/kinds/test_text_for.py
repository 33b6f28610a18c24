"""A printed or compiled function says what it is for: called with other constants or ranks it is right, or refuses."""
from __future__ import annotations

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError

V, M = np.array([0.5, 1.5, 2.0]), np.array([[0.5, 1.5], [2.0, 0.7]])


def power(x, n=60):
    return x ** n


def keyword_power(x, *, n=3):
    return x ** n


def reduced(x, kind="sum"):
    return np.sum(x) if kind == "sum" else np.prod(x)


def along(x, axis=None):
    return np.sum(np.sum(x, axis=axis) ** 2)


def flagged(x, squared=True):
    return x * x if squared else 3.0 * x


def optional(x, w=None):
    return x * x if w is None else w * x


def repeated(x, times=2):
    for _ in range(times):
        x = x * x
    return x


def ranked(x):
    return np.sum(x @ x)


def rows(x):
    return np.sum([np.sum(row) ** 2 for row in x])


def turned(x):
    return np.sum(x.T[0] ** 2)


def scaled(x, w):
    return np.sum(x * w)


def first(x, i=0):
    return x[i] ** 2


def root(x, order=2):
    return np.sum(np.abs(x) ** order) ** (1 / order)


def chosen(x, names=("a",), mode=None):
    return np.sum(x) if mode is None else np.prod(x)


def text_and_number(x, kind="a, b", n=2):
    return x ** n if kind == "a, b" else x


def flagged_by_number(x, y):
    return x * y if y > 0 else x


def negative(x, n=-2):
    return x ** n


CASES = {       # function, arguments that it is made for, arguments of another call, its keywords
    "a power": (power, (2.0,), (2.0,), {"n": 3}),
    "a power by position": (power, (2.0,), (2.0, 3), {}),
    "a keyword-only power": (keyword_power, (2.0,), (2.0,), {"n": 4}),
    "another text": (reduced, (V,), (V,), {"kind": "prod"}),
    "the same text": (reduced, (V,), (V,), {"kind": "sum"}),
    "an axis": (along, (M,), (M,), {"axis": 0}),
    "no axis": (along, (M, 0), (M,), {"axis": None}),
    "a flag": (flagged, (2.0,), (2.0,), {"squared": False}),
    "an int for a flag": (flagged, (2.0,), (2.0,), {"squared": 0}),
    "a value for None": (optional, (2.0,), (2.0,), {"w": 5.0}),
    "an array for None": (optional, (2.0,), (2.0,), {"w": V}),
    "a number of turns": (repeated, (1.1,), (1.1,), {"times": 3}),
    "no turn": (repeated, (1.1,), (1.1,), {"times": 0}),
    "another rank of a product": (ranked, (V,), (M,), {}),
    "a lower rank": (ranked, (M,), (V,), {}),
    "rows of rank one": (rows, (M,), (M[None],), {}),
    "a transposed of rank one": (turned, (M,), (V,), {}),
    "another rank of another argument": (scaled, (V, V), (V[:2], M), {}),
    "a number for an array": (scaled, (V, V), (V, 2.0), {}),
    "an array for a number": (scaled, (V, 2.0), (V, V), {}),
    "an index": (first, (V,), (V,), {"i": 2}),
    "an order": (root, (V,), (V,), {"order": 3}),
    "None among others": (chosen, (V,), (V,), {"mode": "prod"}),
    "a constant beside a text with a comma": (text_and_number, (2.0,), (2.0,), {"n": 3}),
    "a negative constant": (negative, (2.0,), (2.0,), {"n": 2}),
    "the same constant": (negative, (2.0,), (3.0,), {"n": -2}),
    "other sizes": (along, (V,), (np.ones(5),), {}),
}


def printed(gradient):
    scope: dict = {}
    text = gradient.source
    exec(text, scope)
    return scope[[line for line in text.splitlines() if line.startswith("def ")][-1][4:].split("(")[0]]


@pytest.mark.parametrize("name", CASES)
def test_right_or_refused(name: str) -> None:
    function, made_for, args, options = CASES[name]
    gradient = sg.grad(function)
    gradient(*made_for)
    texts = {"printed": printed(gradient), "compiled": gradient.compiled(*made_for)}
    weights = {} if np.ndim(function(*args, **options)) == 0 else None
    for called in texts.values():
        if weights is None:
            with pytest.raises(InputError):
                called(*args, **options)
            continue
        expected = sg.grad(function)(*args, **options)
        try:
            found = called(*args, **options)
        except InputError as error:
            assert "this code was generated for" in str(error) and not name.startswith(("the same", "other sizes"))
        else:
            assert np.shape(found) == np.shape(expected) and np.allclose(found, expected)


def test_the_gradient_itself_takes_all() -> None:
    for function, made_for, args, options in CASES.values():
        gradient = sg.grad(function)
        if np.ndim(function(*args, **options)) == 0:
            for _ in range(3):
                gradient(*made_for)
                assert np.allclose(gradient(*args, **options), sg.grad(function)(*args, **options))


def test_numbers_only_say_nothing() -> None:
    assert "made_for" not in sg.source(flagged_by_number, at={"x": 1.0, "y": 2.0})
