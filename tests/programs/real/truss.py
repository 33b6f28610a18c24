"""A truss and beam solver with a model builder, and the weight and stress of the structure as functions of its design."""

from collections import OrderedDict, defaultdict

import numpy as np

from tests.programs.real.record import Real


class Node:
    def __init__(self, name, x, y):
        self.name = name
        self.coords = np.array([x, y])
        self.support = (False, False)
        self.load = np.zeros(2)


class Bar:
    """An axial member; young and area in consistent units."""

    def __init__(self, start, end, area, young=100.0, density=1.0):
        self.start, self.end = start, end
        self.area = area
        self.young = young
        self.density = density

    @property
    def vector(self):
        return self.end.coords - self.start.coords

    @property
    def length(self):
        return np.hypot(*self.vector)

    @property
    def direction(self):
        return self.vector / self.length

    @property
    def weight(self):
        return self.density * self.area * self.length

    def stiffness(self):
        c, s = self.direction
        k = self.young * self.area / self.length
        block = np.array([[c * c, c * s], [c * s, s * s]])
        return k * np.block([[block, -block], [-block, block]])

    def stress(self, displacements):
        elongation = np.dot(self.direction, displacements[2:] - displacements[:2])
        return self.young * elongation / self.length


class Truss:
    def __init__(self):
        self.nodes = OrderedDict()
        self.bars = []
        self.connectivity = defaultdict(list)

    def add_node(self, name, x, y, support=None):
        if name in self.nodes:
            raise ValueError(f"node {name!r} exists already")
        node = Node(name, x, y)
        if support == "pinned":
            node.support = (True, True)
        elif support == "roller":
            node.support = (False, True)
        self.nodes[name] = node

    def add_bar(self, start, end, area, **material):
        for name in (start, end):
            if name not in self.nodes:
                raise KeyError(name)
        bar = Bar(self.nodes[start], self.nodes[end], area, **material)
        self.bars.append(bar)
        self.connectivity[start].append(bar)
        self.connectivity[end].append(bar)
        return bar

    def set_load(self, name, fx=0.0, fy=0.0):
        self.nodes[name].load[:] = fx, fy

    def dof(self, node):
        index = list(self.nodes).index(node.name)
        return [2 * index, 2 * index + 1]

    def solve(self):
        n = 2 * len(self.nodes)
        K, F = np.zeros((n, n)), np.zeros(n)
        for bar in self.bars:
            rows = self.dof(bar.start) + self.dof(bar.end)
            k = bar.stiffness()
            for a, i in enumerate(rows):
                for b, j in enumerate(rows):
                    K[i, j] += k[a, b]
        free = []
        for node in self.nodes.values():
            # self weight: half of each bar that meets here
            F[self.dof(node)] += node.load + np.array([0.0, -0.5 * sum(b.weight for b in self.connectivity[node.name])])
            free += [d for d, fixed in zip(self.dof(node), node.support) if not fixed]
        u = np.zeros(n)
        u[free] = np.linalg.solve(K[free][:, free], F[free])
        return u

    def stresses(self, u):
        return {i: bar.stress(u[self.dof(bar.start) + self.dof(bar.end)]) for i, bar in enumerate(self.bars)}


def design_cost(areas, apex, load, young=100.0):
    truss = Truss()
    truss.add_node("A", 0.0, 0.0, support="pinned")
    truss.add_node("B", 2.0, 0.0, support="roller")
    truss.add_node("C", *apex)
    truss.add_node("D", 1.0, -0.1)
    for (start, end), area in zip(["AC", "CB", "AD", "DB", "CD"], areas):
        truss.add_bar(start, end, area, young=young)
    truss.set_load("C", **load)
    u = truss.solve()
    weight = sum(bar.weight for bar in truss.bars)
    worst = max(truss.stresses(u).values(), key=abs)
    yielding = sum((s / 5.0) ** 4 for s in truss.stresses(u).values())
    return weight + yielding + 0.01 * abs(worst) + 3.0 * np.linalg.norm(u)


PROGRAM = Real(design_cost, (np.array([0.3, 0.35, 0.2, 0.25, 0.15]), (1.1, 0.8), {"fx": 0.3, "fy": -1.0}),
               inputs=("areas", "apex", "load"), lines=5.2)
