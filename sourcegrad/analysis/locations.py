"""Locations: places in memory that a value may lie at, and type-based alias analysis: a list that gets longer is no array.

A tag stands for a sort of objects that change in place: "array", "list", "dict", or a class. None: any of them.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import gast
import numpy as np

from sourcegrad import kinds as k
from sourcegrad.analysis.result_types import is_slice
from sourcegrad.ir import source, tree as t
from sourcegrad.primitives.core import primitive_of


class Step:
    """One step of a path: `[i]`, `.x` (the attribute of an object), or a view of an array (`.T`, `.reshape(-1)`).

    sort: index, attribute or view. node: an expression in which the name HERE stands for the base. What has the same text, names
    and sort is one object: steps are compared by the million."""

    __slots__ = ("text", "names", "sort", "node", "__weakref__")
    text: str
    names: frozenset[str]
    sort: str
    node: Any
    _all: ClassVar[weakref.WeakValueDictionary[tuple, Step]] = weakref.WeakValueDictionary()
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __new__(cls, text: str, names: frozenset[str], sort: str, node: Any) -> Step:
        with cls._lock:
            found = cls._all.get((text, names, sort))
            if found is None:
                found = cls._all[text, names, sort] = super().__new__(cls)
                found.text, found.names, found.sort, found.node = text, names, sort, node
        return found

    def __repr__(self) -> str:                           # places are sorted by it: the same in every process
        return f"{self.sort} {self.text}"

    @property
    def may_copy(self) -> bool:
        """reshape and ravel give a view or a copy, depending on how the array lies in memory."""
        return self.sort == "view" and (".reshape(" in self.text or ".ravel(" in self.text)

    @property
    def is_all(self) -> bool:
        """Whether it is `[:]` or `[...]`."""
        return self.text in ("here [:]", "here [...]")

    @property
    def each(self) -> bool:
        """Whether it is an item that an earlier iteration of a loop has taken."""
        return self.text.startswith("[each ")

    def on(self, base: Any) -> Any:
        """The step taken from an expression."""
        return t.Substitute({HERE: base}).visit(t.clone(self.node))

    def renamed(self, old: str, new: str) -> Step:
        return self if old not in self.names else _renamed(self, old, new)

    def given(self, bound: dict[str, Any]) -> Step | None:
        """The step with names replaced by expressions; None if one of them is not a name or constant."""
        if not self.names:
            return self
        if not all(isinstance(bound.get(n), (gast.Name, gast.Constant)) for n in self.names):
            return None
        return step(t.Substitute(bound).visit(t.clone(self.node)), self.sort)


@functools.lru_cache(maxsize=8192)
def _renamed(taken: Step, old: str, new: str) -> Step:
    return step(t.rename(t.clone(taken.node), {old: new}), taken.sort)


HERE = "here "                                          # no name of the user
POSITION = "position "                                  # among the names of a step: the number of an item, counted from 0


def step(node: Any, sort: str) -> Step:
    """A step from an expression on the name HERE."""
    names = frozenset(t.reads(node)) - {HERE}
    return Step(source.expression_text(node), names, sort, node)


def index_step(index: Any) -> Step:
    if isinstance(index, gast.Name):
        return _index_by_name(index.id)
    return step(t.subscript(t.load(HERE), t.clone(index)), "index")


@functools.lru_cache(maxsize=4096)
def _index_by_name(name: str) -> Step:
    return step(t.subscript(t.load(HERE), t.load(name)), "index")


@functools.lru_cache(maxsize=4096)
def attribute_step(name: str, sort: str = "attribute") -> Step:
    return step(t.attribute(t.load(HERE), name), sort)


class Loc(NamedTuple):
    """A place in memory. Not exact: somewhere inside the part of the root that the path names; then `of` are the sorts of
    objects (`tags`) that are meant (None: any)."""

    root: str
    path: tuple[Step, ...] = ()
    exact: bool = True
    of: frozenset | None = None

    def __repr__(self) -> str:
        sorts = "anything" if self.of is None else sorted(map(str, self.of))
        return f"{self.root} {list(self.path)} {self.exact} {sorts}"

    def then(self, *steps: Step) -> Loc:
        return Loc(self.root, self.path + steps, self.exact) if self.exact else self

    def somewhere(self) -> Loc:
        return Loc(self.root, self.path, False, self.of) if self.exact else self

    def read(self) -> Any:
        """The expression that reads the place."""
        node: Any = t.load(self.root)
        for item in self.path:
            node = item.on(node)
        return node

    def renamed(self, old: str, new: str) -> Loc:
        root = new if self.root == old else self.root
        if root == self.root and old not in self.names:
            return self
        return Loc(root, tuple(item.renamed(old, new) for item in self.path), self.exact, self.of)

    @property
    def names(self) -> frozenset[str]:
        return _names_of(self.path) if self.path else NO_NAMES


NO_NAMES: frozenset[str] = frozenset()


@functools.lru_cache(maxsize=16384)
def _names_of(path: tuple[Step, ...]) -> frozenset[str]:
    return frozenset(n for item in path for n in item.names)


def in_order(taken: Step, of: Callable) -> bool:
    """Whether the part of an array that lies row by row in memory does so, too: whole numbers, or a slice of rows."""
    if taken.sort == "view":
        return taken.may_copy
    if taken.sort != "index":
        return True                                          # the attribute of an object is an array as it is
    part = taken.node.slice
    parts = part.elts if isinstance(part, gast.Tuple) else [part]
    return not any(is_slice(x, of) for x in parts) or (isinstance(part, gast.Slice) and part.step is None)


ELSEWHERE = Loc("elsewhere ", (), False)          # memory that others hold: globals, results of unknown calls


def overlap(a: Loc, b: Loc) -> bool:
    """Whether two places may share memory, as far as their roots and paths tell."""
    if a.root != b.root:
        return False
    for one, other in zip(a.path, b.path):
        if one is not other:
            return not _apart(one, other)
    return True


def equally_spaced(a: Loc, b: Loc, of: Callable) -> bool:
    """Whether two rows of elements of one array are taken at the same distance, or in opposite directions."""
    steps: list[list] = []
    for path in (a.path, b.path):
        if len(path) > 1 or any(x.sort != "index" for x in path):
            return False
        index = path[0].node.slice if path else gast.Slice(None, None, None)
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        if any(isinstance(x, gast.Constant) and x.value in (None, Ellipsis) or not isinstance(x, gast.Slice) and is_slice(x, of)
               for x in parts):
            return False
        found = [(axis, 1 if x.step is None else _constant(x.step)) for axis, x in enumerate(parts) if isinstance(x, gast.Slice)]
        steps.append(found or [(len(parts), 1)])             # whole numbers only: the row along the next axis
    (axis, one), (other_axis, other) = (found[0] if len(found) == 1 else (None, None) for found in steps)
    if one is None or other is None or axis is None or axis != other_axis:
        return False
    return one == other or one * other < 0


@functools.lru_cache(maxsize=4096)
def each_step(name: str) -> Step:
    """An item that an earlier iteration of the loop over `name` has taken with this name as the index."""
    return Step(f"[each {name}]", frozenset(), "index", t.subscript(t.load(HERE), t.load(f"each {name} ")))


@functools.lru_cache(maxsize=4096)
def _text_of_index(name: str) -> str:
    return index_step(t.load(name)).text


@functools.lru_cache(maxsize=8192)
def _apart(one: Step, other: Step) -> bool:
    for a, b in ((one, other), (other, one)):
        if a.each and b.text == _text_of_index(a.text[6:-1]):
            return True
    if one.sort == other.sort == "attribute":
        return one.text != other.text
    if one.sort == other.sort == "index":
        for new, old in ((one, other), (other, one)):    # what is appended is no item that was there
            position = _constant(old.node.slice)
            if new.text == "[new]" and (POSITION in old.names or type(position) is int and position >= 0):
                return True
        return _indices_apart(one.node.slice, other.node.slice)
    return False


def _indices_apart(a: Any, b: Any) -> bool:
    parts = [x.elts if isinstance(x, gast.Tuple) else [x] for x in (a, b)]
    for one, other in zip(*parts):
        if any(isinstance(x, gast.Constant) and x.value in (None, Ellipsis) for x in (one, other)):
            return False
        if _ranges_apart(_range(one), _range(other)):
            return True
    return False


def _constant(node: Any) -> Any:
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) and isinstance(node.operand, gast.Constant):
        return -node.operand.value if isinstance(node.operand.value, int) else None
    return node.value if isinstance(node, gast.Constant) else None


def _range(node: Any) -> Any:
    """(first, after last) for constant indices from one end, a text for a key, None if not known."""
    if isinstance(node, gast.Slice):
        if node.step is not None:
            return None
        low = 0 if node.lower is None else _constant(node.lower)
        high = float("inf") if node.upper is None else _constant(node.upper)
        if low is None or high is None or low < 0 or high < 0:
            return None
        return low, high
    value = _constant(node)
    if type(value) is int:
        return (value, value + 1)
    return value if isinstance(value, str) else None


def _ranges_apart(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return False
    if isinstance(a, str) or isinstance(b, str):
        return a != b
    if (a[0] < 0) != (b[0] < 0):
        return False
    return a[1] <= b[0] or b[1] <= a[0]


# --- views ------------------------------------------------------------------------------------------------

def index_kinds(index: Any, of: Callable) -> list:
    """The kinds of the parts of an index, slices excepted; of a tuple that has a name those of its items."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    kinds = [of(part) for part in parts if not isinstance(part, gast.Slice)]
    return list(kinds[0].items) if parts == [index] and kinds and isinstance(kinds[0], k.Tup) else kinds


