"""Printing: the text of a generated module, which runs by itself, and the texts of all stages."""
from __future__ import annotations

import ast
import builtins
import enum
import functools
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from sourcegrad import kinds as k, runtime
from sourcegrad.analysis.alias import lends
from sourcegrad.analysis.purity import silent
from sourcegrad.compiler.linking import Half, Link
from sourcegrad.compiler.passes import Manager, Work
from sourcegrad.errors import UnsupportedError, deep
from sourcegrad.ir import source, tree as t, verify
from sourcegrad.ir.printing import wrapped
from sourcegrad.ir.scopes import MISSING, Scope
from sourcegrad.ir.tree import as_printed, hashable
from sourcegrad.ir.unit import Function, Unit
from sourcegrad.runtime import dynamic

SIMPLE = (int, float, complex, str, bool, type(None))


@dataclass(frozen=True)
class Variable:
    """A global variable of the user's module."""

    module: str
    name: str


def used_environment(tree: Any, unit: Unit) -> dict[str, Any]:
    """The known objects that a tree really names, in order of first use."""
    found: dict[str, Any] = {}
    for node in t.walk(tree):
        if isinstance(node, gast.Name) and node.id in unit.env:
            value = unit.env[node.id]
            if getattr(builtins, node.id, None) is not value:
                found[node.id] = value
    return found


def generated(value: Any) -> bool:
    """Whether an object is a generated function, whose text stands in the module."""
    return hasattr(type(value), "finish")


def helper(value: Any) -> bool:
    """Whether an object is exported by `sourcegrad.runtime`: functions in place of those of a library are not."""
    runtime = (getattr(value, "__module__", None) or "").startswith("sourcegrad.runtime")
    return runtime and getattr(sys.modules["sourcegrad.runtime"], getattr(value, "__name__", "at"), None) is value


def home(value: Any) -> tuple[str, str] | None:
    """Module and qualified name of an object that can be imported."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "<")
    if isinstance(value, np.ufunc) or (module or "").startswith("scipy.special."):     # do not know it, or say where it is hidden
        name = value.__name__
        module = next((m for m in ("numpy", "scipy.special") if getattr(sys.modules.get(m), name, None) is value), None)
    return (module, name) if module and "<" not in name else None


def imports(env: dict[str, Any]) -> str:
    """Import lines for the names that a generated text uses."""
    lines: list[str] = []
    taken: dict[str, list[str]] = {}                         # module -> what is imported from it
    aliases: list[str] = []
    standing = {name: one for name, value in env.items() if (one := getattr(value, "__sourcegrad_executed__", None)) is not None}
    read = {name: value for one in standing.values() for name, value in globals_of(one.value).items()}
    for name, value in {**env, **read}.items():
        if name in standing:
            continue
        if isinstance(value, types.ModuleType):
            module = value.__name__
            lines.append(f"import {module}" if module == name else f"import {module} as {name}")
        elif generated(value):
            continue
        elif isinstance(value, Variable):
            taken.setdefault(value.module, []).append(_as(value.name, name))
        elif helper(value):
            taken.setdefault("sourcegrad.runtime", []).append(_as(getattr(value, "__name__", "at"), name))
        elif isinstance(value, types.MethodType) and not isinstance(value.__self__, type):      # of an object: by a name of it
            owner = next((n for n, held in value.__func__.__globals__.items() if held is value.__self__), None)
            if owner is not None:
                taken.setdefault(value.__func__.__module__, []).append(owner)
            aliases.append(f"{name} = {owner}.{value.__name__}" if owner else f"# {name}: a method of an object without a name")
        elif known := home(value):
            module, qualified = known
            first, *rest = qualified.split(".")
            taken.setdefault(module, []).append(first if rest else _as(first, name))
            aliases += [f"{name} = {qualified}{_inside(value)}"] if rest else []             # a method
        elif type(value) in SIMPLE:
            aliases.append(f"{name} = {value!r}")
    lines += [f"from {module} import {', '.join(sorted(set(names)))}" for module, names in taken.items()]
    ordered = sorted(dict.fromkeys(lines), key=lambda line: (line.startswith("from"), line))
    ordered += ["", *aliases] if aliases else []
    texts = [one.text.replace(f"def {one.call.__name__}(", f"def {name}(", 1) for name, one in standing.items()]
    return wrapped("\n".join(ordered)) + ("\n\n\n" if ordered else "") + "".join(f"{text}\n\n" for text in texts)


def globals_of(function: Any) -> dict[str, Any]:
    """What the globals that a user's expression reads mean: modules, and variables of its module."""
    space = function.__globals__
    return {name: space[name] if isinstance(space[name], types.ModuleType) else Variable(space.get("__name__", "__main__"), name)
            for name in function.__code__.co_names if name in space}


