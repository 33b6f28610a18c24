"""Out arguments: functions and methods of NumPy that write into an array they are given become stores.

`np.multiply(a, b, out=w)` is `w = index_store(w, np.s_[...], np.multiply(a, b))`, and what the call gives is w itself: the
memory pass then sees to views, other names and arguments, as for any store. Index-like writers become stores at indices.
"""
from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any, Literal, NoReturn

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.object_types import contents
from sourcegrad.analysis.types import Infer
from sourcegrad.errors import UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import hashable
from sourcegrad.ir.unit import Unit
from sourcegrad.lowering.array_parts import Parts
from sourcegrad.lowering.branches import rewritten
from sourcegrad.primitives.core import RULES, primitive_of
from sourcegrad.runtime import more_forms

# --- What all rewriting of writes needs: the array that is written into, stores into it, checks, new names.

EVERYTHING = t.const(Ellipsis)
AS_ARRAY: dict[str | None, str] = {"pyfloat": "float64", "pyint": "int64", "pybool": "bool", "pycomplex": "complex128"}
Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]


class Later(Exception):
    """Not enough is known yet."""


class Writing:
    """last: what is not known by now never will be, and is refused."""

    def __init__(self, unit: Unit, facts: Infer, last: bool) -> None:
        self.unit, self.facts, self.last = unit, facts, last
        self.changed = False
        self.statements = list(t.statements(unit.tree.body))
        self.read = {n for s in self.statements for n in t.header_reads(s)}
        self.origin: Any = None
        self.node: Any = None
        self.new: list = []
        self.whole: Any = None
        self.parts = Parts(unit, facts, self.statements)

    def use(self, function: Any) -> str:
        return self.unit.use(function, function.__name__)

    def numpy(self, name: str, *args: Any, **options: Any) -> gast.Call:
        return t.call(f"{self.unit.use(np, 'np')}.{name}", *args, **options)

    def refuse(self, what: str, remedy: str) -> NoReturn:
        raise UnsupportedError(what, source.locate(self.node, self.origin), remedy)

    def kind(self, node: Any) -> k.Kind:
        return k.as_num(contents(self.facts, self.facts.of(node)) or k.ANY)

    def rank(self, node: Any) -> int | None:
        kind = self.kind(node)
        return kind.ndim if isinstance(kind, k.Num) else None

    def bind(self, base: str, value: Any) -> gast.Name:
        name = self.unit.names.fresh(base)
        self.new.append(t.assign(name, t.clone(value), self.origin))
        kind = self.facts.of(value)
        if kind is not None:
            self.facts.kinds[name] = kind
        self.facts.local.add(name)
        return t.load(name)

    def atom(self, node: Any, base: str = "part") -> Any:
        return node if isinstance(node, (gast.Name, gast.Constant)) else self.bind(base, node)

    def array(self, node: Any) -> Any:
        """Lists of numbers as an array."""
        return self.bind("values", self.numpy("array", node)) if isinstance(self.kind(node), (k.Lst, k.Tup)) else node

    def is_number(self, node: Any) -> bool:
        kind = self.kind(node)
        return isinstance(kind, k.Num) and (kind.is_scalar or kind.dims == ())

    def value_of(self, node: Any, default: Any = None) -> Any:
        """The value of an option that has to be a constant."""
        kind = k.Const(default) if node is None else self.facts.of(node)
        if isinstance(node, gast.Constant):
            return node.value
        if isinstance(kind, k.Const):
            return kind.value
        return self.refuse("an option that is not a constant", "Write it out.")

    def target(self, node: Any) -> gast.Name:
        """The array that is written into."""
        if not isinstance(node, gast.Name):
            node = self.bind("part", node)
        kind = self.kind(node)
        if node.id not in self.facts.local:
            self.refuse(f"a store into '{node.id}', which is not a local variable",
                        "Pass the array as an argument and return the new one.")
        if node.id in self.parts.read_only:
            self.refuse(f"a write into '{node.id}', which is read-only in NumPy", "Make a copy first, with .copy().")
        if (not isinstance(kind, k.Num) or kind.boxed is None) and not self.last:
            raise Later
        if kind is not k.ANY and (not isinstance(kind, k.Num) or kind.is_scalar):      # NumPy itself wants an array
            self.refuse(f"a write into '{node.id}', which is not known to be an array",
                        "Make the array inside the function, for example with np.zeros, or assign the result.")
        return t.load(node.id)

    def place(self, index: Any) -> gast.expr:
        return t.subscript(t.dotted(f"{self.unit.use(np, 'np')}.s_"), index)

    def flat(self, index: Any) -> gast.expr:
        return t.subscript(t.attribute(t.load(self.unit.use(runtime.at, "at")), "flat"), index)

    def store(self, array: gast.Name, where: gast.expr, value: Any) -> None:
        helper = self.use(runtime.index_store)
        if self.kind(array) is k.ANY and where is not self.whole:            # certainly an array: a store into all of it
            value = self.bind("stored", t.call(self.use(runtime.index_set), t.load(array.id), where, value))
            where = self.place(EVERYTHING)
        self.new.append(t.assign(array.id, t.call(helper, t.load(array.id), t.clone(where), t.clone(value)), self.origin))

    def repeated(self, value: Any, count: Any) -> Any:
        """Values that are repeated as often as is needed."""
        value = self.array(value)
        return value if self.is_number(value) else self.bind("values", self.numpy("resize", value, count))

    def replace(self, array: gast.Name, value: Any) -> None:
        self.whole = self.place(EVERYTHING)
        self.store(array, self.whole, value)

    def check_cast(self, value: Any, array: gast.Name, casting: Casting = "same_kind") -> None:
        given, wanted = self.kind(value), self.kind(array)
        if not isinstance(given, k.Num) or not isinstance(wanted, k.Num):
            return
        one, other = (AS_ARRAY.get(x.dtype, x.dtype) for x in (given, wanted))
        if one is not None and other is not None and not np.can_cast(one, other, casting) and not (
                given.dtype == "pyint" and wanted.is_discrete):
            self.refuse(f"{one} values written into '{array.id}' of dtype {other}",
                        f"NumPy raises an error here: make the array with dtype={one}.")

    def selected(self, mask: Any, value: Any, array: gast.Name) -> gast.expr:
        """value where the mask holds, the old content elsewhere."""
        return self.numpy("where", mask, value, t.load(array.id))




