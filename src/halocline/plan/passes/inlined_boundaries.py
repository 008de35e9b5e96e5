"""Producers: kernels on layers that run with the kernel that reads their results, cell by cell.

A layer beyond a side is thin: each of its values lies in a line of memory of its own, which the
kernel that reads it fetches anyway. So where every value that a kernel computes on a layer is read
by one cell of the next kernel and by nothing else, that cell computes it just before: in a row that
is in the cache, or in the thread of a device. Across x several cells of a row may read it: on the
processor a row computes it once, on a device each of them does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import field
from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.geometry import Box, add_joined, added, bounding_box, opposite
from halocline.language.expressions.expr import Index, walk
from halocline.language.expressions.kernel import InlinedKernel
from halocline.language.points.at_points import AtPoints
from halocline.memo import memoised
from halocline.plan.cells.reach import moved
from halocline.plan.passes.one_kernel import OneKernel
from halocline.plan.program.program import Masked
from halocline.plan.schedule.chains import partial_axes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.geometry import Offset
    from halocline.language.expressions.kernel import Kernel
    from halocline.plan.cells.access import Access, Boxes
    from halocline.plan.program.program import Launch, Uses
    from halocline.plan.schedule.steps import Break, Chain

# From a cell to those where what it reads is computed, along x.
Offsets = tuple["Offset", ...]


class _Used(Frozen):
    """Cells that kernels on layers use, by field and component, as few boxes.

    Attributes:
        read: What they read.
        produced: What producers assign.
        assigned: What is assigned by the others.
    """

    read: Boxes = field(default_factory=dict)
    produced: Boxes = field(default_factory=dict)
    assigned: Boxes = field(default_factory=dict)

    def add(self, layer: Launch, where: Box, *, is_producer: bool) -> None:
        """Add what a kernel uses that runs in some cells."""
        for boxes, uses in (
            (self.read, layer.reads),
            (self.produced if is_producer else self.assigned, layer.assigns),
        ):
            for access in uses:
                add_joined(boxes.setdefault(access.key, []), access.cells(where))

    def must_follow(self, producer: Launch, where: Box) -> bool:
        """Return whether some of them must run after a producer that runs in some cells."""
        # In others, whose values no cell of its consumer reads, it would not run any more.
        read = _meets(producer.assigns, producer.region, self.read)
        # Two producers of the same cell keep their order.
        assigned = read or _meets(producer.assigns, where, self.assigned)
        return assigned or _meets(producer.reads, where, self.produced, self.assigned)


def _meets(uses: Uses, where: Box, *found: Boxes) -> bool:
    """Return whether a kernel that runs in some cells uses any of those found."""
    return any(
        access.cells(where).meets(box)
        for access in uses
        for boxes in found
        for box in boxes.get(access.key, ())
    )


@memoised
def with_inlined_boundaries(chain: Chain) -> Chain:
    """Return a chain with as many kernels on layers as possible made producers of others."""
    consumers = _Consumers(chain).found
    kept = [p for p in range(len(chain.launches)) if p not in consumers]
    producers = {p: [n for n in sorted(consumers) if consumers[n][0] == p] for p in kept}
    return replace(
        chain,
        launches=tuple(
            _joined(chain.launches[p], [(chain.launches[n], consumers[n][1]) for n in found])
            for p, found in producers.items()
        ),
        extents=tuple(chain.extents[p] for p in kept),
        breaks=tuple(_moved_up(item, consumers) for item in chain.breaks),
        producing=tuple(tuple(chain.extents[n] for n in found) for found in producers.values()),
    )


def free_of_inlined(kernel: Kernel, domain: Box, layers: Sequence[Box | None]) -> Box:
    """Return a box of cells for which no inlined kernel runs: all but the outermost.

    Args:
        kernel: The kernel.
        domain: The cells to consider.
        layers: Where each inlined kernel runs; None where it does not.
    """
    lower, upper = list(domain.lower), list(domain.upper)
    for producer, layer in zip(kernel.inlined, layers, strict=True):
        if layer is None:
            continue
        axis, side = producer.layer
        for offset in producer.offsets:
            served = layer.shift(opposite(offset))
            if side < 0:
                lower[axis] = max(lower[axis], served.upper[axis])
            else:
                upper[axis] = min(upper[axis], served.lower[axis])
    return Box(tuple(lower), tuple(upper))


def _moved_up(item: Break, gone: Iterable[int]) -> Break:
    return replace(item, position=item.position - sum(p < item.position for p in gone))


class _Consumers:
    """Finds which kernels of a chain can be producers of which others, at which offsets from them.

    Attributes:
        found: From the position of a producer to that of its consumer, and the offsets.
    """

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self.found: dict[int, tuple[int, Offsets]] = {}
        # What the layers from a position up to the next other kernel use.
        between = _Used()
        # Where two layers share cells, what the later one assigns stays: it is asked first.
        for position in reversed(range(len(chain.launches))):
            launch = chain.launches[position]
            if not launch.is_layer:
                between = _Used()
                continue
            reader = self._reader(position)
            offsets = () if reader is None else self._offsets(position, reader, between)
            if reader is None or not offsets:
                where = self._most_cells(position)
                if where is not None:
                    between.add(launch, where, is_producer=False)
            else:
                self.found[position] = (reader, offsets)
                between.add(
                    launch, _cells(launch, chain.launches[reader], offsets), is_producer=True
                )

    def _most_cells(self, position: int) -> Box | None:
        """Return the smallest box that holds the cells where a kernel runs, on any block."""
        return bounding_box(reach.region for reach in self._chain.extents[position])

    def _reader(self, position: int) -> int | None:
        """Return the kernel that follows a group of layers, if only they stand between."""
        launches = self._chain.launches
        later = range(position + 1, len(launches))
        reader = next((p for p in later if not launches[p].is_layer), None)
        breaks = [b.position for b in self._chain.breaks]
        if reader is None or any(position < b <= reader for b in breaks):
            return None
        return reader

    def _offsets(self, position: int, reader: int, between: _Used) -> Offsets:
        """Return how far a kernel on a layer is from the cells that it can feed, if any."""
        producer, consumer = self._chain.launches[position], self._chain.launches[reader]
        offsets = _ways(producer, consumer)
        if not offsets or partial_axes(producer) or _is_seen_across(producer, offsets):
            return ()
        where = _cells(producer, consumer, offsets)
        is_free = (
            _is_all_read(producer, consumer, offsets)
            # It will run after the layers between it and the kernel that it feeds.
            and not between.must_follow(producer, where)
            and _is_kept(consumer, where, offsets, [*producer.reads, *producer.assigns])
            and not self._is_read_after(reader, producer, offsets)
        )
        return offsets if is_free else ()

    def _is_read_after(self, reader: int, producer: Launch, offsets: Offsets) -> bool:
        """Return whether what a producer assigns is read by a kernel after the one it consumers."""
        (assigns,) = producer.assigns
        here = [added(offset, assigns.offset) for offset in offsets]
        consumer = self._chain.launches[reader]
        if any(a.key == assigns.key and a.offset in here for a in consumer.assigns):
            return False
        # Also what it would not assign any more, since its consumer does not read it.
        assigned: Boxes = {assigns.key: [assigns.cells(producer.region)]}
        for later in range(reader + 1, len(self._chain.launches)):
            other, where = self._chain.launches[later], self._most_cells(later)
            if other == producer:
                return False
            if where is not None and _meets(other.reads, where, assigned):
                return True
        return False


def _is_seen_across(producer: Launch, offsets: Offsets) -> bool:
    """Return whether the index of a producer's cell may be another than its consumer has of it."""
    translations = [
        translation.axis
        for translation in producer.space.translations
        if not translation.is_straight
    ]
    crossing = any(offset[axis] for offset in offsets for axis in translations)
    values = (statement.value for statement in producer.kernel.statements)
    return crossing and any(isinstance(node, Index) for value in values for node in walk(value))


