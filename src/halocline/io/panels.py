"""Panels: curves or bars side by side, measured here, published or predicted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from halocline.frozen import Frozen
from halocline.io.output import writing
from halocline.io.plots import INK, make_figure

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes


class _Look(NamedTuple):
    """How a kind of series is drawn."""

    line: str
    mark: str
    hatch: str
    colors: tuple[str, ...]


# Filled: measured here. Hatched or dashed: published. Open or dotted: predicted.
_LOOKS = {
    "here": _Look(
        *("-", "o", ""),
        ("#0b6e99", "#3fa7d6", "#1d3557", "#76c7c0", "#5f6caf", "#9aa5b1", "#b08fc7"),
    ),
    "paper": _Look(
        "--", "s", "////", ("#d1495b", "#edae49", "#8d3b72", "#f28482", "#a44200", "#c9a227")
    ),
    "model": _Look(
        ":", "^", "....", ("#2d6a4f", "#a7c957", "#7f5539", "#52b788", "#6b705c", "#d4c24a")
    ),
    "ideal": _Look("-", "", "", ("0.7",)),
}
_WIDTH, _HEIGHT, _ACROSS = 5.4, 4.3, 3
# The title of the whole picture needs that much [inches].
_NARROWEST = 9.0
_MANY_WORDS, _MANY_LETTERS = 8, 75
_LONG_LABEL = 22


class Series(Frozen):
    """Points of a panel.

    Attributes:
        label: What they are.
        x: Numbers, or words for the places of bars.
        y: Numbers; not a number where there is none.
        kind: 'here' (measured on this machine), 'paper' (published), 'model' (predicted), 'ideal'.
    """

    label: str
    x: Sequence[float | str]
    y: Sequence[float]
    kind: str = "here"


class Panel(Frozen):
    """A part of a picture.

    Attributes:
        title: Above it.
        x_label: With the unit.
        y_label: With the unit.
        series: What is drawn.
        is_log_x: Logarithmic along x.
        is_log_y: Logarithmic along y.
        is_stacked: Whether bars stand on each other instead of beside.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    is_log_x: bool = False
    is_log_y: bool = False
    is_stacked: bool = False


def draw_panels(panels: Sequence[Panel], title: str, path: Path) -> None:
    """Draw panels side by side into a file, whose ending says which format.

    Raises:
        OutputError: The file cannot be written.
    """
    across = min(_ACROSS, len(panels))
    down = -(-len(panels) // across)
    figure = make_figure(max(_NARROWEST, _WIDTH * across), _HEIGHT * down + 0.5)
    places = list(figure.subplots(down, across, squeeze=False).flat)
    for axes, panel in zip(places, panels, strict=False):
        _draw_panel(axes, panel)
    for axes in places[len(panels) :]:
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
    width = 0.82 / (1 if panel.is_stacked else len(panel.series))
    below = dict.fromkeys(words, 0.0)
    for n, (series, color) in enumerate(_colored(panel)):
        shift = 0.0 if panel.is_stacked else (n - (len(panel.series) - 1) / 2) * width
        heights = [y if math.isfinite(y) else 0.0 for y in series.y]
        axes.bar(
            [words.index(str(x)) + shift for x in series.x],
            heights,
            width * 0.94,
            bottom=[below[str(x)] for x in series.x],
            label=series.label,
            color=color,
            hatch=_LOOKS[series.kind].hatch,
            edgecolor="white",
            linewidth=0.4,
        )
        if panel.is_stacked:
            below |= {str(x): below[str(x)] + y for x, y in zip(series.x, heights, strict=True)}
    is_long = len(words) > _MANY_WORDS or max(map(len, words)) * len(words) > _MANY_LETTERS
    axes.set_xticks(range(len(words)), words, rotation=90 if is_long else 0)


def _curves(axes: Axes, panel: Panel) -> None:
    for series, color in _colored(panel):
        look = _LOOKS[series.kind]
        axes.plot(
            [float(x) for x in series.x],
            series.y,
            look.line,
            marker=look.mark,
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
        family = _LOOKS[series.kind].colors
        result.append((series, family[n % len(family)]))
    return result
