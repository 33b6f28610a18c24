"""A PI controller with a limit fills a leaking tank: an object with state, an attribute that is None at first, branches."""
import math


class Controller:
    def __init__(self, kp, ki, limit):
        self.kp, self.ki, self.limit = kp, ki, limit
        self.integral = 0.0
        self.last = None

    def act(self, error, dt):
        if self.last is not None:
            self.integral += 0.5 * (error + self.last) * dt
        self.last = error
        return min(max(self.kp * error + self.ki * self.integral, -self.limit), self.limit)


def primal(kp, ki, limit, goal, level, dt, steps):
    controller = Controller(kp, ki, limit)
    cost = 0.0
    for _ in range(steps):
        error = goal - level
        flow = controller.act(error, dt)
        level = level + dt * (flow - 0.3 * math.sqrt(level))
        cost = cost + dt * error ** 2
    return cost


def adjoint(kp, ki, limit, goal, level, dt, steps):
    integral, last, cost = 0.0, None, 0.0
    tape = []
    for _ in range(steps):
        error = goal - level
        if last is not None:
            integral += 0.5 * (error + last) * dt
        last = error
        flow = kp * error + ki * integral
        tape.append((level, error, integral, flow))
        level = level + dt * (min(max(flow, -limit), limit) - 0.3 * math.sqrt(level))
        cost = cost + dt * error ** 2

    kp_bar = ki_bar = limit_bar = goal_bar = level_bar = integral_bar = last_bar = 0.0
    for k in reversed(range(steps)):
        level, error, integral, flow = tape.pop()
        # cost = cost + dt * error ** 2; self.last = error
        error_bar = 2.0 * dt * error + last_bar
        # level = level + dt * (flow - 0.3 * math.sqrt(level))
        flow_bar = dt * level_bar
        level_bar -= 0.15 * dt * level_bar / math.sqrt(level)
        # min(max(self.kp * error + self.ki * self.integral, -self.limit), self.limit)
        if flow > limit:
            limit_bar += flow_bar
        elif flow < -limit:
            limit_bar -= flow_bar
        else:
            kp_bar += flow_bar * error
            ki_bar += flow_bar * integral
            error_bar += kp * flow_bar
            integral_bar += ki * flow_bar
        # self.integral += 0.5 * (error + self.last) * dt
        last_bar = 0.5 * dt * integral_bar if k > 0 else 0.0
        error_bar += last_bar
        # error = goal - level
        goal_bar += error_bar
        level_bar -= error_bar
    return cost, (kp_bar, ki_bar, limit_bar, goal_bar, level_bar)


INPUTS = ("kp", "ki", "limit", "goal", "level")
COUNTED = "turns"


def make(size, rng):
    steps = {"tiny": 8, "full": 120}.get(size) or size
    return 2.0, 0.8, 0.9, 1.5, 0.4, min(0.05, 12.0 / steps), steps
