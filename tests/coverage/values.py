"""The values of the forms, and the functions that are made of them: a form is statements, and at the end an expression."""
from __future__ import annotations

import ast
import importlib.util
import zlib
from pathlib import Path
from typing import Any

import numpy as np

A = np.array([[2.0, 0.3, -0.4], [0.5, 1.8, 0.2], [-0.3, 0.6, 2.4]])
VALUES: dict[str, Any] = {
    "x": np.array([1.3, -0.7, 0.4, 2.1, -1.6]), "p": np.array([1.25, 0.72, 0.45, 2.15, 1.55]),
    "y": np.array([0.2, 1.1, -0.9, 0.6, 1.75]),
    "u": np.array([0.55, -0.3, 0.15, -0.8, 0.7]), "w": np.array([0.25, 0.6, 0.1, 0.83, 0.45]), "s": 1.7,
    "A": A, "B": np.array([[1.0, -0.5], [0.3, 2.0], [-1.1, 0.7]]), "S": A @ A.T,
    "M": np.array([[2.04, -2.56, 0.42, -0.57], [-0.45, -0.22, -2.02, -0.23], [-0.86, 3.32, 0.23, -0.35]]),
    "T": np.sin(np.arange(24.0) ** 1.3).reshape(2, 3, 4) * 2.0}
HEADER = "import math\nimport numpy as np\n"
SCIPY = """import scipy
from scipy import fft, fftpack, integrate, interpolate, linalg, ndimage, optimize, signal, sparse, spatial, special, stats
import scipy.linalg.blas, scipy.linalg.lapack, scipy.sparse.linalg, scipy.spatial.distance
from scipy.spatial.transform import Rotation
"""


def lines(form: str) -> list[str]:
    return [line.strip() for line in form.replace("; ", "\n").split("\n")]


def arguments(form: str) -> list[str]:
    """The values that a form reads."""
    bound: set[str] = set()
    read: set[str] = set()
    for node in ast.walk(ast.parse("\n".join(lines(form)))):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return [name for name in VALUES if name in read - bound]


def functions(forms: list[str], path: Path, scipy: bool) -> list:
    """A function for each form, of a module of their own."""
    text = [HEADER + (SCIPY if scipy else "")]
    for k, form in enumerate(forms):
        *before, result = lines(form)
        body = "".join(f"    {line}\n" for line in before)
        text.append(f"\ndef f{k}({', '.join(arguments(form))}):\n{body}    return {result}\n")
    module = module_of(text, path)
    return [getattr(module, f"f{k}") for k in range(len(forms))]


def module_of(text: list[str], path: Path) -> Any:
    """A module of this text, which it reads from a file."""
    file = path / f"forms_{zlib.crc32(''.join(text).encode())}.py"
    file.write_text("\n".join(text))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def given(form: str) -> list[Any]:
    return [np.copy(VALUES[name]) if isinstance(VALUES[name], np.ndarray) else VALUES[name] for name in arguments(form)]
