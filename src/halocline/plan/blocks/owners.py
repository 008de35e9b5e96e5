"""Owners: which rank has which leaf of a forest, as somebody else has decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import force_setattr

from halocline.errors import PlanError, described
from halocline.frozen import Frozen
from halocline.language.numbers import Range, whole_number
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.language.spaces.leaves import Leaves


_RANK = Range(least=0)


class Owners(Frozen):
    """The ranks of a forest's leaves, instead of those along a curve.

    Attributes:
        ranks: The rank of each leaf, in the order of 'forest.leaves': level by level, the coarsest
            first, and in each by position.

    Example:
        >>> owners = hc.Owners([0, 0, 1, 1])
    """

    ranks: Sequence[int]

    def __post_init__(self) -> None:
        """Take what is given as it is now: plans are found again by it."""
        given: Any = self.ranks
        if not np.iterable(given):
            raise PlanError(
                f"'hc.Owners' was given {described(given)}; expected a rank for each leaf.",
                place=user_place(),
            )
        ranks = tuple(whole_number("'ranks' of 'hc.Owners'", one, _RANK) for one in given)
        force_setattr(self, "ranks", ranks)

    def of(self, leaves: Leaves, ranks: int) -> NDArray[np.intp]:
        """Return the rank of each leaf, in the order of the leaves.

        Args:
            leaves: The leaves.
            ranks: How many ranks there are.

        Raises:
            PlanError: There are more leaves or fewer, or a rank has none or does not exist.
        """
        if len(self.ranks) != leaves.count:
            raise PlanError(
                f"{len(self.ranks)} owners were given for the {leaves.count} leaves of a forest; "
                "expected one each.",
                hint="Refined while it runs, a forest has other leaves after each regrid.",
            )
        idle, unknown = {*range(ranks)} - {*self.ranks}, {*self.ranks} - {*range(ranks)}
        if idle or unknown:
            found = f"rank {min(idle)} has none" if idle else f"rank {min(unknown)} has some"
            raise PlanError(
                f"The leaves of a forest were given to their owners so that {found}, of {ranks} "
                f"rank(s); expected the numbers 0 to {ranks - 1}, each at least once.",
                hint="Use fewer ranks, or hc.Shares, which gives each some.",
            )
        return np.array(self.ranks, np.intp)
