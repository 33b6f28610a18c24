"""Type inference of Python's own functions, of random numbers, text and attributes of arrays."""
from __future__ import annotations

import abc
import builtins
import collections
import enum
import functools
import operator
import random
import re
from collections.abc import Callable, Iterable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.objects import class_of
from sourcegrad.errors import UnsupportedError, losing
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.unit import Function
from sourcegrad.kinds import Kind, results
from sourcegrad.kinds.lattice import minus
from sourcegrad.kinds.results import Unknown, constant_truth, shape_of
from sourcegrad.primitives import dicts
from sourcegrad.primitives.core import primitive_of
from sourcegrad.primitives.methods import SHAPE_ATTRIBUTES, part_kind
from sourcegrad.primitives.zero import MATCH

# --- primitives whose kinds are about Python values -----------------------------------------------------

def _arithmetic(symbol: str) -> Callable:
    def kind(a: Kind, b: Kind) -> Kind | None:
        if isinstance(a, k.Const) and isinstance(b, k.Const) and all(
                type(x.value) in (int, str) for x in (a, b)) and symbol in "+-*":
            try:
                return k.Const({"+": operator.add, "-": operator.sub, "*": operator.mul}[symbol](a.value, b.value))
            except TypeError:
                return None
        if symbol in "+-" and isinstance(a, k.Num) and a.dtype == "pyint" and isinstance(a.size, str) and isinstance(
                b, k.Const) and type(b.value) is int:
            amount = -b.value if symbol == "+" else b.value
            if amount >= 0:
                return k.Num("pyint", (), False, minus(a.size, amount))
            return k.INT
        if symbol == "+" and isinstance(a, k.Tup) and isinstance(b, k.Tup):
            return k.Tup(a.items + b.items)
        if symbol == "+" and isinstance(a, k.Lst) and isinstance(b, k.Lst):
            return k.Lst(k.join(a.item, b.item) if a.item or b.item else None)
        if symbol == "*" and isinstance(a, k.Tup) and isinstance(b, k.Const) and type(b.value) is int:
            return k.Tup(a.items * b.value)
        if symbol == "*" and isinstance(a, k.Lst):
            return a
        return None
    return kind


def _len(kind: Kind) -> Kind:
    if isinstance(kind, k.Tup) or (isinstance(kind, k.Dct) and not kind.partial):
        return k.Const(len(kind.items))
    if isinstance(kind, k.Num) and kind.dims:
        dim = kind.dims[0]
        return k.Const(dim) if isinstance(dim, int) else k.Num("pyint", (), False, dim)
    return k.INT


def isinstance_kind(value: Kind, cls: Kind) -> Kind:
    """What isinstance(value, cls) gives."""
    types_: Any = cls.value if isinstance(cls, k.Fn) else None
    if isinstance(cls, k.Tup) and k.all_of(cls.items, k.Fn):
        types_ = tuple(c.value for c in cls.items)
    possible = [item.cls for item in value.items] if isinstance(value, k.OneOf) else python_types(value)
    absent = {False} if isinstance(value, k.OneOf) and value.optional else set[bool]()
    if types_ is None or not possible or any(map(asks_instances, types_ if isinstance(types_, tuple) else (types_,))):
        return k.BOOL
    answers = {issubclass(actual, types_) for actual in possible} | absent
    return k.Const(answers.pop()) if len(answers) == 1 else k.BOOL


def asks_instances(cls: Any) -> bool:
    """Whether what is an instance of a class is not told by classes: protocols look for attributes, metaclasses for anything."""
    above = type(cls).__mro__
    return getattr(cls, "_is_protocol", False) is True or any("__instancecheck__" in vars(c) for c in above if c not in (
        type, abc.ABCMeta))


def _issubdtype(one: Kind, other: Kind) -> Kind:
    """np.issubdtype(x.dtype, np.floating) and issubclass(x.dtype.type, np.floating), where both are known."""
    if not all(isinstance(x, (k.Fn, k.Const)) and x.value is not None for x in (one, other)):
        return k.BOOL
    try:
        return k.Const(bool(np.issubdtype(one.value, other.value)))                           # type: ignore[attr-defined]
    except TypeError:
        return k.BOOL


