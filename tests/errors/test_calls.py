"""Errors of calls: inputs, outputs, `grad_outputs`, sources and rules; what an error says and leaves behind."""
from __future__ import annotations

import inspect
import pickle
import zlib

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import errors
from sourcegrad.errors import InputError, MissingRuleError, Origin, OutputError, SourceError, SourcegradError, UnsupportedError
from tests.errors.modules import load, refused

V = np.array([0.3, -0.8, 1.1])


def f(x, y=2.0, *, scale=1.0):
    return np.sum(x * y) * scale


def square(x):
    return x * x


def pair(x):
    return x, x * 2.0


def line_of(function) -> int:
    return inspect.getsourcelines(function)[1]


def refuse(kind, call) -> SourcegradError:
    with pytest.raises(kind) as caught:
        call()
    return caught.value


# --- values of inputs

VALUES = {
    "array of ints": (np.arange(3), "the input 'x' is an array of dtype int64", "x.astype(float)"),
    "array of bools": (np.array([True, False]), "the input 'x' is an array of dtype bool", "x.astype(float)"),
    "unsigned scalar": (np.uint8(3), "dtype uint8", "x.astype(float)"),
    "NumPy bool": (np.bool_(True), "dtype bool", "x.astype(float)"),
    "array of objects": (np.array([1.0, None]), "dtype object", "x.astype(float)"),
    "array of text": (np.array(["a"]), "dtype <U1", "x.astype(float)"),
    "array of dates": (np.array(["2020-01-01"], dtype="M8[D]"), "dtype datetime64[D]", "x.astype(float)"),
    "bool": (True, "the input 'x' is a bool", "inputs="),
    "text": ("abc", "the input 'x' is a str", "inputs="),
    "None": (None, "the input 'x' is a NoneType", "inputs="),
    "function": (len, "the input 'x' is a builtin_function_or_method", "inputs="),
    "object": (object(), "the input 'x' is a object", "inputs="),
    "set": ({1.0}, "the input 'x' is a set", "inputs="),
    "range": (range(3), "the input 'x' is a range", "inputs="),
    "list with text": ([1.0, "a"], "the input 'x[1]' is a str", "inputs="),
    "nested list with ints": ([1.0, [np.arange(2)]], "the input 'x[1][0]' is an array of dtype int64", "astype(float)"),
    "dict with None": ({"a": 1.0, "b": None}, "the input 'x['b']' is a NoneType", "inputs="),
}


@pytest.mark.parametrize("name", VALUES)
def test_input_that_has_no_derivative(name: str) -> None:
    value, message, advice = VALUES[name]
    error = refuse(InputError, lambda: sg.grad(f)(value))
    assert message in error.message and advice in error.remedy
    assert (error.origin.file, error.origin.line, error.origin.column) == (__file__, line_of(f), 1)
    assert error.origin.text == "def f(x, y=2.0, *, scale=1.0):"
    assert isinstance(error, TypeError)


def test_integers_are_fine_where_they_are_no_inputs() -> None:
    assert np.array_equal(sg.grad(f)(V, np.arange(3)), [0.0, 1.0, 2.0])


# --- names of inputs

NAMES = {
    "unknown name": ("z", "there is no parameter 'z'", "The parameters are x, y, scale."),
    "unknown name in a tuple": (("x", "z"), "there is no parameter 'z'", "The parameters are x, y, scale."),
    "position too large": (3, "there is no parameter at position 3", "The parameters are x, y, scale."),
    "position too small": (-4, "there is no parameter at position -4", "The parameters are x, y, scale."),
    "bool": (True, "there is no parameter True", "The parameters are x, y, scale."),
    "None in a tuple": (("x", None), "there is no parameter None", "The parameters are x, y, scale."),
    "duplicate": (("x", "x"), "an input is named twice", ""),
    "duplicate by position": (("x", 0), "an input is named twice", ""),
    "duplicate by negative position": ((0, -3), "an input is named twice", ""),
    "empty": ((), "inputs is empty", "at least one parameter"),
    "number": (1.5, "inputs is 1.5: a float", "a tuple of them"),
    "array of thousands": (np.arange(5000.0), "...", "a tuple of them"),
}


@pytest.mark.parametrize("make", [sg.grad, sg.value_and_grad])
@pytest.mark.parametrize("name", NAMES)
def test_inputs_that_do_not_exist(name: str, make) -> None:
    inputs, message, advice = NAMES[name]
    error = refuse(InputError, lambda: make(f, inputs))
    assert message in error.message and advice in error.remedy
    assert error.origin.line == line_of(f)


def test_parameters_of_methods_are_listed_without_self() -> None:
    class Model:
        def loss(self, w, x):
            return w * x

    error = refuse(InputError, lambda: sg.grad(Model().loss, "me"))
    assert error.remedy == "The parameters are w, x."


