"""Origins: where exchanges get values that kernels on ghost patches only move.

See 'copy_propagation.py'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.box_array import BoxArray
from halocline.plan.exchange.sources import cut
from halocline.plan.value.parts import Parts, joined_parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.access import Key
    from halocline.plan.schedule.steps import Moved, Place


class Origins:
    """Says where values lie that kernels only move.

    Args:
        decomposition: The blocks.
        moved: What kernels move on blocks of a role, by the storage and the component to which.
    """

    def __init__(self, decomposition: Decomposition, moved: Mapping[Place, Moved]) -> None:
        self._decomposition = decomposition
        self._places = list(moved)
        self._how = list(moved.values())

    @property
    def furthest(self) -> int:
        """How many cells away at most values lie."""
        return max((abs(n) for how in self._how for n in how.offset), default=0)

    @property
    def keys(self) -> frozenset[Key]:
        """The storages and components to which values are moved."""
        return frozenset((name, component) for _, name, component in self._places)

    def traced(self, parts: Parts) -> Parts:
        """Return parts that get moved values from where they were before."""
        which = self._which(parts)
        if which.max(initial=-1) < 0:
            return parts
        found = [parts[which < 0]]
        for space in dict.fromkeys(how.space for how in self._how):
            is_on = np.array([how.space == space for how in self._how])
            is_here = (which >= 0) & is_on[which]
            if is_here.any():
                found.append(self._on_space(parts[is_here], which[is_here], space))
        return joined_parts(found)

    def _which(self, parts: Parts) -> NDArray[np.intp]:
        """Return the position of what moves each part, -1 if nothing does."""
        columns, levels = parts.columns, self._decomposition.levels
        if not self._places or not len(parts):
            return np.full(len(parts), -1)
        roles, names = list(levels.kinds), list(parts.names)
        components = 1 + max(int(columns.component.max()), *(q for _, _, q in self._places))
        table = np.full((len(roles), len(names), components), -1)
        for n, (role, name, component) in enumerate(self._places):
            if role in roles and name in names:
                table[roles.index(role), names.index(name), component] = n
        return table[levels.kind_of(columns.source), columns.field, columns.component]

    def _on_space(self, parts: Parts, which: NDArray[np.intp], space: Space) -> Parts:
        """Return parts of fields of a space, all of which kernels move, and how each."""
        columns = parts.columns
        regions = BoxArray.of([how.region for how in self._how], len(space.extent)).take(which)
        offsets = np.array([how.offset for how in self._how], np.int64).T[:, which]
        of, ways, pieces = cut(parts.source_box, regions)
        is_moved: NDArray[np.bool_] = np.all(ways == 0, axis=0)
        back = columns.shift[:, of]
        cut_up = columns.take(of)._replace(box=pieces.moved(back))
        view = self._decomposition.on(space)
        # What no block has has never been moved, nor does it count.
        seen = pieces.moved(offsets[:, of]).where(is_moved)
        piece, number, shift = view.meetings(seen, columns.source[of])
        box = seen.take(piece).intersect(view.table(number).owned.moved(shift))
        away = back[:, piece] - offsets[:, of[piece]]
        held = np.array([parts.names.index(how.field) for how in self._how], np.intp)
        traced = cut_up.take(piece)._replace(
            source=number,
            box=box.moved(away),
            shift=shift + away,
            held=held[which[of[piece]]],
        )
        return joined_parts([Parts(parts.names, one) for one in (cut_up.take(~is_moved), traced)])
