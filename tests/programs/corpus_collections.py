"""defaultdict, deque, OrderedDict."""
import collections
import re
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])


def default_dicts(v):
    g=defaultdict(list)
    for i in range(3):
        g[i%2].append(v[i])
    s=defaultdict(float)
    for i in range(3):
        s[i%2]+=v[i]*v[i]
    return g[0][1]*s[1]+s[0]*len(g)


case(default_dicts, VECTOR)


def nested_default_dicts(v):
    g=collections.defaultdict(lambda: defaultdict(float))
    for i in range(3):
        g["a" if i<2 else "b"][i]+=v[i]*2
    h=defaultdict(lambda: np.zeros(3))
    h["x"]+=v
    h["x"][0]=v[1]
    return g["a"][0]*g["b"][2]+h["x"].sum()*h["y"].sum()+(h["x"]**2).sum()


case(nested_default_dicts, VECTOR)


def deque_methods(v):
    q=deque(maxlen=2)
    for x in v:
        q.append(x*x)
    q.appendleft(v[0])
    r=deque([v[0],v[1],v[2]])
    r.rotate(1)
    a=r.popleft()
    r.extendleft([v[1]])
    return q[0]*q[1]*a+r[0]*r[1]*r[-1]


case(deque_methods, VECTOR)


def moving_window(v):
    w=deque([0.0],maxlen=3)
    t=0.0
    for x in v:
        w.append(x*x)
        t=t+sum(w)/len(w)*x
    return t


case(moving_window, VECTOR)


def ordered_dict(v):
    d=OrderedDict([("a",v[0])])
    d["b"]=v[1]*v[1]
    return sum(x*(i+1) for i,x in enumerate(d.values()))


case(ordered_dict, VECTOR)


def breadth_first_search(v):
    graph={0:[1,2],1:[2],2:[]}
    dist={0:v[0]}
    queue=deque([0])
    while queue:
        node=queue.popleft()
        for other in graph[node]:
            if other not in dist:
                dist[other]=dist[node]+v[other]*v[other]
                queue.append(other)
    return dist[2]*dist[1]


case(breadth_first_search, VECTOR)


def counted_and_sorted(v, text):
    """What a formula in text consists of."""
    parts = []
    for side in text.split("->"):
        counts = Counter()
        for term in side.split("+"):
            number, name = re.match(r"\s*(\d*)\s*(\w+)", term).groups()
            counts[name] += int(number or 1)
        parts.append(counts)
    species = sorted({name for counts in parts for name in counts})
    amounts = dict(zip(species, v))
    change = {name: 0.0 for name in species}
    for sign, counts in zip((-1.0, 1.0), parts):
        rate = sign * v[0]
        for name, order in counts.items():
            rate = rate * amounts[name] ** order
            change[name] += order * rate
    return sum(change[name] * (k + 1) for k, name in enumerate(species))


case(counted_and_sorted, np.array([0.3, 0.8, 1.1]), "2 A + B -> C", inputs="v")


def merged_in_place(x):
    d = {"a": x}
    same = d
    same |= {"b": x * x}
    for i in range(3):
        d |= {"a": x + d["a"] * i}
    return d["a"] * d["b"]


def merged_by_number(x):
    d = {}
    for i in range(3):
        d |= {i: x * i}
    return d[1] * d[2]


def merged_with_pairs(x):
    d = {"a": x}
    d |= [("b", x * x), ("a", 2.0 * x)]
    return d["a"] * d["b"]


def merged_by_a_callee(x):
    def put(d):
        d |= {"c": x * x}

    d = {"a": x}
    if x > 0.0:
        d |= {"a": x * x}
    put(d)
    return d["a"] * d["c"]


case(merged_in_place, 0.7)
case(merged_by_number, 0.7)
case(merged_with_pairs, 0.7)
case(merged_by_a_callee, 0.7)


class Queue:
    def __init__(self, start):
        self.waiting = deque([start])
        self.done = deque()

    def push(self, x):
        self.waiting.append(x)
        self.waiting.appendleft(2.0 * x)

    def step(self):
        self.done.append(self.waiting.popleft())
        return self.done[-1] * self.done[0]


def deques_of_an_object(v):
    queue = Queue(1.0)                           # nothing here depends on v
    for x in v:
        queue.push(x * x)
    return queue.step() + queue.step() * sum(queue.waiting)


case(deques_of_an_object, VECTOR)
