"""Feeders: kernels on layers that run with the kernel that reads their results, cell by cell.

A layer beyond a side is thin: each of its values lies in a line of memory of its own, which the
kernel that reads it fetches anyway. So where every value that a kernel computes on a layer is read
by one cell of the next kernel and by nothing else, that cell computes it just before: in a row that
is in the cache, or in the thread of a device.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from halocline.geometry import Box, add_joined, added, opposite
from halocline.language.expr import renamed
from halocline.language.kernel import Feeder, FieldType, Kernel, Statement
from halocline.plan.chain import partial_axes
from halocline.plan.reach import moved

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.geometry import Offset
    from halocline.language.steps import Parameter
    from halocline.plan.access import Access
    from halocline.plan.program import Launch, Uses
    from halocline.plan.step import Break, Chain

# Cells by field and component.
_Boxes = dict[tuple[str, int], list[Box]]


@dataclass(frozen=True, slots=True)
class _Used:
    """Cells that kernels on layers use, by field and component, as few boxes.

    Attributes:
        read: What they read.
        fed: What is assigned by those that feed a kernel.
        assigned: What is assigned by the others.
    """

    read: _Boxes = field(default_factory=dict)
    fed: _Boxes = field(default_factory=dict)
    assigned: _Boxes = field(default_factory=dict)

    def add(self, layer: Launch, cells: Box, *, is_fed: bool) -> None:
        """Add what a kernel uses that runs in some cells."""
        for boxes, uses in (
            (self.read, layer.reads),
            (self.fed if is_fed else self.assigned, layer.assigns),
        ):
            for access in uses:
                add_joined(boxes.setdefault(access.key, []), access.cells(cells))

    def must_follow(self, feeder: Launch, cells: Box) -> bool:
        """Return whether some of them must run after a feeder that runs in some cells."""
        # Two feeders of the same cell keep their order.
        assigned = _meets(feeder.assigns, cells, self.read, self.assigned)
        return assigned or _meets(feeder.reads, cells, self.fed, self.assigned)


def _meets(uses: Uses, cells: Box, *found: _Boxes) -> bool:
    """Return whether a kernel that runs in some cells uses any of those found."""
    return any(
        access.cells(cells).meets(box)
        for access in uses
        for boxes in found
        for box in boxes.get(access.key, ())
    )


def with_feeders(chain: Chain) -> Chain:
    """Return a chain with as many kernels on layers as possible made feeders of others."""
    feeds = _Feeds(chain).found
    kept = [p for p in range(len(chain.launches)) if p not in feeds]
    feeders = {p: [n for n in sorted(feeds) if feeds[n][0] == p] for p in kept}
    return replace(
        chain,
        launches=tuple(
            _fed(chain.launches[p], [(chain.launches[n], feeds[n][1]) for n in found])
            for p, found in feeders.items()
        ),
        extents=tuple(chain.extents[p] for p in kept),
        breaks=tuple(_moved_up(item, feeds) for item in chain.breaks),
        fed=tuple(tuple(chain.extents[n] for n in found) for found in feeders.values()),
    )


def unfed(kernel: Kernel, domain: Box, layers: Sequence[Box | None]) -> Box:
    """Return a box of cells for which no feeder runs: nearly all of them, all but the outermost.

    Args:
        kernel: The kernel.
        domain: The cells to consider.
        layers: Where each feeder runs; None where it does not.
    """
    lower, upper = list(domain.lower), list(domain.upper)
    for feeder, layer in zip(kernel.feeders, layers, strict=True):
        if layer is None:
            continue
        axis, side = feeder.layer
        fed = layer.shift(opposite(feeder.offset))
        if side < 0:
            lower[axis] = max(lower[axis], fed.upper[axis])
        else:
            upper[axis] = min(upper[axis], fed.lower[axis])
    return Box(tuple(lower), tuple(upper))


def _moved_up(item: Break, gone: Iterable[int]) -> Break:
    return replace(item, position=item.position - sum(p < item.position for p in gone))


class _Feeds:
    """Finds which kernels of a chain can feed which other one, and at which offset from its cells.

    Attributes:
        found: From the position of a feeder to that of the kernel it feeds, and the offset.
    """

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self.found: dict[int, tuple[int, Offset]] = {}
        # What the layers from a position up to the next other kernel use.
        between = _Used()
        # Where two layers share cells, what the later one assigns stays: it is asked first.
        for position in reversed(range(len(chain.launches))):
            launch = chain.launches[position]
            if not launch.is_layer:
                between = _Used()
                continue
            reader = self._reader(position)
            offset = None if reader is None else self._offset(position, reader, between)
            if reader is None or offset is None:
                between.add(launch, launch.region, is_fed=False)
            else:
                self.found[position] = (reader, offset)
                between.add(launch, _cells(launch, chain.launches[reader], offset), is_fed=True)

    def _reader(self, position: int) -> int | None:
        """Return the kernel that follows a group of layers, if only they stand between."""
        launches = self._chain.launches
        later = range(position + 1, len(launches))
        reader = next((p for p in later if not launches[p].is_layer), None)
        breaks = [b.position for b in self._chain.breaks]
        if reader is None or any(position < b <= reader for b in breaks):
            return None
        return reader

    def _offset(self, position: int, reader: int, between: _Used) -> Offset | None:
        """Return where a kernel on a layer lies from the cells it would feed, or None."""
        feeder, fed = self._chain.launches[position], self._chain.launches[reader]
        offset = _way(feeder, fed)
        if offset is None or partial_axes(feeder):
            return None
        cells = _cells(feeder, fed, offset)
        is_free = (
            _is_all_read(feeder, fed, offset)
            # It will run after the layers between it and the kernel it feeds.
            and not between.must_follow(feeder, cells)
            and _is_kept(fed, cells, offset, [*feeder.reads, *feeder.assigns])
            and not self._is_read_after(reader, feeder, offset)
        )
        return offset if is_free else None

    def _is_read_after(self, reader: int, feeder: Launch, offset: Offset) -> bool:
        """Return whether what a feeder assigns is read by a kernel after the one it feeds."""
        (assigns,) = feeder.assigns
        here = added(offset, assigns.offset)
        fed = self._chain.launches[reader]
        if any((a.key, a.offset) == (assigns.key, here) for a in fed.assigns):
            return False
        # Also what it would not assign any more, since the kernel it feeds does not read it.
        assigned: _Boxes = {assigns.key: [assigns.cells(feeder.region)]}
        for other in self._chain.launches[reader + 1 :]:
            if other == feeder:
                return False
            if _meets(other.reads, other.region, assigned):
                return True
        return False


def _is_all_read(feeder: Launch, fed: Launch, offset: Offset) -> bool:
    """Return whether what a feeder assigns to cells of the domain would all be computed."""
    (assigns,) = feeder.assigns
    seen = assigns.cells(feeder.region).intersect(assigns.space.domain)
    if seen.is_empty:
        return True
    return fed.plain is None and moved(fed.region, added(offset, assigns.offset)).contains(seen)


def _way(feeder: Launch, fed: Launch) -> Offset | None:
    """Return how far from the only cell that reads it each result of a kernel is computed.

    Kernels on cells of another grid are never feeders, nor do sweeps have any: their rows differ.
    """
    is_free = feeder.on_demand and feeder.plain is None and len(feeder.assigns) == 1
    if not is_free or fed.kernel.sweep or not feeder.space.is_beside(fed.space):
        return None
    (assigns,) = feeder.assigns
    assigned = assigns.cells(feeder.region)
    read = [a for a in fed.reads if a.key == assigns.key]
    reached = [a.offset for a in read if a.cells(fed.region).meets(assigned)]
    if len(reached) != 1 or assigns.ratio:
        return None
    return added(reached[0], opposite(assigns.offset))


def _cells(feeder: Launch, fed: Launch, offset: Offset) -> Box:
    """Return where a kernel on a layer runs for the sake of the one that it feeds."""
    return feeder.region.intersect(moved(fed.region, offset))


def _is_kept(fed: Launch, cells: Box, offset: Offset, used: Iterable[Access]) -> bool:
    """Return whether the fed kernel leaves alone what a feeder uses, but in the very cell it feeds.

    Cells are computed in any order, so others must not have overwritten it before, nor after.
    """
    here = opposite(offset)
    for access in used:
        for other in fed.assigns:
            by = added(access.offset, opposite(other.offset))
            is_other = other.key == access.key and by != here
            if is_other and other.users(access.cells(cells)).meets(fed.region):
                return False
    return True


def _fed(launch: Launch, feeders: Sequence[tuple[Launch, Offset]]) -> Launch:
    """Return a kernel with feeders at offsets from its cells."""
    if not feeders:
        return launch
    joined = _Joined(launch)
    return joined.launch([joined.add(feeder, offset, _layer(feeder)) for feeder, offset in feeders])


def _layer(feeder: Launch) -> tuple[int, int]:
    """Return the axis that a feeder's layer lies across, and which layer of that side it is."""
    region, (assigns,) = feeder.region, feeder.assigns
    axis = region.extent.index(min(region.extent))
    position = region.lower[axis]
    beyond = position - assigns.space.domain.upper[axis] + 1
    return axis, max(beyond, 0) or position


