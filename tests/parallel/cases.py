"""Choices of a run, combined so that every pair of values occurs together in some case.

The combinations are stored in 'cases.json', which this program writes after a change of choices:

    PYTHONPATH=tests .venv/bin/python tests/parallel/cases.py
"""

from __future__ import annotations

import json
import random
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import stencils
from msgspec.structs import astuple, replace

import halocline as hc
from halocline.errors import PlanError
from halocline.frozen import Frozen
from halocline.plan.blocks.shapes import decompose
from halocline.plan.pipeline import plan_for

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
    "ranks": (2, 3, 4, 6, 8),
}


class Case(Frozen):
    """One combination; what 'distribute' returns is one that can be."""

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
    ranks: int

    def strategy(self) -> hc.Strategy:
        """Return how it communicates, with poisoned halos."""
        return hc.Strategy(
            neighbours=self.neighbours,
            width=self.width,
            messages=self.messages,
            transport=self.transport,
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

    def distribute(self, problem: stencils.Problem, ranks: int) -> tuple[Case, hc.Decomposition]:
        """Return what is run of it on some ranks: itself, or what so small a grid allows.

        Halos are as deep as wanted, or as its blocks are wide.
        """
        wanted = replace(self, ranks=ranks, transport=self.transport_on(ranks))
        for shape, blocks, split in self.splits(problem.grid, ranks):
            for depth in range(self.depth, 0, -1):
                case = replace(wanted, decomposition=shape, blocks=blocks, depth=depth)
                try:
                    plan_for(
                        problem.grid,
                        problem.steps,
                        ranks=ranks,
                        strategy=case.strategy(),
                        decomposition=split,
                    )
                except PlanError:
                    continue
                return case, split
        raise AssertionError(self)

    def transport_on(self, ranks: int) -> str:
        """Return the transport: what shares memory cannot leave a node, 'auto' does so within."""
        is_divided = self.ranks_per_node is not None and self.ranks_per_node < ranks
        return "auto" if is_divided and self.transport.startswith("shared") else self.transport

    def splits(
        self, grid: hc.Grid, ranks: int
    ) -> Iterator[tuple[str | None, int, hc.Decomposition]]:
        """Yield the decomposition wanted and others ever less like it, with shape and blocks."""
        for blocks, wanted in ((self.blocks, self.decomposition), (1, self.decomposition)):
            shape = None if wanted == "uneven" else wanted
            try:
                even = decompose(grid.extent, grid.periodic, ranks, shape, blocks)
            except PlanError:
                continue
            yield wanted, blocks, uneven(even) if wanted == "uneven" else even
        # An even one has the widest blocks.
        yield None, 1, decompose(grid.extent, grid.periodic, ranks, None, 1)


def uneven(even: hc.Decomposition) -> hc.Decomposition:
    """Return a decomposition of the same shape with unequal blocks."""
    chance = random.Random(str(even.cuts))
    cuts = tuple(
        (0, *sorted(chance.sample(range(1, axis[-1]), len(axis) - 2)), axis[-1])
        for axis in even.cuts
    )
    assert all(b > a for axis in cuts for a, b in pairwise(axis))
    return hc.Decomposition(cuts, even.periodic, even.ranks)


def can_share(choices: dict) -> bool:
    """Return whether what shares memory stays within a node."""
    shares = str(choices.get("transport")).startswith("shared")
    per_node, ranks = choices.get("ranks_per_node"), choices.get("ranks", min(CHOICES["ranks"]))
    return not shares or per_node is None or per_node >= ranks


def pairs() -> set[tuple]:
    """Return every two values of different choices that can be together."""
    every = {
        ((a, x), (b, y))
        for a, b in combinations(CHOICES, 2)
        for x in CHOICES[a]
        for y in CHOICES[b]
    }
    return {pair for pair in every if can_share(dict(pair))}


def pairs_of(case: Case) -> set[tuple]:
    """Return every two values of different choices that are together in a case."""
    return set(combinations([(name, getattr(case, name)) for name in CHOICES], 2))


def pairwise_covering() -> list[Case]:
    """Return few cases in which every two values of different choices meet."""
    chance = random.Random(7)
    missing = pairs()
    cases = []
    while missing:
        must = min(missing, key=str)
        best, gain = None, set()
        for _ in range(40):
            row = {name: chance.choice(values) for name, values in CHOICES.items()} | dict(must)
            if not can_share(row):
                continue
            case = Case(**row)
            covered = missing & pairs_of(case)
            if len(covered) > len(gain):
                best, gain = case, covered
        missing -= gain
        cases += [best] if best else []
    return cases


def deep(problem: str, ranks: int, depth: int = 3, **others: str) -> Case:
    """Return a case with blocks as wide as the halos of so many steps."""
    plain = {name: values[0] for name, values in CHOICES.items()} | others
    wanted = {"problem": problem, "ranks": ranks, "depth": depth, "decomposition": None}
    return Case(**(plain | wanted))


STORED = Path(__file__).with_suffix(".json")
if __name__ == "__main__":
    rows = [json.dumps(astuple(case)) for case in pairwise_covering()]
    STORED.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")

COVERING = [Case(*row) for row in json.loads(STORED.read_text(encoding="utf-8"))]
CASES = COVERING.copy()
CASES += [deep(problem, 2) for problem in stencils.PROBLEMS]
CASES += [deep("heat 1-D", 6, transport="put"), deep("heat 1-D", 8, transport="datatype")]
CASES += [deep("heat 1-D", 8, depth=2)]
CASES += [deep(problem, 2, depth=2) for problem in ("noise 2-D", "red-black 2-D", "heat 3-D")]
CASES += [deep("heat 1-D", 2, transport="shared", overlap="none")]
CASES += [replace(deep("heat 1-D", 2), decomposition="uneven")]
# Compiling for an emulated device takes long: some with every problem, overlap and depth.
DEVICE_CASES = CASES[::8]
