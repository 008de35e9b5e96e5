"""The mode of layers: what must be exact, and where the exact answer is known."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from basins import DEEP, FRICTIONLESS, G, Run, flat

from halocline.apps.ocean.physics.equation_of_state import linear
from halocline.apps.ocean.physics.tides import Wave
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError

BY_TEMPERATURE = partial(linear, reference=1025.0, at=(10.0, 33.75))


def stratified(x, y, z):
    """Return a temperature that falls downwards, and from the left to the right."""
    return 10.0 + 0.1 * z + 2e-5 * x + 0.0 * y


def sloshing(*, closed_with_flats=False, **more):
    """Return a basin whose surface and layers are out of balance."""
    nx, ny = 24, 18
    x, y = np.arange(nx)[:, None], np.arange(ny)[None, :]
    depth = 8.0 + 6.0 * np.sin(x / 5.0) * np.cos(y / 4.0)
    depth[6:9, 5:9] = np.nan
    if closed_with_flats:
        depth[15:, 10:] = np.linspace(1.0, -1.5, 8)
    domain = Domain(depth, (500.0, 400.0), f=1e-4)
    zeta = 0.6 * np.cos(np.pi * x / nx) + 0.3 * np.cos(np.pi * y / ny)
    given = {
        "temperature": stratified,
        "salinity": 35.0,
        "density": BY_TEMPERATURE,
        "stress": (2e-4, -1e-4),
        "layers": Sigma(6, 1.0, 1.0),
        **more,
    }
    return Setup(domain, 8.0, 5, zeta=zeta, **given)


@pytest.fixture(scope="module")
def flats():
    """A run over flats that dry."""
    return Run(sloshing(closed_with_flats=True)).steps(150)


def layers_of(run, name):
    """Return the values of a field of layers."""
    return getattr(run.model.layers, name).gather()


def test_transports_of_layers_add_up_to_the_mean_transport_of_micro_steps(flats):
    for axis in ("x", "y"):
        columns = flats.model.layers.columns[axis]
        total, mean = columns.transport.gather().sum(axis=2), columns.mean.gather()
        assert np.abs(mean).max() > 0.1
        assert np.abs(total - mean).max() < 1e-12 * np.abs(mean).max()


def test_nothing_passes_the_surface(flats):
    """What continuity leaves for the face above the highest layer is rounding."""
    run, layers = flats, flats.model.layers
    p, q = (layers.columns[axis].transport.gather() for axis in ("x", "y"))
    dx, dy = run.setup.domain.spacing
    fractions = run.setup.layers.fractions
    growth = (layers.after.gather() - layers.before.gather()) / run.setup.macro_step
    outflow = np.diff(p, axis=0) / dx + np.diff(q, axis=1) / dy
    through = layers_of(run, "w")[..., -2] - growth * fractions[-1] - outflow[..., -1]
    assert np.abs(layers_of(run, "w")).max() > 1e-4
    assert np.abs(through[run.setup.domain.is_wet]).max() < 1e-12


def test_a_constant_tracer_stays_constant_where_water_comes_and_goes(flats):
    salinity = flats.model.layers.tracers[1].gather()[flats.setup.domain.is_wet]
    assert np.abs(salinity - 35.0).max() < 1e-11
    assert (flats.zeta + flats.setup.domain.bed)[flats.setup.domain.is_wet].min() >= 0.05 - 1e-12


def test_the_content_of_a_closed_basin_does_not_change():
    run = Run(sloshing())
    run.steps(1)

    def content():
        depth = run.model.layers.after.gather()[..., None] * run.setup.layers.fractions
        values = run.model.layers.tracers[0].gather()
        return float(np.sum((depth * values)[run.setup.domain.is_wet]))

    first, volume = content(), run.volume
    before = run.model.layers.tracers[0].gather()
    run.steps(200)
    assert np.abs(run.model.layers.tracers[0].gather() - before).max() > 0.1
    assert abs(content() / first - 1) < 1e-12
    assert abs(run.volume / volume - 1) < 1e-13


def test_limited_advection_makes_no_new_extremum(flats):
    temperature = flats.model.layers.tracers[0].gather()[flats.setup.domain.is_wet]
    first = Run(sloshing(closed_with_flats=True)).model.layers.tracers[0].gather()
    first = first[flats.setup.domain.is_wet]
    assert first.min() - 1e-10 <= temperature.min() <= temperature.max() <= first.max() + 1e-10


def test_layers_of_equal_density_at_rest_stay_at_rest_over_any_bed():
    rng = np.random.default_rng(3)
    depth = 5.0 + 60.0 * rng.random((20, 16))
    depth[5:8, 5:8] = -1.0
    depth[12:15, 9:12] = np.nan
    setup = Setup(
        Domain(depth, (2e3, 2e3), f=1e-4),
        20.0,
        10,
        layers=Sigma(8),
        temperature=12.0,
        density=BY_TEMPERATURE,
    )
    run = Run(setup).steps(50)
    for columns in run.model.layers.columns.values():
        # Diffusion rounds what is constant.
        assert np.abs(columns.transport.gather()).max() < 1e-13


def test_wind_turns_the_current_as_ekman_says():
    f, tau, nu, depth = 1e-4, 1e-4, 1e-2, 200.0
    domain = flat(2, 2, 1e4, depth, f=f, periodic=(True, True))
    period = 2 * np.pi / f
    setup = Setup(
        domain,
        period / 1200,
        2,
        drag=FRICTIONLESS,
        layers=Sigma(40, 0.0, 2.0),
        turbulence="constant",
        mixing=nu,
        stress=(tau, 0.0),
        advection="none",
        **DEEP,
    )
    run = Run(setup).steps(9 * 600)
    mean = np.zeros(40, complex)
    for _ in range(100):
        run.steps(6)
        u, v = (run.model.layers.columns[a].transport.gather()[0, 0] for a in ("x", "y"))
        mean += (u + 1j * v) / 100
    current = mean / (depth * setup.layers.fractions)
    z = -depth * (1 - np.cumsum(setup.layers.fractions) + 0.5 * setup.layers.fractions)
    scale = np.sqrt(2 * nu / f)
    exact = tau / np.sqrt(nu * f) * np.exp((1 + 1j) * z / scale - 0.25j * np.pi)
    assert np.abs(current - exact).max() < 0.03 * np.abs(exact).max()
    assert mean.sum() == pytest.approx(-1j * tau / f, abs=0.01 * tau / f)


@pytest.mark.slow
def test_an_internal_seiche_has_the_period_of_two_layers():
    """Two layers under a surface nearly at rest: T = 2 L / c, c² = g' h1 h2 / (h1 + h2)."""
    cells, length, depth = 40, 20e3, 20.0
    width = length / cells
    x = (np.arange(cells) + 0.5) * width
    displacement = 0.5 * np.cos(np.pi * x / length)

    def temperature(x, y, z):
        interface = -10.0 + displacement[:, None, None]
        return 10.0 + 5.0 * np.tanh((z - interface) / 1.0) + 0.0 * y

    domain = flat(cells, 3, width, depth)
    setup = Setup(
        domain,
        15.0,
        6,
        drag=FRICTIONLESS,
        layers=Sigma(40),
        turbulence="constant",
        temperature=temperature,
        density=BY_TEMPERATURE,
        advection="none",
        **DEEP,
    )
    run = Run(setup)
    amplitude, times = [], []
    for _ in range(220):
        run.steps(4)
        heat = run.model.layers.tracers[0].gather()[:, 1].mean(axis=1)
        amplitude.append(np.sum(heat * np.cos(np.pi * x / length)))
        times.append(run.simulation.time)
    amplitude = np.array(amplitude)
    falls = np.nonzero((amplitude[:-1] > 0) != (amplitude[1:] > 0))[0]
    half = np.mean(np.diff([times[n] for n in falls])) if len(falls) > 1 else times[falls[0]] * 2
    reduced = G * 0.17 * 10.0 / 1025.0
    exact = 2 * length / np.sqrt(reduced * 10.0 * 10.0 / 20.0)
    # The interface is a few layers thick, which slows it down.
    assert 2 * half == pytest.approx(exact, rel=0.06)


