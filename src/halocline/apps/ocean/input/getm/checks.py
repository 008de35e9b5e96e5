"""Checks of a GETM run: the currents, temperatures and salinities with which it aborts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.apps.ocean.setup.limits import Limits

if TYPE_CHECKING:
    from halocline.apps.ocean.input.getm.namelists import Namelists

# For each of our limits the namelist and what its settings end with: 'vel_check', 'min_vel', ….
_CHECKED = {
    "velocity": ("m3d", "vel"),
    "temperature": ("temp", "temp"),
    "salinity": ("salt", "salt"),
}


def read_limits(namelists: Namelists) -> Limits:
    """Return the limits of a run: GETM's where it aborts beyond them, ours elsewhere.

    A check of 0 is none, and one below 0 warns alone. GETM checks layers at intervals of its own;
    here they are checked with the search for NaN.

    Raises:
        CaseError: The lowest value of a check is not below its highest.
    """
    return Limits(
        **{
            name: (namelists[f"{group}.min_{what}"], namelists[f"{group}.max_{what}"])
            for name, (group, what) in _CHECKED.items()
            if namelists.is_read(group) and namelists[f"{group}.{what}_check"] > 0
        }
    )