def _issubclass(one: Kind, other: Kind) -> Kind:
    others = other.items if isinstance(other, k.Tup) else (other,)
    if not all(isinstance(x, k.Fn) and isinstance(x.value, type) for x in (one, *others)):
        return k.BOOL
    return k.Const(issubclass(one.value, tuple(x.value for x in others)))                     # type: ignore[attr-defined]


def python_types(kind: Kind) -> tuple[type, ...]:
    """The types that a value of this kind may have, as far as tests tell them apart; none where that is not known."""
    actual = python_type(kind)
    if actual is not None or not isinstance(kind, k.Num):
        return () if actual is None else (actual,)
    if kind.is_scalar and kind.dtype is not None:           # arithmetic makes one of the other, and so do what is joined
        return (bool, int, np.bool_, np.int32, np.int64) if kind.dtype == "int64" else (float, np.float64)
    scalars = (bool, int, float, complex, np.bool_, np.int64, np.float32, np.float64, np.complex128)
    return scalars if kind.is_scalar else (*scalars, np.ndarray)


def python_type(kind: Kind) -> type | None:
    if isinstance(kind, k.Const):
        return type(kind.value)
    if isinstance(kind, k.Num) and kind.boxed:
        return np.ndarray
    if isinstance(kind, k.Num) and kind.is_scalar and kind.dtype is not None:
        python = {v: key for key, v in k.PYTHON_SCALARS.items()}
        return None if kind.dtype in ("float64", "int64") else python.get(kind.dtype) or np.dtype(kind.dtype).type
    if isinstance(kind, k.Tup):
        return kind.cls if isinstance(kind, k.Named) else tuple
    if isinstance(kind, k.Lst):
        return None if kind.optional else list
    if isinstance(kind, k.Rest):
        return tuple
    if isinstance(kind, (k.Dct, k.Map)):
        return None if kind.made is k.ANY else collections.defaultdict if kind.made else dict
    if isinstance(kind, k.Obj):
        return None if kind.optional or kind.is_caught else kind.cls
    return None


def _list(kind: Kind = k.Tup(())) -> Kind | None:
    if isinstance(kind, k.Lst):
        return kind
    known = isinstance(kind, (k.Rest, k.Tup, k.Dct, k.Map)) or isinstance(kind, k.Num) and kind.dims or (
        isinstance(kind, k.Obj) and kind.cls is range)
    return k.Lst(element_kind(kind)) if known else None


def _set(kind: Kind | None = None) -> Kind:
    try:
        return k.SetOf(item=None if kind is None else results.item_kind(kind))
    except results.Unknown:
        return k.Obj(set)


def _sequence(kind: Kind) -> Kind | None:
    if isinstance(kind, (k.Dct, k.Map)):
        return k.Lst(k.as_map(kind).key)
    if k.is_text(kind):
        return k.text_from(kind)
    known = isinstance(kind, (k.Lst, k.Tup, k.Rest)) or (isinstance(kind, k.Num) and kind.boxed) or (
        isinstance(kind, k.Obj) and kind.cls is range)
    return kind if known else (k.Num(kind.dtype) if isinstance(kind, k.Num) else None)


def _stored(base: Kind, index: Kind, value: Kind) -> Kind | None:
    if isinstance(base, k.Lst):
        return k.Lst(k.join(base.item, value) if base.item else value)
    if isinstance(base, (k.Dct, k.Map)):
        return dicts.stored_kind(base, index, value)
    return base if isinstance(base, k.Num) else k.ANY


def _callable(kind: Kind) -> Kind:
    if isinstance(kind, k.Obj) and kind.items is not None and not kind.optional:
        return k.Const(any("__call__" in vars(base) for base in kind.cls.__mro__))       # (that of `type` makes instances)
    if isinstance(kind, (k.Num, k.Const, k.Tup, k.Lst, k.Dct, k.Map)) and not isinstance(kind, k.Named):
        return k.Const(isinstance(kind, k.Const) and callable(kind.value))
    return k.Const(True) if isinstance(kind, (k.Fn, k.Closure)) else k.BOOL


