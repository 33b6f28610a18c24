"""`sourcegrad rules` lists what differentiates; each name that it lists can be asked for, and `show` shows it."""
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg, special

import sourcegrad as sg
from sourcegrad import cli
from sourcegrad.cli.commands import in_python, primitive_name, rule_of
from sourcegrad.primitives.core import PRIMITIVES, RULES, ZERO_DERIVATIVE, of_user
from tests.docs.functions import DOCUMENT, listed

GROUPS = listed()
NAMES = [(title, module, name) for title, module, names in GROUPS for name in names]
ASKED = [f"{module}.{name}" if not module.startswith("methods") else name for _, module, name in NAMES]


def test_everything_is_listed():
    known = {f"{module}.{name}" for _, module, name in NAMES} | {name for _, _, name in NAMES}
    for primitive in (*RULES, *ZERO_DERIVATIVE, *(f for f in PRIMITIVES if PRIMITIVES[f].instead is not None)):
        if (getattr(primitive, "__module__", None) or "").startswith("scipy._lib"):          # what SciPy asks about array libraries
            continue
        if getattr(primitive, "__code__", None) and Path(primitive.__code__.co_filename).name == "executed.py":  # of other tests
            continue
        assert primitive_name(primitive) in known or of_user(primitive) or primitive_name(primitive).startswith("sourcegrad.")
    assert {"scipy.special.erf", "scipy.special.logsumexp", "scipy.linalg.solve", "numpy.corrcoef", "statistics.stdev",
            "heapq.heappush",
            "itertools.accumulate", "numpy.random.normal", "numpy.random.Generator.normal", "cmath.polar"} <= known
    assert not [name for name in known if "._" in name]


@pytest.mark.parametrize("part", range(8))
def test_each_can_be_asked_for(part, capsys):
    for name in ASKED[part::8]:
        assert cli.main(["rules", name]) == 0, name
        out = capsys.readouterr().out
        assert "derivative zero" in out or "# samples:" in out or "is differentiated as\n" in out and "def " in out, name


def test_the_page_lists_them():
    text = DOCUMENT.read_text(encoding="utf-8")
    missing = [(module, name) for _, module, name in NAMES if f"`{name}`" not in text]
    old = {"row_stack", "in1d", "trapz", "cumproduct", "round_", "bool_", "core.normalize_axis_index",
           "core.numeric.normalize_axis_tuple"}
    assert {name for _, name in missing} <= old, missing                    # (names that NumPy 2 has no more)


@pytest.mark.parametrize("function", ["sin", "add", "sum", "linalg.inv", "corrcoef", "polyval", "argmax", "histogram", "fft.rfft2"])
def test_show_of_a_function_of_numpy(function, capsys):
    assert cli.main(["show", f"numpy:{function}"]) == 0
    out = capsys.readouterr().out
    assert "def " in out or "derivative zero" in out


@pytest.mark.parametrize("target", ["scipy.special:erf", "scipy.special:logsumexp", "scipy.linalg:inv", "scipy.linalg:norm",
                                    "math:sin", "math:floor", "itertools:groupby", "statistics:stdev",
                                    "heapq:nlargest", "cmath:rect", "operator:mul",
                                    "builtins:abs", "builtins:len"])
def test_show_of_other_functions_with_a_rule(target, capsys):
    assert cli.main(["show", target]) == 0
    out = capsys.readouterr().out
    assert "def " in out or "derivative zero" in out


def test_show_of_a_function_that_the_user_gave_a_rule(tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text("import sourcegrad as sg, zlib\n@sg.rule(zlib.crc32)\ndef crc(ct, out, data):\n    return 2.0 * ct\n"
                    "def cube(x):\n    return x ** 3\n@sg.rule(cube)\ndef rule(ct, out, x):\n    return 3.0 * ct * x ** 2\n")
    try:
        assert cli.main(["show", f"{path}:cube"]) == 0
        assert "3.0 * ct" in capsys.readouterr().out
        assert cli.main(["show", f"{path}:zlib.crc32"]) == 0
        assert "2.0 * ct" in capsys.readouterr().out
    finally:
        for function in [f for f in RULES if primitive_name(f).endswith(("crc32", ".cube"))]:
            del RULES[function]


SAMPLES = {"corrcoef": lambda x: np.corrcoef(x, x ** 2)[0, 1], "polyval": lambda x: np.polyval(x, 0.5),
           "gradient": lambda x: np.sum(np.gradient(x ** 2) ** 2), "erf": lambda x: np.sum(special.erf(x)),
           "inv": lambda x: np.sum(linalg.inv(np.diag(x) + 0.1)), "logsumexp": lambda x: special.logsumexp(x),
           "math": lambda x: math.erf(x[0]) * math.hypot(x[1], x[2])}


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_listed_differentiates(name):
    sg.check_grad(SAMPLES[name], np.array([0.3, 1.2, 0.7]))


def test_no_rule():
    assert rule_of(lambda x: x) is None and in_python()
