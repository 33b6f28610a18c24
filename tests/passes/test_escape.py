"""escape: closures that end up where their kind is not known carry the function that they belong to."""
from tests.passes.becomes import Within

CASES = Within("escape")


@CASES.becomes("""
    x_start = x
    lambda__closure_2_2 = closed(lambda_, (x,))
    lambda__closure_3_2_2 = closed(lambda__2, (x,))
    chosen = [lambda__closure_2_2, lambda__closure_3_2_2]
    total = 0.0
    total_tape = []
    value_x_pull_tape = []
    value_x_tape = []
    for k in range(n):
        remainder = k % 2
        chosen_i = chosen[remainder]
        value_x, value_x_pull = call_forward_for((0, 1), chosen_i, x)
        value_x_pull_tape.append(value_x_pull)
        total_tape.append(total)
        total = total + value_x
        value_x_tape.append(value_x)
    value = total
    # --- reverse sweep
    total_bar = ones_like_output(total)
    chosen_bar = zeros_like(chosen)
    x_bar = 0.0
    for k in reversed(range(n)):
        value_x = value_x_tape.pop()
        remainder = k % 2
        chosen_i = chosen[remainder]
        total = total_tape.pop()
        value_x_bar = operand_part(total_bar, value_x)
        total_bar = operand_part(total_bar, total)
        value_x_pull = value_x_pull_tape.pop()
        chosen_i_part, x_part = call_reverse(value_x_pull, value_x_bar)
        chosen_i_bar = chosen_i_part
        x_bar = x_bar + x_part
        chosen_bar = index_add(chosen_bar, remainder, chosen_i_bar)
    lambda__closure_2_2_bar = chosen_bar[0]
    lambda__closure_3_2_2_bar = chosen_bar[1]
    x_bar = x_bar + lambda__closure_3_2_2_bar[0]
    x_bar = x_bar + lambda__closure_2_2_bar[0]
    return as_gradient(x_bar, x_start)
""", x=2.0, n=3)
def one_of_two_closures(x, n):
    chosen = [lambda t: t * x, lambda t: t + x]
    total = 0.0
    for k in range(n):
        total = total + chosen[k % 2](x)
    return total


@CASES.stays(x=2.0, n=2)
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
