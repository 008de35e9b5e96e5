"""The order of a step, the same for all blocks: chains of kernels and the exchanges they need.

Running through the cyclic step, keep for every field and component which reaches a block's copy
is valid for. A chain gets what it reads and is not valid; a kernel that writes makes copies stale;
what is still valid when the step begins again need only be got once, before the first step. Beside
that, keep for values that a kernel assigned next door which block has them (see 'held.py').
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

from halocline.geometry import add_joined, box_of
from halocline.language.steps import Parameter
from halocline.plan.ahead import fetch_ahead
from halocline.plan.chain import Demands, concerning, demands, may_join, partial_axes, widens
from halocline.plan.checks import FilledCheck
from halocline.plan.held import Held, at_home
from halocline.plan.open_chain import OpenChain
from halocline.plan.program import (
    Called,
    Checked,
    Exchanged,
    Launch,
    Looped,
    Program,
    Reduced,
    Sometimes,
    aliases,
    all_launches,
)
from halocline.plan.reach import Needs, images, moved, renamed, unbounded
from halocline.plan.step import (
    Chain,
    EveryItem,
    LoopItem,
    Refresh,
    Schedule,
    ScheduleItem,
    StepEnd,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Box
    from halocline.plan.strategy import Strategy

_NOTHING: Needs = frozenset()
_ATTEMPTS = 8


def make_schedule(program: Program, strategy: Strategy) -> Schedule:
    """Return chains and exchanges for a program; with deep halos for so many steps at once."""
    planner = _Planner(program, strategy)
    items = (*program.items, StepEnd()) * strategy.depth
    prologue, planned, _ = planner.cyclic(items, _State())
    homes = tuple(held.home() for held in planner.ends)
    return Schedule(prologue, tuple(planned), homes)


@dataclass(frozen=True, slots=True)
class _State:
    """What is known of all blocks between two items.

    Attributes:
        valid: Copies that are up to date.
        held: Where the values are.
    """

    valid: Needs = _NOTHING
    held: Held = field(default_factory=Held)

    def renamed(self, first: str, second: str) -> _State:
        return _State(renamed(self.valid, first, second), self.held.renamed(first, second))


class _Planner:
    """Walks a program; what is known of blocks is handed from item to item.

    Attributes:
        ends: Where values are held at the end of each step of the last round that was planned.
    """

    def __init__(self, program: Program, strategy: Strategy) -> None:
        self.program = program
        self.domain = box_of(program.extent)
        self.inside = unbounded(self.domain, program.periodic)
        self.overlap = strategy.overlap
        self.depth = strategy.depth
        self.known: dict[tuple[Launch, ...], Demands] = {}
        self.check_filled = FilledCheck(program)
        self.groups = aliases(program.items)
        self.ends: list[Held] = []

    def cyclic(
        self, items: tuple[object, ...], state: _State
    ) -> tuple[Needs, list[ScheduleItem], _State]:
        """Plan items that repeat: what to get before the first round, the items, what is known.

        Copies that stay valid through a round are got once, before. Which ones these are is the
        greatest set that reproduces itself: assume all, take away what a round makes stale. Where
        values are held is the same after each round, and so before the first.
        """
        cold, held = self._settled(items, state)
        assumed = frozenset(need for chain in _chains(cold) for need in at_home(chain.fetch))
        entry = _State(assumed | state.valid, held)
        planned, after = self.body(items, entry)
        while not entry.valid <= after.valid:
            entry = _State(entry.valid & after.valid, held)
            planned, after = self.body(items, entry)
        before = state.held.located((entry.valid & assumed) - state.valid)
        before |= state.held.to(entry.held)
        if self.overlap in ("rim-first", "postponed"):
            moved, planned = fetch_ahead(planned, is_rim_first=self.overlap == "rim-first")
            # Own cells among them, which a neighbour may have.
            first = frozenset(replace(need, held=None) for need in moved)
            before |= state.held.located(first - state.valid)
        return before, planned, after

    def _settled(self, items: tuple[object, ...], state: _State) -> tuple[list[ScheduleItem], Held]:
        """Return where values are held before and after every round, and the first round then."""
        held = state.held
        for attempt in count(1):
            planned, after = self.body(items, _State(state.valid, held))
            if after.held == held:
                break
            # What is swapped to and fro and never assigned would be held here and there in turns.
            held = after.held if attempt != _ATTEMPTS else Held()
        return planned, held

    def body(self, items: tuple[object, ...], state: _State) -> tuple[list[ScheduleItem], _State]:
        """Plan items once, given what is known before; return what is known after."""
        planned: list[ScheduleItem] = []
        chain = OpenChain()
        if any(isinstance(item, StepEnd) for item in items):
            self.ends = []
        for item in items:
            if isinstance(item, StepEnd):
                self.ends.append(self._held_after(chain, state.held))
            if isinstance(item, Launch):
                if not self._join(chain, item):
                    chain, rest = self._begun_with(item, chain)
                    state = self._close(rest, planned, state)
            elif chain.launches and self._is_passive(item, chain, state):
                chain.pass_by(self._passive(item))
            else:
                state = self._close(chain, planned, state)
                chain = OpenChain()
                state = self._other(item, planned, state)
        return planned, self._close(chain, planned, state)

    def _join(self, chain: OpenChain, launch: Launch) -> bool:
        """Add a kernel and the boundaries it reads to a chain, unless they must not share it."""
        longer = [*chain.launches, *self._boundaries(chain, launch), chain.named(launch)]
        if chain.launches and not self._may_join(chain, longer):
            return False
        chain.launches = longer
        return True

    def _begun_with(self, launch: Launch, chain: OpenChain) -> tuple[OpenChain, OpenChain]:
        """Return a new chain for a kernel, and what then is left of the one before.

        Layers at the end of that one go with the kernel, which they can then feed.
        """
        count = len(chain.launches)
        while count and _is_thin(chain.launches[count - 1]):
            count -= 1
        last_break = max((b.position for b in chain.breaks), default=0)
        begun = OpenChain(chain.launches[count:])
        if not chain.names and last_break <= count and self._join(begun, launch):
            return begun, replace(chain, launches=chain.launches[:count])
        begun = OpenChain()
        self._join(begun, launch)
        return begun, chain

    def _may_join(self, chain: OpenChain, longer: list[Launch]) -> bool:
        is_deep = self.depth > 1
        if is_deep and not any(partial_axes(one, self.program.periodic) for one in longer):
            # They always may; asking again and again what long chains need takes long.
            return True
        if not is_deep and self._needs_more_inside(longer):
            return False
        asked = self._demands(longer)
        if not is_deep and chain.swaps and not asked.needs <= self._demands(chain.launches).needs:
            # Another half of the step, that reads what this one leaves: one exchange for both
            # would carry more, and their neighbours' results would be computed again.
            return False
        return may_join(longer, asked, self.program.periodic, is_deep=is_deep)

    def _needs_more_inside(self, launches: list[Launch]) -> bool:
        """Return whether kernels need cells of the domain from further than one of them reads.

        Layers beyond it are left aside: they provide nothing of its cells, so can only add to what
        is needed of them, and there may be very many.
        """
        needs = self._demands(concerning(self.inside, launches)).needs
        return widens(launches, [n for n in needs if n.reach.region.meets(self.inside)])

    def _demands(self, launches: list[Launch]) -> Demands:
        key = tuple(launches)
        if key not in self.known:
            self.known[key] = demands(launches, self.domain, is_deep=self.depth > 1)
        return self.known[key]

    def _boundaries(
        self, chain: OpenChain, launch: Launch, done: frozenset[str] = frozenset()
    ) -> list[Launch]:
        """Return the boundary kernels of fields that a kernel reads beyond the domain.

        Those may read other fields beyond it. What layers assign themselves they see as it is.
        """
        result: list[Launch] = []
        own = {field for field, _ in launch.writes} if _is_thin(launch) else set()
        for name in dict.fromkeys(launch.names):
            kernels = self.program.filling(launch, name) if name not in own | done else ()
            named = tuple(chain.named(kernel) for kernel in kernels)
            if named and not _is_fresh(chain, chain.names.get(name, name), named):
                done |= {name}
                for kernel in kernels:
                    before = self._boundaries(chain, kernel, done)
                    done |= {field for one in before for field, _ in one.writes}
                    result += before
                result += named
        return result

    def _is_passive(self, item: object, chain: OpenChain, state: _State) -> bool:
        """Return whether a chain may go on after something.

        After a swap it may. After what only looks at own cells or ends a step it may where halos
        are deep and the cells are up to date; elsewhere it would gain nothing.
        """
        match item:
            case Exchanged():
                return True
            case _ if self.depth == 1:
                return False
            case StepEnd():
                return True
            case Reduced() | Checked():
                return not _away(item, self._held_after(chain, state.held))
            case Sometimes(_, items):
                inner = all_launches(items)
                others = [i for i in all_launches(self.program.items) if i not in inner]
                names = {name for launch in others for name in launch.names}
                used = names.union(*(self.groups.get(name, ()) for name in names))
                held = self._held_after(chain, state.held)
                return (
                    all(isinstance(i, Launch | Reduced | Checked) for i in items)
                    and not any(name in used for launch in inner for name, _ in launch.writes)
                    # What they assign next door must come home, which takes an exchange.
                    and not any(any(to) for launch in inner for _, _, to in launch.assigns)
                    and not held.located(self._demands(inner).needs | self._demands(inner).own)
                    and not any(_away(i, held) for i in items)
                )
            case _:
                return False

    def _passive(self, item: object) -> Exchanged | Reduced | Checked | EveryItem | StepEnd:
        if isinstance(item, Sometimes):
            return EveryItem(item.interval, tuple(self.body(item.items, _State())[0]))
        assert isinstance(item, Exchanged | Reduced | Checked | StepEnd)
        return item

    def _close(self, chain: OpenChain, planned: list[ScheduleItem], state: _State) -> _State:
        """Add a finished chain; return what is known after it."""
        if not chain.launches:
            return state
        launches = tuple(chain.launches)
        asked = self._demands(chain.launches)
        self.check_filled(launches, asked)
        wanted = (asked.needs | asked.own) - state.valid
        fetch = state.held.located(wanted)
        written = frozenset(key for launch in launches for key in launch.writes)
        concerned = written | {(need.field, need.component) for need in fetch}
        kept = {(need.field, need.component) for need in state.valid}
        # What follows the last kernel is no part of the chain.
        inner = tuple(b for b in chain.breaks if b.position < len(launches))
        trailing = [b.item for b in chain.breaks if b.position == len(launches)]
        trailing += chain.swaps
        stale = frozenset(concerned - kept)
        planned.append(Chain(launches, asked.extents, inner, fetch, stale, state.held))
        planned += trailing
        away = frozenset(n for n in wanted if n.reach.is_away or state.held.located([n]))
        known = _State(self._after(launches, state.valid | away), self._held_by(chain, state.held))
        for first, second in chain.swapped():
            known = known.renamed(first, second)
        return known

    def _held_by(self, chain: OpenChain, held: Held) -> Held:
        """Return what is held after the kernels of a chain, named as when it began."""
        for launch in chain.launches:
            held = held.after(launch, self.domain, self.program.periodic)
        return held

    def _held_after(self, chain: OpenChain, held: Held) -> Held:
        """Return what is held after a chain, by today's names."""
        held = self._held_by(chain, held)
        for first, second in chain.swapped():
            held = held.renamed(first, second)
        return held

    def _after(self, launches: Iterable[Launch], valid: Needs) -> Needs:
        """Return what stays valid when kernels have written."""
        written: dict[tuple[str, int], list[Box]] = {}
        for launch in launches:
            for name, component, offset in launch.assigns:
                target = moved(launch.region, offset)
                for region in images(target, self.domain, self.program.periodic):
                    add_joined(written.setdefault((name, component), []), region)
        return frozenset(
            need
            for need in valid
            if not any(map(need.reach.region.meets, written.get((need.field, need.component), ())))
        )

    def _other(self, item: object, planned: list[ScheduleItem], state: _State) -> _State:
        """Add an item that is no kernel; return what is known after it."""
        match item:
            case Exchanged(first, second):
                planned.append(item)
                return state.renamed(first, second)
            case Looped(count, items):
                for rounds, unrolled in self._rounds(count, items):
                    before, body, state = self.cyclic(unrolled, state)
                    planned += [Refresh(before)] if before else []
                    planned.append(LoopItem(rounds, tuple(body)))
                return state
            case Sometimes(interval, items):
                body, after = self.body(items, state)
                back = after.held.to(state.held)
                body += [Refresh(back)] if back else []
                planned.append(EveryItem(interval, tuple(body)))
                return _State(state.valid & after.valid, state.held)
            case Called():
                # The function may look at any field and change it: get again what was valid.
                home = state.held.home()
                again = at_home(state.valid) | Held().to(state.held)
                planned += [*([Refresh(home)] if home else []), item, Refresh(again)]
                return state
            case Reduced() | Checked():
                home = _away(item, state.held)
                planned += [*([Refresh(home)] if home else []), item]
                return _State(state.valid | {replace(n, held=None) for n in home}, state.held)
            case StepEnd():
                planned.append(item)
                return state
            case _:
                raise AssertionError(item)

    def _rounds(
        self, count: int, items: tuple[object, ...]
    ) -> list[tuple[int, tuple[object, ...]]]:
        """Return a loop as rounds of as many repetitions as the depth, and what is left."""
        rounds, rest = divmod(count, self.depth)
        parts = [(rounds, items * self.depth), (1, items * rest)]
        return [(n, unrolled) for n, unrolled in parts if n and unrolled]


def _is_thin(launch: Launch) -> bool:
    return launch.on_demand and launch.plain is None


def _is_fresh(chain: OpenChain, name: str, kernels: tuple[Launch, ...]) -> bool:
    """Return whether the boundaries of a field ran in this chain and nothing has changed since."""
    if chain.breaks and any(isinstance(s, Parameter) for one in kernels for s in one.scalars):
        # Another step may have another number.
        return False
    writers = [one for one in chain.launches if any(field == name for field, _ in one.writes)]
    return tuple(writers[-len(kernels) :]) == kernels


def _away(item: object, held: Held) -> Needs:
    """Return what must come home before something looks at own cells."""
    match item:
        case Reduced(_, name, component, _):
            return held.home({(name, component)})
        case Checked(fields):
            return held.home({key for key in held.pieces if key[0] in fields})
        case _:
            return _NOTHING


def _chains(items: Iterable[ScheduleItem]) -> list[Chain]:
    result: list[Chain] = []
    for item in items:
        if isinstance(item, Chain):
            result.append(item)
        elif isinstance(item, LoopItem | EveryItem):
            result += _chains(item.items)
    return result
