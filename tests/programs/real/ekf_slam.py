"""Extended Kalman filter localisation of a planar robot with range-bearing landmarks."""
import math

import numpy as np

from tests.programs.real.record import Real

STATE_SIZE = 3


def pi_2_pi(angle):
    return (angle + math.pi) % (2 * math.pi) - math.pi


class MotionModel:
    def __init__(self, dt, noise=(0.1, 0.05)):
        self.dt = dt
        self.noise = noise

    def __call__(self, x, u):
        v, omega = u
        theta = x[2]
        return np.array([x[0] + v * self.dt * math.cos(theta),
                         x[1] + v * self.dt * math.sin(theta),
                         x[2] + omega * self.dt])

    def jacobian(self, x, u):
        v, _ = u
        jF = np.eye(STATE_SIZE)
        jF[0, 2] = -v * self.dt * math.sin(x[2])
        jF[1, 2] = v * self.dt * math.cos(x[2])
        jG = np.zeros((STATE_SIZE, 2))
        jG[0, 0] = self.dt * math.cos(x[2])
        jG[1, 0] = self.dt * math.sin(x[2])
        jG[2, 1] = self.dt
        return jF, jG

    @property
    def covariance(self):
        return np.diag([n ** 2 for n in self.noise])


class RangeBearingSensor:
    max_range = 20.0

    def __init__(self, landmarks, sigma_range=0.2, sigma_bearing=0.1):
        self.landmarks = landmarks
        self.R = np.diag([sigma_range, sigma_bearing]) ** 2

    def predict(self, x, index):
        delta = self.landmarks[index] - x[:2]
        q = delta @ delta
        distance = math.sqrt(q)
        bearing = pi_2_pi(math.atan2(delta[1], delta[0]) - x[2])
        H = np.array([[-delta[0] / distance, -delta[1] / distance, 0.0],
                      [delta[1] / q, -delta[0] / q, -1.0]])
        return np.array([distance, bearing]), H


class EKF:
    def __init__(self, motion, sensor, x0, P0):
        self.motion = motion
        self.sensor = sensor
        self.x = np.asarray(x0)
        self.P = np.asarray(P0)
        self.history = [self.x]
        self.rejected = 0

    def predict(self, u):
        F, G = self.motion.jacobian(self.x, u)
        self.x = self.motion(self.x, u)
        self.P = F @ self.P @ F.T + G @ self.motion.covariance @ G.T

    def correct(self, observation, gate=50.0):
        index, distance, bearing = observation
        if distance > self.sensor.max_range:
            self.rejected += 1
            return
        predicted, H = self.sensor.predict(self.x, index)
        innovation = np.array([distance, bearing]) - predicted
        innovation[1] = pi_2_pi(innovation[1])
        S = H @ self.P @ H.T + self.sensor.R
        S_inv = np.linalg.inv(S)
        if innovation @ S_inv @ innovation > gate:
            self.rejected += 1
            return
        K = self.P @ H.T @ S_inv
        self.x = self.x + K @ innovation
        self.P = (np.eye(len(self.x)) - K @ H) @ self.P

    def step(self, u, observations):
        self.predict(u)
        for observation in observations:
            self.correct(observation)
        self.history.append(self.x)


def path_error(landmarks, sigmas, controls, observations, truth):
    """Mean squared position error of the filter plus the final uncertainty."""
    motion = MotionModel(dt=0.4)
    sensor = RangeBearingSensor(landmarks, *sigmas)
    ekf = EKF(motion, sensor, np.zeros(3), np.diag([0.1, 0.1, 0.05]))
    for u, seen in zip(controls, observations):
        ekf.step(u, seen)
    errors = [np.hypot(x[0] - t[0], x[1] - t[1]) ** 2 for x, t in zip(ekf.history[1:], truth)]
    assert ekf.rejected == 1, "one reading is out of range"
    return sum(errors) / len(errors) + np.trace(ekf.P)


LANDMARKS = np.array([[3.0, 1.0], [2.0, -2.0], [5.0, 0.5]])
CONTROLS = [(1.0, 0.1), (1.1, 0.2), (0.9, -0.1)]
OBSERVATIONS = [[(0, 2.8, 0.4), (1, 2.5, -0.9)], [(2, 4.3, 0.1), (0, 25.0, 0.0)], [(0, 2.1, 0.3), (1, 2.4, -1.4)]]
TRUTH = np.array([[0.42, 0.03], [0.88, 0.05], [1.2, 0.14]])

PROGRAM = Real(path_error, (LANDMARKS, [0.2, 0.1], CONTROLS, OBSERVATIONS, TRUTH), inputs=("landmarks", "sigmas"), lines=4.2)
