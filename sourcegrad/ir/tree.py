"""Small constructors and walkers for gast trees. Statements carry `origin`, nothing else."""
from __future__ import annotations

import operator
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import gast

from sourcegrad.errors import Origin

LOAD, STORE = gast.Load(), gast.Store()
BLOCKS = ("body", "orelse")
LEAVES = (gast.expr_context, gast.operator, gast.unaryop, gast.boolop, gast.cmpop)    # shared, never children


def load(name: str) -> gast.Name:
    return _name(name, LOAD)


def late(name: str) -> gast.Name:
    """What a call captures: it is read when the call is made, after all arguments are."""
    node = load(name)
    node.late = True
    return node


def is_late(node: Any) -> bool:
    return getattr(node, "late", False)


def store(name: str) -> gast.Name:
    return _name(name, STORE)


def _name(name: str, ctx: gast.expr_context) -> gast.Name:
    node = gast.Name.__new__(gast.Name)                      # (the constructors of gast take four times as long)
    node.id, node.ctx, node.annotation, node.type_comment = name, ctx, None, None
    return node


def const(value: Any) -> gast.expr:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and str(value)[0] == "-":
        return gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=-value, kind=None))
    if isinstance(value, tuple):
        return gast.Tuple(elts=[const(item) for item in value], ctx=LOAD)
    return gast.Constant(value=value, kind=None)


def constant_of(node: gast.expr) -> Any:
    """The value of an expression that `const` gives."""
    if isinstance(node, gast.UnaryOp):
        return -node.operand.value
    return tuple(map(constant_of, node.elts)) if isinstance(node, gast.Tuple) else node.value


def attribute(value: gast.expr, name: str) -> gast.Attribute:
    return gast.Attribute(value=value, attr=name, ctx=LOAD)


def dotted(path: str) -> gast.expr:
    """Expression for a dotted path such as np.linalg.inv."""
    root, *rest = path.split(".")
    node: gast.expr = load(root)
    for part in rest:
        node = attribute(node, part)
    return node


def call(function: str | gast.expr, /, *args: gast.expr, **options: gast.expr) -> gast.Call:
    func = dotted(function) if isinstance(function, str) else function
    node = gast.Call.__new__(gast.Call)
    node.func, node.args = func, list(args)
    node.keywords = [gast.keyword(arg=key, value=value) for key, value in options.items()]
    return node


def keyword(name: str | None, value: gast.expr) -> gast.keyword:
    return gast.keyword(arg=name, value=value)


def starred(value: gast.expr) -> gast.Starred:
    return gast.Starred(value=value, ctx=LOAD)


def binop(left: gast.expr, op: gast.operator, right: gast.expr, in_place: bool = False) -> gast.BinOp:
    """left op right. in_place: of `left op= right`, so that an array on the left has the shape of the result."""
    node = gast.BinOp(left=left, op=op, right=right)
    if in_place:
        node.in_place = True
    return node


def is_in_place(node: Any) -> bool:
    return getattr(node, "in_place", False)


def subscript(value: gast.expr, index: gast.expr) -> gast.Subscript:
    return gast.Subscript(value=value, slice=index, ctx=LOAD)


def pack(names: list[gast.expr]) -> gast.Tuple:
    return gast.Tuple(elts=names, ctx=LOAD)


def at(statement: Any, origin: Origin | None) -> Any:
    """Give a statement its origin."""
    statement.origin = origin
    return statement


def origin_of(node: Any) -> Origin | None:
    return getattr(node, "origin", None)


def assign(target: str | gast.expr, value: gast.expr, origin: Origin | None) -> gast.Assign:
    node = store(target) if isinstance(target, str) else target
    new = gast.Assign.__new__(gast.Assign)
    new.targets, new.value, new.type_comment, new.origin = [node], value, None, origin
    return new


