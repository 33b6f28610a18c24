"""`try: import x` is decided when code is generated: right, or a located refusal, never an InternalError."""
import numpy as np
import pytest

import sourcegrad as sg

BODIES = {"module": ("import scipy", True), "name": ("from math import sin as name", True),
          "missing module": ("import not_there as name", False), "missing name": ("from math import not_there as name", False),
          "two": ("import math\n        from cmath import exp as name", True),
          "missing after one": ("import math\n        import not_there as name", False),
          "nothing": ("pass", True), "text": ("'text'", True), "declared": ("z: float", True)}
REST = {
    "raise": "    except ImportError:\n        raise ImportError('needed')\n    y = 2.0 * x",
    "other": "    except ImportError:\n        y = x\n    else:\n        y = x * x",
    "none": "    except (ImportError, AttributeError):\n        name = None\n    y = x * x",
    "error": "    except ImportError as error:\n        x = 3.0 * x\n    y = x * x",
    "finally": "    except ImportError:\n        x = 3.0 * x\n    finally:\n        x = 2.0 * x\n    y = x * x",
    "else, finally": "    except ImportError:\n        x = 3.0 * x\n    else:\n        x = x * x\n"
                     "    finally:\n        x = 2.0 * x\n    y = x",
    "return": "    except ImportError:\n        return 5.0 * x\n    y = x * x",
    "bare": "    except:\n        x = 3.0 * x\n    y = x * x",
}
REFUSED = {("name", "none"), ("two", "none"), ("module", "none")}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("rest", REST)
def test_tried(body, rest, tmp_path):
    text, there = BODIES[body]
    file = tmp_path / "program.py"
    file.write_text(f"def f(x):\n    try:\n        {text}\n{REST[rest]}\n    return y\n")
    names = {"np": np, "__name__": "program"}
    exec(compile(file.read_text(), str(file), "exec"), names)
    f = names["f"]
    try:
        wanted = (f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6
    except ImportError as error:
        with pytest.raises((type(error), sg.UnsupportedError)):
            sg.grad(f)(2.0)
        return
    try:
        assert abs(sg.grad(f)(2.0) - wanted) < 1e-6
    except sg.UnsupportedError as error:
        assert not there and error.origin is not None, error


def test_used():
    def f(x):
        try:
            from scipy import special as sp
        except ImportError:
            sp = None
        return sp.expit(x) if sp is not None else x

    def g(x):
        try:
            import not_there as sp
        except ImportError:
            sp = None
        return sp.expit(x) if sp is not None else 3.0 * x

    def in_a_loop(x):
        for _ in range(2):
            try:
                from math import sin
            except ImportError:
                continue
            x = sin(x)
        return x

    for function in (f, in_a_loop):
        sg.check_grad(function, 0.7)
    assert sg.grad(g)(0.7) == 3.0
