"""Views of arrays that change in place and that objects hold: the adjoint of a view is the same view of the adjoint."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.compiler import linking
from sourcegrad.errors import InputError, UnsupportedError
from sourcegrad.runtime import array_bar, place_bars
from tests.kinds.places import by_differences, check_gradient, check_second, programs_of
from tests.kinds.test_held_arrays import X
from tests.programs.place_generator import OK, RAISES, REFUSED, verdict
from tests.programs.view_generator import ViewWriter


class Grid:
    def __init__(self, x, order="C"):
        self.m = np.array(np.ones((2, 3)) * x[0], order=order)
        self.w = np.array([x[0], x[1], 0.3])
        self.v = np.zeros(3)

    def row(self, k):
        return self.m[k]


class Holder:
    def __init__(self, v):
        self.v = v


def put(v, h):
    v[0] = v[-1] * h + 0.1


def halves(v):
    return v[:2], v[1:]


def keep(o, v):
    o.w = v


def part_that_changes(x):
    o = Grid(x)
    row = o.m[1]
    row[0] *= x[0]
    o.m[1, 1] += row[0]
    return np.sum(o.m * o.m) + row[1]


def returned(x):
    o = Grid(x)
    row = o.row(0)
    row[:] = row * x[1]
    o.m *= 2.0
    return np.sum(row * o.m[1])


def in_a_loop(x):
    o = Grid(x)
    for k in range(2):
        row = o.row(k)
        row[0] = row[1] * x[0] + k
    turned = o.m.T
    turned[1] += turned[0] ** 2
    return np.sum(o.m ** 2)


def in_a_list(x):
    o = Grid(x)
    rows = []
    for k in range(2):
        rows.append(o.m[k])
    for k in range(1, 2):
        rows[k][:] = np.sin(rows[k - 1]) + k * x[1]
    flat = o.m.ravel()
    flat[2] *= 3.0
    return np.sum(rows[1] * rows[0])


def passed(x):
    o = Grid(x)
    put(o.m[1], x[1])
    put(o.m.T[:, 0], 0.3)
    put(np.flip(o.w), x[0])
    put(o.m.reshape(3, 2)[:, 0], 0.7)
    return np.sum(o.m * o.w)


def in_a_tuple(x):
    o = Grid(x)
    head, tail = halves(o.w)
    tail[0] *= x[1]
    return head[1] * o.w[0] + np.sum(o.w)


def stored(x):
    o, q = Grid(x), Grid(x)
    o.w = q.m[0]
    q.w = o.w
    q.w[1] *= x[1]
    same = np.asarray(o.w)
    same[0] *= 2.0
    return np.sum(q.m) * x[0]


def kept(x):
    o = Grid(x)
    keep(o, o.m[:, 1])
    o.m[0, 1] *= x[1]
    return np.sum(o.w * o.m[0, 0])


def every_second(x):
    o, q = Grid(x), Grid(x)
    d = {"u": o, "v": q}
    o.w -= q.v * 0.5
    d["v"].w = q.m.ravel()[::2]
    return np.sum(o.w * q.w)


def rows_of_a_loop(x):
    o = Grid(x)
    for row in o.m:
        row += x[0]
        row[0] = row[1] * row[2]
    return np.sum(o.m ** 2) * x[1]


def parts_of_a_split(x):
    o = Grid(x)
    a, b, c = np.split(o.m, 3, axis=1)
    b[0] *= x[1]
    o.m[1] *= 0.8
    put(c[:, 0], 0.5)
    return np.sum(a * c) + b[1, 0] * x[0]


def nothing_in_it(x):
    o = Grid(x)
    none = o.w[3:]
    none *= 2.0
    for k in range(0):
        o.m[k][0] = x[1]
    return np.sum(o.w) * x[1] + np.sum(none)


def columns_first(x):
    o = Grid(x, order="F")
    column, row = o.m[:, 1], o.m[1]
    column *= x[1]
    row[1] += row[0]
    return np.sum(o.m ** 2)


def view_of_a_view(x):
    o = Grid(x)
    part = o.m[:, 1:]
    inner = part[1]
    inner[0] = x[1] * part[0, 0]
    inner[::-1][0] = inner[0] ** 2
    return np.sum(o.m) * np.sum(part)


def copied_by_a_reshape(x):
    """The order in memory asks for a copy."""
    o = Grid(x)
    flat = o.m.T.ravel()
    flat[0] = x[1]
    pairs = o.m[:, ::-1].reshape(3, 2)
    pairs[0] *= flat[1]
    o.m *= x[2]
    return np.sum(o.m) + np.sum(flat ** 2) * x[1] + np.sum(pairs[0] * pairs[1])


def given(x):
    p, q = Holder(x), Holder(x[1:])
    p.v[0] *= x[1]
    q.v *= 2.0
    return np.sum(p.v ** 2) + x[1] * x[0]


def given_and_turned(x):
    p = Holder(x.reshape(1, -1))
    p.v[0, 1] = x[0] ** 2
    return np.sum(x * x)


class Child(Grid):
    def __init__(self, x):
        Grid.__init__(self, x)
        self.m = self.m * 2.0


def put_and_keep(o, v):
    o.w = v
    v[1] = 0.7 * v[0]


def one_class_holds_what_another_does_not(x):
    """What objects of one class hold under a name is a place: so is what objects of another hold under it."""
    o, p = Grid(x), Child(x)
    objs = [o, p, o]
    same = objs[0].w
    put_and_keep(p, objs[-1].v)
    return sum(np.sum(q.w * q.w) for q in objs) + np.sum(same * same) * x[1] + np.sum(o.v)


PROGRAMS = programs_of(globals())


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    check_gradient(f, [X, X * 0.5 + 0.3, X])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking.OPTIONS, "places", "only")
    check_second(f, X)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_in_single_precision(f: Any) -> None:
    """Right as far as the precision goes."""
    x = X.astype(np.float32)
    assert np.allclose(sg.grad(f)(x), by_differences(f, X), rtol=2e-3, atol=2e-3)


def column_by_column(x):
    o = Grid(x)
    flat = o.m.ravel("F")
    flat[0] *= x[1]
    o.m[1, 0] *= 2.0
    return flat[1] * x[0] + np.sum(o.m) + np.sum(flat * np.arange(6.0))


def pairs_by_columns(x):
    o = Grid(x)
    pairs = np.reshape(o.m, (3, 2), "F")
    pairs[0] *= x[1]
    o.m[1, 0] *= 2.0
    return np.sum(pairs * np.arange(6.0).reshape(3, 2)) * x[0] + np.sum(o.m)


def of_another_dtype(x):
    o = Grid(x)
    wide = np.asarray(o.w, complex)
    wide[0] *= x[1]
    o.w[1] *= 3.0
    return np.sum(wide.real) * x[0] + np.sum(o.w)


def by_an_order_without_objects(x):
    m = np.ones((2, 3)) * x[0]
    pairs = np.reshape(m, (3, 2), "C")
    pairs[0] *= x[1]
    m[1, 0] *= 2.0
    return np.sum(pairs) + np.sum(m)


@pytest.mark.parametrize("f", [column_by_column, pairs_by_columns, of_another_dtype, by_an_order_without_objects],
                         ids=lambda f: f.__name__)
@pytest.mark.parametrize("places", ["", "only"])
def test_an_order_or_a_dtype_is_no_plain_view(f: Any, places: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right, or refused with identity alone."""
    monkeypatch.setattr(linking.OPTIONS, "places", places)
    try:
        check_gradient(f, [X])
    except UnsupportedError as error:
        assert places == "only" and error.origin is not None and error.origin.file == __file__