def unpack(targets: list[str], value: gast.expr, origin: Origin | None) -> gast.Assign:
    return assign(gast.Tuple(elts=[store(name) for name in targets], ctx=STORE), value, origin)


def effect(value: gast.expr, origin: Origin | None) -> gast.Expr:
    return at(gast.Expr(value=value), origin)


def method(receiver: str, name: str, *args: gast.expr) -> gast.Call:
    return call(attribute(load(receiver), name), *args)


def if_(test: gast.expr, body: list, orelse: list, origin: Origin | None) -> gast.If:
    return at(gast.If(test=test, body=body, orelse=orelse), origin)


def for_(target: str, iterable: gast.expr, body: list, origin: Origin | None) -> gast.For:
    return at(gast.For(target=store(target), iter=iterable, body=body, orelse=[], type_comment=None), origin)


def while_(test: gast.expr, body: list, origin: Origin | None) -> gast.While:
    return at(gast.While(test=test, body=body, orelse=[]), origin)


def return_(value: gast.expr | None, origin: Origin | None) -> gast.Return:
    return at(gast.Return(value=value), origin)


def function(name: str, parameters: gast.arguments, body: list, origin: Origin | None) -> gast.FunctionDef:
    node = clone(_FUNCTION)
    node.name, node.args, node.body = name, parameters, body
    return at(node, origin)


def parameter(name: str) -> gast.Name:
    return gast.Name(id=name, ctx=gast.Param(), annotation=None, type_comment=None)


def arguments(names: list[str]) -> gast.arguments:
    return gast.arguments(args=[parameter(name) for name in names], posonlyargs=[], vararg=None, kwonlyargs=[],
                          kw_defaults=[], kwarg=None, defaults=[])


_NO_CHILDREN = {"ctx", "op", "ops", "kind", "annotation", "type_comment", "attr", "id", "arg", "lineno", "returns",
                "type_params", "module", "names", "level", "conversion", "simple", "is_async", "n", "s"}
_child_fields: dict[type, tuple[str, ...]] = {gast.Name: (), gast.Constant: (), gast.Call: ("func", "args", "keywords")}


PLACES = {"origin", "lineno", "col_offset", "end_lineno", "end_col_offset"}
def child_fields(cls: type[Any]) -> tuple[str, ...]:
    """The fields of a node class that hold child nodes."""
    fields = _child_fields.get(cls)
    if fields is None:
        fields = _child_fields[cls] = tuple(f for f in cls._fields if f not in _NO_CHILDREN)
    return fields


def children(node: Any) -> Iterator[Any]:
    """The child nodes of a node, contexts and operators excepted, in source order."""
    for name in child_fields(node.__class__):
        value = getattr(node, name, None)
        if value.__class__ is list:
            yield from (item for item in value if isinstance(item, gast.AST))
        elif isinstance(value, gast.AST):
            yield value


class _Written(dict):
    """A function for each class of nodes, written out when it is first needed: to go through the fields of any node takes twice as
    long, and trees are walked, copied and asked what they read hundreds of thousands of times for one gradient.

    first, last: the lines around those for each `field` (first: perhaps those for a class). These see its value and the class of
    that, and `every[cls](value)`."""

    def __init__(self, arguments: str, first: str | Callable[[type], str], field: str, last: str, other: Callable) -> None:
        self.template, self.other = (arguments, first, field, last), other

    def __missing__(self, cls: type) -> Callable:
        if not issubclass(cls, gast.AST) or issubclass(cls, LEAVES):
            self[cls] = self.other
        else:
            arguments, first, field, last = self.template
            start = first if isinstance(first, str) else first(cls)
            lines = [start, *(f"v = node.{name}\nc = v.__class__\n" + field.format(name=name) for name in child_fields(cls)), last]
            text = f"def visit({arguments}):\n" + textwrap.indent("\n".join(lines), "    ")
            known: dict[str, Any] = {"every": self, "cls": cls, "Name": gast.Name, "Constant": gast.Constant, "Store": gast.Store}
            exec(text, known)
            self[cls] = known["visit"]
        return self[cls]


