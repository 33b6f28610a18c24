"""A case is one pair at one size and order; its candidates are the functions that take turns on the clock."""
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from . import pairs

ORDERS = ("gradient", "hvp", "hessian")


@dataclass
class Candidate:
    """A function with its arguments; `arrays` turns what it returns into a flat list of numpy arrays."""
    name: str
    function: Callable
    args: tuple
    arrays: Callable = field(default=lambda result: flat(result))


@dataclass
class Case:
    pair: object
    name: str
    size: str
    order: str
    args: tuple

    @property
    def title(self):
        return self.name if self.order == "gradient" else f"{self.name} {self.order}"

    @property
    def positions(self):
        """Positions of the differentiated parameters."""
        parameters = list(inspect.signature(self.pair.primal).parameters)
        return tuple(parameters.index(name) for name in self.pair.INPUTS)

    @property
    def direction(self):
        return np.random.default_rng(2).standard_normal(self.args[0].shape)

    @property
    def order_args(self):
        """What the golden function of this order is called with."""
        return (self.args[0], self.direction, *self.args[1:]) if self.order == "hvp" else self.args

    def golden(self):
        function = self.pair.adjoint if self.order == "gradient" else getattr(self.pair, self.order)
        return Candidate("golden", function, self.order_args)

    def primal(self):
        """The primal; one that works in place gets fresh copies, as each adjoint makes for itself."""
        primal = self.pair.primal
        if in_place(self.pair):
            return Candidate("primal", lambda *args: primal(*copies(args)), self.args)
        return Candidate("primal", primal, self.args)

    def emitted(self):
        import sourcegrad as sg
        if self.order == "gradient":
            gradient = sg.value_and_grad(self.pair.primal, inputs=self.pair.INPUTS)
            return Candidate("emitted", gradient, self.args)
        from . import second_order
        hvp = second_order.HVP[self.name]
        function = hvp if self.order == "hvp" else second_order.hessian_from(hvp)
        return Candidate("emitted", function, self.order_args)


def cases(size, only=()):
    """The cases of all pairs, or of those whose title contains one of the words in `only`."""
    for name in pairs.NAMES:
        pair = pairs.load(name)
        for order in ORDERS:
            if order != "gradient" and not hasattr(pair, order):
                continue
            case = Case(pair, name, size, order, pair.make(size, np.random.default_rng(1)))
            if not only or any(word in case.title for word in only):
                yield case


def in_place(pair):
    return getattr(pair, "IN_PLACE", False)


def copies(args):
    return tuple(arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args)


def flat(result):
    """Arrays in a value, tuple or list of them, however nested, in order."""
    if isinstance(result, (tuple, list)):
        return [array for part in result for array in flat(part)]
    return [np.asarray(result)]


def mismatch(arrays, expected, rtol=1e-8):
    """What differs between two lists of arrays, relative to the largest entry; None if nothing does."""
    if len(arrays) != len(expected):
        return f"{len(arrays)} results instead of {len(expected)}"
    for position, (array, right) in enumerate(zip(arrays, expected)):
        if array.shape != right.shape:
            return f"result {position} has shape {array.shape} instead of {right.shape}"
        if array.dtype != np.float64:
            return f"result {position} is {array.dtype}, not float64"
        scale = np.max(np.abs(right), initial=0.0)
        error = np.max(np.abs(array - right), initial=0.0)
        if not error <= rtol * max(scale, 1e-300):              # NaN is a mismatch too
            return f"result {position} is off by {error:.1e} at scale {scale:.1e}"
    return None
