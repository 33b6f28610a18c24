"""SequentialLR and the states of schedules as plain data; PyTorch: [.1, .1, .1, 1, .5, .25], resumed .125."""
import sourcegrad as sg

S = sg.optim.lr_scheduler


def make():
    p = sg.tensor([1.0], requires_grad=True)
    o = sg.optim.SGD([p], lr=1.0)
    return o, S.SequentialLR(o, [S.ConstantLR(o, 0.1, 3), S.ExponentialLR(o, 0.5)], [3])


def rate(optimizer):
    return round(optimizer.param_groups[0]["lr"], 9)


o, s = make()
r = []
for _ in range(6):
    r.append(rate(o))
    o.step()
    s.step()
assert (r, rate(o)) == ([0.1, 0.1, 0.1, 1.0, 0.5, 0.25], 0.125), (r, rate(o))
o2, s2 = make()
s2.load_state_dict(s.state_dict())
o2.load_state_dict(o.state_dict())
assert rate(o2) == 0.125, rate(o2)
o2.step()
s2.step()
assert (rate(o2), rate(o)) == (0.0625, 0.125), "the new one is halved, the old one left"
state = s.state_dict()
assert isinstance(state.get("schedulers", state.get("_schedulers"))[0], dict), "states are data"
