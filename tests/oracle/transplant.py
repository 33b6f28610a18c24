"""Run an unmodified function on duals: copy it, and all functions it can reach, into globals that know duals."""
from __future__ import annotations

import copy
import enum
import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle.duals import Dual
from tests.oracle.namespaces import MATH, NUMPY, Float, Namespace
from tests.oracle.trees import is_object, leaves, map_leaves, vector


def _natives(namespace: Namespace, module: Any) -> dict[int, Any]:
    return {id(getattr(module, name)): value for name, value in vars(namespace).items() if name != "_module"}


_REPLACED = {id(np): NUMPY, id(math): MATH, id(float): Float, **_natives(NUMPY, np), **_natives(MATH, math)}


class _Transplant:
    def __init__(self) -> None:
        self.done: dict[int, Any] = {}
        self.alive: list = []               # ids in `done` must not be reused

    def __call__(self, value: Any) -> Any:
        if id(value) in _REPLACED:
            return _REPLACED[id(value)]
        if id(value) in self.done:
            return self.done[id(value)]
        if isinstance(value, types.FunctionType):
            return self.function(value)
        if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
            return types.MethodType(self(value.__func__), value.__self__)
        if isinstance(value, functools.partial):
            return functools.partial(self(value.func), *map(self, value.args),
                                     **{key: self(item) for key, item in value.keywords.items()})
        if isinstance(value, type) and str(value.__module__).startswith("tests.") and not issubclass(
                value, (tuple, list, dict, float, np.ndarray, enum.Enum, BaseException)):
            return self.cls(value)
        if is_object(value) and self(type(value)) is not type(value):
            return self.instance(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*[self(item) for item in value])
        if type(value) in (list, tuple):
            return type(value)([self(item) for item in value])
        if type(value) is dict:
            return {key: self(item) for key, item in value.items()}
        return value

    def function(self, function: types.FunctionType) -> types.FunctionType:
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        copy = types.FunctionType(function.__code__, self.globals(function.__globals__), function.__name__,
                                  None, cells or None)
        self.remember(function, copy)
        copy.__defaults__ = self(function.__defaults__)
        copy.__kwdefaults__ = self(function.__kwdefaults__)
        for cell, original in zip(cells, function.__closure__ or ()):
            cell.cell_contents = self(original.cell_contents)
        return copy

    def cls(self, cls: type) -> type:
        """A class with the same methods, which know duals."""
        new = type(cls)(cls.__name__, tuple(map(self, cls.__bases__)), {"__module__": cls.__module__})
        self.remember(cls, new)
        for name, item in vars(cls).items():
            if name in ("__dict__", "__weakref__", "__module__", "__slots__") or isinstance(item, types.MemberDescriptorType):
                continue
            setattr(new, name, self.member(item))
        return new

    def member(self, item: Any) -> Any:
        if isinstance(item, property):
            return property(*(part and self(part) for part in (item.fget, item.fset, item.fdel)))
        if isinstance(item, (staticmethod, classmethod)):
            return type(item)(self(item.__func__))
        if isinstance(item, functools.cached_property):
            return property(self(item.func))
        return self(item)

    def instance(self, value: Any) -> Any:
        copy = object.__new__(self(type(value)))
        self.remember(value, copy)
        for name, item in vars(value).items():
            object.__setattr__(copy, name, self(item))
        return copy

    def globals(self, namespace: dict) -> dict:
        if id(namespace) in self.done:
            return self.done[id(namespace)]
        if str(namespace.get("__name__", "")).split(".")[0] in ("numpy", "functools", "pytest"):
            return namespace
        copy: dict[str, Any] = {"float": Float, "__builtins__": namespace.get("__builtins__", __builtins__)}
        self.remember(namespace, copy)
        copy.update((name, self(value)) for name, value in namespace.items() if not name.startswith("__"))
        return copy

    def fresh(self, value: Any) -> Any:
        """An argument, with objects of classes that know duals (new ones every time)."""
        before = dict(self.done)
        try:
            return self(value)
        finally:
            self.done = {**before, **{key: item for key, item in self.done.items() if isinstance(
                item, (type, types.FunctionType, dict))}}

    def remember(self, original: Any, copy: Any) -> None:
        self.done[id(original)] = copy
        self.alive.append(original)


def on_duals(function: Callable) -> Callable:
    """The same program, able to run on duals."""
    return _Transplant()(function)


def _seed(template: Any, numbers: np.ndarray, directions: list[np.ndarray]) -> Any:
    """The structure of `template` with a nest of duals for every number."""
    nests = []
    for k, number in enumerate(numbers):
        nest: Any = float(number)
        for direction in directions:
            nest = Dual(nest, float(direction[k]))
        nests.append(nest)
    supply = iter(nests)

    def take(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray):
            return next(supply)
        array = np.empty_like(leaf, dtype=object, subok=False)     # in the same layout
        for index in np.ndindex(*leaf.shape):
            array[index] = next(supply)
        return array

    return map_leaves(take, template)


def _roomy(leaf: Any) -> Any:
    """Float arrays as object arrays, so that a program may add duals to copies of them in place."""
    return leaf.astype(object) if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f" else leaf


def _weighted(weights: Any, value: Any, order: int) -> float:
    """The coefficient of e1 e2 ... of the weighted sum of all numbers in `value`."""
    total = 0.0
    for weight, leaf in zip(leaves(weights), leaves(value)):
        if np.shape(weight) != np.shape(leaf):
            raise ValueError(f"weights of shape {np.shape(weight)} for a value of shape {np.shape(leaf)}")
        for w, number in zip(np.ravel(weight), np.ravel(np.asarray(leaf, dtype=object))):
            for _ in range(order):
                number = number.slope if isinstance(number, Dual) else 0.0
            total += float(w) * float(number)
    return total


def dual_gradient(function: Callable, args: tuple, positions: tuple[int, ...], weights: Any,
                  along: tuple = (), options: dict | None = None) -> np.ndarray:
    """Gradient of `inner(weights, function(*args))` in the arguments at `positions`, as one vector.

    along: directions (of the structure of the chosen arguments) in which the function is differentiated first;
    one direction gives the Hessian times it, and so on.
    """
    transplant = _Transplant()
    run = transplant(function)
    chosen = tuple(args[position] for position in positions)
    constants = map_leaves(_roomy, args)
    numbers = vector(chosen)
    directions = [vector(direction) for direction in along]
    gradient = np.zeros(len(numbers))
    for k in range(len(numbers)):
        unit = np.zeros(len(numbers))
        unit[k] = 1.0
        moved = list(copy.deepcopy(constants))
        for position, value in zip(positions, _seed(chosen, numbers, [*directions, unit])):
            moved[position] = value
        gradient[k] = _weighted(weights, run(*map(transplant.fresh, moved), **(options or {})), len(directions) + 1)
    return gradient


