"""Some programs to the third order in each mix of the two modes; `python -m tests.programs.mixes` draws others."""
from __future__ import annotations

import numpy as np
import pytest

from tests.programs.corpus import BY_NAME
from tests.programs.mixes import verdict


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["the_last_one", "keys_of_a_text", "deep_copy_of_equal_views", "walrus"])
def test_all_mixes_agree(name: str) -> None:
    with np.errstate(all="ignore"):
        counted, problems = verdict(BY_NAME[name])
    assert not problems
    assert (counted["right 1"], counted["right 2"], counted["right 3"]) == (2, 4, 8)
