"""The functions that PyTorch shares with NumPy and SciPy under names and options of its own: a form, and the same in PyTorch."""

from __future__ import annotations

DIST, COUNTS = "torch.distributions", "torch.tensor([0.0, 1, 5, 2, 1], dtype=torch.float64)"
SAME = {  # torch.NAME(x): the vectors of the forms, where the function is smooth
    "x": "abs absolute atan arctan cos cosh deg2rad exp exp2 expm1 negative positive rad2deg sin sinh square tanh arcsinh asinh "
    "sinc ravel flipud",
    "p": "log log10 log1p log2 reciprocal sqrt",
    "u": "arccos acos arcsin asin arctanh atanh tan",
}
BINARY = "add hypot logaddexp logaddexp2 multiply subtract arctan2 maximum minimum fmax fmin copysign"


def elements() -> dict[str, str]:
    found = {}
    for values, names in SAME.items():
        for name in names.split():
            found[f"np.{name}({values})"] = f"torch.{name}({values})"
    for name in BINARY.split():
        found[f"np.{name}(x, y)"] = f"torch.{name}(x, y)"
    for name in ("floor", "ceil", "trunc", "sign"):
        found[f"np.{name}(x) * x"] = f"torch.{name}(x) * x"
    return found | {
        "np.power(p, y)": "torch.pow(p, y)",
        "np.divide(x, p)": "torch.divide(x, p)",
        "np.remainder(x, p * 1.37)": "torch.remainder(x, p * 1.37)",
        "np.fmod(x, p * 1.37)": "torch.fmod(x, p * 1.37)",
        "np.clip(x, -1.0, 1.0)": "torch.clip(x, -1.0, 1.0)",
        "np.where(x > 0, x, y)": "torch.where(x > 0, x, y)",
        "np.arccosh(p + 1.1)": "torch.arccosh(p + 1.1)",
        "np.i0(x)": "torch.i0(x)",
        "np.nan_to_num(x)": "torch.nan_to_num(x)",
        "np.angle(x + 1j * y)": "torch.angle(x + 1j * y)",
        "p ** y": "p ** y",
        "M ** 3.0": "M ** 3.0",
        "2 ** x": "2 ** x",
    }


