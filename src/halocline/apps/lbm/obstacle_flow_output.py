"""What a flow past obstacles leaves behind: its picture, and files in the course's formats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.io.output import write_text, writing
from halocline.io.plots import INK, LINE, MARKS, make_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from halocline.apps.lbm.obstacle_flow_published import Series

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class FlowPicture:
    """What the picture shows.

    Attributes:
        title: Above it.
        velocity: Along x and along y, each (nx, ny) [cells / step].
        solid: Where obstacles are (nx, ny).
        averages: Average velocity after each step of this run [cells / step].
        first_step: How many steps were done before this run.
        published: The averages as published; None where nothing is.
    """

    title: str
    velocity: tuple[Array, Array]
    solid: Array
    averages: Sequence[float]
    first_step: int
    published: Series | None


def draw_flow(picture: FlowPicture, path: Path) -> None:
    """Draw speed and streamlines between the obstacles, and the average velocity over the steps.

    Raises:
        OutputError: The file cannot be written.
    """
    figure = make_figure(12.0, 5.2)
    flow, series = figure.subplots(1, 2)
    _speed(figure, flow, picture)
    _averages(series, picture)
    figure.suptitle(picture.title, color=INK, fontsize=13, fontweight="bold")
    with writing(path):
        figure.savefig(path, dpi=150)


def _speed(figure: Figure, axes: Axes, picture: FlowPicture) -> None:
    u, v = (np.ma.masked_array(part, picture.solid).T for part in picture.velocity)
    extent = (0, u.shape[1], 0, u.shape[0])
    image = axes.imshow(np.hypot(u, v), origin="lower", extent=extent, cmap="viridis")
    walls = np.ma.masked_array(np.ones(picture.solid.shape), ~picture.solid).T
    axes.imshow(walls, origin="lower", extent=extent, cmap="gray", vmin=0.0, vmax=2.0)
    if np.any(u) or np.any(v):
        x, y = (np.arange(count) + 0.5 for count in (u.shape[1], u.shape[0]))
        axes.streamplot(
            x, y, u, v, color=(1.0, 1.0, 1.0, 0.75), linewidth=0.7, density=1.5, arrowsize=0.7
        )
    axes.set(xlabel="$x$", ylabel="$y$", xlim=extent[:2], ylim=extent[2:], aspect="equal")
    axes.set_title("speed and streamlines; obstacles grey")
    figure.colorbar(image, ax=axes, label="speed [cells / step]", shrink=0.85, pad=0.02)


def _averages(axes: Axes, picture: FlowPicture) -> None:
    steps = picture.first_step + 1 + np.arange(len(picture.averages))
    axes.loglog(steps, picture.averages, color=LINE, linewidth=2.0, label="this run")
    if picture.published is not None:
        marker, color = MARKS[0]
        axes.loglog(
            picture.published.steps,
            picture.published.values,
            marker,
            markerfacecolor="none",
            markeredgecolor=color,
            markeredgewidth=1.4,
            label="published",
        )
    axes.set(xlabel="steps", ylabel="average velocity [cells / step]")
    axes.set_title("average velocity of the fluid")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def write_averages(averages: Sequence[float], first_step: int, path: Path) -> None:
    """Write average velocities as the course does: step, colon, tab, value; steps from 0.

    Args:
        averages: After each step of this run.
        first_step: How many were done before; if the file has those, they stay.
        path: The file.

    Raises:
        OutputError: It cannot be written.
    """
    before: list[str] = []
    if first_step and path.exists():
        with writing(path):
            lines = path.read_text(encoding="utf-8").splitlines()
        numbers = (line.partition(":")[0] for line in lines)
        before = [
            line
            for line, number in zip(lines, numbers, strict=True)
            if number.isdigit() and int(number) < first_step
        ]
    now = (f"{n}:\t{value:.12E}" for n, value in enumerate(averages, first_step))
    write_text(path, "\n".join([*before, *now]))


def write_final_state(state: Mapping[str, Array], path: Path) -> None:
    """Write the final state as the course does: x, y, u_x, u_y, speed, pressure, obstacle.

    Args:
        state: 'u_x', 'u_y', 'speed', 'pressure' and 'obstacle', each (nx, ny).
        path: The file.

    Raises:
        OutputError: It cannot be written.
    """
    columns = [state[name].T.ravel() for name in ("u_x", "u_y", "speed", "pressure", "obstacle")]
    ny, nx = state["u_x"].T.shape
    cells = ((x, y) for y in range(ny) for x in range(nx))
    lines = (
        f"{x} {y} {u:.12E} {v:.12E} {speed:.12E} {pressure:.12E} {obstacle:.0f}\n"
        for (x, y), u, v, speed, pressure, obstacle in zip(cells, *columns, strict=True)
    )
    write_text(path, "".join(lines))
