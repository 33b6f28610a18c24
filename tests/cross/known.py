"""Where other libraries give other gradients, by form: a row of docs/conventions.md says so, or the other library is at fault.

What is laid to the other library is compared with differences, as everything is in `tests.coverage`.
"""
from __future__ import annotations

from typing import NamedTuple

from tests.coverage.conventions import GROUPS, PAGE


class Row(NamedTuple):
    """A row of the tables of docs/conventions.md: its first column."""

    form: str

    def stands(self) -> bool:
        return any(row.form == self.form for rows in GROUPS.values() for row in rows) or f"\n| {self.form} |" in PAGE.read_text(
            encoding="utf-8")


class Fault(NamedTuple):
    """What the other library does."""

    what: str


CHOLESKY, EIGH = Row("np.linalg.cholesky(x)[1, 0]"), Row("np.linalg.eigvalsh(x)")
SEVERAL = Row("a distribution of several variables by a matrix")
CONSTANT = Fault("takes the result for a constant")
IN_PLACE = Fault("its arrays do not change: a method gives the changed one")
APPROXIMATE = Fault("has some numbers and Bessel functions in six or seven digits only")
BROADCAST = Fault("does not sum the gradient over what was broadcast")
WHERE = Fault("its gradient of a reduction leaves the option `where` out")

KNOWN: dict[str, dict[Row | Fault, list[str]]] = {
    "autograd": {
        CHOLESKY: ["np.linalg.cholesky(S)", "np.linalg.cholesky(np.stack([S, S * s]))"],
        BROADCAST: ["np.full((2, 5), x)", "np.full_like(x, s)", "np.full_like(M, x[:4])", "np.full_like(x, s, shape=(2, 2))",
                    *(f"np.where(np.{name}(M, 0.83), M, s)" for name in (
                        "equal", "not_equal", "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or",
                        "logical_xor", "floor_divide")),
                    *(f"np.where({mask}, M, s)" for mask in (
                        "M > 0", "np.bitwise_and(M > 0, M < 1.0)", "np.bitwise_or(M > 0, M < 1.0)",
                        "np.bitwise_xor(M > 0, M < 1.0)", "(M > 0) & (M < 1.0)", "(M > 0) | (M < 1.0)", "(M > 0) ^ (M < 1.0)")),
                    *(f"special.{name}(np.array([[0], [3]]), {x})" for name, x in (
                        ("iv", "p"), ("ive", "p"), ("jn", "x"), ("yn", "p"))),
                    "special.polygamma(np.array([[0], [2]]), p)"],
        SEVERAL: ["stats.multivariate_normal.logpdf(x[:3], y[:3], S)", "stats.multivariate_normal.pdf(x[:3], y[:3], S)",
                  "stats.multivariate_normal.entropy(np.zeros(3), S)"],
        Fault("gives the gradient of a norm that keeps its axis one axis more"): ["np.linalg.norm(M, axis=0, keepdims=True)"],
        Fault("its gradient leaves `unit_diagonal` out"): ['linalg.solve_triangular(A, B, trans="T", unit_diagonal=True)'],
        WHERE: [f"np.{name}(M, axis=-1, where=M > -1.5)" for name in ("sum", "prod", "mean", "std", "var")],
        Fault("its gradient of a product over several axes is that over one"): ["np.prod(T, axis=(0, 2))"],
        Fault("gives the gradient of a diagonal the shape of a square"): ["np.diag(M)"]},
    "jax": {
        CHOLESKY: ["np.linalg.cholesky(S)", "np.linalg.cholesky(np.stack([S, S * s]))", "linalg.cholesky(S)",
                   "linalg.cholesky(S, lower=True)", "linalg.cholesky(S, check_finite=False)", "linalg.cho_factor(S)[0]",
                   "linalg.cho_factor(S, lower=True)[0]", "linalg.cho_solve(linalg.cho_factor(S), B)",
                   "linalg.cho_solve(linalg.cho_factor(S), x[:3])", "linalg.cho_solve((linalg.cholesky(S, lower=True), True), B)",
                   "linalg.cho_solve(linalg.cho_factor(S, lower=True), B, check_finite=False)",
                   'linalg.solve(S, x[:3], assume_a="pos")'],
        EIGH: ["np.linalg.eigh(S)[0]", 'np.linalg.eigh(S, UPLO="U")[0]', "np.abs(np.linalg.eigh(S)[1])",
               "np.linalg.eigh(np.stack([S, S * s])).eigenvalues", "np.linalg.eigvalsh(S)", 'np.linalg.eigvalsh(S, UPLO="U")',
               "np.linalg.eigvalsh(np.stack([S, S * s]))", "np.linalg.pinv(S, hermitian=True)", "linalg.eigh(S)[0]",
               "linalg.eigh(S, eigvals_only=True)"],
        SEVERAL: ["stats.multivariate_normal.logpdf(x[:3], y[:3], S)", "stats.multivariate_normal.pdf(x[:3], y[:3], S)"],
        Row("np.partition(x, 1) * np.array([1, 10, 100])"): ["np.partition(x, 2)"],
        CONSTANT: ["np.unique(x)", "np.unique(np.array([s, s, 2.0]))", "np.unique(x, return_index=True)[0]",
                   "np.setdiff1d(x, np.array([0.45]))", "np.setdiff1d(x, y)", "np.arange(s, s + 2.5)", "x[0].item() * s",
                   "M.item(2)", "M.item(1, 2) * s"],
        APPROXIMATE: ["special.bernoulli(4) * x", "linalg.pascal(5) @ x", "linalg.pascal(3, kind='lower') * s"],
        Fault("gives NaN from 1 to 2"): ["special.spence(p)", "special.spence(np.abs(M) + 0.2)", "special.spence(s)"],
        IN_PLACE: ["z = x.copy(); z.sort(); z", "z = M * 1.0; z.sort(axis=0); z", "z = M * 1.0; z[0].sort(); z"]},
    "torch": {CHOLESKY: ["np.linalg.cholesky(S)"], EIGH: ["np.linalg.eigvalsh(S)"],
              APPROXIMATE: ["stats.vonmises.logpdf(x, p, y)"]}}

