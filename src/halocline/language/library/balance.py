"""The constant part of a solution, which relaxation hardly changes where no side holds it.

It is the correction on a grid of a single cell, a step coarser than the coarsest (Galerkin's):
Trottenberg, Oosterlee and Schueller, Multigrid (2001), section 5.6.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.language.expressions import operators
from halocline.language.expressions.expr import Scalar, Unary
from halocline.language.expressions.functions import where
from halocline.language.place import user_place
from halocline.language.steps.steps import Reduction
from halocline.language.steps.trace import recorded

if TYPE_CHECKING:
    from halocline.language.grids.fields import Field
    from halocline.language.library.relaxation import System

Steps = tuple[Any, ...]
# A sum of so few roundings counts as nothing.
_ROUNDINGS = 64


def is_held(u: Field) -> bool:
    """Return whether a boundary holds a field: prescribes more than its derivative."""
    parts = [part for parts in u.boundaries.values() for part in parts]
    return any(getattr(part.condition, "a", 1) != 0 for part in parts)


def balanced(system: System) -> Steps:
    """Return the steps that add a constant to the solution so that residuals sum up to nothing.

    Where the operator makes nothing of a constant nothing is added.
    """
    u = system.u

    def like(name: str) -> Field:
        return u.grid.hidden_field(f"multigrid_{name}", dtype=u.dtype, axes=u.axes)

    ones, rows, residual = like("ones"), like("rows"), like("unbalanced")
    ones.set(1.0)
    for side, (part, *_) in u.boundaries.items():
        ones.boundary(side, part.declared)
    least = float(_ROUNDINGS * np.finfo(u.dtype).eps)

    def measure(rows: Any, *_: Any) -> None:
        made = operators.Value(system.applied)
        diagonal = operators.Value(Unary("abs", system.diagonal))
        rows[rows.here] = where(abs(made) > least * diagonal, made, 0.0)

    def leave(residual: Any, *_: Any) -> None:
        residual[residual.here] = operators.Value(system.residual)

    def shift(u: Any) -> None:
        u[u.here] = u[u.here] + operators.Value(Scalar("constant"))

    place = user_place()
    total, left = Reduction("sum", rows, "rows"), Reduction("sum", residual, "unbalanced")
    is_changed = abs(total) > 0.0
    constant = where(is_changed, left / where(is_changed, total, 1.0), 0.0)
    return (
        recorded("measure", place, {"rows": rows, **system.fields, "u": ones}, measure, {}),
        recorded("leave", place, {"residual": residual, **system.fields}, leave, {}),
        total,
        left,
        recorded("shift", place, {"u": u}, shift, {"constant": constant}),
    )
