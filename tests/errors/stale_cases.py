"""Programs and the change of their module after which the gradient must be another one: (text, change)."""

STALE = {
    "generator that stands in the function": ("""
def powers(x):
    while True:
        yield x
        x = x * x
def others(x):
    while True:
        yield x
        x = x * 3.0
def f(x):
    s = 0.0
    for v in powers(x):
        if s > 1.2:
            break
        s = s + v
    return s
""", 'powers = others'),
    "constant of a generator that stands in the function": ("""
K = 2.0
def powers(x):
    while True:
        yield x
        x = x * K
def f(x):
    s = 0.0
    for v in powers(x):
        if s > 5.0:
            break
        s = s + v
    return s
""", 'K = 3.0'),
    "constant": ("""
K = 2.0
def f(x):
    return K * x * x
""", 'K = 5.0'),
    "constant of another type": ("""
K = 2.0
def f(x):
    return K * x * x
""", 'K = 5'),
    "flag": ("""
FLAG = True
def f(x):
    if FLAG:
        return x * x
    return x
""", 'FLAG = False'),
    "text": ("""
MODE = 'a'
def f(x):
    return x * x if MODE == 'a' else x
""", "MODE = 'b'"),
    "none": ("""
K = None
def f(x):
    return x * x if K is None else K * x
""", 'K = 3.0'),
    "none back": ("""
K = 3.0
def f(x):
    return x * x if K is None else K * x
""", 'K = None'),
    "exponent": ("""
N = 2
def f(x):
    return x ** N
""", 'N = 3'),
    "trip count": ("""
N = 2
def f(x):
    for _ in range(N):
        x = x * x
    return x
""", 'N = 3'),
    "axis": ("""
import numpy as np
A = 0
def f(x):
    y = x * np.array([[1.0, 2.0], [3.0, 4.0]])
    return np.sum(np.sum(y, axis=A)[0] ** 2)
""", 'A = 1'),
    "shape": ("""
import numpy as np
W = np.ones(3)
def f(x):
    return np.sum(W * x * x)
""", 'W = np.ones((2, 4))'),
    "contents": ("""
import numpy as np
W = np.ones(3)
def f(x):
    return np.sum(W * x * x)
""", 'W[0] = 9.0'),
    "list": ("""
W = [1.0, 2.0]
def f(x):
    return sum(W) * x * x
""", 'W.append(5.0)'),
    "list of functions": ("""
F = [lambda y: y * y]
def f(x):
    for g in F:
        x = g(x)
    return x
""", 'F.append(lambda y: y * 3.0)'),
    "dict": ("""
W = {'a': 1.0}
def f(x):
    return W['a'] * x * x
""", "W['a'] = 5.0"),
    "dict keys": ("""
W = {'a': 1.0}
def f(x):
    return sum(W.values()) * x * x
""", "W['b'] = 5.0"),
    "function": ("""
def g(x):
    return x * x
def f(x):
    return g(x)
""", 'g = lambda x: x * x * x'),
    "function of a function": ("""
def h(x):
    return x
def g(x):
    return h(x) * x
def f(x):
    return g(x)
""", 'h = lambda x: x * x * x'),
    "known function": ("""
import math
act = math.sin
def f(x):
    return act(x)
""", 'act = math.cos'),
    "numpy function": ("""
import numpy as np
act = np.sin
def f(x):
    return act(x)
""", 'act = np.cos'),
    "function of numpy's name": ("""
from math import sin
def f(x):
    return sin(x)
""", 'def sin(x):\n    return 7.0 * x'),
    "builtin shadowed later": ("""
def f(x):
    return abs(x) * x
""", 'def abs(x):\n    return 7.0 * x'),
    "builtin sum shadowed later": ("""
def f(x):
    return sum([x, x * x])
""", 'def sum(xs):\n    return 7.0 * xs[0]'),
    "name deleted": ("""
abs = lambda x: 7.0 * x
def f(x):
    return abs(x) * x
""", 'del abs'),
    "module rebound": ("""
import math as m
def f(x):
    return m.sin(x)
""", "import numpy as m\nm = type('m', (), {'sin': staticmethod(lambda x: x * x)})"),
    "class attribute": ("""
class C:
    k = 2.0
def f(x):
    return C.k * x * x
""", 'C.k = 5.0'),
    "class attribute type": ("""
class C:
    k = None
def f(x):
    return x if C.k is None else x * x
""", 'C.k = 5.0'),
    "static method": ("""
class C:
    @staticmethod
    def g(x):
        return x * x
def f(x):
    return C.g(x)
""", 'C.g = staticmethod(lambda x: x * x * x)'),
    "method": ("""
class C:
    def g(self, x):
        return x * x
c = C()
def f(x):
    return c.g(x)
""", 'C.g = lambda self, x: x * x * x'),
    "attribute": ("""
class C:
    pass
c = C()
c.k = 2.0
def f(x):
    return c.k * x * x
""", 'c.k = 5.0'),
    "attribute of a module": ("""
import types
m = types.ModuleType('m')
m.g = lambda x: x * x
def f(x):
    return m.g(x)
""", 'm.g = lambda x: x * x * x'),
    "constant of a module": ("""
import types
m = types.ModuleType('m')
m.k = 2.0
def f(x):
    return m.k * x * x
""", 'm.k = 5.0'),
    "flag of a module": ("""
import types
m = types.ModuleType('m')
m.k = None
def f(x):
    return x if m.k is None else x * x
""", 'm.k = 5.0'),
    "default": ("""
def f(x, k=2.0):
    return k * x * x
""", 'f.__defaults__ = (5.0,)'),
    "default of a callee": ("""
def g(x, k=2.0):
    return k * x * x
def f(x):
    return g(x)
""", 'g.__defaults__ = (5.0,)'),
    "default type of a callee": ("""
def g(x, k=None):
    return x if k is None else x * x
def f(x):
    return g(x)
""", 'g.__defaults__ = (5.0,)'),
    "keyword default of a callee": ("""
def g(x, *, k=2):
    return k * x * x
def f(x):
    return g(x)
""", "g.__kwdefaults__ = {'k': 5.0}"),
    "code": ("""
def g(x):
    return x * x
def h(x):
    return x * x * x
def f(x):
    return g(x)
""", 'g.__code__ = h.__code__'),
    "own code": ("""
def h(x):
    return x * x * x
def f(x):
    return x * x
""", 'f.__code__ = h.__code__'),
    "closure": ("""
def make():
    k = 2.0
    def put(v):
        nonlocal k
        k = v
    def f(x):
        return k * x * x
    return f, put
f, put = make()
""", 'put(5.0)'),
    "function in a closure": ("""
def make():
    g = lambda x: x * x
    def put(v):
        nonlocal g
        g = v
    def f(x):
        return g(x)
    return f, put
f, put = make()
""", 'put(lambda x: x * x * x)'),
    "closure of a callee": ("""
def make():
    k = 2.0
    def put(v):
        nonlocal k
        k = v
    def g(x):
        return k * x * x
    return g, put
g, put = make()
def f(x):
    return g(x)
""", 'put(5)'),
    "partial": ("""
import functools, operator
g = functools.partial(operator.mul, 2.0)
def f(x):
    return g(x) * x
""", 'g = functools.partial(operator.mul, 5.0)'),
}