def _answer(true: Callable[[Kind], bool], false: Callable[[Kind], bool]) -> Callable:
    """A question that the kind of its argument may answer."""
    return lambda kind: k.Const(True) if true(kind) else k.Const(False) if false(kind) else k.BOOL


def _is_collection(kind: Kind) -> bool:
    return isinstance(kind, (k.Tup, k.Dct, k.Map, k.Rest)) or isinstance(kind, k.Lst) and not kind.optional


def _is_array(kind: Kind) -> bool:
    return isinstance(kind, k.Num) and bool(kind.boxed)


def _is_scalar(kind: Kind) -> bool:
    kind = k.as_num(kind)
    return isinstance(kind, k.Num) and kind.is_scalar


def _is_complex(wanted: bool) -> Callable[[Kind], bool]:
    return lambda kind: isinstance(k.as_num(kind), k.Num) and k.as_num(kind).is_complex is wanted      # type: ignore[attr-defined]


def _dict(*args: Kind, **more: Kind) -> Kind | None:
    return args[0] if len(args) == 1 and isinstance(args[0], (k.Dct, k.Map)) and not more else None


def _merged(a: Kind, b: Kind) -> Kind | None:
    return dicts.union_kind(a, b) if all(isinstance(x, (k.Dct, k.Map)) for x in (a, b)) else None


def _specials() -> dict[Any, Callable]:
    from sourcegrad import runtime
    return {**module_draws(), set: _set, frozenset: lambda *args: k.Obj(frozenset),
            collections.Counter: lambda *args, **counts: k.Counts(k.ANY if args or counts else None, k.INT),
            operator.add: _arithmetic("+"), operator.sub: _arithmetic("-"), operator.mul: _arithmetic("*"),
            operator.or_: _merged, **dict.fromkeys((str, repr, format), k.text_from),
            len: _len, isinstance: isinstance_kind, list: _list, range: lambda *a: k.Obj(range),
            runtime.index_set: _stored, runtime.index_store: _stored, runtime.index_update: _stored,
            runtime.own: lambda x, *others: k.as_num(x),
            runtime.sequence: _sequence, reversed: lambda kind: kind if isinstance(kind, (k.Lst, k.Obj)) else None,
            dict: _dict,
            tuple: lambda kind=k.Tup(()): kind if isinstance(kind, k.Tup) else None,
            callable: _callable,
            np.issubdtype: _issubdtype, issubclass: _issubclass,
            np.isscalar: _answer(_is_scalar, lambda kind: _is_array(kind) or _is_collection(kind)),
            np.iterable: _answer(lambda kind: isinstance(kind, k.Num) and bool(kind.dims) or _is_collection(kind), _is_scalar),
            np.iscomplexobj: _answer(_is_complex(True), _is_complex(False)),
            np.isrealobj: _answer(_is_complex(False), _is_complex(True)),
            bool: lambda kind=k.Const(False): k.BOOL if constant_truth(kind) is None else k.Const(constant_truth(kind))}


class _Lazy(dict):
    def get(self, key: Any, default: Any = None) -> Any:
        if not self:
            self.update(_specials())
        return super().get(key, default)


SPECIAL = _Lazy()


# --- Kinds of random numbers: floats or integers of the size that is asked for. What they are is only known when they are drawn.

PARAMETERS = {                          # beside `size`
    "float": {**dict.fromkeys(("standard_normal", "random", "random_sample", "ranf", "sample", "standard_exponential",
                               "standard_cauchy"), ()),
              **dict.fromkeys(("exponential", "rayleigh"), ("scale",)), **dict.fromkeys(("chisquare", "standard_t"), ("df",)),
              **dict.fromkeys(("normal", "laplace", "logistic", "gumbel"), ("loc", "scale")),
              "uniform": ("low", "high"), "lognormal": ("mean", "sigma"), "gamma": ("shape", "scale"), "beta": ("a", "b"),
              "standard_gamma": ("shape",)},
    "int": {"poisson": ("lam",), "geometric": ("p",), "binomial": ("n", "p")}}
GENERATORS = (np.random.Generator, np.random.RandomState)


