"""Choices of a run, combined so that every pair of values occurs together in some case."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import stencils

import halocline as hc
from halocline.errors import PlanError
from halocline.pipeline import plan_for
from halocline.plan.decomposition import decompose

if TYPE_CHECKING:
    from collections.abc import Iterator

CHOICES = {
    "problem": tuple(stencils.PROBLEMS),
    "periodic": ("none", "all", "first"),
    "dtype": ("float64", "float32"),
    "threads": (1, 2),
    "neighbours": ("direct", "staged"),
    "width": ("minimal", "full"),
    "messages": ("neighbour", "field"),
    "transport": (
        "auto",
        "shared",
        "shared-push",
        "two-sided",
        "persistent",
        "datatype",
        "put",
        "get",
    ),
    "ranks_per_node": (None, 1, 2),
    "overlap": ("core-first", "rim-first", "postponed", "none"),
    "overlapped": (None, 1),
    "tiles": (1, 3, 4),
    "wait": ("all", "any"),
    "depth": (1, 2, 3),
    "decomposition": (None, "rows", "tiles", "pencils", "uneven"),
    "blocks": (1, 2, 3),
}


@dataclass(frozen=True)
class Case:
    """One combination."""

    problem: str
    periodic: str
    dtype: str
    threads: int
    neighbours: str
    width: str
    messages: str
    transport: str
    ranks_per_node: int | None
    overlap: str
    overlapped: int | None
    tiles: int
    wait: str
    depth: int
    decomposition: str | None
    blocks: int

    def strategy(self) -> hc.Strategy:
        """Return how it communicates, with poisoned halos."""
        is_divided = self.ranks_per_node is not None and self.transport.startswith("shared")
        return hc.Strategy(
            neighbours=self.neighbours,
            width=self.width,
            messages=self.messages,
            # What shares memory must not leave the node; 'auto' does so where it can.
            transport="auto" if is_divided else self.transport,
            overlap=self.overlap,
            overlapped=self.overlapped,
            tiles=self.tiles,
            wait=self.wait,
            depth=self.depth,
            poison=True,
        )

    def make(self) -> stencils.Problem:
        """Return a fresh problem."""
        return stencils.make(self.problem, self.periodic, self.dtype)

    def distribute(
        self, problem: stencils.Problem, ranks: int
    ) -> tuple[hc.Decomposition, hc.Strategy]:
        """Return the decomposition wanted, or the nearest that so small a grid allows, and how.

        Halos are as deep as wanted, or as its blocks are wide.
        """
        for split in self.splits(problem.grid, ranks):
            for depth in range(self.depth, 0, -1):
                strategy = replace(self.strategy(), depth=depth)
                try:
                    plan_for(
                        problem.grid,
                        problem.steps,
                        ranks=ranks,
                        strategy=strategy,
                        decomposition=split,
                    )
                except PlanError:
                    continue
                return split, strategy
        raise AssertionError(self)

    def splits(self, grid: hc.Grid, ranks: int) -> Iterator[hc.Decomposition]:
        """Yield the decomposition wanted and others ever less like it."""
        shape = None if self.decomposition == "uneven" else self.decomposition
        for blocks, wanted in ((self.blocks, shape), (1, shape), (1, None)):
            try:
                even = decompose(grid.extent, grid.periodic, ranks, wanted, blocks)
            except PlanError:
                continue
            yield uneven(even) if self.decomposition == "uneven" else even
        # An even one has the widest blocks.
        yield even


def uneven(even: hc.Decomposition) -> hc.Decomposition:
    """Return a decomposition of the same shape with unequal blocks."""
    chance = random.Random(str(even.cuts))
    cuts = tuple(
        (0, *sorted(chance.sample(range(1, axis[-1]), len(axis) - 2)), axis[-1])
        for axis in even.cuts
    )
    assert all(b > a for axis in cuts for a, b in pairwise(axis))
    return hc.Decomposition(cuts, even.periodic, even.ranks)


def pairwise_covering(seed: int) -> list[Case]:
    """Return few cases in which every two values of different choices meet."""
    names = list(CHOICES)
    chance = random.Random(seed)
    missing = {
        ((a, x), (b, y)) for a, b in combinations(names, 2) for x in CHOICES[a] for y in CHOICES[b]
    }
    cases = []
    while missing:
        must = min(missing, key=str)
        best, gain = {}, set()
        for _ in range(40):
            row = {name: chance.choice(CHOICES[name]) for name in names} | dict(must)
            covered = missing & set(combinations(row.items(), 2))
            if len(covered) > len(gain):
                best, gain = row, covered
        missing -= gain
        cases.append(Case(**best))
    return cases


CASES = pairwise_covering(seed=7)
# Compiling for an emulated device takes long: some with every problem, overlap and depth.
DEVICE_CASES = CASES[2::5]
