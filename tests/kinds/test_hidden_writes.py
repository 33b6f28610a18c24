"""A call without source that may write into what depends on the inputs is refused, however deep it sits and whatever it returns."""
from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.errors.modules import load
from tests.kinds.outcomes import outcome

HEADER = """
import array, bisect, collections, copy, ctypes, functools, heapq, operator, random, struct
import numpy as np

append, copyto = list.append, np.copyto

class Box:
    def __init__(self, v):
        self.v = v
"""
ARRAY = ("a", "x * 1.0", "np.sum(a * np.arange(1.0, 4.0))")
ARRAYS = ("a, b", "x * 1.0, np.zeros(3)", "np.sum(a * np.arange(2.0, 5.0)) + np.sum(b * np.arange(1.0, 4.0))")
LIST = ("l", "[x[0], x[1], x[2]]", "sum(l) + l[0]")
ITEM = ("l, v", "[x[0], x[1], x[2]], x[0] * 2.0", "sum(l) + l[0]")
OBJECT = ("o, v", "Box(x[0]), x[1] * 3.0", "o.v ** 2")
DICT = ("d, v", "{'a': x[0]}, x[1] * 3.0", "sum(d.values()) ** 2")
WRITES = {
    ARRAY: ["np.random.default_rng(1).shuffle(a)", "np.random.RandomState(1).shuffle(a)", "a.fill(2.0)",
            "np.random.seed(1); np.random.shuffle(a)",
            "np.random.default_rng(1).permuted(a, out=a)", "np.multiply.at(a, [0], 2.0)", "np.put(a, [0], [5.0])", "a.sort()",
            "np.putmask(a, a > 0.5, a * 2)", "np.place(a, a > 0.5, [3.0])", "memoryview(a)[0] = 3.0", "a.partition(1)",
            "ctypes.memset(a.ctypes.data, 0, 8)", "np.frombuffer(a, dtype=a.dtype)[0] = 7.0", "a.byteswap(inplace=True)",
            "np.ndarray(a.shape, a.dtype, buffer=a)[0] = 7.0", "np.ndarray(a.shape, a.dtype, a)[0] = 7.0", "a.flat[0] = 2.0",
            "struct.pack_into('d', a, 0, 4.0)", "a.__setitem__(0, 9.0)", "a.__iadd__(1.0)", "np.nan_to_num(a, copy=False)",
            "np.lib.stride_tricks.as_strided(a, (1,), (8,))[0] = 3.0", "operator.iadd(a, 1.0)", "a.real[0] = 4.0"],
    ARRAYS: ["np.add(a, b, b)", "np.sin(a, out=b)", "np.copyto(b, a)", "copyto(b, a)", "np.take(a, [2, 1, 0], out=b)",
             "np.clip(a, 0.4, 0.8, b)", "np.cumsum(a, 0, None, b)", "np.einsum('i,i->i', a, a, out=b)",
             "np.matmul(np.eye(3), a, b)", "np.add.reduce(np.stack([a, a]), 0, None, b)"],
    LIST: ["random.Random(1).shuffle(l)", "(lambda q: random.Random(1).shuffle(q))(l)", "l.sort()", "l.reverse()",
           "functools.partial(random.Random(1).shuffle, l)()", "heapq.heapify(l)", "list(map(l.append, [1.0, 2.0]))",
           "collections.deque(map(l.append, [1.0]), maxlen=0)", "operator.delitem(l, 0)", "l.__delitem__(0)", "list.reverse(l)",
           "exec('l[0] = 3.0')", "eval('l.append(3.0)')", "list.__init__(l, [9.0])"],
    ITEM: ["append(l, v)", "list.append(l, v)", "list.extend(l, [v])", "list.__setitem__(l, 0, v)", "operator.setitem(l, 0, v)",
           "operator.iadd(l, [v])", "operator.iconcat(l, [v])", "heapq.heappush(l, v)", "bisect.insort(l, v)", "l.insert(0, v)",
           "list.insert(l, 0, v)"],
    OBJECT: ["setattr(o, 'v', v)", "object.__setattr__(o, 'v', v)", "o.__dict__['v'] = v", "vars(o)['v'] = v",
             "o.__dict__.update(v=v)", "operator.attrgetter('__dict__')(o)['v'] = v"],
    DICT: ["dict.update(d, a=v)", "dict.setdefault(d, 'z', v)", "d.__setitem__('a', v)", "dict.__setitem__(d, 'a', v)",
           "operator.setitem(d, 'a', v)"],
}
SCIPY = {ARRAYS: ["blas.dcopy(a, b)", "blas.dswap(a, b)", "blas.daxpy(a, b, a=2.0)",
        "ndimage.gaussian_filter1d(a, 1.0, output=b)", "ndimage.correlate1d(a, [1.0, 2.0], -1, b)", "ndimage.laplace(a, b)",
        "ndimage.map_coordinates(a, [[0.5, 1.2, 1.7]], output=b)", "ndimage.maximum_filter(a, 2, output=b)",
        "distance.pdist(a[:, None], out=b)", "distance.cdist(a[:, None], a[:1, None], out=b[:, None])"],
         ARRAY: ["blas.dscal(2.0, a)"]}
