"""Iterators: map, filter, keys, itertools, zip; comprehensions of dicts and sets; stars."""

import functools
import heapq
import itertools
import operator
from itertools import accumulate, chain, combinations, count, cycle, islice, product, repeat, zip_longest

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])


def map_lambdas(v):
    return sum(map(lambda x: x**2, v)) + sum(map(lambda a,b: a*b, v, v[1:]))


case(map_lambdas, VECTOR)


def filter_lambda(v):
    pos=list(filter(lambda x: x>0, v))
    return pos[0]*pos[1]+len(pos)


case(filter_lambda, VECTOR)


def sorted_by_key(v):
    xs=sorted(v, key=lambda x: -x)
    ys=sorted([(v[0],2.0),(v[1],1.0)], key=lambda p: p[1], reverse=True)
    return xs[0]*2+xs[1]*3+ys[0][0]


case(sorted_by_key, VECTOR)


def extremes_by_key(v):
    m=max(v, key=abs)
    n=min([v[0]*2,v[1]*v[2]], key=lambda x: x*x)
    e=max([], default=v[0])
    return m*n*e


case(extremes_by_key, VECTOR)


def reduce_lambda(v):
    return functools.reduce(lambda a,b: a*b+1.0, v) + functools.reduce(operator.mul, v, 2.0)


case(reduce_lambda, VECTOR)


def product_loop(v):
    total=0.0
    for i,j in product(range(3), range(2)):
        total=total+v[i]*v[j]*(i+1)
    return total


case(product_loop, VECTOR)


def combinations_of_items(v):
    return sum(a*b for a,b in combinations(v,2))\
        + sum(v[i]*v[j]**2 for i,j in itertools.combinations(range(3),2)) \
        + sum(a*b*b for a,b in itertools.permutations(v,2))


case(combinations_of_items, VECTOR)


def chain_lists(v):
    t=0.0
    for x in chain(v, [v[0]*v[1]]):
        t=t*x+x
    for y in chain.from_iterable([[v[0]],[v[1],v[2]]]):
        t=t+y*y
    return t


case(chain_lists, VECTOR)


def accumulations(v):
    xs=list(accumulate(v))
    ys=list(accumulate(v, lambda a,b: a*b))
    zs=list(itertools.accumulate(v, operator.mul, initial=2.0))
    return xs[1]*ys[2]+zs[3]*xs[2]


case(accumulations, VECTOR)


def endless_iterators(v):
    t=0.0
    for i,x in zip(count(1), v):
        t=t+i*x*x
    for x,s in zip(v, cycle([1.0,-1.0])):
        t=t+s*x**3
    for x in islice(v,2):
        t=t+x
    for x in islice(cycle(v),5):
        t=t*0.5+x
    for a,b in zip(v, repeat(v[0])):
        t=t+a*b
    return t


case(endless_iterators, VECTOR)


def longest_zip(v):
    return sum(a*b for a,b in zip_longest(v,[v[0]],fillvalue=2.0))


case(longest_zip, VECTOR)


def starmap_and_pairwise(v):
    return sum(itertools.starmap(lambda a,b: a*b, [(v[0],v[1]),(v[1],v[2])])) + sum(a*b for a,b in itertools.pairwise(v))


case(starmap_and_pairwise, VECTOR)


def dict_comprehensions(v):
    d={i: x*x for i,x in enumerate(v)}
    e={k: w*v[0] for k,w in d.items() if k>0}
    return sum(d.values())*e[1]+e[2]


case(dict_comprehensions, VECTOR)


def dict_from_zip(v):
    d=dict(zip(("a","b","c"), v))
    e={**d,"a":v[1]*v[1]}
    f=dict(a=v[0], **{"q":v[2]})
    return e["a"]*e["b"]+d["a"]*f["q"]*f["a"]


case(dict_from_zip, VECTOR)


def computed_keys(v):
    d={"k%d"%i: v[i] for i in range(3)}
    key="k1"
    g={key: v[0]*v[1], "k"+"2": v[2]}
    return d["k0"]*d["k2"]+g["k1"]*g["k2"]


case(computed_keys, VECTOR)


def stars_in_displays(v):
    a=[v[0],v[1]]
    b=[*a, v[2]*v[2], *v]
    c=(*a, 2.0)
    first,*rest=b
    *init,last=b
    return b[2]*c[0]*rest[1]+last*init[0]*b[5]


case(stars_in_displays, VECTOR)


def unzip_pairs(v):
    pairs=[(x,x*x) for x in v]
    xs,ys=zip(*pairs)
    return np.array(xs)@np.array(ys)+xs[0]*ys[1]


case(unzip_pairs, VECTOR)


def any_and_all(v):
    if any(x<0 for x in v) and all(x<2 for x in v):
        return v[0]*v[1]
    return v[2]


case(any_and_all, VECTOR)


def next_of_generators(v):
    return next(x for x in v if x<0)*v[0]+next((x for x in v if x>100), v[2])*next(iter(v))


case(next_of_generators, VECTOR)


def generator_in_a_variable(v):
    g=(x*x for x in v)
    return sum(g)


case(generator_in_a_variable, VECTOR)


def delete_items(v):
    xs=[v[0],v[1],v[2]]
    del xs[0]
    d={"a":v[0],"b":v[1]}
    del d["a"]
    ys=[v[0],v[1],v[2],1.0]
    del ys[1:3]
    return xs[0]*xs[1]*d["b"]+len(d)*ys[0]


