"""A zero cotangent stays zero: singular operations beside selections, at orders 1 and 2, with warnings as errors.

Each program is one of a grid (operation x selection x numbers or arrays); a run takes every tenth, others from day to day, and
the named ones. The gradient is compared with differences of the function itself, from one side where it has no other.
"""
from __future__ import annotations

import datetime
import itertools
import linecache
import math
import warnings
import zlib
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg

HEAD = """
import math
import numpy as np
M = np.array([0.0, 1.0, 0.0, 1.0])
P, Z = 0.5, 0.0

def cut(x):
    y = x.copy()
    y[y < 0] = 0.0
    return y

def put(x):
    y = np.zeros(4)
    m = x > 0
    y[m] = x[m]
    return y

def replaced(y, x):
    y = y.copy()
    y[x < 0.1] = 0.2
    return y

def damped(x, t):
    s = np.sqrt(t)
    a = np.sin(x) * s + np.cos(x * s)
    b = np.tanh(a) * np.exp(-a) + a * np.sin(a)
    return b * a + np.cos(b) * s
"""
ROOTS = {"sqrt": "np.sqrt({})", "half": "(({}) ** 0.5)", "0.3": "(({}) ** 0.3)", "p": "(({}) ** P)", "cbrt": "np.cbrt({})",
         "power": "np.power({}, 0.5)"}
BEFORE = {"maximum": "np.maximum(x, 0.0)", "minimum": "-np.minimum(-x, 0.0)", "fmax": "np.fmax(x, 0.0)",
          "clip": "np.clip(x, 0.0, None)", "method": "x.clip(0.0, 5.0)", "where": "np.where(x > 0, x, 0.0)", "mask": "x * (x > 0)",
          "ones": "(x > 0).astype(float) * x", "square": "x ** 2", "product": "x * x", "abs": "np.abs(x)", "zero": "0.0 * x",
          "squares": "x ** 2 + (2 * x) ** 2", "select": "np.select([x > 0], [x], 0.0)",
          "nan": "np.maximum(np.nan_to_num(x), 0.0)", "cut": "cut(x)", "put": "put(x)", "weights": "x * M",
          "piecewise": "np.piecewise(x, [x > 0], [lambda t: t, lambda t: 0.0])", "sin": "np.sin(x) ** 2"}
AFTER = {"where": "np.where(x > 0.1, {}, 0.0)", "mask": "{} * (x > 0.1)", "weights": "M * {}", "maximum": "np.maximum({}, 0.2)",
         "clip": "np.clip({}, 0.2, None)", "fmax": "np.fmax({}, 0.2)", "dot": "np.dot(M, {})", "take": "{}[[1, 3]]",
         "slice": "{}[1:2]", "bool": "{}[x > 0.1]", "option": "np.sum({}, where=x > 0.1)",
         "select": "np.select([x > 0.1], [{}], 0.0)", "max": "np.max({})", "item": "{}[1]", "einsum": "np.einsum('i,i->', M, {})",
         "matmul": "M @ {}", "delete": "np.delete({}, [0, 2])", "triu": "np.triu({} * np.ones((4, 1)))[0, 1:2]",
         "list": "sum([{0}[1], {0}[3]])", "replaced": "replaced({}, x)", "sort": "np.sort({})[2:]",
         "average": "np.average({}, weights=M)"}
POLES = {"log": "np.log({})", "ratio": "(1.0 / {})", "reciprocal": "np.reciprocal({})", "inverse root": "({} ** -0.5)",
         "norm": "np.linalg.norm(np.stack([{0}, {0}]), axis=0)", "tan": "(np.tan(0.1 * {0}) / {0})",
         "arctanh": "np.arctanh(1.0 - {})",
         "log1p": "np.log1p({} - 1.0)"}
POLES_AFTER = ("where", "take", "bool", "option", "select", "replaced")
ANGLES = {"arccos": "np.arccos({})", "arcsin": "np.arcsin({})"}
LIMITED = {"clip": "np.clip(x, -1.0, 1.0)", "extrema": "np.maximum(np.minimum(x, 1.0), -1.0)", "cos": "np.cos(x)",
           "where": "np.where(np.abs(x) < 1, x, 1.0)"}
NUMBER = {"sqrt": "math.sqrt({})", "half": "(({}) ** 0.5)", "pow": "math.pow({}, 0.5)", "np.sqrt": "np.sqrt({})",
          "p": "(({}) ** P)"}
NUMBER_BEFORE = {"max": "max(x, 0.0)", "max0": "max(0.0, x)", "min": "-min(-x, 0.0)", "clip": "np.clip(x, 0.0, 9.0)",
                 "square": "x ** 2", "product": "x * x", "abs": "abs(x)", "fabs": "math.fabs(x)", "zero": "0.0 * x",
                 "difference": "(x - x * 1.0) ** 2", "mask": "x * (x > 0)", "ternary": "(x if x > 0 else 0.0)",
                 "sum": "sum([x * x, (2 * x) ** 2])", "list": "max([x, 0.0])", "weight": "x * Z",
                 "where": "np.where(x > 0, x, 0.0)", "three": "max(x, 0.0, -1.0)"}
