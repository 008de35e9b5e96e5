"""Draw scaling curves: the rate over the number of ranks, and what a step consists of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.io.output import writing
from halocline.io.plots import INK, LINE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from halocline.tune.scaling import Point

_COLORS = {
    "compute": "#0b6e99",
    "pack": "#edae49",
    "overhead": "#8d96a3",
    "wait": "#d1495b",
    "other": "#66a182",
}


def draw_scaling(points: Sequence[Point], title: str, path: Path) -> None:
    """Draw the cells updated in a second beside the perfect line, and the parts of the step.

    Raises:
        OutputError: The file cannot be written.
    """
    # The object itself instead of pyplot: no display, no state that outlives the picture.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    _rates(left, points)
    _parts(right, points)
    figure.suptitle(title, color=INK, fontsize=13, fontweight="bold")
    with writing(path):
        figure.savefig(path, dpi=150)


def _rates(axes: Axes, points: Sequence[Point]) -> None:
    ranks = [point.ranks for point in points]
    perfect = [points[0].rate / ranks[0] * n / 1e6 for n in ranks]
    axes.loglog(ranks, perfect, color="0.7", linewidth=1.2, label="perfect")
    rates = [point.rate / 1e6 for point in points]
    axes.loglog(ranks, rates, "o-", color=LINE, linewidth=2.0, label="predicted")
    axes.set(xlabel="ranks", ylabel="million cells a second", title="rate")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def _parts(axes: Axes, points: Sequence[Point]) -> None:
    """Draw shares of the step as bars, one a number of ranks."""
    below = [0.0] * len(points)
    for name, color in _COLORS.items():
        shares = [getattr(p.prediction, name) / p.prediction.seconds for p in points]
        axes.bar(range(len(points)), shares, bottom=below, color=color, label=name, width=0.8)
        below = [b + s for b, s in zip(below, shares, strict=True)]
    labels = [f"{point.ranks:,}" for point in points]
    axes.set_xticks(range(len(points)), labels, rotation=45, ha="right")
    axes.set(xlabel="ranks", ylabel="share of the step", ylim=(0, 1), title="what a step is")
    axes.legend(frameon=False, ncols=5, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.08))
    axes.spines[["top", "right"]].set_visible(False)
