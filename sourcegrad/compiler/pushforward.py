"""The generation of forward mode: a function with its tangent, and forward variants of what it calls."""
from __future__ import annotations

from typing import Any

import gast

from sourcegrad import kinds as k
from sourcegrad.ad.batch import Batch
from sourcegrad.ad.forward import Forward
from sourcegrad.ad.sparsity import Sets
from sourcegrad.analysis.liveness import Liveness
from sourcegrad.analysis.result_types import without_own_sizes
from sourcegrad.analysis.types import Infer
from sourcegrad.compiler.emit import guarded
from sourcegrad.compiler.linking import Derived, Half
from sourcegrad.compiler.passes import Trace, Work
from sourcegrad.compiler.pipeline import Compiler, Pair, deriving, generated, parameters_of, with_room
from sourcegrad.compiler.ways import chosen
from sourcegrad.errors import OutputError
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import Scope
from sourcegrad.ir.unit import Function, Unit
from sourcegrad.parse.resolve import fence
from sourcegrad.primitives.adjoint_kinds import loosened, type_name, widened
from sourcegrad.primitives.core import primitive_of


class ForwardCompiler(Compiler):
    """A compiler that also makes forward variants. guarding: where a zero tangent meets an infinite derivative, it stays zero."""

    guarding = batching = False
    mode, suffix = Forward, "jvp"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.variants: dict[Any, Half] = {}
        self.plain: dict[int, int] = {}                          # how many arguments come before tangents, of variants

    def transformed(self, function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...],
                    top: bool = False) -> tuple[Forward, list]:
        """A function with tangents: the transformation, and the statements."""
        unit, facts, activity = self.primal_of(function, kinds, active, top)
        inputs = {name for name in active if not k.is_discrete(kinds[name])}
        forward = self.mode(facts, activity, self.variant, self.pair, self.prepare, self.transposed, self.guarding)
        body = forward.function(inputs)
        if self.batching:
            body = Batch(forward, self.plain).function(body, [forward.dot(name) for name in active])
        own = facts.local - {*function.parameters, *map(forward.dot, inputs)}
        unset = sorted(Liveness().block(body, frozenset()) & own)                # assigned in branches only: see `single_exit`
        unit.unset.update(unset)
        return forward, [*(t.assign(name, t.const(None), function.origin) for name in unset), *body]

    def pushforward(self, function: Function, kinds: dict[str, k.Kind], tangents: dict[str, str], with_value: bool,
                    has_aux: bool = False) -> Half:
        """The generated function: the value and its tangent. tangents: the names of those of inputs; kinds: of these, too."""
        fence(function.tree)
        active, given = tuple(tangents), list(tangents.values())
        kinds = {name: self.given(kind) if name in given else kind for name, kind in kinds.items()}
        half = Half(self.name(f"{function.name}_{self.suffix}"), made_for=kinds)
        own = {name: kinds[name] for name in function.parameters}
        forward, body = self.transformed(function, own, active, True)
        check_output(forward.facts, forward.unit)
        named = {forward.dot(name): new for name, new in zip(active, given)}
        clash = {new: forward.unit.names.fresh(new) for old, new in named.items() if old != new}
        body = [t.rename(t.rename(s, clash), named) for s in body]
        forward.unit.tangents.update(zip(given, active))
        parameters = parameters_of(function, forward.unit)
        parameters.kwonlyargs = [*parameters.kwonlyargs, *map(t.parameter, given)]
        parameters.kw_defaults = [*parameters.kw_defaults, *[None] * len(given)]
        found = [shown(node, body) for node in body[-1].value.elts]
        body[-1] = t.return_(self.returned(found[0], found[1], with_value, has_aux), t.origin_of(body[-1]))
        tree = t.function(half.__name__, parameters, body, function.origin)
        self.finished(half, function, forward.unit, tree, {**own, **{name: kinds[name] for name in given}})
        return half

    def returned(self, value: Any, moved: Any, with_value: bool, has_aux: bool) -> Any:
        """What the generated function gives: the value and its tangent."""
        moved = item_of(moved, 0) if has_aux else moved
        return t.pack([value, moved]) if with_value else moved

    def variant(self, function: Function, kinds: dict[str, k.Kind], active: tuple[str, ...]) -> Half:
        """A callee that takes the tangents of its active arguments after all arguments, and gives its value and tangent."""
        kinds = self.recursive(function, {n: kind if kind is not None else k.ANY for n, kind in kinds.items()})
        deep = self.making.count(function)
        if deep > 2 or sum(1 for known, *_ in self.variants if known is function) > 8:
            kinds = {n: loosened(kind) if deep == 3 else widened(kind) for n, kind in kinds.items()}
        key = (function, tuple(kinds.items()), active)
        if key in self.variants:
            return self.variants[key]
        half = self.variants[key] = Half(self.name(f"{function.label}_{self.suffix}"))
        self.plain[id(half)] = len(function.parameters)
        half.result_kind = k.Tup((self.solve(function, kinds) or k.ANY, k.ANY))
        self.making.append(function)
        try:
            forward, body = self.transformed(function, kinds, active)
            dots = [forward.dot(name) for name in active]
            tree = t.function(half.__name__, t.arguments([*function.parameters, *dots]), body, function.origin)
            self.finished(half, function, forward.unit, tree, {
                **kinds, **{dot: self.given(given_kind(kinds[name])) for name, dot in zip(active, dots)}})
        except BaseException:
            del self.variants[key]
            raise
        finally:
            self.making.pop()
        return half

    def finished(self, half: Half, function: Function, unit: Unit, tree: Any, kinds: dict[str, k.Kind]) -> None:
        """Optimise and print a function with tangents."""
        unit.tree = tree
        facts: Infer = self.passes.run("optimize", Work(unit, None, tree, kinds, {}, self, called=True, sweeps=1)).facts
        half.result_kind = without_own_sizes(facts.result) or k.ANY
        tree.body = stores_last(tree.body, unit, {})
        self.emit([half], unit, [tree], function, facts)

    def transposed(self, label: str, names: list[str], body: list, kinds: dict[str, k.Kind], unit: Unit) -> Pair:
        """The halves of a function with the given parameters and body, by its first parameter."""
        tree = t.function(label, t.arguments(names), body, t.origin_of(body[0]))
        around = unit.function.scope
        function = Function(label, tree, Scope(around.globals, around.cells, {**around.bound, **unit.env}), None, pure=True)
        return self.pair(function, kinds, (names[0],))                                                  # type: ignore[no-any-return]


    def given(self, kind: k.Kind) -> k.Kind:
        """The kind of what is given as tangents: with a leading axis, if there are many."""
        return batched(kind) if self.batching else kind


