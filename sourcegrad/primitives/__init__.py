"""Derivative rules, one file a family; importing this package registers all of them."""
import importlib
import pkgutil

WHEN_USED = {"special"}                                   # of SciPy: imported when code that calls it is looked at

for _module in sorted({m.name for m in pkgutil.iter_modules(__path__)} - WHEN_USED):
    importlib.import_module(f"{__name__}.{_module}")
