"""What the derivative is at ties and singular points: one table, of which each row is executed, and printed in docs/conventions.md.

`python -m tests.coverage.conventions` writes it there.
"""
from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

INF, NAN = np.inf, np.nan
PAGE = Path(__file__).parents[2] / "docs" / "conventions.md"
BEGIN, END = "<!-- table of ties and singular points: generated -->\n", "<!-- end of the table -->\n"


class Row(NamedTuple):
    """form: an expression of x, and maybe y, of which the elements are summed. by_x, by_y: the derivatives there.

    tangents: whether forward mode agrees."""

    form: str
    says: str
    x: list | float
    by_x: list | float
    y: list | float | None = None
    by_y: list | float | None = None
    tangents: bool = True


TIES = [
    Row("np.max(x)", "the greatest elements share equally", [1, 1, 0], [0.5, 0.5, 0]),
    Row("np.min(x)", "the least elements share equally", [0, 1, 0], [0.5, 0, 0.5]),
    Row("np.max(x)", "0 of a result that is NaN", [NAN, 1, 0], [0, 0, 0]),
    Row("np.nanmax(x)", "NaN has no part", [NAN, 1, 1], [0, 0.5, 0.5]),
    Row("np.max(x, initial=1.0)", "the initial value has no part", [1, 0, 1], [0.5, 0, 0.5]),
    Row("np.ptp(x)", "as max and min", [1, 1, 0], [0.5, 0.5, -1]),
    Row("np.maximum(x, y)", "half each; 0 where one is NaN", [1, 2, NAN], [0.5, 1, 0], [1, 1, 1], [0.5, 0, 0]),
    Row("np.minimum(x, y)", "half each; 0 where one is NaN", [1, 2, NAN], [0.5, 0, 0], [1, 1, 1], [0.5, 1, 0]),
    Row("np.fmax(x, y)", "half each; what is NaN has no part", [1, NAN, 2], [0.5, 0, 1], [1, 1, NAN], [0.5, 1, 0]),
    Row("np.fmin(x, y)", "half each; what is NaN has no part", [1, NAN, 2], [0.5, 0, 1], [1, 1, NAN], [0.5, 1, 0]),
    Row("np.maximum(x, 0.0)", "half at 0", [0, 1, -1], [0.5, 1, 0]),
    Row("max(x, y)", "Python's takes the first", 1.0, 1, 1.0, 0), Row("min(x, y)", "Python's takes the first", 1.0, 1, 1.0, 0),
    Row("np.clip(x, 0.0, 1.0)", "at a bound as inside", [0, 1, 0.5, 2], [1, 1, 1, 0]),
    Row("np.clip(x, y, 2.0)", "a bound that is met has no part", [1, 3], [1, 0], [1, 0], [0, 0]),
    Row("np.sort(x) * np.array([1, 10, 100])", "in the order that a stable sort gives", [1, 1, 0], [10, 100, 1]),
    Row("np.partition(x, 1) * np.array([1, 10, 100])", "as sort", [1, 1, 0], [10, 100, 1]),
    Row("np.median(x)", "the middle elements of that order", [1, 1, 0, 5], [0.5, 0.5, 0, 0]),
    Row("np.percentile(x, 50)", "the middle element of that order", [1, 1, 0], [0, 1, 0]),
    Row("np.unique(x) * np.array([1, 10])", "equal elements share", [1, 1, 0], [5, 5, 1]),
    Row("np.maximum.accumulate(x) * np.array([1, 10, 100])", "an equal element takes over", [1, 1, 0], [1, 110, 0]),
    Row("np.linalg.norm(x, np.inf)", "the greatest share equally", [2, -2, 0], [0.5, -0.5, 0]),
    Row("x[np.argmax(x)]", "the first", [1, 1], [1, 0]),
    Row("distance.chebyshev(x, np.zeros(3))", "the greatest share equally", [1, -1, 0.5], [0.5, -0.5, 0])]
