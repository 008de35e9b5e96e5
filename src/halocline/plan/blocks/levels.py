"""The blocks of a forest: what they do, and their cells on each level."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from halocline.box_array import BoxArray, distinct
from halocline.errors import PlanError
from halocline.frozen import Frozen
from halocline.language.spaces.role import ALL, runs_on
from halocline.memo import memoised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.spaces.role import Role


class Levels(Frozen, dict=True):
    """What the blocks of a forest are; a grid has none of all this, and its blocks one role.

    Attributes:
        roles: What blocks do; blocks of a role have consecutive numbers.
        counts: How many blocks there are of each role.
        boxes: The cells of each block on its own level.
        lowest: The coarsest level: 0, or negative in a hierarchy (see 'role.py').
        finest: The finest level that there may be.
        is_hierarchy: Whether covered blocks hold all cells under finer levels.
        depths: How many cells ghost patches reach beyond a level, and under the finer one.
        cut_axes: The axes along which there are several blocks.
        closed: The blocks whose rows go all the way around along x, in ascending order.
    """

    roles: tuple[Role, ...] = ()
    counts: tuple[int, ...] = ()
    boxes: BoxArray = BoxArray.of(())
    lowest: int = 0
    finest: int = 0
    is_hierarchy: bool = False
    depths: tuple[int, ...] = ()
    cut_axes: frozenset[int] = frozenset()
    closed: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        found = [len(end.T) for end in self.boxes]
        if len(self.roles) != len(self.counts) or found != [sum(self.counts)] * 2:
            raise PlanError(
                f"A forest was given {found[0]} blocks, {len(self.roles)} roles, and {self.counts} "
                "blocks of these; expected a role for each count, and a count of all blocks."
            )

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        """Beyond which number the blocks of each role end."""
        return np.cumsum(self.counts, dtype=np.intp)

    @property
    def kinds(self) -> tuple[Role, ...]:
        """The roles that there are, of a grid too."""
        return self.roles or (ALL,)

    def kind_of(self, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the position of each block's role among the 'kinds'."""
        return np.searchsorted(self._ends, numbers, "right")

    def role_of(self, number: int) -> Role:
        """Return what a block does."""
        return self.kinds[int(self.kind_of(np.array([number]))[0])]

    def by_role(self, numbers: NDArray[np.intp]) -> Iterator[tuple[Role, NDArray[np.intp]]]:
        """Yield each role that some blocks have, and which of them have it."""
        kind = self.kind_of(numbers)
        for n in distinct(kind).tolist():
            yield self.kinds[n], numbers[kind == n]

    def running(self, role: Role, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return which of some blocks kernels of a role run on."""
        return numbers[self.have(partial(runs_on, role), numbers)]

    def have(
        self, is_chosen: Callable[[Role], bool], numbers: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Return which of some blocks have one of some roles, in a grid too."""
        found: NDArray[np.bool_] = np.array(list(map(is_chosen, self.kinds)), bool)
        return found[self.kind_of(numbers)]

    def having(self, is_chosen: Callable[[Role], bool]) -> NDArray[np.intp]:
        """Return the blocks of some roles, in ascending order."""
        return np.flatnonzero(np.repeat(list(map(is_chosen, self.roles)), self.counts))

    @memoised
    def on(self, level: int) -> BoxArray:
        """Return the cells of each block on a level: none for a block without a role there.

        Raises:
            PlanError: There is no such level.
        """
        if not self.lowest <= level <= self.finest:
            raise PlanError(
                f"Level {level} of a forest is used, which the simulation's steps lack.",
                hint="Put what uses it, such as the cycle of a multigrid, into these steps.",
            )
        lower, upper = (np.zeros_like(end) for end in self.boxes)
        for role, end, count in zip(self.roles, self._ends.tolist(), self.counts, strict=True):
            own = self.boxes.take(here := slice(end - count, end))
            if level == role.level:
                lower[:, here], upper[:, here] = own
            elif level == role.level + 1 and level == role.other:
                lower[:, here], upper[:, here] = 2 * own.lower, 2 * own.upper
            elif level == role.level - 1 and (self.is_hierarchy or level == role.other):
                lower[:, here], upper[:, here] = own.lower // 2, -(-own.upper // 2)
        return BoxArray(lower, upper)

    def own_box(self, number: int) -> Box:
        """Return the cells of a block on its own level."""
        (box,) = self.boxes.take(slice(number, number + 1)).every()
        return box
