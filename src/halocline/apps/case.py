"""What every application offers to the command line: parameters in, a run, results out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

from msgspec import field

from halocline.apps.arguments import Needs, check_needs
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.io.axis import Axes
from halocline.io.quantity import Integral, Quantity
from halocline.io.variable import Variable
from halocline.language.grids.grid import Grid
from halocline.language.grids.refine import Refine
from halocline.language.steps.steps import Step
from halocline.options import check_options, options_of


class Problem(Frozen):
    """What a simulation is made of, and what can be seen of it on its way.

    Attributes:
        grid: The grid, with its fields and their boundaries; of a forest 'forest.grid'.
        steps: One time step.
        quantities: What is written as fields, read at probes, shown in a movie.
        integrals: Numbers that tell of all cells together.
        refresh: Steps that bring up to date what quantities and integrals read. They are done only
            where something is written, so they must change nothing that 'steps' read.
        dt: Length of a step [time unit].
        time_unit: In words, as 'L/U'; 's' is one that files know.
        axes: What coordinates mean; pure numbers if nothing is said.
        start: Date and time of step 0, where times are in 's'; None if it has none.
        constants: What fields are stored with, since it never changes, as the depth of a sea.
        decomposition: Into which blocks the grid is cut where the user does not say, see
            'Simulation'; None for the cheapest sides.
        refine: When and where the blocks of a forest are split and merged; None for never.
    """

    grid: Grid
    steps: tuple[Step, ...]
    quantities: tuple[Quantity, ...] = ()
    integrals: tuple[Integral, ...] = ()
    refresh: tuple[Step, ...] = ()
    dt: float = 1.0
    time_unit: str = "steps"
    axes: Axes = field(default_factory=dict)
    start: datetime | None = None
    constants: tuple[Variable, ...] = ()
    decomposition: Any = None
    refine: Refine | None = None

    def blocks(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments of a simulation with blocks of the problem's own, if they say none."""
        if "plan" in chosen:
            return dict(chosen)
        return {"decomposition": self.decomposition, **chosen}


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


# Stands in the annotation of a parameter that only says when a run ends. A restart may change it:
# no value of a field depends on it, whatever has been done so far.
ENDS = "ends"


@dataclass(frozen=True)
class Case:
    """Parameters that say completely what is computed.

    Each field of a subclass is a parameter, declared as an option (halocline/options.py): that is
    how the command line and case files know it.
    """

    name: ClassVar[str]
    # What is taken for parameters that are None.
    usual: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    # What parameters mean nothing without, see 'check_needs'.
    needs: ClassVar[Needs] = ()

    @property
    def parameter_values(self) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in options_of(type(self))}

    @property
    def lasting_parameters(self) -> dict[str, Any]:
        """Those that must be the same after a restart; see 'ENDS'."""
        values, options = self.parameter_values, options_of(type(self))
        return {name: values[name] for name in values if ENDS not in options[name].marks}

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        check_options(type(self), self.parameter_values, CaseError)
        check_needs(self, self.needs, f"the case '{self.name}'")

    def describe(self) -> str:
        """Return the parameters and what follows from them, as text."""
        raise NotImplementedError

    def problem(self) -> Problem:
        """Return grid and steps."""
        raise NotImplementedError

    def bytes_stored(self) -> int:
        """Return about how much the results' fields will take [bytes].

        Those of a forest are on its finest cells.
        """
        raise NotImplementedError

    def run(self, simulation: Any, problem: Any, watch: Callable[[str], None]) -> Result:
        """Run to the end; 'watch' gets one line now and then on every rank.

        Steps are done by 'simulation.run' alone, which writes on the way what was asked for. After
        a restart 'simulation.step' is not 0: what remains to be done follows from it.
        """
        raise NotImplementedError


def remaining_steps(simulation: Any, steps: int) -> int:
    """Return how many of all steps of a run are still to be done.

    Raises:
        CaseError: More have been done before a restart.
    """
    if simulation.step > steps:
        raise CaseError(
            f"{simulation.step} steps have been done, but {steps} were asked for.",
            hint="Ask for as many steps or more in all.",
        )
    return int(steps - simulation.step)


def run_remaining(simulation: Any, steps: int, watch: Callable[[str], None]) -> tuple[int, float]:
    """Make the steps of a run that remain; return how many they were, and how long they took [s].

    Raises:
        CaseError: More have been done before a restart.
    """
    simulation.run(0, progress=False)  # compile before the clock starts
    remaining = remaining_steps(simulation, steps)
    start = perf_counter()
    simulation.run(remaining)
    seconds = perf_counter() - start
    watch(f"{remaining} steps in {seconds:.3f} s")
    return remaining, seconds
