"""One use of a language feature: a small function, arguments, and which rows of features.csv it shows."""
from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.programs.real.record import Real

FEATURES = Path(__file__).with_name("features.csv")


@dataclass(frozen=True)
class Case(Real):
    """A program for the checks of `tests.programs.real`, with the features that it is there for."""

    features: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.function.__module__.rsplit('.', 1)[-1]}.{self.function.__name__}"


class Cases(list):
    """The cases of one file."""

    def add(self, features: str | tuple[str, ...], function: Callable, *args: Any, inputs: Any = None, order: int = 2,
            refused: str | None = None, **options: Any) -> None:
        """Say that `function(*args, **options)` shows the features; refused: a fragment of the advice."""
        features = (features,) if isinstance(features, str) else features
        self.append(Case(function, args, inputs, order if refused is None else 0, options, refused=refused,
                         features=features))


def weights() -> dict[str, int]:
    """How often real code uses each feature, for those found in at least 3 of 24 code bases."""
    with open(FEATURES, newline="") as file:
        return {row["feature"]: int(row["occurrences"]) for row in csv.DictReader(file)}
