"""`explain_nan`: the right cause, line, sweep and remedy of each of the most common NaNs; and refusals that name theirs."""
from __future__ import annotations

import inspect
import math
import warnings
import zlib

import numpy as np
import pytest
import scipy.linalg

import sourcegrad as sg
from sourcegrad.api.explain_nan import Search, quiet
from tests.oracle import vector
from tests.programs.checks import draw_weights
from tests.programs.corpus import BY_NAME

WEIGHT = math.nan


class Case:
    """A function, arguments, and what is to be found: kind, sweep, the text of the line, words of message or remedy."""

    def __init__(self, kind: str, sweep: str, line: str, *words: str, at: tuple = (), index: tuple | None = None) -> None:
        self.kind, self.sweep, self.line, self.words, self.at, self.index = kind, sweep, line, words, at, index

    def __call__(self, function):
        self.function = function
        CASES.append(self)
        return function


CASES: list[Case] = []


def case(*facts, **options) -> Case:
    return Case(*facts, **options)


@case("division by zero", "forward", "np.log(x)", "logarithm of 0", "np.maximum", at=(np.array([1.0, 0.0]),), index=(1,))
def log_of_zero(x):
    return np.sum(np.log(x))


@case("0*inf", "forward", "m * np.log(x)", "zero times infinity", "np.where", at=(np.array([0.0, 2.0]),), index=(0,))
def masked_by_a_product(x):
    m = (x > 0.0) * 1.0
    return np.sum(m * np.log(x))


@case("infinite derivative", "reverse", "np.sqrt(x)", "infinite at x = 0", "1e-12", at=(np.array([4.0, 0.0]),), index=(1,))
def root_at_zero(x):
    return np.sum(np.sqrt(x))


@case("infinite derivative", "reverse", "np.sqrt(np.sum(x))", "sqrt", "np.linalg.norm(x)", at=(np.zeros(3),))
def root_of_a_sum(x):
    return np.sqrt(np.sum(x))


@case("overflow", "forward", "np.exp(x)", "exp of 800", "np.max", at=(np.array([800.0, 0.0]),), index=(0,))
def softmax(x):
    e = np.exp(x)
    return -np.log(e[0] / np.sum(e))


@case("overflow", "forward", "np.log(np.sum(np.exp(x)))", "exp of 900", "logsumexp", at=(np.array([1.0, 900.0]),), index=(1,))
def logsumexp(x):
    return np.log(np.sum(np.exp(x)))


@case("domain error", "forward", "np.log(x - 2.0)", "the logarithm of -1", "np.maximum", at=(np.array([3.0, 1.0]),), index=(1,))
def log_of_a_negative(x):
    return np.sum(np.log(x - 2.0))


@case("domain error", "forward", "np.sqrt(x)", "the square root of -1", at=(-1.0,))
def root_of_a_negative(x):
    y = np.sqrt(x)
    return y * y


@case("domain error", "forward", "np.arccos(x)", "not in [-1, 1]", "np.clip", at=(np.array([0.5, 1.5]),), index=(1,))
def arccos_outside(x):
    return np.sum(np.arccos(x))


@case("infinite derivative", "reverse", "np.arccos(u @ v)", "arccos is infinite at -1 and 1", "np.clip",
      at=(np.array([1.0, 0.0]), np.array([1.0, 0.0])))
def arccos_at_one(u, v):
    return np.arccos(u @ v)


@case("0/0", "forward", "(x - np.mean(x)) / np.std(x)", "standard deviation is 0 where all values are equal", at=(np.full(3, 2.0),))
def constant_column(x):
    z = (x - np.mean(x)) / np.std(x)
    return np.sum(z ** 3)


@case("division by zero", "forward", "1.0 / x", "1 is divided by zero", "np.where(y != 0", at=(np.array([2.0, 0.0]),), index=(1,))
def reciprocal(x):
    return np.sum(1.0 / x)


