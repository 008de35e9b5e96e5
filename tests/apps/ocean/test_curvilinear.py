"""Curvilinear grids: widths, exact waves and vortices, conservation, wind, and what is refused."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest
from basins import DEEP, FRICTIONLESS, Run, flat
from msgspec.structs import replace
from scipy.optimize import brentq
from scipy.special import iv, kv

import halocline as hc
from halocline.apps.ocean.diagnostics.output import output_fields
from halocline.apps.ocean.diagnostics.pictures import (
    Chart,
    Surface,
    draw_chart,
    draw_surface,
    map_of,
)
from halocline.apps.ocean.model import make_model
from halocline.apps.ocean.physics.equation_of_state import linear
from halocline.apps.ocean.setup.curvilinear import Curvilinear
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.limits import Limits
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError

G = 9.81
CELLS = (slice(1, None, 2), slice(1, None, 2))
U_POINTS, V_POINTS = (slice(0, None, 2), slice(1, None, 2)), (slice(1, None, 2), slice(0, None, 2))
VELOCITIES = {
    "UPSTREAM": {},
    "P2_PDM": {"advection": "P2_PDM", "advection_splitting": "strang"},
    "UPSTREAM in layers": {"layers": Sigma(3), "turbulence": "constant"},
    "P2_PDM in layers": {
        "layers": Sigma(3),
        "turbulence": "constant",
        "advection": "P2_PDM",
        "advection_splitting": "strang",
    },
}


class Ring:
    """A stretched grid between two circles, closed around them, and places of its points.

    Args:
        around: Cells along the circles.
        outward: Cells across them.
        inner: Radius of the inner circle [m].
        outer: Of the outer one [m].
        along: 'x' for x clockwise along the circles and y outward, 'y' for x outward.
    """

    def __init__(self, around, outward, inner, outer, along="x"):
        self.along = along
        t, s = np.linspace(0.0, 1.0, 2 * around + 1), np.linspace(0.0, 1.0, 2 * outward + 1)
        t = t + 0.1 * np.sin(2.0 * np.pi * t) / np.pi
        radius = inner + (outer - inner) * (s + 0.4 * s * (s - 1.0))
        angle = 2.0 * np.pi * (-t if along == "x" else t)
        places = np.meshgrid(angle, radius, indexing="ij")
        self.angle, self.radius = (p if along == "x" else p.T for p in places)

    def domain(self, depth, **more):
        """Return water of a constant depth in it."""
        x, y = self.radius * np.cos(self.angle), self.radius * np.sin(self.angle)
        grid = Curvilinear(x=x[::2, ::2], y=y[::2, ::2])
        periodic = (self.along == "x", self.along == "y")
        return Domain(np.full(grid.extent, depth), curvilinear=grid, periodic=periodic, **more)

    def at(self, points):
        """Return angle and radius of points, without those beyond the end that closes."""
        values = [places[points] for places in (self.angle, self.radius)]
        if self.along == "x" and points is U_POINTS:
            values = [v[:-1] for v in values]
        if self.along == "y" and points is V_POINTS:
            values = [v[:, :-1] for v in values]
        return values

    def transports(self, depth, radial, around):
        """Return U and V from functions of angle and radius, the velocities outward and around.

        'around' is positive counterclockwise.
        """
        at_u, at_v = self.at(U_POINTS), self.at(V_POINTS)
        if self.along == "x":
            return -depth(*at_u) * around(*at_u), depth(*at_v) * radial(*at_v)
        return depth(*at_u) * radial(*at_u), depth(*at_v) * around(*at_v)


class WaveInRing:
    """A free wave between two circles, linear, from Bessel functions; Kelvin waves among them.

    Z'' + Z'/r - (m² / r² + k²) Z = 0 with k² = (f² - omega²) / (g H), and no flow through walls:
    omega Z' = f m Z / r. So Z is a sum of I_m(k r) and K_m(k r), and omega follows.

    Args:
        fastest: Whether it is the wave with the highest omega, along the outer wall; or the lowest.
    """

    inner, outer, depth, f, m = 1e5, 2e5, 10.0, 2e-4, 2

    def __init__(self, *, fastest):
        tried = np.linspace(-0.999 * self.f, 0.999 * self.f, 999)
        found = [np.linalg.det(self._walls(omega)) for omega in tried]
        ends = [n for n in range(998) if found[n] * found[n + 1] < 0.0]
        omegas = [
            brentq(lambda omega: np.linalg.det(self._walls(omega)), tried[n], tried[n + 1])
            for n in ends
        ]
        assert len(omegas) == 2
        self.omega = max(omegas) if fastest else min(omegas)
        (a, b), _ = self._walls(self.omega)
        self.parts = np.array([1.0, -a / b])
        self.parts = self.parts / abs(self._shape(0.5 * (self.inner + self.outer))[0])

    def _k(self, omega):
        return np.sqrt((self.f**2 - omega**2) / (G * self.depth))

    def _functions(self, r, omega):
        m, k = self.m, self._k(omega)
        z = k * r
        values = iv(m, z), kv(m, z)
        slopes = k * (iv(m - 1, z) - m / z * values[0]), k * (-kv(m - 1, z) - m / z * values[1])
        return values, slopes

    def _walls(self, omega):
        rows = []
        for r in (self.inner, self.outer):
            values, slopes = self._functions(r, omega)
            rows.append([omega * s - self.f * self.m / r * v for v, s in zip(values, slopes)])
        return rows

    def _shape(self, r):
        values, slopes = self._functions(r, self.omega)
        return [sum(part * f for part, f in zip(self.parts, fs)) for fs in (values, slopes)]

    def at(self, angle, radius, time):
        """Return elevation, and velocity outward and counterclockwise, for an elevation of 1 m."""
        Z, slope = self._shape(radius)
        turning = np.exp(1j * (self.m * angle - self.omega * time))
        over_r, f, omega = self.m * Z / radius, self.f, self.omega
        radial = G * (1j * omega * slope - 1j * f * over_r) / (f * f - omega * omega)
        around = G * (f * slope - omega * over_r) / (f * f - omega * omega)
        return [np.real(part * turning) for part in (Z, radial, around)]


def error_of_wave(n, *, fastest, along):
    """Return the error of a wave after a third of its period, over its size, on 16 n x 32 n."""
    wave = WaveInRing(fastest=fastest)
    ring = Ring(32 * n, 16 * n, wave.inner, wave.outer, along)
    dt, size = 100.0 / n, 1e-6
    places = ring.at(CELLS)
    first = size * wave.at(*places, 0.0)[0]
    more = {"drag": FRICTIONLESS, "advection": "none", **DEEP}
    run = Run(Setup(ring.domain(wave.depth, f=wave.f), dt, 10, zeta=first, **more))
    # Transports are half a step behind elevations.
    radial, around = (lambda a, r, k=k: size * wave.at(a, r, -0.5 * dt)[k] for k in (1, 2))
    run.start(*ring.transports(lambda a, r: wave.depth, radial, around)).steps(20 * n)
    exact = size * wave.at(*places, 200 * n * dt)[0]
    return np.sqrt(np.mean((run.zeta - exact) ** 2) / np.mean(exact**2))


def order_of(errors):
    """Return the lowest order of accuracy of errors whose cells halve each time."""
    return float(np.log2(np.array(errors[:-1]) / errors[1:]).min())


def test_a_kelvin_wave_goes_round_a_ring():
    assert error_of_wave(1, fastest=True, along="x") < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("along", ["x", "y"])
@pytest.mark.parametrize("fastest", [True, False])
def test_waves_in_a_ring_are_of_second_order(fastest, along, record):
    begun = perf_counter()
    errors = [error_of_wave(n, fastest=fastest, along=along) for n in (1, 2, 4)]
    case = f"Kelvin wave in a ring, {'outer' if fastest else 'inner'} coast along {along}, 128 x 64"
    seconds = perf_counter() - begun
    record(case, "elevation, RMS over RMS", "Bessel functions", errors[-1], 0.002, seconds)
    short = 2.0 - order_of(errors)
    record(case, "2 - order of accuracy", "second order", short, 0.1, seconds)
    assert errors[-1] < 0.002
    assert short < 0.1


def drift_of_vortex(n, along, **how):
    """Return how much a vortex in balance changes in an hour, over what it is.

    Water that turns as a solid body, at half of the speed of the earth's turning: its surface is a
    paraboloid by the forces of Coriolis and of the curve that it follows, 1 to 2.
    """
    f, turning, depth = 1e-4, 5e-5, 20.0
    ring = Ring(24 * n, 8 * n, 1e4, 3e4, along)

    def zeta(angle, radius):
        return (turning**2 + f * turning) * (radius**2 - 4.5e8) / (2.0 * G)

    first = zeta(*ring.at(CELLS))
    setup = Setup(
        ring.domain(depth, f=f), 20.0 / n, 10, zeta=first, drag=FRICTIONLESS, **DEEP, **how
    )
    run = Run(setup)
    begun = ring.transports(
        lambda a, r: depth + zeta(a, r), lambda a, r: 0.0 * r, lambda a, r: turning * r
    )
    run.start(*begun)
    for axis, values in zip("xy", begun):
        if run.model.layers:
            columns = run.model.layers.columns[axis]
            columns.mean.set(values)
            columns.transport.set(np.repeat(values[..., None] / 3.0, 3, axis=-1))
    run.steps(18 * n)
    size = max(abs(values).max() for values in begun)
    return max(abs(a - b).max() for a, b in zip((run.U, run.V), begun)) / size


@pytest.mark.parametrize(("way", "along"), [("UPSTREAM", "x"), ("UPSTREAM in layers", "y")])
def test_a_vortex_stays_in_balance(way, along):
    assert drift_of_vortex(1, along, **VELOCITIES[way]) < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize(("way", "along"), [*zip(VELOCITIES, "xyxy")])
def test_the_balance_of_a_vortex_is_of_second_order(way, along, record):
    begun = perf_counter()
    drifts = [drift_of_vortex(n, along, **VELOCITIES[way]) for n in (1, 2, 4)]
    case = f"vortex in a ring, {way}, 96 x 32"
    seconds = perf_counter() - begun
    record(case, "drift in an hour, relative", "balance of forces", drifts[-1], 1e-4, seconds)
    short = 2.0 - order_of(drifts)
    record(case, "2 - order of accuracy", "second order", short, 0.2, seconds)
    assert drifts[-1] < 1e-4
    assert short < 0.2


def turning_of_straight_current(n, along):
    """Return how a straight current changes in a step by its advection, over u² / r."""
    ring, speed = Ring(32 * n, 16 * n, 1e4, 3e4, along), 1.0
    how = {"advection": "P2", "advection_splitting": "strang", "drag": FRICTIONLESS, **DEEP}
    run = Run(Setup(ring.domain(20.0), 1.0 / n, 1, **how))
    begun = ring.transports(
        lambda a, r: 20.0, lambda a, r: speed * np.cos(a), lambda a, r: -speed * np.sin(a)
    )
    run.start(*begun).steps(1)
    inner = (slice(None), slice(4 * n, -4 * n)) if along == "x" else (slice(4 * n, -4 * n),)
    rate = max(abs(a - b)[inner].max() for a, b in zip((run.U, run.V), begun)) * n / 20.0
    return rate / (speed**2 / 2e4)


@pytest.mark.parametrize("along", ["x", "y"])
def test_a_straight_current_stays_straight(along):
    # Without the turning of axes this were about 1.
    coarse, fine = (turning_of_straight_current(n, along) for n in (1, 2))
    assert coarse < 0.1
    assert fine < 0.4 * coarse


def channel(n, degrees):
    """Return the corners of a stretched channel that is turned, and places along and across it."""
    s, t = np.linspace(0.0, 1.0, 48 * n + 1), np.linspace(0.0, 1.0, 32 * n + 1)
    along = 4e5 * (s + 0.3 * np.sin(2.0 * np.pi * s) / (2.0 * np.pi))[:, None]
    across = 2e5 * (t + 0.4 * t * (t - 1.0))[None, :]
    turn = np.exp(1j * np.radians(degrees))
    place = (along + 1j * across) * turn
    return Curvilinear(x=place[::2, ::2].real, y=place[::2, ::2].imag), along, across


def error_in_channel(n, degrees=30.0):
    """Return the error of a Kelvin wave along a turned coast, over its size."""
    depth, f, size, dt = 10.0, 1e-4, 1e-6, 200.0 / n
    speed = np.sqrt(G * depth)
    grid, along, across = channel(n, degrees)

    def wave(points, time):
        x, y = along[points[0]], across[:, points[1]]
        return size * np.exp(-y * f / speed) * np.cos(2.0 * np.pi / 4e5 * (x - speed * time))

    domain = Domain(np.full(grid.extent, depth), curvilinear=grid, periodic=(True, False), f=f)
    more = {"drag": FRICTIONLESS, "advection": "none", **DEEP}
    run = Run(Setup(domain, dt, 10, zeta=wave(CELLS, 0.0), **more))
    u_points = (slice(0, -1, 2), U_POINTS[1])
    run.start(U=speed * wave(u_points, -0.5 * dt)).steps(10 * n)
    return abs(run.zeta - wave(CELLS, 100 * n * dt)).max() / size


def test_a_kelvin_wave_follows_a_turned_coast():
    assert error_in_channel(1) < 0.03


@pytest.mark.slow
def test_the_wave_along_a_turned_coast_is_of_second_order(record):
    begun = perf_counter()
    errors = [error_in_channel(n) for n in (1, 2, 4)]
    case, seconds = (
        "Kelvin wave along a coast turned by 30 degrees, 96 x 64",
        perf_counter() - begun,
    )
    record(case, "elevation, greatest over amplitude", "exact", errors[-1], 0.005, seconds)
    short = 2.0 - order_of(errors)
    record(case, "2 - order of accuracy", "second order", short, 0.2, seconds)
    assert errors[-1] < 0.005
    assert short < 0.2


def lake(**more):
    """Return water over a rough bed with coasts, on a part of a ring."""
    ring = Ring(24, 12, 1e4, 3e4)
    x, y = ring.radius * np.cos(ring.angle), ring.radius * np.sin(ring.angle)
    grid = Curvilinear(x=x[6:41:2, ::2], y=y[6:41:2, ::2])
    rng = np.random.default_rng(3)
    depth = 5.0 + 20.0 * rng.random(grid.extent)
    depth[3:6, 4:7] = np.nan
    return Domain(depth, curvilinear=grid, **more)


LAYERED = {
    "layers": Sigma(4, 1.0, 0.5),
    "turbulence": "constant",
    "mixing": 1e-3,
    "density": linear,
    "temperature": 10.0,
}


@pytest.mark.parametrize(
    "more", [{}, pytest.param({**LAYERED, "salinity": 34.0}, marks=pytest.mark.slow)]
)
def test_a_lake_at_rest_stays_there(more):
    run = Run(Setup(lake(f=1e-4), 5.0, 10, zeta=0.3, **more)).steps(5)
    assert abs(run.U).max() + abs(run.V).max() < 1e-12
    assert run.zeta[run.setup.domain.is_wet] == pytest.approx(0.3, abs=1e-13)


def test_volume_and_tracers_are_conserved():
    rng = np.random.default_rng(4)
    domain = lake(f=1e-4)
    salinity = 33.0 + rng.random((*domain.extent, 4))
    setup = Setup(
        domain,
        5.0,
        10,
        zeta=rng.random(domain.extent),
        stress=(1e-3, 5e-4),
        viscosity=20.0,
        salinity=salinity,
        diffusivity=50.0,
        **LAYERED,
    )
    run = Run(setup)
    layers, areas = run.model.layers, domain.areas[..., None]

    def amounts():
        volume = (run.zeta + domain.bed)[..., None] * areas * domain.is_wet[..., None]
        fraction = layers.fraction.gather()
        return volume.sum(), (volume * fraction * layers.tracers[1].gather()).sum()

    before = amounts()
    run.steps(10)
    assert amounts() == pytest.approx(before, rel=1e-13)
    assert np.ptp(run.V) > 1.0
    assert np.ptp(layers.tracers[0].gather()[domain.is_wet]) < 1e-12


def test_wind_is_turned_to_the_axes_of_a_grid():
    domain = lake(rotation=None)
    turned = replace(domain, rotation=np.degrees(domain.angle) + 90.0)
    first, second = (
        Run(Setup(d, 5.0, 4, stress=stress)).steps(3)
        for d, stress in ((domain, (1e-3, 5e-4)), (turned, (-5e-4, 1e-3)))
    )
    for one, other in ((first.U, second.U), (first.V, second.V)):
        assert np.abs(one - other).max() < 1e-12
    # The wind blows along x of the plane where the axes are turned by 90 degrees against it.
    grid = domain.curvilinear
    i, j = np.unravel_index(abs(grid.rotation - 90.0).argmin(), domain.extent)
    force = first.model.forcing.wind
    assert domain.angle[i, j] == pytest.approx(np.pi / 2, abs=0.2)
    assert force["y"].gather()[i, j] < 0.0


def test_velocities_in_files_are_along_east_and_north():
    plain = flat(6, 5, 1e3, 10.0)
    turned = replace(plain, rotation=30.0)
    shown = []
    for domain in (plain, turned):
        model = make_model(Setup(domain, 10.0, 1))
        of = output_fields(model)
        simulation = hc.Simulation(model.grid, [*of.refresh], threads=1)
        model.U.set(2.0), model.V.set(1.0)
        simulation.run(1, progress=False)
        shown.append([q.of_grid.gather()[2, 2] for q in of.quantities])
    (_, x, y), (_, east, north) = shown
    assert east + 1j * north == pytest.approx((x + 1j * y) * np.exp(1j * np.pi / 6), rel=1e-12)
    names = [q.standard_name for q in of.quantities]
    assert names[1] == "barotropic_eastward_sea_water_velocity"
    rotation = next(c for c in of.constants if c.name == "rotation")
    assert rotation.standard_name == "angle_of_rotation_from_east_to_x"


def error_of_zonal_flow(rows, **velocities):
    """Return the greatest current along y [m/s] of a zonal flow that balances its surface.

    On the sphere u = u0 cos(latitude), and g zeta = -(R Omega u0 + u0²/2) sin(latitude)².
    Source: Williamson et al. 1992, test case 2.
    """
    radius, rotation, u0, width = 6_371_000.0, 7.2921e-5, 20.0, 30.0 / rows
    latitude = np.radians(30.0 + width * (np.arange(rows) + 0.5))
    zeta = -(radius * rotation * u0 + 0.5 * u0**2) * np.sin(latitude) ** 2 / G
    zeta = np.tile(zeta - zeta.mean(), (4, 1))
    depth = np.full((4, rows), 3000.0)
    domain = Domain(depth, (width, width), (0.0, 30.0), is_spherical=True, periodic=(True, False))
    limits = Limits(elevation=(-1e3, 1e3), velocity=(-40.0, 40.0))
    steps = 2 * rows
    setup = Setup(
        domain, 8000.0 / steps, 1, zeta=zeta, limits=limits, drag=FRICTIONLESS, **velocities, **DEEP
    )
    run = Run(setup)
    flow = (depth + zeta) * u0 * np.cos(latitude)
    run.start(U=flow)
    if setup.layers:
        x = run.model.layers.columns["x"]
        x.transport.set(flow[..., None] * setup.layers.fractions)
        x.mean.set(flow)
    run.steps(steps)
    return np.abs(run.V).max() / 3000.0


def test_a_zonal_flow_on_a_sphere_stays_in_balance():
    """Without the force of turning axes, up to 6e-5 m/s² here, it has 0.21 m/s."""
    assert error_of_zonal_flow(20) < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("way", VELOCITIES)
def test_the_balance_of_a_zonal_flow_is_of_second_order(way, record):
    begun = perf_counter()
    errors = [error_of_zonal_flow(rows, **VELOCITIES[way]) for rows in (20, 40, 80)]
    case, seconds = f"zonal flow on a sphere, {way}, 80 rows", perf_counter() - begun
    record(case, "current across, over 20 m/s", "balance of forces", errors[-1] / 20, 1e-5, seconds)
    short = 2.0 - order_of(errors)
    record(case, "2 - order of accuracy", "second order", short, 0.1, seconds)
    assert errors[-1] / 20 < 1e-5
    assert short < 0.1


def test_meridians_and_parallels_as_curves_are_a_sphere():
    even = Domain(np.full((12, 9), 30.0), (0.05, 0.03), (5.0, 54.0), is_spherical=True)
    longitude, latitude = 5.0 + 0.05 * np.arange(13)[:, None], 54.0 + 0.03 * np.arange(10)[None]
    corners = np.broadcast_arrays(longitude, latitude)
    curved = Domain(even.depth, curvilinear=Curvilinear(longitude=corners[0], latitude=corners[1]))
    for name in ("dx", "dx_v", "dy"):
        wanted, found = getattr(even.metric, name), getattr(curved.metric, name)
        assert np.abs(found / wanted - 1.0).max() < 1e-6
    assert curved.coriolis("y") == pytest.approx(
        np.broadcast_to(even.coriolis("y"), (12, 10)), rel=1e-6
    )
    assert np.degrees(curved.angle) == pytest.approx(np.zeros((12, 9)), abs=0.03)
    assert curved.middles[0] == pytest.approx(np.broadcast_to(even.middles[0], (12, 9)), abs=1e-6)


X, Y = np.meshgrid(1e3 * np.arange(5), 1e3 * np.arange(4), indexing="ij")


def moved(i, j, x, y):
    """Return corners of squares, one of which lies elsewhere."""
    a, b = X.copy(), Y.copy()
    a[i, j], b[i, j] = x, y
    return {"x": a, "y": b}


@pytest.mark.parametrize(
    ("corners", "message"),
    [
        ({}, "was given no corners; expected 'x' and 'y' in m, 'longitude' and 'latitude'"),
        ({"x": X}, "was given 'x' alone; expected 'x' and 'y'"),
        ({"x": X, "y": Y.T}, r"have the shapes 'x' \(5, 4\), 'y' \(4, 5\); expected one shape"),
        ({"x": X, "y": Y, "longitude": X, "latitude": Y}, "'longitude' was given .* up to 540"),
        (
            {"x": X[:-1], "y": Y[:-1]},
            "has the corners of 3 x 3 cells, but the bathymetry has 4 x 3",
        ),
        (
            moved(2, 1, np.nan, 1e3),
            r"'x' has no number at corners of cell \(1, 0\), which has water",
        ),
        (
            moved(2, 1, 4.2e3, 2.5e3),
            r"Cell \(1, 1\) of the curvilinear grid is folded or has no area",
        ),
        (moved(2, 1, 1e3, 1e3), r"Cell \(1, 0\) of the curvilinear grid is folded or has no area"),
        ({"x": -X, "y": Y}, "grid is mirrored: y lies to the right of x in all cells"),
        ({"x": X + 0.2 * Y, "y": Y}, r"cell \(0, 0\) of the curvilinear grid meet at 78.7 degrees"),
        (
            {"x": X, "y": Y, "longitude": 5.0 + 1e-4 * X, "latitude": 54.0 + 1e-4 * Y},
            "are 1000 m wide along x by 'x' and 'y', and .* m by 'longitude' and 'latitude'",
        ),
    ],
)
def test_corners_that_cannot_be(corners, message):
    with pytest.raises(CaseError, match=message):
        Domain(np.full((4, 3), 10.0), curvilinear=Curvilinear(**corners))


def test_corners_on_land_may_be_missing():
    depth = np.full((4, 3), 10.0)
    depth[0, 0] = np.nan
    domain = Domain(depth, curvilinear=Curvilinear(**moved(0, 0, np.nan, np.nan)))
    assert all(np.isfinite(widths).all() for widths in domain.metric)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"spacing": (1e3, 1e3)}, "'spacing' was given beside 'curvilinear'"),
        ({"origin": (1e3, 0.0)}, "'origin' was given beside 'curvilinear'"),
        ({"is_spherical": True}, "'is_spherical' was given beside 'curvilinear'"),
        ({"beta": 1e-11}, "'beta' was given beside 'curvilinear'"),
        ({"curvilinear": X}, "'curvilinear' was given .*; expected the corners of cells"),
        ({"curvilinear": None}, "was given neither 'spacing' nor 'curvilinear'"),
        ({"rotation": 400.0}, "'rotation' was given 400.0; expected degrees up to 360"),
        ({"rotation": np.zeros(3)}, "'rotation' was given .* the shape"),
        (
            {"periodic": (False, True), "curvilinear": Curvilinear(x=X, y=Y * (1 + 1e-5 * X))},
            "ends lie up to",
        ),
    ],
)
def test_domains_that_cannot_be_curvilinear(more, message):
    given = {"curvilinear": Curvilinear(x=X, y=Y), **more}
    with pytest.raises(CaseError, match=message):
        Domain(np.full((4, 3), 10.0), **given)


@pytest.mark.parametrize("on_earth", [False, True])
def test_maps_show_cells_where_they_are(tmp_path, on_earth):
    domain = lake()
    grid = domain.curvilinear
    if on_earth:
        grid = Curvilinear(longitude=7.0 + grid.x / 111e3 / 0.6, latitude=53.1 + grid.y / 111e3)
        domain = Domain(np.full(grid.extent, 20.0), curvilinear=grid)
    where = map_of(domain)
    assert where.is_spherical == on_earth
    x = grid.longitude if on_earth else grid.x / 1e3
    assert where.extent[:2] == (x.min(), x.max())
    assert where.every(3)[0].shape == (4, 6)
    zeta = np.where(domain.is_wet, 1.0, np.nan)
    draw_surface(Surface("lake", where, zeta, zeta, zeta), [], tmp_path / "lake.png")
    draw_chart(Chart("tide", where, zeta * np.exp(1j * grid.middles[0])), tmp_path / "tide.png")
    assert (tmp_path / "lake.png").stat().st_size > 10_000
