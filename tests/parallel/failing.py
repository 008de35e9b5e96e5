"""Programs that go wrong in one way each.

mpiexec -n N python failing.py WAY
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
import stencils

import halocline as hc
from halocline.plan import pipeline
from halocline.plan.pipeline import Pass
from halocline.plan.value.plan import Plan

EXTENT = (8, 6)


def without_first_message(plan: Plan, _rank: int) -> Plan:
    """Return a plan without the message from rank 0 to rank 1, at its source and its target."""
    exchanges = list(plan.exchanges)
    number = next(n for n, exchange in enumerate(exchanges) if exchange.sends)
    sends = tuple(m for m in exchanges[number].sends if (m.source, m.target) != (0, 1))
    receives = tuple(m for m in exchanges[number].receives if (m.source, m.target) != (0, 1))
    exchanges[number] = replace(exchanges[number], sends=sends, receives=receives)
    return replace(plan, exchanges=tuple(exchanges))


def lose_message() -> None:
    problem = stencils.heat(EXTENT, (True, True))
    lost = Pass("lost message", Plan, Plan, without_first_message, "Lose a message.")
    pipeline.LOWERING = (*pipeline.LOWERING, lost)
    stencils.run(problem, strategy=hc.Strategy(poison=True), check_every=1, threads=1)


def at_step_three(rank: int, action) -> None:
    problem = stencils.heat(EXTENT, (True, True))
    stencils.fill(problem)

    def act() -> None:
        if simulation.rank == rank:
            action(problem)

    simulation = hc.Simulation(
        problem.grid, [*problem.steps, hc.every(3, act)], check_every=1, threads=1
    )
    simulation.run(1000, progress=False)


def write_nan(problem: stencils.Problem) -> None:
    problem.grid.fields["T"].local()[0][1, 1] = np.nan


def die(_: stencils.Problem) -> None:
    os._exit(7)


def be_killed(_: stencils.Problem) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def complain(_: stencils.Problem) -> None:
    raise ValueError("the coffee is cold")


def too_many_ranks() -> None:
    problem = stencils.heat((2,), (True,))
    hc.Simulation(problem.grid, problem.steps)


def too_large() -> None:
    grid = hc.Grid((100_000, 100_000))
    grid.field("f", components=1000)
    hc.Simulation(grid, [lambda: None]).run(1)


WAYS = {
    "message lost": lose_message,
    "nan": lambda: at_step_three(1, write_nan),
    "exit": lambda: at_step_three(1, die),
    "kill": lambda: at_step_three(1, be_killed),
    "exception": lambda: at_step_three(1, complain),
    "too large": too_large,
    "too many ranks": too_many_ranks,
}

if __name__ == "__main__":
    WAYS[sys.argv[1]]()
    print("reached the end")
