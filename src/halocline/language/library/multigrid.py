"""Geometric multigrid: a linear system is relaxed on grids of one family, each coarser by two.

All follows from the operator, a function as that of a kernel: the relaxation on each grid from
what it reads, the operators of coarse grids by calling it again. Residuals are restricted as means,
corrections prolonged linearly. Trottenberg, Oosterlee and Schueller, Multigrid (2001), sections
2.4, 2.6 (F-cycle) and 2.8.4 (values in cells).

Grids of few cells are replicated: each block has and computes all of them, so that nothing is sent
on them and no block needs to have a cell of the coarsest (section 6.3.2 there: agglomeration, here
by redundancy). It costs an exchange among all ranks on the way to the first of these grids.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from halocline.errors import GridError, KernelError, described
from halocline.language.grids.composite import CompositeField, at_level, forest_of
from halocline.language.grids.fields import Field
from halocline.language.grids.grid import same_family
from halocline.language.library.coarse_sides import homogeneous, on_whole_side
from halocline.language.library.coarsest import relaxed_out
from halocline.language.library.composite_multigrid import composite
from halocline.language.library.relaxation import System, system
from halocline.language.numbers import Range, whole_number
from halocline.language.place import user_place
from halocline.language.steps.trace import recorded
from halocline.language.steps.transfer import prolong, restrict

if TYPE_CHECKING:
    from halocline.language.expressions.parameters import Parameter
    from halocline.language.grids.grid import Grid

Operator = Callable[..., Any]
Steps = tuple[Any, ...]

CYCLES = ("V", "F")
# Axes along which cells are so much wider than along others are not coarsened yet.
_ANISOTROPIC = 1.5
_TWO = 2


class Multigrid:
    """Solves A u = f.

    Args:
        operator: A function of the field u and of the coefficients that returns A u in a cell, such
            as 'lambda u: hc.laplacian(u)': linear in u.
        u: The field that has a first guess and gets the solution; give it its boundaries before.
            All are fields of a grid, or of a forest, see 'composite_multigrid.py'.
        f: The right-hand side, a field like u.
        coefficients: Further fields that the operator reads.
        cycle: 'V', or 'F', which does more on coarse grids.
        smoothing: Relaxations before and after a correction by the coarser grid.
        agglomeration_threshold: Coarse grids of fewer cells are replicated; blocks are cut at
            multiples of the cells of the first of these. Each rank gets and computes all of them.
            Of a forest's levels those coarser than all leaves have one rank where they have fewer
            than 4096 cells.

    Attributes:
        cycle: The steps of one cycle.
        update: Steps that bring the coefficients to coarse grids: to be done before the first
            cycle, and again when they have changed.
        residual: The greatest absolute value of f - A u: a step like any reduction.

    Raises:
        GridError: The fields are not alike, or the grid cannot be coarsened.
        KernelError: The operator is no function, or not one of the value in the cell.
    """

    cycle: Steps
    update: Steps
    residual: Parameter

    def __init__(  # noqa: PLR0913 (editors show them)
        self,
        operator: Operator,
        u: Field | CompositeField,
        f: Field | CompositeField,
        *,
        coefficients: Sequence[Field | CompositeField] = (),
        cycle: str = "V",
        smoothing: tuple[int, int] = (2, 1),
        agglomeration_threshold: int = 4096,
    ) -> None:
        smoothing = _checked_smoothing(smoothing)
        agglomeration_threshold = whole_number(
            "'agglomeration_threshold'", agglomeration_threshold, Range(least=0)
        )
        if forest_of((u, f, coefficients), "'hc.Multigrid'") is None:
            on_grid = cast("tuple[Field, Field, Sequence[Field]]", (u, f, coefficients))
            _check(operator, *on_grid, cycle)
            self._on_grids(operator, *on_grid, agglomeration_threshold)
            self._smoothing = smoothing
            self.cycle = self._cycle(0, cycle)
        else:
            _check_composite(operator, u, f, coefficients, cycle)
            on_forest = cast(
                "tuple[CompositeField, CompositeField, Sequence[CompositeField]]",
                (u, f, coefficients),
            )
            made = composite(operator, *on_forest, cycle, smoothing)
            self.cycle, self.update, self.residual = made

    def _on_grids(
        self,
        operator: Operator,
        u: Field,
        f: Field,
        coefficients: Sequence[Field],
        agglomeration_threshold: int,
    ) -> None:
        """Take the levels of a grid as far as it can be coarsened."""
        levels = [_Level(system(operator, u, f, coefficients), tuple(coefficients))]
        while (ratio := _ratio(levels[-1].grid)) is not None:
            grid = levels[-1].grid.coarsen(ratio)
            is_small = prod(grid.extent[axis] for axis in u.space.axes) < agglomeration_threshold
            levels.append(levels[-1].on(grid.replicated() if is_small else grid, operator))
        self._levels = levels
        self.update = tuple(
            restrict(one, other)
            for fine, coarse in pairwise(levels)
            for one, other in zip(fine.coefficients, coarse.coefficients, strict=True)
        )
        self.residual = levels[0].system.greatest_residual()

    def _cycle(self, number: int, kind: str) -> Steps:
        """Return the steps of a cycle that begins at a level."""
        level = self._levels[number]
        if number + 1 == len(self._levels):
            return relaxed_out(level.system, self._levels[0].u)
        relax = level.system.relax()
        coarse = self._levels[number + 1]
        before, after = self._smoothing
        correct = self._cycle(number + 1, kind)
        if kind == "F":
            correct = (*correct, *self._cycle(number + 1, "V"))
        return (
            *(relax * before),
            *level.system.restrict_residual(coarse.system.f),
            _zero(coarse.u),
            *correct,
            prolong(coarse.u, level.u, order=2, add=True),
            *(relax * after),
        )


@dataclass(frozen=True, slots=True)
class _Level:
    """The system on one grid, and the coefficients of its operator."""

    system: System
    coefficients: tuple[Field, ...]

    @property
    def u(self) -> Field:
        return self.system.u

    @property
    def grid(self) -> Grid:
        return self.u.grid

    def on(self, grid: Grid, operator: Operator) -> _Level:
        """Return the system for the correction on a coarser grid."""

        def like(field: Field, name: str) -> Field:
            return grid.hidden_field(f"multigrid_{name}", dtype=field.dtype, axes=field.axes)

        u, f = like(self.u, "correction"), like(self.u, "right")
        coefficients = tuple(like(field, field.name) for field in self.coefficients)
        for side in self.u.boundaries:
            u.boundary(side, homogeneous(self.u, side))
        for fine, coarse in zip(self.coefficients, coefficients, strict=True):
            for side in fine.boundaries:
                coarse.boundary(side, on_whole_side(fine, side))
        return _Level(system(operator, u, f, coefficients), coefficients)


def _zero(field: Field) -> Any:
    def begin(u: Any) -> None:
        u[u.here] = 0.0

    return recorded("begin", user_place(), {"u": field}, begin, {})


def _ratio(grid: Grid) -> tuple[int, ...] | None:
    """Return by how much a grid is coarsened along each axis; None if it is coarse enough."""
    widths = [float(np.min(width)) for width in grid.spacing]
    possible = [
        axis
        for axis, n in enumerate(grid.extent)
        if n % _TWO == 0 and n > _TWO and all(shift[axis] % _TWO == 0 for shift in grid.shifts)
    ]
    if not possible:
        return None
    narrow = _ANISOTROPIC * min(widths[axis] for axis in possible)
    return tuple(
        _TWO if axis in possible and widths[axis] <= narrow else 1
        for axis in range(grid.dimensions)
    )


def _checked_smoothing(smoothing: Any) -> tuple[int, int]:
    counts = tuple(smoothing) if np.iterable(smoothing) else (smoothing,)
    if len(counts) != _TWO or not any(counts):
        raise KernelError(
            f"'hc.Multigrid' was given smoothing = {described(smoothing)}; expected two numbers of "
            "relaxations, before and after, not both 0.",
            place=user_place(),
        )
    before, after = (whole_number("'smoothing'", count, Range(least=0)) for count in counts)
    return before, after


def _check_composite(
    operator: Any, u: Any, f: Any, coefficients: Sequence[Any], cycle: str
) -> None:
    _check_list(coefficients)
    for field in (u, f, *coefficients):
        if not isinstance(field, CompositeField):
            raise GridError(
                f"'hc.Multigrid' was given {described(field)} beside fields of a forest; expected "
                "fields of one forest.",
                place=user_place(),
            )
    _check(operator, u.level(0), f.level(0), at_level(list(coefficients), 0), cycle)


def _check_list(coefficients: Any) -> None:
    if isinstance(coefficients, Field | CompositeField):
        raise KernelError(
            f"'hc.Multigrid' was given '{coefficients.name}' as coefficients; expected a list.",
            hint=f"Write coefficients=[{coefficients.name}].",
            place=user_place(),
        )


def _check(operator: Any, u: Any, f: Any, coefficients: Sequence[Any], cycle: str) -> None:
    if not callable(operator) or isinstance(operator, Field):
        raise KernelError(
            f"'hc.Multigrid' was given {described(operator)} as operator; expected a function of a "
            "field that returns what the operator makes of it in a cell.",
            place=user_place(),
        )
    _check_list(coefficients)
    try:
        inspect.signature(operator).bind(u, *coefficients)
    except TypeError as error:
        raise KernelError(
            f"'hc.Multigrid' was given an operator that cannot take '{u.name}' and "
            f"{len(coefficients)} coefficients: {error}.",
            hint="It takes the solution first, then one argument for each of 'coefficients'.",
            place=user_place(),
        ) from None
    for field in (u, f, *coefficients):
        if not isinstance(field, Field):
            raise KernelError(
                f"'hc.Multigrid' was given {described(field)}; expected a field.",
                place=user_place(),
            )
    same_family((u, f, *coefficients), "'hc.Multigrid'")
    if u is f or u.space != f.space or u.type_as("") != f.type_as("") or u.components > 1:
        raise GridError(
            f"'hc.Multigrid' was given '{u.name}' and '{f.name}'; expected two fields of the same "
            "cells and type, with one component.",
            place=user_place(),
        )
    if u.location != "center" or not u.dtype.startswith("float"):
        raise GridError(
            f"'hc.Multigrid' was given '{u.name}' of type {u.dtype} at '{u.location}'; expected "
            "floats in the middle of cells.",
            place=user_place(),
        )
    if cycle not in CYCLES:
        raise KernelError(
            f"'hc.Multigrid' was asked for the cycle {cycle!r}; expected 'V' or 'F'.",
            place=user_place(),
        )
