"""Snippets of schedules of the learning rate: each alone, by epochs, resumed, with another one, in sequence and in chains."""

from __future__ import annotations

SETUP = """import copy, warnings
S = T.optim.lr_scheduler
def optimizer(cls='SGD', rates=(0.4, 1.5)):
    options = dict(momentum=0.9) if cls == 'SGD' else {}
    return getattr(T.optim, cls)([{'params': [T.ones(1, requires_grad=True)], 'lr': r} for r in rates], lr=0.1, **options)
def momenta(o):
    return [g.get('momentum', g.get('betas')) for g in o.param_groups]
def walk(o, n, *schedules):
    found = []
    for _ in range(n):
        o.step()
        for s in schedules: s.step()
        found.append([g['lr'] for g in o.param_groups])
    return found
def warned(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter('always')
        call()
    return [w.category.__name__ for w in found]
"""
SCHEDULES = (
    "LambdaLR(o, lambda e: 0.9 ** e)",
    "LambdaLR(o, [lambda e: 1 / (1 + e), lambda e: 0.5 if e < 4 else 0.1])",
    "MultiplicativeLR(o, lambda e: 0.95)",
    "MultiplicativeLR(o, [lambda e: 1 / (1 + e), lambda e: 0.5 + e / 10])",
    "StepLR(o, 3)",
    "StepLR(o, 1, gamma=0.7)",
    "StepLR(o, 5, gamma=2.0)",
    "MultiStepLR(o, [2, 5])",
    "MultiStepLR(o, [3, 3, 9], gamma=0.5)",
    "MultiStepLR(o, [7, 2], gamma=1.5)",
    "MultiStepLR(o, [0, 4], gamma=0.5)",
    "ConstantLR(o)",
    "ConstantLR(o, factor=0.25, total_iters=3)",
    "ConstantLR(o, factor=1.0, total_iters=2)",
    "ConstantLR(o, factor=0.5, total_iters=100)",
    "LinearLR(o)",
    "LinearLR(o, 0.1, 0.9, 6)",
    "LinearLR(o, start_factor=1.0, end_factor=0.0, total_iters=8)",
    "LinearLR(o, start_factor=0.5, total_iters=1)",
    "ExponentialLR(o, 0.9)",
    "ExponentialLR(o, gamma=1.1)",
    "PolynomialLR(o)",
    "PolynomialLR(o, total_iters=7, power=2.0)",
    "PolynomialLR(o, total_iters=3, power=0.5)",
    "CosineAnnealingLR(o, 10)",
    "CosineAnnealingLR(o, 4, eta_min=0.01)",
    "CosineAnnealingLR(o, T_max=1)",
    "CosineAnnealingLR(o, T_max=30, eta_min=0.5)",
    "CosineAnnealingWarmRestarts(o, 5)",
    "CosineAnnealingWarmRestarts(o, 3, 2, 0.05)",
    "CosineAnnealingWarmRestarts(o, T_0=2, T_mult=3)",
    "CosineAnnealingWarmRestarts(o, T_0=1)",
    "CyclicLR(o, 0.01, 0.1, step_size_up=4)",
    "CyclicLR(o, [0.01, 0.02], [0.1, 0.4], step_size_up=3, step_size_down=5, mode='triangular2')",
    "CyclicLR(o, 0.01, 0.1, step_size_up=2, mode='exp_range', gamma=0.9, cycle_momentum=False)",
    "CyclicLR(o, 0.01, 0.1, 3, scale_fn=lambda x: 1 / (1 + x), base_momentum=0.7, max_momentum=0.95)",
    "CyclicLR(o, 0.01, 0.1, 3, scale_fn=lambda x: 0.5 ** x, scale_mode='iterations', base_momentum=[0.7, 0.1])",
    "OneCycleLR(o, 0.4, total_steps=20)",
    "OneCycleLR(o, [0.4, 0.9], epochs=5, steps_per_epoch=4, pct_start=0.5)",
    "OneCycleLR(o, 0.4, total_steps=24, anneal_strategy='linear', three_phase=True)",
    "OneCycleLR(o, 0.4, total_steps=30, div_factor=10.0, final_div_factor=50.0, three_phase=True)",
    "OneCycleLR(o, 1.4, total_steps=20, cycle_momentum=False)",
    "OneCycleLR(o, 1.4, total_steps=20, base_momentum=0.1, max_momentum=[0.5, 0.6])",
    "SequentialLR(o, [S.ConstantLR(o, 0.1, 3), S.ExponentialLR(o, 0.5)], [3])",
    "SequentialLR(o, [S.LinearLR(o, 0.1, 1.0, 4), S.CosineAnnealingLR(o, 6)], milestones=[4])",
    "SequentialLR(o, [S.ConstantLR(o), S.StepLR(o, 2, 0.5), S.PolynomialLR(o, 4)], [2, 9])",
    "SequentialLR(o, [S.ExponentialLR(o, 0.5), S.CosineAnnealingWarmRestarts(o, 3)], [0])",
    "SequentialLR(o, [S.LambdaLR(o, lambda e: 1 / (1 + e)), S.MultiplicativeLR(o, lambda e: 0.5)], [5])",
    "SequentialLR(o, [S.MultiStepLR(o, [1, 2]), S.LinearLR(o), S.ExponentialLR(o, 0.8)], [4, 4])",
    "SequentialLR(o, [S.ChainedScheduler([S.ConstantLR(o), S.ExponentialLR(o, 0.9)]), S.StepLR(o, 2)], [6])",
    "SequentialLR(o, [S.SequentialLR(o, [S.ConstantLR(o), S.StepLR(o, 2)], [3]), S.ExponentialLR(o, 0.8)], [6])",
    "SequentialLR(o, [S.StepLR(o, 2), S.SequentialLR(o, [S.ConstantLR(o), S.StepLR(o, 2)], [3])], [6])",
    "ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)])",
    "ChainedScheduler([S.StepLR(o, 2), S.CosineAnnealingLR(o, 10), S.LinearLR(o)], optimizer=o)",
    "ChainedScheduler([S.SequentialLR(o, [S.ConstantLR(o), S.StepLR(o, 2)], [3]), S.ExponentialLR(o, 0.8)])",
    "ChainedScheduler([S.MultiStepLR(o, [1, 4], 0.3)])",
)
CLOSED = [s for s in SCHEDULES if not s.startswith(("SequentialLR", "ChainedScheduler"))]
PAIRS = (
    ("CosineAnnealingLR(o, 10)", "StepLR(o, 2, 0.1)"),
    ("ExponentialLR(o, 0.9)", "ExponentialLR(o, 0.8)"),
    ("LinearLR(o)", "MultiStepLR(o, [3, 6], 0.5)"),
    ("ConstantLR(o)", "PolynomialLR(o, 8)"),
    ("StepLR(o, 3, 0.5)", "MultiplicativeLR(o, lambda e: 0.9)"),
    ("CosineAnnealingLR(o, 3, 0.1)", "LinearLR(o, 0.2, 0.7, 5)"),
    ("LambdaLR(o, lambda e: 0.9 ** e)", "StepLR(o, 2, 0.5)"),
    ("CosineAnnealingWarmRestarts(o, 3)", "ExponentialLR(o, 0.9)"),
    ("SequentialLR(o, [S.ConstantLR(o), S.StepLR(o, 2)], [3])", "ExponentialLR(o, 0.9)"),
    ("PolynomialLR(o, 6, 2.0)", "CosineAnnealingLR(o, 4)"),
)
MEASURES = (
    "",
    "patience=1, factor=0.5, cooldown=1",
    "mode='max', patience=0, threshold=0.1, threshold_mode='abs', min_lr=0.2, factor=0.3",
    "mode='max', patience=1, threshold=0.3",
    "patience=0, threshold=0.0, min_lr=[0.1, 0.01]",
    "patience=0, factor=0.999, eps=0.01",
    "patience=2, threshold=0.5, threshold_mode='abs', cooldown=2",
)
OTHERS = {
    "several rates as Tensors": """for make in (lambda o: S.ExponentialLR(o, 0.5), lambda o: S.CosineAnnealingLR(o, 4),
             lambda o: S.LambdaLR(o, lambda e: 0.5)):
    rate = T.tensor(0.5)
    p = T.ones(2, requires_grad=True)
    o = T.optim.SGD([p], lr=rate)
    s = make(o)
    found = []
    for _ in range(3):
        p.grad = T.ones(2)
        o.step(); s.step()
        found += [float(o.param_groups[0]['lr']), float(s.get_last_lr()[0])]
    show(found, o.param_groups[0]['lr'] is rate, p, float(o.param_groups[0]['initial_lr']))
""",
    "warnings of the order": """for make in (lambda o: S.StepLR(o, 2), lambda o: S.ExponentialLR(o, 0.5),
             lambda o: S.CosineAnnealingWarmRestarts(o, 2),
             lambda o: S.SequentialLR(o, [S.ConstantLR(o), S.StepLR(o, 2)], [3]),
             lambda o: S.ChainedScheduler([S.StepLR(o, 2)])):
    o = optimizer()
    s = make(o)
    show(warned(s.step), warned(s.step), warned(o.step), warned(s.step))
    show(warned(make(o).step))
    o = optimizer()
    o.step()
    s = make(o)
    show(warned(s.step))
    o = optimizer()
    s = make(o)
    o.step()
    show(warned(s.step), warned(s.step))
""",
    "a step that was overridden": """o = optimizer()
s = S.StepLR(o, 2)
o.step = lambda: None
show(warned(s.step), warned(s.step))
""",
    "a class of its own": """class Mine(S.LRScheduler):
    def __init__(self, optimizer, rate, last_epoch=-1):
        self.rate = rate
        super().__init__(optimizer, last_epoch)
    def get_lr(self):
        return [base * self.rate ** self.last_epoch for base in self.base_lrs]
    def _get_closed_form_lr(self):
        return [base + self.last_epoch for base in self.base_lrs]
o = optimizer()
s = Mine(o, 0.5)
show(walk(o, 3, s), warned(lambda: s.step(7)), s.get_last_lr(), s.last_epoch, s.base_lrs, isinstance(s, S.LRScheduler))
""",
    "an optimizer of its own": """class Mine(T.optim.Optimizer):
    def __init__(self, params, lr): super().__init__(params, dict(lr=lr))
    def step(self, closure=None):
        with T.no_grad():
            for g in self.param_groups:
                for p in g['params']: p.sub_(g['lr'] * p.grad)
p = T.ones(2, requires_grad=True)
o = Mine([p], 0.5)
s = S.ExponentialLR(o, 0.1)
p.grad = T.ones(2)
show(warned(o.step), warned(s.step), p, s.get_last_lr())
""",
    "initial_lr and last_epoch": """o = optimizer()
s = S.StepLR(o, 2, 0.5)
show([g['initial_lr'] for g in o.param_groups])
walk(o, 5, s)
show([g['initial_lr'] for g in o.param_groups], s.base_lrs)
state = o.state_dict()
p = optimizer(rates=(7.0, 8.0))
p.load_state_dict(state)
t = S.StepLR(p, 2, 0.5, last_epoch=4)
show(t.get_last_lr(), t.base_lrs, t.last_epoch, walk(p, 3, t))
""",
    "last_epoch without initial_lr": "S.StepLR(optimizer(), 2, last_epoch=3)\n",
    "rates asked for outside of step": """for text in (
             'StepLR(o, 2)', 'ExponentialLR(o, 0.5)', 'LambdaLR(o, lambda e: 1.0)', 'CosineAnnealingLR(o, 3)',
             'MultiplicativeLR(o, lambda e: 0.5)', 'CosineAnnealingWarmRestarts(o, 3)', 'OneCycleLR(o, 0.4, total_steps=20)',
             'CyclicLR(o, 0.1, 0.2)'):
    o = optimizer()
    s = eval('S.' + text)
    show(warned(s.get_lr))
""",
    "beta of Adam": """for text in ('OneCycleLR(o, 0.4, total_steps=20)', 'CyclicLR(o, 0.1, 0.2, 3)',
             'OneCycleLR(o, 0.4, total_steps=20, cycle_momentum=False)'):
    o = optimizer('Adam')
    s = eval('S.' + text)
    show(walk(o, 8, s), momenta(o), [sorted(g) for g in o.param_groups] == [sorted(o.param_groups[1])] * 2)
""",
    "epochs that are fractions": """o = optimizer()
s = S.CosineAnnealingWarmRestarts(o, 4, 2)
for e in (0.25, 3.5, 4.0, 4.5, 11.75, 12.0, 30.5):
    show(warned(lambda: s.step(e)), s.get_last_lr(), s.last_epoch, s.T_cur, s.T_i)
""",
    "steps too many": "o = optimizer()\ns = S.OneCycleLR(o, 0.4, total_steps=4)\nshow(walk(o, 4, s))\nwalk(o, 1, s)\n",
    "another optimizer is left alone": """o = optimizer()
s = S.SequentialLR(o, [S.ConstantLR(o, 0.1, 3), S.MultiStepLR(o, [2], 0.5)], [3])
walk(o, 4, s)
p = optimizer()
t = S.SequentialLR(p, [S.ConstantLR(p, 0.1, 3), S.MultiStepLR(p, [2], 0.5)], [3])
state = copy.deepcopy(s.state_dict())
t.load_state_dict(s.state_dict())
p.load_state_dict(o.state_dict())
before = [g['lr'] for g in o.param_groups]
show(walk(p, 4, t), before == [g['lr'] for g in o.param_groups], walk(o, 4, s))
show(sorted(state), [sorted(x) for x in state['_schedulers']], type(state['_schedulers'][0]).__name__)
""",
    "objects as lambdas": """class Rate:
    def __init__(self, r): self.r = r
    def __call__(self, e): return self.r ** e
o = optimizer()
s = S.LambdaLR(o, [Rate(0.5), Rate(0.25)])
walk(o, 2, s)
state = copy.deepcopy(s.state_dict())
show(state['lr_lambdas'])
p = optimizer()
t = S.LambdaLR(p, [Rate(1.0), Rate(1.0)])
t.load_state_dict(state)
show(walk(p, 2, t), [f.r for f in t.lr_lambdas], sorted(state))
""",
    "a group more": """o = optimizer()
s = S.ReduceLROnPlateau(o, patience=0, factor=0.5)
o.add_param_group({'params': [T.ones(1, requires_grad=True)], 'lr': 3.0})
for m in (1.0, 2.0, 3.0): s.step(m)
show(s.get_last_lr(), s.min_lrs)
o = optimizer()
s = S.ReduceLROnPlateau(o, patience=0, factor=0.5, min_lr=[0.1, 0.2])
o.add_param_group({'params': [T.ones(1, requires_grad=True)], 'lr': 3.0})
for m in (1.0, 2.0, 3.0): s.step(m)
""",
}


