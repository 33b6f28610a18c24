"""Long chains, memory without the collector, threads, versions, hooks of nodes, pictures, programs of graphs."""

import gc
import pickle
import subprocess
import sys
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import sourcegrad as sg


def test_a_chain_of_20000_nodes_runs_without_recursion():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x
    for _ in range(20000):
        y = y * 1.0001
    y.sum().backward()
    assert np.allclose(x.grad.numpy(), 1.0001**20000)
    del y


def test_a_graph_is_freed_without_the_collector():
    gc.collect()
    gc.disable()
    try:
        x = sg.tensor([1.0, 2.0], requires_grad=True)
        y = (sg.sin(x) * x).exp()
        references = [weakref.ref(y), weakref.ref(y.grad_fn), weakref.ref(y.grad_fn.next_functions[0][0])]
        y.sum().backward()
        del y
        assert all(reference() is None for reference in references)
        z = sg.grad((x**3).sum(), x, create_graph=True)[0]
        reference = weakref.ref(z.grad_fn)
        sg.grad(z.sum(), x)
        del z
        assert reference() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("steps", [10_000])
def test_training_steps_do_not_grow(steps):
    sg.manual_seed(0)
    layer = sg.nn.Linear(4, 1)
    optimizer = sg.optim.Adam(layer.parameters(), lr=1e-3)
    x, y = sg.randn(8, 4), sg.randn(8, 1)

    def step():
        optimizer.zero_grad()
        loss = sg.nn.functional.mse_loss(layer(x), y)
        loss.backward()
        optimizer.step()

    for _ in range(50):
        step()
    gc.collect()
    tracemalloc.start()
    held = []
    for _ in range(2):  # the first half may fill caches, the second may not grow any more
        for _ in range(steps // 2):
            step()
        gc.collect()
        held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert held[1] - held[0] < steps // 2


def test_threads():
    results: dict[int, np.ndarray] = {}

    def work(seed):
        numbers = np.random.default_rng(seed).normal(size=5)
        x = sg.tensor(numbers, requires_grad=True)
        with sg.no_grad() if seed % 2 else sg.enable_grad():
            y = (x * x).sum()
        if seed % 2:
            assert not y.requires_grad
            y = (x * x).sum()
        y.backward()
        results[seed] = x.grad.numpy() - 2 * numbers

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and all(np.all(r == 0) for r in results.values())


def test_errors_name_the_line_of_the_operation():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = y * y  # the line that is named
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as error:
        z.sum().backward()
    assert "the line that is named" in str(error.value) and __file__ in str(error.value)
    assert isinstance(error.value, sg.errors.SourcegradError) if hasattr(sg, "errors") else True


def test_leaves_pickle_and_others_do_not():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    again = pickle.loads(pickle.dumps(x))
    assert again.requires_grad and again.tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError):
        pickle.dumps(x * 2)


def test_numpy_functions_of_tensors():
    x = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    for found, expected in (
        (np.sum(np.sin(x) * 2), 2 * np.cos(x.detach().numpy())),
        (np.mean(x, axis=0)[1], [[0, 0.5], [0, 0.5]]),
        (np.concatenate([x, x * 3], axis=1).sum(), np.full((2, 2), 4.0)),
        (np.linalg.det(x), [[4.0, -3.0], [-2.0, 1.0]]),
        ((np.array([1.0, 10.0]) * x).sum(), [[1.0, 10.0], [1.0, 10.0]]),
        (np.where(x > 2, x, 0 * x).sum(), [[0.0, 0.0], [1.0, 1.0]]),
        (np.add.reduce(x)[0], [[1.0, 0.0], [1.0, 0.0]]),
        (np.einsum("ij,ij->", x, x), 2 * x.detach().numpy()),
    ):
        assert isinstance(found, sg.Tensor) and found.requires_grad
        assert np.allclose(sg.grad(found, x)[0].numpy(), expected)
    assert isinstance(np.argmax(x), sg.Tensor) and not np.argmax(x).requires_grad


def test_numpy_functions_without_a_rule_are_refused_by_name():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(TypeError, match="np.union1d"):
        np.union1d(x, x)
    with pytest.raises(TypeError, match="out="):
        np.sin(x, out=np.zeros(2))
    with pytest.raises(RuntimeError, match="history"):
        np.asarray(x)
    with pytest.raises(RuntimeError, match="history"):
        np.zeros((2, 2))[0] = x


def test_second_derivatives_of_numpy_functions():
    x = sg.tensor([0.3, 0.7], requires_grad=True)
    (g,) = sg.grad(np.sum(np.arctan(x) ** 3), x, create_graph=True)
    (h,) = sg.grad(g.sum(), x)
    a, s = np.arctan([0.3, 0.7]), 1 / (1 + np.array([0.3, 0.7]) ** 2)
    assert np.allclose(h.numpy(), 6 * a * s**2 - 6 * a**2 * np.array([0.3, 0.7]) * s**2)


