"""Turbulence: against a column in NumPy, entrainment of Kato and Phillips, an open channel."""

from __future__ import annotations

import numpy as np
import pytest
from basins import Run

import halocline as hc
from halocline.apps.ocean.numerics.vertical import Layers, diffuse_momentum, diffuse_tracers
from halocline.apps.ocean.physics.equation_of_state import linear
from halocline.apps.ocean.physics.stability import CANUTO_A
from halocline.apps.ocean.physics.turbulence import (
    KEpsilon,
    find_buoyancy,
    find_shear,
    inner_faces,
    k_epsilon,
    make_turbulence,
)
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma


class Water:
    """Columns of water with all that turbulence needs.

    Args:
        extent: Of the grid, which is periodic along x and y.
        depth: [m].
        dtype: Of the fields.
    """

    def __init__(self, extent, depth, dtype="float64"):
        self.grid, self.dtype = hc.Grid(extent, periodic=(True, True, False)), dtype
        fraction = self.field("fraction", 1.0 / extent[2], axes="z")
        fraction.boundary(["z-", "z+"], hc.Neumann(0.0))
        self.cells, self.at_u, self.at_v = (
            Layers(self.field(f"depth_{location}", depth, axes="xy", location=location), fraction)
            for location in ("center", "x_face", "y_face")
        )
        self.p, self.q = self.field("p", location="x_face"), self.field("q", location="y_face")
        self.density = self.field("density")
        self.M2, self.N2 = (self.field(name, location="z_face") for name in ("M2", "N2"))
        self.turbulence = make_turbulence(self.grid, dtype)

    def field(self, name, values=0.0, **options):
        field = self.grid.field(name, dtype=self.dtype, **options)
        field.set(values)
        return field

    def find_frequencies(self):
        """Return the steps that find M² and N²."""
        on, (p, q) = inner_faces(self.grid), (self.p, self.q)
        return [
            find_shear(self.M2, east=p, north=q, at_u=self.at_u, at_v=self.at_v, on=on),
            find_buoyancy(self.N2, self.density, layers=self.cells, reference=1025.0, on=on),
        ]

    def mix(self, dt, bed_roughness=1e-3, surface_roughness=0.02, model=None):
        return k_epsilon(
            self.turbulence,
            self.M2,
            self.N2,
            self.cells,
            dt=dt,
            bed_roughness=bed_roughness,
            surface_roughness=surface_roughness,
            model=model,
        )

    def simulation(self, steps):
        return hc.Simulation(self.grid, [*steps], threads=1)


def mixing(time, M2, N2, k):
    """Return viscosity and diffusivity by the formulas of Canuto A."""
    a = np.maximum(time**2 * N2, CANUTO_A.most_unstable / 2)
    (n0, n1, n2), (m0, m1, m2), (d1, d2, d3, d4, d5) = CANUTO_A.n, CANUTO_A.m, CANUTO_A.d
    most = n0 + (n1 + d1 * n0) * a + (d1 * n1 + d4 * n0) * a**2 + d4 * n1 * a**3
    x = np.minimum(time**2 * M2, most / (d2 * n0 + (d2 * n1 + d3 * n0) * a + d3 * n1 * a**2))
    d = 1 + d1 * a + d2 * x + d3 * a * x + d4 * a**2 + d5 * x**2
    return (n0 + n1 * a + n2 * x) / d * k * time, (m0 + m1 * a + m2 * x) / d * k * time


