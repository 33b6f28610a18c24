"""A Gaussian mixture fitted by expectation maximisation, and losses that go through the fit."""
import numpy as np

from tests.programs.real.record import Real


class NotFittedError(ValueError, AttributeError):
    pass


class BaseMixture:
    def __init__(self, n_components=1, *, tol=1e-3, reg_covar=1e-6, max_iter=100, verbose=0):
        self.n_components = n_components
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.verbose = verbose

    def _check_fitted(self):
        if not hasattr(self, "weights_"):
            msg = "This %(name)s instance is not fitted yet."
            raise NotFittedError(msg % {"name": type(self).__name__})

    def fit(self, X, means_init):
        n_samples, n_features = X.shape
        self._initialize(X, means_init)
        lower_bound = -np.inf
        self.converged_ = False
        for n_iter in range(1, self.max_iter + 1):
            prev_lower_bound = lower_bound
            log_prob_norm, log_resp = self._e_step(X)
            self._m_step(X, log_resp)
            lower_bound = log_prob_norm
            change = lower_bound - prev_lower_bound
            if self.verbose > 1:
                print("  Iteration %d\t change %.5f" % (n_iter, change))
            if abs(change) < self.tol:
                self.converged_ = True
                break
        self.n_iter_ = n_iter
        self.lower_bound_ = lower_bound
        return self

    def _e_step(self, X):
        weighted = self._estimate_weighted_log_prob(X)
        log_prob_norm = np.logaddexp.reduce(weighted, axis=1)
        with np.errstate(under="ignore"):
            log_resp = weighted - log_prob_norm[:, np.newaxis]
        return np.mean(log_prob_norm), log_resp

    def score(self, X):
        self._check_fitted()
        return self._e_step(X)[0]


class GaussianMixture(BaseMixture):
    def __init__(self, n_components=1, *, covariance_type="full", **kwargs):
        super().__init__(n_components, **kwargs)
        if covariance_type not in ["full", "diag", "spherical"]:
            raise ValueError("Invalid value for 'covariance_type': %s" % covariance_type)
        self.covariance_type = covariance_type

    def _initialize(self, X, means_init):
        k = self.n_components
        self.weights_ = np.full(k, 1.0 / k)
        self.means_ = means_init
        cov = np.cov(X.T) + self.reg_covar * np.eye(X.shape[1])
        if self.covariance_type == "full":
            self.covariances_ = np.array([cov for _ in range(k)])
        else:
            self.covariances_ = np.tile(np.diag(cov), (k, 1))

    def _estimate_log_gaussian_prob(self, X):
        n_samples, n_features = X.shape
        log_prob = np.empty((n_samples, self.n_components))
        for k, (mu, cov) in enumerate(zip(self.means_, self.covariances_)):
            diff = X - mu
            if self.covariance_type == "full":
                chol = np.linalg.cholesky(cov)
                y = np.linalg.solve(chol, diff.T)
                log_det = 2 * np.sum(np.log(np.diagonal(chol)))
                log_prob[:, k] = -0.5 * (np.sum(np.square(y), axis=0) + log_det)
            else:
                log_prob[:, k] = -0.5 * (np.sum(diff ** 2 / cov, axis=1) + np.sum(np.log(cov)))
        return log_prob - 0.5 * n_features * np.log(2 * np.pi)

    def _estimate_weighted_log_prob(self, X):
        return self._estimate_log_gaussian_prob(X) + np.log(self.weights_)

    def _m_step(self, X, log_resp):
        resp = np.exp(log_resp)
        nk = resp.sum(axis=0) + 10 * np.finfo(resp.dtype).eps
        self.weights_ = nk / len(X)
        self.means_ = np.dot(resp.T, X) / nk[:, np.newaxis]
        update = {"full": self._full, "diag": self._diag, "spherical": self._spherical}[self.covariance_type]
        self.covariances_ = update(X, resp, nk)

    def _full(self, X, resp, nk):
        n_features = X.shape[1]
        covariances = np.empty((self.n_components, n_features, n_features))
        for k in range(self.n_components):
            diff = X - self.means_[k]
            covariances[k] = np.dot(resp[:, k] * diff.T, diff) / nk[k]
            covariances[k].flat[::n_features + 1] += self.reg_covar
        return covariances

    def _diag(self, X, resp, nk):
        avg_X2 = np.dot(resp.T, X * X) / nk[:, np.newaxis]
        return avg_X2 - self.means_ ** 2 + self.reg_covar

    def _spherical(self, X, resp, nk):
        variance = self._diag(X, resp, nk).mean(1)
        return np.repeat(variance[:, None], X.shape[1], axis=1)


def held_out_score(X, means_init, test, covariance_type="diag", max_iter=3):
    mixture = GaussianMixture(2, covariance_type=covariance_type, max_iter=max_iter, reg_covar=1e-2)
    mixture.fit(X, means_init)
    if mixture.converged_:
        raise RuntimeError("this test wants all iterations")
    entropy = -sum(w * np.log(w) for w in mixture.weights_)
    return mixture.score(test) + 0.1 * entropy + 0.01 * np.sum(mixture.means_ ** 2)


_rng = np.random.default_rng(5)
X = np.concatenate([_rng.standard_normal((4, 2)) - 1.5, 0.7 * _rng.standard_normal((4, 2)) + 1.0])
MEANS = np.array([[-0.8, -0.3], [0.4, 0.9]])
TEST = np.array([[0.2, -0.1], [1.2, 0.8], [-1.0, -1.5]])

PROGRAM = [
    Real(held_out_score, (X, MEANS, TEST), inputs=("X", "means_init", "test")),
    Real(held_out_score, (X, MEANS, TEST, "spherical", 2), inputs=("X", "means_init")),
    Real(held_out_score, (X, MEANS, TEST, "full", 2), inputs=("X", "test")),
]
