"""MPI's library is found where its package puts it, when the module does not look there."""

from __future__ import annotations

import sys

import pytest

from halocline.runtime import mpi_start

MISSING = "libmpi.so.12: cannot open shared object file: No such file or directory"


@pytest.fixture
def loads(monkeypatch, tmp_path):
    """Let the module need a library that the system does not find; return what is loaded."""
    loaded = []

    def import_module(name):
        if not loaded:
            raise ImportError(MISSING)
        return name

    monkeypatch.setattr(mpi_start, "import_module", import_module)
    monkeypatch.setattr(mpi_start.ctypes, "CDLL", loaded.append)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    return loaded


def test_the_library_of_the_environment_is_loaded_first(loads, tmp_path):
    library = tmp_path / "lib" / "libmpi.so.12"
    library.parent.mkdir()
    library.touch()
    assert mpi_start.load_mpi() == "halocline.runtime._mpi"
    assert loads == [str(library)]


def test_without_it_there_is_no_mpi(loads):
    with pytest.raises(ImportError, match=r"libmpi\.so\.12: cannot open"):
        mpi_start.load_mpi()


def test_a_module_that_was_not_built_loads_nothing(loads, monkeypatch, tmp_path):
    def import_module(name):
        raise ModuleNotFoundError(f"No module named '{name}'")

    (tmp_path / "lib").mkdir()
    monkeypatch.setattr(mpi_start, "import_module", import_module)
    with pytest.raises(ModuleNotFoundError):
        mpi_start.load_mpi()
    assert loads == []
