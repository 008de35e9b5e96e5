"""Coastal oceans: the names that programs use.

    import halocline as hc
    import halocline.ocean as ocean

    basin = ocean.Domain(depth, spacing=(500.0, 500.0), f=1.2e-4)
    model = ocean.make_model(ocean.Setup(basin, micro_step=10.0, sigma=ocean.Sigma(10)))
    simulation = hc.Simulation(model.grid, model.steps, dt=model.setup.macro_step)

Where a name is defined inside of 'halocline.apps.ocean' may change.
"""

from halocline.apps.comparison import Comparison
from halocline.apps.ocean.cases.layered_case import LayeredCase
from halocline.apps.ocean.cases.ocean_case import OceanCase, OceanResult
from halocline.apps.ocean.cases.stratified_case import StratifiedCase
from halocline.apps.ocean.diagnostics.pictures import Surface, draw_surface, map_of
from halocline.apps.ocean.input.bathymetry_file import Bathymetry, read_bathymetry
from halocline.apps.ocean.input.getm.setup import Reading, read_getm_folder
from halocline.apps.ocean.model import Model, make_model
from halocline.apps.ocean.physics.drag import LinearDrag, LogarithmicDrag
from halocline.apps.ocean.physics.drying import Drying
from halocline.apps.ocean.physics.equation_of_state import (
    REFERENCE_DENSITY,
    eos80,
    jackett06,
    linear,
)
from halocline.apps.ocean.physics.stability import CANUTO_A, CANUTO_B, CHENG
from halocline.apps.ocean.physics.tides import Wave, frequency
from halocline.apps.ocean.physics.turbulence import KEpsilon
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary, coriolis
from halocline.apps.ocean.setup.limits import Limits
from halocline.apps.ocean.setup.rivers import River
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma

__all__ = [  # noqa: RUF022 (by subject)
    # What an ocean is.
    "Setup",
    "Domain",
    "OpenBoundary",
    "Sigma",
    "River",
    "Limits",
    "coriolis",
    # Its bed, its tides, its density, its turbulence.
    "LinearDrag",
    "LogarithmicDrag",
    "Drying",
    "Wave",
    "frequency",
    "REFERENCE_DENSITY",
    "eos80",
    "jackett06",
    "linear",
    "KEpsilon",
    "CANUTO_A",
    "CANUTO_B",
    "CHENG",
    # From files.
    "read_bathymetry",
    "Bathymetry",
    "read_getm_folder",
    "Reading",
    # Its fields and steps.
    "make_model",
    "Model",
    # Cases of your own.
    "OceanCase",
    "LayeredCase",
    "StratifiedCase",
    "OceanResult",
    "Comparison",
    "Surface",
    "draw_surface",
    "map_of",
]
