"""Pictures of flows in a few cells."""

from __future__ import annotations

import numpy as np
import pytest

from halocline.apps.lbm.cases.flow_pictures import draw_flow
from halocline.io.plots import Curve
from halocline.lbm import FlowFigure, Plane, Plot


@pytest.mark.parametrize("cells", [1, 2, 4])
def test_streamlines_begin_within_the_middles_of_a_few_cells(tmp_path, cells):
    turning = np.arange(cells * cells, dtype=float).reshape(cells, cells) + 1.0
    plane = Plane(
        turning,
        turning.T,
        np.zeros((cells, cells), bool),
        (1.0, 1.0),
        ("x", "y"),
        "U",
        starts=np.array([(0.05, 0.05), (0.95, 0.5)]),
    )
    curve = Curve("u", np.arange(3.0), np.arange(3.0))
    picture = FlowFigure("few cells", plane, (Plot("u", ("x", "u"), curve),))
    draw_flow(picture, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 0