def only_sizes(function: Any) -> bool:
    """Whether it is np.random.rand or the like: what it is given says how many numbers it draws."""
    name = getattr(function, "__name__", "")
    return isinstance(getattr(function, "__self__", None), np.random.RandomState) and (
        name in ("rand", "randn", "bytes") or PARAMETERS["float"].get(name) == ())


def draw_kind(name: str, args: tuple, options: dict[str, Kind]) -> Kind | None:
    """The kind of what `rng.name(*args, **options)` gives; None where it is not known."""
    if name in ("rand", "randn") and not options:
        return _drawn("float", k.Tup(args) if args else k.Const(None), ())
    if "dtype" in options and options["dtype"] != k.Const(None):
        return None
    for sort, table in PARAMETERS.items():
        if name in table:
            names = (*table[name], "size")
            given = {**dict(zip(names, args)), **options}
            return _drawn(sort, given.pop("size", k.Const(None)), tuple(given.values()))
    return None


def _drawn(sort: str, size: Kind, parameters: tuple) -> Kind | None:
    if size == k.Const(None):
        numbers = [k.as_num(p) for p in parameters]
        if any(not isinstance(n, k.Num) or n.boxed is not False for n in numbers):
            return None
        return k.Num(f"py{sort}", (), False)
    try:
        dims = shape_of(size)
    except Unknown:
        return None
    return k.Num(f"{sort}64", dims, True)


def module_draws() -> dict[Any, Any]:
    """Kind functions of the functions of np.random, and of random.random."""
    names = ["rand", "randn", *(name for table in PARAMETERS.values() for name in table)]
    return {random.random: lambda: k.Num("pyfloat", (), False),
            **{getattr(np.random, name): functools.partial(_module_draw, name) for name in names if hasattr(np.random, name)}}


def _module_draw(name: str, *args: Kind, **options: Kind) -> Kind:
    return draw_kind(name, args, options) or k.ANY


# --- Kinds of what methods of text, numbers, regular expressions and random generators give: no derivative flows through any of it.
#
# A number that depends on the inputs may be told (printed, logged, written), but never be read again from what was told: `k.Told`
# follows text through names, containers and objects. Files and streams hold it out of sight: a program that writes such numbers
# to one reads none (`check_streams`).

TEXT = k.Obj(str)
LINES = k.Lst(TEXT)
METHODS: dict[str, k.Kind] = {
    **dict.fromkeys(("capitalize", "casefold", "center", "expandtabs", "format", "format_map", "join", "ljust", "lower", "lstrip",
                     "removeprefix", "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title", "translate",
                     "upper", "zfill"), TEXT),
    **dict.fromkeys(("split", "rsplit", "splitlines"), LINES),
    **dict.fromkeys(("partition", "rpartition"), k.Tup((TEXT, TEXT, TEXT))),
    **dict.fromkeys(("count", "find", "index", "rfind", "rindex"), k.INT),
    **dict.fromkeys(("endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower",
                     "isnumeric", "isprintable", "isspace", "istitle", "isupper", "startswith"), k.BOOL)}
OF_PATTERN: dict[str, k.Kind] = {"match": MATCH, "search": MATCH, "fullmatch": MATCH, "sub": TEXT}
OF_MATCH: dict[str, k.Kind] = {"group": k.DISCRETE, "groups": k.DISCRETE, "start": k.INT, "end": k.INT}
OF_NUMBERS: dict[str, k.Kind] = {**dict.fromkeys(("bit_length", "bit_count"), k.INT), "is_integer": k.BOOL, "hex": TEXT,
                                "as_integer_ratio": k.Tup((k.INT, k.INT))}


WRITES = {"dump", "put", "putenv", "save", "savetxt", "savez", "savez_compressed", "tofile", "write", "write_bytes", "write_text",
          "writelines", "writerow", "writerows"}
SHOWS = {"critical", "debug", "error", "exception", "info", "log", "print", "warn", "warning"}
READS = {"fromfile", "genfromtxt", "getbuffer", "getenv", "getvalue", "load", "loadtxt", "open", "read", "read_bytes", "read_text",
         "readinto", "readline", "readlines"}
