"""Folders of GETM with a file that is not as it was written: namelists, boundaries, NetCDF."""

from pathlib import Path

import pytest
from getm_folders import box
from mutations import check_reader

from halocline.apps.ocean.input.bathymetry_file import read_bathymetry
from halocline.apps.ocean.input.getm.boundaries import _segments
from halocline.apps.ocean.input.getm.namelists import read_namelists
from halocline.apps.ocean.input.getm.setup import read_getm_folder

READERS = {
    "getm.inp": read_namelists,
    "bdyinfo.dat": lambda path: list(_segments(path)),
    "topo.nc": read_bathymetry,
}


@pytest.mark.parametrize("name", READERS)
def test_a_changed_file_is_read_or_refused_in_one_message(name, tmp_path):
    box(tmp_path).read()
    path: Path = tmp_path / name
    check_reader([path], lambda: READERS[name](path))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*READERS, "bdy_2d.nc"])
def test_a_changed_file_gives_a_setup_or_one_message(name, tmp_path):
    box(tmp_path).read()
    check_reader([tmp_path / name], lambda: read_getm_folder(tmp_path), share=10)
