"""What both sweeps are written with: names of adjoints, zeros, tapes, sums; contributions in the shape of what they belong to."""

from __future__ import annotations

import difflib
import functools
import types
from collections import Counter
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.activity import Activity
from sourcegrad.analysis.intervals import has_place
from sourcegrad.analysis.objects import held_name
from sourcegrad.analysis.result_types import may_be_complex
from sourcegrad.analysis.tbr import ROOT, Plan
from sourcegrad.analysis.types import Infer
from sourcegrad.analysis.zero_guards import Guards
from sourcegrad.errors import Origin, UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.dataflow import single_values
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.tree import is_stop, read_of
from sourcegrad.ir.unit import Unit
from sourcegrad.lowering.containers import filled_at_once
from sourcegrad.parse.statements import Attempt
from sourcegrad.primitives.adjoint_kinds import realness
from sourcegrad.primitives.core import RULES


def fit(value: gast.expr, argument: gast.expr, kind: k.Kind, out: k.Kind, elementwise: bool, unit: Unit) -> gast.expr:
    """`value` has the shape of `out`; sum it over what was broadcast, and take the real part where needed."""
    kind, out = k.as_num(kind), k.as_num(out)
    if elementwise:
        plan = reduction(kind, out)
        if plan is None:
            helper = runtime.unbroadcast if isinstance(kind, (k.Num, k.Lst, k.Tup)) else runtime.operand_part
            return t.call(unit.use(helper, helper.__name__), value, t.clone(argument))
        axes, keepdims = plan
        if axes == "all":
            value = t.call(f"{unit.use(np, 'np')}.sum", value)
        elif axes:
            options: dict[str, Any] = {"axis": t.const(axes[0] if len(axes) == 1 else axes)}
            if keepdims:
                options["keepdims"] = t.const(True)
            value = t.call(f"{unit.use(np, 'np')}.sum", value, **options)
    return real_part(value, out, kind, unit)


def real_part(value: gast.expr, have: k.Kind | None, want: k.Kind | None, unit: Unit) -> gast.expr:
    """The real part of an adjoint, where it belongs to a real number and may be complex.

    have, want: of what it is (a part of) the adjoint so far, and of what it becomes the adjoint."""
    want = k.as_num(want or k.ANY)
    if isinstance(want, k.Num) and want.is_complex is False and may_be_complex(have):
        return t.call(f"{unit.use(np, 'np')}.real", value)
    keys = real_keys(have, want)
    if keys is None:
        return value
    return t.call(unit.use(runtime.real_parts, "real_parts"), value, *([t.pack([*map(t.const, keys)])] if keys else []))


def made_real(gradients: Any, unit: Unit, of: Callable, values: list[k.Kind]) -> Any:
    """Adjoints of real numbers, of which nothing is known, are real where a reverse half returns them. of: gives kinds."""
    if not values:
        return gradients
    parts = gradients.elts if len(values) > 1 else [gradients]
    made = [t.call(f"{unit.use(np, 'np')}.real", part) if of(part) in (None, k.ANY) and realness(value) is not k.ANY else part
            for part, value in zip(parts, values)]
    return t.pack(made) if len(values) > 1 else made[0]


def real_keys(have: k.Kind | None, want: k.Kind | None) -> list | None:
    """Of a container or object: the keys of what is real, and may have been complex; [] for all of it, None for nothing."""
    if isinstance(have, (k.Lst, k.Map)) and not isinstance(want, type(have)):      # one of the items
        have = have.item
    if isinstance(want, (k.Lst, k.Map)):
        return [] if isinstance(have, type(want)) and may_be_complex(have) and not may_be_complex(want) else None
    if isinstance(want, (k.Tup, k.Closure)) and isinstance(have, type(want)) and len(have.items) == len(want.items):
        pairs: list[tuple[Any, tuple]] = list(enumerate(zip(have.items, want.items)))
    elif isinstance(want, k.Dct) and isinstance(have, k.Dct):
        pairs = [(key, (have.get(key), item)) for key, item in want.items]
    elif isinstance(want, k.Obj) and want.items is not None and isinstance(have, (k.Obj, k.OneOf)) and k.is_object(have):
        pairs = [(name, (k.of_attribute(have, name), item)) for name, item in want.items]
    else:
        return None
    keys = [key for key, (one, other) in pairs if not k.is_discrete(other) and not isinstance(other, (k.Const, k.Fn, k.State))
            and not may_be_complex(other) and may_be_complex(one)]
    return keys or None


