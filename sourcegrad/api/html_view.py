"""HTML view of a derivative: the user's lines beside the generated lines that came from them.

A page is one file without references to others; it can be read without scripts, and printed. `fragment` is the same for a cell of
a notebook. Style and script stand in `view.css` and `view.js`.
"""
from __future__ import annotations

import functools
import io
import itertools
import keyword
import os
import tokenize
from collections import defaultdict
from html import escape
from pathlib import Path
from typing import Any

from sourcegrad.api.cost import FORWARD, Cost, Part, Place, Program, Statement, bytes_text, seconds_text
from sourcegrad.ir import source

TITLES = {FORWARD: "Forward sweep", "reverse": "Reverse sweep"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
HELP = ("Point at a line to see what belongs to it; click to hold it. Keys: <kbd>↑</kbd> <kbd>↓</kbd> next line, <kbd>←</kbd> "
        "<kbd>→</kbd> other side, <kbd>Enter</kbd> hold and go there, <kbd>Esc</kbd> let go.")
_numbers = itertools.count(1)


class Source(str):
    """The text of a derivative: a string, which notebooks show beside the user's lines."""

    _program: tuple[Any, Any]

    @classmethod
    def of(cls, derived: Any, user: Any) -> Source:
        made = cls(derived.text)
        made._program = derived, user
        return made

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return str, (str(self),)

    def __str__(self) -> str:
        return self[:]

    def _repr_html_(self) -> str | None:
        return fragment(Program(*self._program)) if hasattr(self, "_program") else None


def page(program: Program, cost: Cost | None = None) -> str:
    """A whole document: UTF-8, no network."""
    title = escape(f"{program.root.half.__name__} - sourcegrad")
    return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="color-scheme" content="light dark">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n<style>\n{asset("view.css")}</style>\n</head>\n'
            f'<body class="sg-page">\n{_View(program, cost, "sg", "main").text()}\n</body>\n</html>\n')


def fragment(program: Program, cost: Cost | None = None) -> str:
    """What a notebook puts into its own page: names and style are those of this view only."""
    return f"<style>\n{asset('view.css')}</style>\n{_View(program, cost, f'sg{os.getpid()}-{next(_numbers)}', 'div').text()}"


@functools.cache
def asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


