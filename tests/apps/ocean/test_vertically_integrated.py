"""The vertically integrated mode beside exact solutions; numbers: Halocline's digest of GETM."""

from __future__ import annotations

import numpy as np
import pytest
from basins import DEEP, FRICTIONLESS, G, Run, flat
from frequency_domain import tide_in_frequency_domain

import halocline as hc
from halocline.apps.ocean.physics.drag import LinearDrag
from halocline.apps.ocean.physics.drying import Drying
from halocline.apps.ocean.physics.tides import Wave, harmonic_analysis
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma


def seiche(cells):
    """Return the period of the first mode in a closed channel, and the energy left after ten."""
    length, depth = 100e3, 10.0
    width = length / cells
    dt = 0.318 * width / np.sqrt(G * depth)
    exact = 2 * length / np.sqrt(G * depth)
    x = (np.arange(cells) + 0.5) * width
    mode = np.cos(np.pi * x / length)
    domain = flat(cells, 3, width, depth)
    zeta = 0.01 * np.repeat(mode[:, None], 3, axis=1)
    run = Run(Setup(domain, dt, 1, drag=FRICTIONLESS, advection="none", zeta=zeta, **DEEP))
    volume = run.volume
    amplitude = []
    for _ in range(round(10 * exact / dt) + 8):
        run.steps(1)
        amplitude.append(2 / cells * np.sum(run.zeta[:, 1] * mode))
    amplitude = np.array([0.01, *amplitude])
    rising = np.nonzero((amplitude[:-1] < 0) & (amplitude[1:] >= 0))[0]
    crossings = rising + amplitude[rising] / (amplitude[rising] - amplitude[rising + 1])
    period = dt * (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    # All the energy is potential at the crests.
    energy = (np.abs(amplitude[-20:]).max() / 0.01) ** 2
    assert abs(run.volume / volume - 1) < 1e-14
    return period / exact - 1, energy


def test_the_period_of_a_seiche_converges_with_second_order():
    errors = [seiche(cells)[0] for cells in (50, 100)]
    assert errors[0] == pytest.approx(1.48e-4, rel=0.05)
    assert errors[1] == pytest.approx(3.70e-5, rel=0.05)
    assert 3.7 < errors[0] / errors[1] < 4.3


def test_a_seiche_without_friction_keeps_its_energy():
    assert abs(seiche(50)[1] - 1) < 1e-3


def test_wind_over_a_closed_basin_raises_the_exact_slope():
    cells, length, depth, stress = 100, 100e3, 10.0, 1e-4
    domain = flat(cells, 3, length / cells, depth)
    setup = Setup(domain, 30.0, 20, drag=LinearDrag(2e-3), stress=(stress, 0.0), **DEEP)
    run = Run(setup).steps(round(6 * 86400 / 600))
    x = (np.arange(cells) + 0.5) * length / cells
    # (H + zeta)² = 2 tau x / g + C, with C from the volume.
    low, high = 0.0, 2 * depth**2
    for _ in range(200):
        constant = 0.5 * (low + high)
        exact = np.sqrt(2 * stress * x / G + constant) - depth
        low, high = (constant, high) if exact.sum() < 0 else (low, constant)
    span = exact.max() - exact.min()
    assert span == pytest.approx(0.1009, rel=1e-3)
    assert np.abs(run.zeta[:, 1] - exact).max() < 1e-9 * span
    assert np.abs(run.U).max() < 1e-12


def test_a_tide_in_a_channel_co_oscillates_as_the_exact_solution_says():
    cells, length, depth, r, period, amplitude = 100, 200e3, 20.0, 2e-3, 44714.0, 0.1
    width = length / cells
    east = OpenBoundary("east", cells - 1, 0, 2)
    domain = flat(cells, 3, width, depth, open=(east,))
    omega, steps = 2 * np.pi / period, 400
    setup = Setup(
        domain,
        period / steps / 2,
        2,
        drag=LinearDrag(r),
        advection="none",
        tide=(Wave(omega, amplitude),),
        ramp=period,
        **DEEP,
    )
    run = Run(setup).steps(15 * steps)
    zeta, times = [], []
    for _ in range(20):
        run.steps(steps // 20)
        zeta.append(run.zeta[:, 1])
        times.append(run.simulation.time)
    zeta, times = np.array(zeta), np.array(times)
    sums = np.array([f @ zeta for f in (np.ones(20), np.cos(omega * times), np.sin(omega * times))])
    _, (found,) = harmonic_analysis(sums, [omega], times)
    k = np.sqrt((omega**2 - 1j * omega * r / depth) / (G * depth))
    x = (np.arange(cells) + 0.5) * width
    exact = amplitude * np.cos(k * x) / np.cos(k * x[-1])
    assert abs(exact[0]) / amplitude == pytest.approx(1.1275, abs=2e-3)
    assert np.abs(found - exact).max() < 0.01 * amplitude


@pytest.mark.slow
def test_stommels_gyre():
    n, length, depth, f, beta, r = 50, 1000e3, 200.0, 1e-4, 1e-11, 1e-6
    width = length / n
    domain = flat(n, n, width, depth, f=f, beta=beta)
    y = (np.arange(n) + 0.5) * width
    stress = np.broadcast_to(-1e-4 * np.cos(np.pi * y / length), (n, n))
    dt = 0.3 * width / np.sqrt(G * depth)
    setup = Setup(
        domain,
        dt,
        20,
        drag=LinearDrag(r * depth),
        advection="none",
        stress=(stress, 0.0),
        **DEEP,
    )
    run = Run(setup).steps(round(50 * 86400 / setup.macro_step))
    psi = np.concatenate([np.zeros((n + 1, 1)), np.cumsum(run.U, axis=1) * width], axis=1)
    at = np.arange(n + 1) * width
    force, kappa = 1e-4 * np.pi / length, np.pi / length
    roots = np.roots([1.0, beta / r, -(kappa**2)])
    a1, a2 = max(roots), min(roots)
    p = (1 - np.exp(a2 * length)) / (np.exp(a1 * length) - np.exp(a2 * length))
    shape = p * np.exp(a1 * at) + (1 - p) * np.exp(a2 * at) - 1
    exact = force / (r * kappa**2) * np.sin(np.pi * at / length)[None, :] * shape[:, None]
    extremum = np.unravel_index(np.abs(exact).argmax(), exact.shape)
    found = np.unravel_index(np.abs(psi).argmax(), psi.shape)
    assert abs(exact[extremum]) == pytest.approx(1.4447e7, rel=2e-3)
    assert abs(psi[found] / exact[extremum]) == pytest.approx(1.0, abs=0.02)
    assert max(abs(np.subtract(found, extremum))) <= 1
    assert np.linalg.norm(psi - exact) / np.linalg.norm(exact) < 0.02


def test_geostrophic_adjustment_of_a_step():
    depth, f, a, cells, per_period = 100.0, 1e-4, 0.1, 400, 100
    radius = np.sqrt(G * depth) / f
    width, dt = radius / 10, 2 * np.pi / f / per_period / 4
    domain = flat(cells, 2, width, depth, f=f, periodic=(False, True))
    x = (np.arange(cells) + 0.5 - cells / 2) * width
    zeta = np.repeat((a * np.sign(x))[:, None], 2, axis=1)
    run = Run(Setup(domain, dt, 4, drag=FRICTIONLESS, advection="none", zeta=zeta, **DEEP))
    run.steps(round(12 / f / (4 * dt)) - per_period)
    mean, current = 0.0, 0.0
    for _ in range(per_period):
        run.steps(1)
        mean, current = mean + run.zeta[:, 0] / per_period, current + run.V[:, 0] / per_period
    exact = a * np.sign(x) * (1 - np.exp(-np.abs(x) / radius))
    near = np.abs(x) < 4 * radius
    error = np.sqrt(np.mean((mean - exact)[near] ** 2))
    assert error < 0.01 * a
    assert np.abs(current / depth).max() == pytest.approx(G * a / (f * radius), rel=0.06)


def tidal_box(n, dt, amplitude=0.5, **more):
    """Return the setup of the box: closed but in the north, whose last row of cells is given."""
    domain = flat(n, n, 480e3 / n, 60.0, f=1.2e-4, open=(OpenBoundary("north", n - 1, 0, n - 1),))
    tide = (Wave(2 * np.pi / 43200.0, amplitude),)
    given = {"drag": LinearDrag(1e-3), "advection": "none", "ramp": 43200.0, **DEEP, **more}
    return Setup(domain, dt, 8, tide=tide, **given)


@pytest.mark.slow
def test_the_tide_of_a_rotating_box_agrees_with_its_equations_in_the_frequency_domain():
    n, dt = 60, 50.0
    run = Run(tidal_box(n, dt), threads=2)
    per_period = round(43200 / (8 * dt))
    run.steps(18 * per_period)
    omega, zeta, times = 2 * np.pi / 43200.0, [], []
    for _ in range(2 * 27):
        run.steps(per_period // 27)
        zeta.append(run.zeta)
        times.append(run.simulation.time)
    times = np.array(times)
    waves = [0 * times + 1, np.cos(omega * times), np.sin(omega * times)]
    _, (found,) = harmonic_analysis(np.tensordot(waves, zeta, 1), [omega], times)
    known = tide_in_frequency_domain(n)
    assert np.abs(found - known).max() < 0.01 * 0.5
    where = [np.unravel_index(np.abs(a[10:50, 10:50]).argmin(), (40, 40)) for a in (found, known)]
    assert np.abs(np.subtract(*where)).max() <= 1


def test_a_free_kelvin_wave_travels_along_the_coast():
    width, depth, f = 10e3, 60.0, 1e-4
    speed = np.sqrt(G * depth)
    radius = speed / f
    domain = flat(240, 80, width, depth, f=f)
    dt = 0.4 * width / speed
    x, y = (np.arange(240) + 0.5) * width, (np.arange(80) + 0.5) * width
    faces = np.arange(241) * width

    def wave(x, y):
        return 0.5 * np.exp(-(((x - 600e3) / 150e3) ** 2))[:, None] * np.exp(-y / radius)

    run = Run(
        Setup(domain, dt, 2, drag=FRICTIONLESS, advection="none", zeta=wave(x, y), **DEEP)
    ).start(U=speed * wave(faces - speed * dt / 2, y) * (np.abs(faces[:, None] - 1200e3) < 1200e3))
    steps = round(1000e3 / speed / (2 * dt))
    run.steps(steps)
    zeta, travelled = run.zeta, steps * 2 * dt * speed
    centre = np.sum(x * zeta[:, 0] ** 4) / np.sum(zeta[:, 0] ** 4)
    assert (centre - 600e3) / travelled == pytest.approx(1.0, abs=5e-3)
    assert zeta[:, 0].max() / (0.5 * np.exp(-y[0] / radius)) == pytest.approx(1.0, abs=0.015)
    crest = zeta[zeta[:, 0].argmax(), :40]
    assert -1 / np.polyfit(y[:40], np.log(crest), 1)[0] / radius == pytest.approx(1.0, abs=0.02)
    assert np.abs(run.V).max() / np.abs(run.U).max() < 5e-3


def bowl(n, face_depth="mean"):
    """Return Thacker's bowl with a planar surface, its period, and its exact elevation."""
    h0, a, sigma, size = 10.0, 80e3, 8e3, 200e3
    width = size / n
    at = (np.arange(n) + 0.5) * width - size / 2
    x, y = at[:, None], at[None, :]
    depth = h0 * (1 - (x**2 + y**2) / a**2)
    omega = np.sqrt(2 * G * h0) / a
    period = 2 * np.pi / omega

    def zeta(t):
        place = x * np.cos(omega * t) + y * np.sin(omega * t)
        return sigma * h0 / a**2 * (2 * place - sigma)

    domain = Domain(depth, (width, width), face_depth=face_depth)
    steps = 2 * np.ceil(period / 2 / (0.4 * width / np.sqrt(2 * G * h0)))
    dt = period / steps
    setup = Setup(domain, dt, 2, drag=FRICTIONLESS, zeta=zeta(0.0), drying=Drying(0.05, 0.1))
    # The transports are those of half a micro step before.
    u = -sigma * omega * np.sin(-omega * dt / 2)
    v = sigma * omega * np.cos(-omega * dt / 2)
    depth_u, depth_v = np.zeros((n + 1, n)), np.zeros((n, n + 1))
    total = zeta(0.0) + depth
    depth_u[1:-1] = 0.5 * (total[1:] + total[:-1])
    depth_v[:, 1:-1] = 0.5 * (total[:, 1:] + total[:, :-1])
    run = Run(setup).start(
        U=np.where(depth_u > 0.05, u * depth_u, 0.0), V=np.where(depth_v > 0.05, v * depth_v, 0.0)
    )
    return run, round(steps / 2), lambda t: np.maximum(zeta(t), 0.05 - depth), depth


def test_water_goes_round_in_a_bowl_that_dries():
    run, period, exact, depth = bowl(100)
    volume = run.volume
    run.steps(period)
    found, known = run.zeta, exact(run.simulation.time)
    deep = known + depth > 0.5
    assert np.sqrt(np.mean((found - known)[deep] ** 2)) < 0.025 * 2.0
    run.steps(2 * period)
    assert (run.zeta + depth).min() > 0.05 - 1e-12
    assert abs(run.volume / volume - 1) < 1e-13


def test_a_lake_at_rest_stays_at_rest():
    rng = np.random.default_rng(3)
    depth = 5.0 + 60.0 * rng.random((40, 30))
    depth[10:14, 8:12] = -2.0 - rng.random((4, 4))
    depth[25:30, 20:24] = np.nan
    run = Run(Setup(Domain(depth, (2e3, 2e3), f=1e-4), 20.0, 10)).steps(200)
    assert np.abs(run.U).max() == 0.0 == np.abs(run.V).max()


def test_open_boundaries_of_several_kinds_are_what_each_is_alone():
    def basin(west, east):
        open_sides = (
            OpenBoundary("west", 0, 0, 3, west),
            OpenBoundary("east", 19, 0, 3, east),
        )
        domain = flat(20, 4, 1000.0, 10.0, open=open_sides)
        setup = Setup(domain, 40.0, 2, tide=(Wave(2e-3, 0.5, -np.pi / 2),), drag=FRICTIONLESS)
        return Run(setup, target="numpy")

    mixed = basin("clamped", "zero-gradient").steps(30)
    time = 30 * 80.0
    assert mixed.zeta[0] == pytest.approx(np.full(4, 0.5 * np.cos(2e-3 * time + np.pi / 2)))
    assert mixed.zeta[-1] != pytest.approx(mixed.zeta[0], abs=1e-3)
    assert mixed.zeta[-1] == pytest.approx(mixed.zeta[-2], abs=0.1)
    both = basin("clamped", None).steps(30)
    assert both.zeta[-1] == pytest.approx(both.zeta[0])
    waves = basin("clamped", "flather").steps(30)
    assert waves.zeta[0] == pytest.approx(mixed.zeta[0])
    assert waves.zeta[-1] != pytest.approx(waves.zeta[0], abs=1e-3)


def through(layers=None, *, sides=("west", "east"), current=0.3, **more):
    """Return a frictionless channel along x through which the sea beyond flows."""
    ends = (OpenBoundary(sides[0], 0, 0, 3), OpenBoundary(sides[1], 19, 0, 3))
    domain = flat(20, 4, 1e3, 50.0, open=ends)
    rows = hc.Series([0.0, 1e6], np.full((2, 8), current))
    setup = Setup(
        domain,
        20.0,
        4,
        open_kind="flather",
        current=rows,
        drag=FRICTIONLESS,
        layers=layers,
        **more,
    )
    return Run(setup)


CARRIED = {"advection": "P2_PDM", "advection_splitting": "strang"}


@pytest.mark.parametrize(
    ("layers", "advection"),
    [
        (None, {"advection": "UPSTREAM"}),
        (None, CARRIED),
        pytest.param(Sigma(3), {"advection": "UPSTREAM"}, marks=pytest.mark.slow),
    ],
    ids=["UPSTREAM", "P2_PDM", "layers"],
)
def test_a_current_flows_through_open_sides_unchanged(layers, advection):
    run = through(layers, turbulence="constant" if layers else "k-epsilon", **advection)
    U = np.full_like(run.U, 0.3 * 50.0)
    U[[0, -1]] = 0.0
    run.start(U=U)
    if layers:
        columns = run.model.layers.columns["x"]
        columns.transport.set(np.repeat(U[..., np.newaxis], 3, axis=-1) / 3.0)
        columns.mean.set(U)
    run.steps(50)
    assert np.abs(run.U[1:-1] - 15.0).max() < 1e-10
    assert np.abs(run.zeta).max() < 1e-11


def test_water_at_rest_takes_up_the_current_of_the_sea_beyond():
    run = through(ramp=2000.0, advection="none").steps(400)
    assert run.U[1:-1] == pytest.approx(np.full((19, 4), 15.0), rel=1e-3)
    assert np.abs(run.zeta).max() < 1e-3
