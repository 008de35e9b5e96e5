"""A chain: kernels that follow one exchange, and what each must compute and get for that.

Walking the chain backwards, every read of a value that an earlier kernel of the chain wrote makes
that kernel run a little further than the block's own cells (recompute); every other read becomes a
need, to be met by an exchange before the chain.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from halocline.geometry import added, opposite
from halocline.language.fields import UNBOUNDED
from halocline.language.kernel import reads
from halocline.plan.reach import (
    Need,
    Needs,
    Reach,
    Reaches,
    move,
    moved,
    outermost,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from halocline.geometry import Box, Offset
    from halocline.language.kernel import Statement
    from halocline.plan.program import Launch


@dataclass(frozen=True, slots=True)
class Demands:
    """What a chain asks for.

    Attributes:
        extents: For each kernel of the chain where it must run, as reaches from a block's cells.
        read_later: For each kernel from how far its results are read by later ones of the chain.
        needs: What must be got from other blocks before the chain.
        own: What is read of a block's own cells as they are before the chain.
    """

    extents: tuple[frozenset[Reach], ...]
    read_later: tuple[frozenset[Offset], ...]
    needs: Needs
    own: Needs

    def of(self, storages: Mapping[str, str]) -> Demands:
        """Return the same asked of other storages."""

        def renamed(needs: Needs) -> Needs:
            return frozenset(replace(need, field=storages[need.field]) for need in needs)

        return replace(self, needs=renamed(self.needs), own=renamed(self.own))


Wanted = dict[tuple[str, int], Reaches]


def demands(launches: Sequence[Launch], domain: Box, *, is_deep: bool = False) -> Demands:
    """Return what the kernels, run one after the other, must compute and get.

    Args:
        launches: The kernels.
        domain: All cells.
        is_deep: Whether every block is at least as wide as what it needs beyond its own cells.
            Then reaches between others add nothing, and there would be too many of them.
    """
    wanted: Wanted = {}
    extents, read_later = [], []
    for launch in reversed(launches):
        read_later.append(_read_of(launch, wanted))
        extents.append(_walk_back(launch, wanted, domain))
        for key in {(name, q) for name, q, _ in launch.reads} if is_deep else ():
            wanted[key] = Reaches(outermost(wanted.get(key, ()), domain))
    needs = [
        Need(field, component, reach)
        for (field, component), reaches in wanted.items()
        for reach in (outermost(reaches, domain) if is_deep else reaches)
    ]
    return Demands(
        tuple(reversed(extents)),
        tuple(reversed(read_later)),
        frozenset(need for need in needs if need.reach.is_away),
        frozenset(need for need in needs if not need.reach.is_away),
    )


def _read_of(launch: Launch, wanted: Wanted) -> frozenset[Offset]:
    """Return how far from a block's own cells a kernel would have to run for what is read later."""
    return frozenset(
        added(far, opposite(offset))
        for field, component, offset in launch.assigns
        if (field, component) in wanted
        for far in wanted[field, component].offsets
    )


def _walk_back(launch: Launch, wanted: Wanted, domain: Box) -> frozenset[Reach]:
    """Return where a kernel must run; 'wanted' becomes what is wanted before it."""
    names = launch.names_of
    extent: set[Reach] = set()
    # What is wanted of memory as the kernel finds it, and of its own earlier assignments.
    before: dict[tuple[str, int], set[Reach]] = {}
    inner: dict[tuple[str, int, int], set[Reach]] = {}
    counts = Counter((s.field, s.component) for s in launch.kernel.statements)
    last = counts.copy()
    for statement in reversed(launch.kernel.statements):
        key = (statement.field, statement.component)
        where = inner.get((*key, counts[key]), set())
        if counts[key] == last[key]:
            where = where | _statement_extent(launch, statement, wanted, domain)
        counts[key] -= 1
        extent |= where
        for read in reads(statement.value):
            if read.version:
                inner.setdefault((read.field, read.component, read.version), set()).update(where)
            else:
                found = before.setdefault((names[read.field], read.component), set())
                found |= {move(reach, read.offset) for reach in where}
    for name_and_component, reaches in before.items():
        wanted.setdefault(name_and_component, Reaches()).update(reaches)
    return frozenset(extent)


def _statement_extent(
    launch: Launch, statement: Statement, wanted: Wanted, domain: Box
) -> set[Reach]:
    """Take from 'wanted' what the statement provides; return where it must run for that."""
    asked = wanted.get((launch.names_of[statement.field], statement.component), Reaches())
    written = moved(launch.region, statement.offset)
    back = opposite(statement.offset)
    provided = {move(part, back) for part in asked.take(written)}
    if not launch.on_demand:
        # All own cells of the region, which hold what is wanted of a block's own cells too.
        return {reach for reach in provided if reach.is_away} | {within(launch.region)}
    # What is assigned in the domain is seen by everybody, whether a kernel reads it or not.
    seen = written.intersect(domain)
    return provided if seen.is_empty else provided | {move(within(seen), back)}


def may_join(
    launches: Sequence[Launch], asked: Demands, periodic: Sequence[bool], *, is_deep: bool
) -> bool:
    """Return whether the kernels may share one exchange.

    They may if recomputing widens no halo beyond what a single kernel of the chain reads and
    concerns no field that a kernel assigns next door, whose values are sent home instead (unless
    halos are meant to be deep); and if no results of a kernel that runs on a part of a periodic
    axis are read further along it: its region has no periodic images, so it can be recomputed
    neither here nor there.
    """
    if not is_deep and (_is_sent_home(launches, asked) or widens(launches, asked.needs)):
        return False
    return all(
        not any(offset[axis] for axis in partial_axes(launch, periodic) for offset in offsets)
        for launch, offsets in zip(launches, asked.read_later, strict=True)
    )


def concerning(cells: Box, launches: Iterable[Launch]) -> list[Launch]:
    """Return the kernels that assign to some cells."""
    return [
        launch
        for launch in launches
        if any(moved(launch.region, offset).meets(cells) for _, _, offset in launch.assigns)
    ]


def widens(launches: Sequence[Launch], needs: Iterable[Need]) -> bool:
    """Return whether needs lead further along an axis than any of the kernels reads or assigns."""
    used = {offset for launch in launches for _, _, offset in (*launch.reads, *launch.assigns)}
    along = list(zip(*used, strict=True))
    low, high = [min(0, *offsets) for offsets in along], [max(0, *offsets) for offsets in along]
    return any(
        not least <= offset <= most
        for need in needs
        for least, offset, most in zip(low, need.reach.offset, high, strict=True)
    )


def _is_sent_home(launches: Sequence[Launch], asked: Demands) -> bool:
    """Return whether a field assigned next door would have to be computed again."""
    shared = {
        field
        for launch in launches
        for field, _, offset in launch.assigns
        if any(offset) and not launch.on_demand
    }
    return any(
        any(map(any, offsets))
        for launch, offsets in zip(launches, asked.read_later, strict=True)
        if not launch.on_demand and not launch.is_layer
        if any(field in shared for field, _ in launch.writes)
    )


def partial_axes(launch: Launch, periodic: Sequence[bool]) -> list[int]:
    """Return the periodic axes on a part of which a kernel runs."""
    region = launch.region
    return [
        axis
        for axis, is_periodic in enumerate(periodic)
        if is_periodic and region.upper[axis] - region.lower[axis] < UNBOUNDED
    ]
