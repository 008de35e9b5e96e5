"""GOTM's file of turbulence beside a folder of GETM: what it says that is not our turbulence.

We have k-epsilon with stability functions of Canuto et al. and Cheng et al. in weak equilibrium,
logarithmic layers at bed and surface, and maybe a bound of eddies in stable water (Umlauf &
Burchard 2005).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from halocline.apps.ocean.input.getm.namelists import Settings, read_settings
from halocline.apps.ocean.physics.stability import CANUTO_A, CANUTO_B, CHENG
from halocline.apps.ocean.physics.turbulence import KEpsilon

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FILE = "gotmturb.nml"
_CANUTO_A = 5
_CLOSURES = MappingProxyType({_CANUTO_A: CANUTO_A, 6: CANUTO_B, 7: CHENG})
# What a KEpsilon calls constants, and what the file does.
_CONSTANTS = MappingProxyType(
    {
        "production": "keps.ce1",
        "dissipation": "keps.ce2",
        "richardson": "turb_param.ri_st",
        "least_tke": "turb_param.k_min",
        "least_eps": "turb_param.eps_min",
    }
)


def read_turbulence(folder: Path) -> Settings | None:
    """Return what the file says; None if there is none.

    Raises:
        CaseError: It has no namelists.
    """
    path = folder / _FILE
    return read_settings(Settings, path, "turbulence.csv") if path.is_file() else None


def k_epsilon_of(settings: Settings | None) -> KEpsilon:
    """Return the constants that the file gives; ours if there is none."""
    if settings is None:
        return KEpsilon()
    values = {name: settings[key] for name, key in _CONSTANTS.items()}
    return KEpsilon(
        closure=_CLOSURES[settings["scnd.scnd_coeff"] or _CANUTO_A],
        # GOTM finds either the constant of Karman or sigma_eps from the other.
        schmidt=settings["keps.sig_e"] if settings["turb_param.compute_kappa"] else None,
        galperin=settings["turb_param.galp"] if settings["turb_param.length_lim"] else None,
        **values,
    )


def unsupported_turbulence(settings: Settings) -> Iterator[str]:
    """Yield a line for each setting of the file that we cannot follow."""
    for line in settings.unsupported():
        yield f"{_FILE}: {line}"
