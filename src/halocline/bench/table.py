"""Tables, JSON and plots of any benchmark: columns and a chart tell what its rows look like."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from halocline.bench.times import Measured
from halocline.io.output import write_text, writing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from halocline.bench.settings import Settings

_SMALL = 1024
# More names than this below an axis stand upright.
_CROWDED = 8


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        header: What stands above it.
        cell: The text of a row.
    """

    header: str
    cell: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Chart:
    """How rows are drawn: as lines over a number, or as bars over names.

    Attributes:
        x: Where a row stands: a number, or a name.
        y: How high.
        series: To which line or colour it belongs.
        x_label: Quantity and unit.
        y_label: Quantity and unit.
    """

    x: Callable[[Any], float | str]
    y: Callable[[Any], float]
    series: Callable[[Any], str]
    x_label: str
    y_label: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark.

    Attributes:
        name: As a user calls it.
        title: What is measured, in a sentence or two that stand above the table.
        run: Measures, starting ranks of its own, and returns verified rows.
        columns: Of the table.
        chart: Of the plot.
        element_bytes: Those measured if none are asked for.
    """

    name: str
    title: str
    run: Callable[[Settings], Sequence[Any]]
    columns: tuple[Column, ...]
    chart: Chart
    element_bytes: tuple[int, ...] = (8,)


def size_text(size_bytes: float) -> str:
    """Return a size as '512 B', '8 kB' or '64 MB', with powers of 1024."""
    for unit in ("B", "kB"):
        if size_bytes < _SMALL:
            return f"{size_bytes:.4g} {unit}"
        size_bytes /= _SMALL
    return f"{size_bytes:.4g} MB"


def _microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:.4g}"


TIMES = (
    Column("min us", lambda row: _microseconds(row.times.min_s)),
    Column("median us", lambda row: _microseconds(row.times.median_s)),
    Column("max us", lambda row: _microseconds(row.times.max_s)),
)
RATE = Column("GB/s", lambda row: f"{row.bytes_per_s / 1e9:.4g}")
MESSAGES = (
    Column("transport", lambda row: row.transport),
    Column("element", lambda row: f"{row.element_bytes} B"),
    Column("message", lambda row: size_text(row.message_bytes)),
    Column("ranks", lambda row: str(row.ranks)),
)
MESSAGE_CHART = Chart(
    x=lambda row: row.message_bytes,
    y=lambda row: row.bytes_per_s / 1e9,
    series=lambda row: f"{row.transport}, {row.element_bytes} B",
    x_label="message [bytes]",
    y_label="GB/s",
)


def table_lines(columns: Sequence[Column], rows: Sequence[Any]) -> list[str]:
    """Return a table: the first column to the left, the others to the right."""
    cells = [[c.header for c in columns], *([c.cell(row) for c in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if n == 0 else text.rjust(width)
            for n, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]


def write_json(
    path: Path,
    benchmark: Benchmark,
    settings: Settings,
    here: Mapping[str, Any],
    rows: Sequence[Any],
) -> None:
    """Write rows with the settings and a description of the machine.

    Raises:
        OutputError: The file cannot be written.
    """
    found = {
        "benchmark": benchmark.name,
        "title": benchmark.title,
        "verified": True,
        "machine": dict(here),
        "settings": asdict(settings),
        "rows": [_plain(row) for row in rows],
    }
    write_text(path, json.dumps(found, indent=1, ensure_ascii=False))


def _plain(row: Any) -> dict[str, Any]:
    rate = {"bytes_per_s": row.bytes_per_s} if isinstance(row, Measured) else {}
    return {**asdict(row), **rate}


def draw(path: Path, benchmark: Benchmark, caption: str, rows: Sequence[Any]) -> None:
    """Draw rows as a PNG picture.

    Raises:
        OutputError: The file cannot be written.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    chart = benchmark.chart
    if isinstance(chart.x(rows[0]), str):
        _bars(axes, chart, rows)
    else:
        _lines(axes, chart, rows)
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    axes.set_title(f"{benchmark.name}\n{caption}", fontsize=9)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    with writing(path):
        figure.savefig(path, format="png", dpi=120)


def _series(chart: Chart, rows: Sequence[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(chart.series(row), []).append(row)
    return found


def _lines(axes: Axes, chart: Chart, rows: Sequence[Any]) -> None:
    for name, members in _series(chart, rows).items():
        axes.plot(
            [float(chart.x(row)) for row in members],
            [chart.y(row) for row in members],
            marker="o",
            markersize=3,
            label=name,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")


def _bars(axes: Axes, chart: Chart, rows: Sequence[Any]) -> None:
    places = list(dict.fromkeys(str(chart.x(row)) for row in rows))
    series = _series(chart, rows)
    width = 0.8 / len(series)
    for n, (name, members) in enumerate(series.items()):
        at = [places.index(str(chart.x(row))) - 0.4 + (n + 0.5) * width for row in members]
        axes.bar(at, [chart.y(row) for row in members], width, label=name)
    axes.set_xticks(range(len(places)), places, fontsize=8)
    if len(places) > _CROWDED:
        axes.tick_params("x", rotation=90)
