"""Needed cells: which cells beyond their own blocks need, of many blocks at once."""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.box_array import BoxArray, beside, columns, joined
from halocline.geometry import opposite
from halocline.plan.cells.reach import move
from halocline.plan.cells.wrap import across, reached
from halocline.plan.exchange.outside import disjoint_outside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Offset
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.block import BlockArray
    from halocline.plan.cells.reach import Needs, Reach
    from halocline.plan.schedule.layout import FieldLayout

# Field and component, and where those who give have the values (see 'Need').
Key = tuple[str, int, "Offset"]
# Components of a field of which the same cells are needed.
Group = tuple[Key, ...]


class Needed(NamedTuple):
    """Boxes of cells that blocks need, none with cells in common with another of the same.

    Attributes:
        groups: Of which components; the others are their positions.
        group: Of which of them each box is.
        target: The block that needs it.
        box: The cells.
    """

    groups: Sequence[Group]
    group: NDArray[np.intp]
    target: NDArray[np.intp]
    box: BoxArray


class NeededCells:
    """Finds which cells beyond their own blocks need.

    Args:
        decomposition: The blocks.
        layouts: How fields are stored.
        shared: Fields that kernels assign next door.
        is_full: Whether whole halos are needed of all fields of which anything is.
    """

    def __init__(
        self,
        decomposition: Decomposition,
        layouts: dict[str, FieldLayout],
        shared: frozenset[str],
        *,
        is_full: bool,
    ) -> None:
        self._decomposition = decomposition
        self._layouts = layouts
        self._shared = shared
        self._is_full = is_full
        self._undisplaced = (0,) * len(decomposition.extent)

    def of(self, numbers: NDArray[np.intp], needs: Needs) -> Needed:
        """Return the cells that blocks of the same role need.

        Args:
            numbers: The blocks.
            needs: Of blocks of their role.
        """
        names = sorted({need.field for need in needs})
        if not names:
            empty = np.empty(0, np.intp)
            return Needed((), empty, empty, BoxArray.of((), len(self._undisplaced)))
        views = {name: self._decomposition.on(self._layouts[name].space) for name in names}
        on_view = {view: view.table(numbers) for view in set(views.values())}
        tables = {name: on_view[view] for name, view in views.items()}
        # Blocks whose rows close on themselves need other cells.
        is_closed = np.array([tables[name].wrap > 0 for name in names])
        kinds, kind = np.unique(is_closed, axis=1, return_inverse=True)
        groups: list[Group] = []
        found: list[tuple[BlockArray, BoxArray]] = []
        for position, which in enumerate(kinds.T):
            alike = kind.ravel() == position
            closed = frozenset(name for name, is_one in zip(names, which, strict=True) if is_one)
            for keys, reaches in _grouped(needs, closed):
                name = keys[0][0]
                if not self._is_full or name in self._shared:
                    blocks = tables[name].take(alike)
                    groups.append(keys)
                    found.append((blocks, reached(reaches, blocks)))
        for name in names if self._is_full else ():
            if name not in self._shared:
                every = range(self._layouts[name].components)
                groups.append(tuple((name, q, self._undisplaced) for q in every))
                found.append((tables[name], self._whole(name, tables[name])))
        return _beyond(groups, found)

    def _whole(self, field: str, blocks: BlockArray) -> BoxArray:
        """Return the whole of what blocks store of a field (axes, 1, blocks).

        What kernels assign next door lies in halos, where nothing else may be put: of those fields
        only what is needed is sent.
        """
        layout = self._layouts[field]
        on_space = self._decomposition.on(layout.space)
        stored = layout.all_stored(on_space, blocks.number)
        lower, upper = stored.lower.copy(), stored.upper.copy()
        lower[0] = np.where(blocks.wrap > 0, 0, lower[0])
        upper[0] = np.where(blocks.wrap > 0, blocks.wrap, upper[0])
        # Along axes that a field lacks blocks have what lies in line with them.
        lacks = np.array(layout.space.lacks)[:, None]
        lower = np.where(lacks, blocks.owned.lower, lower)
        upper = np.where(lacks, blocks.owned.upper, upper)
        return BoxArray(lower[:, None], upper[:, None])


@lru_cache(maxsize=1 << 12)  # asked for again after a regrid
def _grouped(needs: Needs, closed: frozenset[str]) -> list[tuple[Group, tuple[Reach, ...]]]:
    """Return components of a field that are needed by the same reaches, and these.

    Many needs lead to the same cells, and components often need the same. Where blocks have the
    values of their own cells moved by an offset, everything is seen from there: moved back by it,
    the exchange is that of own cells.

    Args:
        needs: Of the blocks of a role.
        closed: The fields whose rows close on themselves.
    """
    found: dict[Key, set[Reach]] = {}
    for need in needs:
        undisplaced = (0,) * len(need.reach.lower)
        displacement = across(need.displacement or undisplaced, need.field in closed)
        back = opposite(displacement)
        reach = move(need.reach, back) if any(back) else need.reach
        found.setdefault((need.field, need.component, displacement), set()).add(reach)
    groups: dict[tuple[str, frozenset[Reach]], list[Key]] = {}
    for key, reaches in sorted(found.items(), key=itemgetter(0)):
        groups.setdefault((key[0], frozenset(reaches)), []).append(key)
    return [(tuple(keys), tuple(reaches)) for (_, reaches), keys in groups.items()]


def _beyond(groups: Sequence[Group], found: Sequence[tuple[BlockArray, BoxArray]]) -> Needed:
    """Return disjoint parts of the boxes of blocks that are not their own.

    Args:
        groups: Of which components.
        found: For each group the blocks, and some boxes of each (axes, boxes, blocks).
    """
    origin = np.concatenate([blocks.box.lower for blocks, _ in found], axis=1)
    is_guest = np.concatenate([blocks.is_guest for blocks, _ in found])
    inner = joined([blocks.owned for blocks, _ in found]).moved(-origin).where(~is_guest)
    boxes = beside([boxes for _, boxes in found]).moved(-origin[:, None])
    of, parts = disjoint_outside(inner, boxes)
    number = np.concatenate([blocks.number for blocks, _ in found])
    group = np.repeat(np.arange(len(found)), [len(blocks.number) for blocks, _ in found])
    return Needed(groups, group[of], number[of], parts.moved(columns(origin, of)))
