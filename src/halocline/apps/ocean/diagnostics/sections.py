"""Pictures of layers: sections through them, columns in the course of time, and maps beside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.apps.ocean.diagnostics.pictures import Map, draw_cells, map_figure
from halocline.frozen import Frozen
from halocline.io.plots import INK, MISSING, Curve, Plot, draw_plots, make_figure, save

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Array = NDArray[Any]


class Section(Frozen, eq=False):
    """What layers have along a line, or a column in the course of time.

    Attributes:
        title: Above it.
        labels: Of the horizontal and the vertical axis.
        x: Middles of columns (columns,).
        heights: Of the faces of layers (columns, layers + 1).
        values: Of layers (columns, layers).
        label: What the colours mean, with the unit.
        lines: Drawn over it.
    """

    title: str
    labels: tuple[str, str]
    x: Array
    heights: Array
    values: Array
    label: str
    lines: tuple[Curve, ...] = ()


class Plan(Frozen, eq=False):
    """A scalar of the surface.

    Attributes:
        title: Above it.
        map: Where cells are.
        values: NaN on land (nx, ny).
        label: What the colours mean, with the unit.
    """

    title: str
    map: Map
    values: Array
    label: str


def draw_section(section: Section, plots: Sequence[Plot], path: Path) -> None:
    """Draw a section, and curves below it.

    Raises:
        OutputError: The file cannot be written.
    """
    figure = make_figure(10.0, 3.8 + 3.4 * bool(plots))
    rows = (3.8, 3.4)[: 1 + bool(plots)]
    upper, *lower = figure.subfigures(len(rows), 1, squeeze=False, height_ratios=rows)[:, 0]
    axes = upper.subplots()
    x, heights = _corners(section)
    image = axes.pcolormesh(x, heights, section.values, cmap="RdYlBu_r", shading="flat")
    for style, line in zip(("--", ":"), section.lines, strict=False):
        axes.plot(line.x, line.y, style, color=INK, linewidth=1.6, label=line.label)
    if section.lines:
        axes.legend(loc="lower left", fontsize=8, framealpha=0.9)
    axes.set(xlim=(x.min(), x.max()), ylim=(heights.min(), heights.max()), facecolor=MISSING)
    axes.set(xlabel=section.labels[0], ylabel=section.labels[1])
    upper.colorbar(image, ax=axes, label=section.label, pad=0.02)
    if plots:
        panels = np.ravel(lower[0].subplots(1, len(plots)))
        draw_plots(panels, plots)
    save(figure, path, section.title)


def draw_plan(plan: Plan, plots: Sequence[Plot], path: Path) -> None:
    """Draw a map of a scalar, and curves beside it.

    Raises:
        OutputError: The file cannot be written.
    """
    figure, axes, *panels = map_figure(plan.map, len(plots))
    image = draw_cells(axes, plan.map, plan.values, cmap="YlGnBu", vmin=0.0)
    figure.colorbar(image, ax=axes, label=plan.label, shrink=0.85, pad=0.02)
    draw_plots(panels, plots)
    save(figure, path, plan.title)


def _corners(section: Section) -> tuple[Array, Array]:
    """Return where the corners of cells are (columns + 1, layers + 1)."""
    between = 0.5 * (section.x[1:] + section.x[:-1])
    x = np.concatenate(
        [[2.0 * section.x[0] - between[0]], between, [2.0 * section.x[-1] - between[-1]]]
    )
    beside = np.pad(section.heights, [(1, 1), (0, 0)], mode="edge")
    heights = 0.5 * (beside[1:] + beside[:-1])
    return np.broadcast_to(x[:, np.newaxis], heights.shape), heights
