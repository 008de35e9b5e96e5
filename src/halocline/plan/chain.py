"""A chain: kernels that follow one exchange, and what each must compute and get for that.

Walking the chain backwards, every read of a value that an earlier kernel of the chain wrote makes
that kernel run a little further than the block's own cells (recompute); every other read becomes a
need, to be met by an exchange before the chain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.language.fields import UNBOUNDED
from halocline.language.kernel import reads
from halocline.plan.reach import Need, Needs, Reach, clip, distinct, drop, move, outermost, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.geometry import Box
    from halocline.language.kernel import Statement
    from halocline.plan.program import Launch


@dataclass(frozen=True, slots=True)
class Demands:
    """What a chain asks for.

    Attributes:
        extents: For each kernel of the chain where it must run, as reaches from a block's cells.
        read_later: For each kernel which cells of its results later kernels of the chain read.
        needs: What must be got from other blocks before the chain.
    """

    extents: tuple[frozenset[Reach], ...]
    read_later: tuple[frozenset[Reach], ...]
    needs: Needs


Wanted = dict[tuple[str, int], set[Reach]]


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
            wanted[key] = outermost(distinct(wanted.get(key, ())), domain)
    needs = {
        Need(field, component, reach)
        for (field, component), reaches in wanted.items()
        for reach in (outermost(distinct(reaches), domain) if is_deep else distinct(reaches))
        if reach.is_away
    }
    return Demands(tuple(reversed(extents)), tuple(reversed(read_later)), frozenset(needs))


def _read_of(launch: Launch, wanted: Wanted) -> frozenset[Reach]:
    return frozenset(reach for key in launch.writes for reach in wanted.get(key, ()))


def _walk_back(launch: Launch, wanted: Wanted, domain: Box) -> frozenset[Reach]:
    """Return where a kernel must run; 'wanted' becomes what is wanted before it."""
    names = launch.names_of
    extent: set[Reach] = set()
    for statement in reversed(launch.kernel.statements):
        where = _statement_extent(launch, statement, wanted, domain)
        extent |= where
        for field, component, offset in _reads(statement, names):
            found = wanted.setdefault((field, component), set())
            found |= {move(reach, offset) for reach in where}
    return frozenset(extent)


def _reads(statement: Statement, names: dict[str, str]) -> list[tuple[str, int, tuple[int, ...]]]:
    return [(names[r.field], r.component, r.offset) for r in reads(statement.value)]


def _statement_extent(
    launch: Launch, statement: Statement, wanted: Wanted, domain: Box
) -> set[Reach]:
    """Take from 'wanted' what the statement provides; return where it must run for that."""
    key = (launch.names_of[statement.field], statement.component)
    before = distinct(wanted.get(key, ()))
    provided = {part for reach in before for part in clip(reach, launch.region)}
    wanted[key] = {part for reach in before for part in drop(reach, launch.region)}
    if not launch.on_demand:
        # All own cells of the region, which hold what is wanted of a block's own cells too.
        provided = {reach for reach in provided if reach.is_away} | {within(launch.region)}
    elif not launch.is_layer:
        # A layer of the domain's own cells is seen by everybody, whether a kernel reads it or not.
        provided.add(within(launch.region.intersect(domain)))
    return provided


def may_join(
    launches: Sequence[Launch], asked: Demands, periodic: Sequence[bool], *, is_deep: bool
) -> bool:
    """Return whether the kernels may share one exchange.

    They may if recomputing widens no halo beyond what a single kernel of the chain reads (unless
    halos are meant to be deep), and if no results of a kernel that runs on a part of a periodic
    axis are read further along it: its region has no periodic images, so it can be recomputed
    neither here nor there.
    """
    for axis in () if is_deep else range(len(periodic)):
        offsets = [offset[axis] for launch in launches for _, _, offset in launch.reads]
        low, high = min([0, *offsets]), max([0, *offsets])
        moved = [need.reach.offset[axis] for need in asked.needs]
        if not all(low <= d <= high for d in moved):
            return False
    return all(
        _is_recomputable(launch, reaches, periodic)
        for launch, reaches in zip(launches, asked.read_later, strict=True)
    )


def _is_recomputable(launch: Launch, reaches: frozenset[Reach], periodic: Sequence[bool]) -> bool:
    return not any(
        reach.offset[axis] for axis in partial_axes(launch, periodic) for reach in reaches
    )


def partial_axes(launch: Launch, periodic: Sequence[bool]) -> list[int]:
    """Return the periodic axes on a part of which a kernel runs."""
    region = launch.region
    return [
        axis
        for axis, is_periodic in enumerate(periodic)
        if is_periodic and region.upper[axis] - region.lower[axis] < UNBOUNDED
    ]
