"""`python -m benchmarks --objects`: what gradients of programs with objects, lists and dicts cost.

First the programs of `object_programs/` beside their adjoints by hand: time, and how many statements there are to read. Then
gradient over function for those of `object_programs/plain.py` and for those of `tests/programs/real` that have objects or
containers. Then how time and memory grow with the number of objects or turns.
"""
import ast
import copy
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np

import sourcegrad as sg
from tests.programs import real
from tests.programs.real.structure import from_vector, identical, vector

from . import object_programs, timing
from .cases import Candidate, mismatch
from .object_programs import plain
from .peers import failure, limited, quiet
from .report import aligned, progress, ratio
from .scaling import GROWTH, peak
from .timing import interleaved, without_collector

REAL = ("battery.runtime_energy", "bundle_adjustment.total_cost", "cart_pole.linear_policy_cost", "ekf_slam", "epidemic.peak_cost",
        "finite_elements.compliance", "gru.sequence_loss", "hidden_markov.fit_cost", "kalman", "kinetics", "layers.network_loss",
        "mixture_em.held_out_score", "optimizers.validation_loss", "options.portfolio_value", "orbit.transfer_cost", "pose_graph",
        "robot_arm.calibration_loss", "truss", "wind_farm.annual_energy")
LENGTHS = (100, 1_000, 10_000)
QUICK = (10, 100, 1_000)
LIMIT = 20.0                    # seconds of the processor for one call of a gradient
LONGER = 60.0                   # where code is generated, or memory traced, which makes calls up to 25 times slower
TOLERANCE = 1e-6                # of derivatives along a direction, against differences


@dataclass
class Program:
    """A function with its arguments and what to differentiate; perhaps its adjoint by hand."""
    name: str
    record: real.Real
    adjoint: Callable | None = None
    copied: Callable | None = None

    @property
    def function(self):
        return functools.partial(self.record.function, **self.record.options) if self.record.options else self.record.function

    @property
    def inputs(self):
        """Always a tuple, so that the gradients are one as well."""
        first = next(iter(inspect.signature(self.record.function).parameters))
        inputs = first if self.record.inputs is None else self.record.inputs
        return inputs if isinstance(inputs, tuple) else (inputs,)

    def primal(self):
        """The function as a candidate; if it changes its arguments, with the copies that each adjoint makes, too."""
        function, copied, args = self.function, self.copied or copy.deepcopy, self.record.fresh()
        function(*args)
        if identical(args, self.record.args):
            return Candidate("primal", function, args)
        if self.copied is None:
            return Candidate("primal", lambda *args: function(*copied(args)), self.record.fresh())
        return Candidate("primal", lambda *args: function(*copied(*args)), self.record.fresh())

    def emitted(self):
        """`sg.value_and_grad` of the function: called as it is, and the object that has its source."""
        gradient = sg.value_and_grad(self.record.function, inputs=self.inputs)
        called = functools.partial(gradient, **self.record.options) if self.record.options else gradient
        return gradient, Candidate("emitted", called, self.record.fresh())

    def numbers(self, result):
        """Value and gradients as arrays, with the structure of the inputs checked."""
        value, gradients = result
        template = self.record.select(self.record.args)
        assert isinstance(gradients, tuple) and len(gradients) == len(template), f"{len(template)} gradients are expected"
        return [np.asarray(value), *(vector((part,), (gradient,)) for part, gradient in zip(template, gradients))]

    def compare(self, arrays):
        """Raise AssertionError unless value and gradients are those of the adjoint by hand, or agree with differences."""
        if self.adjoint:
            wrong = mismatch(arrays, self.numbers(self.adjoint(*self.record.fresh())))
        else:
            wrong = self.against_differences(arrays)
        assert not wrong, wrong

    def against_differences(self, arrays):
        """What is wrong with a value and gradients, along random directions, or None."""
        template = self.record.select(self.record.args)
        centre, gradient = vector(template, template), np.concatenate(arrays[1:])
        rng = np.random.default_rng(3)

        def moved(change):
            return float(self.record.run(self.record.with_inputs(from_vector(template, centre + change))))

        if (wrong := mismatch([np.asarray(self.record.run(self.record.fresh()))], arrays[:1])):
            return wrong
        for _ in range(3):
            direction = rng.standard_normal(centre.shape) * np.maximum(1.0, abs(centre))
            step = 1e-6 * direction
            slope = (8.0 * (moved(step) - moved(-step)) - (moved(2.0 * step) - moved(-2.0 * step))) / 1.2e-5
            if not abs(slope - gradient @ direction) <= TOLERANCE * max(abs(slope), np.linalg.norm(gradient * direction)):
                return f"along a direction {gradient @ direction:.9g}, by differences {slope:.9g}"
        return None


def by_hand(name, size="full", rng=None):
    """A program with its adjoint, of some size."""
    module = object_programs.load(name)
    args = module.make(size, rng or np.random.default_rng(1))
    return Program(name, real.Real(module.primal, args, module.INPUTS), module.adjoint, getattr(module, "fresh", None))


