"""Timeline: a clock, and what its seconds were spent on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PARTS = ("compute", "pack", "overhead", "wait", "other", "hidden")


@dataclass(slots=True)
class Timeline:
    """A clock that knows what it was moved for.

    Attributes:
        now: What it shows [s].
        weight: How much each second counts from here on.
        parts: Seconds by the parts of a prediction.
        lines: Count and seconds by kind and label of operations.
        inner: Seconds that lines have had so far [s].
    """

    now: float = 0.0
    weight: float = 1.0
    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    lines: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    inner: float = 0.0

    def spend(self, part: str, seconds: float) -> None:
        """Move the clock."""
        self.now += seconds
        self.parts[part] += seconds * self.weight

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
