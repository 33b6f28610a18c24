"""Settings of all tests."""
from __future__ import annotations

try:
    from hypothesis import settings
except ImportError:                     # only the tests that need it fail
    pass
else:
    settings.register_profile("sourcegrad", deadline=None, derandomize=True)
    settings.load_profile("sourcegrad")
