"""The adjoint of one assignment: contributions to the adjoints of what its right-hand side reads."""
from __future__ import annotations

import operator
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.ad.call_pairs import at_run_time, attribute_call, custom_call, dynamic_call, rule_call, user_call
from sourcegrad.ad.substitute import Substitution
from sourcegrad.ad.sweeps import Sweeps, fit, real_part, reduction
from sourcegrad.analysis import call_targets
from sourcegrad.analysis.activity import missing_rule, text
from sourcegrad.analysis.objects import class_of, find, held_name
from sourcegrad.analysis.result_types import may_be_complex
from sourcegrad.errors import InternalError, Origin, UnsupportedError
from sourcegrad.ir import source, tree as t
from sourcegrad.ir.tree import OPERATORS
from sourcegrad.ir.unit import Maker, Unit
from sourcegrad.primitives.adjoint_kinds import type_name
from sourcegrad.primitives.core import RULES, ZERO_DERIVATIVE, primitive_of
from sourcegrad.primitives.methods import SHAPE_ATTRIBUTES
from sourcegrad.runtime.structure import is_namedtuple

FEW = 8                                 # numbers of a new list whose adjoints are taken one by one


class Adjoint:
    """The adjoint of one assignment `name = value`."""

    def __init__(self, reverse: Sweeps, s: gast.Assign, name: str) -> None:
        self.r, self.s, self.name = reverse, s, name
        self.origin = t.origin_of(s)
        self.unit = reverse.unit
        self.ct = reverse.bar(name)
        self.statements: list = []
        self.kind = reverse.facts.of(s.value)                  # of the value; the name may be more than that
        self.contributions: list[tuple[str, gast.expr, gast.expr | None]] = []   # name, value, index
        self.before: list = []
        self.forward: list = []

    def kind_of(self, node: Any) -> k.Kind | None:
        return self.r.facts.kinds.get(self.name) if t.is_name(node, self._OUT) else self.r.facts.of(node)

    def add(self, node: Any, value: gast.expr | None) -> None:
        """A contribution to the adjoint of the name that an argument expression is."""
        if value is None or not self.is_active(node):
            return
        self.contributions.append((node.id, value, None))

    def add_part(self, node: Any, value: gast.expr) -> None:
        """A contribution to what a container or object holds, from the adjoint of that."""
        if isinstance(node, gast.Name):
            value = real_part(value, self.r.facts.kinds.get(self.name), self.r.kind(node.id), self.unit)
        self.add(node, value)

    def is_active(self, node: Any) -> bool:
        """Whether an operand is active. Only names are, in normal form: a contribution to anything else would be lost."""
        if not isinstance(node, gast.Name) and any(name in self.r.varied for name in t.reads(node)):
            raise InternalError(f"the active operand {source.to_text(node)} is not a name", self.origin)
        return isinstance(node, gast.Name) and node.id in self.r.varied

    def entry(self, key: gast.expr, like: gast.expr) -> gast.expr:
        """The part of a sparse adjoint that belongs to an attribute or item."""
        return t.call(self.r.helper(runtime.entry_of), t.load(self.ct), key, t.clone(like))

    def keep(self, saved: str) -> None:
        """Bring what a forward half saved to the reverse sweep."""
        if self.r.depth:
            tape = self.r.tape(saved)
            self.forward.append(t.effect(t.method(tape, "append", t.load(saved)), self.origin))
            self.statements.append(t.assign(saved, t.method(tape, "pop"), self.origin))

    def add_nested(self, node: Any, part: gast.expr) -> None:
        """Contribution to an argument that may be a display of names (the tuple for *args)."""
        if not isinstance(node, (gast.Tuple, gast.Dict)):
            self.add(node, part)
            return
        if not isinstance(part, gast.Name):
            name = self.unit.names.fresh("part")
            self.statements.append(t.assign(name, part, self.origin))
            part = t.load(name)
        if isinstance(node, gast.Tuple):
            for position, item in enumerate(node.elts):
                self.add_nested(item, t.subscript(t.clone(part), t.const(position)))
        else:
            for key, item in zip(node.keys, node.values):
                self.add_nested(item, t.call(self.r.helper(runtime.entry_of), t.clone(part), t.clone(key), t.clone(item)))

    # --- order: new value, old values, contributions

    def finish(self, live: set[str], restores: list) -> list:
        """The adjoint statements with the restoring of overwritten values put where both sides are right."""
        read = {n for s in self.statements for n in t.header_reads(s)} | {
            n for s in t.statements(self.statements) for n in t.header_reads(s)} | {
            n for _, value, index in self.contributions for n in t.reads(value) + t.reads(index)}
        own = [n for n, *_ in self.contributions]
        texts = self.statements + [value for _, value, _ in self.contributions]
        reads_new = any(self._OUT == n for part in texts for n in t.reads(part))
        reads_old = self.name in t.reads(self.s.value) and self.name in read
        out = self.name
        if restores and reads_new and reads_old:
            out = self.unit.names.fresh(f"{self.name}_new")
            head, tail = [t.assign(out, t.load(self.name), self.origin), *restores], []
        elif restores and reads_new:
            head, tail = [], restores
        else:
            head, tail = restores, []
        for part in texts:
            t.rename(part, {self._OUT: out})
        result = head + self.statements
        if own.count(self.name) > 1:
            result += self._separate()
        for name, value, index in sorted(self.contributions, key=lambda c: c[0] == self.name):
            if index is not None:
                result += self.r.scatter(name, t.clone(index), value, live, self.origin)
            else:
                result += self.r.accumulate(name, value, live, self.origin)
        return result + tail

    _OUT = "out "             # stands for the new value until it is known whether it needs a copy

    def _separate(self) -> list:
        """Contributions to the target's own adjoint are computed before any is added: they all read it."""
        new = []
        for position, (name, value, index) in enumerate(self.contributions):
            if name != self.name or (isinstance(value, gast.Name) and value.id != self.ct):
                continue
            part = self.unit.names.fresh(f"{name}_part")
            new.append(t.assign(part, value, self.origin))
            self.contributions[position] = (name, t.load(part), index)
        return new


