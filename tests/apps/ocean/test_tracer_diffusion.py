"""Horizontal diffusion of tracers: how far they spread, that nothing is lost, its limit."""

from __future__ import annotations

import numpy as np
import pytest
from basins import DEEP, FRICTIONLESS, Run, flat

import halocline as hc
from halocline.apps.ocean.numerics.advection import Advection
from halocline.apps.ocean.numerics.metric import as_fields, spherical
from halocline.apps.ocean.numerics.sides import bounded
from halocline.apps.ocean.numerics.tracer_flow import Flow
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError


def test_a_patch_spreads_by_twice_the_diffusivity_and_time():
    nx, ny, dx, dy, diffusivity = 48, 40, 500.0, 700.0, 100.0
    x, y = (np.arange(nx) + 0.5) * dx, (np.arange(ny) + 0.5) * dy
    x0, y0 = 0.5 * nx * dx, 0.5 * ny * dy
    first = np.exp(-0.5 * ((x[:, None] - x0) ** 2 + (y - y0) ** 2) / 1000.0**2)
    setup = Setup(
        Domain(np.full((nx, ny), 10.0), (dx, dy)),
        15.0,
        20,
        drag=FRICTIONLESS,
        layers=Sigma(2),
        turbulence="constant",
        salinity=np.repeat(first[..., None], 2, axis=2),
        diffusivity=diffusivity,
        **DEEP,
    )
    run = Run(setup).steps(20)
    found = run.model.layers.tracers[0].gather()[..., 1]
    assert found.sum() == pytest.approx(first.sum(), rel=1e-13)

    def variance(c, at, middle, axis):
        return np.sum(c.sum(axis=axis) * (at - middle) ** 2) / c.sum()

    for at, middle, axis in ((x, x0, 1), (y, y0, 0)):
        spread = variance(found, at, middle, axis) - variance(first, at, middle, axis)
        assert spread == pytest.approx(2 * diffusivity * run.simulation.time, rel=1e-6)


class Basin:
    """A basin on a sphere at rest, with an island, a rough bed, and a tracer from 0 to 1."""

    def __init__(self, dtype="float64"):
        numbers, (nx, ny, nz) = np.random.default_rng(4), (14, 12, 3)
        self.grid = hc.Grid((nx, ny, nz), spacing=(0.01, 0.01, 1.0), origin=(0.0, 60.0, 0.0))
        self.wet = np.ones((nx, ny), dtype=bool)
        self.wet[4:7, 3:6] = self.wet[:3, 8] = False
        sea = np.pad(self.wet, 1)
        self.depth = 10.0 ** numbers.uniform(-1.0, 1.0, (nx, ny))
        self.first = np.where(self.wet[..., None], numbers.random((nx, ny, nz)), -999.0)
        self.area = np.cos(np.radians(60 + 0.01 * (np.arange(ny) + 0.5)))[:, None]

        def field(name, values, **place):
            made = bounded(self.grid.field(name, **place))
            made.set(values)
            return made

        surface = {"axes": "xy", "dtype": dtype}
        depth = field("depth", self.depth, **surface)
        self.flow = Flow(
            *(
                field(n, 0.0, location=f"{a}_face", dtype=dtype)
                for n, a in (("p", "x"), ("q", "y"))
            ),
            depth,
            depth,
            depth,
            depth,
            *(1 / nz,) * 3,
            None,
            field(
                "east", sea[1:, 1:-1] & sea[:-1, 1:-1], axes="xy", location="x_face", dtype="bool"
            ),
            field(
                "north", sea[1:-1, 1:] & sea[1:-1, :-1], axes="xy", location="y_face", dtype="bool"
            ),
        )
        self.on = field("wet", self.wet, axes="xy", dtype="bool")
        self.tracer = bounded(self.grid.field("c", dtype=dtype))
        self.metric = as_fields(
            self.grid, spherical(self.grid.spacing[:2], self.grid.origin[1], self.grid.extent[1])
        )

    def diffused(self, share, steps, first=None, **options):
        """Return the tracer in the water after steps with a share of the largest diffusivity."""
        self.tracer.set(self.first if first is None else first)
        dx, dy = 555.0, 1112.0  # m, of the narrowest cells
        diffusivity = share * 0.5 / (60.0 * (dx**-2 + dy**-2))
        advection = Advection(self.flow, self.metric, 60.0, on=self.on)
        moves = advection.diffused(self.tracer, diffusivity=diffusivity)
        hc.Simulation(self.grid, [*moves], check_every=0, **options).run(steps, progress=False)
        return self.tracer.gather()


def test_no_tracer_is_lost_and_no_extremum_made_over_a_rough_bed():
    basin = Basin()
    found = basin.diffused(1.0, 10)[basin.wet]
    first, weight = basin.first[basin.wet], (basin.depth[..., None] * basin.area)[basin.wet]
    assert abs(found - first).max() > 0.3
    assert 0.0 <= first.min() <= found.min() <= found.max() <= first.max() <= 1.0
    assert (weight * found).sum() == pytest.approx((weight * first).sum(), rel=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_constant_stays_the_same_number(dtype):
    basin = Basin(dtype)
    first = np.where(basin.wet[..., None], 34.7, -999.0) + 0.0 * basin.first
    assert (basin.diffused(0.9, 5, first)[basin.wet] == np.dtype(dtype).type(34.7)).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"diffusivity": 2600.0},
            "'diffusivity' was given 2600 m²/s; a step of 100 s and the narrowest cells allow 0 to "
            "2500 m²/s.",
        ),
        (
            {"viscosity": 1.3e4},
            "'viscosity' was given 13000 m²/s; a step of 10 s and the narrowest cells allow 0 to "
            "1.25e+04 m²/s.",
        ),
        ({"viscosity": -1.0}, "'viscosity' was given -1.0; expected a number of at least 0."),
    ],
)
def test_eddies_that_mix_more_than_there_is_in_a_step_are_refused(given, message):
    with pytest.raises(CaseError) as error:
        Setup(flat(4, 4, 1e3, 10.0), 10.0, **given)
    assert message in str(error.value)


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_viscosity_is_stable_up_to_its_limit(share, monkeypatch):
    monkeypatch.setattr("halocline.apps.ocean.setup.setup._check_eddies", lambda *_: None)
    n, dt, width = 16, 2.0, 1e3
    domain = Domain(np.ones((n, n)), (width, width), periodic=(True, True))
    viscosity = share * 0.25 / (dt * 2 / width**2)
    setup = Setup(domain, dt, 1, drag=FRICTIONLESS, advection="none", viscosity=viscosity, **DEEP)
    U, V = 1e-9 * np.random.default_rng(0).standard_normal((2, n, n))
    run = Run(setup).start(U=U, V=V).steps(60)
    assert (abs(run.U).max() > abs(U).max()) == (share > 1.0)
