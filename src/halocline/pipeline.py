"""The way of a step from the user's kernels to what runs: the table of contents of Halocline.

steps ──bind──▶ Program ──make_schedule, make_plan, decided──▶ Plan ─────────────────┐
                        its kernels ──print_source──▶ Source ──build──▶ Library ─────┴──▶ runtime
"""

from __future__ import annotations

from dataclasses import replace
from math import lcm
from typing import TYPE_CHECKING, Annotated

from halocline.codegen.cpp import print_source
from halocline.codegen.cuda import print_cuda
from halocline.errors import PlanError, nearest
from halocline.geometry import AXES
from halocline.language.steps.steps import Call, check_steps
from halocline.language.steps.subcycling import depths_of, on_forest
from halocline.language.steps.tree import walk
from halocline.options import Check
from halocline.plan.blocks.bisection import Bisection
from halocline.plan.blocks.decomposition import Decomposition
from halocline.plan.blocks.owners import Owners
from halocline.plan.blocks.shapes import PRICES, decompose, parse_shape
from halocline.plan.blocks.shares import Shares
from halocline.plan.blocks.sparse import Sparse
from halocline.plan.cells.strategy import Strategy
from halocline.plan.encoding import Encoder
from halocline.plan.lowering.lowering import Planning, make_plan
from halocline.plan.plan_file import section_of, write_plans
from halocline.plan.platform import Platform, decided
from halocline.plan.program.binding import bind
from halocline.plan.schedule.layout import layouts_without_halo
from halocline.runtime.compiled import kernels_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from halocline.codegen.source import Source
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step
    from halocline.plan.program.program import Program
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.plan.value.plan import Plan
    from halocline.runtime.device import DeviceChoice
    from halocline.runtime.job import Job

TARGETS = ("c++", "numpy")
_PRINTERS = {"c++": print_source, "cuda": print_cuda}
# What stands for a decomposition; see 'Simulation'.
AnyDecomposition = Annotated[
    str | tuple[int, ...] | list[int] | Decomposition | Sparse | Bisection | Shares | Owners | None,
    Check(parse_shape),
]


def plan_for(  # noqa: PLR0913 (the choices of a run)
    grid: Grid,
    steps: Sequence[Step],
    *,
    ranks: int = 1,
    rank: int = 0,
    strategy: Strategy | None = None,
    decomposition: AnyDecomposition = None,
    blocks: int = 1,
    check_every: int = 100,
    platform: Platform | None = None,
) -> Plan:
    """Return the plan of any rank of any decomposition; needs no MPI and no compiler.

    Args:
        grid: The grid.
        steps: The time step.
        ranks: Number of ranks.
        rank: Whose plan.
        strategy: How to distribute the step.
        decomposition: See 'Simulation'.
        blocks: Blocks a rank.
        check_every: See 'Simulation'.
        platform: What it is executed on; None leaves open what that decides.

    Raises:
        PlanError: There is no such rank, or the step cannot be distributed like that.
    """
    if not 0 <= rank < ranks:
        raise PlanError(f"The plan of rank {rank} was asked for; there are ranks 0 to {ranks - 1}.")
    program, split = _bound(grid, steps, ranks, decomposition, blocks, check_every)
    return plan_of(program, split, strategy or Strategy(), rank, platform)


def _bound(
    grid: Grid,
    steps: Sequence[Step],
    ranks: int,
    decomposition: AnyDecomposition,
    blocks: int,
    check_every: int,
) -> tuple[Program, Decomposition]:
    """Return the bound step, and the blocks that it is distributed over."""
    checked = check_steps(on_forest(steps))
    split = decomposition_for(grid, ranks, decomposition, blocks, steps=checked)
    return bind(grid, checked, check_every), split


def write_plan_file(  # noqa: PLR0913 (as for plan_for)
    path: Path,
    grid: Grid,
    steps: Sequence[Step],
    *,
    ranks: int = 1,
    strategy: Strategy | None = None,
    decomposition: AnyDecomposition = None,
    blocks: int = 1,
    check_every: int = 100,
    platform: Platform | None = None,
) -> None:
    """Write the plans of all ranks to a file; the arguments are those of 'plan_for'.

    Raises:
        OutputError: The file cannot be written.
        PlanError: The step cannot be distributed like that.
    """
    program, split = _bound(grid, steps, ranks, decomposition, blocks, check_every)
    where = platform or Platform()
    planning = Planning(program, split, strategy or Strategy())
    plans = [decided(planning.plan(rank), where) for rank in range(ranks)]
    encoder = Encoder(program)
    write_plans(path, encoder, plans[0], (section_of(plan, encoder) for plan in plans))


def write_plan_of_job(path: Path, program: Program, plan: Plan, job: Job) -> None:
    """Write the plans that ranks have to a file; collective.

    Raises:
        OutputError: The file cannot be written.
    """
    encoder = Encoder(program)
    sections = job.gather(section_of(plan, encoder))
    job.on_first(lambda: write_plans(path, encoder, plan, sections or ()))


def plan_of(
    program: Program,
    decomposition: Decomposition,
    strategy: Strategy,
    rank: int,
    platform: Platform | None,
) -> Plan:
    """Return the plan of a rank for a bound step."""
    plan = make_plan(program, decomposition, strategy, rank)
    return decided(plan, platform) if platform else plan


