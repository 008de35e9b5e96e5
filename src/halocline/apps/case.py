"""What every application offers to the command line: parameters in, a run, results out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from halocline.io.variable import Variable
from halocline.language.fields import Grid
from halocline.language.steps import Step


@dataclass(frozen=True, slots=True)
class Problem:
    """What a simulation is made of.

    Attributes:
        grid: The grid, with its fields and their boundaries.
        steps: One time step.
    """

    grid: Grid
    steps: tuple[Step, ...]


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
        """Run to the end; 'watch' gets one line now and then on every rank."""
