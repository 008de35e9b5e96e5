"""Heat through the surface: for the highest layer, or sunlight that reaches the layers below.

Where the water freezes ice would lie on it, through which no heat leaves.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

import halocline as hc
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY, REFERENCE_SALINITY
from halocline.errors import CaseError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halocline.apps.ocean.baroclinic.internal_mode import InternalMode
    from halocline.language.steps.steps import Step

# Of sea water [J/kg/K].
HEAT_CAPACITY = 3985.0
# Change of the freezing point with the salinity [K]. Source: Burchard & Bolding 2002 (GETM).
FREEZING = -0.0575

WaterType = Literal["I", "IA", "IB", "II", "III"]


class Clarity(NamedTuple):
    """How far sunlight reaches.

    Attributes:
        red: The part of it that is red.
        red_reach: Where a part 1 / e of the red is left [m].
        blue_reach: And of the rest [m].
    """

    red: float
    red_reach: float
    blue_reach: float

    def left(self, distance: Any) -> Any:
        """Return the part of the light that is left at a distance from the surface [m]."""
        blue = (1.0 - self.red) * hc.exp(distance * (-1.0 / self.blue_reach))
        return self.red * hc.exp(distance * (-1.0 / self.red_reach)) + blue


# By Jerlov's types of water, from the clear ocean to murky coasts. Source: Paulson & Simpson 1977.
CLARITIES: Mapping[WaterType, Clarity] = MappingProxyType(
    {
        "I": Clarity(0.58, 0.35, 23.0),
        "IA": Clarity(0.62, 0.6, 20.0),
        "IB": Clarity(0.67, 1.0, 17.0),
        "II": Clarity(0.77, 1.5, 14.0),
        "III": Clarity(0.78, 1.4, 7.9),
    }
)


class SurfaceHeat:
    """The fields of what enters through the surface.

    Args:
        mode: Whose temperature changes.

    Raises:
        CaseError: It has none.
    """

    def __init__(self, mode: InternalMode) -> None:
        setup, external = mode.setup, mode.external
        if setup.temperature is None:
            raise CaseError(
                "'heat_flux' or 'sunlight' was given to water without a temperature.",
                hint="Give the 'temperature' at the beginning, or leave them out.",
            )
        self.mode, self.clarity = mode, CLARITIES[setup.water_type]
        self.entering, self.light = (
            None if given is None else external.from_outside(name, given)
            for name, given in (("heat_flux", setup.heat_flux), ("sunlight", setup.sunlight))
        )
        self.above = mode.grid.field("above", axes="z", dtype=setup.dtype)
        self.above.boundary(["z-", "z+"], hc.Neumann(0.0))
        self.above.set(np.append(np.cumsum(mode.fractions[:0:-1])[::-1], 0.0))

    def steps(self) -> tuple[Step, ...]:
        """Return what brings the heat of a macro step into the layers."""
        mode = self.mode
        temperature, *salinity = mode.tracers
        return (
            warm(
                temperature,
                mode.after,
                fraction=mode.fraction,
                above=self.above,
                entering=self.entering,
                light=self.light,
                salinity=salinity[0] if salinity else REFERENCE_SALINITY,
                clarity=self.clarity,
                dt=mode.dt,
                last=mode.grid.extent[2] - 1,
                on=mode.external.where_wet,
            ),
        )


@hc.kernel
def warm(
    temperature: Any,
    depth: Any,
    *,
    fraction: Any,
    above: Any,
    entering: Any,
    light: Any,
    salinity: Any,
    clarity: Any,
    dt: Any,
    last: int,
) -> None:
    """Bring heat into layers; the lowest one keeps the light that reaches the bed.

    Args:
        temperature: Of layers [degC].
        depth: Of the water [m].
        fraction: Of a layer.
        above: Share of the depth that lies above a layer, a profile.
        entering: Heat that the highest layer takes; None for none [W/m²].
        light: That enters through the surface; None for none [W/m²].
        salinity: Of layers [1e-3].
        clarity: Of the water.
        dt: Macro step [s].
        last: The highest layer.
    """
    heat: Any = 0.0
    if entering is not None:
        freezes = temperature <= FREEZING * salinity
        through = hc.where(freezes, hc.maximum(entering, 0.0), entering)
        heat = hc.where(hc.index("z") == last, through, 0.0)
    if light is not None:
        passing = clarity.left(depth * hc.at(above, z=-1))
        below = hc.where(hc.index("z") == 0, 0.0, passing)
        heat = heat + light * (clarity.left(depth * above) - below)
    temperature[...] = temperature + heat * (dt / (REFERENCE_DENSITY * HEAT_CAPACITY)) / (
        depth * fraction
    )
