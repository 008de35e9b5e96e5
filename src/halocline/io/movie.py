"""A movie of a slice: the middle plane of one variable of a series, at each of its times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import OutputError
from halocline.io.output import writing
from halocline.io.plots import MISSING, make_figure

if TYPE_CHECKING:
    from collections.abc import Callable

    import xarray
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

_FRAMES_PER_SECOND = 10
_IN_PLANE = ("time", "x", "y")


def draw_movie(series: str | Path, variable: str, path: str | Path) -> None:
    """Draw a GIF with a frame for each time of a series; colours mean the same in all of them.

    Args:
        series: A store with dimensions time, x, y and maybe z, across which the middle is shown.
        variable: Its name in the store.
        path: The movie, put in its place when complete.

    Raises:
        OutputError: The movie cannot be written, or the series not be read.
    """
    from matplotlib.animation import PillowWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    path = Path(path)
    values = _open(Path(series), variable, path)
    figure, show = _picture(values)
    FigureCanvasAgg(figure)
    writer = PillowWriter(fps=_FRAMES_PER_SECOND)
    unfinished = path.with_name("unfinished." + path.name)
    with writing(path):
        with writer.saving(figure, unfinished, dpi=100):
            for number in range(values.sizes["time"]):
                show(number)
                writer.grab_frame()
        unfinished.replace(path)


def _open(series: Path, variable: str, path: Path) -> xarray.DataArray:
    import xarray

    try:
        values: xarray.DataArray = xarray.open_zarr(series, decode_timedelta=False)[variable]
    except (OSError, KeyError, ValueError) as error:
        raise OutputError(
            f"Could not write '{path}': it needs '{variable}' of '{series}', which cannot be read."
        ) from error
    if not values.sizes["time"]:
        raise OutputError(f"Could not write '{path}': '{series}' has no times.")
    return values


def _picture(values: xarray.DataArray) -> tuple[Figure, Callable[[int], None]]:
    """Return a picture and what makes it show the time with a number."""
    figure = make_figure(6.0, 4.9)
    axes = figure.subplots()
    low, high = _range(values)
    places = [values[axis].values for axis in values.dims[1 : len(_IN_PLANE)]]
    colours: dict[str, Any] = {
        "cmap": "RdBu_r" if low < 0.0 else "viridis",
        "vmin": low,
        "vmax": high,
    }
    if all(map(_is_even, places)):
        colours |= {"origin": "lower", "extent": (*_sides(places[0]), *_sides(places[1]))}
        image: ScalarMappable = axes.imshow(_middle(values, 0).T, **colours)
    else:
        image = axes.pcolormesh(*places, _middle(values, 0).T, shading="nearest", **colours)
        axes.set_aspect("equal")
    axes.set(xlabel="x", ylabel="y", facecolor=MISSING)
    label = f"{values.attrs['long_name'] or values.name} [{values.attrs['units']}]"
    figure.colorbar(image, ax=axes, label=label)
    times = values["time"].attrs["long_name"]

    def show(number: int) -> None:
        image.set_array(_middle(values, number).T)
        step, time = (values[name].values[number] for name in ("step", "time"))
        is_date = np.issubdtype(time.dtype, np.datetime64)
        shown = np.datetime_as_string(time, unit="s") if is_date else f"{time:.6g}"
        axes.set_title(f"step {step}, {times}: {shown}")

    return figure, show


def _middle(values: xarray.DataArray, number: int) -> NDArray[Any]:
    """Return the values at a time in the middle of z: one plane, or the mean of the two beside."""
    if values.ndim == len(_IN_PLANE):
        return np.asarray(values[number])
    n = values.shape[-1]
    middle = np.asarray(values[number, :, :, (n - 1) // 2 : n // 2 + 1])
    return np.asarray(middle.mean(axis=-1))


def _range(values: xarray.DataArray) -> tuple[float, float]:
    """Return what the colours stand for: symmetric about zero where there are both signs.

    Values may be missing, but not all of them.
    """
    planes = [_middle(values, n) for n in range(len(values))]
    low, high = float(min(map(np.nanmin, planes))), float(max(map(np.nanmax, planes)))
    if low < 0.0 < high:
        low, high = -max(-low, high), max(-low, high)
    return low, high


def _is_even(centres: NDArray[Any]) -> bool:
    """Return whether cells are equally wide."""
    return len(centres) < 2 or np.allclose(np.diff(centres), centres[1] - centres[0])  # noqa: PLR2004


def _sides(centres: NDArray[Any]) -> tuple[float, float]:
    """Return where an axis begins and ends, from where its cells are."""
    half = 0.5 * (centres[-1] - centres[0]) / max(1, len(centres) - 1)
    return float(centres[0] - half), float(centres[-1] + half)
