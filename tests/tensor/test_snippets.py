"""Snippets that were run in PyTorch give the same here: values, gradients, flags, nodes, errors."""

import json
import warnings

import pytest

import sourcegrad as sg
from tests.tensor.snippets import all_snippets, expected, run, same

SNIPPETS = all_snippets()
EXPECTED = expected()
# where sourcegrad differs on purpose; `docs/torch.md` says why
DIFFERENT = {
    "autograd: gradient of pieces is a constant": "the gradients of max and clamp are recorded; at a bound clamp has derivative 1",
    "autograd: sigmoid saved result changed": "the backward of sigmoid does not need its result",
    "autograd: number zero to a negative Tensor": "0 ** x has derivative 0 where it is infinite, too",
    "hooks: hook of y and the gradient of y": "the gradient of y is before its hooks, whether or not others are asked for",
    "hooks: hook of a view and the change of the base": "a hook registered after the change sees the value after it",
    "dirty: dirty view second of the inputs": "all inputs get their gradient",
    "dirty: two dirty views": "PyTorch refuses two of them",
    "views: unbind and a change of the base": "the parts may be used; PyTorch refuses to",
    "views: in place of its own view": "the value before the change is what is added; PyTorch refuses memory that overlaps",
    "operator floordiv": "x // y has derivative zero; PyTorch records it and refuses backward",
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_as_in_pytorch(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = json.loads(json.dumps(run(SNIPPETS[name], sg)))
    if name in DIFFERENT:
        assert not same(got, EXPECTED[name]), f"{name} is the same now"
    else:
        assert same(got, EXPECTED[name]), f"{got}\nPyTorch: {EXPECTED[name]}"


def test_every_snippet_was_run_in_pytorch():
    assert SNIPPETS.keys() == EXPECTED.keys()


def test_pytorch_itself():
    """Where PyTorch is installed: what is expected is what it gives."""
    torch = pytest.importorskip("torch")
    torch.set_default_dtype(torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = [name for name, code in SNIPPETS.items() if not same(json.loads(json.dumps(run(code, torch))), EXPECTED[name])]
    assert not wrong


def test_a_wrong_result_is_noticed():
    assert not same([1.0, {"tensor": [1.0]}], [1.0, {"tensor": [1.001]}]) and not same([1.0], [1.0, 2.0])
    assert same([1.0], [1.0 + 1e-9]) and not same([True], [1.0])
