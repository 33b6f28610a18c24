"""shadow_updates: what is taken of a table of adjoints and given back in the next lines is stored, or left alone."""
from __future__ import annotations

import textwrap
from typing import Any

import gast
import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING
from sourcegrad.ir.source import to_text
from sourcegrad.pretty.shadow_updates import shadow_updates

CASES = [
    ("""
        for k in reversed(ks):
            p, memory__part = f_reverse(k, (1.0, bars))
            memory__part[id(o)]['v'] += p
            bars = memory__part
     """, """
        for k in reversed(ks):
            p, bars = f_reverse(k, (1.0, bars))
            bars[id(o)]['v'] += p
     """),                                                  # one table, one name
    ("""
        p = o_bar.pop('v', 0.0)
        h_bar += p
        o_bar['v'] += 0.9 * p
     """, """
        p = o_bar['v']
        h_bar += p
        o_bar['v'] = 0.9 * p
     """),
    ("""
        p = o_bar.pop('v', 0.0)
        o_bar['v'] += p
        h_bar += 1.0
     """, """
        h_bar += 1.0
     """),
    ("""
        p = o_bar.pop('v', 0.0)
        o_bar['w'] += p * 2.0
        o_bar['v'] += p
     """, """
        p = o_bar['v']
        o_bar['w'] += p * 2.0
     """),
    ("""
        p = o_bar.pop('v', 0.0)
        o_bar['v'] += p
        o_bar['v'] += 2.0
        h_bar += p
     """, """
        p = o_bar['v']
        o_bar['v'] += 2.0
        h_bar += p
     """),                                                  # a number does not change when the table does
    ("""
        if c:
            o_bar['v'] += h_bar
        else:
            p = o_bar.pop('v', 0.0)
            o_bar['v'] += p
        if c:
            q = q_bar.pop('v', 0.0)
            q_bar['v'] += q
        else:
            q_bar['v'] += h_bar
     """, """
        if c:
            o_bar['v'] += h_bar
        if not c:
            q_bar['v'] += h_bar
     """),                                                  # nothing is left of a branch
    ("""
        p = o_bar.pop(k, 0.0)
        h_bar += p
        o_bar[k] += 0.9 * p
     """, """
        p = o_bar[k]
        h_bar += p
        o_bar[k] = 0.9 * p
     """),                                                  # the same name, the same entry
]
SAME = [
    """
        p = o_bar.pop(k, 0.0)
        k = 2
        o_bar[k] += p
     """,
    """
        p = o_bar.pop(k, 0.0)
        o_bar[j] += 2.0
        o_bar[k] += p
     """,
    """
        p = o_bar.pop(k, 0.0)
        o_bar[1] += 2.0
        o_bar[k] += p
     """,
    """
        p = o_bar.pop(1, 0.0)
        o_bar[k] += 2.0
        o_bar[1] += p
     """,
    """
        o_bar = p_bar
        o_bar[id(o)]['v'] += p
        o_bar = {}
     """,                                                   # a user's table by another name
    """
        p = o_bar.pop('v', 0.0)
        q_bar['v'] += p
        o_bar['v'] += 0.9 * p
     """,                                                    # q may be the same object
    """
        p = o_bar.pop('v', 0.0)
        h_bar = f_reverse(p, bars)
        o_bar['v'] += 0.9 * p
     """,                                                    # who knows what it does to the table
    """
        p = o_bar.pop('v', 0.0)
        o_bar['v'] += h_bar
     """,                                                    # an array would have two names
    """
        p = o_bar.pop('v', 0.0)
        if c:
            o_bar['v'] += 0.9 * p
     """,
]


class Names:
    """What the names of a text are: NumPy's, and helpers by their own names."""

    def lookup(self, node: Any) -> Any:
        return getattr(np, node.attr, MISSING) if isinstance(node, gast.Attribute) and t.is_name(node.value, "np") else MISSING

    def use(self, value: Any, name: str) -> str:
        return name


