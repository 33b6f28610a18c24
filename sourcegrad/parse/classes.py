"""Classes as functions: constructors, and members that nobody has written (dataclasses, descriptors)."""
from __future__ import annotations

import collections.abc
import dataclasses
import functools
import types
from dataclasses import dataclass
from typing import Any

import gast

from sourcegrad import kinds as k, runtime
from sourcegrad.errors import Origin, UnsupportedError
from sourcegrad.ir import tree as t
from sourcegrad.ir.scopes import MISSING, Scope
from sourcegrad.ir.unit import Function
from sourcegrad.parse.resolve import describe
from sourcegrad.primitives.methods import METHODS
from sourcegrad.runtime.structure import by_identity, is_namedtuple, is_user_class, overridden

# --- Members that a class has without anybody having written them: comparisons of dataclasses, descriptors as properties.

COMPARISONS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def written(text: str, origin: Origin | None, **bound: Any) -> Function:
    """The function that a text defines. bound: what its free names mean."""
    tree = gast.parse(text).body[0]
    for node in t.walk(tree):
        if isinstance(node, gast.stmt):
            t.at(node, origin)
        elif isinstance(node, gast.expr) and hasattr(node, "lineno"):         # (a place in this text, not in the user's file)
            del node.lineno, node.col_offset
    return Function(tree.name, tree, Scope({}, {}, bound))


@by_identity
def total(add: types.FunctionType, started: bool) -> Function:
    """`sum` of objects: a loop with their `+`, which `add` defines. started: whether there is something to start with."""
    origin = describe(add).origin
    if started:
        return written("def total(items, result):\n"
                       "    for item in items:\n"
                       "        result = result + item\n"
                       "    return result\n", origin)
    return written("def total(items):\n"
                   "    if len(items) == 0:\n"
                   "        raise ValueError('the sum of no objects is a number')\n"
                   "    result = 0 + items[0]\n"
                   "    for item in items[1:]:\n"
                   "        result = result + item\n"
                   "    return result\n", origin)


def comparison(cls: type, name: str) -> Function | None:
    """A comparison that the dataclass decorator has made: that of the tuples of the fields."""
    return _comparison(cls, name, next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None))


@by_identity
def _comparison(cls: type, name: str, made: Any) -> Function | None:
    if name not in COMPARISONS or not dataclasses.is_dataclass(cls) or not isinstance(made, types.FunctionType) or (
            made.__code__.co_filename != "<string>"):
        return None
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    sides = [f"({''.join(f'{side}.{n}, ' for n in names)})" for side in ("self", "other")]
    return written(f"def {name}(self, other):\n"
                   "    if type(other) is not type(self):\n"
                   "        return NotImplemented\n"
                   f"    return {sides[0]} {COMPARISONS[name]} {sides[1]}\n", Origin(f"<dataclass {cls.__name__}>", 1, 1, ""))


BOUND: dict[tuple[type, str], str] = {
    (k.Lst, "append"): "xs, value", (k.Lst, "extend"): "xs, values", (k.Lst, "index"): "xs, value",
    (k.Lst, "count"): "xs, value", (k.Dct, "get"): "xs, key", (k.Map, "get"): "xs, key"}


def bound_method(owner: Any, name: str) -> Function | None:
    """The method of a list, dict or array as a function, for where it is used as a value."""
    return _bound_method(owner.__class__, name)


@functools.cache
def _bound_method(sort: type, name: str) -> Function | None:
    parameters = "xs, *args, **options" if sort is k.Num and name in METHODS else BOUND.get((sort, name))
    if parameters is None:
        return None
    called = f"{name}_of" if sort is k.Num else name         # `sum` is somebody else
    return written(f"def {called}({parameters}):\n    return xs.{name}({parameters.partition(', ')[2]})\n",
                   Origin(f"<method {name}>", 1, 1, ""))


def is_descriptor(value: Any, method: str = "__get__") -> bool:
    """Whether a user's class says what reading (or storing) an attribute does."""
    return is_user_class(type(value)) and isinstance(getattr(type(value), method, None), types.FunctionType)


def getter(descriptor: Any, cls: type) -> Function:
    """What reading an attribute means where the class holds a descriptor under its name."""
    return _getter(descriptor, cls, type(descriptor).__get__)


