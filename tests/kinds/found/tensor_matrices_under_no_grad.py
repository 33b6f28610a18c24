"""Hessians, Jacobians and products under no_grad are silently zero."""
import numpy as np

import sourcegrad as sg

x, v = sg.tensor([1.0, 2.0], dtype=sg.float64), sg.tensor([1.0, 1.0], dtype=sg.float64)
cube = lambda x: (x ** 3).sum()
with sg.no_grad():
    assert np.allclose(sg.autograd.functional.hessian(cube, x).numpy(), [[6.0, 0.0], [0.0, 12.0]]), functional.hessian(cube, x)
    assert np.allclose(sg.autograd.functional.jacobian(lambda x: x ** 2, np.array([1.0, 2.0])), [[2.0, 0.0], [0.0, 4.0]])
    assert np.allclose(sg.autograd.functional.hvp(cube, x, v)[1].numpy(), [6.0, 12.0])