def pull_back(adjoint: Adjoint, value: Any) -> None:
    """Collect the contributions of the right-hand side."""
    real = real_part(t.load(adjoint.ct), adjoint.r.facts.kinds.get(adjoint.name), adjoint.kind, adjoint.unit)
    if not t.is_name(real):                               # the name is complex elsewhere
        adjoint.statements.append(t.assign(adjoint.ct, real, adjoint.origin))
    ct = t.load(adjoint.ct)
    if isinstance(value, gast.Name):
        adjoint.add(value, ct)
    elif isinstance(value, (gast.Tuple, gast.List)):
        for position, item in enumerate(value.elts):
            adjoint.add_part(item, t.subscript(t.load(adjoint.ct), t.const(position)))
    elif isinstance(value, gast.Dict):
        for key, item in zip(value.keys, value.values):
            adjoint.add_part(item, adjoint.entry(t.clone(key), item))
    elif isinstance(value, gast.BinOp):
        primitive(adjoint, OPERATORS[type(value.op)], [value.left, value.right], {})
    elif isinstance(value, gast.UnaryOp):
        primitive(adjoint, OPERATORS[type(value.op)], [value.operand], {})
    elif isinstance(value, gast.Subscript):
        first = new_axes(value.slice)
        if first is not None and isinstance(adjoint.r.kind(value.value.id), k.Num):
            adjoint.add(value.value, t.subscript(ct, first))
        elif value.value.id in adjoint.r.varied:
            adjoint.contributions.append((value.value.id, ct, value.slice))
    elif isinstance(value, gast.Attribute):
        attribute(adjoint, value)
    elif isinstance(value, gast.Call):
        pull_back_call(adjoint, value)


def attribute(adjoint: Adjoint, value: gast.Attribute) -> None:
    owner = adjoint.r.facts.of(value.value)
    if class_of(owner) is not None or isinstance(owner, k.OneOf):
        member(adjoint, value, owner)
        return
    if owner is k.ANY and isinstance(value.value, gast.Name):
        attribute_call(adjoint, value)
    elif f"attribute {value.attr}" in RULES:
        primitive(adjoint, f"attribute {value.attr}", [value.value], {})
    elif value.attr not in SHAPE_ATTRIBUTES:
        raise UnsupportedError(f"the attribute '.{value.attr}' of a value that depends on the inputs",
                               source.locate(value, adjoint.origin), "Pass the array itself as an argument.")


def member(adjoint: Adjoint, value: gast.Attribute, owner: Any) -> None:
    """An attribute of an object: what its class defines is constant."""
    name = value.value.id
    if isinstance(owner, k.Named):
        position = owner.cls._fields.index(value.attr)
        adjoint.contributions.append((name, t.load(adjoint.ct), t.const(position)))
    elif k.of_attribute(owner, value.attr) is not None:
        adjoint.contributions.append((name, t.load(adjoint.ct), t.const(value.attr)))
    elif find(owner, value.attr, adjoint.unit).sort in ("unknown", "property"):
        raise UnsupportedError(f"the attribute '.{value.attr}' of a value that depends on the inputs",
                               source.locate(value, adjoint.origin),
                               f"A {type_name(owner)} is not known to have it: set it in __init__.")


