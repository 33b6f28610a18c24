"""Programs that grow in one way each: what generating their gradients costs, at n, at 2 n and at 4 n.

Lines with `*` in front are repeated for i = 0, 1 ... n - 1 (j is i + 1, c a small float), those with `+` as well, each time
further inside; `<<,||{i}>>` is what stands between the bars n times, with commas between. Each text defines `f(x)` of a float.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST = 2.5                              # 2 n may cost so many times what n costs
DOUBLING = ("each function calls the next one twice", "twice, in two branches", "inner functions that call the last one twice",
            "twice, by star-arguments", "objects that hold one object twice")       # 2 ** n for who runs them: not tried at 4 n

TEXTS = """
=== each function calls the next one twice: 8
*def h{i}(x):
*    return h{j}(x) * 0.4 + h{j}(x + 0.01) * 0.5
def h{n}(x):
    return x * x
def f(x):
    return h0(x)
=== twice, once in a loop: 4
*def h{i}(x):
*    s = h{j}(x) * 0.4
*    for i in range(2):
*        s = s + h{j}(x + 0.01) * 0.2
*    return s
def h{n}(x):
    return x * x
def f(x):
    return h0(x)
=== twice, with an array that changes: 4
*def h{i}(a):
*    a[0] = a[0] * 0.9
*    h{j}(a)
*    h{j}(a)
def h{n}(a):
    a[1] = a[1] + 0.1 * a[0]
def f(x):
    a = np.array([x, x * 0.5])
    h0(a)
    return np.sum(a)
=== twice, in two branches: 10
*def h{i}(x):
*    if x > {i}.5:
*        return h{j}(x) * 0.9
*    return h{j}(x + 0.01) + x ** 2
def h{n}(x):
    return x
def f(x):
    return h0(x)
=== twice, by star-arguments: 5
*def h{i}(*args, **options):
*    return h{j}(*args, **options) * 0.9 + h{j}(*args, k=0.5) * 0.1
def h{n}(x, k=1.0):
    return x * x * k
def f(x):
    return h0(x, k=2.0)
=== inner functions that call the last one twice: 6
def f(x):
    g0 = lambda t: t * x
*    g{j} = lambda t: g{i}(t) * 0.4 + g{i}(t * 0.9) * 0.5
    return g{n}(x)
=== a long chain of elif: 15
def f(x):
    if x < 0.001:
        y = x
*    elif x < {i} * 0.061:
*        y = x * {j}.0
    else:
        y = x * x
    return y
=== branches in a row: 12
def f(x):
    y = x
*    if y > {c}:
*        y = y * 0.9
*    else:
*        y = y + 0.1 * x
    return y
=== returns in a row: 12
def f(x):
*    if x < {i} * 0.061:
*        return x * {j}.0
    return x * x
=== exits of a loop: 6
def f(x):
    y = x
    for i in range(3):
*        if y > {i} + 5.0:
*            break
*        y = y * 0.9 + {c}
    return y
=== branches in branches: 8
def f(x):
    y = x
+    if y > 0.00{i}:
        y = y * x
    return y
=== loops in loops: 3
def f(x):
    y = x
+    for i{i} in range(2):
        y = y * 0.999 + 0.001 * x
    return y
=== loops in a row: 8
def f(x):
    y = x
*    for i in range(2):
*        y = y * {c} + x
    return y
=== a loop that carries many numbers: 12
def f(x):
*    y{i} = x * {c}
    for i in range(3):
        <<, ||y{i}>> = <<, ||y{i} * 0.9 + 0.1 * x>>
    return <<+||y{i}>>
=== try in a row: 8
def f(x):
    y = x
*    try:
*        y = y / (1.0 + {c}) + x
*    except ZeroDivisionError:
*        y = x
    return y
=== inner functions of inner functions: 10
def f(x):
    g0 = lambda t: t * x
*    g{j} = lambda t: g{i}(t * 0.9) + {c}
    return g{n}(x)
=== decorators: 6
def scaled(g):
    def inner(*args, **options):
        return g(*args, **options) * 0.9
    return inner
*@scaled
def h(x, k=1.0):
    return x * x * k
def f(x):
    return h(x, k=2.0)
=== calls by keyword: 20
def h(x, a=1.0, b=2.0, c=3.0, d=4.0):
    y = x * a
    y = y + np.sin(b * x)
    y = y * c
    return y / d
def f(x):
    s = 0.0
*    s = s + h(x, b={c}, d=2.0)
    return s
