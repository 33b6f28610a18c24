"""Linear quadratic control: Riccati iteration, a state-space class, a closed loop with limits and an integrator."""
import numpy as np

from tests.programs.real.record import Real


class StateSpace:
    def __init__(self, A, B, C=None, dt=None):
        A, B = np.atleast_2d(A), np.asarray(B)
        if B.ndim == 1:
            B = B[:, np.newaxis]
        if A.shape[0] != B.shape[0]:
            raise ValueError("A has %d rows but B has %d" % (A.shape[0], B.shape[0]))
        self.A, self.B = A, B
        self.C = np.eye(A.shape[0]) if C is None else C
        self.dt = dt

    @property
    def nstates(self):
        return self.A.shape[0]

    @property
    def isdtime(self):
        return self.dt is not None

    def discretize(self, dt, method="taylor", order=6):
        if self.isdtime:
            raise RuntimeError("the system is in discrete time already")
        n = self.nstates
        if method == "euler":
            return type(self)(np.eye(n) + dt * self.A, dt * self.B, self.C, dt)
        term, A_d, integral = np.eye(n), np.eye(n), dt * np.eye(n)
        for k in range(1, order + 1):
            term = term @ self.A * dt / k
            A_d = A_d + term
            integral = integral + term * dt / (k + 1)
        return type(self)(A_d, integral @ self.B, self.C, dt)

    def feedback(self, K):
        return StateSpace(self.A - self.B @ K, self.B, self.C, self.dt)


def solve_dare(A, B, Q, R, max_iter=150, eps=1e-11):
    """Solve a discrete-time algebraic Riccati equation by iteration."""
    x = Q
    x_next = Q
    for i in range(max_iter):
        x_next = A.T @ x @ A - A.T @ x @ B @ np.linalg.inv(R + B.T @ x @ B) @ B.T @ x @ A + Q
        if (abs(x_next - x)).max() < eps:
            break
        x = x_next
    return x_next


def dlqr(system, Q, R):
    A, B = system.A, system.B
    X = solve_dare(A, B, Q, R)
    K = np.linalg.inv(B.T @ X @ B + R) @ (B.T @ X @ A)
    return K, X


class Controller:
    def __init__(self, K, limit=None, integral_gain=0.0):
        self.K = K
        self.limit = limit
        self.integral_gain = integral_gain
        self.integral = 0.0
        self.saturations = 0

    def __call__(self, x, reference=0.0):
        self.integral += x[0] - reference
        u = -self.K @ x - self.integral_gain * self.integral
        if self.limit is not None:
            if np.any(np.abs(u) > self.limit):
                self.saturations += 1
            u = np.clip(u, -self.limit, self.limit)
        return u


def closed_loop_cost(mass, damping, stiffness, weights, x0, steps=10, limit=2.0):
    """A spring with a mass; the controller is designed for it, then simulated with a saturating actuator."""
    plant = StateSpace([[0.0, 1.0], [-stiffness / mass, -damping / mass]], [0.0, 1.0 / mass]).discretize(0.2)
    Q, R = np.diag(weights[:2]), np.atleast_2d(weights[2])
    K, X = dlqr(plant, Q, R)
    controller = Controller(K, limit=limit, integral_gain=0.05)
    x, cost = x0, 0.0
    for _ in range(steps):
        u = controller(x)
        cost += x @ Q @ x + u @ R @ u
        x = plant.A @ x + plant.B @ u
    decay = plant.feedback(K)
    return cost + x @ X @ x + 0.1 * np.trace(decay.A @ decay.A) + controller.saturations


PROGRAM = Real(closed_loop_cost, (1.3, 0.2, 0.9, np.array([2.0, 0.5, 0.1]), np.array([1.0, 0.5])),
               inputs=("mass", "damping", "stiffness", "weights", "x0"), lines=5.0)
