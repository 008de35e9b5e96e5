"""The sea beyond open boundaries: where it is, and its elevation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.numerics.axis import SIDES
from halocline.apps.ocean.numerics.regions import region_of
from halocline.apps.ocean.physics import open_boundaries as opened
from halocline.apps.ocean.setup.arguments import in_cells
from halocline.apps.ocean.setup.domain import OPEN
from halocline.apps.ocean.state.layers import fractions_in
from halocline.apps.ocean.state.sea_rows import ahead, changed, rows_of, with_values
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halocline.apps.ocean.setup.domain import OpenBoundary, OpenKind
    from halocline.apps.ocean.state.surface import Surface
    from halocline.language.grids.fields import Field
    from halocline.language.series.series import Series
    from halocline.language.steps.steps import Step


class OpenSea(Frozen, eq=False):
    """The sea beyond open cells.

    Attributes:
        outward: On which side of open cells it lies, see 'open_boundaries'; 0 elsewhere.
        where: Open cells, a box if they are one.
        where_kind: The same, by how they take the elevation of the sea.
        beyond: Holds the new elevation of open cells [m].
        waves: Frequency, cosine and sine of each wave, see 'prescribed'.
        given: What the elevation has beside these, see 'prescribed'; None for nothing.
        current: Out of the domain, in the same way; None for none [m/s].
        layer_current: Of layers, rows of open cells, see 'rows_of'; None for none [m/s].
        steps: Bring it up to date when a macro step begins.
    """

    outward: Field
    where: Field | hc.Box
    where_kind: Mapping[OpenKind, Field | hc.Box]
    beyond: Field
    waves: tuple[Any, ...]
    given: tuple[Any, ...] | None
    current: tuple[Any, ...] | None
    layer_current: Any
    steps: tuple[Step, ...]


def make_open_sea(surface: Surface) -> OpenSea | None:
    """Return the sea beyond the open boundaries of a surface; None if there are none."""
    domain, setup, fields = surface.domain, surface.setup, surface.fields
    if not domain.open:
        return None
    sides = np.zeros(domain.extent, np.int8)
    for boundary in domain.open:
        sides[boundary.cells()] = SIDES[boundary.side]
    outward = fields.surface("outward", values=sides, dtype="int8")
    where = region_of(sides != 0, outward)
    beyond = fields.surface("beyond")
    where_kind = _regions_of_kinds(surface, where)
    waves: tuple[Any, ...] = ()
    for n, wave in enumerate(setup.tide):
        parts = (
            _part_of_wave(surface, f"wave_{n}_{part}", getattr(wave, part))
            for part in ("cosine", "sine")
        )
        waves += (wave.frequency, *parts)
    given, steps = _followed(surface, where, "sea", setup.elevation)
    layer_current = rows_of(surface, setup.layer_current)
    mean = _mean_current(surface, layer_current) if "flather" in where_kind else None
    outwards = None if mean is None else _outwards(domain.open, mean)
    current, more = _followed(surface, where, "sea_current", outwards)
    return OpenSea(
        outward, where, where_kind, beyond, waves, given, current, layer_current, steps + more
    )


def _mean_current(surface: Surface, layer_current: Any) -> Series | None:
    """Return the current along x or y, mean over the depth: as given, or that of its layers."""
    if surface.setup.current is not None or layer_current is None:
        return surface.setup.current
    domain = surface.domain
    cells = tuple(np.concatenate([part.cells() for part in domain.open], axis=1))
    fractions = fractions_in(surface, domain.bed[cells])
    means = changed(layer_current, lambda values: (fractions * values).sum(axis=-1))
    # One row that begins again is steady.
    return means if isinstance(means, hc.Series) else hc.Series([0.0], [means], period=1.0)


def _outwards(boundaries: Sequence[OpenBoundary], current: Series) -> Series:
    """Return the current out of the domain, of the one along x and y."""
    signs = [
        np.full(part.cells()[0].size, 1.0 if part.side in ("east", "north") else -1.0)
        for part in boundaries
    ]
    return with_values(current, current.values * np.concatenate(signs))


def _regions_of_kinds(surface: Surface, where: Field | hc.Box) -> dict[OpenKind, Field | hc.Box]:
    """Return where open cells are, by how they take the elevation of the sea beyond."""
    domain, kinds = surface.domain, surface.setup.open_kinds
    if len(set(kinds)) == 1:
        return {kinds[0]: where}
    regions: dict[OpenKind, Field | hc.Box] = {}
    for kind in dict.fromkeys(kinds):
        cells = np.zeros(domain.extent, bool)
        for boundary, kind_there in zip(domain.open, kinds, strict=True):
            cells[boundary.cells()] = kind_there == kind
        name = f"open_{kind.replace('-', '_')}"
        regions[kind] = region_of(cells, surface.fields.surface(name, values=cells, dtype="bool"))
    return regions


def _part_of_wave(surface: Surface, name: str, value: Any) -> Any:
    """Return a part of a wave: a number, or a field where it differs from cell to cell."""
    if np.ndim(value) == 0:
        return float(value)
    values = in_cells(name, value, surface.domain.cells == OPEN)
    return surface.fields.surface(name, values=values, unit="m")


def _followed(
    surface: Surface, where: Field | hc.Box, name: str, series: Series | None
) -> tuple[tuple[Any, ...] | None, tuple[Step, ...]]:
    """Bring numbers of the sea to open cells, as they are when a macro step begins and ends.

    Between these they are linear, so that they do not lag behind by a macro step.
    """
    if series is None:
        return None, ()
    domain, macro_step = surface.domain, surface.setup.macro_step
    cells = np.concatenate([np.transpose(part.cells()) for part in domain.open])
    middles = np.asarray(domain.origin) + (cells + 0.5) * np.asarray(domain.spacing)
    # Layers do not matter.
    deep = np.zeros((len(cells), surface.fields.grid.dimensions - middles.shape[1]))
    points = hc.Points(np.hstack([middles, deep]))
    steps: list[Step] = []
    ends = []
    for end, rows in (("begin", series), ("end", ahead(series, macro_step))):
        field = surface.fields.surface(f"{name}_{end}")
        steps += [opened.clear(field, on=where), points.inject(rows, into=field)]
        ends.append(field)
    return (*ends, (surface.clock - hc.time) * (1.0 / macro_step)), tuple(steps)
