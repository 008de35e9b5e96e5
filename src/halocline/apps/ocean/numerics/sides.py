"""What lies beyond the sides of an ocean's grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import halocline as hc

if TYPE_CHECKING:
    from halocline.language.grids.fields import Field


def bounded(field: Field, *, is_flow: bool = True) -> Field:
    """Return a field with what lies beyond the sides where its grid does not close.

    Args:
        field: Of cells or faces.
        is_flow: Whether it is 0 on the outer faces across its own axis, if it is located on faces;
            all else goes on as it is beside a side.
    """
    axes = zip("xyz"[: field.grid.dimensions], field.grid.periodic, strict=True)
    for axis in (name for name, is_periodic in axes if name in field.axes and not is_periodic):
        closed = is_flow and field.location == f"{axis}_face"
        condition = hc.Dirichlet(0.0) if closed else hc.Neumann(0.0)
        field.boundary([f"{axis}-", f"{axis}+"], condition)
    return field
