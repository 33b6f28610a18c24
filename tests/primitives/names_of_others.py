"""Situations of SciPy's functions in two other libraries, in forms of our own: HIPS autograd's tests, and JAX's lists of names.

A form is as in `tests.coverage.values`. `python -m tests.primitives.names_of_others` prints what became of each name.
"""
from __future__ import annotations

from tests.coverage.scipy_forms import FORMS

# of a distribution: points, shapes, loc and scale, as arrays that fit; and that broadcast, rows against columns
NORMAL = ("x", "y, p"), ("M", "x[:4], p[:3, None]")
STUDENT = ("x", "p + 1.3, y, p"), ("M", "p[:4] + 1.3, M, p[:3, None]")
MEANS = ("np.array([0.0, 1, 0, 4, 2])", "p"), ("np.array([[0.0, 1, 3, 2], [0, 0, 1, 6], [2, 5, 0, 1]])", "p[:3, None]")
QUANTILES = ("w", "y, p"), ("0.5 + 0.4 * np.tanh(M)", "x[:4], p[:3, None]")
COVARIANCE = "0.5 * (S + S.T)"


def of_distribution(name: str, methods: str, plain: tuple[str, str], rows: tuple[str, str]) -> dict[str, str]:
    """A method of a distribution of numbers in a row, and of rows against columns."""
    found = {}
    for method in methods.split():
        for title, (points, parameters) in ((method, plain), (f"{method} broadcast", rows)):
            found[f"{name} {title}"] = f"stats.{name}.{method}({points}, {parameters})"
    return found


def distributions() -> dict[str, str]:
    found = {}
    for method in ("pdf", "cdf", "logpdf"):
        found[f"chi2 {method}"] = f"np.stack([stats.chi2.{method}(p + 0.4, k) for k in (1, 2, 3)])"
        found[f"beta {method}"] = f"stats.beta.{method}(w, p, p[::-1])"
        found[f"gamma {method}"] = f"stats.gamma.{method}(p, p[::-1])"
    found |= of_distribution("norm", "pdf cdf sf logpdf logcdf logsf", *NORMAL) | of_distribution("norm", "ppf isf", *QUANTILES)
    found |= of_distribution("poisson", "cdf pmf logpmf", *MEANS) | of_distribution("t", "pdf cdf logpdf logcdf", *STUDENT)
    for method in ("pdf", "logpdf"):
        f = f"stats.multivariate_normal.{method}"
        found[f"normal of several {method}"] = f"{f}(x[:3], y[:3], {COVARIANCE}, allow_singular=False)"
        found[f"normal of several {method} broadcast"] = f"{f}(M.T, y[:3], {COVARIANCE})"
        found[f"dirichlet {method} by points"] = f"stats.dirichlet.{method}(w / np.sum(w), np.array([1.3, 2.0, 1.7, 1.25, 2.2]))"
        found[f"dirichlet {method} by concentrations"] = f"stats.dirichlet.{method}([0.1, 0.25, 0.35, 0.2, 0.1], p + 0.6)"
    return found | {
        "normal of several entropy": f"stats.multivariate_normal.entropy(10.0 * x[:3], {COVARIANCE})"} | {
        f"normal of several {method}, singular": "stats.multivariate_normal(np.zeros(4), np.diag([1.0, 1.0, 0.0, 0.0]), "
        f"allow_singular=True).{method}(np.concatenate([x[:2], y[2:4]]) - y[:4])" for method in ("pdf", "logpdf")}


SUMS = {
    "logsumexp of three shapes": "special.logsumexp(np.array([s])) + special.logsumexp(x, axis=0, keepdims=True) + "
                                 "special.logsumexp(M, keepdims=True)[0, 0] + np.sum(special.logsumexp(M, axis=0))",
    "logsumexp by axis": "a, b = special.logsumexp(T, axis=0), special.logsumexp(T, axis=1, keepdims=True); "
                         "(a * b, special.logsumexp(x[None], axis=1))[0] + special.logsumexp(x[None], axis=0)[0]",
    "logsumexp with weights": "special.logsumexp(x, b=np.exp(y)) * special.logsumexp(x, axis=0, b=np.exp(y), keepdims=True)",
    "logsumexp with weights by axis": "np.concatenate([special.logsumexp(M, axis=k, b=np.exp(0.4 * M[::-1])) for k in (0, 1)])",
    "logsumexp of three axes with weights": "special.logsumexp(T, axis=1, b=np.exp(0.3 * T), keepdims=True) * "
                                            "special.logsumexp(T, b=np.exp(0.3 * T))",
    "logsumexp of one row": "special.logsumexp(x.reshape(1, 5), axis=1, keepdims=True)"}
