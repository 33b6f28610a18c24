"""Contractions of several operands (einsum, multi_dot): rules and kinds."""
from __future__ import annotations

import string
from typing import Any

import numpy as np

from sourcegrad.kinds import ANY, BOOL, Const, Kind, Lst, Num, Obj, Rest, Tup, broadcast_dim, common
from sourcegrad.kinds.results import Unknown, array, constant, dtype_of, numeric, together
from sourcegrad.primitives.core import COMPLEX, REAL, conj, describe, is_complex, jvp, nondifferentiable, rule, sample
from sourcegrad.primitives.products import known
from sourcegrad.runtime import (
    contract,
    einsum_adjoint,
    einsum_adjoint_operands,
    einsum_adjoints,
    einsum_adjoints_operands,
    einsum_is_plain,
    einsum_of,
    einsum_swapped,
    einsum_variation,
    multi_dot_subscripts,
    refuse,
    replace_item,
    unbroadcast,
    zeros_like,
)

# --- einsum ----------------------------------------------------------------------------------------------

def _operands(operands: Kind) -> list[Num]:
    if not isinstance(operands, Tup):
        raise Unknown                                        # how many there are
    return [numeric(item) for item in operands.items]


def _spelled_out(text: Any, nums: list[Num]) -> tuple[list[str], str]:
    """Terms and result, with letters for the dimensions of each ellipsis."""
    if not isinstance(text, str):
        raise Unknown
    inputs, arrow, output = text.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(nums):
        raise Unknown
    ranks = [len(known(num.dims)) - len(term.replace("...", "")) for term, num in zip(terms, nums)]
    if any(rank != 0 and ("..." not in term or rank < 0) for rank, term in zip(ranks, terms)):
        raise Unknown
    if not arrow:
        letters = inputs.replace(".", "").replace(",", "")
        output = "..." * ("." in inputs) + "".join(sorted(c for c in letters if letters.count(c) == 1))
    unused = "".join(c for c in string.ascii_letters if c not in text)
    most = max([rank for rank, term in zip(ranks, terms) if "..." in term], default=0)
    return ([term.replace("...", unused[most - rank:most]) for rank, term in zip(ranks, terms)],
            output.replace("...", unused[:most]))


def _dtype(*nums: Num) -> str | None:
    return dtype_of(_sum_of_product, *nums) if all(num.dims is not None for num in nums) else together(*nums)


def _sum_of_product(*arrays: Any) -> Any:
    letters = iter(string.ascii_letters)
    return np.einsum(",".join("".join(next(letters) for _ in range(np.ndim(x))) for x in arrays) + "->", *arrays)


def einsum_kind(subscripts: Kind, *operands: Kind, **options: Kind) -> Num:
    nums = [numeric(operand) for operand in operands]
    dtype = _dtype(*nums)
    try:
        terms, output = _spelled_out(constant(subscripts), nums)
    except Unknown:
        return Num(dtype)
    sizes: dict = {}
    for term, num in zip(terms, nums):
        for letter, dim in zip(term, num.dims or ()):
            sizes[letter] = broadcast_dim(sizes.get(letter, 1), dim)
    if not set(output) <= set(sizes):
        return Num(dtype)                                    # NumPy raises an error
    result = array(dtype, tuple(sizes[letter] for letter in output))
    plain = "optimize" not in options or options["optimize"] == Const(False)
    return result if result.dims or plain else Num(result.dtype, ())          # an array without axes, perhaps


def einsum_of_kind(subscripts: Kind, operands: Kind, optimize: Kind = Const(False)) -> Kind:
    return einsum_kind(subscripts, *_operands(operands), optimize=optimize)


def einsum_adjoint_kind(k: Kind, ct: Kind, subscripts: Kind, operands: Kind, optimize: Kind = Const(False)) -> Kind:
    """Zeros shaped as the operand, of the dtype of all others together with `ct`."""
    nums = _operands(operands)
    place = constant(k)
    dims = nums[place].dims
    result = array(_dtype(numeric(ct), *(num for j, num in enumerate(nums) if j != place)), dims)
    return result if dims else Num(result.dtype, dims)


