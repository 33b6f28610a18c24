"""Floating-point exceptions: why an operation makes a number that is not finite, and what to write instead.

The five of IEEE 754 (overflow, division by zero, invalid operation, ...), parted by what the operands were.
"""
from __future__ import annotations

import ast
import functools
import math
import operator
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sourcegrad.errors import Origin
from sourcegrad.runtime import dynamic


def shown(value: Any) -> str:
    """A value in a message."""
    with np.printoptions(precision=6, threshold=6, edgeitems=2):
        text = " ".join((f"{value:.6g}" if isinstance(value, (float, np.floating)) else repr(value)).split())
    return text if len(text) <= 60 else text[:57] + "..."


# --- what is finite

def leaves(value: Any, path: str = "", depth: int = 6) -> Iterator[tuple[str, Any]]:
    """The numbers and arrays in a value, with how to get to each."""
    if isinstance(value, (np.ndarray, np.generic, float, complex)):
        yield path, value
    elif depth and isinstance(value, dict):
        for key, item in list(value.items()):
            yield from leaves(item, f"{path}[{key!r}]", depth - 1)
    elif depth and isinstance(value, (list, tuple)):
        for key, item in enumerate(value):
            yield from leaves(item, f"{path}[{key}]", depth - 1)
    elif depth and isinstance(getattr(value, "__dict__", None), dict) and not isinstance(
            value, (type, types.ModuleType, types.FunctionType)):
        for key, item in list(vars(value).items()):
            yield from leaves(item, f"{path}.{key}", depth - 1)


def lost(x: Any) -> Any:
    """Which elements are not finite (False for what has no floats)."""
    if isinstance(x, float):
        return not math.isfinite(x)
    x = np.asarray(x)
    return ~np.isfinite(x) if x.dtype.kind in "fc" else np.zeros(x.shape, bool)


def any_lost(value: Any) -> bool:
    return any(np.any(lost(leaf)) for _, leaf in leaves(value))


def mended(value: Any, where: Any, depth: int = 6) -> Any:
    """A value with 1.0 in the place of what is not finite, in place where that goes. where: at these elements of an array only."""
    if isinstance(value, np.ndarray):
        wrong = lost(value) if where is None else where
        if not np.any(wrong):
            return value
        value = value if value.flags.writeable else value.copy()
        value[wrong] = 1.0
        return value
    if isinstance(value, (np.generic, float, complex)):
        return type(value)(1.0) if np.any(lost(value)) else value
    if depth and type(value) is tuple:
        return tuple(mended(item, None, depth - 1) for item in value)
    if depth and type(value) is list:
        value[:] = [mended(item, None, depth - 1) for item in value]
    elif depth and type(value) is dict:
        value.update({key: mended(item, None, depth - 1) for key, item in value.items()})
    elif depth and isinstance(getattr(value, "__dict__", None), dict) and not isinstance(
            value, (type, types.ModuleType, types.FunctionType)):
        for key, item in list(vars(value).items()):
            if any_lost(item):
                object.__setattr__(value, key, mended(item, None, depth - 1))
    return value

# --- operations of the generated code

