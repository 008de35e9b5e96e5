"""How fields of an ocean are made: of the surface, of layers, and profiles over depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.apps.ocean.numerics.sides import bounded
from halocline.frozen import Frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid


class Fields(Frozen):
    """Makes fields.

    Attributes:
        grid: Theirs, with two axes, or with three.
        dtype: Of numbers.
    """

    grid: Grid
    dtype: str

    def surface(
        self,
        name: str,
        location: str = "center",
        values: Any = None,
        *,
        dtype: str = "",
        unit: str = "",
        is_flow: bool = True,
    ) -> Field:
        """Return a field of the surface with its first values; see 'bounded'."""
        field = self.grid.field(
            name, axes="xy", location=location, dtype=dtype or self.dtype, unit=unit
        )
        bounded(field, is_flow=is_flow)
        if values is not None:
            field.set(values)
        return field

    def layers(
        self, name: str, location: str = "center", *, unit: str = "", is_flow: bool = True
    ) -> Field:
        """Return a field of layers; see 'bounded'."""
        field = self.grid.field(name, location=location, dtype=self.dtype, unit=unit)
        return bounded(field, is_flow=is_flow)

    def shares(self, name: str, values: NDArray[np.float64], location: str = "center") -> Field:
        """Return a field of shares of the depth: a profile if they are the same in all columns."""
        if values.ndim == 1:
            return self.profile(name, values)
        field = self.layers(name, location, is_flow=False)
        field.set(values)
        return field

    def profile(self, name: str, values: Any) -> Field:
        """Return a field along z alone, which goes on beyond bed and surface as it is there."""
        field = self.grid.field(name, axes="z", dtype=self.dtype)
        field.boundary(["z-", "z+"], hc.Neumann(0.0))
        field.set(values)
        return field