class Guarding(ForwardCompiler):
    """A compiler of what runs where the plain tangent is not finite."""

    guarding = True


class Batching(ForwardCompiler):
    """A compiler of what takes many tangents at once."""

    batching, suffix = True, "jvps"


class Transposing(Batching):
    """A compiler of the tangents of (value, gradients) by the weights of the value: gives the value and those of the gradients."""

    def returned(self, value: Any, moved: Any, with_value: bool, has_aux: bool) -> Any:
        return t.pack([item_of(value, 0), item_of(moved, 1)])


class Patterns(ForwardCompiler):
    """A compiler of index sets, which say on what each element may depend."""

    mode, suffix = Sets, "sparsity"

    def given(self, kind: k.Kind) -> k.Kind:
        return k.ANY


class BatchingGuarded(Batching, Guarding):
    """The same, where a tangent is not finite."""


class TransposingGuarded(Transposing, Guarding):
    """The same, where one of them is not finite."""


COMPILERS = {("one", False): ForwardCompiler, ("one", True): Guarding, ("many", False): Batching, ("many", True): BatchingGuarded,
             ("transposed", False): Transposing, ("transposed", True): TransposingGuarded,
             ("pattern", False): Patterns}
DIRECTIONS = "directions.0"


def batched(kind: k.Kind) -> k.Kind:
    """The kind of many tangents at once, from that of one."""
    number = k.as_num(kind)
    if isinstance(number, k.Num) and not number.is_discrete and not isinstance(kind, k.Optional):
        dtype = {"pyfloat": "float64", "pycomplex": "complex128"}.get(number.dtype or "", number.dtype)
        return k.Num(dtype, None if number.dims is None else (DIRECTIONS, *number.dims), True)
    return k.mapped(batched, kind) if type(kind) in (k.Tup, k.Lst, k.Dct, k.Obj) else kind