def _inside(method: Any) -> str:
    """What leads from an attribute of a class to the function that it holds."""
    owner: Any = sys.modules.get(method.__module__)
    held: Any = None
    for part in method.__qualname__.split("."):
        held = source.static_attribute(owner, part, None)
        owner = getattr(owner, part, None)
    ways = {property: ("fget", "fset", "fdel"), functools.cached_property: ("func",), classmethod: ("__func__",)}
    return next((f".{way}" for way in ways.get(type(held), ())
                 if getattr(getattr(held, way), "__code__", None) == method.__code__), "")


def _as(name: str, alias: str) -> str:
    return name if name == alias else f"{name} as {alias}"


def module_text(half: Any) -> str:
    """The complete text of a generated function: imports, generated callees, the function."""
    env, texts, _ = module_parts(half)
    return imports(env) + "\n\n".join(texts.values())


def module_parts(half: Any) -> tuple[dict[str, Any], dict[Any, str], dict[Any, Any]]:
    """What the names of a generated module mean, the texts of its functions, the one that is asked for last, and which of
    them stands for each generated one: what was generated several times with the same text (for other sizes, say) is there once."""
    seen = reachable(half)
    same = equal(seen)
    names: dict[Any, str] = {}
    nodes = [node for item in seen for node in t.walk(item.tree) if isinstance(node, gast.Name)]
    own = {node.id for node in nodes if not isinstance(node.ctx, gast.Load)}
    for item in seen:                                       # (a name that is a variable in one of them means no function)
        name = item.__name__ + "_function" * (item.__name__ in own)
        names[same[item]] = min(names.get(same[item], name), name, key=lambda name: (len(name), name))
    kept = [item for item in [*seen[1:], half] if same[item] is item]
    env: dict[str, Any] = {names[item]: item for item in kept}
    return env, {item: text_in(item, env, same, names) for item in kept}, same


def reachable(*halves: Any) -> list[Any]:
    """Generated functions, and all that they call."""
    seen: list[Any] = []

    def visit(item: Any) -> None:
        if item in seen:
            return
        seen.append(item)
        for callee in item.callees:
            visit(callee)

    for half in halves:
        visit(half)
    return seen


def equal(halves: list[Any]) -> dict[Any, Any]:
    """For each function the first one that has the same text and calls the same."""
    found: dict[Any, Any] = {}
    texts: dict[Any, Any] = {}
    begun: list[Any] = []

    def visit(item: Any) -> None:
        if item in begun:
            return
        begun.append(item)
        for callee in item.callees:
            visit(callee)
        found[item] = item if item is halves[0] else texts.setdefault(signature(item), item)

    def signature(item: Any) -> Any:
        marks = {item.__name__: "itself"}
        for name, value in used_environment(item.tree, item.unit).items():
            if value is not item:
                marks[name] = f"{'' if generated(value) else name}_{id(found.get(value, value) if generated(value) else value)}"
        tree = t.rename(t.clone(item.tree), marks)
        tree.name = "itself"
        scope = item.unit.function.scope
        return source.to_text(tree), id(scope.globals), tuple(sorted((name, id(cell)) for name, cell in scope.cells.items()))

    for item in halves:
        visit(item)
    return found


def text_in(half: Any, env: dict[str, Any], same: dict[Any, Any], names: dict[Any, str]) -> str:
    """The text of a function of a module, where no name means two things. env: what names mean in the module so far;
    same, names: what stands for each generated function, and what that is called."""
    mapping: dict[str, str] = {} if half.__name__ == names[half] else {half.__name__: names[half]}
    outside = meanings(half.tree, half.unit)
    taken = {node.id for node in t.walk(half.tree) if isinstance(node, gast.Name)} - set(outside)
    for name, value in outside.items():
        number = 1
        value = same[value] if generated(value) else value
        chosen = names[value] if generated(value) else name
        while env.get(chosen, value) is not value and not _same(env[chosen], value) or (chosen != name and chosen in taken):
            number += 1
            chosen = f"{name}_{number}"
        env[chosen] = value
        if chosen != name:
            mapping[name] = chosen
    if not mapping:
        return str(half.text)
    tree = t.rename(t.clone(half.tree), mapping)
    tree.name = names[half]
    return source.to_text(tree)


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, Variable) and one == other


