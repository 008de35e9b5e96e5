"""What the advection schemes promise of the value on a face, in figures of their own formulas."""

import numpy as np
import pytest

from halocline.apps.ocean.numerics.limiters import SCHEMES

LIMITED = ("SUPERBEE", "MUSCL", "P2_PDM")


def phi(scheme, r, C):
    """Return the factor of the Lax-Wendroff form, as publications print it."""
    x = (1 - 2 * C) / 6
    p2 = (0.5 + x) + (0.5 - x) * r
    return {
        "UPSTREAM": 0 * r,
        "P2": p2,
        "SUPERBEE": np.maximum(0, np.maximum(np.minimum(1, 2 * r), np.minimum(r, 2))),
        "MUSCL": np.maximum(0, np.minimum(np.minimum(2, 2 * r), (1 + r) / 2)),
        "P2_PDM": np.maximum(0, np.minimum(np.minimum(p2, 2 / (1 - C)), 2 * r / (C + 1e-10))),
    }[scheme]


def some_faces(seed=7, count=2000):
    numbers = np.random.default_rng(seed)
    ahead, behind = numbers.normal(size=(2, count))
    return ahead, behind, numbers.uniform(0.0, 0.999, count)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_correction_is_that_of_the_ratio_of_slopes(scheme):
    ahead, behind, courant = some_faces()
    expected = 0.5 * phi(scheme, behind / ahead, courant) * (1 - courant) * ahead
    assert SCHEMES[scheme](ahead, behind, courant) == pytest.approx(expected, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_against_the_axis_a_correction_only_changes_its_sign(scheme):
    ahead, behind, courant = some_faces()
    along = SCHEMES[scheme](ahead, behind, courant)
    assert np.array_equal(SCHEMES[scheme](-ahead, -behind, courant), -np.asarray(along))


@pytest.mark.parametrize("scheme", LIMITED)
def test_a_limited_scheme_takes_the_value_upstream_at_an_extremum(scheme):
    ahead, behind, courant = some_faces()
    correction = SCHEMES[scheme](ahead, behind, courant)
    assert not correction[ahead * behind <= 0].any()
    assert not SCHEMES[scheme](ahead, 0.0 * behind, courant).any()


@pytest.mark.parametrize("scheme", LIMITED)
def test_a_limited_scheme_stays_between_the_cells_beside_the_face(scheme):
    ahead, behind, courant = some_faces()
    part = SCHEMES[scheme](ahead, behind, courant) / ahead
    assert part.min() >= 0.0
    assert part.max() <= 1.0 + 1e-15


@pytest.mark.parametrize("scheme", LIMITED)
def test_what_flows_out_of_a_cell_does_not_push_it_past_the_one_behind(scheme):
    ahead, behind, courant = some_faces()
    # The cell is emptied by C times the value on the face and filled by the one behind.
    part = SCHEMES[scheme](ahead, behind, courant) / behind
    assert (courant * part <= 1 - courant + 1e-12).all()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes_compute_in_the_type_of_the_tracer(scheme):
    faces = (values.astype(np.float32) for values in some_faces())
    assert np.result_type(np.float32, SCHEMES[scheme](*faces)) == np.float32
