"""What a schedule is made of: chains of kernels, exchanges on their own, and what is between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import field
from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.language.steps.tree import Every, Repeat, Swap, Until, mapped, walk
from halocline.plan.program.program import Called, Checked, Computed, Reduced
from halocline.plan.schedule.pushed import PushedValues, undisplaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from halocline.geometry import Box, Offset
    from halocline.language.spaces.role import Role
    from halocline.language.spaces.space import Space
    from halocline.plan.cells.access import Key
    from halocline.plan.cells.reach import Need, Needs, Reach
    from halocline.plan.program.program import Launch, Program


class Chain(Frozen, dict=True):
    """Kernels that follow one exchange.

    Attributes:
        launches: In order.
        extents: Where each must run, as reaches from a block's own cells.
        breaks: What happens between them (deep halos: a chain goes on through several steps).
        fetch: What is exchanged before the kernels that read it.
        pushed: Where values are held when the chain begins.
        send: What is exchanged after the kernels that wrote it.
        early: What is sent as soon as it is written, to be waited for by a later chain
            (postponed): one exchange each.
        late: What an earlier chain has sent so, to be waited for before the first use.
        stale: Storages and components none of whose copies is valid when the chain begins.
        producing: For each kernel where its inlined kernels must run
            (see 'passes/inlined_boundaries.py').
        is_pipelined: Whether the last kernel sweeps along an axis that is cut (see 'columns.py').
    """

    launches: tuple[Launch, ...]
    extents: tuple[frozenset[Reach], ...]
    breaks: tuple[Break, ...]
    fetch: Needs
    stale: frozenset[Key]
    pushed: PushedValues
    send: Needs = frozenset()
    early: tuple[Needs, ...] = ()
    late: tuple[Needs, ...] = ()
    producing: tuple[tuple[frozenset[Reach], ...], ...] = ()
    is_pipelined: bool = False

    @property
    def role(self) -> Role:
        """On which blocks its kernels run."""
        return self.launches[0].role

    @property
    def is_allgather(self) -> bool:
        """Whether what the last kernel assigns is gathered on all blocks (see 'gathering.py')."""
        return bool(self.launches[-1].gathered)

    @property
    def hands_on(self) -> bool:
        """Whether the last kernel hands values on, beside which no others are sent."""
        return self.is_pipelined or self.is_allgather

    @property
    def step_ends(self) -> tuple[int, ...]:
        """Before which kernels a step ends, in order."""
        return tuple(b.position for b in self.breaks if isinstance(b.item, StepEnd))

    def by_first_use(self, needs: Needs) -> dict[int, Needs]:
        """Group needs by the position of the first kernel that uses their storage."""
        groups: dict[int, set[Need]] = {}
        for need in needs:
            first = next(p for p, one in enumerate(self.launches) if need.field in one.names)
            groups.setdefault(first, set()).add(need)
        return {first: frozenset(groups[first]) for first in sorted(groups)}


class Break(Frozen):
    """Something that happens within a chain, before the kernel at a position."""

    position: int
    item: Passed


class StepEnd(Frozen):
    """The end of a step.

    Attributes:
        pushed: Where values are held then, once that is known.
    """

    pushed: PushedValues = PushedValues()


# What a chain may go on after.
Passed = Reduced | Computed | Checked | Every[Any] | StepEnd


class Refresh(Frozen):
    """An exchange on its own: before the first step, or after a Python function."""

    needs: Needs


Leaf = Chain | Refresh | Swap[str] | Reduced | Computed | Called | Checked | StepEnd
ScheduleItem = Leaf | Repeat[Any] | Every[Any] | Until[Any]


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


class Schedule(Frozen, dict=True):
    """The steps of a round.

    Attributes:
        program: What is scheduled.
        prologue: What is exchanged once before the first step.
        items: What happens in its steps, of which each ends with a 'StepEnd'.
        epilogues: For each step what returns pushed values after it.
        moved: What kernels on ghost patches only move (see 'copy_propagation.py').
    """

    program: Program
    prologue: Needs
    items: tuple[ScheduleItem, ...]
    epilogues: tuple[Needs, ...]
    moved: dict[Place, Moved] = field(default_factory=dict[Place, Moved])


def step_ends(items: Iterable[ScheduleItem]) -> list[StepEnd]:
    """Return where steps end, within chains too."""
    result: list[StepEnd] = []
    for item in items:
        within = [b.item for b in item.breaks] if isinstance(item, Chain) else [item]
        result += [end for end in within if isinstance(end, StepEnd)]
    return result


def all_refreshed(items: Iterable[ScheduleItem]) -> Needs:
    """Return what is got between chains, as what a loop needs is before it."""
    refreshes = (item for item in walk(items) if isinstance(item, Refresh))
    return frozenset(need for one in refreshes for need in undisplaced(one.needs))


def all_chains(items: Iterable[ScheduleItem]) -> list[Chain]:
    """Return the chains, those in loops too."""
    return [item for item in walk(items) if isinstance(item, Chain)]


def all_needs(schedule: Schedule) -> list[Needs]:
    """Return all that is ever exchanged."""
    every = [schedule.prologue, all_refreshed(schedule.items)]
    for chain in all_chains(schedule.items):
        every += [chain.fetch, chain.send, *chain.early, *chain.late]
    return every


def with_chains(items: Iterable[ScheduleItem], change: Callable[[Chain], Chain]) -> tuple[Any, ...]:
    """Return items in which each chain is changed, those in loops and within chains too."""

    def changed(item: Leaf) -> list[Leaf]:
        if not isinstance(item, Chain):
            return [item]
        breaks = tuple(replace(b, item=mapped([b.item], changed)[0]) for b in item.breaks)
        return [change(replace(item, breaks=breaks) if breaks else item)]

    return mapped(items, changed)


def away(item: object, pushed: PushedValues) -> Needs:
    """Return what must be returned before something looks at own cells."""
    match item:
        case Reduced():
            return pushed.returning(item.looked_at)
        case Checked():
            return pushed.returning({key for key in pushed.pieces if key[0] in item.storages})
        case _:
            return frozenset()
