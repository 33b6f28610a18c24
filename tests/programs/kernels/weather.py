"""Weather and ocean stencils, and a relaxation of moisture."""
import numpy as np

from tests.programs.kernels.kernel import Kernels

PROGRAMS = Kernels()
case = PROGRAMS.add


def hdiff(in_field, out_field, coeff):
    """Horizontal diffusion with a flux limiter."""
    I, J = out_field.shape[0], out_field.shape[1]
    lap_field = 4.0 * in_field[1:I + 3, 1:J + 3, :] - (
        in_field[2:I + 4, 1:J + 3, :] + in_field[0:I + 2, 1:J + 3, :]
        + in_field[1:I + 3, 2:J + 4, :] + in_field[1:I + 3, 0:J + 2, :])
    res = lap_field[1:, 1:J + 1, :] - lap_field[:-1, 1:J + 1, :]
    flx_field = np.where((res * (in_field[2:I + 3, 2:J + 2, :] - in_field[1:I + 2, 2:J + 2, :])) > 0, 0, res)
    res = lap_field[1:I + 1, 1:, :] - lap_field[1:I + 1, :-1, :]
    fly_field = np.where((res * (in_field[2:I + 2, 2:J + 3, :] - in_field[2:I + 2, 1:J + 2, :])) > 0, 0, res)
    out_field[:, :, :] = in_field[2:I + 2, 2:J + 2, :] - coeff[:, :, :] * (
        flx_field[1:, :, :] - flx_field[:-1, :, :] + fly_field[:, 1:, :] - fly_field[:, :-1, :])


case(hdiff, lambda rng: (rng.standard_normal((6, 6, 2)), np.zeros((2, 2, 2)), rng.standard_normal((2, 2, 2))),
     ("in_field", "coeff"), ("out_field",))

BET_M = 0.5
BET_P = 0.5


def vadv(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    """Vertical advection: a Thomas solve along the levels of every column."""
    I, J, K = utens_stage.shape[0], utens_stage.shape[1], utens_stage.shape[2]
    ccol = np.ndarray((I, J, K), dtype=utens_stage.dtype)
    dcol = np.ndarray((I, J, K), dtype=utens_stage.dtype)
    data_col = np.ndarray((I, J), dtype=utens_stage.dtype)

    for k in range(1):
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        cs = gcv * BET_M
        ccol[:, :, k] = gcv * BET_P
        bcol = dtr_stage - ccol[:, :, k]
        correction_term = -cs * (u_stage[:, :, k + 1] - u_stage[:, :, k])
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / bcol
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = dcol[:, :, k] * divided

    for k in range(1, K - 1):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        as_ = gav * BET_M
        cs = gcv * BET_M
        acol = gav * BET_P
        ccol[:, :, k] = gcv * BET_P
        bcol = dtr_stage - acol - ccol[:, :, k]
        correction_term = -as_ * (u_stage[:, :, k - 1] - u_stage[:, :, k]) - cs * (
            u_stage[:, :, k + 1] - u_stage[:, :, k])
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = (dcol[:, :, k] - (dcol[:, :, k - 1]) * acol) * divided

    for k in range(K - 1, K):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        as_ = gav * BET_M
        acol = gav * BET_P
        bcol = dtr_stage - acol
        correction_term = -as_ * (u_stage[:, :, k - 1] - u_stage[:, :, k])
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        dcol[:, :, k] = (dcol[:, :, k] - (dcol[:, :, k - 1]) * acol) * divided

    for k in range(K - 1, K - 2, -1):
        datacol = dcol[:, :, k]
        data_col[:] = datacol
        utens_stage[:, :, k] = dtr_stage * (datacol - u_pos[:, :, k])

    for k in range(K - 2, -1, -1):
        datacol = dcol[:, :, k] - ccol[:, :, k] * data_col[:, :]
        data_col[:] = datacol
        utens_stage[:, :, k] = dtr_stage * (datacol - u_pos[:, :, k])


case(vadv, lambda rng: (rng.standard_normal((2, 1, 4)), rng.standard_normal((2, 1, 4)), rng.standard_normal((3, 1, 5)),
                        rng.standard_normal((2, 1, 4)), rng.standard_normal((2, 1, 4)), 3.0),
     ("utens_stage", "u_stage", "wcon", "u_pos", "utens", "dtr_stage"), ("utens_stage",))


def shallow_water(h, u, v, g, dt, steps):
    """Forward-backward steps on a staggered grid: velocities from the height, height from the new velocities."""
    for _ in range(steps):
        u[1:-1, :] -= dt * g * (h[1:, :] - h[:-1, :])
        v[:, 1:-1] -= dt * g * (h[:, 1:] - h[:, :-1])
        flux_x = np.zeros_like(u)
        flux_y = np.zeros_like(v)
        flux_x[1:-1] = u[1:-1] * 0.5 * (h[1:] + h[:-1])
        flux_y[:, 1:-1] = v[:, 1:-1] * 0.5 * (h[:, 1:] + h[:, :-1])
        h -= dt * (flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1])
    return 0.5 * g * np.sum(h ** 2)


case(shallow_water, lambda rng: (rng.uniform(1, 2, (3, 3)), rng.standard_normal((4, 3)), rng.standard_normal((3, 4)),
                                 9.81, 0.02, 3), ("h", "u", "v", "g"))


def saturation_adjustment(T, q, levels):
    """Where the air is too moist it rains: a mask, compound stores and a local fall-out below."""
    rain = np.zeros_like(T[0])
    for k in range(levels):
        qsat = 0.6 * np.exp(0.3 * T[k])
        wet = q[k] > qsat
        excess = np.zeros_like(rain)
        excess[wet] = q[k][wet] - qsat[wet]
        q[k] -= excess
        T[k] += 2.5 * excess
        rain += excess
        rain[~wet] *= 0.8
    return rain


case(saturation_adjustment, lambda rng: (rng.standard_normal((3, 4)), rng.uniform(0, 2, (3, 4)), 3), ("T", "q"),
     ("T", "q", "return"))


def lorenz96(x, F, dt, steps):
    """Runge-Kutta 4 with stages in rows of one buffer."""
    k = np.empty((4, x.size))
    for _ in range(steps):
        for stage, weight in enumerate((0.0, 0.5, 0.5, 1.0)):
            y = x if stage == 0 else x + weight * dt * k[stage - 1]
            k[stage] = (np.roll(y, -1) - np.roll(y, 2)) * np.roll(y, 1) - y + F
        x += dt / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])


case(lorenz96, lambda rng: (rng.standard_normal(5), 8.0, 0.05, 2), ("x", "F"), ("x",))


def semi_lagrangian(q, wind, dt, steps):
    """Linear interpolation at departure points, gathered with an index array."""
    n = q.size
    new = np.empty_like(q)
    for _ in range(steps):
        departure = np.arange(n) - wind * dt
        left = np.floor(departure).astype(int)
        frac = departure - left
        new[:] = (1 - frac) * q[left % n] + frac * q[(left + 1) % n]
        q[:] = new


case(semi_lagrangian, lambda rng: (rng.standard_normal(5), rng.uniform(0.2, 0.8, 5), 0.7, 2), ("q", "wind"), ("q",))