@case("domain error", "forward", "x ** p", "power of the negative number -8", "np.sign(x)", at=(np.array([1.0, -8.0]), 1.0 / 3.0),
      index=(1,))
def cube_root(x, p):
    return np.sum(x ** p)


@case("infinite derivative", "reverse", "x ** 0.5", "p < 1", at=(np.array([1.0, 0.0]),), index=(1,))
def power_at_zero(x):
    return np.sum(x ** 0.5)


@case("overflow", "forward", "a = np.exp(x)", "exp of 1000", at=(1000.0,))
def difference_of_infinities(x):
    a = np.exp(x)
    b = np.exp(x + 1.0)
    return a - b


@case("inf-inf", "forward", "top - low", "an infinity minus another", at=(np.array([1.0, 2.0]), np.inf))
def infinite_bounds(x, bound):
    top, low = x + bound, x * bound
    return np.sum(top - low)


@case("singular matrix", "forward", "np.linalg.solve(A, b)", "Singular matrix", "np.eye", at=(np.ones((2, 2)), np.ones(2)))
def singular_solve(A, b):
    return np.sum(np.linalg.solve(A, b))


@case("not positive definite", "forward", "np.linalg.cholesky(A)", "not positive definite", "diagonal",
      at=(np.array([[1.0, 2.0], [2.0, 1.0]]),))
def indefinite(A):
    L = np.linalg.cholesky(A)
    return np.sum(np.log(np.diag(L)))


@case("overflow", "forward", "x * x", "* of 1e+30 and 1e+30", "float32 ends at 3.4e+38",
      at=(np.array([1e30, 1.0], np.float32),), index=(0,))
def single_precision(x):
    return np.sum(x * x)


@case("uninitialised", "forward", "np.empty(3)", "before it is written", "np.zeros", at=(np.ones(2),))
def never_written(x):
    buffer = np.empty(3)
    buffer[:2] = x
    return np.sum(buffer * buffer)


@case("0/0", "forward", "d / n", "zero is divided by zero", at=(np.array([3.0, 2.0, 1.0, 0.0]), np.array([3.0, 2.0, 1.0, 0.0])))
def in_an_iteration(x, y):
    total = 0.0
    for i in range(4):
        d, n = x[i], y[i]
        total += d / n
    return total


@case("data", "", "", "the argument x[1] is NaN", "np.isfinite", at=(np.array([1.0, np.nan]),))
def nan_in_the_data(x):
    return np.sum(np.exp(x))


@case("data", "", "", "the argument p['scale'][0] is NaN", at=({"w": np.ones(2), "scale": [math.nan]},))
def nan_in_a_dict(p):
    return np.sum(p["w"]) * p["scale"][0]


@case("global", "", "", "the global WEIGHT is NaN", at=(2.0,))
def nan_in_a_global(x):
    return WEIGHT * x


@case("overflow", "reverse", "1.0 / x", at=(1e-200,))
def cotangent_overflows(x):
    return 1.0 / x


@case("overflow", "forward", "p = p * x", "larger than any number", "logarithms", at=(1e100,))
def product_overflows(x):
    p = 1.0
    for _ in range(5):
        p = p * x
    return np.log(p)


def helper(u):
    return np.log(u)


@case("division by zero", "forward", "np.log(u)", "logarithm of 0", at=(np.array([1.0, 0.0, 3.0]),))
def in_a_callee(x):
    total = 0.0
    for value in x:
        total += helper(value) * helper(value + 2.0) + np.tanh(helper(value + 2.0))
    return total


@case("division by zero", "forward", "math.log(x)", "logarithm of 0", at=(0.0,))
def python_number(x):
    return math.log(x)


@case("division by zero", "forward", "1.0 / (x - 1.0)", "1 is divided by zero", at=(1.0,))
def python_division(x):
    return 1.0 / (x - 1.0)


@case("overflow", "forward", "math.exp(x)", "math range error", at=(1000.0,))
def python_overflow(x):
    return math.exp(x)


@case("empty", "forward", "np.mean(x)", "without elements", at=(np.zeros(0),))
def mean_of_nothing(x):
    return np.mean(x)


