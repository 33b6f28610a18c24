"""stop_gradient, custom_vjp, nondifferentiable and rule on Tensors: their bodies were recorded, silently."""
import sourcegrad as sg

x = sg.tensor(2.0, requires_grad=True)
(x * sg.stop_gradient(x)).backward()
assert x.grad.item() == 2.0, x.grad


@sg.custom_vjp
def reversal(v):
    return v * 1.0


reversal.defvjp(lambda v: (v * 1.0, None), lambda s, ct: (-ct,))
x.grad = None
reversal(x).backward()
assert x.grad.item() == -1.0, x.grad


@sg.nondifferentiable
def level(v):
    return v * 2.0


x.grad = None
(x * level(x)).backward()
assert x.grad.item() == 4.0, x.grad


def soft(v):
    return v * 1.0


@sg.rule(soft)
def soft_rule(ct, out, v):
    return ct * 5.0


x.grad = None
sg.differentiable(soft)(x).backward()
assert x.grad.item() == 5.0, x.grad
x.grad = None
soft(x).backward()                      # refused, or right
assert x.grad.item() == 5.0, x.grad
