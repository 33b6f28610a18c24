"""Speed of emitted gradients against hand-written ones and other frameworks: `python -m benchmarks`."""
import os

os.environ.setdefault("SOURCEGRAD_CACHE", "0")       # what is measured is generated
