"""Needed cells: what NumPy finds for all blocks is what enumerating cells gives for each."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

import halocline as hc
from halocline.geometry import UNBOUNDED, Box, even_cuts
from halocline.plan.cells.reach import Need, Reach
from halocline.plan.exchange.needed import NeededCells
from halocline.plan.schedule.layout import FieldLayout

EXTENT = (20, 16)


def some_region(random: Random) -> Box:
    if random.random() < 0.3:
        return Box((-UNBOUNDED,) * 2, (UNBOUNDED,) * 2)
    lower = tuple(random.randint(-2, 20) for _ in range(2))
    return Box(lower, tuple(n + random.randint(0, 12) for n in lower))


def some_reach(random: Random) -> Reach:
    lower = random.randint(-2, 2), random.randint(-2, 2)
    upper = lower if random.random() < 0.5 else tuple(n + 1 for n in lower)
    return Reach(lower, upper, some_region(random))


def cells(box: Box) -> set[tuple[int, ...]]:
    """Return the cells of a box, cut off far outside of the domain."""
    ends = zip(box.lower, box.upper, strict=True)
    return set(product(*(range(max(a, -9), min(b, 33)) for a, b in ends)))


def expected(reaches, block) -> set[tuple[int, ...]]:
    """Return the cells beyond a block's own, rows that close on themselves followed around."""
    found = set()
    for reach in reaches:
        ends = [
            (a if a <= -UNBOUNDED else a + p, b if b >= UNBOUNDED else b + q)
            for a, b, p, q in zip(
                block.owned.lower, block.owned.upper, reach.lower, reach.upper, strict=True
            )
        ]
        moved = Box(tuple(a for a, _ in ends), tuple(b for _, b in ends))
        for x, y in cells(moved) & cells(reach.region):
            found.add((x % block.wrap, y) if block.wrap else (x, y))
    return found - cells(block.owned)


@pytest.mark.parametrize("periodic", [(False, False), (True, False), (True, True)], ids=str)
@pytest.mark.parametrize("parts", [(1, 3), (4, 1), (3, 2)], ids=str)
def test_each_block_needs_what_its_reaches_lead_to_beyond_it(periodic, parts):
    random = Random(2)
    grid = hc.Grid(EXTENT, periodic=periodic)
    space = grid.field("u").space
    cuts = tuple(even_cuts(n, p) for n, p in zip(EXTENT, parts, strict=True))
    split = hc.Decomposition(cuts, periodic, ranks=1)
    layout = FieldLayout(grid.field("v").type_as("u"), (2, 2), (2, 2), space)
    find = NeededCells(split, {"u": layout}, frozenset(), is_full=False)
    for _ in range(20):
        reaches = [some_reach(random) for _ in range(random.randint(1, 4))]
        needed = find.of(np.arange(split.blocks), frozenset(Need("u", 0, r) for r in reaches))
        boxes: dict[int, list[Box]] = {n: [] for n in range(split.blocks)}
        for target, box in zip(needed.target.tolist(), needed.box.every(), strict=True):
            boxes[target].append(box)
        for number, found in boxes.items():
            parts_of_block = [cells(box) for box in found]
            assert sum(map(len, parts_of_block)) == len(set().union(*parts_of_block))
            assert set().union(*parts_of_block) == expected(reaches, split.block(number))


def test_components_that_are_needed_alike_are_one_group():
    grid = hc.Grid((8, 8))
    layout = FieldLayout(
        grid.field("u", components=3).type_as("u"), (1, 1), (1, 1), grid.field("v").space
    )
    split = hc.Decomposition(((0, 4, 8), (0, 8)), (False, False), ranks=1)
    away, other = (Reach(way, way, Box((0, 0), (8, 8))) for way in ((-1, 0), (1, 0)))
    needs = frozenset({Need("u", 0, away), Need("u", 2, away), Need("u", 1, other)})
    found = NeededCells(split, {"u": layout}, frozenset(), is_full=False)
    groups = found.of(np.arange(2), needs).groups
    assert {tuple(q for _, q, _ in group) for group in groups} == {(0, 2), (1,)}
