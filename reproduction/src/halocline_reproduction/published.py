"""The published numbers, from the tables in 'data' (see PROVENANCE.md there)."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

DATA = Path(__file__).with_name("data")


@cache
def published(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a printed table, as '002-A2': words as printed, by column.

    Lines that begin with '#' say where a table comes from.
    """
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(line for line in file if not line.startswith("#")))


def printed(name: str, row: str) -> dict[str, float]:
    """Return the numbers of the row that begins with a word, by column."""
    found = next(r for r in published(name) if next(iter(r.values())) == row)
    return {column: float(word) for column, word in list(found.items())[1:]}


def stated(paper: str, quantity: str) -> float:
    """Return a number that the running text of a paper states."""
    rows = published(f"{paper}-text")
    return next(float(row["value"]) for row in rows if row["quantity"] == quantity)
