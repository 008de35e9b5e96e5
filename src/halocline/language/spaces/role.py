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

A grid has blocks of a single role, 'all': each has cells of its own in every space, however wide
the cells are, and no levels meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from halocline.language.spaces.space import Space

Kind = Literal["all", "leaf", "ghost", "covered", "corner", "leaf or covered"]

# What ghost patches are.
PATCHES: tuple[Kind, ...] = ("ghost", "covered", "corner")
# On which blocks kernels run that do not run on those of their own kind alone.
_ON: dict[Kind, tuple[Kind, ...]] = {
    "covered": ("covered", "corner"),
    "leaf or covered": ("leaf", "covered", "corner"),
}


class Role(Frozen, order=True):
    """What a block does, and which kernels run there.

    Attributes:
        kind: Whether its cells are a leaf's or lie at a border, and on which side of it; of
            kernels also 'leaf or covered'; in a grid 'all'.
        level: Of the cells that it owns.
    """

    kind: Kind
    level: int

    @property
    def other(self) -> int | None:
        """The level of which it has cells as a guest."""
        below, above = self.level - 1, self.level + 1
        return {"ghost": below, "covered": above, "corner": above}.get(self.kind)

    @property
    def is_leaf(self) -> bool:
        """Whether there are no others of its level: of leaves, and of levels coarser than these."""
        return self.kind in ("all", "leaf") or self.level < 0

    @property
    def is_in_forest(self) -> bool:
        """Whether levels may meet at borders, where a neighbour cannot compute the same values."""
        return self.kind != "all"

    def is_guest_in(self, space: Space) -> bool:
        """Return whether a space's cells belong to others."""
        return self.is_in_forest and space.level != self.level

    def __str__(self) -> str:
        """Return it as plans print it."""
        what = {"leaf": "", "corner": "covered at corners of "}.get(self.kind, f"{self.kind} of ")
        return f"{what}level {self.level}"


# Of the blocks of a grid, and of the kernels there.
ALL = Role("all", 0)


def runs_on(role: Role, block: Role) -> bool:
    """Return whether a kernel of a role runs on a block of another."""
    if not role.is_in_forest:
        return True
    if role.level != block.level:
        return False
    return role.kind == block.kind or block.kind in _ON.get(role.kind, ())


def blocks_of(role: Role) -> tuple[Role, ...]:
    """Return the roles of the blocks on which a kernel of a role runs."""
    return tuple(Role(kind, role.level) for kind in _ON.get(role.kind, (role.kind,)))
