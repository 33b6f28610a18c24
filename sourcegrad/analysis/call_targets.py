"""Call targets: primitives, methods seen as functions, user functions, closures and partials."""
from __future__ import annotations

import functools
import operator
import os
import sys
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.objects import class_of, find, special
from sourcegrad.analysis.python_types import python_type
from sourcegrad.errors import Origin, SourceError, SourcegradError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING, VERSION, Scope, is_distribution, mark, transparent
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import Function, Maker, Unit
from sourcegrad.parse.classes import Plain, constructor, plain_class
from sourcegrad.parse.generators import library_generator
from sourcegrad.parse.resolve import describe
from sourcegrad.parse.statements import Attempt
from sourcegrad.parse.traps import WrongArguments
from sourcegrad.parse.wrappers import Checkpoint, CustomVjp
from sourcegrad.primitives import OF_SCIPY, with_scipy
from sourcegrad.primitives.core import (
    EVALUATED,
    METHODS_OF_DISTRIBUTIONS,
    RULES,
    STANDING,
    ZERO_DERIVATIVE,
    declared,
    describe as registered,
    of_user,
    primitive_of,
)
from sourcegrad.primitives.methods import METHODS, Method
from sourcegrad.runtime import library, more_forms
from sourcegrad.runtime.dynamic import ARRAY_EXTRA, ARRAY_HELPERS
from sourcegrad.runtime.library import norm


def is_rest(argument: gast.Starred, position: int, target: Target, unit: Unit) -> bool:
    """Whether `*xs` is exactly what the star parameter of a function gets: already spelled out."""
    if target.function is None or not isinstance(argument.value, gast.Name):
        return False
    a = target.function.tree.args
    if a.vararg is None or position != len([*a.posonlyargs, *a.args]):
        return False
    made = [s.value for s in t.statements(unit.tree.body) if argument.value.id in t.writes(s)]
    return len(made) == 1 and isinstance(made[0], gast.Call) and t.is_name(made[0].func, "tuple")


def is_rest_of_names(star: Any, target: Target, unit: Unit) -> bool:
    """Whether `**d` is exactly what the `**` parameter of a function gets: already spelled out."""
    if target.function is None or target.function.tree.args.kwarg is None or not isinstance(star, gast.Name):
        return False
    made = [s.value for s in t.statements(unit.tree.body) if star.id in t.writes(s)]
    return len(made) == 1 and isinstance(made[0], gast.Call) and unit.lookup(made[0].func) is runtime.dict_copy



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
    plain: Plain | None = None               # a class whose instances hold the arguments as they are
    custom: CustomVjp | None = None          # a function with its hand-written adjoint
    checkpoint: bool = False                 # computed again in the reverse sweep

    @property
    def operands(self) -> list:
        """All argument expressions."""
        return [*self.args, *self.keywords.values(), *self.stars]

    @property
    def inert(self) -> bool:
        """No derivative flows through it, and it is not looked into."""
        return self.object is not None and is_inert(self.object)

    @property
    def known(self) -> bool:
        return self.object in RULES or self.object in ZERO_DERIVATIVE


OF_API = tuple(f"sourcegrad.api.{name}" for name in ("gradient", "pullback", "pushforward", "jacobian", "sparse", "operator"))
LASTING = ("numpy", "sourcegrad.runtime", "math", "_operator")
NEVER = (None, -1)
_themselves: dict[int, tuple[Any, int]] = {}         # known functions by id whose calls are just that, and with which rules


