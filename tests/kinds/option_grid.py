"""Calls of functions with rules, with each of their optional parameters: text of expressions in x, by name of the function."""

from __future__ import annotations

import numpy as np

from tests.kinds.option_values import calls, methods, options

AXES = ["0", "-1", "(0, 1)", "None", "(0,)", "()"]
AXIS = ["0", "-1", "1"]
KEEP = ["True"]
WHERE = ["x > 0", "np.arange(x.shape[-1]) > 0", "True"]
ORDERS = ["'C'", "'F'", "'A'", "'K'"]
DTYPES = ["np.float64", "complex"]
OUTS = ["np.zeros(x.shape[1:])", "np.zeros(())"]
NORMS = ["'ortho'", "'forward'", "'backward'", "None"]
SIMILAR = "0.5 * x[..., ::-1] + 3.0"

GRID: dict[str, list[str]] = {
    **calls("sum prod", axis=AXES, keepdims=KEEP, dtype=DTYPES, initial=["2.0"], where=WHERE, out=OUTS),
    **calls("mean", axis=AXES, keepdims=KEEP, dtype=DTYPES, where=WHERE, out=OUTS),
    **calls("max min amax amin", axis=AXES, keepdims=KEEP, initial=["0.1"], where=["x > 0"], out=OUTS),
    **calls("ptp", axis=AXES, keepdims=KEEP, out=OUTS),
    **calls(
        "var std",
        axis=AXES,
        keepdims=KEEP,
        ddof=["1", "0.5"],
        dtype=DTYPES,
        where=WHERE,
        correction=["1"],
        mean=["np.mean(x, keepdims=True)"],
        out=OUTS,
    ),
    **calls("nansum nanprod", axis=AXES, keepdims=KEEP, dtype=DTYPES, initial=["2.0"], where=["x > 0"]),
    **calls("nanmean", axis=AXES, keepdims=KEEP, dtype=DTYPES, where=["x > 0"]),
    **calls("nanmax nanmin", axis=AXES, keepdims=KEEP, initial=["0.1"], where=["x > 0"]),
    **calls(
        "nanvar nanstd",
        axis=AXES,
        keepdims=KEEP,
        ddof=["1"],
        dtype=["np.float64"],
        where=["x > 0"],
        correction=["1"],
        mean=["np.mean(x, keepdims=True)"],
    ),
    **calls("median nanmedian", axis=AXES, keepdims=KEEP, overwrite_input=["False"], out=OUTS[:1]),
    **calls(
        "percentile nanpercentile",
        rest=", 30.0",
        axis=AXES,
        keepdims=KEEP,
        method=["'linear'", "'lower'", "'higher'", "'midpoint'", "'nearest'", "'hazen'", "'median_unbiased'", "'inverted_cdf'"],
        weights=["np.ones(x.shape)"],
    ),
    "percentiles": [f"np.percentile(x, [10.0, 60.0]{o})" for o in options(axis=AXES, keepdims=KEEP)],
    **calls("quantile nanquantile", rest=", np.array([0.2, 0.7])", axis=AXES, keepdims=KEEP, method=["'lower'", "'weibull'"]),
    **calls(
        "average",
        axis=AXES[:4],
        keepdims=KEEP,
        weights=["np.arange(1.0, 1.0 + x.size).reshape(x.shape)", "x * x + 1.0"],
        returned=["True"],
    ),
    **calls(
        "cumsum cumprod nancumsum nancumprod", axis=["None", *AXIS], dtype=DTYPES, out=["np.zeros(x.shape) if x.ndim else None"]
    ),
    **{
        f"np.cumulative_{n}": [
            f"np.cumulative_{n}(x{o})" for o in options(axis=AXIS, include_initial=["True"], dtype=["np.float64"])
        ]
        for n in ("sum", "prod")
        if hasattr(np, "cumulative_sum")
    },
    **calls("diff", axis=AXIS, n=["0", "1", "2", "3"], prepend=["0.0", "x"], append=["1.0", "2.0 * x"]),
    **calls("ediff1d", to_end=["1.0", "[1.0, 2.0]"], to_begin=["x.ravel()"]),
    **calls("gradient", axis=["0", "-1", "(0, 1)", "None"], edge_order=["1", "2"]),
    "gradient with steps": [
        "np.gradient(x, 0.5)",
        "np.gradient(x, np.arange(4.0) ** 2)",
        "np.gradient(x, 0.5, 2.0)",
        "np.gradient(x, 0.5, np.arange(4.0) ** 2)",
        "np.gradient(x, x.ravel()[0] + 4.0)",
    ],
    **calls("trapezoid" if hasattr(np, "trapezoid") else "trapz", x=["np.arange(x.shape[-1]) ** 2.0", "x"], dx=["0.5"], axis=AXIS),
    **calls("sort", axis=["None", *AXIS], kind=["'stable'", "'heapsort'"], order=["None"]),
    **calls("partition", rest=", 1", axis=["None", *AXIS], kind=["'introselect'"]),
    **calls("unique", return_index=KEEP, return_inverse=KEEP, return_counts=KEEP, axis=["0"]),
    # --- shapes
    **calls("ravel", order=ORDERS),
    "reshape": [
        f"np.reshape(x, {shape}{o})" for shape in ("-1", "(-1, 1)", "(2, -1)", "(1,) + x.shape") for o in options(order=ORDERS[:3])
    ],
    "x.reshape": [f"x.reshape({shape}{o})" for shape in ("-1", "-1, 1", "(2, -1)") for o in options(order=ORDERS[:3])],
    "x.flatten": [f"x.flatten({order})" for order in ("", *ORDERS, "order='F'")],
    "x.ravel": [f"x.ravel({order})" for order in ("", *ORDERS, "order='F'")],
    **calls("transpose", axes=["None", "(1, 0)", "(-1, 0)", "(2, 0, 1)", "[1, 0]"]),
    "x.transpose": [f"x.transpose({axes})" for axes in ("", "None", "1, 0", "(1, 0)", "2, 0, 1", "[0, 1]", "-1, 0")],
    "swapaxes": ["np.swapaxes(x, 0, -1)", "np.swapaxes(x, 1, 0)", "x.swapaxes(-1, -2)", "np.swapaxes(x, axis1=0, axis2=1)"],
    "moveaxis": [
        "np.moveaxis(x, 0, -1)",
        "np.moveaxis(x, [0, 1], [1, 0])",
        "np.moveaxis(x, (0, -1), (-1, 0))",
        "np.rollaxis(x, -1)",
        "np.rollaxis(x, 1, 0)",
        "np.rollaxis(x, 0, 2)",
        "np.rollaxis(x, axis=-1, start=1)",
    ],
    **calls("squeeze", axis=["0", "1", "(0,)", "()", "None", "-1"]),
    **{
        f"expand_dims {a}": [f"np.expand_dims(x, {a})", f"np.expand_dims(x, axis={a})"]
        for a in ("0", "-1", "(0, 2)", "(0, -1)", "()", "[0, 1]")
    },
    **calls("roll", rest=", 1", axis=["0", "-1", "(0, 1)", "None"]),
    "rolls": [
        "np.roll(x, (1, 2), axis=(0, 1))",
        "np.roll(x, (1, 2), axis=(0, 0))",
        "np.roll(x, -1, (0, 1))",
        "np.roll(x, (1, 2), 0)",
        "np.roll(x, 0)",
        "np.roll(x, 100)",
        "np.roll(x, shift=2, axis=-1)",
        "np.roll(x, [1, -1], [0, -1])",
    ],
    **calls("flip", axis=["None", "0", "-1", "(0, 1)", "()"]),
    "fliplr": ["np.fliplr(x)", "np.flipud(x)", "np.flip(x, (0, -1))"],
    **calls("rot90", k=["0", "1", "2", "3", "-1", "5"], axes=["(0, 1)", "(1, 0)", "(-1, -2)", "(0, 2)"]),
    "tile": [
        f"np.tile(x, {reps})"
        for reps in ("2", "(2, 3)", "(1, 2)", "(2, 1, 3)", "0", "[3]", "(0, 2)", "()", "1", "np.array([2, 1])")
    ],
    "repeat": [
        f"np.repeat(x, {n}{o})"
        for n in ("2", "0", "[3]", "np.arange(x.shape[0])", "np.arange(x.size)", "np.array(2)")
        for o in options(axis=["None", "0", "-1"])
    ],
    "x.repeat": [f"x.repeat({n})" for n in ("2", "2, 0", "[1], axis=0", "repeats=3", "np.arange(x.size)", "0")],
    "pad": [
        f"np.pad(x, {w}{o})"
        for w in ("1", "(1, 2)", "((1, 0),)", "((1, 2), (0, 1))", "0", "[(2, 1)]")
        for o in (
            "",
            ", 'constant'",
            ", mode='constant', constant_values=3.0",
            ", constant_values=(1.0, 2.0)",
            ", 'edge'",
            ", mode='reflect'",
            ", mode='symmetric'",
            ", mode='wrap'",
            ", mode='reflect', reflect_type='odd'",
            ", mode='mean'",
            ", mode='maximum'",
            ", mode='linear_ramp', end_values=1.0",
            ", mode='linear_ramp'",
            ", mode='minimum', stat_length=1",
            ", constant_values=x.ravel()[0]",
            ", mode='median'",
        )
    ],
    **calls("atleast_1d atleast_2d atleast_3d"),
    "atleast of several": ["np.atleast_2d(x, 2.0 * x)", "np.atleast_1d(x, 1.0)[0]", "np.atleast_3d(1.0, x)"],
    "broadcast_to": [
        "np.broadcast_to(x, (2,) + x.shape)",
        "np.broadcast_to(x, x.shape)",
        "np.broadcast_to(x, (2, 3, 3, 4), subok=True)",
        "np.broadcast_to(x, shape=(3, 4))",
        "np.broadcast_to(x, 4)",
        "np.broadcast_to(x, 0)",
    ],
    "broadcast_arrays": ["np.broadcast_arrays(x, np.ones((3, 1)))", "np.broadcast_arrays(x, 2.0, x)", "np.broadcast_arrays(x)"],
    "resize": ["np.resize(x, 5)", "np.resize(x, (2, 3))", "np.resize(x, 0)", "np.resize(x, (2, 2, 2))"],
    **calls("trim_zeros", trim=["'f'", "'b'", "'fb'"]),
    "copy": [
        "np.copy(x)",
        "np.copy(x, order='F')",
        "np.copy(x, 'C')",
        "np.copy(x, subok=True)",
        "x.copy()",
        "x.copy('F')",
        "x.copy(order='A')",
    ],
    "asarray": [
        "np.asarray(x)",
        "np.asarray(x, dtype=float)",
        "np.asarray(x, order='F')",
        "np.asarray(x, complex)",
        "np.array(x, ndmin=3)",
        "np.array(x, copy=True)",
        "np.array(x, dtype=np.float32)",
        "np.array(x, order='F')",
        "np.array([x, 2.0 * x])",
        "np.array([[x, x]], dtype=float)",
        "np.array(x, subok=True)",
        "np.ascontiguousarray(x)",
        "np.asfortranarray(x)",
        "np.asanyarray(x)",
        "np.require(x)",
        "np.asarray_chkfinite(x)",
        "np.array([x], ndmin=2)",
        "np.array((x, x * x))",
    ],
    "x.astype": [
        "x.astype(float)",
        "x.astype(np.float32)",
        "x.astype(complex)",
        "x.astype(float, order='F')",
        "x.astype(float, copy=False)",
        "x.astype('f8', casting='safe')",
        "x.astype(int) * x",
        "x.astype(dtype=float)",
        "x.astype(np.float16)",
        "x.astype(x.dtype)",
        "x.astype(float, 'K', 'unsafe', True, True)",
    ],
    "full_like": [
        f"np.{f}({o})"
        for f, o in (
            ("full_like", "x, x.sum()"),
            ("full_like", "x, x, dtype=float"),
            ("full_like", "x, 2.0) * x + (1.0"),
            ("full_like", "x, 1.0, shape=(2, 2)) * x.sum() * (1.0"),
            ("full", "x.shape, x"),
            ("full", "(2, 2), x.sum(), dtype=float"),
            ("full", "3, x.sum()"),
            ("zeros_like", "x) + x * (1.0"),
            ("ones_like", "x, dtype=complex) * (x"),
            ("ones_like", "x, order='F', shape=(2,)) * (x.sum()"),
        )
    ],
    # --- joining
    **calls(
        "concatenate",
        argument="(x, 2.0 * x)",
        axis=["0", "-1", "1", "None"],
        dtype=["np.float64", "complex"],
        casting=["'same_kind'"],
    ),
    **calls("stack", argument="[x, x * x]", axis=["0", "-1", "1", "-2"], dtype=["np.float64"], casting=["'same_kind'"]),
    **{
        name: [
            f"np.{name}([x, 2.0 * x])",
            f"np.{name}((x, x, x))",
            f"np.{name}([x])",
            f"np.{name}((x, x), dtype=float)",
            f"np.{name}([x, 1.0])",
        ]
        for name in ("vstack", "hstack", "dstack", "column_stack")
    },
    "block": ["np.block([x, x])", "np.block([[x, 2.0 * x], [x, x]])", "np.block(x)", "np.block([[x], [x]])"],
    "append": [
        "np.append(x, 1.0)",
        "np.append(x, x, axis=0)",
        "np.append(x, x, 1)",
        "np.append(x, [1.0, 2.0])",
        "np.append(1.0, x)",
    ],
    "insert": [
        "np.insert(x, 0, 1.0)",
        "np.insert(x, 1, x.sum())",
        "np.insert(x, [0, 1], 2.0, axis=0)",
        "np.insert(x, 1, x[0], axis=0)",
        "np.insert(x, -1, 5.0)",
        "np.insert(x, slice(0, 2), [1.0, 2.0])",
        "np.insert(x, 1, 1.0, axis=-1)",
    ],
    "delete": [
        "np.delete(x, 0)",
        "np.delete(x, [0, 1])",
        "np.delete(x, 0, axis=0)",
        "np.delete(x, slice(0, 2), axis=-1)",
        "np.delete(x, -1, 1)",
        "np.delete(x, np.array([True, False, True]), 0)",
        "np.delete(x, [])",
        "np.delete(x, 1, axis=None)",
    ],
    **{
        name: [
            f"np.{name}(x, {i}{o})"
            for i in ("2", "[1]", "[0, 1]", "[1, 3]", "1", "[-1]", "[]", "[5]")
            for o in (("", ", axis=0", ", axis=-1", ", 1") if name in ("split", "array_split") else ("",))
        ]
        for name in ("split", "array_split", "hsplit", "vsplit", "dsplit")
    },
    "unstack": ["np.unstack(x)", "np.unstack(x, axis=-1)", "np.unstack(x, axis=1)"] if hasattr(np, "unstack") else [],
    "r_": ["np.r_[x, 1.0]", "np.c_[x, x]", "np.r_[1.0:3.0, x.ravel()]", "np.r_['0,2', x, x]", "np.r_[x, x]", "np.c_[x]"],
    "meshgrid": [
        f"np.meshgrid(x, [1.0, 2.0]{o})" for o in options(indexing=["'ij'", "'xy'"], sparse=["True"], copy=["False", "True"])
    ]
    + ["np.meshgrid(x)", "np.meshgrid(x, x, x, indexing='ij')", "np.meshgrid(x, x, sparse=True)"],
    "ix_": ["x[np.ix_([0, 2], [1, 0])]", "x[np.ix_([True, False, True], [1, 2])]"],
    # --- diagonals and triangles
    **calls("diag", k=["0", "1", "-1", "2", "-9"]),
    **calls("diagflat", k=["0", "1", "-2"]),
    **calls("diagonal", offset=["0", "1", "-1", "7"], axis1=["0", "1", "-1"], axis2=["1", "0", "2"]),
    **calls("trace", offset=["0", "1", "-1", "7"], axis1=["0", "1"], axis2=["1", "-1", "0"], dtype=["float"], out=["np.zeros(())"]),
    **calls("tril triu", k=["0", "1", "-1", "5", "-5"]),
    "vander": [f"np.vander(x{o})" for o in options(N=["0", "1", "3", "None"], increasing=["True"])],
    # --- selection
    "take": [
        f"np.take(x, {i}{o})"
        for i in ("0", "[0, 1]", "[[0, 1], [1, 0]]", "[-1, 0]", "[]", "[0, 0]", "[5]", "np.array(1)")
        for o in options(axis=["None", "0", "-1"], mode=["'raise'", "'wrap'", "'clip'"])
    ],
    "x.take": [
        "x.take(0)",
        "x.take([0, 1], 0)",
        "x.take([5, -7], mode='wrap')",
        "x.take([5, -7], mode='clip')",
        "x.take([0, 0], axis=-1)",
        "x.take(indices=[0])",
        "x.take([7], axis=0, mode='wrap')",
        "x.take([0], None, None, 'clip')",
    ],
    "take_along_axis": [
        f"np.take_along_axis(x, {i})"
        for i in (
            "np.argsort(x, axis=0), 0",
            "np.argsort(x, axis=-1), axis=-1",
            "np.argmax(x, axis=-1, keepdims=True), -1",
            "np.argsort(x, axis=None), None",
            "np.zeros((1,) * x.ndim, int), 0",
        )
    ],
    "compress": [f"np.compress([True, False, True], x{o})" for o in options(axis=["None", "0", "-1"])]
    + ["x.compress([True], axis=0)", "x.compress([False, True])"],
    "extract": ["np.extract(x > 0, x)", "np.extract([True, False, True], x)"],
    "choose": [f"np.choose([0, 1, 0, 1], [x, 2.0 * x]{o})" for o in options(mode=["'raise'", "'wrap'", "'clip'"])]
    + ["np.choose([5, -1, 0, 1], [x, 2.0 * x], mode='wrap')", "np.choose([5, -1, 0, 1], [x, x * x], mode='clip')"],
    "select": [
        "np.select([x > 0, x < -0.5], [x, x * x])",
        "np.select([x > 0], [x], default=7.0)",
        "np.select([x > 0, x > -1], [x, 2.0 * x], x ** 3)",
    ],
    "piecewise": [
        "np.piecewise(x, [x < 0, x >= 0], [lambda t: t * t, lambda t: 3.0 * t])",
        "np.piecewise(x, [x < 0], [lambda t: -t, 2.0])",
        "np.piecewise(x, [x < 0], [lambda t: -t])",
        "np.piecewise(x, x < 0, [lambda t: -t, np.exp])",
    ],
    "where": ["np.where(x > 0, x, 0.0)", "np.where(x > 0, 2.0, x * x)", "np.where([True, False, True, False], x, 1.0)"],
    "clip": [
        "np.clip(x, -0.5, 0.5)",
        "np.clip(x, None, 0.5)",
        "np.clip(x, -0.5, None)",
        "np.clip(x, a_min=-0.3, a_max=0.4)",
        "x.clip(-0.5, 0.5)",
        "x.clip(min=0.1)",
        "x.clip(max=0.1)",
        "np.clip(x, -0.5, 0.5, out=np.zeros(x.shape))",
        "np.clip(x, x * 0.5, 1.0)",
        "x.clip(-0.5, x * x)",
        "np.clip(x, -0.5, 0.5, dtype=np.float64)",
        "x.clip(0.1)",
        "x.clip(-0.5, 0.5, where=x > 0, out=np.ones(x.shape))",
    ],
    "nan_to_num": [f"np.nan_to_num(x{o})" for o in options(copy=["True", "False"], nan=["1.0"], posinf=["2.0"], neginf=["-2.0"])],
    "x.item": [
        "x.item()",
        "x.item(0)",
        "x.item(-1)",
        "x.item((0, 1))",
        "x.item(0, 1)",
        "x.item((0,))",
        "x.item(1, 0, 1)",
        "x.item((-1, -1))",
    ],
    "x.tolist": ["x.tolist()", "x.tolist()[0]"],
    "x.trace": [
        "x.trace()",
        "x.trace(1)",
        "x.trace(0, 0, 1)",
        "x.trace(offset=-1, axis1=1, axis2=0)",
        "x.trace(axis1=1, axis2=2)",
        "x.trace(dtype=float)",
    ],
    "x.diagonal": ["x.diagonal()", "x.diagonal(1)", "x.diagonal(0, 1, 0)", "x.diagonal(offset=-1)", "x.diagonal(axis1=1, axis2=2)"],
    **methods("sum prod", axis=AXES[:4], keepdims=KEEP, dtype=["float"], initial=["2.0"], where=["x > 0"], out=OUTS[:1]),
    **methods("mean", axis=AXES[:4], keepdims=KEEP, dtype=["float"], where=["x > 0"], out=OUTS[:1]),
    **methods("max min", axis=AXES[:4], keepdims=KEEP, initial=["0.1"], where=["x > 0"], out=OUTS[:1]),
    **methods("var std", axis=AXES[:4], keepdims=KEEP, ddof=["1"], dtype=["float"], where=["x > 0"], out=OUTS[:1]),
    **methods("cumsum cumprod", axis=["None", *AXIS], dtype=["float"], out=["np.zeros(x.shape) if x.ndim else None"]),
    **methods("squeeze", axis=["0", "-1", "()", "None"]),
    "positional": [
        "np.sum(x, 0)",
        "np.sum(x, 0, None)",
        "np.sum(x, 0, float)",
        "np.sum(x, -1, None, None, True)",
        "x.sum(0)",
        "x.sum(0, float)",
        "x.sum(None, None, None, True)",
        "np.mean(x, 0, None, None, True)",
        "x.mean(-1, float)",
        "x.std(0, None, None, 1)",
        "np.std(x, -1, None, None, 1, True)",
        "x.var(0, float, None, 0.5, True)",
        "np.max(x, 0, None, True)",
        "x.max(-1, None, True)",
        "x.min(0, None, False)",
        "np.prod(x, -1, None, None, True)",
        "np.cumsum(x, 0, float)",
        "x.cumsum(-1, float)",
        "np.average(x, 0, None, False)",
        "np.median(x, -1, None, False, True)",
        "np.percentile(x, 40.0, 0, None, False, 'lower')",
        "np.diff(x, 1, 0, 2.0 * x, x)",
        "np.trace(x, 0, 1, 0)",
        "np.argsort(x) * x",
        "x.argsort(0) * x",
        "x.argsort(kind='stable') * x",
        "x.argmax() * x",
        "x.argmin(axis=0, keepdims=True) * x",
        "np.round(x, 1) + x",
        "x.round(2) * x",
        "np.searchsorted([0.0, 1.0], x) * x",
    ],
    # --- elementwise, with the options of ufuncs
    **{
        f"ufunc {u}": [
            f"np.{u}(x * x + 0.5{o})"
            for o in options(
                dtype=["np.float64", "complex"],
                order=["'F'"],
                casting=["'same_kind'"],
                subok=["False"],
                out=["np.zeros(x.shape)", "(np.ones(x.shape),)", "None"],
                where=["x > 0", "True"],
            )
        ]
        for u in ("sqrt", "exp")
    },
    **{
        f"ufunc {u}": [
            f"np.{u}(x, {SIMILAR}{o})"
            for o in (
                "",
                ", dtype=float",
                ", out=np.zeros(x.shape)",
                ", out=np.zeros(x.shape), where=x > 0",
                ", order='F'",
                ", casting='unsafe'",
                ", np.zeros(x.shape)",
                ", dtype=complex",
            )
        ]
        for u in (
            "add",
            "multiply",
            "divide",
            "maximum",
            "arctan2",
            "hypot",
            "power",
            "remainder",
            "fmod",
            "logaddexp",
            "copysign",
            "float_power",
        )
    },
    "modf": ["np.modf(x)", "np.frexp(x + 3.0)[0]", "np.divmod(x, 0.7)", "np.ldexp(x, 2)", "np.heaviside(x, 0.5) * x"],
    "ufunc methods": [
        "np.add.reduce(x)",
        "np.add.reduce(x, axis=-1)",
        "np.add.reduce(x, axis=None, keepdims=True)",
        "np.add.reduce(x, initial=2.0)",
        "np.add.reduce(x, where=x > 0)",
        "np.multiply.reduce(x, axis=0)",
        "np.maximum.reduce(x, axis=-1)",
        "np.add.accumulate(x)",
        "np.add.accumulate(x, axis=-1)",
        "np.multiply.accumulate(x)",
        "np.multiply.outer(x, x)",
        "np.add.outer(x, [1.0, 2.0])",
        "np.add.reduceat(x, [0, 2])",
        "np.add.reduceat(x, [0, 1], axis=-1)",
        "np.subtract.outer(x, x)",
        "np.minimum.reduce(x)",
        "np.logaddexp.reduce(x)",
        "np.multiply.reduce(x, axis=(0, 1))",
        "np.hypot.reduce(x)",
        "np.maximum.accumulate(x, axis=-1)",
        "np.maximum.outer(x, x)",
        "np.add.reduce(x, 0, float)",
        "np.subtract.reduce(x)",
        "np.divide.reduce(x + 3.0)",
    ],
    "angle": [
        "np.angle(x + 1j)",
        "np.angle(x + 1j, deg=True)",
        "np.real_if_close(x + 0j)",
        "np.real_if_close(x + 0j, tol=10)",
        "np.sinc(x)",
        "np.i0(x)",
        "np.unwrap(x)",
        "np.unwrap(x, axis=0)",
        "np.unwrap(3.0 * x, discont=1.0)",
        "np.unwrap(x, period=1.0)",
        "np.around(x, decimals=1) * x",
        "np.fix(x) * x",
        "np.degrees(x)",
        "np.cbrt(x)",
        "np.positive(x)",
        "np.fabs(x)",
    ],
    # --- products
    "dot": [
        "np.dot(x, x)",
        "np.dot(x, 2.0)",
        "np.dot(3.0, x)",
        "np.dot(x, np.ones(4))",
        "np.dot(np.ones((2, 3)), x)",
        "x.dot(x.T)",
        "np.dot(x, x.T, out=None)",
        "np.dot(x.T, x)",
        "np.vdot(x, x)",
        "np.inner(x, x)",
        "np.inner(x, 2.0)",
        "np.outer(x, x)",
        "np.outer(x, [1.0, 2.0])",
        "np.outer(2.0, x)",
        "np.outer(x, x, out=np.zeros((x.size, x.size)))",
        "np.kron(x, x)",
        "np.kron(x, [1.0, 2.0])",
        "np.kron(2.0, x)",
        "x @ x.T",
        "x.T @ x",
        "np.matmul(x, x.T)",
        "np.matmul(x.T, x, out=None)",
        "np.matmul(x, x, axes=[(0, 1), (0, 1), (0, 1)])",
        "np.matmul(x.T, x, dtype=float)",
    ],
    "tensordot": [
        f"np.tensordot(x, x, {axes})"
        for axes in (
            "0",
            "1",
            "2",
            "axes=0",
            "(0, 0)",
            "([0], [0])",
            "((0, 1), (0, 1))",
            "[[0, 1], [1, 0]]",
            "(-1, -1)",
            "axes=([], [])",
            "((0, -1), (0, -1))",
        )
    ],
    "einsum": [
        "np.einsum('i,i', x, x)",
        "np.einsum('ij->ji', x)",
        "np.einsum('ij->i', x)",
        "np.einsum('ij,jk->ik', x, x.T)",
        "np.einsum('ii', x)",
        "np.einsum('ii->i', x)",
        "np.einsum('...i,...i->...', x, x)",
        "np.einsum('i,j->ij', x, x)",
        "np.einsum('ijk->k', x)",
        "np.einsum('ij,ij->', x, x, optimize=True)",
        "np.einsum('ij->j', x, dtype=float)",
        "np.einsum(x, [0, 1], [1, 0])",
        "np.einsum('i...->...', x)",
        "np.einsum('ij,jk,kl->il', x, x.T, x)",
        "np.einsum('ij,ik->jk', x, x, out=np.zeros((x.shape[1],) * 2))",
        "np.einsum('i->', x, order='F')",
        "np.einsum('bij,bjk->bik', x, x)",
        "np.einsum('i,i->i', x, x, casting='safe')",
        "np.einsum(' i j , j -> i ', x, x[0])",
        "np.einsum(x, [0], x, [1], [1, 0])",
        "np.einsum('ij,j', x, x[0])",
        "np.einsum('...', x)",
        "np.einsum('iij->j', x)",
        "np.einsum('->', x)",
    ],
    "cross": [
        "np.cross(x, x[::-1])",
        "np.cross(x, [1.0, 2.0, 3.0])",
        "np.cross(x, 2.0 * x + 1.0, axis=0)",
        "np.cross(x, x + 1.0, axisa=0, axisb=0, axisc=0)",
        "np.cross(x, x * x, -1, -1, -1)",
        "np.cross(x, [[1.0, 0.0, 2.0]], axisc=0)",
    ],
    "convolve": [
        f"np.{f}(x, {v}{o})"
        for f in ("convolve", "correlate")
        for v in ("[1.0, 2.0]", "x", "[3.0]", "np.arange(6.0)")
        for o in ("", ", 'full'", ", mode='same'", ", mode='valid'")
    ]
    + ["np.convolve([1.0, 2.0, 3.0], x, 'same')", "np.correlate([1.0, 2.0], x, 'full')"],
    "cov": [
        f"np.cov(x{o})"
        for o in options(
            rowvar=["False"],
            bias=["True"],
            ddof=["0", "2"],
            fweights=["[1, 2, 1, 3]"],
            aweights=["[1.0, 2.0, 1.0, 3.0]"],
            y=["x"],
            dtype=["float"],
        )
    ]
    + [
        "np.corrcoef(x)",
        "np.corrcoef(x, rowvar=False)",
        "np.corrcoef(x, 2.0 - x ** 2)",
        "np.corrcoef(x, x ** 2, False)",
        "np.cov(x, x)",
    ],
    "interp": [
        f"np.interp({a}{o})"
        for a in (
            "x, [-1.0, 0.0, 2.0], [3.0, 1.0, 2.0]",
            "[0.3, 5.0, -2.0], [0.0, 1.0, 2.0, 4.0], x",
            "0.7, np.sort(np.ravel(x)), np.arange(x.size) ** 2.0",
            "x, [0.0], [2.0]",
        )
        for o in options(left=["7.0", "None"], right=["8.0"], period=["1.5", "None"])
    ],
    "polynomials": [
        "np.polyval(x, 2.0)",
        "np.polyval([1.0, 2.0, 3.0], x)",
        "np.polyval(x, x)",
        "np.polyder(x)",
        "np.polyder(x, 2)",
        "np.polyder(x, m=0)",
        "np.polyint(x)",
        "np.polyint(x, 2, [1.0, 2.0])",
        "np.polyint(x, k=3.0)",
        "np.polyadd(x, 1.0)",
        "np.polyadd(x, [1.0] * 6)",
        "np.polysub(2.0, x)",
        "np.polymul(x, x)",
        "np.polymul(x, 2.0)",
        "np.polymul([0.0, 1.0], x)",
        "np.polyfit([0.0, 1.0, 2.0, 4.0], x, 1)",
        "np.polyfit([0.0, 1.0, 2.0, 4.0], x, 2, w=[1.0, 2.0, 1.0, 1.0])",
        "np.polyfit(x, x ** 2, 1, rcond=1e-9)",
        "np.roots(x)",
        "np.polydiv(x, [1.0, 2.0])[0]",
        "np.poly(x)",
        "np.polynomial.polynomial.polyval(0.5, x)",
        "np.polynomial.polynomial.polyval(x, [1.0, 2.0, 3.0])",
        "np.polynomial.chebyshev.chebval(x, [1.0, 2.0])",
        "np.polynomial.polynomial.polyval(x, x, tensor=False)",
        "np.vander(x, 2, True)",
    ],
    "histogram": [
        "np.histogram([0.1, 0.5, 0.9, 0.2], 2, weights=x)[0]",
        "np.histogram(x, 3)[1]",
        "np.histogram([0.1, 0.5, 0.9, 0.2], [0.0, 0.3, 1.0], weights=x)[0]",
        "np.histogram([0.1, 0.5, 0.9, 0.2], 3, (0.0, 1.0), True, x * x)[0]",
        "np.bincount([0, 1, 1, 3], x)",
        "np.bincount([0, 1, 1, 0], weights=x, minlength=7)",
        "np.digitize(x, [0.0, 1.0]) * x",
    ],
    # --- transforms
    **{
        f"fft.{f}": [f"np.fft.{f}(x{o})" for o in options(n=["3", "6", "1", "None"], axis=["0", "-1", "1"], norm=NORMS)]
        for f in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
    },
    **{
        f"fft.{f}": [
            f"np.fft.{f}(x{o})"
            for o in options(
                s=["(3,)", "(2, 5)", "(3, 2)", "None", "[4, 3]", "(-1, 2)"],
                axes=["(0,)", "(0, 1)", "(1, 0)", "(-1,)", "(0, 0)", "None"],
                norm=NORMS[:2],
            )
        ]
        for f in ("fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn")
    },
    **{
        f"fft.{f}": [f"np.fft.{f}(x{o})" for o in options(axes=["0", "(0, 1)", "-1", "None", "()", "[0]"])]
        for f in ("fftshift", "ifftshift")
    },
    # --- linear algebra
    "linalg.norm": [
        f"np.linalg.norm(x{o})"
        for o in options(
            ord=["None", "1", "2", "np.inf", "-np.inf", "0", "3", "-1", "-2", "'fro'", "'nuc'", "2.5"],
            axis=["0", "-1", "(0, 1)", "(1, 0)", "None"],
            keepdims=["True"],
        )
    ],
    "linalg.vector_norm": [
        f"np.linalg.vector_norm(x{o})"
        for o in options(ord=["1", "np.inf", "3", "0", "-np.inf"], axis=["0", "(0, 1)", "None"], keepdims=["True"])
    ]
    if hasattr(np.linalg, "vector_norm")
    else [],
    "linalg": [
        "np.linalg.det(x)",
        "np.linalg.inv(x)",
        "np.linalg.slogdet(x)",
        "np.linalg.solve(x, np.ones((3, 1)))",
        "np.linalg.solve(x, x[0])",
        "np.linalg.pinv(x)",
        "np.linalg.pinv(x, rcond=1e-9)",
        "np.linalg.pinv(x, hermitian=True)",
        "np.linalg.pinv(x, 0.5)",
        "np.linalg.matrix_power(x, 3)",
        "np.linalg.matrix_power(x, 0)",
        "np.linalg.matrix_power(x, -2)",
        "np.linalg.multi_dot([x, x.T, x])",
        "np.linalg.svd(x, compute_uv=False)",
        "np.linalg.svd(x, full_matrices=False)[1]",
        "np.linalg.svd(x)[1]",
        "np.linalg.svd(x, True, False)",
        "np.linalg.svd(x, hermitian=True)[1]",
        "np.linalg.svd(x, compute_uv=False, hermitian=True)",
        "np.linalg.eigvalsh(x)",
        "np.linalg.eigvalsh(x, 'U')",
        "np.linalg.eigvalsh(x, UPLO='L')",
        "np.linalg.eigh(x)[0]",
        "np.linalg.eigh(x, UPLO='U')[0]",
        "np.linalg.eigh(x, 'L').eigenvalues",
        "np.linalg.cholesky(x @ np.swapaxes(x, -1, -2) + 3.0 * np.eye(3))",
        "np.linalg.cholesky(x @ np.swapaxes(x, -1, -2) + 3.0 * np.eye(3), upper=True)",
        "np.linalg.qr(x, 'r')",
        "np.linalg.qr(x)[1]",
        "np.linalg.qr(x, mode='complete')[1]",
        "np.linalg.qr(x, 'raw')[0]",
        "np.linalg.lstsq(x, np.ones(3), rcond=None)[0]",
        "np.linalg.lstsq(x, np.ones((3, 2)), rcond=1e-9)[0]",
        "np.linalg.lstsq(x, np.ones(3))[1]",
        "np.linalg.cond(x)",
        "np.linalg.cond(x, 2)",
        "np.linalg.cond(x, 'fro')",
        "np.linalg.cond(x, 1)",
        "np.linalg.cond(x, -2)",
        "np.linalg.tensorinv(x, 1)",
        "np.linalg.tensorsolve(x, x[0])",
        "np.linalg.matrix_rank(x) * x",
        "np.linalg.eigvals(x + 3.0 * np.diag([1.0, 2.0, 4.0])).real",
        "np.linalg.cross(x, x + 1.0)",
        "np.linalg.diagonal(x, offset=1)",
        "np.linalg.trace(x, offset=-1)",
        "np.linalg.matrix_norm(x, ord='nuc')",
        "np.linalg.matrix_norm(x, keepdims=True)",
        "np.linalg.outer(x, x)",
        "np.linalg.tensordot(x, x, axes=1)",
        "np.linalg.vecdot(x, x)",
        "np.linalg.matmul(x, x.mT)",
        "np.linalg.svdvals(x)",
    ],
    # --- creation
    "linspace": [
        f"np.linspace({a}{o})"
        for a in ("x, 2.0", "0.0, x", "x, 3.0 * x + 1.0")
        for o in options(num=["1", "0", "5"], endpoint=["False"], retstep=["True"], axis=["0", "-1"], dtype=["float", "complex"])
    ],
    "logspace": [
        f"np.logspace(x, 1.0{o})"
        for o in options(num=["3", "1"], endpoint=["False"], base=["2.0", "x * x + 1.5"], axis=["0", "-1"])
    ]
    + [f"np.geomspace(x * x + 1.0, 9.0{o})" for o in options(num=["3", "1"], endpoint=["False"], axis=["0", "-1"])],
    "arange": [
        "np.arange(x.size) * 1.0 + x.sum()",
        "np.arange(4) * x",
        "np.eye(3) * x.sum()",
        "np.eye(3, 4, k=1) * x",
        "np.identity(3) @ x",
        "np.tri(3, k=-1) @ x",
    ],
}
EXPRESSIONS = [(name, text) for name, texts in GRID.items() for text in texts]
