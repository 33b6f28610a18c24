"""`python -m tests.tensor.record` runs the snippets in PyTorch and writes what they show.

What was there and is equal up to rounding stays as it was.
"""

from __future__ import annotations

import json
import warnings

from tests.tensor.snippets import FOLDER, by_file, expected, run, same


def main() -> None:
    import torch

    torch.set_default_dtype(torch.float64)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    before, count = expected(), 0
    for file, snippets in by_file().items():
        found = {}
        for name, code in sorted(snippets.items()):
            now = json.loads(json.dumps(run(code, torch)))
            found[name] = before[name] if name in before and same(before[name], now) else now
        count += len(found)
        text = json.dumps(found, indent=0, sort_keys=True) if file == "expected" else lines(found)
        FOLDER.joinpath(f"{file}.json").write_text(text + "\n", encoding="utf-8")
    print(f"{count} snippets, PyTorch {torch.__version__}")


def lines(found: dict) -> str:
    """JSON with one line for each snippet."""
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(shown, sort_keys=True)}" for name, shown in found.items()) + "\n}"


if __name__ == "__main__":
    main()
