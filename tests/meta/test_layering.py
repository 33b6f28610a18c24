"""Imports point down the layers of the design, files stay short, and special modules have one user each.

`python -m tests.meta.test_layering` draws the layers into docs/architecture.md.
"""
import ast
import cmath
import copy
import functools
import heapq
import math
import random
import re
from pathlib import Path

import numpy as np
import pytest

from sourcegrad import runtime

ROOT = Path(__file__).parents[2] / "sourcegrad"
PAGE = ROOT.parent / "docs" / "architecture.md"
LONGEST, FAMILY = 800, 500              # lines of a file, and of a family of rules
TESTS = Path(__file__).parents[1]
FILES = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py"))

# from top to bottom, one layer each: a file may import from its own folder and from the layers below (docs/architecture.md)
LAYERS = ["__main__", "cli", "nn", "optim", "tensor", "__init__", "api", "compiler", "pretty", "optimize", "ad", "lowering",
          "memory", "syntax", "analysis", "parse", "primitives", "ir", "kinds", "runtime", "errors"]
BASICS = {"__future__", "abc", "bisect", "cmath", "collections", "copy", "dataclasses", "enum", "functools", "heapq", "itertools",
          "math", "operator", "random", "re", "statistics", "string", "sys", "types", "typing"}
RUNTIME = BASICS | {"contextvars", "importlib", "numpy", "reprlib", "weakref", "sourcegrad.errors", "sourcegrad.runtime"}
ON_DISK = {"os", "pickle", "shutil", "tempfile"}         # of checkpoints that do not fit into memory
RULE_FILE = BASICS | {"numpy", "scipy", "sourcegrad.kinds", "sourcegrad.primitives", "sourcegrad.runtime"}
FRONT_END = {"tensor", "nn", "optim"}                # on top of the engine, which imports none of it
ONLY_IN_SOURCE = {"astor", "inspect", "linecache"}
TREE_LIBRARY_FREE = {"primitives", "runtime", "kinds", "errors", "api", "cli"}

MUTUAL = {f"runtime/{name}.py" for name in ("core", "objects")}      # helpers that call each other
LONG: set[str] = set()         # an entry that is short again fails as well


@functools.cache
def imports(name):
    """The modules that a file imports, anywhere in it: `from sourcegrad import tree` is sourcegrad.tree."""
    return {module for node in ast.walk(ast.parse((ROOT / name).read_text())) for module in modules_of(node)}


def modules_of(node):
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if not isinstance(node, ast.ImportFrom):
        return set()
    assert node.level == 0, f"{node.lineno}: relative import"
    inner = {f"{node.module}.{alias.name}" for alias in node.names}
    return {name if is_module(name) else node.module for name in inner}


def is_module(dotted):
    parts = dotted.split(".")
    if parts[0] != "sourcegrad":
        return False
    path = ROOT.joinpath(*parts[1:])
    return path.is_dir() or path.with_suffix(".py").exists()


def layer_of(part):
    assert part in LAYERS, f"{part} has no layer: say where it belongs in LAYERS"
    return LAYERS.index(part)


def part_of(name):
    """check.py -> check, primitives/core.py -> primitives"""
    return Path(name).parts[0].removesuffix(".py")


def within(module, allowed):
    return any(module == entry or module.startswith(entry + ".") for entry in allowed)


def wrong(name, module):
    """Why a file may not import a module, or None."""
    part, top = part_of(name), module.split(".")[0]
    if top in ONLY_IN_SOURCE and name not in ("ir/source.py", "errors.py") and part not in FRONT_END:
        return f"only source.py and errors.py import {top}"
    if top == "gast" and part in TREE_LIBRARY_FREE:
        return "works on values, not on trees"
    if part == "runtime" and not within(module, RUNTIME | (ON_DISK if name == "runtime/checkpoints.py" else set())):
        return "run-time helpers need numpy only"
    is_rule_file = part == "primitives" and name not in ("primitives/core.py", "primitives/__init__.py")
    if is_rule_file and not within(module, RULE_FILE):
        return "rule files import numpy, runtime, kinds and each other only"
    if top == "sourcegrad" and module != "sourcegrad":
        target = module.split(".")[1]
        if layer_of(target) < layer_of(part):
            return "imports point down the layers"
    return None


@pytest.mark.parametrize("name", FILES)
def test_imports(name):
    found = {module: wrong(name, module) for module in imports(name)}
    assert not any(found.values()), {module: why for module, why in found.items() if why}


