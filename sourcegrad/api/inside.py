"""Jacobians and products inside a function that is differentiated: plain functions around what forward mode generates."""
from __future__ import annotations

import itertools
import types
from typing import Any

from sourcegrad import kinds as k
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import Scope
from sourcegrad.ir.unit import Function

_numbers = itertools.count(1)


def function_around(matrix: Any) -> types.FunctionType:
    """A Jacobian as a function with source and the parameters of the function that it is made of, to be differentiated again."""
    parameters = list(matrix.__signature__.parameters.values())
    bare = [p.replace(default=p.empty, annotation=p.empty) for p in parameters]
    given = [f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else str(p) for p in bare]
    name = matrix.__name__ if matrix.__name__.isidentifier() else matrix.tool
    text = f"def {name}{source.Signature(bare)}:\n    return matrix({', '.join(given)})\n"
    filename = f"<sourcegrad {name} {next(_numbers)} around>"
    found = source.compile_function(text, name, filename, {"matrix": matrix}, {})
    found.__defaults__ = tuple(p.default for p in parameters if p.kind is not p.KEYWORD_ONLY and p.default is not p.empty) or None
    found.__kwdefaults__ = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is not p.empty}
    vars(found)["text"] = source.Text(filename, text)        # as long as the function is there
    return found


def pushed(matrix: Any) -> tuple[Any, str]:
    """The tangent alone of what a matrix is made of, and the name of its one input."""
    from sourcegrad.api.pushforward import Pushforward
    made = Pushforward(matrix._subject, matrix._inputs, False)
    names, single = made._active()
    if not single or matrix._has_aux:
        raise UnsupportedError(f"sg.{matrix.tool} by several inputs, or with has_aux, inside a function that is differentiated",
                               made._origin(), "Write one for each input.")
    return made, names[0]


def written(name: str, text: str, made: Any) -> Function:
    """A function around `pushed`, from its text."""
    import numpy as np
    tree = source.parse_text(text)
    for node in t.walk(tree):
        node.origin = made._origin()
    tree.origin = made._origin()
    return Function(name, tree, Scope({}, {}, {"np": np, "pushed": made}))


def jacobian_of(matrix: Any, args: list[k.Kind], keywords: dict[str, k.Kind]) -> Function:
    """A Jacobian as a loop over the numbers of its input."""
    made, name = pushed(matrix)
    dot = made._tangents[name]
    parameters = [n for n in made._signature().parameters if n != dot]
    names = [*parameters[:len(args)], *keywords]
    number = k.as_num(dict(zip(names, [*args, *keywords.values()])).get(name, k.ANY))
    if not isinstance(number, k.Num):
        raise UnsupportedError(f"sg.{matrix.tool} by what is no number or array, inside a function that is differentiated",
                               made._origin(), "Name an array as its input: inputs=...")
    given = ", ".join([*names[:len(args)], *(f"{n}={n}" for n in keywords)])
    if number.is_scalar:
        text = f"def jacobian({', '.join(names)}):\n    return pushed({given}, {dot}=1.0)\n"
    else:
        text = (f"def jacobian({', '.join(names)}):\n"
                f"    basis = np.reshape(np.eye({name}.size), ({name}.size,) + {name}.shape)\n"
                f"    columns = [pushed({given}, {dot}=basis[j]) for j in range({name}.size)]\n"
                f"    return np.reshape(np.moveaxis(np.stack(columns), 0, -1), np.shape(columns[0]) + {name}.shape)\n")
    return written("jacobian", text, made)


def product_of(matrix: Any, args: list[k.Kind], keywords: dict[str, k.Kind]) -> Function:
    """The product of a Hessian with a vector, which comes second."""
    made, name = pushed(matrix)
    dot = made._tangents[name]
    parameters = [n for n in made._signature().parameters if n != dot]
    names = parameters[:len(args) - 1]
    given = ", ".join([*names, *(f"{n}={n}" for n in keywords)])
    text = f"def product({', '.join([names[0], dot, *names[1:], *keywords])}):\n    return pushed({given}, {dot}={dot})\n"
    return written("product", text, made)
