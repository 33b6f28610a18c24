"""Calls of primitives whose rules have no samples, or that have derivative zero, for the tests of their kinds."""
from __future__ import annotations

import numpy as np

from sourcegrad import runtime

V, W = np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0])
M, N = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(4, 3) + np.eye(4, 3)
S = np.array([[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 4.0]])
K = np.array([2, 0, 1])
MASK = np.array([True, False, True])
ONE = np.ones((1, 1))
Z = np.array([[1.0 + 1.0j, 0.5], [0.25j, 2.0]])
EMPTY = np.zeros((0, 3))
SQUARES = [(S,), (np.stack([S, S]),), (S.astype("float32"),), (Z,), (ONE,)]
TABLES = [*SQUARES, (M,), (N,), (np.stack([M, M]),), (M.astype("float32"),)]

CALLS: dict = {
    np.linalg.eig: SQUARES, np.linalg.eigvals: SQUARES, np.linalg.eigh: SQUARES, np.linalg.eigvalsh: SQUARES,
    np.linalg.cholesky: [(S,), (S.astype("float32"),), (ONE,)],
    np.linalg.svd: [*TABLES, *((*args, False) for args in TABLES), *((*args, True, False) for args in TABLES)],
    np.linalg.qr: [*TABLES, *((*args, mode) for args in TABLES for mode in ("r", "complete"))],
    np.linalg.lstsq: [(N, np.ones(4), None), (N, np.ones((4, 2)), None), (M, np.ones(2), None), (ONE, np.ones(1), None),
                      (N.astype("float32"), np.ones(4), None)],
    np.linalg.matrix_rank: [*TABLES, (V,), (2.0,)],
    np.linalg.pinv: TABLES,
    runtime.refuse_used: [(0.0, "", ""), (np.zeros(3), "", "")],
    runtime.axis_size: [(M, 0), (M, (0, 1)), (M, None), (ONE, 0), (np.ones((2, 3, 4)), (0, 2))],
    runtime.length_along: [(None, 0), (1.0, 0), (M, 1)],
    runtime.inverse_permutation: [((2, 0, 1),), ((-1, 0, 1),), ([1, 0],)],
    runtime.rolled_axis: [(M, 1), (M, 1, 2)],
    runtime.reading_order: [(M, "K"), (M.T, "A"), (V, "C")],
    runtime.insertion_axis: [(1, 1), (slice(0, 2), 1)],
    runtime.sorted_positions: [([3.0, 1.0], False), (V, True)],
    runtime.einsum_is_plain: [("ij,jk",)], runtime.einsum_swapped: [("ij,jk->ik", 0), ("ij,j", 1)],
    runtime.multi_dot_subscripts: [((V, S, V),), ((M, N.T),), ([M, S],)],
    runtime.diagonal_index: [(S,), (N,)],
    runtime.index_along: [(M, np.array([[0], [2]]), 1), (M, np.array([[0, 1, 0]]), 0)],
    runtime.separate_writes: [(V, (np.array([0, 0, 1]),)), (M, (np.array([0, 1]), np.array([1, 1])))],
    runtime.split_bounds: [(V, 3, 0, True), (V, 2, 0, False)],
    np.fft.fftfreq: [(4,), (5, 0.5), (4, np.float32(0.5))], np.fft.rfftfreq: [(4,), (5, 0.5)],
    np.argwhere: [(MASK,), (M,), (2.0,)], np.lexsort: [((V, V),), (M,), ([V, W[[0, 1, 1]]],), ((1.0, 2.0),)],
    np.diag_indices: [(3,), (2, 3), (1,)], np.diag_indices_from: [(S,), (ONE,)],
    np.indices: [((2, 3),), ((1, 2), float), ((2, 3), int, True), ((),)],
    np.ix_: [(K, np.array([0, 1])), (MASK, K), ([1, 2], K), (np.array([0]),)],
    np.unravel_index: [(3, (2, 3)), (K, (2, 3)), (K, 5)], np.ravel_multi_index: [((1, 2), (2, 3)), ((K, K), (3, 3))],
    np.isin: [(V, W), (1.0, V), (M, V), ([1.0, 2.0], V)],
    np.packbits: [(MASK,), (np.stack([MASK, MASK]), 1)], np.unpackbits: [(np.array([3], "uint8"),),
                                                                        (np.array([[3], [4]], "uint8"), 1)],
    np.shape: [(M,), (2.0,), (ONE,), ([1.0, 2.0],), (EMPTY,)],
    np.broadcast_shapes: [((2, 1), (3,)), ((2, 3), (2, 3)), ((), ())],
    np.result_type: [(V, K)], np.promote_types: [("float32", "float64")], np.min_scalar_type: [(3,)], np.dtype: [("float32",)],
    np.einsum_path: [("ij,jk", M, S)],
    np.array2string: [(V,)], np.array_repr: [(V,)], np.array_str: [(V,)], np.format_float_positional: [(1.5,)],
    np.format_float_scientific: [(1.5,)], np.base_repr: [(5,)], np.binary_repr: [(5,)],
    np.geterr: [()], np.get_printoptions: [()], np.seterr: [()],
    range: [(3,), (1, 5, 2)], slice: [(3,)], str: [(V,)], repr: [(2,)], format: [(2.0, ".1f")], ascii: [("a",)], chr: [(65,)],
    bin: [(3,)], hex: [(30,)], oct: [(9,)],
    np.argsort: [(V,), (M,), (M, None), (M, 0)], np.nonzero: [(V,), (M,)], np.searchsorted: [(V, 2.0), (V, M)],
    np.argmax: [(V,), (M,), (M, 0), (M, None)], np.any: [(MASK,), (M, 1)], np.count_nonzero: [(M,), (M, 0)],
    np.zeros: [(3,), ((2, 1),), ((),), (3, "float32")], np.eye: [(3,), (2, 4)], np.tri: [(3,), (2, 4)],
    np.ones_like: [(M,), (2.0,), ([1.0, 2.0],), (M, "float32")],
    np.round: [(V,), (2.5,), (V.astype("float32"),)], round: [(2.5,), (2.5, 1)],
}
for name in ("svdvals", "trace", "diagonal"):
    if hasattr(np.linalg, name):
        CALLS[getattr(np.linalg, name)] = TABLES
