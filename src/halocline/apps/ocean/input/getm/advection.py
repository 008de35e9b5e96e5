"""GETM's numbers of advection schemes and splittings, and how momentum is advected."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halocline.apps.ocean.input.getm.namelists import Namelists

SCHEMES = MappingProxyType({1: "UPSTREAM", 3: "P2", 4: "SUPERBEE", 5: "MUSCL", 6: "P2_PDM"})
SPLITTINGS = MappingProxyType({0: "unsplit", 1: "full", 2: "strang"})


def read_advection(namelists: Namelists) -> dict[str, Any]:
    """Return the arguments of a Setup that say how momentum is advected, in both modes."""
    scheme = namelists["m2d.vel2d_adv_hor"]
    if not scheme:
        return {"advection": "none"}
    splitting = SPLITTINGS[namelists["m2d.vel2d_adv_split"]]
    arguments = {"advection": SCHEMES[scheme], "advection_splitting": splitting}
    if namelists.is_layered:
        arguments["layer_advection"] = SCHEMES[namelists["m3d.vel3d_adv_hor"]]
        arguments["layer_advection_splitting"] = SPLITTINGS[namelists["m3d.vel3d_adv_split"]]
    return arguments


def read_turbulence_advection(namelists: Namelists) -> dict[str, Any]:
    """Return the arguments of a Setup that say how k and epsilon are advected."""
    scheme = namelists["m3d.turb_adv_hor"]
    if not scheme:
        return {}
    return {
        "turbulence_advection": SCHEMES[scheme],
        "turbulence_advection_splitting": SPLITTINGS[namelists["m3d.turb_adv_split"]],
    }


def unsupported_advection(namelists: Namelists) -> Iterator[str]:
    """Yield a line for how layers' momentum and turbulence are advected, if we cannot follow it."""
    for name in ("vel3d", "turb"):
        if namelists[f"m3d.{name}_adv_ver"] != namelists[f"m3d.{name}_adv_hor"]:
            yield namelists.refusal(f"m3d.{name}_adv_ver", f"the same as {name}_adv_hor")
    if bool(namelists["m3d.vel3d_adv_hor"]) != bool(namelists["m2d.vel2d_adv_hor"]):
        yield namelists.refusal("m3d.vel3d_adv_hor", "0 if vel2d_adv_hor is, and only then")
