"""Cost: time, and memory saved for the reverse sweep, by line of the user's function.

A `Program` is the text of a generated module with the user's line that each statement came from. `measured` runs it with calls
of a meter put between the statements: the clock stands still inside the meter, and the sum is brought to the time of the code
as it is. What is saved are the variables of the forward sweep that the reverse sweep reads, without the caller's own arguments.
"""
from __future__ import annotations

import ast
import copy
import os
import sys
import time
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sourcegrad import runtime
from sourcegrad.api.shadow_run import arrays_in, duplicate
from sourcegrad.compiler.linking import Half, cell_for, silenced
from sourcegrad.errors import Origin
from sourcegrad.ir import source
from sourcegrad.runtime.checkpoints import Checkpoints
from sourcegrad.runtime.objects import leaves

FORWARD, REVERSE = "forward", "reverse"
BOUNDARY = "# --- reverse sweep"
SECONDS, RUNS = 0.2, 40                         # how long each of three programs is run again, and at most how often
Place = tuple[str, int]                         # file and line
LOOPS = (ast.For, ast.While)


@dataclass(eq=False)
class Statement:
    """A statement of generated code. first, last: its own lines in the text, without those of the statements inside."""

    number: int
    first: int
    last: int
    sweep: str
    origins: tuple[Origin, ...]                 # the user's line, then the calls in whose place it stands
    stores: tuple[str, ...]
    fills: tuple[str, ...]                      # tapes: names of lists and arrays that get an item
    reads: tuple[str, ...]


@dataclass(eq=False)
class Part:
    """A generated function: what is printed of it, and what it saves for the reverse sweep (names)."""

    half: Any
    text: str
    definition: ast.FunctionDef
    statements: list[Statement]
    saved: list[str]
    user: source.Excerpt | None = None          # the function that it was made from

    @property
    def sweeps(self) -> list[str]:
        return list(dict.fromkeys(s.sweep for s in self.statements))


class Program:
    """The functions of a generated module, callees first, and the user's lines that they came from."""

    def __init__(self, derived: Any, user: Any = None) -> None:
        self.halves = reachable(derived.half)
        texts, self.same = {half: half.text for half in self.halves[::-1]}, {half: half for half in self.halves}
        if all(half.tree is not None for half in self.halves):      # not from the disk cache: as in the printed module
            from sourcegrad.compiler.emit import module_parts
            _, texts, self.same = module_parts(derived.half)
        self.derived, self.user = derived, user
        self.excerpts: list[source.Excerpt] = []
        self.parts: list[Part] = []
        for half, text in texts.items():
            self.parts.append(self._part(half, text))
        self.statements = [s for part in self.parts for s in part.statements]
        self.root = self.parts[-1]
        self.recorded = {half for part in self.parts for half in recorded(part)}
        for origin in sorted({o._replace(callers=()) for s in self.statements for o in s.origins}):
            self._excerpt(origin)
        for part in self.parts:
            own = Counter(self._excerpt(s.origins[0]) for s in part.statements if len(s.origins) == 1)
            part.user = own.most_common(1)[0][0] if own else None

    def _part(self, half: Any, text: str) -> Part:
        with source.LOCK:
            definition = next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef))
        nodes = list(printed(definition.body))
        origins = half.link.origins if half.link else [getattr(s, "origin", None) for s in printed(half.tree.body)]
        origins = origins if len(origins) == len(nodes) else [None] * len(nodes)
        boundary = next((n for n, line in enumerate(text.splitlines(), 1) if line.strip() == BOUNDARY), len(text))
        sweep = REVERSE if half.__name__.endswith("_reverse") else FORWARD
        start = sum(len(part.statements) for part in self.parts)
        statements = []
        for number, (node, origin) in enumerate(zip(nodes, origins), start):
            node.number = number
            own = (*(() if origin is None else (origin._replace(callers=()), *origin.callers)),)
            inside = min((n.lineno for n in inner(node)), default=None)
            last = node.end_lineno if inside is None else max(
                [node.lineno, *(n.end_lineno for n in parts_of(node) if hasattr(n, "end_lineno"))])
            statements.append(Statement(number, node.lineno, last, REVERSE if node.lineno > boundary else sweep, own,
                                        tuple(stored(node)), tuple(filled(node)), tuple(dict.fromkeys(names_in(node, ast.Load)))))
        sides = [[n for n in definition.body if (n.lineno > boundary) is late] for late in (False, True)]
        names = [name for name in dict.fromkeys(n for s in statements if s.sweep == FORWARD for n in s.stores)
                 if name in exposed(sides[1], set())]
        if half.__name__.endswith("_forward"):
            names = [label for n in ast.walk(definition) if isinstance(n, ast.Return) for label in returned(n)]
        return Part(half, text, definition, statements, list(dict.fromkeys(names)))

    def _excerpt(self, origin: Origin) -> source.Excerpt:
        """The user's function around a place; one that stands in another one is shown with that."""
        for known in self.excerpts:
            if known.file == origin.file and origin.line in known.span and len(known.lines) > 1:
                return known
        found = source.excerpt(origin)
        found = next((known for known in self.excerpts if (known.file, known.span) == (found.file, found.span)), found)
        self.excerpts = [e for e in self.excerpts if e.file != found.file or not set(e.span) <= set(found.span)] + [found]
        return found

    def place(self, origin: Origin) -> Place:
        """File and line of the statement at an origin."""
        for known in self.excerpts:
            if known.file == origin.file and origin.line in known.span:
                return known.file, known.statements.get(origin.line, origin.line)
        return origin.file, origin.line

    def places(self, statement: Statement) -> list[Place]:
        return list(dict.fromkeys(self.place(origin) for origin in statement.origins))


