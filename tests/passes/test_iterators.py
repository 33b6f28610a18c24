"""iterators: map, filter, zip and itertools become comprehensions and loops over what they go through."""
import itertools
import operator

from tests.passes.becomes import Cases

CASES = Cases("iterators")


@CASES.becomes("""
    return sum([x_2 * x_2 for x_2 in xs])
""")
def a_function_of_each(xs):
    return sum(map(lambda x: x * x, xs))


@CASES.becomes("""
    return [item for item in xs if item > 0.0]
""")
def those_that_are_wanted(xs):
    return list(filter(lambda x: x > 0.0, xs))


@CASES.becomes("""
    pairs = [(item, item_2) for item, item_2 in zip(xs, ys)]
    return pairs[0]
""")
def pairs_as_a_value(xs, ys):
    pairs = list(zip(xs, ys))
    return pairs[0]


@CASES.becomes("""
    total = 0.0
    for x in [*xs, *ys]:
        total = total + x
    return total
""")
def one_list_after_the_other(xs, ys):
    total = 0.0
    for x in itertools.chain(xs, ys):
        total = total + x
    return total


@CASES.becomes("""
    items = []
    initial = None
    for position, item_2 in enumerate(xs):
        if position == 0:
            total = item_2
        else:
            total = total * item_2
        item = total
        items.append(item)
    return items
""")
def running_totals(xs):
    return list(itertools.accumulate(xs, operator.mul))


@CASES.becomes("""
    return (items := sequence(xs))[extreme_position([x_2 * x_2 for x_2 in items], True)]
""")
def the_greatest_by_a_key(xs):
    return max(xs, key=lambda x: x * x)


@CASES.stays()
def plain_loops(xs, ys):
    total = 0.0
    for k, (x, y) in enumerate(zip(xs, ys)):
        total = total + x * y * k
    return total



test_iterators = CASES.check()