def without_adjoint(size="full"):
    """The programs that have none by hand."""
    for function, inputs, make in plain.PROGRAMS:
        yield Program(function.__name__, real.Real(function, make(size, np.random.default_rng(1)), inputs))
    records = real.load()
    for name in REAL:
        yield Program(name.partition(".")[0], records[name])


def statements(text):
    """How many statements a text has, without imports and docstrings."""
    return sum(isinstance(node, ast.stmt) and not isinstance(node, (ast.Import, ast.ImportFrom)) and not is_docstring(node)
               for node in ast.walk(ast.parse(text)))


def is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def statements_by_hand(program):
    """Those of the functions and methods of the program's module that a call of its adjoint runs."""
    module = sys.modules[program.adjoint.__module__]
    text, ran = inspect.getsource(module), set()

    def note(frame, event, argument):
        if event == "call" and frame.f_code.co_filename == module.__file__:
            ran.add(frame.f_code.co_firstlineno)

    args, before = program.record.fresh(), sys.getprofile()
    sys.setprofile(note)
    try:
        program.adjoint(*args)
    finally:
        sys.setprofile(before)
    tree, lines = ast.parse(text), text.splitlines()
    definitions = [node for owner in ast.walk(tree) if isinstance(owner, (ast.Module, ast.ClassDef))
                   for node in owner.body if isinstance(node, ast.FunctionDef)]
    return sum(statements(textwrap.dedent("\n".join(lines[node.lineno - 1:node.end_lineno]))) for node in definitions
               if min(part.lineno for part in [node, *node.decorator_list]) in ran)


@contextmanager
def within(seconds):
    """Raise TimeoutError in the body, saying so, after so many seconds of the processor."""
    try:
        with limited(seconds, cpu=True):
            yield
    except TimeoutError:
        raise TimeoutError(f"> {seconds:.0f} s") from None


def problem(error):
    """Why there is no figure. What stands under "emitted" is a fault; a refusal and a call that takes too long are findings."""
    if isinstance(error, TimeoutError):
        return {"limit": str(error)}
    if isinstance(error, sg.SourcegradError) and not isinstance(error, sg.InternalError):
        place = f"{Path(error.origin.file).name}:{error.origin.line}: " if error.origin else ""
        return {"refused": f"{place}{error.message}".splitlines()[0]}
    return {"emitted": f"WRONG: {error}" if isinstance(error, AssertionError) else failure(error)}


def checked(program, row):
    """The emitted candidate; None, and why in the row, if it is refused, wrong or slow."""
    try:
        with within(LONGER):
            gradient, candidate = program.emitted()
            result = candidate.function(*candidate.args)
        for _ in range(2):                                  # the first calls also try the code
            with within(LIMIT):
                result = candidate.function(*candidate.args)
        program.compare(program.numbers(result))
        assert identical(candidate.args, program.record.args), "an argument was changed"
    except Exception as error:
        row["problems"].update(problem(error))
    if row["problems"]:
        return None
    row["statements"]["emitted"] = statements(str(gradient.source))
    return candidate


def program_row(program, budget, turns):
    """Milliseconds of the function, its gradient and perhaps its adjoint by hand, and how many statements these have."""
    row: dict[str, Any] = {"part": "objects", "function": program.name, "ms": {}, "statements": {}, "problems": {}}
    candidates = [program.primal()]
    if program.adjoint:
        arrays = program.numbers(program.adjoint(*program.record.fresh()))
        if (wrong := program.against_differences(arrays)):
            raise AssertionError(f"{program.name}: the adjoint by hand is wrong: {wrong}")
        candidates.append(Candidate("golden", program.adjoint, program.record.fresh()))
        row["statements"]["golden"] = statements_by_hand(program)
    with quiet(), np.errstate(all="ignore"):
        candidate = checked(program, row)
        quartiles = interleaved(candidates + [candidate] * (candidate is not None), budget, turns)
    row["ms"] = {name: 1e3 * median for name, (_, median, _) in quartiles.items()}
    row["quartiles_ms"] = {name: [1e3 * low, 1e3 * high] for name, (low, _, high) in quartiles.items()}
    return row


def least(function, args, budget):
    """The shortest of some calls, in seconds: at least three, or as many as fit into the limit."""
    samples: list[float] = []
    while sum(samples) < budget or len(samples) < 3 and sum(samples) < LIMIT / 4:
        begin = timing.clock()
        function(*args)
        samples.append(timing.clock() - begin)
    return min(samples)


