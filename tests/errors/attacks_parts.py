"""Attacks: lists, dicts and objects whose parts move, in place and by callees, while others hold the parts."""
from __future__ import annotations

import numpy as np

from tests.errors.attack import Corpus

ATTACKS = Corpus()
V = np.array([0.3, -0.8, 1.1])


def attack(function):
    ATTACKS.add(function, V)
    return function


@attack
def inserted_a2(x):
    y = x * 2.0
    a = [y]
    a.insert(0, x * x)
    return np.sum(a[0] * a[1] * y)


@attack
def inserted_a4(x):
    y = x * 2.0
    a = [y]
    b = [a]
    a.insert(0, x * x)
    y[0] = 3.0
    return np.sum(b[0][0] * b[0][1] * y)


@attack
def inserted_a5(x):
    y = x * 2.0
    a = [y, x]
    z = a[1]
    a.insert(0, x * x)
    return np.sum(a[0] * a[1] * z)


@attack
def restructured_b1(x):
    y = x * 2.0
    a = [x]
    a += [y]
    y[0] = 3.0
    return np.sum(a[0] * a[1] * y)


@attack
def restructured_b2(x):
    y = x * 2.0
    a = [x, y]
    z = a[1]
    a[1][0] = 4.0
    a.insert(0, x * x)
    return np.sum(a[0] * a[1] * z)


@attack
def restructured_b4(x):
    a = [x * 2.0, x]
    z = a[0]
    a *= 2
    a[2] = x * x
    return np.sum(a[0] * a[2] * a[3] * z)


@attack
def restructured_b5(x):
    a = [x * 2.0, x]
    a *= 2
    a[2][0] = 4.0
    return np.sum(a[0] * a[2] * a[3])


@attack
def restructured_b6(x):
    a = [x * 2.0, x]
    z = a[0]
    del a[0]
    return np.sum(a[0] * z)


@attack
def restructured_b7(x):
    a = [x * 2.0, x]
    z = a[0]
    a.reverse()
    return np.sum(a[0] ** 2 * z)


@attack
def restructured_b8(x):
    a = [x * 2.0, x]
    z = a[0]
    a[0:1] = [x * x, x ** 3]
    return np.sum(a[0] ** 2 * z)


@attack
def restructured_b9(x):
    d = {'a': x * 2.0, 'b': x}
    z = d['a']
    d.update({'a': x * x})
    return np.sum(d['a'] ** 2 * z)


@attack
def restructured_b10(x):
    d = {'a': x * 2.0, 'b': x}
    z = d.pop('a')
    d['a'] = x ** 3
    return np.sum(d['a'] ** 2 * z)


@attack
def restructured_b12(x):
    d = {'a': x * 2.0, 'b': x}
    z = d['a']
    d.clear()
    d['b'] = x ** 3
    return np.sum(d['b'] ** 2 * z)


@attack
def restructured_b13(x):
    a = [x * 2.0, x]
    z = a[0]
    b = [a, a]
    b[0].insert(0, x * x)
    return np.sum(b[1][0] ** 2 * z * a[1])


@attack
def restructured_b14(x):
    y = x * 3.0
    a = [y, x]
    a.sort(key=lambda v: np.sum(v))
    y[0] = 5.0
    return np.sum(a[0] ** 2 * y)


@attack
def restructured_b16(x):
    a = [x * 2.0, x]
    z = a[0]
    a.clear()
    return np.sum(z)


@attack
def restructured_b17(x):
    y = x * 2.0
    a = [y]
    b = a
    b.insert(0, x ** 3)
    return np.sum(a[0] ** 2 * y * len(a))


@attack
def restructured_b19(x):
    y = x * 2.0
    a = [y]
    for i in range(3):
        z = a[0]
        a.insert(0, z * x)
        z[0] = 3.0
    return np.sum(a[0] ** 2 * y * len(a))


@attack
def shared_parts_b2(x):
    a = [x * 2.0, x]
    a = a + a
    a[2][0] = 4.0
    return np.sum(a[0] * a[2] * a[3])


@attack
def shared_parts_b4(x):
    a = [x * 2.0, x]
    a += a
    a[2][0] = 4.0
    return np.sum(a[0] * a[2] * a[3])


@attack
def shared_parts_b5(x):
    a = [x * 2.0, x]
    a.append(a[0])
    a[2][0] = 4.0
    return np.sum(a[0] * a[2] * a[1])


@attack
def shared_parts_b6(x):
    a = [x * 2.0, x]
    a.insert(0, a[0])
    a[0][0] = 4.0
    return np.sum(a[0] * a[2] * a[1])


