"""Flux matching: what an operator takes across a level's border is what the finer level says.

What a cell's neighbour across a side adds to A u beside the cell itself, w (u' - u), is what flows
through that side. A cell beside a finer level takes the mean of what flows there by that level's
account, so that nothing is lost between the two (Martin and Cartwright 1996, 'Solving Poisson's
equation using adaptive mesh refinement'; McCormick, Multilevel Adaptive Methods (1989)).
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError
from halocline.geometry import AXES, opposite
from halocline.language.boundaries.boundary import Dirichlet
from halocline.language.expressions import operators
from halocline.language.expressions.expr import Index, walk
from halocline.language.expressions.functions import where
from halocline.language.expressions.kernel import reads
from halocline.language.place import user_place
from halocline.language.steps.trace import recorded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.geometry import Offset
    from halocline.language.expressions.expr import Expr
    from halocline.language.expressions.parameters import Parameter
    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest
    from halocline.language.library.relaxation import System
    from halocline.language.steps.steps import Call


def check_reads_across_sides(system: System) -> None:
    """Refuse an operator of which it is not known what flows through which side of a cell.

    Raises:
        KernelError: It reads u elsewhere than next door across sides, or counts cells.
    """
    offsets = {read.offset for read in reads(system.applied) if read.field == "u"}
    is_wide = any(sum(map(abs, offset)) > 1 for offset in offsets)
    if is_wide or any(isinstance(node, Index) for node in walk(system.applied)):
        raise KernelError(
            f"'hc.Multigrid' was given '{system.u.name}' of a forest and an operator that "
            f"{'reads it further away' if is_wide else 'uses the index of the cell'}; expected one "
            "that reads the cell and those beside it across its sides: what flows between levels "
            "follows from that.",
            hint="Write it with second derivatives of accuracy 2, such as hc.laplacian(u).",
            place=user_place(),
        )


def finer_flux(fine: System, into: Field) -> Call:
    """Return what gives cells under a finer level what flows out of them, by its account.

    Args:
        fine: The system on the finer level.
        into: A field of the coarser level with a component for each side.
    """
    children = list(product((0, 1), repeat=fine.u.dimensions))

    def body(target: Any, *_: Any) -> None:
        for number, side in enumerate(sides_of(fine.u.dimensions)):
            flow = _flow(fine, side)
            axis = number // 2
            there = [child for child in children if child[axis] == number % 2]
            total = operators.Value(fine.seen(flow, there[0]))
            for child in there[1:]:
                total = total + operators.Value(fine.seen(flow, child))
            target[number][target.here] = total * (1.0 / len(children))

    return recorded("finer_flux", user_place(), {"target": into, **fine.fields}, body, {})


def matched(
    coarse: System, f: Field, excess: Parameter | None, flux: Field, forest: Forest
) -> Call:
    """Return what gives a level the right-hand side f, but for what flows to a finer level.

    Args:
        coarse: The system on the level, whose right-hand side is assigned.
        f: The right-hand side.
        excess: What is subtracted from it, if anything.
        flux: What 'finer_flux' assigns.
        forest: The forest.
    """
    sides = sides_of(forest.dimensions)
    beside = _beside_finer(forest, coarse.u.space.level)
    fields = {"given": f, "flux": flux, "beside": beside, **coarse.fields}

    def body(given: Any, flux: Any, beside: Any, *symbols: Any) -> None:
        right = dict(zip(coarse.fields, symbols, strict=True))["f"]
        value = given[given.here] if excess is None else given[given.here] - excess
        for number, side in enumerate(sides):
            own = operators.Value(_flow(coarse, side))
            theirs = flux[sides.index(opposite(side))][side]
            is_beside = (beside[beside.here] & (1 << number)) != 0
            value = value + where(is_beside, own + theirs, 0.0)
        right[right.here] = value

    return recorded("match_flux", user_place(), fields, body, {})


def flux_field(level: Field) -> Field:
    """Return the field of what flows through the sides of cells of a field's grid."""
    flux = level.grid.hidden_field(
        "multigrid_flux", dtype=level.dtype, axes=level.axes, components=2 * level.dimensions
    )
    for side in level.grid.sides:
        flux.boundary(side, Dirichlet(0.0))
    return flux


def sides_of(dimensions: int) -> list[Offset]:
    """Return the ways across the sides of a cell, in the order of their numbers."""
    ways = [(axis, step) for axis in range(dimensions) for step in (-1, 1)]
    return [tuple(step if a == axis else 0 for a in range(dimensions)) for axis, step in ways]


def _flow(system: System, side: Offset) -> Expr:
    """Return what the neighbour across a side adds to A u beside the cell itself."""
    own, other = (operators.Value(system.read(o)) for o in ((0,) * len(side), side))
    flow: operators.Value = operators.Value(system.weight(side)) * (other - own)
    return flow.expression()


def _beside_finer(forest: Forest, level: int) -> Field:
    """Return the field whose bits say across which sides of a cell a finer level begins."""
    beside = forest.level(level).hidden_field(
        "beside_finer", dtype="uint8", axes=AXES[: forest.dimensions]
    )
    if beside.given is None:
        beside.set(partial(_bits, forest, level))
    return beside


def _bits(forest: Forest, level: int, *coordinates: NDArray[np.float64]) -> NDArray[np.uint8]:
    cells = forest.cells_at(level, coordinates)
    result = np.zeros(tuple(map(len, cells)), dtype=np.uint8)
    for number, side in enumerate(sides_of(forest.dimensions)):
        next_door = [c + step for c, step in zip(cells, side, strict=True)]
        result |= forest.is_refined_at(level, next_door).astype(np.uint8) << number
    return result
