"""Every plain-Python stand-in of a library function equals what it replaces, over edge arguments, or refuses them."""

from __future__ import annotations

import copy
import statistics
import sys
import types
import warnings
from typing import Any

import numpy as np
import pytest

from sourcegrad.analysis import call_targets
from sourcegrad.errors import SourcegradError
from sourcegrad.primitives.core import PRIMITIVES
from sourcegrad.primitives.zero import DRAWN
from sourcegrad.runtime import library, numpy_library
from tests.kinds.programs import called, judged, written
from tests.kinds.standin_cases import CASES

linalg = pytest.importorskip("scipy.linalg")
special = pytest.importorskip("scipy.special")
scipy = pytest.importorskip("scipy")
SEED = 7
ELSEWHERE = {f"sourcegrad.runtime.{name}" for name in ("more_forms", "numpy_forms", "polynomials", "series", "random_draws")}
# (tests/primitives: test_forms.py, test_draws.py)
NEWEST = {statistics: sys.version_info >= (3, 11), linalg: np.lib.NumpyVersion(scipy.__version__) >= "1.16.0"}


def drawn(function: Any) -> Any:
    """A function of random numbers, from a seed."""

    def result(*args: Any, **options: Any) -> Any:
        np.random.seed(SEED)
        return function(*args, **options)

    return result


def of_generator(cls: Any, function: Any) -> Any:
    """A method of a generator, from a seed."""

    def result(*args: Any, **options: Any) -> Any:
        rng = np.random.default_rng(SEED) if cls is np.random.Generator else np.random.RandomState(SEED)
        return function(rng, *args, **options)

    return result


def registered() -> dict[str, tuple]:
    """name of the test -> (name of the cases, the original, the stand-in): all that the registries hold."""
    found: dict[str, tuple] = {}
    running = {}
    for original, known in PRIMITIVES.items():
        name = getattr(original, "__name__", "")
        if isinstance(known.accumulate, types.FunctionType) and known.accumulate.__module__ == numpy_library.__name__:
            running[f"{name}.accumulate"] = known.accumulate
        module = str(getattr(known.instead, "__module__", ""))
        if known.instead is None or module.startswith("sourcegrad.primitives.scipy.") or module in ELSEWHERE:
            continue                                        # (of scipy.stats: tests/primitives/test_distributions.py)
        cls = next((c for c in (np.random.Generator, np.random.RandomState) if getattr(c, name, None) == original), None)
        if cls is not None:
            found[f"{cls.__name__}.{name}"] = f"random.{name}", of_generator(cls, original), of_generator(cls, known.instead)
            continue
        random = name in DRAWN and original == getattr(np.random, name, None)
        name = f"random.{name}" if random else name
        found[name] = name, drawn(original) if random else original, drawn(known.instead) if random else known.instead
    found |= {name: (name, getattr(statistics, name), standin) for name, standin in call_targets.STATISTICS.items()
              if standin.__module__ not in ELSEWHERE}
    found |= {name: (name, getattr(np, name.partition(".")[0]).accumulate, standin) for name, standin in running.items()}
    found |= {f"linalg.{name}": (name, getattr(linalg, name), standin) for name, standin in library.LINALG.items()}
    return found | {"linalg.norm": ("norm", linalg.norm, library.norm)}


STANDINS = registered()
IN_SINGLE = {"linalg.det", "linalg.norm"}  # SciPy computes some of single precision in double precision


def comparable(name: str, value: Any) -> Any:
    """What a function says: a factor where it is not arbitrary, eigenvectors up to their signs (or phases)."""
    if name == "linalg.cho_factor":
        return np.tril(value[0]) if np.all(value[1]) else np.triu(value[0])
    if name == "linalg.eigh" and isinstance(value, (tuple, list)):
        return value[0], np.abs(value[1])
    return value


def outcome(function: Any, args: tuple, options: dict) -> tuple:
    """(what a function gives, the arguments afterwards), or (what it raises,)"""
    args, options = copy.deepcopy((args, options))
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = function(*args, **options)
            if type(value).__name__ in ("groupby",):
                value = [(key, list(group)) for key, group in value]
            elif type(value).__name__ in ("takewhile", "dropwhile"):
                value = list(value)
    except Exception as error:
        return (error,)
    return value, args


def difference(found: Any, expected: Any, single: bool = False) -> str:
    """In what a value differs from what it should be; empty if in nothing. single: may be of less precision."""
    if isinstance(expected, (list, tuple)) and not hasattr(expected, "dtype"):
        if not isinstance(found, (list, tuple)) or len(found) != len(expected):
            return f"{found!r} is not {expected!r}"
        return next(filter(None, (difference(f, e, single) for f, e in zip(found, expected))), "")
    if callable(expected) or expected is None or isinstance(expected, str):
        return "" if found is expected or found == expected else f"{found!r} is not {expected!r}"
    a, b = np.asarray(found), np.asarray(expected)
    if single and a.dtype == np.float32:
        b = b.astype(np.float32)
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{a.dtype}{a.shape} is not {b.dtype}{b.shape}"
    digits = {np.dtype(np.float32): 2e-6, np.dtype(np.complex64): 2e-6}.get(b.dtype, 1e-14)
    scale = np.max(np.abs(b), initial=0.0, where=np.isfinite(b)) if b.ndim else 0.0
    with np.errstate(all="ignore"):
        equal = np.allclose(a, b, digits * 50 if b.ndim > 1 else digits, 50 * digits * scale, equal_nan=True)
    return "" if equal else f"{found!r} is not {expected!r}"