def test_function_without_parameters() -> None:
    assert "no parameter to differentiate" in refuse(InputError, lambda: sg.grad(lambda: 1.0)).message


@pytest.mark.parametrize("thing", [3.0, "f", None, np.ones(3)])
def test_not_a_function(thing) -> None:
    assert f"not a {type(thing).__name__}" in refuse(InputError, lambda: sg.grad(thing)).message


# --- arguments of the call

@pytest.mark.parametrize("args, options, message", [
    ((), {}, "missing a required argument: 'x'"),
    ((V, 1.0, 2.0), {}, "too many positional arguments"),
    ((V,), {"wrong": 1.0}, "got an unexpected keyword argument 'wrong'"),
    ((V,), {"x": V}, "multiple values for argument 'x'"),
])
def test_wrong_arguments(args, options, message: str) -> None:
    error = refuse(InputError, lambda: sg.grad(f)(*args, **options))
    assert "f_grad():" in error.message and message in error.message and error.origin.line == line_of(f)


# --- outputs and grad_outputs

@pytest.mark.parametrize("x", [V, np.ones((2, 3)), np.ones((0,)), [1.0, 2.0]], ids=lambda x: str(np.shape(x)))
def test_output_that_is_no_scalar(x) -> None:
    error = refuse(OutputError, lambda: sg.grad(lambda x: np.asarray(x) * 2.0)(x))
    assert f"shape {np.shape(x)}" in error.message and "grad_outputs" in error.remedy
    assert error.origin.file == __file__ and error.origin.text.lstrip().startswith("error = refuse")
    assert isinstance(error, ValueError)


def test_output_that_is_a_tuple() -> None:
    error = refuse(OutputError, lambda: sg.grad(pair)(2.0))
    assert "pair() returns a tuple" in error.message
    assert (error.origin.line, error.origin.column) == (line_of(pair) + 1, 5)


COTANGENTS = {
    "shape": (square, np.ones(4), "grad_outputs has shape (4,), the output has shape (3,)", "shape of the output"),
    "rank": (square, np.ones((1, 3)), "grad_outputs has shape (1, 3), the output has shape (3,)", ""),
    "scalar": (square, 1.0, "grad_outputs has shape (), the output has shape (3,)", "shape of the output"),
    "too few": (pair, (V,), "a sequence of 2 cotangents", ""),
    "too many": (pair, (V, V, V), "a sequence of 2 cotangents", ""),
    "array for a tuple": (pair, np.ones((2, 3)), "a sequence of 2 cotangents, one per output, not ndarray", ""),
    "shape of the second": (pair, (V, np.ones(2)), "grad_outputs has shape (2,), the output has shape (3,)", ""),
    "tuple for an array": (square, (V, V), "grad_outputs has shape (2, 3), the output has shape (3,)", ""),
    "text": (square, "abc", "grad_outputs", ""),
    "text in an array": (square, np.array(["a", "b", "c"]), "grad_outputs", ""),
    "a dict": (square, {"a": V}, "grad_outputs", ""),
}


@pytest.mark.parametrize("name", COTANGENTS)
@pytest.mark.parametrize("late", [True, False], ids=["at the call", "at once"])
def test_grad_outputs_that_do_not_fit(name: str, late: bool) -> None:
    function, weights, message, advice = COTANGENTS[name]
    call = (lambda: sg.grad(function)(V, grad_outputs=weights)) if late else (
        lambda: sg.grad(function, grad_outputs=weights)(V))
    error = refuse(OutputError, call)
    assert message in error.message and advice in error.remedy
    assert (error.origin.line, error.origin.column) == (line_of(function) + 1, 5)


def test_dict_output_takes_a_dict_of_weights() -> None:
    def both(x):
        return {"a": x * 2.0, "b": x * x}

    gradient = sg.grad(both)
    assert gradient(3.0, grad_outputs={"a": 1.0, "b": 10.0}) == 62.0
    for wrong in ({"a": 1.0}, {"a": 1.0, "c": 1.0}, (1.0, 1.0), 1.0):
        refuse(OutputError, lambda wrong=wrong: gradient(3.0, grad_outputs=wrong))


def test_integer_grad_outputs_count_as_floats() -> None:
    assert np.array_equal(sg.grad(square)(V, grad_outputs=np.array([1, 0, 2])), 2.0 * V * [1, 0, 2])


# --- sources

def test_function_of_exec() -> None:
    scope: dict = {}
    exec("def g(a, b):\n    return a * b\n", scope)
    error = refuse(SourceError, lambda: sg.grad(scope["g"])(2.0, 3.0))
    assert "the source of g (from '<string>', line 1) cannot be found" in error.message
    assert "instead of exec/eval" in error.remedy and "@sg.rule(g)\ndef g_rule(ct, out, a, b):" in error.remedy