MODES = "for m in ('full', 'valid', 'same')"
CONVOLUTIONS = {
    "convolve": f"np.concatenate([signal.convolve(x, y[:3], mode=m) {MODES}])",
    "convolve of matrices": f"np.concatenate([np.ravel(signal.convolve(M, A[:k, :2], mode=m)) for k in (2, 3) {MODES}])",
    # along one axis of each, and over all pairs of the others
    "convolve along axes": "np.array([[signal.convolve(M[i], A[:, j], 'full') for j in range(3)] for i in range(3)])",
    "convolve along axes, summed over one": "np.array([sum(signal.convolve(T[0, i], T[1, :, j], 'valid') for i in range(3)) "
                                            "for j in range(4)])",
    "convolve of several axes": "sum(signal.convolve(T[:, i], T[:, 2 - i], m) for i in range(3) for m in ('full', 'full'))"}
SPECIAL = {
    "beta": "special.beta(p, p[::-1])", "betainc": "special.betainc(np.array([1.2, 2.0, 1.7, 3.3, 1.1]), p, w)",
    "betaln": "special.betaln(p, p[::-1])", "gammainc": "special.gammainc(1, p)", "gammaincc": "special.gammaincc(1, p)",
    "polygamma": "special.polygamma(0, p)", "jn": "special.jn(2, p)", "yn": "special.yn(2, p)",
    "multigammaln": "np.stack([special.multigammaln(p[:2] + 4.0, d) for d in (1, 2, 3)])",
    "iv": "special.iv(np.array([1.5, 11.0, 23.4, 40.0, 2.0]), p)", "ive": "special.ive(np.array([1.5, 11.0, 23.4, 40.0, 2.0]), p)",
    "erf": "special.erf(1.8 * x) + special.erf(x + 1j * w).real", "erfc": "special.erfc(1.8 * x) + special.erfc(x + 1j * w).imag",
    "erfinv": "special.erfinv(u)", "erfcinv": "special.erfcinv(2.0 * w)", "logit": "special.logit(w)",
    "expit": "special.expit(x)"} | {
    name: f"special.{name}(p)" for name in "psi digamma gamma gammaln rgamma".split()} | {
    "gammasgn": "special.gammasgn(x) * x"} | {name: f"special.{name}(6.0 * p)" for name in "j0 j1 y0 y1 i0 i1".split()}
EQUATIONS = {
    "odeint": "integrate.odeint(lambda v, t, a, b: -np.sqrt(t) - v + a - np.mean((v + b) ** 2), x[:3], np.linspace(0.1, 0.2, 4), "
              "(y[:3], p[:3]), rtol=1e-11, atol=1e-11)",
    "odeint by times": "integrate.odeint(lambda v, t, a: -np.sqrt(t) - v + a, x[:3], np.array([0.1, 0.13 * s, 0.3]), (y[:3],), "
                       "rtol=1e-11, atol=1e-11)",
    "sqrtm": "linalg.sqrtm(A)", "sqrtm of a symmetric matrix": f"linalg.sqrtm({COVARIANCE})",
    "solve_sylvester": "linalg.solve_sylvester(A, S, A[::-1])",
    "solve_banded": "linalg.solve_banded((1, 1), np.stack([0.3 * x, p + 3.0, 0.2 * y]), x)"}
SITUATIONS = distributions() | SUMS | CONVOLUTIONS | SPECIAL | EQUATIONS