@pytest.mark.parametrize("splitting", ["full", "flux_corrected"])
def test_any_splitting_keeps_a_constant(splitting):
    run = Run(sloshing(splitting=splitting)).steps(20)
    salinity = run.model.layers.tracers[1].gather()[run.setup.domain.is_wet]
    assert np.abs(salinity - 35.0).max() < 1e-11


def test_open_cells_keep_what_the_sea_beyond_brings():
    domain = flat(12, 10, 500.0, 10.0, open=(OpenBoundary("west", 0, 0, 9),))
    given = {"temperature": 10.0, "layers": Sigma(4), "tide": (Wave(2e-3, 0.5),)}
    run = Run(Setup(domain, 10.0, 6, **given))
    for _ in range(5):
        run.steps(3)
        assert np.abs(run.model.layers.tracers[0].gather() - 10.0).max() < 1e-12
    assert np.abs(run.model.layers.columns["x"].transport.gather()).max() > 1e-2


def test_a_sponge_draws_tracers_to_what_they_were():
    domain = flat(12, 10, 500.0, 10.0, open=(OpenBoundary("west", 0, 0, 9),))
    given = {"temperature": 10.0, "layers": Sigma(4), "turbulence": "constant"}
    run = Run(Setup(domain, 10.0, 6, sponge=4, **given))
    tracer = run.model.layers.tracers[0]
    tracer.set(20.0)
    run.steps(1)
    drawn = (20.0 - tracer.gather()[:6, 5, 2]) / 10.0
    assert np.allclose(drawn, [1.0, 0.5625, 0.25, 0.0625, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scheme": "P2_PMD"}, "'scheme' was given 'P2_PMD'; expected one of: UPSTREAM, P2,"),
        ({"splitting": "half"}, "'splitting' was given 'half'; expected one of: strang, full,"),
        (
            {"advection": "upstream"},
            "'advection' was given 'upstream'; expected one of: none, UPST",
        ),
        ({"layer_advection": "upst"}, "'layer_advection' was given 'upst'; expected one of: none"),
        ({"layer_advection": "none"}, "and 'advection' 'UPSTREAM'; expected 'none' for both, or"),
        ({"advection_splitting": "half"}, "'advection_splitting' was given 'half'; expected one"),
        ({"open_kind": "clamp"}, "'open_kind' was given 'clamp'; expected one of: clamped,"),
    ],
)
def test_choices_that_there_are_not_are_refused(given, message):
    with pytest.raises(CaseError) as error:
        Setup(flat(4, 4, 1e3, 10.0), 10.0, **given)
    assert message in str(error.value)