NUMBER_AFTER = {"max": "max({}, 0.2)", "min": "min({}, -1.0)", "mask": "{} * (x > 0.1)", "weight": "{} * Z",
                "where": "np.where(x > 0.1, {}, 0.0)", "list": "max([{}, 0.2])"}
NUMBER_LIMITED = {"extrema": "max(-1.0, min(1.0, x))", "clip": "np.clip(x, -1.0, 1.0)", "cos": "math.cos(x - 1.0)"}
AT, AT_ZERO = np.array([0.0, 0.4, -0.7, 1.3]), np.array([0.0, 0.4, 0.0, 1.3])
POINTS = np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 2.0]])
NAMED: dict[str, tuple[str, Any]] = {
    "distances": ("return np.sum(np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1)))", POINTS),
    "distances einsum": ("d = x[:, None] - x[None]; return np.sum(np.sqrt(np.einsum('ijk,ijk->ij', d, d)))", POINTS),
    "distances product": ("d = x[:, None] - x[None]; return np.sum(np.sum(d * d, axis=-1) ** 0.5)", POINTS),
    "distances loop": ("""t = 0.0
    for i in range(3):
        for j in range(3):
            t += np.sqrt(np.sum((x[i] - x[j]) ** 2))
    return t""", POINTS),
    "gram": ("s = np.sum(x * x, axis=1); return np.sum(np.sqrt(np.maximum(s[:, None] + s[None] - 2 * x @ x.T, 0.0)))", POINTS[:2]),
    "sum in a loop": ("""t = 0.0
    for i in range(3):
        t += (x[i] - x[i]) ** 2
    return math.sqrt(t) + x[0]""", np.array([1.0, 2.0, 3.0])),
    "sum of a generator": ("return math.sqrt(sum((a - b) ** 2 for a, b in zip([x, x], [x, x]))) + x", 1.0),
    "hypot": ("return np.hypot(x, 0.0 * x) + math.hypot(x, x)", 0.0),
    "norm": ("return (x ** 2).sum() ** 0.5 + np.sqrt(x @ x) + np.sqrt(np.dot(x, x))", np.zeros(3)),
    "deviation": ("return np.sqrt(np.var(x)) + np.std(x)", np.ones(3)),
    "mean square": ("return np.sqrt(np.mean((x - 1.0) ** 2))", np.ones(3)),
    "two factors": ("return np.sum(np.sqrt(x[:2] * x[2:]))", np.array([0.0, 1.0, 0.0, 2.0])),
    "running average": ("""v, w = np.zeros(3), x * 1.0
    for i in range(3):
        g = 2 * w * np.array([1.0, 0.0, 1.0])
        v = 0.9 * v + 0.1 * g * g
        w = w - 0.1 * g / (np.sqrt(v) + 1e-8)
    return np.sum(w ** 2)""", np.array([1.0, 2.0, 3.0])),
    "layer": ("h = np.maximum(x, 0); return np.sqrt(np.sum(h ** 2))", np.array([-1.0, -2.0])),
    "float32": ("return np.sum(np.sqrt(np.maximum(x, 0)))", np.array([-1.0, 2.0], np.float32)),
    "entry": ("d = {'a': x * 1.0}; d['a'] = max(d['a'], 0.0); return math.sqrt(d['a']) + x", -1.0),
    "relu": ("return np.sum(np.sqrt(np.maximum(x, 0.0) * M))", AT),
    "angle": ("return np.sum((x > 1) * np.arctan2(x, 2 * x))", np.array([0.0, 4.0, 0.0])),
    "angle of numbers": ("return max(math.atan2(x, x), 3.0) + x", 0.0),
    "arccosh": ("return np.sum(np.arccosh(np.maximum(x, 1.0)))", np.array([0.5, 2.0])),
    "quadratic form": ("return np.sum(np.sqrt(np.einsum('bi,ij,bj->b', x, np.eye(2), x)))", np.zeros((3, 2))),
    "energies": ("return np.sum(np.sqrt(np.sum((x @ np.eye(2)) * x, axis=1)))", np.zeros((3, 2))),
    "rows": ("return np.sum(np.linalg.norm(x[:, None] - x[None], axis=-1) * (1 - np.eye(3)))", POINTS),
    "complex": ("z = x * (1.0 + 2.0j); return np.sum(np.sqrt(z.real ** 2 + z.imag ** 2) + np.abs(z))", np.zeros(2)),
    "powers by numbers": ("return np.sum((x ** 2 + 0.0 * x) ** (3 / 2)) + np.sum((x * x) ** (1 / 2))", np.array([0.0, 2.0])),
    "distances to others": ("d = x[:, None] - x; return np.sum(np.sqrt(d ** 2 + np.eye(3)))", np.array([1.0, 2.0, 1.0])),
    "mean of unknown squares": ("e = sum([x, 2.0 * x]) - 3.0; return np.sqrt(np.mean((e / 2.0) ** 2)) + x[0]", np.ones(3)),
    "kept pole": ("return np.sum(np.where(x > -1.0, np.exp(-1.0 / x ** 2), 0.0))", AT_ZERO[:2]),
    "kept pole of a product": ("y = x * M; return np.sum(np.where(x > -1.0, np.arctan(1.0 / (y * y)), 0.0))", AT_ZERO[1:2]),
    "dropped pole of a product": ("return np.sum(np.where(x > 1.0, 1.0 / (x * M * np.sin(x)), x))", AT),
    "root beside a pole": ("y = x * M; return np.sum(np.where(x > 0.1, np.log(y) / y, np.sqrt(y * y)))", AT),
    "where where": ("return np.sum(np.where(x > 0, np.sqrt(np.where(x > 0, x, 0.0)), 0.0))", AT),
}


