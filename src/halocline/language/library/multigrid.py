"""Geometric multigrid: a linear system is relaxed on grids of one family, each coarser by two.

All follows from the operator, a function as that of a kernel: the relaxation on each grid from
what it reads, the operators of coarse grids by calling it again. Residuals are restricted as means,
corrections prolonged linearly. 'multigrid_levels.py' has the levels. Trottenberg, Oosterlee and
Schueller, Multigrid (2001), sections 2.4, 2.6 (F-cycle) and 2.8.4 (values in cells).

Grids of few cells are replicated: each block has and computes all of them, so that nothing is sent
on them and no block needs to have a cell of the coarsest (section 6.3.2 there: agglomeration, here
by redundancy). It costs an exchange among all ranks on the way to the first of these grids.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError, KernelError, described
from halocline.language.expressions.functions import maximum
from halocline.language.expressions.parameters import Parameter
from halocline.language.grids.composite import CompositeField, at_level, forest_of
from halocline.language.grids.fields import Field
from halocline.language.grids.grid import same_family
from halocline.language.library.coarsest import constant_part, is_held, relaxed_out
from halocline.language.library.multigrid_levels import (
    Level,
    LevelWithLeaves,
    levels_of_forest,
    levels_of_grid,
)
from halocline.language.numbers import Range, whole_number
from halocline.language.place import user_place
from halocline.language.steps.loops import assign
from halocline.language.steps.steps import Reduction

if TYPE_CHECKING:
    from halocline.language.library.relaxation import Steps

Operator = Callable[..., Any]

CYCLES = ("V", "F")
_TWO = 2


class Multigrid:
    """Solve A u = f by multigrid cycles.

    Args:
        operator: A function of the field u and of the coefficients that returns A u in a cell, such
            as 'lambda u: hc.laplacian(u)': linear in u.
        u: The field that has a first guess and gets the solution; give it its boundaries before.
            All are fields of a grid, or of a forest.
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
        residual: The greatest absolute value of f - A u - excess: a step like any reduction.
        excess: A parameter: the constant that is subtracted from f. If A u = 0 for a constant u and
            no side holds u, only one such constant leaves a system that has a solution; cycles
            find it. Otherwise it is 0.

    Raises:
        GridError: The fields are not alike, or the grid cannot be coarsened.
        KernelError: The operator is no function, or not one of the value in the cell.

    Example:
        >>> grid = hc.Grid((64, 64), periodic=True)
        >>> u, f = grid.field("u"), grid.field("f")
        >>> poisson = hc.Multigrid(lambda u: -hc.laplacian(u), u, f)
        >>> solve = hc.until(poisson.residual < 1e-8, *poisson.cycle)
    """

    cycle: Steps
    update: Steps
    residual: Parameter
    excess: Parameter

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
        self._smoothing = _checked_smoothing(smoothing)
        threshold = whole_number(
            "'agglomeration_threshold'", agglomeration_threshold, Range(least=0)
        )
        is_on_forest = forest_of((u, f, coefficients), "'hc.Multigrid'") is not None
        first = _check(operator, u, f, coefficients, cycle, is_on_forest=is_on_forest)
        self.excess = Parameter(0.0, f"excess of {f.name}")
        excess = None if is_held(first) else self.excess
        given: Any = (operator, u, f, tuple(coefficients), excess)  # checked: all of one kind
        with_leaves: list[LevelWithLeaves] = []
        if is_on_forest:
            self._levels, with_leaves = levels_of_forest(*given)
        else:
            self._levels = levels_of_grid(threshold, *given)
        self._coarsest = relaxed_out(self._levels[-1], first)
        found: Steps = ()
        if excess is not None:
            shift, further = constant_part(self._levels[-1])
            self._coarsest += shift
            found = (assign(excess, excess + further),)
        self.cycle = (*self._cycle(0, cycle), *found, *_measured(with_leaves))
        self.update = _updated(self._levels, with_leaves)
        self.residual = (
            _greatest_residual(with_leaves)
            if is_on_forest
            else self._levels[0].system.greatest_residual()
        )

    def _cycle(self, number: int, kind: str) -> Steps:
        """Return the steps of a cycle that begins at a level."""
        level = self._levels[number]
        if number + 1 == len(self._levels):
            return self._coarsest
        coarse = self._levels[number + 1]
        relax = level.everywhere(level.system.relax())
        before, after = self._smoothing
        correct = self._cycle(number + 1, kind)
        if kind == "F":
            correct = (*correct, *self._cycle(number + 1, "V"))
        return (
            *level.couple(coarse),
            *(relax * before),
            *level.couple(coarse),
            *coarse.begin(level),
            *correct,
            *coarse.correct(level),
            *level.fill_ghosts(coarse),
            *(relax * after),
        )


def _updated(levels: Sequence[Level], with_leaves: Sequence[LevelWithLeaves]) -> Steps:
    """Return the steps that bring the coefficients to coarser levels, and to ghost cells."""
    return (
        *(s for fine, coarse in pairwise(levels) for s in coarse.restrict_coefficients(fine)),
        *(s for low, high in pairwise(with_leaves) for s in high.interpolate_coefficients(low)),
    )


def _measured(levels: Sequence[LevelWithLeaves]) -> Steps:
    """Return the steps that compute the residual in all leaves.

    Args:
        levels: The levels with leaves, the coarsest first.
    """
    pairs = list(pairwise(levels))
    return (
        *(s for coarse, fine in reversed(pairs) for s in fine.fill_covered(coarse)),
        *(s for coarse, fine in pairs for s in fine.fill_ghosts(coarse)),
        *(s for coarse, fine in pairs for s in (*coarse.match_fluxes(fine), *coarse.measure())),
        *(s for level in levels[-1:] for s in level.measure()),
    )


def _greatest_residual(levels: Sequence[LevelWithLeaves]) -> Parameter:
    """Return the greatest absolute value of the residual in all leaves."""
    extremes: list[Parameter] = []
    for level in levels:
        level.residual.set(np.inf)  # until it has been computed
        name = f"residual of {level.u.name}"
        extremes += [Reduction("max", level.residual, name)]
        extremes += [-Reduction("min", level.residual, f"- {name}")]
    greatest: Parameter = reduce(maximum, extremes)
    return greatest


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


def _check(
    operator: Any, u: Any, f: Any, coefficients: Any, cycle: str, *, is_on_forest: bool
) -> Field:
    """Return the solution on a grid, or on the coarsest level of a forest; refuse what is none."""
    if isinstance(coefficients, Field | CompositeField):
        raise KernelError(
            f"'hc.Multigrid' was given '{coefficients.name}' as coefficients; expected a list.",
            hint=f"Write coefficients=[{coefficients.name}].",
            place=user_place(),
        )
    kind, expected = (
        (CompositeField, "fields of one forest") if is_on_forest else (Field, "a field")
    )
    for field in (u, f, *coefficients):
        if not isinstance(field, kind):
            beside = " beside fields of a forest" * is_on_forest
            raise GridError(
                f"'hc.Multigrid' was given {described(field)}{beside}; expected {expected}.",
                place=user_place(),
            )
    if is_on_forest:
        u, f, coefficients = at_level((u, f, list(coefficients)), 0)
    if not callable(operator) or isinstance(operator, Field):
        raise KernelError(
            f"'hc.Multigrid' was given {described(operator)} as operator; expected a function of a "
            "field that returns what the operator makes of it in a cell.",
            place=user_place(),
        )
    try:
        inspect.signature(operator).bind(u, *coefficients)
    except TypeError as error:
        raise KernelError(
            f"'hc.Multigrid' was given an operator that cannot take '{u.name}' and "
            f"{len(coefficients)} coefficients: {error}.",
            hint="It takes the solution first, then one argument for each of 'coefficients'.",
            place=user_place(),
        ) from None
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
    solution: Field = u
    return solution
