"""gradcheck and gradgradcheck accept functions that lose their history; complex directions; functions with grad or hooks inside."""
import sourcegrad as sg

x = sg.tensor([1.0, 2.0], dtype=sg.float64, requires_grad=True)


def accepts(check, f, *args):
    try:
        return check(f, args)
    except Exception:
        return False


assert not accepts(sg.gradcheck, lambda x: x.detach() * 2, x), "no history, and accepted"


class Lost(sg.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x.detach()


assert not accepts(sg.gradgradcheck, Lost.apply, x), "a second derivative that is lost, and accepted"


def penalty(x):
    g, = sg.grad((x ** 3).sum(), x, create_graph=True)
    return (g * g).sum()


assert accepts(sg.gradcheck, penalty, x), "uses grad inside"
z = sg.tensor([1.0 + 1j, 2.0 - 1j], requires_grad=True)
assert accepts(sg.gradcheck, lambda z: z.real * 2 + z.imag * 3, z), "complex input"
