"""`python -m tests.programs.kernels [NAME [ORDER]]`: one kernel with its derivative's text, or a table of all."""
from __future__ import annotations

import inspect
import sys

from sourcegrad.errors import InternalError, SourcegradError
from tests.programs.checks import source_text
from tests.programs.kernels import BY_NAME
from tests.programs.kernels.checks import check_kernel, draw_weights, evaluate, gradient_function
from tests.programs.kernels.kernel import Kernel

OK, REFUSED, WRONG, BROKEN = "ok", "refused", "WRONG", "BROKEN"


def verdict(kernel: Kernel, order: int) -> tuple[str, str]:
    """How a kernel fares, and the first line of what is said about it.

    Refused: a located error. Wrong: the numbers, the types or the caller's data. Broken: any other exception.
    """
    try:
        check_kernel(kernel, order)
    except InternalError as error:
        return BROKEN, f"InternalError: {first_line(error)}"
    except SourcegradError as error:
        return REFUSED, first_line(error)
    except AssertionError as error:
        return WRONG, " ".join(str(error).split())[:160]
    except AttributeError as error:
        missing = "'output'" in str(error)
        return (REFUSED if missing else BROKEN), f"AttributeError: {first_line(error)}"
    except Exception as error:
        return BROKEN, f"{type(error).__name__}: {first_line(error)}"
    return OK, ""


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0].rpartition("/")[2]


def table(orders: tuple[int, ...]) -> int:
    """Print a line for every kernel and order; the number of those that are not right."""
    count: dict[str, int] = {}
    for name, kernel in BY_NAME.items():
        for order in orders:
            if order > kernel.order:
                continue
            state, text = verdict(kernel, order)
            count[state] = count.get(state, 0) + 1
            print(f"{name:28} {order}  {state:8} {text}".rstrip(), flush=True)
    print(", ".join(f"{number} {state}" for state, number in count.items()))
    return sum(number for state, number in count.items() if state != OK)


def show(kernel: Kernel, order: int) -> None:
    print(inspect.getsource(kernel.function))
    print(f"# inputs={kernel.inputs!r} outputs={kernel.outputs!r} arguments={kernel.args!r} {kernel.options or ''}\n")
    weights = draw_weights(kernel, order)
    function = gradient_function(kernel, weights)
    result = evaluate(kernel, weights, kernel.fresh(), function)
    print(source_text(function))
    print("grad_outputs:", weights[-1])
    print("result:", result)
    check_kernel(kernel, order)
    print("agrees with central differences")


def main() -> None:
    names = sys.argv[1:]
    if not names or names[0].isdigit():
        sys.exit(1 if table(tuple(map(int, names)) or (1, 2)) else 0)
    if names[0] not in BY_NAME:
        sys.exit("usage: python -m tests.programs.kernels [ORDER | NAME [ORDER]]\n" + " ".join(BY_NAME))
    show(BY_NAME[names[0]], int(names[1]) if len(names) > 1 else 1)


main()
