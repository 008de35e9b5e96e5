"""Regions: boxes where several actions are combined, and boxes where each is alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, TypeVar

from halocline.geometry import Box

if TYPE_CHECKING:
    from halocline.language.grids.fields import Field

T = TypeVar("T")

# Cells so close to a side lie in blocks that touch it: none has fewer.
_BESIDE = 4


def with_common(groups: Mapping[Box, Sequence[T]]) -> Iterator[tuple[Box, list[T]]]:
    """Yield boxes with the actions there; in the common box those of all groups.

    Beside the cells where all is done, which are most of the domain, each group is done by itself.

    Args:
        groups: Actions by the box where they are possible.
    """
    filled = {box: actions for box, actions in groups.items() if not box.is_empty}
    common = reduce(Box.intersect, filled) if filled else None
    if common is not None and not common.is_empty:
        yield common, [action for actions in filled.values() for action in actions]
    for box, actions in filled.items():
        for piece in [box] if common is None else box.subtract(common):
            yield piece, list(actions)


def may_be_refined(coarse: Field, box: Box) -> bool:
    """Return whether some cells of a level may be refined, by the sides that they lie beside.

    Beside sides less is to be done, in boxes of a cell or two with a kernel each: hundreds of
    kernels, for what most forests have nowhere. What is done there is asked again when a finer
    level comes to another side.

    Args:
        coarse: A field of the level.
        box: The cells.
    """
    grid, forest, level = coarse.grid, coarse.grid.state.forest, coarse.space.level
    assert forest is not None
    ends = [
        ((axis, sign), distance)
        for axis, n in enumerate(grid.extent)
        for sign, distance in ((-1, box.upper[axis]), (1, n - box.lower[axis]))
        if not grid.periodic[axis]
    ]
    reached = forest.leaves.sides_reached(level)
    return all(side in reached for side, distance in ends if distance <= _BESIDE)
