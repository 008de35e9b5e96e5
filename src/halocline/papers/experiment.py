"""An experiment of a paper: what it is called, what it shows, and what running it brings."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """How an experiment is run.

    Attributes:
        ranks: MPI ranks to start.
        is_quick: Whether to see only that everything works: tiny, and not worth comparing.
    """

    ranks: int = 2
    is_quick: bool = False

    @property
    def cores(self) -> int:
        """Cores that this process may use."""
        return len(os.sched_getaffinity(0))

    def is_oversubscribed(self, ranks: int, threads: int = 1) -> bool:
        """Return whether that many ranks share cores, so that their times mean nothing."""
        return ranks * threads > self.cores

    def mark(self, ranks: int, threads: int = 1) -> str:
        """Return a word for a table that says whether cores were shared."""
        return "oversubscribed" if self.is_oversubscribed(ranks, threads) else ""


Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers with a heading.

    Attributes:
        title: Above it.
        columns: Names, with units in brackets.
        rows: None where there is no number.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Series:
    """Points of a panel.

    Attributes:
        label: What they are.
        x: Numbers, or words for the places of bars.
        y: Numbers; not a number where there is none.
        kind: 'here' (measured on this machine), 'paper' (printed there), 'model' (predicted).
    """

    label: str
    x: tuple[float | str, ...]
    y: tuple[float, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of a picture.

    Attributes:
        title: Above it.
        x_label: With the unit.
        y_label: With the unit.
        series: What is drawn.
        is_log_x: Logarithmic along x.
        is_log_y: Logarithmic along y.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    is_log_x: bool = False
    is_log_y: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """What an experiment has brought.

    Attributes:
        tables: Measured, printed and predicted numbers.
        panels: The same, drawn.
        remarks: What cannot be compared, and why.
    """

    tables: tuple[Table, ...]
    panels: tuple[Panel, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that can be repeated.

    Attributes:
        name: Number of the paper and a word: '002-2d'.
        source: Section, table or figure.
        shows: What it shows, in a sentence.
        minutes: About how long it takes on two cores.
        run: Runs it.
    """

    name: str
    source: str
    shows: str
    minutes: float
    run: Callable[[Setting], Findings]

    @property
    def paper(self) -> str:
        """The number of the paper."""
        return self.name[:3]