CAPTURES = {"StreamHandler", "catch_warnings", "redirect_stderr", "redirect_stdout"}       # what is shown can be read then
STREAMS = {"builtins", "contextlib", "csv", "io", "json", "logging", "numpy", "os", "pathlib", "pickle", "posix", "tempfile",
           "warnings"}


ASKING = (isinstance, issubclass, type, hasattr, getattr, str, repr, format)
READING = (len, list, tuple, set, frozenset, sorted, sum, max, min, any, all, iter, reversed, dir, vars, hash)


def check_functions(known: Iterable[tuple[Any, Any]], lost: set) -> None:
    """Refuse to look into a function that is made while the program runs, and is a tuple then: units and their kinds.

    lost: such functions of which it is not known where they are."""
    for unit, facts in known:
        for s in t.statements(unit.tree.body):
            parts = [getattr(s, name, None) for name in ("value", "test", "iter", "msg", "exc")]
            for node in (x for part in parts if part is not None for x in t.walk(part)):
                asked, operands = _looked_into(node, unit)
                if any(isinstance(kind := facts.of(x), k.Closure) or asked and lost and kind is k.ANY for x in operands):
                    raise losing(UnsupportedError(
                        "what is asked here of a function that is made while the program runs is not known",
                        source.locate(node, t.origin_of(s)), "Call it only, and keep what tells it in a variable."))


def _looked_into(node: Any, unit: Any) -> tuple[bool, list]:
    """Whether an expression asks what its operands are, and the operands into which it looks."""
    if isinstance(node, gast.FormattedValue):
        return False, [node.value]
    if not isinstance(node, gast.Call):
        return False, [node.left, node.right] if isinstance(node, gast.BinOp) else []
    function = unit.lookup(node.func)
    function = getattr(builtins, node.func.id, MISSING) if function is MISSING and isinstance(node.func, gast.Name) else function
    if function is MISSING or not t.hashable(function) or primitive_of(function).applies:
        return False, []
    looks = str(getattr(function, "__module__", "")).partition(".")[0] in ("numpy", "inspect", "copy", "pickle")
    return function in ASKING, node.args if looks or function in ASKING or function in READING else []


def check_streams(known: Iterable[tuple[Any, Any]]) -> None:
    """Refuse a program that reads a file or stream, and writes numbers to one that depend on the inputs: units and their kinds."""
    found: dict[str, Any] = {}
    for unit, facts in known:
        for s in t.statements(unit.tree.body):
            for node in t.walk(getattr(s, "value", None) or getattr(s, "iter", None) or t.const(None)):
                for sort in _streaming(node, s, unit, facts.of):
                    found.setdefault(sort, source.locate(node, t.origin_of(s)))
    if "read" in found and ("write" in found or {"show", "capture"} <= found.keys()):
        raise losing(UnsupportedError(
            "something is read here, and numbers that depend on the inputs are written to a file or stream", found["read"],
            "Keep the number itself; read files outside of the function."))
    if "ask" in found:
        raise UnsupportedError("print into an object of a class: Python calls its `write`", found["ask"],
                               "Call the method: log.write(str(x)).")


def _streaming(node: Any, s: Any, unit: Any, of: Callable[[Any], k.Kind | None]) -> list[str]:
    """What an expression in a statement does with streams: it may "write", "show", "read" or "capture" what is shown."""
    if isinstance(node, gast.Attribute) and node.attr in WRITES and unit.lookup(node) is MISSING and _hides(of(node.value)):
        return ["write"] if node is getattr(s, "value", None) else []                        # w = stream.write
    if not isinstance(node, gast.Call):
        return []
    function = unit.lookup(node.func)
    name = getattr(function, "__name__", None) or getattr(node.func, "attr", None) or getattr(node.func, "id", "")
    method = function is MISSING and isinstance(node.func, gast.Attribute)
    if isinstance(function, Function) or function is MISSING and not method or method and not _hides(of(node.func.value)):
        return []
    if hasattr(function, "__sourcegrad_executed__"):
        return ["read"]
    if function in (runtime.sequence, list, next, tuple):
        return ["read"] if node.args and of(node.args[0]) is k.ANY else []
    module = (getattr(function, "__module__", None) or "").lstrip("_").split(".")[0]
    if not method and (module not in STREAMS or isinstance(function, np.ufunc)):
        return []
    options = {kw.arg: kw.value for kw in node.keywords}
    values = (*node.args, *(value for key, value in options.items() if key != "file"))
    given = [of(a.value if isinstance(a, gast.Starred) else a) or k.ANY for a in values]
    tells = any(k.tells(kind) or not k.is_discrete(kind) for kind in given)
    if name == "open":
        mode = of(options.get("mode") or (node.args[1] if len(node.args) > 1 else t.const("r")))
        return ["read"] if not isinstance(mode, k.Const) or {"r", "+"} & set(str(mode.value)) else []
    if name == "print" and options.get("file") is not None:
        return ["ask"] if class_of(of(options["file"])) is not None else ["write"] if tells else []
    sorts = ["capture"] if name in CAPTURES else []
    sorts += ["read"] if name in READS or name == "catch_warnings" and options else []
    tells = tells and (name in WRITES | SHOWS or module == "io")
    return sorts + ["show" if name in SHOWS else "write"] if tells else sorts