def target_of(node: gast.Call, unit: Unit, kind_of: Any) -> Target:
    """Resolve a call; `kind_of(node)` gives the kinds of names."""
    keywords = {kw.arg: kw.value for kw in node.keywords if kw.arg is not None}
    stars = [kw.value for kw in node.keywords if kw.arg is None]
    method = _of_distribution(node, unit)
    if method is not None:
        return of_distribution(*method, node, keywords, stars, unit, kind_of)
    value = unit.lookup(node.func)
    if _themselves.get(id(value), NEVER)[1] == VERSION[0]:
        return Target(value, list(node.args), keywords, stars=stars)
    if value is MISSING:
        value, method = _dynamic(node, unit, kind_of)
        if method is not None:
            args, keywords = method_arguments(method, node.func.value, list(node.args), keywords)
            if beyond_rule(method.function, args, keywords, stars, kind_of):
                return target_of_object(primitive_of(method.function).otherwise, args, keywords)
            return Target(method.function, args, keywords, method=True, stars=stars)
        if isinstance(value, types.MethodType) and is_distribution(value.__self__):
            return of_distribution(value.__self__, value.__name__, node, keywords, stars, unit, kind_of)
    if type(value) in EVALUATED:
        return target_of_object(EVALUATED[type(value)], [node.func, *node.args], keywords, stars)
    if isinstance(value, types.FunctionType) and hasattr(value, "dispatch") and hasattr(value, "registry") and node.args:
        value = dispatched(value, kind_of(node.args[0]), unit)
    if hasattr(value, "generated_for") and not isinstance(value, type):       # a gradient function: by kinds
        if stars or any(isinstance(a, gast.Starred) for a in node.args):      # they are spelled out first
            return Target(value, list(node.args), keywords, stars=stars)
        kinds = [kind_of(a) or k.ANY for a in node.args]
        function = value.generated_for(kinds, {key: kind_of(v) or k.ANY for key, v in keywords.items()})
        return Target(value, list(node.args), keywords, function)
    if isinstance(value, type):
        unit.watch(value, "__init__")
    if isinstance(value, Bound):
        receiver = node.func.value if value.first is None else value.first
        return target_of_object(value.function, [receiver, *node.args], keywords, stars)
    if isinstance(value, types.MethodType) and isinstance(instead(value.__self__) if hashable(value.__self__) else None, type):
        value = getattr(instead(value.__self__), value.__name__, value)         # Polynomial.fit
    if hashable(value) and instead(value) is not None and _is_numpy(value) and not isinstance(instead(value), type) and (
            _of_constants(node, kind_of) or drawn_with_constants(node, unit)):
        return Target(value, list(node.args), keywords, stars=stars)
    if hashable(value) and beyond_rule(value, list(node.args), keywords, stars, kind_of):
        return target_of_object(primitive_of(value).otherwise, list(node.args), keywords)
    if isinstance(value, types.MethodType) and isinstance(value.__self__, type) and not declared(value):
        owner = t.load(unit.use(value.__self__, value.__self__.__name__))
        return target_of_object(value.__func__, [owner, *node.args], keywords, stars)
    return target_of_object(value, list(node.args), keywords, stars)


def _of_distribution(node: gast.Call, unit: Unit) -> tuple[Any, str] | None:
    """The distribution of scipy.stats, or the frozen one, of which a method is called, and the name of that."""
    if "scipy.stats" not in sys.modules:
        return None
    if isinstance(node.func, gast.Attribute):
        held = unit.lookup(node.func.value)
        return (held, node.func.attr) if is_distribution(held) else None
    value = unit.lookup(node.func)
    return (value.__self__, value.__name__) if isinstance(value, types.MethodType) and is_distribution(value.__self__) else None


def of_distribution(held: Any, name: str, node: gast.Call, keywords: dict[str, Any], stars: list, unit: Unit,
                    kind_of: Any) -> Target:
    """The target of a call of `stats.gamma.logpdf`, or of a method of the frozen `stats.gamma(2.0)` that was made outside.

    The function of that name in `primitives.scipy.families` stands for it; it takes the class of the distribution, the arguments,
    and the parameters, which are those of the frozen one.
    """
    with_scipy()
    distribution = of_library(held)
    family, function = primitive_of(distribution).instead, METHODS_OF_DISTRIBUTIONS.get(name)
    if family is None or function is None or _of_constants(node, kind_of):
        return Target(not_looked_into(type(distribution).__name__, name), list(node.args), keywords, stars=stars)
    args = [t.load(unit.use(family, family.__name__)), *node.args]
    if hasattr(held, "dist"):
        frozen = unit.use(held, "frozen")
        args += [_held(frozen, "args", position, value) for position, value in enumerate(held.args)]
        keywords = {**keywords, **{name: _held(frozen, "kwds", name, value) for name, value in held.kwds.items()}}
    return target_of_object(function, args, keywords, stars)


