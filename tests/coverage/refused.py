"""The forms that are refused, each with the reason that docs/coverage.md prints."""
from __future__ import annotations

NO_ORDER = "a density with Bessel functions of any order has no formula by its degrees of freedom: not among the distributions"
IN_PLACE = "it changes the array that it is given: `sparse.csr_array((values, (rows, columns)))`"
ROUTINE = "a routine of BLAS or LAPACK: the function of `numpy.linalg` or `scipy.linalg` that the error names"
MASKED = "masked arrays: a boolean mask, `x[~mask]`, or `np.where`"
ITERATOR = "an iterator that may write: `zip(x.flat, y.flat)`"
SUBCLASS = "a subclass of arrays with another `*`: `np.array` and `@`"
MEMORY = "where an array lies in memory, while something may change in place"
FLAGS = "it changes a flag of the array"
OBJECTS = "it makes arrays of objects: `np.vectorize(f, otypes=[float])`"
UNBOUND = "a method of arrays that is taken from the class: `x.sum()`"
LENGTH = "`*` of an array whose length is not known: `np.linalg.norm(x)`, `tuple(...)`"
OPERATOR = "a LinearOperator hides what it depends on: a sparse matrix"
NO_FORMULA = "no rule: `spsolve`, `splu`, `cg` or `gmres` for systems, `eigsh` and `svds` for spectra"
FITTED = "SciPy fits in compiled code: `make_interp_spline`"

BY_HAND = "a class of SciPy's that is written in Python and picks its methods by name: `make_interp_spline`, `RBFInterpolator`"
NEAREST = "a formula for `method='linear'` in two dimensions and more: `interp1d`, or `np.interp`, in one"

NEIGHBOURS = "a tree that searches in compiled code: ask it outside, and compute distances of `points[index]`"
GEOMETRY = "Qhull's results by the points: ask it outside for the indices, and compute areas and centres of `points[index]`"