class Writers(Writing):
    def statement(self, s: Any) -> list:
        if isinstance(s, gast.Expr) and isinstance(s.value, gast.Call) and self.unit.lookup(s.value.func) is not MISSING:
            new = t.assign(self.unit.names.fresh("unused"), s.value, t.origin_of(s))
            result = self.statement(new)                         # np.less(x, y, out=m) stands as it is written
            return [s] if result == [new] else result
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Attribute) and isinstance(self.kind(s.value.value), k.Num):
            if s.value.attr == "flat":                           # stores through it are stores into the array itself
                name = s.targets[0].id if isinstance(s.targets[0], gast.Name) else ""
                if self.parts.values.is_stored(name) and self.parts.flat_of(name) is None:
                    if not self.last:
                        return [s]
                    self.origin, self.node = t.origin_of(s), s.value
                    self.refuse("a store through `.flat` of what may be another array by then",
                                "Store by the indices of all axes, x[i, j] = v.")
                s.value = self.numpy("ravel", s.value.value)
                self.changed = True
            elif s.value.attr in METHODS:
                self.origin, self.node = t.origin_of(s), s.value
                self.refuse(f"the method '{s.value.attr}' of an array, kept to be called later", "Call it where it stands.")
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Subscript):
            part = self.parts.item(s.value)
            if part is not None:
                s.value = part
                self.changed = True
            elif self.parts.is_flat(s.value.value):             # it shows what the array holds now; a.flat[1:] is a copy
                self.origin, self.node, self.new = t.origin_of(s), s.value, []
                found = self.parts.flat_of(s.value.value.id)
                if found is not None:
                    s.value.value = self.bind("flat", self.numpy("ravel", t.load(found)))
                if not self.parts.is_one(s.value.slice):
                    s.value = self.numpy("copy", self.bind("part", s.value))
                if found is not None or isinstance(s.value, gast.Call):
                    return self.done(s, s.value)
        if not isinstance(s, gast.Assign) or not isinstance(s.value, gast.Call):
            return [s]
        self.origin, self.node, self.new = t.origin_of(s), s.value, []
        try:
            return self.call(s)
        except Later:
            return [s]

    def call(self, s: gast.Assign) -> list:
        target = call_targets.target_of(s.value, self.unit, self.facts.of)
        function = self.unit.lookup(s.value.func)
        function = target.object if function is MISSING else function
        if target.stars or any(isinstance(a, gast.Starred) for a in target.args):
            return [s]
        if hashable(function):
            parts = self.parts.written(s, function, target, self)
            if parts is not None:
                return self.done(s, parts)
        found = self.handler(s.value, function, target)
        if found is not None:
            handler, args = found
            self.args = args
            try:
                result = handler(self, *args, **target.keywords)
            except TypeError as problem:
                if problem.__traceback__ is not None and problem.__traceback__.tb_next is not None:
                    raise
                self.refuse(f"this call of {source.expression_text(s.value.func)}", "Store with an index instead: a[i] = v.")
            if isinstance(result, gast.Call):                    # the same by another name
                self.changed = True
                s.value = gast.copy_location(t.clone(result), s.value)
                return [*self.new, *self.statement(s)]
            return self.done(s, result)
        written = self.written(function, target) if hashable(function) else None
        return [s] if written is None else self.done(s, written)

    def handler(self, node: gast.Call, function: Any, target: call_targets.Target) -> tuple[Callable, list] | None:
        """Who handles a call, and its arguments, the array first."""
        if isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, np.ufunc):
            found = UFUNC_METHODS.get(function.__name__)
            if function in RULES and not getattr(primitive_of(function.__self__), function.__name__, None):
                return None                                      # np.logaddexp.reduce: it has a rule of its own
            return (found, [t.const(None), *target.args]) if found else None
        if isinstance(function, (types.MethodDescriptorType, types.WrapperDescriptorType)) and function.__objclass__ is np.ndarray:
            found = METHODS.get(function.__name__)
            return (found, list(target.args)) if found else None
        if self.unit.lookup(node.func) is MISSING and isinstance(node.func, gast.Attribute):
            kind = self.kind(node.func.value)
            name = node.func.attr
            if name in METHODS and isinstance(node.func.value, gast.Name) and (
                    isinstance(kind, k.Num) and kind.boxed is not False or kind is k.ANY and name in ARRAYS_ONLY and self.last):
                return METHODS[name], [node.func.value, *node.args]
        if hashable(function) and function in WRITERS:
            return WRITERS[function], list(target.args)
        return None

    def done(self, s: gast.Assign, value: Any) -> list:
        """What was written, and the value of the call (None: there is none) if anybody looks at it."""
        self.changed = True
        name = s.targets[0]
        if not isinstance(name, gast.Name) or name.id in self.read:
            value = value if value is not None else t.const(None)
            if not (isinstance(name, gast.Name) and t.is_name(value, name.id)):
                s.value = t.clone(value)
                self.new.append(s)
        return self.new

    # --- out= and where=

    def written(self, function: Any, target: call_targets.Target) -> Any:
        """The value of a call with `out=` or `where=` that has been carried out; None if it is an ordinary call."""
        if not target.known or not (isinstance(function, (np.ufunc, str)) or isinstance(target.object, str) or (
                getattr(function, "__module__", None) or "").startswith("numpy")):
            return None
        options = dict(target.keywords)
        args = list(target.args)
        function = target.object
        args, options, cast = self.in_dtype(function, args, options)
        outs = self.outs(function, args, options)
        mask = None if function is np.where else options.get("where")
        if mask is not None:
            kind = self.facts.of(mask)
            if isinstance(kind, k.Const) and kind.value is True:
                mask = None
                options.pop("where")
        if function is np.nan_to_num and "copy" in options and self.value_of(options["copy"]) is False:
            options.pop("copy")
            kind = self.kind(args[0])
            outs = [args[0]] if isinstance(kind, k.Num) and kind.boxed else []
        if not any(o is not None for o in outs):
            if mask is None and cast:
                return self.plain(function, target, args, options)
            if mask is None and (outs or "where" in target.keywords):          # out=None, where=True
                return self.plain(function, target, args, options)
            return masked_reduction(self, function, args, options, mask) if mask is not None else None
        if mask is not None:
            if not isinstance(function, np.ufunc):
                value = masked_reduction(self, function, args, options, mask)
                if value is None:
                    return None
                array = self.target(outs[0])
                self.replace(array, self.atom(value, "value"))
                return array
            options.pop("where")
        casting = self.value_of(options.pop("casting", None), "same_kind")
        options.pop("order", None)
        call = self.plain(function, target, args, options)
        if isinstance(function, np.ufunc) and function.nout > 1:
            return self.several(function, call, outs, mask, casting)
        value = self.bind(self.result_name(function), call)
        return self.into(outs[0], value, mask, casting)

    def in_dtype(self, function: Any, args: list, options: dict[str, Any]) -> tuple[list, dict[str, Any], bool]:
        """np.add(x, y, dtype=float) of numbers of that dtype, without options of memory; and whether there was any."""
        given = options.keys() & {"dtype", "casting", "order", "subok"}
        if not isinstance(function, np.ufunc) or function.nout != 1 or not given or not all(
                isinstance(options[name], gast.Constant) for name in given - {"dtype"}):
            return args, options, False
        rest = {name: value for name, value in options.items() if name not in given}
        kinds = [self.kind(x) for x in args[:function.nin]]
        real = all(isinstance(kind, k.Num) and kind.is_complex is False for kind in kinds)
        if "dtype" in given and (not real or function in (np.ldexp,)):
            return args, options, False
        if "dtype" in given:
            cast = [self.numpy("asarray", x, dtype=t.clone(options["dtype"])) for x in args[:function.nin]]
            args = [*(self.bind("operand", operand) for operand in cast), *args[function.nin:]]
        return args, rest, True

    def plain(self, function: Any, target: call_targets.Target, args: list, options: dict[str, Any]) -> gast.Call:
        """The call without what is written into."""
        name = self.name_of(function) if target.method else t.clone(self.node.func)
        return gast.copy_location(t.call(name, *map(t.clone, args), **options), self.node)

    def into(self, out: Any, value: gast.Name, mask: Any, casting: Casting) -> gast.Name:
        array = self.target(out)
        if mask is None and self.kind(array) is k.ANY and self.may_be_none(array.id):
            return self.into_or_new(array, value, casting)
        self.check_cast(value, array, casting)
        if mask is not None:
            value = self.bind("selected", self.selected(self.array(t.clone(mask)), value, array))
        self.replace(array, value)
        return t.load(array.id)

    def into_or_new(self, array: gast.Name, value: gast.Name, casting: Casting) -> gast.Name:
        """`buffer = np.multiply(x, y, out=buffer)` where the buffer is None at first: then the result is a new array."""
        before, self.new = self.new, []
        self.check_cast(value, array, casting)
        self.replace(array, value)
        written, self.new = self.new, before
        missing = gast.Compare(left=t.load(array.id), ops=[gast.Is()], comparators=[t.const(None)])
        test, result = self.bind("missing", missing), self.unit.names.fresh("result")
        self.new.append(t.if_(test, [t.assign(result, value, self.origin)],
                              [*written, t.assign(result, t.load(array.id), self.origin)], self.origin))
        self.facts.local.add(result)
        return t.load(result)

    def may_be_none(self, name: str) -> bool:
        """Whether a name is given or assigned None somewhere, besides arrays."""
        return self.facts.given.get(name) == k.Const(None) or any(
            isinstance(s, gast.Assign) and name in t.writes(s) and self.facts.of(s.value) == k.Const(None) for s in self.statements)

    def several(self, function: np.ufunc, call: Any, outs: list, mask: Any, casting: Casting) -> gast.Tuple:
        """np.divmod(x, y, out=(q, r))"""
        results = [self.unit.names.fresh(f"{function.__name__}_{j}") for j in range(function.nout)]
        whole = self.bind(self.result_name(function), call)
        for j, name in enumerate(results):
            part = t.subscript(t.load(whole.id), t.const(j))
            self.new.append(t.assign(name, part, self.origin))
            self.facts.kinds[name] = self.facts.of(part) or k.ANY
        outs = [*outs, *[None] * function.nout]
        return t.pack([t.load(name) if out is None else self.into(out, t.load(name), mask, casting)
                       for name, out in zip(results, outs)])

    def result_name(self, function: Any) -> str:
        return getattr(function, "__name__", str(function).rpartition(" ")[2])

    def name_of(self, function: Any) -> str:
        known: Any = getattr(np, function.__name__, None)
        return f"{self.unit.use(np, 'np')}.{function.__name__}" if known is function else (
            self.unit.use(function, function.__name__))

    def outs(self, function: Any, args: list, options: dict[str, Any]) -> list:
        """What `out` gives, by position, keyword or tuple; it is taken out of the arguments."""
        found: list = []
        if isinstance(function, np.ufunc):
            found, args[function.nin:] = args[function.nin:], []
        else:
            names = call_targets.primitive_parameters(function)
            if "out" in names and len(args) > names.index("out"):
                position = names.index("out")
                found = [args[position]]
                for name, value in zip(names[position + 1:], args[position + 1:]):
                    options[name] = value
                del args[position:]
                for name in ("dtype",):
                    if name in names and names.index(name) < len(args) and _is_none(args[names.index(name)]):
                        del args[names.index(name):]
        if "out" in options:
            found = self.items(options.pop("out"))
        return [None if _is_none(o) or self.facts.of(o) == k.Const(None) else o for o in found]

    def items(self, node: Any) -> list:
        """The arrays of out=: one, or those of a tuple."""
        kind = self.facts.of(node)
        if not isinstance(kind, k.Tup):
            return [node]
        shown = [s.value for s in self.statements if isinstance(s, gast.Assign) and isinstance(node, gast.Name)
                 and node.id in t.writes(s)]
        if len(shown) == 1 and isinstance(shown[0], gast.Tuple):
            return [t.clone(item) for item in shown[0].elts]
        return [t.subscript(t.clone(node), t.const(j)) for j in range(len(kind.items))]
