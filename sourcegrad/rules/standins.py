"""What stand-ins of library functions find out about their arguments: it has derivative zero."""
from __future__ import annotations

import numpy as np

from sourcegrad.kinds import INT, Const, Kind, Lst
from sourcegrad.rules.core import ZERO_DERIVATIVE, nondifferentiable
from sourcegrad.rules.discrete_kinds import always
from sourcegrad.runtime import indexing, library, lists, numpy_library, random_library, scipy_library

nondifferentiable(indexing.item_position, numpy_library.leading_zeros, library.data_count, scipy_library.expm_squarings,
                  kind=always(INT))
nondifferentiable(library.extreme_positions, kind=always(Lst(INT)))
nondifferentiable(lists.islice_bound, kind=lambda bound: bound)
nondifferentiable(numpy_library.check_bins, scipy_library.require_finite, kind=always(Const(None)))


def drawn_kind(size: Kind, first: Kind, second: Kind, *_: Kind) -> Kind:
    """The size that is asked for, or the shape of the parameters."""
    shape, together = ZERO_DERIVATIVE[np.shape], ZERO_DERIVATIVE[np.broadcast_shapes]
    return together(shape(first), shape(second)) if shape and together and size == Const(None) else size


nondifferentiable(random_library.drawn_shape, random_library.interval_shape, kind=drawn_kind)
