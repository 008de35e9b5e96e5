"""Modules that need MPI find a wheel's library where they are, not where they were built."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

import halocline


def test_an_mpi_wheel_is_looked_for_beside_the_package_alone():
    # The folder of an isolated build is gone, and anybody may make one of its name.
    modules = list((Path(halocline.__file__).parent / "runtime").glob("_mpi*.so"))
    try:
        version("mpich")
    except PackageNotFoundError:
        pytest.skip("MPI is no wheel")
    if not modules or shutil.which("readelf") is None or sys.platform != "linux":
        pytest.skip("no MPI, or nothing that shows where it is looked for")
    command = ["readelf", "-d", str(modules[0])]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    places = re.findall(r"RUNPATH.*\[(.*)\]", text)[0].split(":")
    assert all(place.startswith("$ORIGIN") for place in places)
