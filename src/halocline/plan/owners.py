"""Owners: which rank has which leaf of a forest, as somebody else has decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halocline.language.spaces.leaves import Leaf, Leaves


@dataclass(frozen=True, slots=True)
class Owners:
    """The ranks of a forest's leaves, instead of those along a curve.

    Attributes:
        ranks: The rank of each leaf, in the order of 'forest.leaves': level by level, the coarsest
            first, and in each by position.
    """

    ranks: Sequence[int]

    def __post_init__(self) -> None:
        """Take what is given as it is now: plans are found again by it."""
        object.__setattr__(self, "ranks", tuple(map(int, self.ranks)))

    def of(self, leaves: Leaves) -> Mapping[Leaf, int]:
        """Return the rank of each leaf.

        Raises:
            PlanError: There are more leaves or fewer.
        """
        every = list(leaves)
        if len(self.ranks) != len(every):
            raise PlanError(
                f"{len(self.ranks)} owners were given for the {len(every)} leaves of a forest; "
                "expected one each.",
                hint="Refined while it runs, a forest has other leaves after each regrid.",
            )
        return dict(zip(every, self.ranks, strict=True))
