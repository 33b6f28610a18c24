"""Optimisers written inside the differentiated function: gradient descent, Adam, Newton and Levenberg-Marquardt."""
import numpy as np

from tests.programs.real.record import Real


class ConvergenceError(Exception):
    def __init__(self, message, iterations):
        super().__init__(message)
        self.iterations = iterations


class Optimizer:
    def __init__(self, lr=0.1):
        self.lr = lr
        self.t = 0
        self.state = {}

    def update(self, key, value, gradient):
        raise NotImplementedError

    def step(self, params, grads):
        self.t += 1
        for key in params:
            params[key] = self.update(key, params[key], grads[key])
        return params


class SGD(Optimizer):
    def __init__(self, lr=0.1, momentum=0.0, nesterov=False):
        super().__init__(lr)
        self.momentum = momentum
        self.nesterov = nesterov

    def update(self, key, value, gradient):
        velocity = self.state.setdefault(key, np.zeros_like(value))
        velocity = self.momentum * velocity - self.lr * gradient
        self.state[key] = velocity
        if self.nesterov:
            return value + self.momentum * velocity - self.lr * gradient
        return value + velocity


class Adam(Optimizer):
    def __init__(self, lr=0.1, betas=(0.9, 0.999), eps=1e-8):
        super().__init__(lr=lr)
        self.betas = betas
        self.eps = eps

    def update(self, key, value, gradient):
        if key not in self.state:
            self.state[key] = {"m": np.zeros_like(value), "v": np.zeros_like(value)}
        slot = self.state[key]
        b1, b2 = self.betas
        slot["m"] = b1 * slot["m"] + (1 - b1) * gradient
        slot["v"] = b2 * slot["v"] + (1 - b2) * gradient ** 2
        m_hat = slot["m"] / (1 - b1 ** self.t)
        v_hat = slot["v"] / (1 - b2 ** self.t)
        return value - self.lr * m_hat / (np.sqrt(v_hat) + self.eps)


def ridge_gradients(params, X, y, l2):
    r = X @ params["w"] + params["b"] - y
    return {"w": X.T @ r / len(y) + l2 * params["w"], "b": np.mean(r)}


def train(optimizer, X, y, l2, steps):
    params = {"w": np.zeros(X.shape[1]), "b": 0.0}
    history = []
    for _ in range(steps):
        params = optimizer.step(params, ridge_gradients(params, X, y, l2))
        history.append(params["b"])
    return params, history


def validation_loss(lr, l2, X, y, name="adam"):
    """Hyperparameters through a training run."""
    if name == "adam":
        optimizer = Adam(lr)
    elif name in {"sgd", "momentum"}:
        optimizer = SGD(lr, momentum=0.9 if name == "momentum" else 0.0, nesterov=True)
    else:
        raise KeyError(name)
    train_X, test_X = X[:-2], X[-2:]
    params, history = train(optimizer, train_X, y[:-2], l2, steps=5)
    r = test_X @ params["w"] + params["b"] - y[-2:]
    return r @ r + 0.1 * sum(history)


def newton(fun, jac, x0, tol=1e-10, maxiter=20):
    x = x0
    for k in range(maxiter):
        step = np.linalg.solve(jac(x), fun(x))
        x = x - step
        if np.max(np.abs(step)) < tol:
            break
    else:
        raise ConvergenceError(f"no convergence in {maxiter} iterations", maxiter)
    return x


def implicit_root(a, b):
    """A nonlinear system whose solution depends on its coefficients."""
    def fun(x):
        return np.array([x[0] ** 2 + a * x[1] - 2.0, b * x[0] - x[1] ** 3])

    def jac(x):
        return np.array([[2 * x[0], a], [b, -3 * x[1] ** 2]])

    root = newton(fun, jac, np.array([1.0, 1.0]))
    return root[0] * root[1] + root[0]


def levenberg_marquardt(data, t, p0=(1.0, 0.5), lam=1e-2, iterations=6):
    """Fit of an exponential decay; damping goes up and down with success."""
    p = np.array(p0)
    cost = np.inf
    for _ in range(iterations):
        model = p[0] * np.exp(-p[1] * t)
        r = model - data
        J = np.stack([np.exp(-p[1] * t), -t * model], axis=1)
        A = J.T @ J
        A_damped = A + lam * np.diag(np.diag(A))
        trial = p - np.linalg.solve(A_damped, J.T @ r)
        trial_cost = 0.5 * np.sum((trial[0] * np.exp(-trial[1] * t) - data) ** 2)
        if trial_cost < cost:
            p, cost, lam = trial, trial_cost, lam / 5
        else:
            lam *= 4
    return p[0] + p[1] ** 2 + 10 * cost


DATA_X = np.array([[0.5, -1.0], [1.5, 0.3], [-0.7, 0.8], [0.2, 0.9], [1.0, -0.4], [-0.6, -0.1]])
DATA_Y = np.array([0.2, 1.1, -0.4, 0.5, 0.9, -0.8])
T = np.linspace(0.0, 3.0, 6)

PROGRAM = [
    Real(validation_loss, (0.05, 0.1, DATA_X, DATA_Y), inputs=("lr", "l2", "X", "y")),
    Real(validation_loss, (0.05, 0.1, DATA_X, DATA_Y), inputs=("lr", "l2"), options={"name": "momentum"}),
    Real(implicit_root, (0.7, 0.9), inputs=("a", "b")),
    Real(levenberg_marquardt, (2.0 * np.exp(-0.8 * T) + 0.05 * np.cos(5 * T), T, (1.0, 0.5), 0.01),
         inputs=("data", "lam", "p0")),
]