_walking = _Written("node, found", "found.append(node)", """\
if c is Name or c is Constant:
    found.append(v)
elif c is list:
    for v in v:
        c = v.__class__
        if c is Name or c is Constant:
            found.append(v)
        else:
            every[c](v, found)
elif v is not None:
    every[c](v, found)""", "", lambda node, found: None)
_reading = _Written("node, found", "", """\
if c is Name:
    if v.ctx.__class__ is not Store:
        found.append(v.id)
elif c is list:
    for v in v:
        c = v.__class__
        if c is Name:
            if v.ctx.__class__ is not Store:
                found.append(v.id)
        elif c is not Constant:
            every[c](v, found)
elif c is not Constant and v is not None:
    every[c](v, found)""", "pass", lambda node, found: None)
def _own_fields(cls: type[Any]) -> str:
    """The lines that note what a node of a class is, but for its child nodes."""
    lines = ["found.append(cls)"]
    for name in cls._fields:
        if name in ("op", "ops"):
            lines.append("found.append(node.op.__class__)" if name == "op" else "found += [op.__class__ for op in node.ops]")
        elif cls is gast.Constant and name == "value":
            lines += ["v = node.value", "found += (v.__class__, v if v.__class__ is str else repr(v))"]
        elif name not in child_fields(cls) and name not in ("ctx", "annotation", "type_comment", "kind"):
            lines.append(f"found.append(node.{name})")
    lines += ["names.append(node)"] * (cls is gast.Name) + ["found.append(node.__dict__.get('in_place'))"] * (cls is gast.BinOp)
    return "\n".join(lines)


_signing = _Written("node, found, names", _own_fields, """\
if c is list:
    found.append(len(v))
    for v in v:
        every[v.__class__](v, found, names)
else:
    every[c](v, found, names)""", "", lambda node, found, names: found.append(node))
_copying = _Written("node", "new = cls.__new__(cls)\nnew.__dict__.update(node.__dict__)", """\
if c is list:
    new.{name} = [every[v.__class__](v) for v in v]
elif v is not None:
    new.{name} = every[c](v)""", "return new", lambda node: node)


_FUNCTION = gast.parse("def f(): pass").body[0]


def walk(node: Any) -> list:
    """All nodes below and including `node` (contexts and operators excepted), parents first, in source order."""
    found: list = []
    _walking[node.__class__](node, found)
    return found


def clone(node: Any) -> Any:
    """A deep copy; contexts and operators are shared, origins and positions kept."""
    if node.__class__ is list:
        return [_copying[item.__class__](item) for item in node]
    return _copying[node.__class__](node)


def signature(node: Any) -> tuple[tuple, list]:
    """What expressions of one text have in common, and no others; and the names in this one."""
    found: list = []
    names: list = []
    _signing[node.__class__](node, found, names)
    return tuple(found), names


class Transformer:
    """A `gast.NodeTransformer` that sees child nodes only: no contexts, operators, names of fields."""

    def __init_subclass__(cls) -> None:
        cls.visitors = {getattr(gast, name[6:]): getattr(cls, name) for name in dir(cls) if name.startswith("visit_")}
        cls.passed = {gast.Name, gast.Constant} - cls.visitors.keys()        # most nodes, and nothing is done about them

    visitors: dict[type, Callable]
    passed: set[type]

    def visit(self, node: Any) -> Any:
        visitor = self.visitors.get(node.__class__)
        return visitor(self, node) if visitor is not None else self.generic_visit(node)

    def generic_visit(self, node: Any) -> Any:
        cls, passed = node.__class__, self.passed
        fields = _child_fields.get(cls)
        for name in fields if fields is not None else child_fields(cls):
            value = getattr(node, name, None)
            if value.__class__ in passed:
                continue
            if value.__class__ is list:
                value[:] = [self.visit(item) if item.__class__ not in passed and isinstance(item, gast.AST) else item
                            for item in value]
            elif isinstance(value, gast.AST):
                setattr(node, name, self.visit(value))
        return node


