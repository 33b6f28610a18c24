"""Snippets of layers and losses: each with fixed parameters, its value, and the gradients of its input and its parameters."""

from __future__ import annotations

SETUP = """def fixed(m):
    with T.no_grad():
        for number, p in enumerate(m.parameters()):
            p.copy_(T.sin(T.arange(1.0, p.numel() + 1.0) * (number + 1)).reshape(p.shape) * 0.7)
    return m
def data(*shape):
    n = 1
    for s in shape: n *= s
    return T.cos(T.arange(0.0, float(n)) * 1.3).reshape(*shape).clone().requires_grad_()
def run(m, *xs):
    out = m(*xs)
    parts = []
    def walk(o):
        if isinstance(o, (tuple, list)):
            for part in o: walk(part)
        elif o is not None: parts.append(o)
    walk(out)
    for part in parts: show(part.detach())
    loss = sum((part * part * T.linspace(0.5, 1.5, part.numel()).reshape(part.shape)).sum() for part in parts)
    loss.backward()
    for x in xs:
        if hasattr(x, 'grad') and x.requires_grad: show(x.grad)
    for name, p in m.named_parameters(): show(name, p.grad)
"""
LAYERS = {
    "Linear": ("nn.Linear(3, 4)", "data(5, 3)"),
    "Linear 3-D": ("nn.Linear(3, 4)", "data(2, 5, 3)"),
    "Linear 1-D": ("nn.Linear(3, 4)", "data(3)"),
    "Linear without bias": ("nn.Linear(3, 4, bias=False)", "data(5, 3)"),
    "Bilinear": ("nn.Bilinear(2, 3, 4)", "data(5, 2), data(5, 3)"),
    "Conv2d": ("nn.Conv2d(2, 3, 3)", "data(2, 2, 5, 6)"),
    "Conv2d options": ("nn.Conv2d(2, 4, (3, 2), stride=2, padding=1)", "data(2, 2, 5, 6)"),
    "Conv2d groups": ("nn.Conv2d(4, 4, 3, groups=2)", "data(1, 4, 5, 5)"),
    "Conv2d dilation": ("nn.Conv2d(1, 2, 2, dilation=2)", "data(1, 1, 5, 5)"),
    "Conv2d same": ("nn.Conv2d(1, 2, 3, padding='same')", "data(1, 1, 4, 4)"),
    "Conv2d single": ("nn.Conv2d(2, 3, 2)", "data(2, 4, 4)"),
    "Conv1d": ("nn.Conv1d(2, 3, 3)", "data(2, 2, 7)"),
    "Conv1d options": ("nn.Conv1d(2, 4, 3, stride=2, padding=1, groups=2)", "data(2, 2, 7)"),
    "ConvTranspose2d": ("nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1)", "data(1, 2, 3, 4)"),
    "MaxPool2d": ("nn.MaxPool2d(2)", "data(1, 2, 4, 6)"),
    "MaxPool2d options": ("nn.MaxPool2d(3, stride=2, padding=1)", "data(1, 1, 5, 6)"),
    "MaxPool2d ceil": ("nn.MaxPool2d(2, ceil_mode=True)", "data(1, 1, 5, 5)"),
    "MaxPool1d": ("nn.MaxPool1d(2)", "data(1, 2, 6)"),
    "AvgPool2d": ("nn.AvgPool2d(2)", "data(1, 2, 4, 6)"),
    "AvgPool2d padding": ("nn.AvgPool2d(3, 2, 1)", "data(1, 1, 5, 5)"),
    "AvgPool2d without padding": ("nn.AvgPool2d(3, 2, 1, count_include_pad=False)", "data(1, 1, 5, 5)"),
    "AvgPool1d": ("nn.AvgPool1d(2)", "data(1, 2, 6)"),
    "AdaptiveAvgPool2d": ("nn.AdaptiveAvgPool2d(2)", "data(1, 2, 4, 6)"),
    "BatchNorm1d": ("nn.BatchNorm1d(3)", "data(6, 3)"),
    "BatchNorm1d 3-D": ("nn.BatchNorm1d(3)", "data(2, 3, 4)"),
    "BatchNorm2d": ("nn.BatchNorm2d(2)", "data(3, 2, 3, 3)"),
    "BatchNorm1d without parameters": ("nn.BatchNorm1d(3, affine=False)", "data(6, 3)"),
    "LayerNorm": ("nn.LayerNorm(4)", "data(3, 4)"),
    "LayerNorm of two": ("nn.LayerNorm((3, 4))", "data(2, 3, 4)"),
    "GroupNorm": ("nn.GroupNorm(2, 4)", "data(2, 4, 3, 2)"),
    "Flatten": ("nn.Flatten()", "data(2, 3, 4)"),
    "Unflatten": ("nn.Unflatten(1, (2, 3))", "data(2, 6)"),
    "Identity": ("nn.Identity()", "data(3)"),
    "Embedding": ("nn.Embedding(5, 3)", "T.tensor([[0, 2], [2, 4]])"),
    "Embedding padding": ("nn.Embedding(5, 3, padding_idx=2)", "T.tensor([0, 2, 2, 4])"),
    "RNN": ("nn.RNN(3, 4)", "data(5, 2, 3)"),
    "RNN relu": ("nn.RNN(3, 4, nonlinearity='relu', batch_first=True)", "data(2, 5, 3)"),
    "RNN two layers": ("nn.RNN(3, 4, num_layers=2)", "data(5, 2, 3)"),
    "RNN both ways": ("nn.RNN(3, 4, bidirectional=True)", "data(5, 2, 3)"),
    "LSTM": ("nn.LSTM(3, 4)", "data(5, 2, 3)"),
    "LSTM batch_first": ("nn.LSTM(3, 4, batch_first=True)", "data(2, 5, 3)"),
    "LSTM both ways, two layers": ("nn.LSTM(3, 2, num_layers=2, bidirectional=True)", "data(4, 2, 3)"),
    "LSTM single": ("nn.LSTM(3, 4)", "data(5, 3)"),
    "LSTM state": ("nn.LSTM(3, 4)", "data(5, 2, 3), (data(1, 2, 4), data(1, 2, 4))"),
    "GRU": ("nn.GRU(3, 4)", "data(5, 2, 3)"),
    "GRU two layers": ("nn.GRU(3, 4, num_layers=2, batch_first=True)", "data(2, 5, 3)"),
    "GRU without bias": ("nn.GRU(3, 4, bias=False)", "data(5, 2, 3)"),
    "RNNCell": ("nn.RNNCell(3, 4)", "data(2, 3)"),
    "LSTMCell": ("nn.LSTMCell(3, 4)", "data(2, 3)"),
    "GRUCell": ("nn.GRUCell(3, 4)", "data(2, 3), data(2, 4)"),
    "Sequential": ("nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))", "data(5, 3)"),
    "PReLU": ("nn.PReLU()", "data(4)"),
    "Dropout in eval": ("nn.Dropout(0.5).eval()", "data(4)"),
}
ACTIVATIONS = (
    "ReLU()",
    "ReLU6()",
    "LeakyReLU(0.2)",
    "ELU(0.7)",
    "SELU()",
    "CELU(1.3)",
    "GELU()",
    "GELU(approximate='tanh')",
    "SiLU()",
    "Mish()",
    "Sigmoid()",
    "Tanh()",
    "LogSigmoid()",
    "Softplus()",
    "Softplus(beta=3.0)",
    "Softsign()",
    "Tanhshrink()",
    "Hardtanh(-0.3, 0.6)",
    "Hardsigmoid()",
    "Hardswish()",
    "Softmax(dim=1)",
    "Softmin(dim=0)",
    "LogSoftmax(dim=-1)",
    "GLU()",
)
LOSSES = {
    "MSELoss": "x, y",
    "L1Loss": "x, y",
    "SmoothL1Loss": "x, y",
    "SmoothL1Loss(beta=0.3)": "x, y",
    "HuberLoss(delta=0.7)": "x, y",
    "BCEWithLogitsLoss": "x, T.sigmoid(y)",
    "BCEWithLogitsLoss(weight=T.tensor([1.0, 2.0, 0.5]), pos_weight=T.tensor([3.0, 1.0, 2.0]))": "x, T.sigmoid(y)",
    "BCELoss": "T.sigmoid(x), T.sigmoid(y)",
    "NLLLoss": "T.log_softmax(x, 1), k",
    "NLLLoss(weight=T.tensor([0.2, 1.0, 3.0]))": "T.log_softmax(x, 1), k",
    "NLLLoss(ignore_index=2)": "T.log_softmax(x, 1), k",
    "CrossEntropyLoss": "x, k",
    "CrossEntropyLoss(weight=T.tensor([0.2, 1.0, 3.0]))": "x, k",
    "CrossEntropyLoss(ignore_index=1)": "x, k",
    "CrossEntropyLoss(label_smoothing=0.1)": "x, k",
    "CrossEntropyLoss(label_smoothing=0.2, weight=T.tensor([0.2, 1.0, 3.0]))": "x, k",
    "CrossEntropyLoss(label_smoothing=0.2, weight=T.tensor([0.2, 1.0, 3.0]), ignore_index=0)": "x, k",
    "CrossEntropyLoss()": "x, T.softmax(y, 1)",
    "CrossEntropyLoss(weight=T.tensor([0.2, 1.0, 3.0]))  ": "x, T.softmax(y, 1)",
    "KLDivLoss": "T.log_softmax(x, 1), T.softmax(y, 1)",
    "KLDivLoss(log_target=True)": "T.log_softmax(x, 1), T.log_softmax(y, 1)",
    "PoissonNLLLoss": "x, y.abs()",
    "GaussianNLLLoss": "x, y, y.abs() + 0.1",
    "HingeEmbeddingLoss": "x, y.sign()",
    "MarginRankingLoss(margin=0.2)": "x, y, (x * y).detach().sign()",
    "SoftMarginLoss": "x, y.sign()",
}


def generated() -> dict[str, str]:
    found = {}
    for name, (layer, inputs) in LAYERS.items():
        found[f"layer {name}"] = SETUP + f"m = fixed(T.{layer.replace('nn.', 'T.nn.').removeprefix('T.')})\nrun(m, *({inputs},))\n"
    for name in ACTIVATIONS:
        found[f"activation {name}"] = (
            SETUP + f"run(T.nn.{name}, data(3, 4))\n" + f"y = T.nn.{name}(T.tensor([[1000.0, -1000.0, 30.0, -30.0]]))\nshow(y)\n"
        )
    for name, arguments in LOSSES.items():
        for reduction in ("mean", "sum", "none"):
            made = name.strip() if name.strip().endswith(")") else name.strip() + "()"
            made = made[:-1] + (", " if not made.endswith("()") else "") + f"reduction='{reduction}')"
            found[f"loss {name.strip()} {arguments} {reduction}"] = SETUP + (
                "x, y, k = data(4, 3), data(4, 3).detach().flip(0), T.tensor([0, 2, 1, 2])\n"
                f"out = T.nn.{made}({arguments})\nshow(out)\n(out * out).sum().backward()\nshow(x.grad)\n"
            )
    return found
