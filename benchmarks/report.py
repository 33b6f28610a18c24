"""The table and the JSON file."""
import datetime
import json
import math
import platform
import statistics
import subprocess
import sys
from importlib import metadata
from pathlib import Path

DISTRIBUTIONS = {"autograd": "autograd", "torch": "torch", "jax": "jax", "tangent": "tangent-ad"}


def progress(items, title=str):
    """The items; while one is worked on, a terminal shows its number and title."""
    shown = sys.stderr.isatty()
    for number, item in enumerate(items, 1):
        if shown:
            print(f"\r\033[K{number}/{len(items)} {title(item)}", end="", file=sys.stderr, flush=True)
        yield item
    if shown:
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def ratio(row, above, below):
    ms = row["ms"]
    return f"{ms[above] / ms[below]:.3g}" if above in ms and below in ms else "-"


def speed_table(rows, peers):
    header = ["pair", "size", "golden ms", "emitted/golden", "emitted/primal",
              *(f"{peer}/emitted" for peer in peers)]
    lines = [[row["pair"], row["size"], f"{row['ms']['golden']:.4g}",
              "failed" if "emitted" in row["problems"] else ratio(row, "emitted", "golden"),
              ratio(row, "emitted", "primal"), *(ratio(row, peer, "emitted") for peer in peers)]
             for row in rows]
    return aligned([header, *lines], left=2)


def summary(rows):
    """The geometric mean of emitted/golden, and the greatest."""
    ratios = {row["pair"]: row["ms"]["emitted"] / row["ms"]["golden"] for row in rows if "emitted" in row["ms"]}
    if not ratios:
        return "nothing was emitted"
    slowest = max(ratios, key=ratios.get)
    return (f"emitted/golden of {len(ratios)}: geometric mean {statistics.geometric_mean(ratios.values()):.3g}, "
            f"greatest {ratios[slowest]:.3g} ({slowest})")


def generation_table(rows):
    columns = ("numpy import", "sourcegrad import", "first gradient", "second gradient", "second process")
    header = ["first gradient of", "lines", *(f"{column} ms" for column in columns)]
    lines = [[row["function"], str(row["lines"]),
              *(f"{row['ms'][column]:.4g}" if column in row["ms"] else "failed" for column in columns)]
             for row in rows]
    return aligned([header, *lines], left=1)


def growth_table(rows):
    header = ["size of programs", "n", "n ms", "2n ms", "4n ms", "2n/n", "exponent", "n lines", "2n lines"]
    lines = []
    for row in rows:
        times = [f"{row['ms'][size]:.4g}" if size in row["ms"] else "-" for size in ("n", "2n", "4n")]
        sizes = [str(row["lines"].get(size, "-")) for size in ("n", "2n")]
        lines.append([row["function"], str(row["n"]), *times, ratio(row, "2n", "n"), exponent(row["ms"]), *sizes])
    return aligned([header, *lines], left=1)


def exponent(ms):
    """Of the last doubling: what does not grow with the program counts least there."""
    before, last = list(ms.values())[-2:] if len(ms) > 1 else (1.0, 1.0)
    return f"{math.log2(last / before):.2f}"


def aligned(cells, left):
    """Cells in columns: the first `left` ones flush left, the others flush right."""
    widths = [max(map(len, column)) for column in zip(*cells)]
    padded = [[cell.ljust(width) if place < left else cell.rjust(width)
               for place, (cell, width) in enumerate(zip(line, widths))] for line in cells]
    return "\n".join("  ".join(line).rstrip() for line in padded)


def commit():
    """The commit that is measured, with + where files differ from it; unknown outside of a repository."""
    def git(*words):
        done = subprocess.run(["git", *words], cwd=Path(__file__).parent, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else None
    try:
        found, changed = git("rev-parse", "--short=7", "HEAD"), git("status", "--porcelain", "--untracked-files=no", "..")
    except OSError:
        return "unknown"
    return "unknown" if found is None else found + "+" * bool(changed)


def measured():
    """What was measured, when and with what: the line above every table."""
    known = environment()
    return (f"commit {known['commit']} on {known['when'][:10]}, Python {known['python']}, NumPy {known['packages']['numpy']}, "
            f"{known['machine']} {known['system']}")


def environment(peers=()):
    versions = {}
    for name in ("numpy", *(DISTRIBUTIONS[peer] for peer in peers)):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    return {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system(),
            "packages": versions, "commit": commit(), "when": datetime.datetime.now().isoformat(timespec="seconds")}


def write_json(path, rows, peers=(), unavailable=None):
    """Rows as measured, with every candidate's milliseconds; what failed says why under 'problems'."""
    content = {"environment": environment(peers), "unavailable": unavailable or {}, "rows": rows}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.write("\n")
