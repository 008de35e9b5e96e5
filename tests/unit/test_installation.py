"""What need not be installed: extras, and packages that add commands and cases."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import halocline as hc
from halocline import installation
from halocline.apps.cases import find_case
from halocline.apps.lbm.setup.geometry_file import read_geometry
from halocline.apps.lbm.setup.surface import Surface
from halocline.apps.ocean.input.getm.namelists import _values_of
from halocline.apps.ocean.input.input_file import InputFile
from halocline.bench.probe import probe
from halocline.cli.main import build
from halocline.errors import InstallationError
from halocline.io.plots import make_figure
from halocline.language.grids.arrays import data_array
from halocline.output import FieldSeries

ROOT = Path(__file__).parents[2]
ADDED = (
    "'{}' belongs to the package 'halocline-reproduction', which is not installed. "
    "Install it: pip install ./reproduction, in Halocline's repository."
)


def test_a_command_and_a_case_of_another_package_are_found():
    assert "papers" in CliRunner().invoke(build(["--help"]), ["--help"]).output
    assert find_case("obstacle-flow").__module__ == "halocline_reproduction.obstacle_flow"


def test_an_absent_package_is_named_where_its_command_or_case_is_called(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: ())
    assert installation.additions("commands") == {}
    with pytest.raises(InstallationError, match=re.escape(ADDED.format("papers"))):
        build(["papers", "list"])
    with pytest.raises(InstallationError, match=re.escape(ADDED.format("obstacle-flow"))):
        find_case("obstacle-flow")
    assert "papers" not in CliRunner().invoke(build(["--help"]), ["--help"]).output


def series(path):
    grid = hc.Grid((4, 4))
    field = grid.field("T")
    FieldSeries(path / "T.nc", 1, hc.Simulation(grid, [print]), grid, [field])


def shares(path):
    hc.Sparse(np.ones((8, 8), bool), (4, 4), "metis").decompose((8, 8), (False, False), 2)


def geometry(ending):
    def read(path):
        file = path / f"file.{ending}"
        file.write_bytes(b"")
        read_geometry(str(file), (4, 4, 4))

    return read


USES = {
    ("output", "h5netcdf"): series,
    ("output", "xarray"): lambda path: data_array(hc.Grid((4,)).field("T"), np.zeros(4)),
    ("plot", "matplotlib"): lambda path: make_figure(1.0, 1.0),
    ("ocean", "xarray"): lambda path: InputFile(path / "depth.nc", "bathymetry"),
    ("ocean", "f90nml"): lambda path: _values_of(path / "getm.inp"),
    ("geometry", "PIL"): geometry("png"),
    ("geometry", "trimesh"): geometry("stl"),
    ("geometry", "scipy"): lambda path: Surface(np.eye(3)[np.newaxis]).inside(hc.Grid((4, 4, 4))),
    ("partition", "pymetis"): shares,
    ("probe", "scipy"): lambda path: probe(print),
}


@pytest.mark.parametrize(("extra", "package"), USES)
def test_what_needs_an_extra_names_it_where_it_is_absent(extra, package, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, package, None)
    message = (
        f"{installation.EXTRAS[extra]} need the package '{package}', which is not installed. "
        f'Install it: pip install "halocline[{extra}]".'
    )
    with pytest.raises(InstallationError) as found:
        USES[extra, package](tmp_path)
    assert str(found.value) == message


def declared() -> dict[str, set[str]]:
    """Return the packages of each extra, by the names by which they are imported."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {}
    for extra, packages in project["optional-dependencies"].items():
        names = {re.split(r"[>=\[]", package)[0] for package in packages}
        names |= {"PIL"} if "pillow" in names else set()
        extras[extra] = names
    extras["ocean"] |= extras["output"]
    return extras


@pytest.mark.skipif(not (ROOT / "src/halocline").is_dir(), reason="needs the source tree")
def test_extras_have_what_their_uses_need():
    extras = declared()
    assert set(installation.EXTRAS) == set(extras) - {"all", "mpi", "cuda"}
    texts = {path: path.read_text() for path in (ROOT / "src/halocline").rglob("*.py")}
    for path in (path for path, text in texts.items() if " need(" in text):
        for node in ast.walk(ast.parse(texts[path])):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "need":
                words = [each.value for each in node.args if isinstance(each, ast.Constant)]
                assert set(words[1:]) <= extras[words[0]], path


def test_the_core_runs_a_program_without_any_extra(tmp_path):
    absent = sorted(set().union(*declared().values()) - {"halocline"})
    program = (
        f"import sys\nsys.modules.update(dict.fromkeys({absent}))\n"
        "import halocline as hc\n"
        "grid = hc.Grid((16, 16), periodic=(True, False))\n"
        "T, T_new = grid.field('T'), grid.field('T_new')\n"
        "@hc.kernel\n"
        "def heat(T, T_new, *, a):\n    T_new[0, 0] = T[0, 0] + a * hc.laplacian(T)\n"
        "simulation = hc.Simulation(grid, [heat(T, T_new, a=0.1), hc.swap(T, T_new)])\n"
        "T.set(lambda x, y: x + y)\n"
        "T.boundary('y-', hc.Dirichlet(1.0))\nT.boundary('y+', hc.Neumann(0.0))\n"
        "simulation.run(10)\nprint(simulation.report())\n"
    )
    script = tmp_path / "heat.py"
    script.write_text(program)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "heat" in done.stdout
