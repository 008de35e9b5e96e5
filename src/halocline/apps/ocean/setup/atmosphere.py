"""Atmosphere: the air over the water, which drives the fluxes through the surface."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

from halocline.apps.arguments import check_kind
from halocline.apps.ocean.physics.bulk_formulae import BulkFormula
from halocline.apps.ocean.physics.radiation import BackRadiation
from halocline.apps.ocean.setup.arguments import in_cells, numbers_along, pair
from halocline.apps.ocean.setup.domain import Domain
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.language.numbers import Range
from halocline.language.series.series import Series
from halocline.options import check_declared

Positive = Annotated[float, Range(above=0.0)]
# What cells are given, and its unit.
PARTS = (
    ("wind along x", "m/s"),
    ("wind along y", "m/s"),
    ("air temperature", "degC"),
    ("humidity", "kg/kg"),
    ("air pressure", "Pa"),
    ("cloud", "1"),
    ("downward sunlight", "W/m²"),
    ("downward long waves", "W/m²"),
)


class Atmosphere(Frozen, eq=False):
    """The air over the water: stress, heat and light through the surface follow from it.

    They follow in each macro step from the temperature of the highest layer when it begins. Values
    are numbers, arrays of cells, or series of either.

    Attributes:
        wind: Along east and north; along x and y of a plane where east is not known [m/s].
        temperature: Of the air [degC].
        humidity: Specific [kg/kg].
        pressure: At the mean level [Pa].
        cloud: Share of the sky that clouds cover, 0 to 1.
        sunlight: Short waves that reach the surface; None to compute them from place, time and
            clouds (Rosati & Miyakoda 1988) [W/m²].
        long_waves: That reach the surface; None for 'back_radiation' [W/m²].
        albedo: Share of the sunlight that the surface reflects; None for one of the sun's height
            (Payne 1972).
        formula: Of turbulent fluxes: 'coare' (3.0, Fairall et al. 2003), or 'kondo' (1975).
        back_radiation: Long waves that leave, less those that come: 'clark' (et al. 1974), or
            'hastenrath-lamb' (1978).
        wind_height: In which the wind was measured [m].
        height: In which temperature and humidity were [m].
        evaporates: Whether the heat of evaporation takes fresh water away, beside the rain of the
            setup.
        begin: Date and time (UTC) at which the run begins, for the sun.
        place: Latitude and longitude for all cells [degrees]; None if the domain has its own.

    Example:
        >>> air = ocean.Atmosphere((8.0, 0.0), 10.0, 0.006, 1e5, sunlight=200.0, albedo=0.06)
    """

    wind: tuple[Any, Any]
    temperature: Any
    humidity: Any
    pressure: Any = 101325.0
    cloud: Any = 0.0
    sunlight: Any = None
    long_waves: Any = None
    albedo: Annotated[float | None, Range(least=0.0, most=1.0)] = None
    formula: BulkFormula = "coare"
    back_radiation: BackRadiation = "clark"
    wind_height: Positive = 10.0
    height: Positive = 2.0
    evaporates: bool = False
    begin: datetime | None = None
    place: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        check_declared(self, CaseError)
        pair("wind", self.wind, "winds")
        if self.begin is not None:
            check_kind("begin", self.begin, datetime, "a date, as datetime(2020, 1, 31)")
        if self.place is not None:
            numbers_along("place", self.place, Range(least=-360.0, most=360.0))
        if self.needs_sun and self.begin is None:
            raise CaseError(
                "The atmosphere has no 'begin'; expected the date at which the run begins, of "
                "which the sun's height follows.",
                hint="Write begin=datetime(2020, 1, 31), or give 'sunlight' and 'albedo'.",
            )

    @property
    def needs_sun(self) -> bool:
        """Whether the height of the sun matters."""
        return self.sunlight is None or self.albedo is None

    @property
    def needs_place(self) -> bool:
        """Whether latitudes matter."""
        return self.needs_sun or self.long_waves is None

    @property
    def parts(self) -> Iterator[tuple[str, Any, str]]:
        """What cells are given: the name, values and unit of each part that there is."""
        of_air = (*self.wind, self.temperature, self.humidity, self.pressure)
        values = (*of_air, self.cloud, self.sunlight, self.long_waves)
        for (name, unit), value in zip(PARTS, values, strict=True):
            if value is not None:
                yield name, value, unit

    def check(self, domain: Domain) -> None:
        """Raise for values that the cells of a domain cannot have.

        Raises:
            CaseError: They are no numbers, not one for each cell, implausible, or without a place.
        """
        for name, value, unit in self.parts:
            _check_plausible(name, _in_water(name, value, domain), unit)
        has_places = domain.is_spherical or domain.places is not None
        if self.needs_place and not has_places and self.place is None:
            raise CaseError(
                "The atmosphere over a Cartesian domain has no 'place'; expected the latitude and "
                "longitude, of which radiation depends.",
                hint="Write place=(54.0, 7.0), or --latitude 54 --longitude 7; or give 'sunlight', "
                "'albedo' and 'long_waves'.",
            )
        if self.place is not None and domain.has_latitudes:
            raise CaseError(
                "The atmosphere was given a 'place', but the cells of the grid have their own.",
                hint="Leave 'place' out.",
            )


# Ranges by unit; other values are of another unit.
RANGES = {
    "m/s": Range(least=-150.0, most=150.0),
    "degC": Range(least=-80.0, most=60.0),
    "kg/kg": Range(least=0.0, most=0.1),
    "Pa": Range(least=8e4, most=1.1e5),
    "1": Range(least=0.0, most=1.0),
    "W/m²": Range(least=0.0, most=1500.0),
}


def _in_water(name: str, value: Any, domain: Domain) -> Any:
    """Return the values that cells with water have."""
    if not isinstance(value, Series):
        return in_cells(name, value, domain.is_wet)[domain.is_wet]
    return value.values[:, domain.is_wet] if value.shape == domain.extent else value.values


def _check_plausible(name: str, values: Any, unit: str) -> None:
    """Refuse values that no air has."""
    allowed = RANGES[unit]
    for value in (values.min(), values.max()):
        if value not in allowed:
            raise CaseError(
                f"The {name} of the atmosphere is {value:g}; expected "
                f"{allowed.described('numbers')} [{unit}].",
                hint="Convert it from another unit.",
            )
