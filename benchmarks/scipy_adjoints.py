"""`python -m benchmarks --scipy`: what adjoints of scipy.sparse, ndimage, interpolate and signal cost, over the functions.

`reverse`: the pullback of `sg.vjp`, which runs the reverse sweep, over the function of SciPy; `gradient`: `sg.value_and_grad`.
Both are processor times. `memory`: the peak of `sg.value_and_grad` over that of the function, each with what the function is given:
its arguments, and the arrays outside that it reads. What SciPy allocates in compiled code is not seen: such functions seem to need
none.
"""
import sys
import warnings
from dataclasses import dataclass, field
from statistics import geometric_mean

import numpy as np
from scipy import sparse

import sourcegrad as sg

from . import timing
from .cases import Candidate
from .peers import failure
from .report import aligned, progress
from .scaling import peak
from .timing import interleaved

BOUND = 3.0
COLUMNS = ("reverse", "gradient", "memory")


@dataclass
class Row:
    """What a case costs; problem: why there is no figure."""
    name: str
    ms: float = 0.0
    ratios: dict = field(default_factory=dict)
    problem: str = ""


def wrong_by(adjoint, ct, gradients):
    """How far a pullback is from differences along a direction, relative to the sizes of both."""
    rng = np.random.default_rng(3)
    directions = [rng.standard_normal(np.shape(arg)) for arg in adjoint.args]
    step = 1e-6
    there, back = (np.asarray(adjoint.function(*(arg + sign * step * way for arg, way in zip(adjoint.args, directions))))
                   for sign in (1.0, -1.0))
    slope = float(np.vdot(ct, there - back).real) / (2.0 * step)
    found = sum(float(np.sum(gradient * way)) for gradient, way in zip(gradients, directions))
    size = sum(float(np.linalg.norm(gradient * way)) for gradient, way in zip(gradients, directions))
    return abs(slope - found) / max(size, abs(slope), 1e-300)


def given(adjoint):
    """The bytes of what a function works on: its arguments and the arrays of its closure, those in sparse matrices, too."""
    cells = [cell.cell_contents for cell in adjoint.function.__closure__ or ()]
    parts = [part for x in cells for part in ((x.data, x.indices, x.indptr) if sparse.issparse(x) and x.format == "csr" else (x,))]
    arrays = {id(x): x for x in parts if isinstance(x, np.ndarray)}
    return sum(np.asarray(arg).nbytes for arg in adjoint.args) + sum(x.nbytes for x in arrays.values())


def measured(adjoint, budget, turns):
    """The row of a case."""
    row = Row(adjoint.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value, pullback = sg.vjp(adjoint.function, *adjoint.args)
            ct = np.random.default_rng(2).standard_normal(np.shape(value))
            if (error := wrong_by(adjoint, ct, pullback(ct))) > 1e-4:
                row.problem = f"WRONG by {error:.1e}"
                return row
        except Exception as error:
            row.problem = failure(error)
            return row

        gradient = sg.value_and_grad(adjoint.function, inputs=tuple(range(len(adjoint.args))))

        def whole(*args):
            return gradient(*args, grad_outputs=ct)

        for _ in range(3):                                  # the first calls also try the code
            whole(*adjoint.args)
        found = interleaved([Candidate("function", adjoint.function, adjoint.args), Candidate("reverse", pullback, (ct,)),
                             Candidate("gradient", whole, adjoint.args)], budget, turns)
        held = given(adjoint)
        row.ms = 1e3 * found["function"][1]
        row.ratios = {name: found[name][1] / found["function"][1] for name in ("reverse", "gradient")}
        row.ratios["memory"] = (peak(whole, adjoint.args) + held) / (peak(adjoint.function, adjoint.args) + held)
    return row


def line(name, cells, note=""):
    return f"{name:42}" + "".join(f"{cell:>13}" for cell in cells) + f"  {note}".rstrip()


def line_of(row):
    """The figures of a case, and which are above the bound."""
    if not row.ratios:
        return line(row.name, ["-"] * 4, row.problem)
    above = " ".join(column for column in COLUMNS if row.ratios[column] > BOUND)
    return line(row.name, [f"{row.ms:.4g}", *(f"{row.ratios[column]:.2f}" for column in COLUMNS)], above)


def summary(rows):
    """Of each column: the geometric mean, the worst, and how many are above the bound."""
    done = [row for row in rows if row.ratios]
    lines = [["of " + str(len(done)), "mean", "worst", f"over {BOUND:.0f}", ""]]
    for column in COLUMNS:
        ratios = {row.name: row.ratios[column] for row in done}
        worst = max(ratios, key=ratios.get)
        lines.append([column, f"{geometric_mean(ratios.values()):.2f}", f"{ratios[worst]:.2f}",
                      str(sum(ratio > BOUND for ratio in ratios.values())), worst])
    return aligned(lines, left=1)


def scipy_adjoints(only=(), size="full", quick=False):
    """Print the table and the summary; the names of the cases that failed or are wrong."""
    from .scipy_cases import cases

    before, timing.clock = timing.clock, timing.CLOCKS["cpu"]
    budget, turns = (0.02, 3) if size == "tiny" else (0.1, 3) if quick else (1.0, 9)
    try:
        chosen = [adjoint for adjoint in cases(size) if not only or any(word in adjoint.name for word in only)]
        rows = []
        print(line("adjoint of", ["function ms", *COLUMNS]))
        for adjoint in progress(chosen, lambda adjoint: adjoint.name):
            rows.append(measured(adjoint, budget, turns))
            print(line_of(rows[-1]), flush=True)
    finally:
        timing.clock = before
    print()
    if any(row.ratios for row in rows):
        print(summary(rows))
    for row in rows:
        if row.problem:
            print(f"error: {row.name}: {row.problem}", file=sys.stderr)
    return [row.name for row in rows if row.problem]
