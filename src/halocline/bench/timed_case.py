"""Timed case: the steps of a case or a program, whose results on ranks are those of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

import halocline as hc
from halocline.apps.cases import read_case
from halocline.bench.stepping import TimedSteps
from halocline.errors import HaloclineError

if TYPE_CHECKING:
    from halocline.bench.settings import Settings

# Each repetition lasts so many times the budget of a benchmark of messages.
_LONGER = 20
_FIRST_STEPS = 4


def timed_case(settings: Settings, **options: Any) -> TimedSteps:
    """Return the steps of the case of some settings, to be timed on one thread a rank.

    Args:
        settings: Which case, where.
        options: Of the simulation.
    """
    problem = read_case(settings.case, {})[0].problem()
    simulation = hc.Simulation(
        problem.grid,
        problem.steps,
        dt=problem.dt,
        ranks_per_node=settings.ranks_per_node,
        link=settings.link,
        threads=1,
        check_every=0,
        **options,
    )
    return TimedSteps(simulation, _LONGER * settings.budget_s, _FIRST_STEPS)


def alone(settings: Settings) -> Settings:
    """Return the settings for one rank."""
    return replace(settings, ranks=1, ranks_per_node=None, link=None)


def check_results(settings: Settings, found: int, expected: int) -> None:
    """Refuse figures of ranks whose checksum is not that of one.

    Raises:
        HaloclineError: They differ.
    """
    if found != expected:
        raise HaloclineError(
            f"Case '{settings.case}' has other results on {settings.ranks} ranks than on one."
        )