def construction(adjoint: Adjoint, target: call_targets.Target) -> None:
    """An object made of its arguments as they are."""
    if target.plain is None:
        for name, value in target.keywords.items():
            adjoint.add_part(value, adjoint.entry(t.const(name), value))
        return
    for name, value in target.plain.bind(target.args, target.keywords).items():
        if is_namedtuple(target.plain.cls):
            adjoint.add_part(value, t.subscript(t.load(adjoint.ct), t.const(target.plain.cls._fields.index(name))))
        else:
            adjoint.add_part(value, adjoint.entry(t.const(name), value))


def pull_back_call(adjoint: Adjoint, value: gast.Call) -> None:
    target = call_targets.target_of(value, adjoint.unit, adjoint.r.facts.of)
    if target.plain is not None or target.object is runtime.make_object:
        construction(adjoint, target)
        return
    if isinstance(target.object, Maker):
        for position, item in enumerate(value.args):
            adjoint.add_part(item, t.subscript(t.load(adjoint.ct), t.const(position)))
    elif target.object is runtime.call_unchanging:
        at_run_time(adjoint, value, target.args[0], target.args[1:], target.keywords)
    elif target.custom is not None:
        custom_call(adjoint, value, target.custom, target)
    elif target.object in RULES:
        primitive(adjoint, target.object, target.args, target.keywords, value)
    elif target.function is not None:
        user_call(adjoint, value, target.function, target)
    elif target.object is None:
        dynamic_call(adjoint, value, target)


def is_path(adjoint: Adjoint, path: Any) -> bool:
    """Whether an index is a path through attributes, items and views of arrays."""
    while isinstance(path, (gast.Attribute, gast.Subscript, gast.Call)):
        path = path.func if isinstance(path, gast.Call) else path.value
    return isinstance(path, gast.Name) and adjoint.unit.lookup(path) is runtime.at


def primitive(adjoint: Adjoint, function: Any, args: list, keywords: dict, node: Any = None) -> None:
    """Add the contributions of a call of a function that has a rule."""
    if function in ZERO_DERIVATIVE:
        return
    node = node or adjoint.s.value
    facts = adjoint.r.facts
    kinds = [facts.of(a) for a in args]
    if function in RULES and any(isinstance(x, (k.Lst, k.Tup)) for x in kinds) and isinstance(node, gast.BinOp):
        sequences(adjoint, node, kinds)
        return
    if function in (operator.mul, np.multiply) and len(args) == 2 and t.is_name(args[0]) and t.same(args[0], args[1]):
        function, args = np.square, args[:1]               # one contribution instead of two equal ones
    if container_parts(adjoint, function, args, kinds):
        return
    check_operands(adjoint, function, kinds, node)
    rule = RULES.get(function)
    if rule is None:
        name = source.expression_text(node)
        raise missing_rule(f"`{name}`", "x, y", source.locate(node, adjoint.origin))
    bound = bound_arguments(adjoint, rule, call_targets.Target(function, args, keywords), node)
    called = rule_call(adjoint, rule, bound, source.locate(node, adjoint.origin)) if rule.by_user else None
    along = function is np.repeat or primitive_of(function).folds not in (None, "mean")
    if along and isinstance(kinds[0], k.Num) and kinds[0].dims == ():
        bound.pop("axis", None)                               # NumPy lets a number have one
    substitution = Substitution(rule, adjoint.unit, bound, adjoint.ct, adjoint._OUT, adjoint.kind_of, adjoint.origin)
    place = source.locate(node, adjoint.origin)
    statements, contributions, guarded = substituted(adjoint, substitution, rule, called, place)
    adjoint.statements += statements
    if primitive_of(function).again is not None:
        adjoint.forward = [counted(adjoint.s, function, adjoint.unit)]
    out_kind = adjoint.kind or k.ANY
    if adjoint.name in adjoint.r.unsummed:                    # its adjoint may have another shape
        out_kind = k.Num(getattr(out_kind, "dtype", None), real=getattr(out_kind, "real", False))
        adjoint.unit.adjoints.pop(adjoint.ct, None)
    for name, contribution in zip(rule.parameters, contributions):
        if contribution is None or name not in bound:
            continue
        argument = bound[name]
        if isinstance(argument, tuple):                       # *operands
            variadic(adjoint, argument, contribution, place)
            continue
        if not adjoint.is_active(argument):
            continue
        mark_refused(adjoint, contribution, place)
        kind = facts.sizes.read(argument, facts.kinds.get(argument.id, k.ANY)) or k.ANY
        if not guarded:
            contribution = with_guard(adjoint, contribution, rule, kind, statements)
        if function is runtime.index_set and name == "value" and isinstance(kinds[0], k.Num) and not is_path(adjoint, args[1]):
            contribution = taken_back(adjoint, contribution, args)
        alike, shape = adjoint.r.alike, adjoint.r.alike.get(adjoint.name)
        if rule.elementwise and shape in (argument.id, alike.get(argument.id, "")) and adjoint.name not in adjoint.r.unsummed:
            contribution = real_part(contribution, out_kind, kind, adjoint.unit)
        elif rule.elementwise and summed_later(adjoint, argument.id, kind, out_kind):
            adjoint.r.unsummed.add(argument.id)
        else:
            contribution = fit(contribution, argument, kind, out_kind, rule.elementwise, adjoint.unit)
        adjoint.add(argument, contribution)


