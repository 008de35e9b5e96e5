"""Scaling curves as panels: the rate over the number of ranks, and what a step consists of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.io.panels import Panel, Series, draw_panels

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from halocline.tune.scaling import Point

_PARTS = ("compute", "pack", "overhead", "wait", "other")


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
