"""Machine: the numbers of a computer that decide how long a step takes, measured or published."""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_left
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import HaloclineError, nearest
from halocline.frozen import Frozen
from halocline.language.expressions.show import show
from halocline.tune.device import DEVICE_MESSAGES, Device

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from halocline.language.expressions.kernel import Kernel
    from halocline.plan.value.operations import Wavefront
    from halocline.plan.value.plan import Plan

LINE_BYTES = 64
# So many measured kernels are kept.
_MOST_KERNELS = 500

# Whose times replace those of a transport that were not measured.
_SUBSTITUTE = {
    "shared-push": "shared",
    "persistent": "two-sided",
    "datatype": "two-sided",
    "put": "two-sided",
    "get": "two-sided",
    # What devices have copied to their hosts goes on from there like anything else.
    "via-host": "two-sided",
    "box-copies": "two-sided",
    # Between nodes.
    "peer": "from-device",
}


class MachineError(HaloclineError):
    """Report a machine that is not known, or whose numbers do not suffice."""


class CopyRate(Frozen):
    """What memory gives to a copying loop; one measured point.

    Attributes:
        threads: How many of the node's threads copy at once, each its own cells.
        streams: Arrays read plus arrays written by the loop: 2, or 38 for 19 into 19.
        bytes_per_thread: All that one thread reads or writes again and again [bytes]; what fits
            into a cache is found there.
        bytes_per_s: Read plus written by all threads together [bytes/s].
    """

    threads: int
    streams: int
    bytes_per_thread: float
    bytes_per_s: float


class Packing(Frozen):
    """What a thread needs to copy boxes to or from a buffer.

    Attributes:
        value_s: A value that lies in a cache line of its own [s].
        row_s: A row of neighbouring values, whatever its length [s].
        byte_s: A byte of such rows, read and written [s/byte].
        box_s: A box, whatever its size [s].
    """

    value_s: float
    row_s: float
    byte_s: float
    box_s: float


class Overheads(Frozen):
    """What computing costs beyond the traffic with memory.

    Attributes:
        launch_s: An operation of the plan that runs a kernel [s].
        box_s: Each box of it [s].
        row_s: Each row of a box [s].
        parallel_s: Waking and joining the threads of a rank, if it has several [s].
    """

    launch_s: float
    box_s: float
    row_s: float
    parallel_s: float


class SizeRange(Frozen):
    """Latency and time a byte of messages up to a size.

    Attributes:
        upto_bytes: The largest message they hold for; None for any [bytes].
        latency_s: L, from the last byte's departure to the arrival of an empty message [s].
        byte_s: G, what each byte adds [s/byte].
    """

    upto_bytes: int | None
    latency_s: float
    byte_s: float


class TransportTimes(Frozen):
    """How long a transport takes, inside a node or between nodes (LogGP).

    Attributes:
        transport: As in 'Strategy'.
        is_same_node: Whether source and target are on one node.
        overhead_s: o, what a message costs the processor on each side [s].
        gap_s: g, the least time between two messages of a rank [s].
        ranges: Latency and time a byte, from small messages to large ones.
        processor_byte_s: The part of G during which processors move the bytes themselves, one
            half on each side (all of it where the target copies); nothing can hide it [s/byte].
        rendezvous_bytes: Larger messages wait for the other side, and progress only inside calls;
            None if all progress by themselves [bytes].
    """

    transport: str
    is_same_node: bool
    overhead_s: float
    gap_s: float
    ranges: tuple[SizeRange, ...]
    processor_byte_s: float = 0.0
    rendezvous_bytes: int | None = None

    def range_of(self, size_bytes: float) -> SizeRange:
        """Return latency and time a byte of a message of some size [bytes]."""
        return next(
            (r for r in self.ranges if r.upto_bytes is None or size_bytes <= r.upto_bytes),
            self.ranges[-1],
        )

    def flight_s(self, size_bytes: float) -> float:
        """Return L + N G without the part in which processors are busy [s]."""
        fitted = self.range_of(size_bytes)
        return fitted.latency_s + size_bytes * max(0.0, fitted.byte_s - self.processor_byte_s)

    def is_rendezvous(self, size_bytes: float) -> bool:
        """Return whether a message of some size [bytes] waits for the other side."""
        return self.rendezvous_bytes is not None and size_bytes > self.rendezvous_bytes


