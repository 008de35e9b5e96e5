"""Velocities carried by currents: errors that others found for tracers, content, lakes at rest."""

from __future__ import annotations

import numpy as np
import pytest
from basins import DEEP, FRICTIONLESS, Run
from published_advection import ONE_REVOLUTION, ONE_TURN

import halocline as hc
from halocline.apps.ocean.numerics.advection import Advection
from halocline.apps.ocean.numerics.limiters import SCHEMES
from halocline.apps.ocean.numerics.metric import EARTH_RADIUS, as_fields, cartesian, spherical
from halocline.apps.ocean.numerics.sides import bounded
from halocline.apps.ocean.numerics.tracer_flow import Flow
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma

LIMITED = ("SUPERBEE", "MUSCL", "P2_PDM")
SPLITTINGS = ("unsplit", "full", "strang", "flux_corrected")
LENGTH, SPEED, ACROSS = 1000.0, 2.0, 4


def rough(shape, seed=2):
    """Return numbers between 0 and 1."""
    return np.random.default_rng(seed).random(shape)


def jet(n, scheme, profile, *, axis="x", splitting="unsplit", layers=0, micro_steps=1, **more):
    """Return a current across a uniform one that has carried it once around a periodic channel.

    Macro steps have a Courant number of 0.4; nothing but advection changes anything.
    """
    width, is_x = LENGTH / n, axis == "x"

    def turned(values):
        return values if is_x else values.T

    domain = Domain(
        turned(np.ones((n, ACROSS))),
        (width, 1e3) if is_x else (1e3, width),
        periodic=(True, True),
    )
    given = {"advection": scheme, "advection_splitting": splitting, "drag": FRICTIONLESS, **DEEP}
    given |= more
    if layers:
        given |= {"layers": Sigma(layers), "turbulence": "constant"}
    step = 0.4 * width / SPEED
    run = Run(Setup(domain, step / micro_steps, micro_steps, **given))
    across = np.repeat(profile[:, None], ACROSS, axis=1)
    along = np.full_like(across, SPEED)
    flows = dict(zip("xy" if is_x else "yx", (turned(along), turned(across))))
    if layers:
        for name, columns in run.model.layers.columns.items():
            columns.transport.set(flows[name][..., None] * run.setup.layers.fractions)
            columns.mean.set(flows[name])
    run.start(U=flows["x"], V=flows["y"]).steps(round(LENGTH / SPEED / step))
    found = dict(zip("xy", (run.U, run.V)))
    assert np.array_equal(found[axis], flows[axis])
    return turned(found["y" if is_x else "x"])[:, 0]


def profiles(n):
    """Return a smooth current, and one in a band [m/s]."""
    x = (np.arange(n) + 0.5) / n
    return 2 + np.sin(2 * np.pi * x), 1.0 * (abs(x - 0.5) < 0.15)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("given", [{}, {"axis": "y", "splitting": "full"}, {"layers": 2}])
def test_a_jet_that_was_carried_around_has_the_errors_of_the_table(scheme, given):
    errors = []
    for first in profiles(50):
        found = jet(50, scheme, first, **given)
        errors.append(abs(found - first).mean())
        if scheme in LIMITED:
            assert first.min() - 1e-13 <= found.min() <= found.max() <= first.max() + 1e-13
    assert errors == pytest.approx(ONE_REVOLUTION[scheme], rel=0.02)


def test_layers_are_carried_by_their_own_scheme_whatever_that_of_the_mean_is():
    """In macro steps of one micro step the mean follows them."""
    profile, given = rough(20), {"layers": 2, "splitting": "full"}
    expected = jet(20, "SUPERBEE", profile, **given)
    layers = {"layer_advection": "SUPERBEE", "layer_advection_splitting": "full"}
    assert jet(20, "UPSTREAM", profile, layers=2, **layers) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scheme", ["UPSTREAM", "P2_PDM"])