def recorded(part: Part) -> Iterator[Half]:
    """The forward half of the turns of a loop with checkpoints, of which only what the checkpoints hold is saved."""
    value = getattr(part.definition.body[0], "value", None)
    names = part.half.link.names if part.half.link else {}
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and names.get(value.func.id) in (
            runtime.checkpointed, runtime.checkpointed_until) and isinstance(value.args[1], ast.Name):
        yield names[value.args[1].id]


# --- what statements do

def printed(block: list) -> Iterator[Any]:
    """All statements in the order of their lines."""
    for s in block:
        yield s
        for part in (s.body if hasattr(s, "body") else [], *(handler.body for handler in getattr(s, "handlers", ())),
                     getattr(s, "orelse", []), getattr(s, "finalbody", [])):
            yield from printed(part)


def reachable(half: Half) -> list[Half]:
    """A generated function, and all that it calls."""
    seen = [half]
    for item in seen:
        seen += [callee for callee in dict.fromkeys(item.callees) if callee not in seen]
    return seen


def inner(node: Any) -> Iterator[Any]:
    """The statements right inside a statement."""
    for block in ("body", "orelse", "finalbody"):
        yield from getattr(node, block, ()) if isinstance(node, ast.stmt) else ()
    for handler in getattr(node, "handlers", ()):
        yield from handler.body


def parts_of(node: ast.stmt) -> Iterator[Any]:
    """The expressions of a statement itself."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.stmt, ast.ExceptHandler)):
            yield child


def names_in(node: ast.stmt, context: type) -> Iterator[str]:
    for part in parts_of(node):
        for n in ast.walk(part):
            if isinstance(n, ast.Name) and isinstance(n.ctx, context):
                yield n.id


def stored(node: ast.stmt) -> Iterator[str]:
    yield from dict.fromkeys(names_in(node, ast.Store))


def filled(node: ast.stmt) -> Iterator[str]:
    """Names of what gets an item: `tape.append(x)`, `tape[i] = x`."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        if node.value.func.attr == "append" and isinstance(node.value.func.value, ast.Name):
            yield node.value.func.value.id
    for target in getattr(node, "targets", ()):
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            yield target.value.id


def returned(node: ast.Return) -> list[str]:
    """What a forward half returns beside its value."""
    if not isinstance(node.value, ast.Tuple) or len(node.value.elts) != 2:
        return []
    saved = node.value.elts[1]
    return [ast.unparse(item) for item in (saved.elts if isinstance(saved, ast.Tuple) else [saved])]


