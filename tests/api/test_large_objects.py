"""Calls with large objects: what changes in them between calls is seen, if the function can see it, and costs little otherwise."""
from __future__ import annotations

import copy
import dataclasses
import functools
import operator
import threading
import types
from typing import Any, Protocol

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.asked import names_asked
from sourcegrad.api.inline_cache import generated_code
from sourcegrad.errors import SourcegradError


class Layer:
    power = 2

    def __init__(self, j: int) -> None:
        self.w, self.b, self.name, self.mode = 1.0 + 0.01 * j, np.full(3, 0.1 * j), f"l{j}", "square"
        self.rates, self.options = [0.5, 0.25], {"rate": 0.1 * j, "kind": "x"}

    def apply(self, x):
        return x ** self.power * self.w

    @property
    def doubled(self):
        return 2.0 * self.w

    def __eq__(self, other):
        return self.mode == other.mode

    __hash__ = object.__hash__


class Slotted:
    __slots__ = ("w", "mode", "unread")

    def __init__(self) -> None:
        self.w, self.mode, self.unread = 3.0, "square", 1.0


@dataclasses.dataclass
class Setting:
    rate: float
    mode: str


class Lazy:
    def __getattr__(self, name):
        if name == "ghost":
            return 5.0
        raise AttributeError(name)


class Config:
    def __init__(self, count: int = 12) -> None:
        self.layers = [Layer(j) for j in range(count)]
        self.tables = {f"t{j}": {"a": 1.0 * j, "b": [1.0, 2.0]} for j in range(count)}
        self.first, self.second, self.scale, self.mode = Layer(3), Layer(4), 2.0, "square"
        self.slotted, self.setting, self.other, self.lazy = Slotted(), Setting(0.5, "a"), Setting(0.5, "a"), Lazy()
        self.w, self.v = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.5, 0.5])
        self.unread = {"deep": [Layer(7)]}


CONFIG = Config()
get_scale = operator.attrgetter("scale")
NAMES = ["scale"]


def few(x, c):
    return np.sum(x * x) * c.scale + c.first.options["rate"] * x[0]


def every(x, c):
    total = 0.0
    for layer in c.layers:
        total = total + np.sum(x * layer.b) * layer.w * layer.options["rate"] + layer.rates[0] * x[0] ** 2
    return total


def keys(x, c):
    total = 0.0
    for table in c.tables.values():
        total = total + table["a"] * np.sum(x * x)
    return total


def branches(x, c):
    if c.first.mode == "square":
        return np.sum(x * x) * c.scale
    return np.sum(np.sin(x))


def methods(x, c):
    return np.sum(c.first.apply(x)) + c.first.doubled * x[0]


def whether(x, c):
    if hasattr(c, "extra"):
        return np.sum(x * x)
    return np.sum(x)


def attempted(x, c):
    try:
        return np.sum(x * x) * c.extra
    except AttributeError:
        return np.sum(x)


def by_name(x, c):
    total = 0.0
    for name in NAMES:
        total = total + getattr(c, name) * np.sum(x * x)
    return total


def by_getter(x, c):
    return np.sum(x * x) * get_scale(c)


def by_dict(x, c):
    return np.sum(x * x) * c.__dict__["scale"] + len(vars(c))


def slotted(x, c):
    return np.sum(x * x) * c.slotted.w if c.slotted.mode == "square" else np.sum(x)


def compared(x, c):
    return np.sum(x * x) if c.setting == c.other else np.sum(x)


def compared_layers(x, c):
    return np.sum(x * x) if c.first == c.second else np.sum(x)


def matched(x, c):
    match c.setting:
        case Setting(_, "a"):
            return np.sum(x * x)
    return np.sum(x)


def lazily(x, c):
    return np.sum(x * x) * c.lazy.ghost


def outside(x, c):
    return np.sum(x * x) * CONFIG.scale + CONFIG.layers[1].w * x[0]


def in_place(x, c):
    c.w[0] = x[1] * 2.0
    return np.sum(c.w * c.v * x)


def stored(x, c):
    c.scale = c.scale * x[0]
    return np.sum(x) * c.scale


def through(x, c):
    def inner(y, layer):
        return y * layer.w
    return functools.reduce(lambda a, layer: a + inner(x[0], layer), c.layers, 0.0)


def identical(x, c):
    return np.sum(x * x) if c.first is c.second else np.sum(x)


def copied(x, c):
    other = copy.copy(c.first)
    other.w = x[0]
    return other.apply(x[1]) + c.first.w


FUNCTIONS = (few, every, keys, branches, methods, whether, attempted, by_name, by_getter, by_dict, slotted, compared,
             compared_layers, matched, lazily, outside, in_place, stored, through, identical, copied)


def swapped(c):
    c.first, c.second = c.second, c.first


