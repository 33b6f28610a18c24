"""Disk cache: generated code from one process to the next, so that the second one starts without generating.

An entry is named after the fingerprint of the function (`fingerprint`: all that it reaches), the kinds of the arguments, what is
asked for, and the versions of everything that generates; it holds the texts, and how what their names mean is found again. Nothing
of it runs before it has been compared with its hash; then the guards of the code are made anew from what there is in this process,
and must hold. What cannot be expressed so is generated as ever. Each order of a derivative has an entry of its own.

Folder: `$SOURCEGRAD_CACHE_DIR`, or `sourcegrad` in the user's folder for caches; it must belong to the user alone. Whoever can
write there can run code as the user, as with the byte code of Python. `SOURCEGRAD_CACHE=0` switches it off; `SOURCEGRAD_CACHE_SIZE`
is the size in megabytes (256) above which entries that were not used for the longest time go.
"""
from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
import platform
import stat
import sys
import tempfile
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.api.fingerprint import PLAIN, Fingerprint, Unknown, foreign, found_at, text_of
from sourcegrad.api.inline_cache import Watched, own_guards
from sourcegrad.compiler import linking
from sourcegrad.compiler.linking import Derived, Half, Link, Trial
from sourcegrad.errors import HERE, Origin
from sourcegrad.ir.scopes import MISSING, VERSION, Body, Members, Scope, live_kind
from sourcegrad.kinds.types import Kind

SUFFIX = ".json"


# --- the folder

def folder() -> str | None:
    """Where entries are; None where the cache is switched off."""
    if os.environ.get("SOURCEGRAD_CACHE", "").strip().lower() in ("0", "off", "no", "false"):
        return None
    given = os.environ.get("SOURCEGRAD_CACHE_DIR")
    if given:
        return os.path.abspath(given)
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(base, "sourcegrad") if os.path.isabs(base) else None


def is_private(path: str, make: bool = False) -> bool:
    """Whether a folder is there and belongs to the user alone. make: make it."""
    try:
        if make:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if not os.path.lexists(path):
                os.mkdir(path, 0o700)
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and (not hasattr(os, "geteuid") or (
        found.st_uid == os.geteuid() and not found.st_mode & 0o077))


def read(path: str) -> dict | None:
    """An entry whose hash is right, or None: whatever else is there counts as nothing."""
    try:
        handle = os.open(path, os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_BINARY", "O_NONBLOCK")))
        with open(handle, "rb") as file:
            data = file.read() if stat.S_ISREG(os.fstat(handle).st_mode) else b""
    except OSError:
        return None
    head, _, body = data.partition(b"\n")
    if head != _seal(body, path):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)                                      # (what was not used for the longest time goes first)
    found = json.loads(body)
    return found if isinstance(found, dict) else None


def _seal(body: bytes, path: str) -> bytes:
    """The hash of an entry, and of its name: it stands for nothing else."""
    return hashlib.sha256(os.path.basename(path).encode() + b"\n" + body).hexdigest().encode()


