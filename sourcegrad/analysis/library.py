"""Functions of the standard library that are not looked into: what they do has nothing to do with derivatives."""
from __future__ import annotations

import functools
import os
import sys
from typing import Any

import numpy as np

COMPUTING = {"_collections_abc", "bisect", "cmath", "collections", "colorsys", "contextlib", "copy", "dataclasses", "decimal",
             "fractions", "functools",
             "heapq", "itertools", "math", "numbers", "operator", "random", "statistics", "types", "typing"}
INERT = {"gc", "io", "logging", "os", "pprint", "sys", "tempfile", "threading", "time", "traceback", "warnings"}
POLYNOMIALS = {np.poly1d: "Keep the coefficients in an array: np.polyval(c, x).",
               np.polynomial.Polynomial: "Keep the coefficients in an array: np.polynomial.polynomial.polyval(x, c)."}
HOLDERS = {"queue": ("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue"), "_queue": ("SimpleQueue",),
           "threading": ("Thread", "Timer"), "_thread": ("_local",), "weakref": ("WeakValueDictionary", "WeakKeyDictionary")}
STATE = {"seed", "getstate", "setstate", "getrandbits", "gauss"}     # they change the state of a random generator


def _module(function: Any) -> str:
    name = getattr(function, "__module__", None)
    return name.split(".")[0] if isinstance(name, str) else ""


def is_opaque(function: Any) -> bool:
    """Whether a function belongs to the standard library and computes nothing that could be differentiated."""
    top = _module(function)
    if top == "random" and getattr(function, "__name__", "") in STATE:
        return True
    return top in sys.stdlib_module_names and top not in COMPUTING and _in_library(top)


def is_holder(function: Any) -> bool:
    """Whether a class of the library keeps what it is given out of sight: queues, threads, locals of threads."""
    return isinstance(function, type) and function.__name__ in HOLDERS.get(function.__module__, ())


def is_inert(function: Any) -> bool:
    """Whether no derivative flows through a function: logging, warnings, clocks, files."""
    return _module(function) in INERT and is_opaque(function)


@functools.cache
def _in_library(top: str) -> bool:
    """Whether a module of that name is the library's own, not the user's."""
    file = getattr(sys.modules.get(top), "__file__", None)
    return file is None or os.path.realpath(file).startswith(os.path.realpath(os.path.dirname(os.__file__)) + os.sep)
