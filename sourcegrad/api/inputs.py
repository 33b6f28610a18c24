"""Arguments and inputs: what can be differentiated with respect to, and what no generated code can take."""
from __future__ import annotations

import collections
import copy
import functools
import operator
import reprlib
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from sourcegrad import kinds as k
from sourcegrad.errors import InputError, InternalError, OutputError, Refusal, SourcegradError, UnsupportedError, shown
from sourcegrad.ir import source
from sourcegrad.ir.paths import base_of, steps_of
from sourcegrad.ir.scopes import MEANT
from sourcegrad.runtime.core import UNKNOWN_OPERAND
from sourcegrad.runtime.structure import bound_inside, carries, is_namedtuple, is_user_class

NUMERIC = "fciub"
PLAIN = {float, int, np.float64, np.float32, complex, str, bool, type(None)}


def default_kind(default: Any, name: str, active: bool) -> k.Kind:
    """The kind of a default, or of what a partial fixes: numbers are known, unless they are inputs."""
    if active:
        return k.kind_of(float(default) if type(default) is int else default, name)
    return k.Const(default) if type(default) is int else k.kind_of(default, name)


def check_argument(name: str, value: Any, active: bool, origin: Callable[[], Any], within: bool = False) -> None:
    """Refuse arrays whose operators mean something else than those of a plain numeric array, anywhere in a value."""
    cls = type(value)
    if cls in (list, tuple) and PLAIN.issuperset(map(type, value)):
        return
    if active and (is_user_class(cls) or cls in (list, dict)) and not within:
        method = bound_inside(value)
        if method is not None:
            raise InputError(f"the input '{name}' holds '{method}', a function that is bound to a part of it: derivatives "
                             "through what is bound would be lost", origin(), "Keep the name of the method, and call it with "
                             "getattr(self, name).")
    if cls in (list, tuple):
        for position, item in enumerate(value):
            check_argument(f"{name}[{position}]", item, active, origin, True)
    elif cls in (dict, collections.OrderedDict):
        for key, item in value.items():
            check_argument(f"{name}[{key!r}]", item, active, origin, True)
    elif isinstance(value, np.ndarray) and cls is not np.ndarray:
        raise InputError(f"the argument '{name}' is a {cls.__name__}, not a plain array", origin(),
                         f"Pass np.asarray({name}).")
    elif isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind not in NUMERIC + "mM" and not active:
        raise InputError(f"the argument '{name}' is an array of dtype {value.dtype}: only numbers can be computed with",
                         origin(), f"Pass {name}.astype(float), or compute what depends on it before.")


def input_value(name: str, value: Any, origin: Callable[[], Any]) -> Any:
    """An input as it is differentiated: ints count as floats, integer arrays are refused. The value itself if it stays."""
    cls = type(value)
    if cls is int:
        return float(value)
    if cls in (float, complex):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind not in "fc":
            raise InputError(f"the input '{name}' is an array of dtype {value.dtype}: derivatives need floats", origin(),
                             f"Pass {name}.astype(float), or leave '{name}' out of inputs.")
        return value
    if cls in (list, tuple):
        types = set(map(type, value))
        if types <= {float, complex}:
            return value
        found = list(map(float, value)) if types <= {int, float} else [
            input_value(f"{name}[{j}]", item, origin) for j, item in enumerate(value)]
        return value if all(map(operator.is_, found, value)) else cls(found)
    if (is_user_class(cls) or is_namedtuple(cls)) and carries(value):
        return value
    if cls in (dict, collections.OrderedDict):
        items = {key: input_value(f"{name}[{key!r}]", item, origin) for key, item in value.items()}
        return value if all(map(operator.is_, items.values(), value.values())) else cls(items)
    raise InputError(f"the input '{name}' is a {cls.__name__}: only numbers, float arrays, and lists, tuples and dicts "
                     "of them can be differentiated with respect to", origin(),
                     "Name other parameters in inputs=...")