def exposed(block: list, after: set[str]) -> set[str]:
    """Names that are read in a block, or after it, before they are written."""
    live = set(after)
    for s in reversed(block):
        reads = set(names_in(s, ast.Load))
        if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name):
            reads.add(s.target.id)
        if isinstance(s, ast.If):
            live = exposed(s.body, live) | exposed(s.orelse, live)
        elif isinstance(s, LOOPS):
            before, live = None, live | exposed(s.orelse, live) | reads
            while before != live:
                before, live = live, live | (exposed(s.body, live) - set(stored(s)))
        elif list(inner(s)):
            live |= exposed(list(inner(s)), live)
        else:
            live -= set(stored(s))
        live |= reads
    return live


# --- measuring

class Meter:
    """What instrumented code calls: time between its calls belongs to the statement named last."""

    def __init__(self, program: Program, borrowed: set[int]) -> None:
        self.program, self.borrowed = program, borrowed
        self.own: dict[int, float] = defaultdict(float)             # without what is called
        self.whole: dict[int, float] = defaultdict(float)           # of the outermost function: with what it calls
        self.frames: list[dict[str, Any]] = []
        self.bytes: Counter[tuple[int, str]] = Counter()            # statement, name: what it saved
        self.unplaced: Counter[tuple[Part, str]] = Counter()        # what no statement of the function has made
        self.delivered: dict[int, Any] = {}                         # what forward halves saved, by its id
        self.loops: dict[int, Checkpoints] = {}                     # loops with checkpoints, by id
        self.memory = False
        self.overhead = 0.0
        self.last = time.perf_counter()

    def charge(self) -> None:
        passed = max(time.perf_counter() - self.last - self.overhead, 0.0)
        if self.frames:
            self.own[self.frames[-1]["at"]] += passed
            self.whole[self.frames[0]["at"]] += passed

    def enter(self) -> None:
        self.charge()
        self.frames.append({"at": -1, "last": {}, "items": defaultdict(list)})
        self.last = time.perf_counter()

    def tick(self, number: int) -> None:
        self.charge()
        frame = self.frames[-1]
        frame["at"] = number
        if self.memory:
            statement = self.program.statements[number]
            if statement.sweep == FORWARD:
                frame["last"].update(dict.fromkeys(statement.stores, number))
                for name in statement.fills:
                    frame["items"][name].append(number)
        self.last = time.perf_counter()

    def leave(self) -> None:
        self.charge()
        self.frames.pop()
        self.last = time.perf_counter()

    def keep(self, position: int, names: dict[str, Any]) -> None:
        """Variables that the reverse sweep will read, as they are between the sweeps."""
        if not self.memory:
            return
        part, frame, seen = self.program.parts[position], self.frames[-1], set(self.borrowed)
        if part is not self.program.root:                           # what callees saved is told where they saved it
            seen |= set(self.delivered)
        for name in part.saved:
            if name not in names:
                continue
            value, makers = names[name], frame["items"].get(name, [])
            self.loops.update((id(loop), loop) for loop in checkpoints_in(value))
            if isinstance(value, list) and value and len(makers) == len(value):
                for item, number in zip(value, makers):
                    self.bytes[number, name] += 8 + size(item, seen)
            elif makers:
                found = size(value, seen)
                for number, times in Counter(makers).items():
                    self.bytes[number, name] += round(found * times / len(makers))
            elif name in frame["last"]:
                self.bytes[frame["last"][name], name] += size(value, seen)
            else:
                self.unplaced[part, name] += size(value, seen)

    def kept(self, position: int, result: Any, names: dict[str, Any]) -> Any:
        """The result of a forward half: (value, what it saves)."""
        if self.program.parts[position].half in self.program.recorded:
            return result
        saved = self.program.parts[position].saved
        items = result[1] if isinstance(result[1], tuple) and len(result[1]) == len(saved) else (result[1],) * len(saved)
        self.keep(position, {**names, **dict(zip(saved, items))})
        if self.memory:
            self.delivered[id(result[1])] = result[1]
        return result

    def calibrate(self) -> None:
        """Learn what two calls of the meter take when nothing happens between them."""
        self.frames.append({"at": -1})
        found = []
        for _ in range(200):
            self.last = time.perf_counter()
            before = self.own[-1]
            self.tick(-1)
            found.append(self.own[-1] - before)
        self.frames.clear()
        self.overhead = min(found)
        self.own.clear()
        self.whole.clear()


