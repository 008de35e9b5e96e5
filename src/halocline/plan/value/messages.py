"""Messages and what they carry.

A message is identified by its source and target rank and a tag, which stands for the number of its
exchange and, with one message a field, the field; the parts in it come in the order in which both
sides enumerate them, so neither two neighbours that are the same rank nor a rank that is its own
neighbour can be confused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from halocline.plan.cells.strategy import Transport
    from halocline.plan.value.parts import Parts


class Message(Frozen):
    """What one rank sends another in one exchange, in the order of its parts.

    Attributes:
        source: The rank that sends.
        target: The rank that receives.
        tag: Its number among all messages of the plan from this source to this target.
        parts: What it carries.
        transport: What moves it; 'auto' until that is decided for a platform.
    """

    source: int
    target: int
    tag: int
    parts: Parts
    transport: Transport = "auto"


class Exchange(Frozen):
    """What one rank sends, receives and copies between its own blocks to bring halos up to date.

    Attributes:
        number: Its number among all exchanges of the plan, the same on all ranks.
        sends: A message for each rank that needs something of this one, or one for each field.
        receives: The same for each rank that has something for this one.
        copies: What moves between blocks of this rank.
        label: The number by which reports know it: that of the first exchange that does the same,
            if only with other storages of swapped fields.
    """

    number: int
    sends: tuple[Message, ...]
    receives: tuple[Message, ...]
    copies: Parts
    label: int

    def with_storages(
        self, storages: Mapping[str, str], number: int, tag: Callable[[str], int]
    ) -> Exchange:
        """Return the same with other storages.

        Args:
            storages: For each of its storages the other one.
            number: What it gets.
            tag: Returns the tag of a message, called with its first storage.
        """

        def messages(found: tuple[Message, ...]) -> tuple[Message, ...]:
            return tuple(
                replace(
                    one, tag=tag(storages[one.parts[0].field]), parts=one.parts.renamed(storages)
                )
                for one in found
            )

        return replace(
            self,
            number=number,
            sends=messages(self.sends),
            receives=messages(self.receives),
            copies=self.copies.renamed(storages),
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing happens."""
        return not (self.sends or self.receives or self.copies)
