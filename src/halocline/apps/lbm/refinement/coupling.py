"""Levels of a forest: what populations do at a border, where cells and steps are halved.

A population that crosses a border is handed on in whole (volumetric coupling: Chen et al., Physica
A 362 (2006) 158; Rohde et al., Int. J. Numer. Meth. Fluids 51 (2006) 439). Ahead of two fine steps
those of a coarse cell are shared among its children (explosion); in ghost cells they stream and do
not collide. Of those that have left the fine level in two steps the mean arrives in the coarse cell
(coalescence). So mass and momentum are kept to round-off.

What children get is the linear profile that is right for both steps. After collision, to first
order, f* = e - (tau - 1) dt c.grad e: so a coarse population belongs where the fine one a quarter
of its way ahead does, and along its way it needs no slope: both children across the border, whose
populations follow each other into the fine level, get the same. Along the border they get a slope;
of a population that moves along it, too, as if it came from where it will cross.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

import halocline as hc
from halocline.apps.lbm.lattice.populations import add
from halocline.apps.lbm.lattice.streaming import POST_COLLISION
from halocline.apps.lbm.refinement import regridded
from halocline.apps.lbm.refinement.border_sides import returning_from_walls
from halocline.apps.lbm.refinement.corners import beside_border, passing_corners
from halocline.apps.lbm.refinement.regions import may_be_refined, with_common
from halocline.apps.lbm.setup.sides import FreeSlip
from halocline.geometry import AXES, Box, added, opposite
from halocline.language.place import user_place
from halocline.language.steps.coupling import Coupling
from halocline.language.steps.trace import recorded
from halocline.language.steps.transfer import from_coarser

if TYPE_CHECKING:
    from halocline.apps.lbm.lattice.populations import Value
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.apps.lbm.setup.sides import Boundary
    from halocline.geometry import Offset
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Call

    _Ends = Mapping[int, tuple[Offset, Offset]]


def coupling_of_populations(
    velocity_set: VelocitySet, sides: Mapping[str, Boundary], f_next: str
) -> Coupling:
    """Return how populations of two levels make each other's.

    Args:
        velocity_set: The lattice.
        sides: What is at the sides of the domain.
        f_next: The name of the field that holds the populations of the step before.
    """

    def before(fine: Field) -> Field:
        assert fine.grid.state.forest is not None
        return fine.grid.state.forest.fields[f_next].level(fine.space.level)

    def passing(fine: Field, coarse: Field) -> list[Call]:
        return passing_corners(velocity_set, fine, before(fine), coarse)

    def returned(fine: Field, coarse: Field) -> list[Call]:
        return [
            *_coalescence(velocity_set, sides, fine, coarse),
            *returning_from_walls(velocity_set, sides, fine, before(fine), coarse),
        ]

    return Coupling(
        prolong=partial(_explosion, velocity_set),
        returned=returned,
        at_corners=passing,
        split=partial(regridded.split, velocity_set),
        merged=partial(regridded.merged, velocity_set),
    )


@hc.kernel
def stream(f: Any, f_next: Any, *, velocity_set: Any) -> None:
    """Let populations move on, and do not collide them."""
    here = (0,) * velocity_set.dimensions
    for i in range(len(velocity_set)):
        arriving = POST_COLLISION.arriving(f, velocity_set, i, here)
        POST_COLLISION.put(f_next, velocity_set, i, here, arriving)


def _explosion(velocity_set: VelocitySet, coarse: Field, fine: Field) -> list[Call]:
    """Return what shares the populations of coarse cells among their children."""
    grid = coarse.grid
    fields = {"coarse": coarse, **beside_border(coarse)}
    axes = range(velocity_set.dimensions)
    units = [tuple(int(a == axis) for a in axes) for axis in axes]
    between = {axis: (opposite(units[axis]), units[axis]) for axis in axes if grid.periodic[axis]}

    def values(child: Offset, f: Any, *symbols: Any) -> list[Value]:
        here = (0,) * len(child)
        profiles = _profiles(velocity_set, child, between, f, *symbols[:-1])
        return [add([f[i][here], *terms]) for i, terms in enumerate(profiles)]

    def slopes(ends: _Ends, child: Offset, f: Any, *symbols: Any) -> list[Value]:
        profiles = _profiles(velocity_set, child, ends, f, *symbols[:-1])
        return [add([symbols[-1][i][child], *terms]) for i, terms in enumerate(profiles)]

    result = [_with_slopes(from_coarser("explode", fields, fine, values), between)]
    # Beside a side there is no population beyond to see a slope by: it is that on the other side.
    for axis in (axis for axis in axes if not grid.periodic[axis]):
        n, here, ahead = grid.extent[axis], (0,) * len(axes), units[axis]
        for first, end, ends in (
            (0, 1, (here, ahead)),
            (1, n - 1, (opposite(ahead), ahead)),
            (n - 1, n, (opposite(ahead), here)),
        ):
            box = grid.domain.clip(axis, first, end)
            if not box.is_empty:
                added_up = partial(slopes, {axis: ends})
                call = from_coarser("explode_slopes", fields, fine, added_up, box)
                result.append(_with_slopes(call, {axis: ends}))
    return result


def _with_slopes(explosion: Call, ends: _Ends) -> Call:
    """Return an explosion for which no slope counts that leads to the finer level's place."""
    groups = tuple([tuple([end for end in pair if any(end)]) for pair in ends.values()])
    return replace(explosion, of_leaves=frozenset({"coarse"}), if_leaves=groups)