OF_SPECIAL = "bernoulli bessel_jn beta betainc betaln boxcox boxcox1p comb dawsn digamma entr erf erfc erfcx erfinv exp1 expi " \
    "expit expn factorial fresnel gamma gammainc gammaincc gammaln gammasgn hyp1f1 hyp2f1 i0 i0e i1 i1e kl_div log_ndtr " \
    "log_softmax loggamma logit logsumexp multigammaln ndtr ndtri owens_t poch polygamma rel_entr sici softmax spence " \
    "wofz xlog1py xlogy zeta"
OF_LINALG = "block_diag cho_factor cho_solve cholesky circulant companion convolution_matrix det dft eigh eigh_tridiagonal expm " \
    "expm_frechet fiedler fiedler_companion funm hadamard hankel helmert hessenberg hilbert inv invhilbert invpascal leslie lu " \
    "lu_factor lu_solve pascal polar qr qr_multiply rsf2csf schur solve solve_sylvester solve_triangular sqrtm svd toeplitz"
OF_STATS = {
    "bernoulli": "cdf logpmf pmf ppf", "beta": "cdf logcdf logpdf logsf pdf sf", "betabinom": "logpmf pmf", "binom": "logpmf pmf",
    "cauchy": "cdf isf logcdf logpdf logsf pdf ppf sf", "chi2": "cdf logcdf logpdf logsf pdf sf", "dirichlet": "logpdf pdf",
    "expon": "cdf logcdf logpdf logsf pdf ppf sf", "gamma": "cdf logcdf logpdf logsf pdf sf", "gennorm": "cdf logpdf pdf",
    "geom": "logpmf pmf", "gumbel_l": "cdf logcdf logpdf logsf pdf ppf sf", "gumbel_r": "cdf logcdf logpdf logsf pdf ppf sf",
    "laplace": "cdf logpdf pdf", "logistic": "cdf isf logpdf pdf ppf sf", "multinomial": "logpmf pmf",
    "multivariate_normal": "logpdf pdf", "nbinom": "logpmf pmf", "norm": "cdf isf logcdf logpdf logsf pdf ppf sf",
    "pareto": "cdf logcdf logpdf logsf pdf ppf sf", "poisson": "cdf entropy logpmf pmf", "t": "logpdf pdf",
    "truncnorm": "cdf logcdf logpdf logsf pdf sf", "uniform": "cdf logpdf pdf ppf", "vonmises": "logpdf pdf",
    "wrapcauchy": "logpdf pdf"}
STATISTICS_OF_STATS = "gaussian_kde mode rankdata sem"
SHAPES = {      # points, shapes, and loc and scale after them
    "bernoulli": ("np.array([0, 1, 1, 0, 1])", "w", ""), "beta": ("w", "s, p", ", 0.02 * x, p"),
    "betabinom": ("np.array([0, 1, 3, 4, 2])", "4, p, s", ""), "binom": ("np.array([0, 1, 3, 4, 2])", "4, w", ""),
    "cauchy": ("x", "", ", y, p"), "chi2": ("p", "2.0 * s", ", 0.1 * y, p"), "expon": ("p", "", ", 0.1 * y, p"),
    "gamma": ("p", "s", ", 0.1 * y, p"), "gennorm": ("x", "s", ", y, p"), "geom": ("np.array([1, 2, 5, 1, 3])", "w", ""),
    "gumbel_l": ("x", "", ", y, p"), "gumbel_r": ("x", "", ", y, p"), "laplace": ("x", "", ", y, p"),
    "logistic": ("x", "", ", y, p"), "nbinom": ("np.array([0, 2, 5, 1, 3])", "p, w", ""), "norm": ("x", "", ", y, p"),
    "pareto": ("p + 1.0", "s", ", 0.05 * y, 0.4 * p"), "poisson": ("np.array([0, 2, 5, 1, 3])", "p", ""), "t": ("x", "p", ", y, p"),
    "truncnorm": ("u", "-s, p", ", 0.1 * y, 1.0 + p"), "uniform": ("w", "", ", 0.02 * y, 1.5 * p"), "vonmises": ("x", "p", ", y"),
    "wrapcauchy": ("p", "w", "")}