def reduction(kind: k.Kind, out: k.Kind) -> tuple[Any, bool] | None:
    """(axes to sum, keepdims) that take the shape of `out` to that of an argument; None if not known."""
    if isinstance(out, k.Tup):                      # divmod: both parts have one shape
        out = k.as_num(out.items[0])
    if not isinstance(kind, k.Num) or not isinstance(out, k.Num):
        return None
    if out.is_scalar and kind.is_scalar:
        return (), False
    if kind.dims is None or out.dims is None or len(kind.dims) > len(out.dims):
        return None
    if kind.dims == () and out.dims != ():
        return ("all", False) if kind.is_scalar else None
    extra = len(out.dims) - len(kind.dims)
    squeezed: list[int] = []
    for axis, (small, large) in enumerate(zip(kind.dims, out.dims[extra:])):
        if small == large and small is not None:
            continue
        if isinstance(small, int) and small == 1:
            if not k.many(large):
                return None
            squeezed.append(axis + extra)
        elif not k.many(small):
            return None
    if extra and squeezed:
        return None
    return (tuple(range(extra)), False) if extra else (tuple(squeezed), bool(squeezed))


# --- Names that do not exist, which are mostly typed wrongly: said so, with those that are like them.

def missing_attribute(function: Any, owner: Any, kind: Any, origin: Any) -> UnsupportedError | None:
    """What is to be said of a call of an attribute that its module, class or array does not have, if that is so. owner: the
    known object, or MISSING."""
    name, array = getattr(function, "attr", None), k.as_num(kind)
    if isinstance(owner, (types.ModuleType, type)):
        holder: Any = owner
        what = f"the {'module' if isinstance(owner, types.ModuleType) else 'class'} {owner.__name__}"
    elif owner in (None, MISSING) and isinstance(array, k.Num) and array.boxed is True:
        holder, what = np.ndarray, "an array"
    else:
        return None
    if name is None or hasattr(holder, name):
        return None
    like = difflib.get_close_matches(name, [n for n in dir(holder) if not n.startswith("_")], 3)
    return UnsupportedError(f"{what} has no attribute '{name}'", origin,
                            f"Did you mean {' or '.join(like)}?" if like else "Python raises an AttributeError here.")


