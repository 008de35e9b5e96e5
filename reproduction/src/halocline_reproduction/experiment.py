"""Experiment: what a file of 'data' says of it, how it is run, and what it leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from halocline.bench.here import describe_here, summary
from halocline.bench.settings import Settings
from halocline.frozen import Frozen
from halocline.io.output import create_directory, write_all, write_text
from halocline.io.panels import Panel, draw_panels
from halocline.io.results import Chart, Table
from halocline.tune.machines import find_machine
from halocline_reproduction.published import published

_QUICK_BYTES = 4096

Study = Callable[["Experiment", Settings], Sequence[Table]]


class Experiment(Frozen):
    """An experiment that can be repeated.

    Attributes:
        name: Number of the paper and a word: '002-2d'.
        source: Section, table or figure.
        shows: What it shows, in a sentence.
        minutes: About how long it takes on two cores.
        study: Measures and predicts: returns tables.
        charts: How the tables are drawn.
        remarks: What cannot be compared, and why.
        variants: What is compared, as the study reads it.
        machines: Whose sources are named among the remarks.
        says: Quantities that the text of the paper states about it.
    """

    name: str
    source: str
    shows: str
    minutes: float
    study: Study
    charts: Sequence[Chart]
    remarks: Sequence[str]
    variants: Sequence[Mapping[str, Any]] = ()
    machines: Sequence[str] = ()
    says: Sequence[str] = ()

    @property
    def paper(self) -> str:
        """The number of the paper."""
        return self.name[:3]

    @property
    def title(self) -> str:
        """What stands above all."""
        return f"{self.name}: {self.shows}"

    def run(self, settings: Settings) -> Findings:
        """Run it."""
        tables = [*self.study(self, settings), *self._stated()]
        panels = (chart.panel(tables[chart.table].rows) for chart in self.charts)
        sources: dict[str, str] = {}
        for name in self.machines:
            for source in find_machine(name).sources:
                sources.setdefault(source, name)
        remarks = [*self.remarks, *(f"{name}, {source}." for source, name in sources.items())]
        return Findings(tables, [panel for panel in panels if panel.series], remarks)

    def _stated(self) -> list[Table]:
        """Return what the paper states, word for word."""
        rows = {row["quantity"]: row for row in published(f"{self.paper}-text")}
        names = {"number": "value", "unit": "unit", "words": "says"}
        found = [{name: rows[q][key] for name, key in names.items()} for q in self.says]
        return [Table("the paper", found)] if found else []


class Findings(Frozen):
    """What an experiment has brought.

    Attributes:
        tables: Measured, printed and predicted numbers.
        panels: The same, drawn.
        remarks: What cannot be compared, and why.
    """

    tables: Sequence[Table]
    panels: Sequence[Panel]
    remarks: Sequence[str]


def settings_for(ranks: int, *, is_quick: bool = False) -> Settings:
    """Return how an experiment measures on ranks; tiny sizes show only that it works."""
    if is_quick:
        return Settings(
            ranks, repetitions=1, budget_s=2e-4, largest_bytes=_QUICK_BYTES, is_quick=True
        )
    return Settings(ranks, repetitions=5)


def as_text(experiment: Experiment, findings: Findings, settings: Settings) -> str:
    """Return tables and remarks as a person reads them."""
    lines = [experiment.title, f"paper {experiment.source}", "", f"here: {_here(settings)}"]
    for table in findings.tables:
        lines += ["", table.title, *table.lines()]
    lines += ["", "What cannot be compared:", *(f"- {remark}" for remark in findings.remarks)]
    return "\n".join(lines)


def write(
    experiment: Experiment, findings: Findings, settings: Settings, directory: Path
) -> tuple[Path, ...]:
    """Write text, JSON and picture into a directory.

    Raises:
        OutputError: One of them could not be written; the others are.
    """
    create_directory(directory)
    text, data, picture = (
        directory / f"{experiment.name}.{ending}" for ending in ("txt", "json", "png")
    )
    # The panels draw nothing that is not in a table.
    values = {
        "experiment": experiment.name,
        "source": experiment.source,
        "here": _here(settings),
        "tables": [
            {"title": table.title, "rows": [dict(row) for row in table.rows]}
            for table in findings.tables
        ],
        "remarks": findings.remarks,
    }
    write_all(
        {
            text.name: lambda: write_text(text, as_text(experiment, findings, settings)),
            data.name: lambda: write_text(data, json.dumps(values, indent=1)),
            picture.name: lambda: draw_panels(findings.panels, experiment.title, picture),
        }
    )
    return text, data, picture


def _here(settings: Settings) -> str:
    quick = ", quick: tiny sizes, times mean nothing" if settings.is_quick else ""
    return f"{summary(describe_here())}, {settings.ranks} ranks{quick}"
