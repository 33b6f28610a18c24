"""randint with size=, cosine_similarity broadcasts first, inplace=True of modules, extra state, outputs of wrong classes."""
import numpy as np

import sourcegrad as sg

faults = []
t = sg.randint(2, 5, size=(1000,))
if t.shape != (1000,) or t.min() < 2:
    faults.append(("randint", tuple(t.shape)))
F = sg.nn.functional
got = F.cosine_similarity(sg.tensor([[1.0, 2.0]]), sg.tensor([[1.0], [2.0]]), dim=1)
if not np.allclose(got.numpy(), 0.948683, atol=1e-5):
    faults.append(("cosine_similarity", got))
x = sg.tensor([-1.0, 2.0])
y = sg.nn.ReLU(inplace=True)(x)
if y is not x or x.tolist() != [0.0, 2.0]:
    faults.append(("inplace=True", x))
if sg.linalg.norm(sg.ones(5), keepdim=True).shape != (1,):
    faults.append("keepdim of linalg.norm")
for value in (b"text", {1}, "text", lambda: 1):
    try:
        faults.append(("gradient of a constant that is no number", value, sg.grad(lambda x: value)(2.0)))
    except sg.SourcegradError:
        pass
if isinstance(x._version, list):
    faults.append("_version is a list")
assert not faults, faults
