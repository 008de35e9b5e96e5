"""Predict a case: the time of a step on any machine, with its parts, for many numbers of ranks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from halocline.apps.case import Case
from halocline.apps.cases import make_case
from halocline.apps.run_options import RunOptions
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.io.predicted_scaling import draw_scaling, table
from halocline.language.grids.initial import planning
from halocline.language.steps.steps import check_steps
from halocline.plan.blocks.choice import decomposition_for
from halocline.plan.cells.strategy import Strategy
from halocline.plan.pipeline import bound
from halocline.tune.iterations import assumption
from halocline.tune.machine import Machine
from halocline.tune.machines import find_machine
from halocline.tune.scaling import Scaled, scaling
from halocline.tune.work import Placement

_PICTURES = (".png", ".pdf", ".svg")


class PredictChoices(Frozen):
    """What is predicted.

    Attributes:
        ranks: Numbers of ranks, as '64,4096'.
        machine: A built-in name, 'here', or a machine file.
        is_weak: Whether each rank has a cube of the case's cells a side, instead of all together.
        ranks_per_node: None for as many as fit.
        threads: A rank.
        plot: File of the picture; empty for none.
    """

    ranks: str
    machine: str
    is_weak: bool
    ranks_per_node: int | None
    threads: int
    plot: str


def predict_case(
    case: Case, run: RunOptions, choices: PredictChoices, say: Callable[[str], None]
) -> None:
    """Print the predicted steps of a case, and draw them if asked to.

    Raises:
        HaloclineError: The case cannot be distributed like that, or the machine is not known.
    """
    counts, strategy = _counts(choices.ranks), run.strategy
    if choices.plot and Path(choices.plot).suffix not in _PICTURES:
        raise CaseError(
            f"'--plot {choices.plot}' was given; expected a name that ends in "
            f"{', '.join(_PICTURES[:-1])} or {_PICTURES[-1]}."
        )
    machine = find_machine(choices.machine)
    fitting = machine.ranks_per_node(choices.threads)
    placement = Placement(choices.ranks_per_node or fitting, choices.threads)
    known: dict[Case, Any] = {}

    def scaled(ranks: int) -> Scaled:
        grown = _grown(case, ranks) if choices.is_weak else case
        if grown not in known:
            with planning():
                problem = grown.problem()
            known[grown] = problem, bound(problem.grid, check_steps(problem.steps))
        problem, program = known[grown]
        blocks = decomposition_for(problem.grid, ranks, **problem.blocks(run.shape))
        return Scaled(program, blocks)

    points = scaling(scaled, counts, machine, strategy, placement)
    kind = "weak scaling" if choices.is_weak else "strong scaling"
    say(f"{case.name} on {machine.name} ({machine.description})")
    say(f"{kind}, predicted; strategy {strategy}; {_driven(machine, strategy, choices.threads)}")
    _, program = next(iter(known.values()))
    for source in filter(None, (*machine.sources, assumption(program.steps))):
        say(f"  {source}")
    say("\n".join(table(points).lines()))
    if len(points) == 1:
        say(f"rank {points[0].slowest}: {points[0].prediction}")
    if choices.plot:
        draw_scaling(
            points, f"{case.name}, {kind} on {machine.name}: predicted", Path(choices.plot)
        )
        say(f"picture in {choices.plot}")


def _counts(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdigit() and int(word) > 0 for word in words):
        raise CaseError(
            f"'--ranks {text}' was given; expected positive numbers with commas between them.",
            hint="As in --ranks 64,512,4096.",
        )
    return tuple(map(int, words))


def _driven(machine: Machine, strategy: Strategy, threads: int) -> str:
    """Return what a rank computes with."""
    if machine.device is None:
        return f"{threads} thread(s) a rank"
    way = machine.device.messages if strategy.transport == "auto" else strategy.transport
    return f"{machine.device.name} for each rank, messages '{way}'"


def _grown(case: Case, ranks: int) -> Case:
    """Return the case with as many cells for each rank as it has in all."""
    parameters = case.parameter_values
    if "cells" not in parameters:
        raise CaseError(
            f"Case '{case.name}' has no parameter 'cells', so it cannot grow with the ranks.",
            hint="Leave out --weak.",
        )
    with planning():
        dimensions = case.problem().grid.dimensions
    each = parameters["cells"] or case.usual["cells"]
    return make_case(type(case), {**parameters, "cells": round(each * ranks ** (1 / dimensions))})
