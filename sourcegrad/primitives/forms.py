"""Options of NumPy's functions that their rules do not take: plain Python stands for such calls (`runtime/numpy_forms.py`)."""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import INT, Const, Kind, Lst, Num, Tup
from sourcegrad.kinds.results import leaf
from sourcegrad.primitives.core import declare, describe, nondifferentiable
from sourcegrad.runtime import numpy_forms as forms


def ranks_kind(count: Kind, q: Kind, method: Kind) -> Kind:
    return Num("float64", leaf(count).dims, True)


def places_kind(rank: Kind, count: Kind) -> Kind:
    dims = leaf(rank).dims
    return Num("int64", dims, bool(dims) or None)


ANY_CONSTANT = ...
NONE = (None,)

# --- what takes more options than its rule
describe(np.prod, otherwise=forms.prod)
describe(np.sum, otherwise=forms.summed, only={"initial": ANY_CONSTANT})
describe(np.max, otherwise=forms.greatest, only={"initial": ANY_CONSTANT})
describe(np.min, otherwise=forms.least, only={"initial": ANY_CONSTANT})
describe(np.average, otherwise=forms.average, only={"returned": (False,)})
describe(np.cov, otherwise=forms.cov, only={"y": NONE})
describe(np.pad, otherwise=forms.pad, only={"mode": ("constant", "edge", "reflect", "symmetric", "wrap")})
declare("otherwise", {
    np.var: forms.var, np.std: forms.std, np.nanmean: forms.nanmean, np.nansum: forms.nansum, np.nanprod: forms.nanprod,
    np.nanvar: forms.nanvar, np.nanstd: forms.nanstd, np.median: forms.median, np.quantile: forms.quantile,
    np.percentile: forms.percentile, np.concatenate: forms.concatenate, np.stack: forms.stack, np.vstack: forms.vstack,
    np.hstack: forms.hstack, np.atleast_1d: forms.atleast_1d, np.atleast_2d: forms.atleast_2d, np.atleast_3d: forms.atleast_3d,
    np.linspace: forms.linspace, np.interp: forms.interp, np.nanmax: forms.nangreatest, np.nanmin: forms.nanleast,
    np.full_like: forms.full_like, np.fromiter: forms.fromiter})
describe(np.logspace, otherwise=forms.logspace, only={"base": ANY_CONSTANT})

# --- what has no rule
declare("instead", {
    np.nanquantile: forms.nanquantile, np.nanpercentile: forms.nanpercentile, np.nanmedian: forms.nanmedian,
    np.nancumprod: forms.nancumprod, np.trim_zeros: forms.trim_zeros, np.i0: forms.i0, np.broadcast: forms.Broadcast})
if hasattr(np, "cumulative_sum"):
    declare("instead", {np.cumulative_sum: forms.cumulative_sum, np.cumulative_prod: forms.cumulative_prod})

# --- helpers that tell places only
nondifferentiable(forms.discrete_rank, kind=ranks_kind)
nondifferentiable(forms.whole_part, kind=places_kind)
nondifferentiable(forms.weighted_places, kind=lambda *_: Num("int64", None, True))
nondifferentiable(forms.kept_shape)
nondifferentiable(forms.both_sides, kind=lambda width, rank: Lst(Tup((INT, INT))))
nondifferentiable(forms.nonzero_bounds, kind=lambda *_: Tup((INT, INT)))
nondifferentiable(forms.refuse_out, effect="checks", kind=lambda *_: Const(None))
