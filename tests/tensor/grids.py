"""Snippets that are written by tables: each function of a table, its value, gradient and second derivative."""

from __future__ import annotations

UNARY = {
    "sin": "a",
    "cos": "a",
    "tan": "u",
    "asin": "u",
    "acos": "u",
    "atan": "a",
    "sinh": "a",
    "cosh": "a",
    "tanh": "a",
    "asinh": "a",
    "acosh": "b",
    "atanh": "u",
    "exp": "a",
    "exp2": "a",
    "expm1": "a",
    "log": "p",
    "log2": "p",
    "log10": "p",
    "log1p": "p",
    "sqrt": "p",
    "rsqrt": "p",
    "square": "a",
    "reciprocal": "p",
    "sigmoid": "a",
    "relu": "a",
    "abs": "a",
    "neg": "a",
    "sign": "a",
    "floor": "a",
    "ceil": "a",
    "round": "a",
    "trunc": "a",
    "frac": "a",
    "softmax": "a, 0",
    "log_softmax": "a, 0",
    "cumsum": "a, 0",
    "cumprod": "a, 0",
    "logsumexp": "a, 0",
    "flip": "a, [0]",
    "roll": "a, 1",
    "diag": "a",
    "sum": "a",
    "mean": "a",
    "prod": "a",
    "var": "a",
    "std": "a",
    "norm": "a",
    "max": "a",
    "min": "a",
    "amax": "a",
    "amin": "a",
    "median": "a",
    "tril": "m",
    "triu": "m",
    "trace": "m",
    "det": "m",
    "inverse": "m",
    "t": "m",
    "flatten": "m",
    "clone": "a",
    "outer": "a, a",
    "dot": "a, p",
    "mv": "m, p",
    "mm": "m, m",
    "matmul": "m, m",
    "kron": "a, p",
    "maximum": "a, p",
    "minimum": "a, p",
    "atan2": "a, p",
    "hypot": "a, p",
    "logaddexp": "a, p",
    "pow": "p, a",
    "div": "a, p",
    "mul": "a, p",
    "sub": "a, p",
    "add": "a, p",
    "fmod": "a, p",
    "remainder": "a, p",
    "cat": "[a, p]",
    "stack": "[a, p]",
    "unsqueeze": "a, 0",
    "squeeze": "a.unsqueeze(0)",
    "transpose": "m, 0, 1",
    "permute": "m, (1, 0)",
    "reshape": "m, (9,)",
    "where": "a > 0, a, p",
    "clamp": "a, -0.5, 0.5",
    "lerp": "a, p, 0.3",
    "addcmul": "a, p, u",
    "addcdiv": "a, u, p",
    "masked_fill": "a, a > 0.5, 2.0",
    "tile": "a, (2,)",
    "repeat_interleave": "a, 2",
    "diff": "a",
    "slogdet": "m",
    "logdet": "m @ m.T",
    "cross": "a, p",
    "einsum": "'ij,jk->ik', m, m",
    "tensordot": "m, m, 1",
    "bmm": "m[None], m[None]",
    "addmm": "m, m, m",
    "index_select": "m, 0, T.tensor([0, 2, 0])",
    "gather": "m, 1, T.tensor([[0], [1], [1]])",
    "take": "m, T.tensor([0, 4, 4])",
    "masked_select": "a, a > 0",
    "narrow": "m, 0, 1, 2",
    "select": "m, 1, 2",
    "diagonal": "m",
    "movedim": "m, 0, 1",
    "rot90": "m",
    "nan_to_num": "a",
    "matrix_power": "m, 3",
    "linalg.solve": "m, p",
    "linalg.norm": "m",
    "linalg.inv": "m",
    "linalg.det": "m",
    "linalg.vector_norm": "a",
    "linalg.svdvals": "m",
    "linalg.eigvalsh": "m + m.T",
    "nn.functional.relu": "a",
    "nn.functional.gelu": "a",
    "nn.functional.silu": "a",
    "nn.functional.elu": "a",
    "nn.functional.leaky_relu": "a",
    "nn.functional.softplus": "a",
    "nn.functional.softmax": "a, 0",
    "nn.functional.log_softmax": "a, 0",
    "nn.functional.mse_loss": "a, p",
    "nn.functional.l1_loss": "a, p",
    "nn.functional.smooth_l1_loss": "a, p",
    "nn.functional.huber_loss": "a, p",
    "nn.functional.binary_cross_entropy_with_logits": "a, u.abs()",
    "nn.functional.cross_entropy": "m, T.tensor([0, 2, 1])",
    "nn.functional.nll_loss": "m, T.tensor([0, 2, 1])",
    "nn.functional.kl_div": "a, p",
    "nn.functional.cosine_similarity": "m, m.t(), 1",
    "nn.functional.normalize": "m",
    "nn.functional.linear": "a, m, p",
    "nn.functional.pad": "a, (1, 2)",
    "nn.functional.layer_norm": "m, (3,)",
}
REDUCTIONS = ("sum", "mean", "prod", "amax", "amin", "var", "std", "logsumexp", "norm")
ARGUMENTS = """a = T.tensor([-1.2, 0.3, 0.8], requires_grad=True)
p = T.tensor([0.7, 1.4, 2.2], requires_grad=True)
u = T.tensor([-0.6, 0.2, 0.5], requires_grad=True)
b = T.tensor([1.2, 1.9, 3.0], requires_grad=True)
m = T.tensor([[2.0, 0.3, -0.4], [0.5, 1.7, 0.6], [-0.2, 0.9, 2.5]], requires_grad=True)
"""
SCALARS = {
    "add": "x + 2",
    "radd": "2 + x",
    "sub": "x - 2.5",
    "rsub": "2.5 - x",
    "mul": "x * 3",
    "rmul": "3 * x",
    "div": "x / 4",
    "rdiv": "4 / x",
    "pow 2": "x ** 2",
    "pow 3": "x ** 3",
    "pow half": "x ** 0.5",
    "pow -1": "x ** -1",
    "rpow": "2 ** x",
    "neg": "-x",
    "abs": "abs(x)",
    "pos": "+x",
    "mod": "x % 2",
    "array": "x * T.tensor([1.0, 2.0, 3.0])",
    "pow 0": "x ** 0",
    "pow tensor": "x ** T.tensor(2)",
    "pow itself": "x ** x",
    "matmul": "x @ x",
    "floordiv": "x // 2",
}