CHANGES = {
    "an int": lambda c: setattr(c, "scale", 3),
    "another number": lambda c: setattr(c, "scale", 5.0),
    "a bool": lambda c: setattr(c, "scale", True),
    "an array": lambda c: setattr(c, "scale", np.full(3, 2.0)),
    "another mode": lambda c: setattr(c.first, "mode", "sine"),
    "another class": lambda c: setattr(c, "first", types.SimpleNamespace(**vars(c.first), apply=np.cos, doubled=1.0)),
    "the class assigned": lambda c: setattr(c.first, "__class__", type("Sub", (Layer,), {"apply": lambda self, x: 7.0 * x})),
    "a method of its own": lambda c: setattr(c.first, "apply", np.sin),
    "a power of its own": lambda c: setattr(c.first, "power", 3),
    "extra": lambda c: setattr(c, "extra", 4.0),
    "extra of a part": lambda c: setattr(c.first, "extra", 4.0),
    "list longer": lambda c: c.layers.append(Layer(9)),
    "list of another class": lambda c: c.layers.append(types.SimpleNamespace(**vars(c.first))),
    "list shorter": lambda c: c.layers.pop(),
    "list emptied": lambda c: c.layers.clear(),
    "item another rank": lambda c: setattr(c.layers[7], "b", np.float64(0.5)),
    "item an int": lambda c: setattr(c.layers[7], "w", 2),
    "nested list": lambda c: c.layers[7].rates.append("text"),
    "nested key removed": lambda c: c.layers[7].options.pop("rate"),
    "key removed": lambda c: c.tables.pop("t3"),
    "key added": lambda c: c.tables.update(more={"a": 2.0, "b": [1.0]}),
    "value of a key": lambda c: c.tables["t3"].update(a=np.ones(3)),
    "slot": lambda c: setattr(c.slotted, "mode", "sine"),
    "slot an int": lambda c: setattr(c.slotted, "w", 4),
    "slot deleted": lambda c: delattr(c.slotted, "w"),
    "setting": lambda c: setattr(c.setting, "mode", "b"),
    "settings": lambda c: (setattr(c.setting, "mode", "b"), setattr(c.other, "mode", "b")),
    "ghost": lambda c: setattr(c.lazy, "ghost", 2.0),
    "attribute deleted": lambda c: delattr(c, "scale"),
    "same array": lambda c: setattr(c, "v", c.w),
    "view of it": lambda c: setattr(c, "v", c.w[::-1]),
    "one element": lambda c: (setattr(c, "v", np.ones(1)), setattr(c.first, "b", np.ones(1))),
    "same object": lambda c: setattr(c, "second", c.first),
    "same object twice in a list": lambda c: c.layers.append(c.layers[0]),
    "swapped": swapped,
    "unread": lambda c: (setattr(c, "unread", 1.0), setattr(c, "newly", [c]), setattr(c.first, "note", "n")),
    "a dict of its own": lambda c: setattr(c, "__dict__", {**vars(c), "scale": 4}),
}


def result(gradient, *args) -> Any:
    try:
        with np.errstate(all="ignore"):
            return np.asarray(gradient(*args)).tolist()
    except SourcegradError as error:
        return type(error).__name__
    except Exception as error:
        return type(error).__name__


def fresh(function, *args) -> Any:
    """What is found without anything that was generated before, in a function of its own."""
    twin = types.FunctionType(function.__code__, function.__globals__, function.__name__)
    return result(sg.grad(twin), *args)


X = np.array([0.3, 0.5, 0.7])


@pytest.mark.parametrize("share", range(4))
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_changes_between_calls_is_seen(function, share: int) -> None:
    gradient, made = sg.grad(function), {}
    for name, change in list(CHANGES.items())[share::4]:
        c, again = Config(), Config()
        before = [result(gradient, X, c) for _ in range(3)]
        assert before == [fresh(function, X, again) if not made else made["before"]] * 3, name
        made["before"] = before[0]
        change(c)
        change(again)
        found = [result(gradient, X, c) for _ in range(3)]
        wanted = fresh(function, X, again)
        assert found == [wanted] * 3, (name, found, wanted)


@pytest.mark.parametrize("function", [few, every, keys, branches, methods, slotted, outside, through], ids=lambda f: f.__name__)
def test_calls_are_quick(function) -> None:
    """A call does not ask for the kind of anything."""
    gradient, c = sg.grad(function), Config()
    wanted = [gradient(X, c) for _ in range(6)][-1]
    asked = gradient._general
    gradient._general = None                                # the way of calls that are like none before
    c.unread, c.scale, c.newly = 1.0, 2.0, [1.0]
    assert np.array_equal(gradient(X, c), wanted)
    c.layers[2].w = 1.02
    assert np.array_equal(gradient(X, c), wanted)
    gradient._general = asked


class Named(Protocol):
    name: str


def asked_by(function):
    return names_asked(None, [(None, "__code__", function.__code__), *((None, name, function.__globals__[name])
                              for name in function.__code__.co_names if name in function.__globals__)])


def test_what_a_function_may_ask_for() -> None:
    def f(x, c):
        return c.first.w * x if c.mode == "square" else [layer.b for layer in c.layers][0]

    assert asked_by(f) >= {"first", "w", "mode", "b", "layers"} and "scale" not in asked_by(f)
    for function in (by_name, by_getter, by_dict, matched, whether, lambda c: isinstance(c, Named),
                     lambda c: dataclasses.astuple(c), lambda c: operator.methodcaller("apply", 2.0)(c)):
        assert asked_by(function) is None
    assert names_asked(None, []) is None


