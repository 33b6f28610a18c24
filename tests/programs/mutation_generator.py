"""Random in-place programs against sourcegrad.

`python -m tests.programs.mutation_generator --count N --seed S [--show] [--jobs J]` prints how many programs are right,
refused and WRONG, why programs are refused, and every WRONG program made small with both gradients.
"""
from __future__ import annotations

import argparse
import collections
import functools
import multiprocessing
import random
import re
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.programs.mutation_expressions import Shape
from tests.programs.mutation_oracle import DISCARDED, OK, REFUSED, WRONG, Case, Verdict, judge
from tests.programs.mutation_shrink import shrunk
from tests.programs.mutation_writer import COMMON, SHAPES, Writer

LARGER: dict[Shape, tuple] = {          # a base and views of it that all have the shape
    (3,): ((4,), ("base[1:]", "base[:-1]", "base[:3]", "base[::-1][1:]")),
    (4,): ((4,), ("base", "base[::-1]", "base[:]")),
    (2, 2): ((2, 2), ("base", "base.T", "base[::-1]")),
    (3, 3): ((3, 3), ("base", "base.T")),
    (2, 3): ((3, 3), ("base[1:]", "base[:2]", "base[:2]", "base.T[:2]", "base[::2]")),
    (2,): ((3, 2), ("base[0]", "base[1]", "base[0]", "base[:2, 1]")),
}


def generated(seed: int) -> Case:
    """The program of a number; the same on every run."""
    rng = random.Random(seed)
    noise = np.random.default_rng(seed)
    writer = Writer(rng)
    writer.share = writer.pick([30, 50, 70, 85])
    names = "abc"[:writer.pick([1, 2, 2, 3])]
    first = writer.pick(SHAPES)
    shapes: dict[str, Shape] = {name: first if writer.chance(50) else writer.pick(SHAPES) for name in names}
    shapes["a"] = first

    groups: dict[Shape, list[str]] = collections.defaultdict(list)
    for name in names:
        groups[shapes[name]].append(name)
    bases: list[np.ndarray] = []
    views: dict[str, tuple[int, str]] = {}
    together = writer.chance(20)
    for shape, members in groups.items():
        if together and len(members) > 1:
            size, texts = LARGER.get(shape, (shape, ("base",)))
            same = writer.chance(40)
            for name in members:
                views[name] = (len(bases), texts[0] if same else writer.pick(texts))
            bases.append(noise.uniform(-1.2, 1.2, size))
        else:
            for name in members:
                size, texts = LARGER.get(shape, (shape, ("base",))) if writer.chance(15) else (shape, ("base",))
                views[name] = (len(bases), writer.pick(texts))
                bases.append(noise.uniform(-1.2, 1.2, size))
    if writer.chance(8):
        k = rng.randrange(len(bases))
        bases[k] = bases[k].astype(np.float32)

    outputs: tuple[str, ...] = ()
    result: Shape | None = writer.pick([(), (), (), writer.pick(COMMON)])
    if writer.chance(20):
        outputs = (names,) if len(names) == 1 else tuple(rng.sample(names, writer.pick([1, 1, 2])))
        result = None
    with_count, with_scalar = writer.chance(30), writer.chance(15)
    text = writer.module(shapes, with_count, with_scalar, result)
    others = ((rng.randrange(4),) if with_count else ()) + ((round(rng.uniform(-1, 1), 3),) if with_scalar else ())

    case = Case(text, tuple(bases), tuple(views[name] for name in names), others, tuple(names), outputs, seed=seed,
                with_value=not outputs and writer.chance(25))
    changes: dict[str, Any] = {}
    if not case.is_shared:
        if writer.chance(25):
            changes["inputs"] = tuple(sorted(rng.sample(names, rng.randrange(1, len(names) + 1))))
        if writer.chance(20) and not case.is_single and len(text) < 1100:
            changes["order"] = 2
    return Case(**{**vars(case), **changes})


def kind(reason: str) -> str:
    """A reason without the names and numbers of the program."""
    return re.sub(r"`[^`]*`|'[^']*'|\b[a-z]+\d+\b|\b\d+\b", "_", reason)[:110]


def tried(generated: Callable[[int], Case], seed: int) -> tuple[int, Verdict]:
    return seed, judge(generated(seed))


def run(generated: Callable[[int], Case], seeds: range, jobs: int = 1) -> list[tuple[int, Verdict]]:
    one = functools.partial(tried, generated)
    if jobs == 1:
        return list(map(one, seeds))
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=50) as pool:
        return sorted(pool.imap_unordered(one, seeds, chunksize=20), key=lambda item: item[0])


def of_matrices(seed: int, writer: Callable, first: str) -> Case:
    """The program of two matrices that a writer writes for a number; the same on every run. first: where `a` lies in memory."""
    noise = np.random.default_rng(seed)
    bases = tuple(noise.uniform(0.1, 0.9, (2, 3, 3)))
    return Case(writer(random.Random(seed)).program(), bases, ((0, first), (1, "base")), (1.5,), ("a", "b"), seed=seed,
                order=2 if seed % 10 == 0 else 1, with_value=seed % 10 != 0)


def report(case: Case, verdict: Verdict) -> str:
    return f"{case}\n\n{verdict.outcome}: {verdict.reason}\n{verdict.details}"


def main(generated: Callable[[int], Case] = generated) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="one program, by the seed that a report shows")
    parser.add_argument("--show", action="store_true", help="print every program")
    parser.add_argument("--shrink", type=float, default=20.0, metavar="SECONDS", help="per WRONG program (20)")
    parser.add_argument("--most", type=int, default=20, help="how many WRONG programs to shrink (20)")
    options = parser.parse_args()
    start = time.monotonic()
    if options.only is not None:
        seeds = range(options.only, options.only + 1)
    else:
        seeds = range(options.seed * 1_000_000, options.seed * 1_000_000 + options.count)
    verdicts = run(generated, seeds, options.jobs)
    if options.show or options.only is not None:
        for seed, verdict in verdicts:
            print(report(generated(seed), verdict), end="\n\n" + "-" * 80 + "\n")
    counts = collections.Counter(verdict.outcome for _, verdict in verdicts)
    rate = len(verdicts) / (time.monotonic() - start)
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in (OK, REFUSED, WRONG, DISCARDED)) + f" ({rate:.0f} programs/s)")
    for outcome in (REFUSED, WRONG, DISCARDED):
        reasons = collections.Counter(kind(verdict.reason) for _, verdict in verdicts if verdict.outcome == outcome)
        if reasons:
            print(f"\n{outcome}:")
        for reason, count in reasons.most_common():
            print(f"{count:6}  {reason}")
    for seed, verdict in [item for item in verdicts if item[1].outcome == WRONG][:options.most]:
        print("\n" + "-" * 80 + "\n" + report(*shrunk(generated(seed), verdict, options.shrink)))
    return 1 if counts[WRONG] else 0


if __name__ == "__main__":
    sys.exit(main())
