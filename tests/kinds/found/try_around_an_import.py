"""try: import ... / except ImportError: an InternalError (a statement without origin), or refused as of another meaning."""
import sourcegrad as sg


def f(x):
    try:
        import scipy  # noqa: F401
    except ImportError:
        raise ImportError("scipy is needed")
    return x * x


def g(x):
    try:
        from math import erf
    except ImportError:
        erf = None
    return x * x if erf is None else 3.0 * x


assert sg.grad(f)(3.0) == 6.0
assert sg.grad(g)(3.0) == 3.0
