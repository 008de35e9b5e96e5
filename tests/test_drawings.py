"""The drawings of the explanation are those of today's plans."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def drawings():
    return runpy.run_path(str(DOCS / "draw_plans.py"))["DRAWINGS"]


@pytest.mark.parametrize("name", ["reach", "chain", "core_and_rim", "storages"])
def test_a_drawing_shows_the_plan_of_today(name, drawings):
    """'make pictures' writes it anew."""
    drawn = (DOCS / "pictures" / "plans" / f"{name}.svg").read_text("utf-8")
    assert drawings[name]().svg() == drawn
    assert f"plans/{name}.svg" in (DOCS / "explanation" / "plans.md").read_text("utf-8")