@attack
def shared_parts_b8(x):
    a = [x * 2.0]
    a[1:] = a
    a[0][0] = 4.0
    return np.sum(a[0] * a[1])


@attack
def shared_parts_b9(x):
    y = x * 2.0
    d = {'a': y}
    d.update({'b': d['a']})
    d['a'][0] = 4.0
    return np.sum(d['b'] * y * d['a'])


@attack
def shared_parts_b12(x):
    y = x * 2.0
    a = [y, x, y]
    b = a[:2]
    b[0][0] = 4.0
    return np.sum(a[2] * a[0])


@attack
def shared_parts_b16(x):
    y = x * 2.0
    a = [y, x]
    b = sorted(a, key=np.sum)
    b[0][0] = 4.0
    return np.sum(a[1] * a[0])


@attack
def shared_parts_b18(x):
    y = x * 2.0
    d = {'a': y, 'b': x}
    e = [v for v in d.values()]
    e[0][0] = 4.0
    return np.sum(d['a'] * d['b'])


@attack
def shared_parts_b21(x):
    y = x * 2.0
    d = {}
    v = d.setdefault('a', y)
    v[0] = 4.0
    return np.sum(d['a'] * y)


@attack
def shared_parts_b25(x):
    a = [x * 2.0, x * 3.0]
    b = tuple(a)
    b[0][0] = 4.0
    return np.sum(a[0] * a[1] ** 2)


@attack
def held_twice_b2(x):
    y = x * 2.0
    a = []
    a.append(y)
    a.append(y)
    a[0][0] = 4.0
    return np.sum(a[0] * a[1])


@attack
def held_twice_b3(x):
    y = x * 2.0
    a = [y]
    b = [y]
    a += b
    a[1][0] = 4.0
    return np.sum(a[0] * a[1])


@attack
def held_twice_b4(x):
    y = x * 2.0
    a = [y]
    b = [y]
    c = a + b
    c[1][0] = 4.0
    return np.sum(c[0] * c[1])


@attack
def held_twice_b6(x):
    y = x * 2.0
    a = []
    for i in range(3):
        a.append(y)
    a[1][0] = 4.0
    return np.sum(a[0] + a[1] * a[2])


@attack
def held_twice_b8(x):
    y = x * 2.0
    a = [y]
    t = tuple(a)
    t[0][0] = 4.0
    return np.sum(a[0] * y)


@attack
def held_twice_b10(x):
    y = x * 2.0
    a = (y, y) + (x,)
    a[0][0] = 4.0
    return np.sum(a[1] * a[2])


@attack
def held_twice_b12(x):
    y = x * 2.0
    a = tuple([y, x])
    a[0][0] = 4.0
    return np.sum(a[1] * y)


@attack
def held_twice_b16(x):
    y = x * 2.0
    a = list(zip([y], [x]))
    a[0][0][0] = 4.0
    return np.sum(y)


@attack
def held_twice_c1(x):
    a = [x * 1.0, x * 2.0, x * 3.0]
    for k in range(1, 3):
        a[k] = a[k - 1]
    a[2][0] = 5.0
    return np.sum(a[0] * a[1])


@attack
def held_twice_c2(x):
    a = [x * 1.0, x * 2.0, x * 3.0]
    for k in range(2):
        a[k], a[k + 1] = (a[k + 1], a[k])
    a[2][0] = 5.0
    return np.sum(a[0] * a[1] ** 2 * a[2])


@attack
def held_twice_c6(x):
    b = []
    a = [x * 1.0, x * 2.0, x * 3.0]
    for k in range(3):
        b.append(a[k])
    for k in range(3):
        b.append(a[k])
    b[0][0] = 4.0
    return np.sum(b[0] * b[3])


@attack
def held_twice_c8(x):
    a = [x * 1.0, x * 2.0, x * 3.0]
    prev = a[2]
    for k in range(3):
        a[k][0] = prev[1] * 2.0
        prev[2] = a[k][1]
        prev = a[k]
    return np.sum(a[0] * a[1] * a[2])


@attack
def held_twice_d1(x):
    y = x * 2.0
    a = []
    a.append(y)
    a.append(y)
    a.append(x * 3.0)
    a.append(x)
    a[0][0] = 4.0
    return np.sum(a[0] * a[1])


@attack
def held_twice_d2(x):
    y = x * 2.0
    a = []
    for k in range(3):
        a.append(y)
        a.append(x * k)
    a[0][0] = 4.0
    return np.sum(a[0] * a[2] + a[1])
