"""The arguments of a call of a gradient function, and their kinds."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sourcegrad import kinds as k
from sourcegrad.analysis.known_sizes import LARGEST, crossed, known_sizes
from sourcegrad.api.inputs import PLAIN, check_argument, default_kind, input_value
from sourcegrad.errors import InputError, generating
from sourcegrad.ir import source
from sourcegrad.ir.paths import base_of, bases, value_at

if TYPE_CHECKING:
    from sourcegrad.api.gradient import Gradient

ARGUMENTS = ("an argument that holds itself, or is nested too deeply", "Pass what the function computes with.")


def bound_arguments(gradient: Gradient, args: tuple, options: dict, held: int) -> tuple[source.BoundArguments, dict[str, k.Kind]]:
    """The arguments of a call (inputs as floats) and the kinds of all parameters."""
    with generating(gradient._user.__name__, gradient._origin, ARGUMENTS):
        try:
            bound = gradient._signature().bind(*args, **options)
        except TypeError as error:
            raise InputError(f"{gradient.__name__}(): {error}", gradient._origin()) from None
        paths, _ = gradient._active()
        active = bases(paths)
        values = bound.arguments
        for name, value in values.items():
            if type(value) not in PLAIN or name in active:
                check_argument(name, value, name in active, gradient._origin)
            if name in paths:
                values[name] = input_value(name, value, gradient._origin)
        for path in paths:
            if path not in active:
                value_at(path, values[base_of(path)], gradient._origin())
        alike = gradient._converted(values)
        sizes: dict[int, str] = {}
        fixed = gradient._fixed(held)
        known = {name: k.Const(value) if type(value) is int and fixed.get(name) is value else k.kind_of(value, name, sizes)
                 for name, value in values.items() if name not in alike}
        known = with_known_sizes(gradient._user, known, values)
        return bound, filled(gradient, {**known, **{name: known[other] for name, other in alike.items()}})


def with_known_sizes(function: Any, known: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """The kinds of arguments with the numbers in the place of symbols for sizes that the function itself tells."""
    ranks = {name: len(kind.dims) for name, kind in known.items() if isinstance(kind, k.Num) and kind.boxed and kind.dims}
    vectors = {name: len(values[name]) for name, rank in ranks.items() if rank == 1 and 1 < len(values[name]) <= LARGEST}
    told = known_sizes(function) if vectors else {}
    new = {known[name].dims[0]: size for name, size in vectors.items() if size in told.get(name, ())}
    several = [name for name, rank in ranks.items() if rank > 1 and values[name].shape[-1] in (2, 3)]
    components = crossed(function) if several else ()
    new.update((known[name].dims[-1], values[name].shape[-1]) for name in several if name in components)
    return {name: k.with_sizes(kind, new) for name, kind in known.items()} if new else known


def filled(gradient: Gradient, known: dict[str, Any]) -> dict[str, k.Kind]:
    """Kinds of all parameters, from those of the arguments that are given."""
    active = bases(gradient._active()[0])
    kinds: dict[str, k.Kind] = {}
    for name, parameter in gradient._signature().parameters.items():
        if name in known:
            value = known[name]
            kinds[name] = k.Tup(value) if parameter.kind is parameter.VAR_POSITIONAL and type(value) is tuple else (
                k.Dct(tuple(value.items())) if parameter.kind is parameter.VAR_KEYWORD and type(value) is dict else value)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            kinds[name] = k.Tup(())
        elif parameter.kind is parameter.VAR_KEYWORD:
            kinds[name] = k.Dct(())
        elif parameter.default is not source.Parameter.empty:
            kinds[name] = default_kind(parameter.default, name, name in active)
        else:
            kinds[name] = k.Num("float64")
    return kinds