def grid() -> dict[str, tuple[str, Any]]:
    programs = {}
    for (one, root), (other, inner) in itertools.product(ROOTS.items(), BEFORE.items()):
        programs[f"{one} of {other}"] = f"return np.sum({root.format(inner)} * np.array([1.0, 2.0, 3.0, 4.0]))", AT
    for (one, root), (other, outer) in itertools.product(ROOTS.items(), AFTER.items()):
        programs[f"{other} of {one}"] = f"return np.sum({outer.format(root.format('x'))})", AT_ZERO
    for (one, pole), other in itertools.product(POLES.items(), POLES_AFTER):
        programs[f"{other} of {one}"] = f"return np.sum({AFTER[other].format(pole.format('x'))})", AT_ZERO
    for (one, pole), (middle, inner), other in itertools.product(POLES.items(), BEFORE.items(), POLES_AFTER):
        if middle != "zero":                                    # what is taken would be infinite
            programs[f"{other} of {one} of {middle}"] = f"return np.sum({AFTER[other].format(pole.format(f'({inner})'))})", AT_ZERO
    for (one, angle), (other, inner) in itertools.product(ANGLES.items(), LIMITED.items()):
        programs[f"{one} of {other}"] = f"return np.sum({angle.format(inner)})", np.array([1.5, 0.3, -1.2, 0.0])
    for (one, root), (other, inner), at in itertools.product(NUMBER.items(), NUMBER_BEFORE.items(), (-0.5, 0.0, 0.7)):
        programs[f"{one} of {other} at {at}"] = f"return 2.0 * {root.format(inner)} + x", at
    for (one, root), (other, outer), at in itertools.product(NUMBER.items(), NUMBER_AFTER.items(), (0.0, 0.7)):
        programs[f"{other} of {one} at {at}"] = f"return {outer.format(root.format('x'))} + x", at
    for (other, inner), at in itertools.product(NUMBER_LIMITED.items(), (1.5, 0.3, -2.0, 1.0)):
        programs[f"acos of {other} at {at}"] = f"return math.acos({inner}) + x", at
    return programs


GRID = grid()
TODAY = datetime.date.today().toordinal() % 10
TRIED = {**NAMED, **{name: program for name, program in GRID.items() if zlib.crc32(name.encode()) % 10 == TODAY}}


def function_of(name: str, body: str) -> Any:
    file = f"<zero {name}>"
    text = f"{HEAD}\n\ndef f(x):\n    {body}\n\n\ndef slope(x):\n    return np.sum(np.asarray(gradient(x)) * 0.7)\n"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {}
    exec(compile(text, file, "exec"), names)
    names["gradient"] = sg.grad(names["f"])
    return names


def differences(f: Any, x: Any) -> np.ndarray:
    start = np.array(x, dtype=float)

    def at(position: int, step: float) -> float:
        moved = start.reshape(-1).copy()
        moved[position] += step
        try:
            value = f(moved.reshape(start.shape) if start.ndim else float(moved[0]))
        except (ValueError, ZeroDivisionError, TypeError):       # TypeError: of a complex root
            return math.nan
        return math.nan if isinstance(value, complex) else value

    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(start.size):
            both = (at(k, 1e-6) - at(k, -1e-6)) / 2e-6
            found.append(both if np.isfinite(both) else (at(k, 1e-6) - at(k, 0.0)) / 1e-6)
    return np.array(found)


def raises_itself(f: Any, x: Any) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            f(x)
    except Warning:
        return True
    return False