def test_micro_steps_under_layers_keep_the_order_of_a_scheme(scheme):
    """Upstream they take away two thirds more, as all short steps do."""
    errors = []
    for n in (25, 50):
        first, _ = profiles(n)
        found = jet(n, scheme, first, layers=2, micro_steps=4)
        errors.append(abs(found - first).mean())
        assert found.max() <= first.max()
    order = np.log2(errors[0] / errors[1])
    assert order > 1.9 if scheme == "P2_PDM" else order < 1.0


# --- A velocity carried by any flow ---------------------------------------------------------------


class Carrying:
    """A velocity at points of an axis, and what flows around it.

    Args:
        grid: Of its fields.
        metric: Lengths.
        axis: That of the velocity.
        p: Transport through U points.
        q: Through V points.
        depths: Before and after, at the points of the velocity.
    """

    def __init__(self, grid, metric, axis, p, q, depths):
        self.grid, self.metric, place = grid, metric, f"{axis}_face"
        names = dict.fromkeys(("before", "after", "depth_u", "depth_v", "velocity"), place)
        fields = {
            name: grid.field(name, location=at)
            for name, at in {"p": "x_face", "q": "y_face", **names}.items()
        }
        values = (p, q, *depths, depths[1], depths[1])
        for name, value in zip(("p", "q", "before", "after", "depth_u", "depth_v"), values):
            fields[name].set(value)
        self.velocity = fields.pop("velocity")
        for field in (*fields.values(), self.velocity):
            bounded(field, is_flow=field.name in "pq")
        self.flow = Flow(**fields, around=axis)

    def carried(self, values, scheme, dt, *, steps=1, way="strang"):
        """Return the velocity after so many steps."""
        self.velocity.set(values)
        moves = getattr(Advection(self.flow, self.metric, dt, scheme), way)(self.velocity)
        hc.Simulation(self.grid, [*moves], check_every=0).run(steps, progress=False)
        return self.velocity.gather()


@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_body_that_turns_has_the_errors_of_the_table_at_velocity_points(scheme, axis):
    n = 100
    corner = np.arange(n) / n - 0.5
    psi = np.pi * np.minimum(corner[:, None] ** 2 + corner**2, 0.25)
    at = {"x": (np.arange(n) + (0.5 if axis == "y" else 0.0)) / n}
    at["y"] = (np.arange(n) + (0.5 if axis == "x" else 0.0)) / n
    x, y = np.meshgrid(at["x"], at["y"], indexing="ij")
    r = np.hypot(x - 0.5, y - 0.25)
    bell = np.where(r < 0.15, 0.5 * (1 + np.cos(np.pi * r / 0.15)), 0.0)
    p = -n * np.diff(psi, axis=1, append=psi[:, :1])
    q = n * np.diff(psi, axis=0, append=psi[:1])
    grid = hc.Grid((n, n), periodic=True, spacing=1 / n)
    turning = Carrying(grid, cartesian(1 / n, 1 / n), axis, p, q, (1.0, 1.0))
    found = turning.carried(bell, scheme, 1 / 623, steps=623)
    error = found - bell
    l2 = np.sqrt((error**2).sum() / (bell**2).sum())
    of_bell = abs(error).sum() / bell.sum(), l2, found.max()
    assert of_bell == pytest.approx(ONE_TURN[scheme][0], rel=0.06)
    assert abs(found.sum() / bell.sum() - 1) <= 1e-14
    if scheme in LIMITED:
        assert found.min() >= -1e-15