def size(value: Any, seen: set[int]) -> int:
    """Bytes that a value keeps: the data of arrays (of a view: what it is a view of), numbers, slots of containers; each once."""
    value = root_of(value) if isinstance(value, np.ndarray) else value
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, Checkpoints):
        return size([*(state for _, state, _ in value.held if not isinstance(state, str)), value.last], seen)
    if isinstance(value, (list, tuple)):
        return sum(8 + size(item, seen) for item in value)
    if isinstance(value, dict):
        return sum(16 + size(item, seen) for item in value.values())
    if isinstance(value, (bool, np.bool_, type(None), type, types.FunctionType, types.ModuleType, str)):
        return 0
    if isinstance(value, int) and -5 <= value <= 256:           # these exist anyway
        return 0
    if isinstance(value, (int, float, complex, np.generic)):
        return sys.getsizeof(value)
    return sum(size(array, seen) for array in arrays_in(value, set()))


def checkpoints_in(value: Any) -> Iterator[Checkpoints]:
    """The loops with checkpoints in what is saved."""
    if isinstance(value, Checkpoints):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from checkpoints_in(item)


def instrumented(program: Program, meter: Meter) -> Callable:
    """The generated function with calls of a meter between its statements, and those that it calls."""
    halves = [half for half in program.halves if half.link is not None]
    own = {half: types.CellType() for half in halves}
    calls = {f"_meter_{name}": types.CellType(getattr(meter, name)) for name in ("enter", "tick", "leave", "keep", "kept")}
    positions = {part.half: position for position, part in enumerate(program.parts)}
    for half in halves:
        link, position = half.link, positions[program.same[half]]
        assert link is not None
        cells = {name: own[value] if isinstance(value, Half) and value in own else cell_for(value)
                 for name, value in link.names.items()}
        made = source.compile_function(metered(half, program.parts[position], position), half.__name__,
                                       f"<sourcegrad {half.__name__} metered>", link.globals, {**cells, **link.cells, **calls})
        made.__defaults__, made.__kwdefaults__ = half.function.__defaults__, half.function.__kwdefaults__
        own[half].cell_contents = made
    function: types.FunctionType = own[program.derived.half].cell_contents
    return silenced(function) if program.derived.silent else function


def metered(half: Any, part: Part, position: int) -> str:
    """The text of a generated function with calls of the meter."""
    with source.LOCK:
        definition = next(n for n in ast.parse(half.link.text).body if isinstance(n, ast.FunctionDef))
    for node, statement in zip(printed(definition.body), part.statements):
        node.statement = statement
    del definition.body[:half.link.checks]                                  # what only others who run the text need
    crossed = False

    def call(name: str, *arguments: str) -> ast.stmt:
        return ast.parse(f"_meter_{name}({', '.join(arguments)})").body[0]

    def block(body: list) -> list:
        nonlocal crossed
        found: list = []
        for s in body:
            if s.statement.sweep == REVERSE and not crossed:
                crossed = True
                found.append(call("keep", str(position), "locals()"))
            for name in ("body", "orelse", "finalbody"):
                if getattr(s, name, None):
                    setattr(s, name, block(getattr(s, name)))
            for handler in getattr(s, "handlers", ()):
                handler.body = block(handler.body)
            tick = call("tick", str(s.statement.number))
            if isinstance(s, LOOPS):                                        # the test, or the next item, of the next turn
                s.body.append(tick)
            if isinstance(s, ast.Return) and returned(s) and half.__name__.endswith("_forward"):
                s.value = ast.parse(f"_meter_kept({position}, {ast.unparse(s.value or ast.Constant(None))}, locals())",
                                    mode="eval").body
            found += [tick, s]
        return found

    crossed = all(s.sweep == REVERSE for s in part.statements)
    definition.body = [call("enter"), ast.Try(body=block(definition.body), handlers=[], orelse=[], finalbody=[call("leave")])]
    return ast.unparse(ast.fix_missing_locations(definition))


