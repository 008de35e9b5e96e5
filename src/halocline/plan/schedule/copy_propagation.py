"""Copy propagation: values that a kernel only moves are got from where they were before.

In the ghost patches of a forest populations stream and do not collide: what a patch has of them
after that, its neighbours or itself had before, one cell away. Exchanges may take values from
there. Then nobody uses what the kernel assigns: no memory is kept for it, and liveness leaves out
the kernel and what was sent for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.language.expressions.expr import Read
from halocline.language.spaces.role import runs_on
from halocline.language.steps.tree import Every, Repeat, Swap, Until
from halocline.memo import memoised
from halocline.plan.program.program import Called
from halocline.plan.schedule.steps import Chain, Moved, Refresh

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from halocline.geometry import Box, Offset
    from halocline.language.spaces.space import Space
    from halocline.plan.cells.access import Access, Key
    from halocline.plan.cells.reach import Need
    from halocline.plan.program.program import Launch
    from halocline.plan.schedule.steps import Place, Schedule, ScheduleItem


@memoised
def with_original_values(schedule: Schedule) -> Schedule:
    """Note what kernels on ghost patches only move, where every exchange may use the original.

    It may if, when it begins, the values are those that the kernel has moved, and the original is
    not assigned again before it is over.
    """
    candidates = _Candidates()
    candidates.add(schedule.items)
    candidates.check(schedule)
    return replace(schedule, moved=candidates.moved)


def needless(launches: Sequence[Launch], moved: Mapping[Place, Moved]) -> set[Launch]:
    """Return the kernels of a round that only move values, where nobody uses what they assign.

    Not those that get some values from beyond a side: exchanges get these from where they are put.
    """
    found = set()
    for launch in launches:
        places = {(launch.role, *access.key) for access in launch.assigns}
        if places and all(p in moved and moved[p].region == launch.region for p in places):
            others = (one for one in launches if runs_on(one.role, launch.role))
            if not places & {(launch.role, *a.key) for one in others for a in one.reads}:
                found.add(launch)
    return found


class _Candidates:
    """Finds kernels that only move values, and leaves out what may not be got from elsewhere."""

    def __init__(self) -> None:
        self.moved: dict[Place, Moved] = {}
        self._places: dict[Key, list[Place]] = {}

    def add(self, items: Iterable[ScheduleItem]) -> None:
        """Add what kernels outside of loops move."""
        for chain in items:
            if isinstance(chain, Chain) and chain.role.kind == "ghost":
                for launch in chain.launches:
                    self.moved.update(_moves(launch))

    def check(self, schedule: Schedule) -> None:
        """Leave out what some exchange must get from where the kernel puts it."""
        for place in self.moved:
            self._places.setdefault(place[1:], []).append(place)
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
            for place in self._places.get(need.key, ()):
                if place not in moved or need.displacement:
                    self.moved.pop(place, None)

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
