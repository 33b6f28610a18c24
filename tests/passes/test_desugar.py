"""desugar: statement forms of one meaning become one form."""
import numpy as np

from tests.passes.becomes import Cases

CASES = Cases("desugar")
becomes = CASES.becomes


@becomes("""
    y = 1.0
    y = iadd(y, x)
    y = ipow(y, 2)
    return y
""")
def augmented(x):
    y = 1.0
    y += x
    y **= 2
    return y


@becomes("""
    value = x * x
    a = value
    b = value
    c = 1.0
    d = 1.0
    return a + b + c + d
""")
def chained(x):
    a = b = x * x
    c = d = 1.0
    return a + b + c + d


@becomes("""
    y = x
    return y
""")
def annotated_and_empty(x: float) -> float:
    """The docstring goes, too."""
    y: float = x
    z: float  # noqa: F842 (the bare annotation is what is tested)
    pass
    return y


@becomes("""
    y = np.zeros(3)
    y = index_store(y, np.s_[0], x)
    y = index_store(y, np.s_[1:], 2.0 * x)
    return y.sum()
""")
def store(x):
    y = np.zeros(3)
    y[0] = x
    y[1:] = 2.0 * x
    return y.sum()


@becomes("""
    y = np.zeros(3)
    y = index_update(y, np.s_[k], y[k] + x)
    index = k + 1
    y = index_update(y, np.s_[index], y[index] * x)
    return y.sum()
""")
def store_update_evaluates_its_index_once(x, k):
    y = np.zeros(3)
    y[k] += x
    y[k + 1] *= x
    return y.sum()


@becomes("""
    x = index_store(x, np.s_[0], 1.0)
    return (x * y).sum()
""")
def store_into_arguments_works_on_copies(x, y):
    x[0] = 1.0
    return (x * y).sum()


@becomes("""
    y = np.zeros(2)
    value = x
    item, item_2 = value
    y = index_store(y, np.s_[0], item)
    item_3, item_4 = item_2
    z = item_3
    y = index_store(y, np.s_[1], item_4)
    return y.sum() + z
""")
def store_in_a_tuple(x):
    y = np.zeros(2)
    y[0], (z, y[1]) = x
    return y.sum() + z


test_desugar = CASES.check()