def test_a_micro_step_beyond_the_limit_is_refused_and_the_cell_named():
    depth = np.full((6, 5), 10.0)
    depth[4, 2] = 40.0
    with pytest.raises(CaseError) as error:
        Setup(Domain(depth, (1e3, 1e3)), 40.0)
    assert "waves over 40 m of water in cell (4, 2) allow 35.7 s" in str(error.value)


def test_land_and_open_boundaries_that_cannot_be_are_refused():
    depth = np.full((6, 5), 10.0)
    with pytest.raises(CaseError, match="all land: none of its 30 cells has a depth"):
        Domain(np.full((6, 5), np.nan), (1e3, 1e3))
    depth[3, 4] = np.nan
    with pytest.raises(CaseError, match=r"Cell \(3, 4\) of the north boundary .* is land"):
        Domain(depth, (1e3, 1e3), open=(OpenBoundary("north", 4, 2, 4),))
    with pytest.raises(CaseError, match="but the grid has 6 x 5 cells"):
        Domain(depth, (1e3, 1e3), open=(OpenBoundary("north", 5, 0, 4),))


@pytest.mark.slow
@pytest.mark.parametrize("advection", ["UPSTREAM", "P2_PDM"])
def test_currents_against_each_other_make_no_ripples_of_the_mean_current(advection):
    """Waves of a few cells turn by half a period in these macro steps."""
    domain = flat(128, 4, 500.0, 20.0)
    setup = Setup(
        domain,
        10.0,
        5,
        drying_limiter=False,
        layers=Sigma(20),
        temperature=lambda x, y, z: np.where(x < 32e3, 5.0, 30.0) + 0.0 * (y + z),
        density=BY_TEMPERATURE,
        mixing=1e-4,
        advection=advection,
    )
    run = Run(setup).steps(1100)
    assert np.abs(run.zeta).max() < 0.1