def resolve_inputs(inputs: Any, signature: Any, held: int, fixed: Any, name: str,
                   where: Callable[[], Any]) -> tuple[tuple[str, ...], bool]:
    """(names of the inputs, whether one gradient rather than a tuple is returned). held, fixed: how many of the first parameters,
    and which others, a bound method or partial gives."""
    names = list(signature.parameters)
    receiver, names = names[:held], names[held:]
    if inputs is None:
        names = [n for n in names if n not in fixed] or names
        if not names:
            raise InputError(f"{name}: the function has no parameter to differentiate with respect to", where())
        return (names[0],), True
    single = isinstance(inputs, (str, int, np.integer))
    if not single and not isinstance(inputs, (tuple, list)):
        raise InputError(f"{name}: inputs is {reprlib.repr(inputs)}: a {type(inputs).__name__}", where(),
                         "inputs is the name or position of a parameter, or a tuple of them.")
    wanted = (inputs,) if single else tuple(inputs)
    if not wanted:
        raise InputError(f"{name}: inputs is empty", where(), "Name at least one parameter.")
    found = []
    for item in wanted:
        if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
            if not -len(names) <= item < len(names):
                raise InputError(f"{name}: there is no parameter at position {item}", where(),
                                 f"The parameters are {', '.join(names)}.")
            found.append(names[item])
        elif isinstance(item, str) and (item in names or item in receiver):
            found.append(item)
        elif isinstance(item, str) and base_of(item) in (*names, *receiver) and steps_of(item) is not None:
            found.append(item)
        else:
            raise InputError(f"{name}: there is no parameter {reprlib.repr(item)}", where(),
                             f"The parameters are {', '.join(names)}.")
    if len(set(found)) < len(found):
        raise InputError(f"{name}: an input is named twice", where())
    for item in found:
        if base_of(item) != item and base_of(item) in found:
            raise InputError(f"{name}: '{item}' is a part of '{base_of(item)}', which is an input, too", where(),
                             "Name one of the two.")
    return tuple(found), single


def refuse(error: SourcegradError | Refusal | TypeError, function: Any) -> None:
    """Raise what generated code found, at its place; errors of the user's own code are left alone.

    An operator of the reverse sweep that does not fit its operands comes from one of objects whose class was not known."""
    if isinstance(error, (SourcegradError, Refusal)):
        raise shown(located(error, function)) from None
    if source.in_reverse_sweep(error):
        found = UnsupportedError("an operator on objects that are only known at run time", remedy=UNKNOWN_OPERAND)
        raise shown(located(found.with_traceback(error.__traceback__), function)) from None


def located(error: SourcegradError | Refusal, function: Any) -> SourcegradError:
    """An error of a helper that generated code calls: at the user's line, or at the function for what is given to it."""
    if isinstance(error, Refusal):
        error.error.__traceback__ = error.__traceback__
        error = error.error
    if error.origin is not None:
        return error
    from sourcegrad.ir import tree as t
    from sourcegrad.parse.resolve import describe
    tree = describe(function).tree
    origins = source.passed_through(error)
    if isinstance(error, OutputError):
        error.locate(t.origin_of(tree.body[-1]))
    elif isinstance(error, InputError) or not origins:
        error.locate(t.origin_of(tree))
    else:
        error.locate(origins[0], tuple(origins[1:]))
    return error


def check_options(tool: str, function: Callable, args: tuple, **given: bool) -> None:
    """An option of a tool that is also a parameter of the function, and not given by position, may be meant for either."""
    try:
        parameters = list(source.signature(getattr(function, "_user", function)).parameters)[len(args):]
    except (TypeError, ValueError):
        return
    fixed = getattr(function, "keywords", {}) if isinstance(function, functools.partial) else {}
    for name in [name for name, is_given in given.items() if is_given and name in parameters and name not in fixed]:
        raise InputError(f"{tool}: '{name}' is an option, and one of {getattr(function, '__name__', 'the function')}(), too",
                         remedy="Pass the parameter by position, or fix it: functools.partial(f, " + f"{name}=...).")


def check_shapes(gradients: Any, names: tuple[str, ...], single: bool, values: dict[str, Any], primal: Callable,
                 keywords: dict[str, Any]) -> Any:
    """A gradient has the shape of its input, if the shapes fit in the function itself: what does not run is run to tell so."""
    for name, gradient in zip(names, (gradients,) if single else gradients):
        if type(gradient) is np.ndarray and type(values.get(name)) is np.ndarray and gradient.shape != values[name].shape:
            given, options = copy.deepcopy((tuple(values.values()), keywords))
            options.pop("grad_outputs", None)
            primal(*given, **options)                         # raises what NumPy says of it
            raise InternalError(f"the gradient of '{name}' has shape {gradient.shape}, not {values[name].shape}", None)
    return gradients


