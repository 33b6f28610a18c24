"""Programs that call packages: right, or refused as it stands in `refused`. The extra `packages` installs them."""
from __future__ import annotations

import pytest

from sourcegrad.errors import is_library
from tests.packages.program import PACKAGES, Program, is_installed, outcome, programs_of
from tests.packages.refused import REFUSED

PROGRAMS = [pytest.param(package, tested, id=f"{package}.{tested.name}")
            for package in PACKAGES if is_installed(package) for tested in programs_of(package)]
if not PROGRAMS:
    pytest.skip("none of the packages is installed", allow_module_level=True)


@pytest.mark.parametrize("package, tested", PROGRAMS)
def test_program(package: str, tested: Program) -> None:
    found, (words, _) = outcome(tested), REFUSED[package].get(tested.name, ("", ""))
    if not words:
        assert found.what == "right", found.told
        return
    assert found.what == "refused" and words in found.told, found.told
    origin = found.error.origin
    assert origin is not None and not is_library(origin.file) and origin.text.strip() and found.error.remedy


def test_what_is_refused_is_a_program() -> None:
    known = {package: {tested.name for tested in programs_of(package)} for package in PACKAGES if is_installed(package)}
    assert not {f"{package}.{name}" for package in known for name in REFUSED[package] if name not in known[package]}
    assert all(words and reason for rows in REFUSED.values() for words, reason in rows.values())