def einsum_adjoints_kind(ct: Kind, subscripts: Kind, operands: Kind, optimize: Kind = Const(False)) -> Kind:
    return Lst(common(einsum_adjoint_kind(Const(k), ct, subscripts, operands) for k in range(len(_operands(operands)))))


def einsum_variation_kind(cts: Kind, subscripts: Kind, operands: Kind, optimize: Kind = Const(False)) -> Kind:
    """A sum of results, one for each operand replaced by an adjoint of its own."""
    nums = _operands(operands)
    items = cts.items if isinstance(cts, Tup) else (cts.item,) if isinstance(cts, Lst) and cts.item else ()
    if not items or not nums:
        raise Unknown
    result = einsum_kind(subscripts, *nums, optimize=optimize)
    dtype = _dtype(*(numeric(item) for item in items), *nums)
    return Num(dtype if len(nums) > 1 else None, result.dims, True if result.dims else None)


def like_operands_kind(operands: Kind) -> Kind:
    """A list of arrays shaped as the operands."""
    joined = common(_operands(operands))
    return Lst(Num(None, joined.dims) if isinstance(joined, Num) else joined)


def einsum_swapped_kind(subscripts: Kind, k: Kind) -> Kind:
    text, place = constant(subscripts), constant(k)
    return Const(einsum_swapped(text, place)) if isinstance(text, str) else Obj(str)


def text_of_chain_kind(arrays: Kind) -> Kind:
    try:
        examples = [np.empty((0,) * len(known(num.dims))) for num in _operands(arrays)]
    except Unknown:
        return Obj(str)
    return Const(multi_dot_subscripts(examples))


def replace_item_kind(items: Kind, k: Kind, value: Kind) -> Kind:
    if isinstance(items, Tup) and isinstance(k, Const):
        place = range(len(items.items))[k.value]
        return Tup((*items.items[:place], value, *items.items[place + 1:]))
    return Rest(common([*items.items, value])) if isinstance(items, Tup) else Rest(ANY)


# --- other products --------------------------------------------------------------------------------------

def multi_dot_kind(arrays: Kind, **_: Kind) -> Kind:
    nums = _operands(arrays)
    first, last = known(nums[0].dims), known(nums[-1].dims)
    return array(together(*nums), (first[:1] if len(first) == 2 else ()) + (last[1:] if len(last) == 2 else ()))


# --- einsum, multi_dot ----------------------------------------------------------------------------------

EINSUMS = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("i,i->", (3,), (3,)), ("i,j->ij", (3,), (2,)),
    ("ij,kj->ki", (2, 3), (4, 3)), ("ii->i", (3, 3)), ("ii", (3, 3)), ("ij->ji", (2, 3)), ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("iij->j", (2, 2, 3)), ("bij,bjk->bik", (2, 3, 2), (2, 2, 4)), ("...ij,...jk->...ik", (5, 2, 3), (3, 2)),
    ("...ij,...jk", (2, 2, 3), (1, 3, 2)), ("i...,i->...", (3, 2), (3,)), ("ij,j,k->ik", (2, 3), (3,), (2,)),
    ("ij,ij->ij", (1, 3), (2, 3)), ("ij,k->k", (2, 3), (4,)), ("ii,i->i", (3, 3), (3,)), ("ij,jk,kl,lm->im",
    (2, 3), (3, 2), (2, 4), (4, 2)), (" b i , i -> b ", (2, 3), (3,)), ("ba,b", (2, 3), (2,)),
    (",i->i", (), (3,))]
EINSUM_OF = [sample(spec[0], [domain(*shape) for shape in spec[1:]])
             for spec in EINSUMS for domain in (REAL, COMPLEX)]


