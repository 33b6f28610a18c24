"""Linked lists and trees, walked, built, changed, passed as arguments: `l`: read, `w`: changed while or after they are walked."""
from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import sourcegrad as sg
from tests.kinds.outcomes import outcome


class Link:
    def __init__(self, v, child=None): self.v, self.child = v, child
    def items(self): return [self] + ([] if self.child is None else self.child.items())
    def __iter__(self):
        link = self
        while link is not None:
            yield link
            link = link.child


class Tree:
    def __init__(self, v, left=None, right=None): self.v, self.left, self.right = v, left, right
    def total(self):
        s = self.v ** 2
        if self.left is not None: s = s + self.left.total()
        if self.right is not None: s = s + self.right.total()
        return s


@dataclasses.dataclass
class Node:
    v: float
    kids: list = dataclasses.field(default_factory=list)


def chain(v):
    link = None
    for x in reversed(v): link = Link(x, link)
    return link
# built inside from an array


def l1(v):
    s = 0.0; link = Link(v[0], Link(v[1], Link(v[2])))
    while link is not None:
        s += link.v ** 2
        link = link.child
    return s


def l2(v):
    link = None
    for x in reversed(v): link = Link(x, link)
    s = 0.0
    while link is not None:
        s = s + link.v ** 2
        link = link.child
    return s


def l3(v):
    link = None
    for x in reversed(v): link = Link(x, link)
    return sum(n.v ** 2 for n in link.items())


def l4(v):
    root = Link(v[0], Link(v[1]))
    return sum(n.v ** 3 for n in root)


def walk(link):
    if link is None: return 0.0
    return link.v ** 2 + walk(link.child)


def l5(v): return walk(Link(v[0], Link(v[1], Link(v[2]))))


def l6(v): return walk(chain(v))


def l7(v): return Tree(v[0], Tree(v[1]), Tree(v[2], Tree(v[0] * v[1]))).total()


def depth(t):
    if t is None: return 0
    return 1 + max(depth(t.left), depth(t.right))


def l8(v):
    t = Tree(v[0], Tree(v[1]), Tree(v[2], Tree(v[0])))
    return t.total() * depth(t)


def nodesum(n): return n.v ** 2 + sum(nodesum(k) for k in n.kids)


def l9(v): return nodesum(Node(v[0], [Node(v[1]), Node(v[2], [Node(v[0])])]))


def l10(v):
    stack, s = [Tree(v[0], Tree(v[1]), Tree(v[2]))], 0.0
    while stack:
        t = stack.pop()
        s += t.v ** 2
        if t.left is not None: stack.append(t.left)
        if t.right is not None: stack.append(t.right)
    return s


def l11(v):
    pair = (v[0], (v[1], (v[2], None)))
    s = 0.0
    while pair is not None:
        s += pair[0] ** 2
        pair = pair[1]
    return s


def l12(v):
    d = {"v": v[0], "next": {"v": v[1], "next": None}}
    s = 0.0
    while d is not None:
        s += d["v"] ** 2
        d = d["next"]
    return s


def l13(v):
    head = Link(v[0]); tail = head
    for x in v[1:]:
        tail.child = Link(x)
        tail = tail.child
    return walk(head)


def l14(v):
    links = [Link(x) for x in v]
    for a, b in zip(links, links[1:]): a.child = b
    return sum(l.v ** 2 for l in links) + links[0].child.v


def one(root): return list(root)[0].v


def two(root, q):
    t = 0.0
    for link, a in zip(root, q): t += link.v * a
    return t


def l15(v):
    root = Link(v[0], Link(v[1]))
    return one(root) + two(root, v)


def last(link):
    while link.child is not None: link = link.child
    return link


def l16(v): return last(Link(v[0], Link(v[1], Link(v[2])))).v ** 2


def l17(v):
    root = chain(v); root.child.v = root.v * 2.0
    return walk(root)


def gen(t):
    if t is not None:
        yield from gen(t.left)
        yield t.v
        yield from gen(t.right)


def l18(v): return sum(x ** 2 for x in gen(Tree(v[0], Tree(v[1]), Tree(v[2]))))


def insert(t, x):
    if t is None: return Tree(x)
    if x < t.v: t.left = insert(t.left, x)
    else: t.right = insert(t.right, x)
    return t


def l19(v):
    t = None
    for x in v: t = insert(t, x)
    return t.total()


def mapped(link): return None if link is None else Link(link.v * 2.0, mapped(link.child))