def _profiles(
    velocity_set: VelocitySet,
    child: Offset,
    ends: _Ends,
    f: Any,
    finer: Any,
    fluid: Any = None,
) -> list[list[Value]]:
    """Return what a child's populations differ by, since those along some axes beside do.

    Along an axis that the border crosses there is no slope; beside a solid cell that from the other
    side.

    Args:
        velocity_set: The lattice.
        child: The child.
        ends: From where to where slopes are taken, for each of the axes.
        f: Populations.
        finer: See 'beside_border'.
        fluid: The same.
    """
    across = _across(finer)
    profiles: list[list[Value]] = [[] for _ in velocity_set.velocities]
    for axis, (behind, ahead) in ends.items():
        is_known = (finer[ahead] == 0) & (finer[behind] == 0)
        for i, c in enumerate(velocity_set.velocities):
            slope = hc.where(is_known, _slope(f[i], ahead, behind, fluid), 0.0)
            if not c[axis]:
                profiles[i].append(_place(child, axis) * slope)
                continue
            for normal in (n for n in range(len(child)) if n != axis and c[n]):
                way = _place(child, axis) - c[axis] * c[normal] * _place(child, normal)
                if way:
                    profiles[i].append(hc.where(across[normal], way * slope, 0.0))
    return profiles


def _slope(f: Any, ahead: Offset, behind: Offset, fluid: Any) -> Value:
    """Return the difference of a population from cell to cell."""
    share = 1.0 / (sum(ahead) - sum(behind))
    if fluid is None:
        return share * (f[ahead] - f[behind])
    here = (0,) * len(ahead)
    high, low = (hc.where(fluid[o] != 0, f[o], f[here]) for o in (ahead, behind))
    is_between = (fluid[ahead] != 0) & (fluid[behind] != 0)
    return hc.where(is_between, share, 1.0) * (high - low)


def _place(child: Offset, axis: int) -> float:
    """Return where the middle of a child lies from that of its parent [coarse cells]."""
    return 0.25 if child[axis] else -0.25


def _coalescence(
    velocity_set: VelocitySet, sides: Mapping[str, Boundary], fine: Field, coarse: Field
) -> list[Call]:
    """Return what gives covered cells the populations that have left the finer level.

    Of those that leave the domain only mirrors ask.
    """
    groups: dict[Box, list[tuple[int, Offset]]] = {}
    in_mirrors: dict[Box, list[tuple[int, Offset]]] = {}
    for i, c in enumerate(velocity_set.velocities):
        for box, mirrored in _asked(coarse.grid, sides, c):
            group = in_mirrors if any(mirrored) else groups
            group.setdefault(box, []).append((i, mirrored))

    def body(populations: list[tuple[int, Offset]], f: Any, coarse: Any) -> None:
        for i, mirrored in populations:
            c = velocity_set.velocities[i]
            group = []
            for child in product((0, 1), repeat=len(c)):
                cell, image = _reflected(added(c, child), c, mirrored)
                group.append(f[velocity_set.velocities.index(image)][cell])
            coarse[i][(0,) * len(c)] = _mean(group)

    fields = {"fine": fine, "coarse": coarse}
    return [
        recorded("coalesce", user_place(), fields, partial(body, populations), {}, on=box)
        for box, populations in (*with_common(groups), *in_mirrors.items())
        if may_be_refined(coarse, box)
    ]


def _asked(grid: Grid, sides: Mapping[str, Boundary], c: Offset) -> Iterator[tuple[Box, Offset]]:
    """Yield where a population of covered cells is asked for, and through which mirrors it goes.

    These are the ends of axes, -1 or 1; 0 where it stays in the domain.
    """
    choices = []
    for axis, (n, end) in enumerate(zip(c, grid.extent, strict=True)):
        if not n or grid.periodic[axis]:
            choices.append([((0, end), 0)])
            continue
        choices.append([((max(-n, 0), end - max(n, 0)), 0)])
        if isinstance(sides.get(f"{AXES[axis]}{'-' if n < 0 else '+'}"), FreeSlip):
            choices[-1].append((((0, 1) if n < 0 else (end - 1, end)), n))
    for choice in product(*choices) if any(c) else ():
        box = Box(
            tuple(lower for (lower, _), _ in choice), tuple(upper for (_, upper), _ in choice)
        )
        if not box.is_empty:
            yield box, tuple(mirrored for _, mirrored in choice)


def _reflected(cell: Offset, c: Offset, mirrored: Offset) -> tuple[Offset, Offset]:
    """Return where a child is, seen in mirrors behind the cells at ends, and its population."""
    place, image = list(cell), list(c)
    for axis, end in enumerate(mirrored):
        if end and cell[axis] not in (0, 1):
            place[axis], image[axis] = (0 if end < 0 else 1), -c[axis]
    return tuple(place), tuple(image)


def _mean(values: list[Value]) -> Value:
    """Return the mean of values, two of which are added at a time: exact if all are the same."""
    count = len(values)
    while len(values) > 1:
        values = [a + b for a, b in zip(values[::2], values[1::2], strict=True)]
    return values[0] * (1.0 / count)


def _across(finer: Any) -> list[Value]:
    """Return for each axis whether a finer level begins beside a cell along it alone."""
    axes = range(finer.dimensions)
    ahead = [tuple(int(a == axis) for a in axes) for axis in axes]
    is_finer = [hc.maximum(finer[o], finer[tuple(-n for n in o)]) for o in ahead]
    count = is_finer[0]
    for beside in is_finer[1:]:
        count = count + beside
    return [(beside == 1) & (count == 1) for beside in is_finer]