nondifferentiable(einsum_is_plain, kind=lambda subscripts: BOOL)
nondifferentiable(einsum_swapped, kind=einsum_swapped_kind)
nondifferentiable(multi_dot_subscripts, kind=text_of_chain_kind)
nondifferentiable(refuse)


describe(contract, result="new")
describe(np.einsum, result="may view", alone=2, multiplies=True)                   # only of one array it may be a view


@rule(np.einsum, contract, tangent="multilinear", order="other", kind=einsum_kind, samples=[
    sample(spec[0], *(REAL(*shape) for shape in spec[1:])) for spec in EINSUMS])
def einsum(ct, out, subscripts, *operands, optimize=False):
    """The adjoint of an operand is the einsum in which the result has taken its place."""
    if len(operands) == 2 and not optimize and einsum_is_plain(subscripts):
        return None, [
            unbroadcast(contract(einsum_swapped(subscripts, 0), ct, conj(operands[1])), operands[0]),
            unbroadcast(contract(einsum_swapped(subscripts, 1), conj(operands[0]), ct), operands[1])]
    if len(operands) == 1:
        return None, [einsum_adjoint(0, ct, subscripts, operands, optimize)]
    if len(operands) == 2:
        return None, [einsum_adjoint(0, ct, subscripts, operands, optimize),
                      einsum_adjoint(1, ct, subscripts, operands, optimize)]
    if len(operands) == 3:
        return None, [einsum_adjoint(0, ct, subscripts, operands, optimize),
                      einsum_adjoint(1, ct, subscripts, operands, optimize),
                      einsum_adjoint(2, ct, subscripts, operands, optimize)]
    return None, einsum_adjoints(ct, subscripts, operands, optimize)


@rule(einsum_of, kind=einsum_of_kind, samples=EINSUM_OF)
def einsum_of_rule(ct, out, subscripts, operands, optimize=False):
    return None, einsum_adjoints(ct, subscripts, operands, optimize)


@jvp(einsum_of)
def einsum_of_tangent(dot, out, subscripts, operands, optimize=False):
    """The sum of the einsums in which each operand in turn is replaced by its tangent."""
    return None, einsum_variation(dot, subscripts, operands, optimize)


@rule(einsum_adjoint, kind=einsum_adjoint_kind, samples=[
    sample(0, COMPLEX(2, 4), "ij,jk->ik", [COMPLEX(2, 3), COMPLEX(3, 4)]),
    sample(0, REAL(3), "ii->i", [REAL(3, 3)]),
    sample(1, COMPLEX(2, 4), "ij,jk->ik", (COMPLEX(2, 3), COMPLEX(3, 4))),
    *(sample(k, COMPLEX(2, 2), "ij,j,jk->ik", [COMPLEX(2, 3), COMPLEX(3), COMPLEX(3, 2)]) for k in (0, 1,
                                                                                                    2))])
def einsum_adjoint_rule(ct, out, k, w, subscripts, operands, optimize=False):
    """Linear in `w` and in each of the other operands."""
    value = einsum_of(subscripts, replace_item(operands, k, ct), optimize)
    if len(operands) == 1:
        return None, value, None, [zeros_like(operands[0])]
    if len(operands) == 2 and k == 0:
        return None, value, None, [zeros_like(operands[0]),
                                   einsum_adjoint(1, w, subscripts, [ct, operands[1]], optimize)]
    if len(operands) == 2:
        return None, value, None, [einsum_adjoint(0, w, subscripts, [operands[0], ct], optimize),
                                   zeros_like(operands[1])]
    if len(operands) == 3 and k == 0:
        return None, value, None, [zeros_like(operands[0]),
                                   einsum_adjoint(1, w, subscripts, [ct, operands[1], operands[2]], optimize),
                                   einsum_adjoint(2, w, subscripts, [ct, operands[1], operands[2]], optimize)]
    if len(operands) == 3 and k == 1:
        return None, value, None, [einsum_adjoint(0, w, subscripts, [operands[0], ct, operands[2]], optimize),
                                   zeros_like(operands[1]),
                                   einsum_adjoint(2, w, subscripts, [operands[0], ct, operands[2]], optimize)]
    if len(operands) == 3:
        return None, value, None, [einsum_adjoint(0, w, subscripts, [operands[0], operands[1], ct], optimize),
                                   einsum_adjoint(1, w, subscripts, [operands[0], operands[1], ct], optimize),
                                   zeros_like(operands[2])]
    return None, value, None, einsum_adjoint_operands(k, ct, w, subscripts, operands, optimize)


