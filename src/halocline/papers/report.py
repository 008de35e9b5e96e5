"""What an experiment leaves behind: a text with tables, the same as JSON, and a picture."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.io.output import create_directory, write_all, write_text
from halocline.papers.picture import draw

if TYPE_CHECKING:
    from halocline.papers.experiment import Cell, Experiment, Findings, Setting, Table


def as_text(experiment: Experiment, findings: Findings, setting: Setting) -> str:
    """Return tables and remarks as a person reads them."""
    lines = [f"{experiment.name}: {experiment.shows}", f"paper {experiment.source}", ""]
    lines.append(f"here: {_here(setting)}")
    for table in findings.tables:
        lines += ["", table.title, *_table_lines(table)]
    lines += ["", "What cannot be compared:"]
    lines += [f"- {remark}" for remark in findings.remarks]
    return "\n".join(lines)


def write(
    experiment: Experiment, findings: Findings, setting: Setting, directory: Path
) -> tuple[Path, ...]:
    """Write text, JSON and picture into a directory.

    Raises:
        OutputError: One of them could not be written; the others are.
    """
    create_directory(directory)
    text, data, picture = (
        directory / f"{experiment.name}.{ending}" for ending in ("txt", "json", "png")
    )
    title = f"{experiment.name}: {experiment.shows}"
    values = {
        "experiment": experiment.name,
        "source": experiment.source,
        "here": _here(setting),
        **_as_json(findings),
    }
    write_all(
        {
            text.name: lambda: write_text(text, as_text(experiment, findings, setting)),
            data.name: lambda: write_text(data, json.dumps(values, indent=1)),
            picture.name: lambda: draw(findings, title, picture),
        }
    )
    return text, data, picture


def _as_json(findings: Findings) -> dict[str, Any]:
    """Return tables and remarks; the panels draw nothing that is not in a table."""
    values = asdict(findings)
    return {name: values[name] for name in ("tables", "remarks")}


def _here(setting: Setting) -> str:
    quick = ", quick: tiny sizes, times mean nothing" if setting.is_quick else ""
    return f"{_processor()}, {setting.cores} cores, {setting.ranks} ranks{quick}"


def _processor() -> str:
    """Return the processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _table_lines(table: Table) -> list[str]:
    cells = [table.columns, *(tuple(map(_cell, row)) for row in table.rows)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(table.columns))]
    is_word = [
        any(isinstance(row[n], str) and row[n] for row in table.rows)
        for n in range(len(table.columns))
    ]
    return [
        "  ".join(
            word.ljust(width) if left else word.rjust(width)
            for word, width, left in zip(row, widths, is_word, strict=True)
        ).rstrip()
        for row in cells
    ]


def _cell(value: Cell) -> str:
    """Return a number with four digits, a word as it is, nothing for None."""
    match value:
        case None:
            return "-"
        case str():
            return value
        case int():
            return f"{value:,}"
        case _:
            return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"  # noqa: PLR2004
