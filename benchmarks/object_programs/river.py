"""A river as a tree with links to parents: water runs down to the mouth, levels are handed up, the ground stores rain."""
import math

import numpy as np


class Reach:
    def __init__(self, downstream, area, roughness):
        self.downstream = downstream
        self.upstream = []
        self.area = area
        self.roughness = roughness
        self.stored = 0.0
        self.flow = 0.0
        self.level = 0.0
        if downstream is not None:
            downstream.upstream.append(self)

    def collect(self, rain, delay):
        self.stored += rain * self.area
        out = (1.0 - delay) * self.stored
        self.stored -= out
        self.flow = out + sum(reach.flow for reach in self.upstream)

    def rise(self):
        below = 0.0 if self.downstream is None else self.downstream.level
        self.level = below + self.roughness * math.sqrt(0.1 + self.flow)


def primal(area, roughness, rain, delay, down):
    reaches = []
    for k in range(len(area)):
        reaches.append(Reach(None if k == 0 else reaches[down[k]], area[k], roughness[k]))
    damage = 0.0
    for fallen in rain:
        for reach in reversed(reaches):
            reach.collect(fallen, delay)
        for reach in reaches:
            reach.rise()
        damage += sum(reach.level ** 2 for reach in reaches) / len(reaches)
    return damage


def adjoint(area, roughness, rain, delay, down):
    reaches = []
    for k in range(len(area)):
        reaches.append(Reach(None if k == 0 else reaches[down[k]], area[k], roughness[k]))
    damage = 0.0
    tape = []
    for fallen in rain:
        for reach in reversed(reaches):
            reach.collect(fallen, delay)
        for reach in reaches:
            reach.rise()
        damage += sum(reach.level ** 2 for reach in reaches) / len(reaches)
        # (what was stored before a share of it ran off is the rest over delay)
        tape.append([(reach.stored / delay, math.sqrt(0.1 + reach.flow), reach.level) for reach in reaches])

    n = len(reaches)
    area_bar, roughness_bar, rain_bar = np.zeros(n), np.zeros(n), np.zeros(len(rain))
    stored_bar = [0.0] * n
    delay_bar = 0.0
    for t in reversed(range(len(rain))):
        saved = tape[t]
        flow_bar = [0.0] * n
        # damage += sum(reach.level ** 2 for reach in reaches) / len(reaches)
        level_bar = [2.0 * level / n for _, _, level in saved]
        for k in reversed(range(n)):
            # self.level = below + self.roughness * math.sqrt(0.1 + self.flow)
            root = saved[k][1]
            roughness_bar[k] += level_bar[k] * root
            flow_bar[k] = 0.5 * level_bar[k] * roughness[k] / root
            if k > 0:
                level_bar[down[k]] += level_bar[k]
        for k in range(n):
            # self.flow = out + sum(reach.flow for reach in self.upstream)
            if k > 0:
                flow_bar[k] += flow_bar[down[k]]
            # out = (1.0 - delay) * self.stored;  self.stored -= out
            delay_bar += saved[k][0] * (stored_bar[k] - flow_bar[k])
            stored_bar[k] = delay * stored_bar[k] + (1.0 - delay) * flow_bar[k]
            # self.stored += rain * self.area
            rain_bar[t] += stored_bar[k] * area[k]
            area_bar[k] += stored_bar[k] * rain[t]
    return damage, (area_bar, roughness_bar, rain_bar, delay_bar)


INPUTS = ("area", "roughness", "rain", "delay")
COUNTED = "reaches"


def make(size, rng):
    n, turns = {"tiny": (5, 2), "full": (20, 8)}.get(size) or (size, 3)
    down = [0] + [int(rng.integers(max(0, k - 3), k)) for k in range(1, n)]
    return 0.5 + rng.random(n), 0.1 + rng.random(n) / n, rng.random(turns), 0.4, down
