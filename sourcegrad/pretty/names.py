"""Numbers of names: a name of the text carries a number only where two values of its name are live at once.

    dens = w * exp / s                                      dens = w * exp / s
    ...                                                     ...
    dens_2 = w * exp_2 / s                                  dens = w * exp / s
    sum_8_bar = y_bar * (dt / 6.0)                          sum_bar = y_bar * (dt / 6.0)

A name that Python has for something else, as `sum_2`, becomes another word (`total`).

The passes before number names as they make them: each value has a name of its own. In the text the values of one variable of the
user have its name again, as in his code, and so have temporaries that an operation names, where none is read after the next is
made. A value and its adjoint, tangent, shape and tape keep one number.
"""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import gast

from sourcegrad.analysis.liveness import Liveness
from sourcegrad.ir import tree as t
from sourcegrad.ir.tree import is_stop
from sourcegrad.ir.unit import RESERVED, Unit

PLAIN = {"sum": "total", "range": "turns", "max": "largest", "min": "least", "abs": "magnitude", "len": "length", "pow": "power",
         "round": "rounded", "any": "some", "all": "every", "float": "number", "int": "whole", "list": "items", "tuple": "parts",
         "sorted": "in_order", "slice": "part", "iter": "iterator", "next": "following", "divmod": "quotients", "complex": "number",
         "map": "mapped", "filter": "filtered", "zip": "pairs", "set": "members", "dict": "entries", "bool": "truth", "str": "text"}
DERIVED = re.compile(r"(?:_bar|_dot|_shape|_tape|_saved|_start)+$")


class Value(NamedTuple):
    """What a name says: x_2_bar is of the second x, with the suffix _bar."""

    stem: str
    number: int
    suffix: str

    def name(self, number: int) -> str:
        return self.stem + (f"_{number}" if number > 1 else "") + self.suffix


def parted(name: str, own: set[str]) -> Value:
    """The parts of a name. own: names of the user, whose numbers are no numbers."""
    suffix = "" if name in own else (DERIVED.search(name) or [""])[0]
    stem, number = name[:len(name) - len(suffix)], 1
    while stem not in own:
        found = re.fullmatch(r"(.*[^_])_(\d+)", stem)
        if found is None:
            break
        stem, number = found[1], number * 1000 + int(found[2])
    return Value(stem, number, suffix)


def assigned(*trees: Any) -> dict[str, None]:
    """The names that functions assign, in the order of the text; none of a function in one, nor what is a parameter of one."""
    parameters = {n.id for tree in trees for n in t.walk(tree.args) if isinstance(n, gast.Name)}
    names = (n.id for tree in trees for s in tree.body for n in t.walk(s)
             if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store))
    return {name: None for name in names if name not in parameters}


def taken_names(trees: list, unit: Unit) -> set[str]:
    """Names that mean something already: in the text, in Python, or outside of the function."""
    return {n.id for tree in trees for n in t.walk(tree) if isinstance(n, gast.Name)} | RESERVED | set(unit.env)


def names_of_user(trees: list, unit: Unit) -> set[str]:
    """Names that the user has given, whose numbers are part of them: his variables, and what his code names outside."""
    scope = unit.function.scope
    there = {n.id for tree in trees for n in t.walk(tree) if isinstance(n, gast.Name)}
    return unit.function.local | {name for name in there if name in scope.globals or name in scope.cells}


PARTS = {":-1": "head", "1:": "tail", "1:-1": "inner", "-1": "last"}
LETTERS = 3                     # of a counter that says which element


def elements(trees: list, unit: Unit) -> None:
    """Name elements and neighbours by their places, in place: `x_i_2 = x[1]` is x1, `x[k]` x_k, `x[:-1]` x_head, `k + 1` k_next.
    What several calls of one function save is named by their results: `left, left_saved = f_forward(x)`."""
    own = names_of_user(trees, unit)
    saved_names(trees, unit, own)
    values = {name: parted(name, own) for name in assigned(*trees) if name not in own}
    there = taken_names(trees, unit)
    meant: dict[str, set[str | None]] = {}
    words: dict[str, str] = {}                              # of the names that have one so far
    for tree in trees:
        for s in t.statements(tree.body):
            for name in t.writes(s) if isinstance(s, (gast.Assign, gast.AugAssign, gast.For)) else ():
                if name in values and not values[name].suffix and not popped(s):
                    word = place_word(s.value, own, words) if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) else None
                    meant.setdefault(name, set()).add(word)
                    if word is not None:
                        words[name] = word
    new: dict[str, str] = {}
    for name, found in meant.items():
        word = next(iter(found)) if len(found) == 1 else None
        if word is None:
            continue
        members = [other for other in values if values[other][:2] == values[name][:2]]
        number = 1
        while any(Value(word, 1, values[other].suffix).name(number) in there for other in (*members, name)):
            number += 1
        new.update({other: Value(word, 1, values[other].suffix).name(number) for other in members})
        there.update(new.values())
    for tree in trees:
        renamed(tree, new)


