"""Working on whichever message has arrived: which piece of a rim needs which messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.plan.cells.wrap import whole_rows
from halocline.plan.value.operations import Arrival, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from halocline.geometry import Box
    from halocline.plan.cells.access import Boxes
    from halocline.plan.program.program import Launch
    from halocline.plan.schedule.steps import Chain
    from halocline.plan.value.messages import Exchange


class Piece(Frozen):
    """A kernel of a chain, by its position, in one box."""

    position: int
    run: Run

    @property
    def block(self) -> int:
        """The block's number."""
        return self.run.boxes[0][0]

    @property
    def box(self) -> Box:
        """The cells."""
        return self.run.boxes[0][1]


def arrivals(
    exchange: Exchange,
    chains: Mapping[int, Chain],
    rim: list[Piece],
    kept: dict[int, Boxes],
    wrap_of: Callable[[int], int],
) -> tuple[tuple[Arrival, ...], list[Piece]]:
    """Return what can be done as messages arrive, and what must come after all of them.

    A piece needs the messages whose cells it reads or overwrites, and those of every piece that
    it depends on; so whenever a piece may run, the ones before it that matter have run already.

    Args:
        exchange: What arrives.
        chains: The kernels on each block.
        rim: Their rims, in order.
        kept: Own cells, for each block, that may only be overwritten when the exchange is over.
        wrap_of: Of a block.
    """
    needed: list[set[int] | None] = []
    used = [_on_whole_rows(piece, wrap_of(piece.block)) for piece in rim]
    for number, piece in enumerate(used):
        chain = chains[piece.block]
        launch = chain.launches[piece.position]
        messages: set[int] | None = _messages(exchange, launch, piece)
        if _overwrites(launch, piece, kept.get(piece.block, {})):
            messages = None
        for earlier, before in zip(used[:number], needed, strict=True):
            if _depends(chain, earlier, piece):
                messages = None if messages is None or before is None else messages | before
        needed.append(messages)
    ready = tuple(
        Arrival(tuple(sorted(messages)), piece.run)
        for piece, messages in zip(rim, needed, strict=True)
        if messages is not None
    )
    return ready, [piece for piece, messages in zip(rim, needed, strict=True) if messages is None]


def _on_whole_rows(piece: Piece, wrap: int) -> Piece:
    box = whole_rows(piece.box, wrap)
    return Piece(piece.position, replace(piece.run, boxes=((piece.block, box),)))


def _messages(exchange: Exchange, launch: Launch, piece: Piece) -> set[int]:
    """Return the positions of the messages that a piece uses itself."""
    used = [(a.key, a.cells(piece.box)) for a in (*launch.reads, *launch.assigns)]
    return {
        number
        for number, message in enumerate(exchange.receives)
        for part in message.parts
        if part.target == piece.block
        for key, box in used
        if key == (part.field, part.component) and not box.intersect(part.box).is_empty
    }


def _overwrites(launch: Launch, piece: Piece, kept: Boxes) -> bool:
    return any(
        access.cells(piece.box).meets(box)
        for access in launch.assigns
        for box in kept.get(access.key, ())
    )


def _depends(chain: Chain, earlier: Piece, later: Piece) -> bool:
    if earlier.block != later.block or earlier.position == later.position:
        return False
    first, second = chain.launches[earlier.position], chain.launches[later.position]
    return any(
        others.cells(earlier.box).meets(mine.cells(later.box))
        for mine, others in second.conflicts(first)
    )
