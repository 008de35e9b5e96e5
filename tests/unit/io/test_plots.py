"""Pictures are drawn without a display, and say where they could not be written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from halocline.errors import OutputError
from halocline.io.plots import PlanePicture, colours_between, draw_plane

ZEROS = PlanePicture("none", np.zeros((4, 3)), (0, 1, 0, 1), "T [K]")


def test_a_plane_of_zeros_is_drawn(tmp_path: Path):
    draw_plane(ZEROS, str(tmp_path / "p.png"))
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_a_picture_that_cannot_be_written_is_named(tmp_path: Path):
    with pytest.raises(OutputError, match=r"nowhere/p\.png': No such file or directory"):
        draw_plane(ZEROS, tmp_path / "nowhere" / "p.png")


def test_colours_are_symmetric_about_zero_only_for_values_of_both_signs():
    assert colours_between(-1.0, 3.0) == {"cmap": "RdBu_r", "vmin": -3.0, "vmax": 3.0}
    assert colours_between(280.0, 300.0) == {"cmap": "viridis", "vmin": 280.0, "vmax": 300.0}
    assert colours_between(-3.0, -1.0) == {"cmap": "viridis", "vmin": -3.0, "vmax": -1.0}


def test_the_colours_of_a_plane_span_its_values(tmp_path: Path, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "matplotlib.figure.Figure.colorbar", lambda _, image, **__: seen.append(image)
    )
    draw_plane(
        PlanePicture("T", np.array([[280.0, np.nan], [290, 300]]), (0, 1, 0, 1), "T"),
        tmp_path / "p.png",
    )
    assert seen[0].get_clim() == (280.0, 300.0)
