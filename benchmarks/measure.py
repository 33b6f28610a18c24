"""One row of the table: candidates are checked against golden, and those that pass are timed."""
import traceback

import numpy as np

from .cases import copies, mismatch
from .peers import failure, limited, quiet
from .timing import interleaved


def measure(case, peers, budget, turns, stand_in=False):
    """A row: milliseconds by candidate, and why others are missing ('emitted' among those is an error)."""
    golden = case.golden()
    expected = golden_arrays(case, golden)
    runners, problems = [golden, case.primal()], {}

    emitted, problem = checked_emitted(case, expected, stand_in)
    if problem:
        problems["emitted"] = problem
    else:
        runners.append(emitted)

    for name, peer in peers.items():
        try:
            with quiet(), limited():
                candidate = peer.candidate(case)
                wrong = mismatch(candidate.arrays(candidate.function(*candidate.args)), expected)
            if wrong:
                raise ArithmeticError(wrong)
            runners.append(candidate)
        except Exception as error:
            problems[name] = failure(error)

    with quiet():
        quartiles = interleaved(runners, budget, turns, settle=any(c.name in peers for c in runners))
    return {"pair": case.title, "order": case.order, "size": case.size,
            "ms": {name: 1e3 * median for name, (_, median, _) in quartiles.items()},
            "quartiles_ms": {name: [1e3 * low, 1e3 * high] for name, (low, _, high) in quartiles.items()},
            "problems": problems}


def golden_arrays(case, golden):
    """What the golden function returns; its value must be the primal's."""
    expected = [array.copy() for array in golden.arrays(golden.function(*golden.args))]
    if case.order == "gradient":
        primal = case.primal()
        wrong = mismatch([np.asarray(primal.function(*primal.args))], expected[:1])
        if wrong:
            raise AssertionError(f"{case.title}: the golden adjoint disagrees with its primal: {wrong}")
    return expected


def checked_emitted(case, expected, stand_in):
    """The emitted candidate, or None and what is wrong with it."""
    before = copies(case.order_args)
    try:
        candidate = case.golden() if stand_in else case.emitted()
        candidate.name = "emitted"
        for _ in range(3):                                  # the first calls also try the code
            wrong = mismatch(candidate.arrays(candidate.function(*candidate.args)), expected)
    except Exception as error:
        return None, failure(error) + " " + innermost(error)
    for position, (array, original) in enumerate(zip(case.order_args, before)):
        if isinstance(array, np.ndarray) and not np.array_equal(array, original, equal_nan=True):
            wrong = wrong or f"argument {position} was changed"
    return (None, f"failed: {wrong}") if wrong else (candidate, None)


def innermost(error):
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"({frame.filename}:{frame.lineno})"
