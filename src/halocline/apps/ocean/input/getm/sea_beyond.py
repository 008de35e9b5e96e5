"""Temperature and salinity of the sea beyond the open boundaries of a GETM run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.apps.ocean.input.boundary_file import read_columns

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from halocline.apps.ocean.input.getm.boundaries import Boundaries
    from halocline.apps.ocean.input.getm.namelists import Namelists

# What a Setup calls them, what the file of boundaries does, and their units.
TRACERS = (("temperature", "temp", "degC"), ("salinity", "salt", "1e-3"))


def read_sea(
    folder: Path, namelists: Namelists, boundaries: Boundaries, tracers: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a Setup that say what comes in through open cells.

    Args:
        folder: With the file of boundaries.
        namelists: Of the run.
        boundaries: Of the run.
        tracers: First values of the tracers that the run computes.

    Raises:
        CaseError: The file cannot be read, or has something else, or what changes in time.
    """
    if boundaries.tracers is None:
        return {}
    # GETM does not count the open cells themselves.
    arguments: dict[str, Any] = {"sponge": namelists["m3d.bdy3d_sponge_size"] + 1}
    path = folder / namelists["m3d.bdyfile_3d"]
    for name, variable, unit in TRACERS:
        if name not in tracers:
            continue
        first = tracers[name]
        if boundaries.tracers == "clamped":
            sea: Any = read_columns(path, variable, unit, boundaries.points, boundaries.numbers)
        else:
            sea = first.at(boundaries.cells) if callable(first) else first
        arguments[f"sea_{name}"] = sea
    return arguments