def plan_once(
    grid: Grid, steps: Sequence[Step], main: Plan, stored: Sequence[FieldLayout], platform: Platform
) -> tuple[Plan, list[FieldLayout]]:
    """Return the plan of steps that are done once between those of another plan.

    Args:
        grid: The grid.
        steps: What to do.
        main: The other plan, for the same rank.
        stored: How fields are stored.
        platform: What it is executed on.

    Returns:
        The plan, and how the fields are stored that only it needs.
    """
    # Hidden fields keep nothing from one call to the next, so all of them use the same ones.
    program = bind(grid, steps, 0, prefix="once")
    new = layouts_without_halo(program, {layout.name for layout in stored})
    # What is computed again beyond own cells may need wider halos than there are.
    strategy = replace(main.strategy.narrow, recompute="free")
    plan = make_plan(program, main.decomposition, strategy, main.rank, (*stored, *new))
    plan = decided(plan, platform)
    return plan, [layout for layout in new if layout in plan.layouts]


def decomposition_for(
    grid: Grid,
    ranks: int,
    decomposition: AnyDecomposition = None,
    blocks: int = 1,
    prices: Sequence[float] | None = None,
    steps: Sequence[Step] = (),
) -> Decomposition:
    """Return the decomposition that a name, a shape or None stands for.

    Args:
        grid: The grid.
        ranks: Number of ranks.
        decomposition: See 'Simulation'.
        blocks: Blocks a rank.
        prices: What a cell of a side across each axis costs; None where it is not known.
        steps: The time step: axes along which it sweeps stay whole where they can.
    """
    grid = grid.first
    if grid.held.forest is not None:
        from halocline.plan.blocks.forest_blocks import decompose_forest

        forest = grid.held.forest
        depths = depths_of(steps, forest.substeps)
        return decompose_forest(forest.leaves, depths, forest.substeps, ranks, decomposition)
    if isinstance(decomposition, Shares | Owners):
        raise PlanError(
            f"'{type(decomposition).__name__}' were given as the decomposition of a grid; expected "
            "a forest, whose leaves they share.",
            hint="Use 'Sparse' for blocks of equal size with weights.",
        )
    calls = [step for step in walk(steps) if isinstance(step, Call)]
    scales = [other.scale for other in grid.family if not other.is_whole]
    scales += [call.space.scale for call in calls if not call.space.is_whole]
    grain = tuple(lcm(*(s.denominator for s in along)) for along in zip(*scales, strict=True))
    swept = frozenset(call.kernel.sweep[0] for call in calls if call.kernel.sweep)
    cells = grid.extent, grid.periodic
    if isinstance(decomposition, Sparse):
        if grid.shifts:
            raise PlanError(
                "A sparse decomposition was asked for on a grid with a shift; expected straight "
                "sides.",
                hint="Use blocks for all cells: decomposition=None.",
            )
        decomposition = decomposition.decompose(*cells, ranks)
    if isinstance(decomposition, Bisection):
        decomposition = decomposition.decompose(*cells, ranks, blocks, grain=grain, swept=swept)
    if isinstance(decomposition, Decomposition):
        if decomposition.ranks != ranks or decomposition.extent != grid.extent:
            raise PlanError(
                f"The decomposition is for {decomposition.ranks} ranks and {decomposition.extent} "
                f"cells; the simulation has {ranks} ranks and {grid.extent} cells.",
            )
        _check_grain(decomposition, grain)
        found = decomposition
    else:
        prices = prices or PRICES
        found = decompose(*cells, ranks, decomposition, blocks, prices, grain=grain, swept=swept)
    return replace(found, shifts=grid.shifts) if grid.shifts else found


def _check_grain(wanted: Decomposition, grain: tuple[int, ...]) -> None:
    """Refuse blocks with a part of a cell of a coarser grid."""
    for axis, (cuts, g) in enumerate(zip(wanted.cuts, grain, strict=True)):
        for cut in cuts:
            if cut % g:
                raise PlanError(
                    f"The decomposition cuts {AXES[axis]} at {cut}, but the family of grids has a "
                    f"coarser one, of {g} cells each: expected multiples of {g}.",
                    hint="Use blocks whose bounds are multiples of the ratio.",
                )


def source_for(grid: Grid, steps: Sequence[Step], target: str = "c++") -> Source:
    """Return the generated text of all kernels of a step; needs no compiler and no device.

    Raises:
        PlanError: There is no text for the target.
    """
    if target not in _PRINTERS:
        raise PlanError(
            f"There is no text for the target '{target}'.", hint=nearest(target, _PRINTERS)
        )
    return _PRINTERS[target](kernels_of([plan_for(grid, steps, check_every=0)]))


def check_target(target: str, device: DeviceChoice | None = None) -> str:
    """Return the name of a target, or refuse one that is unknown, or does not fit the device."""
    if target in _PRINTERS and target not in TARGETS:
        raise PlanError(
            f"The target '{target}' was asked for; expected c++ or numpy, and the text for a "
            "device follows from 'device'.",
            hint=f"Write device='{target}'; 'halocline show code CASE --target {target}' prints "
            "the kernels.",
        )
    if target not in TARGETS:
        raise PlanError(f"There is no target '{target}'.", hint=nearest(target, TARGETS))
    if device is not None and not device.is_cpu and target != "c++":
        raise PlanError(
            f"The target '{target}' runs on the processor; the device '{device}' was asked for."
        )
    return target
