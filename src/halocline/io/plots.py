"""Pictures: values in, a PNG file out; drawn without a display."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.frozen import Frozen
from halocline.installation import need
from halocline.io.output import writing

if TYPE_CHECKING:
    from collections.abc import Iterable

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


class Curve(Frozen, eq=False):
    """A curve, or points, with a name.

    Attributes:
        label: The name.
        x: Where the points are along the horizontal axis.
        y: Along the vertical one.

    Example:
        >>> y = np.linspace(0.0, 1.0, 5)
        >>> profile = lbm.Curve("this run", y**2, y)
    """

    label: str
    x: Array
    y: Array


class PlanePicture(Frozen, eq=False):
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


class Plot(Frozen, eq=False):
    """A curve and its references.

    Attributes:
        title: Above it.
        labels: Of the horizontal and the vertical axis.
        curve: The result of this run.
        known: References.
        is_logarithmic: Whether both axes are.

    Example:
        >>> y = np.linspace(0.0, 1.0, 5)
        >>> run, exact = lbm.Curve("this run", y, y**2), lbm.Curve("exact", y, y**2)
        >>> plot = lbm.Plot("velocity", ("y [m]", "u [m/s]"), run, known=(exact,))
    """

    title: str
    labels: tuple[str, str]
    curve: Curve
    known: tuple[Curve, ...] = ()
    is_logarithmic: bool = False


def draw_plots(axes: Iterable[Axes], plots: Iterable[Plot]) -> None:
    """Draw curves and their references, each into axes of its own."""
    for place, plot in zip(axes, plots, strict=True):
        _draw_plot(place, plot)


def _draw_plot(axes: Axes, plot: Plot) -> None:
    for (marker, color), points in zip(MARKS, plot.known, strict=False):
        every = 1 if plot.is_logarithmic else max(1, len(points.x) // 40)
        axes.plot(
            points.x[::every],
            points.y[::every],
            marker,
            markersize=5,
            markerfacecolor="none",
            markeredgecolor=color,
            markeredgewidth=1.2,
            label=points.label,
        )
    axes.plot(plot.curve.x, plot.curve.y, color=LINE, linewidth=1.8, label=plot.curve.label)
    axes.set(xlabel=plot.labels[0], ylabel=plot.labels[1], title=plot.title)
    if plot.is_logarithmic:
        axes.set(xscale="log", yscale="log")
    low, high = axes.get_ylim()
    # What does not change is drawn flat, not as its rounding.
    least = max(1e-9, 1e-3 * max(abs(low), abs(high)))
    if high - low < least:
        axes.set_ylim(0.5 * (low + high - least), 0.5 * (low + high + least))
    axes.legend(frameon=False, fontsize=8.5)
    axes.spines[["top", "right"]].set_visible(False)


def draw_plane(picture: PlanePicture, path: str | Path) -> None:
    """Draw a scalar in a plane; values of both signs have colours symmetric about zero.

    Raises:
        OutputError: The file cannot be written.
    """
    figure = make_figure(6.0, 4.9)
    axes = figure.subplots()
    values = np.asarray(picture.values)
    image = axes.imshow(
        values.T,
        origin="lower",
        extent=picture.extent,
        **colours_between(float(np.nanmin(values)), float(np.nanmax(values))),
    )
    if picture.blocks is not None:
        add_blocks(axes, picture.blocks)
    axes.set(xlabel="x", ylabel="y", title=picture.title)
    figure.colorbar(image, ax=axes, label=picture.label)
    save(figure, path, dpi=150)


def colours_between(low: float, high: float) -> dict[str, Any]:
    """Return the colours of values between two: symmetric about zero if these differ in sign."""
    if low < 0.0 < high:
        largest = max(-low, high)
        return {"cmap": "RdBu_r", "vmin": -largest, "vmax": largest}
    return {"cmap": "viridis", "vmin": low, "vmax": high}


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


def save(figure: Figure, path: str | Path, title: str = "", *, dpi: int = 130) -> None:
    """Write a figure, with a title above it.

    Raises:
        OutputError: The file cannot be written.
    """
    if title:
        figure.suptitle(title, color=INK, fontsize=13, fontweight="bold")
    with writing(Path(path)):
        figure.savefig(path, dpi=dpi)