def counted(s: gast.Assign, function: Any, unit: Unit) -> gast.Assign:
    """A call in its derivative, where the number of derivatives counts."""
    new = t.clone(s)
    after = primitive_of(function).again
    new.value.func = gast.copy_location(t.load(unit.use(after, after.__name__)), new.value.func)          # type: ignore[union-attr]
    return new                                                                                            # type: ignore[no-any-return]


def summed_later(adjoint: Adjoint, name: str, kind: k.Kind, out: k.Kind) -> bool:
    """Whether the adjoint of an operand whose size is not known may keep the shape of the result `out`.

    What is computed from numbers alone, element by element, and read here only, passes its adjoint on to its own operands,
    and there it is summed: `ct` in `y = u * v + w` is summed to the shapes of u, v and w, and nobody asks for that of `u * v`."""
    kind, out = k.as_num(kind), k.as_num(out)
    definition = adjoint.r.read_once.get(name)
    if definition is None or not isinstance(kind, k.Num) or not isinstance(out, k.Num) or reduction(kind, out) is not None:
        return False
    if kind.dims is not None and out.dims is not None and len(kind.dims) != len(out.dims):
        return False                                          # sums first: less to compute
    value = definition.value
    if isinstance(value, gast.Call):
        function = call_targets.target_of(value, adjoint.unit, adjoint.r.facts.of).object
        operands, plain = value.args, isinstance(function, np.ufunc) and not value.keywords and function in RULES and (
            RULES[function].elementwise)
    else:
        operands = [value.left, value.right] if isinstance(value, gast.BinOp) else [value.operand]
        plain = isinstance(value, gast.UnaryOp) or isinstance(value.op, (gast.Add, gast.Sub, gast.Mult, gast.Div))
    kinds = [k.as_num(adjoint.r.facts.of(x) or k.ANY) for x in operands]
    if not plain or not all(isinstance(x, k.Num) for x in kinds):
        return False
    if any(adjoint.is_active(x) and reduction(known, kind) is not None for x, known in zip(operands, kinds)):
        return False                                          # its shape says what is to be summed there
    return not isinstance(value, gast.Call) or not any(map(may_be_complex, kinds))      # (abs of a complex number is real)


