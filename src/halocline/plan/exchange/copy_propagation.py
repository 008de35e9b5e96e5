"""Copy propagation: values that a kernel only moves are got from where they were before.

In the ghost patches of a forest populations stream and do not collide: what a patch has of them
after that, its neighbours or itself had before, one cell away. Exchanges may take values from
there. Then nobody uses what the kernel assigns, and liveness leaves the kernel out. What was sent
for it is left out as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.box_array import BoxArray
from halocline.frozen import Frozen
from halocline.language.expressions.expr import Read
from halocline.language.spaces.role import runs_on
from halocline.language.steps.tree import Every, Repeat, Swap, Until
from halocline.plan.exchange.sources import cut
from halocline.plan.program.program import Called
from halocline.plan.schedule.steps import Chain, Refresh
from halocline.plan.value.parts import Parts, joined_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from halocline.geometry import Box, Offset
    from halocline.language.spaces.role import Role
    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.access import Access, Key
    from halocline.plan.cells.reach import Need
    from halocline.plan.program.program import Launch
    from halocline.plan.schedule.steps import Schedule, ScheduleItem

# On blocks of a role: a storage and a component.
Place = tuple["Role", str, int]


class Moved(Frozen):
    """Where a kernel finds the values of a component that it only moves.

    Attributes:
        field: The storage in which they lie; the component is the same.
        offset: How far from the cell that gets a value it lies.
        region: The cells that get a value of the domain.
        space: The space of both storages.
    """

    field: str
    offset: Offset
    region: Box
    space: Space


def moved_values(schedule: Schedule) -> dict[Place, Moved]:
    """Return what kernels on ghost patches only move, where every exchange may use the original.

    It may if, when it begins, the values are those that the kernel has moved, and the original is
    not assigned again before it is over.
    """
    candidates = _Candidates()
    candidates.add(schedule.items)
    candidates.check(schedule)
    return candidates.moved


class _Candidates:
    """Finds kernels that only move values, and leaves out what may not be got from elsewhere."""

    def __init__(self) -> None:
        self.moved: dict[Place, Moved] = {}

    def add(self, items: Iterable[ScheduleItem]) -> None:
        """Add what kernels outside of loops move."""
        for chain in items:
            if isinstance(chain, Chain) and chain.role.kind == "ghost":
                for launch in chain.launches:
                    self.moved.update(_moves(launch))

    def check(self, schedule: Schedule) -> None:
        """Leave out what some exchange must get from where the kernel puts it."""
        for needs in (schedule.prologue, *schedule.epilogues):
            self._refuse(needs, set())
        self._follow(schedule.items)

    def _follow(self, items: Iterable[ScheduleItem]) -> None:
        """Follow items, before which nothing counts as moved."""
        moved: set[Place] = set()
        for item in items:
            match item:
                case Chain():
                    self._refuse(item.fetch, moved)
                    # Other ranks may read the original until the exchange is over.
                    arriving = set(item.fetch.union(*item.late))
                    for launch in item.launches:
                        used = {need for need in arriving if need.field in launch.names}
                        self._refuse(used, moved)
                        arriving -= used
                        self._run(launch, moved)
                    if item.breaks:
                        moved.clear()
                        self._follow(broken.item for broken in item.breaks)
                    for needs in (item.send, *item.early):
                        self._refuse(needs, moved)
                case Refresh(needs):
                    self._refuse(needs, moved)
                case Swap() | Called() | Repeat() | Every() | Until():
                    moved.clear()
                    self._follow(getattr(item, "body", ()))

    def _refuse(self, needs: Iterable[Need], moved: set[Place]) -> None:
        """Leave out needed components that are not held as moved now."""
        for need in needs:
            for place in [one for one in self.moved if one[1:] == need.key]:
                if place not in moved or need.displacement:
                    del self.moved[place]

    def _run(self, launch: Launch, moved: set[Place]) -> None:
        """Note what a kernel moves, and what it overwrites."""
        # Originals and copies lie within the domain: kernels on layers beyond sides change neither.
        inside = [a for a in launch.assigns if a.cells(launch.region).meets(a.space.domain)]
        for key in {access.key for access in inside}:
            for place in list(moved):
                role, *copied = place
                is_original = place in self.moved and key == (self.moved[place].field, place[2])
                if is_original or (key == tuple(copied) and runs_on(launch.role, role)):
                    moved.remove(place)
        for place, how in _moves(launch).items() if launch.role.kind == "ghost" else ():
            if self.moved.get(place) == how:
                moved.add(place)
            else:  # another kernel moves it from elsewhere
                self.moved.pop(place, None)


def _moves(launch: Launch) -> dict[Place, Moved]:
    """Return what a kernel only moves in all cells of its region."""
    found: dict[Place, Moved] = {}
    if launch.body is not None or launch.kernel.sweep or launch.is_layer:
        return found
    types = {spec.name: spec.dtype for spec in launch.kernel.fields}
    for statement in launch.kernel.statements:
        read = statement.value
        if not isinstance(read, Read) or types[read.field] != types[statement.field]:
            continue
        source, target = launch.access(read), launch.access(statement)
        if _is_move(launch, source, target):
            region = _inside(launch.region, source.offset, source.space)
            how = Moved(source.field, source.offset, region, source.space)
            found[launch.role, *target.key] = how
    return found


def _is_move(launch: Launch, source: Access, target: Access) -> bool:
    """Return whether an exchange may get a value from where a kernel reads it."""
    return (
        source.key not in launch.writes
        and source.component == target.component
        and source.space == target.space
        and not any(target.offset)
        and not (source.ratio or target.ratio)
    )


def _inside(region: Box, offset: Offset, space: Space) -> Box:
    """Return the cells of a region beside which lie cells of the domain."""
    for axis, (n, is_periodic) in enumerate(zip(space.extent, space.periodic, strict=True)):
        if not is_periodic:
            region = region.clip(axis, -offset[axis], n - offset[axis])
    return region


class Origins:
    """Says where values lie that kernels only move.

    Args:
        decomposition: The blocks.
        moved: What kernels move on blocks of a role, by the storage and the component to which.
    """

    def __init__(self, decomposition: Decomposition, moved: Mapping[Place, Moved]) -> None:
        self._decomposition = decomposition
        self._places = list(moved)
        self._how = list(moved.values())

    @property
    def furthest(self) -> int:
        """How many cells away at most values lie."""
        return max((abs(n) for how in self._how for n in how.offset), default=0)

    @property
    def keys(self) -> frozenset[Key]:
        """The storages and components to which values are moved."""
        return frozenset((name, component) for _, name, component in self._places)

    def traced(self, parts: Parts) -> Parts:
        """Return parts that get moved values from where they were before."""
        which = self._which(parts)
        if which.max(initial=-1) < 0:
            return parts
        found = [parts[which < 0]]
        for space in dict.fromkeys(how.space for how in self._how):
            is_on = np.array([how.space == space for how in self._how])
            is_here = (which >= 0) & is_on[which]
            if is_here.any():
                found.append(self._on_space(parts[is_here], which[is_here], space))
        return joined_parts(found)

    def _which(self, parts: Parts) -> NDArray[np.intp]:
        """Return the position of what moves each part, -1 if nothing does."""
        columns, levels = parts.columns, self._decomposition.levels
        if not self._places or not len(parts):
            return np.full(len(parts), -1)
        roles, names = list(levels.kinds), list(parts.names)
        components = 1 + max(int(columns.component.max()), *(q for _, _, q in self._places))
        table = np.full((len(roles), len(names), components), -1)
        for n, (role, name, component) in enumerate(self._places):
            if role in roles and name in names:
                table[roles.index(role), names.index(name), component] = n
        return table[levels.kind_of(columns.source), columns.field, columns.component]

    def _on_space(self, parts: Parts, which: NDArray[np.intp], space: Space) -> Parts:
        """Return parts of fields of a space, all of which kernels move, and how each."""
        columns = parts.columns
        regions = BoxArray.of([how.region for how in self._how], len(space.extent)).take(which)
        offsets = np.array([how.offset for how in self._how], np.int64).T[:, which]
        of, ways, pieces = cut(parts.source_box, regions)
        is_moved: NDArray[np.bool_] = np.all(ways == 0, axis=0)
        back = columns.shift[:, of]
        cut_up = columns.take(of)._replace(box=pieces.moved(back))
        view = self._decomposition.on(space)
        # What no block has has never been moved, nor does it count.
        seen = pieces.moved(offsets[:, of]).where(is_moved)
        piece, number, shift = view.meetings(seen, columns.source[of])
        box = seen.take(piece).intersect(view.table(number).owned.moved(shift))
        away = back[:, piece] - offsets[:, of[piece]]
        held = np.array([parts.names.index(how.field) for how in self._how], np.intp)
        traced = cut_up.take(piece)._replace(
            source=number,
            box=box.moved(away),
            shift=shift + away,
            held=held[which[of[piece]]],
        )
        return joined_parts([Parts(parts.names, one) for one in (cut_up.take(~is_moved), traced)])
