"""Unparsing: the text of trees, and its layout: lines that are too long are broken in their brackets, as formatters do.

Statements and expressions are printed here, with no more parentheses than they need; f-strings and what generated code never has
are left to others. Indents are of four, an operator begins its line. Items stand one a line; names and other short
items, of which there are many, fill their lines.
"""
from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

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
    """The text of trees: of an expression (`of`), of statements (`block`).

    other: prints what this class does not, as text of one or more lines: (node, what its place asks for)."""

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
    if isinstance(value, complex) or isinstance(value, float) and not math.isfinite(value):
        text = repr(value).replace("inf", "1e1000")         # (no literal stands for nan)
        return text.replace("nan", "(1e1000-1e1000)") if CONSTANT >= place or text[0] == "(" else f"({text})"
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
    return "{" + ", ".join([f"**{p.of(value, ITEM)}" if key is None else f"{p.of(key, ITEM)}: {p.of(value, ITEM)}"
                            for key, value in zip(node.keys, node.values)]) + "}"


def starred(p: Printer, node: Any, place: int) -> str:
    return f"*{p.of(node.value)}"


def clauses(p: Printer, element: str, node: Any) -> str:
    """A comprehension without its brackets."""
    for part in node.generators:
        element += f"{' async' * part.is_async} for {p.of(part.target, CONDITION)} in {p.of(part.iter, SOURCE)}"
        element += "".join([f" if {p.of(test, SOURCE)}" for test in part.ifs])
    return element


def generator(p: Printer, node: Any, place: int) -> str:
    text = clauses(p, p.of(node.elt, ITEM), node)
    return text if place == ARGUMENT else f"({text})"


def lambda_(p: Printer, node: Any, place: int) -> str:
    text = f"lambda {parameters(p, node.args)}".rstrip() + f": {p.of(node.body, LEVEL['choice'])}"
    return text if LEVEL["choice"] >= place else f"({text})"


def parameters(p: Printer, node: Any) -> str:
    """The parameters of a function, with their defaults and annotations."""
    def one(arg: Any, default: Any, stars: str = "") -> str:
        hint = arg.annotation
        text = stars + arg.id + ("" if hint is None else f": {p.of(hint, ITEM)}")
        return text if default is None else text + ("=" if hint is None else " = ") + p.of(default, ITEM)
    ordered = [*node.posonlyargs, *node.args]
    texts = [one(a, d) for a, d in zip(ordered, [None] * (len(ordered) - len(node.defaults)) + node.defaults)]
    texts[len(node.posonlyargs):len(node.posonlyargs)] = ["/"] if node.posonlyargs else []
    if node.vararg is not None or node.kwonlyargs:
        texts.append("*" if node.vararg is None else one(node.vararg, None, "*"))
    texts += [one(a, d) for a, d in zip(node.kwonlyargs, node.kw_defaults)]
    return ", ".join(texts + ([one(node.kwarg, None, "**")] if node.kwarg is not None else []))


def named(p: Printer, node: Any, place: int) -> str:
    text = f"{p.of(node.target)} := {p.of(node.value, ARGUMENT)}"
    return text if place == CONDITION else f"({text})"


def yielded(p: Printer, node: Any, place: int) -> str:
    word = "yield from" if isinstance(node, gast.YieldFrom) else "yield"
    text = word if node.value is None else f"{word} {p.of(node.value, LEVEL['yield'] + 1)}"
    return text if LEVEL["yield"] >= place else f"({text})"


