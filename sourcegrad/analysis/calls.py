"""What a call calls: primitives, methods seen as functions, user functions, closures and partials."""
from __future__ import annotations

import functools
import inspect
import types
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, source, tree as t
from sourcegrad.errors import SourceError, UnsupportedError
from sourcegrad.frontend.closures import Maker
from sourcegrad.frontend.resolve import MISSING, Function, Unit, describe
from sourcegrad.rules.core import RULES, ZERO_DERIVATIVE
from sourcegrad.rules.methods import METHODS, SHAPE_ATTRIBUTES


@dataclass
class Target:
    """The resolved target of a call: `object` with explicit arguments (the receiver of a method comes first).

    function: set when the callee is a user function with source. opaque: neither known nor with source.
    """

    object: Any
    args: list
    keywords: dict[str, Any]
    function: Function | None = None
    problem: SourceError | None = None
    method: bool = False
    stars: list = field(default_factory=list)

    @property
    def known(self) -> bool:
        return self.object in RULES or self.object in ZERO_DERIVATIVE


def hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def target_of(node: gast.Call, unit: Unit, kind_of: Any) -> Target:
    """Resolve a call; `kind_of(node)` gives the kinds of names."""
    keywords = {kw.arg: kw.value for kw in node.keywords if kw.arg is not None}
    stars = [kw.value for kw in node.keywords if kw.arg is None]
    value = unit.lookup(node.func)
    if value is MISSING:
        value, method = _dynamic(node, unit, kind_of)
        if method is not None:
            args, keywords = method_arguments(method, node.func.value, list(node.args), keywords)
            return Target(method.function, args, keywords, method=True, stars=stars)
    if hasattr(value, "generated_for"):                 # a gradient function: its code depends on the kinds
        kinds = [kind_of(a) or k.ANY for a in node.args]
        function = value.generated_for(kinds, {key: kind_of(v) or k.ANY for key, v in keywords.items()})
        return Target(value, list(node.args), keywords, function)
    if isinstance(value, Bound):
        return target_of_object(value.function, [node.func.value, *node.args], keywords, stars)
    return target_of_object(value, list(node.args), keywords, stars)


@dataclass
class Bound:
    """A method found on the class of an object that is only known by its class."""

    function: Any


def target_of_object(value: Any, args: list, keywords: dict[str, Any], stars: list | None = None) -> Target:
    """The target of a call of a known object."""
    target = Target(value, args, keywords, stars=stars or [])
    if value is MISSING or not hashable(value):
        target.object = None
        return target
    if isinstance(value, Function):
        target.function = value
        return target
    if target.known or isinstance(value, (Maker, k.Closure, functools.partial, types.MethodType)):
        return target
    try:
        if isinstance(value, type):
            raise SourceError(f"{value.__name__} is a class")
        target.function = describe(getattr(value, "__sourcegrad_original__", value))
    except SourceError as problem:
        target.problem = problem
    return target


def _dynamic(node: gast.Call, unit: Unit, kind_of: Any) -> tuple[Any, Any]:
    """The callee of a call through a local name or attribute, from kinds: (object, method entry)."""
    function = node.func
    if isinstance(function, gast.Attribute):
        owner = kind_of(function.value)
        if isinstance(owner, (k.Num, k.Const)) or owner is k.ANY:
            if function.attr in METHODS and not isinstance(owner, k.Const):
                return MISSING, METHODS[function.attr]
        if isinstance(owner, k.Obj):
            member = inspect.getattr_static(owner.cls, function.attr, MISSING)
            if isinstance(member, staticmethod):
                return member.__func__, None
            if isinstance(member, types.FunctionType):
                return Bound(member), None
        if isinstance(owner, k.Fn):
            member = getattr(owner.value, function.attr, MISSING)
            return member, None
        return MISSING, None
    kind = kind_of(function)
    if isinstance(kind, k.Fn):
        return kind.value, None
    if isinstance(kind, k.Closure):
        return kind, None
    return MISSING, None


def method_arguments(method: Any, receiver: Any, args: list, keywords: dict) -> tuple[list, dict]:
    """Arguments of the function that a method stands for: x.reshape(2, 3) -> np.reshape(x, (2, 3))."""
    if method.collect and len(args) > 1:
        args = [t.pack(args)]
    keywords = {method.rename.get(name, name): value for name, value in keywords.items()}
    for position, (name, value) in enumerate(method.defaults.items()):
        if position >= len(args) and name not in keywords:
            keywords[name] = t.const(value)
    return [receiver, *args], keywords