def k_epsilon_in_numpy(h, turbulence, frequencies, dt, roughness, constants):
    """Return k, epsilon, viscosity and diffusivity of a column a step later, by dense systems."""
    (k, eps, nu, nu_t), (M2, N2), (sigma, galperin) = turbulence, frequencies, constants
    c_mu0, c1, c2, c3 = CANUTO_A.c_mu0, 1.44, 1.92, -0.6209119095698
    sigma = sigma or 0.4**2 / ((c2 - c1) * c_mu0**2)
    inner = slice(1, len(h))
    P, G, size = nu * M2, -nu_t * N2, 0.5 * (h[1:] + h[:-1])

    def step(value, production, buoyancy, dissipation, schmidt, entering):
        is_gain = production + buoyancy > 0
        gain = np.where(is_gain, production + buoyancy, production)
        loss = np.where(is_gain, dissipation, dissipation - buoyancy) / value
        matrix = np.diag(size * (1 + dt * loss[inner]))
        for row in range(len(size) - 1):
            flow = dt * 0.5 * (nu[row + 1] + nu[row + 2]) / (schmidt * h[row + 1])
            matrix[row : row + 2, row : row + 2] += [[flow, -flow], [-flow, flow]]
        return np.linalg.solve(matrix, size * (value + dt * gain)[inner] + dt * entering)

    entering = np.zeros(len(size))
    entering[0] += c_mu0**4 * k[1] ** 2 / (sigma * (0.5 * h[0] + roughness[0]))
    entering[-1] += c_mu0**4 * k[-2] ** 2 / (sigma * (0.5 * h[-1] + roughness[1]))
    rate = eps / k
    c3 = np.where(G > 0, 1.0, c3)
    new_k = step(k, P, G, eps, 1.0, np.zeros(len(size)))
    new_eps = step(eps, rate * c1 * P, rate * c3 * G, rate * c2 * eps, sigma, entering)
    M2, N2 = M2[inner], N2[inner]
    new_k = np.maximum(new_k, 1e-10)
    new_eps = np.maximum(new_eps, 1e-14)
    if galperin:
        least = c_mu0**3 / (np.sqrt(2) * galperin) * new_k * np.sqrt(np.maximum(N2, 0))
        new_eps = np.maximum(new_eps, least)
    return new_k, new_eps, *mixing(new_k / new_eps, M2, N2, new_k)


def disturbed(dtype="float64"):
    """Return columns with all kinds of shear and stratification, and what turbulence they have."""
    water, random = Water((6, 5, 8), 10.0, dtype), np.random.default_rng(2)
    weights = random.uniform(0.5, 2.0, 8)
    water.cells.fraction.set(weights / weights.sum())
    water.cells.depth.set(random.uniform(0.1, 50.0, (6, 5)))
    shape = (6, 5, 9)
    water.M2.set(10 ** random.uniform(-6, -1, shape))
    water.N2.set(random.choice([-1.0, 1.0], shape) * 10 ** random.uniform(-7, -2, shape))
    powers = ((-7, -3), (-10, -5), (-5, -2), (-5, -2))
    turbulence = [10 ** random.uniform(*power, shape) for power in powers]
    for field, values in zip(water.turbulence, turbulence):
        field.set(values)
    return water, turbulence


@pytest.mark.parametrize("constants", [(None, 0.53), (1.3, None)])
def test_a_step_is_that_of_a_column_in_numpy(constants):
    schmidt, galperin = constants
    model = KEpsilon(schmidt=schmidt, galperin=galperin)
    (water, before), dt = disturbed(), 30.0
    water.simulation(water.mix(dt, model=model)).run(1, progress=False)
    after = [field.gather() for field in water.turbulence]
    M2, N2 = water.M2.gather(), water.N2.gather()
    for i, j in np.ndindex(6, 5):
        h = water.cells.depth.gather()[i, j] * water.cells.fraction.gather()
        column = [values[i, j] for values in before]
        expected = k_epsilon_in_numpy(h, column, (M2[i, j], N2[i, j]), dt, (1e-3, 0.02), constants)
        for values, value in zip(after, expected):
            np.testing.assert_allclose(values[i, j, 1:-1], value, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("dt", [1.0, 60.0, 3600.0])
def test_energy_and_dissipation_stay_positive_whatever_happens(dt, dtype):
    water, _ = disturbed(dtype)
    water.simulation(water.mix(dt)).run(20, progress=False)
    tke, eps, viscosity, diffusivity = (f.gather()[..., 1:-1] for f in water.turbulence)
    assert tke.min() >= 0.999e-10
    assert eps.min() >= 0.999e-14
    assert viscosity.min() > 0.0
    assert diffusivity.min() > 0.0
    assert np.isfinite(viscosity).all()


def test_single_precision_follows_double():
    results = []
    for dtype in ("float64", "float32"):
        water, _ = disturbed(dtype)
        water.simulation(water.mix(60.0)).run(3, progress=False)
        results.append([field.gather()[..., 1:-1] for field in water.turbulence])
    for double, single in zip(*results):
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, double, rtol=1e-3)


