"""Decompilation: the text of a function that `exec` has made (a generated constructor), out of its code object.

Statements that assign, call and return, and `if`, are understood. What is found is compiled, and must give the same code:
so nothing is guessed.

>>> space = {}
>>> exec("def area(self, b, h):\\n    self.b = b\\n    self.area = b * h / 2.0", space)
>>> print(text_of(space["area"].__code__))
def area(self, b, h):
    self.b = b
    self.area = ((b * h) / 2.0)
"""
from __future__ import annotations

import ast
import dis
import types
from typing import Any

SKIPPED = {"RESUME", "NOP", "CACHE", "PRECALL", "COPY_FREE_VARS", "MAKE_CELL", "EXTENDED_ARG", "PUSH_NULL", "NOT_TAKEN"}
OPERATORS = {"BINARY_ADD": "+", "BINARY_SUBTRACT": "-", "BINARY_MULTIPLY": "*", "BINARY_TRUE_DIVIDE": "/", "BINARY_POWER": "**",
             "BINARY_FLOOR_DIVIDE": "//", "BINARY_MODULO": "%", "BINARY_MATRIX_MULTIPLY": "@"}      # of Python 3.10
WRITTEN = (type(None), bool, int, float, str, type(...))                     # constants that are their own text


class Unknown(Exception):
    """Code that is not understood."""


def text_of(code: types.CodeType) -> str | None:
    """The definition that gives this code; None where it is not understood."""
    try:
        lines = _Block([x for x in dis.get_instructions(code) if x.opname not in SKIPPED], code.co_consts).lines(None)
        text = f"def {code.co_name}({_parameters(code)}):\n" + "\n".join(f"    {line}" for line in lines or ["pass"])
        return text if _same(_compiled(text, code), code) else None
    except (Unknown, IndexError, KeyError, ValueError, TypeError, SyntaxError, StopIteration):
        return None


