"""Hidden Markov models: the forward algorithm, scaled and in logarithms, with emission classes."""
import numpy as np

from tests.programs.real.record import Real


def normalize(A, axis=None):
    Z = np.sum(A, axis=axis, keepdims=True)
    return A / Z


def logsumexp(a, axis=-1):
    m = np.max(a, axis=axis, keepdims=True)
    return np.squeeze(m, axis) + np.log(np.sum(np.exp(a - m), axis=axis))


class Emissions:
    def log_likelihoods(self, observations):
        raise NotImplementedError()


class GaussianEmissions(Emissions):
    def __init__(self, means, log_sigmas):
        self.means = means
        self.log_sigmas = log_sigmas

    def log_likelihoods(self, observations):
        z = (np.asarray(observations)[:, None] - self.means) / np.exp(self.log_sigmas)
        return -0.5 * z ** 2 - self.log_sigmas - 0.5 * np.log(2 * np.pi)


class CategoricalEmissions(Emissions):
    def __init__(self, logits):
        self.logits = logits

    @property
    def probabilities(self):
        return normalize(np.exp(self.logits), axis=1)

    def log_likelihoods(self, observations):
        return np.log(self.probabilities[:, observations]).T


class HMM:
    def __init__(self, initial_logits, transition_logits, emissions, method="scaled"):
        self.initial_logits = initial_logits
        self.transition_logits = transition_logits
        self.emissions = emissions
        self.method = method

    @property
    def initial(self):
        return normalize(np.exp(self.initial_logits))

    @property
    def transition(self):
        return normalize(np.exp(self.transition_logits), axis=1)

    def _forward_scaled(self, obslik):
        T, K = obslik.shape
        alpha = np.zeros((T, K))
        scale = np.zeros(T)
        alpha[0] = self.initial * obslik[0]
        scale[0] = alpha[0].sum()
        alpha[0] /= scale[0]
        transmat = self.transition
        for t in range(1, T):
            alpha[t] = np.dot(alpha[t - 1], transmat) * obslik[t]
            scale[t] = alpha[t].sum()
            alpha[t] /= scale[t]
        return alpha, np.sum(np.log(scale))

    def _forward_log(self, log_obslik):
        log_A = np.log(self.transition)
        log_alpha = np.log(self.initial) + log_obslik[0]
        history = [log_alpha]
        for row in log_obslik[1:]:
            log_alpha = logsumexp(log_alpha[:, None] + log_A, axis=0) + row
            history.append(log_alpha)
        return np.vstack(history), logsumexp(log_alpha)

    def filter(self, observations):
        loglik = self.emissions.log_likelihoods(observations)
        dispatch = {"scaled": lambda: self._forward_scaled(np.exp(loglik)), "log": lambda: self._forward_log(loglik)}
        if self.method not in dispatch:
            raise ValueError(f"method should be one of {sorted(dispatch)}")
        return dispatch[self.method]()

    def fit_cost(self, observations, prior=0.1):
        alpha, log_likelihood = self.filter(observations)
        return -log_likelihood + prior * np.sum(self.transition_logits ** 2) + 0.1 * alpha[-1, 0]


def gaussian_cost(initial_logits, transition_logits, means, log_sigmas, observations, method="scaled"):
    return HMM(initial_logits, transition_logits, GaussianEmissions(means, log_sigmas), method).fit_cost(observations)


PI = np.array([0.2, -0.1, 0.3])
TRANSITION = np.array([[0.9, 0.1, -0.3], [0.2, 0.7, 0.0], [-0.4, 0.1, 0.5]])
MEANS, SIGMAS = np.array([-1.0, 0.2, 1.5]), np.array([-0.2, 0.1, 0.0])
SERIES = np.array([0.3, -0.8, 1.2, 1.4, 0.1])

PROGRAM = [
    Real(gaussian_cost, (PI, TRANSITION, MEANS, SIGMAS, SERIES),
         inputs=("initial_logits", "transition_logits", "means", "log_sigmas")),
    Real(gaussian_cost, (PI, TRANSITION, MEANS, SIGMAS, SERIES), inputs=("transition_logits", "observations"),
         options={"method": "log"}),
    Real(HMM.fit_cost, (HMM(PI, TRANSITION, CategoricalEmissions(np.array([[0.3, -0.2], [0.1, 0.9], [-0.5, 0.4]]))),
                        [0, 1, 1, 0, 1]), inputs="self.transition_logits"),
    Real(HMM.fit_cost, (HMM(PI, TRANSITION, CategoricalEmissions(np.array([[0.3, -0.2], [0.1, 0.9], [-0.5, 0.4]]))),
                        [0, 1, 1, 0, 1]), inputs=("self.emissions.logits", "self.initial_logits")),
]
