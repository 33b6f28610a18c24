"""The languages between the phases: what each takes, what it refuses, that no production is idle, and when they are checked."""
from __future__ import annotations

import dataclasses
import operator
from pathlib import Path

import gast
import numpy as np
import pytest

from sourcegrad import kinds as k, runtime
from sourcegrad.compiler import linking, passes
from sourcegrad.compiler.pipeline import derive
from sourcegrad.errors import InternalError, Origin
from sourcegrad.ir import tree as t
from sourcegrad.ir.unit import Unit
from sourcegrad.ir.verify import CORE, FUNCTIONAL, IN_PLACE, SWEEPS, TEXT, TYPED, Else, Language, When
from sourcegrad.parse.resolve import describe

ENV = {"np": np, "iadd": operator.iadd, "eq": list.__eq__, "print": print, "f": len, **{name: getattr(runtime, name) for name in (
    "at", "index_store", "index_set", "index_update", "attribute_store")}}
LANGUAGES = [CORE, TYPED, FUNCTIONAL, SWEEPS, IN_PLACE, TEXT]


def lines(text: str) -> list[str]:
    return text.strip("\n").split("\n")


def paragraphs(text: str) -> list[str]:
    return text.strip("\n").split("\n\n")


IN_CORE = lines("""
y = x; y = 2.0; return y
y = -1; z, y = x; return 0
y = x + z; y = 2 * -1; return y
y = not x; z = y; return z
y = np.newaxis; y = x.shape; y = y[0]; y = x[1:-1]; y = x[::k, np.newaxis]; z = y; return z
y = f.__defaults__[0]; z = y; return z
y = (x, (1, -2)); y = [x, np.pi]; y = {'a': x, -1: 2, (1, 2): y}; z = y; return z
y = g(x, (0, 1), *xs, axis=(0, 1)); z = y; return z
y = x.m(np.linalg.norm); z = y; return z
y = np.linalg.norm(x); z = y; return z
y = h(np.s_[1:k], at.w[k].ravel(0, a=1)[0], at.w); z = y; return z
y = x[0] < 2 < x.k; z = y; return z
y = x < 1 or k; z = y; return z
y = f'{x[0]:{k}}'; z = y; return z
y = g(x, held=-1, b=np.pi, c=np.s_[0], d=at.c()); z = y; return z
tape.append(x); y = tape.pop(); z = y; print(x[0], end=''); return z
raise E([k for k in x]) from None; return x
assert x[0], f'{[k for k in x]}'; return x
""") + paragraphs("""
for k in x:
    if k: y = 1
return y

c = np.any(np.abs(x - 1) > {1, *y} if (x, [y]) else {'a': 1, **d}) and -x[1:k:2].y
if c: y = x
else: y = 1
return y

c = h(a=x[0])
if c: y = x
return y

if x: y = 1
if True: y = 2
if y is not None: pass_ = 1
if y < -1: y = 3
if y == (1, 2): y = 1
return y

for k in range(n, -1): y = k
for k in steps:
    if k: y = k
    else: y = 1
    if c: break
return y

while x[0] < 2:
    y = x
    if c: break
while True: y = 1
return y
""")
CHANGING = lines("""
y = iadd(x, 1); z = y; return z
y = index_store(x, np.s_[0], z); z = y; return z
y = index_update(x, np.s_[0], z); z = y; return z
y = attribute_store(x, 'a', z, True); z = y; return z
""")
OF_HELPERS = lines("""
y = index_set(x, np.s_[0], g(x, -1, a=1)); z = y; return z
y = np.may_share_memory(x, y.T[k].T); z = y; return z
y = index_set(x.a, -1, at.b, np.s_[0], at[0].c(), (x, y)); z = y; return z
""")
COMPARED = ["y = eq(x, {'a': y + z * 2}); z = y; return z"]
EMPTY = ["y = index_set(x, np.s_[0], [], {}); z = y; return z"]
BY_HELPERS = lines("""
y = index_set(x, np.s_[0], y + z); z = y; return z
y = index_store(x, np.s_[0], []); z = y; return z
""")
ONLY_FUNCTIONAL = lines("""
y = x.reshape((k, 2)); z = y; return z
y = g(x, held=(x, y)); z = y; return z
y = {'a': (1, -2)}; z = y; return z
""")
IN_SWEEPS = lines("""
'# reverse'; return x
y = x; '# reverse'; x_bar = y * (x + 1); return y, x_bar
print(x); '# reverse'; assert x; return x
""") + paragraphs("""
for k in x:
    if k: y = 1
'# reverse'; return y

if x < 1 and x: y = not x
else: y = f'{x:{k}}'
'# reverse'; return y

for k in range(x[0]):
    tape.append((x[0], {'a': x, **d}))
    if c: break
'# reverse'
for k in x: y = tape.pop()
return y

while x < 1: y, z = x[1:, None], [x.a, *y]
'# reverse'; raise E; return g(x, a=1 if x else {1})

while x:
    y = x
    if c: break
'# reverse'; tape.pop(); return x
""")
IN_PLACES = lines("""
x[0] += 1; x.a[1], (y, z.b) = x; x += 2; return x
x.sort(a=1); '# reverse'; return x
y = x; return y
""") + paragraphs("""
for k in x:
    x.a = 1
    if c: break
return x
""")
IN_TEXT = lines("""
'# a'; x.a = 1; '# b'; '# c'; return x
y = [k for k in x if k]; return y
y = {k: k for k, j in x}; return y
""") + paragraphs("""
for k in x:
    '# line'
    x.a = 1
return x

with g(x) as y, z: pass
return y

try: y = 1
except E as e: y = 2
except (A, B): y = 3
return y

for (k, j), l in x:
    if k:
        y = 1
        break
    z = 1
while x:
    if k: break
return y
""")
TAKEN = {CORE: [*IN_CORE, *CHANGING], TYPED: [*IN_CORE, *CHANGING, *OF_HELPERS, *COMPARED, *BY_HELPERS],
         FUNCTIONAL: [*IN_CORE, *OF_HELPERS, *COMPARED, *EMPTY, *ONLY_FUNCTIONAL],
         SWEEPS: IN_SWEEPS, IN_PLACE: [*IN_SWEEPS, *IN_PLACES],
         TEXT: [*IN_SWEEPS, *IN_PLACES, *IN_TEXT]}

