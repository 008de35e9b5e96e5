"""Redundant computing: what blocks compute of their neighbours' cells to send fewer bytes.

What a later chain reads of a neighbour's cells can be sent, or the kernel that assigns it can run
there, too. That takes copies of what this kernel reads; where these are sent anyway, because
another chain reads them before they change, computing again costs no bytes at all.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import field

from halocline.box_array import BoxArray
from halocline.frozen import Frozen
from halocline.geometry import UNBOUNDED, Box, disjoint, without
from halocline.language.points.at_points import AtPoints
from halocline.language.steps.tree import Swap, walk
from halocline.plan.cells.reach import cells
from halocline.plan.program.program import Called
from halocline.plan.schedule.chains import partial_axes
from halocline.plan.schedule.steps import Chain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from halocline.language.spaces.space import Space
    from halocline.plan.cells.access import Boxes, Key
    from halocline.plan.cells.reach import Need, Needs
    from halocline.plan.program.program import Launch, Program
    from halocline.plan.schedule.fusion import Joining, Provided
    from halocline.plan.schedule.steps import ScheduleItem

_NOTHING: Needs = frozenset()


class Redundant(Frozen):
    """What is computed again, by the identity of the kernels that do it.

    Attributes:
        provided: What of their results later chains read and do not get.
        ahead: What their chains get besides: of what computing again takes, all that is read of the
            same values later and leads the same way, so that no cell is sent twice.
    """

    provided: dict[int, Needs] = field(default_factory=dict)
    ahead: dict[int, Needs] = field(default_factory=dict)


class Redundancy:
    """Finds what is computed again, from a round in which all that is read is sent.

    Bytes are those of a block in the middle, with neighbours on all sides.

    Args:
        program: The steps.
        joining: Knows what chains ask for.
        cut: The axes along which there are several blocks.
        planned: The round.
    """

    def __init__(
        self,
        program: Program,
        joining: Joining,
        cut: frozenset[int],
        planned: Sequence[ScheduleItem],
    ) -> None:
        self.program, self.joining, self.cut, self.planned = program, joining, cut, planned
        self.sizes = {field.name: np.dtype(field.dtype).itemsize for field in program.fields}

    @cached_property
    def writers(self) -> dict[str, list[tuple[int, Box]]]:
        """For each storage which items write it, and in which cells."""
        found: dict[str, list[tuple[int, Box]]] = {}
        dimensions = self.program.dimensions
        everywhere = Box((-UNBOUNDED,) * dimensions, (UNBOUNDED,) * dimensions)
        for position, item in enumerate(self.planned):
            for name, region in dict.fromkeys(_written(item, everywhere)):
                found.setdefault(name, []).append((position, region))
        return found

    @cached_property
    def sent(self) -> dict[Key, list[tuple[Need, int]]]:
        """For each component what is sent, and the last item before that writes it."""
        found: dict[Key, list[tuple[Need, int]]] = {}
        for position, item in enumerate(self.planned):
            for need in item.fetch if isinstance(item, Chain) else ():
                key = need.key
                found.setdefault(key, []).append((need, self._writer(need, position)))
        return found

    def find(self) -> Redundant:
        """Return what is computed again; nothing if a function may change fields."""
        found = Redundant()
        if any(isinstance(item, Called) for item in walk(self.planned)):
            return found
        for position, item in enumerate(self.planned):
            for group in _by_direction(item.fetch) if isinstance(item, Chain) else ():
                self._choose(group, position, found)
        return found

    def bytes_sent(self) -> int:
        """Return how much is sent outside of loops."""
        return sum(self._bytes(item.fetch) for item in self.planned if isinstance(item, Chain))

    def _choose(self, group: Needs, position: int, found: Redundant) -> None:
        """Let a kernel provide what is needed, if that takes fewer bytes."""
        writer, *others = {self._writer(need, position) for need in group}
        if others or writer < 0:
            return
        chain = self.planned[writer]
        if not isinstance(chain, Chain) or (launch := _only_writer(chain, group)) is None:
            return
        known = found.provided.get(id(launch), _NOTHING)
        asked = self._asked(chain, found.provided)
        more = self._asked(chain, {**found.provided, id(launch): known | group}) - asked
        later = {need: self._sent_later(need, writer) for need in more}
        taken = self._boxes(asked)
        for needs in later.values():
            for key, boxes in self._boxes(needs).items():
                taken.setdefault(key, []).extend(boxes)
        changing = (need for need in more if need.field in self.writers)
        if self._bytes(changing, taken) < self._bytes(group):
            found.provided[id(launch)] = known | group
            ahead = found.ahead.get(id(launch), _NOTHING)
            found.ahead[id(launch)] = ahead.union(*later.values())

    def _asked(self, chain: Chain, provided: Provided) -> Needs:
        return self.joining.demands(list(chain.launches), provided).needs

    def _sent_later(self, need: Need, position: int) -> Needs:
        """Return what is sent of the values that a field has before a chain, in a direction."""
        version = self._writer(need, position)
        return frozenset(
            other
            for other, its_version in self.sent.get(need.key, ())
            if its_version == version and _way(other) == _way(need)
        )

    def _writer(self, need: Need, position: int) -> int:
        """Return the last item of a round before one, or before its end, that writes what is read.

        It is -1 if there is none.
        """
        region, found = need.reach.region, -1
        positions = [p for p, written in self.writers.get(need.field, ()) if written.meets(region)]
        if positions:
            found = positions[bisect_left(positions, position) - 1]
        return found

    def _bytes(self, needs: Iterable[Need], known: Boxes | None = None) -> int:
        """Return what it takes to send needs, without known cells."""
        return sum(
            self.sizes[key[0]] * box.cells
            for key, boxes in self._boxes(needs).items()
            for box in without(disjoint(boxes), (known or {}).get(key, ()))
        )

    def _boxes(self, needs: Iterable[Need]) -> Boxes:
        """Return the cells that needs lead to beyond a block's own."""
        found: Boxes = {}
        for need in needs:
            own = self._block(self.program.spaces[need.field])
            (box,) = cells([need.reach], BoxArray.of([own])).around().every()
            boxes = box.subtract(own)
            found.setdefault(need.key, []).extend(boxes)
        return found

    def _block(self, space: Space) -> Box:
        """Return the middle third of the domain along axes that are cut, all of it along others."""
        ends = []
        for axis, n in enumerate(space.domain.upper):
            if space.lacks[axis]:
                ends.append((0, 1))
            else:
                ends.append((n // 3, max(n // 3 + 1, 2 * n // 3)) if axis in self.cut else (0, n))
        lower, upper = zip(*ends, strict=True)
        return Box(lower, upper)


def _written(item: ScheduleItem, everywhere: Box) -> Iterator[tuple[str, Box]]:
    """Yield the storages that an item of a round, or what it repeats, changes, and the cells."""
    for inner in walk([item]):
        if isinstance(inner, Chain):
            for access, launch in ((a, one) for one in inner.launches for a in one.assigns):
                for region in access.space.images(access.cells(launch.region)):
                    yield access.field, region
        elif isinstance(inner, Swap):
            for name in (inner.first, inner.second):
                yield name, everywhere


def _by_direction(needs: Needs) -> list[Needs]:
    """Return the needs of the same field and component that lead the same way, for each of these.

    Without those of values that another block has than the owner of their cell.
    """
    found = [n for n in needs if n.displacement is None and n.reach.is_away]
    return [frozenset(group) for _, group in groupby(sorted(found, key=_way), key=_way)]


def _way(need: Need) -> tuple[Any, ...]:
    """Return of which component a need is, and in which direction it leads."""
    signs = (tuple(map(int, map(np.sign, side))) for side in (need.reach.lower, need.reach.upper))
    return (need.field, need.component, *signs)


def _only_writer(chain: Chain, needs: Needs) -> Launch | None:
    """Return the kernel of a chain that alone assigns what is needed, if it can run further."""
    (key,) = {need.key for need in needs}
    found = [
        launch
        for launch in chain.launches
        for access in launch.assigns
        if access.key == key
        for region in access.space.images(access.cells(launch.region))
        if any(need.reach.region.meets(region) for need in needs)
    ]
    if len(found) != 1 or chain.hands_on or any(chain.pushed.pieces):
        return None
    (launch,) = found
    is_free = (
        not launch.role.is_in_forest
        and not launch.on_demand
        and not launch.is_layer
        and not isinstance(launch.body, AtPoints)
        and not launch.space.is_replicated
        and not partial_axes(launch)
        and not any(any(a.displacement) for a in launch.assigns)
        and not any(a.ratio for a in launch.assigns if a.key == key)
    )
    return launch if is_free else None
