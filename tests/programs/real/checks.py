"""Compare what sourcegrad gives for a real program with central differences of plain calls."""
from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import io
import sys
import tokenize
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError
from sourcegrad.ir.printing import WIDTH
from tests.programs.real.record import Real
from tests.programs.real.structure import children, from_vector, identical, rebuilt, vector
from tests.shared import shared, text_for


def differences(function: Callable[[np.ndarray], float], at: np.ndarray, step: float) -> np.ndarray:
    """Fourth-order central differences of a function of a vector."""
    gradient = np.zeros(at.size)
    for i in range(at.size):
        h = step * max(1.0, abs(at[i]))
        values = []
        for multiple in (1, -1, 2, -2):
            moved = at.copy()
            moved[i] += multiple * h
            values.append(function(moved))
        gradient[i] = (8.0 * (values[0] - values[1]) - (values[2] - values[3])) / (12.0 * h)
    return gradient


def expected_gradient(program: Real) -> np.ndarray:
    """The derivatives of the program by its inputs, from plain calls."""
    template = program.select(program.args)

    def value(numbers: np.ndarray) -> float:
        result = program.run(program.with_inputs(from_vector(template, numbers)))
        assert np.shape(result) == (), f"the program returns shape {np.shape(result)}"
        return float(np.real(result))

    return differences(value, vector(template, template), program.step)


def roughness(program: Real) -> float:
    """How much the differences change with a third of the step, relative to the largest one."""
    coarse, fine = expected_gradient(program), expected_gradient(dataclasses.replace(program, step=program.step / 3))
    return float(np.max(np.abs(coarse - fine)) / max(np.max(np.abs(fine)), 1e-12))


def kinks(program: Real, h: float = 1e-6) -> float:
    """How far the left and the right derivative are apart, relative to the largest one."""
    template = program.select(program.args)
    at = vector(template, template)
    middle = float(program.run(program.fresh()))
    left, right = np.zeros(at.size), np.zeros(at.size)
    for i in range(at.size):
        for side, sign in ((left, -1), (right, 1)):
            moved = at.copy()
            moved[i] += sign * h * max(1.0, abs(at[i]))
            changed = float(program.run(program.with_inputs(from_vector(template, moved))))
            side[i] = sign * (changed - middle) / (h * max(1.0, abs(at[i])))
    return float(np.max(np.abs(left - right)) / max(np.max(np.abs(right)), 1e-12))


def gradient_function(program: Real, order: int = 1) -> Any:
    """grad of the program, or grad of a random projection of that: a function and the weights of the projection."""
    return shared(lambda: new_gradient_function(program, order), program.function, program.args,
                  values=(program.inputs, order, program.options))


def new_gradient_function(program: Real, order: int = 1) -> Any:
    chosen = {} if program.inputs is None else {"inputs": program.inputs}
    if order == 1:
        return sg.grad(program.function, **chosen), None
    first, _ = gradient_function(program)
    rng = np.random.default_rng(zlib.crc32(program.function.__name__.encode()))
    result = first(*program.fresh(), **program.options)

    def draw(leaf: Any) -> Any:
        weight = np.asarray(rng.uniform(0.5, 1.5, np.shape(leaf)))
        if np.asarray(leaf).dtype.kind == "c":
            weight = weight + 1j * rng.uniform(0.5, 1.5, np.shape(leaf))
        return weight.astype(leaf.dtype)[()] if isinstance(leaf, (np.ndarray, np.generic)) else weight.item()

    weights = rebuilt(result, draw)
    if isinstance(weights, (float, np.floating)):
        return sg.grad(first, **chosen), 1.0          # a scalar needs no weight
    return sg.grad(first, grad_outputs=weights, **chosen), weights


def as_tuple(program: Real, result: Any) -> tuple:
    return result if isinstance(program.inputs, tuple) else (result,)


