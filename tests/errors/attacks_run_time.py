"""Attacks on what shows only at run time: classes of objects, what exceptions carry, numbers that pass through text."""
import ast

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
attack = ATTACKS.add


# --- objects whose class is not known beforehand

class Squared:
    def __init__(self, v):
        self.v = v

    @property
    def p(self):
        return self.v

    @p.setter
    def p(self, y):
        self.v = y * y

    def __iter__(self):
        yield self.v
        yield self.v * 4

    def __round__(self, n=None):
        return self.v * 3 if n is None else self.v * n


class Other(Squared):
    pass


def chosen(x):
    return Squared(x) if x > 1 else Other(x)


def setter_of_a_chosen_object(x):
    o = chosen(x)
    o.p = x
    return o.v


attack(setter_of_a_chosen_object, 0.7)


def setter_of_an_item(x):
    objects = [Squared(2.0), Other(x)]
    objects[1].p *= 2
    return objects[1].v


attack(setter_of_an_item, 0.7)


def setter_by_name(x):
    o = {"a": Squared(2.0), "b": Other(x)}["b" if x > 0 else "a"]
    setattr(o, "p", x)
    return o.v


attack(setter_by_name, 0.7)


class Stored:
    def __get__(self, owner, cls=None):
        return owner.v

    def __set__(self, owner, value):
        owner.v = 3.0 * value


class One:
    p = Stored()

    def __init__(self, v):
        self.v = v


class Two(One):
    pass


def descriptor_of_a_chosen_object(x):
    o = One(x) if x > 1 else Two(x)
    o.p = x
    return o.v


attack(descriptor_of_a_chosen_object, 0.7)


def unpacked_before_an_attribute(x):
    o = chosen(x)
    a, b = o
    return a * b + o.v


attack(unpacked_before_an_attribute, 0.7)


def unpacked_in_a_loop(x):
    total = 0.0
    for o in [Squared(x), Other(x * x)]:
        a, b = o
        total += a * b * o.v
    return total


attack(unpacked_in_a_loop, 0.7)


def rounded_chosen_object(x):
    return round(chosen(x)) * x


attack(rounded_chosen_object, 0.7)


# --- what exceptions carry

class Carrier(Exception):
    def __init__(self, box):
        self.box = box


def appended_in_a_handler(x):
    items = [x]
    try:
        raise ValueError(items)
    except ValueError as error:
        error.args[0].append(x * x)
    return sum(items)


attack(appended_in_a_handler, 0.7)


def array_changed_in_a_handler(x):
    a = np.array([x, 1.0])
    try:
        raise Carrier(a)
    except Carrier as error:
        error.box[0] = x * x
    return a.sum()


attack(array_changed_in_a_handler, 0.7)


def count_in_a_handler(x):
    n = {"n": 0}
    try:
        raise Carrier(n)
    except Carrier as error:
        error.box["n"] += 1
    return n["n"] * x


attack(count_in_a_handler, 0.7)


def object_changed_in_a_handler(x):
    o = Squared(x)
    try:
        raise Carrier(o)
    except Carrier as error:
        error.box.v = x * x
    return o.v


attack(object_changed_in_a_handler, 0.7)


def changed_and_raised_again(x):
    try:
        try:
            raise Carrier(1)
        except Carrier as error:
            error.box += 3
            raise
    except Carrier as error:
        return error.box * x


attack(changed_and_raised_again, 0.7)


# --- numbers through text

def converted(text):
    return float(text)


def text_of_a_helper(x):
    return converted(str(x)) * x


attack(text_of_a_helper, 0.7)


def pair_of(line):
    a, b = line.split(",")
    return float(a) * float(b)


def line_of_two(x):
    return pair_of(f"{x},{x * x}")


attack(line_of_two, 0.7)


def text_in_an_array(x):
    return np.sum(np.array([str(x)]).astype(float) ** 2)


attack(text_in_an_array, 0.7)


def text_that_is_evaluated(x):
    return ast.literal_eval(repr(float(x))) ** 2


attack(text_that_is_evaluated, 0.7)


def stars_into_format(v):
    return sum(map(float, "{:.15f},{:.15f}".format(*v).split(",")))


