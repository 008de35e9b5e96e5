"""Pictures are drawn without a display, and say where they could not be written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from halocline.errors import OutputError
from halocline.io.plots import CavityPicture, PlanePicture, Points, draw_cavity, draw_plane


def vortex(n):
    x = (np.arange(n) + 0.5) / n
    s, c = np.sin(np.pi * x), np.cos(np.pi * x)
    curve = Points("here", x, s)
    return CavityPicture("a vortex", s[:, None] * c, -c[:, None] * s, curve, curve, (curve,) * 2)


@pytest.mark.parametrize("n", [5, 64])
def test_a_cavity_is_drawn(tmp_path: Path, n):
    draw_cavity(vortex(n), tmp_path / "cavity.png")
    assert (tmp_path / "cavity.png").read_bytes().startswith(b"\x89PNG")


def test_a_plane_of_zeros_is_drawn(tmp_path: Path):
    draw_plane(PlanePicture("none", np.zeros((4, 3)), (0, 1, 0, 1), "T [K]"), tmp_path / "p.png")
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_a_picture_that_cannot_be_written_is_named(tmp_path: Path):
    with pytest.raises(OutputError, match=r"nowhere/cavity\.png': No such file or directory"):
        draw_cavity(vortex(5), tmp_path / "nowhere" / "cavity.png")
