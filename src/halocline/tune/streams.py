"""Streams: a rank whose device computes on one stream, and packs and copies on an urgent one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from halocline.plan.cells.strategy import DEVICE_TRANSPORTS
from halocline.tune.device_work import DeviceWork
from halocline.tune.flight import Flight, Network, union
from halocline.tune.machine import MachineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from halocline.plan.value import operations as ops
    from halocline.plan.value.plan import Plan
    from halocline.tune.machine import Machine
    from halocline.tune.timeline import Timeline
    from halocline.tune.work import Placement


class Underway(Struct):
    """An exchange that was begun.

    Attributes:
        began: When the urgent stream took it up [s].
        flights: The messages on their way here.
        busy: When the urgent stream worked at it [s].
        exposed: How long kernels have waited for it [s].
    """

    began: float
    flights: list[Flight]
    busy: list[tuple[float, float]]
    exposed: float = 0.0


class Streams:
    """Does operations on a device (see 'walk.Worker'), whose host only enqueues them and sends.

    The clock shows when the stream of kernels has done all that it was given. So an exchange takes
    time only where kernels have to wait for it, and a launch where the host comes too late with it.
    What the urgent stream takes of the memory's bandwidth beside a kernel is not counted.
    """

    def __init__(self, plan: Plan, machine: Machine, placement: Placement, time: Timeline) -> None:
        self.plan = plan
        self.time = time
        self.work = DeviceWork(plan, machine)
        self.device = self.work.device
        _check(plan, machine, placement)
        self.network = Network(plan, machine, placement)
        self.host = 0.0
        self.urgent = 0.0
        self.underway: dict[int, Underway] = {}

    def wavefront(self, wavefront: ops.Wavefront) -> None:
        """Launch kernels one after the other, as devices do them."""
        for run in wavefront.runs:
            self.run(run)

    def run(self, run: ops.Run) -> None:
        """Launch a kernel for each box, or if it is batched for all of them."""
        boxes = [box for _, box in run.boxes]
        for together in [boxes] if self.work.is_batched(run.launch) else [[box] for box in boxes]:
            self.host += self.device.enqueue_s
            late = max(0.0, self.host - self.time.now)
            # Of kernels that are done at once the first one starts, and the others beside it.
            start_s = 0.0 if run.is_concurrent else self.device.start_s
            self.time.spend("overhead", late + start_s)
            compute_s = sum(self.work.compute_s(run.launch, box) for box in together)
            self.time.spend("compute", compute_s)

    def start(self, position: int) -> None:
        """Bring each message on its way, after the kernels that have written what is in it."""
        began = self.urgent = max(self.urgent, self.time.now)
        busy: list[tuple[float, float]] = []
        departures = []
        routes = self.network.routes(position)[0]
        self._hurry(self.work.packing_s([route.message for route in routes]), busy)
        for route in routes:
            self._hurry(self.work.copying_s(route.message), busy)
            departures.append(self.urgent + route.times.overhead_s + route.send_busy_s)
        copies = self.plan.exchanges[position].copies
        self._hurry([self.work.copy_s(copies)] if copies else [], busy)
        flights = self.network.flights(position, departures, began)
        self.underway[position] = Underway(began, flights, busy)

    def poll(self, position: int) -> None:
        """Do nothing: the host waits for messages while the device computes."""

    def wait(
        self, position: int, arrivals: Sequence[ops.Arrival], run: Callable[[ops.Run], None]
    ) -> None:
        """Take each message in when it arrives; kernels wait for all, or for those they need."""
        exchange = self.underway.pop(position, None)
        if exchange is None:
            return
        ready = [flight.arrival(self.host) for flight in exchange.flights]
        done, rest = set[int](), list(arrivals)
        for n in sorted(range(len(ready)), key=ready.__getitem__):
            route = exchange.flights[n].route
            self.host = max(self.host, ready[n]) + route.times.overhead_s + route.receive_busy_s
            self._hurry(self.work.copying_s(route.message), exchange.busy)
            self._hurry(self.work.packing_s([route.message]), exchange.busy)
            done.add(n)
            for piece in [piece for piece in rest if done.issuperset(piece.messages)]:
                rest.remove(piece)
                self._join(exchange)
                run(piece.run)
        ended = self.urgent
        self._join(exchange)
        self.time.hide(ended - exchange.began - exchange.exposed)

    def _hurry(self, tasks: Iterable[float], busy: list[tuple[float, float]]) -> None:
        """Enqueue launches or copies [s] on the urgent stream."""
        for seconds in tasks:
            self.host += self.device.enqueue_s
            begin = max(self.urgent, self.host)
            self.urgent = begin + seconds
            busy.append((begin, self.urgent))

    def _join(self, exchange: Underway) -> None:
        """Let kernels wait for what the urgent stream has been given so far."""
        begin, end = self.time.now, self.urgent
        if end > begin:
            packing = union((max(begin, first), min(end, last)) for first, last in exchange.busy)
            self.time.spend("pack", packing)
            self.time.spend("wait", end - begin - packing)
            exchange.exposed += end - begin

    def sweep(self, boxes: Sequence[ops.Placed], cell_bytes: int) -> None:
        """Read or write so many bytes of each cell."""
        self.time.spend("other", self.work.sweep_s(boxes, cell_bytes))

    def reduce(self, boxes: Sequence[ops.Placed], cell_bytes: int) -> None:
        """Read them, fetch the result and combine it over all ranks; the host waits for it."""
        self.sweep(boxes, cell_bytes)
        self.time.spend("other", self.device.host_copies.latency_s + self.network.tree_s())
        self.host = max(self.host, self.time.now)

    def postpone(self, since: float, seconds: float) -> None:
        """Move the host, the urgent stream, and exchanges begun since some time."""
        self.host += seconds
        self.urgent += seconds
        for exchange in self.underway.values():
            if exchange.began >= since:
                exchange.began += seconds
                exchange.busy = [(first + seconds, last + seconds) for first, last in exchange.busy]
            for flight in exchange.flights:
                flight.postpone(since, seconds)


def _check(plan: Plan, machine: Machine, placement: Placement) -> None:
    """Refuse what makes no sense with devices.

    Raises:
        MachineError: More ranks a node than devices, threads, or a transport of the host.
    """
    most = machine.ranks_per_node()
    if placement.ranks_per_node > most:
        raise MachineError(
            f"{placement.ranks_per_node} ranks a node were asked for; machine '{machine.name}' has "
            f"{most} devices a node, one for each rank."
        )
    if placement.threads > 1:
        raise MachineError(
            f"{placement.threads} threads a rank were asked for; on machine '{machine.name}' "
            "devices compute."
        )
    if plan.strategy.transport not in ("auto", *DEVICE_TRANSPORTS):
        raise MachineError(
            f"Transport '{plan.strategy.transport}' was asked for; machine '{machine.name}' has "
            f"devices; for them there are: {', '.join(DEVICE_TRANSPORTS)}.",
            hint="transport='auto' takes the machine's.",
        )
