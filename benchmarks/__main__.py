"""`python -m benchmarks`: how fast emitted gradients are.  See benchmarks/README.md."""
import argparse
import sys
import tempfile

from . import timing
from .cases import cases
from .generation import generation_rows, print_against
from .growth import growth_rows
from .measure import measure
from .peers import PEERS, available
from .report import generation_table, growth_table, measured, progress, speed_table, summary, write_json
from .scaling import scaling


def arguments(argv):
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed of emitted gradients.")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="only cases with this in their name")
    parser.add_argument("--size", choices=("tiny", "full"), default="full")
    parser.add_argument("--quick", action="store_true", help="0.1 s for each candidate, not 0.5 s")
    parser.add_argument("--peers", default="all", metavar="none|all|LIST",
                        help=f"other frameworks, of {','.join(PEERS)} (default: all that can be imported)")
    parser.add_argument("--cpu", action="store_true",
                        help="processor time instead of the clock, for a machine in use (set OPENBLAS_NUM_THREADS=1)")
    parser.add_argument("--generation", action="store_true",
                        help="time to the first gradient in a fresh process, and how it grows with the program, instead")
    parser.add_argument("--against", metavar="DIR",
                        help="with --generation: CPU time to generate the real programs, this checkout against that of DIR")
    parser.add_argument("--scaling", action="store_true",
                        help="time and memory of gradients of loops of two lengths instead")
    parser.add_argument("--objects", action="store_true",
                        help="programs with objects, lists and dicts instead: time, statements, growth")
    parser.add_argument("--scipy", action="store_true",
                        help="adjoints of scipy.sparse, ndimage, interpolate and signal over the functions instead: time, memory")
    parser.add_argument("--stand-in", action="store_true",
                        help="time the golden function in place of the emitted one")
    parser.add_argument("--json", metavar="FILE", help="also write everything measured to FILE")
    options = parser.parse_args(argv)
    options.peers = {"none": [], "all": list(PEERS)}.get(options.peers, options.peers.split(","))
    unknown = [name for name in options.peers if name not in PEERS]
    if unknown:
        parser.error(f"no such peer: {', '.join(unknown)}")
    options.cases = [] if options.against else list(cases(options.size, options.only))
    others = options.generation or options.scaling or options.objects or options.scipy
    if not options.cases and not others:
        parser.error(f"no case has {' or '.join(options.only)} in its name")
    return options


def speed_rows(options, peers):
    budget, turns = (0.1, 7) if options.quick else (0.5, 15)
    return [measure(case, peers, budget, turns, options.stand_in) for case in progress(options.cases, lambda case: case.title)]


def main(argv=None):
    options = arguments(argv)
    peers, unavailable = {}, {}
    print(measured())
    if options.scaling:
        steep = scaling(options.quick, options.only)
        for name in steep:
            print(f"error: the gradient of {name} grows faster than the function", file=sys.stderr)
        return 1 if steep else 0
    if options.scipy:
        from .scipy_adjoints import scipy_adjoints
        return 1 if scipy_adjoints(options.only, options.size, options.quick) else 0
    if options.generation and options.against:
        print_against(options.against, options.only, 1 if options.quick else 3)
        return 0
    timing.clock = timing.CLOCKS["cpu" if options.cpu else "wall"]
    if options.objects:
        from .objects import objects
        rows = objects(options.only, options.size, options.quick)
    elif options.generation:
        rows = generation_rows(3 if options.quick else 7)
        print(generation_table(rows))
        with tempfile.TemporaryDirectory() as folder:
            grown = growth_rows(folder, 1 if options.quick else 3)
        print(growth_table(grown))
        rows += grown
    else:
        peers, unavailable = available(options.peers)
        rows = speed_rows(options, peers)
        print(speed_table(rows, peers))
        print(summary(rows))
    if options.json:
        write_json(options.json, rows, peers, unavailable)
    broken = [row for row in rows if "emitted" in row["problems"]]
    for row in broken:
        print(f"error: {row.get('pair') or row['function']}: {row['problems']['emitted']}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