SAVED = re.compile(r"(.+_saved)(?:_\d+)?")


def saved_names(trees: list, unit: Unit, own: set[str]) -> None:
    """Name what the calls of one function save by the variables of the user that get their results, in place."""
    pairs: dict[str, dict[str, str]] = {}                   # name of what a function saves -> each of its names -> the result
    for s in (s for tree in trees for s in t.statements(tree.body)):
        target = s.targets[0] if isinstance(s, gast.Assign) and isinstance(s.value, gast.Call) else None
        if isinstance(target, gast.Tuple) and len(target.elts) == 2 and all(map(t.is_name, target.elts)):
            result, saved = (x.id for x in target.elts)
            found = SAVED.fullmatch(saved) if saved not in own else None
            if found is not None:
                pairs.setdefault(found[1], {}).setdefault(saved, result)
    there = taken_names(trees, unit)
    new: dict[str, str] = {}
    for saved, result in ((saved, result) for names in pairs.values() if len(names) > 1 for saved, result in names.items()):
        names = {saved: f"{result}_saved", f"{saved}_tape": f"{result}_saved_tape"}
        if result in own and there.isdisjoint(names.values()):
            new.update(names)
            there.update(names.values())
    for tree in trees:
        renamed(tree, new)


def popped(s: Any) -> bool:
    """Whether a statement takes values back from a tape."""
    return t.list_method(s) is not None


def place_word(value: Any, own: set[str], words: dict[str, str]) -> str | None:
    """What an expression is: an element of a variable of the user, or the neighbour of a counter."""
    if isinstance(value, gast.BinOp) and isinstance(value.op, (gast.Add, gast.Sub)) and t.is_name(value.left) and (
            value.left.id in own and len(value.left.id) <= LETTERS and isinstance(value.right, gast.Constant)
            and type(value.right.value) is int and value.right.value == 1):
        return f"{value.left.id}_{'next' if isinstance(value.op, gast.Add) else 'prev'}"
    if not isinstance(value, gast.Subscript) or not t.is_name(value.value) or value.value.id not in own:
        return None
    base, index = value.value.id, value.slice
    if isinstance(index, gast.Constant) and type(index.value) is int and 0 <= index.value < 10:
        return f"{base}{index.value}" if not base[-1].isdigit() else None
    if t.is_name(index):
        word = words.get(index.id, index.id if index.id in own and len(index.id) <= LETTERS else "")
        return f"{base}_{word.rpartition('_')[2]}" if word and not word[-1].isdigit() else None
    found = PARTS.get(gast.unparse(index)) if isinstance(index, (gast.Slice, gast.UnaryOp)) else None
    return None if found is None else f"{base}_{found}"


def numbers(trees: list, unit: Unit) -> None:
    """Number the names of a text anew, in place. trees: one function, or the two halves of one, which save under the same names."""
    own = names_of_user(trees, unit)
    unread_counters(trees, own)
    values = {name: parted(name, own) for name in assigned(*trees) if name not in own}
    classes = {name for name, value in unit.env.items() if isinstance(value, type)}
    there = taken_names(trees, unit)
    fixed = {(value.stem, value.number) for value in (parted(name, own) for name in there - values.keys())}
    several = {value.stem for value in values.values() if value.number > 1 and (value.stem, 1) not in fixed}    # the first is first
    moving = {name: value._replace(stem=plain_stem(value.stem, classes)) for name, value in values.items()
              if value.number > 1 or value.stem in several or value.stem != plain_stem(value.stem, classes)}
    taken = there - moving.keys()
    used = {(value.stem, value.number) for value in (parted(name, own) for name in taken)}
    groups: dict[tuple[str, int], list[str]] = {}
    for name in moving:
        groups.setdefault(values[name][:2], []).append(name)
    new: dict[str, str] = {}
    for members in in_order(trees, groups):
        stem, number = moving[members[0]].stem, 1
        while (stem, number) in used or any(moving[name].name(number) in taken for name in members):
            number += 1
        used.add((stem, number))
        new.update({name: moving[name].name(number) for name in members})
        taken.update(map(new.__getitem__, members))
    for tree in trees:
        renamed(tree, new)


def unread_counters(trees: list, own: set[str]) -> None:
    """`for _ in range(trips)` where nobody reads the counter, in place."""
    for tree in trees:
        names = [n for n in t.walk(tree) if isinstance(n, gast.Name)]
        targets = {s.target.id: s.target for s in t.statements(tree.body) if isinstance(s, gast.For) and t.is_name(s.target)}
        counts = Counter(n.id for n in names)
        if not any(n.id == "_" and isinstance(n.ctx, gast.Load) for n in names):
            for name, target in targets.items():
                if counts[name] == 1 and name not in own:
                    target.id = "_"


