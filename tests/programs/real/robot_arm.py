"""Forward kinematics of a serial arm made of link objects (Denavit-Hartenberg), and an inverse kinematics loss."""
import math

import numpy as np

from tests.programs.real.record import Real


class Link:
    """One joint and the rigid body behind it."""

    joint_type = "R"

    def __init__(self, a=0.0, alpha=0.0, d=0.0, theta=0.0, mass=1.0, qlim=None):
        self.a = a
        self.alpha = alpha
        self.d = d
        self.theta = theta
        self.mass = mass
        self.qlim = qlim

    def A(self, q):
        """Homogeneous transform of the link for joint coordinate q."""
        theta, d = self._joint(q)
        st, ct = math.sin(theta), math.cos(theta)
        sa, ca = math.sin(self.alpha), math.cos(self.alpha)
        return np.array([[ct, -st * ca, st * sa, self.a * ct],
                         [st, ct * ca, -ct * sa, self.a * st],
                         [0.0, sa, ca, d],
                         [0.0, 0.0, 0.0, 1.0]])

    def _joint(self, q):
        raise NotImplementedError

    def __repr__(self):
        return f"{self.__class__.__name__}(a={self.a}, d={self.d})"


class RevoluteLink(Link):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        if self.qlim is None:
            self.qlim = (-math.pi, math.pi)

    def _joint(self, q):
        return q + self.theta, self.d


class PrismaticLink(Link):
    joint_type = "P"

    def __init__(self, stiffness=3.0, **kwargs):
        super().__init__(**kwargs)
        self.stiffness = stiffness

    def _joint(self, q):
        return self.theta, q + self.d


class SerialArm:
    def __init__(self, links, base=None, name="arm"):
        self.links = []
        self._length = 0
        for link in links:
            if not isinstance(link, Link):
                raise TypeError(f"{link!r} is not a Link")
            self.links.append(link)
            self._length += 1
        self.base = np.eye(4) if base is None else base
        self.name = name

    def __len__(self):
        return self._length

    def __getitem__(self, j):
        return self.links[j]

    def __iter__(self):
        return iter(self.links)

    def fkine(self, q, end=None):
        """The pose of every link, in a list; the last one is the tool."""
        end = len(self) if end is None else end
        T = self.base
        frames = []
        for link, qk in zip(self, q[:end]):
            T = T @ link.A(qk)
            frames.append(T)
        return frames

    def potential_energy(self, q, gravity=9.81):
        energy = 0.0
        for j, frame in enumerate(self.fkine(q)):
            link = self[j]
            energy += link.mass * gravity * frame[2, 3]
            if hasattr(link, "stiffness"):
                energy += 0.5 * link.stiffness * q[j] ** 2
        return energy

    def limit_penalty(self, q, margin=0.3):
        total = 0.0
        for link, qk in zip(self.links, q):
            if link.qlim is None:
                continue
            low, high = link.qlim
            total += max(0.0, low + margin - qk) ** 2 + max(0.0, qk - high + margin) ** 2
        return total


def build_arm(lengths):
    shoulder, upper, fore = lengths
    return SerialArm([
        RevoluteLink(d=shoulder, alpha=math.pi / 2, mass=2.0),
        RevoluteLink(a=upper, mass=1.5),
        RevoluteLink(a=fore, theta=0.2, qlim=(-2.0, 1.0)),
        PrismaticLink(d=0.1, alpha=-0.3, mass=0.4),
    ], name="RRRP")


def reach_loss(q, lengths, goal, weights={"position": 1.0, "energy": 0.01}):  # noqa: B006
    arm = build_arm(lengths)
    tool = arm.fkine(q)[-1]
    error = tool[:3, 3] - goal
    cost = weights["position"] * (error ** 2).sum()
    cost += weights.get("energy", 0.0) * arm.potential_energy(q)
    cost += weights.get("limits", 0.5) * arm.limit_penalty(q)
    return cost


def calibration_loss(arm, poses):
    """The arm itself is the input: every length and angle of its links."""
    total = 0.0
    for q, measured in poses:
        total += np.sum((arm.fkine(q)[-1][:3, 3] - measured) ** 2)
    return total


POSES = [(np.array([0.3, 0.5, -0.4, 0.1]), np.array([0.7, 0.2, 0.9])),
         (np.array([-0.2, 0.9, 0.6, 0.0]), np.array([0.1, 0.0, 1.2]))]

PROGRAM = [
    Real(reach_loss, (np.array([0.3, 0.5, 0.9, 0.1]), [0.4, 0.6, 0.5], np.array([0.6, 0.3, 0.9])), inputs=("q", "lengths"),
         lines=4.5),
    Real(calibration_loss, (build_arm([0.4, 0.6, 0.5]), POSES), inputs="arm"),
]
