"""Attributes by names that a loop goes over: options, parameters, states to be saved."""
import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add


class Options:
    def __init__(self, **options):
        for name, value in options.items():
            setattr(self, name, value)


def options_as_attributes(x):
    o = Options(a=np.array([x, 2.0]), b=2, c="no", d=x * x)
    return o.a.sum() * o.b * o.d + len(o.c)


def no_options(x):
    o = Options()
    o.a = x
    return o.a ** 2


class Model:
    def __init__(self, p, q):
        self.p, self.q = p, q

    def set_params(self, **params):
        for name, value in params.items():
            if not hasattr(self, name):
                raise ValueError(f"no parameter {name}")
            setattr(self, name, value)
        return self

    def total(self):
        total = 0.0
        for name in ("p", "q"):
            total += getattr(self, name) ** 2
        return total

    def copy_to(self, other):
        for name in ("p", "q"):
            setattr(other, name, getattr(self, name) * 2.0)

    def load(self, state):
        for name in state:
            setattr(self, name, state[name])


def parameters_of_a_model(x):
    model = Model(x, 2.0).set_params(q=x * x, p=3.0 * x)
    return model.total() * model.p


def one_parameter(x):
    return Model(x, 2.0).set_params(q=x * x).total()


def copied_by_name(x):
    a, b = Model(x, x * x), Model(1.0, 1.0)
    a.copy_to(b)
    return b.total() + a.p


def loaded_from_a_dict(x):
    model = Model(x, 1.0)
    model.load({"q": x * x, "r": 3.0 * x})
    return model.q * model.r * model.p


def stored_again_and_again(x):
    model = Model(x, 1.0)
    for i in range(3):
        for name in ("p", "q"):
            setattr(model, name, getattr(model, name) * x + i)
    return model.p + model.q


for function in (options_as_attributes, no_options, parameters_of_a_model, one_parameter, copied_by_name, loaded_from_a_dict,
                 stored_again_and_again):
    case(function, 0.7)


def parameter_that_is_not_there(x):
    try:
        return Model(x, 1.0).set_params(r=x).p
    except ValueError:
        return x ** 3


case(parameter_that_is_not_there, 0.7)


# --- the attributes of an object as a dict that is updated

class Record:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class Pair:
    def __init__(self, x):
        self.__dict__.update(a=x, b=x * x)

    def more(self, d):
        self.__dict__.update(d, c=2.0)


def fields_of_a_record(x):
    record = Record(a=x, b=2.0 * x)
    return record.a ** 2 * record.b


def updated_by_a_dict(x):
    pair = Pair(x)
    pair.more({"a": x ** 3, "z": x})
    record = Record(a=x)
    record.__dict__.update({"a": x * x})
    return pair.a * pair.b * pair.c + pair.z * record.a


for function in (fields_of_a_record, updated_by_a_dict):
    case(function, 0.7)
