"""Multi-head self-attention with a causal mask and a squared error."""
import numpy as np


def primal(x, target, wq, wk, wv, wo):
    n, d = x.shape
    heads, _, dh = wq.shape
    q, k, v = x @ wq, x @ wk, x @ wv                            # (heads, n, dh)
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(dh)
    scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    a = e / e.sum(axis=-1, keepdims=True)
    mixed = (a @ v).transpose(1, 0, 2).reshape(n, heads * dh)
    return np.sum((mixed @ wo + x - target) ** 2)


def adjoint(x, target, wq, wk, wv, wo):
    """Gradient with respect to (wq, wk, wv, wo)."""
    n, d = x.shape
    heads, _, dh = wq.shape
    scale = 1.0 / np.sqrt(dh)
    q, k, v = x @ wq, x @ wk, x @ wv
    a = q @ k.transpose(0, 2, 1)
    a *= scale
    a[:, ~np.tri(n, dtype=bool)] = -np.inf
    a -= a.max(axis=-1, keepdims=True)
    np.exp(a, out=a)
    a /= a.sum(axis=-1, keepdims=True)
    mixed = (a @ v).transpose(1, 0, 2).reshape(n, heads * dh)
    err = mixed @ wo
    err += x
    err -= target
    value = np.vdot(err, err)

    err *= 2.0
    wo_bar = mixed.T @ err
    heads_bar = (err @ wo.T).reshape(n, heads, dh).transpose(1, 0, 2)
    v_bar = a.transpose(0, 2, 1) @ heads_bar
    # softmax: its rows of weights sum to one
    scores_bar = heads_bar @ v.transpose(0, 2, 1)
    scores_bar *= a
    scores_bar -= a * scores_bar.sum(axis=-1, keepdims=True)
    scores_bar *= scale
    q_bar = scores_bar @ k
    k_bar = scores_bar.transpose(0, 2, 1) @ q
    return value, (x.T @ q_bar, x.T @ k_bar, x.T @ v_bar, wo_bar)


INPUTS = ("wq", "wk", "wv", "wo")


def make(size, rng):
    n, d, heads = {"tiny": (4, 4, 2), "full": (128, 64, 4)}[size]
    dh = d // heads
    return (rng.standard_normal((n, d)), rng.standard_normal((n, d)),
            *(rng.standard_normal((heads, d, dh)) / np.sqrt(d) for _ in range(3)),
            rng.standard_normal((heads * dh, d)) / np.sqrt(d))
