"""Blocks of the documents that are generated: a marker `<!-- KIND: NAME -->` before a fenced block says what is in it.

stage: the walkthrough function after a stage of the pipeline; diff: what that stage changes; result: the emitted
module of the walkthrough; function: a user's function; emitted: its gradient (a golden text).
"""
from __future__ import annotations

import difflib
import functools
import inspect
import re
from pathlib import Path

import numpy as np

import sourcegrad as sg
from sourcegrad.compiler.passes import Trace
from tests.golden.cases import BY_NAME
from tests.golden.walkthrough import settle

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "docs" / "how-it-works.md", ROOT / "docs" / "emitted.md", ROOT / "docs" / "mutation.md"]
BLOCK = re.compile(r"(<!-- (\w+): (\w+) -->\n```\w+\n)(.*?)(^```$)", re.M | re.S)
EXAMPLE = {"x": np.ones(3), "rate": 0.1, "steps": 4}
INPUTS = ("x", "rate")


class Stages(Trace):
    """The stages of one function only, whatever else is generated on the way."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    @property
    def found(self) -> dict[str, str]:
        return {stage: next(text for function, text in texts if function.name == self.name)
                for stage, texts in self.texts.items() if any(function.name == self.name for function, _ in texts)}


@functools.cache
def stages() -> dict[str, str]:
    """The text of the walkthrough function after every stage, in order."""
    trace = Stages("settle")
    gradient = sg.grad(settle, INPUTS)
    known = {name: sg.kinds.kind_of(value, name, {}) for name, value in EXAMPLE.items()}
    gradient._specialise(known, False, trace)
    return trace.found


def difference(stage: str) -> str:
    texts = stages()
    names = list(texts)
    before = names[names.index(stage) - 1]
    lines = difflib.unified_diff(texts[before].splitlines(), texts[stage].splitlines(), lineterm="", n=1)
    hunks = ["..." if line.startswith("@@") else line for line in list(lines)[2:]]
    return "\n".join(hunks[1:]) + "\n"


def content(kind: str, name: str) -> str:
    """What belongs into a block."""
    if kind == "stage":
        return stages()[name]
    if kind == "diff":
        return difference(name)
    if kind == "result":
        return sg.source(settle, inputs=INPUTS, at=EXAMPLE)
    if kind == "function":
        return inspect.getsource(settle if name == "settle" else BY_NAME[name].function)
    assert kind == "emitted", f"a block of unknown kind {kind!r}"
    return BY_NAME[name].text()


def refreshed(text: str) -> str:
    """A document with what its blocks should hold now."""
    return BLOCK.sub(lambda m: m[1] + content(m[2], m[3]).strip("\n") + "\n" + m[5], text)
