"""result_types: kinds of what functions of NumPy give, and of indexed arrays."""
import gast
import numpy as np
import pytest

from sourcegrad import kinds as k
from sourcegrad.analysis.result_types import Carried, is_real, may_be_complex, result_kind, unordered
from sourcegrad.ir import tree as t
from tests.passes.facts import spelled, types_of

X = np.array([[0.5, -1.5, 2.0], [1.0, 2.0, 3.0]])


def indexed(x, i, mask, rows, n):
    row = x[0]
    negative = x[-1]
    element = x[0, 1]
    column = x[:, 0]
    part = x[1:]
    new = x[:, None]
    middle = x[..., None, 0]
    by_number = x[i]
    masked = x[mask]
    gathered = x[rows]
    both = x[rows, 0]
    every_other = x[:, ::2]
    backwards = x[::-1]
    return row


INDEXED = {
    "row": "float64[x.1]", "negative": "float64[x.1]", "element": "float64", "column": "float64[x.0]", "part": "float64[x.0-1,x.1]",
    "new": "float64[x.0,1,x.1]", "middle": "float64[x.0,1]", "by_number": "float64[x.1]", "masked": "float64[(?mask),x.1]",
    "gathered": "float64[rows.0,x.1]", "both": "float64[rows.0]", "every_other": "float64[x.0,(x.1/2)]",
    "backwards": "float64[x.0,x.1]"}


@pytest.mark.parametrize("name, kind", INDEXED.items())
def test_index(name, kind) -> None:
    facts = types_of(indexed, x=X, i=1, mask=np.array([True, False]), rows=np.array([1, 0, 1, 0]), n=2)
    assert spelled(facts.kinds[name]) == kind


def kind(value, name: str = "x"):
    return k.kind_of(value, name, {})


@pytest.mark.parametrize("function, parts, options, expected", [
    (np.sum, [X], {}, "float64"), (np.sum, [X], {"axis": 0}, "float64[x.1]"), (np.sum, [X], {"axis": -1}, "float64[x.0]"),
    (np.sum, [X], {"axis": 1, "keepdims": True}, "float64[x.0,1]"), (np.exp, [X.astype(np.float32)], {}, "float32[x.0,x.1]"),
    (np.exp, [np.array([1, 2])], {}, "float64[x.0]"), (np.transpose, [X], {}, "float64[x.1,x.0]"),
    (np.abs, [X + 1j], {}, "float64[x.0,x.1]"),
    (np.argmax, [X], {}, "int64"), (np.linalg.inv, [X @ X.T], {}, "float64[x.0,x.0]"), (np.sign, [X], {}, "float64[x.0,x.1]"),
    (np.expand_dims, [X, 0], {}, "float64[1,x.0,x.1]"), (np.ravel, [X], {}, "float64[?]"),
])
def test_functions(function, parts, options, expected) -> None:
    found = result_kind(function, [k.Const(part) if isinstance(part, int) else kind(part) for part in parts],
                        {name: k.Const(value) for name, value in options.items()})
    assert spelled(found) == expected


def test_of_other_functions_nothing_is_known() -> None:
    assert result_kind(test_index, [kind(X)], {}) is k.ANY


def test_realness() -> None:
    assert is_real(kind(X)) and not is_real(kind(X + 1j)) and may_be_complex(kind(X + 1j)) and not may_be_complex(kind(X))
    assert may_be_complex(k.ANY) and not is_real(k.ANY) and may_be_complex(k.Tup((kind(X), kind(X + 1j))))


def test_layout() -> None:
    """Whether an array lies row by row tells what reshape gives: a view or a copy."""
    turned = result_kind(np.transpose, [kind(X)], {})
    assert unordered(turned) and not unordered(kind(X)) and unordered(result_kind(np.exp, [turned], {}))


def test_nodes_that_have_gone_are_not_taken_for_others():
    """What is known by the ids of nodes is known of these: a new node may get the id of one that is not there any more."""
    tree = gast.parse("for k in xs:\n    y = V[:-1]\n    V = y * y + V[0]\nW = V\n")
    carried = Carried(tree.body, t.Mentions(tree.body))
    known = {*carried.after, *carried.begins}
    assert known
    for s in t.statements(tree.body):
        if isinstance(s, gast.Assign):
            s.value = gast.Constant(value=0.0, kind=None)
    fresh = [gast.Name(id="V", ctx=gast.Load(), annotation=None, type_comment=None) for _ in range(5000)]
    assert known.isdisjoint(map(id, fresh))