KINKS = [
    Row("np.abs(x)", "0 at 0", [0, -0.0, 1], [0, 0, 1]), Row("abs(x)", "0 at 0", 0.0, 0), Row("math.fabs(x)", "0 at 0", 0.0, 0),
    Row("np.sign(x)", "0 everywhere", [0, 2], [0, 0]),
    Row("np.copysign(x, y)", "0 at 0", [0, 1], [0, -1], [1, -0.0], [0, 0]),
    Row("np.hypot(x, y)", "0 at the origin", [0.0], [0], [0.0], [0]),
    Row("math.hypot(x, y)", "0 at the origin", 0.0, 0, 0.0, 0), Row("np.abs(x + 1j * y)", "0 at the origin", [0.0], [0], [0.0],
        [0]),
    Row("np.arctan2(x, y)", "0 at the origin", [0.0], [0], [0.0], [0]), Row("np.arctan2(x, y)", "0 at the origin", 0.0, 0, 0.0, 0),
    Row("math.atan2(x, y)", "0 at the origin", 0.0, 0, 0.0, 0), Row("np.angle(x + 1j * y)", "0 at 0", [0.0], [0], [0.0], [0]),
    Row("np.linalg.norm(x)", "0 at 0", [0, 0], [0, 0]), Row("np.linalg.norm(x, 1)", "0 where an element is 0", [0, 2], [0, 1]),
    Row("np.linalg.norm(x, 3)", "0 at 0", [0, 0], [0, 0]), Row("np.linalg.norm(x, ord='nuc')", "0 at 0", [[0, 0], [0, 0]], [[0, 0],
        [0, 0]]),
    Row("np.std(x)", "0 of equal numbers", [2, 2, 2], [0, 0, 0]), Row("distance.euclidean(x, y)", "0 of equal points", [1, 2], [0,
        0], [1, 2], [0, 0]),
    Row("distance.jensenshannon(x, y)", "0 of equal distributions", [0.3, 0.7], [0, 0], [0.3, 0.7], [0, 0]),
    Row("np.where(x > 0, x, 2.0 * x)", "at a boundary that of the branch that is taken", [0, 1], [2, 1]),
    Row("np.piecewise(x, [x < 0], [lambda t: -t, lambda t: t])", "likewise", [0, 1, -1], [1, 1, -1]),
    Row("np.select([x > 0, x < 0], [x, -x], 5.0 * x)", "likewise", [0, 1, -1], [5, 1, -1]),
    Row("np.interp(x, np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0]))",
        "at a node the slope on the right, at the last that on the left; outside 0",
        [0, 1, 2, -1, 3], [1, 4, 4, 0, 0]),
    Row("special.huber(1.0, x)", "continuous", [1, -1, 0], [1, -1, 0]), Row("stats.laplace.pdf(x)", "0 at the peak", [0, 1], [0,
        -0.5 * np.exp(-1.0)]),
    Row("stats.uniform.pdf(x)", "0, at the ends too", [0, 1, 2], [0, 0, 0]), Row("stats.expon.logpdf(x)",
        "at the end as inside; outside 0", [0, -1], [-1, 0])]
STEPS = [
    Row("np.floor(x)", "0, at whole numbers too", [1, 1.5], [0, 0]), Row("np.round(x)", "0", [0.5, 1], [0, 0]), Row("np.trunc(x)",
        "0", [0, 1.5], [0, 0]),
    Row("x // 1.0", "0", [1.0], [0]), Row("np.heaviside(x, y)", "0 by x; by y 1 where x is 0", [0, 1], [0, 0], [0.3, 0.3], [1, 0]),
    Row("x % y", "1 and -(x // y), at multiples too", [2.0, 5.0], [1, 1], [2.0, 2.0], [-1, -2]), Row("np.fmod(x, y)",
        "1 and -trunc(x / y)", [4.0], [1], [2.0], [-2]),
    Row("np.divmod(x, 2.0)[1]", "1", [2.0], [1]), Row("np.modf(x)[0]", "1", [1.0], [1]), Row("np.unwrap(x)", "1", [0, np.pi], [1,
        1])]
POWERS = [
    Row("x ** 0", "0, also at 0", [0, 2], [0, 0]), Row("np.power(x, 0.0)", "0, also at 0", [0, 2], [0, 0]),
    Row("x ** y", "0 ** y is constant in y, x ** 0 in x", [0, 0, 2], [0, 0, 0], [0, 2, 0], [0, 0, np.log(2.0)]),
    Row("0.0 ** x", "constant", [0, 1], [0, 0]), Row("x ** 1", "1 at 0", [0.0], [1]),
    Row("np.prod(x)", "the product of the others", [0, 2, 3], [6, 0, 0]), Row("np.prod(x)", "0 of two zeros", [0, 0, 3], [0, 0, 0]),
    Row("np.cumprod(x)", "the sums of products of the others", [0, 2, 3], [9, 0, 0]), Row("np.cumprod(x)", "likewise", [2, 0, 0],
        [1, 2, 0]),
    Row("np.linalg.det(x)", "the cofactors of a singular matrix", [[1, 2], [2, 4]], [[4, -2], [-2, 1]])]