NOT_IN_CORE = lines("""
y = x + y * z; z = y; return z
y = -x[0]; z = y; return z
y = g(x + 1); z = y; return z
y = g(x[0]); z = y; return z
y = x[y + 1]; z = y; return z
y = x.a.b; z = y; return z
y = g(x)(y); z = y; return z
y = (x, (y, z)); z = y; return z
y = [x[0]]; z = y; return z
y = {x: 1}; z = y; return z
y = {'a': x + 1}; z = y; return z
y = {**x}; z = y; return z
y = g(a=x.b); z = y; return z
y = g(**x); z = y.a.b; k = z; return z
y = x if c else z; z = y; return z
y = lambda: x; return y
y = [k for k in x]; return y
y = (k := x); return y
y = z = x; return y
x[0] = y; return x
x.a = y; return x
x += 1; return x
y: float = x; return y
(y, z), k = x; return y
y, *z = x; return y
return x + 1
return
y = x
if x: y = 1
return x; return y
pass; return x
del x; return x
import a; return x
global a; return x
y; return x
'# a comment'; return x
yield x; return x
y = await_(x)[yield_(1)]; z = y; return z
print((k := 1)); return x
y = at + z.w[at.k]; y = g(z.at); z = y; return z
""") + paragraphs("""
if x < y: y = 1
return y

if not x: y = 1
return y

if x: return y
return x

while x: continue
return x

for k in x:
    if c: break
    y = 1
return y

for k in x:
    if c < 1: break
return x

for k in x:
    if c:
        y = 1
        break
return x

for k in x:
    if c: break
    else: y = 1
return x

if c: break
return x

for k in x: y = 1
else: y = 2
return y

for k, j in x: y = 1
return y

for k in x[0]: y = 1
return y

for k in g(x[0]): y = 1
return y

while (k := x): y = 1
return y

def g(): pass
return x

class A: pass
return x

with x: y = 1
return y

try: y = 1
except E: y = 2
return y
""")
IMPLICIT = lines("""
y = index_set(x, np.s_[0], y + z * x); z = y; return z
y = index_set(x, np.s_[0], [y + z]); z = y; return z
""")
IMPURE = lines("""
y = index_set(x, np.s_[0], y + z); z = y; return z
y = index_set(x, np.s_[0], [y]); z = y; return z
x.sort(); return x
x[0].append(y); return x
xs.insert(0, y); return x
xs.pop(0); return x
""")
NOT_SWEEPS = lines("""
y = x; return y
'# a'; '# b'; return x
'# reverse'; y = iadd(x, 1); return y
'# reverse'; y = g(index_store(x, np.s_[0], z)); return y
'# reverse'; x[0] = y; return x
'# reverse'; x += 1; return x
'# reverse'; x.sort(); return x
'# reverse'; y = [k for k in x]; return y
'# reverse'; return [k for k in x]
'# reverse'; y = lambda: x; return y
'# reverse'; x; return x
'# reverse'; y = x
'# reverse'; y, x[0] = z; return y
'# reverse'; tape.append((k := 1)); return x
'# reverse'; print([k for k in x]); return x
""") + paragraphs("""
if x: '# a'
'# reverse'; return x

'# reverse'
with x: y = 1
return y

'# reverse'
if x: return y
return x

'# reverse'
for k in x:
    if c: break
    y = 1
return y

'# reverse'
for k, j in x: y = 1
return y

'# reverse'
while [k for k in x]: y = 1
return y

'# reverse'
for k in (j for j in x): y = 1
return y

'# reverse'
if (k := x): y = 1
return y
""")
NOT_IN_PLACE = lines("""
'# a'; '# b'; return x
y = [k for k in x]; return y
pass; return x
y, *z = x; return x
x[(k := 0)] = 1; return x
x += (k := 1); return x
x; return x
g([k for k in x]); return x
(k := x).a = 1; return x
y = iadd(x, 1); return y
y = x
""") + paragraphs("""
for k in x:
    '# line'
    x.a = 1
return x

with x: y = 1
return y

try: y = 1
except E: y = 2
return y

for k in x:
    if c: break
    y = 1
return y

if x: return y
return x
""")
NOT_TEXT = lines("""
y = lambda: x; return y
y = (k := x); return y
y = {k for k in x}; return y
import a; return x
del x; return x
yield x; return x
y = [k for k in (lambda: x)]; return y
y: int = 1; return y
y = {k: (lambda: x) for k in x}; return y
y = iadd(x, 1); return y
y = x
""") + paragraphs("""
def g(): pass
return x

if x: return y
return x

for k in x: continue
return x

with (lambda: x): y = 1
return y

try: y = 1
finally: y = 2
return y

try: y = 1
except E: y = 2
else: y = 3
return y

try: y = 1
except: y = 2
return y

for k in x: y = 1
else: y = 2
return y
""")
NOT_IN = {CORE: [*NOT_IN_CORE, *OF_HELPERS, *ONLY_FUNCTIONAL], TYPED: [*NOT_IN_CORE, *ONLY_FUNCTIONAL, *IMPLICIT],
          FUNCTIONAL: [*NOT_IN_CORE, *CHANGING, *IMPURE], SWEEPS: NOT_SWEEPS, IN_PLACE: NOT_IN_PLACE, TEXT: NOT_TEXT}


