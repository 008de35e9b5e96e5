"""The coarsest level of a multigrid: few enough cells that relaxation alone solves there.

Relaxation hardly changes the constant part of a solution that no side holds. That is the correction
on a grid of a single cell, a step coarser than the coarsest (Galerkin's): Trottenberg, Oosterlee
and Schueller, Multigrid (2001), section 5.6.4. Where the operator makes nothing of a constant, the
residual has a mean instead that no solution can make zero.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError
from halocline.language.expressions import operators
from halocline.language.expressions.expr import Scalar, Unary
from halocline.language.expressions.functions import where
from halocline.language.library.multigrid_levels import homogeneous
from halocline.language.place import user_place
from halocline.language.steps.steps import Reduction, repeat
from halocline.language.steps.trace import recorded

if TYPE_CHECKING:
    from halocline.language.expressions.parameters import Parameter
    from halocline.language.grids.fields import Field
    from halocline.language.library.multigrid_levels import Level
    from halocline.language.library.relaxation import Steps

# More cells along an axis would take too many relaxations.
_WIDEST = 40
_LEAST_RELAXATIONS = 4
# A sum of so few roundings counts as zero.
_ROUNDINGS = 64


def is_held(u: Field) -> bool:
    """Return whether a boundary holds a field: prescribes more than its derivative."""
    parts = [part for parts in u.boundaries.values() for part in parts]
    return any(getattr(part.condition, "a", 1) != 0 for part in parts)


def relaxed_out(level: Level, given: Field) -> Steps:
    """Return the steps that solve on the coarsest level, but for a constant.

    Args:
        level: The level.
        given: The solution on the finest grid.

    Raises:
        GridError: There are too many cells along an axis.
    """
    grid = level.u.grid
    widest = max(grid.extent[axis] for axis in level.u.space.axes)
    if widest > _WIDEST:
        raise GridError(
            f"'hc.Multigrid' was given '{given.name}' on a grid of {given.grid.extent} cells, "
            f"which can be coarsened by two as far as {grid.extent}; expected {_WIDEST} cells "
            "or fewer along each axis then.",
            hint="Choose numbers of cells that a high power of two divides.",
            place=user_place(),
        )
    count = max(_LEAST_RELAXATIONS, widest * widest // 2)
    return (repeat(count, *level.everywhere(level.system.relax())),)


def constant_part(level: Level) -> tuple[Steps, Parameter]:
    """Return the steps that add the constant part of the solution, and the excess.

    They add the constant after which the residuals of the coarsest level sum to zero. Where the
    operator makes nothing of a constant, they add none; then the excess is the mean of the residual
    afterwards, else 0.
    """
    system, u = level.system, level.u

    def like(name: str) -> Field:
        name = f"multigrid_{name}_of_{level.name}"
        return u.grid.hidden_field(name, dtype=u.dtype, axes=u.axes)

    ones, rows, residual = like("ones"), like("rows"), like("unbalanced")
    ones.set(1.0)
    for side in u.boundaries:
        ones.boundary(side, homogeneous(u, side))
    least = float(_ROUNDINGS * np.finfo(u.dtype).eps)

    def measure(rows: Any, *_: Any) -> None:
        made = operators.Value(system.applied)
        diagonal = operators.Value(Unary("abs", system.diagonal))
        rows[rows.here] = where(abs(made) > least * diagonal, made, 0.0)

    def shift(u: Any) -> None:
        u[u.here] = u[u.here] + operators.Value(Scalar("constant"))

    place = user_place()
    total, left = Reduction("sum", rows, "rows"), Reduction("sum", residual, "unbalanced")
    is_changed = abs(total) > 0.0
    constant = where(is_changed, left / where(is_changed, total, 1.0), 0.0)
    steps = (
        recorded("measure", place, {"rows": rows, **system.fields, "u": ones}, measure, {}),
        system.assigning("leave", operators.Value(system.residual), residual),
        total,
        left,
        recorded("shift", place, {"u": u}, shift, {"constant": constant}),
    )
    cells = prod(u.grid.extent[axis] for axis in u.space.axes)
    return level.everywhere(steps), where(is_changed, 0.0, left / cells)
