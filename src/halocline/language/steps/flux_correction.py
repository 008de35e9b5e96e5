"""Flux correction: what flows through the border of a level is what the finer level says.

A flux located on faces is the mean of that through the finer level's faces, over its sub-steps
(Berger and Colella, J. Comput. Phys. 82 (1989) 64). Faces at the low sides of covered cells are
covered cells' own, and get that mean. Those at their high sides belong to cells of the level
itself: there the covered cell keeps the mean in a hidden field, from where the level takes it.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from halocline.errors import GridError
from halocline.geometry import AXES
from halocline.language.place import user_place
from halocline.language.spaces.role import Role
from halocline.language.steps.trace import recorded
from halocline.language.steps.tree import Swap

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.grids.composite import CompositeField
    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Call

FLUX = "flux"


def axis_of(flux: CompositeField) -> int:
    """Return the axis along which a flux flows.

    Raises:
        GridError: It is not located on the faces across one axis.
    """
    location = flux.level(0).location
    if len(location.faces) != 1:
        raise GridError(
            f"Field '{flux.name}' was given the coupling 'flux' and the location '{location}'; "
            "expected one on faces: 'x_face', 'y_face' or 'z_face'.",
            place=user_place(),
        )
    return location.faces[0]


def check_once(call: Call | Swap[Field], forest: Forest) -> None:
    """Refuse a kernel, done once on each level, that reads a flux next door: beyond a border, too.

    Raises:
        GridError: It does.
    """
    if isinstance(call, Swap):
        return
    fluxes = {field.level(0) for field in forest.fields.values() if field.coupling == FLUX}
    for name, _, offset in sorted(call.kernel.read):
        if any(offset) and call.field(name) in fluxes:
            raise GridError(
                f"Kernel '{call.kernel.name}' reads the flux '{name}' of a neighbour, but runs "
                "once on each level; levels agree on fluxes between them in sub-cycled steps.",
                hint="Put it among the kernels and swaps with which the list of steps begins, "
                "outside of loops.",
                place=call.place,
            )


def added_up(flux: CompositeField, level: int, number: int) -> list[Call]:
    """Return what adds a level's flux to the mean that the next coarser one takes.

    Args:
        flux: The flux.
        level: The finer level.
        number: Of the sub-step.
    """
    fine, coarse = flux.level(level), flux.level(level - 1)
    above = _above(flux, level - 1)
    role = Role("covered", level - 1)
    share = 1.0 / flux.forest.substeps
    return [
        replace(_mean(fine, target, axis_of(flux), at, share, is_first=number == 0), role=role)
        for at, target in ((0, coarse), (2, above))
    ]


def taken(flux: CompositeField, level: int) -> Call:
    """Return what gives a level the mean of the finer one where its own cells have the face."""
    axis = axis_of(flux)
    here = (0,) * flux.forest.dimensions
    below = tuple(-1 if a == axis else 0 for a in range(len(here)))

    def body(above: Any, target: Any) -> None:
        for source, place in zip(above, target, strict=True):
            place[here] = source[below]

    fields = {"above": _above(flux, level), "target": flux.level(level)}
    on = _behind_finer(flux.forest, level, axis), _inner_faces(flux.forest.level(level), axis)
    call = recorded("take_flux", user_place(), fields, body, {}, on=on)
    return replace(call, role=Role("leaf", level))


def _mean(fine: Field, target: Field, axis: int, at: int, share: float, *, is_first: bool) -> Call:
    """Return what adds a share of the mean through the fine faces in one coarse face."""
    offsets = list(product(*((at,) if a == axis else (0, 1) for a in range(fine.dimensions))))
    weight = share / len(offsets)

    def body(source: Any, target: Any) -> None:
        for values, place in zip(source, target, strict=True):
            total = values[offsets[0]]
            for offset in offsets[1:]:
                total = total + values[offset]
            mean = weight * total
            place[target.here] = mean if is_first else place[target.here] + mean

    return recorded("mean_flux", user_place(), {"source": fine, "target": target}, body, {})


def _above(flux: CompositeField, level: int) -> Field:
    """Return the hidden field with what flows through the high sides of covered cells."""
    own = flux.level(level)
    return own.grid.hidden_field(
        f"{flux.name}_above", dtype=own.dtype, axes=own.axes, components=own.components
    )


def _inner_faces(grid: Grid, axis: int) -> Box:
    """Return the faces across an axis that have cells on both sides: no level ends elsewhere."""
    domain = grid.domain
    return domain if grid.periodic[axis] else domain.clip(axis, 1, grid.extent[axis])


def _behind_finer(forest: Forest, level: int, axis: int) -> Field:
    """Return the mask of cells at whose low side along an axis the finer level begins."""
    grid = forest.level(level)
    mask = grid.hidden_field(
        f"behind_finer_{AXES[axis]}", dtype="bool", axes=AXES[: forest.dimensions]
    )
    if mask.given is None:  # asked for again by every sub-step
        mask.set(partial(_is_behind, forest, level, axis))
    return mask


def _is_behind(
    forest: Forest, level: int, axis: int, *coordinates: NDArray[np.float64]
) -> NDArray[np.bool_]:
    cells = forest.cells_at(level, coordinates)
    below = [c - 1 if a == axis else c for a, c in enumerate(cells)]
    return forest.is_refined_at(level, below)
