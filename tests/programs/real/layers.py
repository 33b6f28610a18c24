"""A network of layer objects that cache what their own backward pass needs, as in teaching code."""
import numpy as np

from tests.programs.real.record import Real


class Layer:
    def forward(self, X, training=False):
        raise NotImplementedError

    def params(self):
        return []


class Dense(Layer):
    def __init__(self, W, b=None):
        self.W = W
        self.b = np.zeros(W.shape[1]) if b is None else b
        self.cache = None

    def forward(self, X, training=False):
        out = X.dot(self.W) + self.b
        if training:
            self.cache = X
        return out

    def backward(self, dout):
        X = self.cache
        return dout.dot(self.W.T), {"W": X.T.dot(dout), "b": dout.sum(axis=0)}

    def params(self):
        return [self.W, self.b]


class ReLU(Layer):
    def forward(self, X, training=False):
        self.mask = X > 0
        return np.where(self.mask, X, 0.1 * X)

    def backward(self, dout):
        return np.where(self.mask, dout, 0.1 * dout), {}


class Tanh(Layer):
    def forward(self, X, training=False):
        self.out = np.tanh(X)
        return self.out

    def backward(self, dout):
        return dout * (1 - self.out ** 2), {}


class BatchNorm(Layer):
    def __init__(self, gamma, beta, momentum=0.9, eps=1e-5):
        self.gamma, self.beta = gamma, beta
        self.momentum, self.eps = momentum, eps
        self.running_mean = np.zeros_like(gamma)
        self.running_var = np.ones_like(gamma)

    def forward(self, X, training=False):
        if training:
            mean, var = X.mean(axis=0), X.var(axis=0)
            self.running_mean = self.momentum * self.running_mean + (1 - self.momentum) * mean
            self.running_var = self.momentum * self.running_var + (1 - self.momentum) * var
        else:
            mean, var = self.running_mean, self.running_var
        self.X_hat = (X - mean) / np.sqrt(var + self.eps)
        return self.gamma * self.X_hat + self.beta

    def params(self):
        return [self.gamma, self.beta]


class Sequential:
    def __init__(self, *layers, **kwargs):
        self.layers = list(layers)
        self.l2 = kwargs.pop("l2", 0.0)
        if kwargs:
            raise TypeError(f"unexpected arguments: {', '.join(kwargs)}")

    def add(self, layer):
        assert isinstance(layer, Layer)
        self.layers.append(layer)

    def forward(self, X, training=True):
        for layer in self.layers:
            X = layer.forward(X, training=training)
        return X

    def regularisation(self):
        return self.l2 * sum((p ** 2).sum() for layer in self.layers for p in layer.params())


def softmax_cross_entropy(scores, labels):
    shifted = scores - scores.max(axis=1, keepdims=True)
    log_z = np.log(np.exp(shifted).sum(axis=1))
    return np.mean(log_z - shifted[np.arange(len(labels)), labels])


def network_loss(network, X, labels):
    """Training loss, then the loss in evaluation mode with the running statistics."""
    training = softmax_cross_entropy(network.forward(X), labels)
    evaluation = softmax_cross_entropy(network.forward(X, training=False), labels)
    return training + 0.5 * evaluation + network.regularisation()


def weights_loss(weights, X, labels):
    """The network is built from a nested list of weights."""
    network = Sequential(l2=1e-2)
    for i, (W, b) in enumerate(weights):
        network.add(Dense(W, b))
        if i < len(weights) - 1:
            network.add(Tanh())
    return network_loss(network, X, labels)


def input_saliency(X, labels, W1, W2):
    """A hand-written backward pass inside the function."""
    first, activation, second = Dense(W1), ReLU(), Dense(W2)
    scores = second.forward(activation.forward(first.forward(X, True), True), True)
    probabilities = np.exp(scores) / np.exp(scores).sum(axis=1)[:, None]
    probabilities[range(len(labels)), labels] -= 1
    dout, grads = probabilities / len(labels), []
    for layer in reversed([first, activation, second]):
        dout, grad = layer.backward(dout)
        grads.append(grad)
    return np.sum(dout ** 2) + np.sum(grads[0]["W"] ** 2) + np.sum(grads[-1]["b"] ** 2)


_rng = np.random.default_rng(1)
FEATURES = _rng.standard_normal((4, 3))
LABELS = np.array([0, 1, 1, 0])
W1, W2 = _rng.standard_normal((3, 3)), _rng.standard_normal((3, 2))
NETWORK = Sequential(Dense(W1), BatchNorm(np.ones(3), np.zeros(3) + 0.1), ReLU(), Dense(W2, np.array([0.1, -0.1])), l2=0.01)

PROGRAM = [
    Real(network_loss, (NETWORK, FEATURES, LABELS), inputs="network", step=1e-4),
    Real(weights_loss, ([(W1, np.zeros(3)), (W2, np.ones(2))], FEATURES, LABELS), inputs=("weights", "X")),
    Real(input_saliency, (FEATURES, LABELS, W1, W2), inputs=("X", "W1")),
]
