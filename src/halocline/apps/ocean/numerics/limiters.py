"""Advection schemes: what is added to the value upstream to get the value on a face.

All have the form of Lax and Wendroff along one axis (Sweby 1984). The value on a face is

    c_u + ½ Φ(r, C) (1 - C) (c_d - c_u),    r = (c_u - c_uu) / (c_d - c_u).

Written with the two differences instead of their ratio nothing is divided by them, and against the
axis all three have the other sign.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import halocline as hc

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Scheme = Literal["UPSTREAM", "P2", "SUPERBEE", "MUSCL", "P2_PDM"]
# Momentum may also be not advected at all.
MomentumScheme = Literal["none", Scheme]

# Keeps the bound of 'P2_PDM' finite where nothing flows.
_LEAST_COURANT = 1e-10


def none(ahead: Any, behind: Any, courant: Any) -> Any:
    """Return 0: the value upstream is that of the face."""
    del ahead, behind, courant
    return 0.0


def third_order(ahead: Any, behind: Any, courant: Any) -> Any:
    """Return the correction of the third-order scheme P2, which over- and undershoots."""
    skew = (1.0 - 2.0 * courant) * (1.0 / 6.0)
    half = 0.5 * (1.0 - courant)
    return (half * (0.5 + skew)) * ahead + (half * (0.5 - skew)) * behind


def superbee(ahead: Any, behind: Any, courant: Any) -> Any:
    """Return the correction of Roe's limiter, which makes fronts as steep as it may."""
    a, b = abs(ahead), abs(behind)
    steepest = hc.maximum(hc.minimum(a, 2.0 * b), hc.minimum(b, 2.0 * a))
    return _monotone(ahead, behind, 0.5 * (1.0 - courant) * steepest)


def muscl(ahead: Any, behind: Any, courant: Any) -> Any:
    """Return the correction of van Leer's monotonised central limiter."""
    a, b = abs(ahead), abs(behind)
    slope = hc.minimum(2.0 * hc.minimum(a, b), 0.5 * (a + b))
    return _monotone(ahead, behind, 0.5 * (1.0 - courant) * slope)


def ultimate_quickest(ahead: Any, behind: Any, courant: Any) -> Any:
    """Return the correction of the third order within the bounds that keep it monotone.

    Source: Leonard 1991; GETM's P2_PDM.
    """
    a, b = abs(ahead), abs(behind)
    most = ((1.0 - courant) / (courant + _LEAST_COURANT)) * b
    return _monotone(ahead, behind, hc.minimum(third_order(a, b, courant), hc.minimum(a, most)))


def _monotone(ahead: Any, behind: Any, size: Any) -> Any:
    """Return a correction of some size towards the value downstream, and none at an extremum."""
    return hc.where(ahead * behind > 0.0, hc.copysign(size, ahead), 0.0)


# By GETM's names. Each takes the differences c_d - c_u (ahead) and c_u - c_uu (behind) of the cells
# downstream, upstream and far upstream, and the Courant number C of the face.
SCHEMES: Mapping[Scheme, Callable[[Any, Any, Any], Any]] = MappingProxyType(
    {
        "UPSTREAM": none,
        "P2": third_order,
        "SUPERBEE": superbee,
        "MUSCL": muscl,
        "P2_PDM": ultimate_quickest,
    }
)
