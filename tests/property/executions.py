"""How random programs are run: in which pieces, each on which blocks, and by which strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

import numpy as np
from many_ranks import possible
from msgspec import Struct
from msgspec.structs import replace
from property.expressions import Offset
from property.programs import Callback, Program, flat
from property.written import Written

import halocline as hc
from halocline.errors import GridError, HaloclineError, KernelError, PlanError
from halocline.plan.pipeline import plan_for
from halocline.plan.value.plan import Plan
from halocline.runtime.job import join

# Numbers of steps of one run after the other; values are looked at after each.
PIECES = ((3,), (1, 2), (2, 1), (1, 1, 1))
# How a run goes on after the one before it: as it is, maybe on other blocks; from a checkpoint, by
# a new program on a new grid; by another simulation of the same grid; or by the same one, from a
# checkpoint, after a step in which a function of the user's raised an error.
WAYS = ("on", "restart", "taken over", "failed")

CHOICES = {
    "neighbours": ("direct", "staged"),
    "width": ("minimal", "full"),
    "messages": ("neighbour", "field"),
    "transport": (
        "auto", "shared", "shared-push", "two-sided", "persistent", "datatype", "put", "get",
    ),
    "overlap": ("core-first", "rim-first", "postponed", "none"),
    "overlapped": (None, 0, 1, 2),
    "tiles": (1, 2, 3, 4),
    "wait": ("all", "any"),
    "recompute": ("rim", "rim", "fewest-bytes", "all"),
    "recompute_in_loops": (None, "fewest-bytes", "rim", "all"),
    "depth": (1, 2, 3),
    "steps_in_cache": (1, 2, 3),
}  # fmt: skip
# Depths of halos with the steps in caches that they allow.
_STEPS = ((3, 3), (3, 1), (2, 2), (2, 1), (1, 3), (1, 2), (1, 1), (1, 1))


class Piece(Struct, frozen=True):
    """A run of so many steps.

    Attributes:
        way: How it goes on; one that goes on as it is has the strategy of the one before it.
    """

    steps: int
    split: hc.Decomposition
    strategy: hc.Strategy
    target: str = "numpy"
    device: str = "cpu"
    way: str = "on"


class Execution(Struct, frozen=True):
    """How a program is run: piece after piece."""

    pieces: tuple[Piece, ...]


def draw_execution(
    random: Random, program: Program, ranks: Sequence[int], target: str, device: str = "cpu"
) -> Execution | None:
    """Draw how to run a program, halos poisoned; if blocks are too narrow, several times.

    Args:
        random: What draws.
        program: The program.
        ranks: How many there are, or for a run that is moved from machine to machine how many
            there are for each of its pieces.
        target: What computes.
        device: And where.

    Returns:
        None for a program that was refused in each.
    """
    for attempt in range(6):
        counts = random.choice(PIECES) if len(ranks) == 1 else (1,) * len(ranks)
        way, pieces = "on", []
        for number, count in enumerate(counts):
            if number:
                way = random.choice(WAYS) if len(ranks) == 1 else "restart"
                way = "on" if way == "failed" and not calls_functions(program) else way
            size = ranks[number % len(ranks)]
            if way == "on" and pieces and random.random() < 0.3:
                split = pieces[-1].split
            else:
                split = _draw_blocks(random, program, size)
            is_new = way not in ("on", "failed") or not pieces
            strategy = draw_strategy(random, device) if is_new else pieces[-1].strategy
            if attempt > 2:
                if (
                    max(n // g for n, g in zip(program.extent, program.grain(), strict=True))
                    >= size
                ):
                    split = _even_split(program, size)
                depth = max(1, 5 - attempt)
                strategy = replace(strategy.narrow, depth=depth, width="minimal")
            pieces.append(Piece(count, split, strategy, target, device, way))
        execution = Execution(tuple(pieces))
        if not is_refused(program, execution):
            return execution
    return None


def _even_split(program: Program, ranks: int) -> hc.Decomposition:
    """Return one block a rank, along the axis that can be cut most often, if there is one."""
    grain = program.grain()
    parts = [n // g for n, g in zip(program.extent, grain, strict=True)]
    axis = parts.index(max(parts))
    cuts = [(0, n) for n in program.extent]
    cuts[axis] = tuple(round(n * parts[axis] / ranks) * grain[axis] for n in range(ranks + 1))
    return hc.Decomposition(tuple(cuts), program.periodic, ranks)


def calls_functions(program: Program) -> bool:
    """Return whether functions of the user's are among the steps."""
    return any(isinstance(step, Callback) for step in flat(program.steps))


def is_refused(program: Program, execution: Execution) -> bool:
    """Return whether the blocks of any rank are too narrow, or an old value is gone.

    Every rank looks at its own plan and hears of the others', for all must pass over the same
    programs. Plans for other numbers of ranks are looked at in turns.
    """
    job, refused = join(), False
    try:
        for piece in {(one.split, one.strategy): one for one in execution.pieces}.values():
            for rank in range(job.rank, piece.split.ranks, job.size):
                plan_of(program, piece.split, piece.strategy, rank)
    except HaloclineError as error:
        refused = is_legal_refusal(error)
    return any(job.everywhere(refused))


def is_legal_refusal(error: HaloclineError) -> bool:
    """Return whether a program may be refused: blocks or grids too narrow, a value gone."""
    text = str(error)
    if isinstance(error, GridError):
        return "where its boundary mirrors what lies within" in text
    if isinstance(error, PlanError):
        return "wide there" in text or "the narrowest block has only" in text
    is_gone = "as it was before an earlier statement" in text or "it holds the carry" in text
    return isinstance(error, KernelError) and is_gone


