"""Show what becomes of a case: its kernels, what they touch, a rank's plan, the generated code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from halocline.analysis.cost import cost
from halocline.analysis.footprint import footprint
from halocline.apps.case import Problem
from halocline.apps.run_options import RunOptions
from halocline.language.boundaries.boundary import boundary_calls
from halocline.language.expressions.kernel import Kernel
from halocline.language.expressions.show import show
from halocline.language.steps.steps import Call
from halocline.language.steps.subcycling import on_forest
from halocline.language.steps.tree import walk
from halocline.pipeline import plan_for, source_for, write_plan_file
from halocline.plan.platform import Platform


def show_subject(
    what: str,
    problem: Problem,
    options: RunOptions,
    ranks_and_rank: tuple[int, int],
    platform: Platform,
    target: str = "c++",
) -> str:
    """Return a case's 'kernel', 'footprint', 'plan' or 'code' for a target as text."""
    ranks, rank = ranks_and_rank
    subjects: dict[str, Callable[[], str]] = {
        "kernel": lambda: _each_kernel(problem, lambda k: f"{show(k)}\n  # {cost(k)}"),
        "footprint": lambda: _each_kernel(problem, lambda k: str(footprint(k))),
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


def _each_kernel(problem: Problem, text: Callable[[Kernel], str]) -> str:
    """Return a text for every kernel of the step and of the boundaries."""
    calls = [step for step in walk(on_forest(problem.steps)) if isinstance(step, Call)]
    for field in list(problem.grid.fields.values()):
        for side in field.boundaries:
            calls += boundary_calls(field, side, 1)
    kernels = {call.kernel: call for call in calls}
    return "\n\n".join(text(kernel) for kernel in kernels)