def container_parts(adjoint: Adjoint, function: Any, args: list, kinds: list) -> bool:
    """Add the contributions to an object or container and to what is put there; False if the rule of the function does."""
    if function is runtime.index_set and isinstance(kinds[0], (k.Obj, k.OneOf)) and isinstance(args[1], gast.Attribute) and (
            adjoint.unit.lookup(args[1].value) is runtime.at):
        key = t.const(args[1].attr)                            # an attribute stored
        adjoint.add(args[0], t.load(adjoint.ct) if without_derivative(adjoint, *args) else t.call(
            adjoint.r.helper(runtime.entry_drop), t.load(adjoint.ct), key))
        adjoint.add_part(args[2], adjoint.entry(t.clone(key), args[2]))
        return True
    if function in (runtime.place_load, runtime.held_items, runtime.deque_load, runtime.key_load,
                    runtime.dict_whole, runtime.place_part, runtime.place_dot):
        if adjoint.is_active(args[0]) and isinstance(kinds[0], k.State):
            adjoint.contributions.append((args[0].id, t.load(adjoint.ct), t.pack(args[1:3])))
        elif adjoint.is_active(args[0]):                       # a table that was saved, of a kind that is not known any more
            table = t.call(adjoint.r.helper(runtime.place_bars))
            adjoint.add(args[0], t.call(adjoint.r.helper(runtime.place_join), table, *map(t.clone, args[1:3]), t.load(adjoint.ct)))
        return True
    if function in (runtime.place_shrink, runtime.place_resize, runtime.deque_pop, runtime.deque_pop_left,
                    runtime.key_delete):
        adjoint.add(args[0], t.load(adjoint.ct))
        return True
    if function is runtime.view_fill and isinstance(args[3], gast.Constant) and args[3].value in runtime.ORDERED:
        back = t.call(adjoint.r.helper(runtime.view_back), t.load(adjoint.ct), t.clone(args[1]), t.clone(args[2]))
        adjoint.add(args[0], back)
        return True
    if primitive_of(function).state == "changes" and primitive_of(function).puts:
        overwritten(adjoint, *args)
        return True
    if function is runtime.place_put:                          # into a table of adjoints or tangents
        memory, place, name, value = args
        taken_from(adjoint, memory, place, name, value, adjoint.r.kind(value.id) if t.is_name(value) else None)
        return True
    if function is runtime.place_begin and adjoint.is_active(args[2]):
        of_array(adjoint, args[0], args[1], t.const(k.ALL), args[2], adjoint.unit.names.fresh(f"{args[2].id}_part"), True)
        return True
    if function is runtime.array_fill and not adjoint.is_active(args[2]):
        adjoint.add(args[0], t.load(adjoint.ct))                     # nobody asks for it any more
        return True
    if function is runtime.array_fill:
        of_array(adjoint, args[0], args[1], t.const(k.ALL), args[2], adjoint.unit.names.fresh(f"{args[2].id}_part"), True)
        return True
    if function is runtime.put_all and differs_in_discrete(adjoint, *args[2:]):
        adjoint.add(args[0], t.load(adjoint.ct))                     # who holds the new object has held the old one
        return True
    if function is runtime.item_at and not isinstance(kinds[0], k.Num) and is_path(adjoint, args[1]):
        adjoint.add(args[0], t.call(adjoint.r.helper(runtime.path_put), t.clone(args[0]), t.clone(args[1]), t.load(adjoint.ct)))
        return True
    if function is runtime.index_set and isinstance(kinds[0], (k.Obj, k.OneOf)) and not k.is_numeric(kinds[0]):
        path = t.clone(args[1])
        adjoint.add(args[0], t.call(adjoint.r.helper(runtime.path_drop), t.load(adjoint.ct), path, t.load(adjoint._OUT)))
        adjoint.add(args[2], t.call(adjoint.r.helper(runtime.path_of), t.load(adjoint.ct), t.clone(path), t.load(adjoint._OUT),
                                    t.clone(args[2])))
        return True
    if function is runtime.index_set and isinstance(kinds[0], (k.Dct, k.Map, k.Lst, k.Tup, k.Closure)) and not (
            isinstance(k.as_num(kinds[2] or k.ANY), k.Num)) and not is_path(adjoint, args[1]):
        put_into(adjoint, *args)
        return True
    return False


def overwritten(adjoint: Adjoint, memory: Any, place: Any, name: Any, value: Any) -> None:
    """`place.name = value`: the adjoint of the attribute belongs to the value, and what was there before has none from then on."""
    owner = adjoint.r.facts.of(place) or k.ANY
    held = k.held_unless_none(adjoint.r.kind(memory.id), owner, held_name(owner, name))
    varying = adjoint.r.activity.attributes
    still = varying is not None and k.holds_attributes(owner) and text(name) not in {*varying, None}
    if held is not None and k.is_discrete(held) or still:
        adjoint.add(memory, t.load(adjoint.ct))
        return
    taken_from(adjoint, memory, place, name, value, held)


def taken_from(adjoint: Adjoint, memory: Any, place: Any, name: Any, value: Any, held: k.Kind | None) -> None:
    """Take the adjoint of what is stored out of the table, for the value, in one step: the table changes in place."""
    bars = t.load(adjoint.ct)
    if not adjoint.is_active(value):
        adjoint.add(memory, t.call(adjoint.r.helper(runtime.place_drop), bars, t.clone(place), t.clone(name)))
        return
    part = adjoint.unit.names.fresh(f"{value.id}_part")
    if k.is_held_array(adjoint.r.facts.of(place) or k.ANY):
        of_array(adjoint, memory, place, name, value, part)
        return
    wide = may_be_complex(held or k.ANY)
    helper = runtime.place_take_wide if wide else runtime.place_take
    if not wide and (count := numbers_of(adjoint, name, value)):            # a new list of a few numbers, which nobody has to keep
        names = [adjoint.unit.names.fresh(f"{value.id}_part") for _ in range(count)]
        for key, own in enumerate(names):
            taken = t.call(adjoint.r.helper(helper), t.load(adjoint.ct), t.clone(place), t.const(key), t.const(0.0))
            adjoint.statements.append(t.unpack([own, adjoint.ct], taken, adjoint.origin))
        adjoint.add(value, gast.List(elts=[t.load(own) for own in names], ctx=t.LOAD))
        adjoint.add(memory, t.load(adjoint.ct))
        return
    taken = t.call(adjoint.r.helper(helper), bars, t.clone(place), t.clone(name), t.clone(value))
    if isinstance(kind := adjoint.r.kind(value.id), k.Num) and kind.is_scalar and not wide:
        taken.args[-1] = t.const(0.0)
    adjoint.statements.append(t.unpack([part, adjoint.ct], taken, adjoint.origin))
    adjoint.add(value, real_part(t.load(part), held or k.ANY, adjoint.r.kind(value.id), adjoint.unit))
    adjoint.add(memory, t.load(adjoint.ct))


