"""Sizes that a function itself tells of its arguments: `a, b = y` says that y has two elements.

Generated code for an array of a size that is known needs no saved shapes, and no sums over what may have been broadcast. The
size is looked for in the source, before kinds are inferred: names that hold arrays of one shape (copies, operands and results of
elementwise operations, arguments of functions) are joined, and an array that is unpacked, that meets a literal of NumPy, or of
which elements are read one by one, tells the size of all of them. That is a guess only about which sizes are worth code of their
own: code for an array of two elements is right for every such array, and is not used for others.
"""
from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from sourcegrad.ir import source
from sourcegrad.ir.union_find import UnionFind

LARGEST = 16                    # sizes that are told of by names, one by one
CALLEES = 20                    # functions of the user's that are looked into
ALIKE = {"array", "asarray", "asanyarray", "copy", "abs", "sqrt", "exp", "log", "sin", "cos", "tanh", "square", "maximum",
         "minimum", "clip", "where", "zeros_like", "ones_like", "empty_like", "full_like", "astype", "negative", "float64"}
Key = tuple[int, str]           # a scope, and a name in it

_known: WeakKeyDictionary[types.CodeType, tuple[dict[str, frozenset[int]], frozenset[str]]] = WeakKeyDictionary()


def known_sizes(function: Any) -> dict[str, frozenset[int]]:
    """The sizes that are told of parameters.

    >>> def f(y, k):
    ...     prey, predators = y
    ...     return prey * k[0] - predators
    >>> known_sizes(f)
    {'y': frozenset({2})}
    """
    return _told(function)[0]


def crossed(function: Any) -> frozenset[str]:
    """The parameters along whose last axis are the components of vectors: cross products are taken of them.

    >>> def f(x, y, t):
    ...     return t * np.cross(x - y, y)
    >>> sorted(crossed(f))
    ['x', 'y']
    """
    return _told(function)[1]


def _told(function: Any) -> tuple[dict[str, frozenset[int]], frozenset[str]]:
    code = getattr(function, "__code__", None)
    if code is None:
        return {}, frozenset()
    if code not in _known:
        _known[code] = _Shapes(function.__globals__).told(function)
    return _known[code]


