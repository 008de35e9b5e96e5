"""A movie of a slice: the middle plane of one variable of a series, at each of its times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halocline.errors import OutputError
from halocline.installation import need
from halocline.io.output import writing
from halocline.io.plots import MISSING, add_blocks, borders, colours_between, make_figure

if TYPE_CHECKING:
    from collections.abc import Callable

    import xarray
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

_FRAMES_PER_SECOND = 10
_IN_PLANE = ("time", "x", "y")


def draw_movie(series: str | Path, variable: str, path: str | Path) -> None:
    """Draw a GIF with a frame for each time of a series; colours mean the same in all of them.

    Args:
        series: A store with dimensions time, x, y and maybe z, across which the middle is shown; or
            with groups for the levels of a forest, whose blocks are shown, too.
        variable: Its name in the store.
        path: The movie, put in its place when complete.

    Raises:
        OutputError: The movie cannot be written, or the series not be read.
    """
    need("plot", "matplotlib")
    need("output", "xarray", "zarr")
    from matplotlib.animation import PillowWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    path = Path(path)
    layers = _open(Path(series), variable, path)
    figure, show = _picture(layers)
    FigureCanvasAgg(figure)
    writer = PillowWriter(fps=_FRAMES_PER_SECOND)
    unfinished = path.with_name("unfinished." + path.name)
    with writing(path):
        with writer.saving(figure, unfinished, dpi=100):
            for number in range(layers[0].values.sizes["time"]):
                show(number)
                writer.grab_frame()
        unfinished.replace(path)


class Layer(NamedTuple):
    """What lies over the layers before, but where values are missing.

    Attributes:
        values: Along time, x, y and maybe z.
        leaf: Which blocks of a level are leaves, likewise; None of a grid.
    """

    values: xarray.DataArray
    leaf: xarray.DataArray | None = None


def _open(series: Path, variable: str, path: Path) -> list[Layer]:
    import xarray

    try:
        # Loaded plane by plane.
        tree = xarray.open_datatree(series, engine="zarr", decode_timedelta=False)
        levels = sorted(tree.children, key=lambda name: tree[name].attrs["level"])
        layers = [_of_level(tree[name].dataset, variable) for name in levels]
        layers = layers or [Layer(tree.dataset[variable])]
    except (OSError, KeyError, ValueError) as error:
        raise OutputError(
            f"Could not write '{path}': it needs '{variable}' of '{series}', which cannot be read."
        ) from error
    if not layers[0].values.sizes["time"]:
        raise OutputError(f"Could not write '{path}': '{series}' has no times.")
    return layers


def _of_level(contents: xarray.Dataset, variable: str) -> Layer:
    """Return a level, of three axes in the cells above the middle: there leaves may change."""
    found = []
    for values in (contents[variable], contents["leaf"]):
        across = values.dims[len(_IN_PLANE) :]
        found.append(values.isel({axis: values.sizes[axis] // 2 for axis in across}))
    return Layer(*found)


def _picture(layers: Sequence[Layer]) -> tuple[Figure, Callable[[int], None]]:
    """Return a picture and what makes it show the time with a number."""
    figure = make_figure(6.0, 4.9)
    axes = figure.subplots()
    first = layers[0].values
    colours = colours_between(*_range([layer.values for layer in layers]))
    images = [_image(axes, layer.values, colours) for layer in layers]
    lines = None if layers[0].leaf is None else add_blocks(axes, _leaves(layers, 0))
    axes.set(xlabel="x", ylabel="y", facecolor=MISSING)
    label = f"{first.attrs['long_name'] or first.name} [{first.attrs['units']}]"
    figure.colorbar(images[0], ax=axes, label=label)
    times = first["time"].attrs["long_name"]

    def show(number: int) -> None:
        for image, layer in zip(images, layers, strict=True):
            image.set_array(_middle(layer.values, number).T)
        if lines is not None:
            lines.set_segments(borders(_leaves(layers, number)))
        step, time = (first[name].values[number] for name in ("step", "time"))
        is_date = np.issubdtype(time.dtype, np.datetime64)
        shown = np.datetime_as_string(time, unit="s") if is_date else f"{time:.6g}"
        axes.set_title(f"step {step}, {times}: {shown}")

    return figure, show


def _image(axes: Axes, values: xarray.DataArray, colours: dict[str, Any]) -> ScalarMappable:
    places = [values[axis].values for axis in values.dims[1 : len(_IN_PLANE)]]
    if all(map(_is_even, places)):
        extent = (*_sides(places[0]), *_sides(places[1]))
        return axes.imshow(_middle(values, 0).T, origin="lower", extent=extent, **colours)
    image = axes.pcolormesh(*places, _middle(values, 0).T, shading="nearest", **colours)
    axes.set_aspect("equal")
    return image


def _leaves(layers: Sequence[Layer], number: int) -> NDArray[np.float64]:
    """Return low x, low y, high x, high y of the leaves of all levels at a time."""
    found = []
    for leaf in (layer.leaf for layer in layers if layer.leaf is not None):
        x, y = (leaf[axis].values for axis in leaf.dims[1 : len(_IN_PLANE)])
        ends = [np.linspace(*_sides(at), len(at) + 1) for at in (x, y)]
        i, j = np.nonzero(leaf.values[number])
        found.append(np.stack([ends[0][i], ends[1][j], ends[0][i + 1], ends[1][j + 1]], axis=1))
    return np.concatenate(found)


def _middle(values: xarray.DataArray, number: int) -> NDArray[Any]:
    """Return the values at a time in the middle of z: one plane, or the mean of the two beside."""
    if values.ndim == len(_IN_PLANE):
        return np.asarray(values[number])
    n = values.shape[-1]
    middle = np.asarray(values[number, :, :, (n - 1) // 2 : n // 2 + 1])
    return np.asarray(middle.mean(axis=-1))


def _range(layers: Sequence[xarray.DataArray]) -> tuple[float, float]:
    """Return the least and the greatest value; values may be missing, but not all of them."""
    planes = (_middle(values, n) for values in layers for n in range(len(values)))
    drawn = [plane for plane in planes if not np.isnan(plane).all()]
    return float(min(map(np.nanmin, drawn))), float(max(map(np.nanmax, drawn)))


def _is_even(centres: NDArray[Any]) -> bool:
    """Return whether cells are equally wide."""
    return len(centres) < 2 or np.allclose(np.diff(centres), centres[1] - centres[0])  # noqa: PLR2004


def _sides(centres: NDArray[Any]) -> tuple[float, float]:
    """Return where an axis begins and ends, from where its cells are."""
    half = 0.5 * (centres[-1] - centres[0]) / max(1, len(centres) - 1)
    return float(centres[0] - half), float(centres[-1] + half)