def write(path: str, entry: dict) -> None:
    """Write an entry so that nobody ever reads half of it; what is too much goes."""
    body = json.dumps(entry).encode()
    handle, name = tempfile.mkstemp(".tmp", dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as file:
            file.write(_seal(body, path) + b"\n" + body)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    shrink(os.path.dirname(path))


def files(path: str) -> list[tuple[float, int, str]]:
    """(when it was used, size, path) of all entries, and of what a process that was stopped has left."""
    found = []
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.name.endswith((SUFFIX, ".tmp")):
                    state = entry.stat(follow_symlinks=False)
                    found.append((state.st_mtime, state.st_size, entry.path))
    except OSError:                                         # others clean up as well
        pass
    return sorted(found)


def shrink(path: str) -> None:
    """Remove what was not used for the longest time, above the size that is allowed."""
    try:
        most = float(os.environ.get("SOURCEGRAD_CACHE_SIZE") or 256) * 2**20
    except ValueError:
        most = 256.0 * 2**20
    entries = files(path)
    total = sum(size for _, size, _ in entries)
    for _, size, name in entries if total > most else ():
        if total <= 0.9 * most:
            break
        total -= size
        remove(name)


def remove(name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name)


def clear(path: str) -> int:
    """Remove all entries; how many that were."""
    found = files(path) if is_private(path) else []
    for *_, name in found:
        remove(name)
    return sum(name.endswith(SUFFIX) for *_, name in found)


# --- versions

def _state(folder: str) -> Iterator[tuple]:
    """The Python files below a folder with all that changes when they change."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _state(entry.path)
            elif entry.name.endswith(".py"):
                found = os.stat(entry.path)
                yield entry.path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def package_state() -> list:
    """sourcegrad, and what it generates with, as they are on disk."""
    found = list(_state(HERE))
    for name in ("gast", "astor"):
        spec = importlib.util.find_spec(name)
        if spec is None or not spec.origin:
            raise Unknown(name)
        found += _state(os.path.dirname(spec.origin))
    return found


try:
    AT_IMPORT = package_state()              # what is imported later must be of the same state when an entry is written
except (OSError, Unknown):
    AT_IMPORT = []


def versions() -> list:
    """What decides which code is generated, besides the function."""
    scipy = getattr(sys.modules.get("scipy"), "__version__", None)
    return [sys.version, sys.implementation.cache_tag, sys.flags.optimize, sys.platform, platform.machine(), sys.byteorder,
            np.__version__, np.__file__, scipy, "sourcegrad.tensor" in sys.modules, AT_IMPORT]


# --- entries

def usable(gradient: Any) -> bool:
    """Whether code for a gradient function may come from the cache: no registrations of the user's, no other options than usual."""
    return (isinstance(gradient._user, types.FunctionType) and all(level._grad_outputs is None for level in levels(gradient)[1:])
            and VERSION[0] == 0 and bool(AT_IMPORT)
            and vars(linking.OPTIONS) == vars(linking.Options()) and not linking.OPTIONS.disabled)


def levels(gradient: Any) -> list[Any]:
    """A gradient function, the one that it is the gradient of, and so on."""
    return [gradient, *(levels(gradient._plain) if hasattr(type(gradient._plain), "_user") else [])]


class Entry:
    """What is on disk for one gradient function and kinds of arguments. path: None where nothing can be."""

    def __init__(self, gradient: Any, kinds: dict[str, k.Kind], outer: dict[str, k.Kind], given: bool, halves: bool) -> None:
        self.gradient, self.kinds, self.outer, self.given, self.halves = gradient, kinds, outer, given, halves
        self.path: str | None = None
        place = folder() if usable(gradient) else None
        try:
            if place is not None:
                self.met, key = self.fingerprint()
                self.path = os.path.join(place, key + SUFFIX)
        except Exception:                                   # nothing that is odd about a function may harm
            self.path = None

    def fingerprint(self) -> tuple[Fingerprint, str]:
        gradient, met = self.gradient, Fingerprint()
        met.refer(gradient._user)
        if not met.objects:
            raise Unknown("a function of a library")
        for kinds in (self.kinds, self.outer) if gradient._plain is not gradient._user else (self.kinds,):
            met.lines += [f"{name}: {met.kind(kind)}" for name, kind in kinds.items()]
        asked = [(level._active(), level._with_value, level._has_aux, level._outputs, level._tracked, level.__name__,
                  type(level).__name__, level._guarding, level._budget) for level in levels(gradient)]
        met.lines.append(repr([asked, self.given, self.halves, versions()]))
        return met, met.digest()

    # --- reading

    def load(self) -> Watched | None:
        """The generated code, if it is there and its guards hold."""
        if self.path is None or not is_private(os.path.dirname(self.path)):
            return None
        try:
            found = read(self.path)
            watched = None if found is None else self.linked(found)
            return watched if watched is not None and watched.fresh() else None
        except Exception:                                   # whatever it is, code can be generated
            return None

    def linked(self, found: dict) -> Watched:
        """Functions from their texts."""
        linking.keep_freed_memory()
        halves = [Half(part["name"], text=part["text"], made_for=self.kinds if part["made_for"] else {})
                  for part in found["halves"]]
        for half, part in zip(halves, found["halves"]):
            origins = [origin and _origin(origin) for origin in part["origins"]]
            names = {name: self.object(ref, halves) for name, ref in part["names"].items()}
            cells = {name: self.cell(ref) for name, ref in part["cells"].items()}
            taken = part["taken_from"]
            link = Link(part["module"], origins, part["checks"], self.namespace(part["globals"]), names, cells, part["described"],
                        None if taken is None else self.met.objects[taken])
            half.callees = [value for value in names.values() if isinstance(value, Half) and value is not half]
            half.finish(half.linked(link))
        trial, backward = (None if found[name] is None else halves[found[name]] for name in ("trial", "backward"))
        tried = Trial(None, 1) if found["run"] and trial is None else trial and Trial(trial.function, half=trial)
        derived = Derived(halves[found["half"]], [self.guard(item) for item in found["relies"]],
                          tried, found["silent"], backward,
                          found["silent_backward"], printed=found["printed"],
                          asked=(self.kinds, self.given, self.halves), changes=found["changes"], reads=found["reads"],
                          singular=found["singular"])
        derived.relies += own_guards(self.gradient)
        derived.below = [level._generated({name: self.outer[name] for name in level._signature().parameters}, False).derived
                         for level in self.gradient.below]
        return Watched(derived, derived.relies, self.kinds.values(), VERSION[0])

    def object(self, ref: list, halves: list[Half]) -> Any:
        """What a name means, found again."""
        sort, *rest = ref
        if sort == "half":
            return halves[rest[0]]
        if sort == "number":
            return self.met.objects[rest[0]]
        if sort == "path":
            importlib.import_module(rest[0])
            value = found_at(*rest)
            if value is MISSING:
                raise Unknown(rest)
            return value
        return CONSTANTS[rest[0]](*rest[1:])

    def cell(self, ref: list) -> types.CellType:
        function = self.met.objects[ref[0]]
        return function.__closure__[function.__code__.co_freevars.index(ref[1])]             # type: ignore[no-any-return]

    def namespace(self, ref: list | None) -> dict:
        if ref is None:
            return {}
        if ref[0] == "m":
            return vars(importlib.import_module(ref[1]))
        function = self.met.objects[ref[1]]
        return function.__globals__ if ref[0] == "g" else function.__kwdefaults__            # type: ignore[no-any-return]

    def guard(self, item: list) -> tuple[Any, str, Any]:
        """What code relies on, as it is now: the same as when it was generated, or Unknown."""
        sort, owner, cell, name, seen = item
        scope: Any
        if sort == "scope":
            scope = Scope(self.namespace(owner), {} if cell is None else {name: self.cell(cell)})
        else:
            scope = (Members if sort == "members" else Body)(self.object(owner, []))
        now = scope.lookup(name)
        if seen == "own":
            return scope, name, now
        if isinstance(seen, list):
            kind = live_kind(now, name)
            if self.met.kind(kind) != seen[0]:
                raise Unknown(name)
            return scope, name, kind
        if (now if type(now) is int else self.met.named(now, name)) != seen:
            raise Unknown(name)
        return scope, name, now

    # --- writing

    def save(self, watched: Watched) -> None:
        """Keep generated code for other processes, if all of it can be told."""
        if self.path is None:
            return
        try:
            entry = self.told(watched.derived)
            self.met, key = self.fingerprint()              # while code was generated nothing has changed
            if self.path.endswith(os.sep + key + SUFFIX) and package_state() == AT_IMPORT and VERSION[0] == 0 and is_private(
                    os.path.dirname(self.path), True):
                write(self.path, entry)
        except Exception:                                   # a full disk, a folder that is read only, something that cannot be told
            pass

    def told(self, derived: Any) -> dict:
        from sourcegrad.compiler.emit import reachable
        trial = None if derived.trial is None else derived.trial.half
        main = [half for half in (derived.half, derived.backward, trial) if half is not None]
        halves = reachable(*main)
        return {"halves": [self.half(half, halves) for half in halves], "half": halves.index(derived.half),
                "backward": None if derived.backward is None else halves.index(derived.backward),
                "trial": None if trial is None else halves.index(trial), "run": derived.trial is not None, "silent": derived.silent,
                "silent_backward": derived.silent_backward, "singular": derived.singular, "printed": derived.text,
                "changes": derived.changes, "reads": derived.reads,
                "relies": [told for item in derived.relies if (told := self.told_guard(*item)) is not None]}

    def half(self, half: Half, halves: list[Half]) -> dict:
        link = half.link
        if link is None or not isinstance(half.function, types.FunctionType):
            raise Unknown(half.__name__)
        used = set((half.compiled(0) if link.checks else half.function).__code__.co_freevars)
        return {"name": half.__name__, "text": half.text, "module": link.text, "origins": link.origins, "checks": link.checks,
                "made_for": bool(half.made_for), "described": link.described, "globals": self.told_namespace(link.globals),
                "taken_from": self.defaults_of(link.taken_from),
                "names": {name: self.reference(value, halves) for name, value in link.names.items() if name in used},
                "cells": {name: self.told_cell(cell) for name, cell in link.cells.items() if name in used}}

    def reference(self, value: Any, halves: list[Half]) -> list:
        if isinstance(value, Half):
            return ["half", halves.index(value)]
        if id(value) in self.met.numbers:
            return ["number", self.met.numbers[id(value)]]
        path = self.met.path(value) or next((("sourcegrad.runtime", name) for name, helper in vars(runtime).items()
                                             if helper is value and not name.startswith("_") and type(value) not in PLAIN), None)
        if path is not None:
            return ["path", *path]
        return ["constant", *constant(value)]

    def defaults_of(self, function: Any) -> int | None:
        """The number of a function of the user that has the same defaults as one."""
        if function is None:
            return None
        for number, one in enumerate(self.met.objects):
            if type(one) is type(function) is types.FunctionType and one.__defaults__ is function.__defaults__ and (
                    one.__kwdefaults__ is function.__kwdefaults__):
                return number
        raise Unknown("defaults")

    def told_cell(self, cell: types.CellType) -> list:
        if id(cell) not in self.met.cells:
            raise Unknown("a variable of another function")
        return list(self.met.cells[id(cell)])

    def told_namespace(self, namespace: dict) -> list | None:
        if id(namespace) in self.met.namespaces:
            return list(self.met.namespaces[id(namespace)])
        name = namespace.get("__name__", "")
        if foreign(str(name)) and vars(sys.modules.get(name, types)) is namespace:
            return ["m", name]
        if namespace.keys() - {"__builtins__"}:
            raise Unknown("a namespace")
        return None

    def told_guard(self, scope: Any, name: str, seen: Any) -> list | None:
        if type(scope) is Scope:
            if name in scope.bound:
                if isinstance(seen, Kind) and not any(scope.bound[name] is p.default
                                                      for p in self.gradient._signature().parameters.values()):
                    raise Unknown(name)
                return None
            cell = self.told_cell(scope.cells[name]) if name in scope.cells else None
            return ["scope", self.told_namespace(scope.globals), cell, name, self.seen(seen, name)]
        if type(scope) not in (Members, Body):
            raise Unknown(repr(scope))
        owner = self.reference(scope.owner, [])
        parts = name in ("__code__", "__defaults__", "__kwdefaults__", "__mro__")       # what its fingerprint tells of an owner
        own = parts or owner[0] == "number" and type(scope) is Body and name
        return ["members" if type(scope) is Members else "body", owner, None, name, "own" if own else self.seen(seen, name)]

    def seen(self, seen: Any, name: str) -> Any:
        if isinstance(seen, Kind):
            return [self.met.kind(seen)]
        return seen if type(seen) is int else self.met.named(seen, name)


class Accepted:
    """That the text of a function is in the language, so that `differentiable` need not parse it."""

    def __init__(self, function: Any) -> None:
        self.path: str | None = None
        self.function, place = function, folder() if type(function) is types.FunctionType and AT_IMPORT else None
        if place is not None:
            with contextlib.suppress(Exception):
                self.path = os.path.join(place, self.key() + SUFFIX)

    def key(self) -> str:
        told = [*Fingerprint().code(self.function.__code__), text_of(self.function), versions()]
        return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()

    def known(self) -> bool:
        with contextlib.suppress(Exception):
            return self.path is not None and is_private(os.path.dirname(self.path)) and read(self.path) == {"accepted": True}
        return False

    def save(self) -> None:
        with contextlib.suppress(Exception):
            if self.path is not None and self.path.endswith(self.key() + SUFFIX) and package_state() == AT_IMPORT and is_private(
                    os.path.dirname(self.path), True):
                write(self.path, {"accepted": True})


def constant(value: Any) -> list:
    if value is Ellipsis or value is None or type(value) in (int, bool, str):
        return ["ellipsis"] if value is Ellipsis else ["plain", value]
    if type(value) is float:
        return ["float", value.hex()]
    if type(value) is complex:
        return ["complex", value.real.hex(), value.imag.hex()]
    raise Unknown(f"{type(value)} {value!r}"[:150])


CONSTANTS: dict[str, Any] = {"plain": lambda value: value, "float": float.fromhex, "ellipsis": lambda: ...,
                             "complex": lambda real, imaginary: complex(float.fromhex(real), float.fromhex(imaginary))}


def _origin(parts: list) -> Origin:
    file, line, column, text, callers = parts
    return Origin(file, line, column, text, tuple(map(_origin, callers)))
