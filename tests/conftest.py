"""Settings of all tests, and their order: the tests of one program follow each other, in one process."""
from __future__ import annotations

import os
import time
import zlib
from typing import Any

import pytest

from sourcegrad.compiler import linking

try:
    from hypothesis import settings
except ImportError:                     # only the tests that need it fail
    pass
else:
    settings.register_profile("sourcegrad", deadline=None, derandomize=True)
    settings.load_profile("sourcegrad")

linking.OPTIONS.verify = True          # a pass that leaves an unsound tree is found here, not by the users

SHARING = ("test_programs.py", "test_kernels.py", "test_real.py", "test_language.py", "test_hard_cases.py",
           "test_registry.py")                 # several tests of one program, which share what is generated
SHARED = (*SHARING, "test_options.py", "test_kinds.py", "test_standalone.py", "test_attacks.py",
          "test_library.py", "test_complex.py", "test_found.py", "test_writers.py", "test_dynamic.py", "test_runtime_refusals.py")
RUN = os.environ.setdefault("SOURCEGRAD_RUN", str(int(time.time())))         # processes that this one starts have the same
WHOLE = 5000                            # so many tests are the whole suite: of a part of it, all are run
TOGETHER = 12                           # other tests that a process is given at once


def program_of(nodeid: str) -> str:
    """File and parameters of a test: tests of one program share what is generated (see `tests.shared`)."""
    file, _, test = nodeid.partition("::")
    _, bracket, parameters = test.partition("[")
    return f"{file}[{parameters}" if bracket and file.endswith(SHARING) else nodeid


def in_share(nodeid: str) -> bool:
    """Whether a test belongs to the share of the programs that SOURCEGRAD_SHARE asks for: k/n, or the default, all of them.

    The first gradient of every program, and of every rule by complex operands, is tried by default. Of the other tests (second
    derivatives, texts and kinds of thousands of programs take most of the time) one of 14 is, of those of the real programs one
    of six, of the siblings of each kind of fault one of four: others in every run, as SOURCEGRAD_RUN says. The rest is in the
    shares k/n, which `.ci/run` tries.
    """
    file, _, test = nodeid.partition("::")
    kinds, snippets = "tests/kinds/" in file, file.endswith("test_snippets.py")
    if not file.endswith(SHARED) and not kinds and not snippets:
        return True
    share = os.environ.get("SOURCEGRAD_SHARE", "")
    name, bracket, _ = test.partition("[")
    real = file.endswith("test_real.py")
    if bracket and name != "test_gradient" and not snippets:
        tried = drawn(program_of(nodeid) if real else nodeid) % (6 if real else 4 if kinds else 14) == 0
        if tried == bool(share):
            return False
    k, n = map(int, (share or "1/1").split("/"))
    return drawn(program_of(nodeid)) % n == k - 1


QUICK = ("api/", "cli/", "dynamic/test_custom", "errors/test_call", "errors/test_syntax", "golden/test_golden", "kinds/test_advice",
         "kinds/test_guards", "kinds/test_text", "meta/test_layering", "objects/", "passes/test_", "seeds/", "tensor/test_calls")


def is_quick(nodeid: str) -> bool:
    """Whether a test is among those of `-m quick`: every layer in under 90 seconds on two cores (of the corpora a sample, another
    one in every run)."""
    file, _, test = nodeid.partition("::")
    if any(f"tests/{part}" in file for part in QUICK):
        return not file.endswith(("test_options.py", "test_passes.py", "test_kept_methods.py"))
    first = test.startswith("test_gradient[") or file.endswith("test_snippets.py")
    return first and file.endswith((*SHARED, "test_snippets.py")) and drawn(nodeid) % 16 == 0


def drawn(text: str) -> int:
    """A number for a test, another one in every run."""
    return zlib.crc32(f"{RUN} {text}".encode())


def pytest_report_header() -> str:
    return f"SOURCEGRAD_RUN={RUN} (which tests a whole run or a share takes)"


def pytest_collection_modifyitems(config: pytest.Config, items: list) -> None:
    for item in items:
        if is_quick(item.nodeid):
            item.add_marker("quick")
    others = [item for item in items if not in_share(item.nodeid)]
    if others and (len(items) > WHOLE or "SOURCEGRAD_SHARE" in os.environ):
        config.hook.pytest_deselected(items=others)
        left_out = set(map(id, others))
        items[:] = [item for item in items if id(item) not in left_out]
    first = {}
    for position, item in enumerate(items):
        first.setdefault(program_of(item.nodeid), position)
    items.sort(key=lambda item: first[program_of(item.nodeid)])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class ByProgram(LoadScopeScheduling):
        """The tests of one program go to one process; others go a few at a time."""

        def schedule(self) -> None:
            if self.collection is None and self.registered_collections:
                found = list(next(iter(self.registered_collections.values())))
                self.units = {nodeid: program_of(nodeid) for nodeid in found}
                alone = [nodeid for nodeid in found if self.units[nodeid] == nodeid]
                self.units.update({nodeid: f"{nodeid.partition('::')[0]} {k // TOGETHER}" for k, nodeid in enumerate(alone)})
            super().schedule()

        def _split_scope(self, nodeid: str) -> str:
            return self.units[nodeid]

    return ByProgram(config, log)
