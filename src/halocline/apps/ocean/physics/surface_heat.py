"""Heat through the surface: for the highest layer, or sunlight that reaches the layers below.

Where the water freezes ice would lie on it, through which no heat leaves.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import halocline as hc
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY

if TYPE_CHECKING:
    from collections.abc import Mapping

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
