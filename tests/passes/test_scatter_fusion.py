"""scatter_fusion: a sum into a part of an item goes to that part at once, without zeros for the rest of the item."""
import numpy as np

from sourcegrad.runtime import entry_add, index_add, zeros_like
from tests.passes.becomes import Alone

X = np.array([0.5, -1.5, 2.0])
CASES = Alone("scatter_fusion")


@CASES.becomes("""
    xs_bar = [np.zeros(3), np.zeros(3)]
    xs_bar = index_add(xs_bar, at[i][0], w)
    return xs_bar
""", xs=[X, 2.0 * X], i=1, w=3.0)
def a_part_of_an_item(xs, i, w):
    xs_bar = [np.zeros(3), np.zeros(3)]
    part_bar = index_add(zeros_like(xs[0]), 0, w)
    xs_bar = index_add(xs_bar, i, part_bar)
    return xs_bar


@CASES.becomes("""
    xs_bar = [np.zeros(3), np.zeros(3)]
    xs_bar = index_add(xs_bar, at[i][:2], w)
    return xs_bar
""", xs=[X, 2.0 * X], i=1, w=3.0)
def in_one_expression(xs, i, w):
    xs_bar = [np.zeros(3), np.zeros(3)]
    xs_bar = index_add(xs_bar, i, index_add(zeros_like(xs[0]), np.s_[:2], w))
    return xs_bar


@CASES.becomes("""
    pair_bar = 0.0, w
    return pair_bar
""", pair=(0.5, 1.0), w=3.0)
def a_pair_is_written_out(pair, w):
    pair_bar = index_add(zeros_like(pair), 1, w)
    return pair_bar


@CASES.stays(xs=[X, 2.0 * X], i=1, w=3.0)
def the_part_is_read_again(xs, i, w):
    xs_bar = [np.zeros(3), np.zeros(3)]
    part_bar = index_add(zeros_like(xs[0]), 0, w)
    xs_bar = index_add(xs_bar, i, part_bar)
    return xs_bar, part_bar


@CASES.stays(xs=[X, 2.0 * X], i=1, w=3.0)
def what_is_added_has_changed_by_then(xs, i, w):
    xs_bar = [np.zeros(3), np.zeros(3)]
    part_bar = index_add(zeros_like(xs[0]), 0, w)
    w = w + 1.0
    xs_bar = index_add(xs_bar, i, part_bar)
    return xs_bar, w


@CASES.stays(pair=(0.5, 1.0), i=1, w=3.0)
def which_of_the_pair_is_not_known(pair, i, w):
    pair_bar = index_add(zeros_like(pair), i, w)
    return pair_bar


@CASES.stays(pair=(0.5, 1.0), w=3.0j)
def a_complex_part_of_a_real_pair(pair, w):
    pair_bar = index_add(zeros_like(pair), 1, w)
    return pair_bar


# --- Of sparse adjoints, too, where nothing is differentiated any more.

AGAIN = Alone("scatter_fusion again")


@AGAIN.becomes("""
    model_bar = {'w': w}
    model_bar = entry_add_at(model_bar, 'rows', 0, w, rows)
    return model_bar
""", rows=[X, 2.0 * X], w=X)
def an_entry_of_an_object(rows, w):
    model_bar = {"w": w}
    rows_bar = index_add(zeros_like(rows), 0, w)
    model_bar = entry_add(model_bar, "rows", rows_bar)
    return model_bar


test_again = AGAIN.check()
test_scatter_fusion = CASES.check()