@dataclass(eq=False)
class Operation:
    """One operation in generated code: its text, the user's line, the sweep."""

    node: Any
    origin: Origin | None
    sweep: str
    definitions: dict[str, Any]              # names that the text gives to parts of expressions, with their values

    def __post_init__(self) -> None:
        self.text = ast.unparse(self.node)                  # before the node becomes a call of the probe
        self.parts = parts_of(self.node)

    @functools.cached_property
    def user(self) -> Any:
        """The expression in the user's line that this operation is (in the reverse sweep: has as derivative), if that is clear."""
        own: Any = ast.parse(self.text).body[0]
        own = own.value if isinstance(own, ast.Expr) else own
        tree = parsed(self.origin.text if self.origin is not None else "")
        names = {x.id for x in ast.walk(tree) if isinstance(x, ast.Name)}
        values = {name: value for name, value in self.definitions.items() if name not in names}
        for _ in range(3):
            own = Written(values).visit(own)
        inside = [x for x in ast.walk(tree) if hasattr(x, "col_offset")]
        found = [x for x in inside if isinstance(x, type(own)) and ast.unparse(x) == ast.unparse(own)]
        if not found and self.sweep == "forward":
            found = [x for x in inside if isinstance(x, type(own)) and (
                called(x) == called(own) if isinstance(x, ast.Call) else type(getattr(x, "op", 0)) is type(getattr(own, "op", 0)))]
        found = found or [x for x in inside if self.sweep == "reverse" and symbol(x) in STEEP]
        return found[0] if len({ast.unparse(x) for x in found}) == 1 else None

    @property
    def operators(self) -> tuple[Callable, Callable]:
        """What it computes, and what does so in place."""
        return OPERATORS[type(self.node.op)]

    def passive(self, function: Any) -> bool:
        """Whether a call computes nothing: it hands on what it is given, or runs other generated code."""
        if isinstance(getattr(function, "__self__", None), (list, dict, set, tuple, str)):
            return True
        return getattr(function, "__module__", "") == "builtins" and function not in COMPUTING or function in (
            dynamic.call_forward, dynamic.call_forward_for, dynamic.call_reverse, dynamic.call_jvp)

    def made(self, function: Any, operands: list, result: Any) -> tuple[Any, tuple[int, ...]] | None:
        """(which elements, the first of them) that are not finite here although their operands are, or NaN of infinities."""
        if elementwise(function) and isinstance(result, (np.ndarray, np.generic, float, complex)):
            wrong, nan = np.asarray(lost(result)), np.isnan(result)
            known = [np.asarray(x) for x in operands if isinstance(x, (np.ndarray, np.generic, float, complex))]
            known = [x for x in known if x.dtype.kind in "fc" and x.ndim <= wrong.ndim]
            for x in known:
                wrong = wrong & (~lost(x) | nan)
            for x in known:
                wrong = wrong & ~(nan & np.isnan(x))
            places = np.argwhere(wrong)
            return (wrong, tuple(int(i) for i in places[0])) if len(places) else None
        values = [leaf for x in operands for _, leaf in leaves(x)]
        if any(np.any(lost(x)) for x in values) and (any(np.any(np.isnan(x)) for x in values if lossy(x)) or not any(
                np.any(np.isnan(x)) for _, x in leaves(result) if lossy(x))):
            return None                                     # it was lost before
        part = next(leaf for _, leaf in leaves(result) if np.any(lost(leaf)))
        return None, tuple(int(i) for i in np.argwhere(lost(part))[0])

    def at(self, operands: list, result: Any, index: tuple) -> tuple[Any, list]:
        """The element of the result, and those of the operands that it is made of (the operands, if it is of all)."""
        part = next(leaf for _, leaf in leaves(result) if np.any(lost(leaf)))
        value = part[index] if index else part
        if not isinstance(result, np.ndarray) or not index or not all(
                np.ndim(x) <= result.ndim for x in operands if isinstance(x, np.ndarray)):
            return value, operands
        try:
            return value, [np.broadcast_to(x, result.shape)[index] if isinstance(x, np.ndarray) else x for x in operands]
        except ValueError:
            return value, operands

    @property
    def operation(self) -> str:
        """The text, as the user wrote it where that is so."""
        return ast.unparse(self.user) if self.user is not None and self.sweep == "forward" else self.text

    def shown(self, operands: list) -> dict[str, Any]:
        """The operands by their text, constants left out."""
        users = parts_of(self.user) if self.user is not None and self.sweep == "forward" else []
        names = users if len(users) == len(self.parts) else self.parts
        names = names[-len(operands):] if operands else []
        return {name: value for name, value in zip(names, operands) if not isinstance(value, (bool, str, type(None)))
                and not name.replace(".", "").replace("-", "").isdigit()}

    def place(self) -> Origin | None:
        """The user's line, with the column of the expression in it where that is clear."""
        if self.origin is None or self.user is None:
            return self.origin
        text = self.origin.text
        return self.origin._replace(column=len(text) - len(text.lstrip()) + 1 + self.user.col_offset)