def _draw_blocks(random: Random, program: Program, ranks: int) -> hc.Decomposition:
    """Draw blocks, sometimes with other owners than usual."""
    split = draw_split(random, program.extent, program.periodic, ranks, program.grain())
    if random.random() < 0.4:
        owners = [*range(ranks), *random.choices(range(ranks), k=split.blocks - ranks)]
        random.shuffle(owners)
        split = replace(split, owners=tuple(owners))
    return split


def draw_split(
    random: Random, extent: Offset, periodic, ranks: int = 1, grain: Offset = ()
) -> hc.Decomposition:
    """Draw blocks of any sizes, at least one a rank; their bounds are multiples of 'grain'."""
    most, grain = max(2, ranks - 1), grain or (1,) * len(extent)
    boxes = draw_boxes(random, hc.Box((0,) * len(extent), extent), grain, random.randint(2, 7))
    if random.random() < 0.5 and len(boxes) >= ranks:
        owners = [*range(ranks), *(random.randrange(ranks) for _ in boxes[ranks:])]
        random.shuffle(owners)
        return hc.Decomposition.of_blocks(extent, periodic, ranks, boxes, owners)
    while True:
        inner = [
            random.sample(range(g, n, g), random.randint(0, min(most, n // g - 1)))
            for n, g in zip(extent, grain, strict=True)
        ]
        cuts = tuple((0, *sorted(cut), n) for cut, n in zip(inner, extent, strict=True))
        if np.prod([len(axis) - 1 for axis in cuts]) >= ranks:
            return hc.Decomposition(cuts, periodic, ranks)


def draw_boxes(random: Random, box: hc.Box, grain: Offset, count: int) -> list[hc.Box]:
    """Draw up to so many boxes that tile one: it is cut in two anywhere, and each part again."""
    places = [
        (axis, place)
        for axis, g in enumerate(grain)
        for place in range(box.lower[axis] + g, box.upper[axis], g)
    ]
    if count == 1 or not places:
        return [box]
    axis, place = random.choice(places)
    below = random.randint(1, count - 1)
    return [
        *draw_boxes(random, box.clip(axis, box.lower[axis], place), grain, below),
        *draw_boxes(random, box.clip(axis, place, box.upper[axis]), grain, count - below),
    ]


def draw_strategy(random: Random, device: str = "cpu") -> hc.Strategy:
    chosen = {name: random.choice(values) for name, values in CHOICES.items()}
    if device != "cpu":
        chosen["transport"] = random.choice(("auto", "via-host", "box-copies"))
    chosen["depth"], chosen["steps_in_cache"] = random.choice(_STEPS)
    return possible(hc.Strategy(**chosen, poison=True))


def plan_of(
    program: Program, split: hc.Decomposition, strategy: hc.Strategy, rank: int = 0
) -> Plan:
    """Return the plan of any rank."""
    written = Written(program)
    return plan_for(
        written.grid,
        written.steps,
        ranks=split.ranks,
        rank=rank,
        strategy=strategy,
        decomposition=split,
        check_every=0,
    )


def plainer(execution: Execution) -> Iterator[Execution]:
    """Return ways with one choice made plainer."""
    for name, values in CHOICES.items():
        if name == "depth" and any(one.strategy.steps_in_cache > 1 for one in execution.pieces):
            continue
        if any(getattr(piece.strategy, name) != values[0] for piece in execution.pieces):
            yield Execution(
                tuple(
                    replace(piece, strategy=replace(piece.strategy, **{name: values[0]}))
                    for piece in execution.pieces
                )
            )
    for n, piece in enumerate(execution.pieces):
        if piece.steps > 1:
            yield _with_piece(execution, n, replace(piece, steps=piece.steps - 1))
        elif len(execution.pieces) > 1:
            yield _with_piece(execution, n)
        if piece.way != "on":
            yield _with_piece(execution, n, replace(piece, way="on"))
        others = {one.split for one in execution.pieces[:n]}
        for split in (others | {*_fewer_blocks(piece.split)}) - {piece.split}:
            if split.ranks == piece.split.ranks:
                yield _with_piece(execution, n, replace(piece, split=split))


def _with_piece(execution: Execution, n: int, *pieces: Piece) -> Execution:
    """Return an execution with something in place of a piece."""
    return Execution((*execution.pieces[:n], *pieces, *execution.pieces[n + 1 :]))


def _fewer_blocks(split: hc.Decomposition) -> Iterator[hc.Decomposition]:
    """Return decompositions with a cut less, or two blocks of a list in one; owners as usual."""
    ranks = split.ranks
    if split.boxes:
        yield hc.Decomposition(split.cuts, split.periodic, ranks)
        for a, b in combinations(range(split.blocks), 2):
            both = split.boxes[a].joined(split.boxes[b])
            boxes = [both if n == a else box for n, box in enumerate(split.boxes) if n != b]
            if both and len(boxes) >= ranks:
                yield hc.Decomposition.of_blocks(split.extent, split.periodic, ranks, boxes)
    for axis, line in enumerate(() if split.boxes else split.cuts):
        for bound in line[1:-1]:
            fewer = tuple(n for n in line if n != bound)
            cuts = (*split.cuts[:axis], fewer, *split.cuts[axis + 1 :])
            if np.prod([len(one) - 1 for one in cuts]) >= ranks:
                yield hc.Decomposition(cuts, split.periodic, ranks)
    if split.owners:
        yield replace(split, owners=())