class _View:
    """One view. prefix: what its ids begin with; element: what is around it."""

    def __init__(self, program: Program, cost: Cost | None, prefix: str, element: str) -> None:
        self.program, self.cost, self.prefix, self.element = program, cost, prefix, element
        self.files = list(dict.fromkeys(e.file for e in program.excerpts))
        self.made: dict[Place, list[Statement]] = defaultdict(list)
        for statement in program.statements:
            for place in program.places(statement):
                self.made[place].append(statement)
        self.part_of = {s.number: part for part in program.parts for s in part.statements}
        self.saves = self._saves()

    def text(self) -> str:
        program, name = self.program, escape(self.program.root.half.__name__)
        user = escape(getattr(program.user, "__name__", "the function"))
        main = f'<main class="sg-view" id="{self.prefix}">' if self.element == "main" else (
            f'<div class="sg-view" id="{self.prefix}" lang="en" role="region" aria-label="{name}">')
        return "\n".join([
            main, f'<a class="sg-skip" href="#{self.prefix}-made">Skip to the generated code</a>', "<header>",
            f'<h1><code>{name}</code></h1>', f'<p class="sg-soft">Generated from <code>{user}</code> by sourcegrad. '
            "The number beside a generated line is the line of your code that it came from.</p>", self._figures(),
            f'<p class="sg-keys sg-soft">{HELP}</p>',
            '<p class="sg-hidden" role="status" aria-live="polite"></p>', "</header>", *self._groups(), f"</{self.element}>",
            f"<script>\n{asset('view.js').rstrip()}(document.getElementById(\"{self.prefix}\"));\n</script>"])

    def _figures(self) -> str:
        if self.cost is None:
            return ""
        cost = self.cost
        ratio = cost.total / cost.primal if cost.primal else 0.0
        figures = [("gradient", seconds_text(cost.total)), ("the function itself", seconds_text(cost.primal)),
                   ("ratio", f"{ratio:.1f}"), ("saved for the reverse sweep", bytes_text(cost.saved))]
        return "<dl>" + "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in figures) + "</dl>"

    def _saves(self) -> dict[int, list[tuple[str, int | None]]]:
        """What each statement saves: names, and bytes if they were measured."""
        found: dict[int, list[tuple[str, int | None]]] = defaultdict(list)
        if self.cost is not None:
            for (number, name), count in self.cost.bytes.items():
                found[number].append((name, count))
            return found
        for part in self.program.parts:
            for name in part.saved:
                forward = [s for s in part.statements if s.sweep == FORWARD]
                makers = [s for s in forward if name in s.fills] or [s for s in forward if name in s.stores][-1:]
                for statement in makers:
                    found[statement.number].append((name, None))
        return found

    # --- sections

    def _groups(self) -> list[str]:
        """A section for each function of the user that has generated functions of its own, the differentiated one first."""
        parts: dict[Any, list[Part]] = defaultdict(list)
        for part in (self.program.root, *self.program.parts[:-1]):
            parts[part.user].append(part)
        shown = {excerpt for excerpt in parts if excerpt is not None}
        result = []
        for number, (excerpt, group) in enumerate(parts.items()):
            inlined = [e for part in group for s in part.statements for o in s.origins for e in self.program.excerpts
                       if e.file == o.file and o.line in e.span and e not in shown]
            inlined = list(dict.fromkeys(inlined))
            shown |= set(inlined)
            heading = f"{self.prefix}-h{number}"
            title = self._title(excerpt, group[0])
            own = [] if excerpt is None else [excerpt]
            left = "".join(f"<h3>{'Your code' if e is excerpt else 'Called, and written out here:'} "
                           f"<code>{escape(self._where(e))}</code></h3>{self._user(e)}" for e in own + inlined)
            made = "".join(f"<h3>{TITLES[sweep]} <code>{escape(part.half.__name__)}</code></h3>{self._generated(part, sweep)}"
                           for part in group for sweep in part.sweeps)
            anchor = f' id="{self.prefix}-made"' if not number else ""
            kind = ' class="sg-cost"' if self.cost else ""
            result.append(
                f'<section aria-labelledby="{heading}"{kind}><h2 id="{heading}">{title}</h2><div class="sg-pair">'
                f'<div data-side="user">{left}</div><div data-side="made"{anchor}>{made}</div></div></section>')
        return result

    def _title(self, excerpt: Any, part: Part) -> str:
        name = escape(part.half.link.described if part.half.link else part.half.__name__)
        return f"<code>{name}</code>" + ("" if part is self.program.root else ' <span class="sg-soft">called</span>')

    def _where(self, excerpt: source.Excerpt) -> str:
        names = {os.path.basename(f) for f in self.files}
        file = os.path.basename(excerpt.file) if len(names) == len(self.files) else excerpt.file
        return f"{file}:{excerpt.first}"

    # --- tables

    def _user(self, excerpt: source.Excerpt) -> str:
        whole = excerpt is self.program.root.user
        heads = ["forward", "reverse", "share"] if self.cost is not None else []
        rows = []
        for number, code in enumerate(highlighted(excerpt.lines), excerpt.first):
            place = excerpt.file, excerpt.statements.get(number, number)
            made = self.made.get(place, [])
            key = self._key(place)
            label = ""
            if made:
                kinds = [(sweep, sum(s.sweep == sweep for s in made)) for sweep in TITLES]
                label = f"Line {number}: " + ", ".join(f"{count} {sweep}" for sweep, count in kinds if count)
            cells = []
            first = place[1] == number
            if self.cost is not None:
                forward, reverse, _ = self.cost.line(place, whole) if first else (0.0, 0.0, 0)
                share = 100 * (forward + reverse) / self.cost.total if self.cost.total else 0.0
                cells = [_cell("forward", seconds_text(forward) if forward else ""),
                         _cell("reverse", seconds_text(reverse) if reverse else ""),
                         _cell("share", f"{share:.0f} %" if forward or reverse else "", f"--part:{min(share, 100):.0f}")]
            saved = [item for s in made if first and self._counts(s, place, whole) for item in self.saves.get(s.number, ())]
            cells.append(_cell("saved", _saved(saved)))
            link = self._made_id(made[0]) if made and first else ""
            own = f"{self.prefix}-u{self._key((excerpt.file, number))}"
            rows.append(_row(own, [key] if made else [], number, link, label, code, excerpt.lines[number - excerpt.first],
                             "".join(cells)))
        return _table(f"{self._where(excerpt)}: your code", [*heads, "saved"], rows)

    def _counts(self, s: Statement, place: Place, whole: bool) -> bool:
        """Whether what a statement saves is told at a user's line: in the differentiated function at the call, else at the line."""
        at = s.origins[-1] if whole else s.origins[0]
        return self.program.place(at) == place and (not whole or self.part_of[s.number] is self.program.root)

    def _generated(self, part: Part, sweep: str) -> str:
        lines = part.text.splitlines()
        codes = highlighted(lines)
        position = self.program.parts.index(part)
        of_line = {n: s for s in part.statements for n in range(s.first, s.last + 1)}
        starts = {s.first: s for s in part.statements}
        sweeps = part.sweeps
        saves = sweep == FORWARD
        column = "saves" if saves else "reads"
        wanted = bool(part.saved)
        rows = []
        for number, (line, code) in enumerate(zip(lines, codes), 1):
            bare = line.strip()
            near = of_line.get(number)
            following = next((of_line[n] for n in range(number, len(lines) + 1) if n in of_line), part.statements[-1])
            if (near or following).sweep != sweep and not (number == 1 and sweep == sweeps[0]) or bare.startswith("# --- "):
                continue
            statement = near or (following if bare.startswith("#") else None)
            places = self.program.places(statement) if statement else []
            keys = [self._key(place) for place in places]
            start = starts.get(number)
            link = f"{self.prefix}-u{keys[0]}" if start and keys else ""
            label = f"From line {places[0][1]} of {os.path.basename(places[0][0])}" if link else ""
            items = [] if not start else self.saves[start.number] if saves else [(n, None) for n in start.reads if n in part.saved]
            rows.append(_row(f"{self.prefix}-g{position}-{number}", keys, places[0][1] if link else "", link, label, code, line,
                             _cell(column, _saved(items)) if wanted else ""))
        return _table(f"{part.half.__name__}: {TITLES[sweep].lower()}", [column] if wanted else [], rows)

    def _key(self, place: Place) -> str:
        return f"{self.files.index(place[0])}-{place[1]}"

    def _made_id(self, statement: Statement) -> str:
        return f"{self.prefix}-g{self.program.parts.index(self.part_of[statement.number])}-{statement.first}"