def numbers_of(adjoint: Adjoint, name: Any, value: gast.Name) -> int:
    """How many numbers are in the display of a list that becomes all there is in a place; 0 where it is anything else."""
    made = adjoint.r.single.get(value.id) if isinstance(name, gast.Constant) and name.value == k.WHOLE else None
    if not isinstance(made, gast.List) or len(made.elts) > FEW:
        return 0
    kinds = [k.as_num(adjoint.r.facts.of(item) or k.ANY) for item in made.elts]
    return len(kinds) if all(isinstance(kind, k.Num) and kind.is_scalar for kind in kinds) else 0


def of_array(adjoint: Adjoint, memory: Any, place: Any, name: Any, value: Any, part: str, new: bool = False) -> None:
    """`place[index] = value`: the adjoint of that part of the array belongs to the value. new: of one that was not there before."""
    held = k.held(adjoint.r.kind(memory.id), adjoint.r.facts.of(place), k.ALL)
    kind = adjoint.r.facts.of(t.call(adjoint.r.helper(runtime.place_load), t.clone(memory), t.clone(place), t.clone(name)))
    number = isinstance(kind, k.Num) and kind.is_scalar and kind.dtype == "float64"
    helper = runtime.place_take_wide if may_be_complex(held or k.ANY) else runtime.place_take
    taken = t.call(adjoint.r.helper(runtime.place_part if new else helper), t.load(adjoint.ct), t.clone(place), t.clone(name),
                   t.const(0.0 if number else None))
    adjoint.statements.append(t.assign(part, taken, adjoint.origin) if new else t.unpack(
        [part, adjoint.ct], taken, adjoint.origin))
    own = adjoint.r.kind(value.id)
    fitted = fit(t.load(part), value, own, kind or k.ANY, True, adjoint.unit)
    adjoint.add(value, real_part(fitted, held or k.ANY, own, adjoint.unit))
    adjoint.add(memory, t.load(adjoint.ct))


def check_operands(adjoint: Adjoint, function: Any, kinds: list, node: Any) -> None:
    """Refuse operators and functions of arrays that are given objects of classes."""
    if any(isinstance(x, (k.Obj, k.OneOf, k.Fn)) for x in kinds) and isinstance(node, gast.BinOp):
        of = next((f" ({cls.__name__})" for x in kinds if (cls := class_of(x)) is not None), "")
        raise UnsupportedError(f"an operator of a class{of}", source.locate(node, adjoint.origin),
                               "Call a function or method that computes with arrays.")
    own = [cls for x in kinds if not isinstance(x, k.Named) and (cls := class_of(x)) is not None]
    root = (getattr(function, "__module__", None) or "").split(".")[0]
    if own and (root in ("builtins", "math", "operator", "numpy") or isinstance(function, np.ufunc)):
        raise UnsupportedError(f"`{source.expression_text(node)}`, which is given a {own[0].__name__}",
                               source.locate(node, adjoint.origin), "Give it the numbers or arrays that the object holds.")


def bound_arguments(adjoint: Adjoint, rule: Any, target: call_targets.Target, node: Any) -> dict:
    """Bind the arguments of a call to the parameters of a rule."""
    try:
        return call_targets.bind_rule(rule, target)
    except TypeError as problem:
        name = source.expression_text(node.func) if isinstance(node, gast.Call) else rule.name
        raise UnsupportedError(f"this form of {name} has no derivative rule: {problem}",
                               source.locate(node, adjoint.origin),
                               f"The rule takes ({', '.join(rule.parameters)}).") from None


