"""The names of flows that programs use: one list, told of in the reference, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import halocline.lbm as lbm

ROOT = Path(__file__).parents[2]


def test_all_that_a_flow_needs_has_a_short_name():
    sides = {"y-": lbm.Wall(), "y+": lbm.Wall((0.05, 0.0))}
    flow = lbm.make_flow(lbm.Setup((8, 8), "D2Q9", omega=1.6, collision=lbm.trt(), sides=sides))
    assert isinstance(flow, lbm.Flow)
    assert all(hasattr(lbm, name) for name in lbm.__all__)


def test_the_reference_tells_of_every_short_name():
    text = (ROOT / "docs/reference/flows.md").read_text("utf-8")
    told = set(re.findall(r"(?:autoclass|autofunction|py:function):: (\w+)", text))
    told |= set(re.findall(r"automodule:: halocline\.apps\.lbm\.cases\.(\w+)", text))
    assert set(lbm.__all__) - told == {"Collision"}  # a type


@pytest.mark.parametrize("folder", ["README.md", "docs/guide", "docs/cases.md", "examples"])
def test_documents_and_examples_import_no_name_from_inside(folder):
    place = ROOT / folder
    files = [place] if place.is_file() else [*place.rglob("*.md"), *place.rglob("*.py")]
    for file in files:
        assert not re.search(r"halocline\.apps\.lbm", file.read_text("utf-8")), file
