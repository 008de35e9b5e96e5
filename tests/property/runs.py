"""Random programs on random blocks by random strategies, beside what they mean."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pprint import pformat
from random import Random

import numpy as np
from property.draw import draw_program
from property.evaluation import UndefinedError
from property.expressions import (
    Offset,
)
from property.oracle import Oracle
from property.programs import (
    Program,
)
from property.smaller import smaller
from property.written import Written, gathered

import halocline as hc
from halocline.errors import HaloclineError, KernelError, PlanError
from halocline.pipeline import plan_for
from halocline.plan.plan import Plan
from halocline.runtime.job import join

# How many programs are run in all, and which part of them where.
COUNT = int(os.environ.get("HALOCLINE_PROGRAMS", "360"))
SEED = int(os.environ.get("HALOCLINE_SEED", "14"))
_SHARES = {"numpy": 0.5, "c++": 0.05, "2 ranks": 0.15, "3 ranks": 0.15, "4 ranks": 0.15}


def share(name: str) -> range:
    """Return the numbers of the programs that one of the tests runs; no two run the same."""
    first = sum(_SHARES[other] for other in list(_SHARES)[: list(_SHARES).index(name)])
    return range(round(COUNT * first), round(COUNT * (first + _SHARES[name])))


# How many smaller programs are tried when one has a fault.
ATTEMPTS = 1000

DIFFERS = "a number differs"

# Numbers of steps of one run after the other; values are looked at after each.
PIECES = ((3,), (1, 2), (2, 1), (1, 1, 1))

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
    "depth": (1, 1, 2, 3),
}  # fmt: skip


@dataclass(frozen=True)
class Execution:
    """How a program is run: in which pieces, each on which blocks, and how."""

    splits: tuple[hc.Decomposition, ...]
    strategy: hc.Strategy
    target: str
    pieces: tuple[int, ...]

    @property
    def ranks(self) -> int:
        return self.splits[0].ranks


def draw_execution(
    random: Random, program: Program, *, ranks: int = 1, target: str = "numpy"
) -> Execution | None:
    """Draw how to run a program, halos poisoned; if blocks are too narrow, several times.

    Returns:
        None for a program that was refused in each.
    """
    for attempt in range(6):
        pieces = random.choice(PIECES)
        splits = draw_splits(random, program, ranks, len(pieces))
        strategy = draw_strategy(random)
        if attempt > 2:
            if max(n // g for n, g in zip(program.extent, program.grain(), strict=True)) >= ranks:
                splits = (_even_split(program, ranks),) * len(pieces)
            strategy = replace(strategy, depth=max(1, 5 - attempt), width="minimal")
        execution = Execution(splits, strategy, target, pieces)
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


def is_refused(program: Program, execution: Execution) -> bool:
    """Return whether the blocks of any rank are too narrow, or an old value is gone.

    Every rank looks at its own plan and hears of the others', for all must pass over the same
    programs.
    """
    job, refused = join(), False
    try:
        for split in dict.fromkeys(execution.splits):
            plan_of(program, split, execution.strategy, job.rank)
    except HaloclineError as error:
        refused = is_legal_refusal(error)
    return any(job.everywhere(refused))


def is_legal_refusal(error: HaloclineError) -> bool:
    """Return whether a program may be refused: blocks too narrow, or an old value is gone."""
    text = str(error)
    if isinstance(error, PlanError):
        return "wide there" in text or "the narrowest block has only" in text
    return isinstance(error, KernelError) and "as it was before an earlier statement" in text


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


def draw_splits(
    random: Random, program: Program, ranks: int, count: int
) -> tuple[hc.Decomposition, ...]:
    """Draw the blocks of each piece of a run, most often others, sometimes with other owners."""
    result: list[hc.Decomposition] = []
    while len(result) < count:
        split = draw_split(random, program.extent, program.periodic, ranks, program.grain())
        if random.random() < 0.4:
            owners = [*range(ranks), *random.choices(range(ranks), k=split.blocks - ranks)]
            random.shuffle(owners)
            split = replace(split, owners=tuple(owners))
        result += [split] * random.choice((1, 1, 2))
    return tuple(result[:count])


def draw_strategy(random: Random) -> hc.Strategy:
    chosen = {name: random.choice(values) for name, values in CHOICES.items()}
    return hc.Strategy(**chosen, poison=True)


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


def check(number: int, target: str, ranks: int = 1) -> tuple[Program, Execution] | None:
    """Run a random program in a random execution; return both if it did what it means.

    Returns:
        None for a program that has no meaning, or may be refused.

    Raises:
        AssertionError: It did not; the message has a smaller program with the same fault.
    """
    random = Random(f"{SEED} {number}")
    program = draw_program(random)
    execution = draw_execution(random, program, ranks=ranks, target=target)
    if execution is None:
        return None
    found = fault(program, execution)
    if found:
        program, execution = shrunk(program, execution)
        what = details(program, execution) if found == DIFFERS else found
        text = f"{pformat(execution)}\n{pformat(program, width=100)}"
        raise AssertionError(f"Program {number} of seed {SEED}: {what}\n{text}")
    return None if found is None else (program, execution)


def fault(program: Program, execution: Execution) -> str | None:
    """Return in a word what is wrong with a run of a program; None if it has no meaning.

    All ranks find the same.
    """
    try:
        return DIFFERS if details(program, execution) else ""
    except UndefinedError:
        return None
    except HaloclineError as error:
        return f"{type(error).__name__}: {error.message[:60]}"
    except RuntimeError as error:
        if execution.ranks > 1:  # perhaps one rank's alone
            raise
        return repr(error)


def shrunk(program: Program, execution: Execution) -> tuple[Program, Execution]:
    """Return a smaller program, plainly executed, with the same fault; all ranks find the same."""
    wanted, left = fault(program, execution), ATTEMPTS
    found: tuple[Program, Execution] | None = program, execution
    while found and left > 0:
        program, execution = found
        found = None
        candidates = [(one, execution) for one in smaller(program)]
        for candidate in candidates + [(program, one) for one in plainer(execution)]:
            left -= 1
            if not is_refused(*candidate) and fault(*candidate) == wanted:
                found = candidate
                break
    return program, execution


def plainer(execution: Execution) -> Iterator[Execution]:
    """Return ways with one choice made plainer."""
    for name, values in CHOICES.items():
        if getattr(execution.strategy, name) != values[0]:
            yield replace(execution, strategy=replace(execution.strategy, **{name: values[0]}))
    for n, count in enumerate(execution.pieces):
        if count > 1:
            yield _with_piece(execution, n, (count - 1,), execution.splits[n : n + 1])
        elif len(execution.pieces) > 1:
            yield _with_piece(execution, n, (), ())
    for n, split in enumerate(execution.splits):
        others = {*execution.splits[:n], *_fewer_blocks(split)} - {split}
        for other in others:
            yield _with_piece(execution, n, execution.pieces[n : n + 1], (other,))


def _with_piece(
    execution: Execution, n: int, pieces: tuple[int, ...], splits: tuple[hc.Decomposition, ...]
) -> Execution:
    """Return an execution with something in place of a piece."""
    return replace(
        execution,
        pieces=(*execution.pieces[:n], *pieces, *execution.pieces[n + 1 :]),
        splits=(*execution.splits[:n], *splits, *execution.splits[n + 1 :]),
    )


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


def details(program: Program, execution: Execution) -> str:
    """Return what the first rank that found something has found."""
    return join().first(difference(program, execution) or None) or ""


def difference(program: Program, execution: Execution) -> str:
    """Run a program on the ranks there are and say where it differs from what it means.

    Raises:
        UndefinedError: It has no meaning.
        HaloclineError: It was refused.
    """
    oracle, expected = Oracle(program), []
    for count in execution.pieces:
        try:
            oracle.advance(count)
        except (TypeError, OverflowError):
            # A smaller one than was drawn, of types for which there is no such operation.
            raise UndefinedError from None
        arrays = {name: array.copy() for name, array in oracle.arrays.items()}
        expected.append((arrays, dict(oracle.numbers)))
    written = Written(program)
    simulation = hc.Simulation(
        written.grid,
        written.steps,
        dt=written.dt,
        decomposition=execution.splits[0],
        strategy=execution.strategy,
        target=execution.target,
        check_every=0,
        threads=1,
    )
    # Everything is done on all ranks before anything is compared, where one may find more.
    found = []
    for count, split in zip(execution.pieces, execution.splits, strict=True):
        if split != simulation.decomposition:
            simulation.rebuild(decomposition=split)
        simulation.run(count, progress=False)
        numbers = {name: written.numbers[name].value for name in oracle.numbers}
        found.append((gathered(written, program), numbers))
    differing = [text for pair in zip(found, expected, strict=True) for text in _compared(*pair)]
    return differing[0] if differing else ""


def _compared(found, expected) -> Iterator[str]:
    """Say where fields and numbers differ from what they should be; fields on rank 0 alone."""
    for name, number in expected[1].items():
        if not is_same(np.array(found[1][name]), np.array(number)):
            yield f"{name} is {found[1][name]!r} and not {number!r}"
    for name, array in expected[0].items():
        values = found[0][name]
        if values is None:
            continue
        if values.dtype != array.dtype:
            yield f"{name} is of {values.dtype} and not {array.dtype}"
        elif not (same := is_same(values, array)).all():
            at = tuple(np.argwhere(~same)[0].tolist())
            yield (
                f"{name} differs in {(~same).sum()} cells, first (component, cell) {at}: "
                f"{values[at]!r} and not {array[at]!r}"
            )


def is_same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return where numbers have the same bits, or are both not a number."""
    if a.dtype.kind != "f":
        return a == b
    return (a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)
