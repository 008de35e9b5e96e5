"""Corners of a finer level: populations that go from coarse cell to coarse cell through it.

A diagonal population of a coarse cell X beside a corner arrives, after a coarse step, in a cell D
around the corner. Of its children some go through fine cells, where they collide: what leaves these
is another value, and the difference is handed on to D here. D gets it by populations of the finer
level's place, with the same mass and the same momentum: from the cell A beside both, with velocity
c - s, where s leads from X to A; and for each axis n of s once more from there, less from the one
behind that, A + n, with c - s - n. At corners in space that one may lie outside: then from A - n,
with c - s + n, less from A.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

import halocline as hc
from halocline.apps.lbm.refinement.regions import may_be_refined, with_common
from halocline.geometry import AXES, Box, added, opposite
from halocline.language.expressions.promotion import computed
from halocline.language.place import user_place
from halocline.language.steps.trace import recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from halocline.apps.lbm.lattice.populations import Value
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.geometry import Offset
    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Call


class _Passing(NamedTuple):
    """What passes through the fine cells of a cell A.

    Attributes:
        population: That of X, with velocity c.
        s: See above.
        ahead: Where D lies, seen from A: c - s.
    """

    population: int
    s: Offset
    ahead: Offset

    @property
    def seen(self) -> list[Offset]:
        """Where A, X and D lie, seen from A."""
        return [(0,) * len(self.s), opposite(self.s), self.ahead]


class _Term(NamedTuple):
    """What a covered cell hands on of what passes.

    Attributes:
        changed: The population that is changed.
        place: How far away A is.
        passing: What passes there.
        times: By how many times the difference it is changed; besides for each axis in 'choices'.
        choices: A way n, and how many times if A + n is a finer level's, and if not.
    """

    changed: int
    place: Offset
    passing: _Passing
    times: float
    choices: tuple[tuple[Offset, float, float], ...] = ()


def passing_corners(
    velocity_set: VelocitySet, fine: Field, before: Field, coarse: Field
) -> list[Call]:
    """Return what hands on to coarse cells what has passed through corners of the finer level.

    A first kernel finds each difference in A itself, where alone it needs populations of the finer
    level. A second one hands the differences of all cells around on.

    Args:
        velocity_set: The lattice.
        fine: Populations of the finer level after its first sub-step.
        before: Those before it.
        coarse: Populations of the coarser level, in covered cells those that leave.
    """
    terms = list(_terms(velocity_set))
    every = list(dict.fromkeys(term.passing for term in terms))
    differences = coarse.grid.hidden_field(
        "passing_corners", dtype=computed(coarse.dtype), axes=coarse.axes, components=len(every)
    )

    def find(
        passing: list[_Passing], fine: Any, before: Any, difference: Any, *beside: Any
    ) -> None:
        for one in passing:
            found = _difference(velocity_set, one, fine, before, *beside[1:])
            difference[every.index(one)][difference.here] = found

    def hand_on(terms: list[_Term], difference: Any, coarse: Any, *beside: Any) -> None:
        changes: dict[int, Value] = {}
        for term in terms:
            value = _times(term, beside[0]) * difference[every.index(term.passing)][term.place]
            value = hc.where(_is_corner(term, *beside), value, 0.0)
            changed = term.changed
            changes[changed] = changes[changed] + value if changed in changes else value
        for changed, value in changes.items():
            coarse[changed][coarse.here] = coarse[changed][coarse.here] + value

    # At an edge between the same two ways out, what passes either way.
    by_ways: dict[tuple[Offset, ...], list[_Passing]] = {}
    for one in every:
        by_ways.setdefault(tuple(sorted([opposite(one.s), one.ahead])), []).append(one)
    where_changed: dict[Box, list[_Term]] = {}
    for term in terms:
        seen = [added(term.place, way) for way in term.passing.seen]
        where_changed.setdefault(_inside(coarse.grid, seen), []).append(term)
    fields = {"fine": fine, "before": before, "difference": differences}
    found: list[Call] = []
    for ways, those in by_ways.items():
        box = _inside(coarse.grid, those[0].seen)
        calls = _calls("find_differences", find, {box: those}, fields, coarse)
        found += [replace(call, towards_leaves=ways) for call in calls]
    fields = {"difference": differences, "coarse": coarse}
    return [*found, *_calls("pass_corners", hand_on, where_changed, fields, coarse)]


def _calls(
    name: str,
    body: Callable[..., None],
    groups: Mapping[Box, Sequence[Any]],
    fields: Mapping[str, Field],
    coarse: Field,
) -> list[Call]:
    """Return a kernel for each box of cells where the same is done, if it may be refined."""
    fields = {**fields, **beside_border(coarse)}
    return [
        recorded(name, user_place(), fields, partial(body, those), {}, on=box)
        for box, those in with_common(groups)
        if may_be_refined(coarse, box)
    ]


def _terms(velocity_set: VelocitySet) -> Iterator[_Term]:
    velocities = velocity_set.velocities
    for i, c in enumerate(velocities):
        for s in product(*((0, n) if n else (0,) for n in c)):
            if any(s) and s != c:
                yield from _handed_on(velocities, _Passing(i, s, _minus(c, s)))


def _handed_on(velocities: Sequence[Offset], passing: _Passing) -> Iterator[_Term]:
    _, s, ahead = passing
    here = (0,) * len(s)
    ways = [tuple(m if a == axis else 0 for a, m in enumerate(s)) for axis, n in enumerate(s) if n]
    if len(ways) == 1:
        # X lies outside, so that A + n is inside.
        yield _Term(velocities.index(ahead), here, passing, 2.0)
        yield _Term(velocities.index(_minus(ahead, s)), _minus(here, s), passing, -1.0)
        return
    yield _Term(velocities.index(ahead), here, passing, 1.0, tuple((n, 1.0, -1.0) for n in ways))
    for n in ways:
        behind, before = velocities.index(_minus(ahead, n)), velocities.index(added(ahead, n))
        yield _Term(behind, _minus(here, n), passing, 0.0, ((n, -1.0, 0.0),))
        yield _Term(before, n, passing, 0.0, ((n, 0.0, 1.0),))


def _times(term: _Term, finer: Any) -> Value:
    total: Value = term.times
    for n, inside, outside in term.choices:
        total = total + hc.where(finer[added(term.place, n)] == 1, inside, outside)
    return total


def _is_corner(term: _Term, finer: Any, fluid: Any = None) -> Value:
    """Return whether a population passes through a corner to a fluid cell."""
    place, (_, s, ahead) = term.place, term.passing
    end = added(place, ahead)
    is_corner = (finer[place] == 1) & (finer[_minus(place, s)] == 0) & (finer[end] == 0)
    return is_corner if fluid is None else is_corner & (fluid[end] != 0)


def _difference(
    velocity_set: VelocitySet, passing: _Passing, fine: Any, before: Any, fluid: Any = None
) -> Value:
    """Return what leaves fine cells beside a corner less what came into them, over the children.

    If the cell X is solid, D has got back what it has sent there, in place of what came from X.

    Args:
        velocity_set: The lattice.
        passing: Which population, and how it passes.
        fine: Populations that leave.
        before: Those that came.
        fluid: Not zero in fluid cells of the coarser level; None if all are.
    """
    i, s, ahead = passing
    c = velocity_set.velocities[i]
    # Towards X along s, towards D along the rest of the way; both along other axes.
    sides = [
        ((0,) if n > 0 else (1,)) if n else (((1,) if m > 0 else (0,)) if m else (0, 1))
        for n, m in zip(s, ahead, strict=True)
    ]
    total: Value = None
    for cell in product(*sides):
        came = before[i][_minus(cell, c)]
        if fluid is not None:
            sent = before[velocity_set.opposites[i]][added(cell, c)]
            came = hc.where(fluid[opposite(s)] != 0, came, sent)
        change = fine[i][cell] - came
        total = change if total is None else total + change
    assert total is not None
    return 0.5**velocity_set.dimensions * total


def _inside(grid: Grid, seen: Sequence[Offset]) -> Box:
    """Return the cells from which some offsets lead to cells inside the domain."""
    lower, upper = [], []
    for axis, (n, is_periodic) in enumerate(zip(grid.extent, grid.periodic, strict=True)):
        offsets = [0] if is_periodic else [offset[axis] for offset in seen]
        lower.append(max(0, -min(offsets)))
        upper.append(min(n, n - max(offsets)))
    return Box(tuple(lower), tuple(upper))


def _minus(a_offset: Offset, b_offset: Offset) -> Offset:
    return tuple(a - b for a, b in zip(a_offset, b_offset, strict=True))


def beside_border(coarse: Field) -> dict[str, Field]:
    """Return what is known of cells along borders, by the names that kernels have for it."""
    forest = coarse.grid.state.forest
    assert forest is not None
    level = coarse.space.level
    fluid = forest.fields.get("fluid")
    return {"finer": _finer(forest, level)} | ({"fluid": fluid.level(level)} if fluid else {})


def _finer(forest: Forest, level: int) -> Field:
    """Return the field that is 1 in cells of whose place a finer level has, else 0."""
    finer = forest.level(level).hidden_field("finer", dtype="uint8", axes=AXES[: forest.dimensions])
    if finer.given is None:  # asked for again by every sub-step
        finer.set(partial(_is_finer, forest, level))
        for side in forest.sides:
            finer.boundary(side, _not_finer)
    return finer


@hc.kernel
def _not_finer(finer: Any) -> None:
    finer[(0,) * finer.dimensions] = 0


def _is_finer(forest: Forest, level: int, *coordinates: NDArray[np.float64]) -> NDArray[np.bool_]:
    return forest.is_refined_at(level, forest.cells_at(level, coordinates))
