"""D[:] = alpha * A @ B @ C + beta * D, loss = sum(D)."""
import numpy as np


def primal(alpha, beta, A, B, C, D):
    D[:] = alpha * A @ B @ C + beta * D
    return np.sum(D)


def adjoint(alpha, beta, A, B, C, D):
    """Gradient with respect to all six inputs."""
    AB = A @ B
    ABC = AB @ C
    value = alpha * np.sum(ABC) + beta * np.sum(D)

    D_out_bar = np.ones_like(D)
    # D[:] = alpha * A @ B @ C + beta * D
    alpha_bar = np.vdot(D_out_bar, ABC)
    beta_bar = np.vdot(D_out_bar, D)
    D_bar = beta * D_out_bar
    scaled = alpha * D_out_bar
    AB_bar = scaled @ C.T
    C_bar = AB.T @ scaled
    A_bar = AB_bar @ B.T
    B_bar = A.T @ AB_bar
    return value, (alpha_bar, beta_bar, A_bar, B_bar, C_bar, D_bar)


INPUTS = ("alpha", "beta", "A", "B", "C", "D")
IN_PLACE = True


def make(size, rng):
    i, j, k, m = {"tiny": (2, 3, 4, 5), "full": (800, 850, 900, 950)}[size]
    shapes = (i, k), (k, j), (j, m), (i, m)
    return 1.5, 1.2, *(rng.standard_normal(shape) for shape in shapes)


def primal_in(xp, alpha, beta, A, B, C, D):
    return xp.sum(alpha * A @ B @ C + beta * D)
