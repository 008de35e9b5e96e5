"""Sigma layers: which part of the water's depth each takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.language.numbers import Range
from halocline.options import check_declared

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Sigma(Frozen):
    """How many layers there are, and where they are thin.

    Attributes:
        count: Of layers.
        zoom_bed: 0 for layers that are all alike; 1 to 2 for thin ones at the bed.
        zoom_surface: The same at the surface.

    Example:
        >>> ocean.Sigma(10)
        Sigma(count=10, zoom_bed=0.0, zoom_surface=0.0)
    """

    count: Annotated[int, Range(least=2)] = 20
    zoom_bed: Annotated[float, Range(least=0.0)] = 0.0
    zoom_surface: Annotated[float, Range(least=0.0)] = 0.0

    def __post_init__(self) -> None:
        check_declared(self, CaseError)

    def fractions_in(self, depth: Any) -> NDArray[np.float64]:
        """Return 'fractions', which are the same in water of any depth."""
        return self.fractions

    def check_depth(self, deepest: float) -> None:
        """Accept any depth."""

    @property
    def fractions(self) -> NDArray[np.float64]:
        """The part of the depth that each layer takes, from the bed up.

        Source: Burchard & Petersen 1997.
        """
        share = np.linspace(0.0, 1.0, self.count + 1)
        bed, surface = self.zoom_bed, self.zoom_surface
        if bed + surface > 0.0:
            share = (np.tanh((bed + surface) * share - bed) + np.tanh(bed)) / (
                np.tanh(bed) + np.tanh(surface)
            )
        return np.diff(share)
