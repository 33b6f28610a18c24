"""Constant factors: adjoints that are all one value or one row stay so, einsums become products of matrices, sums of products
become einsums. Each program is right at orders 1 and 2; of some the text is asked, too."""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sourcegrad as sg

R = np.random.default_rng(0).standard_normal
A, B, C, D = R((3, 4)), R((4, 2)), R((2, 3)), R((3, 3))
u, v, w = R(3), R(4), R(2)
PROGRAMS: list[Any] = []


def program(*args: np.ndarray) -> Callable:
    def keep(function: Callable) -> Callable:
        PROGRAMS.append(pytest.param(function, args, id=function.__name__))
        return function
    return keep


def text(function: Callable, *args: np.ndarray) -> str:
    """The reverse sweep of the gradient in all arguments."""
    gradient = sg.grad(function, tuple(range(len(args))))
    gradient(*args)
    lines = str(gradient.source).partition("# --- reverse sweep")[2].splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


# --- adjoints that are all one value, or one row or column

@program(A, B)
def sum_of_product(a, b):
    return np.sum(a @ b)


@program(A, B)
def mean_of_product(a, b):
    return np.mean(a @ b)


@program(A, B, w)
def weighted_means_of_columns(a, b, w):
    return np.dot(w, np.mean(a @ b, axis=0))


@program(A, B, u)
def weighted_sums_of_rows(a, b, u):
    return np.dot(u, np.sum(a @ b, axis=1))


@program(A, B, u)
def column_of_weights(a, b, u):
    return np.sum((a @ b) * u[:, None])


@program(A, B, w)
def row_of_weights(a, b, w):
    return np.sum((a @ b) * w)


@program(A, B, C)
def sum_of_chain(a, b, c):
    return np.sum(a @ b @ c)


@program(A, B, C)
def trace_of_chain(a, b, c):
    return np.trace(a @ b @ c)


@program(A, u, v)
def outer_products(a, u, v):
    return np.sum(a * np.outer(u, v)) + np.sum(np.outer(u, v) @ a.T)


@program(D, u)
def outer_products_multiplied(d, u):
    return np.sum(np.outer(u, u) @ d) + np.sum(d @ np.outer(u, d[0]))


@program(C, R((6, 6)))
def outer_product_of_matrices(c, d):
    return np.sum(np.outer(c, c) @ d) + np.sum(d @ np.outer(c, d[0]))


@program(A, B)
def product_of_functions(a, b):
    return np.sum(np.tanh(a) @ np.sin(b))


@program(A, B)
def sum_and_squares(a, b):
    c = a @ b
    return np.sum(c) + np.sum(c ** 2)


@program(A, B)
def sum_times_mean(a, b):
    c = a @ b
    return np.sum(c) * np.mean(c)


@program(A, B)
def in_a_loop(a, b):
    s = 0.0
    for k in range(3):
        s += np.sum((k + 1.0) * a @ b)
    return s


@program(A, B)
def in_a_branch(a, b):
    c = a @ b
    if c[0, 0] > 0:
        return np.sum(c)
    return np.mean(c)


@program(A, B, w)
def affine(a, b, w):
    return np.mean(a @ b + w)


@program(A, B, w)
def sums_squared(a, b, w):
    return np.sum(np.sum(a @ b + w, axis=0) ** 2)


@program(A, B)
def kept_axis(a, b):
    return np.sum(np.sum(a @ b, axis=1, keepdims=True) ** 2)


@program(R((5, 3, 4)), R((5, 4, 2)))
def stacks(a, b):
    return np.sum(a @ b)


@program(R((5, 3, 4)), B)
def stack_and_matrix(a, b):
    return np.sum(np.mean(a @ b, axis=(0, 2)))


@program(A, R((4, 1)))
def one_column(a, b):
    return np.sum(a @ b)


@program(R((1, 4)), B)
def one_row(a, b):
    return np.mean(a @ b)


@program(A, B)
def centred(a, b):
    c = a @ b
    e = c - np.mean(c)
    return np.sum(e @ e.T)


@program(R((3, 4)), R((4, 3)))
def transposed_twice(x, y):
    a = x.T - y
    return np.sum(a) + np.sum(np.mean(a @ (y.T @ x.T), axis=1) ** 3)


@program(A, R((3, 4)))
def transposed(a, b):
    return np.sum(a @ b.T) + np.sum(a.T @ b)


# --- sums of products

@program(A, B)
def broadcast_product(a, b):
    return np.sum(np.sum(a[:, :, None] * b[None], axis=1) ** 2)


@program(A, v)
def rows_times_vector(a, v):
    return np.sum(np.exp(np.sum(a * v, axis=1)))


@program(A, u)
def column_times_rows(a, u):
    return np.sum(np.log(np.sum(a ** 2 * (u ** 2)[:, None], axis=0)))


@program(R((2, 3, 4)), R((3, 4)))
def two_axes(a, b):
    return np.sum(np.sum(a * b, axis=(1, 2)) ** 2)


@program(R((2, 3, 4)), R((2, 1, 4)))
def axis_of_one(a, b):
    return np.sum(np.sum(a * b, axis=1) ** 3)


@program(R((4, 3)), R((4, 3)))
def means_twice(x, y):
    m = np.mean(x, axis=0)
    d = x - np.mean(x, axis=0)
    return np.sum(d * y * m)


