"""Which cells of a block exchanges bring, and which they take away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.frozen import Frozen
from halocline.plan.cells.wrap import whole_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from halocline.geometry import Box
    from halocline.plan.cells.access import Boxes, Key
    from halocline.plan.value.messages import Exchange


class Traffic(Frozen):
    """Cells in motion, for each block by field and component.

    Attributes:
        arriving: Halo cells that are about to change.
        leaving: Own cells that others are about to get.
    """

    arriving: dict[int, Boxes]
    leaving: dict[int, Boxes]


def traffic(exchanges: Iterable[Exchange], wrap_of: Callable[[int], int]) -> Traffic:
    """Return what some exchanges move.

    Args:
        exchanges: The exchanges.
        wrap_of: Of a block: if its rows close on themselves, whole rows count as moved.
    """
    arriving: dict[int, Boxes] = {}
    leaving: dict[int, Boxes] = {}

    def add(found: dict[int, Boxes], block: int, key: Key, box: Box) -> None:
        boxes = found.setdefault(block, {}).setdefault(key, [])
        boxes.append(whole_rows(box, wrap_of(block)))

    for exchange in exchanges:
        for part in (*(p for m in exchange.receives for p in m.parts), *exchange.copies):
            add(arriving, part.target, (part.field, part.component), part.box)
        for part in (*(p for m in exchange.sends for p in m.parts), *exchange.copies):
            add(leaving, part.source, part.source_key, part.source_box)
    return Traffic(arriving, leaving)
