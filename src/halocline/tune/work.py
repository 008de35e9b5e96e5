"""Work: how long a rank computes in boxes, and packs and copies parts."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from halocline.analysis.cost import Cost, cost
from halocline.analysis.tiles import bytes_in_tiles
from halocline.frozen import Frozen
from halocline.language.points.at_points import AtPoints
from halocline.memo import memoised
from halocline.plan.passes.wavefronts import bytes_in_wavefront, bytes_in_work
from halocline.plan.platform import Platform
from halocline.plan.value import operations as ops
from halocline.tune.device import DEVICE_MESSAGES
from halocline.tune.machine import LINE_BYTES, Machine, MachineError, kernel_key, wavefront_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Box
    from halocline.plan.program.program import Launch
    from halocline.plan.value.parts import Part
    from halocline.plan.value.plan import Plan
    from halocline.tune.compacted_masks import CompactedMask, CompactedMasks

# Smaller boxes are copied by one thread, as the runtime does.
_PARALLEL_BYTES = 1 << 21
# Owners gather shorter rows for those who copy from their fields, as the runtime does.
_THIN_ROW_BYTES = 16
# Of these numbers arithmetic was measured; a vector holds more of smaller ones.
_MEASURED_BYTES = 8
# What a point takes, and what each value that it weights adds, on processors of 2024; measured by
# bench/points.py [s].
_POINT_S, _WEIGHT_S = 6e-9, 6e-10


class Placement(Frozen):
    """How ranks share hardware.

    Attributes:
        ranks_per_node: Consecutive ranks on one node.
        threads: OpenMP threads a rank.
        ranks_sharing_memory: Ranks whose threads share one memory; None for those of a node. It
            is more where ranks of one machine are only said to be on different nodes.
    """

    ranks_per_node: int
    threads: int = 1
    ranks_sharing_memory: int | None = None

    def __post_init__(self) -> None:
        numbers = (self.ranks_per_node, self.threads, self.ranks_sharing_memory or 1)
        if min(numbers) < 1:
            raise MachineError(
                f"{self.ranks_per_node} ranks a node with {self.threads} threads each were asked "
                "for; expected at least 1 of both."
            )

    @staticmethod
    def full(machine: Machine, ranks: int, threads: int = 1) -> Placement:
        """Return nodes filled with ranks (see 'Machine.ranks_per_node'), or one if all fit."""
        return Placement(max(1, min(ranks, machine.ranks_per_node(threads))), threads)

    def node(self, rank: int) -> int:
        """Return the node of a rank."""
        return rank // self.ranks_per_node

    def platform(self, machine: Machine, ranks: int) -> Platform:
        """Return what so many ranks run on; machine files have no sizes of caches."""
        nodes = tuple(map(self.node, range(ranks)))
        if machine.device is None:
            return Platform(nodes, self.threads)
        near, far = DEVICE_MESSAGES[machine.device.messages]
        return Platform(nodes, self.threads, near=near, far=far)

    def ranks_beside(self, rank: int, ranks: int) -> range:
        """Return the ranks on the node of a rank, itself included."""
        first = self.node(rank) * self.ranks_per_node
        return range(first, min(ranks, first + self.ranks_per_node))


class WavefrontTimes(Frozen):
    """What the time of a wavefront consists of.

    Attributes:
        memory_s: What it uses comes from memory [s].
        first_s: The runs that use it first would take this if it were in the caches [s].
        later_s: The others, which find it there [s].
    """

    memory_s: float
    first_s: float
    later_s: float

    def total_s(self, share: float) -> float:
        """Return the time of all if runs reach a share of what caches and arithmetic allow [s]."""
        return max(self.memory_s, self.first_s / share) + self.later_s / share

    def share(self, seconds: float) -> float | None:
        """Return the share at which all takes so long; None if memory alone takes longer."""
        if seconds <= self.memory_s:
            return None
        # The greater of two sums takes that long where the greater of the shares says so.
        is_memory = self.later_s / (seconds - self.memory_s)
        return max(is_memory, (self.first_s + self.later_s) / seconds)


class Work:
    """What a rank's processor and memory need for the operations of a plan.

    Ranks on a node compute all at once and share the memory equally.
    """

    def __init__(
        self,
        plan: Plan,
        machine: Machine,
        placement: Placement,
        masks: CompactedMasks | None = None,
    ) -> None:
        self.plan = plan
        self.masks = masks
        self.machine = machine
        self.threads = placement.threads
        beside = len(placement.ranks_beside(plan.rank, plan.decomposition.ranks))
        self.sharing = placement.ranks_sharing_memory or beside
        self.size = {layout.name: layout.bytes_per_value for layout in plan.layouts}
        # More threads than the hardware has take turns.
        self.turns = max(1.0, self.sharing * self.threads / machine.cores)
        self.bytes_per_thread = working_set(plan) / self.threads
        # What non-temporal stores wrote has gone to memory when it is packed.
        is_far = any(how.stream == "always" for how in plan.executions)
        self.packing = (machine.far_packing if is_far else None) or machine.packing

    @memoised
    def bandwidth(self, streams: int) -> float:
        """Return this rank's part of what memory gives to loops of so many streams [bytes/s]."""
        threads = self.sharing * self.threads
        return self.machine.bandwidth(threads, streams, self.bytes_per_thread) / self.sharing

    def compute_s(self, run: ops.Run) -> float:
        """Return the greater of memory traffic and arithmetic, over all boxes [s]."""
        launch = self.plan.launches[run.launch]
        if isinstance(launch.body, AtPoints):
            boxes = [box for _, box in run.boxes]
            return points_s(launch, launch.body, boxes) / self.threads
        needed = cost(launch.code)
        tile = self.plan.executions[run.launch].tile if self.plan.executions else None
        bandwidth, total = self.bandwidth(needed.streams), 0.0
        for placed in run.boxes:
            mask = self._mask(run, placed)
            if mask is None:
                cells = placed[1].cells
                moved = bytes_in_tiles(launch.code, placed[1], tile, LINE_BYTES)
            else:
                cells, moved = mask.cells, _bytes_in_list(needed, mask)
            total += max(moved / bandwidth, self._arithmetic_s(needed, cells))
        return total / self._share(run.launch)

    def _mask(self, run: ops.Run, placed: ops.Placed) -> CompactedMask | None:
        """Return the cells of a box in which a kernel runs; None if it runs in all."""
        return self.masks.of(self.plan.launches[run.launch], placed) if self.masks else None

    def wavefront_s(self, wavefront: ops.Wavefront) -> float:
        """Return what kernels take that do together what the caches hold [s]."""
        key, in_work = wavefront_key(self.plan, wavefront), bytes_in_work(self.plan, wavefront)
        return self.wavefront_times(wavefront).total_s(self.machine.share(key, in_work))

    def wavefront_times(self, wavefront: ops.Wavefront) -> WavefrontTimes:
        """Return the times of which that of a wavefront consists.

        What its runs use comes from memory once, as fast as the largest of those gets it that use
        it first.
        """
        in_work = bytes_in_work(self.plan, wavefront)
        runs = list(zip(wavefront.runs, wavefront.skews, strict=True))
        first = [run for run, skew in runs if skew.is_first]
        later = [run for run, skew in runs if not skew.is_first]
        largest = max(first, key=lambda run: self._code_cost(run).bytes * _cells(run))
        rate = self.bandwidth(self._code_cost(largest).streams) * self._share(largest.launch)
        return WavefrontTimes(
            bytes_in_wavefront(self.plan, wavefront) / rate,
            sum(self._in_cache_s(run, in_work) for run in first),
            sum(self._in_cache_s(run, in_work) for run in later),
        )

    def _in_cache_s(self, run: ops.Run, bytes_per_thread: float) -> float:
        """Return the time of a run that finds in caches what it uses [s]."""
        launch = self.plan.launches[run.launch]
        if isinstance(launch.body, AtPoints):
            boxes = [box for _, box in run.boxes]
            return points_s(launch, launch.body, boxes) / self.threads
        needed = self._code_cost(run)
        threads = self.sharing * self.threads
        rate = self.machine.bandwidth(threads, needed.streams, bytes_per_thread) / self.sharing
        cells = _cells(run)
        return max(cells * needed.bytes / rate, self._arithmetic_s(needed, cells))

    def _code_cost(self, run: ops.Run) -> Cost:
        return cost(self.plan.launches[run.launch].code)

    def _arithmetic_s(self, needed: Cost, cells: int) -> float:
        """Return the time of a kernel's operations in cells [s]."""
        in_vector = max(1.0, _MEASURED_BYTES / max(1, needed.widest))
        rate = self.machine.flops_per_s * in_vector * self.threads / self.turns
        return cells * needed.flops / rate

    def overhead_s(self, run: ops.Run) -> float:
        """Return what launching the kernel, its boxes and rows costs [s]."""
        share = self._share(run.launch)
        costs = self.machine.overheads
        lists = [(placed, self._mask(run, placed)) for placed in run.boxes]
        rows = sum(
            prod(box.extent[1:]) if found is None else found.runs for (_, box), found in lists
        )
        waking = costs.parallel_s * len(run.boxes) if self.threads > 1 else 0.0
        computing = rows * costs.row_s / self.threads
        launching = costs.launch_s + len(run.boxes) * costs.box_s
        return self.turns * (launching + waking + computing) / share

    def pack_s(self, parts: Iterable[Part]) -> float:
        """Return what copying parts to or from a buffer costs [s]."""
        packing = self.packing
        return self._boxes_s(parts, packing.value_s, packing.byte_s)

    def copy_s(self, parts: Iterable[Part], byte_s: float | None = None) -> float:
        """Return what copying parts from field to field costs, both of which may be strided [s].

        Args:
            parts: What is copied.
            byte_s: Of rows, if they cannot be copied as fast as packed [s/byte].
        """
        packing = self.packing
        rate = max(packing.byte_s, byte_s or 0.0)
        return self._boxes_s(parts, 2 * packing.value_s, rate)

    def is_thin(self, part: Part) -> bool:
        """Return whether the owner gathers a part that others pull."""
        return part.box.extent[0] * self.size[part.field] <= _THIN_ROW_BYTES

    def sweep_s(self, boxes: Iterable[ops.Placed], value_bytes: int) -> float:
        """Return what reading one component once costs [s]."""
        return sum(box.cells for _, box in boxes) * value_bytes / self.bandwidth(2)

    def _boxes_s(self, parts: Iterable[Part], value_s: float, byte_s: float) -> float:
        """Return what copying boxes costs, all of which threads share if they are large [s]."""
        seconds, moved_bytes = 0.0, 0
        for part in parts:
            nx, *others = part.box.extent
            rows, row_bytes = prod(others), nx * self.size[part.field]
            row_s = value_s if nx == 1 else max(value_s, self.packing.row_s + row_bytes * byte_s)
            seconds += self.packing.box_s + rows * row_s
            moved_bytes += 2 * rows * max(LINE_BYTES, row_bytes)
        return seconds * self.turns / (self.threads if moved_bytes >= _PARALLEL_BYTES else 1)

    @memoised
    def _share(self, launch: int) -> float:
        key = kernel_key(self.plan.launches[launch].code) if self.machine.kernels else ""
        return self.machine.share(key, self.bytes_per_thread)


