"""Pictures of findings: panels side by side, measured here, printed in the paper, predicted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from halocline.io.output import writing

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from halocline.papers.experiment import Findings, Panel, Series

INK = "#1b2a41"
# Filled: measured here. Hatched or dashed: printed in the paper. Open or dotted: predicted.
COLORS = {
    "here": ("#0b6e99", "#3fa7d6", "#1d3557", "#76c7c0", "#5f6caf", "#9aa5b1", "#b08fc7"),
    "paper": ("#d1495b", "#edae49", "#8d3b72", "#f28482", "#a44200", "#c9a227"),
    "model": ("#2d6a4f", "#a7c957", "#7f5539", "#52b788", "#6b705c", "#d4c24a"),
}
_LINES = {"here": "-", "paper": "--", "model": ":"}
_MARKS = {"here": "o", "paper": "s", "model": "^"}
_HATCHES = {"here": "", "paper": "////", "model": "...."}
_WIDTH, _HEIGHT, _ACROSS = 5.4, 4.3, 3
# The title of the whole picture needs that much [inches].
_NARROWEST = 9.0
_MANY_WORDS, _MANY_LETTERS = 8, 75
_LONG_LABEL = 22


def draw(findings: Findings, title: str, path: Path) -> None:
    """Draw all panels into a PNG file.

    Raises:
        OutputError: The file cannot be written.
    """
    from matplotlib.figure import Figure

    across = min(_ACROSS, len(findings.panels))
    down = -(-len(findings.panels) // across)
    width = max(_NARROWEST, _WIDTH * across)
    figure = Figure(figsize=(width, _HEIGHT * down + 0.5), layout="constrained")
    places = list(figure.subplots(down, across, squeeze=False).flat)
    for axes, panel in zip(places, findings.panels, strict=False):
        _draw_panel(axes, panel)
    for axes in places[len(findings.panels) :]:
        axes.set_visible(False)
    figure.suptitle(title, color=INK, fontsize=12, fontweight="bold")
    with writing(path):
        figure.savefig(path, dpi=130)


def _draw_panel(axes: Axes, panel: Panel) -> None:
    if any(isinstance(x, str) for series in panel.series for x in series.x):
        _bars(axes, panel)
    else:
        _curves(axes, panel)
    axes.set_title(panel.title, fontsize=10)
    axes.set_xlabel(panel.x_label, fontsize=9)
    axes.set_ylabel(panel.y_label, fontsize=9)
    if panel.is_log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.grid(visible=True, axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    axes.margins(y=0.12)
    if len(panel.series) > 1:
        _add_legend(axes, panel)


def _add_legend(axes: Axes, panel: Panel) -> None:
    """Put the legend below the panel, where it hides nothing, unless long words stand there."""
    if axes.get_xticklabels() and axes.get_xticklabels()[0].get_rotation():
        axes.legend(frameon=False, fontsize=7.5)
        return
    across = 2 if max(len(series.label) for series in panel.series) > _LONG_LABEL else 3
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.16 if panel.x_label else -0.1),
        ncol=min(across, len(panel.series)),
        frameon=False,
        fontsize=7.5,
    )


def _bars(axes: Axes, panel: Panel) -> None:
    """Draw groups of bars over words, in the order in which the words first come."""
    words = list(dict.fromkeys(str(x) for series in panel.series for x in series.x))
    width = 0.82 / len(panel.series)
    for n, (series, color) in enumerate(_colored(panel)):
        shift = (n - (len(panel.series) - 1) / 2) * width
        axes.bar(
            [words.index(str(x)) + shift for x in series.x],
            [y if math.isfinite(y) else 0.0 for y in series.y],
            width * 0.94,
            label=series.label,
            color=color,
            hatch=_HATCHES[series.kind],
            edgecolor="white",
            linewidth=0.4,
        )
    is_long = len(words) > _MANY_WORDS or max(map(len, words)) * len(words) > _MANY_LETTERS
    axes.set_xticks(range(len(words)), words, rotation=90 if is_long else 0)


def _curves(axes: Axes, panel: Panel) -> None:
    for series, color in _colored(panel):
        axes.plot(
            [float(x) for x in series.x],
            series.y,
            _LINES[series.kind],
            marker=_MARKS[series.kind],
            markersize=4,
            color=color,
            linewidth=1.6,
            label=series.label,
            markerfacecolor="white" if series.kind == "model" else color,
        )
    if panel.is_log_x:
        axes.set_xscale("log")
        places = sorted({float(x) for series in panel.series for x in series.x})
        if len(places) <= _MANY_WORDS:
            axes.set_xticks(places, [f"{x:g}" for x in places])
            axes.set_xticks([], minor=True)


def _colored(panel: Panel) -> list[tuple[Series, str]]:
    """Return the series with colours, each kind from a family of its own."""
    used: dict[str, int] = {}
    result = []
    for series in panel.series:
        n = used[series.kind] = used.get(series.kind, -1) + 1
        family = COLORS[series.kind]
        result.append((series, family[n % len(family)]))
    return result