def test_lambda_of_eval() -> None:
    error = refuse(SourceError, lambda: sg.grad(eval("lambda a: a * a"))(2.0))
    assert "<lambda>" in error.message and "def f_rule(ct, out, a):" in error.remedy


def test_function_of_the_plain_repl() -> None:
    scope: dict = {}
    exec(compile("def g(x):\n    return x * x\n", "<stdin>", "single"), scope)
    assert "'<stdin>'" in refuse(SourceError, lambda: sg.grad(scope["g"])(2.0)).message


def test_file_changed_since_the_import(tmp_path) -> None:
    import linecache
    module = load(tmp_path, "def f(x):\n    return x * x\n")
    (tmp_path / module.__file__).write_text("\n\n# nothing left\n")
    linecache.checkcache(module.__file__)
    error = refuse(SourceError, lambda: sg.grad(module.f)(2.0))
    assert "has changed since it was imported" in error.message and "reload the module" in error.remedy


def test_file_edited_on_disk(tmp_path) -> None:
    """A body that is not the one which runs must not be differentiated silently."""
    import linecache
    module = load(tmp_path, "def f(x):\n    return x * x\n")
    (tmp_path / module.__file__).write_text("def f(x):\n    return x * x * x\n")
    linecache.checkcache(module.__file__)
    try:
        assert sg.grad(module.f)(2.0) == 4.0
    except SourceError as error:
        assert "has changed" in error.message


class Callable:
    def __call__(self, x):
        return x * x


@pytest.mark.parametrize("thing", [len, max, zlib.crc32, float, Callable], ids=repr)
def test_no_python_function(thing) -> None:
    """Builtins without a rule and classes have no source."""
    error = refuse(SourcegradError, lambda: sg.grad(thing)(2.0))
    assert not isinstance(error, errors.InternalError)


def test_callable_instance() -> None:
    """Differentiated through its __call__, or refused: never a raw error."""
    try:
        assert sg.grad(Callable())(3.0) == 6.0
    except SourcegradError as error:
        assert "Callable" in str(error)


@pytest.mark.parametrize("thing", [np.sin, np.exp], ids=repr)
def test_ufunc(thing) -> None:
    try:
        assert sg.grad(thing)(0.5) == pytest.approx({"sin": np.cos, "exp": np.exp}[thing.__name__](0.5))
    except SourcegradError as error:
        assert thing.__name__ in str(error)


# --- missing rules

RULES = {
    "C function": ("import zlib\ndef f(x):\n    y = x * 2.0\n    return y * zlib.crc32(y)\n", 4, 16,
                   "zlib.crc32 has no derivative rule and no Python source",
                   "@sg.rule(zlib.crc32)\ndef crc32_rule(ct, out, data, value=0):\n    return ..."),
    "two arguments": ("import zlib\ndef f(x):\n    return zlib.crc32(x, x)\n", 3, 12, "zlib.crc32", "data, value=0"),
    "function of exec": ("exec('def g(x): return x * x')\ndef f(x):\n    return 2.0 * g(x)\n", 3, 18,
                         "g has no derivative rule and no Python source", "@sg.rule(g)\ndef g_rule(ct, out, x):"),
    "nondifferentiable": ("import zlib\ndef f(x):\n    return zlib.adler32(x)\n", 3, 12, "zlib.adler32",
                          "sg.nondifferentiable(zlib.adler32)"),
}


@pytest.mark.parametrize("name", RULES)
def test_missing_rule(tmp_path, name: str) -> None:
    text, line, column, message, advice = RULES[name]
    error, module = refused(tmp_path, text, lambda m: sg.grad(m.f)(2.0))
    assert isinstance(error, MissingRuleError)
    assert (error.origin.file, error.origin.line, error.origin.column) == (module.__file__, line, column)
    assert message in error.message and advice in error.remedy
    assert str(error).split("\n")[0].startswith(f"{module.__file__}:{line}:{column}: ")


def test_the_advised_rule_works(tmp_path) -> None:
    """What the message says to write repairs the same function object."""
    module = load(tmp_path, "exec('def g(x): return x * x')\ndef f(x):\n    return 2.0 * g(x)\n")
    gradient = sg.grad(module.f)
    error = refuse(MissingRuleError, lambda: gradient(3.0))
    text = error.remedy.split("Give it a rule:\n")[1].split("\nor say")[0]
    text = text.replace("...      #", "2.0 * ct * x      #")
    load(tmp_path, f"import sourcegrad as sg\nfrom {module.__name__} import g\n\n\n{text}\n")
    assert gradient(3.0) == 12.0


def test_no_rule_needed_where_nothing_depends_on_inputs() -> None:
    assert sg.grad(lambda x: x * zlib.crc32(b"abc"))(2.0) == zlib.crc32(b"abc")


# --- what an error says

