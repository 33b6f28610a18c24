"""Forms of functions of elements: ufuncs, their methods, operators, math, builtins, dtypes. (`table` says what a form is.)"""
from __future__ import annotations

# of a vector, of a matrix, of a number: where the function is smooth
DOMAINS = {"any": ("x", "M", "s"), "positive": ("p", "np.abs(M) + 0.2", "s"), "inside": ("u", "0.9 * np.tanh(M)", "0.3 * s"),
           "above one": ("p + 1.1", "np.abs(M) + 1.2", "s")}
UNARY = {
    "any": "abs absolute arcsinh asinh arctan atan cos cosh deg2rad degrees exp exp2 expm1 fabs negative positive rad2deg radians "
           "sin sinh square tanh cbrt conj conjugate",
    "positive": "log log10 log1p log2 reciprocal sqrt", "above one": "arccosh acosh",
    "inside": "arccos acos arcsin asin arctanh atanh tan"}
STEPS = "ceil floor rint sign trunc isfinite isinf isnan logical_not"
BINARY = {("x", "y", "M", "s"): "add copysign hypot logaddexp logaddexp2 multiply subtract arctan2 atan2 maximum minimum fmax fmin",
          ("x", "p", "M", "s"): "divide true_divide", ("p", "y", "np.abs(M) + 0.2", "s"): "pow power float_power",
          ("x", "p * 1.37", "M", "s"): "mod remainder fmod"}
COMPARED = "equal not_equal greater greater_equal less less_equal logical_and logical_or logical_xor floor_divide nextafter"
BITWISE = "bitwise_and bitwise_or bitwise_xor"
MATH = {"s": "atan asinh cos cosh degrees erf erfc exp expm1 fabs gamma lgamma log log10 log1p log2 radians sin sinh sqrt tan tanh",
        "0.3 * s": "acos asin atanh"}
MATH_STEPS = "ceil floor trunc isfinite"
TYPES = "float64 float32 complex64 complex128 int16 int32 int64 int_ uint8 uint16 uint32 bool_"


def unary() -> dict[str, list[str]]:
    found = {}
    for domain, names in UNARY.items():
        vector, matrix, number = DOMAINS[domain]
        for name in names.split():
            f = f"np.{name}"
            found[f"numpy.{name}"] = [
                f"{f}({vector})", f"{f}({matrix})", f"{f}({number})", f"{f}({vector}, dtype=np.float64)",
                f"{f}({vector}, where={vector} > 0.5, out=np.full(5, 0.5))", f"z = np.empty(5); {f}({vector}, out=z); z * {vector}"]
    return found


def steps() -> dict[str, list[str]]:
    """What is constant between places: a factor is what the derivative sees."""
    found = {}
    for name in STEPS.split():
        f = f"np.{name}"
        found[f"numpy.{name}"] = [f"{f}(x) * x", f"{f}(M) * M + s", f"{f}(s) * s", f"z = np.ones(5); np.copyto(z, {f}(x)); z * x"]
    found["numpy.invert"] = ["np.invert(x > 0) * x", "x[np.invert(x > 1.0)]", "np.invert(np.array([1, 2])) * s"]
    for name in COMPARED.split():
        f = f"np.{name}"
        found[f"numpy.{name}"] = [f"{f}(x, 0.83) * x", f"np.where({f}(M, 0.83), M, s)", f"{f}(x, y) * (x + y)"]
    for name in BITWISE.split():
        f = f"np.{name}"
        found[f"numpy.{name}"] = [f"{f}(x > 0, y > 0) * x", f"np.where({f}(M > 0, M < 1.0), M, s)",
                                  f"{f}(np.arange(5), 3) * x"]
    return found


def binary() -> dict[str, list[str]]:
    found = {}
    for (first, second, matrix, number), names in BINARY.items():
        for name in names.split():
            f = f"np.{name}"
            found[f"numpy.{name}"] = [
                f"{f}({first}, {second})", f"{f}({matrix}, {number})", f"{f}({number}, {second})",
                f"{f}({first}[:, None], {second})", f"{f}({first}, {second}, dtype=np.float64)",
                f"{f}({first}, {second}, where={second} > 0.5, out=np.full(5, 0.5))",
                f"z = np.empty(5); {f}({first}, {second}, z); z * {second}"]
    found["numpy.heaviside"] = ["np.heaviside(x, 0.5) * x", "np.heaviside(x, y) + x", "np.heaviside(M, s) * M"]
    found["numpy.divmod"] = ["np.divmod(x, 0.83)[1]", "np.divmod(x, p * 1.37)[1]", "np.divmod(M, s)[1]"]
    found["numpy.modf"] = ["np.modf(x)[0]", "np.modf(M)[0] * np.modf(M)[1]", "a, b = np.modf(x); a * b + x"]
    found["numpy.matmul"] = ["np.matmul(A, B)", "np.matmul(T, M.T)", "np.matmul(x, y)", "np.matmul(M, x[:4])",
                             "np.matmul(A, B, out=np.empty((3, 2)))", "np.matmul(np.stack([A, S]), B)"]
    found["numpy.vecdot"] = ["np.vecdot(x, y)", "np.vecdot(M, M[0])", "np.vecdot(T, T, axis=1)"]
    found["numpy.matvec"] = ["np.matvec(A, x[:3])", "np.matvec(T, x[:4])", "np.matvec(np.stack([A, S]), x[:3])"]
    return found