CASES = [(sort, text) for sort, texts in WRITES.items() for text in texts]
FOUND: Counter = Counter()


def program(sort: tuple, text: str, header: str) -> str:
    """The change stands in a helper whose result nobody uses, which another one calls."""
    names, made, result = sort
    return (f"{header}\ndef change({names}):\n    for _ in range(1):\n        pass\n    {text}\n    return 2.0\n\n"
            f"def outer({names}):\n    kept = change({names})\n\n"
            f"def f(x):\n    {names} = {made}\n    outer({names})\n    return {result}\n")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sort, text", CASES, ids=[text for _, text in CASES])
def test_a_change_is_seen_or_refused(tmp_path, sort, text) -> None:
    f = load(tmp_path, program(sort, text, HEADER)).f
    FOUND[outcome(f, np.array([0.3, 0.9, 0.6]))] += 1


@pytest.mark.parametrize("sort, text", [(sort, text) for sort, texts in SCIPY.items() for text in texts])
def test_compiled_functions_of_scipy(tmp_path, sort, text) -> None:
    pytest.importorskip("scipy")
    header = HEADER + "from scipy import ndimage\nfrom scipy.linalg import blas\nfrom scipy.spatial import distance\n"
    assert outcome(load(tmp_path, program(sort, text, header)).f, np.array([0.3, 0.9, 0.6])) == "refused"


MIXING = HEADER + """
def mix(q):
    random.Random(1).shuffle(q)
    return 2

class Mixer:
    def __init__(self, v):
        self.v = v

    def mix(self):
        random.Random(1).shuffle(self.v)

    @property
    def mixed(self):
        random.Random(1).shuffle(self.v)
        return 1.0

    def __len__(self):
        random.Random(1).shuffle(self.v)
        return 3

    def __add__(self, other):
        random.Random(1).shuffle(self.v)
        return other

    def __call__(self, q):
        random.Random(1).shuffle(q)
        return 2

    @staticmethod
    def static(q):
        random.Random(1).shuffle(q)

def f(x):
    l = [x[0], x[1], x[2]]
    b = Mixer(l)
    rng = np.random.default_rng(5)
    i = np.arange(3)
    a = x * 1.0
"""
WAYS = ["b.mix()", "z = b.mixed", "z = len(b)", "z = 1 if len(b) > 2 else 2", "z = b + 1.0", "z = b(l)", "Mixer.static(l)",
        "g = lambda: mix(l)\n    g()", "z = [mix(l) for _ in range(1)]", "z = sum(mix(l) for _ in range(1))",
        "{'m': mix}['m'](l)",
        "if mix(l) > 2:\n        a = 2.0 * a", "z = x[0] > 0 and mix(l) > 2", "z = [1, 2, 3][mix(l)]", "a = a * mix(l)",
        "for _ in range(mix(l)):\n        a = 2.0 * a", "d = {'a': l}\n    mix(d['a'])", "list(map(mix, [l]))", "assert mix(l)",
        "functools.reduce(lambda s, q: s + mix(q), [l], 0)", "rng.standard_normal(out=a)",
        "k = i[0]\n    rng.shuffle(i)\n    a = a * x[k]",
        "for _ in range(3):\n        rng.shuffle(i)\n        a = a * x[i[0]]", "def g():\n        mix(l)\n    g()",
        "try:\n        mix(l)\n    except ValueError:\n        pass", "n = 0\n    while n < 2:\n        n += mix(l)",
        "mix([l, a, b.v][0])",
        "for _ in range(3):\n        rng.random(out=a)\n        l[0] = l[0] * np.sum(a * x)", "i.sort()", "z = f'{mix(l)}'"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", WAYS)
def test_wherever_it_is_called(tmp_path, way) -> None:
    text = MIXING + f"    {way}\n    return l[0] + 2.0 * l[2] + np.sum(a) + x[i[1]] ** 2\n"
    outcome(load(tmp_path, text).f, np.array([0.3, 0.9, 0.6]))


@pytest.mark.parametrize("text", ["np.random.default_rng(1).shuffle(l)", "random.Random(1).shuffle(l)"])
def test_in_the_function_itself(tmp_path, text) -> None:
    f = load(tmp_path, HEADER + f"\ndef f(x):\n    l = [x[0], x[1], x[2]]\n    {text}\n    return l[0] + 2.0 * l[2]\n").f
    assert outcome(f, np.array([1.0, 2.0, 3.0])) == "refused"


def test_a_function_of_an_extension_may_write(tmp_path) -> None:
    """A builtin function of a module that is not known; what it is given is constant, or discrete: it stays a constant."""
    text = HEADER + """
fill = ctypes.pythonapi.PyObject_IsTrue

def touch(a):
    fill(a)

def f(x):
    a = x * 1.0
    touch(a)
    return np.sum(a)
"""
    assert outcome(load(tmp_path, text).f, np.ones(3)) == "refused"


def test_most_are_seen() -> None:
    if sum(FOUND.values()) == len(CASES):                       # (one process has run them all)
        assert FOUND["right"] >= 12 and FOUND["refused"] >= 20