=== a function of many ints: 20
def h(x, i):
    y = x
    for j in range(i % 3):
        y = y * np.sin(x * i)
    if i > 5:
        y = y + i
    return y
def f(x):
    s = 0.0
*    s = s + h(x, {i})
    return s
=== a function of many strings: 20
def h(x, name):
    y = x
    for j in range(2):
        y = y * np.sin(x)
    if name == "n3":
        y = y * 2.0
    return y
def f(x):
    s = 0.0
*    s = s + h(x, "n{i}")
    return s
=== a function with many arguments: 12
def h(<<, ||a{i}>>):
    s = 0.0
*    s = s * 0.5 + a{i}
    for i in range(2):
        s = s * a0
    return s
def f(x):
    return h(<<, ||x * {c}>>) + h(<<, ||x + {c}>>)
=== classes with one method: 8
*class C{i}:
*    def __init__(self, w):
*        self.w = w
*    def step(self, x):
*        return self.w * x + {c}
def f(x):
    s = x
*    s = s * 0.9 + C{i}(x).step(s)
    return s
=== classes in a list: 8
*class C{i}:
*    def __init__(self, w):
*        self.w = w
*    def step(self, x):
*        return self.w * x + {c}
def f(x):
    s = x
    for o in [<<, ||C{i}(x)>>]:
        s = s * 0.5 + o.step(s) * 0.5
    return s
=== classes that inherit: 8
class C0:
    def __init__(self, w):
        self.w = w
    def step(self, x):
        return self.w * x
*class C{j}(C{i}):
*    def step(self, x):
*        return super().step(x) * 0.9 + self.w
def f(x):
    return C{n}(x).step(x)
=== objects that hold objects: 6
*class B{i}:
*    def __init__(self, inner):
*        self.inner = inner
*    def run(self, x):
*        return self.inner.run(x) * 0.9 + 0.1
class Leaf:
    def __init__(self, w):
        self.w = w
    def run(self, x):
        return x * self.w
def f(x):
    b = Leaf(x)
*    b = B{i}(b)
    return b.run(x)
=== objects that hold one object twice: 6
class Box:
    def __init__(self, a, b):
        self.a = a
        self.b = b
def f(x):
    t = Box(x, x)
*    t = Box(t, t)
    return t<<||.a>>.b * x
=== tuples in tuples: 8
def f(x):
    t = (x, x * 0.5)
*    t = (t, x * {c})
    return t<<||[0]>>[1] * t[1]
=== dicts that are merged: 10
def f(x):
    d = {"a": x}
*    d = {{**d, "k{i}": x * {c}}}
    return sum(d.values())
=== keys of a dict: 12
def f(x):
    d = {"a": x}
*    d["k{i}"] = d["a"] * {c}
    return sum(d.values())
=== items of a list: 15
def f(x):
    v = [x]
*    v.append(v[-1] * {c} + x)
    return sum(v)
=== attributes: 12
class S:
    pass
def f(x):
    s = S()
    s.a0 = x
*    s.a{j} = s.a{i} * {c} + x
    return s.a{n}
=== an object that functions change: 5
class State:
    def __init__(self, x):
*        self.a{i} = x * {c}

*def step{i}(s, dt):
*    if s.a{i} > 0.3:
*        s.a{i} = s.a{i} + dt * np.sin(s.a0)
*    else:
*        s.a{i} = s.a{i} * 0.9
*    return s.a{i}
def f(x):
    s = State(x)
    r = 0.0
*    r = r + step{i}(s, 0.1)
    return r
=== elements of an array: 12
def f(x):
    a = np.zeros(200)
    a[0] = x
*    a[{j}] = a[{i}] * {c} + x
    return np.sum(a)
=== views: 10
def f(x):
    a = np.ones((4, 4)) * x
*    v{i} = a[{i} % 4]
*    v{i} *= {c}
    return np.sum(a)
=== straight lines: 60
def f(x):
    y0 = x
*    y{j} = np.sin(y{i}) * {c} + x
    return y{n}
=== one name again and again: 60
def f(x):
    y = x
*    y = np.sin(y) * {c} + x
    return y
=== a long sum: 100
def f(x):
    return <<+||{c} * x>>
=== a long product: 60
def f(x):
    return <<*||(x + {c})>>
=== calls in calls: 30
def f(x):
    return <<||np.sin(>>x<<||)>>
=== a long condition: 30
def f(x):
    if << or ||x > {i}.0>>:
        return x * 2.0
    return x * x
=== conditional expressions: 12
def f(x):
    return <<||x * {i}.0 if x < 0.061 * {i} else >>x * x