def generated() -> dict[str, str]:
    found = {}
    for name, arguments in UNARY.items():
        found[f"function {name}"] = ARGUMENTS + (
            f"out = T.{name}({arguments})\n"
            "out = out[1] if type(out).__name__ in ('slogdet', 'Slogdet', 'SlogdetResult', 'linalg_slogdet') else out\n"
            "show(out)\n"
            "w = T.linspace(0.5, 1.5, out.numel()).reshape(out.shape)\n"
            "g = T.autograd.grad((out * out * w).sum() + 0 * (a.sum() + p.sum() + u.sum() + b.sum() + m.sum()), "
            "(a, p, u, b, m), create_graph=True)\n"
            "show([x.detach() for x in g])\n"
            "h = T.autograd.grad(sum((x ** 2).sum() for x in g), (a, p, u, b, m), allow_unused=True, materialize_grads=True)\n"
            "show([x.detach() for x in h])\n"
        )
    for name in REDUCTIONS:
        for dim in ("0", "1", "-1", "(0, 1)"):
            for keep in ("False", "True"):
                call = f"x.norm(dim={dim}, keepdim={keep})" if name == "norm" else f"T.{name}(x, dim={dim}, keepdim={keep})"
                if name == "prod" and dim.startswith("("):
                    continue
                found[f"reduction {name} dim={dim} keepdim={keep}"] = (
                    "x = T.tensor([[1.0, -2.0, 3.0], [0.5, 1.5, -0.25]], requires_grad=True)\n"
                    f"out = {call}\nshow(out)\n(out * out).sum().backward()\nshow(x.grad)\n"
                )
    for name, text in SCALARS.items():
        found[f"operator {name}"] = (
            f"x = T.tensor([0.5, 1.5, 2.5], requires_grad=True)\nout = {text}\nshow(out)\n"
            "show(out.grad_fn, [n[0] for n in out.grad_fn.next_functions]) if out.grad_fn is not None else None\n"
            "out.sum().backward() if out.requires_grad else None\nshow(x.grad)\n"
        )
        if name not in ("mod", "floordiv", "matmul", "array", "pow tensor"):
            found[f"operator {name} of a scalar Tensor"] = (
                f"x = T.tensor(1.5, requires_grad=True)\nout = {text}\nshow(out)\n"
                "g, = T.autograd.grad(out, x, create_graph=True)\nshow(g.item())\n"
                "show(T.autograd.grad(g, x, allow_unused=True, materialize_grads=True)[0]) if g.requires_grad else None\n"
            )
    return found
