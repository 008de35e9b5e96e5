"""Wavefronts: kernels one after the other, plane by plane while the caches hold what they share.

Where a run reads or overwrites what another one before it writes or reads, it may do a plane as
soon as that one has done all planes within some distance (time skewing: McCalpin and Wonnacott
1999; wavefronts: Wellein et al. 2009). So runs that follow each other, of one step or of several,
go through memory together, each some planes behind the one before. Nothing is computed twice, and
every value is computed from the same ones: only the order is another.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.geometry import UNBOUNDED, VOLUME, bounding_box
from halocline.language.points.at_points import AtPoints
from halocline.language.series.filling import Fill
from halocline.language.steps.tree import Every, Repeat, Until
from halocline.plan.passes.reduction_fusion import taken
from halocline.plan.value.operations import (
    Compute,
    Poll,
    Run,
    Skew,
    StepEnd,
    Wavefront,
    walk,
)
from halocline.plan.value.temporal_blocks import temporal_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from halocline.geometry import Box
    from halocline.plan.cells.access import Access, Key
    from halocline.plan.platform import Platform
    from halocline.plan.program.program import Launch, Uses
    from halocline.plan.value.operations import Operation
    from halocline.plan.value.plan import Plan

# Planes that a run does at once: as many as kernels do together, and fewer where a tile would have
# fewer rows than this.
_PLANES = (4, 2, 1)
_FEWEST_ROWS = 16
# Of caches: they hold what others read, too.
_USABLE_PART = 2

_Between = Compute | StepEnd | Poll


def with_wavefronts(plan: Plan, platform: Platform) -> Plan:
    """Join runs to wavefronts, so that several steps go through memory together."""
    blocks = [
        replace(block, operations=_joined(block.operations, plan, platform))
        for block in temporal_blocks(plan.steps, plan.strategy.steps_in_cache)
    ]
    is_worth_it = any(isinstance(op, Wavefront) for b in blocks for op in walk(b.operations))
    return replace(
        plan,
        steps=tuple(_joined(step, plan, platform) for step in plan.steps),
        temporal_blocks=tuple(blocks) if is_worth_it else (),
    )


def _joined(
    operations: Iterable[Operation], plan: Plan, platform: Platform
) -> tuple[Operation, ...]:
    """Return operations in which runs have become wavefronts where that saves traffic."""
    joining = _Joining(plan, platform.kept_bytes, platform.threads)
    for unit in _units(operations):
        op = unit[0]
        if isinstance(op, Run):
            joining.add(unit)
            continue
        if isinstance(op, _Between):
            joining.parts.append(op)
            continue
        joining.finish()
        if isinstance(op, Repeat | Every | Until):
            inner = _joined(op.body, plan, platform)
            joining.result.append(replace(op, body=inner))
        else:
            joining.result.append(op)
    joining.finish()
    return tuple(joining.result)


def bytes_in_wavefront(plan: Plan, wavefront: Wavefront) -> int:
    """Return what a wavefront moves to and from memory: all that it uses once [bytes].

    What it writes is read before, like all that is written to caches. Of tiles those beside each
    other use the same rows where runs stay behind across them.
    """
    launches = [plan.launches[run.launch] for run in wavefront.runs]
    written = {key for launch in launches for key in launch.writes}
    cells = max(sum(box.cells for _, box in run.boxes) for run in wavefront.runs)
    size = {layout.name: layout.bytes_per_value for layout in plan.layouts}
    used = {key for launch in launches for key in _used(launch) if key[0] in size}
    once = sum(cells * size[key[0]] * (2 if key in written else 1) for key in used)
    if not wavefront.rows:
        return once
    return once + once * max(skew.across for skew in wavefront.skews) // wavefront.rows


def bytes_in_work(plan: Plan, wavefront: Wavefront) -> int:
    """Return what a thread goes through before a wavefront needs a plane again [bytes]."""
    size = _Size(plan, wavefront.runs)
    planes = _planes_in_work(wavefront.planes, wavefront.skews)
    return size.row_bytes * planes * (wavefront.rows or size.rows)


class _Size:
    """What runs use on the largest block of a rank.

    Attributes:
        bytes: Of all their fields.
        row_bytes: Of a row of them.
        rows: Of a plane.
        axes: How many there are.
    """

    def __init__(self, plan: Plan, runs: Sequence[Run]) -> None:
        launches = [plan.launches[run.launch] for run in runs]
        names = {name for launch in launches for name in launch.names}
        sizes = plan.bytes_on_largest_block()
        self.bytes = sum(size for name, size in sizes.items() if name in names)
        space = launches[0].space
        boxes = [space.flat(block.box) for block in plan.blocks_with(space)]
        extent = max(boxes, key=lambda box: box.cells).extent
        self.row_bytes = self.bytes // prod(extent[1:])
        self.axes = len(extent)
        self.rows = extent[1] if self.axes == VOLUME else 1


def _planes_in_work(planes: int, skews: Iterable[Skew]) -> int:
    """Return how many planes lie between the first that is still used and the last brought in."""
    return planes + max(skew.upper for skew in skews) + 1


def _units(operations: Iterable[Operation]) -> Iterator[tuple[Operation, ...]]:
    """Yield operations, at once those that do cells of one kernel, with the polls after them."""
    unit: list[Operation] = []
    for op in operations:
        if unit and not _goes_on(unit[0], op):
            yield tuple(unit)
            unit = []
        unit.append(op)
    if unit:
        yield tuple(unit)


def _goes_on(first: Operation, op: Operation) -> bool:
    if not isinstance(first, Run):
        return False
    return isinstance(op, Poll) or (isinstance(op, Run) and op.launch == first.launch)


class _Joining:
    """Collects runs that may be one wavefront, and what stands between them."""

    def __init__(self, plan: Plan, kept_bytes: int, threads: int) -> None:
        self.result: list[Operation] = []
        self.plan = plan
        self.kept_bytes = kept_bytes
        self.threads = threads
        self._begin()

    def _begin(self) -> None:
        self.parts: list[Operation] = []
        self.runs: list[Run] = []
        self.skews: list[Skew] = []
        self.along, self.across = _Behind(-1), _Behind(-2)
        self.seen: set[Key] = set()

    def add(self, unit: Sequence[Operation]) -> None:
        """Add the runs of a kernel; they begin another wavefront if they cannot be in this one."""
        runs = [op for op in unit if isinstance(op, Run)]
        launch = self.plan.launches[runs[0].launch]
        box = bounding_box(box for run in runs for _, box in run.boxes)
        if box is None:  # they have nothing to do here
            self.parts += [op for op in unit if not isinstance(op, Run)]
            return
        if not _may_be_cut(launch):
            self.finish()
            self.result += unit
            return
        skew = self._skew(launch, box)
        if skew is None:
            self.finish()
            skew = Skew(0, 0, 0, is_first=True)
        self.parts += unit
        self.runs += runs
        self.skews += [skew] * len(runs)
        self.along.add(launch, box, skew.lower, skew.upper)
        self.across.add(launch, box, 0, skew.across)
        self.seen |= _used(launch)

    def _skew(self, launch: Launch, box: Box) -> Skew | None:
        """Return how a run stays behind all before it; None if it must wait until they are done."""
        first = self.plan.launches[self.runs[0].launch] if self.runs else launch
        if not first.space.is_beside(launch.space):
            return None
        along, across = (one.distance(launch, box) for one in (self.along, self.across))
        if along is None or across is None:
            return None
        return Skew(*along, across[1], is_first=not _used(launch) <= self.seen)

    def finish(self) -> None:
        """Add what has been collected to the result."""
        size = _Size(self.plan, self.runs) if len({run.launch for run in self.runs}) > 1 else None
        # Runs that find all they need in caches gain nothing.
        if size is None or size.bytes <= self.kept_bytes * self.threads:
            self.result += self.parts
        else:
            end = 1 + max(n for n, part in enumerate(self.parts) if isinstance(part, Run))
            within, after = self.parts[:end], self.parts[end:]
            self.result += dict.fromkeys(part for part in within if isinstance(part, Poll))
            self.result += [self._wavefront(size, within), *after]
        self._begin()

    def _wavefront(self, size: _Size, parts: Iterable[Operation]) -> Wavefront:
        """Return a wavefront of the runs among some parts."""
        planes, rows = self._tile(size.row_bytes)
        return Wavefront(
            tuple(part for part in parts if isinstance(part, Run | Compute | StepEnd)),
            tuple(self.skews),
            axis=size.axes - 1,
            planes=planes,
            rows=rows if rows < size.rows else 0,
        )

    def _tile(self, row_bytes: int) -> tuple[int, int]:
        """Return planes at once, and rows of tiles, so that caches hold all planes in work."""
        limit = self.kept_bytes // _USABLE_PART
        choices = [
            (planes, limit // (row_bytes * _planes_in_work(planes, self.skews)))
            for planes in _PLANES
        ]
        planes, rows = next((one for one in choices if one[1] >= _FEWEST_ROWS), choices[-1])
        return planes, max(1, rows)


def _used(launch: Launch) -> set[Key]:
    return {access.key for access in _in_fields(launch, (*launch.reads, *launch.assigns))}


def _may_be_cut(launch: Launch) -> bool:
    """Return whether a kernel may be done plane by plane between others."""
    kernel = launch.kernel
    is_loop = not isinstance(launch.body, Fill) and kernel.dimensions > 1 and kernel.sweep is None
    return is_loop and not launch.gathered and not taken(launch)


def _in_fields(launch: Launch, uses: Uses) -> Uses:
    """Return what a kernel uses of cells; what is recorded at points is a number of each step."""
    if not isinstance(launch.body, AtPoints):
        return uses
    return tuple(access for access in uses if access.field == launch.names[0])


def _cells(access: Access, box: Box) -> Box:
    """Return the cells that are used from a box; whole rows where these may close."""
    cells = access.cells(box)
    return cells.clip(0, -UNBOUNDED, UNBOUNDED) if access.space.periodic[0] else cells


class _Behind:
    """How far runs must stay behind those before them along an axis.

    Args:
        axis: From the last one on, as of sequences.
    """

    def __init__(self, axis: int) -> None:
        self._axis = axis
        self._used: dict[Key, list[_Use]] = {}
        self._written: dict[Key, list[_Use]] = {}

    def distance(self, launch: Launch, box: Box) -> tuple[int, int] | None:
        """Return how far a kernel must stay from the lower and upper end; None: wait for all.

        Args:
            launch: The kernel.
            box: Where it runs.
        """
        lower = upper = 0
        for accesses, before in (
            (_in_fields(launch, launch.reads), self._written),
            (_in_fields(launch, launch.assigns), self._used),
        ):
            for access in accesses:
                cells = _cells(access, box)
                for known in before.get(access.key, ()):
                    if not known.cells.meets(cells):
                        continue
                    if not (known.is_near and self._is_near(access)):
                        return None
                    offset = access.offset[self._axis]
                    lower, upper = (
                        max(lower, known.lower - offset),
                        max(upper, known.upper + offset),
                    )
        return lower, upper

    def add(self, launch: Launch, box: Box, lower: int, upper: int) -> None:
        """Take down what a kernel uses that stays so far behind."""
        for accesses, tables in (
            (_in_fields(launch, launch.reads), (self._used,)),
            (_in_fields(launch, launch.assigns), (self._used, self._written)),
        ):
            for access in accesses:
                offset = access.offset[self._axis]
                use = _Use(
                    _cells(access, box),
                    lower + offset,
                    upper - offset,
                    is_near=self._is_near(access),
                )
                for table in tables:
                    table.setdefault(access.key, []).append(use)

    def _is_near(self, access: Access) -> bool:
        """Return whether it is known which cells along the axis a kernel uses from its own."""
        return not access.ratio or access.ratio[self._axis] == 1


class _Use(Frozen):
    """Cells of a component that a run uses.

    Attributes:
        cells: Which.
        lower: How far the run stays from the lower end, and their offset from its cells more.
        upper: How far from the upper end, and that offset less.
        is_near: Whether there is such an offset.
    """

    cells: Box
    lower: int
    upper: int
    is_near: bool