=== functions in a list: 10
*def h{i}(x):
*    return x * {c}
def f(x):
    s = x
    for g in [<<, ||h{i}>>]:
        s = s + g(x)
    return s
=== generators of generators: 4
def g0(x):
    for i in range(3):
        yield x * i
*def g{j}(x):
*    for v in g{i}(x):
*        yield v * 0.9 + {c}
def f(x):
    s = 0.0
    for v in g{n}(x):
        s = s + v
    return s
=== comprehensions: 6
def f(x):
    v = [x, x * 2.0]
*    v = [t * {c} + x for t in v]
    return sum(v)
=== functions that call one another around: 4
*def h{i}(x, k):
*    if k <= 0:
*        return x
*    return h{j}(x * 0.9, k - 1) + {c}
def h{n}(x, k):
    return h0(x, k - 1)
def f(x):
    return h0(x, 5)
=== functions that hand functions on: 4
*def h{i}(g, x):
*    return g(x) * 0.9 + h{j}(lambda t: g(t * 0.5), x)
def h{n}(g, x):
    return g(x)
def f(x):
    return h0(lambda t: t * t, x)
=== objects in a dict, star-arguments, a generator and inner functions: 3
class Layer:
    def __init__(self, w, scale):
        self.w = w
        self.parts = {"scale": scale, "bias": 0.1}
    def __call__(self, *args, **options):
        def inner(t):
            return self.w * t * self.parts["scale"] + self.parts["bias"]
        return inner(*args) * options.get("k", 1.0)
def outputs(net, x):
    for name in net:
        x = net[name](x, k=0.9)
        yield x
def f(x):
    net = {<<, ||"l{i}": Layer(x * {c}, x)>>}
    s = 0.0
    for y in outputs(net, x):
        s = s + y
    return s
=== a chain of elif that returns: 16
def h(x, name):
    if name == "none":
        return x
*    elif name == "k{i}":
*        return x * {c}
    return x * x
def f(x):
    return h(x, "k0") + h(x, "k1")
=== a chain of elif in a loop: 12
def f(x):
    y = x
    for k in range({n}):
        if k < 0:
            y = y * x
*        elif k == {i}:
*            y = y * {c} + x
        else:
            y = y + x
    return y
=== methods of one class: 16
class C:
    def __init__(self, w):
        self.w = w
*    def m{i}(self, x):
*        return self.w * x + {c} * np.sin(x)
def f(x):
    o = C(x)
    s = 0.0
*    s = s + o.m{i}(x)
    return s
=== methods that call methods: 12
class C:
    def __init__(self, w):
        self.w = w
*    def m{i}(self, x):
*        return self.w * np.sin(self.m{j}(x)) + {c}
    def m{n}(self, x):
        return x * x
def f(x):
    return C(x).m0(x)
=== properties: 16
class S:
    def __init__(self, x):
        self.x = x
*    @property
*    def p{i}(self):
*        return self.x * {c}
def f(x):
    s = S(x)
    r = 0.0
*    r = r + s.p{i}
    return r
=== parameters: 24
def h(<<, ||a{i}>>):
    return <<+||a{i} * {c}>>
def f(x):
    return h(<<, ||x * {c}>>)
=== a dict with many keys for a function: 16
def h(d):
    s = 0.0
*    s = s + d["k{i}"] * {c}
    return s
def f(x):
    d = {<<, ||"k{i}": x * {c}>>}
    return h(d)
=== stores in a row: 24
def f(x):
    a = np.zeros(300)
*    a[{i} % 300] = x * {c}
    return np.sum(a * a)
=== arrays that a function changes: 6
def g(a, b):
    a[0] = a[0] * b
def f(x):
*    a{i} = np.ones(3) * x
*    g(a{i}, {c})
    return <<+||np.sum(a{i})>>
=== a function that changes many arrays: 6
def g(<<, ||a{i}>>):
*    a{i}[0] = a{i}[1] * {c}
    return 0.0
def f(x):
*    a{i} = np.ones(3) * x
    g(<<, ||a{i}>>)
    return <<+||np.sum(a{i})>>
=== lists that one loop fills: 6
def f(x):
*    v{i} = []
    for k in range(3):
*        v{i}.append(x * k * {c})
        pass
    return <<+||sum(v{i})>>
=== loops that fill a list each: 8
def f(x):
    s = 0.0
*    v{i} = []
*    for k in range(3):
*        v{i}.append(x * k * {c})
*    s = s + sum(v{i})
    return s
=== inner functions side by side: 12
def f(x):
*    def g{i}(t):
*        return t * x + {c}
    s = 0.0
