"""Logistic regression on more data than the memory allows: exported gradients on a local Dask cluster.
=====================================================================================================

    python examples/larger_than_memory.py [--chunks 160] [--limit 256]

The gradient is exported as a module that needs NumPy only and sent to two workers, each of which may take `--limit` megabytes.
The data are made chunk by chunk where they are used, and are never whole anywhere. Two ways, both compared with a plain loop on
one machine: a task for each chunk, whose results are added up, and the module itself called with Dask arrays.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

try:
    import dask
    import dask.array as da
    import numpy as np
    from dask.distributed import Client, LocalCluster

    import sourcegrad as sg
except ImportError as missing:
    sys.exit(f'This example needs {missing.name}: pip install "sourcegrad[examples]"')

ROWS, COLUMNS = 25_000, 20                  # of a chunk: 4 megabytes
TRUE = np.linspace(-1.0, 1.0, COLUMNS)


def loss(w, X, y):
    """Negative log-likelihood, a sum over rows. w: (n,); X: (m, n); y: (m,), each 1 or -1."""
    return np.sum(np.log1p(np.exp(-y * (X @ w))))


def features(number):
    """Rows of chunk `number`, shape (ROWS, COLUMNS)."""
    return np.random.default_rng(number).standard_normal((ROWS, COLUMNS))


def labels(number):
    """Labels of the same rows, shape (ROWS,), drawn with the probabilities that TRUE gives."""
    noise = np.random.default_rng([number, 1]).logistic(size=ROWS)
    return np.sign(features(number) @ TRUE + noise)


def part(w, number):
    """Value and gradient of one chunk, by the exported module: (), (COLUMNS,)."""
    from loss_grad import loss_value_and_grad
    return loss_value_and_grad(w, features(number), labels(number))


def added(parts):
    """Sums of values and of gradients."""
    values, gradients = zip(*parts)
    return sum(values), sum(gradients)


def by_tasks(client, w, count):
    """Each chunk is a task; only its value and its gradient travel."""
    return added(client.gather(client.map(lambda number: part(w, number), range(count))))


def by_arrays(w, count):
    """The module itself, called with arrays of `count` chunks: Dask makes a graph of its operations."""
    from loss_grad import loss_value_and_grad
    X = da.concatenate([da.from_delayed(dask.delayed(features)(i), (ROWS, COLUMNS), float) for i in range(count)])
    y = da.concatenate([da.from_delayed(dask.delayed(labels)(i), (ROWS,), float) for i in range(count)])
    return dask.compute(*loss_value_and_grad(w, X, y))


def export(folder):
    """Write loss_grad.py, for arrays like those of a chunk, and make it known here."""
    gradient = sg.value_and_grad(loss)
    gradient(TRUE, np.ones((2, COLUMNS)), np.ones(2))
    gradient.export(folder / "loss_grad.py")
    sys.path.insert(0, str(folder))
    return folder / "loss_grad.py"


def main():
    parser = argparse.ArgumentParser(description="Gradients of more data than the memory allows.")
    parser.add_argument("--chunks", type=int, default=160, help="how many chunks of 4 megabytes (default 160)")
    parser.add_argument("--limit", type=int, default=256, help="memory of each of two workers in megabytes (default 256)")
    options = parser.parse_args()
    count, w = options.chunks, np.zeros(COLUMNS)
    print(f"data: {count * ROWS * COLUMNS * 8 / 1e6:.0f} MB; memory: two workers of {options.limit} MB")

    # a worker above its limit is ended, and here that ends the program
    dask.config.set({"distributed.scheduler.allowed-failures": 0})
    with tempfile.TemporaryDirectory() as folder:
        module = export(Path(folder))
        start = time.perf_counter()
        value, gradient = added(part(w, number) for number in range(count))
        print(f"{'loop on one machine:':25} loss {value:.6f}, {time.perf_counter() - start:.1f} s")
        with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=f"{options.limit}MB", dashboard_address=None,
                          local_directory=folder) as cluster, Client(cluster) as client:
            client.upload_file(str(module))
            for title, way in (("a task for each chunk:", lambda: by_tasks(client, w, count)),
                               ("module on Dask arrays:", lambda: by_arrays(w, count))):
                start = time.perf_counter()
                found, found_gradient = way()
                equal = np.isclose(found, value, rtol=1e-12) and np.allclose(found_gradient, gradient, rtol=1e-10, atol=1e-6)
                print(f"{title:25} {'equal' if equal else 'DIFFERENT'}, {time.perf_counter() - start:.1f} s")
                if not equal:
                    sys.exit(1)
        sys.path.remove(folder)


if __name__ == "__main__":
    main()
