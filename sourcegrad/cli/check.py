"""`sourcegrad check`: derivatives beside finite differences, and why they are not finite."""
from __future__ import annotations

import argparse
import copy
from typing import Any

import numpy as np

from sourcegrad.api import check_grad, gradient as api
from sourcegrad.api.explain_nan import explain_nan, quiet
from sourcegrad.api.inputs import resolve_inputs
from sourcegrad.cli.targets import FAILED, GOOD, UsageError, chosen, complain, evaluated, load, raised
from sourcegrad.errors import SourcegradError
from sourcegrad.ir import source


def check(options: argparse.Namespace) -> int:
    function = load(options.function)
    inputs = chosen(options.inputs)
    signature = source.signature(function)
    given = evaluated(options.at, function, signature)
    names, _ = resolve_inputs(inputs, signature, 0, (), "check", lambda: None)
    arguments = positional(signature, given, names)
    if options.nan:
        return nan(function, arguments, names, options.order, options.function)
    try:
        function(*copy.deepcopy(arguments))
    except Exception as error:
        raise UsageError(raised(error, f"{options.function} fails at these arguments")) from None
    for level in range(1, options.order + 1):
        try:
            check_grad.check_grad(function, *arguments, inputs=names, order=level)
        except AssertionError as error:
            if not str(error).startswith("order "):     # not a finding of check_grad: a bug, to be seen in full
                raise
            print(f"order {level}: failed", flush=True)
            return complain(str(error), FAILED)
        print(f"order {level}: ok")
    return GOOD


def positional(signature: source.Signature, given: dict[str, Any], inputs: tuple[str, ...]) -> list[Any]:
    """The arguments of a call, up to the last one that was given or is an input."""
    parameters = [p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    missing = [p.name for p in parameters if p.name not in given and p.default is p.empty]
    if missing:
        raise UsageError("check needs a value for " + " and ".join(f"{name}: --at \"{name}=...\"" for name in missing))
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name in given]
    if named:
        raise UsageError(f"check cannot pass the keyword-only parameter {named[0]}")
    last = max(j for j, p in enumerate(parameters) if p.name in given or p.name in inputs)
    return [given.get(p.name, p.default) for p in parameters[:last + 1]]


def nan(function: Any, arguments: list[Any], inputs: tuple[str, ...], order: int, name: str) -> int:
    """Say why a value or derivative is not finite."""
    for _ in range(order):
        try:
            with quiet():
                value = function(*copy.deepcopy(arguments))
        except Exception:                                   # which is explained
            value = 1.0
        scalar = not isinstance(value, (list, tuple, dict)) and np.ndim(value) == 0
        weights = None if scalar else check_grad.weights(value, np.random.default_rng(7))
        try:
            found = explain_nan(function, *arguments, inputs=inputs, grad_outputs=weights)
        except SourcegradError:
            raise
        except Exception as error:
            raise UsageError(raised(error, f"{name} fails at these arguments")) from None
        if not found.finite:
            return complain(str(found), FAILED)
        function, inputs = api.grad(function, inputs[0], weights), inputs[:1]
    print(found)
    return GOOD
