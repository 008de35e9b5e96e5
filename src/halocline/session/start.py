"""Start: from chosen plans to what executes them; nothing is stored before all else is ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.frozen import Frozen
from halocline.language.steps.steps import closing_function
from halocline.runtime.compiled import compile_kernels, compile_services
from halocline.runtime.device import check_lengths
from halocline.runtime.executor import Executor, check_reach
from halocline.runtime.memory import check_memory
from halocline.runtime.stored import store_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halocline.language.expressions.parameters import Parameter
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step
    from halocline.plan.value.plan import Plan
    from halocline.runtime.compiled import CompiledKernels
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.job import Job


class Setting(Frozen):
    """What stays of a simulation while its steps, blocks and plans change.

    Attributes:
        grid: The grid.
        job: The ranks.
        device: Where kernels run.
        threads: OpenMP threads of this rank.
        target: 'c++' or 'numpy'.
        dt: Time step, or what is added to the time in each [time unit].
    """

    grid: Grid
    job: Job
    device: OpenDevice
    threads: int
    target: str
    dt: float | Parameter


class Owner(Frozen):
    """A simulation as the owner of the fields of its grid: see 'FieldOwner' of the language.

    Attributes:
        execute: Executes steps outside the time loop.
        executor: Stores the fields; None before they are stored.
    """

    execute: Callable[..., None]
    executor: Executor | None = None


def executor_of(grid: Grid) -> Executor | None:
    """Return what stores the fields of a grid, for whichever simulation; None if nothing does."""
    match grid.state.owner:
        case Owner(executor=executor):
            return executor
    return None


def start(
    setting: Setting,
    steps: Sequence[Step],
    plans: Sequence[Plan],
    before: Executor | None,
) -> tuple[Executor, CompiledKernels]:
    """Return what executes plans, with all fields stored, and their kernels; collective.

    Args:
        setting: What they run on.
        steps: The time step.
        plans: The plans among which the first steps decide, all with the same layouts.
        before: Stores the fields so far, on other blocks or for another simulation, and gives them
            up; None at first.

    Raises:
        CompileError: The kernels cannot be compiled.
        OutOfMemoryError: The fields do not fit into memory.
        MpiError: A neighbour cannot be reached, or the values of a field are missing.
    """
    first, device, job = plans[0], setting.device, setting.job
    slots = before.slots if before else None
    check_lengths(device, first, job)
    check_reach(first, job)
    check_memory(first.layouts, first, device, job, slots.storages if slots else {})
    kernels = compile_kernels(plans, setting.target, job, device)
    executor = Executor(
        first,
        setting.grid,
        job,
        setting.threads,
        setting.dt,
        device,
        services=compile_services(job, device),
        closing=closing_function(steps),
    )
    store_fields(first.layouts, setting.grid, executor.slots, slots)
    return executor, kernels