def _hides(owner: k.Kind | None) -> bool:
    """Whether a value may hold text out of sight: nothing is known of it, or it is of a class of the library."""
    return owner is k.ANY or isinstance(owner, k.Obj) and owner.items is None and class_of(owner) is None


def told(kind: k.Kind) -> k.Kind:
    """The kind of a result where the text was made from numbers."""
    if isinstance(kind, k.Tup):
        return k.Tup(tuple(map(told, kind.items)))
    return k.Lst(told(k.Obj(str))) if kind == LINES else k.Told() if kind == TEXT else kind


def method_kind(node: Any, of: Callable[[Any], k.Kind | None]) -> k.Kind | None:
    """The kind of the result of a call of a method of text, patterns and random generators, and of a copy of a container;
    None where nothing is known."""
    owner, name = of(node.func.value) or k.ANY, node.func.attr
    if name == "copy" and isinstance(owner, (k.Lst, k.Dct, k.Map)):
        return owner
    if isinstance(owner, k.Obj) and owner.cls in GENERATORS and not any(isinstance(a, gast.Starred) for a in node.args):
        options = {str(kw.arg): of(kw.value) or k.ANY for kw in node.keywords}
        return draw_kind(name, tuple(of(a) or k.ANY for a in node.args), options)
    if isinstance(owner, k.Told) and name in ("encode", "decode"):
        return k.Told(bytes if name == "encode" else str)
    if k.is_text(owner) or owner is k.DISCRETE:
        given = [of(a) or k.ANY for a in (*node.args, *(kw.value for kw in node.keywords))]
        return told(METHODS[name]) if name in METHODS and k.tells(k.text_from(owner, *given)) else METHODS.get(name)
    if isinstance(owner, k.Num) and owner.is_scalar:
        return k.text_from(owner) if name == "hex" else OF_NUMBERS.get(name)
    if isinstance(owner, k.Obj) and owner.cls is re.Match:
        return OF_MATCH.get(name)
    if isinstance(owner, k.Obj) and owner.cls is re.Pattern:
        return OF_PATTERN.get(name)
    return None


# --- Kinds of attributes of arrays, of elements, and of `is` and `in`.

def of_shape(node: Any, owner: Kind | None) -> bool:
    """Whether an attribute tells about the shape of an array: objects of the user's classes may have another `size`, and
    what is known only at run time may be one of them."""
    owner = owner.item if isinstance(owner, k.Optional) else owner
    return node.attr in SHAPE_ATTRIBUTES and owner is not k.ANY and not isinstance(owner, (k.Obj, k.OneOf, k.Tup))