@functools.lru_cache(maxsize=256)
def not_looked_into(distribution: str, name: str) -> Any:
    """What stands for a method of a distribution that SciPy itself computes: it has no derivative."""
    method = operator.methodcaller(name, distribution)
    registered(method, remedy="`sourcegrad rules` lists the distributions that are differentiated, by pdf, logpdf, cdf, sf, "
                            "logcdf, logsf, ppf, isf, mean, var, std and entropy. Write the formula of others.")
    return method


def of_library(held: Any) -> Any:
    """The distribution that a frozen one is made of: it has a copy, which is looked up by its name."""
    copy = getattr(held, "dist", None)
    if copy is None:
        return held
    found = getattr(sys.modules["scipy.stats"], copy.name or "", copy)
    return found if type(found) is type(copy) and (found.a, found.b) == (copy.a, copy.b) else copy


def _held(frozen: str, part: str, key: Any, value: Any) -> Any:
    """What a frozen distribution holds, as an expression."""
    return t.const(value) if type(value) in (int, float) else t.subscript(t.attribute(t.load(frozen), part), t.const(key))


def drawn_with_constants(node: gast.Call, unit: Unit) -> bool:
    """Whether the first argument is a parameter as the generator takes it: what stands in the place of the draw has said so."""
    first = node.args[0] if node.args else None
    if isinstance(first, gast.Name):
        made = [s.value for s in t.statements(unit.tree.body) if isinstance(s, gast.Assign) and first.id in t.writes(s)]
        first = made[0] if len(made) == 1 else None
    return isinstance(first, gast.Call) and unit.lookup(first.func) is runtime.as_drawn


def beyond_rule(value: Any, args: list, keywords: dict[str, Any], stars: list, kind_of: Any) -> bool:
    """Whether a call has options that the rule of the function does not take, and that plain Python does in its place."""
    known = primitive_of(value)
    if known.otherwise is None or value not in RULES or RULES[value].by_user or stars or any(
            isinstance(a, gast.Starred) for a in args):
        return False
    try:
        given = source.signature(RULES[value].function).bind(None, None, *args, **keywords).arguments
    except TypeError:
        written = any(name in keywords and not constant_none(kind_of(keywords[name])) for name in ("out", "buffer"))
        return not written and takes(known.otherwise, args, keywords)
    for name, constants in known.only.items():
        node = given.get(name)
        kind = None if node is None else given_constant(node) or kind_of(node)
        if node is not None and not (isinstance(kind, k.Const) and (constants is ... or kind.value in constants)):
            return True
    return False


def stands_for_function(value: Any) -> bool:
    """Whether a value is a bound method of Python of which nothing is declared: a call is one of its function."""
    return isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType) and not declared(value)


def takes(function: Any, args: list, keywords: dict[str, Any]) -> bool:
    """Whether a function can be called with such arguments."""
    try:
        source.signature(function).bind(*args, **keywords)
    except TypeError:
        return False
    return True


