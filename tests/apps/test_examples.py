"""Every example runs, prints the same on 1 and 3 ranks, is right, and draws a picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from launch import UNDRAWN, mpirun, python

EXAMPLES = Path(__file__).parents[2] / "examples"
# Sizes that take a second, and how far the result may be from the exact or independent one; None
# where that is in a test of its own.
CHOICES = {
    "acoustic_wave.py": (("60", "120"), None),
    "advection_refined.py": (("64",), 0.05),
    "burgers.py": (("128", "300"), 5e-3),
    "columns.py": (("16", "5"), 1e-10),
    "elastic_wave.py": (("64", "60"), None),
    "euler.py": (("100",), 0.015),
    "from_netcdf.py": (("40",), 1e-3),
    "gray_scott.py": (("48", "150"), 1e-13),
    "heat_diffusion.py": (("16", "20"), 1e-3),
    "internal_wave.py": (("20", "3"), 0.05),
    "ising.py": (("48", "1500"), 0.004),
    "life.py": (("61", "40"), 0.0),
    "layers.py": (("10", "1"), None),
    "lid_driven_cavity.py": (("12", "100"), 0.05),
    "maxwell.py": (("60", "60"), None),
    "moving_heat_source.py": (("32", "20"), 1e-13),
    "own_kernel.py": (("128", "60"), 0.05),
    "phase_field.py": (("40", "60"), 1e-12),
    "plankton.py": (("5", "2"), 1e-12),
    "poisson_cg.py": (("16",), 1e-9),
    "poisson_multigrid.py": (("64",), 1e-9),
    "poisson_refined.py": (("32",), 4e-3),
    "round_sea.py": (("48", "2"), 1e-13),
    "schroedinger.py": (("128", "380"), 0.02),
    "seasons.py": (("5", "3"), 1e-10),
    "shallow_water.py": (("60", "90"), 1e-13),
}


def run(name, directory, ranks=1):
    """Return what an example prints; several ranks do not draw again what one has drawn."""
    sizes, _ = CHOICES[name]
    directory.mkdir()
    words = (EXAMPLES / name, *sizes)
    if ranks == 1:
        done = python(*words, cwd=directory)
    else:
        done = mpirun(ranks, *words, cwd=directory, env=UNDRAWN)
    assert done.returncode == 0, done.stderr
    picture = (directory / name).with_suffix(".png").stat()
    assert (picture.st_size > 1000) == (ranks == 1)
    return done.stdout


def test_every_example_is_listed_here():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(CHOICES)


@pytest.mark.parametrize("name", CHOICES)
def test_an_example_is_right_and_prints_the_same_on_any_number_of_ranks(name, tmp_path):
    one, three = (run(name, tmp_path / str(ranks), ranks) for ranks in (1, 3))
    errors, allowed = re.findall(r"^error ([^:\s]+)", one, re.MULTILINE), CHOICES[name][1]
    assert len(errors) == (allowed is not None)
    assert all(float(error) <= allowed for error in errors)
    assert three == one


@pytest.mark.parametrize("name", CHOICES)
def test_an_example_is_short(name):
    assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) <= 66