def l20(v): return walk(mapped(Link(v[0], Link(v[1]))))


def l21(v):
    s, n, link = 0.0, 0, chain(v)
    for _ in range(2):
        s += link.v ** 2; link = link.child
    return s


class LinkedList:
    def __init__(self): self.head, self.n = None, 0
    def push(self, v): self.head = Link(v, self.head); self.n += 1
    def __len__(self): return self.n
    def __iter__(self):
        at = self.head
        while at is not None:
            yield at.v
            at = at.child


def l22(v):
    xs = LinkedList()
    for x in v: xs.push(x)
    return sum(x ** 2 for x in xs) * len(xs)


class Expr:
    def __init__(self, op, *args): self.op, self.args = op, args
    def eval(self, x):
        if self.op == "x": return x
        if self.op == "+": return self.args[0].eval(x) + self.args[1].eval(x)
        return self.args[0].eval(x) * self.args[1].eval(x)


E1 = Expr("*", Expr("x"), Expr("+", Expr("x"), Expr("*", Expr("x"), Expr("x"))))


def l23(v): return np.sum(E1.eval(v))


ROOT = Tree(2.0, Tree(3.0), Tree(1.0, Tree(0.5)))


def descend(t, x):
    while t is not None:
        x = np.tanh(x * t.v)
        t = t.left
    return np.sum(x)


def l24(v): return descend(ROOT, v)


CHAIN = Link(0.5, Link(1.5, Link(2.5)))


def l25(v):
    link, s = CHAIN, 0.0
    while link is not None:
        s += np.sum(v ** 2) * link.v
        link = link.child
    return s


def l26(v): return sum(l.v for l in CHAIN) * np.sum(v ** 2)


def decide(t, x):
    while t.left is not None: t = t.left if x[0] < t.v else t.right
    return t.v


def l27(v): return decide(ROOT, v) * np.sum(v ** 2)


def w1(v):
    root = chain(v); link = root
    while link is not None:
        link.v = link.v * 2.0
        link = link.child
    return walk(root)


def w2(v):
    root = chain(v); prev = None
    while root is not None:
        root.child, prev, root = prev, root, root.child
    return prev.v ** 3 + walk(prev)


def w3(v):
    root = chain(v); root.child = root.child.child
    return walk(root)


def w4(v):
    a = v * 1.0
    root = Link(a, Link(a * 2.0)); last = root
    while last.child is not None: last = last.child
    a[0] = 5.0 * v[1]
    return np.sum(root.v ** 2) + np.sum(last.v)


def w5(v):
    a = v * 1.0
    root = Link(a * 2.0, Link(a)); last = root
    while last.child is not None: last = last.child
    last.v[0] = 5.0 * v[1]
    return np.sum(a ** 2) + np.sum(root.v)


def w6(v):
    a = v * 1.0
    root = Link(a * 2.0, Link(a * 3.0, Link(a * 4.0))); link = root
    while link is not None:
        link.v *= 2.0
        link = link.child
    return sum(np.sum(n.v ** 2) for n in root)


def w7(v):
    root = chain(list(v) * 2)
    s = 0.0
    while root is not None:
        s += root.v ** 2; root = root.child
    return s


def w8(v): return walk(chain(list(v) * 2))


def w9(v): return sum(n.v ** 2 for n in chain(list(v) * 2))


def w10(v):
    root = chain(list(v) * 2); best = root; at = root
    while at is not None:
        if at.v > best.v: best = at
        at = at.child
    best.v = best.v * 10.0
    return walk(root)


def w11(v):
    root = chain(v); at = root
    while at.child is not None:
        at.child.v = at.v + at.child.v
        at = at.child
    return at.v ** 2


def w12(v):
    root = chain(v); at = root
    while at is not None and at.v < 1.0: at = at.child
    return at.v ** 2


def w13(v):
    root = chain(v); at, i = root, 0
    while at is not None:
        if i == 1:
            at.v = v[0] * v[2]
            break
        at, i = at.child, i + 1
    return walk(root)


def w14(v):
    xs = LinkedList()
    for x in v: xs.push(x)
    s = 0.0
    while xs.head is not None:
        s = s * 0.5 + xs.head.v ** 2
        xs.head = xs.head.child
    return s


def w15(v):
    root = Tree(v[0], Tree(v[1]), Tree(v[2]))
    at = root
    while at.right is not None: at = at.right
    at.v = at.v * 3.0
    return root.total()


