"""Classes as functions: what `C(a, b)` computes, from the `__init__` of C or from the fields of a dataclass."""
from __future__ import annotations

import dataclasses
import types
from dataclasses import dataclass
from typing import Any

import gast

from sourcegrad import kinds as k, runtime, tree as t
from sourcegrad.errors import UnsupportedError
from sourcegrad.frontend.resolve import MISSING, Function, Scope, describe
from sourcegrad.runtime.structure import is_namedtuple, is_user_class, overridden


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
    spelled = _spelled(cls, tree, scope)
    body = [_returning(s, receiver) for s in tree.body]
    tree.body = [t.assign(receiver, t.call("new_object", t.load(spelled)), origin), *body,
                 t.return_(t.load(receiver), origin)]
    bound = {**scope.bound, "new_object": runtime.new_object, spelled: cls}
    function = Function(cls.__name__, tree, Scope(scope.globals, scope.cells, bound), init, receiver=receiver)
    _made[cls] = described, function
    return function


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
