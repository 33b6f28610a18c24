"""Trees of objects that the function makes: leaves without children, and methods that call themselves; tuples in order."""
import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

V = np.array([0.3, 0.4, 0.9])


class Node:
    def __init__(self, value, children=()):
        self.value = value
        self.children = list(children)

    def add(self, child):
        self.children.append(child)

    def total(self):
        return self.value + sum(child.total() for child in self.children)

    def product(self):
        result = self.value
        for child in self.children:
            result = result * child.product()
        return result


def leaf(x):
    return Node(x[0] ** 2).total()


def one_level(x):
    leaves = [Node(np.sin(v)) for v in x]
    root = Node(x[0] ** 2, leaves)
    return root.total() * root.product()


def two_levels(x):
    leaves = [Node(np.sin(v)) for v in x]
    inner = Node(x[0] ** 2, leaves[:2])
    root = Node(x[1] * x[2], [inner, leaves[2]])
    return root.total() ** 2 + root.product()


def children_added_later(x):
    root = Node(x[0])
    for v in x[1:]:
        root.add(Node(v ** 2))
    return root.total() ** 2


def built(x, depth):
    node = Node(x[depth])
    if depth > 0:
        node.add(built(x, depth - 1))
        node.add(built(x * 0.5, depth - 1))
    return node


def built_by_recursion(x):
    return built(x, 2).total() ** 2


for function in (leaf, one_level, two_levels, children_added_later, built_by_recursion):
    case(function, V, oracle=False)


# --- lists that are empty, or only seem to be

def filled_by_another_name(x):
    a = []
    if x[0] > 0:
        c = a
    else:
        c = []
    c.append(x[1] ** 2)
    s = x[0] ** 3
    for v in a:
        s = s + v
    return s


def filled_inside_a_list(x):
    a = []
    holder = [a, []]
    for k in range(2):
        holder[k].append(x[k] ** 2)
    s = x[0] ** 3
    for v in a:
        s = s + np.sin(v)
    return s


def filled_after_the_first_trip(x):
    xs = []
    s = x[0] ** 2
    for k in range(3):
        for v in xs:
            s = s + v ** 2
        xs.append(x[k])
    return s


def empty_and_methods_of_nothing(x):
    xs, ys, d = [], [], {}
    for a, b in zip(xs, ys):
        x = x * a.scale(b)
    for a in reversed(xs):
        x = a.scale(x)
    for i, a in enumerate(ys):
        x = a.scale(x, i)
    for _, v in d.items():
        x = v.scale(x)
    return np.sum(x ** 2)


for function in (filled_by_another_name, filled_inside_a_list, filled_after_the_first_trip, empty_and_methods_of_nothing):
    case(function, V, oracle=False)


# --- tuples are ordered by their items

def nearest(points, q):
    d, i = min((np.hypot(p[0] - q[0], p[1] - q[1]), i) for i, p in enumerate(points))
    return d * points[i, 0]


case(nearest, np.random.default_rng(0).normal(size=(4, 2)), np.array([0.1, 0.2]), inputs=("points", "q"), oracle=False)


def largest_and_smallest_pair(x):
    pairs = [(v ** 2, k) for k, v in enumerate(x)]
    high, low = max(pairs), min(pairs)
    return high[0] * np.sin(low[0]) + high[1]


def larger_of_two_tuples(x):
    v, k = max((x[0] ** 2, 1), (x[1], 2))
    return v * k


def smallest_list(x):
    return min([[x[0] * 2, x[1]], [x[0], x[2]]])[1] ** 3


def best_name(x):
    v, name = max(zip(x ** 2, ["a", "bcd", "ef"]))
    return v * len(name)


for function in (largest_and_smallest_pair, larger_of_two_tuples, smallest_list, best_name):
    case(function, V, oracle=False)

EDGES = [(0, 1), (0, 2), (2, 1), (1, 3)]


def shortest_way(w):
    dist = {0: 0.0}
    todo = [(0.0, 0)]
    while todo:
        d, u = min(todo)
        todo.remove((d, u))
        for (a, b), c in zip(EDGES, w):
            if a == u and (b not in dist or d + c < dist[b]):
                dist[b] = d + c
                todo.append((d + c, b))
    return dist[3] ** 2


case(shortest_way, np.array([0.5, 0.3, 0.1, 0.7]), oracle=False)


# --- and so are objects that say which is less

class Offer:
    def __init__(self, price, weight):
        self.price, self.weight = price, weight

    def __lt__(self, other):
        return self.price < other.price


def cheapest_and_dearest(x):
    offers = [Offer(v ** 2, k) for k, v in enumerate(x)]
    low, high = min(offers), max(offers[0], offers[1], offers[2])
    return low.price * np.sin(high.price) + high.weight


def offers_in_order(x):
    offers = sorted([Offer(np.cos(3 * v), k + 1) for k, v in enumerate(x)])
    return sum(offer.price * (k + offer.weight) for k, offer in enumerate(offers))


for function in (cheapest_and_dearest, offers_in_order):
    case(function, V, oracle=False)
