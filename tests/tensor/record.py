"""`python -m tests.tensor.record` runs the snippets in PyTorch and writes what they show."""

from __future__ import annotations

import json
import warnings

from tests.tensor.snippets import FOLDER, all_snippets, run


def main() -> None:
    import torch

    torch.set_default_dtype(torch.float64)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    found = {name: run(code, torch) for name, code in all_snippets().items()}
    FOLDER.joinpath("expected.json").write_text(json.dumps(found, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(found)} snippets, PyTorch {torch.__version__}")


if __name__ == "__main__":
    main()
