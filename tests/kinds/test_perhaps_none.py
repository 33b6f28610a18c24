"""`x = f(...)` that may be None, an assert that shows it, an augmented assignment, a `try`: right, raised alike, or refused."""
from __future__ import annotations

import itertools

import pytest

from tests.kinds.outcomes import module, outcomes

MADE = {
    "branch": "def made(x, k):\n    if k > 0:\n        return x * x\n    return None\n",
    "no return": "def made(x, k):\n    if k > 0:\n        return x * x\n",
    "early": "def made(x, k):\n    if k <= 0:\n        return\n    return x * 3.0 * x\n",
    "get": "def made(x, k):\n    return {1: x * x, 2: x}.get(k)\n",
    "search": "def made(x, k):\n    for j in range(3):\n        if j == k - 1:\n            return x * (j + 1.0)\n",
    "by name": "def made(x, k):\n    found = None\n    if k > 0:\n        found = x * x\n    return found\n",
    "caught": "def made(x, k):\n    try:\n        return [x, x * x][2 - k if k else 5]\n    except IndexError:\n"
        "        return None\n",
}
ASSERTS = {
    "none": "", "is not None": "assert y is not None", "text": "assert y is not None, f'no value: {y}'",
    "shown": "assert y is not None, y", "tuple": "assert y is not None, ('no value', x, y)", "truth": "assert y, repr(y)",
    "number": "assert isinstance(y, float), y", "or": "assert y is not None or k > 5, [y]",
    "raise": "if y is None:\n        raise AssertionError(f'{y}')", "default": "if y is None:\n        y = 1.5 * x",
}
UPDATES = {"*=": "y *= 2.0", "+=": "y += x", "-=": "y -= 0.5 * x", "**=": "y **= 2", "/=": "y /= x",
           "*": "y = y * x", "twice": "y *= x\n    y *= 3.0",
           "if": "if k > 1:\n        y *= x"}
TRIES = {
    "none": "", "handled": "try:\n        z = y * x\n    except TypeError:\n        z = 7.0 * x\n    y = z",
    "finally": "try:\n        y = y * x\n    finally:\n        x = x * 2.0\n    y = y + x",
    "else": "try:\n        z = [y, x][k - 1]\n    except IndexError:\n        z = x\n    else:\n        z = z * x\n    y = y + z",
    "raises": "try:\n        if k == 2:\n            raise ValueError(y)\n        y = y * 3.0\n    except ValueError as e:\n"
        "        y = x * 5.0",
    "around": None,
}


def programs() -> dict[str, str]:
    """Every eleventh of all, in which each two come together."""
    found = {}
    for made, shown, update, tried in list(itertools.product(MADE, ASSERTS, UPDATES, TRIES))[::41]:
        steps = [step for step in (ASSERTS[shown], UPDATES[update], TRIES[tried]) if step]
        body = "\n    ".join(steps)
        if tried == "around":
            inner = body.replace("\n", "\n    ")
            body = f"try:\n        {inner}\n    except (TypeError, AssertionError):\n        y = 9.0 * x"
        found[f"{made}, {shown}, {update}, {tried}"] = f"{MADE[made]}\ndef f(x, k):\n    y = made(x, k)\n    {body}\n    return y\n"
    return found


PROGRAMS = programs()


@pytest.mark.parametrize("name", PROGRAMS)
def test_perhaps_none(name: str) -> None:
    found = outcomes(module(PROGRAMS[name])["f"], [(1.3, k) for k in (1, 2, 1, 0)])
    assert found[0] == "right" or "refused" in found


@pytest.mark.parametrize("name", list(PROGRAMS)[::4])
def test_the_other_way_first(name: str) -> None:
    outcomes(module(PROGRAMS[name])["f"], [(1.3, k) for k in (0, 1, 2)])
