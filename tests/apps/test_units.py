"""Physical units and lattice units: what follows from what, and what is refused."""

from __future__ import annotations

from math import pi, sqrt

import pytest
from errors.telling import told

from halocline.apps.lbm.cases.channel import Channel
from halocline.apps.lbm.cases.scaling import Scaling
from halocline.apps.lbm.cases.taylor_green import TaylorGreen
from halocline.errors import CaseError

WATER = {"length": 0.1, "velocity": 0.2, "viscosity": 1e-3}


def test_a_reynolds_number_gives_units_of_the_flow():
    case = Channel(cells=20, reynolds=40.0, lattice_speed=0.05)
    assert case.scaling.viscosity == pytest.approx(0.05 * 20 / 40)
    assert case.scaling.relaxation_time == pytest.approx(0.5 + 3 * 0.025)
    assert (case.units.cell, case.units.velocity) == pytest.approx((1 / 20, 1 / 0.05))
    assert case.units.named("m s-1") == "1"


def test_physical_quantities_give_the_reynolds_number_and_si_units():
    case = Channel(cells=50, lattice_speed=0.04, density=1000.0, **WATER)
    scaling, units = case.scaling, case.units
    assert scaling.reynolds == pytest.approx(20.0)
    assert units.cell == pytest.approx(0.002)
    assert units.step == pytest.approx(0.002 * 0.04 / 0.2)
    assert scaling.viscosity * units.viscosity == pytest.approx(1e-3)
    assert units.mass == pytest.approx(1000.0 * 0.002**3)
    assert units.pressure == pytest.approx(1000.0 * 5.0**2)
    assert units.named("m s-1") == "m s-1"


def test_cell_size_mach_number_and_time_step_say_the_same_as_cells_and_speed():
    plain = Channel(cells=50, lattice_speed=0.04, **WATER)
    for other in (
        Channel(cell_size=0.002, lattice_speed=0.04, **WATER),
        Channel(cells=50, mach=0.04 * sqrt(3), **WATER),
        Channel(cells=50, time_step=0.0004, **WATER),
    ):
        assert other.scaling.cells == 50
        assert other.scaling.speed == pytest.approx(plain.scaling.speed)
        assert other.units.step == pytest.approx(plain.units.step)


def test_cells_may_go_over_several_lengths():
    case = TaylorGreen(cells=64, reynolds=100.0, lattice_speed=0.05)
    assert case.scaling.length == pytest.approx(64 / (2 * pi))
    assert case.scaling.viscosity == pytest.approx(0.05 * 64 / (2 * pi) / 100)
    box = TaylorGreen(cell_size=0.1 * 2 * pi / 64, **WATER)
    assert box.scaling.cells == 64


def test_the_table_tells_both_units():
    table = Channel(cells=50, lattice_speed=0.04, density=1000.0, **WATER).unit_table()
    rows = {line[:16].strip(): line[16:].split() for line in table.splitlines()}
    assert rows["cell"] == ["1", "0.002", "m"]
    assert rows["lattice step"] == ["1", "0.0004", "s"]
    assert rows["speed"] == ["0.04", "0.2", "m/s"]
    assert rows["viscosity"] == ["0.1", "0.001", "m²/s"]
    assert "Reynolds number 20 (0.4 a cell), Mach number 0.06928, relaxation time 0.8" in table


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"length": 1.0},
            "'length' was given without 'velocity' and 'viscosity'. Give all three in SI units, "
            "or none and a Reynolds number.",
        ),
        (
            {**WATER, "reynolds": 3.0},
            "'reynolds' was given beside 'length', 'velocity' and 'viscosity', from which it "
            "follows. Give either.",
        ),
        (
            {"cells": 8, "cell_size": 0.1, **WATER},
            "'cells' and 'cell_size' were given, each of which says the same. Give one of them.",
        ),
        (
            {"mach": 0.1, "lattice_speed": 0.1},
            "'lattice_speed' and 'mach' were given, each of which says the same. Give one of them.",
        ),
        (
            {"time_step": 0.1},
            "'time_step' was given without 'length', 'velocity' and 'viscosity'. It has a unit: "
            "give these three, too.",
        ),
        (
            {"cell_size": 0.03, **WATER},
            "'cell_size' 0.03 m goes 3.33333 times into 0.1 m; expected a whole number of times. "
            "Give 'cells' instead.",
        ),
        ({"reynolds": -1.0}, "'reynolds' was given -1.0; expected a number above 0."),
        ({"density": 0.0}, "'density' was given 0.0; expected a number above 0."),
        ({"cells": 2}, "'cells' was given 2; expected a whole number of at least 4."),
        (
            {"lattice_speed": 0.15},
            "The speed 0.15 cells a step was given; expected above 0 and at most 0.133. 0.1 is "
            "usual, 0.05 is more accurate and takes twice as long.",
        ),
        (
            {"cells": 10, "reynolds": 2000.0},
            "Reynolds number 2000 with 10 cells makes the relaxation time 0.5008 unstable with "
            "collision 'trt': 200.0 a cell, where at most 48 are stable. Use at least 42 cells or "
            "at most Reynolds number 480.",
        ),
        (
            {"collision": "btg"},
            "'collision' was given 'btg'; expected one of: bgk, trt, central, mrt, regularised, "
            "cumulant.",
        ),
        (
            {"collision": "cumulant"},
            "Collision 'cumulant' was asked for on D2Q9; it is known on D3Q27. Choose another "
            "collision, as 'trt', or another lattice.",
        ),
        (
            {"smagorinsky_constant": -0.1},
            "'smagorinsky_constant' was given -0.1; expected a number of at least 0 and below 1.",
        ),
        (
            {"dtype": "float61"},
            "'dtype' was given 'float61'; expected one of: float64, float32, float16.",
        ),
        (
            {"streaming": "inplace"},
            "'streaming' was given 'inplace'; expected one of: two-grids, in-place.",
        ),
        (
            {"tolerance": -1.0},
            "'tolerance' was given -1.0; expected a number of at least 0.",
        ),
    ],
)
def test_what_cannot_be_is_refused(given, message):
    assert told(CaseError, Channel(**given).check) == message


def test_what_may_be_unstable_or_inaccurate_is_warned_of():
    between = Scaling(10, 0.05, 400.0)
    between.check()
    (warning,) = between.warnings()
    assert "40.0 as Reynolds number of a cell may be unstable" in warning
    (warning,) = Scaling(10, 0.04, 150.0).warnings(is_open=True)
    assert warning == (
        "15.0 as Reynolds number of a cell may be unstable with collision 'trt' between open "
        "sides, up to 12 is safe: with 13 cells."
    )
    (warning,) = Scaling(10, 0.09, 10.0).warnings(greatest=1.5)
    assert "The flow reaches 0.135 cells a step" in warning
    (warning,) = Scaling(32, 0.1, 1.0).warnings()
    assert "relaxation time 10.1 makes the stress inaccurate" in warning
    assert Scaling(10, 0.05, 10.0).warnings() == []


def test_eddies_allow_higher_reynolds_numbers():
    Channel(cells=16, reynolds=1e5, smagorinsky_constant=0.1, collision="bgk").check()
    with pytest.raises(CaseError, match="unstable with collision 'bgk'"):
        Channel(cells=16, reynolds=1e5, collision="bgk").check()


def test_warnings_stand_in_the_description():
    assert "warning: The relaxation time 5.3" in Channel(reynolds=1.0).describe()
