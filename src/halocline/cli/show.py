"""Show what becomes of a case: its kernels, what they touch, a rank's plan, the generated code."""

from __future__ import annotations

from collections.abc import Callable
from difflib import ndiff
from pathlib import Path

from halocline.analysis.cost import cost
from halocline.analysis.footprint import footprint
from halocline.apps.case import Problem
from halocline.apps.run_options import RunOptions
from halocline.language.boundaries.boundary import boundary_calls
from halocline.language.expressions.kernel import Kernel
from halocline.language.expressions.show import show
from halocline.language.steps.steps import Call, check_steps
from halocline.language.steps.subcycling import on_forest
from halocline.language.steps.tree import walk
from halocline.plan.blocks.choice import decomposition_for
from halocline.plan.exchange.distribution import DistributedSchedule, Distribution
from halocline.plan.pipeline import CHECK_EVERY, Binding, plan_for, values_of_all, write_plan_file
from halocline.plan.platform import Platform
from halocline.plan.program.printer import program_text
from halocline.plan.program.program import Program
from halocline.plan.schedule.printer import schedule_text
from halocline.plan.schedule.steps import Schedule
from halocline.targets import source_for


def show_subject(
    what: str,
    problem: Problem,
    options: RunOptions,
    ranks_and_rank: tuple[int, int],
    platform: Platform,
    target: str = "c++",
) -> str:
    """Return a case's 'kernel', 'footprint', 'passes', 'plan' or 'code' for a target as text."""
    ranks, rank = ranks_and_rank
    subjects: dict[str, Callable[[], str]] = {
        "kernel": lambda: _each_kernel(problem, lambda k: f"{show(k)}\n  # {cost(k)}"),
        "footprint": lambda: _each_kernel(problem, lambda k: str(footprint(k))),
        "passes": lambda: _passes(problem, options, ranks, rank, platform),
        "plan": lambda: str(
            plan_for(
                problem.grid,
                problem.steps,
                ranks=ranks,
                rank=rank,
                strategy=options.strategy,
                platform=platform,
                **problem.blocks(options.shape),
            )
        ),
        "code": lambda: source_for(problem.grid, problem.steps, target).text,
    }
    return subjects[what]()


def write_plans_of_case(
    path: str, problem: Problem, options: RunOptions, ranks: int, platform: Platform
) -> None:
    """Write the plans of all ranks to a file.

    Raises:
        OutputError: The file cannot be written.
    """
    write_plan_file(
        Path(path),
        problem.grid,
        problem.steps,
        ranks=ranks,
        strategy=options.strategy,
        platform=platform,
        **problem.blocks(options.shape),
    )


def _passes(
    problem: Problem, options: RunOptions, ranks: int, rank: int, platform: Platform
) -> str:
    """Return each pass of the planner with the value after it, where that has changed."""
    steps = check_steps(on_forest(problem.steps))
    shape = problem.blocks(options.shape)
    split = decomposition_for(problem.grid, ranks, **shape, steps=steps)
    how = Distribution(split, options.strategy)
    lines: list[str] = []
    before: list[str] = []
    for one, value in values_of_all(steps, Binding(problem.grid, CHECK_EVERY), how, rank, platform):
        text = _value_text(value).splitlines()
        changes = [line for line in ndiff(before, text) if line[0] in "+-"]
        # The value itself where little of it was there before.
        shown = changes if len(changes) < len(text) else ["  " + line for line in text]
        lines.append(f"{one.name}: {one.takes.__name__} → {one.returns.__name__}. {one.does}")
        lines += shown or ["  unchanged"]
        before = text
    return "\n".join(lines)


def _value_text(value: object) -> str:
    match value:
        case Program():
            return program_text(value)
        case Schedule():
            return schedule_text(value)
        case DistributedSchedule(schedule, layouts=layouts):
            return "\n".join((*map(str, layouts), schedule_text(schedule)))
        case _:
            return str(value)


def _each_kernel(problem: Problem, text: Callable[[Kernel], str]) -> str:
    """Return a text for every kernel of the step and of the boundaries."""
    calls = [step for step in walk(on_forest(problem.steps)) if isinstance(step, Call)]
    for field in list(problem.grid.fields.values()):
        for side in field.boundaries:
            calls += boundary_calls(field, side, 1)
    kernels = {call.kernel: call for call in calls}
    return "\n\n".join(text(kernel) for kernel in kernels)
