"""Colourings for sparse derivatives: which columns (or rows) go through one sweep together.

Of a Jacobian, columns without a row in common (a partial distance-2 colouring; Curtis, Powell and Reid 1974); of a Hessian, whose
symmetry gives each entry twice, the weaker star colouring (Coleman and More 1984). The algorithms are greedy: Gebremedhin, Manne
and Pothen, "What color is your Jacobian?", SIAM Review 47, 2005; Gebremedhin, Tarafdar, Manne and Pothen, "New acyclic and star
coloring algorithms with application to computing Hessians", SIAM J. Sci. Comput. 29, 2007.
"""
from __future__ import annotations

import numpy as np

ROUNDS = 6                              # how often a colouring is made again in the order of its colours, at most
STRIDES = 6                             # by how many colours `striding` goes on from column to column, at most
ENTRIES = 20_000_000                    # entries that all rounds together look at, at most


def colour(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A colour for each column, such that columns with a row in common have different ones.

    Greedy, the largest columns first; then, until there are as many colours as the fullest row has entries (fewer is impossible):
    in the order of the matrix with strides, as on grids, and colour by colour again, which never takes more colours (Culberson's
    iterated greedy algorithm, 1992)."""
    order = np.argsort(columns, kind="stable")
    sizes = np.bincount(columns, minlength=shape[1])
    starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    below = rows[order].tolist()
    fewest = max(int(np.bincount(rows, minlength=1).max(initial=0)), 1)
    best = greedy(starts, below, shape, np.argsort(-sizes, kind="stable").tolist())
    rounds = min(ROUNDS, ENTRIES // max(len(below), 1))
    for turn in range(rounds):          # the classes of a colouring one by one: the last, or the largest, first
        if int(best.max(initial=-1)) < fewest:
            return best
        rank = -np.bincount(best)[best] if turn % 2 else -best
        again = greedy(starts, below, shape, np.lexsort((best, rank)).tolist())
        best = again if again.max() <= best.max() else best
    for count in range(fewest, int(best.max(initial=-1)) + 1) if rounds else ():
        for stride in range(1, min(count, STRIDES + 1)):
            found = striding(starts, below, shape, count, stride)
            if found is not None:
                return found
    return best


def striding(starts: list[int], below: list[int], shape: tuple[int, int], count: int, stride: int) -> np.ndarray | None:
    """So many colours in turn, each column some colours behind the one before: of a stencil on a grid the best. None: too few."""
    used = [0] * shape[0]
    found = [0] * shape[1]
    every, own = (1 << count) - 1, 0
    for j in range(shape[1]):
        taken = 0
        inside = below[starts[j]:starts[j + 1]]
        for i in inside:
            taken |= used[i]
        free = ~taken & every
        if not free:
            return None
        own = (own + stride) % count
        ahead = free >> own
        own = own + (ahead & -ahead).bit_length() - 1 if ahead else (free & -free).bit_length() - 1
        found[j] = own
        for i in inside:
            used[i] |= 1 << own
    return np.array(found, dtype=int)


def greedy(starts: list[int], below: list[int], shape: tuple[int, int], order: list[int]) -> np.ndarray:
    """The least colour for each column, in an order, that none with a row in common has. below: the rows of each, from `starts`."""
    used = [0] * shape[0]                                    # the colours in each row, as bits
    found = [0] * shape[1]
    for j in order:
        taken = 0
        own = below[starts[j]:starts[j + 1]]
        for i in own:
            taken |= used[i]
        bit = ~taken & (taken + 1)
        found[j] = bit.bit_length() - 1
        for i in own:
            used[i] |= bit
    return np.array(found, dtype=int)


def star(starts: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """A star colouring of a symmetric pattern (compressed rows): neighbours differ, and four in a line have three colours at least.

    So any two colours make stars, a centre with its neighbours, and each entry of the matrix stands alone in the product of its
    row, or of its column, with a colour. The better of two orders: the largest first, and that of the matrix."""
    size = len(starts) - 1
    orders = [np.argsort(-np.diff(starts), kind="stable"), np.arange(size)]
    found = [star_in(starts.tolist(), indices.tolist(), order.tolist()) for order in orders]
    return min(found, key=lambda colours: int(colours.max(initial=-1)))


def star_in(starts: list[int], indices: list[int], order: list[int]) -> np.ndarray:
    """The least colour for each vertex, in an order, that leaves a star colouring: in time of the edges.

    Each edge between coloured vertices belongs to a star of its two colours, which has a centre as soon as it has two edges. Sets
    of colours are bits. A leaf may not get a neighbour of the colour of its centre; nor may a vertex with two neighbours of one
    colour, whose centre it becomes, have the colour of any neighbour of theirs."""
    size = len(starts) - 1
    colours, bits = [-1] * size, [0] * size
    around, centres = [0] * size, [0] * size                 # the colours of neighbours, and of the centres of which it is a leaf
    alone: dict[tuple[int, int], int] = {}                   # the first neighbour of a colour
    for v in order:
        near = [w for w in indices[starts[v]:starts[v + 1]] if w != v and colours[w] >= 0]
        taken, first, twice = 0, dict[int, int](), set[int]()
        for w in near:
            c = colours[w]
            taken |= bits[w]
            q = first.setdefault(c, w)
            if q == w:
                taken |= centres[w]
            else:
                taken |= around[w] | around[q]
                twice.add(c)
        bit = ~taken & (taken + 1)
        c = bit.bit_length() - 1
        colours[v], bits[v] = c, bit
        for w in near:
            if around[w] & bit:                              # w is the centre, of v and of the neighbour that has its colour
                centres[alone[w, c]] |= bits[w]
                centres[v] |= bits[w]
            else:
                alone[w, c] = v
            around[w] |= bit
            around[v] |= bits[w]
            alone.setdefault((v, colours[w]), w)
            if colours[w] in twice:                          # v is the centre
                centres[w] |= bit
    return np.array(colours, dtype=int)
