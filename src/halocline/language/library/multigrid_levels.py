"""The levels of a multigrid cycle: coarsened grids, or the levels of a forest and coarser ones.

A level without leaves, which covers the whole domain, has a correction of the solution. A level of
a forest that has leaves has the solution itself: its equation is that of the composite grid in
leaves, and under finer levels the one whose solution is the mean of the finer solution (full
approximation scheme: Brandt, Math. Comput. 31 (1977) 333, 'multi-level adaptive technique';
Trottenberg, Oosterlee and Schueller, Multigrid (2001), chapter 9). Its ghost cells are interpolated
linearly from the coarser level, and fluxes between levels are matched (see 'flux_matching.py').
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from halocline.errors import GridError, described
from halocline.frozen import Frozen
from halocline.language.expressions.operators import Value
from halocline.language.library.flux_matching import (
    check_reads_across_sides,
    finer_flux,
    flux_field,
    matched,
)
from halocline.language.library.relaxation import Steps, System, system
from halocline.language.place import user_place
from halocline.language.spaces.role import Kind, Role
from halocline.language.steps.steps import Call
from halocline.language.steps.trace import recorded
from halocline.language.steps.transfer import prolong, restrict
from halocline.language.steps.tree import mapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.language.expressions.parameters import Parameter
    from halocline.language.grids.composite import CompositeField
    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest
    from halocline.language.grids.grid import Grid

# Axes along which cells are so much wider than along others are not coarsened yet.
_ANISOTROPIC = 1.5
_TWO = 2


class Level(Frozen, kw_only=True):
    """The finest grid, or a level whose solution is a correction of the finer level's.

    Attributes:
        system: The system there.
        coefficients: Those of its operator.
        name: The name of the solution on the finest level.
        number: The level of a forest; None for grids.
    """

    system: System
    coefficients: tuple[Field, ...]
    name: str
    number: int | None = None

    @property
    def u(self) -> Field:
        """The solution."""
        return self.system.u

    def on(self, kind: Kind, steps: Iterable[Any]) -> Steps:
        """Return steps as they run on the blocks of a kind; of a grid, on all blocks."""
        if self.number is None:
            return tuple(steps)
        role = Role(kind, self.number)
        return mapped(steps, lambda s: [replace(s, role=role) if isinstance(s, Call) else s])

    def everywhere(self, steps: Iterable[Any]) -> Steps:
        """Return steps as they run in all cells of the level."""
        return self.on("leaf or covered", steps)

    def fill_ghosts(self, coarse: Level) -> Steps:
        """Return the steps that interpolate the solution in ghost cells."""
        return ()

    def couple(self, coarse: Level) -> Steps:
        """Return the steps that give this and the coarser level their shared values."""
        return ()

    def begin(self, fine: Level) -> Steps:
        """Return the steps that assign the right-hand side and the first guess."""
        restricted = fine.system.restrict_residual(self.system.f)
        return self.on("covered", [*restricted, _zeroed(self.u)])

    def correct(self, fine: Level) -> Steps:
        """Return the steps that correct the finer level's solution."""
        return fine.everywhere([prolong(self.u, fine.u, order=2, add=True)])

    def restrict_coefficients(self, fine: Level) -> Steps:
        """Return the steps that compute the coefficients from the finer level's."""
        pairs = zip(fine.coefficients, self.coefficients, strict=True)
        return self.on("covered", [restrict(*pair) for pair in pairs])

    def coarser(self, operator: Any, grid: Grid, number: int | None = None) -> Level:
        """Return the level of the correction on a coarser grid.

        Raises:
            GridError: A side has conditions that coarse levels cannot have.
        """
        u = _like(self.u, grid, f"correction_of_{self.name}")
        right = _like(self.u, grid, f"right_of_{self.name}")
        coefficients = tuple(_like(field, grid, field.name) for field in self.coefficients)
        for side in self.u.boundaries:
            u.boundary(side, homogeneous(self.u, side))
        for own, coarse in zip(self.coefficients, coefficients, strict=True):
            for side in own.boundaries:
                coarse.boundary(side, _on_whole_side(own, side))
        made = system(operator, u, right, coefficients)
        return Level(system=made, coefficients=coefficients, name=self.name, number=number)


