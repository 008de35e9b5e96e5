"""Timeline: a clock, and what its seconds were spent on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from halocline.tune.in_step import Pace, Received, Sent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from halocline.tune.in_step import MessageKey

PARTS = ("compute", "pack", "overhead", "wait", "other", "hidden")


class Timeline(Struct):
    """A clock that accounts for each of its moves.

    Attributes:
        now: What it shows [s].
        weight: How often what is done from here on is done: in a loop one round stands for several.
        parts: Seconds by the parts of a prediction.
        lines: Count and seconds by kind and label of operations.
        inner: Seconds that lines have had so far [s].
        events: What other ranks wait for, and what the rank waits for.
        worked: Spent since the last of these [s].
        begun: What it showed when these began [s].
    """

    now: float = 0.0
    weight: float = 1.0
    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    lines: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    inner: float = 0.0
    events: list[Sent | Received] = field(default_factory=list)
    worked: float = 0.0
    begun: float = 0.0

    def forget(self) -> None:
        """Go on with the clock, and take down anew what it is moved for."""
        self.parts = dict.fromkeys(PARTS, 0.0)
        self.lines, self.events, self.worked, self.begun = {}, [], 0.0, self.now

    @property
    def pace(self) -> Pace:
        """What has been done, as those see it who exchange messages with the rank."""
        return Pace(tuple(self.events), self.worked)

    def send(self, messages: Iterable[MessageKey]) -> None:
        """Take down that messages have left."""
        self.events.append(Sent(tuple(messages), self.worked))
        self.worked = 0.0

    def receive(
        self, messages: Iterable[MessageKey] | None, left: float, arrived: float, waited_s: float
    ) -> None:
        """Take down that messages are there; see 'Received'.

        Args:
            messages: What is there.
            left: When they would have left where others are as busy as this rank [s].
            arrived: When they would be there [s].
            waited_s: How long the rank has waited for them; that is found anew [s].
        """
        keys = None if messages is None else tuple(messages)
        busy_s = self.worked - waited_s * self.weight
        flight_s = max(0.0, arrived - left) * self.weight
        self.events.append(Received(keys, busy_s, flight_s, left < self.begun))
        self.worked = 0.0

    def spend(self, part: str, seconds: float) -> None:
        """Move the clock."""
        self.now += seconds
        self.parts[part] += seconds * self.weight
        self.worked += seconds * self.weight

    def hide(self, seconds: float) -> None:
        """Take down what happened beside it; less than nothing is nothing."""
        self.parts["hidden"] += max(0.0, seconds) * self.weight

    def timed(self, kind: str, label: str, action: Callable[[], None]) -> None:
        """Do something on a line of its own, without what is on other lines meanwhile."""
        before, inner = self.now, self.inner
        action()
        taken = self.now - before
        line = self.lines.setdefault((kind, label), [0.0, 0.0])
        line[0] += self.weight
        line[1] += (taken - (self.inner - inner)) * self.weight
        self.inner = inner + taken
