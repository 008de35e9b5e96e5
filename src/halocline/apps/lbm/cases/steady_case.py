"""The cases of flows that become steady: when a run may end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from halocline.apps.case import ENDS
from halocline.apps.lbm.cases.flow_case import FlowCase
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.apps.lbm.cases.flow_case import FlowResult

Count = Annotated[int, Range(least=1)]


@dataclass(frozen=True)
class SteadyCase(FlowCase):
    """Parameters of a flow that becomes steady.

    Attributes:
        tolerance: The flow is steady when no velocity changes by more in a convective time, in
            which it passes its length [its speed].
        max_convective_times: Convective times after which the run ends at the latest.

    Example:
        >>> class Box(lbm.SteadyCase):
        ...     name, axes = "box", 2
        ...     def setup(self):
        ...         return self.lattice_setup((self.scaling.cells,) * 2)
        >>> Box(cells=8, reynolds=1.0, lattice_speed=0.05, max_convective_times=5).duration
        5
    """

    tolerance: Annotated[float, Range(least=0.0), ENDS] = 1e-6
    max_convective_times: Annotated[Count, ENDS] = 300

    @property
    def duration(self) -> float:
        """Where the run ends at the latest."""
        return self.max_convective_times

    @property
    def steady_tolerance(self) -> float:
        """The change that ends the run."""
        return self.tolerance

    def samples_needed(self, changes: Sequence[float], most: float) -> float:
        """Return how many samples are still to come, from how the change has fallen lately."""
        recent = changes[-11:]
        if recent[-1] <= self.tolerance:
            return 0.0
        if len(recent) < 2 or not self.tolerance:  # noqa: PLR2004 (a slope needs two)
            return most
        fall = np.log(recent[0] / recent[-1]) / (len(recent) - 1)
        needed = np.log(recent[-1] / self.tolerance) / fall if fall > 0 else most
        return float(min(needed, most))

    def outcome(self, result: FlowResult) -> str:
        """Return whether the flow became steady."""
        if result.problem.change is None:
            return ""
        change = f"the change {self.change(result.problem):.2e} U a convective time"
        if result.is_steady:
            return (
                f"steady after {result.times:.4g} convective times: {change} is within the "
                f"tolerance {self.tolerance:g} U"
            )
        return (
            f"NOT steady after {result.times:.4g} convective times: {change} exceeds the "
            f"tolerance {self.tolerance:g} U; allow more 'max_convective_times'"
        )