def _parameters(code: types.CodeType) -> str:
    names = list(code.co_varnames)
    positional, only = names[:code.co_argcount], names[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
    rest = names[code.co_argcount + code.co_kwonlyargcount:]
    parts = [*positional]
    if code.co_posonlyargcount:
        parts.insert(code.co_posonlyargcount, "/")
    if code.co_flags & 4:                                    # *args
        parts.append(f"*{rest.pop(0)}")
    elif only:
        parts.append("*")
    return ", ".join([*parts, *only, *([f"**{rest.pop(0)}"] if code.co_flags & 8 else [])])


def _compiled(text: str, code: types.CodeType) -> types.CodeType:
    """The code of a definition, inside a function that has its free names."""
    inner = "\n".join(f"    {line}" for line in text.splitlines())
    module = compile(f"def around({', '.join(code.co_freevars)}):\n{inner}\n", code.co_filename, "exec", dont_inherit=True)
    return _inside(_inside(module))


def _inside(code: types.CodeType) -> types.CodeType:
    return next(x for x in code.co_consts if isinstance(x, types.CodeType))


def _same(found: types.CodeType, code: types.CodeType) -> bool:
    """Whether two functions do the same, wherever their lines are."""
    parts = ("co_code", "co_names", "co_varnames", "co_freevars", "co_argcount", "co_kwonlyargcount", "co_posonlyargcount")
    return all(getattr(found, name) == getattr(code, name) for name in parts) and [*map(repr, found.co_consts)] == [
        *map(repr, code.co_consts)]


class _Block:
    """Statements from a part of the instructions, with the expressions that are not used yet on a stack."""

    def __init__(self, instructions: list[dis.Instruction], constants: tuple) -> None:
        self.all, self.at, self.constants = instructions, 0, constants
        self.stack: list[str] = []
        self.keywords: tuple[str, ...] = ()

    def lines(self, end: int | None) -> list[str]:
        """The statements before an offset (None: all)."""
        found: list[str] = []
        while self.at < len(self.all) and (end is None or self.all[self.at].offset < end):
            x = self.all[self.at]
            self.at += 1
            if "JUMP_IF" in x.opname or "JUMP_FORWARD_IF" in x.opname:
                found += self.branch(x)
            elif x.opname in ("RETURN_VALUE", "RETURN_CONST"):
                value = repr(x.argval) if x.opname == "RETURN_CONST" else self.stack.pop()
                found += [] if value == "None" else [f"return {value}"]
            else:
                found += self.statement(x)
        return found

    def branch(self, x: dis.Instruction) -> list[str]:
        """`if`, perhaps with `else`: up to where the jump leads."""
        test, name = self.stack.pop(), x.opname
        if name.endswith("NONE"):
            test = f"{test} is not None" if name.endswith("IF_NONE") else f"{test} is None"
        elif not name.endswith("IF_FALSE"):
            test = f"not {test}"
        first = self.at
        inner = self.lines(x.argval)
        last = self.all[self.at - 1] if self.at > first else x
        other: list[str] = []
        if last.opname == "JUMP_FORWARD":
            other = self.lines(last.argval)
        elif last.opname.startswith("RETURN_"):
            other = self.lines(None)
        if not inner:
            raise Unknown
        then, otherwise = ([f"    {line}" for line in lines] for lines in (inner, other))
        return [f"if {test}:", *then, *(["else:"] if other else []), *otherwise]

    def statement(self, x: dis.Instruction) -> list[str]:
        """What an instruction other than a jump leaves as a statement; others change the stack."""
        name, stack = x.opname, self.stack
        if name == "JUMP_FORWARD":
            return []
        if name == "POP_TOP":
            return [stack.pop()]
        if name == "STORE_ATTR":
            owner, value = stack.pop(), stack.pop()
            return [f"{owner}.{x.argval} = {value}"]
        if name == "STORE_FAST":
            return [f"{x.argval} = {stack.pop()}"]
        if name == "STORE_FAST_LOAD_FAST":
            stored, loaded = x.argval
            line = f"{stored} = {stack.pop()}"
            stack.append(loaded)
            return [line]
        if name == "STORE_SUBSCR":
            key, owner, value = stack.pop(), stack.pop(), stack.pop()
            return [f"{owner}[{key}] = {value}"]
        self.expression(x)
        return []

    def expression(self, x: dis.Instruction) -> None:
        name, stack = x.opname, self.stack
        if name.startswith("LOAD_FAST") and isinstance(x.argval, tuple):
            stack.extend(x.argval)
        elif name.startswith("LOAD_FAST") or name in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"):
            stack.append(x.argval)
        elif name in ("LOAD_CONST", "LOAD_SMALL_INT"):
            stack.append(self.constant(x.argval))
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            stack.append(f"{stack.pop()}.{x.argval}")
        elif name == "KW_NAMES":
            self.keywords = self.constants[x.arg or 0]
        elif name in ("CALL", "CALL_FUNCTION", "CALL_METHOD", "CALL_FUNCTION_KW", "CALL_KW"):
            self.call(name, x.arg or 0)
        elif name == "BINARY_OP" and not x.argrepr.endswith(("=", "]")) or name in OPERATORS:
            right, left = stack.pop(), stack.pop()
            stack.append(f"({left} {OPERATORS.get(name, x.argrepr)} {right})")
        elif name == "BINARY_SUBSCR" or name == "BINARY_OP" and x.argrepr == "[]":
            key, owner = stack.pop(), stack.pop()
            stack.append(f"{owner}[{key}]")
        elif name in ("IS_OP", "CONTAINS_OP", "COMPARE_OP"):
            right, left = stack.pop(), stack.pop()
            words = {"IS_OP": ("is", "is not"), "CONTAINS_OP": ("in", "not in")}
            stack.append(f"({left} {words[name][x.arg or 0] if name in words else x.argval} {right})")
        elif name in ("BUILD_TUPLE", "BUILD_LIST"):
            self.display(name, x.arg or 0)
        else:
            raise Unknown(name)

    def constant(self, value: Any) -> str:
        if not all(isinstance(item, WRITTEN) for item in (value if type(value) is tuple else (value,))):
            raise Unknown
        return repr(value)

    def call(self, name: str, count: int) -> None:
        if name in ("CALL_FUNCTION_KW", "CALL_KW"):
            self.keywords = ast.literal_eval(self.stack.pop())
        given = [self.stack.pop() for _ in range(count)][::-1]
        split = count - len(self.keywords)
        words = [f"{key}={value}" for key, value in zip(self.keywords, given[split:])]
        self.stack.append(f"{self.stack.pop()}({', '.join([*given[:split], *words])})")
        self.keywords = ()

    def display(self, name: str, count: int) -> None:
        items = [self.stack.pop() for _ in range(count)][::-1]
        inner = ", ".join(items) + ("," if count == 1 and name == "BUILD_TUPLE" else "")
        self.stack.append(f"({inner})" if name == "BUILD_TUPLE" else f"[{inner}]")