def substituted(adjoint: Adjoint, substitution: Substitution, rule: Any, called: list | None,
                place: Origin | None) -> tuple[list, list, bool]:
    """Substitute the arguments into a rule: its statements and contributions, and whether its divisions are guarded.

    called: the contributions, where the rule is called instead."""
    try:
        statements, contributions = substitution.run() if called is None else ([], called)
    except UnsupportedError as problem:                       # of a helper that was asked now
        problem.locate(place)
        raise
    helper = adjoint.r.guards and adjoint.r.guards.division(adjoint.name, adjoint.s.value, rule)
    if helper is not None:
        division = Division(adjoint.r.helper(helper))
        statements, contributions = ([x and division.visit(x) for x in nodes] for nodes in (statements, contributions))
        helper = helper if division.found else None
    return statements, contributions, helper is not None


def with_guard(adjoint: Adjoint, contribution: Any, rule: Any, kind: k.Kind, statements: list) -> Any:
    """Guard a contribution that must be zero where the adjoint is, if it may be something else there."""
    guards = adjoint.r.guards
    guard = None if guards is None else guards.helper(adjoint.name, adjoint.s.value, adjoint.ct, rule, contribution, statements)
    if guard is not None and (rule.elementwise or isinstance(k.as_num(kind), k.Num)):         # a list has no zeros to put
        return t.call(adjoint.r.helper(guard[0]), t.clone(guard[1]), contribution)
    return contribution


def without_derivative(adjoint: Adjoint, base: Any, where: Any, value: Any) -> bool:
    """Whether neither an attribute that is stored nor the one before can have a derivative."""
    owner: Any = adjoint.r.facts.of(base)
    if not isinstance(owner, (k.Obj, k.OneOf)):
        return False
    before = [dict(kind.items or ()).get(where.attr) for kind in (owner.items if isinstance(owner, k.OneOf) else [owner])]
    return all(map(k.is_discrete, [*filter(None, before), adjoint.r.facts.of(value) or k.ANY]))


def differs_in_discrete(adjoint: Adjoint, old: Any, new: Any) -> bool:
    """Whether `new` is `old` with another attribute, which has no derivative."""
    def named(node: Any) -> str:                               # x for y after y = x
        value = adjoint.r.single.get(node.id)
        return named(value) if isinstance(value, gast.Name) else node.id

    made = adjoint.r.single.get(new.id)
    if not (isinstance(made, gast.Call) and adjoint.unit.lookup(made.func) is runtime.index_set and named(
            made.args[0]) == named(old)):
        return False
    where = made.args[1]
    return isinstance(where, gast.Attribute) and adjoint.unit.lookup(where.value) is runtime.at and (
        without_derivative(adjoint, *made.args))


def put_into(adjoint: Adjoint, base: Any, where: Any, value: Any) -> None:
    """A value that is no number is put into a list or dict: the zero of what lay there has its own structure."""
    plain = isinstance(where, gast.Subscript) and isinstance(where.value, gast.Attribute) and where.value.attr == "s_"
    key = where.slice if plain else where

    def at_place(whole: gast.expr) -> gast.expr:
        if plain:
            return t.subscript(whole, t.clone(key))
        return t.call(adjoint.r.helper(runtime.item_at), whole, t.clone(where))

    if isinstance(adjoint.r.facts.of(base), (k.Dct, k.Map)) and plain:
        adjoint.add(base, t.call(adjoint.r.helper(runtime.entry_drop), t.load(adjoint.ct), t.clone(key)))
        adjoint.add(value, adjoint.entry(t.clone(key), value))
    else:
        zero = t.call(adjoint.r.helper(runtime.zeros_like), at_place(t.clone(base)))
        adjoint.add(base, t.call(adjoint.r.helper(runtime.index_set), t.load(adjoint.ct), t.clone(where), zero))
        part = at_place(t.load(adjoint.ct))
        adjoint.add(value, t.call(adjoint.r.helper(runtime.unbroadcast), part, t.clone(value)))


def taken_back(adjoint: Adjoint, contribution: Any, args: list) -> Any:
    """The adjoint of what was stored into a part of an array: where the sizes are known, it has the shape of that part."""
    base, where, value = args
    index = where.slice if isinstance(where, gast.Subscript) else where
    facts = adjoint.r.facts
    part = facts.of(t.subscript(base, index))
    fitted = isinstance(contribution, gast.Call) and adjoint.unit.lookup(contribution.func) is runtime.unbroadcast
    return fit(contribution.args[0], value, facts.of(value) or k.ANY, part, True, adjoint.unit) if (
        fitted and isinstance(part, k.Num) and part.dims) else contribution


def mark_refused(adjoint: Adjoint, contribution: Any, place: Origin | None) -> None:
    """Give a contribution that the rule refuses its place: an error at generation if it is needed (`check_refused`).

    Generated code has branches of rules in it, of which only one is ever taken: there it is an error at run time.
    """
    refuses = isinstance(contribution, gast.Call) and adjoint.unit.lookup(contribution.func) is runtime.refuse
    if refuses and not adjoint.unit.function.pure:
        contribution.origin = place


