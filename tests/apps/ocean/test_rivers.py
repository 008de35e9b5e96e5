"""Rivers bring as much water, heat and salt as they say."""

from __future__ import annotations

import numpy as np
import pytest
from basins import Run, flat

import halocline as hc
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary
from halocline.apps.ocean.setup.rivers import River
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError


def test_the_volume_grows_by_what_a_river_brings():
    series = hc.Series([0.0, 3600.0], [100.0, 300.0])
    rivers = (River((3, 4), 500.0), River((9, 2), series))
    run = Run(Setup(flat(12, 8, 1e3, 10.0), 30.0, 10, rivers=rivers))
    volume = run.volume
    run.steps(10)
    # A series is looked up when a macro step begins.
    of_series = sum(100.0 + 200.0 * step * 300.0 / 3600.0 for step in range(10)) * 300.0
    brought = (500.0 * 3000.0 + of_series) / 1e6
    assert run.volume - volume == pytest.approx(brought, rel=1e-10)


def test_a_river_brings_its_heat_and_no_salt():
    domain = flat(12, 8, 1e3, 10.0, f=1e-4)
    given = {"temperature": 10.0, "salinity": 35.0, "layers": Sigma(5)}
    river = River((3, 4), 2000.0, temperature=20.0, salinity=0.0)
    run = Run(Setup(domain, 30.0, 10, rivers=(river,), stress=(1e-4, 0.0), **given))

    def contents():
        depth = run.model.layers.after.gather()[..., None] * run.setup.layers.fractions
        return [float(np.sum(depth * t.gather())) for t in run.model.layers.tracers]

    heat, salt = contents()
    run.steps(20)
    found = contents()
    assert found[0] - heat == pytest.approx(20.0 * 2000.0 * 20 * 300.0 / 1e6, rel=1e-9)
    assert found[1] == pytest.approx(salt, rel=1e-12)
    assert run.model.layers.tracers[1].gather()[3, 4].max() < 30.0


def test_a_cell_has_one_river():
    rivers = (River((3, 4), 1.0), River((5, 4), 1.0), River((3, 4), 2.0))
    with pytest.raises(CaseError, match=r"There are 2 rivers in cell \(3, 4\); expected one"):
        Setup(flat(12, 8, 1e3, 10.0), 30.0, rivers=rivers)


def test_a_series_is_the_heat_of_a_river_as_it_changes():
    warming = hc.Series([0.0, 6000.0], [10.0, 30.0])
    river = River((3, 4), 2000.0, temperature=warming)
    given = {"temperature": 10.0, "layers": Sigma(5), "turbulence": "constant", "mixing": 1e-3}
    run = Run(Setup(flat(12, 8, 1e3, 10.0), 30.0, 10, rivers=(river,), **given))

    def heat():
        depth = run.model.layers.after.gather()[..., None] * run.setup.layers.fractions
        return float(np.sum(depth * run.model.layers.tracers[0].gather()))

    first = heat()
    run.steps(20)
    # It is looked up when a macro step begins.
    brought = sum(10.0 + 20.0 * step / 20 for step in range(20)) * 2000.0 * 300.0 / 1e6
    assert heat() - first == pytest.approx(brought, rel=1e-9)


def test_what_is_taken_from_a_cell_is_as_the_cell_is():
    given = {"temperature": 10.0, "salinity": 35.0, "layers": Sigma(5)}
    river = River((3, 4), -500.0, temperature=20.0, salinity=0.0)
    run = Run(Setup(flat(12, 8, 1e3, 10.0), 30.0, 10, rivers=(river,), **given)).steps(10)
    for tracer, value in zip(run.model.layers.tracers, (10.0, 35.0)):
        assert np.abs(tracer.gather() - value).max() < 1e-11


def test_a_river_as_the_cell_changes_no_tracer():
    given = {"salinity": 35.0, "layers": Sigma(5)}
    run = Run(Setup(flat(12, 8, 1e3, 10.0), 30.0, 10, rivers=(River((3, 4), 2000.0),), **given))
    run.steps(20)
    assert np.abs(run.model.layers.tracers[0].gather() - 35.0).max() < 1e-11


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ((12, 0), "a river in cell (12, 0), but the grid has 12 x 8 cells"),
        ((5, 5), "The cell (5, 5) of a river is land; expected water."),
        ((0, 1), "The cell (0, 1) of a river is part of an open boundary; expected water."),
    ],
)
def test_rivers_come_into_water(cell, message):
    depth = np.full((12, 8), 10.0)
    depth[5, 5] = np.nan
    domain = Domain(depth, (1e3, 1e3), open=(OpenBoundary("west", 0, 0, 7),))
    with pytest.raises(CaseError) as error:
        Setup(domain, 30.0, rivers=(River(cell, 1.0),))
    assert message in str(error.value)
