"""Role: what a block does in a forest, whose levels meet at borders.

Kernels of a level compute the cells of its blocks. They also read cells in blocks of another level;
these belong to ghost patches along the border: 'ghost' cells beyond the level, interpolated from
the coarser one, and 'covered' cells under the finer level, averages of it. For that a ghost patch
has cells of the other level too, which are others' own: there it is a guest.

Where steps do something beside edges and corners of the finer level alone, covered cells there are
blocks apart, the 'corner' ones.

In a hierarchy, which multigrid asks for, a level's covered blocks are all that lies under the finer
one. Levels that are coarser than the coarsest leaves are nothing but covered, and have negative
numbers. A kernel that solves on a level runs on its leaves and covered blocks alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from halocline.language.spaces.space import Space

Kind = Literal["leaf", "ghost", "covered", "corner", "leaf or covered"]

# On which blocks kernels run that do not run on those of their own kind alone.
_ON: dict[Kind, tuple[Kind, ...]] = {
    "covered": ("covered", "corner"),
    "leaf or covered": ("leaf", "covered", "corner"),
}


@dataclass(frozen=True, slots=True, order=True)
class Role:
    """What a block does, and which kernels run there.

    Attributes:
        kind: Whether its cells are a leaf's or lie at a border, and on which side of it; of
            kernels also 'leaf or covered'.
        level: Of the cells that it owns.
    """

    kind: Kind
    level: int

    @property
    def other(self) -> int | None:
        """The level of which it has cells as a guest."""
        below, above = self.level - 1, self.level + 1
        return {"leaf": None, "ghost": below, "covered": above, "corner": above}[self.kind]

    @property
    def is_leaf(self) -> bool:
        """Whether there are no others of its level: of leaves, and of levels coarser than these."""
        return self.kind == "leaf" or self.level < 0

    def is_guest_in(self, space: Space) -> bool:
        """Return whether a space's cells belong to others."""
        return space.level != self.level

    def __str__(self) -> str:
        """Return it as plans print it."""
        what = {"leaf": "", "corner": "covered at corners of "}.get(self.kind, f"{self.kind} of ")
        return f"{what}level {self.level}"


def runs_on(role: Role | None, block: Role | None) -> bool:
    """Return whether a kernel of a role runs on a block of another; None outside of forests."""
    if role is None or block is None:
        return role == block
    if role.level != block.level:
        return False
    return role.kind == block.kind or block.kind in _ON.get(role.kind, ())


def blocks_of(role: Role) -> tuple[Role, ...]:
    """Return the roles of the blocks on which a kernel of a role runs."""
    return tuple(Role(kind, role.level) for kind in _ON.get(role.kind, (role.kind,)))