MORE_SPECIAL = {
    "bernoulli": ["special.bernoulli(4) * x", "special.bernoulli(3)[1] * s"],
    "boxcox": ["special.boxcox(p, s)", "special.boxcox(p, w)", "special.boxcox(p, 0.0)"],
    "boxcox1p": ["special.boxcox1p(p, s)", "special.boxcox1p(w, w)", "special.boxcox1p(p, 0.0)"],
    "dawsn": ["special.dawsn(x)", "special.dawsn(M)", "special.dawsn(s)"],
    "erfc": ["special.erfc(x)", "special.erfc(M)", "special.erfc(s) * x"],
    "expn": ["special.expn(2, p)", "special.expn(np.array([[1], [3]]), p)", "special.expn(0, s)"],
    "fresnel": ["special.fresnel(x)[0]", "a, b = special.fresnel(x); a * b", "special.fresnel(s)[1]"],
    "hyp1f1": ["special.hyp1f1(1.3, 2.1, x)", "special.hyp1f1(np.array([[0.5], [2.0]]), 1.5, x)"],
    "hyp2f1": ["special.hyp2f1(0.5, 1.0, 1.5, u)", "special.hyp2f1(1.2, 0.7, 2.5, 0.3 * s)"],
    "owens_t": ["special.owens_t(x, y)", "special.owens_t(s, w)", "special.owens_t(M, 0.4)"],
    "poch": ["special.poch(p, s)", "special.poch(p, w)", "special.poch(s, 2)"],
    "sici": ["special.sici(p)[0]", "a, b = special.sici(p); a * b", "special.sici(s)[1]"],
    "spence": ["special.spence(p)", "special.spence(np.abs(M) + 0.2)", "special.spence(s)"],
    "zeta": ["special.zeta(3.0, p)", "special.zeta(2.5, s)", "special.zeta(np.array([[2.0], [4.0]]), p)"]}
MORE_LINALG = {
    "circulant": ["linalg.circulant(x)", "linalg.circulant(x) @ y", "linalg.circulant(x * s)"],
    "companion": ["linalg.companion(p)", "linalg.companion(p) @ x[:4]", "linalg.companion([s, 2.0, 1.0])"],
    "convolution_matrix": ["linalg.convolution_matrix(x, 4)", "linalg.convolution_matrix(x, 4, mode='same')",
                           "linalg.convolution_matrix(x, 3, 'valid') @ y[:3]"],
    "dft": ["np.real(linalg.dft(5) @ x)", "np.imag(linalg.dft(5, scale='sqrtn') @ (x * s))"],
    "eigh_tridiagonal": ["linalg.eigh_tridiagonal(x, p[:4])[0]", "linalg.eigh_tridiagonal(x, p[:4], eigvals_only=True)",
                         "np.abs(linalg.eigh_tridiagonal(x, p[:4])[1])"],
    "expm_frechet": ["linalg.expm_frechet(A, S)[1]", "linalg.expm_frechet(A, S, compute_expm=False)"],
    "fiedler": ["linalg.fiedler(x)", "linalg.fiedler(x) @ y"], "fiedler_companion": ["linalg.fiedler_companion(p)"],
    "hadamard": ["linalg.hadamard(4) @ x[:4]", "linalg.hadamard(2) * s"],
    "hankel": ["linalg.hankel(x)", "linalg.hankel(x, y)", "linalg.hankel(x, r=p) @ y"],
    "helmert": ["linalg.helmert(5) @ x", "linalg.helmert(5, full=True) * s"],
    "hilbert": ["linalg.hilbert(5) @ x", "linalg.hilbert(3) * s"], "invhilbert": ["linalg.invhilbert(3) @ x[:3]"],
    "invpascal": ["linalg.invpascal(3) @ x[:3]"], "pascal": ["linalg.pascal(5) @ x", "linalg.pascal(3, kind='lower') * s"],
    "leslie": ["linalg.leslie(p, w[:4])", "linalg.leslie(p, w[:4]) @ x"],
    "polar": ["linalg.polar(A)[0]", "linalg.polar(A)[1]", "linalg.polar(M.T)[1]", "linalg.polar(A, side='left')[1]"],
    "hessenberg": ["linalg.hessenberg(A)"], "qr_multiply": ["linalg.qr_multiply(A, x[:3])[0]"], "funm": ["linalg.funm(A, np.exp)"],
    "rsf2csf": ["np.real(linalg.rsf2csf(A, S)[0])"], "schur": ["linalg.schur(A)[0]"]}
