"""Choices of a run, combined so that every pair of values occurs together in some case."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import combinations, pairwise

import stencils

import halocline as hc
from halocline.errors import PlanError
from halocline.plan.decomposition import decompose

CHOICES = {
    "problem": tuple(stencils.PROBLEMS),
    "periodic": ("none", "all", "first"),
    "dtype": ("float64", "float32"),
    "threads": (1, 2),
    "neighbours": ("direct", "staged"),
    "width": ("minimal", "full"),
    "overlap": ("core-first", "rim-first", "none"),
    "overlapped": (None, 1),
    "tiles": (1, 3, 4),
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
    overlap: str
    overlapped: int | None
    tiles: int
    decomposition: str | None
    blocks: int

    @property
    def strategy(self) -> hc.Strategy:
        """How it communicates, with poisoned halos."""
        return hc.Strategy(
            neighbours=self.neighbours,
            width=self.width,
            overlap=self.overlap,
            overlapped=self.overlapped,
            tiles=self.tiles,
            poison=True,
        )

    def make(self) -> stencils.Problem:
        """Return a fresh problem."""
        return stencils.make(self.problem, self.periodic, self.dtype)

    def split(self, grid: hc.Grid, ranks: int) -> hc.Decomposition:
        """Return the decomposition wanted, or the nearest that so small a grid allows."""
        shape = None if self.decomposition == "uneven" else self.decomposition
        for blocks, wanted in ((self.blocks, shape), (1, shape), (1, None)):
            try:
                even = decompose(grid.extent, grid.periodic, ranks, wanted, blocks)
            except PlanError:
                continue
            return uneven(even) if self.decomposition == "uneven" else even
        raise AssertionError(self)


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
