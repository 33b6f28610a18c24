"""Programs and changes of what they read, by the kind of what changes: (text that defines f, statements that change something).

`f` takes one float; the gradient after the change must be that of the function as it is then.
"""

from tests.kinds.stale_functions import STALE as STALE_FUNCTIONS

HEADER = """import abc, collections, dataclasses, enum, functools, types
import numpy as np
import sourcegrad as sg
"""

STALE = STALE_FUNCTIONS | {
    "None becomes a number": ("""
scale = None
def f(x):
    return x * x * scale if scale is not None else x * x
""", "scale = 5.0"),
    "a number becomes None": ("""
scale = 5.0
def f(x):
    return x * x * scale if scale is not None else x * x
""", "scale = None"),
    "a number becomes an array": ("""
W = 2.0
def f(x):
    return np.sum(np.ones(2) * x * W)
""", "W = np.array([[1.0, 2.0], [3.0, 4.0]])"),
    "an array becomes a number": ("""
W = np.ones((2, 3))
def f(x):
    return np.sum(x * W)
""", "W = 2.0"),
    "another rank": ("""
W = np.ones(3)
def f(x):
    return np.sum(np.ones(3) * x * W)
""", "W = np.ones((4, 3))"),
    "one element": ("""
W = np.ones(3)
def f(x):
    return np.sum(np.array([x, 2 * x, 3 * x]) * W)
""", "W = np.array([5.0])"),
    "shape set in place": ("""
W = np.ones(4)
def f(x):
    return np.sum((x * W) @ W.T)
""", "W = W.reshape(2, 2)"),
    "another order": ("""
W = np.arange(6.0).reshape(2, 3)
def f(x):
    return np.sum((x * W).ravel('K')[:2])
""", "W = np.asfortranarray(W)"),
    "another dtype": ("""
W = np.ones(3)
def f(x):
    return np.sum(np.real(x * W))
""", "W = 1j * np.ones(3) + 2"),
    "an int": ("""
n = 3.0
def f(x):
    return x ** n
""", "n = 2"),
    "a flag": ("""
on = True
def f(x):
    return x * x if on else 3 * x
""", "on = False"),
    "a text": ("""
mode = 'square'
def f(x):
    return x * x if mode == 'square' else 3 * x
""", "mode = 'line'"),
    "a text of equal hash": ("""
mode = 'a'
def f(x):
    return x * x if mode == 'a' else 3 * x
""", "mode = 'b'"),
    "a list becomes a tuple of others": ("""
ws = [1.0, 2.0]
def f(x):
    s = 0.0
    for w in ws:
        s = s + w * x * x
    return s
""", "ws = (1.0, 2.0, 3.0)"),
    "functions in a list": ("""
fs = [np.sin, np.cos]
def f(x):
    for g in fs:
        x = g(x)
    return x
""", "fs[1] = np.exp"),
    "functions in a dict": ("""
fs = {'a': np.sin}
def f(x):
    return fs['a'](x)
""", "fs['a'] = lambda x: x ** 3"),
    "a flag in a dict": ("""
cfg = {'mode': True}
def f(x):
    return x * x if cfg['mode'] else 3 * x
""", "cfg['mode'] = False"),
    "None in a dict": ("""
cfg = {'w': None}
def f(x):
    return x * x if cfg['w'] is None else cfg['w'] * x
""", "cfg['w'] = 4.0"),
    "a dict in a list": ("""
cfgs = [{'w': None}]
def f(x):
    return x * x if cfgs[0]['w'] is None else cfgs[0]['w'] * x
""", "cfgs[0]['w'] = 4.0"),
    "a tuple of functions": ("""
fs = (np.sin,)
def f(x):
    return fs[0](x)
""", "fs = (np.exp,)"),
    "an attribute of a global object": ("""
class C: pass
c = C(); c.w = None
def f(x):
    return x * x if c.w is None else c.w * x
""", "c.w = 4.0"),
    "an object of another class": ("""
class C:
    def run(s, x): return x * x
class D:
    def run(s, x): return x ** 3
c = C()
def f(x):
    return c.run(x)
""", "c = D()"),
    "__class__ of a global object": ("""
class C:
    def run(s, x): return x * x
class D:
    def run(s, x): return x ** 3
c = C()
def f(x):
    return c.run(x)
""", "c.__class__ = D"),
    "a global of a callee": ("""
k = None
def g(x):
    return x if k is None else k * x
def f(x):
    return g(x) * x
""", "k = 3.0"),
    "a closure cell": ("""
def make():
    s = None
    def f(x):
        return x * x if s is None else s * x
    def put(v):
        nonlocal s
        s = v
    return f, put
f, put = make()
""", "put(3.0)"),
    "a closure cell of a callee": ("""
def make():
    s = None
    def g(x):
        return x * x if s is None else s * x
    def put(v):
        nonlocal s
        s = v
    return g, put
g, put = make()
def f(x):
    return g(x) * x
""", "put(3.0)"),
    "a module attribute": ("""
m = types.ModuleType('m'); m.k = None
def f(x):
    return x * x if m.k is None else m.k * x
""", "m.k = 3.0"),
    "a method in a module": ("""
m = types.ModuleType('m')
class C:
    k = 2.0
    def g(s, x): return s.k * x
    def h(s, x): return x ** 3
m.g = C().g
def f(x):
    return m.g(x) * x
""", "m.g = C().h"),
    "a class attribute": ("""
class C: k = None
def f(x):
    return x * x if C.k is None else C.k * x
""", "C.k = 4.0"),
    "an inherited class attribute": ("""
class B: k = None
class C(B): pass
def f(x):
    return x * x if C.k is None else C.k * x
""", "C.k = 4.0"),
    "a class attribute by an object": ("""
class C:
    k = None
    def run(s, x): return x * x if s.k is None else s.k * x
c = C()
def f(x):
    return c.run(x)
""", "C.k = 4.0"),
    "a class attribute by type()": ("""
class C:
    k = None
    def run(s, x): return x * x if type(s).k is None else type(s).k * x
c = C()
def f(x):
    return c.run(x)
""", "C.k = 4.0"),
    "a class attribute by __class__": ("""
class C:
    k = None
    def run(s, x): return x * x if s.__class__.k is None else s.__class__.k * x
def f(x):
    return C().run(x)
""", "C.k = 4.0"),
    "a class attribute in a classmethod": ("""
class C:
    k = None
    @classmethod
    def run(cls, x): return x * x if cls.k is None else cls.k * x
def f(x):
    return C.run(x)
""", "C.k = 4.0"),
    "a callable object in a class": ("""
class A:
    def __init__(s, k): s.k = k
    def __call__(s, x): return x * x if s.k is None else s.k * x
class C:
    act = A(None)
def f(x):
    return C.act(x)
""", "C.act.k = 4.0"),
    "a dict in a class": ("""
class C: cfg = {'k': None}
def f(x):
    return x * x if C.cfg['k'] is None else C.cfg['k'] * x
""", "C.cfg['k'] = 4.0"),
    "an attribute of an enum member": ("""
class M(enum.Enum):
    A = 1
    def __init__(s, v): s.k = None
def f(x):
    return x * x if M.A.k is None else M.A.k * x
""", "M.A.k = 4.0"),
    "an enum member": ("""
class M(enum.Enum):
    A = 1
    B = 2
    def __repr__(s): return 'M'
m = M.A
def f(x):
    return x * x if m is M.A else 3 * x
""", "m = M.B"),
    "the method of an enum": ("""
class M(enum.Enum):
    A = 1
    def run(s, x): return x * x
def f(x):
    return M.A.run(x)
""", "M.run = lambda s, x: x ** 3"),
    "super().run": ("""
class B:
    def run(s, x): return x * x
class C(B):
    def run(s, x): return super().run(x) * 1.0
def f(x):
    return C().run(x)
""", "B.run = lambda s, x: x ** 3"),
    "super().run of a global object": ("""
class B:
    def run(s, x): return x * x
class C(B):
    def run(s, x): return super().run(x) * 1.0
c = C()
def f(x):
    return c.run(x)
""", "B.run = lambda s, x: x ** 3"),
    "super() past a class": ("""
class A:
    def run(s, x): return x * x
class B(A): pass
class C(B):
    def run(s, x): return super().run(x) * 1.0
def f(x):
    return C().run(x)
""", "B.run = lambda s, x: x ** 3"),
    "super().__init__": ("""
class B:
    def __init__(s, w): s.w = w
class C(B):
    def __init__(s, w): super().__init__(w)
def f(x):
    return C(x).w * 1.0
""", """
def init(s, w): s.w = w * w
B.__init__ = init
"""),
    "__init__": ("""
class C:
    def __init__(s, w): s.w = w
def f(x):
    return C(x).w * 1.0
""", """
def init(s, w): s.w = w * w
C.__init__ = init
"""),
    "__init__ that is new": ("""
class C:
    w = 3.0
def f(x):
    c = C()
    return c.w * x
""", """
def init(s): s.w = 7.0
C.__init__ = init
"""),
    "__new__ that is new": ("""
class C:
    def __init__(s, w): s.w = w
def f(x):
    return C(x).w * 1.0
""", """
def new(cls, w):
    c = object.__new__(cls)
    return c
C.__new__ = new
def init(s, w): s.w = w * w
C.__init__ = init
"""),
    "__post_init__": ("""
@dataclasses.dataclass
class C:
    w: float
    def __post_init__(s): s.w = 2 * s.w
def f(x):
    return C(x).w * 1.0
""", """
def post(s): s.w = s.w ** 3
C.__post_init__ = post
"""),
    "__getattr__": ("""
class C:
    def __getattr__(s, name): return 2.0
c = C()
def f(x):
    return c.k * x
""", "C.__getattr__ = lambda s, name: 5.0"),
    "__getattr__ that is hidden": ("""
class C:
    def __getattr__(s, name): return 2.0
c = C()
def f(x):
    return c.k * x
""", "C.k = 7.0"),
    "a property": ("""
class C:
    @property
    def k(s): return 2.0
c = C()
def f(x):
    return c.k * x
""", "C.k = property(lambda s: 5.0)"),
    "a property becomes a value": ("""
class C:
    @property
    def k(s): return 2.0
c = C()
def f(x):
    return c.k * x
""", "C.k = 5.0"),
    "the code of a getter": ("""
class C:
    @property
    def k(s): return 2.0
c = C()
def f(x):
    return c.k * x
""", "C.k.fget.__code__ = (lambda s: 5.0).__code__"),
    "a descriptor's __get__": ("""
class D:
    def __get__(s, o, t=None): return 2.0
class C:
    k = D()
c = C()
def f(x):
    return c.k * x
""", "D.__get__ = lambda s, o, t=None: 5.0"),
    "what a descriptor holds": ("""
class D:
    def __init__(s): s.k = None
    def __get__(s, o, t=None): return 2.0 if s.k is None else s.k
class C:
    k = D()
c = C()
def f(x):
    return c.k * x
""", "vars(C)['k'].k = 5.0"),
    "equal descriptors": ("""
@dataclasses.dataclass(frozen=True)
class D:
    name: str
    k: float = dataclasses.field(compare=False)
    def __get__(s, o, t=None): return s.k
class C:
    k = D('a', 2.0)
c = C()
def f(x):
    return c.k * x
""", """
class C:
    k = D('a', 5.0)
c = C()
"""),
}
