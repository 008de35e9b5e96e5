"""'halocline bench': verified measurements as a table, as JSON and as a plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.bench.benchmarks import BENCHMARKS
from halocline.bench.here import describe_here, summary
from halocline.bench.settings import Settings
from halocline.installation import need
from halocline.io.panels import draw_panels
from halocline.io.results import Table
from halocline.runtime.link import to_link

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.io.results import Row


def run_bench(
    name: str, show: Callable[[str], None], settings: Settings, json_file: str, plot_file: str
) -> list[Row]:
    """Measure, show a table, and write JSON and a picture to files if they are named.

    Args:
        name: Of the benchmark.
        show: Gets each line of the table.
        settings: What is measured; without sizes of elements those of the benchmark.
        json_file: Where figures go, or empty.
        plot_file: Where the picture goes, or empty.

    Returns:
        The rows.

    Raises:
        HaloclineError: The measurement failed, its result was wrong, or a file cannot be written.
    """
    if plot_file:
        need("plot", "matplotlib")
    benchmark = BENCHMARKS[name]
    if not settings.element_bytes:
        settings = replace(settings, element_bytes=benchmark.element_bytes)
    here = describe_here()
    caption = summary(here) + _network(settings)
    show(benchmark.title)
    show(caption)
    rows = list(benchmark.run(settings))
    for line in Table(benchmark.title, rows).lines():
        show(line)
    if json_file:
        benchmark.write_json(Path(json_file), settings, here, rows)
    if plot_file:
        title = f"{benchmark.name}\n{caption}"
        draw_panels([benchmark.chart.panel(rows)], title, Path(plot_file))
    return rows


def _network(settings: Settings) -> str:
    """Return what is not real about the network."""
    if settings.ranks_per_node is None:
        return ""
    nodes = f"; {settings.ranks_per_node} rank(s) a node by declaration"
    link = to_link(settings.link)
    return f"{nodes}; EMULATED link {link}" if link else nodes
