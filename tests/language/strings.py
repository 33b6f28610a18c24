"""Strings: formatting, joining, and branches on them."""
# ruff: noqa: UP031, UP032    (as its users wrote it)
import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add


def f_strings(parameters, prefix="layer"):
    total = 0.0
    for k in range(2):
        total += parameters[f"{prefix}_{k}"] ** (k + 2)
    label = f"{total:.3f} after {len(parameters)!r} {'steps' if total > 0 else 'nothing'}"
    return total * (1.0 if label else 0.0)


case("f-string", f_strings, {"layer_0": 0.7, "layer_1": 1.2})


def formatted(parameters):
    value = parameters["w{}".format(1)] * parameters["{name}{k:d}".format(name="w", k=2)]
    text = "value {:.2f}, {0!r}".replace("{0!r}", "{!r}").format(value, "w")
    return value ** 2 * (len(text) > 3)


case("str.format", formatted, {"w1": 0.7, "w2": 1.2})


def percent(parameters, k):
    value = parameters["w%d" % k] ** 2
    message = "%s is %.3f (%5s)" % ("value", value, k)
    if not message.startswith("value"):
        raise ValueError(message)
    return value


case("% string formatting", percent, {"w1": 0.7, "w2": 1.2}, 1)


def joined(x, names):
    key = "-".join(names)
    table = {"a-b": x ** 2, "a": x}
    text = ", ".join(f"{n}={v:.2f}" for n, v in table.items())
    return table[key] * (2.0 if "a-b" in text else 1.0)


case("str.join", joined, 0.7, ["a", "b"])


def string_methods(x, spec):
    name, _, power = spec.strip().lower().partition(":")
    parts = spec.split(":")
    if name.endswith("poly") and parts[1].isdigit() and name[0] in "abc" + "p":
        return x ** int(power)
    return np.sin(x)


case("string methods", string_methods, 0.7, " Poly:3 ")


def string_concatenation(parameters):
    total = 0.0
    for letter in "ab":
        key = "w_" + letter
        key += "0"
        total += parameters[key] ** 2 * len(key * 2)
    return total


case("string concatenation", string_concatenation, {"w_a0": 0.7, "w_b0": 1.2})
