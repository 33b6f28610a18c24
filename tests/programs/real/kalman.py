"""A linear Kalman filter class in the style of filterpy, and the likelihood of a track as a function of its noise."""
import numpy as np

from tests.programs.real.record import Real


class KalmanFilter:
    """Discrete Kalman filter: x is the state, P its covariance.

    Matrices are plain attributes, to be set by the caller before `predict` and `update` are called.
    """

    def __init__(self, dim_x, dim_z, dim_u=0):
        if dim_x < 1:
            raise ValueError("dim_x must be 1 or greater")
        if dim_z < 1:
            raise ValueError("dim_z must be 1 or greater")
        if dim_u < 0:
            raise ValueError("dim_u must be 0 or greater")

        self.dim_x = dim_x
        self.dim_z = dim_z
        self.dim_u = dim_u

        self.x = np.zeros((dim_x, 1))
        self.P = np.eye(dim_x)
        self.Q = np.eye(dim_x)
        self.B = None
        self.F = np.eye(dim_x)
        self.H = np.zeros((dim_z, dim_x))
        self.R = np.eye(dim_z)
        self._alpha_sq = 1.0
        self.z = np.array([[None] * dim_z]).T

        self.K = np.zeros((dim_x, dim_z))
        self.y = np.zeros((dim_z, 1))
        self.S = np.zeros((dim_z, dim_z))
        self.SI = np.zeros((dim_z, dim_z))
        self._I = np.eye(dim_x)
        self.x_prior = self.x.copy()
        self.P_prior = self.P.copy()
        self._log_likelihood = 0.0
        self.inv = np.linalg.inv

    @property
    def alpha(self):
        """Fading memory factor."""
        return self._alpha_sq ** 0.5

    @alpha.setter
    def alpha(self, value):
        if not np.isscalar(value) or value < 1:
            raise ValueError("alpha must be a float greater than 1")
        self._alpha_sq = value ** 2

    @property
    def log_likelihood(self):
        return self._log_likelihood

    def predict(self, u=None, B=None, F=None, Q=None):
        if B is None:
            B = self.B
        if F is None:
            F = self.F
        if Q is None:
            Q = self.Q
        elif np.isscalar(Q):
            Q = np.eye(self.dim_x) * Q

        if B is not None and u is not None:
            self.x = np.dot(F, self.x) + np.dot(B, u)
        else:
            self.x = np.dot(F, self.x)
        self.P = self._alpha_sq * np.dot(np.dot(F, self.P), F.T) + Q

        self.x_prior = self.x.copy()
        self.P_prior = self.P.copy()

    def update(self, z, R=None, H=None):
        if z is None:
            self.z = np.array([[None] * self.dim_z]).T
            self.y = np.zeros((self.dim_z, 1))
            return

        if R is None:
            R = self.R
        elif np.isscalar(R):
            R = np.eye(self.dim_z) * R
        if H is None:
            z = np.reshape(z, (self.dim_z, 1))
            H = self.H

        self.y = z - np.dot(H, self.x)
        PHT = np.dot(self.P, H.T)
        self.S = np.dot(H, PHT) + R
        self.SI = self.inv(self.S)
        self.K = PHT.dot(self.SI)
        self.x = self.x + np.dot(self.K, self.y)

        # Joseph form
        I_KH = self._I - np.dot(self.K, H)
        self.P = np.dot(np.dot(I_KH, self.P), I_KH.T) + np.dot(np.dot(self.K, R), self.K.T)

        self.z = z
        sign, logdet = np.linalg.slogdet(self.S)
        mahalanobis = (self.y.T @ self.SI @ self.y)[0, 0]
        self._log_likelihood += -0.5 * (logdet + mahalanobis + self.dim_z * np.log(2 * np.pi))


def constant_velocity_filter(dt, process_std, measurement_std):
    kf = KalmanFilter(dim_x=4, dim_z=2)
    kf.F = np.array([[1, dt, 0, 0],
                     [0, 1, 0, 0],
                     [0, 0, 1, dt],
                     [0, 0, 0, 1.0]])
    kf.H = np.array([[1.0, 0, 0, 0],
                     [0, 0, 1.0, 0]])
    q = np.array([[dt ** 4 / 4, dt ** 3 / 2], [dt ** 3 / 2, dt ** 2]]) * process_std ** 2
    kf.Q = np.zeros((4, 4))
    kf.Q[:2, :2] = q
    kf.Q[2:, 2:] = q
    kf.R *= measurement_std ** 2
    kf.P *= 10.0
    return kf


def negative_log_likelihood(process_std, measurement_std, measurements, dt=0.5, fading=1.02):
    """What a maximum likelihood fit of the noise levels minimises; None marks a missing measurement."""
    kf = constant_velocity_filter(dt, process_std, measurement_std)
    kf.alpha = fading
    residuals = []
    for k, z in enumerate(measurements):
        kf.predict()
        kf.update(z)
        if z is not None:
            residuals.append(kf.y)
    smoothness = sum(np.sum(r ** 2) for r in residuals) / len(residuals)
    return -kf.log_likelihood + 0.1 * smoothness * kf.alpha


TRACK = [np.array([0.1, -0.2]), np.array([0.7, 0.1]), None, np.array([1.4, 0.9]), np.array([2.2, 1.0]),
         np.array([2.5, 1.7])]

PROGRAM = Real(negative_log_likelihood, (0.6, 0.3, TRACK, 0.5, 1.02),
               inputs=("process_std", "measurement_std", "dt", "fading"))
