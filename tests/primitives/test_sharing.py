"""What the record of a primitive says (`primitives.core.Primitive`), proven on its samples: memory, order, realness."""
from __future__ import annotations

import copy
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.analysis.alias import may_share
from sourcegrad.cli.commands import primitive_name
from sourcegrad.primitives.core import PRIMITIVES, RULES, ZERO_DERIVATIVE, primitive_of
from tests.oracle.rules import draw, expand, leaves, seeded

ARRAYS = [np.arange(4), np.arange(4.0) + 1.0, np.ones((2, 2)), np.ones((1, 1)), np.ones(1), np.array(2.0), np.arange(3) + 1j,
          np.ones(3, bool), np.arange(4, dtype=np.float32), np.arange(12.0).reshape(3, 4).T, np.zeros(0)]

pytestmark = pytest.mark.filterwarnings("ignore")


def arrays(value: Any) -> list[np.ndarray]:
    return [leaf for _, leaf in leaves(value) if isinstance(leaf, np.ndarray)]


def shared(function: Any, args: Any, options: dict) -> bool:
    with np.errstate(all="ignore"):
        out = function(*args, **options)
    return any(np.shares_memory(a, b) for a in arrays(out) for b in arrays(args))


def test_results_of_samples_are_new() -> None:
    """Containers hold what they are given; only arrays are asked here."""
    found = []
    for primitive, rule in RULES.items():
        if isinstance(primitive, str) or may_share(primitive, NoArguments):
            continue
        for spec in rule.samples:
            for sample in expand(rule, spec):
                args = draw(sample.args, seeded(rule, sample), "float64")
                if all(isinstance(a, (np.ndarray, float)) for a in args) and shared(primitive, args, sample.options):
                    found.append(f"{primitive} {sample}")
    assert not found


def test_results_of_one_array_are_new() -> None:
    found = []
    for primitive in (*RULES, *ZERO_DERIVATIVE):
        if isinstance(primitive, str) or primitive is print or may_share(primitive, NoArguments):
            continue
        if hasattr(primitive, "__sourcegrad_executed__"):               # an expression of another test's program
            continue
        if str(getattr(primitive, "__module__", None)).startswith(("sourcegrad.", "scipy.sparse.")):     # they take other arguments
            continue
        for array in ARRAYS:
            if primitive in (np.fft.fftn, np.fft.ifftn) and not array.ndim:       # nobody transforms a number
                continue
            for options in ({}, {"axis": ()}, {"axis": 0}, {"keepdims": True}):
                try:
                    if shared(primitive, (array,), options):
                        found.append(f"{primitive} of {array.dtype} {array.shape} {options}")
                except Exception:
                    continue                                          # not a function of such an array
    assert not found


def sampled(primitive: Any) -> Iterator[tuple[list, dict]]:
    """Calls of a primitive: those of its samples, and those of one array that it takes."""
    rule = RULES.get(primitive)
    for spec in rule.samples if rule else ():
        for sample in expand(rule, spec):
            yield draw(sample.args, seeded(rule, sample), "float64"), sample.options
    if not str(getattr(primitive, "__module__", None)).startswith("sourcegrad."):
        yield from (([array], {}) for array in ARRAYS)


def results(primitive: Any) -> Iterator[tuple[list, dict, Any]]:
    """Arguments, options and result of the calls that are possible."""
    if isinstance(primitive, str):
        method = METHOD_TEXTS[primitive]
        yield from (([array], {}, method(array)) for array in ARRAYS)
        return
    for args, options in [*sampled(primitive), *CALLS.get(primitive, ())]:
        try:
            with np.errstate(all="ignore"):
                out = primitive(*args, **options)
        except Exception:                                             # not a function of such an array
            continue
        yield args, options, out


CALLS: dict[Any, list] = {           # of what takes one precision only, so that its rule has no samples
    sg.runtime.view_as: [([np.ones((2, 4)), np.complex128], {}), ([np.ones(3) * 1j, np.float64], {}),
                         ([np.ones(3), np.ndarray], {})]}
METHOD_TEXTS = {"method view": lambda x: x.view(), "attribute T": lambda x: x.T, "attribute real": lambda x: x.real,
                "attribute mT": lambda x: x.mT if x.ndim > 1 else x, "attribute imag": lambda x: x.imag,
                "method astype": lambda x: x.astype(float), "method flatten": lambda x: x.flatten(),
                "method item": lambda x: x.ravel()[0].item() if x.size else 0.0, "method tolist": lambda x: x.tolist()}
