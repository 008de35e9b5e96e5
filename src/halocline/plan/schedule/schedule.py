"""The order of a step, the same for all blocks: chains of kernels and the exchanges they need.

Running through the cyclic step, keep for every field and component which reaches a block's copy
is valid for. A chain gets what it reads and is not valid; a kernel that writes makes copies stale;
what is still valid when the step begins again need only be got once, before the first step. Beside
that, keep for values that a kernel assigned next door which block has them (see 'pushed.py').
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import chain as joined
from math import lcm
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.geometry import add_joined
from halocline.language.steps.tree import Every, Repeat, Swap, Until
from halocline.plan.cells.reach import Needs, renamed
from halocline.plan.program.program import (
    Called,
    Checked,
    Computed,
    Launch,
    Program,
    Reduced,
    all_launches,
    kept_with_program,
    swapped_storages,
    used_beside,
)
from halocline.plan.schedule.copies import WholeAxes, covered, meeting, saved, uncovered
from halocline.plan.schedule.filled import FilledCheck
from halocline.plan.schedule.fusion import OpenChain, joining_of
from halocline.plan.schedule.hoisting import hoist_fetches
from halocline.plan.schedule.pushed import PushedValues, undisplaced
from halocline.plan.schedule.redundancy import Redundancy, Redundant
from halocline.plan.schedule.steps import (
    Chain,
    Passed,
    Refresh,
    Schedule,
    ScheduleItem,
    StepEnd,
    all_chains,
    all_refreshed,
    away,
    step_ends,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from halocline.geometry import Box
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.schedule.chains import Demands
    from halocline.plan.schedule.fusion import Joining

_NOTHING: Needs = frozenset()
Items = tuple[Any, ...]


@kept_with_program
def make_schedule(
    program: Program,
    strategy: Strategy,
    cut: frozenset[int] | None = None,
    *,
    sends_all: bool = False,
) -> Schedule:
    """Return chains and exchanges for rounds of a program; deep halos last for several steps.

    Args:
        program: The steps.
        strategy: How to distribute them.
        cut: The axes along which there are several blocks; None if that is not known yet.
        sends_all: Whether nothing is computed again to send fewer bytes.
    """
    planner = _Planner(program, strategy, cut, sends_all=sends_all)
    steps = tuple((*step, StepEnd()) for step in program.steps)
    steps *= lcm(len(steps), strategy.steps_between_exchanges) // len(steps)
    prologue, planned = planner.rounds(planner.groups(steps))
    returns = tuple(end.pushed.returning() for end in step_ends(planned))
    return Schedule(program, prologue, tuple(planned), returns)


class _State(Frozen):
    """What is known of all blocks between two items.

    Attributes:
        valid: Copies that are up to date.
        pushed: Where the values are.
    """

    valid: Needs = _NOTHING
    pushed: PushedValues = PushedValues()

    def swapped(self, first: str, second: str) -> _State:
        """Return what is known when two storages have exchanged their contents."""
        storages = {first: second, second: first}
        return _State(renamed(self.valid, storages), self.pushed.renamed(storages))


class _Asked(Frozen):
    """What a chain of kernels asks for and leaves, the same in every round.

    Attributes:
        launches: The kernels.
        demands: What they ask for, and where they run.
        wanted: The cells that must be up to date.
        written: The cells that they assign, for each storage and component.
        provided: Cells of other blocks that are up to date after them.
    """

    launches: tuple[Launch, ...]
    demands: Demands
    wanted: Needs
    written: Mapping[tuple[str, int], list[Box]]
    provided: Needs


class _Planner:
    """Walks a program; what is known of blocks is handed from item to item."""

    def __init__(
        self,
        program: Program,
        strategy: Strategy,
        cut: frozenset[int] | None,
        *,
        sends_all: bool,
    ) -> None:
        self.program, self.sends_all = program, sends_all
        self.cut: frozenset[int] = cut or frozenset()
        self.whole = WholeAxes(program.spaces, cut)
        self.overlap = strategy.overlap
        self.depth = strategy.steps_between_exchanges
        outside, inside = strategy.recomputed(), strategy.recomputed(is_in_loop=True)
        self.recompute, self.recompute_in_loops = outside, inside
        self.joinings = {value: joining_of(program, value) for value in {outside, inside}}
        self.check_filled = FilledCheck(program)
        self.redundant = Redundant()
        self.parts: dict[tuple[Any, ...], list[Any]] = {}
        self.asked: dict[tuple[Any, ...], _Asked] = {}
        self.used_beside = used_beside(program) if strategy.is_widening else {}

    @property
    def joining(self) -> Joining:
        """Which kernels may share a chain, where the planner is."""
        return self.joinings[self.recompute]

    @contextmanager
    def _in_loop(self) -> Iterator[None]:
        """Return a context in which what a loop repeats is planned."""
        outside, self.recompute = self.recompute, self.recompute_in_loops
        yield
        self.recompute = outside

    def rounds(self, groups: list[Items]) -> tuple[Needs, list[ScheduleItem]]:
        """Plan the rounds of the program: what to get before the first one, and the items.

        With the fewest bytes: first everything that is read is sent, then what is computed again
        since that takes fewer.
        """
        before, planned, _ = self.cyclic(groups, _State())
        if self.recompute != "fewest-bytes" or self.sends_all or not self.cut:
            return before, planned
        sent = Redundancy(self.program, self.joining, self.cut, planned)
        self.redundant = sent.find()
        self.asked.clear()
        if self.redundant.provided:
            before_again, again, _ = self.cyclic(groups, _State())
            found = Redundancy(self.program, self.joining, self.cut, again)
            if found.bytes_sent() < sent.bytes_sent():
                return before_again, again
        return before, planned

    def groups(self, passes: tuple[Items, ...]) -> list[Items]:
        """Return passes through steps or a loop in groups, within which a chain may go on."""
        starts = range(0, len(passes), self.depth)
        return [tuple(joined.from_iterable(passes[n : n + self.depth])) for n in starts]

    def cyclic(
        self, groups: list[Items], state: _State
    ) -> tuple[Needs, list[ScheduleItem], _State]:
        """Plan items that repeat: what to get before the first round, the items, what is known.

        Copies that stay valid through a round are got once, before. Which ones these are is the
        greatest set that reproduces itself: assume all, take away what a round makes stale. Where
        values are held is the same after each round, and so before the first.
        """
        cold, pushed = self._settled(groups, state)
        fetched = frozenset(need for chain in all_chains(cold) for need in undisplaced(chain.fetch))
        entry = _State(fetched | all_refreshed(cold) | state.valid, pushed)
        planned, after = self._round(groups, entry)
        # Some are made stale before they are read, and must be got then.
        useful = state.valid | meeting(entry.valid, saved(cold, planned))
        while not entry.valid <= (kept := covered(entry.valid & useful, after.valid)):
            entry = _State(kept, pushed)
            planned, after = self._round(groups, entry)
        before = state.pushed.located(entry.valid - state.valid)
        before |= state.pushed.to(entry.pushed)
        if self.overlap in ("rim-first", "postponed"):
            moved, planned = hoist_fetches(planned, is_rim_first=self.overlap == "rim-first")
            # Own cells among them, which a neighbour may have.
            first = frozenset(replace(need, displacement=None) for need in moved)
            before |= state.pushed.located(first - state.valid)
        return before, planned, after

    def _settled(
        self, groups: list[Items], state: _State
    ) -> tuple[list[ScheduleItem], PushedValues]:
        """Return the first round, and where values are held before and after every round.

        What storages held that a round swaps might go round for ever: it is returned before.
        """
        pushed = state.pushed.without(swapped_storages(groups))
        state = _State(state.valid, pushed)
        planned, after = self._round(groups, state)
        while after.pushed != pushed:
            pushed = after.pushed
            planned, after = self._round(groups, _State(state.valid, pushed))
        return planned, pushed

    def _round(self, groups: list[Items], state: _State) -> tuple[list[ScheduleItem], _State]:
        """Plan groups of passes once, one after the other."""
        planned: list[ScheduleItem] = []
        for group in groups:
            more, state = self.body(group, state)
            planned += more
        return planned, state

    def body(self, items: Items, state: _State) -> tuple[list[ScheduleItem], _State]:
        """Plan items once, given what is known before; return what is known after."""
        planned: list[ScheduleItem] = []
        # Kept where those who join kernels see it.
        known = [state]
        for part in self._parts(items, known):
            if isinstance(part, OpenChain):
                known[0] = self._close(part, planned, known[0])
            else:
                known[0] = self._other(part, planned, known[0])
        return planned, known[0]

    def _parts(self, items: Items, known: Sequence[_State]) -> Iterable[Any]:
        """Return items with kernels joined in chains: the same in every round if halos are narrow.

        Args:
            items: In order.
            known: What is known before the part that comes next, the only element.
        """
        if self.recompute == "all":
            return self._joined(items, known)
        key = (self.recompute, *map(id, items))
        if key not in self.parts:
            self.parts[key] = list(self._joined(items, known))
        return self.parts[key]

    def _joined(self, items: Items, known: Sequence[_State]) -> Iterator[Any]:
        """Yield items with kernels joined in chains."""
        chain = OpenChain()
        for item in items:
            if isinstance(item, Launch) and (self._is_pipelined([item]) or item.gathered):
                yield chain
                self.joining.join(alone := OpenChain(), item)
                yield alone
                chain = OpenChain()
            elif isinstance(item, Launch):
                if not self.joining.join(chain, item):
                    chain, rest = self.joining.begun_with(item, chain)
                    yield rest
            elif chain.launches and self._is_passive(item, chain, known[0]):
                chain.pass_by(self._passive(item, chain, known[0]))
            else:
                yield chain
                yield item
                chain = OpenChain()
        yield chain

    def _is_passive(self, item: object, chain: OpenChain, state: _State) -> bool:
        """Return whether a chain may go on after what only looks at own cells, or ends a step.

        It may where halos get wide and the cells are up to date; elsewhere it would gain nothing.
        """
        match item:
            case _ if self.recompute != "all":
                return False
            case StepEnd() | Computed():
                return True
            case Reduced() | Checked():
                return not away(item, self._pushed_by(chain, state.pushed))
            case Every(_, items):
                inner, used = all_launches(items), self.used_beside[item]
                pushed = self._pushed_by(chain, state.pushed)
                return (
                    all(isinstance(i, Launch | Reduced | Computed | Checked) for i in items)
                    and not any(name in used for launch in inner for name, _ in launch.writes)
                    # What they assign next door must be returned, which takes an exchange.
                    and not any(any(a.displacement) for launch in inner for a in launch.assigns)
                    and not pushed.located(
                        self.joining.demands(inner).needs | self.joining.demands(inner).own
                    )
                    and not any(away(i, pushed) for i in items)
                )
            case _:
                return False

    def _passive(self, item: object, chain: OpenChain, state: _State) -> Passed:
        match item:
            case Every(interval, items):
                return Every(interval, tuple(self.body(items, _State())[0]))
            case StepEnd():
                return StepEnd(self._pushed_by(chain, state.pushed))
            case _:
                assert isinstance(item, Reduced | Computed | Checked)
                return item

    def _close(self, chain: OpenChain, planned: list[ScheduleItem], state: _State) -> _State:
        """Add a finished chain; return what is known after it."""
        if not chain.launches:
            return state
        asked = self._asked(tuple(chain.launches))
        launches = asked.launches
        fetch = state.pushed.located(uncovered(asked.wanted, state.valid))
        concerned = {need.key for need in fetch}.union(*(launch.writes for launch in launches))
        fields = {name for name, _ in concerned}
        kept = {need.key for need in state.valid if need.field in fields}
        # What follows the last kernel is no part of the chain.
        inner = tuple(b for b in chain.breaks if b.position < len(launches))
        trailing = [b.item for b in chain.breaks if b.position == len(launches)]
        stale = frozenset(concerned - kept)
        planned.append(
            Chain(
                launches,
                asked.demands.extents,
                inner,
                fetch,
                stale,
                state.pushed,
                is_pipelined=self._is_pipelined(launches),
            )
        )
        planned += trailing
        pushed = state.pushed.pieces
        away = frozenset(
            need
            for need in asked.wanted
            if need.is_away or (need.key in pushed and state.pushed.located([need]))
        )
        return _State(_after(asked, state.valid | away), self._pushed_by(chain, state.pushed))

    def _asked(self, launches: tuple[Launch, ...]) -> _Asked:
        """Return what kernels ask for and leave."""
        key = (self.recompute, *map(id, launches))
        if key not in self.asked:
            demands = self.joining.demands(launches, self.redundant.provided)
            self.check_filled(launches, demands)
            ahead = (self.redundant.ahead.get(id(launch), _NOTHING) for launch in launches)
            wanted = self.whole.unmoved((demands.needs | demands.own).union(*ahead))
            written: dict[tuple[str, int], list[Box]] = {}
            for launch in launches:
                for access in launch.assigns:
                    for region in access.space.images(access.cells(launch.region)):
                        add_joined(written.setdefault(access.key, []), region)
            # No other kernel of the chain assigns what a kernel provides.
            provided = (self.redundant.provided.get(id(launch), _NOTHING) for launch in launches)
            left = self.whole.unmoved(_NOTHING.union(*provided))
            self.asked[key] = _Asked(launches, demands, wanted, written, left)
        return self.asked[key]

    def _is_pipelined(self, launches: Sequence[Launch]) -> bool:
        """Return whether the last of some kernels sweeps along an axis that is cut."""
        sweep = launches[-1].kernel.sweep
        return sweep is not None and sweep[0] in self.cut and not launches[-1].space.is_replicated

    def _pushed_by(self, chain: OpenChain, pushed: PushedValues) -> PushedValues:
        """Return what is held after the kernels of a chain."""
        for launch in chain.launches:
            pushed = pushed.after(launch)
        return pushed

    def _other(self, item: object, planned: list[ScheduleItem], state: _State) -> _State:
        """Add an item that is no kernel; return what is known after it."""
        match item:
            case Swap(first, second):
                planned.append(item)
                return state.swapped(first, second)
            case Repeat(count, passes):
                with self._in_loop():
                    for rounds, groups in self._rounds(count, passes):
                        if rounds == 1:
                            body, state = self._round(groups, state)
                            planned += body
                            continue
                        before, body, state = self.cyclic(groups, state)
                        planned += [Refresh(before)] if before else []
                        planned.append(Repeat(rounds, tuple(body)))
                return state
            case Until(_, items):
                with self._in_loop():
                    before, body, state = self.cyclic([items], state)
                planned += [Refresh(before)] if before else []
                returned = state.pushed.returning()
                ends = (*([Refresh(returned)] if returned else []), *item.before_error)
                planned.append(replace(item, body=tuple(body), before_error=ends))
                return state
            case Every(interval, items):
                body, after = self.body(items, state)
                back = after.pushed.to(state.pushed)
                planned.append(Every(interval, (*body, *([Refresh(back)] if back else []))))
                return _State(state.valid & after.valid, state.pushed)
            case Called():
                # The function may look at any field and change it: get again what was valid.
                returned = state.pushed.returning()
                again = undisplaced(state.valid) | PushedValues().to(state.pushed)
                planned += [*([Refresh(returned)] if returned else []), item, Refresh(again)]
                return state
            case Reduced() | Checked():
                returned = away(item, state.pushed)
                planned += [*([Refresh(returned)] if returned else []), item]
                return _State(
                    state.valid | {replace(n, displacement=None) for n in returned}, state.pushed
                )
            case Computed():
                planned.append(item)
                return state
            case StepEnd():
                planned.append(StepEnd(state.pushed))
                return state
            case _:
                raise AssertionError(item)

    def _rounds(self, count: int, passes: tuple[Items, ...]) -> list[tuple[int, list[Items]]]:
        """Return a loop as rounds of passes, for deep halos of several, and what is left."""
        unrolled = passes * (lcm(len(passes), self.depth) // len(passes))
        rounds, rest = divmod(count, len(unrolled))
        parts = [(rounds, unrolled), (1, unrolled[:rest])]
        return [(n, self.groups(part)) for n, part in parts if n and part]


def _after(asked: _Asked, valid: Needs) -> Needs:
    """Return what is valid after kernels have written their cells and provided others."""
    written, fields = asked.written, {name for name, _ in asked.written}
    stale = {
        need
        for need in valid
        if need.field in fields and any(map(need.reach.region.meets, written.get(need.key, ())))
    }
    return asked.provided | (valid - stale)
