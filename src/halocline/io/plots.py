"""Pictures: values in, a PNG file out; drawn without a display."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.installation import need
from halocline.io.output import writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

Array = NDArray[Any]

INK = "#1b2a41"
LINE = "#0b6e99"
MARKS = (("o", "#d1495b"), ("D", "#edae49"))
# Of blocks: seen on dark and on light.
BORDER = "#8a8f98"
# Where there is no value, as on land.
MISSING = "#d9c7a3"


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """A curve or points with a name."""

    label: str
    x: Array
    y: Array


@dataclass(frozen=True, slots=True, eq=False)
class PlanePicture:
    """One scalar in a plane.

    Attributes:
        title: Above it.
        values: Shape (nx, ny).
        extent: Low and high coordinate of x, then of y.
        label: What the colours mean, with the unit.
        blocks: Blocks whose borders are drawn (n, 4), see 'add_blocks'; None for none.
    """

    title: str
    values: Array
    extent: tuple[float, float, float, float]
    label: str
    blocks: Array | None = None


def draw_plane(picture: PlanePicture, path: Path) -> None:
    """Draw a scalar in a plane with colours that are symmetric about zero.

    Raises:
        OutputError: The file cannot be written.
    """
    figure = make_figure(6.0, 4.9)
    axes = figure.subplots()
    largest = float(np.max(np.abs(picture.values))) or 1.0
    image = axes.imshow(
        np.asarray(picture.values).T,
        origin="lower",
        extent=picture.extent,
        cmap="RdBu_r",
        vmin=-largest,
        vmax=largest,
    )
    if picture.blocks is not None:
        add_blocks(axes, picture.blocks)
    axes.set(xlabel="x", ylabel="y", title=picture.title)
    figure.colorbar(image, ax=axes, label=picture.label)
    _save(figure, path)


def add_blocks(axes: Axes, blocks: Array) -> LineCollection:
    """Draw the borders of blocks over what is there, and return them.

    Args:
        axes: Where.
        blocks: Low x, low y, high x, high y of each (n, 4).
    """
    from matplotlib.collections import LineCollection

    lines = LineCollection(borders(blocks), colors=BORDER, linewidths=0.6)
    axes.add_collection(lines, autolim=False)
    return lines


def borders(blocks: Array) -> list[Array]:
    """Return the corners of each block one after the other, the first again at the end (5, 2)."""
    around = ((0, 1), (2, 1), (2, 3), (0, 3), (0, 1))
    return list(np.stack([blocks[:, corner] for corner in around], axis=1))


def make_figure(width: float, height: float) -> Figure:
    """Return an empty picture of a size in inches."""
    need("plot", "matplotlib")
    # The object itself instead of pyplot: no display, no state that outlives the picture.
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Figure, path: Path) -> None:
    with writing(path):
        figure.savefig(path, dpi=150)
