"""Every example runs, on one process and on two, and prints the same physics."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from launch import mpirun

EXAMPLES = Path(__file__).parents[2] / "examples"
CHOICES = {
    "acoustic_wave.py": ("60", "120"),
    "columns.py": ("16", "5"),
    "elastic_wave.py": ("64", "60"),
    "heat_diffusion.py": ("16", "20"),
    "ising.py": ("48", "1500"),
    "life.py": ("61", "40"),
    "lid_driven_cavity.py": ("12", "3"),
    "maxwell.py": ("60", "60"),
    "own_kernel.py": ("48", "60"),
    "poisson_cg.py": ("16",),
    "poisson_multigrid.py": ("64",),
}


def run(name, *arguments):
    return subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def physics(output):
    """Return the lines that depend on neither time nor ranks."""
    lines = output.splitlines()
    return [line for line in lines if line.startswith(("after", "highest", "u:", "   "))][-4:]


def test_every_example_is_listed_here():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(CHOICES)


@pytest.mark.parametrize("name", CHOICES)
def test_example_runs_on_one_process_and_gives_the_same_on_two(name):
    one = run(name, *CHOICES[name])
    assert one.returncode == 0, one.stderr
    assert "effective memory throughput" in one.stdout
    two = mpirun(2, EXAMPLES / name, *CHOICES[name])
    assert two.returncode == 0, two.stderr
    skip = name == "heat_diffusion.py"  # prints the plan, which differs
    assert physics(one.stdout)[-1 if skip else 0 :] == physics(two.stdout)[-1 if skip else 0 :]


@pytest.mark.parametrize("name", CHOICES)
def test_example_is_short(name):
    assert len((EXAMPLES / name).read_text().splitlines()) <= 80
