"""Pictures: values in, a PNG file out; drawn without a display."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.io.output import writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[Any]

INK = "#1b2a41"
LINE = "#0b6e99"
MARKS = (("o", "#d1495b"), ("D", "#edae49"))


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """A curve or points with a name."""

    label: str
    x: Array
    y: Array


@dataclass(frozen=True, slots=True, eq=False)
class CavityPicture:
    """What a picture of a cavity shows.

    Attributes:
        title: Above it.
        u: Velocity along x in the mid-plane (n, n), in units of the lid's speed.
        v: Velocity along y, the same.
        vertical: u (as x) over y on the vertical centreline.
        horizontal: v over x on the horizontal centreline.
        vertical_points: Published values for the first.
        horizontal_points: Published values for the second.
    """

    title: str
    u: Array
    v: Array
    vertical: Points
    horizontal: Points
    vertical_points: tuple[Points, ...] = ()
    horizontal_points: tuple[Points, ...] = ()


def draw_cavity(picture: CavityPicture, path: Path) -> None:
    """Draw streamlines in the mid-plane and the two centreline profiles.

    Raises:
        OutputError: The file cannot be written.
    """
    figure = make_figure(13.2, 4.9)
    axes = figure.subplots(1, 3, width_ratios=(1.16, 1.0, 1.0))
    _streamlines(figure, axes[0], picture)
    _profile(axes[1], picture.vertical, picture.vertical_points)
    axes[1].set(xlabel="$u / U$", ylabel="$y / L$", ylim=(0, 1), title="vertical centreline")
    _profile(axes[2], picture.horizontal, picture.horizontal_points)
    axes[2].set(xlabel="$x / L$", ylabel="$v / U$", xlim=(0, 1), title="horizontal centreline")
    figure.suptitle(picture.title, color=INK, fontsize=13, fontweight="bold")
    _save(figure, path)


def _streamlines(figure: Figure, axes: Axes, picture: CavityPicture) -> None:
    """Draw streamlines coloured by speed; walls are added so that they reach them."""
    from matplotlib.colors import PowerNorm

    n = len(picture.u)
    centres = np.concatenate([[0.0], (np.arange(n) + 0.5) / n, [1.0]])
    u, v = np.pad(np.asarray(picture.u, float), 1), np.pad(np.asarray(picture.v, float), 1)
    u[1:-1, -1] = 1.0
    even = np.linspace(0.0, 1.0, max(2 * n, 128) + 1)
    u, v = (_resample(centres, values, even) for values in (u, v))
    speed = np.hypot(u, v)
    # The root of the speed as colour, so that the slow eddies in the corners show as well.
    image = axes.imshow(
        speed.T, origin="lower", extent=(0, 1, 0, 1), cmap="viridis", norm=PowerNorm(0.5, 0.0, 1.0)
    )
    for start, density in ((None, 1.5), (_corner_starts(), 3.0)):
        axes.streamplot(
            even,
            even,
            u.T,
            v.T,
            color=(1.0, 1.0, 1.0, 0.75),
            linewidth=0.7,
            density=density,
            arrowsize=0.7,
            start_points=start,
        )
    axes.set(xlabel="$x / L$", ylabel="$y / L$", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.set_title("mid-plane: streamlines and speed")
    figure.colorbar(image, ax=axes, label="speed / U", shrink=0.8, pad=0.02)


def _corner_starts() -> Array:
    """Return starting points in the lower corners, where slow eddies would be missed."""
    return np.array([(x, y) for y in (0.05, 0.1) for x in (0.05, 0.1, 0.9, 0.95)])


def _resample(old: Array, values: Array, new: Array) -> Array:
    """Return values (n, n) on another set of coordinates, linearly."""
    along_x = np.array([np.interp(new, old, column) for column in values.T]).T
    return np.array([np.interp(new, old, row) for row in along_x])


def _profile(axes: Axes, curve: Points, points: tuple[Points, ...]) -> None:
    axes.axhline(0.0, color="0.8", linewidth=0.8)
    axes.axvline(0.0, color="0.8", linewidth=0.8)
    axes.plot(curve.x, curve.y, color=LINE, linewidth=2.0, label=curve.label)
    for (marker, color), known in zip(MARKS, points, strict=False):
        axes.plot(
            known.x,
            known.y,
            marker,
            markersize=6,
            markerfacecolor="none",
            markeredgecolor=color,
            markeredgewidth=1.4,
            label=known.label,
            zorder=3,
        )
    axes.legend(frameon=False, fontsize=8.5)
    axes.spines[["top", "right"]].set_visible(False)


@dataclass(frozen=True, slots=True, eq=False)
class PlanePicture:
    """One scalar in a plane.

    Attributes:
        title: Above it.
        values: Shape (nx, ny).
        extent: Low and high coordinate of x, then of y.
        label: What the colours mean, with the unit.
    """

    title: str
    values: Array
    extent: tuple[float, float, float, float]
    label: str


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
    axes.set(xlabel="x", ylabel="y", title=picture.title)
    figure.colorbar(image, ax=axes, label=picture.label)
    _save(figure, path)


def make_figure(width: float, height: float) -> Figure:
    """Return an empty picture of a size in inches."""
    # The object itself instead of pyplot: no display, no state that outlives the picture.
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Figure, path: Path) -> None:
    with writing(path):
        figure.savefig(path, dpi=150)
