"""A damped pendulum: value, gradient, second derivative, and the code that computes the gradient.
===============================================================================================

    python examples/quickstart.py
"""

import numpy as np

import sourcegrad as sg


def swing(length, damping, angle=1.0, dt=0.01, steps=200):
    """Angle (rad) of a pendulum of `length` metres, released at `angle`, after `steps * dt` seconds."""
    speed = 0.0
    for _ in range(steps):
        speed = speed - dt * (9.81 / length * np.sin(angle) + damping * speed)
        angle = angle + dt * speed
    return angle


def main():
    length, damping = 1.5, 0.3

    value, (d_length, d_damping) = sg.value_and_grad(swing, inputs=("length", "damping"))(length, damping)
    slope = sg.grad(swing)
    curvature = sg.grad(slope)

    h = 1e-4
    central = (swing(length + h, damping) - swing(length - h, damping)) / (2 * h)
    second = (slope(length + h, damping) - slope(length - h, damping)) / (2 * h)

    print(f"angle after 2 s             {value:+.8f} rad")
    print(f"d angle / d length          {d_length:+.8f} rad/m     (finite difference {central:+.8f})")
    print(f"d angle / d damping         {d_damping:+.8f} rad s")
    second_derivative = curvature(length, damping)
    print(f"d2 angle / d length2        {second_derivative:+.8f} rad/m2    (finite difference {second:+.8f})")
    print("\nThe code that computed d angle / d length:\n")
    print(slope.source)


if __name__ == "__main__":
    main()