@case("overflow", "forward", "np.exp(logits)", "softmax", at=(np.array([[0.0, 1000.0], [1.0, 2.0]]),), index=(0, 1))
def twice_in_one_line(logits):
    p = np.exp(logits) / np.sum(np.exp(logits), axis=1, keepdims=True)
    return -np.mean(np.log(p[:, 0]))


@case("division by zero", "forward", "np.log(z)", "logarithm of", at=(np.array(0j),))
def complex_logarithm(z):
    return np.abs(np.log(z))


@case("not positive definite", "forward", "scipy.linalg.cholesky(A)", "not positive definite", at=(-np.eye(2),))
def library_function(A):
    return np.sum(scipy.linalg.cholesky(A))


@sg.custom_vjp
def by_hand(x):
    return np.sqrt(x)


def root_adjoint(x, ct):
    return (ct / (2.0 * np.sqrt(x)),)


by_hand.defvjp(lambda x: (np.sqrt(x), x), root_adjoint)


@case("call", "reverse", "by_hand(x)", "root_adjoint() gives a number that is not finite", at=(np.array([0.0, 1.0]),))
def adjoint_by_hand(x):
    return np.sum(by_hand(x))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_cause(case: Case) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sg.explain_nan(case.function, *case.at, inputs=None if len(case.at) == 1 else (0, 1))
    text = str(found)
    assert not found.finite, text
    assert (found.kind, found.sweep) == (case.kind, case.sweep), text
    assert case.line in (found.origin.text if found.origin else ""), text
    assert all(word in text for word in case.words), text
    if found.origin:
        lines, start = inspect.getsourcelines(inspect.getmodule(case.function))
        assert found.file == __file__ and case.line in lines[found.line - 1], text
        quoted, caret = text.splitlines()[2:4]
        assert caret.strip() == "^" and len(caret) <= len(quoted)
        assert found.remedy in text and found.operation in text
    if case.index is not None:
        assert found.index == case.index and f"element {list(case.index)}" in text


def test_the_number_of_causes() -> None:
    assert len(CASES) >= 30 and len({case.kind for case in CASES}) >= 12


# --- what the report says

def explained(function):
    case = next(case for case in CASES if case.function is function)
    return sg.explain_nan(function, *case.at)


def test_caret_operands_and_iteration() -> None:
    found = explained(in_an_iteration)
    assert found.iteration == (("i", 3, 4),) and "iteration 4 (i = 3)" in str(found)
    assert list(found.operands.values()) == [0.0, 0.0]
    found = explained(log_of_a_negative)
    assert list(found.operands.values()) == [-1.0]
    assert found.origin.text[found.column - 1:].startswith("np.log(x - 2.0)")
    found = explained(in_a_callee)
    assert found.iteration[-1][2] == 2 and f"called at {__file__}" in str(found)


def test_repr_is_the_text() -> None:
    found = explained(softmax)
    assert repr(found) == str(found) and "value and gradient are not finite" in repr(found)
    assert found.forward.kind == "overflow" and found.forward.line == found.line
    assert not hasattr(found, "no_such_attribute")


def test_all_is_finite() -> None:
    found = sg.explain_nan(softmax, np.array([1.0, 2.0]))
    assert found.finite and repr(found) == "value and gradient are finite" and found.kind == "finite" and found.cause is None


def test_the_branch_that_is_not_taken_is_harmless() -> None:
    def f(x):
        return np.sum(np.where(x > 0.0, np.log(x), 0.0)) + np.linalg.norm(x)

    found = sg.explain_nan(f, np.array([0.0, 1.0]))
    assert found.finite and found.forward.kind == "division by zero" and "without influence on the result" in str(found)


def test_norms_at_zero_are_finite_by_convention() -> None:
    for norm in (np.linalg.norm, lambda x: np.sqrt(np.sum(x * x)), lambda x: np.sqrt(x @ x)):
        assert sg.explain_nan(lambda x, norm=norm: norm(x), np.zeros(3)).finite


