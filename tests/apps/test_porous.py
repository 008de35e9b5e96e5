"""Permeability of samples whose permeability is known."""

from __future__ import annotations

import numpy as np
import pytest
from errors.telling import message_of
from flows import found, picture_size, run

from halocline.apps.lbm.cases.porous import Porous
from halocline.errors import CaseError

PERMEABILITY = "permeability [L²]"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return the paths of a slit and of a square array of cylinders of 40 cells."""
    folder = tmp_path_factory.mktemp("porous")
    slit = np.zeros((4, 12), bool)
    slit[:, :2] = slit[:, -2:] = True
    x, y = np.ogrid[0.5:40, 0.5:40]
    cylinders = (x - 20) ** 2 + (y - 20) ** 2 < 0.2 / np.pi * 40**2
    names = {}
    for name, solid in (("slit", slit), ("cylinders", cylinders)):
        names[name] = str(folder / f"{name}.npy")
        np.save(names[name], solid)
    return names


@pytest.mark.parametrize("streaming", ["two-grids", "in-place"])
@pytest.mark.parametrize(("driving", "accepted"), [("force", 1e-6), ("pressure-drop", 0.02)])
def test_a_slit_has_its_exact_permeability(files, driving, accepted, streaming):
    case = Porous(geometry=files["slit"], driving=driving, streaming=streaming, tolerance=1e-9)
    # A parabola's mean at the cell centres, of the slit's share of the section: (h² + 1/2) / 12.
    # A pressure drop is felt less by what comes from walls: an error of second order.
    width = 8
    known = (width**2 + 0.5) / 12 * width / 12 / 12**2
    assert found(case)["porosity"].measured == pytest.approx(2 / 3)
    assert found(case)[PERMEABILITY].measured == pytest.approx(known, rel=accepted)


def test_a_square_array_of_cylinders_has_the_published_permeability(files):
    case = Porous(geometry=files["cylinders"], tolerance=1e-6)
    # Drag 51.53 mu U at a solid fraction of 0.2: Sangani & Acrivos 1982.
    assert found(case)["porosity"].measured == pytest.approx(0.8, rel=0.01)
    assert found(case)[PERMEABILITY].measured == pytest.approx(1 / 51.53, rel=0.04)


def test_permeability_does_not_depend_on_viscosity_and_force(files):
    slow, fast = (
        Porous(geometry=files["cylinders"], reynolds=re, lattice_speed=speed, tolerance=1e-6)
        for re, speed in ((1.0, 0.01), (0.5, 0.004))
    )
    first, second = (found(case)[PERMEABILITY].measured for case in (slow, fast))
    assert first == pytest.approx(second, rel=1e-3)


def test_permeability_has_the_unit_of_the_sample(files):
    case = Porous(
        geometry=files["slit"], length=2e-3, velocity=1e-4, viscosity=1e-6, tolerance=1e-9
    )
    plain = Porous(geometry=files["slit"], reynolds=0.2, tolerance=1e-9)
    area = found(case)["permeability [m²]"].measured
    assert area == pytest.approx(found(plain)[PERMEABILITY].measured * 4e-6, rel=1e-6)


def test_walls_at_the_sides_let_less_through(files):
    open_, closed = (
        Porous(geometry=files["cylinders"], sides=sides, tolerance=1e-5)
        for sides in ("periodic", "wall")
    )
    assert found(closed)[PERMEABILITY].measured < 0.9 * found(open_)[PERMEABILITY].measured


def test_cells_that_the_file_does_not_have_are_refused(files):
    with pytest.raises(CaseError) as error:
        Porous(geometry=files["slit"], cells=20).check()
    assert message_of(error.value) == (
        "'cells' was given 20, but the geometry file has 12 along y. Leave out 'cells'."
    )


def test_the_picture_of_a_sample_is_drawn(files, tmp_path):
    case = Porous(geometry=files["cylinders"], tolerance=1e-6)
    assert picture_size(case, tmp_path) > 20_000


def test_mass_is_conserved(files):
    result, _ = run(Porous(geometry=files["cylinders"], tolerance=1e-6))
    assert np.abs(result.series("mass") - 1.0).max() < 1e-11
