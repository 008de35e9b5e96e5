"""Runs that are sampled on their way, and what they leave behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from halocline.apps.case import Problem
    from halocline.io.variable import Variable

# Arrays of variables by name (rank 0).
Values = Mapping[str, NDArray[Any]]


def sample(simulation: Any, problem: Problem) -> tuple[float, ...]:
    """Return the time and the integrals of a problem; collective."""
    integrals = problem.integrals
    simulation.execute(*problem.refresh, *(integral.reduction for integral in integrals))
    return (simulation.step * problem.dt, *(integral.value for integral in integrals))


def as_line(problem: Problem, row: Sequence[float], first: int = 0) -> str:
    """Return the integrals of a sample as text, from the first one to show on."""
    pairs = zip(problem.integrals[first:], row[1 + first :], strict=True)
    return "   ".join(f"{integral.name} {value:.6g}" for integral, value in pairs)


def run_in_pieces(
    simulation: Any, last: int, interval: int, until: Callable[[], bool] = lambda: False
) -> Iterator[tuple[int, float]]:
    """Run to a step in pieces; yield after each its number of steps and how long it took [s].

    Pieces end where the step is a multiple of the interval, so that a run that goes on after a
    restart is sampled where the whole one would be.

    Args:
        simulation: The simulation.
        last: The step at which the run ends at the latest.
        interval: Steps from one sample to the next.
        until: Whether the run has come to its end before.
    """
    simulation.run(0, progress=False)  # compile before the clock starts
    while simulation.step < last and not until():
        steps = min(interval - simulation.step % interval, last - simulation.step)
        start = perf_counter()
        simulation.run(steps, progress=False)
        yield steps, perf_counter() - start


class SampledResult(Frozen):
    """What a run with samples leaves behind.

    Attributes:
        case: The parameters.
        problem: Its fields.
        history: Time and integrals at each sample of this run (samples, 1 + integrals).
        steps: How many were done, by this run.
        seconds: Wall-clock time they took [s].
    """

    case: Any
    problem: Any
    history: NDArray[np.float64]
    steps: int
    seconds: float

    def series(self, name: str) -> NDArray[np.float64]:
        """Return an integral, or the 'time', at each sample of this run."""
        names = ["time", *(integral.name for integral in self.problem.integrals)]
        return np.asarray(self.history[:, names.index(name)])

    def compare(self, variables: Sequence[Variable]) -> Sequence[Any]:
        """Return what came out beside what is known, as the case tells it (rank 0)."""
        lines: Sequence[Any] = self.case.compare(self, values_of(variables))
        return lines

    def findings(self, variables: Sequence[Variable]) -> str:
        """Return the same as text (rank 0)."""
        lines = map(str, self.compare(variables))
        return "\n".join(lines) or "Nothing is known to compare it with."


def values_of(variables: Sequence[Variable]) -> Values:
    """Return the arrays of gathered variables by name (rank 0)."""
    return {v.name: v.values for v in variables if v.values is not None}