def given_constant(node: Any) -> k.Const | None:
    """The kind of a constant, or of a negative number, that stands in a call."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) and isinstance(node.operand, gast.Constant):
        return k.Const(-node.operand.value)
    return k.Const(node.value) if isinstance(node, gast.Constant) else None


def constant_none(kind: Any) -> bool:
    return isinstance(kind, k.Const) and kind.value is None


def _is_numpy(value: Any) -> bool:
    module = getattr(value, "__module__", None) or type(getattr(value, "__self__", None)).__module__
    return module.startswith("numpy")


def _of_constants(node: gast.Call, kind_of: Any) -> bool:
    """Whether a call has nothing to differentiate (np.unique of labels, rng.normal(0.0, 0.1, n)), and stays what it is."""
    given = [*node.args, *(kw.value for kw in node.keywords)]
    if any(isinstance(a, gast.Starred) for a in given):
        return False
    kinds = [kind_of(a) for a in given if not isinstance(a, gast.Constant)]
    return all(kind is not None and (isinstance(kind, k.Const) or k.is_discrete(kind)) for kind in kinds)


@dataclass(eq=False)
class Dispatcher:
    """What a functools.singledispatch function calls for a class, as a scope that tells whether that has changed."""

    owner: Any
    cls: type

    def lookup(self, name: str) -> Any:
        return self.owner.dispatch(self.cls)


def dispatched(function: Any, kind: k.Kind | None, unit: Unit) -> Any:
    """The function that is registered for arguments of a kind, or MISSING."""
    number = isinstance(kind, k.Num) and kind.is_scalar and kind.dtype == "float64"      # a float, or what is one, too
    cls = float if number else None if kind is None else class_of(kind) or python_type(kind)
    if cls is None or number and function.dispatch(float) is not function.dispatch(np.float64):
        return MISSING
    found = function.dispatch(cls)
    unit.rely(Dispatcher(function, cls), f"dispatch {id(cls)}", found)
    return found


@dataclass
class Bound:
    """A method found on the class of an object; first: what it is bound to, if not what stands before the dot."""

    function: Any
    first: Any = None


def target_of_object(value: Any, args: list, keywords: dict[str, Any], stars: list | None = None) -> Target:
    """The target of a call of a known object."""
    if isinstance(value, types.FunctionType) and transparent(value) in STANDING:
        value = transparent(value)
    target = Target(value, args, keywords, stars=stars or [])
    if value is MISSING or not hashable(value):
        target.object = None
        return target
    if isinstance(value, Function):
        target.function = value
        return target
    written = of_scipy(value)
    if written is not value:
        return Target(value, args, keywords, describe(written), stars=target.stars)
    if mark(value, "__sourcegrad_static__"):     # sg.grad of what is only known at run time
        return target
    if isinstance(value, np.vectorize):
        try:
            value = of_vectorize(value)
        except SourceError as problem:
            target.problem = problem.with_traceback(None)          # (frames would hold all that is generated)
            return target
    if isinstance(value, Vectorized):
        return Target(value, args, keywords, value.of(len(args)), stars=target.stars)
    written = instead(value, args, keywords)
    if isinstance(written, type):
        return target_of_object(written, args, keywords, stars)
    if written is not None:
        return Target(value, args, keywords, describe(written), stars=target.stars)
    if isinstance(value, CustomVjp):
        target.custom = value
        return target
    if isinstance(value, Checkpoint):
        inner = target_of_object(value.function, args, keywords, stars)
        inner.checkpoint = inner.function is not None
        inner.object = value if inner.checkpoint else inner.object
        return inner
    if isinstance(value, Attempt):
        target.function = describe(value.function)
        return target
    if is_opaque(value) or refused_by_name(value):
        return target
    if target.known or isinstance(value, (Maker, k.Closure, functools.partial, types.MethodType)):
        if (getattr(value, "__module__", None) or "").startswith(LASTING) and (
                target.known and primitive_of(value).otherwise is None):
            _themselves[id(value)] = value, VERSION[0]
        return target
    if (getattr(value, "__module__", None) or "").startswith(
            (*OF_API, "numpy.ma")):
        return target                                          # sg.vjp, masked arrays: refused if a derivative flows through
    try:
        if isinstance(value, type):
            target.plain = plain_class(value)
            target.function = constructor(value) if target.plain is None else None
            if target.plain is None and target.function is None:
                raise SourceError(f"{value.__name__} is a class")
            return target
        target.function = describe(transparent(value))
    except SourceError as problem:
        target.problem = problem.with_traceback(None)          # (frames would hold all that is generated)
    return target


def is_dtype(kind: Any) -> bool:
    """Whether a view is certainly of another dtype, and not of another class of arrays."""
    value = kind.value if isinstance(kind, (k.Const, k.Fn)) else None
    return value is np.ndarray or value is not None and not (isinstance(value, type) and issubclass(value, np.ndarray))


def _dynamic(node: gast.Call, unit: Unit, kind_of: Any) -> tuple[Any, Any]:
    """The callee of a call through a local name or attribute, from kinds: (object, method entry)."""
    function = node.func
    if isinstance(function, gast.Attribute):
        owner = kind_of(function.value)
        if owner is not None and k.is_place(owner) and k.is_held_array(owner) and function.attr in METHODS:
            return MISSING, METHODS[function.attr]          # (until it is written with the values of the array)
        if class_of(owner) is not None:
            return _member(function, owner, unit, kind_of), None
        if isinstance(owner, (k.Num, k.Const)) or owner is k.ANY:
            other = function.attr == "view" and (bool(node.args) or bool(node.keywords))               # of another dtype
            known = isinstance(owner, k.Num) and owner.dtype in ("float64", "complex128")
            if other and known and len(node.args) == 1 and not node.keywords and is_dtype(kind_of(node.args[0])):
                return MISSING, Method(runtime.view_as)         # of another dtype
            if function.attr in METHODS and not other and not isinstance(owner, k.Const) and not (
                    owner is k.ANY and _not_for_arrays(node, kind_of)):
                return MISSING, METHODS[function.attr]
        if isinstance(owner, k.Obj):
            member = source.static_attribute(owner.cls, function.attr, MISSING)
            if isinstance(member, staticmethod):
                return member.__func__, None
            if isinstance(member, types.FunctionType):
                return Bound(member), None
            drawn = primitive_of(member).instead
            if drawn is not None and not _of_constants(node, kind_of) and not drawn_with_constants(node, unit):
                return Bound(drawn), None
        if isinstance(owner, k.Fn):
            return unit.watch(owner.value, function.attr), None
        return MISSING, None
    return _callable(function, kind_of(function), unit), None


def _callable(node: Any, kind: k.Kind | None, unit: Unit) -> Any:
    """What is called by calling a value of some kind."""
    if isinstance(kind, k.Fn):
        return kind.value
    if isinstance(kind, k.Closure):
        return kind
    if isinstance(kind, k.Obj) and kind.cls in EVALUATED:
        return Bound(EVALUATED[kind.cls], t.clone(node))
    if class_of(kind) is not None:
        function = special(kind, "call", unit)
        return MISSING if function is None else Bound(function, t.clone(node))
    return MISSING


def _member(function: gast.Attribute, owner: k.Kind, unit: Unit, kind_of: Any) -> Any:
    """The callee of `x.name(...)` for an object of a user's class."""
    member = find(owner, function.attr, unit)
    if member.sort == "method":
        return Bound(member.function)
    if member.sort == "class":
        return Bound(member.function, t.load(unit.use(member.cls, member.cls.__name__)))
    if member.sort == "static":
        return member.function
    return _callable(function, kind_of(function), unit)


