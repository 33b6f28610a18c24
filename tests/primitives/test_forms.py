"""Forms in which programs call NumPy and scipy.linalg: the gradient of each against differences, the tangent against the gradient.

A run tries some of each group, others in every run (SOURCEGRAD_RUN repeats it); SOURCEGRAD_GRID=all tries all.
"""
from __future__ import annotations

import importlib.util
import os
import random
import zlib

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.errors import UnsupportedError
from tests.primitives.forms import FORMS, REFUSED, VALUES, arguments

ALL = os.environ.get("SOURCEGRAD_GRID") == "all"
SOME = 4                                # of each group, in one run
HEADER = "import cmath, operator, statistics\nimport numpy as np\n"
OF_SCIPY = {"scipy.linalg": "scipy.linalg", "refused": "scipy.linalg"}
pytestmark = pytest.mark.filterwarnings("ignore")


def tried(group: str) -> list[str]:
    forms = FORMS[group]
    seed = int(os.environ["SOURCEGRAD_RUN"]) ^ zlib.crc32(group.encode())
    return forms if ALL else random.Random(seed).sample(forms, min(SOME, len(forms)))


def functions(texts: list[str], path, scipy: bool) -> list:
    """A function of a module of its own for each form."""
    lines = [HEADER + ("import scipy.linalg\n" if scipy else "")]
    for k, text in enumerate(texts):
        lines.append(f"\ndef f{k}({', '.join(arguments(text))}):\n    return {text}\n")
    file = path / f"forms_{zlib.crc32(''.join(lines).encode())}.py"
    file.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [getattr(module, f"f{k}") for k in range(len(texts))]


def given(text: str) -> list:
    return [np.copy(VALUES[name]) if isinstance(VALUES[name], np.ndarray) else VALUES[name] for name in arguments(text)]


def tangent_is_right(function, values: list) -> bool:
    """The tangent along a direction against a difference of values."""
    dots = [np.cos(np.arange(np.size(v)) + 1.0).reshape(np.shape(v)) if np.ndim(v) else 0.7 for v in values]
    _, dot = sg.jvp(function, tuple(values), tuple(dots))
    after, before = (np.asarray(function(*(v + h * d for v, d in zip(values, dots)))) for h in (1e-6, -1e-6))
    return np.allclose(np.asarray(dot), (after - before) / 2e-6, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("group", FORMS)
def test_forms(group: str, tmp_path) -> None:
    if group in OF_SCIPY:
        pytest.importorskip(OF_SCIPY[group])
    texts, wrong = tried(group), []
    for text, function in zip(texts, functions(texts, tmp_path, group in OF_SCIPY)):
        try:
            with np.errstate(all="ignore"):
                sg.check_grad(function, *given(text), inputs=tuple(arguments(text)))
                if not tangent_is_right(function, given(text)):
                    wrong.append(f"{text}: the tangent")
        except Exception as problem:
            wrong.append(f"{text}: {type(problem).__name__} {str(problem)[:300]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("text", REFUSED)
def test_refused_with_advice(text: str, tmp_path) -> None:
    pytest.importorskip("scipy.linalg")
    function = functions([text], tmp_path, True)[0]
    with pytest.raises(UnsupportedError) as caught:
        sg.grad(function, inputs=tuple(arguments(text)), grad_outputs=1.0)(*given(text))
    assert REFUSED[text] in str(caught.value), str(caught.value)