class _Joined:
    """The fields and scalars of a kernel and its feeders, each once."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        # The mask stays the last of the fields.
        self._masks = 1 if launch.plain else 0
        count = len(launch.names) - self._masks
        own = launch.kernel.fields
        self._fields = dict(zip(launch.names[:count], own[:count], strict=True))
        self._spaces = dict(zip(launch.names, launch.spaces, strict=True))
        self._scalars = dict(zip(launch.kernel.scalars, launch.scalars, strict=True))
        self._taken = {f.name for f in own} | set(self._scalars)

    def add(self, feeder: Launch, offset: Offset, layer: tuple[int, int]) -> Feeder:
        """Return a feeder that calls its fields and scalars as they are called here."""
        kernel = feeder.kernel
        self._spaces |= zip(feeder.names, feeder.spaces, strict=True)
        fields = {
            field.name: self._field(name, field)
            for name, field in zip(feeder.names, kernel.fields, strict=True)
        }
        scalars = {
            name: self._scalar(name, value)
            for name, value in zip(kernel.scalars, feeder.scalars, strict=True)
        }
        statements = tuple(
            Statement(fields[s.field], s.component, renamed(s.value, fields, scalars), s.offset)
            for s in kernel.statements
        )
        return Feeder(replace(kernel, statements=statements), offset, layer)

    def launch(self, feeders: Sequence[Feeder]) -> Launch:
        """Return the kernel with its feeders, all with the same fields and scalars."""
        old = self._launch
        plain = tuple(self._fields.values())
        whole = plain + old.kernel.fields[len(old.kernel.fields) - self._masks :]
        mask = old.names[len(old.names) - self._masks :]
        scalars = tuple(self._scalars)

        def joined(kernel: Kernel, fields: tuple[FieldType, ...]) -> Kernel:
            own = tuple(
                replace(f, kernel=replace(f.kernel, fields=fields, scalars=scalars))
                for f in feeders
            )
            return replace(kernel, fields=fields, scalars=scalars, feeders=own)

        return replace(
            old,
            kernel=joined(old.kernel, whole),
            plain=joined(old.plain, plain) if old.plain else None,
            names=(*self._fields, *mask),
            spaces=tuple(self._spaces[name] for name in (*self._fields, *mask)),
            scalars=tuple(self._scalars.values()),
        )

    def _field(self, name: str, field: FieldType) -> str:
        if name not in self._fields:
            self._fields[name] = replace(field, name=self._new(name))
        return self._fields[name].name

    def _scalar(self, name: str, value: float | Parameter) -> str:
        same = [known for known, other in self._scalars.items() if other is value]
        if not same:
            same = [self._new(name)]
            self._scalars[same[0]] = value
        return same[0]

    def _new(self, wanted: str) -> str:
        name = wanted
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name
