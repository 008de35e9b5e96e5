"""Arrangement: which storage each field lies in at some point of a round.

A swap moves nothing: from then on each of the two fields lies where the other one did. A storage is
called after the field that lies in it when a round begins: the initial arrangement.
"""

from __future__ import annotations

from halocline.frozen import Frozen
from halocline.language.steps.tree import Swap


class Arrangement(Frozen):
    """Where fields lie.

    Attributes:
        away: The fields that lie elsewhere, each with the storage it lies in, by name.
    """

    away: tuple[tuple[str, str], ...] = ()

    def storage(self, field: str) -> str:
        """Return where a field lies."""
        return dict(self.away).get(field, field)

    def field(self, storage: str) -> str:
        """Return what lies in a storage."""
        return next((name for name, place in self.away if place == storage), storage)

    def after(self, swap: Swap[str]) -> Arrangement:
        """Return the arrangement after a swap of two fields."""
        first, second = self.storage(swap.first), self.storage(swap.second)
        places = dict(self.away) | {swap.first: second, swap.second: first}
        return Arrangement(tuple(sorted((f, place) for f, place in places.items() if f != place)))

    def swaps_to(self, other: Arrangement) -> tuple[Swap[str], ...]:
        """Return swaps of the contents of storages after which fields lie as another one says."""
        found, result = self, []
        for name in sorted({name for name, _ in (*self.away, *other.away)}):
            here, there = found.storage(name), other.storage(name)
            if here != there:
                result.append(Swap(there, here))
                found = found.after(Swap(name, found.field(there)))
        return tuple(result)


INITIAL = Arrangement()