CHAIN = [REAL(2, 3), REAL(3, 2), REAL(2, 4), REAL(4, 2)]
THIRD = "np.einsum and multi_dot with more than 3 operands have no third derivative"
FEWER = "Multiply two operands at a time."


@rule(einsum_adjoints, kind=einsum_adjoints_kind, samples=[
    sample(REAL(2, 2), "ij,jk,kl,lm->im", CHAIN), sample(COMPLEX(2, 4), "ij,jk->ik", [COMPLEX(2, 3), COMPLEX(3, 4)])])
def einsum_adjoints_rule(ct, out, w, subscripts, operands, optimize=False):
    """Linear in `w`, and in each operand except for its own adjoint."""
    return (einsum_variation(ct, subscripts, operands, optimize), None,
            einsum_adjoints_operands(ct, w, subscripts, operands, optimize))


@jvp(einsum_adjoints)
def einsum_adjoints_tangent(dot, out, w, subscripts, operands, optimize=False):
    """Linear in `w`; in the operands they are a gradient, so that their derivative is symmetric."""
    if is_complex(w) is False:
        return (einsum_adjoints(dot, subscripts, operands, optimize), None,
                einsum_adjoints_operands(dot, w, subscripts, operands, optimize))
    return NotImplemented


@rule(einsum_variation, kind=einsum_variation_kind)
def einsum_variation_rule(ct, out, cts, subscripts, operands, optimize=False):
    return refuse(THIRD, FEWER), None, refuse(THIRD, FEWER)


@rule(einsum_adjoint_operands, kind=lambda k, ct, w, subscripts, operands, *_: like_operands_kind(operands))
def einsum_adjoint_operands_rule(ct, out, k, y, w, subscripts, operands, optimize=False):
    return None, refuse(THIRD, FEWER), refuse(THIRD, FEWER), None, refuse(THIRD, FEWER)


@rule(einsum_adjoints_operands, kind=lambda cts, w, subscripts, operands, *_: like_operands_kind(operands))
def einsum_adjoints_operands_rule(ct, out, cts, w, subscripts, operands, optimize=False):
    return refuse(THIRD, FEWER), refuse(THIRD, FEWER), None, refuse(THIRD, FEWER)


@rule(replace_item, tangent="linear", kind=replace_item_kind, samples=[sample((REAL(2), REAL(3)), 0, REAL(4))])
def replace_item_rule(ct, out, items, k, value):
    return replace_item(ct, k, zeros_like(items[k])), None, ct[k]


@rule(np.linalg.multi_dot, kind=multi_dot_kind, samples=[
    sample([REAL(2, 3), REAL(3, 4)]), sample([COMPLEX(2, 3), COMPLEX(3, 4), COMPLEX(4, 2)]),
    sample([REAL(3), REAL(3, 4), REAL(4)]), sample([REAL(3), REAL(3, 4), REAL(4, 2), REAL(2, 3)])])
def multi_dot(ct, out, arrays):
    """A chain of matrix products is an einsum."""
    chain = multi_dot_subscripts(arrays)
    if len(arrays) == 2:
        return [einsum_adjoint(0, ct, chain, arrays, True), einsum_adjoint(1, ct, chain, arrays, True)]
    if len(arrays) == 3:
        return [einsum_adjoint(0, ct, chain, arrays, True), einsum_adjoint(1, ct, chain, arrays, True),
                einsum_adjoint(2, ct, chain, arrays, True)]
    return einsum_adjoints(ct, chain, arrays, True)
