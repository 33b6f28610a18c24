"""What generating a gradient costs is about linear in the size of the program: calls of Python functions, counted at n and 2 n.

Counted, not timed: the figures do not depend on the machine. `python -m benchmarks --generation` measures the time.
"""
import ast
import collections
import cProfile
import gc
import itertools
import pstats
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import sourcegrad as sg
from benchmarks.growth import DOUBLING, MOST, SHAPES, program
from sourcegrad import kinds as k
from sourcegrad.errors import SourceError
from tests.errors.modules import load

SMALL = {name: max(4, n // 4) for name, (n, _) in SHAPES.items()} | {"functions in a list": 8}       # (a few are written out)
numbers = itertools.count()


def generated(folder: Path, text: str) -> tuple[int, int]:
    """Calls while the gradient is generated, and statements of what was; it is right."""
    folder = folder / str(next(numbers))
    folder.mkdir()
    f = load(folder, text).f
    gradient = sg.grad(f)
    profile = cProfile.Profile()
    profile.enable()
    found = gradient(0.73)
    profile.disable()
    assert found == pytest.approx((f(0.73 + 1e-6) - f(0.73 - 1e-6)) / 2e-6, rel=1e-4, abs=1e-6)
    statements = sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(gradient.source)))
    return pstats.Stats(profile).total_calls, statements       # type: ignore[attr-defined]


# Shapes whose cost still grows faster: what is known of many arguments is compared for each call.
STEEPER = 3.4
STEEP = {"a dict with many keys for a function", "a function that changes many arrays", "calls with two constants", "parameters"}


@pytest.mark.parametrize("name", [name for name in SHAPES if name not in DOUBLING])
def test_twice_the_size(tmp_path: Path, name: str) -> None:
    n = SMALL[name]
    (calls, lines), (more, longer) = generated(tmp_path, program(name, n)), generated(tmp_path, program(name, 2 * n))
    most = STEEPER if name in STEEP else MOST
    assert more <= most * calls and longer <= MOST * lines + 40, (calls, more, lines, longer)


@pytest.mark.parametrize("name", DOUBLING)
def test_shapes_that_doubled_with_each_level(tmp_path: Path, name: str) -> None:
    n = SHAPES[name][0] + (6 if "star" in name else 2)       # (of few levels of star-arguments, the first are written out)
    calls, lines = generated(tmp_path, program(name, n))
    more, longer = generated(tmp_path, program(name, n + 4))
    assert more <= 2.0 * calls and longer <= 2.0 * lines, (calls, more, lines, longer)


def test_equal_kinds_are_one_object() -> None:
    def nested(depth: int) -> Any:
        kind: Any = k.Tup((k.FLOAT, k.Num("float64", ("x.0",), True)))
        for _ in range(depth):
            kind = k.Tup((kind, kind))
        return kind

    assert nested(200) is nested(200) and k.forget_sizes(nested(200)) is k.forget_sizes(nested(200))
    assert k.Const(1) is not k.Const(True) and k.Const(0.0) is not k.Const(-0.0) and k.Const("a") is k.Const("a")
    assert k.Dct(((1, k.FLOAT),)) is not k.Dct(((True, k.FLOAT),))
    assert k.Fn(len) is k.Fn(len) and k.Fn(len) is not k.Own(len)


def test_kinds_that_nobody_holds_are_freed() -> None:
    from sourcegrad.kinds.types import KINDS

    before = len(KINDS)
    held = [k.Num("float64", (f"freed.{i}",), True) for i in range(100)]
    assert len(KINDS) >= before + 100
    del held
    assert len(KINDS) < before + 100


@pytest.mark.skipif(sys.version_info < (3, 11), reason="each frame takes some of the stack of C")
def test_expressions_of_many_terms(tmp_path: Path) -> None:
    f = load(tmp_path, program("a long sum", 400)).f
    limit = sys.getrecursionlimit()
    assert sg.grad(f)(0.73) == pytest.approx(f(1.0))
    assert sys.getrecursionlimit() == limit
    too_long = load(tmp_path, program("a long sum", 2000)).f
    with pytest.raises(SourceError, match="nested too deeply"):
        sg.grad(too_long)(0.73)


