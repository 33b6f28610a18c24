"""All cases, by file and by feature, and what becomes of each."""
from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from sourcegrad.errors import InternalError, SourcegradError
from tests.language import (
    beyond,
    builtins,
    calls,
    containers,
    control,
    custom,
    decorators,
    effects,
    exceptions,
    indexing,
    library,
    objects,
    operators,
    protocols,
    strings,
)
from tests.language.case import Case, weights
from tests.programs.real.checks import gradient_function, status

FILES = (operators, control, indexing, containers, builtins, strings, calls, objects, protocols, exceptions, decorators,
         effects, beyond, library, custom)
CASES: list[Case] = [case for file in FILES for case in file.CASES]


def by_feature() -> dict[str, list[Case]]:
    """The surveyed features in the survey's order, then the others."""
    found: dict[str, list[Case]] = {feature: [] for feature in weights()}
    for case in CASES:
        for feature in case.features:
            found.setdefault(feature, []).append(case)
    return found


@dataclass(frozen=True)
class Result:
    """State: "ok", "refused", "WRONG" or "crash" at the lowest order where it is not ok."""

    state: str
    order: int
    what: str = ""


def result_of(case: Case) -> Result:
    with quiet():
        if case.refused is not None:
            state, what = status(case)
            return Result(state, 1, advice_of(case) if state == "refused" else what)
        for order in range(1, case.order + 1):
            state, what = status(case, order)
            if state != "ok":
                return Result(state, order, advice_of(case, order) if state == "refused" else what)
    return Result("ok", case.order)


def promised(case: Case) -> Result:
    """What the tests of the case assert: `test_gradient`, `test_second_derivative` and `test_refusal`."""
    if case.refused is None:
        return Result("ok", case.order)
    with quiet():
        return Result("refused", 1, advice_of(case))


def advice_of(case: Case, order: int = 1) -> str:
    """The message and the remedy of a refusal, without its place."""
    try:
        function, _ = gradient_function(case, order)
        function(*case.fresh(), **case.options)
    except InternalError as error:
        return error.message
    except SourcegradError as error:
        return f"{error.message}. {error.remedy}".split("\n")[0].strip()
    return ""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without what the cases print and warn of."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def summary(results: list[Result]) -> str:
    """The status of a feature: of the worst of its cases."""
    states = [result.state for result in results]
    for bad in ("WRONG", "crash"):
        if bad in states:
            return bad
    if "refused" not in states:
        return "works"
    return "refused" if all(state == "refused" for state in states) else "in part"


def refused_share(results: dict[str, list[Result]]) -> float:
    """How much of the survey's occurrences is not handled, in percent; a feature counts by the share of its cases."""
    weight = weights()
    lost = sum(weight[feature] * sum(r.state != "ok" for r in results[feature]) / len(results[feature])
               for feature in weight if results[feature])
    return 100.0 * lost / sum(weight.values())
