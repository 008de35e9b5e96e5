"""Collisions by name, as cases have them."""

from __future__ import annotations

from collections.abc import Mapping

from halocline.apps.lbm.collision.central_moments import central
from halocline.apps.lbm.collision.cumulant import cumulant
from halocline.apps.lbm.collision.moment_table import LATTICES
from halocline.apps.lbm.collision.relaxation import (
    Collision,
    bgk,
    mrt,
    regularised,
    smagorinsky,
    trt,
)
from halocline.errors import CaseError

COLLISIONS: Mapping[str, Collision] = {
    "bgk": bgk,
    "trt": trt(),
    "central": central(),
    "mrt": mrt(),
    "regularised": regularised,
    "cumulant": cumulant,
}
# The lattices on which a collision is known; those that are not named serve on all.
_LATTICES = {"central": LATTICES, "mrt": ("D2Q9", "D3Q19"), "cumulant": ("D3Q27",)}


def collision_named(name: str, smagorinsky_constant: float = 0.0) -> Collision:
    """Return a collision, maybe with the viscosity of eddies smaller than a cell.

    Args:
        name: In 'COLLISIONS'.
        smagorinsky_constant: Of these eddies; 0 for none.
    """
    if not smagorinsky_constant:
        return COLLISIONS[name]
    return smagorinsky(smagorinsky_constant, COLLISIONS[name])


def lattice_for(collision: str, dimensions: int, wanted: str | None = None) -> str:
    """Return the name of the lattice to take for a collision.

    Args:
        collision: Its name.
        dimensions: 2 or 3.
        wanted: The lattice that was asked for; None for the usual one.

    Raises:
        CaseError: The collision does not exist on it, or in so many dimensions.
    """
    usual = {2: "D2Q9", 3: "D3Q27" if collision == "cumulant" else "D3Q19"}[dimensions]
    lattice = wanted or usual
    lattices = _LATTICES.get(collision, (lattice,))
    if lattice not in lattices:
        raise CaseError(
            f"Collision '{collision}' was asked for on {lattice}; it is known on "
            f"{' and '.join(lattices)}.",
            hint="Choose another collision, as 'trt', or another lattice.",
        )
    return lattice