@by_identity
def _getter(descriptor: Any, cls: type, get: Any) -> Function:
    return written("def get(self):\n    return read(descriptor, self, owner)\n", describe(get).origin, descriptor=descriptor,
                   read=get, owner=cls)


def setter(descriptor: Any) -> Function:
    """What storing an attribute means there."""
    return _setter(descriptor, type(descriptor).__set__)


@by_identity
def _setter(descriptor: Any, put: Any) -> Function:
    return written("def put(self, value):\n    store(descriptor, self, value)\n", describe(put).origin, descriptor=descriptor,
                   store=put)


def iteration(cls: type[Any]) -> Function | None:
    """What a loop over an instance goes over, as a list: that of `__iter__`, or the items of a sequence."""
    return _iteration(*(getattr(cls, f"__{name}__", None) for name in ("iter", "reversed", "getitem", "len", "next")))


@by_identity
def _iteration(found: Any, backwards: Any, item: Any, length: Any, following: Any) -> Function | None:
    if isinstance(backwards, types.FunctionType) and backwards is not collections.abc.Sequence.__reversed__:
        return None                                          # (`reversed` of it is another list)
    sequence = isinstance(item, types.FunctionType) and isinstance(length, types.FunctionType)
    if sequence and (found is None or found is collections.abc.Sequence.__iter__):
        function = written("def items(self):\n    return [self[k] for k in range(len(self))]\n", describe(item).origin)
        function.tree.lists = True
        return function
    if not isinstance(found, types.FunctionType):
        return None
    described = describe(found)
    if described.generator:
        return described
    results = [s for s in t.statements(described.tree.body) if isinstance(s, gast.Return)]
    if isinstance(following, types.FunctionType) and results and all(
            t.is_name(s.value, described.tree.args.args[0].id) for s in results):
        return written("def items(self):\n"
                       "    iterator = self.__iter__()\n"
                       "    while True:\n"
                       "        try:\n"
                       "            item = iterator.__next__()\n"
                       "        except StopIteration:\n"
                       "            return\n"
                       "        yield item\n", described.origin)
    if not results or not all(isinstance(s.value, gast.Call) and t.is_name(s.value.func, "iter") and len(s.value.args) == 1
                              for s in results):
        return None
    tree = t.clone(described.tree)
    for s in t.statements(tree.body):
        if isinstance(s, gast.Return):
            s.value.func.id = "list"
    tree.lists = True
    return Function("items", tree, described.scope, None)


def held_list(function: Function) -> list[str]:
    """The attributes that lead to the list that an `__iter__` hands out whole: of `return iter(self.a.b)`, ["a", "b"]."""
    body = [s for s in function.tree.body if not t.is_comment(s) and not (
        isinstance(s, gast.Expr) and isinstance(s.value, gast.Constant))]
    value = getattr(body[0], "value", None) if len(body) == 1 and isinstance(body[0], gast.Return) else None
    path = value.args[0] if isinstance(value, gast.Call) and len(value.args) == 1 else None
    names: list[str] = []
    while isinstance(path, gast.Attribute):
        names.insert(0, path.attr)
        path = path.value
    return names if t.is_name(path, function.parameters[0]) else []



@dataclass(eq=False)
class Plain:
    """A class whose instances are made of their arguments as they are: namedtuples, dataclasses, namespaces.

    parameters: in order, with default kinds (None: no default); fixed: kinds of attributes that are no parameters.
    """

    cls: type[Any]
    parameters: dict[str, k.Kind | None]
    fixed: dict[str, k.Kind]
    keywords_only: frozenset[str] = frozenset()

    def bind(self, args: list, keywords: dict[str, Any]) -> dict[str, Any]:
        """Parameter -> argument (those with defaults may be missing); TypeError as Python."""
        if self.cls is types.SimpleNamespace:
            if args:
                raise TypeError("SimpleNamespace takes keywords only")
            return dict(keywords)
        names = [n for n in self.parameters if n not in self.keywords_only]
        if len(args) > len(names):
            raise TypeError(f"{self.cls.__name__}() takes {len(names)} arguments but {len(args)} were given")
        bound = dict(zip(names, args))
        for name, value in keywords.items():
            if name not in self.parameters or name in bound:
                raise TypeError(f"{self.cls.__name__}() got an unexpected or repeated argument '{name}'")
            bound[name] = value
        for name, default in self.parameters.items():
            if default is None and name not in bound:
                raise TypeError(f"{self.cls.__name__}() missing argument '{name}'")
        return bound

    def kind(self, known: dict[str, k.Kind]) -> k.Kind:
        """The kind of an instance, from the kinds of the arguments that are given."""
        found = {**{n: d for n, d in self.parameters.items() if d is not None}, **known}
        if is_namedtuple(self.cls):
            return k.Named(tuple(found[name] for name in self.cls._fields), self.cls)
        return k.Obj(self.cls, tuple(sorted({**self.fixed, **found}.items())))


