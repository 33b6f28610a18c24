"""Random programs for sparsity patterns: `python -m tests.programs.sparsity_generator --count 300 --seed 1 [--kinds]`.

Slices, stencils in place, gathers and scatters with repeated indices, masks, products with constants, reductions, sorting, loops
with conditionals, callees. The pattern must have every entry that an oracle sees: a number of the result that changes when a number
of the input moves. Also counted are entries that no point needs; `--kinds` counts them for each statement by itself.
"""
from __future__ import annotations

import argparse
import collections
import linecache
import random
from collections.abc import Callable

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import InternalError, SourcegradError

SIZE, ROWS = 6, 3
HEAD = """\
import numpy as np

C = np.array([[0.5, 0.0, -1.0, 0.0, 0.3, 0.0], [0.0, 2.0, 0.0, 0.0, 0.1, 0.7], [1.0, 0.0, 0.0, 0.4, 0.0, 0.0],
              [0.0, 0.6, 0.0, -0.8, 0.0, 0.2], [0.3, 0.0, 0.9, 0.0, 1.1, 0.0], [0.0, 0.0, 0.2, 0.0, 0.0, 1.3]])
K = np.array([4, 1, 1, 0, 5, 2])
M = np.array([True, False, True, True, False, True])


def smooth(v):
    w = v.copy()
    w[1:-1] = 0.5 * v[1:-1] + 0.25 * (v[:-2] + v[2:])
    return w


def chosen(v, k):
    if v[k] > 0.2:
        return v * v[k]
    return v + v[::-1]


def first(v):
    for item in v:
        if item > 0.0:
            return item * item
    return v[-1]


def f(x):
"""
TRAPEZOID = "np.trapezoid" if hasattr(np, "trapezoid") else "np.trapz"
# expressions by what they give: a vector of six (v) or a matrix of three rows and six columns (m)
VECTORS = [
    "np.sin({v})", "{v} * {v}", "{v} + 0.5 * {v}", "np.tanh({v}) / (1.5 + {v} ** 2)", "{v}[::-1]", "np.roll({v}, 2)",
    "np.abs({v})", "np.concatenate([{v}[3:], {v}[:3]])", "np.concatenate(({v}[:2] * {v}[2:4], {v}[4:], {v}[1:3]))", "{v}[K]",
    "{v}[[0, 0, 3, 3, 1, 2]]", "np.where({v} > 0.1, {v}, {v})", "np.where(M, {v}, 0.3)", "np.maximum({v}, {v})",
    "np.clip({v}, -0.4, 0.6)", "np.cumsum({v})", "C @ {v}", "{v} @ C", "np.dot(C, {v})", "np.sort({v})", "{v}[np.argsort({v})]",
    "np.outer({v}[:2], {v}[1:4]).ravel()", "np.repeat({v}[1:4], 2)", "np.tile({v}[::2], 2)", "np.pad({v}[1:5], 1)",
    "np.pad({v}[1:5], 1, mode='edge')", "np.flip({v})", "np.diff({v}, append=0.2)", "np.diff({v}, prepend={v}[:1])",
    "np.diff(np.concatenate([{v}, {v}[:1]]))", "np.gradient({v})", "np.convolve({v}, np.array([0.5, 0.2, 0.1]), mode='same')",
    "{v} - np.mean({v}[:2])", "{v} * {s}", "{v} + {s}", "smooth({v})", "chosen({v}, 2)",
    "np.stack([{v}[:3], {v}[3:]], axis=1).ravel()", "np.array([{s}, {v}[0], {v}[1], 0.1, {v}[5], {s}])",
    "np.array([{v}[i] * {v}[(i + 1) % 6] for i in range(6)])", "np.take({v}, K)", "np.prod({v}.reshape(3, 2), axis=1).repeat(2)",
    "{m}[1]", "{m}[0] * {m}[2]", "{m}.sum(axis=0)", "np.max({m}, axis=0)", "{m}[:, 2].repeat(2)", "{m}.T[1].repeat(2)",
    "{m}[:, K][1]", "np.mean({m}, axis=0)", "{m}[M[:3]][0]", "np.einsum('ij,ij->j', {m}, {m})",
    "np.einsum('ij,j->i', {m}, {v}).repeat(2)", "({m} @ C)[1]", "np.linalg.norm({m}, axis=0)", "np.prod({m}, axis=0)",
    "{m}.reshape(6, 3)[:, 1]", "np.diag({m} @ {m}.T).repeat(2)", "np.minimum.reduce({m})", "np.var({m}, axis=0)",
    "np.cumsum({m}, axis=1)[2]", "np.sort({m}, axis=0)[1]", "np.ravel({m}.T)[::3]",
    "np.take_along_axis({m}, K[None, :] % 3, axis=0)[0]", "np.interp(np.linspace(0.0, 5.0, 6), np.arange(6.0), {v})",
    TRAPEZOID + "({m}, axis=0)", "np.select([{v} > 0.3, {v} < -0.2], [{v}, {v}], 0.5)",
    "np.append({v}[1:], {v}[0])", "np.split({v}, 2)[1].repeat(2)", "np.flatnonzero({v} > 0.0).size * {v}",
    "{v} / (1.5 + {v}[0] ** 2)", "np.cross({v}.reshape(2, 3), np.array([1.0, 0.5, 2.0])).ravel()", "np.insert({v}[:5], 2, {s})",
    "np.delete(np.append({v}, 0.5), 1)", "np.linalg.solve(C + 3.0 * np.eye(6), {v})",
    "np.kron({v}[:2], np.array([1.0, 0.0, 2.0]))", "np.triu(np.outer({v}, {v}))[1]", "np.hypot({v}, 1.0)", "np.arctan2({v}, 1.5)",
    "np.median({m}, axis=0)", "np.bincount(K, weights={v}, minlength=6)", "np.add.reduce({m}, axis=0)",
    "np.tensordot(C, {v}, axes=1)", "np.inner(C, {v})", "np.ascontiguousarray({v}[::2]).repeat(2)",
    "np.broadcast_to({v}[:1], (6,)) * 2.0", "np.where({m} > 0.0, {m}, -{m})[1]", "np.fmax({v}, 0.1)", "np.nan_to_num({v})",
    "np.logaddexp({v}, 0.3)", "np.square({v})", "np.exp({v} * 0.3)", "np.vstack([{v}, {v}])[1]", "np.hstack([{v}[:4], {v}[4:]])",
    "np.linalg.inv(np.eye(6) + np.diag({v} ** 2)) @ {v}", "np.argmax({v}) * {v}", "np.cumprod(0.5 + {v} * 0.1)",
    "np.ptp({m}, axis=0)"]
