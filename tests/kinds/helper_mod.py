"""A module that is reached by value."""
import types

CONSTANT = 2.0
def square(x): return x * x
sub = types.SimpleNamespace(cube=lambda x: x ** 3)
