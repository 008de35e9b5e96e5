"""Role: what a block does in a forest, whose levels meet at borders.

The cells of a level that a block of its own has are computed by the kernels of the level. Beside
these, kernels read cells that lie in blocks of another level; they belong to thin blocks along the
border: 'ghost' cells beyond the level, made of the coarser one by prolongation, and 'covered' cells
under the finer level, made of it by restriction. For that such a block has cells of the other level
too, which are others' own: there it is a guest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from halocline.language.spaces.space import Space

Kind = Literal["leaf", "ghost", "covered"]


@dataclass(frozen=True, slots=True, order=True)
class Role:
    """What a block does, and which kernels run there.

    Attributes:
        kind: Whether its cells are a leaf's or lie at a border, and on which side of it.
        level: Of the cells that it owns.
    """

    kind: Kind
    level: int

    @property
    def other(self) -> int | None:
        """The level of which it has cells as a guest."""
        return {"leaf": None, "ghost": self.level - 1, "covered": self.level + 1}[self.kind]

    def is_guest_in(self, space: Space) -> bool:
        """Return whether a space's cells belong to others."""
        return space.level != self.level

    def __str__(self) -> str:
        """Return it as plans print it."""
        return (
            f"level {self.level}" if self.kind == "leaf" else f"{self.kind} of level {self.level}"
        )
