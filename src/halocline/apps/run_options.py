"""How a case is run, apart from what it computes: all that [run] of a case file can say."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import field

from halocline.apps.field_file import read_field_files
from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen
from halocline.io.constants import check_constants
from halocline.io.time_series import Probe
from halocline.io.variable import check_names
from halocline.language.numbers import Range
from halocline.options import Check, Option, options_of
from halocline.plan.cells.strategy import Strategy
from halocline.session.simulation import Simulation

if TYPE_CHECKING:
    from halocline.apps.case import Case, Problem

_PLANE = 2
# What only experiments in programs choose.
_OF_PROGRAMS = ("width", "overlapped", "poison")


def read_probes(texts: list[str] | None) -> tuple[Probe, ...]:
    """Return the points that texts as 'X,Y' or 'X,Y,Z' stand for.

    Raises:
        CaseError: One is no point.
    """
    return tuple(map(_probe, texts or ()))


def _probe(text: str) -> Probe:
    try:
        return Probe(tuple(float(part) for part in text.split(",")))
    except ValueError:
        raise CaseError(
            f"The probe '{text}' was given; expected coordinates as 'X,Y' or 'X,Y,Z'."
        ) from None


class JobOptions(Frozen):
    """Who runs a case, and where the results go.

    Attributes:
        ranks: MPI ranks to start. The default is what 'hosts' take, or the launcher's, or one.
        hosts: Hosts on which ranks are started, with how many each takes, as 'node1:8,node2:8'.
            Those without a number share the other ranks.
        output: Directory of the results; without it a new one in 'output/', or that of the run that
            goes on.
        relaunch: How often ranks that have died are started again, from the newest checkpoint.
    """

    ranks: Annotated[int | None, Range(least=1)] = None
    hosts: str | None = None
    output: str | None = None
    relaunch: Annotated[int, Range(least=0)] = 0


class OutputOptions(Frozen):
    """What is written on the way.

    Attributes:
        every: Steps between two times at which fields and numbers are written; without it they are
            not.
        vtk: With 'every': fields for ParaView, too.
        probe: With 'every': a point as X,Y or X,Y,Z, the values at which are written, too; may be
            repeated.
        movie: With 'every': the variable that a movie of the middle plane shows.
        write: A file with some of the fields, as 'surface.nc every=90 variables=zeta,u', NetCDF or
            '.zarr'; may be repeated.
        checkpoint: Steps between two checkpoints; without it there are none.
        checkpoint_memory: Steps between two checkpoints in the memory of nodes, each part on two of
            them; without it there are none.

    Raises:
        CaseError: Something was chosen that needs 'every'.
    """

    every: Annotated[int | None, Range(least=1)] = None
    vtk: bool = False
    probe: Annotated[list[str] | None, Check(read_probes)] = None
    movie: str | None = None
    write: Annotated[list[str] | None, Check(read_field_files)] = None
    checkpoint: Annotated[int | None, Range(least=1)] = None
    checkpoint_memory: Annotated[int | None, Range(least=1)] = None

    def __post_init__(self) -> None:
        for name in ("vtk", "probe", "movie"):
            if getattr(self, name) and self.every is None:
                raise CaseError(
                    f"'{name}' was given without 'every'.",
                    hint="Give 'every', the steps between two times.",
                )

    def check_problem(self, case: Case, problem: Problem) -> None:
        """Raise a CaseError for what this problem does not have."""
        check_constants(problem.grid, problem.constants)
        names = [quantity.name for quantity in problem.quantities]
        check_names([*names, *(constant.name for constant in problem.constants)])
        if (self.every or self.write) and not names:
            raise CaseError(
                f"The case '{case.name}' names nothing that could be written on its way.",
                hint="Leave out 'every' and 'write'.",
            )
        for name, file in read_field_files(self.write).items():
            file.check(name, case, problem)
        if self.movie is not None and self.movie not in names:
            raise CaseError(
                f"The case '{case.name}' has no variable '{self.movie}' for a movie.",
                hint=nearest(self.movie, names),
            )
        if self.movie is not None and problem.grid.dimensions < _PLANE:
            raise CaseError("A movie was asked for of a grid with one axis; expected two or three.")
        for probe in read_probes(self.probe):
            probe.check(problem.grid, problem.axes)


JOB = options_of(JobOptions)
SIMULATION = options_of(Simulation)
STRATEGY: Mapping[str, Option] = {
    name: option for name, option in options_of(Strategy).items() if name not in _OF_PROGRAMS
}
OUTPUT = options_of(OutputOptions)
RUN: Mapping[str, Option] = {**JOB, **SIMULATION, **STRATEGY, **OUTPUT}


class RunOptions(Frozen):
    """The options of a run that were given, checked.

    Attributes:
        given: By the names in 'RUN'.
        restart: Directory of a run that is to go on from its checkpoint; None to begin at step 0.
    """

    given: Mapping[str, Any] = field(default_factory=dict)
    restart: str | None = None

    @property
    def job(self) -> JobOptions:
        """Who runs it, and where the results go."""
        return JobOptions(**self._of(JOB))

    @property
    def strategy(self) -> Strategy:
        """The strategy with what was chosen."""
        return Strategy(**self._of(STRATEGY))

    @property
    def simulation(self) -> dict[str, Any]:
        """The arguments of the simulation; the strategy is 'auto' if nothing of it was chosen."""
        chosen = {"strategy": self.strategy} if self._of(STRATEGY) else {}
        return {**self._of(SIMULATION), **chosen}

    @property
    def outputs(self) -> OutputOptions:
        """What is written on the way."""
        return OutputOptions(**self._of(OUTPUT))

    @property
    def shape(self) -> dict[str, Any]:
        """The arguments that say which blocks there are."""
        return {n: value for n, value in self.given.items() if n in ("decomposition", "blocks")}

    def check(self) -> None:
        """Refuse what does not go together before any rank is started."""
        outputs = self.outputs
        if self.job.relaunch and not (outputs.checkpoint or outputs.checkpoint_memory):
            raise CaseError(
                "'relaunch' was given without 'checkpoint' or 'checkpoint_memory'.",
                hint="Give 'checkpoint', the steps between two checkpoints.",
            )

    def directory(self, case: str) -> Path:
        """Return the directory of the results of a case; without a name, a new one at each call."""
        stamp = time.strftime("%Y%m%d-%H%M%S")
        return Path(self.job.output or self.restart or f"output/{case}-{stamp}")

    @property
    def goes_on(self) -> bool:
        """Whether the directory of the results is the one of the run that goes on."""
        output = self.job.output
        if self.restart is None:
            return False
        return output is None or Path(output).resolve() == Path(self.restart).resolve()

    def _of(self, options: Mapping[str, Option]) -> dict[str, Any]:
        return {name: value for name, value in self.given.items() if name in options}
