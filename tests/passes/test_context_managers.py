"""context_managers: `with` of an object calls its methods, where these only compute."""
import threading

import numpy as np

from tests.passes.becomes import Within

CASES = Within("context_managers")


class Boosted:
    def __init__(self, gain):
        self.gain = gain
        self.depth = 0

    def __enter__(self):
        self.depth += 1
        self.gain = self.gain * 2.0
        return self

    def __exit__(self, kind, error, trace):
        self.depth -= 1
        self.gain = self.gain / 2.0


@CASES.becomes("""
    boosted = Boosted(x)
    context = boosted
    unused = context.__enter__()
    boosted_gain = boosted.gain
    y = x * boosted_gain
    unused_2 = context.__exit__(None, None, None)
    boosted_gain_2 = boosted.gain
    result = y * boosted_gain_2
    return result
""", x=2.0)
def methods_that_compute(x):
    boosted = Boosted(x)
    with boosted:
        y = x * boosted.gain
    return y * boosted.gain


@CASES.becomes("""
    Boosted_x = Boosted(x)
    context = Boosted_x
    outer = context.__enter__()
    inner = enter(outer)
    inner_gain = inner.gain
    y = x * inner_gain
    leave()
    unused = context.__exit__(None, None, None)
    outer_depth = outer.depth
    result = y + outer_depth
    return result
""", x=2.0)
def one_inside_of_another(x):
    with Boosted(x) as outer:
        with outer as inner:
            y = x * inner.gain
    return y + outer.depth


@CASES.stays(x=2.0)
def a_lock(x):
    lock = threading.Lock()
    with lock:
        y = x * x
    return y


@CASES.stays(x=2.0)
def a_context_of_numpy(x):
    with np.errstate(all="ignore"):
        y = np.log(x)
    return y


test_context_managers = CASES.check()