def shown(node: Any, body: list) -> Any:
    """What a name is given at the end of a body, where that is a display of names."""
    last = next((s for s in reversed(body[:-1]) if t.is_name(node) and node.id in t.writes(s)), None)
    display = isinstance(last, gast.Assign) and isinstance(last.value, gast.Tuple) and t.is_name(last.targets[0])
    after = body[body.index(last) + 1:-1] if display else []
    changed = {n for s in t.statements(after) for n in t.writes(s)}
    return t.clone(last.value) if display and not changed & set(t.reads(last.value)) else node      # type: ignore[union-attr]


def item_of(node: Any, position: int) -> Any:
    return node.elts[position] if isinstance(node, gast.Tuple) else t.subscript(node, t.const(position))


def stores_last(block: list, unit: Unit, parts: dict[str, set[str]]) -> list:
    """The store into an array below that into its tangent, where that reads a part of the array: so both are in place.

    parts: the names of parts of arrays, by those of the arrays."""
    for s in block:
        if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and isinstance(s.value, (gast.Subscript, gast.Attribute)):
            for name in t.reads(s.value.value):
                parts.setdefault(name, set()).update(t.writes(s))
    result: list = []
    for s in block:
        t.map_blocks(s, stores_last, unit, parts)
        last: Any = result[-1] if result else None
        if is_store(last, unit) and is_store(s, unit) and unit.tangents.get(s.targets[0].id) == last.targets[0].id:
            array, dot = last.targets[0].id, s.targets[0].id
            if array not in t.reads(s.value) and dot not in t.reads(last.value) and parts.get(array, set()) & set(t.reads(s.value)):
                result.insert(-1, s)
                continue
        result.append(s)
    return result


def is_store(s: Any, unit: Unit) -> bool:
    """a = index_set(a, i, v)"""
    return isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and isinstance(s.value, gast.Call) and bool(s.value.args) and (
        primitive_of(unit.lookup(s.value.func)).writes is not None and t.is_name(s.value.args[0], s.targets[0].id))


def given_kind(kind: k.Kind) -> k.Kind:
    """What a variant is given as the tangent of an argument."""
    number = k.as_num(kind)
    if isinstance(number, k.Num):
        return k.ANY if number.is_discrete or isinstance(kind, k.Optional) else number
    return k.mapped(given_kind, kind) if type(kind) in (k.Tup, k.Lst) else k.ANY


def check_output(facts: Infer, unit: Unit) -> None:
    """Refuse a function whose result has no derivative."""
    kind = facts.result or k.ANY
    origin = t.origin_of(unit.tree.body[-1])
    if isinstance(kind, k.Const) and kind.value is None and not any(isinstance(s, gast.Raise) for s in unit.tree.body):
        raise OutputError(f"{unit.function.name}() returns nothing, so there is nothing to differentiate", origin,
                          "Return the value; or, if arguments change in place, name them: f.output(\"A\").")
    if k.no_number(kind):
        raise OutputError(f"{unit.function.name}() returns a {type_name(kind)}, which has no derivative", origin,
                          "Return a number.")


@with_room
def derive_pushforward(function: Function, kinds: dict[str, k.Kind], tangents: dict[str, str], with_value: bool,
                       trace: Trace | None = None, guarding: bool = False, has_aux: bool = False, sort: str = "one") -> Derived:
    """Generate a function with its tangent. tangents, kinds: as in `ForwardCompiler.pushforward`; sort: see `COMPILERS`."""
    compilers = COMPILERS[sort, guarding]
    own = {name: kind for name, kind in kinds.items() if name not in tangents.values()}
    with deriving(function):
        function, compiler, half = chosen(
            function, lambda f, c: c.pushforward(f, kinds, tangents, with_value, has_aux), trace,
            lambda make, shown: generated(make, shown, compilers), own)
        derived = Derived(half, compiler.relies, compiler.compared(function, own), guarded(half, set()),
                          changes=compiler.changes(function, own), reads=compiler.reads())
        compiler.close()
        return derived
