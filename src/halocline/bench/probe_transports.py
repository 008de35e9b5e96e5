"""Probe of transports: overhead o, gap g, latency L and time a byte G, and who moves the bytes.

Measured where two ranks send to each other at the same time, as in the exchanges of a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.bench.board import (
    Board,
    Cell,
    Way,
    add_kernel,
    address_of,
    block_box,
    exchange,
)
from halocline.bench.overlap import update
from halocline.bench.ring_shift import ring_shift
from halocline.bench.settings import DIRECT, TRANSPORTS
from halocline.runtime import _core
from halocline.tune.fit import Fit, fit_ranges
from halocline.tune.machine import Packing, TransportTimes

if TYPE_CHECKING:
    from halocline.bench.settings import Settings
    from halocline.runtime.job import Job

_ELEMENT = 8
_LARGEST_BYTES = 4 << 20
_MANY = 64
# A receiver that comes so much later tells which messages wait for it.
_LATE_S = 2e-4
_RENDEZVOUS_BYTES = tuple(1 << n for n in range(6, 21))
# What is left of a time when overheads and packing are subtracted is at least this part of it.
_LEAST = 0.05


@dataclass(frozen=True, slots=True)
class RawTimes:
    """Times of a transport as they were measured.

    Attributes:
        transport: Its name.
        exchange_s: Size of a message each way [bytes] and the time until both have arrived [s].
        start_s: The part of it, with the smallest message, before the wait begins [s].
        many_s: An exchange of 64 messages of 8 bytes each way [s].
        one_s: An exchange of as many bytes in one message each way [s].
        rendezvous_bytes: The largest message that does not wait for its receiver; None if none
            does.
    """

    transport: str
    exchange_s: tuple[tuple[int, float], ...]
    start_s: float
    many_s: float
    one_s: float
    rendezvous_bytes: int | None


def measure(job: Job, settings: Settings) -> list[RawTimes]:
    """Measure all transports between two ranks of a node."""
    return [_raw(job, settings, transport) for transport in settings.chosen(TRANSPORTS)]


def measure_together(job: Job, settings: Settings) -> float:
    """Measure what large messages of all ranks carry together with the fastest transport [bytes/s].

    Ring-shift: each rank sends one.
    """
    size = settings.largest_bytes or _LARGEST_BYTES
    times = [
        ring_shift(job, settings, transport, _ELEMENT, size)
        for transport in settings.chosen(("shared", "two-sided"))
    ]
    return job.size * size / min(t.min_s for t in times)


def _raw(job: Job, settings: Settings, transport: str) -> RawTimes:
    sizes = list(settings.message_sizes(_ELEMENT, _LARGEST_BYTES))
    boards = ((size, _Exchange(job, transport, size)) for size in sizes)
    times = tuple((size, board.sample(settings).min_s) for size, board in boards)
    many = _Exchange(job, transport, _MANY * _ELEMENT, _MANY).sample(settings)
    one = _Exchange(job, transport, _MANY * _ELEMENT).sample(settings)
    return RawTimes(
        transport,
        times,
        _Exchange(job, transport, _ELEMENT).start_s(settings),
        many.min_s,
        one.min_s,
        None if transport in DIRECT else _rendezvous_bytes(job, settings, transport),
    )


class _Exchange(Board):
    """Two ranks that send a message to each other, in one or more pieces."""

    def __init__(self, job: Job, transport: str, size: int, pieces: int = 1) -> None:
        super().__init__(job, (size // _ELEMENT, 1, 1), 2, _ELEMENT)
        ways = [Way(0, 1, "upper"), Way(1, 0, "lower")]
        self.set_program(exchange(self.add_exchange(transport, ways, pieces)))

    def start_s(self, settings: Settings) -> float:
        """Return the time of the operation that starts the exchange [s]."""
        steps = self.sample(settings).steps
        times = []
        for _ in range(settings.repetitions):
            self.run(steps)
            times.append(self.slowest(self.seconds("start", "exchange 1")))
        return min(times)


def _rendezvous_bytes(job: Job, settings: Settings, transport: str) -> int | None:
    """Return the largest size that a sender is rid of before its receiver comes."""
    largest = 0
    for size in _RENDEZVOUS_BYTES:
        if _waits_for_receiver(job, settings, transport, size):
            return largest
        largest = size
    return None


def _waits_for_receiver(job: Job, settings: Settings, transport: str, size: int) -> bool:
    """Return whether rank 0 waits until rank 1, which computes first, receives."""
    board = Board(job, (size // _ELEMENT, 1, 1), 2, _ELEMENT)
    address = address_of(job, update, board.dtype)
    work = board.runtime.add_field(_core.Field("work", board.dtype, 1, (0, 0, 0), (0, 0, 0)))
    kernel = add_kernel(board.runtime, "compute", address, work)
    compute = _core.Run(kernel, "compute", [block_box(board.lower, _plus_one(board.lower))])
    there = board.add_exchange(transport, [Way(0, 1, "upper")])
    back = board.add_exchange(transport, [Way(1, 0, "lower")])
    board.set_program([compute], is_silent=True)
    count = max(1, round(_LATE_S / board.sample(settings).min_s))
    late = [_core.Loop(count, [compute])] if job.rank == 1 else []
    board.set_program([*late, *exchange(there), *exchange(back)])
    board.run(2 * settings.repetitions)
    waited = board.seconds("wait", "exchange 1") if job.rank == 0 else 0.0
    return board.slowest(waited) > _LATE_S / 2


def _plus_one(cell: Cell) -> Cell:
    return cell[0] + 1, cell[1] + 1, cell[2] + 1


def fit(raw: RawTimes, packing: Packing) -> tuple[TransportTimes, Fit]:
    """Return what the model needs, and how well latency and time a byte fit.

    The model adds overhead and packing on both sides, so they are subtracted here:
    T = 2 o + 2 pack(N) + L + N G; where values are copied from field to field, T = 2 o + row +
    L + N G.
    """
    overhead_s = raw.start_s
    is_direct = raw.transport in DIRECT
    sizes = [size for size, _ in raw.exchange_s]
    rest = [
        max(t - 2 * overhead_s - _counted_apart_s(raw.transport, size, packing), _LEAST * t)
        for size, t in raw.exchange_s
    ]
    found = fit_ranges(sizes, rest)
    per_message = (raw.many_s - raw.one_s) / (_MANY - 1)
    rates = [r.byte_s for r in found.ranges]
    return (
        TransportTimes(
            transport=raw.transport,
            is_same_node=True,
            overhead_s=overhead_s,
            gap_s=max(0.0, per_message - overhead_s - packing.row_s),
            ranges=found.ranges,
            processor_byte_s=max(rates) if is_direct else min(rates),
            rendezvous_bytes=raw.rendezvous_bytes,
        ),
        found,
    )


def _counted_apart_s(transport: str, size: int, packing: Packing) -> float:
    """Return what the model counts apart for a row of so many bytes [s]."""
    if transport in DIRECT:
        return packing.row_s
    return 2 * (packing.row_s + size * packing.byte_s)