def plain_class(cls: type[Any]) -> Plain | None:
    """How instances are made of their arguments, if nothing else happens to these."""
    if cls is types.SimpleNamespace:
        return Plain(cls, {}, {})
    if is_namedtuple(cls):
        if overridden(cls):
            return None
        given = getattr(cls.__new__, "__defaults__", None) or ()
        defaults = dict(zip(cls._fields[len(cls._fields) - len(given):], given))
        return Plain(cls, {n: k.kind_of(defaults[n], n) if n in defaults else None for n in cls._fields}, {})
    if is_user_class(cls) and cls.__init__ is object.__init__ and _ordinary(cls):
        return Plain(cls, {}, {})
    if is_user_class(cls) and _generated_init(cls) and not hasattr(cls, "__post_init__") and _ordinary(cls):
        return _fields(cls)
    return None


def _fields(cls: type[Any]) -> Plain | None:
    parameters: dict[str, k.Kind | None] = {}
    fixed: dict[str, k.Kind] = {}
    own = vars(cls).get("__dataclass_fields__")
    for field in own.values() if own is not None else dataclasses.fields(cls):
        if _sort_of(field) != "_FIELD":
            if _sort_of(field) == "_FIELD_INITVAR":
                return None
            continue
        default = None
        if field.default is not dataclasses.MISSING:
            default = k.kind_of(field.default, field.name)
        elif field.default_factory is not dataclasses.MISSING:
            default = k.kind_of(field.default_factory(), field.name)
        if default is not None:
            default = k.as_num(default)
        if field.init:
            parameters[field.name] = default
        elif default is not None:
            fixed[field.name] = default
    only = frozenset(f.name for f in dataclasses.fields(cls) if getattr(f, "kw_only", False) is True)
    return Plain(cls, parameters, fixed, only)


def _sort_of(field: Any) -> str:
    """How the dataclass decorator sees an annotation: "_FIELD" for a field, others are for the class or for `__post_init__`."""
    return str(field._field_type.name)


def _generated_init(cls: type) -> bool:
    """Whether `__init__` was written by the dataclass decorator."""
    found = getattr(cls, "__init__", None)
    return dataclasses.is_dataclass(cls) and isinstance(found, types.FunctionType) and (
        found.__code__.co_filename == "<string>")


def _ordinary(cls: type[Any]) -> bool:
    """Whether calling the class makes an instance in the ordinary way."""
    return cls.__new__ is object.__new__ and type(cls).__call__ is type.__call__


_made: dict[Any, tuple[Any, Function]] = {}


def constructor(cls: type) -> Function | None:
    """A function that makes an instance: `__init__` on a new object (SourceError where that has no source)."""
    if not is_user_class(cls) or not _ordinary(cls) or cls is types.SimpleNamespace:
        return None
    init = getattr(cls, "__init__", MISSING)
    if not isinstance(init, types.FunctionType):
        return None
    if _generated_init(cls):
        return _post_init(cls)
    described = describe(init)
    known = _made.get(cls)
    if known is not None and known[0] is described:
        return known[1]
    tree = t.clone(described.tree)
    origin = t.origin_of(tree)
    names = [*tree.args.posonlyargs, *tree.args.args]
    if not names:
        return None
    receiver = names[0].id
    (tree.args.posonlyargs or tree.args.args).pop(0)
    tree.name = cls.__name__
    scope = described.scope
    _direct_stores(tree, receiver, scope)
    spelled = _spelled(cls, tree, scope)
    body = [_returning(s, receiver) for s in tree.body]
    tree.body = [t.assign(receiver, t.call("new_object", t.load(spelled)), origin), *body,
                 t.return_(t.load(receiver), origin)]
    bound = {**scope.bound, "new_object": runtime.new_object, spelled: cls}
    function = Function(cls.__name__, tree, Scope(scope.globals, scope.cells, bound), init, receiver=receiver)
    _made[cls] = described, function
    return function


