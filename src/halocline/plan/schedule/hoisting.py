"""Exchanges moved forward: what the next chain needs is sent by the one that writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.language.steps.tree import Every
from halocline.plan.cells.reach import Needs
from halocline.plan.program.program import Called, Checked, Computed, Reduced
from halocline.plan.schedule.steps import Chain, Refresh, ScheduleItem, StepEnd

if TYPE_CHECKING:
    from halocline.plan.cells.access import Key

_NOTHING: Needs = frozenset()


def hoist_fetches(
    items: list[ScheduleItem], *, is_rim_first: bool
) -> tuple[Needs, list[ScheduleItem]]:
    """Let each chain send what the next one needs, where only the likes of reductions are between.

    Args:
        items: A round of items that repeat.
        is_rim_first: Whether the sending chain also waits; otherwise the reading one does, and
            no step may end between.

    Returns:
        What the first chain needs in the very first round, and the items.
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
        is_free = not (chain.hands_on or _hands_on(items[previous]))
        if (
            not is_free
            or not chain.fetch
            or not all(_may_pass(result[n], chain.fetch) for n in between)
        ):
            continue
        if not is_rim_first:
            # What is in flight must have arrived when a step ends.
            before = items[previous]
            ends = chain.step_ends or (isinstance(before, Chain) and before.step_ends)
            if not is_wrapped and not ends and all(_is_quiet(result[n]) for n in between):
                _postpone(result, previous, position)
            continue
        needs = chain.fetch
        if is_wrapped:
            first_needs = needs
        for n in between:
            result[n] = _repeated(result[n], needs)
        result[position] = replace(chain, fetch=_NOTHING, stale=_without(chain, chain.fetch))
        sender = result[previous]
        assert isinstance(sender, Chain)
        result[previous] = replace(sender, send=sender.send | needs)
    return first_needs, result


def _hands_on(item: ScheduleItem) -> bool:
    return isinstance(item, Chain) and item.hands_on


def _without(chain: Chain, needs: Needs) -> frozenset[Key]:
    return chain.stale - {(need.field, need.component) for need in needs}


def _postpone(items: list[ScheduleItem], sender: int, reader: int) -> None:
    """Let one chain send what another will wait for before its first use."""
    sending, reading = items[sender], items[reader]
    assert isinstance(sending, Chain)
    assert isinstance(reading, Chain)
    groups = tuple(reading.by_first_use(reading.fetch).values())
    items[sender] = replace(sending, early=groups)
    stale = _without(reading, reading.fetch)
    items[reader] = replace(reading, fetch=_NOTHING, late=groups, stale=stale)


def _may_pass(item: ScheduleItem, needs: Needs) -> bool:
    """Return whether an exchange may be started before an item instead of after it."""
    match item:
        case Reduced() | Computed() | Checked() | StepEnd():
            return True
        case Called() | Refresh():
            # Functions see no pushed values.
            return not any(need.displacement for need in needs)
        case Every(_, items):
            return all(_may_pass(inner, needs) for inner in items)
        case _:
            return False


def _is_quiet(item: ScheduleItem) -> bool:
    """Return whether an item changes nothing that may be in flight."""
    match item:
        case Reduced() | Computed() | Checked():
            return True
        case Every(_, items):
            return all(_is_quiet(inner) for inner in items)
        case _:
            return False


def _repeated(item: ScheduleItem, needs: Needs) -> ScheduleItem:
    """Return an item before which needs are met: again after a function."""
    match item:
        case Refresh(valid):
            return Refresh(valid | needs)
        case Every(interval, inner):
            refreshed = (
                replace(i, needs=i.needs | needs) if isinstance(i, Refresh) else i for i in inner
            )
            return Every(interval, tuple(refreshed))
        case _:
            return item