MUTUAL = '''import numpy as np
def parts(func, a, out, cval, **kw):
    cplx = a.dtype.kind == "c"
    if cplx:
        func(a.real, out=out.real, cval=np.real(cval), **kw)
        func(a.imag, out=out.imag, cval=np.imag(cval), **kw)
    else:
        func(a, out=out.real, cval=cval, **kw)
    return out
def get_out(out, a):
    shape = a.shape
    if out is None:
        out = np.zeros(shape, dtype=a.dtype.name)
    elif isinstance(out, (type, np.dtype)):
        out = np.zeros(shape, dtype=out)
    elif out.shape != shape:
        raise RuntimeError("shape")
    return out
def corr(a, out=None, cval=0.0, axis=-1):
    a = np.asarray(a)
    c = np.iscomplexobj(a)
    out = get_out(out, a)
    if c:
        parts(corr, a, out, cval, axis=axis)
        return out
    tmp = a
    if np.may_share_memory(a, out):
        tmp = out
        out = get_out(out.dtype, a)
    out[...] = a * 2.0
    if tmp is not a:
        tmp[...] = out
        out = tmp
    return out
def f(a):
    return np.sum(corr(a) ** 2)
'''


def test_a_recursion_through_an_argument_is_given_up_soon(tmp_path: Path) -> None:
    import numpy as np

    f = load(tmp_path, MUTUAL).f
    begin = time.process_time()
    try:
        assert np.allclose(sg.grad(f)(np.eye(2)), 8.0 * np.eye(2))
    except sg.errors.UnsupportedError as error:
        assert error.origin is not None and "a, out" in error.remedy
    assert time.process_time() - begin < 20.0                # 2 s on an idle machine


SPECIFIED = '''SPECS = [("a", 1.0), ("b", 2.0)]
class Part:
    def __init__(self, w, h=1.0):
        self.w, self.h = w, h
class Whole:
    def __init__(self, parts):
        self.parts = parts
    def area(self):
        total = 0.0
        for part in self.parts:
            total += part.w * part.h
        return total
def made(scale, w, h=1.0):
    return Part(scale * w, h)
def f(x):
    given = {"a": {"w": x}, "b": {"w": 2.0 * x, "h": x}}
    parts = [made(scale, **given[key]) for key, scale in SPECS]
    return Whole(parts).area()
'''


