"""A case on three levels, for tests: warmth is smoothed, on the finest where it is at first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

import halocline as hc
from halocline.apps.case import ENDS, Case, Problem, remaining_steps
from halocline.io.quantity import Quantity
from halocline.io.variable import Variable


@hc.kernel
def smooth(T, T_new):
    T_new[0, 0] = 0.25 * (T[-1, 0] + T[1, 0] + T[0, -1] + T[0, 1])


class Smoothed:
    """What is left."""

    def __init__(self, problem):
        self.problem = problem

    def summary(self):
        return ""

    def variables(self):
        return [quantity.gather() for quantity in self.problem.quantities]

    def findings(self, variables):
        return ""

    def pictures(self, variables):
        return {}


@dataclass(frozen=True)
class Warm(Case):
    """Warmth on levels.

    Attributes:
        steps: How many.
    """

    name: ClassVar[str] = "warm"
    steps: Annotated[int, ENDS] = 4

    def describe(self):
        return "warm"

    def bytes_stored(self):
        return 100_000

    def problem(self):
        forest = hc.Forest(
            (16, 16),
            block=4,
            finest=2,
            periodic=True,
            refine=lambda x, y: np.where(np.hypot(x - 9, y - 5) < 2, 2, 0),
        )
        T, T_new = forest.field("T"), forest.field("T_new")
        T.set(lambda x, y: np.sin(0.3 * x) + 0 * y)
        return Problem(
            forest.grid,
            (smooth(T, T_new), hc.swap(T, T_new)),
            quantities=(Quantity("T", T, unit="K", description="temperature"),),
            constants=(Variable("depth", np.full((16, 16), 3.0), "m", "depth"),),
        )

    def run(self, simulation, problem, watch):
        simulation.run(remaining_steps(simulation, self.steps), progress=False)
        return Smoothed(problem)
