"""The examples in the docstrings of all modules run and give what they say."""
import doctest
import importlib
import pkgutil

import pytest

import sourcegrad
from sourcegrad.primitives.core import PRIMITIVES, RULES, ZERO_DERIVATIVE

MODULES = [m.name for m in pkgutil.walk_packages(sourcegrad.__path__, "sourcegrad.") if not m.name.endswith("__main__")]
PUBLIC = [getattr(sourcegrad, name) for name in sourcegrad.__all__]


@pytest.fixture
def registry():
    """Examples register rules: undo that."""
    before = dict(RULES), dict(ZERO_DERIVATIVE), dict(PRIMITIVES)
    yield
    for registered, saved in zip((RULES, ZERO_DERIVATIVE, PRIMITIVES), before):
        registered.clear()
        registered.update(saved)


@pytest.mark.parametrize("name", ["sourcegrad", *MODULES])
def test_examples(name, registry):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", ["sourcegrad", *MODULES])
def test_every_module_says_what_it_is_for(name):
    assert name == "sourcegrad" or importlib.import_module(name).__doc__ or is_empty(name)


def is_empty(name):
    return hasattr(importlib.import_module(name), "__path__")


@pytest.mark.parametrize("thing", PUBLIC, ids=sourcegrad.__all__)
def test_every_public_name_has_an_example(thing):
    assert ">>>" in (thing.__doc__ or ""), f"{thing} has no example in its docstring"
