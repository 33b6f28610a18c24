"""As in `stale_programs`: methods, functions, modules and containers that change after the first call."""

STALE = {
    "a static method": ("""
class C:
    @staticmethod
    def g(x): return x * x
def f(x):
    return C.g(x)
""", "C.g = staticmethod(lambda x: x ** 3)"),
    "a class method": ("""
class C:
    @classmethod
    def g(cls, x): return x * x
def f(x):
    return C.g(x)
""", "C.g = classmethod(lambda cls, x: x ** 3)"),
    "a method becomes an attribute of the object": ("""
class C:
    def g(s, x): return x * x
c = C()
def f(x):
    return c.g(x)
""", "c.g = lambda x: x ** 3"),
    "__call__": ("""
class C:
    def __call__(s, x): return x * x
c = C()
def f(x):
    return c(x)
""", "C.__call__ = lambda s, x: x ** 3"),
    "__add__": ("""
class C:
    def __init__(s, v): s.v = v
    def __add__(s, o): return C(s.v + o.v)
def f(x):
    return (C(x) + C(x * x)).v
""", "C.__add__ = lambda s, o: C(s.v * o.v)"),
    "__radd__ before it": ("""
class C:
    def __init__(s, v): s.v = v
    def __add__(s, o): return C(s.v + o.v)
class D(C): pass
def f(x):
    return (C(x) + D(x * x)).v
""", "D.__radd__ = lambda s, o: C(s.v * o.v)"),
    "__iter__": ("""
class C:
    def __init__(s, v): s.v = v
    def __iter__(s): return iter([s.v, s.v])
def f(x):
    return sum([v * v for v in C(x)])
""", "C.__iter__ = lambda s: iter([s.v])"),
    "__getitem__": ("""
class C:
    def __init__(s, v): s.v = v
    def __getitem__(s, k): return s.v
def f(x):
    return C(x)[0] * 1.0
""", "C.__getitem__ = lambda s, k: s.v ** 3"),
    "__len__": ("""
class C:
    def __len__(s): return 2
c = C()
def f(x):
    return x ** len(c)
""", "C.__len__ = lambda s: 3"),
    "__bool__ that is new": ("""
class C: pass
c = C()
def f(x):
    return x * x if c else 3 * x
""", "C.__bool__ = lambda s: False"),
    "__eq__ that is new": ("""
class C: pass
c, d = C(), C()
def f(x):
    return x * x if c == d else 3 * x
""", "C.__eq__ = lambda s, o: True"),
    "__contains__": ("""
class C:
    def __contains__(s, k): return True
c = C()
def f(x):
    return x * x if 1 in c else 3 * x
""", "C.__contains__ = lambda s, k: False"),
    "__enter__": ("""
class C:
    def __enter__(s): return 2.0
    def __exit__(s, *a): pass
def f(x):
    with C() as k:
        return k * x
""", "C.__enter__ = lambda s: 5.0"),
    "__setattr__ that is new": ("""
class C: pass
def f(x):
    c = C()
    c.v = x
    return c.v * 1.0
""", """
def put(s, n, v): object.__setattr__(s, n, v * v)
C.__setattr__ = put
"""),
    "the bases of a class": ("""
class A:
    def run(s, x): return x * x
class B:
    def run(s, x): return x ** 3
class C(A): pass
def f(x):
    return C().run(x)
""", "C.__bases__ = (B,)"),
    "an abstract method": ("""
class A(abc.ABC):
    @abc.abstractmethod
    def run(s, x): ...
class C(A):
    def run(s, x): return x * x
c = C()
def f(x):
    return c.run(x)
""", "C.run = lambda s, x: x ** 3"),
    "the default of a method": ("""
class C:
    def run(s, x, k=None): return x * x if k is None else k * x
c = C()
def f(x):
    return c.run(x)
""", "C.run.__defaults__ = (4.0,)"),
    "what a decorator holds": ("""
def twice(g):
    k = {'n': None}
    @functools.wraps(g)
    def wrapper(x): return g(x) if k['n'] is None else k['n'] * g(x)
    wrapper.k = k
    return wrapper
@twice
def g(x):
    return x * x
def f(x):
    return g(x)
""", "g.k['n'] = 4.0"),
    "a partial that is a global": ("""
o = {'k': None}
def h(x, o): return x * x if o['k'] is None else o['k'] * x
g = functools.partial(h, o=o)
def f(x):
    return g(x)
""", "o['k'] = 4.0"),
    "the keywords of a partial": ("""
def h(x, k): return x ** k
g = functools.partial(h, k=2.0)
def f(x):
    return g(x)
""", "g.keywords['k'] = 3.0"),
    "a bound method that is a global": ("""
class C:
    k = None
    def run(s, x): return x * x if s.k is None else s.k * x
c = C()
g = c.run
def f(x):
    return g(x)
""", "c.k = 4.0"),
    "a cached function": ("""
@functools.cache
def g(x): return x * x
def f(x):
    return g(x)
""", "g = lambda x: x ** 3"),
    "single dispatch": ("""
@functools.singledispatch
def g(x): return x * x
def f(x):
    return g(x)
""", "g.register(float, lambda x: x ** 3)"),
    "a custom derivative": ("""
@sg.custom_vjp
def g(x): return x * x
g.defvjp(lambda x: (x * x, x), lambda x, ct: (2 * x * ct,))
def f(x):
    return g(x)
""", """
def h(x): return x ** 3
g = h
"""),
    "a default dict": ("""
def f(x, cfg={'mode': 'square'}):
    return x * x if cfg['mode'] == 'square' else 3 * x
""", "f.__defaults__[0]['mode'] = 'line'"),
    "a default list": ("""
def f(x, ws=[1.0]):
    return sum([w * x * x for w in ws])
""", "f.__defaults__[0].append(2.0)"),
    "a default list of flags": ("""
def f(x, ws=[True]):
    return x * x if ws[0] else 3 * x
""", "f.__defaults__[0][0] = False"),
    "a default object": ("""
class C: flag = True
c = C(); c.flag = True
def f(x, c=c):
    return x * x if c.flag else 3 * x
""", "c.flag = False"),
    "a default keyword dict": ("""
def f(x, *, cfg={'mode': 'square'}):
    return x * x if cfg['mode'] == 'square' else 3 * x
""", "f.__kwdefaults__['cfg']['mode'] = 'line'"),
    "a default array": ("""
def f(x, w=np.ones(4)):
    return np.sum((x * w) @ w)
""", "f.__defaults__ = (np.ones((2, 2)),)"),
    "a default function": ("""
def f(x, g=np.sin):
    return g(x)
""", "f.__defaults__ = (np.exp,)"),
    "a default dict of a callee": ("""
def g(x, cfg={'k': None}):
    return x * x if cfg['k'] is None else cfg['k'] * x
def f(x):
    return g(x)
""", "g.__defaults__[0]['k'] = 4.0"),
    "a default dict of a method": ("""
class C:
    def g(s, x, cfg={'k': None}): return x * x if cfg['k'] is None else cfg['k'] * x
c = C()
def f(x):
    return c.g(x)
""", "C.g.__defaults__[0]['k'] = 4.0"),
    "a partial": ("""
o = {'k': 2.0}
def h(x, o): return x * x if o['k'] is None else x * o['k']
f = functools.partial(h, o=o)
""", "o['k'] = None"),
    "a partial with a flag": ("""
o = {'k': True}
def h(x, o): return x * x if o['k'] else x * 5
f = functools.partial(h, o=o)
""", "o['k'] = False"),
    "a partial by position": ("""
o = {'k': True}
def h(o, x): return x * x if o['k'] else x * 5
f = functools.partial(h, o)
""", "o['k'] = False"),
    "keywords of a partial": ("""
def h(x, k): return x * x if k is None else k * x
f = functools.partial(h, k=None)
""", "f.keywords['k'] = 4.0"),
    "a partial of a partial": ("""
o = {'k': True}
def h(a, o, x): return a * x * x if o['k'] else x * 5
f = functools.partial(functools.partial(h, 2.0), o)
""", "o['k'] = False"),
    "a partial of a method": ("""
class C:
    k = None
    def h(s, a, x): return a * x * x if s.k is None else s.k * x
c = C()
f = functools.partial(c.h, 2.0)
""", "c.k = 4.0"),
    "a bound method": ("""
class C:
    k = None
    def run(s, x): return x * x if s.k is None else s.k * x
c = C()
f = c.run
""", "c.k = 4.0"),
    "a bound method and its class": ("""
class C:
    k = None
    def run(s, x): return x * x if s.k is None else s.k * x
c = C()
f = c.run
""", "C.k = 4.0"),
    "a callable object": ("""
class C:
    def __init__(s): s.k = None
    def __call__(s, x): return x * x if s.k is None else s.k * x
f = C()
""", "f.k = 4.0"),
    "a decorated function": ("""
def twice(g):
    @functools.wraps(g)
    def wrapper(*a): return g(*a) * (1.0 if K is None else K)
    return wrapper
K = None
@twice
def f(x):
    return x * x
""", "K = 4.0"),
    "what a default factory reads": ("""
K = [None]
def make():
    return K[0]
@dataclasses.dataclass
class P:
    v: float
    k: object = dataclasses.field(default_factory=make)
def f(x):
    p = P(x)
    return x * x if p.k is None else p.k * x
""", "K[0] = 4.0"),
    "the default of a namedtuple": ("""
P = collections.namedtuple("P", "a b", defaults=[None])
def f(x):
    p = P(x)
    return x * x if p.b is None else p.b * x
""", "P.__new__.__defaults__ = (4.0,)"),
    "the value of an enum member": ("""
class M(enum.Enum):
    A = {"k": None}
def f(x):
    return x * x if M.A.value["k"] is None else M.A.value["k"] * x
""", "M.A.value['k'] = 4.0"),
    "an attribute of a function": ("""
def g(x):
    return x * x if g.k is None else g.k * x
g.k = None
def f(x):
    return g(x)
""", "g.k = 4.0"),
    "a custom derivative given again": ("""
@sg.custom_vjp
def g(x):
    return x * x
g.defvjp(lambda x: (x * x, x), lambda x, ct: (2 * x * ct,))
def f(x):
    return g(x)
""", "g.defvjp(lambda x: (x * x, (x,)), lambda saved, ct: (2 * saved[0] * ct,))"),
    "the class in a dict": ("""
class A:
    def run(s, x): return x * x
class B:
    def run(s, x): return x ** 3
classes = {"a": A}
def f(x):
    return classes["a"]().run(x)
""", "classes['a'] = B"),
    "a class method as function": ("""
class C:
    k = None
    @classmethod
    def run(cls, x): return x * x if cls.k is None else cls.k * x
f = C.run
""", "C.k = 4.0"),
    "a class that is registered": ("""
class Scaled(abc.ABC): pass
class C: pass
o = C()
def f(x):
    return 3.0 * x if isinstance(o, Scaled) else x * x
""", "Scaled.register(C)"),
    "a class that is registered in a tuple": ("""
class Scaled(abc.ABC): pass
class Other(abc.ABC): pass
class C:
    def run(s, x): return 3.0 * x if isinstance(s, (Other, Scaled)) else x * x
o = C()
def f(x):
    return o.run(x)
""", "Other.register(C)"),
    "a class that is registered, asked by issubclass": ("""
class Scaled(abc.ABC): pass
class C: pass
def f(x):
    return 3.0 * x if issubclass(C, Scaled) else x * x
""", "Scaled.register(C)"),
    "a number is registered": ("""
class Scaled(abc.ABC): pass
def f(x):
    return 3.0 * x if isinstance(x, Scaled) else x * x
""", "Scaled.register(float)"),
    "an abstract class of a module": ("""
m = types.SimpleNamespace(Scaled=abc.ABCMeta("Scaled", (), {}))
class C: pass
def f(x):
    return 3.0 * x if isinstance(C(), m.Scaled) else x * x
""", "m.Scaled.register(C)"),
    "a gradient inside": ("""
k = None
def h(x): return x ** 3 if k is None else k * x * x
g = sg.grad(h)
def f(x):
    return g(x) * x
""", "k = 4.0"),
    "a function known when it runs": ("""
k = None
def h(x): return x ** 3 if k is None else k * x * x
fs = {1: h}
def f(x):
    i = int(x * 0) + 1
    return fs[i](x) * x
""", "k = 4.0"),
}