class Written(ast.NodeTransformer):
    """Expressions in the place of the names that stand for them."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> Any:
        return ast.parse(self.values[node.id], mode="eval").body if node.id in self.values else node


def parts_of(node: Any) -> list[str]:
    """The texts of the operands of an operation; the object whose method is called comes first."""
    if isinstance(node, ast.Call):
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        nodes = [*owner, *node.args, *(keyword.value for keyword in node.keywords)]
    else:
        nodes = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.target, node.value]
    return [ast.unparse(x) for x in nodes]


OPERATORS = {ast.Add: (operator.add, operator.iadd), ast.Sub: (operator.sub, operator.isub),
             ast.Mult: (operator.mul, operator.imul), ast.Div: (operator.truediv, operator.itruediv),
             ast.Pow: (operator.pow, operator.ipow), ast.FloorDiv: (operator.floordiv, operator.ifloordiv),
             ast.Mod: (operator.mod, operator.imod),
             ast.MatMult: (operator.matmul, operator.imatmul), ast.BitAnd: (operator.and_, operator.iand),
             ast.BitOr: (operator.or_, operator.ior), ast.BitXor: (operator.xor, operator.ixor),
             ast.LShift: (operator.lshift, operator.ilshift), ast.RShift: (operator.rshift, operator.irshift)}
COMPUTING = (sum, pow, abs, round)
NUMERIC_ERRORS = (ZeroDivisionError, OverflowError, ValueError, np.linalg.LinAlgError)
NAMES = {"add": "+", "sub": "-", "subtract": "-", "mul": "*", "multiply": "*", "truediv": "/", "divide": "/", "true_divide": "/",
         "quotient": "/", "divide_or_zero": "/", "reciprocal": "/", "pow": "**", "power": "**", "float_power": "**",
         "acos": "arccos", "asin": "arcsin", "acosh": "arccosh", "atanh": "arctanh", "matmul": "@", "dot": "@", "inner": "@",
         "outer": "@", "einsum": "@", "vdot": "@", "tensordot": "@", "fsum": "sum", "log2": "log", "log10": "log", "nansum": "sum"}


def named(function: Any) -> str:
    """The mathematical name of a function."""
    name = getattr(function, "__name__", type(function).__name__)
    return NAMES.get(name, name)


def elementwise(function: Any) -> bool:
    if isinstance(function, np.ufunc):
        return function.signature is None
    return function in ELEMENTWISE or getattr(function, "__module__", "") == "math" or named(function) == "/"


LOOKED_INTO = ("numpy", "scipy", "sourcegrad.")
ELEMENTWISE = {x for pair in OPERATORS.values() for x in pair} - {operator.matmul, operator.imatmul}


def lossy(x: Any) -> bool:
    return bool(np.asarray(x).dtype.kind in "fc")


def parsed(line: str) -> ast.AST:
    """The tree of one line of the user's, as far as it stands alone."""
    text = line.strip()
    for variant in (text, f"{text} pass", f"{text[2:]} pass" if text.startswith("elif ") else text):
        try:
            return ast.parse(variant)
        except SyntaxError:
            pass
    return ast.Module([], [])


def called(node: Any) -> str:
    func = getattr(node, "func", None)
    return str(getattr(func, "attr", getattr(func, "id", "")))


def symbol(node: Any) -> str:
    """The name of the operation of a node in the user's text."""
    if isinstance(node, ast.BinOp):
        return {ast.Div: "/", ast.Pow: "**"}.get(type(node.op), "")
    return NAMES.get(called(node), called(node)) if isinstance(node, ast.Call) else ""


# --- causes