# --- writers: each carries out one call on a `Writing`, and gives its value (None: there is none)


def masked_reduction(w: Writing, function: Any, args: list, options: dict[str, Any], mask: Any) -> Any:
    """np.sum(x, where=m) counts what is not selected as zero."""
    neutral: Any = {np.sum: 0.0, np.prod: 1.0, np.mean: 0.0}.get(function) if hashable(function) else None
    least = function in (np.max, np.min, np.amax, np.amin) and "initial" in options
    if neutral is None and not least or not args:
        return None                                          # refused later
    kind = w.kind(args[0])
    if neutral is not None and isinstance(kind, k.Num) and kind.is_discrete:
        neutral = int(neutral)
    options = {name: value for name, value in options.items() if name != "where"}
    mask = w.array(mask)
    x = w.array(args[0])
    neutral = t.clone(options["initial"]) if least else t.const(neutral)
    chosen = w.bind("chosen", w.numpy("where", t.clone(mask), t.clone(x), neutral))
    name = function.__name__ if least else "prod" if function is np.prod else "sum"
    total = w.numpy(name, chosen, *args[1:], **options)
    if function is not np.mean:
        return total
    total = w.bind("total", total)
    dtype = w.bind("dtype", t.attribute(t.clone(total), "dtype"))      # float32 divided by an int64 is float64
    spread = w.bind("counted", w.numpy("broadcast_to", t.clone(mask), w.bind(
        "shape", w.numpy("shape", t.clone(x)))))
    options = {**{name: t.clone(value) for name, value in options.items()}, "dtype": dtype}
    count = w.bind("count", w.numpy("sum", spread, *map(t.clone, args[1:]), **options))
    return t.binop(total, gast.Div(), count)