def function_of(body: str) -> gast.FunctionDef:
    tree = gast.parse("def made(x):\n" + "\n".join(f"    {line}" for line in body.splitlines())).body[0]
    for s in t.as_printed(tree.body):
        s.origin = Origin("a.py", s.lineno, s.col_offset, "")
    return tree


def refused(language: Language, tree: gast.FunctionDef) -> bool:
    try:
        language.check(Unit(None, tree, dict(ENV)), "a pass")
    except InternalError:
        return True
    return False


CASES = [pytest.param(language, text, id=f"{language.name}: {text!r}") for language in LANGUAGES for text in TAKEN[language]]
BAD = [pytest.param(language, text, id=f"{language.name}: {text!r}") for language in LANGUAGES for text in NOT_IN[language]]


@pytest.mark.parametrize("language, text", CASES)
def test_taken(language: Language, text: str) -> None:
    language.check(Unit(None, function_of(text), dict(ENV)), "a pass")


@pytest.mark.parametrize("language, text", BAD)
def test_refused(language: Language, text: str) -> None:
    with pytest.raises(InternalError, match=f"after a pass: .* where {language.name} has none"):
        language.check(Unit(None, function_of(text), dict(ENV)), "a pass")


def reachable(language: Language) -> set[str]:
    """The nonterminals that a tree of the language may need."""
    found, waiting = set(), ["function"]
    while waiting:
        nonterminal = waiting.pop()
        if nonterminal not in found:
            found.add(nonterminal)
            waiting += [name for production in language.rules[nonterminal].values() for text in texts(production)
                        for part in text.split() for name in part.split("=")[1].split("..") if name != "*"]
    return found


