"""Exceptions, contexts, assertions and warnings."""
import contextlib
import warnings

import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])


class ModelError(Exception):
    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def positive(x):
    if x <= 0:
        raise ValueError(f"not positive: {x}")
    return np.log(x)


def raises(x):
    if not isinstance(x, float):
        raise TypeError("x must be a float")
    return positive(x) ** 2 * x


case("raise", raises, 0.7)


def falls_back(x, y):
    try:
        value = positive(y) * x
    except ValueError:
        value = x ** 2
    return value * x


case("try/except", falls_back, 0.7, 1.3, inputs=("x", "y"))
case("try/except", falls_back, 0.7, -1.3, inputs=("x", "y"))


def several_handlers(x, table, key):
    try:
        scale = table[key]
        value = scale * x
    except (IndexError, TypeError):
        value = x
    except KeyError as error:
        value = x ** len(error.args[0])
    else:
        value = value ** 2
    return value * x


case("try/except", several_handlers, 0.7, {"a": 2.0}, "a")
case("try/except", several_handlers, 0.7, {"a": 2.0}, "bcd")


def partly_done(x):
    total = x
    try:
        total = total * x
        total += 1.0
        if total > 0:
            raise ModelError("stop", code=3)
        total = 0.0
    except ModelError as error:
        total *= error.code * x
    return total


case("try/except", partly_done, 0.7)


def in_loop(values):
    total, failures = 1.0, 0
    for v in values:
        try:
            total += positive(v) * v
        except ValueError:
            failures += 1
            total *= v
            continue
    return total * (failures + 1)


case("try/except", in_loop, [0.7, -0.4, 1.2])


def finally_runs(x, y):
    log = []
    try:
        value = positive(y) * x
    except ValueError:
        value = x ** 3
    finally:
        log.append(x)
        x = x * 2.0
    return value * x * log[0]


case("finally", finally_runs, 0.7, 1.3, inputs=("x", "y"))
case("finally", finally_runs, 0.7, -1.3, inputs=("x", "y"))


def returns_through_finally(x, state):
    try:
        if x > 0:
            return x ** 2 * state["scale"]
    finally:
        state["calls"] += 1
    return x


def finally_and_return(x):
    state = {"scale": x, "calls": 0}
    return returns_through_finally(x, state) * state["calls"] + returns_through_finally(-x, state)


case("finally", finally_and_return, 0.7)


def raises_again(x):
    try:
        try:
            positive(-x)
        except ValueError as error:
            raise ModelError("wrapped") from error
    except ModelError:
        return x ** 2
    return x


case("try/except", raises_again, 0.7)


def errstate(v):
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = v / np.abs(v)
    with np.errstate(all="raise"):
        return np.sum(ratio * v ** 2)


case(("with np.errstate", "with"), errstate, V)


class Scope:
    """A user's context manager with state."""

    def __init__(self, scale):
        self.scale = scale
        self.depth = 0

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, kind, error, traceback):
        self.depth -= 1


def context_manager(x):
    scope = Scope(x)
    with scope as s:
        value = s.scale * x * s.depth
    with Scope(value) as a, Scope(x ** 2) as b:
        value = a.scale * b.scale
    return value * (scope.depth + 1)


case("with", context_manager, 0.7)


class Forgiving(Scope):
    """It ends exceptions of its own kind."""

    def __exit__(self, kind, error, traceback):
        super().__exit__(kind, error, traceback)
        return kind is ModelError


def context_that_swallows(x):
    value = x ** 2
    with Forgiving(x):
        value = value * x
        raise ModelError("swallowed")
    return value


case("with", context_that_swallows, 0.7, refused="Catch them with `try` and `except`")


@contextlib.contextmanager
def scaled(values, factor):
    values.append(factor)
    yield values[-1] ** 2
    values.pop()


def generator_context(x):
    stack = [2.0]
    with scaled(stack, x) as square:
        result = square * stack[-1]
    return result * stack[-1]


case("with", generator_context, 0.7)


def suppressed(x):
    value = x
    with contextlib.suppress(ValueError):
        value = value * x
        positive(-x)
        value = 0.0
    return value


case("with", suppressed, 0.7)


def asserted(x, v):
    assert x > 0
    assert v.shape == (3,), f"shape {v.shape}"
    return x * np.sum(v ** 2)


case("assert", asserted, 0.7, V, inputs=("x", "v"))


def warned(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("approximate", RuntimeWarning, stacklevel=2)
        value = x ** 2
    return value * x


case("warnings.warn", warned, 0.7)


def stop_iteration(xs):
    it = iter(xs)
    total = 0.0
    while True:
        try:
            x = next(it)
        except StopIteration:
            break
        total += x ** 2
    return total


case("StopIteration", stop_iteration, [0.7, 1.2, -0.4])


def handler_in_callee(x, names):
    def lookup(name, default):
        try:
            return {"a": x, "b": x ** 2}[name]
        except KeyError:
            return default
    return sum(lookup(name, 2.0 * x) * (k + 1) for k, name in enumerate(names))


case("try/except", handler_in_callee, 0.7, ["b", "c", "a"])


def linalg_error(a, x):
    A = np.array([[1.0, a], [a, 1.0]])
    try:
        L = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        L = np.linalg.cholesky(A + x * np.eye(2))
    return np.sum(L ** 2) * L[1, 0]


case("try/except", linalg_error, 1.4, 1.1, inputs=("a", "x"))
