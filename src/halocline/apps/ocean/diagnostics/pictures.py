"""Pictures of oceans: co-tidal charts, elevation and currents, curves beside what is known.

Land has the colour of what is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.apps.ocean.setup.domain import OPEN
from halocline.frozen import Frozen
from halocline.io.plots import (
    INK,
    LINE,
    MARKS,
    MISSING,
    Curve,
    Plot,
    draw_plots,
    make_figure,
    save,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from halocline.apps.ocean.diagnostics.harmonics import Amphidrome
    from halocline.apps.ocean.setup.domain import Domain

Array = NDArray[Any]

# Arrows of the current along the longer side of a map.
_ARROWS = 26
_PHASES = range(0, 360, 30)
_LABELLED = 60


class Map(Frozen, eq=False):
    """Where cells are.

    Attributes:
        x: Middles along x (nx,), or of all cells (nx, ny): kilometres, or degrees east.
        y: Middles along y (ny,), or of all cells (nx, ny): kilometres, or degrees north.
        is_spherical: Whether these are degrees.
        is_open: Where the elevation is given (nx, ny).
        corners: Of cells, x and y (nx + 1, ny + 1); None for even cells.
    """

    x: Array
    y: Array
    is_spherical: bool
    is_open: Array
    corners: tuple[Array, Array] | None = None

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Low and high side along x, then along y."""
        if self.corners is not None:
            x, y = self.corners
            return float(x.min()), float(x.max()), float(y.min()), float(y.max())
        sides = []
        for at in (self.x, self.y):
            half = 0.5 * (at[-1] - at[0]) / max(1, len(at) - 1)
            sides += [float(at[0] - half), float(at[-1] + half)]
        return sides[0], sides[1], sides[2], sides[3]

    def every(self, cells: int) -> tuple[Array, Array]:
        """Return x and y of each so many cells, as matplotlib has them: y first."""
        some = slice(cells // 2, None, cells)
        if self.x.ndim == 1:
            return self.x[some], self.y[some]
        return self.x[some, some].T, self.y[some, some].T

    @property
    def shape(self) -> float:
        """Width over height."""
        west, east, south, north = self.extent
        return (east - west) / (north - south) / self._stretch

    @property
    def is_channel(self) -> bool:
        """Whether it is so long that it is drawn wider than it is."""
        return self.shape > 6.0  # noqa: PLR2004

    @property
    def aspect(self) -> Any:
        """How much longer a unit along y is drawn than one along x."""
        return "auto" if self.is_channel else self._stretch

    @property
    def _stretch(self) -> float:
        return 1.0 / float(np.cos(np.radians(self.y.mean()))) if self.is_spherical else 1.0


def map_of(domain: Domain) -> Map:
    """Return where the cells of a domain are.

    Example:
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        >>> ocean.map_of(sea).x.shape
        (8,)
    """
    grid, is_open = domain.curvilinear, domain.cells == OPEN
    if grid is not None:
        unit = 1.0 if grid.x is None else 1e3
        x, y, *corners = (  # matplotlib wants places on land, too
            np.where(np.isfinite(part), part, np.nanmean(part)) / unit
            for part in (*grid.middles, *grid.coordinates)
        )
        return Map(x, y, grid.x is None, is_open, (corners[0], corners[1]))
    unit = 1.0 if domain.is_spherical else 1e3
    x, y = (np.ravel(part) / unit for part in domain.middles)
    return Map(x, y, domain.is_spherical, is_open)


class Chart(Frozen, eq=False):
    """A co-tidal chart.

    Attributes:
        title: Above it.
        map: Where cells are.
        wave: amplitude * exp(-i phase), NaN on land (nx, ny) [m].
        amphidromes: Those found.
        known: Where they are known to be, or gauges: a name and places (n,), (n,).
    """

    title: str
    map: Map
    wave: Array
    amphidromes: Sequence[Amphidrome] = ()
    known: tuple[Curve, ...] = ()


class Surface(Frozen, eq=False):
    """The elevation and the current at a time.

    Attributes:
        title: Above it.
        map: Where cells are.
        zeta: Elevation, NaN on land (nx, ny) [m].
        u: Velocity along x [m/s].
        v: Velocity along y [m/s].

    Example:
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        >>> calm = ocean.Surface("calm", ocean.map_of(sea), *np.zeros((3, 8, 6)))
    """

    title: str
    map: Map
    zeta: Array
    u: Array
    v: Array


def draw_chart(chart: Chart, path: str | Path) -> None:
    """Draw lines of equal amplitude (colours, thin lines) and of equal phase (with degrees).

    Raises:
        OutputError: The file cannot be written.
    """
    from matplotlib.colors import PowerNorm

    figure, axes = map_figure(chart.map)
    amplitude = np.abs(chart.wave)
    # Small amplitudes are told apart better than large ones.
    image = draw_cells(axes, chart.map, amplitude, cmap="YlGnBu", norm=PowerNorm(0.6, 0.0))
    levels = _levels(float(np.nanmax(amplitude)))
    x, y = chart.map.every(1)
    ranges = axes.contour(
        x, y, amplitude.T, levels, colors=INK, linewidths=0.5, linestyles="dashed", alpha=0.6
    )
    axes.clabel(ranges, fmt="%g", fontsize=6.5)
    _draw_phases(axes, chart)
    if chart.amphidromes:
        places = Curve(
            "amphidrome",
            np.array([point.x for point in chart.amphidromes]),
            np.array([point.y for point in chart.amphidromes]),
        )
        axes.plot(places.x, places.y, "o", color=LINE, markeredgecolor="white", label=places.label)
    for (_, color), points in zip(MARKS, chart.known, strict=False):
        axes.plot(points.x, points.y, "x", color=color, markeredgewidth=2.0, label=points.label)
    if chart.amphidromes or chart.known:
        axes.legend(loc="lower right", fontsize=8, framealpha=0.9)
    figure.colorbar(image, ax=axes, label="amplitude [m]", shrink=0.85, pad=0.02)
    save(figure, path, chart.title)


def draw_surface(surface: Surface, plots: Sequence[Plot], path: str | Path) -> None:
    """Draw elevation and current, and curves beside them.

    Raises:
        OutputError: The file cannot be written.

    Example:
        >>> import pathlib, tempfile
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        >>> calm = ocean.Surface("calm", ocean.map_of(sea), *np.zeros((3, 8, 6)))
        >>> folder = tempfile.TemporaryDirectory()
        >>> ocean.draw_surface(calm, [], pathlib.Path(folder.name, "calm.png"))
    """
    figure, axes, *panels = map_figure(surface.map, len(plots))
    largest, is_cut = _limit(np.abs(surface.zeta))
    image = draw_cells(axes, surface.map, surface.zeta, cmap="RdBu_r", vmin=-largest, vmax=largest)
    _draw_current(axes, surface)
    ends = "both" if is_cut else "neither"
    figure.colorbar(image, ax=axes, label="elevation [m]", shrink=0.85, pad=0.02, extend=ends)
    draw_plots(panels, plots)
    save(figure, path, surface.title)


def map_figure(place: Map, panels: int = 0) -> tuple[Any, ...]:
    """Return a figure, the axes of a map, and those of panels beside it or, if long, below."""
    if place.is_channel:
        figure = make_figure(10.0, 2.2 + 3.6 * bool(panels))
        heights = (2.2, 3.6)[: 1 + bool(panels)]
        upper, *lower = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[
            :, 0
        ]
        axes = upper.subplots()
        beside = list(np.ravel(lower[0].subplots(1, panels))) if panels else []
    else:
        height = 6.0
        figure = make_figure(height * min(place.shape, 1.6) + 1.4 + 5.0 * panels, height)
        axes, *beside = np.ravel(figure.subplots(1, 1 + panels))
    names = ("longitude [°E]", "latitude [°N]") if place.is_spherical else ("x [km]", "y [km]")
    axes.set(xlabel=names[0], ylabel=names[1], facecolor=MISSING, aspect=place.aspect)
    return (figure, axes, *beside)


def draw_cells(axes: Axes, place: Map, values: Array, **colours: Any) -> Any:
    """Draw cells."""
    if place.corners is not None:
        return axes.pcolormesh(*place.corners, np.ma.masked_invalid(values), **colours)
    return axes.imshow(
        np.ma.masked_invalid(values).T,
        origin="lower",
        extent=place.extent,
        aspect=place.aspect,
        interpolation="nearest",
        **colours,
    )


def _draw_phases(axes: Axes, chart: Chart) -> None:
    """Draw a line through the cells in which it is high water at a certain time."""
    for lag in _PHASES:
        turned = chart.wave * np.exp(1j * np.radians(lag))
        # On the other side of an amphidrome it is low water. What is given to open cells may have
        # one phase in all of them.
        high = np.ma.masked_where(~(turned.real > 0.0) | chart.map.is_open, turned.imag)
        if high.count() and high.min() < 0.0 < high.max():
            x, y = chart.map.every(1)
            lines = axes.contour(x, y, high.T, [0.0], colors=INK, linewidths=1.0)
            if lag % _LABELLED == 0:
                axes.clabel(lines, fmt=f"{lag}°", fontsize=7.5)


def _draw_current(axes: Axes, surface: Surface) -> None:
    """Draw an arrow now and then, and how long one is."""
    every = max(1, max(surface.zeta.shape) // _ARROWS)
    u, v = (part[every // 2 :: every, every // 2 :: every] for part in (surface.u, surface.v))
    x, y = surface.map.every(every)
    speed = np.hypot(u, v)
    fastest = float(np.nanpercentile(speed, 98)) if np.isfinite(speed).any() else 0.0
    if fastest > 0.0:
        arrows = axes.quiver(x, y, u.T, v.T, color=INK, scale=fastest * _ARROWS, width=0.0022)
        axes.quiverkey(arrows, 0.88, 1.03, fastest, f"{fastest:.2g} m/s", labelpos="E")


def _limit(values: Array) -> tuple[float, bool]:
    """Return where colours end, and whether a few values, much larger than others, lie beyond."""
    largest, most = float(np.nanmax(values)), float(np.nanpercentile(values, 97))
    is_cut = largest > 1.5 * most > 0.0
    return (most if is_cut else largest) or 1.0, is_cut


def _levels(largest: float) -> Array:
    """Return about eight round numbers up to the largest."""
    from matplotlib.ticker import MaxNLocator

    levels = np.asarray(MaxNLocator(8).tick_values(0.0, largest))
    return levels[levels > 0.0]
