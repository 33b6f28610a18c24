"""The text of a Tensor, as PyTorch prints it: four digits, columns aligned."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sourcegrad.tensor.core import Tensor, get_default_dtype

PRECISION, THRESHOLD, EDGE, WIDTH = 4, 1000, 3, 80


class _Numbers:
    """How the numbers of one Tensor are written."""

    def __init__(self, data: np.ndarray) -> None:
        self.integer = data.dtype.kind in "biu"
        self.whole = self.scientific = False
        self.width = 1
        if self.integer:
            self.width = max([len(self.text(x)) for x in data.reshape(-1)], default=1)
            return
        good = np.abs(data[np.isfinite(data) & (data != 0)]).astype(np.float64)
        if good.size:
            largest, smallest = float(good.max()), float(good.min())
            self.whole = bool(np.all(good == np.ceil(good)))
            wide = largest / smallest > 1000 or largest > 1e8
            self.scientific = wide or not self.whole and smallest < 1e-4
        elif data.size:
            self.whole = True
        shown_ones = data[np.isfinite(data) & (data != 0)]
        self.width = max([len(self.text(x)) for x in shown_ones], default=2 if self.whole else 1)

    def text(self, x: Any) -> str:
        if self.integer:
            return str(bool(x)) if isinstance(x, (bool, np.bool_)) else str(int(x))
        x = float(x)
        if self.scientific:
            return f"{x:.{PRECISION}e}"
        if not math.isfinite(x):
            return str(x)
        return f"{x:.0f}." if self.whole else f"{x:.{PRECISION}f}"

    def padded(self, x: Any) -> str:
        return self.text(x).rjust(self.width)


class _Complex:
    def __init__(self, data: np.ndarray) -> None:
        self.real, self.imag = _Numbers(data.real), _Numbers(np.abs(data.imag))

    def padded(self, x: Any) -> str:
        sign = "-" if x.imag < 0 or str(x.imag).startswith("-") else "+"
        return f"{self.real.padded(x.real)}{sign}{self.imag.text(abs(x.imag))}j"


def _lines(data: np.ndarray, indent: int, numbers: Any, summary: bool) -> str:
    if data.ndim == 0:
        return numbers.padded(data[()])
    n = len(data)
    shortened = summary and n > 2 * EDGE
    if data.ndim == 1:
        width = (numbers.width if isinstance(numbers, _Numbers) else numbers.real.width + numbers.imag.width + 2) + 2
        a_line = max(1, (WIDTH - indent) // width)
        parts = (
            [numbers.padded(x) for x in data[:EDGE]] + [" ..."] + [numbers.padded(x) for x in data[-EDGE:]]
            if shortened
            else [numbers.padded(x) for x in data]
        )
        lines = [", ".join(parts[start : start + a_line]) for start in range(0, len(parts), a_line)] or [""]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    rows = (
        [_lines(row, indent + 1, numbers, summary) for row in (*data[:EDGE], *data[-EDGE:])]
        if shortened
        else [_lines(row, indent + 1, numbers, summary) for row in data]
    )
    if shortened:
        rows.insert(EDGE, "...")
    return "[" + ("," + "\n" * (data.ndim - 1) + " " * (indent + 1)).join(rows) + "]"


def _numbers_shown(data: np.ndarray) -> np.ndarray:
    """The elements that are printed of a long array: the edges."""
    for dimension, n in enumerate(data.shape):
        if n > 2 * EDGE:
            data = np.take(data, [*range(EDGE), *range(n - EDGE, n)], dimension)
    return data


def body(data: np.ndarray, indent: int) -> str:
    """The numbers of an array in brackets."""
    if data.size == 0:
        return "[" * max(data.ndim, 1) + "]" * max(data.ndim, 1) if data.ndim == 1 else "[]"
    summary = data.size > THRESHOLD
    shown_part = _numbers_shown(data) if summary else data
    numbers: Any = _Complex(shown_part) if data.dtype.kind == "c" else _Numbers(shown_part)
    return _lines(data, indent, numbers, summary)


def shown(tensor: Tensor) -> str:
    """`tensor([...], grad_fn=<MulBackward0>)`."""
    data = tensor._data
    prefix = "Parameter containing:\ntensor(" if type(tensor).__name__ == "Parameter" else "tensor("
    suffixes = []
    usual = {
        "f": get_default_dtype(),
        "c": np.dtype("complex64" if get_default_dtype() == np.float32 else "complex128"),
        "i": np.dtype("int64"),
        "b": np.dtype(bool),
    }.get(data.dtype.kind)
    if data.size == 0 and data.ndim != 1:
        suffixes.append(f"size={tuple(data.shape)}")
    if data.dtype != usual:
        suffixes.append(f"dtype=sg.{data.dtype.name}")
    node = tensor.grad_fn
    if node is not None:
        suffixes.append(f"grad_fn=<{node.name()}>")
    elif tensor._rg:
        suffixes.append("requires_grad=True")
    text = body(data, len("tensor("))
    last = len(text) - text.rfind("\n") - 1 if "\n" in text else len("tensor(") + len(text)
    for suffix in suffixes:
        if last + len(suffix) + 2 > WIDTH:
            text += ",\n" + " " * len("tensor(") + suffix
            last = len("tensor(") + len(suffix)
        else:
            text += ", " + suffix
            last += len(suffix) + 2
    return f"{prefix}{text})"
