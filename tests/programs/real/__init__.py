"""Complete programs in the manner of scientific code bases, unmodified: each module exposes PROGRAM."""
from __future__ import annotations

import importlib
import pkgutil

from tests.programs.real.record import Real

TOOLS = {"numeric", "record", "checks", "structure", "__main__"}


def load() -> dict[str, Real]:
    """All programs by name: the module's name, with a suffix where a module has several."""
    found: dict[str, Real] = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        if info.name in TOOLS:
            continue
        module = importlib.import_module(f"{__name__}.{info.name}")
        records = module.PROGRAM if isinstance(module.PROGRAM, list) else [module.PROGRAM]
        for record in records:
            name = f"{info.name}.{record.function.__name__}" if len(records) > 1 else info.name
            number = sum(other == name or other.startswith(name + "_") and other[len(name) + 1:].isdigit() for other in found)
            found[f"{name}_{number + 1}" if number else name] = record
    return found
