"""A NumPy function that is given a list or tuple of numbers: the kind of its result is that of an array's."""
from __future__ import annotations

import linecache
import re
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.lowering.calls import takes_lists
from sourcegrad.primitives.core import RULES
from tests.kinds.places import check_gradient, check_second
from tests.shared import text_for

X = np.array([0.7, 0.4])

EXPRESSIONS = """
np.diag([a, b]) @ x
np.diag((a, b)) ** 2 @ x
np.diag([[a, b], [b, 2.0]]) * x
np.diagonal([[a, b], [b, 2.0]]) * a
np.trace([[a, b], [b, 2.0]]) * x
np.tril([[a, b], [b, 2.0]]) @ x
np.cumsum([a, b])[1] * x
np.cumprod((a, b)) @ x
np.prod([a, b, a]) * x
np.linalg.norm([a, b]) * x
np.linalg.norm([[a, b], [b, 2.0]], axis=1) @ x
np.linalg.cond([[a, b], [b, 2.0]]) * x
np.linalg.cholesky([[2.0, b], [b, 2.0]]) @ x
np.linalg.eigvalsh([[a, b], [b, 2.0]]) @ x
np.linalg.svd([[a, b], [b, 2.0]], compute_uv=False) @ x
np.linalg.qr([[a, b], [b, 2.0]])[1] @ x
np.sin([a, b]) @ x
np.arctan2([a, b], [b, 2.0]) @ x
np.radians((a, b)) * a
np.sinc([a, b]) * b
np.tile([a, b], 2)[:2] * x
np.repeat([a, b], 2)[1:3] * x
np.pad([a, b], 1)[1:3] * x
np.broadcast_to([a, b], (2, 2)) @ x
np.add.outer([a, b], [b, 2.0]) @ x
np.multiply.outer((a, b), x) @ x
np.add.reduce([a, b]) * x
np.maximum.accumulate([a, b]) * x
np.vander([a, b], 2) @ x
""".strip().splitlines()


def program(expression: str) -> Any:
    """A function that computes with the result: only what is of a known kind is computed with in plain NumPy."""
    start = "import numpy as np\n\ndef f(x):\n    a, b = x[0] + 1.0, x[1] * 0.8\n"
    text = f"{start}    y = {expression}\n    return np.sum(y * y + y)\n"
    file = f"<lists for arrays: {expression}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    namespace: dict[str, Any] = {"__name__": "lists_for_arrays"}
    exec(compile(text, file, "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_both_derivatives_and_plain_text(expression: str) -> None:
    f = program(expression)
    check_gradient(f, [X, X * 0.5 + 0.2])
    check_second(f, X)
    text = text_for(sg.grad(f), X)
    assert not re.search(r"\b(ones_like_output|as_gradient|operand_part|mul|add)\(", text), text


ARRAYS_ONLY = sorted(function.__name__ for function, rule in RULES.items() if isinstance(function, np.ufunc) and (
    function.nin == function.nout == 1 and not takes_lists(rule) and getattr(np, function.__name__, None) is function))


@pytest.mark.parametrize("name", ARRAYS_ONLY)
def test_each_function_of_one_array_takes_a_list(name: str) -> None:
    """Whichever file its rule is in: the kind of the result is that of an array."""
    f = program(f"np.{name}([0.5 * a - 0.2, b])")
    g = sg.grad(f)
    with np.errstate(all="ignore"):
        g(X)
    assert "ones_like_output" not in str(g.source)