SELECT = "select it away: np.where(ok, {0}, 0.0), which has derivative 0 where it is not taken"
DOMAINS: dict[str, tuple[Callable[[float], bool], Callable[[float], bool], str, str]] = {   # outside, pole, what, remedy
    "log": (lambda x: x < 0, lambda x: x == 0, "the logarithm of {0}", "Keep it positive, np.log(np.maximum(x, 1e-12)), or "
            + SELECT.format("np.log(x)")),
    "log1p": (lambda x: x < -1, lambda x: x == -1, "log1p of {0}", "Keep its argument above -1."),
    "sqrt": (lambda x: x < 0, lambda x: False, "the square root of {0}", "Keep it from below 0, np.sqrt(np.maximum(x, 0.0)), or "
             + SELECT.format("np.sqrt(x)")),
    "arccos": (lambda x: abs(x) > 1, lambda x: False, "the arc cosine of {0}, which is not in [-1, 1]",
               "Clip it: np.arccos(np.clip(x, -1.0, 1.0))."),
    "arcsin": (lambda x: abs(x) > 1, lambda x: False, "the arc sine of {0}, which is not in [-1, 1]",
               "Clip it: np.arcsin(np.clip(x, -1.0, 1.0))."),
    "arccosh": (lambda x: x < 1, lambda x: False, "arccosh of {0}, which is below 1", "Keep it from below 1: np.maximum(x, 1.0)."),
    "arctanh": (lambda x: abs(x) > 1, lambda x: abs(x) == 1, "arctanh of {0}, which is not in (-1, 1)",
                "Keep it inside: np.clip(x, -1 + 1e-12, 1 - 1e-12)."),
}
SINGULAR = "Add a little to the diagonal, A + 1e-8 * np.eye(len(A)), or solve by least squares: np.linalg.pinv(A) @ b."
INDEFINITE = "Make it symmetric, 0.5 * (A + A.T), and add a little to the diagonal, A + 1e-8 * np.eye(len(A))."
NOT_ZERO = "Keep the denominator from 0, x / (y + 1e-12), or select: np.where(y != 0, x / np.where(y != 0, y, 1.0), 0.0)."
AT_ONE = "Clip it, np.{0}(np.clip(x, -1.0, 1.0)), which has derivative 0 there, or use np.arctan2."
STEEP = {                                   # operations of the user whose derivative is infinite somewhere, and what to write
    "sqrt": ("the derivative of sqrt(x), 0.5 / sqrt(x), is infinite at x = 0",
             "Keep it from 0, np.sqrt(x + 1e-12), or " + SELECT.format("np.sqrt(x)")
             + "; the length of a vector is np.linalg.norm(x), whose derivative at 0 is 0."),
    "**": ("the derivative of x ** p is infinite at x = 0 for p < 1", "Keep the base from 0, (x + 1e-12) ** p, or "
           + SELECT.format("x ** p") + "."),
    "arccos": ("the derivative of arccos is infinite at -1 and 1", AT_ONE.format("arccos")),
    "arcsin": ("the derivative of arcsin is infinite at -1 and 1", AT_ONE.format("arcsin")),
    "norm": ("the derivative of a norm is not defined at 0", "Keep the vector from 0, or select: np.where(n > 0, n, 0.0)."),
    "log": ("the derivative of log(x) is infinite at x = 0", DOMAINS["log"][3]),
    "eigh": ("the derivative of eigenvectors is infinite where eigenvalues are equal",
             "Use functions that do not depend on the choice of eigenvectors, or part the eigenvalues a little."),
    "svd": ("the derivative of singular vectors is infinite where singular values are equal or 0",
            "Use functions that do not depend on their choice, or part the singular values."),
    "/": ("the derivative of a quotient is infinite where the denominator is (nearly) 0", NOT_ZERO),
}


def number(x: Any) -> Any:
    """A scalar operand as a Python number; None for others."""
    if isinstance(x, (bool, int, float, complex, np.generic)) or isinstance(x, np.ndarray) and x.ndim == 0:
        return x.item() if isinstance(x, (np.generic, np.ndarray)) else x
    return None


def cause_of(o: Operation, function: Any, parts: list, value: Any) -> tuple[str, str, str]:
    """(kind, message, remedy) of an operation that makes a number that is not finite."""
    name = named(function)
    found = by_value(name, [number(x) for x in parts], bool(np.isnan(value)))
    if found is None and isinstance(function, types.FunctionType) and not function.__module__.startswith(LOOKED_INTO):
        return "call", f"{function.__qualname__}() gives a number that is not finite", (
            f"Call {function.__name__}() with these arguments: no code is generated for what it does, so it is not looked into.")
    kind, message, remedy = found or by_function(name, parts, bool(np.isnan(value)))
    if kind == "overflow":
        remedy = overflow_remedy(o, name, value)
    return refined(o, kind, message, remedy)


def refined(o: Operation, kind: str, message: str, remedy: str) -> tuple[str, str, str]:
    """A cause as it is told of the user's line: in the reverse sweep it is a derivative that is infinite."""
    line = o.origin.text if o.origin else ""
    user = sorted({symbol(x) for x in ast.walk(parsed(line))} & {*STEEP}, key=list(STEEP).index)
    if o.sweep == "reverse" and kind in ("division by zero", "0/0", "domain error") and user:
        return "infinite derivative", *STEEP[user[0]]
    if o.sweep == "reverse" and kind == "0*inf":
        return kind, "a cotangent of 0 times an infinite derivative (or the other way round)", (
            STEEP[user[0]][1] if user else "Select with np.where instead of multiplying with a mask.")
    if kind in ("division by zero", "0/0") and "std" in line + o.text:
        remedy = "A standard deviation is 0 where all values are equal: divide by (std + 1e-12)."
    return kind, message, remedy


