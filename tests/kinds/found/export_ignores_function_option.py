"""Exported for g=np.sin, called with np.cos: the gradient for np.sin, silently."""
import importlib.util
import os
import tempfile

import numpy as np

import sourcegrad as sg


def f(x, g):
    return np.sum(g(x))


x = np.array([0.5, -0.3, 1.2])
gradient = sg.grad(f, inputs="x")
gradient(x, np.sin)
path = os.path.join(tempfile.mkdtemp(), "f_grad.py")
gradient.export(path)
spec = importlib.util.spec_from_file_location("f_grad_12", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
try:
    got = module.f_grad(x, np.cos)
except TypeError:
    raise SystemExit(0)
assert np.allclose(got, -np.sin(x)), f"got {got}, right {-np.sin(x)} or a refusal"
