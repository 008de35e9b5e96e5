"""Congruent blocks."""

import random
from collections.abc import Iterable

from halocline.geometry import UNBOUNDED, Box, opposite
from halocline.plan.cells.block import Block
from halocline.plan.cells.congruent import Congruent
from halocline.plan.cells.reach import Reach, moved
from halocline.plan.cells.wrap import reached

SIZES = (2, 5)


def beyond(reaches: Iterable[Reach], block: Block) -> tuple[Box, ...]:
    """Return where reaches lead from a block, in order."""
    found = {box for reach in reaches for box in reached(reach, block)}
    return tuple(sorted(box for box in found if not box.is_empty))


def some_region(random_number: random.Random) -> Box:
    if random_number.random() < 0.3:
        return Box((-UNBOUNDED,) * 2, (UNBOUNDED,) * 2)
    lower = tuple(random_number.randint(-2, 20) for _ in range(2))
    return Box(lower, tuple(n + random_number.randint(0, 12) for n in lower))


def some_reach(random_number: random.Random) -> Reach:
    lower = random_number.randint(-2, 2), random_number.randint(-2, 2)
    upper = lower if random_number.random() < 0.5 else tuple(n + 1 for n in lower)
    return Reach(lower, upper, some_region(random_number))


def some_block(random_number: random.Random) -> Block:
    lower = tuple(random_number.choice((0, 4, 8, 12, 16)) for _ in range(2))
    box = Box(lower, tuple(n + random_number.choice(SIZES) for n in lower))
    if random_number.random() < 0.2:  # its rows close on themselves
        whole = box.clip(0, 0, 20)
        return Block(0, 0, whole, whole, wrap=20)
    owned = box if lower[1] else box.clip(1, -UNBOUNDED, box.upper[1])
    return Block(0, 0, box, owned, is_guest=random_number.random() < 0.5)


def test_each_block_has_the_boxes_that_are_found_for_it_alone() -> None:
    random_number = random.Random(2)
    for _ in range(40):
        reaches = frozenset(some_reach(random_number) for _ in range(random_number.randint(1, 4)))
        congruent = Congruent(beyond)
        for _ in range(30):
            block = some_block(random_number)
            assert congruent.of(reaches, block) == beyond(reaches, block)


def test_blocks_from_which_all_looks_the_same_share_one_result() -> None:
    asked = []

    def find(reaches: frozenset[Reach], block: Block) -> tuple[Box, ...]:
        asked.append(block)
        return beyond(reaches, block)

    congruent = Congruent(find)
    reaches = frozenset({Reach((-1, 0), (-1, 0), Box((0, 0), (64, 64)))})
    boxes = [Box((x, 8), (x + 8, 16)) for x in (0, 8, 16, 24, 56)]
    found = [congruent.of(reaches, Block(n, 0, box, box)) for n, box in enumerate(boxes)]
    # The first alone lies where the region ends.
    assert [block.number for block in asked] == [0, 1]
    rest = zip(boxes[1:], found[1:], strict=True)
    assert {moved(box, opposite(of.lower)) for of, (box,) in rest} == {Box((-1, 0), (7, 8))}