class _Shapes:
    """Names that hold arrays of one shape, joined, and the sizes that are told of them."""

    def __init__(self, module: dict) -> None:
        self.module = module
        self.shapes = UnionFind()
        self.sizes: dict[Any, set[int]] = {}
        self.elements: list[tuple[Any, int]] = []               # names, and the elements that are read under constant indices
        self.crossed: list[Any] = []                            # names of which cross products are taken
        self.scopes: dict[int, tuple[Any, ...]] = {}            # id(function) -> it, and the functions around it
        self.local: dict[int, set[str]] = {}
        self.functions: dict[Key, Any] = {}                     # where a name is bound to a function -> its definition
        self.called: dict[int, Any] = {}                        # functions of the module by id, and their definitions

    def told(self, function: Any) -> tuple[dict[str, frozenset[int]], frozenset[str]]:
        node = self.definition(function)
        if node is None:
            return {}, frozenset()
        read: dict[Any, int] = {}
        for name, index in self.elements:
            read[self.shapes.find(name)] = max(index, read.get(self.shapes.find(name), 0))
        for root, last in read.items():
            self.sizes.setdefault(root, set()).add(last + 1)
        roots = {p: self.shapes.find((id(node), p)) for p in names_of(node.args)}
        found = {p: self.sizes.get(root, set()) - {1} for p, root in roots.items()}
        vectors = set(map(self.shapes.find, self.crossed))
        return ({p: frozenset(sizes) for p, sizes in found.items() if sizes},
                frozenset(p for p, root in roots.items() if root in vectors))

    def definition(self, function: Any) -> Any:
        """The node of a function, when all in it is joined; None: there is none."""
        if id(function) not in self.called:
            found = source.definition(function.__code__, function.__globals__)[1] if len(self.called) < CALLEES else None
            self.called[id(function)] = node = found and found.node
            if node is not None:
                self.function(node, ())
        return self.called[id(function)]

    def function(self, node: Any, around: tuple) -> None:
        self.scopes[id(node)] = around = (*around, node)
        body = node.body if isinstance(node.body, list) else [ast.Return(node.body)]
        inside = list(own_nodes(body))
        stored = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.local[id(node)] = stored | set(names_of(node.args)) | {n.name for n in inside if isinstance(n, ast.FunctionDef)}
        for n in inside:
            if isinstance(n, ast.FunctionDef):
                self.functions[id(node), n.name] = n
            elif isinstance(n, ast.Assign) and isinstance(n.value, ast.Lambda) and isinstance(n.targets[0], ast.Name):
                self.functions[id(node), n.targets[0].id] = n.value
        for n in inside:
            if isinstance(n, (ast.FunctionDef, ast.Lambda)):
                self.function(n, around)
        for n in inside:
            if isinstance(n, ast.Assign):
                for target in n.targets:
                    self.assigned(target, n.value, around)
            elif isinstance(n, ast.AugAssign):
                self.assigned(n.target, n.value, around)
            elif isinstance(n, ast.Return) and n.value is not None:
                self.join([(id(node), "return"), *self.alike(n.value, around)])
            elif isinstance(n, (ast.Call, ast.BinOp)):
                self.join(self.alike(n, around))
            elif isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and isinstance(n.slice, ast.Constant) and (
                    type(n.slice.value) is int and 0 <= n.slice.value < LARGEST):
                self.elements += [(name, n.slice.value) for name in self.alike(n.value, around)]

    def assigned(self, target: Any, value: Any, around: tuple) -> None:
        if isinstance(target, ast.Name):
            self.join([*self.alike(target, around), *self.alike(value, around)])
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
            for one, part in zip(target.elts, value.elts):
                self.assigned(one, part, around)
        elif isinstance(target, (ast.Tuple, ast.List)) and not any(isinstance(x, ast.Starred) for x in target.elts):
            self.join([*self.alike(value, around), len(target.elts)])

    def alike(self, node: Any, around: tuple) -> list:
        """The names whose arrays have the shape of an expression, and sizes that it tells."""
        if isinstance(node, ast.Name):
            scope = next((f for f in reversed(around) if node.id in self.local.get(id(f), ())), None)
            return [] if scope is None else [(id(scope), node.id)]
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            return [*self.alike(node.left, around), *self.alike(node.right, around)]
        if isinstance(node, (ast.UnaryOp, ast.IfExp)):
            parts = [node.operand] if isinstance(node, ast.UnaryOp) else [node.body, node.orelse]
            return [x for part in parts for x in self.alike(part, around)]
        if isinstance(node, ast.Call):
            return self.call(node, around)
        return []

    def call(self, node: ast.Call, around: tuple) -> list:
        if isinstance(node.func, ast.Name):
            function = self.callee(node.func.id, around)
            if function is None or any(isinstance(a, ast.Starred) for a in node.args):
                return []
            for name, argument in zip(names_of(function.args), node.args):
                self.join([(id(function), name), *self.alike(argument, around)])
            return [(id(function), "return")]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "cross" and not node.keywords and len(node.args) == 2:
            self.crossed += [x for part in node.args for x in self.alike(part, around) if isinstance(x, tuple)]
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in ALIKE:
            return []
        first = node.args[0] if node.args else None
        if isinstance(first, (ast.List, ast.Tuple)):
            plain = not any(isinstance(x, (ast.List, ast.Tuple, ast.Starred)) for x in first.elts)
            return [len(first.elts)] if plain and node.func.attr.endswith("array") else []
        return [x for part in (node.func.value, *node.args) for x in self.alike(part, around)]

    def callee(self, name: str, around: tuple) -> Any:
        for scope in reversed(around):
            if name in self.local.get(id(scope), ()):
                return self.functions.get((id(scope), name))
        value = self.module.get(name)
        return self.definition(value) if isinstance(value, types.FunctionType) and value.__globals__ is self.module else None

    def join(self, items: list) -> None:
        """Join names; sizes among the items are told of all of them."""
        roots = [self.shapes.find(item) for item in items if isinstance(item, tuple)]
        if roots:
            sizes = {item for item in items if isinstance(item, int) and 1 < item <= LARGEST}
            for root in roots:
                sizes |= self.sizes.pop(root, set())
                self.shapes.join(roots[0], root)
            if sizes:
                self.sizes[roots[0]] = sizes


def names_of(arguments: ast.arguments) -> list[str]:
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def own_nodes(body: list) -> Iterator[Any]:
    """The nodes of a function's own body; of functions in it, only they themselves."""
    waiting = list(reversed(body))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += reversed(list(ast.iter_child_nodes(node)))