EXPRESSIONS: dict[type, Callable[[Printer, Any, int], str]] = {
    gast.Constant: constant, gast.Attribute: attribute, gast.Call: call, gast.BinOp: binary, gast.UnaryOp: unary,
    gast.BoolOp: boolean, gast.Compare: compare, gast.IfExp: choice, gast.Subscript: subscript, gast.Slice: slice_,
    gast.Tuple: tuple_, gast.List: list_, gast.Dict: dict_, gast.Starred: starred, gast.GeneratorExp: generator,
    gast.Lambda: lambda_, gast.NamedExpr: named, gast.Yield: yielded, gast.YieldFrom: yielded,
    gast.Set: lambda p, node, place: f"{{{p.items(node.elts)}}}",
    gast.ListComp: lambda p, node, place: f"[{clauses(p, p.of(node.elt, ITEM), node)}]",
    gast.SetComp: lambda p, node, place: f"{{{clauses(p, p.of(node.elt, ITEM), node)}}}",
    gast.DictComp: lambda p, node, place: f"{{{clauses(p, f'{p.of(node.key, ITEM)}: {p.of(node.value, ITEM)}', node)}}}"}


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
    lines += [f"{indent}@{p.of(decorator, STATEMENT)}" for decorator in s.decorator_list]
    gives = "" if s.returns is None else f" -> {p.of(s.returns, RETURN)}"
    lines.append(f"{indent}def {s.name}({parameters(p, s.args)}){gives}:")
    p.inner(s.body, indent, lines)


