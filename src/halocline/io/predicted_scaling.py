"""Predicted scaling: the rate over the number of ranks and the parts of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.geometry import by_axes
from halocline.io.panels import Panel, Series, draw_panels
from halocline.io.results import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from halocline.tune.scaling import Point

_PARTS = ("compute", "pack", "overhead", "wait", "other")


def table(points: Iterable[Point]) -> Table:
    """Return a row for each number of ranks with the parts of the step and the efficiency.

    The efficiency compares the cells a rank updates in a second with those of the first row.
    """
    rows, first = [], 0.0
    for point in points:
        p = point.prediction
        each = point.rate / point.ranks
        first = first or each
        parts = {"step": p.seconds, **{name: getattr(p, name) for name in (*_PARTS, "hidden")}}
        rows.append(
            {
                "ranks": point.ranks,
                "nodes": point.nodes,
                "blocks": by_axes(point.shape),
                **{f"{name} [us]": 1e6 * seconds for name, seconds in parts.items()},
                "Mcells/s": point.rate / 1e6,
                "efficiency [%]": 100 * each / first,
            }
        )
    return Table("predicted", rows)


def draw_scaling(points: Sequence[Point], title: str, path: Path) -> None:
    """Draw the cells updated in a second beside the ideal line, and the parts of the step.

    Raises:
        OutputError: The file cannot be written.
    """
    ranks = [point.ranks for point in points]
    rates = [point.rate / 1e6 for point in points]
    ideal = [rates[0] / ranks[0] * n for n in ranks]
    words = [f"{n:,}" for n in ranks]
    shares = {
        name: [getattr(p.prediction, name) / p.prediction.seconds for p in points]
        for name in _PARTS
    }
    parts = tuple(Series(name, words, share, "model") for name, share in shares.items())
    curves = (Series("ideal", ranks, ideal, "ideal"), Series("predicted", ranks, rates, "model"))
    panels = (
        Panel("rate", "ranks", "million cells a second", curves, is_log_x=True, is_log_y=True),
        Panel("what a step is", "ranks", "share of the step", parts, is_stacked=True),
    )
    draw_panels(panels, title, path)
