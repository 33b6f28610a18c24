"""The Lorenz system in classical Runge-Kutta steps on Python floats, gradient in its three parameters."""


def primal(sigma, rho, beta, x, y, z, dt, steps):
    def field(x, y, z):
        return sigma * (y - x), x * (rho - z) - y, x * y - beta * z

    for _ in range(steps):
        a1, b1, c1 = field(x, y, z)
        a2, b2, c2 = field(x + 0.5 * dt * a1, y + 0.5 * dt * b1, z + 0.5 * dt * c1)
        a3, b3, c3 = field(x + 0.5 * dt * a2, y + 0.5 * dt * b2, z + 0.5 * dt * c2)
        a4, b4, c4 = field(x + dt * a3, y + dt * b3, z + dt * c3)
        x = x + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        y = y + dt / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
        z = z + dt / 6.0 * (c1 + 2.0 * c2 + 2.0 * c3 + c4)
    return x * x + y * y + z * z


def adjoint(sigma, rho, beta, x, y, z, dt, steps):
    """Gradient with respect to (sigma, rho, beta)."""
    half, sixth = 0.5 * dt, dt / 6.0
    tape = []
    for _ in range(steps):
        tape.append((x, y, z))
        a1, b1, c1 = sigma * (y - x), x * (rho - z) - y, x * y - beta * z
        p, q, r = x + half * a1, y + half * b1, z + half * c1
        a2, b2, c2 = sigma * (q - p), p * (rho - r) - q, p * q - beta * r
        p, q, r = x + half * a2, y + half * b2, z + half * c2
        a3, b3, c3 = sigma * (q - p), p * (rho - r) - q, p * q - beta * r
        p, q, r = x + dt * a3, y + dt * b3, z + dt * c3
        a4, b4, c4 = sigma * (q - p), p * (rho - r) - q, p * q - beta * r
        x = x + sixth * (a1 + 2.0 * (a2 + a3) + a4)
        y = y + sixth * (b1 + 2.0 * (b2 + b3) + b4)
        z = z + sixth * (c1 + 2.0 * (c2 + c3) + c4)
    value = x * x + y * y + z * z

    sigma_bar = rho_bar = beta_bar = 0.0
    x_bar, y_bar, z_bar = 2.0 * x, 2.0 * y, 2.0 * z
    for _ in range(steps):
        x, y, z = tape.pop()
        # the states of the stages once more
        p1, q1, r1 = x + half * sigma * (y - x), y + half * (x * (rho - z) - y), z + half * (x * y - beta * z)
        p2, q2, r2 = (x + half * sigma * (q1 - p1), y + half * (p1 * (rho - r1) - q1),
                      z + half * (p1 * q1 - beta * r1))
        p3, q3, r3 = x + dt * sigma * (q2 - p2), y + dt * (p2 * (rho - r2) - q2), z + dt * (p2 * q2 - beta * r2)
        a_bar, b_bar, c_bar = sixth * x_bar, sixth * y_bar, sixth * z_bar
        a2_bar, b2_bar, c2_bar = 2.0 * a_bar, 2.0 * b_bar, 2.0 * c_bar
        # stage 4
        sigma_bar += a_bar * (q3 - p3)
        rho_bar += b_bar * p3
        beta_bar -= c_bar * r3
        p_bar = b_bar * (rho - r3) + c_bar * q3 - sigma * a_bar
        q_bar = sigma * a_bar - b_bar + c_bar * p3
        r_bar = -b_bar * p3 - beta * c_bar
        x_bar += p_bar
        y_bar += q_bar
        z_bar += r_bar
        # stage 3
        a, b, c = a2_bar + dt * p_bar, b2_bar + dt * q_bar, c2_bar + dt * r_bar
        sigma_bar += a * (q2 - p2)
        rho_bar += b * p2
        beta_bar -= c * r2
        p_bar = b * (rho - r2) + c * q2 - sigma * a
        q_bar = sigma * a - b + c * p2
        r_bar = -b * p2 - beta * c
        x_bar += p_bar
        y_bar += q_bar
        z_bar += r_bar
        # stage 2
        a, b, c = a2_bar + half * p_bar, b2_bar + half * q_bar, c2_bar + half * r_bar
        sigma_bar += a * (q1 - p1)
        rho_bar += b * p1
        beta_bar -= c * r1
        p_bar = b * (rho - r1) + c * q1 - sigma * a
        q_bar = sigma * a - b + c * p1
        r_bar = -b * p1 - beta * c
        x_bar += p_bar
        y_bar += q_bar
        z_bar += r_bar
        # stage 1
        a, b, c = a_bar + half * p_bar, b_bar + half * q_bar, c_bar + half * r_bar
        sigma_bar += a * (y - x)
        rho_bar += b * x
        beta_bar -= c * z
        x_bar += b * (rho - z) + c * y - sigma * a
        y_bar += sigma * a - b + c * x
        z_bar -= b * x + beta * c
    return value, (sigma_bar, rho_bar, beta_bar)


INPUTS = ("sigma", "rho", "beta")


def make(size, rng):
    return 10.0, 28.0, 8.0 / 3.0, 1.0, 1.0, 1.0, 0.01, {"tiny": 3, "full": 300}[size]