def _direct_stores(tree: Any, receiver: str, scope: Scope) -> None:
    """`put = object.__setattr__.__get__(self)`, then `put("a", v)`: classes that nobody may store into do so."""
    found = {s.targets[0].id: s for s in tree.body if isinstance(s, gast.Assign) and t.is_name(s.targets[0]) and isinstance(
        s.value, gast.Call) and len(s.value.args) == 1 and t.is_name(s.value.args[0], receiver) and isinstance(
        s.value.func, gast.Name) and _binds_setattr(scope.lookup(s.value.func.id))}
    tree.body = [s for s in tree.body if s not in found.values()]
    for node in t.walk(tree) if found else ():
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in found and len(node.args) == 2:
            node.func = t.attribute(t.load("object"), "__setattr__")
            node.args = [t.load(receiver), *node.args]


def _binds_setattr(value: Any) -> bool:
    return isinstance(value, types.MethodWrapperType) and value.__self__ is object.__setattr__ and value.__name__ == "__get__"


def _spelled(cls: type, tree: Any, scope: Scope) -> str:
    """The name of a class in the code that makes its instances: its own, if nothing else has it there."""
    name = cls.__name__
    other = scope.bound.get(name, scope.globals.get(name, cls))
    stored = {n.id for n in t.walk(tree) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)}
    return name if other is cls and name not in stored and name not in scope.cells else "constructed_class"


def _returning(s: Any, receiver: str) -> Any:
    """`return` of an `__init__` returns the object."""
    for inner in t.statements([s]):
        if isinstance(inner, gast.Return):
            if inner.value is not None and not (isinstance(inner.value, gast.Constant) and inner.value.value is None):
                raise UnsupportedError("an __init__ that returns a value", t.origin_of(inner), "Write `return` alone.")
            inner.value = t.load(receiver)
    return s


def _post_init(cls: type[Any]) -> Function | None:
    """A dataclass that does something after its fields are set."""
    fields = [f for f in vars(cls).get("__dataclass_fields__", {}).values() if _sort_of(f) != "_FIELD_CLASSVAR"]
    if not hasattr(cls, "__post_init__"):
        return None
    later = [f for f in fields if not f.init]                    # set to a default, or by `__post_init__`
    fields = [f for f in fields if f.init]
    described = describe(cls.__post_init__)
    known = _made.get(cls)
    if known is not None and known[0] is described:
        return known[1]
    origin = described.origin
    names = [f.name for f in fields]
    factories = {f.name: f.default_factory for f in fields if f.default_factory is not dataclasses.MISSING}
    made_later = {f.name: f.default_factory for f in later if f.default_factory is not dataclasses.MISSING}
    defaults_later = {f.name: f.default for f in later if f.default is not dataclasses.MISSING}
    spelled = _spelled(cls, described.tree, described.scope)
    handed = [f.name for f in fields if _sort_of(f) == "_FIELD_INITVAR"]
    made = t.call("make_object", t.load(spelled), **{n: t.load(f"{n}_made" if n in factories else n) for n in names
                                                     if n not in handed},
                  **{n: t.call(f"{n}_factory") for n in made_later}, **{n: t.load(f"{n}_default") for n in defaults_later})
    body = [t.if_(gast.Compare(left=t.load(n), ops=[gast.Is()], comparators=[t.const(Ellipsis)]),
                  [t.assign(f"{n}_made", t.call(f"{n}_factory"), origin)], [t.assign(f"{n}_made", t.load(n), origin)], origin)
            for n in factories]
    body += [t.assign("self", made, origin),
            t.effect(t.method("self", "__post_init__", *map(t.load, handed)), origin), t.return_(t.load("self"), origin)]
    tree = t.function(cls.__name__, t.arguments(names), body, origin)
    init = cls.__init__
    defaults = len(init.__defaults__ or ())
    tree.args.defaults = [t.const(Ellipsis) if n in factories else gast.Tuple(elts=[], ctx=t.LOAD)
                          for n in names[len(names) - defaults:]]             # `...`: not given
    bound = {"make_object": runtime.make_object, spelled: cls,
             **{f"{n}_factory": factory for n, factory in {**factories, **made_later}.items()},
             **{f"{n}_default": default for n, default in defaults_later.items()}}
    function = Function(cls.__name__, tree, Scope(described.scope.globals, {}, bound), init)
    _made[cls] = described, function
    return function
