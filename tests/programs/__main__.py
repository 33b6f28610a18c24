"""`python -m tests.programs NAME [ORDER]`: one program, its derivative's text, and whether the oracles agree."""
from __future__ import annotations

import inspect
import sys

from tests.programs.checks import check_derivative, draw_weights, gradient_function
from tests.programs.corpus import BY_NAME
from tests.programs.texts import emitted


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in BY_NAME:
        sys.exit("usage: python -m tests.programs NAME [ORDER]\n" + " ".join(BY_NAME))
    program = BY_NAME[sys.argv[1]]
    order = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    print(inspect.getsource(program.function))
    print(f"# inputs={program.inputs!r} of arguments {program.args!r} {program.options or ''}\n")
    print(emitted(program, order))
    print("result:", gradient_function(program, draw_weights(program, order))(*program.fresh(), **program.options))
    check_derivative(program, order)
    print("agrees with dual numbers and central differences")


main()
