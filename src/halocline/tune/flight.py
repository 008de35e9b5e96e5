"""Messages in flight: when each one that a rank waits for arrives, and what it costs both sides.

The neighbours are assumed to run in step with the rank: what it sends at some time of its own
clock, they send it at the same time of theirs. So its receives depart when its own sends do.
"""

from __future__ import annotations

from math import ceil, log2
from typing import TYPE_CHECKING

from msgspec import Struct

from halocline.frozen import Frozen
from halocline.geometry import opposite
from halocline.memo import memoised

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.geometry import Direction
    from halocline.plan.value.messages import Exchange, Message
    from halocline.plan.value.plan import Plan
    from halocline.tune.machine import Machine, TransportTimes
    from halocline.tune.work import Placement

_PULL, _PUSH = "shared", "shared-push"


class Route(Frozen):
    """How a message gets from rank to rank.

    Attributes:
        message: The message.
        transport: That of the message.
        size: All of it [bytes].
        times: Of its transport, or of the one most like it.
        is_same_node: Whether it stays on a node.
        busy_s: What processors need to move it apart from packing, both sides together [s].
    """

    message: Message
    transport: str
    size: int
    times: TransportTimes
    is_same_node: bool
    busy_s: float

    @property
    def is_pulled(self) -> bool:
        """Whether the target copies from the source's field."""
        return self.transport == _PULL

    @property
    def is_pushed(self) -> bool:
        """Whether the source copies into the target's field."""
        return self.transport == _PUSH

    @property
    def is_direct(self) -> bool:
        """Whether values are copied from field to field, without buffers."""
        return self.is_pulled or self.is_pushed

    @property
    def is_rendezvous(self) -> bool:
        """Whether it progresses only inside calls."""
        return self.times.is_rendezvous(self.size)

    @property
    def send_busy_s(self) -> float:
        """What the source's processor works at it apart from packing [s]."""
        return 0.0 if self.is_direct or self.is_rendezvous else self.busy_s / 2

    @property
    def receive_busy_s(self) -> float:
        """What the target's processor works at it apart from unpacking [s]."""
        return 0.0 if self.is_direct else self.busy_s - self.send_busy_s


class Flight(Struct):
    """A message on its way to the rank.

    Attributes:
        route: How it travels.
        departed: When its source had it ready [s].
        due: When the next thing happens by itself [s].
        calls: How many calls it still needs to get any further: two of a rendezvous, the first
            to answer the announcement, the second to send the data.
        flight_s: From the departure of the data to their arrival [s].
    """

    route: Route
    departed: float
    due: float
    calls: int
    flight_s: float

    def poll(self, clock: float) -> None:
        """Progress inside a call."""
        if self.calls and self.due <= clock:
            self.calls -= 1
            latency = self.route.times.range_of(0).latency_s
            self.due = clock + (latency if self.calls else self.flight_s)

    def arrival(self, clock: float) -> float:
        """Return when it arrives if from 'clock' on the rank does nothing but wait [s]."""
        due, latency = self.due, self.route.times.range_of(0).latency_s
        for left in reversed(range(self.calls)):
            due = max(clock, due) + (latency if left else self.flight_s)
        return due

    def postpone(self, since: float, seconds: float) -> None:
        """Move it, if it departed since some time."""
        if self.departed >= since:
            self.departed += seconds
            self.due += seconds


