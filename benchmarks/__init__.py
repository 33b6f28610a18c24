"""Speed of emitted gradients against hand-written ones and other frameworks: `python -m benchmarks`."""
