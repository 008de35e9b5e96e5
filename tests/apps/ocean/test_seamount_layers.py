"""Spurious currents above a seamount by the kind of layers: a table of docs/validation.md."""

from __future__ import annotations

import numpy as np
import pytest
from ocean_cases import found, run

from halocline.apps.cases import make_case

ONE_DAY = {"cells": 34, "days": 1.0}
# What a user adds to the case, and the greatest current that passes [m/s].
LAYERS = {
    "sigma": ({}, 1.5e-4),
    "sigma, zoomed": ({"zoom_surface": 1.5}, 1.5e-4),
    "s-levels": (
        {"layering": "s-levels", "zoom_surface": 5.0, "zoom_bed": 1.0, "even_depth": 200.0},
        1.5e-4,
    ),
    "z-levels": ({"layering": "z-levels", "thinnest": 20.0}, 7.5e-5),
    "z-levels, zoomed": (
        {"layering": "z-levels", "thinnest": 20.0, "zoom_surface": 1.5},
        7.5e-5,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("layers", LAYERS)
def test_layers_that_cross_fewer_isopycnals_err_less(layers, record):
    options, most = LAYERS[layers]
    result, _ = run("seamount", **ONE_DAY, **options)
    greatest = result.series("greatest")[-1]
    mean = np.sqrt(result.series("mean_square")[-1])
    for quantity, value, limit in (
        ("greatest current", greatest, most),
        ("root mean square", mean, 0.3 * most),
    ):
        record(layers, f"{quantity} [m/s]", "rest", value, limit, result.seconds)
        assert 0.0 < value < limit


def test_the_figures_of_getm_stand_beside_getm_s_set_up_alone():
    short = {"cells": 12, "cell_size": 40e3, "layers": 4, "days": 1.0}
    (greatest, mean) = found("seamount", **short).values()
    assert (greatest.known, mean.known) == (None, None)
    assert greatest.measured > mean.measured > 0.0
    for change in ({"zoom_bed": 1.0}, {"layering": "z-levels", "thinnest": 20.0}, {"cells": 34}):
        assert not make_case("seamount", change).is_that_of_getm
    assert make_case("seamount", {"days": 5.0, "micro_step": 11.0}).is_that_of_getm
