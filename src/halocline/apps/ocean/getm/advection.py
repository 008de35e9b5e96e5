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
    found = {"advection": SCHEMES[scheme], "advection_splitting": splitting}
    if namelists.is_layered:
        found["layer_advection"] = SCHEMES[namelists["m3d.vel3d_adv_hor"]]
        found["layer_advection_splitting"] = SPLITTINGS[namelists["m3d.vel3d_adv_split"]]
    return found


def unsupported_advection(namelists: Namelists) -> Iterator[str]:
    """Yield a line for how momentum is carried in layers, if it does not go together."""
    if namelists["m3d.vel3d_adv_ver"] != namelists["m3d.vel3d_adv_hor"]:
        yield namelists.refusal("m3d.vel3d_adv_ver", "the same as vel3d_adv_hor")
    if bool(namelists["m3d.vel3d_adv_hor"]) != bool(namelists["m2d.vel2d_adv_hor"]):
        yield namelists.refusal("m3d.vel3d_adv_hor", "0 if vel2d_adv_hor is, and only then")
