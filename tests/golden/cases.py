"""What the golden texts show: functions with the arguments whose kinds their gradients are specialised on."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import sourcegrad as sg
from benchmarks import pairs
from sourcegrad.api.directions import arguments
from tests.golden import functions


@dataclass(frozen=True)
class Case:
    name: str
    function: Callable
    args: tuple
    inputs: Any = None
    order: int = 1
    grad_outputs: Any = None
    memory: str | None = None

    def gradient(self, order: int | None = None) -> Any:
        """The gradient function: of the gradient (of ...) of the function."""
        function: Any = self.function
        for _ in range(self.order if order is None else order):
            function = sg.grad(function, self.inputs, memory=self.memory)
        return function

    @property
    def options(self) -> dict[str, Any]:
        return {} if self.grad_outputs is None else {"grad_outputs": self.grad_outputs}

    def text(self) -> str:
        """The emitted module."""
        gradient = self.gradient()
        gradient(*self.args, **self.options)
        return str(gradient.source)


@dataclass(frozen=True)
class ForwardCase:
    """A function whose text of forward mode is kept: with its value, by some inputs."""

    name: str
    function: Callable
    args: tuple
    inputs: Any = None

    def pushforward(self) -> Any:
        return sg.pushforward(self.function, self.inputs)

    def tangents(self) -> dict[str, Any]:
        """A tangent for each input, by its name in a call."""
        rng = np.random.default_rng(2)
        made = self.pushforward()
        given = arguments(made, self.args, {})[0]
        return {dot: rng.normal(size=np.shape(given[name])) if np.shape(given[name]) else rng.normal()
                for name, dot in made._tangents.items()}

    def text(self) -> str:
        """The emitted module."""
        made = self.pushforward()
        made(*self.args, **self.tangents())
        return str(made.source)


def from_pair(name: str) -> Case:
    pair = pairs.load(name)
    return Case(name, pair.primal, pair.make("tiny", np.random.default_rng(1)), pair.INPUTS)


PAIRS = ("scalar_math", "pendulum", "mlp", "softmax", "rnn", "logreg", "rosenbrock", "gmm", "jacobi_2d")
CASES = [from_pair(name) for name in PAIRS] + [
    Case("helper_call", functions.energy, (np.array([0.3, -1.2]), 2.0), ("x", "k")),
    Case("recursion", functions.horner, (0.7, 5)),
    Case("while_break", functions.newton_root, (2.0,)),
    Case("closure", functions.quadrature, (0.5, np.linspace(0.0, 1.0, 5))),
    Case("append_and_stack", functions.trajectory, (np.array([0.4, 1.1]), 0.3, 4), ("x0", "rate")),
    Case("second_order", functions.wave, (0.8,), order=2),
    Case("two_outputs", functions.polar, (0.6, 1.7), ("x", "y"), grad_outputs=(0.5, -2.0)),
    Case("branch_and_store", functions.clipped_mean, (np.array([0.5, 2.0, 4.0]), 1.5)),
    Case("view_in_place", functions.damp, (np.array([0.1, 0.4, -0.3, 0.8]), 3)),
    Case("local_object", functions.descent, (np.array([0.4, -1.1]), np.array([1.0, 2.0]), 3), ("w", "scales")),
    Case("objects_in_a_list", functions.chain, (np.array([1.0, 2.0, 1.5]), np.array([0.0, 1.0, 2.5]), 3.0, 4),
         ("m", "x", "stiffness")),
    Case("objects_in_a_ring", functions.around, (1.1,)),
    Case("deque_in_an_object", functions.delayed, (np.array([0.4, -1.1, 0.3, 0.8]), 0.5, 2), ("signal", "gain")),
    Case("rows_of_an_object", functions.upwind, (np.linspace(0.2, 1.3, 12).reshape(3, 4), np.array([0.3, 0.1, 0.2]), 2),
         ("u0", "rate")),
    Case("dict_in_an_object", functions.savings, (["a", "b", "a"], np.array([0.4, 1.1, 0.3]), 0.1), ("amounts", "rate")),
    Case("dict_of_parameters", functions.last_state, (
        {"cell": {"inner": np.array([[0.4, -0.2], [0.1, 0.3]]), "outer": np.array([[0.5, 0.1], [-0.3, 0.2], [0.2, 0.6]]),
                  "shift": np.array([0.1, -0.1])}, "scale": 1.5}, np.linspace(-1.0, 1.0, 12).reshape(4, 3))),
    Case("program_as_text", functions.calculator, (
        {"a": 0.5, "b": 2.0}, 1.3,
        [("load", "a"), ("multiply", ""), ("store", "a"), ("load", "a"), ("load", "b"), ("multiply", "")]),
        ("constants", "x")),
    Case("heap_of_events", functions.in_turn, (np.array([0.4, 1.1, 0.3]),)),
    Case("object_that_raises", functions.decay, (1.3, 0.5, 0.01, 2.0), ("k", "h")),
    Case("none_first", functions.cheapest, (np.array([1.0, -0.4, 0.2]), np.array([0.7, 0.3])), ("points", "weights")),
    Case("heat_with_checkpoints", functions.heat, (np.linspace(0.0, 1.0, 8) ** 2, 0.2, 40), ("u", "kappa"), memory="2 kB"),
    Case("until_it_rests", functions.until_it_rests, (np.array([0.4, 1.1]), 0.3), ("x", "rate"), memory="2 kB"),
    Case("constant_attributes", functions.lowest, (1.3, 0.01, 5), ("at", "h")),
    Case("array_in_an_object", functions.rod, (0.7, 0.2, 6, 4), ("heat", "k")),
    Case("dict_of_blocks", functions.penalised, (functions.BLOCKS, np.ones((4, 3)), np.ones(4), 0.1), ("params",)),
    Case("inner_function_in_a_solver", functions.swing, (2.0, 0.1, np.array([0.5, 0.0]), 0.05, 20), ("stiffness", "damping")),
    Case("table_of_functions", functions.through_links, (
        np.array([0.3, -0.2]), [("log", 0.5, 1.1), ("logistic", 1.5, 0.4), ("identity", -0.3, 0.2)]), ("weights",)),
]
BY_NAME = {case.name: case for case in CASES}


def forward_of(name: str) -> ForwardCase:
    case = BY_NAME[name]
    return ForwardCase(name, case.function, case.args, case.inputs)


SHOWN = ("scalar_math", "pendulum", "mlp", "softmax", "rnn", "rosenbrock", "jacobi_2d", "helper_call", "recursion", "while_break",
         "append_and_stack", "branch_and_store", "view_in_place")
FORWARD = [*map(forward_of, SHOWN),
           ForwardCase("kalman_step", functions.kalman_step, (np.array([0.3, -1.2]), np.diag([1.0, 2.0]), np.array([0.1, 0.4]),
                                                              np.eye(2)), ("x", "P", "R")),
           ForwardCase("hessian_vector_product", sg.grad(functions.wave), (0.8,))]
