"""The helpers that generated code may call: numpy only, each with a derivative rule of its own.

One file a family; everything is exported here, and generated code names the helpers without a prefix.
"""
from sourcegrad.runtime.checkpoints import *  # noqa: F403
from sourcegrad.runtime.containers import *  # noqa: F403
from sourcegrad.runtime.core import *  # noqa: F403
from sourcegrad.runtime.dynamic import *  # noqa: F403
from sourcegrad.runtime.elementwise import *  # noqa: F403
from sourcegrad.runtime.index_sets import *  # noqa: F403
from sourcegrad.runtime.more_forms import *  # noqa: F403
from sourcegrad.runtime.objects import *  # noqa: F403
from sourcegrad.runtime.places import *  # noqa: F403
from sourcegrad.runtime.polynomials import *  # noqa: F403
from sourcegrad.runtime.products import *  # noqa: F403
from sourcegrad.runtime.random_draws import *  # noqa: F403
from sourcegrad.runtime.rounding import *  # noqa: F403
from sourcegrad.runtime.shapes import *  # noqa: F403
from sourcegrad.runtime.sharing import *  # noqa: F403
from sourcegrad.runtime.solvers import *  # noqa: F403
from sourcegrad.runtime.strided import *  # noqa: F403
from sourcegrad.runtime.structure import *  # noqa: F403
from sourcegrad.runtime.tangents import *  # noqa: F403