@program(R((5, 3)))
def distances(x):
    d = x[:, None, :] - x[None, :, :]
    return np.sum(np.exp(-np.sum(d ** 2, axis=-1)))


# --- einsum

@program(A, B)
def einsum_of_matrices(a, b):
    return np.sum(np.einsum("ij,jk->ik", a, b) ** 2)


@program(A, B, C)
def einsum_of_three(a, b, c):
    return np.sum(np.einsum("ij,jk,kl->il", a, b, c) ** 2)


@program(R((2, 3, 4)), R((2, 5, 4)))
def einsum_of_stacks(a, b):
    return np.sum(np.einsum("bij,bkj->bki", a, b) ** 2)


@program(A, v)
def einsum_matrix_vector(a, v):
    return np.sum(np.einsum("ij,j->i", a, v) ** 2)


@program(A, u)
def einsum_vector_matrix(a, u):
    return np.sum(np.einsum("i,ij->j", u, a) ** 2)


@program(A, 2.0 * A)
def einsum_of_columns(a, b):
    return np.sum(np.einsum("ij,ij->j", a, b) ** 2)


@program(R((2, 3, 4)), R((4, 5)))
def einsum_reordered(a, b):
    return np.sum(np.einsum("nij,jk->nki", a, b) ** 2)


# --- loops and updates

@program(A, B)
def rank_one_updates(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for k in range(a.shape[1]):
        out += a[:, k:k + 1] * b[k:k + 1]
    return np.sum(out ** 2)


@program(R((3, 6)), R(3))
def windows_added_in_place(x, kernel):
    h = x.shape[1] - kernel.shape[0] + 1
    out = np.zeros((x.shape[0], h))
    for i in range(kernel.shape[0]):
        out += x[:, i:i + h] * kernel[i]
    return np.sum(out ** 2)


@program(R(4))
def over_items(x):
    s = 0.0
    for t in [0.1, 0.2, 0.5]:
        s = s + np.sum(np.sin(t * x)) * t
    return s


@program(R((3, 4)))
def log_sum_exp_squeezed(x):
    top = np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x - top), axis=1)) + np.squeeze(top, axis=1))


@pytest.mark.parametrize("function,args", PROGRAMS)
def test_right(function: Callable, args: tuple) -> None:
    for order in (1, 2):
        sg.check_grad(function, *args, inputs=tuple(range(len(args))), order=order)


def test_what_is_one_value_is_not_multiplied() -> None:
    for function, args in ((sum_of_product, (A, B)), (sum_of_chain, (A, B, C)), (affine, (A, B, w)),
                           (weighted_sums_of_rows, (A, B, u))):
        found = text(function, *args)
        assert "ones" not in found and "full" not in found, found
    assert "@" not in text(sum_of_product, A, B)


def test_einsum_of_which_one_adjoint_is_wanted() -> None:
    gradient = sg.grad(einsum_of_three, "b")
    gradient(A, B, C)
    assert str(gradient.source).count("einsum_adjoint(") == 1


def test_reversed_loop_goes_over_items() -> None:
    assert "in reversed([" in (found := text(over_items, R(4))) or "in reversed(" in found and "[k]" not in found, found


def test_update_of_an_array_stays_one() -> None:
    gradient = sg.grad(windows_added_in_place, ("x", "kernel"))
    gradient(R((3, 6)), R(3))
    assert "out += " in gradient.source and "np.copy" not in gradient.source


SIZES = {"i": 2, "j": 3, "k": 4, "l": 2}


def einsums(count: int) -> list[str]:
    """Subscripts of two operands, drawn by chance."""
    draw = np.random.default_rng(7)
    found = []
    for _ in range(count):
        terms = ["".join(draw.permutation(list("ijkl"))[:draw.integers(1, 4)]) for _ in range(2)]
        letters = sorted(set("".join(terms)))
        output = "".join(draw.permutation(letters)[:draw.integers(0, len(letters) + 1)])
        found.append(f"{','.join(terms)}->{output}")
    return found


@pytest.mark.parametrize("subscripts", einsums(40))
def test_einsum(subscripts: str, tmp_path: Path) -> None:
    source = f"import numpy as np\n\n\ndef f(x, y):\n    return np.sum(np.sin(np.einsum({subscripts!r}, x, y)))\n"
    path = tmp_path / "program.py"
    path.write_text(source)
    scope: dict[str, Any] = {}
    exec(compile(source, str(path), "exec"), scope)
    args = [R([SIZES[letter] for letter in term]) for term in subscripts.partition("->")[0].split(",")]
    sg.check_grad(scope["f"], *args, inputs=(0, 1))


def test_large_contractions_are_exact() -> None:
    """Where there is enough to multiply, in pairs: the same numbers."""
    from sourcegrad.runtime import contract
    for subscripts, *shapes in (("nk,ni,nj->kij", (50, 3), (50, 12), (50, 20)), ("ab,bc,cd,de->ae", *[(30, 30)] * 4),
                                ("nchw,nfhw->fc", (3, 4, 20, 20), (3, 5, 20, 20)), ("ij,ij->j", (300, 200), (1, 200)),
                                ("ij,jk,k->", (40, 40), (40, 40), (40,))):
        arrays = [R(shape) for shape in shapes]
        assert np.allclose(contract(subscripts, *arrays), np.einsum(subscripts, *arrays), rtol=1e-11, atol=1e-9)
