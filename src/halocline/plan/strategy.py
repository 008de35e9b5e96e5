"""Strategy: how a step is distributed; each choice is a chapter of one of the papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from halocline.errors import PlanError, nearest

Neighbours = Literal["direct", "staged"]
Width = Literal["minimal", "full"]
Overlap = Literal["core-first", "rim-first", "none"]


@dataclass(frozen=True, slots=True)
class Strategy:
    """The choices among ways that all give the same bits.

    Attributes:
        neighbours: 'direct' sends to all 8 or 26 neighbours at once; 'staged' axis after axis, so
            that corners ride along and only sides exchange messages.
        width: 'minimal' sends only what a kernel reads; 'full' the whole halo width of every
            component of the fields concerned.
        overlap: 'core-first' sends old values, computes what needs no halo, waits, computes the
            rim; 'rim-first' computes what others need, sends it, computes the core, waits; 'none'
            exchanges before it computes.
        overlapped: How many kernels of a chain are split into core and rim: the first ones with
            'core-first', the last ones with 'rim-first'; None for all.
        tiles: Into how many pieces the core is cut; between them messages are polled.
        poison: Overwrite halos with signalling NaN as soon as they are out of date (for tests).
    """

    neighbours: Neighbours = "direct"
    width: Width = "minimal"
    overlap: Overlap = "core-first"
    overlapped: int | None = None
    tiles: int = 4
    poison: bool = False

    def __post_init__(self) -> None:
        choices = (("neighbours", Neighbours), ("width", Width), ("overlap", Overlap))
        for name, values in choices:
            value = getattr(self, name)
            if value not in get_args(values):
                raise PlanError(
                    f"The strategy has {name}={value!r}.",
                    hint=nearest(str(value), get_args(values)),
                )
        if self.tiles < 1:
            raise PlanError(f"The strategy has tiles={self.tiles}; expected at least 1.")
        if self.overlapped is not None and self.overlapped < 0:
            raise PlanError(
                f"The strategy has overlapped={self.overlapped}; expected a number of kernels, or "
                "None for all."
            )
