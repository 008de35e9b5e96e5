"""The tidal box of paper 002 as the ocean model has it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import halocline.ocean as ocean
from halocline.apps.ocean.cases.kelvin_wave import KelvinWave

_MICRO_STEP = 20.0
# In a macro step.
MICRO_STEPS = 10


def make_box(extent: tuple[int, ...], dtype: str, *, layers: int = 0) -> ocean.Model:
    """Return as much of the report's box as some cells of 2 km are, open in the north.

    Args:
        extent: Cells of the whole domain.
        dtype: Element type of the fields.
        layers: 0 for the vertically integrated mode alone.
    """
    nx, ny = extent[:2]
    box = KelvinWave()
    more: dict[str, Any] = {}
    if layers:
        more = {
            "layers": ocean.Sigma(layers),
            "temperature": lambda x, y, z: 10.0 + 0.05 * z + 0.0 * (x + y),
            "salinity": 35.0,
            "density": partial(ocean.eos80, reference=ocean.REFERENCE_DENSITY),
        }
    setup = ocean.Setup(
        ocean.Domain(
            np.full((nx, ny), box.water_depth),
            box.domain.spacing,
            f=box.f,
            open=(ocean.OpenBoundary("north", ny - 1, 0, nx - 1),),
        ),
        _MICRO_STEP,
        MICRO_STEPS,
        drying_limiter=False,
        tide=(ocean.Wave(box.frequency, box.amplitude),),
        ramp=box.period,
        # From rest the first waves make numbers so small that processors are slow with them.
        zeta=1e-3 * np.outer(np.cos(0.3 * np.arange(nx)), np.cos(0.2 * np.arange(ny))),
        dtype=dtype,
        **more,
    )
    return ocean.make_model(setup)