def meanings(tree: Any, unit: Unit) -> dict[str, Any]:
    """What the names that a tree does not define itself mean: known objects, and variables of the user's module."""
    scope = unit.function.scope
    known = used_environment(tree, unit)
    nodes = [node for node in t.walk(tree) if isinstance(node, gast.Name)]
    own = {node.id for node in nodes if not isinstance(node.ctx, gast.Load)} | {tree.name}
    module = scope.globals.get("__name__", "__main__")
    found: dict[str, Any] = {}
    for name in dict.fromkeys(node.id for node in nodes if node.id not in own):
        value = known.get(name, MISSING)
        if value is not MISSING and (generated(value) or helper(value) or home(value) or isinstance(value, types.ModuleType)):
            found[name] = value
        elif name in scope.cells and value is MISSING:
            continue
        elif name in scope.globals and (value is MISSING or scope.globals[name] is value):
            found[name] = Variable(module, name)
        elif value is not MISSING or name in scope.bound and type(scope.bound[name]) in SIMPLE:
            found[name] = value if value is not MISSING else scope.bound[name]
    return found


# --- Emission: from the differentiable text of a function to the one that runs: in place, printed, compiled

class Lifted:
    """A lifted function as a Python object: it runs as the forward half that is generated for the arguments of a call."""

    __sourcegrad_callable__ = True

    def __init__(self, function: Function, name: str) -> None:
        self.__sourcegrad__ = function
        self.__name__ = name

    @property
    def __signature__(self) -> source.Signature:
        """Who calls it may ask how many arguments it takes."""
        args, parameter = self.__sourcegrad__.tree.args, source.Parameter
        kinds = [(args.posonlyargs, parameter.POSITIONAL_ONLY), (args.args, parameter.POSITIONAL_OR_KEYWORD),
                 ([args.vararg] if args.vararg else [], parameter.VAR_POSITIONAL), (args.kwonlyargs, parameter.KEYWORD_ONLY),
                 ([args.kwarg] if args.kwarg else [], parameter.VAR_KEYWORD)]
        return source.Signature([parameter(a.id, kind) for several, kind in kinds for a in several])

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        forward, _ = dynamic.pair_of((), self, args, keywords)
        return forward(self, *args, **keywords)[0]


def standing(function: Function, name: str) -> Half:
    """A lifted function as generated code names it; its text is that of the user."""
    half = Half(name)
    tree = t.clone(function.tree)
    tree.name = name
    half.tree, half.unit = tree, Unit(function, tree, dict(function.scope.bound))
    half.text = source.to_text(tree)
    half.__sourcegrad__ = function
    half.finish(Lifted(function, name))                                      # type: ignore[arg-type]
    return half


_called: list[list] = []                            # while generating: gradients that the code asks for


@contextmanager
def collecting() -> Iterator[list]:
    """The generated gradients that what is generated inside calls: it relies on what they rely on."""
    _called.append([])
    try:
        with deep():
            yield _called[-1]
    finally:
        _called.pop()


def calling(derived: Any) -> None:
    if _called:
        _called[-1].append(derived)


def publish(half: Half, unit: Unit, final: Any, plain: Any, function: Function, one_of_two: bool = False) -> None:
    """Print, compile and register a generated function. final: the tree as printed; plain: the one that can be differentiated.

    one_of_two: what it saves for the other half, or gets from it, is not what the plain tree says. So it has no object that could
    be called beside the derivative of the other half."""
    verify.executed(final, function.tree)
    stated = statement(half.made_for, unit, function)
    final.body[:0] = stated
    env = used_environment(final, unit)
    half.callees = [v for v in env.values() if isinstance(v, Half) and v is not half]
    half.tree, half.unit = final, unit
    body = source.to_text(final)
    half.text = body
    around = {name: cell for name, cell in function.scope.cells.items() if name not in env}
    bound = {name: value for name, value in function.scope.bound.items()
             if name not in env and name not in around and not isinstance(value, Function)}
    link = Link(imports(env) + body, [t.origin_of(s) for s in as_printed(final.body) if not t.is_comment(s)], len(stated),
                function.scope.globals, {**env, **bound}, around, function.name,
                function.object if plain.args.defaults or plain.args.kwonlyargs else None)
    try:
        compiled = half.linked(link)
    except (SyntaxError, RecursionError) as error:
        if "too many" not in str(error) and not isinstance(error, RecursionError):        # (nested blocks, parentheses)
            raise
        raise UnsupportedError(f"{function.name}() is nested too deeply: {error}", function.origin,
                               "Use a loop or a table instead of a long chain of branches.") from None
    bound = {**function.scope.bound, **unit.env}
    derived = Function(half.__name__, plain, Scope(function.scope.globals, function.scope.cells, bound),
                       None if one_of_two else compiled, pure=True)
    half.__sourcegrad__ = derived
    compiled.__sourcegrad__ = derived                                # type: ignore[attr-defined]
    half.finish(compiled)


