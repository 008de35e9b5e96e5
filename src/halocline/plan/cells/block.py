"""The blocks of a decomposition."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from halocline.frozen import Frozen
from halocline.language.spaces.role import ALL, Role

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from halocline.box_array import BoxArray
    from halocline.geometry import Box

# The owner of a block that is dropped.
NOBODY = -1


class Block(Frozen):
    """The box of cells owned by a rank.

    Attributes:
        number: Position among all blocks.
        rank: Its owner; NOBODY if it is dropped.
        box: Its cells of the domain.
        owned: The same and, at the edge of the domain, all boundary layers beyond it.
        wrap: Cells once around the grid along x if the block goes all the way: its rows close on
            themselves, which is left to kernels (see 'wrap.py'); else 0.
        role: What it does.
        is_guest: Whether its cells are others' own.
    """

    number: int
    rank: int
    box: Box
    owned: Box
    wrap: int = 0
    role: Role = ALL
    is_guest: bool = False

    @property
    def is_leaf(self) -> bool:
        """Whether its cells, if there are any, are some of those that users see."""
        return not self.is_guest and self.role.is_leaf


class BlockArray(NamedTuple):
    """Many blocks, in arrays: what 'Block' says of each, without its rank and role."""

    number: NDArray[np.intp]
    box: BoxArray
    owned: BoxArray
    wrap: NDArray[np.int64]
    is_guest: NDArray[np.bool_]

    def take(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> BlockArray:
        """Return those at some positions."""
        return BlockArray(
            self.number[which],
            self.box.take(which),
            self.owned.take(which),
            self.wrap[which],
            self.is_guest[which],
        )