class Substitute(Transformer):
    """Expressions in the place of names that are read."""

    def __init__(self, new: Mapping[str, Any]) -> None:
        self.new = new

    def visit_Name(self, node: gast.Name) -> Any:
        found = self.new.get(node.id) if node.ctx.__class__ is gast.Load else None
        return node if found is None else clone(found)


class Named(Transformer):
    """A name in the place of some expressions (by their ids)."""

    def __init__(self, nodes: set[int], name: str) -> None:
        self.nodes, self.name = nodes, name

    def visit(self, node: Any) -> Any:
        if id(node) in self.nodes:
            return store(self.name) if isinstance(getattr(node, "ctx", None), gast.Store) else load(self.name)
        return super().visit(node)


def mark(node: Any) -> list:
    """What changes if anything in a tree does: the nodes themselves, in order, and the names, constants and operators in them."""
    found: list = []
    for item in walk(node):
        cls = item.__class__
        found.append(id(item))
        if cls is gast.Name:
            found.append(item.id)
        elif cls is not gast.Call and cls is not gast.Assign:
            for name, value in item.__dict__.items():
                if value.__class__ is str:
                    found.append(value)
                elif isinstance(value, gast.AST):
                    found.append(value.__class__)
                elif name == "ops":
                    found += [op.__class__ for op in value]
                elif value is not None and value.__class__ is not list and name not in PLACES:
                    found.append(repr(value))
    return found


SIMPLE = frozenset({
    gast.Assign, gast.Expr, gast.Return, gast.AugAssign, gast.Break, gast.Continue, gast.Pass, gast.Raise, gast.FunctionDef})
_PLAIN = SIMPLE - {gast.FunctionDef}                     # without blocks


def statements(block: list) -> Iterator[gast.stmt]:
    """All statements of a block in source order, those of inner blocks included (not of inner functions)."""
    stack = [iter(block)]
    while stack:
        for statement in stack[-1]:
            yield statement
            if statement.__class__ not in SIMPLE:
                stack += [iter(inner) for inner in (getattr(statement, "orelse", None), getattr(statement, "body", None)) if inner]
                break
        else:
            stack.pop()


def read_of(node: Any) -> str | None:
    """`d[key]` as a text; None for all other expressions."""
    if isinstance(node, gast.Subscript) and is_name(node.value) and is_name(node.slice):
        return f"{node.value.id}[{node.slice.id}]"
    return None


def inner_blocks(statement: Any) -> list[list]:
    """The blocks inside a statement, empty ones excepted."""
    if statement.__class__ in _PLAIN:
        return []
    return [inner for field in BLOCKS if (inner := getattr(statement, field, None)) and isinstance(inner, list)]


def map_blocks(statement: Any, new: Callable[..., list], *args: Any) -> None:
    """Put `new(block, *args)` in the place of each block inside a statement."""
    if statement.__class__ in _PLAIN:
        return
    for field in BLOCKS:
        inner = getattr(statement, field, None)
        if inner and isinstance(inner, list):
            setattr(statement, field, new(inner, *args))


def map_raw_blocks(statement: Any, new: Callable[[list], list]) -> None:
    """`map_blocks` for a statement as it was parsed: handlers, cases and `finally` have blocks, too."""
    for owner in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        map_blocks(owner, new)
        last = getattr(owner, "finalbody", None)
        if last:
            owner.finalbody = new(last)


def block_of(block: list, statement: Any) -> Any:
    """The block in which a statement stands: this one, or one inside of it; None where it does not stand there."""
    if any(x is statement for x in block):
        return block
    return next(filter(None, (block_of(inner, statement) for x in block for inner in inner_blocks(x))), None)


