"""flow_kinds: where a name is read it has the kind that the assignments give it which reach that place."""
import gast
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad import kinds as k
from sourcegrad.analysis.flow_kinds import FlowKinds
from sourcegrad.ir import tree as t

TEXT = """
def f(scale, n):
    if scale is None:
        scale = 1.0
    y = scale
    for i in range(n):
        z = y
        y = z * 2
    return y
"""


def found(given: dict) -> tuple[FlowKinds, list]:
    body = gast.parse(TEXT).body[0].body
    return FlowKinds(body, given, ()), body


def reads(body: list, name: str) -> list:
    return [node for s in body for node in t.walk(s) if isinstance(node, gast.Name) and node.id == name
            and isinstance(node.ctx, gast.Load)]


def test_only_the_definitions_that_reach_a_place() -> None:
    flow, body = found({"scale": k.Const(None), "n": k.INT})
    tested, used = reads(body, "scale")
    assert flow.names == {"scale", "y"}
    assert flow.define(body[0].body[0], "scale", k.FLOAT)
    assert flow.read(tested) == k.Const(None)
    assert flow.read(used) == k.join(k.Const(None), k.FLOAT) or flow.read(used) is k.ANY
    assert not flow.define(body[0].body[0], "scale", k.FLOAT)             # nothing new


def test_what_a_loop_gives_reaches_its_start() -> None:
    flow, body = found({"scale": k.FLOAT, "n": k.INT})
    loop = next(s for s in body if isinstance(s, gast.For))
    assert flow.define(body[1], "y", k.INT) and flow.define(loop.body[1], "y", k.FLOAT)
    inside = next(node for node in reads(body, "y"))
    assert flow.read(inside) == k.join(k.INT, k.FLOAT)


def test_containers_may_have_grown_since() -> None:
    flow, body = found({"scale": k.Lst(k.FLOAT), "n": k.INT})
    assert flow.read(reads(body, "scale")[0]) is k.ANY


def test_a_copy_of_the_tree_has_the_same_facts() -> None:
    tree = gast.parse(TEXT).body[0]
    flow = FlowKinds(tree.body, {"scale": k.Const(None), "n": k.INT}, ())
    copied = t.clone(tree)
    other = flow.on(tree, copied)
    assert other.read(reads(copied.body, "scale")[0]) == k.Const(None)


@pytest.mark.parametrize("scale", [None, 3.0])
def test_a_default_decides_its_branch_only(scale: float | None) -> None:
    def f(x, scale=None):
        if scale is None:
            scale = 2.0
        return np.sum(x * scale)

    assert np.array_equal(sg.grad(f)(np.ones(2), scale), np.full(2, scale or 2.0))
