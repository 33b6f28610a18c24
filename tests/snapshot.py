"""The emitted texts and the refusals of all corpora, to be compared before and after a change that should leave them alone.

    python -m tests.snapshot write FILE             # (outside of the repository: some 20 MB)
    python -m tests.snapshot compare FILE [--diff]  # which differ; the exit code is 1 if any does
    python -m tests.snapshot compare FILE --share 3/20      # the third of 20 shares only, in seconds instead of minutes

Of each program the text of the first derivative, and of the second where it declares one; of a refused one the message.
"""
from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import json
import multiprocessing
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sourcegrad as sg
from sourcegrad.errors import SourcegradError

ROOT = str(Path(__file__).parents[1])
PROCESSES = 2


def corpora() -> Iterator[tuple[str, Callable[[], Any]]]:
    """(name, what gives the text) of everything that is generated."""
    from benchmarks import pairs
    from tests.errors.test_attacks import PROGRAMS as ATTACKS
    from tests.language.corpus import CASES
    from tests.programs.corpus import BY_NAME
    from tests.programs.kernels import KERNELS, checks
    from tests.programs.real import load
    from tests.programs.real.checks import new_gradient_function
    from tests.programs.texts import emitted
    from tests.shared import text_for

    for name, program in BY_NAME.items():
        for order in range(1, min(program.order, 2) + 1):
            yield f"programs/{name}/{order}", lambda program=program, order=order: emitted(program, order)
    for name, program in [*load().items(), *((f"language/{case.name}", case) for case in CASES)]:
        yield f"real/{name}", lambda program=program: text_for(
            new_gradient_function(program)[0], *program.fresh(), **program.options)
    for kernel in KERNELS:
        yield f"kernels/{kernel.name}", lambda kernel=kernel: text_for(
            checks.gradient_function(kernel, checks.draw_weights(kernel, 1)), *kernel.fresh(), **kernel.options)
    for module, position, program in ATTACKS:
        yield f"attacks/{module}/{position}", lambda program=program: text_for(
            sg.value_and_grad(program.function, program.inputs), *program.fresh(), **program.options)
    for name in pairs.NAMES:
        pair = pairs.load(name)
        yield f"pairs/{name}", lambda pair=pair: text_for(
            sg.value_and_grad(pair.primal, inputs=pair.INPUTS), *pair.make("tiny", np.random.default_rng(0)))


def told(text: Callable[[], Any]) -> str:
    """The text, or why there is none."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = str(text())
    except SourcegradError as error:
        found = f"{type(error).__name__}: {error}"
    except Exception as error:
        found = f"raises {type(error).__name__}"
    return found.replace(ROOT, "")


def part(number: int, parts: int) -> dict[str, str]:
    return {name: told(text) for name, text in corpora() if zlib.crc32(name.encode()) % parts == number}


def snapshot(share: int, shares: int) -> dict[str, str]:
    """The texts of one share (from 1), made by several processes."""
    jobs = [(share - 1 + shares * j, shares * PROCESSES) for j in range(PROCESSES)]
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        return dict(sorted(item for found in pool.starmap(part, jobs) for item in found.items()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--diff", action="store_true")
    parser.add_argument("--share", default="1/1", metavar="K/N", help="one share of the programs")
    given = parser.parse_args()
    share, shares = map(int, given.share.split("/"))
    now = snapshot(share, shares)
    if given.what == "write":
        given.file.write_text(json.dumps(now, indent=0))
        print(f"{len(now)} texts")
        return 0
    known = json.loads(given.file.read_text())
    before = {name: text for name, text in known.items() if zlib.crc32(name.encode()) % shares == share - 1}
    differ = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    for name in differ:
        print(name)
        if given.diff:
            print("\n".join(difflib.unified_diff(before.get(name, "").splitlines(), now.get(name, "").splitlines(), lineterm="")))
    print(f"{len(differ)} of {len(now)} texts differ")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