MORE_STATS = {
    "gaussian_kde": ["stats.gaussian_kde(x)(y)", "stats.gaussian_kde(x, weights=p).logpdf(y)", "stats.gaussian_kde(M)(A)"],
    "mode": ["stats.mode(np.array([1.0, 2.0, 2.0])).mode * x", "stats.mode(x).mode"],
    "rankdata": ["stats.rankdata(x) * x", "stats.rankdata(M, axis=1) * M"],
    "dirichlet.logpdf": [], "dirichlet.pdf": [], "multivariate_normal.logpdf": [], "multivariate_normal.pdf": [], "sem": [],
    "multinomial.logpmf": ["stats.multinomial.logpmf([2, 1, 0, 3, 1], 7, w / np.sum(w))"],
    "multinomial.pmf": ["stats.multinomial.pmf([2, 1, 0, 3, 1], 7, w / np.sum(w))"]}


def forms_of_stats() -> dict[str, list[str]]:
    """Of each method the plain form, one with loc and scale where it has them, and one of the frozen distribution."""
    found = {}
    for name, methods in OF_STATS.items():
        for method in methods.split():
            key = f"{name}.{method}"
            if key in MORE_STATS:
                found[key] = MORE_STATS[key] or FORMS[f"scipy.stats.{key}"]
                continue
            points, shapes, more = SHAPES[name]
            first = "" if method == "entropy" else "w" if method in ("ppf", "isf") else points
            given = ", ".join(filter(None, (first, shapes)))
            found[key] = [f"stats.{name}.{method}({given}) * x", f"stats.{name}({shapes}).{method}({first}) * x"]
            found[key] += [f"stats.{name}.{method}({given}{more})"] if more else []
    return found | {name: MORE_STATS[name] or FORMS[f"scipy.stats.{name}"] for name in STATISTICS_OF_STATS.split()}


STEP, NO_FORMULA = "a quantile that is a step", "an entropy without a formula"
FACTORS = "factors that are not unique: functions of matrices, or eigenvalues"
REASONS = {
    STEP: ["stats.bernoulli.ppf(w, w) * x", "stats.bernoulli(w).ppf(w) * x"],
    NO_FORMULA: ["stats.poisson.entropy(p) * x", "stats.poisson(p).entropy() * x"],
    FACTORS: ["linalg.hessenberg(A)", "np.real(linalg.rsf2csf(A, S)[0])", "linalg.schur(A)[0]"],
    "the factors alone: np.linalg.qr, and a product": ["linalg.qr_multiply(A, x[:3])[0]"],
    "it chooses among equal elements: a formula": ["stats.mode(x).mode"],
    "by times: the time is scaled, or the slope written": [EQUATIONS["odeint by times"]]}
REFUSED = {form: reason for reason, forms in REASONS.items() for form in forms}


def lists() -> dict[str, list[str]]:
    """The forms of each name of JAX's scipy.special, scipy.stats and scipy.linalg."""
    found = {}
    for name in OF_SPECIAL.split():
        known = "jv" if name == "bessel_jn" else name           # SciPy's name of it
        found[f"special.{name}"] = MORE_SPECIAL.get(name) or FORMS[f"scipy.special.{known}"]
    found |= {f"stats.{name}": forms for name, forms in forms_of_stats().items()}
    return found | {f"linalg.{name}": MORE_LINALG.get(name) or FORMS[f"scipy.linalg.{name}"] for name in OF_LINALG.split()}


def outcome(forms: list[str]) -> str:
    """What stands in the table: right, or which forms are refused, and why."""
    refused = [form for form in forms if form in REFUSED]
    if not refused:
        return "right"
    said = "; ".join(dict.fromkeys(REFUSED[form] for form in refused))
    return f"refused: {said}" if len(refused) == len(forms) else f"right; refused `{'`, `'.join(refused)}`: {said}"


if __name__ == "__main__":
    for name, forms in ({f"HIPS {name}": [form] for name, form in SITUATIONS.items()} | lists()).items():
        print(f"{name:40} {len(forms)}  {outcome(forms)}")
