"""Limits: elevations, currents, temperatures and salinities with which a run fails.

Drying, drag and limiters often bound an unstable run: its values stay numbers and do not grow to
infinity.
"""

from __future__ import annotations

from msgspec.structs import asdict

from halocline.apps.arguments import check_number, wrong
from halocline.frozen import Frozen

# A limit has a lowest value and a highest.
_ENDS = 2


class Limits(Frozen):
    """Values beyond which a run fails, each a lowest and a highest one.

    Fields are searched for them every 'check_every' steps (see 'Simulation') and at the end of a
    run.

    Attributes:
        elevation: Counted from the lowest and the highest elevation at the beginning, that of dry
            beds included, or from 0 [m].
        velocity: Of each component of the depth-averaged current and of the currents of layers;
            these are computed every 10 steps [m/s].
        temperature: [degC].
        salinity: [1e-3].

    Raises:
        CaseError: A pair is no two numbers, or the first is not less than the second.

    Example:
        >>> limits = ocean.Limits()
    """

    elevation: tuple[float, float] = (-20.0, 20.0)
    velocity: tuple[float, float] = (-20.0, 20.0)
    temperature: tuple[float, float] = (-10.0, 60.0)
    salinity: tuple[float, float] = (-5.0, 400.0)

    def __post_init__(self) -> None:
        for name, limits in asdict(self).items():
            if not isinstance(limits, tuple) or len(limits) != _ENDS:
                raise wrong(f"limits.{name}", limits, "two numbers, the lowest and the highest")
            for number in limits:
                check_number(f"limits.{name}", number)
            if not limits[0] < limits[1]:
                raise wrong(f"limits.{name}", limits, "the lowest value, then a greater one")