def _is_all_read(producer: Launch, consumer: Launch, offsets: Offsets) -> bool:
    """Return whether what a producer assigns to cells of the domain would all be computed."""
    (assigns,) = producer.assigns
    seen = assigns.cells(producer.region).intersect(assigns.space.domain)
    if seen.is_empty:
        return True
    return not isinstance(consumer.body, Masked) and any(
        moved(consumer.region, added(offset, assigns.offset)).contains(seen) for offset in offsets
    )


def _ways(producer: Launch, consumer: Launch) -> Offsets:
    """Return how far from the only cells that read it each result of a kernel is computed.

    These are one, or of one row; else it returns nothing. Kernels on cells of another grid are
    never producers, nor do sweeps have any: their rows differ.
    """
    is_free = producer.on_demand and producer.body is None and len(producer.assigns) == 1
    takes = not isinstance(consumer.body, AtPoints) and not consumer.kernel.sweep
    if not is_free or not takes or not producer.space.is_beside(consumer.space):
        return ()
    (assigns,) = producer.assigns
    assigned = assigns.cells(producer.region)
    read = [a for a in consumer.reads if a.key == assigns.key]
    reached = [a.offset for a in read if a.cells(consumer.region).meets(assigned)]
    is_of_row = len({offset[1:] for offset in reached}) == 1 and _layer(producer)[0] == 0
    if assigns.ratio or not (len(reached) == 1 or is_of_row):
        return ()
    return tuple(added(offset, opposite(assigns.offset)) for offset in reached)


def _cells(producer: Launch, consumer: Launch, offsets: Offsets) -> Box:
    """Return where a kernel on a layer runs for the sake of the one that it feeds."""
    lower, upper = (moved(consumer.region, end(offsets)) for end in (min, max))
    return producer.region.intersect(Box(lower.lower, upper.upper))


def _is_kept(consumer: Launch, where: Box, offsets: Offsets, used: Iterable[Access]) -> bool:
    """Return whether the consumer leaves alone what a producer uses, but in the only cell fed.

    Cells are computed in any order, so others must not have overwritten it before, nor after.
    """
    here = {opposite(offset) for offset in offsets}
    for access in used:
        for other in consumer.assigns:
            by = added(access.offset, opposite(other.offset))
            is_other = other.key == access.key and here != {by}
            if is_other and other.users(access.cells(where)).meets(consumer.region):
                return False
    return True


def _joined(launch: Launch, producers: Sequence[tuple[Launch, Offsets]]) -> Launch:
    """Return a kernel with producers at offsets from its cells."""
    if not producers:
        return launch
    one = OneKernel(launch)
    return one.with_inlined(
        [InlinedKernel(one.kernel_of(p), offsets, _layer(p)) for p, offsets in producers]
    )


def _layer(producer: Launch) -> tuple[int, int]:
    """Return the axis that a producer's layer lies across, and which layer of that side it is."""
    region, (assigns,) = producer.region, producer.assigns
    axis = region.extent.index(min(region.extent))
    position = region.lower[axis]
    beyond = position - assigns.space.domain.upper[axis] + 1
    return axis, max(beyond, 0) or position
