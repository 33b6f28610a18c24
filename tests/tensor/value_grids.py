"""Snippets of options and edges: changes in place, norms, bounds, sizes that may be left out, state dicts."""

from __future__ import annotations

import itertools

SETUP = """F, nn = T.nn.functional, T.nn
def data(*shape):
    n = 1
    for s in shape: n *= s
    return (T.cos(T.arange(0.0, float(n)) * 1.3) * 4).reshape(*shape).clone().requires_grad_()
def pulled(x, out):
    show(out)
    (out * out * T.linspace(0.5, 1.5, out.numel()).reshape(out.shape)).sum().backward()
    show(x.grad)
"""
ACTIVATIONS = ("ReLU", "ReLU6", "LeakyReLU", "ELU", "SELU", "CELU", "SiLU", "Mish", "Hardtanh", "Hardsigmoid", "Hardswish")
FUNCTIONALS = (
    "relu(h, {})",
    "relu6(h, {})",
    "leaky_relu(h, 0.2, {})",
    "elu(h, 0.7, {})",
    "selu(h, {})",
    "celu(h, 1.3, {})",
    "silu(h, {})",
    "mish(h, {})",
    "hardtanh(h, -0.5, 0.5, {})",
    "hardsigmoid(h, {})",
    "hardswish(h, {})",
    "threshold(h, 0.3, 7.0, {})",
    "dropout(h, 1.0, True, {})",
    "dropout(h, 0.0, True, {})",
    "dropout(h, 0.5, False, {})",
)
SHORT = ("relu_", "elu_", "selu_", "celu_", "leaky_relu_", "hardtanh_")
EDGES = {
    "clamp numbers": "T.clamp(x, -1, 1)",
    "clamp min": "x.clamp(min=0.5)",
    "clamp max": "x.clamp(max=0.5)",
    "clamp keywords": "T.clamp(x, max=1.0, min=-1.0)",
    "clip": "x.clip(-1.0, 3.0)",
    "clamp the wrong way": "T.clamp(x, 1.0, -1.0)",
    "clamp Tensors": "T.clamp(x, T.tensor(-1.0), T.tensor(1.0))",
    "clamp equal Tensors": "T.clamp(x, T.tensor(1.0), T.tensor(1.0))",
    "clamp min Tensor": "T.clamp(x, min=T.tensor(1.0))",
    "clamp max Tensors": "T.clamp(x, max=T.linspace(-1.0, 1.0, 8))",
    "clamp_min": "T.clamp_min(x, 0.5)",
    "clamp_max": "x.clamp_max(0.5)",
    "clamp_": "x.clone().clamp_(-1, 1)",
    "clamp_min_": "x.clone().clamp_min_(-1)",
    "maximum": "T.maximum(x, T.tensor(0.5))",
    "fmax": "T.fmax(x, T.tensor(0.5))",
    "fmin": "T.fmin(x, T.tensor(0.5))",
    "hardtanh": "F.hardtanh(x)",
    "relu6": "F.relu6(x)",
    "elu": "F.elu(x, 0.7)",
    "selu": "F.selu(x)",
    "celu": "F.celu(x, 0.5)",
    "hardsigmoid": "F.hardsigmoid(x)",
    "hardswish": "F.hardswish(x)",
    "leaky_relu": "F.leaky_relu(x, -0.3)",
    "softshrink": "F.softshrink(x)",
    "hardshrink": "F.hardshrink(x, 1.0)",
    "threshold": "F.threshold(x, 0.5, -2.0)",
    "softplus": "F.softplus(x, 2.0, 1.0)",
    "smooth_l1": "F.smooth_l1_loss(x, T.zeros(8), reduction='none')",
    "smooth_l1 beta=0": "F.smooth_l1_loss(x, T.zeros(8), reduction='none', beta=0.0)",
    "huber": "F.huber_loss(x, T.zeros(8), reduction='none', delta=0.5)",
    "hinge": "F.hinge_embedding_loss(x, -T.ones(8), reduction='none')",
    "hinge of other targets": "F.hinge_embedding_loss(x, T.zeros(8), reduction='none')",
    "margin": "F.margin_ranking_loss(x, T.zeros(8), T.ones(8), reduction='none', margin=1.0)",
    "l1": "F.l1_loss(x, T.ones(8), reduction='none')",
}
NORMS = [
    *(f"x.norm({p}dim={d}, keepdim={k})" for p, d, k in itertools.product(
        ("", "1, ", "float('inf'), ", "3, "), ("None", "0", "(0, 2)", "-1"), ("False", "True"))),
    *(f"T.linalg.vector_norm(x, {p}, dim={d}, keepdim={k})" for p, d, k in itertools.product(
        ("2", "1", "-float('inf')", "0.5"), ("None", "(1, 2)"), ("False", "True"))),
    *(f"T.linalg.matrix_norm(x, {p}, dim={d}, keepdim={k})" for p, d, k in itertools.product(
        ("'fro'", "'nuc'", "2", "-2", "1", "-1", "float('inf')", "-float('inf')"), ("(-2, -1)", "(2, 0)"), ("False", "True"))),
    *(f"T.linalg.norm({t}, {p}, dim={d}, keepdim={k})" for (t, p, d), k in itertools.product(
        (("x", "None", "None"), ("x", "None", "(0, 1)"), ("x", "2", "(0, 1)"), ("x", "1", "2"), ("x[0]", "2", "None"),
         ("x[0]", "'nuc'", "None"), ("x[0]", "float('inf')", "None"), ("x[0, 0]", "3", "None"), ("x", "'fro'", "(1, 2)")),
        ("False", "True"))),
    "x.norm('nuc', dim=(0, 1), keepdim=True)",
    "T.norm(x[0], 'nuc')",
    "T.linalg.vector_norm(x.detach(), 0, dim=1) * x.sum()",
    "T.norm(x, p=2, dim=(0, 1, 2), keepdim=True)",
]
SIZES = (
    *(f"T.movedim(x, {a}, {b})" for a, b in (
        ("0", "2"), ("-1", "0"), ("(0, 1)", "(1, 2)"), ("(0, 2)", "(2, 0)"), ("(2, 0)", "(0, 1)"), ("(0, 1, 2)", "(2, 0, 1)"),
        ("[0]", "[-1]"), ("(0,)", "(1,)"))),
    "T.moveaxis(x, (0, 1), (-1, -2))",
    "x.movedim((1, 2), (0, 1))",
    *(f"F.adaptive_avg_pool2d(x, {s})" for s in ("(None, 4)", "(1, None)", "(None, None)", "2", "(2, 3)", "(3, 5)", "[1, 2]")),
    *(f"nn.AdaptiveAvgPool2d({s})(x)" for s in ("(None, 2)", "1", "(1, 4)")),
    "F.max_pool2d(x, 2, None)",
    "F.max_pool2d(x, (1, 2), stride=1)",
    "nn.MaxPool2d(2, None, 0, 1)(x)",
    "nn.MaxPool2d((1, 3), (1, 2), padding=(0, 1))(x)",
    "nn.AvgPool2d(2, None, 1)(x)",
    "F.avg_pool2d(x, (1, 2), None)",
    "nn.AvgPool1d(2, None)(x)",
    "x.squeeze()",
    "x.squeeze((0, 1))",
    "x.flip(0, 2)",
    "x.flatten()",
    "x.flatten(1)",
    "x.unflatten(2, (2, -1))",
    "x.unflatten(-1, [2, 2])",
    "x.roll(1)",
    "x.roll((1, 2), (0, 2))",
    "x.sum(())",
    "x.sum(None)",
    "x.mean((0, -1))",
    "x.var(None, keepdim=True)",
    "x.std((0, 1), correction=0)",
    "x.expand(3, -1, -1, -1)",
    "x.narrow(2, -3, 2)",
    "x.chunk(3, 2)[1]",
    "x.split((1, 3), -1)[1]",
    "T.cross(x[0], x[0].flip(0))",
    "T.cross(x[0, :, :3], x[0, :, 1:])",
    "F.pad(x, (1, -1, 2, 0))",
    "F.pad(x, (1, 2), mode='circular')",
    "F.pad(x, (2, 1), 'reflect')",
    "F.pad(x, (1, 1, 1, 0), 'replicate')",
    "F.cosine_similarity(x[0], x[0, :1], dim=1)",
    "F.cosine_similarity(x, x[0, 0], dim=-1)",
    "F.cosine_similarity(x[0, :, :, None], x[0, 0], 1)",
    "F.cosine_similarity(x, T.tensor(2.0), 2)",
    "nn.CosineSimilarity()(x[0], x[0, 1])",
    "nn.ConvTranspose2d(2, 4, 2, groups=2, dilation=(1, 2))(x) * 0",
    "F.conv_transpose2d(x, T.linspace(-1.0, 1.0, 16).reshape(2, 2, 2, 2), None, 2, 1, 1, 2, 2)",
    "F.conv2d(x, T.linspace(-1.0, 1.0, 8).reshape(2, 1, 2, 2), groups=2, stride=(1, 2))",
    "F.conv2d(F.pad(x, (1, 1, 1, 1), 'replicate'), T.ones(1, 2, 3, 3))",
    "F.gaussian_nll_loss(x, T.zeros(1, 2, 3, 4), x.abs() * 1e-9, reduction='sum') * 1e-9",
)
OTHERS = {
    "each change in place is noticed": """for f in (
          F.relu, F.elu, F.silu, F.hardtanh, F.leaky_relu, F.mish, F.selu, F.celu, F.relu6,
          F.hardswish, F.hardsigmoid, lambda h, inplace: F.threshold(h, 0.1, 2.0, inplace),
          lambda h, inplace: F.dropout(h, 1.0, inplace=inplace)):
    h = data(3) * 1
    y = h * h
    show(f(h, inplace=True) is h)
    try:
        y.sum().backward()
    except RuntimeError:
        show('refused')
""",
    "what was saved before a change in place": """x = data(4)
h = x * 2
y = h * h
F.silu(h, inplace=True)
y.sum().backward()
""",
    "a leaf is not changed": "F.elu(data(3), inplace=True)\n",
    "a leaf is not changed by a module": "nn.Hardtanh(inplace=True)(data(3))\n",
    "a view that is changed": """x = data(4)
h = x * 2
F.elu(h[:2], inplace=True)
pulled(x, h)
""",
    "inplace switched on later": """m = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.LeakyReLU(0.1), nn.Dropout(0.0))
for part in m: part.inplace = True
h = T.ones(1, 3) - 2
show(m[1](h) is h, h, repr(m[1]), repr(m[2]), repr(m[3]))
m[2].negative_slope = 0.5
show(m[2](T.tensor([-2.0])))
""",
    "texts of modules": """for m in (
          nn.ReLU(), nn.ReLU(True), nn.LeakyReLU(0.2), nn.ELU(), nn.Softplus(), nn.Hardtanh(-2.0, 2.0), nn.GELU(), nn.Softmax(1),
          nn.GLU(), nn.MSELoss(), nn.CrossEntropyLoss(), nn.Dropout(0.2), nn.Flatten(), nn.AvgPool2d(2),
          nn.AdaptiveAvgPool2d((1, None)), nn.Conv2d(1, 2, 3), nn.Conv2d(2, 2, 3, 2, 1, groups=2, bias=False),
          nn.Conv1d(1, 2, 3, dilation=2), nn.Linear(2, 3, bias=False), nn.GRU(2, 3, 2),
          nn.LSTM(2, 3, batch_first=True, bidirectional=True), nn.LayerNorm(3), nn.Embedding(3, 2, padding_idx=1),
          nn.GRUCell(2, 3), nn.ConvTranspose2d(2, 2, 3), nn.Threshold(0.1, 20.0)):
    show(repr(m))
""",
    "padding modes": """for mode in ('zeros', 'reflect', 'replicate', 'circular'):
    for padding in (1, 'same', (2, 1)):
        m = nn.Conv2d(1, 1, 3, padding=padding, padding_mode=mode, bias=False)
        with T.no_grad(): m.weight.copy_(T.linspace(-1.0, 1.0, 9).reshape(1, 1, 3, 3))
        x = data(1, 1, 4, 5)
        pulled(x, m(x))
""",
    "extra state": """class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 0
        self.lin = nn.Linear(1, 1)
    def get_extra_state(self): return {'n': self.n}
    def set_extra_state(self, state): self.n = state['n']
a, b = nn.Sequential(Counter(), nn.ReLU()), nn.Sequential(Counter(), nn.ReLU())
a[0].n = 7
state = a.state_dict()
show(list(state), state['0._extra_state'])
show(b.load_state_dict(state), b[0].n)
del state['0._extra_state']
show(b.load_state_dict(state, strict=False).missing_keys)
b.load_state_dict(state)
""",
    "extra state that nobody wants": """m = nn.Linear(1, 1)
state = dict(m.state_dict())
state['_extra_state'] = 5
show(m.load_state_dict(state, strict=False).unexpected_keys)
m.load_state_dict(state)
""",
    "persistent buffers": """class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('a', T.ones(2))
        self.register_buffer('b', T.zeros(2), persistent=False)
        self.register_buffer('c', None)
m = M()
show(list(m.state_dict()), [n for n, _ in m.named_buffers()])
m.b = T.ones(3)
show(list(m.state_dict()))
m.register_buffer('b', T.ones(1))
show(list(m.state_dict()))
m.register_buffer('a', T.ones(1), persistent=False)
show(list(m.state_dict()))
m.a = nn.Parameter(T.ones(1))
show(list(m.state_dict()), [n for n, _ in m.named_buffers()])
del m.b
show(list(m.state_dict()), hasattr(m, 'b'))
m.c = T.ones(1)
show(list(m.state_dict()))
""",
    "weights of losses are buffers": """m = nn.CrossEntropyLoss(weight=T.tensor([1.0, 2.0]))
n = nn.BCEWithLogitsLoss(pos_weight=T.ones(2))
show(list(m.state_dict()), list(n.state_dict()), list(nn.MSELoss().state_dict()), m.weight)
m.load_state_dict({'weight': T.tensor([3.0, 4.0])})
show(m(T.tensor([[0.3, 0.1], [0.2, 0.9]]), T.tensor([0, 1])))
""",
    "messages of load_state_dict": """m = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
state = dict(m.state_dict())
state['0.weight'] = T.ones(3, 2)
state['more'] = T.ones(1)
del state['1.bias']
try:
    m.load_state_dict(state)
except RuntimeError as e:
    show(all(part in str(e) for part in ('Error(s) in loading state_dict for Sequential', 'Missing key(s) in state_dict: "1.bias"',
             'Unexpected key(s) in state_dict: "more"', 'size mismatch for 0.weight')))
found = nn.Linear(2, 2).load_state_dict({'weight': T.ones(2, 2)}, strict=False)
show(found.missing_keys, found.unexpected_keys)
""",
    "assigned state": """m = nn.Linear(2, 2)
m.bias.requires_grad_(False)
w = T.full((2, 2), 3.0)
m.load_state_dict({'weight': w, 'bias': T.zeros(2)}, assign=True)
show(m.weight, m.bias, isinstance(m.weight, nn.Parameter))
w[0, 0] = 5.0
show(m.weight)
""",
    "one element for a number": """m = nn.Module()
m.p = nn.Parameter(T.tensor(1.0))
m.load_state_dict({'p': T.tensor([4.0])})
show(m.p)
""",
    "complex modules": """m = nn.Linear(2, 1)
with T.no_grad(): m.weight.fill_(0.5); m.bias.fill_(0.25)
m.register_buffer('k', T.tensor([1, 2]))
m.register_buffer('w', T.tensor([1.0]))
m.to(T.complex128)
show([str(t.dtype).split('.')[-1] for t in m.state_dict().values()])
x = T.tensor([[1 + 2j, 3 - 1j]], dtype=T.complex128, requires_grad=True)
out = m(x)
show(out)
(out.real ** 2 + out.imag ** 2).sum().backward()
show(x.grad, m.weight.grad)
show([str(t.dtype).split('.')[-1] for t in m.to(T.complex64).state_dict().values()])
show([str(t.dtype).split('.')[-1] for t in m.float().state_dict().values()])
show([str(t.dtype).split('.')[-1] for t in nn.Linear(1, 1).to(T.ones(1, dtype=T.float32)).state_dict().values()])
show([str(t.dtype).split('.')[-1] for t in nn.Linear(1, 1).to('cpu', T.float32).state_dict().values()])
show([str(t.dtype).split('.')[-1] for t in nn.Linear(1, 1).double().half().state_dict().values()])
""",
    "containers": """s = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 1))
show(len(s), list(s.state_dict()), list(s[1:].state_dict()), list(s[:1].state_dict()))
s[0] = nn.Linear(1, 2, bias=False)
s.append(nn.Tanh())
show([type(m).__name__ for m in s], list(s.state_dict()))
l = nn.ModuleList([nn.ReLU(), nn.Tanh()])
l.insert(0, nn.Sigmoid())
l.extend([nn.ELU()])
show([type(m).__name__ for m in l], [type(m).__name__ for m in l[1:3]], len(l))
del l[1]
show([n for n, _ in l.named_children()])
d = nn.ModuleDict({'a': nn.ReLU(), 'b': nn.Linear(1, 1)})
d.update({'c': nn.Tanh()})
show(list(d), 'a' in d, len(d), list(d.state_dict()))
del d['a']
show(list(d.keys()))
p = nn.ParameterList([nn.Parameter(T.ones(1)), T.zeros(2)])
p.append(T.ones(1))
show(len(p), list(p.state_dict()), [q.requires_grad for q in p])
q = nn.ParameterDict({'x': nn.Parameter(T.ones(1)), 'y': T.zeros(1)})
show(list(q), list(q.state_dict()), q['y'].requires_grad)
""",
    "names of parameters and modules": """m = nn.Sequential(nn.Linear(1, 1))
m.add_module('last', nn.ReLU())
m.add_module('last', nn.Tanh())
show([n for n, _ in m.named_modules()], type(m.last).__name__)
m.register_parameter('w', None)
show(m.w)
m.w = nn.Parameter(T.ones(1))
show([n for n, _ in m.named_parameters()], m.get_parameter('0.weight').shape[0])
m.last = None
show(m.last, [n for n, _ in m.named_children()])
m.w = nn.Linear(1, 1)
show([n for n, _ in m.named_parameters()])
""",
    "Variable": """V = T.autograd.Variable
x = T.ones(2)
v = V(x, requires_grad=True)
show(v, isinstance(x, V), V(v * 2).requires_grad, V(v * 2, requires_grad=True).is_leaf, V(x))
(v * v).sum().backward()
show(v.grad, x.grad)
V(x)[0] = 5.0
show(x)
""",
    "randint": """for args, options in (((5,), {'size': (3,)}), ((2, 5), {'size': (2, 2)}), ((5, (4,)), {}),
                      ((2, 5, (1, 3)), {}), ((), {'high': 5, 'size': (2,)}), ((), {'low': 3, 'high': 4, 'size': (2,)}),
                      ((3,), {'high': 4, 'size': [2]}), ((-5, 0, (3,)), {}),
                      ((2, 3, (2,)), {'dtype': T.float64, 'requires_grad': True})):
    t = T.randint(*args, **options)
    show(list(t.shape), str(t.dtype).split('.')[-1], t.requires_grad)
t = T.randint(2, 5, size=(1000,))
show(t.min().item(), t.max().item())
""",
    "sizes by name": """show(
     T.zeros(size=(2, 3)), T.ones((2,)), list(T.rand(size=(2,)).shape), list(T.randn(2, 3).shape), T.full((2,), 3.0),
     T.eye(2, 3),
     T.arange(3), T.arange(1, 4), T.arange(1, 2, 0.25), T.arange(end=3), T.arange(start=1, end=3), T.arange(3, 0, -1), T.arange(0))
""",
    "rounding of the rate": """p = T.ones(3, requires_grad=True)
for cls in (T.optim.SGD, T.optim.Adam, T.optim.AdamW, T.optim.RMSprop, T.optim.Adagrad):
    o = cls([('a', p)], lr=T.tensor(0.5), weight_decay=0.1)
    p.grad = T.ones(3)
    o.step()
    show(p, float(o.param_groups[0]['lr']))
""",
    "cells without a batch": """for cls in (nn.RNNCell, nn.GRUCell, nn.LSTMCell):
    m = cls(3, 2)
    with T.no_grad():
        for p in m.parameters(): p.copy_(T.sin(T.arange(1.0, p.numel() + 1.0)).reshape(p.shape))
    x = data(3)
    out = m(x)
    pulled(x, out if isinstance(out, T.Tensor) else out[0])
""",
}