def test_source_of_a_node_and_of_a_tensor():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    w = sg.tensor([0.5, 0.5], requires_grad=True)
    y = (sg.sin(x * w) ** 2).sum()
    assert "def mul_reverse(saved, value_bar):" in (x * w).grad_fn.source
    text = sg.source(y)
    assert "def recorded_grad(x, x_2):" in text and "np.cos(mul)" in text
    names: dict = {}
    exec(text, names)
    expected = sg.grad(y, (x, w))
    for found, wanted in zip(names["recorded_grad"](x.detach().numpy(), w.detach().numpy()), expected):
        assert np.allclose(found, wanted.numpy())


def test_record():
    calls = []

    @sg.record
    def loss(x, w):
        calls.append(1)
        h = sg.tanh(x @ w)
        return (h * h).sum() + w[0, 1] * 3

    rng = np.random.default_rng(0)
    for _ in range(3):
        x, w = sg.tensor(rng.normal(size=(4, 3))), sg.tensor(rng.normal(size=(3, 2)), requires_grad=True)
        value = loss(x, w)
        value.backward()
        expected = ((x @ w).tanh() ** 2).sum() + w[0, 1] * 3
        assert np.allclose(value.item(), expected.item())
        assert np.allclose(w.grad.numpy(), sg.grad(expected, w)[0].numpy())
        both, gradients = loss.value_and_grad(x, w)
        assert np.allclose(both.item(), expected.item()) and np.allclose(gradients[1].numpy(), w.grad.numpy())
    assert len(calls) == 1
    assert "def loss_grad(x, w" in loss.source


def test_record_reads_the_closure_live():
    b = sg.ones(2)
    f = sg.record(lambda x: (x * b * np.array([1.0, 3.0])).sum())
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    assert f(x).item() == 7.0
    b.mul_(5)
    assert f(x).item() == 35.0


@pytest.mark.parametrize(
    "function",
    [
        lambda x: sg.where(x > 0, x, 2 * x).sum(),
        lambda x: x.sum() if x.sum() > 0 else -x.sum(),
        lambda x: (x * sg.randn(2)).sum(),
        lambda x: (x * sg.rand_like(x)).sum(),
        lambda x: (x * x.detach()).sum(),
        lambda x: (x * x.data).sum(),
        lambda x: x.max(0)[0],
        lambda x: x.sort()[0].sum(),
        lambda x: x.topk(1)[0].sum(),
        lambda x: x * float(x[0]),
        lambda x: x * x[0].item(),
        lambda x: x[int(x.argmax())],
        lambda x: x[x > 0].sum(),
        lambda x: sg.nn.functional.dropout(x, 0.5).sum(),
        lambda x: (x * x.tolist()[0]).sum(),
        lambda x: x.masked_fill(x > 0, 1.0).sum(),
        lambda x: sg.tensor(3.0) * 2,
        lambda x: (x * sg.tensor(x.numpy())).sum(),
    ],
)
def test_record_refuses_what_depends_on_values(function):
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises((RuntimeError, TypeError)):
        sg.record(function)(x)
    assert sg.is_grad_enabled() is True


def test_graph_pictures():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    graph = sg.graph((x * x).sum())
    assert graph.dot.startswith("digraph {") and '"MulBackward0"' in graph.dot and graph.dot.count("->") == 3
    assert graph.mermaid.startswith("flowchart TD")
    assert "MulBackward0" in graph._repr_html_()
    with pytest.raises(RuntimeError):
        sg.graph(sg.tensor(1.0))


def test_importing_sourcegrad_does_not_import_tensors():
    code = (
        "import sys, sourcegrad; assert not [m for m in sys.modules if m.startswith('sourcegrad.tensor')]; sourcegrad.tensor(1.0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_module_is_callable_too():

    assert sys.modules["sourcegrad.tensor"]([1.0]).tolist() == [1.0]
    assert sg.tensor([1.0]).tolist() == [1.0]


def test_options_mean_nothing_for_functions():
    for option in ("retain_graph", "create_graph", "allow_unused", "is_grads_batched", "materialize_grads"):
        with pytest.raises(TypeError, match=option):
            sg.grad(lambda x: x * x, **{option: True})


def test_default_dtype():
    sg.set_default_dtype(np.float32)
    try:
        x = sg.tensor([1.0], requires_grad=True)
        (x * 2.0).sum().backward()
        assert x.dtype == np.float32 and x.grad.dtype == np.float32 and sg.ones(2).dtype == np.float32
    finally:
        sg.set_default_dtype(np.float64)


def test_float32_stays_float32():
    x = sg.tensor([1.0, 2.0], dtype=sg.float32, requires_grad=True)
    y = (sg.sin(x) * 2.0).sum()
    y.backward()
    assert y.dtype == np.float32 and x.grad.dtype == np.float32
    z = sg.tensor([1.0, 2.0])
    (x * z).sum().backward()
    assert x.grad.dtype == np.float32 and (x * z).dtype == np.float64
