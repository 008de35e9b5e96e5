"""Passive tracers: advected, mixed, changed by sources, and refused where they make no sense."""

from __future__ import annotations

import numpy as np
import pytest
from basins import Run, flat

import halocline as hc
from halocline.apps.ocean.model import make_model
from halocline.apps.ocean.physics.surface_heat import CLARITIES
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.rivers import River
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.apps.ocean.setup.tracers import Tracer
from halocline.errors import CaseError
from halocline.output import load, save

LAYERS = 5


def basin(*tracers, **more):
    """Return a basin with land and flats, whose water sloshes and is mixed by wind."""
    nx, ny = 20, 14
    x, y = np.arange(nx)[:, None], np.arange(ny)[None, :]
    depth = 8.0 + 5.0 * np.sin(x / 5.0) * np.cos(y / 4.0)
    depth[6:9, 5:9] = np.nan
    depth[15:, 9:] = np.linspace(1.0, -1.2, 5)
    zeta = 0.5 * np.cos(np.pi * x / nx) + 0.0 * y
    given = {"stress": (2e-4, -1e-4), "layers": Sigma(LAYERS, 0.5, 0.5), **more}
    return Setup(Domain(depth, (500.0, 400.0), f=1e-4), 8.0, 5, zeta=zeta, tracers=tracers, **given)


def column(*tracers, depth=10.0, **more):
    """Return columns of water at rest."""
    given = {"layers": Sigma(LAYERS), "turbulence": "constant", **more}
    return Setup(flat(4, 4, 1e3, depth), 20.0, 10, tracers=tracers, **given)


def content(run, name):
    """Return how much there is of a tracer in all water, over the area of a cell."""
    thickness = run.model.layers.after.gather()[..., None] * run.setup.layers.fractions
    values = run.model.tracers[name].gather()
    return float(np.sum((thickness * values)[run.setup.domain.is_wet]))


def blob(x, y, height):
    """Return a tracer with steep fronts."""
    return np.where((x < 3000.0) & (height > -6.0), 1.0, 0.0) + 0.0 * y


def test_tracers_are_conserved_and_uniform_ones_stay_so():
    run = Run(basin(Tracer("dye", blob), Tracer("even", 2.5), Tracer("mud", 1.0, settling=1e-3)))
    run.steps(1)
    first = {name: content(run, name) for name in run.model.tracers}
    before = run.model.tracers["dye"].gather()
    run.steps(100)
    is_wet = run.setup.domain.is_wet
    dye, even, mud = (run.model.tracers[name].gather()[is_wet] for name in ("dye", "even", "mud"))
    assert np.abs(dye - before[is_wet]).max() > 0.1
    # P2_PDM overshoots in cells that dry, see the test below.
    assert -1e-7 <= dye.min() <= dye.max() <= 1.0 + 1e-5
    assert np.abs(even - 2.5).max() < 1e-11
    assert mud.min() > 0.0
    for name, value in first.items():
        assert abs(content(run, name) / value - 1.0) < 1e-13


@pytest.mark.parametrize("scheme", ["SUPERBEE", "MUSCL", "UPSTREAM"])
def test_tvd_schemes_keep_tracers_positive_where_cells_dry(scheme):
    run = Run(basin(Tracer("dye", blob), scheme=scheme)).steps(60)
    dye = run.model.tracers["dye"].gather()[run.setup.domain.is_wet]
    assert 0.0 <= dye.min() <= dye.max() <= 1.0 + 1e-12


def test_a_passive_tracer_moves_as_salinity_does():
    run = Run(basin(Tracer("salt", blob), salinity=blob)).steps(60)
    found = [run.model.tracers[name].gather() for name in ("salt", "salinity")]
    assert np.array_equal(*found)


def test_tracers_change_no_bit_of_the_water():
    tracers = (Tracer("dye", blob, source=lambda dye, temperature: -1e-6 * temperature * dye),)
    with_them, without = (Run(basin(*given, temperature=10.0)).steps(20) for given in (tracers, ()))
    for name in ("zeta", "U", "V"):
        assert np.array_equal(getattr(with_them, name), getattr(without, name))


def test_decay_converges_with_second_order():
    rate, errors = 2e-4, []
    for steps in (2, 4, 8):
        run = Run(
            Setup(
                flat(4, 4, 1e3, 10.0),
                10.0,
                160 // steps,
                layers=Sigma(2),
                tracers=(Tracer("dye", 3.0, source=lambda dye: -rate * dye),),
            )
        ).steps(steps)
        expected = 3.0 * np.exp(-rate * 1600.0)
        errors.append(np.abs(run.model.tracers["dye"].gather() / expected - 1.0).max())
    assert errors[0] < 3e-3
    assert 3.7 < errors[0] / errors[1] < 4.6
    assert 3.7 < errors[1] / errors[2] < 4.6


