"""`try`: which handler was taken is recorded; `else`, `finally`, `raise` and exits in all places."""
import math

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])
MATRIX = np.array([[2.0, 0.3], [0.3, 1.0]])


def division(x, n):
    try:
        y = x * (1.0 / n)
    except ZeroDivisionError:
        y = 3.0 * x
    return y * x


case(division, 0.7, 0)
case(division, 0.7, 2)


def log_likelihood(x, shift):
    """The common one: a factorisation that may fail, and a fallback."""
    cov = MATRIX * x - shift * np.eye(2)
    try:
        factor = np.linalg.cholesky(cov)
    except np.linalg.LinAlgError:
        factor = np.linalg.cholesky(cov + 10.0 * np.eye(2))
    solved = np.linalg.solve(factor, np.ones(2))
    return -0.5 * np.sum(solved ** 2) - np.sum(np.log(np.diag(factor)))


case(log_likelihood, 0.7, 0.0, oracle=False)
case(log_likelihood, 0.7, 5.0, inputs=("x", "shift"), oracle=False)


def in_a_loop(x):
    total = 0.0
    for k in range(4):
        try:
            y = x * (1.0 / (k - 2))
            total += y * y
        except ZeroDivisionError as error:
            assert "zero" in str(error)
            continue
        else:
            total *= 1.5
        finally:
            total += x
    return total


case(in_a_loop, 0.7)


def by_class(x, table, key):
    def checked(t):
        if t < 0.5:
            raise ValueError("too small")
        return math.sqrt(t) * t

    try:
        return checked(x) * table[key]
    except (ValueError, OverflowError):
        return checked(x + 1)
    except KeyError:
        y = x * x
    except Exception:
        raise
    return y * x


case(by_class, 0.3, {"a": 2.0}, "a")
case(by_class, 0.7, {"a": 2.0}, "a")
case(by_class, 0.7, {"a": 2.0}, "b")


def nested(x):
    table = {"a": x}
    try:
        y = table["b"]
    except KeyError:
        try:
            y = table["a"] * [x, x][5]
        except IndexError:
            y = table["a"] * x
    return y


case(nested, 0.7)


def half_done(x, n):
    """What the body has assigned when the exception comes is there afterwards."""
    y = 1.0
    z = x
    try:
        y = y * x
        z = y * (1.0 / n)
        y = 5.0 * z
    except ZeroDivisionError:
        return y * x * z
    return y * z


case(half_done, 0.7, 0)
case(half_done, 0.7, 2)


def finally_and_break(x):
    for k in range(5):
        try:
            if k == 3:
                break
            x = x * x
        finally:
            x = x + 1
    return x


case(finally_and_break, 0.7)


def retries(x):
    n = 0
    while True:
        try:
            n += 1
            if n > 3:
                return x * n
            x = x * [2.0, 3.0][n]
        except IndexError:
            x = x * x


case(retries, 0.7)


def exception_of_a_statement_without_use(x):
    try:
        1 / int(x > 100.0)
        float("nothing")
    except ValueError:
        return x
    except ZeroDivisionError:
        return x * x
    return x ** 3


case(exception_of_a_statement_without_use, 0.7, oracle=False)
case(exception_of_a_statement_without_use, 101.0, oracle=False)


def newton(f, x):
    for _ in range(3):
        value, slope = f(x)
        try:
            x = x - value / slope
        except ZeroDivisionError:
            x = x + 0.1
    return x


def solves(a, x):
    return newton(lambda t: (t * t - a, 2 * t), x)


case(solves, 2.0, 1.0, inputs=("a", "x"))


def floating_point_error(v):
    with np.errstate(all="raise"):
        try:
            y = np.log(v) * v
        except FloatingPointError:
            y = v * v
    try:
        with np.errstate(all="raise"):
            z = np.sqrt(v + 2.0)
    except FloatingPointError:
        z = v
    return np.sum(y * z)


case(floating_point_error, VECTOR, oracle=False)


def cleans_up(x, log):
    try:
        y = x * x
        log.index(1.0)
    finally:
        print(len(log), end="")
    return y


case(cleans_up, 0.7, [1.0])


def raises_from(x):
    try:
        y = math.log(x)
    except ValueError as error:
        raise RuntimeError("no logarithm") from error
    else:
        y = y * x
    return y


case(raises_from, 0.7)


def out_of_a_display(x):
    try:
        try:
            y = x * [1.0][1]
        finally:
            z = x * 3
    except IndexError:
        y = x * x
        z = x
    return y * z


case(out_of_a_display, 0.7)


def exits_of_a_while(x):
    k = 0
    while k < 6:
        k += 1
        try:
            if k == 2:
                continue
            if k == 5:
                break
            z = x * (1 // (k - 3))
        except ZeroDivisionError:
            x = x * 2
        else:
            x = x + z
    else:
        x = 0 * x
    return x


case(exits_of_a_while, 0.7)


def nonlocal_inside_try(x):
    s = 0.0

    def add(v, k):
        nonlocal s
        try:
            s = s + v * (1 // (k - 1))
        except ZeroDivisionError:
            s = s - v
        return s

    for k in range(3):
        if add(x * k, k) > 100:
            break
    return s


case(nonlocal_inside_try, 0.7)


def root_of(x):
    if x < 0.0:
        raise ValueError("a negative number")
    return x ** 0.5


class Fitted:
    def __init__(self, scale):
        self.scale = scale
        self.value, self.steps = 0.0, 0

    def fit(self, x):
        try:
            self.value = self.scale / x
            self.steps += 1
            self.scale = root_of(self.value)
        except ValueError:
            self.scale = self.value ** 2
        return self


def stores_inside_try(x, y):
    a, b = Fitted(y).fit(x), Fitted(y).fit(-x)
    return a.scale * b.scale + b.value * x + a.steps * b.steps


case(stores_inside_try, 0.7, 1.3, inputs=("x", "y"))


# --- what is caught: which exception it is, and what it carries ---------------------------------------

def caught_of_several(v):
    def risky(x):
        if x > 1.0:
            raise ValueError("big")
        if x < 0.0:
            raise KeyError("negative")
        return x ** 2

    def tried(x):
        try:
            return risky(x)
        except (ValueError, KeyError) as error:
            name = type(error).__name__
            return 3.0 * x if isinstance(error, ValueError) else 5.0 * x + (name == "KeyError") * x

    return tried(v[0]) + tried(v[1]) ** 2 + tried(v[2])


def caught_exception_by_case(v):
    total = 0.0
    for x in v:
        try:
            if x > 0.5 or x < 0.0:
                raise (ValueError if x > 1.0 else TypeError)("q")
        except (ValueError, TypeError) as error:
            match error:
                case ValueError():
                    total += x
                case _:
                    total += 3.0 * x ** 2
        else:
            total += x ** 3
    return total


class Found(Exception):
    def __init__(self, what, code=0):
        super().__init__(what)
        self.what = what
        self.code = code


def code_of_an_exception(v):
    try:
        if v[0] < 1.0:
            raise Found("low", 3)
        factor = v[0]
    except Found as error:
        factor = error.code * v[0] + len(error.args[0]) * v[1]
    return factor * v[2]


case(caught_of_several, VECTOR)
case(caught_exception_by_case, VECTOR)
case(code_of_an_exception, VECTOR)
