"""Candidates take turns, so that a slow spell of the machine falls on all of them."""
import gc
import time
from contextlib import contextmanager
from itertools import repeat
from statistics import quantiles

FEWEST_TURNS = 3
CLOCKS = {"wall": time.perf_counter, "cpu": time.thread_time}       # cpu: of this thread, whatever others do on the machine
clock = CLOCKS["wall"]
SETTLE = 0.08       # seconds; idle OpenBLAS threads were seen to spin for some 60 ms on cores others need


def block_time(function, args, calls):
    start = clock()
    for _ in repeat(None, calls):
        function(*args)
    return clock() - start


def calls_for(candidate, seconds):
    """How many calls fill so many seconds (at least one)."""
    function, args, calls = candidate.function, candidate.args, 1
    while True:
        elapsed = block_time(function, args, calls)
        if elapsed >= 0.2 * seconds:
            return max(1, round(calls * seconds / elapsed))
        calls *= 4


@contextmanager
def without_collector():
    """No collection while the clock runs; what exists is set aside, so collecting between turns is cheap."""
    enabled = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if enabled:
            gc.enable()


def interleaved(candidates, budget, turns, settle=False):
    """Quartiles of the seconds per call of each candidate, by name, spending about `budget` seconds on each.

    With `settle`, each turn begins with a pause and a call off the clock: where several frameworks have
    thread pools of their own, the threads of one would slow down the next.
    """
    times = {candidate.name: [] for candidate in candidates}
    with without_collector():
        calls = {candidate.name: calls_for(candidate, budget / turns) for candidate in candidates}
        spent = dict.fromkeys(times, 0.0)
        for turn in range(turns):
            shift = turn % len(candidates)                  # nobody always follows the same neighbour
            for candidate in candidates[shift:] + candidates[:shift]:
                name, function, args = candidate.name, candidate.function, candidate.args
                if turn >= FEWEST_TURNS and spent[name] >= budget:
                    continue
                if settle:
                    time.sleep(SETTLE)
                    function(*args)
                elapsed = block_time(function, args, calls[name])
                spent[name] += elapsed
                times[name].append(elapsed / calls[name])
            gc.collect()
    return {name: quantiles(samples, n=4, method="inclusive") for name, samples in times.items()}