def test_rendering() -> None:
    error = UnsupportedError("this is wrong", Origin("a.py", 7, 13, "    return g(x)\n"), "Write that.")
    assert str(error) == "a.py:7:13: this is wrong\n    return g(x)\n            ^\nWrite that."


def test_rendering_with_tabs_and_without_place() -> None:
    error = UnsupportedError("this is wrong", Origin("a.py", 7, 3, "\t\treturn x"))
    assert str(error) == "a.py:7:3: this is wrong\n    return x\n    ^"
    assert str(UnsupportedError("wrong", None, "Write that.")) == "wrong\nWrite that."
    assert str(UnsupportedError("wrong", Origin("a.py", 1, 1, ""))) == "a.py:1:1: wrong"


@pytest.mark.parametrize("kind", [UnsupportedError, MissingRuleError, SourceError, InputError, OutputError,
                                  errors.InternalError])
def test_errors_pickle(kind) -> None:
    error = kind("wrong", Origin("a.py", 1, 2, "  x"), "Write that.")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind and str(again) == str(error)
    assert (again.message, again.origin, again.remedy) == (error.message, error.origin, error.remedy)


def test_real_errors_pickle() -> None:
    error = refuse(OutputError, lambda: sg.grad(pair)(2.0))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_errors_can_be_caught_as_usual() -> None:
    assert issubclass(InputError, TypeError) and issubclass(OutputError, ValueError)
    assert all(issubclass(kind, SourcegradError) for kind in (InputError, OutputError, SourceError, MissingRuleError))


# --- what an error leaves behind

def test_usable_after_an_error() -> None:
    gradient = sg.grad(f)
    for wrong in (np.arange(3), "abc", None, True):
        refuse(InputError, lambda wrong=wrong: gradient(wrong))
    refuse(InputError, lambda: gradient(V, wrong=1))
    assert np.array_equal(gradient(V, 3.0), [3.0, 3.0, 3.0])


def test_usable_after_a_wrong_output() -> None:
    gradient = sg.grad(square)
    refuse(OutputError, lambda: gradient(V))
    refuse(OutputError, lambda: gradient(V, grad_outputs=np.ones(4)))
    assert gradient(3.0) == 6.0
    assert np.array_equal(gradient(V, grad_outputs=np.ones(3)), 2.0 * V)
    refuse(OutputError, lambda: gradient(V))


def test_usable_after_an_error_in_the_program() -> None:
    gradient = sg.grad(lambda x, w: np.sum(x @ w))
    with pytest.raises(ValueError):
        gradient(V, np.ones(2))
    assert np.array_equal(gradient(V, np.ones(3)), np.ones(3))


def test_name_defined_after_the_error(tmp_path) -> None:
    module = load(tmp_path, "def f(x):\n    return g(x) * x\n")
    gradient = sg.grad(module.f)
    error = refuse(UnsupportedError, lambda: gradient(3.0))
    assert (error.origin.line, error.origin.column) == (2, 12) and "name 'g' is not defined" in error.message
    module.g = square
    assert gradient(3.0) == 27.0


def test_refused_callee_replaced(tmp_path) -> None:
    module = load(tmp_path, "def g(x):\n    with x:\n        return x\ndef f(x):\n    return g(x) * x\n")
    gradient = sg.grad(module.f)
    refuse(UnsupportedError, lambda: gradient(3.0))
    module.g = square
    assert gradient(3.0) == 27.0


def test_arguments_stay_after_an_error(tmp_path) -> None:
    text = "import numpy as np\ndef f(x, xs):\n    xs[0] = 1.0\n    x *= eval('x')\n    return np.sum(x)\n"
    module = load(tmp_path, text)
    x, xs = V.copy(), [2.0]
    refuse(UnsupportedError, lambda: sg.grad(module.f)(x, xs))
    assert np.array_equal(x, V) and xs == [2.0]


def test_decorated_function_still_runs() -> None:
    decorated = sg.differentiable(f)
    assert decorated(V, y=2.0, scale=0.5) == f(V, 2.0, scale=0.5)
    assert decorated.__name__ == "f"


def test_source_of_a_refused_program_is_refused_too(tmp_path) -> None:
    text = "def f(x):\n    exec('y = x')\n    return x\n"
    error, _ = refused(tmp_path, text, lambda m: sg.source(m.f))
    assert (error.origin.line, error.origin.column) == (2, 5)


@pytest.mark.parametrize("options, message", [({"stage": "nonsense"}, "there is no stage 'nonsense'"),
                                              ({"mode": "sideways"}, "mode 'sideways' is not known"),
                                              ({"inputs": "z"}, "there is no parameter 'z'"),
                                              ({"order": 0}, "order"), ({"at": {"z": 1.0}}, "'z'")])
def test_wrong_options_of_source(options, message: str) -> None:
    assert message in str(refuse(SourcegradError, lambda: sg.source(square, **options)))
