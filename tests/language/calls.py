"""Calls: parameters of every kind, functions as values, closures, dynamic targets."""
import functools
import math
import operator

import numpy as np

from tests.language.case import Cases

CASES = Cases()
case = CASES.add

V = np.array([0.4, -0.9, 1.3])


def affine(x, slope=2.0, offset=0.5):
    return slope * x + offset


def defaults(x):
    return affine(x) * affine(x, 3.0) * affine(x, offset=x)


case(("default arg", "keyword args in call"), defaults, 0.7)


def keyword_only(x, *, power, scale=1.0):
    return scale * x ** power


def calls_keyword_only(x):
    return keyword_only(x, power=3) + keyword_only(x, scale=x, power=2)


case("keyword-only param", calls_keyword_only, 0.7)
case("keyword-only param", keyword_only, 0.7, power=3)


def positional_only(x, y, /, z):
    return x * y ** z


def calls_positional_only(x):
    return positional_only(x, 2.0 * x, z=2)


case("positional-only param", calls_positional_only, 0.7)


def any_number(*values, scale=1.0):
    total = 0.0
    for k, v in enumerate(values):
        total += (k + 1) * v ** 2
    return scale * total * len(values)


def calls_any_number(x, v):
    return any_number(x, x ** 2, 3.0) + any_number(*(v[0], v[1] * x), scale=x) + any_number()


case(("*args param", "star unpack in call/display"), calls_any_number, 0.7, V, inputs=("x", "v"))


def calls_with_an_array(x, v):
    return any_number(*v, scale=x)


case(("*args param", "star unpack in call/display"), calls_with_an_array, 0.7, V, inputs=("x", "v"))


def any_keywords(x, **options):
    power = options.pop("power", 2)
    result = x ** power
    for name, value in options.items():
        result = result * value + len(name)
    return result


def calls_any_keywords(x, settings):
    return any_keywords(x) + any_keywords(x, power=3, gain=x) * any_keywords(x, **settings)


case(("**kwargs param", "**kwargs in call"), calls_any_keywords, 0.7, {"gain": 1.5, "bias": 0.2}, inputs=("x", "settings"))


def passes_everything_on(*args, **kwargs):
    return affine(*args, **kwargs) ** 2


def calls_wrapper(x):
    return passes_everything_on(x, 3.0) * passes_everything_on(x, offset=x)


case(("*args param", "**kwargs in call"), calls_wrapper, 0.7)


def collects(x, into=[]):  # noqa: B006
    into.append(x ** 2)
    return sum(into)


def mutable_default(x, weights={"a": 2.0}, powers=[1, 2]):  # noqa: B006
    return sum(weights["a"] * x ** p for p in powers)


case("mutable default arg", mutable_default, 0.7)


def mutable_default_changed(x):
    return collects(x, []) * collects(2.0 * x, into=[x])


case("mutable default arg", mutable_default_changed, 0.7)


def closure(x, n):
    scale = x ** 2

    def inner(t, power=n):
        return scale * t ** power

    return inner(x) + inner(2.0, power=3)


case("nested def (closure)", closure, 0.7, 2)


def closure_called_later(x):
    steps = []
    for k in range(3):
        def step(t, k=k):
            return t ** 2 + k * x
        steps.append(step)
    total = 0.0
    for step in steps:
        total = step(total)
    return total


case("nested def (closure)", closure_called_later, 0.7)


def late_binding_in_comprehension(x):
    functions = [lambda t: t * k for k in range(3)]
    return functions[0](x)


case("nested def (closure)", late_binding_in_comprehension, 0.7, refused="give the lambda a default, `k=k`")


def late_binding(x):
    shift = x

    def shifted(t):
        return t + shift

    shift = x ** 2
    return 2.0 * x * shifted(x)


case("nested def (closure)", late_binding, 0.7)


def lambdas(x):
    square = lambda t: t ** 2  # noqa: E731 (a lambda with a name is what users write)
    scaled = lambda t, by=x: by * t  # noqa: E731 (a lambda with a name is what users write)
    return square(x) * scaled(x) + (lambda: x ** 3)()


case("lambda", lambdas, 0.7)


def counts_up(x):
    total = 0.0
    calls = 0

    def add(v):
        nonlocal total, calls
        total = total * v + v ** 2
        calls += 1
        return total

    add(x)
    for v in (x ** 2, 1.5):
        add(v)
    return total * calls


case("nonlocal stmt", counts_up, 0.7)


def make_accumulator(start):
    value = start

    def accumulate(x):
        nonlocal value
        value += x ** 2
        return value

    return accumulate


def returned_closure_with_state(x):
    accumulate = make_accumulator(x)
    other = make_accumulator(2.0)
    accumulate(x)
    return accumulate(0.5) * other(x)


