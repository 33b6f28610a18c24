"""liveness: names whose values may be read later; told apart by the flags of loops that end early."""
import gast
import pytest

from sourcegrad.analysis.liveness import Liveness
from sourcegrad.ir import tree as t


def after(text: str, end: str = "") -> dict[int, str]:
    """The names that are live after each line. end: those that are live after all."""
    body = gast.parse(text).body
    liveness = Liveness()
    liveness.block(body, frozenset(end.split()))
    return {s.lineno: " ".join(sorted(liveness.after[id(s)])) for s in t.statements(body)}


@pytest.mark.parametrize("text, end, expected", [
    ("a = x\nb = a\nc = x", "b c", {1: "a x", 2: "b x", 3: "b c"}),
    ("a = x\na = y", "a", {1: "y", 2: "a"}),
    ("if x:\n    a = y\nelse:\n    a = b\nc = a", "c", {1: "a", 2: "a", 4: "a", 5: "c"}),
    ("if x:\n    a = y\nc = a", "c", {1: "a", 2: "a", 3: "c"}),
    ("for i in x:\n    a = a + i", "a", {1: "a", 2: "a"}),
    ("for i in x:\n    b = a\n    a = i\nc = b", "c", {1: "b", 2: "b i", 3: "a b", 4: "c"}),
    ("while x:\n    y = x\n    x = z", "", {1: "", 2: "z", 3: "x z"}),
    ("a.append(x)\nb = a.pop()", "b", {1: "a", 2: "b"}),
    ("x[i] = y\nz = x", "z", {1: "x", 2: "z"}),
])
def test_after_each_line(text, end, expected) -> None:
    assert after(text, end) == expected


def test_a_loop_may_have_no_trip() -> None:
    assert "b" in after("b = x\nfor i in x:\n    b = i\nc = b", "c")[1]


FLAGGED = """broke = False
for i in x:
    if i:
        y = i
        broke = True
    if broke:
        break
if broke:
    z = y
else:
    z = 0"""


def test_a_flag_tells_when_a_name_is_read() -> None:
    """y is read only where the loop has ended early: so no turn begins with a value of it that is needed."""
    body = gast.parse(FLAGGED).body
    liveness = Liveness()
    liveness.block(body, frozenset("z"))
    loop = body[1]
    assert "y" not in liveness.head[id(loop)] and "y" in liveness.after[id(loop)]


def test_dead_statements_are_not_kept() -> None:
    body = gast.parse("a = f(x)\nb = a\nc = x\nfor i in x:\n    d = i").body
    liveness = Liveness(lambda value: True)
    liveness.block(body, frozenset("c"))
    assert [s.lineno for s in t.statements(body) if id(s) in liveness.kept] == [3]
    impure = Liveness(lambda value: not isinstance(value, gast.Call))
    impure.block(body, frozenset("c"))
    assert [s.lineno for s in t.statements(body) if id(s) in impure.kept] == [1, 3]