def test_what_is_harmless_is_not_blamed() -> None:
    def f(x):
        safe = np.where(x > 0.0, np.log(x), 0.0)
        return np.sum(safe) + np.sum(np.sqrt(x))

    found = sg.explain_nan(f, np.array([0.0, 1.0]))
    assert (found.kind, found.sweep) == ("infinite derivative", "reverse") and "np.sqrt(x)" in found.origin.text
    assert found.forward.kind == "division by zero"


def test_errors_that_the_function_catches_are_no_cause() -> None:
    def f(x, n):
        try:
            return x / n
        except ZeroDivisionError:
            return x * np.log(x)

    assert sg.explain_nan(f, 2.0, 0).finite
    found = sg.explain_nan(f, 0.0, 0)
    assert found.kind == "0*inf" and "np.log(x)" in found.origin.text
    with pytest.raises(ValueError, match="shapes"):             # an error of another sort stays what it is
        sg.explain_nan(lambda x: np.sum(x + np.ones(3)), np.ones(2))


def test_what_an_error_comes_from() -> None:
    def f(x):
        A = np.diag(np.log(x)) + np.eye(2)
        return np.sum(np.linalg.cholesky(A))

    found = sg.explain_nan(f, np.array([1.0, 0.01]))
    assert found.kind == "not positive definite" and "the function raises LinAlgError" in str(found)
    found = sg.explain_nan(f, np.array([1.0, -1.0]))            # a NaN goes into the factorisation
    assert found.kind == "domain error" and "np.log(x)" in found.origin.text


def test_what_is_printed_is_printed_once(capsys) -> None:
    def f(x):
        print("called")
        return np.sum(np.log(x)) + np.sum(1.0 / x)

    assert not sg.explain_nan(f, np.array([0.0, 1.0])).finite
    assert capsys.readouterr().out.count("called") <= 3         # the first run, and the comparison of the code with the function


def test_aux_does_not_matter() -> None:
    def f(x):
        return np.sum(x * x), np.log(x)

    x = np.array([0.0, 1.0])
    assert sg.explain_nan(f, x, has_aux=True).finite
    assert sg.explain_nan(sg.grad(f, has_aux=True), x, grad_outputs=np.ones(2)).finite
    assert sg.explain_nan(lambda x: (np.log(x[0]), x), x, has_aux=True).kind == "division by zero"


def test_iterators_are_refused() -> None:
    with pytest.raises(sg.InputError, match="several times"):
        sg.explain_nan(lambda x, items: sum(x * item for item in items), 2.0, (item for item in [1.0, 2.0]))


def test_two_causes() -> None:
    def f(x):
        a = np.log(x)
        b = 1.0 / (x - 1.0)
        return np.sum(a) + np.sum(b)

    found = sg.explain_nan(f, np.array([-1.0, 1.0]))
    assert found.kind == "domain error" and [other.kind for other in found.others] == ["division by zero"]


def test_order_two() -> None:
    def f(x):
        return np.sum(x ** 1.5)

    x = np.array([1.0, 0.0])
    assert sg.explain_nan(f, x).finite
    found = sg.explain_nan(sg.grad(f), x, grad_outputs=np.ones(2))
    assert not found.finite and "x ** 1.5" in found.origin.text
    below = sg.explain_nan(sg.grad(root_at_zero), x, grad_outputs=np.ones(2))
    assert (below.kind, below.sweep, below.index) == ("infinite derivative", "reverse", (1,))


def test_objects_methods_and_run_time_callees() -> None:
    class Model:
        def __init__(self, w):
            self.w = w

        def loss(self, x):
            return np.sum(np.log(self.w * x))

    found = sg.explain_nan(Model(np.array([1.0, 0.0])).loss, np.ones(2))
    assert found.kind == "division by zero" and found.index == (1,)
    found = sg.explain_nan(Model(np.array([1.0, np.nan])).loss, np.ones(2))
    assert (found.kind, found.index) == ("data", (1,)) and "self.w[1] is NaN" in found.message
    functions = {"a": helper, "b": np.sin}
    found = sg.explain_nan(lambda x, name: functions[name](x), 0.0, "a")
    assert found.kind == "division by zero" and "np.log(u)" in found.origin.text


