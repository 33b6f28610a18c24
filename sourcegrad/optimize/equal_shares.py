"""Adjoints of sums over lists: one number, and no list of equal ones.

    value_bar = spread_over(y_bar, value)           value_bar = y_bar
    for k in reversed(range(n)):                    for k in reversed(range(n)):
        part = value_bar.pop()                          part = value_bar

Only where a number is taken at each place: then `value` need not be kept either."""
from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.types import Infer
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit


def equal_shares(unit: Unit, tree: Any, facts: Infer) -> bool:
    """Write the share of an item for lists of equal shares in a generated function, in place. Whether there are any."""
    statements = list(t.statements(tree.body))
    writes = Counter(name for s in statements for name in t.writes(s))
    spread = [s for s in statements if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and writes[s.targets[0].id] == 1
              and isinstance(s.value, gast.Call) and len(s.value.args) == 2 and unit.lookup(s.value.func) is runtime.spread_over]
    shares = {name for name, share in ((s.targets[0].id, s.value.args[0]) for s in spread)
              if is_number(facts.of(share)) and is_numbers(facts.kinds.get(name))}
    popped = [(s, t.list_method(s) or ("", "")) for s in statements]
    taken = {id(s): name for s, (name, method) in popped if name in shares and method == "pop"}
    uses = Counter(n.id for n in t.walk(tree) if isinstance(n, gast.Name) and n.id in shares)
    pops = Counter(taken.values())
    shares = {name for name in shares if uses[name] == pops[name] + 1}
    if not shares:
        return False
    for s in spread:
        name = s.targets[0].id
        if name in shares:
            s.value = s.value.args[0]
            facts.kinds[name] = facts.of(s.value) or k.ANY

    def new(s: Any) -> list:
        name = taken.get(id(s))
        if name not in shares:
            return [s]
        return [t.assign(s.targets[0], t.load(name or ""), t.origin_of(s))] if isinstance(s, gast.Assign) else []

    tree.body = t.rewritten(tree.body, new)
    return True


def is_number(kind: Any) -> bool:
    kind = k.as_num(kind or k.ANY)
    return isinstance(kind, k.Num) and kind.is_scalar and kind.is_complex is False


def is_numbers(kind: Any) -> bool:
    """Whether it is a list of real numbers."""
    return isinstance(kind, k.Lst) and is_number(kind.item)
