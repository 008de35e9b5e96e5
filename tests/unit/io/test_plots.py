"""Pictures are drawn without a display, and say where they could not be written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from halocline.errors import OutputError
from halocline.io.plots import PlanePicture, draw_plane

ZEROS = PlanePicture("none", np.zeros((4, 3)), (0, 1, 0, 1), "T [K]")


def test_a_plane_of_zeros_is_drawn(tmp_path: Path):
    draw_plane(ZEROS, str(tmp_path / "p.png"))
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_a_picture_that_cannot_be_written_is_named(tmp_path: Path):
    with pytest.raises(OutputError, match=r"nowhere/p\.png': No such file or directory"):
        draw_plane(ZEROS, tmp_path / "nowhere" / "p.png")
