"""Regridded: what a simulation does to give its forest other blocks between two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.errors import GridError, described
from halocline.language.grids.forest import forest_for
from halocline.language.grids.refine import Refine, check_wanted, checked_slack
from halocline.language.place import user_place
from halocline.language.spaces.leaves import regraded
from halocline.plan.blocks.shares import Shares
from halocline.runtime.collective import collective
from halocline.runtime.on_ranks import OnRanks
from halocline.runtime.wanted import levels_wanted

if TYPE_CHECKING:
    from halocline.language.grids.grid import Grid
    from halocline.language.grids.refine import Wanted
    from halocline.language.spaces.leaves import Leaves
    from halocline.language.steps.steps import Step
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.runtime.executor import Executor
    from halocline.tune.planner import Planner
    from halocline.tune.selection import Selection


class Regridded(OnRanks):
    """A simulation, as far as its forest may change.

    Attributes:
        grid: The grid; of a forest that of its coarsest level.
        refine: Where blocks are split and merged in a run, and after how many steps.
    """

    grid: Grid
    refine: Refine | None
    steps: tuple[Step, ...]
    _planner: Planner
    _selection: Selection | None

    @collective
    def regrid(self, wanted: Wanted, *, slack: float = 0.5) -> bool:
        """Split and merge blocks of a forest where that is wanted, between two runs; collective.

        Each becomes one level finer or coarser at most; what of it lies beside others may ask for
        more. Values of blocks that stay keep their bits. Ask fields for their arrays again.

        Args:
            wanted: See 'Refine'.
            slack: See 'Refine'.

        Returns:
            Whether the forest has other blocks now.

        Raises:
            HaloclineError: As 'rebuild' says, or what is wanted is no level.
        """
        forest = forest_for(self.grid, "regrid")
        check_wanted(wanted, forest)
        executor = self._prepare()
        executor.check_between_runs("regrid")
        executor.check_whole("regrid")
        found = levels_wanted(forest, wanted, executor.slots)
        leaves = regraded(forest.leaves, found, checked_slack(slack), forest.kept)
        is_new = leaves != forest.leaves
        if is_new:
            self.refit(leaves)
        return is_new

    @collective
    def refit(self, leaves: Leaves) -> None:
        """Give the forest other leaves, with the values that follow from those that it has.

        Args:
            leaves: Each one level finer or coarser than before at most; else its values are 0.

        Raises:
            HaloclineError: As 'rebuild' says.
        """
        forest = forest_for(self.grid, "refit")
        before, planner, steps = forest.leaves, self._planner, self.steps
        if self._selection is not None:
            self._planner = self._selection.kept(planner)
        forest.leaves = leaves
        try:
            if leaves.seen_by_steps != before.seen_by_steps:
                self.steps = self._traced()
                self._planner = self._planner.for_steps(self.steps)
            wanted = planner.shape[0]
            self.rebuild(decomposition=wanted if isinstance(wanted, Shares) else None)
        except BaseException:
            forest.leaves, self._planner, self.steps = before, planner, steps
            raise

    def _follow(self) -> None:
        assert self.refine is not None
        self.regrid(self.refine.wanted, slack=self.refine.slack)

    def rebuild(self, *, decomposition: Decomposition | Shares | None) -> None:
        """Move to the blocks that follow from the forest."""
        raise NotImplementedError

    def _traced(self) -> tuple[Step, ...]:
        raise NotImplementedError

    def _prepare(self) -> Executor:
        raise NotImplementedError


def checked_refine(refine: Any, grid: Grid) -> Refine | None:
    """Return when and where a simulation's blocks are split and merged, or refuse it.

    Raises:
        GridError: It is something else, or not for this grid.
    """
    if refine is None:
        return None
    if not isinstance(refine, Refine):
        raise GridError(
            f"'refine' was given {described(refine)}; expected an hc.Refine.",
            hint="Write refine=hc.Refine(wanted, every=10).",
            place=user_place(),
        )
    check_wanted(refine.wanted, forest_for(grid, "refine"))
    return refine
