"""Every rank gets each cell that it wants once, of its own where it can."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from halocline.geometry import Box, box_of
from halocline.plan.blocks.decomposition import Decomposition
from halocline.plan.blocks.redistribution import (
    Piece,
    Redistribution,
    boxes_of_ranks,
    redistribution,
)
from halocline.plan.blocks.shapes import decompose
from halocline.plan.cells.block import NOBODY

EXTENT = (7, 6)
PERIODIC = (True, False)


@st.composite
def decompositions(draw, ranks: int) -> Decomposition:
    """Return blocks of any sizes with any owners, some of them dropped."""
    while True:
        cuts = tuple(
            (0, *sorted(draw(st.sets(st.integers(1, n - 1), max_size=3))), n) for n in EXTENT
        )
        blocks = int(np.prod([len(axis) - 1 for axis in cuts]))
        if blocks >= ranks:
            break
    owners = [*range(ranks), *draw(st.lists(st.integers(NOBODY, ranks - 1), max_size=blocks))]
    owners = tuple(draw(st.permutations((owners + [0] * blocks)[:blocks])))
    if set(range(ranks)) - set(owners):
        owners = ()
    return Decomposition(cuts, PERIODIC, ranks, owners)


def boxes(decomposition: Decomposition) -> list[list[Box]]:
    return boxes_of_ranks(decomposition.base, lambda n: decomposition.base.table(n).box)


def cells(box: Box) -> list[tuple[int, ...]]:
    return list(product(*(range(l, u) for l, u in zip(box.lower, box.upper, strict=True))))


def pieces(plan: Redistribution) -> list[Piece]:
    return [*plan.copies, *(piece for found in plan.receives.values() for piece in found)]


@given(st.data(), st.integers(1, 6))
def test_each_wanted_cell_that_some_rank_has_comes_once(data, ranks):
    have, wanted = (boxes(data.draw(decompositions(ranks))) for _ in range(2))
    known = {cell for found in have for box in found for cell in cells(box)}
    plans = [redistribution(have, wanted, rank) for rank in range(ranks)]
    for rank, plan in enumerate(plans):
        places = [(p.target, cell) for p in pieces(plan) for cell in cells(p.box)]
        asked = [(n, cell) for n, box in enumerate(wanted[rank]) for cell in cells(box)]
        assert sorted(places) == sorted(place for place in asked if place[1] in known)
        assert plan.covers(wanted[rank]) == (len(places) == len(asked))
        for number, is_filled in enumerate(plan.fills(wanted[rank])):
            of_box = [p for p in pieces(plan) if p.target == number]
            in_one = len(of_box) == 1 and cells(of_box[0].box) == cells(wanted[rank][number])
            assert is_filled == in_one
        own = {cell for box in have[rank] for cell in cells(box)}
        received = {cell for p in pieces(plan) for cell in cells(p.box)} - own
        sent = sum(p.box.cells for found in plan.receives.values() for p in found)
        assert sent == len(received)


@given(st.data(), st.integers(1, 6))
def test_both_sides_of_a_message_agree_on_it(data, ranks):
    have, wanted = (boxes(data.draw(decompositions(ranks))) for _ in range(2))
    plans = [redistribution(have, wanted, rank) for rank in range(ranks)]
    for (a, sender), (b, receiver) in product(enumerate(plans), repeat=2):
        assert sender.sends.get(b) == receiver.receives.get(a)
        for piece in sender.sends.get(b, ()):
            assert have[a][piece.source].contains(piece.box)
            assert wanted[b][piece.target].contains(piece.box)


def test_nothing_moves_between_equal_decompositions():
    same = boxes(decompose(EXTENT, PERIODIC, 3, (1, 6), 2))
    plan = redistribution(same, same, 1)
    assert not plan.sends
    assert not plan.receives
    assert plan.copies == (Piece(0, same[1][0], 0), Piece(1, same[1][1], 1))


def test_of_boxes_that_several_ranks_have_each_takes_its_own_or_the_firsts():
    low, high = Box((0,), (4,)), Box((4,), (8,))
    have = [[low], [low], [high, high], [high]]
    wanted = [[box_of((8,))], [Box((2,), (6,))], [low], [low, low]]
    found = [redistribution(have, wanted, rank) for rank in range(4)]
    assert found[0].receives == {2: (Piece(0, high, 0),)}
    assert found[1].copies == (Piece(0, Box((2,), (4,)), 0),)
    assert found[1].receives == {2: (Piece(0, Box((4,), (6,)), 0),)}
    assert found[3].receives == {0: (Piece(0, low, 0), Piece(1, low, 0))}
    assert found[0].sends == {2: (Piece(0, low, 0),), 3: (Piece(0, low, 0), Piece(1, low, 0))}
    assert not found[1].sends


def test_a_rank_may_have_or_want_nothing():
    low, high = Box((0,), (4,)), Box((4,), (8,))
    everything = box_of((8,))
    gathered = redistribution([[low], [high], []], [[everything], [], []], 0)
    assert gathered.receives == {1: (Piece(0, high, 0),)}
    assert redistribution([[low], [high], []], [[everything], [], []], 2) == Redistribution(
        {}, {}, ()
    )
    assert not redistribution([[], [high], []], [[everything], [], []], 0).covers([everything])
