"""A GP library: kernel classes composed with + and *, hyperparameters as attributes, marginal likelihood."""
import numpy as np

from tests.programs.real.record import Real


class Kernel:
    """Base class; kernels are combined by operators."""

    def __add__(self, other):
        if not isinstance(other, Kernel):
            return Sum(self, Constant(other))
        return Sum(self, other)

    def __radd__(self, other):
        return Sum(Constant(other), self)

    def __mul__(self, other):
        if not isinstance(other, Kernel):
            return Product(self, Constant(other))
        return Product(self, other)

    def __rmul__(self, other):
        return Product(Constant(other), self)

    def __pow__(self, exponent):
        return Exponentiation(self, exponent)

    def __call__(self, X, Y=None):
        raise NotImplementedError

    def diag(self, X):
        return np.diag(self(X))


class Constant(Kernel):
    def __init__(self, value=1.0):
        self.value = value

    def __call__(self, X, Y=None):
        Y = X if Y is None else Y
        return np.full((X.shape[0], Y.shape[0]), self.value)


class White(Kernel):
    def __init__(self, noise_level=1.0):
        self.noise_level = noise_level

    def __call__(self, X, Y=None):
        if Y is None:
            return self.noise_level * np.eye(X.shape[0])
        return np.zeros((X.shape[0], Y.shape[0]))


class Stationary(Kernel):
    def __init__(self, length_scale=1.0):
        self.length_scale = length_scale

    def scaled_distance_squared(self, X, Y):
        A = X / self.length_scale
        B = A if Y is None else Y / self.length_scale
        return np.sum((A[:, None, :] - B[None, :, :]) ** 2, axis=-1)


class RBF(Stationary):
    def __call__(self, X, Y=None):
        return np.exp(-0.5 * self.scaled_distance_squared(X, Y))


class RationalQuadratic(Stationary):
    def __init__(self, length_scale=1.0, alpha=1.0):
        super().__init__(length_scale)
        self.alpha = alpha

    def __call__(self, X, Y=None):
        return (1 + self.scaled_distance_squared(X, Y) / (2 * self.alpha)) ** -self.alpha


class Periodic(Kernel):
    def __init__(self, length_scale=1.0, periodicity=1.0):
        self.length_scale = length_scale
        self.periodicity = periodicity

    def __call__(self, X, Y=None):
        Y = X if Y is None else Y
        difference = (X[:, None, :] - Y[None, :, :]).sum(axis=-1)
        return np.exp(-2 * (np.sin(np.pi / self.periodicity * difference) / self.length_scale) ** 2)


class Combination(Kernel):
    def __init__(self, k1, k2):
        self.k1 = k1
        self.k2 = k2


class Sum(Combination):
    def __call__(self, X, Y=None):
        return self.k1(X, Y) + self.k2(X, Y)


class Product(Combination):
    def __call__(self, X, Y=None):
        return self.k1(X, Y) * self.k2(X, Y)


class Exponentiation(Kernel):
    def __init__(self, kernel, exponent):
        self.kernel = kernel
        self.exponent = exponent

    def __call__(self, X, Y=None):
        return self.kernel(X, Y) ** self.exponent


class GaussianProcessRegressor:
    def __init__(self, kernel, alpha=1e-6, normalize_y=True):
        self.kernel = kernel
        self.alpha = alpha
        self.normalize_y = normalize_y

    def fit(self, X, y):
        if X.ndim != 2:
            raise ValueError("X must have two dimensions, got %d" % X.ndim)
        self._y_mean, self._y_std = (np.mean(y), np.std(y)) if self.normalize_y else (0.0, 1.0)
        self.X_train_ = X
        self.y_train_ = (y - self._y_mean) / self._y_std
        K = self.kernel(X)
        K[np.diag_indices_from(K)] += self.alpha
        try:
            self.L_ = np.linalg.cholesky(K)
        except np.linalg.LinAlgError as exc:
            exc.args = (f"The kernel, {self.kernel}, is not returning a positive definite matrix.",) + exc.args
            raise
        self.alpha_ = np.linalg.solve(self.L_.T, np.linalg.solve(self.L_, self.y_train_))
        return self

    def log_marginal_likelihood(self):
        n = len(self.y_train_)
        return (-0.5 * self.y_train_ @ self.alpha_ - np.sum(np.log(np.diag(self.L_))) - 0.5 * n * np.log(2 * np.pi))

    def predict(self, X, return_std=False):
        K_trans = self.kernel(X, self.X_train_)
        y_mean = self._y_std * (K_trans @ self.alpha_) + self._y_mean
        if not return_std:
            return y_mean
        V = np.linalg.solve(self.L_, K_trans.T)
        y_var = self.kernel.diag(X) - np.einsum("ij,ij->j", V, V)
        return y_mean, self._y_std * np.sqrt(y_var)


def make_kernel(theta):
    amplitude, scale, alpha, period, noise = np.exp(theta)
    return amplitude * RBF(scale) + RationalQuadratic(scale, alpha) ** 2 * Periodic(1.3, period) + White(noise) + 0.1


def objective(theta, X, y):
    gp = GaussianProcessRegressor(make_kernel(theta)).fit(X, y)
    mean, std = gp.predict(np.array([[0.4], [1.9]]), return_std=True)
    return -gp.log_marginal_likelihood() + 0.1 * np.sum(mean ** 2) + np.sum(std)


def fitted_likelihood(kernel, X, y):
    """The kernel tree is the input."""
    return GaussianProcessRegressor(kernel, normalize_y=False).fit(X, y).log_marginal_likelihood()


X = np.array([[0.1], [0.7], [1.1], [1.8], [2.6]])
Y = np.array([0.3, 0.9, 0.7, -0.2, -0.8])

PROGRAM = [
    Real(objective, (np.array([0.1, -0.2, 0.3, 0.4, -2.0]), X, Y), inputs=("theta", "y")),
    Real(fitted_likelihood, (make_kernel(np.array([0.1, -0.2, 0.3, 0.4, -2.0])), X, Y), inputs="kernel"),
]
