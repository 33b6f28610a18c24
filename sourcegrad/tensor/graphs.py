"""The graph of a Tensor as a picture: Graphviz and Mermaid text, and SVG where Graphviz is installed."""

from __future__ import annotations

import html
import shutil
import subprocess
from typing import Any

from sourcegrad.tensor.core import Tensor
from sourcegrad.tensor.errors import refuse, refuse_type
from sourcegrad.tensor.node import AccumulateGrad, Node


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
