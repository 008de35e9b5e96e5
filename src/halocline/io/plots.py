"""Pictures: values in, a PNG file out; drawn without a display."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.io.output import writing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]

INK = "#1b2a41"
LINE = "#0b6e99"
MARKS = (("o", "#d1495b"), ("D", "#edae49"))
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