MATRICES = [
    "np.outer({v}[:3], {v})", "np.stack([{v}, {v}, {v}])", "{v}[None, :] * np.array([[1.0], [0.0], [2.0]])", "{m} * {v}",
    "{m} + {m}[::-1]", "np.vstack([{v}, {v}[::-1], np.sin({v})])", "np.tile({v}, (3, 1))", "{m} @ C", "np.cumsum({m}, axis=0)",
    "np.concatenate([{m}[1:], {m}[:1]])", "np.roll({m}, 1, axis=1)", "{m} - np.mean({m}, axis=1, keepdims=True)",
    "{m}[[2, 0, 0]]", "np.where({m} > 0.2, {m}, {v})", "{m}.reshape(6, 3).T", "np.tril({m})", "{m} * {m}[:, :1]",
    "np.flip({m}, axis=0)", "np.array([[{v}[i] * {v}[j] for j in range(6)] for i in range(3)])",
    "np.broadcast_to({v}, (3, 6)) + {m}", "{m} / (1.0 + np.sum({m} ** 2, axis=0))", "np.sort({m}, axis=1)",
    "np.einsum('ij,jk->ik', {m}, C)", "np.swapaxes({m}.T, 0, 1)"]
SCALARS = [
    "{v}[0]", "{v}[-2] * 0.5", "np.sum({v}[1:3])", "first({v})", "np.max({v})", "np.mean({v})", "{m}[1, 2]", "{v} @ {v}",
    "np.sum({m}[0])", "np.min({v}[:2])", "float({v}[3])", "np.linalg.norm({v}[:2])", "max({v}[0], {v}[1])",
    "sum([{v}[1], {v}[4]])", "np.trace({m}[:, :3])"]