@functools.cache
def imported_at_once(name):
    """The files that a file imports before anything of it is called."""
    found = set()
    for node in ast.parse((ROOT / name).read_text()).body:
        for module in modules_of(node):
            path = module.split(".")[1:]
            found |= {str(Path(*path).with_suffix(".py"))} if path else set()
    return found & set(FILES) - {name}


@pytest.mark.parametrize("name", [name for name in FILES if name not in MUTUAL])
def test_no_circles(name):
    seen, waiting = set(), [name]
    while waiting:
        for other in imported_at_once(waiting.pop()) - seen:
            seen.add(other)
            waiting.append(other)
    assert name not in seen


@pytest.mark.parametrize("name", FILES)
def test_files_are_short(name):
    lines = len((ROOT / name).read_text().splitlines())
    longest = FAMILY if part_of(name) == "primitives" else LONGEST
    if name in LONG:
        assert lines >= longest, f"{name} is short now: remove it from LONG"
    else:
        assert lines < longest, f"{name} has {lines} lines: it is two files"


def test_files_of_tests_are_short():
    lengths = {str(path.relative_to(TESTS)): path.read_text().count("\n") for path in TESTS.rglob("*.py")}
    long = {name: lines for name, lines in lengths.items() if lines > LONGEST}
    assert not long, f"over {LONGEST} lines: split {long} by topic"


LIBRARIES = {"np": np, "math": math, "cmath": cmath, "random": random, "heapq": heapq, "copy": copy, "runtime": runtime}


def is_function(node):
    """Whether an expression names a function of NumPy, of the standard library or of the run-time helpers; classes are none."""
    root, *path = ast.unparse(node).split(".")
    found = functools.reduce(lambda value, name: getattr(value, name, None), path, LIBRARIES.get(root))
    return callable(found) and not isinstance(found, type)


def tables(name):
    """Module-level displays that name several functions."""
    for s in ast.parse((ROOT / name).read_text()).body:
        if isinstance(s, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and isinstance(
                s.value, (ast.Set, ast.Dict, ast.Tuple, ast.List, ast.BinOp, ast.Call)):
            functions = {ast.unparse(x) for x in ast.walk(s.value) if isinstance(x, ast.Attribute) and is_function(x)}
            if len(functions) > 1:
                yield f"{name}:{s.lineno}"


def test_there_are_no_tables_of_functions():
    """What is known of a function is said where its rule is (`primitives.core.Primitive`)."""
    found = [table for name in FILES if part_of(name) not in {"primitives", "runtime", *FRONT_END} for table in tables(name)]
    assert found == [], f"declare a property of the functions instead: {found}"
    assert list(tables("primitives/reductions.py")) == [] != list(tables("primitives/containers.py"))       # (they are found)


def test_helpers_have_one_name_each():
    """`sourcegrad.runtime` exports the helpers of all its files: one of two with the same name would hide the other."""
    owners = {}
    for path in (ROOT / "runtime").glob("*.py"):
        for s in ast.parse(path.read_text()).body:
            if isinstance(s, ast.Assign) and getattr(s.targets[0], "id", None) == "__all__":
                for name in ast.literal_eval(s.value):
                    assert name not in owners, f"{name} is in {path.name} and in {owners[name]}"
                    owners[name] = path.name
    assert owners


def picture():
    """The layers as a Mermaid graph: an arrow for each import that no way through other layers stands for."""
    below = {part: set() for part in LAYERS if not part.startswith("__")}
    for name in FILES:
        targets = {module.split(".")[1] for module in imports(name) if module.startswith("sourcegrad.")}
        if part_of(name) in below:
            below[part_of(name)] |= {target for target in targets if target in below} - {part_of(name)}
    reached: dict[str, set[str]] = {}
    for part in reversed(LAYERS):
        reached[part] = set().union(*({other, *reached[other]} for other in below.get(part, ())))
    arrows = [f"    {part} --> {other}" for part in below for other in sorted(below[part], key=LAYERS.index)
              if not any(other in reached[between] for between in below[part])]
    return "\n".join(["```mermaid", "graph TD", *arrows, "```"])


PICTURE = re.compile("```mermaid.*?```", re.DOTALL)


def test_the_picture_is_up_to_date():
    found = PICTURE.search(PAGE.read_text())
    assert found is not None and found[0] == picture(), "run python -m tests.meta.test_layering"


if __name__ == "__main__":
    PAGE.write_text(PICTURE.sub(lambda _: picture(), PAGE.read_text()))
