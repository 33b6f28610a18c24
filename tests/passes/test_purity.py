"""purity: calls of helpers whose results nobody needs are dropped, unless they do more than compute."""
import math

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.analysis.purity import _harmless

LOG = []


def loop_of_numbers(d):
    total = 0.25 * d * math.log(math.pi)
    for j in range(3):
        total += math.lgamma(0.5 * d + j)
    return total


def own_arrays_and_lists(n):
    buffer = np.zeros(3)
    for i in range(3):
        buffer[i] = n * i
    found = []
    found.append(np.sum(buffer))
    return found[0]


def calls_a_clean_one(d):
    return loop_of_numbers(d) + 1.0


def calls_itself(d):
    return 1.0 if d < 1 else calls_itself(d - 1)


def prints(d):
    print("printed", d)
    return 2.0 * d


def calls_one_that_prints(d):
    return prints(d) + 1.0


def writes_a_global(d):
    LOG.append(d)
    return 2.0 * d


def rebinds_a_global(d):
    global COUNT
    COUNT = d
    return 2.0 * d


def raises(d):
    if d < 0:
        raise ValueError("negative")
    return 1.0 * d


def asserts(d):
    assert d > 0
    return 1.0 * d


def stores_into_its_argument(a):
    a[0] = 3.0
    return 1.0


def stores_through_another_name(a):
    b = a
    b[0] = 3.0
    return 1.0


def changes_its_argument(a):
    a += 1.0
    return 1.0


def writes_to_out(a):
    np.add(a, 1.0, out=a)
    return 2.0


def writes_to_a_third_argument(a):
    np.add(a, 1.0, a)
    return 2.0


def sets_an_attribute(a):
    a.count = 1
    return 2.0


def draws(d):
    return np.random.rand(3)[0] * d


def uses_up_an_iterator(items):
    total = 0.0
    for item in items:
        total = total + item
    return total


CLEAN = [loop_of_numbers, own_arrays_and_lists, calls_a_clean_one, calls_itself]
NOT = [prints, calls_one_that_prints, writes_a_global, rebinds_a_global, raises, asserts, stores_into_its_argument,
       stores_through_another_name, changes_its_argument, writes_to_out, writes_to_a_third_argument, sets_an_attribute, draws,
       uses_up_an_iterator]


@pytest.mark.parametrize("helper", CLEAN, ids=lambda f: f.__name__)
def test_only_computes(helper):
    assert _harmless(helper, {})


@pytest.mark.parametrize("helper", NOT, ids=lambda f: f.__name__)
def test_does_more(helper):
    assert not _harmless(helper, {})


def with_unneeded_call(x):
    return x * x + calls_a_clean_one(3.0)


def test_an_unneeded_call_goes_and_comes_back(monkeypatch, capsys):
    gradient = sg.grad(with_unneeded_call)
    assert gradient(2.0) == 4.0
    code = [line for line in gradient.source.splitlines() if not line.lstrip().startswith("#")]
    assert not any("calls_a_clean_one" in line for line in code)
    monkeypatch.setitem(globals(), "loop_of_numbers", prints)             # now the call prints
    assert gradient(2.0) == 4.0
    assert capsys.readouterr().out == "printed 3.0\n"