def test_sources_read_what_they_name():
    """Of a column at rest each part of the state is known."""
    names = ("temperature", "salinity", "light", "depth", "thickness", "dt")
    copies = {
        "temperature": lambda temperature: temperature,
        "salinity": lambda salinity: salinity,
        "light": lambda light: light,
        "depth": lambda depth: depth,
        "thickness": lambda thickness: thickness,
        "dt": lambda dt: dt,
    }
    tracers = tuple(Tracer(f"of_{name}", 0.0, source=copies[name]) for name in names)
    given = {"temperature": 11.0, "salinity": 33.0, "sunlight": 100.0, "water_type": "II"}
    run = Run(column(*tracers, frozen=True, **given)).steps(1)
    middle = 2.0 * np.arange(LAYERS)[::-1] + 1.0
    clarity = CLARITIES["II"]
    light = 100.0 * (
        clarity.red * np.exp(-middle / clarity.red_reach)
        + (1.0 - clarity.red) * np.exp(-middle / clarity.blue_reach)
    )
    expected = (11.0, 33.0, light, middle, 2.0, 200.0)
    for name, value in zip(names, expected):
        found = run.model.tracers[f"of_{name}"].gather()[1, 1]
        # Molecular diffusion of a step, beside.
        assert found == pytest.approx(200.0 * value * np.ones(LAYERS), rel=2e-5), name


def test_what_sources_hand_on_is_conserved():
    def eaten(food, animals):
        return 1e-4 * food * animals / (0.5 + food)

    tracers = (
        Tracer("food", blob, source=lambda food, animals: -eaten(food, animals)),
        Tracer("animals", 0.3, source=eaten),
    )
    run = Run(basin(*tracers)).steps(1)
    first = content(run, "food") + content(run, "animals")
    food = content(run, "food")
    run.steps(100)
    assert content(run, "food") < 0.9 * food
    assert (content(run, "food") + content(run, "animals")) / first == pytest.approx(1.0, abs=1e-13)


def test_fluxes_bring_what_they_say():
    growing = hc.Series([0.0, 2000.0], [0.0, 2e-4])
    run = Run(column(Tracer("gas", 0.0, surface_flux=1e-4, bed_flux=growing), mixing=1e-4))
    run.steps(8)
    # A series is looked up when a macro step begins.
    of_series = sum(2e-4 * step * 200.0 / 2000.0 for step in range(8)) * 200.0
    assert content(run, "gas") == pytest.approx(16 * (1e-4 * 1600.0 + of_series), rel=1e-12)


def test_settling_and_mixing_come_to_the_profile_of_rouse():
    """Where settling balances constant mixing, c falls upwards as exp(-w z / K)."""
    mixing, velocity, count = 1e-2, 2e-3, 40
    mud_of = Tracer("mud", 1.0, settling=velocity)
    given = {"turbulence": "constant", "mixing": mixing, "tracers": (mud_of,)}
    setup = Setup(flat(4, 4, 1e3, 10.0), 20.0, 1, layers=Sigma(count), **given)
    mud = Run(setup).steps(400).model.tracers["mud"].gather()[1, 1]
    heights = (np.arange(count) + 0.5) * 10.0 / count
    slope = np.polyfit(heights, np.log(mud), 1)[0]
    # Upstream differences mix by w h / 2 more, here 2.5 % of K.
    assert slope == pytest.approx(-velocity / (1.025 * mixing), rel=0.01)


def test_rivers_rain_and_the_sea_bring_tracers():
    domain = flat(10, 6, 1e3, 10.0, open=(OpenBoundary("west", 0, 0, 5),))
    river = River((6, 3), 500.0, tracers={"dye": 2.0})
    tracers = (Tracer("dye", 0.0), Tracer("salt", 0.0, sea=1.0))
    given = {"layers": Sigma(LAYERS), "zeta": 0.0, "tracers": tracers}
    run = Run(Setup(domain, 30.0, 10, rivers=(river,), **given)).steps(1)
    brought = 2.0 * 500.0 * 300.0 / 1e6
    assert content(run, "dye") == pytest.approx(brought, rel=1e-9)
    inflow = Run(Setup(domain, 30.0, 10, stress=(5e-4, 0.0), **given)).steps(30)
    assert inflow.model.tracers["salt"].gather()[1].max() > 0.01
    rain = Run(column(Tracer("dye", 1.0), rain=1e-5)).steps(10)
    assert content(rain, "dye") == pytest.approx(16 * 10.0, rel=1e-12)
    assert rain.model.tracers["dye"].gather()[1, 1, -1] < 0.999