def test_a_callee_is_looked_at_when_its_arguments_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls with `**given[key]` are written out first: what they give is not known before, nor what is made of it."""
    from sourcegrad.compiler.specialize import Preparation

    seen: dict[Any, set] = {}                               # of each generation: objects as values, or by identity
    lowered = Preparation.lowered

    def look(self: Any, function: Any, kinds: dict, *others: Any) -> Any:
        if function.name == "area":
            seen.setdefault(self, set()).add(tuple(kinds.items()))
        return lowered(self, function, kinds, *others)

    monkeypatch.setattr(Preparation, "lowered", look)
    f = load(tmp_path, SPECIFIED).f
    assert sg.grad(f)(0.73) == pytest.approx((f(0.73 + 1e-6) - f(0.73 - 1e-6)) / 2e-6)
    assert seen and max(map(len, seen.values())) <= 2, seen # (in a loop facts are finished when all of it is known)


def test_generation_leaves_nothing_to_the_garbage_collector_that_holds_trees(tmp_path: Path) -> None:
    f = load(tmp_path, SPECIFIED).f
    gc.collect()
    gc.disable()                                                 # what is garbage stays until it is counted
    try:
        gradient = sg.grad(f)
        gradient(0.73)
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        found = collections.Counter(type(x).__name__ for x in gc.garbage)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not found.keys() & {"Infer", "Memory", "Compiler", "Liveness", "frame"}, found.most_common(20)


def test_what_is_frozen_stays_frozen(tmp_path: Path) -> None:
    f = load(tmp_path, SPECIFIED).f
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        sg.grad(f)(0.73)
        assert gc.isenabled() and gc.get_freeze_count() >= frozen - 1000 > 0       # (some of what is frozen is freed)
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("last", ["return x * x", "raise ValueError(name)", "pass", "x = x * 2.0"])
@pytest.mark.parametrize("mark", ["return x * {i}.5", "x = x * {i}.5", "if x > 0.5:\n            return x * {i}.5"])
@pytest.mark.parametrize("place", ["straight", "loop"])
def test_exits_of_a_chain_are_written_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, mark: str,
                                               place: str) -> None:
    """Each block of n branches is rewritten once: n ** 3 statements before."""
    from sourcegrad.syntax.single_exit import Exits

    blocks: list[int] = []
    block = Exits.block

    def look(self: Any, block_: list, loop: Any) -> Any:
        blocks.append(len(block_))
        return block(self, block_, loop)

    def chain(n: int) -> str:
        lines = ["import numpy as np", "def h(x, name):", "    for _ in range(1):" if place == "loop" else "    if x > 0.0:"]
        for i in range(n):
            lines += [f"        {'el' if i else ''}if name == 'k{i}':", f"            {mark.format(i=i)}".replace(
                "\n            ", "\n                ")]
        lines += ["        else:", f"            {last}", "    return x + 1.0", "def f(x):", "    return h(x, 'k1') + h(x, 'k2')"]
        return "\n".join(lines) + "\n"

    monkeypatch.setattr(Exits, "block", look)
    found = []
    for n in (6, 12, 24):
        blocks.clear()
        folder = tmp_path / str(n)
        folder.mkdir()
        f = load(folder, chain(n)).f
        assert sg.grad(f)(0.73) == pytest.approx((f(0.73 + 1e-6) - f(0.73 - 1e-6)) / 2e-6, rel=1e-5)
        found.append(sum(blocks))
    assert found[2] - found[1] <= 2 * (found[1] - found[0]) + 8, found


FITTED = '''import numpy as np
from scipy.optimize import brentq, least_squares, minimize, root
def vol(k, f, t, alpha, beta, rho, nu):
    """Hagan (2002), lognormal volatility."""
    if k <= 0 or f <= 0:
        return 0.0
    lr, fk = np.log(f / k), (f * k) ** (1 - beta)
    a = (1 - beta) ** 2 * alpha ** 2 / (24 * fk)
    b = 0.25 * rho * beta * nu * alpha / fk ** 0.5
    c = (2 - 3 * rho ** 2) * nu ** 2 / 24
    v, w = (1 - beta) ** 2 * lr ** 2 / 24, (1 - beta) ** 4 * lr ** 4 / 1920
    z = nu * fk ** 0.5 * lr / alpha
    top = alpha * (1 + (a + b + c) * t) / (fk ** 0.5 * (1 + v + w))
    if abs(z) > 1e-7:
        return top * z / np.log(((1 - 2 * rho * z + z ** 2) ** 0.5 + z - rho) / (1 - rho))
    return top
class Sabr:
    def __init__(self, f, beta=0.5, t=1.0):
        self.f, self.beta, self.t = f, beta, t
        self.alpha, self.rho, self.nu = 0.05, -0.2, 0.3
    def smile(self, ks, p):
        return np.array([vol(k, self.f, self.t, p[0], self.beta, p[1], p[2]) for k in ks])
    def fit(self, ks, vs):
        def loss(p):
            return np.sum((self.smile(ks, p) - vs) ** 2)
        FIT
        return self.alpha + self.rho + self.nu
def f(x):
    ks, vs = np.array([0.02, 0.03, 0.04]), np.array([0.3, 0.25, 0.24])
    return Sabr(x).fit(ks, vs)
def g(x):
    s = Sabr(x)
    return vol(0.03, s.f, s.t, s.alpha, s.beta, s.rho, s.nu) + vol(x, s.f, s.t, s.alpha, s.beta, s.rho, s.nu)
'''
FITS = ["self.alpha, self.rho, self.nu = minimize(loss, np.array([0.05, 0.0, 0.3])).x",
        "self.alpha = minimize(loss, np.array([0.05, 0.0, 0.3]), method='L-BFGS-B',"
        " bounds=[(1e-4, None), (-0.9, 0.9), (0, 1)]).x[0]",
        "self.alpha = minimize(loss, np.array([0.05, 0.0, 0.3]), method='SLSQP', constraints=[]).x[0]",
        "self.alpha, self.rho, self.nu = least_squares(lambda p: self.smile(ks, p) - vs, [0.05, 0.0, 0.3]).x",
        "self.alpha = root(lambda p: self.smile(ks, p) - vs, [0.05, 0.0, 0.3]).x[0]",
        "self.alpha = brentq(lambda a: self.smile(ks, [a, 0.0, 0.3])[0] - vs[0], 1e-3, 1.0)"]


@pytest.mark.parametrize("fit", FITS)
def test_a_model_that_a_library_fits_is_decided_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fit: str) -> None:
    """A call of a library leads to hundreds of functions, most of them for other arguments: 612 before (700 with SciPy 1.15, where
    the first that is refused comes late)."""
    from sourcegrad.compiler.specialize import Preparation
    from sourcegrad.ir.effort import FOLLOWED, FUNCTION

    seen: list[str] = []
    newly = Preparation.newly_prepared

    def look(self: Any, function: Any, kinds: dict, top: bool) -> Any:
        seen.append(function.name)
        return newly(self, function, kinds, top)

    monkeypatch.setattr(Preparation, "newly_prepared", look)
    module = load(tmp_path, FITTED.replace("FIT", fit))
    try:
        found = sg.grad(module.f)(0.031)        # (at 0.03 a branch stands for a limit)
    except sg.errors.SourcegradError as refusal:
        assert refusal.origin is not None
    else:
        exact = "root(" in fit or "brentq(" in fit          # what a minimiser finds is too rough for differences
        assert found == pytest.approx((module.f(0.031 + 1e-6) - module.f(0.031 - 1e-6)) / 2e-6, rel=1e-3 if exact else 2.0)
    assert len(seen) < FOLLOWED // FUNCTION + 120, collections.Counter(seen).most_common(5)
    slope = (module.g(0.035 + 1e-7) - module.g(0.035 - 1e-7)) / 2e-7
    assert sg.grad(module.g)(0.035) == pytest.approx(slope, rel=1e-5)


def test_lists_that_a_loop_fills_are_found_in_one_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    import gast

    from sourcegrad.ir import tree as t
    from sourcegrad.lowering.containers import filled_at_once

    def block(n: int) -> list:
        return gast.parse("".join(f"v{i} = []\nfor k in r:\n    v{i}.append(k)\n    w = x\nz = v{i}\n" for i in range(n))).body

    seen = [0]
    reads = t.header_reads

    def counted(s: Any) -> list:
        seen[0] += 1
        return reads(s)

    monkeypatch.setattr(t, "header_reads", counted)
    found = []
    for n in (20, 40):
        seen[0] = 0
        assert filled_at_once(block(n)) == {f"v{i}" for i in range(n)}
        found.append(seen[0])
    assert found[1] == 2 * found[0]
    for text in ("v = []\nfor v in r:\n    v.append(1)\n", "v = []\nv.append(0)\nfor k in r:\n    v.append(k)\n",
                 "v = []\nfor k in r:\n    v.append(v)\n", "v = []\nfor k in r:\n    v.append(k)\nv.append(2)\n",
                 "v = []\nfor k in r:\n    v.append(k)\nv = []\nfor k in r:\n    v.append(k)\n",
                 "v = []\nfor k in v:\n    v.append(k)\n", "v = []\nwhile r:\n    v.append(k)\n",
                 "v = []\nfor k in r:\n    v.append(k)\n    y = v.pop()\n"):
        assert filled_at_once(gast.parse(text).body) == set(), text