@pytest.mark.parametrize("name", STANDINS)
def test_stand_in(name: str) -> None:
    cases, original, standin = STANDINS[name]
    assert cases in CASES, f"the stand-in of {name} is compared with nothing: tests/kinds/standin_cases.py"
    wrong, counts = [], {"equal": 0, "refused": 0, "raises alike": 0, "not yet here": 0}
    newest = NEWEST.get(linalg if name.startswith("linalg.") else sys.modules.get(getattr(original, "__module__", "")), True)
    for args, options in CASES[cases]:
        expected, found = outcome(original, args, options), outcome(standin, args, options)
        where = f"{name}{args}{options or ''}".replace("\n", "")
        if isinstance(found[0], SourcegradError):
            counts["refused"] += 1
        elif len(expected) == 1 and not newest:
            counts["not yet here"] += 1                     # a stand-in takes what newer versions of the library take
        elif len(expected) == 1 or len(found) == 1:
            alike = len(found) == len(expected) == 1 and isinstance(found[0], type(expected[0]))
            counts["raises alike"] += alike
            if not alike:
                wrong.append(f"{where}: {found[0]!r}, where {name} {'raises' if len(expected) == 1 else 'gives'} {expected[0]!r}")
        elif told := difference(
            (comparable(name, found[0]), found[1]), (comparable(name, expected[0]), expected[1]), name in IN_SINGLE
        ):
            wrong.append(f"{where}: {told}")
        else:
            counts["equal"] += 1
    print(name, counts)
    if wrong:
        pytest.fail(f"{len(wrong)} of {len(CASES[cases])} differ ({counts})\n" + "\n".join(wrong[:40]), pytrace=False)


# --- through the engine ---------------------------------------------------------------------------------

SPECIAL = ("expit", "logit", "xlogy", "xlog1py", "rel_entr", "entr", "logsumexp", "log_softmax")
ORIGINALS = (
    {name: original for name, (_, original, _) in STANDINS.items() if "." not in name}
    | {f"special.{name}": getattr(special, name) for name in SPECIAL}
    | {f"linalg.{name}": getattr(linalg, name) for name in (*library.LINALG, "norm")}
    | {name: original for name, (_, original, _) in STANDINS.items() if name.endswith(".accumulate")}
)
UNSMOOTH = {
    "special.logit",
    "polar",
    "unique",
    "histogram",
    "maximum.accumulate",
    "minimum.accumulate",
    "rel_entr",
    "xlogy",
    "entr",
    "special.rel_entr",
    "special.xlogy",
    "special.xlog1py",
    "special.entr",
    "linalg.eigh",
    "linalg.svd",
    "linalg.cho_factor",
    "linalg.cholesky",
    "linalg.eigvalsh",
    "linalg.solve",
    "linalg.svdvals",
    "linalg.norm",
    "linalg.pinv",
}
OTHER = {"groupby", "heappush", "heappop", "heapify", "heappushpop", "heapreplace", "takewhile", "dropwhile"}


@pytest.mark.parametrize("name", [name for name in ORIGINALS if name not in OTHER])
def test_through_the_engine(name: str) -> None:
    """A differentiated call gives the values that the function gives, and its derivative by differences."""
    cases = [case for case in CASES[name.removeprefix("special.").removeprefix("linalg.")] if case[0] and floats(case[0][0])]
    counts: dict[str, int] = {}
    wrong = []
    spelling = name.rpartition(".")[2] if not name.endswith("accumulate") else "accumulate"
    for args, options in spread(cases, 4):
        program = called(spelling, ORIGINALS[name], args[1:], options)
        if name.endswith("accumulate"):
            program = written(f"np.{name}(x, *rest, **options)", {"rest": args[1:], "options": options})
        verdict, told = judged(program, args[0], name not in UNSMOOTH)
        counts[verdict] = counts.get(verdict, 0) + 1
        if verdict in ("wrong", "raw"):
            wrong.append(f"{name}{args}{options or ''}: {told}".replace("\n", ""))
    print(name, counts)
    if wrong:
        pytest.fail(f"{len(wrong)} of {sum(counts.values())}\n" + "\n".join(wrong), pytrace=False)


def floats(value: Any) -> bool:
    return isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype.kind == "f"


def spread(items: list, count: int) -> list:
    """So many items, from all of the list."""
    return [items[k * len(items) // min(count, len(items))] for k in range(min(count, len(items)))]
