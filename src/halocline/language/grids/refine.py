"""Refine: how the blocks of a forest follow what is computed on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import force_setattr

from halocline.errors import GridError, described
from halocline.frozen import Frozen
from halocline.language.grids.composite import CompositeField
from halocline.language.grids.criterion import Criterion, check_arguments
from halocline.language.numbers import Range, finite_number, whole_number
from halocline.language.place import user_place

if TYPE_CHECKING:
    from halocline.language.grids.forest import Forest

# The level that is wanted, as a field or a function of the coordinates.
Wanted = CompositeField | Criterion


class Refine(Frozen):
    """When and where blocks of a forest are split and merged while a simulation runs.

    Attributes:
        wanted: The criterion, a level at each place, any number: a field of the forest with one
            component, or a function of the coordinates. A block of level 1 is split if the
            criterion is 2 or more in one of its cells, and there is a finer level. It is merged
            with its siblings if the criterion is less than 1 - 'slack' in all of their cells.
        every: After how many steps.
        slack: By how much the criterion may fall below the level of a block that stays. So blocks
            stay where the criterion varies little.

    Example:
        >>> forest = hc.Forest((64, 64), refine=lambda x, y: x > 40)
        >>> wanted = forest.field("wanted", coupling="none")
        >>> refine = hc.Refine(wanted, every=10)
    """

    wanted: Wanted
    every: int = 10
    slack: float = 0.5

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        check_wanted(self.wanted)
        force_setattr(self, "every", whole_number("'every'", self.every, Range(least=1)))
        force_setattr(self, "slack", checked_slack(self.slack))


def check_wanted(wanted: Any, forest: Forest | None = None) -> None:
    """Refuse what says of no place which level is wanted there.

    Args:
        wanted: What says it.
        forest: For which forest; None if that is not known yet.

    Raises:
        GridError: It does not, or values of the forest hold for its blocks as they are.
    """
    if forest is not None and forest.fixed_by:
        raise GridError(
            f"Blocks of a forest were to be split and merged that has {forest.fixed_by}; expected "
            "one without.",
            hint="What these need to know of blocks is found once, for the first ones.",
            place=user_place(),
        )
    if isinstance(wanted, CompositeField):
        first = wanted.level(0)
        if forest is not None and wanted.forest is not forest:
            found = f"the field '{wanted.name}' of another forest"
        elif wanted.components == 1 and first.location == "center":
            return
        else:
            found = f"the field '{wanted.name}' of {wanted.components} component(s)"
            found += f" at '{first.location}'"
    elif callable(wanted):
        if forest is not None:
            check_arguments(wanted, forest.dimensions)
        return
    else:
        found = described(wanted)
    raise GridError(
        f"A forest was given refine={found}; expected a field of the forest with one "
        "component in the middle of cells, or a function of the coordinates.",
        place=user_place(),
    )


def checked_slack(slack: Any) -> float:
    """Return how much less than a block's level may be wanted, or refuse it."""
    return finite_number("'slack'", slack, Range(least=0, below=1))
