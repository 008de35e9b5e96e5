"""Walk: a rank's operations done with a clock instead of a processor."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log2
from typing import TYPE_CHECKING

from halocline.plan import plan as ops
from halocline.tune.flight import Flight, Network
from halocline.tune.work import Placement, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from halocline.plan.exchange import Part
    from halocline.plan.plan import Operation, Plan
    from halocline.tune.flight import Route
    from halocline.tune.machine import Machine

PARTS = ("compute", "pack", "overhead", "wait", "other", "hidden")

# Of a loop so many rounds are walked; the rest take as long as the last of these.
_ROUNDS = 3
# Looking at a message that has not arrived costs about this [s].
_LOOK_S = 5e-8


@dataclass(slots=True)
class Tally:
    """Seconds by the parts of a prediction; count and seconds by kind and label of operations."""

    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    lines: dict[tuple[str, str], list[float]] = field(default_factory=dict)


class Walk:
    """Goes through operations with a clock."""

    def __init__(self, plan: Plan, machine: Machine, placement: Placement) -> None:
        self.plan = plan
        self.machine = machine
        self.placement = placement
        self.work = Work(plan, machine, placement)
        self.network = Network(plan, machine, placement)
        self.tally = Tally()
        self.clock = 0.0
        self.weight = 1.0
        self.inner = 0.0
        self.flying: dict[int, list[Flight]] = {}

    def round(self, weight: float) -> None:
        """Do all steps of a round; each second counts 'weight' in the tally."""
        self.weight = weight
        for step in self.plan.steps:
            self._all(step)

    def _all(self, operations: Iterable[Operation]) -> None:
        for op in operations:
            self._one(op)

    def _spend(self, part: str, seconds: float) -> None:
        self.clock += seconds
        self.tally.parts[part] += seconds * self.weight

    def _timed(self, kind: str, label: str, action: Callable[[], None]) -> None:
        """Do something on a line of its own, without what is on other lines meanwhile."""
        before, inner = self.clock, self.inner
        action()
        taken = self.clock - before
        line = self.tally.lines.setdefault((kind, label), [0.0, 0.0])
        line[0] += self.weight
        line[1] += (taken - (self.inner - inner)) * self.weight
        self.inner = inner + taken

    def _one(self, op: Operation) -> None:
        match op:
            case ops.Run():
                self._run(op)
            case ops.Start(number):
                self._timed("start", self._name(number), lambda: self._start(number))
            case ops.Wait(number):
                self._timed("wait", self._name(number), lambda: self._wait(number, ()))
            case ops.WaitAny(number, arrivals):
                self._timed("wait", self._name(number), lambda: self._wait(number, arrivals))
            case ops.Poll(number):
                self._timed("poll", self._name(number), lambda: self._poll(number))
            case ops.Loop(count, body):
                self._loop(count, body)
            case ops.EveryNth(interval, body):
                self._sometimes(interval, body)
            case ops.Reduce(kind, name, _, boxes, _):
                self._timed("reduce", f"{kind}({name})", lambda: self._reduce(name, boxes))
            case ops.Check(name, boxes):
                components = self.plan.layout(name).components
                self._timed("check", name, lambda: self._sweep(name, boxes, components))
            case ops.Poison(name, components, boxes):
                self._timed("poison", name, lambda: self._sweep(name, boxes, len(components)))
            case ops.SwapNames() | ops.CallFunction():
                pass

    def _name(self, position: int) -> str:
        return f"exchange {self.plan.exchanges[position].number}"

    def _run(self, run: ops.Run) -> None:
        def spend() -> None:
            self._spend("compute", self.work.compute_s(run))
            self._spend("overhead", self.work.overhead_s(run))

        self._timed("run", f"{self.plan.launches[run.launch].kernel.name} {run.zone}", spend)

    def _start(self, position: int) -> None:
        started, departures = self.clock, []
        for route in self.network.routes(position)[0]:
            self._spend("overhead", route.times.overhead_s)
            self._spend("pack", self._sending_s(route))
            departures.append(self.clock)
        self._spend("pack", self.work.copy_s(self.plan.exchanges[position].copies))
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

    def _poll(self, position: int) -> None:
        self._spend("overhead", _LOOK_S)
        for flight in self.flying.get(position, ()):
            flight.poll(self.clock)

    def _wait(self, position: int, arrivals: Sequence[ops.Arrival]) -> None:
        """Wait for messages in order of arrival; take them in at the end, or each at once."""
        flights = self.flying.pop(position, [])
        ready = [flight.arrival(self.clock) for flight in flights]
        idle, done, rest = 0.0, set[int](), list(arrivals)
        for n in sorted(range(len(flights)), key=ready.__getitem__):
            pause = max(0.0, ready[n] - self.clock)
            self._spend("wait", pause)
            idle += pause
            done.add(n)
            if arrivals:
                self._take_in(flights[n].route)
            for piece in [piece for piece in rest if done.issuperset(piece.messages)]:
                rest.remove(piece)
                self._run(piece.run)
        if not arrivals:
            for flight in flights:
                self._take_in(flight.route)
        flown = _union((flight.departed, ready[n]) for n, flight in enumerate(flights))
        self.tally.parts["hidden"] += max(0.0, flown - idle) * self.weight

    def _take_in(self, route: Route) -> None:
        self._spend("overhead", route.times.overhead_s)
        self._spend("pack", self._receiving_s(route))

    def _loop(self, count: int, body: Sequence[Operation]) -> None:
        for _ in range(min(count, _ROUNDS - 1)):
            self._all(body)
        if count >= _ROUNDS:
            self._stretched(count - _ROUNDS + 1, body)

    def _sometimes(self, interval: int, body: Sequence[Operation]) -> None:
        self._stretched(1.0 / interval, body)

    def _stretched(self, times: float, body: Sequence[Operation]) -> None:
        """Do operations once, for so many times."""
        before, weight = self.clock, self.weight
        self.weight *= times
        self._all(body)
        self.weight = weight
        moved = (self.clock - before) * (times - 1)
        self.clock += moved
        for flight in (flight for flights in self.flying.values() for flight in flights):
            if flight.departed >= before:
                flight.departed += moved
                flight.due += moved

    def _sweep(self, name: str, boxes: Sequence[ops.Placed], components: int) -> None:
        size = self.plan.layout(name).bytes_per_value
        self._spend("other", components * self.work.sweep_s(boxes, size))

    def _reduce(self, name: str, boxes: Sequence[ops.Placed]) -> None:
        """Read the component, then combine in a tree: inside nodes, and between them and back."""
        self._sweep(name, boxes, 1)
        ranks = self.plan.decomposition.ranks
        inside = min(ranks, self.placement.ranks_per_node)
        for count, is_same_node in ((inside, True), (ceil(ranks / inside), False)):
            if count > 1:
                times = self.machine.times("two-sided", is_same_node=is_same_node)
                level = 2 * times.overhead_s + times.range_of(8).latency_s
                self._spend("other", 2 * ceil(log2(count)) * level)


def _union(spans: Iterable[tuple[float, float]]) -> float:
    """Return the length of what intervals cover together."""
    cuts = sorted(span for span in spans if span[1] > span[0])
    total, end = 0.0, float("-inf")
    for lower, upper in cuts:
        total += max(0.0, upper - max(lower, end))
        end = max(end, upper)
    return total
