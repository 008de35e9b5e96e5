"""Recorder: a simulation that stops where output is due, and else does not know of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from halocline.errors import CaseError, OutputError, described
from halocline.io.output import write_all
from halocline.language.grids.forest import size_of
from halocline.runtime.progress import progress_display

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halocline.language.steps.steps import Step
    from halocline.session.simulation import Simulation


class Output(Protocol):
    """Something that is written every so many steps.

    Attributes:
        name: Of the file, for messages.
        interval: Steps between two times.
        shows_quantities: Whether it reads what 'refresh' of a recorder brings up to date.
        keeps_last: Whether a write replaces the one before, so that it makes up for its failure.
    """

    name: str
    interval: int
    shows_quantities: bool
    keeps_last: bool

    def write(self, step: int, time: float) -> None:
        """Write the state after 'step' steps; collective.

        Raises:
            OutputError: It cannot be written; on all ranks alike.
        """


class Recorder:
    """A simulation that writes output on its way; its bits are those of one that does not.

    Whoever steps calls 'run' as that of the simulation; everything else is the simulation's, too.
    A run is worth more than what it writes on its way: when something cannot be written, say so
    once, go on, try again when it is due again, and raise the failure in 'close', unless a later
    write has made up for it.

    Args:
        simulation: What is run.
        outputs: What is written, in this order, where several are due.
        refresh: Steps that bring up to date what outputs read; they must not change what the
            simulation's own steps read.
        say: Takes a warning.
        is_new: Whether the state that the run begins with is to be written as well, if it is due.

    Raises:
        CaseError: The outputs are no list of outputs.

    Attributes:
        seconds: How long output has taken so far [s].
    """

    def __init__(
        self,
        simulation: Simulation,
        outputs: Sequence[Output],
        refresh: Sequence[Step] = (),
        say: Callable[[str], None] = print,
        *,
        is_new: bool = True,
    ) -> None:
        if not isinstance(outputs, Iterable):
            raise CaseError(
                f"'Recorder' was given {described(outputs)}; expected a list of outputs.",
                hint="Write it in brackets: Recorder(simulation, [series]).",
            )
        self.simulation = simulation
        self.outputs = tuple(outputs)
        self.refresh = tuple(refresh)
        self.say = say
        self.seconds = 0.0
        self._failures: dict[str, OutputError] = {}
        self._is_first_due = is_new

    def __getattr__(self, name: str) -> Any:
        """Return what the simulation has."""
        return getattr(self.simulation, name)

    def run(self, steps: int, *, progress: bool = True) -> None:
        """Do time steps, and write what is due after each; see 'Simulation.run'."""
        simulation = self.simulation
        if not self.outputs or not steps:
            simulation.run(steps, progress=progress)
            return
        if self._is_first_due:
            self._is_first_due = False
            simulation.run(0, progress=False)  # fields get their storage
            self._write()
        first, last = simulation.step, simulation.step + steps
        updates, is_shown = size_of(simulation.grid).updates, progress and simulation.rank == 0
        with progress_display(steps, updates, is_shown=is_shown) as show:
            while (step := simulation.step) < last:
                stops = [step - step % o.interval + o.interval for o in self.outputs]
                simulation.run(min(last, *stops) - step, progress=False)
                show(simulation.step - first)
                self._write()

    def _write(self) -> None:
        step = self.simulation.step
        due = [output for output in self.outputs if step % output.interval == 0]
        if not due:
            return
        started = perf_counter()
        if self.refresh and any(output.shows_quantities for output in due):
            self.simulation.execute(*self.refresh)
        for output in due:
            try:
                output.write(step, self.simulation.time)
                if output.name in self._failures and output.keeps_last:
                    del self._failures[output.name]
            except OutputError as error:
                if output.name not in self._failures and self.simulation.rank == 0:
                    self.say(f"warning: step {step}: {error} The run goes on.")
                self._failures.setdefault(output.name, error)
        self.seconds += perf_counter() - started

    def tasks(self) -> dict[str, Callable[[], None]]:
        """Return for each file what raises its failure, if there was one; for 'write_all'."""
        return {output.name: partial(self._tell, output.name) for output in self.outputs}

    def _tell(self, name: str) -> None:
        if name in self._failures:
            raise self._failures[name]

    def close(self) -> None:
        """Finish.

        Raises:
            OutputError: Something was not written when it was due; the message names it.
        """
        write_all(self.tasks())
