"""Where a border of levels meets a wall at a side: what comes back there crosses it.

Half-way bounce-back lets a coarse cell X have all again that it has sent to the wall. But within X
children of a diagonal population change columns on their way: some cross the border, and enter the
finer level although X has them back; others that the finer level has sent to the wall come to X,
which does not ask for them. Their difference is handed on to X by the population that comes to it
along the border's normal. So mass is kept to round-off.

Half-way bounce-back lets no mass move along a wall within its links, so that shear of the same
slope carries other mass in coarse cells than in fine ones: a scheme that keeps mass at the place
cannot leave Couette flow as it is. It differs by a little, in proportion to the cells' width.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import halocline as hc
from halocline.apps.lbm.lattice.links import inwards
from halocline.apps.lbm.lattice.populations import add, dot
from halocline.apps.lbm.refinement.corners import beside_border
from halocline.apps.lbm.setup.sides import Wall
from halocline.geometry import AXES, added, opposite
from halocline.language.place import user_place
from halocline.language.steps.trace import recorded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from halocline.apps.lbm.lattice.populations import Value
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.apps.lbm.setup.sides import Boundary
    from halocline.geometry import Box, Offset
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Call


class _Place(NamedTuple):
    """Where a border meets a wall.

    Attributes:
        axis: The wall's.
        into: Which way along it the wall is.
        velocity: Of the wall.
        s: From X to the cell in place of the finer level.
        ends: At which end of the domain along other axes, -1 or 1; 0 where it does not matter.
    """

    axis: int
    into: int
    velocity: Sequence[Value]
    s: Offset
    ends: Offset


def returning_from_walls(
    velocity_set: VelocitySet,
    sides: Mapping[str, Boundary],
    fine: Field,
    before: Field,
    coarse: Field,
) -> list[Call]:
    """Return what hands on to coarse cells what walls have sent across a border.

    Args:
        velocity_set: The lattice.
        sides: What is at the sides of the domain.
        fine: Populations of the finer level after its first sub-step.
        before: Those before it.
        coarse: Populations of the coarser level, in covered cells those that leave.
    """
    result = []
    fields = {"fine": fine, "before": before, "coarse": coarse, **beside_border(coarse)}
    for side, boundary in sides.items():
        if isinstance(boundary, Wall):
            for place, box in _places(velocity_set, coarse.grid, side, boundary.velocity):
                body = partial(_hand_on, velocity_set, place)
                made = recorded("return_from_wall", user_place(), fields, body, {}, on=box)
                result.append(made)
    return result


def _places(
    velocity_set: VelocitySet, grid: Grid, side: str, velocity: Sequence[Value]
) -> Iterator[tuple[_Place, Box]]:
    """Yield places along a wall, each with the covered cells that may be there."""
    axis, into = AXES.index(side[0]), -inwards(side)
    layer = grid.domain.clip(axis, *((0, 1) if into < 0 else _last(grid, axis)))
    for normal, sign in product(range(grid.dimensions), (-1, 1)):
        if normal == axis:
            continue
        s = tuple(sign if a == normal else 0 for a in range(grid.dimensions))
        n = grid.extent[normal]
        box = layer
        if not grid.periodic[normal]:  # X lies inside
            box = layer.clip(normal, max(sign, 0), n + min(sign, 0))
        for ends, part in _parts(velocity_set, grid, {axis, normal}, box):
            if not part.is_empty:
                yield _Place(axis, into, velocity, s, ends), part


def _parts(
    velocity_set: VelocitySet, grid: Grid, others: set[int], box: Box
) -> Iterator[tuple[Offset, Box]]:
    """Yield a box in parts, along axes that have sides, too, and along which some go as well."""
    nowhere = (0,) * grid.dimensions
    along = [a for a in range(grid.dimensions) if a not in others and not grid.periodic[a]]
    if not along or not any(all(c) for c in velocity_set.velocities):
        yield nowhere, box
        return
    (a,) = along
    for end, cells in ((-1, (0, 1)), (0, (1, grid.extent[a] - 1)), (1, _last(grid, a))):
        yield tuple(end if b == a else 0 for b in range(grid.dimensions)), box.clip(a, *cells)


def _last(grid: Grid, axis: int) -> tuple[int, int]:
    return grid.extent[axis] - 1, grid.extent[axis]


def _hand_on(
    velocity_set: VelocitySet, place: _Place, fine: Any, before: Any, coarse: Any, *beside: Any
) -> None:
    """Change what comes to X along the border's normal by what has crossed the border."""
    here, to_x = (0,) * len(place.s), opposite(place.s)
    finer, *fluid = beside
    is_border = (finer[here] == 1) & (finer[to_x] == 0)
    for mask in fluid:
        is_border = is_border & (mask[to_x] != 0)
    changes = []
    for i, c in enumerate(velocity_set.velocities):
        way = dot(place.s, c)
        if c[place.axis] != place.into or not way:
            continue
        for cell in _beside(place, c, place.s if way > 0 else to_x):
            came = before[i][added(cell, opposite(c))]
            if way > 0:
                # What comes enters, although X gets back what the wall makes of it.
                if place.velocity:
                    came = came - (6.0 * velocity_set.weights[i]) * dot(c, place.velocity)
                change = fine[velocity_set.opposites[i]][cell] - came
            else:
                # What comes is sent back to X, whose own enters when it has been sent back.
                change = came - before[i][cell]
            changes.append(change)
    changed = velocity_set.velocities.index(to_x)
    total = 0.5 ** len(here) * add(changes)
    coarse[changed][here] = coarse[changed][here] + hc.where(is_border, total, 0.0)


def _beside(place: _Place, c: Offset, towards: Offset) -> Iterator[Offset]:
    """Yield children beside wall and border of the cell on one side of it, as seen from Y's first.

    Args:
        place: Where.
        c: The population that goes to the wall.
        towards: To this side of the border.
    """
    layer = 0 if place.into < 0 else 1
    own: list[tuple[int, ...]] = [(0, 1)] * len(c)
    own[place.axis] = (layer,)
    normal = next(a for a, n in enumerate(place.s) if n)
    at_border = 0 if place.s[normal] > 0 else 1
    own[normal] = (at_border if towards == place.s else at_border - place.s[normal],)
    for axis, end in enumerate(place.ends):
        if end:
            last = 0 if end < 0 else 1
            # What came from beyond a side has not crossed the border; and what meets two walls is
            # counted at one of them.
            left_out = c[axis] == -end or (c[axis] == end and axis < place.axis)
            own[axis] = tuple(n for n in (0, 1) if n != last or not left_out)
    return product(*own)
