"""Arguments and inputs: what can be differentiated with respect to, and what no generated code can take."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sourcegrad.errors import InputError

NUMERIC = "fciub"


def check_argument(name: str, value: Any, active: bool, origin: Callable[[], Any]) -> None:
    """Refuse arrays whose operators mean something else than those of a plain numeric array, anywhere in a value."""
    cls = type(value)
    if cls in (list, tuple):
        for position, item in enumerate(value):
            check_argument(f"{name}[{position}]", item, active, origin)
    elif cls is dict:
        for key, item in value.items():
            check_argument(f"{name}[{key!r}]", item, active, origin)
    elif isinstance(value, np.ndarray) and cls is not np.ndarray:
        raise InputError(f"the argument '{name}' is a {cls.__name__}, not a plain array", origin(),
                         f"Pass np.asarray({name}).")
    elif isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind not in NUMERIC + "mM" and not active:
        raise InputError(f"the argument '{name}' is an array of dtype {value.dtype}: only numbers can be computed with",
                         origin(), f"Pass {name}.astype(float), or compute what depends on it before.")


def input_value(name: str, value: Any, origin: Any) -> Any:
    """An input as it is differentiated: ints count as floats, integer arrays are refused."""
    cls = type(value)
    if cls is int:
        return float(value)
    if cls in (float, complex):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind not in "fc":
            raise InputError(f"the input '{name}' is an array of dtype {value.dtype}: derivatives need floats", origin,
                             f"Pass {name}.astype(float), or leave '{name}' out of inputs.")
        return value
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(input_value(f"{name}[{j}]", item, origin) for j, item in enumerate(value))
    if cls is dict:
        return {key: input_value(f"{name}[{key!r}]", item, origin) for key, item in value.items()}
    raise InputError(f"the input '{name}' is a {cls.__name__}: only numbers, float arrays, and lists, tuples and dicts "
                     "of them can be differentiated with respect to", origin,
                     "Name other parameters in inputs=...")


def resolve_inputs(inputs: Any, signature: Any, bound_method: bool, name: str,
                   origin: Any) -> tuple[tuple[str, ...], bool]:
    """(names of the inputs, whether one gradient rather than a tuple is returned)."""
    names = list(signature.parameters)[1 if bound_method else 0:]
    if inputs is None:
        if not names:
            raise InputError(f"{name}: the function has no parameter to differentiate with respect to", origin)
        return (names[0],), True
    single = isinstance(inputs, (str, int, np.integer))
    if not single and not isinstance(inputs, (tuple, list)):
        raise InputError(f"{name}: inputs is {inputs!r}", origin,
                         "inputs is the name or position of a parameter, or a tuple of them.")
    wanted = (inputs,) if single else tuple(inputs)
    if not wanted:
        raise InputError(f"{name}: inputs is empty", origin, "Name at least one parameter.")
    found = []
    for item in wanted:
        if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
            if not -len(names) <= item < len(names):
                raise InputError(f"{name}: there is no parameter at position {item}", origin,
                                 f"The parameters are {', '.join(names)}.")
            found.append(names[item])
        elif isinstance(item, str) and item in names:
            found.append(item)
        else:
            raise InputError(f"{name}: there is no parameter {item!r}", origin,
                             f"The parameters are {', '.join(names)}.")
    if len(set(found)) < len(found):
        raise InputError(f"{name}: an input is named twice", origin)
    return tuple(found), single