INFINITE = [
    Row("np.sqrt(x)", "infinite at 0", [0, 4], [INF, 0.25]), Row("np.cbrt(x)", "infinite at 0", [0, 8], [INF, 1 / 12]),
    Row("np.sqrt(x ** 2)", "0 at 0, of what stands still there", [0, 3], [0, 1]), Row("np.sqrt(np.sum(x ** 2))", "0 at 0", [0, 0],
        [0, 0]),
    Row("np.log(x)", "infinite at 0", [0.0], [INF]), Row("np.arccos(x)", "infinite at 1", [1.0], [-INF]), Row("np.arcsin(x)",
        "infinite at -1", [-1.0], [INF]),
    Row("np.arccos(np.clip(x, -1.0, 1.0))", "0 at a bound; in forward mode infinite", [1, 2, 0.5], [0, 0, -2 / np.sqrt(3.0)],
        tangents=False),
    Row("np.where(x > 0, np.sqrt(x), 0.0)", "the branch that is not taken gives 0", [0, 4, -1], [0, 0.25, 0]),
    Row("np.sinc(x)", "0 at 0", [0, 1], [0, -1]),
    Row("np.logaddexp(x, y)", "0 of -inf, also of two", [-INF, -INF, 0], [0, 0, 0.5], [-INF, 0, 0], [0, 1, 0.5]),
    Row("special.logsumexp(x)", "0 of -inf", [-INF, 0], [0, 1]), Row("special.expit(x)", "0 at infinity", [-INF, INF, 0], [0, 0,
        0.25]),
    Row("special.xlogy(x, y)", "xlogy(0, 0) is constant", [0, 0, 1], [0, np.log(2.0), np.log(2.0)], [0, 2, 2], [0, 0, 0.5]),
    Row("special.xlog1py(x, y)", "xlog1py(0, -1) is constant", [0, 0], [0, np.log(2.0)], [-1, 1], [0, 0]),
    Row("special.entr(x)", "infinite at 0", [0, 1], [INF, -1]),
    Row("special.rel_entr(x, y)", "rel_entr(0, 0) is constant; infinite at x = 0", [0, 0], [0, -INF], [0, 1], [0, 0]),
    Row("special.kl_div(x, y)", "by y 1 at x = 0", [0, 0], [0, -INF], [0, 1], [1, 1]),
    Row("special.rgamma(x)", "finite at the poles of gamma", [0, -1], [1, -1]), Row("special.gammainc(2.0, x)",
        "0 at 0 and infinity", [0, INF], [0, 0]),
    Row("np.nan_to_num(x)", "0 of what is replaced", [NAN, INF, 1], [0, 0, 1]), Row("np.nansum(x)", "0 of NaN", [NAN, 1], [0, 1])]
MATRICES = [
    Row("np.linalg.eigvalsh(x)", "by the triangle that is read (UPLO), the elements of the other one counted with it", [[2, 0.3],
        [0.3, 1]], [[1, 0], [0, 1]]),
    Row("np.linalg.eigvalsh(x)", "the sum of equal eigenvalues", [[2, 0], [0, 2]], [[1, 0], [0, 1]]),
    Row("np.linalg.cholesky(x)[1, 0]", "by the lower triangle", [[4, 1], [1, 3]], [[-0.0625, 0], [0.5, 0]]),
    Row("np.linalg.svd(x, compute_uv=False)", "the sum of singular values at 0", [[2, 0], [0, 0]], [[1, 0], [0, 1]])]
GROUPS = {"Ties": TIES, "Kinks and boundaries": KINKS, "Steps": STEPS, "Powers and products": POWERS,
          "Where a derivative is infinite, or its formula is 0 / 0": INFINITE, "Matrices": MATRICES}


def shown(value: list | float | None) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    return f"{value:.4g}".replace("-0", "0") if value == 0 else f"{value:.4g}"


def printed(row: Row) -> str:
    at = f"x = {shown(row.x)}" + (f", y = {shown(row.y)}" if row.y is not None else "")
    found = shown(row.by_x) + (f"; {shown(row.by_y)}" if row.by_y is not None else "")
    return f"| `{row.form.replace('|', chr(92) + '|')}` | {row.says} | {at} | {found} |"


def table() -> str:
    """The text of all rows."""
    parts = []
    for title, rows in GROUPS.items():
        parts += [f"\n### {title}\n\n| form | derivative | at | by x; by y |\n|---|---|---|---|\n", "\n".join(map(printed, rows)),
            "\n"]
    return "".join(parts) + "\n"


def with_table(page: str) -> str:
    """A page with the table between its marks."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
