"""What 'import halocline as hc' offers: names of its reference, and no modules of its own."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest

import halocline as hc
from halocline.language.grids.composite import CompositeField
from halocline.language.points.record import Record

ROOT = Path(__file__).parents[2]


def test_the_version_is_that_of_the_package():
    assert hc.__version__ == version("halocline")


def test_names_are_those_of_users_and_no_internal_modules():
    modules = {name for name in dir(hc) if isinstance(getattr(hc, name), ModuleType)}
    assert modules == {"coarray", "errors", "output"}
    assert {"Grid", "Simulation", "kernel", "Parameter", "errors"} <= set(hc.__all__)
    assert set(hc.__all__) <= set(dir(hc))
    assert all(hasattr(hc, name) for name in hc.__all__)


def test_all_that_writes_is_found_under_one_name():
    assert {"FieldSeries", "VtkSeries", "TimeSeries", "Recorder", "save"} <= set(hc.output.__all__)
    assert all(hasattr(hc.output, name) for name in hc.output.__all__)


@pytest.mark.parametrize("name", ["lbm", "ocean"])
def test_an_application_has_all_names_of_its_list(name):
    module = import_module(f"halocline.{name}")
    assert {"Setup", "Comparison"} <= set(module.__all__) <= set(dir(module))
    assert all(hasattr(module, public) for public in module.__all__)
    with pytest.raises(
        AttributeError, match=f"module 'halocline.{name}' has no attribute 'setup_'"
    ):
        module.setup_  # noqa: B018


@pytest.mark.parametrize("name", ["lbm", "ocean"])
def test_making_a_setup_loads_no_cases(name):
    program = f"import sys, halocline.{name} as app; app.Setup; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert f"halocline.apps.{name}.setup.setup" in done.stdout.split()
    assert not re.search(rf"halocline\.apps\.{name}\.cases", done.stdout)


@pytest.mark.parametrize("name", ["lbm", "ocean"])
def test_an_application_that_is_not_imported_is_refused_with_the_import(name):
    # Asked directly: once imported, it is an attribute of the package.
    with pytest.raises(AttributeError, match=f"Write 'import halocline.{name} as {name}'"):
        hc.__getattr__(name)


def test_a_name_that_does_not_exist_is_refused():
    with pytest.raises(AttributeError, match="module 'halocline' has no attribute 'grid'"):
        hc.grid  # noqa: B018


def test_the_list_of_collective_calls_has_all_of_them():
    classes = [hc.Simulation, hc.Field, CompositeField, hc.Points, Record]
    members = {name: value for one in classes for name, value in inspect.getmembers(one)}
    collective = {
        name
        for name, value in members.items()
        if not name.startswith("_") and "ollective" in (getattr(value, "__doc__", None) or "")
    }
    told = (ROOT / "docs/mpi.md").read_text(encoding="utf-8").partition("## Collective calls")[2]
    listed = set(re.findall(r"`(\w+)`", told.partition("Everything else")[0]))
    assert collective - listed == {"gather_boxes"}  # of the package's own


def test_types_are_for_users_checkers_too():
    assert (files("halocline") / "py.typed").is_file()
