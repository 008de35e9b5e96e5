"""In step: how long a round of all ranks takes, which wait for each other's messages.

The walk of a rank takes its neighbours to be as busy as itself. Where they are not, a rank that has
less to do waits at each exchange, and what one has more of in one kernel and another in the next
adds up. So the walks of all ranks are put together here: each goes on at its own pace from one
message to the next, and none takes in a message before its source has sent it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# As the number of an exchange: a reduction, in which every rank has a message for every other.
REDUCTION = -1
# The time of a round is that of the last of so many: at first nobody has been waited for.
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Sent:
    """A rank's messages of an exchange have left.

    Attributes:
        exchange: The number of the exchange, the same on all ranks.
        busy_s: What the rank has worked since the event before [s].
    """

    exchange: int
    busy_s: float


@dataclass(frozen=True, slots=True)
class Received:
    """A rank's messages of an exchange are there.

    Attributes:
        exchange: The number of the exchange, the same on all ranks.
        busy_s: What the rank has worked since the event before, waiting aside [s].
        sources: The ranks that they come from; None for all.
        flight_s: From when a source has sent them until they are there [s].
    """

    exchange: int
    busy_s: float
    sources: tuple[int, ...] | None
    flight_s: float


@dataclass(frozen=True, slots=True)
class Pace:
    """What a rank does in a round.

    Attributes:
        events: In the order of its clock.
        rest_s: What it works after the last of them [s].
    """

    events: tuple[Sent | Received, ...]
    rest_s: float


def round_s(paces: Sequence[Pace]) -> float:
    """Return the time of a round of all ranks [s].

    Args:
        paces: Of each rank.
    """
    job = _Job(paces)
    waiting = [job.rounds_of(rank) for rank in range(len(paces))]
    while waiting:
        before = job.done
        waiting = [rank for rank in waiting if next(rank, "done") != "done"]
        assert job.done > before or not waiting, "a message that nobody sends"
    return max(job.ends[-1]) - max(job.ends[-2])


class _Job:
    """All ranks with their clocks."""

    def __init__(self, paces: Sequence[Pace]) -> None:
        self.paces = paces
        self.done = 0
        self.ends: list[list[float]] = [[] for _ in range(_ROUNDS)]
        # When each rank has sent an exchange for the first, second, … time [s].
        self.sent = [_sent_before(pace) for pace in paces]

    def rounds_of(self, rank: int) -> Iterator[str]:
        """Do the rounds of a rank; halt where a message has not been sent."""
        pace, now = self.paces[rank], 0.0
        received: dict[int, int] = defaultdict(int)
        for ends in self.ends:
            for event in pace.events:
                now += event.busy_s
                self.done += 1
                if isinstance(event, Sent):
                    self.sent[rank][event.exchange].append(now)
                    continue
                number = received[event.exchange]
                received[event.exchange] += 1
                while not self._is_sent(event, number):
                    yield "waiting"
                now = max(now, max(self._sent(event, number)) + event.flight_s)
            now += pace.rest_s
            ends.append(now)

    def _of(self, event: Received) -> Sequence[int]:
        return range(len(self.paces)) if event.sources is None else event.sources

    def _is_sent(self, event: Received, number: int) -> bool:
        return all(len(self.sent[source][event.exchange]) > number for source in self._of(event))

    def _sent(self, event: Received, number: int) -> Iterator[float]:
        return (self.sent[source][event.exchange][number] for source in self._of(event))


def _sent_before(pace: Pace) -> dict[int, list[float]]:
    """Return what has been sent before the first round: what is received before it is sent."""
    sent: dict[int, list[float]] = defaultdict(list)
    known: set[int] = set()
    for event in pace.events:
        if isinstance(event, Received) and event.exchange not in known:
            sent[event.exchange].append(0.0)
        known.add(event.exchange)
    return sent
