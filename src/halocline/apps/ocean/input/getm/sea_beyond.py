"""Temperature, salinity and currents of the sea beyond the open boundaries of a GETM run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.apps.ocean.input.sea_file import TRACERS, read_columns, read_layer_currents
from halocline.apps.ocean.physics.relaxation import Relaxation
from halocline.errors import CaseError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from halocline.apps.ocean.input.getm.boundaries import Boundaries
    from halocline.apps.ocean.input.getm.namelists import Namelists
    from halocline.apps.ocean.input.input_file import Period


def read_sea_beyond(
    folder: Path,
    namelists: Namelists,
    boundaries: Boundaries,
    tracers: Mapping[str, Any],
    period: Period,
) -> dict[str, Any]:
    """Return the arguments of a Setup that say what comes in through open cells.

    Args:
        folder: With the file of boundaries.
        namelists: Of the run.
        boundaries: Of the run.
        tracers: First values of the tracers that the run computes.
        period: Of the run.

    Raises:
        CaseError: The file cannot be read, or has something else, or not for all of the run.
    """
    is_given = namelists["m3d.bdy3d"] and namelists["m3d.bdy3d_vel"]
    has_currents = is_given and bool(boundaries.parts)
    if has_currents and boundaries.tracers != "clamped":
        raise CaseError(
            f"'{namelists.path}' has bdy3d_vel = .true.; expected clamped boundaries (3-D type 0), "
            "and temperature or salinity, beside it."
        )
    if boundaries.tracers is None:
        return {}
    # GETM does not count the open cells themselves.
    width = namelists["m3d.bdy3d_sponge_size"] + 1
    arguments: dict[str, Any] = {"sponge": width}
    is_relaxed = boundaries.tracers == "clamped" and namelists["m3d.bdy3d_tmrlx"]
    # Without a sponge GETM clamps open cells.
    if is_relaxed and width > 1 and namelists.is_supported("m3d.bdy3d_tmrlx_ucut"):
        arguments["relaxation"] = _relaxation(namelists)
    path = folder / namelists["m3d.bdyfile_3d"]
    where = (boundaries.points, boundaries.numbers)
    for name, first in tracers.items():
        if boundaries.tracers == "clamped":
            sea: Any = read_columns(path, TRACERS[name], *where, period, has_climatology=True)
        else:
            sea = first.at(boundaries.cells) if callable(first) else first
        arguments[f"sea_{name}"] = sea
    if has_currents:
        arguments["layer_current"] = read_layer_currents(
            *(path, boundaries.parts, *where, period), names=("uu", "vv"), has_climatology=True
        )
    return arguments


def _relaxation(namelists: Namelists) -> Relaxation:
    """Return the shares of the sea beyond that open cells take."""
    most, least, speed = (namelists[f"m3d.bdy3d_tmrlx_{name}"] for name in ("max", "min", "ucut"))
    if most < least:
        raise CaseError(
            f"'{namelists.path}' has bdy3d_tmrlx_max = {most:g} and bdy3d_tmrlx_min = {least:g}; "
            "expected a minimum that is not greater."
        )
    return Relaxation(most, least, speed)
