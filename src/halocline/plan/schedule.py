"""The order of a step, the same for all blocks: chains of kernels and the exchanges they need.

Running through the cyclic step, keep for every field and component which reaches a block's copy
is valid for. A chain gets what it reads and is not valid; a kernel that writes makes copies stale;
what is still valid when the step begins again need only be got once, before the first step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from halocline.geometry import box_of
from halocline.plan.chain import Demands, demands, may_join
from halocline.plan.program import (
    Called,
    Checked,
    Exchanged,
    Launch,
    Looped,
    Program,
    Reduced,
    Sometimes,
    beyond,
)
from halocline.plan.reach import Needs, Reach, clip, images, renamed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.plan.strategy import Strategy

Key = tuple[str, int]
_NOTHING: Needs = frozenset()


@dataclass(frozen=True, slots=True)
class Chain:
    """Kernels that follow one exchange.

    Attributes:
        launches: In order.
        extents: Where each must run, as reaches from a block's own cells.
        fetch: What is exchanged before the kernels that read it.
        send: What is exchanged after the kernels that wrote it (rim-first).
        stale: Fields and components none of whose copies is valid when the chain begins.
    """

    launches: tuple[Launch, ...]
    extents: tuple[frozenset[Reach], ...]
    fetch: Needs
    send: Needs
    stale: frozenset[Key]


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


ScheduleItem = Chain | Refresh | Exchanged | LoopItem | EveryItem | Reduced | Called | Checked


@dataclass(frozen=True, slots=True)
class Schedule:
    """A whole step.

    Attributes:
        prologue: What is exchanged once before the first step.
        items: What happens in each step.
    """

    prologue: Needs
    items: tuple[ScheduleItem, ...]


def make_schedule(program: Program, strategy: Strategy) -> Schedule:
    """Return chains and exchanges for a program."""
    planner = _Planner(program, strategy)
    prologue, items, _ = planner.cyclic(program.items, _NOTHING)
    return Schedule(prologue, tuple(items))


class _Planner:
    """Walks a program; the validity of copies is handed from item to item."""

    def __init__(self, program: Program, strategy: Strategy) -> None:
        self.program = program
        self.domain = box_of(program.extent)
        self.is_rim_first = strategy.overlap == "rim-first"

    def cyclic(
        self, items: tuple[object, ...], valid: Needs
    ) -> tuple[Needs, list[ScheduleItem], Needs]:
        """Plan items that repeat: what to get before the first round, the items, what is valid.

        Copies that stay valid through a round are got once, before. Which ones these are is the
        greatest set that reproduces itself: assume all, take away what a round makes stale.
        """
        cold, _ = self.body(items, _NOTHING)
        assumed = frozenset(need for chain in _chains(cold) for need in chain.fetch)
        entry = assumed | valid
        while True:
            planned, after = self.body(items, entry)
            if entry <= after:
                break
            entry &= after
        before = (entry & assumed) - valid
        if self.is_rim_first:
            moved, planned = _fetch_ahead(planned)
            before |= moved
        return before, planned, after

    def body(self, items: tuple[object, ...], valid: Needs) -> tuple[list[ScheduleItem], Needs]:
        """Plan items once, given what is valid before; return what is valid after."""
        planned: list[ScheduleItem] = []
        chain: list[Launch] = []
        for item in (*items, None):
            if isinstance(item, Launch):
                joined = self._join(chain, item)
                if joined is None:
                    valid = self._close(chain, planned, valid)
                    joined = self._join([], item)
                    assert joined is not None
                chain = joined
                continue
            valid = self._close(chain, planned, valid)
            chain = []
            if item is not None:
                valid = self._other(item, planned, valid)
        return planned, valid

    def _join(self, chain: list[Launch], launch: Launch) -> list[Launch] | None:
        """Return the chain with a kernel and the boundaries it reads, or None if it must not."""
        longer = [*chain, *self._boundaries(chain, launch), launch]
        if chain and not may_join(longer, self._demands(longer), self.program.periodic):
            return None
        return longer

    def _demands(self, launches: list[Launch]) -> Demands:
        return demands(launches, self.domain)

    def _boundaries(self, chain: list[Launch], launch: Launch) -> list[Launch]:
        """Return the boundary kernels of fields that a kernel reads beyond the domain."""
        result: list[Launch] = []
        for name in dict.fromkeys(launch.names):
            kernels = self.program.boundaries.get(name, ())
            is_read = beyond(launch, name, self.domain, self.program.periodic)
            if kernels and is_read and not launch.on_demand and not _is_fresh(chain, name, kernels):
                result += kernels
        return result

    def _close(self, chain: list[Launch], planned: list[ScheduleItem], valid: Needs) -> Needs:
        """Add a finished chain; return what is valid after it."""
        if not chain:
            return valid
        asked = self._demands(chain)
        fetch = asked.needs - valid
        written = frozenset(key for launch in chain for key in launch.writes)
        concerned = written | {(need.field, need.component) for need in fetch}
        kept = {(need.field, need.component) for need in valid}
        planned.append(
            Chain(tuple(chain), asked.extents, fetch, _NOTHING, frozenset(concerned - kept))
        )
        valid |= fetch
        for launch in chain:
            valid = self._after(launch, valid)
        return valid

    def _after(self, launch: Launch, valid: Needs) -> Needs:
        """Return what stays valid when a kernel has written."""
        written = images(launch.region, self.domain, self.program.periodic)
        return frozenset(
            need
            for need in valid
            if (need.field, need.component) not in launch.writes
            or not any(clip(need.reach, region) for region in written)
        )

    def _other(self, item: object, planned: list[ScheduleItem], valid: Needs) -> Needs:
        """Add an item that is no kernel; return what is valid after it."""
        match item:
            case Exchanged(first, second):
                planned.append(item)
                return renamed(valid, first, second)
            case Looped(count, items):
                before, body, after = self.cyclic(items, valid)
                planned += [Refresh(before)] if before else []
                planned.append(LoopItem(count, tuple(body)))
                return after
            case Sometimes(interval, items):
                body, after = self.body(items, valid)
                planned.append(EveryItem(interval, tuple(body)))
                return valid & after
            case Called():
                # The function may have changed any field: get again what was valid.
                planned += [item, Refresh(valid)]
                return valid
            case Reduced() | Checked():
                planned.append(item)
                return valid
            case _:
                raise AssertionError(item)


def _is_fresh(chain: list[Launch], name: str, kernels: tuple[Launch, ...]) -> bool:
    """Return whether the boundaries of a field ran in this chain and it was not written since."""
    writers = [launch for launch in chain if any(field == name for field, _ in launch.writes)]
    return tuple(writers[-len(kernels) :]) == kernels


def _chains(items: Iterable[ScheduleItem]) -> list[Chain]:
    result: list[Chain] = []
    for item in items:
        if isinstance(item, Chain):
            result.append(item)
        elif isinstance(item, LoopItem | EveryItem):
            result += _chains(item.items)
    return result


def _fetch_ahead(items: list[ScheduleItem]) -> tuple[Needs, list[ScheduleItem]]:
    """Let each chain send what the next one needs, where only swaps and the like stand between.

    Returns what the first chain needs in the very first round, and the items.
    """
    result = list(items)
    first_needs = _NOTHING
    positions = [n for n, item in enumerate(items) if isinstance(item, Chain)]
    for nth, position in enumerate(positions):
        chain = result[position]
        assert isinstance(chain, Chain)
        previous = positions[nth - 1]
        is_wrapped = nth == 0
        between = (
            [*range(previous + 1, len(items)), *range(position)]
            if is_wrapped
            else list(range(previous + 1, position))
        )
        if not chain.fetch or not all(_may_pass(result[n]) for n in between):
            continue
        needs = chain.fetch
        if is_wrapped:
            first_needs = _names_before(needs, [result[n] for n in range(position)])
        for n in reversed(between):
            needs = _pass_back(result, n, needs)
        result[position] = replace(
            chain,
            fetch=_NOTHING,
            stale=chain.stale - {(need.field, need.component) for need in chain.fetch},
        )
        sender = result[previous]
        assert isinstance(sender, Chain)
        result[previous] = replace(sender, send=sender.send | needs)
    return first_needs, result


def _may_pass(item: ScheduleItem) -> bool:
    """Return whether an exchange may be started before an item instead of after it."""
    match item:
        case Exchanged() | Reduced() | Checked() | Called() | Refresh():
            return True
        case EveryItem(_, items):
            return all(_may_pass(inner) and not isinstance(inner, Exchanged) for inner in items)
        case _:
            return False


def _pass_back(items: list[ScheduleItem], position: int, needs: Needs) -> Needs:
    """Move needs to before an item: through a swap renamed, repeated after a function."""
    item = items[position]
    match item:
        case Exchanged(first, second):
            return renamed(needs, first, second)
        case Refresh(valid):
            items[position] = Refresh(valid | needs)
        case EveryItem(interval, inner) if any(isinstance(i, Refresh) for i in inner):
            refreshed = tuple(
                Refresh(i.needs | needs) if isinstance(i, Refresh) else i for i in inner
            )
            items[position] = EveryItem(interval, refreshed)
    return needs


def _names_before(needs: Needs, items: list[ScheduleItem]) -> Needs:
    for item in reversed(items):
        if isinstance(item, Exchanged):
            needs = renamed(needs, item.first, item.second)
    return needs
