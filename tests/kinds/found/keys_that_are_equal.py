"""{True: 2.0} and {1: 2.0} are equal, but a function may look at the class of the key. Also a list [True, 2] and [1, 2]."""
import sourcegrad as sg


def by_key_class(x, m):
    return x * x if isinstance(next(iter(m)), bool) else 3.0 * x


g = sg.value_and_grad(by_key_class, inputs="x")
for m in [{True: 2.0}] * 3 + [{1: 2.0}] * 3 + [{True: 2.0}] * 3:
    assert g(2.0, m)[0] == by_key_class(2.0, m), m