def basic(index: Any, of: Callable) -> bool | None:
    """Whether an index selects a view (True), a copy (False), or it cannot be known (None)."""
    for kind in index_kinds(index, of):
        kind = k.as_num(kind or k.ANY)
        if isinstance(kind, k.Const) and kind.value in (None, Ellipsis):
            continue
        if isinstance(kind, k.Num) and kind.is_scalar and kind.dtype not in ("pybool", "bool"):
            continue
        if isinstance(kind, k.Num) and kind.boxed or isinstance(kind, (k.Lst, k.Const)):
            return False
        if isinstance(kind, k.Obj) and kind.cls is slice:
            continue
        return None
    return True


def picks(index: Any, of: Callable) -> bool | None:
    """Whether an index is one with a list or array in it: of what can be indexed so, it selects a copy. None: not known."""
    kinds = index_kinds(index, of)
    if any(isinstance(kind, k.Lst) or isinstance(kind, k.Num) and bool(kind.dims) for kind in kinds):
        return True
    known = all(isinstance(kind, (k.Const, k.Obj)) or isinstance(kind, k.Num) and kind.dims is not None for kind in kinds)
    return False if known else None


VIEW_ATTRIBUTES = ("T", "mT", "real", "imag", "flat")


def _filled(rank: int, wanted: int) -> list:
    """The index with which np.atleast_2d and np.atleast_3d add axes."""
    whole: list = [gast.Slice(lower=None, upper=None, step=None) for _ in range(rank)]
    if wanted == 3 and rank == 2:
        return [*whole, t.const(None)]
    if wanted == 3 and rank == 1:
        return [t.const(None), *whole, t.const(None)]
    return [t.const(None)] * (wanted - rank) + whole


