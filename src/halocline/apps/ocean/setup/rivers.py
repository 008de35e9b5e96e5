"""Rivers: water that comes into a cell, at all depths, with all that it brings along."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import field

import halocline as hc
from halocline.apps.arguments import check_kind, check_number
from halocline.apps.ocean.setup.arguments import pair
from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen
from halocline.language.numbers import ANY, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.apps.ocean.setup.domain import Domain
    from halocline.language.series.series import Series


class River(Frozen, eq=False):
    """Water that comes into a cell.

    Attributes:
        cell: Its indices along x and y.
        flow: A number, or a series of numbers [m³/s].
        temperature: Of the water, likewise; None for that of the cell [degC].
        salinity: Likewise [1e-3].
        tracers: Likewise passive tracers by name, as {"dye": 1.0}; others have that of the cell.

    Example:
        >>> river = ocean.River((3, 4), flow=120.0, salinity=0.0)
    """

    cell: tuple[int, int]
    flow: float | Series
    temperature: float | Series | None = None
    salinity: float | Series | None = None
    tracers: Mapping[str, float | Series] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for axis, index in zip("xy", pair("cell", self.cell, "whole numbers"), strict=True):
            whole_number(f"'cell' of a river along {axis}", index, ANY, CaseError)
        check_kind("tracers", self.tracers, Mapping, 'values by name, as {"dye": 1.0}')
        values = {name: getattr(self, name) for name in ("flow", "temperature", "salinity")}
        for name, value in {**self.tracers, **values}.items():
            is_left_out = value is None and name in ("temperature", "salinity")
            if not is_left_out and not isinstance(value, hc.Series):
                check_number(f"{name} of a river", value)

    def brings(self, tracer: str) -> float | Series | None:
        """Return what the water has of a tracer; None for as much as the cell has."""
        if tracer in ("temperature", "salinity"):
            value: float | Series | None = getattr(self, tracer)
            return value
        return self.tracers.get(tracer)

    def rate(self, area: float) -> float | Series:
        """Return by how much it raises a cell of some area [m/s]."""
        if isinstance(self.flow, hc.Series):
            series = self.flow
            values = series.values / area
            return hc.Series(series.times, values, period=series.period or None, name=series.name)
        return float(self.flow) / area


def check_rivers(domain: Domain, rivers: tuple[River, ...], tracers: Sequence[str]) -> None:
    """Refuse a river in no water, in the cell of another one, or with a tracer that there is not.

    Raises:
        CaseError: There is such a river.
    """
    for river in rivers:
        _check_place(domain, river)
        for name in river.tracers:
            if name not in tracers:
                raise CaseError(
                    f"The river in cell {river.cell} was given the tracer '{name}'; expected one "
                    "of 'tracers' of the ocean.",
                    hint=nearest(name, tracers) if tracers else "",
                )
    for cell, count in Counter(river.cell for river in rivers).items():
        if count > 1:
            raise CaseError(
                f"There are {count} rivers in cell {cell}; expected one.",
                hint="Make them one that brings what they bring together, or move one.",
            )


def _check_place(domain: Domain, river: River) -> None:
    """Refuse a river that comes into no water.

    Raises:
        CaseError: Its cell is beyond the grid, on land or at an open boundary.
    """
    (i, j), (nx, ny) = river.cell, domain.extent
    if not (0 <= i < nx and 0 <= j < ny):
        raise CaseError(
            f"There is a river in cell ({i}, {j}), but the grid has {nx} x {ny} cells, counted "
            "from 0."
        )
    kinds = ("land", "water", "part of an open boundary")
    if domain.cells[i, j] != kinds.index("water"):
        raise CaseError(
            f"The cell ({i}, {j}) of a river is {kinds[domain.cells[i, j]]}; expected water.",
            hint="Take the cell beside it.",
        )