def in_a_function(function: Any) -> str:
    """How to write a function around something that is callable but has no source."""
    from sourcegrad.analysis.activity import differentiable
    from sourcegrad.analysis.call_targets import of_scipy
    from sourcegrad.ir.tree import hashable
    from sourcegrad.primitives.core import RULES, ZERO_DERIVATIVE, primitive_of
    fixed: tuple = ()
    named: dict[str, Any] = {}
    while isinstance(function, functools.partial):
        fixed, named, function = function.args + fixed, {**function.keywords, **named}, function.func
    path, owner = source.path_of(function), getattr(function, "__self__", None)
    if not all(map(str.isidentifier, path.split("."))) or not hasattr(function, "__name__") or isinstance(function, np.vectorize):
        return "Differentiate a function that calls it: lambda x: name(x)"
    if isinstance(function, types.MethodDescriptorType) or isinstance(owner, (np.ndarray, np.generic, str, list, dict)):
        return f"Wrap it in one: lambda x: x.{function.__name__}()"
    if owner is not None and not isinstance(owner, (types.ModuleType, type, np.ufunc)):
        return f"Wrap it in one: lambda x: name.{function.__name__}(x)"
    rule = RULES.get(of_scipy(function)) if hashable(function) else None
    names = source.parameters_of(function)
    first: Any = names
    if rule is not None and not isinstance(function, np.ufunc) and not named:
        parameters, first = source.rule_signature(rule.function).parameters, {*differentiable(rule), "x", "y"}
        usual = min([getattr(s, "args", s) for s in rule.samples if not getattr(s, "options", ())], key=len, default=names)
        names = [name for n, p in parameters.items() if p.kind <= p.VAR_POSITIONAL
                 for name in (["x", "y"] if p.kind is p.VAR_POSITIONAL else [n])]
        names = names if "y" in names and "y" not in parameters else names[:len(usual)]
    given = [_written(named.pop(name)) if name in named else name for name in names[len(fixed):]]
    names = [name for name in names if name in given]
    call = ", ".join([*map(_written, fixed), *given, *(f"{name}={_written(value)}" for name, value in named.items())])
    text = f"lambda {', '.join(sorted(names, key=lambda name: name not in first))}: {path}({call})"
    if isinstance(function, type) and is_user_class(function):
        return f"Differentiate a function that makes an object of it and returns a number: {text}.attribute"
    if rule is not None or function in ZERO_DERIVATIVE or primitive_of(function).instead is not None or isinstance(
            function, (type, types.FunctionType)):
        return f"Wrap it in one: {text}"
    rule_text = source.rule_text(path, ", ".join(source.parameters_of(function, True)))
    return f"Wrap it in one: {text}\nand give it a rule:\n{rule_text}"


def _written(value: Any) -> str:
    """A fixed argument as one writes it; what is long is left out."""
    return repr(value) if isinstance(value, (int, float, str, bool, type(None))) else "..."


@contextmanager
def as_imported() -> Iterator[None]:
    """While the generator is imported, whose rules name functions of NumPy: they are what they were when this file was."""
    changed = [] if "sourcegrad.api.dynamic" in sys.modules else [
        (vars(module), name, vars(module).get(name)) for module, names in MEANT.items() for name, value in names.items()
        if vars(module).get(name) is not value]
    known = {id(vars(module)): names for module, names in MEANT.items()}
    for namespace, name, _ in changed:
        namespace[name] = known[id(namespace)][name]
    try:
        yield
    finally:
        for namespace, name, value in changed:
            namespace[name] = value


def weights_of(gradient: Any, options: dict) -> Any:
    """The weights of the outputs, at a call with options."""
    given = options.get("grad_outputs", gradient._grad_outputs)
    if given is not None and "grad_outputs" in gradient._signature().parameters:
        raise InputError(f"grad_outputs (weights of outputs) is a parameter of {gradient._user.__name__}(), too",
                         gradient._origin(), "Give the parameter another name, or pass it by position where no weights are needed.")
    return given
