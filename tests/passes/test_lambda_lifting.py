"""lambda_lifting: nested functions become functions that take what they capture first."""
from sourcegrad.ir.source import to_text
from sourcegrad.parse.resolve import describe, resolve
from sourcegrad.syntax.desugar import desugar
from sourcegrad.syntax.lambda_lifting import lambda_lifting
from tests.passes.becomes import Cases, body

CASES = Cases("lambda_lifting")
becomes = CASES.becomes


@becomes("""
    return scaled(a, x) + scaled(a, 2.0)
""")
def captures(x, a):
    def scaled(t):
        return a * t

    return scaled(x) + scaled(2.0)


@becomes("""
    a = 1.0
    first = scaled(a, x)
    a = 2.0
    return first + scaled(a, x)
""")
def captures_what_is_there_at_the_call(x):
    a = 1.0

    def scaled(t):
        return a * t

    first = scaled(x)
    a = 2.0
    return first + scaled(x)


@becomes("""
    return square(x)
""")
def named_lambda(x):
    square = lambda t: t * t  # noqa: E731 (a lambda with a name is what users write)
    return square(x)


@becomes("""
    return outer(b, a, x)
""")
def sibling(x, a, b):
    def inner(t):
        return a * t

    def outer(t):
        return b * inner(t)

    return outer(x)


@becomes("""
    total = 0.0
    total = add(total, x)
    y, total = twice(total, x)
    return y + ((twice_results := twice(total, y)), (total := twice_results[1]), twice_results[0])[-1]
""")
def writes_nonlocal(x):
    total = 0.0

    def add(t):
        nonlocal total
        total += t

    def twice(t):
        add(2.0 * t)
        return total

    add(x)
    y = twice(x)
    return y + twice(y)


@becomes("""
    by_default = 2.0 * x
    return scaled(by_default, x)
""")
def computed_default(x):
    def scaled(t, by=2.0 * x):
        return t * by

    return scaled(x)


@becomes("""
    return apply(scaled_closure_2(a), x)
""")
def as_value(x, a, apply):
    def scaled(t):
        return a * t

    return apply(scaled, x)


test_closures = CASES.check()


def test_lifted_function() -> None:
    unit = lambda_lifting(desugar(resolve(describe(sibling))))
    assert body(to_text(unit.env["outer"].tree)) == "return b * inner(a, t)"
    assert unit.env["outer"].parameters == ["b", "a", "t"]