case(delete_items, VECTOR)


def sort_list_by_key(v):
    xs=[v[0],v[1],v[2]]
    xs.sort(key=lambda x: x*x)
    return xs[0]*2+xs[1]*3


case(sort_list_by_key, VECTOR)


def sorted_by_itemgetter(v):
    xs=sorted([(2,v[0]),(1,v[1])], key=operator.itemgetter(0))
    return xs[0][1]*3+xs[1][1]


case(sorted_by_itemgetter, VECTOR)


def sets_of_integers(v):
    seen={1,2}
    s={i%2 for i in range(4)}
    seen.add(3)
    t=0.0
    for i in range(3):
        if i in seen and i in s:
            t=t+v[i]*v[0]
    return t


case(sets_of_integers, VECTOR)


def kept_iterator(v):
    numbers = iter(v)
    total = next(numbers) ** 2
    for x in numbers:
        total = total * x + 0.3
        if x > 0.5:
            break
    return total + sum(x ** 3 for x in numbers) + next(numbers, 0.5) * v[0]


case(kept_iterator, np.array([0.3, -0.8, 1.1, 0.7, 0.9]))


class Stream:
    def __init__(self, values):
        self.values = iter(values)
        self.count = 0

    def __next__(self):
        self.count += 1
        return next(self.values) * self.count


def applied_in_turn(function, n):
    result = 1.0
    for _ in range(n):
        result = result * function(result) + result
    return result


def iterators_in_closures_and_objects(v):
    plan = iter(list(v))
    result = applied_in_turn(lambda s: next(plan) * s, 2)
    try:
        result += next(plan)
    except StopIteration:
        result += v[2] ** 2
    stream = Stream(v)
    return result + next(stream) * next(stream) + sum(list(plan))


case(iterators_in_closures_and_objects, VECTOR)


# --- counters and cycles that only `next` reads

def numbered_by_a_counter(v):
    number = itertools.count(1)
    total = 0.0
    for x in v:
        total = total + x ** 2 * next(number)
    return total * next(number)


case(numbered_by_a_counter, VECTOR)


def queue_with_a_tie_breaker(v):
    tick = itertools.count()
    heap = []
    for x in v:
        heapq.heappush(heap, (round(float(x)), next(tick), x))
    total = 0.0
    while heap:
        _, number, x = heapq.heappop(heap)
        total = 0.9 * total + x * x * (number + 1)
    return total


case(queue_with_a_tie_breaker, VECTOR, oracle=False)


def counter_of_numbers_that_are_differentiated(v):
    at = itertools.count(v[0], v[1] * v[2])
    next(at)
    return next(at) * next(at)


case(counter_of_numbers_that_are_differentiated, VECTOR)


def counter_in_a_closure_and_a_comprehension(v):
    def factor():
        return next(number) * v[1]
    number = itertools.count(2)
    other = twin = itertools.count(0.5, 0.25)
    return factor() + factor() * factor() + sum(next(other) * x ** 2 for x in v) + next(twin) * v[0]


case(counter_in_a_closure_and_a_comprehension, VECTOR)


def weights_in_turn(v):
    weight = itertools.cycle((1.0, -0.5, v[0]))
    total = next(weight) * v[1] ** 3
    for x in v:
        total = total + next(weight) * x ** 2
    return total


case(weights_in_turn, VECTOR)


# --- what a loop reads is computed when it gets there: the loop may look at what has changed by then

class Smoothed:
    def __init__(self):
        self.level = 0.0

    def step(self, u):
        self.level = 0.5 * self.level + u
        return self.level

    def run(self, values):
        for u in values:
            yield self.step(u)


def levels_of_map(x):
    smoothed, total = Smoothed(), x[0]
    for y in map(smoothed.step, x):
        total += y * smoothed.level
        if total > 100.0:
            break
    return total


def levels_of_an_expression(x):
    smoothed, total = Smoothed(), x[0]
    for a, b in ((smoothed.step(u), u * v) for u, v in zip(x, x[1:]) if u > 0.1):
        if a > 3.0:
            continue
        total += a * smoothed.level * b
    else:
        total *= 2
    u = total
    for y in (u * v for v in x):
        total += y * u
    return total


def levels_of_a_generator(x):
    smoothed, total = Smoothed(), x[0]
    for y in smoothed.run(x):
        total += y * smoothed.level
    return total


def level_after_a_generator(x):
    smoothed, total = Smoothed(), x[0]
    for y in smoothed.run(x):
        total += y
    return total * smoothed.level


def pairs_of_map(x):
    total = 0.0
    for y in map(np.arctan2, x, x[::-1] + 1.0):
        total += y * y
    return total


for program in (levels_of_map, levels_of_an_expression, level_after_a_generator, pairs_of_map):
    case(program, np.array([1.5, 2.0, 0.05, 0.7]), oracle=False)
case(levels_of_a_generator, np.array([1.5, 2.0, 0.05, 0.7]), oracle=False, may_refuse=True)


def mapped_by_what_was_given(x):
    smoothed, other, total = Smoothed(), Smoothed(), x[0]
    if x[0] > 0.0:
        for y in map(smoothed.step, x):
            smoothed = other
            total += y * (1.0 + smoothed.level)
    return total


case(mapped_by_what_was_given, np.array([1.5, 2.0, 0.05, 0.7]), oracle=False, may_refuse=True)
