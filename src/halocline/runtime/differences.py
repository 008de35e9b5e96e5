"""Accounts that ranks exchange where they differ, and the errors that follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.errors import HaloclineError, MpiError
from halocline.frozen import Frozen
from halocline.language.place import place_of, user_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# What a rank has come to, in the place of a call.
_THE_END = "the end of "
# Longer values say little in a message.
_LONGEST = 60


class Account(Frozen):
    """The account of one rank.

    Attributes:
        call: The collective call that is going on, or 'the end of …'.
        place: 'file:line' of it, or of its failure, in the user's program; may be empty.
        failure: What has failed; empty if nothing has.
        error: The failure, if all ranks are to raise it as it is.
        facts: What must be the same on all ranks, as text by its names.
    """

    call: str
    place: str
    failure: str
    error: HaloclineError | None
    facts: dict[str, str]


def account_of(
    call: str, failure: BaseException | None, *, is_shared: bool, facts: Mapping[str, str]
) -> Account:
    """Return the account of this rank."""
    if failure is None:
        return Account(call, user_place(), "", None, dict(facts))
    if isinstance(failure, HaloclineError):
        place = failure.place or place_of(failure.__traceback__) or user_place()
        shared = failure if is_shared else None
        return Account(call, place, failure.message.removesuffix("."), shared, {})
    place = place_of(failure.__traceback__) or user_place()
    text = f"{type(failure).__name__}: {failure}".removesuffix(": ").removesuffix(".")
    return Account(call, place, text, None, {})


def failure_of(rank: int, account: Account) -> MpiError:
    """Return the error for ranks on which nothing has failed."""
    call = account.call.removeprefix(_THE_END)
    return MpiError(
        f"Rank {rank} failed in {call}{_at(account.place)}: {account.failure}.",
        hint="What all ranks do together cannot go on without it.",
    )


def difference(accounts: Sequence[Account]) -> MpiError:
    """Return the error for accounts of which none is a failure, but some differ."""
    calls = _ranks_by(account.call for account in accounts)
    if len(calls) > 1:
        return _other_calls(accounts, calls)
    for name in dict.fromkeys(name for account in accounts for name in account.facts):
        found = _ranks_by(account.facts.get(name, "nothing") for account in accounts)
        if len(found) > 1:
            return _other_facts(name, found)
    return MpiError(
        f"Ranks have come apart in {accounts[0].call}{_at(accounts[0].place)}.",
        hint="This is a mistake in Halocline: please report it.",
    )


def _other_calls(accounts: Sequence[Account], calls: Mapping[str, list[int]]) -> MpiError:
    parts = []
    for call, ranks in calls.items():
        if call.startswith(_THE_END):
            parts.append(f"{_names(ranks)} {'has' if len(ranks) == 1 else 'have'} come to {call}")
        else:
            parts.append(f"{_names(ranks)} called {call}{_at(accounts[ranks[0]].place)}")
    text = ", while ".join(parts)
    return MpiError(
        f"{text[0].upper()}{text[1:]}; expected the same call on every rank.",
        hint="It waits for all ranks: make it outside of conditions like 'rank == 0'.",
    )


def _other_facts(name: str, found: Mapping[str, list[int]]) -> MpiError:
    if all(len(value) <= _LONGEST and "\n" not in value for value in found):
        values = ", ".join(f"{value} on {_names(ranks)}" for value, ranks in found.items())
    else:
        first, *others = found.values()
        differing = sorted(rank for ranks in others for rank in ranks)
        values = f"that of {_names(differing)} differs from that of {_names(first)}"
    return MpiError(f"Ranks disagree on {name}: {values}; expected the same on every rank.")


def _ranks_by(values: Iterable[str]) -> dict[str, list[int]]:
    """Return for each value the ranks that have it."""
    found: dict[str, list[int]] = {}
    for rank, value in enumerate(values):
        found.setdefault(value, []).append(rank)
    return found


def _names(ranks: Sequence[int]) -> str:
    """Return 'rank 0', 'ranks 0 and 2', 'ranks 0, 1, 2 and 5 others'."""
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    shown = 4
    words = [str(rank) for rank in ranks[:shown]]
    more = len(ranks) - shown
    last = f"{more} other{'s' if more > 1 else ''}" if more > 0 else words.pop()
    return f"ranks {', '.join(words)} and {last}"


def _at(place: str) -> str:
    return f" at {place}" if place else ""
