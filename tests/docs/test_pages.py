"""Every block of Python and of shell commands in the tutorial and the guides runs, and prints what stands below it."""
import importlib.util
import os
import re

import pytest

from .pages import DOCS, PAGES, blocks_now, needed, plain

FIGURE = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+")


def close(found, wanted):
    """Equal, but for the last digits of figures (of other versions of the libraries)."""
    if FIGURE.sub("#", found).split() != FIGURE.sub("#", wanted).split():
        return False
    pairs = zip(FIGURE.findall(found), FIGURE.findall(wanted))
    return all(abs(float(a) - float(b)) <= 2e-3 * max(1e-3, abs(float(b))) for a, b in pairs)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_blocks_print_what_the_page_says(page):
    missing = [name for name in needed(page) if importlib.util.find_spec(name) is None]
    if missing and not os.environ.get("SOURCEGRAD_DOCS"):         # the documentation step of .ci/run sets it: there all pages run
        pytest.skip(f"needs {', '.join(missing)}: pip install 'sourcegrad[docs]'")
    assert not missing
    count = 0
    for block, output in blocks_now(page):
        count += 1
        if block[3] is not None or output.strip():
            assert close(plain(output), plain(block[3] or "")), f"{page.name}: {block[2]}\nprints\n{output}\nnot\n{block[3]}"
    assert count