@pytest.mark.parametrize("way", SPLITTINGS)
@pytest.mark.parametrize("axis", ["x", "y"])
def test_what_is_carried_on_a_sphere_is_neither_lost_nor_made_up(axis, way):
    nx, ny, dt = 14, 12, 60.0
    degree = np.pi / 180 * EARTH_RADIUS
    dy = 0.01 * degree
    dx = dy * np.cos(np.radians(60 + 0.01 * (np.arange(ny) + 0.5)))
    dx_v = dy * np.cos(np.radians(60 + 0.01 * np.arange(ny + 1)))
    p, q = rough((nx, ny), 5) - 0.5, rough((nx, ny + 1), 6) - 0.5
    p[:, :2] = p[:, -2:] = q[:, :3] = q[:, -3:] = 0.0
    if axis == "x":
        east = 0.5 * (p + np.roll(p, -1, 0)) * dy  # through the middles of cells
        north = 0.5 * (q + np.roll(q, 1, 0)) * dx_v  # through corners
        out, area = east - np.roll(east, 1, 0) + np.diff(north, axis=1), dx * dy
    else:
        east, north, area = np.zeros((nx, ny + 1)), 0.5 * (q[:, 1:] + q[:, :-1]) * dx, dx_v * dy
        east[:, 1:-1] = 0.5 * (p[:, 1:] + p[:, :-1]) * dy  # through corners
        out = np.roll(east, -1, 0) - east
        out[:, 1:-1] += np.diff(north, axis=1)
    before = 9.0 + rough(out.shape, 7)
    after = before - dt * out / area
    grid = hc.Grid((nx, ny), periodic=(True, False), spacing=0.01, origin=(0.0, 60.0))
    carrying = Carrying(
        grid,
        as_fields(grid, spherical(grid.spacing[:2], grid.origin[1], grid.extent[1])),
        axis,
        p,
        q,
        (before, after),
    )
    first = rough(out.shape, 8)
    found = carrying.carried(first, "P2_PDM", dt, way=way)
    assert abs(found - first).max() > 1e-3
    # The outermost V points are closed, and not stepped.
    inner = np.s_[:, 1:-1] if axis == "y" else np.s_[:, :]
    begun, ended = (first * before * area)[inner], (found * after * area)[inner]
    assert ended.sum() == pytest.approx(begun.sum(), rel=1e-14)
    assert (carrying.carried(np.full(out.shape, 0.7), "P2", dt, way=way)[inner] == 0.7).all()


# --- The whole model ------------------------------------------------------------------------------


@pytest.mark.parametrize("splitting", SPLITTINGS)
@pytest.mark.parametrize("layers", [0, 3])
def test_no_momentum_is_lost_in_a_periodic_sea_of_constant_depth(splitting, layers):
    n = 16
    domain = Domain(np.full((n, n), 10.0), (500.0, 400.0), periodic=(True, True))
    given = {}
    if layers:
        # The damping of waves beside layers takes momentum out where depths differ.
        given = {"layers": Sigma(layers), "turbulence": "constant", "mode_splitting": "getm"}
    setup = Setup(
        domain,
        10.0,
        4,
        zeta=rough((n, n)),
        drag=FRICTIONLESS,
        advection="P2_PDM",
        advection_splitting=splitting,
        **given,
        **DEEP,
    )
    run = Run(setup).start(U=5 + rough((n, n), 3), V=rough((n, n), 4) - 3)
    first = run.U.sum(), run.V.sum()
    before = run.U
    run.steps(50)
    assert abs(run.U - before).max() > 0.1
    assert (run.U.sum(), run.V.sum()) == pytest.approx(first, rel=1e-12)


@pytest.mark.parametrize("splitting", SPLITTINGS)
def test_a_lake_at_rest_with_an_island_and_flats_stays_at_rest(splitting):
    depth = 5.0 + 60.0 * rough((20, 15))
    depth[10:14, 8:12] = -2.0 - rough((4, 4))
    depth[15:18, 2:5] = np.nan
    domain = Domain(depth, (2e3, 2e3), f=1e-4)
    run = Run(Setup(domain, 20.0, 10, advection="SUPERBEE", advection_splitting=splitting))
    run.steps(20)
    assert np.abs(run.U).max() == 0.0 == np.abs(run.V).max()
