"""eigh, eigvalsh and cholesky take a Hermitian matrix for a symmetric one; vdot does not conjugate; complex logsumexp."""
import numpy as np

import sourcegrad as sg

A = np.array([[2.0, 1j], [-1j, 3.0]])
assert np.allclose(sg.linalg.eigvalsh(sg.tensor(A)).numpy(), np.linalg.eigvalsh(A)), sg.linalg.eigvalsh(sg.tensor(A))
L = sg.linalg.cholesky(sg.tensor(A)).numpy()
assert np.allclose(L @ L.conj().T, A), L
a, b = np.array([1 + 2j, 3.0]), np.array([2 - 1j, 1j])
assert np.isclose(complex(sg.tensor(a).vdot(sg.tensor(b)).item()), np.vdot(a, b))
z = np.array([5.58 - 8.87j, 0.1])
assert np.isclose(complex(sg.logsumexp(sg.tensor(z), 0).item()), np.log(np.sum(np.exp(z))))