def texts(production) -> list[str]:
    if isinstance(production, (When, Else)):
        return [*texts(production.then), *texts(production.otherwise)]
    return [production] if production else []


def simpler(production) -> list:
    """A production without one of its alternatives, in all ways."""
    if isinstance(production, When):
        return [When(production.holds, None, production.otherwise), When(production.holds, production.then, None)] if (
            production.otherwise is not None) else [None]
    return [production.then, When(production.holds, production.otherwise)] if isinstance(production, Else) else [None]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_every_production_is_needed(language: Language) -> None:
    """Without one of its productions (or one side of it) the language takes less: so a text here shows each."""
    trees = [function_of(text) for text in TAKEN[language]]
    rules = {nonterminal: language.rules[nonterminal] for nonterminal in reachable(language)}
    for cls, production in {(cls, production) for productions in rules.values() for cls, production in productions.items()}:
        for less in simpler(production):
            fewer = {nonterminal: {c: less if (c, p) == (cls, production) else p for c, p in productions.items()}
                     for nonterminal, productions in rules.items()}
            smaller = Language(language.name, language.adds, fewer)
            assert any(refused(smaller, tree) for tree in trees), (cls, production, less)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_every_field_is_checked(language: Language) -> None:
    """A `yield` in the place of any node is refused, but where a language takes anything: in `raise` and in messages."""
    for text in TAKEN[language]:
        tree = function_of(text)
        for parent in [node for s in tree.body if not isinstance(s, (gast.Raise, gast.Assert)) for node in t.walk(s)]:
            for field in t.child_fields(type(parent)):
                value = getattr(parent, field, None)
                items = value if isinstance(value, list) else [value] * isinstance(value, gast.AST)
                for place in [j for j, item in enumerate(items) if item is not None]:
                    changed = [*items[:place], gast.Yield(value=None), *items[place + 1:]]
                    setattr(parent, field, changed if isinstance(value, list) else changed[0])
                    assert refused(language, tree), (text, parent, field)
                    setattr(parent, field, value)


# --- when they are checked

def squared(x):
    y = 2.0 * x
    return y * y


def generated() -> None:
    derive(describe(squared), {"x": k.FLOAT}, ("x",), True, False, False)


def test_every_phase_has_a_language_that_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    checked, check = [], Language.check
    monkeypatch.setattr(Language, "check", lambda self, unit, stage, *tree: (
        checked.append((stage, self)), check(self, unit, stage, *tree)))
    generated()
    assert {(f"the phase '{phase}'", passes.LANGUAGES[phase]) for phase in passes.PHASES} <= set(checked)


@pytest.mark.parametrize("phase", ["syntax", "optimize", "in place", "text"])
@pytest.mark.parametrize("verify", [True, False])
def test_a_pass_that_leaves_the_language_is_named(phase: str, verify: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(work):
        body = (work.trees or [work.tree or work.unit.tree])[0].body
        if verify:
            body[-1].value = gast.Lambda(args=t.arguments([]), body=body[-1].value)
        else:                                                # expressions are left to the tests
            body.insert(0, t.at(gast.Nonlocal(names=["lambda_"]), t.origin_of(body[-1])))

    broken = (*passes.PHASES[phase], passes.Pass("breaking", run, "for this test"))
    monkeypatch.setitem(passes.PHASES, phase, broken)
    monkeypatch.setattr(passes, "LANGUAGES", dict(passes.LANGUAGES))
    monkeypatch.setattr(linking, "OPTIONS", dataclasses.replace(linking.OPTIONS, verify=verify))
    name, node = ("breaking", "Lambda") if verify else (f"the phase '{phase}'", "Nonlocal")
    with pytest.raises(InternalError, match=f"after {name}: {node} where {passes.LANGUAGES[phase].name} has none") as caught:
        generated()
    assert caught.value.origin.file == __file__ and "lambda" in str(caught.value)


def test_the_languages_are_described() -> None:
    page = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text()
    assert all(f"| {language.name} | {language.adds} |" in page for language in LANGUAGES)
    assert all(f"`{phase}`" in page for phase in passes.PHASES)
