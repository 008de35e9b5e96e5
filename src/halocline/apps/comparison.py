"""Comparison: a number that a run has found, beside what is known of it."""

from __future__ import annotations

from halocline.frozen import Frozen


class Comparison(Frozen):
    """A number that a run has found, beside what is known of it.

    Attributes:
        name: Of what, with its unit.
        measured: What was found.
        known: What it should be; None if unknown.
        source: Who says so.

    Example:
        >>> round(lbm.Comparison("drag coefficient", 3.03, 3.0, source="experiment").error, 2)
        0.01
    """

    name: str
    measured: float
    known: float | None = None
    source: str = ""

    @property
    def error(self) -> float:
        """How far it is from what is known, relative to that; NaN if nothing is known."""
        return float("nan") if self.known is None else self.measured / self.known - 1.0

    def __str__(self) -> str:
        """Return one line of a report."""
        if self.known is None:
            return f"{self.name}: {self.measured:.6g}"
        return (
            f"{self.name}: {self.measured:.8g}, {self.source}: {self.known:.8g}, "
            f"difference {self.error:+.2e}"
        )