def view_call(function: Any, args: list, keywords: dict, of: Callable) -> Step | None:
    """The step that a call of a viewing function of its first argument takes, if it can be written as one."""
    if function is np.reshape and len(args) == 3:           # the method takes it by name only
        args, keywords = args[:2], {**keywords, "order": args[2]}
    order = keywords.get("order", t.const("C"))
    if not isinstance(order, gast.Constant) or any(
            isinstance(n, gast.Constant) and n.value in ("A", "K") for n in (*args, order)):
        return None                                            # in the order of the array itself: an adjoint may lie otherwise
    known = primitive_of(function)
    if known.method and known.result is not None:
        node = t.call(t.attribute(t.load(HERE), known.method[0]), *(t.clone(a) for a in args[1:]),
                      **{name: t.clone(value) for name, value in keywords.items()})
        return step(node, "view")
    kind = k.as_num(of(args[0]) or k.ANY) if args else None
    if function is np.expand_dims and isinstance(kind, k.Num) and kind.dims is not None and len(args) == 2:
        axis = _constant(args[1])
        if isinstance(axis, int):
            parts: list = [gast.Slice(lower=None, upper=None, step=None) for _ in kind.dims]
            parts.insert(axis if axis >= 0 else axis + len(kind.dims) + 1, t.const(None))
            return index_step(t.pack(parts))
    if isinstance(kind, k.Num) and kind.boxed and kind.dims is not None and not keywords:
        rank = len(kind.dims)
        axes = [_constant(a) for a in args[1:]]
        if function in (np.moveaxis, np.rollaxis) and len(axes) == 2 and all(isinstance(a, int) for a in axes) or (
                function is np.rollaxis and len(axes) == 1 and isinstance(axes[0], int)):
            order = function(np.empty(tuple(range(rank))), *axes).shape          # sizes stand for axes
            return step(t.call(t.attribute(t.load(HERE), "transpose"), *(t.const(j) for j in order)), "view")
        if len(args) == 1 and 0 < rank < (known.itself or 0):
            return index_step(t.pack(_filled(rank, known.itself or 0)))
        if function is np.real and len(args) == 1 or function is np.imag and len(args) == 1 and kind.is_complex:
            return attribute_step(function.__name__, "view")
    if function is np.fliplr and len(args) == 1 and not keywords:
        back = gast.Slice(lower=None, upper=None, step=t.const(-1))
        return index_step(t.pack([gast.Slice(lower=None, upper=None, step=None), back]))
    if function in (np.flip, np.flipud) and len(args) == 1 and not keywords and isinstance(kind, k.Num) and kind.dims is not None:
        back = gast.Slice(lower=None, upper=None, step=t.const(-1))
        return index_step(t.pack([t.clone(back) for _ in kind.dims]) if function is np.flip and len(kind.dims) > 1 else back)
    return None