@dataclass(eq=False)
class Cost:
    """Seconds and bytes of a program, by statement. total, primal: seconds of the generated code and of the user's function."""

    program: Program
    total: float
    primal: float
    seconds: dict[int, float]                   # of the outermost function with all that it calls; of others without
    bytes: dict[tuple[int, str], int]
    unplaced: dict[tuple[Part, str], int] = field(default_factory=dict)
    loops: list[Checkpoints] = field(default_factory=list)      # after their reverse sweep

    @property
    def saved(self) -> int:
        """Bytes that live between the sweeps of the outermost function: what callees saved is among them."""
        own = {s.number for s in self.program.root.statements}
        return sum(n for (number, _), n in self.bytes.items() if number in own) + sum(
            n for (part, _), n in self.unplaced.items() if part is self.program.root)

    def line(self, place: Place, whole: bool) -> tuple[float, float, int]:
        """Seconds of the forward and of the reverse sweep, bytes saved, of a user's line.

        whole: a line of the differentiated function, with all that it calls; else of what is called, by itself."""
        times = {FORWARD: 0.0, REVERSE: 0.0}
        saved = 0
        root = self.program.root
        for part in self.program.parts:
            for s in part.statements:
                at = s.origins and (s.origins[-1] if part is root else s.origins[0])
                if part is root and not whole:
                    at = s.origins[0] if len(s.origins) > 1 else ()
                elif part is not root and whole:
                    continue
                if at and self.program.place(at) == place:
                    times[s.sweep] += self.seconds.get(s.number, 0.0)
                    saved += sum(n for (number, _), n in self.bytes.items() if number == s.number)
        if not whole:
            saved += sum(n for (part, _), n in self.unplaced.items() if part.user and place == (part.user.file, part.user.start))
        return times[FORWARD], times[REVERSE], saved


def measured(program: Program, arguments: source.BoundArguments) -> Cost:
    """Run a program on arguments, which stay as they are."""
    def copied() -> Any:
        own = copy.copy(arguments)
        try:
            own.arguments = duplicate(dict(arguments.arguments))
        except TypeError:                       # arrays of other classes
            own.arguments = dict(arguments.arguments)
        return own

    def timed(function: Callable, each: Callable[[], Any] = lambda: None) -> list[tuple[float, Any]]:
        found: list[tuple[float, Any]] = []
        end = time.perf_counter() + SECONDS
        while len(found) < 3 or (time.perf_counter() < end and len(found) < RUNS):
            own = copied()
            start = time.perf_counter()
            function(*own.args, **own.kwargs)
            found.append((time.perf_counter() - start, each()))
        return found

    own = copied()
    arguments_own = [root_of(array) for array in arrays_in(own.arguments, set())] + leaves([*own.arguments.values()])
    meter = Meter(program, set(map(id, arguments_own)))
    function = instrumented(program, meter)
    meter.memory = True
    function(*own.args, **own.kwargs)
    meter.memory, loops = False, list(meter.loops.values())
    meter.calibrate()

    def taken() -> tuple[dict[int, float], dict[int, float]]:
        found = dict(meter.own), dict(meter.whole)
        for times in found:
            times.pop(-1, None)                 # before the first statement of a function
        meter.own.clear()
        meter.whole.clear()
        return found

    with np.errstate(all="ignore"):
        parts = min(((sum(whole.values()), own, whole) for _, (own, whole) in timed(function, taken)), key=lambda found: found[0])
        total = min(seconds for seconds, _ in timed(program.derived.function))
        primal = min(seconds for seconds, _ in timed(program.user))
    scale = total / (parts[0] or 1.0)
    of_root = {s.number for s in program.root.statements}
    seconds = {n: scale * (parts[2].get(n, 0.0) if n in of_root else own) for n, own in {**parts[2], **parts[1]}.items()}
    return Cost(program, total, primal, seconds, dict(meter.bytes), dict(meter.unplaced), loops)


