"""Folders of GETM with rivers: how much water they bring, of which temperature and salinity."""

from __future__ import annotations

import input_files as files
import numpy as np
import pytest
from getm_folders import DT, SAMPLES, N, box, layered


@pytest.fixture
def folder(tmp_path):
    """Return a folder of the box."""
    return box(tmp_path)


def rivers(folder, lines="2\n5 6 Elbe\n5 7 Elbe\n"):
    """Give the folder a river that comes into two cells."""
    files.discharge(folder.path / "rivers.nc", SAMPLES, 100.0 + SAMPLES, "Elbe")
    return folder.write("riverinfo.dat", lines).set("rivers", river_method=2, river_factor=3.0)


def test_rivers_are_shared_by_the_cells_that_have_their_name(folder):
    first, second = rivers(folder).read().setup.rivers
    assert (first.cell, second.cell) == ((4, 5), (4, 6))
    assert np.array_equal(first.flow.values, 1.5 * (100.0 + SAMPLES))
    assert np.array_equal(first.flow.times, 3600.0 * SAMPLES)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("3\n5 6 Elbe\n", "has 1 rivers; expected 3"),
        ("1\n5 6\n", "This line has no name; expected 'i j name' of a river"),
        ("1\n5 6 Ems\n", "has no variable 'Ems'"),
        ("1\n99 6 Elbe\n", "There is a river in cell (98, 5)"),
    ],
)
def test_wrong_rivers_are_told(folder, lines, message):
    assert message in rivers(folder, lines).refusal()


def test_rivers_keep_their_places_in_a_window(folder):
    rivers(folder).set("domain", il=3, ih=N, jl=2, jh=N, openbdy=False)
    assert [river.cell for river in folder.read().setup.rivers] == [(2, 4), (2, 5)]


def test_constant_rivers_keep_what_the_next_time_says(folder):
    files.discharge(folder.path / "rivers.nc", [-6.0, 3.0], [40.0, 70.0], "Ems")
    folder.write("riverinfo.dat", "1\n5 6 Ems\n").set("rivers", river_method=1)
    (river,) = folder.read().setup.rivers
    assert river.flow.values.tolist() == [70.0]
    assert "ends at 2004-01-01 03:00:00" in folder.set("rivers", river_method=2).refusal()


def test_rivers_grow_from_nothing_in_a_ramp(folder):
    steps = 144
    first, _ = rivers(folder).set("rivers", river_ramp=steps).read().setup.rivers
    ramp, times = steps * DT, 3600.0 * np.array([0.0, 1.7, 6.0, 11.9, 12.0, 20.0])
    expected = 1.5 * (100.0 + times / 3600.0) * np.minimum(times / ramp, 1.0)
    found = np.interp(times, first.flow.times, first.flow.values)
    assert np.allclose(found, expected, atol=1e-3)


def warm_rivers(folder, attributes=None):
    """Give the folder layers, and rivers that say of which temperature and salinity they are."""
    layered(rivers(folder)).set("rivers", use_river_salt=True, use_river_temp=True)

    def with_tracers(data):
        data["Elbe"].attrs.update(attributes or {"salt": 1, "temp": 1})
        temperature = ("time", 4.0 + SAMPLES / 24.0, {"units": "degC"})
        salinity = ("time", 0.5 + 0.0 * SAMPLES, {"units": "psu"})
        return data.assign(Elbe_temp=temperature, Elbe_salt=salinity)

    files.changed(folder.path / "rivers.nc", with_tracers)
    return folder


def test_rivers_have_the_temperature_and_salinity_of_the_file(folder):
    for river in warm_rivers(folder).read().setup.rivers:
        # The run ends with its last whole macro step, after 23 h 20 min.
        assert np.array_equal(river.temperature.times, 3600.0 * SAMPLES[:48])
        assert np.array_equal(river.temperature.values, 4.0 + SAMPLES[:48] / 24.0)
        assert np.array_equal(river.salinity.values, np.full(48, 0.5))


def test_rivers_are_fresh_and_as_warm_as_the_cell_if_nothing_else_is_said(folder):
    warm_rivers(folder).set("rivers", use_river_temp=False, use_river_salt=False)
    for river in folder.read().setup.rivers:
        assert (river.temperature, river.salinity) == (None, 0.0)


def test_a_salinity_that_getm_would_not_see_is_told(folder):
    message = "has 'Elbe_salt', but 'Elbe' has no attribute 'salt' of 1, without which GETM takes"
    assert message in warm_rivers(folder, {"temp": 1, "salt": 0}).refusal()


def test_rivers_at_some_depths_are_refused_where_they_mix(folder):
    layered(rivers(folder, "1\n5 6 Elbe -1 -1\n")).read()
    message = "This line has a river at depths from -1 to 5.0 m; supported is one at all depths"
    assert message in rivers(folder, "1\n5 6 Elbe -1 5.0\n").refusal()
    rivers(folder, "1\n5 6 Elbe -1 5.0\n").set("param", runtype=1).read()


def test_rivers_that_take_water_as_they_bring_it_are_refused(folder):
    rivers(folder).set("rivers", river_outflow_properties_follow_source_cell=False).read()
    files.discharge(folder.path / "rivers.nc", SAMPLES, 10.0 - SAMPLES, "Elbe")
    line = "follow_source_cell = .false.; supported: .true., as 'Elbe' takes water away."
    assert line in folder.refusal()