class LevelWithLeaves(Level, kw_only=True):
    """A level of a forest that has leaves.

    Attributes:
        forest: The forest.
        f: The user's right-hand side.
        excess: What is subtracted from it; see 'Multigrid'.
    """

    number: int
    forest: Forest
    f: Field
    excess: Parameter | None

    @property
    def residual(self) -> Field:
        """The residual in leaves."""
        return _like(self.u, self.u.grid, f"residual_of_{self.name}")

    @property
    def change(self) -> Field:
        """The solution before it is solved as the coarser level, then how it has changed."""
        change = _like(self.u, self.u.grid, f"change_of_{self.name}")
        for side in self.u.boundaries:
            change.boundary(side, homogeneous(self.u, side))
        return change

    def fill_ghosts(self, coarse: Level) -> Steps:
        """Return the steps that interpolate the solution in ghost cells."""
        return self.on("ghost", [prolong(coarse.u, self.u, order=2)] if self.number else [])

    def fill_covered(self, coarse: Level) -> Steps:
        """Return the steps that average the solution in the coarser level's covered cells."""
        return coarse.on("covered", [restrict(self.u, coarse.u)] if self.number else [])

    def couple(self, coarse: Level) -> Steps:
        """Return the steps that give this and the coarser level their shared values."""
        return (*self.fill_covered(coarse), *self.fill_ghosts(coarse))

    def begin(self, fine: Level) -> Steps:
        """Return the steps that assign the right-hand side and the first guess."""
        right = self.system.f
        with_applied = Value(self.system.right) + Value(self.system.applied)
        return (
            *self.on("covered", fine.system.restrict_residual(right)),
            *self.on("covered", [self.system.assigning("add_applied", with_applied, right)]),
            *self.match_fluxes(fine),
            *self.everywhere([_copied(self.u, self.change)]),
        )

    def correct(self, fine: Level) -> Steps:
        """Return the steps that correct the finer level's solution."""
        return (
            *self.everywhere([_changed(self.u, self.change)]),
            *fine.everywhere([prolong(self.change, fine.u, order=2, add=True)]),
        )

    def match_fluxes(self, fine: Level) -> Steps:
        """Return the steps that assign the right-hand side of leaves, with the finer fluxes."""
        flux = flux_field(self.u)
        return (
            *self.on("covered", [finer_flux(fine.system, flux)]),
            *self.on("leaf", [matched(self.system, self.f, self.excess, flux, self.forest)]),
        )

    def measure(self) -> Steps:
        """Return the steps that assign the residual in leaves."""
        value = Value(self.system.residual)
        return self.on("leaf", [self.system.assigning("residual", value, self.residual)])

    def interpolate_coefficients(self, coarse: Level) -> Steps:
        """Return the steps that interpolate the coefficients in ghost cells."""
        pairs = zip(coarse.coefficients, self.coefficients, strict=True)
        return self.on("ghost", [prolong(*pair, order=2) for pair in pairs])


def levels_of_grid(
    agglomeration_threshold: int,
    operator: Any,
    u: Field,
    f: Field,
    coefficients: Sequence[Field],
    excess: Parameter | None,
) -> list[Level]:
    """Return the levels of a grid, the finest first, as far as it can be coarsened."""
    finest = system(operator, u, f, coefficients, excess)
    levels = [Level(system=finest, coefficients=tuple(coefficients), name=u.name)]
    while (ratio := _ratio(levels[-1].u.grid, finest.reach)) is not None:
        grid = levels[-1].u.grid.coarsen(ratio)
        is_small = prod(grid.extent[axis] for axis in u.space.axes) < agglomeration_threshold
        levels.append(levels[-1].coarser(operator, grid.replicated() if is_small else grid))
    return levels


