"""Wavefronts: kernels one after the other, plane by plane while the caches hold what they share.

Where a run reads or overwrites what another one before it writes or reads, it may do a plane as
soon as that one has done all planes within some distance (time skewing: McCalpin and Wonnacott
1999; wavefronts: Wellein et al. 2009). So runs that follow each other, of one step or of several,
go through memory together, each some planes behind the one before. Nothing is computed twice, and
every value is computed from the same ones: only the order is another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from halocline.geometry import bounding_box
from halocline.language.steps.tree import Every, Repeat, Until
from halocline.plan.operations import Compute, Poll, Run, Skew, StepEnd, Wavefront
from halocline.plan.taking import taken

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.geometry import Box
    from halocline.plan.access import Access, Key
    from halocline.plan.operations import Operation
    from halocline.plan.plan import Plan
    from halocline.plan.program import Launch, Uses

# Planes that a run does at once: as many as kernels do together, and fewer where a tile would have
# fewer rows than this.
_PLANES = (4, 2, 1)
_FEWEST_ROWS = 16
# Of caches: they hold what others read, too.
_USABLE_PART = 2
_VOLUME = 3

_Between = Compute | StepEnd | Poll


def with_wavefronts(
    operations: Iterable[Operation], plan: Plan, kept_bytes: int, threads: int
) -> tuple[Operation, ...]:
    """Return operations in which runs have become wavefronts where that saves traffic.

    Args:
        operations: Of a plan.
        plan: The plan.
        kept_bytes: What the caches keep for a thread.
        threads: Of a rank.
    """
    joining = _Joining(plan, kept_bytes, threads)
    every = tuple(operations)
    for number, op in enumerate(every):
        if isinstance(op, Run):
            joining.add(op, _in_pieces(every[number:]))
            continue
        if isinstance(op, _Between):
            joining.parts.append(op)
            continue
        joining.finish()
        if isinstance(op, Repeat | Every | Until):
            inner = with_wavefronts(op.body, plan, kept_bytes, threads)
            joining.result.append(replace(op, body=inner))
        else:
            joining.result.append(op)
    joining.finish()
    return tuple(joining.result)


def bytes_in_wavefront(plan: Plan, wavefront: Wavefront) -> int:
    """Return what a wavefront moves to and from memory: all that it uses once [bytes].

    What it writes is read before, like all that is written to caches.
    """
    launches = [plan.launches[run.launch] for run in wavefront.runs]
    written = {key for launch in launches for key in launch.writes}
    cells = max(sum(box.cells for _, box in run.boxes) for run in wavefront.runs)
    size = {layout.name: layout.bytes_per_value for layout in plan.layouts}
    used = {key for launch in launches for key in _used(launch) if key[0] in size}
    return sum(cells * size[key[0]] * (2 if key in written else 1) for key in used)


def bytes_in_work(plan: Plan, wavefront: Wavefront) -> int:
    """Return what a thread goes through before a wavefront needs a plane again [bytes]."""
    launches = {plan.launches[run.launch] for run in wavefront.runs}
    (space, *_) = {launch.space for launch in launches}
    names = {name for launch in launches for name in launch.names}
    extent = max(plan.boxes_of(space), key=lambda box: box.cells).extent
    size = sum(plan.bytes_of_largest_block(one) for one in plan.layouts if one.name in names)
    planes = wavefront.planes + max(skew.upper for skew in wavefront.skews) + 1
    rows = wavefront.rows or (extent[1] if len(extent) == _VOLUME else 1)
    return size // prod(extent[1:]) * planes * rows


def _in_pieces(operations: Sequence[Operation]) -> list[Run]:
    """Return the first of some operations, a run, and those that do other cells of the same."""
    first, *others = operations
    assert isinstance(first, Run)
    pieces = [first]
    for op in others:
        if isinstance(op, Run) and op.launch == first.launch:
            pieces.append(op)
        elif not isinstance(op, Poll):
            break
    return pieces


class _Joining:
    """Collects runs that may be one wavefront, and what stands between them."""

    def __init__(self, plan: Plan, kept_bytes: int, threads: int) -> None:
        self.result: list[Operation] = []
        self.plan = plan
        self.kept_bytes = kept_bytes
        self.threads = threads
        self._begin()

    def _begin(self) -> None:
        self.parts: list[Run | _Between] = []
        self.skews: list[Skew] = []
        self.along, self.across = _Behind(-1), _Behind(-2)
        self.seen: set[Key] = set()

    def add(self, run: Run, pieces: Sequence[Run]) -> None:
        """Add the next run; it begins another wavefront if it cannot be in this one.

        Args:
            run: The run.
            pieces: It and those that follow it at once and do other cells of the same.
        """
        launch = self.plan.launches[run.launch]
        box = bounding_box(box for piece in pieces for _, box in piece.boxes)
        if box is None:
            return  # it has nothing to do here
        if not _may_be_cut(launch):
            self.finish()
            self.result.append(run)
            return
        if self._is_rest(run):
            self.parts.append(run)
            self.skews.append(self.skews[-1])
            return
        skew = self._skew(launch, box)
        if skew is None:
            self.finish()
            skew = Skew(0, 0, 0, is_first=True)
        self.parts.append(run)
        self.skews.append(skew)
        self.along.add(launch, box, skew.lower, skew.upper)
        self.across.add(launch, box, 0, skew.across)
        self.seen |= _used(launch)

    def _is_rest(self, run: Run) -> bool:
        """Return whether a run does other cells of what the one before it does."""
        runs = [part for part in self.parts if not isinstance(part, Poll)]
        last = runs[-1] if runs else None
        return isinstance(last, Run) and last.launch == run.launch

    def _skew(self, launch: Launch, box: Box) -> Skew | None:
        """Return how a run stays behind all before it; None if it must wait until they are done."""
        runs = [part for part in self.parts if isinstance(part, Run)]
        if runs and not self.plan.launches[runs[0].launch].space.is_beside(launch.space):
            return None
        along, across = (one.distance(launch, box) for one in (self.along, self.across))
        if along is None or across is None:
            return None
        return Skew(*along, across[1], is_first=not _used(launch) <= self.seen)

    def finish(self) -> None:
        """Add what has been collected to the result."""
        runs = [part for part in self.parts if isinstance(part, Run)]
        count = len({run.launch for run in runs})
        found = self._wavefront(runs) if count > 1 else None
        if found is None:
            self.result += self.parts
        else:
            last = max(n for n, part in enumerate(self.parts) if isinstance(part, Run))
            self.result += dict.fromkeys(p for p in self.parts[:last] if isinstance(p, Poll))
            self.result += [found, *self.parts[last + 1 :]]
        self._begin()

    def _wavefront(self, runs: Sequence[Run]) -> Wavefront | None:
        """Return runs as a wavefront; None if they find all they need in caches without."""
        launches = [self.plan.launches[run.launch] for run in runs]
        names = {name for launch in launches for name in launch.names}
        layouts = [layout for layout in self.plan.layouts if layout.name in names]
        size = sum(map(self.plan.bytes_of_largest_block, layouts))
        if size <= self.kept_bytes * self.threads:
            return None
        extent = max(self.plan.boxes_of(launches[0].space), key=lambda box: box.cells).extent
        planes, rows = self._tile(size // prod(extent[1:]))
        last = max(n for n, part in enumerate(self.parts) if isinstance(part, Run))
        return Wavefront(
            tuple(part for part in self.parts[: last + 1] if not isinstance(part, Poll)),
            tuple(self.skews),
            axis=len(extent) - 1,
            planes=planes,
            rows=rows if len(extent) == _VOLUME and rows < extent[1] else 0,
        )

    def _tile(self, row_bytes: int) -> tuple[int, int]:
        """Return planes at once, and rows of tiles, so that caches hold all planes in work."""
        behind = max(skew.upper for skew in self.skews)
        limit = self.kept_bytes // _USABLE_PART
        choices = [(planes, limit // (row_bytes * (planes + behind + 1))) for planes in _PLANES]
        planes, rows = next((one for one in choices if one[1] >= _FEWEST_ROWS), choices[-1])
        return planes, max(1, rows)


def _used(launch: Launch) -> set[Key]:
    return {access.key for access in _in_fields(launch, (*launch.reads, *launch.assigns))}


def _may_be_cut(launch: Launch) -> bool:
    """Return whether a kernel may be done plane by plane between others."""
    kernel = launch.kernel
    is_loop = launch.filling is None and kernel.dimensions > 1 and kernel.sweep is None
    return is_loop and not launch.gathered and not taken(launch)


def _in_fields(launch: Launch, uses: Uses) -> Uses:
    """Return what a kernel uses of cells; what is recorded at points is a number of each step."""
    if launch.points is None:
        return uses
    return tuple(access for access in uses if access.field == launch.names[0])


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
                cells = access.cells(box)
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
                    access.cells(box), lower + offset, upper - offset, is_near=self._is_near(access)
                )
                for table in tables:
                    table.setdefault(access.key, []).append(use)

    def _is_near(self, access: Access) -> bool:
        """Return whether it is known which cells along the axis a kernel uses from its own."""
        return not access.ratio or access.ratio[self._axis] == 1


@dataclass(frozen=True, slots=True)
class _Use:
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
