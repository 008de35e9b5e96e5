"""The names of flows and oceans that programs use: one list of each, told of in the reference."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import halocline.lbm as lbm
import halocline.ocean as ocean

ROOT = Path(__file__).parents[2]


def test_all_that_a_flow_needs_has_a_short_name():
    sides = {"y-": lbm.Wall(), "y+": lbm.Wall((0.05, 0.0))}
    flow = lbm.make_flow(lbm.Setup((8, 8), "D2Q9", omega=1.6, collision=lbm.trt(), sides=sides))
    assert isinstance(flow, lbm.Flow)
    assert all(hasattr(lbm, name) for name in lbm.__all__)


def test_all_that_an_ocean_needs_has_a_short_name():
    basin = ocean.Domain(np.full((4, 4), 10.0), (500.0, 500.0))
    model = ocean.make_model(ocean.Setup(basin, 10.0, layers=ocean.Sigma(3)))
    assert isinstance(model, ocean.Model)
    assert all(hasattr(ocean, name) for name in ocean.__all__)


@pytest.mark.parametrize(
    ("page", "names", "others"),
    [
        ("flows", lbm.__all__, {"Collision"}),  # a type
        # Values, and one that flows have, too.
        (
            "oceans",
            ocean.__all__,
            {"CANUTO_A", "CANUTO_B", "CHENG", "REFERENCE_DENSITY", "Comparison"},
        ),
    ],
)
def test_the_reference_tells_of_every_short_name(page, names, others):
    text = (ROOT / f"docs/reference/{page}.md").read_text("utf-8")
    told = set(re.findall(r"(?:autoclass|autofunction|py:function):: (\w+)", text))
    told |= set(re.findall(r"automodule:: halocline\.apps\.lbm\.cases\.(\w+)", text))
    assert set(names) - told == others


@pytest.mark.parametrize("folder", ["README.md", "docs/guide", "docs/cases.md", "examples"])
def test_documents_and_examples_import_no_name_from_inside(folder):
    place = ROOT / folder
    files = [place] if place.is_file() else [*place.rglob("*.md"), *place.rglob("*.py")]
    for file in files:
        assert not re.search(r"halocline\.apps\.(lbm|ocean)", file.read_text("utf-8")), file
