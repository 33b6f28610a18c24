"""Functions that objects keep and that capture them, constructors that exec made, attributes that are made when first read."""
from __future__ import annotations

import dataclasses
import functools
import sys

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.places import by_differences, programs_of, suite_of

X = np.array([0.7, -1.3, 2.1, 0.4])
V = np.array([0.3, 1.0, -0.5, 2.0])


class Holder:
    def __init__(self, w):
        self.w = w
        self.f = lambda v: np.tanh(v * self.w)
        self.g = lambda v, k=2.0: self.f(v) * k + self.w[0]

    def run(self, x):
        return np.sum(self.g(x) ** 2)


def lambda_on_self(x):
    return Holder(x * 2.0).run(x)


H = Holder(np.array([0.5, 1.0, -0.4, 0.2]))


def lambda_on_global_self(x):
    return H.run(x)


class Later:
    def __init__(self, w):
        self.w = w

    def build(self):
        self.act = lambda v: v * self.w + self.b
        self.b = self.w[0]
        return self

    def __call__(self, x):
        for _ in range(2):
            x = self.act(x)
        return x


def lambda_on_self_later(x):
    return np.sum(Later(x).build()(x * x))


class Dispatch:
    def __init__(self, k):
        self.k = k
        self.table = {"a": lambda v: v * self.k, "b": lambda v: v ** 2 + self.k}

    def run(self, v, names):
        for n in names:
            v = self.table[n](v)
        return v


def lambda_table_on_self(x):
    return np.sum(Dispatch(x[0]).run(x, ["a", "b", "a"]))


def lambda_table_changed(x):
    d = Dispatch(x[0])
    d.k = d.k * x[1]
    return np.sum(d.run(x, ["a", "b", "a"]))


class InnerDef:
    def __init__(self, x):
        self.scale = x
        def helper(v):
            return v * self.scale
        self.helper = helper

    def go(self, y):
        return np.sum(self.helper(self.helper(y)))


def def_on_self(x):
    return InnerDef(x).go(x + 1.0)


def lambda_on_self_changed(x):
    h = Holder(x)
    h.w = h.w * 2.0
    return h.run(x)


def lambda_on_list_of_selves(x):
    hs = [Holder(x * (k + 1.0)) for k in range(3)]
    s = 0.0
    for h in hs:
        s = s + np.sum(h.f(x))
    return s


class Part(Holder):
    def __init__(self, w):
        super().__init__(w)
        self.h = functools.partial(self.scaled, k=2.0)

    def scaled(self, v, k):
        return self.w * v * k


def partial_on_self(x):
    return np.sum(Part(x).h(x))


def make_init(names):
    ns = {}
    exec("def __init__(self, %s):\n%s" % (", ".join(names), "\n".join("    self.%s = %s" % (n, n) for n in names)), ns)
    return ns["__init__"]


class Made:
    __init__ = make_init(["a", "b"])

    def val(self):
        return np.sum(self.a * self.b)


def exec_init(x):
    return Made(x, b=x * 2.0).val()


def make_init2():
    ns = {}
    exec("def __init__(self, a, b=2.0):\n    self.a = a\n    self.b = b\n    self.__post__()\n", ns)
    return ns["__init__"]


class Made2:
    __init__ = make_init2()

    def __post__(self):
        self.c = self.a * self.b


def exec_init_post(x):
    return np.sum(Made2(x).c ** 2)


def my_attrs(cls):
    names = list(cls.__annotations__)
    ns = {}
    lines = [f"    self.{n} = {n}" for n in names]
    args = [n + (f"=_d_{n}" if n in cls.__dict__ else "") for n in names]
    g = {f"_d_{n}": cls.__dict__[n] for n in names if n in cls.__dict__}
    if hasattr(cls, "__attrs_post_init__"):
        lines.append("    self.__attrs_post_init__()")
    code = compile(f"def __init__(self, {', '.join(args)}):\n" + "\n".join(lines), f"<attrs generated init {cls.__name__}>", "exec")
    exec(code, g, ns)
    cls.__init__ = ns["__init__"]
    return cls


@my_attrs
class Gas:
    n: float
    t: float = 2.0

    def pressure(self, v):
        return self.n * self.t / v


def attrs_like(x):
    return np.sum(Gas(x[0]).pressure(x)) + Gas(1.0, x[1]).pressure(x[2])


