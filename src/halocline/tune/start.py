"""Start: from chosen plans to what executes them; nothing is stored before all else is in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from halocline.language.steps.steps import closing_function
from halocline.runtime.compiled import compile_kernels, compile_services
from halocline.runtime.device import check_lengths
from halocline.runtime.executor import Executor, check_reach
from halocline.runtime.memory import check_memory
from halocline.runtime.stored import store_fields
from halocline.tune.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.expressions.parameters import Parameter
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.plan.value.plan import Plan
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.job import Job
    from halocline.tune.selection import CandidatePlans, Predictor


class Started(Protocol):
    """A simulation, as far as its start needs one."""

    grid: Grid
    steps: tuple[Step, ...]
    job: Job
    threads: int
    dt: float | Parameter
    step: int
    time: float
    mixture: str
    device: OpenDevice
    target: str


def start(
    simulation: Started,
    candidates: CandidatePlans,
    predictor: Predictor,
    before: Executor | None,
) -> tuple[Executor, Selection]:
    """Return what executes the plans and what chooses among them; collective.

    Args:
        simulation: Whose plans they are.
        candidates: The plans.
        predictor: What predicts their steps.
        before: What stores the fields so far, on other blocks or for another simulation, and gives
            them up; None at first.

    Raises:
        CompileError: The kernels cannot be compiled.
        OutOfMemoryError: The fields do not fit into memory.
        MpiError: A neighbour cannot be reached, or the values of a field are missing.
    """
    first, device, job = candidates.plans[0], simulation.device, simulation.job
    check_lengths(device, first, job)
    check_reach(first, job)
    check_memory(first.layouts, first, device, job, before.slots.storages if before else {})
    kernels = compile_kernels(candidates.plans, simulation.target, job, device)
    services = compile_services(job, device)
    executor = Executor(
        first,
        simulation.grid,
        job,
        simulation.threads,
        simulation.dt,
        device,
        services=services,
        closing=closing_function(simulation.steps),
    )
    store_fields(first.layouts, simulation.grid, executor.slots, before.slots if before else None)
    held = simulation.grid.held
    held.executor, held.simulation = executor, simulation
    executor.runtime.step, executor.runtime.time = simulation.step, simulation.time
    executor.mixture = simulation.mixture
    return executor, Selection(candidates, executor, kernels, job, predictor)


def start_once(
    simulation: Started, executor: Executor, name: str, plan: Plan, new: Sequence[FieldLayout]
) -> None:
    """Make steps ready that are done outside the time loop; collective.

    Args:
        simulation: Whose steps they are.
        executor: What executes them.
        name: Of the plan.
        plan: The plan.
        new: The layouts of fields that are not stored yet.

    Raises:
        OutOfMemoryError: There is no memory for the new fields.
    """
    device, job = simulation.device, simulation.job
    check_reach(plan, job)
    check_memory(new, plan, device, job)
    kernels = compile_kernels([plan], simulation.target, job, device)
    store_fields(new, simulation.grid, executor.slots, None)
    executor.load(name, plan, kernels)