def test_shear_and_stratification_of_straight_profiles_are_exact():
    water = Water((4, 3, 10), 20.0)
    water.p.set(lambda x, y, z: 2.0 * 0.01 * (2.0 * z) + 0.0 * (x + y))  # 2 m layers, 0.01 / s
    water.q.set(lambda x, y, z: 2.0 * 0.02 * (2.0 * z) + 0.0 * (x + y))
    water.density.set(lambda x, y, z: -0.1 * (2.0 * z) + 0.0 * (x + y))
    water.simulation(water.find_frequencies()).run(1, progress=False)
    np.testing.assert_allclose(water.M2.gather()[..., 1:-1], 1e-4 + 4e-4, rtol=1e-12)
    np.testing.assert_allclose(water.N2.gather()[..., 1:-1], 9.81 / 1025.0 * 0.1, rtol=1e-12)


def entrainment(levels, dt, hours):
    """Return how deep wind has mixed stratified water after some hours [m], and its momentum."""
    water, depth = Water((1, 1, levels), 50.0), 50.0
    per_level = 1025.0 / 9.81 * 1e-4 * depth / levels
    water.density.set(lambda x, y, z: -per_level * z + 0.0 * (x + y))
    turbulence = water.turbulence
    steps = [
        *diffuse_momentum(
            water.p, water.at_u, turbulence.viscosity, axis="x", dt=dt, stress=0.01**2
        ),
        *water.find_frequencies(),
        *water.mix(dt),
        *diffuse_tracers([water.density], water.cells, turbulence.diffusivity, dt=dt),
    ]
    simulation, done, deepest = water.simulation(steps), 0, []
    for hour in hours:
        simulation.run(round(3600 * hour / dt) - done, progress=False)
        done = simulation.step
        tke = turbulence.tke.gather()[0, 0, 1:levels]
        deepest.append(depth * (1.0 - (np.flatnonzero(tke > 1e-5)[0] + 1) / levels))
    return np.array(deepest), water.p.gather().sum()


def test_wind_deepens_stratified_water_as_kato_and_phillips_measured():
    hours = np.array([10, 15, 20, 25, 30])
    depths, momentum = entrainment(50, 60.0, hours)
    fit = 1.05 * 0.01 / np.sqrt(0.01) * np.sqrt(3600.0 * hours)  # Price 1979
    assert abs(depths - fit).max() < 1.5
    np.testing.assert_allclose(depths, [19.0, 24.0, 27.0, 31.0, 34.0], atol=1.0)
    assert abs(momentum / (0.01**2 * 30 * 3600.0) - 1.0) < 1e-12


@hc.kernel
def push(p, *, layers, dt, slope):
    p[0, 0, 0] = p + dt * slope * layers.thickness


@hc.sweep("z-")
def lowest(_, p, *, layers):
    return p / layers.thickness


@hc.kernel
def find_drag(drag, velocity, *, height, roughness):
    drag[0, 0] = (0.4 / hc.log((height + roughness) / roughness)) ** 2 * abs(velocity)