def ufunc_of(w: Writing) -> np.ufunc:
    return w.unit.lookup(w.node.func).__self__         # np.add.reduce, or a name for it


def ufunc_at(w: Writing, _: Any, array: Any, index: Any, value: Any = None) -> None:
    function = ufunc_of(w)
    name = function.__name__
    array = w.target(array)
    if name in ("add", "subtract"):
        value = w.array(value)
        if name == "subtract":
            value = w.bind("minus", gast.UnaryOp(op=gast.USub(), operand=value))
        w.check_cast(value, array)
        w.replace(array, t.call(w.use(runtime.index_add), t.load(array.id), w.place(index), value))
    elif name in ("multiply", "divide", "true_divide"):
        helper = runtime.multiply_at if name == "multiply" else runtime.divide_at
        value = w.array(value)
        w.check_cast(value, array)
        w.replace(array, w.bind("scaled", t.call(w.use(helper), t.load(array.id), index, value)))
    elif function.nin == 2:
        value = w.array(value)
        w.check_cast(value, array)
        named = t.clone(w.node.func.value)
        w.replace(array, w.bind("updated", t.call(w.use(more_forms.updated), named, t.load(array.id), index, value)))
    else:
        w.refuse(f"np.{name}.at", f"Without repeated indices: a[i] = np.{name}(a[i]).")