def bind(function: Function, target: Target, unit: Unit) -> dict[str, Any]:
    """Parameter -> argument expression for a call of a user function (defaults included); TypeError as Python."""
    a = function.tree.args
    positional = [p.id for p in (*a.posonlyargs, *a.args)]
    bound: dict[str, Any] = {}
    for name, value in zip(positional, target.args):
        bound[name] = value
    extra = target.args[len(positional):]
    if a.vararg is not None:
        bound[a.vararg.id] = t.pack(extra)
    elif extra:
        raise TypeError(f"{function.name}() takes {len(positional)} positional arguments but {len(target.args)} were given")
    rest = {}
    names = {*positional, *(p.id for p in a.kwonlyargs)} - {p.id for p in a.posonlyargs}
    for name, value in target.keywords.items():
        if name in names:
            if name in bound:
                raise TypeError(f"{function.name}() got multiple values for argument '{name}'")
            bound[name] = value
        else:
            rest[name] = value
    if a.kwarg is not None:
        bound[a.kwarg.id] = gast.Dict(keys=[t.const(key) for key in rest], values=list(rest.values()))
    elif rest:
        raise TypeError(f"{function.name}() got an unexpected keyword argument '{next(iter(rest))}'")
    for name, value in defaults(function).items():
        if name not in bound:
            bound[name] = _default(function, name, value, unit)
    missing = [p for p in function.parameters if p not in bound]
    if missing:
        raise TypeError(f"{function.name}() missing required argument '{missing[0]}'")
    return {name: bound[name] for name in function.parameters}


def defaults(function: Function) -> dict[str, Any]:
    """Parameter -> default node or object."""
    a = function.tree.args
    positional = [p.id for p in (*a.posonlyargs, *a.args)]
    found: dict[str, Any] = dict(zip(positional[len(positional) - len(a.defaults):], a.defaults))
    found.update({p.id: d for p, d in zip(a.kwonlyargs, a.kw_defaults) if d is not None})
    return found


def _default(function: Function, name: str, node: Any, unit: Unit) -> Any:
    """A default is evaluated once, when the function is defined: constants are written out, others are looked up."""
    if isinstance(node, gast.Constant) or (isinstance(node, gast.UnaryOp) and isinstance(node.operand, gast.Constant)):
        return t.clone(node)
    if function.object is None:
        raise UnsupportedError(f"the default of '{name}' of the inner function '{function.name}' is not a constant",
                               function.origin, f"Pass '{name}' explicitly.")
    a = function.tree.args
    owner = unit.use(function.object, function.name)
    positional = [p.id for p in (*a.posonlyargs, *a.args)]
    if name in positional:
        index = positional.index(name) - (len(positional) - len(a.defaults))
        return t.subscript(t.attribute(t.load(owner), "__defaults__"), t.const(index))
    return t.subscript(t.attribute(t.load(owner), "__kwdefaults__"), t.const(name))


def bind_rule(rule: Any, target: Target) -> dict[str, Any]:
    """Rule parameter -> argument expression; TypeError where the rule does not take the arguments."""
    parameters = list(source.signature(rule.function).parameters.values())[2:]
    names = {p.name for p in parameters}
    args, keywords = list(target.args), dict(target.keywords)
    for position, name in reversed(list(enumerate(primitive_parameters(target.object)[:len(args)]))):
        if name in NOT_IN_RULES and name not in names:      # np.std(x, None, None, None, 1): dtype and out come first
            for later, other in zip(args[position + 1:], primitive_parameters(target.object)[position + 1:]):
                keywords[other] = later
            if not (isinstance(args[position], gast.Constant) and args[position].value is None):
                raise TypeError(f"it takes no '{name}'")
            del args[position:]
    bound = inspect.Signature(parameters).bind(*args, **keywords)
    return dict(bound.arguments)


NOT_IN_RULES = {"dtype", "out", "where", "initial", "casting", "subok"}


@functools.cache
def primitive_parameters(function: Any) -> tuple[str, ...]:
    """Names of the positional parameters of a NumPy function; () where they cannot be known."""
    if isinstance(function, (str, np.ufunc)):
        return ()
    try:
        return tuple(p.name for p in source.signature(function).parameters.values()
                     if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    except (TypeError, ValueError):
        return ()


def rule_defaults(rule: Any) -> dict[str, Any]:
    parameters = list(source.signature(rule.function).parameters.values())[2:]
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def is_shape_attribute(name: str) -> bool:
    return name in SHAPE_ATTRIBUTES


NUMPY_CONSTANTS = (float, int, np.generic)
