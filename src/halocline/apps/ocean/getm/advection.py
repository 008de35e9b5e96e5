"""GETM's numbers of advection schemes and splittings, and how momentum is carried."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.apps.ocean.getm.namelists import Namelists

SCHEMES = MappingProxyType({1: "UPSTREAM", 3: "P2", 4: "SUPERBEE", 5: "MUSCL", 6: "P2_PDM"})
SPLITTINGS = MappingProxyType({0: "unsplit", 1: "full", 2: "strang"})


def read_advection(namelists: Namelists) -> dict[str, Any]:
    """Return the arguments of a Setup that say how momentum is carried, in both modes."""
    scheme = namelists["m2d.vel2d_adv_hor"]
    if not scheme:
        return {"advection": "none"}
    splitting = SPLITTINGS[namelists["m2d.vel2d_adv_split"]]
    return {"advection": SCHEMES[scheme], "advection_splitting": splitting}


def differing_modes(namelists: Namelists) -> Iterator[tuple[str, str]]:
    """Yield settings of layers that must agree with others, for momentum, and these."""
    yield "m3d.vel3d_adv_ver", "m3d.vel3d_adv_hor"
    yield "m3d.vel3d_adv_hor", "m2d.vel2d_adv_hor"
    if namelists["m2d.vel2d_adv_hor"]:
        yield "m3d.vel3d_adv_split", "m2d.vel2d_adv_split"
