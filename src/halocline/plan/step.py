"""What a schedule is made of: chains of kernels, exchanges on their own, and what is between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.plan.program import Called, Checked, Exchanged, Reduced

if TYPE_CHECKING:
    from halocline.plan.held import Held
    from halocline.plan.program import Launch
    from halocline.plan.reach import Need, Needs, Reach

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Chain:
    """Kernels that follow one exchange.

    Attributes:
        launches: In order; fields are named as when the chain begins.
        extents: Where each must run, as reaches from a block's own cells.
        breaks: What happens between them (deep halos: a chain goes on through several steps).
            Swaps come as late as they can, for kernels can do with the old names.
        fetch: What is exchanged before the kernels that read it, by the names of the beginning.
        held: Where values are held when the chain begins.
        send: What is exchanged after the kernels that wrote it, by the names of the end.
        early: What is sent as soon as it is written, to be waited for by a later chain
            (postponed): one exchange each.
        late: What an earlier chain has sent so, to be waited for before the first use.
        stale: Fields and components none of whose copies is valid when the chain begins.
        fed: For each kernel where its feeders must run, once they are its feeders (see 'feed.py').
    """

    launches: tuple[Launch, ...]
    extents: tuple[frozenset[Reach], ...]
    breaks: tuple[Break, ...]
    fetch: Needs
    stale: frozenset[Key]
    held: Held
    send: Needs = frozenset()
    early: tuple[Needs, ...] = ()
    late: tuple[Needs, ...] = ()
    fed: tuple[tuple[frozenset[Reach], ...], ...] = ()

    @property
    def step_ends(self) -> tuple[int, ...]:
        """Before which kernels a step ends, in order."""
        return tuple(b.position for b in self.breaks if isinstance(b.item, StepEnd))

    def by_first_use(self, needs: Needs) -> dict[int, Needs]:
        """Group needs by the position of the first kernel that uses their field."""
        groups: dict[int, set[Need]] = {}
        for need in needs:
            first = next(p for p, one in enumerate(self.launches) if need.field in one.names)
            groups.setdefault(first, set()).add(need)
        return {first: frozenset(groups[first]) for first in sorted(groups)}


@dataclass(frozen=True, slots=True)
class Break:
    """Something that happens within a chain, before the kernel at a position."""

    position: int
    item: Exchanged | Reduced | Checked | EveryItem | StepEnd


@dataclass(frozen=True, slots=True)
class StepEnd:
    """The end of one of several steps that are planned together."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """An exchange on its own: before the first step, or after a Python function."""

    needs: Needs


@dataclass(frozen=True, slots=True)
class LoopItem:
    """Items repeated within a step."""

    count: int
    items: tuple[ScheduleItem, ...]


@dataclass(frozen=True, slots=True)
class EveryItem:
    """Items at the end of every n-th step."""

    interval: int
    items: tuple[ScheduleItem, ...]


ScheduleItem = (
    Chain | Refresh | Exchanged | LoopItem | EveryItem | Reduced | Called | Checked | StepEnd
)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A whole step, or as many as halos are deep.

    Attributes:
        prologue: What is exchanged once before the first step.
        items: What happens in each step.
        epilogues: For each step what brings home, after it, what is held elsewhere.
    """

    prologue: Needs
    items: tuple[ScheduleItem, ...]
    epilogues: tuple[Needs, ...]


def names_before(breaks: tuple[Break, ...]) -> dict[str, str]:
    """Return from the names of fields after some swaps to those that they had before."""
    names: dict[str, str] = {}
    for item in (b.item for b in breaks):
        if isinstance(item, Exchanged):
            first = names.get(item.first, item.first)
            second = names.get(item.second, item.second)
            names |= {item.first: second, item.second: first}
    return names