def array_namespace(value: Any) -> Any:
    """NumPy, if a function finds the array library of its arguments (SciPy's array_namespace); else None."""
    if not isinstance(value, types.FunctionType):
        return None
    named = value.__name__ in ("array_namespace", "get_namespace", "get_xp")
    return np if named and (value.__module__ or "").startswith(("scipy.", "array_api_compat.")) else None


ABOUT_TYPES = {"xp_result_type", "xp_result_device", "xp_default_dtype", "xp_size", "is_lazy_array", "is_numpy", "is_torch",
               "is_cupy", "is_jax", "is_dask", "is_marray", "is_array_api_strict", "is_lazy_namespace", "_contains_nan",
               "scipy_namespace_for"}


def of_scipy(value: Any) -> Any:
    """What stands for the functions by which SciPy deals with array libraries: they see NumPy arrays only."""
    if isinstance(value, types.FunctionType) and value.__name__ == "norm" and value.__module__ == "scipy.linalg._misc":
        return norm
    if isinstance(value, types.FunctionType) and (value.__module__ or "").startswith("scipy.linalg"):
        return library.LINALG.get(value.__name__, value)
    module = getattr(value, "__module__", None) or ""
    if OF_SCIPY and (isinstance(value, np.ufunc) or module.startswith("scipy.")):
        with_scipy()
    if isinstance(value, types.FunctionType) and ".array_api_extra" in (value.__module__ or ""):
        return ARRAY_EXTRA.get(value.__name__, value)
    if isinstance(value, types.FunctionType) and (value.__module__ or "").startswith(("scipy._lib", "scipy.special")):
        if value.__name__ in ABOUT_TYPES:
            ZERO_DERIVATIVE.setdefault(value, None)
        return ARRAY_HELPERS.get(value.__name__, value)
    return value


