"""Derivatives of functions inside of functions that are differentiated: `runtime.tangent_of(f, x, x_dot, args)` and its like.

The code of a derivative is generated where it is called, for the kinds of the arguments, and is differentiated as any other code.
So a solver can stand for its solution: steps of Newton's method, whose Jacobian is generated from the user's function.
"""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from sourcegrad import kinds as k
from sourcegrad.compiler import emit
from sourcegrad.errors import InputError, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import Scope
from sourcegrad.ir.unit import Function, Names
from sourcegrad.parse.resolve import made_now, readable
from sourcegrad.parse.wrappers import Wrapped
from sourcegrad.primitives.solvers import implicit_solution

UNKNOWN = "Pass a function by its name, a lambda or an inner function, and `args` as a tuple of known length."


def generated(name: str, kinds: list[k.Kind], keywords: dict[str, k.Kind]) -> Function:
    """The function `name(function, x, x_dot, args)` for arguments of these kinds (`gradient_of` has no `x_dot`)."""
    if keywords or not isinstance(kinds[0], (k.Fn, k.Closure)):
        raise UnsupportedError("a solver of a function that is only known at run time", remedy=UNKNOWN)
    made, key = made_now(), (name, *kinds)
    if key not in made:
        made[key] = (spread(kinds[0]), None) if name == "spread_call" else differentiated(name, kinds)
    function, derived = made[key]
    if derived is not None:
        emit.calling(derived)                                # what is generated around it relies on what this relies on
    return function


def differentiated(name: str, kinds: list[k.Kind]) -> tuple[Function, Any]:
    """A function that calls the derivative of another one, and what was generated."""
    directed = name == "tangent_of"
    given = k.Tup(()) if len(kinds) == 2 + directed else kinds[-1]
    function: Any = kinds[0]
    x = kinds[1]
    if not isinstance(given, k.Tup):
        raise UnsupportedError("a solver with arguments for its function that are only known at run time", remedy=UNKNOWN)
    plain = called(function, given)
    parameters = plain.parameters
    held = function.items if isinstance(function, k.Closure) else ()
    own = dict(zip(parameters, [*held, k.as_num(x), *given.items]))
    place = parameters[len(held)]
    derived = derivative(plain, place, own, k.as_num(kinds[2]) if directed else None)
    names = ["function", "x", *(["x_dot"] if directed else []), "args"][:len(kinds)]
    arguments = [t.subscript(t.load("function"), t.const(j)) for j in range(len(held))] + [t.load("x")] + [
        t.subscript(t.load("args"), t.const(j)) for j in range(len(given.items))]
    options = {f"{place}_dot": t.load("x_dot")} if directed else {}
    body = [t.return_(t.call("derivative", *arguments, **options), plain.origin)]
    tree = t.function(name, t.arguments(names), body, plain.origin)
    return Function(name, tree, Scope({}, {}, {"derivative": derived.half}), pure=True), derived


def spread(function: k.Fn | k.Closure) -> Function:
    """`def spread_call(f, x, p): return f(x, p[0], p[1], ...)`"""
    value = function.value if isinstance(function, k.Fn) else function.function
    known = readable(value)
    if known is None or known.tree.args.vararg is not None or known.tree.args.kwonlyargs:
        raise UnsupportedError("a function with an unknown number of parameters to be fitted", known.origin if known else None,
                               "Give the function one parameter for each number: f(x, a, b).")
    bound = len(function.items) if isinstance(function, k.Closure) else isinstance(value, types.MethodType)
    count = len(known.parameters) - bound - 1
    items = [t.subscript(t.load("p"), t.const(j)) for j in range(count)]
    body = [t.return_(t.call("function", t.load("x"), *items), known.origin)]
    return Function("spread_call", t.function("spread_call", t.arguments(["function", "x", "p"]), body, known.origin), Scope({}),
                    pure=True)


