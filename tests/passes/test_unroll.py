"""unroll: loops over names that are known, by which attributes are read or stored, are written out."""
import sourcegrad as sg
from tests.passes.becomes import Within

CASES = Within("unroll")


class Options:
    def __init__(self, **options):
        for name, value in options.items():
            setattr(self, name, value)


class Plain:
    def __init__(self, a, b):
        self.a, self.b = a, b


@CASES.becomes("""
    product = x * x
    plain = Plain(x, product)
    total = 0.0
    items = sequence(('a', 'b'))
    len_items = len(items)
    range_2 = range(len_items)
    k_2 = 0
    name_2 = 'a'
    getattr_plain_2 = getattr(plain, name_2)
    total = total + getattr_plain_2
    k_3 = 1
    name_3 = 'b'
    getattr_plain_3 = getattr(plain, name_3)
    total = total + getattr_plain_3
    return total
""", x=2.0)
def attributes_read_by_name(x):
    plain = Plain(x, x * x)
    total = 0.0
    for name in ("a", "b"):
        total = total + getattr(plain, name)
    return total


@CASES.becomes("""
    plain = Plain(x, x)
    value = ['a', 'b']
    items = sequence(value)
    len_items = len(items)
    range_2 = range(len_items)
    k_2 = 0
    name_2 = 'a'
    product_2 = x * 3.0
    plain = attribute_store(plain, name_2, product_2)
    k_3 = 1
    name_3 = 'b'
    product_3 = x * 3.0
    plain = attribute_store(plain, name_3, product_3)
    plain_a = plain.a
    plain_b = plain.b
    value_2 = plain_a * plain_b
    return value_2
""", x=2.0)
def attributes_stored_by_name(x):
    plain = Plain(x, x)
    for name in ["a", "b"]:
        setattr(plain, name, x * 3.0)
    return plain.a * plain.b


@CASES.stays(x=2.0)
def numbers(x):
    total = 0.0
    for factor in (2.0, 3.0):
        total = total + factor * x
    return total


@CASES.stays(x=2.0)
def names_without_attributes(x):
    total = x
    for name in ("a", "b"):
        total = total * len(name) + x
    return total


def in_a_constructor(x):
    options = Options(a=x, b=x * x)
    return options.a * options.b


def test_in_a_constructor() -> None:
    assert sg.grad(in_a_constructor)(2.0) == 12.0


test_unroll = CASES.check()
