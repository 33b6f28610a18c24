"""`python -m tests.packages [-v] [PACKAGE [PROGRAM]]`: how many programs are right, refused and wrong, by package."""
from __future__ import annotations

import sys

from tests.packages.program import PACKAGES, Outcome, is_installed, outcome, programs_of

SECONDS = 3.0                   # of CPU, that a refusal may take
ROW = "{:24}{:>9}{:>7}{:>9}{:>7}{:>8}  {}"


def main() -> None:
    asked, told = sys.argv[1:], "-v" in sys.argv
    asked = [x for x in asked if x != "-v"]
    if asked and asked[0] not in PACKAGES:
        sys.exit("usage: python -m tests.packages [-v] [PACKAGE [PROGRAM]]\n" + " ".join(PACKAGES))
    totals, slow = dict.fromkeys(("right", "refused", "wrong", "broken"), 0), []
    print(ROW.format("package", "programs", "right", "refused", "wrong", "broken", "CPU seconds of the slowest refusal"))
    for package in asked[:1] or PACKAGES:
        if not is_installed(package):
            print(f"{package:24} is not installed")
            continue
        found: dict[str, Outcome] = {}
        for tested in programs_of(package):
            if len(asked) < 2 or tested.name in asked[1:]:
                found[tested.name] = one = outcome(tested)
                totals[one.what] += 1
                if one.what in ("wrong", "broken") or told:
                    print(f"--- {package}.{tested.name} is {one.what}, {one.seconds:.1f} s: {one.told}", flush=True)
        counts = {what: sum(one.what == what for one in found.values()) for what in totals}
        refusals = {name: one.seconds for name, one in found.items() if one.what == "refused"}
        slow += [f"{package}.{name} {seconds:.1f}" for name, seconds in refusals.items() if seconds > SECONDS]
        slowest = max(refusals, key=lambda name: refusals[name], default=None)
        last = f"{refusals[slowest]:.1f} ({slowest})" if slowest else "-"
        print(ROW.format(package, len(found), *counts.values(), last), flush=True)
    print(ROW.format("all", sum(totals.values()), *totals.values(), ""))
    print(f"refusals that took more than {SECONDS} s of CPU: {', '.join(slow) or 'none'}")


main()