# statements: `n` is a vector and `g` a matrix of its own, which change
STATEMENTS = [
    "{n}[1:-1] = {v}[2:] - {v}[:-2]", "{n}[1:-1] += 0.3 * ({n}[2:] - {n}[:-2])", "{n}[0] = {s}", "{n}[K] = {v}", "{n}[K] += {v}",
    "np.add.at({n}, K, {v})", "{n}[M] = {v}[M] * 2.0", "{n}[{v} > 0.1] *= 0.5", "{n}[{v} > 0.0] = 0.25", "{n} *= {v}",
    "{n} += {s}", "{n}[::2] = {v}[1::2]", "{n}[2:4] = {s}", "{n}[:] = {v}[::-1]", "{g}[1] = {v}", "{g}[:, 2] = {v}[:3]",
    "{g}[1:, 1:-1] += {g}[:-1, 2:]", "{g}[[0, 2, 0], [1, 1, 3]] += {v}[:3]", "{g}[{g} > 0.3] = 0.1", "{g} -= {v}",
    "{g}[0, 0], {g}[2, 5] = {s}, {v}[4]", "for i in range(1, 6):\n        {n}[i] = {n}[i - 1] * 0.5 + {v}[i]",
    "for i in range(6):\n        if {v}[i] > 0.0:\n            {n}[i] = {v}[i] * {v}[5 - i]\n"
    "        else:\n            {n}[i] += {v}[0]",
    "for i in range(5):\n        if {v}[i] > {v}[i + 1]:\n            {n}[i], {n}[i + 1] = {n}[i + 1], {n}[i]",
    "for row in {g}:\n        row += {v}[:6] * row[0]", "for i, k in enumerate(K):\n        {n}[k] += {v}[i]",
    "if {v}[2] > {v}[3]:\n        {n} = {n} * {v}[1]\n    else:\n        {n} = {n} + {v}[::-1]",
    "i = 0\n    while i < 4 and {v}[i] < 0.5:\n        {n}[i + 1] -= {v}[i]\n        i += 1",
    "parts = []\n    for i in range(0, 6, 2):\n        parts.append({v}[i] * {v}[i + 1])\n    {n}[:3] = np.array(parts)",
    "a, b = {v}[:3], {v}[3:]\n    {n}[:3], {n}[3:] = b * a, a", "np.multiply({v}, {v}, out={n})", "{n}[1:] = np.diff({v})",
    "table = {{'a': {v}, 'b': {v}[::-1]}}\n    {n} = {n} + table['b'] * 0.5", "{n} = smooth(smooth({n}))", "{n}.sort()",
    "{n}[:] = np.sort({v})"]

RESULTS = ["np.concatenate([{v}, {n}, {g}.ravel()])", "{v} + {n}", "{g} * {v}", "{g}[1] + {n}", "{v}", "{m}"]


def filled(form: str, r: random.Random, names: dict[str, list[str]]) -> str:
    """A form with names, and expressions that are numbers, in it."""
    own, grid = r.choice(names["n"]), r.choice(names["g"])
    parts = form.replace("{n}", own).replace("{g}", grid).replace("{{", "\0").replace("}}", "\1").split("{")
    text = parts[0]
    for part in parts[1:]:
        text += filled(r.choice(SCALARS), r, names) if part[0] == "s" else r.choice(names[part[0]])
        text += part[2:]
    return text.replace("\0", "{").replace("\1", "}")


def start() -> tuple[dict[str, list[str]], list[str]]:
    return {"v": ["x", "n"], "m": ["g"], "n": ["n"], "g": ["g"]}, ["n = np.zeros(6)", "g = np.zeros((3, 6))"]