def rewritten(block: list, new: Callable[[Any], list]) -> list:
    """A block with `new(statement)` in the place of each statement, inner ones first."""
    result: list = []
    for statement in block:
        map_blocks(statement, rewritten, new)
        result += new(statement)
    return result


def is_stop(statement: Any) -> bool:
    """The trailing `if stop: break` of a loop body."""
    return isinstance(statement, gast.If) and bool(statement.body) and isinstance(statement.body[0], gast.Break)


def reads(node: Any) -> list[str]:
    """Names loaded by an expression (or by a simple statement), in source order, with repeats."""
    if node.__class__ is gast.Name:
        return [] if node.ctx.__class__ is gast.Store else [node.id]
    found: list[str] = []
    if node is not None:
        _reading[node.__class__](node, found)
    return found


def target_names(target: gast.expr) -> list[str]:
    """Names stored by an assignment target."""
    if target.__class__ is gast.Name:
        return [target.id]
    return [n.id for n in walk(target) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)]


def as_printed(block: list) -> Iterator[Any]:
    """All statements in the order of their lines, those of exception handlers included."""
    for s in block:
        yield s
        for inner in (getattr(s, "body", []), *(handler.body for handler in getattr(s, "handlers", [])), getattr(s, "orelse", []),
                      getattr(s, "finalbody", [])):
            yield from as_printed(inner)


def writes(statement: Any) -> list[str]:
    """Names bound by one statement itself (not by the statements inside it)."""
    if statement.__class__ is gast.Assign:
        targets = statement.targets
        if len(targets) == 1:
            return [targets[0].id] if targets[0].__class__ is gast.Name else target_names(targets[0])
        return [name for target in targets for name in target_names(target)]
    cls = statement.__class__
    if cls is gast.For or cls is gast.AugAssign or cls is gast.AnnAssign:
        return target_names(statement.target)
    return []


def header_reads(statement: Any) -> list[str]:
    """Names read by a statement itself (test, iterable, value), not by the statements inside it."""
    cls = statement.__class__
    if cls is gast.Assign:
        return reads(statement.value if statement.targets[0].__class__ is gast.Name else statement)
    if cls is gast.If or cls is gast.While:
        return reads(statement.test)
    if cls is gast.For:
        return reads(statement.iter)
    if cls is gast.AugAssign:
        return reads(statement.value) + target_names(statement.target) + reads(statement.target)
    return reads(statement)


class Mentions:
    """What each statement of a block writes and reads itself, looked up once: the block must stay as it is meanwhile."""

    def __init__(self, block: list) -> None:
        self.all = [(s, writes(s), header_reads(s)) for s in statements(block)]
        self.of = {id(s): (written, read) for s, written, read in self.all}


def says_nothing(statement: Any) -> bool:
    """x = x, and x, y = x, y."""
    if statement.__class__ is not gast.Assign or statement.value.__class__ not in (gast.Name, gast.Tuple):
        return False
    targets, values = (node.elts if isinstance(node, gast.Tuple) else [node] for node in (statement.targets[0], statement.value))
    return len(targets) == len(values) and all(is_name(x) and is_name(y, x.id) for x, y in zip(targets, values))


def list_method(statement: gast.stmt) -> tuple[str, str] | None:
    """(list name, method) for the core statements `xs.append(v)`, `xs.pop()` and `v = xs.pop()`."""
    if statement.__class__ is not gast.Assign and statement.__class__ is not gast.Expr:
        return None
    value: Any = statement.value
    if value.__class__ is gast.Call and value.func.__class__ is gast.Attribute and value.func.value.__class__ is gast.Name:
        if value.func.attr == "append" and isinstance(statement, gast.Expr) and len(value.args) == 1:
            return value.func.value.id, "append"
        if value.func.attr == "pop" and not value.args:
            return value.func.value.id, "pop"
    return None


