"""Mistakes in what an ocean is made of: each is refused where it is given, in one message."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.ocean.model import make_model
from halocline.apps.ocean.physics.drying import Drying
from halocline.apps.ocean.physics.tides import Wave
from halocline.apps.ocean.physics.turbulence import KEpsilon
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.rivers import River
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError

DEPTH = 10.0 + np.arange(24.0).reshape(6, 4)
TURNED = np.ones((4, 6))
NORTH = OpenBoundary("north", 3, 0, 5)
HOLE = np.where(np.arange(24).reshape(6, 4) == 5, np.nan, 1.0)


def test_a_depth_may_be_a_list_and_a_spacing_an_array():
    domain = Domain(DEPTH.tolist(), np.array([1000, 500]), periodic=[True, False], open=[NORTH])
    assert np.array_equal(domain.depth, DEPTH)
    assert (domain.spacing, domain.periodic, domain.open) == (
        (1e3, 500.0),
        (True, False),
        (NORTH,),
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"depth": 5.0}, "has 0 axes; expected two"),
        ({"depth": [[1.0, 2.0], [3.0]]}, "'depth' was given .*; expected numbers, with x as"),
        ({"depth": DEPTH.astype(str)}, "'depth' was given .*; expected numbers"),
        ({"depth": 1j * DEPTH}, "'depth' was given .*; expected numbers"),
        ({"depth": np.inf * DEPTH}, "expected finite numbers, and NaN on land"),
        ({"depth": -DEPTH}, "bed above the mean level everywhere, 10 m or more; expected depths"),
        ({"spacing": 1e3}, "'spacing' was given 1000.0; expected two numbers, along x and y"),
        ({"spacing": (1e3, 0)}, "'spacing' along y was given 0; expected a number above 0"),
        ({"spacing": (1e3, 1e3, 1.0)}, "'spacing' was given .*; expected two numbers"),
        ({"spacing": "ab"}, "'spacing' was given 'ab'; expected two numbers"),
        ({"origin": 0.0}, "'origin' was given 0.0; expected two numbers"),
        ({"origin": (np.nan, 0.0)}, "'origin' along x was given nan; expected a finite"),
        ({"periodic": True}, "'periodic' was given True; expected two truth values"),
        ({"periodic": (1, 0)}, "'periodic' was given 1; expected two truth values"),
        ({"f": None}, "'f' was given None; expected a finite number"),
        ({"beta": "x"}, "'beta' was given 'x'; expected a finite number"),
        ({"face_depth": "max"}, "'face_depth' was given 'max'; expected one of: mean, least"),
        ({"open": NORTH}, "'open' was given OpenBoundary.*; expected lines of cells"),
        ({"open": ("north",)}, "'open' was given .*; expected lines of cells"),
    ],
)
def test_what_a_domain_cannot_be(given, message):
    with pytest.raises(CaseError, match=message):
        Domain(**{"depth": DEPTH, "spacing": (1e3, 1e3), **given})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: OpenBoundary("nord", 3, 0, 5), "'side' was given 'nord'; expected one of: west"),
        (
            lambda: OpenBoundary("north", 3.0, 0, 5),
            "'index' was given 3.0; expected a whole number",
        ),
        (lambda: River(5, 300.0), "'cell' was given 5; expected two whole numbers"),
        (lambda: River((1.5, 2), 300.0), "'cell' of a river along x was given 1.5"),
        (lambda: River((1, 2), "300"), "'flow of a river' was given '300'; expected a finite"),
        (lambda: River((1, 2), None), "'flow of a river' was given None"),
        (lambda: River((1, 2), 3.0, temperature="a"), "'temperature of a river' was given 'a'"),
    ],
)
def test_what_parts_of_an_ocean_cannot_be(make, message):
    with pytest.raises(CaseError, match=message):
        make()


LAYERS = {"layers": Sigma(3), "temperature": 10.0}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"domain": DEPTH}, "'domain' was given an array .*; expected a Domain"),
        ({"micro_step": 0.0}, "'micro_step' was given 0.0; expected a number above 0"),
        ({"micro_step": "30"}, "'micro_step' was given '30'; expected a number above 0"),
        ({"micro_steps": 2.5}, "'micro_steps' was given 2.5; expected a whole number of at le"),
        ({"micro_steps": 0}, "'micro_steps' was given 0; expected a whole number of at least 1"),
        ({"stress": 1e-4}, "'stress' was given 0.0001; expected two stresses, along x and y"),
        ({"stress": (1e-4, TURNED)}, "'stress along y' was given .*; expected a number, or an ar"),
        ({"stress": (1e-4, None)}, "'stress along y' .*"),
        ({"pressure": "x"}, "'pressure' was given 'x'; expected numbers"),
        ({"pressure": np.ones(4)}, r"'pressure' was given .* the shape \(6, 4\), x first"),
        ({"rain": HOLE}, r"'rain' is no finite number in 1 cells with water, .* is \(1, 1\)"),
        ({"zeta": TURNED}, "'zeta' was given .*; expected a number, or an array"),
        ({"zeta": None}, "'zeta' is no finite number in 24 cells"),
        ({"zeta": np.ma.masked_equal(DEPTH, 12.0)}, "'zeta' is no finite number in 1 cells"),
        ({"layers": 10}, "'layers' was given 10; expected layers, as Sigma"),
        ({"viscosity": "1"}, "'viscosity' was given '1'; expected a number of at least 0"),
        ({"mixing": -1.0}, "'mixing' was given -1.0; expected a number of at least 0"),
        ({"ramp": "a"}, "'ramp' was given 'a'; expected a number of at least 0"),
        ({"sponge": 1.5}, "'sponge' was given 1.5; expected a whole number of at least 0"),
        ({"surface_roughness": 0.0}, "'surface_roughness' was given 0.0; expected a number above"),
        ({"drag": 1e-3}, "'drag' was given 0.001; expected a drag, as LinearDrag"),
        ({"drying": 0.1}, "'drying' was given 0.1; expected depths, as Drying"),
        ({"drying": Drying(0.2, 0.1)}, "'drying.critical' was given 0.1; expected .* above 0.2"),
        ({"tide": "M2"}, "'tide' was given 'M2'; expected waves"),
        ({"tide": (Wave("M2", 1.0),)}, r"'tide\[0\].frequency' was given 'M2'"),
        ({"tide": (Wave(1e-4, TURNED),)}, r"'tide\[0\].amplitude' was given .*; expected a num"),
        ({"rivers": 3}, "'rivers' was given 3; expected rivers"),
        ({"elevation": 5.0}, "'elevation' was given 5.0; expected a series of rows"),
        ({"dtype": "int32"}, "'dtype' was given 'int32'; expected one of: float64, float32"),
        ({"pressure_gradient": "none"}, "'pressure_gradient' was given 'none'; expected one of"),
        ({"scheme": []}, r"'scheme' was given \[\]; expected one of: UPSTREAM"),
        ({"water_type": "IX", **LAYERS}, "'water_type' was given 'IX'; expected one of: I, IA"),
        ({"heat_flux": [1.0], **LAYERS}, "'heat_flux' was given .*; expected a number, or an"),
        (
            {"layers": Sigma(3), "temperature": "a"},
            "'temperature' was given 'a'; expected a number,",
        ),
        ({"layers": Sigma(3), "salinity": np.nan}, "'salinity' was given nan; .* finite in water"),
        (
            {"layers": Sigma(3), "salinity": lambda x: x},
            "'salinity' .* function of x, y and the hei",
        ),
        ({"sea_temperature": "a", **LAYERS}, "'sea_temperature' was given 'a'; expected a number"),
        ({"density": 5.0, **LAYERS}, "'density' was given 5.0; expected a function of temp"),
    ],
)
def test_what_a_setup_cannot_be(given, message):
    with pytest.raises(CaseError, match=message):
        Setup(**{"domain": Domain(DEPTH, (1e3, 1e3)), "micro_step": 10.0, **given})


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ({"temperature": 10.0}, "layers"),
        ({"turbulence_advection": "P2"}, "layers"),
        ({"turbulence": "constant"}, "layers"),
        ({"mixing": 1e-4}, "layers"),
        ({"mode_splitting": "getm"}, "layers"),
        ({"k_epsilon": KEpsilon(galperin=None)}, "layers"),
        ({"layer_advection": "P2"}, "layers"),
        ({"heat_flux": 10.0}, "a temperature"),
        ({"scheme": "UPSTREAM"}, "temperature, salinity or tracers"),
        ({"frozen": True}, "temperature or salinity"),
        ({"diffusivity": 5.0, "layers": Sigma(3)}, "temperature, salinity or tracers"),
        ({"pressure_gradient": "blumberg-mellor", **LAYERS}, "a density"),
        ({"water_type": "III", **LAYERS}, "sunlight"),
        (
            {"smooth_buoyancy": "both", "turbulence": "constant", "layers": Sigma(3)},
            "'k-epsilon' turbulence",
        ),
        ({"turbulence_advection_splitting": "full", **LAYERS}, "'turbulence_advection'"),
        ({"advection_splitting": "full", "advection": "none"}, "'advection'"),
        ({"sponge": 3, **LAYERS}, "an open boundary"),
        ({"sea_temperature": 3.0, **LAYERS}, "an open boundary"),
        ({"tide": (Wave(1e-4, 1.0),)}, "an open boundary"),
        ({"open_kind": "flather"}, "an open boundary"),
        ({"ramp": 3600.0}, "'tide', 'elevation', 'current' or 'layer_current'"),
    ],
)
def test_what_means_nothing_without_something_else_is_refused(given, needed):
    name = next(iter(given))
    message = f"'{name}' was given to an ocean without {needed}, where it means nothing"
    with pytest.raises(CaseError, match=message):
        Setup(**{"domain": Domain(DEPTH, (1e3, 1e3)), "micro_step": 10.0, **given})


def test_what_is_missing_on_land_does_not_matter():
    domain = Domain(np.where(np.isnan(HOLE), np.nan, DEPTH), (1e3, 1e3))
    made = make_model(Setup(domain, 10.0, zeta=np.ma.masked_invalid(HOLE), stress=(HOLE, 0.0)))
    hc.Simulation(made.grid, made.steps).run(1)
    assert np.isfinite(made.zeta.gather()).all()