def attrs_like_list(x):
    gs = [Gas(x[k], x[k] ** 2) for k in range(3)]
    s = 0.0
    for g in gs:
        g.n = g.n * 2.0
        s = s + g.pressure(x[3])
    return s


def frozen_attrs(cls):
    names = list(cls.__annotations__)
    ns = {}
    lines = ["    _setattr = _cached_setattr_get(self)"] + [f"    _setattr('{n}', {n})" for n in names]
    text = f"def __init__(self, {', '.join(names)}):\n" + "\n".join(lines)
    code = compile(text, f"<attrs generated init {cls.__name__}>", "exec")
    exec(code, {"_cached_setattr_get": object.__setattr__.__get__}, ns)
    cls.__init__ = ns["__init__"]
    def frozen(self, name, value):
        raise AttributeError(name)
    cls.__setattr__ = frozen
    return cls


@frozen_attrs
class Ice:
    a: float
    b: float

    def f(self):
        return np.sum(self.a * self.b)


def attrs_like_frozen(x):
    return Ice(x, x * x).f()


def init_with_converter(cls):
    ns = {}
    given = {"conv": np.asarray, "check": True, "val": lambda s, a: None}
    exec("def __init__(self, a):\n    self.a = conv(a)\n    if check:\n        val(self, a)\n", given, ns)
    cls.__init__ = ns["__init__"]
    return cls


@init_with_converter
class Conv:
    pass


def attrs_like_converter(x):
    return np.sum(Conv(x).a ** 2)


@dataclasses.dataclass
class Data:
    a: np.ndarray
    b: float = 2.0
    c: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.d = self.a * self.b


def data_class(x):
    return np.sum(Data(x, x[0]).d)


@dataclasses.dataclass(frozen=True, slots=True)
class DataF:
    a: np.ndarray
    b: float = 2.0


def data_class_frozen(x):
    d = dataclasses.replace(DataF(x), b=x[1])
    return np.sum(d.a * d.b)


def transform(cls=None, **kw):
    def wrap(c):
        return dataclasses.dataclass(c, eq=False)
    return wrap(cls) if cls else wrap


@transform
class Tr:
    a: float
    b: float = 1.0


def transformed_class(x):
    return np.sum(Tr(x).a ** 2 * Tr(x, x[0]).b)


class Cached:
    def __init__(self, x):
        self.x = x
        self._n = None

    @property
    def norm(self):
        if self._n is None:
            self._n = np.sqrt(np.sum(self.x ** 2))
        return self._n

    @functools.cached_property
    def total(self):
        return np.sum(self.x ** 3)

    def lazy(self):
        if not hasattr(self, "_l"):
            self._l = self.x * self.norm
        return self._l


def lazy_property(x):
    c = Cached(x)
    return c.norm * c.norm + c.norm


def cached_property(x):
    c = Cached(x * 2.0)
    return c.total * c.total


def cached_property_stale(x):
    c = Cached(x)
    a = c.total
    c.x = c.x * 2.0
    return a * c.total


def lazy_hasattr(x):
    c = Cached(x)
    return np.sum(c.lazy() * c.lazy())


def cached_in_loop(x):
    cs = [Cached(x * (1.0 + k)) for k in range(2)]
    s = 0.0
    for c in cs:
        s = s + c.total * c.total
    return s


def lazy_in_loop(x):
    cs = [Cached(x * (1.0 + k)) for k in range(2)]
    s = 0.0
    for _ in range(2):
        for c in cs:
            s = s + c.norm * c.total
    return s


class LazyGet:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        if name == "sq":
            self.sq = self.x ** 2
            return self.sq
        raise AttributeError(name)


def lazy_getattr(x):
    c = LazyGet(x)
    return np.sum(c.sq * c.sq)


class TryLazy:
    def __init__(self, x):
        self.x = x

    @property
    def sq(self):
        try:
            return self._sq
        except AttributeError:
            self._sq = self.x ** 2
        return self._sq


def lazy_try(x):
    c = TryLazy(x)
    return np.sum(c.sq * c.sq)


class DictCache:
    def __init__(self, x):
        self.x = x
        self._cache = {}

    def get(self, k):
        if k not in self._cache:
            self._cache[k] = self.x ** k
        return self._cache[k]


def dict_cache(x):
    c = DictCache(x)
    return np.sum(c.get(2) * c.get(3) + c.get(2))


