"""Who sends which cells to whom: needs and a decomposition become messages (see 'message.py')."""

from __future__ import annotations

from copy import copy
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

from halocline.errors import PlanError
from halocline.geometry import Box, disjoint, opposite
from halocline.language.spaces.role import runs_on
from halocline.memo import memoised
from halocline.plan.cells.block import NOBODY
from halocline.plan.cells.congruent import Congruent
from halocline.plan.cells.reach import move
from halocline.plan.cells.wrap import across, reached
from halocline.plan.exchange.liveness import PatchLiveness
from halocline.plan.exchange.sources import Sources
from halocline.plan.value.messages import Exchange, Message, Part, packing_order, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from halocline.geometry import Direction, Offset
    from halocline.language.spaces.role import Role
    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.decomposition import BlockView, Decomposition
    from halocline.plan.cells.block import Block
    from halocline.plan.cells.reach import Needs, Reach
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.exchange.liveness import Cells
    from halocline.plan.program.program import Launch
    from halocline.plan.schedule.layout import FieldLayout

# Field and component, and where those who give have the values (see 'Need').
Key = tuple[str, int, "Offset"]
# Components of which the same cells are needed, and these cells.
Needed = dict[tuple[Key, ...], tuple[Box, ...]]
# What is needed, of which block, in which direction, and where, with how far that block lies.
Piece = tuple[tuple[Key, ...], "Block", "Direction", Box, "Offset"]


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
        if strategy.neighbours == "staged" and decomposition.is_forest:
            raise PlanError(
                "The strategy has neighbours='staged', but corners cannot ride along between the "
                "levels of a forest.",
                hint="Use neighbours='direct' with a forest.",
            )
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
        self.widths = self._widths()
        self._sources: dict[BlockView, Sources] = {}
        self._beyond = Congruent(_beyond)
        self.use: PatchLiveness | None = None  # of the ghost patches of a forest

    def limited(self, launches: Iterable[Launch], every: Iterable[Needs]) -> Exchanger:
        """Return one that fills of the ghost patches of a forest only what is used later.

        Args:
            launches: The kernels of a round.
            every: All that is ever needed.
        """
        other = copy(self)  # with results that are kept, none of which depends on what is used
        asked_of = partial(self._asked_of, tuple(dict.fromkeys(every)))
        other.use = PatchLiveness(launches, self.decomposition, asked_of)
        return other

    def _widths(self) -> dict[Space, tuple[int, ...]]:
        """Return how far blocks may reach beyond their own cells, on each space."""
        found: dict[Space, tuple[int, ...]] = {}
        for layout in self.layouts.values():
            ends = zip(layout.lower, layout.upper, strict=True)
            is_shared = layout.name in self.shared
            # What is pushed lies in halos, from where it is fetched.
            widths = (sum(both) if is_shared else max(both) for both in ends)
            known = found.get(layout.space, self.undisplaced)
            found[layout.space] = tuple(map(max, widths, known))
        return found

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
        return exchange.with_storages(storages, number, partial(self._tag, number))

    def stages(self) -> tuple[int | None, ...]:
        """Return the axes exchanged one after the other; a single None for all at once."""
        if self.strategy.neighbours == "direct":
            return (None,)
        return tuple(
            axis
            for axis in range(self.dimensions)
            if self.decomposition.periodic[axis] or axis in self.decomposition.cut
        )

    def _exchange(self, needs: Needs, rank: int, axis: int | None, number: int) -> Exchange:
        own = self.decomposition.blocks_of(rank)
        around = self._around(own)
        if self.use:
            self.use.find((*own, *around))
        incoming = [part for block in own for part in self.incoming(block, needs, axis)]
        outgoing = [
            part
            for block in around
            for part in self.incoming(block, needs, axis)
            if self.decomposition.block(part.source).rank == rank
        ]
        return self.of_parts({*incoming, *outgoing}, rank, number)

    def of_parts(self, parts: Iterable[Part], rank: int, number: int) -> Exchange:
        """Return the exchange that moves parts, those of all ranks or at least of this one."""
        rank_of = self.decomposition.rank_of
        sends: list[tuple[int, Part]] = []
        receives: list[tuple[int, Part]] = []
        copies: list[Part] = []
        for part in parts:
            source, target = rank_of(part.source), rank_of(part.target)
            if source == target == rank:
                copies.append(part)
            elif source == rank:
                sends.append((target, part))
            elif target == rank:
                receives.append((source, part))
        sent, received = self._by_message(sends, number), self._by_message(receives, number)
        return Exchange(
            number,
            tuple(Message(rank, peer, tag, found) for peer, tag, found in sent),
            tuple(Message(peer, rank, tag, found) for peer, tag, found in received),
            tuple(sorted(copies, key=place_of)),
            number,
        )

    def _by_message(
        self, parts: Iterable[tuple[int, Part]], number: int
    ) -> Iterator[tuple[int, int, tuple[Part, ...]]]:
        """Yield the other rank, the tag and the parts of each message, as they are packed."""
        grouped: dict[tuple[int, int], list[Part]] = {}
        for peer, part in parts:
            grouped.setdefault((peer, self._tag(number, part.field)), []).append(part)
        for peer, tag in sorted(grouped):
            yield peer, tag, tuple(sorted(grouped[peer, tag], key=packing_order))

    def _tag(self, number: int, field: str) -> int:
        if self.strategy.messages == "neighbour":
            return number
        return number * len(self.layouts) + list(self.layouts).index(field)

    def _around(self, own: tuple[Block, ...]) -> list[Block]:
        """Return the blocks of other ranks whose halos may reach a rank's own, by number."""
        found = {
            block.number: block
            for one in own
            for block in self._beside(one)
            if block.rank not in (one.rank, NOBODY)
        }
        return [found[number] for number in sorted(found)]

    def _beside(self, block: Block, axis: int | None = None) -> Iterator[Block]:
        """Yield the blocks whose halos may reach a block, maybe several times.

        Args:
            block: The block.
            axis: Along which alone they lie beside it; None for all around.
        """
        for space, every in self.widths.items():
            widths = tuple(n if axis in (None, a) else 0 for a, n in enumerate(every))
            blocks = self.decomposition.on(space)
            own = blocks.block(block.number)
            if own.box.is_empty or own.is_guest:
                continue
            around = own.box.grow(widths, widths)
            for found, shift in blocks.meeting(around, block.number, are_guests=True):
                if found.number != block.number or any(shift):
                    yield found

    def incoming(self, block: Block, needs: Needs, axis: int | None) -> list[Part]:
        """Return what a block gets."""
        used = self.use.of_others(block) if self.use else None
        return [
            Part(
                field,
                component,
                source.number,
                block.number,
                direction,
                self.layouts[field].space.flat(box.shift(displacement)),
                shift,
            )
            for keys, source, direction, piece, shift in self._pieces(block.number, needs, axis)
            if source.rank != NOBODY
            for field, component, displacement in keys
            for box in self._used(piece, used, (field, component))
        ]

    def _used(self, piece: Box, used: Cells | None, key: tuple[str, int]) -> Iterable[Box]:
        """Return the cells of a piece that a block uses, which says so of ghost patches alone."""
        if used is None:
            return (piece,)
        box = used.get(key)
        return () if box is None or not box.meets(piece) else (piece.intersect(box),)

    def _asked_of(self, every: tuple[Needs, ...], block: Block) -> Cells:
        """Return what all blocks of a forest ever get of a block, by what their kernels read."""
        found: Cells = {}
        for other in dict.fromkeys((*(one.number for one in self._beside(block)), block.number)):
            for key, box in self._ever_got(other, every).get(block.number, {}).items():
                found[key] = found[key].around(box) if key in found else box
        return found

    @memoised
    def _ever_got(self, number: int, every: tuple[Needs, ...]) -> dict[int, Cells]:
        """Return what a block ever gets, by the number of the block that has it."""
        result: dict[int, Cells] = {}
        for needs in every:
            for keys, source, _, piece, shift in self._pieces(number, needs, None):
                box = self.layouts[keys[0][0]].space.flat(piece).shift(opposite(shift))
                of_source = result.setdefault(source.number, {})
                for field, component, _ in keys:
                    known = of_source.get((field, component))
                    of_source[field, component] = box if known is None else known.around(box)
        return result

    def _pieces(self, number: int, needs: Needs, axis: int | None) -> tuple[Piece, ...]:
        """Return what a block gets, dropped blocks included, as seen from where values belong."""
        role = self.decomposition.levels.role_of(number)
        return self._of_needs(number, self._needs_of(role, needs), axis)

    @memoised
    def _of_needs(self, number: int, needs: Needs, axis: int | None) -> tuple[Piece, ...]:
        """Return the same of needs of the block's role."""
        return tuple(self._found(self.decomposition.block(number), needs, axis))

    def _found(self, block: Block, needs: Needs, axis: int | None) -> Iterator[Piece]:
        needed = (
            self._needs_on(block.number, needs) if axis is None else self._stage(block, needs, axis)
        )
        counting = {need.field for need in needs if need.of_guest != "leaves"}
        asked: dict[Sources, list[Box]] = {}
        for keys, boxes in needed.items():
            asked.setdefault(self._sources_of(keys[0][0]), []).extend(boxes)
        places = {one: one.of(block.number, boxes, axis) for one, boxes in asked.items()}
        for keys, boxes in needed.items():
            field = keys[0][0]
            parts = places[self._sources_of(field)]
            for box in boxes:
                for source, direction, piece, shift in parts[box]:
                    if source.is_leaf or field in counting:
                        for part in self._stored(field, source, piece, shift):
                            yield keys, source, direction, part, shift

    def _stored(self, field: str, source: Block, piece: Box, shift: Offset) -> Iterable[Box]:
        """Return what the source of a piece stores of it: whole halos ask for all layers.

        Of those beyond sides blocks of other roles may have fewer.
        """
        if self.strategy.width == "minimal" or not self.decomposition.is_forest:
            return (piece,)
        part = piece.intersect(self.layouts[field].kept(source).shift(shift))
        return () if part.is_empty else (part,)

    @memoised
    def _sources_of(self, field: str) -> Sources:
        """Return what looks up who has a field's cells."""
        blocks = self._on_space(field)
        if blocks not in self._sources:
            self._sources[blocks] = Sources(blocks, self.layouts[field].space.lacks)
        return self._sources[blocks]

    @memoised
    def _on_space(self, field: str) -> BlockView:
        """Return the blocks as boxes of a field's cells."""
        return self.decomposition.on(self.layouts[field].space)

    @memoised
    def _needs_on(self, number: int, needs: Needs) -> Needed:
        """Return the cells that a block needs from others."""
        block = self.decomposition.block(number)
        minimal = self._minimal(block, needs)
        return minimal if self.strategy.width == "minimal" else self._full(block, needs, minimal)

    @memoised
    def _needs_of(self, role: Role, needs: Needs) -> Needs:
        """Return the needs of the blocks of a role."""
        return frozenset(need for need in needs if runs_on(need.role, role))

    def _minimal(self, block: Block, needs: Needs) -> Needed:
        """Return exactly the cells that some kernel reads."""
        blocks = {name: self._on_space(name) for name in {need.field for need in needs}}
        closed = frozenset(name for name, view in blocks.items() if view.block(block.number).wrap)
        return {
            keys: cells
            for keys, reaches in self._grouped(needs, closed)
            if (cells := self._beyond.of(reaches, blocks[keys[0][0]].block(block.number)))
        }

    @memoised
    def _grouped(
        self, needs: Needs, closed: frozenset[str]
    ) -> list[tuple[tuple[Key, ...], frozenset[Reach]]]:
        """Return components of a field that are needed by the same reaches, and these.

        Many needs lead to the same cells, and components often need the same. Where blocks have the
        values of their own cells moved by an offset, everything is seen from there: moved back by
        it, the exchange is that of own cells.

        Args:
            needs: Of the blocks of a role.
            closed: The fields whose rows close on themselves.
        """
        found: dict[Key, set[Reach]] = {}
        for need in needs:
            displacement = across(need.displacement or self.undisplaced, need.field in closed)
            back = opposite(displacement)
            reach = move(need.reach, back) if any(back) else need.reach
            found.setdefault((need.field, need.component, displacement), set()).add(reach)
        groups: dict[tuple[str, frozenset[Reach]], list[Key]] = {}
        for key, reaches in sorted(found.items(), key=itemgetter(0)):
            groups.setdefault((key[0], frozenset(reaches)), []).append(key)
        return [(tuple(keys), reaches) for (_, reaches), keys in groups.items()]

    def _full(self, block: Block, needs: Needs, minimal: Needed) -> Needed:
        """Return the whole halo of every field concerned, all components.

        What kernels assign next door lies in halos, where nothing else may be put: of those fields
        only what is needed is sent.
        """
        result = {keys: boxes for keys, boxes in minimal.items() if keys[0][0] in self.shared}
        for name in sorted({need.field for need in needs} - self.shared):
            layout = self.layouts[name]
            on_space = self._on_space(name).block(block.number)
            stored = layout.stored(on_space)
            if on_space.wrap:
                stored = stored.clip(0, 0, on_space.wrap)
            whole = self._in_line(name, stored, on_space)
            boxes = (whole,) if on_space.is_guest else whole.subtract(on_space.owned)
            if boxes:
                every = range(layout.components)
                result[tuple((name, q, self.undisplaced) for q in every)] = boxes
        return result

    def _stage(self, block: Block, needs: Needs, axis: int) -> Needed:
        """Return what a block must have got when the axes up to 'axis' are done.

        Its own needs, and what neighbours along later axes will want to have from its halo.
        """
        needed = self._needs_on(block.number, needs).items()
        wanted: dict[Key, list[Box]] = {key: list(boxes) for keys, boxes in needed for key in keys}
        for later in [a for a in self.stages() if a is not None and a > axis]:
            self._relay(block, needs, later, wanted)
        return {(key,): disjoint(boxes) for key, boxes in sorted(wanted.items())}

    def _relay(self, block: Block, needs: Needs, axis: int, wanted: dict[Key, list[Box]]) -> None:
        """Add what blocks beside along a later axis will get through this block's halo."""
        beside = {other.number: other for other in self._beside(block, axis)}
        for other in beside.values():
            for keys, source, _, piece, shift in self._pieces(other.number, needs, axis):
                if source.number == block.number:
                    box = self._in_line(keys[0][0], piece.shift(opposite(shift)), source)
                    for key in keys:
                        wanted.setdefault(key, []).extend(box.subtract(source.owned))

    def _in_line(self, field: str, box: Box, block: Block) -> Box:
        """Return cells of a field as a block has them along the axes that the field lacks."""
        for axis, is_lacking in enumerate(self.layouts[field].space.lacks):
            if is_lacking:
                box = box.clip(axis, block.owned.lower[axis], block.owned.upper[axis])
        return box


def _beyond(reaches: Iterable[Reach], own: Block) -> tuple[Box, ...]:
    """Return where reaches lead from a block that are not its own cells."""
    boxes = {box for reach in reaches for box in reached(reach, own)}
    return disjoint(
        piece for box in boxes for piece in ([box] if own.is_guest else box.subtract(own.owned))
    )
