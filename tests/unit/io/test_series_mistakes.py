"""Mistakes in what is written on the way: one message each, before anything is written."""

from __future__ import annotations

import numpy as np
import pytest
import xarray
from waves import waves

from halocline.errors import CaseError, OutputError
from halocline.io.field_series import FieldSeries
from halocline.io.output import create_directory
from halocline.io.quantity import Integral, Quantity
from halocline.io.recorder import Recorder
from halocline.io.time_series import TimeSeries
from halocline.io.variable import Variable
from halocline.io.vtk import VtkSeries


def fields(tmp_path, made, every, shown, **options):
    return FieldSeries(tmp_path / "a.nc", every, made.simulation, made.grid, shown, **options)


def vtk(tmp_path, made, every, shown):
    return VtkSeries(tmp_path, every, made.simulation, made.grid, shown)


def table(tmp_path, made, every, shown):
    return TimeSeries(tmp_path / "a.csv", every, made.simulation, [], shown, time_unit="s")


each_output = pytest.mark.parametrize("make", [fields, vtk, table])


@each_output
@pytest.mark.parametrize(("every", "told"), [(0, "0"), (-2, "-2"), (2.5, "2.5"), (True, "True")])
def test_an_interval_is_a_whole_number_of_at_least_one(tmp_path, make, every, told):
    with pytest.raises(CaseError) as error:
        make(tmp_path, waves(), every, ())
    assert error.value.message.endswith(f"was given {told}; expected a whole number of at least 1.")
    assert not list(tmp_path.iterdir())


def test_means_are_of_every_so_many_steps(tmp_path):
    for mean in (0, 1.5):
        with pytest.raises(CaseError, match=rf"'mean' of 'FieldSeries' was given {mean}; expected"):
            fields(tmp_path, waves(), 4, (), mean=mean)


@each_output
def test_fields_are_quantities_of_all_their_components(tmp_path, make):
    made = waves()
    make(tmp_path, made, 1, [made.a])


def test_a_field_is_written_with_its_unit_and_one_variable_a_component(tmp_path):
    made = waves()
    T = made.grid.field("T", unit="K", description="temperature")
    q = made.grid.field("q", components=4)
    made.simulation.run(0, progress=False)
    fields(tmp_path, made, 1, [T, q]).write(0, 0.0)
    with xarray.open_dataset(tmp_path / "a.nc", engine="h5netcdf") as found:
        assert set(found.data_vars) == {"T", "q_0", "q_1", "q_2", "q_3"}
        assert found["T"].attrs["units"] == "K"
        assert found["T"].attrs["long_name"] == "temperature"


@each_output
@pytest.mark.parametrize("shown", ["T", ["T"], [3], np.ones(4)])
def test_what_is_neither_quantity_nor_field_is_refused(tmp_path, make, shown):
    with pytest.raises(CaseError, match="was given to be written; expected a quantity or a field"):
        make(tmp_path, waves(), 1, shown)


@each_output
def test_a_single_field_is_refused_with_what_to_write(tmp_path, make):
    made = waves()
    with pytest.raises(CaseError, match=r"Field\('a', .* expected a list .*Write it in brackets"):
        make(tmp_path, made, 1, made.a)


@each_output
def test_two_quantities_of_one_name_are_refused(tmp_path, make):
    made = waves()
    shown = [Quantity("T", made.a), Quantity("T", made.a, 1)]
    with pytest.raises(CaseError, match="2 variables of one file were given the name 'T'"):
        make(tmp_path, made, 1, shown)


@each_output
@pytest.mark.parametrize("name", ["x", "time", "step", "y_face", "x_of_8x8", "leaf"])
def test_names_of_coordinates_and_times_are_refused(tmp_path, make, name):
    made = waves()
    with pytest.raises(CaseError, match=f"the name '{name}', which files give to a coordinate"):
        make(tmp_path, made, 1, [Quantity(name, made.a)])


@each_output
@pytest.mark.parametrize("name", ["a/b", "", "1st", "T,S", "a\nb", "_T"])
def test_names_that_files_cannot_hold_are_refused(tmp_path, make, name):
    made = waves()
    with pytest.raises(CaseError, match="was given as the name of a variable; expected a letter"):
        make(tmp_path, made, 1, [Quantity(name, made.a)])


def test_a_constant_has_a_name_of_its_own(tmp_path):
    made = waves()
    depth = Variable("h", np.ones(made.grid.extent), "m", "depth")
    with pytest.raises(CaseError, match="2 variables of one file were given the name 'h'"):
        fields(tmp_path, made, 1, [Quantity("h", made.a)], constants=[depth])


def test_a_column_of_a_table_has_a_name_of_its_own(tmp_path):
    made = waves()
    integrals = [Integral("time", made.mass.reduction)]
    with pytest.raises(CaseError, match="the name 'time', which files give"):
        TimeSeries(tmp_path / "a.csv", 1, made.simulation, integrals, time_unit="s")


def test_a_recorder_takes_a_list(tmp_path):
    made = waves()
    series = fields(tmp_path, made, 1, ())
    with pytest.raises(CaseError, match=r"'Recorder' was given .* expected a list .*\[series\]"):
        Recorder(made.simulation, series)


def test_a_directory_that_cannot_be_written_has_advice_for_programs_too(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="Choose another directory") as error:
        create_directory(tmp_path / "file" / "out")
    assert "('halocline run': --output)" in error.value.hint