REDUCTIONS = {
    **{
        f"np.{name}({value})": f"torch.{name}({value})"
        for name in ("sum", "prod", "mean", "median_")
        for value in ("x", "M")
        if not name.endswith("_")
    },
    **{
        f"np.{numpy}(M, axis={axis})": f"torch.{torch}(M, dim={axis})"
        for numpy, torch in (
            ("sum", "sum"),
            ("prod", "prod"),
            ("mean", "mean"),
            ("cumsum", "cumsum"),
            ("cumprod", "cumprod"),
            ("max", "amax"),
            ("min", "amin"),
        )
        for axis in (0, 1)
    },
    "np.var(x)": "torch.var(x, correction=0)",
    "np.std(M, axis=0, ddof=1)": "torch.std(M, dim=0, correction=1)",
    "np.sum(T, axis=(0, 2))": "torch.sum(T, dim=(0, 2))",
    "np.nansum(x)": "torch.nansum(x)",
    "np.max(x)": "torch.amax(x)",
    "np.quantile(x, 0.3)": "torch.quantile(x, 0.3)",
    "np.median(x)": "torch.median(x)",
    "np.trace(A)": "torch.trace(A)",
    "np.diff(x, n=2)": "torch.diff(x, n=2)",
    "np.cov(M)": "torch.cov(M)",
    "np.corrcoef(M)": "torch.corrcoef(M)",
    "np.trapezoid(x, y)": "torch.trapezoid(x, y)",
    "np.gradient(x)": "torch.gradient(x)[0]",
    "np.logaddexp.reduce(x)": "torch.logsumexp(x, dim=0)",
    "np.maximum.accumulate(x)": "torch.cummax(x, dim=0)[0]",
}
SHAPES = {
    "np.concatenate([M, M], axis=1)": "torch.cat([M, M], dim=1)",
    "np.stack([x, y], axis=1)": "torch.stack([x, y], dim=1)",
    "np.sort(M, axis=0)": "torch.sort(M, dim=0)[0]",
    "np.flip(M, axis=1)": "torch.flip(M, dims=(1,))",
    "np.roll(M, (1, 2), axis=(0, 1))": "torch.roll(M, (1, 2), dims=(0, 1))",
    "np.tril(A)": "torch.tril(A)",
    "np.triu(M, 1)": "torch.triu(M, 1)",
    "np.diag(x, -1)": "torch.diag(x, -1)",
    "np.diag(A)": "torch.diag(A)",
    "np.kron(A, B)": "torch.kron(A, B)",
    "np.tile(M, (2, 1))": "torch.tile(M, (2, 1))",
    "np.repeat(x, 2)": "torch.repeat_interleave(x, 2)",
    "np.transpose(T, (2, 0, 1))": "torch.permute(T, (2, 0, 1))",
    "np.rot90(M)": "torch.rot90(M)",
    "np.take(M, [1, 0], axis=1)": "M[:, [1, 0]]",
    "x[x > 0]": "x[x > 0]",
    "np.outer(x, y)": "torch.outer(x, y)",
    "np.dot(x, y)": "torch.dot(x, y)",
    "A @ B": "A @ B",
    "np.inner(M, M)": "torch.inner(M, M)",
    "np.cross(A, S)": "torch.linalg.cross(A, S)",
    "np.tensordot(T, M, axes=([1, 2], [0, 1]))": "torch.tensordot(T, M, dims=([1, 2], [0, 1]))",
    'np.einsum("ij,jk->ik", A, B)': 'torch.einsum("ij,jk->ik", A, B)',
}
LINALG = {
    "np.linalg.det(A)": "torch.linalg.det(A)",
    "np.linalg.inv(A)": "torch.linalg.inv(A)",
    "np.linalg.norm(x)": "torch.linalg.norm(x)",
    "np.linalg.norm(x, 3)": "torch.linalg.norm(x, 3)",
    "np.linalg.norm(A, 'nuc')": "torch.linalg.norm(A, 'nuc')",
    "np.linalg.solve(A, B)": "torch.linalg.solve(A, B)",
    "np.linalg.slogdet(A)[1]": "torch.linalg.slogdet(A)[1]",
    "np.linalg.cholesky(S)": "torch.linalg.cholesky(S)",
    "np.linalg.eigvalsh(S)": "torch.linalg.eigvalsh(S)",
    "np.linalg.svd(M, compute_uv=False)": "torch.linalg.svdvals(M)",
    "np.linalg.pinv(M)": "torch.linalg.pinv(M)",
    "np.linalg.qr(A)[1]": "torch.linalg.qr(A)[1]",
    "np.linalg.matrix_power(A, 3)": "torch.linalg.matrix_power(A, 3)",
    "np.linalg.multi_dot([A, B, B.T])": "torch.linalg.multi_dot([A, B, B.T])",
    "linalg.expm(A)": "torch.linalg.matrix_exp(A)",
    "linalg.solve_triangular(A, B)": "torch.linalg.solve_triangular(A, B, upper=True)",
    "np.linalg.lstsq(M.T, x[:4])[0]": "torch.linalg.lstsq(M.T, x[:4, None])[0][:, 0]",
    "np.real(np.linalg.eigvals(A))": "torch.real(torch.linalg.eigvals(A))",
    "np.linalg.cond(A)": "torch.linalg.cond(A)",
    **{f"np.fft.{name}(x).real": f"torch.real(torch.fft.{name}(x))" for name in ("fft", "ifft", "rfft", "irfft", "hfft")},
    "np.fft.fft2(M).real": "torch.fft.fft2(M).real",
    'np.fft.fft(x, norm="ortho").real': 'torch.fft.fft(x, norm="ortho").real',
}
SPECIAL = {
    **{
        f"special.{name}({value})": f"torch.special.{name}({value})"
        for value, names in {
            "x": "erf erfc erfcx expit i0 i0e i1 i1e ndtr log_ndtr",
            "p": "digamma gammaln entr",
            "w": "erfinv logit ndtri",
        }.items()
        for name in names.split()
    },
    "special.xlogy(x, p)": "torch.special.xlogy(x, p)",
    "special.xlog1py(x, p)": "torch.special.xlog1py(x, p)",
    "special.polygamma(1, p)": "torch.special.polygamma(1, p)",
    "special.multigammaln(p + 2.0, 3)": "torch.special.multigammaln(p + 2.0, 3)",
    "special.gammainc(2.0, p)": "torch.special.gammainc(torch.tensor(2.0, dtype=p.dtype), p)",
    "special.gammaincc(2.0, p)": "torch.special.gammaincc(torch.tensor(2.0, dtype=p.dtype), p)",
    "special.logsumexp(M, axis=1)": "torch.logsumexp(M, dim=1)",
    "special.softmax(M, axis=1)": "torch.softmax(M, dim=1)",
    "special.log_softmax(M, axis=1)": "torch.log_softmax(M, dim=1)",
}
DENSITIES = {
    **{
        f"stats.{name}.logpdf({points}, {parameters})": f"torch.distributions.{theirs}.log_prob({points})"
        for name, points, parameters, theirs in (
            ("norm", "x", "y, p", "Normal(y, p)"),
            ("laplace", "x", "y, p", "Laplace(y, p)"),
            ("cauchy", "x", "y, p", "Cauchy(y, p)"),
            ("gumbel_r", "x", "y, p", "Gumbel(y, p)"),
            ("gamma", "p", "s, 0.0, w", "Gamma(s, 1.0 / w)"),
            ("beta", "w", "s, p", "Beta(s, p)"),
            ("chi2", "p", "s", "Chi2(s)"),
            ("t", "x", "p, y, s", "StudentT(p, y, s)"),
            ("expon", "p", "0.0, w", "Exponential(1.0 / w)"),
            ("halfnorm", "p", "0.0, w", "HalfNormal(w)"),
            ("halfcauchy", "p", "0.0, w", "HalfCauchy(w)"),
            ("lognorm", "p", "s", "LogNormal(0.0 * s, s)"),
            ("pareto", "p + 1.0", "s", "Pareto(1.0 + 0.0 * s, s)"),
            ("weibull_min", "p", "s, 0.0, w", "Weibull(w, s)"),
            ("invgamma", "p", "s", "InverseGamma(s, 1.0 + 0.0 * s)"),
            ("f", "p", "s, w", "FisherSnedecor(s, w)"),
            ("vonmises", "x", "p, y", "VonMises(y, p)"),
        )
    },
    **{
        f"stats.{name}.cdf({points}, {parameters})": f"torch.distributions.{theirs}.cdf({points})"
        for name, points, parameters, theirs in (
            ("norm", "x", "y, p", "Normal(y, p)"),
            ("laplace", "x", "y, p", "Laplace(y, p)"),
            ("cauchy", "x", "y, p", "Cauchy(y, p)"),
            ("gumbel_r", "x", "y, p", "Gumbel(y, p)"),
            ("expon", "p", "0.0, w", "Exponential(1.0 / w)"),
        )
    },
    "stats.poisson.logpmf([0, 1, 5, 2, 1], p)": f"{DIST}.Poisson(p).log_prob({COUNTS})",
    "stats.binom.logpmf([0, 1, 5, 2, 1], 5, w)": f"{DIST}.Binomial(5, w).log_prob({COUNTS})",
    "stats.bernoulli.logpmf([0, 1, 1, 0, 1], w)": f"{DIST}.Bernoulli(w).log_prob(torch.tensor([0.0, 1, 1, 0, 1], dtype=w.dtype))",
    "stats.dirichlet.logpdf(np.array([0.2, 0.3, 0.5]), p[:3])": f"{DIST}.Dirichlet(p[:3])"
    ".log_prob(torch.tensor([0.2, 0.3, 0.5], dtype=p.dtype))",
    "stats.multivariate_normal.logpdf(x[:3], y[:3], 0.5 * (S + S.T))": f"{DIST}"
    ".MultivariateNormal(y[:3], 0.5 * (S + S.T)).log_prob(x[:3])",
    "stats.norm.entropy(y, p)": "torch.distributions.Normal(y, p).entropy()",
    "stats.gamma.entropy(p)": "torch.distributions.Gamma(p, 1.0).entropy()",
    "stats.beta.entropy(p, s)": "torch.distributions.Beta(p, s).entropy()",
}
FORMS = elements() | REDUCTIONS | SHAPES | LINALG | SPECIAL | DENSITIES

