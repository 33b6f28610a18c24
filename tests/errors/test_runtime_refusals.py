"""What a derivative rule does not cover: refused at generation where the argument is static, else located at run time."""
from __future__ import annotations

import ast
import gc
import linecache

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api.inline_cache import generated_code
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source
from tests.errors.modules import load
from tests.golden.cases import BY_NAME

M = np.array([[3.0, 0.5], [-0.4, 2.0]])

STATIC = {      # the expression, what is said, what to write instead
    "np.sum(np.pad(x, 1, constant_values=x[:, :1]))": ("constant_values", "with a number each"),
}
AT_RUN_TIME = {
    "np.sum(np.ravel(C, order='K') * np.ravel(np.transpose(x[None] * C, (2, 0, 1)), order='K'))":
        ("order='K' of an array", "order='C'"),
    "np.sum(np.linalg.svd(x[:1], full_matrices=True)[2])": ("beyond min(m, n)", "full_matrices=False"),
    "np.sum(np.linalg.lstsq(x, x, rcond=None)[3])": ("np.linalg.lstsq", "compute_uv=False"),
}
TEXT = """import numpy as np

C = np.ones((2, 2, 2))
def g(x, k):
    y = 2.0 * x
    return 3.0 * EXPRESSION
def f(x, k=1.0):
    return g(x * x, k)
"""


def refuse(folder, expression: str, call) -> tuple[UnsupportedError, str]:
    module = load(folder, TEXT.replace("EXPRESSION", expression))
    with pytest.raises(UnsupportedError) as caught:
        call(module.f)
    return caught.value, module.__file__


def check(error: UnsupportedError, file: str, expression: str, message: str, advice: str) -> None:
    assert message in error.message and advice in error.remedy
    assert (error.origin.file, error.origin.line, error.origin.text) == (file, 6, f"    return 3.0 * {expression}")
    assert [(c.file, c.line) for c in error.callers] == [(file, 8)]
    assert f"called at {file}:8:" in str(error) and "return g(x * x, k)" in str(error)


@pytest.mark.parametrize("expression", STATIC)
def test_static(tmp_path, expression: str) -> None:
    """Refused before anything runs."""
    error, file = refuse(tmp_path, expression, lambda f: sg.source(f, at={"x": M}))
    check(error, file, expression, *STATIC[expression])
    assert error.origin.column > 12


@pytest.mark.parametrize("how", ["grad", "vjp"])
@pytest.mark.parametrize("expression", AT_RUN_TIME)
def test_at_run_time(tmp_path, expression: str, how: str) -> None:
    calls = {"grad": lambda f: sg.grad(f)(M, [0.2, 0.4]), "vjp": lambda f: sg.vjp(f, M, [0.2, 0.4], inputs="x")[1](1.0)}
    error, file = refuse(tmp_path, expression, calls[how])
    check(error, file, expression, *AT_RUN_TIME[expression])


def test_the_line_of_a_loop(tmp_path) -> None:
    module = load(tmp_path, "import numpy as np\ndef f(x):\n    s = 1.0\n    for i in range(3):\n        if i > 1:\n"
                            "            s = s + 2.0\n        else:\n"
                            "            s = s * np.sum(np.linalg.lstsq(x, x, rcond=None)[3])\n    return s\n")
    with pytest.raises(UnsupportedError) as caught:
        sg.grad(module.f)(M)
    assert caught.value.origin.line == 8 and caught.value.callers == ()


@pytest.mark.parametrize("name", BY_NAME)
def test_every_generated_line_has_an_origin(name: str) -> None:
    """The map from lines to the user's lines is right: the comments say the same."""
    case = BY_NAME[name]
    generated_code(case.function).clear()                   # it is generated here, also where another test has done so
    before = set(source._generated)
    gc.collect()
    gc.disable()                                            # what is generated goes with the garbage
    try:
        case.text()
        check_lines(set(source._generated) - before)
    finally:
        gc.enable()


def check_lines(files: set[str]) -> None:
    """The lines of generated functions have the origins that the comments tell."""
    assert files
    for file in files:
        text, origins = source._generated[file]
        function = ast.parse(text).body[-1]
        lines = {node.lineno for node in ast.walk(function) if isinstance(node, ast.stmt)} - {function.lineno}
        assert len(lines) == len(origins) and all(source._origin_in(file, line) for line in lines)
        whole = [*linecache.getlines(file), ""]
        for number, line in enumerate(whole[:-1], 1):
            if line.strip().startswith("# ") and ":" in line and not whole[number].strip().startswith("# "):
                place, said = line.strip()[2:].split("  ", 1)
                origin = source._origin_in(file, number + 1)
                assert origin.text.strip().startswith(said.removesuffix("...").rstrip()) and place.endswith(f":{origin.line}")


KEYS = """import numpy as np

def f(x):
    found = {}
    for pair in [("a", x[0, 0]), (KEY, x[1, 0])]:
        found[pair[0]] = pair[1] ** 2
    return sum(found.values())
"""


def test_key_that_is_a_number(tmp_path) -> None:
    """What is stored under a number that depends on the inputs moves when they change: seen when the code runs."""
    module = load(tmp_path, KEYS.replace("KEY", "x[0, 1]"))
    with pytest.raises(UnsupportedError, match="a key that may depend on the inputs") as caught:
        sg.grad(module.f)(M)
    assert (caught.value.origin.file, caught.value.origin.line) == (module.__file__, 6)
    assert "constants" in caught.value.remedy


@pytest.mark.parametrize("key", ["'b'", "('b', 2)", "7"])
def test_key_of_unknown_kind_is_accepted(tmp_path, key: str) -> None:
    module = load(tmp_path, KEYS.replace("KEY", key))
    np.testing.assert_allclose(sg.grad(module.f)(M), [[2.0 * M[0, 0], 0.0], [2.0 * M[1, 0], 0.0]])


CARRIED = """class Found(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value

def value_of(error):
    return error.value

def f(x):
    found = None
    try:
        if x[0, 0] > 0:
            raise Found(x[1, 1] ** 2)
    except Found as error:
        found = error
    return x[0, 1] if found is None else x[0, 1] * READ
"""


@pytest.mark.parametrize("read", ["found.value", "found.args[0]", "getattr(found, 'value')", "value_of(found)"])
def test_number_that_an_exception_carries(tmp_path, read: str) -> None:
    """Its derivative would be lost."""
    module = load(tmp_path, CARRIED.replace("READ", read))
    with pytest.raises(UnsupportedError, match="a number that an exception carries") as caught:
        sg.grad(module.f)(M)
    assert (caught.value.origin.file, caught.value.origin.line) == (module.__file__, 7 if "_of" in read else 16)
    assert "before the `raise`" in caught.value.remedy