NODES = "np.array([0.0, 1.0, 2.0, 3.5, 5.0])"
CORNERS = "np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [2, 0.5]])"
REASONS = {
    LENGTH: ["math.hypot(*x)"],
    UNBOUND: ["np.ndarray.sum(x)", "np.ndarray.reshape(M, (4, 3))"],
    SUBCLASS: ["(np.matrix(A) * np.matrix(B)).sum()", "np.matrix(A).T.sum()", "np.asarray(np.matrix(A) * s)"],
    ITERATOR: ["sum(float(v) for v in np.nditer(x))", "sum(v * w for v, w in np.nditer([x, y]))",
               "z = 0.0\nfor v in np.nditer(x): z = z + v * v\nz"],
    OBJECTS: ["np.frompyfunc(lambda t: t * t, 1, 1)(x).astype(float)", "np.sum(np.frompyfunc(lambda t, v: t * v, 2, 1)(x, y))",
              "np.frompyfunc(lambda t: t * s, 1, 1)(x).astype(float)"],
    MASKED: ["np.ma.masked_where(x > 1, x).sum()", "np.ma.masked_where(x > 1, x).filled(0.0)",
             "np.ma.masked_where(M > 1, M).mean()"],
    FLAGS: ["z = x.copy(); z.setflags(write=True); z * s", "z = x * 2.0; z.setflags(write=False); z",
            "z = M * 1.0; z.setflags(write=True); z[0] = s; z"],
    MEMORY: ["x + (x.data is None)", "x * x.data.ndim", "s * x.data.nbytes"],
    NO_ORDER: ["stats.ncx2.pdf(p, 3.0, 1.5)", "stats.ncx2.pdf(p, 3.0, 1.5, -0.1, s)",
               "stats.ncx2.pdf(p, 3.0, 1.5, loc=-0.2 * s, scale=2.0)", "stats.ncx2(3.0, 1.5, scale=s).pdf(p)"],
    ROUTINE: ["linalg.blas.dsyr(1.0, x)", "linalg.blas.dsyr(s, x[:3], a=A)", "linalg.blas.dsyr(1.0, x, lower=1)",
              "linalg.blas.dsyrk(1.0, A)", "linalg.blas.dsyrk(s, A, trans=1)", "linalg.blas.dsyrk(1.0, A, lower=1)",
              "linalg.blas.dtrmm(1.0, A, B)", "linalg.blas.dtrmm(s, A, B, lower=1)", "linalg.blas.dtrmm(1.0, A, B, trans_a=1)",
              "linalg.lapack.dpotrf(S)[0]", "linalg.lapack.dpotrf(S, lower=1)[0]", "linalg.lapack.dpotrf(S, clean=1)[0]",
              "linalg.lapack.dpotri(A)[0]", "linalg.lapack.dpotri(A, lower=1)[0]", "linalg.lapack.dpotri(linalg.cholesky(S))[0]",
              "linalg.lapack.dpotrs(A, B)[0]", "linalg.lapack.dpotrs(A, B, lower=1)[0]",
              "linalg.lapack.dpotrs(linalg.cholesky(S), B)[0]", "linalg.lapack.dtrtri(A)[0]", "linalg.lapack.dtrtri(A, lower=1)[0]",
              "linalg.lapack.dtrtri(A, unitdiag=1)[0]", "linalg.lapack.dtrtrs(A, B)[0]", "linalg.lapack.dtrtrs(A, B, lower=1)[0]",
              "linalg.lapack.dtrtrs(A, B, trans=1)[0]"],
    IN_PLACE: ["sparse.lil_matrix(A) @ x[:3]", "z = sparse.lil_matrix((3, 3)); z[0, 1] = s; z.toarray()"],
    OPERATOR: ["sparse.linalg.cg(sparse.linalg.LinearOperator((3, 3), matvec=lambda v: S @ v), x[:3], rtol=1e-12)[0]"],
    NO_FORMULA: ["np.real(sparse.linalg.eigs(sparse.csr_matrix(S), k=1)[0])", "np.real(sparse.linalg.eigs(S, k=1)[0])",
                 "np.real(sparse.linalg.eigs(sparse.csr_matrix(A), k=1, return_eigenvectors=False))",
                 *(f"sparse.linalg.{name}({form})[0]" for name in ("gcrotmk", "qmr") for form in (
                     "sparse.csr_matrix(S), x[:3], rtol=1e-13", "S, x[:3], rtol=1e-13, maxiter=200",
                     "sparse.csc_matrix(S), x[:3], x0=y[:3], rtol=1e-13"))],
    FITTED: ["interpolate.splprep([x, y], u=np.arange(5.0), s=0)[0][1][0]", "interpolate.splprep([x, y], s=0)[1]",
             "interpolate.splev(0.3, interpolate.splprep([x, y], s=0)[0])[0]"],
    BY_HAND: [*(f"interpolate.PPoly.from_spline({spline}" for spline in (
                  f"interpolate.splrep({NODES}, x))(s)", f"interpolate.splrep({NODES}, x, k=1))(p)",
                  f"interpolate.make_interp_spline({NODES}, x))(s)")),
              f"interpolate.Rbf({NODES}, x)(s)", f"interpolate.Rbf({NODES}, x, smooth=0.1)(p)",
              f"interpolate.Rbf({NODES}, y, x, smooth=0.1)(s, 0.3)",
              f"interpolate.UnivariateSpline({NODES}, x, s=0).derivative()(1.7)"],
    NEAREST: [f"interpolate.griddata({NODES}, x, p)",
              f"interpolate.griddata({CORNERS}, x, np.array([[0.3, 0.2]]), method='nearest')"],
    NEIGHBOURS: [f"spatial.{name}({points}).query([s, 0.3])[0]" for name in ("KDTree", "cKDTree")
                 for points in ("B", "np.array([[0.0, 0], [1, 0]])")],
    GEOMETRY: ["spatial.ConvexHull(np.stack([x, y], 1)).volume", "spatial.ConvexHull(np.stack([x, y], 1)).area",
               "spatial.Voronoi(np.stack([x, y], 1)).vertices"]}
REFUSED = {form: reason for reason, forms in REASONS.items() for form in forms}