def by_value(node: gast.Call, kind_of: Any) -> bool:
    """Whether the callee can be found at run time: a value of unknown kind, or a method of one."""
    owner = node.func.value if isinstance(node.func, gast.Attribute) else node.func
    return isinstance(owner, gast.Name) and kind_of(owner) is k.ANY


def _not_for_arrays(node: gast.Call, kind_of: Any) -> bool:
    """Whether the arguments say that a method of an unknown object is not that of an array: x.trace(rays)."""
    kinds = [kind_of(a.value if isinstance(a, gast.Starred) else a) for a in (*node.args, *(kw.value for kw in node.keywords))]
    return any(isinstance(kind, k.Dct) or class_of(kind) is not None for kind in kinds)


def method_arguments(method: Any, receiver: Any, args: list, keywords: dict) -> tuple[list, dict]:
    """Arguments of the function that a method stands for: x.reshape(2, 3) -> np.reshape(x, (2, 3))."""
    if method.collect and len(args) > 1:
        args = [t.pack(args)]
    keywords = {method.rename.get(name, name): value for name, value in keywords.items()}
    for position, (name, value) in enumerate(method.defaults.items()):
        if position >= len(args) and name not in keywords:
            keywords[name] = t.const(value)
    return [receiver, *args], keywords


def threads(function: Function, target: Target) -> bool:
    """Whether a call has to be written with the state of objects: one of a function of the user that does not take it yet."""
    if isinstance(target.object, Attempt) and target.object.alone:
        return False
    return not function.memory and not function.pure and (of_user(function.object) or function.object is None)


def bind(function: Function, target: Target, unit: Unit) -> dict[str, Any]:
    """Parameter -> argument expression for a call of a user function (defaults included); TypeError as Python."""
    a = function.tree.args
    positional = [p.id for p in (*a.posonlyargs, *a.args)]
    bound: dict[str, Any] = {}
    for name, value in zip(positional, target.args):
        bound[name] = value
    extra = target.args[len(positional):]
    if a.vararg is not None and len(extra) == 1 and isinstance(extra[0], gast.Starred):
        bound[a.vararg.id] = extra[0].value                 # a tuple of a length that is not known
    elif a.vararg is not None:
        bound[a.vararg.id] = t.pack(extra)
    elif extra:
        raise WrongArguments(f"{function.name}() takes {len(positional)} positional arguments but {len(target.args)} were given")
    rest = {}
    names = {*positional, *(p.id for p in a.kwonlyargs)} - {p.id for p in a.posonlyargs}
    for name, value in target.keywords.items():
        if name in names:
            if name in bound:
                raise WrongArguments(f"{function.name}() got multiple values for argument '{name}'")
            bound[name] = value
        else:
            rest[name] = value
    if a.kwarg is not None and len(target.stars) == 1 and not rest:
        bound[a.kwarg.id] = target.stars[0]                 # a dict of its own with keys that are not known
    elif a.kwarg is not None:
        bound[a.kwarg.id] = gast.Dict(keys=[t.const(key) for key in rest], values=list(rest.values()))
    elif rest:
        raise WrongArguments(f"{function.name}() got an unexpected keyword argument '{next(iter(rest))}'")
    for name, value in defaults(function).items():
        if name not in bound:
            bound[name] = _default(function, name, value, unit)
    missing = [p for p in function.parameters if p not in bound]
    if missing:
        raise WrongArguments(f"{function.name}() missing required argument '{missing[0]}'")
    return {name: bound[name] for name in function.parameters}


def defaults(function: Function) -> dict[str, Any]:
    """Parameter -> default node or object."""
    a = function.tree.args
    positional = [p.id for p in (*a.posonlyargs, *a.args)]
    found: dict[str, Any] = dict(zip(positional[len(positional) - len(a.defaults):], a.defaults))
    found.update({p.id: d for p, d in zip(a.kwonlyargs, a.kw_defaults) if d is not None})
    return found


FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type(np.sum))


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
        value = function.object.__defaults__[index]                          # (guarded: that tuple cannot change)
        if type(value) is tuple and not value:
            return gast.Tuple(elts=[], ctx=t.LOAD)                          # args=()
        if isinstance(value, FUNCTIONS) and "<" not in getattr(value, "__qualname__", ""):
            return t.load(unit.use(value, value.__name__))
        return t.subscript(t.attribute(t.load(owner), "__defaults__"), t.const(index))
    return t.subscript(t.attribute(t.load(owner), "__kwdefaults__"), t.const(name))


def bind_rule(rule: Any, target: Target) -> dict[str, Any]:
    """Rule parameter -> argument expression; TypeError where the rule does not take the arguments."""
    names = source.rule_signature(rule.function).parameters
    args, keywords = list(target.args), dict(target.keywords)
    for position, name in reversed(list(enumerate(primitive_parameters(target.object)[:len(args)]))):
        if name in NOT_IN_RULES and name not in names:      # np.std(x, None, None, None, 1): dtype and out come first
            for later, other in zip(args[position + 1:], primitive_parameters(target.object)[position + 1:]):
                keywords[other] = later
            if not (isinstance(args[position], gast.Constant) and args[position].value is None):
                raise TypeError(f"it takes no '{name}'")
            del args[position:]
    bound = source.rule_signature(rule.function).bind(*args, **keywords)
    return dict(bound.arguments)


NOT_IN_RULES = {"dtype", "out", "where", "initial", "casting", "subok"}