class Sweeps:
    """The two sweeps of one function, as far as they share names."""

    def __init__(self, facts: Infer, activity: Activity, plan: Plan, guards: Guards | None, pair: Callable,
                 prepare: Callable, everything: bool = False) -> None:
        self.everything = everything
        self.facts, self.activity, self.plan = facts, activity, plan
        self.pair, self.prepare = pair, prepare
        self.unit = facts.unit
        self.guards = guards
        self.varied = activity.varied
        self.bars: dict[str, str] = {}
        self.tapes: list[str] = []
        self.depth = 0
        self.branching = 0                                   # branches around the statement at hand
        self.contexts: list[list] = []
        self.unsummed: set[str] = set()                      # names whose adjoints are summed to the shapes of their operands only
        self.given = given_names(facts)
        written = Counter(n for s in t.statements(self.unit.tree.body) for n in t.writes(s))
        self.renewed = {n for n, count in written.items() if count > 1}  # a list of that name may be put away as it is
        self.empty = frozenset(self.unit.unset)                      # names that are None until they are assigned
        self.unit.unset.update(self.given)

    def kind(self, name: str) -> k.Kind:
        kind = self.facts.kinds.get(name, k.ANY)
        return kind.item if isinstance(kind, k.Optional) else k.as_num(kind)

    def bar(self, name: str) -> str:
        """The adjoint of a name."""
        if name not in self.bars:
            memory = isinstance(self.facts.kinds.get(name), k.State)
            self.bars[name] = self.unit.names.fresh("bars" if memory else f"{name}_bar")
            self.unit.adjoints[self.bars[name]] = name
        return self.bars[name]

    def helper(self, function: Any) -> str:
        return self.unit.use(function, function.__name__)

    def numpy(self, path: str) -> str:
        import numpy
        return f"{self.unit.use(numpy, 'np')}.{path}"

    def zero(self, name: str) -> gast.expr:
        """A zero adjoint for the value that a name holds now: None on the first trip of some loops."""
        kind = self.kind(name)
        if isinstance(kind, k.Num) and not kind.is_scalar and any(name in names for names in self.plan.unset.values()):
            return t.call(self.helper(runtime.zeros_like), t.load(name))
        return self.zero_of(name)

    def zero_of(self, name: str) -> gast.expr:
        """A zero adjoint for the value that a name certainly holds."""
        kind = self.kind(name)
        if isinstance(kind, k.State):
            return t.call(self.helper(runtime.place_bars))
        if isinstance(kind, k.Tup) and has_state(kind):
            return self.zero_with_state(t.load(name), kind)
        if (isinstance(kind, k.Num) and kind.is_scalar) or kind == k.Const(None) or (
                isinstance(kind, (k.Obj, k.OneOf)) and k.is_discrete(kind)):
            return t.const(0.0)
        if name in self.given:
            return t.call(self.helper(runtime.zeros_if_given), t.load(name))
        boxed = isinstance(kind, k.Num) and kind.boxed and name not in self.empty
        if boxed and kind.dtype == "float64":                                                      # type: ignore[attr-defined]
            return t.call(self.numpy("zeros"), t.attribute(t.load(name), "shape"))
        if boxed:
            return t.call(self.numpy("zeros_like"), t.load(name))
        if k.is_object(kind):
            return gast.Dict(keys=[], values=[])
        return t.call(self.helper(runtime.zeros_like), t.load(name))

    def zero_with_state(self, value: gast.expr, kind: k.Kind) -> gast.expr:
        """A zero adjoint of a tuple with the state of objects in it."""
        if not isinstance(kind, k.Tup) or not has_state(kind):
            return t.call(self.helper(runtime.zeros_like), value)
        if is_pair(kind) or any(isinstance(item, k.State) for item in kind.items):
            return t.call(self.helper(runtime.place_zero), value)
        return t.pack([self.zero_with_state(t.subscript(t.clone(value), t.const(j)), item) for j, item in enumerate(kind.items)])

    def zero_at(self, name: str, s: Any) -> gast.expr:
        """A zero adjoint for the value that a name has before or after a branch or loop, if it has one."""
        if name in self.plan.sure[id(s)]:
            return self.zero_of(name)
        kind = self.kind(name)
        if isinstance(kind, k.Num) and kind.is_scalar or kind == k.Const(None):
            return t.const(0.0)
        if isinstance(kind, k.State):
            return self.zero_of(name)
        if k.is_object(kind):
            return gast.Dict(keys=[], values=[])
        home = self.plan.home[name]
        inside = home[0] in map(id, t.statements([s]))     # then there is none before s
        for block in [home, ROOT] if inside else [home]:
            names = self.plan.unset.setdefault(block, [])
            if name not in names:
                names.append(name)                    # None until assigned
        return t.call(self.helper(runtime.zeros_like), t.load(name))

    def unset(self, key: tuple, origin: Origin | None) -> list:
        """Names that an iteration may push before anything was assigned to them."""
        names = self.plan.unset.get(key, ())
        self.unit.unset.update(names)
        return [t.assign(n, t.const(None), origin) for n in names]

    def tape(self, name: str) -> str:
        tape = self.unit.names.fresh(f"{name}_tape")
        self.tapes.append(tape)
        self.unit.tapes.add(tape)
        return tape

    def save(self, name: str, origin: Origin | None) -> tuple[gast.stmt, gast.stmt]:
        """Statements that put a value away and bring it back."""
        if self.depth:
            tape = self.tape(name)
            return (t.effect(t.method(tape, "append", t.load(name)), origin),
                    t.assign(name, t.method(tape, "pop"), origin))
        saved = self.unit.names.fresh(f"{name}_saved")
        return t.assign(saved, t.load(name), origin), t.assign(name, t.load(saved), origin)

    def stored_place(self, s: gast.Assign) -> Any:
        """The index or path i of `x = index_set(x, i, v)`: all else in x stays, so only x[i] need be put away."""
        value = s.value
        if isinstance(value, gast.Call) and self.unit.lookup(value.func) in (runtime.index_set, runtime.index_add) and (
                isinstance(s.targets[0], gast.Name) and t.is_name(value.args[0], s.targets[0].id)) and not self.everything:
            return value.args[1] if has_place(self.facts, value.args[0], value.args[1]) else None
        return None

    def save_place(self, name: str, place: Any, s: gast.Assign) -> tuple[list, list]:
        """Put away what a store overwrites, and bring it back: the cost is that of the store."""
        origin = t.origin_of(s)
        old = self.unit.names.fresh(f"{name}_old")
        if isinstance(place, gast.Subscript) and isinstance(place.value, gast.Attribute) and place.value.attr == "s_":
            part: gast.expr = t.subscript(t.load(name), t.clone(place.slice))
        else:
            part = t.call(self.helper(runtime.item_at), t.load(name), t.clone(place))
        kind = self.facts.of(part) or k.ANY
        self.facts.kinds.setdefault(old, kind)
        if isinstance(kind, k.Num) and kind.dims:
            part = t.call(self.numpy("copy"), part)               # the store changes what a view shows
        taken = t.assign(old, part, origin)
        if self.depth:
            tape = self.tape(old)
            saving = [taken, t.effect(t.method(tape, "append", t.load(old)), origin)]
            restoring = [t.assign(old, t.method(tape, "pop"), origin)]
        else:
            saving, restoring = [taken], []
        back = t.call(self.helper(runtime.index_set), t.load(name), t.clone(place), t.load(old))
        return saving, [*restoring, t.assign(name, back, origin)]

    def accumulate(self, name: str, value: gast.expr, live: set[str], origin: Origin | None) -> list:
        """Add a contribution to an adjoint: assignment on first use, sum afterwards."""
        bar = self.bar(name)
        if name in live:
            if isinstance(self.kind(name), k.Num):
                value = t.binop(t.load(bar), gast.Add(), value)
            else:
                value = t.call(self.helper(runtime.add), t.load(bar), value)
        elif isinstance(value, (gast.Name, gast.Subscript)) and name in self.growing:
            value = t.call(self.unit.use(list, "list"), value)         # items are taken from it: a list of its own
        live.add(name)
        return [t.assign(bar, value, origin)]

    @functools.cached_property
    def single(self) -> dict[str, Any]:
        """The values of names that are assigned once."""
        return single_values(self.unit.tree)

    @functools.cached_property
    def read_once(self) -> dict[str, Any]:
        """Assignments `x = u op v`, `x = -u` or `x = f(u)` of names that only one later statement of the block reads, once."""
        body = self.unit.tree.body
        reads = Counter(n for s in t.statements(body) for n in t.header_reads(s))
        found: dict[str, Any] = {}
        for block in [body, *(inner for s in t.statements(body) if not is_stop(s) for inner in t.inner_blocks(s))]:
            made: dict[str, Any] = {}
            for s in block:
                found.update({n: made[n] for n in t.header_reads(s) if n in made} if isinstance(s, gast.Assign) else {})
                value = self.single.get(t.writes(s)[0]) if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else None
                if isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Call)) and reads[t.writes(s)[0]] == 1:
                    made[t.writes(s)[0]] = s
        return found

    @functools.cached_property
    def alike(self) -> dict[str, str]:
        """Arrays of unknown shape -> those of the same shape they are computed of, element by element.

        Wherever one of them is read, both are of the same turn: they are assigned once, and the later one lives in its block."""
        written = {n for s in t.statements(self.unit.tree.body) for n in t.writes(s)}
        found: dict[str, str] = {}
        self.alike_in(self.unit.tree.body, ROOT, frozenset(n for n in self.unit.parameters if n not in written), found)
        self.unit.alike.update(found)
        return found

    def alike_in(self, block: list, key: Any, before: frozenset[str], found: dict[str, str]) -> None:
        """Find them in a block. before: the names that have their one value by then."""
        for s in block:
            target: Any = s.targets[0] if isinstance(s, gast.Assign) else None
            if t.is_name(target) and target.id in self.single and self.plan.home.get(target.id) == key:
                read = read_of(s.value) if set(t.reads(s.value)) <= before and self.unsized(target.id) else None
                shapes = {found.get(name, name) for name in self.shaping(s.value)} if read is None else {read}
                if len(shapes) == 1 and (read is not None or self.shaping(s.value) <= before):
                    found[target.id] = shapes.pop()
            before |= {n for n in t.writes(s) if n not in self.renewed}
            for part in t.BLOCKS:
                if getattr(s, part, None) and not is_stop(s):
                    self.alike_in(getattr(s, part), (id(s), part), before, found)

    def shaping(self, value: Any) -> set[str]:
        """The arrays of unknown shape that an elementwise operation is about, besides numbers; none if it is about others, too."""
        if isinstance(value, gast.Call):
            function = self.unit.lookup(value.func)
            operands = value.args if isinstance(function, np.ufunc) and not value.keywords and function in RULES and (
                RULES[function].elementwise) else []
        else:
            operands = [value.left, value.right] if isinstance(value, gast.BinOp) and not isinstance(
                value.op, gast.MatMult) else [value.operand] if isinstance(value, gast.UnaryOp) else []
        kinds = [(node, k.as_num(self.facts.of(node) or k.ANY)) for node in operands]
        arrays = [node for node, kind in kinds if not (isinstance(kind, k.Num) and kind.is_scalar)]
        return {node.id for node in arrays} if all(t.is_name(node) and self.unsized(node.id) for node in arrays) else set()

    def unsized(self, name: str) -> bool:
        kind = self.kind(name)
        return isinstance(kind, k.Num) and bool(kind.boxed) and (kind.dims is None or None in kind.dims)

    @functools.cached_property
    def filled(self) -> set[str]:
        """Lists that one loop fills after they are made."""
        return filled_at_once(self.unit.tree.body)

    @functools.cached_property
    def growing(self) -> set[str]:
        """Lists that get longer item by item: their adjoints lose the items again."""
        found = (t.list_method(s) for s in t.statements(self.unit.tree.body))
        return {m[0] for m in found if m is not None and m[1] == "append" and not self.unit.function.pure}

    def scatter(self, name: str, index: gast.expr, value: gast.expr, live: set[str], origin: Origin | None) -> list:
        """Add a contribution to the part of an adjoint that an index selects."""
        if isinstance(self.kind(name), k.State):                       # index: the place and the name of the attribute
            bars = t.load(self.bar(name)) if name in live else self.zero_of(name)
            live.add(name)
            place = self.facts.of(index.elts[0])
            kind = k.held_unless_none(self.kind(name), place, held_name(place, index.elts[1]))
            double = isinstance(kind, k.Num) and kind.boxed is not None and kind.dtype in ("pyfloat", "float64")
            helper = runtime.place_add if double else runtime.place_join
            return [t.assign(self.bar(name), t.call(self.helper(helper), bars, *index.elts, value), origin)]
        kind = self.kind(name)
        keyed = isinstance(kind, k.Dct) and not kind.partial and isinstance(index, gast.Constant)
        if keyed or isinstance(kind, (k.Obj, k.OneOf)):                   # sparse: no zeros
            new: gast.expr = gast.Dict(keys=[index], values=[value])
            if name in live:
                new = t.call(self.helper(runtime.entry_add), t.load(self.bar(name)), index, value)
            live.add(name)
            return [t.assign(self.bar(name), new, origin)]
        base = t.load(self.bar(name)) if name in live else self.zero(name)
        live.add(name)
        where = index
        if any(isinstance(n, gast.Slice) for n in t.walk(index)):
            where = t.subscript(t.dotted(self.numpy("s_")), index)
        return [t.assign(self.bar(name), t.call(self.helper(runtime.index_add), base, where, value), origin)]