def changes(statement: Any) -> set[str]:
    """Names that a statement binds, or lists that it makes longer or shorter, those of inner statements included."""
    found = set()
    for s in statements([statement]):
        found.update(writes(s))
        method = list_method(s)
        if method is not None:
            found.add(method[0])
    return found


def mentions(statement: Any) -> set[str]:
    """Names that a statement reads or binds, those of inner statements included."""
    return {n for s in statements([statement]) for n in (*header_reads(s), *writes(s))}


def rename(node: Any, new: Mapping[str, str]) -> Any:
    """Give names of a tree their new names, in place (and return it)."""
    if new:
        for item in walk(node):
            if item.__class__ is gast.Name:
                item.id = new.get(item.id, item.id)
    return node


def is_comment(statement: gast.stmt) -> bool:
    return (isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Constant)
            and isinstance(statement.value.value, str))


def is_mark(statement: gast.stmt) -> bool:
    """Whether the reverse sweep begins here: there is no other comment before the last phase (`ir.verify.SWEEPS`)."""
    return is_comment(statement)


class Sweeps(NamedTuple):
    """The statements of a generated function on either side of the mark between its sweeps; without one all are in the first."""

    forward: list
    reverse: list


def sweeps(tree: Any) -> Sweeps:
    mark = next((j for j, s in enumerate(tree.body) if is_mark(s)), len(tree.body))
    return Sweeps(tree.body[:mark], tree.body[mark + 1:])


def comment(text: str, origin: Origin | None) -> gast.Expr:
    return effect(gast.Constant(value="# " + text, kind=None), origin)


def is_name(node: Any, name: str | None = None) -> bool:
    return isinstance(node, gast.Name) and (name is None or node.id == name)


def same(a: Any, b: Any) -> bool:
    """Whether two expressions have the same text."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, gast.AST):
        return all(same(getattr(a, f, None), getattr(b, f, None)) for f in a._fields)
    return bool(a == b)


# --- Operators, and what sorts of expressions there are

OPERATORS: dict[type, Any] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.Pow: operator.pow, gast.MatMult: operator.matmul,
    gast.LShift: operator.lshift, gast.RShift: operator.rshift, gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_, gast.BitXor: operator.xor, gast.USub: operator.neg, gast.UAdd: operator.pos,
    gast.Invert: operator.invert}
COMPARE: dict[type, Any] = {
    gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le,
    gast.Gt: operator.gt, gast.GtE: operator.ge}
INPLACE_OF = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
              operator.itruediv: operator.truediv, operator.ipow: operator.pow, operator.imatmul: operator.matmul,
              operator.ifloordiv: operator.floordiv, operator.imod: operator.mod, operator.iand: operator.and_,
              operator.ior: operator.or_, operator.ixor: operator.xor, operator.ilshift: operator.lshift,
              operator.irshift: operator.rshift}
BY_FUNCTION = {function: kind for kind, function in OPERATORS.items()}


# --- What kind of expression a tree is.

def hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def boolean(node: Any) -> bool:
    """Whether an expression certainly gives a bool (of plain numbers)."""
    return isinstance(node, gast.Compare) or (isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not)) or (
        isinstance(node, gast.BoolOp) and all(map(boolean, node.values)))


def negative(node: Any) -> bool:
    """A negative number, as it is written."""
    return (isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub) and isinstance(node.operand, gast.Constant)
            and isinstance(node.operand.value, (int, float)))


def constant_key(node: Any) -> bool:
    """A key of a dict that is known."""
    return isinstance(node, gast.Constant) or node is not None and (negative(node) or constant_tuple(node))


def constant_tuple(node: Any) -> bool:
    """A tuple of constants, such as axis=(0, 1)."""
    return isinstance(node, gast.Tuple) and all(
        isinstance(item, gast.Constant) or negative(item) or constant_tuple(item) for item in node.elts)
