"""Timers: the operations of one rank as its C++ runtime counts and times them."""

from __future__ import annotations

from collections.abc import Sequence

# Label, kind, count, seconds.
Timer = tuple[str, str, int, float]


def elapsed(before: Sequence[Timer], after: Sequence[Timer]) -> list[Timer]:
    """Return the counts and times between two readings."""
    earlier = {(label, kind): (count, seconds) for label, kind, count, seconds in before}
    result = []
    for label, kind, count, seconds in after:
        count_before, seconds_before = earlier.get((label, kind), (0, 0.0))
        result.append((label, kind, count - count_before, seconds - seconds_before))
    return result