def _table(caption: str, heads: list[str], rows: list[str]) -> str:
    head = "".join(f'<th scope="col" role="columnheader">{name}</th>' for name in heads)
    return (f'<table role="table"><caption class="sg-hidden">{escape(caption)}</caption><thead role="rowgroup"><tr role="row">'
            '<th scope="col" role="columnheader">line</th><th scope="col" role="columnheader" class="sg-c">code</th>'
            f'{head}</tr></thead><tbody role="rowgroup">{"".join(rows)}</tbody></table>')


def _row(id_: str, keys: list[str], number: Any, link: str, label: str, code: str, text: str, cells: str) -> str:
    head = f'<a href="#{link}" aria-label="{escape(label)}">{number}</a>' if link else str(number)
    indent = len(text) - len(text.lstrip())
    data = f' data-k="{" ".join(keys)}"' if keys else ""
    return (f'<tr role="row" id="{id_}"{data}><th scope="row" role="rowheader">{head}</th>'
            f'<td role="cell" class="sg-c" style="--in:{indent}">{code}</td>{cells}</tr>\n')


def _cell(label: str, text: str, style: str = "") -> str:
    more = f' style="{style}"' if style else ""
    return f'<td role="cell" class="sg-n{" sg-share" if label == "share" else ""}" data-label="{label}"{more}>{text}</td>'


def _saved(items: Any) -> str:
    counts: dict[str, int | None] = {}
    for name, count in items:
        counts[name] = None if count is None else (counts.get(name) or 0) + count
    return "".join(f'<span class="sg-s"><code>{escape(name)}</code>{"" if count is None else " " + bytes_text(count)}</span>'
                   for name, count in counts.items())


# --- Python's syntax

FSTRINGS = ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")             # from Python 3.12 on
CLASSES = {tokenize.STRING: "st", tokenize.NUMBER: "nu", tokenize.COMMENT: "co",
           **{getattr(tokenize, name): "st" for name in FSTRINGS if hasattr(tokenize, name)}}


def highlighted(lines: list[str]) -> list[str]:
    """Lines of Python as HTML, tokens marked by their class; what cannot be read is escaped as it is."""
    marks: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    before = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
            name = CLASSES.get(token.type)
            if token.type == tokenize.NAME:
                name = "fn" if before in ("def", "class") else "kw" if keyword.iskeyword(token.string) else None
            before = token.string
            if name is not None:
                (row, start), (last, end) = token.start, token.end
                for n in range(row, last + 1):
                    marks[n].append((start if n == row else 0, end if n == last else len(lines[n - 1]), name))
    except (tokenize.TokenError, SyntaxError):
        pass
    result = []
    for number, line in enumerate(lines, 1):
        done, text = 0, ""
        for start, end, name in marks[number]:
            text += f'{escape(line[done:start])}<span class="sg-{name}">{escape(line[start:end])}</span>'
            done = end
        result.append(text + escape(line[done:]))
    return result