def ufunc_reduce(w: Writing, _: Any, array: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None,
                 initial: Any = None, where: Any = None) -> Any:
    given = {"dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial, "where": where}
    if primitive_of(ufunc_of(w)).reduce is more_forms.reduced and dtype is out is where is None:
        options = {name: value for name, value in (("keepdims", keepdims), ("initial", initial)) if value is not None}
        along = t.const(0) if axis is None else axis
        return t.call(w.use(more_forms.reduced), t.clone(w.node.func.value), w.array(array), along, **options)
    return ufunc_along(w, primitive_of(ufunc_of(w)).reduce, array, axis, given)


def ufunc_accumulate(w: Writing, _: Any, array: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    running = primitive_of(ufunc_of(w)).accumulate
    if running is None and ufunc_of(w).nin == 2 and dtype is out is None:
        along = t.const(0) if axis is None else axis
        return t.call(w.use(more_forms.accumulated), t.clone(w.node.func.value), w.array(array), along)
    if running is None or getattr(np, running.__name__, None) is running:
        return ufunc_along(w, running, array, axis, {"dtype": dtype, "out": out})
    if dtype is not None or out is not None:
        return ufunc_along(w, None, array, axis, {})
    return t.call(w.use(running), w.array(array), axis if axis is not None else t.const(0))


def ufunc_reduceat(w: Writing, _: Any, array: Any, indices: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    function = ufunc_of(w)
    if dtype is not None or out is not None:
        w.refuse(f"np.{function.__name__}.reduceat with dtype or out", "Leave them out.")
    helper = more_forms.sums_of_segments if function is np.add else more_forms.in_segments
    return t.call(w.use(helper), t.clone(w.node.func.value), w.array(array), indices, axis if axis is not None else t.const(0))


def ufunc_along(w: Writing, instead: Callable | None, array: Any, axis: Any, given: dict[str, Any]) -> Any:
    if instead is None or instead is more_forms.reduced:
        method = w.unit.lookup(w.node.func).__name__
        w.refuse(f"np.{ufunc_of(w).__name__}.{method}", "Write a loop, or use a function of NumPy such as np.sum.")
    axis = axis if axis is not None else t.const(0)
    options = {key: value for key, value in given.items() if value is not None}
    return w.numpy(instead.__name__, w.array(array), axis=axis, **options)


def ufunc_outer(w: Writing, _: Any, a: Any, b: Any, **options: Any) -> Any:
    if None in (w.rank(w.array(a)), w.rank(w.array(b))):
        if not w.last:
            raise Later
        w.refuse(f"np.{ufunc_of(w).__name__}.outer of arrays of unknown rank", "Write a[:, None] * b[None, :].")
    a, b = w.array(a), w.array(b)
    rank = w.rank(b)
    if rank:
        index = t.pack([t.clone(EVERYTHING), *[t.const(None)] * rank])
        a = w.bind("column", t.subscript(a, index))
    return t.call(t.clone(w.node.func.value), a, b, **options)


WRITERS: dict[Any, Callable] = {}


def writes(function: Any) -> Callable:
    """The decorated function says what stands for a call of a function that writes into its first argument."""
    return lambda handler: WRITERS.setdefault(function, handler)


@writes(np.copyto)
def copyto(w: Writing, dst: Any, src: Any, casting: Any = None, where: Any = None) -> None:
    array = w.target(dst)
    src = w.array(src)
    w.check_cast(src, array, w.value_of(casting, "same_kind"))
    if where is None or w.facts.of(where) == k.Const(True):
        w.replace(array, src)
    elif is_mask(w, where, array) and w.is_number(src):
        w.store(array, w.place(where), src)
    else:
        w.replace(array, w.bind("selected", w.selected(w.array(where), src, array)))


def is_mask(w: Writing, mask: Any, array: gast.Name) -> bool:
    """Whether a mask is known to have the shape of an array."""
    one, other = w.kind(mask), w.kind(array)
    return isinstance(one, k.Num) and isinstance(other, k.Num) and one.dtype == "bool" and one.dims is not None and (
        other.dims is not None and len(one.dims) == len(other.dims) and all(
            a == b and a is not None for a, b in zip(one.dims, other.dims)))


@writes(np.put)
def put(w: Writing, a: Any, ind: Any, v: Any, mode: Any = None) -> None:
    array = w.target(a)
    mode = w.value_of(mode, "raise")
    if isinstance(w.kind(ind), (k.Lst, k.Tup)) or isinstance(w.kind(ind), k.Num) and w.rank(ind) != 1:
        ind = w.bind("index", w.numpy("ravel", w.array(ind)))
    if mode == "wrap":
        ind = w.bind("index", t.binop(ind, gast.Mod(), told(w, array, "size")))
    elif mode == "clip":
        last = w.bind("last", t.binop(told(w, array, "size"), gast.Sub(), t.const(1)))
        ind = w.bind("index", w.numpy("clip", ind, t.const(0), last))
    one, other = w.kind(ind), w.kind(w.array(v))
    same = isinstance(one, k.Num) and isinstance(other, k.Num) and one.dims and one.dims == other.dims and one.dims[0]
    value = w.array(v) if same else w.repeated(v, w.bind("count", w.numpy("size", t.clone(ind))))
    rank = w.kind(array)
    plain = isinstance(rank, k.Num) and rank.ndim == 1
    w.store(array, w.place(ind) if plain else w.flat(ind), value)


def mask_of(w: Writing, mask: Any, array: gast.Name) -> Any:
    if is_mask(w, mask, array):
        return mask
    truth = w.bind("mask", w.numpy("asarray", mask, t.load(w.use(bool))))
    return w.bind("mask", w.numpy("reshape", truth, told(w, array, "shape")))


def told(w: Writing, array: gast.Name, name: str) -> gast.Name:
    """The size or shape of an array."""
    return w.bind(name, t.attribute(t.load(array.id), name))


@writes(np.place)
def place_(w: Writing, arr: Any, mask: Any, vals: Any) -> None:
    """np.place: the first values go to the selected elements, one after another."""
    array = w.target(arr)
    mask = mask_of(w, mask, array)
    kind = w.kind(w.array(vals))
    if isinstance(kind, k.Num) and kind.dims == (1,):
        value = w.array(vals)
    else:
        value = w.repeated(vals, w.bind("count", w.numpy("count_nonzero", t.clone(mask))))
    w.store(array, w.place(mask), value)


@writes(np.putmask)
def putmask(w: Writing, a: Any, mask: Any, values: Any) -> None:
    """np.putmask: each selected element gets the value at its own position."""
    array = w.target(a)
    mask = mask_of(w, mask, array)
    values = w.array(values)
    one, other = w.kind(values), w.kind(array)
    if not w.is_number(values):
        dims = one.dims if isinstance(one, k.Num) else None
        if not (dims and None not in dims and isinstance(other, k.Num) and other.dims == dims):
            values = w.bind("values", w.numpy("resize", values, told(w, array, "shape")))
        values = w.bind("chosen", t.subscript(values, t.clone(mask)))
    w.store(array, w.place(mask), values)


@writes(np.put_along_axis)
def put_along_axis(w: Writing, arr: Any, indices: Any, values: Any, axis: Any) -> None:
    array = w.target(arr)
    indices, values = w.array(indices), w.array(values)
    if w.facts.of(axis) == k.Const(None):
        w.store(array, w.flat(indices), values)
        return
    one, other = w.kind(indices), w.kind(array)
    if isinstance(one, k.Num) and isinstance(other, k.Num) and one.ndim == other.ndim == 1:
        w.store(array, w.place(indices), values)
        return
    index = w.bind("index", t.call(w.use(runtime.index_along), t.load(array.id), indices, axis))
    w.store(array, w.place(index), values)


@writes(np.fill_diagonal)
def fill_diagonal(w: Writing, a: Any, val: Any, wrap: Any = None) -> None:
    array = w.target(a)
    wrapped = w.value_of(wrap, False)
    if w.rank(array) is None and not w.last:
        raise Later
    if w.rank(array) is None:
        w.refuse("np.fill_diagonal of an array of unknown rank", "Store with an index: a[i, i] = v.")
    span = w.bind("diagonal", t.call(w.use(runtime.diagonal_index), t.load(array.id), *([t.const(True)] if wrapped else [])))
    value = w.repeated(val, w.bind("count", w.numpy("size", t.subscript(t.load(span.id), t.const(0)))))
    w.store(array, w.place(span), value)


def fill(w: Writing, a: Any, value: Any) -> None:
    array = w.target(a)
    if not w.is_number(value) and w.rank(value):
        w.refuse(".fill(...) with an array", "Write a[...] = v.")
    w.replace(array, value)


def sort(w: Writing, a: Any, axis: Any = None, kind: Any = None, order: Any = None, stable: Any = None) -> None:
    array = w.target(a)
    options = {} if axis is None else {"axis": axis}
    w.replace(array, w.numpy("sort", t.load(array.id), **options))


def partition(w: Writing, a: Any, kth: Any, axis: Any = None, kind: Any = None, order: Any = None) -> None:
    array = w.target(a)
    options = {} if axis is None else {"axis": axis}
    w.replace(array, w.numpy("partition", t.load(array.id), kth, **options))


@writes(operator.setitem)
def setitem(w: Writing, a: Any, index: Any, value: Any) -> None:
    if w.kind(a) is k.ANY and not w.last:
        raise Later
    if isinstance(w.kind(a), k.Num):
        w.store(w.target(a), w.place(index), value)
    elif isinstance(a, gast.Name) and a.id in w.facts.local:
        w.store(a, w.place(index), value)
    else:
        w.refuse("this store", "Write x[i] = v.")


def itemset(w: Writing, a: Any, *args: Any) -> None:
    array = w.target(a)
    *index, value = args
    if not index:
        w.replace(array, value)
    elif len(index) == 1 and isinstance(w.kind(index[0]), k.Num) and w.rank(array) != 1:
        w.store(array, w.flat(index[0]), value)
    else:
        w.store(array, w.place(t.pack(index) if len(index) > 1 else index[0]), value)


def resize(w: Writing, a: Any, *args: Any, **options: Any) -> None:
    w.refuse("an array that changes its size in place", "Make a new array: np.resize(x, n) or np.concatenate.")


@writes(np.random.shuffle)
def shuffle(w: Writing, x: Any) -> None:
    """The generator draws the same for a permutation of so many numbers."""
    array = w.target(x)
    count = w.bind("count", t.call("len", t.load(array.id)))
    draw = t.attribute(t.attribute(t.load(w.unit.use(np, "np")), "random"), "permutation")
    order = w.bind("order", gast.Call(func=draw, args=[count], keywords=[]))
    w.replace(array, t.subscript(t.load(array.id), order))


def _is_none(node: Any) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


UFUNC_METHODS: dict[str, Callable] = {
    "at": ufunc_at, "reduce": ufunc_reduce, "accumulate": ufunc_accumulate, "outer": ufunc_outer,
    "reduceat": ufunc_reduceat}
METHODS: dict[str, Callable] = {
    "fill": fill, "sort": sort, "partition": partition, "put": put, "itemset": itemset,
    "resize": resize, "__setitem__": setitem}
ARRAYS_ONLY = ("fill", "partition", "itemset")


def out_arguments(unit: Unit, facts: Infer, last: bool = False) -> bool:
    """Rewrite calls that write into their arguments as stores; whether there were any (then more may be known)."""
    if unit.function.pure and not any(isinstance(n, gast.Attribute) and n.attr == "flat" for n in t.walk(unit.tree)):
        return False                                             # generated code stores by statements
    state = Writers(unit, facts, last)
    unit.tree.body = rewritten(unit.tree.body, state.statement, facts)
    return state.changed
