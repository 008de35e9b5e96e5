"""Flow past a sphere in a wide stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar

from halocline.apps.lbm.cases.past_body import Diameters, Inlet, PastBody, Sides
from halocline.errors import CaseError

# The correlation is for an unbounded stream and Reynolds numbers up to 800.
_LARGEST = 800.0


@dataclass(frozen=True)
class Sphere(PastBody):
    """Parameters of flow past a sphere; see 'PastBody', z as y."""

    name: ClassVar[str] = "sphere"
    axes: ClassVar[int] = 3
    usual: ClassVar[Mapping[str, Any]] = {
        "cells": 12,
        "reynolds": 20.0,
        "lattice_speed": 0.05,
        "near": 0.5,
    }
    peak_speed: ClassVar[float] = 1.5

    upstream: Diameters = 4.0
    downstream: Diameters = 8.0
    below: Diameters = 4.0
    above: Diameters = 4.0
    sides: Sides = "free-slip"
    inlet: Inlet = "uniform"

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        if self.inlet == "parabola":
            raise CaseError(
                "A parabola was asked for around a sphere, which is in a wide stream.",
                hint="Write inlet=uniform.",
            )

    @property
    def area(self) -> float:
        """The cross-section [cells²]."""
        return 0.25 * pi * self.scaling.cells**2

    def known(self) -> dict[str, tuple[float, str]]:
        """Return the drag of a sphere in an unbounded stream.

        Source: Schiller & Naumann, Z. VDI 77 (1935) 318; within 5 %.
        """
        reynolds = self.scaling.reynolds
        if reynolds > _LARGEST or self.geometry:
            return {}
        drag = 24.0 / reynolds * (1.0 + 0.15 * reynolds**0.687)
        return {"drag coefficient": (drag, "Schiller & Naumann")}
