"""Time and memory of generated gradients, of those by hand beside them, and of generating code."""
import numpy as np

import sourcegrad as sg
from benchmarks import pairs


class Pair:
    params = list(pairs.NAMES)
    param_names = ["pair"]

    def setup(self, name):
        self.pair = pairs.load(name)
        self.args = self.pair.make("tiny", np.random.default_rng(0))
        self.gradient = sg.value_and_grad(self.pair.primal, inputs=self.pair.INPUTS)
        self.gradient(*self.args)
        self.compiled = self.gradient.compiled(*self.args)


class Gradients(Pair):
    def time_generated(self, name):
        self.compiled(*self.args)

    def time_called(self, name):
        self.gradient(*self.args)

    def time_by_hand(self, name):
        self.pair.adjoint(*self.args)

    def peakmem_generated(self, name):
        self.compiled(*self.args)


class Generation(Pair):
    number, repeat, warmup_time = 1, 3, 0.0

    def setup(self, name):
        super().setup(name)
        self.primal = type(self.pair.primal)(
            self.pair.primal.__code__, self.pair.primal.__globals__, self.pair.primal.__name__, self.pair.primal.__defaults__)

    def time_generation(self, name):
        sg.value_and_grad(self.primal, inputs=self.pair.INPUTS)(*self.args)