case("nonlocal stmt", returned_closure_with_state, 0.7, refused="Call it directly, or let it return the new value")


def make_power(n, scale):
    def power(x):
        return scale * x ** n
    return power


def call_of_call(x):
    return make_power(3, x)(x) + make_power(2, 2.0)(x)


case("call of call result f(a)(b)", call_of_call, 0.7)


def functions_in_list(x, k):
    functions = [np.sin, math.exp, affine, lambda t: t ** 2]
    total = functions[k](x)
    for f in functions:
        total = f(total) * 0.5
    return total


case("call of container element fs[i](x)", functions_in_list, 0.7, 1)

ACTIVATIONS = {"tanh": np.tanh, "square": lambda t: t * t, "affine": affine}


def functions_in_dict(v, name):
    f = ACTIVATIONS[name]
    return np.sum(f(v) * ACTIVATIONS["tanh"](v)) + ACTIVATIONS.get("none", np.sum)(v)


case("call of container element fs[i](x)", functions_in_dict, V, "square")


def chosen_by_if(x, v):
    if x > 0.5:
        f = np.sin
    else:
        f = affine
    g = np.exp if x > 5 else make_power(3, x)
    return f(x) * g(x)


case("callables chosen by if", chosen_by_if, 0.7, V)


def integrate(f, a, b, n=4, callback=None):
    h = (b - a) / n
    total = 0.0
    for k in range(n):
        value = f(a + (k + 0.5) * h)
        total += value
        if callback is not None:
            callback(k, value)
    return total * h


def higher_order(x):
    seen = []
    result = integrate(lambda t: np.sin(x * t), 0.0, x, callback=lambda k, value: seen.append(k * value))
    return result * sum(seen)


case("callbacks", higher_order, 0.7)


def given_function(f, x):
    return integrate(f, 0.0, x) ** 2


case("callbacks", given_function, math.exp, 0.7, inputs="x")
case("callbacks", given_function, affine, 0.7, inputs="x")


class Model:
    def __init__(self, w):
        self.w = w

    def predict(self, x):
        return self.w * x ** 2

    def __call__(self, x):
        return self.predict(x) + 1.0


def bound_methods(w, x):
    model = Model(w)
    predict = model.predict
    model.w = w * x
    return predict(x) * integrate(model.predict, 0.0, 1.0) + sum(map(model, [x, 1.5])) + Model.predict(model, x)


case("bound methods", bound_methods, 0.8, 0.7, inputs=("w", "x"))
case("bound methods", Model.predict, Model(0.8), 0.7, inputs=("self.w", "x"))


def partials(x):
    double = functools.partial(affine, slope=2.0 * x)
    from_two = functools.partial(affine, 2.0)
    return double(x) * from_two(x) + functools.partial(double, offset=x)(1.0)


case("builtin partial()", partials, 0.7)


def reduced(v):
    product = functools.reduce(lambda a, b: a * b + 1.0, v)
    total = functools.reduce(operator.add, [x ** 2 for x in v], 0.5)
    return product * total


case("builtin reduce()", reduced, V)


def local_imports(x):
    import math as m
    from math import cos

    import numpy.linalg as la
    return m.sin(x) * cos(x) + la.norm(np.array([x, 1.0]))


case("import inside function", local_imports, 0.7)


def operator_functions(v):
    first, last = operator.itemgetter(0, -1)(v)
    return operator.mul(first, operator.truediv(last, 2.0)) * operator.attrgetter("size")(v)


case("operator module", operator_functions, V)


def compose(*functions):
    def composed(x):
        for f in reversed(functions):
            x = f(x)
        return x
    return composed


def composed(x):
    return compose(np.sin, affine, lambda t: t ** 2)(x)


case("callbacks", composed, 0.7)


def fixed_point(f, x, n=3):
    return x if n == 0 else fixed_point(f, f(x), n - 1)


def recursion_with_function(x):
    return fixed_point(lambda t: np.cos(t) * x, 0.5)


case("recursion", recursion_with_function, 0.7)

TOTAL = 0.0


def global_store(x):
    global TOTAL
    TOTAL = x ** 2
    return TOTAL * x


case("stores into globals", global_store, 0.7, refused="Pass the value as an argument and return the new one")


def nested_class(x):
    class Local:
        def __init__(self, value):
            self.value = value

    return Local(x).value ** 2


case("nested class", nested_class, 0.7, refused="Define the class at module level")


def returns_pytree(x):
    return {"a": [x, x ** 2], "b": (np.array([x, 1.0]),)}


def pytree_of_callee(x):
    result = returns_pytree(x)
    (b,) = result["b"]
    return result["a"][1] * b[0] + sum(result["a"])


case("nested containers", pytree_of_callee, 0.7)
