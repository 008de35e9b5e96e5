"""Flow in a duct against the series of Fourier."""

from __future__ import annotations

import numpy as np
import pytest
from flows import found, picture_size

from halocline.apps.lbm.cases.duct import Duct

DIFFERENCE = "greatest difference from the series, over its greatest velocity"
MEAN = "mean velocity over the speed"


def duct(cells, **more):
    return Duct(cells=cells, reynolds=5.0, lattice_speed=0.02, tolerance=1e-7, **more)


# Accepted: twice what an independent code got (docs/validation.md).
def test_the_error_in_a_square_duct_falls_with_the_square_of_the_cell_size():
    errors, means = [], []
    for cells in (8, 16):
        errors.append(found(duct(cells))[DIFFERENCE].measured)
        means.append(found(duct(cells))[MEAN].error)
    assert np.all(np.array(errors) < (7.6e-3, 1.9e-3)), errors
    assert np.all(np.array(means) < (2.8e-2, 7.4e-3)), means
    assert 1.8 < np.log2(errors[0] / errors[1]) < 2.2


def test_a_duct_of_another_shape_meets_the_series_as_well():
    assert found(duct(12, aspect=2.0))[DIFFERENCE].measured < 4e-3


@pytest.mark.parametrize(
    ("aspect", "greatest"),
    # u_max / u_mean of exact_duct_constants.csv.
    [(1.0, 2.096256015), (2.0, 1.991796344), (4.0, 1.773681376), (8.0, 1.628265788)],
)
def test_the_series_gives_the_published_constants(aspect, greatest):
    found = Duct(aspect=aspect).exact(np.zeros(1), np.zeros(1))[0]
    assert found == pytest.approx(greatest, rel=1e-6)


def test_the_picture_of_a_duct_is_drawn(tmp_path):
    assert picture_size(duct(8), tmp_path) > 20_000


@pytest.mark.slow
def test_square_duct_with_32_cells(record):
    case = duct(32)
    title, series = "square duct, 32x32, TRT", "exact series"
    profile, mean = found(case)[DIFFERENCE].measured, found(case)[MEAN].error
    record(title, "velocity, maximum over u_max", series, profile, 5e-4, 0)
    record(title, "mean velocity, relative", series, mean, 1.9e-3, 0)
    assert profile <= 5e-4
    assert mean <= 1.9e-3
