"""The numbers that the papers print, from the files beside this one (see PROVENANCE.md there)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

_DATA = Path(__file__).with_name("data")


@dataclass(frozen=True, slots=True)
class Published:
    """A printed table.

    Attributes:
        name: Paper and table: '002-A2'.
        columns: Names.
        rows: Words as printed.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> tuple[str, ...]:
        """Return a column."""
        position = self.columns.index(name)
        return tuple(row[position] for row in self.rows)

    def row(self, name: str) -> dict[str, float]:
        """Return the numbers of the row that begins with a name, by column."""
        row = next(row for row in self.rows if row[0] == name)
        return {key: float(value) for key, value in zip(self.columns[1:], row[1:], strict=True)}


def published(name: str) -> Published:
    """Return a printed table."""
    with (_DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return Published(name, tuple(header), tuple(map(tuple, rows)))


def stated(paper: str, quantity: str) -> float:
    """Return a number that the running text of a paper states."""
    table = published(f"{paper}-text")
    return next(float(row[1]) for row in table.rows if row[0] == quantity)
