"""The table of ties and singular points: each row executed in both modes, and printed as it is in the documents."""
from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import sourcegrad as sg
from tests.coverage.conventions import GROUPS, PAGE, Row, with_table

HEADER = "import math\nimport numpy as np\n"
pytestmark = pytest.mark.filterwarnings("ignore")


def functions(rows: list[Row], path) -> list:
    scipy = any(module in row.form for row in rows for module in ("special.", "stats.", "distance."))
    if scipy:
        pytest.importorskip("scipy")
    text = HEADER + ("from scipy import special, stats\nfrom scipy.spatial import distance\n" if scipy else "")
    for k, row in enumerate(rows):
        text += f"\n\ndef f{k}(x{'' if row.y is None else ', y'}):\n    return np.sum({row.form})\n"
    file = path / "rows.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("rows", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [getattr(module, f"f{k}") for k in range(len(rows))]


def number(value):
    return np.array(value, dtype=float) if isinstance(value, list) else value


@pytest.mark.parametrize("group", GROUPS)
def test_rows(group: str, tmp_path) -> None:
    wrong = []
    for row, function in zip(GROUPS[group], functions(GROUPS[group], tmp_path)):
        names = ("x",) if row.y is None else ("x", "y")
        values = [number(v) for v in (row.x, row.y)[:len(names)]]
        wanted = [np.asarray(v, dtype=float) for v in (row.by_x, row.by_y)[:len(names)]]
        try:
            with np.errstate(all="ignore"):
                found = sg.grad(function, names)(*values)
                wrong += [f"{row.form} at {row.x}: {a} is not {b}" for a, b in zip(found, wanted) if not np.allclose(a, b, 1e-12,
                    1e-12)]
                wrong += [f"{row.form}: {problem}" for problem in unlike_tangents(function, values, wanted) if row.tangents]
        except Exception as problem:
            wrong.append(f"{row.form} at {row.x}: {type(problem).__name__} {problem}")
    assert not wrong, "\n".join(wrong)


def unlike_tangents(function, values: list, wanted: list) -> list[str]:
    """Where forward mode gives other derivatives, by one argument after the other and one of its elements after the other."""
    found = []
    for k, value in enumerate(values):
        for place in np.ndindex(np.shape(value)):
            dots = [np.zeros(np.shape(v)) if np.ndim(v) else 0.0 for v in values]
            if place:
                dots[k][place] = 1.0
            else:
                dots[k] = 1.0
            _, dot = sg.jvp(function, tuple(values), tuple(dots))
            if not np.allclose(dot, wanted[k][place], 1e-12, 1e-12):
                found.append(f"the tangent by {'xy'[k]}{place} is {dot}, not {wanted[k][place]}")
    return found


def test_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_table(page), "python -m tests.coverage.conventions"