def same_array(function: Any, args: list, keywords: dict, of: Callable) -> bool | None:
    """Whether np.asarray and its like give back their argument: True, False (a copy), None (not known)."""
    kind = k.as_num(of(args[0]) or k.ANY)
    if not isinstance(kind, k.Num) or not kind.boxed:
        return None if not isinstance(kind, (k.Lst, k.Tup)) and not (isinstance(kind, k.Num) and kind.is_scalar) else False
    if primitive_of(function).itself:
        return True if kind.dims is not None and len(kind.dims) >= (primitive_of(function).itself or 0) and len(args) == 1 else None
    if function is np.ascontiguousarray:
        return None
    given = args[1] if len(args) > 1 else keywords.get("dtype")
    if given is None or of(given) == k.Const(None):
        return True if not keywords.keys() - {"dtype"} else None
    wanted = of(given)
    name = getattr(wanted, "value", None)
    if name is None or kind.dtype is None:
        return None
    try:
        return np.dtype(name).name == kind.dtype
    except TypeError:
        return None


Tags = frozenset | None


def tags_of(kind: Any) -> Tags:
    """What an object of this kind is itself."""
    kind = k.as_num(kind)
    if isinstance(kind, k.Num):
        return frozenset(["array"])
    if isinstance(kind, k.Lst):
        return frozenset(["list"])
    if isinstance(kind, (k.Dct, k.Map)):
        return frozenset(["dict"])
    if isinstance(kind, k.Obj) and kind.items is not None:
        return frozenset([kind.cls])
    if isinstance(kind, k.OneOf):
        return frozenset(item.cls for item in kind.items)
    return None


KNOWN: dict[int, tuple[Any, Tags]] = {}                       # by the identity of a kind: it is asked again and again


@k.once
def reached(kind: Any) -> Tags:
    """What can be found in a value of this kind, the value itself included."""
    kind = kind.item if isinstance(kind, k.Optional) else k.as_num(kind)
    if isinstance(kind, k.Num):
        return frozenset(["array"]) if kind.boxed is not False else frozenset()
    if isinstance(kind, (k.Const, k.Fn, k.Discrete)):
        return frozenset()
    if isinstance(kind, (k.Tup, k.Closure)):
        return together(map(reached, kind.items))
    own = tags_of(kind)
    if own is None:
        return None
    if isinstance(kind, (k.Lst, k.Map)):
        return None if kind.item is None else together([own, reached(kind.item)])      # (empty: perhaps it is filled elsewhere)
    if isinstance(kind, k.OneOf):
        return together(map(reached, kind.items))
    return together([own, *(reached(item) for _, item in kind.items)])


def together(parts: Any) -> Tags:
    found: frozenset = frozenset()
    for part in parts:
        if part is None:
            return None
        found |= part
    return found


def kind_at(kind: Any, path: tuple[Step, ...], of: Any) -> Any:
    """The kind of what lies at a path into a value (None: not known)."""
    for step in path:
        kind = k.as_num(kind)
        if isinstance(kind, k.Num):
            return kind if kind.boxed else None                   # views of an array are seen as the array itself
        if step.sort == "attribute" and isinstance(kind, (k.Obj, k.OneOf)):
            kind = k.of_attribute(kind, step.node.attr)
        elif step.sort == "index" and isinstance(kind, (k.Lst, k.Map)):
            kind = kind.item
        elif step.sort == "index" and isinstance(kind, k.Dct):
            index = of(step.node.slice)
            if not isinstance(index, k.Const):
                kind = k.as_map(kind).item
            else:
                kind = kind.get(index.value)
        elif step.sort == "index" and isinstance(kind, (k.Tup, k.Closure)):
            index = of(step.node.slice)
            if not isinstance(index, k.Const) or not isinstance(index.value, int) or not (
                    -len(kind.items) <= index.value < len(kind.items)):
                return None
            kind = kind.items[index.value]
        else:
            return None
        if kind is None:
            return None
    return kind


def holds_more(before: Any, after: Any) -> bool:
    """Whether something was put into a value that nothing in it was like."""
    known, now = reached(before), reached(after)
    return known is not None and (now is None or not now <= known)


def turned(before: Any, after: Any) -> bool:
    """Whether an object in a value is not what it was thought to be: an attribute that was None, or a text, is something else."""
    if isinstance(before, k.Obj) and isinstance(after, k.Obj) and before.items and after.items:
        now = dict(after.items)
        pairs: list[tuple[Any, Any]] = [(kind, now[name]) for name, kind in before.items if name in now]
    elif isinstance(before, (k.Lst, k.Map)) and isinstance(after, type(before)):
        pairs = [(before.item, after.item)]
    elif isinstance(before, k.Tup) and isinstance(after, k.Tup):
        pairs = [*zip(before.items, after.items)]
    else:
        return isinstance(before, k.Const) and after is not None and before != after
    return any(turned(one, other) for one, other in pairs)
