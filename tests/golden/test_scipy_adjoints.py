"""What `python -m benchmarks --scipy` measures: every function that has a rule, with right pullbacks, in a table."""
from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

pytest.importorskip("scipy")
from scipy import interpolate, ndimage, signal, sparse
from scipy.sparse import linalg

import sourcegrad as sg
from benchmarks import scipy_adjoints, scipy_cases
from benchmarks.__main__ import main
from sourcegrad import primitives
from sourcegrad.primitives.core import PRIMITIVES, RULES

primitives.with_scipy()
SPACES = {"ndimage": ndimage, "signal": signal, "interpolate": interpolate, "sparse": sparse, "sparse.linalg": linalg}
NO_TIME = {"signal.freqz", "signal.lfilter_zi", "signal.sosfilt_zi",               # of few coefficients
           "sparse.issparse", "sparse.isspmatrix"}                                 # that only ask what an argument is
CASES = {adjoint.name: adjoint for adjoint in scipy_cases.cases("tiny")}


def test_every_rule_has_a_case() -> None:
    known = {function for function, primitive in PRIMITIVES.items() if primitive.instead is not None} | set(RULES)
    named = {f"{space}.{name}" for space, module in SPACES.items() for name in dir(module)
             if not name.startswith("_") and callable(function := getattr(module, name)) and function in known}
    covered = {f"{name.split('.')[0]}.{function}" for name, adjoint in CASES.items() for function in adjoint.covers}
    assert named - covered - NO_TIME == set()
    assert len(named) > 100 and not NO_TIME - named


@pytest.mark.parametrize("name", CASES)
def test_pullback_is_right(name: str) -> None:
    adjoint = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, pullback = sg.vjp(adjoint.function, *adjoint.args)
        ct = np.random.default_rng(2).standard_normal(np.shape(value))
        gradients = pullback(ct)
        assert scipy_adjoints.wrong_by(adjoint, ct, gradients) < 1e-4
        assert scipy_adjoints.wrong_by(adjoint, ct, tuple(1.01 * np.asarray(part) for part in gradients)) > 1e-4


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("--scipy --size tiny --only ndimage.laplace --only ndimage.zoom".split()) == 0
    first, *rows, means = re.split(r"\n\n|(?<=\n)(?=adjoint of)", capsys.readouterr().out.strip())
    assert first.startswith("commit ")
    heads, *lines = (re.split(r"  +", line) for line in rows[0].splitlines())
    assert heads == ["adjoint of", "function ms", "reverse", "gradient", "memory"]
    assert [line[0] for line in lines] == ["ndimage.laplace", "ndimage.zoom larger", "ndimage.zoom smaller"]
    assert all(float(cell) > 0.0 for line in lines for cell in line[1:5])
    heads, *found = (re.split(r"  +", line) for line in means.splitlines())
    assert heads == ["of 3", "mean", "worst", "over 3"] and [line[0] for line in found] == ["reverse", "gradient", "memory"]
    for column, line in enumerate(found, 2):
        figures = [float(cells[column]) for cells in lines]
        assert float(line[2]) == max(figures) and min(figures) <= float(line[1]) <= max(figures)
        assert int(line[3]) == sum(line[0] in " ".join(cells[5:]).split() for cells in lines)


def test_a_wrong_adjoint_is_an_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scipy_adjoints, "wrong_by", lambda *args: 0.5)
    assert main("--scipy --size tiny --only ndimage.laplace".split()) == 1
    assert "error: ndimage.laplace: WRONG by 5.0e-01" in capsys.readouterr().err
