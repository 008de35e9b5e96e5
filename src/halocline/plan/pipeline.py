"""The passes from the steps of a user to the plan of a rank, in order: read this file first.

    steps ─BINDING─▶ Program ─DISTRIBUTION─▶ DistributedSchedule ─LOWERING─▶ Plan ─PLATFORM─▶ Plan
                        for any blocks            for all ranks       of a rank    decided for it

A pass takes a value and returns the next one. What it depends on beside the value is the context of
its stage. 'halocline show passes CASE' prints the value after each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from halocline.errors import PlanError
from halocline.frozen import Frozen
from halocline.garbage import no_search_for_cycles
from halocline.language.grids.forest import grid_of
from halocline.language.steps.steps import check_steps
from halocline.language.steps.subcycling import on_forest
from halocline.plan.blocks.choice import decomposition_for
from halocline.plan.cells.strategy import Strategy
from halocline.plan.encoding import Encoder
from halocline.plan.exchange.distribution import (
    DistributedSchedule,
    Distribution,
    distributed,
    with_live_patches,
)
from halocline.plan.lowering.lowering import lowered
from halocline.plan.passes.concurrency import with_concurrency
from halocline.plan.passes.executions import with_executions
from halocline.plan.passes.inlined_boundaries import with_inlined_boundaries
from halocline.plan.passes.loop_fission import with_loop_fission
from halocline.plan.passes.map_reduce_fusion import with_map_reduce_fusion
from halocline.plan.passes.reduction_fusion import with_reduction_fusion
from halocline.plan.passes.transports import with_transports
from halocline.plan.passes.wavefronts import with_wavefronts
from halocline.plan.plan_file import section_of, write_plans
from halocline.plan.platform import Platform
from halocline.plan.program.binding import bind
from halocline.plan.program.program import Program
from halocline.plan.schedule.copy_propagation import with_original_values
from halocline.plan.schedule.layout_checks import check_before_planning
from halocline.plan.schedule.schedule import make_schedule
from halocline.plan.schedule.steps import Schedule
from halocline.plan.value.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from halocline.language.grids.forest import Forest
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step
    from halocline.plan.blocks.choice import AnyDecomposition
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.schedule.layout import FieldLayout

# After how many steps fields are searched for values that are not numbers, unless users choose.
CHECK_EVERY = 100


class Pass(Frozen):
    """A pass of the planner.

    Attributes:
        name: What it is called.
        takes: The type of the value that it takes.
        returns: The type of the value that it returns.
        run: Returns the next value from a value and the context of the stage.
        applies: Whether it has something to do for a value and a context.
        does: What it does, in a sentence.
    """

    name: str
    takes: type
    returns: type
    run: Callable[[Any, Any], Any]
    does: str
    applies: Callable[[Any, Any], bool] = lambda _value, _context: True


class Binding(Frozen):
    """What steps are bound to.

    Attributes:
        grid: The grid.
        check_every: After how many steps fields are searched for values that are not numbers.
        prefix: What the names of hidden fields begin with.
    """

    grid: Grid
    check_every: int = 0
    prefix: str = "value"


def _scheduled(program: Program, how: Distribution) -> Schedule:
    check_before_planning(program, how.strategy, how.decomposition)
    # What is computed again beyond own cells may need wider halos than are stored.
    sends_all = bool(how.stored)
    return make_schedule(program, how.strategy, how.decomposition.cut, sends_all=sends_all)


def _is_limited(_: object, how: Distribution) -> bool:
    # In a hierarchy covered blocks work for themselves.
    split = how.decomposition
    return split.is_forest and not split.levels.is_hierarchy and how.strategy.width == "minimal"


# Their context is a 'Binding'.
BINDING = (
    Pass(
        "bind",
        tuple,
        Program,
        lambda steps, to: bind(to.grid, steps, to.check_every, prefix=to.prefix),
        "Bind kernels to fields, attach boundaries, unroll swaps and loops.",
    ),
)
# Their context is a 'Distribution'.
DISTRIBUTION = (
    Pass(
        "schedule",
        Program,
        Schedule,
        _scheduled,
        "Join kernels to chains, and find what each chain needs from other blocks, and when.",
    ),
    Pass(
        "copy propagation",
        Schedule,
        Schedule,
        lambda value, _: with_original_values(value),
        "Get values that kernels on ghost patches only move from where they were before.",
        _is_limited,
    ),
    Pass(
        "distribution",
        Schedule,
        DistributedSchedule,
        distributed,
        "Make halos as wide as kernels read, and check that blocks are.",
    ),
    Pass(
        "liveness",
        DistributedSchedule,
        DistributedSchedule,
        lambda value, _: with_live_patches(value),
        "Limit the ghost patches of a forest to the cells that are used later.",
        _is_limited,
    ),
    Pass(
        "loop fission",
        DistributedSchedule,
        DistributedSchedule,
        lambda value, _: value.with_chains(with_loop_fission),
        "Divide kernels on ghost patches by component, since each is used in other cells.",
        lambda _, how: how.decomposition.is_forest,
    ),
    Pass(
        "map-reduce fusion",
        DistributedSchedule,
        DistributedSchedule,
        lambda value, _: value.with_chains(
            lambda chain: with_map_reduce_fusion(chain, value.program.only_reduced)
        ),
        "Compute the expression of a reduction in the kernel before it.",
        lambda value, _: bool(value.program.only_reduced),
    ),
    Pass(
        "inlined boundary kernels",
        DistributedSchedule,
        DistributedSchedule,
        lambda value, _: value.with_chains(with_inlined_boundaries),
        "Compute boundary values in the kernel that reads them.",
    ),
)
# Their context is the number of a rank.
LOWERING = (
    Pass(
        "lowering",
        DistributedSchedule,
        Plan,
        lowered,
        "List the operations of a rank: runs on boxes, messages, copies, swaps, loops.",
    ),
)


def _is_open(plan: Plan, _: Platform) -> bool:
    """Return whether it has not been decided yet how kernels run: plans of files may say."""
    return not plan.executions


# Their context is a 'Platform'.
PLATFORM = (
    Pass("transports", Plan, Plan, with_transports, "Choose what moves each message."),
    Pass(
        "reduction fusion",
        Plan,
        Plan,
        lambda plan, _: with_reduction_fusion(plan),
        "Let kernels hand on values that only a reduction reads, without storing them.",
        lambda plan, platform: _is_open(plan, platform) and not platform.has_devices,
    ),
    Pass(
        "concurrency",
        Plan,
        Plan,
        lambda plan, _: with_concurrency(plan),
        "Mark the runs that a device may do at once.",
        lambda plan, platform: _is_open(plan, platform) and platform.has_devices,
    ),
    Pass(
        "wavefronts",
        Plan,
        Plan,
        with_wavefronts,
        "Join runs, so that several steps go through the caches together.",
        lambda plan, platform: (
            _is_open(plan, platform)
            and not platform.has_devices
            and plan.strategy.steps_in_cache > 1
        ),
    ),
    Pass(
        "executions",
        Plan,
        Plan,
        with_executions,
        "Choose how each kernel runs: its stores, prefetching and tiles, or threads of a device.",
        _is_open,
    ),
)


def values_of(passes: Sequence[Pass], value: Any, context: Any) -> Iterator[tuple[Pass, Any]]:
    """Yield each pass that applies, with the value that it returns."""
    for one in passes:
        if one.applies(value, context):
            value = one.run(value, context)
            yield one, value


def values_of_all(
    steps: Sequence[Step], to: Binding, how: Distribution, rank: int, platform: Platform
) -> Iterator[tuple[Pass, Any]]:
    """Yield each pass from checked steps to a rank's plan, with the value that it returns.

    Raises:
        PlanError: There is no such rank, or the step cannot be distributed like that.
    """
    _check_rank(rank, how.decomposition.ranks)
    value: Any = steps
    stages = (BINDING, to), (DISTRIBUTION, how), (LOWERING, rank), (PLATFORM, platform)
    for passes, context in stages:
        for one, after in values_of(passes, value, context):
            yield one, after
            value = after


def _check_rank(rank: int, ranks: int) -> None:
    if not 0 <= rank < ranks:
        raise PlanError(f"The plan of rank {rank} was asked for; there are ranks 0 to {ranks - 1}.")


@no_search_for_cycles()
def run(passes: Sequence[Pass], value: Any, context: Any) -> Any:
    """Return what passes make of a value, one after the other."""
    for _, after in values_of(passes, value, context):
        value = after
    return value


def bound(grid: Grid, steps: Sequence[Step], check_every: int = 0) -> Program:
    """Return checked steps bound to a grid.

    Raises:
        PlanError: A kernel reads beyond the domain where nothing provides values.
    """
    program: Program = run(BINDING, steps, Binding(grid, check_every))
    return program


def for_all_ranks(
    program: Program, decomposition: Decomposition, strategy: Strategy
) -> DistributedSchedule:
    """Return what the plans of all ranks have in common.

    Raises:
        PlanError: The step cannot be distributed like that.
    """
    value: DistributedSchedule = run(DISTRIBUTION, program, Distribution(decomposition, strategy))
    return value


def of_rank(schedule: DistributedSchedule, rank: int, platform: Platform | None = None) -> Plan:
    """Return the plan of a rank; needs neither MPI nor the plans of others.

    Args:
        schedule: What all ranks have in common.
        rank: Whose plan.
        platform: What it is executed on; None leaves open what that decides.
    """
    plan: Plan = run(LOWERING, schedule, rank)
    return plan if platform is None else decided(plan, platform)


def decided(plan: Plan, platform: Platform) -> Plan:
    """Return a plan with all that it leaves open decided for a platform."""
    value: Plan = run(PLATFORM, plan, platform)
    return value


@no_search_for_cycles()
def plan_of(
    program: Program,
    decomposition: Decomposition,
    strategy: Strategy,
    rank: int,
    platform: Platform | None = None,
) -> Plan:
    """Return the plan of a rank for a bound step.

    Raises:
        PlanError: The step cannot be distributed like that.
    """
    return of_rank(for_all_ranks(program, decomposition, strategy), rank, platform)


def plan_for(  # noqa: PLR0913 (the choices of a run)
    grid: Grid | Forest,
    steps: Sequence[object],
    *,
    ranks: int = 1,
    rank: int = 0,
    strategy: Strategy | None = None,
    decomposition: AnyDecomposition = None,
    blocks: int = 1,
    check_every: int = CHECK_EVERY,
    platform: Platform | None = None,
) -> Plan:
    """Return the plan of any rank of any decomposition; needs no MPI and no compiler.

    Args:
        grid: The grid or the forest.
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

    Example:
        >>> grid = hc.Grid((8, 8))
        >>> plan = hc.plan_for(grid, [hc.swap(grid.field("u"), grid.field("u_new"))], ranks=4)
        >>> plan.rank
        0
    """
    _check_rank(rank, ranks)
    coarsest = grid_of(grid)
    program, split = _bound_and_split(coarsest, steps, ranks, decomposition, blocks, check_every)
    return plan_of(program, split, strategy or Strategy(), rank, platform)


def _bound_and_split(
    grid: Grid,
    steps: Sequence[object],
    ranks: int,
    decomposition: AnyDecomposition,
    blocks: int,
    check_every: int,
) -> tuple[Program, Decomposition]:
    """Return the bound steps, and the blocks that they are distributed over."""
    checked = check_steps(on_forest(steps))
    split = decomposition_for(grid, ranks, decomposition, blocks, steps=checked)
    return bound(grid, checked, check_every), split


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
    program: Program = run(BINDING, steps, Binding(grid, prefix="once"))
    strategy = replace(main.strategy.narrow, recompute="fewest-bytes")
    how = Distribution(main.decomposition, strategy, tuple(stored))
    plan = of_rank(run(DISTRIBUTION, program, how), main.rank, platform)
    known = {layout.name for layout in stored}
    return plan, [layout for layout in plan.layouts if layout.name not in known]


def write_plan_file(  # noqa: PLR0913 (as for plan_for)
    path: Path,
    grid: Grid,
    steps: Sequence[Step],
    *,
    ranks: int = 1,
    strategy: Strategy | None = None,
    decomposition: AnyDecomposition = None,
    blocks: int = 1,
    check_every: int = CHECK_EVERY,
    platform: Platform | None = None,
) -> None:
    """Write the plans of all ranks to a file; the arguments are those of 'plan_for'.

    Raises:
        OutputError: The file cannot be written.
        PlanError: The step cannot be distributed like that.
    """
    program, split = _bound_and_split(grid, steps, ranks, decomposition, blocks, check_every)
    schedule = for_all_ranks(program, split, strategy or Strategy())
    plans = [of_rank(schedule, rank, platform or Platform()) for rank in range(ranks)]
    encoder = Encoder(program)
    write_plans(path, encoder, plans[0], (section_of(plan, encoder) for plan in plans))