def statement(kinds: dict[str, k.Kind], unit: Unit, function: Function) -> list:
    """`made_for('x: float64[n,m], k: int', x, k)`: what is known of the arguments; a dict where words do not say it."""
    found = Stated(kinds).parts
    if not found:
        return []
    words = {name: ast.literal_eval(text) for name, text in found.items() if text[0] in "'\""}
    if len(words) == len(found) and not any(": " in word or ", " in word for word in words.values()):
        stated = repr(", ".join(f"{name}: {word}" for name, word in words.items()))
    else:
        stated = "{" + ", ".join(f"{name!r}: {text}" for name, text in found.items()) + "}"
    call = gast.parse(f"made_for({stated}, {', '.join(found)})").body[0].value
    for node in t.walk(call):
        if isinstance(node, gast.Name) and node.id in ("made_for", "Instance", "Either"):
            node.id = unit.use(getattr(runtime, node.id), node.id)
    return [t.effect(call, function.origin)]


class Stated:
    """What `made_for` says of arguments of some kinds, as texts. unnamed: those that no other process would know again."""

    def __init__(self, made_for: dict[str, k.Kind]) -> None:
        self.letters: dict[str, str] = {}
        self.unnamed: dict[str, Any] = {}
        self.parts: dict[str, str] = {}
        for self.argument, kind in made_for.items():
            if (text := self.text(kind)) != "'any'":
                self.parts[self.argument] = text

    def text(self, kind: Any, joined: bool = False) -> str:
        """joined: of a kind that covers several values, where scalars of double precision may be Python's or NumPy's."""
        if isinstance(kind, k.Const) and type(kind.value) in (*SIMPLE, bytes, type(...)):
            return f"{{{kind.value!r}}}" if type(kind.value) is str else "..." if kind.value is ... else repr(kind.value)
        if isinstance(kind, (k.Const, k.Fn)):
            return self.path(kind.value)
        if isinstance(kind, k.Num):
            double = joined and kind.dtype == "float64" and kind.is_scalar
            return "Either('float', 'float64')" if double else repr(self.number(kind, joined))
        if isinstance(kind, k.Named):
            return self.instance(kind.cls, dict(zip(kind.cls._fields, kind.items)), joined)             # type: ignore[attr-defined]
        if isinstance(kind, k.Tup):
            return f"({', '.join(self.text(item, joined) for item in kind.items)}{',' * (len(kind.items) == 1)})"
        if isinstance(kind, k.OneOf):
            return self.either([self.text(item, True) for item in kind.items], kind.optional)
        if isinstance(kind, k.Optional):
            return self.either([self.text(kind.item, True)], True)
        if isinstance(kind, k.Lst):
            found = [f"[{self.text(kind.item, True)}]", *["[]"] * joined] if kind.item is not None else ["[]"]
            return self.either(found, kind.optional)
        if isinstance(kind, (k.Dct, k.Map)) and not getattr(kind, "partial", False):
            return self.of_dict(kind, joined)
        if isinstance(kind, k.Obj):
            items = None if kind.items is None or kind.maybe else dict(kind.items)
            return self.either([self.instance(kind.cls, items, joined)], kind.optional)
        return "'any'"

    def number(self, kind: k.Num, joined: bool) -> str:
        dtype = kind.dtype or ("real number" if kind.real else "number")
        if kind.boxed:
            axes = ["..."] if kind.dims is None else [str(d) if isinstance(d, int) else ":" if d is None else self.letter(d)
                                                      for d in kind.dims]
            many = kind.dims is None or len(kind.dims) > 1
            return f"{kind.dtype or 'array'}[{','.join(axes)}]" + " in any order" * (many and kind.order is not None)
        if kind.boxed is None:
            return "any"
        if joined and dtype in ("int64", "complex128"):
            return "whole number" if dtype == "int64" else "number"
        return f"any numpy.{dtype.partition('[')[0]}" if "[" in dtype else "bool_" if dtype == "bool" else dtype.removeprefix("py")

    def letter(self, dim: str) -> str:
        number = len(self.letters)
        return self.letters.setdefault(dim, LETTERS[number % len(LETTERS)] + str(number // len(LETTERS) or ""))

    def either(self, texts: list[str], optional: bool) -> str:
        texts = [*texts, "None"] if optional else texts
        return texts[0] if len(texts) == 1 else f"Either({', '.join(texts)})"

    def of_dict(self, kind: k.Dct | k.Map, joined: bool) -> str:
        if isinstance(kind, k.Dct):
            inside = "{" + ", ".join(f"{key!r}: {self.text(item, joined)}" for key, item in kind.items) + "}"
        else:
            inside = f"{{...: ({self.text(kind.key or k.ANY, True)}, {self.text(kind.item or k.ANY, True)})}}"
        if isinstance(kind, k.Counts):
            return f"Instance('collections.Counter', items={inside})"
        return inside if kind.made is None else (
            f"Instance('collections.defaultdict', default_factory={self.text(kind.made)}, items={inside})")

    def instance(self, cls: type, items: dict[str, k.Kind] | None, joined: bool) -> str:
        name = self.path(cls, "any " if items is None else "")
        if items is None or "<" in name or not all(field.isidentifier() for field in items):
            return name
        return f"Instance({', '.join([name, *(f'{field}={self.text(item, joined)}' for field, item in items.items())])})"

    def path(self, value: Any, sort: str = "") -> str:
        """The name of an object; in angle brackets where it is not found under one."""
        if isinstance(value, types.ModuleType) and sys.modules.get(value.__name__) is value:
            return repr(f"module {value.__name__}")
        cls = type(value)
        known = (cls.__module__, f"{cls.__qualname__}.{value.name}") if isinstance(value, enum.Enum) else home(value)
        path = ".".join(known or ())
        if known and runtime.core.named(path) is value:
            return repr(sort + path)
        described = getattr(value, "__qualname__", None) or getattr(value, "name", None) or type(value).__qualname__
        self.unnamed[self.argument] = value
        return repr(f"<{type(value).__name__} {described}>".replace(", ", " "))


LETTERS = "nmkpqrstuvw"


def guarded(half: Half, seen: set[int]) -> bool:
    """Whether generated code, or generated code that it calls, guards derivatives that may be infinite."""
    seen.add(id(half))
    own = half.unit is not None and bool({runtime.guard, runtime.guard_steep} & set(filter(hashable, half.unit.env.values())))
    return own or any(guarded(callee, seen) for callee in half.callees if id(callee) not in seen)


def finish(halves: list[Half], work: Work, function: Function, passes: Manager) -> None:
    """Print, compile and register a generated function, or the two halves of one."""
    unit, trees = work.unit, work.trees
    plain = [t.clone(tree) for tree in trees]
    work.called = not t.sweeps(trees[0]).reverse             # not the gradient: its results have their names
    for half, tree in zip(halves, trees):
        unmark(tree, unit)
        half.__sourcegrad_pure__ = silent(tree.body, unit, function.parameters)
        half.__sourcegrad_lends__ = lends(tree, unit, work.facts)
    passes.run("in place", work)
    passes.run("text", work)
    for half, final, tree in zip(halves, work.trees, plain):
        publish(half, unit, final, tree, function, len(halves) == 2)
    unit.expressions = {}                                    # (what stays alive with the code holds no kinds of the user's objects)


def unmark(tree: Any, unit: Unit) -> None:
    """What is returned beside the value, without the mark that it is constant: the text needs none to run."""
    marks = [name for name, value in unit.env.items() if value is runtime.aux]
    for node in t.walk(tree) if marks else ():
        for name, value in ((name, value) for name, value in vars(node).items() if name in t.child_fields(type(node))):
            if isinstance(value, list):
                value[:] = [unmarked(item, marks) for item in value]
            else:
                setattr(node, name, unmarked(value, marks))


def unmarked(node: Any, marks: list[str]) -> Any:
    return node.args[0] if isinstance(node, gast.Call) and any(t.is_name(node.func, mark) for mark in marks) else node