@functools.cache
def primitive_parameters(function: Any) -> tuple[str, ...]:
    """Names of the positional parameters of a NumPy function; () where they cannot be known."""
    if isinstance(function, (str, np.ufunc)):
        return ()
    if primitive_of(function).parameters:
        return primitive_of(function).parameters
    try:
        return tuple(p.name for p in source.signature(function).parameters.values()
                     if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    except (TypeError, ValueError):
        return ()


# --- Functions of the standard library that are not looked into: what they do has nothing to do with derivatives.

COMPUTING = {"_collections_abc", "bisect", "cmath", "collections", "colorsys", "contextlib", "copy", "dataclasses", "decimal",
             "fractions", "functools",
             "heapq", "itertools", "math", "numbers", "operator", "random", "statistics", "types", "typing"}
INERT = {"gc", "io", "logging", "os", "pprint", "sys", "tempfile", "threading", "time", "traceback", "warnings"}
HOLDERS = {"queue": ("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue"), "_queue": ("SimpleQueue",),
           "threading": ("Thread", "Timer"), "_thread": ("_local",), "weakref": ("WeakValueDictionary", "WeakKeyDictionary")}
STATE = {"seed", "getstate", "setstate", "getrandbits", "gauss"}     # they change the state of a random generator


def _module(function: Any) -> str:
    name = getattr(function, "__module__", None)
    return name.split(".")[0] if isinstance(name, str) else ""


def is_opaque(function: Any) -> bool:
    """Whether a function belongs to the standard library and computes nothing that could be differentiated."""
    top = _module(function)
    if top == "random" and getattr(function, "__name__", "") in STATE:
        return True
    return top in sys.stdlib_module_names and top not in COMPUTING and _in_library(top)


def refused_by_name(function: Any) -> bool:
    """Whether a function of a library, written in Python, is refused with what to use instead: it is not followed."""
    return isinstance(function, types.FunctionType) and primitive_of(function).remedy is not None and not (
        function in RULES or function in ZERO_DERIVATIVE)


def is_holder(function: Any) -> bool:
    """Whether a class of the library keeps what it is given out of sight: queues, threads, locals of threads."""
    return isinstance(function, type) and function.__name__ in HOLDERS.get(function.__module__, ())


def is_inert(function: Any) -> bool:
    """Whether no derivative flows through a function: logging, warnings, clocks, files."""
    return _module(function) in INERT and is_opaque(function)


@functools.cache
def _in_library(top: str) -> bool:
    """Whether a module of that name is the library's own, not the user's."""
    file = getattr(sys.modules.get(top), "__file__", None)
    return file is None or os.path.realpath(file).startswith(os.path.realpath(os.path.dirname(os.__file__)) + os.sep)


# --- Functions that call another for every element, `np.vectorize(f)`, and NumPy's own in plain Python.

STATISTICS = {**{name: getattr(library, name) for name in ("mean", "fmean", "variance", "pvariance", "stdev", "pstdev")},
              "NormalDist": more_forms.NormalDist, "harmonic_mean": more_forms.harmonic_mean}


def instead(value: Any, args: Sequence = (), keywords: dict[str, Any] = {}) -> Any:            # noqa: B006
    """The plain Python that is differentiated instead of a function (of these arguments); None for most."""
    if getattr(value, "__module__", None) == "statistics":           # imported by those who use it
        return STATISTICS.get(getattr(value, "__name__", ""))
    return primitive_of(value).instead or library_generator(value, args, keywords)


class Vectorized:
    """`np.vectorize(function)`, where the first `captured` arguments belong to the function itself."""

    __sourcegrad_callable__ = True

    def __init__(self, function: Any, captured: int = 0, floats: bool = False) -> None:
        self.function, self.captured, self.floats = function, captured, floats
        self.__name__ = f"vectorized_{_name(function)}"

    def __call__(self, *args: Any) -> Any:
        return np.vectorize(functools.partial(self.function, *args[:self.captured]))(*args[self.captured:])

    @functools.lru_cache(maxsize=64)                                         # noqa: B019
    def of(self, count: int) -> Function:
        """The function of so many arguments."""
        name = _name(self.function)
        fixed = [f"c{j}" for j in range(self.captured)]
        names = [f"x{j}" for j in range(count - self.captured)]
        flat = "\n    ".join(f"{x}_flat = np.ravel(np.broadcast_to({x}, shape))" for x in names)
        items = ", ".join([*fixed, *(f"{x}_flat.item(j)" for x in names)])
        shapes = ", ".join(f"np.shape({x})" for x in names)
        text = (f"def {self.__name__}({', '.join([*fixed, *names])}):\n"
                f"    shape = np.broadcast_shapes({shapes})\n"
                f"    {flat}\n"
                f"    values = [{name}({items}) for j in range({names[0]}_flat.size)]\n"
                + ("    found = np.reshape(np.array(values, dtype=float), shape)\n" if self.floats else
                   "    check_results(values)\n    found = np.reshape(np.array(values), shape)\n")
                + f"    return in_ufunc_order(found, {', '.join(names)})\n")
        tree = source.parse_text(text)
        origin = self.function.origin if isinstance(self.function, Function) else _origin(self.function)
        for node in t.walk(tree):
            node.origin = origin
        tree.origin = origin
        known = {"np": np, name: self.function, "check_results": runtime.check_results,
                 "in_ufunc_order": runtime.in_ufunc_order}
        return Function(self.__name__, tree, Scope({}, {}, known))


def _name(function: Any) -> str:
    name = getattr(function, "__name__", getattr(function, "name", "function"))
    return name if name.isidentifier() else "function"


def _origin(function: Any) -> Any:
    try:
        return describe(function).origin
    except SourcegradError:
        return Origin(f"<np.vectorize({_name(function)})>", 1, 1, "")            # of a compiled function


def of_vectorize(f: np.vectorize) -> Vectorized:
    """A vectorized function of NumPy."""
    floats = f.otypes is not None and [np.dtype(d) for d in f.otypes] == [np.dtype(float)]
    for name in ("otypes", "signature", "excluded"):
        if getattr(f, name, None) and not (name == "otypes" and floats):
            raise SourceError(f"np.vectorize with {name}", remedy="Write the loop over the elements.")
    if f not in _vectorized:
        _vectorized[f] = Vectorized(f.pyfunc, floats=floats)
    return _vectorized[f]


_vectorized: dict[Any, Vectorized] = {}
