"""A summary of the input of an ocean, in which mistakes catch the eye."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.ocean.input.initial_file import Levels
from halocline.apps.ocean.input.sea_file import LevelsInTime
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY
from halocline.apps.ocean.physics.tides import HOUR
from halocline.apps.ocean.setup.domain import OPEN
from halocline.box_array import distinct
from halocline.installation import need
from halocline.language.series.series import Series

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from halocline.apps.ocean.setup.domain import Domain
    from halocline.apps.ocean.setup.setup import Setup

# Times are a gap apart if they are so many times farther apart than usual.
_GAP = 1.5
# What a setup is given, what it is called here, and its unit.
_GIVEN = (
    ("zeta", "elevation at the beginning", "m"),
    ("elevation", "elevation beyond open boundaries", "m"),
    ("transport_diffusivity", "diffusivity of transports", "m²/s"),
    ("pressure", "pressure of the air", "Pa"),
    ("heat_flux", "heat flux", "W/m²"),
    ("sunlight", "sunlight", "W/m²"),
    ("rain", "rain less evaporation", "m/s"),
    ("temperature", "temperature at the beginning", "degC"),
    ("salinity", "salinity at the beginning", "1e-3"),
    ("sea_temperature", "temperature beyond open boundaries", "degC"),
    ("sea_salinity", "salinity beyond open boundaries", "1e-3"),
    ("current", "current beyond open boundaries, mean over the depth", "m/s"),
    ("layer_current", "current of layers beyond open boundaries", "m/s"),
)


def what_was_read(setup: Setup, start: datetime, remarks: Sequence[str] = ()) -> str:
    """Return lines of text: extremes, counts, land, lakes, times and their gaps.

    Args:
        setup: Made of the input.
        start: When the run begins.
        remarks: How input was taken that may have another meaning, each a sentence.
    """
    lines = [*_of_cells(setup.domain), *remarks]
    if setup.domain.open:
        cells = int((setup.domain.cells == OPEN).sum())
        kinds = dict.fromkeys(setup.open_kinds)
        lines.append(f"open boundaries: {cells} cells, {' and '.join(kinds)}")
    inputs = [(getattr(setup, name), what, unit) for name, what, unit in _GIVEN]
    if setup.stress is not None:
        inputs += [
            (stress, f"stress of the wind along {axis}, over the density {REFERENCE_DENSITY:g}", "")
            for axis, stress in zip("xy", setup.stress, strict=True)
        ]
    if setup.atmosphere is not None:
        inputs += [(value, what, unit) for what, value, unit in setup.atmosphere.parts]
    inputs += [
        (tracer.initial, f"tracer '{tracer.name}' at the beginning", tracer.unit)
        for tracer in setup.tracers
    ]
    for value, what, unit in inputs:
        if value is not None:
            lines += _of_values(value, what, unit, start)
    for number, river in enumerate(setup.rivers):
        name = getattr(river.flow, "name", f"{number}")
        lines += _of_values(river.flow, f"river '{name}' in cell {river.cell}", "m³/s", start)
        if _extremes(river.flow)[0] < 0.0:
            lines.append(f"river '{name}' takes water away where its discharge is below 0")
    return "\n  ".join(["What was read", *lines])


def _of_cells(domain: Domain) -> Iterator[str]:
    """Yield lines about the bathymetry."""
    wet = domain.depth[domain.is_wet]
    yield (
        f"bathymetry: {' x '.join(map(str, domain.extent))} cells of {_widths(domain)}, {wet.size} "
        "water, "
        f"{100.0 - 100.0 * wet.size / domain.depth.size:.3g} % land"
    )
    yield f"depth: {wet.min():.5g} to {wet.max():.5g} m, mean {wet.mean():.5g} m"
    if (wet <= 0.0).any():
        yield f"{int((wet <= 0.0).sum())} cells have their bed at the mean level or above it"
    yield from _lakes(domain)


def _widths(domain: Domain) -> str:
    """Return how wide cells are along x and y."""
    if domain.curvilinear is None:
        unit = "degrees" if domain.is_spherical else "m"
        return f"{' x '.join(f'{width:.6g}' for width in domain.spacing)} {unit}"
    ranges = []
    for widths in (domain.metric.dx, domain.metric.dy):
        in_water = widths[domain.is_wet]
        ranges.append(f"{in_water.min():.4g} to {in_water.max():.4g}")
    return f"{' x '.join(ranges)} m, curvilinear"


def _lakes(domain: Domain) -> Iterator[str]:
    """Yield a line about parts of the water that have no way to the rest."""
    numbers = _basins(domain)
    sizes = np.bincount(numbers.ravel())
    sizes[0] = 0
    sizes[sizes.argmax()] = 0
    sizes[distinct(numbers[domain.cells == OPEN])] = 0
    if sizes.any():
        i, j = np.argwhere(numbers == sizes.argmax())[0]
        yield (
            f"{np.count_nonzero(sizes)} lakes that no open boundary and no water of the largest "
            f"basin reaches: {sizes.sum()} cells, the largest at ({i}, {j}) with {sizes.max()}"
        )


def _basins(domain: Domain) -> NDArray[np.int32]:
    """Return the number of the connected water to which each cell belongs; 0 on land."""
    need("ocean", "scipy")
    from scipy.ndimage import label
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    numbers: NDArray[np.int32]
    numbers, count = label(domain.is_wet)
    joined = [
        (numbers.take(0, axis), numbers.take(-1, axis))
        for axis, closes in enumerate(domain.periodic)
        if closes
    ]
    if not joined:
        return numbers
    pairs = np.hstack(joined)
    pairs = pairs[:, pairs.all(axis=0)]
    graph = coo_array((np.ones(pairs.shape[1]), pairs), shape=(count + 1, count + 1))
    basins: NDArray[np.int32] = connected_components(graph, directed=False)[1]
    return basins[numbers]


def _of_values(value: Any, what: str, unit: str, start: datetime) -> Iterator[str]:
    """Yield lines about numbers: extremes, and of a series its times and gaps in these."""
    least, most = _extremes(value)
    end = f" {unit}" if unit else ""
    if np.isnan(least) or (least == most == 0.0):
        return
    extremes = f"{least:.5g}" if least == most else f"{least:.5g} to {most:.5g}"
    if not isinstance(value, Series | LevelsInTime):
        yield f"{what}: {extremes}{end}"
        return
    first, last = (_date(start, value.times[n]) for n in (0, -1))
    yield f"{what}: {extremes}{end}, {value.times.size} times from {first} to {last}"
    yield from _gaps(value.times, what, start)


def _gaps(times: NDArray[np.float64], what: str, start: datetime) -> Iterator[str]:
    """Yield a line about times that are farther apart than usual."""
    if times.size == 1:
        return
    apart = np.diff(times)
    usual, longest = float(np.median(apart)), int(apart.argmax())
    count = int((apart > _GAP * usual).sum())
    if count:
        yield (
            f"{what} has {count} gaps, linear in between: the longest takes "
            f"{apart[longest] / HOUR:.4g} h from {_date(start, times[longest])} on; usual are "
            f"{usual / HOUR:.4g} h"
        )


def _extremes(value: Any) -> tuple[float, float]:
    """Return the least and the greatest of what a setup is given; NaN of functions."""
    if isinstance(value, Series | Levels | LevelsInTime):
        value = value.values
    elif callable(value):
        return float("nan"), float("nan")
    numbers = np.asarray(value, np.float64)
    return float(np.nanmin(numbers)), float(np.nanmax(numbers))


def _date(start: datetime, seconds: float) -> str:
    return (start + timedelta(seconds=float(seconds))).isoformat(" ", "seconds")