def has_state(kind: k.Kind) -> bool:
    """Whether a value of this kind holds the state of objects (which no text has)."""
    return isinstance(kind, k.State) and bool(kind.items) or is_pair(kind) or any(map(has_state, k.parts(kind)))


def is_pair(kind: k.Kind) -> bool:
    """Whether a value of this kind is a result with a state of objects (which no text has), or with a table (which it has)."""
    return isinstance(kind, k.Tup) and len(kind.items) == 2 and isinstance(kind.items[1], k.State)


def given_names(facts: Infer) -> set[str]:
    """Names of what attempts give, None where an exception was caught: taken from the outcome, perhaps packed again, or put
    on a list and taken from there. (The halves of a generated gradient keep it so.)"""
    whole: set[str] = set()                              # names of such values, and of lists of them
    parts: dict[str, set[int]] = {}                      # names of tuples, and of lists of them -> where in them they are
    statements = list(t.statements(facts.unit.tree.body))
    for s in statements:
        if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) and isinstance(facts.unit.lookup(s.value.func), Attempt):
            parts.update({n: set(range(2, 12)) for n in t.writes(s)})
        elif isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) and s.value.args and t.is_name(s.value.args[0]) and (
                facts.unit.lookup(s.value.func) is runtime.zeros_if_given):
            whole.add(s.value.args[0].id)                # (so a half was told that it may be None)

    def passed(source_: Any, targets: list[str], single: bool) -> None:
        if isinstance(source_, gast.Tuple):
            found = {j for j, item in enumerate(source_.elts) if isinstance(item, gast.Name) and item.id in whole}
            parts.update({n: parts.get(n, set()) | found for n in targets if found and single})
        elif isinstance(source_, gast.Name) and not single:
            whole.update(n for j, n in enumerate(targets) if j in parts.get(source_.id, ()))
        elif isinstance(source_, gast.Name) and lists & {source_.id, *targets}:
            whole.update(targets if source_.id in whole else ())
            parts.update({n: parts[source_.id] for n in targets if source_.id in parts})

    found = [(s, t.list_method(s)) for s in statements]
    lists = {method[0] for _, method in found if method is not None}
    for _ in statements if parts or whole else ():
        size = len(whole), sum(map(len, parts.values())), len(parts)
        for s, method in found:
            if method is not None and method[1] == "append":
                passed(s.value.args[0], [method[0]], True)
            elif isinstance(s, gast.Assign):
                taken = t.load(method[0]) if method is not None and method[1] == "pop" else s.value
                passed(taken, t.writes(s), isinstance(s.targets[0], gast.Name))
        if size == (len(whole), sum(map(len, parts.values())), len(parts)):
            break
    return whole - lists
