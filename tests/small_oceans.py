"""Small oceans in which everything happens: coasts, drying, tides, wind; for tests of same bits."""

from __future__ import annotations

import zlib
from datetime import datetime
from functools import partial

import numpy as np
from msgspec.structs import replace

import halocline as hc
from halocline.apps.ocean.model import make_model
from halocline.apps.ocean.physics.equation_of_state import eos80
from halocline.apps.ocean.physics.relaxation import Relaxation
from halocline.apps.ocean.physics.tides import Wave, frequency
from halocline.apps.ocean.setup.atmosphere import Atmosphere
from halocline.apps.ocean.setup.curvilinear import Curvilinear
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.levels import ZLevels
from halocline.apps.ocean.setup.rivers import River
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.apps.ocean.setup.tracers import Tracer
from halocline.output import load


def bay(nx=30, ny=40, **more):
    """Return a bay open in the north and west, with flats that dry, an island and a peninsula."""
    rng = np.random.default_rng(7)
    x, y = np.arange(nx)[:, None], np.arange(ny)[None, :]
    depth = 12.0 * y / ny + 0.3 * rng.random((nx, ny)) - 1.0 + 0.0 * x
    depth[nx // 2 :, ny // 2] = np.nan
    depth[8:11, 14:17] = np.nan
    depth[0, : ny // 2] = np.nan
    open_sides = (
        OpenBoundary("north", ny - 1, 2, nx - 1),
        OpenBoundary("west", 0, ny // 2, ny - 1),
    )
    return Domain(depth, (500.0, 400.0), open=open_sides, **more)


def fan(nx=30, ny=40):
    """Return the corners of cells between two arcs around a place on the earth, x clockwise."""
    angle = np.linspace(2.5, 1.0, nx + 1)[:, None]
    radius = (20e3 + 400.0 * np.arange(ny + 1) + 3.0 * np.arange(ny + 1) ** 2)[None, :]
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    latitude = 54.0 + y / 111e3
    return Curvilinear(
        x=x, y=y, longitude=7.0 + x / (111e3 * np.cos(np.radians(latitude))), latitude=latitude
    )


TIDE = (Wave(frequency("M2"), 1.5), Wave(frequency("K1"), 0.4, 0.7))
RNG = np.random.default_rng(1)
PRESSURE = 1e5 + 1e3 * RNG.random((30, 40))
SETUPS = {
    "tide and wind": Setup(
        bay(f=1.2e-4), 10.0, 6, tide=TIDE, stress=(1e-4, 5e-5), viscosity=5.0, zeta=0.5
    ),
    "on a sphere": Setup(
        Domain(bay().depth, (0.01, 0.005), origin=(3.0, 54.0), is_spherical=True, open=bay().open),
        10.0,
        5,
        tide=TIDE,
        current=hc.Series([0.0, 1e4], [np.linspace(-0.1, 0.1, 48), np.zeros(48)]),
        open_kind="flather",
        zeta=0.5,
    ),
    "radiating": Setup(
        bay(), 10.0, 4, open_kind="radiating", zeta=0.5 + RNG.random((30, 40)), pressure=PRESSURE
    ),
    "around the world": Setup(
        Domain(
            np.where(np.eye(32) > 0, np.nan, 5.0), (500.0, 500.0), periodic=(True, True), f=1e-4
        ),
        10.0,
        4,
        zeta=RNG.random((32, 32)),
    ),
}
LAYERED = {
    "layers": Setup(
        bay(f=1.2e-4),
        10.0,
        6,
        tide=TIDE,
        stress=(1e-4, 5e-5),
        zeta=0.5,
        layers=Sigma(5, 1.0, 0.5),
        temperature=lambda x, y, z: 12.0 + 0.2 * z + 1e-4 * x + 0.0 * y,
        salinity=RNG.random((30, 40, 5)) + 34.0,
        density=partial(eos80, reference=1025.0),
        surface_roughness=0.01,
        rivers=(River((12, 30), 800.0, temperature=8.0, salinity=0.0),),
        rain=-1e-5,
        sponge=4,
    )
}
# Four blocks of it can compute again all they need.
LONG = bay(ny=60, f=1.2e-4)
# Velocities carried as tracers are, tracers diffused, and brought in and out through open cells.
LAYERED["layers, carried"] = replace(
    LAYERED["layers"],
    domain=LONG,
    salinity=34.0,
    advection="P2_PDM",
    advection_splitting="strang",
    diffusivity=20.0,
    sponge=0,
    sea_temperature=9.0,
    sea_salinity=np.linspace(33.0, 36.0, 58),
    layer_current=0.1,
)
# Fluxes follow from the surface and from air that changes from cell to cell and in time.
LAYERED["layers, weather"] = replace(
    LAYERED["layers"],
    stress=None,
    atmosphere=Atmosphere(
        (hc.Series([0.0, 3600.0], [6.0, -9.0]), 4.0 * RNG.random((30, 40))),
        hc.Series([0.0, 3600.0], 9.0 + RNG.random((2, 30, 40))),
        0.006,
        PRESSURE,
        cloud=0.4,
        evaporates=True,
        begin=datetime(2021, 6, 21, 11),
        place=(54.0, 7.0),
    ),
)
# The sea beyond open boundaries changes in time, in each open cell and layer.
LAYERED["layers, sea"] = replace(
    LAYERED["layers"],
    domain=LONG,
    salinity=34.0,
    sea_temperature=hc.Series([0.0, 300.0, 1e4], [9.0, 12.0, 8.0]),
    sea_salinity=hc.Series([0.0, 400.0, 1e4], 30.0 + RNG.random((3, 58, 5))),
    layer_current=hc.Series([0.0, 1e4], np.linspace(-0.2, 0.3, 2 * 58 * 5).reshape(2, 58, 5)),
    open_kind="flather",
    relaxation=Relaxation(),
)
# Tracers that react with each other, sink, and come through surface, bed, rivers and open cells.
LAYERED["layers, passive"] = replace(
    LAYERED["layers"],
    rain=1e-6,
    rivers=(River((12, 30), 800.0, temperature=8.0, tracers={"food": 2.0}),),
    sunlight=hc.Series([0.0, 3600.0], [0.0, 600.0]),
    sponge=0,
    tracers=(
        Tracer(
            "food",
            lambda x, y, z: 1.0 + 1e-4 * x + 0.0 * y * z,
            source=lambda food, plants, light: -1e-6 * food * plants * light,
            bed_flux=1e-5,
        ),
        Tracer(
            "plants",
            RNG.random((30, 40, 5)),
            source=lambda food, plants, light, temperature: (
                1e-6 * food * plants * light - 1e-6 * temperature * plants
            ),
            sea=0.5,
            settling=1e-4,
            surface_flux=1e-6 * RNG.random((30, 40)),
        ),
    ),
)
# The shares of layers differ from column to column.
LAYERED["z-levels"] = replace(LAYERED["layers"], layers=ZLevels((1.0, 2.0, 4.0, 7.0), 0.2))
# Cells lie on a fan, and the wind is turned to their axes.
FAN = Domain(bay(ny=60).depth, open=bay(ny=60).open, curvilinear=fan(ny=60))
LAYERED["layers, curvilinear"] = replace(
    LAYERED["layers, carried"],
    domain=FAN,
    micro_step=5.0,
    stress=None,
    atmosphere=Atmosphere((6.0, -9.0), 9.0, 0.006, cloud=0.4, begin=datetime(2021, 6, 21, 11)),
)
WITH_TRACERS = replace(LAYERED["layers, passive"], layers=LAYERED["z-levels"].layers)
SETUPS["tide, carried"] = replace(
    SETUPS["tide and wind"], domain=LONG, advection="SUPERBEE", advection_splitting="full"
)
SETUPS |= LAYERED
SETUPS["curvilinear"] = replace(
    SETUPS["tide and wind"], domain=FAN, micro_step=5.0, open_kind="radiating"
)
STEPS = 12


def run(setup, *, steps=STEPS, checkpoint=None, **options):
    """Return a model after some steps, maybe from a checkpoint on, and its simulation."""
    model = make_model(setup)
    simulation = hc.Simulation(model.grid, model.steps, dt=setup.macro_step, threads=1, **options)
    if checkpoint is not None:
        load(simulation, checkpoint, {})
    simulation.run(steps, progress=False)
    return model, simulation


def fingerprint(model):
    """Return a number that stands for all bits of elevation and transports (rank 0)."""
    fields = [model.zeta, model.U, model.V]
    if model.layers:
        fields += [*model.layers.tracers, model.layers.w]
    found = [field.gather() for field in fields]
    if found[0] is None:
        return None
    assert all(np.isfinite(values).all() for values in found)
    return zlib.crc32(b"".join(np.ascontiguousarray(values).tobytes() for values in found))
