"""How a process becomes an image, where it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import halocline

CODE = "from halocline import coarray as ca; print(ca.num_images(), ca.allocate(10**8))"


def image(folder: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Start an image alone, of the package or of a copy in a folder."""
    return subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
        env=os.environ | environment | ({"PYTHONPATH": str(folder)} if folder else {}),
    )


def test_memory_is_what_the_variable_says():
    assert image(HALOCLINE_MEMORY="1G").stdout.startswith("1 <coarray of")
    done = image(HALOCLINE_MEMORY="64M")
    assert "of the 67108864 bytes of an image 0 are in use" in done.stderr


@pytest.mark.parametrize("said", ["", "0", "4 G", "G", "-1G", "2000000T"])
def test_a_size_that_is_none_is_told(said):
    done = image(HALOCLINE_MEMORY=said)
    message = f"CoarrayError: HALOCLINE_MEMORY is '{said}': expected a size as 8G or 500M."
    assert message in done.stderr


def test_a_launcher_of_mpi_without_its_library_is_told(tmp_path):
    package = Path(halocline.__file__).parent
    ignored = shutil.ignore_patterns("libhalocline_pgas_mpi.so", "__pycache__")
    shutil.copytree(package, tmp_path / "halocline", ignore=ignored)
    done = image(tmp_path, PMI_SIZE="2")
    assert "CoarrayError: An MPI launcher has started this program, but MPI cannot" in done.stderr
    assert "libhalocline_pgas_mpi.so" in done.stderr


def test_a_launcher_of_another_mpi_is_told():
    if not (Path(halocline.__file__).parent / "caf/lib/libhalocline_pgas_mpi.so").exists():
        pytest.skip("Halocline was built without MPI")
    done = image(OMPI_COMM_WORLD_SIZE="3")
    assert done.returncode == 1
    assert "The launcher has started 3 processes, but MPI knows of 1: Halocline" in done.stderr