def levels_of_forest(
    operator: Any,
    u: CompositeField,
    f: CompositeField,
    coefficients: Sequence[CompositeField],
    excess: Parameter | None,
) -> tuple[list[Level], list[LevelWithLeaves]]:
    """Return all levels, the finest first, and those with leaves among them.

    Raises:
        GridError: A side has conditions that coarse levels cannot have.
        KernelError: The fluxes of the operator are not known.
    """
    with_leaves = []
    for number in range(u.forest.levels):
        own = tuple(field.level(number) for field in coefficients)
        solution, given = u.level(number), f.level(number)
        if number + 1 == u.forest.levels:
            made = system(operator, solution, given, own, excess)
        else:
            right = _like(solution, solution.grid, f"right_of_{u.name}")
            made = system(operator, solution, right, own)
        with_leaves.append(
            LevelWithLeaves(
                system=made,
                coefficients=own,
                name=u.name,
                number=number,
                forest=u.forest,
                f=given,
                excess=excess,
            )
        )
    check_reads_across_sides(with_leaves[0].system)
    levels: list[Level] = list(reversed(with_leaves))
    extent = u.forest.grid.extent
    while all(n % _TWO == 0 and n > _TWO for n in extent):
        extent = tuple(n // _TWO for n in extent)
        number = len(with_leaves) - len(levels) - 1
        levels.append(levels[-1].coarser(operator, u.forest.level(number), number))
    return levels, with_leaves


def _like(field: Field, grid: Grid, name: str) -> Field:
    return grid.hidden_field(f"multigrid_{name}", dtype=field.dtype, axes=field.axes)


def _ratio(grid: Grid, reach: Sequence[int]) -> tuple[int, ...] | None:
    """Return by how much a grid is coarsened along each axis; None if it is coarse enough.

    A boundary mirrors as many cells as the operator reads beyond it.
    """
    widths = [float(np.min(width)) for width in grid.spacing]
    possible = [
        axis
        for axis, n in enumerate(grid.extent)
        if n % _TWO == 0
        and n >= _TWO * max(_TWO, reach[axis])
        and all(shift[axis] % _TWO == 0 for shift in grid.shifts)
    ]
    if not possible:
        return None
    narrow = _ANISOTROPIC * min(widths[axis] for axis in possible)
    return tuple(
        _TWO if axis in possible and widths[axis] <= narrow else 1
        for axis in range(grid.dimensions)
    )


def _on_whole_side(field: Field, side: str) -> Any:
    """Return the condition of a field on a side; refuse several."""
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
    """Return the condition of a field's correction on a side."""
    condition = _on_whole_side(field, side)
    if hasattr(condition, "homogeneous"):
        return condition.homogeneous()
    raise GridError(
        f"'hc.Multigrid' was given '{field.name}', whose boundary on side '{side}' is "
        f"{described(condition)}; expected hc.Dirichlet, hc.Neumann or hc.Robin.",
        hint="Corrections on coarse grids need the same condition with the value zero.",
        place=user_place(),
    )


def _zeroed(field: Field) -> Any:
    def begin(u: Any) -> None:
        u[u.here] = 0.0

    return recorded("begin", user_place(), {"u": field}, begin, {})


def _copied(source: Field, target: Field) -> Any:
    def copy(source: Any, target: Any) -> None:
        target[target.here] = source[source.here]

    fields = {"source": source, "target": target}
    return recorded("copy", user_place(), fields, copy, {})


def _changed(now: Field, change: Field) -> Any:
    def difference(now: Any, change: Any) -> None:
        change[change.here] = now[now.here] - change[change.here]

    return recorded("difference", user_place(), {"now": now, "change": change}, difference, {})
