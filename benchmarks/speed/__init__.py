"""Benchmarks for asv (airspeed velocity): `asv run --python=same`, and `asv continuous main HEAD` to compare two commits."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))          # the golden pairs are those of `python -m benchmarks`
