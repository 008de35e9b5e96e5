"""Probe of transports: overhead o, gap g, latency L and time a byte G, and who moves the bytes.

Measured where two ranks send to each other at the same time, as in the exchanges of a step.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from halocline.bench.block_row import BlockRow, Message, exchange
from halocline.bench.messages import ring_shift
from halocline.bench.settings import DIRECT, TRANSPORTS, Settings
from halocline.runtime import _core
from halocline.runtime.job import Job
from halocline.tune.fit import Fit, fit_ranges
from halocline.tune.machine import Packing, TransportTimes

_ELEMENT = 8
_LARGEST_BYTES = 4 << 20
_MANY = 64
# A receiver that comes so much later tells which messages wait for it.
_LATE_S = 2e-4
_RENDEZVOUS_BYTES = tuple(1 << n for n in range(6, 21))
# What is left of a time when overheads and packing are subtracted is at least this part of it.
_LEAST = 0.05

# Rates of messages inside a node and out of it [bytes/s].
Together = tuple[float | None, float | None]


def measure(packing: Packing, job: Job, settings: Settings) -> list[tuple[TransportTimes, Fit]]:
    """Measure all transports between two ranks, of one node or of two, which pack so fast."""
    names = settings.chosen(TRANSPORTS)
    if _are_apart(job):
        names = tuple(name for name in names if name not in DIRECT)
    return [_measure(packing, job, settings, name) for name in names]


def _are_apart(job: Job) -> bool:
    return len(set(job.nodes)) > 1


def _measure(
    packing: Packing, job: Job, settings: Settings, transport: str
) -> tuple[TransportTimes, Fit]:
    sizes = settings.message_sizes(_ELEMENT, _LARGEST_BYTES)
    exchange_s = {n: _Exchange(job, transport, n).sample(settings).min_s for n in sizes}
    many, single = (
        _Exchange(job, transport, _MANY * _ELEMENT, pieces).sample(settings).min_s
        for pieces in (_MANY, 1)
    )
    start_s = _Exchange(job, transport, _ELEMENT).start_s(settings)
    times, fitted = fit(transport, exchange_s, start_s, (many - single) / (_MANY - 1), packing)
    if _are_apart(job):
        # The network moves the bytes, not the processors.
        times = replace(times, is_same_node=False, processor_byte_s=0.0)
    if transport in DIRECT:
        return times, fitted
    limit = _rendezvous_bytes(job, settings, transport)
    return replace(times, rendezvous_bytes=limit), fitted


def measure_together(job: Job, settings: Settings) -> Together:
    """Measure what large messages of all ranks carry together with the fastest transport [bytes/s].

    Ring-shift: each rank sends one.

    Returns:
        What they carry inside the node, and what leaves each of several nodes; one of them is None.
    """
    size = settings.largest_bytes or _LARGEST_BYTES
    known = ("two-sided",) if _are_apart(job) else ("shared", "two-sided")
    times = [
        ring_shift(job, settings, (transport, _ELEMENT, size))
        for transport in settings.chosen(known)
    ]
    together = job.size * size / min(t.min_s for t in times)
    if _are_apart(job):
        return None, together / len(set(job.nodes))
    return together, None


class _Exchange(BlockRow):
    """Two ranks that send a message to each other, in one or more pieces."""

    def __init__(self, job: Job, transport: str, size: int, pieces: int = 1) -> None:
        super().__init__(job, (size // _ELEMENT, 1, 1), 2, _ELEMENT)
        both = [Message(0, 1, "upper"), Message(1, 0, "lower")]
        self.set_program(exchange(self.add_exchange(transport, both, pieces)))

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
    blocks = BlockRow(job, (size // _ELEMENT, 1, 1), 2, _ELEMENT)
    _, compute = blocks.add_work(1)
    there = blocks.add_exchange(transport, [Message(0, 1, "upper")])
    back = blocks.add_exchange(transport, [Message(1, 0, "lower")])
    blocks.set_program([compute], is_silent=True)
    count = max(1, round(_LATE_S / blocks.sample(settings).min_s))
    late = [_core.Loop(count, [compute])] if job.rank == 1 else []
    blocks.set_program([*late, *exchange(there), *exchange(back)])
    blocks.run(2 * settings.repetitions)
    waited = blocks.seconds("wait", "exchange 1") if job.rank == 0 else 0.0
    return blocks.slowest(waited) > _LATE_S / 2


def fit(
    transport: str,
    exchange_s: Mapping[int, float],
    overhead_s: float,
    another_s: float,
    packing: Packing,
) -> tuple[TransportTimes, Fit]:
    """Return what the model needs, and how well latency and time a byte fit.

    The model adds overhead and packing on both sides, so they are subtracted here:
    T = 2 o + 2 pack(N) + L + N G; where values are copied from field to field, T = 2 o + row +
    L + N G.

    Args:
        transport: Its name.
        exchange_s: By the size of a message each way [bytes], when both have arrived [s].
        overhead_s: Of that what goes by before the wait begins, with the smallest message [s].
        another_s: What another message beside one adds [s].
        packing: Of the node.
    """
    rest = [
        max(t - 2 * overhead_s - _counted_apart_s(transport, size, packing), _LEAST * t)
        for size, t in exchange_s.items()
    ]
    fitted = fit_ranges(list(exchange_s), rest)
    rates = [r.byte_s for r in fitted.ranges]
    times = TransportTimes(
        transport=transport,
        is_same_node=True,
        overhead_s=overhead_s,
        gap_s=max(0.0, another_s - overhead_s - packing.row_s),
        ranges=fitted.ranges,
        processor_byte_s=max(rates) if transport in DIRECT else min(rates),
    )
    return times, fitted


def _counted_apart_s(transport: str, size: int, packing: Packing) -> float:
    """Return what the model counts apart for a row of so many bytes [s]."""
    if transport in DIRECT:
        return packing.row_s
    return 2 * (packing.row_s + size * packing.byte_s)
