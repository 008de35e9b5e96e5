"""The picture of a flow: speed and streamlines in a plane, and curves with references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.frozen import Frozen
from halocline.io.plots import Plot, add_blocks, draw_plots, make_figure, save

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Array = NDArray[Any]


class Plane(Frozen, eq=False):
    """A flow in a plane.

    Attributes:
        u: Velocity along the first axis (n, m).
        v: Along the second.
        solid: Where cells are solid (n, m).
        size: Lengths of the plane along both axes.
        axes: What they are called.
        unit: Of the speed.
        has_streamlines: Whether to draw them.
        exponent: Of the speed, shown as colour; below 1 slow eddies show as well.
        starts: Points through which more streamlines go (n, 2); None for no more.
        vorticity: Shown as colour instead of the speed (n, m); None for the speed.
        blocks: Blocks whose borders are drawn (k, 4), see 'add_blocks'; None for none.

    Example:
        >>> u, v = np.ones((8, 6)), np.zeros((8, 6))
        >>> plane = lbm.Plane(u, v, u < 0, size=(4.0, 3.0), axes=("x [m]", "y [m]"), unit="m/s")
    """

    u: Array
    v: Array
    solid: Array
    size: tuple[float, float]
    axes: tuple[str, str]
    unit: str
    has_streamlines: bool = True
    exponent: float = 1.0
    starts: Array | None = None
    vorticity: Array | None = None
    blocks: Array | None = None


class FlowFigure(Frozen, eq=False):
    """The contents of a picture of a flow.

    Attributes:
        title: Above it.
        plane: The flow in a plane.
        panels: Curves, at least one.

    Example:
        >>> u, v = np.ones((8, 6)), np.zeros((8, 6))
        >>> plane = lbm.Plane(u, v, u < 0, size=(4.0, 3.0), axes=("x [m]", "y [m]"), unit="m/s")
        >>> profile = lbm.Curve("this run", u[4], np.linspace(0.25, 2.75, 6))
        >>> plot = lbm.Plot("middle", ("u [m/s]", "y [m]"), profile)
        >>> figure = lbm.FlowFigure("uniform flow", plane, (plot,))
    """

    title: str
    plane: Plane
    panels: tuple[Plot, ...]


def draw_flow(picture: FlowFigure, path: Path) -> None:
    """Draw a plane and the curves: side by side, or a long plane above them.

    Raises:
        OutputError: The file cannot be written.
    """
    plane, count = picture.plane, len(picture.panels)
    aspect = plane.size[0] / plane.size[1]
    if aspect > 2.0:  # noqa: PLR2004 (longer than two squares)
        height = 12.0 / min(aspect, 6.0)
        figure = make_figure(12.0, height + 4.6)
        upper, lower = figure.subfigures(2, 1, height_ratios=(height, 4.2))  # type: ignore[misc]
        _plane(upper, upper.subplots(), plane)
        panels = list(np.ravel(lower.subplots(1, count)))
    else:
        figure = make_figure(5.6 + 4.6 * count, 4.8)
        first, *panels = np.ravel(figure.subplots(1, 1 + count))
        _plane(figure, first, plane)
    draw_plots(panels, picture.panels)
    save(figure, path, picture.title)


def _plane(figure: Figure, axes: Axes, plane: Plane) -> None:
    u, v = (np.ma.masked_array(part, plane.solid).T for part in (plane.u, plane.v))
    extent = (0.0, plane.size[0], 0.0, plane.size[1])
    title, label, shown, colours = _shown(plane)
    image = axes.imshow(shown, origin="lower", extent=extent, **colours)
    walls = np.ma.masked_array(np.ones(plane.solid.shape), ~plane.solid).T
    axes.imshow(walls, origin="lower", extent=extent, cmap="gray", vmin=0.0, vmax=2.0)
    if plane.has_streamlines and (np.any(u) or np.any(v)) and min(u.shape) > 1:
        x, y = (
            (np.arange(count) + 0.5) * size / count
            for count, size in zip(u.T.shape, plane.size, strict=True)
        )
        style: dict[str, Any] = {"color": (1.0, 1.0, 1.0, 0.7), "linewidth": 0.6, "arrowsize": 0.7}
        axes.streamplot(x, y, u, v, density=1.3, **style)
        if plane.starts is not None:
            # In a few cells a place near a wall lies outside of the middles of cells.
            starts = np.clip(plane.starts, (x[0], y[0]), (x[-1], y[-1]))
            axes.streamplot(x, y, u, v, density=3.0, start_points=starts, **style)
    if plane.blocks is not None:
        add_blocks(axes, plane.blocks)
    axes.set(
        xlabel=plane.axes[0],
        ylabel=plane.axes[1],
        xlim=extent[:2],
        ylim=extent[2:],
        aspect="equal",
        title=title,
    )
    figure.colorbar(image, ax=axes, label=label, shrink=0.85, pad=0.02)


def _shown(plane: Plane) -> tuple[str, str, Array, dict[str, Any]]:
    """Return title, label, values and colours of what is shown."""
    from matplotlib.colors import PowerNorm

    if plane.vorticity is not None:
        most = float(np.abs(plane.vorticity).max())
        colours = {"cmap": "RdBu_r", "vmin": -most, "vmax": most}
        return "vorticity", "vorticity", plane.vorticity.T, colours
    speed = np.ma.masked_array(np.hypot(plane.u, plane.v), plane.solid).T
    norm = PowerNorm(plane.exponent, 0.0)
    return "speed", f"speed [{plane.unit}]", speed, {"cmap": "viridis", "norm": norm}