def in_order(trees: list, groups: dict[tuple[str, int], list[str]]) -> list[list[str]]:
    """The names of each value, in the order in which the text computes the values: None and empty lists only start a name."""
    nodes = (n for tree in trees for s in tree.body for n in t.walk(s))
    names = [n for n in nodes if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)]
    started = {id(n) for tree in trees for s in t.statements(tree.body) if isinstance(s, gast.Assign) and starts(s.value)
               for target in s.targets for n in t.walk(target)}
    first: dict[str, tuple[bool, int]] = {}
    for position, n in enumerate(names):
        first[n.id] = min(first.get(n.id, (True, position)), (id(n) in started, position))
    return sorted(groups.values(), key=lambda members: min(first[name] for name in members)[1])


def starts(value: Any) -> bool:
    if isinstance(value, gast.Tuple):
        return all(map(starts, value.elts))
    return isinstance(value, gast.Constant) and value.value is None or isinstance(value, gast.List) and not value.elts


def plain_stem(stem: str, classes: set[str]) -> str:
    """A word that means nothing else in Python, and no name of a class: `Body_m` is body_m."""
    first, underscore, rest = stem.partition("_")
    return PLAIN.get(stem, stem) if first not in classes or first.islower() else re.sub(
        r"(?<=[a-z])(?=[A-Z])", "_", first).lower() + underscore + rest


def renamed(tree: Any, new: dict[str, str]) -> None:
    """Rename what a function assigns, where it and handlers of exceptions name it."""
    for s in tree.body:
        t.rename(s, new)


def variables(tree: Any, unit: Unit) -> None:
    """Give values one name, in place, which differ in the number of theirs only, where no two of them are live at once."""
    own = names_of_user([tree], unit)
    inner = bound_inside(tree)
    groups: dict[str, dict[int, dict[str, str]]] = {}
    parameters = [n.id for n in t.walk(tree.args) if isinstance(n, gast.Name) and n.id in own]
    for name in (*parameters, *assigned(tree)):
        value = parted(name, own)
        if name not in inner:
            groups.setdefault(value.stem, {}).setdefault(value.number, {})[value.suffix] = name
    groups = {stem: group for stem, group in groups.items() if len(group) > 1}
    if not groups:
        return
    apart = interference(tree, {name for group in groups.values() for parts in group.values() for name in parts.values()})
    there = taken_names([tree], unit)
    new: dict[str, str] = {}
    for group in groups.values():
        merged: list[list[int]] = []
        for number in sorted(group):
            others = (one for one in merged if not any(clash(group[number], group[other], apart) for other in one))
            place = next(others, None)
            if place is None:
                merged.append([number])
            else:
                place.append(number)
        for first, *rest in merged:
            found = {name: spelled(group[first], suffix) for number in rest for suffix, name in group[number].items()}
            if there.isdisjoint(set(found.values()) - set(group[first].values())):
                new.update(found)
                there.update(found.values())
    renamed(tree, new)


def spelled(names: dict[str, str], suffix: str) -> str:
    """The name of a value with this suffix. names: suffix -> its names that there are."""
    other, name = next(iter(names.items()))
    return names.get(suffix, name[:len(name) - len(other)] + suffix)


def clash(one: dict[str, str], other: dict[str, str], apart: dict[str, frozenset[str]]) -> bool:
    """Whether two values, with what is derived from them, are live at once."""
    return any(name in apart[second] for name in one.values() for second in other.values())


def bound_inside(tree: Any) -> set[str]:
    """Names that comprehensions and lambdas bind."""
    inner = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp, gast.Lambda)
    return {n.id for node in t.walk(tree) if isinstance(node, inner) for n in t.walk(node)
            if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}


def interference(tree: Any, names: Iterable[str]) -> dict[str, frozenset[str]]:
    """For each of some names, those that hold another value while it does."""
    found: dict[str, set[str]] = {name: set() for name in names}
    liveness = Liveness()
    start = liveness.block(tree.body, frozenset())
    parameters = {n.id for n in t.walk(tree.args) if isinstance(n, gast.Name)}

    def meet(written: Iterable[str], live: Iterable[str]) -> None:
        for one in written:
            for other in live:
                if one != other and one in found and other in found:
                    found[one].add(other)
                    found[other].add(one)

    meet(parameters, {*parameters, *start})
    for s in t.statements(tree.body):
        written = t.writes(s)
        if isinstance(s, gast.For):                             # (a counter is not used for a loop inside)
            meet(written, [n for x in t.statements(s.body) for n in t.writes(x)])
            meet(written, {*liveness.head.get(id(s), frozenset(found)), *written})
        if not is_stop(s):
            meet(written, {*liveness.after.get(id(s), frozenset(found)), *written})
    return {name: frozenset(others) for name, others in found.items()}
