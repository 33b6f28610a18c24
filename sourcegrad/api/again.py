"""Code that is generated once more: after what generated code has refused when it ran, with what runs as it stands."""
from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from sourcegrad.api import inputs as accepted
from sourcegrad.api.inline_cache import ask_nothing
from sourcegrad.api.shadow_run import duplicated
from sourcegrad.errors import InputError, InternalError, OutputError, SourcegradError
from sourcegrad.ir import source
from sourcegrad.ir.effort import learned_now
from sourcegrad.runtime.places import NoNumber

_reached: weakref.WeakKeyDictionary[Any, set] = weakref.WeakKeyDictionary()        # by function, places where its code was refused


def observed(gradient: Any, bound: source.BoundArguments, *seen: Any) -> str | None:
    """What the arguments of a call show of an expression that depends on no input: see `api.observation`."""
    from sourcegrad.api.observation import Profile
    return Profile(*seen).of(gradient._user, lambda: duplicated(users_own(gradient, bound)))


def users_own(gradient: Any, bound: source.BoundArguments) -> source.BoundArguments:
    """The arguments of the user's own function, below any number of gradients."""
    while hasattr(gradient, "_primal"):
        bound, gradient = gradient._primal(bound), gradient._plain
    return bound


def made_again(gradient: Any, make: Callable[[], Any], error: Any) -> bool:
    """Whether there is other code, in which an expression runs as it stands, after what generated code has refused when it ran.

    make: generates code for the call."""
    if isinstance(error, TypeError):
        return False
    if isinstance(error, NoNumber):                          # an attribute is no number: other code does not ask
        return ask_nothing(gradient._user)
    problem = accepted.located(error, gradient._user)
    if getattr(problem, "other_kind", False):
        learned_now().known.clear()                          # what it was taken for goes with it
        return True
    tried = _reached.setdefault(gradient._user, set())
    refused = isinstance(problem, (InputError, InternalError, OutputError)) or problem.lost == "anyway"
    if refused or problem.origin is None or problem.origin[:3] in tried or learned_now().tried:
        return False
    tried.add(problem.origin[:3])
    token = source.REACHED.set(problem)
    try:
        make()
    except SourcegradError:
        return False
    finally:
        source.REACHED.reset(token)
    return True
