"""xlogy at 0 and logsumexp with weights at a large value: NaN where the derivative is finite."""
import numpy as np
import scipy.special as sp

import sourcegrad as sg

got = sg.grad(lambda x: np.sum(sp.xlogy([0.0, 2.0], x)))(np.array([0.0, 3.0]))
assert np.allclose(got, [0.0, 2.0 / 3.0]), got
got = sg.grad(lambda x: sp.logsumexp(x, b=np.array([2.0, 0.0, 4.0])))(np.array([1.0, 800.0, 2.0]))
assert np.all(np.isfinite(got)), got