def root_of(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


# --- printing

def seconds_text(seconds: float) -> str:
    """Three digits and a unit: 12.3 µs."""
    for unit, factor in (("µs", 1e6), ("ms", 1e3), ("s", 1.0)):
        value = seconds * factor
        if value < 999.5 or unit == "s":
            return f"{value:.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f} {unit}"
    raise AssertionError


def bytes_text(count: int) -> str:
    """Bytes with a decimal unit: 800 B, 1.2 kB."""
    if count < 1000:
        return f"{count} B"
    for unit, factor in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if count / factor < 999.95 or unit == "GB":
            return f"{count / factor:.1f} {unit}"
    raise AssertionError


def summary(cost: Cost) -> str:
    name = getattr(cost.program.user, "__name__", "the function")
    ratio = cost.total / cost.primal if cost.primal else 0.0
    return (f"{seconds_text(cost.total)}, {ratio:.1f} times {name} ({seconds_text(cost.primal)}); "
            f"{bytes_text(cost.saved)} saved for the reverse sweep")


def described(loop: Checkpoints, program: Program) -> str:
    """What a loop with checkpoints keeps, and what is computed again."""
    of_turns = next(part for part in program.parts if part.half.__name__ == loop.run.__name__)
    place = next(origin for s in of_turns.statements for origin in s.origins[:1])
    turns = loop.parts * loop.length if loop.turns is None or loop.ends else loop.turns
    tape, snapshot = (bytes_text(round(count)) for count in loop.sizes)
    if loop.parts == 1:
        return f"{near(place.file)}:{place.line}: all turns are kept on the tape ({tape} a turn)"
    disk = ", on disk where they do not fit" if loop.folder is not None else ""
    count = min(loop.snapshots, loop.parts)
    where = f"{near(place.file)}:{place.line}"
    return (f"{where}: {turns} turns in {loop.parts} parts: {count} checkpoints of {snapshot} are kept{disk}, and the tape of one "
            f"part ({tape} a turn); {loop.again / loop.parts:.2f} turns are computed again for each")


def near(file: str) -> str:
    """The name of a file, from here if it is in this folder."""
    here = os.path.join(os.getcwd(), "")
    return file[len(here):] if file.startswith(here) else file


HEAD = f"{'line':>6}  {'forward':>8}  {'reverse':>8}  {'share':>5}  {'saved':>8}  code"


def table(cost: Cost) -> str:
    """Time, share and bytes saved by line of the user's function, then of the functions that it calls."""
    program = cost.program
    first = program.root.user
    shown = [e for e in (first, *program.excerpts) if e is not None]
    lines = [f"{program.root.half.__name__}: {summary(cost)}", *(described(loop, program) for loop in cost.loops)]
    lines += [f"{near(place.file)}:{place.line}: on the tape, as {reason}" for place, reason in program.derived.kept if place]
    for excerpt in dict.fromkeys(shown):
        whole = excerpt is first
        what = "with all that it calls" if whole else "called: its own time, which is part of the calls above"
        lines += ["", f"{near(excerpt.file)}:{excerpt.first} ({what})", HEAD]
        for number, text in enumerate(excerpt.lines, excerpt.first):
            place = excerpt.file, number
            forward, reverse, saved = cost.line(place, whole) if excerpt.statements.get(number, number) == number else (0.0, 0.0, 0)
            share = 100 * (forward + reverse) / cost.total if cost.total else 0.0
            cells = (f"{seconds_text(forward) if forward else '':>8}  {seconds_text(reverse) if reverse else '':>8}  "
                     f"{f'{share:.0f} %' if forward or reverse else '':>5}  {bytes_text(saved) if saved else '':>8}")
            lines.append(f"{number:>6}  {cells}  {text}".rstrip())
    return "\n".join(lines) + "\n"
