"""All hand-written test programs, by theme in `corpus_*.py`: `PROGRAMS`, and `BY_NAME` under unique names."""
import importlib
from pathlib import Path

from tests.programs.program import Program

MODULES = [importlib.import_module(f"tests.programs.{path.stem}") for path in sorted(Path(__file__).parent.glob("corpus_*.py"))]
THEMES = tuple(module for module in MODULES if hasattr(module, "PROGRAMS"))         # the others hold texts or tables


def named(themes: tuple) -> dict[str, Program]:
    """Programs by function name; a second call of one function gets the suffix `-2`, and so on."""
    result: dict[str, Program] = {}
    for theme in themes:
        for program in theme.PROGRAMS:
            name, copies = program.name, 1
            while name in result:
                copies += 1
                name = f"{program.name}-{copies}"
            result[name] = program
    return result


BY_NAME = named(THEMES)
PROGRAMS = list(BY_NAME.values())
