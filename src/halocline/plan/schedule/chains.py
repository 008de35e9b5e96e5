"""A chain: kernels that follow one exchange, and what each must compute and get for that.

Walking the chain backwards, every read of a value that an earlier kernel of the chain wrote makes
that kernel run a little further than the block's own cells (recompute); every other read becomes a
need, to be met by an exchange before the chain.
"""

from __future__ import annotations

from functools import lru_cache
from operator import gt, lt
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.geometry import UNBOUNDED
from halocline.language.expressions.kernel import reads
from halocline.plan.cells.reach import (
    Need,
    Needs,
    Reach,
    Reaches,
    outermost,
    renamed,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from halocline.geometry import Offset
    from halocline.language.expressions.expr import Read
    from halocline.language.expressions.kernel import Kernel, Statement
    from halocline.language.spaces.space import Ratio, Space
    from halocline.plan.cells.access import Access
    from halocline.plan.cells.reach import Guest
    from halocline.plan.program.program import Launch


class Demands(Frozen):
    """What a chain asks for.

    Attributes:
        extents: For each kernel of the chain where it must run, as reaches from a block's cells.
        read_later: For each kernel that may not run again everywhere, how far beyond a block's own
            cells it would have to for what later ones of the chain read; nothing for the others.
        needs: What must be got from other blocks before the chain.
        own: What is read of a block's own cells as they are before the chain.
    """

    extents: tuple[frozenset[Reach], ...]
    read_later: tuple[frozenset[Reach], ...]
    needs: Needs
    own: Needs

    def of(self, storages: Mapping[str, str]) -> Demands:
        """Return the same asked of other storages."""
        return replace(self, needs=renamed(self.needs, storages), own=renamed(self.own, storages))


Wanted = dict[tuple[str, int], Reaches]


def demands(
    launches: Sequence[Launch], *, provided: Sequence[Needs] = (), is_wide: bool = False
) -> Demands:
    """Return what the kernels, run one after the other, must compute and get.

    Args:
        launches: The kernels.
        provided: For each what of its results is read by later chains, which do not get it.
        is_wide: Whether every block is at least as wide as what it needs beyond its own cells.
            Then reaches between others add nothing, and there would be too many of them.
    """
    wanted: Wanted = {}
    extents, read_later = [], []
    returned = _fields_pushed_by(launches)
    for number, launch in reversed(list(enumerate(launches))):
        for need in provided[number] if provided else ():
            wanted.setdefault(need.key, Reaches()).update([need.reach])
        is_bound = bool(partial_axes(launch)) or any(f in returned for f, _ in launch.writes)
        read_later.append(_read_of(launch, wanted) if is_bound else frozenset())
        extents.append(_walk_back(launch, wanted, is_wide=is_wide))
    spaces = {a.field: a.space for one in launches for a in (*one.reads, *one.assigns)}
    needs = [
        Need(
            field,
            component,
            reach,
            role=launches[0].role,
            of_guest=_of_guest(launches, field, spaces[field]),
        )
        for (field, component), reaches in wanted.items()
        for reach in (outermost(reaches, spaces[field]) if is_wide else reaches)
    ]
    return Demands(
        tuple(reversed(extents)),
        tuple(reversed(read_later)),
        frozenset(need for need in needs if need.is_away),
        frozenset(need for need in needs if not need.is_away),
    )


def _of_guest(launches: Sequence[Launch], field: str, space: Space) -> Guest | None:
    """Return what kernels need of the cells that a block has as a guest."""
    role = launches[0].role
    if not role.is_guest_in(space):
        return None
    return "all" if any(one.counts_covered(field) for one in launches) else "leaves"


def _read_of(launch: Launch, wanted: Wanted) -> frozenset[Reach]:
    """Return where a kernel would have to run for what is read later, wherever that is."""
    return frozenset(
        replace(access.assigned_from(reach), region=launch.region)
        for access in launch.assigns
        for reach in wanted.get(access.key, ())
    )


def _walk_back(launch: Launch, wanted: Wanted, *, is_wide: bool) -> frozenset[Reach]:
    """Return where a kernel must run; 'wanted' becomes what is wanted before it."""
    extents: dict[int, set[Reach]] = {}
    # The statements that use memory as the kernel finds it.
    users: dict[Access, list[int]] = {}
    statements = launch.kernel.statements
    for number in reversed(range(len(statements))):
        if launch.kernel.is_last(number):
            extents[number] = _statement_extent(launch, statements[number], wanted)
    if launch.kernel.sweep:
        # What a cell assigns follows from all that those before it in the column have handed on.
        whole = {_whole_columns(reach, launch) for found in extents.values() for reach in found}
        extents = {number: set(whole) for number in range(len(statements))}
    for number, (assigned, found_in_memory) in reversed(list(enumerate(read_by(launch.kernel)))):
        where = extents.setdefault(number, set())
        for other in assigned:
            extents.setdefault(other, set()).update(where)
        for read in found_in_memory:
            users.setdefault(launch.access(read), []).append(number)
    # Components are mostly read by the same statements.
    found: dict[tuple[int, ...], list[Reach]] = {}
    for access, numbers in users.items():
        same = tuple(numbers)
        if same not in found:
            reaches = Reaches(reach for number in same for reach in extents[number])
            found[same] = outermost(reaches, launch.space) if is_wide else list(reaches)
        wanted.setdefault(access.key, Reaches()).update(map(access.used_from, found[same]))
    return frozenset().union(*extents.values())


@lru_cache(maxsize=4096)  # plans ask again and again
def read_by(kernel: Kernel) -> tuple[tuple[tuple[int, ...], tuple[Read, ...]], ...]:
    """Return for each statement the statements whose values it reads, and its reads of memory."""
    found = []
    for statement in kernel.statements:
        sources = [(read, kernel.assigning(read)) for read in reads(statement.value)]
        assigned = tuple(number for _, number in sources if number is not None)
        found.append((assigned, tuple(read for read, number in sources if number is None)))
    return tuple(found)


def _whole_columns(reach: Reach, launch: Launch) -> Reach:
    """Return a reach with all cells of each column along which a kernel sweeps."""
    assert launch.kernel.sweep
    axis, _ = launch.kernel.sweep
    lower, upper = launch.region.lower[axis], launch.region.upper[axis]
    return Reach(
        (*reach.lower[:axis], 0, *reach.lower[axis + 1 :]),
        (*reach.upper[:axis], 0, *reach.upper[axis + 1 :]),
        reach.region.clip(axis, lower, upper),
    )


def _statement_extent(launch: Launch, statement: Statement, wanted: Wanted) -> set[Reach]:
    """Take from 'wanted' what the statement provides; return where it must run for that."""
    access = launch.access(statement)
    written = access.cells(launch.region)
    provided: set[Reach] = set()
    if asked := wanted.get(access.key):
        # Of the cells of a finer grid a statement assigns some only; what it leaves is still
        # wanted.
        parts = asked.within(written) if access.is_part else asked.take(written)
        provided.update(map(access.assigned_from, parts))
    if not launch.on_demand:
        # All own cells of the region, which hold what is wanted of a block's own cells too.
        return {reach for reach in provided if reach.is_away} | {within(launch.region)}
    # What is assigned in the domain is seen by everybody, whether a kernel reads it or not.
    seen = written.intersect(access.space.domain)
    return provided if seen.is_empty else provided | {access.assigned_from(within(seen))}


def may_join(launches: Sequence[Launch], asked: Demands, *, is_wide: bool) -> bool:
    """Return whether the kernels may share one exchange.

    They may if recomputing widens no halo beyond what a single kernel of the chain reads and
    concerns no field that a kernel assigns next door, whose values are returned instead (unless
    halos are meant to be wide); and if no results of a kernel that runs on a part of a periodic
    axis are read further along it: its region has no periodic images, so it can be recomputed
    neither here nor there.
    """
    if not is_wide and (_is_returned(launches, asked) or _widens(launches, asked.needs)):
        return False
    return all(
        not any(reach.lower[axis] or reach.upper[axis] for reach in reaches)
        for launch, reaches in zip(launches, asked.read_later, strict=True)
        for axis in partial_axes(launch)
    )


def _widens(launches: Sequence[Launch], needs: Iterable[Need]) -> bool:
    """Return whether needs lead further along an axis than any of the kernels reads or assigns."""
    own = within(launches[0].region)
    used: dict[tuple[Offset, Ratio], Access] = {}
    spaces: dict[str, Space] = {}
    for launch in launches:
        for access in (*launch.reads, *launch.assigns):
            used.setdefault((access.offset, access.ratio), access)
            spaces[access.field] = access.space
    reaches = [_in_first_grid(a.used_from(own), a.space) for a in used.values()]
    least = [min(0, *offsets) for offsets in zip(*(low for low, _ in reaches), strict=True)]
    most = [max(0, *offsets) for offsets in zip(*(high for _, high in reaches), strict=True)]
    return any(
        any(map(lt, low, least)) or any(map(gt, high, most))
        for low, high in (_in_first_grid(n.reach, spaces[n.field]) for n in needs)
    )


def _in_first_grid(reach: Reach, space: Space) -> tuple[Sequence[Fraction | int], ...]:
    """Return how far a reach leads in cells of the first grid: those of others differ in width."""
    if space.is_first:
        return reach.lower, reach.upper
    return tuple(
        [offset / s for offset, s in zip(offsets, space.scale, strict=True)]
        for offsets in (reach.lower, reach.upper)
    )


def _is_returned(launches: Sequence[Launch], asked: Demands) -> bool:
    """Return whether a field assigned next door would have to be computed again."""
    shared = _fields_pushed_by(launches)
    return any(
        any(reach.is_away for reach in reaches)
        for launch, reaches in zip(launches, asked.read_later, strict=True)
        if not launch.on_demand and not launch.is_layer
        if any(field in shared for field, _ in launch.writes)
    )


def _fields_pushed_by(launches: Sequence[Launch]) -> set[str]:
    """Return the fields that kernels assign next door, but for boundaries."""
    return {
        access.field
        for launch in launches
        for access in launch.assigns
        if any(access.displacement) and not launch.on_demand
    }


def partial_axes(launch: Launch) -> list[int]:
    """Return the periodic axes on a part of which a kernel runs, or along which it sweeps.

    A sweep begins and ends there, too; and elsewhere where its columns are seen across a side that
    shifts them.
    """
    region = launch.region
    swept = launch.kernel.sweep[0] if launch.kernel.sweep else None
    return [
        axis
        for axis, way in sorted(launch.space.translations)
        if (swept is not None and way[swept]) or region.upper[axis] - region.lower[axis] < UNBOUNDED
    ]