def test_tracers_move_through_frozen_water():
    setup = basin(Tracer("dye", blob), temperature=blob, frozen=True)
    run = Run(setup)
    first = {name: field.gather() for name, field in run.model.tracers.items()}
    run.steps(10)
    found = {name: field.gather() for name, field in run.model.tracers.items()}
    assert np.array_equal(found["temperature"], first["temperature"])
    assert not np.array_equal(found["dye"], first["dye"])


def test_a_restart_continues_tracers_with_the_same_bits(tmp_path):
    setup = basin(Tracer("dye", blob, source=lambda dye: -1e-5 * dye, settling=1e-4))
    whole = Run(setup).steps(12)
    begun, goes_on = Run(setup).steps(7), Run(setup)
    save(begun.simulation, tmp_path / "state.npz")
    load(goes_on.simulation, tmp_path / "state.npz")
    goes_on.steps(5)
    found = [run.model.tracers["dye"].gather() for run in (whole, goes_on)]
    assert np.array_equal(*found)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": 5}, "'name' was given 5; expected text"),
        ({"name": "my dye"}, "'name' was given 'my dye'; expected letters, digits and '_'"),
        ({"unit": 1.0}, "'unit' was given 1.0; expected text"),
        ({"settling": -1.0}, "'settling' was given -1.0; expected a number of at least 0"),
        ({"source": 3.0}, "'source of the tracer 'dye'' was given 3.0; expected a function"),
        ({"source": lambda *all_: 0.0}, "expected a function whose arguments .* without"),
    ],
)
def test_what_a_tracer_cannot_be(given, message):
    with pytest.raises(CaseError, match=message):
        Tracer(**{"name": "dye", **given})


NEGATIVE = np.where(np.arange(80).reshape(4, 4, 5) == 7, -2.0, 1.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tracers": 3}, r"'tracers' was given 3; expected tracers, as \(Tracer"),
        ({"tracers": (Tracer("salinity"),)}, "a tracer has the name 'salinity'; expected a name"),
        ({"tracers": (Tracer("zeta"),)}, "a tracer has the name 'zeta'"),
        ({"tracers": (Tracer("a"), Tracer("a"))}, "2 tracers have the name 'a'"),
        ({"tracers": (Tracer("a", -1.0),)}, "'initial of the tracer 'a'' is -1 in water"),
        ({"tracers": (Tracer("a", NEGATIVE),)}, "is -2 in water; expected concentrations"),
        ({"tracers": (Tracer("a", np.nan),)}, "was given nan; expected .*, finite in water"),
        ({"tracers": (Tracer("a", "1"),)}, "'initial of the tracer 'a'' was given '1'"),
        ({"tracers": (Tracer("a", np.ones(3)),)}, r"an array \(4, 4, 5\) of such"),
        ({"tracers": (Tracer("a", bed_flux="x"),)}, "'bed_flux of the tracer 'a'' was given 'x'"),
        (
            {"tracers": (Tracer("dye", source=lambda die: die),)},
            "The source of the tracer 'dye' reads 'die'; expected .* Did you mean 'dye'",
        ),
        (
            {"tracers": (Tracer("a", source=lambda light: light),)},
            "reads 'light', which an ocean without sunlight does not have",
        ),
        ({"tracers": (Tracer("a", sea=1.0),)}, "without an open boundary, where it means nothing"),
        ({"tracers": (Tracer("a"),), "layers": None}, "'tracers' was given .* without layers"),
        (
            {"tracers": (Tracer("dye"),), "rivers": (River((1, 1), 5.0, tracers={"die": 1.0}),)},
            r"The river in cell \(1, 1\) was given the tracer 'die'.* Did you mean 'dye'",
        ),
    ],
)
def test_what_a_setup_refuses_of_tracers(given, message):
    whole = {"layers": Sigma(LAYERS), **given}
    if whole["layers"] is None:
        message = "without layers"
    with pytest.raises(CaseError, match=message):
        Setup(flat(4, 4, 1e3, 10.0), 20.0, **whole)


@pytest.mark.parametrize(
    ("tracer", "message"),
    [
        (Tracer("a", lambda x, y, z: z + 0.0 * x * y), "'initial of the tracer 'a'' is -9 in wat"),
        (Tracer("a", source=lambda a: None), "The source of the tracer 'a' returned None; expec"),
    ],
)
def test_what_functions_of_a_tracer_cannot_return(tracer, message):
    with pytest.raises(CaseError, match=message):
        make_model(column(tracer))


def test_values_of_a_river_have_to_be_numbers():
    with pytest.raises(CaseError, match="'dye of a river' was given 'much'"):
        River((1, 1), 5.0, tracers={"dye": "much"})
    with pytest.raises(CaseError, match="'tracers' was given 3; expected values by name"):
        River((1, 1), 5.0, tracers=3)
