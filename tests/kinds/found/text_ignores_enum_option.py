"""Exported module and printed text, made for w=W.A, take W.B silently (README: the text "refuses ... other constants")."""
import importlib
import importlib.util
import os
import sys
import tempfile

import numpy as np

import sourcegrad as sg

folder = tempfile.mkdtemp()
sys.path.insert(0, folder)
with open(os.path.join(folder, "windows.py"), "w") as file:
    file.write("""import enum
import numpy as np


class W(enum.Enum):
    A = 1
    B = 2


def f(x, w=W.A):
    return np.sum(x ** 2) if w is W.A else np.sum(x ** 3)
""")
windows = importlib.import_module("windows")
x = np.array([0.5, -0.3, 1.2])
g = sg.grad(windows.f)
g(x)
path = os.path.join(folder, "f_grad.py")
g.export(path)
spec = importlib.util.spec_from_file_location("f_grad_11", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
namespace = {}
exec(g.source, namespace)
for form, made in (("export", module.f_grad), ("text", namespace["f_grad"])):
    try:
        got = made(x, windows.W.B)
    except (TypeError, sg.SourcegradError):
        continue
    assert np.allclose(got, 3 * x ** 2), f"{form}: got {got}, right {3 * x ** 2} or a refusal"
