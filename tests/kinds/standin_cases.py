"""Edge arguments for every plain-Python stand-in of a library function: `CASES[name]` lists (args, options)."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy

NEW_SCIPY = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 16)
NAN, INF = float("nan"), float("inf")
SIGNED = [-INF, -1e3, -745.0, -50.0, -36.0, -1.0, -1e-8, -0.0, 0.0, 1e-300, 1e-8, 0.3, 1.0, 36.0, 1e3, INF, NAN]
EMPTY, ONE, NUMBER = np.zeros(0), np.array([2.5]), np.array(2.5)
ROW, TIED = np.array([3.0, -1.0, 2.0, 0.5]), np.array([1.0, 2.0, 2.0, 1.0, 2.0])
SINGLE, WHOLE, WILD = ROW.astype(np.float32), np.array([3, 1, 2]), np.array([1.0, NAN, INF, -INF])
GRID, COLUMN, NONE = np.arange(12.0).reshape(3, 4) ** 2 - 7.0 * np.eye(3, 4), np.array([[1.0], [4.0], [2.0]]), np.zeros((0, 3))
BLOCK, COMPLEX = np.arange(24.0).reshape(2, 3, 4) ** 1.5 % 5.0, np.array([1 + 2j, -0.5j, 3.0])
SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]])
SKEW = np.array([[1.0, 2.0, 0.0], [-1.0, 3.0, 1.0], [0.5, 0.0, -2.0]])
STACK = np.stack([SQUARE, SQUARE + np.eye(3)])
VECTORS = [EMPTY, ONE, NUMBER, ROW, TIED, SINGLE, WHOLE, WILD, [1.0, 2.0, 4.0], [1, 2], 3.0, 2, GRID]


def call(*args: Any, **options: Any) -> tuple:
    return args, options


def each(values: Any, *rest: Any, **options: Any) -> list:
    """One call for every value of the first argument."""
    return [call(value, *rest, **options) for value in values]


def pairs(first: Any, second: Any, **options: Any) -> list:
    return [call(a, b, **options) for a, b in itertools.product(first, second)]


LISTS = [
    [],
    [1.0],
    [1, 2, 4],
    [0.5, 2.0, 2.0],
    (3.0, 1.0),
    np.array([1.0, 2.0, 4.0]),
    [1.0, NAN],
    [1.0, INF],
    [1.0, True],
    [1 + 2j],
]
FINITE = LISTS[:6] + LISTS[8:]  # what the library makes of NaN and inf differs from version to version
HEAPS = [[], [1.0], [1.0, 3.0, 2.0], [1, 1, 2, 3], [(1.0, 2), (1.0, 3)], [2.0, NAN, 1.0]]
HEAPED = [[3.0, 1.0, 2.0, 0.5, 5.0], *HEAPS]
COUNTS = [-2, -1, 0, 1, 2, 10]
SEQUENCES = [*HEAPED, (3, 1, 2), range(4), np.array([2.0, 1.0, 2.0])]
POLYNOMIALS = [
    [],
    [0.0],
    [1.0],
    [0.0, 1.0],
    [0.0, 0.0, 2.0, 1.0],
    [1.0, 2.0, 3.0],
    ROW,
    EMPTY,
    NUMBER,
    3.0,
    2,
    [1, 2],
    COMPLEX,
    SINGLE,
]
SIZES = [None, 3, 1]
NORMS = [None, "ortho", "forward", "backward"]
MATRICES = [
    SQUARE,
    SKEW,
    SQUARE.astype(np.float32),
    SQUARE.tolist(),
    STACK,
    np.eye(1) * 3.0,
    SQUARE + 1j * SKEW,
    np.zeros((2, 2)),
    SQUARE.astype(int),
    np.zeros((2, 3)),
    np.ones(3),
    np.full((2, 2), NAN),
]
ARRAYS = [matrix for matrix in MATRICES if isinstance(matrix, np.ndarray)]
RIGHTS = [np.ones(3), np.arange(6.0).reshape(3, 2), [1.0, 2.0, 3.0], np.ones(2), COMPLEX]


def greater(item: Any) -> bool:
    return item > 1.0


def negative(item: Any) -> Any:
    return -item


def total(x: Any) -> Any:
    return np.sum(x)


def squares(x: Any) -> Any:
    return np.asarray(x) ** 2


def outer(x: Any, factor: float = 1.0) -> Any:
    return factor * np.outer(x, x)


def whole_number(x: Any) -> int:
    return len(x)


CASES: dict[str, list] = {
    # --- itertools and heapq
    "groupby": [
        *each(SEQUENCES),
        *each(SEQUENCES[:4], negative),
        call([1.0, 1.0, 2.0, 1.0], key=None),
        call([1.0, -1.0], key=abs),
        call(3.0),
    ],
    "takewhile": [call(greater, items) for items in (*HEAPED[:5], [2.0, 0.0, 3.0], np.array([2.0, 3.0, 0.5]), 3.0)],
    "dropwhile": [call(greater, items) for items in (*HEAPED[:5], [2.0, 0.0, 3.0], np.array([2.0, 3.0, 0.5]), 3.0)],
    "heappush": [call(list(heap), item) for heap in HEAPS[:4] for item in (0.0, 2, 9.0)] + [call([], NAN), call([NAN], 1.0)],
    "heappop": each(HEAPS),
    "heapify": each(HEAPED),
    **dict.fromkeys(("insort_left", "insort_right"), [
        call([], 1.0), call([1.0, 2.0, 2.0, 4.0], 2.0), call([1.0, 2.0], 0.5), call([1.0, 2.0], 9), call([3, 1, 2], 2.0),
        call([1.0, 2.0, 2.0, 4.0], 2.0, 1), call([1.0, 2.0, 2.0, 4.0], 2.0, 0, 2), call([1.0, 2.0], 1.0, -1),
        call([1.0, 2.0], 1.0, 0, 5),
        call([(1.0, "b"), (1.0, "c")], (1.0, "b")), call([-4.0, 2.0, 2.0], -2.0, key=abs), call([2.0, -3.0], 1.0, 1, key=abs),
        call([1.0], "a"), call([NAN, 1.0], 0.5), call(ROW, 1.0), call((1.0, 2.0), 1.0)]),
    "heappushpop": [call(list(heap), item) for heap in HEAPS[:4] for item in (0.0, 1.0, 2, 9.0)] + [call([1.0, 2.0], NAN)],
    "heapreplace": [call(list(heap), item) for heap in HEAPS[:4] for item in (0.0, 1.0, 2, 9.0)] + [call([1.0, 2.0], NAN)],
    "nsmallest": [call(n, items) for n in COUNTS for items in SEQUENCES]
    + [call(2, [1, -3, 2], key=abs), call(1.5, [1.0]), call(2, [(1, "a"), (0, "b")], negative)],
    "nlargest": [call(n, items) for n in COUNTS for items in SEQUENCES] + [call(2, [1, -3, 3, 2], key=abs), call(1.5, [1.0])],
    # --- statistics
    "mean": each(LISTS),
    "fmean": [
        *each(LISTS),
        call([1.0, 2.0], [1, 3]),
        call([1.0, 2.0], weights=[0.0, 0.0]),
        call([1.0, 2.0], [1.0]),
        call([1.0, 2.0], [1.0, 2.0, 3.0]),
        call([], []),
    ],
    "variance": [*each(FINITE), *each(FINITE, 2.0), call([1.0], xbar=1.0)],
    "pvariance": [*each(FINITE), *each(FINITE, 2.0), call([1.0], mu=1.0)],
    "stdev": [*each(FINITE), *each(FINITE, 2.0)],
    "pstdev": [*each(FINITE), *each(FINITE, 2.0)],
    # --- cmath
    "polar": each([0j, 1.0, -1.0, 1 - 2j, complex(INF, 1.0), complex(NAN, 0.0), -0.0, 3]),
    "rect": pairs([0.0, 1.0, -2.0, 3, INF], [0.0, 1.0, -3.0, 2]),
    # --- polynomials
    "polyval": [*pairs(POLYNOMIALS, [2.0, 3, ROW, GRID, COMPLEX, SINGLE, [1.0, 2.0], NUMBER, EMPTY])],
    "polyadd": pairs(POLYNOMIALS, POLYNOMIALS),
    "polysub": pairs(POLYNOMIALS, POLYNOMIALS),
    "polymul": pairs(POLYNOMIALS, POLYNOMIALS),
    "polyder": [*each(POLYNOMIALS), *each(POLYNOMIALS, 2), *each(POLYNOMIALS, m=0), *each(POLYNOMIALS, 4), call(ROW, -1)],
    "polyint": [
        *each(POLYNOMIALS),
        *each(POLYNOMIALS, 2),
        *each(POLYNOMIALS, m=0),
        call(ROW, 1, 3.0),
        call(ROW, 2, k=[1.0, 2.0]),
        call(ROW, 2, 5.0),
        call(ROW, 3, [1.0, 2.0]),
        call(ROW, -1),
        call([1, 2], 1, 1),
    ],
    "polyfit": [call(ROW, ROW**2, deg) for deg in (0, 1, 2, 3)]
    + [
        call([1, 2, 4, 5], [1.0, 0.0, 2.0, 3.0], 2),
        call(ROW, GRID.T, 1),
        call(ROW, ROW, 1, w=np.array([1.0, 2.0, 1.0, 0.5])),
        call(SINGLE, SINGLE**2, 1),
        call(ROW, ROW, -1),
        call(EMPTY, EMPTY, 1),
        call(GRID, GRID, 1),
        call(ROW, ROW[:2], 1),
        call(ROW, ROW, 1, full=True),
        call(ROW, ROW, 1, cov=True),
        call(ROW, ROW, 1, w=np.ones(2)),
        call(ROW, ROW, 1, rcond=0.5),
        call(ROW, NUMBER, 1),
        call(ROW, BLOCK, 1),
        call(ROW, ROW, 1, w=np.ones((2, 2))),
        call(ROW, ROW, 1.5),
        call(ROW, ROW + 1j, 1),
        call(ROW, GRID.T, 1, w=np.ones(4)),
    ],
    # --- differences and counting
    "gradient": [
        *each(VECTORS),
        *each([GRID, BLOCK, NONE, COLUMN, COMPLEX]),
        *each([ROW, GRID, BLOCK, [1, 2, 4]], 0.5),
        *each([ROW, TIED, GRID], edge_order=2),
        call(ROW[:2], edge_order=2),
        call(ROW, edge_order=3),
        call(ROW, [0.0, 1.0, 1.5, 4.0]),
        call(ROW, [0.0, 1.0, 2.0, 3.0]),
        call(ROW, [0.0, 1.0]),
        call(ROW, 1.0, 2.0),
        call(GRID, 1.0, 2.0),
        call(GRID, 1.0, [0.0, 1.0, 3.0, 4.0]),
        call(GRID, axis=0),
        call(GRID, axis=-1),
        call(GRID, axis=(0, 1)),
        call(GRID, 2.0, axis=(0, 1)),
        call(GRID, 2.0, 3.0, axis=(1, 0)),
        call(GRID, axis=2),
        call(GRID, 1.0, 2.0, 3.0),
        call(GRID, axis=()),
        call(GRID, axis=(0,)),
        call(GRID, axis=(0, 0)),
        call(ROW, NUMBER),
        call(WHOLE, 2),
        call(ROW, [0, 1, 3, 4], edge_order=2),
        call(ROW, GRID),
        call(GRID, 2.0, axis=None),
        call(BLOCK, 1.0, 2.0, 3.0, edge_order=1),
        call(SINGLE, 0.1),
        call(GRID, axis=[0, 1]),
    ],
    "ediff1d": [
        *each(VECTORS),
        call(ROW, to_end=9.0),
        call(ROW, to_begin=[1.0, 2.0]),
        call(ROW, 1, 2),
        call(WHOLE, 1.5),
        call(EMPTY, 1.0, 2.0),
        call(ONE, to_end=[3.0]),
        call(SINGLE, 1.0),
        call(WHOLE, to_begin=1),
    ],
    "correlate": [
        call(a, v, mode)
        for mode in ("valid", "same", "full")
        for a, v in itertools.product(
            (ROW, ONE, COMPLEX, [1, 2], SINGLE, EMPTY, NUMBER, GRID), (ROW, ONE, COMPLEX, [1.0, 2.0], WHOLE, EMPTY, 2.0)
        )
    ]
    + [call(ROW, ROW), call(ROW, ROW, "nonsense"), call(ROW, WHOLE, mode="f")],
    "histogram": [
        *each(VECTORS[:-1]),
        *each([ROW, TIED, GRID, WHOLE, SINGLE], 4),
        call(ROW, [0.0, 1.0, 3.0]),
        call(ROW, 3, (0.0, 2.0)),
        call(SINGLE, 3, (0.0, 2.0)),
        call(ROW, 3, density=True),
        call(TIED, 2, weights=np.arange(5.0)),
        call(ROW, bins="auto"),
        call(ROW, 0),
        call(ROW, [3.0, 1.0]),
        call(ROW, 3, (2.0, 0.0)),
        call(ROW, 3, (0.0, INF)),
        call(TIED, 2, weights=np.ones(3)),
        call(ROW, [1.0]),
        call(ROW, []),
        call(ROW, 2, (5.0, 5.0)),
        call(TIED, [1.0, 1.0, 2.0]),
        call(EMPTY, 3, (0.0, 1.0)),
        call(ROW, 3, weights=WHOLE[[0, 1, 2, 0]], density=True),
        call(EMPTY, 2, density=True, range=(0, 1)),
        call(ROW, 2.5),
        call(ROW, [[0.0, 1.0]]),
        call(ROW, 2, weights=ROW + 1j),
        call(ROW, 2, weights=[1, 2, 3, 4]),
    ],
    "unique": [
        *each([*VECTORS, COMPLEX]),
        call(TIED, True),
        call(TIED, return_inverse=True),
        call(TIED, return_counts=True),
        call(TIED, True, True, True),
        call(TIED, True, True),
        call(TIED, True, False, True),
        call(TIED, False, True, True),
        call(GRID, axis=0),
        call([NAN, 1.0, NAN], return_counts=True),
        call([NAN, 1.0, NAN], equal_nan=False),
        call(GRID, return_inverse=True),
        call(EMPTY, True, True, True),
    ],
    "corrcoef": [
        *each(
            [
                ROW,
                GRID,
                [[1.0, 2.0, 4.0]],
                COLUMN,
                EMPTY,
                NUMBER,
                SINGLE,
                GRID[:, :1],
                COMPLEX,
                WHOLE,
                WILD,
                NONE,
                np.ones((2, 3)),
                SQUARE.astype(np.float32),
            ]
        ),
        call(ROW, TIED[:4]),
        call(GRID, ROW),
        call(GRID, rowvar=False),
        call(GRID, GRID[:1], rowvar=False),
        call(ROW, TIED),
        call(BLOCK),
        call(ROW, ROW[::-1], False),
        call(COLUMN, COLUMN),
        call(np.arange(6.0).reshape(1, 6), np.arange(6.0) ** 2),
        call(GRID, dtype=np.float32),
        call([1, 2, 4], [3, 1, 0]),
    ],
    # --- functions of functions
    "apply_along_axis": [
        call(f, axis, x)
        for f in (total, squares, outer, whole_number)
        for axis, x in (
            (0, ROW),
            (-1, GRID),
            (0, GRID),
            (1, BLOCK),
            (0, EMPTY),
            (-1, NONE),
            (0, NONE),
            (1, np.zeros((3, 0))),
            (2, GRID),
            (0, NUMBER),
            (0, [1, 2, 3]),
            (0, SINGLE),
            (0, ONE),
            (1, [[1.0, 2.0]]),
            (-3, GRID),
        )
    ]
    + [call(outer, 0, ROW, 2.0), call(outer, 0, ROW, factor=3.0)],
    "apply_over_axes": [
        call(f, x, axes)
        for f in (np.sum, np.mean)
        for x, axes in (
            (ROW, 0),
            (GRID, [0, 1]),
            (BLOCK, (0, -1)),
            (BLOCK, [2]),
            (NONE, 0),
            (GRID, []),
            (GRID, 5),
            (SINGLE, 0),
            (NUMBER, 0),
        )
    ]
    + [call(np.cumsum, GRID, 0), call(np.argmax, GRID, 1), call(squares, GRID, 0)],
    "fromfunction": [
        call(f, shape, **options)
        for f, shape in (
            (np.sin, (3,)),
            (np.add, (2, 3)),
            (np.add, (0, 3)),
            (squares, (1,)),
            (lambda: 3.0, ()),
            (lambda *x: sum(x), (2, 1, 2)),
            (np.add, 3),
        )
        for options in ({}, {"dtype": int}, {"dtype": np.float32})
    ]
    + [call(outer, (3,), factor=2.0)],
    "piece": [],
    # --- running extremes
    **{
        f"{which}.accumulate": [
            *each(VECTORS),
            *each([GRID, BLOCK, NONE], 1),
            call(GRID, axis=-1),
            call(GRID, 2),
            call(COMPLEX.real),
            call([[1.0, NAN], [0.0, 2.0]], 0),
            call(WILD[::-1]),
            call([1, 3, 2]),
            call(GRID, axis=None),
            call(np.array([2.0, NAN, 1.0])),
            call([-0.0, 0.0]),
            call([True, False]),
        ]
        for which in ("maximum", "minimum")
    },
    # --- transforms
    "rfftn": [
        call(x, s, axes, norm)
        for x in (ROW, GRID, BLOCK, SINGLE)
        for s, axes in (
            (None, None),
            ((3,), None),
            ((3,), (0,)),
            (None, (0,)),
            (None, (-1,)),
            ((2, 3), (0, 1)),
            (None, (1, 0)),
            ((), ()),
            ((3, 3), (0,)),
        )
        for norm in NORMS[:2]
    ]
    + [
        call(NUMBER),
        call(EMPTY),
        call(NONE),
        call(WHOLE),
        call([[1, 2], [3, 4]]),
        call(GRID, norm="nonsense"),
        call(COMPLEX),
        call(GRID, (0, 2)),
        call(GRID, axes=(5,)),
        call(GRID, norm="forward"),
        call(GRID, 3),
    ],
    "irfftn": [
        call(x, s, axes, norm)
        for x in (COMPLEX, GRID, GRID + 1j * GRID)
        for s, axes in ((None, None), ((5,), None), (None, (0,)), (None, (-1,)), ((3, 3), (0,)), ((2, 3), (0, 1)))
        for norm in NORMS
    ]
    + [call(NUMBER), call(NONE), call(GRID, (0, 2)), call(GRID, axes=(5,)), call([1, 2, 3])],
    **{
        name: [
            call(x, s, axes, norm)
            for x in (GRID, BLOCK, GRID + 1j * GRID)
            for s, axes in ((None, (-2, -1)), ((3, 4), (0, 1)), (None, (1, 0)), ((2, 5), (-2, -1)), (None, (0,)), ((3,), (-2, -1)))
            for norm in NORMS
        ]
        + [
            call(NUMBER),
            call(ROW),
            call(NONE),
            call([[1, 2], [3, 4]]),
            call(GRID.astype(np.float32)),
            call(GRID, (0, 2)),
            call(GRID, axes=(0, 5)),
            call(np.ones((1, 1))),
        ]
        for name in ("rfft2", "irfft2")
    },
    # --- random numbers
    **{
        name: [
            call(*args, **options)
            for args in (
                (),
                (0.5, 2.0),
                (ROW, 2.0),
                (0.0, np.ones((2, 1))),
                (ROW, np.ones((2, 1))),
                (0.0, 0.0),
                (0.0, -1.0),
                (ROW, -np.ones(4)),
                (INF, 1.0),
                (NAN, 1.0),
                ([0.0, 1.0], [1, 2]),
            )
            for options in ({}, {"size": 3}, {"size": (2, 4)}, {"size": ()}, {"size": 0})
        ]
        for name in ("random.normal", "random.uniform", "random.lognormal")
    },
    "random.exponential": [
        call(*args, **options)
        for args in ((), (2.0,), (abs(ROW),), (np.ones((2, 1)),), (0.0,), (-1.0,), (-ROW,), ([1, 2],))
        for options in ({}, {"size": 3}, {"size": (2, 4)}, {"size": ()}, {"size": 0})
    ],
    # --- scipy.linalg
    "inv": [
        *each(MATRICES),
        call(SQUARE, assume_a="sym"),
        call(SQUARE, assume_a="pos", lower=True),
        call(SQUARE, check_finite=False),
        call(SKEW, assume_a="upper triangular"),
        call(SQUARE, assume_a="nonsense"),
        call(np.zeros((0, 0))),
    ],
    "det": [*each(MATRICES), call(np.zeros((0, 0)))],
    "solve": [
        *pairs([m for m in MATRICES if np.size(m) > 1 and (NEW_SCIPY or np.any(m))], RIGHTS),      # (before, infinite for zeros)
        call(SKEW, np.ones(3), transposed=True),
        call(SQUARE, np.ones(3), assume_a="pos"),
        call(SQUARE, np.ones(3), assume_a="sym", lower=True),
        *([call(STACK, np.ones((2, 3, 1)))] if NEW_SCIPY else []),
    ],
    "cholesky": [*each(MATRICES), *each(MATRICES, True), call(-SQUARE), call(SQUARE + np.triu(SKEW, 1), lower=True)],
    "cho_factor": [*each(ARRAYS), *each(ARRAYS, True), call(-SQUARE)],        # (SciPy 1.18 fails on lists)
    "cho_solve": [call((np.linalg.cholesky(SQUARE), True), b) for b in RIGHTS]
    + [call((np.linalg.cholesky(SQUARE).T + np.tril(SKEW, -1), False), b) for b in RIGHTS],
    "solve_triangular": [
        *pairs(MATRICES, RIGHTS),
        *(call(SKEW, np.ones(3), trans, lower) for trans in (0, 1, 2, "N", "T", "C") for lower in (False, True)),
        call(SKEW, np.ones(3), unit_diagonal=True),
        call(SQUARE + 1j * SKEW, np.ones(3), "C"),
    ],
    "eigh": [
        *each(MATRICES),
        call(SQUARE + np.triu(SKEW, 1)),
        call(SQUARE + np.tril(SKEW, -1), lower=False),
        call(SQUARE, eigvals_only=True),
        call(SQUARE, SQUARE),
        call(SQUARE, subset_by_index=[0, 1]),
    ],
    "eigvalsh": [
        *each(MATRICES),
        call(SQUARE + np.triu(SKEW, 1), lower=False),
        call(SQUARE, SQUARE),
        call(SQUARE, subset_by_index=[0, 1]),
    ],
    "svd": [*each(MATRICES), call(GRID), call(GRID, full_matrices=False), call(GRID, compute_uv=False), call(GRID.T, False)],
    "svdvals": [*each(MATRICES), call(GRID), call(NONE)],
    "pinv": [*each(MATRICES), call(GRID), call(GRID, rtol=0.3), call(GRID, atol=0.1), call(GRID, return_rank=True), call(GRID.T)],
    "expm": [*each(MATRICES), call(30.0 * SKEW), call(1e-9 * SKEW), call(2.0), call(np.zeros((0, 0)))],
    "block_diag": [
        call(),
        call(1.0),
        call(SQUARE, ROW, 3.0),
        call([1, 2], [[3]]),
        call(NONE, SQUARE),
        call([], 1.0),
        call(SINGLE, SQUARE),
        call(SQUARE, COMPLEX),
        call(BLOCK),
        call(EMPTY),
        call(WHOLE),
        call(SQUARE.astype(np.float32), SINGLE),
    ],
    "toeplitz": [
        *each(VECTORS),
        *each([ROW, WHOLE, COMPLEX, ONE, 2.0], [9.0, 8.0, 7.0]),
        call(COMPLEX),
        call(ROW, r=EMPTY),
        call(GRID),
    ],
    "norm": [
        call(x, ord)
        for x in (SQUARE, GRID, ROW, COMPLEX, EMPTY, ONE)
        for ord in (None, 1, 2, np.inf, -np.inf, 0, -1, 3, "fro", "nuc")
    ]
    + [
        call(GRID, axis=0),
        call(GRID, 1, 1),
        call(BLOCK, axis=(0, 1)),
        call(BLOCK, "fro", (1, 2), True),
        call(BLOCK),
        call(NUMBER),
        call([1, 2]),
        call(WILD),
        call(SINGLE),
        call(WILD, check_finite=False),
        call(GRID, 2, axis=-1, keepdims=True),
    ],
    # --- scipy.special
    "expit": each([*SIGNED, np.array(SIGNED), np.array(SIGNED, np.float32), GRID, WHOLE, 2, EMPTY, NUMBER, [1, 2], COMPLEX, True]),
    "logit": each(
        [
            *SIGNED,
            0.5,
            1e-20,
            1 - 1e-16,
            0.999,
            np.array([0.5, 0.501, 1e-5, 1.0, 0.0, 2.0]),
            np.array([0.5, 0.51], np.float32),
            [1, 0],
            EMPTY,
            NUMBER,
            True,
        ]
    ),
    **{
        name: [
            *pairs([0.0, -0.0, 1.0, -2.0, INF, NAN, 0], SIGNED),
            call(ROW, abs(ROW)),
            call(COLUMN, abs(ROW)),
            call(SINGLE, abs(SINGLE)),
            call(EMPTY, EMPTY),
            call([0, 1], [1, 2]),
            call(SINGLE, 0.5),
            call(0.0, np.array([NAN, 0.0, 1.0])),
            call(0, 0),
        ]
        for name in ("xlogy", "xlog1py", "rel_entr")
    },
    "entr": each([*SIGNED, np.array(SIGNED), SINGLE, WHOLE, EMPTY, 2, [0, 1]]),
    "logsumexp": [
        *each([*VECTORS, COMPLEX]),
        *each([GRID, BLOCK, NONE], axis=0),
        *each([GRID, BLOCK], axis=-1, keepdims=True),
        call(GRID, axis=(0, 1)),
        call(GRID, b=abs(GRID)),
        call(GRID, b=-1.0),
        call(ROW, b=ROW),
        call(ROW, return_sign=True),
        call([1e3, 1e3]),
        call([-1e3, -2e3]),
        call([-INF, -INF]),
        call([INF, 1.0]),
        call([INF, INF]),
        call([INF, -INF]),
        call(ROW, b=0.0),
        call([1e3, 0.0], b=[0.0, 1.0]),
        call([-1e3, 0.0], b=[1.0, 0.0]),
        call([INF, 0.0], b=[0.0, 1.0]),
        call(GRID, 5),
        call(1e-20),
        call([0.0, -50.0]),
        call([0.0, -700.0]),
        call(GRID, None, None, True),
        call(ROW, b=np.zeros(4)),
        call(GRID.astype(np.float32), axis=1),
    ],
    "log_softmax": [
        *each([*VECTORS, COMPLEX]),
        *each([GRID, BLOCK, NONE], axis=0),
        call(GRID, axis=(0, 1)),
        call([1e3, 1.0]),
        call([-INF, 1.0]),
        call([INF, 1.0]),
        call([0.0, -50.0]),
        call([-1e3, -1e3 - 50.0]),
        call(GRID, 5),
        call(GRID, axis=-1),
        call([-INF, -INF]),
    ],
    "xp_promote": [],
}