def with_(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    items = [p.of(item.context_expr, ITEM) + ("" if item.optional_vars is None else f" as {p.of(item.optional_vars)}")
             for item in s.items]
    lines.append(f"{indent}with {', '.join(items)}:")
    p.inner(s.body, indent, lines)


def try_(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    lines.append(f"{indent}try:")
    p.inner(s.body, indent, lines)
    for handler in s.handlers:
        name = "" if handler.name is None else f" as {p.of(handler.name)}"
        lines.append(f"{indent}except" + ("" if handler.type is None else f" {p.of(handler.type, CHOICE)}") + f"{name}:")
        p.inner(handler.body, indent, lines)
    otherwise(p, s, indent, lines)
    if s.finalbody:
        lines.append(f"{indent}finally:")
        p.inner(s.finalbody, indent, lines)


def raise_(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    cause = "" if s.cause is None else f" from {p.of(s.cause, ITEM)}"
    lines.append(f"{indent}raise" + ("" if s.exc is None else f" {p.of(s.exc, ITEM)}") + cause)


def assert_(p: Printer, s: Any, indent: str, lines: list[str]) -> None:
    lines.append(f"{indent}assert {p.items([s.test] if s.msg is None else [s.test, s.msg])}")


STATEMENTS: dict[type, Callable[[Printer, Any, str, list[str]], None]] = {
    gast.Assign: assign, gast.AugAssign: augmented, gast.Expr: expression, gast.Return: return_, gast.If: if_, gast.For: for_,
    gast.While: while_, gast.FunctionDef: function, gast.With: with_, gast.Try: try_, gast.Raise: raise_, gast.Assert: assert_,
    gast.Delete: lambda p, s, indent, lines: lines.append(f"{indent}del {p.items(s.targets)}"),
    gast.Pass: lambda p, s, indent, lines: lines.append(indent + "pass"),
    gast.Break: lambda p, s, indent, lines: lines.append(indent + "break"),
    gast.Continue: lambda p, s, indent, lines: lines.append(indent + "continue")}


# --- layout

WIDTH = 110
INDENT = 4
MANY = 4                                  # more short items than these fill lines
LEFT_OUT = " ..."

_TOKEN = r"""
    (?P<string>[rbfuRBFU]{0,2}(?:'''(?:\\.|[^\\])*?'''|\"""(?:\\.|[^\\])*?\"""|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"))
  | (?P<number>0[xX][0-9a-fA-F]+ | (?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?[jJ]?)
  | (?P<word>not\ in\b | is\ not\b | [^\W\d]\w*)
  | (?P<open>[(\[{])
  | (?P<close>[)\]}])
  | (?P<sign>\*\*=?|//=?|<<=?|>>=?|->|:=|[<>=!+\-*/%@&|^]=?|[,:.;~])
"""
_BINDING = ("* / // % @", "+ -", "<< >>", "&", "^", "|", "in is < > <= >= == !=", "and", "or", "if else", ",", "for")
_RANKS = {word: rank for rank, words in enumerate(_BINDING) for word in words.split()}
_RANKS |= {"not in": _RANKS["in"], "is not": _RANKS["is"]}
_NO_OPERAND = {*_RANKS, "not", "return", "lambda", "yield", "await", "from"}
_PLAIN = r"(if|elif|while|return|del|for .*? in) "               # what follows may stand in parentheses
_ASSIGNING = r"(?:[-+*/%@&|^]|\*\*|//|<<|>>)?="


def wrapped(text: str, width: int = WIDTH) -> str:
    """A text with its long lines broken. Only lines that are statements by themselves are, and comments, which are cut.

    >>> print(wrapped("total = add(product_2_bar, at_position(voltages_bar, voltages))", 44))
    total = add(
        product_2_bar,
        at_position(voltages_bar, voltages),
    )
    >>> print(wrapped("energy = 0.5 * total_mass * speed ** 2 + weight * height", 44))
    energy = (
        0.5 * total_mass * speed ** 2
        + weight * height
    )
    >>> print(wrapped("return value, (cond_tape, covariance, gain, innovation, step_saved)", 44))
    return value, (
        cond_tape, covariance, gain, innovation,
        step_saved,
    )
    """
    if max(map(len, text.split("\n")), default=0) <= width:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        bare = line.lstrip()
        if len(line) <= width:
            lines.append(line)
        elif bare.startswith("#"):
            lines.append(line[:width - len(LEFT_OUT)].rsplit(" ", 1)[0] + LEFT_OUT)
        else:
            lines += _Layout(width).statement(bare, len(line) - len(bare))
    return "\n".join(lines)


class _Token(NamedTuple):
    text: str
    start: int
    end: int
    depth: int
    sort: str


def _tokens(text: str) -> list[_Token]:
    found, depth = [], 0
    for match in re.finditer(_TOKEN, text, re.VERBOSE | re.DOTALL):
        sort = str(match.lastgroup)
        depth -= sort == "close"
        found.append(_Token(match.group(), match.start(), match.end(), depth, sort))
        depth += sort == "open"
    return found


def _brackets(text: str) -> list[tuple[int, int]]:
    """Where the outermost brackets that hold something open and close."""
    edges = [token.start for token in _tokens(text) if token.depth == 0 and token.sort in ("open", "close")]
    return [(start, end) for start, end in zip(edges[::2], edges[1::2]) if text[start + 1:end].strip()]


def _parts(text: str) -> tuple[str, list[str]]:
    """What binds least outside of brackets (a comma, an operator, `for` of a comprehension), and the parts that it separates:
    without commas, but with the operator in front."""
    places: list[tuple[int, _Token]] = []
    before: _Token | None = None
    inside = ""                                                   # `for`, `in`: the part of a comprehension
    for token in _tokens(text):
        if token.depth == 0:
            if token.text == "lambda" and token.sort == "word":
                break
            rank = _RANKS.get(token.text, -1) if token.sort in ("word", "sign") else -1
            operand = before is not None and before.text not in _NO_OPERAND and (before.sort != "sign" or before.text == ".")
            if token.text == "for" or inside and token.text == "if":
                rank, inside = _RANKS["for"], "for"
            elif token.text == "in" and inside == "for":
                rank, inside = -1, "in"
            if rank >= 0 and operand:
                places.append((rank, token))
            before = token
        elif token.sort == "close":
            before = token
    if not places:
        return "", [text]
    rank = max(rank for rank, _ in places)
    chosen = [token for other, token in places if other == rank]
    edges = [0, *(token.start for token in chosen), len(text)]
    parts = [text[start:end].strip() for start, end in zip(edges, edges[1:])]
    if chosen[0].text == ",":
        parts = [part.removeprefix(",").strip() for part in parts]
    return chosen[0].text, [part for part in parts if part]


def _short(item: str) -> bool:
    """Whether an item stands on a line with others: a name, say, a string that says something, or a key with such."""
    key, colon, value = item.partition(": ")
    return " " not in item or _is_string(item) or bool(colon) and _is_string(key) and _short(value)


def _is_string(text: str) -> bool:
    return [token.sort for token in _tokens(text)] == ["string"]


def _quoted(value: str, quote: str) -> str:
    text = repr(value)
    return text if quote in text or "\\" in text else f"{quote}{value}{quote}"


class _Layout:
    """Lines of at most a width."""

    def __init__(self, width: int) -> None:
        self.width = width

    def fits(self, text: str, indent: int) -> bool:
        return indent + len(text) <= self.width

    def statement(self, text: str, indent: int) -> list[str]:
        if text.startswith(("def ", "class ", "async ")):
            return self.at_bracket(text, 0, indent, "", "")
        if text.startswith("from ") and " import " in text:
            head, names = text.split(" import ", 1)
            return self.enclosed(names, indent, f"{head} import (", ")")
        if text.startswith("assert "):
            least, parts = _parts(text.removeprefix("assert "))
            condition, said = parts if least == "," else (text.removeprefix("assert "), "")
            *lines, last = self.expression(condition, indent, "assert ", "," * bool(said))
            return [*lines, *self.expression(said, indent, last.strip() + " ", "")] if said else [*lines, last]
        plain = re.match(_PLAIN, text)
        if plain:
            colon = ":" if text.endswith(":") and not text.startswith(("return", "del")) else ""
            return self.expression(text[plain.end():len(text) - len(colon)], indent, plain.group(), colon)
        outer = itertools.takewhile(lambda token: token.text != "lambda", (x for x in _tokens(text) if x.depth == 0))
        assigning = [token for token in outer if token.sort == "sign" and re.fullmatch(_ASSIGNING, token.text)]
        if not assigning or text.startswith(("raise ", "with ", "import ", "global ", "nonlocal ")):
            return self.expression(text, indent, "", "", alone=True)
        targets, value = text[:assigning[-1].start].strip(), text[assigning[-1].end:].strip()
        between = f" {assigning[-1].text} "
        lines = self.expression(value, indent, targets + between, "")
        if len(lines[0]) <= self.width and (len(lines) > 1 and value[-1] in ")]}" or _parts(targets)[0] != ","):
            return lines
        if _parts(targets)[0] == ",":
            *before, last = self.enclosed(targets, indent, "(", ")")
        elif targets.endswith("]"):
            *before, last = self.expression(targets, indent, "", "", alone=True)
        else:
            return lines
        return [*before, *self.expression(value, indent, last.strip() + between, "")]

    def expression(self, text: str, indent: int, before: str, after: str, alone: bool = False, inside: bool = False) -> list[str]:
        """The lines of `before text after`. alone: no parentheses may be put around it; inside: it stands in brackets already."""
        if self.fits(before + text + after, indent):
            return [" " * indent + before + text + after]
        least, parts = _parts(text)
        if text.startswith("lambda ") and inside:
            head = text[:next(token.end for token in _tokens(text) if token.depth == 0 and token.text == ":")] + " "
            return self.expression(text.removeprefix(head), indent, before + head, after, inside=True)
        brackets = [] if text.startswith("lambda ") else _brackets(text)
        last = brackets[-1] if brackets and brackets[-1][1] == len(text) - 1 else None
        if inside and least and least != ",":
            return [line for j, part in enumerate(parts)
                    for line in self.part(part, indent, before * (j == 0), after * (j == len(parts) - 1), least)]
        if least and not alone:
            short = last is not None and self.fits(before + text[:last[0] + 1], indent) and len(parts) == 2
            if short and (least != "for") and (last[1] - last[0] > len(text) // 2):                           # type: ignore[index]
                return self.at_bracket(text, len(brackets) - 1, indent, before, after)
            return self.enclosed(text, indent, f"{before}(", f"){after}")
        if brackets:
            fitting = [j for j, (start, _) in enumerate(brackets) if self.fits(before + text[:start + 1], indent)]
            if fitting or alone or inside:
                longest = max(fitting, key=lambda j: brackets[j][1] - brackets[j][0], default=0)
                return self.at_bracket(text, longest, indent, before, after)
            return self.enclosed(text, indent, f"{before}(", f"){after}")
        return self.string(text, indent, before, after, alone or inside)

    def part(self, text: str, indent: int, before: str, after: str, least: str) -> list[str]:
        """A part of an expression in brackets, with its operator in front."""
        head = next((f"{word} " for word in (least, text.split(" ", 1)[0]) if text.startswith(f"{word} ") and word in _RANKS), "")
        head = text[:text.index(" in ") + 4] if head == "for " else head
        return self.expression(text[len(head):], indent, before + head, after, inside=True)

    def at_bracket(self, text: str, number: int, indent: int, before: str, after: str) -> list[str]:
        start, end = _brackets(text)[number]
        opening, closing = before + text[:start + 1], text[end:] + after
        inner = text[start + 1:end].strip()
        while inner[:1] in tuple("([{") and _brackets(inner) == [(0, len(inner) - 1)]:       # f((a, b)), f([a, b])
            opening, closing, inner = opening + inner[0], inner[-1] + closing, inner[1:-1].strip()
        return self.enclosed(inner, indent, opening, closing)

    def enclosed(self, text: str, indent: int, opening: str, closing: str) -> list[str]:
        """`opening`, what is in the brackets further in, `closing`."""
        least, parts = _parts(text)
        inner = indent + INDENT
        only = text.rstrip().removesuffix(",") != text.rstrip() and len(parts) == 1                         # a tuple of one
        if self.fits(text, inner):
            lines = [" " * inner + text]
        elif least == "," and len(parts) > MANY and (opening.startswith("from ") or all(map(_short, parts[1:]))):
            lines = self.filled(parts, inner)
        elif least == ",":
            comma = "," if opening[-1] != "[" or opening[:-1].rstrip()[-1:] in ("", "=", "(", ",") else ""
            lines = [line for j, part in enumerate(parts) for line in self.expression(
                part, inner, "", "," if j < len(parts) - 1 else comma if not part.startswith("*") else "", inside=True)]
        else:
            lines = self.expression(text, inner, "", "," * only, inside=True)
        return [" " * indent + opening, *lines, *self.closed(closing, indent)]

    def closed(self, closing: str, indent: int) -> list[str]:
        """The line that closes brackets; what follows them may be long again."""
        if self.fits(closing, indent):
            return [" " * indent + closing]
        for start, end in _brackets(closing[1:]):
            return self.enclosed(closing[start + 2:end + 1], indent, closing[:start + 2], closing[end + 1:])
        return [" " * indent + closing]

    def filled(self, parts: list[str], indent: int) -> list[str]:
        lines: list[str] = []
        alone = True                                           # the last line has a long string
        for part in parts:
            if not alone and self.fits(f"{lines[-1].strip()} {part},", indent):
                lines[-1] += f" {part},"
            else:
                more = self.expression(part, indent, "", ",", inside=True)
                lines, alone = lines + more, len(more) > 1
        return lines

    def string(self, text: str, indent: int, before: str, after: str, inside: bool) -> list[str]:
        """A long string as several, one after the other; else the line stays as it is."""
        room = self.width - indent - len(before) - len(after) - 2
        if text[0] not in "'\"" or not _is_string(text) or room < 20:
            if before and not inside:
                return self.enclosed(text, indent, f"{before}(", f"){after}")
            return [" " * indent + before + text + after]
        value, lines = ast.literal_eval(text), []
        while value:
            size = room
            while len(repr(value[:size])) > room + 2:
                size -= 1
            cut = size if len(value) <= size else value.rfind(", ", 0, size - 1) + 2
            cut = cut if cut > size // 2 else value.rfind(" ", 0, size) + 1 or size
            lines.append(_quoted(value[:cut], text[0]))
            value = value[cut:]
        if inside:
            lines = [before + lines[0], *lines[1:]]
            return [" " * indent + line for line in [*lines[:-1], lines[-1] + after]]
        return [" " * indent + f"{before}(", *(" " * (indent + INDENT) + line for line in lines), " " * indent + f"){after}"]
