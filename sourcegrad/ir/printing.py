"""Unparsing: the text of trees. What core Python consists of is printed here, the rest by astor, with the same parentheses."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gast

# how tightly things bind, from the loosest: an expression gets parentheses where it binds less tightly than its place asks for
LEVELS = ("generator", "assignment", "statement", "yield", "condition", "return", "slice", "index", "extended", "tuple", "item",
          "named", "argument", "choice", "source", "or", "and", "not", "comparison", "|", "^", "&", "<<", "+", "*", "exponent",
          "unary", "**", "await", "number", "constant", "tightest")
LEVEL = {name: 2 * place + 1 for place, name in enumerate(LEVELS)}
ASSIGNMENT, STATEMENT, CONDITION, RETURN = LEVEL["assignment"], LEVEL["statement"], LEVEL["condition"], LEVEL["return"]
SLICE, TUPLE, ITEM, ARGUMENT, CHOICE = LEVEL["slice"], LEVEL["tuple"], LEVEL["item"], LEVEL["argument"], LEVEL["choice"]
COMPARISON, SOURCE, CONSTANT, TIGHTEST = LEVEL["comparison"], LEVEL["source"], LEVEL["constant"], LEVEL["tightest"]

BINARY: dict[type, tuple[str, int]] = {
    getattr(gast, name): (symbol, LEVEL[level]) for name, symbol, level in (
        ("BitOr", "|", "|"), ("BitXor", "^", "^"), ("BitAnd", "&", "&"), ("LShift", "<<", "<<"), ("RShift", ">>", "<<"),
        ("Add", "+", "+"), ("Sub", "-", "+"), ("Mult", "*", "*"), ("Div", "/", "*"), ("Mod", "%", "*"), ("FloorDiv", "//", "*"),
        ("MatMult", "@", "*"), ("Pow", "**", "**"))}
COMPARE: dict[type, str] = {gast.Eq: "==", gast.NotEq: "!=", gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">=",
                            gast.In: "in", gast.NotIn: "not in", gast.Is: "is", gast.IsNot: "is not"}
UNARY: dict[type, tuple[str, int]] = {gast.Not: ("not ", LEVEL["not"]), gast.Invert: ("~", LEVEL["unary"]),
                                      gast.UAdd: ("+", LEVEL["unary"]), gast.USub: ("-", LEVEL["unary"])}
BOOLEAN: dict[type, tuple[str, int]] = {gast.And: (" and ", LEVEL["and"]), gast.Or: (" or ", LEVEL["or"])}


class Printer:
    """other: prints what this class does not, as text of one or more lines: (node, what its place asks for)."""

    def __init__(self, other: Callable[[Any, int], str]) -> None:
        self.other = other

    def of(self, node: Any, place: int = TIGHTEST) -> str:
        """The text of an expression."""
        cls = node.__class__
        if cls is gast.Name and node.annotation is None:
            return node.id                                                   # type: ignore[no-any-return]
        printer = EXPRESSIONS.get(cls)
        return self.other(node, place) if printer is None else printer(self, node, place)

    def items(self, nodes: list) -> str:
        return ", ".join([self.of(node, ITEM) for node in nodes])

    def block(self, block: list, indent: str, lines: list[str]) -> None:
        """Append the lines of the statements of a block."""
        for s in block:
            printer = STATEMENTS.get(s.__class__)
            if printer is None:
                lines += [indent + line for line in self.other(s, TIGHTEST).split("\n") if line.strip()]
            else:
                printer(self, s, indent, lines)

    def inner(self, block: list, indent: str, lines: list[str]) -> None:
        self.block(block, indent + "    ", lines)
        if all(map(is_comment, block)):
            lines.append(indent + "    pass")


def is_comment(s: Any) -> bool:
    return (s.__class__ is gast.Expr and s.value.__class__ is gast.Constant and isinstance(s.value.value, str)
            and s.value.value.startswith("# "))


# --- expressions

def constant(p: Printer, node: Any, place: int) -> str:
    value = node.value
    if isinstance(value, float) and not math.isfinite(value) or isinstance(value, complex):
        return p.other(node, place)
    if isinstance(value, (int, float)):
        return repr(value) if CONSTANT >= place else f"({value!r})"
    if isinstance(value, str):
        return (node.kind or "") + repr(value)
    return "..." if value is ... else repr(value)


def attribute(p: Printer, node: Any, place: int) -> str:
    return f"{p.of(node.value)}.{node.attr}"


def call(p: Printer, node: Any, place: int) -> str:
    asked = ITEM if len(node.args) + len(node.keywords) > 1 else ARGUMENT
    parts = [p.of(argument, asked) for argument in node.args]
    for keyword in node.keywords:
        parts.append(f"{keyword.arg}={p.of(keyword.value, ITEM)}" if keyword.arg else f"**{p.of(keyword.value, ITEM)}")
    return f"{p.of(node.func)}({', '.join(parts)})"


def binary(p: Printer, node: Any, place: int) -> str:
    symbol, level = BINARY[node.op.__class__]
    power = symbol == "**"
    left = p.of(node.left, level + 1 if power else level)
    text = f"{left} {symbol} {p.of(node.right, LEVEL['exponent'] if power else level + 1)}"
    return text if level >= place else f"({text})"


def unary(p: Printer, node: Any, place: int) -> str:
    symbol, level = UNARY[node.op.__class__]
    text = symbol + p.of(node.operand, level)
    return text if level >= place else f"({text})"


def boolean(p: Printer, node: Any, place: int) -> str:
    symbol, level = BOOLEAN[node.op.__class__]
    text = symbol.join([p.of(value, level + 1) for value in node.values])
    return text if level >= place else f"({text})"


def compare(p: Printer, node: Any, place: int) -> str:
    text = p.of(node.left, COMPARISON + 1) + "".join([
        f" {COMPARE[op.__class__]} {p.of(right, COMPARISON + 1)}" for op, right in zip(node.ops, node.comparators)])
    return text if COMPARISON >= place else f"({text})"


def choice(p: Printer, node: Any, place: int) -> str:
    text = f"{p.of(node.body, CHOICE + 1)} if {p.of(node.test, CHOICE + 1)} else {p.of(node.orelse, CHOICE)}"
    return text if CHOICE >= place else f"({text})"


def subscript(p: Printer, node: Any, place: int) -> str:
    return f"{p.of(node.value)}[{p.of(node.slice, SLICE)}]"


def slice_(p: Printer, node: Any, place: int) -> str:
    lower, upper = ("" if bound is None else p.of(bound, ITEM) for bound in (node.lower, node.upper))        # (a tuple is one)
    if node.step is None:
        return f"{lower}:{upper}"
    return f"{lower}:{upper}:{'' if node.step.__class__ is gast.Name and node.step.id == 'None' else p.of(node.step, ITEM)}"


def tuple_(p: Printer, node: Any, place: int) -> str:
    text = p.items(node.elts) + ("," if len(node.elts) == 1 else "")
    return text if TUPLE >= place and node.elts else f"({text})"


def list_(p: Printer, node: Any, place: int) -> str:
    return f"[{p.items(node.elts)}]"


def dict_(p: Printer, node: Any, place: int) -> str:
    return "{" + ", ".join([f"**{p.of(value, ITEM)}" if key is None else f"{p.of(key)}: {p.of(value, ITEM)}"
                            for key, value in zip(node.keys, node.values)]) + "}"


def starred(p: Printer, node: Any, place: int) -> str:
    return f"*{p.of(node.value)}"


EXPRESSIONS: dict[type, Callable[[Printer, Any, int], str]] = {
    gast.Constant: constant, gast.Attribute: attribute, gast.Call: call, gast.BinOp: binary, gast.UnaryOp: unary,
    gast.BoolOp: boolean, gast.Compare: compare, gast.IfExp: choice, gast.Subscript: subscript, gast.Slice: slice_,
    gast.Tuple: tuple_, gast.List: list_, gast.Dict: dict_, gast.Starred: starred}


# --- statements

def assign(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    lines.append(indent + "".join([f"{p.of(target, ASSIGNMENT)} = " for target in s.targets]) + p.of(s.value, ASSIGNMENT))


def augmented(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    lines.append(f"{indent}{p.of(s.target, STATEMENT)} {BINARY[s.op.__class__][0]}= {p.of(s.value, STATEMENT)}")


def expression(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    lines.append(indent + (s.value.value if is_comment(s) else p.of(s.value, STATEMENT)))


def return_(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    lines.append(f"{indent}return" + ("" if s.value is None else f" {p.of(s.value, RETURN)}"))


def if_(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    word = "if"
    while True:
        lines.append(f"{indent}{word} {p.of(s.test, CONDITION)}:")
        p.inner(s.body, indent, lines)
        if len(s.orelse) != 1 or s.orelse[0].__class__ is not gast.If:
            break
        s, word = s.orelse[0], "elif"
    otherwise(p, s, indent, lines)


def otherwise(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    if s.orelse:
        lines.append(indent + "else:")
        p.block(s.orelse, indent + "    ", lines)


def for_(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    lines.append(f"{indent}for {p.of(s.target, CONDITION)} in {p.of(s.iter)}:")
    p.inner(s.body, indent, lines)
    otherwise(p, s, indent, lines)


def while_(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    lines.append(f"{indent}while {p.of(s.test, CONDITION)}:")
    p.inner(s.body, indent, lines)
    otherwise(p, s, indent, lines)


def function(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    alone = gast.FunctionDef.__new__(gast.FunctionDef)          # (versions of gast differ in its fields)
    alone.__dict__.update({**s.__dict__, "body": [gast.Pass()]})
    lines += [indent + line for line in p.other(alone, TIGHTEST).split("\n") if line.strip()][:-1]
    p.inner(s.body, indent, lines)


STATEMENTS: dict[type, Callable[[Printer, Any, str, list[str]], None]] = {
    gast.Assign: assign, gast.AugAssign: augmented, gast.Expr: expression, gast.Return: return_, gast.If: if_, gast.For: for_,
    gast.While: while_, gast.FunctionDef: function,
    gast.Pass: lambda p, s, indent, lines: lines.append(indent + "pass"),
    gast.Break: lambda p, s, indent, lines: lines.append(indent + "break"),
    gast.Continue: lambda p, s, indent, lines: lines.append(indent + "continue")}
