"""GOTM's file of turbulence beside a folder of GETM: what it says that is not our turbulence.

We have k-epsilon with the stability functions of Canuto A in weak equilibrium, logarithmic layers
at bed and surface, and a bound of eddies in stable water (Umlauf & Burchard 2005).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.apps.ocean.getm.namelists import Settings, entries, read_given

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FILE = "gotmturb.nml"


def unsupported_turbulence(folder: Path) -> Iterator[str]:
    """Yield a line for each setting of the file, if there is one, that we cannot follow.

    Raises:
        CaseError: It has something that is unknown, or a value that cannot be.
    """
    path, known = folder / _FILE, entries("turbulence.csv")
    if path.is_file():
        for line in Settings(path, read_given(path, known), known).unsupported():
            yield f"{_FILE}: {line}"