class KernelRate(Frozen):
    """How well a kernel used the machine when it was measured.

    Attributes:
        kernel: See 'kernel_key' and 'wavefront_key'.
        bytes_per_thread: What a thread went through between two visits of a cell.
        share: The time that the model says without this, in terms of the time measured.
    """

    kernel: str
    bytes_per_thread: float
    share: float


class Machine(Frozen):
    """A computer, as the model has it.

    Attributes:
        name: What it is called.
        description: Processor, memory, network, and who measured it when.
        identity: Digest of processor, cores and MPI (see 'machine_file.identity_here'); empty for
            machines that were never measured from here.
        cores: Threads that the hardware of a node runs at once.
        flops_per_s: Arithmetic of one thread in generated kernels [1/s].
        copies: What memory gives to copying loops.
        packing: Copying boxes to and from buffers, with values that are still in cache.
        overheads: Computing beyond memory traffic.
        transports: Message times.
        node_link_bytes_per_s: What leaves a node at most in all messages together, and as much
            enters it; None for no limit [bytes/s].
        node_copy_bytes_per_s: What messages inside a node carry at most, all together; None for no
            limit [bytes/s].
        far_packing: The same with values that have gone to memory; None for no difference.
        kernels: Kernels measured in runs.
        device: The devices that compute; None where processors do.
        sources: Where each of these numbers comes from, for machines from publications.
    """

    name: str
    description: str
    identity: str
    cores: int
    flops_per_s: float
    copies: tuple[CopyRate, ...]
    packing: Packing
    overheads: Overheads
    transports: tuple[TransportTimes, ...]
    node_link_bytes_per_s: float | None = None
    node_copy_bytes_per_s: float | None = None
    far_packing: Packing | None = None
    kernels: tuple[KernelRate, ...] = ()
    device: Device | None = None
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        way = self.device.messages if self.device else "via-host"
        if way not in DEVICE_MESSAGES:
            raise MachineError(
                f"There are no device messages '{way}'.", hint=nearest(way, DEVICE_MESSAGES)
            )

    def bandwidth(self, threads: int, streams: int, bytes_per_thread: float) -> float:
        """Return what memory or cache gives to a loop, all threads together [bytes/s].

        Between measured points: linear in the number of threads (and nothing without threads),
        linear in the logarithms of streams and bytes. Beyond them: as at the nearest.

        Args:
            threads: How many threads of the node run the loop.
            streams: Arrays read plus arrays written.
            bytes_per_thread: What a thread goes through before it returns to the same cells.
        """

        def by_threads(points: Sequence[CopyRate]) -> float:
            measured = sorted((float(p.threads), p.bytes_per_s) for p in points)
            return _interpolate([(0.0, 0.0), *measured], float(threads))

        def by_size(points: Sequence[CopyRate]) -> float:
            return _over(points, lambda p: p.bytes_per_thread, bytes_per_thread, by_threads)

        return _over(self.copies, lambda p: float(p.streams), float(streams), by_size)

    def times(self, transport: str, *, is_same_node: bool) -> TransportTimes:
        """Return the times of a transport, or of the one most like it.

        Raises:
            MachineError: Neither has been measured.
        """
        for name in (transport, _SUBSTITUTE.get(transport)):
            for times in self.transports:
                if times.transport == name and times.is_same_node == is_same_node:
                    return times
        where = "inside a node" if is_same_node else "between nodes"
        measured = [t.transport for t in self.transports if t.is_same_node == is_same_node]
        have = ", ".join(measured) or "none"
        raise MachineError(
            f"Machine '{self.name}' has no times of transport '{transport}' {where}; it has those "
            f"of {have}.",
            hint="Choose another transport, or another number of ranks a node.",
        )

    def ranks_per_node(self, threads: int = 1) -> int:
        """Return how many ranks fill a node: one a device, or as many as its cores can run."""
        return self.device.per_node if self.device else max(1, self.cores // threads)

    def with_device_messages(self, way: str) -> Machine:
        """Return the machine with messages between its devices that travel in some way.

        Raises:
            MachineError: There is no such way, the machine has no devices, or nobody knows its
                times.
        """
        if self.device is None:
            raise MachineError(
                f"Device messages '{way}' were asked for, but machine '{self.name}' has no devices."
            )
        changed = replace(self, device=replace(self.device, messages=way))
        measured = {times.transport for times in self.transports}
        needed = way if way == "peer" else _SUBSTITUTE.get(way, way)
        if needed not in measured or (way == "box-copies" and self.device.box_copies is None):
            raise MachineError(f"Machine '{self.name}' has no times of device messages '{way}'.")
        return changed

    def share(self, kernel: str, bytes_per_thread: float) -> float:
        """Return the share that a kernel (see 'kernel_key') reached at the nearest size, or 1."""
        measured = [rate for rate in self.kernels if rate.kernel == kernel]

        def distance(rate: KernelRate) -> float:
            return abs(math.log(rate.bytes_per_thread / bytes_per_thread))

        return min(measured, key=distance).share if measured else 1.0

    def with_kernels(self, rates: Iterable[KernelRate]) -> Machine:
        """Return the machine with kernels measured anew; the oldest are forgotten."""
        new = {(rate.kernel, rate.bytes_per_thread): rate for rate in (*self.kernels, *rates)}
        return replace(self, kernels=tuple(new.values())[-_MOST_KERNELS:])

    def with_link(self, name: str, latency_s: float, byte_s: float) -> Machine:
        """Return the machine with an emulated link between its nodes.

        The messages are those inside a node, except that none arrives sooner than
        latency + bytes x time a byte after it was sent; they do not share the link.

        Args:
            name: What the link is called.
            latency_s: L [s].
            byte_s: G [s/byte].
        """
        inside = [t for t in self.transports if t.is_same_node]
        messages = {t.transport: t for t in inside if not t.transport.startswith("shared")}
        if "two-sided" in messages and "get" not in messages:
            messages["get"] = replace(messages["two-sided"], transport="get")
        delayed = [_delayed(times, latency_s, byte_s) for times in messages.values()]
        return replace(
            self,
            name=f"{self.name} with emulated link '{name}'",
            transports=(*inside, *delayed),
            node_link_bytes_per_s=None,
        )


def kernel_key(kernel: Kernel) -> str:
    """Return a short digest of what a kernel does, to recognise it by."""
    return hashlib.sha256(show(kernel).encode()).hexdigest()[:16]


def wavefront_key(plan: Plan, wavefront: Wavefront) -> str:
    """Return a short digest of which kernels do what caches hold, however often each."""
    kernels = {kernel_key(plan.launches[run.launch].code) for run in wavefront.runs}
    return hashlib.sha256(" ".join(sorted(kernels)).encode()).hexdigest()[:16]


def _delayed(times: TransportTimes, latency_s: float, byte_s: float) -> TransportTimes:
    """Return the times of messages that cross an emulated link.

    What is fetched crosses it twice. Both sides of a rendezvous still meet as fast as on one node.
    """
    busy, crossings = times.processor_byte_s, 2 if times.transport == "get" else 1
    ranges = tuple(
        replace(
            r,
            latency_s=max(r.latency_s, crossings * latency_s),
            byte_s=busy + max(r.byte_s - busy, byte_s),
        )
        for r in times.ranges
    )
    return replace(times, is_same_node=False, ranges=ranges, rendezvous_bytes=None)


def _over(
    points: Sequence[CopyRate],
    coordinate: Callable[[CopyRate], float],
    at: float,
    rate: Callable[[Sequence[CopyRate]], float],
) -> float:
    """Return a rate between groups of points, linear in the logarithm of their coordinate."""
    groups: dict[float, list[CopyRate]] = {}
    for point in points:
        groups.setdefault(coordinate(point), []).append(point)
    measured = [(math.log(x), rate(group)) for x, group in sorted(groups.items())]
    return _interpolate(measured, math.log(max(at, 1.0)))


def _interpolate(points: Sequence[tuple[float, float]], x: float) -> float:
    """Return y at x between known points (sorted by x), and at the nearest beyond them."""
    position = bisect_left(points, x, key=lambda point: point[0])
    if position == 0:
        return points[0][1]
    if position == len(points):
        return points[-1][1]
    (x0, y0), (x1, y1) = points[position - 1], points[position]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