def test_arguments_and_random_numbers_stay() -> None:
    def f(x):
        x /= x.sum()
        return np.sum(np.log(x)) + np.random.normal()

    x = np.array([1.0, 0.0])
    np.random.seed(3)
    before = np.random.get_state()[1].copy()
    assert sg.explain_nan(f, x).kind == "division by zero"
    assert x.tolist() == [1.0, 0.0] and np.array_equal(np.random.get_state()[1], before)


def test_loops_that_end_by_the_numbers() -> None:
    def f(x):
        error, y = 1.0, x
        while error > 1e-6:
            new = 0.5 * (y + x / y)
            error, y = np.abs(new - y), new
        return y

    assert sg.explain_nan(f, 2.0).finite
    assert sg.explain_nan(f, 0.0).kind == "0/0"


SAMPLE = [program for program in BY_NAME.values() if not program.may_refuse][::80]


@pytest.mark.parametrize("program", SAMPLE, ids=lambda program: program.name)
def test_the_instrumented_copy_computes_the_same(program) -> None:
    """Exactly, with callees, loops, containers, objects, what is found at run time."""
    weights, = draw_weights(program, 1)
    with quiet():
        _, expected = sg.value_and_grad(program.function, program.inputs, weights)(*program.fresh(), **program.options)
    search = Search(program.function, program.fresh(), program.options, program.inputs, weights)
    assert search.run(set()) and np.array_equal(vector(search.result[1]), vector(expected))
    again = search.result
    assert search.run(set()) and np.array_equal(vector(search.result[1]), vector(again[1]))


# --- refusals name their cause, too

def stores_a_global(x):
    global stored
    stored = x
    return x


without_source: dict = {}
exec("def f(x):\n    return x * x\n", without_source)
REFUSALS = [
    (lambda x: eval("x"), 2.0, "`eval` cannot be differentiated", "Write the code out"),
    (stores_a_global, 2.0, "a store into the global 'stored'", ""),
    (lambda x: zlib.crc32(x), 2.0, "zlib.crc32 has no derivative rule", "@sg.rule"),
    (lambda x: np.unheard_of(x), 2.0, "unheard_of", ""),
    (lambda x: x * undefined_name, 2.0,  # noqa: F821
     "name 'undefined_name' is not defined", ""),
    (lambda x: np.sum(x * x), np.arange(3), "dtype int64: derivatives need floats", "astype\\(float\\)"),
    (lambda x: x * x, "text", "the input 'x' is a str", "inputs="),
    (lambda x: x * x, np.ones(3), "shape", "grad_outputs"),
    (lambda x: (x, x * x), 2.0, "returns a tuple", "grad_outputs"),
    (lambda x: None, 2.0, "returns nothing", "output"),
    (without_source["f"], 2.0, "the source of f .* cannot be found", "in a file or a notebook cell"),
    (np.sin, 2.0, "sin is not a Python function", "lambda x: np.sin"),
    (lambda x: np.sum(x), np.ma.array([1.0]), "is a MaskedArray, not a plain array", "np.asarray"),
]


@pytest.mark.parametrize("function, argument, message, remedy", REFUSALS)
def test_refusals(function, argument, message, remedy) -> None:
    with pytest.raises(sg.SourcegradError, match=f"(?s){message}.*{remedy}"):
        sg.explain_nan(function, argument)


def test_an_output_without_weights_is_refused() -> None:
    with pytest.raises(sg.OutputError, match="shape"):
        sg.explain_nan(lambda x: np.log(x), np.ones(3))
    assert sg.explain_nan(lambda x: np.log(x), np.array([0.0, 1.0]), grad_outputs=np.ones(2)).kind == "division by zero"