def attribute_kind(owner: k.Num, name: str) -> Kind:
    if name == "shape":
        if owner.dims is None:
            return k.Obj(tuple)
        return k.Tup(tuple(k.Const(d) if isinstance(d, int) else k.Num("pyint", (), False, d) for d in owner.dims))
    if name == "ndim":
        return k.INT if owner.dims is None else k.Const(len(owner.dims))
    if name in ("size", "itemsize", "nbytes"):
        if name == "size" and owner.dims is not None and len(owner.dims) == 1:
            return k.Num("pyint", (), False, owner.dims[0])
        return k.INT
    if name == "dtype":
        known = owner.dtype is not None and owner.dtype[:2] != "py"
        return k.Const(np.dtype(owner.dtype)) if known else k.Obj(np.dtype)
    if name == "T":
        return k.Num(owner.dtype, owner.dims[::-1] if owner.dims is not None else None, owner.boxed)
    if name == "mT" and owner.dims is not None and len(owner.dims) > 1:
        return k.Num(owner.dtype, (*owner.dims[:-2], owner.dims[-1], owner.dims[-2]), owner.boxed)
    if name in ("real", "imag"):
        return part_kind(owner)
    return k.ANY


def element_kind(kind: Kind | None) -> Kind | None:
    """Kind of one element of an iterable."""
    if kind is None:
        return None
    if isinstance(kind, k.Num) and kind.dims:
        order = kind.order if len(kind.dims) > 2 else None
        return k.Num(kind.dtype, kind.dims[1:], len(kind.dims) > 1, order, kind.real)
    if isinstance(kind, k.Num):
        return k.Num(kind.dtype, size=kind.order, real=kind.real)
    if isinstance(kind, (k.Lst, k.SetOf, k.Rest)):
        return kind.item
    if kind is k.DISCRETE:
        return kind
    if isinstance(kind, k.Tup):
        return functools.reduce(k.join, kind.items) if kind.items else None
    if isinstance(kind, (k.Dct, k.Map)):
        return k.as_map(kind).key
    if isinstance(kind, k.Obj) and kind.cls is range:
        return k.INT
    return k.text_from(kind) if k.is_text(kind) else k.ANY


@k.once
def holds_closure(kind: Kind | None) -> bool:
    """Whether a value of this kind holds an inner function: in generated code that is a tuple, not a function."""
    return isinstance(kind, k.Closure) or any(map(holds_closure, k.parts(kind)))


def hidden(kind: Kind | None) -> bool:
    """Whether a value of this kind is, or carries, what only generated code can tell: inner functions, what was caught."""
    return holds_closure(kind) or isinstance(kind, k.Obj) and kind.is_caught


def is_same(left: Kind, right: Kind) -> bool | None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, k.Const) and (one.value is None or one.value is Ellipsis):
            if isinstance(other, k.Const):
                return other.value is one.value
            optional = isinstance(other, k.Optional) or isinstance(other, (k.Obj, k.Lst, k.OneOf)) and other.optional
            maybe = optional or other in (k.ANY, k.DISCRETE)
            return None if maybe else False
    if isinstance(left, k.Fn) and isinstance(right, k.Fn):
        return left.value is right.value
    for one, other in ((left, right), (right, left)):
        if isinstance(one, k.Closure) and (
                other.function is not one.function if isinstance(other, k.Closure) else isinstance(other, (k.Fn, k.Num, k.Const))):
            return False
    if isinstance(left, k.Const) and isinstance(right, k.Const) and all(
            isinstance(x.value, (bool, enum.Enum)) for x in (left, right)):
        return left.value is right.value
    return None


def known_alike(left: Kind, right: Kind) -> bool:
    """Whether two values are known and can be compared now: constants, and dtypes with types."""
    known = isinstance(left, k.Const), isinstance(right, k.Const)
    return all(known) or any(known) and all(isinstance(x, k.Fn) and isinstance(x.value, type) or isinstance(
        x, k.Const) and isinstance(x.value, np.dtype) for x in (left, right))


def contains_kind(item: Kind, container: Kind, wanted: bool) -> Kind:
    if isinstance(container, k.Tup) and isinstance(item, (k.Const, k.Fn)) and all(known_alike(item, x) for x in container.items):
        return k.Const((item.value in [x.value for x in container.items]) == wanted)         # type: ignore[attr-defined]
    if all(isinstance(x, k.Const) and isinstance(x.value, str) for x in (item, container)):
        return k.Const((item.value in container.value) == wanted)                           # type: ignore[attr-defined]
    if isinstance(item, k.Const) and isinstance(container, k.Dct) and not (
            container.partial and container.get(item.value) is not None):
        return k.Const((container.get(item.value) is not None) == wanted)
    return k.BOOL
