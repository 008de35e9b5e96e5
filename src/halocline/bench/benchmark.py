"""Benchmark: what is measured under a name, on which ranks, and what is left of it in files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from halocline.bench.job import measure_on_ranks
from halocline.bench.settings import Settings
from halocline.errors import HaloclineError
from halocline.frozen import Frozen
from halocline.io.output import write_text
from halocline.io.results import Chart, Row
from halocline.runtime.job import Job

if TYPE_CHECKING:
    from pathlib import Path

RANKS = 2
Rows = Sequence[Row]


class Benchmark(Frozen):
    """A benchmark.

    Attributes:
        name: As a user calls it.
        title: What is measured, in a sentence or two that stand above the table.
        run: Measures, starting ranks of its own, and returns verified rows.
        chart: How the rows are drawn.
        element_bytes: Those measured if none are asked for.
    """

    name: str
    title: str
    run: Callable[[Settings], Rows]
    chart: Chart
    element_bytes: tuple[int, ...] = (8,)

    def write_json(
        self, path: Path, settings: Settings, here: Mapping[str, Any], rows: Rows
    ) -> None:
        """Write rows with the settings and a description of the machine.

        Raises:
            OutputError: The file cannot be written.
        """
        content = {
            "benchmark": self.name,
            "title": self.title,
            "verified": True,
            "machine": dict(here),
            "settings": asdict(settings),
            "rows": [dict(row) for row in rows],
        }
        write_text(path, json.dumps(content, indent=1, ensure_ascii=False))


def on_ranks(
    name: str, measure: Callable[[Job, Settings], Rows], most: int | None = None
) -> Callable[[Settings], Rows]:
    """Return what runs a measurement on ranks, and refuses as 'check_ranks'."""

    def run(settings: Settings) -> Rows:
        check_ranks(name, settings, most)
        return measure_on_ranks(measure, settings)

    return run


def check_ranks(name: str, settings: Settings, most: int | None = None) -> None:
    """Refuse a number of ranks for which a benchmark is not made.

    Raises:
        HaloclineError: Another number was asked for.
    """
    if most is not None and settings.ranks != RANKS:
        raise HaloclineError(
            f"The benchmark '{name}' was asked for on {settings.ranks} ranks; expected {RANKS}.",
            hint="More ranks at once are measured by 'ring-shift'.",
        )
    if settings.ranks < RANKS:
        raise HaloclineError(
            f"The benchmark '{name}' was asked for on {settings.ranks} rank; expected at least "
            f"{RANKS}."
        )
