"""Choice of the blocks of a grid: by name, by shape, by the user's own list, or the cheapest."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, Annotated

from msgspec.structs import replace

from halocline.errors import PlanError
from halocline.geometry import AXES
from halocline.language.steps.steps import Call
from halocline.language.steps.subcycling import depths_of
from halocline.language.steps.tree import walk
from halocline.options import Check
from halocline.plan.blocks.bisection import Bisection
from halocline.plan.blocks.decomposition import Decomposition
from halocline.plan.blocks.owners import Owners
from halocline.plan.blocks.shapes import PRICES, decompose, parse_shape
from halocline.plan.blocks.shares import Shares
from halocline.plan.blocks.sparse import Sparse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step

# What stands for a decomposition; see 'Simulation'.
AnyDecomposition = Annotated[
    str | tuple[int, ...] | list[int] | Decomposition | Sparse | Bisection | Shares | Owners | None,
    Check(parse_shape),
]


def decomposition_for(
    grid: Grid,
    ranks: int,
    decomposition: AnyDecomposition = None,
    blocks: int = 1,
    prices: Sequence[float] | None = None,
    steps: Sequence[Step] = (),
) -> Decomposition:
    """Return the decomposition that a name, a shape or None stands for.

    Args:
        grid: The grid.
        ranks: Number of ranks.
        decomposition: See 'Simulation'.
        blocks: Blocks a rank.
        prices: What a cell of a side across each axis costs; None where it is not known.
        steps: The time step: axes along which it sweeps stay whole where they can.
    """
    grid = grid.first
    if grid.state.forest is not None:
        from halocline.plan.blocks.forest_blocks import decompose_forest

        forest = grid.state.forest
        depths = depths_of(steps, forest.substeps)
        return decompose_forest(forest.leaves, depths, forest.substeps, ranks, decomposition)
    if isinstance(decomposition, Shares | Owners):
        raise PlanError(
            f"'{type(decomposition).__name__}' were given as the decomposition of a grid; expected "
            "a forest, whose leaves they share.",
            hint="Use 'Sparse' for blocks of equal size with weights.",
        )
    calls = [step for step in walk(steps) if isinstance(step, Call)]
    scales = [other.scale for other in grid.family if not other.is_replicated]
    scales += [call.space.scale for call in calls if not call.space.is_replicated]
    grain = tuple(lcm(*(s.denominator for s in along)) for along in zip(*scales, strict=True))
    swept = frozenset(call.kernel.sweep[0] for call in calls if call.kernel.sweep)
    cells = grid.extent, grid.periodic
    if isinstance(decomposition, Sparse):
        if grid.shifts:
            raise PlanError(
                "A sparse decomposition was asked for on a grid with a shift; expected straight "
                "sides.",
                hint="Use blocks for all cells: decomposition=None.",
            )
        decomposition = decomposition.decompose(*cells, ranks)
    if isinstance(decomposition, Bisection):
        decomposition = decomposition.decompose(*cells, ranks, blocks, grain=grain, swept=swept)
    if isinstance(decomposition, Decomposition):
        if decomposition.ranks != ranks or decomposition.extent != grid.extent:
            raise PlanError(
                f"The decomposition is for {decomposition.ranks} ranks and {decomposition.extent} "
                f"cells; the simulation has {ranks} ranks and {grid.extent} cells.",
            )
        _check_grain(decomposition, grain)
        found = decomposition
    else:
        prices = prices or PRICES
        found = decompose(*cells, ranks, decomposition, blocks, prices, grain=grain, swept=swept)
    return replace(found, shifts=grid.shifts) if grid.shifts else found


def _check_grain(wanted: Decomposition, grain: tuple[int, ...]) -> None:
    """Refuse blocks with a part of a cell of a coarser grid."""
    for axis, (cuts, g) in enumerate(zip(wanted.cuts, grain, strict=True)):
        for cut in cuts:
            if cut % g:
                raise PlanError(
                    f"The decomposition cuts {AXES[axis]} at {cut}, but the family of grids has a "
                    f"coarser one, of {g} cells each: expected multiples of {g}.",
                    hint="Use blocks whose bounds are multiples of the ratio.",
                )
