"""Exchanges moved forward: what the next chain needs is sent by the one that writes it."""

from __future__ import annotations

from dataclasses import replace

from halocline.plan.program import Called, Checked, Exchanged, Reduced
from halocline.plan.reach import Needs, renamed
from halocline.plan.step import Chain, EveryItem, Key, Refresh, ScheduleItem, StepEnd

_NOTHING: Needs = frozenset()


def fetch_ahead(
    items: list[ScheduleItem], *, is_rim_first: bool
) -> tuple[Needs, list[ScheduleItem]]:
    """Let each chain send what the next one needs, where only swaps and the like stand between.

    Args:
        items: A round of items that repeat.
        is_rim_first: Whether the sending chain also waits; otherwise the reading one does, and
            nothing that renames fields or ends the round may stand between.

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
        if not chain.fetch or not all(_may_pass(result[n], chain.fetch) for n in between):
            continue
        if not is_rim_first:
            # What is under way must have arrived when a step ends.
            before = items[previous]
            ends = chain.step_ends or (isinstance(before, Chain) and before.step_ends)
            if not is_wrapped and not ends and all(_is_quiet(result[n]) for n in between):
                _postpone(result, previous, position)
            continue
        needs = chain.fetch
        if is_wrapped:
            first_needs = _names_before(needs, [result[n] for n in range(position)])
        for n in reversed(between):
            needs = _pass_back(result, n, needs)
        result[position] = replace(chain, fetch=_NOTHING, stale=_without(chain, chain.fetch))
        sender = result[previous]
        assert isinstance(sender, Chain)
        result[previous] = replace(sender, send=sender.send | needs)
    return first_needs, result


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
        case Exchanged() | Reduced() | Checked() | StepEnd():
            return True
        case Called() | Refresh():
            # Functions see all values at home.
            return not any(need.held for need in needs)
        case EveryItem(_, items):
            return all(
                _may_pass(inner, needs) and not isinstance(inner, Exchanged) for inner in items
            )
        case _:
            return False


def _is_quiet(item: ScheduleItem) -> bool:
    """Return whether an item neither renames nor changes fields that may be in flight."""
    match item:
        case Reduced() | Checked():
            return True
        case EveryItem(_, items):
            return all(_is_quiet(inner) for inner in items)
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