def test_class_attributes() -> None:
    gradient, c = sg.grad(methods), Config()
    before = [gradient(X, c) for _ in range(3)][-1]
    Layer.power = 3
    try:
        assert not np.allclose(gradient(X, c), before) and result(gradient, X, c) == fresh(methods, X, c)
        Layer.power = 2.5
        assert result(gradient, X, c) == fresh(methods, X, c)
    finally:
        Layer.power = 2
    assert np.allclose(gradient(X, c), before)


def test_a_global_object() -> None:
    gradient, c = sg.grad(outside), Config(2)
    before = [gradient(X, c) for _ in range(3)][-1]
    kept = CONFIG.scale, CONFIG.layers[1].w
    for change in (lambda: setattr(CONFIG, "scale", 3.5), lambda: setattr(CONFIG, "scale", 3),
                   lambda: setattr(CONFIG.layers[1], "w", np.ones(3)), lambda: delattr(CONFIG, "scale")):
        change()
        assert [result(gradient, X, c) for _ in range(2)] == [fresh(outside, X, c)] * 2
        CONFIG.scale, CONFIG.layers[1].w = kept
    assert np.array_equal(gradient(X, c), before)


def test_nothing_is_generated_again_for_what_nobody_reads() -> None:
    def f(x, c):
        return np.sum(x * x) * c.scale

    gradient, c = sg.grad(f), Config()
    for _ in range(3):
        gradient(X, c)
    for j in range(5):
        setattr(c, f"counter_{j}", j)
        c.layers, c.unread = None, "text"
        gradient(X, c)
    assert sum(map(len, generated_code(f).values())) == 1


class Model:
    def __init__(self) -> None:
        self.w, self.v = np.ones(3), np.ones(3)
        self.rest = [Layer(j) for j in range(40)]

    def loss(self, x):
        return np.sum(self.w * x) ** 2 + np.sum(self.v * x) * self.rest[1].w

    def alone(self, x):
        return np.sum(self.w * x) ** 2


def test_a_part_that_is_reached_in_two_ways() -> None:
    gradient, model = sg.grad(Model.loss, "self.w"), Model()
    before = [gradient(model, X) for _ in range(3)][-1]
    model.v = model.w
    with pytest.raises(SourcegradError, match="reached in another way"):
        gradient(model, X)
    model.v = model.w.copy()
    assert np.array_equal(gradient(model, X), before)
    model.rest[5].b = model.w                                # nobody reads it
    result(gradient, model, X)
    model.rest[5].b = np.ones(3)
    model.rest[6] = model.rest[5]                            # two ways, but not to what is differentiated
    assert np.array_equal(gradient(model, X), before)
    model.w = model.w.astype(np.float32)
    assert gradient(model, X).dtype == np.float32


def test_a_method_and_its_object() -> None:
    model = Model()
    gradient = sg.grad(model.alone)
    before = [gradient(X) for _ in range(3)][-1]
    model.rest.clear()
    assert np.array_equal(gradient(X), before)
    model.w = np.array([[1.0, 2.0, 3.0]])
    assert np.allclose(gradient(X), 2.0 * np.sum(model.w * X) * model.w[0])


def test_the_whole_object_is_the_input() -> None:
    def f(c, x):
        return c.scale * np.sum(c.first.b * x)

    gradient, c = sg.grad(f), Config()
    before = [gradient(c, X) for _ in range(3)][-1]
    assert before.scale == np.sum(c.first.b * X) and len(before.layers) == 12
    c.tables["t3"]["b"].append(1.0)
    c.more = 1.0
    found = gradient(c, X)
    assert found.more == 0.0 and len(found.tables["t3"]["b"]) == 3


def test_other_modes() -> None:
    c = Config()
    for function in (few, every, methods, branches):
        for make in (lambda f: sg.grad(lambda x, c: np.sum(sg.grad(f)(x, c) ** 2)), sg.value_and_grad, sg.hessian,
                     lambda f: lambda x, c: sg.jvp(f, (x, c), (np.ones(3), None))[1],
                     lambda f: lambda x, c: sg.vjp(f, x, c)[1](1.0)[0]):
            derivative = make(function)
            for _ in range(3):
                derivative(X, c)
            changed = Config()
            changed.scale, changed.first.mode, changed.first.w, changed.layers[3].w = 3, "sine", 2, 5
            one, other = derivative(X, changed), make(function)(X, copy.deepcopy(changed))
            assert str(one) == str(other)


def test_threads() -> None:
    gradient, wrong = sg.grad(every), []
    objects = [Config(20), Config(20)]
    objects[1].layers[3].w, objects[1].layers[4].b = 2, np.ones(3, np.float32)
    wanted = [fresh(every, X, c) for c in objects]

    def work(j: int) -> None:
        for turn in range(40):
            which = (turn + j) % 2
            if result(gradient, X, objects[which]) != wanted[which]:
                wrong.append(which)

    threads = [threading.Thread(target=work, args=(j,)) for j in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
