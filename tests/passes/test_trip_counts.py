"""trip_counts: loops whose trips are only known afterwards count them."""
from tests.passes.becomes import Cases

CASES = Cases("trip_counts")
becomes = CASES.becomes


@becomes("""
    for _ in range(3):
        x = x * x
    return x
""")
def for_with_range(x):
    for _ in range(3):
        x = x * x
    return x


@becomes("""
    trips = 0
    while x > 1.0:
        trips = trips + 1
        x = x / 2.0
    return x
""")
def while_(x):
    while x > 1.0:
        x = x / 2.0
    return x


@becomes("""
    trips_2 = 0
    while n > 0:
        trips_2 = trips_2 + 1
        n = n - 1
        broke = False
        trips = 0
        for k in range(n):
            trips = trips + 1
            cond = k > x
            if cond:
                broke = True
            else:
                x = x + k
            if broke:
                break
    result = x
    return result
""")
def nested(x, n):
    while n > 0:
        n = n - 1
        for k in range(n):
            if k > x:
                break
            x = x + k
    return x


test_count = CASES.check()