def channel(levels, hours, *, dt=60.0):
    """Return friction velocity, mean velocity and viscosity of water that runs down a slope."""
    water, roughness, depth = Water((1, 1, levels), 10.0), 1.5e-3, 10.0
    velocity, drag = (
        water.field(name, axes="xy", location="x_face") for name in ("lowest", "drag")
    )
    p, layers = water.p, water.at_u
    turbulence = water.turbulence
    steps = [
        *lowest(p, layers=layers, end=velocity, on=hc.Box((0, 0, 0), (1, 1, 1))),
        find_drag(drag, velocity, height=0.5 * depth / levels, roughness=roughness),
        push(p, layers=layers, dt=dt, slope=0.03**2 / depth),
        *diffuse_momentum(p, layers, turbulence.viscosity, axis="x", dt=dt, drag=drag),
        *water.find_frequencies(),
        *water.mix(dt, bed_roughness=roughness),
    ]
    water.simulation(steps).run(round(3600 * hours / dt), progress=False)
    u = p.gather()[0, 0] * levels / depth
    stress = drag.gather()[0, 0] * u[0]
    return np.sqrt(stress), u, turbulence.viscosity.gather()[0, 0]


@pytest.mark.parametrize(("levels", "mean"), [(10, 0.618), (20, 0.623), (50, 0.626)])
def test_an_open_channel_has_its_friction_and_its_speed(levels, mean):
    friction, u, viscosity = channel(levels, 24)
    z = (np.arange(levels) + 0.5) * 10.0 / levels
    off = u / (0.03 / 0.4 * np.log((z + 1.5e-3) / 1.5e-3)) - 1.0
    assert friction == pytest.approx(0.03, rel=1e-6)
    assert u.mean() == pytest.approx(mean, rel=3e-3)
    assert 0.0228 * 0.98 < viscosity.max() < 0.0238 * 1.02
    assert 0.065 < abs(off).max() < 0.085  # near the surface, as k-epsilon has it


def test_stratification_is_averaged_over_neighbours_that_are_water():
    depth = np.full((6, 5), 20.0)
    depth[2, 3] = np.nan
    random = np.random.default_rng(4).random((6, 5, 4))
    setup = Setup(
        Domain(depth, (1e3, 1e3)),
        10.0,
        2,
        layers=Sigma(4),
        temperature=10.0 + np.sort(random, axis=-1),
        density=lambda t, s: linear(t, s, 1025.0),
        smooth_buoyancy="horizontal",
    )
    layers = Run(setup, target="numpy").steps(1).model.layers
    N2 = layers.buoyancy_squared.gather()
    water = np.pad(np.isfinite(depth), 1)[..., np.newaxis]
    around = np.pad(N2, ((1, 1), (1, 1), (0, 0)))
    expected = N2 / 3
    for i, j in ((0, 1), (2, 1), (1, 0), (1, 2)):
        shifted = (slice(i, i + 6), slice(j, j + 5))
        expected += np.where(water[shifted], around[shifted], N2) / 6
    found = layers.smooth_buoyancy["horizontal"].gather()
    wet = np.isfinite(depth)
    assert found[wet][:, 1:-1] == pytest.approx(expected[wet][:, 1:-1], rel=1e-12)
    assert np.abs(found - N2)[wet][:, 1:-1].min() > 0.0


def test_smooth_stratification_is_the_mean_of_a_face_and_its_neighbours_above_and_below():
    anomaly = np.sort(np.random.default_rng(4).random((3, 3, 6)), axis=-1)
    setup = Setup(
        Domain(np.full((3, 3), 20.0), (100.0, 100.0)),
        2.0,
        2,
        layers=Sigma(6),
        temperature=10.0 + anomaly,
        density=lambda t, s: linear(t, s, 1025.0),
        smooth_buoyancy="vertical",
    )
    layers = Run(setup, target="numpy").steps(1).model.layers
    N2, found = (f.gather() for f in (layers.buoyancy_squared, layers.smooth_buoyancy["vertical"]))
    expected = N2.copy()
    expected[..., 2:5] = 0.5 * N2[..., 2:5] + 0.25 * (N2[..., 1:4] + N2[..., 3:6])
    assert found[..., 1:6] == pytest.approx(expected[..., 1:6], rel=1e-12)
    assert np.abs(found - N2)[..., 2:5].min() > 0.0
