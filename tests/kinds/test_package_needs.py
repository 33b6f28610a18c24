"""What programs of packages need: loops over dicts of unknown kind, weak references that are gone, functions of compilers,
and to be told what a callee changes."""
from __future__ import annotations

import copy
import weakref
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import kinds
from sourcegrad.errors import UnsupportedError
from sourcegrad.runtime import items_part
from sourcegrad.runtime.structure import is_compiled_function, reached

X = np.array([0.3, 0.6])


# --- a dict that is filled by a callee, which then goes over its keys

def each(x):
    return {"F": [100 * (x[0] ** 2 + x[1] ** 2), x[0] - 1], "G": [2 * x[0]]}


def fill(elements, out):
    for element in elements:
        for k, v in element.items():
            if out.get(k, None) is None:
                out[k] = []
            out[k].append(v)
    for k in out:
        if out[k] is not None:
            out[k] = np.array(out[k])


def collected(x):
    out = {name: None for name in ["F", "G"]}
    fill([each(x), each(2 * x)], out)
    return np.sum(out["F"]) + np.sum(out["G"] ** 2)


def test_a_dict_that_a_callee_fills() -> None:
    gradient = sg.grad(collected)(X)
    exact = [(collected(X + 1e-6 * e) - collected(X - 1e-6 * e)) / 2e-6 for e in np.eye(2)]
    np.testing.assert_allclose(gradient, exact, rtol=1e-7)


def test_the_keys_of_a_dict_have_no_derivative() -> None:
    assert items_part([1.0, 2.0], {"a": 0.5, "b": 0.25}) == 0.0
    assert items_part([1.0, 2.0], [0.5, 0.25]) == [1.0, 2.0]


# --- weak references

class Part:
    pass


class Holder:
    def __init__(self):
        part = Part()
        self.part, self.parts, self.w = weakref.proxy(part), {"part": weakref.proxy(part)}, np.array([2.0, 0.5])


HOLDER = Holder()


def in_place(x):
    x[0] = 2 * x[0]
    return np.sum(x * HOLDER.w)


def test_proxies_of_what_is_gone() -> None:
    gradient = sg.grad(in_place)
    for _ in range(3):
        np.testing.assert_allclose(gradient(X), [4.0, 0.5])
    assert not any(type(x) in weakref.ProxyTypes for x in reached([HOLDER]).values())
    assert kinds.kind_of(HOLDER.part) is kinds.ANY


# --- functions that a compiler has made

class Model:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.sum(self.w * x)


def test_functions_of_compilers_are_not_looked_into() -> None:
    tree = pytest.importorskip("scipy.spatial").cKDTree

    class Compiled(tree):
        def __call__(self, x):
            return x

    compiled = Compiled(np.eye(2))
    compiled.held = np.ones(3)
    assert is_compiled_function(Compiled) and not is_compiled_function(tree)
    assert id(compiled.held) not in reached([compiled]) and kinds.kind_of(compiled).items is None
    assert not is_compiled_function(Model) and not is_compiled_function(Part)


def test_objects_that_are_called_are_looked_into() -> None:
    model = Model(np.array([2.0, 3.0]))
    np.testing.assert_allclose(sg.grad(lambda x: model(x * x))(X), 2.0 * model.w * X)
    assert id(model.w) in reached([model])


def test_dicts_of_any_kind_at_second_order() -> None:
    def gradient(x: Any) -> Any:
        return np.sum(sg.grad(collected)(x) ** 2)

    exact = [(gradient(X + 1e-5 * e) - gradient(X - 1e-5 * e)) / 2e-5 for e in np.eye(2)]
    np.testing.assert_allclose(sg.grad(gradient)(X), exact, rtol=1e-5)


# --- what a callee changes that is not the function's own

class Runner:
    def run(self, x):
        self.last = x
        return x


RUNNER, TABLE = Runner(), {"a": 1.0}


def stored(table, x):
    table["b"] = x
    return x * table["a"]


def by_a_function(x):
    return np.sum(stored(TABLE, x))


def by_a_method(x):
    return np.sum(RUNNER.run(x) * 2.0)


def with_copies(x):
    return np.sum(stored(dict(TABLE), x) * copy.copy(RUNNER).run(x))


@pytest.mark.parametrize("function,call,name", [(by_a_function, "stored", "TABLE"), (by_a_method, "run", "RUNNER")])
def test_a_callee_changes_what_is_not_local(function: Any, call: str, name: str) -> None:
    with pytest.raises(UnsupportedError, match=rf"{call}\(\) changes '{name}', which is not a local variable") as caught:
        sg.grad(function)(X)
    origin = caught.value.origin
    assert origin is not None and origin.text[origin.column - 1:].startswith((f"{call}(", f"{name}.{call}("))
    assert f"Pass a copy of '{name}'" in str(caught.value)
    np.testing.assert_allclose(sg.grad(with_copies)(X), 2.0 * X)


def test_another_way_is_taken_where_generated_code_asks_in_vain():
    """What one generation has learned is forgotten where its code refuses when it runs: the same way would be taken again."""
    from tests.programs.corpus import BY_NAME

    program = BY_NAME["hands_out_in_an_object"]
    found = sg.grad(lambda b: np.sum(np.cos(program.function(b))))(*program.fresh())
    assert np.all(np.isfinite(found)) and found.shape == np.shape(program.fresh()[0])
