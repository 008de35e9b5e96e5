"""Script: a user's program as a case: what it would run, without running it."""

from __future__ import annotations

import runpy
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from halocline.apps.case import Case, Problem
from halocline.errors import CaseError
from halocline.language.expressions.parameters import Parameter
from halocline.session.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Iterator


class Reached(BaseException):
    """Ends a program where it would run a simulation; no mistake that a program should handle."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__("the program has come to its first run")
        self.simulation = simulation


@contextmanager
def stopping(path: Path) -> Iterator[None]:
    """Raise 'Reached' where a program would store its fields; it runs without arguments."""

    def stop(simulation: Simulation) -> None:
        raise Reached(simulation)

    before, arguments = Simulation.before_start, sys.argv
    Simulation.before_start, sys.argv = stop, [str(path)]
    try:
        yield
    finally:
        Simulation.before_start, sys.argv = before, arguments


def script(path: Path) -> type[Case]:
    """Return the case of a program: the grid and the steps of the first simulation that it runs."""

    class Script(Case):
        """A program of a user; it has no parameters."""

        name: ClassVar[str] = str(path)

        def problem(self) -> Problem:
            """Return what the program would run.

            Raises:
                CaseError: It ends before it runs a simulation.
            """
            simulation = _first_simulation(path)
            # How long a step is, if that is computed, changes neither plan nor speed.
            dt = 1.0 if isinstance(simulation.dt, Parameter) else simulation.dt
            return Problem(simulation.grid, simulation.steps, dt=dt)

        def bytes_stored(self) -> int:
            """Refuse to be stored: what is to be done after its first run it knows itself."""
            raise CaseError(
                f"'{path}' is a program, no case: it defines no subclass of 'Case'.",
                hint=f"Run it by itself: python {path}, or on ranks: mpiexec -n 4 python {path}.",
            )

    return Script


def _first_simulation(path: Path) -> Simulation:
    try:
        with stopping(path):
            runpy.run_path(str(path), run_name="__main__")
    except Reached as reached:
        return reached.simulation
    raise CaseError(
        f"The program '{path}' has ended without running a simulation, and defines no case.",
        hint="Let it call Simulation.run without arguments of the command line.",
    )
