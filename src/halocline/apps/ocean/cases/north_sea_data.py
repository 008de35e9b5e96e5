"""The North Sea: depths (ETOPO5), where it is open, and harmonic constants of gauges (TICON-4)."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib import resources
from math import radians
from typing import TYPE_CHECKING

import numpy as np

from halocline.apps.ocean.physics.tides import Wave, frequency
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary, OpenSide
from halocline.frozen import Frozen
from halocline.installation import need

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray

CONSTITUENTS = ("M2", "S2", "N2", "K1", "O1")
# Degrees from one depth of the file to the next.
_NATIVE = 1.0 / 12.0
# Beyond these the water is another sea: west, east, south and north of a rectangle. The Atlantic
# west of Orkney and of Shetland, and the Baltic with the Belts.
_ELSEWHERE = (
    (-np.inf, -2.04, 58.95, np.inf),
    (-np.inf, -1.2, 59.92, np.inf),
    (9.4, np.inf, -np.inf, 56.0),
)


class Edge(Frozen):
    """An edge of the sea, and the gauges between which its elevation is interpolated.

    Attributes:
        side: Where the sea beyond lies.
        west: Limits of the edge [degrees].
        east: The same.
        south: The same.
        north: The same.
        gauges: At its ends.
    """

    side: OpenSide
    west: float
    east: float
    south: float
    north: float
    gauges: tuple[str, str]

    def holds(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which cells lie within its limits (nx, ny)."""
        columns, rows = (x > self.west) & (x < self.east), (y > self.south) & (y < self.north)
        return np.asarray(columns[:, np.newaxis] & rows[np.newaxis, :])

    def between(
        self, ends: tuple[Gauge, Gauge], x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return how far cells are on the way from the first gauge to the second, 0 to 1."""
        if self.side == "north":
            along, (first, last) = x[:, np.newaxis], (gauge.longitude for gauge in ends)
        else:
            along, (first, last) = y[np.newaxis, :], (gauge.latitude for gauge in ends)
        return np.clip((along - first) / (last - first), 0.0, 1.0)


# From Norway along 60.4 N to Shetland, from there to Orkney, and across the Channel.
EDGES = (
    Edge("north", -1.2, 5.3, 60.0, 61.0, ("Lerwick", "Bergen")),
    Edge("west", -2.05, -1.5, 58.95, 59.92, ("Wick", "Lerwick")),
    Edge("west", -4.1, -3.6, 48.0, 50.9, ("Roscoff", "Devonport")),
)


class Gauge(Frozen):
    """A tide gauge.

    Attributes:
        place: Its name.
        longitude: [degrees east].
        latitude: [degrees north].
        constants: amplitude * exp(-i phase) of each constituent [m].
    """

    place: str
    longitude: float
    latitude: float
    constants: Mapping[str, complex]


def gauges(use: str) -> dict[str, Gauge]:
    """Return the gauges of a use, 'boundary' or 'gauge', by place."""
    lines = _file("north_sea_tides.csv").read_text("ascii").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {row["place"]: _gauge(row) for row in rows if row["use"] == use}


def _gauge(row: Mapping[str, str]) -> Gauge:
    constants = {
        name: float(row[f"{name}_amplitude"]) * np.exp(-1j * radians(float(row[f"{name}_phase"])))
        for name in CONSTITUENTS
    }
    return Gauge(row["place"], float(row["longitude"]), float(row["latitude"]), constants)


@cache
def north_sea(minutes: int, deeper: float, least_depth: float) -> Domain:
    """Return the North Sea and the Channel, with their open boundaries.

    Args:
        minutes: Width of a cell, a multiple of the file's 5 [arc minutes].
        deeper: Added to depths [m].
        least_depth: What is shallower then is made so deep [m].
    """
    depth, origin = _depths()
    count = minutes // 5
    depth = _coarse(depth, count)
    spacing = (count * _NATIVE,) * 2
    x, y = centres(Domain(depth, spacing, origin))
    depth = np.where(
        _connected(np.isfinite(depth), x, y), np.maximum(depth + deeper, least_depth), np.nan
    )
    return Domain(depth, spacing, origin, is_spherical=True, open=_open(np.isfinite(depth), x, y))


def _depths() -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Return depths, NaN on land and in other seas (nx, ny), and the low corner [degrees]."""
    need("ocean", "xarray", "scipy")
    import xarray

    with (
        resources.as_file(_file("north_sea_etopo5.nc")) as path,
        xarray.open_dataset(path, engine="scipy") as relief,
    ):
        heights = relief["elevation"].transpose("lon", "lat").values.astype(np.float64)
        x, y = relief["lon"].values, relief["lat"].values
    depth = np.where(heights < 0.0, -heights, np.nan)
    for west, east, south, north in _ELSEWHERE:
        inside = np.ix_((x > west) & (x < east), (y > south) & (y < north))
        depth[inside] = np.nan
    return depth, (float(x[0]) - 0.5 * _NATIVE, float(y[0]) - 0.5 * _NATIVE)


def _coarse(depth: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return the mean depth of the water in blocks of cells, of which half at least is water."""
    nx, ny = (n // count for n in depth.shape)
    blocks = depth.reshape(nx, count, ny, count)
    wet = np.isfinite(blocks).mean(axis=(1, 3))
    mean = np.nansum(blocks, axis=(1, 3)) / np.maximum(wet * count * count, 1.0)
    return np.where(wet >= 0.5, mean, np.nan)  # noqa: PLR2004


def _connected(
    is_wet: NDArray[np.bool_], x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return the cells from which water can flow to the middle of the North Sea."""
    from scipy.ndimage import label

    numbers, _ = label(is_wet)
    middle = numbers[np.abs(x - 3.0).argmin(), np.abs(y - 56.0).argmin()]
    return np.asarray(numbers == middle)


def _open(
    is_wet: NDArray[np.bool_], x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[OpenBoundary, ...]:
    """Return the lines of open cells: the outermost that are wet within each edge."""
    boundaries = []
    for edge in EDGES:
        columns = np.nonzero((x > edge.west) & (x < edge.east))[0]
        rows = np.nonzero((y > edge.south) & (y < edge.north))[0]
        if edge.side == "north":
            index, line, along = rows[-1], is_wet[columns, rows[-1]], columns
        else:
            index, line, along = columns[0], is_wet[columns[0], rows], rows
        ends = np.flatnonzero(np.diff(np.concatenate([[False], line, [False]]).astype(int)))
        boundaries += [
            OpenBoundary(edge.side, int(index), int(along[first]), int(along[after - 1]))
            for first, after in ends.reshape(-1, 2)
        ]
    return tuple(boundaries)


def tides(domain: Domain, constituents: Iterable[str]) -> tuple[Wave, ...]:
    """Return the waves of the sea beyond, between gauges in proportion to the distance.

    Args:
        domain: The North Sea, see 'north_sea'.
        constituents: Of 'CONSTITUENTS'.
    """
    stations, at = gauges("boundary"), centres(domain)
    waves = []
    for name in constituents:
        wave = np.zeros(domain.extent, np.complex128)
        for edge in EDGES:
            first, last = (stations[place] for place in edge.gauges)
            start, end = first.constants[name], last.constants[name]
            way = edge.between((first, last), *at)
            wave = np.where(edge.holds(*at), start + way * (end - start), wave)
        waves.append(Wave(frequency(name), np.abs(wave), -np.angle(wave)))
    return tuple(waves)


def centres(domain: Domain) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return longitudes and latitudes of the cells of a domain [degrees]."""
    at = [
        np.asarray(low + (np.arange(count) + 0.5) * width, dtype=np.float64)
        for low, count, width in zip(domain.origin, domain.extent, domain.spacing, strict=True)
    ]
    return at[0], at[1]


def _file(name: str) -> Traversable:
    return resources.files(__package__).joinpath("data", name)