def w16(v):
    root = Tree(v[0], Tree(v[1]), Tree(v[2]))
    at = root
    for x in (0.1, 0.2): at = at.left if x > v[0] else at.right
    return root.total()


def w17(v):
    a, b = Link(v[0]), Link(v[1])
    a.child = b; b.child = Link(v[2])
    at = a
    while at is not None:
        at.w = at.v ** 2
        at = at.child
    return a.w + b.w


def w18(v):
    root = chain(v); kept = []
    at = root
    while at is not None:
        kept.append(at); at = at.child
    kept[0].v = v[1] * 7.0
    return walk(root) + kept[0].v


def w19(v):
    d = {"v": v[0], "next": {"v": v[1], "next": {"v": v[2], "next": None}}}
    at = d
    while at is not None:
        at["v"] = at["v"] * 2.0
        at = at["next"]
    return d["v"] ** 2 + d["next"]["v"] ** 2


def w20(v):
    buf = np.zeros(3); root = Link(buf, Link(buf)); at = root; i = 0
    while at is not None:
        at.v[i] = v[i] ** 2
        at, i = at.child, i + 1
    return np.sum(root.v * v)


def w21(v):
    q = v * 1.0
    for _ in range(8):
        q = q[::1]
    q[0] = 3.0
    return np.sum(q * v)


def w22(v):
    m = np.outer(v, v); q = m
    for _ in range(7): q = q.T
    q[0, 1] = 5.0
    return np.sum(m * m)


def w23(v):
    a = [v[0], [v[1], [v[2], None]]]; at = a
    while at[1] is not None: at = at[1]
    at[0] = v[0] * 4.0
    return a[0] + a[1][1][0] ** 2


def w24(v):
    stack = [chain(v)]; out = 0.0
    while stack:
        n = stack.pop(); n.v = n.v * n.v
        out = out + n.v
        if n.child is not None: stack.append(n.child)
    return out


def w25(v):
    root = chain(v); fast = slow = root
    while fast is not None and fast.child is not None:
        fast = fast.child.child; slow = slow.child
    return slow.v ** 3


def total(root):
    s = 0.0
    while root is not None:
        s += root.v ** 2
        root = root.child
    return s


def scaled(x, root):
    s = 0.0
    while root is not None:
        s += root.v * x ** 2
        root = root.child
    return s


def total_tree(t): return t.total()


def by_for(root): return sum(n.v ** 2 for n in root)


def rec(root): return walk(root)


def kids(n): return nodesum(n)


REFUSED = {"w22"}
SIBLINGS = [f for name, f in list(globals().items()) if name[0] in "lw" and name[1:].isdigit()]


@pytest.mark.parametrize("f", SIBLINGS, ids=lambda f: f.__name__)
def test_siblings(f):
    assert outcome(f, np.array([0.4, 1.3, -0.7])) == ("refused" if f.__name__ in REFUSED else "right")


def links():
    return Link(1.0, Link(2.0, Link(3.0)))


def branches():
    return Tree(1.0, Tree(2.0), Tree(3.0, Tree(4.0)))


@pytest.mark.parametrize("f, args, inputs, want", [
    (total, (links(),), "root.v", 2.0), (total, (links(),), "root.child.v", 4.0), (total, (links(),), "root.child.child.v", 6.0),
    (scaled, (1.5, links()), "x", 18.0), (scaled, (1.5, links()), "root.child.v", 2.25),
    (total_tree, (branches(),), "t.v", 2.0), (total_tree, (branches(),), "t.right.left.v", 8.0),
    (by_for, (links(),), "root.child.v", 4.0), (rec, (links(),), "root.child.v", 4.0), (rec, (links(),), "root.child.child.v", 6.0),
    (kids, (Node(1.0, [Node(2.0), Node(3.0)]),), "n.kids[1].v", 6.0), (kids, (Node(1.0, [Node(2.0)]),), "n.v", 2.0)])
def test_structures_as_arguments(f, args, inputs, want):
    assert sg.grad(f, inputs=inputs)(*args) == want


def test_a_gradient_has_the_structure_of_the_list():
    found = sg.grad(total)(links())
    assert (found.v, found.child.v, found.child.child.v) == (2.0, 4.0, 6.0)


def test_second_derivatives():
    def f(v):
        return np.sum(sg.grad(l2)(v) ** 2)

    assert outcome(f, np.array([0.4, 1.3, -0.7])) == "right"
