"""What fields of coarse grids have beyond sides, made of what fields of the finest have there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.errors import GridError, described
from halocline.language.place import user_place

if TYPE_CHECKING:
    from halocline.language.grids.fields import Field


def on_whole_side(field: Field, side: str) -> Any:
    """Return the condition that a field was given on a side, if it is one."""
    first, *others = field.boundaries[side]
    if first.mask is None and not others:
        return first.declared
    raise GridError(
        f"'hc.Multigrid' was given '{field.name}', which has several boundaries on side '{side}'; "
        "expected one for each side.",
        hint="Parts of a side need not be made of whole cells of coarser grids.",
        place=user_place(),
    )


def homogeneous(field: Field, side: str) -> Any:
    """Return what the correction of a field has beyond a side."""
    condition = on_whole_side(field, side)
    if hasattr(condition, "homogeneous"):
        return condition.homogeneous()
    raise GridError(
        f"'hc.Multigrid' was given '{field.name}', whose boundary on side '{side}' is "
        f"{described(condition)}; expected hc.Dirichlet, hc.Neumann or hc.Robin.",
        hint="Corrections on coarse grids need the same condition with the value zero.",
        place=user_place(),
    )