AT_ONCE = [
    ("""
        for k in reversed(ks):
            y_bar = np.zeros(y.shape)
            y_bar[k] = 2.0 * h_bar
            o_bar['y'] += y_bar
     """, """
        for k in reversed(ks):
            y_bar = entry_bar(o_bar, 'y', y.shape)
            y_bar[k] += 2.0 * h_bar
     """),
    ("""
        y_bar = np.zeros(y.shape)
        h_bar = np.sin(k) * c
        y_bar[k] = h_bar
        y_bar[k + 1] -= np.cos(c)
        o_bar['v'] += h_bar
        bars[id(q)]['y'] += y_bar
     """, """
        h_bar = np.sin(k) * c
        y_bar = entry_bar(bars[id(q)], 'y', y.shape)
        y_bar[k] += h_bar
        y_bar[k + 1] -= np.cos(c)
        o_bar['v'] += h_bar
     """),                                                  # other entries, other statements
]
NOT_AT_ONCE = [
    """
        y_bar = np.zeros(y.shape)
        y_bar[k] = h_bar
        a_bar[...] += y_bar
     """,                                                   # an array, not a table
    """
        y_bar = np.zeros(y.shape)
        y_bar[k] = h_bar
        a_bar[0] += y_bar
     """,
    """
        y_bar = np.zeros(y.shape)
        y_bar[k] = h_bar
        y_bar[c] = q_bar
        o_bar['y'] += y_bar
     """,                                                   # the second may be the place of the first
    """
        y_bar = np.zeros(y.shape)
        y_bar[k] = h_bar
        p = o_bar.pop('y', 0.0)
        o_bar['y'] += y_bar
     """,                                                   # what is taken between does not have it
    """
        y_bar = np.zeros(y.shape)
        y_bar[k] = h_bar
        q = q_bar['y']
        o_bar['y'] += y_bar
     """,                                                   # this may be the same table
    """
        y_bar = np.zeros(y.shape)
        y_bar[k] = h_bar
        h_bar = y_bar[c]
        o_bar['y'] += y_bar
     """,
    """
        y_bar = np.zeros(y.shape)
        y_bar[k] = h_bar
        o_bar = bars[id(k)]
        o_bar['y'] += y_bar
     """,
    """
        y_bar = np.zeros(y.shape)
        y_bar[k] = h_bar
        bars = f_reverse(k, bars)
        o_bar['y'] += y_bar
     """,
    """
        y_bar = np.zeros(y.shape)
        y_bar[k] = h_bar
        o_bar['y'] += y_bar
        q_bar['v'] += y_bar
     """,
    """
        y_bar = np.zeros(y.shape)
        y_bar *= c
        y_bar[k] = h_bar
        o_bar['y'] += y_bar
     """,
    """
        y_bar = np.zeros(y.shape)
        y_bar[k] = h_bar
        o_bar[k] += y_bar
     """,
]


def changed(text: str) -> str:
    source = "def f(bars, o_bar, q_bar, h_bar, k, c):\n" + textwrap.indent(textwrap.dedent(text).strip(), "    ") + "\n"
    tree = gast.parse(source).body[0]
    for s in t.statements(tree.body):
        s.origin = None
    return textwrap.dedent(to_text(shadow_updates(tree, Names())).split("\n", 1)[1]).strip()


@pytest.mark.parametrize(("before", "after"), CASES)
def test_what_is_given_back_is_stored(before: str, after: str) -> None:
    assert changed(before) == textwrap.dedent(after).strip()


@pytest.mark.parametrize(("before", "after"), AT_ONCE)
def test_elements_go_to_the_array_in_the_table(before: str, after: str) -> None:
    assert changed(before) == textwrap.dedent(after).strip()


@pytest.mark.parametrize("text", NOT_AT_ONCE)
def test_an_array_of_which_more_becomes_is_added(text: str) -> None:
    assert changed(text) == textwrap.dedent(text).strip()


@pytest.mark.parametrize("text", SAME)
def test_what_may_be_something_else_stays(text: str) -> None:
    assert changed(text) == textwrap.dedent(text).strip()


def test_adjoints_of_what_is_made_before_all_loops_have_a_name() -> None:
    found = changed("""
        y = make()
        bars = place_bars()
        for k in c:
            bars[id(y)][k] += h_bar
            y_bar = bars[id(y)]
            x = y_bar.pop(k, 0.0)
    """)
    assert found == textwrap.dedent("""
        y = make()
        bars = place_bars()
        y_bar = bars[id(y)]
        for k in c:
            y_bar[k] += h_bar
            x = y_bar.pop(k, 0.0)
    """).strip()
    several = changed("""
        for k in c:
            y = make()
            x = y
        bars = place_bars()
        for k in c:
            bars[id(y)][k] += h_bar
    """)
    assert "y_bar" not in several


def moved_down(x, y):
    y[:-1] = y[1:] + y[-3]
    return y


def test_views_of_all_elements_are_no_entries() -> None:
    found = sg.grad(lambda a: moved_down(a, a[...])[::1], grad_outputs=np.ones(3))(np.array([0.3, -1.2, -0.6]))
    assert found.tolist() == [2.0, 1.0, 2.0]