def called(function: Any, given: k.Tup) -> Function:
    """`def f(captured, x, *args): return f(captured, x, *args)`, with as many parameters as there are arguments."""
    value = function.value if isinstance(function, k.Fn) else function.function
    keywords = function.keywords if isinstance(function, k.Closure) else ()
    count = len(function.items) if isinstance(function, k.Closure) else 0
    known = readable(value)
    own = list(known.parameters) if known is not None else []
    fixed = count - len(keywords)
    positional = own[:fixed] + [f"captured_{j}" for j in range(len(own), fixed)]
    names = Names(positional)
    named = [names.fresh(name) for name in keywords]
    rest = [n for n in own[fixed:] if n not in keywords][:1 + len(given.items)]
    rest = [names.fresh(n) for n in rest] + [names.fresh("x") for _ in range(1 + len(given.items) - len(rest))]
    label = str(getattr(value, "__name__", None) or getattr(value, "name", "function"))
    label = label if label.isidentifier() else "function"
    callee = names.fresh(label)
    call = t.call(callee, *map(t.load, [*positional, *rest]), **{name: t.load(n) for name, n in zip(keywords, named)})
    origin = known.origin if known is not None else source.Origin("<sourcegrad>", 1, 1, label)
    tree = t.function(label, t.arguments([*positional, *named, *rest]), [t.return_(call, origin)], origin)
    return Function(label, tree, Scope({}, {}, {callee: value}))


def derivative(plain: Function, place: str, kinds: dict[str, k.Kind], dot: k.Kind | None) -> Any:
    """The generated derivative of a function by one parameter: its gradient, or its tangent."""
    from sourcegrad.compiler.pipeline import derive
    from sourcegrad.compiler.pushforward import derive_pushforward
    if dot is None:
        return derive(plain, kinds, (place,), True, False, False)
    named = {place: f"{place}_dot"}
    return derive_pushforward(plain, {**kinds, named[place]: dot}, named, False)


# --- sg.implicit

class Implicit(Wrapped):
    """A solver with the equation that it solves: see `implicit`."""

    def __init__(self, solver: Callable, equation: Callable) -> None:
        for function, what in ((solver, "solver"), (equation, "equation")):
            if not callable(function):
                raise InputError(f"implicit: the {what} is a {type(function).__name__}, not a function",
                                 remedy="sg.implicit(solver, equation): x = solver(*args), and equation(x, *args) is zero.")
        super().__init__(solver)
        self.equation = equation

    def __repr__(self) -> str:
        return f"<sourcegrad.implicit({self.__qualname__}, {getattr(self.equation, '__qualname__', repr(self.equation))})>"

    def generated_for(self, kinds: list[k.Kind], keywords: dict[str, k.Kind]) -> Function:
        """`def solve(a, b): return implicit_solution(solver, equation, (a, b))`"""
        names = [*(f"x{j}" for j in range(1, len(kinds) + 1)), *keywords]
        given = source.signature(self.function).bind(*names[:len(kinds)], **{name: name for name in keywords})
        known = readable(self.equation)
        origin = known.origin if known is not None else None
        if given.kwargs:
            raise UnsupportedError(f"an argument of {self.__name__}(), an implicit function, that is given by its name only",
                                   origin, "Let it be given by position.")
        label = self.__name__
        call = t.call("implicit_solution", t.load("solver"), t.load("equation"), t.pack([t.load(n) for n in given.args]))
        tree = t.function(label, t.arguments(names), [t.return_(call, origin)], origin)             # type: ignore[arg-type]
        bound = {"implicit_solution": implicit_solution, "solver": self.function, "equation": self.equation}
        return Function(label, tree, Scope({}, {}, bound))


def implicit(solver: Callable, equation: Callable) -> Implicit:
    """A function that a solver computes, and that is differentiated by the equation that it solves (implicit function theorem).

    solver: `x = solver(*args)`, a number or an array; it may be any function, as it is called but not looked into. equation: what
    is zero there, `equation(x, *args)`, of the shape of x; its derivatives are generated. Returns a function of `*args`, with
    first and second derivatives in both modes. Raises a located error where x does not solve the equation, or not alone.

    >>> import sourcegrad as sg
    >>> def heron(a):
    ...     x = a
    ...     for _ in range(60):
    ...         x = 0.5 * (x + a / x)
    ...     return x
    >>> root = sg.implicit(heron, lambda x, a: x * x - a)
    >>> sg.grad(lambda a: root(a))(4.0)
    0.25
    """
    return Implicit(solver, equation)