def generated() -> dict[str, str]:
    found = {}
    for text in FUNCTIONALS:
        for inplace in ("False", "True", "inplace=True"):
            found[f"in place F.{text.format(inplace)}"] = SETUP + (
                f"x = data(7)\nh = x * 0.5\nout = F.{text.format(inplace)}\nshow(out is h, out.grad_fn is not None)\n"
                "g = T.sin(h)\npulled(x, out * g)\n"
            )
    for name in ACTIVATIONS:
        found[f"in place nn.{name}"] = SETUP + (
            f"x = data(7)\nh = x * 0.5\nout = nn.{name}(inplace=True)(h)\nshow(out is h, h)\npulled(x, h * 2)\n"
        )
    for name in SHORT:
        found[f"in place F.{name}"] = SETUP + f"x = data(7)\nh = x * 0.5\nshow(F.{name}(h) is h)\npulled(x, h)\n"
    for name, text in EDGES.items():
        found[f"edge {name}"] = SETUP + (
            "x = T.tensor([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0], requires_grad=True)\n"
            f"out = {text}\nshow(out)\nout.sum().backward()\nshow(x.grad)\n"
        )
    found["edge clamp with bounds of their own"] = SETUP + (
        "for low, high in ((0.0, 1.0), (1.0, 1.0), (2.0, 1.0)):\n"
        "    x = T.tensor([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0], requires_grad=True)\n"
        "    a, b = T.full((7,), low).requires_grad_(), T.full((7,), high).requires_grad_()\n"
        "    T.clamp(x, a, b).sum().backward()\n    show(x.grad, a.grad, b.grad)\n"
    )
    for text in NORMS:
        found[f"norm {text}"] = SETUP + (                       # (of full rank)
            f"x = T.cos(data(2, 3, 4).detach() ** 2).mul(4).requires_grad_()\npulled(x, {text})\n")
    for text in SIZES:
        found[f"size {text}"] = SETUP + f"x = data(1, 2, 3, 4)\npulled(x, {text})\n"
    found.update({f"values: {name}": SETUP + code for name, code in OTHERS.items()})
    return found