def generated() -> dict[str, str]:
    found = {}
    for text in SCHEDULES:
        found[f"schedule {text}"] = SETUP + (
            f"o = optimizer()\ns = S.{text}\n"
            "show([g['lr'] for g in o.param_groups], momenta(o))\n"
            "show(walk(o, 9, s), momenta(o), s.get_last_lr(), [g.get('initial_lr') for g in o.param_groups])\n"
            "state, others = copy.deepcopy(s.state_dict()), copy.deepcopy(o.state_dict())\n"
            "show(sorted(state))\n"
            "show(walk(o, 9, s), momenta(o))\n"
            f"o = optimizer()\ns = S.{text}\n"
            "s.load_state_dict(state)\no.load_state_dict(others)\n"
            "show(walk(o, 9, s), momenta(o))\n"
        )
    for text in CLOSED:
        found[f"epochs of {text}"] = SETUP + (
            f"o = optimizer()\ns = S.{text}\n"
            "for e in (4, 0, 1, 7, 12, 3):\n"
            "    show(warned(lambda: s.step(e)), s.get_last_lr(), s.last_epoch, momenta(o))\n"
            "show(walk(o, 4, s), momenta(o))\n"
        )
    for text in PAIRS:
        found[f"schedules {' and '.join(text)}"] = SETUP + (
            f"o = optimizer()\ns = S.{text[0]}\nt = S.{text[1]}\nshow(walk(o, 12, s, t), s.get_last_lr(), t.get_last_lr())\n"
        )
    for options in MEASURES:
        found[f"plateau {options}"] = SETUP + (
            f"o = optimizer()\ns = S.ReduceLROnPlateau(o, {options})\n"
            "for n in range(24):\n"
            "    s.step(T.tensor(math.cos(0.9 * n) + 1 / (1 + n)))\n"
            "    show(s.get_last_lr(), s.best, s.num_bad_epochs, s.cooldown_counter, s.last_epoch)\n"
            "state = copy.deepcopy(s.state_dict())\nshow(sorted(state))\n"
            f"s = S.ReduceLROnPlateau(o, {options})\ns.load_state_dict(state)\n"
            "for n in range(9): s.step(2.0)\n"
            "show(s.get_last_lr(), s.best, warned(lambda: s.step(1.0, 4)), s.last_epoch)\n"
        )
    found.update({f"schedules: {name}": SETUP + code for name, code in OTHERS.items()})
    return found