# rows of the table of ties and singular points, a line each, where a library gives something else
OTHERWISE = {library: lines.strip().split("\n") for library, lines in {
    "jax": """
np.max(x) at [nan, 1, 0]
np.max(x, initial=1.0) at [1, 0, 1]
np.fmax(x, y) at [1, nan, 2]
np.fmin(x, y) at [1, nan, 2]
np.clip(x, 0.0, 1.0) at [0, 1, 0.5, 2]
np.clip(x, y, 2.0) at [1, 3]
np.partition(x, 1) * np.array([1, 10, 100]) at [1, 1, 0]
np.percentile(x, 50) at [1, 1, 0]
np.unique(x) * np.array([1, 10]) at [1, 1, 0]
np.maximum.accumulate(x) * np.array([1, 10, 100]) at [1, 1, 0]
np.abs(x) at [0, -0.0, 1]
abs(x) at 0.0
np.copysign(x, y) at [0, 1]
np.hypot(x, y) at [0.0]
np.arctan2(x, y) at [0.0]
np.arctan2(x, y) at 0.0
np.angle(x + 1j * y) at [0.0]
np.linalg.norm(x) at [0, 0]
np.linalg.norm(x, 1) at [0, 2]
np.linalg.norm(x, 3) at [0, 0]
np.linalg.norm(x, ord='nuc') at [[0, 0], [0, 0]]
np.std(x) at [2, 2, 2]
stats.laplace.pdf(x) at [0, 1]
np.unwrap(x) at [0, 3.141592653589793]
np.power(x, 0.0) at [0, 2]
x ** y at [0, 0, 2]
np.sqrt(x ** 2) at [0, 3]
np.sqrt(np.sum(x ** 2)) at [0, 0]
np.arccos(np.clip(x, -1.0, 1.0)) at [1, 2, 0.5]
np.where(x > 0, np.sqrt(x), 0.0) at [0, 4, -1]
np.logaddexp(x, y) at [-inf, -inf, 0]
special.xlogy(x, y) at [0, 0, 1]
special.xlog1py(x, y) at [0, 0]
special.rel_entr(x, y) at [0, 0]
special.kl_div(x, y) at [0, 0]
special.gammainc(2.0, x) at [0, inf]
np.linalg.cholesky(x)[1, 0] at [[4, 1], [1, 3]]
""",
    "autograd": """
np.max(x) at [nan, 1, 0]
np.clip(x, 0.0, 1.0) at [0, 1, 0.5, 2]
np.linalg.norm(x, np.inf) at [2, -2, 0]
np.hypot(x, y) at [0.0]
np.arctan2(x, y) at [0.0]
np.arctan2(x, y) at 0.0
np.angle(x + 1j * y) at [0.0]
np.linalg.norm(x) at [0, 0]
np.linalg.norm(x, 3) at [0, 0]
np.linalg.norm(x, ord='nuc') at [[0, 0], [0, 0]]
np.std(x) at [2, 2, 2]
np.prod(x) at [0, 2, 3]
np.prod(x) at [0, 0, 3]
np.sqrt(x ** 2) at [0, 3]
np.sqrt(np.sum(x ** 2)) at [0, 0]
np.arccos(np.clip(x, -1.0, 1.0)) at [1, 2, 0.5]
np.where(x > 0, np.sqrt(x), 0.0) at [0, 4, -1]
np.sinc(x) at [0, 1]
np.logaddexp(x, y) at [-inf, -inf, 0]
special.rgamma(x) at [0, -1]
special.gammainc(2.0, x) at [0, inf]
np.linalg.cholesky(x)[1, 0] at [[4, 1], [1, 3]]
""",
    "torch": """
np.max(x) at [nan, 1, 0]
np.maximum(x, y) at [1, 2, nan]
np.minimum(x, y) at [1, 2, nan]
np.fmax(x, y) at [1, nan, 2]
np.fmin(x, y) at [1, nan, 2]
np.clip(x, 0.0, 1.0) at [0, 1, 0.5, 2]
np.hypot(x, y) at [0.0]
np.linalg.norm(x, ord='nuc') at [[0, 0], [0, 0]]
np.linalg.det(x) at [[1, 2], [2, 4]]
np.sqrt(x ** 2) at [0, 3]
np.sqrt(np.sum(x ** 2)) at [0, 0]
np.where(x > 0, np.sqrt(x), 0.0) at [0, 4, -1]
np.logaddexp(x, y) at [-inf, -inf, 0]
special.xlogy(x, y) at [0, 0, 1]
special.xlog1py(x, y) at [0, 0]
special.gammainc(2.0, x) at [0, inf]
np.linalg.cholesky(x)[1, 0] at [[4, 1], [1, 3]]
"""}.items()}


def reason(library: str, form: str) -> Row | Fault | None:
    """Why a form has another gradient in a library, if it is known to have."""
    return next((why for why, forms in KNOWN.get(library, {}).items() if form in forms), None)
