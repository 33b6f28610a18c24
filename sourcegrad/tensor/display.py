"""Display: the text of a Tensor, as PyTorch prints it, and its graph as Graphviz or Mermaid text or, with Graphviz, SVG."""

from __future__ import annotations

import html
import math
import shutil
import subprocess
from typing import Any

import numpy as np

from sourcegrad.errors import refuse, refuse_type
from sourcegrad.tensor.core import Tensor, get_default_dtype
from sourcegrad.tensor.node import AccumulateGrad, Node

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
    usual = {"f": get_default_dtype(), "c": np.dtype("complex64" if get_default_dtype() == np.float32 else "complex128"),
             "i": np.dtype("int64"), "b": np.dtype(bool)}.get(data.dtype.kind)
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


class Graph:
    """The nodes that lead to a Tensor: `dot` and `mermaid` are text, `svg()` a picture; in a notebook it shows itself."""

    def __init__(self, tensor: Tensor) -> None:
        root = tensor.grad_fn
        if root is None:
            root = tensor._edge()[0] if tensor.requires_grad else None
        if root is None:
            refuse("the Tensor has no history: nothing that it was computed from requires a gradient")
        self.nodes: list[Node] = []
        self.edges: list[tuple[int, int]] = []
        numbers: dict[Node, int] = {}
        stack: list[Any] = [root]
        while stack:
            node = stack.pop()
            if node in numbers:
                continue
            numbers[node] = len(self.nodes)
            self.nodes.append(node)
            stack += [target for target, _ in node.targets[::-1]]
        for node in self.nodes:
            self.edges += [(numbers[target], numbers[node]) for target, _ in node.targets]

    def label(self, node: Node) -> str:
        if isinstance(node, AccumulateGrad):
            return f"leaf {tuple(node.variable.shape)}"
        return node.name()

    @property
    def dot(self) -> str:
        """The graph for Graphviz."""
        lines = ["digraph {", "    rankdir=TB; node [shape=box, fontname=monospace, fontsize=10];"]
        for number, node in enumerate(self.nodes):
            style = ', style=filled, fillcolor="#dbeafe"' if isinstance(node, AccumulateGrad) else ""
            lines.append(f'    n{number} [label="{self.label(node)}"{style}];')
        lines += [f"    n{start} -> n{end};" for start, end in self.edges]
        return "\n".join([*lines, "}"]) + "\n"

    @property
    def mermaid(self) -> str:
        """The graph for Mermaid."""
        lines = ["flowchart TD"]
        for number, node in enumerate(self.nodes):
            shape = f'(["{self.label(node)}"])' if isinstance(node, AccumulateGrad) else f'["{self.label(node)}"]'
            lines.append(f"    n{number}{shape}")
        lines += [f"    n{start} --> n{end}" for start, end in self.edges]
        return "\n".join(lines) + "\n"

    def svg(self) -> str:
        """A picture, drawn by Graphviz; RuntimeError if it is not installed."""
        if shutil.which("dot") is None:
            refuse("Graphviz is not installed: there is no program `dot`", "Install it, or use .dot or .mermaid, which are text.")
        done = subprocess.run(["dot", "-Tsvg"], input=self.dot, capture_output=True, text=True, check=True)
        return done.stdout[done.stdout.index("<svg") :]

    def _repr_html_(self) -> str:
        return self.svg() if shutil.which("dot") else f"<pre>{html.escape(self.mermaid)}</pre>"

    def __str__(self) -> str:
        return self.mermaid

    def __repr__(self) -> str:
        return f"<graph of {len(self.nodes)} nodes: .dot, .mermaid, .svg()>"


def graph(tensor: Tensor) -> Graph:
    """The graph of a Tensor.

    >>> import sourcegrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> print(sg.graph((x * x).sum()))
    flowchart TD
        n0["SumBackward0"]
        n1["MulBackward0"]
        n2(["leaf (2,)"])
        n1 --> n0
        n2 --> n1
        n2 --> n1
    <BLANKLINE>
    """
    if not isinstance(tensor, Tensor):
        refuse_type(f"graph() takes a Tensor, not a {type(tensor).__name__}")
    return Graph(tensor)