def growth_row(name, lengths, budget):
    """Gradient over function, and bytes of the gradient's peak over n, at each length n; how much both grow in the last step."""
    row: dict[str, Any] = {"part": "growth", "function": name, "counted": object_programs.load(name).COUNTED, "problems": {},
                           "n": list(lengths), "primal": [], "emitted": [], "bytes": []}
    gradient = None
    try:
        for n in lengths:
            program, result = by_hand(name, n), None
            primal = program.primal()
            if gradient is None:
                gradient = program.emitted()[1].function
            for _ in range(3):                              # code is generated where the kinds of the arguments are new
                with within(LIMIT):
                    result = gradient(*primal.args)
            program.compare(program.numbers(result))
            with without_collector():
                row["primal"].append(least(primal.function, primal.args, budget))
                with within(LIMIT):
                    row["emitted"].append(least(gradient, primal.args, budget))
            with within(LONGER):
                row["bytes"].append(peak(gradient, primal.args) / n)
    except Exception as error:
        row["problems"].update(problem(error))
    row["ratios"] = [emitted / primal for emitted, primal in zip(row["emitted"], row["primal"])]
    row["growth"] = {what: row[what][-1] / row[what][-2] if len(row[what]) == len(lengths) else None
                     for what in ("ratios", "bytes")}
    return row


def hand_table(rows):
    header = ["beside adjoints by hand", "hand ms", "emitted/hand", "gradient/function", "hand/function",
              "statements", "by hand", "ratio"]
    pairs = (("emitted", "golden"), ("emitted", "primal"), ("golden", "primal"))
    lines = []
    for row in rows:
        count = row["statements"]
        ratios = [state(row, *pairs[0]), *(ratio(row, *pair) for pair in pairs[1:])]
        longer = [str(count["emitted"]), str(count["golden"]), f"{text_ratio(row):.2f}"] if "emitted" in count else [
            "-", str(count["golden"]), "-"]
        lines.append([row["function"], f"{row['ms']['golden']:.4g}", *ratios, *longer])
    done = [row for row in rows if "emitted" in row["ms"]]
    if done:
        means = [mean(row["ms"][above] / row["ms"][below] for row in done) for above, below in pairs]
        lines.append([f"geometric mean of {len(done)}", "", *means, "", "", mean(map(text_ratio, done))])
    return with_reasons(aligned([header, *lines], left=1), rows)


def text_ratio(row):
    return row["statements"]["emitted"] / row["statements"]["golden"]


def plain_table(rows):
    header = ["without adjoint by hand", "function ms", "gradient/function"]
    lines = [[row["function"], f"{row['ms']['primal']:.4g}", state(row, "emitted", "primal")] for row in rows]
    done = [row["ms"]["emitted"] / row["ms"]["primal"] for row in rows if "emitted" in row["ms"]]
    if done:
        lines.append([f"geometric mean of {len(done)}", "", mean(done)])
    return with_reasons(aligned([header, *lines], left=1), rows)


def growing_table(rows):
    lengths = rows[0]["n"]
    header = ["growth with n", "of", *(f"grad/f {n}" for n in lengths), "growth", *(f"bytes/n {n}" for n in lengths), "growth", ""]
    lines = []
    for row in rows:
        cells = []
        for what, form in (("ratios", "{:.3g}"), ("bytes", "{:.4g}")):
            found = [form.format(value) for value in row[what]]
            last = row["growth"][what]
            cells += [*found, *[word(row)] * (len(lengths) - len(found)), "-" if last is None else f"{last:.2f}"]
        lines.append([row["function"], row["counted"], *cells, "<" if steep(row) else ""])
    return with_reasons(aligned([header, *lines], left=2), rows)


def state(row, above, below):
    return word(row) if row["problems"] else ratio(row, above, below)


def word(row):
    """What stands in the place of a figure."""
    found = {"limit": row["problems"].get("limit"), "refused": "refused", "emitted": "failed"}
    return next((text for key, text in found.items() if key in row["problems"]), "-")


def with_reasons(table, rows):
    """The table with the reason behind each row that lacks figures."""
    header, *lines = table.splitlines()
    reasons = ["  ".join(why for key, why in row["problems"].items() if key != "limit") for row in rows]
    reasons += [""] * (len(lines) - len(rows))
    return "\n".join([header, *(f"{line}  {why}".rstrip() for line, why in zip(lines, reasons))])


def steep(row):
    """Whether a gradient grows faster than its function, or its memory faster than n, or a call took too long."""
    return "limit" in row["problems"] or any(last is not None and last > GROWTH for last in row["growth"].values())


def mean(values):
    return f"{geometric_mean(list(values)):.3g}"


def objects(only=(), size="full", quick=False):
    """Print the tables as they come; all rows."""
    def wanted(name):
        return not only or any(word in name for word in only)

    budget, turns = (0.1, 7) if quick else (0.5, 15)

    def timed(program):
        return program_row(program, budget, turns)

    def growing(name):
        return growth_row(name, QUICK if quick else LENGTHS, budget / 5)

    names = [name for name in object_programs.NAMES if wanted(name)]
    parts = (([by_hand(name, size) for name in names], timed, hand_table),
             ([program for program in without_adjoint(size) if wanted(program.name)], timed, plain_table),
             ([name for name in names if hasattr(object_programs.load(name), "COUNTED")], growing, growing_table))
    found = []
    for items, measured, table in parts:
        rows = [measured(item) for item in progress(items, lambda item: getattr(item, "name", item))]
        if rows:
            print(table(rows), end="\n\n", flush=True)
        found += rows
    return found
