"""Corners of a finer level: populations that go from coarse cell to coarse cell through it.

A diagonal population of a coarse cell X beside a corner arrives, after a coarse step, in a cell D
around the corner. Of its children some go through fine cells, where they collide: what leaves these
is another value, and the difference is handed on to D here. D gets it by populations of the finer
level's place, from the cell A beside both, with velocity c - s, and from the one behind that, with
c - 2 s, where s leads from X to A: 2 and -1 times, which is the same mass and the same momentum.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.geometry import AXES, Box, added
from halocline.language.place import user_place
from halocline.language.steps.trace import recorded

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from halocline.apps.lbm.populations import Value
    from halocline.apps.lbm.velocity_set import VelocitySet
    from halocline.geometry import Offset
    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Call

# The population that is changed, by how many times the difference, and how far away A is; the
# population that passes, and s.
_Term = tuple[int, float, "Offset", int, "Offset"]


def passing_corners(
    velocity_set: VelocitySet, fine: Field, before: Field, coarse: Field
) -> list[Call]:
    """Return what hands on to coarse cells what has passed through corners of the finer level.

    Args:
        velocity_set: The lattice.
        fine: Populations of the finer level after its first sub-step.
        before: Those before it.
        coarse: Populations of the coarser level, in covered cells those that leave.
    """
    groups: dict[Box, list[_Term]] = {}
    for term in _terms(velocity_set):
        groups.setdefault(_inside(coarse.grid, velocity_set, term), []).append(term)

    def body(terms: list[_Term], fine: Any, before: Any, coarse: Any, *beside: Any) -> None:
        here = (0,) * velocity_set.dimensions
        changes: dict[int, Value] = {}
        for term in terms:
            changed, times, *_ = term
            value = times * _difference(velocity_set, term, fine, before, *beside[1:])
            value = hc.where(_is_corner(velocity_set, term, *beside), value, 0.0)
            changes[changed] = changes[changed] + value if changed in changes else value
        for changed, value in changes.items():
            coarse[changed][here] = coarse[changed][here] + value

    fields = {"fine": fine, "before": before, "coarse": coarse, **beside_border(coarse)}
    return [
        recorded("pass_corners", user_place(), fields, partial(body, terms), {}, on=box)
        for box, terms in groups.items()
        if not box.is_empty
    ]


def _terms(velocity_set: VelocitySet) -> Iterator[_Term]:
    known = velocity_set.velocities
    for i, c in enumerate(known):
        for s in product(*((0, n) if n else (0,) for n in c)):
            if any(s) and s != c:
                ahead = _minus(c, s)
                here = (0,) * len(c)
                yield known.index(ahead), 2.0, here, i, s
                yield known.index(_minus(ahead, s)), -1.0, _minus(here, s), i, s


def _is_corner(velocity_set: VelocitySet, term: _Term, finer: Any, fluid: Any = None) -> Value:
    """Return whether a population passes through a corner to a fluid cell."""
    _, _, place, i, s = term
    end = added(place, _minus(velocity_set.velocities[i], s))
    found = (finer[place] == 1) & (finer[_minus(place, s)] == 0) & (finer[end] == 0)
    return found if fluid is None else found & (fluid[end] != 0)


def _difference(
    velocity_set: VelocitySet, term: _Term, fine: Any, before: Any, fluid: Any = None
) -> Value:
    """Return what leaves fine cells beside a corner less what came into them, over the children.

    If the cell X is solid, D has got back what it has sent there, in place of what came from X.

    Args:
        velocity_set: The lattice.
        term: Which population, and where.
        fine: Populations that leave.
        before: Those that came.
        fluid: Not zero in fluid cells of the coarser level; None if all are.
    """
    _, _, place, i, s = term
    c = velocity_set.velocities[i]
    # Towards X along s, towards D along the rest of the way; both along other axes.
    sides = [
        ((0,) if n > 0 else (1,)) if n else (((1,) if m > 0 else (0,)) if m else (0, 1))
        for n, m in zip(s, _minus(c, s), strict=True)
    ]
    first = tuple(2 * n for n in place)
    cells = [added(first, child) for child in product(*sides)]
    total: Value = None
    for cell in cells:
        came = before[i][_minus(cell, c)]
        if fluid is not None:
            sent = before[velocity_set.opposites[i]][added(cell, c)]
            came = hc.where(fluid[_minus(place, s)] != 0, came, sent)
        change = fine[i][cell] - came
        total = change if total is None else total + change
    assert total is not None
    return 0.5**velocity_set.dimensions * total


def _inside(grid: Grid, velocity_set: VelocitySet, term: _Term) -> Box:
    """Return the cells from which all that a term concerns lies inside the domain."""
    _, _, place, i, s = term
    c = velocity_set.velocities[i]
    seen = [place, _minus(place, s), added(place, _minus(c, s))]
    lower, upper = [], []
    for axis, (n, is_periodic) in enumerate(zip(grid.extent, grid.periodic, strict=True)):
        offsets = [0] if is_periodic else [offset[axis] for offset in seen]
        lower.append(max(0, -min(offsets)))
        upper.append(min(n, n - max(offsets)))
    return Box(tuple(lower), tuple(upper))


def _minus(one: Offset, other: Offset) -> Offset:
    return tuple(a - b for a, b in zip(one, other, strict=True))


def beside_border(coarse: Field) -> dict[str, Field]:
    """Return what is known of cells along borders, by the names that kernels have for it."""
    forest = coarse.grid.held.forest
    assert forest is not None
    level = coarse.space.level
    fluid = forest.fields.get("fluid")
    return {"finer": _finer(forest, level)} | ({"fluid": fluid.level(level)} if fluid else {})


def _finer(forest: Forest, level: int) -> Field:
    """Return the field that is 1 in cells of whose place a finer level has, else 0."""
    known = forest.level(level).hidden_field("finer", dtype="uint8", axes=AXES[: forest.dimensions])
    if known.given is None:  # asked for again by every sub-step
        known.set(partial(_is_finer, forest, level))
        for side in forest.sides:
            known.boundary(side, _not_finer)
    return known


@hc.kernel
def _not_finer(finer: Any) -> None:
    finer[(0,) * finer.dimensions] = 0


def _is_finer(forest: Forest, level: int, *coordinates: NDArray[np.float64]) -> NDArray[np.bool_]:
    return forest.is_refined_at(level, forest.cells_at(level, coordinates))