def text_of(seed: int) -> str:
    """A random program."""
    r = random.Random(seed)
    names, lines = start()
    lines[1] = r.choice(["g = np.zeros((3, 6))", "g = np.outer(x[:3], np.ones(6))", "g = np.vstack([x, 0.0 * x, x[::-1]])"])
    for k in range(r.randint(3, 7)):
        sort = r.choice("vvmss")
        if sort == "s":
            lines.append(filled(r.choice(STATEMENTS), r, names))
            continue
        lines.append(f"{sort}{k} = {filled(r.choice(VECTORS if sort == 'v' else MATRICES), r, names)}")
        names[sort].append(f"{sort}{k}")
        if r.random() < 0.3:
            lines.append(f"{'n' if sort == 'v' else 'g'}{k} = {sort}{k}.copy()")
            names["n" if sort == "v" else "g"].append(f"{'n' if sort == 'v' else 'g'}{k}")
    result = filled(r.choice(RESULTS), r, names)
    return HEAD + "".join(f"    {line}\n" for line in lines) + f"    return {result}\n"


def kinds() -> dict[str, str]:
    """A program for each form."""
    found = {}
    for sort, forms in (("v", VECTORS), ("m", MATRICES), ("s", SCALARS), ("n", STATEMENTS)):
        for form in forms:
            names, lines = start()
            names.update({"v": ["x"], "n": ["n"]})
            lines = ["n = x * 0.9", "g = np.vstack([x, 0.5 * x[::-1], np.roll(x, 1)])"]
            text = filled(form.replace("{s}", "x[2]"), random.Random(0), names)
            lines += [text] if sort == "n" else [f"r = {text}"]
            lines.append({"n": "return np.concatenate([n, g.ravel()])", "s": "return np.array([r])"}.get(sort, "return r"))
            found[form] = HEAD + "".join(f"    {line}\n" for line in lines)
    return found


def function_of(text: str, name: str) -> Callable:
    file = f"<sparsity {name}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space: dict = {}
    exec(compile(text, file, "exec"), space)
    return space["f"]                                                                                   # type: ignore[no-any-return]


def moved(f: Callable, x: np.ndarray) -> np.ndarray:
    """Which numbers of the result change, to the bit, when a number of the input moves a little."""
    at = np.ravel(f(x.copy()))
    found = np.zeros((at.size, x.size), bool)
    for j in range(x.size):
        for step in (3.1e-7, -2.7e-7):
            y = x.copy()
            y[j] += step
            found[:, j] |= np.ravel(f(y)) != at
    return found


def points(seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1.0, 1.0, SIZE) for _ in range(3)]


def verdict(text: str, seed: int) -> tuple[str, str, int, int]:
    """ "right", "refused", "MISSED" or "WRONG", and what is wrong; how many entries the patterns have, and how many they need."""
    f = function_of(text, str(seed))
    had, needed = 0, 0
    try:
        matrix = sg.jacobian(f, sparse=True)
        for x in points(seed):
            with np.errstate(all="ignore"):
                pattern, seen = sg.sparsity(f, x.copy()).toarray(), moved(f, x)
                found, dense = matrix(x.copy()).toarray(), sg.jacobian(f)(x.copy()).reshape(seen.shape)
            needed_here = seen | (dense != 0.0)
            had, needed = had + int(pattern.sum()), needed + int(needed_here.sum())
            if (needed_here & ~pattern).any():
                return "MISSED", f"at {x}: {np.argwhere(needed_here & ~pattern).tolist()}", had, needed
            if not np.allclose(found, dense, rtol=1e-8, atol=1e-10, equal_nan=True):
                return "WRONG", f"at {x}: {found} is not {dense}", had, needed
    except SourcegradError as error:
        wrong = error.origin is None or isinstance(error, InternalError)
        return ("WRONG" if wrong else "refused"), str(error), had, needed
    return "right", "", had, needed


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--kinds", action="store_true", help="each form by itself")
    given = options.parse_args()
    programs = kinds() if given.kinds else {str(seed): text_of(seed) for seed in range(given.seed, given.seed + given.count)}
    counted: collections.Counter = collections.Counter()
    for name, text in programs.items():
        found, problem, had, needed = verdict(text, 0 if given.kinds else int(name))
        counted.update({found: 1, "entries": had, "needed": needed, "needlessly dense": found == "right" and had > needed})
        if found in ("MISSED", "WRONG") or given.kinds and (found != "right" or had > needed):
            print(name, found, f"{had} entries, {needed} needed", problem, *([] if given.kinds else [text]), sep="\n", flush=True)
    print(dict(counted))


if __name__ == "__main__":
    main()
