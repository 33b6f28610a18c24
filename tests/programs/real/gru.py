"""A stacked GRU as cell classes with weights in attributes, and teacher forcing on a sequence."""
import numpy as np

from tests.programs.real.record import Real


class Parameter:
    """A named weight with its own regularisation."""

    def __init__(self, data, decay=0.0):
        self.data = data
        self.decay = decay

    @property
    def shape(self):
        return self.data.shape

    def penalty(self):
        return self.decay * np.sum(self.data ** 2)


class Module:
    training = True

    def __init__(self):
        self._parameters = {}

    def register(self, name, value, decay=0.0):
        self._parameters[name] = Parameter(value, decay)

    def __getitem__(self, name):
        return self._parameters[name].data

    def parameters(self):
        return list(self._parameters.values())

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)


def _sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


class GRUCell(Module):
    def __init__(self, input_size, hidden_size, rng, decay=1e-2):
        super().__init__()
        self.hidden_size = hidden_size
        for gate in "zrh":
            self.register(f"W_{gate}", 0.5 * rng.standard_normal((hidden_size, input_size)), decay)
            self.register(f"U_{gate}", 0.5 * rng.standard_normal((hidden_size, hidden_size)), decay)
            self.register(f"b_{gate}", np.zeros(hidden_size) + 0.1)

    def gate(self, name, x, h):
        return self["W_" + name] @ x + self["U_" + name] @ h + self["b_" + name]

    def forward(self, x, h):
        z = _sigmoid(self.gate("z", x, h))
        r = _sigmoid(self.gate("r", x, h))
        candidate = np.tanh(self.gate("h", x, r * h))
        return (1.0 - z) * h + z * candidate


class StackedGRU(Module):
    def __init__(self, sizes, rng):
        super().__init__()
        self.cells = [GRUCell(n_in, n_out, rng) for n_in, n_out in zip(sizes[:-1], sizes[1:])]
        self.register("out", 0.5 * rng.standard_normal(sizes[-1]))
        self.state = None

    def reset(self):
        self.state = [np.zeros(cell.hidden_size) for cell in self.cells]

    def forward(self, x):
        if self.state is None:
            self.reset()
        for i, cell in enumerate(self.cells):
            x = cell(x, self.state[i])
            self.state[i] = x
        return self["out"] @ x

    def parameters(self):
        return super().parameters() + [p for cell in self.cells for p in cell.parameters()]


def sequence_loss(model, inputs, targets, warmup=1):
    """One step ahead prediction; the first steps only bring the state up."""
    model.reset()
    loss, count = 0.0, 0
    for t, (x, target) in enumerate(zip(inputs, targets)):
        prediction = model(x)
        if t < warmup:
            continue
        loss += (prediction - target) ** 2
        count += 1
    if not count:
        raise ValueError("the sequence is shorter than the warmup")
    return loss / count + sum(p.penalty() for p in model.parameters())


def series_loss(inputs, targets, seed=4):
    """The model is made inside; the data is differentiated."""
    model = StackedGRU([2, 3, 2], np.random.default_rng(seed))
    return sequence_loss(model, inputs, targets)


INPUTS = np.array([[0.2, -0.4], [0.9, 0.1], [-0.3, 0.6], [0.5, 0.5]])
TARGETS = np.array([0.1, 0.4, -0.2, 0.3])

PROGRAM = [
    Real(sequence_loss, (StackedGRU([2, 3, 2], np.random.default_rng(4)), INPUTS, TARGETS), inputs="model"),
    Real(series_loss, (INPUTS, TARGETS), inputs=("inputs", "targets")),
]
