"""Who sends which cells to whom: needs and a decomposition become messages (see 'message.py')."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING

from halocline.errors import PlanError
from halocline.geometry import AXES, Box, codimension, directions, disjoint, opposite
from halocline.plan.decomposition import NOBODY
from halocline.plan.message import Exchange, Message, Part
from halocline.plan.reach import move
from halocline.plan.wrap import across, reached

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from halocline.geometry import Direction, Offset
    from halocline.plan.decomposition import Block, Decomposition
    from halocline.plan.layout import FieldLayout
    from halocline.plan.reach import Needs, Reach
    from halocline.plan.strategy import Strategy

# Field and component, and where those who give have the values (see 'Need').
Key = tuple[str, int, "Offset"]


class Exchanger:
    """Computes messages for any block of a decomposition from needs that hold for every block.

    Args:
        decomposition: Blocks and their owners.
        layouts: How fields are stored.
        strategy: How to exchange.
        shared: Fields that kernels assign next door.
    """

    def __init__(
        self,
        decomposition: Decomposition,
        layouts: Iterable[FieldLayout],
        strategy: Strategy,
        shared: frozenset[str] = frozenset(),
    ) -> None:
        if strategy.neighbours == "staged" and NOBODY in decomposition.owners:
            raise PlanError(
                "The strategy has neighbours='staged', but corners cannot ride along through "
                "blocks that are dropped.",
                hint="Use neighbours='direct' with a sparse decomposition.",
            )
        self.decomposition = decomposition
        self.shared = shared
        self.layouts = {layout.name: layout for layout in layouts}
        self.strategy = strategy
        self.dimensions = len(decomposition.extent)
        self.undisplaced = (0,) * self.dimensions
        self._needed: dict[tuple[int, Needs], dict[Key, tuple[Box, ...]]] = {}
        self._staged: dict[tuple[int, int, Needs], dict[Key, tuple[Box, ...]]] = {}

    def exchanges(self, needs: Needs, rank: int, first_number: int) -> list[Exchange]:
        """Return the exchanges of a rank that meet the needs, to be done one after the other."""
        stages = self.stages()
        return [
            self._exchange(needs, rank, axis, first_number + n) for n, axis in enumerate(stages)
        ]

    def elsewhere(self, exchange: Exchange, storages: Mapping[str, str], number: int) -> Exchange:
        """Return what does the same as an exchange with other storages of swapped fields.

        Args:
            exchange: The exchange.
            storages: For each of its storages the other one.
            number: What it gets.
        """

        def parts(found: tuple[Part, ...]) -> tuple[Part, ...]:
            return tuple(replace(part, field=storages[part.field]) for part in found)

        def messages(found: tuple[Message, ...]) -> tuple[Message, ...]:
            tags = (self._tag(number, storages[one.parts[0].field]) for one in found)
            return tuple(
                replace(one, tag=tag, parts=parts(one.parts))
                for one, tag in zip(found, tags, strict=True)
            )

        return replace(
            exchange,
            number=number,
            sends=messages(exchange.sends),
            receives=messages(exchange.receives),
            copies=parts(exchange.copies),
        )

    def stages(self) -> tuple[int | None, ...]:
        """Return the axes exchanged one after the other; a single None for all at once."""
        if self.strategy.neighbours == "direct":
            return (None,)
        return tuple(
            axis
            for axis in range(self.dimensions)
            if self.decomposition.periodic[axis] or self.decomposition.shape[axis] > 1
        )

    def _exchange(self, needs: Needs, rank: int, axis: int | None, number: int) -> Exchange:
        own = self.decomposition.blocks_of(rank)
        incoming = [part for block in own for part in self.incoming(block, needs, axis)]
        outgoing = [
            part
            for block in self._around(own)
            for part in self.incoming(block, needs, axis)
            if self.decomposition.block(part.source).rank == rank
        ]
        return self.of_parts({*incoming, *outgoing}, rank, number)

    def of_parts(self, parts: Iterable[Part], rank: int, number: int) -> Exchange:
        """Return the exchange that moves parts, those of all ranks or at least of this one."""
        concerned = [
            (
                part,
                self.decomposition.block(part.source).rank,
                self.decomposition.block(part.target).rank,
            )
            for part in parts
        ]
        outgoing = [part for part, source, _ in concerned if source == rank]
        incoming = [part for part, _, target in concerned if target == rank]
        owner = {part.source: source for part, source, _ in concerned}
        receiver = {part.target: target for part, _, target in concerned}
        return Exchange(
            number,
            self._messages(rank, number, outgoing, receiver, is_sending=True),
            self._messages(rank, number, incoming, owner, is_sending=False),
            tuple(sorted(part for part in incoming if owner[part.source] == rank)),
            number,
        )

    def _messages(
        self,
        rank: int,
        number: int,
        parts: list[Part],
        other: dict[int, int],
        *,
        is_sending: bool,
    ) -> tuple[Message, ...]:
        """Group parts by the other rank, maybe also by field; the order of parts stays."""
        grouped: dict[tuple[int, int], list[Part]] = {}
        for part in sorted(parts, key=_packing_order):
            peer = other[part.target if is_sending else part.source]
            if peer != rank:
                grouped.setdefault((peer, self._tag(number, part.field)), []).append(part)
        return tuple(
            Message(rank, peer, tag, tuple(group))
            if is_sending
            else Message(peer, rank, tag, tuple(group))
            for (peer, tag), group in sorted(grouped.items())
        )

    def _tag(self, number: int, field: str) -> int:
        if self.strategy.messages == "neighbour":
            return number
        return number * len(self.layouts) + list(self.layouts).index(field)

    def _around(self, own: tuple[Block, ...]) -> list[Block]:
        """Return the blocks of other ranks next to a rank's own, by number."""
        rank = own[0].rank
        found: dict[int, Block] = {}
        for block in own:
            for direction in directions(self.dimensions):
                neighbour = self.decomposition.neighbour(block, direction)
                if neighbour and neighbour[0].rank not in (rank, NOBODY):
                    found[neighbour[0].number] = neighbour[0]
        return [found[number] for number in sorted(found)]

    def incoming(self, block: Block, needs: Needs, axis: int | None) -> list[Part]:
        """Return what a block gets, in the order in which it is packed."""
        needed = self._needs_on(block, needs) if axis is None else self._stage(block, needs, axis)
        parts = []
        for key, boxes in needed.items():
            on_space = self._on_space(key[0]).block(block.number)
            for box in boxes:
                for direction, piece in self._by_direction(on_space, box):
                    if axis is None or _last_axis(direction) == axis:
                        parts += self._part(on_space, key, direction, piece, axis)
        return sorted(parts, key=lambda part: (codimension(part.direction), part))

    def _on_space(self, field: str) -> Decomposition:
        """Return the blocks as boxes of a field's cells."""
        return self.decomposition.on(self.layouts[field].space)

    def _part(
        self,
        block: Block,
        key: Key,
        direction: Direction,
        box: Box,
        axis: int | None,
    ) -> list[Part]:
        """Return what brings a piece of a halo; nothing if its block is dropped."""
        if axis is not None:
            direction = tuple(d if a == axis else 0 for a, d in enumerate(direction))
        field, component, displacement = key
        found = self._on_space(field).neighbour(block, direction)
        assert found is not None, "only own cells lie beyond the domain"
        source, shift = found
        if source.rank == NOBODY:
            return []
        part = Part(field, component, source.number, block.number, direction, box, shift)
        self._check_width(part, source)
        return [replace(part, box=self.layouts[field].space.flat(box.shift(displacement)))]

    def _check_width(self, part: Part, source: Block) -> None:
        """Refuse a halo that reaches through the neighbour into the block behind it."""
        needed = part.source_box
        for axis, d in enumerate(part.direction):
            below = source.box.lower[axis] - needed.lower[axis]
            above = needed.upper[axis] - source.box.upper[axis]
            if (d > 0 and above > 0) or (d < 0 and below > 0):
                width = source.box.extent[axis]
                raise PlanError(
                    f"Field '{part.field}' needs a halo of {width + max(below, above)} cells along "
                    f"{AXES[axis]}, but block {source.index} is only {width} wide there.",
                    hint="Use fewer ranks or another decomposition, so that every block is at "
                    "least as wide as the halo.",
                )

    def _by_direction(self, block: Block, box: Box) -> list[tuple[Direction, Box]]:
        """Cut a box along the sides of a block's own cells; say where each piece lies."""
        intervals = []
        for axis in range(self.dimensions):
            low, high = block.owned.lower[axis], block.owned.upper[axis]
            a, b = box.lower[axis], box.upper[axis]
            cuts = [(-1, a, min(b, low)), (0, max(a, low), min(b, high)), (1, max(a, high), b)]
            intervals.append([cut for cut in cuts if cut[1] < cut[2]])
        return [
            (
                tuple(sign for sign, _, _ in cut),
                Box(tuple(a for _, a, _ in cut), tuple(b for _, _, b in cut)),
            )
            for cut in product(*intervals)
        ]

    def _needs_on(self, block: Block, needs: Needs) -> dict[Key, tuple[Box, ...]]:
        """Return the cells that a block needs from others, by field and component."""
        known = self._needed.get((block.number, needs))
        if known is None:
            known = self._minimal(block, needs)
            if self.strategy.width == "full":
                known = self._full(block, needs, known)
            self._needed[block.number, needs] = known
        return known

    def _minimal(self, block: Block, needs: Needs) -> dict[Key, tuple[Box, ...]]:
        """Return exactly the cells that some kernel reads.

        Where blocks have the values of their own cells moved by an offset, everything is seen from
        there: moved back by it, the exchange is that of own cells.
        """
        on_space = {n.field: self._on_space(n.field).block(block.number) for n in needs}
        found: dict[Key, set[Reach]] = {}
        for need in needs:
            displacement = across(need.displacement or self.undisplaced, block.wrap)
            key = (need.field, need.component, displacement)
            found.setdefault(key, set()).add(need.reach)
        missing = {}
        # Many needs lead to the same cells, and components often need the same.
        known: dict[tuple[str, Offset, frozenset[Reach]], tuple[Box, ...]] = {}
        for (name, component, displacement), reaches in sorted(found.items(), key=itemgetter(0)):
            same = (name, displacement, frozenset(reaches))
            if same not in known:
                own = on_space[name]
                seen = [
                    move(r, opposite(displacement)) if any(displacement) else r for r in reaches
                ]
                boxes = {box for reach in seen for box in reached(reach, own)}
                known[same] = disjoint(p for box in boxes for p in box.subtract(own.owned))
            missing[name, component, displacement] = known[same]
        return {key: boxes for key, boxes in missing.items() if boxes}

    def _full(
        self, block: Block, needs: Needs, minimal: dict[Key, tuple[Box, ...]]
    ) -> dict[Key, tuple[Box, ...]]:
        """Return the whole halo of every field concerned, all components.

        What kernels assign next door lies in halos, where nothing else may be put: of those fields
        only what is needed is sent.
        """
        result = {key: boxes for key, boxes in minimal.items() if key[0] in self.shared}
        for name in sorted({need.field for need in needs} - self.shared):
            layout = self.layouts[name]
            on_space = self._on_space(name).block(block.number)
            stored = layout.stored(on_space.box)
            if on_space.wrap:
                stored = stored.clip(0, 0, on_space.wrap)
            boxes = stored.subtract(on_space.owned)
            if boxes:
                result.update(
                    {(name, q, self.undisplaced): boxes for q in range(layout.components)}
                )
        return result

    def _stage(self, block: Block, needs: Needs, axis: int) -> dict[Key, tuple[Box, ...]]:
        """Return what a block must have got when the axes up to 'axis' are done.

        Its own needs, and what neighbours along later axes will want to have from its halo.
        """
        known = self._staged.get((block.number, axis, needs))
        if known is not None:
            return known
        wanted: dict[Key, list[Box]] = {k: list(v) for k, v in self._needs_on(block, needs).items()}
        for later in [a for a in self.stages() if a is not None and a > axis]:
            for sign in (-1, 1):
                self._relay(block, needs, later, sign, wanted)
        result = {key: disjoint(boxes) for key, boxes in sorted(wanted.items())}
        self._staged[block.number, axis, needs] = result
        return result

    def _relay(
        self, block: Block, needs: Needs, axis: int, sign: int, wanted: dict[Key, list[Box]]
    ) -> None:
        """Add what the neighbour on a side of a later axis will get through this block's halo."""
        towards = tuple(sign if a == axis else 0 for a in range(self.dimensions))
        found = self.decomposition.neighbour(block, towards)
        if found is None:
            return
        for key, boxes in self._stage(found[0], needs, axis).items():
            on_space = self._on_space(key[0])
            there = on_space.neighbour(block, towards)
            assert there is not None
            neighbour, shift = there
            for box in boxes:
                for direction, piece in self._by_direction(neighbour, box):
                    is_ours = direction[axis] == -sign and _last_axis(direction) == axis
                    if is_ours and codimension(direction) > 1:
                        wanted.setdefault(key, []).append(piece.shift(shift))


def _packing_order(part: Part) -> tuple[int, int, Direction, Part]:
    return part.target, codimension(part.direction), part.direction, part


def _last_axis(direction: Direction) -> int:
    return max((axis for axis, d in enumerate(direction) if d), default=-1)