@pytest.mark.parametrize("name", TRIED)
def test_zero_stays_zero(name: str) -> None:
    body, x = TRIED[name]
    names = function_of(name, body)
    f, gradient = names["f"], names["gradient"]
    tolerance = 0.2 if getattr(x, "dtype", None) == np.float32 else 1e-4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if raises_itself(f, x) else "error")
        first = np.ravel(gradient(x))
        try:
            second = np.ravel(sg.grad(names["slope"])(x))
        except sg.UnsupportedError:                     # a power of a number may be complex: what is compared then is not known
            assert "**" in body
            second = None
    expected = differences(f, x)
    finite = np.abs(expected) < 300.0                   # else the derivative is infinite, which the gradient says, too
    assert not np.isnan(first).any(), first
    assert np.allclose(first[finite], expected[finite], tolerance, tolerance), (first, expected)
    if second is not None:
        assert np.isfinite(second[np.isfinite(first)]).all(), second
        smooth = np.isfinite(first).all() & (np.abs(np.ravel(x)) > 0.05) & (np.abs(np.abs(np.ravel(x)) - 1.0) > 0.05)
        if smooth.any():
            curvature = differences(names["slope"], x)
            assert np.allclose(second[smooth], curvature[smooth], 1e-3, max(tolerance, 1e-3)), (second, curvature)


def test_the_grid_is_large() -> None:
    assert len(GRID) > 500 and len({name.partition(" of ")[0] for name in GRID}) > 20


def test_where_nothing_vanishes_nothing_is_guarded() -> None:
    for body in ("return np.sum(np.sqrt(x))", "return np.sum(np.sqrt(1 + x ** 2))", "return np.sum(np.sqrt(x ** 2 + 1e-3))",
                 "return np.sum(np.sqrt(np.exp(x)))", "return np.sum(x / np.sqrt(np.sum(np.exp(x) ** 2) + 1.0))",
                 "return np.sum(np.log(x) / x)", "return np.sum(np.arccos(x))",
                 "return np.sum((x ** 2 + 1.0 + np.sum(x) ** 2) ** (1 / 2) + (x ** 2) ** (3 / 2))",
                 "return np.sum(np.sqrt(x + 2.0 * x))"):
        text = sg.source(function_of(body, body)["f"], at={"x": np.full(3, 0.5)})
        assert "guard" not in text and "quotient" not in text and "or_zero" not in text and "selected" not in text, text


def guarded_text(body: str) -> str:
    gradient = sg.grad(function_of(body, body)["f"]).guarded
    gradient(np.full(3, 0.5))
    return str(gradient.source)


def test_poles_before_selections_make_no_cotangent_infinite() -> None:
    """A finite result has dropped them, so the cotangent is zero there: `guard` is enough."""
    for body in ("return np.sum(np.where(x > 1, 1.0 / (x * x[::-1]), 0.0))", "return np.max(np.log(x * np.sin(x)) / x)"):
        text = guarded_text(body)
        assert "guard(" in text and "guard_steep" not in text, text
    body = "return np.sum(np.where(x > -1, np.sqrt(x * x[::-1]), 0.0))"
    assert "guard_steep(" in guarded_text(body)


def test_roots_of_constants_in_a_callee_make_no_cotangent_infinite() -> None:
    for body, guarded in (("s = 2.0 + Z * len(x); return np.sum(damped(x * x[::-1], s) + damped(x, s))", False),
                          ("s = x[0] * x[1]; return np.sum(damped(x * x[::-1], s) + damped(x, s))", True)):
        text = guarded_text(body)
        assert "damped_reverse(" in text and ("guard_steep(" in text) is guarded, text


def test_a_true_infinity_stays() -> None:
    for body in ("return np.sum(np.sqrt(x))", "return np.sum(np.cbrt(x))", "return np.sum(np.sqrt(np.maximum(x, -1.0)))",
                 "return np.sum(np.sqrt(x) * np.array([1.0, 0.0]))", "return np.sum(x ** 0.3)"):
        with np.errstate(divide="ignore"):
            assert sg.grad(function_of(body, body)["f"])(np.array([0.0, 1.0]))[0] == np.inf
    assert sg.grad(function_of("number", "return math.sqrt(x)")["f"])(0.0) == math.inf


def test_in_a_mixed_sum_the_zero_factor_counts() -> None:
    """sqrt(x ** 2 + y) at zero: nothing by x, infinite by y."""
    names = function_of("mixed", "return math.sqrt(x[0] ** 2 + x[1])")
    assert list(sg.grad(names["f"])(np.zeros(2))) == [0.0, math.inf]


def test_weights_of_zero() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = function_of("weights", "return np.sqrt(x)")
        assert list(sg.grad(names["f"])(np.array([0.0, 4.0]), grad_outputs=np.array([0.0, 1.0]))) == [0.0, 0.25]