def variadic(adjoint: Adjoint, argument: tuple, contribution: gast.expr, place: Origin | None) -> None:
    nothing = isinstance(contribution, gast.List) and not contribution.elts
    if nothing or not any(adjoint.is_active(item) for item in argument):
        return
    mark_refused(adjoint, contribution, place)
    written = contribution.elts if isinstance(contribution, gast.List) else None        # one by one: only some are wanted
    if isinstance(contribution, gast.Call) and adjoint.unit.lookup(contribution.func) is runtime.scaled_items and isinstance(
            contribution.args[1], gast.Tuple):
        factor, items = contribution.args
        scaled = adjoint.unit.names.fresh("scaled")
        adjoint.statements.append(t.assign(scaled, factor, adjoint.origin))
        written = [t.binop(t.load(scaled), gast.Mult(), t.clone(item)) for item in items.elts]
    parts = adjoint.unit.names.fresh("parts")
    if written is None:
        adjoint.statements.append(t.assign(parts, contribution, adjoint.origin))
    for position, item in enumerate(argument):
        part = t.subscript(t.load(parts), t.const(position)) if written is None else written[position]
        adjoint.add(item, real_part(part, adjoint.kind, adjoint.r.facts.of(item), adjoint.unit))


def sequences(adjoint: Adjoint, node: gast.BinOp, kinds: list) -> None:
    """xs + ys of lists or tuples: the adjoint is split at the length of xs. With an array it would be another operation."""
    others = [kind for kind in kinds if not isinstance(kind, (k.Lst, k.Tup, k.Rest))]
    if not all(k.is_discrete(kind or k.ANY) or _is_python_number(kind) for kind in others):     # (Python has its own error)
        raise UnsupportedError("an operation between a list and what may be an array", source.locate(node, adjoint.origin),
                               "Make an array of the list first: np.array(xs).")
    if isinstance(node.op, gast.Mult):
        for one, kind in zip((node.left, node.right), kinds):
            if isinstance(kind, (k.Lst, k.Tup)):
                adjoint.add(one, t.call(adjoint.r.helper(runtime.fold_items), t.load(adjoint.ct), t.clone(one)))
        return
    if not isinstance(node.op, gast.Add):
        raise UnsupportedError("this operation on lists", source.locate(node, adjoint.origin), "Use a comprehension.")
    size = t.call("len", t.clone(node.left))
    adjoint.add(node.left, t.subscript(t.load(adjoint.ct), gast.Slice(lower=None, upper=size, step=None)))
    adjoint.add(node.right, t.subscript(t.load(adjoint.ct), gast.Slice(lower=t.clone(size), upper=None, step=None)))


def check_refused(tree: Any, unit: Any) -> None:
    """Raise for what a rule refuses whatever the values are, now that only what is needed is left."""
    if runtime.refuse not in unit.env.values():
        return
    for node in t.walk(tree):
        if isinstance(node, gast.Call) and unit.lookup(node.func) is runtime.refuse and t.origin_of(node) is not None:
            said = [part.value if isinstance(part, gast.Constant) else unit.lookup(part) for part in node.args]
            if all(isinstance(part, str) for part in said):         # what is in a variable is told where it runs
                raise UnsupportedError(said[0], t.origin_of(node), said[1])


def new_axes(index: Any) -> Any:
    """For an index that only adds axes, x[:, None]: the index that takes them away again, [:, 0]. Else None."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    new = [isinstance(p, gast.Constant) and p.value is None for p in parts]
    kept = [isinstance(p, gast.Slice) and not (p.lower or p.upper or p.step) or (
        isinstance(p, gast.Constant) and p.value is Ellipsis) for p in parts]
    if not any(new) or not all(a or b for a, b in zip(new, kept)):
        return None
    return t.pack([t.const(0) if fresh else t.clone(p) for fresh, p in zip(new, parts)])


class Division(t.Transformer):
    """Calls of a helper in the place of `/`, in what a rule gives."""

    def __init__(self, helper: str) -> None:
        self.helper, self.found = helper, False

    def visit_BinOp(self, node: gast.BinOp) -> Any:
        node = self.generic_visit(node)
        if not isinstance(node.op, gast.Div) or isinstance(node.right, gast.Constant):
            return node
        self.found = True
        return t.call(self.helper, node.left, node.right)


def _is_python_number(kind: Any) -> bool:
    return isinstance(kind, k.Num) and kind.is_scalar and (kind.dtype or "").startswith("py")
