"""Processor: a rank whose threads compute, pack and copy, one thing after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.tune.flight import union
from halocline.tune.in_step import ALL, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halocline.plan.value import operations as ops
    from halocline.plan.value.parts import Part
    from halocline.tune.flight import Flight, Network, Route
    from halocline.tune.timeline import Timeline
    from halocline.tune.work import Work

# Looking at a message that has not arrived costs about this [s].
_LOOK_S = 5e-8


class Processor:
    """Does operations one after the other (see 'walk.Worker'); only messages fly meanwhile."""

    def __init__(self, work: Work, network: Network, time: Timeline) -> None:
        self.plan = work.plan
        self.time = time
        self.work = work
        self.network = network
        self.flying: dict[int, list[Flight]] = {}
        # When the rank's own messages of an exchange have left [s].
        self.left: dict[int, float] = {}

    def run(self, run: ops.Run) -> None:
        """Compute a kernel in boxes."""
        self.time.spend("compute", self.work.compute_s(run))
        self.time.spend("overhead", self.work.overhead_s(run))

    def wavefront(self, wavefront: ops.Wavefront) -> None:
        """Compute kernels together."""
        self.time.spend("compute", self.work.wavefront_s(wavefront))
        self.time.spend("overhead", sum(map(self.work.overhead_s, wavefront.runs)))

    def start(self, position: int) -> None:
        """Pack and send one message after the other, then copy between blocks."""
        started, departures = self.time.now, []
        for route in self.network.routes(position)[0]:
            self.time.spend("overhead", route.times.overhead_s)
            self.time.spend("pack", self._sending_s(route))
            departures.append(self.time.now)
        self.left[position] = self.time.now
        self.time.send(key_of(m) for m in self.plan.exchanges[position].sends)
        self.time.spend("pack", self.work.copy_s(self.plan.exchanges[position].copies))
        self.flying[position] = self.network.flights(position, departures, started)

    def _sending_s(self, route: Route) -> float:
        parts = route.message.parts
        if route.is_pulled:
            return self.work.pack_s(part for part in parts if self.work.is_thin(part))
        if route.is_pushed:
            return self._copying_s(route, parts)
        return self.work.pack_s(parts) + route.send_busy_s

    def _receiving_s(self, route: Route) -> float:
        parts = route.message.parts
        if route.is_pulled:
            gathered = [part for part in parts if self.work.is_thin(part)]
            rest = [part for part in parts if not self.work.is_thin(part)]
            return self.work.pack_s(gathered) + self._copying_s(route, rest)
        if route.is_pushed:
            return 0.0
        return self.work.pack_s(parts) + route.receive_busy_s

    def _copying_s(self, route: Route, parts: Sequence[Part]) -> float:
        """Return what copying from field to field costs; not less than the node can carry [s]."""
        byte_s = route.times.range_of(route.size).byte_s
        return max(self.work.copy_s(parts, byte_s), route.busy_s)

    def poll(self, position: int) -> None:
        """Look at messages, and let those progress that do so inside calls only."""
        self.time.spend("overhead", _LOOK_S)
        for flight in self.flying.get(position, ()):
            flight.poll(self.time.now)

    def wait(
        self, position: int, arrivals: Sequence[ops.Arrival], run: Callable[[ops.Run], None]
    ) -> None:
        """Wait for messages in order of arrival; take them in at the end, or each at once."""
        flights = self.flying.pop(position, [])
        ready = [flight.arrival(self.time.now) for flight in flights]
        idle, done, rest = 0.0, set[int](), list(arrivals)
        for n in sorted(range(len(flights)), key=ready.__getitem__):
            pause = max(0.0, ready[n] - self.time.now)
            self.time.spend("wait", pause)
            idle += pause
            done.add(n)
            if len(done) == len(flights):
                keys = [key_of(flight.route.message) for flight in flights]
                self.time.receive(keys, self.left[position], ready[n], idle)
            if arrivals:
                self._take_in(flights[n].route)
            for piece in [piece for piece in rest if done.issuperset(piece.messages)]:
                rest.remove(piece)
                run(piece.run)
        if not arrivals:
            for flight in flights:
                self._take_in(flight.route)
        flown = union((flight.departed, ready[n]) for n, flight in enumerate(flights))
        self.time.hide(flown - idle)

    def _take_in(self, route: Route) -> None:
        self.time.spend("overhead", route.times.overhead_s)
        self.time.spend("pack", self._receiving_s(route))

    def sweep(self, boxes: Sequence[ops.Placed], cell_bytes: int) -> None:
        """Read or write so many bytes of each cell."""
        self.time.spend("other", self.work.sweep_s(boxes, cell_bytes))

    def reduce(self, boxes: Sequence[ops.Placed], cell_bytes: int) -> None:
        """Read them and combine them over all ranks."""
        self.sweep(boxes, cell_bytes)
        self.time.send([(self.plan.rank, ALL, 0)])
        self.time.receive(None, self.time.now, self.time.now, 0.0)
        self.time.spend("other", self.network.tree_s())

    def postpone(self, since: float, seconds: float) -> None:
        """Move messages that departed since some time."""
        for position, left in self.left.items():
            self.left[position] = left + seconds if left >= since else left
        for flights in self.flying.values():
            for flight in flights:
                flight.postpone(since, seconds)
