"""Wave equation in the plane, central differences, sources at one point; squared error of a receiver line."""
import numpy as np


def primal(speed, source, seen, dt):
    old = np.zeros(speed.shape)
    now = np.zeros(speed.shape)
    loss = 0.0
    for t in range(source.shape[0]):
        lap = np.zeros(speed.shape)
        lap[1:-1, 1:-1] = (now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2]
                           - 4.0 * now[1:-1, 1:-1])
        new = 2.0 * now - old + (dt * speed) ** 2 * lap
        new[2, speed.shape[1] // 2] += source[t]
        old, now = now, new
        loss += np.sum((now[-3] - seen[t]) ** 2)
    return loss


def adjoint(speed, source, seen, dt):
    """Gradient with respect to (speed, source)."""
    steps, middle = source.shape[0], speed.shape[1] // 2
    square = (dt * speed) ** 2
    old = np.zeros(speed.shape)
    now = np.zeros(speed.shape)
    loss = 0.0
    lap_tape = np.empty((steps, speed.shape[0] - 2, speed.shape[1] - 2))
    err_tape = []
    for t in range(steps):
        inner = lap_tape[t]
        np.add(now[2:, 1:-1], now[:-2, 1:-1], out=inner)
        inner += now[1:-1, 2:]
        inner += now[1:-1, :-2]
        inner -= 4.0 * now[1:-1, 1:-1]
        new = 2.0 * now
        new -= old
        new[1:-1, 1:-1] += square[1:-1, 1:-1] * inner
        new[2, middle] += source[t]
        old, now = now, new
        err = now[-3] - seen[t]
        err_tape.append(err)
        loss += np.dot(err, err)
    value = loss

    square_bar = np.zeros_like(square)
    source_bar = np.empty_like(source)
    old_bar = np.zeros_like(old)
    now_bar = np.zeros_like(now)
    inside = square_bar[1:-1, 1:-1]
    for t in range(steps - 1, -1, -1):
        now_bar[-3] += 2.0 * err_tape[t]
        # old, now = now, new
        new_bar = now_bar
        source_bar[t] = new_bar[2, middle]
        inside += new_bar[1:-1, 1:-1] * lap_tape[t]
        now_bar = old_bar + 2.0 * new_bar
        old_bar = -new_bar
        lap_bar = new_bar[1:-1, 1:-1] * square[1:-1, 1:-1]
        now_bar[2:, 1:-1] += lap_bar
        now_bar[:-2, 1:-1] += lap_bar
        now_bar[1:-1, 2:] += lap_bar
        now_bar[1:-1, :-2] += lap_bar
        now_bar[1:-1, 1:-1] -= 4.0 * lap_bar
    speed_bar = 2.0 * dt * dt * speed * square_bar
    return value, (speed_bar, source_bar)


INPUTS = ("speed", "source")


def make(size, rng):
    side, steps = {"tiny": (7, 4), "full": (120, 60)}[size]
    return (rng.uniform(0.5, 1.0, (side, side)), np.sin(0.3 * np.arange(steps)), 0.1 * rng.standard_normal((steps, side)),
            0.5)
