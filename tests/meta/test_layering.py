"""Imports point down the layers of the design, files stay short, and special modules have one user each."""
import ast
import functools
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "sourcegrad"
LONGEST = 550
FILES = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py"))

# from top to bottom; a file may import from its own layer and from those below
LAYERS = [
    {"__init__", "__main__", "api", "cli", "testing"},
    {"pipeline", "emit"},
    {"frontend", "analysis", "transform"},
    {"rules", "names", "check", "kinds", "tree", "runtime"},
    {"source"},
    {"errors"},
]
BASICS = {"__future__", "abc", "cmath", "collections", "dataclasses", "enum", "functools", "itertools", "math",
          "operator", "statistics", "string", "types", "typing"}
RUNTIME = BASICS | {"numpy", "sourcegrad.errors", "sourcegrad.runtime"}
RULE_FILE = BASICS | {"numpy", "scipy", "sourcegrad.kinds", "sourcegrad.rules.core", "sourcegrad.runtime"}
KIND_FILES = {f"sourcegrad.rules.{Path(name).stem}" for name in FILES if name.endswith("_kinds.py")}
ONLY_IN_SOURCE = {"astor", "inspect", "linecache"}
TREE_LIBRARY_FREE = {"rules", "runtime", "kinds", "names", "errors", "api", "cli", "testing"}

# Violations that are known: (file, module). To be emptied; an entry that is no longer violated fails as well.
KNOWN = {
    # `Unit` and `is_stop` belong below the front end, next to `tree`
    ("check.py", "sourcegrad.analysis.cfg"),
    ("check.py", "sourcegrad.frontend.resolve"),
    # what a rule's parameters are should be asked of `source.signature`
    ("analysis/calls.py", "inspect"),
    ("transform/substitute.py", "inspect"),
    ("api.py", "inspect"),
    ("cli.py", "inspect"),
}
LONG: set[str] = set()                                             # likewise to be emptied


@functools.cache
def imports(name):
    """The modules that a file imports, anywhere in it: `from sourcegrad import tree` is sourcegrad.tree."""
    found = set()
    for node in ast.walk(ast.parse((ROOT / name).read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno}: relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if is_module(inner) else node.module)
    return found


def is_module(dotted):
    parts = dotted.split(".")
    if parts[0] != "sourcegrad":
        return False
    path = ROOT.joinpath(*parts[1:])
    return path.is_dir() or path.with_suffix(".py").exists()


def layer_of(part):
    found = [level for level, parts in enumerate(LAYERS) if part in parts]
    assert found, f"{part} has no layer: say where it belongs in LAYERS"
    return found[0]


def part_of(name):
    """check.py -> check, rules/core.py -> rules"""
    return Path(name).parts[0].removesuffix(".py")


def within(module, allowed):
    return any(module == entry or module.startswith(entry + ".") for entry in allowed)


def wrong(name, module):
    """Why a file may not import a module, or None."""
    part, top = part_of(name), module.split(".")[0]
    if top in ONLY_IN_SOURCE and name != "source.py":
        return f"only source.py imports {top}"
    if top == "gast" and part in TREE_LIBRARY_FREE:
        return "works on values, not on trees"
    if part == "runtime" and not within(module, RUNTIME):
        return "run-time helpers need numpy only"
    is_rule_file = part == "rules" and name not in ("rules/core.py", "rules/__init__.py")
    if is_rule_file and not within(module, RULE_FILE | KIND_FILES):
        return "rule files import numpy, runtime, kinds, rules.core and the files about kinds only"
    if top == "sourcegrad" and module != "sourcegrad":
        target = module.split(".")[1]
        if layer_of(target) < layer_of(part):
            return "imports point down the layers"
        if part == "analysis" and target == "transform":
            return "analyses never import transforms"
    return None


@pytest.mark.parametrize("name", FILES)
def test_imports(name):
    found = {module: wrong(name, module) for module in imports(name)}
    violations = {(name, module): why for module, why in found.items() if why}
    new = {key: why for key, why in violations.items() if key not in KNOWN}
    gone = {key for key in KNOWN if key[0] == name and key not in violations}
    assert not new, f"new violations of the layering: {new}"
    assert not gone, f"no longer violated, remove from KNOWN: {gone}"


def test_known_violations_are_of_files_that_exist():
    assert {name for name, _ in KNOWN} <= set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_files_are_short(name):
    lines = len((ROOT / name).read_text().splitlines())
    if name in LONG:
        assert lines >= LONGEST, f"{name} is short now: remove it from LONG"
    else:
        assert lines < LONGEST, f"{name} has {lines} lines: it is two files"
