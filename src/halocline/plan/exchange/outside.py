"""Cells of boxes outside of another box, as disjoint boxes: of many boxes at once.

Which disjoint boxes there are follows from the order in which boxes begin and end along each axis.
The surroundings of blocks have few such orders: Python solves each once, and NumPy does the rest.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from halocline.box_array import BoxArray, enumerated, joined
from halocline.geometry import first_come

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def disjoint_outside(inner: BoxArray, others: BoxArray) -> tuple[NDArray[np.intp], BoxArray]:
    """Return disjoint boxes of the cells that boxes have outside of another one.

    Args:
        inner: For each problem the box whose cells do not count (axes, problems).
        others: The boxes of each problem (axes, boxes, problems).

    Returns:
        The problem of each box, in ascending order, and the boxes: for each problem those that
        'geometry.disjoint' makes of what 'Box.subtract' leaves of its boxes.
    """
    apart = BoxArray(inner.lower[:, None], inner.upper[:, None])
    boxes = others.where(others.has_cells & ~apart.contains(others))
    count = inner.lower.shape[1]
    rows = np.concatenate([end.reshape(-1, count) for end in (*inner, *boxes)])
    _, kind = _distinct(_texts(rows, range(count + 1)))
    # Kinds are counted as they appear.
    _, first = np.unique(kind, return_index=True)
    of, rests = _in_order(boxes.take(first).subtract(apart.take(first)))
    counts, found = _disjoint(of, rests, len(first))
    problem, place = _repeated(counts, kind)
    return problem, found.take(place)


def _in_order(boxes: BoxArray) -> tuple[NDArray[np.intp], BoxArray]:
    """Return the boxes of each problem, each once, in the order in which they get cells.

    Args:
        boxes: The boxes (axes, …, problems).

    Returns:
        The problem of each box, in ascending order, and the boxes.
    """
    *_, of = (is_there := boxes.has_cells).nonzero()
    found = BoxArray(boxes.lower[:, is_there], boxes.upper[:, is_there])
    # Numbers of cells may be too large for NumPy to sort them.
    _, size = np.unique(-found.cells, return_inverse=True)
    keys = [of, size, *found.lower, *found.upper]
    order = np.lexsort(keys[::-1])
    is_new = np.ones(len(order), bool)
    is_new[1:] = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    return of[order[is_new]], found.take(order[is_new])


def _disjoint(
    of: NDArray[np.intp], boxes: BoxArray, count: int
) -> tuple[NDArray[np.int64], BoxArray]:
    """Return disjoint boxes with the same cells; of boxes that overlap the first stays whole.

    Args:
        of: The problem of each box, in ascending order.
        boxes: The boxes.
        count: How many problems there are.

    Returns:
        How many boxes each problem has, and the boxes, one problem after the other.
    """
    ends = [_ranked(of, *along, count) for along in zip(*boxes, strict=True)]
    ranks = np.concatenate([rank for rank, _, _ in ends]).astype(np.int32)
    keys, kind = _distinct(_texts(ranks, np.searchsorted(of, np.arange(count + 1)).tolist()))
    solved = [_solved(key, len(ends)) for key in keys]
    counts = np.array([len(one.lower.T) for one in solved], np.int64)
    problem, place = _repeated(counts, kind)
    found = joined([BoxArray.of((), len(ends)), *solved]).take(place)
    for axis, (_, begin, values) in enumerate(ends):
        for end in found:
            end[axis] = values[begin[problem] + end[axis]]
    return counts[kind], found


def _ranked(
    of: NDArray[np.intp], lower: NDArray[np.int64], upper: NDArray[np.int64], count: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
    """Return the bounds of boxes along an axis by their places in order.

    Returns:
        The places of lower and upper bounds among those of the same problem (2, boxes); where the
        bounds of each problem begin, and these, each once and in ascending order.
    """
    owner, value = np.append(of, of), np.append(lower, upper)
    order = np.lexsort((value, owner))
    is_new = np.ones(len(order), bool)
    is_new[1:] = (np.diff(owner[order]) != 0) | (np.diff(value[order]) != 0)
    rank = np.empty(len(order), np.intp)
    rank[order] = np.cumsum(is_new) - 1
    begin = np.searchsorted(owner[order][is_new], np.arange(count))
    return (rank - begin[owner]).reshape(2, -1), begin, value[order][is_new]


@lru_cache(maxsize=1 << 12)  # most are asked for again after a regrid
def _solved(ranks: bytes, axes: int) -> BoxArray:
    """Return disjoint boxes with the same cells as boxes; of overlapping ones the first is whole.

    Args:
        ranks: The bounds of each box, of one after the other, both along each axis.
        axes: How many axes there are.
    """
    rows = np.frombuffer(ranks, np.int32).reshape(-1, axes, 2).astype(np.int64)
    return BoxArray.of(first_come(BoxArray(rows[..., 0].T, rows[..., 1].T).every()), axes)


def _texts(rows: NDArray[np.int64] | NDArray[np.int32], ends: Iterable[int]) -> list[bytes]:
    """Return columns of an array as bytes: those from each of some places up to the next."""
    text, size = np.ascontiguousarray(rows.T).tobytes(), len(rows) * rows.itemsize
    return [text[size * begin : size * end] for begin, end in pairwise(ends)]


def _distinct(texts: Iterable[bytes]) -> tuple[list[bytes], NDArray[np.intp]]:
    """Return the different ones as they appear first, and which of these each one is."""
    known: dict[bytes, int] = {}
    kind = [known.setdefault(text, len(known)) for text in texts]
    return list(known), np.array(kind, np.intp)


def _repeated(
    counts: NDArray[np.int64], kind: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the entries of lists, as often as things are of the kind to which a list belongs.

    Args:
        counts: How many entries the list of each kind has.
        kind: The kind of each thing.

    Returns:
        The thing of each entry, and the place of the entry in all lists, one after the other.
    """
    thing, number = enumerated(counts[kind])
    begin = np.cumsum(counts) - counts
    return thing, begin[kind[thing]] + number
