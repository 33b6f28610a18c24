"""Which pairs Numba compiles as they are exported, and how much faster they are then: `python -m benchmarks.compiled [NAME ...]`.

The plain module and that of `--numba` take turns in one run, after compilation; the median ratio of their CPU times is printed, as
the table of docs/howto/numba.md has it. Where Numba does not compile a module, what it does not know is given.
"""
import importlib.util
import re
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import sourcegrad as sg

from . import pairs
from .cases import copies, flat, mismatch

REASONS = [(r"Function\(<intrinsic _impl>\)", "`@` of arrays of these ranks"),
           (r"No implementation of function Function\(<[\w -]*? (\w+)(?: at \w+)?>\)", r"`\1` with these arguments"),
           (r"Use of unsupported NumPy function '([\w.]+)'", r"`\1`"), (r"Untyped global name '(\w+)'", r"`\1`"),
           (r"Unknown attribute '(\w+)' of type (\w+)", r"`\1` of \2"), (r"Cannot unify", "a variable of two types")]
TURNS = 3


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.primal_value_and_grad


def seconds(function, args, least=0.02):
    """CPU time of a call, from as many as take some time."""
    calls, start = 0, time.process_time()
    while time.process_time() - start < least:
        function(*args)
        calls += 1
    return (time.process_time() - start) / calls


def measured(name, folder):
    """How many times as fast as the plain module the compiled one is, or None; why it does not compile, or None."""
    pair = pairs.load(name)
    gradient = sg.value_and_grad(pair.primal, inputs=pair.INPUTS)
    args = pair.make("full", np.random.default_rng(1))
    expected = gradient(*copies(args))
    for numba in (False, True):
        gradient.export(folder / f"{name}_{'compiled' if numba else 'plain'}.py", numba=numba)
    try:
        functions = [load(folder / f"{name}_{form}.py") for form in ("plain", "compiled")]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")             # of Numba, on arrays that do not lie row by row
            found = functions[1](*copies(args))
    except Exception as error:
        found = ((re.search(pattern, str(error)), words) for pattern, words in REASONS)
        return None, next((match.expand(words) for match, words in found if match), f"{type(error).__name__}")
    if wrong := mismatch(flat(found), [np.asarray(part) for part in flat(expected)]):
        return None, f"wrong: {wrong}"
    times = [[seconds(function, args) for function in functions] for _ in range(TURNS)]
    return float(np.median([plain / compiled for plain, compiled in times])), None


def main(names):
    print("| pair | times as fast | why not |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or pairs.NAMES:
            ratio, why = measured(name, Path(folder))
            print(f"| {name} | {'' if ratio is None else f'{ratio:.2g}'} | {why or ''} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