*    s = s + g{i}(x)
    return s
=== an object with many arrays: 5
class P:
    def __init__(self, x):
*        self.a{i} = np.ones(3) * x
    def step(self, h):
*        self.a{i}[0] = self.a{i}[1] * h
        pass
def f(x):
    p = P(x)
    p.step(0.1)
    return <<+||np.sum(p.a{i})>>
=== operators of objects: 8
class P:
    def __init__(self, a, b):
        self.a = a
        self.b = b
    def __add__(self, o):
        return P(self.a + o.a, self.b + o.b)
    def __mul__(self, o):
        return P(self.a * o, self.b * o)
def f(x):
    p = P(x, x)
*    p = p * {c} + p
    return p.a * p.b
=== uses of one value: 40
def f(x):
    y0 = x
*    y{j} = np.sin(y0) * {c} + x
    return <<+||y{i}>>
=== calls with two constants: 5
*def h{i}(x, k):
*    return h{j}(x, 1) * 0.9 + h{j}(x, 2)
def h{n}(x, k):
    return x * x + k
def f(x):
    return h0(x, 1)
"""
SHAPES = {name: (int(n), text) for name, n, text in re.findall(r"=== (.*): (\d+)\n((?:(?!===).*\n)*)", TEXTS)}

PROBE = """
import json, sys, time
sys.path.insert(0, {folder!r})
import sourcegrad as sg
from benchmarks.growth import module
sg.grad(module("def f(x):\\n    return x * x\\n", {folder!r}, "warm").f)(0.73)
f = module({text!r}, {folder!r}, "shape").f
begin = time.process_time()
gradient = sg.grad(f)
found = gradient(0.73)
seconds = time.process_time() - begin
assert abs((f(0.73 + 1e-6) - f(0.73 - 1e-6)) / 2e-6 - found) < 1e-4 * max(1.0, abs(found)), found
print(json.dumps([seconds, len(gradient.source.splitlines())]))
"""


def program(name, n):
    """The text of a shape for so many repetitions."""
    def repeated(template, i):
        return template.format(i=i, j=i + 1, n=n, c=f"{0.1 * (i % 7 + 1):.1f}")

    def within(match):
        return match[1].join(repeated(match[2], i) for i in range(n))

    result, deep = [], 0
    for mark, block in re.findall(r"((?:^\*.*\n)+)|((?:^(?!\*).*\n)+)", SHAPES[name][1], re.M):
        if mark:
            template = re.sub("^[*]", "", mark, flags=re.M)
            result += [repeated(template, i) for i in range(n)]
            continue
        for line in block.splitlines(keepends=True):
            if line[0] == "+":
                result += ["    " * i + repeated(line[1:], i) for i in range(n)]
                deep = n - 1
            else:
                result.append(deep * "    " + re.sub("<<(.*?)\\|\\|(.*?)>>", within, line).replace("{n}", str(n)))
                deep = 0
    return "import numpy as np\n\n\n" + "".join(result)


def module(text, folder, name):
    Path(folder, f"{name}.py").write_text(text)
    return __import__(name)


def probe(name, n, folder):
    """Seconds of the processor for the first gradient of a shape, in a process of its own, and lines of its text."""
    command = [sys.executable, "-c", PROBE.format(folder=str(folder), text=program(name, n))]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path[1:]]))
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message")
    return json.loads(done.stdout.splitlines()[-1])


def growth_rows(folder, times=2, names=tuple(SHAPES)):
    """A row for each shape: milliseconds and lines at n, 2 n and (where Python takes a text so deep) 4 n; the best of so many
    processes."""
    rows = []
    for name in names:
        row = {"function": name, "n": SHAPES[name][0], "ms": {}, "lines": {}, "problems": {}}
        try:
            for label, n in (("n", row["n"]), ("2n", 2 * row["n"]), ("4n", 4 * row["n"])):
                if label == "4n" and (name in DOUBLING or "branches in" in name or "loops in" in name or "exits" in name):
                    continue
                samples = [probe(name, n, folder) for _ in range(times)]
                row["ms"][label], row["lines"][label] = 1e3 * min(seconds for seconds, _ in samples), samples[0][1]
            if row["ms"]["2n"] > MOST * row["ms"]["n"] or row["lines"]["2n"] > MOST * row["lines"]["n"] + 20:
                row["problems"]["emitted"] = f"2 n costs more than {MOST} times n"
        except Exception as error:
            row["problems"]["emitted"] = str(error)
        rows.append(row)
    return rows
