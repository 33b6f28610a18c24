"""Attacks on operations: detours around the rules, conversions that lose the derivative, unusual arguments."""
import copy
import json
import math
import operator
import pickle
import statistics
import struct
from decimal import Decimal
from fractions import Fraction

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add

V = np.array([0.3, -0.8, 1.1])
W = np.array([1.5, 0.4, -0.6])
M = np.array([[0.2, -0.5, 0.9], [1.3, 0.4, -0.7]])

# each is a function of one line; the name says what is attacked
ONE_LINERS = {
    "through_text": (lambda x: float(f"{x:.17g}") * x, 0.7),
    "through_str": (lambda x: float(str(x)) * x, 0.7),
    "through_repr": (lambda x: float(repr(float(x))) * x, 0.7),
    "through_percent": (lambda x: float("%.17g" % x) * x, 0.7),
    "through_format": (lambda x: float("{}".format(x)) * x, 0.7),
    "through_format_builtin": (lambda x: float(format(x, ".17g")) * x, 0.7),
    "through_hex": (lambda x: float.fromhex(x.hex()) * x, 0.7),
    "through_json": (lambda x: json.loads(json.dumps(x)) * x, 0.7),
    "through_pickle": (lambda x: pickle.loads(pickle.dumps(x)) * x, 0.7),
    "through_struct": (lambda x: struct.unpack("d", struct.pack("d", x))[0] * x, 0.7),
    "through_ratio": (lambda x: x.as_integer_ratio()[0] / x.as_integer_ratio()[1] * x, 0.7),
    "through_fraction": (lambda x: float(Fraction(x)) * x, 0.7),
    "through_decimal": (lambda x: float(Decimal(x)) * x, 0.7),
    "through_bytes": (lambda x: np.frombuffer(x.tobytes()).sum() * x[0], V),
    "through_int_view": (lambda x: x.view(np.int64).view(float).sum() * x[0], V),
    "through_view": (lambda x: x.view().sum() * x[0], V),
    "through_memoryview": (lambda x: np.asarray(memoryview(x)).sum() * x[0], V),
    "through_tolist": (lambda x: sum(x.tolist()) * x[0], V),
    "through_object_array": (lambda x: np.array([x, x], dtype=object).sum() * x, 0.7),
    "through_astype_object": (lambda x: x.astype(object).sum() * x[0], V),
    "through_astype_str": (lambda x: x.astype(str).astype(float).sum() * x[0], V),
    "through_bool": (lambda x: bool(x) * x, 0.7),
    "through_int": (lambda x: int(x) * x, 1.7),
    "through_complex": (lambda x: complex(x, x).imag * x, 0.7),
    "through_complex_modulus": (lambda x: abs(complex(x, 2.0 * x)) * x, 0.7),
    "through_round": (lambda x: round(x, 1) * x, 0.73),
    "through_divmod": (lambda x: divmod(x, 0.3)[1] * x, 0.7),
    "through_modf": (lambda x: math.modf(x)[0] * x, 1.7),
    "through_frexp": (lambda x: math.ldexp(*math.frexp(x)) * x, 0.7),
    "through_np_modf": (lambda x: np.modf(x)[0].sum() * x[0], V),
    "through_np_frexp": (lambda x: np.ldexp(*np.frexp(x)).sum() * x[0], V),
    "through_np_divmod": (lambda x: np.divmod(x, 0.25)[1].sum() * x[0], V),
    "through_deepcopy": (lambda x: copy.deepcopy(x).sum() * x[0], V),
    "through_copy_module": (lambda x: copy.copy(x).sum() * x[0], V),
    "through_copy_dunder": (lambda x: x.__copy__().sum() * x[0], V),
    "through_array_dunder": (lambda x: x.__array__().sum() * x[0], V),
    "through_float_class": (lambda x: type(x)(x) * x, 0.7),
    "through_type_call": (lambda x: np.float64(x) * x, 0.7),
    "through_asarray_of_list": (lambda x: np.asarray([x, [x, x]][1]).sum() * x, 0.7),
    "through_nested_array": (lambda x: np.array([[x, 1.0], [2.0, x * x]])[1, 1] * x, 0.7),
    "through_statistics": (lambda x: statistics.mean([x, x * x]), 0.7),
    "through_nditer": (lambda x: sum(float(v) ** 2 for v in np.nditer(x)), V),
    "through_ndenumerate": (lambda x: sum(i[0] * v for i, v in np.ndenumerate(x)), V),
    "through_flat": (lambda x: sum(x.flat) * x[0, 0], M),
    "through_flat_item": (lambda x: x.flat[2] * x[0, 0], M),
    "through_dunder_add": (lambda x: x.__add__(x * x), 0.7),
    "through_dunder_getitem": (lambda x: x.__getitem__(1) * x[0], V),
    "through_dunder_call": (lambda x: np.sin.__call__(x), 0.7),
    "through_class_method": (lambda x: np.ndarray.sum(x * x), V),
    "through_float_method": (lambda x: float.__mul__(x, x), 0.7),
    "through_getattr": (lambda x: getattr(x, "sum")() * x[0], V),
    "through_getattr_module": (lambda x: getattr(np, "sin")(x), 0.7),
    "through_operator": (lambda x: operator.mul(x, operator.neg(x)), 0.7),
    "through_itemgetter": (lambda x: operator.itemgetter(1)(x) * x[0], V),
    "through_methodcaller": (lambda x: operator.methodcaller("sum")(x) * x[0], V),
    "through_getitem_function": (lambda x: operator.getitem(x, 1) * x[0], V),
    "through_reduce_method": (lambda x: np.add.reduce(x) * x[0], V),
    "through_multiply_reduce": (lambda x: np.multiply.reduce(x) * x[0], V),
    "through_maximum_reduce": (lambda x: np.maximum.reduce(x) * x[0], V),
    "through_accumulate_method": (lambda x: np.multiply.accumulate(x)[2] * x[0], V),
    "through_outer_method": (lambda x: np.multiply.outer(x, x)[0, 1], V),
    "through_reduceat": (lambda x: np.add.reduceat(x, [0, 2])[0] * x[0], V),
    "through_vectorize": (lambda x: np.vectorize(lambda v: v * v)(x).sum(), V),
    "through_frompyfunc": (lambda x: np.frompyfunc(lambda v: v * v, 1, 1)(x).sum(), V),
    "through_apply_along_axis": (lambda x: np.apply_along_axis(lambda r: r * r[0], 0, x).sum(), M),
    "through_fromfunction": (lambda x: np.fromfunction(lambda i: x * i, (3,)).sum(), 0.7),
    "through_piecewise": (lambda x: np.piecewise(x, [x > 0], [lambda v: v * v, 0.0]).sum(), V),
    "through_select": (lambda x: np.select([x > 0, x < -1], [x * x, x], 2.0).sum(), V),
    "through_choose": (lambda x: np.choose([0, 1, 0], [x, x * x]).sum(), V),
    "through_lambda_call": (lambda x: (lambda y: y * x)(x * x), 0.7),
    "through_conditional_function": (lambda x: (math.sin if x > 0 else math.cos)(x), 0.7),
    "through_function_list": (lambda x: [math.sin, math.cos][1](x), 0.7),
    "through_function_dict": (lambda x: {"s": math.sin}["s"](x), 0.7),
    "through_or": (lambda x: (x or 2.0) * x, 0.7),
    "through_and": (lambda x: (x and x * x) * x, 0.7),
    "through_boolean_product": (lambda x: (x > 0) * x + (x <= 0) * x * x, 0.7),
    "through_comparison_sum": (lambda x: np.sum(x > 0) * x.sum(), V),
    "through_sign": (lambda x: np.sign(x).sum() * x.sum(), V),
    "through_min_of_array": (lambda x: min(x) * max(x), V),
    "through_sum_of_array": (lambda x: sum(x) * x[0], V),
    "through_sum_of_matrix": (lambda x: sum(x)[0] * x[0, 0], M),
    "through_sum_start": (lambda x: sum(x, x[0]), V),
    "through_abs_of_zero": (lambda x: abs(x - x) + x, 0.7),
    "through_power_of_variables": (lambda x: x ** x, 0.7),
    "through_pow_three": (lambda x: pow(x, 2) * pow(2.0, x), 0.7),
    "through_linspace": (lambda x: np.linspace(0.0, x, 5).sum() * x, 0.7),
    "through_linspace_step": (lambda x: np.linspace(0.0, x, 5, retstep=True)[1] * x, 0.7),
    "through_arange": (lambda x: np.arange(0.0, x, 0.2).sum() * x, 0.7),
    "through_arange_step": (lambda x: np.arange(0.0, 1.0, x).sum(), 0.3),
    "through_full": (lambda x: np.full(3, x).sum() * x, 0.7),
    "through_full_like": (lambda x: np.full_like([1, 2], x).sum() + x, 1.7),
    "through_full_like_float": (lambda x: np.full_like(V, x).sum() * x, 0.7),
    "through_ones_times": (lambda x: (np.ones(3) * x).sum() * x, 0.7),
    "through_interp": (lambda x: np.interp(x, [0.0, 1.0, 2.0], [1.0, 3.0, 2.0]), 0.7),
    "through_interp_values": (lambda x: np.interp(0.5, [0.0, 1.0], x[:2]) * x[0], V),
    "through_polyval": (lambda x: np.polyval(x, 0.5) * x[0], V),
    "through_bincount": (lambda x: np.bincount([0, 1, 1], weights=x)[1] * x[0], V),
    "through_histogram": (lambda x: np.histogram([0.1, 0.2, 0.9], weights=x, bins=2)[0][0] * x[0], V),
    "through_unique": (lambda x: np.unique(x)[0] * x[0], V),
    "through_unique_tuple": (lambda x: np.unique(x, return_index=True)[0][0] * x[0], V),
    "through_where_tuple": (lambda x: x[np.where(x > 0)].sum() * x[0], V),
    "through_nonzero": (lambda x: x[np.nonzero(x)].sum() * x[0], V),
    "through_compress": (lambda x: np.compress([True, False, True], x).sum() * x[0], V),
    "through_extract": (lambda x: np.extract(x > 0, x).sum() * x[0], V),
    "through_delete": (lambda x: np.delete(x, 1).sum() * x[0], V),
    "through_insert": (lambda x: np.insert(x, 1, x[0] * x[1]).sum() * x[0], V),
    "through_resize": (lambda x: np.resize(x, 5).sum() * x[0], V),
    "through_trim_zeros": (lambda x: np.trim_zeros(x).sum() * x[0], V),
    "through_ix": (lambda x: x[np.ix_([0, 1], [2, 0])].sum() * x[0, 0], M),
    "through_slice_object": (lambda x: x[slice(1, 3)].sum() * x[0], V),
    "through_s": (lambda x: x[np.s_[1:]].sum() * x[0], V),
    "through_none_index": (lambda x: (x[:, None] * x[None]).sum() * x[0], V),
    "through_ellipsis": (lambda x: x[..., 1].sum() * x[0, 0], M),
    "through_true_index": (lambda x: x[True].sum() * x[0], V),
    "through_list_index": (lambda x: x[[0, 0, 2]].sum() * x[0], V),
    "through_tuple_of_lists": (lambda x: x[[0, 1], [1, 1]].sum() * x[0, 0], M),
    "through_negative_step": (lambda x: x[::-2][0] * x[0], V),
    "through_double_index": (lambda x: x[1][2] * x[0][0], M),
    "through_mixed_index": (lambda x: x[[0, 0], 1:].sum() * x[0, 0], M),
    "through_where_keyword": (lambda x: np.sum(x, where=x > 0) * x[0], V),
    "through_ufunc_where": (lambda x: np.exp(x, where=x > 0, out=np.zeros(3)).sum() * x[0], V),
    "through_initial": (lambda x: np.sum(x, initial=x[0] * x[1]), V),
    "through_max_initial": (lambda x: np.max(x, initial=5.0) * x[0], V),
    "through_sum_dtype": (lambda x: np.sum(x, dtype=int) + x[0], np.array([1.7, 2.6])),
    "through_ufunc_dtype": (lambda x: np.add(x, x, dtype=np.complex128).real.sum() * x[0], V),
    "through_mean_dtype": (lambda x: np.mean(x, dtype=np.float64) * x[0], V),
    "through_ddof": (lambda x: np.var(x, ddof=1) * x[0], V),
    "through_ddof_positional": (lambda x: x.std(None, None, None, 1) * x[0], V),
    "through_clip_keywords": (lambda x: x.clip(min=0.0).sum() * x[0], V),
    "through_clip_min_max": (lambda x: np.clip(x, 0.0, 1.0).sum() * x[0], V),
    "through_reshape_order": (lambda x: x.reshape(3, 2, order="F")[0, 1] * x[0, 0], M),
    "through_reshape_keyword": (lambda x: np.reshape(x, (3, 2), "F")[0, 1] * x[0, 0], M),
    "through_sum_axes": (lambda x: x.sum(axis=(0, 1)) * x[0, 0], M),
    "through_take_mode": (lambda x: np.take(x, [4, 5], mode="wrap").sum() * x[0], V),
    "through_take_clip": (lambda x: np.take(x, [-9, 7], mode="clip")[0] * x[1], V),
    "through_norm_orders": (lambda x: np.linalg.norm(x, 3) * x[0], V),
    "through_norm_inf": (lambda x: np.linalg.norm(x, np.inf) * x[0], V),
    "through_norm_nuclear": (lambda x: np.linalg.norm(x, "nuc") * x[0, 0], M),
    "through_std_of_complex": (lambda x: np.std(x * 1j) * x[0], V),
    "through_integer_power": (lambda x: (x ** np.arange(3)).sum() * x[0], V),
    "through_uint_arithmetic": (lambda x: (np.array([1, 2], dtype=np.uint8) - np.uint8(2))[0] * x, 0.7),
    "through_errstate_free_nan": (lambda x: np.nansum(np.where(x > 0, x, np.nan)) * x[0], V),
    "through_polynomial_object": (lambda x: np.poly1d([1.0, 2.0, 3.0])(x), 0.7),
    "through_polynomial_of_inputs": (lambda x: np.poly1d(x)(2.0) * x[0], V),
    "through_masked_array": (lambda x: np.ma.masked_less(x, 0.0).sum() * x[0], V),
    "through_matrix": (lambda x: (np.matrix(x) * np.matrix(x).T)[0, 0], V),
    "through_asmatrix": (lambda x: np.asmatrix(x)[0, 1] * x[0], V),
    "through_record": (lambda x: np.rec.fromarrays([x, x]).f0.sum() * x[0], V),
    "through_structured": (lambda x: np.array([(x, 1)], dtype=[("a", float), ("b", int)])["a"][0] * x, 0.7),
    "through_random_location": (lambda x: np.random.default_rng(1).normal(x) * x, 0.7),
    "through_random_scale": (lambda x: np.random.RandomState(1).normal(0.0, x) * x, 0.7),
    "through_choice": (lambda x: np.random.default_rng(1).choice(x) * x[0], V),
    "through_permutation": (lambda x: np.random.default_rng(1).permutation(x)[0] * x[0], V),
    "through_random_factor": (lambda x: (r := np.random.default_rng(1)).normal() * x * r.normal(), 0.7),
    "through_isinstance": (lambda x: x * x if isinstance(x, float) else x, 0.7),
    "through_is": (lambda x: x * x if x is not None and x is x else x, 0.7),
    "through_len": (lambda x: len(x) * x.sum(), V),
    "through_shape_product": (lambda x: np.prod(x.shape) * x.sum(), M),
    "through_id": (lambda x: x * (id(x) == id(x)), 0.7),
    "through_hash": (lambda x: hash(x) * 0.0 + x * x, 0.7),
    "through_floor_divide": (lambda x: x // 0.3 * x, 0.7),
    "through_modulo": (lambda x: x % 0.3 * x, 0.7),
    "through_negative_modulo": (lambda x: (-x) % 0.3 * x + math.fmod(-x, 0.3) * x, 0.7),
    "through_modulo_divisor": (lambda x: 2.0 % x * x, 0.7),
    "through_array_modulo": (lambda x: (x % 0.25).sum() * x[0], V),
    "through_remainder": (lambda x: math.remainder(x, 0.3) * x, 0.7),
    "through_copysign": (lambda x: math.copysign(x, -1.0) * x, 0.7),
    "through_math_of_array": (lambda x: math.sin(x[:1].item()) * x[1], V),
    "through_float_of_array": (lambda x: float(x[0] * x[1]) * x[2], V),
    "through_zero_d_array": (lambda x: np.array(x)[()] * x, 0.7),
    "through_array_scalar_item": (lambda x: x.sum().item() * x[0], V),
    "through_chained_comparison": (lambda x: x * x if 0.0 < x < 1.0 else x, 0.7),
    "through_starred_list": (lambda x: [*[x, x * x], 1.0][1] * x, 0.7),
    "through_starred_index": (lambda x: x[(*(0, 1),)] * x[0, 0], M),
    "through_nested_ternary": (lambda x: x if x < 0 else x * x if x < 1 else 2.0 * x, 0.7),
    "through_string_compare": (lambda x: x * x if str(x)[0] == "0" else x, 0.7),
    "through_matmul_scalar_product": (lambda x: x @ x * x[0], V),
    "through_iterated_grad_index": (lambda x: sum(x[i] * x[-i] for i in range(len(x))), V),
    "through_float_index": (lambda x: x[int(x[2])] * x[0], V),
    "through_big_int": (lambda x: x * 10 ** 20 * 1e-20, 0.7),
    "through_negative_power_of_int": (lambda x: x * 2 ** -1, 0.7),
    "through_integer_division": (lambda x: x * (7 // 2) * (7 % 3), 0.7),
    "through_bit_operations": (lambda x: x * (5 & 3 | 8 ^ 2 << 1 >> 1) * ~1, 0.7),
    "through_mask_operations": (lambda x: (~(x > 0) & (x < 1) | (x > 1)).sum() * x.sum(), V),
    "through_set_membership": (lambda x: x * x if "a" in {"a", "b"} else x, 0.7),
    "through_bytes_literal": (lambda x: x * b"ab"[0], 0.7),
    "through_ellipsis_value": (lambda x: x * x if ... is Ellipsis else x, 0.7),
    "through_keyword_ufunc": (lambda x: np.add(x, x, casting="same_kind").sum() * x[0], V),
    "through_subok": (lambda x: np.array(x, subok=True, ndmin=2).sum() * x[0], V),
    "through_einsum_path": (lambda x: np.einsum("i,i->", x, x, optimize=True) * x[0], V),
    "through_einsum_sublists": (lambda x: np.einsum(x, [0], x, [0], []) * x[0], V),
    "through_tensordot": (lambda x: np.tensordot(x, x, axes=([0, 1], [0, 1])) * x[0, 0], M),
    "through_gradient": (lambda x: (np.gradient(x) ** 2).sum(), V),
    "through_cross": (lambda x: np.cross(x, W)[0] * x[0], V),
    "through_convolve": (lambda x: np.convolve(x, x, "same")[1] * x[0], V),
    "through_fft": (lambda x: np.abs(np.fft.fft(x)[1]) * x[0], V),
    "through_cov": (lambda x: np.cov(x)[0, 1] * x[0, 0], M),
    "through_corrcoef": (lambda x: np.corrcoef(x)[0, 1] * x[0, 0], M),
    "through_lstsq": (lambda x: np.linalg.lstsq(x.T, W, rcond=None)[0][0] * x[0, 0], M),
    "through_pinv": (lambda x: np.linalg.pinv(x)[0, 0] * x[0, 0], M),
}

for _name, (_function, *_args) in ONE_LINERS.items():
    _function.__name__ = _name
    attack(_function, *_args)


def unknown_times_a_list(x):
    things = [x, "the kind of the items is not known"]
    y = things[0] * 2.0
    return np.sum(y * [1.0, 2.0, 3.0])


attack(unknown_times_a_list, V)


def a_list_times_unknown(x):
    things = [W, "the kind of the items is not known"]
    return np.sum([x[0], x[1], x[2]] * things[0])


attack(a_list_times_unknown, V)


def unknown_plus_a_list(x):
    things = [x[:1], "the kind of the items is not known"]
    y = things[0] * 2.0
    return np.sum(y * (y + [1.0, 2.0, 3.0]))


attack(unknown_plus_a_list, V)
