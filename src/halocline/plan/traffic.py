"""Which cells of a block exchanges bring, and which they take away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.plan.wrap import whole_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.plan.message import Exchange
    from halocline.plan.zones import Boxes


@dataclass(frozen=True, slots=True)
class Traffic:
    """Cells in motion, for each block by field and component.

    Attributes:
        arriving: Halo cells that are about to change.
        leaving: Own cells that others are about to get.
    """

    arriving: dict[int, Boxes]
    leaving: dict[int, Boxes]


def traffic(exchanges: Iterable[Exchange], wrap: int) -> Traffic:
    """Return what some exchanges move.

    Args:
        exchanges: The exchanges.
        wrap: Of the blocks: if rows close on themselves, whole rows count as moved.
    """
    arriving: dict[int, Boxes] = {}
    leaving: dict[int, Boxes] = {}
    for exchange in exchanges:
        received = [part for message in exchange.receives for part in message.parts]
        sent = [part for message in exchange.sends for part in message.parts]
        for part in (*received, *exchange.copies):
            boxes = arriving.setdefault(part.target, {})
            boxes.setdefault((part.field, part.component), []).append(whole_rows(part.box, wrap))
        for part in (*sent, *exchange.copies):
            boxes = leaving.setdefault(part.source, {})
            boxes.setdefault((part.field, part.component), []).append(
                whole_rows(part.source_box, wrap)
            )
    return Traffic(arriving, leaving)
