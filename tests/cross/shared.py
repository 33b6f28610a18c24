"""The functions of NumPy and SciPy that HIPS autograd and JAX share with sourcegrad, by the beginning of their names.

Each has a form at least that the other library takes as it stands. What of the forms it does not take is left out in a run.
"""
from __future__ import annotations

AUTOGRAD = {
    "numpy.":
        "abs absolute arcsinh asinh arctan atan cos cosh deg2rad degrees exp exp2 expm1 fabs negative rad2deg radians sin sinh "
        "square tanh conj conjugate log log10 log1p log2 reciprocal sqrt arccosh acosh arccos acos arcsin asin arctanh atanh "
        "tan ceil floor rint sign trunc isfinite isinf isnan logical_not invert equal not_equal greater greater_equal less "
        "less_equal logical_and logical_or logical_xor floor_divide bitwise_and bitwise_or bitwise_xor add hypot logaddexp "
        "logaddexp2 multiply subtract arctan2 atan2 maximum minimum fmax fmin divide true_divide pow power mod remainder matmul "
        "vectorize broadcast sum prod mean std var max min amax amin cumsum trace diff gradient append array array_split "
        "asarray asanyarray asarray_chkfinite astype atleast_1d atleast_2d atleast_3d block broadcast_to column_stack concat "
        "concatenate diag dsplit dstack expand_dims fliplr flipud full full_like hsplit hstack identity kron moveaxis "
        "permute_dims ravel repeat reshape roll rollaxis row_stack rot90 split squeeze stack swapaxes tile transpose tril triu "
        "tri vsplit vstack choose clip partition select sort where setdiff1d setxor1d intersect1d union1d angle around round "
        "fix imag real real_if_close sinc nan_to_num cross dot inner outer tensordot einsum poly linspace arange all any "
        "allclose argmax argmin argpartition argsort argwhere array_equal array_equiv broadcast_shapes count_nonzero "
        "diag_indices empty eye flatnonzero hamming hanning indices isclose iscomplex iscomplexobj isin isneginf isposinf "
        "isreal isscalar issubdtype ix_ lexsort ndim shape nonzero ones ones_like zeros zeros_like result_type searchsorted "
        "size tril_indices triu_indices unravel_index c_ r_",
    "operator ":
        "Add; Sub; Mult; Div; Mod; Pow; MatMult; BitAnd; BitOr; BitXor; LShift; RShift; compare (< <= > >= == !=); unary "
        "Invert; unary Not; unary USub",
    "ndarray.":
        "sum() prod() mean() std() var() max() min() all() any() argmax() argmin() argpartition() argsort() astype() clip() "
        "cumsum() flatten() nonzero() ravel() repeat() reshape() round() searchsorted() squeeze() swapaxes() trace() "
        "transpose() T dtype ndim shape size",
    "numpy.linalg.":
        "norm cholesky det eig eigh inv multi_dot pinv slogdet solve svd",
    "numpy.fft.":
        "fft ifft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftfreq fftshift ifftshift",
    "scipy.special.":
        "erf erfc expit i0 i1 j0 j1 digamma gamma gammaln psi rgamma y0 y1 erfinv logit iv ive jn yn beta betaln betainc "
        "erfcinv gammainc gammaincc gammasgn logsumexp multigammaln polygamma",
    "scipy.stats.":
        "norm.cdf norm.logcdf norm.logpdf norm.logsf norm.pdf norm.sf beta.logpdf beta.pdf gamma.logpdf gamma.pdf t.logpdf "
        "t.pdf poisson.cdf poisson.logpmf poisson.pmf dirichlet.logpdf dirichlet.pdf multivariate_normal.logpdf "
        "multivariate_normal.pdf multivariate_normal.entropy",
    "scipy.linalg.":
        "solve_banded solve_sylvester solve_triangular sqrtm",
    "scipy.signal.":
        "convolve"}

