"""Golden pairs: a primal as a user writes it, and the adjoint that a good engineer would write by hand.

Each module has `primal`, `adjoint(...) -> (value, gradients)`, `INPUTS` (the differentiated parameters) and
`make(size, rng) -> args`; some have `hvp(x, direction, ...)` and `hessian(x, ...)` with respect to the first
parameter.  `IN_PLACE = True`: the primal overwrites its arguments.

An adjoint computes the value by the primal's own operations (`x ** 3` stays a power, an einsum an einsum), in whatever memory
it likes: what an engineer does better by hand is the reverse sweep, and what is kept for it.

For the peers: `primal_in(xp, ...)` is the primal on another framework's numpy namespace;
`jax_primal(jax, ...)` and its like are meant for one peer only, None where that peer has no sensible form.
Without them the primal itself runs with its `np` replaced.
"""
from importlib import import_module

NAMES = ("scalar_math", "curve_fit", "pendulum", "elementwise", "mlp", "softmax", "gmm", "rnn", "logreg",
         "rosenbrock", "gaussian_process", "filter_bank", "lotka_volterra", "kalman",
         "jacobi_2d", "seidel_2d", "cholesky", "gramschmidt", "k2mm",
         "heat_3d", "fdtd_2d", "trisolv", "lu", "thomas", "nbody", "recurrence",
         "conv_windows", "small_cnn", "lstm", "bilinear", "attention", "layer_norm", "batched_matmul", "message_passing",
         "gauss_likelihood", "kernel_ridge", "soft_kmeans", "hmm", "matrix_factorisation", "quantile_loss", "portfolio",
         "burgers", "wave_2d", "lennard_jones", "lennard_jones_loops", "gauss_seidel", "hermite_spline", "fft_filter",
         "bundle_adjustment", "black_scholes", "lorenz_rk4", "logistic_map", "sum_of_product", "two_numbers")


def load(name):
    return import_module(f"{__name__}.{name}")