def test_arguments_that_share_memory_are_refused() -> None:

    def f(x, y):
        p = Holder(x)
        p.v[0] *= 2.0
        return np.sum(p.v * y)

    x = X.copy()
    assert np.allclose(sg.grad(f)(x, x.copy()), [2.0 * x[0], x[1], x[2]])
    with pytest.raises(InputError, match="shares memory with another argument"):
        sg.grad(f)(x, x[::-1])


@pytest.mark.parametrize("a", [np.zeros((3, 4)), np.asfortranarray(np.zeros((3, 4))), np.zeros((3, 4), np.float32),
                               np.linspace(0, 1, 12), np.zeros((2, 3, 4)), np.zeros((0, 4)), np.zeros((2, 3, 4)).swapaxes(0, 2)],
                         ids=["C", "F", "float32", "line", "cube", "empty", "turned"])
def test_the_adjoint_of_a_view_is_the_same_view(a: np.ndarray) -> None:
    views = [a, a[1:], a[::-1], a.T, a[..., ::-2], a[:0], a[1:2], a.swapaxes(0, -1), a[..., None], a.squeeze()]
    for view in views:
        bars = place_bars()
        a[...] = 0.0
        bar = array_bar(bars, view)
        view[...] = np.arange(view.size).reshape(view.shape) + 1.0
        bar[...] = view
        assert bar.shape == view.shape and np.array_equal(array_bar(bars, a), a)


def test_the_text() -> None:
    text = sg.source(in_a_loop, at={"x": X})
    assert "turned = " in text and ".T\n" in text and "row_bar[0] = 0.0" in text
    helpers = ("place_load", "place_store", "place_view", "view_fill", "(memory_", "index_set", "item_at")
    assert not any(name in text for name in helpers)


@pytest.mark.parametrize("number", range(4000, 4024))
def test_random_programs(number: int) -> None:
    with np.errstate(all="ignore"):
        found, what = verdict(number, 1 + (number % 4 == 0), ViewWriter)
    assert found in (OK, REFUSED, RAISES), what


def test_few_random_programs_are_refused() -> None:
    with np.errstate(all="ignore"):
        assert sum(verdict(number, 1, ViewWriter)[0] == REFUSED for number in range(4100, 4103)) <= 1
