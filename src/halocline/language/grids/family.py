"""Family state: what the grids of a family share and change, and who owns their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from halocline.geometry import Box
    from halocline.language.grids.forest import Forest
    from halocline.language.spaces.space import Space


Made = TypeVar("Made")


class CollectiveCalls(Protocol):
    """What the language calls on all ranks together."""

    def call(self, name: str) -> AbstractContextManager[None]:
        """Return a context in which a collective call is in progress."""

    def on_first(self, action: Callable[[], Made]) -> Made | None:
        """Return what an action returns on rank 0, None elsewhere; its errors are everybody's."""


class FieldOwner(Protocol):
    """Who stores the fields of a family; all that the language needs of a simulation.

    The values of a field are in its 'Storage'; which cells a rank has is in 'FamilyState'.
    """

    def execute(self, *steps: object) -> None:
        """Execute steps now, outside the time loop; collective."""


class FamilyState(Struct, eq=False):
    """What changes of a family of grids.

    Attributes:
        own_boxes: Returns the boxes of a space's cells that this rank has; None before there is a
            simulation.
        owner: The simulation that stores the fields, or the first one before any does.
        forest: Of which the family has the levels; None for no forest.
        boundaries: How often a field has been given a boundary or limits.
    """

    own_boxes: Callable[[Space], list[Box]] | None = None
    owner: FieldOwner | None = None
    forest: Forest | None = None
    boundaries: int = 0