def compare(actual: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    scale = max(float(np.max(np.abs(expected), initial=0.0)), 1e-3)
    assert actual.shape == expected.shape, f"{actual.size} numbers where {expected.size} are expected"
    assert np.all(np.abs(actual - expected) <= tolerance * scale), (
        f"wrong derivative:\n  sourcegrad  {actual}\n  differences {expected}\n  tolerance {tolerance * scale:.1e}")


def check(program: Real, order: int = 1) -> None:
    """The derivative is right and has the structure of the inputs, and nothing that the caller holds has changed."""
    template = program.select(program.args)
    args = program.fresh()
    function, weights = gradient_function(program, order)
    options = copy.deepcopy(program.options)
    result = as_tuple(program, function(*args, **options))
    assert identical(args, program.args) and identical(options, program.options), "an argument was changed"
    actual = vector(template, result)
    if order == 1:
        compare(actual, expected_gradient(program), program.tolerance)
    else:
        first, _ = gradient_function(program, 1)
        along = vector(template, as_tuple(program, weights))

        def projected(numbers: np.ndarray) -> float:
            arguments = program.with_inputs(from_vector(template, numbers))
            return float(along @ vector(template, as_tuple(program, first(*arguments, **program.options))))

        compare(actual, differences(projected, vector(template, template), program.step), program.tolerance)
    again = as_tuple(program, function(*program.fresh(), **program.options))           # (generators among the first have advanced)
    assert np.array_equal(vector(template, again), actual), "a second call differs"


def check_value(program: Real) -> None:
    """`sg.value_and_grad` gives the value of a plain call, the gradient of `sg.grad`, and leaves the arguments alone."""
    chosen = {} if program.inputs is None else {"inputs": program.inputs}
    template, args = program.select(program.args), program.fresh()
    value, gradient = sg.value_and_grad(program.function, **chosen)(*args, **program.options)
    assert identical(args, program.args), "an argument was changed"
    expected = program.run(program.fresh())
    assert np.shape(value) == np.shape(expected)
    compare(np.array([value]), np.array([expected]), 1e-13)
    plain = gradient_function(program)[0](*program.fresh(), **program.options)
    compare(*(vector(template, as_tuple(program, result)) for result in (gradient, plain)), 1e-12)


def check_module_is_left_alone(programs: list[Real]) -> None:
    """No gradient changes what the module of the programs holds."""
    module = sys.modules[programs[0].function.__module__]
    data = {name: value for name, value in vars(module).items() if not name.startswith("__") and children(value)
            and name not in ("PROGRAM", "CASES")}
    if not data:
        return
    before = copy.deepcopy(data)
    for program in programs:
        try:
            new_gradient_function(program)[0](*program.fresh(), **program.options)
        except Exception:           # whatever it is, another test reports it
            continue
    assert identical(data, before), "the module's data has changed"


def check_refusal(program: Real) -> None:
    """The program is refused with a place and the advice that was promised."""
    try:
        gradient_function(program)[0](*program.fresh(), **program.options)
    except InternalError:
        raise
    except SourcegradError as error:
        assert error.origin is not None, "the refusal names no place"
        assert program.refused in str(error), f"the advice {program.refused!r} is missing in:\n{error}"
        return
    raise AssertionError("the program was expected to be refused")


def check_emitted_size(program: Real) -> None:
    """The emitted code has at most four times the lines of the user's, or what was noted for the program."""
    text = emitted_text(program)
    emitted, own = code_lines(text), user_lines(program)
    assert emitted <= program.lines * own, f"{emitted} lines are emitted for {own} lines"
    assert not (long := [line for line in text.splitlines() if len(line) > WIDTH]), "\n".join(long)


def status(program: Real, order: int = 1) -> tuple[str, str]:
    """"ok", "refused", "WRONG" or "crash", and the first line of what happened."""
    try:
        if program.refused is not None:
            check_refusal(program)
            return "refused", ""
        check(program, order)
    except AssertionError as error:
        return "WRONG", str(error).strip()
    except InternalError as error:
        return "crash", f"{error}".splitlines()[0]
    except SourcegradError as error:
        return "refused", f"{error}".splitlines()[0]
    except Exception as error:          # what a user would see as a traceback
        return "crash", f"{type(error).__name__}: {error}".splitlines()[0]
    return "ok", ""


def emitted_text(program: Real, order: int = 1) -> str:
    function, _ = gradient_function(program, order)
    return text_for(function, *program.fresh(), **program.options)


def code_lines(text: str) -> int:
    """Logical lines that are not comments or docstrings: a statement that is broken counts once."""
    docstrings = {node.end_lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr)
                  and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)}
    return sum(token.type == tokenize.NEWLINE and token.start[0] not in docstrings
               for token in tokenize.generate_tokens(io.StringIO(text).readline))


def user_lines(program: Real) -> int:
    """Code lines of the classes and functions of the program's module."""
    return sum(lines for _, lines in definitions(program, ast.Module))


def reached_lines(program: Real) -> int:
    """Code lines of the functions and methods of the program's module that a call of the program runs."""
    file, ran = sys.modules[program.function.__module__].__file__, set()

    def note(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename == file:
            ran.add(frame.f_code.co_firstlineno)

    args, before = program.fresh(), sys.getprofile()
    sys.setprofile(note)
    try:
        program.run(args)
    finally:
        sys.setprofile(before)
    return sum(lines for first, lines in definitions(program, (ast.Module, ast.ClassDef)) if first in ran)


def definitions(program: Real, owners: Any) -> list[tuple[int, int]]:
    """First line and number of code lines of the definitions that stand in owners of these types."""
    text = inspect.getsource(sys.modules[program.function.__module__])
    lines = text.splitlines()
    found = []
    for owner in ast.walk(ast.parse(text)):
        for node in owner.body if isinstance(owner, owners) else ():
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                first = min(part.lineno for part in [node, *node.decorator_list])
                found.append((first, code_lines(inspect.cleandoc("\n" + "\n".join(lines[node.lineno - 1:node.end_lineno])))))
    return found
