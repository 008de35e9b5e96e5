"""Copies of cells of other blocks: which of those that are needed are up to date.

Needs are compared where they are moved alike: there the cells of one lie among those of another if
its region does, for any block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.frozen import Frozen
from halocline.plan.cells.reach import Need, Needs, Reach, drop
from halocline.plan.schedule.pushed import undisplaced
from halocline.plan.schedule.steps import all_chains, all_refreshed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from halocline.geometry import Box
    from halocline.language.spaces.space import Space
    from halocline.plan.schedule.steps import ScheduleItem


def uncovered(needs: Needs, known: Needs) -> Needs:
    """Return the needs without the cells to which known ones lead, moved alike."""
    new = needs - known
    regions = _regions(new, known)
    return frozenset(need.to(reach) for need in new for reach in _outside(need, regions))


def covered(needs: Needs, known: Needs) -> Needs:
    """Return the needs of which known ones, moved alike, lead to all cells."""
    new = needs - known
    regions = _regions(new, known)
    return needs - {need for need in new if _outside(need, regions)}


def meeting(needs: Needs, others: Needs) -> Needs:
    """Return the needs that others, moved alike, share cells with."""
    regions = _regions(needs, others)
    return frozenset(
        need for need in needs if any(map(need.reach.region.meets, regions[_moves(need)]))
    )


def saved(cold: list[ScheduleItem], planned: list[ScheduleItem]) -> Needs:
    """Return what need not be got when copies are known to be valid."""
    pairs = zip(all_chains(cold), all_chains(planned), strict=True)
    found = [uncovered(undisplaced(a.fetch), undisplaced(b.fetch)) for a, b in pairs]
    return frozenset().union(*found, all_refreshed(cold) - all_refreshed(planned))


def _outside(need: Need, regions: Mapping[object, list[Box]]) -> list[Reach]:
    """Return the parts of a need's reach outside of the regions of those moved alike."""
    rest = [need.reach]
    for region in regions[_moves(need)]:
        rest = [part for reach in rest for part in drop(reach, region)]
    return rest


def _regions(needs: Needs, known: Needs) -> Mapping[object, list[Box]]:
    """Return the regions of known needs that are moved as some others; in the same order always."""
    result: dict[object, set[Box]] = {_moves(need): set() for need in needs}
    fields = {need.field for need in needs}
    for need in known if result else ():
        if need.field in fields and (moves := _moves(need)) in result:
            result[moves].add(need.reach.region)
    return {moves: sorted(regions) for moves, regions in result.items()}


def _moves(need: Need) -> tuple[object, ...]:
    who = need.displacement, need.role, need.of_guest
    return need.field, need.component, need.reach.lower, need.reach.upper, who


class WholeAxes(Frozen):
    """The axes along which every block has all cells: no move along them leads to another block.

    Attributes:
        spaces: Of storages.
        cut: The axes along which there are several blocks; None if that is not known.
    """

    spaces: Mapping[str, Space]
    cut: frozenset[int] | None

    def unmoved(self, needs: Iterable[Need]) -> Needs:
        """Return needs of the same cells, without moves along these axes."""
        if self.cut is None:
            return frozenset(needs)
        return frozenset(
            need.to(self._unmoved(need.reach, self.spaces[need.field])) for need in needs
        )

    def _unmoved(self, reach: Reach, space: Space) -> Reach:
        """Return a reach without the moves: beyond closed sides all cells are those of a block."""
        assert self.cut is not None
        # Across a periodic side a block has copies of its own cells.
        kept = [axis in self.cut or turn for axis, turn in enumerate(space.periodic)]
        moved = zip(reach.lower, reach.upper, kept, strict=True)
        if not any((low or high) and not k for low, high, k in moved):
            return reach
        lower, upper = (
            tuple(offset * k for offset, k in zip(side, kept, strict=True))
            for side in (reach.lower, reach.upper)
        )
        return Reach(lower, upper, reach.region)