def _cells(run: ops.Run) -> int:
    return sum(box.cells for _, box in run.boxes)


def _bytes_in_list(needed: Cost, mask: CompactedMask) -> int:
    """Return what moves for some cells: all of the lines in which their values lie."""
    streams = [s for s in (*needed.read, *needed.written) if s.cell_bytes]
    sizes = {s.cell_bytes for s in streams}
    pieces = {size: mask.pieces(max(1, LINE_BYTES // size)) for size in sizes}
    return LINE_BYTES * sum(pieces[s.cell_bytes] for s in streams)


def points_s(launch: Launch, at: AtPoints, boxes: Iterable[Box]) -> float:
    """Return what the points of a kernel in some boxes take on one thread [s].

    They are taken to lie as densely everywhere.
    """
    around = launch.region.intersect(launch.space.domain)
    share = sum(box.intersect(around).cells for box in boxes) / max(1, around.cells)
    used = at.footprint
    read = prod(a - b + 1 for a, b in zip(used.upper, used.lower, strict=True))
    return share * len(at.points) * (_POINT_S + read * _WEIGHT_S)


def working_set(plan: Plan) -> float:
    """Return the size of all fields that the step uses on this rank's blocks [bytes]."""
    used = {
        name
        for op in plan.operations()
        if isinstance(op, ops.Run)
        for name in plan.launches[op.launch].names
    }
    return float(
        sum(
            layout.components * layout.bytes_per_value * layout.stored(block).cells
            for layout in plan.layouts
            if layout.name in used
            for block in plan.blocks_with(layout.space)
        )
    )