def by_value(name: str, numbers: list, nan: bool) -> tuple[str, str, str] | None:
    """The cause of an elementwise operation, from the operands of one element."""
    known = [x for x in numbers if x is not None]
    if name in DOMAINS and known:
        outside, pole, what, remedy = DOMAINS[name]
        x = known[0].real if isinstance(known[0], complex) and known[0].imag == 0 else known[0]
        if not isinstance(x, complex) and (outside(x) and x is known[0] or pole(x)):
            return "division by zero" if pole(x) else "domain error", what.format(shown(known[0])), remedy
    if len(known) != len(numbers) or not known or name != "/" and any(isinstance(x, complex) for x in known):
        return None
    a, b = known[0], known[-1]
    infinite = [x for x in known if abs(x) == math.inf]
    if name == "/":
        if len(known) == 1:
            a = 1.0
        if b == 0:
            return ("0/0", "zero is divided by zero", NOT_ZERO) if a == 0 else (
                "division by zero", f"{shown(a)} is divided by zero", NOT_ZERO)
        if len(infinite) == 2:
            return "inf/inf", "an infinity is divided by another", "Keep both finite: divide by the largest first."
    if name == "*" and nan and infinite:
        return "0*inf", "zero times infinity", "Select, np.where(mask, x, 0.0), instead of multiplying with a mask that is 0 there."
    if name in ("+", "-") and nan and infinite:
        return "inf-inf", "an infinity minus another", "Keep both finite, or select the case away with np.where."
    if name == "**" and a < 0 and nan:
        return "domain error", f"a power of the negative number {shown(a)} with the exponent {shown(b)}, which is not whole", (
            "Keep the base from below 0, np.maximum(x, 0.0) ** p, or use np.sign(x) * np.abs(x) ** p.")
    if name == "**" and a == 0 and b < 0:
        return "division by zero", f"0 to the power {shown(b)}", NOT_ZERO
    if nan and infinite and len(known) == 1:
        return "domain error", f"{name} of an infinity", "Keep its argument finite."
    if not nan and not infinite:
        return "overflow", f"{name} of " + " and ".join(map(shown, known)) + " is larger than any number of its type", ""
    return None


def by_function(name: str, parts: list, nan: bool) -> tuple[str, str, str]:
    """The cause of an operation on whole arrays."""
    values = [np.asarray(leaf) for x in parts for _, leaf in leaves(x) if lossy(leaf)]
    infinite = any(np.any(np.isinf(x)) for x in values)
    if any(x.size == 0 for x in values):
        return "empty", f"{name} of an array without elements", "Leave out what is empty before."
    if name in ("inv", "solve", "det", "slogdet", "tensorsolve", "tensorinv", "pinv", "lu_solve", "solve_triangular"):
        return "singular matrix", f"{name} of a matrix that is singular", SINGULAR
    if nan and infinite:
        return ("0*inf", "zero times infinity, or an infinity minus another, in a sum of products", "Keep all factors finite.") if (
            name == "@") else ("inf-inf", "an infinity minus another", "Keep all terms finite.")
    if name in ("std", "var") and nan:
        return "0/0", f"{name} of too few values", "It needs more values than ddof."
    if not nan:
        return "overflow", f"{name} is larger than any number of its type", ""
    return "domain error", f"{name} is not defined for these operands", "Keep its arguments where it is."


def overflow_remedy(o: Operation, name: str, value: Any) -> str:
    calls = {symbol(x) for x in ast.walk(parsed(o.origin.text if o.origin else ""))}
    kind = getattr(np.asarray(value), "dtype", np.dtype(float))
    if kind in (np.float32, np.complex64, np.float16) or name in ("astype", "float32", "float16"):
        small = np.float32 if name in ("astype", "float32") else kind
        return f"{np.dtype(small).name} ends at {np.finfo(small).max:.2g}: compute in float64, x.astype(np.float64)."
    if name.startswith("exp") and {"log", "sum"} <= calls:
        return "Take the maximum out: m + np.log(np.sum(np.exp(x - m))) with m = np.max(x); or scipy.special.logsumexp(x)."
    if name.startswith("exp"):
        return ("Subtract the maximum before, np.exp(x - np.max(x)), as softmax does; log(exp(a) + exp(b)) is np.logaddexp(a, b), "
                "1 / (1 + exp(-x)) is scipy.special.expit(x).")
    return "Scale the values, or add logarithms instead of multiplying."


def error_cause(o: Operation, function: Any, operands: list, error: Exception) -> tuple[str, str, str] | None:
    """(kind, message, remedy) of an operation that raises a numerical error; None if the error is another one."""
    if isinstance(error, np.linalg.LinAlgError):
        if "positive definite" in str(error):
            return "not positive definite", str(error), INDEFINITE
        return "singular matrix", str(error), SINGULAR
    if isinstance(error, OverflowError):
        return "overflow", str(error), overflow_remedy(o, named(function), 1.0)
    found = by_value(named(function), [number(x) for x in operands], True)
    return None if found is None else refined(o, *found)
