"""`python -m tests.language [TEXT]`: each feature (whose name contains TEXT): works / in part / refused / WRONG / crash."""
from __future__ import annotations

import sys

from tests.language.case import weights
from tests.language.corpus import by_feature, refused_share, result_of, summary


def main(chosen: str = "") -> None:
    known: dict[int, object] = {}
    results = {}
    weight = weights()
    for feature, cases in by_feature().items():
        if chosen not in feature:
            continue
        for case in cases:
            if id(case) not in known:
                known[id(case)] = result_of(case)
        results[feature] = [known[id(case)] for case in cases]
        print(f"{summary(results[feature]):8} {weight.get(feature, ''):>6} {feature}", flush=True)
        for case, result in zip(cases, results[feature]):
            if result.state != "ok" and case.refused is None:
                what = result.what if chosen else result.what[:140].replace("\n", " ")
                print(f"{'':16}{case.name} order {result.order}: {result.state}: {what}")
    states = [result.state for result in known.values()]
    print(f"{len(states)} cases: " + ", ".join(f"{states.count(state)} {state}" for state in sorted(set(states))))
    if not chosen:
        print(f"not handled, by the survey's weights: {refused_share(results):.1f} %")


main(*sys.argv[1:2])
