"""Measure planning of forests: 'python bench/planning.py [name …]', one process, nothing is run.

D3Q19 flows (TRT) around a sphere, on forests of several sizes. Printed are leaves, blocks with
ghost patches, and processor seconds: of the blocks, of what all ranks share, of the plan of rank 0,
and of writing it as kept plans are written.

'python bench/planning.py curve [roots …]' plans diffusion for the rank in the middle of so many
that each has about 100 leaves, on a forest of so many roots along each axis and a finer shell.
"""

from __future__ import annotations

import resource
import sys
import time
from typing import Any, NamedTuple

import numpy as np
from msgspec import msgpack

import halocline as hc
from halocline.language.steps.steps import check_steps
from halocline.language.steps.subcycling import on_forest
from halocline.lbm import Refinement, Setup, Wall, make_flow, trt
from halocline.plan import pipeline
from halocline.plan.blocks.choice import decomposition_for
from halocline.plan.encoding import Encoder
from halocline.plan.plan_file import section_of
from halocline.plan.platform import Platform

# Of the curve: cells of a block along each axis, and about how many leaves a rank has.
_BLOCK, _LEAVES_OF_RANK = 8, 105


class Case(NamedTuple):
    """A forest: cells of a block, roots along each axis, how far levels reach in roots, walls."""

    block: int
    roots: int
    reach: tuple[float, ...]
    has_walls: bool = False
    ranks: int = 1


CASES = {
    "walls": Case(8, 5, (0.5,), has_walls=True),
    "levels": Case(8, 4, (0.9, 0.15)),
    "small": Case(4, 8, (1.5, 0.5)),
    "ranks": Case(8, 4, (0.9, 0.15), ranks=16),
}


def flow_of(case: Case) -> hc.lbm.Flow:
    """Return a flow with levels around a sphere in the middle."""
    n = case.roots * case.block

    def wanted(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        from_middle = np.sqrt(sum((c - n / 2) ** 2 for c in (x, y, z)))
        away = np.abs(from_middle - n / 4) / case.block
        return sum((away < width).astype(int) for width in case.reach)

    near = Refinement(wanted, finest=len(case.reach), block=case.block)
    sides = {f"{axis}{end}": Wall() for axis in "yz" for end in "-+"} if case.has_walls else {}
    return make_flow(Setup((n,) * 3, "D3Q19", 1.6, trt(), sides=sides, refinement=near))


def measure(name: str) -> None:
    """Print how long each part of planning takes."""
    case, times = CASES[name], [time.process_time()]
    flow = flow_of(case)
    grid, steps = flow.grid.grid, check_steps(on_forest(flow.steps))
    times.append(time.process_time())
    split = decomposition_for(grid, case.ranks, steps=steps)
    times.append(time.process_time())
    schedule = pipeline.for_all_ranks(
        pipeline.bound(grid, steps), split, hc.Strategy(overlap="postponed")
    )
    times.append(time.process_time())
    plan = pipeline.of_rank(schedule, 0, Platform())
    times.append(time.process_time())
    text = msgpack.encode(section_of(plan, Encoder(schedule.program), are_columns=True))
    times.append(time.process_time())
    _, blocks, shared, of_rank, written = np.diff(times)
    print(
        f"{name:<8}{flow.grid.leaves.count:>6} leaves of {case.block}^3, {split.blocks:>5} blocks, "
        f"{case.ranks:>2} rank(s): blocks {blocks:.2f} s, shared {shared:.2f} s, "
        f"plan {of_rank:.2f} s, written {written:.2f} s ({len(text) / 1e6:.1f} MB)",
        flush=True,
    )


@hc.kernel
def diffuse(now: Any, later: Any) -> None:
    """Do a step of diffusion."""
    later[0, 0, 0] = now[0, 0, 0] + 0.1 * hc.laplacian(now)


def measure_rank(roots: int) -> None:
    """Print what one of many ranks takes for its plan."""
    n = roots * _BLOCK

    def wanted(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        from_middle = np.sqrt(sum((c - n / 2) ** 2 for c in (x, y, z)))
        return (np.abs(from_middle - n / 4) < _BLOCK).astype(int)

    forest = hc.Forest((n,) * 3, block=_BLOCK, refine=wanted, periodic=True)
    now, later = forest.field("now"), forest.field("later")
    steps = check_steps(on_forest([diffuse(now, later), hc.swap(now, later)]))
    ranks = -(-forest.leaves.count // _LEAVES_OF_RANK)
    times = [time.process_time()]
    split = decomposition_for(forest.grid, ranks, steps=steps)
    times.append(time.process_time())
    program = pipeline.bound(forest.grid, steps)
    schedule = pipeline.for_all_ranks(program, split, hc.Strategy(overlap="postponed"))
    times.append(time.process_time())
    pipeline.of_rank(schedule, ranks // 2, Platform())
    times.append(time.process_time())
    blocks, shared, of_rank = np.diff(times)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(
        f"{forest.leaves.count:>8} leaves, {split.blocks:>7} blocks, {ranks:>6} ranks: blocks "
        f"{blocks:.2f} s, shared {shared:.2f} s, plan {of_rank:.2f} s, {most:.0f} MB",
        flush=True,
    )


def main() -> None:
    """Measure the cases that are named, or all, or the curve."""
    if sys.argv[1:2] == ["curve"]:
        for roots in sys.argv[2:] or ("8", "16", "32", "64", "96"):
            measure_rank(int(roots))
        return
    for name in sys.argv[1:] or CASES:
        measure(name)


if __name__ == "__main__":
    main()
