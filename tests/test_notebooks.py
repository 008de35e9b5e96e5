"""The notebooks run from top to bottom, and show what they should."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
# What each prints in the end, and what that has to be about.
PRINTED = {
    "first_steps": (r"warmest ([\d.]+) degC", 0.7648),
    "flow_past_a_body": (r"sideways speed in the wake ([\d.]+)", 0.066),
    "ocean_from_netcdf": (r"surface elevation from \S+ m to ([+-][\d.]+) m", 1.052),
}
LONG = ("flow_past_a_body", "ocean_from_netcdf")


def test_every_notebook_is_listed_here():
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} == set(PRINTED)


def test_notebooks_are_kept_without_outputs():
    for path in NOTEBOOKS.glob("*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n in LONG)) for n in PRINTED]
)
def test_a_notebook_runs_and_is_right(name, tmp_path):
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    where = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=where).execute()
    outputs = [each for cell in notebook.cells for each in cell.get("outputs", ())]
    printed = "".join(each.text for each in outputs if each.get("name") == "stdout")
    pattern, expected = PRINTED[name]
    assert float(re.search(pattern, printed)[1]) == pytest.approx(expected, rel=0.02)
    data = [each.data for each in outputs if "data" in each]
    assert any("image/png" in each for each in data)
    if name == "first_steps":
        shown = " ".join(each.get("text/html", "") for each in data)
        for part in ("grid of 128x96 cells", "T_new[0, 0] =", "<title>heat all: ", "500 steps of"):
            assert part in shown