DECLARED = sorted(PRIMITIVES, key=primitive_name)


def declared(**properties: Any) -> list:
    return [f for f in DECLARED if all(getattr(primitive_of(f), name) == value for name, value in properties.items())]


def share(out: Any, args: Any) -> bool:
    return any(np.shares_memory(a, b) for a in arrays(out) for b in arrays(args))


@pytest.mark.parametrize("primitive", declared(result="view"), ids=primitive_name)
def test_views(primitive: Any) -> None:
    """Every array of the result is memory of an argument, where there are elements and an array was given."""
    tried = 0
    for args, options, out in results(primitive):
        for part in arrays(out):
            if part.size and any(a.size for a in arrays(args)):
                tried += 1
                assert share(part, args), f"{args} {options}"
    assert tried


SHARING = {reversed: lambda x: share(list(reversed([x])), [x]), sum: lambda x: share(sum([], x), [x]),
           copy.copy: lambda x: share(copy.copy([x]), [x]), np.conj: lambda x: share(x.conj(), [x])}   # the method


@pytest.mark.parametrize("primitive", [f for f in declared(result="may view")
                                       if not str(getattr(f, "__module__", None)).startswith("sourcegrad.")], ids=primitive_name)
def test_functions_that_may_give_views_do(primitive: Any) -> None:
    """A declaration that never holds would only make generated code slower."""
    assert primitive in SHARING and SHARING[primitive](ARRAYS[1]) or any(share(out, args) for args, _, out in results(primitive))


@pytest.mark.parametrize("primitive", declared(result="new"), ids=primitive_name)
def test_new(primitive: Any) -> None:
    assert not any(share(out, args) for args, _, out in results(primitive) if all(isinstance(a, (np.ndarray, float)) for a in args))


def made_of_complex(value: Any) -> bool:
    return any(np.iscomplexobj(leaf) for _, leaf in leaves(value))


@pytest.mark.parametrize("primitive", declared(real="kept") + declared(real="always"), ids=primitive_name)
def test_real(primitive: Any) -> None:
    for args, options, out in results(primitive):
        if "dtype" in options:
            continue                                                  # asks for it
        if primitive_of(primitive).real == "always" or not made_of_complex([args, list(options.values())]):
            assert not made_of_complex(out) and "complex" not in str(getattr(out, "dtype", "")), f"{args} {options}"


def in_order(value: Any) -> bool:
    return all(a.flags.c_contiguous or a.ndim < 2 or not a.size for a in arrays(value))


ALL = sorted({*RULES, *ZERO_DERIVATIVE}, key=primitive_name)
NOT_ASKED = {print, input, breakpoint, open}


@pytest.mark.parametrize("part", range(8))
def test_order_in_memory(part: int) -> None:
    """Of arrays that lie row by row, new arrays do, too, unless it is declared otherwise: a reshape of them is a view."""
    found = []
    for primitive in ALL[part::8]:
        if primitive in NOT_ASKED or not callable(primitive) or primitive_of(primitive).order == "other":
            continue
        for args, options, out in results(primitive):
            ordered = in_order(args) and not {"F", "A"} & {x for x in (*args, *options.values()) if isinstance(x, str)}
            if ordered and not in_order([a for a in arrays(out) if not share(a, args)]):
                found.append(f"{primitive} {[np.shape(a) for a in arrays(args)]} {options}")
    assert not found


class NoArguments:
    """A call without any argument that decides whether the result is new."""

    args = ()
    keywords = ()


def scaled_eigenvectors(x):
    _, v = np.linalg.eig(x)
    b = np.ravel(v)                                                   # a copy: eigenvectors lie column by column
    b *= 2.0
    return np.sum(np.abs(v) ** 2 * x) + np.sum(np.abs(b) ** 2 * np.ravel(x))


def test_ravelled_eigenvectors_are_a_copy() -> None:
    off = 0.3 * np.array([[0.0, 1.0, 2.0], [0.5, 0.0, 1.0], [2.0, 0.3, 0.0]])
    sg.check_grad(scaled_eigenvectors, np.diag([1.0, 2.0, 4.0]) + off)


def test_the_worked_example_of_the_documentation(tmp_path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8").partition("## A new function")[2]
    example = tmp_path / "example.py"
    example.write_text(page.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    before = dict(RULES), dict(PRIMITIVES)
    try:
        runpy.run_path(str(example))
    finally:
        for registered, saved in zip((RULES, PRIMITIVES), before):
            registered.clear()
            registered.update(saved)
