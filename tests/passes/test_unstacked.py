"""unstacked: elements of the adjoint of a matrix are read from it, not from the nested lists that it is taken apart into."""
import numpy as np

from sourcegrad.runtime import unstack
from tests.passes.becomes import Alone

M = np.array([[0.5, -1.5], [2.0, 1.0]])
CASES = Alone("unstacked")


@CASES.becomes("""
    rows_bar = m_bar
    return rows_bar[0][1] + rows_bar[1][0]
""", m_bar=M, c=0.5, s=0.1)
def elements_of_a_matrix(m_bar, c, s):
    rows_bar = unstack(m_bar, [[c, s], [s, c]])
    return rows_bar[0][1] + rows_bar[1][0]


@CASES.becomes("""
    rows_bar = m_bar
    row_bar = rows_bar[0]
    return row_bar[0] - row_bar[1]
""", m_bar=M, c=0.5, s=0.1)
def by_rows_that_have_names(m_bar, c, s):
    rows_bar = unstack(m_bar, [[c, s], [s, c]])
    row_bar = rows_bar[0]
    return row_bar[0] - row_bar[1]


@CASES.becomes("""
    return m_bar[0][1] * 2.0
""", m_bar=M, c=0.5, s=0.1)
def in_one_expression(m_bar, c, s):
    return unstack(m_bar, [[c, s], [s, c]])[0][1] * 2.0


@CASES.stays(m_bar=M, c=0.5, s=0.1)
def a_whole_row_is_read(m_bar, c, s):
    rows_bar = unstack(m_bar, [[c, s], [s, c]])
    return rows_bar[0]


@CASES.stays(m_bar=M, x=np.array([1.0, 2.0]))
def rows_that_are_arrays(m_bar, x):
    rows_bar = unstack(m_bar, [x, x])
    return rows_bar[0][1]


@CASES.stays(m_bar=M + 1.0j, c=0.5, s=0.1)
def a_complex_adjoint_of_real_numbers(m_bar, c, s):
    rows_bar = unstack(m_bar, [[c, s], [s, c]])
    return rows_bar[0][1]


test_unstacked = CASES.check()
