"""Every block of docs/torch.md runs as it stands."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "torch.md"


def test_the_page_runs(monkeypatch):
    from sourcegrad.tensor import recorded

    monkeypatch.setattr(recorded, "_number", iter(range(1, 99)).__next__)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 8
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "torch.md", str(PAGE), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