# the rows of the table of ties and singular points, in PyTorch
ROWS = {
    "np.max(x)": "torch.amax(x)",
    "np.min(x)": "torch.amin(x)",
    "np.maximum(x, y)": "torch.maximum(x, y)",
    "np.minimum(x, y)": "torch.minimum(x, y)",
    "np.fmax(x, y)": "torch.fmax(x, y)",
    "np.fmin(x, y)": "torch.fmin(x, y)",
    "np.maximum(x, 0.0)": "torch.maximum(x, torch.zeros_like(x))",
    "np.clip(x, 0.0, 1.0)": "torch.clip(x, 0.0, 1.0)",
    "np.sort(x) * np.array([1, 10, 100])": "torch.sort(x, stable=True)[0] * torch.tensor([1, 10, 100])",
    "np.median(x)": "torch.quantile(x, 0.5)",
    "np.maximum.accumulate(x) * np.array([1, 10, 100])": "torch.cummax(x, dim=0)[0] * torch.tensor([1, 10, 100])",
    "np.linalg.norm(x, np.inf)": "torch.linalg.norm(x, float('inf'))",
    "x[np.argmax(x)]": "x[torch.argmax(x)]",
    "np.abs(x)": "torch.abs(x)",
    "np.sign(x)": "torch.sign(x)",
    "np.copysign(x, y)": "torch.copysign(x, y)",
    "np.hypot(x, y)": "torch.hypot(x, y)",
    "np.abs(x + 1j * y)": "torch.abs(torch.complex(x, y))",
    "np.arctan2(x, y)": "torch.arctan2(x, y)",
    "np.angle(x + 1j * y)": "torch.angle(torch.complex(x, y))",
    "np.linalg.norm(x)": "torch.linalg.norm(x)",
    "np.linalg.norm(x, 1)": "torch.linalg.norm(x, 1)",
    "np.linalg.norm(x, 3)": "torch.linalg.norm(x, 3)",
    "np.linalg.norm(x, ord='nuc')": "torch.linalg.norm(x, ord='nuc')",
    "np.std(x)": "torch.std(x, correction=0)",
    "np.where(x > 0, x, 2.0 * x)": "torch.where(x > 0, x, 2.0 * x)",
    "special.huber(1.0, x)": "torch.nn.functional.huber_loss(x, torch.zeros_like(x), reduction='none')",
    "stats.laplace.pdf(x)": "torch.exp(torch.distributions.Laplace(torch.zeros_like(x), torch.ones_like(x)).log_prob(x))",
    "np.floor(x)": "torch.floor(x)",
    "np.round(x)": "torch.round(x)",
    "np.trunc(x)": "torch.trunc(x)",
    "x % y": "x % y",
    "np.fmod(x, y)": "torch.fmod(x, y)",
    "x ** 0": "x ** 0",
    "np.power(x, 0.0)": "torch.pow(x, 0.0)",
    "x ** y": "x ** y",
    "0.0 ** x": "0.0 ** x",
    "x ** 1": "x ** 1",
    "np.prod(x)": "torch.prod(x)",
    "np.cumprod(x)": "torch.cumprod(x, dim=0)",
    "np.linalg.det(x)": "torch.linalg.det(x)",
    "np.sqrt(x)": "torch.sqrt(x)",
    "np.sqrt(x ** 2)": "torch.sqrt(x ** 2)",
    "np.sqrt(np.sum(x ** 2))": "torch.sqrt(torch.sum(x ** 2))",
    "np.log(x)": "torch.log(x)",
    "np.arccos(x)": "torch.arccos(x)",
    "np.arcsin(x)": "torch.arcsin(x)",
    "np.arccos(np.clip(x, -1.0, 1.0))": "torch.arccos(torch.clip(x, -1.0, 1.0))",
    "np.where(x > 0, np.sqrt(x), 0.0)": "torch.where(x > 0, torch.sqrt(x), 0.0)",
    "np.sinc(x)": "torch.sinc(x)",
    "np.logaddexp(x, y)": "torch.logaddexp(x, y)",
    "special.logsumexp(x)": "torch.logsumexp(x, dim=0)",
    "special.expit(x)": "torch.special.expit(x)",
    "special.xlogy(x, y)": "torch.special.xlogy(x, y)",
    "special.xlog1py(x, y)": "torch.special.xlog1py(x, y)",
    "special.entr(x)": "torch.special.entr(x)",
    "special.gammainc(2.0, x)": "torch.special.gammainc(torch.tensor(2.0, dtype=x.dtype), x)",
    "np.nan_to_num(x)": "torch.nan_to_num(x)",
    "np.nansum(x)": "torch.nansum(x)",
    "np.linalg.eigvalsh(x)": "torch.linalg.eigvalsh(x)",
    "np.linalg.cholesky(x)[1, 0]": "torch.linalg.cholesky(x)[1, 0]",
    "np.linalg.svd(x, compute_uv=False)": "torch.linalg.svdvals(x)",
}