JAX = {
    "numpy.":
        "abs absolute arcsinh asinh arctan atan cos cosh deg2rad degrees exp exp2 expm1 fabs negative positive rad2deg radians "
        "sin sinh square tanh cbrt conj conjugate log log10 log1p log2 reciprocal sqrt arccosh acosh arccos acos arcsin asin "
        "arctanh atanh tan ceil floor rint sign trunc isfinite isinf isnan logical_not invert equal not_equal greater "
        "greater_equal less less_equal logical_and logical_or logical_xor floor_divide bitwise_and bitwise_or bitwise_xor add "
        "copysign hypot logaddexp logaddexp2 multiply subtract arctan2 atan2 maximum minimum fmax fmin divide true_divide pow "
        "power float_power mod remainder fmod heaviside divmod modf matmul vecdot matvec add.reduce add.accumulate add.outer "
        "multiply.outer subtract.outer multiply.reduce maximum.reduce maximum.accumulate minimum.accumulate logaddexp.reduce "
        "logical_or.reduce vectorize sum prod mean std var max min amax amin nansum nanprod nanmean nanstd nanvar nanmax nanmin "
        "median nanmedian ptp percentile quantile average cumsum cumprod nancumsum cumulative_sum trapezoid corrcoef cov trace "
        "diff ediff1d gradient histogram histogram2d bincount append array array_split asarray astype atleast_1d atleast_2d "
        "atleast_3d block broadcast_arrays broadcast_to column_stack concat concatenate copy delete diag diagflat diagonal "
        "dsplit dstack expand_dims extract flip fliplr flipud full full_like hsplit hstack identity insert kron "
        "matrix_transpose meshgrid moveaxis pad permute_dims ravel repeat reshape resize roll rollaxis rot90 split squeeze "
        "stack swapaxes tile transpose tril triu tri unstack vander vsplit vstack clip compress partition piecewise select sort "
        "take_along_axis unique where setdiff1d angle around round imag real interp i0 sinc nan_to_num unwrap convolve "
        "correlate cross dot inner outer vdot tensordot einsum apply_along_axis apply_over_axes poly roots polyder polyint "
        "polyfit polyval linspace geomspace logspace arange all any allclose argmax argmin argpartition argsort argwhere "
        "array_equal array_equiv broadcast_shapes count_nonzero diag_indices diag_indices_from empty eye flatnonzero hamming "
        "hanning indices isclose iscomplex iscomplexobj isneginf isposinf isreal isscalar issubdtype lexsort nanargmax ndim "
        "shape nonzero ones ones_like zeros zeros_like result_type searchsorted size tril_indices triu_indices "
        "triu_indices_from unravel_index mgrid ogrid c_ r_ s_",
    "operator ":
        "Add; Sub; Mult; Div; Mod; Pow; FloorDiv; MatMult; BitAnd; BitOr; BitXor; LShift; RShift; compare (< <= > >= == !=); "
        "unary Invert; unary Not; unary UAdd; unary USub",
    "ndarray.":
        "sum() prod() mean() std() var() max() min() all() any() argmax() argmin() argpartition() argsort() astype() clip() "
        "compress() conj() copy() cumprod() cumsum() diagonal() dot() flatten() item() nonzero() ptp() ravel() repeat() "
        "reshape() round() searchsorted() sort() squeeze() swapaxes() trace() transpose() view() T mT real imag dtype itemsize "
        "nbytes ndim shape size",
    "numpy.linalg.":
        "norm cholesky cond det eigh eigvals eigvalsh inv lstsq matrix_norm matrix_power matrix_rank multi_dot pinv qr slogdet "
        "solve svd svdvals vector_norm",
    "numpy.fft.":
        "fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftfreq fftshift ifftshift",
    "scipy.special.":
        "erf erfc expit i0 i1 i0e i1e erfcx ndtr log_ndtr digamma gamma gammaln exp1 expi loggamma entr erfinv logit ndtri "
        "kl_div rel_entr beta betaln betainc comb factorial gammainc gammaincc gammasgn log_softmax logsumexp multigammaln "
        "polygamma softmax wofz xlogy xlog1py bernoulli boxcox boxcox1p dawsn expn fresnel hyp1f1 hyp2f1 owens_t poch sici "
        "spence zeta",
    "scipy.stats.":
        "norm.cdf norm.logcdf norm.logpdf norm.logsf norm.pdf norm.sf beta.logpdf beta.pdf chi2.cdf chi2.logpdf chi2.pdf "
        "gamma.cdf gamma.logpdf gamma.pdf t.logpdf t.pdf cauchy.logpdf expon.logpdf laplace.logpdf uniform.logpdf norm.ppf "
        "bernoulli.logpmf binom.logpmf poisson.cdf poisson.logpmf poisson.pmf dirichlet.logpdf dirichlet.pdf "
        "multivariate_normal.logpdf multivariate_normal.pdf sem",
    "scipy.linalg.":
        "block_diag cholesky inv solve_triangular cho_factor cho_solve det eigh expm lu lu_factor lu_solve qr solve svd "
        "toeplitz",
    "scipy.signal.":
        "convolve convolve2d correlate fftconvolve",
    "scipy.interpolate.":
        "RegularGridInterpolator",
    "scipy.integrate.":
        "trapezoid",
    "scipy.ndimage.":
        "map_coordinates"}


def names(shared: dict[str, str]) -> list[str]:
    """The names of a table, as `tests.coverage.table` has them."""
    return [beginning + name for beginning, listed in shared.items()
            for name in (listed.split("; ") if beginning == "operator " else listed.split())]
