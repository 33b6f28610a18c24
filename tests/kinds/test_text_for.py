"""A printed or compiled function says what it is for: called with other constants or ranks it is right, or refuses."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import math
import types
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import InputError, UnsupportedError

V, M = np.array([0.5, 1.5, 2.0]), np.array([[0.5, 1.5], [2.0, 0.7]])
M3 = np.outer(V, V) + np.arange(3.0)


def power(x, n=60):
    return x**n


def keyword_power(x, *, n=3):
    return x**n


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
    return x**n if kind == "a, b" else x


def flagged_by_number(x, y):
    return x * y if y > 0 else x


def negative(x, n=-2):
    return x**n


CASES = {  # function, arguments that it is made for, arguments of another call, its keywords
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


def test_numbers_only_say_their_classes() -> None:
    assert "made_for('x: float, y: float', x, y)" in sg.source(flagged_by_number, at={"x": 1.0, "y": 2.0})
    assert "made_for" not in sg.source(flagged_by_number)


# --- Constants of every kind: what code was specialised on is checked, or the export is refused


class Window(enum.Enum):
    FLAT = 1
    ROUND = "a, b"


class Flags(enum.IntFlag):
    A = 1
    B = 2


@dataclasses.dataclass
class Model:
    w: Any
    degree: int = 2
    mode: str = "flat"
    inner: Any = None

    def call(self, x):
        return np.sum(x**2)


class Slotted:
    __slots__ = ("mode",)

    def __init__(self, mode):
        self.mode = mode


class Point(NamedTuple):
    a: Any
    mode: Any


def twice(x):
    return 2.0 * x


def squared(x):
    return x * x


def by_option(x, k):
    """Another gradient for each class and value of k."""
    if k is None or k is True or k is False:
        return np.sum(x ** {None: 2, True: 3, False: 4}[k])
    if isinstance(k, str):
        return np.sum(x ** (5 + len(k)))
    if isinstance(k, int):
        return np.sum(x * 2)
    if isinstance(k, np.floating):
        return np.sum(np.sin(x)) * k
    if isinstance(k, float):
        return np.sum(np.cos(x)) * k
    if isinstance(k, complex):
        return np.sum(np.exp(x)) * abs(k)
    if isinstance(k, Window):
        return np.sum(x**6) if k is Window.FLAT else np.sum(x**7)
    if isinstance(k, bytes):
        return np.sum(x**8)
    return np.sum(x**9)


def by_function(x, k):
    return np.sum(k(x))


def by_class(x, k):
    return np.sum(x) if k is Model else np.sum(x**2)


def by_module(x, k):
    return k.sin(x[0]) * x[1]


def by_dtype(x, k):
    return np.sum(x.astype(k) * x) if k is np.float32 else np.sum(x**3)


def by_mask(x, k):
    return np.sum(x[k] ** 2)


def by_item(x, k):
    """k holds the option under "mode", as an attribute, or last."""
    mode = k["mode"] if isinstance(k, dict) else k[-1] if isinstance(k, (list, tuple)) and not isinstance(k, Point) else k.mode
    return np.sum(x**2) if mode == "flat" else np.sum(x**3) if mode is None else np.sum(x**4)


def by_rank(x, k):
    w = k["w"] if isinstance(k, dict) else k[0] if isinstance(k, (list, tuple)) else k.w
    return np.sum((w @ x) ** 2) if np.ndim(w) == 2 else np.dot(w, x) ** 2


def by_length(x, k):
    return np.sum(x) * sum(k) if len(k) > 2 else np.sum(x**2) * sum(k)


def by_maker(x, k):
    return np.sum(x) * k["missing"] if k.default_factory is float else np.sum(x**2) * k["missing"]


def by_keyword(x, **k):
    return np.sum(x**2) if k.get("mode") == "flat" else np.sum(x**3)


def by_count(x, *k):
    return np.sum(x ** (2 + len(k)))


V2 = V[:2]
OPTIONS: dict[str, tuple[Any, Any, list]] = {  # function, option that it is made for, other options
    "enum member": (by_option, Window.FLAT, [Window.ROUND, 1, "FLAT", None]),
    "enum member of a text": (by_option, Window.ROUND, [Window.FLAT, "a, b"]),
    "flags": (by_option, Flags.A, [Flags.B, 1]),
    "None": (by_option, None, [False, 0, "None", 0.0]),
    "true": (by_option, True, [False, 1, 1.0, np.True_, "True"]),
    "an int": (by_option, 3, [True, 3.0, np.int64(3), np.float64(3.0), "3"]),
    "a float": (by_option, 3.0, [3, np.float64(3.0), np.float32(3.0), True, 3j]),
    "a NumPy float": (by_option, np.float64(3.0), [3.0, 3, np.float32(3.0), np.int64(3)]),
    "a complex number": (by_option, 3j, [3.0, np.complex128(3j)]),
    "a NumPy bool": (by_option, np.True_, [True, False, 1]),
    "a text": (by_option, "flat", ["round", "flat ", b"flat", None]),
    "a text with a comma": (by_option, "a, b", ["a", "a, b, c", "a, x: 1"]),
    "a text with a colon": (by_option, "x: float64[n], k: 3", ["x: float64[n]", 3]),
    "a text with quotes": (by_option, 'it\'s "so"', ["its so", "it's"]),
    "a text with 'is'": (by_option, "mode is flat", ["mode is", "flat"]),
    "a text that is a word": (by_option, "float", [2.0, "int", "numpy.sin"]),
    "an empty text": (by_option, "", [" ", None, b""]),
    "a text with a newline and a brace": (by_option, "a\n{b}", ["a", "{b}"]),
    "bytes": (by_option, b"flat", ["flat", b"round"]),
    "an ellipsis": (by_option, ..., [None, 1.0]),
    "a NumPy function": (by_function, np.sin, [np.cos, math.sin, twice]),
    "a function": (by_function, twice, [squared, np.sin, lambda x: x**3]),
    "a function of a library": (by_function, np.linalg.norm, [np.sum, np.linalg.eigvalsh, np.max]),
    "a lambda": (by_function, lambda x: x**3, [twice, lambda x: x**2]),
    "a partial": (by_function, functools.partial(np.multiply, 3.0), [functools.partial(np.multiply, 4.0), twice]),
    "a bound method": (by_function, Model(1.0).call, [twice, Model(2.0).call]),
    "a class": (by_class, Model, [Slotted, None, Model(1.0)]),
    "a module": (by_module, np, [math, types.SimpleNamespace(sin=np.cos)]),
    "a dtype class": (by_dtype, np.float32, [np.float64, float]),
    "a mask": (by_mask, np.array([True, False, True]), [np.array([1, 0, 1]), np.array([0, 2]), [True, False, True], 1]),
    "indices": (by_mask, np.array([2, 0]), [np.array([True, False, True]), np.array([[0], [1]]), 2]),
    "a list of indices": (by_mask, [0, 2, 1], [[True, False, True], np.array([True, False, True]), (0,)]),
    "a slice": (by_mask, slice(0, 2), [0, np.array([0, 1])]),
    "a dict": (by_item, {"mode": "flat"}, [{"mode": "round"}, {"mode": None}, {"mode": "flat", "more": 1}, Slotted("flat")]),
    "a dict of more": (
        by_item,
        {"n": 3, "mode": None},
        [{"n": 3, "mode": "flat"}, {"mode": None, "n": 3}, {"n": 3.0, "mode": None}],
    ),
    "a dict in a dict": (by_rank, {"w": V, "more": {"a": [1, 2.0], "b": None}}, [{"w": M3, "more": {"a": [1, 2.0], "b": None}}]),
    "a namespace": (by_item, types.SimpleNamespace(mode="flat"), [types.SimpleNamespace(mode="round"), Slotted("flat")]),
    "a namespace of None": (
        by_item,
        types.SimpleNamespace(mode=None),
        [types.SimpleNamespace(mode="None"), types.SimpleNamespace(mode=None, more=1)],
    ),
    "a dataclass": (by_item, Model(V, 2, "flat"), [Model(V, 2, "round"), Model(M, 2, "flat"), Slotted("flat")]),
    "an object in an object": (
        by_item,
        Model(V, 2, "flat", Model(M, 3)),
        [Model(V, 2, "round", Model(M, 3)), Model(V, 2, "flat", None)],
    ),
    "an object with slots": (by_item, Slotted("flat"), [Slotted("round"), Slotted(None), types.SimpleNamespace(mode="flat")]),
    "a namedtuple": (by_item, Point(1.0, "flat"), [Point(1.0, "round"), (1.0, "flat"), types.SimpleNamespace(a=1.0, mode="flat")]),
    "a tuple": (by_item, (1.0, "flat"), [(1.0, "round"), (1.0, None), [1.0, "flat"], ("flat",)]),
    "a tuple with None in it": (by_item, ((None, 2), None), [((None, 2), "flat"), ((2, None), None), ((None,), None)]),
    "a list of texts": (by_item, ["flat"], [["round"], [None], ("flat",), []]),
    "rank in a list": (by_rank, [V2], [[M], [M, M], (V2,)]),
    "rank in a tuple": (by_rank, (M,), [(V2,), [M], (M, M)]),
    "rank in a dict": (by_rank, {"w": V2}, [{"w": M}, {"w": [0.5, 1.5]}, {"w": V2.astype("f4")}]),
    "rank in an object": (by_rank, Model(M), [Model(V2), Model(M, 3.0)]),
    "lengths of lists": (by_length, [1.0, 2.0], [[1.0, 2.0, 3.0], [], (1.0, 2.0), [1, 2]]),
    "lengths of tuples": (by_length, (1.0, 2.0), [(1.0, 2.0, 3.0), (), [1.0, 2.0]]),
    "a defaultdict": (by_maker, collections.defaultdict(float), [collections.defaultdict(int), {"missing": 2.0}]),
    "a dtype": (by_dtype, np.dtype("f8"), [np.float32, np.dtype("f4"), None]),
}
AS_KEYWORDS = {
    "keywords": (by_keyword, {"mode": "flat"}, [{"mode": "round"}, {}, {"mode": "flat", "more": 1.0}]),
    "no keywords": (by_keyword, {}, [{"mode": "flat"}]),
}
AS_ARGUMENTS = {"arguments": (by_count, (1.0,), [(1.0, 2.0), (), (1,)]), "no arguments": (by_count, (), [(1.0,)])}


def called_with(name: str, value: Any) -> tuple[tuple, dict]:
    return ((), value) if name in AS_KEYWORDS else (value, {}) if name in AS_ARGUMENTS else ((value,), {})


def exported(gradient: Any, place: Path) -> Any:
    gradient.export(place)
    scope: dict = {}
    exec(place.read_text(), scope)
    return scope[f"{gradient._user.__name__}_grad"]


UNNAMED = {"a lambda", "a partial", "a bound method"}


@pytest.mark.parametrize("name", [*OPTIONS, *AS_KEYWORDS, *AS_ARGUMENTS])
def test_constants_are_checked(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sourcegrad.api.export.formatter", lambda: False)
    function, option, others = {**OPTIONS, **AS_KEYWORDS, **AS_ARGUMENTS}[name]
    gradient, x = sg.grad(function, "x"), V2 if "rank" in name else V
    args, options = called_with(name, option)
    wanted = gradient(x, *args, **options)
    forms = {"compiled": gradient.compiled(x, *args, **options), "printed": printed(gradient)}
    if name in UNNAMED:
        with pytest.raises(UnsupportedError, match="no name by which"):
            gradient.export(tmp_path / "made.py")
        with pytest.raises(InputError, match="has no name by which"):
            forms.pop("printed")(x, *args, **options)
    else:
        forms["exported"] = exported(gradient, tmp_path / "made.py")
    for form, made in forms.items():
        np.testing.assert_array_equal(made(x, *args, **options), wanted, form)
        for other in others:
            args_2, options_2 = called_with(name, other)
            try:
                right = sg.grad(function, "x")(x, *args_2, **options_2)
            except Exception:
                right = None
            try:
                found = made(x, *args_2, **options_2)
            except TypeError as error:
                assert "generated for" in str(error), (form, other)
                assert isinstance(error, InputError) or form == "exported"
            else:
                assert right is not None and np.shape(found) == np.shape(right) and np.allclose(found, right), (form, other)


@pytest.mark.parametrize(
    "made_for, other",
    [
        ((V, V), (V, V[:1])),
        ((V, V), (V[:1], V)),
        ((V, 1.0 * V), (V + 1j, V)),
        ((V, V), (V.astype("f4"), V)),
        ((V, V[:1]), (V, V)),
        ((M3, M3), (M3.T, M3)),
        ((M3, M3), (M3, np.asfortranarray(M3))),
        ((V, V), (np.ma.array(V), V)),
        ((V, V), (V.tolist(), V)),
        ((V, np.float64(2)), (V, 2.0)),
        ((M3, V), (V, M3)),
        ((V, M3), (V, M3[:, :2])),
    ],
    ids=str,
)
def test_arrays_are_those_that_the_text_is_for(made_for: tuple, other: tuple) -> None:
    gradient = sg.grad(scaled)
    gradient(*made_for)
    for made in (printed(gradient), gradient.compiled(*made_for)):
        np.testing.assert_array_equal(made(*made_for), gradient(*made_for))
        with pytest.raises(InputError, match="this code was generated for"):
            made(*other)


def test_the_header_is_what_a_person_reads() -> None:
    gradient = sg.grad(by_item, "x")
    gradient(V, {"mode": "flat", "n": 3})
    assert "    made_for({'x': 'float64[n]', 'k': {'mode': {'flat'}, 'n': 'int'}}, x, k)\n" in gradient.source
    gradient(V, Model(M3))
    assert (
        "'k': Instance( 'tests.kinds.test_text_for.Model', degree='int', inner=None, mode={'flat'}, w='float64[n,n]' )"
        in " ".join(gradient.source.split())
    )
    by = sg.grad(by_function, "x")
    by(V, np.sin)
    assert "    made_for('x: float64[n], k: numpy.sin', x, k)\n" in by.source


@pytest.mark.parametrize(
    "option", [{"mode": "flat"}, Model(V), (1.0, "flat"), [None], Slotted(None)], ids=lambda value: type(value).__name__
)
def test_a_text_can_be_differentiated_again(option: Any, tmp_path: Path) -> None:
    gradient = sg.grad(by_item, "x")
    gradient(V, option)
    (tmp_path / "again.py").write_text(gradient.source)
    scope: dict = {}
    exec(compile(gradient.source, str(tmp_path / "again.py"), "exec"), scope)
    np.testing.assert_allclose(
        sg.grad(scope["by_item_grad"])(V, option, grad_outputs=V), sg.grad(gradient)(V, option, grad_outputs=V)
    )
