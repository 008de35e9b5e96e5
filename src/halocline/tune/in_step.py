"""In step: how long a round of all ranks takes, which wait for each other's messages.

The walk of a rank takes its neighbours to be as busy as itself. Where they are not, a rank that has
less to do waits at each exchange, and what one has more of in one kernel and another in the next
adds up. So the walks of all ranks are put together here: each goes on at its own pace from one
message to the next, and none takes in a message before its source has sent it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from halocline.plan.value.messages import Message

# A message by its source, its target and its tag, as both ranks know it.
MessageKey = tuple[int, int, int]
# As its target: all ranks, in a reduction.
ALL = -1
# The time of a round is that of the last of so many: at first nobody has been waited for.
_ROUNDS = 4


class Sent(Frozen):
    """A rank's messages of an exchange have left.

    Attributes:
        messages: What has left.
        busy_s: What the rank has worked since the event before [s].
    """

    messages: tuple[MessageKey, ...]
    busy_s: float


class Received(Frozen):
    """A rank's messages of an exchange are there.

    Attributes:
        messages: What is there; None for what each rank has sent to all.
        busy_s: What the rank has worked since the event before, waiting aside [s].
        flight_s: From when a source has sent them until they are there [s].
        is_of_last_round: Whether they left in the round before.
    """

    messages: tuple[MessageKey, ...] | None
    busy_s: float
    flight_s: float = 0.0
    is_of_last_round: bool = False


class Pace(Frozen):
    """What a rank does in a round.

    Attributes:
        events: In the order of its clock.
        rest_s: What it works after the last of them [s].
    """

    events: tuple[Sent | Received, ...]
    rest_s: float


def key_of(message: Message) -> MessageKey:
    """Return what a message is known by."""
    return message.source, message.target, message.tag


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
        # When each message has left for the first, second, … time [s].
        self.sent: dict[MessageKey, list[float]] = defaultdict(list)
        for key in {key for pace in paces for key in _flying(pace)}:
            self.sent[key].append(0.0)

    def rounds_of(self, rank: int) -> Iterator[str]:
        """Do the rounds of a rank; halt where a message has not been sent."""
        pace, now = self.paces[rank], 0.0
        received: dict[MessageKey, int] = defaultdict(int)
        for ends in self.ends:
            for event in pace.events:
                now += event.busy_s
                self.done += 1
                if isinstance(event, Sent):
                    for key in event.messages:
                        self.sent[key].append(now)
                    continue
                keys = self._keys(event)
                while not all(len(self.sent[key]) > received[key] for key in keys):
                    yield "waiting"
                left = max((self.sent[key][received[key]] for key in keys), default=now)
                now = max(now, left + event.flight_s)
                for key in keys:
                    received[key] += 1
            now += pace.rest_s
            ends.append(now)

    def _keys(self, event: Received) -> Sequence[MessageKey]:
        if event.messages is None:
            return [(source, ALL, 0) for source in range(len(self.paces))]
        return event.messages


def _flying(pace: Pace) -> Iterable[MessageKey]:
    """Return what is on its way to a rank when a round begins."""
    for event in pace.events:
        if isinstance(event, Received) and event.is_of_last_round:
            yield from event.messages or ()