class lazyprop:
    def __init__(self, f):
        self.f = f
        self.name = "_lazy_" + f.__name__

    def __get__(self, obj, cls=None):
        if obj is None:
            return self
        v = self.f(obj)
        setattr(obj, self.f.__name__, v)
        return v


class WithDescriptor:
    def __init__(self, x):
        self.x = x

    @lazyprop
    def cube(self):
        return self.x ** 3


def lazy_descriptor(x):
    c = WithDescriptor(x)
    return np.sum(c.cube * c.cube)


class Outside(Cached):
    pass


O = Outside(np.arange(4.0))


def cached_outside(x):
    return np.sum(x * x) * O.total


class Own:
    def __init__(self, c):
        self.c = c

    def solve(self, f, v):
        for _ in range(3):
            v = f(v)
        return v

    def run(self, x):
        f = lambda v: np.sin(v) * self.c
        self.r = self.solve(f, x)
        self.c = self.c * 2.0
        return np.sum(f(x) * self.r)


def closure_after_store(x):
    return Own(x).run(x)


def closure_list_change(x):
    fs = []
    y = x * 2.0
    fs.append(lambda v: v * y)
    y[0] = x[1]
    return np.sum(fs[0](x))


def closure_dict_change(x):
    d = {"w": x}
    def f(v):
        return v * d["w"]
    fs = [f]
    d["w"] = x ** 2
    a = np.sum(fs[0](x))
    d["w"] = d["w"] * 2.0
    return a * np.sum(fs[0](x))


class Counter:
    def __init__(self, x):
        self.x = x
        self.n = 0.0
        self.tick = lambda: self.bump(2.0)

    def bump(self, k):
        self.n = self.n + k * np.sum(self.x)
        return self.n


def closure_changes_self(x):
    c = Counter(x)
    a = c.tick() * c.tick()
    return a + c.n


class Net:
    def __init__(self, ws):
        self.ws = ws
        self.layers = [lambda v, w=w: np.tanh(v * w + self.bias) for w in ws]
        self.bias = ws[0] * 0.5

    def __call__(self, v):
        for f in self.layers:
            v = f(v)
        return v


def closure_layers(x):
    n = Net([x, x * 2.0])
    a = np.sum(n(x))
    n.bias = n.bias * x
    return a * np.sum(n(x))


def closure_outside_object(x):
    h = Holder(x)
    g = h.f
    h.w = x ** 2
    return np.sum(g(x))


def closure_two_objects(x):
    a, b = Holder(x), Holder(x * 2.0)
    a.f = b.f
    b.w = b.w * x
    return np.sum(a.f(x)) + np.sum(a.g(x))


class Swap:
    def __init__(self, w):
        self.w = w
        self.set_mode("a")

    def set_mode(self, m):
        if m == "a":
            self.act = lambda v: v * self.w
        else:
            self.act = lambda v: v + self.w * self.w


def closure_modes(x):
    s = Swap(x)
    a = s.act(x)
    s.set_mode("b")
    return np.sum(a * s.act(x))


def as_argument(obj, v):
    obj.w = obj.w * 3.0
    return obj.f(v)


def closure_passed(x):
    h = Holder(x)
    r = as_argument(h, x)
    return np.sum(r * h.f(x))


class Appended:
    def __init__(self, w):
        self.w = w
        self.fs = []
        self.fs.append(lambda v: v * self.w)
        self.fs.append(lambda v: v + self.w)

    def run(self, v):
        for f in self.fs:
            v = f(v)
        return v


def closure_appended(x):
    a = Appended(x)
    r = a.run(x)
    a.w = a.w * x
    return np.sum(r * a.run(x))


class InTuple:
    def __init__(self, w):
        self.w = w
        self.fs = (lambda v: v * self.w, lambda v: v + self.w)


def closure_in_tuple(x):
    a = InTuple(x)
    f, g = a.fs
    a.w = a.w * x
    return np.sum(f(x) * g(x) * a.fs[0](x))


class InDict:
    def __init__(self, w):
        self.w = w
        self.fs = {"m": lambda v: v * self.w, "p": lambda v: v + self.w}


def closure_in_dict(x):
    a = InDict(x)
    r = a.fs["m"](x)
    a.w = a.w * x
    return np.sum(r * a.fs["p"](x))


