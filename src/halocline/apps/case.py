"""What every application offers to the command line: parameters in, a run, results out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Protocol

from halocline.io.quantity import Integral, Quantity
from halocline.io.variable import Variable
from halocline.language.grid import Grid
from halocline.language.steps import Step


@dataclass(frozen=True, slots=True)
class Problem:
    """What a simulation is made of, and what can be seen of it on its way.

    Attributes:
        grid: The grid, with its fields and their boundaries.
        steps: One time step.
        quantities: What is written as fields, read at probes, shown in a movie.
        integrals: Numbers that tell of all cells together.
        refresh: Steps that bring up to date what quantities and integrals read. They are done only
            where something is written, so they must change nothing that 'steps' read.
        dt: Length of a step [time unit].
        time_unit: In words, as 'L/U'.
    """

    grid: Grid
    steps: tuple[Step, ...]
    quantities: tuple[Quantity, ...] = field(default=(), kw_only=True)
    integrals: tuple[Integral, ...] = field(default=(), kw_only=True)
    refresh: tuple[Step, ...] = field(default=(), kw_only=True)
    dt: float = field(default=1.0, kw_only=True)
    time_unit: str = field(default="steps", kw_only=True)


class Result(Protocol):
    """What a run leaves behind; the same on all ranks but for gathered values."""

    def summary(self) -> str:
        """Return what came out, as text."""

    def variables(self) -> Sequence[Variable]:
        """Return the fields to store; collective, with values on rank 0 only."""

    def findings(self, variables: Sequence[Variable]) -> str:
        """Return how the result compares with what is known (rank 0)."""

    def pictures(self, variables: Sequence[Variable]) -> Mapping[str, Callable[[Any], None]]:
        """Return for each picture's file name the function that draws it to a path."""


class Case(Protocol):
    """Parameters that say completely what is computed."""

    name: ClassVar[str]

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""

    def describe(self) -> str:
        """Return the parameters and what follows from them, as text."""

    def problem(self) -> Problem:
        """Return grid and steps."""

    def bytes_stored(self) -> int:
        """Return about how much the stored fields will take [bytes]."""

    def run(self, simulation: Any, problem: Any, watch: Callable[[str], None]) -> Result:
        """Run to the end; 'watch' gets one line now and then on every rank.

        Steps are done by 'simulation.run' alone, which writes on the way what was asked for. After
        a restart 'simulation.step' is not 0: what remains to be done follows from it.
        """


def ending(default: Any) -> Any:
    """Return a parameter's default, and mark it as one that only says when a run ends.

    A restart may change it: no value of a field depends on it, whatever has been done so far.
    """
    return field(default=default, metadata={"is_ending": True})


def absent(default: Any) -> Any:
    """Return a parameter's default, a zero, and mark it as one that stands for 'not given'."""
    return field(default=default, metadata={"is_absent": True})


def lasting_parameters(case: Case) -> dict[str, Any]:
    """Return the parameters that must be the same after a restart, by name."""
    return {
        f.name: getattr(case, f.name)
        for f in fields(case)  # type: ignore[arg-type]
        if not f.metadata.get("is_ending", False)
    }
