"""Time to the first gradient in a fresh process: what importing costs, and what generating code costs."""
import contextlib
import inspect
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import geometric_mean, median

from .pairs import mlp
from .peers import failure

ROOT = Path(__file__).resolve().parent.parent

PROBE = """
import json, sys, time
clock = time.perf_counter
start = clock(); import numpy as np
numpy_imported = clock(); import sourcegrad as sg; sg.grad
sourcegrad_imported = clock()
{load}
gradient = None
begin = clock(); gradient = sg.value_and_grad(primal, inputs=inputs); first = gradient(*args)
middle = clock(); gradient(*args)
end = clock()
{check}
print(json.dumps({{"numpy import": numpy_imported - start,
                  "sourcegrad import": sourcegrad_imported - numpy_imported,
                  "first gradient": middle - begin, "second gradient": end - middle}}))
"""

PAIR = """
from benchmarks.pairs import {name} as pair
primal, inputs, args = pair.primal, pair.INPUTS, pair.make("tiny", np.random.default_rng(1))
"""

SYNTHETIC = """
sys.path.insert(0, {folder!r})
from synthetic import primal
inputs, args = ("x", "y", "s"), (np.linspace(0.1, 0.9, 5), np.linspace(-0.5, 0.5, 5), 0.3)
"""

SYNTHETIC_CHECK = """
h = 1e-6
up, down = (primal(args[0] + e, args[1] + e, args[2] + e) for e in (h, -h))
slope = sum(np.sum(g) for g in first[1])
assert abs((up - down) / (2 * h) - slope) <= 1e-5 * max(1.0, abs(slope)), (up, down, slope)
"""

# six lines each, so that a function has straight lines, branches and loops in a mix that real code has
BLOCKS = ("""\
    u{k} = np.tanh(x * 0.5 + {before})
    v{k} = np.exp(-u{k} * u{k}) + 0.1 * y
    w{k} = u{k} * v{k} - np.sin(y)
    a{k} = np.sum(w{k} * w{k}) / w{k}.size
    s = s + 0.01 * a{k}
    z{k} = np.sqrt(1.0 + w{k} * w{k}) * 0.5
""", """\
    if a{last} > {threshold}:
        z{k} = z{last} * np.cos(x)
    else:
        z{k} = z{last} / (1.0 + x * x)
    a{k} = np.dot(z{k}, y) + s
    s = s * 0.99 + 0.01 * np.max(z{k})
""", """\
    z{k} = {before}
    for i{k} in range(3):
        z{k} = z{k} * 0.7 + 0.1 * np.sin(z{k} + x)
        s = s + 0.01 * np.mean(z{k})
    c{k} = np.concatenate([z{k}, y])
    a{k} = np.log(np.sum(np.exp(c{k} - np.max(c{k}))))
""")


def synthetic_source(lines=300):
    """Text of a module with a function `primal(x, y, s)` of about so many lines."""
    body, count = [], 0
    for k in range((lines - 4) // 6):
        before = f"z{k - 1}" if k else "x"
        body.append(BLOCKS[k % 3].format(k=k, last=k - 1, before=before, threshold=f"{0.1 * (k % 7):.1f}"))
        count = k
    head = "import numpy as np\n\n\ndef primal(x, y, s):\n"
    return head + "".join(body) + f"    return s + np.sum(z{count}) + a{count}\n"


def run_probe(load, check="", cache=""):
    """Milliseconds of one fresh process. cache: a folder of generated code."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path[1:]]),
                       SOURCEGRAD_CACHE="1" if cache else "0", SOURCEGRAD_CACHE_DIR=cache)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)            # an installed package has its byte code
    command = [sys.executable, "-c", PROBE.format(load=load, check=check)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message")
    return {name: 1e3 * seconds for name, seconds in json.loads(done.stdout.splitlines()[-1]).items()}


def generation_rows(processes=5):
    """A row for the MLP pair and one for the synthetic function; medians over so many processes."""
    source = synthetic_source()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "synthetic.py").write_text(source)
        jobs = (("mlp", len(inspect.getsource(mlp.primal).splitlines()), PAIR.format(name="mlp"), ""),
                ("synthetic", len(source.splitlines()) - 3, SYNTHETIC.format(folder=folder), SYNTHETIC_CHECK))
        rows = []
        for function, lines, load, check in jobs:
            row = {"function": function, "lines": lines, "ms": {}, "problems": {}}
            try:
                samples = [run_probe(load, check) for _ in range(processes + 1)][1:]        # the first writes byte code
                row["ms"] = {name: median(sample[name] for sample in samples) for name in samples[0]}
                cached = [run_probe(load, check, os.path.join(folder, "cache")) for _ in range(processes + 1)][1:]
                row["ms"]["second process"] = median(sample["first gradient"] for sample in cached)
            except Exception as error:
                row["problems"]["emitted"] = failure(error)
            rows.append(row)
    return rows


WORKER = """
import contextlib, io, json, sys, time, warnings
import numpy as np
from sourcegrad.errors import SourcegradError
from tests.programs.real import load
from tests.programs.real.checks import new_gradient_function

warnings.simplefilter("ignore")
programs, answer = load(), sys.stdout

def generated(name):
    program = programs[name]
    gradient = new_gradient_function(program)[0]
    args = program.fresh()
    start = time.process_time()
    try:
        gradient.compiled(*args, **program.options)
    except SourcegradError:
        pass
    return time.process_time() - start

with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
    first, *others = programs
    generated(first)             # what only a first generation has to do; its code is kept, so it does not count
    print(json.dumps(others), file=answer, flush=True)
    for line in sys.stdin:
        print(json.dumps(generated(line.strip())), file=answer, flush=True)
"""


class Worker:
    """A process that generates the gradients of the real programs with the package and the tests of one checkout."""

    def __init__(self, root):
        environment = dict(os.environ, PYTHONPATH=str(root), OPENBLAS_NUM_THREADS="1", SOURCEGRAD_CACHE="off")
        self.process = subprocess.Popen([sys.executable, "-c", WORKER], cwd=root, env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.names = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("a process that generates code ended early")
        return json.loads(line)

    def seconds(self, name):
        """CPU time, user and system."""
        print(name, file=self.process.stdin, flush=True)
        return self.answer()


def against(other, only=()):
    """(program, seconds with the other checkout, seconds with this one), in turn: what is generated once is kept by its process."""
    with contextlib.ExitStack() as stack:
        workers = [Worker(root) for root in (Path(other).resolve(), ROOT)]
        for worker in workers:
            stack.callback(worker.process.wait)
            stack.callback(worker.process.stdin.close)
        for name in workers[0].names:
            if name in workers[1].names and (not only or any(part in name for part in only)):
                yield name, *(worker.seconds(name) for worker in workers)


def print_against(other, only=(), repeats=1):
    """The ratios new/old of the CPU time of generation for each real program, with their geometric mean; the best of several."""
    best = {}
    for _ in range(repeats):
        for name, *seconds in against(other, only):
            best[name] = tuple(map(min, best.get(name, seconds), seconds))
    print(f"{'program':42} {'old s':>7} {'new s':>7} {'ratio':>6}")
    for name, (old, new) in best.items():
        print(f"{name:42} {old:7.2f} {new:7.2f} {new / old:6.2f}")
    if best:
        old, new = map(sum, zip(*best.values()))
        mean = geometric_mean(n / o for o, n in best.values())
        print(f"{'sum; geometric mean of the ratios':42} {old:7.2f} {new:7.2f} {mean:6.2f}")