def operators() -> dict[str, list[str]]:
    found = {}
    for name, sign in {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Mod": "%"}.items():
        found[f"operator {name}"] = [f"x {sign} (p * 1.37)", f"M {sign} s", f"s {sign} (p * 1.37)",
                                     f"z = x * 1.0; z {sign}= p * 1.37; z", f"M[:, :1] {sign} (p[:4] + 0.15)", f"x {sign} 2"]
    found["operator Pow"] = ["p ** y", "M ** 2", "M ** 3.0", "s ** x", "2 ** x", "p ** -1", "z = p * 1.0; z **= 2; z", "x ** 0"]
    found["operator FloorDiv"] = ["x // 0.83 * x", "M // s + M", "z = x * 1.0; z //= 0.83; z * x"]
    found["operator MatMult"] = ["A @ B", "M @ x[:4]", "x @ y", "T @ M.T", "x[:3] @ A", "z = A * 1.0; z @= S; z"]
    for name, sign in {"BitAnd": "&", "BitOr": "|", "BitXor": "^"}.items():
        found[f"operator {name}"] = [f"((x > 0) {sign} (y > 0)) * x", f"np.where((M > 0) {sign} (M < 1.0), M, s)",
                                     f"x[(x > 0) {sign} (y > 0)]", f"(np.arange(5) {sign} 3) * x"]
    for name, sign in {"LShift": "<<", "RShift": ">>"}.items():
        found[f"operator {name}"] = [f"(np.arange(5) {sign} 1) * x", f"(5 {sign} 1) * s", f"k = 4; k {sign}= 1; k * x"]
    found["operator compare (< <= > >= == !=)"] = ["(x < y) * x", "(0.0 < s < 2.0) * s", "x[x >= 0.5]", "(M != 0.0) * M",
                                                   "np.where(x <= y, x, y ** 2)", "x ** 2 if s > 1.0 else y"]
    found["operator unary Invert"] = ["x[~(x > 0)]", "(~(x > 0)) * x", "(~np.arange(5)) * x"]
    found["operator unary Not"] = ["x if not s > 2.0 else y", "(not s) + s", "s * (not bool(s > 9.0))"]
    found["operator unary UAdd"] = ["+x", "+s", "+M * s"]
    found["operator unary USub"] = ["-x", "-s", "-M * s"]
    return found


def mathematics() -> dict[str, list[str]]:
    found = {}
    for number, names in MATH.items():
        for name in names.split():
            found[f"math.{name}"] = [f"math.{name}({number})", f"x * math.{name}({number}) ** 2",
                                     f"np.array([math.{name}({number} + 0.1 * k) for k in range(3)])"]
    for name in MATH_STEPS.split():
        found[f"math.{name}"] = [f"math.{name}(s) * s", f"x * math.{name}(x[0] * 3.1)", f"x[:math.{name}(s) + 1]"]
    return found | {
        "math.atan2": ["math.atan2(s, x[0])", "math.atan2(s, -2.0)", "x * math.atan2(x[0], x[1])"],
        "math.copysign": ["math.copysign(s, x[1])", "math.copysign(-2.0, s) * s", "x * math.copysign(x[0], x[1])"],
        "math.hypot": ["math.hypot(s, x[0])", "math.hypot(*x)", "math.hypot(s, 2.0, x[1])"],
        "math.pow": ["math.pow(s, 2.5)", "math.pow(s, x[0])", "math.pow(2.0, s) * x"],
        "math.dist": ["math.dist(x, y)", "math.dist([s, 1.0], [x[0], x[1]])", "math.dist(tuple(x), tuple(p))"],
        "math.prod": ["math.prod(list(x))", "math.prod(x, start=s)", "math.prod(v * v for v in x)"],
        "math.fsum": ["math.fsum(list(x))", "math.fsum(v * v for v in x)", "math.fsum([s, x[0], 2.0])"],
        "math.fmod": ["math.fmod(s, 0.83)", "math.fmod(x[1], 0.3)", "math.fmod(s, x[2])"],
        "math.acosh": ["math.acosh(s)", "x * math.acosh(s) ** 2", "math.acosh(x[0] + p[1])"],
        "math.cbrt": ["math.cbrt(s)", "x * math.cbrt(x[1])", "math.cbrt(s) ** 2"],
        "math.comb": ["math.comb(5, 2) * s", "sum(math.comb(3, k) * s ** k for k in range(4))", "x * math.comb(len(x), 2)"],
        "math.factorial": ["s ** 3 / math.factorial(3)", "sum(s ** k / math.factorial(k) for k in range(5))",
                           "x / math.factorial(len(x))"],
        "math.isclose": ["math.isclose(s, 2.7) + s", "x if math.isclose(s, 2.0, rel_tol=1e-3) else y",
                         "math.isclose(s, 1.7, abs_tol=1e-3) * x"],
        "math.pi": ["math.pi * x", "np.sin(math.pi * s)", "x ** math.pi if s < 0 else x * math.pi"],
        "math.inf": ["min(math.inf, s) * x", "np.where(x < math.inf, x, 0.0)", "max(-math.inf, s)"],
        "math.nan": ["np.where(x == math.nan, 0.0, x)", "np.nansum(np.array([s, math.nan]))",
                     "x if not math.isnan(math.nan * s) else y"]}


def builtins() -> dict[str, list[str]]:
    return {
        "builtin abs()": ["abs(x)", "abs(s)", "abs(M) * s"],
        "builtin all()": ["x * all(x > -9)", "x if all(v > 0 for v in p) else y", "x * all([s > 1.0, s < 2.0])"],
        "builtin any()": ["x * any(x > 2)", "x if any(v > 2 for v in p) else y", "x * any([s > 3.0, s < 2.0])"],
        "builtin bool()": ["bool(s) * x", "x if bool(s > 1.0) else y", "bool(x[0]) * s"],
        "builtin complex()": ["complex(s, x[0]).real", "abs(complex(s, x[0]))", "(complex(s) ** 2).real"],
        "builtin divmod()": ["divmod(s, 0.83)[1]", "a, b = divmod(s, 0.83); a * b", "divmod(x, 0.83)[1]"],
        "builtin float()": ["float(s) * x", "float(x[0]) ** 2", "float(np.sum(x))"],
        "builtin int()": ["int(s) * x", "x[:int(s) + 1]", "int(3.7) * s"],
        "builtin len()": ["np.sum(x) / len(x)", "len(M) * M", "x * len([s, s])"],
        "builtin max()": ["max(s, 0.5)", "max(x)", "max(s, x[0], 0.1)", "max(list(x), key=abs)", "max([], default=s)"],
        "builtin min()": ["min(s, 0.5) * s", "min(x)", "min(s, x[0], 0.1)", "min(list(x), key=abs)", "min([], default=s)"],
        "builtin pow()": ["pow(s, 2.5)", "pow(p, y)", "pow(2.0, s)"],
        "builtin round()": ["round(s, 2) * s", "round(s) * x", "x[:round(s)]"],
        "builtin sorted()": ["np.array(sorted(x))", "sorted(list(x), reverse=True)[0]", "sorted(x, key=abs)[1] * s"],
        "builtin sum()": ["sum(x)", "sum(M)", "sum([s, x[0]], 2.0)", "sum(v * v for v in x)"]}


def methods() -> dict[str, list[str]]:
    """Methods of ufuncs."""
    return {
        "numpy.add.at": ["z = np.zeros(3); np.add.at(z, [0, 1, 1, 2, 0], x); z", "z = x * 1.0; np.add.at(z, [0, 0], s); z",
                         "z = M * 1.0; np.add.at(z, (np.array([0, 0]), np.array([1, 1])), x[:2]); z"],
        "numpy.add.reduce": ["np.add.reduce(x)", "np.add.reduce(M, axis=1, keepdims=True)", "np.add.reduce(T, axis=(0, 2))"],
        "numpy.add.accumulate": ["np.add.accumulate(x)", "np.add.accumulate(M, axis=1)", "np.add.accumulate(T, axis=-1)"],
        "numpy.add.outer": ["np.add.outer(x, y)", "np.add.outer(x, s)", "np.add.outer(M, x)"],
        "numpy.multiply.outer": ["np.multiply.outer(x, y)", "np.multiply.outer(M, x)", "np.multiply.outer(s, x)"],
        "numpy.subtract.outer": ["np.subtract.outer(x, y)", "np.subtract.outer(x, x)", "np.subtract.outer(s, M)"],
        "numpy.multiply.reduce": ["np.multiply.reduce(x)", "np.multiply.reduce(M, axis=1)", "np.multiply.reduce(x, initial=s)"],
        "numpy.maximum.reduce": ["np.maximum.reduce(x)", "np.maximum.reduce([x, y, p])", "np.maximum.reduce(M, axis=1)"],
        "numpy.maximum.accumulate": ["np.maximum.accumulate(x)", "np.maximum.accumulate(M, axis=1)",
                                     "np.maximum.accumulate(M, axis=0) * s"],
        "numpy.minimum.accumulate": ["np.minimum.accumulate(x)", "np.minimum.accumulate(M, axis=1)",
                                     "np.minimum.accumulate(M, axis=0) * s"],
        "numpy.logaddexp.reduce": ["np.logaddexp.reduce(x)", "np.logaddexp.reduce(M, axis=1)", "np.logaddexp.reduce([x, y])"],
        "numpy.logical_or.reduce": ["np.logical_or.reduce([x > 0, y > 0]) * x", "np.logical_or.reduce(x > 2) * x",
                                    "M[np.logical_or.reduce(M > 1, axis=1)]"]}


def types() -> dict[str, list[str]]:
    found = {f"numpy.{name}": [f"np.{name}(3) * x", f"np.real(np.ones(5, dtype=np.{name})) * x",
                               f"np.real(np.arange(5).astype(np.{name})) * x"] for name in TYPES.split()}
    for name in ("floating", "integer", "generic", "number", "ndarray"):
        found[f"numpy.{name}"] = [f"isinstance(x, np.{name}) * x + y", f"isinstance(x[0], np.{name}) * s + x",
                                  f"x ** 2 if isinstance(s, np.{name}) else y"]
    return found | {
        "numpy.float64": ["np.float64(s) * x", "np.float64(x[0]) ** 2", "x.astype(np.float64)", "np.array([s], dtype=np.float64)"],
        "numpy.complex128": ["np.complex128(s).real", "np.abs(np.complex128(s) + 1j)", "x.astype(np.complex128).real"],
        "numpy.ndarray": ["x if isinstance(x, np.ndarray) else y", "np.ndarray.sum(x)", "np.ndarray.reshape(M, (4, 3))",
                          "np.ndarray((2,), dtype=float).size * s"],
        "numpy.object_": ["(np.object_ is object) * x", "(x.dtype == np.object_) + x", "(x.dtype.type is np.object_) * s + s"],
        "numpy.void": ["(x.dtype.type is np.void) + x", "isinstance(x, np.void) * s + s", "(x.dtype == np.void) + x"],
        "numpy.datetime64": ["isinstance(s, np.datetime64) + s",
                             "(np.datetime64('2020-01-02') > np.datetime64('2020-01-01')) * x",
                             "((np.datetime64('2020-01-03') - np.datetime64('2020-01-01')) / np.timedelta64(1, 'D')) * x"],
        "numpy.finfo": ["np.finfo(float).eps + x", "np.maximum(x, np.finfo(np.float64).tiny)", "x / np.finfo(x.dtype).eps * 1e-16"],
        "numpy.vectorize": ["np.vectorize(lambda t: t ** 2 + 1.0)(x)", "np.vectorize(lambda t: t ** 2, otypes=[float])(M)",
                            "np.vectorize(lambda t, v: t * v)(x, s)"],
        "numpy.poly1d": ["np.poly1d(x)(s)", "np.poly1d(x).deriv()(s)", "(np.poly1d(x) * np.poly1d(y))(s)",
                         "np.poly1d([1.0, 2.0])(x)", "np.polyval(np.poly1d([1.0, 2.0]), x)",
                             "np.polyint(np.poly1d([1.0, 2.0]))(x)"],
        "numpy.errstate": ["with np.errstate(all='ignore'): z = x / p\nz", "with np.errstate(divide='ignore'): z = np.log(p)\nz",
                           "with np.errstate(invalid='ignore', over='ignore'): z = np.exp(x)\nz * s"],
        "numpy.matrix": ["(np.matrix(A) * np.matrix(B)).sum()", "np.matrix(A).T.sum()", "np.asarray(np.matrix(A) * s)"],
        "numpy.broadcast": ["x * np.broadcast(x, M[:, :1]).size", "np.zeros(np.broadcast(x, y).shape) + x",
                            "s * np.broadcast(x, M[:, :1]).ndim"],
        "numpy.nditer": ["sum(float(v) for v in np.nditer(x))", "sum(v * w for v, w in np.nditer([x, y]))",
                         "z = 0.0\nfor v in np.nditer(x): z = z + v * v\nz"]}


FORMS = unary() | steps() | binary() | operators() | mathematics() | builtins() | methods() | types()
