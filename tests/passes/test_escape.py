"""escape: closures that end up where their kind is not known carry the function that they belong to."""
from tests.passes.becomes import Within

CASES = Within("escape")


@CASES.becomes("""
    found = {}
    for k in range(n):
        lambda__closure_2_2 = closed(lambda__2_2, (x, k))
        found = index_set(found, np.s_[k], lambda__closure_2_2)
    total = 0.0
    for k_2 in range(n):
        found_i = found[k_2]
        captured = found_i[0]
        captured_2 = found_i[1]
        value_x = lambda__2(captured, captured_2, x)
        total = total + value_x
    return total
""", x=2.0, n=2)
def closures_in_a_dict_of_unknown_keys(x, n):
    found = {}
    for k in range(n):
        found[k] = lambda t, k=k: t * x + k
    total = 0.0
    for k in range(n):
        total = total + found[k](x)
    return total


@CASES.stays(x=2.0)
def a_closure_whose_kind_is_known(x):
    scaled = lambda t: t * x  # noqa: E731 (that it has a name is what is tested)
    return scaled(3.0)


test_escape = CASES.check()