class Box:
    pass


def closure_set_from_outside(x):
    b = Box()
    b.w = x
    b.f = lambda v: v * b.w
    r = b.f(x)
    b.w = x ** 2
    return np.sum(r * b.f(x))


def closure_via_other(x):
    a, b = Box(), Box()
    a.w = x
    b.f = lambda v: v * a.w
    a.other = b
    a.w = a.w * 2.0
    return np.sum(a.other.f(x))


def closure_maker_method(x):
    class_ = Fac(x)
    f = class_.make(2.0)
    class_.w = class_.w * x
    return np.sum(f(x))


class Fac:
    def __init__(self, w):
        self.w = w

    def make(self, k):
        self.calls = 0.0
        def f(v):
            self.calls = self.calls + np.sum(v)
            return v * self.w * k + self.calls
        return f


def closure_in_loop(x):
    s = 0.0
    for k in range(3):
        b = Box()
        b.w = x * (k + 1.0)
        f = lambda v: v * b.w
        b.w = b.w * x
        s = s + np.sum(f(x))
    return s


def closure_bound_method(x):
    h = Fac(x)
    h.m = h.make
    f = h.m(3.0)
    return np.sum(f(x)) * h.calls


def closure_array_store(x):
    y = x * 1.0
    f = [lambda v: v * y]
    y[1:] = x[:-1]
    a = f[0](x)
    y[0] = 3.0 * x[3]
    return np.sum(a * f[0](x))


def closure_array_rebound(x):
    y = x * 1.0
    f = [lambda v: v * y]
    y *= 2.0
    return np.sum(f[0](x))


def closure_list_of_itself(x):
    fs = []
    fs.append(lambda v: v * x)
    fs.append(lambda v: fs[0](v) + x)
    fs[0] = lambda v: v * x * x
    return np.sum(fs[1](x))

REFUSED = {
    "lambda_table_on_self": "whose target is not known", "lambda_table_changed": "whose target is not known",
    "closure_modes": "the method '.act' of a Swap", "closure_appended": "a function that is kept in",
    "closure_list_of_itself": "a function that is kept in 'fs'", "closure_array_rebound": "assigned more than once",
    "cached_property_stale": "a cached property of 'c'", "cached_in_loop": "a cached property of 'c'",
    "lazy_in_loop": "a cached property of 'c'", "lazy_getattr": "the attribute 'sq'", "lazy_descriptor": "a name that is computed"}
test_gradients, test_second_order_and_forward_mode, test_pullbacks, test_refusals = suite_of(
    programs_of(globals()), REFUSED, X, V)


class Fitted:
    def __init__(self):
        self.a, self.b = 1.0, 0.5

    def model(self, p, t):
        return p[0] + p[1] * t

    def fit(self, y):
        from scipy.optimize import least_squares
        t = np.arange(4.0)

        def loss(p):
            return self.model(p, t) - y
        self.a, self.b = least_squares(loss, np.array([1.0, 0.5])).x
        return self


def test_closure_for_a_library_captures_self():
    """Of a function that a library calls once, and whose object gets attributes of what it finds."""
    pytest.importorskip("scipy")
    fits = np.linalg.pinv(np.vander(np.arange(4.0), 2, increasing=True))

    def found(x):
        m = Fitted().fit(x)
        return m.a * m.b

    a, b = fits @ X
    assert np.allclose(sg.grad(found)(X), a * fits[1] + b * fits[0], rtol=1e-6)


def test_a_pullback_in_several_threads():
    """The reverse sweep finds adjoints of lists by their identity and empties them: one thread after the other."""
    from concurrent.futures import ThreadPoolExecutor

    class Log:
        def __init__(self, x):
            self.items = [x * 1.0]
            self.put = lambda v: self.items.append(v)

        def total(self):
            return sum([np.sum(v * v * (k + 1.0)) for k, v in enumerate(self.items)])

    def f(x):
        log = Log(x)
        for k in range(60):
            log.put(np.sin(x) * k)
        return log.total()

    _, pullback = sg.vjp(f, X)
    expected = by_differences(f, X)
    before = sys.getswitchinterval()
    try:
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda k: pullback(1.0), range(64)))
    finally:
        sys.setswitchinterval(before)
    assert all(np.allclose(one[0] if isinstance(one, tuple) else one, expected, rtol=1e-5) for one in found)