attack(stars_into_format, np.array([0.3, 0.4]))


def text_in_a_dict(x):
    row = {"value": "%.12f" % x}
    return float(row["value"]) * x


attack(text_in_a_dict, 0.7)


def text_of_joined_parts(x):
    return float("".join(["0", "." + str(x).partition(".")[2]])) * x


attack(text_of_joined_parts, 0.7)


def hexadecimal(x):
    return float.fromhex(x.hex()) * x


attack(hexadecimal, 0.7)


# --- op= of numbers of which that is only known when they run

class Lagged:
    def __init__(self, k):
        self.k, self.state = k, {}

    def step(self, x):
        past = self.state.get("last")
        change = x - (past if past is not None else x)
        out = self.k * x - change
        self.state["last"] = x
        return out


def number_held_by_a_dict(k):
    lagged, x = Lagged(k), 0.1
    for _ in range(3):
        x += lagged.step(x)
    return x


def number_with_a_second_name(k):
    lagged = Lagged(k)
    lagged.step(0.3)
    v = lagged.step(0.5)
    y = v
    v += 1.0
    return y * v


def number_out_of_a_list(k):
    lagged = Lagged(k)
    lagged.step(0.3)
    v = lagged.step(0.5)
    held = [v]
    held[0] += 1.0
    return v * held[0]


def more(a, b):
    a += b
    return a


def number_of_an_argument(k):
    lagged = Lagged(k)
    u, v = lagged.step(0.3), lagged.step(0.5)
    y = more(v, u)
    return y * v


for function in (number_held_by_a_dict, number_with_a_second_name, number_out_of_a_list, number_of_an_argument):
    attack(function, 0.7)


# --- iterators and functions that are made inside

def grouped_in_pairs(x):
    return sum(a * b for a, b in zip(*[iter(x)] * 2))


attack(grouped_in_pairs, np.array([1.0, 2.0, 3.0, 4.0]))


def one_iterator_twice(x):
    items = iter(x)
    return sum(a * b for a, b in zip(items, items))


attack(one_iterator_twice, np.array([1.0, 2.0, 3.0, 4.0]))


def vectorized_with_options(x, k):
    f = np.vectorize(lambda a, b: a * b if a > 0 else -a / b, otypes=[float])
    return f(x, k).sum()


attack(vectorized_with_options, np.array([1.0, -2.0]), 2.0)


# --- one object with two holders, of which a part was copied

class Grown:
    def __init__(self, v):
        self.v = v

    def grow(self, y):
        self.v *= y
        return self


def two_holders_of_one_object(x):
    o = Grown(x)
    held = {"p": o, "q": o}
    d = {"a": x, "b": o.grow(x).v}
    for key in d:
        d[key] = d[key] * 1.5
    first = held["p"]
    first.v += d.get("a")
    return o.v


attack(two_holders_of_one_object, 0.7)


# --- an argument that changes in a list of which nobody reads anything, and another that is the same array

SAME = np.array([0.3])


def changed_in_a_list(a, c):
    for x in [c, np.zeros(1)]:
        x[0] *= 0.7
    return np.sum(a[[0, 0, 0]])


attack(changed_in_a_list, SAME, SAME)


# --- asked whether it is None, and None again before it is read

class Reset:
    def __init__(self, v):
        self.v, self.last = v, None

    def reset(self):
        self.last = None

    def read(self, x):
        if self.last is not None:
            self.reset()
            v = self.last
            return x if v is None else v
        self.last = x * x
        return self.v

    def by_another_name(self, x):
        other = self
        if self.last is not None:
            other.last = None
            v = self.last
            return x if v is None else v
        self.last = x * x
        return self.v


def none_again_after_a_call(x):
    r = Reset(x)
    return r.read(x) * r.read(2 * x)


def none_again_by_another_name(x):
    r = Reset(x)
    return r.by_another_name(x) * r.by_another_name(2 * x)


def none_again_and_again(x):
    r, total = Reset(x), 0.0
    for i in range(4):
        total += r.read(x * (i + 1))
    return total


for function in (none_again_after_a_call, none_again_by_another_name, none_again_and_again):
    attack(function, 0.7)