class Network:
    """Routes of a plan's messages, and the time that a node's messages occupy its link."""

    def __init__(self, plan: Plan, machine: Machine, placement: Placement) -> None:
        self.plan = plan
        self.machine = machine
        self.placement = placement
        self.beside = placement.ranks_beside(plan.rank, plan.decomposition.ranks)

    @memoised
    def routes(self, position: int) -> tuple[tuple[Route, ...], tuple[Route, ...]]:
        """Return how the sends and receives of an exchange (by its position) travel."""
        exchange = self.plan.exchanges[position]
        return (
            tuple(self._route(m, m.target) for m in exchange.sends),
            tuple(self._route(m, m.source) for m in exchange.receives),
        )

    def _route(self, message: Message, other: int) -> Route:
        is_same_node = self.placement.node(other) == self.placement.node(self.plan.rank)
        transport = message.transport
        times = self.machine.times(transport, is_same_node=is_same_node)
        size = self.plan.bytes_of(message.parts)
        # What is copied from field to field counts as copying.
        busy = 0.0 if transport in (_PULL, _PUSH) else times.processor_byte_s
        limit = self.machine.node_copy_bytes_per_s
        if is_same_node and limit:
            busy = max(busy, len(self.beside) / limit)
        return Route(message, transport, size, times, is_same_node, size * busy)

    def flights(self, position: int, departures: Sequence[float], started: float) -> list[Flight]:
        """Return the messages that the rank waits for.

        A source sends one after the other, each after the last one's bytes have left (G) and not
        sooner than the gap allows (g). All messages that leave a node share its link.

        Args:
            position: Of the exchange in the plan.
            departures: When each of this rank's own sends was ready [s].
            started: When the exchange was started [s].
        """
        sends, receives = self.routes(position)
        left = _leave(sends, departures)
        remote_bytes = sum(r.size for r in receives if not r.is_same_node) or 1
        link_s = self.link_s(position)
        flights, through = [], 0
        for route, like in zip(receives, _matching(sends, receives), strict=True):
            departed, injected = left[like] if like is not None else (started, started)
            latency = route.times.range_of(route.size).latency_s
            through += 0 if route.is_same_node else route.size
            shared = 0.0 if route.is_same_node else link_s * through / remote_bytes
            leaving = max(injected, started + shared) - departed
            # What is copied from field to field is copied at one end: only the word of it travels.
            whole = latency if route.is_direct else route.times.flight_s(route.size)
            flight = max(leaving + latency, whole)
            calls = 2 if route.is_rendezvous else 0
            announced = departed + route.times.range_of(0).latency_s
            due = announced if calls else departed + flight
            flights.append(Flight(route, departed, due, calls, flight))
        return flights

    def tree_s(self) -> float:
        """Return what combining a number takes, up and down trees in and between nodes [s]."""
        ranks = self.plan.decomposition.ranks
        inside = min(ranks, self.placement.ranks_per_node)
        total = 0.0
        for count, is_same_node in ((inside, True), (ceil(ranks / inside), False)):
            if count > 1:
                times = self.machine.times("two-sided", is_same_node=is_same_node)
                level = 2 * times.overhead_s + times.range_of(8).latency_s
                total += 2 * ceil(log2(count)) * level
        return total

    @memoised
    def link_s(self, position: int) -> float:
        """Return how long all messages that leave the node occupy its link [s].

        The other ranks of the node send in each direction what this one receives from it or sends
        there, if their neighbour in that direction is on another node.

        Source: paper 000, section 5.7.
        """
        limit = self.machine.node_link_bytes_per_s
        return self._leaving(self.plan.exchanges[position]) / limit if limit else 0.0

    def _leaving(self, exchange: Exchange) -> float:
        """Return what leaves the node in an exchange [bytes]."""
        sent = self._by_direction(exchange)
        split = self.plan.decomposition
        node = self.placement.node(self.plan.rank)
        total = 0.0
        for rank in self.beside:
            blocks = split.blocks_of(rank)
            for block in blocks:
                for direction, size in sent.items():
                    beside = split.base.beside(block, opposite(direction))
                    ranks = [other.rank for other, _ in beside]
                    away = [rank for rank in ranks if self.placement.node(rank) != node]
                    total += size / len(blocks) * len(away) / max(1, len(ranks))
        return total

    def _by_direction(self, exchange: Exchange) -> dict[Direction, int]:
        """Return what a rank sends from each direction, seen from the target [bytes]."""
        sent: dict[Direction, int] = {}
        for messages in (exchange.sends, exchange.receives):
            sizes: dict[Direction, int] = {}
            for parts in (message.parts for message in messages):
                for part, size in zip(parts, self.plan.bytes_of_each(parts).tolist(), strict=True):
                    sizes[part.direction] = sizes.get(part.direction, 0) + size
            for direction, size in sizes.items():
                sent[direction] = max(size, sent.get(direction, 0))
        return sent


def _leave(sends: Sequence[Route], departures: Sequence[float]) -> list[tuple[float, float]]:
    """Return when each send was ready and may go, and when its last byte is gone [s].

    Messages inside a node and those to others do not delay each other.
    """
    result: list[tuple[float, float]] = []
    free, next_start = {True: 0.0, False: 0.0}, 0.0
    for route, ready in zip(sends, departures, strict=True):
        if route.is_direct:
            result.append((ready, ready))
            continue
        departed = max(ready, next_start)
        next_start = departed + route.times.gap_s
        times = route.times
        flying = times.flight_s(route.size) - times.range_of(route.size).latency_s
        free[route.is_same_node] = max(departed, free[route.is_same_node]) + flying
        result.append((departed, free[route.is_same_node]))
    return result


def _matching(sends: Sequence[Route], receives: Sequence[Route]) -> list[int | None]:
    """Return for each receive the own send most like it, of those that stay on the node or not.

    Same direction and same fields if there is one, or else the last, or else None.
    """
    alike = {(_shape(s.message), s.is_same_node): n for n, s in reversed(list(enumerate(sends)))}
    last = {route.is_same_node: n for n, route in enumerate(sends)}
    return [
        alike.get((_shape(r.message), r.is_same_node), last.get(r.is_same_node)) for r in receives
    ]


def _shape(message: Message) -> frozenset[tuple[Direction, str]]:
    return frozenset((part.direction, part.field) for part in message.parts)


def union(spans: Iterable[tuple[float, float]]) -> float:
    """Return the length of what intervals cover together."""
    cuts = sorted(span for span in spans if span[1] > span[0])
    total, end = 0.0, float("-inf")
    for lower, upper in cuts:
        total += max(0.0, upper - max(lower, end))
        end = max(end, upper)
    return total
